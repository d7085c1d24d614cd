//! The files of a base that was found: reading them, whole or as a stream.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb_core::{Format, GameRead, MemorySet, ReadOptions, Role, Score};

use crate::error::{Error, Problem};
use crate::files::{Files, PROBED, judged};
use crate::fs::commit::{PendingCommit, Recovery, is_pending, side_file};
use crate::fs::snapshot::Snapshot;
use crate::packed::{self, Directory, Packing, Progress, Stream, UNPACKED};

/// How many bytes are read of a packed file, which has to be unpacked up to there.
const MOST_PACKED: usize = 1 << 20;

/// From how many bytes on a file is mapped instead of read (docs/decisions/0021-mapped-files.md).
#[cfg(all(feature = "mmap", unix))]
const LEAST_MAPPED: u64 = 64 << 20;

/// From how many bytes on a file is mapped if the system brings all of it into memory at once.
#[cfg(all(feature = "mmap", target_os = "linux"))]
const LEAST_PRESENT: u64 = 1 << 20;
#[cfg(all(feature = "mmap", unix, not(target_os = "linux")))]
const LEAST_PRESENT: u64 = LEAST_MAPPED;

/// Where the bytes of a base come from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Files as they are.
    Plain,
    /// One packed file.
    Packed(Packing),
    /// Members of this archive.
    Archive(PathBuf, Arc<Directory>),
    /// Standard input.
    Stdin,
    /// A pipe with a name, which can be read once.
    Pipe,
}

/// A base that was found, with its format known, and not read yet.
#[derive(Debug)]
pub struct FoundDatabase {
    pub(crate) path: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) files: Vec<(Role, PathBuf)>,
    pub(crate) origin: Origin,
    /// What judging the content already read.
    pub(crate) content: Option<MemorySet>,
    /// What an interrupted writer left.
    pub(crate) pending: PendingCommit,
    /// The files on disk before any was read.
    pub(crate) snapshot: Snapshot,
    /// Whether nobody has looked yet if the content is of this format.
    pub(crate) judge: bool,
    /// Whether a pipe has been read.
    pub(crate) read_before: AtomicBool,
}

impl FoundDatabase {
    /// The path as it was given, or the file it led to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// The files of the base; of a packed one, its name or those of the archive's members.
    pub fn files(&self) -> &[(Role, PathBuf)] {
        &self.files
    }

    /// The files on disk as they were before any was read.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// What was done about earlier runs that were interrupted while they wrote this base.
    pub fn recoveries(&self) -> &[Recovery] {
        &self.pending.recoveries
    }

    /// Bytes on disk, packed as they are; none for a pipe.
    pub fn size(&self) -> Option<u64> {
        let length = |path: &Path| {
            let data = fs::metadata(self.pending.actual(path)).ok()?;
            Some(data.len())
        };
        match &self.origin {
            Origin::Plain => self.files.iter().map(|(_, path)| length(path)).sum(),
            Origin::Packed(_) => length(&self.path),
            Origin::Archive(path, _) => length(path),
            Origin::Stdin | Origin::Pipe => None,
        }
    }

    /// Whether the bytes are there only once and in order.
    pub fn is_pipe(&self) -> bool {
        matches!(self.origin, Origin::Stdin | Origin::Pipe)
    }

    /// Whether a base that was written in its place has not its names yet.
    #[cfg(feature = "query")]
    pub(crate) fn is_pending(&self) -> bool {
        !self.pending.is_plain()
    }

    /// Returns the same database, to be read again.
    pub(crate) fn again(&self) -> FoundDatabase {
        FoundDatabase {
            path: self.path.clone(),
            format: self.format,
            files: self.files.clone(),
            origin: self.origin.clone(),
            content: None,
            pending: self.pending.clone(),
            judge: self.judge,
            read_before: AtomicBool::new(false),
            snapshot: self.snapshot.clone(),
        }
    }

    /// Whether the files have to be unpacked.
    pub fn is_packed(&self) -> bool {
        matches!(self.origin, Origin::Packed(_) | Origin::Archive(..))
    }

