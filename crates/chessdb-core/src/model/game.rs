//! A whole game, meant to be filled again and again.

use crate::model::{Event, Events, Header, Movetext};
use crate::{Board, Charset, Text, TextId, Texts};

/// One game: head, moves, and the arena that holds every text of both.
///
/// Readers clear and refill a game that the caller owns, so that scanning a million games
/// allocates a handful of times.
#[derive(Clone, Default, Debug)]
pub struct Game {
    /// Who, where, when.
    pub header: Header,
    /// The moves.
    pub moves: Movetext,
    /// Every text of head and moves.
    pub texts: Texts,
}

impl AsRef<Game> for Game {
    fn as_ref(&self) -> &Game {
        self
    }
}

impl Game {
    /// An empty game.
    pub fn new() -> Game {
        Game::default()
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.header.clear();
        self.moves.clear();
        self.texts.clear();
    }

    /// A text of this game; an empty one for [`TextId::NONE`].
    pub fn text(&self, id: TextId) -> Text<'_> {
        self.texts.get(id)
    }

    /// Adds a text.
    pub fn add_text(&mut self, text: &str) -> TextId {
        self.texts.push(text.as_bytes(), Charset::UTF_8)
    }

    /// The moves with their texts.
    pub fn events(&self) -> Events<'_> {
        Events::new(self.moves.tokens(), &self.texts)
    }

    /// The position before the first move.
    pub fn start_board(&self) -> Board {
        self.header.start.board()
    }
}

/// What two games have in common when they are equal: the same heads and moves, every text compared
/// as decoded text. Name numbers and text numbers do not count.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        crate::compare::first_difference(self, other).is_none()
    }
}

/// Events compare by content; used by [`crate::compare`].
pub(crate) fn same_event(a: &Event<'_>, b: &Event<'_>) -> bool {
    match (a, b) {
        (Event::Comment(p, x), Event::Comment(q, y)) => p == q && x.decode() == y.decode(),
        (Event::Fault(k, x), Event::Fault(l, y)) => k == l && x.decode() == y.decode(),
        (Event::Open(_), Event::Open(_)) => true,
        _ => a == b,
    }
}
