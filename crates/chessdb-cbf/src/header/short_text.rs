//! Texts of at most 63 bytes, kept on the stack because headers are read by the million.

use crate::raw::RawHeader;

/// A text of at most [`RawHeader::MAX_TEXT`] bytes. Bytes beyond that are dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortText {
    bytes: [u8; RawHeader::MAX_TEXT],
    len: usize,
}

impl ShortText {
    pub(super) const EMPTY: ShortText = ShortText {
        bytes: [0; RawHeader::MAX_TEXT],
        len: 0,
    };

    pub(super) fn new(parts: &[&[u8]]) -> ShortText {
        let mut short = ShortText::EMPTY;
        for part in parts {
            short.push(part);
        }
        short
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        let mut pushed = 0;
        for (to, from) in room.iter_mut().zip(bytes) {
            *to = *from;
            pushed += 1;
        }
        self.len += pushed;
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(..self.len).unwrap_or_default()
    }
}
