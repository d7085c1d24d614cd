//! Data about the database as a whole. The format stores none of it.

use chessdb_core::{BaseInfo, LossKind, Losses};

/// Returns the losses of writing the data about a database.
pub(crate) fn losses(base: &BaseInfo) -> Losses {
    let mut losses = base.losses();
    // 0 and 1 both mean the first game, depending on how games are counted. It opens by default.
    losses.add_if(
        LossKind::OpenFirst,
        base.open_first.is_some_and(|game| game > 1),
    );
    losses
}
