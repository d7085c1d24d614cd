//! The command line.

mod asking;
mod care;
mod editing;
mod shaping;
mod show;
mod start;
mod view;
mod writing;

use std::path::PathBuf;
use std::{fmt, fs, io};

use chessdb::core::Charset;
use chessdb::formats::FormatHint;
use chessdb::fs::Finder;
use chessdb::options::TextField;
use chessdb::{Format, Selection};
use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use asking::{Cat, CatFormat, Find, Index, Info, Ls, Stats, Tree};
pub(crate) use care::{Check, Diff, Dump, Salvage};
pub(crate) use editing::{Changing, Compact, Delete, Edit, Editing, Flag, TagArgs, Undelete};
pub(crate) use shaping::Shaping;
pub(crate) use show::Show;
pub(crate) use start::read;
pub(crate) use view::View;
pub(crate) use writing::{
    Convert, Dedupe, Eco, Merge, Names, NamesOf, OnErrorArg, SameArg, Sort, Split, SplitBy, Writing,
};

use start::format;

/// Looks into chess databases and converts them without losing anything silently.
#[derive(Parser, Debug)]
#[command(
    name = "chessdb",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(after_help = "\
BASE is any file of a database, the name its files share, a folder or archive for all in it,
coll.zip:games.si4 for one of these, or - for games from standard input; packed files are read.

  chessdb convert old.si4 games.pgn      a SCID database as PGN
  chessdb find games.pgn player:Tal year:1957..1961 material:KRPKR
What QUERY can ask: chessdb help query.
Exit codes: 0 done; 1 nothing matched, findings, or games skipped or cut; 2 arguments; 3 input
not readable; 4 output not writable; 5 a bug of ours.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands, each with its arguments.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Say what databases are: format, games, encoding, health
    Info(Info),
    /// List games, one per line
    Ls(Ls),
    /// Find games by players, dates, moves, positions, material
    Find(Find),
    /// Say what was played in a position, how often and with which success
    Tree(Tree),
    /// Count results, years, lengths, ratings, openings, players, events, annotations
    Stats(Stats),
    /// Write an index beside databases, with which positions are found sooner
    Index(Index),
    /// Print games as PGN or JSON
    Cat(Cat),
    /// Show a game on a board
    Show(Show),
    /// Convert databases into another format, or join several
    Convert(Convert),
    /// Put games in an order
    Sort(Sort),
    /// Join databases, each game once if asked to
    Merge(Merge),
    /// Leave out games that are there twice
    Dedupe(Dedupe),
    /// Divide a database by openings, players, events, years or size
    Split(Split),
    /// Classify openings by the positions reached
    Eco(Eco),
    /// List names with games and years, find other spellings, mend them
    Names(Names),
    /// Set or remove a tag of games
    Tag(TagArgs),
    /// Mark games as deleted
    Delete(Delete),
    /// Take that mark away
    Undelete(Undelete),
    /// Set or remove flags of games
    Flag(Flag),
    /// Drop deleted games and unused names
    Compact(Compact),
    /// Change a game as PGN in your editor
    Edit(Edit),
    /// Look for damage and contradictions
    Check(Check),
    /// Say what differs between two databases of any formats, game by game
    Diff(Diff),
    /// Get everything out of a damaged database that can be had
    Salvage(Salvage),
    /// Show what every byte of a database is
    Dump(Dump),
    /// Look at databases in the browser
    View(View),
    /// List the formats, what they can hold and what not
    Formats(Formats),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print a manual page
    Man(Man),
    /// What queries can ask
    #[command(hide = true, help_template = "{about}{after-help}\n", after_help = QUERY)]
    Query,
}

/// `help query`.
const QUERY: &str = "\
All terms of a query must fit; `or` stands between alternatives, - before what must not fit, and
parentheses as usual. A word without key is a player.

  key:text     event:\"Bled 1959\", white:/^tal,/ by regular expression, site:paris,london either
  key:number   elo:2600, elo:2500..2600, elo:2500.., elo>=2500
  Case, accents and ue for ü do not matter; Cyrillic and Greek are found in Latin spelling too.

Heads
  player white black event site round annotator source opening title:GM,IM eco:B90-B99
  date:1959.09..1959.10 year:1957..1961 elo whiteelo blackelo minelo:2500 (both players)
  elodiff:100.. (White's less Black's) result:1-0,draw start:standard,setup,chess960
  flag:novelty,! deleted:yes tag:Opening=Najdorf (tag:ECO is there)
Moves and texts
  moves:..20 plies:40..60 has:variations,comments,nags,clocks,evals,fen,arrows (one of them)
  comment:sacrifice text:zugzwang (in comments and heads)
