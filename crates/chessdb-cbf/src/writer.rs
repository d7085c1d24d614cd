//! The writer of databases.

use std::sync::Arc;

use chessdb_core::files::{FileId, FileSink};
use chessdb_core::loss::LimitExceeded;
use chessdb_core::options::Allow;
use chessdb_core::store::{Prepare, Prepared, preparer};
use chessdb_core::{Color, Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use crate::format::{BYTES_OF_COMMENTS, BYTES_OF_MOVES, GAMES, MOVES, TEXT, old_limits};
use crate::header::HeaderWriter;
use crate::moves::{MoveEncoder, full_moves};
use crate::raw::{Index, RecordFlags, cipher};
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::text::TextEncoder;

/// The number of bytes that are collected before they are passed to the sink.
const BUFFER: usize = 1 << 18;

/// A writer of a database.
///
/// Games are passed to the sink as they come; memory holds four bytes per game.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    /// The games file and the index.
    files: [FileId; 2],
    allow: Allow,
    texts: TextEncoder,
    base_losses: Losses,
    exceeded: Vec<LimitExceeded>,
    /// The longwords of the games.
    index: Vec<u8>,
    /// The number of bytes already passed to the sink.
    flushed: u64,
    /// The bytes to pass to the sink next.
    pending: Vec<u8>,
    work: GameBuffers,
}

/// Buffers for encoding one game.
#[derive(Default, Debug)]
struct GameBuffers {
    header: HeaderWriter,
    moves: MoveEncoder,
    record: Vec<u8>,
    losses: Losses,
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
        let base_losses = crate::info::losses(&base);
        allow.check(&base_losses)?;
        // The index is created last, because only with it are the files a database.
        let files = [sink.create(CBF_FILE)?, sink.create(CBI_FILE)?];
        Ok(Writer {
            sink,
            files,
            allow,
            texts: TextEncoder { charset, detector },
            base_losses,
            exceeded: Vec::new(),
            index: Vec::new(),
            flushed: 0,
            pending: Vec::with_capacity(BUFFER),
            work: GameBuffers::default(),
        })
    }

    /// Returns the offset of the next record.
    fn end(&self) -> u64 {
        self.flushed + self.pending.len() as u64
    }

    fn games(&self) -> u32 {
        (self.index.len() / 4) as u32
    }

    /// Returns the longword of the next game. `None` if the index cannot represent a record of this
    /// length and its end.
    fn word(&self, length: usize) -> Option<u32> {
        let place = self.games().checked_add(1)?;
        let end = self.end().checked_add(length as u64)?;
        Index::word(place.checked_add(1)?, end)?;
        Index::word(place, self.end())
    }

    fn flush(&mut self) -> Result<()> {
        let [games, _] = self.files;
        self.sink.write(games, &self.pending)?;
        self.flushed += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Appends an encoded game.
    fn append(&mut self, work: &mut GameBuffers) -> Result<Losses> {
        let word = self.word(work.record.len());
        if word.is_none() {
            work.losses.add(LossKind::Game, None);
        }
        self.allow.check(&work.losses)?;
        let losses = std::mem::take(&mut work.losses);
        let Some(word) = word else {
            return Ok(losses);
        };
        self.pending.extend_from_slice(&work.record);
        self.index.extend_from_slice(&word.to_be_bytes());
        self.compare_limits(work);
        if self.pending.len() >= BUFFER {
            self.flush()?;
        }
        Ok(losses)
    }

    /// Records the limits of old programs that the game in `work` exceeds.
    fn compare_limits(&mut self, work: &GameBuffers) {
        let raw_header = &work.header.raw_header;
        let game = self.games();
        for limit in old_limits() {
            let size = match limit.what {
                TEXT => raw_header.players_len().max(raw_header.source_len()) as u64,
                MOVES => header_moves(work).into(),
                BYTES_OF_MOVES => raw_header.moves_len() as u64,
                BYTES_OF_COMMENTS => raw_header.comments.into(),
                GAMES => game.into(),
                _ => 0,
            };
            if size > limit.limit {
                LimitExceeded::note(&mut self.exceeded, limit, game);
            }
        }
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

impl GameBuffers {
    /// Encodes a game into the record.
    fn encode(&mut self, game: &Game, texts: &TextEncoder) {
        let GameBuffers {
            header,
            moves,
            record,
            losses,
        } = self;
        losses.clear();
        header.write(game, texts, losses);
        moves.encode(game, texts, losses);
        let black = game.start_board().turn() == Color::Black;
        let raw_header = &mut header.raw_header;
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
    }
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut work = GameBuffers::default();
        work.encode(game, &self.texts);
        if self.word(work.record.len()).is_none() {
            work.losses.add(LossKind::Game, None);
        }
        work.losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut work = std::mem::take(&mut self.work);
        work.encode(game, &self.texts);
        let written = self.append(&mut work);
        self.work = work;
        written
    }

    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        let texts = self.texts.clone();
        Some(preparer(move |game, work: &mut GameBuffers| {
            work.encode(game, &texts)
        }))
    }

    fn write_prepared(&mut self, game: &Game, prepared: &mut Prepared) -> Result<Losses> {
        match prepared.made() {
            Some(work) => self.append(work),
            None => self.write(game),
        }
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn exceeded(&self) -> &[LimitExceeded] {
        &self.exceeded
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.flush()?;
        let [_, index] = self.files;
        let games = self.games();
        // `write` has ensured that these fit.
        let end = Index::word(games.saturating_add(1), self.flushed).unwrap_or(u32::MAX);
        self.sink
            .write(index, &games.saturating_add(1).to_be_bytes())?;
        self.sink.write(index, &self.index)?;
        self.sink.write(index, &end.to_be_bytes())?;
        self.sink.commit()?;
        Ok(games)
    }
}
