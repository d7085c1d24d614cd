//! Collectors of findings about a game that is being read, and findings of a check.

use crate::error::Location;
use crate::options::Mode;
use crate::text::{KnownTokens, TextId, Texts};
use crate::{Board, Charset, Diagnostic, Error, ErrorKind, ReadOptions, Result, Severity};

/// Buffers and findings of one reader thread, reused from game to game.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Diagnostics of lenient reading since they were last taken.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics dropped beyond the limit.
    pub dropped_diagnostics: u32,
    /// Boards of the open variations.
    pub boards: Vec<Board>,
    /// A general-purpose buffer for formats.
    pub bytes: Vec<u8>,
    /// Words with an encoding that was already guessed.
    pub words: KnownTokens,
    /// The game of the last diagnostic, and the number of diagnostics before its first one.
    last_game: Option<u32>,
    before_game: usize,
}

impl Scratch {
    /// Creates empty buffers.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Reports a deviation from the format page: an error in strict mode, otherwise a diagnostic.
    /// At most [`crate::limits::Limits::diagnostics`] are kept for each game (`at.game`), no matter
    /// how many diagnostics the caller has not taken yet.
    pub fn deviation(
        &mut self,
        options: &ReadOptions,
        severity: Severity,
        kind: ErrorKind,
        location: Location,
    ) -> Result<()> {
        if options.mode == Mode::Strict {
            return Err(Error::new(kind).at(location));
        }
        // The caller may have taken diagnostics out; counting then begins again.
        let count = self.diagnostics.len().checked_sub(self.before_game);
        let of_game = count
            .filter(|_| self.last_game == location.game)
            .unwrap_or_else(|| {
                self.last_game = location.game;
                self.before_game = self.diagnostics.len();
                0
            });
        if of_game < options.limits.diagnostics as usize {
            self.diagnostics
                .push(Diagnostic::new(severity, kind, location));
        } else {
            self.dropped_diagnostics = self.dropped_diagnostics.saturating_add(1);
        }
        Ok(())
    }
}

/// Receiver of the findings about one game while it is read: errors in strict mode, diagnostics
/// otherwise.
#[derive(Debug)]
#[non_exhaustive]
pub struct GameReport<'r> {
    /// The options with which the game is read.
    pub options: &'r ReadOptions,
    /// Receiver of the diagnostics.
    pub scratch: &'r mut Scratch,
    /// The number of the game, from 1, if it belongs to a database.
    pub game: Option<u32>,
}

impl<'r> GameReport<'r> {
    /// Creates a report for a game, counted from 1, or for a game that belongs to no database.
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

    /// Reports a deviation at this place of the game ([`Scratch::deviation`]).
    ///
    /// # Errors
    ///
    /// Returns the deviation in strict mode.
    pub fn add(&mut self, severity: Severity, kind: ErrorKind, location: Location) -> Result<()> {
        let game = location.game.or(self.game);
        let place = Location { game, ..location };
        self.scratch.deviation(self.options, severity, kind, place)
    }

    /// Reports data that could not be read ([`Severity::Lost`]).
    ///
    /// # Errors
    ///
    /// Returns the deviation in strict mode.
    pub fn lost(&mut self, kind: ErrorKind, location: Location) -> Result<()> {
        self.add(Severity::Lost, kind, location)
    }

    /// Reports a deviation that was repaired ([`Severity::Repaired`]).
    ///
    /// # Errors
    ///
    /// Returns the deviation in strict mode.
    pub fn repaired(&mut self, kind: ErrorKind, location: Location) -> Result<()> {
        self.add(Severity::Repaired, kind, location)
    }

    /// Reports a deviation that changed nothing ([`Severity::Note`]).
    ///
    /// # Errors
    ///
    /// Returns the deviation in strict mode.
    pub fn note(&mut self, kind: ErrorKind, location: Location) -> Result<()> {
        self.add(Severity::Note, kind, location)
    }

    /// Returns the bytes of a game at this location, up to the limit of
    /// [`Limits::game_bytes`](crate::limits::Limits::game_bytes). More of them are reported.
    ///
    /// # Errors
    ///
    /// Returns an error in strict mode if there are more.
    pub fn game_bytes<'b>(&mut self, bytes: &'b [u8], location: Location) -> Result<&'b [u8]> {
        let limit = self.options.limits.game_bytes;
        if bytes.len() <= limit as usize {
            return Ok(bytes);
        }
        let kind = ErrorKind::over_limit("bytes in a game", limit.into());
        self.add(Severity::Lost, kind, location)?;
        Ok(bytes.get(..limit as usize).unwrap_or(bytes))
    }

    /// Adds a text at this location to those of a game. A text beyond the limit of
    /// [`Limits::text_bytes`](crate::limits::Limits::text_bytes) is left out and reported.
    ///
    /// # Errors
    ///
    /// Returns an error in strict mode if the text is left out.
    pub fn push_text(
        &mut self,
        bytes: &[u8],
        charset: Charset,
        location: Location,
        texts: &mut Texts,
    ) -> Result<TextId> {
        let limits = &self.options.limits;
        match texts.check_room(bytes.len(), limits) {
            Ok(()) => Ok(texts.push(bytes, charset)),
            Err(over) => {
                self.add(Severity::Lost, over.into_kind(limits), location)?;
                Ok(TextId::NONE)
            }
        }
    }
}

/// A finding of `chessdb check`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The fault.
    pub kind: ErrorKind,
    /// The location.
    pub at: Location,
}

impl Finding {
    /// Creates a finding at this location.
    pub fn new(severity: Severity, kind: ErrorKind, at: Location) -> Finding {
        Finding { severity, kind, at }
    }
}

impl From<Diagnostic> for Finding {
    fn from(Diagnostic { severity, kind, at }: Diagnostic) -> Finding {
        Finding { severity, kind, at }
    }
}

/// Converts the kind into words.
impl From<&Diagnostic> for Finding {
    fn from(Diagnostic { severity, kind, at }: &Diagnostic) -> Finding {
        Finding::new(*severity, ErrorKind::Other(kind.to_string().into()), *at)
    }
}

/// Converts data that could not be read at all into a finding of severity [`Severity::Lost`].
impl From<Error> for Finding {
    fn from(error: Error) -> Finding {
        let (kind, location) = error.into_parts();
        Finding::new(Severity::Lost, kind, location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn diagnostics_limit_is_per_game() {
        let options = ReadOptions::default().with_limits(Limits::default().with_diagnostics(3));
        let mut scratch = Scratch::new();
        let add = |scratch: &mut Scratch, game: u32, times: usize| {
            for _ in 0..times {
                let kind = ErrorKind::Structure("odd");
                let location = Location::game(game);
                scratch
                    .deviation(&options, Severity::Note, kind, location)
                    .unwrap();
            }
            (scratch.diagnostics.len(), scratch.dropped_diagnostics)
        };
        assert_eq!(add(&mut scratch, 1, 5), (3, 2));
        assert_eq!(add(&mut scratch, 2, 2), (5, 2));
        assert_eq!(add(&mut scratch, 2, 2), (6, 3));
        scratch.diagnostics.clear();
        assert_eq!(add(&mut scratch, 2, 1), (1, 3));
        assert_eq!(add(&mut scratch, 3, 4), (4, 4));
    }
}
