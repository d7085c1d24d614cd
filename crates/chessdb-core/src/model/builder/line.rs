//! Construction of lines of moves by the closures of a game builder.

use crate::error::Location;
use crate::model::Place;
use crate::rules::read_san;
use crate::{Board, Error, ErrorKind, PackedMove, Result};

/// A line of a [`GameBuilder`](super::GameBuilder): the mainline, or a variation under
/// construction.
#[derive(Clone, Debug, Default)]
pub struct LineBuilder {
    pub(super) items: Vec<Item>,
    pub(super) board: Board,
    /// The position before the last move of the line, if there is one.
    before: Option<Board>,
    pub(super) ply: u32,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Move(PackedMove),
    Nag(u16),
    Comment(Place, String),
    Open,
    Close,
}

impl LineBuilder {
    /// Adds moves, in any notation that [`read_san`] reads.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::BadMove`] with the ply of the first move that is not legal.
    pub fn sans<S: AsRef<str>>(self, sans: impl IntoIterator<Item = S>) -> Result<LineBuilder> {
        sans.into_iter()
            .try_fold(self, |line, san| line.san(san.as_ref()))
    }

    /// Adds a move in SAN, or any other notation that [`read_san`] reads.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::BadMove`] if the move is not legal.
    pub fn san(self, san: &str) -> Result<LineBuilder> {
        match read_san(&self.board, san.as_bytes()) {
            Ok(mv) => Ok(self.mv(mv)),
            Err(fault) => Err(self.bad_move(san, fault.as_str())),
        }
    }

    /// Adds a move in coordinates: `e2e4`, `e7e8q`, castling as the king's move or as king takes
    /// rook, `0000`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::BadMove`] if the move is not legal.
    pub fn uci(self, uci: &str) -> Result<LineBuilder> {
        match read_san(&self.board, uci.as_bytes()) {
            Ok(mv) if mv.to_string() == uci || self.is_rook_taken(mv, uci) => Ok(self.mv(mv)),
            Ok(_) => Err(self.bad_move(uci, "not coordinates such as e2e4 or e7e8q")),
            Err(fault) => Err(self.bad_move(uci, fault.as_str())),
        }
    }

    /// Returns whether `uci` is this castling move, written as king takes rook.
    fn is_rook_taken(&self, mv: PackedMove, uci: &str) -> bool {
        let turn = self.board.turn();
        mv.castling_side()
            .and_then(|side| self.board.castling_rook(turn, side))
            .is_some_and(|rook| format!("{}{rook}", mv.from()) == uci)
    }

    /// Adds a move, legal or not.
    #[must_use]
    pub fn mv(mut self, mv: PackedMove) -> LineBuilder {
        self.before = Some(self.board.clone());
        self.board.play(mv);
        self.ply += 1;
        self.push(Item::Move(mv))
    }

    /// Adds a NAG.
    #[must_use]
    pub fn nag(self, nag: u16) -> LineBuilder {
        self.push(Item::Nag(nag))
    }

    /// Adds a comment after the last move, or at the start of the line.
    #[must_use]
    pub fn comment(self, text: &str) -> LineBuilder {
        let place = match self.before {
            Some(_) => Place::After,
            None => Place::Before,
        };
        self.push(Item::Comment(place, text.to_owned()))
    }

    /// Adds a comment before the next move.
    #[must_use]
    pub fn comment_before(self, text: &str) -> LineBuilder {
        self.push(Item::Comment(Place::Before, text.to_owned()))
    }

    /// Adds a variation that replaces the last move.
    ///
    /// # Errors
    ///
    /// Returns the errors of `fill`, and [`ErrorKind::Structure`] if there is no move to replace.
    pub fn variation(
        mut self,
        fill: impl FnOnce(LineBuilder) -> Result<LineBuilder>,
    ) -> Result<LineBuilder> {
        let Some(board) = self.before.clone() else {
            let none = ErrorKind::Structure("a variation needs a move that it replaces");
            return Err(Error::new(none).at(self.location()));
        };
        let inner = fill(LineBuilder {
            items: Vec::new(),
            board,
            before: None,
            ply: self.ply.saturating_sub(1),
        })?;
        self.items.push(Item::Open);
        self.items.extend(inner.items);
        Ok(self.push(Item::Close))
    }

    fn push(mut self, item: Item) -> LineBuilder {
        self.items.push(item);
        self
    }

    fn location(&self) -> Location {
        Location::default().at_ply(self.ply)
    }

    fn bad_move(&self, text: &str, why: &'static str) -> Error {
        Error::new(ErrorKind::bad_move(text.as_bytes(), why)).at(self.location())
    }
}
