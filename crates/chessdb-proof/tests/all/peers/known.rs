//! Known differences that are faults or limits of a reference program, each with its place and
//! reason.
//!
//! Only listed differences are excused, and every listed difference must occur: an obsolete entry
//! fails the test, so the tables stay up to date. Files are named by their path below the
//! repository's fixtures or below the external databases.

/// A known difference between Scid's export and ours.
#[derive(Debug)]
pub(crate) struct KnownDifference {
    pub(crate) file: &'static str,
    /// The beginning of the line printed by pgn_tree.py.
    pub(crate) says: &'static str,
}

/// Scid does not escape quotes and backslashes in tag values.
pub(crate) static SCID_EXPORT: &[KnownDifference] = &[
    KnownDifference {
        file: "scid/awkward-tags.si4",
        says: "game 1: tag Mixed: ",
    },
    KnownDifference {
        file: "scid/awkward-tags.si4",
        says: "game 2: tag Path: ",
    },
];

/// A game written by us that a PGN reader complains about.
///
/// After such a game some readers lose track and complain about the next ones too. The game is
/// therefore given to the reader alone and must cause the complaint; all other games of its file
/// must cause none.
#[derive(Debug)]
pub(crate) struct Misread {
    pub(crate) file: &'static str,
    /// The game number, from 1.
    pub(crate) game: u64,
    /// One of the reader's complaints, as a whole line.
    pub(crate) says: &'static str,
    pub(crate) reason: &'static str,
}

const fn misread(
    file: &'static str,
    game: u64,
    says: &'static str,
    reason: &'static str,
) -> Misread {
    Misread {
        file,
        game,
        says,
        reason,
    }
}

const EMPTY_LINE: &str = "a variation without a move is PGN, but pgn-extract wants a move";
const RESULT: &str = "the base's own Result tag is not what the moves end with; both are kept";
const NO_LINE: &str = "Missing move list in variation.";

/// pgn-extract 19.04, with `--allownullmoves --fixresulttags`.
pub(crate) static PGN_EXTRACT: &[Misread] = &[
    misread(
        "pgn/edge/chessbase.pgn",
        1,
        "String length 149 is too long for the line length of 75:",
        "annotations of ChessBase that nobody else has, as commands without a blank",
    ),
    misread(
        "pgn/edge/fen.pgn",
        16,
        "Missing FEN Tag to accompany SetUp Tag.",
        "the base's own SetUp tag, without a FEN",
    ),
    misread(
        "pgn/edge/nags.pgn",
        3,
        NO_LINE,
        "pgn-extract knows no NAG before the first move of a variation",
    ),
    misread(
        "pgn/edge/nags.pgn",
        4,
        "Missing result.",
        "pgn-extract knows no NAG behind a variation",
    ),
    misread(
        "pgn/edge/results.pgn",
        2,
        "Inconsistent result strings 1-0 vs 0-1 in the following game.",
        RESULT,
    ),
    misread(
        "pgn/edge/results.pgn",
        5,
        "Inconsistent result strings 1:0 vs 1-0 in the following game.",
        RESULT,
    ),
    misread(
        "pgn/edge/results.pgn",
        6,
        "Inconsistent result strings ½-½ vs 1/2-1/2 in the following game.",
        RESULT,
    ),
    misread(
        "pgn/edge/tags-odd.pgn",
        4,
        "Inconsistent result strings 1-0 ff vs 1-0 in the following game.",
        RESULT,
    ),
    misread(
        "pgn/edge/tag-names.pgn",
        1,
        "Single '-' not allowed.",
        "the PGN standard allows signs in the names of tags, pgn-extract does not",
    ),
    misread("pgn/edge/variations.pgn", 1, NO_LINE, EMPTY_LINE),
    misread("pgn/edge/variations.pgn", 2, NO_LINE, EMPTY_LINE),
    misread("oracle-made/mixed.si4", 5, NO_LINE, EMPTY_LINE),
];

/// python-chess 1.11 reads every game without complaint.
pub(crate) static PYTHON_CHESS: &[Misread] = &[];

