//! The arguments of commands that write databases.

use std::path::PathBuf;

#[cfg(feature = "parquet")]
use chessdb::convert::By;
use chessdb::convert::Strictness;
use chessdb::query::Order;
use chessdb::{Format, LossKind, OnError};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{Choice, Encoding, Jobs, Reading, Shaping, encoding, format};

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb convert [OPTIONS] <IN>... <OUT> [QUERY]",
    after_help = "\
The suffix of OUT decides the format, or -t. Several INs are joined in their order. If OUT is a
folder, every base of IN, folders searched through, becomes a base of its own there.

  chessdb convert old.si4 games.pgn player:Tal year:1957..1961
  chessdb convert twic*.pgn.gz all.si4
  chessdb convert my-bases/ as-pgn/ -t pgn"
)]
pub(crate) struct Convert {
    /// Databases to read, what to write, a query; - is standard input or output
    #[arg(required = true, value_name = "IN|OUT|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Write ChessBase's guiding texts into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) texts: Option<PathBuf>,
    /// Write tables into a folder, divided into folders: year, decade, eco or base
    // Not an option of `Writing`: others have a `--by` that means something else.
    #[arg(long, value_name = "WHAT", value_parser = by, hide = true)]
    #[cfg(feature = "parquet")]
    pub(crate) by: Option<By>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb sort [OPTIONS] <IN> <OUT> [QUERY] --by <KEY,...>",
    after_help = "\
Games that are equal keep their order; what is unknown comes last. OUT as in `convert`.

Example: chessdb sort games.si4 sorted.si4 --by -date,event,round"
)]
pub(crate) struct Sort {
    /// What to read, what to write, a query
    #[arg(required = true, value_name = "IN|OUT|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// date, year, eventdate, utcdate, time, utctime, endtime, event, site, round, white, black, eco,
    /// result, elo, plies; - in front turns the order round
    #[arg(long, value_name = "KEY,...", value_parser = order, allow_hyphen_values = true)]
    pub(crate) by: Order,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// [`chessdb::query::Sameness`] as an argument.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum SameArg {
    /// The same players, start and moves, and no evidence against it
    #[default]
    Moves,
    /// Also if one is the beginning of the other
    Prefix,
    /// Also if names are spelled otherwise and a few moves differ
    Similar,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb merge [OPTIONS] <IN>... <OUT> [QUERY]",
    after_help = "Example: chessdb merge mega.si4 twic*.pgn all.si4 --dedupe"
)]
pub(crate) struct Merge {
    /// What to read, what to write, a query
    #[arg(required = true, value_name = "IN|OUT|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Leave out games that are there already, as `dedupe --by` does
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "moves",
        value_name = "HOW",
        hide_possible_values = true
    )]
    pub(crate) dedupe: Option<SameArg>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb dedupe [OPTIONS] <IN>... <OUT> [QUERY]",
    after_help = "\
prefix: one may begin the other; similar: also names spelled otherwise, a few moves different.
Example: chessdb dedupe all.si4 once.si4 --by prefix --map gone.txt"
)]
pub(crate) struct Dedupe {
    /// What to read, what to write, a query
    #[arg(required = true, value_name = "IN|OUT|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// How alike games are: moves, prefix, similar
    #[arg(
        long,
        value_enum,
        default_value = "moves",
        value_name = "HOW",
        hide_possible_values = true
    )]
    pub(crate) by: SameArg,
    /// Only list what would go, and what stays for it
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write to this file which games go, and for which
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Put comments, NAGs and variations of what goes into what stays
    #[arg(long)]
    pub(crate) merge_annotations: bool,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// What `split` divides by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SplitBy {
    /// The ECO code.
    Eco,
    /// Each player; a game of two goes to both.
    Player,
    Event,
    Year,
    /// So many games in each.
    Count(u32),
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb split [OPTIONS] <IN>... [QUERY] --by <KEY> -o <FOLDER>",
    after_help = "\
The new bases are of the format of IN, or of -t. Games without the key go to `unknown`.

