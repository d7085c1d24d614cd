//! The store and the writer of formats with a single file, in which each game is a record.

use std::fmt::Debug;

use super::{EncodeGame, Opened, WriteEncoded, WriterState};
use crate::files::{FileId, FileSink, Role};
use crate::report::GameReport;
use crate::{
    BaseInfo, Diagnostic, ErrorKind, Game, GameStore, GameWrite, ReadOptions, Result, Scratch,
    WriteOptions,
};

/// A game in its encoded form, which is decoded in two steps.
pub trait DecodeGame: Send + Sync {
    /// Fills the header of an empty game.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing of the game can be read, and in strict mode the first deviation.
    fn decode_header(&self, game: &mut Game, report: &mut GameReport<'_>) -> Result<()>;

    /// Fills the moves of a game that has its header.
    ///
    /// # Errors
    ///
    /// Returns the first deviation in strict mode.
    fn decode_moves(&self, game: &mut Game, report: &mut GameReport<'_>) -> Result<()>;
}

/// A store of games in their encoded form.
#[derive(Debug)]
pub struct RecordStore<R> {
    records: Vec<R>,
    options: ReadOptions,
    opened: Opened,
}

impl<R: DecodeGame> RecordStore<R> {
    /// Creates a store of these games, with the faults that were found on opening.
    pub fn new(
        records: Vec<R>,
        options: ReadOptions,
        diagnostics: Vec<Diagnostic>,
    ) -> RecordStore<R> {
        RecordStore {
            records,
            options,
            opened: Opened::new(BaseInfo::default(), diagnostics),
        }
    }

    fn read(&self, n: u32, has_moves: bool, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        let Some(record) = self.records.get(n as usize) else {
            let (what, limit) = ("games in the database", self.len().into());
            return Err(ErrorKind::LimitExceeded { what, limit }.into());
        };
        let mut report = GameReport::new(&self.options, scratch, n.saturating_add(1));
        record.decode_header(game, &mut report)?;
        if has_moves { record.decode_moves(game, &mut report) } else { Ok(()) }
    }
}

impl<R: DecodeGame> GameStore for RecordStore<R> {
    fn len(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, false, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, true, game, scratch)
    }
}

/// A writer of a file that consists of a header and the encoded games.
pub struct FileWriter<'a, E: EncodeGame> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    state: WriterState<E>,
    header: fn(u32) -> Vec<u8>,
}

impl<'a, E: EncodeGame<Encoded = Vec<u8>>> FileWriter<'a, E> {
    /// Starts a file. `header` returns the header of a file with a number of games, whose length
    /// must not depend on the number.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails, or if something of the database as a whole would be lost
    /// and this is not allowed.
    pub fn create(
        sink: &'a mut dyn FileSink,
        role: Role,
        header: fn(u32) -> Vec<u8>,
        encoder: E,
        options: WriteOptions,
    ) -> Result<Box<dyn GameWrite + 'a>> {
        let state = WriterState::new(encoder, options.allow, options.base.losses())?;
        let file = sink.create(role)?;
        sink.write(file, &header(0))?;
        Ok(Box::new(FileWriter {
            sink,
            file,
            state,
            header,
        }))
    }
}

impl<E: EncodeGame<Encoded = Vec<u8>>> WriteEncoded for FileWriter<'_, E> {
    crate::writer_state!(E);

    fn put(&mut self, _: &Game, record: &mut Vec<u8>) -> Result<()> {
        self.sink.write(self.file, record)
    }

    fn close(self: Box<Self>) -> Result<()> {
        let header = (self.header)(self.state.games());
        // Not every sink can go back to its start.
        if header != (self.header)(0) {
            self.sink.patch(self.file, 0, &header)?;
        }
        self.sink.commit()
    }
}
