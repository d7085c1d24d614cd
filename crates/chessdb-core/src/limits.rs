//! Resource limits for one game.

use crate::ErrorKind;

/// Limits for possibly hostile input. Anything beyond them is cut, with a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one game in its file.
    pub game_bytes: u32,
    /// Half-moves of one game, variations included.
    pub plies: u32,
    /// Nesting depth of variations.
    pub depth: u32,
    /// Bytes of all texts of one game.
    pub text_bytes: u32,
    /// Tags of one game in addition to the typed ones.
    pub tags: u32,
    /// Diagnostics of one game that are kept; later ones are only counted.
    pub diagnostics: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            game_bytes: 16 << 20,
            plies: 100_000,
            depth: 4096,
            text_bytes: 8 << 20,
            tags: 512,
            diagnostics: 1000,
        }
    }
}

impl Limits {
    /// Returns small limits for fuzzing, where speed counts.
    pub fn small() -> Limits {
        Limits {
            game_bytes: 1 << 16,
            plies: 2000,
            depth: 64,
            text_bytes: 1 << 14,
            tags: 32,
            diagnostics: 20,
        }
    }

    /// Returns the limits of the tape, for changed copies of games that were within other limits.
    pub(crate) fn of_tape() -> Limits {
        Limits::default()
            .with_plies(MOST_NUMBERS)
            .with_depth(MOST_NUMBERS)
    }

    /// Sets the maximum number of bytes of one game in its file.
    #[must_use]
    pub const fn with_game_bytes(mut self, limit: u32) -> Limits {
        self.game_bytes = limit;
        self
    }

    /// Sets the maximum number of half-moves in one game, variations included.
    #[must_use]
    pub const fn with_plies(mut self, limit: u32) -> Limits {
        self.plies = limit;
        self
    }

    /// Sets the maximum nesting depth of variations.
    #[must_use]
    pub const fn with_depth(mut self, limit: u32) -> Limits {
        self.depth = limit;
        self
    }

    /// Sets the maximum number of text bytes in one game.
    #[must_use]
    pub const fn with_text_bytes(mut self, limit: u32) -> Limits {
        self.text_bytes = limit;
        self
    }

    /// Sets the maximum number of tags of one game in addition to the typed ones.
    #[must_use]
    pub const fn with_tags(mut self, limit: u32) -> Limits {
        self.tags = limit;
        self
    }

    /// Sets the maximum number of diagnostics kept per game.
    #[must_use]
    pub const fn with_diagnostics(mut self, limit: u32) -> Limits {
        self.diagnostics = limit;
        self
    }
}

/// The largest number that a token of the tape can contain.
pub(crate) const MOST_NUMBERS: u32 = (1 << 28) - 1;

/// The limit that was reached; the item was not pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OverLimit {
    /// The limit is [`Limits::plies`].
    Plies,
    /// The limit is [`Limits::depth`].
    Depth,
    /// The number of all other events on the tape. It is limited to eight times [`Limits::plies`];
    /// otherwise a game of NAGs only could grow without limit.
    Notes,
    /// The number of texts; the tape can refer to 2^28 - 1.
    Texts,
    /// The limit is [`Limits::text_bytes`].
    TextBytes,
}

impl OverLimit {
    /// Returns the name of the limit, in words.
    pub const fn what(self) -> &'static str {
        match self {
            OverLimit::Plies => "plies in a game",
            OverLimit::Depth => "variations within variations",
            OverLimit::Notes => "annotations in a game",
            OverLimit::Texts => "texts in a game",
            OverLimit::TextBytes => "bytes of text in a game",
        }
    }

    /// Returns the maximum.
    pub fn limit(self, limits: &Limits) -> u32 {
        match self {
            OverLimit::Plies => limits.plies,
            OverLimit::Depth => limits.depth,
            OverLimit::Notes => limits.plies.saturating_mul(8).min(MOST_NUMBERS),
            OverLimit::Texts => MOST_NUMBERS,
            OverLimit::TextBytes => limits.text_bytes,
        }
    }

    /// Converts this to an error kind.
    pub fn into_kind(self, limits: &Limits) -> ErrorKind {
        ErrorKind::over_limit(self.what(), self.limit(limits).into())
    }
}
