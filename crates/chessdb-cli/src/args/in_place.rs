//! Arguments of the commands that change a database in place.

use std::path::PathBuf;

use chessdb::LossKind;
use chessdb::core::model::{Field, GameFlags, TagForm};

use super::write::kinds;
use super::{GameChoice, InputOptions, Jobs};

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb tag [OPTIONS] <DATABASE>... [GAMES | QUERY] --set <NAME=VALUE>",
    after_long_help = "\
Tag names are those of PGN: White, Event, ECO, WhiteElo, or any name where the
format can store it. The database is replaced only when everything is written; a
value that the format cannot store is an error.

  chessdb tag games.si4 \"event:Bled 1959\" --set \"Event=Candidates 1959\" --backup
  chessdb tag games.pgn 7 --set Result=1-0 --remove Annotator
  chessdb tag games.pgn -n 1- --fix-result --dry-run"
)]
pub(crate) struct TagArgs {
    /// Set this tag; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = tag)]
    pub(crate) set: Vec<(String, String)>,
    /// Remove this tag; can be repeated
    #[arg(long, value_name = "NAME", value_parser = tag_name)]
    pub(crate) remove: Vec<String>,
    /// Set the result of games that end with mate or stalemate
    #[arg(
        long,
        alias = "fixresult",
        alias = "fixresulttags",
        conflicts_with_all = ["set", "remove"],
        hide_short_help = true
    )]
    pub(crate) fix_result: bool,
    /// Move values of servers' exports to the tags where they belong
    #[arg(long, alias = "clean", conflicts_with_all = ["set", "remove", "fix_result"])]
    pub(crate) clean_headers: bool,
    #[command(flatten)]
    pub(crate) edit_options: EditOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb delete [OPTIONS] <DATABASE>... [GAMES | QUERY]",
    after_long_help = "\
The games are only marked: `undelete` unmarks them, `compact` removes them.

Example: chessdb delete games.si4 \"plies:..4 -has:comments\" --backup"
)]
pub(crate) struct Delete {
    #[command(flatten)]
    pub(crate) edit_options: EditOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb undelete [OPTIONS] <DATABASE>... [GAMES | QUERY]",
    after_long_help = "Example: chessdb undelete games.si4 1,5-9"
)]
pub(crate) struct Undelete {
    #[command(flatten)]
    pub(crate) edit_options: EditOptions,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb flag [OPTIONS] <DATABASE>... [GAMES | QUERY] --set <FLAG,...>",
    after_long_help = "\
Flag names are those of queries (novelty, endgame, tactics, brilliancy) or
Scid's letters.

Example: chessdb flag games.si4 \"text:novelty\" --set novelty --remove user"
)]
pub(crate) struct Flag {
    /// Set these flags
    #[arg(long, value_name = "FLAG,...", value_delimiter = ',', value_parser = flags)]
    pub(crate) set: Vec<GameFlags>,
    /// Remove these flags
    #[arg(long, value_name = "FLAG,...", value_delimiter = ',', value_parser = flags)]
    pub(crate) remove: Vec<GameFlags>,
    #[command(flatten)]
    pub(crate) edit_options: EditOptions,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Removes games marked as deleted, names that no game uses, and unreferenced
bytes.

Example: chessdb compact games.si4 --backup")]
pub(crate) struct Compact {
    /// The databases
    #[arg(required = true, value_name = "DATABASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Only list the games that would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) in_place_options: InPlaceOptions,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Undoes the last change that was made in place; once more repeats it. A database
that another program has changed since is left alone.

  chessdb undo games.si4 --list")]
pub(crate) struct Undo {
    /// The database
    #[arg(value_name = "DATABASE")]
    pub(crate) base: PathBuf,
    /// List the last changes instead, the latest first
    #[arg(long)]
    pub(crate) list: bool,
    /// Print the result as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Uses $VISUAL or $EDITOR. Nothing is changed if the edited game is unreadable or
unchanged.

