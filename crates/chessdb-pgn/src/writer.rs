//! Writing of games as PGN in export format.

use std::borrow::Cow;

use chessdb_core::files::{FileId, FileSink, Growing};
use chessdb_core::store::{EncodeGame, GameCopy, WriteEncoded, WriterState};
use chessdb_core::{ErrorKind, Game, Losses, Result, WriteOptions};

use self::append::{ExistingFile, LineEnd, WriterTarget};
use self::copy::CopyState;

pub(crate) use self::change::GameChanger;
pub use self::parts::stored_game;

use crate::header::write_header;
use crate::moves::MoveEncoder;
use crate::roles::PGN_FILE;

/// The layout of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Layout {
    /// The largest width of a line of movetext in characters; 0 for one line per game. A longer
    /// word of a comment gets a line for itself.
    pub width: u32,
}

impl Default for Layout {
    /// Returns a layout with 80 columns, as in export format.
    fn default() -> Layout {
        Layout { width: 80 }
    }
}

impl Layout {
    /// Returns a layout with lines of this width; 0 for one line per game.
    pub const fn with_width(width: u32) -> Layout {
        Layout { width }
    }
}

/// Appends a game in export format with a blank line after it. Returns the losses.
///
/// For many games use a [`GameText`], which reuses its memory.
pub fn write_game(game: &Game, layout: &Layout, out: &mut Vec<u8>) -> Losses {
    GameText::new(*layout).append(game, out)
}

/// Converts games to text, reusing its memory.
#[derive(Clone, Default, Debug)]
pub struct GameText {
    layout: Layout,
    moves: MoveEncoder,
    value: Vec<u8>,
}

impl GameText {
    /// Creates a converter for this layout.
    pub fn new(layout: Layout) -> GameText {
        GameText {
            layout,
            ..GameText::default()
        }
    }

    /// Appends a game in export format with a blank line after it. Returns the losses.
    pub fn append(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = self.append_header(game, out);
        out.push(b'\n');
        losses.merge(&self.append_moves_and_evaluation(game, out));
        out.extend_from_slice(b"\n\n");
        losses.add_extras(game);
        losses
    }

    /// Appends only the tags of a game, one per line. Returns the losses.
    pub fn append_header(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = Losses::new();
        write_header(game, &mut self.value, out, &mut losses);
        losses
    }

    /// Appends only the movetext of a game, with its comments, variations and result. Returns the
    /// losses.
    pub fn append_moves(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        self.append_moves_and(None, game, out)
    }

    /// Like [`GameText::append_moves`], for a reader that knows the tags: repeats an evaluation
    /// given in place of the result as a NAG after the moves (docs/formats/pgn.md, section 6).
    pub fn append_moves_and_evaluation(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        self.append_moves_and(game.header.line_evaluation(&game.texts), game, out)
    }

    fn append_moves_and(&mut self, nag: Option<u8>, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = Losses::new();
        let width = self.layout.width as usize;
        self.moves.encode(game, nag, width, out, &mut losses);
        losses
    }
}

/// Returns the layout chosen by the setting `width`.
fn layout(options: &WriteOptions) -> Result<Layout> {
    let mut layout = Layout::default();
    for (name, value) in &options.settings {
        if *name == WIDTH {
            let width = value.parse();
            layout.width =
                width.map_err(|_| ErrorKind::Setting("this line width is not supported".into()))?;
        }
    }
    Ok(layout)
}

/// The setting for the line width, instead of 80 characters; 0 is one line per game for the moves.
pub(crate) const WIDTH: &str = "width";

/// The number of bytes buffered before they are written to the sink.
const PORTION: usize = 256 << 10;

/// A game as text.
#[derive(Default)]
pub struct EncodedText {
    text: GameText,
    bytes: Vec<u8>,
    /// The length of the buffer before the game, if `bytes` is the buffer of the writer.
    lent: Option<usize>,
}

