//! What belongs to the base as a whole: nothing of it has a place in the files.

use chessdb_core::{BaseInfo, LossKind, Losses};

/// What of a base is lost.
pub(crate) fn losses(base: &BaseInfo) -> Losses {
    let mut losses = base.losses();
    // 0 and 1 are the first game in either way of counting, which opens anyway.
    if base.open_first.is_some_and(|game| game > 1) {
        losses.add(LossKind::OpenFirst, None);
    }
    losses
}
