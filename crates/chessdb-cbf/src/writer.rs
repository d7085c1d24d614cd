//! The writer of databases.

mod change;
mod existing;

use chessdb_core::files::{BufferedFile, FileId, FileSink};
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{Color, Game, Losses, Result, WriteOptions};

use crate::format::{BYTES_OF_COMMENTS, BYTES_OF_MOVES, GAMES, MOVES, TEXT, old_limits};
use crate::header::HeaderWriter;
use crate::moves::{MoveEncoder, full_moves};
use crate::raw::{Index, RecordFlags, cipher};
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::text::TextEncoder;

pub(crate) use change::GameChanger;

/// A writer of a database.
///
/// Games are passed to the sink as they come; memory holds four bytes per game.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    state: WriterState<TextEncoder>,
    games: BufferedFile,
    index_file: FileId,
    /// The longwords of the games.
    index: Vec<u8>,
}

/// Buffers for encoding one game.
#[derive(Default, Debug)]
pub struct GameBuffers {
    header: HeaderWriter,
    moves: MoveEncoder,
    record: Vec<u8>,
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
        let texts = TextEncoder { charset, detector };
        let state = WriterState::new(texts, allow, crate::info::losses(&base))?;
        let games = BufferedFile::new(sink.create(CBF_FILE)?);
        // The index is created last, because only with it are the files a database.
        let index_file = sink.create(CBI_FILE)?;
        Ok(Writer {
            sink,
            state,
            games,
            index_file,
            index: Vec::new(),
        })
    }
}

/// Returns the longword at `place` for a record of this length at the end of the games file. `None` if
/// the index cannot represent the record or its end.
fn longword(
    state: &WriterState<TextEncoder>,
    games: &BufferedFile,
    place: u32,
    length: usize,
) -> Option<u32> {
    // The record may belong to an earlier game. The last longword of the index must fit too.
    let last = state.number().saturating_add(1);
    let end = games.end().checked_add(length as u64)?;
    Index::word(last, end)?;
    Index::word(place, games.end())
}

/// Records the limits of old programs that the game in `work` exceeds.
fn compare_limits(state: &mut WriterState<TextEncoder>, work: &GameBuffers) {
    let raw_header = &work.header.raw_header;
    let game = state.number();
    for limit in old_limits() {
        let size = match limit.what {
            TEXT => raw_header.players_len().max(raw_header.source_len()) as u64,
            MOVES => header_moves(work).into(),
            BYTES_OF_MOVES => raw_header.moves_len() as u64,
            BYTES_OF_COMMENTS => raw_header.comments.into(),
            GAMES => game.into(),
            _ => 0,
        };
        state.compare_limit(limit, size);
    }
}

/// Returns the number of full moves of the encoded game.
fn header_moves(work: &GameBuffers) -> u32 {
    let black = work
        .header
        .raw_header
        .flags
        .contains(RecordFlags::BLACK_FIRST);
    full_moves(work.moves.plies, black && work.header.position.is_some())
}

impl EncodeGame for TextEncoder {
    type Encoded = GameBuffers;

    fn encode(&self, game: &Game, encoded: &mut GameBuffers, losses: &mut Losses) -> Result<bool> {
        let GameBuffers {
            header,
            moves,
            record,
        } = encoded;
        header.write(game, self, losses);
        moves.encode(game, self, losses);
        let black = game.start_board().turn() == Color::Black;
        let raw_header = &mut header.raw_header;
        // `MoveEncoder` keeps both lengths within 16 bits.
        raw_header.move_word = u16::try_from(moves.moves.len() + 1).unwrap_or(u16::MAX);
        raw_header.comments = u16::try_from(moves.area.len()).unwrap_or(u16::MAX);
        raw_header.full_moves = full_moves(moves.plies, black).min(255) as u8;
        header.seal(game);
        record.clear();
        record.extend_from_slice(&header.raw_header.to_bytes());
        for (bytes, cipher) in [
            (&header.text, cipher::text as fn(&mut [u8])),
            (&moves.moves, cipher::moves),
        ] {
            let start = record.len();
            record.extend_from_slice(bytes);
            cipher(record.get_mut(start..).unwrap_or_default());
        }
        record.extend_from_slice(&moves.area);
        record.extend(header.position.iter().flatten());
        Ok(true)
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(TextEncoder);

    fn fit(&self, _: &Game, encoded: &mut GameBuffers, _: &mut Losses) -> bool {
        let (place, length) = (self.state.number(), encoded.record.len());
        longword(&self.state, &self.games, place, length).is_some()
    }

    fn put(&mut self, _: &Game, encoded: &mut GameBuffers) -> Result<()> {
        let (place, length) = (self.state.number(), encoded.record.len());
        // `fit` has ensured that there is one.
        let word = longword(&self.state, &self.games, place, length).unwrap_or(u32::MAX);
        self.games.buffer.extend_from_slice(&encoded.record);
        self.index.extend_from_slice(&word.to_be_bytes());
        compare_limits(&mut self.state, encoded);
        self.games.flush_portion(self.sink)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.games.flush(self.sink)?;
        let number = self.state.number();
        // `fit` has ensured that these fit.
        let end = Index::word(number, self.games.end()).unwrap_or(u32::MAX);
        let (sink, file) = (self.sink, self.index_file);
        sink.write(file, &number.to_be_bytes())?;
        sink.write(file, &self.index)?;
        sink.write(file, &end.to_be_bytes())?;
        sink.commit()
    }
}
