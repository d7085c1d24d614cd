//! A book of any format.

use std::fmt;

use chessdb_core::files::Role;
use chessdb_core::{Board, ErrorKind, FileSet, ReadOptions, Result, Scratch};

use crate::abk::Abk;
use crate::counts::Counts;
use crate::ctg::Ctg;
use crate::entry::BookEntry;
use crate::polyglot::{Polyglot, PolyglotEntry};
use crate::roles::{ABK_FILE, BIN_FILE, CTB_FILE, CTG_FILE, CTO_FILE};

/// A format of opening books.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BookFormat {
    /// ChessBase and Fritz: `.ctg`, `.cto`, `.ctb`.
    Ctg,
    /// Polyglot: `.bin`.
    Polyglot,
    /// Arena: `.abk`.
    Abk,
}

impl BookFormat {
    /// All formats.
    pub const ALL: [BookFormat; 3] = [BookFormat::Ctg, BookFormat::Polyglot, BookFormat::Abk];

    /// Returns the short name: `ctg`, `polyglot` or `abk`.
    pub const fn id(self) -> &'static str {
        match self {
            BookFormat::Ctg => "ctg",
            BookFormat::Polyglot => "polyglot",
            BookFormat::Abk => "abk",
        }
    }

    /// Returns the common name: `CTG`, `Polyglot` or `ABK`.
    pub const fn name(self) -> &'static str {
        match self {
            BookFormat::Ctg => "CTG",
            BookFormat::Polyglot => "Polyglot",
            BookFormat::Abk => "ABK",
        }
    }

    /// Returns the files of a book, the main one first.
    pub const fn roles(self) -> &'static [Role] {
        match self {
            BookFormat::Ctg => &[CTG_FILE, CTO_FILE, CTB_FILE],
            BookFormat::Polyglot => &[BIN_FILE],
            BookFormat::Abk => &[ABK_FILE],
        }
    }

    /// Returns the format of a main file by its content, under any name.
    ///
    /// A Polyglot book has no mark; it is recognised by entries that are sorted and have possible
    /// moves.
    pub fn of_content(bytes: &[u8]) -> Option<BookFormat> {
        match bytes {
            _ if Ctg::probe(bytes) => Some(BookFormat::Ctg),
            _ if Abk::probe(bytes) => Some(BookFormat::Abk),
            _ if Polyglot::probe(bytes) => Some(BookFormat::Polyglot),
            _ => None,
        }
    }
}

/// Formats the name in words.
impl fmt::Display for BookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BookFormat::Ctg => "ChessBase opening book (CTG)",
            BookFormat::Polyglot => "Polyglot opening book",
            BookFormat::Abk => "Arena opening book (ABK)",
        })
    }
}

/// A position that a book stores.
#[derive(Clone, Debug)]
pub enum BookPosition {
    /// The position, with White to move as CTG stores it. The entry also serves the positions with
    /// the colours exchanged and, without castling rights, with left and right exchanged.
    Board(Box<Board>),
    /// Only the key of the position ([`Board::polyglot_key`]).
    Key(u64),
}

/// An opening book: a map from positions to weighted moves.
///
/// Findings go to a [`Scratch`]; with [`Mode::Strict`](chessdb_core::options::Mode::Strict) the
/// first one is an error.
#[derive(Debug)]
pub struct Book<'f> {
    source: Source<'f>,
    options: ReadOptions,
}

