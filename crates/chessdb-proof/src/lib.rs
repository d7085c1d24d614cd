//! The promises of identity (docs/architecture.md, section 5), checked over every format at once.
//!
//! [`matrix`] converts what every format can hold into every other format and back and holds what
//! was announced as lost against what is missing; [`bases`] says of each base whether the three
//! promises hold; [`page`] writes docs/roundtrip.md. All of it goes by [`chessdb::FORMATS`]: a new
//! format is in as soon as it stands in that table.

#![forbid(unsafe_code)]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    reason = "test support: a panic is a proof failing, and what is not run is printed"
)]

pub mod bases;
pub mod chains;
pub mod hop;
pub mod made;
pub mod matrix;
pub mod page;
pub mod peer;
pub mod questions;
pub mod spellings;
