//! Snapshots of files, which show whether another program changed them after a database was opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::system::identity;

/// Identity, length and modification time of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    /// The device and the number of the file, where the system has them.
    file: Option<(u64, u64)>,
    created: Option<SystemTime>,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Returns the stamp of the file at a path, following links; `None` if there is none.
    pub(crate) fn read(path: &Path) -> Option<Stamp> {
        let data = fs::metadata(path).ok()?;
        let file = identity(path, &data);
        Some(Stamp {
            file,
            // Some file systems report another creation time after each change.
            created: data.created().ok().filter(|_| file.is_none()),
            bytes: data.len(),
            modified: data.modified().ok(),
        })
    }
}

/// A path with the stamp of the file that it led to.
#[derive(Clone, Debug)]
struct StampedPath {
    path: PathBuf,
    stamp: Option<Stamp>,
}

/// The state of the files of a database at one time, including files that did not exist.
#[derive(Clone, Default, Debug)]
pub struct Snapshot {
    files: Vec<StampedPath>,
    /// Whether nothing may be written from these files if one of them has changed, even if other
    /// files are replaced.
    must_stay: bool,
}

impl Snapshot {
    /// Returns the snapshot of these paths.
    pub fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Snapshot {
        let taken = paths.into_iter().map(|path| {
            let path = path.as_ref().to_owned();
            let stamp = Stamp::read(&path);
            StampedPath { path, stamp }
        });
        Snapshot {
            files: taken.collect(),
            must_stay: false,
        }
    }

    /// Returns the current state of the same paths. `must_stay` states whether the files are read
    /// without being copied, so that a change by another program would mix two states.
    pub(crate) fn again(&self, must_stay: bool) -> Snapshot {
        Snapshot {
            must_stay,
            ..Snapshot::of(self.files.iter().map(|taken| &taken.path))
        }
    }

    /// Returns the first changed file, if the files must not change while they are read.
    pub(crate) fn changed_while_read(&self) -> Option<PathBuf> {
        self.changed()
            .filter(|_| self.must_stay)
            .map(Path::to_owned)
    }

    /// Returns the first file that was changed, replaced, removed or created since.
    pub fn changed(&self) -> Option<&Path> {
        let changed = self.files.iter().find(|taken| taken.is_changed());
        changed.map(|taken| taken.path.as_path())
    }

    /// Returns whether the file at this path has changed since.
    pub(crate) fn has_changed(&self, path: &Path) -> bool {
        let mut of_path = self.files.iter().filter(|taken| taken.path == path);
        of_path.any(StampedPath::is_changed)
    }

    /// Returns the first path at which a file existed.
    pub(crate) fn first_present(&self) -> Option<&Path> {
        let mut present = self.files.iter().filter(|taken| taken.stamp.is_some());
        present.next().map(|taken| taken.path.as_path())
    }

    /// Returns the first changed file, if files of a target with the snapshot `target` were read
    /// from this database. Files of the target that did not exist in the database count as changed.
    pub(crate) fn changed_in(&self, target: &Snapshot) -> Option<PathBuf> {
        let is_read = |file: &StampedPath| self.files.iter().any(|taken| taken.is_same_file(file));
        if !target.files.iter().any(is_read) {
            return None;
        }
        let new = || {
            let mut files = target.files.iter().filter(|file| file.stamp.is_some());
            files.find(|file| !is_read(file))
        };
        self.changed()
            .map(Path::to_owned)
            .or_else(|| new().map(|file| file.path.clone()))
    }

    /// Returns a file of this database that is also a file of the target, if the target lacks
    /// another one.
    pub(crate) fn partly_in(&self, target: &Snapshot) -> Option<&Path> {
        let present = || self.files.iter().filter(|file| file.stamp.is_some());
        let is_in = |file: &&StampedPath| target.files.iter().any(|other| other.is_same_file(file));
        let shared = present().find(is_in)?;
        present()
            .any(|file| !is_in(&file))
            .then_some(shared.path.as_path())
    }

