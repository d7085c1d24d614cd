//! The target for new databases on disk: files that replace the old ones together.

mod indexes;
mod library_change;
mod output;
mod rename;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use chessdb_core::files::{DiskAccess, FileId, FileSink, Role};
use chessdb_core::{ErrorKind, Format, Result};

pub use self::indexes::{IndexedChange, KnownChanges};
pub(super) use self::output::OutputFile;
use self::output::{Appending, Output};
use super::backup::{COPYING, back_up};
use super::disk::{remove, sweep, sweep_journal};
use super::index_update::IndexUpdate;
use super::journal::{DRAFT, LOCK, REPLACED, WRITING, hidden};
use super::kept_journal::{self, RecordedCommand};
use super::lock::Lock;
use super::recover::{PendingCommit, finish_locked, finish_pending};
use super::targets::{FileRoles, main_of, pending_side, refuse_pending, targets_of};
use crate::error::{Error, Problem, SinkFault};
use crate::filesystem::{Finder, need_files, plain_file};
use crate::paths::{NO_FILE_NAME, leads_elsewhere};
use crate::recovery::Recovery;
use crate::snapshot::Snapshot;

/// The files of a new database on disk.
///
/// They are written under hidden names next to the target, synced, and renamed together, the index
/// last. Until then, and if it is dropped before [`FileSink::commit`], an older database of that
/// name remains as it was.
///
/// A program that is killed between two of the renames leaves a journal. With it, the next program
/// that opens or writes the database finishes them ([`recover`](crate::filesystem::recover)).
#[derive(Debug)]
pub struct DirSink {
    /// The final path of each role of the format, then those of derived files.
    pub(super) targets: Vec<(Role, PathBuf)>,
    /// The target after which lock and journal are named.
    main: PathBuf,
    files: Vec<OutputFile>,
    committed: bool,
    /// Whether a commit failed and could not be undone. The next program that opens the database
    /// ends it.
    pending: bool,
    recoveries: Vec<Recovery>,
    /// Whether the old files are copied before they are replaced, and the copies.
    keeps_old: bool,
    backups: Vec<PathBuf>,
    /// The index files next to the database that do not describe it any more.
    old_indexes: Vec<PathBuf>,
    /// See [`Format::statistics`].
    statistics: Vec<PathBuf>,
    /// The games that a change in place concerns.
    changed_games: KnownChanges,
    /// The targets before anything was read from them, and the databases that games are read from.
    before: Snapshot,
    sources: Vec<Snapshot>,
    /// The locks of the programs to which files of this format belong.
    disk: Option<DiskAccess>,
    /// Files of the old database that the changed one does not have.
    pub(super) removed: Vec<PathBuf>,
    /// The command that changes the database.
    command: RecordedCommand,
    /// The number of changed games, if [`DirSink::record`] does not know it.
    game_counter: Arc<AtomicU64>,
    keeps_undo: bool,
    /// Whether the library of the format has changed the files.
    is_made: bool,
    /// The index before that, if there is one.
    pub(super) lent_index: Option<IndexUpdate>,
    /// See [`Growing::note_sound`](chessdb_core::files::Growing::note_sound).
    pub(super) is_sound: bool,
    pub(super) largest_journal: u64,
    // The last field, so that the lock is released after everything else is cleaned up.
    _lock: Lock,
}

/// How often the files of a set may change their names while its lock is being taken.
const TRIES: u32 = 100;

/// Prepares to write a database of this format at `path`, which is a file of the set or its stem;
/// for a format of one file it is exactly that file. Nothing is written yet.
///
/// An unfinished commit of another run is first finished or undone ([`DirSink::recoveries`]); its
/// other leftovers are removed.
///
/// # Errors
///
/// Returns an error if:
///
/// * a file of the set exists, in any case, unless `replace` is true,
/// * another writer is at work on the same database,
/// * links lead to different folders,
/// * a commit can be neither finished nor undone,
/// * there is something other than a plain file under one of the names.
pub fn create(
    path: impl AsRef<Path>,
    format: &'static Format,
    replace: bool,
) -> std::result::Result<DirSink, Error> {
    let path = path.as_ref();
    if let Some(disk) = format
        .disk
        .filter(|_| replace && pending_side(path).is_some())
    {
        // The library ends what a killed program left; a file that is only replaced is refused.
        (disk.settle)(path);
    }
    create_seen(path, format, replace, None)
}

