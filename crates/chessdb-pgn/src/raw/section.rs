//! The tag section of a game, and interruptions by the section of another game
//! (docs/formats/pgn.md, section 2).

use super::quotes::QuotedTag;
use super::scan::{
    InValue, LOOK_AHEAD, LOOK_BEHIND, after_blank_line, byte, from, in_value, is_blank, is_break,
    is_name_byte, next_in_value, tag_head,
};
use super::start::starts_moves;

/// The largest length of a first tag's name that is remembered.
const LONGEST_FIRST: usize = 24;

/// How far to search for the end of a comment after the tags of another game in it.
const COMMENT_LOOK: usize = 64 << 10;

const EVENT: u16 = 1;
const FEN: u16 = 1 << 7;
const SETUP: u16 = 1 << 8;
/// The bit of the first tag, if its name is not a known one.
const OTHER_FIRST: u16 = 1 << 15;

/// Returns the bit of a common tag, or 0 for any other name.
#[inline]
fn known_bit(name: &[u8]) -> u16 {
    match name {
        b"Event" => EVENT,
        b"Site" => 1 << 1,
        b"Date" => 1 << 2,
        b"Round" => 1 << 3,
        b"White" => 1 << 4,
        b"Black" => 1 << 5,
        b"Result" => 1 << 6,
        b"FEN" => FEN,
        b"SetUp" => SETUP,
        _ => 0,
    }
}

/// The name of a tag, with its bit: several decisions about one tag need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagName<'a> {
    pub(super) bytes: &'a [u8],
    /// The bit of a common tag, or 0.
    known: u16,
}

impl<'a> TagName<'a> {
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> TagName<'a> {
        TagName {
            bytes,
            known: known_bit(bytes),
        }
    }
}

/// The tags of one game read so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagSection {
    /// The known tags, as bits.
    seen: u16,
    /// The bits of the first tag and of the last one.
    first: u16,
    last: u16,
    /// Whether there is any tag.
    any: bool,
    /// The name of the first tag, if it is not a known one.
    name: [u8; LONGEST_FIRST],
    length: u8,
}

impl TagSection {
    pub(super) const NEW: TagSection = TagSection {
        seen: 0,
        first: 0,
        last: 0,
        any: false,
        name: [0; LONGEST_FIRST],
        length: 0,
    };

    /// Returns the bit of a tag, or 0 if games do not begin with it.
    #[inline]
    fn bit(&self, name: TagName<'_>) -> u16 {
        match name.known {
            0 if self.is_first_name(name.bytes) => OTHER_FIRST,
            bit => bit,
        }
    }

    #[inline]
    fn is_first_name(&self, name: &[u8]) -> bool {
        name.len() == usize::from(self.length)
            && self.length > 0
            && self.name.get(..name.len()) == Some(name)
    }

    /// Adds a tag.
    #[inline]
    pub(super) fn add(&mut self, name: TagName<'_>) {
        let mut bit = self.bit(name);
        if !self.any {
            self.any = true;
            let bytes = name.bytes;
            if bit == 0
                && let Some(room) = self.name.get_mut(..bytes.len())
            {
                room.copy_from_slice(bytes);
                self.length = bytes.len() as u8;
                bit = OTHER_FIRST;
            }
            self.first = bit;
        }
        self.seen |= bit;
        self.last = bit;
    }

    /// Returns whether the tag with this name at `offset` is the first one of another game, because the
    /// names of the section repeat.
    #[inline]
    pub(super) fn ends_before(&self, bytes: &[u8], offset: usize, name: TagName<'_>) -> bool {
        let bit = self.bit(name);
        if self.seen & bit == 0 {
            // The section may belong to a game without this tag.
            return bit == EVENT && self.seen != 0 && self.repeats_after(bytes, offset);
        }
        self.begins_again(bytes, offset, bit)
    }

    #[cold]
    fn begins_again(&self, bytes: &[u8], offset: usize, bit: u16) -> bool {
        bit == EVENT
            || bit == self.first
            || bit == FEN && self.last & (FEN | SETUP) != 0 && is_board(near_value(bytes, offset))
            || after_blank_line(bytes, offset)
            || self.repeats_after(bytes, offset)
    }

