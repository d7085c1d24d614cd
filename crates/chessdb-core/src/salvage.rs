//! Recovery of damaged databases: finds records that no index entry refers to, each once, in the
//! order of the source.
//!
//! A format states which of its index entries refer to records ([`IndexClaim`]) and whether a
//! record begins at a byte ([`Carve`]). [`recover`] does the rest for all formats: it searches the
//! bytes that no entry owns, in bounded time, and inserts the games found there between the others.

mod claim;
mod owned_ranges;
mod report;
mod trial;

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use crate::files::Role;
use crate::sorting::sort_by_key;
use crate::{Game, GameStore, PackedMove, Scratch, Start};

pub use claim::{IndexClaim, Piece};
pub use report::{Found, NoGameReason, Salvaged};
pub use trial::TrialReader;

use owned_ranges::{OwnedRanges, Owner};

/// The number of bytes that may still be examined. It bounds the time of a search for every file.
#[derive(Debug)]
pub struct Work(usize);

impl Work {
    /// Returns the budget for a file of this many bytes.
    pub fn new(bytes: usize) -> Work {
        // A byte may be read many times: by each attempt that begins before it. The constant part
        // lets every small file be searched completely.
        Work(bytes.saturating_mul(48).saturating_add(1 << 20))
    }

    /// Spends this number of bytes; returns `false` if the budget is exhausted.
    pub fn spend(&mut self, bytes: usize) -> bool {
        match self.0.checked_sub(bytes) {
            Some(remaining) => {
                self.0 = remaining;
                true
            }
            None => {
                // A smaller request must not succeed after this one: the search ends as a whole.
                self.0 = 0;
                false
            }
        }
    }
}

/// Recognises the records of a format.
pub trait Carve {
    /// Returns the record that begins at byte `range.start` and ends at `range.end` at the latest.
    /// If `looking`, the only evidence for a record is its own content, so everything in it must be
    /// valid; otherwise another record ends there.
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece>;

    /// Returns whether [`Piece::key`] covers the players too. Then two records with the same key
    /// are versions of one game, and the last one is used. Otherwise only a game that the index
    /// contains is certain to be the same.
    fn keys_know_players(&self) -> bool {
        false
    }

    /// Returns whether the format's programs write records in the order of the index. Then `n`
    /// consecutive headers without a record ([`IndexClaim::range`]) are matched with `n` records
    /// without a header in the same place.
    fn keeps_order(&self) -> bool {
        false
    }

    /// Returns whether these bytes, in which no record was found, are a filler that the format
    /// leaves between records.
    fn is_filler(&self, _range: Range<usize>) -> bool {
        false
    }
}

/// The origin of a recovered game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index entry with its header, if there is one.
    pub entry: Option<u32>,
    /// The bytes of its record.
    pub range: Option<Range<usize>>,
}

/// Minimum length for comparing records; shorter ones may be equal by chance.
const MIN_COMPARED_LENGTH: usize = 40;

/// Returns a key that distinguishes a game from most others: a hash of its start position and the
/// moves of its mainline. `None` for a short mainline, since many games begin alike.
pub fn main_line(start: &Start, moves: impl IntoIterator<Item = PackedMove>) -> Option<u64> {
    const PLIES: usize = 24;
    let mut hasher = DefaultHasher::new();
    if let Start::Setup(setup) = start {
        setup.hash(&mut hasher);
    }
    let mut plies = 0;
    for mv in moves {
        mv.bits().hash(&mut hasher);
        plies += 1;
    }
    (plies >= PLIES).then(|| hasher.finish())
}

