//! The texts of one game in a single buffer.

use std::fmt;

use super::{Charset, Text, digits};
use crate::limits::{Limits, OverLimit};

/// The id of a text within its [`Texts`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TextId(u32);

impl TextId {
    /// No text. An empty text that exists has another id.
    pub const NONE: TextId = TextId(0);

    /// Returns the id with this number; 0 is [`TextId::NONE`].
    pub const fn from_raw(number: u32) -> TextId {
        TextId(number)
    }

    /// Returns 0 for [`TextId::NONE`], 1 for the first text of the arena and so on.
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// Returns whether there is no text.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns whether there is a text, which may be empty.
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
/// A game's limit on text bytes is far below 4 GiB, the maximum that the offsets can express. A
/// text beyond that is cut there, and no call panics.
#[derive(Clone, Default)]
pub struct Texts {
    /// Finished texts, then the one under construction.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// The end of the text in `bytes`; it starts where the previous one ends.
    end: u32,
    charset: Charset,
}

impl Texts {
    /// Creates an empty arena without allocating.
    pub const fn new() -> Texts {
        Texts {
            bytes: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Reserves memory for this number of additional texts, with `bytes` bytes in total.
    pub fn reserve(&mut self, texts: usize, bytes: usize) {
        self.entries.reserve(texts);
        self.bytes.reserve(bytes);
    }

    /// Checks whether this number of additional bytes stays within the limit.
    ///
    /// # Errors
    ///
    /// Returns [`OverLimit::TextBytes`] if it does not.
    pub fn check_room(&self, bytes: usize, limits: &Limits) -> Result<(), OverLimit> {
        let limit = limits.text_bytes as usize;
        if self.bytes_used().saturating_add(bytes) > limit {
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

    /// Adds the first `length` bytes of a record of fixed size as a text. For short records this is
    /// faster than [`Texts::push`], because copying a constant number of bytes needs no loop.
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

    /// Adds a text of another arena. Returns [`TextId::NONE`] if it has no text with this id.
    pub fn push_from(&mut self, other: &Texts, id: TextId) -> TextId {
        if id.raw() as usize > other.len() || id.is_none() {
            return TextId::NONE;
        }
        let text = other.get(id);
        self.push(text.as_bytes(), text.charset())
    }

    /// Returns the text with this id; empty for [`TextId::NONE`] and for ids that do not belong to
    /// this arena.
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

    /// Returns the bytes of these two texts and of all texts between them; empty if either does not
    /// belong to this arena.
    pub fn span(&self, first: TextId, last: TextId) -> &[u8] {
        let end_of = |number: u32| match number {
            0 => Some(0),
            n => self.entries.get(n as usize - 1).map(|entry| entry.end),
        };
        let start = first.0.checked_sub(1).and_then(end_of);
        let range = start.zip(end_of(last.0));
        range
            .and_then(|(start, end)| self.bytes.get(start as usize..end as usize))
            .unwrap_or_default()
    }

    /// Sets the charset of a text without changing its bytes.
    pub fn set_charset(&mut self, id: TextId, charset: Charset) {
        let entry = (id.0 as usize).checked_sub(1);
        if let Some(entry) = entry.and_then(|index| self.entries.get_mut(index)) {
            entry.charset = charset;
        }
    }

    /// Begins a text and drops an unfinished one.
    pub fn begin(&mut self) {
        self.bytes.truncate(self.finished_bytes());
    }

    /// Appends bytes to the text under construction.
    pub fn extend(&mut self, bytes: &[u8]) {
        // Entries store their ends in 32 bits.
        let room = (u32::MAX as usize).saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    /// Appends a number in decimal digits to the text under construction.
    pub fn extend_number(&mut self, number: u32) {
        self.extend(digits(number, &mut [0; 10]));
    }

    /// Appends one byte to the text under construction.
    pub fn push_byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends a text, converted to another charset, to the text under construction. Returns the
    /// number of characters lost in the conversion ([`Text::convert_into`]).
    pub fn extend_converted(&mut self, text: Text<'_>, target: Charset) -> usize {
        text.convert_into(target, &mut self.bytes)
    }

    /// Returns the text under construction so far.
    pub fn pending(&self) -> &[u8] {
        self.bytes.get(self.finished_bytes()..).unwrap_or_default()
    }

    /// Shortens the text under construction to its first `length` bytes.
    pub fn truncate_pending(&mut self, length: usize) {
        self.bytes
            .truncate(self.finished_bytes().saturating_add(length));
    }

    /// Removes the first `length` bytes of the text under construction.
    pub fn skip_pending(&mut self, length: usize) {
        let start = self.finished_bytes();
        let end = start.saturating_add(length).min(self.bytes.len());
        self.bytes.drain(start..end);
    }

    /// Finishes the text under construction and returns its id.
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

    /// Removes all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether all texts are plain ASCII.
    pub fn is_ascii(&self) -> bool {
        self.bytes.is_ascii()
    }

    /// Returns the total number of bytes of all finished texts.
    pub fn bytes_used(&self) -> usize {
        self.finished_bytes()
    }

    /// Returns all texts with their ids, oldest first.
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
