//! The writer of databases.

pub(crate) mod append;
pub(crate) mod change;
mod details;
mod existing;
mod extended_file;
mod names;
mod record_file;

use chessdb_core::files::{BufferedFile, FileId, FileSink};
use chessdb_core::legacy::cbh::Mode;
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{Game, LossKind, Losses, Result, Start, WriteOptions};

use self::names::set_number;
use crate::extras::{self, FORMAT, find};
use crate::header::{CHESS960, HeaderWriter, NewTournamentDetails};
use crate::moves::{MoveEncoder, full_moves};
use crate::raw::{
    AnnotationRecord, Chess960Block, FileFields, FileHeader, GameRecord, IndexHeader, MoveRecord,
    NewExtended, Record, Records,
};
use crate::roles::{CBA_FILE, CBG_FILE, CBH_FILE, CBJ_FILE, CBM_FILE, CBTT_FILE};
use crate::setup;
use crate::table_changes::TABLE_KINDS;
use crate::table_writers::{NameNumbers, TableWriters};
use crate::text::TextEncoder;

/// The maximum number of games of a database: annotations store the number of their game in three
/// bytes.
pub(crate) const GAMES: u32 = 0x00FF_FFFF;

/// A writer of a database.
///
/// Games are passed to the sink as they come; only the names stay in memory.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    state: WriterState<TextEncoder>,
    tables: TableWriters,
    /// The files of the tables, in the order of [`TABLE_KINDS`].
    table_files: [FileId; TABLE_KINDS.len()],
    details: FileId,
    media: FileId,
    moves: BufferedFile,
    annotations: BufferedFile,
    extended: BufferedFile,
    index: BufferedFile,
}

/// Starts a file with a placeholder for its header, which is replaced at the end.
fn start(file: FileId, header_bytes: usize) -> BufferedFile {
    let mut file = BufferedFile::new(file);
    file.buffer.resize(header_bytes, 0);
    file
}

/// Passes the remaining bytes to the sink and replaces the header.
fn finish(mut file: BufferedFile, header: &[u8], sink: &mut dyn FileSink) -> Result<()> {
    file.flush(sink)?;
    sink.patch(file.file(), 0, header)
}

/// Returns the header of .cbg or .cba.
fn file_header(file: &BufferedFile) -> Vec<u8> {
    let end = file.end();
    let short = u32::try_from(end).unwrap_or(u32::MAX);
    FileHeader(Some(FileFields {
        short: [short, 0],
        long: Some([end, 0]),
    }))
    .to_bytes()
}

/// Buffers for encoding one game.
#[derive(Default, Debug)]
pub struct GameBuffers {
    header: HeaderWriter,
    moves: MoveEncoder,
    /// The record with the moves.
    record: Vec<u8>,
    nothing: Vec<u32>,
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails or if a loss that concerns the whole database is not
    /// allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let WriteOptions {
            allow,
            base,
            charset,
            detector,
            ..
        } = options;
        let texts = TextEncoder::new(charset, detector);
        let state = WriterState::new(texts, allow, crate::info::losses(&base))?;
        let mut create = |role| sink.create(role);
        let moves = start(create(CBG_FILE)?, 26);
        let annotations = start(create(CBA_FILE)?, 26);
        let mut table_files = [FileId(0); TABLE_KINDS.len()];
        for (file, kind) in table_files.iter_mut().zip(&TABLE_KINDS) {
            *file = create(kind.file)?;
        }
        let (details, media) = (create(CBTT_FILE)?, create(CBM_FILE)?);
        let extended = start(create(CBJ_FILE)?, Records::HEADER);
        // The index is created last, because only with it are the files a database.
        let index = start(create(CBH_FILE)?, IndexHeader::SIZE);
        Ok(Writer {
            sink,
            state,
            tables: TableWriters::new(),
            table_files,
            details,
            media,
            moves,
            annotations,
            extended,
            index,
        })
    }
}

