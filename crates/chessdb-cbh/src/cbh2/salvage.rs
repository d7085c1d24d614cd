//! Recovery of damaged databases: credible index entries, and records without an index entry
//! (docs/formats/2cbh.md, section 10).

use std::ops::Range;

use chessdb_core::Result;
use chessdb_core::salvage::{Carve, Found, IndexClaim, Piece, Work, add_listed, recover};

use super::info::text_extra;
use super::store::{Cbh2Entry, Cbh2Store};
use crate::raw::cbh2::{Frame, FrameFileHeader, GuidingText, Record, RecordKind};
use crate::roles::CBG2_FILE;
use crate::salvage::{EntryReader, RecordRange, SalvageStore as _, keep_games};

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
            return self.set_headers(self.ids.clone());
        };
        let claims = self.claims(games);
        let is_trusted = whole && claims.len() == self.index.records.len();
        let mut carver = Carver {
            reader: EntryReader::new(self, &self.options),
            games,
        };
        let recovered = recover(
            (CBG2_FILE, games),
            FrameFileHeader::SIZE,
            &claims,
            is_trusted,
            &mut carver,
        );
        let mut texts = Vec::new();
        let (places, salvaged) = keep_games(recovered, |place| {
            match place.entry.and_then(|n| self.index.records.get(n as usize)) {
                Some(record) => Record(record).kind() != RecordKind::Text,
                None => {
                    let bytes = place.range.clone().and_then(|range| games.get(range));
                    let text = bytes.and_then(text);
                    texts.extend(text.map(|frame| frame.content));
                    text.is_none()
                }
            }
        });
        for content in texts {
            // The index record that was lost: everything except its kind is unknown.
            let mut record = [0; Record::SIZE];
            record[0] = Record::PRESENT | Record::TEXT;
            let text = text_extra(&record, None, content);
            self.opened.base.extras.push(text);
        }
        self.set_places(places, salvaged, self.index.records.len())
    }

    /// Returns the records that the entries lead to, where the entry or the record is credible.
    fn claims(&self, games: &[u8]) -> Vec<IndexClaim> {
        let mut reader = EntryReader::new(self, &self.options);
        let mut claims = Vec::new();
        for (n, record) in (0u32..).zip(self.index.records) {
            let record = Record(record);
            let start = usize::try_from(record.moves()).unwrap_or(usize::MAX);
            let is_inside = (FrameFileHeader::SIZE..games.len()).contains(&start);
            let stored = games.get(start..).filter(|_| is_inside);
            claims.extend(match record.kind() {
                RecordKind::Empty => None,
                RecordKind::Text => {
                    let range = stored
                        .and_then(text)
                        .map(|frame| start..start + frame.len());
                    range.map(|range| IndexClaim::new(n, Some(range), Found::Exact))
                }
                RecordKind::Game | RecordKind::Analysis => {
                    let entry = Cbh2Entry {
                        record: Some((n.saturating_add(1), record)),
                        offset: Some(start as u64),
                    };
                    let frame = stored.and_then(Frame::parse).filter(Frame::is_whole);
                    let range = RecordRange {
                        start: is_inside.then_some(start),
                        size: frame.map(|frame| frame.len()),
                    };
                    reader.claim(n, &entry, range, self.is_credible(&record))
                }
            });
        }
        let range_of = |entry| {
            let record = Record(self.index.records.get(entry as usize)?);
            let start = usize::try_from(record.moves()).ok()?;
            let stored = games.get(start..)?;
            let size = Frame::parse(stored).map_or(1, |frame| frame.len());
            Some(start..start + size.min(stored.len()))
        };
        let entry_of = |n| self.ids.get(n as usize).copied();
        add_listed(&mut claims, self, &entry_of, &range_of);
        claims
    }
}

/// Returns the record of a guiding text at the start of `bytes`, if there is one.
fn text(bytes: &[u8]) -> Option<Frame<'_>> {
    let frame = Frame::parse(bytes).filter(Frame::is_whole)?;
    (frame.tag == Frame::TEXT && GuidingText::parse(frame.content).is_some()).then_some(frame)
}

/// Recognizes the records of a games file.
struct Carver<'s, 'a, 'g> {
    reader: EntryReader<'s, Cbh2Store<'a>>,
    games: &'g [u8],
}

impl Carve for Carver<'_, '_, '_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.games.get(range.clone())?;
        // Each record begins with the mark, and its sizes agree with its end.
        if !bytes.starts_with(&Frame::MARK) || !work.spend(64) {
            return None;
        }
        if let Some(frame) = text(bytes) {
            return Some(Piece::without_moves(frame.len(), Found::HeaderUnknown));
        }
        let frame = Frame::parse(bytes)?;
        let is_game = matches!(frame.tag, Frame::CHESS | Frame::CHESS960);
        if !is_game || !work.spend(4 * frame.content.len()) {
            return None;
        }
        let entry = Cbh2Entry {
            record: None,
            offset: Some(range.start as u64),
        };
        // Mark and sizes confirm a record, so a search need not read strictly (section 10).
        let moves = self.reader.read(&entry, false);
        let trial = &self.reader.trial;
        let how_found = match (
            moves.is_some() && frame.is_whole(),
            trial.game.moves.plies(),
        ) {
            (true, _) => Found::HeaderUnknown,
            (false, 0) => return None,
            (false, _) if looking && !frame.is_whole() && range.end < self.games.len() => {
                return None;
            }
            (false, _) => Found::MovesUpToFault,
        };
        let length = if frame.is_whole() {
            frame.len()
        } else {
            // The sizes are damaged or the file ends; another record may begin within.
            Frame::HEADER.min(bytes.len()).max(1)
        };
        Some(trial.piece_as(length, how_found))
    }

    /// Records follow each other in the order of the index.
    fn keeps_order(&self) -> bool {
        true
    }
}
