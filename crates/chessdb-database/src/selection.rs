//! Selections of games by number.

use std::ops::{Range, RangeInclusive};
use std::str::FromStr;
use std::sync::Arc;

use chessdb_core::sorting::sort_by_key;
use chessdb_files::error::{Error, Problem};

/// A set of game numbers, counted from 1: ascending ranges that do not touch, or a list in a given
/// order ([`Selection::in_order`]).
///
/// Parsed from text such as `1,5-9,20-`. Order and repetition in the text do not matter; games are
/// read in database order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection(SelectionKind);

#[derive(Clone, PartialEq, Eq, Debug)]
enum SelectionKind {
    Ranges(Vec<RangeInclusive<u32>>),
    /// The list in its order, and sorted.
    List(Arc<[u32]>, Arc<[u32]>),
}

impl Default for Selection {
    fn default() -> Selection {
        Selection::all()
    }
}

impl Selection {
    /// Selects every game.
    pub fn all() -> Selection {
        Selection(SelectionKind::Ranges(vec![1..=u32::MAX]))
    }

    /// Returns runs of games of one database each, in the order of these games. A game is given by the
    /// index of its database and its number, from 1; a run is read at once.
    ///
    /// ```
    /// use chessdb::Selection;
    ///
    /// let runs = Selection::runs([(0, 3), (0, 1), (1, 5), (0, 2)]);
    /// assert_eq!(runs[0], (0, Selection::in_order(vec![3, 1])));
    /// assert_eq!(runs.len(), 3);
    /// ```
    pub fn runs(games: impl IntoIterator<Item = (usize, u32)>) -> Vec<(usize, Selection)> {
        let mut runs: Vec<(usize, Vec<u32>)> = Vec::new();
        for (database, number) in games {
            match runs.last_mut() {
                Some((last, numbers)) if *last == database => numbers.push(number),
                _ => runs.push((database, vec![number])),
            }
        }
        let runs = runs.into_iter();
        runs.map(|(database, numbers)| (database, Selection::in_order(numbers)))
            .collect()
    }

    /// Selects these games, counted from 1, in this order. A stream yields them in its own order.
    ///
    /// ```
    /// use chessdb::{Database, Selection};
    ///
    /// let bytes = &b"[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n"[..];
    /// let db = Database::options().open_files([("a.pgn", bytes)])?;
    /// let games = db.scan().select(Selection::in_order(vec![2, 1])).into_iter();
    /// let white: Vec<_> = games.map(|game| game.unwrap().white().into_owned()).collect();
    /// assert_eq!(white, ["B", "A"]);
    /// # Ok::<(), chessdb::Error>(())
    /// ```
    pub fn in_order(mut numbers: Vec<u32>) -> Selection {
        numbers.retain(|number| *number > 0);
        let mut sorted = numbers.clone();
        // A second list answers `contains` by binary search, while the first one has the order of
        // the caller.
        sorted.sort_unstable();
        Selection(SelectionKind::List(numbers.into(), sorted.into()))
    }

    /// Selects the games with these indexes, counted from 0 and ascending.
    pub(crate) fn of_indexes(indexes: impl IntoIterator<Item = u32>) -> Selection {
        let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
        for number in indexes.into_iter().filter_map(|index| index.checked_add(1)) {
            match ranges.last_mut() {
                Some(last) if number <= last.end().saturating_add(1) => {
                    *last = *last.start()..=number.max(*last.end());
                }
                _ => ranges.push(number..=number),
            }
        }
        Selection(SelectionKind::Ranges(ranges))
    }

    /// Selects also all games from the one with this index on. The selected games come before it.
    pub(crate) fn followed_by(self, index: u32) -> Selection {
        let mut ranges = match self.0 {
            SelectionKind::Ranges(ranges) => ranges,
            SelectionKind::List(_, sorted) => {
                sorted.iter().map(|number| *number..=*number).collect()
            }
        };
        let number = index.saturating_add(1);
        match ranges.last_mut() {
            Some(last) if last.end().saturating_add(1) >= number => {
                *last = *last.start()..=u32::MAX
            }
            _ => ranges.push(number..=u32::MAX),
        }
        Selection(SelectionKind::Ranges(ranges))
    }

