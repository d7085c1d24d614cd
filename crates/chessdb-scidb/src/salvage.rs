//! Recovery of damaged databases: which entries are trusted, and which records no entry refers to
//! (docs/formats/scidb.md, section 12).

use std::ops::Range;

use chessdb_core::ReadOptions;
use chessdb_core::error::Location;
use chessdb_core::salvage::{Carve, IndexClaim, Piece, TrialReader, Work, add_listed, recover};

use crate::moves::decode;
use crate::raw::{GameFile, NameKind, Record};
use crate::roles::{SCG_FILE, SCI_FILE};
use crate::start;
use crate::store::{GamePlace, Store};

impl Store<'_> {
    /// Finds the games with and without an index entry and makes them the games of this store.
    /// `whole` states that there is no evidence against the index as a whole.
    pub(crate) fn recover(&mut self, whole: bool) {
        let claims = self.claims();
        let is_whole = whole && claims.len() == self.index.entries.len();
        let mut carver = Carver::new(self.games, &self.options);
        let file = (SCG_FILE, self.games);
        let (places, mut salvaged) =
            recover(file, GameFile::HEADER, &claims, is_whole, &mut carver);
        self.places = Some(places);
        // Missing names were no reason to doubt an entry. From now on each game reports its own.
        self.names.is_cut = false;
        self.opened.salvaged = Some(salvaged.clone());
        salvaged.mark_incomplete(self);
        self.opened.salvaged = Some(salvaged);
    }

    /// Returns the records that the entries refer to, if the entry or the record is credible.
    fn claims(&self) -> Vec<IndexClaim> {
        let mut carver = Carver::new(self.games, &self.options);
        let mut whole = TrialReader::new(&self.options);
        let mut work = Work::new(self.games.len());
        let range_of = |n| {
            let start = self.index.entry(n)?.record as usize;
            let is_there = start >= GameFile::HEADER;
            let rest = self.games.get(start..).filter(|_| is_there)?;
            // Without a valid size, one byte represents the record.
            let size = Record::size(rest).unwrap_or(1).min(rest.len());
            (size > 0).then_some(start..start + size)
        };
        let claim = |n| {
            let entry = self.index.entry(n)?;
            let start = entry.record as usize;
            let is_there = (GameFile::HEADER..self.games.len()).contains(&start);
            let read = is_there.then(|| carver.record(start..self.games.len(), false, &mut work));
            let record = read.flatten().filter(|piece| piece.found.is_whole());
            let is_credible = self.is_credible(&entry);
            IndexClaim::of_entry(n, range_of(n), record, is_credible, || {
                let place = GamePlace {
                    number: Some(n),
                    entry: Some(entry),
                    offset: Some(start),
                };
                let matters = |file| file == Some(SCI_FILE);
                let game = whole.read(false, matters, |game, report| {
                    self.read(&place, game, report)
                });
                game.is_some()
            })
        };
        let count = u32::try_from(self.index.entries.len()).unwrap_or(u32::MAX);
        let mut claims = (0..count).filter_map(claim).collect();
        add_listed(&mut claims, self, &Some, &range_of);
        claims
    }

    /// Returns whether an entry has a header worth keeping.
    fn is_credible(&self, entry: &crate::raw::Entry) -> bool {
        let [white, black] = entry.players();
        let is_named = |kind, id| self.names.get(kind, id).is_some();
        // A lost name file must not take all headers with it.
        let has_names = self.names.is_empty()
            || is_named(NameKind::Player, white)
                && is_named(NameKind::Player, black)
                && is_named(NameKind::Event, entry.event);
        has_names
            && entry.record >= GameFile::HEADER as u32
            && entry.result <= 4
            && entry.month <= 12
    }
}

/// A recognizer of records in a games file.
struct Carver<'a> {
    games: &'a [u8],
    reader: TrialReader,
}

impl<'a> Carver<'a> {
    fn new(games: &'a [u8], options: &ReadOptions) -> Carver<'a> {
        let reader = TrialReader::new(options);
        Carver { games, reader }
    }
}

impl Carve for Carver<'_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.games.get(range.clone())?;
        let size = Record::size(bytes)?;
        let cut = size > bytes.len();
        // Only the last record of the file can be cut.
        if cut && (looking || range.end != self.games.len()) {
            return None;
        }
        let (record, fault) = Record::parse_partly(bytes.get(..size).unwrap_or(bytes));
        if looking && fault.is_some() {
            return None;
        }
        let location = Location::byte(SCG_FILE, range.start as u64);
        // At an arbitrary offset, content that is nearly valid is chance.
        let has_moves = self.reader.read(
            looking,
            |_| false,
            |game, report| {
                if !start::read(&record, location, game, report)? {
                    return Ok(None);
                }
                let decoded = decode(&record, location, game, report);
                Ok(Some(matches!(decoded, Ok(Some(_)))))
            },
        )??;
        if !work.spend(self.reader.cost()) {
            return None;
        }
        let is_whole = fault.is_none() && has_moves;
        self.reader.piece(size.min(bytes.len()), is_whole, looking)
    }
}
