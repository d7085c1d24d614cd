//! The index file: its path, and its match with the database.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use chessdb_core::files::{GameOffsets, Role, SharedBytes};
use chessdb_core::limits::Limits;
use chessdb_core::{FileSet, GameStore, ReadOptions};
use chessdb_files::files::Files;
#[cfg(all(feature = "mmap", unix))]
use chessdb_files::filesystem::mapped;
use chessdb_files::filesystem::{FoundDatabase, index_files};

use super::layout::COUNTS_SIZE;
use super::read::Index;
use super::stamps::{FileStamp, checksum, counting, parts, stamped};

/// The roles of files whose first bytes do not change when games are appended.
const CAN_GROW: [&str; 5] = ["pgn", "si4", "sg4", "si5", "sg5"];

/// The minimum length of an index from which columns are copied. All pages of a smaller one are mapped
/// at once.
#[cfg(all(feature = "mmap", unix))]
const LEAST_COPIED: usize = 64 << 20;

/// The state of the index file of a database.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum IndexUse {
    /// There is no index.
    #[default]
    None,
    /// The index is used, and all data used so far is intact.
    Used,
    /// The index at this path is used for this number of games. The database has grown since it was
    /// written; later games are read.
    Partial(PathBuf, u32),
    /// The index at this path is used, but some of the data used so far is damaged; games concerned
    /// are read instead.
    Damaged(PathBuf),
    /// The index at this path is not used, for this reason.
    Refused(PathBuf, String),
}

/// The index of an open database, if used, and its state.
#[derive(Default, Debug)]
pub(crate) struct OpenIndex {
    index: Option<Arc<Index>>,
    /// The state at opening, and the state to report if the index is found to be damaged.
    indexed: IndexUse,
    damaged: IndexUse,
}

impl OpenIndex {
    /// Creates the state of an index that is not used or does not exist.
    pub(crate) fn none(indexed: IndexUse) -> OpenIndex {
        OpenIndex {
            indexed,
            ..OpenIndex::default()
        }
    }

    pub(crate) fn index(&self) -> Option<&Arc<Index>> {
        self.index.as_ref()
    }

    pub(crate) fn indexed(&self) -> &IndexUse {
        match &self.index {
            Some(index) if index.is_damaged() => &self.damaged,
            _ => &self.indexed,
        }
    }
}

/// The result of looking for the index of a database.
#[derive(Debug)]
pub(crate) enum FoundIndex {
    /// There is no index, or the database is not in plain files.
    None,
    /// A valid index of this database.
    Index(PathBuf, Arc<Index>),
    /// An index at this path that is damaged or not of this database, and the reason.
    Refused(PathBuf, String),
}

/// Returns the path of the index, next to the main file of the database. `None` for packed files
/// and pipes.
pub fn index_path(found: &FoundDatabase) -> Option<PathBuf> {
    match found.is_packed() || found.is_pipe() {
        true => None,
        false => found.files().first().map(|(_, path)| index_path_of(path)),
    }
}

/// Returns the path of the index of a database with this main file.
pub(crate) fn index_path_of(main: &Path) -> PathBuf {
    let [index, _] = index_files(main);
    index
}

impl FoundIndex {
    /// Looks for the index of the database in these files.
    pub(crate) fn read(files: &Files) -> FoundIndex {
        let Some(path) = main_of(files)
            .filter(|_| are_on_disk(files))
            .map(index_path_of)
        else {
            return FoundIndex::None;
        };
        match read(&path, files) {
            Ok(Some(index)) => FoundIndex::Index(path, Arc::new(index)),
            Ok(None) => FoundIndex::None,
            Err(why) => FoundIndex::Refused(path, why),
        }
    }

    /// Returns the options for opening the database, with what the index knows about it, and whether
    /// the comments are known to be ASCII.
    pub(crate) fn options(&self, files: &Files, mut options: ReadOptions) -> (ReadOptions, bool) {
        match self {
            FoundIndex::Index(_, index)
                if is_of_all(&index.stamps().collect::<Vec<_>>(), files) =>
            {
                let limits = has_default_limits(&options.limits);
                options.game_offsets = index.game_offsets().filter(|_| limits).cloned();
                options.known_intact = index.layout().is_clean;
                (options, index.layout().has_ascii_comments)
            }
            _ => (options, false),
        }
    }

