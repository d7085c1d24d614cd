//! The file of an index: where it lies, whether it is of this base, how it is made.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use chessdb_core::{FileSet, Severity, Signature};

use super::bytes::{Index, Maker, Stamp};
use crate::error::{Error, Problem, Result};
use crate::files::Files;
use crate::fs::Found;
use crate::{Database, Game};

/// The parts of a large file that are compared each time: one at its beginning, one at its end, and others
/// between them.
const PARTS: u64 = 32;
const PART: u64 = 8 << 10;

/// What became of the index beside a base.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Indexed {
    /// There is none.
    None,
    /// Searches use it.
    Used,
    /// It is not used: where it lies, and why.
    Refused(PathBuf, String),
}

/// Where the index of a base lies, or would lie: beside its main file. None of what is no plain file.
pub fn index_path(found: &Found) -> Option<PathBuf> {
    match found.is_packed() || found.is_pipe() {
        true => None,
        false => found.files().first().map(|(_, path)| beside(path)),
    }
}

fn beside(main: &Path) -> PathBuf {
    let mut name = OsString::from(main);
    name.push(".chessdb-index");
    name.into()
}

impl Database {
    /// Uses the index that lies beside the base for searches by [`crate::Scan::filter`], if there is one and
    /// it is of this base. Answers are the same with and without.
    pub fn use_index(&mut self) -> Indexed {
        let Some(path) = self.plain_files().and_then(main_of).map(beside) else {
            return Indexed::None;
        };
        match self.read_index(&path) {
            Ok(None) => Indexed::None,
            Ok(Some(index)) => {
                self.set_index(Arc::new(index));
                Indexed::Used
            }
            Err(why) => Indexed::Refused(path, why),
        }
    }

    /// Writes the index of the base beside it and says where; an old one is replaced when the new one is
    /// complete. `progress` is called from time to time with the number of games that are done.
    ///
    /// # Errors
    ///
    /// A base that is a stream, packed, or not on disk; those of reading it and of the file system.
    pub fn write_index(&self, mut progress: impl FnMut(u32)) -> Result<PathBuf> {
        let files = self.plain_files();
        let files = files.ok_or_else(|| Error::from(Problem::NoNumbers).with_path(self.path()))?;
        let path = main_of(files).map(beside);
        let path = path.ok_or_else(|| Error::from(Problem::NotFound).with_path(self.path()))?;
        let error = |problem: std::io::Error| Error::new(&path, problem);
        let stamps = stamps(files, true).map_err(error)?;
        let mut maker = Maker::new(&stamps);
        let mut done = 0;
        let make = |game: &mut Game, read: Result<()>| {
            // Of a game that is damaged nothing is certain.
            let is_whole = read.is_ok()
                && game.more_diagnostics() == 0
                && game
                    .diagnostics()
                    .iter()
                    .all(|said| said.severity < Severity::Lost);
            is_whole.then(|| Signature::of(game))
        };
        let take = |signature: Option<Signature>| {
            maker.add(signature.as_ref());
            done += 1;
            if done % 4096 == 0 {
                progress(done);
            }
            ControlFlow::Continue(())
        };
        self.each_in_order(make, take)?;
        let bytes = maker.finish();
        let folder = crate::fs::folder_of(&path);
        let mut file = tempfile::Builder::new()
            .prefix(".chessdb-index-")
            .tempfile_in(folder)
            .map_err(error)?;
        file.write_all(&bytes).map_err(error)?;
        file.as_file().sync_all().map_err(error)?;
        // As other new files are: what the base itself may be read by.
        #[cfg(unix)]
        if let Some(rights) = main_of(files).and_then(|main| fs::metadata(main).ok()) {
            file.as_file()
                .set_permissions(rights.permissions())
                .map_err(error)?;
        }
        file.persist(&path).map_err(|kept| error(kept.error))?;
        Ok(path)
    }

    #[cfg(feature = "threads")]
    fn each_in_order<T: Send>(
        &self,
        make: impl Fn(&mut Game, Result<()>) -> T + Sync,
        take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<()> {
        self.scan().map_in_order(make, take).map(|_| ())
    }

    #[cfg(not(feature = "threads"))]
    fn each_in_order<T: Send>(
        &self,
        make: impl Fn(&mut Game, Result<()>) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<()> {
        let visit = |game: &mut Game, read: Result<()>| take(make(game, read));
        self.scan().for_each(visit).map(|_| ())
    }

    /// The files of the base, if they lie on disk as they were read.
    fn plain_files(&self) -> Option<&Files> {
        let files = self.files().filter(|_| self.is_as_written())?;
        let is_plain = |(_, path, length): (_, &Path, u64)| {
            fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == length)
        };
        files.iter().all(is_plain).then_some(files)
    }

    fn read_index(&self, path: &Path) -> std::result::Result<Option<Index>, String> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let files = self.files().ok_or("the base is a stream")?;
        let games = self.len().map_err(|error| error.problem().to_string())?;
        let count = files.iter().count();
        let (length, wanted) = (
            file.metadata().map_err(|error| error.to_string())?.len(),
            Index::length(games, count),
        );
        if length != wanted as u64 {
            return Err("the base has changed since".to_owned());
        }
        let mut bytes = Vec::with_capacity(wanted);
        let read = file.take(length).read_to_end(&mut bytes);
        read.map_err(|error| error.to_string())?;
        let index = Index::parse(bytes, games)?;
        let known: Vec<Stamp> = index.stamps().collect();
        let now = stamps(files, false).map_err(|error| error.to_string())?;
        let same = |(known, now): (&Stamp, &Stamp)| {
            known.role == now.role && known.size == now.size && known.parts == now.parts
        };
        if known.len() != now.len() || !known.iter().zip(&now).all(same) {
            return Err("the base has changed since".to_owned());
        }
        // Times differ of a base that was copied, too.
        if known
            .iter()
            .zip(&now)
            .any(|(known, now)| known.time != now.time)
        {
            let now = stamps(files, true).map_err(|error| error.to_string())?;
            let same = |(known, now): (&Stamp, &Stamp)| known.whole == now.whole;
            if !known.iter().zip(&now).all(same) {
                return Err("the base has changed since".to_owned());
            }
        }
        Ok(Some(index))
    }
}

/// The file beside which the index lies.
fn main_of(files: &Files) -> Option<&Path> {
    files.iter().next().map(|(_, path, _)| path)
}

/// What the files are now; the whole of each is looked at if asked for.
fn stamps(files: &Files, whole: bool) -> std::io::Result<Vec<Stamp>> {
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
        Ok(Stamp {
            role: crc32fast::hash(role.0.as_bytes()),
            size,
            time,
            whole: if whole { crc32fast::hash(bytes) } else { 0 },
            parts: parts(bytes),
        })
    });
    each.collect()
}

/// The checksum of some parts of a file; of a small one, all of it.
fn parts(bytes: &[u8]) -> u32 {
    let size = bytes.len() as u64;
    if size <= PARTS * PART {
        return crc32fast::hash(bytes);
    }
    let mut hasher = crc32fast::Hasher::new();
    for n in 0..PARTS {
        let start = ((size - PART) / (PARTS - 1) * n).min(size - PART);
        // The last one ends where the file does.
        let start = if n + 1 == PARTS { size - PART } else { start };
        let part = bytes.get(start as usize..).unwrap_or_default();
        hasher.update(part.get(..PART as usize).unwrap_or_default());
    }
    hasher.finalize()
}
