//! The index file: its path, and its match with the database.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use chessdb_core::FileSet;
use chessdb_core::files::{GameOffsets, SharedBytes};
use chessdb_core::limits::Limits;
use chessdb_files::files::Files;
use chessdb_files::filesystem::FoundDatabase;
#[cfg(all(feature = "mmap", unix))]
use chessdb_files::filesystem::mapped;

use super::layout::{COUNTS_SIZE, FileStamp};
use super::read::Index;

/// Number and size of the samples of a large file that are always compared: one at its start, one
/// at its end, and the others evenly between them.
const SAMPLES: u64 = 32;
const SAMPLE_SIZE: u64 = 8 << 10;

/// The state of the index file of a database.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum IndexUse {
    /// There is no index.
    #[default]
    None,
    /// The index is used, and all data used so far is intact.
    Used,
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
    let mut name = OsString::from(main);
    name.push(".chessdb-index");
    name.into()
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

    /// Refuses the index if the database has a different number of games.
    pub(crate) fn of_games(self, games: u32) -> FoundIndex {
        match self {
            FoundIndex::Index(path, index) if index.games() != games => {
                FoundIndex::Refused(path, "it has a different number of games".to_owned())
            }
            same => same,
        }
    }

    /// Returns the offsets of the games, if the index contains them.
    pub(crate) fn game_offsets(&self, limits: &Limits) -> Option<GameOffsets> {
        match self {
            FoundIndex::Index(_, index) if has_default_limits(limits) => {
                index.game_offsets().cloned()
            }
            _ => None,
        }
    }

    /// Returns the part that the open database keeps.
    pub(crate) fn finish(self) -> OpenIndex {
        match self {
            FoundIndex::None => OpenIndex::default(),
            FoundIndex::Index(path, index) => OpenIndex {
                index: Some(index),
                indexed: IndexUse::Used,
                damaged: IndexUse::Damaged(path),
            },
            FoundIndex::Refused(path, why) => OpenIndex::none(IndexUse::Refused(path, why)),
        }
    }
}

/// Returns whether the size limit for games is the default, which also limits the text before a
/// game and so determines where games begin.
pub(crate) fn has_default_limits(limits: &Limits) -> bool {
    limits.game_bytes == Limits::default().game_bytes
}

/// Returns the bytes of an index; `None` if there is none. Reads no more than the length in its
/// header.
fn read_bytes(path: &Path) -> std::result::Result<Option<SharedBytes>, String> {
    let message = |error: std::io::Error| error.to_string();
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => return Err("it is not a file".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(message)?,
    };
    let mut file = File::open(path).map_err(message)?;
    let mut bytes = Vec::new();
    let start = (&mut file).take(COUNTS_SIZE as u64).read_to_end(&mut bytes);
    start.map_err(message)?;
    let length = Index::length(&bytes)?;
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
    let Some(bytes) = read_bytes(path)? else {
        return Ok(None);
    };
    let index = Index::parse(bytes)?;
    let known: Vec<FileStamp> = index.stamps().collect();
    let now = stamps(files, false).map_err(|error| error.to_string())?;
    let same = |(known, now): (&FileStamp, &FileStamp)| {
        known.role == now.role && known.size == now.size && known.parts == now.parts
    };
    if known.len() != now.len() || !known.iter().zip(&now).all(same) {
        return Err("the database has changed since it was built".to_owned());
    }
    // Modification times also differ if the database was copied.
    let is_touched = |(known, now): (&FileStamp, &FileStamp)| known.time != now.time;
    if known.iter().zip(&now).any(is_touched) {
        let now = stamps(files, true).map_err(|error| error.to_string())?;
        let same = |(known, now): (&FileStamp, &FileStamp)| known.whole == now.whole;
        if !known.iter().zip(&now).all(same) {
            return Err("the database has changed since it was built".to_owned());
        }
    }
    Ok(Some(index))
}

/// Returns the main file of the database.
pub(crate) fn main_of(files: &Files) -> Option<&Path> {
    files.iter().next().map(|(_, path, _)| path)
}

/// Returns the current stamps of the files; `whole` requests the checksum of each whole file.
pub(crate) fn stamps(files: &Files, whole: bool) -> std::io::Result<Vec<FileStamp>> {
    let each = files.iter().map(|(role, path, size)| {
        let bytes = files.get(role).unwrap_or_default();
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
            size,
            time,
            whole: if whole { crc32fast::hash(bytes) } else { 0 },
            parts: parts(bytes),
        })
    });
    each.collect()
}

/// Returns the checksum of samples of a file, or of a whole small file.
fn parts(bytes: &[u8]) -> u32 {
    let size = bytes.len() as u64;
    if size <= SAMPLES * SAMPLE_SIZE {
        return crc32fast::hash(bytes);
    }
    let mut hasher = crc32fast::Hasher::new();
    for n in 0..SAMPLES {
        let start = ((size - SAMPLE_SIZE) / (SAMPLES - 1) * n).min(size - SAMPLE_SIZE);
        // The last sample ends at the end of the file.
        let start = if n + 1 == SAMPLES {
            size - SAMPLE_SIZE
        } else {
            start
        };
        let bytes_at = bytes.get(start as usize..).unwrap_or_default();
        hasher.update(bytes_at.get(..SAMPLE_SIZE as usize).unwrap_or_default());
    }
    hasher.finalize()
}
