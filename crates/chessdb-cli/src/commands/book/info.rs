//! The command `book info`, also for `info` and `chessdb BOOK`.

use std::path::Path;

use chessdb::core::{Board, Scratch};
use chessdb::formats::shown;

use super::load::BookFile;
use crate::args::BookInfo;
use crate::exit::{Completion, Failure, Outcome};
use crate::json::{Json, list, object};
use crate::output::{count, grouped, plain, print_list, print_text};

pub(super) fn run(args: &BookInfo) -> Outcome {
    let mut books = Vec::new();
    for path in &args.books {
        let facts = BookFacts::read(path)?;
        if args.json { books.push(facts.json()) } else { print_text(&facts.text())? }
    }
    if args.json {
        print_list("books", books)?;
    }
    Ok(Completion::Success)
}

/// Returns the description of a book.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    Ok(BookFacts::read(path)?.text())
}

/// Returns the description of a book as JSON.
pub(crate) fn value(path: &Path) -> Result<Json, Failure> {
    Ok(BookFacts::read(path)?.json())
}

/// Returns a description of a book on one line.
pub(crate) fn summary(path: &Path) -> Result<String, Failure> {
    let facts = BookFacts::read(path)?;
    let (positions, moves) = (
        count(facts.positions, "position"),
        count(facts.moves, "move"),
    );
    Ok(format!(
        "{}: {}, {positions}, {moves}",
        shown(&facts.name),
        facts.format
    ))
}

/// The facts about a book.
struct BookFacts {
    name: String,
    format: String,
    id: &'static str,
    files: Vec<(String, u64)>,
    games: Option<u32>,
    positions: u64,
    moves: u64,
    reached: u64,
    unreached: u64,
    unreached_moves: u64,
    faults: Vec<String>,
    dropped: u64,
}

impl BookFacts {
    fn read(path: &Path) -> Result<BookFacts, Failure> {
        let file = BookFile::read(path)?;
        let mut scratch = Scratch::new();
        let book = file.open(&mut scratch)?;
        let counts = book.walk(&Board::standard(), &mut scratch, &mut |_| {});
        let counts = counts.map_err(|error| file.failure(&error))?;
        let files = file.0.files().iter();
        let files = files.map(|(path, size)| (path.display().to_string(), *size));
        let faults = scratch.diagnostics.iter().map(ToString::to_string);
        Ok(BookFacts {
            name: path.display().to_string(),
            format: book.format().to_string(),
            id: book.format().id(),
            files: files.collect(),
            games: book.games(),
            positions: book.positions(),
            moves: book.moves(),
            reached: counts.entries,
            unreached: counts.unreached,
            unreached_moves: book.unreached_moves(),
            faults: faults.collect(),
            dropped: scratch.dropped_diagnostics.into(),
        })
    }

    fn text(&self) -> String {
        let mut lines = vec![format!("{}: {}", shown(&self.name), self.format)];
        let mut line = |what: &str, text: String| lines.push(format!("  {what:<12} {text}"));
        for (file, size) in &self.files {
            line(
                "file",
                format!("{} ({})", shown(file), count(*size, "byte")),
            );
        }
        if let Some(games) = self.games {
            line("games", grouped(games.into()));
        }
        let mut positions = grouped(self.positions);
        if self.unreached > 0 {
            let unreached = grouped(self.unreached);
            positions += &format!(", {unreached} not reached from the start position");
        }
        line("positions", positions);
        let mut moves = grouped(self.moves);
        if self.unreached_moves > 0 {
            moves += &format!(", {} more in no line", grouped(self.unreached_moves));
        }
        line("moves", moves);
        line("health", self.health());
        lines.push(String::new());
        lines.join("\n")
    }

    fn health(&self) -> String {
        let shown = self.faults.iter().take(3).map(|fault| plain(fault));
        let mut parts: Vec<String> = shown.collect();
        let more = (self.faults.len() as u64).saturating_sub(3) + self.dropped;
        if more > 0 {
            parts.push(count(more, "more finding"));
        }
        if parts.is_empty() { "no problems".to_owned() } else { parts.join("; ") }
    }

    fn json(&self) -> Json {
        let file = |(path, size): &(String, u64)| {
            object! { "path": path.as_str(), "bytes": *size }
        };
        object! {
            "book": self.name.as_str(), "format": self.id, "formatName": self.format.as_str(),
            "files": list(self.files.iter().map(file)), "games": self.games,
            "positions": self.positions, "moves": self.moves, "reached": self.reached,
            "unreached": self.unreached, "unreachedMoves": self.unreached_moves,
            "faults": list(self.faults.iter().map(String::as_str)),
        }
    }
}
