//! Games on their way out of a base: which ones, one after another, by whom.

use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::str::FromStr;

use chessdb_core::{
    Diagnostic, Error, ErrorKind, Game, GameRead, GameStore, Location, Result, Scratch, Severity,
};

/// Games of a source by number, counted from 1: ranges in ascending order that do not touch.
///
/// Written `1,5-9,20-`; order and repetition in the text do not matter, games are always taken in
/// the order of the base.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection(Vec<RangeInclusive<u32>>);

impl Default for Selection {
    fn default() -> Selection {
        Selection::all()
    }
}

impl Selection {
    /// Every game.
    pub fn all() -> Selection {
        Selection(vec![1..=u32::MAX])
    }

    /// Whether no game is left out.
    pub fn is_all(&self) -> bool {
        matches!(self.0.as_slice(), [range] if *range == (1..=u32::MAX))
    }

    /// The ranges, ascending, counted from 1.
    pub fn ranges(&self) -> &[RangeInclusive<u32>] {
        &self.0
    }

    /// Whether it takes game `number`, counted from 1.
    pub fn contains(&self, number: u32) -> bool {
        let at = self.0.partition_point(|range| *range.end() < number);
        self.0.get(at).is_some_and(|range| range.contains(&number))
    }

    /// The last number it takes.
    pub fn last(&self) -> u32 {
        self.0.last().map_or(0, |range| *range.end())
    }

    /// How many of a base of `len` games it takes.
    pub fn count_in(&self, len: u32) -> u32 {
        self.clipped(len)
            .map(|range| range.end() - range.start() + 1)
            .sum()
    }

    /// The numbers it takes of a base of `len` games.
    pub fn numbers_in(&self, len: u32) -> impl Iterator<Item = u32> + '_ {
        self.clipped(len).flatten()
    }

    fn clipped(&self, len: u32) -> impl Iterator<Item = RangeInclusive<u32>> + '_ {
        self.0
            .iter()
            .map(move |range| *range.start()..=(*range.end()).min(len))
            .filter(|range| !range.is_empty())
    }
}

/// Why a list of games could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSelection(String);

impl fmt::Display for BadSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" is no list of games such as 1,5-9,20- (counted from 1)",
            self.0
        )
    }
}

impl std::error::Error for BadSelection {}

impl FromStr for Selection {
    type Err = BadSelection;

    fn from_str(text: &str) -> std::result::Result<Selection, BadSelection> {
        let bad = || BadSelection(text.to_owned());
        let number = |text: &str| match text.trim().parse() {
            Ok(0) | Err(_) => Err(bad()),
            Ok(number) => Ok(number),
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let range: RangeInclusive<u32> = match part.split_once('-') {
                None => {
                    let one = number(part)?;
                    one..=one
                }
                Some((first, "")) => number(first)?..=u32::MAX,
                Some(("", last)) => 1..=number(last)?,
                Some((first, last)) => number(first)?..=number(last)?,
            };
            if range.is_empty() {
                return Err(bad());
            }
            ranges.push(range);
        }
        ranges.sort_unstable_by_key(|range| *range.start());
        let mut merged: Vec<RangeInclusive<u32>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => merged.push(range),
            }
        }
        Ok(Selection(merged))
    }
}

/// Where games come from: by number, or one after another.
pub enum Games<'a> {
    /// Any game at any time, by several threads at once.
    Store(&'a dyn GameStore),
    /// In order, once.
    Stream(Box<dyn GameRead + Send + 'a>),
}

impl fmt::Debug for Games<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Games::Store(store) => write!(f, "Store({} games)", store.len()),
            Games::Stream(_) => f.write_str("Stream"),
        }
    }
}

/// What is wanted of a source.
#[derive(Clone, Default, Debug)]
pub struct Task {
    /// Which games.
    pub selection: Selection,
    /// Heads suffice. A stream gives whole games all the same.
    pub heads_only: bool,
}

/// One game and what reading it said. Meant to be filled again and again.
#[derive(Default, Debug)]
pub struct Item {
    /// Its number in the source, from 1.
    pub number: u32,
    /// The game; without meaning if there is an error.
    pub game: Game,
    /// Why the game could not be read at all.
    pub error: Option<Error>,
    /// What lenient reading got over.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics beyond the limit, only counted.
    pub more_diagnostics: u32,
}

impl Item {
    /// Whether anything of the game is missing because the source is damaged.
    pub fn is_damaged(&self) -> bool {
        self.error.is_some()
            || self
                .diagnostics
                .iter()
                .any(|d| d.severity == Severity::Lost)
    }

    /// Fills the item with game `number` (from 1) of a store.
    pub fn read(
        &mut self,
        store: &dyn GameStore,
        number: u32,
        heads_only: bool,
        scratch: &mut Scratch,
    ) {
        let index = number.saturating_sub(1);
        let result = if heads_only {
            store.head_into(index, &mut self.game, scratch)
        } else {
            store.game_into(index, &mut self.game, scratch)
        };
        self.settle(number, result.err(), scratch);
    }

