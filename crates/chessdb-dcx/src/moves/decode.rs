//! Decoding of tokens into a game's moves.

use chessdb_core::board::{Facts, MoveKind};
use chessdb_core::error::Location;
use chessdb_core::limits::OverLimit;
use chessdb_core::line::{Closed, LineReader, Step, Stop};
use chessdb_core::model::Place;
use chessdb_core::report::GameReport;
use chessdb_core::text::EncodingDetector;
use chessdb_core::{ErrorKind, Game, PackedMove, Result, Severity};

use super::promotions::has_reserved_bit;
use super::{Position, Promotions};
use crate::raw::{MoveWord, Token, Tokens};
use crate::text::cut_between_characters;

/// The moves and annotations of a game, and the settings to read them with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameBody<'a> {
    pub(crate) bytes: &'a [u8],
    /// Offset of `bytes` in .dcg.
    pub(crate) offset: u64,
    pub(crate) promotions: Promotions,
    /// EncodingDetector of texts that may not be UTF-8.
    pub(crate) detector: &'a EncodingDetector,
}

/// Appends the moves and annotations of a body to `game`.
///
/// # Errors
///
/// In strict mode, returns the first deviation from the format; otherwise deviations are reported
/// and tolerated.
pub(crate) fn decode<P: Position>(
    body: &GameBody<'_>,
    position: P,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let start = Location::byte(crate::roles::DCG_FILE, body.offset);
    let mut decoder = Decoder {
        tokens: Tokens::new(body.bytes),
        body,
        line: LineReader::new(position, game, report, start),
        commented: false,
        outer: Vec::new(),
    };
    let read = decoder.run();
    decoder.line.end(read)?;
    decoder.line.finish();
    Ok(())
}

struct Decoder<'d, 'r, 'o, P> {
    tokens: Tokens<'d>,
    body: &'d GameBody<'d>,
    line: LineReader<'r, 'o, P>,
    /// Whether the last move of the line, or its start, has a comment.
    commented: bool,
    /// Values of `commented` for the lines interrupted by variations.
    outer: Vec<bool>,
}

impl<P: Position> Decoder<'_, '_, '_, P> {
    fn run(&mut self) -> Step {
        loop {
            self.line.at = self.tokens.offset();
            let Some(token) = self.tokens.next() else {
                return Ok(());
            };
            match token {
                // Variations are followed while moves are skipped, to find the end of what is
                // skipped.
                Ok(Token::Open { alias }) => self.open(alias)?,
                Ok(Token::Close) => self.close()?,
                Ok(_) if self.line.is_skipping() => {}
                Ok(Token::Move(word)) => self.half_move(word)?,
                Ok(Token::Null) => {
                    self.line.lines_mut().pass();
                    self.played(PackedMove::NULL, Facts::UNKNOWN)?;
                }
                Ok(Token::Comment { text, .. }) => self.comment(text)?,
                Ok(Token::Nags { nags, .. }) => self.nags(nags)?,
                // The size of an unreadable token is unknown, and so is what follows (section 5.2).
                Err(fault) => {
                    self.line.at = fault.offset as usize;
                    self.line.lost(fault.kind.into_kind())?;
                    return Err(Stop::End);
                }
            }
        }
    }

    #[inline]
    fn half_move(&mut self, word: MoveWord) -> Step {
        match self.line.lines_mut().play(word, self.body.promotions) {
            Ok(read) => {
                // The reference program stops here (section 12).
                if !read.legal {
                    let what = bad_move(word, "illegal move");
                    self.note(what)?;
                }
                let promotes = matches!(read.mv.kind(), MoveKind::Promotion(_));
                if has_reserved_bit(word, promotes, self.body.promotions) {
                    self.note(ErrorKind::bad_field("the reserved bit of a move", 1_u8))?;
                }
                self.played(read.mv, read.facts)
            }
            // The bad move ends its line; the game continues after the line.
            Err(why) => self.line.bad_move(bad_move(word, why)),
        }
    }

    #[inline]
    fn played(&mut self, mv: PackedMove, facts: Facts) -> Step {
        self.commented = false;
        self.line.known(mv, facts)
    }

    fn open(&mut self, alias: bool) -> Step {
        if alias && !self.line.is_skipping() {
            let code = crate::raw::OPEN_ALIAS;
            self.note(ErrorKind::bad_field("beginning of a variation", code))?;
        }
        if self.line.lines().at_line_start() && !self.line.is_skipping() {
            let what = ErrorKind::Structure("a variation without a move to replace");
            self.line.repaired(what)?;
        }
        let depth = self.line.lines().depth();
        self.line.open_here()?;
        // A variation beyond the limits opens no line.
        if self.line.lines().depth() > depth {
            self.outer.push(std::mem::take(&mut self.commented));
        }
        Ok(())
    }

    fn close(&mut self) -> Step {
        match self.line.close() {
            Closed::Line => self.commented = self.outer.pop().unwrap_or_default(),
            Closed::LeftOut => {}
            Closed::NoneOpen => {
                let what = ErrorKind::Structure("the end of a variation that was never opened");
                self.line.repaired(what)?;
            }
        }
        Ok(())
    }

    fn comment(&mut self, text: &[u8]) -> Step {
        let place = self.line.place();
        if std::mem::replace(&mut self.commented, true) {
            self.note(ErrorKind::Structure("a second comment on one move"))?;
        }
        if place == Place::Before && self.line.lines().depth() > 0 {
            let what = "a comment before the first move of a variation";
            self.note(ErrorKind::Structure(what))?;
        }
        let charset = self.body.detector.charset(text);
        if !text.is_ascii() && std::str::from_utf8(text).is_err() {
            self.note(ErrorKind::Text { charset: "UTF-8" })?;
        }
        let cut = cut_between_characters(text, self.line.text_room());
        if cut.len() < text.len() {
            let limits = &self.line.report().options.limits;
            let what = OverLimit::TextBytes.into_kind(limits);
            self.line.lost(what)?;
        }
        self.line.comment(cut, charset, place)
    }

    fn nags(&mut self, nags: &[u8]) -> Step {
        if self.line.lines().at_line_start() {
            // The reference program never shows them (section 5.6).
            let what = "NAGs before the first move of a line";
            self.note(ErrorKind::Structure(what))?;
        }
        for &nag in nags {
            self.line.nag(nag.into())?;
        }
        Ok(())
    }

    #[cold]
    fn note(&mut self, kind: ErrorKind) -> Step {
        let location = self.line.here();
        self.line.say(Severity::Note, kind, location)
    }
}

#[cold]
fn bad_move(word: MoveWord, why: &'static str) -> ErrorKind {
    ErrorKind::BadMove {
        found: word.to_string().into(),
        why,
    }
}
