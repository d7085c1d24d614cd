//! Decoding of single words: moves, numbers and glyphs.

use chessdb_core::board::MoveKind;
use chessdb_core::rules::{SanFault, legal_moves, read_san};
use chessdb_core::{Board, ErrorKind, PackedMove, PieceType, Result, Severity};

use super::super::reading::{Explosions, Reading, read_in};
use super::super::{ambiguity, languages};
use super::{EndReason, MoveDecoder};
use crate::raw::{Token, glyph_nag, is_blank};
use crate::report::Report;

impl MoveDecoder<'_> {
    /// Reads a move, and checks that the word is not only a part of one.
    #[inline]
    pub(super) fn read(
        &mut self,
        token: Token,
        text: &[u8],
        report: &Report<'_>,
    ) -> std::result::Result<PackedMove, EndReason> {
        if self.careful {
            return self.read_carefully(token, text, report);
        }
        match read_san(self.boards.board(), text) {
            Ok(mv) if mv.kind() == MoveKind::Normal => Ok(mv),
            read => self.read_irregular(read, token, text, report),
        }
    }

    /// Reads a word that is not a plain move, or a move that may be part of another one.
    #[cold]
    fn read_irregular(
        &self,
        read: std::result::Result<PackedMove, SanFault>,
        token: Token,
        text: &[u8],
        report: &Report<'_>,
    ) -> std::result::Result<PackedMove, EndReason> {
        let board = self.boards.board();
        let (before, after) = report.around(token);
        let mv = match read {
            Err(SanFault::NotAMove) => read_irregular_move(board, text, after),
            read => read,
        };
        match mv {
            Ok(mv) if ambiguity::is_part(mv, text, before, after) => Err(
                "possibly part of another move together with the adjacent text; the line ends here",
            ),
            Ok(mv) => Ok(mv),
            Err(fault) => Err(match fault {
                SanFault::NotAMove => "not a move; the line ends here",
                SanFault::NoPiece => "no piece can move there; the line ends here",
                SanFault::Illegal => "illegal; the line ends here",
                SanFault::Ambiguous => "several pieces can move there; the line ends here",
            }),
        }
    }

    #[cold]
    fn read_carefully(
        &mut self,
        token: Token,
        text: &[u8],
        report: &Report<'_>,
    ) -> std::result::Result<PackedMove, EndReason> {
        let board = self.boards.board();
        if self.explosions.as_ref().is_some_and(Explosions::any) {
            return Err(
                "the position after a capture of this variant is unknown; the line ends here",
            );
        }
        if let Some(letter) = self.letter.take()
            && ambiguity::may_belong(letter, text, board)
        {
            return Err(
                "possibly another move together with the preceding letter; the line ends here",
            );
        }
        let read = match self.reading.language() {
            None => read_san(board, text),
            Some(language) => {
                read_in(language, board, text, self.detector.page()).map(|(mv, evident)| {
                    self.unread.evident |= evident;
                    mv
                })
            }
        };
        let mv = self.read_irregular(read, token, text, report)?;
        if let Reading::Doubting(set) = self.reading {
            let mut others = languages::in_set(set);
            if others.any(|language| {
                read_in(language, board, text, self.detector.page())
                    .is_ok_and(|(other, _)| other != mv)
            }) {
                return Err("a different move in the language of a later move; the line ends here");
            }
        }
        if let Some(explosions) = &mut self.explosions {
            explosions.play(self.boards.board(), mv);
        }
        Ok(mv)
    }

    /// Takes a move number.
    pub(super) fn move_number(
        &mut self,
        token: Token,
        text: &[u8],
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.result.is_some() && self.depth == 0 && self.rest.is_none() {
            let why = "moves after the result; the line ends here";
            self.end_line(why, token, text, report)?;
            self.rest = Some(token.start);
            return Ok(());
        }
        if self.is_skipping() || !text.first().is_some_and(u8::is_ascii_digit) {
            return Ok(());
        }
        let mut number = 0u32;
        for digit in text.iter().take_while(|b| b.is_ascii_digit()) {
            number = number
                .wrapping_mul(10)
                .wrapping_add(u32::from(digit - b'0'));
        }
        let expected = self.boards.board().fullmove_number();
        let ahead = i64::from(number) - i64::from(expected);
        let has_dot = !text.last().is_some_and(u8::is_ascii_digit);
        if !has_dot && !self.counts(ahead, token, report) {
            let why = "neither a move nor a move number; the line ends here";
            return self.end_line(why, token, text, report);
        }
        if has_dot {
            self.letter = None;
        }
        // A number that does not fit may be a part of the next word.
        if ahead != 0 || !has_dot {
            self.glue(token);
        }
        self.numbering = Some(ahead);
        if ahead == 0 || !report.first_move_number() {
            return Ok(());
        }
        let kind = ErrorKind::mismatch("the move number", number.into(), expected.into());
        self.add_finding(Severity::Note, kind, token, report)
    }

    /// Returns whether digits without a dot can be a move number: they continue the numbering, and
    /// no number precedes them. `94` may be a misread `g4`, the 8 of `8b5` a misread B.
    fn counts(&self, ahead: i64, token: Token, report: &Report<'_>) -> bool {
        let (before, _) = report.around(token);
        let last = before.iter().rev().find(|b| !is_blank(**b));
        let expected = self.numbering.or(report.from_start.then_some(0));
        last != Some(&b'.') && expected.is_none_or(|expected| expected == ahead)
    }

    /// Takes a glyph, unless it may be part of a move.
    pub(super) fn glyph(
        &mut self,
        token: Token,
        text: &[u8],
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.is_skipping() {
            return self.nag(None, token, text, report);
        }
        let (before, after) = report.around(token);
        let after_number = || before.iter().rev().find(|b| !is_blank(**b)) == Some(&b'.');
        match *text {
            [letter @ (b'N' | b'R' | b'D')] => {
                self.letter = Some(letter);
                // For the rest of the game: the ordinary path does not check for letters.
                self.careful = true;
            }
            [b'?', ..] if text.iter().all(|b| *b == b'?') && after_number() => {
                return self.end_line("not a move; the line ends here", token, text, report);
            }
            _ if ambiguity::is_glued(text, before, after) => {
                let why = "a symbol inside a move; the line ends here";
                return self.end_line(why, token, text, report);
            }
            _ => {}
        }
        self.nag(glyph_nag(text), token, text, report)
    }
}

