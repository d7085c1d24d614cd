//! The tables of names (docs/formats/cbh.md, section 9): little-endian trees of records.

use std::marker::PhantomData;

use super::bytes::{array, le32};

/// The header of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableHeader {
    /// The number of records, including deleted ones.
    pub records: u32,
    /// The record at the root of the tree.
    pub root: u32,
    /// 1234567890.
    pub magic: u32,
    /// The size of a record's data in bytes.
    pub data_size: u32,
    /// The first deleted record, or -1.
    pub first_deleted: u32,
    /// The number of records that are not deleted.
    pub live: u32,
    /// The number of header bytes after this field: 4; 0 in databases of ChessBase 6 to 8.
    pub extra: u32,
}

impl TableHeader {
    /// The size of the header without the extra bytes.
    pub const SIZE: usize = 28;
    /// The value of [`TableHeader::magic`].
    pub const MAGIC: u32 = 1_234_567_890;

    /// Parses a header. Any bytes are valid.
    pub fn parse(bytes: &[u8; TableHeader::SIZE]) -> TableHeader {
        TableHeader {
            records: le32(bytes, 0),
            root: le32(bytes, 4),
            magic: le32(bytes, 8),
            data_size: le32(bytes, 12),
            first_deleted: le32(bytes, 16),
            live: le32(bytes, 20),
            extra: le32(bytes, 24),
        }
    }

    /// Returns the bytes of the header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let fields = [
            self.records,
            self.root,
            self.magic,
            self.data_size,
            self.first_deleted,
            self.live,
            self.extra,
        ];
        fields
            .iter()
            .flat_map(|field| field.to_le_bytes())
            .collect()
    }
}

/// The position of a record in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The left child; [`Node::DELETED`] in a deleted record.
    pub left: i32,
    /// The right child; the next deleted record in a deleted record.
    pub right: i32,
    /// The height of the right subtree minus the height of the left one.
    pub balance: u8,
}

impl Node {
    /// The size of a node in bytes.
    pub const SIZE: usize = 9;
    /// The left child of a deleted record.
    pub const DELETED: i32 = -999;

    fn parse(bytes: &[u8]) -> Node {
        Node {
            left: i32::from_le_bytes(array(bytes, 0)),
            right: i32::from_le_bytes(array(bytes, 4)),
            balance: array::<1>(bytes, 8)[0],
        }
    }

    /// Appends the node.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.left.to_le_bytes());
        out.extend_from_slice(&self.right.to_le_bytes());
        out.push(self.balance);
    }
}

/// The data type of a table's records.
pub trait Entity: Sized {
    /// The size of a record's data in bytes.
    const SIZE: usize;

    /// Parses a record. Any bytes are valid; missing bytes read as zero.
    fn parse(bytes: &[u8]) -> Self;

    /// Appends the record.
    fn write(&self, out: &mut Vec<u8>);
}

