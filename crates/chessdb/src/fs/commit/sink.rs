//! Where new bases go on disk: files that replace the old ones together.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chessdb_core::{ErrorKind, FileId, FileSink, Format, Result, Role};
use chessdb_owned::Hidden;

use super::backup::{COPYING, back_up};
use super::disk::{remove, rename_new, sweep, sweep_journal, sync_folder};
use super::growth::Growth;
use super::journal::{DRAFT, Entry, Journal, LOCK, REPLACED, Seal, WRITING, hidden};
use super::lock::Lock;
use super::recover::{PendingCommit, Recovery, settle, settle_locked};
use super::targets::{are_together, main_of, targets_of};
use crate::error::{Error, Problem, SinkFault};
use crate::fs::{Finder, Snapshot, folder, plain};

/// The files of a base on disk. They are written under hidden names beside the target, brought to
/// the disk, and renamed together, the index last. Until then, and if it is dropped before
/// [`FileSink::commit`], an older base of that name stays as it was.
///
/// A program that is killed between two of the renames leaves a journal, by which the next one that
/// opens or writes the base finishes them ([`recover`](crate::fs::recover)).
#[derive(Debug)]
pub struct DirSink {
    /// Per role of the format: the final path.
    pub(super) targets: Vec<(Role, PathBuf)>,
    /// The one of them by which lock and journal are called.
    main: PathBuf,
    files: Vec<Writing>,
    committed: bool,
    /// A commit broke off and could not be undone; the next one to open the base will see to it.
    pending: bool,
    recoveries: Vec<Recovery>,
    /// Whether the old files are copied before they are replaced, and the copies.
    keeps_old: bool,
    backups: Vec<PathBuf>,
    /// The targets before anything was read of them, and databases that games are read from.
    before: Snapshot,
    sources: Vec<Snapshot>,
    // Last, so that it is released after everything else is tidied up.
    _lock: Lock,
}

#[derive(Debug)]
pub(super) struct Writing {
    file: File,
    role: Role,
    hidden: PathBuf,
    target: PathBuf,
    /// If this goes behind a file that is there.
    grown: Option<Grown>,
    /// Until the commit begins, a signal removes the file.
    removed_by_signal: Option<Hidden>,
}

/// What is known of a file that grows.
#[derive(Debug)]
struct Grown {
    /// Its length before.
    before: u64,
    /// Places in its beginning, and what stands there afterwards.
    changes: Vec<(u64, Vec<u8>)>,
}

/// How often the files of a set may change their names while its lock is being taken.
const TRIES: u32 = 100;

/// Prepares to write a base of this format at `path`: a file of the set or its stem; for a format
/// of one file exactly that file. Nothing is written yet.
///
/// What another run began to write there and did not end is finished or undone first
/// ([`DirSink::recoveries`]); what it left behind besides is removed.
///
/// # Errors
///
/// A file of the set that exists, in whatever capitals, unless `replace` is true. Another writer at
/// work on the same base. Links that lead to different folders. A commit that can be neither
/// finished nor undone. Something other than a plain file under the name of one.
pub fn create(
    path: impl AsRef<Path>,
    format: &'static Format,
    replace: bool,
) -> std::result::Result<DirSink, Error> {
    create_seen(path.as_ref(), format, replace, None)
}

/// [`create`] with a finder, which knows what is in the folder without listing it.
pub(crate) fn create_seen(
    path: &Path,
    format: &'static Format,
    replace: bool,
    seen: Option<&Finder>,
) -> std::result::Result<DirSink, Error> {
    if format.create.is_none() {
        return Err(Error::new(path, Problem::ReadOnly(format.name)));
    }
    create_files(path, format.roles, replace, seen)
}

/// The same for files of these roles, of one role for exactly that file.
pub(crate) fn create_files(
    path: &Path,
    roles: &'static [Role],
    replace: bool,
    seen: Option<&Finder>,
) -> std::result::Result<DirSink, Error> {
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        let directory = io::Error::from(io::ErrorKind::IsADirectory);
        return Err(Error::new(path, Problem::Io(directory)));
    };
    let mut targets = targets_of(path, name, roles, replace, seen)?;
    let mut pending = match seen {
        Some(finder) => finder.settle(path)?,
        None => settle(path)?,
    };
    let mut tries = 0..TRIES;
    let (targets, main, lock, before) = loop {
        let main = main_of(&targets, path);
        if tries.next().is_none() {
            return Err(Error::new(main, Problem::Locked));
        }
        let lock = Lock::take(hidden(&main, LOCK), &main)?;
        settle_locked(&main, Some(&lock), &mut pending)?;
        // Until we had the lock, another writer may have been at work.
        let now = targets_of(path, name, roles, replace, seen)?;
        if main_of(&now, path) == main {
            let before = Snapshot::of(now.iter().map(|(_, target)| target));
            if let (false, Some(new)) = (replace, before.first_present()) {
                return Err(Error::new(new, Problem::Exists));
            }
            break (now, main, lock, before);
        }
        targets = now;
    };
    if !pending.is_plain() {
        let refused = io::Error::from(io::ErrorKind::PermissionDenied);
        return Err(Error::new(main, Problem::Io(refused)));
    }
    let failed = |target: &Path, error| {
        let special = [WRITING, COPYING, REPLACED, DRAFT].map(|suffix| hidden(target, suffix));
        match special.iter().find(|path| plain::is_special(path)) {
            Some(path) => Error::new(path, Problem::Special),
            None => Error::new(hidden(target, WRITING), Problem::Io(error)),
        }
    };
    for (_, target) in &targets {
        sweep(target).map_err(|error| failed(target, error))?;
    }
    sweep_journal(&main).map_err(|error| failed(&main, error))?;
    let PendingCommit { recoveries, .. } = pending;
    Ok(DirSink {
        targets,
        main,
        files: Vec::new(),
        committed: false,
        pending: false,
        recoveries,
        keeps_old: false,
        backups: Vec::new(),
        before,
        sources: Vec::new(),
        _lock: lock,
    })
}

