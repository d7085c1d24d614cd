//! Encoding of games in other threads.

use std::sync::{Arc, Mutex, PoisonError};

use chessdb_core::{Game, Losses, Prepare, Prepared};

use super::Work;
use crate::entry::GameEntry;
use crate::generation::Spec;
use crate::lines::Lines;
use crate::moves::MoveEncoder;
use crate::text::Encoder;

/// Encodes games as their writer does, except for name numbers and the offset in the file.
#[derive(Debug)]
pub(super) struct Preparer {
    texts: Encoder,
    openings: Arc<Lines>,
    spec: &'static Spec,
    /// One encoder per working thread.
    encoders: Mutex<Vec<MoveEncoder>>,
}

/// An encoded game.
#[derive(Default, Debug)]
pub(super) struct Ready {
    /// The index entry, or `None` if the game cannot be stored.
    pub(super) entry: Option<GameEntry>,
    pub(super) work: Work,
    pub(super) losses: Losses,
}

impl Preparer {
    pub(super) fn new(texts: Encoder, openings: Arc<Lines>, spec: &'static Spec) -> Preparer {
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
        prepared.make(|ready: &mut Ready| {
            ready.losses.clear();
            let losses = &mut ready.losses;
            ready.entry = ready.work.encode(game, &mut encoder, means, losses);
        });
        self.encoders().push(encoder);
    }
}
