//! The files of a database.

use chessdb_core::files::Role;

/// The file with the index.
pub const CBH_FILE: Role = Role("cbh");
/// The file with the games.
pub const CBG_FILE: Role = Role("cbg");
/// The file with the annotations.
pub const CBA_FILE: Role = Role("cba");
/// The file with the players.
pub const CBP_FILE: Role = Role("cbp");
/// The file with the tournaments.
pub const CBT_FILE: Role = Role("cbt");
/// The file with the annotators.
pub const CBC_FILE: Role = Role("cbc");
/// The file with the sources.
pub const CBS_FILE: Role = Role("cbs");
/// The file with the teams.
pub const CBE_FILE: Role = Role("cbe");
/// The file with the game tags.
pub const CBL_FILE: Role = Role("cbl");
/// The file with the extended headers of games.
pub const CBJ_FILE: Role = Role("cbj");
/// The file with the details of tournaments.
pub const CBTT_FILE: Role = Role("cbtt");
/// The file with the manifests of the media of guiding texts.
pub const CBM_FILE: Role = Role("cbm");
/// The file with the marks of top games.
pub const FLAGS_FILE: Role = Role("flags");

/// The files that ChessBase derives from a database: first the search boosters, which depend on
/// games and names, then the opening and position keys, which list games by their moves.
pub(crate) static DERIVED: [Role; 17] = [
    Role("cit"),
    Role("cib"),
    Role("cit2"),
    Role("cib2"),
    Role("cbb"),
    Role("cbgi"),
    Role("pgi"),
    Role("cko"),
    Role("cpo"),
    Role("ckn"),
    Role("cpn"),
    Role("ck1"),
    Role("cp1"),
    Role("ck2"),
    Role("cp2"),
    Role("ck3"),
    Role("cp3"),
];
/// The number of search boosters at the start of [`DERIVED`].
pub(crate) const BOOSTERS: usize = 7;

/// The index of a 2CBH database.
pub const CBH2_FILE: Role = Role("2cbh");
/// The games of a 2CBH database.
pub const CBG2_FILE: Role = Role("2cbg");
/// The annotations of a 2CBH database.
pub const CBA2_FILE: Role = Role("2cba");
/// The names of a 2CBH database.
pub const LID2_FILE: Role = Role("2lid");
/// The games of each name of a 2CBH database, which are derived from the index.
pub const LGD2_FILE: Role = Role("2lgd");
/// The sorted names of a 2CBH database, which are derived from the names.
pub const LCD2_FILE: Role = Role("2lcd");