/// Reads a move in a form that only PGN files use: the null moves `---` and `<>`; `Qxf7mate` and
/// `Qxf7ch`; `ed` and `exd` if only one pawn can capture that way.
fn read_irregular_move(
    board: &Board,
    text: &[u8],
    after: &[u8],
) -> std::result::Result<PackedMove, SanFault> {
    if matches!(text, b"---" | b"<>") {
        return Ok(PackedMove::NULL);
    }
    for word in [&b"mate"[..], b"ch"] {
        if let Some(mv) = text.strip_suffix(word) {
            return read_san(board, mv);
        }
    }
    let (from, to) = match *text {
        [from @ b'a'..=b'h', to @ b'a'..=b'h']
        | [from @ b'a'..=b'h', b'x' | b':', to @ b'a'..=b'h']
        | [from @ b'a'..=b'h', to @ b'a'..=b'h', b':'] => (from - b'a', to - b'a'),
        _ => return Err(SanFault::NotAMove),
    };
    let mut moves = Vec::new();
    legal_moves(board, &mut moves);
    let pawns = board.by_type(PieceType::Pawn);
    moves.retain(|mv| {
        let queen = mv.promotion().is_none_or(|kind| kind == PieceType::Queen);
        queen && pawns.has(mv.from()) && mv.from().file() == from && mv.to().file() == to
    });
    match *moves {
        [] => Err(SanFault::NoPiece),
        [mv] if from != to && !ambiguity::names_other_rank(mv, after) => Ok(mv),
        _ => Err(SanFault::Ambiguous),
    }
}
