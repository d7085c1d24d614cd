//! Encoding of a game's moves into bytes: the hot loop of writing.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::{Facts, MoveKind};
use chessdb_core::commands::{Eval, EvalValue, has_extra_command};
use chessdb_core::legacy::MoveFault;
use chessdb_core::legacy::jose::JoseNumbering;
use chessdb_core::line::{CommentOut, LineSink, LineTracker as _, Out, TokenSource, write_lines};
use chessdb_core::model::Token;
use chessdb_core::text::TextId;
use chessdb_core::{Charset, Game, LossKind, Losses, Outcome, PackedMove, Text};

use super::marker::{CLOSE, COMMENT, END, NAG, OPEN, RESULT};
use super::{Layout, NO_SHARE, OUTCOMES};
use crate::{extras, text};

/// The lines of a game with jose's numbering.
pub(crate) type Lines = chessdb_core::line::Lines<JoseNumbering>;

/// The facts about a game's moves that a row stores.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct MoveSummary {
    /// Half-moves of the mainline.
    pub(crate) plies: u32,
    pub(crate) variations: bool,
    /// Whether there are comments or NAGs.
    pub(crate) comments: bool,
    pub(crate) faults: bool,
    /// Whether there is a text at all.
    pub(crate) texts: bool,
    /// Whether a move has an evaluation.
    pub(crate) evals: bool,
    /// The first move without a code, the number of half-moves before it in its line, and the
    /// reason.
    pub(crate) refused: Option<(PackedMove, u32, MoveFault)>,
}

/// An encoder of moves, texts and evaluations with reusable buffers.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The moves of the last game encoded, with their end mark.
    pub(crate) bin: Vec<u8>,
    /// Its texts, each with its NUL.
    pub(crate) comments: Vec<u8>,
    /// Its evaluations, four bytes per move; empty if there are none.
    pub(crate) evals: Vec<u8>,
    lines: Option<Lines>,
    run: CommentRun,
}

impl MoveEncoder {
    /// Encodes a game's moves.
    ///
    /// # Errors
    ///
    /// Returns the loss if the game cannot be stored at all.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        numbering: JoseNumbering,
        layout: Layout,
        losses: &mut Losses,
    ) -> Result<MoveSummary, LossKind> {
        self.bin.clear();
        self.comments.clear();
        self.evals.clear();
        let lines = Lines::reuse_known(&mut self.lines, numbering, game)
            .map_err(|_| LossKind::StartPosition)?;
        let mut pass = Pass {
            bin: &mut self.bin,
            comments: &mut self.comments,
            evals: &mut self.evals,
            moves: 0,
            layout,
            last: None,
            after_move: false,
            counts: MoveSummary::default(),
        };
        let mut out = Out::new(game, lines, losses);
        write_lines(game.moves.tokens(), &mut self.run, &mut out, &mut pass);
        pass.end(game);
        if pass.counts.evals {
            pass.fill_evals();
        }
        Ok(pass.counts)
    }
}

struct Pass<'p> {
    bin: &'p mut Vec<u8>,
    comments: &'p mut Vec<u8>,
    evals: &'p mut Vec<u8>,
    /// Number of moves so far.
    moves: usize,
    layout: Layout,
    /// The last result written, if the bytes end with one.
    last: Option<Outcome>,
    /// Whether the last token was a move.
    after_move: bool,
    counts: MoveSummary,
}

type Output<'p, 'g> = Out<'p, 'g, Lines>;

impl Pass<'_> {
    /// Writes the final result and the end mark. The result is omitted if an extra of the source
    /// states that it had none, except if the last bytes would be mistaken for it.
    fn end(&mut self, game: &Game) {
        let header = &game.header;
        let is_absent = header
            .extras
            .iter()
            .any(|extra| extra.is_of(extras::FORMAT, extras::NO_RESULT));
        if !is_absent || self.last == Some(header.outcome) {
            self.outcome(header.outcome);
        }
        self.bin.push(END);
    }

    fn outcome(&mut self, outcome: Outcome) {
        let code = OUTCOMES.iter().position(|&result| result == outcome);
        self.bin.push(RESULT + code.unwrap_or(3) as u8);
    }

    /// Counts `moves` moves.
    #[inline]
    fn moved(&mut self, moves: usize) {
        self.moves += moves;
        self.after_move = true;
    }

    /// Pads `evals` with `NO_SHARE` for moves without an evaluation.
    fn fill_evals(&mut self) {
        let [high, low] = NO_SHARE.to_be_bytes();
        let start = self.evals.len();
        self.evals.resize(4 * self.moves, low);
        for share in self.evals.iter_mut().skip(start).step_by(2) {
            *share = high;
        }
    }

    fn put_text(&mut self, out: &mut Output<'_, '_>, mark: u8, text: Text<'_>) {
        self.last = None;
        self.bin.push(mark);
        self.counts.comments |= mark == COMMENT;
        self.counts.texts = true;
        let stored = match self.layout {
            Layout::Separate => &mut *self.comments,
            Layout::Inline => &mut *self.bin,
        };
        if text::put(text, Charset::CESU_8, stored) {
            out.lose(LossKind::CommentText);
        }
        stored.push(0);
    }

    /// Stores a share of wins and draws in its column if it directly follows its move and is not
    /// part of a comment.
    fn eval(&mut self, eval: Eval, next: Option<&Token<'_>>) -> bool {
        let EvalValue::WinDraw { win, draw } = eval.value else {
            return false;
        };
        if eval.depth.is_some() || (win, draw) == (NO_SHARE, NO_SHARE) {
            return false;
        }
        match next {
            // An absent comment states that the share belongs to no comment.
            Some(Token::Comment(_, TextId::NONE)) => {}
            Some(Token::Comment(..) | Token::Clock(_) | Token::Eval(_) | Token::Shapes(_)) => {
                return false;
            }
            Some(Token::Extra(extra)) if has_extra_command(extra.format) => return false,
            _ => {}
        }
        // All moves up to this one have their bytes then; the last four are its own.
        self.fill_evals();
        let end = self.evals.len();
        if let Some(place) = self.evals.get_mut(end.saturating_sub(4)..) {
            let shares = [win.to_be_bytes(), draw.to_be_bytes()];
            for (to, from) in place.iter_mut().zip(shares.concat()) {
                *to = from;
            }
        }
        self.counts.evals = true;
        true
    }
}

