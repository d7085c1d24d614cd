//! Checks of record offsets: contradictions between records, and games after the last indexed one.

use chessdb_core::report::GameReport;
use chessdb_core::store::UnusedSpace;
use chessdb_core::{ErrorKind, Result, Severity};

use super::Store;
use crate::raw::{Entry, EntrySize, Length, Magic};
use crate::report::ReportExt as _;
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::unindexed::{unindexed, valid_record};

impl Store<'_> {
    /// Compares the records with one another: each belongs to one game, none extends into the next,
    /// and no game is between them. In databases of the oldest layout the end of a record is
    /// unknown.
    pub(super) fn compare_records(&self, report: &mut GameReport<'_>) -> Result<()> {
        if self.layout.entry == EntrySize::Short {
            return Ok(());
        }
        let (mut shared, mut overlapping, mut between) = (0, 0, 0);
        let entries = self.entries.chunks_exact(self.layout.entry.bytes());
        let all = entries.map(Entry::offset_of);
        self.game_offsets().pairs(all, &mut |start, next| {
            if start == next {
                shared += 1;
                return;
            }
            let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
            let (start, next) = (place(start), place(next));
            let Some((length, _)) = self.games.get(start..).and_then(Length::parse) else {
                return;
            };
            let end = start.saturating_add(length.size() + length.value as usize);
            if end > next {
                // An entry that leads out of the file is no evidence against this record.
                overlapping += u64::from(next < self.games.len());
            } else if let Some(rest) = self.games.get(..next).filter(|_| end < next) {
                between += unindexed(rest, end).len() as u64;
            }
        });
        let counts = [
            (
                "the number of games with the record of another game",
                shared,
            ),
            (
                "the number of records that overlap the next one",
                overlapping,
            ),
            ("the number of records that belong to no game", between),
        ];
        report.lost_counts(&counts, DCG_FILE)
    }

    /// Returns the bytes of the games file and the names that no game uses. In databases of the oldest
    /// layout the end of a record is unknown.
    pub(super) fn unused_space(&self) -> UnusedSpace {
        let entries = || (0..u32::MAX).map_while(|n| self.entry(n));
        let names = self.names.unused(entries());
        if self.layout.entry == EntrySize::Short {
            return UnusedSpace { bytes: 0, names };
        }
        let games = self.games.len() as u64;
        let length_at = |start: u64| {
            let rest = self.games.get(usize::try_from(start).ok()?..)?;
            Length::parse(rest).map(|(length, _)| length.size() as u64 + u64::from(length.value))
        };
        let (mut bytes, mut end) = (0, Magic::SIZE as u64);
        let mut see = |start: u64| {
            // Overlapping records have no bytes between them.
            bytes += start.min(games).saturating_sub(end);
            end = end.max(start.saturating_add(length_at(start).unwrap_or(0)));
        };
        let first = self.entry(0).map(|entry| entry.offset);
        self.game_offsets()
            .first(first)
            .into_iter()
            .for_each(&mut see);
        let offsets = entries().map(|entry| entry.offset);
        self.game_offsets().pairs(offsets, &mut |_, next| see(next));
        bytes += games.saturating_sub(end);
        UnusedSpace { bytes, names }
    }

    /// Searches for games after the last indexed one. In databases of the oldest layout the end of
    /// a record is known only from the next one, so there is no search.
    pub(super) fn find_unindexed(&mut self, report: &mut GameReport<'_>) -> Result<()> {
        if self.layout.entry == EntrySize::Short {
            return Ok(());
        }
        let last = self.count.checked_sub(1).and_then(|n| self.entry(n));
        let end = match self.game_offsets().last(last.map(|entry| entry.offset)) {
            None => Some(Magic::SIZE),
            Some(last) => usize::try_from(last).ok().and_then(|last| {
                let rest = self.games.get(last..).filter(|_| last >= Magic::SIZE)?;
                Some(last + valid_record(rest)?.size())
            }),
        };
        let offsets = end.map_or(Vec::new(), |end| unindexed(self.games, end));
        let entry = Entry::default();
        let entries = offsets.into_iter().map(|offset| Entry { offset, ..entry });
        self.unindexed = entries.collect();
        self.unindexed.truncate((u32::MAX - self.count) as usize);
        if self.unindexed.is_empty() {
            return Ok(());
        }
        let indexed = u64::from(self.count);
        let kind = ErrorKind::mismatch(
            "the number of games in the index",
            indexed,
            indexed + self.unindexed.len() as u64,
        );
        report.file(Severity::Lost, kind, DCI_FILE)
    }
}
