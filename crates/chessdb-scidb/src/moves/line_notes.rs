//! Comments that the encoder of moves has not written yet.

use crate::text::StoredComment;

/// A comment that is written with the move after it, or at the end of its line.
#[derive(Debug)]
pub(super) struct NextComment {
    pub(super) comment: StoredComment,
    /// Whether it is read at another place if a move follows,
    pub(super) moves_before_move: bool,
    /// and if the line ends.
    pub(super) moves_at_end: bool,
}

/// The comments of an open line that are not written yet.
#[derive(Default, Debug)]
pub(super) struct LineNotes {
    pub(super) has_move: bool,
    /// Whether a variation of the last move has ended.
    pub(super) follows_variation: bool,
    /// Whether a comment is stored with the start of the line.
    pub(super) has_start_comment: bool,
    pub(super) next: Option<NextComment>,
}

/// A comment after the last move, and the offset of its flags in the data.
#[derive(Debug)]
pub(super) struct AfterComment {
    pub(super) comment: StoredComment,
    pub(super) flags_at: usize,
}
