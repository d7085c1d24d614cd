//! Reads and writes SCID databases (si4, sg4, sn4).

#![forbid(unsafe_code)]

pub mod raw;

use chessdb_core::Role;

/// The index.
pub const SI4_FILE: Role = Role("si4");
/// The games.
pub const SG4_FILE: Role = Role("sg4");
/// The names.
pub const SN4_FILE: Role = Role("sn4");
