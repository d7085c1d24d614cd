//! The tape as events with their texts resolved.

use crate::commands::{Clock, Command, Eval, Shape, has_extra_command};
use crate::model::movetext::Tokens;
use crate::model::{Branch, Extra, FaultKind, Outcome, Place, Token};
use crate::text::Texts;
use crate::{LossKind, PackedMove, Text};

/// An entry of a game's moves: a [`Token`] with texts instead of their numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event<'g> {
    /// A half-move.
    Move(PackedMove),
    /// A numeric annotation glyph (NAG), for the last move of its line.
    Nag(u16),
    /// A comment.
    Comment(Place, Text<'g>),
    /// The start of a variation: an alternative to the last move.
    Open(Branch),
    /// The end of a variation.
    Close,
    /// A clock time.
    Clock(Clock),
    /// An engine's evaluation.
    Eval(Eval),
    /// Arrows and coloured squares.
    Shapes(&'g [Shape]),
    /// A result within the moves.
    Outcome(Outcome),
    /// Something that the source could not express as a move.
    Fault(FaultKind, Text<'g>),
    /// Data that only the source format understands.
    Extra(&'g Extra),
}

impl<'g> Event<'g> {
    /// Returns the event as a command in comments: a clock, an evaluation, shapes, or an extra that
    /// has such a form. A run of commands directly before a comment is part of the comment.
    #[inline]
    pub fn command(&self) -> Option<Command<'g>> {
        Some(match *self {
            Event::Clock(clock) => Command::Clock(clock),
            Event::Eval(eval) => Command::Eval(eval),
            Event::Shapes(shapes) => Command::Shapes(shapes),
            Event::Extra(extra) if has_extra_command(extra.format) => Command::Extra {
                format: extra.format,
                field: extra.field,
                bytes: &extra.bytes,
            },
            _ => return None,
        })
    }

    /// Returns whether [`Event::command`] returns a command.
    pub fn is_command(&self) -> bool {
        self.command().is_some()
    }
}

impl<'g> Token<'g> {
    /// Returns whether the event is a command in comments ([`Event::command`]).
    pub fn is_command(&self) -> bool {
        match self {
            Token::Clock(_) | Token::Eval(_) | Token::Shapes(_) => true,
            Token::Extra(extra) => has_extra_command(extra.format),
            _ => false,
        }
    }

    /// Returns the event with the text of this token, if it has one.
    #[inline]
    pub fn event(self, texts: &'g Texts) -> Event<'g> {
        match self {
            Token::Move(mv) => Event::Move(mv),
            Token::Nag(nag) => Event::Nag(nag),
            Token::Comment(place, text) => Event::Comment(place, texts.get(text)),
            Token::Open(branch) => Event::Open(branch),
            Token::Close => Event::Close,
            Token::Clock(clock) => Event::Clock(clock),
            Token::Eval(eval) => Event::Eval(eval),
            Token::Shapes(shapes) => Event::Shapes(shapes),
            Token::Outcome(outcome) => Event::Outcome(outcome),
            Token::Fault(kind, text) => Event::Fault(kind, texts.get(text)),
            Token::Extra(extra) => Event::Extra(extra),
        }
    }

    /// Returns the loss that omitting this token causes. `None` for the end of a variation, and for
    /// an absent comment, which only marks that the commands before it have no text.
    pub fn loss(self) -> Option<LossKind> {
        Some(match self {
            Token::Move(_) => LossKind::MovesCut,
            Token::Nag(_) => LossKind::Nag,
            Token::Comment(_, text) if text.is_none() => return None,
            Token::Comment(..) => LossKind::Comment,
            Token::Open(_) => LossKind::Variation,
            Token::Close => return None,
            Token::Clock(_) => LossKind::Clock,
            Token::Eval(_) => LossKind::Eval,
            Token::Shapes(_) => LossKind::Shapes,
            Token::Outcome(_) => LossKind::MoveResult,
            Token::Fault(..) => LossKind::Fault,
            Token::Extra(_) => LossKind::GameExtra,
        })
    }
}

/// An iterator over a game's moves, from [`crate::Game::events`].
#[derive(Clone, Debug)]
pub struct Events<'g> {
    tokens: Tokens<'g>,
    texts: &'g Texts,
}

impl<'g> Events<'g> {
    pub(super) fn new(tokens: Tokens<'g>, texts: &'g Texts) -> Events<'g> {
        Events { tokens, texts }
    }

    /// Skips a variation that was just opened.
    pub fn skip_variation(&mut self, branch: Branch) {
        self.tokens.skip_variation(branch);
    }
}

impl<'g> Iterator for Events<'g> {
    type Item = Event<'g>;

    #[inline]
    fn next(&mut self) -> Option<Event<'g>> {
        self.tokens.next().map(|token| token.event(self.texts))
    }
}
