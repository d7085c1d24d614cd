//! The command `fuzz`: the fuzz targets of crates/chessdb/fuzz, with one process per processor at a
//! time (docs/fuzzing.md).

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
    time::Instant,
};

use anyhow::{Context as _, anyhow, bail};
use fs_err as fs;

use crate::{
    Outcome,
    cmd::{self, cargo, root},
};

/// Each target and its seed folder.
const TARGETS: &[(&str, &str)] = &[
    ("decode", "files"),
    ("skip", "files"),
    ("probe", "files"),
    ("roundtrip", "games"),
];

/// The limits of a single input: seconds, total MiB, MiB per allocation.
const BOUNDS: [&str; 3] = ["-timeout=20", "-rss_limit_mb=1024", "-malloc_limit_mb=64"];

/// The compiler flags that libFuzzer needs: coverage counters at the edges of the program, and
/// checks that find errors. Stable Rust has all of them.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1";
/// An additional flag that traces comparisons. This finds magic numbers and takes time.
const TRACE: &str = "-Cllvm-args=-sanitizer-coverage-trace-compares";

#[derive(Debug)]
struct FuzzOptions {
    /// Seconds per target and format.
    seconds: u64,
    runs: Option<u64>,
    /// Whether to use the address sanitizer.
    asan: bool,
    /// Whether to omit tracing of comparisons: more executions per second, but magic numbers are
    /// found less often.
    fast: bool,
    /// Whether to compile in half the time, for runs that take no longer than that.
    brief: bool,
    /// The selected targets and formats; all if none is named.
    words: Vec<String>,
}

impl FuzzOptions {
    fn parse(args: &[String]) -> Outcome<FuzzOptions> {
        let mut options = FuzzOptions {
            seconds: 10,
            runs: None,
            asan: false,
            fast: false,
            brief: false,
            words: Vec::new(),
        };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut number = || {
                let number = args.next().and_then(|word| word.parse().ok());
                number.with_context(|| format!("{word} needs a number"))
            };
            match word.as_str() {
                "--seconds" => options.seconds = number()?,
                "--runs" => options.runs = Some(number()?),
                "--asan" => options.asan = true,
                "--fast" => options.fast = true,
                "--brief" => options.brief = true,
                _ if word.starts_with('-') => bail!("unknown option {word}"),
                _ => options.words.push(word.clone()),
            }
        }
        Ok(options)
    }

    fn wants(&self, target: &str, format: &str) -> bool {
        let is_target = |word: &&String| TARGETS.iter().any(|(name, _)| name == word);
        let (targets, formats): (Vec<_>, Vec<_>) = self.words.iter().partition(is_target);
        let fits = |words: &[&String], name| words.is_empty() || words.iter().any(|w| *w == name);
        fits(&targets, target) && fits(&formats, format)
    }
}

/// Runs three of the targets for a moment, for `ci`. `roundtrip` has not run long enough to fail a
/// change that is correct (docs/fuzzing.md).
pub(crate) fn quick() -> Outcome {
    let words = "--seconds 1 --fast --brief decode skip probe".split(' ');
    fuzz(&words.map(str::to_owned).collect::<Vec<_>>())
}

/// Runs the fuzz targets: `--seconds N` of each selected target for each format. `--runs N` ends
/// earlier, `--asan` adds the address sanitizer, `--fast` omits the tracing of comparisons,
/// `--brief` optimises little.
pub(crate) fn fuzz(args: &[String]) -> Outcome {
    let options = FuzzOptions::parse(args)?;
    let home = cmd::metadata()?
        .target_directory
        .join("fuzzing")
        .into_std_path_buf();
    let seeds = home.join("seeds");
    write_seeds(&seeds)?;
    let programs = build(&home, &options)?;
    let mut jobs = Vec::new();
    for (target, kind) in TARGETS {
        let formats = names(&seeds.join(kind))?.into_iter();
        let chosen = formats.filter(|format| options.wants(target, format));
        jobs.extend(chosen.map(|format| (*target, seeds.join(kind).join(&format), format)));
    }
    if jobs.is_empty() {
        bail!("unknown target or format: {}", options.words.join(" "));
    }
    println!("\ntarget     format       seconds  executions      /s  edges");
    // The jobs take different times, so each thread takes the next one when it is done.
    let start_next = Mutex::new(jobs.iter());
    let work = || -> Outcome<Vec<FuzzResult>> {
        let mut all = Vec::new();
        let next = || start_next.lock().ok()?.next();
        while let Some((target, seeds, format)) = next() {
            let start = Instant::now();
            let program = programs.join(target);
            let done = run(&program, (target, format), &home, seeds, &options)?;
            let (seconds, executions) = (start.elapsed().as_secs_f64(), done.executions);
            let rate = executions as f64 / seconds.max(0.001);
            let edges = done.edges;
            println!(
                "{target:<10} {format:<12} {seconds:>7.1} {executions:>11} {rate:>7.0} {edges:>6}"
            );
            all.push(done);
        }
        Ok(all)
    };
    let mut done = Vec::new();
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            done.extend(worker.join().map_err(|_| anyhow!("a thread panicked"))??);
            Ok::<_, anyhow::Error>(())
        })
    })?;
    let findings: Vec<_> = done
        .iter()
        .filter_map(|done| done.finding.as_deref())
        .collect();
    let all: u64 = done.iter().map(|done| done.executions).sum();
    println!("{all} executions, {} findings", findings.len());
    if findings.is_empty() {
        return Ok(());
    }
    let findings = findings.join("\n");
    Err(anyhow!("findings; see docs/fuzzing.md:\n{findings}"))
}