    /// Returns whether the tag after the one at `offset` is already in the section.
    #[cold]
    fn repeats_after(&self, bytes: &[u8], offset: usize) -> bool {
        let near = near(bytes, offset);
        let Near::Closed(end) = near_end(near) else {
            return false;
        };
        let next = skip_blanks(near, end);
        let name =
            tag_head(near, next).and_then(|header| near.get(header.name_start..header.name_end));
        name.is_some_and(|name| self.seen & self.bit(TagName::new(name)) != 0)
    }

    /// Returns the tag with other quotes that begins at `offset`. Outside the tags of a game, only one
    /// that may be the first.
    #[cold]
    pub(super) fn quoted<'a>(
        &self,
        bytes: &'a [u8],
        offset: usize,
        in_tags: bool,
    ) -> Option<QuotedTag<'a>> {
        QuotedTag::at(bytes, offset).filter(|tag| in_tags || self.bit(TagName::new(tag.name)) != 0)
    }

    /// Returns whether the bracket at `offset` begins a tag that may be the first one of a game.
    pub(super) fn may_begin(&self, bytes: &[u8], offset: usize) -> bool {
        let name = tag_head(bytes, offset)
            .and_then(|header| bytes.get(header.name_start..header.name_end));
        name.is_some_and(|name| self.bit(TagName::new(name)) != 0)
    }

    /// Returns whether the tags of another game begin at `offset`, within a line of moves: a whole tag
    /// followed by a line break or another tag.
    #[cold]
    pub(super) fn interrupts_moves(&self, bytes: &[u8], offset: usize) -> bool {
        self.interrupts(bytes, offset, |near, end| {
            let rest = from(near, end);
            rest.iter()
                .find(|b| !matches!(b, b' ' | b'\t'))
                .is_none_or(|&b| is_break(b) || b == b'[')
        })
    }

    /// Returns whether the tags of another game begin at `offset` within a comment, unless a brace
    /// after them shows that they are a quotation. Another tag or the moves must follow.
    #[cold]
    pub(super) fn interrupts_text(&self, bytes: &[u8], offset: usize) -> bool {
        self.interrupts(bytes, offset, |near, end| {
            let next = skip_blanks(near, end);
            tag_head(near, next).is_some()
                || after_blank_line(near, next) && starts_moves(near, next)
        })
    }

    fn interrupts(
        &self,
        bytes: &[u8],
        offset: usize,
        follows: impl FnOnce(&[u8], usize) -> bool,
    ) -> bool {
        if !self.may_begin(bytes, offset) {
            return false;
        }
        let near = near(bytes, offset);
        match near_end(near) {
            Near::Closed(end) => follows(near, end),
            Near::Interrupted => true,
            Near::Broken => false,
            // Within so many bytes it is a long tag; otherwise the file ends here.
            Near::Long => near.len() == LOOK_AHEAD,
        }
    }

    /// Returns whether the tags of another game begin at `offset` in a comment to the end of the line
    /// or in an escape line. A tag that is the whole comment was disabled by its author, unless the
    /// game has no end yet (`in_moves`).
    #[cold]
    pub(super) fn interrupts_line(&self, bytes: &[u8], offset: usize, in_moves: bool) -> bool {
        let start = offset.saturating_sub(LOOK_BEHIND);
        let before = bytes
            .get(start..offset)
            .unwrap_or_default()
            .trim_ascii_end();
        let whole = matches!(before.last(), Some(b';' | b'%'));
        (!whole || in_moves || self.repeats_after(bytes, offset))
            && self.interrupts_text(bytes, offset)
    }

    /// Returns where a tag begins within the value of another one, if the quote at `quote` belongs
    /// to it. `None` if the quote is part of the value.
    #[cold]
    pub(super) fn interrupts_value(&self, bytes: &[u8], quote: usize) -> Option<usize> {
        let start = quote.saturating_sub(LOOK_BEHIND);
        let (length, _) = header_before(bytes.get(start..quote)?)?;
        let offset = start + length;
        self.interrupts_moves(bytes, offset).then_some(offset)
    }
}

