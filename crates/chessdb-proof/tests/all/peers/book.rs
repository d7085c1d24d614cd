//! Comparisons of Polyglot books with python-chess.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chessdb::book::{BIN_FILE, Book, polyglot::polyglot_move};
use chessdb::core::{Board, MemorySet, ReadOptions, Scratch};
use chessdb_proof::peer::capture;
use chessdb_testkit::fixtures;

use super::lab::{CORPUS_GAMES, Lab, PYTHON};

/// Books of other programs, below the external data.
const BOOKS: [&str; 4] = [
    "fixtures-real/other/polyglot/gm2001.bin",
    "fixtures-real/other/polyglot/clon2180.bin",
    "fixtures-real/other/polyglot/tal.bin",
    "fixtures-real/books/perfect2021/Perfect_2021/BIN/Perfect2021.bin",
];

/// Compares two sorted lists of lines and reports the first difference.
fn compare(lab: &Lab, what: &str, ours: &str, theirs: &str) -> usize {
    let mut lines = ours.lines().zip(theirs.lines());
    if let Some((ours, theirs)) = lines.find(|(ours, theirs)| ours != theirs) {
        lab.fault(format!("{what}: {ours:?} instead of {theirs:?}"));
    }
    let (count, expected) = (ours.lines().count(), theirs.lines().count());
    if count != expected {
        lab.fault(format!("{what}: {count} lines instead of {expected}"));
    }
    count
}

/// Returns the keys, moves and weights that a book's own moves lead to from the start.
fn walk(path: &Path) -> String {
    let mut set = MemorySet::new();
    set.insert(BIN_FILE, fs::read(path).unwrap());
    let mut scratch = Scratch::new();
    let book = Book::open(&set, ReadOptions::default(), &mut scratch).unwrap();
    let mut lines = Vec::new();
    book.walk(&Board::standard(), &mut scratch, &mut |step| {
        let key = step.board.polyglot_key();
        let moves = step.entry.iter().flat_map(|entry| &entry.moves);
        lines
            .extend(moves.map(|choice| (key, polyglot_move(step.board, choice.mv), choice.weight)));
    })
    .unwrap();
    assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
    lines.sort_unstable();
    lines.dedup();
    let mut text = String::new();
    for (key, mv, weight) in lines {
        writeln!(text, "{key:016x}\t{mv}\t{weight}").unwrap();
    }
    text
}

#[test]
fn books_of_other_programs_have_the_keys_and_moves_of_python_chess() {
    let Some(lab) = Lab::new("book-keys", &[PYTHON]) else {
        return;
    };
    let mut moves = 0;
    for name in BOOKS {
        let Some(path) = fixtures::testdata(name) else {
            return;
        };
        let theirs = lab.script_on("book_scan.py", &[Path::new("walk"), &path]);
        moves += compare(&lab, name, &walk(&path), &theirs);
    }
    assert!(moves > 30_000, "{moves} moves");
    lab.finish(&format!("{} books, {moves} moves", BOOKS.len()));
}

#[test]
fn a_book_made_from_games_has_the_counts_of_python_chess() {
    let lab = Lab::new("book-make", &[PYTHON]);
    let Some((corpus, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    let mut moves = 0;
    for (max_ply, min_games, min_score) in [("60", "1", "0"), ("24", "3", "45")] {
        let book: PathBuf = lab.folder.join(format!("made-{max_ply}.bin"));
        let mut command = Command::new(&lab.program);
        command.args(["book", "make"]).arg(&corpus).arg(&book);
        command.args(["--max-ply", max_ply, "--min-games", min_games]);
        let ran = capture(command.args(["--min-score", min_score]));
        assert_eq!(ran.code, 0, "{ran:?}");
        let ours = lab.script_on("book_scan.py", &[Path::new("entries"), &book]);
        let options = ["count", max_ply, min_games, min_score].map(Path::new);
        let [count, max_ply, min_games, min_score] = options;
        let asked = [count, &corpus, max_ply, min_games, min_score];
        let theirs = lab.script_on("book_scan.py", &asked);
        moves += compare(&lab, &format!("{options:?}"), &ours, &theirs);
    }
    assert!(moves > 10_000, "{moves} moves");
    lab.finish(&format!("{CORPUS_GAMES} games, {moves} moves of two books"));
}
