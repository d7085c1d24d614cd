//! The changes of an edited database, for undo, redo and the marks of unsaved games.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use chessdb::core::Game;

/// The memory in bytes of the games that only undo and redo need.
const MOST_UNDO: usize = 64 << 20;
/// The memory in bytes of changed and added games.
const MOST_EDITED: usize = 256 << 20;

/// A game before and after a change. Without an edited game it is as stored, or does not exist.
pub(crate) struct GameChange {
    pub(crate) index: u32,
    pub(crate) before: Option<Arc<Game>>,
    pub(crate) after: Option<Arc<Game>>,
}

/// Changes that are undone together.
pub(crate) struct Step {
    pub(crate) games: Vec<GameChange>,
    /// The current half-move before and after.
    pub(crate) half_moves: [u32; 2],
    /// Whether the games sort as before.
    pub(crate) keeps_order: bool,
}

/// The direction in which a step is applied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Undo,
    Redo,
}

impl Step {
    fn bytes(&self) -> usize {
        let games = self.games.iter();
        let both = games.flat_map(|change| [&change.before, &change.after]);
        both.flatten().map(|game| weight(game)).sum()
    }

    /// Returns the changes with the game to set, in the order in which they must be made.
    pub(crate) fn targets(
        &self,
        direction: Direction,
    ) -> Box<dyn Iterator<Item = (u32, Option<&Arc<Game>>)> + '_> {
        let games = self.games.iter();
        match direction {
            Direction::Redo => Box::new(games.map(|change| (change.index, change.after.as_ref()))),
            Direction::Undo => {
                let games = games.rev();
                Box::new(games.map(|change| (change.index, change.before.as_ref())))
            }
        }
    }
}

/// The steps that were made, and the games as they were saved last.
#[derive(Default)]
pub(crate) struct History {
    steps: VecDeque<Step>,
    /// The number of steps that are applied; the others were undone.
    applied: usize,
    undo_bytes: usize,
    edited_bytes: usize,
    saved: BTreeMap<u32, Arc<Game>>,
    unsaved: BTreeSet<u32>,
}

impl History {
    pub(crate) fn can_undo(&self) -> bool {
        self.applied > 0
    }

    pub(crate) fn can_redo(&self) -> bool {
        self.applied < self.steps.len()
    }

    /// Returns the games that differ from the last save.
    pub(crate) fn unsaved(&self) -> &BTreeSet<u32> {
        &self.unsaved
    }

    /// Returns whether a step would exceed the memory for edited games.
    pub(crate) fn is_too_large(&self, step: &Step) -> bool {
        self.edited_bytes.saturating_add(step.bytes()) > MOST_EDITED
    }

    /// Adds a step that was just made, and forgets those that were undone.
    pub(crate) fn push(&mut self, step: Step) {
        for undone in self.steps.drain(self.applied..) {
            self.undo_bytes = self.undo_bytes.saturating_sub(undone.bytes());
        }
        self.undo_bytes += step.bytes();
        self.steps.push_back(step);
        // The newest step can always be undone, however large it is.
        while self.undo_bytes > MOST_UNDO && self.steps.len() > 1 {
            if let Some(oldest) = self.steps.pop_front() {
                self.undo_bytes = self.undo_bytes.saturating_sub(oldest.bytes());
            }
        }
        self.applied = self.steps.len();
    }

    /// Makes the changes of the last step part of the step before it.
    pub(crate) fn join_last(&mut self) {
        if self.can_redo() || self.steps.len() < 2 {
            return;
        }
        if let Some(last) = self.steps.pop_back() {
            self.applied = self.steps.len();
            if let Some(step) = self.steps.back_mut() {
                step.games.extend(last.games);
                step.keeps_order &= last.keeps_order;
                // Undo leads to the place before both steps, redo to the one after both.
                step.half_moves = [step.half_moves[0], last.half_moves[1]];
            }
        }
    }

    /// Takes the step to undo or redo; [`History::put_back`] must follow.
    pub(crate) fn take_step(&mut self, direction: Direction) -> Option<Step> {
        let index = match direction {
            Direction::Undo => self.applied.checked_sub(1)?,
            Direction::Redo => self.applied,
        };
        self.steps.remove(index)
    }

    /// Puts back a step, which was applied.
    pub(crate) fn put_back(&mut self, step: Step, direction: Direction) {
        match direction {
            Direction::Undo => {
                self.applied = self.applied.saturating_sub(1);
                self.steps.insert(self.applied, step);
            }
            Direction::Redo => {
                self.steps.insert(self.applied, step);
                self.applied += 1;
            }
        }
    }

    /// Notes that a game was set.
    pub(crate) fn note(&mut self, index: u32, old: Option<&Arc<Game>>, new: Option<&Arc<Game>>) {
        let bytes = |game: Option<&Arc<Game>>| game.map_or(0, |game| weight(game));
        self.edited_bytes = (self.edited_bytes + bytes(new)).saturating_sub(bytes(old));
        let is_saved = match (new, self.saved.get(&index)) {
            // Undo restores the same object, so comparing pointers is enough.
            (Some(new), Some(saved)) => Arc::ptr_eq(new, saved),
            (None, None) => true,
            _ => false,
        };
        if is_saved {
            self.unsaved.remove(&index)
        } else {
            self.unsaved.insert(index)
        };
    }

    /// Notes that a game was saved in its present state.
    pub(crate) fn mark_saved(&mut self, index: u32, game: Option<&Arc<Game>>) {
        self.unsaved.remove(&index);
        match game {
            Some(game) => self.saved.insert(index, Arc::clone(game)),
            None => self.saved.remove(&index),
        };
    }
}

/// Returns roughly the number of bytes that a game takes.
fn weight(game: &Game) -> usize {
    size_of::<Game>() + game.moves.len() * 4 + game.texts.bytes_used()
}
