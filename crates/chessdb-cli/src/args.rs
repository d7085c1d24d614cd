//! The command line.

mod arrangement;
mod book;
mod content;
mod diagnose;
mod help;
mod in_place;
mod inspect;
mod novelty;
mod other;
mod parse;
mod prepare;
mod repertoire;
mod selection;
mod show;
mod suggest;
mod view;
mod write;

use std::fmt;

use chessdb::Format;
use chessdb::core::Charset;
use chessdb::formats::FormatHint;
use chessdb::fs::Finder;
use chessdb::options::TextField;
use clap::{Parser, Subcommand};

use crate::text_file;

pub(crate) use arrangement::{Arrangement, ColumnChoice};
pub(crate) use book::{
    Book, BookCommand, BookConvert, BookInfo, BookLs, BookMake, BookMerge, BookPosition, BookShow,
};
pub(crate) use content::{ContentOptions, PartOptions};
pub(crate) use diagnose::{Check, Diff, Dump, Salvage, StructureReport};
pub(crate) use help::reference;
pub(crate) use in_place::{
    Compact, Delete, Edit, EditOptions, Flag, InPlaceOptions, TagArgs, Undelete, Undo,
};
pub(crate) use inspect::{Cat, CatFormat, Find, Index, Info, Ls, RatingFactor, Stats, Tree};
pub(crate) use novelty::Novelty;
pub(crate) use other::{Completions, Formats, ManArgs, Open, ShellArg};
pub(crate) use parse::quoted;
pub(crate) use parse::{has_short_option, read};
pub(crate) use prepare::Prepare;
pub(crate) use repertoire::RepertoireArgs;
pub(crate) use selection::{GameChoice, ScanOptions, WordUse};
pub(crate) use show::Show;
pub(crate) use view::View;
pub(crate) use write::{
    Convert, Dedupe, DuplicateOptions, Eco, Merge, Names, OutputOptions, PreferArg, Sort, Split,
};

use parse::format;

/// Read, search, convert and repair chess databases without silent data loss
#[derive(Parser, Debug)]
#[command(
    name = "chessdb",
    // Not the name of the file, `chessdb.exe` on Windows.
    bin_name = "chessdb",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Whether the command prints JSON.
    #[arg(skip)]
    pub(crate) json: bool,
}

/// The commands with their arguments.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show format, game count, encoding and health of databases
    Info(Info),
    /// List games, one per line
    Ls(Ls),
    /// Find games by player, date, moves, position or material
    Find(Find),
    /// Show the moves played in a position, with counts and scores
    Tree(Tree),
    /// Count results, years, ratings, openings, players, events and more
    Stats(Stats),
    /// Show where games left all others, and what the others played
    Novelty(Novelty),
    /// Report what a player plays, with scores, model games and new moves
    Prepare(Prepare),
    /// Compare a repertoire with games: where they leave it, and its gaps
    Repertoire(RepertoireArgs),
    /// Read, convert and make opening books: CTG, Polyglot, ABK
    Book(Book),
    /// Build an index that speeds up position searches
    Index(Index),
    /// Print games as PGN or JSON
    Cat(Cat),
    /// Show a game on a board
    Show(Show),
    /// Convert databases to another format, or join several
    Convert(Convert),
    /// Sort games
    Sort(Sort),
    /// Join databases, optionally without duplicate games
    Merge(Merge),
    /// Remove duplicate games
    Dedupe(Dedupe),
    /// Split a database by opening, player, event, year or size
    Split(Split),
    /// Classify openings by the positions reached
    Eco(Eco),
    /// List names with games and years; find and fix variant spellings
    Names(Names),
    /// Set, remove or clean tags of games
    Tag(TagArgs),
    /// Mark games as deleted
    Delete(Delete),
    /// Unmark deleted games
    Undelete(Undelete),
    /// Set or remove flags of games
    Flag(Flag),
    /// Remove deleted games and unused names
    Compact(Compact),
    /// Edit a game as PGN in your editor
    Edit(Edit),
    /// Undo the last change of a database, or repeat it
    Undo(Undo),
    /// Check for damage and inconsistencies
    Check(Check),
    /// Compare two databases of any format, game by game
    Diff(Diff),
    /// Recover as much as possible from a damaged database
    Salvage(Salvage),
    /// Show what every byte of a database means
    Dump(Dump),
    /// Describe structure and faults without names, texts or moves
    Report(StructureReport),
    /// Browse databases in the web browser
    View(View),
    /// List the formats and what they can and cannot store
    Formats(Formats),
    /// Print a shell completion script
    Completions(Completions),
    /// Print a manual page
    Man(ManArgs),
    /// Show what a database is, and its first games
    // `chessdb DATABASE` without a command means this.
    #[command(hide = true)]
    Open(Open),
    /// Query syntax
    #[command(hide = true, help_template = "{about}{after-help}\n", after_help = QUERY)]
    Query,
}

