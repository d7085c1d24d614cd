//! The files as structures that keep every byte.

mod base;
mod bytes;
mod index;
mod marks;
mod name_reader;
mod names;
mod record;

pub use base::{Base, GameFile, GameSegment};
pub(crate) use bytes::put_u24;
pub use bytes::{ByteReader, RecordFault};
pub use index::{Entry, Index, IndexHeader};
pub use marks::{Mark, TimeItem};
pub use name_reader::{NamePart, NamesRead, read_names};
pub use names::{
    NameDetails, NameFault, NameFile, NameHeader, NameKind, NameRecord, NameSection, SiteOrder,
};
pub use record::{Record, Tags, TimeColumns, mark};

/// The version of the files that is read and written.
pub const VERSION: u16 = 94;
