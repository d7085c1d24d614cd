//! The files of a database that was found, and ways to read them whole or as a stream.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::{FileSet as _, Format, GameRead, MemorySet, ReadOptions};

use super::load::UnpackedFiles;
use crate::error::{Error, Problem};
use crate::files::{Files, PROBED, judged};
use crate::filesystem::commit::PendingCommit;
use crate::filesystem::need_files;
use crate::packed::{self, Directory, Packing, Progress, Stream};
use crate::recovery::Recovery;
use crate::snapshot::Snapshot;

/// The most bytes that [`FoundDatabase::pieces`] reads from a packed file, which must be unpacked
/// up to there.
const MOST_PACKED: usize = 1 << 20;

/// The source of the bytes of a database.
#[derive(Clone, Debug)]
pub(crate) enum DatabaseOrigin {
    /// Unpacked files.
    Plain,
    /// One packed file.
    Packed(Packing),
    /// Members of this archive.
    Archive(PathBuf, Arc<Directory>),
    /// Standard input.
    Stdin,
    /// A named pipe, which can be read once.
    Pipe,
}

/// A database that was found, with a known format, but not read yet.
#[derive(Debug)]
pub struct FoundDatabase {
    pub(crate) path: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) files: Vec<(Role, PathBuf)>,
    pub(crate) origin: DatabaseOrigin,
    /// Content that was already read to judge it.
    pub(crate) content: Option<MemorySet>,
    /// The state that an interrupted writer left.
    pub(crate) pending: PendingCommit,
    /// The files on disk before any was read.
    pub(crate) snapshot: Snapshot,
    /// Whether the content still has to be checked against the format.
    pub(crate) judge: bool,
    /// See [`FormatHint::is_read_only`](crate::format_hint::FormatHint::is_read_only).
    pub(crate) is_read_only: bool,
    /// Whether a pipe has been read.
    pub(crate) read_before: AtomicBool,
}

impl FoundDatabase {
    /// Describes a database before anything is read.
    pub(super) fn new(
        path: PathBuf,
        format: &'static Format,
        files: Vec<(Role, PathBuf)>,
        origin: DatabaseOrigin,
    ) -> FoundDatabase {
        FoundDatabase {
            path,
            format,
            files,
            origin,
            content: None,
            pending: PendingCommit::default(),
            snapshot: Snapshot::default(),
            judge: false,
            is_read_only: false,
            read_before: AtomicBool::new(false),
        }
    }

    /// Returns the given path, or the file that it led to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Returns the files of the database: for a packed file its own name, for an archive the names
    /// of the members.
    pub fn files(&self) -> &[(Role, PathBuf)] {
        &self.files
    }

    /// Returns the state of the files on disk before any was read.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns what was done about earlier runs that were interrupted while they wrote this
    /// database.
    pub fn recoveries(&self) -> &[Recovery] {
        &self.pending.recoveries
    }

    /// Returns the size on disk in bytes, of packed files the packed size; `None` for a pipe.
    pub fn size(&self) -> Option<u64> {
        let length = |path: &Path| {
            let data = fs::metadata(self.pending.actual(path)).ok()?;
            Some(data.len())
        };
        match &self.origin {
            DatabaseOrigin::Plain => self.files.iter().map(|(_, path)| length(path)).sum(),
            DatabaseOrigin::Packed(_) => length(&self.path),
            DatabaseOrigin::Archive(path, _) => length(path),
            DatabaseOrigin::Stdin | DatabaseOrigin::Pipe => None,
        }
    }

    /// Returns whether the bytes can be read only once and in order.
    pub fn is_pipe(&self) -> bool {
        matches!(self.origin, DatabaseOrigin::Stdin | DatabaseOrigin::Pipe)
    }

