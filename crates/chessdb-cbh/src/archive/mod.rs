//! ChessBase's archives (docs/formats/cbh.md, sections 13 and 14): .cbv, which packs the files of bases,
//! and .cbz, which is the same behind a password.
//!
//! Nothing here opens a file: the table is parsed from bytes, and what a member holds comes out of any
//! reader of its packed bytes.

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

/// What an archive begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArchiveHeader {
    /// How many members it has.
    pub members: u16,
}

impl ArchiveHeader {
    /// Bytes of the header.
    pub const SIZE: usize = 8;

    /// The header, if these are the first bytes of an archive.
    pub fn parse(bytes: &[u8]) -> Option<ArchiveHeader> {
        match *bytes.first_chunk()? {
            [8, 0, low, high, size, 0, 3, 0] if usize::from(size) == Member::SIZE => {
                let members = u16::from_le_bytes([low, high]);
                Some(ArchiveHeader { members })
            }
            _ => None,
        }
    }

    /// The opposite of [`ArchiveHeader::parse`].
    pub fn to_bytes(&self) -> [u8; ArchiveHeader::SIZE] {
        let [low, high] = self.members.to_le_bytes();
        [8, 0, low, high, Member::SIZE as u8, 0, 3, 0]
    }

    /// Bytes of header and table: there the first stream begins.
    pub fn table_end(&self) -> usize {
        ArchiveHeader::SIZE + usize::from(self.members) * Member::SIZE
    }
}

/// A file in an archive, as the table has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name, with folders behind backslashes, in a code page that nobody says.
    pub name: Vec<u8>,
    /// Where its stream begins.
    pub offset: u64,
    /// Bytes of its stream.
    pub packed: u64,
    /// Bytes of the file.
    pub size: u64,
}

/// Bytes of a name.
const NAME: usize = 128;

impl Member {
    /// Bytes of an entry of the table.
    pub const SIZE: usize = 173;

    /// The members of the table whose bytes these are, which follows the header. Streams follow one
    /// another; what the entries say about where they begin is not needed.
    pub fn parse_all(table: &[u8]) -> Vec<Member> {
        let (entries, _) = table.as_chunks::<{ Member::SIZE }>();
        let mut offset = (ArchiveHeader::SIZE + table.len()) as u64;
        let member = |entry: &[u8; Member::SIZE]| {
            let long = |short: u32, at| {
                let long = le64(entry, at);
                if long as u32 == short {
                    long
                } else {
                    short.into()
                }
            };
            let packed = long(le32(entry, NAME + 4), 157);
            let start = offset;
            offset = offset.saturating_add(packed);
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

    /// The name as text, with the slashes that the archive has. It is unchecked: [`Member::path`] checks it.
    pub fn text(&self) -> String {
        let charset = match std::str::from_utf8(&self.name) {
            Ok(_) => Charset::UTF_8,
            Err(_) => Charset::WINDOWS_1252,
        };
        Text::new(&self.name, charset).decode().into_owned()
    }

    /// The name with slashes. None if it would lead out of the folder that the archive is unpacked into,
    /// or is empty.
    pub fn path(&self) -> Option<String> {
        let path = self.text().replace('\\', "/");
        let is_name =
            |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(':');
        path.split('/').all(is_name).then_some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_the_archive() {
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
    fn a_header_knows_itself() {
        let index_header = ArchiveHeader { members: 300 };
        assert_eq!(
            ArchiveHeader::parse(&index_header.to_bytes()),
            Some(index_header)
        );
        assert_eq!(index_header.table_end(), 8 + 300 * 173);
        assert_eq!(ArchiveHeader::parse(b"\x08\0\x01\0\xAC\0\x03\0"), None);
    }
}
