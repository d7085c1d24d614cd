//! From the tape to bytes: the hot loop of writing.

use std::iter::Peekable;

use chessdb_core::annotation::CommentRun;
use chessdb_core::commands::{Eval, EvalValue};
use chessdb_core::legacy::jose::JoseNumbering;
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::model::{Token, Tokens};
use chessdb_core::{
    Charset, Event, Game, LossKind, Losses, MoveKind, PackedMove, Place, Skip, Text, TextId,
};

use super::marker::{CLOSE, COMMENT, END, NAG, OPEN, RESULT};
use super::{Layout, NO_SHARE, OUTCOMES};
use crate::{extra, text};

/// The lines of a game as jose numbers them.
pub(crate) type Lines = chessdb_core::Lines<JoseNumbering>;

/// What a row says about a game's moves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Facts {
    /// Half-moves of the main line.
    pub(crate) plies: u32,
    pub(crate) variations: bool,
    /// NAGs count.
    pub(crate) comments: bool,
    pub(crate) faults: bool,
    /// Whether there is a text at all.
    pub(crate) texts: bool,
    /// Whether a move has an evaluation.
    pub(crate) evals: bool,
    /// The first move without a code, after how many half-moves of its line, and why.
    pub(crate) refused: Option<(PackedMove, u32, MoveFault)>,
}

/// Writes moves, texts and evaluations into buffers that are used again for the next game.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The moves of the game encoded last, with their end mark.
    pub(crate) bin: Vec<u8>,
    /// Its texts, each with its NUL.
    pub(crate) comments: Vec<u8>,
    /// Its evaluations, four bytes for each move.
    pub(crate) evals: Vec<u8>,
    lines: Option<Lines>,
    run: CommentRun,
}

impl MoveEncoder {
    /// Encodes a game's moves.
    ///
    /// # Errors
    ///
    /// The loss that keeps the game from being stored at all.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        numbering: JoseNumbering,
        layout: Layout,
        losses: &mut Losses,
    ) -> Result<Facts, LossKind> {
        self.bin.clear();
        self.comments.clear();
        self.evals.clear();
        self.run.clear();
        let lines = match &mut self.lines {
            Some(lines) if *lines.numbering() == numbering => lines.restart(game).map(|()| lines),
            lines => Lines::new(numbering, game).map(|new| lines.insert(new)),
        };
        let lines = lines.map_err(|_| LossKind::StartPosition)?;
        let pass = Pass {
            game,
            bin: &mut self.bin,
            comments: &mut self.comments,
            evals: &mut self.evals,
            lines,
            layout,
            losses,
            last: None,
            counts: Facts::default(),
        };
        Ok(pass.run(game.moves.tokens().peekable(), &mut self.run))
    }
}

struct Pass<'p> {
    game: &'p Game,
    bin: &'p mut Vec<u8>,
    comments: &'p mut Vec<u8>,
    evals: &'p mut Vec<u8>,
    lines: &'p mut Lines,
    layout: Layout,
    losses: &'p mut Losses,
    /// The result, if that is what the bytes end with.
    last: Option<chessdb_core::Outcome>,
    counts: Facts,
}

impl<'p> Pass<'p> {
    fn run(mut self, mut tokens: Peekable<Tokens<'p>>, run: &mut CommentRun) -> Facts {
        let mut skip: Option<Skip> = None;
        let mut after_move = false;
        while let Some(token) = tokens.next() {
            if let Some(skipped) = &mut skip {
                match token {
                    Token::Open(_) => skipped.open(),
                    Token::Close if Skip::close(&mut skip) => self.close(),
                    _ => {}
                }
                self.leave_out(&token);
                continue;
            }
            let moved = std::mem::take(&mut after_move);
            if let Token::Eval(eval) = token
                && moved
                && self.eval(eval, &mut tokens)
            {
                continue;
            }
            if command(&token).is_some_and(|event| run.command(&event)) {
                continue;
            }
            if let Token::Comment(place, id) = token {
                if id.is_some() || run.is_pending() {
                    self.comment(place, run.with_text(self.game.text(id)));
                }
                continue;
            }
            if let Some(text) = run.take() {
                self.put_text(COMMENT, text);
            }
            self.last = None;
            match token {
                Token::Move(mv) => match self.half_move(mv) {
                    Ok(()) => after_move = true,
                    Err(fault) => {
                        let ply = self.lines.ply();
                        self.losses.add(fault_kind(mv, fault), Some(ply));
                        self.counts.refused.get_or_insert((mv, ply, fault));
                        skip = Some(Skip::REST_OF_LINE);
                    }
                },
                Token::Nag(nag) => self.nag(nag),
                Token::Open(_) => {
                    // At the start of the game jose accepts an alternative to nothing; what it
                    // would take back inside a variation is not known (section 4).
                    if self.lines.at_line_start() && self.lines.depth() > 0 {
                        self.lose(LossKind::VariationBeforeMove);
                        skip = Some(Skip::VARIATION);
                    } else {
                        self.lines.open();
                        self.bin.push(OPEN);
                        self.counts.variations = true;
                    }
                }
                Token::Close => self.close(),
                Token::Outcome(outcome) => self.outcome(outcome),
                Token::Fault(kind, id) => {
                    self.counts.faults = true;
                    self.put_text(COMMENT + u8::from(kind), self.game.text(id));
                }
                Token::Extra(_) => self.lose(LossKind::GameExtra),
                Token::Comment(..) | Token::Clock(_) | Token::Eval(_) | Token::Shapes(_) => {}
            }
        }
        if let Some(text) = run.take() {
            self.put_text(COMMENT, text);
        }
        while self.lines.depth() > 0 {
            self.close();
        }
        self.end();
        self.counts
    }

