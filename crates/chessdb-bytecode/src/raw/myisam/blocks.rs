//! The blocks that hold packed rows; a row that grew takes several (section 8).

use std::borrow::Cow;
use std::iter;

use nom::number::complete::{be_u8, be_u16, be_u24, be_u32, be_u64};
use nom::{IResult, Parser as _};

/// The header of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// Size in bytes of the row that begins in this block, if one does.
    pub(super) row: Option<u32>,
    /// Size in bytes of the header.
    pub(super) header: usize,
    /// Bytes of the row in this block.
    pub(super) data: u32,
    /// Unused bytes after the data.
    pub(super) unused: u32,
    /// Offset of the block where the row continues.
    pub(super) next: Option<u64>,
    /// Whether the block is free; then only `data` has a meaning.
    pub(super) is_deleted: bool,
}

/// The offset that means no block.
pub(super) const NOWHERE: u64 = u64::MAX;
/// Size in bytes of the meaningful part of a free block: type, length, links.
pub(super) const FREE_HEAD: u64 = 20;

/// Reads the fields after the type of a block.
fn fields(kind: u8, bytes: &[u8]) -> IResult<&[u8], Block> {
    let block = |row, data, unused: u8, next: u64| Block {
        row,
        header: 0,
        data,
        unused: unused.into(),
        next: Some(next).filter(|&next| next != NOWHERE),
        is_deleted: false,
    };
    let short = |length: u16| u32::from(length);
    match kind {
        0 => be_u24
            .map(|length| Block {
                is_deleted: true,
                ..block(None, length, 0, NOWHERE)
            })
            .parse(bytes),
        1 => be_u16
            .map(|length| block(Some(short(length)), short(length), 0, NOWHERE))
            .parse(bytes),
        2 => be_u24
            .map(|length| block(Some(length), length, 0, NOWHERE))
            .parse(bytes),
        3 => (be_u16, be_u8)
            .map(|(length, unused)| block(Some(short(length)), short(length), unused, NOWHERE))
            .parse(bytes),
        4 => (be_u24, be_u8)
            .map(|(length, unused)| block(Some(length), length, unused, NOWHERE))
            .parse(bytes),
        5 => (be_u16, be_u16, be_u64)
            .map(|(row, data, next)| block(Some(short(row)), short(data), 0, next))
            .parse(bytes),
        6 => (be_u24, be_u24, be_u64)
            .map(|(row, data, next)| block(Some(row), data, 0, next))
            .parse(bytes),
        13 => (be_u32, be_u24, be_u64)
            .map(|(row, data, next)| block(Some(row), data, 0, next))
            .parse(bytes),
        7 => be_u16
            .map(|data| block(None, short(data), 0, NOWHERE))
            .parse(bytes),
        8 => be_u24
            .map(|data| block(None, data, 0, NOWHERE))
            .parse(bytes),
        9 => (be_u16, be_u8)
            .map(|(data, unused)| block(None, short(data), unused, NOWHERE))
            .parse(bytes),
        10 => (be_u24, be_u8)
            .map(|(data, unused)| block(None, data, unused, NOWHERE))
            .parse(bytes),
        11 => (be_u16, be_u64)
            .map(|(data, next)| block(None, short(data), 0, next))
            .parse(bytes),
        12 => (be_u24, be_u64)
            .map(|(data, next)| block(None, data, 0, next))
            .parse(bytes),
        _ => Err(nom::Err::Error(nom::error::Error::new(
            bytes,
            nom::error::ErrorKind::Switch,
        ))),
    }
}

impl Block {
    /// Returns the block at `offset`, or `None` if there is no block with all its data within the
    /// file.
    pub(super) fn at(file: &[u8], offset: u64) -> Option<Block> {
        let bytes = file.get(usize::try_from(offset).ok()?..)?;
        let (&kind, rest) = bytes.split_first()?;
        let (after, mut block) = fields(kind, rest).ok()?;
        block.header = bytes.len() - after.len();
        let used = block.used();
        // A free block of length 0 would stop a scan.
        (used > 0 && used <= bytes.len() as u64).then_some(block)
    }

    /// Returns the size of the whole block in bytes; the file may end before the unused part.
    pub(super) fn length(&self) -> u64 {
        self.used() + if self.is_deleted { 0 } else { self.unused.into() }
    }

    /// Returns the size of header and data in bytes.
    pub(super) fn used(&self) -> u64 {
        if self.is_deleted {
            // The length of a free block includes its header.
            return self.data.into();
        }
        self.header as u64 + u64::from(self.data)
    }

    /// Returns whether a row begins here and has no other blocks.
    pub(super) fn is_whole_row(&self) -> bool {
        self.row.is_some() && self.next.is_none()
    }

    fn data_of<'a>(&self, file: &'a [u8], offset: u64) -> Option<&'a [u8]> {
        let start = usize::try_from(offset).ok()?.checked_add(self.header)?;
        file.get(start..start.checked_add(self.data as usize)?)
    }
}

