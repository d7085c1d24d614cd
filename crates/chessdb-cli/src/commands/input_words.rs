//! Completes the words of a command line: standard input where no database is named, and game
//! numbers in place of a query.

use std::io;
use std::path::PathBuf;

use chessdb::Selection;

use crate::args::{ColumnChoice, Command};
use crate::commands::spool::{SpooledInput, spool};
use crate::exit::Failure;
use crate::query::{
    address_advice, begins_query, game_numbers, is_address, is_file_name, split_query,
};

/// Completes the words of a command. Returns the copy of standard input, if one was needed.
///
/// # Errors
///
/// Returns an error if no database is named and nothing is piped, or if games are selected twice.
pub(super) fn complete(command: &mut Command) -> Result<Option<SpooledInput>, Failure> {
    if lists_columns(command) {
        return Ok(None);
    }
    let is_find = matches!(command, Command::Find(_));
    if let Some(words) = readable(command) {
        add_stdin(words, is_find)?;
    }
    if let Some((words, games)) = numbered(command) {
        take_numbers(words, games)?;
    }
    match readable(command) {
        Some(words) => spool(words),
        None => Ok(None),
    }
}

/// Returns whether a command only lists the names of columns, for which it needs no database.
fn lists_columns(command: &Command) -> bool {
    match command {
        Command::Ls(args) => matches!(args.columns, Some(ColumnChoice::Help)),
        Command::Find(args) => matches!(args.columns, Some(ColumnChoice::Help)),
        Command::Cat(args) => {
            let is_help = |text: &String| text.eq_ignore_ascii_case("help");
            args.columns.as_ref().is_some_and(is_help)
        }
        _ => false,
    }
}

/// Returns the words of a command that can read standard input: databases, then a query.
fn readable(command: &mut Command) -> Option<&mut Vec<PathBuf>> {
    match command {
        Command::Open(args) => Some(&mut args.words),
        Command::Info(args) => Some(&mut args.bases),
        Command::Check(args) => Some(&mut args.bases),
        Command::Ls(args) => Some(&mut args.words),
        Command::Find(args) => Some(&mut args.words),
        Command::Tree(args) => Some(&mut args.words),
        Command::Stats(args) => Some(&mut args.words),
        Command::Cat(args) => Some(&mut args.words),
        Command::Show(args) => Some(&mut args.words),
        Command::Names(args) if args.apply.is_none() => Some(&mut args.words),
        _ => None,
    }
}

/// Returns the words and games of a command for which a query of numbers alone makes no sense.
fn numbered(command: &mut Command) -> Option<(&mut Vec<PathBuf>, &mut Selection)> {
    Some(match command {
        Command::Show(args) => (&mut args.words, &mut args.choice.games),
        Command::Cat(args) => (&mut args.words, &mut args.scan_options.choice.games),
        Command::Novelty(args) => (&mut args.words, &mut args.scan_options.choice.games),
        Command::Tag(args) => (&mut args.words, &mut args.edit_options.choice.games),
        Command::Delete(args) => (&mut args.words, &mut args.edit_options.choice.games),
        Command::Undelete(args) => (&mut args.words, &mut args.edit_options.choice.games),
        Command::Flag(args) => (&mut args.words, &mut args.edit_options.choice.games),
        _ => return None,
    })
}

fn add_stdin(words: &mut Vec<PathBuf>, is_find: bool) -> Result<(), Failure> {
    let names_database = words.first().is_some_and(|first| {
        is_file_name(first) || !(begins_query(first) || is_find && words.len() == 1)
    });
    if names_database {
        return Ok(());
    }
    if !is_piped() {
        if let Some(address) = words.first().filter(|word| is_address(word)) {
            return Err(Failure::Usage(address_advice(address)));
        }
        let message = "missing database; name a file or folder, or pipe games into the command";
        // `find` with one database and no query has a message of its own.
        return match is_find && words.len() == 1 {
            true => Ok(()),
            false => Err(Failure::Usage(message.to_owned())),
        };
    }
    words.insert(0, PathBuf::from("-"));
    Ok(())
}

/// Returns whether standard input is a pipe, a socket or a redirected file: not a terminal, and not
/// a device such as `/dev/null`.
#[cfg(unix)]
pub(super) fn is_piped() -> bool {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let data = stdin.and_then(|stdin| File::from(stdin).metadata());
    data.is_ok_and(|data| {
        let kind = data.file_type();
        kind.is_file() || kind.is_fifo() || kind.is_socket()
    })
}

#[cfg(not(unix))]
pub(super) fn is_piped() -> bool {
    use std::io::IsTerminal;
    !io::stdin().is_terminal()
}

fn take_numbers(words: &mut Vec<PathBuf>, games: &mut Selection) -> Result<(), Failure> {
    let (paths, terms) = split_query(words);
    let Some(numbers) = game_numbers(terms) else {
        return Ok(());
    };
    if !games.is_all() {
        let message = "games are selected twice: by -n and after the database";
        return Err(Failure::Usage(message.to_owned()));
    }
    let count = paths.len();
    words.truncate(count);
    *games = numbers;
    Ok(())
}
