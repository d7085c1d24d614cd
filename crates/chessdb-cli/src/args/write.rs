//! Arguments of the commands that write databases.

use std::path::PathBuf;
use std::str::FromStr;

#[cfg(feature = "parquet")]
use chessdb::convert::PartitionBy;
use chessdb::convert::{NameKind, Strictness};
use chessdb::query::duplicates::DuplicateRule;
use chessdb::query::order::Order;
use chessdb::{Format, LossKind, OnError, Selection};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::arrangement::order;
use super::in_place::tag_name;
use super::parse::one_of;
use super::{
    Arrangement, ContentOptions, Encoding, GameChoice, InputOptions, Jobs, PartOptions, encoding,
    format,
};
use crate::split_names::SplitKeys;

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb convert [OPTIONS] <IN>... <OUT> [QUERY]",
    after_long_help = "\
The extension of OUT or -t selects the format. Several INs are joined in order.
If OUT is a folder, every database of IN and its subfolders becomes one there.
TIES are tie-breaks, as of `stats --tie-breaks`.

  chessdb convert old.si4 games.pgn player:Tal year:1957..1961
  chessdb convert linares.pgn linares.html --bulletin
  chessdb convert my-bases/ as-pgn/ -t pgn",
    mut_arg("words", |words| {
        words.help("Databases to read, output, query; - is standard input or output")
    })
)]
#[cfg_attr(
    feature = "tables",
    command(mut_arg("words", |words| words.required(false).required_unless_present("columns")))
)]
pub(crate) struct Convert {
    /// Write ChessBase guiding texts to this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) texts: Option<PathBuf>,
    /// Write tables into subfolders by year, decade, eco or base
    // Not an option of `OutputOptions`, because other commands have a different `--by`.
    #[arg(long, value_name = "WHAT", value_parser = by, hide_short_help = true)]
    #[cfg(feature = "parquet")]
    pub(crate) by: Option<PartitionBy>,
    /// Set the result of games that end with mate or stalemate
    #[arg(long, aliases = ["fixresult", "fixresulttags"], hide_short_help = true)]
    pub(crate) fix_result: bool,
    /// Move values of servers' exports to the tags where they belong
    #[arg(long, alias = "clean", hide_short_help = true)]
    pub(crate) clean_headers: bool,
    /// Write a tournament bulletin: cross-table, rounds, games (html)
    #[arg(
        long,
        value_name = "TIES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub(crate) bulletin: Option<String>,
    #[command(flatten)]
    pub(crate) parts: PartOptions,
    #[command(flatten)]
    pub(crate) arrangement: Arrangement,
    #[command(flatten)]
    pub(crate) output_options: OutputOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb sort [OPTIONS] <IN> [OUT] [QUERY] --by <KEY,...>",
    after_long_help = "\
Equal games keep their order; unknown values come last. OUT is as in `convert`;
without OUT the database is sorted in place if nothing is lost.

Example: chessdb sort games.si4 sorted.si4 --by -date,event,round",
    mut_arg("words", |words| words.help("Database to read, output, query"))
)]
pub(crate) struct Sort {
    /// date, year, eventdate, utcdate, time, utctime, endtime, event, site, round, white, black,
    /// eco, result, elo, whiteelo, blackelo, elodiff, plies, annotator, timeclass, timecontrol,
    /// tag:NAME; prefix - for descending
    #[arg(long, value_name = "KEY,...", value_parser = order, allow_hyphen_values = true)]
    pub(crate) by: Option<Order>,
    #[command(flatten)]
    pub(crate) output_options: OutputOptions,
}

/// Returns a parser for the evidence that makes games copies of each other.
fn duplicate_rule() -> impl TypedValueParser<Value = DuplicateRule> {
    let value = |word: &'static str, alias, help| PossibleValue::new(word).alias(alias).help(help);
    let values = [
        value(
            "strict",
            "moves",
            "Same moves, and players spelled the same",
        ),
        value(
            "sure",
            "prefix",
            "No reasonable doubt: spellings, cut moves, slips",
        ),
        value(
            "likely",
            "similar",
            "Probably one game, although more differs",
        ),
    ];
    PossibleValuesParser::new(values).map(|word| match word.as_str() {
        "strict" | "moves" => DuplicateRule::Strict,
        "likely" | "similar" => DuplicateRule::Likely,
        _ => DuplicateRule::Sure,
    })
}

