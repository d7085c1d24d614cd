//! The files of a database.

use chessdb_core::files::Role;

/// The index.
pub const DCI_FILE: Role = Role("dci");
/// The names of players.
pub const DCN_FILE: Role = Role("dcn");
/// The sites.
pub const DCS_FILE: Role = Role("dcs");
/// The events.
pub const DCE_FILE: Role = Role("dce");
/// The games.
pub const DCG_FILE: Role = Role("dcg");
