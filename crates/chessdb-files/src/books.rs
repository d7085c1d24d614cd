//! Opening books by path.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use chessdb_core::files::FileSink as _;
use chessdb_core::{MemorySet, ReadOptions, Scratch};
use chessdb_formats::crates::book::{BIN_FILE, Book, BookFormat, CTB_FILE, CTG_FILE, CTO_FILE};

use crate::error::{Error, Problem};
use crate::filesystem::{create_files, need_files};
use crate::paths::folder_of;

/// The number of bytes that decide whether a file is a book.
const START: u64 = 1 << 20;

/// The files of a book in memory.
#[derive(Debug)]
pub struct BookFiles {
    set: MemorySet,
    files: Vec<(PathBuf, u64)>,
}

impl BookFiles {
    /// Reads the files of a book: the named one, and for CTG those next to it with the same name, in
    /// any capitals. The name of any of these means the book.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such file, or if it is not an opening book.
    pub fn read(path: &Path) -> Result<BookFiles, Error> {
        need_files(path)?;
        let end = path.extension().unwrap_or_default();
        let is_part = [CTO_FILE, CTB_FILE]
            .iter()
            .any(|role| end.eq_ignore_ascii_case(role.0));
        let main = next_to(path, CTG_FILE.0).filter(|_| is_part);
        let path = main.as_deref().unwrap_or(path);
        let read = |path: &Path| fs::read(path).map_err(|error| Error::new(path, error));
        // Reading a pipe could wait for ever.
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return Err(Error::new(path, Problem::NoOpeningBook));
        }
        let bytes = read(path)?;
        // A Polyglot book has no magic number, so its extension decides where the content does not.
        let is_bin = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case(BIN_FILE.0));
        let format = BookFormat::of_content(&bytes);
        let format = format.or(is_bin.then_some(BookFormat::Polyglot));
        let format = format.ok_or_else(|| Error::new(path, Problem::NoOpeningBook))?;
        let mut book = BookFiles {
            set: MemorySet::new(),
            files: vec![(path.to_owned(), bytes.len() as u64)],
        };
        let mut roles = format.roles().iter();
        if let Some(&main) = roles.next() {
            book.set.insert(main, bytes);
        }
        for &role in roles {
            if let Some(path) = next_to(path, role.0) {
                let bytes = read(&path)?;
                book.files.push((path, bytes.len() as u64));
                book.set.insert(role, bytes);
            }
        }
        Ok(book)
    }

    /// Opens the book. Findings are collected in `scratch`.
    ///
    /// # Errors
    ///
    /// Returns an error if the book cannot be read at all.
    pub fn open(&self, scratch: &mut Scratch) -> Result<Book<'_>, Error> {
        let book = Book::open(&self.set, ReadOptions::default(), scratch);
        book.map_err(|error| Error::new(self.path(), error))
    }

    /// Returns the path of the main file.
    pub fn path(&self) -> &Path {
        self.files.first().map_or(Path::new(""), |(path, _)| path)
    }

    /// Returns the files with their sizes in bytes, the main one first.
    pub fn files(&self) -> &[(PathBuf, u64)] {
        &self.files
    }
}

/// Writes a Polyglot book. The file gets its name when it is complete.
///
/// # Errors
///
/// Returns an error if the file exists and `replace` is false, or if it cannot be written.
pub fn write_polyglot(path: &Path, bytes: &[u8], replace: bool) -> Result<(), Error> {
    let mut sink = create_files(path, &[BIN_FILE], replace, None)?;
    let written = sink.create(BIN_FILE).and_then(|file| {
        sink.write(file, bytes)?;
        sink.commit()
    });
    written.map_err(|error| Error::new(path, error).while_writing())
}

/// Returns the file with the same name and this extension, in any capitals.
fn next_to(path: &Path, extension: &str) -> Option<PathBuf> {
    let exact = path.with_extension(extension);
    if exact.is_file() {
        return Some(exact);
    }
    let wanted = exact.file_name()?;
    let names = fs::read_dir(folder_of(path)).ok()?.filter_map(Result::ok);
    let mut names = names.map(|entry| entry.file_name());
    let name = names.find(|name| name.eq_ignore_ascii_case(wanted))?;
    Some(path.with_file_name(name)).filter(|path| path.is_file())
}

/// Returns whether a path is a file with an opening book.
pub fn is_book(path: &Path) -> bool {
    if !fs::metadata(path).is_ok_and(|data| data.is_file()) {
        return false;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    read.is_ok() && BookFormat::of_content(&start).is_some()
}
