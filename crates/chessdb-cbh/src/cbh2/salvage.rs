//! Recovery of damaged databases: credible index entries, and records without an index entry
//! (docs/formats/2cbh.md, section 10).

use std::ops::Range;

use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::{
    Carve, Found, IndexClaim, Piece, Place, Salvaged, Work, add_listed, main_line, recover,
};
use chessdb_core::{Diagnostic, ErrorKind, Game, ReadOptions, Result, Scratch, Severity};

use super::info::text_extra;
use super::store::{Cbh2Entry, Cbh2Store, of_file};
use crate::raw::cbh2::{Frame, FrameFileHeader, GuidingText, Record, RecordKind};
use crate::roles::{CBG2_FILE, CBH2_FILE};
use crate::salvage::ReadClaim;

impl Cbh2Store<'_> {
    /// Returns true if an index entry looks like a valid header.
    fn is_credible(&self, record: &Record<'_>) -> bool {
        record.has_known_bits()
            && record.result() <= 7
            && record.date() >> 5 & 15 <= 12
            && self.names.has_all(record)
    }

    /// Searches for games without an index entry. `whole` states that there is no evidence against
    /// the index as a whole.
    ///
    /// # Errors
    ///
    /// Returns an error if there are games without an entry in strict mode.
    pub(super) fn recover(&mut self, whole: bool) -> Result<()> {
        let Some(games) = self.games else {
            let ids = (0..).zip(self.index.records);
            let games = ids.filter(|(_, record)| {
                let kind = Record(record).kind();
                matches!(kind, RecordKind::Game | RecordKind::Analysis)
            });
            let place = |(n, _)| Place {
                entry: Some(n),
                range: None,
            };
            let places: Vec<_> = games.map(place).collect();
            let lost = Salvaged::new(vec![Found::MovesUpToFault; places.len()], Vec::new());
            self.places = Some(places);
            self.opened.salvaged = Some(lost);
            return Ok(());
        };
        let mut carver = Carver::new(self, games);
        let claims = carver.claims();
        let whole = whole && claims.len() == self.index.records.len();
        let (mut places, mut salvaged) = recover(
            (CBG2_FILE, games),
            FrameFileHeader::SIZE,
            &claims,
            whole,
            &mut carver,
        );
        // Guiding texts occupy space in the file but are not games.
        let mut texts = Vec::new();
        let mut found = std::mem::take(&mut salvaged.games).into_iter();
        places.retain(|place| {
            let how = found.next().unwrap_or(Found::Exact);
            let record = place.entry.and_then(|n| self.index.records.get(n as usize));
            let bytes = place.range.clone().and_then(|range| games.get(range));
            let text = bytes.and_then(text);
            let is_text = match record {
                Some(record) => Record(record).kind() == RecordKind::Text,
                None => text.is_some(),
            };
            match (is_text, record, text) {
                (false, ..) => salvaged.games.push(how),
                (true, None, Some(frame)) => texts.push(frame.content),
                _ => {}
            }
            !is_text
        });
        for content in texts {
            let mut record = [0; Record::SIZE];
            record[0] = Record::PRESENT | Record::TEXT;
            self.opened
                .base
                .extras
                .push(text_extra(&record, None, content));
        }
        let without = places.iter().filter(|place| place.entry.is_none()).count() as u64;
        self.places = Some(places);
        self.opened.salvaged = Some(salvaged.clone());
        salvaged.mark_incomplete(self);
        self.opened.salvaged = Some(salvaged);
        if without == 0 {
            return Ok(());
        }
        let found = self.index.records.len() as u64;
        let kind = ErrorKind::Mismatch {
            what: "the number of records in the index",
            found,
            expected: found + without,
        };
        let mut scratch = Scratch::new();
        scratch.deviation(&self.options, Severity::Lost, kind, of_file(CBH2_FILE))?;
        self.opened.diagnostics.append(&mut scratch.diagnostics);
        Ok(())
    }
}

/// Returns the record of a guiding text at the start of `bytes`, if there is one.
fn text(bytes: &[u8]) -> Option<Frame<'_>> {
    let frame = Frame::parse(bytes).filter(Frame::is_whole)?;
    let is_text = frame.tag == Frame::TEXT && GuidingText::parse(frame.content).is_some();
    is_text.then_some(frame)
}

/// Recognizes the records of a games file.
struct Carver<'s, 'a, 'g> {
    store: &'s Cbh2Store<'a>,
    games: &'g [u8],
    /// Read options without salvage, because salvage itself uses this type.
    options: ReadOptions,
    game: Game,
    buffer: Vec<u8>,
    scratch: Scratch,
}

