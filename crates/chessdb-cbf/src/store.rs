//! Reading of games by number.

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::line::Skim;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::search::{MainlineObserver, SearchIndex};
use chessdb_core::store::{Opened, UnusedSpace, observe_whole_game};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{
    Error, ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch, Start,
};

use crate::check::{check_game, unused_bytes};
use crate::header;
use crate::moves::{CbfStream, decode, full_moves, is_count_of, skim};
use crate::raw::{RawHeader, RecordFlags, RecordParts, cipher};
use crate::record_offsets::RecordOffsets;
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::salvage;
use crate::text::DEFAULT;

/// An open database.
#[derive(Debug)]
pub struct Store<'a> {
    games: &'a [u8],
    places: RecordOffsets<'a>,
    pub(crate) opened: Opened,
    options: ReadOptions,
    detector: EncodingDetector,
}

impl<'a> Store<'a> {
    /// Opens the database. If the index is missing or invalid, the games file is searched for
    /// records; if it ends too early, only the missing ones are searched for. Faults of single
    /// games are reported when the games are read.
    ///
    /// # Errors
    ///
    /// Returns an error if the games file is missing or, in strict mode, if the index is missing or
    /// does not match the games.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        if options.salvage {
            return salvage::open(files, options);
        }
        let games = files.require(CBF_FILE)?;
        let mut scratch = Scratch::new();
        let places = RecordOffsets::read(files.get(CBI_FILE), games, &options, &mut scratch)?;
        let mut store = Store::new(games, places, options);
        store.opened.diagnostics = scratch.diagnostics;
        Ok(store)
    }

    /// Creates a store with records at these offsets.
    pub(crate) fn new(
        games: &'a [u8],
        places: RecordOffsets<'a>,
        options: ReadOptions,
    ) -> Store<'a> {
        let detector = options.uniform_detector(DEFAULT);
        Store {
            games,
            places,
            opened: Opened::default(),
            options,
            detector,
        }
    }

    /// Returns the offset of the record of game `n`, counted from 0. `None` if its index entry is
    /// invalid.
    pub fn offset(&self, n: u32) -> Option<u64> {
        self.places.offset(n)
    }

    /// Finds the record of a game.
    fn record(&self, n: u32, report: &mut GameReport<'_>) -> Result<FoundRecord<'a>> {
        if n >= self.len() {
            return Err(ErrorKind::no_such_game(n, self.len()).into());
        }
        let number = n.saturating_add(1);
        let offset = self.offset(n);
        let place = offset.and_then(|offset| usize::try_from(offset).ok());
        let rest = place
            .and_then(|place| self.games.get(place..))
            .unwrap_or_default();
        let Some(raw_header) = rest.first_chunk() else {
            let kind = ErrorKind::truncated(
                "the header of the game",
                RawHeader::SIZE as u64,
                rest.len() as u64,
            );
            let location = Location {
                file: Some(CBF_FILE),
                offset,
                ..Location::default()
            };
            return Err(Error::new(kind).at(location.in_game(number)));
        };
        let start = offset.unwrap_or(0);
        let length = RawHeader::parse(raw_header).record_len();
        let limit = report.options.limits.game_bytes as usize;
        let location = Location::byte(CBF_FILE, start);
        if length > rest.len() {
            let fault = RecordParts::parse(rest).err();
            let offset = start + fault.map_or(0, |fault| fault.offset as u64);
            let what = fault.map_or("the record of the game", |fault| fault.what);
            let kind = ErrorKind::truncated(what, length as u64, rest.len() as u64);
            report.lost(kind, Location::byte(CBF_FILE, offset))?;
        } else if length > limit {
            let kind = ErrorKind::over_limit("bytes in a game", limit as u64);
            report.lost(kind, location)?;
        }
        let available = rest.len().min(limit).min(length);
        let bytes = match rest.get(..length) {
            Some(whole) => Cow::Borrowed(whole),
            None => {
                // The ciphers depend on the full length. The padding is never used.
                let mut padded = rest.to_vec();
                padded.resize(length, 0);
                Cow::Owned(padded)
            }
        };
        Ok(FoundRecord {
            bytes,
            start,
            available,
        })
    }
}

/// A record, and the number of its bytes that are available.
struct FoundRecord<'a> {
    bytes: Cow<'a, [u8]>,
    start: u64,
    available: usize,
}