/// Completes the claims of an index by reading its games, so that a salvage never has less than the
/// ordinary reader.
///
/// `listed` is that reader, `entry_of` returns the index entry of one of its games, and `range_of`
/// the bytes of the record of an entry, as far as they exist. Claims are in the order of the index.
pub fn add_listed(
    claims: &mut Vec<IndexClaim>,
    listed: &dyn GameStore,
    entry_of: &dyn Fn(u32) -> Option<u32>,
    range_of: &dyn Fn(u32) -> Option<Range<usize>>,
) {
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut remaining = std::mem::take(claims).into_iter().peekable();
    for n in 0..listed.len() {
        let Some(entry) = entry_of(n) else { continue };
        while let Some(other) = remaining.next_if(|claim| claim.entry < entry) {
            claims.push(other);
        }
        let claim = remaining.next_if(|claim| claim.entry == entry);
        if claim.as_ref().is_some_and(IndexClaim::is_sound) {
            claims.extend(claim);
            continue;
        }
        // Only a trial: the diagnostics come again when the caller reads the game.
        scratch.diagnostics.clear();
        let is_read = listed.game_into(n, &mut game, &mut scratch).is_ok();
        let plies = if is_read { game.plies() } else { 0 };
        let claim = claim.map(|claim| IndexClaim {
            range: claim.range.map(|range| range_of(entry).unwrap_or(range)),
            plies,
            ..claim
        });
        claims.extend(claim.or_else(|| {
            is_read.then(|| IndexClaim {
                entry,
                // Without a move, the bytes stay free for the search.
                range: range_of(entry).filter(|_| plies > 0),
                found: Found::MovesUpToFault,
                key: None,
                plies,
                is_doubtful: plies == 0,
            })
        }));
    }
    claims.extend(remaining);
}

/// Merges the games that the index refers to (`claims`, in index order) with those found in the
/// rest of the games file. A found record is inserted after the game that precedes it in the file.
///
/// The rest of the file is not searched if every claim is exact, the last record ends with the
/// file, and the index is `whole`: then it consists of remains of edited games. No record begins
/// before byte `start`.
pub fn recover(
    (file, bytes): (Role, &[u8]),
    start: usize,
    claims: &[IndexClaim],
    whole: bool,
    carve: &mut dyn Carve,
) -> (Vec<Place>, Salvaged) {
    let mut owned = OwnedRanges::default();
    // If several entries refer to the same bytes, they belong to the first.
    let mut dropped = HashSet::new();
    let numbered = || claims.iter().enumerate();
    for (n, claim) in numbered().filter(|(_, claim)| claim.is_sound()) {
        if let Some(range) = &claim.range
            && !owned.take(range, Owner::IndexClaim(n, claim.found))
        {
            dropped.insert(n);
        }
    }
    let exact = claims.iter().all(|claim| claim.found == Found::Exact);
    // A record after the last one is missing from the index.
    let to_end = owned.end() == bytes.len() || claims.is_empty() && bytes.len() <= start;
    let search = !(whole && exact && to_end && dropped.is_empty());
    if search {
        let damaged = claims.iter().filter(|claim| !claim.is_sound());
        let mut damaged: Vec<(Range<usize>, u32)> = damaged
            .filter_map(|claim| Some((claim.range.clone()?, claim.plies)))
            .collect();
        // `search_gaps` looks records up by bisection.
        sort_by_key(&mut damaged, |(range, _)| range.start);
        let mut pieces = search_gaps(&owned, start..bytes.len(), &damaged, carve);
        find_repeated(
            bytes,
            &owned,
            claims,
            carve.keys_know_players(),
            &mut pieces,
        );
        let doubtful = numbered().filter(|(_, claim)| !claim.is_sound());
        let headers = headers(doubtful.clone(), &pieces);
        for (range, piece) in &pieces {
            let owner = match (piece, headers.get(&range.start)) {
                (None, _) => Owner::Twice,
                // An entry may state the right start of a found record but the wrong end.
                (Some(piece), Some(&n)) if piece.found.is_whole() => {
                    Owner::IndexClaim(n, Found::Carved)
                }
                (Some(piece), Some(&n)) => Owner::IndexClaim(n, piece.found),
                (Some(piece), None) => Owner::Carved(piece.found),
            };
            owned.take(range, owner);
        }
        // Last, because a found record is better evidence than a damaged entry.
        for (n, claim) in doubtful {
            let range = claim.range.as_ref();
            let range = range.map(|range| range.start..range.end.min(bytes.len()));
            if let Some(range) = range.and_then(|range| owned.free(&range)) {
                owned.take(&range, Owner::IndexClaim(n, claim.found));
            }
        }
    }
    let mut ranges: HashMap<usize, (Range<usize>, Found)> = HashMap::new();
    let mut games_after: HashMap<Option<usize>, Vec<(Place, Found)>> = HashMap::new();
    let (mut barren, mut last) = (Vec::new(), None);
    for (range, owner) in owned.iter() {
        match owner {
            Owner::IndexClaim(n, state) => {
                last = Some(n);
                ranges.insert(n, (range, state));
            }
            Owner::Carved(state) => {
                let place = Place {
                    entry: None,
                    range: Some(range),
                };
                games_after.entry(last).or_default().push((place, state));
            }
            Owner::Twice => barren.push((file, to_u64_range(&range), NoGameReason::Twice)),
        }
    }
    if carve.keeps_order() {
        join_in_order(claims, &mut ranges, &mut games_after);
    }
    let mut games = games_after.remove(&None).unwrap_or_default();
    // Games without an entry that no doubtful entry has been left out for.
    let mut unmatched = games.len();
    for (n, claim) in numbered() {
        let is_dropped = dropped.contains(&n);
        if (claim.is_doubtful || is_dropped) && unmatched > 0 {
            unmatched -= 1;
            continue;
        }
        let (range, state) = match ranges.remove(&n) {
            Some((range, state)) => (Some(range), state),
            None if is_dropped => (None, Found::MovesUpToFault),
            None => (None, claim.found),
        };
        let entry = Some(claim.entry);
        games.push((Place { entry, range }, state));
        let after = games_after.remove(&Some(n)).unwrap_or_default();
        unmatched += after.len();
        games.extend(after);
    }
    if search {
        let gaps = owned.gaps(start..bytes.len());
        let gaps = gaps.filter(|gap| !carve.is_filler(gap.clone()));
        barren.extend(gaps.map(|gap| (file, to_u64_range(&gap), NoGameReason::Nothing)));
        sort_by_key(&mut barren, |(_, range, _)| range.start);
    }
    let (places, games) = games.into_iter().unzip();
    let moves = Some(file);
    let salvaged = Salvaged {
        games,
        barren,
        moves,
    };
    (places, salvaged)
}

