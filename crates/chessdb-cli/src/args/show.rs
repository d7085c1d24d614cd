//! The arguments of `show`.

use std::path::PathBuf;

use super::{Asking, Jobs, Reading};

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb show [OPTIONS] <BASE> [QUERY]",
    after_help = "\
On a terminal: arrow keys step through moves and variations, n and p through games, / looks for others,
f turns the board, ? shows all keys, q ends. Through a pipe, or with --ply, the position is printed.

  chessdb show games.si4 -n 7
  chessdb show games.pgn Tal 'material:KRPKR'
  chessdb show games.si4 -n 7 --ply 20"
)]
pub(crate) struct Show {
    /// The database, then a query: only games that fit
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// The game, counted from 1
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) game: Option<u32>,
    /// Print the position after so many half-moves [default, through a pipe: the last one]
    #[arg(long, value_name = "N")]
    pub(crate) ply: Option<u32>,
    /// Show the board from Black's side
    #[arg(long)]
    pub(crate) black: bool,
    /// Letters instead of chess men
    #[arg(long)]
    pub(crate) ascii: bool,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}
