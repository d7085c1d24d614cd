//! Lucas Chess (docs/formats/lucaschess.md).

mod body;
mod format;
mod layouts;
mod pickle;
mod store;
mod tags;
#[cfg(feature = "write")]
mod write;
mod xpv;

pub use format::{LCDB, LUCAS_CHESS, WAL};
pub use store::Store;
#[cfg(feature = "write")]
pub use write::Writer;

/// Runs a pickle and returns the number of plain values in the list or dictionary that it leaves.
/// For fuzzing, which would hardly get through the packing around pickles.
///
/// # Errors
///
/// Returns an error if a pickle in a game could not be read.
#[doc(hidden)]
pub fn count_pickle_values(bytes: &[u8]) -> Result<usize, chessdb_core::ErrorKind> {
    let pickle = pickle::Pickle::read(bytes, body::MOST_INSTRUCTIONS)?;
    let root = pickle.root();
    let pairs = root.pairs().flat_map(|(key, value)| [key, value]);
    let is_plain = |item: &pickle::Item<'_>| {
        item.text().is_some() || item.bytes().is_some() || item.int().is_some()
    };
    Ok(root.members().chain(pairs).filter(is_plain).count())
}
