//! Files that grow: bytes appended to a file and the few changed bytes at its beginning that count
//! them.
//!
//! The new bytes are in the hidden file until the journal is written. Then they are appended to the
//! file. A later run that finds the journal writes them again: the same bytes at the same offset.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::journal::{Fingerprint, WRITING, hidden};
use crate::filesystem::plain_file;

/// The number of bytes at the beginning of a file that identify it.
pub(crate) const HEAD: u64 = 4096;

/// The planned growth of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Growth {
    pub(crate) target: PathBuf,
    /// The length of the file before.
    pub(crate) bytes: u64,
    /// CRC-32 of the beginning of the file, with zeros in place of the bytes that change there.
    pub(crate) head: u32,
    /// Length and checksum of the appended bytes, which are the content of the hidden file.
    pub(crate) tail: Fingerprint,
    pub(crate) changes: Vec<BytePatch>,
}

/// A replacement of bytes in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BytePatch {
    pub(crate) offset: u64,
    pub(crate) old: Vec<u8>,
    pub(crate) new: Vec<u8>,
}

/// The progress of a [`Growth`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GrowthState {
    /// Not at all, or unknown; the file can be cut back.
    No,
    /// Partly or completely; the bytes to append are still in the hidden file.
    Going,
    /// Completely; the hidden file is gone.
    Done,
    /// The file is neither in its old state nor between the old and the new one.
    Other,
}

impl Growth {
    /// Returns the growth of a file with its new bytes in the hidden file.
    pub(crate) fn new(
        target: &Path,
        bytes: u64,
        changes: Vec<(u64, Vec<u8>)>,
    ) -> io::Result<Growth> {
        let tail = Fingerprint::read(&hidden(target, WRITING))?;
        let tail = tail.ok_or(io::ErrorKind::NotFound)?;
        let mut file = File::open(target)?;
        let head = read_head(&mut file, bytes)?;
        let changes = changes.into_iter().map(|(offset, new)| {
            let old = read_at(&mut file, offset, new.len())?;
            Ok(BytePatch { offset, old, new })
        });
        let changes: Vec<BytePatch> = changes.collect::<io::Result<_>>()?;
        Ok(Growth {
            target: target.to_owned(),
            bytes,
            head: sum(head, &changes),
            tail,
            changes,
        })
    }

