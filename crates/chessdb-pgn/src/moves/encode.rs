//! Encoding of the tape as movetext.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::{Facts, MoveKind};
use chessdb_core::line::{CommentOut, LineSink, LineTracker as _, Out, TokenSource, write_lines};
use chessdb_core::model::Token;
use chessdb_core::rules::{ShortSan, san};
use chessdb_core::text::push_number;
use chessdb_core::{Board, Color, Game, LossKind, Losses, Outcome, PackedMove, Text};

use super::boards::Boards;
use super::wrap::{LineWrapper, MoveRun};
use crate::text::{
    append_utf8, are_commands_read_back, are_lines_read_back, is_safe_line, make_safe,
};

/// Writes games one after another, reusing its memory.
#[derive(Clone, Debug)]
pub(crate) struct MoveEncoder {
    boards: Boards,
    run: CommentRun,
    comment: Vec<u8>,
}

impl Default for MoveEncoder {
    fn default() -> MoveEncoder {
        MoveEncoder {
            boards: Boards::new(Vec::new()),
            run: CommentRun::default(),
            comment: Vec::new(),
        }
    }
}

impl MoveEncoder {
    /// Appends the moves, an evaluation as a NAG, and the result, without a line break at the end.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        evaluation: Option<u8>,
        width: usize,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) {
        let start = &game.header.start;
        if game.moves.is_known() {
            self.boards.start_known(start);
        } else {
            self.boards.start(start, game.moves.has_variations());
        }
        let mut line = LineWriter {
            comment: &mut self.comment,
            wrapper: LineWrapper::new(out, width),
            result: game.header.outcome,
            number_due: true,
            only_commands: false,
        };
        let mut out = Out::new(game, &mut self.boards, losses);
        write_lines(game.moves.tokens(), &mut self.run, &mut out, &mut line);
        if let Some(nag) = evaluation {
            line.put_nag(nag.into());
        }
        line.wrapper.token(line.result.as_pgn().as_bytes());
    }
}

struct LineWriter<'w> {
    comment: &'w mut Vec<u8>,
    wrapper: LineWrapper<'w>,
    /// The result after the moves.
    result: Outcome,
    /// Whether Black's next move needs a number too.
    number_due: bool,
    /// Whether the last comment was commands and an empty text.
    only_commands: bool,
}

type EncoderOut<'p, 'g> = Out<'p, 'g, Boards>;

