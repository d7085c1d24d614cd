//! Reading games by number.

mod open;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use chessdb_core::error::Location;
use chessdb_core::line::Skim;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::{Place, Salvaged};
use chessdb_core::search::MainlineObserver;
use chessdb_core::store::{Opened, Remark, StoreDetails, UnusedSpace, observe_whole_game};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Charset, ErrorKind, Game, GameStore, ReadOptions, Result, Scratch, Start};

use crate::guesses::Guesses;
use crate::header::{NameLookup, is_complete, read_header, start_tag};
use crate::moves::{RecordStart, decode, read_start, skim};
use crate::raw::{Address, LongLengths, RawHeader, RecordBytes, addresses};
use crate::record_faults::{RecordFaults, RecordTable};
use crate::roles::{A02_FILE, D02_FILE};

/// The number of records that are compared one by one, as a change of a game needs it.
const FEW_RECORDS: u32 = 4;

/// An open database.
#[derive(Debug)]
pub struct Store<'a> {
    pub(crate) raw_headers: Cow<'a, [[u8; RawHeader::SIZE]]>,
    pub(crate) addresses: Vec<Address>,
    /// The table of addresses as stored.
    table: &'a [u8],
    /// Compared when the first record is read, if the records are in order. Otherwise the addresses of all
    /// records are sorted, and only when several of them were read.
    record_faults: OnceLock<RecordFaults>,
    /// The number of records that were compared one by one.
    compared: AtomicU32,
    /// The table entries that are aliases of others.
    aliases: HashSet<u32>,
    pub(crate) games: &'a [u8],
    pub(crate) lookup: NameLookup,
    opened: Opened,
    pub(crate) options: ReadOptions,
    pub(crate) guesses: Guesses,
    detector: EncodingDetector,
    mark: Option<Charset>,
    /// Whether this crate may have written the database.
    is_own: bool,
    /// The number of bytes of the EMB that belong to no inner file.
    unused_name_bytes: u64,
    /// For a salvaged database, the locations of the games.
    recovered: Option<Vec<Place>>,
}

impl<'a> Store<'a> {
    /// Sets how the games were found.
    pub(crate) fn set_salvaged(&mut self, salvaged: Salvaged) {
        self.opened.salvaged = Some(salvaged);
    }

    /// Replaces the games by those at these places. From now on each game reports missing names
    /// itself.
    pub(crate) fn set_places(&mut self, places: Vec<Place>, salvaged: Salvaged) {
        (self.recovered, self.opened.salvaged) = (Some(places), Some(salvaged));
        self.lookup.missing = false;
    }

    /// Returns whether an entry of the address table is an alias of another one.
    pub(crate) fn is_alias(&self, entry: u32) -> bool {
        self.aliases.contains(&entry)
    }

    /// Returns the charset of the texts in this database.
    pub fn charset(&self) -> Charset {
        self.detector.page()
    }

    /// Returns the raw header of a game. In a salvaged database it may have none.
    fn raw_header(&self, n: u32) -> Result<Option<RawHeader>> {
        let row = match &self.recovered {
            None => self.raw_headers.get(n as usize).map(Some),
            Some(places) => places.get(n as usize).map(|place| {
                let entry = place.entry?;
                self.raw_headers.get(entry as usize)
            }),
        };
        let bytes = row.ok_or_else(|| ErrorKind::no_such_game(n, self.len()))?;
        Ok(bytes.map(RawHeader::parse))
    }

