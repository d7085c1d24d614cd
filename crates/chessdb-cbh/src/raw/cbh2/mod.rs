//! The raw structures of a 2CBH database (docs/formats/2cbh.md), exact in both directions.

mod annotations;
mod base;
mod entities;
mod frame;
mod index;
mod text;

pub use annotations::{Note, Notes};
pub use base::Base;
pub(crate) use entities::record_length;
pub use entities::{
    EntityFile, EntityKind, EntityType, Player, Source, Team, Title, Titles, Tournament,
};
pub use frame::{Frame, FrameFile, FrameFileHeader};
pub use index::{Index, Record, RecordKind};
pub use text::{GuidingText, TextContent};
