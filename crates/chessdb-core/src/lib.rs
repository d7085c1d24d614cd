//! The common model of chess databases.
//!
//! Format crates read their files into the model and write files from it; the facade crate
//! `chessdb` connects a reader to a writer. This crate has no file system access, no threads, and
//! no knowledge of formats except the legacy move numberings in [`legacy`].
//!
//! * vocabulary: [`Square`], [`Piece`], [`PackedMove`], [`Board`] (any position, legal or not)
//! * rules: [`rules`] (legality, SAN), on demand; the board itself imposes none
//! * model: [`Game`] (header, move tape, texts), [`Tree`], [`BaseInfo`]
//! * lines: [`mod@line`], the rules for filling and writing tapes, shared by all formats
//! * texts: [`Text`] is bytes with a [`Charset`], decoded late
//! * findings: [`Error`], [`Diagnostic`], [`Losses`]
//! * guiding texts, which are stored next to the games: [`guiding`]
//! * damaged databases: [`salvage`]
//! * traits: [`GameStore`], [`GameRead`], [`GameWrite`], [`FileSet`], [`FileSink`], [`Format`]

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod annotation;
mod bitboard;
mod board;
mod check;
pub mod commands;
pub mod compare;
pub mod dump;
mod error;
mod facts;
mod features;
mod fen;
mod files;
mod format;
mod format_limit;
pub mod guiding;
mod header_columns;
mod interner;
pub mod legacy;
mod limits;
pub mod line;
mod loss;
pub mod model;
mod moves;
mod options;
mod parse;
mod piece;
mod piece_counts;
mod places;
#[cfg(feature = "nom")]
#[doc(hidden)]
pub mod raw;
mod report;
mod role;
pub mod rules;
pub mod salvage;
mod segments;
mod setup;
mod signature;
mod square;
mod store;
pub mod text;
pub mod tree;
mod uci;
pub mod utf16;
mod walk;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use bitboard::Bitboard;
pub use board::{Board, Played, Side};
pub use check::check;
pub use error::{Diagnostic, Error, ErrorKind, Location, Result, Severity};
pub use facts::Facts;
pub use features::{Feature, Features};
pub use fen::{FenFault, FenNotes};
pub use files::{FileId, FileSet, FileSink, Growing, MemorySet, SharedBytes};
pub use format::{
    AppendFn, Charsets, CheckFn, CreateFn, ExtraField, Format, OpenFn, RawFn, ReplaceFn, Score,
    StreamFn, TextsFn,
};
pub use format_limit::{FormatLimit, LimitExceeded};
pub use header_columns::{HeaderColumnSet, HeaderColumns};
pub use interner::Interner;
pub use limits::{Limits, Mode, OverLimit};
pub use loss::{Loss, LossKind, Losses};
pub use model::{
    BaseInfo, Branch, Builder, Collection, Date, Eco, EcoSub, Event, Events, Extra, FaultKind,
    Field, Game, GameBuilder, GameFlags, Header, LINE_EVALUATION, Movetext, NameRecord, NameRole,
    NameTable, Named, Outcome, Parts, Place, Player, PlayerDetails, Rating, RatingKind, Start, Tag,
    Token, evaluation_sign,
};
pub use moves::{MoveKind, PackedMove};
pub use options::{Allow, ReadOptions, WriteOptions};
pub use parse::ParseError;
pub use piece::{Color, Piece, PieceType};
pub use piece_counts::PieceCounts;
pub use places::Places;
pub use report::{Finding, GameReport, Scratch};
pub use role::Role;
pub use segments::Segment;
pub use setup::Setup;
pub use signature::{HomePawns, MoveFilter, Signature, Watch, watch_game};
pub use square::Square;
pub use store::{
    GameRead, GameStore, GameWrite, Origin, Portion, Prepare, Prepared, Remark, StoreReader,
    preparer, watch_whole,
};
pub use text::{Charset, Text, TextId, Texts, is_overwritten};
pub use tree::Tree;
pub use uci::UciNotation;
pub use walk::{Lines, Walk};
