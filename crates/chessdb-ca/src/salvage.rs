//! Recovery of damaged databases: which headers and addresses are trusted, and which records no
//! address leads to (docs/formats/chess-assistant.md, section 17).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use chessdb_core::salvage::{
    Carve, Found, IndexClaim, Piece, TrialReader, Work, add_listed, recover,
};

use crate::raw::{Address, Item, RawHeader, RecordBytes};
use crate::roles::{D00_FILE, D02_FILE};
use crate::store::Store;

/// The length of a record that may belong to several entries by chance, in bytes.
const MIN_LENGTH: usize = 8;
/// This many consecutive games without moves are not games.
const MAX_EMPTY_GAMES: usize = 16;

/// Returns the headers of a file that has lost bytes. After each gap, they begin at the byte offset
/// from which most are credible.
pub(crate) fn aligned_headers(d00: &[u8]) -> Vec<[u8; RawHeader::SIZE]> {
    /// The headers that are compared for each offset, and the offsets that are changed.
    const SAMPLE: usize = 20;
    const MAX_GAPS: usize = 4000;
    let is_header = |bytes: &[u8; RawHeader::SIZE]| {
        let raw_header = RawHeader::parse(bytes);
        // At a wrong offset, the high byte of the number is seldom 0.
        is_credible(&raw_header) && raw_header.game < 1 << 24
    };
    let mut rest = d00;
    let mut headers = Vec::with_capacity(d00.len() / RawHeader::SIZE);
    for gap in 0.. {
        let rows = rest.as_chunks().0;
        let credible = rows.iter().take_while(|bytes| is_header(bytes)).count();
        // The search for an offset must stay bounded, so the rest is taken as it is.
        let credible = if gap < MAX_GAPS { credible } else { rows.len() };
        headers.extend(rows.iter().take(credible));
        rest = rest.get(credible * RawHeader::SIZE..).unwrap_or_default();
        let fits = |from: &usize| {
            let (rows, _) = rest.get(*from..).unwrap_or_default().as_chunks();
            rows.iter()
                .take(SAMPLE)
                .filter(|bytes| is_header(bytes))
                .count()
        };
        // `max_by_key` returns the last of equal offsets: in reverse, the nearest one.
        let best = (0..RawHeader::SIZE).rev().max_by_key(fits).unwrap_or(0);
        if best == 0 {
            // A single bad header, or none.
            headers.extend(rest.first_chunk());
        }
        let used = if best == 0 { RawHeader::SIZE } else { best };
        rest = rest.get(used..).unwrap_or_default();
        if rest.len() < RawHeader::SIZE {
            break;
        }
    }
    headers
}

/// Returns whether the fields of a header are within their ranges.
fn is_credible(raw_header: &RawHeader) -> bool {
    let date = raw_header.date.to_date();
    matches!(raw_header.outcome, 1..=16) && date.year <= 9999
}

