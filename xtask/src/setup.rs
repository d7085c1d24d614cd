//! `setup`: what cargo and rustup have to install before `fuzz` and `cross` can run.

use std::process::{Command, Stdio};

use crate::{
    Outcome,
    cmd::{self, NIGHTLY, nightly},
    cross,
};

const COMPONENTS: &[&str] = &["miri", "rust-src"];
/// What the pinned compiler builds for beside this machine.
const TARGETS: &[&str] = &[
    "i686-unknown-linux-gnu",
    "s390x-unknown-linux-gnu",
    "wasm32-unknown-unknown",
];

/// What `fuzz` lacks, by name.
pub(crate) fn missing_for_fuzzing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    if !succeeds(&mut nightly(["rustc", "--version"])) {
        missing.push("the nightly toolchain");
    } else if !has_cargo_fuzz() {
        missing.push("cargo-fuzz");
    }
    missing
}

fn has_cargo_fuzz() -> bool {
    succeeds(&mut nightly(["cargo", "fuzz", "--version"]))
}

fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// Installs what is missing; what is there stays as it is.
pub(crate) fn setup(_: &[String]) -> Outcome {
    if !succeeds(Command::new("rustup").arg("--version")) {
        return Err("rustup is missing: https://rustup.rs".to_owned());
    }
    let rustup = |words: &[&str]| cmd::run(Command::new("rustup").args(words));
    if !succeeds(&mut nightly(["rustc", "--version"])) {
        rustup(&["toolchain", "install", NIGHTLY, "--profile", "minimal"])?;
    }
    // These do nothing where everything is there.
    rustup(&[&["component", "add", "--toolchain", NIGHTLY], COMPONENTS].concat())?;
    rustup(&[&["target", "add"], TARGETS].concat())?;
    if !has_cargo_fuzz() {
        let mut install = cmd::cargo(["install", "cargo-fuzz", "--locked"]);
        // Not into the folder of this project's own builds.
        cmd::run(install.env_remove("CARGO_TARGET_DIR"))?;
    }
    println!(
        "setup: nightly with {}, {}, cargo-fuzz",
        COMPONENTS.join(", "),
        TARGETS.join(", ")
    );
    for need in cross::missing_programs() {
        println!("`cross` needs more, which cargo cannot install: {need}");
    }
    Ok(())
}
