//! Reports the games that differ, in the order of both databases.

use std::collections::HashMap;
use std::iter::Peekable;
use std::vec;

use chessdb_database::Game;
use chessdb_files::error::{Error, Problem, Result};

use super::Comparison;
use super::reading::{Databases, ReadResult, Side, select};
use super::similar::SimilarPairs;

/// Maximum bytes of games that are read in advance.
const MAX_AHEAD_BYTES: usize = 32 << 20;

/// Maximum number of games that are read in advance.
const MAX_AHEAD: usize = 4096;

/// The place of a game without a partner.
const NONE: u32 = u32::MAX;

/// The partner of each left game, from the first place where the databases differ.
#[derive(Default)]
pub(super) struct Partners {
    first: Option<u32>,
    partners: Vec<u32>,
}

impl Partners {
    /// Starts at this place. All games before it are equal to those at their place.
    pub(super) fn from(place: u32) -> Partners {
        Partners {
            first: Some(place),
            partners: Vec::new(),
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.first.is_some()
    }

    pub(super) fn set(&mut self, left: u32, right: u32) {
        let place = left.saturating_sub(self.first.unwrap_or(0)) as usize;
        if place >= self.partners.len() {
            self.partners.resize(place + 1, NONE);
        }
        if let Some(partner) = self.partners.get_mut(place) {
            *partner = right;
        }
    }
}

/// Returns for each number whether it belongs to a longest ascending series of them; those that are
/// [`NONE`] never do.
fn longest_ascending(numbers: &[u32]) -> Vec<bool> {
    let number = |place: u32| numbers.get(place as usize).copied().unwrap_or(NONE);
    // The last place of the best series of each length, and the place before each in its series.
    let mut ends: Vec<u32> = Vec::new();
    let mut before = vec![NONE; numbers.len()];
    for (place, (&own, before)) in numbers.iter().zip(&mut before).enumerate() {
        if own == NONE {
            continue;
        }
        let length = ends.partition_point(|&end| number(end) < own);
        if let Some(&end) = length.checked_sub(1).and_then(|last| ends.get(last)) {
            *before = end;
        }
        match ends.get_mut(length) {
            Some(end) => *end = place as u32,
            None => ends.push(place as u32),
        }
    }
    let mut belongs = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(place) = next {
        if let Some(belongs) = belongs.get_mut(place as usize) {
            *belongs = true;
        }
        let place = before.get(place as usize).copied();
        next = place.filter(|&place| place != NONE);
    }
    belongs
}

/// A pair of games, or a game of one database, by their indexes.
#[derive(Clone, Copy)]
enum ReportedGames {
    /// With whether they are at different places in the order that both databases share.
    Pair(u32, u32, bool),
    OnlyLeft(u32),
    OnlyRight(u32),
}

/// The games to report, ordered like the left database. A game that only the right database has
/// comes before the game that follows it there.
struct ReportOrder {
    /// The next left game.
    left: u32,
    /// From the next left game on: its partner, and whether it keeps its place.
    partners: vec::IntoIter<u32>,
    keeps_place: vec::IntoIter<bool>,
    pairs: Peekable<vec::IntoIter<(u32, u32)>>,
    only_left: Peekable<vec::IntoIter<u32>>,
    only_right: Peekable<vec::IntoIter<u32>>,
}

impl Iterator for ReportOrder {
    type Item = ReportedGames;

    fn next(&mut self) -> Option<ReportedGames> {
        loop {
            let next = self.partners.as_slice().first();
            let keeps_place = self.keeps_place.as_slice().first() == Some(&true);
            let Some(&partner) = next else {
                return self.only_right.next().map(ReportedGames::OnlyRight);
            };
            if keeps_place && let Some(right) = self.only_right.next_if(|&right| right < partner) {
                return Some(ReportedGames::OnlyRight(right));
            }
            let left = self.left;
            self.left += 1;
            self.partners.next();
            self.keeps_place.next();
            if let Some((left, right)) = self.pairs.next_if(|pair| pair.0 == left) {
                return Some(ReportedGames::Pair(left, right, !keeps_place));
            }
            if let Some(left) = self.only_left.next_if(|&only| only == left) {
                return Some(ReportedGames::OnlyLeft(left));
            }
        }
    }
}

/// Reads the games to report and passes them to the visitor.
pub(super) struct Report<'a, 'd> {
    databases: &'a Databases<'d>,
    order: ReportOrder,
    /// The left games in their order.
    left: Vec<u32>,
    /// The right games that keep their place, in their order.
    right: Vec<u32>,
    /// The other right games, in the order of their partners.
    moved: Vec<u32>,
    /// The number of equal pairs that were moved and are not reported.
    equal_moved: u64,
}

impl<'a, 'd> Report<'a, 'd> {
    pub(super) fn new(
        databases: &'a Databases<'d>,
        similar: SimilarPairs,
        mut partners: Partners,
    ) -> Report<'a, 'd> {
        for &(left, right) in &similar.pairs {
            partners.set(left, right);
        }
        // The games after the last pair have no partner.
        if let Some(&last) = similar.only_left.last() {
            let length = last.saturating_sub(partners.first.unwrap_or(0)) as usize + 1;
            let length = length.max(partners.partners.len());
            partners.partners.resize(length, NONE);
        }
        let first = partners.first.unwrap_or(0);
        let keeps_place = longest_ascending(&partners.partners);
        let is_kept = |left: u32| {
            let place = left.saturating_sub(first) as usize;
            keeps_place.get(place) == Some(&true)
        };
        let SimilarPairs {
            pairs,
            only_left,
            only_right,
        } = similar;
        let (unmoved, moved): (Vec<(u32, u32)>, _) = pairs.iter().partition(|pair| is_kept(pair.0));
        let mut left: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
        left.extend(&only_left);
        let mut right: Vec<u32> = unmoved.iter().map(|pair| pair.1).collect();
        right.extend(&only_right);
        let moved: Vec<u32> = moved.iter().map(|pair| pair.1).collect();
        let with_partner = partners.partners.iter().zip(&keeps_place);
        let all_moved =
            with_partner.filter(|&(&partner, &keeps_place)| partner != NONE && !keeps_place);
        Report {
            databases,
            equal_moved: (all_moved.count() - moved.len()) as u64,
            order: ReportOrder {
                left: first,
                partners: partners.partners.into_iter(),
                keeps_place: keeps_place.into_iter(),
                pairs: pairs.into_iter().peekable(),
                only_left: only_left.into_iter().peekable(),
                only_right: only_right.into_iter().peekable(),
            },
            left,
            right,
            moved,
        }
    }