/// Prepares a database like [`create`]. A finder in `seen` knows the content of the folder without
/// listing it.
pub fn create_seen(
    path: &Path,
    format: &'static Format,
    replace: bool,
    seen: Option<&Finder>,
) -> std::result::Result<DirSink, Error> {
    if format.writer().is_none() {
        return Err(Error::new(
            path,
            Problem::ReadOnly(format.name, format.read_only),
        ));
    }
    let roles = FileRoles {
        own: format.roles,
        derived: format.derived,
    };
    let mut sink = create_set(path, roles, replace, seen)?;
    sink.disk = format.disk;
    sink.set_statistics(format.statistics);
    if format.disk.is_some() {
        refuse_pending(&sink.targets)?;
    }
    Ok(sink)
}

/// Prepares files of these roles like [`create`]. For a single role, the file is exactly `path`.
pub fn create_files(
    path: &Path,
    roles: &'static [Role],
    replace: bool,
    seen: Option<&Finder>,
) -> std::result::Result<DirSink, Error> {
    let roles = FileRoles {
        own: roles,
        derived: &[],
    };
    create_set(path, roles, replace, seen)
}

fn create_set(
    path: &Path,
    roles: FileRoles,
    replace: bool,
    seen: Option<&Finder>,
) -> std::result::Result<DirSink, Error> {
    need_files(path)?;
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        let directory = io::Error::from(io::ErrorKind::IsADirectory);
        return Err(Error::new(path, Problem::Io(directory)));
    };
    if leads_elsewhere(path) {
        return Err(Error::new(path, Problem::NotReplaceable(NO_FILE_NAME)));
    }
    let mut targets = targets_of(path, name, roles, replace, seen)?;
    let mut pending = match seen {
        Some(finder) => finder.finish_pending(path)?,
        None => finish_pending(path)?,
    };
    let mut tries = 0..TRIES;
    let (targets, main, lock, before) = loop {
        let main = main_of(own_files(&targets, roles), path);
        if tries.next().is_none() {
            return Err(Error::new(main, Problem::Locked));
        }
        let lock = Lock::take(hidden(&main, LOCK), &main)?;
        finish_locked(&main, Some(&lock), &mut pending)?;
        // Another writer may have been at work before we had the lock.
        let now = targets_of(path, name, roles, replace, seen)?;
        let own = own_files(&now, roles);
        if main_of(own, path) == main {
            let before = Snapshot::of(own.iter().map(|(_, target)| target));
            if let (false, Some(new)) = (replace, before.first_present()) {
                return Err(Error::new(new, Problem::AlreadyExists));
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
        match special.iter().find(|path| plain_file::is_special(path)) {
            Some(path) => Error::new(path, Problem::NotRegularFile),
            None => Error::new(hidden(target, WRITING), Problem::Io(error)),
        }
    };
    for (_, target) in &targets {
        sweep(target).map_err(|error| failed(target, error))?;
    }
    sweep_journal(&main).map_err(|error| failed(&main, error))?;
    let paths = || targets.iter().map(|(_, target)| target.as_path());
    kept_journal::sweep(&main, paths()).map_err(|error| failed(&main, error))?;
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
        old_indexes: Vec::new(),
        statistics: Vec::new(),
        changed_games: KnownChanges::default(),
        before,
        sources: Vec::new(),
        disk: None,
        removed: Vec::new(),
        command: RecordedCommand {
            time: SystemTime::now(),
            games: None,
            command: String::new(),
        },
        game_counter: Arc::default(),
        keeps_undo: true,
        is_made: false,
        lent_index: None,
        is_sound: false,
        largest_journal: kept_journal::LARGEST,
        _lock: lock,
    })
}

