//! Repair of a line-end conversion: a program that treated the file as text wrote every carriage
//! return and line feed pair as a line feed (docs/formats/scid.md, section 3).
//!
//! The missing bytes are restored where this makes the file valid again: every number in range and
//! unique, every name sorted after the preceding one, and no byte left at the end.

use super::records::record;
use super::{NameHeader, compare_names, name_header};
use chessdb_core::sorting::sort_by_key;

/// A name file with its carriage returns restored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Restored {
    pub(crate) bytes: Vec<u8>,
    /// The offsets of the missing bytes in the damaged file.
    pub(crate) places: Vec<u64>,
}

/// The number of line feeds tried before the offset of a fault.
const TRIED: usize = 12;
/// The number of bytes parsed before the search is abandoned.
const WORK: usize = 1 << 28;

/// Returns the original file, or `None` if it cannot be determined.
pub(crate) fn restore(damaged: &[u8]) -> Option<Restored> {
    let mut restored = Restored {
        bytes: damaged.to_vec(),
        places: Vec::new(),
    };
    let mut work = 0;
    let mut sound = sound_until(&restored.bytes)?;
    while let Some(fault) = sound.fault {
        let bytes = &restored.bytes;
        let offsets = (0..fault.min(bytes.len())).rev();
        let feeds = offsets.filter(|&offset| {
            bytes.get(offset) == Some(&b'\n')
                && (offset == 0 || bytes.get(offset - 1) != Some(&b'\r'))
        });
        let mut best: Option<(usize, Sound)> = None;
        // The nearest come first: a fault shows within a few bytes of its cause.
        for offset in feeds.take(TRIED) {
            work += bytes.len();
            if work > WORK {
                return None;
            }
            let mut tried = bytes.clone();
            tried.insert(offset, b'\r');
            let Some(tried) = sound_until(&tried) else {
                continue;
            };
            if best.is_none_or(|(_, best)| tried.reach() > best.reach()) {
                best = Some((offset, tried));
            }
        }
        // The inserted byte alone moves the fault by one, so it must have moved further.
        let (offset, better) = best.filter(|(_, better)| better.reach() > sound.reach() + 1)?;
        restored.bytes.insert(offset, b'\r');
        // Until the end, places are offsets in the restored bytes.
        let later = restored
            .places
            .iter_mut()
            .filter(|place| **place >= offset as u64);
        later.for_each(|place| *place += 1);
        restored.places.push(offset as u64);
        sound = better;
    }
    // Converts to offsets in the damaged file by subtracting the returns inserted before each.
    sort_by_key(&mut restored.places, |place| *place);
    for (before, place) in (0..).zip(&mut restored.places) {
        *place -= before;
    }
    Some(restored).filter(|restored| !restored.places.is_empty())
}

/// How far a name file is valid.
#[derive(Clone, Copy)]
struct Sound {
    /// The end of the first record that must be wrong.
    fault: Option<usize>,
}

impl Sound {
    fn reach(self) -> usize {
        self.fault.unwrap_or(usize::MAX)
    }
}

/// Finds the first fault. `None` if this is not a name file.
fn sound_until(bytes: &[u8]) -> Option<Sound> {
    if !bytes.starts_with(NameHeader::MAGIC) {
        return None;
    }
    let (mut rest, file_header) = name_header(bytes).ok()?;
    let fault = |rest: &[u8]| {
        let fault = Some(bytes.len() - rest.len());
        Some(Sound { fault })
    };
    let mut name = Vec::new();
    let mut before = Vec::new();
    for widths in file_header.widths() {
        // Each name takes bytes of the file, so a greater count is wrong; this bounds the memory
        // too.
        if widths.count as usize > rest.len() {
            return fault(rest);
        }
        let mut seen = vec![false; widths.count as usize];
        name.clear();
        for n in 0..widths.count {
            let Ok((after, stored)) = record(rest, widths, n == 0) else {
                // The number, the length or the bytes after them may be wrong.
                return fault(rest.get(8..).unwrap_or_default());
            };
            let shared = usize::from(stored.prefix);
            before.clone_from(&name);
            name.truncate(shared);
            name.extend_from_slice(stored.own);
            let slot = seen.get_mut(stored.id as usize);
            let is_new = slot.is_some_and(|seen| !std::mem::replace(seen, true));
            let in_order = n == 0 || compare_names(&before, &name).is_lt();
            if shared > before.len() || !is_new || !in_order {
                return fault(after);
            }
            rest = after;
        }
    }
    if !rest.is_empty() {
        return fault(rest);
    }
    Some(Sound { fault: None })
}

#[cfg(test)]
mod tests {
    use super::super::NameFile;
    use super::*;

    /// Creates names of all lengths, so that 13 occurs as a length and 10 as a shared length.
    fn sample(names: u32) -> Vec<u8> {
        let mut file = NameFile::default();
        let mut sorted: Vec<(Vec<u8>, u32)> = (0..names)
            .map(|n| {
                let text = format!(
                    "Lastname{:02},{}",
                    n / 100,
                    "x".repeat((n % 100) as usize / 8)
                );
                (format!("{text}{n}").into_bytes(), n)
            })
            .collect();
        sorted.sort_by(|(a, _), (b, _)| compare_names(a, b));
        for (list, file_header) in file.lists.iter_mut().zip([0, 1, 2, 3]) {
            for (name, id) in &sorted {
                assert!(list.push(*id, 13, name));
            }
            file.file_header.counts[file_header] = names;
            file.file_header.max_frequencies[file_header] = 13;
        }
        file.to_bytes()
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of names, searched many times")]
    fn restore_undoes_a_line_end_conversion() {
        for names in [20, 300, 2000] {
            let bytes = sample(names);
            let mut damaged = Vec::new();
            let mut places = Vec::new();
            for (at, &byte) in bytes.iter().enumerate() {
                if byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                    places.push(damaged.len() as u64);
                } else {
                    damaged.push(byte);
                }
            }
            let restored = restore(&damaged);
            if places.is_empty() {
                assert_eq!(restored, None);
                continue;
            }
            let restored = restored.unwrap();
            assert!(restored.bytes == bytes, "{names} names");
            assert_eq!(restored.places, places);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of names, searched many times")]
    fn restore_ignores_other_damage() {
        let bytes = sample(300);
        for at in (36..bytes.len()).step_by(211) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            if let Some(restored) = restore(&damaged) {
                assert!(sound_until(&restored.bytes).unwrap().fault.is_none());
            }
        }
        assert_eq!(restore(&bytes), None);
        assert_eq!(restore(b"Scid.sn"), None);
    }
}