    /// The members of an archive that are no files of this base, and so are not read. That an archive
    /// holds something else is no fault of it, but whoever names it may have meant all of it.
    pub fn left_out(&self) -> Vec<PathBuf> {
        match &self.origin {
            // Of an archive of several bases one was chosen.
            Origin::Archive(path, directory) if *path == self.path => {
                let is_ours = |member: &PathBuf| self.files.iter().any(|(_, file)| file == member);
                let mut members = directory.names();
                members.retain(|member| !is_ours(member));
                members
            }
            _ => Vec::new(),
        }
    }

    /// Whether [`FoundDatabase::stream`] works, so that games can be read without the whole base in
    /// memory.
    pub fn can_stream(&self) -> bool {
        self.format.stream.is_some()
    }

    /// Reads the games one after another; `progress` counts the bytes.
    pub fn stream(
        &self,
        options: ReadOptions,
        progress: &Progress,
    ) -> Result<Box<dyn GameRead + Send>, Error> {
        let error = |problem: Problem| Error::new(&self.path, problem);
        let input = self.input(progress)?;
        let stream = self
            .format
            .stream
            .ok_or(Problem::NotStreamed)
            .map_err(error)?;
        stream(input, options).map_err(|cause| error(Problem::Format(cause)))
    }

    /// The bytes of a base that can be read as a stream, unpacked.
    pub(crate) fn input(&self, progress: &Progress) -> Result<Stream<'static>, Error> {
        let error = |problem: Problem| Error::new(&self.path, problem);
        if !self.can_stream() {
            return Err(error(Problem::Packed(
                "this format cannot be read as a stream",
            )));
        }
        let path = self
            .files
            .first()
            .map_or(self.path.as_path(), |(_, path)| path);
        let mut reader = self.reader(path, progress)?;
        if self.judge {
            let role = self.files.first().map_or(Role(""), |(role, _)| *role);
            reader = judged(reader, self.format, role).map_err(error)?;
        }
        Ok(reader)
    }

    /// Hands out pieces of the main file of this size, at most so many, evenly spread; of a packed one
    /// the first, of a pipe none. Each is longer by `overlap`, which the next one begins with. Returns
    /// whether larger pieces would hold nothing more.
    pub(crate) fn pieces(
        &self,
        size: usize,
        overlap: usize,
        most: usize,
        mut each: impl FnMut(&[u8]),
    ) -> Result<bool, Error> {
        let fail = |cause: io::Error| Error::new(&self.path, cause);
        let mut piece = Vec::with_capacity(size + overlap);
        match (&self.origin, self.files.first()) {
            (Origin::Plain, Some((_, path))) => {
                let mut file = File::open(self.pending.actual(path)).map_err(fail)?;
                let length = file.metadata().map_err(fail)?.len();
                let count = length.div_ceil(size as u64);
                let step = count.div_ceil(most as u64).max(1);
                for at in (0..count).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
                    file.seek(SeekFrom::Start(at * size as u64)).map_err(fail)?;
                    read_piece(&mut file, size + overlap, &mut piece).map_err(fail)?;
                    each(&piece);
                }
                return Ok(step == 1);
            }
            (Origin::Stdin | Origin::Pipe, _) => {}
            _ => {
                let mut input = self.input(&Progress::default())?;
                let mut next = Vec::new();
                // Damage is reported when the games are read.
                let mut read = |size, piece: &mut Vec<u8>| {
                    read_piece(&mut input, size, &mut next).is_ok_and(|()| {
                        piece.append(&mut next);
                        !piece.is_empty()
                    })
                };
                let mut is_more = read(size + overlap, &mut piece);
                for _ in 0..MOST_PACKED / size.max(1) {
                    if !is_more {
                        break;
                    }
                    each(&piece);
                    is_more = piece.len() > size;
                    piece.drain(..size.min(piece.len()));
                    is_more = is_more && read(size, &mut piece);
                }
            }
        }
        Ok(true)
    }

    /// Reads all files into memory.
    pub fn read(mut self) -> Result<Files, Error> {
        let content = match self.content.take() {
            Some(content) => content,
            None => self.load(None)?,
        };
        let FoundDatabase {
            path,
            format,
            files,
            pending,
            snapshot,
            ..
        } = self;
        Ok(Files {
            path: Some(path),
            format,
            names: files,
            content,
            recoveries: pending.recoveries,
            snapshot,
        })
    }

    /// All files in memory, unless they are packed, of a base that is being replaced, or larger than so many bytes
    /// and cannot be mapped.
    #[cfg(feature = "query")]
    pub(crate) fn in_memory(&self, most: u64) -> Option<Files> {
        let is_plain = matches!(self.origin, Origin::Plain) && self.pending.is_plain();
        let content = match self.size().filter(|_| is_plain)? {
            size if size <= most => self.load(None).ok()?,
            _ => self.mapped()?,
        };
        Some(Files {
            path: Some(self.path.clone()),
            format: self.format,
            names: self.files.clone(),
            content,
            recoveries: self.pending.recoveries.clone(),
            snapshot: self.snapshot.clone(),
        })
    }

    /// The files if all of them can be mapped.
    #[cfg(all(feature = "query", feature = "mmap", unix))]
    fn mapped(&self) -> Option<MemorySet> {
        let mut content = MemorySet::new();
        for (role, path) in &self.files {
            content.insert_shared(*role, mapped(path)?);
        }
        Some(content)
    }

    #[cfg(all(feature = "query", not(all(feature = "mmap", unix))))]
    fn mapped(&self) -> Option<MemorySet> {
        None
    }

    fn reader(&self, path: &Path, progress: &Progress) -> Result<Stream<'static>, Error> {
        let error = |problem: Problem| Error::new(&self.path, problem);
        let actual = self.pending.actual(path);
        let open = || File::open(actual).map_err(|cause| Error::new(path, cause));
        match &self.origin {
            Origin::Plain => Ok(Box::new(progress.count(open()?))),
            Origin::Packed(packing) => packing
                .undo(Box::new(progress.count(open()?)))
                .map_err(error),
            Origin::Archive(file, directory) => {
                let inner = directory.member(|| File::open(file), path).map_err(error)?;
                // A member that is a database by itself may be packed once more.
                match self.format.required {
                    [_] => packed::open_stream(inner, progress).map_err(error),
                    _ => Ok(Box::new(progress.count(inner))),
                }
            }
            Origin::Stdin | Origin::Pipe => {
                if self.read_before.swap(true, Ordering::Relaxed) {
                    return Err(error(Problem::ReadBefore));
                }
                let input: Stream<'static> = match self.origin {
                    Origin::Stdin => Box::new(io::stdin()),
                    _ => Box::new(open()?),
                };
                packed::open_stream(input, progress).map_err(error)
            }
        }
    }

    /// The content of the files, or of each no more than its first `most` bytes.
    fn load(&self, most: Option<usize>) -> Result<MemorySet, Error> {
        let before = self.before();
        for (role, path) in &self.files {
            if let (Origin::Plain, Some(side)) = (&self.origin, side_file(*role, path)) {
                return Err(Error::new(path, Problem::InUse(side)));
            }
        }
        let content = self.load_once(most)?;
        // Files that are renamed one after another while they are read may be of two bases.
        let mut files = self.files.iter().map(|(_, file)| file.as_path());
        if let Some(before) = before
            && (is_pending(&mut files) || before.changed().is_some())
        {
            return Err(Error::new(&self.path, Problem::Replaced));
        }
        Ok(content)
    }

    /// The files of a set as they are now; none where that need not be known, because there is one file, or
    /// no one can rename any.
    fn before(&self) -> Option<Snapshot> {
        let several = matches!(self.origin, Origin::Plain) && self.files.len() > 1;
        let files = || Snapshot::of(self.files.iter().map(|(_, path)| path));
        (several && self.pending.is_plain()).then(files)
    }

    fn load_once(&self, most: Option<usize>) -> Result<MemorySet, Error> {
        let mut content = MemorySet::new();
        let mut left = if self.is_packed() { UNPACKED } else { u64::MAX };
        for (role, path) in &self.files {
            #[cfg(all(feature = "mmap", unix))]
            if let (Origin::Plain, None) = (&self.origin, most)
                && let Some(bytes) = mapped(self.pending.actual(path))
            {
                content.insert_shared(*role, bytes);
                continue;
            }
            let fail = |cause| Error::new(if self.is_packed() { &self.path } else { path }, cause);
            let mut bytes = Vec::new();
            if let (Origin::Plain, None, Ok(data)) =
                (&self.origin, most, fs::metadata(self.pending.actual(path)))
            {
                let length = usize::try_from(data.len()).unwrap_or(usize::MAX);
                let room = bytes.try_reserve_exact(length);
                room.map_err(|_| fail(Problem::TooLarge(data.len())))?;
            }
            let limit = most.map_or(left, |most| most as u64);
            let read = match (&self.origin, most) {
                // The system fills the memory, which nobody has to clear first.
                (Origin::Plain, None) => {
                    let file = File::open(self.pending.actual(path));
                    file.and_then(|mut file| file.read_to_end(&mut bytes))
                }
                _ => {
                    let reader = self.reader(path, &Progress::default())?;
                    reader.take(limit).read_to_end(&mut bytes)
                }
            };
            match read {
                // Damage of a packed file: what comes before it is enough to judge by, and whoever
                // reads the games will meet it.
                Err(cause) if most.is_some() && cause.raw_os_error().is_none() => {}
                read => _ = read.map_err(|cause| fail(Problem::Io(cause)))?,
            }
            if most.is_none() && bytes.len() as u64 >= limit {
                return Err(fail(Problem::TooLarge(UNPACKED)));
            }
            left = left.saturating_sub(bytes.len() as u64);
            content.insert(*role, bytes);
        }
        Ok(content)
    }

    /// Whether its content speaks against its format: bytes that are no text, where games are expected as
    /// text.
    pub(crate) fn is_something_else(&self) -> Result<bool, Error> {
        if !self.can_stream() {
            return Ok(false);
        }
        let start = self.load(Some(PROBED))?;
        let is_text = start.iter().all(|(_, bytes)| !bytes.contains(&0));
        Ok((self.format.probe)(&start) == Score::No && !is_text)
    }

    pub(crate) fn probe(&mut self) -> Result<Score, Error> {
        if self.can_stream() {
            return Ok((self.format.probe)(&self.load(Some(PROBED))?));
        }
        let content = match self.load(None) {
            // Of a damaged packed file no more than a stream gives can be had.
            Err(error) if self.is_packed() && is_damage(error.problem()) => return Ok(Score::No),
            content => content?,
        };
        let score = (self.format.probe)(&content);
        self.content = Some(content);
        Ok(score)
    }
}

