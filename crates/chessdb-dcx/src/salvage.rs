//! Recovery of damaged databases: which entries are trusted, and which records no entry leads to
//! (docs/formats/dcx.md, section 19).

use std::ops::Range;

use chessdb_core::report::GameReport;
use chessdb_core::salvage::{
    Carve, IndexClaim, Piece, Place, Salvaged, TrialReader, Work, add_listed, recover,
};
use chessdb_core::{ErrorKind, GameStore as _, Result, Severity};

use crate::raw::{Entry, GameOffsets, Length, Magic, NameFile, Record};
use crate::report::ReportExt as _;
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::store::Store;
use crate::unindexed::valid_record;

impl Store<'_> {
    /// Locates the games that the index leads to, and those that it does not, and makes them the
    /// games of this store. `whole` states that there is no evidence against the index as a whole.
    ///
    /// # Errors
    ///
    /// In strict mode, returns an error if a game has no entry.
    pub(crate) fn recover(&mut self, whole: bool, report: &mut GameReport<'_>) -> Result<()> {
        let claims = self.claims();
        let is_whole = whole && claims.len() == self.count as usize;
        let file = (DCG_FILE, self.games);
        let mut carver = Carver::new(self);
        let (places, salvaged) = recover(file, Magic::SIZE, &claims, is_whole, &mut carver);
        let indexed = u64::from(self.count);
        self.set_games(&places, salvaged);
        let without = places.iter().filter(|place| place.entry.is_none()).count() as u64;
        if without == 0 {
            return Ok(());
        }
        let kind = ErrorKind::mismatch(
            "the number of games in the index",
            indexed,
            indexed + without,
        );
        report.file(Severity::Lost, kind, DCI_FILE)
    }

    /// Replaces the games of a salvaged database by those at these places.
    fn set_games(&mut self, places: &[Place], mut salvaged: Salvaged) {
        let entry = |place: &Place| Entry {
            offset: place
                .range
                .as_ref()
                .map_or(u64::MAX, |range| range.start as u64),
            ..place.entry.and_then(|n| self.entry(n)).unwrap_or_default()
        };
        let entries: Vec<Entry> = places.iter().map(entry).collect();
        self.game_offsets = GameOffsets::new(entries.iter().map(|entry| entry.offset)).into();
        (self.entries, self.count, self.unindexed) = (&[], 0, entries);
        self.names.report_each();
        // `mark_incomplete` reads the games, for which the store must know how they were found.
        self.opened.salvaged = Some(salvaged.clone());
        salvaged.mark_incomplete(self);
        self.opened.salvaged = Some(salvaged);
    }

    /// Returns the records that the entries refer to, if the entry or the record is credible.
    fn claims(&self) -> Vec<IndexClaim> {
        let mut carver = Carver::new(self);
        let mut names = TrialReader::new(self.options());
        let mut work = Work::new(self.games.len());
        let range_of = |n| {
            let start = usize::try_from(self.entry(n)?.offset).unwrap_or(usize::MAX);
            Some(start..start.saturating_add(1).max(self.end_after(start)))
        };
        let claim = |n| {
            let entry = self.entry(n)?;
            let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
            let is_inside = start >= Magic::SIZE && start < self.games.len();
            let read = is_inside.then(|| carver.record(start..self.games.len(), false, &mut work));
            let record = read.flatten().filter(|piece| piece.found.is_whole());
            let is_credible = self.is_credible(&entry);
            IndexClaim::of_entry(n, range_of(n), record, is_credible, || {
                // A loss in the games file concerns the moves and not the header.
                let matters = |file| file != Some(DCG_FILE);
                let header = names.read(false, matters, |game, report| {
                    self.header_into(n, game, report.scratch)
                });
                header.is_some()
            })
        };
        let mut claims = (0..self.count).filter_map(claim).collect();
        add_listed(&mut claims, self, &Some, &range_of);
        claims
    }

    /// Returns the offset where the record at `start` ends according to its length.
    fn end_after(&self, start: usize) -> usize {
        let parsed = self.games.get(start..).and_then(Length::parse);
        parsed.map_or(start, |(length, _)| {
            start
                .saturating_add(length.size())
                .saturating_add(length.value as usize)
        })
    }

    /// Returns whether the fields of an entry are within their ranges.
    fn is_credible(&self, entry: &Entry) -> bool {
        let name = |reference: u32| reference == 0 || NameFile::number(reference).is_some();
        let names = [entry.white, entry.black, entry.site, entry.event];
        entry.offset >= Magic::SIZE as u64
            && names.into_iter().all(name)
            && entry.result <= 3
            && entry.month <= 12
            && entry.day <= 31
    }
}

/// A recognizer of records in a games file.
struct Carver<'s, 'a> {
    store: &'s Store<'a>,
    reader: TrialReader,
}

impl<'s, 'a> Carver<'s, 'a> {
    fn new(store: &'s Store<'a>) -> Carver<'s, 'a> {
        let reader = TrialReader::new(store.options());
        Carver { store, reader }
    }
}

impl Carve for Carver<'_, '_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.store.games.get(range.clone())?;
        let (length, content) = Length::parse(bytes)?;
        let size = length.size().checked_add(length.value as usize)?;
        // A zero byte is a game without moves, but its loss does not matter.
        if length.value == 0 || content.is_empty() {
            return None;
        }
        let cut = length.value as usize > content.len();
        // Only the end of the file may cut a record; elsewhere it would run into the next one.
        if cut && (looking || range.end != self.store.games.len()) {
            return None;
        }
        let record = if cut {
            Record::parse_content(length, content).ok()?
        } else {
            Record::parse(bytes, false).ok()?
        };
        let offset = range.start as u64;
        let moves = self.reader.read(
            looking,
            |_| true,
            |game, report| self.store.moves_of(&record, offset, game, report),
        );
        if !work.spend(self.reader.cost()) {
            return None;
        }
        let is_whole = moves.is_some() && !cut && valid_record(bytes).is_some();
        self.reader.piece(size.min(bytes.len()), is_whole, looking)
    }
}