/// The text of `help query`.
const QUERY: &str = "\
A game matches if all terms match. `or` separates alternatives, `not`, - or !
negates, and parentheses group terms.

  word         in a player, event, site, opening or annotator: Tal, Linares
  Kasparov,G   one player; also \"Carlsen, Magnus\"; tal black: Tal with Black
  A vs B       a game between two players, with either colour; also A - B
  FEN          a position; also the address of a Lichess or chess.com analysis
  1.e4 c5      the first moves
  1990 B90 1-0 year, ECO code, result; 2014.05 date
  key:text     event:\"Bled 1959\"; white:/^tal,/ (regular expression);
               site:paris,london (either); player:Tal or player:Keres
  key:number   elo:2600, elo:2500..2600, elo:2500.., \"elo>=2500\" (quote > and <)
  Case and accents are ignored; ü is ue; Latin matches Cyrillic and Greek names.

Headers
  player white black event site round annotator source title:GM,IM
  eco:B90-B99 date:1959.09..1959.10 year:1957..1961 result:1-0,draw
  elo whiteelo blackelo minelo:2500 (both players) elodiff:100.. (White - Black)
  start:standard,setup,chess960 flag:novelty,! deleted:yes time:blitz,rapid
  tag:Opening=Najdorf, \"tag:WhiteElo>2600\", tag:ECO (the tag exists)
  opening:\"Sicilian, Najdorf\" (without an opening tag: by the moves)
Moves and texts
  moves:..20 plies:40..60 comment:sacrifice text:zugzwang (comments and headers)
  has:variations,comments,nags,clocks,evals,fen,arrows (any of these)
  ending:mate,stalemate,repetition,fifty,insufficient; as stated or presumed:
         resigned,agreed,time,adjudicated,abandoned,illegal,infraction,forfeit
  book:my.bin (follows an opening book), book:my.bin,20.. (for 20 plies or more)
  castled:opposite,same,both,none,white-long,short  promotion:N,under,white-R
  sacrifice:Q (the winner was behind without it), sacrifice:3 (points behind)