    /// Returns whether a commit is pending, so that files of the database do not have their final
    /// names.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_plain()
    }

    /// Returns the same database, to be read again.
    pub fn again(&self) -> FoundDatabase {
        let (path, files) = (self.path.clone(), self.files.clone());
        FoundDatabase {
            // Opening the file again would end the locks of the transaction.
            content: self.content.clone().filter(is_in_transaction),
            pending: self.pending.clone(),
            judge: self.judge,
            is_read_only: self.is_read_only,
            snapshot: self.snapshot.clone(),
            ..FoundDatabase::new(path, self.format, files, self.origin.clone())
        }
    }

    /// Returns whether the content is loaded in a transaction.
    pub(super) fn is_in_transaction(&self) -> bool {
        self.content.as_ref().is_some_and(is_in_transaction)
    }

    /// Returns whether the files must be unpacked.
    pub fn is_packed(&self) -> bool {
        matches!(
            self.origin,
            DatabaseOrigin::Packed(_) | DatabaseOrigin::Archive(..)
        )
    }

    /// Returns the first file of the database that is read-only. A file is replaced by renaming another
    /// one, which its permissions do not prevent, so callers ask before they change a database.
    pub fn read_only_file(&self) -> Option<&Path> {
        let is_read_only =
            |path: &Path| std::fs::metadata(path).is_ok_and(|data| data.permissions().readonly());
        let mut files = self.files.iter().map(|(_, path)| path.as_path());
        files.find(|path| is_read_only(path))
    }

    /// Returns the members of an archive that do not belong to this database and are not read.
    ///
    /// Other content in an archive is not an error, but a caller that names the archive may have
    /// meant all of it.
    pub fn left_out(&self) -> Vec<PathBuf> {
        match &self.origin {
            // If one of several databases in an archive was chosen, the path names the member, and
            // nothing is left out.
            DatabaseOrigin::Archive(path, directory) if *path == self.path => {
                let is_ours = |member: &PathBuf| self.files.iter().any(|(_, file)| file == member);
                let mut members = directory.names();
                members.retain(|member| !is_ours(member));
                members
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether [`FoundDatabase::stream`] works, so that games can be read without loading
    /// the whole database into memory.
    pub fn can_stream(&self) -> bool {
        self.format.stream.is_some()
    }

    /// Reads the games one after another. `progress` counts the bytes.
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
            .ok_or(Problem::NotStreamable)
            .map_err(error)?;
        stream(input, options).map_err(|cause| error(Problem::Format(cause)))
    }

    /// Returns the unpacked bytes of a database that can be read as a stream.
    pub fn input(&self, progress: &Progress) -> Result<Stream<'static>, Error> {
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

    /// Passes pieces of the main file to `each`: at most `most` pieces of `size` bytes, evenly
    /// spread over the file. Each piece is longer by `overlap` bytes, with which the next one
    /// begins.
    ///
    /// Of a packed file only the beginning is read, of a pipe nothing. Returns whether larger
    /// pieces would not contain any more.
    pub fn pieces(
        &self,
        size: usize,
        overlap: usize,
        max_pieces: usize,
        mut each: impl FnMut(&[u8]),
    ) -> Result<bool, Error> {
        need_files(&self.path)?;
        let fail = |cause: io::Error| Error::new(&self.path, cause);
        let mut piece = Vec::with_capacity(size + overlap);
        match (&self.origin, self.files.first()) {
            (DatabaseOrigin::Plain, Some((_, path))) => {
                let mut file = File::open(self.pending.actual(path)).map_err(fail)?;
                let length = file.metadata().map_err(fail)?.len();
                let count = length.div_ceil(size as u64);
                let step = count.div_ceil(max_pieces as u64).max(1);
                for piece_index in (0..count).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
                    file.seek(SeekFrom::Start(piece_index * size as u64))
                        .map_err(fail)?;
                    read_piece(&mut file, size + overlap, &mut piece).map_err(fail)?;
                    each(&piece);
                }
                return Ok(step == 1);
            }
            (DatabaseOrigin::Stdin | DatabaseOrigin::Pipe, _) => {}
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
        if self.disk(None).is_some() {
            // A write-ahead log grows while its database is read, which changes nothing.
            let must_stay = content.transaction().is_none() || self.files.len() == 1;
            self.snapshot = self.snapshot.again(must_stay);
        }
        let FoundDatabase {
            path,
            format,
            files,
            pending,
            snapshot,
            is_read_only,
            ..
        } = self;
        Ok(Files {
            path: Some(path),
            format,
            names: files,
            content,
            recoveries: pending.recoveries,
            snapshot,
            is_read_only,
        })
    }

    /// Unpacks a packed database of one file, if its content has at most `limit` bytes and is not
    /// damaged. Returns whether [`FoundDatabase::read`] now returns this content.
    pub fn unpack_small(&mut self, limit: u64) -> bool {
        let [(role, _)] = self.files.as_slice() else {
            return false;
        };
        let mut bytes = Vec::new();
        let is_whole = self.input(&Progress::default()).is_ok_and(|stream| {
            let read = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes);
            read.is_ok_and(|length| length as u64 <= limit)
        });
        if is_whole {
            let mut content = MemorySet::new();
            content.insert(*role, bytes);
            self.content = Some(content);
        }
        is_whole
    }

    /// Returns all files in memory. Returns `None` if they are packed, if the database is being
    /// replaced, or if they are larger than `limit` bytes and cannot be mapped.
    pub fn in_memory(&self, limit: u64) -> Option<Files> {
        let is_plain = matches!(self.origin, DatabaseOrigin::Plain) && self.pending.is_plain();
        let content = match self.size().filter(|_| is_plain)? {
            size if size <= limit => self.load(None).ok()?,
            _ => self.mapped()?,
        };
        Some(Files {
            path: Some(self.path.clone()),
            format: self.format,
            names: self.files.clone(),
            content,
            recoveries: self.pending.recoveries.clone(),
            snapshot: self.snapshot.clone(),
            is_read_only: self.is_read_only,
        })
    }

    /// Returns the files if all of them can be mapped.
    fn mapped(&self) -> Option<MemorySet> {
        let mut content = MemorySet::new();
        for (role, path) in &self.files {
            content.insert_shared(*role, super::mapped(path, self.is_read_only)?);
        }
        Some(content)
    }

    pub(super) fn reader(
        &self,
        path: &Path,
        progress: &Progress,
    ) -> Result<Stream<'static>, Error> {
        need_files(path)?;
        let error = |problem: Problem| Error::new(&self.path, problem);
        let actual = self.pending.actual(path);
        let open = || File::open(actual).map_err(|cause| Error::new(path, cause));
        match &self.origin {
            DatabaseOrigin::Plain => Ok(Box::new(progress.count(open()?))),
            DatabaseOrigin::Packed(packing) => packing
                .undo(Box::new(progress.count(open()?)))
                .map_err(error),
            DatabaseOrigin::Archive(file, directory) => {
                let inner = directory.member(|| File::open(file), path).map_err(error)?;
                // A member that is a whole database may itself be packed.
                match self.format.required {
                    [_] => packed::open_stream(inner, progress).map_err(error),
                    _ => Ok(Box::new(progress.count(inner))),
                }
            }
            DatabaseOrigin::Stdin | DatabaseOrigin::Pipe => {
                if self.read_before.swap(true, Ordering::Relaxed) {
                    return Err(error(Problem::AlreadyRead));
                }
                let input: Stream<'static> = match self.origin {
                    DatabaseOrigin::Stdin => Box::new(io::stdin()),
                    _ => Box::new(open()?),
                };
                packed::open_stream(input, progress).map_err(error)
            }
        }
    }

    /// Returns whether the content contradicts the format: it has bytes that are not text, but the
    /// format stores games as text.
    pub(crate) fn is_something_else(&self) -> Result<bool, Error> {
        if !self.can_stream() {
            return Ok(false);
        }
        let start = self.load(Some(PROBED))?;
        let is_text = start.iter().all(|(_, bytes)| !bytes.contains(&0));
        Ok((self.format.probe)(&start) == Score::No && !is_text)
    }

    /// Judges how well the content matches the format. `unpacked` has the files that were unpacked
    /// for other formats. A packed file is unpacked for a format that needs all of it only if its
    /// name or its beginning indicates the format.
    pub(crate) fn probe(
        &mut self,
        by_suffix: bool,
        unpacked: &mut UnpackedFiles,
    ) -> Result<Score, Error> {
        if self.can_stream() {
            return Ok((self.format.probe)(&self.load(Some(PROBED))?));
        }
        if self.is_packed() && !by_suffix {
            let start = self.load(Some(PROBED))?;
            // The definitions of the tables may be behind the beginning.
            let is_sqlite = |bytes: &[u8]| bytes.starts_with(b"SQLite format 3\0");
            let is_possible = (self.format.probe)(&start) > Score::No
                || start.iter().any(|(_, bytes)| is_sqlite(bytes));
            if !is_possible {
                return Ok(Score::No);
            }
        }
        let content = match self.load_shared(unpacked) {
            // A damaged packed file cannot be loaded; only a stream can read part of it.
            Err(error) if self.is_packed() && is_damage(error.problem()) => return Ok(Score::No),
            content => content?,
        };
        let score = (self.format.probe)(&content);
        self.content = Some(content);
        Ok(score)
    }
}

fn is_in_transaction(content: &MemorySet) -> bool {
    content.transaction().is_some()
}

/// Replaces `piece` by the next `size` bytes, or by all that are left.
fn read_piece(input: &mut dyn Read, size: usize, piece: &mut Vec<u8>) -> io::Result<()> {
    piece.clear();
    input.take(size as u64).read_to_end(piece).map(drop)
}

/// Returns whether a packed file is damaged, as opposed to a refusal by the system. Unpackers
/// report damage as an I/O error without an error number of the system.
fn is_damage(problem: &Problem) -> bool {
    match problem {
        Problem::Io(error) => error.raw_os_error().is_none(),
        problem => matches!(problem, Problem::Packed(_)),
    }
}
