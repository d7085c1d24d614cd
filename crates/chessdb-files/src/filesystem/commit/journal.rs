//! The journal of a commit: the intended changes to a set of files, written before the first of
//! them is renamed (docs/decisions/0014-commit-journal.md).
//!
//! The journal consists of lines of text that end with LF:
//!
//! ```text
//! chessdb journal 1
//! 1234:89abcdef 2345:01234567 base.sg4
//! - 2345:01234567 base.sn4
//! 99:00000000 - base.emb
//! end 9f8e7d6c
//! ```
//!
//! Each line has the old state of a file, its new state and its name; `-` means that there is no
//! file. The state is the length in bytes and the CRC-32. Names are percent-encoded and have no
//! folder: all files are in the folder of the journal.
//!
//! The last line has the CRC-32 of all lines before it. Changes in place have another journal
//! ([`kept_journal`](super::kept_journal)).

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::file_change::FileChange;
use super::kept_journal::{self, AFTER, BEFORE, ChangeLog, Soundness};
use crate::filesystem::plain_file;
use crate::paths::{same_name, split};
use crate::system::{bytes_of, name_of};

/// The suffix of a file's hidden name while it is being written.
pub const WRITING: &str = ".chessdb-new";
/// The suffix of an old file's hidden name until its set is replaced completely.
pub(crate) const REPLACED: &str = ".chessdb-old";
/// The suffix of the lock file, which excludes a second writer.
pub const LOCK: &str = ".chessdb-lock";
/// The suffix of a journal, which is named after the file that names the database.
pub(crate) const JOURNAL: &str = ".chessdb-journal";
/// The suffix of a journal while it is being written.
pub(crate) const DRAFT: &str = ".chessdb-draft";

const FIRST_LINE: &str = "chessdb journal 1";

/// The largest journal that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// Returns the path of `.name` + suffix in the same folder, and thus in the same file system.
pub fn hidden(target: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(suffix);
    target.with_file_name(name)
}

/// Returns whether an error means that nothing can be changed here, rather than a temporary
/// failure.
pub(crate) fn is_read_only(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// Length and checksum that identify the content of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fingerprint {
    bytes: u64,
    crc: u32,
}

impl Fingerprint {
    /// Returns the seal of a plain file, or `None` if there is nothing with that name. Anything
    /// else is an error.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Fingerprint>> {
        match fs::symlink_metadata(path) {
            Ok(data) if data.is_file() => {}
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        Fingerprint::read_rest(&mut plain_file::open(path)?).map(Some)
    }

    /// Returns the seal of these bytes.
    pub(crate) fn new(bytes: &[u8]) -> Fingerprint {
        Fingerprint {
            bytes: bytes.len() as u64,
            crc: crc32fast::hash(bytes),
        }
    }

    /// Returns the seal of the part of a file that has not been read.
    pub(crate) fn read_rest(file: &mut impl Read) -> io::Result<Fingerprint> {
        let mut buffer = vec![0; 256 << 10];
        let (mut bytes, mut sum) = (0, crc32fast::Hasher::new());
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    bytes += count as u64;
                    sum.update(buffer.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let crc = sum.finalize();
        Ok(Fingerprint { bytes, crc })
    }

    /// Returns the length of the file in bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes
    }

    /// Returns the CRC-32.
    pub(super) fn crc(self) -> u32 {
        self.crc
    }

    pub(crate) fn parse(word: &str) -> Option<Option<Fingerprint>> {
        if word == "-" {
            return Some(None);
        }
        let (bytes, crc) = word.split_once(':')?;
        let bytes = bytes.parse().ok()?;
        let crc = u32::from_str_radix(crc, 16).ok()?;
        Some(Some(Fingerprint { bytes, crc }))
    }

    pub(crate) fn word(self) -> String {
        let Fingerprint { bytes, crc } = self;
        format!("{bytes}:{crc:08x}")
    }
}

