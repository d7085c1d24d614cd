//! Games that have changed since a tree file was written: what the file counts of them is removed
//! from its answers, and what they are now is added.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chessdb_core::model::Outcome;
use chessdb_files::filesystem::{ChangedGame, bytes_at};
use chessdb_query::tree::GameFacts;

use super::collect::{CollectedPosition, CountedGame};
use super::counter::{MoveCounter, tally_of};
use super::layout::MoveRecord;
use super::spool::PositionEvent;

/// Length of the properties of a game in the list of changes, and of a position after them.
const FACTS_SIZE: usize = 12;
const POSITION_SIZE: usize = 12;

/// Returns the data of a changed game in the list of changes (docs/formats/chessdb-changes.md,
/// section 3): what a tree file counts of the game. `None` is a game that it does not count.
pub(crate) fn changed_data(game: Option<&CountedGame>) -> Vec<u8> {
    let mut out = Vec::new();
    let Some(game) = game else {
        return vec![0];
    };
    let facts = &game.facts;
    let outcome = Outcome::ALL
        .iter()
        .position(|outcome| *outcome == facts.outcome);
    out.extend((outcome.unwrap_or_default() as u16).to_le_bytes());
    for number in [facts.ratings[0], facts.ratings[1], facts.year] {
        out.extend(number.to_le_bytes());
    }
    out.extend(facts.plies.to_le_bytes());
    for position in &game.positions {
        out.extend(position.key.to_le_bytes());
        out.extend((position.plies | u16::from(position.is_black) << 15).to_le_bytes());
        out.extend(position.mv.to_le_bytes());
    }
    out
}

/// Reads the data of a changed game. `None` if the tree file does not count the game.
fn read_data(data: &[u8]) -> Option<CountedGame> {
    let (facts, positions) = data.split_first_chunk::<FACTS_SIZE>()?;
    let number = |offset: usize| u16::from_le_bytes(bytes_at(facts, offset));
    let positions = positions
        .as_chunks::<POSITION_SIZE>()
        .0
        .iter()
        .map(|bytes| {
            let plies = u16::from_le_bytes(bytes_at(bytes, 8));
            CollectedPosition {
                key: u64::from_le_bytes(bytes_at(bytes, 0)),
                plies: plies & 0x7FFF,
                is_black: plies >> 15 != 0,
                pieces: 0,
                mv: u16::from_le_bytes(bytes_at(bytes, 10)),
            }
        });
    Some(CountedGame {
        facts: GameFacts {
            outcome: Outcome::ALL.get(usize::from(number(0))).copied()?,
            ratings: [number(2), number(4)],
            year: number(6),
            plies: u32::from_le_bytes(bytes_at(facts, 8)),
        },
        positions: positions.collect(),
        line: None,
    })
}

/// A game in a position, and its properties there.
type CountedEvent = (PositionEvent, GameFacts);

/// The changed games of a database, compared with its tree file.
#[derive(Debug, Default)]
pub(crate) struct TreeChanges {
    /// What the file counts although it is no longer so, and what it does not count yet, by key.
    removed: Vec<CountedEvent>,
    added: Vec<CountedEvent>,
    /// The games that cannot be counted any more.
    uncounted: Vec<u32>,
    /// Whether the file counts a game of which the list does not state the positions: one that is so
    /// long that only its frequent positions are counted.
    is_unknown: bool,
}

impl TreeChanges {
    /// Compares the changed games. The file counts the first `games`, except `uncounted` ones.
    /// `current` returns what it would count of a game now.
    pub(super) fn new(
        changed: &[ChangedGame],
        games: u32,
        uncounted: &[u32],
        mut current: impl FnMut(u32) -> Option<CountedGame>,
    ) -> TreeChanges {
        let mut changes = TreeChanges::default();
        for ChangedGame { number, data } in changed {
            // The file states nothing about these games.
            if data.is_empty() || *number >= games || uncounted.binary_search(number).is_ok() {
                continue;
            }
            let (old, new) = (read_data(data), current(*number));
            changes.is_unknown |= old.is_none();
            if new.is_none() {
                changes.uncounted.push(*number);
            }
            let mut old = events(*number, old.as_ref());
            for (event, facts) in events(*number, new.as_ref()) {
                match old.get(&event) {
                    Some(counted) if *counted == facts => {
                        old.remove(&event);
                    }
                    _ => changes.added.push((event, facts)),
                }
            }
            changes.removed.extend(old);
        }
        for events in [&mut changes.removed, &mut changes.added] {
            events.sort_unstable_by_key(|(event, _)| *event);
        }
        changes
    }

    /// Returns whether nothing is known about any position.
    pub(super) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Returns the games that must be read for any position.
    pub(super) fn uncounted(&self) -> &[u32] {
        &self.uncounted
    }

    /// Returns the games that a position of the file no longer has, or has in another way, and those
    /// that it has now.
    pub(super) fn games_of(&self, key: u64) -> (Vec<u32>, Vec<u32>) {
        let games = |events| {
            of_key(events, key)
                .iter()
                .map(|(event, _)| event.game())
                .collect()
        };
        (games(&self.removed), games(&self.added))
    }