    /// Returns the words of its line in a journal.
    pub(crate) fn words(&self) -> String {
        let hex = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
        };
        let mut words = format!("{}:{:08x} {} ", self.bytes, self.head, self.tail.word());
        for (n, change) in self.changes.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let (old, new) = (hex(&change.old), hex(&change.new));
            let _ = write!(words, "{comma}{}:{old}:{new}", change.offset);
        }
        if self.changes.is_empty() {
            words.push('-');
        }
        words
    }

    /// Parses the words of a journal line about the file `target`.
    pub(crate) fn parse(words: [&str; 3], target: PathBuf) -> Option<Growth> {
        let [old, tail, changes] = words;
        let (bytes, head) = old.split_once(':')?;
        let bytes: u64 = bytes.parse().ok()?;
        let head = u32::from_str_radix(head, 16).ok()?;
        let tail = Fingerprint::parse(tail)??;
        let changes = match changes {
            "-" => Vec::new(),
            changes => changes.split(',').map(change).collect::<Option<_>>()?,
        };
        // Changes concern old bytes only; the new ones are in the hidden file.
        let inside = |change: &BytePatch| {
            let end = change.offset.checked_add(change.new.len() as u64);
            end.is_some_and(|end| end <= bytes)
        };
        changes.iter().all(inside).then_some(Growth {
            target,
            bytes,
            head,
            tail,
            changes,
        })
    }

    /// Returns the state of the file on disk.
    pub(crate) fn look(&self) -> io::Result<GrowthState> {
        let data = match fs::symlink_metadata(&self.target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(GrowthState::Other),
            data => data?,
        };
        let all = self.bytes.saturating_add(self.tail.bytes());
        // A shorter or longer file is the work of another program.
        if !data.is_file() || !(self.bytes..=all).contains(&data.len()) {
            return Ok(GrowthState::Other);
        }
        let mut file = plain_file::open(&self.target)?;
        let head = read_head(&mut file, self.bytes)?;
        let mut changed = true;
        for change in &self.changes {
            let current = read_at(&mut file, change.offset, change.new.len())?;
            changed &= current == change.new;
            // The checksum, compared below, has zeros for changes at the beginning.
            let is_known = current == change.new || current == change.old || change.offset < HEAD;
            if !is_known {
                return Ok(GrowthState::Other);
            }
        }
        if sum(head, &self.changes) != self.head {
            return Ok(GrowthState::Other);
        }
        let tail = hidden(&self.target, WRITING);
        let is_there = Fingerprint::read(&tail)? == Some(self.tail);
        file.seek(SeekFrom::Start(self.bytes))?;
        if is_there {
            return Ok(
                if is_on_its_way(&mut file, &mut plain_file::open(&tail)?)? {
                    GrowthState::Going
                } else {
                    GrowthState::Other
                },
            );
        }
        match (
            Fingerprint::read_rest(&mut file)? == self.tail,
            data.len() == self.bytes,
        ) {
            (true, _) if changed => Ok(GrowthState::Done),
            (true, _) | (_, true) => Ok(GrowthState::No),
            _ => Ok(GrowthState::Other),
        }
    }

    /// Writes the new bytes.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut tail = match plain_file::open(&hidden(&self.target, WRITING)) {
            // Only the last step removes the hidden file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            tail => tail?,
        };
        let mut file = plain_file::open_with(OpenOptions::new().write(true), &self.target)?;
        // Bytes that another program appends meanwhile come after the bytes reserved here.
        let all = self.bytes.saturating_add(self.tail.bytes());
        if file.metadata()?.len() < all {
            file.set_len(all)?;
        }
        file.seek(SeekFrom::Start(self.bytes))?;
        io::copy(&mut tail, &mut file)?;
        // The beginning contains the count, so it is written only when the counted bytes are on
        // disk.
        if !self.changes.is_empty() {
            file.sync_all()?;
        }
        for change in &self.changes {
            file.seek(SeekFrom::Start(change.offset))?;
            file.write_all(&change.new)?;
        }
        file.sync_all()
    }

    /// Restores the old state of the file.
    pub(crate) fn undo(&self) -> io::Result<()> {
        let mut file = plain_file::open_with(OpenOptions::new().write(true), &self.target)?;
        for change in &self.changes {
            file.seek(SeekFrom::Start(change.offset))?;
            file.write_all(&change.old)?;
        }
        // The changed bytes come first: they contain the count, which must never exceed the games.
        file.set_len(self.bytes)?;
        file.sync_all()
    }
}

/// Returns whether the rest of `file` is a prefix of `tail`. Zeros count as equal: after a power
/// failure they take the place of bytes that were not written.
fn is_on_its_way(file: &mut File, tail: &mut File) -> io::Result<bool> {
    let (mut current, mut wanted) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let count = file.read(&mut current)?;
        let (Some(current), Some(wanted)) = (current.get(..count), wanted.get_mut(..count)) else {
            return Ok(false);
        };
        if current.is_empty() {
            return Ok(true);
        }
        match tail.read_exact(wanted) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        let mut pairs = current.iter().zip(wanted.iter());
        if !pairs.all(|(byte, wanted)| byte == wanted || *byte == 0) {
            return Ok(false);
        }
    }
}

fn change(words: &str) -> Option<BytePatch> {
    let mut words = words.split(':');
    let offset = words.next()?.parse().ok()?;
    let (old, new) = (bytes(words.next()?)?, bytes(words.next()?)?);
    let is_sound = words.next().is_none() && old.len() == new.len();
    is_sound.then_some(BytePatch { offset, old, new })
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

fn read_head(file: &mut File, bytes: u64) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(bytes.min(HEAD)).read_to_end(&mut head)?;
    Ok(head)
}