Example: chessdb split games.si4 --by year -o years/ -t pgn"
)]
pub(crate) struct Split {
    /// What to read, a query
    #[arg(required = true, value_name = "IN|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// eco, player, event, year, or a number: so many games in each
    #[arg(long, value_name = "KEY", value_parser = split_by)]
    pub(crate) by: SplitBy,
    /// The folder for the new bases
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb eco [OPTIONS] <IN>... <OUT> [QUERY]",
    after_help = "\
The code is that of the last position of the main line that has one, whatever the order of moves.

Example: chessdb eco old.cbf new.si4 --all --names"
)]
pub(crate) struct Eco {
    /// What to read, what to write, a query
    #[arg(required = true, value_name = "IN|OUT|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Also games that have a code
    #[arg(long)]
    pub(crate) all: bool,
    /// Also games of variants, such as Crazyhouse and Atomic
    #[arg(long)]
    pub(crate) variants: bool,
    /// Also write the name of the opening, as the tag Opening
    #[arg(long)]
    pub(crate) names: bool,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Which names.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NamesOf {
    Players,
    Events,
    Sites,
    Rounds,
    Annotators,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb names [OPTIONS] <IN>... [QUERY]\n       chessdb names --apply <FILE> <IN>... <OUT> [QUERY]",
    after_help = "Example: chessdb names all.si4 --suggest > mend.txt; chessdb names --apply mend.txt all.si4 new.si4"
)]
pub(crate) struct Names {
    /// What to read, a query; with --apply also what to write
    #[arg(required = true, value_name = "IN|OUT|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// players, events, sites, rounds or annotators
    #[arg(
        long,
        value_enum,
        default_value = "players",
        value_name = "KIND",
        hide_possible_values = true
    )]
    pub(crate) of: NamesOf,
    /// Print names that are perhaps others spelled otherwise, and those
    #[arg(long, conflicts_with = "apply")]
    pub(crate) suggest: bool,
    /// Print title, rating, birthday and so on of players; --players FILE writes them
    #[arg(long, conflicts_with_all = ["apply", "suggest"])]
    pub(crate) details: bool,
    /// Write these details to a CSV file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["apply", "suggest"], hide = true)]
    pub(crate) players: Option<PathBuf>,
    /// Rename by a list like that of --suggest, or by a spelling file of Scid
    #[arg(long, value_name = "FILE")]
    pub(crate) apply: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// How a new base is written, and what of the old ones.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Writing {
    /// Format to write [default: by OUT]; tables: --columns, --positions
    #[arg(short, long, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) to: Option<&'static Format>,
    /// Replace OUT if it exists; --append adds to it, --backup copies it
    #[arg(long)]
    pub(crate) force: bool,
    /// Put the games behind those that OUT has
    #[arg(long, conflicts_with = "force", hide = true)]
    pub(crate) append: bool,
    /// Copy an old OUT before, to NAME.bak.SUFFIX
    #[arg(long, hide = true)]
    pub(crate) backup: bool,
    /// Write nothing if anything is lost; =games: moves, comments, heads
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        value_name = "WHAT",
        hide_possible_values = true
    )]
    pub(crate) strict: Option<StrictArg>,
    /// Kinds of loss that --strict lets pass, such as nag,clock
    #[arg(
        long,
        value_name = "KIND,...",
        value_delimiter = ',',
        requires = "strict",
        hide_possible_values = true,
        value_parser = kinds()
    )]
    pub(crate) allow: Vec<LossKind>,
    /// What to do with a damaged game
    #[arg(
        long,
        value_enum,
        default_value = "keep",
        value_name = "HOW",
        hide_possible_values = true
    )]
    #[arg(help = "Damaged games: keep what there is, skip, or stop")]
    pub(crate) on_error: OnErrorArg,
    /// Charset to write, where the format takes any [default: auto]
    #[arg(long, value_name = "CHARSET", value_parser = encoding)]
    pub(crate) to_encoding: Option<Encoding>,
    /// Put letters that it lacks into Latin ones, not question marks
    #[arg(long)]
    pub(crate) ascii: bool,
    #[command(flatten)]
    pub(crate) shaping: Shaping,
    /// Columns of a table: all, headers, lichess, moves, or names
    #[arg(long, value_name = "NAME,...", hide = true)]
    #[cfg(feature = "tables")]
    pub(crate) columns: Option<String>,
    /// A table also has the keys of all positions of the main lines
    #[arg(long, hide = true)]
    #[cfg(feature = "tables")]
    pub(crate) positions: bool,
    /// How hard zstd packs a table, 1 to 22 [default: 3]
    #[arg(long, value_name = "LEVEL", hide = true)]
    #[cfg(feature = "parquet")]
    pub(crate) zstd: Option<u8>,
    /// Texts of comments in jose's tables: separate, or inline after their codes
    #[arg(long, value_name = "PLACE", value_parser = ["separate", "inline"], hide = true)]
    pub(crate) jose_texts: Option<String>,
    /// How tables are divided into folders: [`Convert::by`].
    #[arg(skip)]
    #[cfg(feature = "parquet")]
    pub(crate) by: Option<By>,
    /// Leave out games that are marked as deleted
    #[arg(long)]
    pub(crate) drop_deleted: bool,
    /// Write every loss and oddity to this file, as columns
    #[arg(long, value_name = "FILE")]
    pub(crate) loss_report: Option<PathBuf>,
    /// Print the summary as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// [`Strictness`] as an argument.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StrictArg {
    /// Any loss
    All,
    /// Losses of moves, comments and heads
    Games,
}

impl From<StrictArg> for Strictness {
    fn from(arg: StrictArg) -> Strictness {
        match arg {
            StrictArg::All => Strictness::Everything,
            StrictArg::Games => Strictness::Games,
        }
    }
}

/// Kinds of loss by their codes.
pub(super) fn kinds() -> impl TypedValueParser<Value = LossKind> {
    let codes = LossKind::ALL
        .iter()
        .map(|kind| PossibleValue::new(kind.code()).help(kind.text()));
    PossibleValuesParser::new(codes)
        .try_map(|code| LossKind::by_code(&code).ok_or("no kind of loss"))
}

/// [`OnError`] as an argument.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum OnErrorArg {
    /// Leave the game out
    Skip,
    /// Keep what could be read of it
    #[default]
    Keep,
    /// Write nothing at all
    Stop,
}

impl From<OnErrorArg> for OnError {
    fn from(arg: OnErrorArg) -> OnError {
        match arg {
            OnErrorArg::Skip => OnError::Skip,
            OnErrorArg::Keep => OnError::Keep,
            OnErrorArg::Stop => OnError::Stop,
        }
    }
}

fn order(text: &str) -> Result<Order, String> {
    text.parse()
        .map_err(|error: chessdb::query::QueryError| error.message().to_owned())
}

fn split_by(text: &str) -> Result<SplitBy, String> {
    Ok(match text {
        "eco" => SplitBy::Eco,
        "player" => SplitBy::Player,
        "event" => SplitBy::Event,
        "year" => SplitBy::Year,
        number => match number.parse() {
            Ok(number @ 1..) => SplitBy::Count(number),
            _ => return Err("eco, player, event, year or a number of games is meant".to_owned()),
        },
    })
}

/// By what tables are divided.
#[cfg(feature = "parquet")]
fn by(word: &str) -> Result<By, String> {
    By::by_name(word).ok_or_else(|| "one of year, decade, eco, base".to_owned())
}
