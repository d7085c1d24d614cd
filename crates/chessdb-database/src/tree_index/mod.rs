//! The tree file of a database: the moves played in each frequent position
//! (docs/formats/chessdb-tree.md).
//!
//! An answer is exact or there is none: positions with fewer games, other positions and damaged
//! blocks are left to a search, and games that could not be counted are listed.

mod answer;
#[cfg(feature = "fs")]
mod build;
#[cfg(feature = "fs")]
mod collect;
#[cfg(feature = "fs")]
mod counter;
#[cfg(feature = "fs")]
mod frequent;
#[cfg_attr(not(feature = "fs"), expect(dead_code, reason = "the writer needs it"))]
mod layout;
#[cfg(feature = "fs")]
mod lines;
#[cfg_attr(not(feature = "fs"), expect(dead_code, reason = "the writer needs it"))]
mod lookup;
#[cfg(feature = "fs")]
mod spool;
#[cfg(all(feature = "fs", feature = "parquet"))]
mod table;
#[cfg(test)]
#[cfg(feature = "fs")]
mod tests;

pub use answer::{PlayedMove, PositionMoves};
#[cfg(all(feature = "fs", feature = "parquet"))]
pub use table::TreeTable;

#[cfg(feature = "fs")]
pub(crate) use build::{OldTree, TreeBuilder};
#[cfg(feature = "fs")]
pub(crate) use collect::{CountedGame, PositionCollector};
#[cfg(feature = "fs")]
pub(crate) use frequent::FrequentPositions;
#[cfg(feature = "fs")]
pub(crate) use lookup::tree_path_of;
pub(crate) use lookup::{LazyTree, TreeIndex};
