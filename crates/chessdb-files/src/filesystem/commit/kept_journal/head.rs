//! The lines of a kept journal before the changed bytes: what is known about a change without
//! reading its bytes.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::journal::{JournalEntry, decoded, entry, push_encoded, push_name, target};
use super::{State, modified, open, times_of};

/// The number of commands that are listed.
const COMMANDS: usize = 20;

/// The largest head that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// A change of a database in place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedCommand {
    /// The time of the change.
    pub time: SystemTime,
    /// The number of games that were changed or added, if it was known before.
    pub games: Option<u64>,
    /// The command in words.
    pub command: String,
}

impl RecordedCommand {
    pub(super) fn push(&self, text: &mut String) {
        let seconds = self.time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let games = self.games.map_or("-".to_owned(), |games| games.to_string());
        let _ = write!(text, "command {} {games} ", seconds.as_secs());
        push_encoded(self.command.as_bytes(), text);
        text.push('\n');
    }

    fn parse(words: &str) -> Option<RecordedCommand> {
        let mut words = words.split(' ');
        let seconds = Duration::from_secs(words.next()?.parse().ok()?);
        let games = match words.next()? {
            "-" => None,
            games => Some(games.parse().ok()?),
        };
        let command = String::from_utf8(decoded(words.next()?)?).ok()?;
        Some(RecordedCommand {
            time: UNIX_EPOCH.checked_add(seconds)?,
            games,
            command,
        })
    }
}

/// The last change of a database and the commands before it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct ChangeLog {
    /// The latest first.
    pub(crate) commands: Vec<RecordedCommand>,
}

/// What a change leaves: the reason to trust the files without examining them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Soundness {
    /// Whether the format found that the files belong together.
    pub(crate) is_sound: bool,
    /// The files of the database that the change does not touch.
    pub(crate) others: Vec<OtherFile>,
}

/// The length and the modification time of a file that a change does not touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OtherFile {
    pub(crate) path: PathBuf,
    bytes: u64,
    /// In nanoseconds since 1970.
    modified: u64,
}

impl OtherFile {
    pub(crate) fn read(path: &Path) -> OtherFile {
        OtherFile {
            path: path.to_owned(),
            bytes: fs::metadata(path).map_or(0, |data| data.len()),
            modified: modified(path),
        }
    }

    /// Returns whether the file has another length or time now.
    pub(crate) fn has_changed(&self) -> bool {
        OtherFile::read(&self.path) != *self
    }
}

impl Soundness {
    pub(super) fn push(&self, text: &mut String) -> std::io::Result<()> {
        if self.is_sound {
            text.push_str("sound\n");
        }
        for other in &self.others {
            let _ = write!(text, "other {} {:x} ", other.bytes, other.modified);
            push_name(&other.path, text)?;
        }
        Ok(())
    }
}

/// The line of a changed file, before its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EditLine {
    pub(super) target: PathBuf,
    /// The lengths before and after the change.
    pub(super) lengths: [u64; 2],
    pub(super) tail: String,
    /// The number of ranges.
    pub(super) ranges: u32,
}

/// The head of a journal.
#[derive(Default, Debug)]
pub(super) struct Head {
    pub(super) log: ChangeLog,
    pub(super) soundness: Soundness,
    pub(super) entries: Vec<JournalEntry>,
    pub(super) edits: Vec<EditLine>,
}

