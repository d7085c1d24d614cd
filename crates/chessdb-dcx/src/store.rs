//! Reading a database game by game.

mod open;
mod promotions;
mod record_checks;

use std::sync::OnceLock;

use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::store::{Opened, Remark, UnusedSpace};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{
    BaseInfo, Charset, ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch, Severity,
    Start,
};

use crate::header;
use crate::moves::{
    Boards, GameBody, Pieces, Position, PromotionEvidence, Promotions, SETTING, decode,
};
use crate::names::NameTables;
use crate::raw::{
    Entry, EntrySize, FileHeader, FileSizes, GameOffsets, Layout, LengthForm, Magic, Record,
    StartField,
};
use crate::report::ReportExt as _;
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::unindexed::cut_record;

/// A database that is open for reading.
///
/// Opening parses only the header, the name tables and the offsets of the games; each game is then
/// read on its own.
#[derive(Debug)]
pub struct Store<'a> {
    options: ReadOptions,
    detector: EncodingDetector,
    layout: Layout,
    /// The whole entries.
    pub(crate) entries: &'a [u8],
    /// The number of games in the index.
    pub(crate) count: u32,
    pub(crate) games: &'a [u8],
    /// The known data of games that are not in the index; they follow the others. A salvaged
    /// database has only these.
    pub(crate) unindexed: Vec<Entry>,
    /// Sorted when they are first needed: by checks, and for records without a known end.
    pub(crate) game_offsets: OnceLock<GameOffsets>,
    pub(crate) names: NameTables<'a>,
    promotions: Promotions,
    evidence: PromotionEvidence,
    pub(crate) opened: Opened,
}

