//! The command `book`: the documentation in docs/ as a book.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::bail;

use crate::{Outcome, cmd};

/// Installs mdBook. Its other features, a server that rebuilds the book, take longer to compile.
const INSTALL: &str = "cargo install mdbook --locked --no-default-features --features search";

/// Builds the book into the target folder. `cargo xtask tidy` checks its links.
pub(crate) fn book(_: &[String]) -> Outcome {
    build(cmd::metadata()?.target_directory.join("book").as_std_path())
}

/// Builds the book into this folder.
pub(crate) fn build(to: &Path) -> Outcome {
    if !is_installed() {
        bail!("mdbook is not installed; `{INSTALL}` installs it");
    }
    let mut build = Command::new("mdbook");
    build.arg("build").arg(cmd::root().join("docs"));
    cmd::run(build.arg("--dest-dir").arg(to))?;
    println!("the book: {}", to.join("index.html").display());
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
