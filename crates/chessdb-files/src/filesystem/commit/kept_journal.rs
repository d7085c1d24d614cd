//! The journal of a change in place. It stays next to the database, so that the change can be
//! undone (docs/decisions/0035-changes-in-place.md).
//!
//! The file consists of lines of text, the changed bytes, and a CRC-32:
//!
//! ```text
//! chessdb journal 2 pending
//! times 18c2f0a1b2c3d4e5 0000000000000000
//! command 1764425212 12 tag%20base.si4%20--set%20Site=Riga
//! command 1764420000 1 delete%20base.si4%20-n%205
//! sound
//! other 1600000 18c2f0a1b2c3d4e5 base.sg4
//! replace 1234:89abcdef 2345:01234567 base.sn4
//! edit 5000 5047 inline 1 base.si4
//! data 1a2b3c4d
//! ```
//!
//! 1. The state is `pending` (the new bytes count, but may not be in the files yet), `done`,
//!    `undoing` (the old bytes count), or `undone`.
//! 2. The times of the last modification of each file after the change, in nanoseconds since 1970,
//!    in hexadecimal digits; zero if not known. They show whether another program changed the file.
//! 3. The command, its time in seconds since 1970, and the number of its games (`-` if not known);
//!    then up to nineteen commands before it, the latest first.
//! 4. `sound` if the format found that the files belong together. Then the files that stay as they
//!    are: length, and time of the last modification.
//! 5. Files that are replaced, as in other journals ([`Journal`]). Old files stay under the suffix
//!    [`BEFORE`]; new ones have the suffix [`AFTER`] until they replace them.
//! 6. Files that are changed in place: length before, length after, `inline`, or `hidden:` with
//!    length and CRC-32 of the hidden file, or `moved` if the file is written again around the
//!    ranges; number of ranges.
//! 7. `data` with the CRC-32 of the lines from the third on. Then for each changed file: the inline
//!    bytes between both lengths, then the ranges: offset (8 bytes, little-endian), length (4 bytes;
//!    of a moved file, two lengths), the old bytes, the new bytes.
//! 8. CRC-32 of everything after the second line.
//!
//! A loss of power while the file is written leaves a wrong checksum. The database is then
//! unchanged, because it is not touched before the journal is on disk.

mod head;

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use chessdb_core::files::ByteRange;

pub use self::head::RecordedCommand;
pub(crate) use self::head::{ChangeLog, OtherFile, Soundness, is_known_sound};
use self::head::{EditLine, Head};
use super::disk::{remove, sync_folder};
use super::file_change::{FileChange, Tail};
use super::journal::{Fingerprint, Journal, KeptState, hidden, push_name};
use crate::filesystem::plain_file;
use crate::paths::folder_of;

/// The suffix of the journal of the last change.
pub(crate) const UNDO: &str = ".chessdb-undo";
/// The suffix of a replaced file while the change can be undone.
pub(crate) const BEFORE: &str = ".chessdb-before";
/// The suffix of a new file, or of appended bytes, of a change.
pub(crate) const AFTER: &str = ".chessdb-after";

const FIRST_WORDS: &str = "chessdb journal 2 ";

/// The largest number of appended bytes in a hidden file that stays for repeating a change.
const MAX_REPEATED: u64 = 64 << 20;

/// The largest journal, in bytes. A greater change needs more memory than writing the database again.
pub(super) const LARGEST: u64 = 1 << 30;

/// The state of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Pending,
    Done,
    Undoing,
    Undone,
}

impl State {
    const ALL: [State; 4] = [State::Pending, State::Done, State::Undoing, State::Undone];

    /// Returns its word, which always has the same length, because it is replaced in the file.
    fn word(self) -> &'static str {
        match self {
            State::Pending => "pending\n",
            State::Done => "done   \n",
            State::Undoing => "undoing\n",
            State::Undone => "undone \n",
        }
    }

    fn is_unfinished(self) -> bool {
        matches!(self, State::Pending | State::Undoing)
    }

    /// Returns whether the new bytes are the old ones of the change.
    fn is_reversed(self) -> bool {
        matches!(self, State::Undoing | State::Undone)
    }
}

