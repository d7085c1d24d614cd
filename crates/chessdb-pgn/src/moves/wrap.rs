//! Line wrapping of tokens.

#[cfg(test)]
mod tests;

use chessdb_core::rules::ShortSan;
use memchr::{memchr, memchr2};

use crate::raw::is_blank;

/// Writes tokens separated by a space or a line break.
///
/// A token is first written to the current line. If the line is then too long, the space before the
/// token becomes a line break. So nothing is written twice, and lengths need not be known
/// beforehand.
pub(super) struct LineWrapper<'o> {
    pub(super) out: &'o mut Vec<u8>,
    width: usize,
    /// Where the last line starts.
    line: usize,
    /// The last position at which the line may be broken.
    space: Option<usize>,
    /// Whether the next token follows without a space.
    glued: bool,
    /// Whether a comment contained multi-byte characters.
    wide: bool,
}

impl<'o> LineWrapper<'o> {
    /// Starts on a new line. A width of 0 means no limit.
    pub(super) fn new(out: &'o mut Vec<u8>, width: usize) -> LineWrapper<'o> {
        let line = out.len();
        LineWrapper {
            out,
            width: if width == 0 { usize::MAX } else { width },
            line,
            space: None,
            glued: false,
            wide: false,
        }
    }

    /// Starts a token.
    #[inline]
    pub(super) fn begin(&mut self) {
        if std::mem::take(&mut self.glued) || self.out.len() == self.line {
            return;
        }
        self.space = Some(self.out.len());
        self.out.push(b' ');
    }

    /// Ends a token.
    #[inline]
    pub(super) fn end(&mut self) {
        if self.out.len() - self.line > self.width {
            self.wrap();
        }
    }

    #[cold]
    fn wrap(&mut self) {
        let line = self.out.get(self.line..).unwrap_or_default();
        if characters(line) <= self.width {
            return;
        }
        if let Some(space) = self.space.take()
            && let Some(byte) = self.out.get_mut(space)
        {
            *byte = b'\n';
            self.line = space + 1;
        }
    }

    /// Writes a token of up to eight characters, padded with zeros. Always copies sixteen bytes,
    /// since a fixed size needs no call. A line break is decided before writing.
    #[inline]
    pub(super) fn short(&mut self, token: [u8; 8], length: usize) {
        let start = self.out.len();
        let separated = !self.glued && start != self.line;
        let mut bytes = u128::from(u64::from_le_bytes(token));
        let mut end = start + length;
        if separated {
            let long = end + 1 - self.line > self.width;
            // Only with wide characters does a line have more bytes than characters.
            let breaks = long && (!self.wide || self.is_full(length));
            bytes = bytes << 8 | u128::from(if breaks { b'\n' } else { b' ' });
            end += 1;
            if breaks {
                self.line = start + 1;
                self.space = None;
            } else {
                self.space = Some(start);
            }
        }
        self.glued = false;
        self.out.extend_from_slice(&bytes.to_le_bytes());
        self.out.truncate(end);
        if !separated {
            self.end();
        }
    }

    /// Returns whether the line is too full for a blank and `length` characters. Characters count,
    /// not UTF-8 continuation bytes.
    #[cold]
    fn is_full(&self, length: usize) -> bool {
        let line = self.out.get(self.line..).unwrap_or_default();
        characters(line) + 1 + length > self.width
    }

    /// Writes a move number and its dots.
    #[inline]
    pub(super) fn number(&mut self, number: u16, dots: u32) {
        let digit = |n: u16| u64::from(b'0') + u64::from(n % 10);
        let (digits, length) = match number {
            0..10 => (digit(number), 1),
            10..100 => (digit(number / 10) | digit(number) << 8, 2),
            100..1000 => {
                let high = digit(number / 100) | digit(number / 10) << 8;
                (high | digit(number) << 16, 3)
            }
            _ => {
                let skipped = usize::from(number < 10000);
                let units = [10000, 1000, 100, 10, 1].into_iter().skip(skipped);
                let digits = units.map(|unit| digit(number / unit)).enumerate();
                let word = digits.fold(0, |word, (n, digit)| word | digit << (8 * n));
                (word, 5 - skipped as u32)
            }
        };
        let dots_word = u64::from_le_bytes(*b"...\0\0\0\0\0") & ((1 << (8 * dots)) - 1);
        let word = digits | dots_word << (8 * length);
        self.short(word.to_le_bytes(), (length + dots) as usize);
    }

    pub(super) fn token(&mut self, token: &[u8]) {
        self.begin();
        self.out.extend_from_slice(token);
        self.end();
    }

    /// Writes an opening parenthesis; the next token follows directly.
    pub(super) fn open(&mut self) {
        self.begin();
        self.out.push(b'(');
        self.glued = true;
    }

    /// Writes a closing parenthesis, directly after the preceding token.
    pub(super) fn close(&mut self) {
        self.glued = false;
        self.out.push(b')');
        self.end();
    }

    /// Writes a comment. Lines are broken only at single spaces between words, so that a reader
    /// that turns a break into a space gets the same text, and not before `%`, which some readers
    /// treat as an escape at the start of a line.
    pub(super) fn comment(&mut self, text: &[u8]) {
        if !text.is_ascii() {
            self.wide = true;
            self.comment_by_words(text);
        } else if memchr(b'\n', text).is_some() {
            self.comment_by_words(text);
        } else {
            self.comment_line(text);
        }
    }

    /// Writes a comment that is one line of ASCII.
    pub(super) fn comment_line(&mut self, text: &[u8]) {
        if self.wide { self.comment_by_words(text) } else { self.plain_comment(text) }
    }

    /// Writes a comment of one line of ASCII, copied as a whole. Only blanks near the ends of lines
    /// are then examined.
    fn plain_comment(&mut self, text: &[u8]) {
        self.begin();
        self.out.push(b'{');
        let start = self.out.len();
        self.out.extend_from_slice(text);
        let end = self.out.len();
        self.out.push(b'}');
        while self.out.len() - self.line > self.width {
            // Without a limit, the width is the largest number.
            let full = self.line.saturating_add(self.width);
            let first = start.max(self.line);
            // The last blank on the line, or the one before the comment, or the first one after the
            // line.
            let after = (full + 1).max(first);
            let place = (first..after.min(end))
                .rev()
                .find(|&offset| self.may_break(start, offset, end))
                .or(self.space.take_if(|space| *space >= self.line))
                .or_else(|| (after..end).find(|&offset| self.may_break(start, offset, end)));
            let Some(blank) = place.and_then(|offset| Some((offset, self.out.get_mut(offset)?)))
            else {
                break;
            };
            *blank.1 = b'\n';
            self.line = blank.0 + 1;
            self.space = None;
        }
        let last = (start.max(self.line)..end)
            .rev()
            .find(|&offset| self.may_break(start, offset, end));
        self.space = last.or(self.space);
    }

    /// Returns whether the line may be broken at `offset` in a comment with text from `start` to `end`.
    #[inline]
    fn may_break(&self, start: usize, offset: usize, end: usize) -> bool {
        if offset == start || offset + 1 >= end {
            return false;
        }
        match self.out.get(offset - 1..offset + 2) {
            Some(&[left, b' ', right]) => !is_blank(left) && !is_blank(right) && right != b'%',
            _ => false,
        }
    }

    /// Writes any comment, word by word.
    fn comment_by_words(&mut self, text: &[u8]) {
        self.begin();
        self.out.push(b'{');
        let mut rest = text;
        let mut before = None;
        while let Some(n) = memchr2(b' ', b'\n', rest) {
            let (word, tail) = rest.split_at_checked(n).unwrap_or((rest, &[]));
            let Some((&blank, tail)) = tail.split_first() else {
                break;
            };
            self.out.extend_from_slice(word);
            if blank == b'\n' {
                self.end();
                self.out.push(b'\n');
                self.line = self.out.len();
                self.space = None;
            } else {
                let left = word.last().copied().or(before);
                let right = tail.first().copied();
                if left.is_some_and(|b| !is_blank(b))
                    && right.is_some_and(|b| !is_blank(b) && b != b'%')
                {
                    self.end();
                    self.space = Some(self.out.len());
                }
                self.out.push(b' ');
            }
            before = Some(blank);
            rest = tail;
        }
        self.out.extend_from_slice(rest);
        self.out.push(b'}');
        self.end();
    }
}

/// A run of half-moves and numbers: equivalent to [`LineWrapper::short`] and
/// [`LineWrapper::number`], with less state.
pub(super) struct MoveRun<'w, 'o> {
    wrapper: &'w mut LineWrapper<'o>,
    /// Where the last line starts.
    line: usize,
    /// Where the last separator is, if the line may be broken there.
    separator: Option<usize>,
}

impl<'o> LineWrapper<'o> {
    /// Starts a run of half-moves after a token. `None` on a line with multi-byte characters.
    #[inline]
    pub(super) fn run<'w>(&'w mut self) -> Option<MoveRun<'w, 'o>> {
        let separated = !self.glued && self.out.len() != self.line && !self.wide;
        separated.then_some(MoveRun {
            line: self.line,
            separator: self.space,
            wrapper: self,
        })
    }
}

