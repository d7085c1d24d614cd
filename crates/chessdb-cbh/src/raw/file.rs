//! The header shared by .cbg and .cba (docs/formats/cbh.md, section 5).

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