Positions: terms beside each other mean one position; parentheses keep several apart
  fen:\"BOARD w\"     this board, and this side to move; fen!: castling and en passant too
  line:\"1.e4 c5\"    these first moves
  sub:\"Nf5 ke8\"     these men there; small letters are Black's
  pattern:\"BOARD\"   like a FEN, with ? anything, ! any man, A a any of White's, Black's,
                     _ nothing, [QR] one of, [^P] none of, * what is left of the rank
  material:KRPKR     all men, of either colour; KRPkr White's and Black's; P2, P1-3, P2+, P*;
                     M is a knight or bishop
  bishops:opposite   one bishop each, on squares of opposite colours, or of the same: bishops:same
  at:20..40 for:4    after so many half-moves; in so many positions in a row
  Options: --in-variations, --mirror and --flip (patterns with left and right, or the colours,
  exchanged).

  chessdb find games.si4 Tal or Keres
  chessdb find games.si4 '(white:Tal result:1-0) or (black:Tal result:0-1)' -event:blitz
  chessdb find games.si4 'fen:r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b' --count
  chessdb find games.si4 material:KRPKR,KRPPKR for:20 minelo:2500
  chessdb find games.si4 'pattern:*/*/*/3N*/*/*/*/*' -sub:nf6 at:30..60";

/// How input is read.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Reading {
    /// Take the input for this format instead of judging its content
    #[arg(short, long, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) from: Option<&'static Format>,
    /// Charset of texts that do not say theirs [default: auto, a guess]
    #[arg(short, long, value_name = "CHARSET", value_parser = encoding)]
    pub(crate) encoding: Option<Encoding>,
    /// Charset of one kind of texts, such as player or comment
    #[arg(long, value_name = "FIELD=NAME", value_parser = encoding_for)]
    pub(crate) encoding_for: Vec<(TextField, Charset)>,
    /// Numbering of promotions in DC*: auto, program or seed (the published text's)
    #[arg(long, value_name = "NUMBERING", value_parser = ["auto", "program", "seed", "published"], hide = true)]
    pub(crate) dcx_promotions: Option<String>,
    /// Password of a locked archive (.cbz); --password-file FILE has it
    #[arg(long, value_name = "PASSWORD", conflicts_with = "password_file")]
    password: Option<Secret>,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE", value_parser = first_line, hide = true)]
    password_file: Option<Secret>,
    /// Remembers the folders and archives that the command looked into.
    #[arg(skip)]
    pub(crate) finder: Finder,
}

impl Reading {
    /// The input for this format, and no more.
    pub(crate) fn as_format(from: Option<&'static Format>) -> Reading {
        Reading {
            from,
            encoding: None,
            encoding_for: Vec::new(),
            dcx_promotions: None,
            password: None,
            password_file: None,
            finder: Finder::new(),
        }
    }

    /// The password, wherever it stood.
    pub(crate) fn password(&self) -> Option<&str> {
        let secret = self.password.as_ref().or(self.password_file.as_ref());
        secret.map(|Secret(password)| password.as_str())
    }

    /// What is looked for.
    pub(crate) fn wanted(&self) -> FormatHint {
        let wanted = FormatHint::from(self.from);
        match self.password() {
            Some(password) => wanted.password(password),
            None => wanted,
        }
    }
}

/// A password, which no message shows.
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

fn first_line(path: &str) -> Result<Secret, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    Ok(Secret(text.lines().next().unwrap_or_default().to_owned()))
}

/// How many threads read.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(crate) struct Jobs {
    /// Threads that read [default: all processors]; output is the same
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) jobs: Option<u16>,
}

/// How positions in queries are meant. `help query` has these options, once for all commands.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(crate) struct Asking {
    /// Look for positions in variations too
    #[arg(long, hide = true)]
    pub(crate) in_variations: bool,
    /// Patterns fit with left and right exchanged too
    #[arg(long, hide = true)]
    pub(crate) mirror: bool,
    /// Patterns fit with the colours exchanged too
    #[arg(long, hide = true)]
    pub(crate) flip: bool,
}

/// Which games: those of these numbers, among them those that fit a query.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Choice {
    /// Only these games: 1,5-9,20-; @FILE has a list, - is stdin
    #[arg(
        short = 'n',
        long,
        value_name = "LIST",
        value_parser = selection,
        default_value = "1-",
        hide_default_value = true
    )]
    pub(crate) games: Selection,
    #[command(flatten)]
    pub(crate) asking: Asking,
}

