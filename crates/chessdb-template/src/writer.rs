//! Writing a database.

use chessdb_core::files::{FileId, FileSink};
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{Game, LossKind, Losses, Result, WriteOptions};

use crate::raw::MAGIC;
use crate::roles::TEMPLATE_FILE;
use crate::{header, moves};

/// A writer of databases.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    state: WriterState<GameEncoder>,
}

/// The encoder of games.
#[derive(Clone, Debug)]
pub struct GameEncoder;

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails, or if something of the database as a whole would be lost
    /// and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let state = WriterState::new(GameEncoder, options.allow, options.base.losses())?;
        let file = sink.create(TEMPLATE_FILE)?;
        sink.write(file, MAGIC)?;
        Ok(Writer { sink, file, state })
    }
}

impl EncodeGame for GameEncoder {
    /// The line of the game.
    type Encoded = Vec<u8>;

    fn encode(&self, game: &Game, line: &mut Vec<u8>, losses: &mut Losses) -> Result<bool> {
        line.clear();
        if !game.header.start.is_standard() {
            losses.add(LossKind::StartPosition, None);
            return Ok(false);
        }
        header::write(game, losses, line);
        moves::write(game, losses, line)?;
        line.push(b'\n');
        Ok(true)
    }
}

impl WriteEncoded for Writer<'_> {
    type Encoder = GameEncoder;

    fn state(&self) -> &WriterState<GameEncoder> {
        &self.state
    }

    fn state_mut(&mut self) -> &mut WriterState<GameEncoder> {
        &mut self.state
    }

    fn put(&mut self, _: &Game, line: &mut Vec<u8>) -> Result<()> {
        self.sink.write(self.file, line)
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sink.commit()
    }
}
