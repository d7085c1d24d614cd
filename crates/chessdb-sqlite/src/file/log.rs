//! The write-ahead log beside a file.

use std::collections::HashMap;

/// The committed pages of a write-ahead log.
#[derive(Clone, Default, Debug)]
pub(super) struct Log<'a> {
    bytes: &'a [u8],
    size: usize,
    /// The offset of the newest version of a page.
    newest: HashMap<u32, usize>,
    /// The size of the database after the last commit, in pages.
    pages: Option<u32>,
    /// Whether transactions after the last readable one are lost.
    is_damaged: bool,
}

const HEADER: usize = 32;
const FRAME: usize = 24;

impl<'a> Log<'a> {
    /// Reads a log for pages of this size. A log that does not belong to the file, and everything
    /// after the last commit whose checksums are right, is ignored, as SQLite does.
    pub(super) fn parse(bytes: &'a [u8], size: usize) -> Log<'a> {
        let mut log = Log {
            bytes,
            size,
            ..Log::default()
        };
        let end = log.read();
        log.is_damaged = end.is_none_or(|end| log.has_commit_after(end));
        log
    }

    /// Returns whether a frame from `offset` on ends a transaction of the same log. SQLite stops at
    /// the first frame whose checksum is wrong, but a program that is killed leaves no such frame
    /// before the end of a transaction.
    fn has_commit_after(&self, offset: usize) -> bool {
        let salts = self.bytes.get(16..24);
        let rest = self.bytes.get(offset..).unwrap_or_default();
        rest.chunks_exact(FRAME + self.size)
            .skip_while(|frame| frame.get(8..16) != salts)
            .any(|frame| frame.get(8..16) == salts && word(frame, 4).is_some_and(|size| size > 0))
    }

    /// Reads all frames. Returns the offset of the first one that does not belong to the log or whose
    /// checksum is wrong; `None` if the header of a log is damaged.
    fn read(&mut self) -> Option<usize> {
        let Some(header) = self.bytes.first_chunk::<HEADER>() else {
            return Some(self.bytes.len());
        };
        // A log that was used up may be empty or begin with zeros.
        if header.iter().all(|&byte| byte == 0) {
            return Some(self.bytes.len());
        }
        let magic = word(header, 0)?;
        // The last bit states the byte order of the words in checksums.
        if magic & !1 != 0x377f_0682 || word(header, 8)? as usize != self.size {
            return None;
        }
        let is_big_endian = magic & 1 == 1;
        let salts = header.get(16..24)?;
        let mut sum = checksum((0, 0), header.get(..24)?, is_big_endian);
        if (word(header, 24)?, word(header, 28)?) != sum {
            return None;
        }
        let mut frame_start = HEADER;
        // Pages since the last commit.
        let mut open: Vec<(u32, usize)> = Vec::new();
        loop {
            let frame = self.bytes.get(frame_start..frame_start + FRAME + self.size);
            let Some((frame, page)) = frame.and_then(|frame| frame.split_at_checked(FRAME)) else {
                return Some(frame_start);
            };
            sum = checksum(sum, frame.get(..8)?, is_big_endian);
            sum = checksum(sum, page, is_big_endian);
            if frame.get(8..16)? != salts || (word(frame, 16)?, word(frame, 20)?) != sum {
                return Some(frame_start);
            }
            open.push((word(frame, 0)?, frame_start + FRAME));
            let committed = word(frame, 4)?;
            // Pages count only once their transaction is complete.
            if committed != 0 {
                for (number, offset) in open.drain(..) {
                    self.newest.insert(number, offset);
                }
                self.pages = Some(committed);
            }
            frame_start += FRAME + self.size;
        }
    }

    /// Returns the newest version of a page, if the log has one.
    pub(super) fn page(&self, number: u32) -> Option<&'a [u8]> {
        if self.newest.is_empty() {
            return None;
        }
        let &offset = self.newest.get(&number)?;
        self.bytes.get(offset..offset + self.size)
    }

    /// Returns the size of the database in pages, as of the last commit.
    pub(super) fn pages(&self) -> Option<u32> {
        self.pages
    }

    /// Returns whether the log has transactions that cannot be read.
    pub(super) fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// Returns the number of different pages in the log.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.newest.len()).unwrap_or(u32::MAX)
    }
}

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    let word = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_be_bytes(*word))
}

fn checksum((mut first, mut second): (u32, u32), bytes: &[u8], is_big_endian: bool) -> (u32, u32) {
    let number = |bytes: [u8; 4]| {
        if is_big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    };
    for pair in bytes.chunks_exact(8) {
        let [a, b, c, d, e, f, g, h] = *pair.first_chunk().unwrap_or(&[0; 8]);
        first = first
            .wrapping_add(number([a, b, c, d]))
            .wrapping_add(second);
        second = second
            .wrapping_add(number([e, f, g, h]))
            .wrapping_add(first);
    }
    (first, second)
}
