//! The commands `book ls` and `book show`, and the moves of a book in `tree`.

use std::fmt::Write as _;
use std::io::Write;

use chessdb::book::{Book, BookEntry, BookMove, BookTree, PositionFacts, Results};
use chessdb::core::model::evaluation_sign;
use chessdb::core::rules::write_san;
use chessdb::core::{Board, PackedMove, Scratch};
use chessdb::query::openings::opening_at;

use super::load::BookFile;
use crate::args::{BookLs, BookPosition, BookShow};
use crate::commands::game_label::numbered;
use crate::commands::tree;
use crate::exit::{Completion, Failure, Outcome};
use crate::json::{Json, SCHEMA, list, object};
use crate::output::{column, count, grouped, print_json, print_text, stdout};
use crate::table::{Table, percent, text_of};

fn position(args: &BookPosition) -> Result<Board, Failure> {
    tree::position(args.fen.as_deref(), args.line.as_deref())
}

pub(super) fn ls(args: &BookLs) -> Outcome {
    let board = position(&args.position)?;
    let file = BookFile::read(&args.book)?;
    let mut scratch = Scratch::new();
    let book = file.open(&mut scratch)?;
    let mut entry = BookEntry::new();
    let is_found = book.lookup(&board, &mut entry, &mut scratch);
    let is_found = is_found.map_err(|error| file.failure(&error))?;
    file.report(&scratch);
    if args.json {
        print_json(&json(&board, is_found, &entry))?;
    } else {
        print_text(&text(&board, is_found, &entry))?;
    }
    Ok(Completion::of_search(is_found.into()))
}

/// Returns the share of a weight among the weights of its position.
fn share(book_move: &BookMove, entry: &BookEntry) -> f64 {
    let all: u64 = entry
        .moves
        .iter()
        .map(|book_move| u64::from(book_move.weight))
        .sum();
    f64::from(book_move.weight) / all.max(1) as f64
}

fn results(results: Results) -> String {
    match results.total() {
        0 => String::new(),
        _ => format!("+{} ={} -{}", results.wins, results.draws, results.losses),
    }
}

fn text(board: &Board, is_found: bool, entry: &BookEntry) -> String {
    let mut text = board.to_string();
    if let Some(opening) = opening_at(board) {
        let _ = write!(text, "  {} {}", opening.eco, opening.name);
    }
    text.push('\n');
    if !is_found {
        text += "The book does not have this position.\n";
        return text;
    }
    if let Some(facts) = &entry.facts {
        text += &facts_line(facts);
    }
    if entry.moves.is_empty() {
        text += "The book has no move here.\n";
        return text;
    }
    // A second space separates the results from the score.
    let table = Table::new("Move", "Weight, Share, Games, Score,  Results, Marks");
    let mut table = table
        .texts(&[" Results", "Marks"])
        .fixed([14, 8, 8, 10, 8, 21, 1]);
    for book_move in &entry.moves {
        let statistics = book_move.statistics;
        let games = statistics.map(|statistics| grouped(statistics.games.into()));
        let score = statistics.and_then(|statistics| statistics.results.score());
        let results = statistics.map(|statistics| format!(" {}", results(statistics.results)));
        let cells = [
            grouped(book_move.weight.into()),
            percent(Some(share(book_move, entry))),
            text_of(games),
            percent(score.map(|score| score / 100.0)),
            text_of(results),
            marks(book_move),
        ];
        table.row(&numbered(board, &san(board, book_move.mv)), cells);
    }
    text + "\n" + &table.text()
}

fn facts_line(facts: &PositionFacts) -> String {
    let mut parts = vec![count(facts.games.into(), "game")];
    let results = results(facts.results);
    if !results.is_empty() {
        parts.push(format!("{results} for the side to move"));
    }
    let averages = facts.ratings.iter().filter_map(|sum| sum.average());
    let averages: Vec<String> = averages.map(|average| average.to_string()).collect();
    if !averages.is_empty() {
        parts.push(format!("average ratings {}", averages.join(" and ")));
    }
    if let Some(value) = facts.value {
        parts.push(format!("value {value}"));
    }
    if facts.nag != 0 {
        parts.push(sign(facts.nag));
    }
    parts.join(", ") + "\n"
}

/// Returns the sign of a NAG, or `$` and its number.
fn sign(nag: u8) -> String {
    match nag {
        1..=6 => ["!", "?", "!!", "??", "!?", "?!"]
            .get(usize::from(nag) - 1)
            .map_or_else(String::new, |&sign| sign.to_owned()),
        _ => evaluation_sign(nag).into_owned(),
    }
}

