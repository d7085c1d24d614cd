//! Opening books as formats without games: opening one also walks through it and looks positions
//! up (docs/fuzzing.md).

use chessdb::Format;
use chessdb::core::files::Role;
use chessdb::core::format::Score;
use chessdb::core::{Board, FileSet, GameStore, MemorySet, ReadOptions, Result, Scratch};
use chessdb_book::polyglot::to_bytes;
use chessdb_book::{
    BIN_FILE, Book, BookEntry, BookFormat, BookPosition, BookTree, CTB_FILE, CTG_FILE, CTO_FILE,
    to_polyglot, tree_game,
};

use super::Members;

/// ChessBase's books.
pub static CTG: Format = book("ctg", "CTG opening books", &[CTG_FILE, CTO_FILE, CTB_FILE]);
/// Polyglot's books.
pub static POLYGLOT: Format = book("polyglot", "Polyglot opening books", &[BIN_FILE]);
/// Arena's books, without the part of the file before the entries, which nothing is read from.
pub static ABK: Format = book("abk", "Arena opening books", &[ENTRIES]);

/// The entries of an Arena book.
pub const ENTRIES: Role = Role("entries");
/// The bytes before the entries.
pub const BEFORE_ENTRIES: usize = 25_200;

/// The most positions of a book that are looked up one by one.
const MOST_POSITIONS: usize = 300;

const fn book(id: &'static str, name: &'static str, roles: &'static [Role]) -> Format {
    Format::new(id, name, probe, open, |files, options, found| {
        let mut scratch = Scratch::new();
        let whole = whole(files);
        if let Err(error) = Book::open(&whole, options.clone(), &mut scratch) {
            found(error.into());
        }
        let findings = scratch.diagnostics.into_iter().map(Into::into);
        findings.for_each(found);
    })
    .with_files(roles, roles.split_at(1).0)
}

/// Returns the files of a book.
fn whole(files: &dyn FileSet) -> MemorySet {
    let mut set = MemorySet::new();
    for role in [CTG_FILE, CTO_FILE, CTB_FILE, BIN_FILE] {
        if let Some(bytes) = files.get(role) {
            set.insert(role, bytes);
        }
    }
    if let Some(entries) = files.get(ENTRIES) {
        let mut file = b"\x03ABK".to_vec();
        file.resize(BEFORE_ENTRIES, 0);
        file.extend(entries);
        set.insert(chessdb_book::ABK_FILE, file);
    }
    set
}

fn probe(files: &dyn FileSet) -> Score {
    let whole = whole(files);
    let mut found = whole.iter().map(|(_, bytes)| BookFormat::of_content(bytes));
    if found.any(|format| format.is_some()) { Score::Certain } else { Score::No }
}

/// Does everything that can be done with a book.
fn open(files: &dyn FileSet, options: ReadOptions) -> Result<Box<dyn GameStore + '_>> {
    let (files, mut scratch) = (whole(files), Scratch::new());
    let book = Book::open(&files, options, &mut scratch)?;
    let start = Board::standard();
    let tree = BookTree::new(&book, &start, 200, &mut scratch)?;
    let mut moves = 0;
    tree_game(&tree, |game| moves += game.moves.plies() as usize);
    assert!(moves >= tree.len(), "{moves} of {} moves", tree.len());
    let mut boards = Vec::new();
    book.each_position(&mut scratch, &mut |_, position| {
        if let BookPosition::Board(board) = position
            && boards.len() < MOST_POSITIONS
        {
            boards.push(board);
        }
    })?;
    let mut entry = BookEntry::new();
    for board in &boards {
        book.lookup(board, &mut entry, &mut scratch)?;
        for found in &entry.moves {
            let legal = chessdb::core::rules::is_legal(board, found.mv);
            assert!(legal, "an illegal move of {board}");
        }
    }
    let (mut entries, _) = to_polyglot(&book, &mut scratch)?;
    if entries.is_empty() {
        return Ok(Box::new(Members::default()));
    }
    // What is written is read again, entry by entry.
    let written = to_bytes(&mut entries);
    let copy = [(BIN_FILE, written)].into_iter().collect::<MemorySet>();
    let copied = Book::open(&copy, ReadOptions::default(), &mut scratch)?;
    assert!(
        copied.polyglot_entries().eq(entries),
        "another Polyglot book"
    );
    Ok(Box::new(Members::default()))
}
