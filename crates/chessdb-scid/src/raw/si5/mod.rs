//! The index and the names of SCID 5 (docs/formats/scid.md, section 10). The games file is the same
//! as in SCID 4.

mod base;
mod index;
mod names;

pub use base::Base;
pub use index::{Entry, Index};
pub use names::{NameKind, NameRecord, Names};