Positions: adjacent terms describe one position; parentheses separate several
  fen:\"BOARD w\"     this board and side to move; fen!: also castling, en passant
  line:\"1.e4 c5\"    these first moves
  sub:\"Nf5 ke8\"     these pieces on these squares; lower case is Black
  pattern:\"BOARD\"   like a FEN, with ? anything, ! any piece, A any white piece,
                    a any black one, _ empty, [QR] one of, [^P] none of,
                    * the rest of the rank
  material:KRPKR    all pieces, either colour, also KRPvKR, KRP-KR, \"KRP KR\";
                    KRPkr White's and Black's;
                    P2, P1-3, P2+, P*; M is a knight or bishop
  imbalance:Q-RR    one side's extra pieces against the other's; Q-rr White's
                    queen, -q White is a queen down; R-M the exchange
  balance:3..       White's material minus Black's (P 1, N and B 3, R 5, Q 9)
  bishops:opposite  one bishop each, on opposite colours; bishops:same
  at:20..40 for:4   at these plies; in this many consecutive positions
  Options: --in-variations; --mirror, --flip (also match patterns with left and
  right, or colours, swapped)

  chessdb find games.si4 Tal or Keres
  chessdb find games.si4 \"(white:Tal result:1-0) or (black:Tal result:0-1)\"
  chessdb find games.si4 \"fen:8/8/4k3/8/8/3K4/4P3/8 w\" --count
  chessdb find games.si4 material:KRPKR,KRPPKR for:20 minelo:2500 -event:blitz
  chessdb find games.si4 sacrifice:Q ending:mate,resigned
  chessdb find games.si4 \"pattern:*/*/*/3N*/*/*/*/*\" -sub:nf6 at:30..60";

/// Options for reading the input.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct InputOptions {
    /// Treat input as this format; do not detect
    #[arg(short, long, hide_short_help = true, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) from: Option<&'static Format>,
    /// Encoding of text that declares none [default: auto]
    #[arg(short, long, value_name = "CHARSET", value_parser = encoding)]
    pub(crate) encoding: Option<Encoding>,
    /// Encoding of one kind of text, such as player or comment
    #[arg(long, hide_short_help = true, value_name = "FIELD=NAME", value_parser = encoding_for)]
    pub(crate) encoding_for: Vec<(TextField, Charset)>,
    /// Promotion numbering in DC*: auto, program or seed (published)
    #[arg(long, value_name = "NUMBERING", hide_possible_values = true, value_parser = ["auto", "program", "seed", "published"], hide_short_help = true)]
    pub(crate) dcx_promotions: Option<String>,
    /// Password of an encrypted archive (.cbz)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "PASSWORD",
        conflicts_with = "password_file"
    )]
    password: Option<Secret>,
    /// Read the password from the first line of this file
    #[arg(long, value_name = "FILE", value_parser = read_password_file, hide_short_help = true)]
    password_file: Option<Secret>,
    /// Caches the folders and archives that the command has searched.
    #[arg(skip)]
    pub(crate) finder: Finder,
    /// Whether the command writes no database.
    #[arg(skip)]
    pub(crate) is_read_only: bool,
}

impl InputOptions {
    /// Creates options that only fix the format, for a command that writes no database.
    pub(crate) fn as_format(from: Option<&'static Format>) -> InputOptions {
        InputOptions {
            from,
            encoding: None,
            encoding_for: Vec::new(),
            dcx_promotions: None,
            password: None,
            password_file: None,
            finder: Finder::new(),
            is_read_only: true,
        }
    }

    /// Returns the password from either of its two options.
    pub(crate) fn password(&self) -> Option<&str> {
        let secret = self.password.as_ref().or(self.password_file.as_ref());
        secret.map(|Secret(password)| password.as_str())
    }

    /// Returns the options for finding a database.
    pub(crate) fn format_hint(&self) -> FormatHint {
        let mut hint = FormatHint::from(self.from);
        hint.is_read_only = self.is_read_only;
        match self.password() {
            Some(password) => hint.password(password),
            None => hint,
        }
    }
}

/// A password. It never appears in messages or debug output.
#[derive(Clone)]
struct Secret(String);

impl From<String> for Secret {
    fn from(password: String) -> Secret {
        Secret(password)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(..)")
    }
}

fn read_password_file(path: &str) -> Result<Secret, String> {
    let text = text_file::read(path.as_ref()).map_err(|error| error.to_string())?;
    // An editor ends the file with a line break, which is no part of the password.
    Ok(Secret(text.lines().next().unwrap_or_default().to_owned()))
}

/// The number of reader threads.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(crate) struct Jobs {
    /// Reader threads; does not change the output [default: all CPUs]
    #[arg(short, long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) jobs: Option<u16>,
}

