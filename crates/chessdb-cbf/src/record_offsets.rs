//! The offsets of a database's records, from the index or from a search.

use std::collections::HashSet;

use chessdb_core::error::Location;
use chessdb_core::{ErrorKind, ReadOptions, Result, Scratch, Severity};

use crate::raw::{Index, RecordParts};
use crate::rebuild::rebuild_index;
use crate::roles::{CBF_FILE, CBI_FILE};

/// The offsets of the records.
#[derive(Debug)]
pub(crate) enum RecordOffsets<'a> {
    /// The longwords of the index, one per game.
    Index(&'a [[u8; 4]]),
    /// The offsets found in the games file.
    Found(Vec<u64>),
}

impl<'a> RecordOffsets<'a> {
    /// Returns the offsets that the index states. If it is missing or invalid, the games file is
    /// searched for records; if it ends too early, only the missing ones are searched for.
    pub(crate) fn read(
        index: Option<&'a [u8]>,
        games: &[u8],
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<RecordOffsets<'a>> {
        let indexed = match index {
            Some(index) => read_index(index, games, options, scratch)?,
            None => {
                let kind = ErrorKind::MissingFile(CBI_FILE);
                let location = Location::file(CBI_FILE);
                scratch.deviation(options, Severity::Repaired, kind, location)?;
                None
            }
        };
        Ok(match indexed {
            Some(UsableIndex { entries, cut: None }) => RecordOffsets::Index(entries),
            Some(UsableIndex {
                entries,
                cut: Some(count),
            }) => RecordOffsets::Found(complete_index(entries, count, games, options, scratch)?),
            None => RecordOffsets::Found(search(games, options, scratch)?),
        })
    }

    /// Returns the offset of the record of game `n`, counted from 0. `None` if its index entry is
    /// invalid.
    pub(crate) fn offset(&self, n: u32) -> Option<u64> {
        match self {
            RecordOffsets::Index(words) => {
                let word = u32::from_be_bytes(*words.get(n as usize)?);
                Index::offset(n.checked_add(1)?, word)
            }
            RecordOffsets::Found(offsets) => offsets.get(n as usize).copied(),
        }
    }

    /// Returns the number of games.
    pub(crate) fn len(&self) -> usize {
        match self {
            RecordOffsets::Index(words) => words.len(),
            RecordOffsets::Found(offsets) => offsets.len(),
        }
    }
}

/// Returns the index entries of the games, or `None` if the index is unusable (section 2).
fn read_index<'a>(
    index: &'a [u8],
    games: &[u8],
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<Option<UsableIndex<'a>>> {
    let (words, tail) = Index::split(index);
    let mut report = |severity, kind, byte| {
        scratch.deviation(options, severity, kind, Location::byte(CBI_FILE, byte))
    };
    let broken = ErrorKind::Structure("the index refers to no games");
    let declared = words.split_first().and_then(|(first, rest)| {
        let count = u32::from_be_bytes(*first).checked_sub(1)?;
        Some((count as usize, rest))
    });
    let Some((count, entries)) = declared else {
        report(Severity::Repaired, broken, 0)?;
        return Ok(None);
    };
    if !tail.is_empty() {
        let kind = ErrorKind::mismatch(
            "the number of bytes after the last longword",
            tail.len() as u64,
            0,
        );
        report(Severity::Note, kind, index.len() as u64)?;
    }
    let end_of = |place: usize, word: [u8; 4]| {
        let place = u32::try_from(place).ok()?;
        Index::offset(place, u32::from_be_bytes(word))
    };
    let mut cut = None;
    let taken = match entries.get(count) {
        // The count may be damaged. If it does not lead to an entry with the end of the file, all
        // entries are used.
        Some(last)
            if entries.len() > count + 1
                && end_of(count + 1, *last) != Some(games.len() as u64) =>
        {
            report(Severity::Repaired, longword_mismatch(entries, count), 0)?;
            entries.split_last().map_or(entries, |(_, rest)| rest)
        }
        Some(last) => {
            if entries.len() > count + 1 {
                report(
                    Severity::Note,
                    longword_mismatch(entries, count),
                    4 * (count as u64 + 2),
                )?;
            }
            if end_of(count + 1, *last) != Some(games.len() as u64) {
                let stated_end = end_of(count + 1, *last).unwrap_or(0);
                let what = "the length of the games file in its index";
                let kind = ErrorKind::mismatch(what, stated_end, games.len() as u64);
                // A record after the end is a game that is not in the index.
                let end = usize::try_from(stated_end).ok().filter(|&end| end > 0);
                let surplus = end.and_then(|end| games.get(end..));
                let has_games = |rest| !rebuild_index(rest).offsets.is_empty();
                let severity =
                    if surplus.is_some_and(has_games) { Severity::Lost } else { Severity::Note };
                report(severity, kind, 4 * (count as u64 + 1))?;
            }
            entries.get(..count).unwrap_or_default()
        }
        None if entries.len() == count => {
            // Readers accept an index without its last longword (section 2).
            let kind = ErrorKind::Structure("the last longword is missing");
            report(Severity::Repaired, kind, index.len() as u64)?;
            entries
        }
        None => match entries.split_last() {
            Some((last, rest)) if end_of(entries.len(), *last) == Some(games.len() as u64) => {
                // The end fits an index of this length: the count is wrong, or games were lost.
                report(Severity::Lost, longword_mismatch(entries, count), 0)?;
                rest
            }
            _ => {
                cut = Some(count);
                entries
            }
        },
    };
    if leads_nowhere(taken, games) {
        report(Severity::Repaired, broken, 0)?;
        return Ok(None);
    }
    Ok(Some(UsableIndex {
        entries: taken,
        cut,
    }))
}