    /// Returns whether a path leads to one of the files.
    pub fn contains(&self, path: &Path) -> bool {
        let file = Snapshot::of([path]);
        let mut file = file.files.iter();
        file.any(|file| self.files.iter().any(|taken| taken.is_same_file(file)))
    }
}

impl StampedPath {
    fn is_changed(&self) -> bool {
        Stamp::read(&self.path) != self.stamp
    }

    fn is_same_file(&self, other: &StampedPath) -> bool {
        let file = |taken: &StampedPath| taken.stamp.and_then(|stamp| stamp.file);
        file(self).is_some_and(|this| file(other) == Some(this))
            || real(&self.path) == real(&other.path)
    }
}

/// Returns the path with links resolved, also for a file that does not exist.
pub(crate) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let folder = crate::paths::folder_of(path);
    fs::canonicalize(folder)
        .unwrap_or_else(|_| folder.to_owned())
        .join(path.file_name().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_change_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        let time = SystemTime::UNIX_EPOCH;
        let set_time = |path: &Path, seconds| {
            let file = fs::File::options().write(true).open(path).unwrap();
            let time = time + std::time::Duration::from_secs(seconds);
            file.set_modified(time).unwrap();
        };
        let changes: [(&str, &dyn Fn()); 6] = [
            ("longer", &|| {
                fs::write(&a, "12").unwrap();
                set_time(&a, 1);
            }),
            ("same length", &|| {
                fs::write(&a, "2").unwrap();
                set_time(&a, 2);
            }),
            ("gone", &|| fs::remove_file(&a).unwrap()),
            ("replaced", &|| {
                fs::rename(&c, &a).unwrap();
                set_time(&a, 1);
            }),
            ("a folder", &|| {
                fs::remove_file(&a).unwrap();
                fs::create_dir(&a).unwrap();
            }),
            ("new", &|| fs::write(&b, "1").unwrap()),
        ];
        for (what, change) in changes {
            for path in [&a, &b] {
                let _ = fs::remove_dir(path);
                let _ = fs::remove_file(path);
            }
            fs::write(&a, "1").unwrap();
            fs::write(&c, "1").unwrap();
            set_time(&a, 1);
            let before = Snapshot::of([&a, &b]);
            assert_eq!(before.changed(), None, "{what}");
            change();
            let changed = if what == "new" { &b } else { &a };
            assert_eq!(before.changed(), Some(changed.as_path()), "{what}");
            assert!(before.has_changed(changed), "{what}");
        }
    }

    #[test]
    fn snapshot_ignores_path_spelling() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, new] = ["a", "b", "new"].map(|name| folder.path().join(name));
        fs::write(&a, "1").unwrap();
        let files = Snapshot::of([&a, &b]);
        fs::create_dir(folder.path().join("sub")).unwrap();
        assert!(files.contains(&folder.path().join("sub/../a")));
        assert!(files.contains(&folder.path().join("sub/../b")));
        assert!(!files.contains(&new));
        fs::hard_link(&a, &new).unwrap();
        assert!(files.contains(&new));
    }

    #[test]
    fn target_read_as_source_is_compared_by_files() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        fs::write(&a, "1").unwrap();
        let read = Snapshot::of([&a]);
        let target = Snapshot::of([&a, &b]);
        assert_eq!(read.changed_in(&target), None);
        assert_eq!(Snapshot::of([&c]).changed_in(&target), None);
        assert_eq!(read.partly_in(&target), None);
        fs::write(&c, "1").unwrap();
        assert_eq!(Snapshot::of([&a, &c]).partly_in(&target), Some(a.as_path()));
        assert_eq!(Snapshot::of([&c]).partly_in(&target), None);
        // A file that did not exist when the database was opened.
        fs::write(&b, "1").unwrap();
        assert_eq!(read.changed_in(&Snapshot::of([&a, &b])), Some(b.clone()));
        fs::remove_file(&a).unwrap();
        assert_eq!(read.changed_in(&Snapshot::of([&a])), Some(a));
    }
}
