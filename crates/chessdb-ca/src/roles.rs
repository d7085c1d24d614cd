//! The files of a database.

use chessdb_core::files::Role;

/// The description of the database.
pub const CDP_FILE: Role = Role("cdp");
/// The headers of the games.
pub const D00_FILE: Role = Role("d00");
/// The addresses of the games' records.
pub const A02_FILE: Role = Role("a02");
/// The records of the games.
pub const D02_FILE: Role = Role("d02");
/// The names.
pub const EMB_FILE: Role = Role("emb");
/// Undocumented files, which a rewrite keeps.
pub const SIDE_FILES: [Role; 6] = [
    Role("a01"),
    Role("d01"),
    Role("axx"),
    Role("dxx"),
    Role("bo0"),
    Role("st0"),
];
