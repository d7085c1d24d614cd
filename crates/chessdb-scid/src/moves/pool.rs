//! Encoders that several threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::MoveEncoder;

/// Encoders that no thread is using. In boxes, because an encoder is large, and each game moves one.
type IdleEncoders = Vec<Box<MoveEncoder>>;

/// Encoders for several threads, one per working thread; their memory is reused.
#[derive(Default, Debug)]
pub(crate) struct EncoderPool(Mutex<IdleEncoders>);

impl EncoderPool {
    /// Calls `encode` with an idle encoder.
    pub(crate) fn with<R>(&self, encode: impl FnOnce(&mut MoveEncoder) -> R) -> R {
        let mut encoder = self.idle().pop().unwrap_or_default();
        let result = encode(&mut encoder);
        self.idle().push(encoder);
        result
    }

    fn idle(&self) -> MutexGuard<'_, IdleEncoders> {
        // A thread that panicked held no encoder.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
