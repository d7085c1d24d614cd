//! Arguments of `view`.

use std::path::PathBuf;

use super::InputOptions;

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
The page is served to this machine only, at a secret address, which is printed.
A database is written only when you save in it there, and `chessdb undo` takes
that back. The program ends when the page is closed.

Example: chessdb view games.si4")]
pub(crate) struct View {
    /// The databases; a folder or archive means all databases in it
    #[arg(required = true, value_name = "DATABASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Only print the address; do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Serve this page instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// Let the page analyse with this UCI engine
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) engine: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
}
