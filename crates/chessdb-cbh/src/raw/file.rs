//! The header that .cbg and .cba share (docs/formats/cbh.md, section 5).

use super::bytes::{be16, be32, be64};

/// The header of the files of moves and of annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileHeader(
    /// Nothing if the file does not begin with one: 26 bytes, or 10 in bases of ChessBase 6 to 8.
    pub Option<FileFields>,
);

/// What the header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileFields {
    /// Bytes of the file, and of those how many belong to no record.
    pub short: [u32; 2],
    /// The same in 64 bits; nothing in the old header.
    pub long: Option<[u64; 2]>,
}

impl FileHeader {
    const OLD: u16 = 10;
    const NEW: u16 = 26;

    /// Takes any bytes.
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

    /// Bytes of the header.
    pub fn size(&self) -> usize {
        match self.0 {
            None => 0,
            Some(FileFields { long: None, .. }) => FileHeader::OLD.into(),
            Some(_) => FileHeader::NEW.into(),
        }
    }

    /// The opposite of [`FileHeader::parse`].
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
