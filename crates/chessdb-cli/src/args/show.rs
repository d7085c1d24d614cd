//! Arguments of `show`.

use std::path::PathBuf;

#[cfg(feature = "show")]
use chessdb::Selection;

use super::{GameChoice, InputOptions, Jobs};

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb show [OPTIONS] <DATABASE> [GAMES | QUERY]",
    after_long_help = "\
On a terminal: arrow keys step through moves and variations, n and p through
games, / searches, f flips the board, ? shows all keys, q quits. Without a
terminal, or with --ply, the position is printed.

  chessdb show games.si4 7
  chessdb show games.pgn Tal \"material:KRPKR\"
  chessdb show games.si4 7 --ply 20",
    mut_arg("words", |words| words.help("The database, then game numbers or a query"))
)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) choice: GameChoice,
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
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[cfg(feature = "show")]
impl Show {
    /// Creates the arguments that show a database from its first game.
    pub(crate) fn new(path: PathBuf, input_options: InputOptions) -> Show {
        Show {
            choice: GameChoice {
                words: vec![path],
                games: Selection::all(),
                ..GameChoice::default()
            },
            ply: None,
            black: false,
            ascii: false,
            input_options,
            jobs: Jobs::default(),
        }
    }
}
