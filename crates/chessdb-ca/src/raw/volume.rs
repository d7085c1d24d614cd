//! Writing an EMB in the layout of docs/formats/chess-assistant.md, section 3.4.

use super::emb::{DirectoryEntry, EmbHeader};

/// Returns the bytes of an EMB with these files: each file's fragments, then its table; the
/// directory comes last. Fragments have up to `fragment` bytes (guess 14 of the format page).
/// Length and offset of the directory in `raw_header` are filled in.
pub fn write_volume(raw_header: &EmbHeader, files: &[(String, Vec<u8>)], fragment: u32) -> Vec<u8> {
    let mut out = raw_header.to_bytes().to_vec();
    let mut directory = Vec::with_capacity(files.len() * DirectoryEntry::SIZE);
    for (name, content) in files {
        let table = put_file(content, fragment, &mut out);
        let entry = DirectoryEntry::new(name.as_bytes(), content.len() as u32, table);
        directory.extend(entry.to_bytes());
    }
    let table = put_file(&directory, fragment, &mut out);
    let raw_header = EmbHeader {
        length: directory.len() as u32,
        table,
        ..raw_header.clone()
    };
    // The header comes first, but the place of the directory is known only now.
    for (to, from) in out.iter_mut().zip(raw_header.to_bytes()) {
        *to = from;
    }
    out
}

/// Appends a file and its fragment table, and returns the offset of the table.
fn put_file(content: &[u8], fragment: u32, out: &mut Vec<u8>) -> u32 {
    let mut table = Vec::new();
    // `chunks` panics on 0, which a caller may guess.
    for piece in content.chunks(fragment.max(1) as usize) {
        table.extend((piece.len() as u32).to_le_bytes());
        table.extend((out.len() as u32).to_le_bytes());
        out.extend_from_slice(piece);
    }
    let place = out.len() as u32;
    out.extend(table);
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Emb;
    use proptest::prelude::*;

    fn files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
        prop::collection::vec(
            ("[a-zA-Z]{1,12}", prop::collection::vec(any::<u8>(), 0..90)),
            0..6,
        )
    }

    proptest! {
        #[test]
        fn files_come_back(files in files(), fragment in 1u32..60) {
            let bytes = write_volume(&EmbHeader::new(), &files, fragment);
            let emb = Emb::parse(&bytes).unwrap();
            prop_assert!(emb.gaps.is_empty());
            prop_assert_eq!(emb.files.len(), files.len());
            for ((name, content), (entry, file)) in files.iter().zip(emb.entries.iter().zip(&emb.files)) {
                prop_assert_eq!(entry.name(), name.as_bytes());
                prop_assert_eq!(&file.content, content);
                prop_assert_eq!(file.fault, None);
            }
            prop_assert_eq!(emb.to_bytes(), bytes);
        }

        /// A damaged EMB is parsed within its own size and comes back unchanged.
        #[test]
        fn damaged_volumes_come_back(
            files in files(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
            numbers in prop::collection::vec((any::<prop::sample::Index>(), 0u32..600), 0..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = write_volume(&EmbHeader::new(), &files, 40);
            for (at, number) in numbers {
                let at = 136 + at.index(bytes.len() - 139);
                bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(144 + cut.index(bytes.len() - 143));
            let emb = Emb::parse(&bytes).unwrap();
            let read: usize = emb.files.iter().map(|file| file.content.len()).sum();
            prop_assert!(read + emb.directory.content.len() <= bytes.len());
            prop_assert_eq!(emb.to_bytes(), bytes);
        }
    }
}
