//! A record of `.scg`: one game (docs/formats/scidb.md, section 4).

use super::bytes::{ByteReader, RecordFault, put_u24};
use super::marks::TimeItem;
use chessdb_core::sorting::sort_by_key;

/// The bytes below 6 among the moves (section 5).
pub mod mark {
    /// A time, an evaluation or a drawing.
    pub const MARK: u8 = 0;
    /// A NAG.
    pub const NAG: u8 = 1;
    /// Comments before or after the move.
    pub const COMMENT: u8 = 2;
    /// The start of a variation.
    pub const OPEN: u8 = 3;
    /// The end of a line; a second byte follows.
    pub const CLOSE: u8 = 4;

    /// Bits of a comment's data: there is a text before the move,
    pub const BEFORE: u8 = 1;
    /// and one after it.
    pub const AFTER: u8 = 2;
    /// The text before the move has a part in English; the text after it has two bits more.
    pub const ENGLISH: u8 = 4;
    /// It has a part in another language; the text after it has two bits more.
    pub const OTHER: u8 = 8;
}

/// A record.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Record<'a> {
    /// The number of the start position, and bits for the parts that follow.
    pub flags: u16,
    /// The start position as FEN, if its number is 0.
    pub fen: Option<&'a [u8]>,
    /// The number of moves at the start that nothing is stored with.
    pub plain_moves: u16,
    /// The moves and their marks.
    pub moves: &'a [u8],
    /// The texts of the comments, each with NUL.
    pub texts: Option<&'a [u8]>,
    /// The tags, with the 0 at their end.
    pub tags: Option<&'a [u8]>,
    /// The names of engines, with their number before them.
    pub engines: Option<&'a [u8]>,
    /// The columns of times, with the 0 at their end.
    pub times: Option<&'a [u8]>,
    /// The data of the marks.
    pub data: &'a [u8],
}

impl<'a> Record<'a> {
    /// The bits of the start position's number.
    pub const IDN: u16 = 0xFFF;
    /// There are columns of times.
    pub const TIMES: u16 = 1 << 12;
    /// There are names of engines.
    pub const ENGINES: u16 = 1 << 13;
    /// There are tags.
    pub const TAGS: u16 = 1 << 14;
    /// There are texts.
    pub const TEXTS: u16 = 1 << 15;
    /// The number of the standard start position.
    pub const STANDARD: u16 = 518;
    /// The largest size, with the three bytes of the size.
    pub const MOST: usize = 0xFF_FFFF;
    /// The size of the smallest record: one without moves.
    pub const LEAST: usize = 12;

    /// Returns the size of the record that starts here, with the three bytes of the size. `None` if
    /// fewer bytes are left or no record is that short.
    pub fn size(bytes: &[u8]) -> Option<usize> {
        let size = ByteReader::new(bytes).number(3)? as usize;
        (size >= Record::LEAST).then_some(size)
    }

    /// Returns the offset of the moves from the start of the record.
    pub fn moves_offset(&self) -> usize {
        3 + 2 + self.fen.map_or(0, |fen| fen.len() + 1) + 3 + 2
    }

    /// Returns the offset of the tags from the start of the record.
    pub fn tags_offset(&self) -> usize {
        self.moves_offset() + self.moves.len() + self.texts.map_or(0, |texts| texts.len() + 3)
    }

    /// Parses a whole record, including its size.
    ///
    /// # Errors
    ///
    /// Returns the part of the record that cannot be read.
    pub fn parse(bytes: &'a [u8]) -> Result<Record<'a>, RecordFault> {
        match Record::parse_partly(bytes) {
            (record, None) => Ok(record),
            (_, Some(fault)) => Err(fault),
        }
    }

    /// Parses a record, or the beginning of a damaged one. Returns the parts before the fault, and
    /// the fault.
    pub fn parse_partly(bytes: &'a [u8]) -> (Record<'a>, Option<RecordFault>) {
        let mut record = Record::default();
        let fault = record.fill(bytes).err();
        (record, fault)
    }

    fn fill(&mut self, bytes: &'a [u8]) -> Result<(), RecordFault> {
        let mut all = ByteReader::new(bytes);
        let size_fault = all.fault("the size of the record");
        let size = all.number(3).ok_or(size_fault)?;
        let fault = all.fault("the start position of the record");
        self.flags = all.number(2).ok_or(fault)? as u16;
        if self.flags & Record::IDN == 0 {
            self.fen = Some(all.text().ok_or(fault)?);
        }
        let fault = all.fault("the place of the data in the record");
        let data_at = all.number(3).ok_or(fault)? as usize;
        self.plain_moves = all.number(2).ok_or(fault)? as u16;
        // The place counts from after the size.
        let length = (data_at + 3).checked_sub(all.offset());
        let Some(moves) = length.and_then(|length| all.take(length)) else {
            self.moves = all.rest();
            return Err(fault);
        };
        self.moves = moves;
        self.parse_data(&mut all)?;
        // A wrong size comes last, since the parts before it could be read.
        if size as usize == bytes.len() { Ok(()) } else { Err(size_fault) }
    }

    fn parse_data(&mut self, all: &mut ByteReader<'a>) -> Result<(), RecordFault> {
        if self.flags & Record::TEXTS != 0 {
            let fault = all.fault("the texts of the record");
            let size = all.number(3).ok_or(fault)?;
            self.texts = Some(all.take(size as usize).ok_or(fault)?);
        }
        let mut part = |bit: u16,
                        what: &'static str,
                        skip: fn(&mut ByteReader<'a>) -> Option<()>|
         -> Result<Option<&'a [u8]>, RecordFault> {
            if self.flags & bit == 0 {
                return Ok(None);
            }
            let (fault, start) = (all.fault(what), all.rest());
            let before = all.offset();
            skip(all).ok_or(fault)?;
            Ok(start.get(..all.offset() - before))
        };
        self.tags = part(Record::TAGS, "the tags of the record", |bytes| {
            while Tags::tag(bytes)?.is_some() {}
            Some(())
        })?;
        self.engines = part(Record::ENGINES, "the engines of the record", |bytes| {
            let count = bytes.byte()?;
            (0..count).try_for_each(|_| bytes.text().map(|_| ()))
        })?;
        self.times = part(Record::TIMES, "the times of the record", |bytes| {
            while let Some(count) = TimeColumns::count(bytes)? {
                (0..count).try_for_each(|_| TimeColumns::item(bytes).map(|_| ()))?;
            }
            Some(())
        })?;
        self.data = all.rest();
        Ok(())
    }

    /// Appends the bytes that were parsed.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 3]);
        out.extend(self.flags.to_be_bytes());
        if let Some(fen) = self.fen {
            out.extend(fen);
            out.push(0);
        }
        // The place of the data counts from after the size.
        put_u24((self.moves_offset() - 3 + self.moves.len()) as u32, out);
        out.extend(self.plain_moves.to_be_bytes());
        out.extend(self.moves);
        if let Some(texts) = self.texts {
            put_u24(texts.len() as u32, out);
            out.extend(texts);
        }
        for part in [self.tags, self.engines, self.times] {
            out.extend(part.unwrap_or_default());
        }
        out.extend(self.data);
        let [_, size @ ..] = ((out.len() - start) as u32).to_be_bytes();
        if let Some(place) = out.get_mut(start..start + 3) {
            place.copy_from_slice(&size);
        }
    }

