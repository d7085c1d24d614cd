//! Bases that need not be dropped, since whoever has the session can open them.

use chessdb::{Database, Error};

/// A base of a shelf, not opened yet.
#[derive(Clone, Debug)]
pub struct Shelved {
    /// What it is called.
    pub name: String,
    /// The name of its format, if that is known.
    pub format: Option<&'static str>,
    /// The bytes of its files, if they are known.
    pub size: Option<u64>,
}

/// Opens bases by their number.
pub trait Shelf {
    /// All of them.
    fn bases(&self) -> Vec<Shelved>;

    /// Opens one; `encoding` is the charset that the reader has chosen.
    fn open(
        &mut self,
        number: usize,
        encoding: Option<&str>,
        salvage: bool,
    ) -> Result<Database, Error>;
}
