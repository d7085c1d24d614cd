//! The command `undo`: the last change of a database is undone or repeated.

use std::time::{SystemTime, UNIX_EPOCH};

use chessdb::core::Date;
use chessdb::fs::{LastChange, RecordedCommand, last_change};
use chessdb::{Error, formats::shown};

use crate::args::{Undo, quoted};
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::json::{Json, SCHEMA, list, object};
use crate::output::{count, print_json, print_text};
use crate::report::index_note;

pub(crate) fn run(args: &Undo) -> Outcome {
    let name = shown(&args.base).to_string();
    let database = chessdb::fs::find(&args.base)?;
    let files = database.files();
    let main = files.first().map_or(database.path(), |(_, file)| file);
    if args.list {
        let changes = last_change(main)?.unwrap_or_default();
        print_changes(&name, &changes, args.json)?;
        if changes.commands.is_empty() {
            say(format_args!("{name}: no change is recorded"));
        }
        return Ok(Completion::of_search(changes.commands.len() as u64));
    }
    input::refuse_read_only(&database, false)?;
    let failed = |error: Error| Failure::target(&error, &name);
    let mut sink = chessdb::fs::create(main, database.format(), true).map_err(failed)?;
    // The library of the format cannot write while its files are also read.
    drop(database);
    let changes = chessdb::fs::undo(&mut sink).map_err(failed)?;
    if let (Some(last), false) = (changes.commands.first(), args.quiet) {
        let verb = if changes.is_undone { "undone" } else { "repeated" };
        let next = if changes.is_undone { "repeats it" } else { "undoes it again" };
        let what = in_words(last);
        let index = index_note(sink.old_indexes());
        say(format_args!(
            "{name}: {verb}: {what}; `chessdb undo` {next}{index}"
        ));
    }
    if args.json {
        print_json(&json_of(&name, &changes))?;
    }
    Ok(Completion::Success)
}

fn print_changes(name: &str, changes: &LastChange, json: bool) -> Result<(), Failure> {
    if json {
        return Ok(print_json(&json_of(name, changes))?);
    }
    let lines = changes.commands.iter().enumerate().map(|(n, command)| {
        let mark = if n == 0 && changes.is_undone { "  (undone)" } else { "" };
        format!("{}  {}{mark}\n", time(command.time), in_words(command))
    });
    Ok(print_text(&lines.collect::<String>())?)
}

fn json_of(name: &str, changes: &LastChange) -> Json {
    let commands = changes.commands.iter().enumerate().map(|(n, command)| {
        object! {
            "time": time(command.time).as_str(), "games": command.games.map_or(Json::Null, Json::from),
            "command": command.command.as_str(), "undone": n == 0 && changes.is_undone,
        }
    });
    object! {
        "schema": SCHEMA, "base": name, "undone": changes.is_undone, "changes": list(commands),
    }
}

fn in_words(command: &RecordedCommand) -> String {
    match command.games {
        Some(games) => format!("{} ({})", command.command, count(games, "game")),
        None => command.command.clone(),
    }
}

/// Returns a time as date and time of day, in UTC.
fn time(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs();
    let days = i64::try_from(seconds / 86_400).unwrap_or(i64::MAX);
    let date = Date::from_days_since_1970(days).unwrap_or(Date::UNKNOWN);
    let Date { year, month, day } = date;
    let (hours, minutes, seconds) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}Z")
}

/// Returns the arguments of this program as one would write them, without passwords.
pub(super) fn command_line() -> String {
    let mut text = String::new();
    let mut is_password = false;
    for word in std::env::args_os().skip(1) {
        let mut word = word.to_string_lossy().into_owned();
        if is_password {
            "...".clone_into(&mut word);
        }
        is_password = word == "--password";
        if word.starts_with("--password=") {
            "--password=...".clone_into(&mut word);
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&quoted(&word));
    }
    text
}
