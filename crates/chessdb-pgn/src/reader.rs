//! Reading of games from a stream of bytes, one after another, with memory for one game.

use std::io::{ErrorKind as IoErrorKind, Read};

use chessdb_core::error::Location;
use chessdb_core::store::Portion;
use chessdb_core::utf16::Utf8Reader;
use chessdb_core::{Diagnostic, Error, Game, GameRead, ReadOptions, Result, Scratch, Start};

use crate::game::{ReadScope, read_game};
use crate::portion::StreamPortion;
use crate::raw::{Splitter, Step};
use crate::report::{CutReason, Source, refuse_utf_16, report_rest, too_much_text};
use crate::roles::PGN_FILE;

/// The number of bytes requested at once.
const PORTION: usize = 128 << 10;

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
    input: Utf8Reader<R>,
    options: ReadOptions,
    /// The start position of games that do not state one.
    start: Start,
    buffer: Vec<u8>,
    /// The window within the buffer.
    begin: usize,
    end: usize,
    /// The offset of the window in the stream; for UTF-16, in its text converted to UTF-8.
    offset: u64,
    at_end: bool,
    number: u32,
    failed: bool,
    /// The reason why the stream ends early.
    damage: Option<Error>,
    /// Findings that belong to no game.
    diagnostics: Vec<Diagnostic>,
    /// Whether UTF-16 text has been reported.
    reported_utf16: bool,
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
            input: Utf8Reader::new(input),
            options,
            start: Start::Standard,
            buffer: Vec::new(),
            begin: 0,
            end: 0,
            offset: 0,
            at_end: false,
            number: 0,
            failed: false,
            damage: None,
            diagnostics: Vec::new(),
            reported_utf16: false,
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
        self.offset
    }

    /// Returns the size of the window's buffer in bytes.
    pub fn buffer_size(&self) -> usize {
        self.buffer.len()
    }

    fn window(&self) -> &[u8] {
        self.buffer.get(self.begin..self.end).unwrap_or_default()
    }

    /// Reads more bytes after the window.
    fn fill(&mut self) -> Result<()> {
        if self.begin > 0 && self.buffer.len() - self.end < PORTION {
            self.buffer.copy_within(self.begin..self.end, 0);
            self.end -= self.begin;
            self.begin = 0;
        }
        if self.buffer.len() - self.end < PORTION {
            // Doubling the size ensures that a long game is copied only a few times.
            let length = (self.end + PORTION).max(2 * self.end);
            self.buffer.resize(length, 0);
        }
        loop {
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.input.read(room) {
                Ok(0) => self.at_end = true,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == IoErrorKind::Interrupted => continue,
                Err(error) => {
                    let damaged = error.raw_os_error().is_none();
                    let location =
                        Location::byte(PGN_FILE, self.offset + self.window().len() as u64);
                    let error = Error::from(error).at(location);
                    if !damaged {
                        self.failed = true;
                        return Err(error);
                    }
                    self.damage = Some(error);
                    self.at_end = true;
                }
            }
            return Ok(());
        }
    }

    fn drop_front(&mut self, bytes: usize) {
        self.begin += bytes;
        self.offset += bytes as u64;
    }

    /// Finds the next game and leaves it in the window.
    fn find(&mut self) -> Result<Option<FoundGame>> {
        match self.pending.take() {
            Some(pending) => pending,
            None => self.look_for_game(),
        }
    }

    fn look_for_game(&mut self) -> Result<Option<FoundGame>> {
        if self.failed {
            return Ok(None);
        }
        let limit = self.options.limits.game_bytes as usize;
        let mut splitter = Splitter::new();
        let mut gone = 0;
        loop {
            let step = splitter.advance(self.window(), self.at_end);
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
            let length = self.window().len();
            if start.is_none() && splitter.forgettable() > limit {
                let bytes = splitter.forgettable();
                splitter.forget(bytes);
                self.drop_front(bytes);
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
            self.fill()?;
            // The first bytes have shown the encoding.
            if self.number == 0 && self.offset == 0 {
                let text = refuse_utf_16(self.input.utf_16(), self.options.mode);
                self.failed |= text.is_err();
                text?;
            }
        }
    }

    /// Returns whether reading the game reports everything about it.
    fn is_plain(&self, extent: &FoundGame) -> bool {
        extent.to_read == extent.length
            && extent.foreign == 0
            && extent.unfinished.is_none()
            && (self.damage.is_none() || extent.length < self.end - self.begin)
    }

    /// Skips a game found by [`Reader::find`].
    fn pass(&mut self, extent: FoundGame) -> Result<()> {
        let Some(mut splitter) = extent.unfinished else {
            self.drop_front(extent.length);
            return Ok(());
        };
        loop {
            match splitter.advance(self.window(), self.at_end) {
                Step::Game { end } => {
                    self.drop_front(end);
                    return Ok(());
                }
                Step::Nothing => return Ok(()),
                Step::More => {}
            }
            let gone = splitter.forgettable();
            splitter.forget(gone);
            self.drop_front(gone);
            self.fill()?;
        }
    }

    /// Handles the end of the stream; the remaining bytes belong to no game.
    fn rest(&mut self) -> Result<bool> {
        if self.failed {
            return Ok(false);
        }
        let rest = self.buffer.get(self.begin..self.end).unwrap_or_default();
        let (offset, length) = (self.offset, rest.len());
        let reported = report_rest(rest, offset, &self.options, &mut self.diagnostics);
        // Before any error is returned: the next call must not report the rest again.
        self.drop_front(length);
        if self.at_end
            && !self.reported_utf16
            && let Some(utf_16) = self.input.utf_16()
        {
            self.reported_utf16 = true;
            self.diagnostics.extend(utf_16.diagnostics(PGN_FILE));
        }
        reported?;
        match self.damage.take() {
            Some(damage) => Err(damage),
            None => Ok(false),
        }
    }

    /// Reports skipped text before a game, which belongs to no game.
    fn passed_over(&mut self, extent: &FoundGame) -> Result<()> {
        if extent.foreign == 0 {
            return Ok(());
        }
        let offset = self.offset + extent.skipped as u64 - extent.foreign;
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
        let start = self.begin + extent.skipped;
        let source = Source {
            bytes: self
                .buffer
                .get(start..start + extent.to_read)
                .unwrap_or_default(),
            offset: self.offset + extent.skipped as u64,
            number: self.number,
            start: &self.start,
            cut: if extent.unfinished.is_some() || extent.skipped + extent.to_read < extent.length {
                Some(CutReason::TooLong)
            } else if self.damage.is_some() && extent.length == self.end - self.begin {
                (!extent.complete).then_some(CutReason::Damage)
            } else {
                None
            },
            followed: extent.length < self.end - self.begin,
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
        let mut games = StreamPortion::new(&self.options, &self.start, self.offset, first);
        while games.has_room() {
            match self.find() {
                Ok(Some(extent)) if self.is_plain(&extent) => {
                    let window = self.window();
                    let game = window.get(..extent.length).unwrap_or_default();
                    games.push(game, extent.length < window.len());
                    self.number = self.number.saturating_add(1);
                    self.drop_front(extent.length);
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