/// Returns the files of a set without the derived ones.
fn own_files(targets: &[(Role, PathBuf)], roles: FileRoles) -> &[(Role, PathBuf)] {
    targets.get(..roles.own.len()).unwrap_or(targets)
}

impl DirSink {
    /// Returns the final path of the file that names the database.
    pub fn path(&self) -> &Path {
        self.targets.first().map_or(Path::new(""), |(_, path)| path)
    }

    /// Returns whether the files have their final names.
    pub fn is_committed(&self) -> bool {
        self.committed
    }

    /// Returns whether a commit failed half-way and could not be undone either. No file is lost
    /// then, but some have new content and some have old; the next program that opens the database
    /// finishes or undoes the commit.
    pub fn is_pending(&self) -> bool {
        self.pending
    }

    /// Sets whether a database is copied before it is replaced. The copies get the first free name
    /// of `base.bak.si4`, `base.bak2.si4` and so on.
    pub fn keep_old(&mut self, keep: bool) {
        self.keeps_old = keep;
    }

    /// Sets what is recorded about a change in place: the command, and the number of games that it
    /// changes, if that is known.
    pub fn record(&mut self, command: &str, games: Option<u64>) {
        command.clone_into(&mut self.command.command);
        self.command.games = games;
    }

    /// Returns the counter of changed games, for a writer that learns their number while it uses the
    /// sink. It applies if [`DirSink::record`] did not get a number.
    pub fn game_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.game_counter)
    }

    /// Returns the command that changes the database.
    fn recorded_command(&self) -> RecordedCommand {
        let mut command = self.command.clone();
        let counted = self.game_counter.load(Ordering::Relaxed);
        command.games = command.games.or((counted > 0).then_some(counted));
        command
    }

    /// Sets whether a change in place can be undone, which is the default. Otherwise nothing stays
    /// next to the database.
    pub fn keep_undo(&mut self, keep: bool) {
        self.keeps_undo = keep;
    }

    /// Drops everything that was written, so that the files can be written in another way.
    pub fn discard(&mut self) {
        self.remove_hidden();
        self.files.clear();
        self.removed.clear();
        self.changed_games = KnownChanges::default();
    }

    fn remove_hidden(&self) {
        for writing in &self.files {
            if matches!(writing.output, Output::File(_)) {
                let _ = remove(&writing.hidden);
            }
        }
    }

    /// Returns the path of the file after which lock and journal are named.
    pub(super) fn main(&self) -> &Path {
        &self.main
    }

    /// Returns the final path of the file of this role.
    pub(super) fn target(&self, role: Role) -> Option<&PathBuf> {
        let target = self.targets.iter().find(|(other, _)| *other == role);
        target.map(|(_, target)| target)
    }

    /// Returns the final paths of all files of the format.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.targets.iter().map(|(_, target)| target.as_path())
    }

    /// Returns whether files of the database are changed in place. Those that are not mentioned then
    /// stay; otherwise all files are replaced.
    fn changes_in_place(&self) -> bool {
        self.is_made || self.files.iter().any(|file| file.grown.is_some())
    }

    /// Returns the files of that copy, first the one that names the database. Before the commit
    /// there are none.
    pub fn backups(&self) -> &[PathBuf] {
        &self.backups
    }

    /// Returns what was done about earlier runs that were interrupted.
    pub fn recoveries(&self) -> &[Recovery] {
        &self.recoveries
    }

    /// Makes the commit fail with [`Problem::Changed`] if files of the target are also files of
    /// this database and another program changed them after it was opened.
    ///
    /// # Errors
    ///
    /// Returns an error if only some files of the database would be replaced.
    pub fn guard(&mut self, source: Option<&Snapshot>) -> std::result::Result<(), Error> {
        let Some(source) = source else {
            return Ok(());
        };
        if let Some(file) = source.partly_in(&self.before) {
            let what = "is a file of another database that is being read";
            return Err(Error::new(file, Problem::NotReplaceable(what)).while_writing());
        }
        self.sources.push(source.clone());
        Ok(())
    }

    /// Copies the old files, if they are to be kept and were not copied yet.
    pub(super) fn back_up_old(&mut self) -> io::Result<()> {
        if self.keeps_old && self.backups.is_empty() {
            self.check_unchanged()?;
            let existing = self.targets.iter().filter(|(_, target)| target.exists());
            let existing: Vec<&Path> = existing.map(|(_, target)| target.as_path()).collect();
            self.backups = back_up(&existing)?;
        }
        Ok(())
    }

    /// Starts a file, or appends to one if `grows`.
    pub(super) fn start(&mut self, role: Role, grows: bool) -> Result<FileId> {
        let Some(target) = self.target(role) else {
            let what = "writing a file that does not belong to the database";
            return Err(ErrorKind::Structure(what).into());
        };
        if self.files.iter().any(|writing| writing.role == role) {
            return Err(ErrorKind::Structure("creating the same file twice").into());
        }
        if grows {
            // Offsets of another state would be wrong in the file.
            self.check_unchanged_file(role)?;
        }
        let grown = grows.then(|| Appending::open(target)).transpose()?;
        let mut file = OutputFile {
            output: Output::Memory(Vec::new()),
            role,
            removed_by_signal: None,
            hidden: hidden(target, WRITING),
            target: target.clone(),
            grown,
        };
        if !grows {
            file.open_hidden()?;
        }
        self.files.push(file);
        Ok(FileId(self.files.len() as u32 - 1))
    }

    pub(super) fn file(&mut self, file: FileId) -> Result<&mut OutputFile> {
        let writing = self.files.get_mut(file.0 as usize);
        let never_created = "writing to a file that was not created";
        writing.ok_or_else(|| ErrorKind::Structure(never_created).into())
    }
}

