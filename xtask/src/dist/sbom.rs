//! The list of the libraries in the program, in the form of CycloneDX that security scanners read.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{TIME, write as write_file};
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
        Err(_) => Err(format!(
            "cargo-cyclonedx is not installed; `{INSTALL}` installs it"
        )),
    }
}

/// Writes the list of the crates that the program may contain. It has more than the licence texts:
/// the crates of macros, and optional ones that other members of the workspace enable.
pub(super) fn write(version: &str, target: &str, to: &Path) -> Outcome {
    let mut list = cargo("cyclonedx --format json --spec-version 1.5 --no-build-deps -q");
    list.args(["--target", target, "--override-filename", NAME]);
    let listed = cmd::run(list.env(TIME.0, TIME.1));
    let mut program = None;
    for package in cmd::metadata()?.packages {
        let folder = package
            .manifest_path
            .parent()
            .ok_or("a package without a folder")?;
        let path = folder.join(format!("{NAME}.json"));
        if package.name.as_str() == "chessdb-cli" {
            program = fs::read_to_string(&path).ok();
        }
        let _ = fs::remove_file(path);
    }
    listed?;
    let text = program.ok_or("cargo-cyclonedx wrote no list for chessdb-cli")?;
    // Crates of the workspace are named by their folder on this machine.
    let text = text.replace(&root().display().to_string(), "/chessdb");
    let name = format!("chessdb-{version}-{target}.cdx.json");
    write_file(&to.join(name), text.as_bytes())
}