    /// Returns the part that the open database keeps.
    pub(crate) fn finish(self, files: &Files, store: &dyn GameStore) -> OpenIndex {
        let (games, offsets) = (store.len(), store.details().game_offsets);
        match self {
            FoundIndex::None => OpenIndex::default(),
            FoundIndex::Index(path, index) if !index.fits(files, games, offsets) => {
                let why = "it has a different number of games".to_owned();
                OpenIndex::none(IndexUse::Refused(path, why))
            }
            FoundIndex::Index(path, index) => OpenIndex {
                indexed: match index.games() < games {
                    true => IndexUse::Partial(path.clone(), index.games()),
                    false => IndexUse::Used,
                },
                index: Some(index),
                damaged: IndexUse::Damaged(path),
            },
            FoundIndex::Refused(path, why) => OpenIndex::none(IndexUse::Refused(path, why)),
        }
    }
}

/// The reason for which most indexes are refused.
const CHANGED: &str = "the database has changed since it was built";

impl Index {
    /// Returns whether an index with the stamps of these files covers all games, or the first games
    /// of a database that grew.
    fn fits(&self, files: &Files, games: u32, offsets: Option<&GameOffsets>) -> bool {
        match is_of_all(&self.stamps().collect::<Vec<_>>(), files) {
            true => self.games() == games,
            false => self.games() <= games && self.has_same_end(files, offsets),
        }
    }

    /// Returns whether the last game still ends with the same text, in a text file that grew. Only
    /// blanks may follow it.
    fn has_same_end(&self, files: &Files, offsets: Option<&GameOffsets>) -> bool {
        let end = |offsets: &GameOffsets| usize::try_from(offsets.get(self.games())?).ok();
        let role = files.iter().next().map(|(role, ..)| role);
        match (self.game_offsets(), offsets) {
            (Some(before), Some(now)) => {
                let text = role.and_then(|role| files.get(role));
                let range = end(before).zip(end(now)).map(|(before, now)| before..now);
                let added = range.and_then(|range| text?.get(range));
                added.is_some_and(|added| added.iter().all(u8::is_ascii_whitespace))
            }
            // Games of other formats have a length.
            _ => role.is_some_and(|role| role.0 != "pgn"),
        }
    }
}

/// Returns whether the size limit for games is the default, which also limits the text before a
/// game and so determines where games begin.
pub(crate) fn has_default_limits(limits: &Limits) -> bool {
    limits.game_bytes == Limits::default().game_bytes
}

/// Returns the bytes of an index; `None` if there is none. `length` returns the length of an index
/// with a start of `start_size` bytes; no more than that is read.
pub(crate) fn read_bytes(
    path: &Path,
    start_size: usize,
    length: impl FnOnce(&[u8]) -> std::result::Result<u64, &'static str>,
) -> std::result::Result<Option<SharedBytes>, String> {
    let message = |error: std::io::Error| error.to_string();
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => return Err("it is not a file".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(message)?,
    };
    let mut file = File::open(path).map_err(message)?;
    let mut bytes = Vec::new();
    let start = (&mut file).take(start_size as u64).read_to_end(&mut bytes);
    start.map_err(message)?;
    let length = length(&bytes)?;
    if file.metadata().map_err(message)?.len() != length {
        return Err("it is damaged: its length is wrong".to_owned());
    }
    #[cfg(all(feature = "mmap", unix))]
    if let Some(bytes) = mapped(path) {
        return Ok(Some(bytes));
    }
    let rest = file.take(length).read_to_end(&mut bytes);
    rest.map_err(message)?;
    Ok(Some(Arc::new(bytes)))
}

/// Returns whether these files are on disk as plain files with the same lengths as in memory.
pub(crate) fn are_on_disk(files: &Files) -> bool {
    files.iter().all(|(_, path, length)| {
        fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == length)
    })
}