/// Maximum number of blocks of a row.
const MOST_BLOCKS: u32 = 1 << 16;

/// Returns the bytes of the row that begins in the block at `offset`.
pub(super) fn row(file: &[u8], offset: u64) -> Option<Cow<'_, [u8]>> {
    let first = Block::at(file, offset)?;
    let length = first.row? as usize;
    let data = first.data_of(file, offset)?;
    if first.next.is_none() {
        return (data.len() == length).then_some(Cow::Borrowed(data));
    }
    let mut whole = data.to_vec();
    let mut next = first.next;
    let mut blocks = 0;
    while let Some(offset) = next {
        let block = Block::at(file, offset)?;
        blocks += 1;
        let is_part = block.row.is_none() && !block.is_deleted;
        let data = block.data_of(file, offset).filter(|_| is_part)?;
        // A damaged chain may be a cycle, even one of blocks without data.
        if blocks > MOST_BLOCKS || whole.len() + data.len() > length {
            return None;
        }
        whole.extend_from_slice(data);
        next = block.next;
    }
    (whole.len() == length).then_some(Cow::Owned(whole))
}

/// Returns the offsets of the further blocks of the row that begins at `offset`.
pub(super) fn parts(file: &[u8], offset: u64) -> impl Iterator<Item = u64> {
    let next = |offset: u64| Block::at(file, offset).and_then(|block| block.next);
    iter::successors(next(offset), move |&offset| next(offset)).take(MOST_BLOCKS as usize)
}

/// Returns the cost of joining the parts of the row that begins at `offset`: 0 if it has only one
/// block, `None` if the cost exceeds `limit`.
///
/// In a valid table each block belongs to one row, so all rows together cost about as much as the
/// file has bytes. A file with rows that share blocks could require any amount of work.
pub(super) fn cost(file: &[u8], offset: u64, limit: u64) -> Option<u64> {
    const BLOCK: u64 = 16;
    let mut cost = 0u64;
    let mut next = Block::at(file, offset).and_then(|first| first.next);
    while let Some(block) = next.and_then(|offset| Block::at(file, offset)) {
        cost = cost.saturating_add(BLOCK + u64::from(block.data));
        if cost > limit {
            return None;
        }
        next = block.next;
    }
    Some(cost)
}

/// Returns the offsets of the next and previous free block in the list, if these refer back to this
/// one; [`NOWHERE`] at the ends of the list.
pub(super) fn links(file: &[u8], offset: u64) -> Option<[u64; 2]> {
    let [next, previous] = stored_links(file, offset)?;
    let names = |other: u64, which: usize| {
        other == NOWHERE
            || stored_links(file, other).is_some_and(|links| links.get(which) == Some(&offset))
    };
    (names(next, 1) && names(previous, 0)).then_some([next, previous])
}

/// Returns the links stored in a free block.
fn stored_links(file: &[u8], offset: u64) -> Option<[u64; 2]> {
    let block = Block::at(file, offset).filter(|block| block.is_deleted)?;
    let bytes = file
        .get(usize::try_from(offset).ok()?..)?
        .get(block.header..)?;
    // A shorter block ends before its links.
    let is_whole = block.length() >= FREE_HEAD;
    let (_, links) = (be_u64::<_, ()>, be_u64)
        .parse(bytes)
        .ok()
        .filter(|_| is_whole)?;
    Some(links.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_in_several_blocks_is_put_together() {
        let mut file = vec![3, 0, 4, 1, b'a', b'b', b'c', b'd', 0];
        file.resize(12, 0);
        // A row of six bytes: two here, two at 32, two at 48.
        file.extend([5, 0, 6, 0, 2, 0, 0, 0, 0, 0, 0, 0, 32, b'1', b'2']);
        file.resize(32, 0);
        file.extend([11, 0, 2, 0, 0, 0, 0, 0, 0, 0, 48, b'3', b'4']);
        file.resize(48, 0);
        file.extend([9, 0, 2, 1, b'5', b'6', 0]);
        assert_eq!(row(&file, 0).as_deref(), Some(&b"abcd"[..]));
        assert_eq!(row(&file, 12).as_deref(), Some(&b"123456"[..]));
        assert_eq!(row(&file, 32), None, "no row begins here");
        assert_eq!(row(&file, 4000), None);
        // The chain has a cycle.
        file[42] = 32;
        assert_eq!(row(&file, 12), None);
    }

    #[test]
    fn free_blocks_have_a_length() {
        let mut file = vec![0, 0, 0, 20];
        file.resize(20, 0xFF);
        let block = Block::at(&file, 0).unwrap();
        assert!(block.is_deleted);
        assert_eq!(block.length(), 20);
        file[3] = 21;
        assert_eq!(Block::at(&file, 0), None);
        assert_eq!(Block::at(&[14, 0, 0, 0], 0), None);
    }
}
