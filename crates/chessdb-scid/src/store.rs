//! Reading of games by number.

mod name_tables;
mod open;
mod unused;

use chessdb_core::limits::Limits;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::Place;
use chessdb_core::search::{
    HeaderColumnSet, HeaderColumns, MainlineObserver, SearchIndex, Signature,
};
use chessdb_core::store::{Opened, Remark, StoreDetails, UnusedSpace, observe_whole_game};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{
    Diagnostic, ErrorKind, Game, GameStore, PackedMove, ReadOptions, Result, Scratch, Severity,
    Start,
};

use crate::check::SearchFields;
use crate::derived::START_MATERIAL;
use crate::entry::{Entries, GameEntry};
use crate::generation::Spec;
use crate::header::{read_columns, read_fen, read_tags, read_variant, without_tags};
use crate::moves::{Decoded, decode, show_plain, skim};

use crate::raw::{CountCode, IndexFlags, RecordFlags, RecordParts, Tags, count_code};
use name_tables::NameTables;

/// An open database of any generation.
#[derive(Debug)]
pub struct Store<'a> {
    pub(crate) spec: &'static Spec,
    pub(crate) entries: Entries<'a>,
    pub(crate) games: &'a [u8],
    pub(crate) names: NameTables<'a>,
    pub(crate) options: ReadOptions,
    detector: EncodingDetector,
    /// Set if the database is being checked.
    search_fields: Option<SearchFields>,
    /// The places where games were found in a salvaged database.
    pub(crate) places: Option<Vec<Place>>,
}

impl<'a> Store<'a> {
    /// Returns the report for findings about game `n`, counted from 0.
    pub(crate) fn report<'r>(&'r self, n: u32, scratch: &'r mut Scratch) -> GameReport<'r> {
        GameReport::new(&self.options, scratch, Some(n.saturating_add(1)))
    }

    fn entry(&self, n: u32) -> Result<GameEntry> {
        let stored = match &self.places {
            None => self.entries.get(n),
            Some(places) => places.get(n as usize).map(|place| self.entry_at(place)),
        };
        stored.ok_or_else(|| ErrorKind::no_such_game(n, self.len()).into())
    }

    /// Returns the entry of a game of a salvaged database, pointing to the bytes of the game.
    fn entry_at(&self, place: &Place) -> GameEntry {
        let listed = place.entry.and_then(|n| self.entries.get(n));
        let entry = listed.unwrap_or(GameEntry::UNKNOWN);
        match &place.range {
            Some(range) => GameEntry {
                offset: range.start as u64,
                length: u32::try_from(range.len()).unwrap_or(u32::MAX),
                ..entry
            },
            // A length of 0 makes the reader report the record as missing.
            None => GameEntry { length: 0, ..entry },
        }
    }

    /// Fills the header. Returns the parts of the record with the moves, and their offset. `None`
    /// if the record cannot be parsed that far.
    fn header(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<(RecordParts<'a>, u64)>> {
        game.clear();
        if entry.is_unknown() {
            let kind =
                ErrorKind::Structure("no index entry refers to the game; its header is unknown");
            report.lost(kind, self.spec.in_games(entry.offset))?;
        } else {
            self.fill_header(entry, game, report)?;
        }
        let start = entry.offset;
        let Some(record) = self.record(entry, report)? else {
            return Ok(None);
        };
        let mut tags = Tags::new(record);
        if !read_tags(&mut tags, start, self.spec, &self.detector, game, report)? {
            return Ok(None);
        }
        let parts = match RecordParts::parse(tags.rest(), record.len()) {
            Ok(parts) => parts,
            Err(fault) => {
                let (kind, location) = fault.into_parts(self.spec.games_file(), start);
                report.lost(kind, location)?;
                return Ok(None);
            }
        };
        if parts.fen.is_some() != entry.flags.contains(IndexFlags::START) && !entry.is_unknown() {
            let kind = ErrorKind::mismatch(
                "the start flag of the index",
                entry.flags.contains(IndexFlags::START).into(),
                parts.fen.is_some().into(),
            );
            // A start position that is announced but missing was overwritten.
            let severity = match parts.fen {
                None => Severity::Lost,
                Some(_) => Severity::Note,
            };
            let location = self.spec.in_entry(report, self.spec.field_offsets.flags);
            report.add(severity, kind, location)?;
        }
        // The flags byte precedes the FEN.
        let fen_start = start + tags.offset() + 1;
        if !read_fen(
            parts.flags,
            parts.fen,
            self.spec.in_games(fen_start),
            &self.detector,
            game,
            report,
        )? {
            return Ok(None);
        }
        read_variant(entry, self.spec, game, report)?;
        let moves_start = fen_start + parts.fen.map_or(0, |fen| fen.len() as u64 + 1);
        Ok(Some((parts, moves_start)))
    }

    /// Returns the bytes of a game's record, cut at the end of the file.
    pub(crate) fn record(
        &self,
        entry: &GameEntry,
        report: &mut GameReport<'_>,
    ) -> Result<Option<&'a [u8]>> {
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let length = entry.length as usize;
        let Limits { game_bytes, .. } = report.options.limits;
        let tail = self.games.get(start..).unwrap_or_default();
        let whole = tail.get(..length).unwrap_or(tail);
        let location = self.spec.in_games(entry.offset);
        // A length of 0 is a fault too, since every record has at least its end marks.
        if whole.is_empty() || whole.len() < length {
            let needed = length.max(1) as u64;
            let kind = ErrorKind::truncated("the game record", needed, whole.len() as u64);
            report.lost(kind, location)?;
        }
        if length > game_bytes as usize {
            let kind = ErrorKind::over_limit("bytes in a game", game_bytes.into());
            report.lost(kind, location)?;
        }
        let record = whole.get(..game_bytes as usize).unwrap_or(whole);
        Ok(Some(record).filter(|record| !record.is_empty()))
    }

