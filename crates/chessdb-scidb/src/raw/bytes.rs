//! Reading of big-endian numbers and of texts that end with NUL.

use chessdb_core::ErrorKind;

/// The place where a structure cannot be parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordFault {
    /// The part that is damaged.
    pub what: &'static str,
    /// The offset of the part from the start of the structure.
    pub at: usize,
}

impl From<RecordFault> for ErrorKind {
    fn from(fault: RecordFault) -> ErrorKind {
        ErrorKind::Structure(fault.what)
    }
}

/// A reader of bytes that knows how far it is.
#[derive(Clone, Copy, Default, Debug)]
pub struct ByteReader<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> ByteReader<'a> {
    /// Reads these bytes from their start.
    pub const fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader {
            rest: bytes,
            offset: 0,
        }
    }

    /// Returns the number of bytes read.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the bytes that have not been read.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes the next bytes; nothing if there are fewer.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        self.offset += length;
        Some(taken)
    }

    /// Takes a number of `length` bytes, at most four.
    pub fn number(&mut self, length: usize) -> Option<u32> {
        let bytes = self.take(length)?;
        Some(
            bytes
                .iter()
                .fold(0, |sum, &byte| sum << 8 | u32::from(byte)),
        )
    }

    /// Takes the next byte.
    pub fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// Takes a text and the NUL after it. Returns the text.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.rest.iter().position(|&byte| byte == 0)?;
        let text = self.take(length)?;
        self.take(1)?;
        Some(text)
    }

    /// Returns the fault that a part could not be taken here.
    pub const fn fault(&self, what: &'static str) -> RecordFault {
        RecordFault {
            what,
            at: self.offset,
        }
    }
}

/// Appends the lowest three bytes of a number.
pub(crate) fn put_u24(number: u32, out: &mut Vec<u8>) {
    let [_, bytes @ ..] = number.to_be_bytes();
    out.extend(bytes);
}