/// Returns the path of the journal of a database.
pub(crate) fn path(main: &Path) -> PathBuf {
    hidden(main, UNDO)
}

/// Returns whether the last change of a database is unfinished.
pub(crate) fn is_unfinished(main: &Path) -> bool {
    read_unfinished(main).is_ok_and(|journal| journal.is_some())
}

/// Reads the journal of an unfinished change, with the bytes to be reached as the new ones. `None`
/// if there is none.
pub(crate) fn read_unfinished(main: &Path) -> io::Result<Option<Journal>> {
    match open(main)? {
        Some((file, state)) if state.is_unfinished() => read_rest(main, file, state),
        _ => Ok(None),
    }
}

/// Reads the journal of the last change. `None` if there is none, or if it was not written
/// completely: then the database is unchanged since.
pub(crate) fn read(main: &Path) -> io::Result<Option<(State, Journal)>> {
    let Some((file, state)) = open(main)? else {
        return Ok(None);
    };
    let journal = read_rest(main, file, state)?;
    Ok(journal.map(|journal| (state, journal)))
}

fn read_rest(main: &Path, file: File, state: State) -> io::Result<Option<Journal>> {
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(parse(main, &bytes, state))
}

/// Opens the journal after its state.
fn open(main: &Path) -> io::Result<Option<(File, State)>> {
    let mut file = match plain_file::open(&path(main)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut start = String::new();
    let length = FIRST_WORDS.len() + State::Pending.word().len();
    let read = (&mut file).take(length as u64).read_to_string(&mut start);
    let word = start.strip_prefix(FIRST_WORDS);
    let mut states = State::ALL.into_iter();
    let state = states.find(|state| Some(state.word()) == word);
    Ok(state.filter(|_| read.is_ok()).map(|state| (file, state)))
}

/// Parses a journal after its state.
fn parse(main: &Path, bytes: &[u8], state: State) -> Option<Journal> {
    let times = bytes.iter().position(|byte| *byte == b'\n')?;
    let (checked, crc) = bytes.get(times + 1..)?.split_last_chunk::<4>()?;
    if crc32fast::hash(checked) != u32::from_le_bytes(*crc) {
        return None;
    }
    let (head, mut rest) = Head::parse(main, checked)?;
    let changes = head.edits.into_iter().map(|line| edit(line, &mut rest));
    let journal = Journal {
        main: main.to_owned(),
        entries: head.entries,
        changes: changes.collect::<Option<_>>()?,
        kept: Some(KeptState {
            log: head.log,
            soundness: head.soundness,
            is_reversed: false,
        }),
    };
    let journal = if state.is_reversed() { journal.reversed() } else { journal };
    rest.is_empty().then_some(journal)
}

/// Takes the bytes of a changed file from `data`.
fn edit(line: EditLine, data: &mut &[u8]) -> Option<FileChange> {
    let EditLine {
        target,
        lengths: [before, after],
        tail,
        ranges: count,
    } = line;
    let mut take = |length: usize| {
        let (taken, rest) = data.split_at_checked(length)?;
        *data = rest;
        Some(taken)
    };
    let tail = match tail.strip_prefix("hidden:") {
        Some(words) => Tail::Hidden(Fingerprint::parse(words)??),
        None if tail == "inline" => {
            let length = usize::try_from(after.abs_diff(before)).ok()?;
            Tail::Inline(take(length)?.to_vec())
        }
        None if tail == "moved" => Tail::Moved,
        None => return None,
    };
    let is_moved = tail == Tail::Moved;
    let limit = if is_moved { before } else { before.min(after) };
    let mut ranges: Vec<ByteRange> = Vec::new();
    for _ in 0..count {
        let offset = u64::from_le_bytes(*take(8)?.as_array()?);
        let mut length = || Some(u32::from_le_bytes(*take(4)?.as_array()?) as usize);
        let old = length()?;
        let new = if is_moved { length()? } else { old };
        let range = ByteRange {
            offset,
            before: take(old)?.to_vec(),
            after: take(new)?.to_vec(),
        };
        let previous = ranges.last().map_or(0, ByteRange::end);
        if range.offset < previous || range.end() > limit {
            return None;
        }
        ranges.push(range);
    }
    if is_moved
        && ranges
            .iter()
            .fold(before, |length, range| range.moved(length))
            != after
    {
        return None;
    }
    Some(FileChange {
        target,
        before,
        after,
        tail,
        ranges,
    })
}

impl Journal {
    /// Writes the journal of a change that is about to begin. On return it is on disk.
    pub(super) fn write_kept(&self, kept: &KeptState) -> io::Result<()> {
        let path = path(&self.main);
        let is_new = fs::symlink_metadata(&path).is_err();
        let unknown = vec![0; self.entries.len() + self.changes.len()];
        let file = self.write_kept_as(kept, State::Pending, &unknown)?;
        if let Err(error) = file.sync_all() {
            // Nothing has been changed yet, and what is written is of no use.
            let _ = remove(&path);
            return Err(error);
        }
        // Hidden files of the change must have their names before the journal refers to them.
        if is_new || !self.entries.is_empty() || self.changes.iter().any(FileChange::is_hidden) {
            sync_folder(folder_of(&self.main));
        }
        Ok(())
    }

    /// Writes the journal of a change that the library of the format has made, which left the file
    /// with this time. The journal is not flushed: if it is lost, the change cannot be undone.
    pub(super) fn write_made(&self, is_reversed: bool, time: u64) -> io::Result<()> {
        let state = if is_reversed { State::Undone } else { State::Done };
        let kept = self.kept.as_ref().ok_or(io::ErrorKind::InvalidInput)?;
        self.write_kept_as(kept, state, &[time]).map(drop)
    }

    fn write_kept_as(&self, kept: &KeptState, state: State, times: &[u64]) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let path = path(&self.main);
        let mut file = plain_file::open_with(&mut options, &path)?;
        let bytes = self.kept_bytes(kept, state, times)?;
        // The old journal is overwritten, not replaced by a new file: that saves flushing the folder.
        let written = file.write_all(&bytes);
        if let Err(error) = written.and_then(|()| file.set_len(bytes.len() as u64)) {
            let _ = remove(&path);
            return Err(error);
        }
        Ok(file)
    }

    fn kept_bytes(&self, kept: &KeptState, state: State, times: &[u64]) -> io::Result<Vec<u8>> {
        let mut lines = String::new();
        for command in &kept.log.commands {
            command.push(&mut lines);
        }
        kept.soundness.push(&mut lines)?;
        for entry in &self.entries {
            let _ = write!(lines, "replace {} ", entry.words());
            push_name(&entry.target, &mut lines)?;
        }
        for change in &self.changes {
            let tail = match &change.tail {
                Tail::Inline(_) => "inline".to_owned(),
                Tail::Hidden(fingerprint) => format!("hidden:{}", fingerprint.word()),
                Tail::Moved => "moved".to_owned(),
            };
            let FileChange { before, after, .. } = change;
            let _ = write!(
                lines,
                "edit {before} {after} {tail} {} ",
                change.ranges.len()
            );
            push_name(&change.target, &mut lines)?;
        }
        let crc = crc32fast::hash(lines.as_bytes());
        let _ = writeln!(lines, "data {crc:08x}");
        let mut checked = lines.into_bytes();
        for change in &self.changes {
            if let Tail::Inline(bytes) = &change.tail {
                checked.extend_from_slice(bytes);
            }
            for range in &change.ranges {
                checked.extend_from_slice(&range.offset.to_le_bytes());
                checked.extend_from_slice(&(range.before.len() as u32).to_le_bytes());
                if change.is_moved() {
                    checked.extend_from_slice(&(range.after.len() as u32).to_le_bytes());
                }
                checked.extend_from_slice(&range.before);
                checked.extend_from_slice(&range.after);
            }
        }
        let crc = crc32fast::hash(&checked);
        let mut bytes = format!("{FIRST_WORDS}{}", state.word()).into_bytes();
        bytes.extend_from_slice(times_line(times).as_bytes());
        bytes.append(&mut checked);
        bytes.extend_from_slice(&crc.to_le_bytes());
        Ok(bytes)
    }

    /// Notes in the journal that the change is complete. The note is not flushed: if it is lost,
    /// the next program finds that every byte is new.
    pub(super) fn note_completion(&self, is_reversed: bool) -> io::Result<()> {
        let state = if is_reversed { State::Undone } else { State::Done };
        let times: Vec<u64> = self.targets().map(modified).collect();
        let mut file = plain_file::open_with(OpenOptions::new().write(true), &path(&self.main))?;
        file.seek(SeekFrom::Start(FIRST_WORDS.len() as u64))?;
        let note = format!("{}{}", state.word(), times_line(&times));
        file.write_all(note.as_bytes())
    }
}

