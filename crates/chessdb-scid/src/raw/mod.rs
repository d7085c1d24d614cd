//! The bytes of the three files as structs that convert exactly in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) and also stores what it does not interpret:
//! spare bits, bytes after a NUL, bytes after the last record. So [`Base::parse`] followed by
//! [`Base::to_bytes`] returns the files of every database that can be parsed at all, including any
//! bytes between records.
//!
//! This level does not interpret games; [`crate::Store`] does.

mod base;
mod fields;
mod file_header;
mod games;
mod index;
pub mod marker;
mod name_changes;
mod names;
mod record;
mod si3;
pub mod si5;

pub use base::Base;
pub use fields::{
    CountCode, DateCode, EcoCode, IndexFlags, RatingCode, RecordFlags, count_code, count_shown,
};
pub use file_header::FileHeader;
pub(crate) use file_header::split_u24;
pub use games::{GameFile, Segment};
pub use index::{Entry, Index};
pub(crate) use name_changes::{ChangedNames, NameChanges, Patch};
pub use names::{NameFile, NameHeader, NameList, NameRecord, compare_names};
pub(crate) use names::{NameOutline, NameRecords, ROLES, each_name, restore};
pub use record::{Comments, Record, RecordFault, RecordParts, TAG_NAMES, TagName, TagRecord, Tags};
