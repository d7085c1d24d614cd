//! Reading of games by number.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::legacy::cbh::Mode;
use chessdb_core::model::Tag;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::Place;
use chessdb_core::store::{Opened, UnusedSpace};
use chessdb_core::{
    ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch, Severity, Start,
};

use crate::entry::{GameEntry, MoveBody};
use crate::extras::{self, extra};
use crate::header::{HeaderSources, LOSING_CHESS, read_header};
use crate::info::guiding_texts;
use crate::integrity;
use crate::moves::{CbhStream, GameAnnotations, decode, full_moves, read_lines};
use crate::name_tables::NameTables;
use crate::raw::bytes::bytes_from;
use crate::raw::{
    AnnotationRecord, Extended, FileHeader, GameRecord, Index, IndexHeader, MoveRecord, Record,
    Records, StartPosition,
};
use crate::record_kinds::{RecordKinds, count};
use crate::roles::{
    CBA_FILE, CBC_FILE, CBG_FILE, CBH_FILE, CBJ_FILE, CBP_FILE, CBS_FILE, CBT_FILE,
};
use crate::salvage::{SalvageStore, report_missing, tolerate_index};
use crate::setup::{self, Variant};
use crate::text::TextCharsets;

/// An open database.
#[derive(Debug)]
pub struct Store<'a> {
    pub(crate) index: Index<'a>,
    /// The records that are games, from 0; `None` if all are.
    ids: Option<Vec<u32>>,
    /// In salvage mode, the games in the order in which they were recovered.
    pub(crate) places: Option<Vec<Place>>,
    pub(crate) games: Option<&'a [u8]>,
    annotations: Option<&'a [u8]>,
    extended: Records<'a>,
    pub(crate) names: NameTables<'a>,
    pub(crate) opened: Opened,
    pub(crate) options: ReadOptions,
}