#[derive(Debug)]
enum Source<'f> {
    Ctg(Ctg<'f>),
    Polyglot(Polyglot<'f>),
    Abk(Abk<'f>),
}

impl<'f> Book<'f> {
    /// Opens a book. Its main file decides on the format, by its content.
    ///
    /// The whole book is read once: for its counts, and to verify that the table of a CTG book
    /// leads to every position. A table that does not is replaced by one in memory.
    ///
    /// # Errors
    ///
    /// Returns an error if no file is a book, and in strict mode at the first deviation.
    pub fn open(
        files: &'f dyn FileSet,
        options: ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<Book<'f>> {
        let mains = [CTG_FILE, ABK_FILE, BIN_FILE];
        let main = mains
            .iter()
            .find_map(|&role| Some((role, files.get(role)?)));
        let Some((role, bytes)) = main else {
            return Err(ErrorKind::MissingFile(CTG_FILE).into());
        };
        let format = match role {
            CTG_FILE => Some(BookFormat::Ctg),
            ABK_FILE => Some(BookFormat::Abk),
            _ => BookFormat::of_content(bytes).filter(|format| *format == BookFormat::Polyglot),
        };
        let source = match format {
            Some(BookFormat::Ctg) => Source::Ctg(Ctg::open(files, &options, scratch)?),
            Some(BookFormat::Abk) => Source::Abk(Abk::open(bytes, &options, scratch)?),
            // An unsorted book is not recognised, but a caller may still name it.
            _ => Source::Polyglot(Polyglot::open(bytes, &options, scratch)?),
        };
        Ok(Book { source, options })
    }

    /// Returns the format.
    pub fn format(&self) -> BookFormat {
        match &self.source {
            Source::Ctg(_) => BookFormat::Ctg,
            Source::Polyglot(_) => BookFormat::Polyglot,
            Source::Abk(_) => BookFormat::Abk,
        }
    }

    /// Returns the number of stored positions. Positions that are mirror images of one another have
    /// one entry in CTG; the other formats store positions with moves only.
    pub fn positions(&self) -> u64 {
        self.counts().positions
    }

    /// Returns the number of stored moves.
    pub fn moves(&self) -> u64 {
        self.counts().moves
    }

    /// Returns the number of games that the book was made from, if it states one.
    pub fn games(&self) -> Option<u32> {
        self.counts().games
    }

    /// Returns the number of stored moves that no line leads to, in a book that is a tree of lines
    /// (ABK); 0 in the others.
    pub fn unreached_moves(&self) -> u64 {
        self.counts().unreached
    }

    fn counts(&self) -> Counts {
        match &self.source {
            Source::Ctg(book) => book.counts,
            Source::Polyglot(book) => book.counts,
            Source::Abk(book) => book.counts,
        }
    }

    /// Returns the entries of a Polyglot book in the order of their keys; none of other formats.
    pub fn polyglot_entries(&self) -> impl Iterator<Item = PolyglotEntry> + '_ {
        let book = match &self.source {
            Source::Polyglot(book) => Some(book),
            Source::Ctg(_) | Source::Abk(_) => None,
        };
        book.into_iter()
            .flat_map(|book| (0..book.len()).filter_map(|n| book.entry(n)))
    }

    pub(crate) fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Fills `into` with the data about a position. Returns whether the book has the position.
    ///
    /// The move counters of the position do not matter. A stored move that is not legal is a
    /// finding and left out.
    ///
    /// # Errors
    ///
    /// Returns the first finding in strict mode.
    pub fn lookup(
        &self,
        board: &Board,
        into: &mut BookEntry,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        into.clear();
        match &self.source {
            Source::Ctg(book) => book.lookup(board, into, &self.options, scratch),
            Source::Polyglot(book) => book.lookup(board, into, &self.options, scratch),
            Source::Abk(book) => book.lookup(board, into, &self.options, scratch),
        }
    }

    /// Calls `visit` with every stored position and its number ([`BookEntry::id`]). CTG stores
    /// positions, the other formats only their keys.
    ///
    /// # Errors
    ///
    /// Returns the first finding in strict mode.
    pub fn each_position(
        &self,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(u64, BookPosition),
    ) -> Result<()> {
        match &self.source {
            Source::Ctg(book) => book.each_position(&self.options, scratch, &mut |id, board| {
                visit(id, BookPosition::Board(Box::new(board.clone())));
            }),
            Source::Polyglot(book) => {
                let entries = (0..book.len()).filter_map(|n| Some((n as u64, book.entry(n)?)));
                let mut last = None;
                for (n, entry) in entries {
                    if last.replace(entry.key) != Some(entry.key) {
                        visit(n, BookPosition::Key(entry.key));
                    }
                }
                Ok(())
            }
            Source::Abk(book) => {
                for (n, key) in book.keys() {
                    visit(n, BookPosition::Key(key));
                }
                Ok(())
            }
        }
    }
}
