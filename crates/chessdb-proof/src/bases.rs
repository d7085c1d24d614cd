//! One line per base: which of the three promises hold.

use std::fmt;
use std::path::Path;

use chessdb::convert::Progress;
use chessdb::core::{ErrorKind, FileSet, Game, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb::fs::FoundDatabase;
use chessdb::{Format, Losses};
use chessdb_testkit::identity;

use crate::hop::{Outcome, hop, there_and_back};
use crate::matrix::targets;

/// What became of a promise.
#[derive(Clone, Debug)]
pub enum Promise {
    /// Every byte is the same.
    Identical,
    /// The games are equal, but not the bytes: how many differ, where first.
    Equal(u64, String),
    /// There is nothing to promise: why.
    Void(&'static str),
    /// It does not hold: why.
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

/// What was found about a base.
#[derive(Debug)]
pub struct Line {
    /// Its path, as given.
    pub name: String,
    /// The id of its format.
    pub format: &'static str,
    /// How many games it has.
    pub games: u32,
    /// The bytes of its files together.
    pub bytes: u64,
    /// Parsed into the structures on disk and written again.
    pub raw: Promise,
    /// Through the model and back into its own format.
    pub rewrite: Promise,
    /// What rewriting lost.
    pub rewrite_losses: Losses,
    /// Into every other format and back: the target's id, what was announced there and back.
    pub conversions: Vec<(&'static str, Outcome)>,
}

impl Line {
    /// Whether all promises hold.
    pub fn holds(&self) -> bool {
        let broken = |promise: &Promise| matches!(promise, Promise::Broken(_));
        !broken(&self.raw)
            && !broken(&self.rewrite)
            && self
                .conversions
                .iter()
                .all(|(_, outcome)| outcome.problem_count == 0)
    }

    /// How many conversions keep the promise, or the first that does not.
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

/// Kinds and counts, such as `nag 3, tag 1`; `none` if there are none.
pub fn kinds(losses: &Losses) -> String {
    let kinds: Vec<_> = losses
        .iter()
        .map(|loss| format!("{} {}", loss.kind.code(), loss.count))
        .collect();
    match kinds.is_empty() {
        true => "none".to_owned(),
        false => kinds.join(", "),
    }
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

/// Examines the base at a path.
///
/// # Errors
///
/// Why it cannot be opened, in words.
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
            let (mut there, back) = there_and_back("", &own, format, target);
            there.merge(back);
            line.conversions.push((target.id, there));
        }
    }
    Ok(line)
}

/// The files of a base, and whether their bytes come back.
fn files(path: &Path) -> Result<(&'static Format, MemorySet, Promise), String> {
    let find = || chessdb::fs::find(path).map_err(|error| error.to_string());
    let found = find()?;
    let damaged = found.is_packed() && found.can_stream();
    let format = found.format();
    match found.read() {
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

/// What can be had of a packed file that is damaged: the games before that place, as a file of their
/// own.
fn before_the_damage(found: &FoundDatabase) -> Result<MemorySet, String> {
    let mut reader = found
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
    let written = identity::write_all(found.format(), &games, WriteOptions::default());
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

/// How many bytes differ, those that only one of them has included.
fn differing(left: &MemorySet, right: &MemorySet) -> u64 {
    let ranges = identity::differing_ranges(left, right);
    ranges.iter().map(|(_, range)| range.len() as u64).sum()
}
