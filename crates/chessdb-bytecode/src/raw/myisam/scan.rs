//! Detection of the blocks in a file with packed rows, also in a damaged file.
//!
//! Blocks have no signature, so the length in a block is trusted only with further evidence: a row
//! that can be read to its last byte, a row that continues there, the links between free blocks, or
//! such a block where it ends. Without evidence, readable rows are searched for within the block,
//! so that a wrong length never hides an intact row.

use std::collections::HashSet;
use std::ops::Range;

use chessdb_core::Result;

use super::blocks::{self, Block};
use super::row_layout::RowLayout;

/// The kind of a range of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FilePiece {
    /// A block, and whether there is evidence for it besides its header.
    Block(Block, bool),
    /// No block.
    Gap,
    /// Bytes that the preceding block wrongly includes; a row begins after them.
    NotItsOwn,
}

/// Alignment of blocks in bytes.
const STEP: u64 = 4;

/// A search for the blocks of a file.
pub(super) struct BlockScan<'s> {
    file: &'s [u8],
    layout: &'s RowLayout,
    /// Offsets where readable rows continue.
    parts: HashSet<u64>,
    /// Remaining budget for tests whether rows can be read.
    budget: u64,
}

impl<'s> BlockScan<'s> {
    pub(super) fn new(file: &'s [u8], layout: &'s RowLayout) -> BlockScan<'s> {
        let mut scan = BlockScan {
            file,
            layout,
            parts: HashSet::new(),
            budget: 0,
        };
        scan.refill();
        scan
    }

    /// Resets the budget. A row costs as much as its bytes, and is tried at most three times.
    fn refill(&mut self) {
        self.budget = (self.file.len() as u64).saturating_mul(16);
    }

    /// Calls `visit` with the pieces of the file in order, without omissions.
    ///
    /// # Errors
    ///
    /// Returns the errors of `visit`.
    pub(super) fn run(
        &mut self,
        visit: &mut dyn FnMut(Range<u64>, FilePiece) -> Result<()>,
    ) -> Result<()> {
        if self.may_have_parts() {
            // A row may continue in a block before it.
            self.pass(&mut |_, _| Ok(()))?;
            self.refill();
        }
        self.pass(visit)
    }

    /// Returns false if the file is a valid sequence of blocks that are free or hold whole rows.
    fn may_have_parts(&self) -> bool {
        let mut offset = 0;
        while offset < self.file.len() as u64 {
            match Block::at(self.file, offset) {
                Some(block) if block.is_deleted || block.is_whole_row() => {
                    offset += block.length();
                }
                _ => return true,
            }
        }
        false
    }

    fn pass(&mut self, visit: &mut dyn FnMut(Range<u64>, FilePiece) -> Result<()>) -> Result<()> {
        let end = self.file.len() as u64;
        let mut offset = 0;
        while offset < end {
            let is_sure = self.is_sure(offset);
            let candidate = Block::at(self.file, offset);
            let Some(block) = candidate.filter(|_| is_sure || offset.is_multiple_of(STEP)) else {
                let next = places(offset + 1..end)
                    .find(|&place| self.is_sure(place))
                    .unwrap_or(end);
                visit(offset..next, FilePiece::Gap)?;
                offset = next;
                continue;
            };
            let stop = offset.saturating_add(block.length()).min(end);
            let explained = if is_sure && !block.is_deleted {
                offset.saturating_add(block.used())
            } else {
                offset + 1
            };
            match self.row_within(explained..stop, stop, is_sure) {
                Some(row) if is_sure && !block.is_deleted => {
                    visit(offset..explained, FilePiece::Block(block, true))?;
                    visit(explained..row, FilePiece::NotItsOwn)?;
                    offset = row;
                }
                Some(row) => {
                    visit(offset..row, FilePiece::Gap)?;
                    offset = row;
                }
                None => {
                    visit(offset..stop, FilePiece::Block(block, is_sure))?;
                    offset = stop;
                }
            }
        }
        Ok(())
    }

    /// Returns the first row in an unexplained range up to the end of a block. If there is evidence
    /// for both the block and its end, whole blocks must fill the bytes between; other rows are
    /// regarded as remains of old data.
    fn row_within(&mut self, range: Range<u64>, stop: u64, is_sure: bool) -> Option<u64> {
        let mut offsets = places(range).peekable();
        offsets.peek()?;
        let believed = is_sure && self.is_start(stop);
        offsets.find(|&place| self.is_row(place) && (!believed || self.ends_at(place, stop)))
    }

    /// Returns whether consecutive blocks lead from `offset` to `stop`.
    fn ends_at(&mut self, mut offset: u64, stop: u64) -> bool {
        while offset < stop && self.budget > 0 {
            self.budget -= 1;
            match Block::at(self.file, offset) {
                Some(block) => offset = offset.saturating_add(block.length()),
                None => return false,
            }
        }
        offset == stop
    }

    /// Returns whether the file ends here or there is evidence, besides its header, for a block
    /// that begins here.
    fn is_start(&mut self, offset: u64) -> bool {
        offset == self.file.len() as u64 || self.is_sure(offset)
    }

    fn is_sure(&mut self, offset: u64) -> bool {
        match Block::at(self.file, offset) {
            Some(block) if block.is_deleted => blocks::links(self.file, offset).is_some(),
            Some(block) if block.row.is_none() => self.parts.contains(&offset),
            Some(_) => self.is_row(offset),
            None => false,
        }
    }

    /// Returns whether a row that can be read to its last byte begins here.
    pub(super) fn is_row(&mut self, offset: u64) -> bool {
        let Some(first) = Block::at(self.file, offset).filter(|block| block.row.is_some()) else {
            return false;
        };
        // Eight columns take at least one byte.
        let columns = self.layout.values.len() as u64 / 8 + 1;
        let chain = blocks::cost(self.file, offset, self.budget);
        let Some(budget) = chain.and_then(|chain| self.budget.checked_sub(chain + columns)) else {
            // This test cost something as well.
            self.budget /= 2;
            return false;
        };
        self.budget = budget;
        let record = blocks::row(self.file, offset);
        let is_row =
            record.is_some_and(|record| self.layout.walk(&record, &mut |_, _| ()).is_some());
        if is_row && first.next.is_some() {
            self.parts.extend(blocks::parts(self.file, offset));
        }
        is_row
    }
}

