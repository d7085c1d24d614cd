//! The end of a game: its result, and games that end early.

use chessdb_core::model::{Field, Tag};
use chessdb_core::{Charset, ErrorKind, Outcome, Result, Severity};
use memchr::{memchr2, memrchr, memrchr2};

use super::{GameReader, ReadScope};
use crate::raw::{Ending, Lexer, Token, TokenKind, result_at};
use crate::report::CutReason;

impl<'g> GameReader<'g, '_, '_> {
    /// Checks the last token of a game that is interrupted by the next game. A move, a NAG or a
    /// number may be the beginning of a longer one and is not used. Returns true in this case.
    #[cold]
    pub(super) fn interrupt(&mut self, token: Token, text: &[u8]) -> Result<bool> {
        match token.kind {
            TokenKind::San if self.started => {
                let why = "the next game begins inside it; the line ends here";
                self.moves.end_line(why, token, text, &mut self.report)?;
                Ok(true)
            }
            TokenKind::San | TokenKind::Nag | TokenKind::Glyph | TokenKind::Number => {
                let kind = ErrorKind::syntax("a space before the next game", text);
                self.add_finding(Severity::Lost, kind, token)?;
                Ok(true)
            }
            TokenKind::LineComment | TokenKind::Escape => {
                let kind = ErrorKind::Structure("the next game begins inside a comment");
                self.add_finding(Severity::Lost, kind, token)?;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Takes a result that is not a token, and continues after it.
    #[cold]
    pub(super) fn take_ending(&mut self, ending: Ending, lexer: &mut Lexer<'g>) -> Result<()> {
        lexer.resume(self.source.bytes, ending.end);
        self.keep_uneven_result(ending);
        let Ending { start, outcome, .. } = ending;
        self.moves
            .end_with(outcome, start, self.texts, &mut self.report)
    }

    /// Keeps the text of a result that PGN does not have as the text of the tag.
    fn keep_uneven_result(&mut self, ending: Ending) {
        if !ending.is_uneven || self.header.verbatim(Field::Result).is_some() {
            return;
        }
        let bytes = self.source.bytes.get(ending.start..ending.end);
        let bytes = bytes.unwrap_or_default();
        let text = self.texts.push(bytes, self.detector.charset(bytes));
        self.header.tags.push(Tag::Verbatim(Field::Result, text));
    }

    /// Finds the result after the moves, which belongs to the header, without reading the moves.
    pub(super) fn result_only(&mut self, lexer: Lexer<'_>, first: Token) -> Result<()> {
        let result = self.header.outcome.as_pgn().as_bytes();
        let before = self.source.bytes.trim_ascii_end().strip_suffix(result);
        let agree = self.tags.has(Field::Result)
            && self.header.verbatim(Field::Result).is_none()
            && before.is_some_and(ends_with_move)
            && !has_result(
                self.source.bytes.get(first.start..).unwrap_or_default(),
                result,
            );
        // The walk through the moves would find nothing new.
        if agree {
            return Ok(());
        }
        let mut depth = 0u32;
        let ending = self.ending;
        let is_before = |token: &Token| ending.is_none_or(|ending| token.start < ending.start);
        for token in std::iter::once(first).chain(lexer).take_while(is_before) {
            match token.kind {
                TokenKind::Open => depth = depth.saturating_add(1),
                // A surplus closing bracket must not hide the result.
                TokenKind::Close => depth = depth.saturating_sub(1),
                TokenKind::Result(outcome) if depth == 0 => {
                    self.reconcile_results(outcome);
                    return Ok(());
                }
                _ => {}
            }
        }
        if let Some(ending) = ending {
            self.keep_uneven_result(ending);
            self.reconcile_results(ending.outcome);
        }
        Ok(())
    }

    /// Reconciles the result after the moves with the result tag. If they differ, the one after the
    /// moves counts, unless it is `*`. Returns whether they differed.
    fn reconcile_results(&mut self, result: Outcome) -> bool {
        let tag = self.header.outcome;
        if result == tag {
            return false;
        }
        if !self.tags.has(Field::Result) {
            self.header.outcome = result;
            return false;
        }
        if result != Outcome::Unknown {
            if self.header.verbatim(Field::Result).is_none() {
                let text = self.texts.push(tag.as_pgn().as_bytes(), Charset::UTF_8);
                self.header.tags.push(Tag::Verbatim(Field::Result, text));
            }
            self.header.outcome = result;
        }
        true
    }

    pub(super) fn finish(&mut self) -> Result<()> {
        let length = self.source.bytes.trim_ascii_end().len();
        let end = Token {
            kind: TokenKind::Space,
            start: length,
            end: length,
            next_game: false,
        };
        if !self.started {
            self.start(end)?;
        }
        if let Some(cut) = self.source.cut {
            let limit = u64::from(self.report.options.limits.game_bytes);
            let what = "bytes in a game";
            let kind = match cut {
                CutReason::TooLong => ErrorKind::over_limit(what, limit),
                CutReason::Damage => {
                    ErrorKind::Structure("the file is damaged at this point; the rest is lost")
                }
            };
            self.add_finding(Severity::Lost, kind, end)?;
        } else if self.moves.depth() > 0 {
            let kind = ErrorKind::Structure("a variation that is not closed");
            self.add_finding(Severity::Repaired, kind, end)?;
        }
        if self.scope == ReadScope::Header {
            return Ok(());
        }
        self.moves.end(length, self.texts, &mut self.report)?;
        match self.moves.result() {
            None if self.source.cut.is_some() => Ok(()),
            None if self.source.border().is_some() => {
                let kind = ErrorKind::Structure("the next game begins before this one ends");
                self.add_finding(Severity::Lost, kind, end)
            }
            // A program that writes the tag also writes the result.
            None if self.tags.has(Field::Result) && self.is_cut() => {
                let kind = ErrorKind::Structure(if self.source.followed {
                    "the end of the game is missing"
                } else {
                    "the file ends in the middle of a game"
                });
                self.add_finding(Severity::Lost, kind, end)
            }
            None => {
                let kind = ErrorKind::Structure("the result after the moves is missing");
                self.add_finding(Severity::Note, kind, end)
            }
            Some(result) if self.reconcile_results(result) => {
                let kind =
                    ErrorKind::Structure("the result after the moves differs from the Result tag");
                self.add_finding(Severity::Note, kind, end)?;
                if result == Outcome::Unknown {
                    // The overridden result is kept.
                    return self.moves.outcome(result, end, &mut self.report);
                }
                Ok(())
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns whether a game without a result ends where a file was cut: within a line, after a
    /// line long enough to have been wrapped, or before a game that no blank line separates from
    /// these moves.
    fn is_cut(&self) -> bool {
        let has_moves = self.moves.has_moves() && self.header.outcome != Outcome::Unknown;
        is_cut(self.source.bytes) || has_moves && self.source.lacks_blank_line()
    }

    /// Removes the NAG after the moves that repeats the tag `LineEvaluation`; it does not belong to
    /// the last move.
    pub(super) fn take_evaluation(&mut self) {
        let tape = self.moves.tape_mut();
        if tape.ends_with_nag()
            && let Some(nag) = self.header.line_evaluation(self.texts)
        {
            tape.take_back_nag(nag.into());
        }
    }
}

/// Returns whether a text ends within a line, or after a line long enough to have been wrapped.
fn is_cut(bytes: &[u8]) -> bool {
    // Lines are wrapped at 80 columns, so that another word may have followed such a line.
    const BROKEN: usize = 70;
    let Some(line) = bytes.strip_suffix(b"\n") else {
        return true;
    };
    line.iter()
        .rev()
        .position(|&byte| byte == b'\n')
        .unwrap_or(line.len())
        >= BROKEN
}

/// Returns whether there may be a result in these bytes in addition to the last one.
fn has_result(bytes: &[u8], last: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_end();
    let before = bytes.strip_suffix(last).unwrap_or(bytes);
    let may_be_result =
        |index: usize| match index.checked_sub(1).and_then(|n| before.get(n..=index + 1)) {
            Some([0xBD, b'-', _] | [b'1', b'/', b'2']) => true,
            Some([_, b'/', _]) => false,
            Some([left, b'-', right]) => matches!((left, right), (b'0'..=b'2', b'0' | b'1')),
            _ => true,
        };
    // The left side of a result has one or two bytes.
    let is_in_result = |index: usize| {
        (1..=2)
            .filter_map(|length| index.checked_sub(length))
            .any(|start| result_at(before, start).is_some())
    };
    memchr::memchr3_iter(b'-', b'/', b'*', before).any(may_be_result)
        || memchr::memchr_iter(b':', before).any(is_in_result)
        // Other dashes than ASCII's.
        || !before.is_ascii()
            && before
                .iter()
                .enumerate()
                .any(|(index, byte)| !byte.is_ascii() && is_in_result(index))
}

/// Returns whether these bytes, which precede a result, end with a move, so that there is no
/// earlier result. Of several results the first one counts, and only comments and signs follow it.
fn ends_with_move(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    // Tables have all moves on one line.
    let line_start = memrchr(b'\n', before).map_or(0, |index| index + 1);
    let line = before.get(line_start..).unwrap_or_default();
    let word = line.rsplit(u8::is_ascii_whitespace).next();
    let mut word = word.unwrap_or_default();
    // Skips the number of the move.
    while let [b'0'..=b'9' | b'.', tail @ ..] = word {
        word = tail;
    }
    let is_move = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'=');
    word.first().is_some_and(u8::is_ascii_alphabetic)
        && word.iter().all(is_move)
        // It must not be a word of a comment.
        && memchr2(b';', b'%', line).is_none()
        && memrchr2(b'{', b'}', before).is_none_or(|index| before.get(index) == Some(&b'}'))
}