/// Writes the seeds with the facade's test, which also checks that they pass.
fn write_seeds(folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    // With the features of the whole workspace, as the tests of `ci` are built.
    let line = "test --quiet --workspace --locked --test fuzz seeds_are_bases_and_pass";
    cmd::run(cargo(line).env("CHESSDB_FUZZ_SEEDS", folder))
}

/// Builds all targets and returns their folder.
fn build(home: &Path, options: &FuzzOptions) -> Outcome<PathBuf> {
    let mut flags = FLAGS.to_owned();
    for (word, is_wanted) in [
        (TRACE, !options.fast),
        ("-Zsanitizer=address", options.asan),
    ] {
        if is_wanted {
            flags = format!("{flags} {word}");
        }
    }
    // Other flags rebuild everything, so each set of flags has its own folder.
    let FuzzOptions {
        asan, fast, brief, ..
    } = options;
    let target = home.join(format!("asan-{asan}-fast-{fast}-brief-{brief}"));
    let host = cmd::output(Command::new("rustc").args(["--print", "host-tuple"]))?;
    // With an explicit target, build scripts and macros are built without these flags.
    let line = format!("build --release --locked --target {host}");
    let mut command = if options.asan { cmd::nightly(&line) } else { cargo(&line) };
    command.current_dir(root().join("crates/chessdb/fuzz"));
    cmd::run(
        command
            .env("RUSTFLAGS", flags)
            .env(
                "CARGO_PROFILE_RELEASE_OPT_LEVEL",
                if *brief { "1" } else { "3" },
            )
            .env("CARGO_TARGET_DIR", &target),
    )?;
    Ok(target.join(host.trim()).join("release"))
}

/// Returns the sorted names in a folder.
fn names(folder: &Path) -> Outcome<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.flatten().map(name).collect();
    names.sort();
    Ok(names)
}

/// The result that libFuzzer reports.
#[derive(Debug, Default, PartialEq, Eq)]
struct FuzzResult {
    executions: u64,
    edges: u64,
    finding: Option<String>,
}

/// Runs a target for a format. The corpus that it finds is kept for the next run.
fn run(
    program: &Path,
    (target, format): (&str, &str),
    home: &Path,
    seeds: &Path,
    options: &FuzzOptions,
) -> Outcome<FuzzResult> {
    let corpus = home.join("corpus").join(target).join(format);
    let findings = home.join("findings").join(format);
    for folder in [&corpus, &findings] {
        fs::create_dir_all(folder)?;
    }
    // Inputs are at most as long as the longest seed, so that executions stay short.
    let size = |name: &String| fs::metadata(seeds.join(name)).map_or(0, |data| data.len());
    let longest = names(seeds)?.iter().map(size).max().unwrap_or(0).max(256);
    let mut command = Command::new(program);
    command.env("CHESSDB_FUZZ_FORMAT", format);
    command.arg(format!("-artifact_prefix={}/{target}-", findings.display()));
    command.arg(format!("-max_len={longest}"));
    command.arg(format!("-max_total_time={}", options.seconds));
    command.args(options.runs.map(|runs| format!("-runs={runs}")));
    command
        .args(BOUNDS)
        .args(["-print_final_stats=1", "-close_fd_mask=1"]);
    command.arg(&corpus).arg(seeds);
    let out = command.output()?;
    let log = String::from_utf8_lossy(&out.stderr);
    let done = FuzzResult::read(&log);
    // libFuzzer fails if it has a finding. Anything else is an error of the run itself.
    if out.status.success() == done.finding.is_none() {
        return Ok(done);
    }
    let lines: Vec<&str> = log.lines().collect();
    let tail = lines
        .get(lines.len().saturating_sub(20)..)
        .unwrap_or_default();
    Err(anyhow!(
        "{target} {format}: {}\n{}",
        out.status,
        tail.join("\n")
    ))
}

impl FuzzResult {
    /// Parses libFuzzer's messages.
    fn read(log: &str) -> FuzzResult {
        let number = |line: &str, word: &str| {
            let rest = line.split_once(word)?.1.trim_start();
            rest.split(|c: char| !c.is_ascii_digit())
                .next()?
                .parse()
                .ok()
        };
        let mut done = FuzzResult::default();
        for line in log.lines() {
            done.edges = number(line, " cov:").unwrap_or(done.edges);
            let executions = number(line, "stat::number_of_executed_units:");
            done.executions = executions.unwrap_or(done.executions);
            if let Some((_, path)) = line.split_once("Test unit written to ") {
                done.finding = Some(path.trim().to_owned());
            }
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libfuzzer_messages_are_parsed() {
        let log = "#2\tINITED cov: 95 ft: 96 corp: 1/4b exec/s: 0\n\
            #70\tNEW    cov: 2697 ft: 9999 corp: 3/9b\n\
            stat::number_of_executed_units: 300000\n";
        let (executions, edges, finding) = (300_000, 2697, None);
        assert_eq!(
            FuzzResult::read(log),
            FuzzResult {
                executions,
                edges,
                finding
            }
        );
        let done = FuzzResult::read("Test unit written to a/decode-crash-1 \n");
        assert_eq!(done.finding.as_deref(), Some("a/decode-crash-1"));
    }

    #[test]
    fn arguments_select_targets_and_formats() {
        let words = |line: &str| {
            let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            FuzzOptions::parse(&words)
        };
        let all = words("--seconds 3").unwrap();
        assert!(all.seconds == 3 && all.wants("decode", "pgn"));
        let some = words("decode pgn si4 skip --runs 5").unwrap();
        assert_eq!(some.runs, Some(5));
        assert!(some.wants("skip", "si4") && !some.wants("probe", "si4"));
        assert!(!some.wants("skip", "cbf"));
        assert!(words("--seconds").is_err() && words("--second 1").is_err());
    }
}
