//! How much one game may cost, and how strictly it is read.

use crate::ErrorKind;

/// Bounds for input that may be hostile. What lies beyond is cut, with a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one game in its file.
    pub game_bytes: u32,
    /// Half-moves of one game, variations included.
    pub plies: u32,
    /// Variations within variations.
    pub depth: u32,
    /// Bytes of all texts of one game.
    pub text_bytes: u32,
    /// Tags of one game beside the typed ones.
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
    /// Small limits for fuzzing, where speed counts.
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

    /// With at most this many bytes of one game in its file.
    #[must_use]
    pub const fn with_game_bytes(mut self, most: u32) -> Limits {
        self.game_bytes = most;
        self
    }

    /// With at most this many half-moves in one game, variations included.
    #[must_use]
    pub const fn with_plies(mut self, most: u32) -> Limits {
        self.plies = most;
        self
    }

    /// With at most this many variations within variations.
    #[must_use]
    pub const fn with_depth(mut self, most: u32) -> Limits {
        self.depth = most;
        self
    }

    /// With at most this many bytes of text in one game.
    #[must_use]
    pub const fn with_text_bytes(mut self, most: u32) -> Limits {
        self.text_bytes = most;
        self
    }

    /// With at most this many tags of one game beside the typed ones.
    #[must_use]
    pub const fn with_tags(mut self, most: u32) -> Limits {
        self.tags = most;
        self
    }

    /// With at most this many diagnostics kept of one game.
    #[must_use]
    pub const fn with_diagnostics(mut self, most: u32) -> Limits {
        self.diagnostics = most;
        self
    }
}

/// What a token of the tape can number.
pub(crate) const MOST_NUMBERS: u32 = (1 << 28) - 1;

/// A limit was reached; what was pushed was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OverLimit {
    /// [`Limits::plies`].
    Plies,
    /// [`Limits::depth`].
    Depth,
    /// Everything else on the tape, which is bounded by eight times [`Limits::plies`]: a game of NAGs
    /// only would otherwise grow for ever.
    Notes,
    /// The number of texts, of which the tape can name 2^28 - 1.
    Texts,
    /// [`Limits::text_bytes`].
    TextBytes,
}

impl OverLimit {
    /// Which limit, in words.
    pub const fn what(self) -> &'static str {
        match self {
            OverLimit::Plies => "plies in a game",
            OverLimit::Depth => "variations within variations",
            OverLimit::Notes => "annotations in a game",
            OverLimit::Texts => "texts in a game",
            OverLimit::TextBytes => "bytes of text in a game",
        }
    }

    /// How much there may be.
    pub fn limit(self, limits: &Limits) -> u32 {
        match self {
            OverLimit::Plies => limits.plies,
            OverLimit::Depth => limits.depth,
            OverLimit::Notes => limits.plies.saturating_mul(8).min(MOST_NUMBERS),
            OverLimit::Texts => MOST_NUMBERS,
            OverLimit::TextBytes => limits.text_bytes,
        }
    }

    /// The same as an error kind.
    pub fn into_kind(self, limits: &Limits) -> ErrorKind {
        ErrorKind::LimitExceeded {
            what: self.what(),
            limit: self.limit(limits).into(),
        }
    }
}

/// What happens at a deviation from the format page.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// The first deviation is an error.
    Strict,
    /// A documented repair is applied and reported as a [`crate::Diagnostic`].
    #[default]
    Lenient,
}
