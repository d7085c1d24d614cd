//! The list of the libraries in a program or a module, in the form of CycloneDX that security scanners
//! read.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, anyhow};
use fs_err as fs;

use super::TIME;
use crate::Outcome;
use crate::cmd::{self, cargo, root};

/// Installs the program that makes the list; `.ci/tools` has the same line.
const INSTALL: &str = "cargo install --locked cargo-cyclonedx@0.5.9";

/// The file that cargo-cyclonedx writes next to each manifest of the workspace, without its suffix.
const NAME: &str = "libraries.cdx";

/// Checks for the program before anything is built.
pub(super) fn is_possible() -> Outcome {
    let mut program = Command::new("cargo-cyclonedx");
    match program.args(["cyclonedx", "--version"]).output() {
        Ok(_) => Ok(()),
        Err(_) => Err(anyhow!(
            "cargo-cyclonedx is not installed; `{INSTALL}` installs it"
        )),
    }
}

/// Writes the list of the crates that the program or module of a package may contain. It has more than
/// the licence texts: the crates of macros, and optional ones that other members of the workspace
/// enable.
pub(super) fn write(package: &str, target: &str, file: &Path) -> Outcome {
    let mut list = cargo("cyclonedx --format json --spec-version 1.5 --no-build-deps -q");
    list.args(["--target", target, "--override-filename", NAME]);
    let listed = cmd::run(list.env(TIME.0, TIME.1));
    let mut text = None;
    for member in cmd::metadata()?.packages {
        let folder = member
            .manifest_path
            .parent()
            .context("a package without a folder")?;
        let path = folder.join(format!("{NAME}.json"));
        if member.name.as_str() == package {
            text = fs::read_to_string(&path).ok();
        }
        let _ = fs::remove_file(path);
    }
    listed?;
    let text = text.with_context(|| format!("cargo-cyclonedx wrote no list for {package}"))?;
    // Crates of the workspace are named by their folder on this machine.
    let text = text.replace(&root().display().to_string(), "/chessdb");
    cmd::write(file, text)
}
