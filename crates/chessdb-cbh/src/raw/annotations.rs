//! The annotations file .cba (docs/formats/cbh.md, sections 7 and 8).

use super::bytes::{array, be16, be24, be32, put24};
use super::file::{FileRecord, RecordFile};

/// An annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Annotation<'a> {
    /// The index of the move in stored order, from 0; -1 for the game.
    pub position: i32,
    /// The type.
    pub kind: u8,
    /// The content.
    pub data: &'a [u8],
    /// The offset of this annotation from the first annotation of the game.
    pub offset: usize,
}

impl<'a> Annotation<'a> {
    /// The size in bytes of position, type and size field, which the size field includes.
    pub const HEADER: usize = 6;

    /// Parses the annotation at the start of `bytes` and returns it with the remaining bytes.
    fn parse(bytes: &'a [u8], offset: usize) -> Option<(Annotation<'a>, &'a [u8])> {
        let size = usize::from(be16(bytes, 4));
        let (whole, rest) = bytes.split_at_checked(size)?;
        // Three bytes with a sign: the shifts extend it.
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

/// An iterator over the annotations of a game.
#[derive(Clone, Copy, Debug)]
pub struct Annotations<'a> {
    left: &'a [u8],
    offset: usize,
}

impl<'a> Annotations<'a> {
    /// Returns the remaining bytes. After the last complete annotation these belong to no
    /// annotation.
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
    /// The number of annotations, plus one.
    pub count: u32,
    /// The size of the record in bytes, including this header.
    pub size: u32,
    body: &'a [u8],
}

impl<'a> AnnotationRecord<'a> {
    /// The size in bytes of the part before the annotations.
    pub const HEADER: usize = 14;
    /// The value of [`AnnotationRecord::mark`].
    pub const MARK: [u8; 4] = [1, 0, 14, 14];

    /// Creates the record of a game with `annotations` annotations, encoded in `body`.
    pub fn new(game: u32, annotations: u32, body: &'a [u8]) -> AnnotationRecord<'a> {
        AnnotationRecord {
            game,
            mark: AnnotationRecord::MARK,
            count: annotations.saturating_add(1),
            size: (AnnotationRecord::HEADER + body.len()) as u32,
            body,
        }
    }

    /// Parses the record at the start of `bytes`. If it states a larger size, its annotations end
    /// with `bytes`. `None` if the bytes are shorter than the header.
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

    /// Returns an iterator over the annotations.
    pub fn annotations(&self) -> Annotations<'a> {
        Annotations {
            left: self.body,
            offset: 0,
        }
    }

    /// Returns the number of bytes of the record that are available.
    pub fn len(&self) -> usize {
        AnnotationRecord::HEADER + self.body.len()
    }

    /// Returns true if there are no bytes after the header.
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

impl<'a> FileRecord<'a> for AnnotationRecord<'a> {
    fn first(bytes: &'a [u8]) -> Option<(AnnotationRecord<'a>, usize)> {
        let record = AnnotationRecord::parse(bytes)?;
        Some((record, record.len()))
    }

    fn append(&self, out: &mut Vec<u8>) {
        self.write(out);
    }
}

/// The content of the annotations file. The offsets of the records start with game 1.
pub type AnnotationFile<'a> = RecordFile<'a, AnnotationRecord<'a>>;

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
            // Some plausible sizes.
            for (n, size) in sizes.iter().enumerate() {
                if let Some(place) = bytes.get_mut(n * 9 + 4..n * 9 + 6) {
                    place.copy_from_slice(&size.to_be_bytes());
                }
            }
            prop_assert_eq!(AnnotationFile::parse(&bytes, offsets).to_bytes(), bytes);
        }
    }
}
