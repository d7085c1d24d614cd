//! Arguments of the commands that look into databases.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Choice, Jobs, Reading, Shaping};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
The index lies beside the database, as NAME.chessdb-index, 80 bytes for each game, of PGN 88. Commands that
look for positions use it by themselves, and find the same as without; of PGN it also says where each game
is, for show, ls and cat -n. When the database has changed, they say so and do without.

With --parquet all positions of the main lines go into one table, sorted by key, for DuckDB and others.

  chessdb index games.pgn && chessdb find games.pgn material:KRPKR
  chessdb index old/*.si4 --parquet positions.parquet")]
pub(crate) struct Index {
    /// The databases; a folder stands for all that lie in it
    #[arg(required = true, value_name = "BASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Write a table of all positions of these databases instead
    #[arg(long, value_name = "FILE")]
    #[cfg_attr(not(feature = "parquet"), arg(hide = true))]
    pub(crate) parquet: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, requires = "parquet")]
    #[cfg_attr(not(feature = "parquet"), arg(hide = true))]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Example: chessdb info *.si4 twic.pgn.gz")]
pub(crate) struct Info {
    /// The databases; of a folder or archive all that lie in it are listed, one per line
    #[arg(required = true, value_name = "BASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb ls [OPTIONS] <BASE>... [QUERY]",
    after_help = "\
The exit code is 1 if nothing fits. What QUERY can ask: chessdb help query.

Example: chessdb ls games.si4 player:Tal year:1957..1961 result:1-0"
)]
pub(crate) struct Ls {
    /// The databases; a folder or archive stands for all that lie in it. Then the query: only games
    /// that fit, such as player:Tal year:1957..1961
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Make damage an error: exit code 3
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb find [OPTIONS] <BASE>... <QUERY>",
    after_help = "\
Each line is that of ls, then after how many half-moves the position stands that was looked for, and
its FEN. The exit code is 1 if nothing fits. What QUERY can ask: chessdb help query.

  chessdb find games.si4 'material:KRPKR for:10' elo:2500..
  chessdb find *.pgn 'line:1.e4 c5 2.Nf3' -result:draw --count
  chessdb find games.cbf Tal --ids > ids && chessdb cat games.cbf -n @ids"
)]
pub(crate) struct Find {
    /// The databases; a folder or archive stands for all that lie in it. Then the query
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Print how many games fit
    #[arg(long)]
    pub(crate) count: bool,
    /// Print the numbers of the games
    #[arg(long, conflicts_with = "count")]
    pub(crate) ids: bool,
    /// Print the games as PGN
    #[arg(long, conflicts_with_all = ["count", "ids", "json"])]
    pub(crate) pgn: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Make damage an error: exit code 3
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb tree [OPTIONS] <BASE>... [QUERY]",
    after_help = "\
Games count in which the position stood in the main line, by whatever order of moves. Score is what
White made; rating and performance are of the side that makes the move; longest is the number of
half-moves that followed. What QUERY can ask: chessdb help query.

Example: chessdb tree games.si4 --line '1.e4 c5' minelo:2500 year:2000.."
)]
pub(crate) struct Tree {
    /// The databases; a folder or archive stands for all that lie in it. Then the query: only games
    /// that fit
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// The position, with the side to move [default: the start]
    #[arg(long)]
    pub(crate) fen: Option<String>,
    /// The position after these moves from the start
    #[arg(long, value_name = "MOVES", conflicts_with = "fen")]
    pub(crate) line: Option<String>,
    /// Half-moves to show from there on
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=40))]
    pub(crate) depth: u8,
    /// Count games of variants too, such as Crazyhouse and Atomic
    #[arg(long)]
    pub(crate) variants: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Make damage an error: exit code 3
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb stats [OPTIONS] <BASE>... [QUERY]",
    after_help = "\
What QUERY can ask: chessdb help query.

Example: chessdb stats games.si4 player:Karpov --top 20"
)]
pub(crate) struct Stats {
    /// The databases; a folder or archive stands for all that lie in it. Then the query: only games
    /// that fit
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// How many openings, players and events to name
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) top: u16,
    /// Draw results, years, lengths and ratings into this file, and print nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write a page with the picture and the numbers to this file, and print nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Make damage an error: exit code 3
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// How `cat` prints games.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CatFormat {
    /// PGN
    Pgn,
    /// One object per game: tags, and the moves as a tree
    Json,
    /// The main line in coordinates: e2e4
    Uci,
    /// The main line in long algebraic notation: Ng1-f3
    Lan,
    /// Every position of the main line as EPD, with the move played
    Epd,
    /// Every position of the main line as FEN
    Fen,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb cat [OPTIONS] <BASE>... [QUERY]",
    after_help = "\
What QUERY can ask: chessdb help query.

  chessdb cat games.si4 -n 1,5-9 | less
  chessdb cat games.si4 player:Carlsen eco:B90-B99 -CVN7 -w 0
  chessdb cat games.si4 --format uci --no-tags"
)]
pub(crate) struct Cat {
    /// The databases; a folder or archive stands for all that lie in it. Then the query: only games
    /// that fit
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// How to print the games: pgn; json, with the moves as a tree; uci or lan, the main line in
    /// another notation; epd or fen, every position of it
    #[arg(long, value_enum, default_value = "pgn", hide_possible_values = true)]
    pub(crate) format: CatFormat,
    #[command(flatten)]
    pub(crate) shaping: Shaping,
    /// No tags before lines of moves
    #[arg(long)]
    pub(crate) no_tags: bool,
    /// The same as --format json
    #[arg(long)]
    pub(crate) json: bool,
    /// Print ChessBase's guiding texts instead, as Markdown
    #[arg(long, conflicts_with = "games")]
    pub(crate) texts: bool,
    /// Do not say on standard error what was odd or could not be shown
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Make damage an error: exit code 3
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}