impl FoundRecord<'_> {
    fn parts(&self) -> Result<RecordParts<'_>> {
        let location = Location::byte(CBF_FILE, self.start);
        RecordParts::parse(&self.bytes).map_err(|fault| Error::new(fault.into_kind()).at(location))
    }

    /// Returns the number of available bytes of a part that begins at `offset`.
    fn left_of(&self, offset: usize, length: usize) -> usize {
        self.available.saturating_sub(offset).min(length)
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        u32::try_from(self.places.len()).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        Some(self)
    }

    fn unused(&self) -> Option<UnusedSpace> {
        // Offsets that were found by searching do not show which bytes are unused.
        let is_indexed = matches!(self.places, RecordOffsets::Index(_));
        // The page does not show it, and programs for the web are downloaded.
        (is_indexed && !cfg!(target_family = "wasm")).then(|| UnusedSpace {
            bytes: unused_bytes(self, self.games),
            names: 0,
        })
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let record = self.record(n, &mut report)?;
        self.header(&record, &record.parts()?, game, &mut report)?;
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        let mut bytes = std::mem::take(&mut scratch.bytes);
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let mut read = self.game(n, game, &mut bytes, &mut report);
        if self.options.check && read.is_ok() {
            let start = self.offset(n).unwrap_or(0);
            read = check_game(start, game, &mut report);
        }
        scratch.bytes = bytes;
        read
    }

    fn observe_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let mut bytes = std::mem::take(&mut scratch.bytes);
        let plain_game = self.plain_moves(n, &mut bytes);
        let read = match plain_game {
            Some(raw_header) => Skim::show(self, n, game, observer, scratch, |observer| {
                skim(&bytes, raw_header.full_moves, observer)
            }),
            None => observe_whole_game(self, n, game, observer, scratch),
        };
        scratch.bytes = bytes;
        read
    }
}

/// The headers of the games, as stored.
impl SearchIndex for Store<'_> {
    fn has_no_comments(&self, n: u32) -> bool {
        // A text needs three codes before it and an `END` byte on each side of the comment.
        self.raw_header(n)
            .is_some_and(|(raw_header, _)| raw_header.comments <= 4)
    }
}

impl Store<'_> {
    /// Returns the raw header of a game and the file from there on.
    fn raw_header(&self, n: u32) -> Option<(RawHeader, &[u8])> {
        let start = usize::try_from(self.offset(n)?).ok()?;
        let rest = self.games.get(start..)?;
        Some((RawHeader::parse(rest.first_chunk()?), rest))
    }

    /// Deciphers the moves of a game with the standard start position and a complete record. `None`
    /// for all other games. A header that qualifies has no losses.
    fn plain_moves(&self, n: u32, moves: &mut Vec<u8>) -> Option<RawHeader> {
        // Strict reading and checks must see every fault, which a skim does not report.
        let is_lenient = self.options.mode == Mode::Lenient && !self.options.check;
        let (raw_header, rest) = self.raw_header(n).filter(|_| is_lenient)?;
        let record = rest.get(..raw_header.record_len())?;
        let limits = &self.options.limits;
        let parts = RecordParts::parse(record).ok()?;
        let is_plain = record.len() <= limits.game_bytes as usize
            // A move takes a byte, so the bytes bound the moves.
            && parts.moves.len() <= limits.plies as usize
            && parts.position.is_none();
        moves.clear();
        moves.extend_from_slice(parts.moves);
        cipher::moves(moves);
        is_plain.then_some(raw_header)
    }

    /// Fills the header. Returns false if the moves cannot be decoded.
    fn header(
        &self,
        record: &FoundRecord<'_>,
        parts: &RecordParts<'_>,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let mut text = [0; 2 * RawHeader::MAX_TEXT];
        let plain = text.get_mut(..parts.text.len()).unwrap_or_default();
        plain.copy_from_slice(parts.text);
        cipher::text(plain);
        let available = record.left_of(RawHeader::SIZE, plain.len());
        let text = plain.get(..available).unwrap_or_default();
        let fine = header::read_header(parts, text, record.start, &self.detector, game, report)?;
        if parts.position.is_some() && record.available < record.bytes.len() {
            // The end of the position is missing.
            game.header.start = Start::Standard;
            return Ok(false);
        }
        Ok(fine)
    }

    fn game(
        &self,
        n: u32,
        game: &mut Game,
        bytes: &mut Vec<u8>,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let record = self.record(n, report)?;
        let parts = record.parts()?;
        if !self.header(&record, &parts, game, report)? {
            return Ok(());
        }
        bytes.clear();
        bytes.extend_from_slice(parts.moves);
        cipher::moves(bytes);
        let moves = record.left_of(parts.moves_offset(), bytes.len());
        let comments = record.left_of(parts.comments_offset(), parts.comments.len());
        let stream = CbfStream {
            moves: bytes.get(..moves).unwrap_or_default(),
            moves_start: record.start + parts.moves_offset() as u64,
            comments: parts.comments.get(..comments).unwrap_or_default(),
            comments_start: record.start + parts.comments_offset() as u64,
            detector: &self.detector,
        };
        let plies = decode(&stream, game, report)?;
        match plies.filter(|_| record.available == record.bytes.len()) {
            Some(plies) => self.compare_count(&parts.raw_header, plies, record.start, game, report),
            None => Ok(()),
        }
    }

    fn compare_count(
        &self,
        raw_header: &RawHeader,
        plies: u32,
        start: u64,
        game: &Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let black = raw_header.has_setup() && raw_header.flags.contains(RecordFlags::BLACK_FIRST);
        debug_assert_eq!(
            black,
            game.start_board().turn() == chessdb_core::Color::Black
        );
        let moves = full_moves(plies, black);
        if is_count_of(raw_header.full_moves, moves) {
            return Ok(());
        }
        let stated = raw_header.full_moves;
        let kind = ErrorKind::mismatch("the number of moves", stated.into(), moves.min(255).into());
        report.lost(kind, Location::byte(CBF_FILE, start + 12))
    }
}
