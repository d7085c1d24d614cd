//! The tables of names (docs/formats/cbh.md, section 9): little-endian trees of records.

use std::marker::PhantomData;

use super::bytes::le32;

use chessdb_core::record;
pub use chessdb_core::record::Record as Entity;
use chessdb_core::record::{Little, text_up_to_nul};

record! {
    /// The header of a table, without its extra bytes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct TableHeader: Little, 28 {
        /// The number of records, including deleted ones.
        0..4 records: u32 = "header: records: {records}",
        /// The record at the root of the tree.
        4..8 root: u32 = "root of the tree: {root}",
        /// [`TableHeader::MAGIC`].
        8..12 magic: u32 = "magic number: {magic}",
        /// The size of a record's data in bytes.
        12..16 data_size: u32 = "bytes of a record: {data_size}",
        /// The first deleted record, or -1.
        16..20 first_deleted: u32 = "first deleted record: {}" (*first_deleted as i32),
        /// The number of records that are not deleted.
        20..24 live: u32 = "records that are not deleted: {live}",
        /// The number of header bytes after this field: 4; 0 in databases of ChessBase 6 to 8.
        24..28 extra: u32 = "more bytes of the header: {extra}",
    }
}

impl TableHeader {
    /// The value of [`TableHeader::magic`].
    pub const MAGIC: u32 = 1_234_567_890;
}

record! {
    /// The position of a record in the tree.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Node: Little, 9 {
        /// The left child; [`Node::DELETED`] in a deleted record.
        0..4 left: i32 = "left child {left}",
        /// The right child; the next deleted record in a deleted record.
        4..8 right: i32 = "right child {right}",
        /// The height of the right subtree minus the height of the left one.
        8..9 balance: u8 = "balance {}" (*balance as i8),
    }
}

impl Node {
    /// The left child of a deleted record.
    pub const DELETED: i32 = -999;
}

record! {
    /// A player of .cbp.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Player: Little, 58 {
        /// The family name.
        0..30 last: [u8; 30] = "family name: {}" (text_up_to_nul(last)),
        /// The first name.
        30..50 first: [u8; 20] = "first name: {}" (text_up_to_nul(first)),
        /// The number of games that refer to it.
        50..54 references: u32 = "references: {references}",
        /// The first game that refers to it.
        54..58 first_game: u32 = "first reference: {first_game}",
    }
}

record! {
    /// A tournament of .cbt.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Tournament: Little, 90 {
        /// The name.
        0..40 title: [u8; 40] = "name: {}" (text_up_to_nul(title)),
        /// The place.
        40..70 place: [u8; 30] = "place: {}" (text_up_to_nul(place)),
        /// The start date (section 2).
        70..74 date: u32 = "date: {date:#x}",
        /// The type in bits 0 to 4; blitz, rapid, correspondence in bits 5 to 7.
        74..75 kind: u8 = "type: {kind:#04x}",
        /// Bit 0: team tournament.
        75..76 team: u8 = "team tournament: {team}",
        /// The nation (section 12).
        76..77 nation: u8 = "nation: {nation}",
        /// 0.
        77..78 reserved: u8 = "not described" unknown,
        /// The category.
        78..79 category: u8 = "category: {category}",
        /// Flags: complete, board points, three points for a win.
        79..80 flags: u8 = "flags: {flags:#04x}",
        /// The number of rounds.
        80..81 rounds: u8 = "rounds: {rounds}",
        /// 0.
        81..82 reserved_too: u8 = "not described" unknown,
        /// The number of games and texts that refer to it.
        82..86 references: u32 = "references: {references}",
        /// The first game or text that refers to it.
        86..90 first_game: u32 = "first reference: {first_game}",
    }
}

record! {
    /// An annotator of .cbc.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Annotator: Little, 53 {
        /// The name.
        0..45 name: [u8; 45] = "name: {}" (text_up_to_nul(name)),
        /// The number of games and texts that refer to it.
        45..49 references: u32 = "references: {references}",
        /// The first game or text that refers to it.
        49..53 first_game: u32 = "first reference: {first_game}",
    }
}

