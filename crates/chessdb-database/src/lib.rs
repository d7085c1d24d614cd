#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod database;
pub mod game;
#[cfg(all(feature = "fs", feature = "query"))]
pub mod index;
#[cfg(all(feature = "fs", feature = "query"))]
mod indexing;
#[cfg(feature = "threads")]
pub mod parallel;
#[cfg(all(feature = "fs", feature = "parquet", feature = "threads"))]
pub mod positions;
pub mod reading;
pub mod scan;
pub mod selection;
pub mod writer;

pub use database::{Database, OpenOptions, TextField};
pub use game::Game;
pub use scan::{Games, Reader, Scan};
pub use selection::Selection;
#[cfg(feature = "fs")]
pub use writer::create;
pub use writer::{CreateOptions, Writer};
