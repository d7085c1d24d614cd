//! The bytes of the files as structs, exact in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) side by side, and what it does not
//! understand it holds: fields without a meaning, bytes behind the last record, ranges to which
//! nothing refers. So [`Base::parse`] followed by [`Base::to_bytes`] gives back the files of every
//! base that can be parsed at all.
//!
//! This level knows nothing of games as people see them; [`crate::Store`] does.

mod address;
mod base;
mod cdp;
pub mod code;
mod comment;
mod emb;
mod list;
mod raw_header;
mod record;
mod spread;
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
pub use spread::{Spread, SpreadRecord};
pub use start::{SlotEntry, StartPosition};
pub use volume::write_volume;
