//! Recovery of damaged databases: credible index entries, and records without an index entry
//! (docs/formats/cbh.md, section 21).

use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::legacy::cbh::Mode as Encoding;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::rules::is_legal;
use chessdb_core::salvage::{
    Carve, Found, IndexClaim, Piece, Place, Salvaged, Work, add_listed, main_line, recover,
};
use chessdb_core::{
    Diagnostic, ErrorKind, Game, GameStore as _, ReadOptions, Result, Scratch, Severity,
};

use crate::entry::GameEntry;
use crate::extras::{self, extra};
use crate::raw::{Entity, FileHeader, GameRecord, GuidingText, MoveRecord, Record, Table};
use crate::roles::{CBG_FILE, CBH_FILE};
use crate::store::Store;

/// The minimum number of half-moves for a record without other evidence.
const PLIES: u32 = 8;
/// The bit of a record's flags that marks guiding texts.
const TEXT: u8 = 0x80;

impl Store<'_> {
    /// Returns true if an index entry looks like a valid header.
    fn is_credible(&self, record: &GameRecord) -> bool {
        fn knows<E: Entity>(table: &Table<'_, E>, number: u32) -> bool {
            table.header.is_none() || (number as usize) < table.len()
        }
        let names = &self.names;
        record.kind & !(Record::PRESENT | Record::DELETED) == 0
            && record.result <= 7
            && record.date >> 5 & 15 <= 12
            && knows(&names.players, record.white)
            && knows(&names.players, record.black)
            && knows(&names.tournaments, record.tournament)
            && knows(&names.annotators, record.annotator)
            && knows(&names.sources, record.source)
    }

    /// Searches for games without an index entry. `whole` states that there is no evidence against
    /// the index as a whole.
    ///
    /// # Errors
    ///
    /// Returns an error if there are games without an entry in strict mode.
    pub(crate) fn recover(&mut self, whole: bool) -> Result<()> {
        let Some(games) = self.games else {
            let lost = vec![Found::MovesUpToFault; self.len() as usize];
            let lost = Salvaged::new(lost, Vec::new());
            let place = |n| Place {
                entry: self.id(n).map(|id| id - 1),
                range: None,
            };
            let places = (0..self.len()).map(place).collect();
            self.places = Some(places);
            self.opened.salvaged = Some(lost);
            return Ok(());
        };
        let claims = self.claims(games);
        let whole = whole && claims.len() == self.index.records.len();
        let start = FileHeader::parse(games).size();
        let mut carver = Carver::new(self, games);
        let (mut places, mut salvaged) =
            recover((CBG_FILE, games), start, &claims, whole, &mut carver);
        // Guiding texts occupy space in the file but are not games.
        let mut texts = Vec::new();
        let mut found = std::mem::take(&mut salvaged.games).into_iter();
        places.retain(|place| {
            let how = found.next().unwrap_or(Found::Exact);
            let entry = place.entry.and_then(|n| self.index.records.get(n as usize));
            let bytes = place.range.clone().and_then(|range| games.get(range));
            let is_text = match entry {
                Some([kind, ..]) => kind & Record::TEXT != 0,
                None => bytes.and_then(text).is_some(),
            };
            match (is_text, entry, bytes) {
                (false, ..) => salvaged.games.push(how),
                (true, None, Some(bytes)) => texts.push(bytes),
                _ => {}
            }
            !is_text
        });
        for text in texts {
            let mut record = vec![Record::PRESENT | Record::TEXT];
            record.resize(Record::SIZE, 0);
            record.extend_from_slice(text);
            self.opened
                .base
                .extras
                .push(extra(extras::GUIDING_TEXT, &record));
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
        let at = Location {
            file: Some(CBH_FILE),
            ..Location::default()
        };
        scratch.deviation(&self.options, Severity::Lost, kind, at)?;
        self.opened.diagnostics.append(&mut scratch.diagnostics);
        Ok(())
    }

    /// Returns the records that the entries lead to, where the entry or the record is credible.
    fn claims(&self, games: &[u8]) -> Vec<IndexClaim> {
        let mut carver = Carver::new(self, games);
        let mut claims = Vec::new();
        for (n, bytes) in (0u32..).zip(self.index.records) {
            let [kind, ..] = *bytes;
            if kind & Record::PRESENT == 0 {
                continue;
            }
            let record = Record::parse(bytes);
            let start = record.offset() as usize;
            let there = games.get(start..).unwrap_or_default();
            let claim = match record {
                Record::Text(_) => match text(there) {
                    Some(text) => IndexClaim {
                        entry: n,
                        range: Some(start..start + text.len()),
                        found: Found::Exact,
                        key: None,
                        plies: 0,
                        is_doubtful: false,
                    },
                    None => continue,
                },
                Record::Game(record) => match carver.claim(n, &record, start) {
                    Some(claim) => claim,
                    None => continue,
                },
            };
            claims.push(claim);
        }
        let range_of = |entry| {
            let bytes = self.index.records.get(entry as usize)?;
            let start = Record::parse(bytes).offset() as usize;
            let there = games.get(start..)?;
            let size = MoveRecord::parse(there).map_or(there.len(), |record| record.size());
            Some(start..start + size.min(there.len()))
        };
        add_listed(
            &mut claims,
            self,
            &|n| self.id(n)?.checked_sub(1),
            &range_of,
        );
        claims
    }
}

