//! Lucas Chess (docs/formats/lucaschess.md).

mod body;
mod format;
mod layouts;
mod pickle;
mod store;
mod tags;
#[cfg(feature = "write")]
mod writer;
mod xpv;

pub use format::{LCDB, LUCAS_CHESS, WAL};
pub use store::Store;
#[cfg(feature = "write")]
pub use writer::Writer;
