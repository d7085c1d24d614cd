//! Comparison by content: a game is found wherever it is.
//!
//! 1. Both databases are read side by side. Games at the same place that are equal are reported at
//!    once. All others wait, with 24 bytes each, for a game of the other database with the same
//!    content key.
//! 2. What has no equal game is read again for its similarity keys ([`super::similar`]).
//! 3. Changed games and those of one database are read once more and reported ([`super::report`]).

use std::ops::ControlFlow;

use chessdb_core::Diagnostic;
use chessdb_database::{Game, Selection};
use chessdb_files::error::Result;

use super::keys::{ContentHasher, ContentKey};
use super::reading::{Databases, ReadResult};
use super::report::{Partners, Report};
use super::similar::find_similar;
use super::{Comparison, Pair};

/// The number of waiting games from which equal ones are removed while reading continues.
const SETTLED_FROM: usize = 1 << 20;

/// The index of a game that has been paired.
pub(super) const PAIRED: u32 = u32::MAX;

/// A game whose counterpart is not known yet. Sorted by content, then by place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WaitingGame {
    key: ContentKey,
    index: u32,
    spelling: u32,
}

/// Compares two databases by content. With `by_order`, games without a similar game are compared
/// with the game at the same place if both databases have the same number of games. Returns the
/// diagnostics of both that belong to no game.
///
/// # Errors
///
/// Returns an error if a database failed as a whole, or has to be read again and cannot.
pub(super) fn compare_by_content(
    databases: &Databases<'_>,
    by_order: bool,
    comparison: &mut Comparison<'_>,
) -> Result<(Vec<Diagnostic>, Vec<Diagnostic>)> {
    let mut left = databases.left(Selection::all())?;
    let mut right = databases.right(Selection::all())?;
    let mut first = FirstReading::default();
    let mut flow = ControlFlow::Continue(());
    while flow.is_continue() {
        let games = (left.next()?, right.next()?);
        if matches!(games, (ReadResult::End, ReadResult::End)) {
            break;
        }
        flow = first.read(games, comparison);
    }
    let diagnostics = (left.take_diagnostics(), right.take_diagnostics());
    if flow.is_continue() && first.has_waiting() {
        first.settle(comparison);
        let by_order = by_order && left.count == right.count;
        drop((left, right));
        let (unpaired, partners) = first.finish();
        let pairs = find_similar(databases, unpaired, by_order)?;
        Report::new(databases, pairs, partners).visit(comparison)?;
    }
    Ok(diagnostics)
}

/// The state of the first reading of both databases.
#[derive(Default)]
struct FirstReading {
    hasher: ContentHasher,
    /// Number of places read.
    place: u32,
    left: WaitingGames,
    right: WaitingGames,
    partners: Partners,
    /// The number of waiting games after equal ones were last removed.
    settled: usize,
}

#[derive(Default)]
struct WaitingGames {
    games: Vec<WaitingGame>,
    /// The indexes of damaged games. They are compared and reported with their diagnostics.
    damaged: Vec<u32>,
}

impl WaitingGames {
    fn add(&mut self, game: &Game, hasher: &mut ContentHasher) {
        if game.is_damaged() {
            self.damaged.push(game.index());
            return;
        }
        let content = hasher.hash(game);
        self.games.push(WaitingGame {
            key: content.key,
            index: game.index(),
            spelling: content.spelling,
        });
    }

    fn into_indexes(self) -> Vec<u32> {
        let mut indexes = self.damaged;
        indexes.extend(self.games.iter().map(|game| game.index));
        indexes.sort_unstable();
        indexes
    }
}

impl FirstReading {
    /// Reports the games at one place if they are equal; otherwise they wait.
    fn read(
        &mut self,
        (left, right): (ReadResult<'_>, ReadResult<'_>),
        comparison: &mut Comparison<'_>,
    ) -> ControlFlow<()> {
        let left = comparison.see_left(left)?;
        let right = comparison.see_right(right)?;
        let place = self.place;
        self.place += 1;
        if let (Some(left), Some(right)) = (left, right)
            && let Some(flow) = self.visit_if_equal(left, right, comparison)
        {
            if self.has_waiting() {
                self.partners.set(left.index(), right.index());
            }
            return flow;
        }
        // Until the first difference, games at the same place are partners, and need no list.
        if !self.has_waiting() {
            self.partners = Partners::from(place);
        }
        if let Some(left) = left {
            self.left.add(left, &mut self.hasher);
        }
        if let Some(right) = right {
            self.right.add(right, &mut self.hasher);
        }
        // Each time the number has doubled, so that sorting takes little time in all.
        if self.waiting() >= SETTLED_FROM.max(2 * self.settled) {
            self.settle(comparison);
        }
        (comparison.visit)(Pair::Undecided)
    }

    /// Reports the games at one place if they are equal; otherwise returns `None`.
    fn visit_if_equal(
        &mut self,
        left: &Game,
        right: &Game,
        comparison: &mut Comparison<'_>,
    ) -> Option<ControlFlow<()>> {
        let is_similar = left.plies() == right.plies() && left.header.date == right.header.date;
        if !is_similar {
            return None;
        }
        let [a, b] = [left, right].map(|game| self.hasher.hash(game));
        if a.key == b.key {
            return Some(comparison.visit_equal(left, right, a.spelling != b.spelling, false));
        }
        // The keys of equal games differ if one database has data of its format.
        comparison.visit_if_equal(left, right)
    }

    fn waiting(&self) -> usize {
        self.left.games.len() + self.right.games.len()
    }

    /// Returns whether any game was not equal to the game at the same place.
    fn has_waiting(&self) -> bool {
        self.partners.has_begun()
    }

    /// Removes waiting games that are equal.
    fn settle(&mut self, comparison: &mut Comparison<'_>) {
        let summary = &mut comparison.summary;
        let partners = &mut self.partners;
        pair_equal(
            &mut self.left.games,
            &mut self.right.games,
            |left, right| {
                summary.equal += 1;
                summary.spelled += u64::from(left.spelling != right.spelling);
                partners.set(left.index, right.index);
            },
        );
        self.settled = self.waiting();
    }

    /// Returns the indexes of the games without an equal game, left and right, and the equal pairs.
    fn finish(self) -> ([Vec<u32>; 2], Partners) {
        let unpaired = [self.left.into_indexes(), self.right.into_indexes()];
        (unpaired, self.partners)
    }
}

/// Passes pairs of games with equal keys to `paired` and removes them. If several games have the
/// same key, the first of them is paired with the first, and so on.
fn pair_equal(
    left: &mut Vec<WaitingGame>,
    right: &mut Vec<WaitingGame>,
    mut paired: impl FnMut(&WaitingGame, &WaitingGame),
) {
    left.sort_unstable();
    right.sort_unstable();
    let mut others = right.iter_mut().peekable();
    left.retain(|game| {
        while others.next_if(|other| other.key < game.key).is_some() {}
        match others.next_if(|other| other.key == game.key) {
            Some(other) => {
                paired(game, other);
                other.index = PAIRED;
                false
            }
            None => true,
        }
    });
    right.retain(|game| game.index != PAIRED);
}
