//! The index of a database that changes in place: it states the new files, and lists the changed
//! games (docs/formats/chessdb-changes.md).
//!
//! The list is written before the first byte of the database changes, with the checksums of the new
//! files, which follow from the changes. A program that finds it like that compares whole files, so
//! the index is right after any interruption if the change was completed, and otherwise out of date.
//! Afterwards the list gets the times of the files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use chessdb_core::files::Role;
use chessdb_core::sorting::sort_by_key;

use super::file_change::FileChange;
use super::journal::{Fingerprint, Journal};
use super::sink::IndexedChange;
use crate::filesystem::index_changes::ChangeList;
use crate::filesystem::stamps::{ChangedSum, FileStamp, is_stamped, spliced_sum, whole_of};

/// The games that a change concerns.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChangedGames<'g> {
    /// These games changed; others may have been added.
    Listed(&'g IndexedChange),
    /// The games of the last change, which is undone or repeated.
    AsBefore,
}

/// An update of the list of changes that has begun.
#[derive(Debug)]
pub(super) struct IndexUpdate {
    main: PathBuf,
    targets: Vec<(Role, PathBuf)>,
    list: ChangeList,
    /// The list before.
    before: ChangeList,
    /// The stamps of the files before the change, if the list describes them.
    current: Option<Vec<FileStamp>>,
    /// The files, which stay open: the system ends the locks of a process on a file when the process
    /// closes any of its handles, and a library may have locked it.
    _open: Vec<File>,
}

impl IndexUpdate {
    /// Notes that the database with these files is about to change. `main` is the file after which
    /// its index is named, and `id` the checksum of the journal. `None` if it has no index.
    pub(super) fn begin(
        main: &Path,
        targets: &[(Role, PathBuf)],
        journal: &Journal,
        id: u32,
        games: ChangedGames<'_>,
    ) -> io::Result<Option<IndexUpdate>> {
        let mut update = IndexUpdate::prepare(main, targets)?;
        if let Some(update) = &mut update {
            update.describe(journal, id, id, games)?;
        }
        Ok(update)
    }

    /// Examines the index of a database before the library of its format changes it. `None` if it has
    /// no index.
    pub(super) fn prepare(
        main: &Path,
        targets: &[(Role, PathBuf)],
    ) -> io::Result<Option<IndexUpdate>> {
        let Some(fresh) = ChangeList::of_index(main)? else {
            return Ok(None);
        };
        let list = match ChangeList::read(main) {
            Ok(Some(list)) if list.index == fresh.index => list,
            Ok(_) => fresh,
            Err(_) => fresh.stale(),
        };
        let mut open = Vec::new();
        Ok(Some(IndexUpdate {
            main: main.to_owned(),
            targets: targets.to_vec(),
            before: list.clone(),
            current: current_stamps(&list, targets, &mut open)?,
            list,
            _open: open,
        }))
    }

    /// Writes the list with the state of the files after a change. `ids` are the checksums of its
    /// journal before and after it.
    fn describe(
        &mut self,
        journal: &Journal,
        id_before: u32,
        id: u32,
        games: ChangedGames<'_>,
    ) -> io::Result<()> {
        let list = &mut self.list;
        let games = match games {
            ChangedGames::Listed(change) => {
                list.has_new_letters |= change.changes_letters;
                change.games.as_deref()
            }
            ChangedGames::AsBefore if list.journal == id_before => Some(&[][..]),
            ChangedGames::AsBefore => None,
        };
        match self.current.as_ref().filter(|_| games.is_some()) {
            Some(current) => list.stamps = stamps_after(current, &self.targets, journal)?,
            None => list.is_stale = true,
        }
        list.journal = id;
        list.write(&self.main, games.unwrap_or_default())
    }

    /// Notes a change that the library of the format has made. The index before it was examined by
    /// [`IndexUpdate::prepare`]. Until then the index is out of date, because the time of
    /// the file is another. Returns whether the index is right.
    pub(super) fn follow(
        mut self,
        journal: &Journal,
        id_before: u32,
        id: u32,
        games: ChangedGames<'_>,
    ) -> io::Result<bool> {
        self.describe(journal, id_before, id, games)?;
        self.finish()
    }

    /// Notes that the change is complete. Returns whether the index is right.
    pub(super) fn finish(mut self) -> io::Result<bool> {
        if self.list.is_stale {
            return Ok(false);
        }
        for stamp in &mut self.list.stamps {
            let target = self.targets.iter().find(|(role, _)| stamp.is_of(*role));
            if let Some((role, path)) = target.filter(|_| stamp.time == FileStamp::NO_TIME) {
                *stamp = FileStamp::after_change(*role, path, stamp.whole)?;
            }
        }
        self.list.rewrite(&self.main)?;
        Ok(true)
    }

    /// Notes that the database is as before.
    /// Returns whether the index is as right as before.
    pub(super) fn withdraw(self) -> io::Result<bool> {
        self.before.rewrite(&self.main)?;
        Ok(!self.before.is_stale)
    }
}

