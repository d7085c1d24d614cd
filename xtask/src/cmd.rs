//! Running other programs.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::Outcome;

/// The top folder of the repository. Cargo names the manifest folder when it runs the program;
/// the folder of the build is the fallback, for a program started by hand.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map(Path::to_path_buf).unwrap_or(here)
}

/// A cargo command in the top folder, with the cargo that started this program.
pub(crate) fn cargo<const N: usize>(args: [&str; N]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(args);
    command
}

/// Coverage instrumentation and Miri exist in nightly compilers only.
pub(crate) const NIGHTLY: &str = "nightly";

/// A command of the nightly toolchain, in the top folder.
pub(crate) fn nightly<const N: usize>(args: [&str; N]) -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["run", NIGHTLY])
        .args(args)
        .current_dir(root());
    // Set for the toolchain that runs this program.
    for name in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(name);
    }
    command
}

/// Prints and runs a command with this program's own output; anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let line = line_of(command);
    println!("$ {line}");
    let status = command
        .status()
        .map_err(|e| format!("`{line}` did not start: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{line}` failed ({status})"))
    }
}

/// Runs a command and returns what it wrote to its standard output. Its messages go through.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let line = line_of(command);
    let out = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("`{line}` did not start: {e}"))?;
    if out.status.success() {
        Ok(out.stdout)
    } else {
        Err(format!("`{line}` failed ({})", out.status))
    }
}

/// The command as one would type it, the program without its folder.
pub(crate) fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let mut line = name.to_string_lossy().into_owned();
    for arg in command.get_args() {
        line.push(' ');
        line.push_str(&arg.to_string_lossy());
    }
    line
}

/// Finds a program by name: the folders of PATH first, then `/usr/games` and `/usr/sbin`, where
/// Debian puts chess programs and servers and which are not on everybody's PATH.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/games", "/usr/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
