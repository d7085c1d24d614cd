//! Games from a stream of bytes, one after another, in memory for one game.

use std::io::{ErrorKind as IoErrorKind, Read};

use chessdb_core::{
    Error, ErrorKind, Game, GameRead, Location, ReadOptions, Result, Scratch, Severity,
};

use crate::PGN_FILE;
use crate::game::{Want, read_game};
use crate::raw::{Splitter, Step};
use crate::report::{Source, report_rest};

/// Bytes asked for at once.
const PORTION: usize = 128 << 10;

/// Reads games from a stream.
///
/// The window holds one game and what was read beyond it. A game longer than
/// [`chessdb_core::Limits::game_bytes`] is delivered as far as that, with a diagnostic, and the
/// rest of it passes through without being kept; so memory stays flat whatever comes.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    options: ReadOptions,
    buffer: Vec<u8>,
    /// Where the window begins and ends in the buffer.
    begin: usize,
    end: usize,
    /// Offset of the window in the stream.
    offset: u64,
    at_end: bool,
    number: u32,
    failed: bool,
}

/// The next game in the window.
struct Found {
    /// Its length.
    length: usize,
    /// How much of that is to be read.
    kept: usize,
    /// Foreign text at the front of the window that is passed over.
    skipped: usize,
    /// The same with what has left the window already; 0 within the limit.
    foreign: u64,
    /// Whether the game goes on behind the window; the splitter will find its end.
    unfinished: Option<Splitter>,
}

impl<R: Read> Reader<R> {
    /// Reads from here on.
    pub fn new(input: R, options: ReadOptions) -> Reader<R> {
        Reader {
            input,
            options,
            buffer: Vec::new(),
            begin: 0,
            end: 0,
            offset: 0,
            at_end: false,
            number: 0,
            failed: false,
        }
    }

    /// Offset of the next byte that no game so far has taken. Behind the last game it is the length
    /// of the stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of memory that the window takes.
    pub fn buffer_size(&self) -> usize {
        self.buffer.len()
    }

    fn window(&self) -> &[u8] {
        self.buffer.get(self.begin..self.end).unwrap_or_default()
    }

    /// Reads more bytes behind the window.
    fn fill(&mut self) -> Result<()> {
        if self.begin > 0 && self.buffer.len() - self.end < PORTION {
            self.buffer.copy_within(self.begin..self.end, 0);
            self.end -= self.begin;
            self.begin = 0;
        }
        if self.buffer.len() - self.end < PORTION {
            // Doubling, so that a long game is copied a few times only.
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
                    self.failed = true;
                    let at = Location::byte(PGN_FILE, self.offset + self.window().len() as u64);
                    return Err(Error::from(error).at(at));
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
    fn find(&mut self) -> Result<Option<Found>> {
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
                    return Ok(Some(Found {
                        length: end,
                        kept: (end - skipped).min(limit),
                        skipped,
                        foreign,
                        unfinished: None,
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
                return Ok(Some(Found {
                    length: 0,
                    kept: limit,
                    skipped,
                    foreign,
                    unfinished: Some(splitter),
                }));
            }
            self.fill()?;
            if self.number == 0 && self.offset == 0 {
                let text = refuse_utf_16(self.window());
                self.failed |= text.is_err();
                text?;
            }
        }
    }

    /// Goes behind a game that [`Reader::find`] found.
    fn pass(&mut self, found: Found) -> Result<()> {
        let Some(mut splitter) = found.unfinished else {
            self.drop_front(found.length);
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

    /// The stream has ended: what is left belongs to no game.
    fn rest(&mut self, scratch: &mut Scratch) -> Result<bool> {
        let length = self.window().len();
        let source = Source {
            bytes: self.buffer.get(self.begin..self.end).unwrap_or_default(),
            offset: self.offset,
            number: self.number,
            cut: false,
        };
        let reported = report_rest(source, &self.options, &mut scratch.diagnostics);
        self.drop_front(length);
        reported.map(|()| false)
    }
}

impl<R: Read> GameRead for Reader<R> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let Some(found) = self.find()? else {
            return self.rest(scratch);
        };
        self.number = self.number.saturating_add(1);
        let foreign = match found.foreign {
            0 => Ok(()),
            foreign => {
                let at = Location::byte(PGN_FILE, self.offset + found.skipped as u64 - foreign);
                scratch.deviation(
                    &self.options,
                    Severity::Lost,
                    too_much_text(&self.options),
                    at,
                )
            }
        };
        let start = self.begin + found.skipped;
        let source = Source {
            bytes: self
                .buffer
                .get(start..start + found.kept)
                .unwrap_or_default(),
            offset: self.offset + found.skipped as u64,
            number: self.number,
            cut: found.unfinished.is_some() || found.skipped + found.kept < found.length,
        };
        let read = read_game(source, &self.options, Want::Everything, game, scratch);
        // A failure of the stream tells more than what may be wrong with its last game.
        self.pass(found)?;
        foreign?;
        read?;
        Ok(true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        match self.find()? {
            Some(found) => {
                self.number = self.number.saturating_add(1);
                self.pass(found)?;
                Ok(true)
            }
            None => {
                let length = self.window().len();
                self.drop_front(length);
                Ok(false)
            }
        }
    }
}

/// What is said about text between games that is passed over.
pub(crate) fn too_much_text(options: &ReadOptions) -> ErrorKind {
    ErrorKind::LimitExceeded {
        what: "bytes of text before a game",
        limit: options.limits.game_bytes.into(),
    }
}

/// UTF-16 announces itself by its first two bytes.
pub(crate) fn refuse_utf_16(bytes: &[u8]) -> Result<()> {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            let kind = ErrorKind::Unsupported("UTF-16 text");
            Err(Error::new(kind).at(Location::byte(PGN_FILE, 0)))
        }
        _ => Ok(()),
    }
}