  chessdb edit games.si4 7")]
pub(crate) struct Edit {
    /// The database
    #[arg(value_name = "DATABASE")]
    pub(crate) base: PathBuf,
    /// The game number, from 1
    #[arg(value_name = "N", required_unless_present = "game", value_parser = game_number)]
    number: Option<u32>,
    /// The game number, as an option
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "number", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Check the edited game, but write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) in_place_options: InPlaceOptions,
}

impl Edit {
    /// Returns the number of the game.
    pub(crate) fn number(&self) -> u32 {
        self.number.or(self.game).unwrap_or_default()
    }
}

/// The games to change, and how to change them.
#[derive(clap::Args, Clone, Default, Debug)]
#[command(mut_arg("words", |words| words.required(true).help("Databases, then a query")))]
pub(crate) struct EditOptions {
    /// Only list the games that would be changed
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) choice: GameChoice,
    #[command(flatten)]
    pub(crate) in_place_options: InPlaceOptions,
}

/// Reads the number of a game.
fn game_number(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        "expected the number of a game, counted from 1, after the database: chessdb edit games.pgn 2"
            .to_owned()
    })
}

/// Options of all commands that change a database in place.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct InPlaceOptions {
    /// First copy the database to NAME.bak.SUFFIX
    #[arg(long)]
    pub(crate) backup: bool,
    /// Keep nothing next to the database for `undo`
    #[arg(long, hide_short_help = true)]
    pub(crate) no_undo: bool,
    /// Replace files that are read-only
    #[arg(long)]
    pub(crate) force: bool,
    /// Kinds of loss to accept
    #[arg(
        long,
        hide_short_help = true,
        value_name = "KIND,...",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = kinds()
    )]
    pub(crate) allow: Vec<LossKind>,
    /// Print the result as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

fn tag(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected NAME=VALUE, such as Event=Bled")?;
    let name = tag_name(name)?;
    if let Some(form) = TagForm::missed(&name, value) {
        let remove = if value.is_empty() {
            format!("; to remove the tag use --remove {name}")
        } else {
            String::new()
        };
        return Err(format!("expected {}{remove}", form.expected));
    }
    // A tag `whiteelo` would be a new one, which no program reads as a rating.
    if let Some(tag) = other_capitals(&name) {
        return Err(format!("names of tags distinguish capitals: use {tag}"));
    }
    Ok((name, value.to_owned()))
}

/// Returns the known tag that differs from this name only in capitals.
fn other_capitals(name: &str) -> Option<&'static str> {
    const OTHERS: [&str; 11] = [
        "WhiteElo",
        "BlackElo",
        "WhiteTitle",
        "BlackTitle",
        "WhiteFideId",
        "BlackFideId",
        "ECO",
        "EventDate",
        "Annotator",
        "TimeControl",
        "Termination",
    ];
    let tags = Field::ROSTER.iter().map(|field| field.tag()).chain(OTHERS);
    let mut same = tags.filter(|tag| tag.eq_ignore_ascii_case(name));
    same.find(|tag| *tag != name)
}

pub(super) fn tag_name(name: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match name {
        "FEN" | "SetUp" => {
            Err("the start position belongs to the moves; use `chessdb edit`".to_owned())
        }
        "ScidFlags" => Err("use `chessdb flag` for flags".to_owned()),
        "" => Err("missing tag name".to_owned()),
        name if name.chars().all(is_word) => Ok(name.to_owned()),
        name => Err(format!(
            "invalid tag name {name:?}: use letters, digits and _"
        )),
    }
}

fn flags(text: &str) -> Result<GameFlags, String> {
    let flags = chessdb::query::language::read_flags(text);
    let flags = flags.map_err(|error| error.message().to_owned())?;
    if flags.contains(GameFlags::DELETED) {
        Err("use `chessdb delete` and `undelete` for deletion marks".to_owned())
    } else {
        Ok(flags)
    }
}
