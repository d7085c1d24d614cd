//! Reading of games from a stream of bytes, one after another, with memory for one game.

use std::io::Read;

use chessdb_core::input_window::InputWindow;
use chessdb_core::store::Portion;
use chessdb_core::{Diagnostic, Game, GameRead, ReadOptions, Result, Scratch, Start};

use crate::game::{ReadScope, read_game};
use crate::portion::StreamPortion;
use crate::raw::{Splitter, Step};
use crate::report::{CutReason, Source, refuse_utf_16, report_rest, too_much_text};
use crate::roles::PGN_FILE;

/// Reads games from a stream.
///
/// The window contains one game and the bytes read beyond it. A game longer than
/// [`chessdb_core::limits::Limits::game_bytes`] is delivered up to that length, with a diagnostic,
/// and the rest is skipped without being stored. So memory use stays constant for any input.
///
/// An input error without an operating system code means that the stream is damaged, such as a
/// damaged compressed file. It is returned after the preceding games. The last one may be cut.
#[derive(Debug)]
pub struct Reader<R> {
    window: InputWindow<R>,
    options: ReadOptions,
    /// The start position of games that do not state one.
    start: Start,
    number: u32,
    /// Findings that belong to no game.
    diagnostics: Vec<Diagnostic>,
    /// A result of [`Reader::cut`] that is left to the other methods.
    pending: Option<Result<Option<FoundGame>>>,
}

/// The next game in the window.
#[derive(Debug)]
struct FoundGame {
    /// The length of the game.
    length: usize,
    /// The number of bytes of the game to read.
    to_read: usize,
    /// The length of foreign text at the front of the window that is skipped.
    skipped: usize,
    /// The length of foreign text, including what has already left the window; 0 within the limit.
    foreign: u64,
    /// Set if the game continues after the window; the splitter will find its end.
    unfinished: Option<Splitter>,
    /// Whether the result was found.
    complete: bool,
}

impl<R: Read> Reader<R> {
    /// Creates a reader that starts at the current position of the input.
    pub fn new(input: R, options: ReadOptions) -> Reader<R> {
        Reader {
            window: InputWindow::new(input, PGN_FILE),
            options,
            start: Start::Standard,
            number: 0,
            diagnostics: Vec::new(),
            pending: None,
        }
    }

    /// Sets the start position of games without a tag `FEN`, for movetext alone.
    #[must_use]
    pub fn with_start(mut self, start: Start) -> Reader<R> {
        self.start = start;
        self
    }

    /// Returns the offset of the next byte that no game has taken so far. After the last game it is
    /// the length of the stream.
    pub fn offset(&self) -> u64 {
        self.window.offset()
    }

    /// Returns the size of the window's buffer in bytes.
    pub fn buffer_size(&self) -> usize {
        self.window.buffer_size()
    }

    /// Finds the next game and leaves it in the window.
    fn find(&mut self) -> Result<Option<FoundGame>> {
        match self.pending.take() {
            Some(pending) => pending,
            None => self.look_for_game(),
        }
    }

    fn look_for_game(&mut self) -> Result<Option<FoundGame>> {
        if self.window.failed {
            return Ok(None);
        }
        let limit = self.options.limits.game_bytes as usize;
        let mut splitter = Splitter::new();
        let mut gone = 0;
        loop {
            let step = splitter.advance(self.window.bytes(), self.window.at_end);
            let start = splitter.game_start();
            let skipped = start
                .filter(|&start| gone > 0 || start > limit)
                .unwrap_or(0);
            let foreign = gone + skipped as u64;
            match step {
                Step::Nothing => return Ok(None),
                Step::Game { end } => {
                    return Ok(Some(FoundGame {
                        length: end,
                        to_read: (end - skipped).min(limit),
                        skipped,
                        foreign,
                        unfinished: None,
                        complete: splitter.is_complete(),
                    }));
                }
                Step::More => {}
            }
            let length = self.window.bytes().len();
            if start.is_none() && splitter.forgettable() > limit {
                let bytes = splitter.forgettable();
                splitter.forget(bytes);
                self.window.drop_front(bytes);
                gone += bytes as u64;
            } else if start.is_some() && length - skipped > limit {
                return Ok(Some(FoundGame {
                    length: 0,
                    to_read: limit,
                    skipped,
                    foreign,
                    unfinished: Some(splitter),
                    // Reported as too long, not as damaged.
                    complete: true,
                }));
            }
            self.window.fill()?;
            // The first bytes have shown the encoding.
            if self.number == 0 && self.window.offset() == 0 {
                let text = refuse_utf_16(self.window.utf_16(), self.options.mode);
                self.window.failed |= text.is_err();
                text?;
            }
        }
    }