impl MoveRun<'_, '_> {
    /// The limit for numbers: they must be lower.
    pub(super) const NUMBERS: u32 = 1000;

    /// Writes the number of White's move.
    #[inline(always)]
    pub(super) fn number(&mut self, number: u32) {
        let (text, length) = numbered(number);
        self.token(text, length);
    }

    /// Writes a half-move.
    #[inline(always)]
    pub(super) fn short(&mut self, san: ShortSan) {
        self.token(u64::from_le_bytes(san.bytes()), san.length());
    }

    #[inline(always)]
    fn token(&mut self, text: u64, length: usize) {
        let out = &mut *self.wrapper.out;
        let start = out.len();
        let end = start + 1 + length;
        let breaks = end - self.line > self.wrapper.width;
        let separator = if breaks { b'\n' } else { b' ' };
        self.line = if breaks { start + 1 } else { self.line };
        self.separator = Some(start);
        let bytes = u128::from(text) << 8 | u128::from(separator);
        out.extend_from_slice(&bytes.to_le_bytes());
        out.truncate(end);
    }

    /// Ends the run.
    #[inline]
    pub(super) fn end(self) {
        self.wrapper.line = self.line;
        self.wrapper.space = self.separator.filter(|&offset| offset >= self.line);
    }
}

/// Returns a number with its dot, and their length.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "a table of 1024 entries, the index is masked"
)]
fn numbered(number: u32) -> (u64, usize) {
    static NUMBERS: [u32; 1024] = {
        let mut numbers = [0; 1024];
        let mut n = 0;
        while n < 1000 {
            let digits = [n / 100, n / 10 % 10, n % 10];
            let (mut word, mut shift, mut place) = (0, 0, 0);
            while place < 3 {
                if shift > 0 || digits[place] > 0 || place == 2 {
                    word |= (b'0' as u32 + digits[place]) << shift;
                    shift += 8;
                }
                place += 1;
            }
            numbers[n as usize] = word | (b'.' as u32) << shift;
            n += 1;
        }
        numbers
    };
    let text = NUMBERS[(number & 1023) as usize];
    let length = 2 + usize::from(number >= 10) + usize::from(number >= 100);
    (u64::from(text), length)
}

/// Returns the number of characters in a line. Counts bytes in blocks, which is vectorized.
fn characters(line: &[u8]) -> usize {
    let begins = |byte: &u8| u8::from(byte & 0xC0 != 0x80);
    // A part of 128 bytes has at most 128 characters, which a byte can count.
    line.chunks(128)
        .map(|part| part.iter().map(begins).sum())
        .map(|count: u8| usize::from(count))
        .sum()
}
