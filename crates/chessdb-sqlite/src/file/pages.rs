//! The pages of a file, with the newer ones of its write-ahead log.

use chessdb_core::{Error, ErrorKind, Result};

use super::log::Log;

/// The first bytes of every SQLite file.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The encoding of all texts of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextEncoding {
    /// UTF-8, the default.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

/// A file as numbered pages. Page 1 is the first; page 0 does not exist.
#[derive(Clone, Debug)]
pub struct Pages<'a> {
    bytes: &'a [u8],
    log: Log<'a>,
    size: usize,
    usable: usize,
    encoding: TextEncoding,
}

impl<'a> Pages<'a> {
    /// The smallest page.
    const SMALLEST: usize = 512;

    /// Opens a file and, if there is one, its write-ahead log, whose committed pages replace those
    /// of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not begin with [`MAGIC`] or its header states an impossible
    /// page size.
    pub fn new(bytes: &'a [u8], log: Option<&'a [u8]>) -> Result<Pages<'a>> {
        let Some(header) = bytes.first_chunk::<100>() else {
            return Err(if bytes.starts_with(MAGIC) {
                Error::new(ErrorKind::truncated(
                    "the header of a SQLite file",
                    100_u64,
                    bytes.len() as u64,
                ))
            } else {
                Error::new(ErrorKind::BadMagic { expected: MAGIC })
            });
        };
        if !header.starts_with(MAGIC) {
            return Err(Error::new(ErrorKind::BadMagic { expected: MAGIC }));
        }
        let [.., high, low] = *header.first_chunk::<18>().unwrap_or(&[0; 18]);
        // 65,536 does not fit into the two bytes.
        let size = match u16::from_be_bytes([high, low]) {
            1 => 65536,
            size => usize::from(size),
        };
        let bad = |field, value: usize| ErrorKind::bad_field(field, value as u64);
        if size < Self::SMALLEST || !size.is_power_of_two() {
            return Err(bad("page size", size).into());
        }
        let reserved = usize::from(header.get(20).copied().unwrap_or(0));
        // Smaller pages could not hold the part of a long value that must be on its first page.
        if size - reserved < 480 {
            return Err(bad("reserved space", reserved).into());
        }
        let mut pages = Pages::with_size(bytes, log, size, reserved);
        // The first page may be in the log too.
        pages.encoding = match pages.page(1).and_then(|page| page.get(56..60)) {
            Some([0, 0, 0, 2]) => TextEncoding::Utf16Le,
            Some([0, 0, 0, 3]) => TextEncoding::Utf16Be,
            _ => TextEncoding::Utf8,
        };
        Ok(pages)
    }

    /// Opens a file with pages of `size` bytes, `reserved` of them unused, and texts in UTF-8. `size` is
    /// a power of two from 512, and at least 480 bytes are used.
    pub(super) fn with_size(
        bytes: &'a [u8],
        log: Option<&'a [u8]>,
        size: usize,
        reserved: usize,
    ) -> Pages<'a> {
        Pages {
            bytes,
            log: log.map_or_else(Log::default, |log| Log::parse(log, size)),
            size,
            usable: size - reserved,
            encoding: TextEncoding::Utf8,
        }
    }

    pub(super) fn set_encoding(&mut self, encoding: TextEncoding) {
        self.encoding = encoding;
    }

    /// Returns the number of pages that are there, including those only in the log.
    pub fn len(&self) -> u32 {
        let whole = u32::try_from(self.bytes.len() / self.size).unwrap_or(u32::MAX);
        self.log.pages().map_or(whole, |committed| {
            // The last commit states the size of the database, which may have shrunk. All pages after
            // those of the file are in the log, so that a number of a page there cannot claim more.
            committed.min(whole.saturating_add(self.log.len()))
        })
    }

    /// Returns whether not even the first page is whole.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of pages that the header, or the last commit of the log, promises;
    /// 0 if the header does not.
    pub fn promised(&self) -> u32 {
        let header = self.page(1).unwrap_or_default();
        let word = |offset: usize| header.get(offset..offset + 4);
        let count = word(28).and_then(|bytes| bytes.try_into().ok());
        // Old versions of SQLite do not update the number. It holds if the counter of changes
        // agrees with the one at the last update.
        let current = count.filter(|_| word(24) == word(92));
        let stated = current.map_or(0, u32::from_be_bytes);
        self.log.pages().unwrap_or(stated)
    }

    /// Returns a page, the newest version; `None` beyond the end of the file.
    pub fn page(&self, number: u32) -> Option<&'a [u8]> {
        if let Some(page) = self.log.page(number) {
            return Some(page);
        }
        let from = (number.checked_sub(1)? as usize).checked_mul(self.size)?;
        self.bytes.get(from..from.checked_add(self.size)?)
    }

    /// Returns the offset of a page in the file.
    pub fn offset(&self, number: u32) -> u64 {
        u64::from(number.saturating_sub(1)) * self.size as u64
    }

    /// Returns the size of a page.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Returns whether the log has transactions that cannot be read because a page before their end
    /// is damaged.
    pub(crate) fn log_is_damaged(&self) -> bool {
        self.log.is_damaged()
    }

    /// Returns the size of a page without the reserved bytes at its end.
    pub fn usable(&self) -> usize {
        self.usable
    }

    /// Returns the encoding of texts.
    pub fn encoding(&self) -> TextEncoding {
        self.encoding
    }
}