/// Returns the stamps of the files if they are as the list states. `None` if the database has
/// changed. The files are added to `open`.
fn current_stamps(
    list: &ChangeList,
    targets: &[(Role, PathBuf)],
    open: &mut Vec<File>,
) -> io::Result<Option<Vec<FileStamp>>> {
    let mut current = Vec::new();
    for stamp in &list.stamps {
        let target = targets.iter().find(|(role, _)| stamp.is_of(*role));
        let Some((role, path)) = target.filter(|(_, path)| path.is_file()) else {
            return Ok(None);
        };
        let file = File::open(path)?;
        let renewed = stamp.renewed(*role, &file)?;
        open.push(file);
        match renewed {
            Some(stamp) => current.push(stamp),
            None => return Ok(None),
        }
    }
    let is_present = |(role, path): &&(Role, PathBuf)| is_stamped(*role) && path.is_file();
    let files = targets.iter().filter(is_present).count();
    Ok((files == current.len()).then_some(current))
}

/// Returns the stamps of the files after a change: first those that exist already.
fn stamps_after(
    current: &[FileStamp],
    targets: &[(Role, PathBuf)],
    journal: &Journal,
) -> io::Result<Vec<FileStamp>> {
    let mut stamps = current.to_vec();
    for (role, path) in targets.iter().filter(|(role, _)| is_stamped(*role)) {
        let place = stamps.iter().position(|stamp| stamp.is_of(*role));
        let old = place.and_then(|place| stamps.get_mut(place));
        let change = journal.changes.iter().find(|change| change.target == *path);
        let entry = journal.entries.iter().find(|entry| entry.target == *path);
        match (change, entry, old) {
            (Some(change), _, Some(stamp)) => {
                let whole = if change.is_moved() {
                    spliced_sum(path, stamp.whole, change.after, &change.ranges)?
                } else {
                    sum_after(*role, change, stamp.whole)
                };
                *stamp = FileStamp::before_change(*role, change.after, whole);
            }
            (_, Some(entry), old) => {
                let Some(new) = entry.new else {
                    stamps.retain(|stamp| !stamp.is_of(*role));
                    continue;
                };
                // Some bytes of an index of SCID do not count.
                let is_counted = role.0 != "si4";
                let whole =
                    if is_counted { new.crc() } else { whole_of(*role, &journal.new_path(path))? };
                let stamp = FileStamp::before_change(*role, new.bytes(), whole);
                match old {
                    Some(old) => *old = stamp,
                    None => stamps.push(stamp),
                }
            }
            _ => {}
        }
    }
    // A reader expects the order of the format.
    sort_by_key(&mut stamps, |stamp| {
        targets.iter().position(|(role, _)| stamp.is_of(*role))
    });
    Ok(stamps)
}