    /// The result at the end, and the end mark. A source without that result has said so, unless
    /// what it ends with would be taken for it.
    fn end(&mut self) {
        let head = &self.game.head;
        let is_absent = head
            .extras
            .iter()
            .any(|extra| extra.format == extra::FORMAT && extra.field == extra::NO_RESULT);
        if !is_absent || self.last == Some(head.outcome) {
            self.outcome(head.outcome);
        }
        self.bin.push(END);
    }

    #[inline]
    fn half_move(&mut self, mv: PackedMove) -> Result<(), MoveFault> {
        let (state, board) = (self.lines.state(), self.lines.board());
        // A path must be free, castling needs its right, and so on.
        let numbering = self.lines.numbering();
        numbering.encode_readable(state, board, mv, self.bin)?;
        self.counts.plies += u32::from(self.lines.depth() == 0);
        self.lines.play(mv);
        for _ in 0..2 {
            self.evals.extend_from_slice(&NO_SHARE.to_be_bytes());
        }
        Ok(())
    }

    /// Takes a share of wins and draws that stands directly behind its move, and is not part of a
    /// comment, into the column for it.
    fn eval(&mut self, eval: Eval, tokens: &mut Peekable<Tokens<'p>>) -> bool {
        let EvalValue::WinDraw { win, draw } = eval.value else {
            return false;
        };
        if eval.depth.is_some() || (win, draw) == (NO_SHARE, NO_SHARE) {
            return false;
        }
        match tokens.peek() {
            Some(&Token::Comment(_, TextId::NONE)) => {
                tokens.next();
            }
            Some(Token::Comment(..) | Token::Clock(_) | Token::Eval(_) | Token::Shapes(_)) => {
                return false;
            }
            _ => {}
        }
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

    fn nag(&mut self, nag: u16) {
        match u8::try_from(nag) {
            Ok(nag @ 1..32) => self.bin.push(NAG + nag),
            Ok(nag) => self.bin.extend([NAG, nag]),
            Err(_) => {
                self.lose(LossKind::Nag);
                return;
            }
        }
        self.counts.comments = true;
    }

    fn outcome(&mut self, outcome: chessdb_core::Outcome) {
        let code = OUTCOMES.iter().position(|&known| known == outcome);
        self.bin.push(RESULT + code.unwrap_or(3) as u8);
        self.last = (self.lines.depth() == 0).then_some(outcome);
    }

    fn close(&mut self) {
        if self.lines.close() {
            self.bin.push(CLOSE);
        }
    }

    fn comment(&mut self, place: Place, text: Text<'_>) {
        if place != self.lines.place() {
            self.lose(LossKind::CommentMoved);
        }
        self.put_text(COMMENT, text);
    }

    fn put_text(&mut self, mark: u8, text: Text<'_>) {
        self.last = None;
        self.bin.push(mark);
        self.counts.comments |= mark == COMMENT;
        self.counts.texts = true;
        let out = match self.layout {
            Layout::Separate => &mut *self.comments,
            Layout::Inline => &mut *self.bin,
        };
        if text::put(text, Charset::CESU_8, out) {
            self.losses
                .add(LossKind::CommentText, Some(self.lines.ply()));
        }
        out.push(0);
    }

    fn lose(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.lines.ply()));
    }

    /// Counts a token that is left out.
    fn leave_out(&mut self, token: &Token<'_>) {
        self.lose(match token {
            Token::Open(_) => LossKind::Variation,
            Token::Close => return,
            Token::Move(_) => LossKind::MovesCut,
            Token::Nag(_) => LossKind::Nag,
            Token::Comment(_, id) if id.is_none() => return,
            Token::Comment(..) => LossKind::Comment,
            Token::Clock(_) => LossKind::Clock,
            Token::Eval(_) => LossKind::Eval,
            Token::Shapes(_) => LossKind::Shapes,
            Token::Outcome(_) => LossKind::MoveResult,
            Token::Fault(..) => LossKind::Fault,
            Token::Extra(_) => LossKind::GameExtra,
        });
    }
}

/// What stands in brackets at the start of a comment.
fn command<'g>(token: &Token<'g>) -> Option<Event<'g>> {
    match *token {
        Token::Clock(clock) => Some(Event::Clock(clock)),
        Token::Eval(eval) => Some(Event::Eval(eval)),
        Token::Shapes(shapes) => Some(Event::Shapes(shapes)),
        _ => None,
    }
}

/// What is lost with a move that has no code.
fn fault_kind(mv: PackedMove, fault: MoveFault) -> LossKind {
    match (mv.kind(), fault) {
        (MoveKind::GhostEnPassant, _) => LossKind::GhostEnPassant,
        (_, MoveFault::Unnumbered { .. }) => LossKind::UnnumberedMan,
        _ => LossKind::IllegalMove,
    }
}
