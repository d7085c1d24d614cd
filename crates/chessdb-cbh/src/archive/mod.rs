//! ChessBase's archives (docs/formats/cbh.md, sections 13 and 14): .cbv, which packs the files of
//! databases, and .cbz, an encrypted .cbv.
//!
//! This module does not open files. The table is parsed from bytes, and a member is unpacked from
//! any reader of its packed bytes.

mod block;
mod des;
mod huffman;
mod member;
mod pack;

use chessdb_core::{Charset, Text};

pub use des::{Deciphered, Key};
pub use member::Unpacked;
pub use pack::{Packing, lock, pack};

use crate::raw::bytes::{le32, le64};
use crate::raw::cut;

/// The header of an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArchiveHeader {
    /// The number of members.
    pub members: u16,
}

impl ArchiveHeader {
    /// The size of the header in bytes.
    pub const SIZE: usize = 8;

    /// Parses the header. `None` if the bytes are not the start of an archive.
    pub fn parse(bytes: &[u8]) -> Option<ArchiveHeader> {
        match *bytes.first_chunk()? {
            [8, 0, low, high, size, 0, 3, 0] if usize::from(size) == Member::SIZE => {
                let members = u16::from_le_bytes([low, high]);
                Some(ArchiveHeader { members })
            }
            _ => None,
        }
    }

    /// Returns the bytes of the header.
    pub fn to_bytes(&self) -> [u8; ArchiveHeader::SIZE] {
        let [low, high] = self.members.to_le_bytes();
        [8, 0, low, high, Member::SIZE as u8, 0, 3, 0]
    }

    /// Returns the size of header and table, which is the offset of the first stream.
    pub fn table_end(&self) -> usize {
        ArchiveHeader::SIZE + usize::from(self.members) * Member::SIZE
    }
}

/// An entry of an archive's table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The name, with backslashes between folders, in an undeclared code page.
    pub name: Vec<u8>,
    /// The offset of the stream.
    pub offset: u64,
    /// The size of the stream in bytes.
    pub packed: u64,
    /// The size of the file in bytes.
    pub size: u64,
}

/// The size of a name in bytes.
const NAME: usize = 128;

impl Member {
    /// The size of a table entry in bytes.
    pub const SIZE: usize = 173;

    /// Parses the table, which follows the header. Streams are contiguous, so the offsets in the
    /// entries are ignored.
    pub fn parse_all(table: &[u8]) -> Vec<Member> {
        let (entries, _) = table.as_chunks::<{ Member::SIZE }>();
        let mut offset = (ArchiveHeader::SIZE + table.len()) as u64;
        let member = |entry: &[u8; Member::SIZE]| {
            let long = |short: u32, offset| {
                let long = le64(entry, offset);
                if long as u32 == short { long } else { short.into() }
            };
            let packed = long(le32(entry, NAME + 4), 157);
            let start = offset;
            offset = offset.saturating_add(packed);
            // The field continues with an excerpt of the content (section 13).
            let name = entry.get(..NAME).unwrap_or_default();
            Member {
                name: cut(name).to_vec(),
                offset: start,
                packed,
                size: long(le32(entry, NAME + 8), 165),
            }
        };
        entries.iter().map(member).collect()
    }

    /// Returns the name as text, with its original separators. The name is not checked;
    /// [`Member::path`] checks it.
    pub fn text(&self) -> String {
        let charset = match std::str::from_utf8(&self.name) {
            Ok(_) => Charset::UTF_8,
            Err(_) => Charset::WINDOWS_1252,
        };
        Text::new(&self.name, charset).decode().into_owned()
    }

    /// Returns the name with slashes. `None` if it is empty or leads out of the target folder.
    pub fn path(&self) -> Option<String> {
        let path = self.text().replace('\\', "/");
        // On Windows a colon follows a drive letter.
        let is_name =
            |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(':');
        path.split('/').all(is_name).then_some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_archive_are_rejected() {
        let path = |name: &[u8]| {
            let name = name.to_vec();
            let member = Member {
                name,
                offset: 0,
                packed: 0,
                size: 0,
            };
            member.path()
        };
        assert_eq!(path(b"a b.cbh").as_deref(), Some("a b.cbh"));
        assert_eq!(path(b"a.html\\x\xFC.gif").as_deref(), Some("a.html/xü.gif"));
        for bad in [
            &b""[..],
            b"..\\a",
            b"a\\..\\b",
            b"\\a",
            b"/a",
            b"C:\\a",
            b"a\\\\b",
            b"a/../b",
        ] {
            assert_eq!(path(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn archive_header_round_trip() {
        let header = ArchiveHeader { members: 300 };
        assert_eq!(ArchiveHeader::parse(&header.to_bytes()), Some(header));
        assert_eq!(header.table_end(), 8 + 300 * 173);
        assert_eq!(ArchiveHeader::parse(b"\x08\0\x01\0\xAC\0\x03\0"), None);
    }
}
