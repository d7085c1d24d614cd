//! Writing an EMB in the layout of docs/formats/chess-assistant.md, section 3.4, and changing inner
//! files of an existing one.

use super::emb::{DirectoryEntry, Emb, EmbHeader, Fragment, InnerFile};

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

/// The changes of an EMB in place.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VolumeChanges {
    /// Offsets and new bytes.
    pub patches: Vec<(u64, Vec<u8>)>,
    /// The bytes to append.
    pub appended: Vec<u8>,
}

/// Gives inner files new contents. Each is named by the number of its directory entry. Fragments that
/// stay equal are kept; the others, and the fragment tables, follow at the end. `None` if the EMB is
/// damaged or becomes too long.
pub fn change_volume(
    emb: &Emb<'_>,
    contents: &[(usize, Vec<u8>)],
    fragment: u32,
) -> Option<VolumeChanges> {
    let inner = || std::iter::once(&emb.directory).chain(&emb.files);
    let mut ranges: Vec<_> = inner().flat_map(InnerFile::ranges).collect();
    ranges.sort_unstable();
    // Bytes that two files share must not change with one of them.
    let are_apart = ranges.windows(2).all(|pair| match *pair {
        [(start, length), (next, _)] => start + length <= next,
        _ => true,
    });
    if !are_apart || inner().any(|file| file.fault.is_some()) {
        return None;
    }
    let mut changes = VolumeChanges::default();
    let mut directory = emb.directory.content.clone();
    for (number, content) in contents {
        let file = emb.files.get(*number)?;
        if file.content.len() == content.len() {
            changes.overwrite(file, content);
            continue;
        }
        let table = changes.append(file, content, emb.len, fragment.max(1) as usize)?;
        let length = u32::try_from(content.len()).ok()?;
        let entry = directory.as_chunks_mut::<{ DirectoryEntry::SIZE }>().0;
        let place = entry.get_mut(*number)?.get_mut(8..16)?;
        place.copy_from_slice(&[length.to_le_bytes(), table.to_le_bytes()].concat());
    }
    changes.overwrite(&emb.directory, &directory);
    let end = emb.len + changes.appended.len();
    (end <= i32::MAX as usize).then_some(changes)
}

impl VolumeChanges {
    /// Replaces content of the same length, in the fragments that differ.
    fn overwrite(&mut self, file: &InnerFile, content: &[u8]) {
        let mut start = 0;
        for fragment in &file.fragments {
            let end = (start + fragment.length as usize).min(content.len());
            let (old, new) = (file.content.get(start..end), content.get(start..end));
            if let Some(new) = new.filter(|_| old != new) {
                self.patches.push((fragment.offset.into(), new.to_vec()));
            }
            start = end;
        }
    }

    /// Appends the changed fragments of a file and its fragment table to an EMB of `len` bytes.
    /// Returns the offset of the table.
    fn append(
        &mut self,
        file: &InnerFile,
        content: &[u8],
        len: usize,
        fragment: usize,
    ) -> Option<u32> {
        // The last fragment may be longer than the file.
        let mut remaining = file.content.len();
        let old = file.fragments.iter().map(|fragment| {
            let used = remaining.min(fragment.length as usize);
            remaining -= used;
            (
                used,
                Fragment {
                    length: used as u32,
                    ..*fragment
                },
            )
        });
        let old: Vec<(usize, Fragment)> = old.collect();
        let (mut first, mut start) = (0, 0);
        for &(length, _) in &old {
            let stored = file.content.get(start..start + length);
            if stored != content.get(start..start + length) {
                break;
            }
            (first, start) = (first + 1, start + length);
        }
        let (mut last, mut end, mut old_end) = (old.len(), content.len(), file.content.len());
        for &(length, _) in old.get(first..)?.iter().rev() {
            let stored = file.content.get(old_end - length..old_end);
            let is_after = end.checked_sub(length).is_some_and(|begin| begin >= start);
            if !is_after || stored != content.get(end - length..end) {
                break;
            }
            (last, end, old_end) = (last - 1, end - length, old_end - length);
        }
        // A short piece joins the one before it, so that pieces do not become ever shorter.
        let before = first.checked_sub(1).and_then(|before| old.get(before));
        if let Some(&(length, _)) = before
            && (length < fragment && last == old.len() || end - start < fragment / 2)
        {
            (first, start) = (first - 1, start - length);
        }
        let changed = content.get(start..end)?;
        // In the middle of a file, pieces of equal size leave no short rest.
        let size = match changed.len().div_ceil(fragment) {
            2.. if last < old.len() => changed.len().div_ceil(changed.len().div_ceil(fragment)),
            _ => fragment,
        };
        let mut fragments: Vec<Fragment> = old.iter().take(first).map(|(_, it)| *it).collect();
        for piece in changed.chunks(size) {
            fragments.push(Fragment {
                length: piece.len() as u32,
                offset: u32::try_from(len + self.appended.len()).ok()?,
            });
            self.appended.extend_from_slice(piece);
        }
        fragments.extend(old.iter().skip(last).map(|(_, it)| it));
        let table = u32::try_from(len + self.appended.len()).ok()?;
        self.appended
            .extend(fragments.iter().flat_map(Fragment::to_bytes));
        Some(table)
    }
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

        /// Changed files have their new contents, all others keep their fragments.
        #[test]
        fn changed_files_come_back(
            files in files(),
            fragment in 1u32..60,
            splices in prop::collection::vec(
                (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0usize..40,
                    prop::collection::vec(any::<u8>(), 0..80)),
                1..20,
            ),
        ) {
            let mut bytes = write_volume(&EmbHeader::new(), &files, fragment);
            let mut contents: Vec<Vec<u8>> = files.into_iter().map(|(_, content)| content).collect();
            for (file, start, removed, added) in splices {
                if contents.is_empty() {
                    break;
                }
                let number = file.index(contents.len());
                let content = &mut contents[number];
                let start = start.index(content.len() + 1);
                let end = content.len().min(start + removed);
                content.splice(start..end, added);
                let emb = Emb::parse(&bytes).unwrap();
                let before = emb.files.clone();
                let changes = change_volume(&emb, &[(number, content.clone())], fragment).unwrap();
                for (offset, patch) in changes.patches {
                    bytes[offset as usize..][..patch.len()].copy_from_slice(&patch);
                }
                bytes.extend(changes.appended);
                let emb = Emb::parse(&bytes).unwrap();
                for (n, (file, before)) in emb.files.iter().zip(&before).enumerate() {
                    prop_assert_eq!(&file.content, &contents[n]);
                    prop_assert_eq!(file.fault, None);
                    if n != number {
                        prop_assert_eq!(file, before);
                    }
                }
            }
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
