//! One program, so that it is linked once and the slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod append;
mod cbf;
mod cbh;
mod changed;
mod changes_in_place;
mod charsets;
#[cfg(all(feature = "pgn", feature = "scid"))]
mod common;
mod conversions_in_place;
mod corrupt;
#[cfg(feature = "all-formats")]
mod damage;
mod database;
mod dcx;
mod edited_games;
mod edits;
mod encodings;
mod examples;
mod explorer;
#[cfg(feature = "parquet")]
mod folders;
mod foreign;
mod formats;
mod headers;
mod index;
mod index_follows;
mod jose;
mod jose_naming;
mod kept_text;
mod lab;
mod lines;
mod made;
mod odd_values;
mod open;
mod packed;
mod pgn_scid;
mod position_search;
mod prepared;
mod random_edits;
mod root;
mod salvage;
mod scidb;
mod search;
mod sink;
mod sound_databases;
mod special;
mod sqlite_changes;
mod sqlite_in_place;
mod sqlite_on_disk;
mod tree_index;
