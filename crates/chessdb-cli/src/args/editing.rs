//! The arguments of commands that change a database in its place.

use std::path::PathBuf;

use chessdb::LossKind;
use chessdb::core::GameFlags;

use super::writing::kinds;
use super::{Choice, Jobs, Reading};

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb tag [OPTIONS] <BASE>... [QUERY] --set <NAME=VALUE>",
    after_help = "\
A tag is called as in PGN: White, Event, ECO, WhiteElo, or any name of your own where the format has
room for it. The database is replaced when all is written; what does not fit is refused.

  chessdb tag games.si4 'event:Bled 1959' --set 'Event=Candidates 1959' --backup
  chessdb tag games.pgn -n 7 --set Result=1-0 --remove Annotator"
)]
pub(crate) struct TagArgs {
    /// The databases, then a query: only games that fit
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Give this tag a value, once or several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = tag)]
    pub(crate) set: Vec<(String, String)>,
    /// Take this tag away, once or several times
    #[arg(long, value_name = "NAME", value_parser = tag_name)]
    pub(crate) remove: Vec<String>,
    #[command(flatten)]
    pub(crate) editing: Editing,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb delete [OPTIONS] <BASE>... [QUERY]",
    after_help = "\
The games get a mark and stay where they are: `undelete` takes it away, `compact` takes the games away.

Example: chessdb delete games.si4 'plies:..4 -has:comments' --backup"
)]
pub(crate) struct Delete {
    /// The databases, then a query: only games that fit
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) editing: Editing,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb undelete [OPTIONS] <BASE>... [QUERY]",
    after_help = "Example: chessdb undelete games.si4 -n 1,5-9"
)]
pub(crate) struct Undelete {
    /// The databases, then a query: only games that fit [default: all]
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) editing: Editing,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb flag [OPTIONS] <BASE>... [QUERY] --set <FLAG,...>",
    after_help = "\
Flags are called as in queries: novelty, endgame, tactics, brilliancy, or by Scid's letters.

Example: chessdb flag games.si4 'text:novelty' --set novelty --remove user"
)]
pub(crate) struct Flag {
    /// The databases, then a query: only games that fit
    #[arg(required = true, value_name = "BASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Set these flags
    #[arg(long, value_name = "FLAG,...", value_delimiter = ',', value_parser = flags)]
    pub(crate) set: Vec<GameFlags>,
    /// Take these flags away
    #[arg(long, value_name = "FLAG,...", value_delimiter = ',', value_parser = flags)]
    pub(crate) remove: Vec<GameFlags>,
    #[command(flatten)]
    pub(crate) editing: Editing,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Games that are marked as deleted go, and names that no game uses, and bytes that belong to nothing.

Example: chessdb compact games.si4 --backup")]
pub(crate) struct Compact {
    /// The databases
    #[arg(required = true, value_name = "BASE")]
    pub(crate) bases: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) changing: Changing,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
The editor is that of $VISUAL or $EDITOR. If the game cannot be read afterwards, or is what it was,
nothing is changed.

  chessdb edit games.si4 -n 7")]
pub(crate) struct Edit {
    /// The database
    pub(crate) base: PathBuf,
    /// The game, counted from 1
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) game: u32,
    /// DC*: append the new version and mark the old one as deleted
    #[arg(long)]
    pub(crate) in_place: bool,
    #[command(flatten)]
    pub(crate) changing: Changing,
}

/// Which games are changed, and how.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Editing {
    #[command(flatten)]
    pub(crate) choice: Choice,
    #[command(flatten)]
    pub(crate) changing: Changing,
}

/// How a database is changed in its place.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Changing {
    /// Copy the database before, to NAME.bak.SUFFIX
    #[arg(long)]
    pub(crate) backup: bool,
    /// Kinds of loss that are no reason to refuse
    #[arg(
        long,
        value_name = "KIND,...",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = kinds()
    )]
    pub(crate) allow: Vec<LossKind>,
    /// Print what was done as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

fn tag(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("NAME=VALUE is meant, such as Event=Bled")?;
    Ok((tag_name(name)?, value.to_owned()))
}

fn tag_name(name: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match name {
        "FEN" | "SetUp" => {
            Err("the start position belongs to the moves; `chessdb edit` changes both".to_owned())
        }
        "ScidFlags" => Err("`chessdb flag` sets and removes flags".to_owned()),
        "" => Err("the name of the tag is missing".to_owned()),
        name if name.chars().all(is_word) => Ok(name.to_owned()),
        name => Err(format!(
            "{name:?} is no name of a tag: letters, digits and _ are"
        )),
    }
}

fn flags(text: &str) -> Result<GameFlags, String> {
    let flags = chessdb::query::read_flags(text);
    let flags = flags.map_err(|error| error.message().to_owned())?;
    match flags.contains(GameFlags::DELETED) {
        true => Err("`chessdb delete` and `undelete` set and remove that mark".to_owned()),
        false => Ok(flags),
    }
}