impl<'s, 'a, 'g> Carver<'s, 'a, 'g> {
    fn new(store: &'s Cbh2Store<'a>, games: &'g [u8]) -> Carver<'s, 'a, 'g> {
        let options = store.options.clone().with_salvage(false);
        Carver {
            store,
            games,
            options: options.with_mode(Mode::Lenient),
            game: Game::new(),
            buffer: Vec::new(),
            scratch: Scratch::new(),
        }
    }

    /// Reads the moves of an entry. The first flag is true if nothing of them is lost, the second
    /// if their number matches the index.
    fn read(&mut self, entry: &Cbh2Entry<'_>) -> (bool, bool) {
        self.game.clear();
        self.scratch.diagnostics.clear();
        let mut report = GameReport::new(&self.options, &mut self.scratch, None);
        let (game, buffer) = (&mut self.game, &mut self.buffer);
        let read = self.store.moves_alone(entry, game, buffer, &mut report);
        let lost =
            |said: &Diagnostic| said.severity == Severity::Lost && said.at.file == Some(CBG2_FILE);
        let whole = read.is_ok() && !self.scratch.diagnostics.iter().any(lost);
        (whole, read.is_ok_and(|fits| fits))
    }

    /// Returns the records that the entries lead to, where the entry or the record is credible.
    fn claims(&mut self) -> Vec<IndexClaim> {
        let mut claims = Vec::new();
        for (n, record) in (0u32..).zip(self.store.index.records) {
            let record = Record(record);
            let start = usize::try_from(record.moves()).unwrap_or(usize::MAX);
            let there = self.games.get(start..);
            let there = there.filter(|there| start >= FrameFileHeader::SIZE && !there.is_empty());
            let claim = match record.kind() {
                RecordKind::Empty => None,
                RecordKind::Text => there.and_then(text).map(|frame| IndexClaim {
                    entry: n,
                    range: Some(start..start + frame.len()),
                    found: Found::Exact,
                    key: None,
                    plies: 0,
                    is_doubtful: false,
                }),
                RecordKind::Game | RecordKind::Analysis => self.claim(n, record, start, there),
            };
            claims.extend(claim);
        }
        let range_of = |entry| {
            let record = Record(self.store.index.records.get(entry as usize)?);
            let start = usize::try_from(record.moves()).ok()?;
            let there = self.games.get(start..)?;
            let size = Frame::parse(there).map_or(1, |frame| frame.len());
            Some(start..start + size.min(there.len()))
        };
        let entry_of = |n| self.store.ids.get(n as usize).copied();
        add_listed(&mut claims, self.store, &entry_of, &range_of);
        claims
    }

    /// Returns the record that an entry leads to. `None` if neither the entry nor its record is
    /// credible.
    fn claim(
        &mut self,
        n: u32,
        record: Record<'_>,
        start: usize,
        there: Option<&[u8]>,
    ) -> Option<IndexClaim> {
        let entry = Cbh2Entry {
            record: Some((n.saturating_add(1), record)),
            found: Some(start as u64),
        };
        let is_credible = self.store.is_credible(&record);
        let frame = there.and_then(Frame::parse);
        let size = frame.filter(Frame::is_whole).map(|frame| frame.len());
        let (whole, fits) = self.read(&entry);
        let key = main_line(&self.game.header.start, self.game.mainline());
        let is_exact = is_credible && whole && fits && size.is_some() && self.has_names(&entry);
        let claim = ReadClaim {
            start: there.map(|_| start),
            size,
            is_whole: whole && fits,
            is_credible,
            is_exact,
        };
        claim.of_entry(n, key)
    }

    /// Returns true if reading the header loses nothing.
    fn has_names(&mut self, entry: &Cbh2Entry<'_>) -> bool {
        self.game.clear();
        self.scratch.diagnostics.clear();
        let mut report = GameReport::new(&self.options, &mut self.scratch, None);
        let read = self.store.header_alone(entry, &mut self.game, &mut report);
        let lost = |said: &Diagnostic| said.severity == Severity::Lost;
        read.is_ok() && !self.scratch.diagnostics.iter().any(lost)
    }
}

impl Carve for Carver<'_, '_, '_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.games.get(range.clone())?;
        // Each record begins with the mark, and its sizes agree with its end.
        if !bytes.starts_with(&Frame::MARK) || !work.spend(64) {
            return None;
        }
        if let Some(frame) = text(bytes) {
            return Some(Piece {
                length: frame.len(),
                found: Found::HeaderUnknown,
                key: None,
                plies: 0,
            });
        }
        let frame = Frame::parse(bytes)?;
        let is_game = matches!(frame.tag, Frame::CHESS | Frame::CHESS960);
        if !is_game || !work.spend(4 * frame.content.len()) {
            return None;
        }
        let (right, _) = self.read(&Cbh2Entry {
            record: None,
            found: Some(range.start as u64),
        });
        let found = match (right && frame.is_whole(), self.game.moves.plies()) {
            (true, _) => Found::HeaderUnknown,
            (false, 0) => return None,
            (false, _) if looking && !frame.is_whole() && range.end < self.games.len() => {
                return None;
            }
            (false, _) => Found::MovesUpToFault,
        };
        let key = main_line(&self.game.header.start, self.game.mainline());
        let key = key.filter(|_| found.is_whole());
        let length = if frame.is_whole() {
            frame.len()
        } else {
            // The sizes are damaged or the file ends; another record may begin within.
            Frame::HEADER.min(bytes.len()).max(1)
        };
        Some(Piece {
            length,
            found,
            key,
            plies: self.game.plies(),
        })
    }

    /// Records follow each other in the order of the index.
    fn keeps_order(&self) -> bool {
        true
    }
}