/// Returns the checksum of a file after a change.
fn sum_after(role: Role, change: &FileChange, sum: u32) -> u32 {
    let tail: Fingerprint = change.tail.fingerprint();
    let mut changed = ChangedSum::new(role, change.before, sum);
    if change.after < change.before {
        changed.cut(tail.crc(), tail.bytes());
    }
    for range in &change.ranges {
        changed.replace(range.offset, &range.before, &range.after);
    }
    if change.after > change.before {
        changed.append(tail.crc(), tail.bytes());
    }
    changed.sum()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::file_change::Tail;
    use super::super::journal::KeptState;
    use super::super::kept_journal::ChangeLog;
    use super::*;
    use crate::filesystem::{ChangedGame, index_changes_path};

    /// Files of a database, and an index of them.
    fn lay(folder: &Path) -> Vec<(Role, PathBuf)> {
        let mut index = b"chessdb index 9\n".to_vec();
        index.extend(7_u32.to_le_bytes());
        index.extend(2_u32.to_le_bytes());
        index.resize(72, 0);
        let mut targets = Vec::new();
        for (role, size) in [("si5", 700), ("sg5", 300_000), ("sn5", 40)] {
            let path = folder.join(format!("b.{role}"));
            let bytes: Vec<u8> = (0..size).map(|n| (n * 7 / 3 % 251) as u8).collect();
            fs::write(&path, bytes).unwrap();
            let role = Role(role);
            if is_stamped(role) {
                let whole = whole_of(role, &path).unwrap();
                FileStamp::after_change(role, &path, whole)
                    .unwrap()
                    .write(&mut index);
            }
            targets.push((role, path));
        }
        index.resize(5000, 1);
        fs::write(folder.join("b.si5.chessdb-index"), index).unwrap();
        targets
    }

    fn journal(targets: &[(Role, PathBuf)], round: u8) -> Journal {
        let change = |path: &PathBuf, tail: &[u8], offset: u64| {
            let before = fs::metadata(path).unwrap().len();
            let patches = [(offset, vec![round; 9])];
            FileChange::new(
                path,
                before,
                Tail::Inline(tail.to_vec()),
                &patches,
                u64::MAX,
            )
            .unwrap()
        };
        Journal {
            main: targets[0].1.clone(),
            entries: Vec::new(),
            changes: vec![
                change(&targets[1].1, b"a record", 150_000 + u64::from(round)),
                change(&targets[0].1, &[round; 56], 100),
            ],
            kept: Some(KeptState {
                log: ChangeLog::default(),
                soundness: Default::default(),
                is_reversed: false,
            }),
        }
    }

    fn begin(
        targets: &[(Role, PathBuf)],
        journal: &Journal,
        games: ChangedGames<'_>,
    ) -> IndexUpdate {
        let main = targets[0].1.clone();
        IndexUpdate::begin(&main, targets, journal, 5, games)
            .unwrap()
            .unwrap()
    }

    fn listed(games: Vec<ChangedGame>) -> IndexedChange {
        IndexedChange {
            games: Some(games),
            changes_letters: false,
        }
    }

    fn apply(journal: &Journal) {
        for change in &journal.changes {
            change.finish().unwrap();
        }
    }

    /// Returns whether the list states the files, whose times are known or not.
    fn is_right(targets: &[(Role, PathBuf)]) -> bool {
        let list = ChangeList::read(&targets[0].1).unwrap().unwrap();
        let files: Vec<_> = targets
            .iter()
            .filter(|(role, _)| is_stamped(*role))
            .collect();
        !list.is_stale
            && list.stamps.len() == files.len()
            && list.stamps.iter().zip(files).all(|(stamp, (role, path))| {
                stamp.is_of(*role)
                    && stamp.size == fs::metadata(path).unwrap().len()
                    && stamp.whole == whole_of(*role, path).unwrap()
            })
    }

    #[test]
    fn list_states_the_new_files_before_they_change() {
        let folder = tempfile::tempdir().unwrap();
        let targets = lay(folder.path());
        let game = |number, data: &[u8]| ChangedGame {
            number,
            data: data.to_vec(),
        };
        for round in 1..5 {
            let journal = journal(&targets, round);
            let games = listed(vec![game(u32::from(round), b""), game(3, &[round])]);
            let update = begin(&targets, &journal, ChangedGames::Listed(&games));
            assert!(!is_right(&targets), "{round}");
            apply(&journal);
            assert!(is_right(&targets), "{round}");
            // A stop here leaves it without times.
            if round != 2 {
                assert!(update.finish().unwrap());
            }
            assert!(is_right(&targets), "{round}");
        }
        // The first data of a game stay.
        let [index, _] = crate::filesystem::index_files(&targets[0].1);
        let index = fs::read(index).unwrap();
        let id = crate::filesystem::IndexId {
            checksum: *index.last_chunk().unwrap(),
            length: index.len() as u64,
        };
        let read = crate::filesystem::IndexChanges::read(&targets[0].1, id)
            .unwrap()
            .unwrap();
        let expected = [game(1, b""), game(2, b""), game(3, &[1]), game(4, b"")];
        assert_eq!(read.games, expected);
        // Undoing and repeating the last change.
        let journal = journal(&targets, 9);
        let update = begin(
            &targets,
            &journal,
            ChangedGames::Listed(&listed(Vec::new())),
        );
        apply(&journal);
        assert!(update.finish().unwrap());
        for next in [journal.reversed(), journal.clone()] {
            let update = begin(&targets, &next, ChangedGames::AsBefore);
            apply(&next);
            assert!(update.finish().unwrap() && is_right(&targets));
        }
        // A change that failed.
        let next = journal.reversed();
        let update = begin(&targets, &next, ChangedGames::AsBefore);
        assert!(update.withdraw().unwrap() && is_right(&targets));
    }

    #[test]
    fn list_is_stale_after_unknown_changes() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..4 {
            let targets = lay(folder.path());
            let _ = fs::remove_file(index_changes_path(&targets[0].1));
            let first = journal(&targets, 1);
            let (none, unknown) = (listed(Vec::new()), IndexedChange::default());
            let games = match round {
                0 => ChangedGames::Listed(&unknown),
                // No change is in the list.
                1 => ChangedGames::AsBefore,
                _ => ChangedGames::Listed(&none),
            };
            match round {
                2 => fs::write(&targets[1].1, vec![1; 300_000]).unwrap(),
                3 => fs::write(index_changes_path(&targets[0].1), b"chessdb edits 1\n").unwrap(),
                _ => {}
            }
            let first = if round == 2 { journal(&targets, 1) } else { first };
            let update = begin(&targets, &first, games);
            apply(&first);
            assert!(!update.finish().unwrap());
            let next = journal(&targets, 2);
            let update = begin(&targets, &next, ChangedGames::Listed(&listed(Vec::new())));
            apply(&next);
            assert!(!update.finish().unwrap(), "{round}");
        }
    }
}