/// Defines a struct of fixed fields in the order of the file, with parsing and writing.
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident = $size:literal { $($(#[$field_doc:meta])* $field:ident: $kind:tt,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name { $($(#[$field_doc])* pub $field: entity!(@type $kind),)* }

        impl Entity for $name {
            const SIZE: usize = $size;

            fn parse(bytes: &[u8]) -> $name {
                let mut at = 0;
                $(let $field = entity!(@read $kind bytes at);)*
                debug_assert_eq!(at, $size);
                $name { $($field,)* }
            }

            fn write(&self, out: &mut Vec<u8>) {
                $(entity!(@write $kind self.$field, out);)*
            }
        }
    };
    (@type u8) => { u8 };
    (@type u32) => { u32 };
    (@type [$length:literal]) => { [u8; $length] };
    (@read u8 $bytes:ident $at:ident) => {{ $at += 1; array::<1>($bytes, $at - 1)[0] }};
    (@read u32 $bytes:ident $at:ident) => {{ $at += 4; le32($bytes, $at - 4) }};
    (@read [$length:literal] $bytes:ident $at:ident) => {{ $at += $length; array::<$length>($bytes, $at - $length) }};
    (@write u8 $value:expr, $out:ident) => { $out.push($value) };
    (@write u32 $value:expr, $out:ident) => { $out.extend_from_slice(&$value.to_le_bytes()) };
    (@write [$length:literal] $value:expr, $out:ident) => { $out.extend_from_slice(&$value) };
}

entity! {
    /// A player of .cbp.
    Player = 58 {
        /// The family name.
        last: [30],
        /// The first name.
        first: [20],
        /// The number of games that refer to it.
        references: u32,
        /// The first game that refers to it.
        first_game: u32,
    }
}

entity! {
    /// A tournament of .cbt.
    Tournament = 90 {
        /// The name.
        title: [40],
        /// The place.
        place: [30],
        /// The start date (section 2).
        date: u32,
        /// The type in bits 0 to 4; blitz, rapid, correspondence in bits 5 to 7.
        kind: u8,
        /// Bit 0: team tournament.
        team: u8,
        /// The nation (section 12).
        nation: u8,
        /// 0.
        reserved: u8,
        /// The category.
        category: u8,
        /// Flags: complete, board points, three points for a win.
        flags: u8,
        /// The number of rounds.
        rounds: u8,
        /// 0.
        reserved_too: u8,
        /// The number of games and texts that refer to it.
        references: u32,
        /// The first game or text that refers to it.
        first_game: u32,
    }
}

entity! {
    /// An annotator of .cbc.
    Annotator = 53 {
        /// The name.
        name: [45],
        /// The number of games and texts that refer to it.
        references: u32,
        /// The first game or text that refers to it.
        first_game: u32,
    }
}

entity! {
    /// A source of .cbs.
    Source = 59 {
        /// The title.
        title: [25],
        /// The publisher.
        publisher: [16],
        /// The date of publication (section 2).
        publication: u32,
        /// The date of the version.
        date: u32,
        /// The version.
        version: u8,
        /// 0 not set, 1 high, 2 medium, 3 low.
        quality: u8,
        /// The number of games and texts that refer to it.
        references: u32,
        /// The first game or text that refers to it.
        first_game: u32,
    }
}

entity! {
    /// A team of .cbe.
    Team = 63 {
        /// The name.
        title: [45],
        /// The number among the teams with this name.
        number: u32,
        /// Bit 0: the season ends in the following year.
        season: u8,
        /// The year.
        year: u32,
        /// The nation (section 12).
        nation: u8,
        /// The number of games that refer to it.
        references: u32,
        /// The first game that refers to it.
        first_game: u32,
    }
}

entity! {
    /// A game tag of .cbl.
    GameTag = 1608 {
        /// The English title.
        english: [200],
        /// The German title.
        german: [200],
        /// The French title.
        french: [200],
        /// The Spanish title.
        spanish: [200],
        /// The Italian title.
        italian: [200],
        /// The Dutch title.
        dutch: [200],
        /// A title in an unknown language.
        seventh: [200],
        /// A title in an unknown language.
        eighth: [200],
        /// The number of games that refer to it.
        references: u32,
        /// The first game that refers to it.
        first_game: u32,
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
        let whole = match header.data_size as usize == E::SIZE {
            true => rest.len() / Self::STRIDE * Self::STRIDE,
            false => 0,
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
        Some((Node::parse(bytes), E::parse(data)))
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
        let mut out = self.header.map_or(Vec::new(), |header| header.to_bytes());
        out.extend_from_slice(self.extra);
        for (node, entity) in (0..).map_while(|number| self.get(number)) {
            node.write(&mut out);
            entity.write(&mut out);
        }
        out.extend_from_slice(self.tail);
        out
    }
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
        .to_bytes();
        file.extend_from_slice(bytes);
        let table = Table::<E>::parse(&file);
        assert_eq!(table.to_bytes(), file);
        let behind = bytes.len().saturating_sub(extra.into());
        assert_eq!(table.len(), behind / (Node::SIZE + E::SIZE));
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
