//! The bytes of the files as structs, exact in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) side by side, and what it does not understand
//! it holds: what is left over behind a string, bytes between records. So [`Base::parse`] followed by
//! [`Base::to_files`] gives back every file of every base.
//!
//! This level knows nothing of games as people see them; [`crate::Store`] does.

mod annotations;
mod base;
pub(crate) mod bytes;
mod entity;
mod extended;
mod file;
mod games;
mod guiding;
mod index;
mod start;

pub use annotations::{Annotation, AnnotationFile, AnnotationRecord, Annotations};
pub use base::Base;
pub use bytes::cut;
pub use entity::{
    Annotator, Entity, GameTag, Node, Player, Source, Table, TableHeader, Team, Tournament,
};
pub use extended::{Extended, NewExtended, Records, TournamentDetails};
pub use file::{FileFields, FileHeader};
pub use games::{GameFile, MoveRecord, Segment};
pub use guiding::{Content, GuidingText};
pub use index::{GameRecord, Index, IndexHeader, Record, TextRecord};
pub use start::{Chess960Block, StartPosition};