fn has_changed(path: PathBuf) -> io::Error {
    io::Error::other(SinkFault::Changed(path))
}

impl FileSink for DirSink {
    fn name(&self) -> Option<&str> {
        crate::paths::split(self.main.file_name()?).0.to_str()
    }

    fn create(&mut self, role: Role) -> Result<FileId> {
        self.start(role, false)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        self.file(file)?.write(bytes)
    }

    fn hidden_path(&self, file: FileId) -> Option<&Path> {
        let writing = self.files.get(file.0 as usize)?;
        matches!(writing.output, Output::File(_)).then_some(writing.hidden.as_path())
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        let writing = self.file(file)?;
        let Some(appending) = &mut writing.grown else {
            return writing.patch(offset, bytes);
        };
        let before = appending.before;
        match offset.checked_sub(before) {
            Some(in_tail) => writing.patch(in_tail, bytes),
            None if offset.saturating_add(bytes.len() as u64) <= before => {
                appending.changes.push((offset, bytes.to_vec()));
                Ok(())
            }
            None => Err(ErrorKind::Structure("changing existing bytes").into()),
        }
    }

    fn commit(&mut self) -> Result<()> {
        for writing in &self.files {
            let Output::File(file) = &writing.output else {
                continue;
            };
            if let Ok(old) = fs::metadata(&writing.target) {
                // The access rights of the database remain as they were.
                let _ = file.set_permissions(old.permissions());
            }
            file.sync_all()?;
        }
        self.back_up_old()?;
        match self.rename() {
            Err(_) if self.pending => Err(io::Error::other(SinkFault::PartlyRenamed).into()),
            result => {
                result?;
                if !self.changes_in_place() || !self.keeps_undo {
                    // What cannot be removed now describes another state, so undoing refuses it.
                    let _ = kept_journal::forget(&self.main, self.paths());
                }
                kept_journal::trim(self.paths());
                if !self.changes_in_place() {
                    self.remove_indexes();
                    self.note_statistics();
                }
                Ok(())
            }
        }
    }
}

impl Drop for DirSink {
    fn drop(&mut self) {
        if !self.committed && !self.pending {
            self.remove_hidden();
        }
    }
}