impl EncodedText {
    /// Returns the offset of the game in `bytes`.
    fn start(&self) -> usize {
        self.lent.unwrap_or(0)
    }
}

impl EncodeGame for Layout {
    type Encoded = EncodedText;

    fn encode(&self, game: &Game, encoded: &mut EncodedText, losses: &mut Losses) -> Result<bool> {
        encoded.text.layout = *self;
        encoded.bytes.truncate(encoded.start());
        *losses = encoded.text.append(game, &mut encoded.bytes);
        Ok(true)
    }
}

/// Writes a PGN file in portions.
pub struct Writer<'a> {
    sink: WriterTarget<'a>,
    file: FileId,
    text: GameText,
    buffer: Vec<u8>,
    state: WriterState<Layout>,
    line_end: LineEnd,
    /// The state of copying games with their text.
    copied: Box<CopyState>,
}

impl<'a> Writer<'a> {
    /// Starts the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails, or for a loss of the database as a whole that is not
    /// allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let base_losses = options.base.losses_in_text();
        let layout = layout(&options)?;
        let state = WriterState::new(layout, options.allow, base_losses)?;
        Ok(Writer {
            file: sink.create(PGN_FILE)?,
            sink: WriterTarget::New(sink),
            text: GameText::new(layout),
            // The game that fills the buffer may exceed the portion.
            buffer: Vec::with_capacity(PORTION + PORTION / 4),
            state,
            line_end: LineEnd::default(),
            copied: Box::default(),
        })
    }

    /// Appends to a file, with its line ends. `None` if the file must be rewritten: it is in
    /// UTF-16, or ends within a comment or a tag, or with the sign 1A that ends a DOS text.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or extended. [`chessdb_core::GameWrite::write`] refuses a game
    /// with non-ASCII characters if the file is not in UTF-8.
    pub fn append(base: &'a mut dyn Growing, options: WriteOptions) -> Result<Option<Writer<'a>>> {
        let Some(old) = ExistingFile::examine(base)? else {
            return Ok(None);
        };
        let layout = layout(&options)?;
        Ok(Some(Writer {
            file: base.grow(PGN_FILE)?,
            sink: WriterTarget::old(base),
            text: GameText::new(layout),
            buffer: old.separator,
            // Appending does not need the number of games in the file.
            state: WriterState::appending(layout, options.allow, 0),
            line_end: old.line_end,
            copied: Box::default(),
        }))
    }

    /// Passes the text in the buffer to the sink if there is enough of it.
    fn flush_portion(&mut self) -> Result<()> {
        if self.buffer.len() < PORTION {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        let mut bytes = self.line_end.apply(&self.buffer);
        if let Some(utf_16) = &self.copied.utf_16 {
            bytes = Cow::Owned(utf_16.encode(&bytes)?);
        }
        self.sink.files().write(self.file, &bytes)?;
        self.buffer.clear();
        Ok(())
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(Layout);

    fn put(&mut self, _: &Game, encoded: &mut EncodedText) -> Result<()> {
        let text = encoded.bytes.get(encoded.start()..).unwrap_or_default();
        // Before the buffer contains the game: a refused game leaves no trace.
        self.sink.check(text)?;
        match encoded.lent.take() {
            Some(_) => std::mem::swap(&mut self.buffer, &mut encoded.bytes),
            None => self.buffer.extend_from_slice(text),
        }
        self.flush_portion()
    }

    fn lend_buffer(&mut self, encoded: &mut EncodedText) {
        encoded.lent = Some(self.buffer.len());
        std::mem::swap(&mut self.buffer, &mut encoded.bytes);
    }

    fn take_back_buffer(&mut self, encoded: &mut EncodedText) {
        if let Some(length) = encoded.lent.take() {
            encoded.bytes.truncate(length);
            std::mem::swap(&mut self.buffer, &mut encoded.bytes);
        }
    }

    fn game_copy(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.flush()?;
        self.sink.files().commit()
    }
}

mod append;
mod change;
mod copy;
mod parts;
mod stored_game_editor;
