//! Decoding of movetext tokens onto the tape.

mod fast_path;
mod words;

use std::ops::Range;

use chessdb_core::annotation::finish_comment;
use chessdb_core::limits::OverLimit;
use chessdb_core::line::LineTracker as _;
use chessdb_core::model::Builder;
use chessdb_core::text::{EncodingDetector, Texts};
use chessdb_core::{Board, ErrorKind, Outcome, Result, Severity, Start};

use super::ambiguity;
use super::boards::Boards;
use super::reading::{Explosions, Reading, Rules, Unread};
use crate::raw::{Token, TokenKind};
use crate::report::{Report, ReportOnce};
use crate::text;

/// The part of the game that the decoder currently skips, after having reported the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Skipping {
    Nothing,
    /// The rest of the line at this nesting depth, including everything inside it.
    Line {
        depth: u32,
        /// Whether the variation is open on the tape.
        on_tape: bool,
    },
    /// All further moves.
    Moves,
}

/// The reason why a word is not played.
type EndReason = &'static str;

/// Decodes the tokens of one game onto its tape.
pub(crate) struct MoveDecoder<'g> {
    tape: Builder<'g>,
    boards: Boards,
    detector: EncodingDetector,
    reading: Reading,
    unread: Unread,
    /// The number of open parentheses, including parentheses of skipped variations.
    depth: u32,
    skipping: Skipping,
    /// Where the text of an ended line begins that is kept as a comment.
    rest: Option<usize>,
    /// Whether the text of an ended line is kept from the next token on.
    rest_due: bool,
    result: Option<Outcome>,
    /// The difference between the written move numbers and the board's.
    numbering: Option<i64>,
    /// The range of signs and irregular numbers that may be part of the following word.
    glued: Range<usize>,
    /// Whether each move must be examined closely, because of a field below or of the reading.
    careful: bool,
    /// A single letter that may belong to the next word.
    letter: Option<u8>,
    explosions: Option<Explosions>,
}