/// Returns the record of a guiding text at the start of `bytes`, if there is one.
fn text(bytes: &[u8]) -> Option<&[u8]> {
    let record = MoveRecord::parse(bytes).ok()?;
    let text = GuidingText::parse(record.body).filter(|_| record.flags & TEXT != 0)?;
    let is_empty = text.titles.is_empty() && text.contents.is_empty();
    bytes.get(..record.size()).filter(|_| !is_empty)
}

/// Recognizes the records of a games file.
struct Carver<'s, 'a, 'g> {
    store: &'s Store<'a>,
    games: &'g [u8],
    /// Read options without salvage, because salvage itself uses this type.
    strict: ReadOptions,
    lenient: ReadOptions,
    game: Game,
    buffer: Vec<u8>,
    scratch: Scratch,
}

impl<'s, 'a, 'g> Carver<'s, 'a, 'g> {
    fn new(store: &'s Store<'a>, games: &'g [u8]) -> Carver<'s, 'a, 'g> {
        let options = store.options.clone().with_salvage(false);
        Carver {
            store,
            games,
            strict: options.clone().with_mode(Mode::Strict),
            lenient: options.with_mode(Mode::Lenient),
            game: Game::new(),
            buffer: Vec::new(),
            scratch: Scratch::new(),
        }
    }

    /// Reads the moves of an entry. The first flag is true if nothing of them is lost, the second
    /// if their number matches the index.
    fn read(&mut self, entry: &GameEntry, strictly: bool) -> (bool, bool) {
        self.game.clear();
        self.scratch.diagnostics.clear();
        let options = if strictly { &self.strict } else { &self.lenient };
        let mut report = GameReport::new(options, &mut self.scratch, None);
        let (game, buffer) = (&mut self.game, &mut self.buffer);
        let read = self.store.moves_alone(entry, game, buffer, &mut report);
        let lost =
            |said: &Diagnostic| said.severity == Severity::Lost && said.at.file == Some(CBG_FILE);
        let whole = read.is_ok() && !self.scratch.diagnostics.iter().any(lost);
        (whole, read.is_ok_and(|fits| fits))
    }

    /// Returns the record that an entry leads to. `None` if neither the entry nor its record is
    /// credible.
    fn claim(&mut self, n: u32, record: &GameRecord, start: usize) -> Option<IndexClaim> {
        let entry = GameEntry {
            id: Some(n.saturating_add(1)),
            record: *record,
            found: Some(start as u64),
        };
        let is_credible = self.store.is_credible(record);
        let is_there = start >= FileHeader::parse(self.games).size() && start < self.games.len();
        let there = self.games.get(start..).filter(|_| is_there);
        let size = there.and_then(|there| MoveRecord::parse(there).ok());
        let size = size.map(|record| record.size());
        let (whole, fits) = self.read(&entry, false);
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
    fn has_names(&mut self, entry: &GameEntry) -> bool {
        self.game.clear();
        self.scratch.diagnostics.clear();
        let mut report = GameReport::new(&self.lenient, &mut self.scratch, None);
        let read = self.store.header_alone(entry, &mut self.game, &mut report);
        let lost = |said: &Diagnostic| said.severity == Severity::Lost;
        read.is_ok() && !self.scratch.diagnostics.iter().any(lost)
    }
}

/// What reading the record of an index entry showed, in CBH and 2CBH.
pub(crate) struct ReadClaim {
    /// The offset of the record, if there are bytes.
    pub(crate) start: Option<usize>,
    /// The size of the record, if it is known.
    pub(crate) size: Option<usize>,
    /// Whether the moves are read completely, as many as the entry states.
    pub(crate) is_whole: bool,
    /// Whether the entry looks like a valid header.
    pub(crate) is_credible: bool,
    /// Whether the names of the entry are known as well.
    pub(crate) is_exact: bool,
}

impl ReadClaim {
    /// Returns the claim of an entry. `None` if neither the entry nor its record is credible.
    pub(crate) fn of_entry(self, entry: u32, key: Option<u64>) -> Option<IndexClaim> {
        let is_sound = self.is_whole && self.size.is_some();
        if !is_sound && !self.is_credible {
            return None;
        }
        let found = match (is_sound, self.is_exact) {
            (true, true) => Found::Exact,
            (true, false) => Found::HeaderUnknown,
            (false, _) => Found::MovesUpToFault,
        };
        let size = self.size.unwrap_or(1);
        Some(IndexClaim {
            entry,
            range: self.start.map(|start| start..start.saturating_add(size)),
            found,
            key: key.filter(|_| is_sound),
            plies: 0,
            is_doubtful: false,
        })
    }
}

impl Carve for Carver<'_, '_, '_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.games.get(range.clone())?;
        if let Some(text) = text(bytes) {
            return Some(Piece {
                length: text.len(),
                found: Found::HeaderUnknown,
                key: None,
                plies: 0,
            });
        }
        let (length, is_cut) = match MoveRecord::parse(bytes) {
            Ok(record) => (record.size(), false),
            Err(size) if size > bytes.len() => (bytes.len(), true),
            Err(_) => return None,
        };
        let cut_at_end = range.end == self.games.len() && !looking;
        let [flags, _, _, _, _, ..] = *bytes else {
            return None;
        };
        let mode = Encoding::new(flags & !MoveRecord::SETUP)?.number();
        // Modes that have never been seen in a file can be read but are not searched for.
        let is_known = matches!(mode, 0 | 1 | 4 | 5 | 10);
        if looking && !is_known || is_cut && !cut_at_end || length <= MoveRecord::HEADER {
            return None;
        }
        if !work.spend(64 + if looking { 0 } else { length }) {
            return None;
        }
        let (right, _) = self.read(&GameEntry::unknown(range.start as u64), looking);
        let plies = self.game.moves.plies();
        if looking && !work.spend(4 * plies as usize) {
            return None;
        }
        let found = match (right && !is_cut, looking) {
            (true, true) if plies < PLIES || !self.is_legal() => return None,
            (true, _) => Found::HeaderUnknown,
            (false, false) if plies >= PLIES => Found::MovesUpToFault,
            _ => return None,
        };
        let key = main_line(&self.game.header.start, self.game.mainline());
        let key = key.filter(|_| found.is_whole());
        Some(Piece {
            length,
            found,
            key,
            plies: self.game.plies(),
        })
    }

    /// Offsets ascend with the numbers of the games.
    fn keeps_order(&self) -> bool {
        true
    }
}

impl Carver<'_, '_, '_> {
    /// Returns true if the mainline is legal.
    fn is_legal(&self) -> bool {
        let mut board = self.game.start_board();
        self.game.mainline().all(|mv| {
            let legal = mv == chessdb_core::PackedMove::NULL || is_legal(&board, mv);
            board.play(mv);
            legal
        })
    }
}
