//! Opening books for queries.

use std::path::Path;
use std::sync::Arc;

use chessdb_core::{Board, Scratch};
use chessdb_files::books::BookFiles;
use chessdb_files::error::Error;
use chessdb_query::BookMoves;

/// Reads a book for the term `book:` of queries: the moves that lead on from the start position.
/// Findings are not collected; `chessdb book info` lists them.
///
/// # Errors
///
/// Returns a sentence if the book cannot be read.
pub fn open_for_queries(path: &str) -> Result<Arc<BookMoves>, String> {
    let read = || -> Result<BookMoves, Error> {
        let files = BookFiles::read(Path::new(path))?;
        let mut scratch = Scratch::new();
        let mut moves = Vec::new();
        let walk = files
            .open(&mut scratch)?
            .walk(&Board::standard(), &mut scratch, &mut |step| {
                let key = step.board.polyglot_key();
                let entries = step.entry.iter().flat_map(|entry| &entry.moves);
                moves.extend(entries.map(|book_move| (key, book_move.mv)));
            });
        walk.map_err(|error| Error::new(files.path(), error))?;
        Ok(BookMoves::new(moves))
    };
    read().map(Arc::new).map_err(|error| error.to_string())
}