/// Maps the start offset of a found record to the claim for it. Claims match either at their own
/// offset, or all at the same distance from it, as after a part of the file was removed or
/// inserted.
fn headers<'c>(
    doubtful: impl Iterator<Item = (usize, &'c IndexClaim)>,
    pieces: &[Candidate],
) -> HashMap<usize, usize> {
    let start = |(n, claim): (usize, &IndexClaim)| Some((claim.range.as_ref()?.start, n));
    let mut headers: HashMap<usize, usize> = doubtful.filter_map(start).collect();
    let starts: HashSet<usize> = pieces.iter().map(|(range, _)| range.start).collect();
    let moved = |start: usize, by: i64| {
        let start = i64::try_from(start).ok()?.checked_add(by)?;
        usize::try_from(start)
            .ok()
            .filter(|start| starts.contains(start))
    };
    let fits = |by: i64| {
        headers
            .keys()
            .filter(|&&start| moved(start, by).is_some())
            .count()
    };
    let by = |claim: Option<&usize>, piece: Option<&usize>| {
        let (claim, piece) = (i64::try_from(*claim?).ok()?, i64::try_from(*piece?).ok()?);
        piece.checked_sub(claim)
    };
    let last = by(headers.keys().max(), starts.iter().max());
    let first = by(headers.keys().min(), starts.iter().min());
    let offsets = [Some(0), last, first].into_iter().flatten();
    let best = offsets.max_by_key(|&by| fits(by)).unwrap_or(0);
    // A distance that suits only a few records does so by chance.
    if best != 0 && fits(best) * 2 > headers.len() {
        let all = headers.drain().collect::<Vec<_>>().into_iter();
        let shifted = all.filter_map(|(start, n)| Some((moved(start, best)?, n)));
        headers = shifted.collect();
    }
    headers
}

/// The ranges of claims, and the games without a claim after each of them.
type Ranges = HashMap<usize, (Range<usize>, Found)>;
type GamesAfter = HashMap<Option<usize>, Vec<(Place, Found)>>;

