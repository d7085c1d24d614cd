//! Comparisons with the installed reference programs; peers/README.md describes how they are run.
//!
//! Nothing is started unless `CHESSDB_PEERS` is set, as `cargo xtask peers` does. If it is
//! `required`, a missing program is a failure.

mod book;
mod cbh;
mod cbv;
mod jose;
mod known;
mod lab;
mod pgn;
mod query;
mod scid;
mod scid_changed;
mod sqlite;
mod stats;
