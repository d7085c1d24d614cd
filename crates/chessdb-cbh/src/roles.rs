//! The files of a base.

use chessdb_core::Role;

/// The index.
pub const CBH_FILE: Role = Role("cbh");
/// The games.
pub const CBG_FILE: Role = Role("cbg");
/// The annotations.
pub const CBA_FILE: Role = Role("cba");
/// The players.
pub const CBP_FILE: Role = Role("cbp");
/// The tournaments.
pub const CBT_FILE: Role = Role("cbt");
/// The annotators.
pub const CBC_FILE: Role = Role("cbc");
/// The sources.
pub const CBS_FILE: Role = Role("cbs");
/// The teams.
pub const CBE_FILE: Role = Role("cbe");
/// The game tags.
pub const CBL_FILE: Role = Role("cbl");
/// The extended headers of games.
pub const CBJ_FILE: Role = Role("cbj");
/// The details of tournaments.
pub const CBTT_FILE: Role = Role("cbtt");
/// The manifests of the media of guiding texts.
pub const CBM_FILE: Role = Role("cbm");
/// The marks of top games.
pub const FLAGS_FILE: Role = Role("flags");