impl DirSink {
    /// The final path of the file that names the base.
    pub fn path(&self) -> &Path {
        self.targets.first().map_or(Path::new(""), |(_, path)| path)
    }

    /// Whether the files have got their final names.
    pub fn is_committed(&self) -> bool {
        self.committed
    }

    /// Whether a commit failed half-way and could not be undone either. Then no file is lost, but
    /// some have new content and some have old; the next to open the base will finish or undo it.
    pub fn is_pending(&self) -> bool {
        self.pending
    }

    /// Whether a base that is replaced is copied before, under the first free of the names
    /// `base.bak.si4`, `base.bak2.si4` and so on.
    pub fn keep_old(&mut self, keep: bool) {
        self.keeps_old = keep;
    }

    /// The files of such a copy, that which names the base first; none before the commit.
    pub fn backups(&self) -> &[PathBuf] {
        &self.backups
    }

    /// What was done about earlier runs that were interrupted.
    pub fn recoveries(&self) -> &[Recovery] {
        &self.recoveries
    }

    /// Makes the commit fail with [`Problem::Changed`] if files of the target are files of this database, and
    /// another program changed them after it was opened.
    ///
    /// # Errors
    ///
    /// Some files of the database would be replaced, and others would stay.
    pub(crate) fn guard(&mut self, source: Option<&Snapshot>) -> std::result::Result<(), Error> {
        let Some(source) = source else {
            return Ok(());
        };
        if let Some(file) = source.half_in(&self.before) {
            let what = "is a file of a database that is read, whose other files would stay";
            return Err(Error::new(file, Problem::Obstacle(what)).while_writing());
        }
        self.sources.push(source.clone());
        Ok(())
    }

    /// Fails if another program changed the target since the snapshots were taken.
    fn check_unchanged(&self) -> io::Result<()> {
        let changed = self.before.changed().map(Path::to_owned);
        let mut sources = self.sources.iter();
        match changed.or_else(|| sources.find_map(|source| source.changed_in(&self.before))) {
            Some(path) => Err(has_changed(path)),
            None => Ok(()),
        }
    }