/// A known difference in the output of a reader of ChessBase databases, with the number of games
/// affected.
#[derive(Debug)]
pub(crate) struct Unequal {
    pub(crate) base: &'static str,
    /// A part of the description of each difference.
    pub(crate) says: &'static str,
    pub(crate) count: usize,
    pub(crate) reason: &'static str,
}

const fn unequal(
    base: &'static str,
    says: &'static str,
    count: usize,
    reason: &'static str,
) -> Unequal {
    Unequal {
        base,
        says,
        count,
        reason,
    }
}

const SHORT: &str = "short Chess960 blocks, which it cannot read, become whole";
const END: &str = "games without an end get one";
const OLD: &str = "it reads garbage from headers of ChessBase 6 to 8, which become new ones";
const CHECK: &str = "null moves of a side in check";
const LAST: &str = "windows-1252 whose last letter could begin a character of UTF-8, which it takes for one cut off";
const BOTH_LOST: &str = "it does not know the result code of a game that both players lost";

/// cbvault 0.1.6.
pub(crate) static CBVAULT: &[Unequal] = &[
    unequal("Corrupt.cbh", "another PGN", 1, SHORT),
    unequal("StandardMissingPop.cbh", "another PGN", 1, END),
    unequal(
        "test-annotations.cbh",
        "another PGN",
        1,
        "annotations under another game's number, which it refuses and we repair",
    ),
    unequal(
        "UnusualStartBytes.cbh",
        "encoding mode 1",
        2,
        "it knows no simple encoding",
    ),
    unequal(
        "stress.cbh",
        "another PGN",
        1,
        "symbols of one game in another order",
    ),
    unequal(
        "stress.cbh",
        "300: game",
        1,
        "it does not see that a third rook is captured, neither of the base before",
    ),
    unequal(
        "stress.cbh",
        "notes",
        14,
        "it leaves out symbols, and texts of the second kind, of the game itself",
    ),
    unequal("stress.cbh", "Site", 57, LAST),
    unequal("stress.cbh", "Round", 30, "a subround without a round"),
    unequal("stress.cbh", "Result: Some(\"0-0\")", 33, BOTH_LOST),
    unequal(
        "pgn/edge/chessbase.pgn",
        "notes",
        1,
        "it shows the head of a game that is quoted as a comment",
    ),
    unequal("pgn/clean/nullmoves.pgn", "null move in check", 1, CHECK),
    unequal("pgn/clean/random.pgn", "null move in check", 4, CHECK),
    unequal(
        "pgn/edge/fen.pgn",
        "<.cbg>: corrupt",
        5,
        "positions that the rules do not know",
    ),
    unequal(
        "pgn/edge/nags.pgn",
        "notes",
        1,
        "it leaves out symbols of the game itself",
    ),
    unequal("pgn/edge/scid-charsets.pgn", "game ", 3, LAST),
];

/// cbh2pgn 0.2.0.
pub(crate) static CBH2PGN: &[Unequal] = &[
    unequal("Corrupt.cbh", "another PGN", 1, SHORT),
    unequal("StandardMissingPop.cbh", "another PGN", 1, END),
    unequal("fob.cbh", "another PGN", 1, OLD),
    unequal("linares.cbh", "another PGN", 1, OLD),
    unequal("Mate2.cbh", "another PGN", 1, OLD),
    unequal(
        "text.cbh",
        "another PGN",
        1,
        "it takes guiding texts for games; we do not write them",
    ),
    unequal(
        "UnusualStartBytes.cbh",
        "not read",
        8,
        "it knows one encoding, and that is not theirs",
    ),
    unequal(
        "stress.cbh",
        "moves",
        1,
        "it does not see that a third rook is captured, neither of the base before",
    ),
    unequal(
        "stress.cbh",
        "Result",
        144,
        "it knows three results and nothing of forfeits",
    ),
    unequal("stress.cbh", "Round", 30, "a subround without a round"),
    unequal(
        "pgn/edge/chessbase.pgn",
        "Result",
        1,
        "it knows three results and nothing of forfeits",
    ),
];
