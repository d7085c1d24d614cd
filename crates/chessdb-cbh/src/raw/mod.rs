//! The raw structures of the files, exact in both directions.
//!
//! Every struct has a function `parse` and a function `to_bytes` or `write`. It keeps the parts
//! that it does not interpret: unused bytes after a string, bytes between records. [`Base::parse`]
//! followed by [`Base::to_files`] therefore restores every file of every database.
//!
//! This module does not interpret games; [`crate::Store`] does.

mod annotations;
mod base;
pub(crate) mod bytes;
pub mod cbh2;
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
pub use file::{FileFields, FileHeader, FileRecord, RecordFile};
pub use games::{GameFile, MoveRecord, Segment};
pub use guiding::{Content, GuidingText};
pub use index::{GameRecord, Index, IndexHeader, Record, TextRecord};
pub use start::{Chess960Block, StartPosition};
