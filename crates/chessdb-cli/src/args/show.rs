//! Arguments of `show`.

use std::path::PathBuf;

use super::{InputOptions, Jobs, PositionOptions};

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb show [OPTIONS] <DATABASE> [QUERY]",
    after_help = "\
On a terminal: arrow keys step through moves and variations, n and p through
games, / searches, f flips the board, ? shows all keys, q quits. Without a
terminal, or with --ply, the position is printed.

  chessdb show games.si4 -n 7
  chessdb show games.pgn Tal 'material:KRPKR'
  chessdb show games.si4 -n 7 --ply 20"
)]
pub(crate) struct Show {
    /// The database, then a query
    #[arg(required = true, value_name = "DATABASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// The game number, from 1
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) game: Option<u32>,
    /// Print the position after N plies [default without a terminal: the last]
    #[arg(long, value_name = "N")]
    pub(crate) ply: Option<u32>,
    /// Show the board from Black's side
    #[arg(long)]
    pub(crate) black: bool,
    /// Use letters instead of chess symbols
    #[arg(long)]
    pub(crate) ascii: bool,
    #[command(flatten)]
    pub(crate) position_options: PositionOptions,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}
