//! All texts of one game, in one buffer.

use std::fmt;

use super::{Charset, Text, digits};
use crate::{Limits, OverLimit};

/// Names one text within its [`Texts`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TextId(u32);

impl TextId {
    /// No text. A text that is there but empty has an id of its own.
    pub const NONE: TextId = TextId(0);

    /// The id with this number; 0 is [`TextId::NONE`].
    pub const fn from_raw(number: u32) -> TextId {
        TextId(number)
    }

    /// 0 for [`TextId::NONE`], otherwise 1 for the first text of the arena and so on.
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// Whether there is no text.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether there is a text, be it empty.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

impl fmt::Debug for TextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("no text"),
            n => write!(f, "text {n}"),
        }
    }
}

/// The texts of one game, one after the other in a single buffer; clearing keeps the memory.
///
/// A reader that unescapes or joins bytes builds its text in place: [`Texts::begin`], any number of
/// [`Texts::extend`] and [`Texts::push_byte`], then [`Texts::finish`] or [`Texts::abort`]. Only one
/// text can be under construction; [`Texts::push`] and [`Texts::begin`] drop an unfinished one.
///
/// A game's limit on text bytes lies far below 4 GiB, the most that the offsets can express. Should
/// someone exceed it all the same, the text is cut there, and no call panics.
#[derive(Clone, Default)]
pub struct Texts {
    /// Finished texts, then the one under construction.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Where the text ends in `bytes`; it starts where the previous one ends.
    end: u32,
    charset: Charset,
}

impl Texts {
    /// No texts and no memory yet.
    pub const fn new() -> Texts {
        Texts {
            bytes: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Makes room for so many texts more, of so many bytes together.
    pub fn reserve(&mut self, texts: usize, bytes: usize) {
        self.entries.reserve(texts);
        self.bytes.reserve(bytes);
    }

    /// Whether this many bytes more stay within the limit.
    ///
    /// # Errors
    ///
    /// [`OverLimit::TextBytes`] if they do not.
    pub fn check_room(&self, bytes: usize, limits: &Limits) -> Result<(), OverLimit> {
        let most = limits.text_bytes as usize;
        if self.bytes_used().saturating_add(bytes) > most {
            return Err(OverLimit::TextBytes);
        }
        Ok(())
    }

    /// Adds a text.
    pub fn push(&mut self, bytes: &[u8], charset: Charset) -> TextId {
        self.begin();
        self.extend(bytes);
        self.finish(charset)
    }

    /// Adds a text that is the first `length` bytes of a record of fixed size. Where records are
    /// short this is quicker than [`Texts::push`], because copying a constant number of bytes takes
    /// no loop.
    #[inline]
    pub fn push_front<const N: usize>(
        &mut self,
        record: &[u8; N],
        length: usize,
        charset: Charset,
    ) -> TextId {
        let start = self.finished_bytes();
        self.bytes.truncate(start);
        self.bytes.extend_from_slice(record);
        self.bytes.truncate(start.saturating_add(length.min(N)));
        self.finish(charset)
    }

    /// Adds a text of this other arena, or nothing if it has none with this id.
    pub fn push_from(&mut self, other: &Texts, id: TextId) -> TextId {
        if id.raw() as usize > other.len() || id.is_none() {
            return TextId::NONE;
        }
        let text = other.get(id);
        self.push(text.as_bytes(), text.charset())
    }

    /// The text with this id; empty for [`TextId::NONE`] and ids that are not of this arena.
    pub fn get(&self, id: TextId) -> Text<'_> {
        let Some(index) = (id.0 as usize).checked_sub(1) else {
            return Text::EMPTY;
        };
        let Some(entry) = self.entries.get(index) else {
            return Text::EMPTY;
        };
        let start = match index.checked_sub(1).and_then(|i| self.entries.get(i)) {
            Some(previous) => previous.end as usize,
            None => 0,
        };
        let bytes = self.bytes.get(start..entry.end as usize);
        Text::new(bytes.unwrap_or_default(), entry.charset)
    }

    /// The bytes of these two texts and of all between them; none if either is none of this arena.
    pub fn span(&self, first: TextId, last: TextId) -> &[u8] {
        let end_of = |number: u32| match number {
            0 => Some(0),
            n => self.entries.get(n as usize - 1).map(|entry| entry.end),
        };
        let start = first.0.checked_sub(1).and_then(end_of);
        let range = start.zip(end_of(last.0));
        let bytes = range.and_then(|(start, end)| self.bytes.get(start as usize..end as usize));
        bytes.unwrap_or_default()
    }

    /// Takes a text for one in this charset; its bytes stay.
    pub fn set_charset(&mut self, id: TextId, charset: Charset) {
        let entry = (id.0 as usize).checked_sub(1);
        if let Some(entry) = entry.and_then(|at| self.entries.get_mut(at)) {
            entry.charset = charset;
        }
    }

    /// Starts a text; one that was not finished is dropped.
    pub fn begin(&mut self) {
        self.bytes.truncate(self.finished_bytes());
    }

    /// Adds bytes to the text under construction.
    pub fn extend(&mut self, bytes: &[u8]) {
        let room = (u32::MAX as usize).saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    /// Adds a number in decimal digits to the text under construction.
    pub fn extend_number(&mut self, number: u32) {
        self.extend(digits(number, &mut [0; 10]));
    }

    /// Adds one byte to the text under construction.
    pub fn push_byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Adds a text to the text under construction, in another charset, and returns how many
    /// characters were lost by that ([`Text::convert_into`]).
    pub fn extend_converted(&mut self, text: Text<'_>, target: Charset) -> usize {
        text.convert_into(target, &mut self.bytes)
    }

    /// The text under construction so far.
    pub fn pending(&self) -> &[u8] {
        self.bytes.get(self.finished_bytes()..).unwrap_or_default()
    }

    /// Shortens the text under construction to its first `length` bytes.
    pub fn truncate_pending(&mut self, length: usize) {
        self.bytes
            .truncate(self.finished_bytes().saturating_add(length));
    }

    /// Takes away the first `length` bytes of the text under construction.
    pub fn skip_pending(&mut self, length: usize) {
        let start = self.finished_bytes();
        let end = start.saturating_add(length).min(self.bytes.len());
        self.bytes.drain(start..end);
    }

    /// Makes the text under construction the newest text.
    pub fn finish(&mut self, charset: Charset) -> TextId {
        let Ok(number) = u32::try_from(self.entries.len() + 1) else {
            self.begin();
            return TextId::NONE;
        };
        self.bytes.truncate(u32::MAX as usize);
        let end = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        self.entries.push(Entry { end, charset });
        TextId(number)
    }

    /// Drops the text under construction.
    pub fn abort(&mut self) {
        self.begin();
    }

    /// Drops all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether all texts are plain ASCII.
    pub fn is_ascii(&self) -> bool {
        self.bytes.is_ascii()
    }

    /// How many bytes all finished texts have together.
    pub fn bytes_used(&self) -> usize {
        self.finished_bytes()
    }

    /// All texts with their ids, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TextId, Text<'_>)> {
        let mut number = 0;
        self.entries.iter().map(move |_| {
            number += 1;
            (TextId(number), self.get(TextId(number)))
        })
    }

    fn finished_bytes(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.end as usize)
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
