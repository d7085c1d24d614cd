//! `ci` and the commands it consists of.

use std::{env, process::Command, time::Instant};

use crate::{
    Outcome,
    cmd::{self, cargo},
    cross, features, fuzz,
    metadata::Metadata,
    peers::{self, lab},
    tidy,
};

type Step = (&'static str, fn() -> Outcome);

/// The order: what fails often and costs little comes first. All steps but the last three build with
/// the same profile and features, so that nothing is compiled twice.
static STEPS: &[Step] = &[
    ("format", format),
    ("tidy", || tidy::tidy(&[])),
    ("clippy", clippy),
    ("tests", same_tests),
    ("doc tests", doc_tests),
    ("docs", || doc(&[])),
    ("features", || features::features(&[])),
    ("cross", cross::quick),
    ("package", || package(&[])),
    ("fuzz", fuzz::quick),
    ("memory", || memory(&[])),
    #[cfg(unix)]
    ("kill", crate::kill::short),
    ("peers", reference_programs),
];

/// Where proptest looks for the seed of its random numbers.
const RANDOM_SEED: &str = "PROPTEST_RNG_SEED";

/// Runs every step, stops at the first failure, ends with a table of steps and seconds.
pub(crate) fn ci(_: &[String]) -> Outcome {
    let begin = Instant::now();
    let mut done = Vec::new();
    let mut failure = None;
    for (name, step) in STEPS {
        println!("\n==> {name}");
        let start = Instant::now();
        let outcome = step();
        let seconds = start.elapsed().as_secs_f64();
        println!("<== {name}: {} ({seconds:.1} s)", verdict(&outcome));
        done.push((*name, verdict(&outcome), seconds));
        if let Err(reason) = outcome {
            failure = Some(format!("FAILED at step `{name}`: {reason}"));
            break;
        }
    }
    println!("\nsummary");
    for (name, verdict, seconds) in &done {
        println!("  {name:<10} {verdict:<6} {seconds:>7.1} s");
    }
    for (name, _) in STEPS.iter().skip(done.len()) {
        println!("  {name:<10} not reached");
    }
    println!(
        "  {:<10} {:<6} {:>7.1} s",
        "all",
        "",
        begin.elapsed().as_secs_f64()
    );
    if env::var_os("CHESSDB_TESTDATA").is_none() {
        println!("  CHESSDB_TESTDATA is not set: the tests over outside databases did not run");
    }
    failure.map_or(Ok(()), Err)
}

fn verdict(outcome: &Outcome) -> &'static str {
    if outcome.is_ok() { "ok" } else { "FAILED" }
}

/// Format check and clippy.
pub(crate) fn check(_: &[String]) -> Outcome {
    format()?;
    clippy()
}

fn format() -> Outcome {
    cmd::run(&mut cargo(["fmt", "--all", "--check"]))
}

fn clippy() -> Outcome {
    let line = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    cmd::run(&mut cargo(line))
}

/// All tests and doc tests, or with arguments: only the tests that the arguments choose.
pub(crate) fn test(args: &[String]) -> Outcome {
    tests(args)?;
    if args.is_empty() { doc_tests() } else { Ok(()) }
}

fn tests(args: &[String]) -> Outcome {
    cmd::run(test_command().args(args))
}

/// The tests with the same random numbers in every run, so that a change that passed here passes
/// again: looking for new cases is what `cargo xtask test` does, and the weekly run with many cases.
fn same_tests() -> Outcome {
    let mut command = test_command();
    if env::var_os(RANDOM_SEED).is_none() {
        command.env(RANDOM_SEED, "1987");
    }
    cmd::run(&mut command)
}

/// nextest if it is installed, else `cargo test`; benches are left out by both.
fn test_command() -> Command {
    if cmd::find("cargo-nextest").is_some() {
        cargo(["nextest", "run", "--workspace", "--locked"])
    } else {
        println!("cargo-nextest is not installed: using cargo test");
        cargo([
            "test",
            "--workspace",
            "--locked",
            "--lib",
            "--bins",
            "--tests",
            "--examples",
        ])
    }
}

fn doc_tests() -> Outcome {
    cmd::run(&mut cargo(["test", "--doc", "--workspace", "--locked"]))
}

/// The documentation, warnings denied.
pub(crate) fn doc(_: &[String]) -> Outcome {
    let mut command = cargo(["doc", "--workspace", "--no-deps", "--locked"]);
    cmd::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Peak memory of the release program, with bombs and with ordinary conversions; Linux only.
pub(crate) fn memory(_: &[String]) -> Outcome {
    let program = lab::release_program()?;
    let line = ["test", "--locked", "-p", "chessdb-cli", "--test", "memory"];
    let mut command = cargo(line);
    command.args(["--", "--nocapture"]);
    cmd::run(command.env("CHESSDB_PROGRAM", program))
}

/// Raw identity, rewriting and conversion of every base and every pair of formats; the program that
/// does it is chessdb-proof, which knows the formats.
pub(crate) fn roundtrip(args: &[String]) -> Outcome {
    let line = [
        "run",
        "--quiet",
        "--package",
        "chessdb-proof",
        "--locked",
        "--",
    ];
    // Folders are meant from where the command was typed, and `cargo run` keeps that.
    let mut command = cargo(line);
    if let Ok(here) = env::current_dir() {
        command.current_dir(here);
    }
    cmd::run(command.args(args))
}

/// The last step: it needs the release program, too.
fn reference_programs() -> Outcome {
    if peers::wanted() {
        return peers::peers(&[]);
    }
    println!("no reference program is installed: nothing to compare with");
    Ok(())
}

/// Packs every crate that is to be published, in dependency order, as the real `cargo publish`
/// would. With `--verify` it also builds what was packed; that compiles everything once more and
/// finds sources that reach outside their package. With `--alone` it publishes each crate by itself,
/// only what it depends on beside it.
pub(crate) fn package(args: &[String]) -> Outcome {
    let publish = || cargo(["publish", "--dry-run", "--allow-dirty", "--locked"]);
    match args {
        [] => cmd::run(publish().args(["--workspace", "--no-verify"])),
        [word] if word == "--verify" => cmd::run(publish().arg("--workspace")),
        [word] if word == "--alone" => {
            let metadata = Metadata::of_workspace()?;
            for package in metadata.packages.iter().filter(|package| package.published) {
                let mut command = publish();
                for name in metadata.with_dependencies(&package.name) {
                    command.args(["-p", name]);
                }
                cmd::run(&mut command)?;
            }
            Ok(())
        }
        _ => Err("only --verify and --alone are known".to_owned()),
    }
}

/// Runs the tests with `CHESSDB_BLESS=1`: those with golden files rewrite them instead of comparing
/// with them. Arguments go on to `cargo test`, such as `-p chessdb-scid` to bless one crate.
pub(crate) fn bless(args: &[String]) -> Outcome {
    let scope: &[&str] = if args.is_empty() {
        &["--workspace"]
    } else {
        &[]
    };
    let mut command = cargo(["test", "--locked", "--tests"]);
    cmd::run(command.args(scope).args(args).env("CHESSDB_BLESS", "1"))?;
    println!("golden files rewritten; `git diff` shows what changed");
    Ok(())
}