/// The file, mapped into memory if it is large enough for that and the system can do it: reading it,
/// then, is no worse than slow, and says why if it fails.
#[cfg(all(feature = "mmap", unix))]
pub(crate) fn mapped(path: &Path) -> Option<chessdb_core::SharedBytes> {
    mapped_from(path, LEAST_PRESENT, LEAST_MAPPED)
}

/// The same of at least so many bytes. With fewer than `large` all of it is brought into memory.
#[cfg(all(feature = "mmap", unix))]
fn mapped_from(path: &Path, least: u64, large: u64) -> Option<chessdb_core::SharedBytes> {
    let file = File::open(path).ok()?;
    let data = file.metadata().ok()?;
    if !data.is_file() || data.len() < least {
        return None;
    }
    #[cfg(target_os = "linux")]
    if data.len() < large {
        return chessdb_owned::map_present(&file, path).ok();
    }
    let _ = large;
    chessdb_owned::map(&file, path).ok()
}

/// Reads the next bytes, so many or all that are left, in place of those before.
fn read_piece(input: &mut dyn Read, size: usize, piece: &mut Vec<u8>) -> io::Result<()> {
    piece.clear();
    input.take(size as u64).read_to_end(piece).map(drop)
}

/// Whether the bytes of a packed file are wrong, and the system refused nothing: whoever unpacks
/// reports damage as an input error without a number of the system's.
fn is_damage(problem: &Problem) -> bool {
    match problem {
        Problem::Io(error) => error.raw_os_error().is_none(),
        problem => matches!(problem, Problem::Packed(_)),
    }
}

#[cfg(all(test, feature = "mmap", unix))]
mod tests {
    use super::*;

    #[test]
    fn only_large_files_are_mapped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sg4");
        fs::write(&file, b"moves").unwrap();
        for large in [5, 6] {
            let bytes = mapped_from(&file, 5, large).unwrap();
            assert_eq!((*bytes).as_ref(), b"moves");
            assert!(mapped_from(&file, 6, large).is_none());
            assert!(mapped_from(folder.path(), 0, large).is_none());
            assert!(mapped_from(&folder.path().join("b.sg4"), 0, large).is_none());
        }
    }
}
