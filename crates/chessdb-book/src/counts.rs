//! What a book has.

/// What a book has, counted when it is opened.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    pub(crate) positions: u64,
    pub(crate) moves: u64,
    pub(crate) games: Option<u32>,
    pub(crate) unreached: u64,
}