impl<'a> Store<'a> {
    /// Opens the database. Without the games file only headers are available; without a table, its
    /// names are missing. Faults of single games are reported when the games are read.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing or has another format. In strict mode it also
    /// returns an error if the index does not match the file, or if files are missing.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let file = if options.salvage {
            files.get(CBH_FILE).unwrap_or_default()
        } else {
            files.require(CBH_FILE)?
        };
        let mut index = Index::parse(file);
        let mut scratch = Scratch::new();
        let checked = count(&index, &options, &mut scratch);
        let count = tolerate_index(checked, CBH_FILE, &options, &mut scratch)?
            .unwrap_or(index.records.len());
        let whole = index.records.len() == count && scratch.diagnostics.is_empty();
        index.records = index.records.get(..count).unwrap_or(index.records);
        let kinds = if options.known_intact && options.known_dense {
            RecordKinds::all_games()
        } else {
            RecordKinds::find(&index)
        };
        let (games, annotations) = (files.get(CBG_FILE), files.get(CBA_FILE));
        for file in [CBG_FILE, CBA_FILE, CBP_FILE, CBT_FILE, CBC_FILE, CBS_FILE] {
            // A database without annotations may lack .cba.
            let needed = count > 0 && (file != CBA_FILE || kinds.annotated);
            if needed && files.get(file).is_none() {
                let kind = ErrorKind::MissingFile(file);
                scratch.deviation(&options, Severity::Lost, kind, Location::file(file))?;
            }
        }
        let names = NameTables::new(files, TextCharsets::new(&options));
        // Salvage judges each entry by itself (section 21), so no table condemns the others.
        if count > 0 && !options.salvage && !options.known_intact {
            integrity::check_files(files, &index, &names, &options, &mut scratch)?;
        }
        let base = guiding_texts(&index, &kinds.texts, games, &options, &mut scratch)?;
        let mut store = Store {
            ids: kinds.ids,
            places: None,
            games,
            annotations,
            extended: files.get(CBJ_FILE).map(Records::parse).unwrap_or_default(),
            names,
            opened: Opened::new(base, scratch.diagnostics),
            options,
            index,
        };
        if store.options.salvage {
            // A guiding text that cannot be read is evidence against the index.
            store.recover(whole && kinds.texts.len() == store.opened.base.extras.len())?;
        }
        Ok(store)
    }

    /// Returns ChessBase's number of a game, from 1, which counts guiding texts as well.
    pub fn id(&self, n: u32) -> Option<u32> {
        let index = match (&self.places, &self.ids) {
            (Some(places), _) => places.get(n as usize)?.entry?,
            (None, Some(ids)) => *ids.get(n as usize)?,
            (None, None) => n,
        };
        ((index as usize) < self.index.records.len()).then(|| index.saturating_add(1))
    }

    /// Returns the index entry of a game and the offset of its record.
    pub(crate) fn entry(&self, n: u32) -> Result<GameEntry> {
        let place = match &self.places {
            Some(places) => places.get(n as usize),
            None => None,
        };
        // A record that was not found has no valid offset.
        let start = |place: &Place| {
            place
                .range
                .as_ref()
                .map_or(u64::MAX, |range| range.start as u64)
        };
        let offset = place.map(start);
        let id = self.id(n);
        let record = id.and_then(|id| self.index.records.get(id as usize - 1));
        match (record, offset) {
            (Some(record), offset) => Ok(GameEntry {
                id,
                record: GameRecord::parse(record),
                offset,
            }),
            (None, Some(offset)) => Ok(GameEntry::unknown(offset)),
            _ => Err(ErrorKind::no_such_game(n, self.len()).into()),
        }
    }

    /// Returns the offset of a record: 32 bits are in the index, all 64 in the extended header.
    fn offset(short: u32, long: Option<u64>, file: &[u8]) -> u64 {
        // A wrong upper half would lead nowhere, so it counts only where 32 bits do not suffice.
        let is_needed = file.len() as u64 > u32::MAX.into();
        long.filter(|&long| is_needed && long as u32 == short)
            .unwrap_or(short.into())
    }

    /// Fills the header and returns the moves. `None` if the moves cannot be read.
    fn header(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<MoveBody<'a>>> {
        let record = entry.record;
        let extended = self.extended(entry);
        let body = self.body(entry, extended, game, report)?;
        let Some(id) = entry.id else {
            let kind = ErrorKind::Structure("no index entry refers to the game");
            report.lost(kind, Location::file(CBH_FILE))?;
            return Ok(body);
        };
        let location = Location::byte(
            CBH_FILE,
            IndexHeader::SIZE as u64 + u64::from(id - 1) * Record::SIZE as u64,
        );
        if report.options.salvage && extended.is_none() && self.lacks_extended(id) {
            let kind = ErrorKind::Structure("the extended header of the game is missing");
            report.lost(kind, Location::file(CBJ_FILE))?;
        }
        let sources = HeaderSources {
            record,
            extended,
            names: &self.names,
            at: location,
        };
        read_header(&sources, game, report)?;
        Ok(body)
    }

    /// Returns true if a game without an extended header once had one: the file is shorter than it
    /// states, or it is missing although the tables of teams or tags exist.
    fn lacks_extended(&self, id: u32) -> bool {
        let names = &self.names;
        match self.extended.version {
            Some(_) => id <= self.extended.count,
            None => names.teams.header.is_some() || names.tags.header.is_some(),
        }
    }

    fn extended(&self, entry: &GameEntry) -> Option<Extended<'a>> {
        self.extended.get(entry.id?.checked_sub(1)?).map(Extended)
    }

    /// Reads the start position and returns the moves.
    fn body(
        &self,
        entry: &GameEntry,
        extended: Option<Extended<'_>>,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<MoveBody<'a>>> {
        let Some(games) = self.games else {
            report_missing(CBG_FILE, report)?;
            return Ok(None);
        };
        let long = extended.and_then(Extended::moves);
        let stated = || Self::offset(entry.record.moves, long, games);
        let offset = entry.offset.unwrap_or_else(stated);
        let location = Location::byte(CBG_FILE, offset);
        let bytes = bytes_from(games, offset);
        let stored = match MoveRecord::parse(bytes) {
            Ok(stored) => stored,
            Err(needed) => {
                let kind = ErrorKind::truncated(
                    "the record of the game",
                    needed.max(MoveRecord::HEADER) as u64,
                    bytes.len() as u64,
                );
                report.lost(kind, location)?;
                // A size that is smaller than the record header carries no information.
                match bytes.split_first_chunk::<{ MoveRecord::HEADER }>() {
                    Some(([flags, ..], body)) if needed > bytes.len() => MoveRecord {
                        flags: *flags,
                        body,
                    },
                    _ => return Ok(None),
                }
            }
        };
        let moves = report.game_bytes(stored.body, location)?;
        let body_location = location.plus(MoveRecord::HEADER as u64);
        let number = stored.flags & MoveRecord::MODE;
        let Some(mode) = Mode::new(number) else {
            let kind = ErrorKind::bad_field("the encoding mode", number);
            report.lost(kind, body_location)?;
            let mut whole = Vec::new();
            MoveRecord {
                flags: stored.flags,
                body: moves,
            }
            .write(&mut whole);
            game.header.extras.push(extra(extras::RECORD, &whole));
            return Ok(None);
        };
        // The writer uses one of these two modes unless the extra names another.
        let usual = if mode.is_chess960() { Mode::CHESS960 } else { Mode::CHESS };
        if stored.flags & !MoveRecord::SETUP != usual.number() {
            game.header
                .extras
                .push(extra(extras::MODE, &[stored.flags]));
        }
        if mode.is_losing_chess() {
            let name = game.add_text("Variant");
            let value = game.add_text(LOSING_CHESS);
            game.header.tags.push(Tag::Other { name, value });
        }
        if stored.flags & MoveRecord::SETUP == 0 {
            return Ok(Some(MoveBody {
                mode,
                moves,
                at: body_location,
            }));
        }
        let Some((position, rest)) = moves.split_first_chunk() else {
            let kind = ErrorKind::truncated(
                "the start position",
                StartPosition::SIZE as u64,
                moves.len() as u64,
            );
            report.lost(kind, body_location)?;
            return Ok(None);
        };
        let position = StartPosition::parse(position);
        let (variant, length) = if mode.is_chess960() {
            setup::chess960(
                &position,
                rest,
                body_location.plus(StartPosition::SIZE as u64),
                report,
            )?
        } else {
            (Variant::Chess, 0)
        };
        let (start, faults) = setup::read(&position, variant);
        game.header.start = Start::Setup(Box::new(start));
        if let Some(file) = faults.ep {
            let kind = ErrorKind::bad_field("the en passant file", file);
            report.lost(kind, body_location)?;
        }
        if let Some(piece) = faults.piece {
            let kind = ErrorKind::bad_field("a piece of the start position", piece);
            report.lost(kind, body_location)?;
            // Codes have a meaning only in a known position.
            return Ok(None);
        }
        Ok(Some(MoveBody {
            mode,
            moves: rest.get(length..).unwrap_or_default(),
            at: body_location.plus((StartPosition::SIZE + length) as u64),
        }))
    }

    /// Adds the castling rights that a start position lacks, as only the moves show. All other
    /// findings about the moves are discarded; reading the game reports them.
    fn add_rights(&self, stream: &CbhStream<'_>, game: &mut Game) -> Result<()> {
        let options = self
            .options
            .clone()
            .with_mode(chessdb_core::options::Mode::Lenient);
        let (mut unheard, mut unused) = (Scratch::new(), Vec::new());
        let mut report = GameReport::new(&options, &mut unheard, None);
        read_lines(stream, &mut unused, game, &mut report).map(|_| ())
    }

    fn game(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        buffer: &mut Vec<u8>,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let body = self.header(entry, game, report)?;
        self.moves(entry, body, game, buffer, report).map(|_| ())
    }

    fn moves(
        &self,
        entry: &GameEntry,
        body: Option<MoveBody<'a>>,
        game: &mut Game,
        buffer: &mut Vec<u8>,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let Some(body) = body else {
            return Ok(false);
        };
        let record = &entry.record;
        let stream = body.stream(record);
        let lines = read_lines(&stream, buffer, game, report)?;
        let counted = full_moves(lines.plies(), game.start_board().turn());
        // 255 in the index also means all larger numbers.
        let fits = counted.min(255) == u32::from(record.full_moves);
        if lines.complete && !fits && entry.id.is_some() {
            let kind = ErrorKind::mismatch(
                "the number of moves in the index",
                record.full_moves.into(),
                counted.min(255).into(),
            );
            report.note(kind, Location::file(CBH_FILE))?;
        }
        let annotations = self.annotations.filter(|_| record.annotations > 0);
        let are_gone = annotations.is_none() && record.annotations > 0;
        if are_gone && entry.id.is_some() {
            report_missing(CBA_FILE, report)?;
        }
        let notes = match annotations.zip(entry.id) {
            Some((file, id)) => {
                let long = self.extended(entry).and_then(Extended::annotations);
                let offset = Self::offset(record.annotations, long, file);
                let location = Location::byte(CBA_FILE, offset);
                let bytes = bytes_from(file, offset);
                // The limit of a game's bytes bounds its annotations as well.
                let limit = report.options.limits.game_bytes as usize;
                let within = bytes.get(..limit).unwrap_or(bytes);
                match AnnotationRecord::parse(within) {
                    Some(stored) => GameAnnotations::read(
                        &stored,
                        id,
                        &lines,
                        self.names.charsets.clone(),
                        location,
                        report,
                    )?,
                    None => {
                        let kind = ErrorKind::truncated(
                            "the annotations of the game",
                            AnnotationRecord::HEADER as u64,
                            bytes.len() as u64,
                        );
                        report.lost(kind, location)?;
                        GameAnnotations::none(self.names.charsets.clone())
                    }
                }
            }
            None => GameAnnotations::none(self.names.charsets.clone()),
        };
        let complete = lines.complete;
        decode(&lines, &notes, stream.at, game, report)?;
        Ok(complete && fits)
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        let count = match (&self.places, &self.ids) {
            (Some(places), _) => places.len(),
            (None, Some(ids)) => ids.len(),
            (None, None) => self.index.records.len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn is_dense(&self) -> bool {
        self.ids.is_none() && self.places.is_none()
    }

    fn unused(&self) -> Option<UnusedSpace> {
        let files = [self.games, self.annotations].into_iter().flatten();
        Some(UnusedSpace {
            bytes: files.map(|file| FileHeader::parse(file).unused()).sum(),
            names: self.names.unused(),
        })
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let entry = self.entry(n)?;
        let body = self.header(&entry, game, &mut report)?;
        // Only the moves show a missing right. Most positions cannot lack one, which saves reading
        // them.
        match body.filter(|_| setup::may_lack_right(&game.header.start)) {
            Some(body) => self.add_rights(&body.stream(&entry.record), game),
            None => Ok(()),
        }
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        // The report borrows `scratch`, so the buffer leaves it for a while.
        let mut buffer = std::mem::take(&mut scratch.bytes);
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let read = self
            .entry(n)
            .and_then(|entry| self.game(&entry, game, &mut buffer, &mut report));
        scratch.bytes = buffer;
        read
    }
}

impl SalvageStore for Store<'_> {
    type Entry = GameEntry;
    const INDEX_FILE: Role = CBH_FILE;
    const GAMES_FILE: Role = CBG_FILE;

    fn header_alone(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.header(entry, game, report).map(|_| ())
    }

    fn moves_alone(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        buffer: &mut Vec<u8>,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        // Salvage states the offset in the entry, so the extended header is not needed.
        let body = self.body(entry, None, game, report)?;
        self.moves(entry, body, game, buffer, report)
    }

    fn salvage_parts(&mut self) -> (&mut Option<Vec<Place>>, &mut Opened, &ReadOptions) {
        (&mut self.places, &mut self.opened, &self.options)
    }
}
