//! En Croissant (docs/formats/encroissant.md).

#[cfg(feature = "write")]
mod columns;
#[cfg(feature = "write")]
mod encode;
mod format;
mod layouts;
mod moves;
mod store;
#[cfg(feature = "write")]
mod writer;

pub use format::{DB3, EN_CROISSANT, WAL};
pub use store::Store;
#[cfg(feature = "write")]
pub use writer::Writer;
