//! Opening of a database with a damaged index or damaged games (docs/formats/cbf.md, section 17).

use chessdb_core::error::Location;
use chessdb_core::salvage::{
    Carve as _, Found, IndexClaim, Place, TrialReader, Work, add_listed, recover,
};
use chessdb_core::{ErrorKind, FileSet, GameStore as _, ReadOptions, Result, Scratch, Severity};

use crate::raw::{Index, RawHeader};
use crate::rebuild::Carver;
use crate::record_offsets::RecordOffsets;
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::store::Store;

/// Uses the index entries that lead to games and searches the rest of the games file.
///
/// # Errors
///
/// Returns an error if the games file is missing.
pub(crate) fn open(files: &dyn FileSet, options: ReadOptions) -> Result<Store<'_>> {
    let games = files.require(CBF_FILE)?;
    let (words, tail) = Index::split(files.get(CBI_FILE).unwrap_or_default());
    let mut stated = words.iter().zip(0u32..).map(|(word, place)| {
        let word = u32::from_be_bytes(*word);
        (
            word,
            place
                .checked_sub(1)
                .and_then(|_| Index::offset(place, word)),
        )
    });
    let count = stated
        .next()
        .map_or(0, |(count, _)| count.saturating_sub(1));
    let mut offsets: Vec<u64> = stated
        .map(|(_, offset)| offset.unwrap_or(u64::MAX))
        .collect();
    let end = offsets.get(count as usize).copied();
    let has_all_words = tail.is_empty() && offsets.len() as u64 == u64::from(count) + 1;
    let whole = has_all_words && end == Some(games.len() as u64);
    if whole {
        // The last longword is the end of the file and no game.
        offsets.pop();
    }
    let listed = Store::new(
        games,
        RecordOffsets::Found(offsets.clone()),
        options.clone(),
    );
    let entries = claims(&listed, games);
    let credible = entries.iter().filter(|claim| !claim.is_doubtful).count();
    let missing = (count as usize).max(offsets.len()).saturating_sub(credible);
    let is_trusted = whole && credible == offsets.len();
    let mut carver = Carver::new(games);
    let (places, report) = recover((CBF_FILE, games), 0, &entries, is_trusted, &mut carver);
    let start = |place: &Place| match (&place.range, place.entry) {
        (Some(range), _) => range.start as u64,
        (None, entry) => entry.and_then(|n| listed.offset(n)).unwrap_or(u64::MAX),
    };
    let offsets: Vec<u64> = places.iter().map(start).collect();
    let mut scratch = Scratch::new();
    if missing > 0 {
        // The games that these entries belonged to cannot be identified among the recovered ones.
        let kind = ErrorKind::mismatch(
            "the number of index entries that refer to a game",
            credible as u64,
            (credible + missing) as u64,
        );
        let severity =
            if offsets.len() < count as usize { Severity::Lost } else { Severity::Repaired };
        scratch.deviation(&options, severity, kind, Location::byte(CBI_FILE, 0))?;
    }
    let mut store = Store::new(games, RecordOffsets::Found(offsets), options);
    store.opened.diagnostics = scratch.diagnostics;
    store.opened.salvaged = Some(report);
    Ok(store)
}

/// Returns the entries that lead to a record, whether complete or not.
fn claims(listed: &Store<'_>, games: &[u8]) -> Vec<IndexClaim> {
    let mut reader = TrialReader::new(&ReadOptions::default());
    let mut carver = Carver::new(games);
    let mut work = Work::new(games.len());
    let mut claims = Vec::new();
    let range_of = |n| {
        let start = listed
            .offset(n)
            .and_then(|start| usize::try_from(start).ok());
        let inside = start.filter(|&start| start < games.len())?;
        let raw_header = RawHeader::parse(games.get(inside..)?.first_chunk()?);
        Some(
            inside
                ..inside
                    .saturating_add(raw_header.record_len())
                    .min(games.len()),
        )
    };
    for n in 0..listed.len() {
        let Some(range) = range_of(n) else { continue };
        let piece = carver.record(range.start..games.len(), false, &mut work);
        let read = reader.read(
            false,
            |_| true,
            |game, report| listed.game_into(n, game, report.scratch),
        );
        let is_whole = read.is_some();
        let raw_header = games
            .get(range.start..)
            .and_then(|bytes| bytes.first_chunk());
        let is_checked = raw_header.is_some_and(|bytes| RawHeader::parse(bytes).is_checked());
        // A right check byte is enough for an entry to own its record (section 17).
        if piece.is_none() && !is_checked {
            continue;
        }
        let found = if is_whole && piece.is_some() { Found::Exact } else { Found::MovesUpToFault };
        let range = match &piece {
            Some(piece) => range.start..range.start.saturating_add(piece.length),
            None => range,
        };
        claims.push(IndexClaim {
            key: piece.and_then(|piece| piece.key),
            ..IndexClaim::new(n, Some(range), found)
        });
    }
    add_listed(&mut claims, listed, &Some, &range_of);
    claims
}
