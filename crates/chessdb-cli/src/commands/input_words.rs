//! Completes the words of a command line: standard input where no database is named, game numbers
//! in place of a query, and words that can mean two things.

use std::io;
use std::path::{Path, PathBuf};

use chessdb::formats::FormatHint;
use chessdb::fs::Finder;
use chessdb::query::Query;

use crate::args::{ColumnChoice, Command, GameChoice, WordUse};
use crate::commands::spool::{SpooledInput, spool};
use crate::exit::{Failure, say};
use crate::query::{
    address_advice, ambiguous_path, begins_query, game_list, game_numbers, is_address,
    is_file_name, split_query, split_query_at_term, years_of,
};

/// Completes the words of a command. Returns the copy of standard input, if one was needed.
///
/// # Errors
///
/// Returns an error if no database is named and nothing is piped, if games are selected twice, or
/// if a command that changes games would have to guess the meaning of a word.
pub(super) fn complete(command: &mut Command) -> Result<Option<SpooledInput>, Failure> {
    if lists_columns(command) {
        return Ok(None);
    }
    let is_find = matches!(command, Command::Find(_));
    if let Some(words) = readable(command) {
        add_stdin(words, is_find)?;
    }
    if let Some((choice, word_use)) = command.selection() {
        let split = match word_use {
            WordUse::Write | WordUse::WriteOrChange => split_query_at_term,
            WordUse::Read | WordUse::Change => split_query,
        };
        let changes = match word_use {
            WordUse::Read | WordUse::Write => false,
            WordUse::WriteOrChange => split(&choice.words).0.len() == 1,
            WordUse::Change => true,
        };
        // Before the guesses, since a number is then no longer a word of the query.
        let paths = split(&choice.words).0.len();
        take_numbers(choice, paths, changes)?;
        match (changes, word_use) {
            (true, _) => refuse_guesses(split(&choice.words))?,
            (false, WordUse::Read) => note_paths(split(&choice.words).0),
            (false, _) => {}
        }
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
    Some(match command {
        Command::Open(args) => &mut args.words,
        Command::Info(args) => &mut args.bases,
        Command::Check(args) => &mut args.bases,
        Command::Show(args) => &mut args.choice.words,
        Command::Names(args) => {
            if args.apply.is_some() {
                return None;
            }
            &mut args.output_options.choice.words
        }
        // They have more words than databases and a query.
        Command::Novelty(_) | Command::Prepare(_) | Command::Repertoire(_) => return None,
        command => &mut command.scan_options()?.choice.words,
    })
}

fn add_stdin(words: &mut Vec<PathBuf>, is_find: bool) -> Result<(), Failure> {
    // In `find 1.e4 < games.pgn` the only word is the query.
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
        return if is_find && words.len() == 1 { Ok(()) } else { Err(Failure::usage(message)) };
    }
    words.insert(0, PathBuf::from("-"));
    Ok(())
}

/// Returns whether standard input is a pipe, a socket or a redirected file: not a terminal, and not
/// a device such as `/dev/null` or `NUL`.
#[cfg(unix)]
pub(super) fn is_piped() -> bool {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    // A duplicate, because dropping the `File` closes its descriptor.
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let data = stdin.and_then(|stdin| File::from(stdin).metadata());
    data.is_ok_and(|data| {
        let kind = data.file_type();
        kind.is_file() || kind.is_fifo() || kind.is_socket()
    })
}

#[cfg(windows)]
pub(super) fn is_piped() -> bool {
    let kind = winapi_util::file::typ(io::stdin());
    kind.is_ok_and(|kind| kind.is_pipe() || kind.is_disk())
}

/// Takes numbers after the databases, which are the first `paths` words, as games. Numbers that are
/// years are a query: in a command that changes games they are refused.
fn take_numbers(choice: &mut GameChoice, paths: usize, changes: bool) -> Result<(), Failure> {
    let words = &mut choice.words;
    let terms = words.get(paths..).unwrap_or_default();
    let Some((list, numbers)) = game_numbers(terms) else {
        return Ok(());
    };
    if let Some(years) = years_of(&list) {
        if changes {
            return Err(number_or_year(&list, &years));
        }
        say(format_args!(
            "chessdb: {list} is read as {years}; for game numbers write -n {list}"
        ));
        words.truncate(paths);
        words.push(years.into());
        return Ok(());
    }
    if choice.is_given {
        return Err(Failure::usage(
            "games are selected twice: by -n and after the database",
        ));
    }
    words.truncate(paths);
    choice.games = numbers;
    choice.is_given = true;
    Ok(())
}

fn number_or_year(list: &str, years: &str) -> Failure {
    Failure::Usage(format!(
        "{list} may be a game number or a year, so nothing was changed; write -n {list} or {years}"
    ))
}

/// Reports words that are read as databases and may be meant as words of the query.
fn note_paths(paths: &[PathBuf]) {
    for path in paths.iter().skip(1) {
        if let (Some(kind), Some(word)) = (ambiguous_path(path), path.to_str()) {
            say(format_args!(
                "chessdb: {word} is a {kind} here and is read as one; for the word write \
                 player:{word}"
            ));
        }
    }
}

/// Returns whether a word has at most two letters, such as the initial of a given name.
fn is_very_short(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    (1..=2).contains(&word.chars().count()) && word.chars().all(char::is_alphabetic)
}

/// Returns an error if a word of a command that changes games can mean two things: a file or folder
/// and a word, or a number and a year.
fn refuse_guesses((paths, terms): (&[PathBuf], &[PathBuf])) -> Result<(), Failure> {
    let twofold = |kind: &str, word: &str| {
        Failure::Usage(format!(
            "{word} may be a {kind} here or a word of the query, so nothing was changed; for the \
             {kind} write ./{word}, for the word player:{word} or event:{word}"
        ))
    };
    for path in paths.iter().skip(1) {
        if let (Some(kind), Some(word)) = (ambiguous_path(path), path.to_str()) {
            return Err(twofold(kind, word));
        }
    }
    let text = Query::join(terms.iter().filter_map(|term| term.to_str()));
    for word in Query::bare_words(&text) {
        let path = Path::new(&word);
        if is_very_short(&word) {
            return Err(Failure::Usage(format!(
                "{word} is part of many names, so nothing was changed; for a given name write it \
                 after a comma, as in Tal,M, for any name with these letters player:{word}"
            )));
        }
        if let Some(list) = game_list(&word) {
            return Err(match years_of(&list) {
                Some(years) => number_or_year(&list, &years),
                None => Failure::Usage(format!(
                    "{word} may be a game number or a word, so nothing was changed; write -n {list} \
                     or event:{word}"
                )),
            });
        }
        if let Some(kind) = ambiguous_path(path) {
            return Err(twofold(kind, &word));
        }
        // The name that the files of a database share.
        if Finder::new().find(path, FormatHint::default()).is_ok() {
            return Err(twofold("database", &word));
        }
    }
    Ok(())
}
