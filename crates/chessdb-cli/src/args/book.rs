//! Arguments of `book`.

use std::path::PathBuf;

use clap::Subcommand;

use super::ScanOptions;

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
BOOK is a .ctg file of ChessBase (its .cto and .ctb next to it are used), a
Polyglot .bin or an Arena .abk. Weights of one position can be compared.

  chessdb book info book.ctg
  chessdb book ls book.bin --line \"1.e4 c5\"
  chessdb book show book.abk --depth 6
  chessdb book convert book.ctg book.bin
  chessdb book make games.si4 mine.bin elo:2500.. --min-games 3 --max-ply 40")]
pub(crate) struct Book {
    #[command(subcommand)]
    pub(crate) command: BookCommand,
}

/// The commands about books.
#[derive(Subcommand, Debug)]
pub(crate) enum BookCommand {
    /// Show format, positions, moves and health of opening books
    Info(BookInfo),
    /// List the moves of a position
    Ls(BookLs),
    /// Show the lines of a book as a tree
    Show(BookShow),
    /// Convert a book to Polyglot, or to games with variations
    Convert(BookConvert),
    /// Make a Polyglot book from the games of databases
    Make(BookMake),
    /// Join books into one Polyglot book
    Merge(BookMerge),
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Example: chessdb book info book.ctg")]
pub(crate) struct BookInfo {
    /// The books
    #[arg(required = true, value_name = "BOOK")]
    pub(crate) books: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A position of a book.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct BookPosition {
    /// The position [default: the start position]
    #[arg(long)]
    pub(crate) fen: Option<String>,
    /// The position after these moves from the start position
    #[arg(long, value_name = "MOVES", conflicts_with = "fen")]
    pub(crate) line: Option<String>,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
The score is that of the side to move. The exit code is 1 if the book lacks the
position.

Example: chessdb book ls book.bin --line \"1.e4 c5\"")]
pub(crate) struct BookLs {
    /// The book
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) position: BookPosition,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
The moves of a position are shown once. A + marks another line to it.

Example: chessdb book show book.abk --depth 6")]
pub(crate) struct BookShow {
    /// The book
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) position: BookPosition,
    /// Number of plies to show
    #[arg(long, value_name = "N", default_value = "4")]
    pub(crate) depth: u16,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
OUT is a Polyglot book if it ends in .bin, otherwise a database in the format of
its extension, with the lines as variations, and counts and marks as comments.

  chessdb book convert book.ctg book.bin
  chessdb book convert book.ctg lines.pgn --max-ply 30")]
pub(crate) struct BookConvert {
    /// The book
    pub(crate) book: PathBuf,
    /// The book or database to write
    pub(crate) out: PathBuf,
    /// Leave out later moves (databases only)
    #[arg(long, value_name = "N")]
    pub(crate) max_ply: Option<u32>,
    /// Refuse any loss (exit code 1)
    #[arg(long)]
    pub(crate) strict: bool,
    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb book make [OPTIONS] <DATABASE>... <OUT.bin> [QUERY]",
    after_help = "\
The weight of a move is two for each win and one for each draw of the side that
plays it. Moves without a point are left out. --weighted multiplies the points
of a game by a factor for the rating of that side (1 up to 1600, 10 from 2500)
and by one for the year, which doubles every ten years from 1980. --uniform is
for a repertoire: every move of mainlines and variations has weight 1, also in
games without a result. Query syntax: chessdb help query

  chessdb book make games.si4 mine.bin player:Tal --min-games 2
  chessdb book make twic/ twic.bin elo:2500.. --since 2020 --min-score 45
  chessdb book make repertoire.pgn mine.bin --uniform --white",
    mut_arg("words", |words| {
        let words = words.required(true).value_name("DATABASE|OUT.bin|QUERY");
        words.help("Databases, folders or archives, then the book to write, then a query")
    })
)]
pub(crate) struct BookMake {
    /// Leave out moves with fewer games
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) min_games: u32,
    /// Leave out moves with a lower score, in per cent
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    pub(crate) min_score: f64,
    /// Leave out moves with a lower share of their position, in per cent
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    pub(crate) min_share: f64,
    /// Count only this number of plies of each game
    #[arg(long, value_name = "N", default_value = "60")]
    pub(crate) max_ply: u32,
    /// Only moves of White
    #[arg(long, conflicts_with = "black")]
    pub(crate) white: bool,
    /// Only moves of Black
    #[arg(long)]
    pub(crate) black: bool,
    /// The same weight for all moves, with variations and games without result
    #[arg(long, conflicts_with = "weighted")]
    pub(crate) uniform: bool,
    /// Weigh points by the rating of the player and by the year
    #[arg(long)]
    pub(crate) weighted: bool,
    /// Only the games from this year on
    #[arg(long, value_name = "YEAR")]
    pub(crate) since: Option<u16>,
    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb book merge [OPTIONS] <BOOK>... <OUT.bin>",
    after_help = "\
The weights of a move are added. If a sum needs more than 16 bits, the weights
of its position are scaled. Other formats are converted as `book convert` does.

Example: chessdb book merge white.bin black.bin both.bin"
)]
pub(crate) struct BookMerge {
    /// The books, then the book to write
    #[arg(required = true, num_args = 2.., value_name = "BOOK|OUT.bin")]
    pub(crate) books: Vec<PathBuf>,
    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse();
    let number: Option<f64> = number.ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 100".to_owned())
}