/// Which copy of a game stays in the database that is appended to.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum PreferArg {
    /// The finished, longer, more complete one, under the names of the database
    #[default]
    Better,
    /// The one in the database, unchanged
    Base,
    /// The new one
    New,
}

/// The options for duplicate games.
#[derive(clap::Args, Debug)]
pub(crate) struct DuplicateOptions {
    /// Write games left out and kept copies to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Copy to keep with --append: better, base, new
    #[arg(
        long,
        value_enum,
        default_value = "better",
        hide_default_value = true,
        requires = "append",
        value_name = "COPY",
        hide_possible_values = true
    )]
    pub(crate) prefer: PreferArg,
}

#[derive(clap::Args, Debug)]
#[command(
    group = clap::ArgGroup::new("compares").args(["dedupe", "only_new"]).multiple(true),
    override_usage = "chessdb merge [OPTIONS] <IN>... <OUT> [QUERY]",
    after_long_help = "\
--one-game needs games from one start position; otherwise there is a game for
each. The most frequent move continues a line, the others become variations.
--only-new writes the games that BASE lacks, as judged by `dedupe`.

  chessdb merge mega.si4 twic*.pgn all.si4 --dedupe
  chessdb merge twic*.pgn new.pgn --only-new mega.si4
  chessdb merge games.si4 najdorf.pgn eco:B90 elo:2600.. --one-game --counts",
    mut_arg("map", |map| map.requires("compares")),
    mut_arg("prefer", |prefer| prefer.requires("dedupe"))
)]
pub(crate) struct Merge {
    /// Leave out duplicate games, as `dedupe --by` does
    #[arg(
        long,
        value_parser = duplicate_rule(),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "sure",
        value_name = "HOW",
        hide_possible_values = true
    )]
    pub(crate) dedupe: Option<DuplicateRule>,
    /// Leave out games that BASE has; BASE is only read
    #[arg(long, value_name = "BASE", conflicts_with = "append")]
    pub(crate) only_new: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) duplicates: DuplicateOptions,
    /// Join the games into one game with variations
    #[arg(long, conflicts_with_all = ["dedupe", "only_new"])]
    pub(crate) one_game: bool,
    /// Add the number of games and White's score as comments
    #[arg(long, requires = "one_game", hide_short_help = true)]
    pub(crate) counts: bool,
    /// Add the players, place, year and result of each game as comments
    #[arg(long, requires = "one_game", hide_short_help = true)]
    pub(crate) sources: bool,
    #[command(flatten)]
    pub(crate) output_options: OutputOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb dedupe [OPTIONS] <IN>... <OUT> [QUERY]",
    after_long_help = "\
strict: same moves and names; sure: spellings, cut moves, slips; likely: more.
Example: chessdb dedupe all.si4 once.si4 --map gone.txt
         chessdb dedupe all.si4 --mark"
)]
pub(crate) struct Dedupe {
    /// Evidence needed: strict, sure (default), likely
    #[arg(
        long,
        value_parser = duplicate_rule(),
        default_value = "sure",
        hide_default_value = true,
        value_name = "HOW",
        hide_possible_values = true
    )]
    pub(crate) by: DuplicateRule,
    #[command(flatten)]
    pub(crate) duplicates: DuplicateOptions,
    /// Add what removed copies have more to kept ones
    #[arg(long)]
    pub(crate) merge_annotations: bool,
    /// Mark duplicates as deleted in the only database
    #[arg(long, conflicts_with = "append")]
    pub(crate) mark: bool,
    /// With --dry-run, print the evidence for each pair
    #[arg(long, requires = "dry_run")]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) output_options: OutputOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb split [OPTIONS] <IN>... [QUERY] --by <KEY,...> -o <FOLDER>",
    after_long_help = "\
--by takes year, decade, month, day, event, player, white, black, site, eco,
ecoletter, opening, family, time (bullet, blitz, rapid, classical,
correspondence), timecontrol, elo, moves, annotator, tag:NAME, and a number of
games per database. The new databases have the format of IN or -t. Games
without a value go to `unknown`.

Example: chessdb split games.si4 --by year,event --name {year}/{event} \\
           -o years -t pgn",
    mut_arg("words", |words| words.value_name("IN|QUERY").help("Databases to read, query"))
)]
pub(crate) struct Split {
    /// Values of each game, or a number of games per database
    #[arg(long, value_name = "KEY,...", value_parser = SplitKeys::from_str)]
    pub(crate) by: SplitKeys,
    /// Name of each database, such as {year}/{event} [default: all values]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) name: Option<String>,
    /// The folder for the new databases
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) output_options: OutputOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb eco [OPTIONS] <IN>... [OUT] [QUERY]",
    after_long_help = "\
The code is that of the last mainline position that has one, in any move order.
Without OUT the selected games (-n 1-: all) are changed in place.

