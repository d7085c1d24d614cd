//! A cache of folders and archives, so that each is read once.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::content::{ContentKind, LOOKED_AT, looks_like};
use super::found_database::FoundDatabase;
use super::survey::Survey;
use crate::error::Error;
use crate::filesystem::commit::{
    PendingCommit, finish_pending_with, has_journal, journals_in, only_ended, pending_files_in,
};
use crate::filesystem::folder::{self, FolderListing};
use crate::format_hint::FormatHint;
use crate::names::{self, FilesByStem};
use crate::packed::{self, Archive, Container, Directory, Key};
use crate::paths::folder_of;
use crate::recovery::Recovery;

/// Finds databases by path and caches the folders and archives that it has read.
///
/// The time to find all databases of a folder or archive, one after another, is proportional to
/// their number. A finder sees the files that existed when it first looked. Clones share the cache.
///
/// ```
/// use chessdb::fs::Finder;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// # std::fs::write(folder.path().join("a.pgn"), "1. e4 *").unwrap();
/// # let folder = folder.path();
/// let finder = Finder::new();
/// for path in finder.survey(folder, None)?.bases {
///     let db = chessdb::Database::options().open_found(finder.find(path, None)?)?;
///     println!("{}", db.len()?);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Default, Debug)]
pub struct Finder(Arc<Mutex<FinderCache>>);

#[derive(Default, Debug)]
struct FinderCache {
    folders: HashMap<PathBuf, Arc<FolderContents>>,
    archives: HashMap<PathBuf, (ArchiveStamp, Arc<ArchiveContents>)>,
}

/// Length and modification time of an archive, which show that it was not replaced.
type ArchiveStamp = (u64, Option<SystemTime>);

fn stamp(path: &Path) -> ArchiveStamp {
    let data = fs::metadata(path);
    data.map_or((0, None), |data| (data.len(), data.modified().ok()))
}

#[derive(Debug)]
pub(super) struct FolderContents {
    pub(super) listing: FolderListing,
    pub(super) by_stem: FilesByStem,
    /// Whether the folder had journals, because a writer was at work or was interrupted.
    pub(super) has_journals: bool,
}

/// The content of an archive.
#[derive(Debug)]
pub(super) struct ArchiveContents {
    pub(super) directory: Arc<Directory>,
    pub(super) members: Vec<PathBuf>,
    pub(super) by_stem: FilesByStem,
    /// The kinds of members with unknown suffixes.
    pub(super) kinds: HashMap<PathBuf, ContentKind>,
}

impl Finder {
    /// Returns a finder with an empty cache.
    pub fn new() -> Finder {
        Finder::default()
    }

    /// Finds a database like [`find_as`](crate::filesystem::find_as).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`find_as`](crate::filesystem::find_as).
    pub fn find(
        &self,
        path: impl AsRef<Path>,
        hint: impl Into<FormatHint>,
    ) -> Result<FoundDatabase, Error> {
        super::path::find_with(self, path.as_ref(), hint.into())
    }

    /// Lists databases like [`survey`](crate::filesystem::survey).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`survey`](crate::filesystem::survey).
    pub fn survey(
        &self,
        path: impl AsRef<Path>,
        hint: impl Into<FormatHint>,
    ) -> Result<Survey, Error> {
        super::survey::survey_with(self, path.as_ref(), hint.into())
    }

    /// Ends interrupted commits like [`recover`](crate::filesystem::recover).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`recover`](crate::filesystem::recover).
    pub fn recover(&self, path: impl AsRef<Path>) -> Result<Vec<Recovery>, Error> {
        Ok(only_ended(self.finish_pending(path.as_ref())?.recoveries))
    }

    /// Ends commits that another run left unfinished, like [`recover`](crate::filesystem::recover), and returns
    /// what is pending.
    pub(crate) fn finish_pending(&self, path: &Path) -> Result<PendingCommit, Error> {
        let mut is_there = |path: &Path| self.may_have_journal(path);
        let pending = finish_pending_with(path, &mut is_there)?;
        for recovery in &pending.recoveries {
            // The end of a commit renames files, so the listing is out of date.
            self.lock().folders.remove(folder_of(&recovery.path));
        }
        Ok(pending)
    }

    /// Ends unfinished commits at the targets of links among the files of a set.
    pub(super) fn finish_links(
        &self,
        files: &mut dyn Iterator<Item = &Path>,
    ) -> Result<Vec<Recovery>, Error> {
        let mut done = Vec::new();
        for file in files {
            if fs::symlink_metadata(file).is_ok_and(|data| data.is_symlink()) {
                let pending = self.finish_pending(file)?;
                pending.refuse_links()?;
                done.extend(pending.recoveries);
            }
        }
        Ok(done)
    }

    /// Returns the files next to a target that have one of these names, ignoring case. Names with
    /// exactly this spelling are looked up now; the others come from the cached listing.
    pub(crate) fn present(
        &self,
        path: &Path,
        names: impl Iterator<Item = PathBuf>,
    ) -> Result<Vec<PathBuf>, Error> {
        let folder = self.folder(folder_of(path))?;
        let mut present: Vec<PathBuf> = folder
            .by_stem
            .files_of_set(path)
            .into_iter()
            .chain(names)
            .collect();
        present.retain(|file| fs::metadata(file).is_ok_and(|data| data.is_file()));
        // A commit that is waiting may have moved files of the set away from their names.
        if folder.has_journals {
            present.extend(pending_files_in(folder_of(path)));
        }
        present.sort();
        present.dedup();
        Ok(present)
    }