    /// Returns the names of the engines.
    pub fn engine_names(&self) -> impl Iterator<Item = &'a [u8]> {
        let names = self.engines.and_then(|engines| engines.get(1..));
        let mut names = ByteReader::new(names.unwrap_or_default());
        std::iter::from_fn(move || names.text())
    }
}

/// The tags of a record.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'a>(pub ByteReader<'a>);

impl<'a> Tags<'a> {
    /// The number of a tag that is stored with its name.
    pub const NAMED: u8 = 128;

    /// Takes a tag: its number, its name if it is stored, its value. `Some(None)` at the end.
    fn tag(bytes: &mut ByteReader<'a>) -> Option<Option<StoredTag<'a>>> {
        let number = bytes.byte()?;
        Some(match number {
            0 => None,
            Tags::NAMED => Some((number, Some(bytes.text()?), bytes.text()?)),
            _ => Some((number, None, bytes.text()?)),
        })
    }
}

/// A tag: its number, its name if it is stored, its value.
type StoredTag<'a> = (u8, Option<&'a [u8]>, &'a [u8]);

impl<'a> Iterator for Tags<'a> {
    type Item = StoredTag<'a>;

    fn next(&mut self) -> Option<StoredTag<'a>> {
        Tags::tag(&mut self.0)?
    }
}

/// The columns of times of a record: for each column, an item for each move of the mainline.
#[derive(Clone, Copy, Debug)]
pub struct TimeColumns;

impl TimeColumns {
    /// Takes the number of items of a column. `Some(None)` after the last column.
    fn count(bytes: &mut ByteReader<'_>) -> Option<Option<usize>> {
        let mut count = 0;
        loop {
            let byte = bytes.byte()?;
            count += usize::from(byte);
            match byte {
                u8::MAX => {}
                _ => return Some((count > 0).then_some(count)),
            }
        }
    }

    /// Takes an item. `Some(None)` for a move without one.
    fn item(bytes: &mut ByteReader<'_>) -> Option<Option<TimeItem>> {
        match bytes.rest().first()? {
            0 => {
                bytes.byte()?;
                Some(None)
            }
            _ => TimeItem::parse(bytes).map(Some),
        }
    }

    /// Returns the items with the numbers of their moves, from 0, in the order of the moves.
    pub fn items(times: &[u8]) -> Vec<(u32, TimeItem)> {
        let mut bytes = ByteReader::new(times);
        let mut items = Vec::new();
        while let Some(Some(count)) = TimeColumns::count(&mut bytes) {
            for n in 0..count {
                match TimeColumns::item(&mut bytes) {
                    Some(Some(item)) => items.push((n as u32, item)),
                    Some(None) => {}
                    None => break,
                }
            }
        }
        // Each column goes through all moves, but the decoder needs the items move by move.
        sort_by_key(&mut items, |&(n, _)| n);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_come_back(
            flags in 0u16..16, idn in prop_oneof![Just(0u16), Just(518)],
            rest in prop::collection::vec(prop_oneof![0u8..4, Just(128u8), Just(0x90u8)], 0..60),
        ) {
            let mut bytes = vec![0, 0, 0];
            bytes.extend((flags << 12 | idn).to_be_bytes());
            let data_at = bytes.len() + 2 + usize::from(idn == 0);
            bytes.extend((idn == 0).then_some(0));
            put_u24(data_at as u32 + 1, &mut bytes);
            bytes.extend([0, 0, 4]);
            bytes.extend(rest);
            bytes[2] = bytes.len() as u8;
            if let Ok(record) = Record::parse(&bytes) {
                let mut again = Vec::new();
                record.write(&mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
