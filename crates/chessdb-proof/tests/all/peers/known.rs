//! Differences that are faults or limits of a reference program, each with its place and reason.
//!
//! Nothing is excused that is not listed here, and what is listed must occur: an entry that fits
//! nothing any more is itself a failure, so that the tables cannot outlive their reasons. Files are
//! named by their path below the fixtures of the repository or below the outside databases.

/// One excused difference between Scid's export and ours.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) file: &'static str,
    /// How the line of pgn_tree.py begins.
    pub(crate) says: &'static str,
}

/// Scid does not escape quotes and backslashes in tag values.
pub(crate) static SCID_EXPORT: &[Known] = &[
    Known {
        file: "scid/awkward-tags.si4",
        says: "game 1: tag Mixed: ",
    },
    Known {
        file: "scid/awkward-tags.si4",
        says: "game 2: tag Path: ",
    },
];

/// A game of ours that a reader of PGN complains about.
///
/// Some readers get out of step at such a game and complain about the next ones too. So it is given
/// to the reader alone, and must draw the complaint; all other games of its file must draw none.
#[derive(Debug)]
pub(crate) struct Misread {
    pub(crate) file: &'static str,
    /// Game number, from 1.
    pub(crate) game: u64,
    /// One of the reader's complaints, whole line.
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

/// python-chess 1.11 understands every game of ours.
pub(crate) static PYTHON_CHESS: &[Misread] = &[];