    /// Returns the games that `others` selects too, in the order of this selection.
    pub(crate) fn within(&self, others: &Selection) -> Selection {
        let (mut ranges, mut others) = match (&self.0, &others.0) {
            (SelectionKind::Ranges(ranges), SelectionKind::Ranges(others)) => {
                (ranges.iter().peekable(), others.iter().peekable())
            }
            (SelectionKind::Ranges(_), SelectionKind::List(_, sorted)) => {
                let both = sorted.iter().filter(|number| self.contains(**number));
                return Selection::of_indexes(both.map(|number| number - 1));
            }
            (SelectionKind::List(list, _), _) => {
                let both = list.iter().filter(|number| others.contains(**number));
                return Selection::in_order(both.copied().collect());
            }
        };
        let mut both = Vec::new();
        while let (Some(one), Some(other)) = (ranges.peek(), others.peek()) {
            let start = *one.start().max(other.start());
            let end = *one.end().min(other.end());
            if start <= end {
                both.push(start..=end);
            }
            if one.end() <= other.end() {
                ranges.next();
            } else {
                others.next();
            };
        }
        Selection(SelectionKind::Ranges(both))
    }

    /// Returns whether games come in ascending order, each once.
    pub(crate) fn is_ascending(&self) -> bool {
        matches!(self.0, SelectionKind::Ranges(_))
    }

    /// Returns whether every game is selected.
    pub fn is_all(&self) -> bool {
        matches!(&self.0, SelectionKind::Ranges(ranges) if *ranges == [1..=u32::MAX])
    }

    /// Returns whether game `number`, counted from 1, is selected.
    pub fn contains(&self, number: u32) -> bool {
        match &self.0 {
            SelectionKind::Ranges(ranges) => {
                let index = ranges.partition_point(|range| *range.end() < number);
                ranges
                    .get(index)
                    .is_some_and(|range| range.contains(&number))
            }
            SelectionKind::List(_, sorted) => sorted.binary_search(&number).is_ok(),
        }
    }

    /// Returns the greatest selected number.
    pub fn last(&self) -> u32 {
        match &self.0 {
            SelectionKind::Ranges(ranges) => ranges.last().map_or(0, |range| *range.end()),
            SelectionKind::List(_, sorted) => sorted.last().copied().unwrap_or_default(),
        }
    }

    /// Returns the number of selected games in a database of `len` games.
    pub fn count_in(&self, len: u32) -> u32 {
        match &self.0 {
            SelectionKind::Ranges(ranges) => {
                let clipped = ranges
                    .iter()
                    .map(|range| *range.start()..=(*range.end()).min(len));
                let clipped = clipped.filter(|range| !range.is_empty());
                clipped.map(|range| range.end() - range.start() + 1).sum()
            }
            SelectionKind::List(_, sorted) => {
                sorted.partition_point(|number| *number <= len) as u32
            }
        }
    }

    /// Returns the number of the selected game after `last`; `done` games, including `last`,
    /// came before it.
    fn next(&self, done: usize, last: u32) -> Option<u32> {
        match &self.0 {
            SelectionKind::Ranges(ranges) => {
                let number = last.checked_add(1)?;
                let index = ranges.partition_point(|range| *range.end() < number);
                ranges.get(index).map(|range| number.max(*range.start()))
            }
            SelectionKind::List(list, _) => list.get(done).copied(),
        }
    }
}

/// An iterator over the indexes, from 0, of the selected games of a database.
#[derive(Default, Debug)]
pub struct SelectedIndexes {
    selection: Selection,
    len: u32,
    /// The count of numbers taken from the selection, and the last of them.
    done: usize,
    last: u32,
    left: usize,
}

impl SelectedIndexes {
    /// Creates the iterator for a database of `len` games.
    pub fn new(selection: Selection, len: u32) -> SelectedIndexes {
        SelectedIndexes {
            left: selection.count_in(len) as usize,
            selection,
            len,
            done: 0,
            last: 0,
        }
    }

    /// Returns the number of games left.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Returns the next consecutive indexes, at most `most`.
    pub(crate) fn next_block(&mut self, max_games: u32) -> Option<Range<u32>> {
        let first = self.next()?;
        let mut end = first.saturating_add(1);
        if let SelectionKind::Ranges(ranges) = &self.selection.0 {
            let index = ranges.partition_point(|range| *range.end() < end);
            let last = ranges.get(index).map_or(end, |range| *range.end());
            end = last
                .min(self.len)
                .min(first.saturating_add(max_games))
                .max(end);
            let more = (end - first - 1) as usize;
            (self.done, self.left) = (self.done + more, self.left.saturating_sub(more));
            self.last = end;
        }
        Some(first..end)
    }
}

impl Iterator for SelectedIndexes {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        while self.left > 0 {
            let number = self.selection.next(self.done, self.last)?;
            self.done += 1;
            self.last = number;
            // A list may contain numbers of games that do not exist.
            if (1..=self.len).contains(&number) {
                self.left -= 1;
                return Some(number - 1);
            }
        }
        None
    }
}

