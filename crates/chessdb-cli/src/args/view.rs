//! The arguments of `view`.

use std::path::PathBuf;

use super::Reading;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
The page is served to this machine alone, at an address that nobody can guess, which is printed; nothing is
written. The program ends when the page is closed.

Example: chessdb view games.si4")]
pub(crate) struct View {
    /// The databases; a folder or archive stands for all that lie in it
    #[arg(required = true, value_name = "BASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Only print the address
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Serve this page instead of the program's own
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}
