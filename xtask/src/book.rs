//! The command `book`: the documentation in docs/ as a book.

use std::{
    env,
    process::{Command, Stdio},
};

use crate::{Outcome, cmd};

/// Installs mdBook. Its other features, a server that rebuilds the book, take longer to compile.
const INSTALL: &str = "cargo install mdbook --locked --no-default-features --features search";

/// Builds the book into the target folder. `cargo xtask tidy` checks its links.
pub(crate) fn book(_: &[String]) -> Outcome {
    if !is_installed() {
        return Err(format!("mdbook is not installed; `{INSTALL}` installs it"));
    }
    let target = cmd::metadata()?.target_directory.join("book");
    let mut build = Command::new("mdbook");
    build.arg("build").arg(cmd::root().join("docs"));
    cmd::run(build.arg("--dest-dir").arg(&target))?;
    println!("the book: {}", target.join("index.html"));
    Ok(())
}

/// Builds the book for `ci`. A contributor need not have mdBook: it is required where
/// `CHESSDB_PEERS` requires the reference programs, as in `.ci/run`.
pub(crate) fn built() -> Outcome {
    if is_installed() || env::var("CHESSDB_PEERS").is_ok_and(|how| how == "required") {
        return book(&[]);
    }
    println!("mdbook is not installed, so the book was not built; `{INSTALL}` installs it");
    Ok(())
}

fn is_installed() -> bool {
    let mut version = Command::new("mdbook");
    let version = version.arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}
