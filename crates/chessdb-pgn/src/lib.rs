//! PGN.
#![forbid(unsafe_code)]
pub mod raw;
