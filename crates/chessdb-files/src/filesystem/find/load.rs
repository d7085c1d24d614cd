//! Loading the files of a database into memory, or mapping them.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use chessdb_core::MemorySet;
use chessdb_core::files::{DiskAccess, SharedBytes, TransactionFault};

use super::found_database::{DatabaseOrigin, FoundDatabase};
use super::held_file::{HeldFile, settled, side_log};
use crate::error::{Error, Problem};
use crate::filesystem::commit::{is_pending, side_file};
use crate::filesystem::need_files;
use crate::packed::{self, Progress, UNPACKED};
use crate::snapshot::Snapshot;

/// Files that were unpacked into memory, by name. The candidates for one database share them.
pub(crate) type UnpackedFiles = HashMap<PathBuf, SharedBytes>;

impl FoundDatabase {
    /// Reads the content of the files, or at most the first `most` bytes of each.
    pub(super) fn load(&self, limit: Option<usize>) -> Result<MemorySet, Error> {
        need_files(&self.path)?;
        if let Some(disk) = self.disk(limit)
            && let Some(content) = self.load_in_transaction(disk)?
        {
            return Ok(content);
        }
        let before = self.before();
        for (_, path) in &self.files {
            if let (DatabaseOrigin::Plain, Some(side)) = (&self.origin, side_file(path))
                && !self.files.iter().any(|(_, read)| *read == side)
            {
                return Err(Error::new(path, Problem::InUse(side)));
            }
        }
        let content = self.load_once(limit, None)?;
        // If files are renamed one after another during the read, they may come from two versions
        // of the database.
        let mut files = self.files.iter().map(|(_, file)| file.as_path());
        if let Some(before) = before
            && (is_pending(&mut files) || before.changed().is_some())
        {
            return Err(Error::new(&self.path, Problem::Replaced));
        }
        Ok(content)
    }

    /// Returns the current state of the files of a set. Returns `None` where it is not needed,
    /// because there is only one file or because no one can rename any.
    fn before(&self) -> Option<Snapshot> {
        let several = matches!(self.origin, DatabaseOrigin::Plain) && self.files.len() > 1;
        let files = || Snapshot::of(self.files.iter().map(|(_, path)| path));
        (several && self.pending.is_plain()).then(files)
    }

    /// Returns the locks to take for reading the files, if the format has any.
    pub(super) fn disk(&self, limit: Option<usize>) -> Option<DiskAccess> {
        let is_plain = matches!(self.origin, DatabaseOrigin::Plain) && self.pending.is_plain();
        self.format.disk.filter(|_| is_plain && limit.is_none())
    }

    /// Reads the files in a transaction of the container's library; `None` if they need none.
    fn load_in_transaction(&self, disk: DiskAccess) -> Result<Option<MemorySet>, Error> {
        let Some((_, path)) = self.files.first() else {
            return Ok(None);
        };
        // The system ends the locks of a process on a file when the process closes the file, even
        // if the locks belong to another handle. So the file is opened before and stays open.
        let file = File::open(path).map_err(|cause| Error::new(path, cause))?;
        let transaction = match (disk.read)(path) {
            Ok(Some(transaction)) => transaction,
            Ok(None) => return Ok(None),
            Err(TransactionFault::Busy) => return Err(Error::new(path, Problem::Locked)),
            Err(TransactionFault::HalfDone) => {
                let side = side_file(path).unwrap_or_else(|| path.clone());
                return Err(Error::new(path, Problem::InUse(side)));
            }
        };
        // A log that another program has begun since the files were found.
        let is_known = |log: &PathBuf| self.files.iter().any(|(_, path)| path == log);
        if side_log(path).is_some_and(|log| !is_known(&log)) {
            return Err(Error::new(&self.path, Problem::Replaced));
        }
        let mut content = self.load_once(None, Some(&file))?;
        // Windows does not replace an open file. A command that may replace it has read all of it, and
        // compares the file again before that.
        if self.is_read_only || !cfg!(windows) {
            content.set_transaction(Arc::new(HeldFile {
                transaction,
                _file: file,
            }));
        }
        Ok(Some(content))
    }

