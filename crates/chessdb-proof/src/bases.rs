//! The report on one database: which of the three promises hold.

use std::fmt;
use std::path::Path;

use chessdb::convert::Progress;
use chessdb::core::{ErrorKind, FileSet, Game, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb::fs::FoundDatabase;
use chessdb::{Format, Losses};
use chessdb_testkit::identity;

use crate::hop::{Outcome, hop, there_and_back};
use crate::matrix::targets;

/// The outcome of checking one promise.
#[derive(Clone, Debug)]
pub enum Promise {
    /// All bytes are equal.
    Identical,
    /// The games are equal, but the bytes are not: the number of bytes that differ, and the place
    /// of the first.
    Equal(u64, String),
    /// The promise does not apply, for this reason.
    Void(&'static str),
    /// The promise is broken, for this reason.
    Broken(String),
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Promise::Identical => f.write_str("identical"),
            Promise::Equal(bytes, first) => write!(f, "equal, {bytes} bytes differ ({first})"),
            Promise::Void(why) => write!(f, "- ({why})"),
            Promise::Broken(why) => write!(f, "BROKEN: {why}"),
        }
    }
}

/// The results for one database.
#[derive(Debug)]
pub struct Line {
    /// The name of the database for the report, such as its path.
    pub name: String,
    /// The id of the database's format.
    pub format: &'static str,
    /// The number of games.
    pub games: u32,
    /// The total size of the files, in bytes.
    pub bytes: u64,
    /// Result of parsing the files into the on-disk structures and writing these again.
    pub raw: Promise,
    /// Result of reading the database into the model and writing it in the same format.
    pub rewrite: Promise,
    /// The losses announced by that rewrite.
    pub rewrite_losses: Losses,
    /// Results of converting into every other format and back: the target's id, and the outcomes of
    /// both directions together.
    pub conversions: Vec<(&'static str, Outcome)>,
}

impl Line {
    /// Returns whether all promises hold.
    pub fn holds(&self) -> bool {
        let broken = |promise: &Promise| matches!(promise, Promise::Broken(_));
        !broken(&self.raw)
            && !broken(&self.rewrite)
            && self
                .conversions
                .iter()
                .all(|(_, outcome)| outcome.problem_count == 0)
    }

    /// Returns the number of conversions that keep the promise, or the first problem if any does
    /// not.
    pub fn conversion(&self) -> String {
        let all = self.conversions.len();
        let broken: Vec<_> = self
            .conversions
            .iter()
            .filter(|(_, outcome)| outcome.problem_count > 0)
            .collect();
        match broken
            .first()
            .and_then(|(_, outcome)| outcome.problems.first())
        {
            None => format!("held {all}/{all}"),
            Some(problem) => format!("BROKEN {}/{all}: {problem}", broken.len()),
        }
    }
}

/// Formats losses as kinds and counts, such as `nag 3, tag 1`; `none` if there are none.
pub fn kinds(losses: &Losses) -> String {
    let kinds: Vec<_> = losses
        .iter()
        .map(|loss| format!("{} {}", loss.kind.code(), loss.count))
        .collect();
    if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line {
            name,
            format,
            games,
            bytes,
            raw,
            rewrite,
            ..
        } = self;
        write!(
            f,
            "{name} ({format}): {games} games, {bytes} bytes; raw {raw}; rewrite {rewrite}"
        )?;
        if !self.rewrite_losses.is_empty() {
            write!(f, ", lost {}", kinds(&self.rewrite_losses))?;
        }
        write!(f, "; conversions {}", self.conversion())?;
        for (target, outcome) in &self.conversions {
            write!(f, "; {target}: {}", kinds(&outcome.losses))?;
        }
        Ok(())
    }
}

/// Checks the promises for the database at `path`.
///
/// Conversions into other formats are included if `convert` is set.
///
/// # Errors
///
/// Returns a message if the database cannot be opened.
pub fn examine(path: &Path, name: String, convert: bool) -> Result<Line, String> {
    let (format, own, raw) = files(path)?;
    let store = (format.open)(&own, ReadOptions::default()).map_err(|error| error.to_string())?;
    let mut line = Line {
        format: format.id,
        games: store.len(),
        bytes: own.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
        raw,
        rewrite: Promise::Void("read only"),
        rewrite_losses: Losses::new(),
        conversions: Vec::new(),
        name,
    };
    if format.create.is_some() {
        let again = hop("", &*store, Some(format), format);
        line.rewrite_losses = again.outcome.losses;
        line.rewrite = match again.outcome.problems.first() {
            Some(problem) => Promise::Broken(problem.trim_start_matches(", ").to_owned()),
            None => {
                identity::first_difference(&own, &again.files).map_or(Promise::Identical, |first| {
                    let place = match first.offset {
                        Some(offset) => format!("the first in {} at {offset:#x}", first.file),
                        None => format!("only one has {}", first.file),
                    };
                    Promise::Equal(differing(&own, &again.files), place)
                })
            }
        };
    }
    if convert {
        for target in targets().filter(|target| target.id != format.id) {
            let (mut outbound, back) = there_and_back("", &own, format, target);
            outbound.merge(back);
            line.conversions.push((target.id, outbound));
        }
    }
    Ok(line)
}

/// Returns the format and files of a database, and the result of the raw promise.
fn files(path: &Path) -> Result<(&'static Format, MemorySet, Promise), String> {
    // Reading consumes the database, so a damaged one is found again.
    let find = || chessdb::fs::find(path).map_err(|error| error.to_string());
    let database = find()?;
    // Only a packed file can be read up to its damage.
    let damaged = database.is_packed() && database.can_stream();
    let format = database.format();
    match database.read() {
        Ok(base) => {
            let own: MemorySet = base
                .iter()
                .map(|(role, ..)| (role, base.get(role).unwrap_or_default().to_vec()))
                .collect();
            let raw = raw(format, &own);
            Ok((format, own, raw))
        }
        Err(_) if damaged => {
            let own = before_the_damage(&find()?)?;
            Ok((format, own, Promise::Void("the packed file is damaged")))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the readable games of a damaged packed file, those before the damage, as a database of
/// their own.
fn before_the_damage(database: &FoundDatabase) -> Result<MemorySet, String> {
    let mut reader = database
        .stream(ReadOptions::default(), &Progress::default())
        .map_err(|error| error.to_string())?;
    let (mut games, mut scratch) = (Vec::new(), Scratch::new());
    loop {
        let mut game = Game::new();
        match reader.read_into(&mut game, &mut scratch) {
            Ok(true) => games.push(game),
            Err(error) if games.is_empty() => return Err(error.to_string()),
            Ok(false) | Err(_) => break,
        }
    }
    let written = identity::write_all(database.format(), &games, WriteOptions::default());
    Ok(written.map_err(|error| error.to_string())?.0)
}

fn raw(format: &Format, own: &MemorySet) -> Promise {
    let Some(parse_and_write) = format.raw else {
        return Promise::Void("the container is not ours");
    };
    match parse_and_write(own) {
        Ok(again) => match identity::first_difference(own, &again) {
            None => Promise::Identical,
            Some(first) => Promise::Broken(first.to_string()),
        },
        Err(error) if matches!(error.kind(), ErrorKind::MissingFile(_)) => {
            Promise::Void("a file is missing")
        }
        Err(error) => Promise::Broken(error.to_string()),
    }
}

/// Returns the number of bytes that differ, including bytes that only one side has.
fn differing(first: &MemorySet, second: &MemorySet) -> u64 {
    let ranges = identity::differing_ranges(first, second);
    ranges.iter().map(|(_, range)| range.len() as u64).sum()
}
