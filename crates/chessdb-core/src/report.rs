//! Where findings go: those about a game while it is read, and those of a check.

use crate::text::KnownTokens;
use crate::{Board, Diagnostic, Error, ErrorKind, Location, Mode, ReadOptions, Result, Severity};

/// Memory and findings of one reader thread: buffers that are used again from game to game.
#[derive(Debug, Default)]
pub struct Scratch {
    /// What lenient reading got over since it was last taken.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics beyond the limit, only counted.
    pub more_diagnostics: u32,
    /// Boards of the lines that are open.
    pub boards: Vec<Board>,
    /// For whatever a format needs.
    pub bytes: Vec<u8>,
    /// Words whose charset was judged.
    pub words: KnownTokens,
    /// The game that the last diagnostic was about, and how many there were before its first.
    last_game: Option<u32>,
    before_game: usize,
}

impl Scratch {
    /// New buffers.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// A deviation from the format page: an error in strict mode, otherwise a diagnostic. Of each
    /// game (`at.game`) as many are kept as [`crate::Limits::diagnostics`] says, however many the caller
    /// has not taken yet.
    pub fn deviation(
        &mut self,
        options: &ReadOptions,
        severity: Severity,
        kind: ErrorKind,
        at: Location,
    ) -> Result<()> {
        if options.mode == Mode::Strict {
            return Err(Error::new(kind).at(at));
        }
        let kept = self.diagnostics.len().checked_sub(self.before_game);
        let of_game = kept
            .filter(|_| self.last_game == at.game)
            .unwrap_or_else(|| {
                self.last_game = at.game;
                self.before_game = self.diagnostics.len();
                0
            });
        if of_game < options.limits.diagnostics as usize {
            self.diagnostics.push(Diagnostic { severity, kind, at });
        } else {
            self.more_diagnostics = self.more_diagnostics.saturating_add(1);
        }
        Ok(())
    }
}

/// Where findings about one game go while it is read: errors in strict mode, diagnostics otherwise.
#[derive(Debug)]
#[non_exhaustive]
pub struct GameReport<'r> {
    /// How the game is read.
    pub options: &'r ReadOptions,
    /// What takes the diagnostics.
    pub scratch: &'r mut Scratch,
    /// The game, from 1, where it is one of a base.
    pub game: Option<u32>,
}

impl<'r> GameReport<'r> {
    /// For this game, counted from 1, or for one that is not of a base.
    pub fn new(
        options: &'r ReadOptions,
        scratch: &'r mut Scratch,
        game: impl Into<Option<u32>>,
    ) -> GameReport<'r> {
        GameReport {
            options,
            scratch,
            game: game.into(),
        }
    }

    /// A deviation at this place of this game ([`Scratch::deviation`]).
    ///
    /// # Errors
    ///
    /// In strict mode the deviation.
    pub fn add(&mut self, severity: Severity, kind: ErrorKind, mut at: Location) -> Result<()> {
        at.game = at.game.or(self.game);
        self.scratch.deviation(self.options, severity, kind, at)
    }
}

/// Something `chessdb check` found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What it is.
    pub kind: ErrorKind,
    /// Where it is.
    pub at: Location,
}

impl Finding {
    /// A finding at this place.
    pub fn new(severity: Severity, kind: ErrorKind, at: Location) -> Finding {
        Finding { severity, kind, at }
    }
}

impl From<Diagnostic> for Finding {
    fn from(Diagnostic { severity, kind, at }: Diagnostic) -> Finding {
        Finding { severity, kind, at }
    }
}

/// With its kind in words.
impl From<&Diagnostic> for Finding {
    fn from(Diagnostic { severity, kind, at }: &Diagnostic) -> Finding {
        Finding::new(*severity, ErrorKind::Other(kind.to_string().into()), *at)
    }
}

/// Of severity [`Severity::Lost`]: what could not be read at all.
impl From<Error> for Finding {
    fn from(error: Error) -> Finding {
        let (kind, at) = error.into_parts();
        Finding {
            severity: Severity::Lost,
            kind,
            at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn the_limit_on_diagnostics_is_per_game() {
        let options = ReadOptions::default().with_limits(Limits::default().with_diagnostics(3));
        let mut scratch = Scratch::new();
        let add = |scratch: &mut Scratch, game: u32, times: usize| {
            for _ in 0..times {
                let kind = ErrorKind::Structure("odd");
                let at = Location::game(game);
                scratch
                    .deviation(&options, Severity::Note, kind, at)
                    .unwrap();
            }
            (scratch.diagnostics.len(), scratch.more_diagnostics)
        };
        assert_eq!(add(&mut scratch, 1, 5), (3, 2));
        assert_eq!(add(&mut scratch, 2, 2), (5, 2));
        assert_eq!(add(&mut scratch, 2, 2), (6, 3));
        scratch.diagnostics.clear();
        assert_eq!(add(&mut scratch, 2, 1), (1, 3));
        assert_eq!(add(&mut scratch, 3, 4), (4, 4));
    }
}