impl<'a> Store<'a> {
    /// Opens a database. The setting `dcx-promotions` chooses the numbering of its promotions;
    /// without it, or with `auto`, the games decide.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing or has foreign magic bytes. In strict mode, also
    /// for any deviation that is visible without reading a game (docs/formats/dcx.md, section 12).
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let named = options.setting(SETTING).map(Promotions::by_name);
        let chosen = named.transpose()?.flatten();
        Store::open_numbered(files, options, chosen)
    }

    /// Opens a database like [`Store::open`], with a given numbering of promotions.
    ///
    /// # Errors
    ///
    /// See [`Store::open`].
    pub fn open_numbered(
        files: &'a dyn FileSet,
        options: ReadOptions,
        promotions: Option<Promotions>,
    ) -> Result<Store<'a>> {
        let mut scratch = Scratch::new();
        let mut report = GameReport::new(&options, &mut scratch, None);
        let (index, has_header) = open::open_index(files, &mut report)?;
        let sizes = FileSizes::from_files(files);
        let detected = Layout::detect(index, &sizes);
        let layout = detected.layout;
        let (file_header, mut body) = FileHeader::parse(index, layout.file_header);
        if !has_header {
            body = open::aligned(index, layout, files.get(DCG_FILE).unwrap_or_default());
        }
        let size = layout.entry.bytes();
        let count = u32::try_from(body.len() / size).unwrap_or(u32::MAX);
        let whole = (count as usize).saturating_mul(size);
        let (entries, tail) = body.split_at_checked(whole).unwrap_or((body, &[]));

        if has_header {
            open::check_index(index, &file_header, layout, tail, &mut report)?;
        }
        if !detected.is_sure() {
            let what = ErrorKind::Structure("an index that matches no layout well");
            report.file(Severity::Note, what, DCI_FILE)?;
        }
        let mut base = BaseInfo::default();
        let detector = options.detector(Charset::UTF_8);
        let names = NameTables::open(files, layout, &detector, &mut base, &mut report)?;
        base.open_first = file_header
            .open_default(layout, count as usize)
            .map(|n| n.saturating_add(1));
        let games = open::open_games(files, count, &mut report)?;
        let mut store = Store {
            layout,
            entries,
            count,
            games,
            unindexed: Vec::new(),
            game_offsets: OnceLock::new(),
            names,
            promotions: promotions.unwrap_or_default(),
            evidence: PromotionEvidence::Chosen,
            opened: Opened::new(base, Vec::new()),
            options: options.clone(),
            detector,
        };
        // A salvage compares the records and searches for others by itself.
        if !options.salvage && !options.known_intact {
            store.compare_records(&mut report)?;
            store.find_unindexed(&mut report)?;
        }
        // Before a salvage, which reads moves with the chosen numbering.
        if promotions.is_none() {
            store.choose_promotions(&mut report)?;
        }
        if options.salvage {
            store.recover(has_header && tail.is_empty(), &mut report)?;
        }
        store.opened.diagnostics = scratch.diagnostics;
        Ok(store)
    }

    /// Returns the layout of the index.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Returns the numbering with which the promotions of this database are read. A game that is
    /// possible only with the other numbering is read with that one, unless the caller chose.
    pub fn promotions(&self) -> Promotions {
        self.promotions
    }

    /// Returns the index entry of a game, from 0.
    #[inline(always)]
    pub fn entry(&self, n: u32) -> Option<Entry> {
        let size = self.layout.entry;
        if size == EntrySize::Standard {
            return self
                .entries
                .as_chunks()
                .0
                .get(n as usize)
                .map(Entry::parse_39)
                .or_else(|| self.unindexed_entry(n));
        }
        let start = (n as usize).checked_mul(size.bytes())?;
        let bytes = self.entries.get(start..);
        bytes
            .and_then(|bytes| Entry::parse(size, bytes))
            .or_else(|| self.unindexed_entry(n))
    }

    /// Returns the entry of a game that is not in the index: it contains the offset of the record,
    /// and little else.
    #[cold]
    fn unindexed_entry(&self, n: u32) -> Option<Entry> {
        let index = n.checked_sub(self.count)? as usize;
        self.unindexed.get(index).copied()
    }

    /// Fills the whole game like [`GameStore::game_into`], but without the rules of chess: for fast
    /// scans of databases that are known to be valid.
    ///
    /// Castling, en passant and promotion are recognized from the squares of the pieces, so the
    /// result is the same wherever the moves are possible. The side to move, castling rights, and
    /// whether a move is possible at all are not checked; an impossible move does not end its line.
    ///
    /// # Errors
    ///
    /// See [`GameStore::game_into`], except for illegal and impossible moves.
    pub fn game_unchecked_into(
        &self,
        n: u32,
        game: &mut Game,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let numbering = self.promotions;
        self.read(n, numbering, game, scratch, |store, body, game, report| {
            let pieces = Pieces::new(&game.start_board());
            store.decode(body, game, pieces, report)
        })
    }

    /// Returns the record of a game if it has nothing to report.
    #[inline(always)]
    fn standard_record(&self, entry: &Entry) -> Option<Record<'a>> {
        let start = usize::try_from(entry.offset).ok()?;
        // In the oldest layout the bytes of a length may be reversed (section 9).
        if start < Magic::SIZE || self.layout.entry == EntrySize::Short {
            return None;
        }
        Record::parse_standard(self.games.get(start..)?)
    }

    /// Returns the record of a game, from 0, as far as it can be found.
    #[inline(never)]
    fn record(
        &self,
        n: u32,
        entry: &Entry,
        report: &mut GameReport<'_>,
    ) -> Result<Option<Record<'a>>> {
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let first = Magic::SIZE;
        // An offset below the first game would read the magic bytes as a length.
        let Some(rest) = self.games.get(start..).filter(|_| start >= first) else {
            report.entry(Severity::Lost, "Offset", entry.offset, self.entry_place(n))?;
            return Ok(None);
        };
        let old = self.layout.entry == EntrySize::Short;
        let stretch = if old { self.stretch(n, entry, rest) } else { rest };
        match Record::parse(stretch, old) {
            Ok(record) => {
                if matches!(record.length.form, LengthForm::Reversed(_)) {
                    let what = ErrorKind::Structure("the length of a game in the wrong byte order");
                    report.byte(Severity::Note, what, entry.offset)?;
                }
                Ok(Some(record))
            }
            Err(fault) => {
                let (kind, location) = fault.into_parts(DCG_FILE, entry.offset);
                report.lost(kind, location)?;
                Ok(cut_record(self.stretch(n, entry, rest)))
            }
        }
    }

    /// Returns the offsets of all games of the index, or of all games of a salvaged database.
    fn game_offsets(&self) -> &GameOffsets {
        self.game_offsets.get_or_init(|| {
            let entries = self.entries.chunks_exact(self.layout.entry.bytes());
            GameOffsets::new(entries.map(Entry::offset_of))
        })
    }

    /// Returns the location of a game's entry in the index.
    fn entry_place(&self, n: u32) -> Location {
        Location::byte(DCI_FILE, self.layout.entry_offset(n))
    }

    /// Returns the bytes up to the next game.
    fn stretch(&self, n: u32, entry: &Entry, rest: &'a [u8]) -> &'a [u8] {
        let following = n.checked_add(1).and_then(|n| self.entry(n));
        let next = self
            .game_offsets()
            .after(entry.offset, following.map(|entry| entry.offset));
        let distance = next.map_or(rest.len() as u64, |next| next.saturating_sub(entry.offset));
        let len = usize::try_from(distance).unwrap_or(usize::MAX);
        rest.get(..len).unwrap_or(rest)
    }

    /// Reads the header and the start position, then calls `moves` with the body of the record.
    #[inline]
    fn read(
        &self,
        n: u32,
        numbering: Promotions,
        game: &mut Game,
        scratch: &mut Scratch,
        moves: impl FnOnce(&Store<'a>, &GameBody<'_>, &mut Game, &mut GameReport<'_>) -> Result<()>,
    ) -> Result<()> {
        game.clear();
        game.moves.clear();
        let number = n.saturating_add(1);
        let Some(entry) = self.entry(n) else {
            return Err(ErrorKind::no_such_game(n, self.len()).into());
        };
        // The record is requested first, so that it is loaded from memory while the names are
        // copied.
        let standard = self.standard_record(&entry);
        let mut report = GameReport::new(&self.options, scratch, Some(number));
        let location = self.entry_place(n);
        header::read_header(
            &entry,
            location,
            &self.names,
            &self.opened.base.texts,
            game,
            &mut report,
        )?;
        let record = match standard {
            Some(record) => record,
            None => match self.record(n, &entry, &mut report)? {
                Some(record) => record,
                None => return Ok(()),
            },
        };
        self.fill(numbering, entry.offset, &record, game, &mut report, moves)
    }

    /// Reads the start position of the record at `offset`, then calls `moves` with its body.
    #[inline]
    fn fill(
        &self,
        promotions: Promotions,
        offset: u64,
        record: &Record<'a>,
        game: &mut Game,
        report: &mut GameReport<'_>,
        moves: impl FnOnce(&Store<'a>, &GameBody<'_>, &mut Game, &mut GameReport<'_>) -> Result<()>,
    ) -> Result<()> {
        let body = offset.saturating_add(record.body_offset() as u64);
        match record.start {
            StartField::Standard => game.header.start = Start::Standard,
            StartField::Missing => {
                // Even the byte that states the start position is missing.
                let what = ErrorKind::Structure("a game of length 0");
                report.byte(Severity::Lost, what, offset)?;
            }
            StartField::Fen { text, .. } => {
                let fen_offset = body.saturating_sub(text.len() as u64);
                if !self.read_fen(text, fen_offset, game, report)? {
                    return Ok(());
                }
            }
            // Without a start position, the moves have no meaning.
            StartField::Other(marker) => {
                let what = ErrorKind::bad_field("FenMarker", marker);
                return report.byte(Severity::Lost, what, body.saturating_sub(1));
            }
        }
        let body = GameBody {
            bytes: record.body,
            offset: body,
            promotions,
            detector: &self.detector,
        };
        moves(self, &body, game, report)
    }

    /// Fills the moves of the record at `offset`, which need not belong to a game.
    pub(crate) fn moves_of(
        &self,
        record: &Record<'a>,
        offset: u64,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        game.clear();
        self.fill(self.promotions, offset, record, game, report, with_boards)
    }

    fn read_fen(
        &self,
        text: &[u8],
        offset: u64,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        // The FEN may have to be kept as text.
        let limits = &self.options.limits;
        if let Err(over) = game.texts.check_room(text.len() + 8, limits) {
            report.byte(Severity::Lost, over.into_kind(limits), offset)?;
            return Ok(false);
        }
        header::read_fen(text, game, report, offset)
    }

    fn decode<P: Position>(
        &self,
        body: &GameBody<'_>,
        game: &mut Game,
        position: P,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let mut body = *body;
        let end = body
            .offset
            .saturating_add(self.options.limits.game_bytes.into());
        body.bytes = report.game_bytes(body.bytes, Location::byte(DCG_FILE, end))?;
        decode(&body, position, game, report)
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        self.count.saturating_add(self.unindexed.len() as u32)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, self.promotions, game, scratch, |_, _, _, _| Ok(()))
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let before = scratch.diagnostics.len();
        let read = self.read(n, self.promotions, game, scratch, with_boards);
        if promotions::has_bad_move(scratch, before) {
            return self.try_other_numbering(n, before, game, scratch);
        }
        read
    }

    fn remarks(&self) -> Vec<Remark> {
        let open_first = self.opened.base.open_first;
        open_first
            .map(|game| Remark::new("opens first", format!("game {game}")))
            .into_iter()
            .chain(self.remark_on_promotions())
            .collect()
    }

    fn unused(&self) -> Option<UnusedSpace> {
        Some(self.unused_space())
    }
}

/// Decodes with the rules of chess.
#[inline]
fn with_boards(
    store: &Store<'_>,
    body: &GameBody<'_>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let boards = Boards::new(game)?;
    store.decode(body, game, boards, report)
}
