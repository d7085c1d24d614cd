//! The command `edit`: a game as PGN in the user's editor.

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use chessdb::convert::Replacement;
use chessdb::core::{Charset, Text};
use chessdb::formats::shown;
use chessdb::pgn::{Layout, stored_game, write_game};
use chessdb::{Database, Game, Losses, Selection};
use tempfile::TempPath;

use crate::args::Edit;
use crate::commands::database_scan::{first_game, no_such_game};
use crate::commands::edit::{ChangeReport, open, rewrite};
use crate::exit::{Failure, Outcome, say};
use crate::text_file;

pub(crate) fn run(args: &Edit) -> Outcome {
    let path = args.base.as_path();
    let number = args.number();
    let mut changes = ChangeReport::new(&args.in_place_options);
    let mut editor = open(path, &args.in_place_options)?;
    let Some(old) = game(editor.database(), number)? else {
        let games = Selection::in_order(vec![number]);
        changes.nothing(path, &no_such_game(editor.database(), &games));
        return changes.finish();
    };
    let stored = stored_text(editor.database(), number)?;
    let mut text = Vec::new();
    let losses = write_game(&old, &Layout::default(), &mut text);
    // A text format is edited as it is stored, so nothing of it is hidden.
    let (text, losses) = match &stored {
        Some(stored) => (stored.as_bytes(), Losses::new()),
        None => (&text[..], losses),
    };
    let Some((new, text)) = edited(&old, text, &losses)? else {
        changes.already(path, "the game is unchanged");
        return changes.finish();
    };
    if args.dry_run {
        changes.preview(path, editor.database(), &[number], "changed")?;
        return changes.finish();
    }
    let what = format!("game {number}");
    let report = rewrite(
        &mut editor,
        path,
        &changes,
        &mut |_: &mut Game| {},
        Some((number, new)),
        |converter| converter.edit_only(Selection::in_order(vec![number])),
    );
    let report = report.map_err(|failure| with_text(failure, text))?;
    changes.done(path, &editor, &report, 1, &what);
    changes.finish()
}

/// Keeps the text of a game that could not be written, and adds its path to the message.
fn with_text(failure: Failure, text: TempPath) -> Failure {
    let Failure::Output(message) = failure else {
        return failure;
    };
    Failure::Output(match text.keep() {
        Ok(path) => format!("{message}; your text is kept in {}", path.display()),
        Err(_) => message,
    })
}

/// Returns game `number`, as far as it can be read. `None` if the database has fewer games.
fn game(db: &Database, number: u32) -> Result<Option<Game>, Failure> {
    first_game(db.scan().select(Selection::in_order(vec![number])))
}

/// Returns the text of game `number` as it is stored, for a text format.
fn stored_text(db: &Database, number: u32) -> Result<Option<String>, Failure> {
    let Some(stored) = db.store()?.stored_text(number.saturating_sub(1)) else {
        return Ok(None);
    };
    let game = stored
        .bytes
        .get(stored_game(stored.bytes))
        .unwrap_or_default();
    let detector = stored.options.detector(Charset::WINDOWS_1252).around(game);
    let text = Text::new(game, detector.charset(game)).decode();
    // Editors treat other line ends in different ways.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Ok(Some(text + "\n"))
}

/// Lets the user edit the game. `None` if it is unchanged.
fn edited(
    old: &Game,
    text: &[u8],
    losses: &Losses,
) -> Result<Option<(Replacement, TempPath)>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::Output(format!("cannot write or read the edited file: {error}"))
    };
    let number = old.number();
    let file = tempfile::Builder::new()
        .prefix(&format!("game-{number}-"))
        .suffix(".pgn")
        .tempfile();
    let mut file = file.map_err(failed)?;
    file.write_all(text).map_err(failed)?;
    file.flush().map_err(failed)?;
    // The editor may replace the file by another one.
    let path = file.into_temp_path();
    start(&path)?;
    let bytes = fs::read(&path).map_err(failed)?;
    // Editors of other systems change the line ends.
    let is_unchanged = |new: &str| {
        let kept = |byte: &&u8| **byte != b'\r';
        new.as_bytes()
            .iter()
            .filter(kept)
            .eq(text.iter().filter(kept))
    };
    let read = match text_file::decode(&bytes) {
        Ok(new) if is_unchanged(&new) || new.trim_ascii().is_empty() => return Ok(None),
        Ok(new) => match Game::from_pgn(&new) {
            Ok(game) => Ok((game, new)),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error.to_string()),
    };
    match read {
        Ok((mut new, text)) => {
            if !losses.is_empty() {
                say(
                    "chessdb: data that PGN does not show is kept if it belongs to the game's header",
                );
            }
            // PGN does not show these data, so the user cannot have removed them.
            new.header.extras.clone_from(&old.header.extras);
            new.header.spare = old.header.spare;
            let replacement = Replacement {
                game: new.into_model(),
                text: Some(text),
            };
            Ok(Some((replacement, path)))
        }
        Err(why) => {
            let path = path.keep().map_err(|error| failed(error.error))?;
            Err(Failure::Input(format!(
                "{}: {why}; nothing was changed; your text is kept there",
                shown(&path)
            )))
        }
    }
}

/// Runs the editor and waits for it.
fn start(path: &Path) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| {
        let value = env::var(name).ok()?;
        (!value.trim().is_empty()).then_some(value)
    });
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    let editor = named.unwrap_or_else(|| usual.to_owned());
    let status = command(&editor).arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::Usage(format!(
            "editor `{editor}` failed; nothing was changed"
        ))),
        Err(error) => Err(Failure::Usage(format!(
            "cannot start editor `{editor}`: {error}; set $EDITOR to another one"
        ))),
    }
}

/// Returns the editor's command with its arguments, as the shell splits them.
#[cfg(unix)]
fn command(editor: &str) -> Command {
    // The value may have options and quotes, which only the shell splits as the user expects. The
    // path is a separate argument, so it needs no quotes.
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("{editor} \"$@\""))
        .arg(editor);
    command
}

/// Returns the editor's command with its arguments. Its path may have blanks, in quotes or not.
#[cfg(not(unix))]
fn command(editor: &str) -> Command {
    if Path::new(editor).is_file() {
        return Command::new(editor);
    }
    let mut is_quoted = false;
    let mut words = editor.split(|c: char| {
        is_quoted ^= c == '"';
        c == ' ' && !is_quoted
    });
    let mut command = Command::new(words.next().unwrap_or_default().trim_matches('"'));
    command.args(
        words
            .map(|word| word.trim_matches('"'))
            .filter(|word| !word.is_empty()),
    );
    command
}