impl<'g> LineSink<'g> for LineWriter<'_> {
    type Lines = Boards;

    #[inline]
    fn mv(&mut self, out: &mut EncoderOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        self.known(out, mv, Facts::UNKNOWN)
    }

    #[inline]
    fn known(
        &mut self,
        out: &mut EncoderOut<'_, 'g>,
        mv: PackedMove,
        facts: Facts,
    ) -> Result<(), LossKind> {
        let Some(facts) = out.lines.judge(mv, facts) else {
            self.illegal(out.lines.board(), mv);
            return Err(LossKind::of_illegal(mv));
        };
        let (color, number) = out.lines.number();
        if color == Color::White {
            self.wrapper.number(number, 1);
        } else if self.number_due {
            self.wrapper.number(number, 3);
        }
        let san = ShortSan::new(mv, facts);
        self.wrapper.short(san.bytes(), san.length());
        self.number_due = false;
        Ok(())
    }

    #[inline]
    fn run(&mut self, out: &mut EncoderOut<'_, 'g>, tokens: &mut impl TokenSource<'g>) {
        let Some(first) = out.lines.next_known() else {
            return;
        };
        // A run does not write the number that Black's move needs.
        if self.number_due && first & 1 == 1 {
            return;
        }
        let Some(mut run) = self.wrapper.run() else {
            return;
        };
        let mut next = first;
        // The table of numbers ends there.
        while next < 2 * MoveRun::NUMBERS
            && let Some((mv, facts)) = tokens.next_move()
        {
            if next & 1 == 0 {
                run.number(next / 2);
            }
            run.short(ShortSan::new(mv, facts));
            next += 1;
        }
        run.end();
        // A run without a move leaves it as it was.
        self.number_due &= next == first;
        out.lines.pass_known(next - first);
    }

    fn nag(&mut self, _: &mut EncoderOut<'_, 'g>, nag: u16) {
        self.put_nag(nag);
    }

    fn comment(&mut self, out: &mut EncoderOut<'_, 'g>, comment: CommentOut<'_>) {
        let CommentOut {
            place,
            text,
            commands,
            rest,
            ..
        } = comment;
        // Whether it will be read as a comment of the same place.
        if rest.is_some() && place != out.lines.place() {
            out.lose(LossKind::CommentMoved);
        }
        self.only_commands = commands > 0 && rest.is_some_and(Text::is_empty);
        self.number_due = true;
        if is_safe_line(text.as_bytes()) {
            if !are_commands_read_back(text.as_bytes(), commands) {
                out.lose(LossKind::CommentText);
            }
            return self.wrapper.comment_line(text.as_bytes());
        }
        self.comment.clear();
        let lost = append_utf8(text, self.comment);
        let changed = make_safe(self.comment);
        if lost > 0 || changed.text || !are_commands_read_back(self.comment, commands) {
            out.lose(LossKind::CommentText);
        }
        if changed.layout || !are_lines_read_back(self.comment) {
            out.lose(LossKind::CommentLayout);
        }
        self.wrapper.comment(self.comment);
    }

    #[inline]
    fn settle(&mut self, out: &mut EncoderOut<'_, 'g>) {
        if std::mem::take(&mut self.only_commands) {
            // Braces with only commands are not a separate comment.
            out.lose(LossKind::Comment);
        }
    }

    fn open(&mut self, _: &mut EncoderOut<'_, 'g>) -> Result<(), LossKind> {
        self.wrapper.open();
        self.number_due = true;
        Ok(())
    }

    fn close(&mut self, _: &mut EncoderOut<'_, 'g>) {
        self.wrapper.close();
        self.number_due = true;
    }

    fn other(&mut self, out: &mut EncoderOut<'_, 'g>, token: Token<'g>) {
        out.lose_token(token);
        match token {
            Token::Outcome(outcome) => self.remark(b"result: ", outcome.as_pgn().as_bytes()),
            Token::Fault(kind, id) => {
                let mut text = Vec::new();
                append_utf8(out.game.text(id), &mut text);
                make_safe(&mut text);
                text.retain(|b| *b != b'\n');
                self.remark(fault_words(kind), &text);
            }
            _ => {}
        }
    }

    /// A `*` after the moves is kept to record that the tag differs from it.
    #[inline]
    fn take(
        &mut self,
        out: &mut EncoderOut<'_, 'g>,
        token: Token<'g>,
        rest: &mut impl TokenSource<'g>,
    ) -> bool {
        let star = matches!(token, Token::Outcome(Outcome::Unknown))
            && self.result != Outcome::Unknown
            && out.lines.depth() == 0
            && rest.peek().is_none();
        if star {
            self.result = Outcome::Unknown;
        }
        star
    }
}

impl LineWriter<'_> {
    fn put_nag(&mut self, nag: u16) {
        self.wrapper.begin();
        self.wrapper.out.push(b'$');
        push_number(u32::from(nag), self.wrapper.out);
        self.wrapper.end();
    }

    /// Writes a comment generated by the writer.
    fn remark(&mut self, what: &[u8], text: &[u8]) {
        self.comment.clear();
        self.comment.extend_from_slice(what);
        self.comment.extend_from_slice(text);
        self.wrapper.comment(self.comment);
        self.number_due = true;
    }

    /// Ends the line at a move that PGN readers would refuse. A comment names it.
    #[cold]
    fn illegal(&mut self, board: &Board, mv: PackedMove) {
        let what: &[u8] = match mv.kind() {
            MoveKind::GhostEnPassant => b"illegal en passant: ",
            _ => b"illegal move: ",
        };
        self.remark(what, san(board, mv).as_bytes());
    }
}

const fn fault_words(kind: chessdb_core::model::FaultKind) -> &'static [u8] {
    use chessdb_core::model::FaultKind;
    match kind {
        FaultKind::UnreadableMove => b"unreadable move: ",
        FaultKind::IllegalMove => b"illegal move: ",
        FaultKind::AmbiguousMove => b"ambiguous move: ",
        FaultKind::InputExpected => b"something is missing: ",
        _ => b"not recognised: ",
    }
}
