//! The bytes of the files as structs, exact in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) side by side, and what it does not
//! understand it holds: spare bits, wrong numbers, bytes between records. So [`Base::parse`]
//! followed by [`Base::to_bytes`] gives back both files of every base.
//!
//! This level knows nothing of games as people see them; [`crate::Store`] does.

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
pub use raw_header::RawHeader;
pub use record::{Record, RecordFault, RecordParts};
