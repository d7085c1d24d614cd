//! Opening books among the added files. Their moves are shown below the tree.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::OwnedBook;
use chessdb::book::{BookEntry, BookFormat, BookMove, MoveStatistics};
use chessdb::core::board::UciNotation;
use chessdb::core::rules::san;
use chessdb::core::{Board, Color, Diagnostic, MemorySet, ReadOptions, Scratch, Setup};
use chessdb::query::openings::opening_at;
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::tokens::fen_after;

/// The opening books of a session.
#[derive(Default)]
pub(crate) struct Books {
    books: Vec<OpenBook>,
    last_number: u32,
    entry: BookEntry,
    scratch: Scratch,
}

struct OpenBook {
    number: u32,
    name: String,
    bytes: u64,
    book: OwnedBook,
    /// The first finding.
    finding: Option<String>,
}

impl Books {
    /// Returns the number of books.
    pub(crate) fn len(&self) -> usize {
        self.books.len()
    }

    /// Takes the files of books out of `files` and opens the books, which may have `room` bytes
    /// together. Returns the errors of the books that cannot be opened.
    pub(crate) fn take_from(
        &mut self,
        files: &mut Vec<(PathBuf, Vec<u8>)>,
        room: u64,
    ) -> Vec<Value> {
        let mut unread = Vec::new();
        let mut place = 0;
        while let Some((path, bytes)) = files.get(place) {
            let Some(format) = book_format(path, bytes) else {
                place += 1;
                continue;
            };
            let (path, bytes) = files.remove(place);
            let mut parts = vec![bytes];
            for role in format.roles().iter().skip(1) {
                let part = path.with_extension(role.0);
                let is_part = |(other, _): &(PathBuf, Vec<u8>)| {
                    other.as_os_str().eq_ignore_ascii_case(part.as_os_str())
                };
                let part_place = files.iter().position(is_part);
                if part_place.is_some_and(|n| n < place) {
                    place -= 1;
                }
                parts.push(part_place.map_or_else(Vec::new, |n| files.remove(n).1));
            }
            let name = path.to_string_lossy().into_owned();
            if let Err(failure) = self.open(name, format, parts, room) {
                unread.push(failure.about_file(path.to_str(), false));
            }
        }
        unread
    }

    /// Opens a book with its files in the order of the roles; a missing one is empty.
    fn open(
        &mut self,
        name: String,
        format: BookFormat,
        parts: Vec<Vec<u8>>,
        room: u64,
    ) -> Result<()> {
        let used: u64 = self.books.iter().map(|open| open.bytes).sum();
        let bytes = parts.iter().map(Vec::len).sum::<usize>() as u64;
        if used.saturating_add(bytes) > room {
            return Err(Failure::with(
                "full",
                "too many files are open; close a database or a book first",
                json!({ "most": room }),
            ));
        }
        let roles = format.roles().iter().copied();
        let set: MemorySet = roles
            .zip(parts)
            .filter(|(_, part)| !part.is_empty())
            .collect();
        self.scratch.diagnostics.clear();
        let options = ReadOptions::default();
        let book = OwnedBook::open(Arc::new(set), options, &mut self.scratch);
        let book = book.map_err(|error| Failure::from(chessdb::Error::from(error)))?;
        self.last_number = self.last_number.saturating_add(1);
        self.books.push(OpenBook {
            number: self.last_number,
            name,
            bytes,
            book,
            finding: self.scratch.diagnostics.first().map(Diagnostic::to_string),
        });
        Ok(())
    }

    /// Forgets a book.
    pub(crate) fn close(&mut self, number: u32) {
        self.books.retain(|open| open.number != number);
    }

    /// Describes the books from this index on.
    pub(crate) fn list_from(&self, first: usize) -> Value {
        self.books
            .iter()
            .skip(first)
            .map(OpenBook::describe)
            .collect()
    }

    /// Returns every book with its moves in a position, the heaviest first: `moves`, which is null if
    /// the book does not have the position.
    pub(crate) fn moves(&mut self, fen: &str) -> Result<Value> {
        let setup = fen.parse::<Setup>();
        let setup = setup.map_err(|fault| Failure::new("request", fault.to_string()))?;
        let mut books = Vec::new();
        for open in &self.books {
            let entry = &mut self.entry;
            let is_found = open
                .book
                .book()
                .lookup(&setup.board, entry, &mut self.scratch);
            self.scratch.diagnostics.clear();
            let is_found = is_found.map_err(|error| Failure::from(chessdb::Error::from(error)))?;
            let mut book = open.describe();
            if let Some(book) = book.as_object_mut().filter(|_| is_found) {
                book.insert("moves".to_owned(), moves_json(&setup, entry));
            }
            books.push(book);
        }
        Ok(Value::Array(books))
    }
}

impl OpenBook {
    fn describe(&self) -> Value {
        let book = self.book.book();
        json!({
            "book": self.number,
            "name": self.name,
            "format": book.format().name(),
            "positions": book.positions(),
            "finding": self.finding,
            "moves": Value::Null,
        })
    }
}

/// Returns the format if this is the main file of a book. Other programs use the suffix `bin` too, so
/// such a file must look like a book.
fn book_format(path: &Path, bytes: &[u8]) -> Option<BookFormat> {
    let suffix = path.extension()?;
    let is_main = |format: &BookFormat| {
        let main = format.roles().first();
        main.is_some_and(|role| suffix.eq_ignore_ascii_case(role.0))
    };
    let format = BookFormat::ALL.into_iter().find(is_main)?;
    let is_book = format != BookFormat::Polyglot || BookFormat::of_content(bytes) == Some(format);
    is_book.then_some(format)
}

fn moves_json(setup: &Setup, entry: &BookEntry) -> Value {
    let board = &setup.board;
    let notation = UciNotation::of_setup(setup);
    let weights = entry.moves.iter().map(|one| u64::from(one.weight));
    let all = weights.sum::<u64>().max(1) as f64;
    let moves = entry.moves.iter().map(|book_move| {
        let mut after = board.clone();
        after.play(book_move.mv);
        let [white, draws, black] = results_of_colours(board, book_move.statistics);
        let games = book_move.statistics.map(|statistics| statistics.games);
        json!({
            "san": san(board, book_move.mv),
            "uci": notation.show(book_move.mv).to_string(),
            "fen": fen_after(board, book_move.mv),
            "name": opening_at(&after).map(|opening| opening.name),
            "share": f64::from(book_move.weight) / all,
            "games": games,
            "white": white,
            "draws": draws,
            "black": black,
            "nag": book_move.nag,
            "mark": mark(book_move),
        })
    });
    moves.collect()
}

/// Returns the games that White won, drawn games, and those that Black won.
fn results_of_colours(board: &Board, statistics: Option<MoveStatistics>) -> [u32; 3] {
    let results = statistics.map(|statistics| statistics.results);
    let mut results = results.unwrap_or_default();
    if board.turn() == Color::Black {
        results = results.reversed();
    }
    [results.wins, results.draws, results.losses]
}

/// Returns the mark that the author of the book gave to a move: `main`, `avoid`, `deleted` or nothing.
fn mark(book_move: &BookMove) -> Option<&'static str> {
    match book_move {
        _ if book_move.is_deleted => Some("deleted"),
        _ if book_move.recommendation.is_avoided() => Some("avoid"),
        _ if book_move.recommendation.is_main() => Some("main"),
        _ => None,
    }
}