    /// Fills the header of `game` from the raw header.
    pub(crate) fn header_into(
        &self,
        n: u32,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<RawHeader>> {
        let raw_header = self.raw_header(n)?;
        match &raw_header {
            Some(raw_header) => read_header(
                raw_header,
                &self.lookup,
                &self.opened.base,
                &self.guesses,
                game,
                report,
            )?,
            None => {
                let kind = ErrorKind::Structure(
                    "no header refers to the game; its names and date are unknown",
                );
                report.lost(kind, Location::file(D02_FILE))?;
            }
        }
        Ok(raw_header)
    }

    /// Fills the header and returns the location of the moves if the addresses lead that far.
    fn header(
        &self,
        n: u32,
        lengths: LongLengths,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<(RecordBytes<'a>, RecordStart)>> {
        game.clear();
        let raw_header = self.header_into(n, game, report)?;
        let Some(record) = self.record(n, raw_header.as_ref(), lengths, report)? else {
            return Ok(None);
        };
        self.start(record, game, report)
    }

    /// Fills the start position and returns the location of a record's moves.
    fn start(
        &self,
        record: RecordBytes<'a>,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<(RecordBytes<'a>, RecordStart)>> {
        let mut start = read_start(record.body, record.start as u64, &self.guesses, report)?;
        match &mut start {
            RecordStart::Standard => {}
            RecordStart::Position { setup, .. } => {
                game.header.start = Start::Setup(std::mem::take(setup));
                start_tag(game);
            }
            RecordStart::Broken => return Ok(None),
        }
        Ok(Some((record, start)))
    }

    /// Returns the address of a game's record.
    fn address(&self, n: u32, raw_header: Option<&RawHeader>) -> Address {
        let place = self
            .recovered
            .as_ref()
            .and_then(|places| places.get(n as usize));
        let range = place.and_then(|place| place.range.as_ref());
        if let Some(start) = range.and_then(|range| u32::try_from(range.start).ok()) {
            return Address::At(start);
        }
        let is_whole = |salvaged: &Salvaged| salvaged.found(n).is_whole();
        let address =
            raw_header.and_then(|raw_header| self.addresses.get(raw_header.game as usize));
        // In a salvaged database, a game that was not found whole shares the record of another game
        // or has none.
        address
            .filter(|_| self.opened.salvaged.as_ref().is_none_or(is_whole))
            .copied()
            .unwrap_or(Address::NoEntry)
    }

    /// Returns the evidence against the record at `offset`, which is the address of table entry
    /// `entry`. A salvage searches for records and does not rely on the addresses alone.
    fn record_fault(&self, entry: u32, offset: u32) -> Option<ErrorKind> {
        if self.options.salvage {
            return None;
        }
        let (headers, records) = (&self.raw_headers, self.records());
        let table = || addresses(self.table).0;
        let faults = self.record_faults.get().or_else(|| {
            let number = self.compared.fetch_add(1, Ordering::Relaxed);
            if number == 0
                && let Some(in_order) = RecordFaults::in_order(headers, &table())
            {
                return Some(self.record_faults.get_or_init(|| in_order));
            }
            let all = || RecordFaults::sorted(headers, &table(), records);
            (number >= FEW_RECORDS).then(|| self.record_faults.get_or_init(all))
        });
        let Some(faults) = faults else {
            let one = RecordFaults::of_record(offset, headers, &table(), records);
            return one.fault(entry, offset, records);
        };
        faults.fault(entry, offset, records)
    }

    fn records(&self) -> RecordTable<'_> {
        RecordTable {
            resolved: &self.addresses,
            games: self.games,
            lengths: self.guesses.long_lengths,
        }
    }

    /// Returns the codes of a complete game from the standard start position if the options allow
    /// it to be skimmed.
    fn plain_body(&self, n: u32) -> Option<&'a [u8]> {
        let ReadOptions {
            mode,
            limits,
            salvage,
            check,
            ..
        } = &self.options;
        // Skimming reports nothing, and these need every finding.
        if *mode != Mode::Lenient || *salvage || *check {
            return None;
        }
        let raw_header = RawHeader::parse(self.raw_headers.get(n as usize)?);
        let offset = self.addresses.get(raw_header.game as usize)?.offset()?;
        let record = RecordBytes::find(self.games, offset, self.guesses.long_lengths)?;
        let length = record.body.len();
        // Each half-move takes a byte or more, so a short record keeps the limit of half-moves too. A
        // record that does not begin with a move may state a start position.
        let is_plain = length == record.declared
            && length <= RecordBytes::UNDISPUTED_LENGTH
            && length <= (limits.game_bytes as usize).min(limits.plies as usize)
            && matches!(record.body.first(), None | Some(0..=219))
            && is_complete(&raw_header, &self.lookup, &self.opened.base, &self.guesses)
            && self.record_fault(raw_header.game, offset).is_none();
        is_plain.then_some(record.body)
    }