Example: chessdb eco old.cbf new.si4 --all --names"
)]
pub(crate) struct Eco {
    /// Also classify games that have a code
    #[arg(long)]
    pub(crate) all: bool,
    /// Also classify games of variants such as Crazyhouse and Atomic
    #[arg(long)]
    pub(crate) variants: bool,
    /// Also write the opening's name as the tag Opening
    #[arg(long)]
    pub(crate) names: bool,
    #[command(flatten)]
    pub(crate) output_options: OutputOptions,
}

/// Returns a parser for kinds of names.
fn name_kind() -> impl TypedValueParser<Value = NameKind> {
    let words = NameKind::ALL.map(|(_, name)| name);
    PossibleValuesParser::new(words)
        .try_map(|word| NameKind::by_name(&word).ok_or("unknown kind of names"))
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb names [OPTIONS] <IN>... [QUERY]\n       chessdb names --apply <FILE> <IN>... [OUT] [QUERY]",
    after_long_help = "\
Example: chessdb names all.si4 --suggest > fixes.txt
         chessdb names --apply fixes.txt all.si4 new.si4
         chessdb names --rename \"Tal, M\" \"Tal, Mihail\" all.si4 -n 1- --backup",
    mut_arg("words", |words| {
        words.required(false).help("Databases to read, query; with --apply also the output")
    })
)]
pub(crate) struct Names {
    /// players (default), events, sites, rounds, annotators
    #[arg(
        long,
        value_parser = name_kind(),
        default_value = "players",
        hide_default_value = true,
        value_name = "KIND",
        hide_possible_values = true
    )]
    pub(crate) of: NameKind,
    /// Print likely misspellings with the correct name
    #[arg(long, conflicts_with = "apply")]
    pub(crate) suggest: bool,
    /// Print CSV
    #[arg(long, conflicts_with_all = ["json", "apply", "rename"], hide_short_help = true)]
    pub(crate) csv: bool,
    /// Print titles, ratings, birthdays etc. of players
    #[arg(long, conflicts_with_all = ["apply", "suggest"])]
    pub(crate) details: bool,
    /// Write these details to a CSV file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["apply", "suggest"], hide_short_help = true)]
    pub(crate) players: Option<PathBuf>,
    /// Rename by a --suggest list or Scid spelling file
    #[arg(long, value_name = "FILE")]
    pub(crate) apply: Option<PathBuf>,
    /// Write the name NEW instead of OLD; may be repeated
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = ["apply", "suggest", "details", "players"])]
    pub(crate) rename: Vec<String>,
    #[command(flatten)]
    pub(crate) output_options: OutputOptions,
}

