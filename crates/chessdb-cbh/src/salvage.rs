//! Recovery of damaged databases: credible index entries, and records without an index entry
//! (docs/formats/cbh.md, section 21).

use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::legacy::cbh::Mode as Encoding;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::rules::is_legal;
use chessdb_core::salvage::{
    Carve, Found, IndexClaim, Piece, Place, Salvaged, TrialReader, Work, add_listed, recover,
};
use chessdb_core::store::Opened;
use chessdb_core::{ErrorKind, Game, GameStore, ReadOptions, Result, Scratch, Severity};

use crate::entry::GameEntry;
use crate::extras::{self, extra};
use crate::raw::{Entity, FileHeader, GameRecord, GuidingText, MoveRecord, Record, Table};
use crate::roles::CBG_FILE;
use crate::store::Store;

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
            let entries = (0..self.len())
                .filter_map(|n| self.id(n)?.checked_sub(1))
                .collect();
            return self.set_headers(entries);
        };
        let claims = self.claims(games);
        let is_trusted = whole && claims.len() == self.index.records.len();
        let start = FileHeader::parse(games).size();
        let mut carver = Carver {
            reader: EntryReader::new(self, &self.options),
            games,
        };
        let recovered = recover((CBG_FILE, games), start, &claims, is_trusted, &mut carver);
        let mut texts = Vec::new();
        let (places, salvaged) = keep_games(recovered, |place| {
            let bytes = place.range.clone().and_then(|range| games.get(range));
            match place.entry.and_then(|n| self.index.records.get(n as usize)) {
                Some([kind, ..]) => kind & Record::TEXT == 0,
                None => {
                    let text = bytes.filter(|bytes| text(bytes).is_some());
                    texts.extend(text);
                    text.is_none()
                }
            }
        });
        for text in texts {
            // The index record that was lost: everything except its kind is unknown.
            let mut record = vec![Record::PRESENT | Record::TEXT];
            record.resize(Record::SIZE, 0);
            record.extend_from_slice(text);
            let text = extra(extras::GUIDING_TEXT, &record);
            self.opened.base.extras.push(text);
        }
        self.set_places(places, salvaged, self.index.records.len())
    }

    /// Returns the records that the entries lead to, where the entry or the record is credible.
    fn claims(&self, games: &[u8]) -> Vec<IndexClaim> {
        let mut reader = EntryReader::new(self, &self.options);
        let first = FileHeader::parse(games).size();
        let mut claims = Vec::new();
        for (n, bytes) in (0u32..).zip(self.index.records) {
            let [kind, ..] = *bytes;
            if kind & Record::PRESENT == 0 {
                continue;
            }
            let record = Record::parse(bytes);
            let start = record.offset() as usize;
            let stored = games.get(start..).unwrap_or_default();
            claims.extend(match record {
                Record::Text(_) => {
                    let range = text(stored).map(|text| start..start + text.len());
                    range.map(|range| IndexClaim::new(n, Some(range), Found::Exact))
                }
                Record::Game(record) => {
                    let is_inside = (first..games.len()).contains(&start);
                    let moves = MoveRecord::parse(stored).ok().filter(|_| is_inside);
                    let entry = GameEntry {
                        id: Some(n.saturating_add(1)),
                        record,
                        offset: Some(start as u64),
                    };
                    let range = RecordRange {
                        start: is_inside.then_some(start),
                        size: moves.map(|moves| moves.size()),
                    };
                    reader.claim(n, &entry, range, self.is_credible(&record))
                }
            });
        }
        let range_of = |entry| {
            let bytes = self.index.records.get(entry as usize)?;
            let start = Record::parse(bytes).offset() as usize;
            let stored = games.get(start..)?;
            // Without a valid size the record may reach to the end of the file.
            let size = MoveRecord::parse(stored).map_or(stored.len(), |record| record.size());
            Some(start..start + size)
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

/// Returns the result of checking an index. Salvage searches for the games without one, so there a
/// damaged index is only reported, and gives `None`.
pub(crate) fn tolerate_index<T>(
    checked: Result<T>,
    file: Role,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<Option<T>> {
    match checked {
        Err(error) if options.salvage && options.mode == Mode::Lenient => {
            let kind = match error.kind() {
                ErrorKind::Truncated { .. } => ErrorKind::MissingFile(file),
                _ => ErrorKind::Structure("a damaged header of the index"),
            };
            scratch.deviation(options, Severity::Lost, kind, Location::file(file))?;
            Ok(None)
        }
        checked => checked.map(Some),
    }
}

/// Reports a missing file for a game. Only a salvage does; otherwise opening the database does it.
pub(crate) fn report_missing(file: Role, report: &mut GameReport<'_>) -> Result<()> {
    if !report.options.salvage {
        return Ok(());
    }
    let kind = ErrorKind::MissingFile(file);
    report.lost(kind, Location::file(file))
}

/// A store of CBH or 2CBH from which salvage reads records.
pub(crate) trait SalvageStore: GameStore + Sized {
    /// An index entry with the offset of its record.
    type Entry;
    /// The file with the index.
    const INDEX_FILE: Role;
    /// The file with the games.
    const GAMES_FILE: Role;

    /// Reads the header like [`GameStore::header_into`], but does not add missing castling rights.
    fn header_alone(
        &self,
        entry: &Self::Entry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()>;

    /// Returns true if the moves are complete and match the number in the index.
    fn moves_alone(
        &self,
        entry: &Self::Entry,
        game: &mut Game,
        buffer: &mut Vec<u8>,
        report: &mut GameReport<'_>,
    ) -> Result<bool>;

    /// Returns the places of the games, what is known of the open database, and its options.
    fn salvage_parts(&mut self) -> (&mut Option<Vec<Place>>, &mut Opened, &ReadOptions);

    /// Recovers the headers of these entries, because there is no games file.
    fn set_headers(&mut self, entries: Vec<u32>) -> Result<()> {
        let place = |n| Place {
            entry: Some(n),
            range: None,
        };
        let places: Vec<_> = entries.into_iter().map(place).collect();
        let salvaged = Salvaged::new(vec![Found::MovesUpToFault; places.len()], Vec::new());
        self.set_places(places, salvaged, 0)
    }

    /// Sets the recovered games. `records` is the number of index records.
    ///
    /// # Errors
    ///
    /// Returns an error if there are games without an entry in strict mode.
    fn set_places(
        &mut self,
        places: Vec<Place>,
        mut salvaged: Salvaged,
        records: usize,
    ) -> Result<()> {
        let unlisted = places.iter().filter(|place| place.entry.is_none()).count() as u64;
        let (stored_places, opened, _) = self.salvage_parts();
        *stored_places = Some(places);
        // Reading the games for `mark_incomplete` needs places and findings.
        opened.salvaged = Some(salvaged.clone());
        salvaged.mark_incomplete(self);
        let (_, opened, options) = self.salvage_parts();
        opened.salvaged = Some(salvaged);
        if unlisted == 0 {
            return Ok(());
        }
        let kind = ErrorKind::mismatch(
            "the number of records in the index",
            records as u64,
            records as u64 + unlisted,
        );
        let mut scratch = Scratch::new();
        let location = Location::file(Self::INDEX_FILE);
        scratch.deviation(options, Severity::Lost, kind, location)?;
        opened.diagnostics.append(&mut scratch.diagnostics);
        Ok(())
    }
}

/// Removes the recovered records that are guiding texts: they occupy space in the file but are not
/// games.
pub(crate) fn keep_games(
    (mut places, mut salvaged): (Vec<Place>, Salvaged),
    mut is_game: impl FnMut(&Place) -> bool,
) -> (Vec<Place>, Salvaged) {
    let mut findings = std::mem::take(&mut salvaged.games).into_iter();
    places.retain(|place| {
        let finding = findings.next().unwrap_or(Found::Exact);
        let stays = is_game(place);
        if stays {
            salvaged.games.push(finding);
        }
        stays
    });
    (places, salvaged)
}

/// The record that an index entry leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordRange {
    /// The offset of the record, if there are bytes.
    pub(crate) start: Option<usize>,
    /// The size of the record, if it is intact.
    pub(crate) size: Option<usize>,
}

/// A reader of records that may be no games.
pub(crate) struct EntryReader<'s, S> {
    store: &'s S,
    pub(crate) trial: TrialReader,
    buffer: Vec<u8>,
}

impl<'s, S: SalvageStore> EntryReader<'s, S> {
    pub(crate) fn new(store: &'s S, options: &ReadOptions) -> EntryReader<'s, S> {
        // In salvage mode a store reports missing files for each game: no fault of a record.
        let plain = options.clone().with_salvage(false);
        EntryReader {
            store,
            trial: TrialReader::new(&plain.with_mode(Mode::Lenient)),
            buffer: Vec::new(),
        }
    }

    /// Reads the moves of an entry. Returns whether their number matches the index; `None` if some
    /// are lost.
    pub(crate) fn read(&mut self, entry: &S::Entry, strictly: bool) -> Option<bool> {
        let (store, buffer) = (self.store, &mut self.buffer);
        // Annotations are in another file and show nothing about the moves.
        let matters = |file| file == Some(S::GAMES_FILE);
        self.trial.read(strictly, matters, |game, report| {
            store.moves_alone(entry, game, buffer, report)
        })
    }

    /// Returns the claim of entry `n` to its record. `None` if neither the entry nor its record is
    /// credible.
    pub(crate) fn claim(
        &mut self,
        n: u32,
        entry: &S::Entry,
        RecordRange { start, size }: RecordRange,
        is_credible: bool,
    ) -> Option<IndexClaim> {
        let fits = self.read(entry, false) == Some(true);
        let record = size.filter(|_| fits);
        let record = record.map(|size| self.trial.piece_as(size, Found::HeaderUnknown));
        let range = start.map(|start| start..start.saturating_add(size.unwrap_or(1)));
        IndexClaim::of_entry(n, range, record, is_credible, || {
            let header = self.trial.read(
                false,
                |_| true,
                |game, report| self.store.header_alone(entry, game, report),
            );
            header.is_some()
        })
    }
}

/// Recognizes the records of a games file.
struct Carver<'s, 'a, 'g> {
    reader: EntryReader<'s, Store<'a>>,
    games: &'g [u8],
}

impl Carve for Carver<'_, '_, '_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.games.get(range.clone())?;
        if let Some(text) = text(bytes) {
            return Some(Piece::without_moves(text.len(), Found::HeaderUnknown));
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
        let is_common = matches!(mode, 0 | 1 | 4 | 5 | 10);
        if looking && !is_common || is_cut && !cut_at_end || length <= MoveRecord::HEADER {
            return None;
        }
        if !work.spend(64 + if looking { 0 } else { length }) {
            return None;
        }
        let entry = GameEntry::unknown(range.start as u64);
        let moves = self.reader.read(&entry, looking);
        let trial = &self.reader.trial;
        let plies = trial.game.moves.plies();
        // A search reads many places in vain, so each costs according to the moves read there.
        if looking && !work.spend(4 * plies as usize) {
            return None;
        }
        let is_whole = moves.is_some() && !is_cut && (!looking || is_line_legal(&trial.game));
        trial.piece(length, is_whole, looking)
    }

    /// Offsets ascend with the numbers of the games.
    fn keeps_order(&self) -> bool {
        true
    }
}

/// Returns true if the mainline is legal.
fn is_line_legal(game: &Game) -> bool {
    let mut board = game.start_board();
    game.mainline().all(|mv| {
        let legal = mv == chessdb_core::PackedMove::NULL || is_legal(&board, mv);
        board.play(mv);
        legal
    })
}