/// Returns the offsets at which blocks can begin.
fn places(range: Range<u64>) -> impl Iterator<Item = u64> {
    let start = range.start.next_multiple_of(STEP);
    (start..range.end).step_by(STEP as usize)
}

/// Returns whether the primary key is not packed. Old servers pack it like any number, others do
/// not; the first readable rows decide by majority.
pub(super) fn has_plain_key(file: &[u8], packed: &RowLayout, plain: &RowLayout) -> bool {
    /// Maximum number of rows examined.
    const ROWS: u32 = 64;
    /// Maximum number of offsets examined.
    const PLACES: u32 = 1 << 16;
    let (mut packed, mut plain) = (BlockScan::new(file, packed), BlockScan::new(file, plain));
    let (mut for_packed, mut for_plain, mut rows) = (0, 0, 0);
    let mut offset = 0;
    for _ in 0..PLACES {
        if offset >= file.len() as u64 || rows >= ROWS {
            break;
        }
        let votes = [packed.is_row(offset), plain.is_row(offset)];
        for_packed += u32::from(votes == [true, false]);
        for_plain += u32::from(votes == [false, true]);
        let is_row = votes != [false; 2];
        rows += u32::from(is_row);
        let candidate = Block::at(file, offset);
        let block = candidate.filter(|_| is_row || blocks::links(file, offset).is_some());
        offset = match block {
            Some(block) => offset.saturating_add(block.length()),
            None => (offset + 1).next_multiple_of(STEP),
        };
    }
    for_plain > for_packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::frm::{Frm, FrmField};

    /// A layout with a number and a name.
    fn layout() -> RowLayout {
        let field = |kind, length| FrmField {
            name: String::new(),
            kind,
            length,
            position: 0,
            null: false,
            charset: 8,
        };
        RowLayout::new(&Frm {
            fields: vec![field(3, 11), field(15, 255)],
            record_length: 260,
            options: 1,
        })
    }

    /// Returns rows in blocks of 24 bytes.
    fn rows(count: u8, bits: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        for n in 1..=count {
            let mut row = bits.to_vec();
            row.extend([n, 0, 0, 0, 6]);
            row.extend(b"Lasker");
            let unused = 20 - row.len();
            file.extend([3, 0, row.len() as u8, unused as u8]);
            file.extend(row);
            file.resize(file.len() + unused, 0);
        }
        file
    }

    fn pieces(file: &[u8]) -> Vec<(u64, u64, &'static str)> {
        let mut found = Vec::new();
        let layout = layout();
        let run = BlockScan::new(file, &layout).run(&mut |range, piece| {
            let what = match piece {
                FilePiece::Block(block, _) if block.is_deleted => "free",
                FilePiece::Block(_, true) => "sure",
                FilePiece::Block(_, false) => "unsure",
                FilePiece::Gap => "gap",
                FilePiece::NotItsOwn => "not its own",
            };
            found.push((range.start, range.end, what));
            Ok(())
        });
        run.unwrap();
        found
    }

    #[test]
    fn wrong_lengths_hide_no_row() {
        let valid = rows(4, &[0]);
        let all = [0, 24, 48, 72].map(|start| (start, start + 24, "sure"));
        assert_eq!(pieces(&valid), all);
        // The second row's block extends over the third: by its unused bytes, by its length, as a
        // free block, and beyond the end of the file.
        for (at, bytes, expected) in [
            (
                27,
                &[32][..],
                vec![(24, 40, "sure"), (40, 48, "not its own")],
            ),
            (26, &[36], vec![(24, 48, "gap")]),
            (24, &[0, 0, 0, 48], vec![(24, 48, "gap")]),
            (24, &[2], vec![(24, 48, "gap")]),
            (24, &[0xEE], vec![(24, 48, "gap")]),
        ] {
            let mut file = valid.clone();
            file[at..at + bytes.len()].copy_from_slice(bytes);
            let mut wanted = vec![all[0]];
            wanted.extend(expected);
            wanted.extend(&all[2..]);
            assert_eq!(pieces(&file), wanted, "{bytes:?} at {at}");
        }
    }

    #[test]
    fn unused_bytes_may_be_cut() {
        let mut file = rows(2, &[0]);
        file.truncate(41);
        assert_eq!(pieces(&file), [(0, 24, "sure"), (24, 41, "sure")]);
        file.truncate(39);
        assert_eq!(pieces(&file), [(0, 24, "sure"), (24, 39, "gap")]);
    }

    #[test]
    fn linked_free_blocks_are_sure() {
        let mut file = rows(3, &[0]);
        let links = |next: u64, previous: u64| {
            let mut block = vec![0, 0, 0, 24];
            block.extend(next.to_be_bytes());
            block.extend(previous.to_be_bytes());
            block
        };
        file[0..20].copy_from_slice(&links(48, blocks::NOWHERE));
        file[48..68].copy_from_slice(&links(blocks::NOWHERE, 0));
        assert_eq!(blocks::links(&file, 0), Some([48, blocks::NOWHERE]));
        assert_eq!(blocks::links(&file, 48), Some([blocks::NOWHERE, 0]));
        assert_eq!(blocks::links(&file, 24), None);
        let all = [(0, 24, "free"), (24, 48, "sure"), (48, 72, "free")];
        assert_eq!(pieces(&file), all);
        file[48 + 19] = 24;
        assert_eq!(blocks::links(&file, 0), None);
        assert_eq!(blocks::links(&file, 48), None);
        assert_eq!(pieces(&file), all, "nothing else could be there");
    }

    #[test]
    fn a_damaged_row_does_not_decide_on_the_packing() {
        let packed = layout();
        let plain = packed.with_plain_key().unwrap();
        for (bits, is_plain) in [(&[0][..], false), (&[], true)] {
            let mut file = rows(3, bits);
            assert_eq!(has_plain_key(&file, &packed, &plain), is_plain);
            for at in [0, 1, 2, 3, 8] {
                file[at] ^= 0x55;
                assert_eq!(has_plain_key(&file, &packed, &plain), is_plain, "{at}");
            }
        }
    }
}
