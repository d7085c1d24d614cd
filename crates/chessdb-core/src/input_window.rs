//! A window of a stream, for readers that look for one game after another in it.

use std::io::{ErrorKind as IoErrorKind, Read};

use crate::error::Location;
use crate::files::Role;
use crate::utf16::{Utf8Reader, Utf16};
use crate::{Diagnostic, Error, Result};

/// The number of bytes requested at once.
const PORTION: usize = 128 << 10;

/// The bytes of a stream that a reader has not taken yet, as far as they were read. Input in UTF-16
/// is converted to UTF-8.
///
/// An input error without an operating system code means that the stream is damaged, such as a
/// damaged compressed file. The window then ends before the damage.
#[derive(Debug)]
pub struct InputWindow<R> {
    input: Utf8Reader<R>,
    file: Role,
    buffer: Vec<u8>,
    /// The window within the buffer.
    begin: usize,
    end: usize,
    offset: u64,
    /// Whether the stream has no more bytes.
    pub at_end: bool,
    /// Whether the stream cannot be read any further.
    pub failed: bool,
    /// The reason why the stream ends early.
    pub damage: Option<Error>,
    /// Whether the findings about UTF-16 were taken.
    reported_utf_16: bool,
}

impl<R: Read> InputWindow<R> {
    /// Creates an empty window at the current position of the input, which errors call `file`.
    pub fn new(input: R, file: Role) -> InputWindow<R> {
        InputWindow {
            input: Utf8Reader::new(input),
            file,
            buffer: Vec::new(),
            begin: 0,
            end: 0,
            offset: 0,
            at_end: false,
            failed: false,
            damage: None,
            reported_utf_16: false,
        }
    }

    /// Returns the bytes of the window.
    pub fn bytes(&self) -> &[u8] {
        self.buffer.get(self.begin..self.end).unwrap_or_default()
    }

    /// Returns the offset of the window in the stream; for UTF-16, in its text converted to UTF-8.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the size of the buffer in bytes.
    pub fn buffer_size(&self) -> usize {
        self.buffer.len()
    }

    /// Returns the decoder if the input is UTF-16.
    pub fn utf_16(&self) -> Option<&Utf16> {
        self.input.utf_16()
    }

    /// Returns the findings about UTF-16, once, when the stream has ended.
    pub fn take_utf_16_diagnostics(&mut self) -> Vec<Diagnostic> {
        if !self.at_end || std::mem::replace(&mut self.reported_utf_16, true) {
            return Vec::new();
        }
        let utf_16 = self.input.utf_16().into_iter();
        utf_16
            .flat_map(|utf_16| utf_16.diagnostics(self.file))
            .collect()
    }

    /// Removes this number of bytes from the front of the window.
    pub fn drop_front(&mut self, bytes: usize) {
        self.begin += bytes;
        self.offset += bytes as u64;
    }

    /// Reads more bytes after the window.
    ///
    /// # Errors
    ///
    /// Returns an error of the operating system. Damage of the stream ends it instead.
    pub fn fill(&mut self) -> Result<()> {
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
                    let is_damage = error.raw_os_error().is_none();
                    let offset = self.offset + self.bytes().len() as u64;
                    let error = Error::from(error).at(Location::byte(self.file, offset));
                    if !is_damage {
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
}