/// Options for position terms in queries.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(crate) struct PositionOptions {
    /// Also search variations
    #[arg(long, hide_short_help = true)]
    pub(crate) in_variations: bool,
    /// Also match patterns with left and right swapped
    #[arg(long, hide_short_help = true)]
    pub(crate) mirror: bool,
    /// Also match patterns with colours swapped
    #[arg(long, hide_short_help = true)]
    pub(crate) flip: bool,
}

impl Command {
    /// Returns the options of a command that only reads the games that a query chooses.
    pub(crate) fn scan_options(&mut self) -> Option<&mut ScanOptions> {
        Some(match self {
            Command::Ls(args) => &mut args.scan_options,
            Command::Find(args) => &mut args.scan_options,
            Command::Tree(args) => &mut args.scan_options,
            Command::Stats(args) => &mut args.scan_options,
            Command::Novelty(args) => &mut args.scan_options,
            Command::Prepare(args) => &mut args.scan_options,
            Command::Repertoire(args) => &mut args.scan_options,
            Command::Cat(args) => &mut args.scan_options,
            _ => return None,
        })
    }

    /// Returns the input options of a command that writes no database.
    pub(crate) fn reading_options(&mut self) -> Option<&mut InputOptions> {
        Some(match self {
            Command::Open(args) => &mut args.input_options,
            Command::Info(args) => &mut args.input_options,
            Command::Check(args) => &mut args.input_options,
            Command::Show(args) => &mut args.input_options,
            Command::Report(args) => &mut args.input_options,
            Command::Diff(args) => &mut args.input_options,
            command => &mut command.scan_options()?.input_options,
        })
    }
}

impl Jobs {
    /// Returns the number of threads requested; 0 means one per processor.
    pub(crate) fn thread_count(self) -> usize {
        self.jobs.map_or(0, usize::from)
    }
}

/// A charset, or automatic detection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Auto,
    Named(Charset),
}

fn encoding(name: &str) -> Result<Encoding, String> {
    if name.eq_ignore_ascii_case("auto") {
        Ok(Encoding::Auto)
    } else {
        charset(name).map(Encoding::Named)
    }
}

fn encoding_for(text: &str) -> Result<(TextField, Charset), String> {
    let (field, name) = text.split_once('=').ok_or("expected FIELD=NAME")?;
    let field = TextField::by_name(field).ok_or_else(|| {
        let names: Vec<&str> = TextField::ALL.into_iter().map(TextField::name).collect();
        format!("unknown field; expected one of {}", names.join(", "))
    })?;
    Ok((field, charset(name)?))
}

fn charset(name: &str) -> Result<Charset, String> {
    Charset::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Charset::all().map(Charset::name).collect();
        format!("unknown encoding; expected auto, {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_help_of_queries_names_every_key_and_its_examples_are_queries() {
        for key in chessdb::query::language::KEYS {
            let is_there = QUERY
                .split(|c: char| !c.is_ascii_alphabetic() && c != '!')
                .any(|word| word == key.name);
            assert!(is_there, "{}", key.name);
        }
        let mut count = 0;
        for line in QUERY.lines() {
            let Some(words) = line.trim().strip_prefix("chessdb find games.si4 ") else {
                continue;
            };
            // The words as the shell would pass them.
            let words = words.replace(" --count", "");
            let pieces = words.split('"').enumerate();
            let words = pieces.flat_map(|(n, piece)| match n % 2 {
                0 => piece.split_whitespace().collect(),
                _ => vec![piece],
            });
            let text = chessdb::query::Query::join(words);
            let query: chessdb::query::Query = text.parse().unwrap();
            assert!(!query.is_empty());
            count += 1;
        }
        assert!(count >= 5);
    }

    #[test]
    fn charsets_are_found_by_name() {
        assert!(charset("cp1251").is_ok());
        assert!(charset("klingon").unwrap_err().contains("windows-1252"));
    }
}
