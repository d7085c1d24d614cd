//! `fuzz`: the fuzz targets of crates/chessdb/fuzz, one after the other (docs/fuzzing.md).

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use crate::{
    Outcome,
    cmd::{self, cargo, root},
    metadata::Metadata,
    setup,
};

/// Each target and the folder of seeds that it reads.
const TARGETS: &[(&str, &str)] = &[
    ("decode", "files"),
    ("skip", "files"),
    ("probe", "files"),
    ("roundtrip", "games"),
];

/// Seconds of each target for each format.
const SECONDS: u64 = 10;
/// The same within `ci`.
const SECONDS_OF_CI: u64 = 2;

/// A single input may take no longer and no more: seconds, MiB altogether, MiB at a time.
const TIMEOUT: u32 = 20;
const MEMORY: u32 = 1024;
const ALLOCATION: u32 = 64;

struct Wanted {
    seconds: u64,
    runs: Option<u64>,
    /// With the address sanitizer.
    asan: bool,
    /// Without tracing comparisons: more executions per second, less sense for magic numbers.
    fast: bool,
    /// Targets and formats; all where none is named.
    words: Vec<String>,
}

impl Wanted {
    fn parse(args: &[String]) -> Result<Wanted, String> {
        let mut wanted = Wanted {
            seconds: SECONDS,
            runs: None,
            asan: false,
            fast: false,
            words: Vec::new(),
        };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut number = || {
                let number = args.next().and_then(|word| word.parse().ok());
                number.ok_or(format!("{word} needs a number"))
            };
            match word.as_str() {
                "--seconds" => wanted.seconds = number()?,
                "--runs" => wanted.runs = Some(number()?),
                "--asan" => wanted.asan = true,
                "--fast" => wanted.fast = true,
                _ if word.starts_with('-') => return Err(format!("{word} is not known")),
                _ => wanted.words.push(word.clone()),
            }
        }
        Ok(wanted)
    }

    fn wants(&self, target: &str, format: &str) -> bool {
        let is_target = |word: &&String| TARGETS.iter().any(|(name, _)| name == word);
        let (targets, formats): (Vec<&String>, Vec<&String>) =
            self.words.iter().partition(is_target);
        let fits = |words: &[&String], name| words.is_empty() || words.iter().any(|w| *w == name);
        fits(&targets, target) && fits(&formats, format)
    }
}

/// `--seconds N` of each target for each format, or of those that are named; `--runs N` ends
/// earlier, `--asan` adds the address sanitizer, `--fast` leaves out the tracing of comparisons.
pub(crate) fn fuzz(args: &[String]) -> Outcome {
    let wanted = Wanted::parse(args)?;
    let missing = setup::missing_for_fuzzing();
    if let Some(first) = missing.first() {
        return Err(format!(
            "{first} is missing; `cargo xtask setup` installs it"
        ));
    }
    run(&wanted)
}

/// Within `ci`: three of the targets for a moment. Without cargo-fuzz it says so, unless everything is
/// required.
pub(crate) fn quick() -> Outcome {
    let missing = setup::missing_for_fuzzing();
    if !missing.is_empty() && env::var_os("CHESSDB_PEERS").is_none_or(|value| value != "required") {
        println!("not run: {} (`cargo xtask setup`)", missing.join(", "));
        return Ok(());
    }
    // `roundtrip` has not run for long enough to fail a change that did nothing wrong
    // (docs/fuzzing.md).
    let seconds = SECONDS_OF_CI.to_string();
    let words = ["--seconds", &seconds, "decode", "skip", "probe"];
    fuzz(&words.map(str::to_owned))
}

fn run(wanted: &Wanted) -> Outcome {
    let home = Metadata::of_workspace()?.target.join("fuzzing");
    let seeds = home.join("seeds");
    write_seeds(&seeds)?;
    let folder = build(&home, wanted)?;
    let mut all = 0;
    let mut findings = Vec::new();
    let mut jobs = 0;
    println!("\ntarget     format       seconds  executions      /s  edges");
    for (target, kind) in TARGETS {
        for format in names(&seeds.join(kind))? {
            if !wanted.wants(target, &format) {
                continue;
            }
            jobs += 1;
            let job = Job {
                target,
                format: &format,
                seeds: seeds.join(kind).join(&format),
                home: &home,
            };
            let start = Instant::now();
            let done = job.run(&folder.join(target), wanted)?;
            let seconds = start.elapsed().as_secs_f64();
            let rate = done.executions as f64 / seconds.max(0.001);
            println!(
                "{target:<10} {format:<12} {seconds:>7.1} {:>11} {rate:>7.0} {:>6}",
                done.executions, done.edges
            );
            all += done.executions;
            findings.extend(done.finding);
        }
    }
    println!("{all} executions, {} findings", findings.len());
    if jobs == 0 {
        return Err(format!("nothing is called {}", wanted.words.join(" ")));
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(format!(
        "findings; docs/fuzzing.md says what to do:\n{}",
        findings.join("\n")
    ))
}

/// The facade's test makes the seeds, and sees to it that they pass.
fn write_seeds(folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let mut test = cargo([
        "test", "--quiet", "-p", "chessdb", "--test", "fuzz", "--locked",
    ]);
    cmd::run(test.env("CHESSDB_FUZZ_SEEDS", folder))
}

/// Builds all targets and returns the folder in which they lie.
fn build(home: &Path, wanted: &Wanted) -> Result<PathBuf, String> {
    let sanitizer = if wanted.asan { "address" } else { "none" };
    // Other flags build everything anew, so each set of them has its folder.
    let target = home.join(format!(
        "{sanitizer}{}",
        if wanted.fast { "-fast" } else { "" }
    ));
    let mut command = cmd::nightly(["cargo", "fuzz", "build", "--fuzz-dir"]);
    command.arg(root().join("crates/chessdb/fuzz"));
    command
        .args(["--sanitizer", sanitizer, "--target-dir"])
        .arg(&target);
    command.args(wanted.fast.then_some("--no-trace-compares"));
    cmd::run(&mut command)?;
    // cargo-fuzz always names the machine it builds for.
    let triples = names(&target)?.into_iter();
    let mut folders = triples.map(|triple| target.join(triple).join("release"));
    folders
        .find(|folder| folder.join("decode").is_file())
        .ok_or_else(|| format!("no target was built in {}", target.display()))
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    let fault = |e| format!("{}: {e}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        names.push(
            entry
                .map_err(fault)?
                .file_name()
                .to_string_lossy()
                .into_owned(),
        );
    }
    names.sort();
    Ok(names)
}