/// Returns whether the value of a FEN tag has a board: eight ranks. In a list of positions each FEN
/// begins a game; a repeated tag without a board does not.
pub fn is_board(fen: &[u8]) -> bool {
    fen.iter().filter(|&&byte| byte == b'/').count() == 7
}

/// Returns whether a repeated tag of this name may begin another game.
pub(crate) fn is_section_tag(name: &[u8]) -> bool {
    known_bit(name) != 0
}

/// Returns the bytes from `offset` that a decision may examine.
fn near(bytes: &[u8], offset: usize) -> &[u8] {
    let rest = from(bytes, offset);
    rest.get(..LOOK_AHEAD).unwrap_or(rest)
}

/// Returns the value of the tag at `offset` as far as a decision may examine it.
fn near_value(bytes: &[u8], offset: usize) -> &[u8] {
    near(bytes, offset)
        .split(|&byte| byte == b'"')
        .nth(1)
        .unwrap_or_default()
}

fn skip_blanks(bytes: &[u8], offset: usize) -> usize {
    let blanks = from(bytes, offset).iter().take_while(|&&b| is_blank(b));
    offset + blanks.count()
}

/// How the tag at the start of a few bytes ends.
enum Near {
    /// With its bracket; the index after it.
    Closed(usize),
    /// The line ends first, or the bytes do not begin with a tag.
    Broken,
    /// Another tag begins in its value.
    Interrupted,
    /// Not within these bytes.
    Long,
}

/// Returns the offset of the bracket and the name of a tag head at the end of these bytes.
fn header_before(before: &[u8]) -> Option<(usize, &[u8])> {
    let before = before.trim_ascii_end();
    let name = before.iter().rev().take_while(|&&b| is_name_byte(b));
    let (rest, name) = before.split_at_checked(before.len() - name.count())?;
    let rest = rest.trim_ascii_end().strip_suffix(b"[")?;
    Some((rest.len(), name))
}

fn near_end(near: &[u8]) -> Near {
    let Some(header) = tag_head(near, 0) else {
        return Near::Broken;
    };
    let mut offset = header.value;
    loop {
        offset = next_in_value(near, offset);
        if offset >= near.len() {
            return Near::Long;
        }
        match in_value(near, offset) {
            InValue::Closed { end, .. } => return Near::Closed(end),
            InValue::Broken => return Near::Broken,
            InValue::Continues(next) => {
                // A tag head that ends with this quote.
                let before = near.get(header.value..offset).unwrap_or_default();
                if byte(near, offset) == b'"'
                    && let Some((_, name)) = header_before(before)
                    && known_bit(name) != 0
                {
                    return Near::Interrupted;
                }
                offset = next;
            }
        }
    }
}

/// Returns whether the tags that begin in a comment at `offset` are a quotation, because the comment
/// ends after them and no other one begins before. `last` if no more bytes follow. `None` if more
/// bytes are needed to decide.
pub(super) fn is_quotation(bytes: &[u8], offset: usize, last: bool) -> Option<bool> {
    let rest = from(bytes, offset);
    let look = rest.get(..COMMENT_LOOK);
    match memchr::memchr2(b'{', b'}', look.unwrap_or(rest)) {
        Some(brace) => Some(byte(rest, brace) == b'}'),
        None if look.is_some() || last => Some(false),
        None => None,
    }
}

/// Replaces the opening bracket of a tag in a comment by `(` where a brace follows, or more text
/// than is examined, so that a game would seem to begin there. Returns whether there were any.
pub(crate) fn hide_tags(comment: &mut [u8]) -> bool {
    let last_brace = memchr::memrchr(b'{', comment);
    // The closing brace comes one byte after the comment.
    let long = (comment.len() + 1).checked_sub(COMMENT_LOOK);
    let end = last_brace.max(long).unwrap_or(0);
    let mut hidden = false;
    for offset in 0..end {
        if byte(comment, offset) == b'['
            && TagSection::NEW.interrupts_text(comment, offset)
            && let Some(bracket) = comment.get_mut(offset)
        {
            *bracket = b'(';
            hidden = true;
        }
    }
    hidden
}