/// Sets the state of the journal of a database. On return it is on disk.
pub(super) fn note_state(main: &Path, state: State) -> io::Result<()> {
    let mut file = plain_file::open_with(OpenOptions::new().write(true), &path(main))?;
    file.seek(SeekFrom::Start(FIRST_WORDS.len() as u64))?;
    file.write_all(state.word().as_bytes())?;
    file.sync_all()
}

/// Returns the noted times of the files, in the order of [`Journal::targets`].
pub(super) fn noted_times(main: &Path) -> io::Result<Vec<u64>> {
    let Some((file, _)) = open(main)? else {
        return Ok(Vec::new());
    };
    let mut line = Vec::new();
    io::BufRead::read_until(
        &mut io::BufReader::new(file.take(1 << 16)),
        b'\n',
        &mut line,
    )?;
    Ok(times_of(&line).map(|(times, _)| times).unwrap_or_default())
}

/// Parses the line of times. Returns the bytes after it too.
fn times_of(bytes: &[u8]) -> Option<(Vec<u64>, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let words = line.split_ascii_whitespace().skip(1);
    let times = words.map(|word| u64::from_str_radix(word, 16).unwrap_or(0));
    Some((times.collect(), bytes.get(end + 1..)?))
}

/// Returns the checksum of the journal of a database, which is different for each change.
pub(super) fn checksum(main: &Path) -> io::Result<u32> {
    let mut file = plain_file::open(&path(main))?;
    let mut checksum = [0; 4];
    file.seek(SeekFrom::End(-4))?;
    file.read_exact(&mut checksum)?;
    Ok(u32::from_le_bytes(checksum))
}