    /// Reads all files into memory. Those that were unpacked before are shared.
    pub(super) fn load_shared(&self, unpacked: &mut UnpackedFiles) -> Result<MemorySet, Error> {
        if !self.is_packed() {
            return self.load(None);
        }
        let mut content = MemorySet::new();
        let mut remaining = UNPACKED;
        for (role, path) in &self.files {
            let bytes = match unpacked.get(path) {
                Some(bytes) => Arc::clone(bytes),
                None => {
                    let fail = |problem| Error::new(&self.path, problem);
                    let mut bytes = Vec::new();
                    let reader = self.reader(path, &Progress::default())?;
                    packed::read_whole(reader, remaining, &mut bytes)
                        .map_err(|cause| fail(Problem::Io(cause)))?;
                    if bytes.len() as u64 >= remaining {
                        return Err(fail(Problem::TooLarge(UNPACKED)));
                    }
                    let bytes: SharedBytes = Arc::new(bytes);
                    unpacked.insert(path.clone(), Arc::clone(&bytes));
                    bytes
                }
            };
            remaining = remaining.saturating_sub((*bytes).as_ref().len() as u64);
            content.insert_shared(*role, bytes);
        }
        Ok(content)
    }

    /// Reads the files. The first one is `held` if it is open in a transaction.
    fn load_once(&self, limit: Option<usize>, held: Option<&File>) -> Result<MemorySet, Error> {
        if self.is_packed() && limit.is_none() {
            return self.load_shared(&mut UnpackedFiles::new());
        }
        let mut content = MemorySet::new();
        for (n, (role, path)) in self.files.iter().enumerate() {
            let held = held.map(|file| Some(file).filter(|_| n == 0));
            // A log may be overwritten although the database is held.
            if let Some(None) = held {
                let log = settled(path).ok_or_else(|| Error::new(path, Problem::Replaced))?;
                content.insert(*role, log);
                continue;
            }
            let held = held.flatten();
            if let (DatabaseOrigin::Plain, None) = (&self.origin, limit)
                && let Some(bytes) = match held {
                    Some(file) => super::mapped::mapped_file(file, path, self.is_read_only),
                    None => super::mapped(self.pending.actual(path), self.is_read_only),
                }
            {
                content.insert_shared(*role, bytes);
                continue;
            }
            let fail = |cause| Error::new(if self.is_packed() { &self.path } else { path }, cause);
            let mut bytes = Vec::new();
            if let (DatabaseOrigin::Plain, None, Ok(data)) =
                (&self.origin, limit, fs::metadata(self.pending.actual(path)))
            {
                let length = usize::try_from(data.len()).unwrap_or(usize::MAX);
                let room = bytes.try_reserve_exact(length);
                room.map_err(|_| fail(Problem::TooLarge(data.len())))?;
            }
            let read = match (&self.origin, limit) {
                // Reads without clearing the memory first.
                (DatabaseOrigin::Plain, None) => match held {
                    Some(mut file) => file.read_to_end(&mut bytes),
                    None => {
                        let file = File::open(self.pending.actual(path));
                        file.and_then(|mut file| file.read_to_end(&mut bytes))
                    }
                },
                _ => {
                    let reader = self.reader(path, &Progress::default())?;
                    let length = limit.map_or(u64::MAX, |bytes| bytes as u64);
                    reader.take(length).read_to_end(&mut bytes)
                }
            };
            match read {
                // A packed file is damaged. The bytes before the damage are enough to judge it;
                // reading the games reports the damage.
                Err(cause) if limit.is_some() && cause.raw_os_error().is_none() => {}
                read => _ = read.map_err(|cause| fail(Problem::Io(cause)))?,
            }
            content.insert(*role, bytes);
        }
        Ok(content)
    }
}
