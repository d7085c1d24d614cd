//! How much one game may cost, and how strictly it is read.

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
    /// Diagnostics kept; later ones are only counted.
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
