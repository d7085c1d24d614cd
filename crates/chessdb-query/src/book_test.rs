//! Games that follow an opening book: `book:FILE` and `book:FILE,20..`.

use std::sync::Arc;

use chessdb_core::{Game, PackedMove};

use crate::syntax::{Fault, Form, Item, NumberRanges, Sign};

/// Opens the book with this path. The error is a sentence for the author of the query.
pub type BookOpener = fn(&str) -> Result<Arc<BookMoves>, String>;

/// The moves of an opening book by position.
#[derive(Clone, Debug)]
pub struct BookMoves {
    /// The moves with the keys of their positions, in the order of the keys.
    moves: Vec<(u64, PackedMove)>,
}

impl BookMoves {
    /// Creates the moves of a book, each with the key of its position
    /// ([`Board::polyglot_key`](chessdb_core::Board::polyglot_key)).
    pub fn new(mut moves: Vec<(u64, PackedMove)>) -> BookMoves {
        moves.sort_by_key(|(key, _)| *key);
        BookMoves { moves }
    }

    /// Returns the moves of a position; none if the book does not have it.
    fn of_position(&self, key: u64) -> &[(u64, PackedMove)] {
        let start = self.moves.partition_point(|(other, _)| *other < key);
        let rest = self.moves.get(start..).unwrap_or_default();
        let count = rest.iter().take_while(|(other, _)| *other == key).count();
        rest.get(..count).unwrap_or_default()
    }
}

/// A condition on the moves of a game that are in books.
#[derive(Clone, Debug)]
pub(crate) struct BookTest {
    books: Vec<Arc<BookMoves>>,
    /// The number of half-moves at the start of the game that are in the book.
    plies: Option<NumberRanges>,
}

impl BookTest {
    /// Reads paths and ranges of half-moves, and opens the books.
    pub(crate) fn read(
        items: &[Item],
        sign: Sign,
        opener: Option<BookOpener>,
    ) -> Result<BookTest, (usize, Fault)> {
        let opener = opener.ok_or_else(|| {
            let message = "a query here opens no files; book: is for the program and for Python";
            (0, Fault::from(message))
        })?;
        if sign != Sign::Is {
            return Err((
                0,
                Fault::from("write the number after the file: book:FILE,20.."),
            ));
        }
        let is_range = NumberRanges::is_range;
        let (mut books, mut ranges) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            // A shell removes the quotes, so a name with blanks is quoted together with its range.
            let (path, range) = match item.text.rsplit_once(',') {
                Some((path, range)) if is_range(range) => (path, Some(range)),
                _ if item.form == Form::Plain && is_range(&item.text) => ("", Some(&*item.text)),
                _ => (&*item.text, None),
            };
            ranges.extend(range.map(|range| Item {
                text: range.to_owned(),
                ..item.clone()
            }));
            if !path.is_empty() {
                let book = opener(path).map_err(|message| (index, Fault::from(message)))?;
                books.push(book);
            }
        }
        if books.is_empty() {
            return Err((0, Fault::from("expected the file of an opening book")));
        }
        let plies = (!ranges.is_empty()).then(|| NumberRanges::read(&ranges, Sign::Is, 0));
        Ok(BookTest {
            books,
            plies: plies.transpose()?,
        })
    }

    /// Returns whether a game follows one of the books.
    pub(crate) fn fits(&self, game: &Game) -> bool {
        if !(game.has_standard_rules() && game.has_known_start()) {
            return false;
        }
        self.books.iter().any(|book| {
            let (plies, has_left) = followed(book, game);
            match &self.plies {
                Some(range) => range.has(plies),
                None => plies > 0 && !has_left,
            }
        })
    }
}

/// Returns the number of half-moves up to the first that the book does not have, and whether the book
/// has other moves there.
fn followed(book: &BookMoves, game: &Game) -> (i32, bool) {
    let mut board = game.start_board();
    let mut plies = 0;
    for mv in game.mainline() {
        let moves = book.of_position(board.polyglot_key());
        if !moves.iter().any(|(_, book_move)| *book_move == mv) {
            return (plies, !moves.is_empty());
        }
        board.play(mv);
        plies += 1;
    }
    (plies, false)
}
