#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod abk;
mod book;
mod conversion;
mod counts;
pub mod ctg;
mod entry;
mod file_entries;
mod legal;
mod loss;
mod maker;
pub mod polyglot;
mod roles;
mod tree;
mod walk;

pub use book::{Book, BookFormat, BookPosition};
/// Re-exported so that a program needs only one dependency.
pub use chessdb_core;
pub use conversion::to_polyglot;
pub use entry::{
    BookEntry, BookMove, MoveStatistics, PositionFacts, RatingSum, Recommendation, Results,
};
pub use loss::{BookLoss, BookLosses};
pub use maker::{BookLine, BookMaker, BookWeights, MadeBook, MakeOptions};
pub use roles::{ABK_FILE, BIN_FILE, CTB_FILE, CTG_FILE, CTO_FILE};
pub use tree::{BookTree, TreeNode, tree_game};
pub use walk::{WalkCounts, WalkStep};
