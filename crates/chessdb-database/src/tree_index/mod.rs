//! The tree file of a database: the moves played in each frequent position
//! (docs/formats/chessdb-tree.md).
//!
//! An answer is exact or there is none: positions with fewer games, other positions and damaged
//! blocks are left to a search, and games that could not be counted are listed.

mod answer;
mod build;
mod changes;
mod collect;
mod collected_game;
mod counter;
mod frequent;
mod layout;
mod lines;
mod lookup;
mod spool;
#[cfg(feature = "parquet")]
mod table;
#[cfg(test)]
mod tests;

pub use answer::{PlayedMove, PositionMoves};
pub use collected_game::index_change;
#[cfg(feature = "parquet")]
pub use table::TreeTable;

pub(crate) use build::{OldTree, TreeBuilder};
pub(crate) use changes::TreeChanges;
pub(crate) use collect::CountedGame;
pub(crate) use collected_game::{CollectedGame, collect};
pub(crate) use frequent::FrequentPositions;
pub(crate) use lookup::{LazyTree, TreeIndex, tree_path_of};
