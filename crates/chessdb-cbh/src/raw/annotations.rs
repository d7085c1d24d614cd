//! The annotations file .cba (docs/formats/cbh.md, sections 7 and 8).

use chessdb_core::Segment;

use super::bytes::{array, be16, be24, be32, put24};
use super::file::FileHeader;

/// One annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Annotation<'a> {
    /// The number of the move in stored order, from 0; -1 for the game.
    pub position: i32,
    /// Its type.
    pub kind: u8,
    /// Its content.
    pub data: &'a [u8],
    /// Bytes from the first annotation of the game to this one.
    pub offset: usize,
}

impl<'a> Annotation<'a> {
    /// Bytes of position, type and size, which the size counts too.
    pub const HEADER: usize = 6;

    /// The annotation at the start of these bytes, and what follows.
    fn parse(bytes: &'a [u8], offset: usize) -> Option<(Annotation<'a>, &'a [u8])> {
        let size = usize::from(be16(bytes, 4));
        let (whole, rest) = bytes.split_at_checked(size)?;
        let annotation = Annotation {
            position: (be24(bytes, 0) << 8) as i32 >> 8,
            kind: array::<1>(bytes, 3)[0],
            data: whole.get(Annotation::HEADER..)?,
            offset,
        };
        Some((annotation, rest))
    }

    /// Appends the annotation.
    pub fn write(&self, out: &mut Vec<u8>) {
        put24(self.position as u32, out);
        out.push(self.kind);
        let size = (Annotation::HEADER + self.data.len()) as u16;
        out.extend_from_slice(&size.to_be_bytes());
        out.extend_from_slice(self.data);
    }
}

/// The annotations of a game, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Annotations<'a> {
    left: &'a [u8],
    offset: usize,
}

impl<'a> Annotations<'a> {
    /// The bytes that are no annotation: those behind the last one that is whole.
    pub fn rest(&self) -> &'a [u8] {
        self.left
    }
}

impl<'a> Iterator for Annotations<'a> {
    type Item = Annotation<'a>;

    fn next(&mut self) -> Option<Annotation<'a>> {
        let (annotation, rest) = Annotation::parse(self.left, self.offset)?;
        self.offset += self.left.len() - rest.len();
        self.left = rest;
        Some(annotation)
    }
}

/// The record of a game's annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnnotationRecord<'a> {
    /// The number of the game.
    pub game: u32,
    /// `01 00 0E 0E`.
    pub mark: [u8; 4],
    /// How many annotations there are, and one.
    pub count: u32,
    /// Bytes of the record, these included.
    pub size: u32,
    body: &'a [u8],
}

impl<'a> AnnotationRecord<'a> {
    /// Bytes of a record before its annotations.
    pub const HEADER: usize = 14;
    /// What [`AnnotationRecord::mark`] is.
    pub const MARK: [u8; 4] = [1, 0, 14, 14];

    /// The record of a game with so many annotations, which are these bytes.
    pub fn new(game: u32, annotations: u32, body: &'a [u8]) -> AnnotationRecord<'a> {
        AnnotationRecord {
            game,
            mark: AnnotationRecord::MARK,
            count: annotations.saturating_add(1),
            size: (AnnotationRecord::HEADER + body.len()) as u32,
            body,
        }
    }

    /// The record at the start of these bytes; its annotations end where they do, if it says that it
    /// is longer. Nothing if not even the header is there.
    pub fn parse(bytes: &'a [u8]) -> Option<AnnotationRecord<'a>> {
        let (_, body) = bytes.split_at_checked(AnnotationRecord::HEADER)?;
        let size = be32(bytes, 10);
        let length = (size as usize).saturating_sub(AnnotationRecord::HEADER);
        Some(AnnotationRecord {
            game: be24(bytes, 0),
            mark: array(bytes, 3),
            count: be24(bytes, 7),
            size,
            body: body.get(..length).unwrap_or(body),
        })
    }

    /// The annotations.
    pub fn annotations(&self) -> Annotations<'a> {
        Annotations {
            left: self.body,
            offset: 0,
        }
    }

    /// Bytes of the record that are there.
    pub fn len(&self) -> usize {
        AnnotationRecord::HEADER + self.body.len()
    }

    /// Whether there is no byte behind the header.
    pub fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// Appends the record.
    pub fn write(&self, out: &mut Vec<u8>) {
        put24(self.game, out);
        out.extend_from_slice(&self.mark);
        put24(self.count, out);
        out.extend_from_slice(&self.size.to_be_bytes());
        let mut annotations = self.annotations();
        for annotation in &mut annotations {
            annotation.write(out);
        }
        out.extend_from_slice(annotations.rest());
    }
}

/// The annotations file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnnotationFile<'a> {
    /// The header of the file.
    pub index_header: FileHeader,
    /// Records, and the bytes of none.
    pub segments: Vec<Segment<'a, AnnotationRecord<'a>>>,
}

impl<'a> AnnotationFile<'a> {
    /// Takes any bytes. `offsets` says where the records of game 1 and so on begin; 0 is none.
    pub fn parse(bytes: &'a [u8], offsets: impl IntoIterator<Item = u64>) -> AnnotationFile<'a> {
        let index_header = FileHeader::parse(bytes);
        let places = (0..).zip(offsets).map(|(n, at)| (at, n, ()));
        let mut places: Vec<_> = places.filter(|&(at, ..)| at > 0).collect();
        places.sort_unstable();
        let (segments, _) = Segment::divide(bytes, index_header.size(), places, |bytes, ()| {
            let record = AnnotationRecord::parse(bytes)?;
            Some((record, record.len()))
        });
        AnnotationFile {
            index_header,
            segments,
        }
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.index_header.to_bytes();
        Segment::write_all(&self.segments, &mut out, |record, out| {
            record.write(out);
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_record_is_read() {
        let bytes =
            hex!("000007 01000E0E 000003 0000001E FFFFFF 02 0009 00 2A 61 000005 03 0007 01 99");
        let record = AnnotationRecord::parse(&bytes).unwrap();
        assert_eq!(
            (record.game, record.mark, record.count),
            (7, AnnotationRecord::MARK, 3)
        );
        let found: Vec<_> = record
            .annotations()
            .map(|a| (a.position, a.kind, a.data))
            .collect();
        assert_eq!(found, [(-1, 2, &[0, 42, b'a'][..]), (5, 3, &[1][..])]);
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..120),
                               sizes in prop::collection::vec(0u16..20, 0..8),
                               offsets in prop::collection::vec(0u64..130, 0..6)) {
            let mut bytes = bytes;
            // Sizes that make sense now and then.
            for (n, size) in sizes.iter().enumerate() {
                if let Some(place) = bytes.get_mut(n * 9 + 4..n * 9 + 6) {
                    place.copy_from_slice(&size.to_be_bytes());
                }
            }
            prop_assert_eq!(AnnotationFile::parse(&bytes, offsets).to_bytes(), bytes);
        }
    }
}
