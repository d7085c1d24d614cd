//! Games as PGN in export format.

use std::sync::Arc;

use chessdb_core::utf16::Utf16;
use chessdb_core::{
    Allow, ErrorKind, FileId, FileSink, Game, GameRead, GameWrite, Growing, LossKind, Losses,
    Prepare, Prepared, ReadOptions, Result, Scratch, Severity, WriteOptions, preparer,
};

use crate::Reader;
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
#[derive(Clone, Default, Debug)]
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
            ..GameText::default()
        }
    }

    /// Appends a game in export format, a blank line behind it, and says what PGN could not hold.
    pub fn append(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = self.append_head(game, out);
        out.push(b'\n');
        losses.merge(&self.append_moves_and_evaluation(game, out));
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
        self.moves.encode(game, None, width, out, &mut losses);
        losses
    }

    /// Like [`GameText::append_moves`], for a reader that knows the tags: repeats an evaluation in the
    /// place of the result as a NAG after the moves (docs/formats/pgn.md, section 6).
    pub fn append_moves_and_evaluation(&mut self, game: &Game, out: &mut Vec<u8>) -> Losses {
        let mut losses = Losses::new();
        let width = self.layout.width as usize;
        let evaluation = game.head.line_evaluation(&game.texts);
        self.moves.encode(game, evaluation, width, out, &mut losses);
        losses
    }
}

/// The layout that was chosen by the setting `width`.
fn layout(options: &WriteOptions) -> Result<Layout> {
    let mut layout = Layout::default();
    for (name, value) in &options.settings {
        if *name == WIDTH {
            let width = value.parse();
            layout.width = width.map_err(|_| ErrorKind::Unsupported("such a width of lines"))?;
        }
    }
    Ok(layout)
}

/// The setting by which lines get another width than 80 characters; 0 is one line for the moves of each
/// game.
pub(crate) const WIDTH: &str = "width";

/// In so many bytes at its end the last game of a file is looked for.
const LAST: u64 = 64 << 10;

/// Bytes gathered before they go to the sink.
const PORTION: usize = 256 << 10;

/// A game as text.
#[derive(Default)]
struct Work {
    text: GameText,
    bytes: Vec<u8>,
    losses: Losses,
}

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
        let layout = layout(&options)?;
        Ok(Writer {
            file: sink.create(PGN_FILE)?,
            sink,
            text: GameText::new(layout),
            buffer: Vec::with_capacity(PORTION + PORTION / 4),
            allow: options.allow,
            games: 0,
            base_losses,
        })
    }

    /// Goes on with a file; none if it has to be written again for that, because it is in UTF-16, or
    /// because its last game is damaged, so that a comment may be open there.
    ///
    /// # Errors
    /// Whatever the files say.
    pub fn append(base: &'a mut dyn Growing, options: WriteOptions) -> Result<Option<Writer<'a>>> {
        let Some(length) = base.length(PGN_FILE) else {
            return Ok(None);
        };
        let mut start = vec![0; length.min(LAST) as usize];
        base.read_old(PGN_FILE, 0, &mut start)?;
        let from = length.saturating_sub(LAST);
        let mut end = vec![0; (length - from) as usize];
        base.read_old(PGN_FILE, from, &mut end)?;
        if Utf16::detect(&start).is_some() || !is_sound(&end, from > 0) {
            return Ok(None);
        }
        let layout = layout(&options)?;
        let mut writer = Writer {
            file: base.grow(PGN_FILE)?,
            sink: base,
            text: GameText::new(layout),
            buffer: Vec::with_capacity(PORTION + PORTION / 4),
            allow: options.allow,
            games: 0,
            base_losses: Losses::new(),
        };
        let lines = end.iter().rev().filter(|&&byte| byte != b'\r');
        let ends = lines.take_while(|&&byte| byte == b'\n').count();
        if !end.is_empty() {
            writer.buffer.resize(2_usize.saturating_sub(ends), b'\n');
        }
        Ok(Some(writer))
    }

    /// Counts a game whose text is in the buffer.
    fn count(&mut self) -> Result<()> {
        self.games = self.games.saturating_add(1);
        match self.buffer.len() >= PORTION {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.sink.write(self.file, &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Whether the last game in the end of a file is read without a repair, so that no comment is open;
/// `is_cut` if something stands before that end.
fn is_sound(end: &[u8], is_cut: bool) -> bool {
    let last = end
        .windows(8)
        .rposition(|window| window == b"\n[Event ")
        .map(|before| before + 1);
    let from = match last {
        Some(from) => from,
        None if is_cut => return false,
        None => 0,
    };
    let text = end.get(from..).unwrap_or_default();
    let mut reader = Reader::new(text, ReadOptions::default());
    let (mut game, mut scratch) = (Game::new(), Scratch::default());
    loop {
        match reader.read_into(&mut game, &mut scratch) {
            Ok(false) => break,
            Ok(true) => {}
            Err(_) => return false,
        }
    }
    let mut found = std::mem::take(&mut scratch.diagnostics);
    found.extend(reader.take_diagnostics());
    found.iter().all(|found| found.severity == Severity::Note)
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
        self.count()?;
        Ok(losses)
    }

    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        let layout = self.text.layout;
        Some(preparer(move |game, work: &mut Work| {
            work.text.layout = layout;
            work.bytes.clear();
            work.losses = work.text.append(game, &mut work.bytes);
        }))
    }

    fn write_prepared(&mut self, game: &Game, prepared: &mut Prepared) -> Result<Losses> {
        let Some(work) = prepared.made::<Work>() else {
            return self.write(game);
        };
        self.allow.check(&work.losses)?;
        self.buffer.extend_from_slice(&work.bytes);
        self.count()?;
        Ok(std::mem::take(&mut work.losses))
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