    /// Returns whether a journal may concern this path: the folder had one when it was listed, or a
    /// file of the set has one now.
    fn may_have_journal(&self, path: &Path) -> bool {
        let was_listed = self.lock().folders.contains_key(folder_of(path));
        let Ok(folder) = self.folder(folder_of(path)) else {
            return false;
        };
        let set = || folder.by_stem.files_of_set(path);
        let has_new_journal = || has_journal(path) || set().iter().any(|file| has_journal(file));
        folder.has_journals || (was_listed && has_new_journal())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FinderCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the content of a folder.
    pub(super) fn folder(&self, folder: &Path) -> Result<Arc<FolderContents>, Error> {
        if let Some(seen) = self.lock().folders.get(folder) {
            return Ok(Arc::clone(seen));
        }
        let listing = folder::list(folder)?;
        let seen = Arc::new(FolderContents {
            by_stem: FilesByStem::new(&listing.files),
            listing,
            has_journals: !journals_in(folder).is_empty(),
        });
        let mut all = self.lock();
        all.folders.insert(folder.to_owned(), Arc::clone(&seen));
        Ok(seen)
    }

    /// Returns the content of a file that is known to be an archive.
    pub(super) fn archive(
        &self,
        path: &Path,
        archive: Archive,
    ) -> Result<Arc<ArchiveContents>, Error> {
        let now = stamp(path);
        if let Some(seen) = self.cached(path, now) {
            return Ok(seen);
        }
        let directory = archive.directory(|| File::open(path));
        let directory = directory.map_err(|problem| Error::new(path, problem))?;
        let contents = Arc::new(ArchiveContents::new(path, directory));
        let seen = (now, Arc::clone(&contents));
        self.lock().archives.insert(path.to_owned(), seen);
        Ok(contents)
    }

    fn cached(&self, path: &Path, now: ArchiveStamp) -> Option<Arc<ArchiveContents>> {
        let all = self.lock();
        let (then, seen) = all.archives.get(path)?;
        (*then == now).then(|| Arc::clone(seen))
    }

    /// Returns the content of a file, or `None` if it is not an archive.
    pub(super) fn contents(
        &self,
        path: &Path,
        key: Option<Key>,
    ) -> Result<Option<Arc<ArchiveContents>>, Error> {
        if let Some(seen) = self.cached(path, stamp(path)) {
            return Ok(Some(seen));
        }
        let file = File::open(path).map_err(|error| Error::new(path, error))?;
        match Container::detect(file, key).map_err(|error| Error::new(path, error))? {
            Container::Archive(archive) => self.archive(path, archive).map(Some),
            Container::File(_) => Ok(None),
        }
    }
}

impl ArchiveContents {
    fn new(path: &Path, directory: Directory) -> ArchiveContents {
        let members = directory.names();
        let mut kinds = HashMap::new();
        // A single member is judged when it is opened.
        let unknown = members.iter().filter(|_| members.len() > 1);
        for member in unknown.filter(|member| !names::is_known(member)) {
            // The reader of the member reports damage.
            let start = directory.member(|| File::open(path), member);
            let start = start.and_then(|start| packed::start_of(start, LOOKED_AT));
            if let Ok(start) = start
                && let Some(kind) = looks_like(&start)
            {
                kinds.insert(member.clone(), kind);
            }
        }
        ArchiveContents {
            by_stem: FilesByStem::new(&members),
            directory: Arc::new(directory),
            members,
            kinds,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;
    use crate::filesystem::folder::LISTED;

    /// Returns how often a folder of `n` databases is listed while all of them are found. It counts
    /// work rather than time.
    fn listings(n: usize, set: bool) -> usize {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..n {
            if set {
                for suffix in ["si4", "sg4", "sn4"] {
                    let file = folder.path().join(format!("{n}.{suffix}"));
                    fs::write(file, "Scid.si\0").unwrap();
                }
            } else {
                fs::write(folder.path().join(format!("{n}.pgn")), "1. e4 *").unwrap()
            }
        }
        let finder = Finder::new();
        let before = LISTED.get();
        let bases = finder.survey(folder.path(), None).unwrap().bases;
        assert_eq!(bases.len(), n);
        for base in bases {
            finder.recover(&base).unwrap();
            let database = finder.find(&base, None).unwrap();
            assert_eq!(database.files().len(), if set { 3 } else { 1 });
        }
        LISTED.get() - before
    }

    #[test]
    fn folder_is_listed_once_for_all_databases() {
        for set in [false, true] {
            assert_eq!((listings(3, set), listings(60, set)), (1, 1), "{set}");
        }
    }

    /// A journal that another program left after the folder was listed is still seen.
    #[test]
    fn later_interrupted_commit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        fs::write(&path, "1. e4 *").unwrap();
        let finder = Finder::new();
        finder.survey(folder.path(), None).unwrap();
        assert!(finder.find(&path, None).is_ok());
        fs::write(folder.path().join(".a.pgn.chessdb-journal"), "damaged").unwrap();
        assert!(finder.find(&path, None).is_err());
        assert!(finder.find(folder.path().join("a"), None).is_err());
    }
}