impl Head {
    /// Parses the lines after the times. Returns the bytes after them too.
    pub(super) fn parse<'b>(main: &Path, bytes: &'b [u8]) -> Option<(Head, &'b [u8])> {
        let mut head = Head::default();
        let mut rest = bytes;
        loop {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let line = std::str::from_utf8(rest.get(..end)?).ok()?;
            let checked = bytes.get(..bytes.len() - rest.len())?;
            rest = rest.get(end + 1..)?;
            match line.split_once(' ').unwrap_or((line, "")) {
                ("command", words) => head.log.commands.push(RecordedCommand::parse(words)?),
                ("sound", "") => head.soundness.is_sound = true,
                ("other", words) => head.soundness.others.push(other_file(main, words)?),
                ("replace", words) => head.entries.push(entry(main, words)?),
                ("edit", words) => head.edits.push(edit_line(main, words)?),
                ("data", crc) => {
                    let crc = u32::from_str_radix(crc, 16).ok()?;
                    return (crc == crc32fast::hash(checked)).then_some((head, rest));
                }
                _ => return None,
            }
        }
    }

    /// Reads the head of the journal of a database. Also returns the noted times of the changed files.
    /// `None` if there is no journal or its head was not written completely.
    fn read(main: &Path) -> Option<(State, Vec<u64>, Head)> {
        let (file, state) = open(main).ok()??;
        let mut bytes = Vec::new();
        let mut file = file.take(LARGEST);
        // Most heads are short, and the bytes of a change may be many.
        let mut portion = 16 << 10;
        loop {
            let read = (&mut file).take(portion).read_to_end(&mut bytes).ok()?;
            let (times, rest) = times_of(&bytes)?;
            match Head::parse(main, rest) {
                Some((head, _)) => return Some((state, times, head)),
                None if (read as u64) < portion => return None,
                None => portion *= 4,
            }
        }
    }

    /// Returns whether the database is as the change left it, with exactly these files.
    fn describes<'p>(
        &self,
        state: State,
        times: &[u64],
        mut files: impl Iterator<Item = &'p Path>,
    ) -> bool {
        let is_undone = state == State::Undone;
        let replaced = self.entries.iter().map(|entry| {
            let left = if is_undone { entry.old } else { entry.new };
            (&entry.target, left.map(|left| left.bytes()))
        });
        let edited = self.edits.iter().map(|edit| {
            let [before, after] = edit.lengths;
            (&edit.target, Some(if is_undone { before } else { after }))
        });
        let changed = replaced.chain(edited).zip(times);
        let changed = changed.map(|((path, bytes), time)| (path, bytes, *time));
        let others = self.soundness.others.iter();
        let others = others.map(|other| (&other.path, Some(other.bytes), other.modified));
        let known: Vec<_> = changed.chain(others).collect();
        matches!(state, State::Done | State::Undone)
            && files.all(|file| {
                let now = OtherFile::read(file);
                known.iter().any(|(path, bytes, time)| {
                    path.as_path() == file && *bytes == Some(now.bytes) && *time == now.modified
                })
            })
    }
}

impl ChangeLog {
    /// Returns the log of a new change, after those in the journal of this database.
    pub(crate) fn continued(main: &Path, command: RecordedCommand) -> ChangeLog {
        let mut commands = vec![command];
        if let Some((state, _, head)) = Head::read(main) {
            // A change that was undone cannot be repeated after another one.
            let undone = usize::from(state.is_reversed());
            commands.extend(head.log.commands.into_iter().skip(undone));
            commands.truncate(COMMANDS);
        }
        ChangeLog { commands }
    }
}

/// Returns whether a database with these files is exactly as its last change in place left it, and
/// the format found before that change that the files belong together.
pub(crate) fn is_known_sound<'p>(main: &Path, files: impl Iterator<Item = &'p Path>) -> bool {
    Head::read(main).is_some_and(|(state, times, head)| {
        head.soundness.is_sound && head.describes(state, &times, files)
    })
}

fn other_file(main: &Path, words: &str) -> Option<OtherFile> {
    let mut words = words.split(' ');
    let bytes = words.next()?.parse().ok()?;
    let modified = u64::from_str_radix(words.next()?, 16).ok()?;
    let path = target(main, words.next()?)?;
    words.next().is_none().then_some(OtherFile {
        path,
        bytes,
        modified,
    })
}

fn edit_line(main: &Path, words: &str) -> Option<EditLine> {
    let mut words = words.split(' ');
    let lengths = [words.next()?.parse().ok()?, words.next()?.parse().ok()?];
    let tail = words.next()?.to_owned();
    let ranges = words.next()?.parse().ok()?;
    let target = target(main, words.next()?)?;
    words.next().is_none().then_some(EditLine {
        target,
        lengths,
        tail,
        ranges,
    })
}
