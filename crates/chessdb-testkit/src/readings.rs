//! Comparison of the ways of reading a database: header and whole game, stream and store, skipping
//! and reading, strict and lenient, a reused game and a new one, any order of games, an observer
//! and a reader.

use chessdb_core::compare::{first_difference, header_difference};
use chessdb_core::options::Mode;
use chessdb_core::{FileSet, Format, Game, GameRead, GameStore, ReadOptions, Result, Scratch};

/// Compares all ways of reading with one another, game by game.
///
/// # Panics
///
/// Panics at the first disagreement, with the number of the game. Errors are allowed, but all ways
/// must report them alike.
pub fn check(format: &Format, set: &dyn FileSet, options: &ReadOptions) {
    if let Err(message) = compare(format, set, options) {
        panic!("{}: {message}", format.id);
    }
}

/// The result of reading one game.
struct Reading {
    game: Game,
    /// Diagnostics and the error, in words.
    findings: Vec<String>,
    is_read: bool,
}

fn compare(
    format: &Format,
    set: &dyn FileSet,
    options: &ReadOptions,
) -> std::result::Result<(), String> {
    let lenient = with_mode(options, Mode::Lenient);
    let strict = with_mode(options, Mode::Strict);
    let store = match (format.open)(set, lenient.clone()) {
        Ok(store) => store,
        Err(error) if (format.open)(set, strict).is_ok() => {
            return Err(format!("opens strictly, but not leniently: {error}"));
        }
        // Nothing can be compared with a database that does not open.
        Err(_) => return Ok(()),
    };
    let readings = in_order(store.as_ref())?;
    backwards_and_used(store.as_ref(), &readings)?;
    observed::check(store.as_ref(), &readings)?;
    observed::check_either(store.as_ref(), &readings)?;
    if let Ok(store) = (format.open)(set, strict) {
        strictly(store.as_ref(), &readings)?;
    }
    if format.stream.is_some() {
        let base: Vec<String> = store
            .diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect();
        streamed(format, set, &lenient, &readings, &base)?;
        skipping(format, set, &lenient, &readings, &base)?;
    }
    Ok(())
}

fn with_mode(options: &ReadOptions, mode: Mode) -> ReadOptions {
    let mut options = options.clone();
    options.mode = mode;
    options
}

/// Reads every game into a new one, and its header alone.
fn in_order(store: &dyn GameStore) -> std::result::Result<Vec<Reading>, String> {
    let mut readings = Vec::new();
    for n in 0..store.len() {
        let mut scratch = Scratch::new();
        let mut game = Game::new();
        let read = store.game_into(n, &mut game, &mut scratch);
        let findings = findings(&mut scratch, read.as_ref().err());
        let mut header = Game::new();
        match store.header_into(n, &mut header, &mut Scratch::new()) {
            Ok(()) if !header.moves.is_empty() => {
                return Err(format!("game {}: the head brings moves", n + 1));
            }
            Ok(()) if read.is_ok() => {
                if let Some(difference) = header_difference(&header, &game) {
                    return Err(format!("game {}, head alone / game: {difference}", n + 1));
                }
            }
            Err(error) if read.is_ok() => {
                return Err(format!("game {}: read, but not its head: {error}", n + 1));
            }
            _ => {}
        }
        readings.push(Reading {
            game,
            findings,
            is_read: read.is_ok(),
        });
    }
    Ok(readings)
}

/// Reads from the last game to the first, always into the same game and scratch, and compares.
fn backwards_and_used(
    store: &dyn GameStore,
    readings: &[Reading],
) -> std::result::Result<(), String> {
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    for (n, reading) in readings.iter().enumerate().rev() {
        let read = store.game_into(n as u32, &mut game, &mut scratch);
        let findings = findings(&mut scratch, read.as_ref().err());
        same("new game / used game", n, reading, &game, &findings)?;
    }
    Ok(())
}

/// Checks that lenient reading gives the same result without findings if strict reading succeeds.
fn strictly(store: &dyn GameStore, readings: &[Reading]) -> std::result::Result<(), String> {
    if store.len() as usize != readings.len() {
        return Err(format!(
            "{} games strictly, {} leniently",
            store.len(),
            readings.len()
        ));
    }
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    for (n, reading) in readings.iter().enumerate() {
        match store.game_into(n as u32, &mut game, &mut scratch) {
            Ok(()) => {
                let findings = findings(&mut scratch, None);
                same("lenient / strict", n, reading, &game, &findings)?;
                if let Some(findings) = reading.findings.first() {
                    return Err(format!(
                        "game {}: strict is content, lenient says {findings}",
                        n + 1
                    ));
                }
            }
            Err(error) if reading.findings.is_empty() => {
                return Err(format!(
                    "game {}: lenient is silent, strict says {error}",
                    n + 1
                ));
            }
            // Findings of a rejected game must not be counted for the next one.
            Err(_) => scratch.diagnostics.clear(),
        }
    }
    Ok(())
}

