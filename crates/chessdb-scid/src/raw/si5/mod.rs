//! The index and the names of SCID 5 (docs/formats/scid.md, section 10). Its games file is that of
//! SCID 4.

mod base;
mod index;
mod names;

pub use base::Base;
pub use index::{Entry, Index};
pub use names::{NameKind, NameRecord, Names};
