//! Findings about a game, with their locations.

use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::options::Mode;
use chessdb_core::utf16::Utf16;
use chessdb_core::{Diagnostic, Error, ErrorKind, ReadOptions, Result, Scratch, Severity, Start};

use crate::raw::{Lexer, Token, TokenKind, after_blank_line, is_blank, is_harmless};
use crate::roles::PGN_FILE;

/// The bytes of one game, and their origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    /// The offset of the first byte in the file.
    pub(crate) offset: u64,
    /// The number of the game, counted from 1.
    pub(crate) number: u32,
    /// The start position if no tag states it.
    pub(crate) start: &'a Start,
    /// The reason, if the game continues after these bytes.
    pub(crate) cut: Option<CutReason>,
    /// Whether another game follows.
    pub(crate) followed: bool,
}

/// The reason why a game is incomplete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CutReason {
    /// The game is longer than the limit.
    TooLong,
    /// The stream is damaged here.
    Damage,
}

impl Source<'_> {
    /// Returns where the next game begins, if it begins within a line of this one. The token before
    /// it may be the first part of another one.
    pub(crate) fn border(&self) -> Option<usize> {
        (self.followed && !self.bytes.last().is_some_and(|&b| is_blank(b)))
            .then_some(self.bytes.len())
    }

    /// Returns whether the next game follows without a blank line.
    pub(crate) fn lacks_blank_line(&self) -> bool {
        self.followed && !after_blank_line(self.bytes, self.bytes.len())
    }

    /// Returns the location in the file of a byte of the game.
    fn location(&self, index: usize) -> Location {
        let offset = self.offset.saturating_add(index as u64);
        Location::byte(PGN_FILE, offset).in_game(self.number)
    }
}

/// Limits that one game may exceed many times, but which are reported once.
#[derive(Clone, Copy)]
pub(crate) enum ReportOnce {
    Notes,
    Texts,
    Tags,
}

/// Collects the findings about one game.
pub(crate) struct Report<'r> {
    pub(crate) options: &'r ReadOptions,
    pub(crate) scratch: &'r mut Scratch,
    /// Whether the game begins at the standard start position.
    pub(crate) from_start: bool,
    source: Source<'r>,
    seen: u8,
}

impl<'r> Report<'r> {
    pub(crate) fn new(
        options: &'r ReadOptions,
        scratch: &'r mut Scratch,
        source: Source<'r>,
    ) -> Report<'r> {
        Report {
            options,
            scratch,
            from_start: true,
            source,
            seen: 0,
        }
    }

    /// Returns bytes of the game.
    pub(crate) fn bytes(&self, range: Range<usize>) -> &'r [u8] {
        self.source.bytes.get(range).unwrap_or_default()
    }

    /// Returns the bytes before and after a token.
    pub(crate) fn around(&self, token: Token) -> (&'r [u8], &'r [u8]) {
        let bytes = self.source.bytes;
        (
            bytes.get(..token.start).unwrap_or_default(),
            bytes.get(token.end..).unwrap_or_default(),
        )
    }

    /// Reports a deviation from the format page, which is an error in strict mode.
    #[cold]
    pub(crate) fn add_finding(
        &mut self,
        severity: Severity,
        kind: ErrorKind,
        token: Token,
        ply: Option<u32>,
    ) -> Result<()> {
        let mut location = self.source.location(token.start);
        location.ply = ply;
        self.scratch
            .deviation(self.options, severity, kind, location)
    }

    /// Reports a deviation at a byte of the game.
    #[cold]
    pub(crate) fn add_finding_at(
        &mut self,
        severity: Severity,
        kind: ErrorKind,
        offset: usize,
    ) -> Result<()> {
        let location = self.source.location(offset);
        self.scratch
            .deviation(self.options, severity, kind, location)
    }

    /// Reports an exceeded limit, if it is the first report of its kind.
    pub(crate) fn once(
        &mut self,
        which: ReportOnce,
        what: &'static str,
        limit: u32,
        token: Token,
        ply: Option<u32>,
    ) -> Result<()> {
        if !self.first(1 << which as u8) {
            return Ok(());
        }
        let limit = limit.into();
        let kind = ErrorKind::over_limit(what, limit);
        self.add_finding(Severity::Lost, kind, token, ply)
    }

    /// Returns whether a wrong move number is the first one of the game; the others follow from it.
    pub(crate) fn first_move_number(&mut self) -> bool {
        self.first(1 << 7)
    }

    fn first(&mut self, bit: u8) -> bool {
        let first = self.seen & bit == 0;
        self.seen |= bit;
        first
    }
}

/// Reports bytes outside all games, beginning at this offset. An error in strict mode.
pub(crate) fn report_rest(
    bytes: &[u8],
    offset: u64,
    options: &ReadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<()> {
    let mut lexer = Lexer::new(bytes);
    let mut reported_loss = false;
    while let Some(token) = lexer.next() {
        let (severity, kind) = match token.kind {
            TokenKind::Space | TokenKind::Bom => continue,
            TokenKind::Escape => (
                Severity::Note,
                ErrorKind::Structure("an escape line (%) was skipped"),
            ),
            _ => no_game(lexer.text(token), "a game, or the end of the file"),
        };
        let location = Location::byte(PGN_FILE, offset.saturating_add(token.start as u64));
        // A loss is reported even if the limit of diagnostics is reached.
        let lost = severity == Severity::Lost;
        let room = diagnostics.len() < options.limits.diagnostics as usize;
        if room || lost && !reported_loss || options.mode == Mode::Strict {
            report(
                Diagnostic::new(severity, kind, location),
                options,
                diagnostics,
            )?;
            reported_loss |= lost;
        }
    }
    Ok(())
}

/// Returns the finding about foreign text outside the moves. A few NULs, or the sign by which DOS
/// ended a text, are harmless; many of them mean that text was overwritten.
pub(crate) fn no_game(text: &[u8], expected: &'static str) -> (Severity, ErrorKind) {
    const FEW: usize = 16;
    if text.len() <= FEW && text.iter().all(u8::is_ascii_control) {
        let kind = ErrorKind::Structure("control characters outside all games");
        return (Severity::Note, kind);
    }
    let is_harmless = is_harmless(text.trim_ascii_end());
    let severity = if is_harmless { Severity::Note } else { Severity::Lost };
    (severity, ErrorKind::syntax(expected, text))
}

/// Reports text before a game, from this offset on, that is longer than a game may be.
pub(crate) fn too_much_text(
    offset: u64,
    options: &ReadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<()> {
    let kind = ErrorKind::over_limit(
        "bytes of text before a game",
        options.limits.game_bytes.into(),
    );
    let (severity, location) = (Severity::Lost, Location::byte(PGN_FILE, offset));
    report(
        Diagnostic::new(severity, kind, location),
        options,
        diagnostics,
    )
}

fn report(
    diagnostic: Diagnostic,
    options: &ReadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<()> {
    if options.mode == Mode::Strict {
        return Err(Error::new(diagnostic.kind).at(diagnostic.at));
    }
    diagnostics.push(diagnostic);
    Ok(())
}

/// Refuses UTF-16 in strict mode, since programs that follow the standard cannot read it.
pub(crate) fn refuse_utf_16(utf_16: Option<&Utf16>, mode: Mode) -> Result<()> {
    if utf_16.is_some() && mode == Mode::Strict {
        let kind = ErrorKind::Unsupported("UTF-16 text");
        return Err(Error::new(kind).at(Location::byte(PGN_FILE, 0)));
    }
    Ok(())
}
