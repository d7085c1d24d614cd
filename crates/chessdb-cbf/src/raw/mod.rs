//! The raw structures of the files, exact in both directions.
//!
//! Every struct has a function `parse` and a function `to_bytes` or `write`. It keeps the parts
//! that it does not interpret: unused bits, invalid numbers, bytes between records. [`Base::parse`]
//! followed by [`Base::to_bytes`] therefore restores both files of every database.
//!
//! This module does not interpret games; [`crate::Store`] does.

mod base;
pub mod cipher;
mod comments;
mod games;
mod index;
pub mod marker;
mod position;
mod raw_header;
mod record;

pub use base::Base;
pub(crate) use comments::used;
pub use comments::{Comment, Comments, END, LINE_BREAK};
pub use games::{GameFile, Segment};
pub use index::Index;
pub use position::Position;
pub use raw_header::{RawHeader, RecordFlags};
pub use record::{Record, RecordFault, RecordParts};
