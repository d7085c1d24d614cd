//! Encoders that several threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::MoveEncoder;

/// Encoders for several threads, one per working thread; their memory is reused. In boxes, because an
/// encoder is large, and it is moved for each game.
#[derive(Default, Debug)]
#[expect(clippy::vec_box, reason = "moving an encoder costs more than its box")]
pub(crate) struct EncoderPool(Mutex<Vec<Box<MoveEncoder>>>);

impl EncoderPool {
    /// Calls `encode` with an idle encoder.
    pub(crate) fn with<R>(&self, encode: impl FnOnce(&mut MoveEncoder) -> R) -> R {
        let mut encoder = self.idle().pop().unwrap_or_default();
        let result = encode(&mut encoder);
        self.idle().push(encoder);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Box<MoveEncoder>>> {
        // A thread that panicked held no encoder.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