    /// Starts a file, or goes on with one.
    pub(super) fn start(&mut self, role: Role, grows: bool) -> Result<FileId> {
        let target = self.targets.iter().find(|(known, _)| *known == role);
        let Some((_, target)) = target else {
            return Err(ErrorKind::Structure("a file that does not belong to the set").into());
        };
        if self.files.iter().any(|writing| writing.role == role) {
            return Err(ErrorKind::Structure("a file created twice").into());
        }
        let grown = match grows {
            true => Some(Grown {
                before: fs::metadata(target)?.len(),
                changes: Vec::new(),
            }),
            false => None,
        };
        let hidden = hidden(target, WRITING);
        // We hold the lock: whatever lies there is left over from a writer that was killed.
        remove(&hidden)?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&hidden)?;
        self.files.push(Writing {
            file,
            role,
            removed_by_signal: Some(Hidden::new(&hidden)),
            hidden,
            target: target.clone(),
            grown,
        });
        Ok(FileId(self.files.len() as u32 - 1))
    }

    fn file(&mut self, file: FileId) -> Result<&mut File> {
        let writing = self.files.get_mut(file.0 as usize);
        writing
            .map(|writing| &mut writing.file)
            .ok_or_else(never_created)
    }

    /// Gives all files their final names: at once if there is only one, else by way of a journal.
    fn rename(&mut self) -> io::Result<()> {
        self.check_unchanged()?;
        let mut entries = Vec::new();
        // A file of the old base that the new one does without would be taken for a part of it.
        for (role, target) in &self.targets {
            let is_file = fs::symlink_metadata(target).is_ok_and(|data| data.is_file());
            if is_file && !self.files.iter().any(|writing| writing.role == *role) {
                let (target, old) = (target.clone(), Seal::of(target)?);
                let new = None;
                entries.push(Entry { target, old, new });
            }
        }
        let mut growths = Vec::new();
        for writing in &self.files {
            if let Some(Grown { before, changes }) = &writing.grown {
                growths.push(Growth::of(&writing.target, *before, changes.clone())?);
            }
        }
        self.check_unchanged()?;
        for writing in &mut self.files {
            writing.removed_by_signal = None;
        }
        let plain = entries.is_empty() && growths.is_empty();
        if let (true, [only]) = (plain, self.files.as_slice()) {
            match fs::symlink_metadata(&only.target) {
                Ok(data) if !data.is_file() => return Err(io::ErrorKind::AlreadyExists.into()),
                Ok(_) => fs::rename(&only.hidden, &only.target)?,
                Err(_) => rename_new(&only.hidden, &only.target)?,
            }
            self.committed = true;
            sync_folder(folder::folder_of(&only.target));
            return Ok(());
        }
        for writing in self.files.iter().filter(|file| file.grown.is_none()) {
            entries.push(Entry {
                target: writing.target.clone(),
                old: Seal::of(&writing.target)?,
                new: Seal::of(&writing.hidden)?,
            });
        }
        let journal = Journal {
            main: self.main.clone(),
            entries,
            growths,
        };
        // A file that the old base did not have, beside files that are links.
        if !are_together(&mut journal.targets()) {
            return Err(io::Error::other(
                "its files are links to different places and cannot be replaced together",
            ));
        }
        // Reading the files and bringing the journal to the disk may take long.
        self.check_unchanged()?;
        journal.begin()?;
        let mut grown = Vec::new();
        let mut done = self.check_unchanged();
        if done.is_ok() {
            done = journal.finish_if(&journal.untouched(), &mut |target| {
                if self.before.has_changed(target) {
                    return Err(has_changed(target.to_owned()));
                }
                grown.push(target.to_owned());
                Ok(())
            });
        }
        match done {
            Ok(()) => {
                self.committed = true;
                Ok(())
            }
            Err(error) if says_changed(&error) => {
                self.pending = true;
                journal.withdraw(&grown)?;
                self.pending = false;
                Err(error)
            }
            Err(error) => self.take_back(&journal, error),
        }
    }

    /// Undoes a commit that failed with this error.
    fn take_back(&mut self, journal: &Journal, error: io::Error) -> io::Result<()> {
        self.pending = true;
        self.committed = journal.take_back()?;
        self.pending = false;
        // If only tidying up failed, the next to open the base will do it.
        if self.committed { Ok(()) } else { Err(error) }
    }
}

fn has_changed(path: PathBuf) -> io::Error {
    io::Error::other(SinkFault::Changed(path))
}

fn says_changed(error: &io::Error) -> bool {
    let inner = error.get_ref();
    let fault = inner.and_then(|inner| inner.downcast_ref::<SinkFault>());
    matches!(fault, Some(SinkFault::Changed(_)))
}

fn never_created() -> chessdb_core::Error {
    ErrorKind::Structure("a file that was never created").into()
}

impl FileSink for DirSink {
    fn create(&mut self, role: Role) -> Result<FileId> {
        self.start(role, false)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        Ok(self.file(file)?.write_all(bytes)?)
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        let writing = self.files.get_mut(file.0 as usize);
        let mut offset = offset;
        if let Some(Grown { before, changes }) = writing.and_then(|writing| writing.grown.as_mut())
        {
            match offset.checked_sub(*before) {
                Some(behind) => offset = behind,
                None if offset.saturating_add(bytes.len() as u64) <= *before => {
                    changes.push((offset, bytes.to_vec()));
                    return Ok(());
                }
                None => return Err(ErrorKind::Structure("a change of what was there").into()),
            }
        }
        let file = self.file(file)?;
        let had = file.seek(SeekFrom::End(0))?;
        let needed = offset.saturating_add(bytes.len() as u64);
        if needed > had {
            let what = "a patch of a written file";
            return Err(ErrorKind::Truncated { what, needed, had }.into());
        }
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        for writing in &self.files {
            if let Ok(old) = fs::metadata(&writing.target) {
                // Who may read the base stays as it was.
                let _ = writing.file.set_permissions(old.permissions());
            }
            writing.file.sync_all()?;
        }
        if self.keeps_old {
            self.check_unchanged()?;
            let there = self.targets.iter().filter(|(_, target)| target.exists());
            let there: Vec<&Path> = there.map(|(_, target)| target.as_path()).collect();
            self.backups = back_up(&there)?;
        }
        match self.rename() {
            Err(_) if self.pending => Err(io::Error::other(SinkFault::HalfWay).into()),
            result => Ok(result?),
        }
    }
}

impl Drop for DirSink {
    fn drop(&mut self) {
        if !self.committed && !self.pending {
            for writing in &self.files {
                let _ = fs::remove_file(&writing.hidden);
            }
        }
    }
}
