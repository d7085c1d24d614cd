//! Helpers for running other programs.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, anyhow};
use cargo_metadata::{Metadata, MetadataCommand};
use fs_err as fs;
use walkdir::WalkDir;

use crate::Outcome;

/// Returns the top folder of the repository. Cargo passes the manifest's folder when it runs the
/// program.
pub(crate) fn root() -> PathBuf {
    let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&folder).parent().unwrap_or(Path::new("")).into()
}

/// Returns the packages of the workspace and the target folder.
pub(crate) fn metadata() -> Outcome<Metadata> {
    let mut command = MetadataCommand::new();
    command.current_dir(root()).no_deps();
    Ok(command.exec()?)
}

/// Returns the version of a package of the workspace.
pub(crate) fn version_of(name: &str) -> Outcome<String> {
    let packages = metadata()?.packages;
    let package = packages.iter().find(|package| package.name == name);
    let package = package.with_context(|| format!("the workspace has no {name}"))?;
    Ok(package.version.to_string())
}

/// Returns the address of the public repository; empty until it is known.
pub(crate) fn repository() -> Outcome<String> {
    let packages = metadata()?.packages;
    let addresses = packages
        .into_iter()
        .filter_map(|package| package.repository);
    Ok(addresses.into_iter().next().unwrap_or_default())
}

/// Returns the files in a folder and the folders within it, sorted: folders have no order, and results
/// must not differ between machines.
pub(crate) fn files_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_dir() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// Copies a folder with all files in it. Files that are already there remain.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Outcome {
    for file in files_in(from)? {
        copy(&file, &to.join(file.strip_prefix(from)?))?;
    }
    Ok(())
}

/// Copies a file, and creates the folder that it is copied to.
pub(crate) fn copy(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::copy(from, to)?;
    Ok(())
}

/// Writes a file, and creates the folder that it is in.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Outcome {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, content)?)
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a `cargo` command with these words, in the top folder. It uses the cargo that started
/// this program.
pub(crate) fn cargo(words: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(root())
        .args(words.split_ascii_whitespace());
    command
}

/// Sets compiler flags with which messages of panics name source files by their place in this repository
/// or in cargo's folder, not on this machine: two machines build the same bytes. `more` are further
/// flags. Folders may contain blanks, at which cargo would divide `RUSTFLAGS`.
pub(crate) fn set_flags(build: &mut Command, more: &[&str]) -> Outcome {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let home = home.context("there is no home folder")?;
    build.env(
        "CARGO_ENCODED_RUSTFLAGS",
        encoded_flags(&home, &root(), more),
    );
    Ok(())
}

fn encoded_flags(home: &Path, root: &Path, more: &[&str]) -> String {
    let mut flags = vec![
        format!("--remap-path-prefix={}=cargo", home.display()),
        format!("--remap-path-prefix={}=chessdb", root.display()),
    ];
    flags.extend(more.iter().map(|&flag| flag.to_owned()));
    flags.join("\u{1f}")
}

/// Like [`cargo`], with the nightly toolchain, which Miri and sanitizers require.
pub(crate) fn nightly(words: &str) -> Command {
    let mut command = Command::new("rustup");
    let words = words.split_ascii_whitespace();
    command.args(["run", "nightly", "cargo"]).args(words);
    command.current_dir(root());
    // These are set for the toolchain that runs this program.
    for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(name);
    }
    command
}

/// Returns an `npm` command. On Windows it is a script, which is not found without its suffix.
pub(crate) fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Prints and runs a command with inherited output. Anything except success is an error.
pub(crate) fn run(command: &mut Command) -> Outcome {
    println!("$ {command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(anyhow!("{command:?} failed ({status})")),
        Err(error) => Err(anyhow!("{command:?} did not start: {error}")),
    }
}

/// Runs a command and returns its standard output. Its standard error is inherited.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let out = command.stdin(Stdio::null()).stderr(Stdio::inherit());
    match out.output() {
        Ok(out) if out.status.success() => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        Ok(out) => Err(anyhow!("{command:?} failed ({})", out.status)),
        Err(error) => Err(anyhow!("{command:?} did not start: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_folders_do_not_divide_flags() {
        let flags = encoded_flags(Path::new("/a b/.cargo"), Path::new("/c d"), &["-Cx=y z"]);
        let flags: Vec<&str> = flags.split('\u{1f}').collect();
        assert_eq!(
            flags,
            [
                "--remap-path-prefix=/a b/.cargo=cargo",
                "--remap-path-prefix=/c d=chessdb",
                "-Cx=y z"
            ]
        );
    }
}