impl GameBuffers {
    /// Encodes a game. Returns false if it cannot be stored at all.
    fn encode(&mut self, game: &Game, texts: &TextEncoder, losses: &mut Losses) -> bool {
        let header = &game.header;
        // A number that is not the position's own was kept with the ECO field (section 19). The
        // block gets it too.
        let eco = find(header, extras::ECO).and_then(|eco| eco.try_into().ok());
        let number = eco.and_then(|eco| u16::from_be_bytes(eco).checked_sub(CHESS960));
        let start = match &header.start {
            Start::Standard => None,
            Start::Setup(setup) => match setup::write(setup, number, losses) {
                Some(start) => Some(start),
                None => {
                    losses.add(LossKind::StartPosition, None);
                    return false;
                }
            },
        };
        let is_chess960 = start.as_ref().is_some_and(|start| start.block.is_some());
        let (mode, flags) = self.mode(game, is_chess960, losses);
        self.header
            .write(game, texts, mode.is_losing_chess(), losses);
        self.count_extras(game, losses);
        let read_back = start.as_ref().and_then(|start| start.read_back.as_ref());
        let written = self
            .moves
            .encode(game, read_back, mode, &self.nothing, texts, losses);
        let lost = self.nothing.len() - written;
        losses.add_many(LossKind::GameExtra, lost as u32, None);
        let record = &mut self.record;
        record.clear();
        // The size follows when the record is complete.
        record.extend_from_slice(&[
            flags | (u8::from(start.is_some()) * MoveRecord::SETUP),
            0,
            0,
            0,
        ]);
        if let Some(start) = &start {
            record.extend_from_slice(&start.position.to_bytes());
            record.extend(start.block.iter().flat_map(Chess960Block::to_bytes));
        }
        record.extend_from_slice(&self.moves.moves);
        let unknown = find(header, extras::RECORD);
        // The old record would replace moves, so it is written only for a game without any.
        if let Some(whole) = unknown.filter(|whole| game.moves.is_empty() && is_unknown(whole)) {
            record.clear();
            record.extend_from_slice(whole);
        } else {
            losses.add_if(LossKind::GameExtra, unknown.is_some());
        }
        let [_, size @ ..] = (record.len() as u32).to_be_bytes();
        if let Some(place) = record.get_mut(1..MoveRecord::HEADER) {
            place.copy_from_slice(&size);
        }
        let summary = &self.moves.summary;
        let entry = &mut self.header.record;
        // Bit 0: start position; bit 27: Chess960 (section 3).
        entry.flags = summary.flags | u32::from(start.is_some()) | u32::from(is_chess960) << 27;
        entry.magnitudes = summary.magnitudes;
        entry.full_moves = full_moves(summary.plies, game.start_board().turn()).min(255) as u8;
        true
    }

    /// Returns the index record and the extended header of the game with this number, with the
    /// numbers of its names and the offsets of its moves and annotations.
    fn entries(
        &self,
        id: u32,
        numbers: NameNumbers,
        moves: u64,
        annotations: u64,
    ) -> (GameRecord, NewExtended) {
        let numbers = numbers.map(|number| number.unwrap_or(u32::MAX));
        let mut record = self.header.record;
        for (slot, number) in numbers.into_iter().enumerate() {
            set_number(&mut record, slot, number);
        }
        // The index holds the low 32 bits; .cbj holds all 64 (section 4).
        (record.moves, record.annotations) = (moves as u32, annotations as u32);
        let [.., white_team, black_team, tag] = numbers;
        let extended = NewExtended {
            teams: [white_team, black_team],
            annotations,
            moves,
            rating_kinds: self.header.rating_kinds,
            // The number instead of the time: the same games always give the same bytes.
            created: id.into(),
            tag,
        };
        (record, extended)
    }

    /// Returns the encoding mode and the flags of the record: those of the database that the game
    /// comes from, or else the default.
    fn mode(&self, game: &Game, is_chess960: bool, losses: &mut Losses) -> (Mode, u8) {
        let usual = if is_chess960 { Mode::CHESS960 } else { Mode::CHESS };
        let stored = find(&game.header, extras::MODE);
        if let Some(&[flags]) = stored
            && let Some(mode) = Mode::new(flags & MoveRecord::MODE)
            && mode.is_chess960() == is_chess960
        {
            return (mode, flags & !MoveRecord::SETUP);
        }
        losses.add_if(LossKind::GameExtra, stored.is_some());
        (usual, usual.number())
    }

    /// Reads the extras that may occur several times and counts those that cannot be used.
    fn count_extras(&mut self, game: &Game, losses: &mut Losses) {
        self.nothing.clear();
        let mut seen = 0u32;
        for extra in &game.header.extras {
            let is_own = extra.format == FORMAT;
            match (extra.field, <[u8; 4]>::try_from(&*extra.bytes)) {
                (extras::NOTHING, Ok(number)) if is_own => {
                    self.nothing.push(u32::from_be_bytes(number));
                }
                // Each of these fields has one place in the record, so a second one is lost.
                (field @ (extras::MODE | extras::ECO..=extras::RESULT), _)
                    if is_own && seen >> field & 1 == 0 =>
                {
                    seen |= 1 << field;
                }
                _ => losses.add(LossKind::GameExtra, None),
            }
        }
    }
}