/// Removes the journal of a database with these files, and what only undoing needs.
pub(crate) fn forget<'p>(main: &Path, targets: impl Iterator<Item = &'p Path>) -> io::Result<()> {
    forget_files(targets)?;
    remove(&path(main))
}

/// Removes the hidden files that only undoing the last change needs.
pub(crate) fn forget_files<'p>(targets: impl Iterator<Item = &'p Path>) -> io::Result<()> {
    for target in targets {
        remove(&hidden(target, BEFORE))?;
        remove(&hidden(target, AFTER))?;
    }
    Ok(())
}

/// Removes appended bytes that are only needed for repeating a change after it was undone, if they
/// are too many to stay on disk twice.
pub(crate) fn trim<'p>(targets: impl Iterator<Item = &'p Path>) {
    for target in targets {
        let path = hidden(target, AFTER);
        if fs::symlink_metadata(&path).is_ok_and(|data| data.len() > MAX_REPEATED) {
            // A file that cannot be removed costs nothing but its space.
            let _ = remove(&path);
        }
    }
}

/// Removes a journal that was not written completely, and the hidden files of its change.
///
/// The caller holds the lock and knows that no change is unfinished.
pub(super) fn sweep<'p>(main: &Path, targets: impl Iterator<Item = &'p Path>) -> io::Result<()> {
    // The state alone decides: a journal of many changes is not read each time a writer starts.
    match open(main)? {
        Some((_, state)) if !state.is_unfinished() => Ok(()),
        _ => forget(main, targets),
    }
}

fn times_line(times: &[u64]) -> String {
    let words: String = times.iter().map(|time| format!(" {time:016x}")).collect();
    format!("times{words}\n")
}

/// Returns the time of the last modification in nanoseconds since 1970; 0 if not known.
pub(super) fn modified(path: &Path) -> u64 {
    let time = fs::metadata(path).and_then(|data| data.modified());
    nanoseconds(time.ok())
}

/// Returns a time in nanoseconds since 1970; 0 if not known.
pub(super) fn nanoseconds(time: Option<SystemTime>) -> u64 {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0))
}

#[cfg(test)]
mod tests;
