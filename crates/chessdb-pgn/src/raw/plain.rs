//! The fast path for tags in standard form, shared by lexer and splitter.

use super::scan::LONGEST_NAME;

/// A tag `[Name "value"]` with one blank, a name of letters and digits, and a value without
/// escapes, quotes and control characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PlainTag<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// The offset after the closing bracket.
    pub(super) end: usize,
}

impl<'a> PlainTag<'a> {
    /// Reads the tag with its `[` at `offset`, if it is in this form and complete.
    #[inline]
    pub(super) fn at(bytes: &'a [u8], offset: usize) -> Option<PlainTag<'a>> {
        let rest = bytes.get(offset + 1..)?;
        let name = rest.get(..=LONGEST_NAME).unwrap_or(rest);
        let length = name.iter().position(|&byte| !is_plain_name(byte))?;
        let (name, after) = rest.split_at_checked(length)?;
        let [b' ', b'"', after @ ..] = after else {
            return None;
        };
        let (value, after) = after.split_at_checked(plain_length(after))?;
        let is_closed = !name.is_empty() && matches!(after, [b'"', b']', ..]);
        is_closed.then_some(PlainTag {
            name,
            value,
            // A bracket, the name, a blank and a quote, the value, a quote and a bracket.
            end: offset + 1 + name.len() + 2 + value.len() + 2,
        })
    }
}

/// Returns whether the byte is a letter or a digit, as in nearly all names.
#[expect(
    clippy::indexing_slicing,
    reason = "a table of 256 entries, indexed by bytes"
)]
#[inline(always)]
fn is_plain_name(byte: u8) -> bool {
    const PLAIN: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        table
    };
    PLAIN[byte as usize]
}

/// Returns the number of bytes before the first one that is not plain.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let odd = special_bytes(*word);
        if odd != 0 {
            return 8 * n + (odd.trailing_zeros() / 8) as usize;
        }
    }
    let plain = rest.iter().take_while(|&&byte| is_plain(byte)).count();
    8 * words.len() + plain
}

/// Returns whether the byte needs no escape between quotes: no quote, backslash or control
/// character.
pub(super) const fn is_plain(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\' && byte != 0x7F
}

/// Returns a mask with the high bits of bytes that are not plain. Only the lowest bit is reliable:
/// a borrow into a higher byte can start only at a byte that was found.
pub(super) fn special_bytes(bytes: [u8; 8]) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    let word = u64::from_le_bytes(bytes);
    let below = |word: u64, value: u8| word.wrapping_sub(ONES * u64::from(value)) & !word;
    let equal = |value: u8| below(word ^ (ONES * u64::from(value)), 1);
    let odd = below(word, b' ') | equal(b'"') | equal(b'\\') | equal(0x7F);
    odd & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::scan::{InValue, in_value, next_in_value, tag_head};
    use super::*;

    /// Reads the tag with the general functions.
    fn by_steps(bytes: &[u8]) -> Option<PlainTag<'_>> {
        let header = tag_head(bytes, 0)?;
        let name = bytes.get(header.name_start..header.name_end)?;
        let quote = next_in_value(bytes, header.value);
        let value = bytes.get(header.value..quote)?;
        let usual = name.iter().all(u8::is_ascii_alphanumeric)
            && bytes.starts_with(&[b"[", name, b" \""].concat())
            && value.iter().all(|&byte| is_plain(byte));
        match (bytes.get(quote), bytes.get(quote + 1)) {
            (Some(b'"'), Some(b']')) if usual => match in_value(bytes, quote) {
                InValue::Closed { end, .. } => Some(PlainTag { name, value, end }),
                _ => None,
            },
            _ => None,
        }
    }

    #[test]
    fn plain_tag_rejects_long_names() {
        for (length, found) in [(0, false), (1, true), (255, true), (256, false)] {
            let tag = format!("[{} \"x\"]", "N".repeat(length));
            assert_eq!(PlainTag::at(tag.as_bytes(), 0).is_some(), found, "{length}");
            assert_eq!(PlainTag::at(tag.as_bytes(), 0), by_steps(tag.as_bytes()));
        }
    }

    proptest! {
        #[test]
        fn plain_tags_are_what_the_steps_find(
            tag in r#"\[[A-Za-z0-9_ ]{0,9}[ \t]?"[a-z "\\\t\n\x7fé\]]{0,24}"? ?\]?.{0,3}"#,
        ) {
            prop_assert_eq!(PlainTag::at(tag.as_bytes(), 0), by_steps(tag.as_bytes()));
        }

        #[test]
        fn whatever_stands_before_a_tag_and_where_the_bytes_end(
            before in "[a-z]{0,9}", value in "[a-zé ]{0,40}", kept in 0..60_usize,
        ) {
            let tag = format!("[Site \"{value}\"]x");
            let tag = tag.as_bytes().get(..kept).unwrap_or(tag.as_bytes());
            let bytes = [before.as_bytes(), tag].concat();
            let found = PlainTag::at(&bytes, before.len());
            let expected = by_steps(tag).map(|tag| (tag.name, tag.value, tag.end + before.len()));
            prop_assert_eq!(found.map(|tag| (tag.name, tag.value, tag.end)), expected);
        }

        #[test]
        fn eight_bytes_at_once_say_where_the_first_odd_one_is(bytes in any::<[u8; 8]>()) {
            let odd = bytes.iter().position(|&byte| !is_plain(byte));
            let found = special_bytes(bytes);
            prop_assert_eq!((found != 0).then(|| (found.trailing_zeros() / 8) as usize), odd);
        }
    }
}
