//! The command `quick`: the checks of one crate and of the crates that depend on it directly.

use std::time::Instant;

use cargo_metadata::{Metadata, Package};

use crate::{
    Outcome,
    cmd::{self, cargo},
};

/// Checks the format of a crate, and runs clippy and the tests for it and its direct dependents.
/// The cost must stay low, so that it can follow every change: doc tests, features that are not
/// default and all other crates are left to `ci`.
pub(crate) fn quick(args: &[String]) -> Outcome {
    let [word] = args else {
        return Err("name one crate, as in `cargo xtask quick chessdb-cbf`".to_owned());
    };
    let begin = Instant::now();
    let metadata = cmd::metadata()?;
    let packages = selected(&metadata, word)?;
    let names: Vec<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let named = || names.iter().flat_map(|name| ["-p", name]);

    cmd::run(cargo("fmt --check").args(named().take(2)))?;
    let clippy = "clippy --locked --lib --bins --tests";
    cmd::run(cargo(clippy).args(named()).args(["--", "-D", "warnings"]))?;
    // Cargo rejects `--lib` for packages without a library.
    let has_lib = packages
        .iter()
        .any(|package| package.targets.iter().any(|target| target.is_lib()));
    let mut tests = cargo("test --locked --bins --tests");
    tests.args(has_lib.then_some("--lib")).args(named());
    cmd::run(&mut tests)?;

    let seconds = begin.elapsed().as_secs_f64();
    println!("\nquick: {} in {seconds:.0} s", names.join(", "));
    println!("not run: doc tests, benches, examples, other features and crates (cargo xtask ci)");
    Ok(())
}

/// Returns the crate with this name, which may lack `chessdb-`, and then its direct dependents.
fn selected<'a>(metadata: &'a Metadata, word: &str) -> Result<Vec<&'a Package>, String> {
    let packages = || metadata.packages.iter();
    let own = packages()
        .find(|package| package.name == word)
        .or_else(|| packages().find(|package| package.name == format!("chessdb-{word}")))
        .ok_or_else(|| format!("the workspace has no crate `{word}`"))?;
    let depends = |package: &&Package| {
        package
            .dependencies
            .iter()
            .any(|on| on.name == own.name.as_str())
    };
    Ok([own]
        .into_iter()
        .chain(packages().filter(depends))
        .collect())
}