    /// Fills the item with the next game of a stream, which is game `number`. False at the end;
    /// an error if the stream itself failed.
    pub fn read_next(
        &mut self,
        stream: &mut dyn GameRead,
        number: u32,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        let error = match stream.read_into(&mut self.game, scratch) {
            Ok(false) => return Ok(false),
            Ok(true) => None,
            Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => return Err(error),
            Err(error) => Some(error),
        };
        self.settle(number, error, scratch);
        Ok(true)
    }

    fn settle(&mut self, number: u32, error: Option<Error>, scratch: &mut Scratch) {
        self.number = number;
        self.error = error.map(|error| error.at(Location::game(number)));
        self.diagnostics.clear();
        std::mem::swap(&mut self.diagnostics, &mut scratch.diagnostics);
        self.more_diagnostics = std::mem::take(&mut scratch.more_diagnostics);
        for diagnostic in &mut self.diagnostics {
            diagnostic.at.fill(Location::game(number));
        }
    }
}

/// Takes games one by one; [`ControlFlow::Break`] ends the reading.
pub type Visit<'v> = dyn FnMut(&mut Item) -> ControlFlow<()> + 'v;

/// Reads the games of a source and hands them on in the order of the base. A program that wants
/// threads brings its own; this crate starts none.
pub trait Executor {
    /// Hands every game that `task` asks for to `visit`, until that breaks. Faults of single games
    /// are in their items. The answer is what was found on the way that belongs to no game: text
    /// behind the last one, a packed file that is damaged. An error means that the source failed as a
    /// whole.
    fn run(
        &mut self,
        games: Games<'_>,
        task: &Task,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Diagnostic>>;
}

/// Reads one game after another on the calling thread.
#[derive(Clone, Copy, Default, Debug)]
pub struct InOrder;

impl Executor for InOrder {
    fn run(
        &mut self,
        games: Games<'_>,
        task: &Task,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Diagnostic>> {
        let mut scratch = Scratch::new();
        let mut item = Item::default();
        match games {
            Games::Store(store) => {
                for number in task.selection.numbers_in(store.len()) {
                    item.read(store, number, task.heads_only, &mut scratch);
                    if visit(&mut item).is_break() {
                        break;
                    }
                }
                Ok(Vec::new())
            }
            Games::Stream(mut stream) => {
                let mut numbers = StreamNumbers::new(&task.selection);
                let mut next = || -> Result<bool> {
                    let Some(number) = numbers.next(&mut *stream)? else {
                        return Ok(false);
                    };
                    Ok(item.read_next(&mut *stream, number, &mut scratch)?
                        && visit(&mut item).is_continue())
                };
                let ended = loop {
                    match next() {
                        Ok(true) => {}
                        Ok(false) => break Ok(()),
                        Err(error) => break Err(error),
                    }
                };
                end_of_stream(&mut *stream, ended)
            }
        }
    }
}

/// What a stream has to say once no further game is taken from it. That a packed file is damaged
/// belongs there; that the system cannot read is an error.
pub fn end_of_stream(stream: &mut dyn GameRead, ended: Result<()>) -> Result<Vec<Diagnostic>> {
    let mut found = stream.take_diagnostics();
    if let Err(error) = ended {
        // Whoever unpacks reports damage as an input error without a number of the system's.
        if matches!(error.kind(), ErrorKind::Io(io) if io.raw_os_error().is_some()) {
            return Err(error);
        }
        let (kind, at) = error.into_parts();
        found.push(Diagnostic::new(Severity::Lost, kind, at));
    }
    Ok(found)
}

/// Goes through a stream, skipping what a selection leaves out.
#[derive(Debug)]
pub struct StreamNumbers<'s> {
    selection: &'s Selection,
    next: u32,
}

impl<'s> StreamNumbers<'s> {
    /// Begins before the first game.
    pub fn new(selection: &'s Selection) -> StreamNumbers<'s> {
        StreamNumbers { selection, next: 1 }
    }

    /// Skips to the next game that is wanted and says its number; the caller reads it. None if no
    /// further game is wanted or the stream is at its end.
    pub fn next(&mut self, stream: &mut dyn GameRead) -> Result<Option<u32>> {
        while self.next <= self.selection.last() {
            let number = self.next;
            self.next = self.next.saturating_add(1);
            if self.selection.contains(number) {
                return Ok(Some(number));
            }
            match stream.skip_game() {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => return Err(error),
                // A fault in a game that nobody asked for.
                Err(_) => {}
            }
            if number == u32::MAX {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_sorted_and_merged() {
        let selection: Selection = "5-9,1,20-,8-12,13".parse().unwrap();
        assert_eq!(selection.ranges(), [1..=1, 5..=13, 20..=u32::MAX]);
        assert_eq!(
            selection.numbers_in(21).collect::<Vec<_>>(),
            [1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 21]
        );
        assert_eq!(selection.count_in(21), 12);
        assert_eq!(selection.count_in(0), 0);
        assert!(selection.contains(13) && !selection.contains(14) && !selection.contains(0));
        assert!(!selection.is_all());
        assert!("1-".parse::<Selection>().unwrap().is_all());
        assert_eq!("-3".parse::<Selection>().unwrap().ranges(), [1..=3]);
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for bad in ["", "0", "-", "3-1", "a", "1,,2", "4294967296", "1-2-3"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad}");
        }
    }
}
