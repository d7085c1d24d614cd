//! The project's own commands: `cargo xtask help` lists them.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it talks to a terminal"
)]

use std::process::ExitCode;

mod about;
mod book;
mod ci;
mod cmd;
mod compress;
mod cross;
mod dist;
mod fuzz;
mod growth;
mod installed;
mod languages;
mod modules;
mod new_format;
mod npm;
mod public_types;
mod python;
mod quick;
mod readmes;
mod recipes;
mod site;
mod tidy;
mod tools;
mod web;
mod windows;

/// The result of a command or a part of one. The error is the reason of the failure, on one line.
type Outcome<T = ()> = anyhow::Result<T>;

/// The name, function and help line of a command.
type Entry = (&'static str, fn(&[String]) -> Outcome, &'static str);

#[rustfmt::skip]
static COMMANDS: &[Entry] = &[
    ("ci", ci::ci, "everything a change must pass, with the time of each step; --available leaves out steps that lack a program"),
    ("quick", quick::quick, "format, clippy and tests of CRATE and of the crates that depend on it directly"),
    ("check", ci::check, "format check, then clippy over all targets with warnings denied"),
    ("test", ci::test, "all tests and doc tests, or the tests that the arguments select"),
    ("doc", ci::doc, "the documentation of all crates, with warnings denied"),
    ("book", book::book, "the documentation in docs/ as a book, with mdBook"),
    ("site", site::site, "all documentation in one folder: book, Rust, Python, JavaScript, page; [--keep-page]"),
    ("features", cross::features, "the facade without features, and with each single feature"),
    ("readmes", readmes::readmes, "the programs in the READMEs, each with the dependency that its README lists"),
    ("cross", cross::cross, "other machines, and each format crate alone: [wasm|alone|i686|s390x|qemu]"),
    ("tidy", tidy::tidy, "layer rules, fixture checksums, long files, and more"),
    ("package", ci::package, "packaging dry run; --verify builds the packages, --alone crate by crate; --release"),
    ("dist", dist::dist, "the files of a release: [program] [library] [wheel] [sdist] [npm] [page] [--target TRIPLE] [--keep-page] [--program FILE] [--library FOLDER]"),
    ("installed", installed::installed, "install the files of target/dist in empty folders and use them: [PART OF A NAME]"),
    ("public-types", public_types::public_types, "no public item has a type of another package (style rule 11)"),
    ("peers", ci::peers, "comparisons with reference programs: all, or [scid|pgn|jose|query [GAMES]]; [spark] only if named"),
    ("power", ci::power, "replay losses of power: [SUBSETS [FORMAT]...] after each system call"),
    ("kill", ci::kill, "kill the program while it writes: [KILLS [FORMAT]...] per format and case"),
    ("fuzz", fuzz::fuzz, "fuzz targets: [--seconds N] [--runs N] [--asan] [--fast] [--brief] [NAME]..."),
    ("setup", cross::setup, "install what `cross` and `fuzz --asan` need: nightly, miri, targets"),
    ("memory", ci::memory, "peak memory of the release program, with decompression bombs and ordinary databases"),
    ("roundtrip", ci::roundtrip, "round-trip guarantees on all databases: [FORMAT] [--external DIR]; see --help"),
    ("bench", ci::bench, "costs compared with the reference programs: [ROUNDS] [GAMES] [WORD]...; large [TIMES] [FORMAT]...; search [ROUNDS] [TIMES]; identity [--seed N] [--pairs N] [--names FILE]"),
    ("instructions", ci::instructions, "instruction counts of conversions compared with the recorded ones: [--write]"),
    ("growth", growth::growth, "time per file, member, output, name, game, ply, comment: [MOST] [WORD]..."),
    ("languages", languages::languages, "the core's table of languages from lists of names: [--check|--held-out] [FOLDER]"),
    ("new-format", new_format::new_format, "a crate for a new format, with its entries in all lists: ID NAME"),
    ("bless", ci::bless, "run the tests and rewrite their golden files"),
    ("web", web::web, "build the page; `test` tests it in Chromium and Firefox, `webkit` in WebKitGTK, `pictures` makes the screenshots of docs/page.md"),
    ("npm", npm::npm, "build, pack and test the package for JavaScript; `page` takes the modules of the last build of the page"),
    ("recipes", recipes::recipes, "recipes for package managers with version and checksums: [SHA256SUMS]"),
    ("tag", recipes::tag, "compare the tag of a release with the version"),
    ("windows", windows::windows, "for Windows, under wine, on Debian: `build` with short tests, or `test` [TEST]...; [--keep-page]"),
    ("python", python::python, "build and test the Python package; [wheel] as pip installs it; [ARGUMENTS] of pytest"),
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
    let Some((name, run, _)) = COMMANDS.iter().find(|(other, _, _)| *other == name) else {
        eprintln!("xtask: no such command `{name}`; see `cargo xtask help`");
        return ExitCode::from(2);
    };
    match run(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask {name}: {reason:#}");
            ExitCode::FAILURE
        }
    }
}
