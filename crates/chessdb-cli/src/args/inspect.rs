//! Arguments of the commands that read databases.

use std::path::PathBuf;
use std::str::FromStr;

use chessdb::query::stats::crosstable::{TableKind, TieBreak};
use chessdb::query::stats::groups::GroupKey;
use clap::ValueEnum;

use super::arrangement::columns;
use super::{Arrangement, ColumnChoice, ContentOptions, InputOptions, Jobs, ScanOptions};

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
The index is stored next to the database as NAME.chessdb-index and takes 80
bytes per game (88 for PGN). Position searches use it automatically; results are
the same. For PGN it also stores where each game starts, for show, ls and
cat -n. An outdated index is reported and not used.

The tree file NAME.chessdb-tree has the moves of frequent positions, for tree,
find fen:... --count and show.

After games were appended to PGN, si4 or si5, both files still cover the games
before them, and index adds only the new ones.

--parquet writes all mainline positions into one table instead, sorted by key,
for DuckDB and similar tools.

  chessdb index games.pgn && chessdb find games.pgn material:KRPKR
  chessdb index old/*.si4 --parquet positions.parquet")]
pub(crate) struct Index {
    /// The databases; a folder means all databases in it
    #[arg(required = true, value_name = "DATABASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Write a table of all positions to FILE instead
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
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "Example: chessdb info *.si4 twic.pgn.gz")]
pub(crate) struct Info {
    /// The databases; those in a folder or archive are listed one per line
    #[arg(value_name = "DATABASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb ls [OPTIONS] <DATABASE>... [QUERY]",
    after_long_help = "\
The exit code is 1 if no game matches. Query syntax: chessdb help query

  chessdb ls games.si4 player:Tal year:1957..1961 result:1-0
  chessdb ls games.si4 --sort -plies --limit 10 --columns game,white,black,plies",
    mut_arg("words", |words| {
        words.help("Databases, folders or archives, then a query such as player:Tal year:1957..1961")
    })
)]
pub(crate) struct Ls {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Columns, such as game,white,black,plies; help lists them
    #[arg(long, value_name = "NAME,...", value_parser = columns)]
    pub(crate) columns: Option<ColumnChoice>,
    #[command(flatten)]
    pub(crate) arrangement: Arrangement,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb find [OPTIONS] <DATABASE>... <QUERY>",
    after_long_help = "\
Each line is that of ls, followed by the ply at which the position first occurs
and its FEN. The exit code is 1 if no game matches.
Query syntax: chessdb help query

  chessdb find games.si4 \"material:KRPKR for:10\" elo:2500..
  chessdb find *.pgn \"line:1.e4 c5 2.Nf3\" -result:draw --count
  chessdb find games.cbf Tal --ids > ids && chessdb cat games.cbf -n @ids
  chessdb find games.si4 black:Tal line:1.d4 --sort -date --pgn"
)]
pub(crate) struct Find {
    /// Print the number of matching games
    #[arg(long)]
    pub(crate) count: bool,
    /// Print the game numbers
    #[arg(long, conflicts_with = "count")]
    pub(crate) ids: bool,
    /// Print the games as PGN
    #[arg(long, conflicts_with_all = ["count", "ids", "json"])]
    pub(crate) pgn: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print CSV
    #[arg(long, conflicts_with_all = ["count", "ids", "pgn", "json"])]
    pub(crate) csv: bool,
    /// Columns, such as game,white,black,plies; help lists them
    #[arg(long, value_name = "NAME,...", value_parser = columns, conflicts_with_all = ["count", "ids", "pgn"])]
    pub(crate) columns: Option<ColumnChoice>,
    #[command(flatten)]
    pub(crate) arrangement: Arrangement,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb tree [OPTIONS] <DATABASE>... [QUERY]",
    after_long_help = "\
A game counts if the position occurs in its mainline, by any move order. The
score is White's; rating and performance are those of the side to move; longest
is the number of plies that followed. Query syntax: chessdb help query

--parquet writes all positions of the tree file (chessdb index) into one table
instead, sorted by key, with a row for each move.

  chessdb tree games.si4 --line \"1.e4 c5\" minelo:2500 year:2000..
  chessdb index games.si4 && chessdb tree games.si4 --parquet tree.parquet"
)]
pub(crate) struct Tree {
    /// The position, with side to move [default: start position]
    #[arg(long)]
    pub(crate) fen: Option<String>,
    /// The position after these moves, from the start
    #[arg(long, value_name = "MOVES", conflicts_with = "fen")]
    pub(crate) line: Option<String>,
    /// Number of plies to show
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=40))]
    pub(crate) depth: u8,
    /// Show the moves of this opening book next to those of the games
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) book: Option<PathBuf>,
    /// Also count games of variants such as Crazyhouse and Atomic
    #[arg(long, hide_short_help = true)]
    pub(crate) variants: bool,
    /// Write all positions of the tree file as a table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "line", "depth", "variants"])]
    #[cfg_attr(not(feature = "parquet"), arg(hide = true))]
    pub(crate) parquet: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, requires = "parquet")]
    #[cfg_attr(not(feature = "parquet"), arg(hide = true))]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print CSV: a row for each move
    #[arg(long, conflicts_with_all = ["json", "parquet"])]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb stats [OPTIONS] <DATABASE>... [QUERY]",
    after_long_help = "\
--by groups by eco, ecoletter, opening, family, player, white, black, event,
site, annotator, year, month, day, decade, elo, moves, time (bullet, blitz,
rapid, classical, correspondence), time:fide, timecontrol, tag:NAME or
position:N (the position after N half-moves).
Query syntax: chessdb help query

  chessdb stats games.si4 --by opening player:Karpov
  chessdb stats games.si4 --player \"Carlsen, Magnus\" year:2019
  chessdb stats games.si4 event:Linares year:1993 --crosstable"
)]
pub(crate) struct Stats {
    /// Print the score for each value of KEY
    #[arg(long, value_name = "KEY", value_parser = GroupKey::from_str)]
    pub(crate) by: Option<GroupKey>,
    /// Report on a player: score by colour and opening
    #[arg(long, value_name = "NAME")]
    pub(crate) player: Option<String>,
    /// Print event tables (KIND: grid, rounds, pairs)
    #[arg(long, alias = "cross-table", value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_parser = table_kind, conflicts_with_all = ["by", "player"])]
    pub(crate) crosstable: Option<TableKindArg>,
    /// Rank equal players by direct, buchholz, buchholz-cut1, sonneborn-berger, progressive, wins
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        alias = "tiebreaks",
        requires = "crosstable",
        hide_short_help = true
    )]
    pub(crate) tie_breaks: Vec<TieBreak>,
    /// Show performances and rating changes in event tables [K: 10 from 2400, else 20]
    #[arg(long, value_name = "K", num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_parser = rating_factor, requires = "crosstable", hide_short_help = true)]
    pub(crate) ratings: Option<RatingFactor>,
    /// Print thinking times, also by player
    #[arg(long, conflicts_with_all = ["by", "player", "crosstable"])]
    pub(crate) clocks: bool,
    /// Print accuracy by evaluations, also by player
    #[arg(long, conflicts_with_all = ["by", "player", "crosstable"])]
    pub(crate) accuracy: bool,
    /// Number of values [default: 10, --by 20, --csv all]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<u32>,
    /// Write charts of results, years and ratings
    #[arg(long, value_name = "FILE", conflicts_with_all = ["by", "player", "crosstable", "clocks", "accuracy"])]
    pub(crate) svg: Option<PathBuf>,
    /// Write an HTML page with charts and numbers
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with_all = ["by", "player", "crosstable", "clocks", "accuracy"])]
    pub(crate) html: Option<PathBuf>,
    /// Replace existing files
    #[arg(long, hide_short_help = true)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print CSV
    #[arg(long, conflicts_with_all = ["json", "svg", "html"])]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}

/// The kind of a cross-table; `None` is the one that fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableKindArg(pub(crate) Option<TableKind>);

/// The factor K of rating changes; `None` is the one that follows from the rating.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RatingFactor(pub(crate) Option<u32>);

fn rating_factor(text: &str) -> Result<RatingFactor, String> {
    let factor = text
        .parse()
        .ok()
        .filter(|factor| (1..=100).contains(factor));
    match factor {
        None if text != "auto" => Err("expected a factor from 1 to 100, such as 20".to_owned()),
        factor => Ok(RatingFactor(factor)),
    }
}

fn table_kind(text: &str) -> Result<TableKindArg, String> {
    match TableKind::from_name(text) {
        None if text != "auto" => Err("expected grid, rounds, pairs or auto".to_owned()),
        kind => Ok(TableKindArg(kind)),
    }
}

/// The output format of `cat`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CatFormat {
    /// PGN
    Pgn,
    /// One object per game: tags, and the moves as a tree
    Json,
    /// The mainline in coordinate notation: e2e4
    Uci,
    /// The mainline in long algebraic notation: Ng1-f3
    Lan,
    /// Every mainline position as EPD, with the move played
    Epd,
    /// Every mainline position as FEN
    Fen,
    /// A line of comma-separated values per game
    Csv,
    /// A JSON object per line and game
    Ndjson,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb cat [OPTIONS] <DATABASE>... [GAMES | QUERY]",
    after_long_help = "\
Query syntax: chessdb help query

  chessdb cat games.si4 1,5-9 | less
  chessdb cat games.si4 player:Carlsen eco:B90-B99 -CVN7 -w 0
  chessdb cat games.si4 --format uci --no-tags"
)]
pub(crate) struct Cat {
    /// Output format: pgn, json, uci, lan, epd, fen, csv or ndjson
    #[arg(long, value_enum, default_value = "pgn", hide_possible_values = true)]
    pub(crate) format: CatFormat,
    #[command(flatten)]
    pub(crate) content_options: ContentOptions,
    /// Omit the tags before the moves (uci, lan)
    #[arg(long)]
    pub(crate) no_tags: bool,
    /// Same as --format json
    #[arg(long)]
    pub(crate) json: bool,
    /// Print ChessBase guiding texts as Markdown
    #[arg(long, conflicts_with = "games")]
    pub(crate) texts: bool,
    /// Columns of csv and ndjson; help lists them
    #[arg(long, value_name = "NAME,...")]
    pub(crate) columns: Option<String>,
    #[command(flatten)]
    pub(crate) arrangement: Arrangement,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}
