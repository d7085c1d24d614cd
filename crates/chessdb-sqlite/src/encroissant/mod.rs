//! En Croissant (docs/formats/encroissant.md).

mod format;
mod layouts;
mod moves;
mod store;
#[cfg(feature = "write")]
mod write;

pub use format::{DB3, EN_CROISSANT, WAL};
pub use store::Store;
#[cfg(feature = "write")]
pub use write::Writer;
