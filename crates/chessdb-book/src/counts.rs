//! The counts of a book.

/// The counts of a book, taken when it is opened.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    pub(crate) positions: u64,
    pub(crate) moves: u64,
    pub(crate) games: Option<u32>,
    pub(crate) unreached: u64,
}
