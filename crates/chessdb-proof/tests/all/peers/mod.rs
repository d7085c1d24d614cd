//! Our program against the reference programs that are installed; peers/README.md says how they are
//! driven. Nothing is started unless `CHESSDB_PEERS` is set: `cargo xtask peers` does that. With the
//! value `required` a missing program is a failure.

mod cbh;
mod cbv;
mod jose;
mod known;
mod lab;
mod pgn;
mod query;
mod scid;
