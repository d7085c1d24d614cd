//! Encoding of games in other threads.

use std::sync::{Arc, Mutex, PoisonError};

use chessdb_core::store::{Prepare, Prepared};
use chessdb_core::{Game, Losses};

use super::EncodedGame;
use crate::entry::GameEntry;
use crate::generation::Spec;
use crate::moves::MoveEncoder;
use crate::opening_lines::OpeningLines;
use crate::text::TextEncoder;

/// Encodes games as their writer does, except for name numbers and the offset in the file.
#[derive(Debug)]
pub(super) struct Preparer {
    texts: TextEncoder,
    openings: Arc<OpeningLines>,
    spec: &'static Spec,
    /// One encoder per working thread.
    encoders: Mutex<Vec<MoveEncoder>>,
}

/// An encoded game.
#[derive(Default, Debug)]
pub(super) struct PreparedGame {
    /// The index entry, or `None` if the game cannot be stored.
    pub(super) entry: Option<GameEntry>,
    pub(super) encoded: EncodedGame,
    pub(super) losses: Losses,
}

impl Preparer {
    pub(super) fn new(
        texts: TextEncoder,
        openings: Arc<OpeningLines>,
        spec: &'static Spec,
    ) -> Preparer {
        Preparer {
            texts,
            openings,
            spec,
            encoders: Mutex::default(),
        }
    }

    fn encoders(&self) -> std::sync::MutexGuard<'_, Vec<MoveEncoder>> {
        // A thread that panicked held no encoder.
        self.encoders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Prepare for Preparer {
    fn prepare(&self, game: &Game, prepared: &mut Prepared) {
        let mut encoder = self.encoders().pop().unwrap_or_default();
        let means = (&self.texts, &*self.openings, self.spec);
        prepared.make(|ready: &mut PreparedGame| {
            ready.losses.clear();
            let losses = &mut ready.losses;
            ready.entry = ready.encoded.encode(game, &mut encoder, means, losses);
        });
        self.encoders().push(encoder);
    }
}