struct Job<'a> {
    target: &'a str,
    format: &'a str,
    seeds: PathBuf,
    home: &'a Path,
}

/// What libFuzzer said.
#[derive(Debug, PartialEq, Eq)]
struct Done {
    executions: u64,
    edges: u64,
    finding: Option<String>,
}

impl Job<'_> {
    /// Runs a target. The corpus that it finds stays for the next time.
    fn run(&self, program: &Path, wanted: &Wanted) -> Result<Done, String> {
        let corpus = self.home.join("corpus").join(self.target).join(self.format);
        let found = self.home.join("findings").join(self.format);
        for folder in [&corpus, &found] {
            fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let mut command = Command::new(program);
        command.env("CHESSDB_FUZZ_FORMAT", self.format);
        command.arg(format!(
            "-artifact_prefix={}/{}-",
            found.display(),
            self.target
        ));
        command.arg(format!("-max_len={}", self.longest_seed()?));
        command.arg(format!("-max_total_time={}", wanted.seconds));
        command.args(wanted.runs.map(|runs| format!("-runs={runs}")));
        command.arg(format!("-timeout={TIMEOUT}"));
        command.arg(format!("-rss_limit_mb={MEMORY}"));
        command.arg(format!("-malloc_limit_mb={ALLOCATION}"));
        command.args(["-print_final_stats=1", "-close_fd_mask=1"]);
        command.arg(&corpus).arg(&self.seeds);
        let out = command
            .output()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let said = String::from_utf8_lossy(&out.stderr);
        let done = Done::read(&said);
        if out.status.success() == done.finding.is_none() {
            return Ok(done);
        }
        let tail: Vec<&str> = said.lines().rev().take(20).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        Err(format!(
            "{} {}: {}\n{}",
            self.target,
            self.format,
            out.status,
            tail.join("\n")
        ))
    }

    /// Inputs grow no longer than the longest seed, so that executions stay short.
    fn longest_seed(&self) -> Result<u64, String> {
        let fault = |e| format!("{}: {e}", self.seeds.display());
        let mut longest = 0;
        for entry in fs::read_dir(&self.seeds).map_err(fault)? {
            longest = longest.max(
                entry
                    .and_then(|entry| entry.metadata())
                    .map_err(fault)?
                    .len(),
            );
        }
        Ok(longest.max(256))
    }
}

impl Done {
    /// Reads libFuzzer's messages.
    fn read(said: &str) -> Done {
        let number = |line: &str, word: &str| {
            let rest = line.split_once(word)?.1.trim_start();
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            rest.get(..end)?.parse().ok()
        };
        let mut done = Done {
            executions: 0,
            edges: 0,
            finding: None,
        };
        for line in said.lines() {
            if let Some(edges) = number(line, " cov:") {
                done.edges = edges;
            }
            if let Some(executions) = number(line, "stat::number_of_executed_units:") {
                done.executions = executions;
            }
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
    fn messages_are_read() {
        let said = "#2\tINITED cov: 95 ft: 96 corp: 1/4b exec/s: 0\n\
            #70\tNEW    cov: 2697 ft: 9999 corp: 3/9b\n\
            stat::number_of_executed_units: 300000\n";
        let done = Done::read(said);
        assert_eq!(
            (done.executions, done.edges, done.finding),
            (300_000, 2697, None)
        );
        let done = Done::read("Test unit written to a/decode-crash-1 \n");
        assert_eq!(done.finding.as_deref(), Some("a/decode-crash-1"));
    }

    #[test]
    fn words_choose_targets_and_formats() {
        let words = |line: &str| {
            let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            Wanted::parse(&words)
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
