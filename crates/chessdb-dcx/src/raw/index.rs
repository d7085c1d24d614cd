//! The index file: a header and one entry per game (docs/formats/dcx.md, section 3).

use chessdb_core::Result;

use super::detect::{Detected, FileSizes};
use super::entry::Entry;
use super::file_header::FileHeader;
use super::layout::Layout;
use super::magic::FileKind;

/// A whole index file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index {
    /// Its layout, and how certain it is.
    pub detected: Detected,
    /// The part before the entries.
    pub file_header: FileHeader,
    /// The entries.
    pub entries: Vec<Entry>,
    /// The bytes after the last whole entry.
    pub tail: Vec<u8>,
}

impl Index {
    /// Reads an index file; the sizes of the other files help to detect its layout.
    ///
    /// # Errors
    ///
    /// Returns `BadMagic` for another file, or `Truncated` for a file that is shorter than its
    /// magic bytes but not empty.
    pub fn parse(bytes: &[u8], sizes: &FileSizes) -> Result<Index> {
        FileHeader::check_magic(bytes)?;
        let detected = Layout::detect(bytes, sizes);
        let (file_header, body) = FileHeader::parse(bytes, detected.layout.file_header);
        let size = detected.layout.entry;
        let chunks = body.chunks_exact(size.bytes());
        let tail = chunks.remainder().to_vec();
        let entries = chunks
            .filter_map(|bytes| Entry::parse(size, bytes))
            .collect();
        Ok(Index {
            detected,
            file_header,
            entries,
            tail,
        })
    }

    /// Returns the layout.
    pub fn layout(&self) -> Layout {
        self.detected.layout
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let size = self.layout().entry;
        out.reserve(self.entries.len() * size.bytes() + self.tail.len() + 19);
        self.file_header.write(&mut out);
        for entry in &self.entries {
            entry.write(size, &mut out);
        }
        out.extend_from_slice(&self.tail);
        out
    }

    /// Returns the entry (from 0) that OpenDefault refers to (section 3.5).
    pub fn open_default(&self) -> Option<u32> {
        self.file_header
            .open_default(self.layout(), self.entries.len())
    }

    /// The kind of this file.
    pub const KIND: FileKind = FileKind::Index;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::raw::EXAMPLE_ENTRY;
    use crate::raw::layout::{EntrySize, HeaderSize};

    fn sizes() -> FileSizes {
        FileSizes {
            players: 82,
            sites: 46,
            events: 46,
            games: 20,
        }
    }

    /// Every layout is detected from the content of a database with 1, 2 and 70 games.
    #[test]
    fn every_layout_is_detected() {
        for layout in Layout::ALL {
            for games in [1, 2, if cfg!(miri) { 3 } else { 70 }] {
                let mut bytes = b"SimpleCDbi".to_vec();
                if layout.file_header != HeaderSize::Magic {
                    bytes.push(u8::from(layout.entry == EntrySize::Long));
                }
                if layout.file_header == HeaderSize::Full {
                    bytes.extend([0; 8]);
                }
                let mut sizes = sizes();
                sizes.games = 10 + games * 16;
                for n in 0..games {
                    let mut entry = Entry::parse_39(&EXAMPLE_ENTRY);
                    entry.offset = 10 + 16 * n;
                    if layout.entry == EntrySize::Short {
                        entry.event = 0;
                        sizes.events = 0;
                    }
                    entry.write(layout.entry, &mut bytes);
                }
                let index = Index::parse(&bytes, &sizes).unwrap();
                assert_eq!(index.layout(), layout, "{games} games");
                assert!(index.detected.is_sure(), "{layout:?}");
                assert_eq!(index.entries.len() as u64, games);
                assert_eq!(index.to_bytes(), bytes);
            }
        }
    }

    /// An index cut anywhere keeps its layout and its whole entries.
    #[test]
    fn a_cut_index_keeps_its_layout() {
        let mut bytes = b"SimpleCDbi".to_vec();
        bytes.extend([0; 9]);
        for _ in 0..3 {
            bytes.extend(EXAMPLE_ENTRY);
        }
        for len in (10..bytes.len()).step_by(if cfg!(miri) { 31 } else { 1 }) {
            let index = Index::parse(&bytes[..len], &sizes()).unwrap();
            if len >= 19 {
                assert_eq!(index.layout(), Layout::CURRENT, "{len}");
            }
            assert_eq!(index.entries.len(), len.saturating_sub(19) / 39, "{len}");
            assert_eq!(index.to_bytes(), &bytes[..len]);
        }
    }

    proptest! {
        #[test]
        fn every_index_comes_back(rest in prop::collection::vec(any::<u8>(), 0..300)) {
            let bytes = [&b"SimpleCDbi"[..], &rest].concat();
            let index = Index::parse(&bytes, &sizes()).unwrap();
            prop_assert_eq!(index.to_bytes(), bytes);
        }
    }
}