/// Matches headers without a record with the records without a header in the same place.
fn join_in_order(claims: &[IndexClaim], ranges: &mut Ranges, games_after: &mut GamesAfter) {
    let placed: HashSet<usize> = ranges.keys().copied().collect();
    let mut before = None;
    let mut headers = Vec::new();
    // One step more than there are claims, for the games after the last one.
    for n in 0..=claims.len() {
        let claim = claims.get(n);
        if claim.is_some() && !placed.contains(&n) {
            let lacks = |claim: &IndexClaim| {
                claim.range.is_none() && !claim.is_sound() && !claim.is_doubtful
            };
            headers.extend(claim.filter(|claim| lacks(claim)).map(|_| n));
            continue;
        }
        // With unequal numbers nothing shows which header has which record.
        if games_after
            .get(&before)
            .is_some_and(|games| games.len() == headers.len())
        {
            let games = games_after.remove(&before).unwrap_or_default();
            for (&n, (place, state)) in headers.iter().zip(games) {
                // Only the order suggests the match, which is no proof.
                let state_at_best = state.max(Found::HeaderUnknown);
                ranges.extend(place.range.map(|range| (n, (range, state_at_best))));
            }
        }
        headers.clear();
        before = Some(n);
    }
}

fn to_u64_range(range: &Range<usize>) -> Range<u64> {
    range.start as u64..range.end as u64
}

/// A record that was found; `None` if the file contains the same game elsewhere.
type Candidate = (Range<usize>, Option<Piece>);

/// Searches for records in the bytes without an owner.
///
/// If the end of these bytes cuts a record, perhaps only its length is damaged. A valid record that
/// begins within it ends it.
///
/// `damaged` are the records with an index entry, in the order of their starts, each with the number
/// of half-moves that can be read of it. Bytes in the middle of a damaged record that look like a
/// record must have more.
fn search_gaps(
    owned: &OwnedRanges,
    file: Range<usize>,
    damaged: &[(Range<usize>, u32)],
    carve: &mut dyn Carve,
) -> Vec<Candidate> {
    let is_part = |offset: usize, piece: &Piece| {
        let before = damaged.partition_point(|(range, _)| range.start < offset);
        before
            .checked_sub(1)
            .and_then(|n| damaged.get(n))
            .is_some_and(|(range, plies)| offset < range.end && piece.plies <= *plies)
    };
    let mut work = Work::new(file.end);
    let mut pieces: Vec<Candidate> = Vec::new();
    for gap in owned.gaps(file) {
        let (mut offset, mut looking) = (gap.start, false);
        while offset < gap.end && work.spend(1) {
            let piece = carve.record(offset..gap.end, looking, &mut work);
            match piece.filter(|piece| !is_part(offset, piece)) {
                Some(piece) => {
                    // A length of 0 would return to the same byte forever.
                    let end = offset.saturating_add(piece.length.max(1)).min(gap.end);
                    if let Some((before, _)) = pieces.last_mut() {
                        before.end = before.end.min(offset);
                    }
                    pieces.push((offset..end, Some(piece)));
                    // After a whole record the next one usually follows at once. A cut one may end
                    // early only because its length is damaged, so that others may be inside it.
                    looking = piece.found == Found::MovesUpToFault;
                    offset = if looking && end == gap.end { offset + 1 } else { end };
                }
                None => {
                    // After the first failure the same byte is tried again, with its content as the
                    // only evidence.
                    offset += usize::from(looking);
                    looking = true;
                }
            }
        }
    }
    pieces
}

/// Removes from `pieces` the games that the index contains and those that have a later version.
fn find_repeated(
    bytes: &[u8],
    owned: &OwnedRanges,
    claims: &[IndexClaim],
    players: bool,
    pieces: &mut [Candidate],
) {
    let digest = |range: &Range<usize>| {
        let record = bytes
            .get(range.clone())
            .filter(|record| record.len() >= MIN_COMPARED_LENGTH)?;
        let mut hasher = DefaultHasher::new();
        record.hash(&mut hasher);
        Some(hasher.finish())
    };
    let mut records: HashSet<u64> = HashSet::new();
    if !pieces.is_empty() {
        records.extend(owned.iter().filter_map(|(range, _)| digest(&range)));
    }
    let sound = claims.iter().filter(|claim| claim.is_sound());
    let mut keys: HashSet<u64> = sound.filter_map(|claim| claim.key).collect();
    // Backwards, since the last version of an edited game comes last.
    for (range, piece) in pieces.iter_mut().rev() {
        let key = piece.as_ref().and_then(|piece| piece.key);
        let is_repeated = key.is_some_and(|key| keys.contains(&key));
        let digest = digest(range);
        if is_repeated || digest.is_some_and(|digest| records.contains(&digest)) {
            *piece = None;
            continue;
        }
        records.extend(digest);
        keys.extend(key.filter(|_| players));
    }
}

#[cfg(test)]
mod tests;