    /// Returns the moves of a position after the changes. `None` if they do not follow from the
    /// file: it states the best, first and latest games, and not which ones come next.
    pub(super) fn apply(
        &self,
        key: u64,
        mut records: Vec<MoveRecord>,
        facts_of: &dyn Fn(u32) -> GameFacts,
    ) -> Option<Vec<MoveRecord>> {
        if self.is_unknown {
            return None;
        }
        let removed = of_key(&self.removed, key);
        let added = of_key(&self.added, key);
        if removed.is_empty() && added.is_empty() {
            return Some(records);
        }
        let of_move = |events: &[CountedEvent], mv: u16| -> Vec<CountedEvent> {
            events
                .iter()
                .filter(|(event, _)| event.mv() == mv)
                .copied()
                .collect()
        };
        let mut counted = 0;
        for record in &mut records {
            let removed = of_move(removed, record.mv);
            if removed.len() as u64 > record.tally.games {
                return None;
            }
            counted += removed.len();
            remove(record, &removed, &of_move(added, record.mv), facts_of)?;
        }
        // Every game that the list states was counted.
        if counted != removed.len() {
            return None;
        }
        records.retain(|record| record.tally.games > 0);
        let (events, facts): (Vec<_>, Vec<_>) = added.iter().copied().unzip();
        let mut records = MoveCounter::new()
            .count(&records, &events, &facts, facts_of)
            .to_vec();
        for record in &mut records {
            if record.tally.games == 1 {
                record.best = vec![record.first_game];
            }
        }
        Some(records)
    }
}

/// Returns what a tree file counts of a game.
fn events(number: u32, game: Option<&CountedGame>) -> BTreeMap<PositionEvent, GameFacts> {
    let events = game.into_iter().flat_map(|game| {
        // The half-moves are those after the position, which the event has.
        let facts = GameFacts {
            plies: 0,
            ..game.facts
        };
        let events = game.positions.iter();
        events.map(move |position| (PositionEvent::new(number, position), facts))
    });
    events.collect()
}

fn of_key(events: &[CountedEvent], key: u64) -> &[CountedEvent] {
    let before = events.partition_point(|(event, _)| event.key() < key);
    let rest = events.get(before..).unwrap_or_default();
    rest.get(..rest.partition_point(|(event, _)| event.key() == key))
        .unwrap_or_default()
}

/// Removes games from a move, to which `added` ones will be added. `None` if what remains is not
/// known.
fn remove(
    record: &mut MoveRecord,
    removed: &[CountedEvent],
    added: &[CountedEvent],
    facts_of: &dyn Fn(u32) -> GameFacts,
) -> Option<()> {
    if removed.is_empty() {
        return Some(());
    }
    let is_removed = |game: &u32| removed.iter().any(|(event, _)| event.game() == *game);
    if removed.len() as u64 == record.tally.games {
        record.tally.games = 0;
        return Some(());
    }
    let lists_all = record.lists_all();
    let rank = |game: u32, facts: &GameFacts| (facts.rating_sum(), Reverse(game));
    let old_rank = |game: u32| {
        let counted = removed.iter().find(|(event, _)| event.game() == game);
        counted.map_or_else(
            || rank(game, &facts_of(game)),
            |(_, facts)| rank(game, facts),
        )
    };
    let last_rank = record.best.last().map(|game| old_rank(*game));
    let tally = &mut record.tally;
    for (event, facts) in removed {
        tally.remove(&tally_of(*event, facts));
    }
    // An extreme that a removed game had is known only if an added game reaches it.
    let is_kept = |was_extreme: &dyn Fn(&CountedEvent) -> bool,
                   reaches: &dyn Fn(&CountedEvent) -> bool| {
        !removed.iter().any(was_extreme) || added.iter().any(reaches)
    };
    let longest = |event: &PositionEvent| tally_of(*event, &GameFacts::default()).longest;
    let (first_year, last_year) = (record.first_year, tally.last_year);
    let knows_extremes = [
        last_year == 0
            || is_kept(&|(_, facts)| facts.year == last_year, &|(_, facts)| {
                facts.year >= last_year
            }),
        first_year == 0
            || is_kept(&|(_, facts)| facts.year == first_year, &|(_, facts)| {
                (1..=first_year).contains(&facts.year)
            }),
        tally.longest == 0
            || is_kept(
                &|(event, _)| longest(event) == tally.longest,
                &|(event, _)| longest(event) >= tally.longest,
            ),
        is_kept(
            &|(event, _)| event.game() == record.first_game,
            &|(event, _)| event.game() <= record.first_game,
        ),
    ];
    let listed = record.best.len();
    record.best.retain(|game| !is_removed(game));
    // Games that are not listed come after the last one that was.
    let remaining = record.best.iter().map(|game| old_rank(*game));
    let added = added.iter().map(|(event, facts)| rank(event.game(), facts));
    let known = remaining
        .chain(added)
        .filter(|rank| Some(*rank) >= last_rank);
    let knows_best = lists_all || record.best.len() == listed || known.count() >= listed;
    (knows_best && !knows_extremes.contains(&false)).then_some(())
}
