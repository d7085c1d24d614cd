//! Detection of damage by comparing the offsets of records (docs/formats/chess-assistant.md,
//! section 7).

use chessdb_core::ErrorKind;

use crate::raw::{Address, LongLengths, RawHeader, RecordBytes};

/// Maximum number of records that are compared to find out how the database fills gaps.
const MAX_COMPARED_GAPS: usize = 1000;

/// Evidence against a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RecordFault {
    /// Several games have their own address of it, so some of these addresses are wrong.
    Shared,
    /// It extends into the next record.
    Overlaps,
    /// It consists of zeros, which fill overwritten blocks, and so do the bytes after it.
    Filled,
}

/// The data that show evidence against a record when it is read.
#[derive(Debug)]
pub(crate) enum RecordFaults {
    /// Each game has its own record, and the records are in the order of the table, as programs
    /// write them. The next entry has the next record.
    InOrder,
    /// The records of a database with changed games, or with entries that share a record.
    Sorted {
        /// The offsets of all records, in ascending order.
        offsets: Vec<u32>,
        /// The offsets that several games have as their own.
        shared: Vec<u32>,
        /// Whether a game has the record at the first byte, although it is the charset mark.
        is_at_mark: bool,
    },
}

/// The records of a database.
#[derive(Clone, Copy)]
pub(crate) struct RecordTable<'a> {
    /// The addresses with aliases resolved.
    pub(crate) resolved: &'a [Address],
    pub(crate) games: &'a [u8],
    pub(crate) lengths: LongLengths,
}

impl RecordFaults {
    /// Returns the evidence if the records are in order, and `None` otherwise. `table` has the addresses as
    /// stored.
    pub(crate) fn in_order(
        raw_headers: &[[u8; RawHeader::SIZE]],
        table: &[i32],
    ) -> Option<RecordFaults> {
        let numbers = raw_headers.iter().map(|bytes| RawHeader::parse(bytes).game);
        let is_in_order = table.first().is_none_or(|&first| first >= 0)
            && table.is_sorted_by(|one, next| one < next)
            && numbers.is_sorted_by(|one, next| one < next);
        is_in_order.then_some(RecordFaults::InOrder)
    }

    /// Compares the record at `offset` alone with all others, in a pass over the table. The result is
    /// for this record only.
    pub(crate) fn of_record(
        offset: u32,
        raw_headers: &[[u8; RawHeader::SIZE]],
        table: &[i32],
        records: RecordTable<'_>,
    ) -> RecordFaults {
        let own = own_offsets(raw_headers, table, records.resolved);
        let is_shared = own.filter(|&own| own == offset).nth(1).is_some();
        let offsets = || {
            records
                .resolved
                .iter()
                .filter_map(|address| address.offset())
        };
        let next = offsets().filter(|&other| other > offset).min();
        let mut own = own_offsets(raw_headers, table, records.resolved);
        RecordFaults::Sorted {
            offsets: next.into_iter().collect(),
            shared: is_shared.then_some(offset).into_iter().collect(),
            is_at_mark: offset == 0
                && next == Some(1)
                && is_mark(records.games)
                && own.any(|own| own == 0),
        }
    }

    /// Sorts the offsets of all records.
    pub(crate) fn sorted(
        raw_headers: &[[u8; RawHeader::SIZE]],
        table: &[i32],
        records: RecordTable<'_>,
    ) -> RecordFaults {
        let RecordTable {
            resolved, games, ..
        } = records;
        let own = sorted(own_offsets(raw_headers, table, resolved));
        let pairs = own.windows(2).filter(|pair| pair.first() == pair.last());
        let begins = |offset| resolved.contains(&Address::At(offset));
        RecordFaults::Sorted {
            offsets: sorted(resolved.iter().filter_map(|address| address.offset())),
            shared: pairs.filter_map(|pair| pair.first().copied()).collect(),
            is_at_mark: own.first() == Some(&0) && is_mark(games) && begins(1),
        }
    }

    /// Returns the evidence against the record at `offset`, which is the address of table entry
    /// `entry`.
    pub(crate) fn fault(
        &self,
        entry: u32,
        offset: u32,
        records: RecordTable<'_>,
    ) -> Option<ErrorKind> {
        let end = |next: Option<u32>| next.map_or(records.games.len(), |next| next as usize);
        let fault = match self {
            RecordFaults::Sorted {
                offsets,
                shared,
                is_at_mark,
            } => {
                let following = offsets.partition_point(|&other| other <= offset);
                let is_shared = shared.binary_search(&offset).is_ok();
                let fault = is_shared.then_some(RecordFault::Shared);
                fault
                    .or_else(|| records.fault(offset, end(offsets.get(following).copied())))
                    .or((*is_at_mark && offset == 0).then_some(RecordFault::Filled))?
            }
            RecordFaults::InOrder => {
                let following = records.resolved.get(entry as usize + 1);
                let next = following.and_then(|address| address.offset());
                let is_at_mark = offset == 0 && next == Some(1) && is_mark(records.games);
                records
                    .fault(offset, end(next))
                    .or(is_at_mark.then_some(RecordFault::Filled))?
            }
        };
        Some(ErrorKind::Structure(match fault {
            RecordFault::Shared => "the record also belongs to another game",
            RecordFault::Overlaps => "the record overlaps the next one",
            RecordFault::Filled => "the record was overwritten",
        }))
    }
}

