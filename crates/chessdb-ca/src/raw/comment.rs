//! Comments and their envelopes (docs/formats/chess-assistant.md, section 11).

use super::code;

/// The form of a comment's length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Envelope {
    /// Code 234: always two bytes.
    Symbol,
    /// Code 235: a length of one byte.
    Short,
    /// Code 236: a length of four bytes.
    Long,
}

/// A comment with its envelope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comment<'a> {
    /// Its envelope, which determines the code.
    pub envelope: Envelope,
    /// Type and payload; may be empty.
    pub content: &'a [u8],
}

impl<'a> Comment<'a> {
    /// Returns type and payload, or `None` if the comment is empty.
    pub fn parts(&self) -> Option<(u8, &'a [u8])> {
        self.content
            .split_first()
            .map(|(kind, payload)| (*kind, payload))
    }

    /// Appends a comment in its shortest envelope, including the two-byte one.
    pub fn put(kind: u8, payload: &[u8], out: &mut Vec<u8>) {
        if payload.len() == 1 {
            out.push(code::SYMBOL);
        } else {
            return Comment::put_text(kind, payload, out);
        }
        out.push(kind);
        out.extend_from_slice(payload);
    }

    /// Appends a comment with a length of one or four bytes, as used for texts.
    pub fn put_text(kind: u8, payload: &[u8], out: &mut Vec<u8>) {
        match u8::try_from(payload.len() + 1) {
            Ok(length) => out.extend([code::SHORT_COMMENT, length]),
            Err(_) => return Comment::put_long(kind, payload, out),
        }
        out.push(kind);
        out.extend_from_slice(payload);
    }

    /// Appends a comment with a length of four bytes.
    pub fn put_long(kind: u8, payload: &[u8], out: &mut Vec<u8>) {
        let length = u32::try_from(payload.len() + 1).unwrap_or(u32::MAX);
        out.push(code::LONG_COMMENT);
        out.extend(length.to_le_bytes());
        out.push(kind);
        out.extend_from_slice(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Item;

    #[test]
    fn comments_get_the_shortest_envelope() {
        let put = |payload: &[u8]| {
            let mut out = Vec::new();
            Comment::put(4, payload, &mut out);
            let (item, size) = Item::parse(&out).unwrap();
            let Item::Comment(comment) = item else {
                panic!("{item:?}")
            };
            assert_eq!((comment.parts(), size), (Some((4, payload)), out.len()));
            comment.envelope
        };
        assert_eq!(put(b"x"), Envelope::Symbol);
        assert_eq!(put(b""), Envelope::Short);
        assert_eq!(put(&[7; 254]), Envelope::Short);
        assert_eq!(put(&[7; 255]), Envelope::Long);
    }
}
