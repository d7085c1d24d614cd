//! The records of an index: their number, and which of them are games.

use chessdb_core::error::Location;
use chessdb_core::{ErrorKind, ReadOptions, Result, Scratch, Severity};

use crate::raw::{Index, IndexHeader, Record};
use crate::roles::CBH_FILE;

/// Returns the number of records. The header states it twice. A number that matches the size of the
/// file is used; otherwise the first number counts, limited by the size of the file.
pub(crate) fn count(
    index: &Index<'_>,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<usize> {
    let Some(index_header) = &index.index_header else {
        return Err(ErrorKind::truncated(
            "the header of the index",
            IndexHeader::SIZE as u64,
            index.tail.len() as u64,
        )
        .into());
    };
    if usize::from(index_header.record_size) != Record::SIZE {
        return Err(
            ErrorKind::bad_field("the size of the records", index_header.record_size).into(),
        );
    }
    let stored = index.records.len();
    // The header states the number of the next game, so an empty database has 1.
    let stated = |next: u32| (next as usize).saturating_sub(1);
    let (first, second) = (
        stated(index_header.next_game),
        stated(index_header.next_game_again),
    );
    if first == stored && index.tail.is_empty() {
        return Ok(stored);
    }
    let count = if second == stored { stored } else { first.min(stored) };
    let severity = if first > stored { Severity::Lost } else { Severity::Repaired };
    let kind = ErrorKind::mismatch("the number of records", stored as u64, first as u64);
    scratch.deviation(options, severity, kind, Location::byte(CBH_FILE, 6))?;
    Ok(count)
}

/// The kinds of the records of an index.
pub(crate) struct RecordKinds {
    /// The records that are games, from 0; `None` if all are.
    pub(crate) ids: Option<Vec<u32>>,
    /// The records that are guiding texts.
    pub(crate) texts: Vec<u32>,
    /// True if the index states annotations for any game.
    pub(crate) annotated: bool,
}

impl RecordKinds {
    /// Returns the kinds of an index that has only games, of a database without missing files.
    pub(crate) fn all_games() -> RecordKinds {
        RecordKinds {
            ids: None,
            texts: Vec::new(),
            annotated: false,
        }
    }

    pub(crate) fn find(index: &Index<'_>) -> RecordKinds {
        let is_game = |kind: u8| kind & (Record::PRESENT | Record::TEXT) == Record::PRESENT;
        let mut kinds = RecordKinds::all_games();
        for (n, record) in (0u32..).zip(index.records) {
            let [kind, ..] = *record;
            if is_game(kind) {
                // A game without annotations has the offset 0. Only the others need .cba.
                kinds.annotated |= record.get(5..9) != Some(&[0; 4]);
                if let Some(ids) = &mut kinds.ids {
                    ids.push(n);
                }
                continue;
            }
            // Most databases have no texts and need no list, so the first text creates it.
            kinds.ids.get_or_insert_with(|| (0..n).collect());
            if kind & Record::PRESENT != 0 {
                kinds.texts.push(n);
            }
        }
        kinds
    }
}
