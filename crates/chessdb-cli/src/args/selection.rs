//! The words and games of a command that takes databases and a query.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::Arc;

use chessdb::Selection;
use chessdb::query::Query;

use super::{Command, InputOptions, Jobs, PositionOptions};
use crate::exit::Failure;
use crate::{query, text_file};

/// The choice of games: the listed games of the databases that match the query.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct GameChoice {
    /// Databases, folders or archives, then a query
    #[arg(value_name = "DATABASE|QUERY")]
    pub(crate) words: Vec<PathBuf>,
    /// Only these games: 1,5-9,20-, @FILE or - (stdin)
    #[arg(
        short = 'n',
        long,
        value_name = "LIST",
        value_parser = selection,
        default_value = "1-",
        hide_default_value = true
    )]
    pub(crate) games: Selection,
    /// Whether games are chosen by `-n`, even all of them, or by numbers after the database.
    #[arg(skip)]
    pub(crate) is_given: bool,
    #[command(flatten)]
    pub(crate) position_options: PositionOptions,
}

/// The games that a command reads, and how it reads them.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ScanOptions {
    #[command(flatten)]
    pub(crate) choice: GameChoice,
    /// Treat damage as an error (exit code 3)
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print no notes on standard error, only errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// How a command uses the databases among its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordUse {
    /// Reads them; a query may follow.
    Read,
    /// Reads all except the last one, which it writes.
    Write,
    /// As [`WordUse::Write`], but changes the only one in place.
    WriteOrChange,
    /// Changes them in place.
    Change,
}

impl Command {
    /// Returns the choice of games of a command that takes databases and a query, and how it uses the
    /// databases.
    pub(crate) fn selection(&mut self) -> Option<(&mut GameChoice, WordUse)> {
        use WordUse::{Change, Read, Write, WriteOrChange};
        Some(match self {
            Command::Show(args) => (&mut args.choice, Read),
            Command::Names(args) => {
                let is_list = args.apply.is_none() && args.rename.is_empty();
                let word_use = if is_list { Read } else { WriteOrChange };
                (&mut args.output_options.choice, word_use)
            }
            Command::Split(args) => (&mut args.output_options.choice, Read),
            Command::Convert(args) => (&mut args.output_options.choice, Write),
            Command::Sort(args) => (&mut args.output_options.choice, Write),
            Command::Merge(args) => (&mut args.output_options.choice, Write),
            Command::Dedupe(args) => (&mut args.output_options.choice, Write),
            Command::Eco(args) => (&mut args.output_options.choice, WriteOrChange),
            Command::Tag(args) => (&mut args.edit_options.choice, Change),
            Command::Delete(args) => (&mut args.edit_options.choice, Change),
            Command::Undelete(args) => (&mut args.edit_options.choice, Change),
            Command::Flag(args) => (&mut args.edit_options.choice, Change),
            // Its second word is the player.
            Command::Prepare(_) => return None,
            command => (&mut command.scan_options()?.choice, Read),
        })
    }
}

impl GameChoice {
    /// Returns the databases, and the query that follows them.
    pub(crate) fn databases_and_query(&self) -> Result<(&[PathBuf], Arc<Query>), Failure> {
        let (databases, terms) = query::split_query(&self.words);
        Ok((databases, query::read(terms, self.position_options)?))
    }
}

impl ScanOptions {
    /// Returns the same options for other databases and another query.
    pub(crate) fn with_words(&self, words: Vec<PathBuf>) -> ScanOptions {
        let mut options = self.clone();
        options.choice.words = words;
        options
    }

    /// Returns the same options for the games of databases that fit the terms of a command and the
    /// query of its user.
    pub(crate) fn with_terms(
        &self,
        databases: &[PathBuf],
        own: Vec<String>,
        query: &[PathBuf],
    ) -> ScanOptions {
        let own: Vec<PathBuf> = own.into_iter().map(PathBuf::from).collect();
        // An `or` must not reach beyond the query, to the terms of the command.
        let sign = |sign: &str| (!own.is_empty() && !query.is_empty()).then(|| sign.into());
        let (begin, end) = (sign("("), sign(")"));
        let words = databases.iter().chain(&own).cloned().chain(begin);
        self.with_words(words.chain(query.iter().cloned()).chain(end).collect())
    }

    /// Returns the same options for all games of databases.
    pub(crate) fn for_all_games(&self, databases: &[PathBuf]) -> ScanOptions {
        let choice = GameChoice {
            words: databases.to_vec(),
            ..GameChoice::default()
        };
        ScanOptions {
            choice,
            ..self.clone()
        }
    }
}

/// Parses a list of games: `1,5-9,20-`, or with `@` a file with one or more such lists per line, as
/// `ls` prints them.
fn selection(text: &str) -> Result<Selection, String> {
    let words = |error: chessdb::Error| error.to_string();
    let content = match text.strip_prefix('@') {
        _ if text == "-" => {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.and_then(|_| text_file::decode(&bytes))
        }
        Some(file) => text_file::read(file.as_ref()),
        None => return text.parse().map_err(words),
    };
    let content = content.map_err(|error| error.to_string())?;
    // In a line of `ls` the game's data follow after a tab.
    let lines = content
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default());
    // A list written on Windows has a carriage return at the end of each line.
    let lists = lines.flat_map(|line| line.split([' ', ',', '\r']));
    let lists: Vec<&str> = lists.filter(|list| !list.is_empty()).collect();
    lists.join(",").parse().map_err(words)
}