/// Returns the error for an index with a number of longwords that does not match `count` games.
fn longword_mismatch(entries: &[[u8; 4]], count: usize) -> ErrorKind {
    ErrorKind::mismatch(
        "the number of longwords",
        entries.len() as u64,
        count as u64 + 1,
    )
}

/// The usable part of an index.
struct UsableIndex<'a> {
    entries: &'a [[u8; 4]],
    /// The number of games that the index states, if it ends before its last entry.
    cut: Option<usize>,
}

/// Returns the offsets of an index that ends too early, followed by the records that a search finds
/// in the games file in addition.
fn complete_index(
    entries: &[[u8; 4]],
    count: usize,
    games: &[u8],
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<Vec<u64>> {
    let stated = entries.iter().zip(1..).map(|(word, place)| {
        // An invalid entry remains as a game that cannot be read.
        Index::offset(place, u32::from_be_bytes(*word)).unwrap_or(u64::MAX)
    });
    let mut offsets: Vec<u64> = stated.collect();
    let listed: HashSet<u64> = offsets.iter().copied().collect();
    let additional = rebuild_index(games).offsets.into_iter();
    offsets.extend(additional.filter(|offset| !listed.contains(offset)));
    let severity = if offsets.len() < count { Severity::Lost } else { Severity::Repaired };
    let kind = longword_mismatch(entries, count);
    scratch.deviation(options, severity, kind, Location::byte(CBI_FILE, 0))?;
    Ok(offsets)
}

/// Returns true if most entries lead to no record. Large indexes are sampled.
fn leads_nowhere(entries: &[[u8; 4]], games: &[u8]) -> bool {
    const SAMPLE: usize = 256;
    let step = entries.len().div_ceil(SAMPLE).max(1);
    let (mut all, mut wrong) = (0, 0);
    for (n, word) in entries.iter().enumerate().step_by(step) {
        let offset = u32::try_from(n + 1)
            .ok()
            .and_then(|place| Index::offset(place, u32::from_be_bytes(*word)))
            .and_then(|offset| usize::try_from(offset).ok());
        let rest = offset.and_then(|offset| games.get(offset..));
        let fits = rest.is_some_and(|bytes| RecordParts::parse(bytes).is_ok());
        all += 1;
        wrong += usize::from(!fits);
    }
    // An empty games file shows nothing about the index.
    wrong * 2 > all && !games.is_empty()
}

fn search(games: &[u8], options: &ReadOptions, scratch: &mut Scratch) -> Result<Vec<u64>> {
    let rebuilt = rebuild_index(games);
    let counts = [
        (
            Severity::Lost,
            "the number of bytes outside all games",
            rebuilt.unused,
        ),
        (
            Severity::Note,
            "the number of records that are copies or earlier versions of other games",
            rebuilt.duplicates.into(),
        ),
    ];
    for (severity, what, found) in counts.into_iter().filter(|(.., count)| *count > 0) {
        let kind = ErrorKind::mismatch(what, found, 0);
        scratch.deviation(options, severity, kind, Location::file(CBF_FILE))?;
    }
    Ok(rebuilt.offsets)
}