/// Returns true if the bytes are a complete record of moves in an unknown mode.
fn is_unknown(whole: &[u8]) -> bool {
    let is_whole = |record: MoveRecord<'_>| {
        let mode = record.flags & MoveRecord::MODE;
        record.size() == whole.len() && Mode::new(mode).is_none()
    };
    MoveRecord::parse(whole).is_ok_and(is_whole)
}

impl EncodeGame for TextEncoder {
    type Encoded = GameBuffers;

    fn encode(&self, game: &Game, encoded: &mut GameBuffers, losses: &mut Losses) -> Result<bool> {
        Ok(encoded.encode(game, self, losses))
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(TextEncoder);

    /// Removes the names that do not fit and counts them as lost.
    fn fit(&self, _: &Game, encoded: &mut GameBuffers, losses: &mut Losses) -> bool {
        if self.state.games() >= GAMES {
            return false;
        }
        let lost = self.tables.leave_out(&mut encoded.header.names);
        losses.add_many(LossKind::NameLeftOut, lost, None);
        true
    }

    fn put(&mut self, _: &Game, encoded: &mut GameBuffers) -> Result<()> {
        let GameBuffers {
            header,
            moves,
            record: bytes,
            ..
        } = encoded;
        let number = self.state.number();
        let numbers = self.tables.refer(&header.names, number);
        let moves_offset = self.moves.end();
        self.moves.buffer.extend_from_slice(bytes);
        let count = moves.summary.annotations;
        let notes = match count {
            0 => 0,
            _ => {
                // An offset with 0 in its low 32 bits would mean that there are no annotations.
                while self.annotations.end() as u32 == 0 {
                    self.annotations.buffer.push(0);
                }
                let offset = self.annotations.end();
                let record = AnnotationRecord::new(number, count, &moves.annotations);
                record.write(&mut self.annotations.buffer);
                offset
            }
        };
        let (record, extended) = encoded.entries(number, numbers, moves_offset, notes);
        self.index.buffer.extend(record.to_bytes());
        extended.write(&mut self.extended.buffer);
        for file in [
            &mut self.moves,
            &mut self.annotations,
            &mut self.extended,
            &mut self.index,
        ] {
            file.flush_portion(self.sink)?;
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        let games = self.state.games();
        let sink = self.sink;
        for file in [self.moves, self.annotations] {
            let header = file_header(&file);
            finish(file, &header, sink)?;
        }
        for (names, file) in self.tables.tables.iter().zip(self.table_files) {
            sink.write(file, &names.to_bytes())?;
        }
        let (details, count) = self.tables.details();
        let last = count.saturating_sub(1);
        let header = Records::new(
            NewTournamentDetails::VERSION,
            NewTournamentDetails::SIZE as u32,
            last,
        );
        sink.write(self.details, &header.to_bytes())?;
        sink.write(self.details, &details)?;
        sink.write(self.media, &MEDIA.to_bytes())?;
        let size = NewExtended::SIZE as u32;
        let header = Records::new(NewExtended::VERSION, size, games);
        finish(self.extended, &header.to_bytes(), sink)?;
        let next_game = games + 1;
        let index_header = IndexHeader {
            zero: 0,
            used: 44,
            record_size: Record::SIZE as u16,
            version: 1,
            next_game,
            reserved: [0; 2],
            next_media: [0; 3],
            reserved_too: [0; 16],
            next_game_again: next_game,
            last: [0; 2],
        };
        finish(self.index, &index_header.to_bytes(), sink)?;
        sink.commit()
    }
}

/// The manifests of media: an empty file.
const MEDIA: Records<'static> = Records {
    version: Some(1),
    size: 1024,
    count: 0,
    rest: {
        let mut rest = [0; 20];
        let (first, _) = rest.split_at_mut(4);
        first.copy_from_slice(&[0xFF; 4]);
        rest
    },
    body: &[],
};

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("games", &self.state.games())
            .field("bytes", &self.moves.end())
            .finish()
    }
}

#[cfg(test)]
mod tests;
