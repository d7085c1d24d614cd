#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod fold;
mod heads;
mod language;
mod moves;
mod position;
mod query;
mod stats;
mod tally;
mod tree;

pub use fold::fold;
pub use language::{KEYS, Key, QueryError};
pub use query::{Hit, Match, Needs, Query, QueryOptions};
pub use stats::{Annotations, GameStats, Results, Stats};
pub use tally::Tally;
pub use tree::{NodeId, OpeningTree, TreeLine, line_board};
