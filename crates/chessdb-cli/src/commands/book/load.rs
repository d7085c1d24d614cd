//! Opening a book by path.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use chessdb::book::{BIN_FILE, Book, BookFormat, CTB_FILE, CTG_FILE, CTO_FILE};
use chessdb::core::{Error, MemorySet, ReadOptions, Scratch};
use chessdb::formats::shown;

use crate::exit::Failure;
use crate::findings::{Finding, FindingLog};

/// The number of bytes that decide whether a file is a book.
const START: u64 = 1 << 20;

/// The files of a book in memory.
pub(crate) struct BookFile {
    path: PathBuf,
    set: MemorySet,
    /// The files with their sizes, the main one first.
    pub(crate) files: Vec<(PathBuf, u64)>,
}

impl BookFile {
    /// Reads the files of a book: the named one, and for CTG those next to it with the same name.
    /// The name of any of these means the book.
    pub(crate) fn read(path: &Path) -> Result<BookFile, Failure> {
        let end = path.extension().unwrap_or_default();
        let is_part = [CTO_FILE, CTB_FILE]
            .iter()
            .any(|role| end.eq_ignore_ascii_case(role.0));
        let main = next_to(path, CTG_FILE.0).filter(|_| is_part);
        let path = main.as_deref().unwrap_or(path);
        let failed = |error: std::io::Error| {
            Failure::Input(match error.kind() {
                std::io::ErrorKind::NotFound => format!("{}: no such file", shown(path)),
                _ => format!("{}: {error}", shown(path)),
            })
        };
        if !fs::metadata(path).map_err(failed)?.is_file() {
            let message = format!("{}: not a file; name the file of a book", shown(path));
            return Err(Failure::Input(message));
        }
        let bytes = fs::read(path).map_err(failed)?;
        // A Polyglot book has no magic number, so its extension decides where the content does not.
        let is_bin = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case(BIN_FILE.0));
        let format = BookFormat::of_content(&bytes);
        let Some(format) = format.or(is_bin.then_some(BookFormat::Polyglot)) else {
            let name = shown(path);
            let message = format!(
                "{name}: not an opening book (.ctg, Polyglot .bin or .abk); for games see `chessdb help`"
            );
            return Err(Failure::Input(message));
        };
        let mut book = BookFile {
            path: path.to_owned(),
            set: MemorySet::new(),
            files: vec![(path.to_owned(), bytes.len() as u64)],
        };
        let mut roles = format.roles().iter();
        if let Some(&main) = roles.next() {
            book.set.insert(main, bytes);
        }
        for &role in roles {
            let Some(path) = next_to(path, role.0) else {
                continue;
            };
            let bytes = fs::read(&path)
                .map_err(|error| Failure::Input(format!("{}: {error}", shown(&path))))?;
            book.files.push((path, bytes.len() as u64));
            book.set.insert(role, bytes);
        }
        Ok(book)
    }

    /// Opens the book. Findings are collected.
    pub(crate) fn open(&self, scratch: &mut Scratch) -> Result<Book<'_>, Failure> {
        let book = Book::open(&self.set, ReadOptions::default(), scratch);
        book.map_err(|error| self.failure(&error))
    }

    /// Returns the failure of a book that cannot be read.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        Failure::Input(format!("{}: {error}", self.name()))
    }

    /// Returns the path as it is shown.
    pub(crate) fn name(&self) -> String {
        shown(&self.path).to_string()
    }

    /// Reports findings with data loss, and returns whether there are any.
    pub(crate) fn report(&self, scratch: &Scratch) -> bool {
        let mut log = FindingLog::from_name(self.name());
        log.add_all(Finding::lost(&scratch.diagnostics));
        log.finish() + u64::from(scratch.dropped_diagnostics) > 0
    }
}

/// Returns the file with the same name and this extension, in any capitals.
fn next_to(path: &Path, extension: &str) -> Option<PathBuf> {
    let exact = path.with_extension(extension);
    if exact.is_file() {
        return Some(exact);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let wanted = exact.file_name()?;
    let names = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let mut names = names.map(|entry| entry.file_name());
    let name = names.find(|name| name.eq_ignore_ascii_case(wanted))?;
    Some(path.with_file_name(name)).filter(|path| path.is_file())
}

/// Returns whether a path is a file with an opening book.
pub(crate) fn is_book(path: &Path) -> bool {
    if !fs::metadata(path).is_ok_and(|data| data.is_file()) {
        return false;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    read.is_ok() && BookFormat::of_content(&start).is_some()
}
