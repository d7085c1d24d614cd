//! Writing of a tape.

use super::{
    CLOCK, CLOSE, COMMENT_AFTER, COMMENT_BEFORE, EVAL, EXTRA, Extra, FACTS_SHIFT, FAULT, FaultKind,
    MOVE, Mainline, Movetext, NAG, OPEN, OUTCOME, PAYLOAD, Place, SHAPES, TAG_SHIFT, Token, Tokens,
};
use crate::board::Facts;
use crate::commands::{Clock, Command, Eval, Shape, has_extra_command};
use crate::limits::{Limits, OverLimit};
use crate::text::TextId;
use crate::{Outcome, PackedMove};

/// A writer that keeps a tape well-formed and within its limits.
#[derive(Debug)]
pub struct Builder<'g> {
    tape: &'g mut Movetext,
    open: Vec<u32>,
    plies_left: u32,
    depth_left: u32,
    notes_left: u32,
}

impl<'g> Builder<'g> {
    pub(super) fn new(tape: &'g mut Movetext, limits: &Limits) -> Builder<'g> {
        Builder {
            tape,
            open: Vec::new(),
            plies_left: limits.plies,
            depth_left: limits.depth,
            notes_left: OverLimit::Notes.limit(limits),
        }
    }

    /// Appends a half-move without known facts.
    pub fn mv(&mut self, mv: PackedMove) -> Result<(), OverLimit> {
        self.known(mv, Facts::UNKNOWN)
    }

    /// Appends a half-move with the known facts about it.
    #[inline]
    pub fn known(&mut self, mv: PackedMove, facts: Facts) -> Result<(), OverLimit> {
        self.check_room()?;
        self.plies_left -= 1;
        self.tape.plies += 1;
        self.tape.known_facts += u32::from(facts.are_known() || mv.is_null());
        let facts = u32::from(facts.bits()) << FACTS_SHIFT;
        self.tape
            .tokens
            .push(MOVE << TAG_SHIFT | facts | u32::from(mv.bits()));
        Ok(())
    }

    /// Checks that another half-move is within the limit.
    #[inline]
    pub fn check_room(&self) -> Result<(), OverLimit> {
        match self.plies_left {
            0 => Err(OverLimit::Plies),
            _ => Ok(()),
        }
    }

    /// Returns the number of half-moves that can still be pushed.
    pub fn room(&self) -> u32 {
        self.plies_left
    }

    /// Sets the number of half-moves that can still be pushed, to stop reading there.
    pub fn set_room(&mut self, plies: u32) {
        self.plies_left = plies;
    }

    /// Returns the half-moves of the mainline that are on the tape so far, after the given number
    /// of tokens ([`Mainline::passed`]). The end of a variation that is still open is unknown.
    pub fn mainline_from(&self, tokens: u32) -> Mainline<'_> {
        Mainline(Tokens {
            tape: self.tape,
            next: tokens,
        })
    }

    /// Opens a variation: an alternative to the last move of the line.
    pub fn open(&mut self) -> Result<(), OverLimit> {
        self.note()?;
        self.depth_left = self.depth_left.checked_sub(1).ok_or(OverLimit::Depth)?;
        self.open.push(self.tape.tokens.len() as u32);
        self.tape.tokens.push(OPEN << TAG_SHIFT);
        Ok(())
    }

    /// Closes the variation opened last; false if none is open.
    pub fn close(&mut self) -> bool {
        let Some(open) = self.open.pop() else {
            return false;
        };
        self.depth_left += 1;
        self.tape.tokens.push(CLOSE << TAG_SHIFT);
        let end = self.tape.tokens.len() as u32 & PAYLOAD;
        if let Some(word) = self.tape.tokens.get_mut(open as usize) {
            *word = OPEN << TAG_SHIFT | end;
        }
        true
    }

    /// Returns the number of open variations.
    pub fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    /// Returns whether the tape, or the variation opened last, has no move yet.
    pub fn at_line_start(&self) -> bool {
        let since = self.open.last().map_or(0, |&open| open as usize + 1);
        // The first move of a line comes before any variation that is closed within it, so a move
        // of a variation cannot be mistaken for one of the line.
        let line = self.tape.tokens.get(since..).unwrap_or_default();
        !line.iter().any(|&word| word >> TAG_SHIFT == MOVE)
    }

    /// Appends a token of a tape with the same texts; a half-move without known facts.
    pub fn token(&mut self, token: Token<'_>) -> Result<(), OverLimit> {
        match token {
            Token::Move(mv) => self.mv(mv),
            Token::Open(_) => self.open(),
            Token::Close => {
                self.close();
                Ok(())
            }
            Token::Nag(nag) => self.nag(nag),
            Token::Comment(place, text) => self.comment(place, text),
            Token::Clock(clock) => self.clock(clock),
            Token::Eval(eval) => self.eval(eval),
            Token::Shapes(shapes) => self.shapes(shapes),
            Token::Outcome(outcome) => self.outcome(outcome),
            Token::Fault(kind, text) => self.fault(kind, text),
            Token::Extra(extra) => self.extra(extra.clone()),
        }
    }