impl FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Selection, Error> {
        let bad = || Error::from(Problem::InvalidSelection(text.to_owned()));
        let number = |text: &str| match text.trim().parse() {
            Ok(0) | Err(_) => Err(bad()),
            Ok(number) => Ok(number),
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let ends = part.split_once("..").or_else(|| part.split_once('-'));
            let range: RangeInclusive<u32> = match ends {
                None => {
                    let one = number(part)?;
                    one..=one
                }
                Some(("", "")) => return Err(bad()),
                Some((first, "")) => number(first)?..=u32::MAX,
                Some(("", last)) => 1..=number(last)?,
                Some((first, last)) => number(first)?..=number(last)?,
            };
            if range.is_empty() {
                return Err(bad());
            }
            ranges.push(range);
        }
        // Binary searches in ranges need them sorted and disjoint.
        sort_by_key(&mut ranges, |range| *range.start());
        let mut merged: Vec<RangeInclusive<u32>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => merged.push(range),
            }
        }
        Ok(Selection(SelectionKind::Ranges(merged)))
    }
}

impl From<RangeInclusive<u32>> for Selection {
    /// Selects games by number, counted from 1.
    fn from(numbers: RangeInclusive<u32>) -> Selection {
        Selection(SelectionKind::Ranges(if numbers.is_empty() {
            Vec::new()
        } else {
            vec![numbers]
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_sorted_and_merged() {
        let selection: Selection = "5-9,1,20-,8-12,13".parse().unwrap();
        let places: Vec<u32> = SelectedIndexes::new(selection.clone(), 21).collect();
        assert_eq!(places, [0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 19, 20]);
        assert_eq!(SelectedIndexes::new("3".parse().unwrap(), 2).count(), 0);
        assert_eq!(selection.count_in(21), 12);
        assert_eq!(selection.count_in(0), 0);
        assert!(selection.contains(13) && !selection.contains(14) && !selection.contains(0));
        assert!(!selection.is_all());
        assert!("1-".parse::<Selection>().unwrap().is_all());
        let first: Selection = "-3".parse().unwrap();
        assert_eq!(first, Selection::from(1..=3));
    }

    #[test]
    fn intersections_have_the_games_of_both() {
        let texts = ["1-", "-4", "1,3-5,8", "2-3,5-6,9-", "7"];
        let mut all: Vec<Selection> = texts.map(|text| text.parse().unwrap()).to_vec();
        all.push(Selection::in_order(vec![8, 3, 5, 1]));
        all.push(Selection::of_indexes([]));
        all.push(Selection::of_indexes([0, 1, 4, 7]).followed_by(8));
        all.push(Selection::of_indexes([2, 5]).followed_by(8));
        assert_eq!(all[7], "1-2,5,8-".parse().unwrap());
        for one in &all {
            for other in &all {
                let both = SelectedIndexes::new(one.within(other), 12);
                let expected = SelectedIndexes::new(one.clone(), 12);
                let expected = expected.filter(|index| other.contains(index + 1));
                let (both, expected): (Vec<u32>, Vec<u32>) = (both.collect(), expected.collect());
                assert_eq!(both, expected, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn runs_have_the_same_games() {
        for (text, len) in [
            ("1-", 0),
            ("1-", 9),
            ("2-3,5,7-99", 30),
            ("4-8", 6),
            ("9", 5),
        ] {
            let selection: Selection = text.parse().unwrap();
            let mut runs = SelectedIndexes::new(selection.clone(), len);
            let mut games = Vec::new();
            while let Some(run) = runs.next_block(4) {
                assert!((1..=4).contains(&run.len()));
                games.extend(run);
                assert_eq!(runs.left() + games.len(), selection.count_in(len) as usize);
            }
            let expected: Vec<u32> = SelectedIndexes::new(selection, len).collect();
            assert_eq!(games, expected, "{text} of {len}");
        }
        let mut list = SelectedIndexes::new(Selection::in_order(vec![3, 4, 1]), 5);
        assert_eq!(
            (list.next_block(4), list.next_block(4)),
            (Some(2..3), Some(3..4))
        );
    }

    #[test]
    fn lists_keep_their_order() {
        let list = Selection::in_order(vec![5, 1, 9, 3, 0]);
        let mut places = SelectedIndexes::new(list.clone(), 5);
        assert_eq!(
            (places.left(), places.next(), places.left()),
            (3, Some(4), 2)
        );
        assert_eq!(places.collect::<Vec<_>>(), [0, 2]);
        assert!(list.contains(9) && !list.contains(2) && !list.is_all());
        assert_eq!((list.last(), list.count_in(4)), (9, 2));
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for bad in ["", "0", "-", "3-1", "a", "1,,2", "4294967296", "1-2-3"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad}");
        }
    }
}
