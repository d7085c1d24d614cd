//! The changes of a database since its index was written: a file next to the index, so that the
//! index stays right after a change in place (docs/formats/chessdb-changes.md).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::stamps::{FileStamp, bytes_at};
use super::{index_files, plain_file};

const MAGIC: &[u8; 16] = b"chessdb edits 1\n";
const HEADER_SIZE: usize = 4096;
/// The flags of an index that must not be used, and of texts that are not ASCII among the changes.
const STALE: u32 = 1;
const NEW_LETTERS: u32 = 2;
const STAMPS_OFFSET: usize = 56;
const CHECKSUM_OFFSET: usize = HEADER_SIZE - 4;
/// Maximum number of files of a database; no format has more.
const MAX_FILES: usize = 64;
/// The length of the fixed part of an entry: number and length of its data.
const ENTRY_SIZE: usize = 8;

/// The limits of the list. The games in it are read by every search, so with more of them it is
/// better to write the index again.
const MAX_BYTES: usize = 8 << 20;
const MAX_GAMES: usize = 1 << 14;

/// The reason to refuse an index whose database has changed.
pub(crate) const CHANGED: &str = "the database has changed since it was built";

/// A game that was changed after the index was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedGame {
    /// The number of the game, from 0.
    pub number: u32,
    /// What the index and the tree file must know about its version when they were written. Empty
    /// if they contain nothing that has changed, and only its text has another length.
    pub data: Vec<u8>,
}

impl ChangedGame {
    /// Returns a game of which an index contains nothing that has changed, except for the place of
    /// the games after it.
    pub fn moved(number: u32) -> ChangedGame {
        ChangedGame {
            number,
            data: Vec::new(),
        }
    }
}

/// The changes of a database since its index was written.
#[derive(Debug)]
pub struct IndexChanges {
    /// The current state of the files of the database.
    pub stamps: Vec<FileStamp>,
    /// The changed games, by number. Games that were added are not among them.
    pub games: Vec<ChangedGame>,
    /// Whether texts that are not ASCII were added or removed.
    pub has_new_letters: bool,
}

/// What identifies an index: its last four bytes, which are a checksum, and its length.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct IndexId {
    /// The last four bytes.
    pub checksum: [u8; 4],
    /// The length in bytes.
    pub length: u64,
}

/// Returns the path of the changes since the index was written, for a database with this main file.
pub fn index_changes_path(main: &Path) -> PathBuf {
    let mut name = OsString::from(main);
    name.push(".chessdb-changes");
    name.into()
}

impl IndexChanges {
    /// Reads the changes since this index was written. `None` if there are none.
    ///
    /// # Errors
    ///
    /// Returns the reason why the index must not be used.
    pub fn read(main: &Path, index: IndexId) -> Result<Option<IndexChanges>, String> {
        let list = ChangeList::read(main).map_err(|error| error.to_string())?;
        let Some(list) = list.filter(|list| list.index == index) else {
            return Ok(None);
        };
        if list.is_stale {
            return Err(CHANGED.to_owned());
        }
        Ok(Some(IndexChanges {
            games: list
                .games
                .into_iter()
                .map(|(number, data)| ChangedGame { number, data })
                .collect(),
            stamps: list.stamps,
            has_new_letters: list.has_new_letters,
        }))
    }
}

/// The content of the file of changes.
#[derive(Clone, Default, Debug)]
pub(super) struct ChangeList {
    /// Whether the index must not be used any more.
    pub(super) is_stale: bool,
    /// Whether texts that are not ASCII were added or removed.
    pub(super) has_new_letters: bool,
    /// The index that it belongs to.
    pub(super) index: IndexId,
    /// The checksum of the journal of the last change, which only that change can undo.
    pub(super) journal: u32,
    pub(super) stamps: Vec<FileStamp>,
    games: BTreeMap<u32, Vec<u8>>,
    /// The length of the entries in the file, and their checksum.
    length: usize,
    checksum: u32,
}

impl ChangeList {
    /// Returns an empty list for the index of a database with this main file; `None` if it has no
    /// index.
    pub(super) fn of_index(main: &Path) -> io::Result<Option<ChangeList>> {
        let [index, _] = index_files(main);
        let mut file = match plain_file::open(&index) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        let mut start = vec![0; HEADER_SIZE];
        let mut checksum = [0; 4];
        file.read_exact(&mut start)?;
        file.seek(SeekFrom::End(-4))?;
        file.read_exact(&mut checksum)?;
        // The header of the index (docs/formats/chessdb-index.md, section 1).
        let stamps = start.get(72..).unwrap_or_default();
        let count = u32::from_le_bytes(bytes_at(&start, 20)) as usize;
        Ok(Some(ChangeList {
            index: IndexId { checksum, length },
            stamps: stamps_in(stamps, count),
            ..ChangeList::default()
        }))
    }

    /// Returns the list of an index that must not be used.
    pub(super) fn stale(self) -> ChangeList {
        ChangeList {
            is_stale: true,
            ..self
        }
    }