    /// Returns whether reading the game reports everything about it.
    fn is_plain(&self, extent: &FoundGame) -> bool {
        extent.to_read == extent.length
            && extent.foreign == 0
            && extent.unfinished.is_none()
            && (self.window.damage.is_none() || extent.length < self.window.bytes().len())
    }

    /// Skips a game found by [`Reader::find`].
    fn pass(&mut self, extent: FoundGame) -> Result<()> {
        let Some(mut splitter) = extent.unfinished else {
            self.window.drop_front(extent.length);
            return Ok(());
        };
        loop {
            match splitter.advance(self.window.bytes(), self.window.at_end) {
                Step::Game { end } => {
                    self.window.drop_front(end);
                    return Ok(());
                }
                Step::Nothing => return Ok(()),
                Step::More => {}
            }
            let gone = splitter.forgettable();
            splitter.forget(gone);
            self.window.drop_front(gone);
            self.window.fill()?;
        }
    }

    /// Handles the end of the stream; the remaining bytes belong to no game.
    fn rest(&mut self) -> Result<bool> {
        if self.window.failed {
            return Ok(false);
        }
        let rest = self.window.bytes();
        let (offset, length) = (self.window.offset(), rest.len());
        let reported = report_rest(rest, offset, &self.options, &mut self.diagnostics);
        // Before any error is returned: the next call must not report the rest again.
        self.window.drop_front(length);
        self.diagnostics
            .extend(self.window.take_utf_16_diagnostics());
        reported?;
        match self.window.damage.take() {
            Some(damage) => Err(damage),
            None => Ok(false),
        }
    }

    /// Reports skipped text before a game, which belongs to no game.
    fn passed_over(&mut self, extent: &FoundGame) -> Result<()> {
        if extent.foreign == 0 {
            return Ok(());
        }
        let offset = self.window.offset() + extent.skipped as u64 - extent.foreign;
        too_much_text(offset, &self.options, &mut self.diagnostics)
    }
}

impl<R: Read> GameRead for Reader<R> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let Some(extent) = self.find()? else {
            return self.rest();
        };
        self.number = self.number.saturating_add(1);
        // An error is returned only after the game has been passed, so that the next call continues
        // after it.
        let foreign = self.passed_over(&extent);
        let bytes = self.window.bytes();
        let game_bytes = extent.skipped..extent.skipped + extent.to_read;
        let source = Source {
            bytes: bytes.get(game_bytes).unwrap_or_default(),
            offset: self.window.offset() + extent.skipped as u64,
            number: self.number,
            start: &self.start,
            cut: if extent.unfinished.is_some() || extent.skipped + extent.to_read < extent.length {
                Some(CutReason::TooLong)
            } else if self.window.damage.is_some() && extent.length == bytes.len() {
                (!extent.complete).then_some(CutReason::Damage)
            } else {
                None
            },
            followed: extent.length < bytes.len(),
        };
        let read = read_game(source, &self.options, ReadScope::Everything, game, scratch);
        // A stream error has precedence over errors in its last game.
        self.pass(extent)?;
        foreign?;
        read?;
        Ok(true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        match self.find()? {
            Some(extent) => {
                self.number = self.number.saturating_add(1);
                let foreign = self.passed_over(&extent);
                self.pass(extent)?;
                foreign?;
                Ok(true)
            }
            None => self.rest(),
        }
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    fn cut(&mut self) -> Result<Option<Portion>> {
        let first = self.number.saturating_add(1);
        let mut games = StreamPortion::new(&self.options, &self.start, self.window.offset(), first);
        while games.has_room() {
            match self.find() {
                Ok(Some(extent)) if self.is_plain(&extent) => {
                    let window = self.window.bytes();
                    let game = window.get(..extent.length).unwrap_or_default();
                    games.push(game, extent.length < window.len());
                    self.number = self.number.saturating_add(1);
                    self.window.drop_front(extent.length);
                }
                other => {
                    self.pending = Some(other);
                    break;
                }
            }
        }
        let len = games.len();
        let games = Box::new(games);
        Ok((len > 0).then_some(Portion { games, len }))
    }
}
