//! Writing of games as PGN in export format.

use std::borrow::Cow;
use std::sync::Arc;

use chessdb_core::files::{FileId, FileSink, Growing};
use chessdb_core::options::Allow;
use chessdb_core::store::{GameCopy, Prepare, Prepared, preparer};
use chessdb_core::{ErrorKind, Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use self::append::{ExistingFile, LineEnd, WriterTarget};
use self::copy::CopyState;

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
        let extras = u32::try_from(game.header.extras.len()).unwrap_or(u32::MAX);
        losses.add_many(LossKind::GameExtra, extras, None);
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
        let mut losses = Losses::new();
        let width = self.layout.width as usize;
        self.moves.encode(game, None, width, out, &mut losses);
        losses
    }

    /// Like [`GameText::append_moves`], for a reader that knows the tags: repeats an evaluation
    /// given in place of the result as a NAG after the moves (docs/formats/pgn.md, section 6).
    pub fn append_moves_and_evaluation(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = Losses::new();
        let width = self.layout.width as usize;
        let evaluation = game.header.line_evaluation(&game.texts);
        self.moves.encode(game, evaluation, width, out, &mut losses);
        losses
    }
}

/// Returns the layout chosen by the setting `width`.
fn layout(options: &WriteOptions) -> Result<Layout> {
    let mut layout = Layout::default();
    for (name, value) in &options.settings {
        if *name == WIDTH {
            let width = value.parse();
            layout.width = width.map_err(|_| ErrorKind::Unsupported("this line width"))?;
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
struct PreparedText {
    text: GameText,
    bytes: Vec<u8>,
    losses: Losses,
}

/// Writes a PGN file in portions.
pub struct Writer<'a> {
    sink: WriterTarget<'a>,
    file: FileId,
    text: GameText,
    buffer: Vec<u8>,
    allow: Allow,
    games: u32,
    base_losses: Losses,
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
        let mut base_losses = options.base.losses();
        if options.base.open_first.is_some() {
            base_losses.add(LossKind::OpenFirst, None);
        }
        options.allow.check(&base_losses)?;
        let layout = layout(&options)?;
        Ok(Writer {
            file: sink.create(PGN_FILE)?,
            sink: WriterTarget::New(sink),
            text: GameText::new(layout),
            buffer: Vec::with_capacity(PORTION + PORTION / 4),
            allow: options.allow,
            games: 0,
            base_losses,
            line_end: LineEnd::default(),
            copied: Box::default(),
        })
    }

    /// Appends to a file, with its line ends. `None` if the file must be rewritten: it is in
    /// UTF-16, or ends within a comment or a tag, or with the sign 1A that ends a DOS text.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or extended. [`GameWrite::write`] refuses a game
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
            allow: options.allow,
            games: 0,
            base_losses: Losses::new(),
            line_end: old.line_end,
            copied: Box::default(),
        }))
    }

    /// Counts a game with text in the buffer.
    fn count(&mut self) -> Result<()> {
        self.games = self.games.saturating_add(1);
        match self.buffer.len() >= PORTION {
            true => self.flush(),
            false => Ok(()),
        }
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

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        write_game(game, &self.text.layout, &mut Vec::new())
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let start = self.buffer.len();
        let losses = self.text.append(game, &mut self.buffer);
        let text = self.buffer.get(start..).unwrap_or_default();
        let checked = self.allow.check(&losses);
        if let Err(error) = checked.and_then(|()| self.sink.check(text)) {
            self.buffer.truncate(start);
            return Err(error);
        }
        self.count()?;
        Ok(losses)
    }

    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        let layout = self.text.layout;
        Some(preparer(move |game, work: &mut PreparedText| {
            work.text.layout = layout;
            work.bytes.clear();
            work.losses = work.text.append(game, &mut work.bytes);
        }))
    }

    fn write_prepared(&mut self, game: &Game, prepared: &mut Prepared) -> Result<Losses> {
        let Some(work) = prepared.made::<PreparedText>() else {
            return self.write(game);
        };
        self.allow.check(&work.losses)?;
        self.sink.check(&work.bytes)?;
        self.buffer.extend_from_slice(&work.bytes);
        self.count()?;
        Ok(std::mem::take(&mut work.losses))
    }

    fn copier(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.flush()?;
        self.sink.files().commit()?;
        Ok(self.games)
    }
}

mod append;
mod copy;
mod parts;