    /// Compares the decoded moves with the index entry. An overwritten game can often still be
    /// decoded, since zeros are null moves. So a mismatch means that something is missing, unless
    /// writers are known to have left such mismatches (section 6.5).
    fn compare(
        &self,
        entry: &GameEntry,
        decoded: &Decoded,
        game: &Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let places = &self.spec.field_offsets;
        let counts = &decoded.counts;
        let counted = [
            (
                "the number of variations",
                entry.variations,
                counts.variations,
                places.variations,
            ),
            (
                "the number of comments",
                entry.comments,
                counts.comments,
                places.comments,
            ),
            ("the number of NAGs", entry.nags, counts.nags, places.nags),
        ];
        for (what, code, count, offset) in counted {
            if code != count_code(count) {
                let (stored, counted) = (code.0.into(), count_code(count).0.into());
                self.broken(Severity::Lost, what, stored, counted, offset, report)?;
            }
        }
        let (promised, plies) = (u32::from(entry.plies), counts.plies & 0x3FF);
        let (stored, expected) = (entry.final_material, decoded.final_material);
        if promised == plies && stored == expected {
            return Ok(());
        }
        // If a game begins from another position, old programs left both fields as they were before
        // editing, or never computed them. None of these games has null moves.
        let is_standard = matches!(game.header.start, Start::Standard);
        let severity = if is_standard || game.moves.mainline().any(|mv| mv.is_null()) {
            Severity::Lost
        } else {
            Severity::Note
        };
        if promised != plies {
            let what = "the number of half-moves";
            self.broken(severity, what, promised, plies, places.plies, report)?;
        }
        // Scid vs. PC writes the material of the start into all of these games (section 6.5).
        if stored != expected && (is_standard || stored != START_MATERIAL) {
            let what = "the final material";
            self.broken(severity, what, stored, expected, places.material, report)?;
        }
        Ok(())
    }

    fn broken(
        &self,
        severity: Severity,
        what: &'static str,
        stored: u32,
        expected: u32,
        offset: u64,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let kind = ErrorKind::mismatch(what, stored.into(), expected.into());
        report.add(severity, kind, self.spec.in_entry(report, offset))
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        match &self.places {
            None => self.entries.len(),
            Some(places) => u32::try_from(places.len()).unwrap_or(u32::MAX),
        }
    }

    fn opened(&self) -> &Opened {
        &self.read_names().opened
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        self.names.diagnostics()
    }

    fn details(&self) -> StoreDetails<'_> {
        // Only a salvaged database has any, and its names have been read.
        let places = self.places.as_ref();
        let salvaged = places.and_then(|_| self.opened().salvaged.as_ref());
        StoreDetails::default().with_salvaged(salvaged)
    }

    fn remarks(&self) -> Vec<Remark> {
        crate::remarks::remarks(self.spec, self.base())
    }

    fn unused(&self) -> Option<UnusedSpace> {
        // The page does not show it, and programs for the web are downloaded.
        (!cfg!(target_family = "wasm")).then(|| self.unused_space())
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = self.report(n, scratch);
        let entry = self.entry(n)?;
        self.header(&entry, game, &mut report)?;
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let previous = scratch.diagnostics.len();
        let entry = self.entry(n)?;
        self.read(&entry, game, &mut self.report(n, scratch))?;
        let Some(fields) = &self.search_fields else {
            return Ok(());
        };
        // The fields may be right if the game cannot be read.
        let new = scratch.diagnostics.get(previous..).unwrap_or_default();
        if new.iter().any(|finding| finding.severity == Severity::Lost) || entry.is_unknown() {
            Ok(())
        } else {
            fields.compare(self.spec, &entry, game, &mut self.report(n, scratch))
        }
    }

    fn game_or_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        // The index may be wrong then, and only a decoded game shows its faults.
        if !self.trusts_index() {
            return self.game_into(n, game, scratch).map(|()| false);
        }
        let entry = self.entry(n)?;
        self.read_or_show(&entry, game, Some(observer), &mut self.report(n, scratch))
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        self.trusts_index().then_some(self)
    }

    fn observe_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if !self.trusts_index() {
            return observe_whole_game(self, n, game, observer, scratch);
        }
        let entry = self.entry(n)?;
        if let Some(moves) = self.plain_moves(&entry)
            && !observer.needs_header()
        {
            skim(moves, &Start::Standard, observer);
            return Ok(());
        }
        let parts = self.header(&entry, game, &mut self.report(n, scratch))?;
        if !game.has_known_start() {
            return Ok(());
        }
        // Games above the limit of moves are cut by the full reader.
        let moves = parts.map_or(&[][..], |(parts, _)| parts.moves);
        if moves.len() > self.options.limits.plies as usize {
            return observe_whole_game(self, n, game, observer, scratch);
        }
        skim(moves, &game.header.start, observer);
        Ok(())
    }
}