fn read(path: &Path, files: &Files) -> std::result::Result<Option<Index>, String> {
    let Some(bytes) = read_bytes(path, COUNTS_SIZE, Index::length)? else {
        return Ok(None);
    };
    #[cfg(all(feature = "mmap", unix))]
    let file = match (*bytes).as_ref().len() >= LEAST_COPIED {
        true => File::open(path).ok(),
        false => None,
    };
    #[cfg(not(all(feature = "mmap", unix)))]
    let file = None;
    let index = Index::parse(bytes, file)?;
    let known: Vec<FileStamp> = index.stamps().collect();
    check_stamps(&known, files)?;
    Ok(Some(index))
}

/// Compares the stamps in an index with the files; returns the reason if they do not belong
/// together. Files that only grew match: the index then covers their first games.
pub(crate) fn check_stamps(known: &[FileStamp], files: &Files) -> std::result::Result<(), String> {
    let changed = || CHANGED.to_owned();
    let now = stamps_of(files, known, false).map_err(|error| error.to_string())?;
    let is_same = |(known, now): (&FileStamp, &FileStamp)| {
        known.role == now.role && known.parts == now.parts && known.size <= now.size
    };
    if known.len() != now.len() || !known.iter().zip(&now).all(is_same) {
        return Err(changed());
    }
    let is_longer = |(role, known): (Role, &FileStamp)| {
        let size = files.get(role).map_or(0, |bytes| bytes.len() as u64);
        size > known.size && !CAN_GROW.contains(&role.0)
    };
    if stamped(files)
        .map(|(role, _)| role)
        .zip(known)
        .any(is_longer)
    {
        return Err(changed());
    }
    // Modification times also differ if the database was copied.
    let is_touched =
        |(known, now): (&FileStamp, &FileStamp)| known.time != now.time || known.size != now.size;
    if known.iter().zip(&now).any(is_touched) {
        let now = stamps_of(files, known, true).map_err(|error| error.to_string())?;
        let is_same = |(known, now): (&FileStamp, &FileStamp)| known.whole == now.whole;
        if !known.iter().zip(&now).all(is_same) {
            return Err(changed());
        }
    }
    Ok(())
}

/// Returns whether the files have the sizes in the stamps, so that the index covers all games.
pub(crate) fn is_of_all(known: &[FileStamp], files: &Files) -> bool {
    let sizes = stamped(files).map(|(role, _)| files.get(role).map_or(0, <[u8]>::len) as u64);
    sizes.eq(known.iter().map(|known| known.size))
}

/// Returns the main file of the database.
pub(crate) fn main_of(files: &Files) -> Option<&Path> {
    files.iter().next().map(|(_, path, _)| path)
}

/// Returns the current stamps of the files; `whole` requests the checksum of each whole file.
pub(crate) fn stamps(files: &Files, whole: bool) -> std::io::Result<Vec<FileStamp>> {
    stamps_of(files, &[], whole)
}

/// Returns the current stamps of the files, with checksums of the first bytes only, as many as the
/// files in `known` have.
fn stamps_of(files: &Files, known: &[FileStamp], whole: bool) -> std::io::Result<Vec<FileStamp>> {
    let mut known = known.iter();
    let each = stamped(files).map(|(role, path)| {
        let all = files.get(role).unwrap_or_default();
        let size = known.next().map_or(u64::MAX, |known| known.size);
        let first = usize::try_from(size).ok().and_then(|size| all.get(..size));
        let bytes = counting(role, first.unwrap_or(all));
        let time = fs::metadata(path)?.modified()?;
        let time = match time.duration_since(UNIX_EPOCH) {
            Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
            Err(before) => {
                let before = before.duration();
                (-(before.as_secs() as i64), before.subsec_nanos())
            }
        };
        Ok(FileStamp {
            role: crc32fast::hash(role.0.as_bytes()),
            size: all.len() as u64,
            time,
            whole: if whole { checksum(&bytes) } else { 0 },
            parts: parts(bytes),
        })
    });
    each.collect()
}
