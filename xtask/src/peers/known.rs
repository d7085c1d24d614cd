//! Differences that are faults of a reference program, each with its place and reason.

/// One excused difference. The place must match exactly, and an entry that no longer fits
/// anything is itself reported, so that the table cannot outlive its reasons.
#[derive(Debug)]
pub(super) struct Known {
    /// Stem of the base or file.
    pub(super) base: &'static str,
    /// Game number, from 1.
    pub(super) game: usize,
    /// Path in the game tree, as `tree::Difference::path` gives it.
    pub(super) path: &'static str,
    pub(super) reason: &'static str,
}

/// Scid's own PGN export of the bases.
pub(super) static SCID_EXPORT: &[Known] = &[
    Known {
        base: "awkward-tags",
        game: 1,
        path: "tags.Mixed",
        reason: "Scid does not escape quotes and backslashes in tag values",
    },
    Known {
        base: "awkward-tags",
        game: 2,
        path: "tags.Path",
        reason: "Scid does not escape quotes and backslashes in tag values",
    },
];

/// Complaints of a PGN reader about what PGN's readers disagree on.
#[derive(Debug)]
pub(super) struct Complaint {
    /// Name of the input with suffix.
    pub(super) file: &'static str,
    /// The complaint's text, whole line.
    pub(super) text: &'static str,
    /// How often.
    pub(super) times: usize,
    pub(super) reason: &'static str,
}

/// pgn-extract 19.04.
pub(super) static PGN_EXTRACT: &[Complaint] = &[];

/// python-chess.
pub(super) static PYTHON_CHESS: &[Complaint] = &[];