fn stream<'a>(
    format: &Format,
    set: &'a dyn FileSet,
    options: &ReadOptions,
) -> std::result::Result<Box<dyn GameRead + Send + 'a>, String> {
    let open = format.stream.ok_or("no stream")?;
    let role = *format.roles.first().ok_or("no role")?;
    let bytes = set.get(role).unwrap_or_default();
    open(Box::new(bytes), options.clone()).map_err(|error| error.to_string())
}

fn streamed(
    format: &Format,
    set: &dyn FileSet,
    options: &ReadOptions,
    readings: &[Reading],
    base: &[String],
) -> std::result::Result<(), String> {
    let mut stream = stream(format, set, options)?;
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    for (n, reading) in readings.iter().enumerate() {
        let read = stream.read_into(&mut game, &mut scratch);
        if matches!(read, Ok(false)) {
            return Err(format!("the stream ends before game {}", n + 1));
        }
        let findings = findings(&mut scratch, read.as_ref().err());
        same("store / stream", n, reading, &game, &findings)?;
    }
    at_end(stream.read_into(&mut game, &mut scratch))?;
    of_no_game(&mut *stream, base)
}

/// Checks that skipping every other game does not change the games between.
fn skipping(
    format: &Format,
    set: &dyn FileSet,
    options: &ReadOptions,
    readings: &[Reading],
    base: &[String],
) -> std::result::Result<(), String> {
    for skip_even in [true, false] {
        let mut stream = stream(format, set, options)?;
        let mut game = Game::new();
        let mut scratch = Scratch::new();
        for (n, reading) in readings.iter().enumerate() {
            if (n % 2 == 0) == skip_even {
                match stream.skip_game() {
                    Ok(true) => continue,
                    Ok(false) => return Err(format!("skipping ends before game {}", n + 1)),
                    Err(error) => return Err(format!("skipping game {}: {error}", n + 1)),
                }
            }
            let read = stream.read_into(&mut game, &mut scratch);
            let findings = findings(&mut scratch, read.as_ref().err());
            same(
                "read / read behind a skipped game",
                n,
                reading,
                &game,
                &findings,
            )?;
        }
        at_end(stream.skip_game())?;
        of_no_game(&mut *stream, base)?;
    }
    Ok(())
}

fn at_end(read: Result<bool>) -> std::result::Result<(), String> {
    match read {
        Ok(false) => Ok(()),
        Ok(true) => Err("the stream has more games than the store".into()),
        Err(error) => Err(format!("after the last game: {error}")),
    }
}

/// Checks that stream and store report the same diagnostics that belong to no game.
fn of_no_game(stream: &mut dyn GameRead, base: &[String]) -> std::result::Result<(), String> {
    let diagnostics = stream.take_diagnostics();
    let diagnostics: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    if diagnostics != base {
        return Err(format!(
            "of no game, store / stream: {base:?} / {diagnostics:?}"
        ));
    }
    Ok(())
}

fn same(
    what: &str,
    n: usize,
    reading: &Reading,
    game: &Game,
    findings: &[String],
) -> std::result::Result<(), String> {
    if let Some(difference) = first_difference(&reading.game, game) {
        return Err(format!("game {}, {what}: {difference}", n + 1));
    }
    if reading.findings != findings {
        return Err(format!(
            "game {}, {what}: {:?} / {findings:?}",
            n + 1,
            reading.findings
        ));
    }
    Ok(())
}

/// Empties the scratch and returns its findings, and the error if any, in words.
fn findings(scratch: &mut Scratch, error: Option<&chessdb_core::Error>) -> Vec<String> {
    let mut findings: Vec<_> = scratch
        .diagnostics
        .drain(..)
        .map(|d| d.to_string())
        .collect();
    if scratch.dropped_diagnostics > 0 {
        findings.push(format!("and {} more", scratch.dropped_diagnostics));
        scratch.dropped_diagnostics = 0;
    }
    findings.extend(error.map(|error| format!("error: {error}")));
    findings
}

mod observed;

#[cfg(test)]
mod tests;