/// The index file, of a store that relies on it.
impl SearchIndex for Store<'_> {
    fn signature(&self, n: u32) -> Option<Signature> {
        self.entries.get(n)?.signature()
    }

    fn opening_lines(&self) -> &[Vec<PackedMove>] {
        crate::opening_lines::openings()
    }

    fn header_columns(
        &self,
        first: u32,
        columns: HeaderColumnSet,
        into: &mut HeaderColumns,
    ) -> bool {
        let start = first as usize;
        let names = &self.read_names().lookup;
        match self.entries {
            Entries::Si3(entries) => read_columns(entries, start, names, columns, into),
            Entries::Si4(entries) => read_columns(entries, start, names, columns, into),
            Entries::Si5(entries) => read_columns(entries, start, names, columns, into),
        }
        true
    }

    fn exact_columns(&self, first: u32, games: u64) -> u64 {
        without_tags(&self.entries, self.games, first, games)
    }

    fn has_clean_header(&self, n: u32) -> bool {
        self.entries
            .get(n)
            .is_some_and(|entry| self.plain_moves(&entry).is_some())
    }

    fn has_no_comments(&self, n: u32) -> bool {
        self.entries
            .get(n)
            .is_some_and(|entry| entry.comments == CountCode(0))
    }
}

impl Store<'_> {
    /// Returns whether the index can be used without verification.
    fn trusts_index(&self) -> bool {
        let is_lenient = self.options.mode == Mode::Lenient;
        is_lenient && !self.options.salvage && self.search_fields.is_none()
    }

    /// Returns the moves and comments of a game from the standard start position, without parsing
    /// them. `None` if reading the header could have findings: if anything is missing that
    /// [`Store::header`] looks for, or if there are tags.
    // Inlined so that only the fields of the entry needed here are computed.
    #[inline(always)]
    fn plain_moves(&self, entry: &GameEntry) -> Option<&[u8]> {
        let start = usize::try_from(entry.offset).ok()?;
        let end = start.checked_add(entry.length as usize)?;
        let record = self.games.get(start..end)?;
        // The 0 ends the tags, of which there are none (section 4.1).
        let [0, flags, moves @ ..] = record else {
            return None;
        };
        let Limits {
            game_bytes, plies, ..
        } = self.options.limits;
        let is_plain = !RecordFlags::from_bits_retain(*flags).contains(RecordFlags::FEN)
            && !entry.flags.contains(IndexFlags::START)
            && !entry.is_unknown()
            && !entry.chess960
            && (entry.eco.0 == 0 || entry.eco.to_eco().is_some())
            && record.len() <= game_bytes as usize
            && moves.len() <= plies as usize;
        (is_plain && self.read_names().lookup.has_all(entry)).then_some(moves)
    }

    /// Reads the whole game of an entry.
    pub(crate) fn read(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.read_or_show(entry, game, None, report).map(|_| ())
    }

    /// Reads the whole game of an entry, or shows its moves to an observer
    /// ([`GameStore::game_or_mainline`]). Returns whether they were shown.
    fn read_or_show(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        observer: Option<&mut dyn MainlineObserver>,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let Some((parts, start)) = self.header(entry, game, report)? else {
            return Ok(false);
        };
        // A FEN of the standard position numbers the pieces in another order.
        let may_show = matches!(game.header.start, Start::Standard)
            && game.has_known_start()
            && parts.moves.len() <= report.options.limits.plies as usize;
        let shown = observer
            .filter(|_| may_show)
            .and_then(|observer| show_plain(&parts, observer));
        let decoded = match shown {
            Some(shown) => Some(shown),
            None => {
                let moves_start = self.spec.in_games(start);
                decode(&parts, moves_start, &self.detector, game, report)?
            }
        };
        if let Some(decoded) = decoded.filter(|_| !entry.is_unknown()) {
            self.compare(entry, &decoded, game, report)?;
        }
        Ok(shown.is_some())
    }
}