impl<'g> LineSink<'g> for Pass<'_> {
    type Lines = Lines;

    #[inline]
    fn mv(&mut self, out: &mut Output<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        self.known(out, mv, Facts::UNKNOWN)
    }

    #[inline]
    fn known(
        &mut self,
        out: &mut Output<'_, 'g>,
        mv: PackedMove,
        facts: Facts,
    ) -> Result<(), LossKind> {
        self.last = None;
        // Not every move has a code: a path must be free, castling needs its right, and so on.
        if let Err(fault) = out.lines.encode(mv, facts, self.bin) {
            let refused = (mv, out.lines.ply(), fault);
            self.counts.refused.get_or_insert(refused);
            return Err(fault_kind(mv, fault));
        }
        self.counts.plies += u32::from(out.lines.depth() == 0);
        self.moved(1);
        Ok(())
    }

    #[inline]
    fn run(&mut self, out: &mut Output<'_, 'g>, tokens: &mut impl TokenSource<'g>) {
        let moves = out.lines.write_run(tokens, self.bin);
        if moves > 0 {
            // Only games without variations have runs.
            self.last = None;
            self.counts.plies += moves;
            self.moved(moves as usize);
        }
    }

    fn nag(&mut self, out: &mut Output<'_, 'g>, nag: u16) {
        self.last = None;
        match u8::try_from(nag) {
            // NAG 0 needs two bytes: its short form would announce a second byte (section 1).
            Ok(nag @ 1..32) => self.bin.push(NAG + nag),
            Ok(nag) => self.bin.extend([NAG, nag]),
            Err(_) => return out.lose(LossKind::Nag),
        }
        self.counts.comments = true;
    }

    fn comment(&mut self, out: &mut Output<'_, 'g>, comment: CommentOut<'_>) {
        if comment.rest.is_some() && comment.place != out.lines.place() {
            out.lose(LossKind::CommentMoved);
        }
        if comment.hides_empty_text {
            out.lose(LossKind::Comment);
        }
        self.put_text(out, COMMENT, comment.text);
    }

    fn open(&mut self, out: &mut Output<'_, 'g>) -> Result<(), LossKind> {
        self.last = None;
        // At the start of the game jose accepts an alternative to nothing. What it would take back
        // inside a variation is not known (section 4).
        if out.lines.at_line_start() && out.lines.depth() > 0 {
            return Err(LossKind::VariationBeforeMove);
        }
        self.bin.push(OPEN);
        self.counts.variations = true;
        Ok(())
    }

    fn close(&mut self, _: &mut Output<'_, 'g>) {
        self.last = None;
        self.bin.push(CLOSE);
    }

    fn other(&mut self, out: &mut Output<'_, 'g>, token: Token<'g>) {
        self.last = None;
        match token {
            Token::Outcome(outcome) => {
                self.outcome(outcome);
                self.last = (out.lines.depth() == 0).then_some(outcome);
            }
            Token::Fault(kind, id) => {
                self.counts.faults = true;
                self.put_text(out, COMMENT + u8::from(kind), out.game.text(id));
            }
            token => out.lose_token(token),
        }
    }

    #[inline]
    fn take(
        &mut self,
        _: &mut Output<'_, 'g>,
        token: Token<'g>,
        rest: &mut impl TokenSource<'g>,
    ) -> bool {
        let moved = std::mem::take(&mut self.after_move);
        match token {
            Token::Eval(eval) if moved => self.eval(eval, rest.peek().as_ref()),
            _ => false,
        }
    }
}

/// Returns the loss for a move that has no code.
fn fault_kind(mv: PackedMove, fault: MoveFault) -> LossKind {
    match (mv.kind(), fault) {
        (MoveKind::GhostEnPassant, _) => LossKind::GhostEnPassant,
        (_, MoveFault::Unnumbered { .. }) => LossKind::UnnumberedPiece,
        _ => LossKind::IllegalMove,
    }
}