fn marks(book_move: &BookMove) -> String {
    let mut marks = Vec::new();
    if book_move.nag != 0 {
        marks.push(sign(book_move.nag));
    }
    if let Some(priority) = book_move.priority {
        marks.push(format!("priority {priority}"));
    }
    for (is_so, mark) in [
        (book_move.recommendation.is_main(), "main move"),
        (book_move.recommendation.is_avoided(), "not in tournaments"),
        (book_move.is_deleted, "deleted"),
    ] {
        if is_so {
            marks.push(mark.to_owned());
        }
    }
    marks.join(", ")
}

fn san(board: &Board, mv: PackedMove) -> String {
    let mut san = Vec::new();
    write_san(board, mv, &mut san);
    String::from_utf8_lossy(&san).into_owned()
}

fn json(board: &Board, is_found: bool, entry: &BookEntry) -> Json {
    let moves = entry.moves.iter().map(|one| move_json(board, one));
    object! {
        "schema": SCHEMA, "fen": board.to_string(), "found": is_found,
        "position": entry.facts.as_ref().map_or(Json::Null, facts_json), "moves": list(moves),
    }
}

fn results_json(results: Results) -> Json {
    object! { "wins": results.wins, "draws": results.draws, "losses": results.losses }
}

fn facts_json(facts: &PositionFacts) -> Json {
    let ratings = facts.ratings.iter().map(|sum| {
        object! { "games": sum.games, "average": sum.average() }
    });
    object! {
        "games": facts.games, "results": results_json(facts.results), "ratings": list(ratings),
        "value": facts.value, "nag": facts.nag, "recommendation": facts.recommendation.0,
    }
}

fn move_json(board: &Board, book_move: &BookMove) -> Json {
    let statistics = book_move.statistics;
    object! {
        "san": san(board, book_move.mv), "uci": book_move.mv.to_string(),
        "weight": book_move.weight,
        "games": statistics.map(|statistics| statistics.games),
        "results": statistics.map_or(Json::Null, |statistics| results_json(statistics.results)),
        "nag": book_move.nag, "recommendation": book_move.recommendation.0,
        "priority": book_move.priority, "deleted": book_move.is_deleted, "learn": book_move.learn,
    }
}

pub(super) fn show(args: &BookShow) -> Outcome {
    let start = position(&args.position)?;
    let file = BookFile::read(&args.book)?;
    let mut scratch = Scratch::new();
    let book = file.open(&mut scratch)?;
    let tree = BookTree::new(&book, &start, args.depth.into(), &mut scratch);
    let tree = tree.map_err(|error| file.failure(&error))?;
    file.report(&scratch);
    let mut out = stdout();
    writeln!(out, "{start}")?;
    // An explicit stack, so that a deep tree does not overflow the call stack. Each level has its
    // position and the moves that are left.
    let mut open = vec![(start, tree.children(0))];
    while let Some((board, moves)) = open.last_mut() {
        let Some(number) = moves.next() else {
            open.pop();
            continue;
        };
        let Some(node) = tree.node(number) else {
            continue;
        };
        let book_move = &node.book_move;
        let mut after = board.clone();
        after.play(book_move.mv);
        let name = numbered(board, &san(board, book_move.mv));
        let transposition = if node.is_transposition { " +" } else { "" };
        let name = format!("{:1$}{name}{transposition}", "", 2 * (open.len() - 1));
        let mut line = String::new();
        column(&mut line, &name, 40);
        let weight = grouped(book_move.weight.into());
        let _ = write!(line, "{weight:>8}  {}", marks(book_move));
        writeln!(out, "{}", line.trim_end())?;
        open.push((after, tree.children(number)));
    }
    out.flush()?;
    Ok(Completion::of_search(tree.len() as u64))
}

/// The moves of a book, for a list of the moves of games.
pub(crate) struct MovesInBook<'b> {
    file: &'b BookFile,
    book: Book<'b>,
    entry: BookEntry,
    scratch: Scratch,
}

impl<'b> MovesInBook<'b> {
    /// Opens a book.
    pub(crate) fn open(file: &'b BookFile) -> Result<MovesInBook<'b>, Failure> {
        let mut scratch = Scratch::new();
        Ok(MovesInBook {
            file,
            book: file.open(&mut scratch)?,
            entry: BookEntry::new(),
            scratch,
        })
    }

    /// Returns the moves of a position in SAN, each with its share of the weights.
    pub(crate) fn moves(&mut self, board: &Board) -> Vec<(String, f64)> {
        // Lenient reading has no errors here, only findings.
        let is_found = self.book.lookup(board, &mut self.entry, &mut self.scratch);
        if !is_found.unwrap_or(false) {
            return Vec::new();
        }
        let moves = self.entry.moves.iter();
        moves
            .map(|book_move| (san(board, book_move.mv), share(book_move, &self.entry)))
            .collect()
    }

    /// Reports the findings with data loss.
    pub(crate) fn report(&self) {
        self.file.report(&self.scratch);
    }
}