/// Returns the offset of the record of each game, except of those that share it on purpose.
fn own_offsets<'t>(
    raw_headers: &'t [[u8; RawHeader::SIZE]],
    table: &'t [i32],
    resolved: &'t [Address],
) -> impl Iterator<Item = u32> + 't {
    // -1 is an alias of entry 1, too, but no program writes two of these.
    let ones = table
        .iter()
        .filter(|&&number| number == -1)
        .nth(1)
        .is_some();
    raw_headers.iter().filter_map(move |bytes| {
        let game = RawHeader::parse(bytes).game as usize;
        match *table.get(game)? {
            -1 if ones => resolved.get(game)?.offset(),
            // A negative number shares the record of another entry on purpose.
            number => u32::try_from(number).ok(),
        }
    })
}

impl RecordTable<'_> {
    /// Returns the evidence against the record at `offset` if the next record begins at `next`.
    fn fault(&self, offset: u32, next: usize) -> Option<RecordFault> {
        let record = RecordBytes::find(self.games, offset, self.lengths)?;
        let end = record.start + record.declared;
        // A length that can be read in two ways proves nothing (section 7).
        if record.declared > RecordBytes::UNDISPUTED_LENGTH || end == next {
            return None;
        }
        // The last record has no next one; reading it reports that the file cuts it.
        if end > next && next < self.games.len() {
            return Some(RecordFault::Overlaps);
        }
        // Any bytes may fill a gap between records. Only if the record itself is a part of a run of
        // zeros, the run may have overwritten it.
        let rest = self.games.get(end..next)?;
        let is_filled = self.games.get(end.checked_sub(1)?) == Some(&0)
            && record
                .body
                .iter()
                .chain(rest.iter().take(4))
                .all(|&byte| byte == 0);
        (is_filled && !self.fills_gaps()).then_some(RecordFault::Filled)
    }

    /// Returns whether the database has a gap of zeros after a record that has other bytes, as
    /// databases of a program that aligns records do.
    #[cold]
    fn fills_gaps(&self) -> bool {
        let begins = sorted(self.resolved.iter().filter_map(|address| address.offset()));
        begins.windows(2).take(MAX_COMPARED_GAPS).any(|pair| {
            let (Some(&offset), Some(&next)) = (pair.first(), pair.last()) else {
                return false;
            };
            let Some(record) = RecordBytes::find(self.games, offset, self.lengths) else {
                return false;
            };
            let gap = self
                .games
                .get(record.start + record.declared..next as usize);
            gap.is_some_and(|gap| !gap.is_empty() && gap.iter().all(|&byte| byte == 0))
                && record.body.iter().any(|&byte| byte != 0)
        })
    }
}

/// Returns whether the first byte may be the charset mark or an empty record.
fn is_mark(games: &[u8]) -> bool {
    // A greater byte begins a length of two bytes, and a record there overlaps the one at 1 anyway.
    games.first().is_some_and(|&mark| mark < 0x80)
}

fn sorted(offsets: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sorted: Vec<u32> = offsets.collect();
    // Changed games have moved to the end, so most offsets are in long ascending runs, which the
    // stable sort uses.
    sorted.sort();
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::raw::resolve;

    fn raw_headers<'n>(games: impl IntoIterator<Item = &'n u32>) -> Vec<[u8; RawHeader::SIZE]> {
        let header = |&game| {
            RawHeader {
                game,
                ..RawHeader::default()
            }
            .to_bytes()
        };
        games.into_iter().map(header).collect()
    }

    fn fault(
        faults: &RecordFaults,
        game: u32,
        offset: u32,
        records: RecordTable<'_>,
    ) -> Option<String> {
        faults
            .fault(game, offset, records)
            .map(|kind| kind.to_string())
    }

    proptest! {
        /// Of a table in any order, with aliases and shared records.
        #[test]
        fn comparing_one_record_says_what_comparing_all_says(
            table in prop::collection::vec(prop_oneof![Just(-1), -6..0_i32, 0..6_i32, 0..40_i32], 0..8),
            games in prop::collection::vec(prop_oneof![Just(0), Just(0xFF), 0..6_u8, any::<u8>()], 0..48),
            numbers in prop::collection::vec(0..10_u32, 0..8),
        ) {
            let raw_headers = raw_headers(&numbers);
            let resolved = resolve(&table);
            let records = RecordTable {
                resolved: &resolved,
                games: &games,
                lengths: LongLengths::TwoBytes,
            };
            let all = RecordFaults::sorted(&raw_headers, &table, records);
            for game in numbers {
                if let Some(offset) = resolved.get(game as usize).and_then(|place| place.offset()) {
                    let one = RecordFaults::of_record(offset, &raw_headers, &table, records);
                    let [one, all] = [&one, &all].map(|faults| fault(faults, game, offset, records));
                    prop_assert_eq!(one, all, "{}", game);
                }
            }
        }

        #[test]
        fn neighbours_say_what_comparing_all_says(
            mut table in prop::collection::btree_set(0..40_i32, 0..8),
            games in prop::collection::vec(prop_oneof![Just(0), Just(0xFF), 0..6_u8, any::<u8>()], 0..48),
            numbers in prop::collection::btree_set(0..10_u32, 0..8),
        ) {
            let table: Vec<i32> = std::mem::take(&mut table).into_iter().collect();
            let raw_headers = raw_headers(&numbers);
            let resolved = resolve(&table);
            let records = RecordTable {
                resolved: &resolved,
                games: &games,
                lengths: LongLengths::TwoBytes,
            };
            prop_assert!(RecordFaults::in_order(&raw_headers, &table).is_some());
            let places = RecordFaults::InOrder;
            let all = RecordFaults::sorted(&raw_headers, &table, records);
            for game in numbers {
                if let Some(offset) = resolved.get(game as usize).and_then(|place| place.offset()) {
                    let [one, all] = [&places, &all].map(|faults| fault(faults, game, offset, records));
                    prop_assert_eq!(one, all, "{}", game);
                }
            }
        }
    }
}