/// Old and new state of a file of the set. At least one of them is `Some`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JournalEntry {
    /// The final path.
    pub(crate) target: PathBuf,
    pub(crate) old: Option<Fingerprint>,
    pub(crate) new: Option<Fingerprint>,
}

impl JournalEntry {
    /// Returns the words of its line in a journal, without the name.
    pub(super) fn words(&self) -> String {
        let word = |seal: Option<Fingerprint>| seal.map_or("-".to_owned(), Fingerprint::word);
        format!("{} {}", word(self.old), word(self.new))
    }
}

/// A planned commit, in the order of its steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Journal {
    /// The final path of the file that names the database.
    pub(crate) main: PathBuf,
    /// Files that are replaced.
    pub(crate) entries: Vec<JournalEntry>,
    /// Files that are changed in place. The file that counts the games comes last.
    pub(crate) changes: Vec<FileChange>,
    /// Set if the journal stays when the commit is complete, so that it can be undone.
    pub(crate) kept: Option<KeptState>,
}

/// What a journal that stays knows about its change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KeptState {
    pub(crate) log: ChangeLog,
    pub(crate) soundness: Soundness,
    /// Whether old and new are exchanged, because the change is being undone.
    pub(crate) is_reversed: bool,
}

/// Returns the path of the file that names the database of a journal with this suffix, or `None` if
/// the file has another name.
pub(crate) fn main_of(journal: &Path, suffix: &str) -> Option<PathBuf> {
    let name = bytes_of(journal.file_name()?)?;
    let main = name.strip_prefix(b".")?.strip_suffix(suffix.as_bytes())?;
    let main = name_of(main.to_vec()).filter(|main| !main.is_empty())?;
    Some(journal.with_file_name(main))
}

impl Journal {
    /// Returns the path of the journal.
    pub(crate) fn path(&self) -> PathBuf {
        match self.kept {
            Some(_) => kept_journal::path(&self.main),
            None => hidden(&self.main, JOURNAL),
        }
    }

    /// Returns the hidden path of a new file before it replaces its target.
    pub(crate) fn new_path(&self, target: &Path) -> PathBuf {
        let suffix = match self.kept.as_ref().map(|kept| kept.is_reversed) {
            None => WRITING,
            Some(false) => AFTER,
            Some(true) => BEFORE,
        };
        hidden(target, suffix)
    }

    /// Returns the hidden path of an old file after it was replaced.
    pub(crate) fn old_path(&self, target: &Path) -> PathBuf {
        let suffix = match self.kept.as_ref().map(|kept| kept.is_reversed) {
            None => REPLACED,
            Some(false) => BEFORE,
            Some(true) => AFTER,
        };
        hidden(target, suffix)
    }

    /// Returns the journal of the commit that undoes this one.
    pub(crate) fn reversed(&self) -> Journal {
        let swap = |entry: &JournalEntry| JournalEntry {
            target: entry.target.clone(),
            old: entry.new,
            new: entry.old,
        };
        let mut kept = self.kept.clone();
        if let Some(state) = &mut kept {
            state.is_reversed = !state.is_reversed;
        }
        Journal {
            main: self.main.clone(),
            entries: self.entries.iter().map(swap).collect(),
            changes: self.changes.iter().map(FileChange::reversed).collect(),
            kept,
        }
    }

    /// Returns the journal as text. Fails for names that the operating system cannot represent as
    /// text.
    pub(crate) fn text(&self) -> io::Result<String> {
        let mut text = format!("{FIRST_LINE}\n");
        for entry in &self.entries {
            let _ = write!(text, "{} ", entry.words());
            push_name(&entry.target, &mut text)?;
        }
        let crc = crc32fast::hash(text.as_bytes());
        let _ = writeln!(text, "end {crc:08x}");
        Ok(text)
    }