    /// Appends a NAG.
    pub fn nag(&mut self, nag: u16) -> Result<(), OverLimit> {
        self.push(NAG, nag.into())
    }

    /// Returns whether the last token is a NAG.
    pub fn ends_with_nag(&self) -> bool {
        self.tape
            .tokens
            .last()
            .is_some_and(|&word| word >> TAG_SHIFT == NAG)
    }

    /// Removes the last token if it is this NAG and no variation is open; returns whether it did.
    pub fn take_back_nag(&mut self, nag: u16) -> bool {
        let last = self.tape.tokens.last();
        let is_last = self.open.is_empty() && last == Some(&(NAG << TAG_SHIFT | u32::from(nag)));
        if is_last {
            self.tape.tokens.pop();
            self.notes_left = self.notes_left.saturating_add(1);
        }
        is_last
    }

    /// Appends a comment; its text must already be in the arena.
    pub fn comment(&mut self, place: Place, text: TextId) -> Result<(), OverLimit> {
        let tag = match place {
            Place::Before => COMMENT_BEFORE,
            Place::After => COMMENT_AFTER,
        };
        if text.raw() > PAYLOAD {
            return Err(OverLimit::Texts);
        }
        self.push(tag, text.raw())
    }

    /// Returns whether the last token is a clock, an evaluation, shapes, or an extra in the form of
    /// a command.
    pub fn ends_with_command(&self) -> bool {
        self.tape
            .tokens
            .last()
            .is_some_and(|&word| match word >> TAG_SHIFT {
                CLOCK | EVAL | SHAPES => true,
                EXTRA => self
                    .tape
                    .extras
                    .get((word & PAYLOAD) as usize)
                    .is_some_and(|extra| has_extra_command(extra.format)),
                _ => false,
            })
    }

    /// Appends the content of a comment command.
    pub fn command(&mut self, command: Command<'_>) -> Result<(), OverLimit> {
        match command {
            Command::Clock(clock) => self.clock(clock),
            Command::Eval(eval) => self.eval(eval),
            Command::Shapes(shapes) => self.shapes(shapes),
            Command::Extra {
                format,
                field,
                bytes,
            } => self.extra(Extra {
                format,
                field,
                bytes: bytes.into(),
            }),
        }
    }

    /// Appends a clock time.
    pub fn clock(&mut self, clock: Clock) -> Result<(), OverLimit> {
        let index = self.tape.clocks.len() as u32;
        // The token first, since it may be refused.
        self.push(CLOCK, index)?;
        self.tape.clocks.push(clock);
        Ok(())
    }

    /// Appends an evaluation.
    pub fn eval(&mut self, eval: Eval) -> Result<(), OverLimit> {
        let index = self.tape.evals.len() as u32;
        self.push(EVAL, index)?;
        self.tape.evals.push(eval);
        Ok(())
    }

    /// Appends arrows and coloured squares.
    pub fn shapes(&mut self, shapes: &[Shape]) -> Result<(), OverLimit> {
        let index = self.tape.shape_ends.len() as u32;
        self.push(SHAPES, index)?;
        self.tape.shapes.extend_from_slice(shapes);
        self.tape.shape_ends.push(self.tape.shapes.len() as u32);
        Ok(())
    }

    /// Appends a result within the moves.
    pub fn outcome(&mut self, outcome: Outcome) -> Result<(), OverLimit> {
        let index = Outcome::ALL
            .iter()
            .position(|&entry| entry == outcome)
            .unwrap_or(0);
        self.push(OUTCOME, index as u32)
    }

    /// Appends a fault: something that the source could not express as a move.
    pub fn fault(&mut self, kind: FaultKind, text: TextId) -> Result<(), OverLimit> {
        let index = self.tape.faults.len() as u32;
        self.push(FAULT, index)?;
        self.tape.faults.push((kind, text));
        Ok(())
    }

    /// Appends bytes that only their own format understands.
    pub fn extra(&mut self, extra: Extra) -> Result<(), OverLimit> {
        let index = self.tape.extras.len() as u32;
        self.push(EXTRA, index)?;
        self.tape.extras.push(extra);
        Ok(())
    }

    /// Closes all open variations and returns their number.
    pub fn finish(mut self) -> u32 {
        let open = self.depth();
        while self.close() {}
        open
    }

    fn push(&mut self, tag: u32, payload: u32) -> Result<(), OverLimit> {
        self.note()?;
        self.tape.tokens.push(tag << TAG_SHIFT | payload & PAYLOAD);
        Ok(())
    }

    fn note(&mut self) -> Result<(), OverLimit> {
        self.notes_left = self.notes_left.checked_sub(1).ok_or(OverLimit::Notes)?;
        Ok(())
    }
}
