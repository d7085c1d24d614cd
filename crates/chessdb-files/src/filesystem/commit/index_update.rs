//! The index of a database that changes in place: it states the new files, and lists the changed
//! games (docs/formats/chessdb-changes.md).
//!
//! The list is written before the first byte of the database changes, with the checksums of the new
//! files, which follow from the changes. A program that finds it like that compares whole files, so
//! the index is right after any interruption if the change was completed, and otherwise out of date.
//! Afterwards the list gets the times of the files.

use std::io;
use std::path::{Path, PathBuf};

use chessdb_core::files::Role;

use super::file_change::FileChange;
use super::journal::{Fingerprint, Journal};
use crate::filesystem::index_changes::{ChangeList, ChangedGame};
use crate::filesystem::stamps::{ChangedSum, FileStamp, is_stamped, whole_of};

/// The games that a change concerns.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChangedGames<'g> {
    /// Any game may have changed.
    Unknown,
    /// These games changed; others may have been added.
    Listed(&'g [ChangedGame]),
    /// The games of the last change, which is undone or repeated.
    AsBefore,
}

/// An update of the list of changes that has begun.
pub(super) struct IndexUpdate {
    main: PathBuf,
    targets: Vec<(Role, PathBuf)>,
    list: ChangeList,
    /// The list before.
    before: ChangeList,
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
        let Some(fresh) = ChangeList::of_index(main)? else {
            return Ok(None);
        };
        let mut list = match ChangeList::read(main) {
            Ok(Some(list)) if list.index == fresh.index => list,
            Ok(_) => fresh,
            Err(_) => fresh.stale(),
        };
        let before = list.clone();
        let games = match games {
            ChangedGames::Listed(games) => Some(games),
            ChangedGames::AsBefore if list.journal == id => Some(&[][..]),
            ChangedGames::AsBefore | ChangedGames::Unknown => None,
        };
        match current_stamps(&list, targets)?.filter(|_| games.is_some()) {
            Some(current) => list.stamps = stamps_after(&current, targets, journal)?,
            None => list.is_stale = true,
        }
        list.journal = id;
        list.write(main, games.unwrap_or_default())?;
        Ok(Some(IndexUpdate {
            main: main.to_owned(),
            targets: targets.to_vec(),
            list,
            before,
        }))
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
/// changed.
fn current_stamps(
    list: &ChangeList,
    targets: &[(Role, PathBuf)],
) -> io::Result<Option<Vec<FileStamp>>> {
    let mut current = Vec::new();
    let stamped = targets
        .iter()
        .filter(|(role, path)| is_stamped(*role) && path.is_file());
    for (role, path) in stamped {
        let stamp = list
            .stamps
            .get(current.len())
            .filter(|stamp| stamp.is_of(*role));
        match stamp
            .map(|stamp| stamp.renewed(*role, path))
            .transpose()?
            .flatten()
        {
            Some(stamp) => current.push(stamp),
            None => return Ok(None),
        }
    }
    Ok((current.len() == list.stamps.len()).then_some(current))
}

/// Returns the stamps of the files after a change.
fn stamps_after(
    current: &[FileStamp],
    targets: &[(Role, PathBuf)],
    journal: &Journal,
) -> io::Result<Vec<FileStamp>> {
    let mut stamps = Vec::new();
    for (role, path) in targets.iter().filter(|(role, _)| is_stamped(*role)) {
        let old = current.iter().find(|stamp| stamp.is_of(*role));
        let change = journal.changes.iter().find(|change| change.target == *path);
        let entry = journal.entries.iter().find(|entry| entry.target == *path);
        let (size, whole) = match (change, entry, old) {
            (Some(change), _, Some(old)) => (change.after, sum_after(*role, change, old.whole)),
            (_, Some(entry), _) => match entry.new {
                // Some bytes of an index of SCID do not count.
                Some(new) if role.0 == "si4" => {
                    (new.bytes(), whole_of(*role, &journal.new_path(path))?)
                }
                Some(new) => (new.bytes(), new.crc()),
                None => continue,
            },
            (_, None, Some(old)) => {
                stamps.push(*old);
                continue;
            }
            (_, None, None) => continue,
        };
        stamps.push(FileStamp::before_change(*role, size, whole));
    }
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
