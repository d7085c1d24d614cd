//! The names that most formats need: `use chessdb_core::prelude::*`.

pub use crate::dump::{Fields, Region};
pub use crate::error::Location;
pub use crate::files::Role;
pub use crate::format::Score;
pub use crate::line::{CommentOut, LineReader, LineSink, Lines, Out, Step, read_game, write_game};
pub use crate::loss::LossSet;
pub use crate::model::{Field, GameFlags, Place};
pub use crate::report::GameReport;
pub use crate::store::{DecodeGame, EncodeGame, FileWriter, Opened, RecordStore};
pub use crate::stored_header::StoredHeader;
pub use crate::text::TextId;
pub use crate::{
    BaseInfo, Board, Charset, Color, Date, Error, ErrorKind, FileSet, Format, Game, GameStore,
    GameWrite, LossKind, Losses, MemorySet, Outcome, PackedMove, ReadOptions, Result, Scratch,
    Severity, Text, WriteOptions,
};
