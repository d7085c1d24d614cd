//! The format 2CBH of ChessBase 17 and later (docs/formats/2cbh.md). It stores the same data as CBH
//! in other structures, so results, ECO codes, nations, tags and annotations are read by the code of
//! CBH.

mod annotations;
mod check;
mod coverage;
mod format;
mod header;
mod info;
mod map;
mod moves;
mod salvage;
mod start;
mod store;

pub use format::CBH2;
