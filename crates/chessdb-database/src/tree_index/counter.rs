//! Counting of the moves of positions.

use chessdb_core::Color;
use chessdb_query::tree::{BestGames, GameFacts, Tally};

use super::layout::MoveRecord;
use super::spool::PositionEvent;

/// Counts the moves of one position after the other. Its memory is reused.
pub(super) struct MoveCounter {
    /// The moves of the position.
    records: Vec<MoveRecord>,
    /// The best games of each move; `None` if no game was added to it.
    best: Vec<Option<BestGames>>,
    /// One more than the index of each move; 0 for other moves.
    index: Vec<u32>,
}

impl MoveCounter {
    pub(super) fn new() -> MoveCounter {
        MoveCounter {
            records: Vec::new(),
            best: Vec::new(),
            index: vec![0; 1 << 16],
        }
    }

    /// Adds events, with the properties of their games, to the known moves of a position. Returns all
    /// moves, in the order of their first games. `facts_of` returns the properties of games of the
    /// known moves.
    pub(super) fn count(
        &mut self,
        old_moves: &[MoveRecord],
        events: &[PositionEvent],
        facts: &[GameFacts],
        facts_of: &(impl Fn(u32) -> GameFacts + ?Sized),
    ) -> &[MoveRecord] {
        // Only the used slots are reset: the index has 65,536.
        for record in self.records.drain(..) {
            set_index(&mut self.index, record.mv, 0);
        }
        self.records.extend_from_slice(old_moves);
        self.best.clear();
        self.best.resize(self.records.len(), None);
        for (number, record) in (1..).zip(&self.records) {
            set_index(&mut self.index, record.mv, number);
        }
        for (event, facts) in events.iter().zip(facts) {
            let number = self.index.get(usize::from(event.mv())).copied();
            let index = match number.unwrap_or_default().checked_sub(1) {
                Some(index) => index as usize,
                None => self.push(event.mv()),
            };
            if let (Some(record), Some(best)) =
                (self.records.get_mut(index), self.best.get_mut(index))
            {
                let best = best.get_or_insert_with(|| best_of(record, facts_of));
                add(record, best, *event, facts);
            }
        }
        for (record, best) in self.records.iter_mut().zip(&self.best) {
            // The only game of a move is not stored.
            if let Some(best) = best.as_ref().filter(|_| record.tally.games > 1) {
                record.best = best.games().collect();
            }
        }
        if !self.records.is_sorted_by_key(|record| record.first_game) {
            self.records
                .sort_unstable_by_key(|record| record.first_game);
        }
        &self.records
    }

    /// Appends a move without games and returns its index.
    fn push(&mut self, mv: u16) -> usize {
        self.records.push(MoveRecord {
            mv,
            first_game: u32::MAX,
            ..MoveRecord::default()
        });
        // A new move has no stored games to load first.
        self.best.push(Some(BestGames::NONE));
        set_index(&mut self.index, mv, self.records.len() as u32);
        self.records.len() - 1
    }
}

fn set_index(index: &mut [u32], mv: u16, value: u32) {
    if let Some(slot) = index.get_mut(usize::from(mv)) {
        *slot = value;
    }
}

/// Returns the best games of a known move.
fn best_of(record: &MoveRecord, facts_of: &(impl Fn(u32) -> GameFacts + ?Sized)) -> BestGames {
    let mut best = BestGames::NONE;
    for &game in &record.best {
        best.add(facts_of(game).rating_sum(), game);
    }
    best
}

/// Adds a game to a move.
fn add(record: &mut MoveRecord, best: &mut BestGames, event: PositionEvent, facts: &GameFacts) {
    add_to(&mut record.tally, event, facts);
    record.first_year = earlier_year(record.first_year, facts.year);
    record.first_game = record.first_game.min(event.game());
    best.add(facts.rating_sum(), event.game());
}

fn add_to(tally: &mut Tally, event: PositionEvent, facts: &GameFacts) {
    let mover = if event.is_black() { Color::Black } else { Color::White };
    let plies = event.plies_left().saturating_sub(1);
    tally.add(mover, &GameFacts { plies, ..*facts });
}

/// Returns the tally of one game.
pub(super) fn tally_of(event: PositionEvent, facts: &GameFacts) -> Tally {
    let mut tally = Tally::default();
    add_to(&mut tally, event, facts);
    tally
}

/// Returns the earlier year; 0 is none.
pub(super) fn earlier_year(a: u16, b: u16) -> u16 {
    match (a, b) {
        (0, year) | (year, 0) => year,
        (a, b) => a.min(b),
    }
}
