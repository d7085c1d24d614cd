//! The bytes of the three files as structs, exact in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) side by side, and what it does not
//! understand it holds: spare bits, bytes behind a NUL, bytes behind the last record. So
//! [`Base::parse`] followed by [`Base::to_bytes`] gives back the files of every base that can be
//! parsed at all, whatever lies between its records.
//!
//! This level knows nothing of games as people see them; [`crate::Store`] does.

mod base;
mod fields;
mod file_header;
mod games;
mod index;
pub mod marker;
mod names;
mod record;
mod si3;
pub mod si5;

pub use base::Base;
pub use fields::{
    CountCode, DateCode, EcoCode, IndexFlags, RatingCode, RecordFlags, count_code, count_shown,
};
pub use file_header::FileHeader;
pub use games::{GameFile, Segment};
pub use index::{Entry, Index};
pub use names::{NameFile, NameHeader, NameList, NameRecord, compare_names};
pub(crate) use names::{NameOutline, NameRecords, ROLES, restore};
pub use record::{Comments, Record, RecordFault, RecordParts, TAG_NAMES, TagName, TagRecord, Tags};
