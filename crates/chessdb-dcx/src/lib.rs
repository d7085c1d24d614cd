//! Reads and writes DC* databases (dci, dcn, dcs, dce, dcg).

#![forbid(unsafe_code)]

pub mod raw;

use chessdb_core::Role;

/// The index.
pub const DCI_FILE: Role = Role("dci");
/// The players.
pub const DCN_FILE: Role = Role("dcn");
/// The sites.
pub const DCS_FILE: Role = Role("dcs");
/// The events.
pub const DCE_FILE: Role = Role("dce");
/// The games.
pub const DCG_FILE: Role = Role("dcg");
/// How promotions are numbered.
pub enum Promotions {}