impl Store<'_> {
    /// Locates the games that the headers lead to, and those that they do not, and makes them the
    /// games of this store.
    pub(crate) fn recover(&mut self) {
        let rebuilt = self.complete_addresses();
        let claims = self.claims(&rebuilt);
        let whole = claims.len() == self.raw_headers.len()
            && self.raw_headers.len() == self.addresses.len();
        let mut carver = Carver::new(self);
        let (places, mut salvaged) = recover(
            (D02_FILE, self.games),
            carver.first(),
            &claims,
            whole,
            &mut carver,
        );
        self.set_places(places, salvaged.clone());
        salvaged.mark_incomplete(self);
        self.set_salvaged(salvaged);
    }

    /// Rebuilds an address table with fewer entries than the headers require, which may have lost
    /// its beginning.
    ///
    /// Records are then numbered from the first in the games file, if their number is as expected.
    /// Returns the numbers of the entries that changed.
    fn complete_addresses(&mut self) -> HashSet<u32> {
        let raw_headers = self
            .raw_headers
            .iter()
            .map(RawHeader::parse)
            .filter(is_credible);
        let wanted = raw_headers
            .map(|raw_header| raw_header.game as usize + 1)
            .max()
            .unwrap_or(0);
        if wanted <= self.addresses.len() {
            return HashSet::new();
        }
        let mut carver = Carver::new(self);
        let (records, _) = recover(
            (D02_FILE, self.games),
            carver.first(),
            &[],
            false,
            &mut carver,
        );
        if records.len() != wanted {
            return HashSet::new();
        }
        let ranges = records.iter().filter_map(|place| place.range.as_ref());
        let starts = ranges.filter_map(|range| u32::try_from(range.start).ok());
        let addresses: Vec<Address> = starts.map(Address::At).collect();
        let old = std::mem::replace(&mut self.addresses, addresses);
        (0..)
            .zip(&self.addresses)
            .filter(|(n, address)| old.get(*n as usize) != Some(*address))
            .map(|(n, _)| n)
            .collect()
    }

    /// Returns the records that the headers refer to, if the header or the record is credible.
    fn claims(&self, rebuilt: &HashSet<u32>) -> Vec<IndexClaim> {
        let mut carver = Carver::new(self);
        let mut names = TrialReader::new(&self.options);
        let mut work = Work::new(self.games.len());
        // Entries may share a record by an alias, but not by the same address.
        let mut uses: HashMap<u32, HashSet<u32>> = HashMap::new();
        for raw_header in self.raw_headers.iter().map(RawHeader::parse) {
            if let Some(Address::At(offset)) = self.addresses.get(raw_header.game as usize) {
                uses.entry(*offset).or_default().insert(raw_header.game);
            }
        }
        let mut claimed: HashMap<u32, u32> = HashMap::new();
        let mut claims = Vec::new();
        for (n, bytes) in (0..).zip(self.raw_headers.iter()) {
            let raw_header = RawHeader::parse(bytes);
            let mut has_names = || {
                let matters = |file| file == Some(D00_FILE);
                let header = names.read(false, matters, |game, report| {
                    self.header_into(n, game, report)
                });
                header.is_some() && !self.lookup.missing
            };
            let credible = is_credible(&raw_header) && has_names();
            let address = self.addresses.get(raw_header.game as usize);
            let start = address.and_then(|address| address.offset());
            let several =
                start.is_some_and(|start| uses.get(&start).is_some_and(|uses| uses.len() > 1));
            let range = |start: u32| start as usize..self.games.len();
            // A header of zeros was overwritten; read as data, it would claim the first record. An
            // address that several entries have was overwritten too, unless the record there is
            // sound.
            let piece = start
                .filter(|_| bytes.iter().any(|&byte| byte != 0))
                .filter(|start| (*start as usize) < self.games.len())
                .and_then(|start| carver.record(range(start), false, &mut work))
                .filter(|piece| piece.found.is_whole() && !(several && piece.length < MIN_LENGTH));
            let mut claim = IndexClaim::new(n, None, Found::MovesUpToFault);
            match (start, piece) {
                (Some(start), Some(piece)) => match claimed.get(&start) {
                    None => {
                        claimed.insert(start, raw_header.game);
                        claim.range = Some(start as usize..start as usize + piece.length);
                        claim.found = if credible && !rebuilt.contains(&raw_header.game) {
                            Found::Exact
                        } else {
                            Found::HeaderUnknown
                        };
                        claim.key = piece.key;
                    }
                    // Same record, same number or an alias of it.
                    Some(&game) if game == raw_header.game || self.is_alias(raw_header.game) => {
                        claim.found = Found::Exact;
                    }
                    Some(_) if credible => {}
                    Some(_) => continue,
                },
                // A credible header keeps its place among the games, even if its record cannot be
                // read.
                (Some(start), None) if credible && !several => {
                    let end = (start as usize).saturating_add(1);
                    claim.range = Some(start as usize..end);
                }
                _ if credible => {}
                _ => continue,
            }
            claims.push(claim);
        }
        let range_of = |n: u32| {
            let raw_header = RawHeader::parse(self.raw_headers.get(n as usize)?);
            let start = self.addresses.get(raw_header.game as usize)?.offset()?;
            let record = RecordBytes::find(self.games, start, self.guesses.long_lengths)?;
            Some(start as usize..record.start + record.body.len())
        };
        add_listed(&mut claims, self, &Some, &range_of);
        claims
    }
}

/// A recognizer of records in the games file.
pub(crate) struct Carver<'s, 'a> {
    store: &'s Store<'a>,
    reader: TrialReader,
}

impl<'s, 'a> Carver<'s, 'a> {
    pub(crate) fn new(store: &'s Store<'a>) -> Carver<'s, 'a> {
        let reader = TrialReader::new(&store.options);
        Carver { store, reader }
    }

    /// Returns the offset where records begin: 1 if there is a leading byte that is not part of a
    /// record.
    fn first(&mut self) -> usize {
        let mut work = Work::new(1 << 16);
        let mut begins = |offset: usize| {
            self.record(offset..self.store.games.len(), true, &mut work)
                .is_some_and(|piece| piece.found.is_whole())
        };
        usize::from(!begins(0) && begins(1))
    }
}

impl Carve for Carver<'_, '_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let start = u32::try_from(range.start).ok()?;
        let lengths = self.store.guesses.long_lengths;
        let record = RecordBytes::find(self.store.games, start, lengths)?;
        let end = record.start.checked_add(record.declared)?;
        if record.declared == 0 {
            // A game without moves. Many of them in a row are a block of zeros.
            let rest = self.store.games.get(end..).unwrap_or_default();
            let following = rest.get(..MAX_EMPTY_GAMES).unwrap_or(rest);
            let zeros =
                following.len() == MAX_EMPTY_GAMES && following.iter().all(|&byte| byte == 0);
            return (!looking && !zeros && end <= range.end)
                .then(|| Piece::without_moves(end - range.start, Found::HeaderUnknown));
        }
        let cut = end > range.end;
        // Only the end of the file may cut a record; elsewhere it would run into the next one.
        if cut && (looking || range.end != self.store.games.len()) {
            return None;
        }
        if looking {
            // Bytes that are not a sequence of codes are rejected quickly.
            let (mut offset, mut is_valid) = (0, true);
            while is_valid && offset < record.body.len() {
                let rest = record.body.get(offset..).unwrap_or_default();
                match Item::size(rest) {
                    Ok(Some(size)) => offset += size,
                    _ => is_valid = false,
                }
            }
            if !work.spend(offset) || !is_valid {
                return None;
            }
        }
        let moves = self.reader.read(
            looking,
            |_| true,
            |game, report| self.store.record_into(record, game, report),
        );
        if !work.spend(self.reader.cost()) {
            return None;
        }
        let is_whole = moves == Some(true) && !cut;
        self.reader
            .piece(end.min(range.end) - range.start, is_whole, looking)
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