    /// Passes all games to the visitor, until that breaks.
    ///
    /// # Errors
    ///
    /// Returns an error if a database cannot be read again, or has other games than before.
    pub(super) fn visit(self, comparison: &mut Comparison<'_>) -> Result<()> {
        comparison.summary.moved += self.equal_moved;
        if self.left.is_empty() && self.right.is_empty() && self.moved.is_empty() {
            return Ok(());
        }
        let databases = self.databases;
        let mut lefts = databases.left(select(self.left.into_iter()))?;
        let mut rights = databases.right(select(self.right.into_iter()))?;
        let mut ahead = ReadAhead::new(databases, self.moved);
        for games in self.order {
            let flow = match games {
                ReportedGames::OnlyLeft(left) => comparison.only_left(read(&mut lefts, left)?),
                ReportedGames::OnlyRight(right) => comparison.only_right(read(&mut rights, right)?),
                ReportedGames::Pair(left, right, true) => {
                    let right = ahead.take(right)?;
                    comparison.pair(read(&mut lefts, left)?, &right, true)
                }
                ReportedGames::Pair(left, right, false) => {
                    let left = read(&mut lefts, left)?;
                    comparison.pair(left, read(&mut rights, right)?, false)
                }
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Reads the next game, which was readable before and has this index.
fn read<'s>(side: &'s mut Side<'_>, index: u32) -> Result<&'s Game> {
    match side.next()? {
        ReadResult::Game(game) if game.index() == index => Ok(game),
        ReadResult::Failed(error) => Err(error),
        _ => Err(Error::from(Problem::Replaced)),
    }
}

/// Right games in the order of their partners: read in portions, each of them in the order of its
/// database, which may be a stream.
struct ReadAhead<'a, 'd> {
    databases: &'a Databases<'d>,
    /// The games to read, in the order in which they are taken, and the place of the next one.
    indexes: Vec<u32>,
    next: usize,
    /// How many games to read at once.
    portion: usize,
    games: HashMap<u32, Box<Game>>,
}

impl<'a, 'd> ReadAhead<'a, 'd> {
    fn new(databases: &'a Databases<'d>, indexes: Vec<u32>) -> ReadAhead<'a, 'd> {
        ReadAhead {
            databases,
            indexes,
            next: 0,
            portion: MAX_AHEAD,
            games: HashMap::new(),
        }
    }

    /// Returns a game, which is the next one of the list.
    fn take(&mut self, index: u32) -> Result<Box<Game>> {
        while !self.games.contains_key(&index) {
            self.read_portion()?;
        }
        self.next += 1;
        let game = self.games.remove(&index);
        game.ok_or_else(|| Error::from(Problem::Replaced))
    }

    /// Reads the next games. If they are too large, tries again with fewer of them.
    fn read_portion(&mut self) -> Result<()> {
        self.games.clear();
        let indexes = self.indexes.iter().skip(self.next).take(self.portion);
        let mut side = self.databases.right(select(indexes.copied()))?;
        let mut bytes = 0;
        loop {
            match side.next()? {
                // The database has changed since its keys were read; without this the loop would
                // not end.
                ReadResult::End if self.games.is_empty() => {
                    return Err(Error::from(Problem::Replaced));
                }
                ReadResult::End => break,
                ReadResult::Game(game) => bytes += game.weight(),
                ReadResult::Failed(error) => return Err(error),
            }
            let game = side.take_game();
            self.games.insert(game.index(), game);
            // Reading begins again with fewer games, so that the limit holds for games of any size.
            if bytes > MAX_AHEAD_BYTES && self.portion > 1 {
                self.portion /= 2;
                self.games.clear();
                break;
            }
        }
        if bytes < MAX_AHEAD_BYTES / 4 {
            self.portion = (2 * self.portion).min(MAX_AHEAD);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longest_ascending_series() {
        for (numbers, length) in [
            (&[][..], 0),
            (&[NONE], 0),
            (&[0, 1, 2], 3),
            (&[2, 1, 0], 1),
            (&[5, 0, NONE, 1, 7, 2], 3),
            (&[1, 2, 3, 0, NONE], 3),
        ] {
            let belongs = longest_ascending(numbers);
            let series = numbers.iter().zip(&belongs).filter(|(_, is_in)| **is_in);
            let series: Vec<u32> = series.map(|(number, _)| *number).collect();
            assert_eq!(series.len(), length, "{numbers:?}");
            assert!(series.is_sorted() && !series.contains(&NONE), "{numbers:?}");
        }
    }
}