    /// Reads the journal of an unfinished commit of the database that `main` names. Returns `None`
    /// if there is none, and an error of the kind `InvalidData` if it is damaged.
    pub(crate) fn read(main: &Path) -> io::Result<Option<Journal>> {
        let file = match plain_file::open(&hidden(main, JOURNAL)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return kept_journal::read_unfinished(main);
            }
            Err(error) => return Err(error),
        };
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text)?;
        Journal::parse(main, &text)
            .ok_or(io::ErrorKind::InvalidData.into())
            .map(Some)
    }

    pub(crate) fn parse(main: &Path, text: &str) -> Option<Journal> {
        let lines = text.strip_suffix('\n')?;
        let (lines, last) = lines.rsplit_once('\n')?;
        let crc = u32::from_str_radix(last.strip_prefix("end ")?, 16).ok()?;
        if crc32fast::hash(text.get(..=lines.len())?.as_bytes()) != crc {
            return None;
        }
        let mut lines = lines.split('\n');
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        Some(Journal {
            main: main.to_owned(),
            entries: lines.map(|line| entry(main, line)).collect::<Option<_>>()?,
            changes: Vec::new(),
            kept: None,
        })
    }

    /// Returns whether this journal concerns the database with this name, which is the stem or a
    /// file of the set, ignoring case.
    pub(crate) fn concerns(&self, name: &OsStr) -> bool {
        let files = self.targets().filter_map(Path::file_name);
        concerns(&self.main, name) || files.into_iter().any(|file| same_name(file, name))
    }

    /// Returns the final paths of the files.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Path> {
        let changes = self.changes.iter().map(|change| change.target.as_path());
        let entries = self.entries.iter().map(|entry| entry.target.as_path());
        entries.chain(changes)
    }
}

/// Returns whether a journal concerns a name like [`Journal::concerns`], judged only by the name of
/// the journal.
pub(crate) fn concerns(main: &Path, name: &OsStr) -> bool {
    let main = main.file_name().unwrap_or_default();
    same_name(main, name) || same_name(split(main).0, name)
}

/// Parses the line of a file.
///
/// Files that are not named like the database are rejected, regardless of who wrote the journal:
/// nothing else is ever renamed or removed on its behalf.
pub(super) fn entry(main: &Path, line: &str) -> Option<JournalEntry> {
    let mut words = line.split(' ');
    let (old, new) = (
        Fingerprint::parse(words.next()?)?,
        Fingerprint::parse(words.next()?)?,
    );
    let target = target(main, words.next()?)?;
    let is_valid = words.next().is_none() && (old.is_some() || new.is_some());
    is_valid.then_some(JournalEntry { target, old, new })
}

/// Returns the final path of a file with this name if it belongs to the database.
pub(super) fn target(main: &Path, word: &str) -> Option<PathBuf> {
    let name = name_of(decoded(word)?)?;
    let stem = |name| split(name).0;
    let ours = same_name(stem(&name), stem(main.file_name()?)) && is_plain(&name);
    ours.then(|| main.with_file_name(name))
}

/// Appends the encoded name of a file and the end of the line.
pub(super) fn push_name(target: &Path, text: &mut String) -> io::Result<()> {
    let name = target.file_name().and_then(bytes_of);
    push_encoded(name.ok_or(io::ErrorKind::InvalidFilename)?, text);
    text.push('\n');
    Ok(())
}

/// Appends bytes as one word of ASCII.
pub(super) fn push_encoded(bytes: &[u8], text: &mut String) {
    for &byte in bytes {
        match byte {
            b'%' | 0..=b' ' | 0x7F.. => {
                let _ = write!(text, "%{byte:02x}");
            }
            byte => text.push(char::from(byte)),
        }
    }
}

/// Returns whether this is a bare file name.
fn is_plain(name: &OsStr) -> bool {
    Path::new(name).file_name() == Some(name)
}

/// Returns the bytes that [`push_encoded`] wrote as this word.
pub(super) fn decoded(word: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        bytes.push(match byte {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