record! {
    /// A source of .cbs.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Source: Little, 59 {
        /// The title.
        0..25 title: [u8; 25] = "title: {}" (text_up_to_nul(title)),
        /// The publisher.
        25..41 publisher: [u8; 16] = "publisher: {}" (text_up_to_nul(publisher)),
        /// The date of publication (section 2).
        41..45 publication: u32 = "date of publication: {publication:#x}",
        /// The date of the version.
        45..49 date: u32 = "date: {date:#x}",
        /// The version.
        49..50 version: u8 = "version: {version}",
        /// 0 not set, 1 high, 2 medium, 3 low.
        50..51 quality: u8 = "quality: {quality}",
        /// The number of games and texts that refer to it.
        51..55 references: u32 = "references: {references}",
        /// The first game or text that refers to it.
        55..59 first_game: u32 = "first reference: {first_game}",
    }
}

record! {
    /// A team of .cbe.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Team: Little, 63 {
        /// The name.
        0..45 title: [u8; 45] = "name: {}" (text_up_to_nul(title)),
        /// The number among the teams with this name.
        45..49 number: u32 = "number: {number}",
        /// Bit 0: the season ends in the following year.
        49..50 season: u8 = "season: {season}",
        /// The year.
        50..54 year: u32 = "year: {year}",
        /// The nation (section 12).
        54..55 nation: u8 = "nation: {nation}",
        /// The number of games that refer to it.
        55..59 references: u32 = "references: {references}",
        /// The first game that refers to it.
        59..63 first_game: u32 = "first reference: {first_game}",
    }
}

record! {
    /// A game tag of .cbl.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct GameTag: Little, 1608 {
        /// The English title.
        0..200 english: [u8; 200] = "English title: {}" (text_up_to_nul(english)),
        /// The German title.
        200..400 german: [u8; 200] = "German title: {}" (text_up_to_nul(german)),
        /// The French title.
        400..600 french: [u8; 200] = "French title: {}" (text_up_to_nul(french)),
        /// The Spanish title.
        600..800 spanish: [u8; 200] = "Spanish title: {}" (text_up_to_nul(spanish)),
        /// The Italian title.
        800..1000 italian: [u8; 200] = "Italian title: {}" (text_up_to_nul(italian)),
        /// The Dutch title.
        1000..1200 dutch: [u8; 200] = "Dutch title: {}" (text_up_to_nul(dutch)),
        /// A title in an unknown language.
        1200..1400 seventh: [u8; 200] = "another title: {}" (text_up_to_nul(seventh)),
        /// A title in an unknown language.
        1400..1600 eighth: [u8; 200] = "another title: {}" (text_up_to_nul(eighth)),
        /// The number of games that refer to it.
        1600..1604 references: u32 = "references: {references}",
        /// The first game that refers to it.
        1604..1608 first_game: u32 = "first reference: {first_game}",
    }
}

impl GameTag {
    /// The size of a title in bytes.
    pub const TITLE: usize = 200;
}

/// A table of names: records with numbers from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table<'a, E> {
    /// The header; `None` if the file is too short.
    pub header: Option<TableHeader>,
    /// The extra bytes of the header.
    pub extra: &'a [u8],
    /// The records, one after another.
    records: &'a [u8],
    /// The bytes after the last complete record, or all bytes if the records have another size.
    pub tail: &'a [u8],
    of: PhantomData<E>,
}

impl<E> Default for Table<'_, E> {
    fn default() -> Self {
        Table {
            header: None,
            extra: &[],
            records: &[],
            tail: &[],
            of: PhantomData,
        }
    }
}

impl<'a, E: Entity> Table<'a, E> {
    /// The size of a record with its node in bytes.
    const STRIDE: usize = Node::SIZE + E::SIZE;

