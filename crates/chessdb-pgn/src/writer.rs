//! Games as PGN in export format.

use chessdb_core::{
    Allow, FileId, FileSink, Game, GameWrite, LossKind, Losses, Result, WriteOptions,
};

use crate::head::write_head;
use crate::moves::MoveEncoder;
use crate::roles::PGN_FILE;

/// How the text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Layout {
    /// The longest line of movetext in characters; 0 for one line per game. A word of a comment
    /// that is longer has its own line.
    pub width: u32,
}

impl Default for Layout {
    /// 80 columns, as export format has them.
    fn default() -> Layout {
        Layout { width: 80 }
    }
}

impl Layout {
    /// The layout with lines of this width; 0 for one line per game.
    pub const fn with_width(width: u32) -> Layout {
        Layout { width }
    }
}

/// Appends a game in export format, a blank line behind it, and says what PGN could not hold.
///
/// For many games keep a [`GameText`], which keeps its memory.
pub fn write_game(game: &Game, layout: &Layout, out: &mut Vec<u8>) -> Losses {
    GameText::new(*layout).append(game, out)
}

/// Turns games into text, one after the other, with the same memory.
#[derive(Clone, Debug)]
pub struct GameText {
    layout: Layout,
    moves: MoveEncoder,
    value: Vec<u8>,
}

impl GameText {
    /// For games in this layout.
    pub fn new(layout: Layout) -> GameText {
        GameText {
            layout,
            moves: MoveEncoder::new(),
            value: Vec::new(),
        }
    }

    /// Appends a game in export format, a blank line behind it, and says what PGN could not hold.
    pub fn append(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = self.append_head(game, out);
        out.push(b'\n');
        losses.merge(&self.append_moves(game, out));
        out.extend_from_slice(b"\n\n");
        let extras = u32::try_from(game.head.extras.len()).unwrap_or(u32::MAX);
        losses.add_many(LossKind::GameExtra, extras, None);
        losses
    }

    /// Appends the tags of a game alone, a line each, and says what of them PGN could not hold.
    pub fn append_head(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = Losses::new();
        write_head(game, &mut self.value, out, &mut losses);
        losses
    }

    /// Appends the movetext of a game alone, with its comments, variations and result, and says what
    /// of it PGN could not hold.
    pub fn append_moves(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = Losses::new();
        let width = self.layout.width as usize;
        self.moves.encode(game, width, out, &mut losses);
        losses
    }
}

/// Bytes gathered before they go to the sink.
const PORTION: usize = 256 << 10;

/// Writes a PGN file, in portions as games come.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    text: GameText,
    buffer: Vec<u8>,
    allow: Allow,
    games: u32,
    base_losses: Losses,
}

impl<'a> Writer<'a> {
    /// Starts the file.
    ///
    /// # Errors
    /// Whatever the sink says; and a loss of the base as a whole that is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let mut base_losses = options.base.losses();
        if options.base.open_first.is_some() {
            base_losses.add(LossKind::OpenFirst, None);
        }
        options.allow.check(&base_losses)?;
        Ok(Writer {
            file: sink.create(PGN_FILE)?,
            sink,
            text: GameText::new(Layout::default()),
            buffer: Vec::with_capacity(PORTION + PORTION / 4),
            allow: options.allow,
            games: 0,
            base_losses,
        })
    }

    fn flush(&mut self) -> Result<()> {
        self.sink.write(self.file, &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        write_game(game, &self.text.layout, &mut Vec::new())
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let start = self.buffer.len();
        let losses = self.text.append(game, &mut self.buffer);
        if let Err(error) = self.allow.check(&losses) {
            self.buffer.truncate(start);
            return Err(error);
        }
        self.games = self.games.saturating_add(1);
        if self.buffer.len() >= PORTION {
            self.flush()?;
        }
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.flush()?;
        self.sink.commit()?;
        Ok(self.games)
    }
}
