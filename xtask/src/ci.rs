//! The command `ci` and the commands it consists of.

use std::{collections::BTreeSet, env, process::Command, time::Instant};

use anyhow::{Context as _, anyhow, bail};
use cargo_metadata::{Metadata, Package};

use crate::{
    Outcome, book,
    cmd::{self, cargo},
    cross, fuzz, npm, python, readmes, tidy, tools, web,
};

pub(crate) type Step = (&'static str, fn() -> Outcome);

/// The steps in order: those that often fail and are fast come first. The tests of killed writers
/// and reference programs belong to chessdb-proof. All steps build with the profile `dev`, so that
/// nothing is compiled twice.
pub(crate) static STEPS: &[Step] = &[
    ("format", format),
    ("tidy", || tidy::tidy(&[])),
    ("book", book::built),
    ("deny", deny),
    ("typos", typos),
    ("workflows", workflows),
    ("clippy", clippy),
    ("features", || cross::features(&[])),
    ("cross", cross::quick),
    ("readmes", || readmes::readmes(&[])),
    ("docs", || doc(&[])),
    ("tests", same_tests),
    ("doc tests", doc_tests),
    ("python", python::tested),
    ("web", web::tested),
    ("npm", npm::tested),
    ("package", || package(&[])),
    ("fuzz", fuzz::quick),
];

/// Runs every step, stops at the first failure, and prints a table of steps and seconds. Missing
/// programs are an error before the first step; with `--available` their steps are left out.
pub(crate) fn ci(args: &[String]) -> Outcome {
    let available = match args {
        [] => false,
        [word] if word == "--available" => true,
        _ => bail!("only --available is known"),
    };
    let begin = Instant::now();
    let left_out = tools::missing_steps(available)?;
    let mut table = String::new();
    let mut outcome = Ok(());
    for (name, step) in STEPS {
        if left_out.contains(*name) {
            table += &format!("  {name:<10} not run: a program is missing\n");
            continue;
        }
        if outcome.is_err() {
            table += &format!("  {name:<10} not reached\n");
            continue;
        }
        println!("\n==> {name}");
        let start = Instant::now();
        outcome = step();
        let (seconds, word) = (start.elapsed().as_secs_f64(), verdict(&outcome));
        println!("<== {name}: {word} ({seconds:.1} s)");
        table += &format!("  {name:<10} {word:<6} {seconds:>7.1} s\n");
        outcome = outcome.with_context(|| format!("FAILED at step `{name}`"));
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("\nsummary\n{table}  {:<17} {seconds:>7.1} s", "all");
    if env::var_os("CHESSDB_TESTDATA").is_none() {
        println!("  CHESSDB_TESTDATA is not set: the tests over outside databases did not run");
    }
    outcome
}

fn verdict(outcome: &Outcome) -> &'static str {
    if outcome.is_ok() { "ok" } else { "FAILED" }
}

/// Runs the format check and clippy.
pub(crate) fn check(_: &[String]) -> Outcome {
    format()?;
    clippy()
}

fn format() -> Outcome {
    cmd::run(&mut cargo("fmt --all --check"))
}

fn clippy() -> Outcome {
    let line = "clippy --workspace --all-targets --locked -- -D warnings";
    cmd::run(&mut cargo(line))
}

/// Checks licences, sources and versions of the dependencies by deny.toml. Advisories are left to
/// the workflow: they change without a change here.
fn deny() -> Outcome {
    let args = "--all-features --locked check --hide-inclusion-graph bans licenses sources";
    if_installed("cargo-deny", args)
}

/// Checks the spelling of all texts by typos.toml.
fn typos() -> Outcome {
    if_installed("typos", "")
}

/// Checks the workflows of .github with actionlint, and with ShellCheck, if it is installed, the scripts
/// in them.
fn workflows() -> Outcome {
    if_installed("actionlint", "")
}

/// Runs a program that a contributor need not have: compiling both takes longer than most steps. The
/// workflow always runs them.
fn if_installed(program: &str, args: &str) -> Outcome {
    if Command::new(program).arg("--version").output().is_err() {
        println!("{program} is not installed, so this step did not run");
        return Ok(());
    }
    let mut command = Command::new(program);
    command.args(args.split_ascii_whitespace());
    cmd::run(command.current_dir(cmd::root()))
}

/// The arguments of the tests. Benches are left out. Cargo runs the slow tests of one program in
/// parallel; nextest, where it is used, also the tests of different programs.
pub(crate) const TESTS: &str = "test --workspace --locked --lib --bins --tests";

/// Tests run the examples as programs, but cargo does not build examples for a selection of tests.
const EXAMPLES: &str = "build --workspace --locked --examples";

/// Runs all tests and doc tests, or only the tests that the arguments select.
pub(crate) fn test(args: &[String]) -> Outcome {
    cmd::run(&mut cargo(EXAMPLES))?;
    cmd::run(cargo(TESTS).args(args))?;
    if args.is_empty() { doc_tests() } else { Ok(()) }
}

/// Runs the tests with the same random numbers every time, so that a change that passed here passes
/// again. `cargo xtask test` and the weekly run with many cases look for new cases.
fn same_tests() -> Outcome {
    cmd::run(&mut cargo(EXAMPLES))?;
    let seed = env::var("PROPTEST_RNG_SEED").unwrap_or("1987".to_owned());
    cmd::run(cargo(TESTS).env("PROPTEST_RNG_SEED", seed))
}

fn doc_tests() -> Outcome {
    cmd::run(&mut cargo("test --doc --workspace --locked"))
}

/// Builds the documentation with warnings denied.
pub(crate) fn doc(_: &[String]) -> Outcome {
    let mut command = cargo("doc --workspace --no-deps --locked");
    cmd::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Measures the peak memory of the release program with decompression bombs and ordinary
/// conversions; Linux only. The tests measure the program of the profile `dev`.
pub(crate) fn memory(_: &[String]) -> Outcome {
    let line = "test --release --locked -p chessdb-cli --test memory -- --nocapture";
    cmd::run(&mut cargo(line))
}

/// Checks raw identity, rewriting and conversion for every database and every pair of formats. The
/// program that does this is chessdb-proof, which knows the formats.
pub(crate) fn roundtrip(args: &[String]) -> Outcome {
    let mut command = cargo("run --quiet --package chessdb-proof --locked --");
    // Paths are relative to the caller's folder, and `cargo run` keeps that.
    if let Ok(current_folder) = env::current_dir() {
        command.current_dir(current_folder);
    }
    cmd::run(command.args(args))
}

/// Runs the comparisons with reference programs: all, or the ones with `scid`, `pgn`, `jose`. A `spark`
/// cluster is used only if it is named. Comparisons with programs that are not installed are
/// skipped, unless `CHESSDB_PEERS` is `required`.
pub(crate) fn peers(args: &[String]) -> Outcome {
    if let Some((word, rest)) = args.split_first()
        && word == "spark"
    {
        return python::spark(rest);
    }
    let how = env::var("CHESSDB_PEERS").unwrap_or("installed".to_owned());
    let names = args.first().map_or("", String::as_str);
    let mut variables = vec![("CHESSDB_PEERS", how.as_str())];
    if let ("query", Some(games)) = (names, args.get(1)) {
        variables.push(("CHESSDB_SCANNED", games));
    }
    run_proof_tests(&format!("peers::{names}"), &variables)
}

/// Runs more kills than the tests do: 40 per format and case, or the number given as the argument.
pub(crate) fn kill(args: &[String]) -> Outcome {
    let kills = args.first().map_or("40", String::as_str);
    let formats = args.get(1..).unwrap_or_default().join(" ");
    let mut variables = vec![("CHESSDB_PEERS", "required"), ("CHESSDB_KILLS", kills)];
    if !formats.is_empty() {
        variables.push(("CHESSDB_KILL_FORMATS", &formats));
    }
    run_proof_tests("kill::", &variables)
}

/// Replays losses of power during changes in place, with 40 random subsets of lost writes after each
/// system call, or the number given as the argument; at least 100,000 states.
pub(crate) fn power(args: &[String]) -> Outcome {
    let subsets = args.first().map_or("40", String::as_str);
    let formats = args.get(1..).unwrap_or_default().join(" ");
    let mut variables = vec![("CHESSDB_PEERS", "required"), ("CHESSDB_POWER", subsets)];
    if !formats.is_empty() {
        variables.push(("CHESSDB_KILL_FORMATS", &formats));
    }
    run_proof_tests("power::", &variables)
}

/// Runs the tests of chessdb-proof that start the program, which is built first.
fn run_proof_tests(names: &str, variables: &[(&str, &str)]) -> Outcome {
    cmd::run(&mut cargo("build --locked -p chessdb-cli"))?;
    let line = format!("test --locked -p chessdb-proof --test all -- --nocapture {names}");
    cmd::run(cargo(&line).envs(variables.iter().copied()))
}

/// Measures the costs of conversions and of the reference programs in the same run; with `large`,
/// of databases with millions of games; with `search`, of searches. `identity` measures how well
/// duplicates and names are judged.
pub(crate) fn bench(args: &[String]) -> Outcome {
    let scripts = [
        ("identity", "identity.py"),
        ("large", "large.py"),
        ("search", "search.py"),
    ];
    if let [word, rest @ ..] = args
        && let Some((_, script)) = scripts.iter().find(|(other, _)| other == word)
    {
        if word == "search" {
            // With the program's features, so that files are memory-mapped in the example, too.
            cmd::run(&mut cargo(
                "build --release --locked -p chessdb-cli -p chessdb --example ask",
            ))?;
        }
        return with_release(script, ".", rest);
    }
    cmd::run(&mut cargo(
        "build --release --locked -p chessdb-pgn --example replay",
    ))?;
    with_release("bench.py", ".", args)
}

/// Compares the instruction counts of each format's conversions with the recorded ones.
pub(crate) fn instructions(args: &[String]) -> Outcome {
    with_release("instructions.py", "release/chessdb", args)
}

/// Builds the release program and runs a script of chessdb-proof with this part of the target
/// folder as the first argument.
fn with_release(script: &str, part: &str, args: &[String]) -> Outcome {
    cmd::run(&mut cargo("build --release --locked -p chessdb-cli"))?;
    let mut python = Command::new("python3");
    python.arg(cmd::root().join("crates/chessdb-proof/peers").join(script));
    python.arg(cmd::metadata()?.target_directory.join(part));
    cmd::run(python.args(args))
}

/// Packages every crate to be published, in dependency order, as the real `cargo publish` would.
/// With `--verify` it also builds the packages; that compiles everything again and finds sources
/// that reach outside their package. With `--alone` it packages each crate only with its
/// dependencies. With `--release` it first checks what only a release needs (RELEASING.md), and then
/// does the same as `--verify`.
pub(crate) fn package(args: &[String]) -> Outcome {
    let publish = || cargo("publish --dry-run --allow-dirty --locked");
    match args {
        [] => cmd::run(publish().args(["--workspace", "--no-verify"])),
        [word] if word == "--verify" => cmd::run(publish().arg("--workspace")),
        [word] if word == "--release" => {
            let metadata = cmd::metadata()?;
            let mut reasons: BTreeSet<String> = published(&metadata)
                .flat_map(tidy::published::unreleasable)
                .collect();
            reasons.extend(tidy::published::without_address()?);
            for reason in &reasons {
                println!("{reason}");
            }
            if !reasons.is_empty() {
                bail!("not ready for a release, for the reasons listed above");
            }
            web::web(&[])?;
            has_page()?;
            cmd::run(publish().arg("--workspace"))
        }
        [word] if word == "--alone" => {
            let metadata = cmd::metadata()?;
            for package in published(&metadata) {
                let mut command = publish();
                for name in with_dependencies(&metadata.packages, &package.name) {
                    command.args(["-p", name]);
                }
                cmd::run(&mut command)?;
            }
            Ok(())
        }
        _ => Err(anyhow!("only --verify, --alone and --release are known")),
    }
}

/// Checks that the package of the program contains the page of `chessdb view`, so that an installation
/// from a registry needs neither Node.js nor a compiler for the web.
pub(crate) fn has_page() -> Outcome {
    let mut list = cargo("package --list --allow-dirty --locked -p chessdb-cli");
    let output = list.output()?;
    let files = String::from_utf8_lossy(&output.stdout);
    if files.lines().any(|file| file == "page/view.html.gz") {
        Ok(())
    } else {
        Err(anyhow!("the package of chessdb-cli lacks the page"))
    }
}

/// Returns the crates to be published. `publish = false` is an empty list of registries; no list
/// means every registry.
pub(crate) fn published(metadata: &Metadata) -> impl Iterator<Item = &Package> {
    let packages = metadata.packages.iter();
    packages.filter(|package| package.publish.as_ref().is_none_or(|list| !list.is_empty()))
}

/// Returns this package and the workspace packages that it needs, not counting its tests.
fn with_dependencies<'a>(packages: &'a [Package], name: &'a str) -> Vec<&'a str> {
    let mut names = vec![name];
    let mut next = 0;
    // The list grows meanwhile, so the packages needed by those already added are added too.
    while let Some(name) = names.get(next) {
        let package = packages.iter().filter(|package| package.name == *name);
        let needed = package.flat_map(tidy::layers::needs);
        let own = needed.filter(|on| packages.iter().any(|package| package.name == *on));
        let new: Vec<&str> = own.filter(|on| !names.contains(on)).collect();
        names.extend(new);
        next += 1;
    }
    names
}

/// Runs the tests with `CHESSDB_BLESS=1`, which makes tests with golden files rewrite them instead
/// of comparing. The arguments are passed to `cargo test`, for example `-p chessdb-scid` to bless
/// one crate.
pub(crate) fn bless(args: &[String]) -> Outcome {
    let mut command = cargo("test --locked --tests");
    command
        .args(args.is_empty().then_some("--workspace"))
        .args(args);
    cmd::run(command.env("CHESSDB_BLESS", "1"))?;
    println!("golden files rewritten; `git diff` shows what changed");
    Ok(())
}
