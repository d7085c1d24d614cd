//! The bytes of the files as structs, exact in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) and keeps what it does not understand:
//! fields without a known meaning, bytes after the last record, unreferenced ranges. So
//! [`Base::parse`] followed by [`Base::to_bytes`] returns the original files of every database that
//! can be parsed at all.
//!
//! This level does not interpret games; [`crate::Store`] does.

mod address;
mod base;
mod cdp;
pub mod code;
mod comment;
mod emb;
mod list;
mod raw_header;
mod record;
mod scattered;
mod start;
mod volume;

pub use address::{Address, addresses, addresses_to_bytes, resolve};
pub use base::Base;
pub(crate) use base::record_offsets;
pub use cdp::{Cdp, SIGNATURE, VERSION};
pub use comment::{Comment, Envelope};
pub use emb::{DirectoryEntry, Emb, EmbHeader, Fragment, InnerFile};
pub use list::{LIST_NAMES, ListFiles, NameList, NameRecord, PlayerData};
pub use raw_header::{DateCode, RawHeader};
pub use record::{GameRecord, Item, ItemFault, Items, LengthForm, LongLengths, RecordBytes};
pub use scattered::{ScatteredRecord, ScatteredRecords};
pub use start::{CastlingRights, SlotEntry, StartPosition};
pub use volume::{VolumeChanges, change_volume, write_volume};
