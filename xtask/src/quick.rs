//! The command `quick`: the checks of one crate and of the crates that depend on it directly.

use std::{process::Command, time::Instant};

use anyhow::{Context as _, bail};
use cargo_metadata::{Metadata, Package};

use crate::{
    Outcome,
    cmd::{self, cargo},
    tidy::layers,
};

/// Modules of tests in dependents that take minutes: they damage the databases of every format, or
/// need all examples.
const SLOW: &[&str] = &["corrupt::", "examples::", "salvage::"];

/// Checks the format of a crate, runs clippy for it, and the tests for it and its direct dependents.
/// The cost must stay low, so that it can follow every change: doc tests, features that are not
/// default and all other crates are left to `ci`. A change can break a dependent, which its tests
/// show, but rarely makes clippy complain there.
pub(crate) fn quick(args: &[String]) -> Outcome {
    let [word] = args else {
        bail!("name one crate, as in `cargo xtask quick chessdb-cbf`");
    };
    let begin = Instant::now();
    let metadata = cmd::metadata()?;
    let (own, dependents) = selected(&metadata, word)?;

    cmd::run(cargo("fmt --check").args(names(&[own])))?;
    let mut clippy = cargo("clippy --locked --lib --bins --tests");
    cmd::run(clippy.args(names(&[own])).args(["--", "-D", "warnings"]))?;
    cmd::run(&mut tests(&[own]))?;
    if !dependents.is_empty() {
        let mut tests = tests(&dependents);
        tests.arg("--");
        cmd::run(tests.args(SLOW.iter().flat_map(|name| ["--skip", name])))?;
    }

    let seconds = begin.elapsed().as_secs_f64();
    let list: Vec<&str> = names(&dependents).filter(|word| *word != "-p").collect();
    println!(
        "\nquick: {} and dependents ({}) in {seconds:.0} s",
        own.name,
        list.join(", ")
    );
    println!(
        "not run: doc tests, benches, examples, features that are not default, other crates, \
         clippy of the dependents and their tests {}; `cargo xtask ci` runs them",
        SLOW.join(", ")
    );
    Ok(())
}

/// Returns the command that runs the tests of these packages.
fn tests(packages: &[&Package]) -> Command {
    let mut command = cargo("test --locked --bins --tests");
    // Cargo rejects `--lib` if no package has a library.
    let mut targets = packages.iter().flat_map(|package| &package.targets);
    command.args(targets.any(|target| target.is_lib()).then_some("--lib"));
    command.args(names(packages));
    command
}

/// Returns the arguments that select these packages.
fn names<'a>(packages: &'a [&Package]) -> impl Iterator<Item = &'a str> {
    packages
        .iter()
        .flat_map(|package| ["-p", package.name.as_str()])
}

/// Returns the crate with this name, which may lack `chessdb-`, and its direct dependents. The facade
/// counts as a dependent of a format, which it re-exports.
fn selected<'a>(metadata: &'a Metadata, word: &str) -> Outcome<(&'a Package, Vec<&'a Package>)> {
    let packages = || metadata.packages.iter();
    let own = packages()
        .find(|package| package.name == word)
        .or_else(|| packages().find(|package| package.name == format!("chessdb-{word}")))
        .with_context(|| format!("the workspace has no crate `{word}`"))?;
    let depends = |package: &&Package| {
        let mut needed = package.dependencies.iter();
        let is_facade = package.name == "chessdb" && layers::is_format(&own.name);
        is_facade || needed.any(|on| on.name == own.name.as_str())
    };
    Ok((own, packages().filter(depends).collect()))
}