    /// Reads the list of a database with this main file. `None` if there is none. A damaged list
    /// belongs to any index, which must not be used.
    pub(super) fn read(main: &Path) -> io::Result<Option<ChangeList>> {
        let file = match plain_file::open(&index_changes_path(main)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take((HEADER_SIZE + MAX_BYTES) as u64)
            .read_to_end(&mut bytes)?;
        let list = ChangeList::parse(&bytes);
        list.map(Some)
            .ok_or_else(|| io::Error::other("its list of changes is damaged"))
    }

    fn parse(bytes: &[u8]) -> Option<ChangeList> {
        let (header, entries) = bytes.split_at_checked(HEADER_SIZE)?;
        let number = |offset| u32::from_le_bytes(bytes_at(header, offset));
        let long = |offset| u64::from_le_bytes(bytes_at(header, offset));
        let is_intact = header.starts_with(MAGIC)
            && crc32fast::hash(header.get(..CHECKSUM_OFFSET)?) == number(CHECKSUM_OFFSET);
        let mut entries = entries.get(..usize::try_from(long(40)).ok()?)?;
        let checksum = number(48);
        if !is_intact || crc32fast::hash(entries) != checksum {
            return None;
        }
        let mut list = ChangeList {
            is_stale: number(16) & STALE != 0,
            has_new_letters: number(16) & NEW_LETTERS != 0,
            index: IndexId {
                checksum: bytes_at(header, 20),
                length: long(24),
            },
            journal: number(36),
            stamps: stamps_in(header.get(STAMPS_OFFSET..)?, number(32) as usize),
            games: BTreeMap::new(),
            length: entries.len(),
            checksum,
        };
        while !entries.is_empty() {
            let (start, rest) = entries.split_first_chunk::<ENTRY_SIZE>()?;
            let length = u32::from_le_bytes(bytes_at(start, 4)) as usize;
            let (data, rest) = rest.split_at_checked(length)?;
            // An entry with data follows one without, never another one with data.
            list.games
                .insert(u32::from_le_bytes(bytes_at(start, 0)), data.to_vec());
            entries = rest;
        }
        Some(list)
    }

    /// Adds games and writes the list. What it states about a game when the index was written stays.
    pub(super) fn write(&mut self, main: &Path, games: &[ChangedGame]) -> io::Result<()> {
        let mut entries = Vec::new();
        for ChangedGame { number, data } in games {
            let is_listed = self.games.get(number);
            if self.is_stale || is_listed.is_some_and(|old| !old.is_empty() || data.is_empty()) {
                continue;
            }
            entries.extend(number.to_le_bytes());
            entries.extend((data.len() as u32).to_le_bytes());
            entries.extend(data);
            self.games.insert(*number, data.clone());
        }
        self.is_stale |= self.length + entries.len() > MAX_BYTES || self.games.len() > MAX_GAMES;
        let mut options = OpenOptions::new();
        let path = index_changes_path(main);
        let is_new = fs::symlink_metadata(&path).is_err();
        let mut file =
            plain_file::open_with(options.write(true).create(true).truncate(false), &path)?;
        if is_new && cfg!(unix) {
            // Like the index, it gets the permissions of the database.
            file.set_permissions(fs::metadata(main)?.permissions())?;
        }
        // The header counts the entries, so it comes last.
        if !self.is_stale && !entries.is_empty() {
            file.seek(SeekFrom::Start((HEADER_SIZE + self.length) as u64))?;
            file.write_all(&entries)?;
            let mut sum = crc32fast::Hasher::new_with_initial(self.checksum);
            sum.update(&entries);
            self.checksum = sum.finalize();
            self.length += entries.len();
        }
        self.write_header(&mut file)
    }

    /// Writes the list without new games.
    pub(super) fn rewrite(&self, main: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let path = index_changes_path(main);
        self.write_header(&mut plain_file::open_with(options.write(true), &path)?)
    }

    fn write_header(&self, file: &mut File) -> io::Result<()> {
        let mut header = MAGIC.to_vec();
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let flags = flag(self.is_stale, STALE) | flag(self.has_new_letters, NEW_LETTERS);
        header.extend(flags.to_le_bytes());
        header.extend(self.index.checksum);
        header.extend(self.index.length.to_le_bytes());
        header.extend((self.stamps.len() as u32).to_le_bytes());
        header.extend(self.journal.to_le_bytes());
        header.extend((self.length as u64).to_le_bytes());
        header.extend(self.checksum.to_le_bytes());
        header.resize(STAMPS_OFFSET, 0);
        for stamp in self.stamps.iter().take(MAX_FILES) {
            stamp.write(&mut header);
        }
        header.resize(CHECKSUM_OFFSET, 0);
        let sum = crc32fast::hash(&header);
        header.extend(sum.to_le_bytes());
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header)
    }
}

fn stamps_in(bytes: &[u8], count: usize) -> Vec<FileStamp> {
    let (stamps, _) = bytes.as_chunks::<{ FileStamp::SIZE }>();
    stamps
        .iter()
        .take(count.min(MAX_FILES))
        .map(FileStamp::read)
        .collect()
}
