//! A whole game, designed to be refilled.

use crate::model::{Event, Events, Header, Movetext};
use crate::text::{TextId, Texts};
use crate::{Board, Charset, Text};

/// A game: header, moves, and the arena with all texts of both.
///
/// Readers clear and refill a game that the caller owns, so scanning a million games needs only a
/// handful of allocations.
#[derive(Clone, Default, Debug)]
pub struct Game {
    /// The players, event, date and other data of the game.
    pub header: Header,
    /// The moves.
    pub moves: Movetext,
    /// All texts of header and moves.
    pub texts: Texts,
}

impl AsRef<Game> for Game {
    fn as_ref(&self) -> &Game {
        self
    }
}

impl Game {
    /// Creates an empty game.
    pub fn new() -> Game {
        Game::default()
    }

    /// Removes all content and keeps the allocations.
    pub fn clear(&mut self) {
        self.header.clear();
        self.moves.clear();
        self.texts.clear();
    }

    /// Returns a text of this game; an empty one for [`TextId::NONE`].
    pub fn text(&self, id: TextId) -> Text<'_> {
        self.texts.get(id)
    }

    /// Adds a text and returns its id.
    pub fn add_text(&mut self, text: &str) -> TextId {
        self.texts.push(text.as_bytes(), Charset::UTF_8)
    }

    /// Returns the moves with their texts.
    pub fn events(&self) -> Events<'_> {
        Events::new(self.moves.tokens(), &self.texts)
    }

    /// Returns the position before the first move.
    pub fn start_board(&self) -> Board {
        self.header.start.board()
    }
}

/// Games are equal if their headers and moves are. Texts are compared decoded; name numbers and
/// text ids are ignored.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        crate::compare::first_difference(self, other).is_none()
    }
}

/// Compares events by content; used by [`crate::compare`].
pub(crate) fn same_event(a: &Event<'_>, b: &Event<'_>) -> bool {
    match (a, b) {
        (Event::Comment(p, x), Event::Comment(q, y)) => p == q && x.decode() == y.decode(),
        (Event::Fault(k, x), Event::Fault(l, y)) => k == l && x.decode() == y.decode(),
        (Event::Open(_), Event::Open(_)) => true,
        _ => a == b,
    }
}