impl Command {
    /// Whether it is to print JSON.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Command::Info(args) => args.json,
            Command::Ls(args) => args.json,
            Command::Find(args) => args.json,
            Command::Tree(args) => args.json,
            Command::Stats(args) => args.json,
            Command::Index(args) => args.json,
            Command::Cat(args) => args.json || args.format == CatFormat::Json,
            Command::Convert(args) => args.writing.json,
            Command::Sort(args) => args.writing.json,
            Command::Merge(args) => args.writing.json,
            Command::Dedupe(args) => args.writing.json,
            Command::Split(args) => args.writing.json,
            Command::Eco(args) => args.writing.json,
            Command::Names(args) => args.writing.json,
            Command::Tag(args) => args.editing.changing.json,
            Command::Delete(args) => args.editing.changing.json,
            Command::Undelete(args) => args.editing.changing.json,
            Command::Flag(args) => args.editing.changing.json,
            Command::Compact(args) => args.changing.json,
            Command::Edit(args) => args.changing.json,
            Command::Check(args) => args.json,
            Command::Diff(args) => args.json,
            Command::Salvage(args) => args.json,
            Command::Formats(args) => args.json,
            Command::Show(_) | Command::Dump(_) | Command::View(_) => false,
            Command::Completions(_) | Command::Man(_) | Command::Query => false,
        }
    }
}

impl Jobs {
    /// How many threads were asked for; 0 is one per processor.
    pub(crate) fn number(self) -> usize {
        self.jobs.map_or(0, usize::from)
    }
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Example: chessdb formats si4 --limits")]
pub(crate) struct Formats {
    /// Only these formats, by id, suffix or usual name
    #[arg(value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) formats: Vec<&'static Format>,
    /// Also list limits, and what each format cannot hold
    #[arg(long)]
    pub(crate) limits: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example: chessdb completions bash > ~/.local/share/bash-completion/completions/chessdb")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: ShellArg,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Example: chessdb man convert | man -l -")]
pub(crate) struct Man {
    /// The command to describe [default: the program]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) dir: Option<PathBuf>,
    /// Replace pages that exist
    #[arg(long, requires = "dir")]
    pub(crate) force: bool,
}

/// A list of games: `1,5-9,20-`, or in a file, one or several a line, as `ls` prints them.
fn selection(text: &str) -> Result<Selection, String> {
    let words = |error: chessdb::Error| error.to_string();
    let content = match text.strip_prefix('@') {
        _ if text == "-" => io::read_to_string(io::stdin().lock()),
        Some(file) => fs::read_to_string(file),
        None => return text.parse().map_err(words),
    };
    let content = content.map_err(|error| error.to_string())?;
    // Behind a tab stands what `ls` says of the game.
    let lines = content
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default());
    let lists = lines.flat_map(|line| line.split([' ', ',', '\r']));
    let lists: Vec<&str> = lists.filter(|list| !list.is_empty()).collect();
    lists.join(",").parse().map_err(words)
}

/// The shells.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShellArg {
    Bash,
    Elvish,
    Fish,
    Nushell,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
}

/// A charset, or the one that fits best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Auto,
    Named(Charset),
}

fn encoding(name: &str) -> Result<Encoding, String> {
    match name.eq_ignore_ascii_case("auto") {
        true => Ok(Encoding::Auto),
        false => charset(name).map(Encoding::Named),
    }
}

fn encoding_for(text: &str) -> Result<(TextField, Charset), String> {
    let (field, name) = text.split_once('=').ok_or("it is FIELD=NAME")?;
    let field = TextField::by_name(field).ok_or_else(|| {
        let known: Vec<&str> = TextField::ALL.into_iter().map(TextField::name).collect();
        format!("the fields are {}", known.join(", "))
    })?;
    Ok((field, charset(name)?))
}

fn charset(name: &str) -> Result<Charset, String> {
    Charset::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Charset::all().map(Charset::name).collect();
        format!("the charsets are auto, {}", known.join(", "))
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
    fn every_help_fits_a_screen_and_has_an_example() {
        let mut program = Args::command().term_width(100);
        program.build();
        let mut pages = vec![program.render_help().to_string()];
        for command in program
            .get_subcommands_mut()
            .filter(|c| c.get_name() != "help")
        {
            pages.push(command.render_help().to_string());
        }
        for page in pages {
            assert!(page.lines().count() <= 48, "{page}");
            assert!(
                page.contains("  chessdb ") || page.contains("Example: chessdb"),
                "{page}"
            );
        }
    }

    #[test]
    fn the_help_of_queries_names_every_key_and_its_examples_are_queries() {
        for key in chessdb::query::KEYS {
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
            // What a shell makes of them.
            let words = words.replace(" --count", "");
            let pieces = words.split('\'').enumerate();
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
