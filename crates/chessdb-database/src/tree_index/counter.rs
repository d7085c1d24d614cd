//! Counting of the moves of positions.

use chessdb_core::Color;
use chessdb_query::TallyEntry;

use super::collect::GameFacts;
use super::layout::{BEST_GAMES, MoveRecord};
use super::spool::PositionEvent;

/// Up to three games with the sum of their ratings, the best first. [`NO_GAME`] is last.
type BestGames = [(u32, u32); BEST_GAMES];

const NO_GAME: (u32, u32) = (0, u32::MAX);

/// The moves of a position, in the order of their first games.
#[derive(Default)]
pub(super) struct CountedMoves {
    /// The bits of each move.
    bits: Vec<u16>,
    records: Vec<MoveRecord>,
    /// The best games of each move; `None` if no game was added to it.
    best: Vec<Option<BestGames>>,
}

impl CountedMoves {
    /// Adds a game. All earlier games must have been added.
    pub(super) fn add(&mut self, event: PositionEvent, facts: &GameFacts) {
        let found = self.bits.iter().position(|bits| *bits == event.mv());
        let at = found.unwrap_or_else(|| self.push(event));
        self.add_to(at, event, facts, &|_| GameFacts::default());
    }

    /// Appends the move of an event, without games, and returns its index.
    fn push(&mut self, event: PositionEvent) -> usize {
        self.bits.push(event.mv());
        self.records.push(MoveRecord {
            mv: event.mv(),
            first_game: event.game(),
            ..MoveRecord::default()
        });
        self.best.push(Some([NO_GAME; BEST_GAMES]));
        self.records.len() - 1
    }

    /// Adds a game to a move. `facts_of` returns the properties of games of the known moves.
    fn add_to(
        &mut self,
        at: usize,
        event: PositionEvent,
        facts: &GameFacts,
        facts_of: &(impl Fn(u32) -> GameFacts + ?Sized),
    ) {
        if let (Some(record), Some(best)) = (self.records.get_mut(at), self.best.get_mut(at)) {
            let best = best.get_or_insert_with(|| {
                let mut best = [NO_GAME; BEST_GAMES];
                for (slot, &game) in best.iter_mut().zip(&record.best) {
                    *slot = (facts_of(game).rating_sum(), game);
                }
                best
            });
            add(record, best, event, facts);
        }
    }

    /// Replaces the moves by known ones.
    fn reset(&mut self, mut known: Vec<MoveRecord>) {
        self.records.clear();
        self.records.append(&mut known);
        self.bits.clear();
        self.bits
            .extend(self.records.iter().map(|record| record.mv));
        self.best.clear();
        self.best.resize(self.records.len(), None);
    }

    /// Returns the moves with their best games.
    pub(super) fn finish(&mut self) -> &[MoveRecord] {
        for (record, best) in self.records.iter_mut().zip(&self.best) {
            // The only game of a move is not stored.
            if let Some(best) = best.as_ref().filter(|_| record.tally.games > 1) {
                let games = best.iter().filter(|best| **best != NO_GAME);
                record.best = games.map(|&(_, game)| game).collect();
            }
        }
        &self.records
    }
}

/// Counts the moves of one position after the other. Its memory is reused.
pub(super) struct MoveCounter {
    moves: CountedMoves,
    /// One more than the index of each move; 0 for other moves.
    index: Vec<u32>,
}

impl MoveCounter {
    pub(super) fn new() -> MoveCounter {
        MoveCounter {
            moves: CountedMoves::default(),
            index: vec![0; 1 << 16],
        }
    }

    /// Adds events, with the properties of their games, to the known moves of a position. Returns all
    /// moves, in the order of their first games.
    pub(super) fn count(
        &mut self,
        known: Vec<MoveRecord>,
        events: &[PositionEvent],
        facts: &[GameFacts],
        facts_of: &(impl Fn(u32) -> GameFacts + ?Sized),
    ) -> &[MoveRecord] {
        for &bits in &self.moves.bits {
            set_index(&mut self.index, bits, 0);
        }
        self.moves.reset(known);
        for (number, &bits) in (1..).zip(&self.moves.bits) {
            set_index(&mut self.index, bits, number);
        }
        for (event, facts) in events.iter().zip(facts) {
            let number = self.index.get(usize::from(event.mv())).copied();
            let at = match number.unwrap_or_default().checked_sub(1) {
                Some(at) => at as usize,
                None => {
                    let at = self.moves.push(*event);
                    set_index(&mut self.index, event.mv(), at as u32 + 1);
                    at
                }
            };
            self.moves.add_to(at, *event, facts, facts_of);
        }
        self.moves.finish()
    }
}

fn set_index(index: &mut [u32], mv: u16, value: u32) {
    if let Some(slot) = index.get_mut(usize::from(mv)) {
        *slot = value;
    }
}

/// Adds a game to a move.
fn add(record: &mut MoveRecord, best: &mut BestGames, event: PositionEvent, facts: &GameFacts) {
    let mover = match event.is_black() {
        true => Color::Black,
        false => Color::White,
    };
    let [white, black] = facts.ratings;
    let known = |rating: u16| Some(rating).filter(|rating| *rating > 0);
    let entry = TallyEntry {
        outcome: facts.outcome,
        mover: known(mover.pick(white, black)),
        opponent: known(mover.pick(black, white)),
        year: facts.year,
        plies_left: event.plies_left().saturating_sub(1),
    };
    record.tally.add(mover, &entry);
    if facts.year > 0 && (record.first_year == 0 || facts.year < record.first_year) {
        record.first_year = facts.year;
    }
    let mut game = (facts.rating_sum(), event.game());
    let rank = |&(ratings, game): &(u32, u32)| (ratings, std::cmp::Reverse(game));
    for slot in best {
        if rank(&game) > rank(slot) {
            std::mem::swap(slot, &mut game);
        }
    }
}
