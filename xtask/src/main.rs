//! The project's own commands: `cargo xtask help` lists them.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it talks to a terminal"
)]

use std::process::ExitCode;

mod ci;
mod cmd;
mod cross;
mod fuzz;
mod growth;
mod languages;
mod python;
mod tidy;
mod web;

/// What a command returns: nothing, or the one line that says why it failed.
type Outcome = Result<(), String>;

/// Name, function and help line of a command.
type Entry = (&'static str, fn(&[String]) -> Outcome, &'static str);

#[rustfmt::skip]
static COMMANDS: &[Entry] = &[
    ("ci", ci::ci, "everything a change must pass, step by step with seconds"),
    ("check", ci::check, "format check, then clippy over all targets with warnings denied"),
    ("test", ci::test, "all tests and doc tests; with arguments the tests they choose"),
    ("doc", ci::doc, "the documentation of all crates, with warnings denied"),
    ("features", cross::features, "the facade with no feature, and with each one alone"),
    ("cross", cross::cross, "other machines, and each format crate alone: [wasm|alone|i686|s390x|qemu]"),
    ("tidy", tidy::tidy, "layer rules, fixture checksums, long files, and more"),
    ("package", ci::package, "packaging dry run; --verify builds what was packed, --alone crate by crate"),
    ("peers", ci::peers, "comparisons with reference programs: all, or [scid|pgn|jose|query [GAMES]]; [spark] only when named"),
    ("kill", ci::kill, "kill the program while it writes: [KILLS [FORMAT]...] per format and case"),
    ("fuzz", fuzz::fuzz, "fuzz targets: [--seconds N] [--runs N] [--asan] [--fast] [--brief] [NAME]..."),
    ("setup", cross::setup, "install what `cross` and `fuzz --asan` need: nightly, miri, targets"),
    ("memory", ci::memory, "peak memory of the release program, with bombs and ordinary bases"),
    ("roundtrip", ci::roundtrip, "the promises over all bases: [FORMAT] [--external DIR]; --help says more"),
    ("bench", ci::bench, "costs beside the reference programs: [ROUNDS] [GAMES] [WORD]...; large [TIMES] [FORMAT]...; search [ROUNDS] [TIMES]"),
    ("instructions", ci::instructions, "instructions of conversions against those counted before: [--write]"),
    ("growth", growth::growth, "time per file, member, output, name, game, ply, comment: [MOST] [WORD]..."),
    ("languages", languages::languages, "the core's table of languages from lists of names: [--check|--held-out] [FOLDER]"),
    ("bless", ci::bless, "run the tests so that golden files are rewritten"),
    ("web", web::web, "the page: builds it; `test` tries it in Chromium, `pictures` makes those of docs/page.md"),
    ("python", python::python, "the Python package: builds and tests it; [wheel] as pip installs it; [ARGUMENTS] of pytest"),
    ("help", help, "this list"),
];

fn help(_: &[String]) -> Outcome {
    println!("cargo xtask COMMAND [ARGUMENTS]\n");
    for (name, _, text) in COMMANDS {
        println!("  {name:<12} {text}");
    }
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match args.split_first() {
        Some((name, rest)) => (name.trim_start_matches('-'), rest),
        None => ("help", &args[..]),
    };
    let Some((name, run, _)) = COMMANDS.iter().find(|(known, _, _)| *known == name) else {
        eprintln!("xtask: no command `{name}`; `cargo xtask help` lists them");
        return ExitCode::from(2);
    };
    match run(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask {name}: {reason}");
            ExitCode::FAILURE
        }
    }
}
