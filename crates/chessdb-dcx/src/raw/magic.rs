//! The ten magic bytes at the beginning of each file (docs/formats/dcx.md, section 2).

use chessdb_core::files::Role;

use crate::roles::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE};

/// One of the five files of a database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FileKind {
    /// `.dci`
    Index,
    /// `.dcn`
    Players,
    /// `.dcs`
    Sites,
    /// `.dce`
    Events,
    /// `.dcg`
    Games,
}

impl FileKind {
    /// All five, the index first.
    pub const ALL: [FileKind; 5] = [
        FileKind::Index,
        FileKind::Players,
        FileKind::Sites,
        FileKind::Events,
        FileKind::Games,
    ];

    /// Returns the letter that ends the file's magic bytes.
    pub const fn letter(self) -> u8 {
        match self {
            FileKind::Index => b'i',
            FileKind::Players => b'n',
            FileKind::Sites => b's',
            FileKind::Events => b'e',
            FileKind::Games => b'g',
        }
    }

    /// Returns the file's role in a set.
    pub const fn role(self) -> Role {
        match self {
            FileKind::Index => DCI_FILE,
            FileKind::Players => DCN_FILE,
            FileKind::Sites => DCS_FILE,
            FileKind::Events => DCE_FILE,
            FileKind::Games => DCG_FILE,
        }
    }
}

/// The magic bytes as stored: ten, or as many as a shorter file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Magic {
    bytes: [u8; Magic::SIZE],
    len: u8,
}

/// A fault of magic bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MagicFault {
    /// The third byte is `ed`, an error of the published text that some files may follow.
    OldSpelling,
    /// The last byte is the letter of another file, or of none.
    OtherFile(u8),
    /// The file is shorter than its magic bytes.
    Short,
    /// The bytes are different.
    Foreign,
}

impl Magic {
    /// Size of complete magic bytes.
    pub const SIZE: usize = 10;
    /// The bytes that all five files have in common.
    pub const COMMON: &'static [u8; 9] = b"SimpleCDb";

    /// Returns the magic bytes of a new file.
    pub const fn new(kind: FileKind) -> Magic {
        let [a, b, c, d, e, f, g, h, i] = *Magic::COMMON;
        Magic {
            bytes: [a, b, c, d, e, f, g, h, i, kind.letter()],
            len: 10,
        }
    }

    /// Splits the magic bytes, valid or not, from the rest of a file.
    pub fn parse(file: &[u8]) -> (Magic, &[u8]) {
        let (header, rest) = file.split_at_checked(Magic::SIZE).unwrap_or((file, &[]));
        let mut bytes = [0; Magic::SIZE];
        for (to, from) in bytes.iter_mut().zip(header) {
            *to = *from;
        }
        let len = header.len() as u8;
        (Magic { bytes, len }, rest)
    }

    /// Returns the bytes as stored in the file.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes
            .get(..usize::from(self.len))
            .unwrap_or(&self.bytes)
    }

    /// Returns the fault of the bytes for a file of this kind, if any.
    ///
    /// Old writers end .dcs with `n` and .dce with `c`, which is not a fault.
    pub fn fault(&self, kind: FileKind) -> Option<MagicFault> {
        let Some((common, &[letter])) = self.as_bytes().split_at_checked(9) else {
            return Some(MagicFault::Short);
        };
        let old = common.get(2) == Some(&0xED);
        let mut spelling = *Magic::COMMON;
        if old {
            spelling[2] = 0xED;
        }
        if common != spelling {
            return Some(MagicFault::Foreign);
        }
        let by_old_writers = matches!(
            (kind, letter),
            (FileKind::Sites, b'n') | (FileKind::Events, b'c')
        );
        if letter != kind.letter() && !by_old_writers {
            Some(MagicFault::OtherFile(letter))
        } else if old {
            Some(MagicFault::OldSpelling)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_own_letter() {
        assert_eq!(Magic::new(FileKind::Games).as_bytes(), b"SimpleCDbg");
        for kind in FileKind::ALL {
            let file = [Magic::new(kind).as_bytes(), b"rest"].concat();
            let (magic, rest) = Magic::parse(&file);
            assert_eq!((magic, rest), (Magic::new(kind), &b"rest"[..]));
            assert_eq!(magic.fault(kind), None);
        }
        let fault = |bytes: &[u8], kind| Magic::parse(bytes).0.fault(kind);
        assert_eq!(fault(b"SimpleCDbn", FileKind::Sites), None);
        assert_eq!(
            fault(b"SimpleCDbs", FileKind::Players),
            Some(MagicFault::OtherFile(b's'))
        );
        assert_eq!(
            fault(b"Si\xEDpleCDbn", FileKind::Players),
            Some(MagicFault::OldSpelling)
        );
        assert_eq!(
            fault(b"SimpleCDb", FileKind::Index),
            Some(MagicFault::Short)
        );
        assert_eq!(
            fault(b"ScimpleDbi", FileKind::Index),
            Some(MagicFault::Foreign)
        );
    }

    #[test]
    fn short_files_come_back() {
        for len in 0..12 {
            let file = &b"SimpleCDbi!!"[..len];
            let (magic, rest) = Magic::parse(file);
            assert_eq!([magic.as_bytes(), rest].concat(), file);
        }
    }
}
