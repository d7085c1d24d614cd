//! Writing a database.

use chessdb_core::files::{FileId, FileSink};
use chessdb_core::options::Allow;
use chessdb_core::{Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use crate::raw::MAGIC;
use crate::roles::TEMPLATE_FILE;
use crate::{header, moves};

/// A writer of databases.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    allow: Allow,
    base_losses: Losses,
    count: u32,
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails, or if something of the database as a whole would be lost
    /// and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let base_losses = options.base.losses();
        options.allow.check(&base_losses)?;
        let file = sink.create(TEMPLATE_FILE)?;
        sink.write(file, MAGIC)?;
        Ok(Writer {
            sink,
            file,
            allow: options.allow,
            base_losses,
            count: 0,
        })
    }
}

/// Returns the line of a game and its losses; the line is empty if the game is left out.
fn line(game: &Game) -> Result<(Vec<u8>, Losses)> {
    let (mut line, mut losses) = (Vec::new(), Losses::new());
    if !game.header.start.is_standard() {
        losses.add(LossKind::Game, None);
        losses.add(LossKind::StartPosition, None);
        return Ok((line, losses));
    }
    header::write(game, &mut losses, &mut line);
    moves::write(game, &mut losses, &mut line)?;
    line.push(b'\n');
    Ok((line, losses))
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        // A game that cannot be encoded is reported when it is written.
        line(game).map_or_else(|_| Losses::new(), |(_, losses)| losses)
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let (line, losses) = line(game)?;
        self.allow.check(&losses)?;
        self.sink.write(self.file, &line)?;
        self.count += u32::from(!line.is_empty());
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(self: Box<Self>) -> Result<u32> {
        self.sink.commit()?;
        Ok(self.count)
    }
}