impl<'g> MoveDecoder<'g> {
    /// Creates a decoder. `memory` is reusable memory for boards; [`MoveDecoder::finish`] returns
    /// it.
    pub(crate) fn new(
        tape: Builder<'g>,
        memory: Vec<Board>,
        detector: EncodingDetector,
        reading: Reading,
    ) -> MoveDecoder<'g> {
        MoveDecoder {
            tape,
            boards: Boards::new(memory),
            detector,
            reading,
            unread: Unread::default(),
            depth: 0,
            skipping: Skipping::Nothing,
            rest: None,
            rest_due: false,
            result: None,
            numbering: None,
            glued: 0..0,
            careful: !matches!(reading, Reading::English),
            letter: None,
            explosions: None,
        }
    }

    /// Sets the start position, the rules, and whether there may be variations.
    pub(crate) fn start(&mut self, start: &Start, rules: Rules, with_variations: bool) {
        self.boards.start(start, with_variations);
        if rules == Rules::Atomic {
            self.explosions = Some(Explosions::default());
            self.careful = true;
        }
    }

    /// Skips all moves, since the start position is unknown.
    pub(crate) fn refuse(&mut self) {
        self.skipping = Skipping::Line {
            depth: 0,
            on_tape: true,
        };
        self.rest_due = true;
    }

    /// Returns whether tokens are skipped because of an earlier error.
    pub(crate) fn is_skipping(&self) -> bool {
        self.skipping != Skipping::Nothing
    }

    /// Returns the tape, for a caller that looks at the moves while they are read.
    pub(crate) fn tape_mut(&mut self) -> &mut Builder<'g> {
        &mut self.tape
    }

    /// Returns what could not be read.
    pub(crate) fn unread(&self) -> Unread {
        self.unread
    }

    /// Returns the number of half-moves of the current line so far.
    pub(crate) fn ply(&self) -> u32 {
        self.boards.ply()
    }

    /// Returns the result after the moves.
    pub(crate) fn result(&self) -> Option<Outcome> {
        self.result
    }

    /// Returns whether moves were read, or text that may have been moves.
    pub(crate) fn has_moves(&self) -> bool {
        self.boards.ply() > 0 || self.is_skipping()
    }

    /// Takes a result that is not a token and begins at `offset`.
    pub(crate) fn end_with(
        &mut self,
        outcome: Outcome,
        offset: usize,
        texts: &mut Texts,
        report: &mut Report<'_>,
    ) -> Result<()> {
        self.keep_rest(offset, texts, report)?;
        self.result.get_or_insert(outcome);
        Ok(())
    }

    /// Returns the number of open parentheses.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Ends the game: keeps the unread text of its last line.
    pub(crate) fn end(
        &mut self,
        offset: usize,
        texts: &mut Texts,
        report: &mut Report<'_>,
    ) -> Result<()> {
        self.keep_rest(offset, texts, report)
    }

    /// Finishes the tape and returns the memory for boards.
    pub(crate) fn finish(self) -> Vec<Board> {
        self.tape.finish();
        self.boards.into_memory()
    }

    /// Takes a token that is neither a comment nor foreign text.
    #[inline]
    pub(crate) fn take(
        &mut self,
        token: Token,
        text: &[u8],
        texts: &mut Texts,
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.is_skipping() {
            self.skip(token, text);
        }
        match token.kind {
            TokenKind::San => {
                if self.is_skipping() {
                    return Ok(());
                }
                match self.read(token, text, report) {
                    Ok(mv) => {
                        // Before the move is played: the position must not be ahead of a full tape.
                        let room = self.tape.check_room();
                        let put = room.and_then(|()| {
                            let facts = self.boards.play_legal(mv);
                            self.tape.known(mv, facts)
                        });
                        if let Err(over) = put {
                            return self.over_limit(over, token, report);
                        }
                        if mv.promotion().is_some() && !ambiguity::names_promotion(text) {
                            let expected = "a promotion to a named piece; a queen was assumed";
                            let kind = ErrorKind::syntax(expected, text);
                            return self.add_finding(Severity::Repaired, kind, token, report);
                        }
                        Ok(())
                    }
                    Err(why) => self.end_line(why, token, text, report),
                }
            }
            TokenKind::Number => self.move_number(token, text, report),
            TokenKind::Mark => {
                self.glue(token);
                Ok(())
            }
            TokenKind::Nag => self.nag(parse_nag(text), token, text, report),
            TokenKind::Glyph => self.glyph(token, text, report),
            TokenKind::Open => self.open(token, report),
            TokenKind::Close => self.close(token, texts, report),
            TokenKind::Result(outcome) => self.take_result(outcome, token, texts, report),
            _ => Ok(()),
        }
    }

    /// Skips a token of an ended line.
    #[cold]
    fn skip(&mut self, token: Token, text: &[u8]) {
        if std::mem::take(&mut self.rest_due) && !matches!(token.kind, TokenKind::Result(_)) {
            self.rest = Some(token.start);
        }
        if token.kind == TokenKind::San && self.reading.language().is_none() {
            self.unread.pass(text, self.detector.page());
        }
    }

    /// Takes the text of a comment, without its braces or `;`.
    pub(crate) fn comment(
        &mut self,
        token: Token,
        text: &[u8],
        texts: &mut Texts,
        report: &mut Report<'_>,
    ) -> Result<()> {
        self.letter = None;
        if self.is_skipping() && !self.rest_due && (self.result.is_none() || self.rest.is_some()) {
            self.skip(token, text);
            return Ok(());
        }
        self.put_comment(token, text, texts, report)
    }

    fn put_comment(
        &mut self,
        token: Token,
        text: &[u8],
        texts: &mut Texts,
        report: &mut Report<'_>,
    ) -> Result<()> {
        if let Err(over) = texts.check_room(text.len(), &report.options.limits) {
            return self.over_limit(over, token, report);
        }
        let place = self.boards.place();
        text::comment_into(text, report.options.preserve_comment_whitespace, texts);
        let charset = self.detector.charset(texts.pending());
        match finish_comment(charset, place, texts, &mut self.tape) {
            Ok(()) => Ok(()),
            Err(over) => self.over_limit(over, token, report),
        }
    }

    /// Puts a result on the tape.
    pub(crate) fn outcome(
        &mut self,
        outcome: Outcome,
        token: Token,
        report: &mut Report<'_>,
    ) -> Result<()> {
        match self.tape.outcome(outcome) {
            Ok(()) => Ok(()),
            Err(over) => self.over_limit(over, token, report),
        }
    }

    fn add_finding(
        &self,
        severity: Severity,
        kind: ErrorKind,
        token: Token,
        report: &mut Report<'_>,
    ) -> Result<()> {
        report.add_finding(severity, kind, token, Some(self.ply()))
    }

    /// Ends a line: the rest of it is no longer played, but kept as text.
    #[cold]
    pub(crate) fn end_line(
        &mut self,
        why: EndReason,
        token: Token,
        text: &[u8],
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.is_skipping() {
            return Ok(());
        }
        self.unread.end(text, self.detector.page());
        self.glue(token);
        self.rest = Some(self.glued.start);
        self.skipping = Skipping::Line {
            depth: self.depth,
            on_tape: true,
        };
        let kind = ErrorKind::bad_move(text, why);
        self.add_finding(Severity::Lost, kind, token, report)
    }

    /// Remembers a token that is meaningless by itself, such as the `0.` of `0.5-0.5`.
    fn glue(&mut self, token: Token) {
        let start = if self.glued.end == token.start { self.glued.start } else { token.start };
        self.glued = start..token.end;
    }

    /// Keeps the text of an ended line up to `end` as a comment.
    fn keep_rest(&mut self, end: usize, texts: &mut Texts, report: &mut Report<'_>) -> Result<()> {
        let Some(start) = self.rest.take() else {
            return Ok(());
        };
        let text = report.bytes(Range { start, end }).trim_ascii_end();
        if text.is_empty() {
            return Ok(());
        }
        let token = Token {
            kind: TokenKind::Junk,
            start,
            end,
            next_game: false,
        };
        self.put_comment(token, text, texts, report)
    }

    fn nag(
        &mut self,
        nag: Option<u16>,
        token: Token,
        text: &[u8],
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.is_skipping() {
            if self.result.is_some() && self.skipping != Skipping::Moves {
                let kind = ErrorKind::Structure("a NAG after the end of a line");
                return self.add_finding(Severity::Lost, kind, token, report);
            }
            return Ok(());
        }
        let Some(nag) = nag else {
            let kind = ErrorKind::syntax("a NAG up to 65535", text);
            return self.add_finding(Severity::Lost, kind, token, report);
        };
        match self.tape.nag(nag) {
            Ok(()) => Ok(()),
            Err(over) => self.over_limit(over, token, report),
        }
    }

    fn open(&mut self, token: Token, report: &mut Report<'_>) -> Result<()> {
        let late = self.result.is_some() && self.depth == 0;
        // Brackets count while skipping too, so that the end of the skipped line is recognised.
        self.depth = self.depth.saturating_add(1);
        self.letter = None;
        if late {
            let kind = ErrorKind::Structure("a variation after the result");
            self.add_finding(Severity::Note, kind, token, report)?;
        }
        if self.is_skipping() {
            if late && self.skipping != Skipping::Moves {
                self.rest = Some(token.start);
            }
            return Ok(());
        }
        if let Err(over) = self.tape.open() {
            self.skipping = Skipping::Line {
                depth: self.depth,
                on_tape: false,
            };
            return self.over_limit(over, token, report);
        }
        if self.boards.at_line_start() {
            let kind = ErrorKind::Structure("a variation without a move to replace");
            self.add_finding(Severity::Note, kind, token, report)?;
        }
        if let Some(explosions) = &mut self.explosions {
            explosions.open(self.boards.at_line_start());
        }
        self.boards.open();
        Ok(())
    }

    fn close(&mut self, token: Token, texts: &mut Texts, report: &mut Report<'_>) -> Result<()> {
        self.letter = None;
        let Some(outside) = self.depth.checked_sub(1) else {
            if self.is_skipping() {
                return Ok(());
            }
            let kind = ErrorKind::Structure("a closing bracket without an open variation");
            return self.add_finding(Severity::Repaired, kind, token, report);
        };
        let depth = std::mem::replace(&mut self.depth, outside);
        let on_tape = match self.skipping {
            Skipping::Nothing => true,
            Skipping::Line { depth: d, on_tape } if d == depth => {
                self.skipping = Skipping::Nothing;
                on_tape
            }
            _ => {
                if self.result.is_some() && outside == 0 {
                    self.keep_rest(token.end, texts, report)?;
                }
                false
            }
        };
        if on_tape {
            self.keep_rest(token.start, texts, report)?;
            self.tape.close();
            self.boards.close();
            if let Some(explosions) = &mut self.explosions {
                explosions.close();
            }
        }
        Ok(())
    }

    fn take_result(
        &mut self,
        outcome: Outcome,
        token: Token,
        texts: &mut Texts,
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.depth == 0 {
            self.keep_rest(token.start, texts, report)?;
            // The first of several results counts.
            self.result.get_or_insert(outcome);
            return Ok(());
        }
        if self.is_skipping() {
            return Ok(());
        }
        let kind = ErrorKind::Structure("a result inside a variation");
        self.add_finding(Severity::Note, kind, token, report)?;
        self.outcome(outcome, token, report)
    }

    #[cold]
    fn over_limit(&mut self, over: OverLimit, token: Token, report: &mut Report<'_>) -> Result<()> {
        // Reported once for all annotations and once for all texts; the moves continue.
        let once = match over {
            OverLimit::Plies => {
                self.skipping = Skipping::Moves;
                None
            }
            OverLimit::Depth => None,
            OverLimit::TextBytes => Some(ReportOnce::Texts),
            _ => Some(ReportOnce::Notes),
        };
        let limits = &report.options.limits;
        match once {
            Some(once) => {
                let (what, limit) = (over.what(), over.limit(limits));
                report.once(once, what, limit, token, Some(self.ply()))
            }
            None => self.add_finding(Severity::Lost, over.into_kind(limits), token, report),
        }
    }
}

/// Returns the number after `$`, or `None` if it is too large.
fn parse_nag(text: &[u8]) -> Option<u16> {
    let mut number = 0u16;
    for digit in text.get(1..)? {
        let digit = u16::from(digit.wrapping_sub(b'0'));
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    Some(number)
}
