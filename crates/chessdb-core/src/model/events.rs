//! The tape with its texts at hand.

use crate::commands::{Clock, Eval, Shape, has_extra_command};
use crate::model::movetext::Tokens;
use crate::model::{Branch, Extra, FaultKind, Outcome, Place, Token};
use crate::{PackedMove, Text, Texts};

/// One entry of a game's moves; [`Token`] with texts instead of their numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event<'g> {
    /// A half-move.
    Move(PackedMove),
    /// A numeric annotation glyph; refers to the last move of its line.
    Nag(u16),
    /// A comment.
    Comment(Place, Text<'g>),
    /// A variation begins: an alternative to the last move.
    Open(Branch),
    /// A variation ends.
    Close,
    /// A clock time.
    Clock(Clock),
    /// An engine's evaluation.
    Eval(Eval),
    /// Arrows and coloured squares.
    Shapes(&'g [Shape]),
    /// A result within the moves.
    Outcome(Outcome),
    /// What the source could not express as a move.
    Fault(FaultKind, Text<'g>),
    /// What only the source format understands.
    Extra(&'g Extra),
}

impl Event<'_> {
    /// Whether it stands in comments as a command: a clock, an evaluation, shapes, or an extra with
    /// such a form. A run of these directly before a comment is part of it.
    pub fn is_command(&self) -> bool {
        match self {
            Event::Clock(_) | Event::Eval(_) | Event::Shapes(_) => true,
            Event::Extra(extra) => has_extra_command(extra.format),
            _ => false,
        }
    }
}

/// Iterator over a game's moves, from [`crate::Game::events`].
#[derive(Clone, Debug)]
pub struct Events<'g> {
    tokens: Tokens<'g>,
    texts: &'g Texts,
}

impl<'g> Events<'g> {
    pub(super) fn new(tokens: Tokens<'g>, texts: &'g Texts) -> Events<'g> {
        Events { tokens, texts }
    }

    /// Goes on behind a variation that was just opened.
    pub fn skip_variation(&mut self, branch: Branch) {
        self.tokens.skip_variation(branch);
    }
}

impl<'g> Iterator for Events<'g> {
    type Item = Event<'g>;

    fn next(&mut self) -> Option<Event<'g>> {
        Some(match self.tokens.next()? {
            Token::Move(mv) => Event::Move(mv),
            Token::Nag(nag) => Event::Nag(nag),
            Token::Comment(place, text) => Event::Comment(place, self.texts.get(text)),
            Token::Open(branch) => Event::Open(branch),
            Token::Close => Event::Close,
            Token::Clock(clock) => Event::Clock(clock),
            Token::Eval(eval) => Event::Eval(eval),
            Token::Shapes(shapes) => Event::Shapes(shapes),
            Token::Outcome(outcome) => Event::Outcome(outcome),
            Token::Fault(kind, text) => Event::Fault(kind, self.texts.get(text)),
            Token::Extra(extra) => Event::Extra(extra),
        })
    }
}