    /// Parses a table. Any bytes are valid.
    pub fn parse(bytes: &'a [u8]) -> Table<'a, E> {
        let Some((header, rest)) = bytes.split_first_chunk() else {
            return Table {
                tail: bytes,
                ..Table::default()
            };
        };
        let header = TableHeader::parse(header);
        let extra = usize::try_from(header.extra).unwrap_or(usize::MAX);
        let (extra, rest) = rest.split_at_checked(extra).unwrap_or((rest, &[]));
        // With another size the start of no record is certain, so the bytes stay together.
        let whole = if header.data_size as usize == E::SIZE {
            rest.len() / Self::STRIDE * Self::STRIDE
        } else {
            0
        };
        let (records, tail) = rest.split_at_checked(whole).unwrap_or((&[], rest));
        Table {
            header: Some(header),
            extra,
            records,
            tail,
            of: PhantomData,
        }
    }

    /// Returns the number of records, including deleted ones.
    pub fn len(&self) -> usize {
        self.records.len() / Self::STRIDE
    }

    /// Returns true if there are no records.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the record with this number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<(Node, E)> {
        let bytes = self.record(number)?;
        let data = bytes.get(Node::SIZE..)?;
        Some((Node::from_slice(bytes), E::from_slice(data)))
    }

    /// Returns the number of names without references that are not deleted.
    pub(crate) fn unused(&self) -> u64 {
        unused_records(self.records, Self::STRIDE)
    }

    /// Returns the bytes of a record's data.
    #[inline]
    pub fn data(&self, number: u32) -> Option<&'a [u8]> {
        self.record(number)?.get(Node::SIZE..)
    }

    fn record(&self, number: u32) -> Option<&'a [u8]> {
        let start = usize::try_from(number).ok()?.checked_mul(Self::STRIDE)?;
        self.records.get(start..start.checked_add(Self::STRIDE)?)
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self
            .header
            .map_or(Vec::new(), |header| header.to_bytes().to_vec());
        out.extend_from_slice(self.extra);
        for (node, entity) in (0..).map_while(|number| self.get(number)) {
            node.write(&mut out);
            entity.write(&mut out);
        }
        out.extend_from_slice(self.tail);
        out
    }
}

/// Counts the records of this length that have a name, no references and are not deleted. Each
/// record ends with the number of references and the first of these. One copy serves all tables.
fn unused_records(records: &[u8], length: usize) -> u64 {
    let is_unused = |record: &&[u8]| {
        let (node, data) = record.split_at_checked(Node::SIZE).unwrap_or_default();
        let size = data.len().saturating_sub(8);
        let (name, references) = data.split_at_checked(size).unwrap_or_default();
        Node::from_slice(node).left != Node::DELETED
            && le32(references, 0) == 0
            && name.iter().any(|byte| *byte != 0)
    };
    records.chunks_exact(length).filter(is_unused).count() as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn come_back<E: Entity>(bytes: &[u8], extra: u8) {
        let mut file = TableHeader {
            records: 1,
            root: 0,
            magic: TableHeader::MAGIC,
            data_size: E::SIZE as u32,
            first_deleted: u32::MAX,
            live: 1,
            extra: extra.into(),
        }
        .to_bytes()
        .to_vec();
        file.extend_from_slice(bytes);
        let table = Table::<E>::parse(&file);
        assert_eq!(table.to_bytes(), file);
        let data_bytes = bytes.len().saturating_sub(extra.into());
        assert_eq!(table.len(), data_bytes / (Node::SIZE + E::SIZE));
        assert_eq!(Table::<E>::parse(bytes).to_bytes(), bytes);
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..400), extra in 0u8..9) {
            come_back::<Player>(&bytes, extra);
            come_back::<Tournament>(&bytes, extra);
            come_back::<Annotator>(&bytes, extra);
            come_back::<Source>(&bytes, extra);
            come_back::<Team>(&bytes, extra);
            let long: Vec<u8> = bytes.iter().cycle().take(bytes.len() * 5).copied().collect();
            come_back::<GameTag>(&long, extra);
        }
    }
}
