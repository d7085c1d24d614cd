//! The form shared by .cbg and .cba: a header and records (docs/formats/cbh.md, section 5).

use chessdb_core::format::Segment;

use super::bytes::{be16, be32, be64};

/// The header of the files of moves and of annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileHeader(
    /// `None` if the file does not begin with a header of 26 bytes, or of 10 in databases of
    /// ChessBase 6 to 8.
    pub Option<FileFields>,
);

/// The fields of the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileFields {
    /// The size of the file, and the number of bytes that belong to no record.
    pub short: [u32; 2],
    /// Both values in 64 bits; `None` in the old header.
    pub long: Option<[u64; 2]>,
}

impl FileHeader {
    /// The size of the longer header in bytes.
    pub(crate) const LARGEST: usize = FileHeader::NEW as usize;
    const OLD: u16 = 10;
    const NEW: u16 = 26;

    /// Parses a header. Any bytes are valid.
    pub fn parse(bytes: &[u8]) -> FileHeader {
        let size = be16(bytes, 0);
        let fields =
            matches!(size, FileHeader::OLD | FileHeader::NEW) && bytes.len() >= size.into();
        if !fields {
            return FileHeader(None);
        }
        let long = (size == FileHeader::NEW).then(|| [be64(bytes, 10), be64(bytes, 18)]);
        FileHeader(Some(FileFields {
            short: [be32(bytes, 2), be32(bytes, 6)],
            long,
        }))
    }

    /// Returns the number of bytes that belong to no record, as the header states it.
    pub fn unused(&self) -> u64 {
        self.0.map_or(0, |FileFields { short, long }| {
            long.map_or(short[1].into(), |[_, unused]| unused)
        })
    }

    /// Returns the size of the header in bytes.
    pub fn size(&self) -> usize {
        match self.0 {
            None => 0,
            Some(FileFields { long: None, .. }) => FileHeader::OLD.into(),
            Some(_) => FileHeader::NEW.into(),
        }
    }

    /// Returns the bytes of the header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let Some(FileFields { short, long }) = self.0 else {
            return out;
        };
        out.extend_from_slice(&(self.size() as u16).to_be_bytes());
        for number in short {
            out.extend_from_slice(&number.to_be_bytes());
        }
        for number in long.into_iter().flatten() {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out
    }
}

/// A record of .cbg or .cba.
pub trait FileRecord<'a>: Sized {
    /// Parses the record at the start of `bytes`. Returns also its length in bytes.
    fn first(bytes: &'a [u8]) -> Option<(Self, usize)>;

    /// Appends the bytes of the record.
    fn append(&self, out: &mut Vec<u8>);
}

/// The content of .cbg or .cba.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordFile<'a, R> {
    /// The header of the file.
    pub file_header: FileHeader,
    /// The records, and the bytes that belong to none.
    pub segments: Vec<Segment<'a, R>>,
}

impl<'a, R: FileRecord<'a>> RecordFile<'a, R> {
    /// Parses a file. Any bytes are valid. `offsets` are the offsets of the records in the order of
    /// the index.
    pub fn parse(bytes: &'a [u8], offsets: impl IntoIterator<Item = u64>) -> RecordFile<'a, R> {
        let file_header = FileHeader::parse(bytes);
        let numbered = (0..).zip(offsets);
        let mut places: Vec<_> = numbered.map(|(n, offset)| (offset, n, ())).collect();
        // The file is divided from its start, but the index may list records in any order.
        places.sort_unstable();
        let start = file_header.size();
        let (segments, _) = Segment::divide(bytes, start, places, |bytes, ()| R::first(bytes));
        RecordFile {
            file_header,
            segments,
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.file_header.to_bytes();
        Segment::write_all(&self.segments, &mut out, R::append);
        out
    }
}
