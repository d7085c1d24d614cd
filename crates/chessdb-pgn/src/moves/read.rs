//! Movetext onto the tape.

use chessdb_core::annotation::finish_comment;
use chessdb_core::rules::{SanFault, legal_moves, read_san};
use chessdb_core::{
    Board, Builder, Charset, ErrorKind, Outcome, OverLimit, PackedMove, PieceType, Place, Result,
    Severity, Texts,
};

use crate::boards::Boards;
use crate::raw::{Token, TokenKind, glyph_nag};
use crate::report::{Once, Report};
use crate::text;

/// What the reader does not take until further notice, having reported why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Skipping {
    Nothing,
    /// The rest of the line at this depth of brackets, and all within it.
    Line {
        depth: u32,
        /// Whether the tape knows the variation.
        on_tape: bool,
    },
    /// All further moves.
    Moves,
}

/// Puts the tokens of one game onto its tape.
pub(crate) struct MoveReader<'g> {
    tape: Builder<'g>,
    boards: Boards,
    charset: Charset,
    /// Open brackets, those of variations that are not taken included.
    depth: u32,
    skipping: Skipping,
    result: Option<Outcome>,
}

impl<'g> MoveReader<'g> {
    /// `memory` is for boards; [`MoveReader::finish`] gives it back.
    pub(crate) fn new(tape: Builder<'g>, memory: Vec<Board>, charset: Charset) -> MoveReader<'g> {
        MoveReader {
            tape,
            boards: Boards::new(memory),
            charset,
            depth: 0,
            skipping: Skipping::Nothing,
            result: None,
        }
    }

    /// Says where the game starts, and whether there may be variations in it.
    pub(crate) fn start(&mut self, board: &Board, with_variations: bool) {
        self.boards.start(board, with_variations);
    }

    /// Takes no moves at all, since nobody knows where they start.
    pub(crate) fn refuse(&mut self) {
        self.skipping = Skipping::Moves;
    }

    /// Whether tokens are passed over because something before them was wrong.
    pub(crate) fn is_skipping(&self) -> bool {
        self.skipping != Skipping::Nothing
    }

    /// Half-moves of the current line so far.
    pub(crate) fn ply(&self) -> u32 {
        self.boards.ply
    }

    /// The result behind the moves.
    pub(crate) fn result(&self) -> Option<Outcome> {
        self.result
    }

    /// How many brackets are open.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Ends the tape and gives the memory for boards back.
    pub(crate) fn finish(self) -> Vec<Board> {
        self.tape.finish();
        self.boards.into_memory()
    }

    /// Takes a token that is neither comment nor foreign text.
    #[inline]
    pub(crate) fn take(
        &mut self,
        token: Token,
        text: &[u8],
        report: &mut Report<'_>,
    ) -> Result<()> {
        match token.kind {
            TokenKind::San => {
                if self.is_skipping() {
                    return Ok(());
                }
                match read_move(&self.boards.board, text) {
                    Ok(mv) => {
                        if let Err(over) = self.tape.mv(mv) {
                            return self.over_limit(over, token, report);
                        }
                        self.boards.play(mv);
                        if mv.promotion().is_some() && !names_promotion(text) {
                            let expected = "a promotion to a named man; a queen was assumed";
                            let found = ErrorKind::excerpt(text);
                            let kind = ErrorKind::Syntax { expected, found };
                            return self.say(Severity::Repaired, kind, token, report);
                        }
                        Ok(())
                    }
                    Err(fault) => self.bad_move(fault, token, text, report),
                }
            }
            TokenKind::Number => self.move_number(token, text, report),
            TokenKind::Nag => self.nag(parse_nag(text), token, text, report),
            TokenKind::Glyph => self.nag(glyph_nag(text), token, text, report),
            TokenKind::Open => self.open(token, report),
            TokenKind::Close => self.close(token, report),
            TokenKind::Result(outcome) => self.take_result(outcome, token, report),
            _ => Ok(()),
        }
    }

    /// Takes the text of a comment, braces or `;` already off.
    pub(crate) fn comment(
        &mut self,
        token: Token,
        text: &[u8],
        texts: &mut Texts,
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.is_skipping() {
            return Ok(());
        }
        if let Err(over) = texts.check_room(text.len(), &report.options.limits) {
            return self.over_limit(over, token, report);
        }
        let place = if self.boards.at_line_start() {
            Place::Before
        } else {
            Place::After
        };
        text::comment_into(text, report.options.keep_layout, texts);
        match finish_comment(self.charset, place, texts, &mut self.tape) {
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

    fn say(
        &self,
        severity: Severity,
        kind: ErrorKind,
        token: Token,
        report: &mut Report<'_>,
    ) -> Result<()> {
        report.say(severity, kind, token, Some(self.ply()))
    }

    fn move_number(&mut self, token: Token, text: &[u8], report: &mut Report<'_>) -> Result<()> {
        if self.is_skipping() {
            return Ok(());
        }
        let mut number = 0u64;
        for digit in text.iter().take_while(|b| b.is_ascii_digit()) {
            number = number * 10 % 1_000_000_000 + u64::from(digit - b'0');
        }
        let expected = u64::from(self.boards.board.fullmove_number());
        if number == expected || text.first() == Some(&b'.') || !report.first_move_number() {
            return Ok(());
        }
        let kind = ErrorKind::Mismatch {
            what: "the move number",
            found: number,
            expected,
        };
        self.say(Severity::Note, kind, token, report)
    }

    #[cold]
    fn bad_move(
        &mut self,
        fault: SanFault,
        token: Token,
        text: &[u8],
        report: &mut Report<'_>,
    ) -> Result<()> {
        self.skipping = Skipping::Line {
            depth: self.depth,
            on_tape: true,
        };
        let found = ErrorKind::excerpt(text);
        let why = match fault {
            SanFault::NotAMove => "not a move; the rest of the line is left out",
            SanFault::NoPiece => "no man can go there; the rest of the line is left out",
            SanFault::Illegal => "illegal; the rest of the line is left out",
            SanFault::Ambiguous => "several men can go there; the rest of the line is left out",
        };
        let kind = ErrorKind::BadMove { found, why };
        self.say(Severity::Lost, kind, token, report)
    }

    fn nag(
        &mut self,
        nag: Option<u16>,
        token: Token,
        text: &[u8],
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.is_skipping() {
            return Ok(());
        }
        let Some(nag) = nag else {
            let kind = ErrorKind::Syntax {
                expected: "a NAG up to 65535",
                found: ErrorKind::excerpt(text),
            };
            return self.say(Severity::Lost, kind, token, report);
        };
        match self.tape.nag(nag) {
            Ok(()) => Ok(()),
            Err(over) => self.over_limit(over, token, report),
        }
    }

    fn open(&mut self, token: Token, report: &mut Report<'_>) -> Result<()> {
        self.depth = self.depth.saturating_add(1);
        if self.is_skipping() {
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
            let kind = ErrorKind::Structure("a variation with no move to replace");
            self.say(Severity::Note, kind, token, report)?;
        }
        self.boards.open();
        Ok(())
    }

    fn close(&mut self, token: Token, report: &mut Report<'_>) -> Result<()> {
        let Some(outside) = self.depth.checked_sub(1) else {
            if self.is_skipping() {
                return Ok(());
            }
            let kind = ErrorKind::Structure("a bracket that closes no variation");
            return self.say(Severity::Repaired, kind, token, report);
        };
        let depth = std::mem::replace(&mut self.depth, outside);
        let on_tape = match self.skipping {
            Skipping::Nothing => true,
            Skipping::Line { depth: d, on_tape } if d == depth => {
                self.skipping = Skipping::Nothing;
                on_tape
            }
            _ => false,
        };
        if on_tape {
            self.tape.close();
            self.boards.close();
        }
        Ok(())
    }

    fn take_result(
        &mut self,
        outcome: Outcome,
        token: Token,
        report: &mut Report<'_>,
    ) -> Result<()> {
        if self.depth == 0 {
            self.result = Some(outcome);
            return Ok(());
        }
        if self.is_skipping() {
            return Ok(());
        }
        let kind = ErrorKind::Structure("a result within a variation");
        self.say(Severity::Note, kind, token, report)?;
        self.outcome(outcome, token, report)
    }

    #[cold]
    fn over_limit(&mut self, over: OverLimit, token: Token, report: &mut Report<'_>) -> Result<()> {
        // One report for all annotations and one for all texts; the moves go on.
        let once = match over {
            OverLimit::Plies => {
                self.skipping = Skipping::Moves;
                None
            }
            OverLimit::Depth => None,
            OverLimit::TextBytes => Some(Once::Texts),
            _ => Some(Once::Notes),
        };
        let limits = &report.options.limits;
        match once {
            Some(once) => {
                let (what, limit) = (over.what(), over.limit(limits));
                report.once(once, what, limit, token, Some(self.ply()))
            }
            None => self.say(Severity::Lost, over.into_kind(limits), token, report),
        }
    }
}

/// Reads a move, in SAN or in one of the forms that only people write.
#[inline]
fn read_move(board: &Board, text: &[u8]) -> std::result::Result<PackedMove, SanFault> {
    match read_san(board, text) {
        Err(SanFault::NotAMove) => read_odd_move(board, text),
        read => read,
    }
}

/// `Qxf7mate`, `Qxf7ch`; `ed` and `exd` where only one pawn can take that way.
#[cold]
fn read_odd_move(board: &Board, text: &[u8]) -> std::result::Result<PackedMove, SanFault> {
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
        [mv] if from != to => Ok(mv),
        _ => Err(SanFault::Ambiguous),
    }
}

/// Whether the move of a pawn to the last rank says what it becomes.
fn names_promotion(mut text: &[u8]) -> bool {
    while let [rest @ .., b'+' | b'#'] = text {
        text = rest;
    }
    text.last().is_some_and(|b| !b.is_ascii_digit())
}

/// The number behind `$`; none if it is too great.
fn parse_nag(text: &[u8]) -> Option<u16> {
    let mut number = 0u16;
    for digit in text.get(1..)? {
        let digit = u16::from(digit.wrapping_sub(b'0'));
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    Some(number)
}