fn read_at(file: &mut File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Returns the CRC-32 of a file's beginning, with zeros in place of the bytes that change.
fn sum(mut head: Vec<u8>, changes: &[BytePatch]) -> u32 {
    for change in changes {
        let start = usize::try_from(change.offset).unwrap_or(usize::MAX);
        let range = start..start.saturating_add(change.new.len());
        if let Some(bytes) = head.get_mut(range) {
            bytes.fill(0);
        }
    }
    crc32fast::hash(&head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(folder: &Path, old: &[u8], tail: &[u8], changes: Vec<(u64, Vec<u8>)>) -> Growth {
        let target = folder.join("b.i");
        fs::write(&target, old).unwrap();
        fs::write(hidden(&target, WRITING), tail).unwrap();
        Growth::new(&target, old.len() as u64, changes).unwrap()
    }

    #[test]
    fn journal_line_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let changes = vec![(1, vec![7, 8]), (4, vec![255])];
        for changes in [Vec::new(), changes] {
            let growth = lay(folder.path(), b"012345", b"678", changes);
            let words = growth.words();
            let words: Vec<&str> = words.split(' ').collect();
            let words: [&str; 3] = words.try_into().unwrap();
            let target = growth.target.clone();
            assert_eq!(Growth::parse(words, target.clone()), Some(growth));
            assert_eq!(Growth::parse([words[0], words[1], "9:00:11"], target), None);
        }
    }

    /// After the beginning, which has a checksum, the old and new bytes are compared.
    #[test]
    fn changes_apply_at_any_offset() {
        let folder = tempfile::tempdir().unwrap();
        let mut old = vec![b'0'; 6000];
        let growth = lay(folder.path(), &old, b"tail", vec![(5000, b"x".to_vec())]);
        let words = growth.words();
        let words: Vec<&str> = words.split(' ').collect();
        let words: [&str; 3] = words.try_into().unwrap();
        assert_eq!(
            Growth::parse(words, growth.target.clone()).as_ref(),
            Some(&growth)
        );
        let state = |change: u8, tail: &[u8]| {
            let mut bytes = vec![b'0'; 6000];
            bytes[5000] = change;
            [&bytes[..], tail].concat()
        };
        for (bytes, expected) in [
            (state(b'0', b""), GrowthState::Going),
            (state(b'0', b"ta"), GrowthState::Going),
            (state(b'x', b"tail"), GrowthState::Going),
            (state(b'y', b"tail"), GrowthState::Other),
        ] {
            fs::write(&growth.target, bytes).unwrap();
            assert_eq!(growth.look().unwrap(), expected);
        }
        fs::write(&growth.target, state(b'0', b"ta")).unwrap();
        growth.finish().unwrap();
        assert_eq!(fs::read(&growth.target).unwrap(), state(b'x', b"tail"));
        growth.undo().unwrap();
        old[5000] = b'0';
        assert_eq!(fs::read(&growth.target).unwrap(), old);
    }

    /// Every state that an interruption can leave is finished and undone; any other is left alone.
    #[test]
    fn append_survives_interruption_at_any_step() {
        let folder = tempfile::tempdir().unwrap();
        let (old, tail, new) = (b"0 2345", b"67\x008", b"0x234567\x008");
        let growth = lay(folder.path(), old, tail, vec![(1, b"x".to_vec())]);
        let target = &growth.target;
        let tail_path = hidden(target, WRITING);
        let states: [(&[u8], bool); 8] = [
            (b"0 2345", true),
            (b"0 23456", true),
            (b"0 23450\x000", false),
            (b"0 2345\0\0\0", true),
            (b"0x234567\x008", true),
            (b"0x234567\x0089", false),
            (b"0 2346", false),
            (b"0 234", false),
        ];
        for (state, is_known) in states {
            fs::write(target, state).unwrap();
            let expected = if is_known { GrowthState::Going } else { GrowthState::Other };
            assert_eq!(growth.look().unwrap(), expected, "{state:?}");
            if is_known {
                growth.undo().unwrap();
                assert_eq!(fs::read(target).unwrap(), old);
                fs::write(target, state).unwrap();
                growth.finish().unwrap();
                assert_eq!(fs::read(target).unwrap(), new);
            }
        }
        fs::write(target, new).unwrap();
        fs::remove_file(tail_path).unwrap();
        assert_eq!(growth.look().unwrap(), GrowthState::Done);
        growth.finish().unwrap();
        for (state, grown) in [
            (&b"0 2345"[..], GrowthState::No),
            (b"0 234567\x008", GrowthState::No),
            (b"0 23456", GrowthState::Other),
        ] {
            fs::write(target, state).unwrap();
            assert_eq!(growth.look().unwrap(), grown, "{state:?}");
        }
        fs::remove_file(target).unwrap();
        assert_eq!(growth.look().unwrap(), GrowthState::Other);
    }
}