    /// Returns the record of a game if there is one.
    fn record(
        &self,
        n: u32,
        raw_header: Option<&RawHeader>,
        lengths: LongLengths,
        report: &mut GameReport<'_>,
    ) -> Result<Option<RecordBytes<'a>>> {
        let number = raw_header.map_or(0, |raw_header| raw_header.game);
        let location = Location::byte(A02_FILE, u64::from(number) * 4);
        let offset = match self.address(n, raw_header) {
            Address::At(offset) => offset,
            Address::NoEntry => {
                let kind = ErrorKind::bad_field("the number of the record", number);
                report.lost(kind, location)?;
                return Ok(None);
            }
            Address::Cycle => {
                let kind = ErrorKind::Structure("the record number refers to the record itself");
                report.lost(kind, location)?;
                return Ok(None);
            }
        };
        let location = Location::byte(D02_FILE, offset.into());
        if let Some(kind) = self.record_fault(number, offset) {
            report.lost(kind, location)?;
        }
        let what = "the record";
        let Some(mut record) = RecordBytes::find(self.games, offset, lengths) else {
            // The file ends inside the length field, which lacks at least one byte.
            let present = self.games.len().saturating_sub(offset as usize) as u64;
            let kind = ErrorKind::truncated(what, present + 1, present);
            report.lost(kind, location)?;
            return Ok(None);
        };
        if record.body.len() < record.declared {
            let kind = ErrorKind::truncated(what, record.declared as u64, record.body.len() as u64);
            report.lost(kind, location)?;
        }
        record.body = report.game_bytes(record.body, location)?;
        Ok(Some(record))
    }

    /// Reads a whole game. Returns false if some of it is missing.
    fn whole(
        &self,
        n: u32,
        lengths: LongLengths,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let Some((record, start)) = self.header(n, lengths, game, report)? else {
            return Ok(false);
        };
        self.moves(record, start, game, report)
    }

    /// Fills start position and moves from a record, which need not belong to a game. Returns false
    /// if something is missing.
    pub(crate) fn record_into(
        &self,
        record: RecordBytes<'a>,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        match self.start(record, game, report)? {
            Some((record, start)) => self.moves(record, start, game, report),
            None => Ok(false),
        }
    }

    fn moves(
        &self,
        record: RecordBytes<'a>,
        start: RecordStart,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let (slots, position) = match start {
            RecordStart::Position { slots, offset, .. } => (slots, Some(offset)),
            RecordStart::Standard | RecordStart::Broken => {
                (chessdb_core::legacy::ca::Slots::standard(), None)
            }
        };
        let source = crate::moves::MoveSource {
            body: record.body,
            start: record.start as u64,
            detector: &self.detector,
            guesses: &self.guesses,
            has_nag_texts: self.is_own,
        };
        let complete = decode(source, slots, position, game, report)?;
        Ok(complete && record.body.len() == record.declared)
    }

    /// Returns whether the length of the record can be read in two ways (section 7).
    fn has_disputed_length(&self, n: u32) -> bool {
        let raw_header = self.raw_header(n).ok();
        let offset =
            raw_header.and_then(|raw_header| self.address(n, raw_header.as_ref()).offset());
        let bytes = offset.and_then(|offset| self.games.get(offset as usize..));
        matches!(bytes, Some([128..=255, 128..=255, ..]))
    }

    /// Reads a game with a senseless record again, with the other reading of its length. `earlier`
    /// states how many diagnostics were kept and dropped before the first reading.
    #[cold]
    fn try_other_length(
        &self,
        n: u32,
        earlier: (usize, u32),
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let other = match self.guesses.long_lengths {
            LongLengths::TwoBytes => LongLengths::Leb128,
            LongLengths::Leb128 => LongLengths::TwoBytes,
        };
        let Scratch {
            diagnostics,
            dropped_diagnostics,
            ..
        } = &mut *report.scratch;
        // If the second reading succeeds, the findings of the first one are irrelevant.
        let first = diagnostics.split_off(earlier.0.min(diagnostics.len()));
        let first_more = std::mem::replace(dropped_diagnostics, earlier.1);
        let mut second = Game::new();
        if self.whole(n, other, &mut second, report)? {
            *game = second;
            return report.repaired(
                ErrorKind::Structure(
                    "the record length is valid only in the other length encoding",
                ),
                Location::file(D02_FILE),
            );
        }
        report.scratch.diagnostics.truncate(earlier.0);
        report.scratch.diagnostics.extend(first);
        report.scratch.dropped_diagnostics = first_more;
        Ok(())
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        let places = self.recovered.as_ref().map(Vec::len);
        u32::try_from(places.unwrap_or(self.raw_headers.len())).unwrap_or(u32::MAX)
    }

    fn details(&self) -> StoreDetails<'_> {
        StoreDetails::default()
            .with_declared_charset(self.mark)
            .with_salvaged(self.opened.salvaged.as_ref())
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn remarks(&self) -> Vec<Remark> {
        crate::remarks::remarks(&self.opened.base)
    }

    fn unused(&self) -> Option<UnusedSpace> {
        let raw_headers = self.raw_headers.iter().map(RawHeader::parse);
        let offsets = raw_headers.clone().filter_map(|raw_header| {
            let address = self.addresses.get(raw_header.game as usize)?;
            address.offset()
        });
        let mut offsets: Vec<u32> = offsets.collect();
        offsets.sort_unstable();
        // The byte before the records keeps every offset above 0 (section 4.4).
        let (mut bytes, mut end) = (0, 1);
        for offset in offsets {
            let record = RecordBytes::find(self.games, offset, self.guesses.long_lengths);
            bytes += (offset as usize).saturating_sub(end);
            end = end.max(record.map_or(0, |record| record.start + record.body.len()));
        }
        bytes += self.games.len().saturating_sub(end);
        Some(UnusedSpace {
            bytes: bytes as u64 + self.unused_name_bytes,
            names: self.lookup.unused(raw_headers, &self.opened.base),
        })
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        self.header(n, self.guesses.long_lengths, game, &mut report)?;
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let earlier = (
            report.scratch.diagnostics.len(),
            report.scratch.dropped_diagnostics,
        );
        let complete = self.whole(n, self.guesses.long_lengths, game, &mut report)?;
        if !complete && self.has_disputed_length(n) {
            return self.try_other_length(n, earlier, game, &mut report);
        }
        Ok(())
    }

    fn observe_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Some(body) = self.plain_body(n) else {
            return observe_whole_game(self, n, game, observer, scratch);
        };
        let numbering = self.guesses.numbering;
        Skim::show(self, n, game, observer, scratch, |observer| {
            skim(body, numbering, observer)
        })
    }
}
