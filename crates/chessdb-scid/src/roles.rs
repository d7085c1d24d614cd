//! The roles of the files of a database, per generation.

use chessdb_core::files::Role;

/// The index file of SCID 4.
pub const SI4_FILE: Role = Role("si4");
/// The games file of SCID 4.
pub const SG4_FILE: Role = Role("sg4");
/// The name file of SCID 4.
pub const SN4_FILE: Role = Role("sn4");
/// The index file of SCID 5.
pub const SI5_FILE: Role = Role("si5");
/// The games file of SCID 5.
pub const SG5_FILE: Role = Role("sg5");
/// The name file of SCID 5.
pub const SN5_FILE: Role = Role("sn5");
/// The index file of SCID 3.
pub const SI3_FILE: Role = Role("si3");
/// The games file of SCID 3.
pub const SG3_FILE: Role = Role("sg3");
/// The name file of SCID 3.
pub const SN3_FILE: Role = Role("sn3");