/// Options for writing a new database, and for selecting what is copied.
#[derive(clap::Args, Clone, Default, Debug)]
#[command(mut_arg("words", |words| {
    let words = words.required(true).value_name("IN|OUT|QUERY");
    words.help("Databases to read, output, query")
}))]
pub(crate) struct OutputOptions {
    /// Format to write [default: by extension of OUT]
    #[arg(short, long, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) to: Option<&'static Format>,
    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Append the games to an existing OUT
    #[arg(long, conflicts_with = "force")]
    pub(crate) append: bool,
    /// First copy an existing OUT to NAME.bak.SUFFIX
    #[arg(long, hide_short_help = true)]
    pub(crate) backup: bool,
    /// Keep nothing next to the database for `undo`
    #[arg(long, hide_short_help = true)]
    pub(crate) no_undo: bool,
    /// Write nothing on any loss; =games: within games
    #[arg(
        long,
        value_parser = one_of(STRICTNESS),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        value_name = "WHAT",
        hide_possible_values = true
    )]
    pub(crate) strict: Option<Strictness>,
    /// Kinds of loss that --strict accepts, such as nag,clock
    #[arg(
        long,
        value_name = "KIND,...",
        value_delimiter = ',',
        requires = "strict",
        hide_short_help = true,
        hide_possible_values = true,
        value_parser = kinds()
    )]
    pub(crate) allow: Vec<LossKind>,
    /// How to handle a damaged game
    #[arg(
        long,
        value_parser = one_of(ON_ERROR),
        default_value = "keep",
        value_name = "HOW",
        hide_short_help = true,
        hide_possible_values = true
    )]
    #[arg(help = "Damaged games: keep readable part, skip, or stop")]
    pub(crate) on_error: OnError,
    /// Encoding to write if the format has a choice [default: auto]
    #[arg(long, hide_short_help = true, value_name = "CHARSET", value_parser = encoding)]
    pub(crate) to_encoding: Option<Encoding>,
    /// Transliterate letters the encoding lacks instead of writing `?`
    #[arg(long, hide_short_help = true)]
    pub(crate) ascii: bool,
    #[command(flatten)]
    pub(crate) content_options: ContentOptions,
    /// Table columns: all, text, headers, lichess, moves, or names; help lists them
    #[arg(long, value_name = "NAME,...", hide_short_help = true)]
    #[cfg(feature = "tables")]
    pub(crate) columns: Option<String>,
    /// Add the keys of all mainline positions to a table
    #[arg(long, hide_short_help = true)]
    #[cfg(feature = "tables")]
    pub(crate) positions: bool,
    /// Write only the final position of each game (epd, fen)
    #[arg(long, hide_short_help = true)]
    pub(crate) final_position: bool,
    /// Draw diagrams after these mainline moves, such as 12,20b (html)
    #[arg(long, value_name = "MOVES", hide_short_help = true)]
    pub(crate) diagrams: Option<String>,
    /// The tie-breaks of a bulletin; see [`Convert::bulletin`].
    #[arg(skip)]
    pub(crate) bulletin: Option<String>,
    /// zstd compression level of a table, 1 to 22 [default: 3]
    #[arg(long, value_name = "LEVEL", hide_short_help = true)]
    #[cfg(feature = "parquet")]
    pub(crate) zstd: Option<u8>,
    /// Comment texts in jose tables: separate, or inline after their codes
    #[arg(long, value_name = "PLACE", value_parser = ["separate", "inline"], hide_short_help = true)]
    pub(crate) jose_texts: Option<String>,
    /// The division of tables into folders; see [`Convert::by`].
    #[arg(skip)]
    #[cfg(feature = "parquet")]
    pub(crate) by: Option<PartitionBy>,
    /// Whether the only database is changed in place.
    #[arg(skip)]
    pub(crate) in_place: bool,
    /// The games to change, if the command changes its database and not all games are selected.
    #[arg(skip)]
    pub(crate) edited: Option<Selection>,
    /// Write nothing; list the games that would be written or changed
    #[arg(long, hide_short_help = true)]
    pub(crate) dry_run: bool,
    /// Add the name of its database to each game as a tag [default: SourceFile]
    #[arg(
        long,
        alias = "source",
        value_name = "NAME",
        value_parser = tag_name,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "SourceFile",
        hide_short_help = true
    )]
    pub(crate) source_tag: Option<String>,
    /// Leave out games marked as deleted
    #[arg(long, hide_short_help = true)]
    pub(crate) drop_deleted: bool,
    /// Write every loss and finding to this file as TSV
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub(crate) loss_report: Option<PathBuf>,
    /// Print the summary as JSON to standard output
    #[arg(long, hide_short_help = true)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) choice: GameChoice,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// The losses that `--strict` refuses.
const STRICTNESS: &[(&str, &str, Strictness)] = &[
    ("all", "Any loss", Strictness::Everything),
    (
        "games",
        "Losses of moves, comments and headers",
        Strictness::Games,
    ),
];

/// Returns a parser for kinds of loss by their codes.
pub(super) fn kinds() -> impl TypedValueParser<Value = LossKind> {
    let codes = LossKind::ALL
        .iter()
        .map(|kind| PossibleValue::new(kind.code()).help(kind.text()));
    PossibleValuesParser::new(codes)
        .try_map(|code| LossKind::by_code(&code).ok_or("unknown kind of loss"))
}

/// The ways of treating damaged games.
const ON_ERROR: &[(&str, &str, OnError)] = &[
    ("skip", "Leave the game out", OnError::Skip),
    ("keep", "Keep what is readable of it", OnError::Keep),
    ("stop", "Write nothing at all", OnError::Stop),
];

/// Parses the division of tables into folders.
#[cfg(feature = "parquet")]
fn by(word: &str) -> Result<PartitionBy, String> {
    PartitionBy::by_name(word).ok_or_else(|| "expected year, decade, eco or base".to_owned())
}
