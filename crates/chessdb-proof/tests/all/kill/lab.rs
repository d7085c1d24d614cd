//! Test folders with an old database, runs of the program in them, and the resulting files.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Target;
use super::changes::Change;
use super::trace::{Call, Killers, Point, calls};

/// The names and contents of files.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The user ID of an account without rights, for runs that must not change anything.
const NOBODY: u32 = 65534;

/// The state of the target before the run, and the kind of run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Another database of the same name is replaced.
    Replace,
    /// Like [`Case::Replace`] with old and new exchanged, so that either may have a file that the
    /// other lacks.
    Back,
    /// The old files have names in capitals.
    Capitals,
    /// The old files are links into another folder.
    Links,
    /// There are no old files.
    Fresh,
    /// Games are appended to a database.
    Append,
    /// A command changes games of a database.
    Change(&'static Change),
}

impl Case {
    /// Returns whether running the command again after it is complete changes the database again.
    pub(crate) fn is_repeated(self) -> bool {
        match self {
            Case::Append => true,
            Case::Change(change) => !change.is_final,
            _ => false,
        }
    }
}

/// The result of a run of the program.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; `None` if a signal ended the program.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    signal: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A state of a database, with the exit code and output of `check` for it.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) files: Files,
    pub(crate) check: Option<(i32, String)>,
}

/// A target that is written repeatedly.
pub(crate) struct Lab<'l> {
    killers: &'l Killers,
    program: PathBuf,
    /// The folder that contains everything.
    folder: PathBuf,
    /// The input of the program.
    source: PathBuf,
    target: Target,
    pub(crate) case: Case,
    pub(crate) old: State,
    pub(crate) new: State,
    /// The files before the command that prepares a [`Case::Change`].
    unchanged: Files,
    /// The system calls of an uninterrupted run.
    pub(crate) calls: Vec<Call>,
}

/// Reads the hidden or the other files of a folder.
fn files(folder: &Path, hidden: bool) -> Files {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .map(|name| name.into_string().unwrap());
    names
        .filter(|name| name.starts_with('.') == hidden)
        .map(|name| (name.clone(), fs::read(folder.join(name)).unwrap()))
        .collect()
}

fn fresh(folder: &Path) {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
        _ => fs::create_dir_all(folder).unwrap(),
    }
}

impl<'l> Lab<'l> {
    /// Writes the old and the new database once, uninterrupted, from the two files of games. `None` if
    /// the format cannot make the change.
    pub(crate) fn new(
        killers: &'l Killers,
        work: &Path,
        target: Target,
        case: Case,
        [before, after]: &[PathBuf; 2],
    ) -> Option<Lab<'l>> {
        let mut lab = Lab {
            killers,
            program: work.join("chessdb"),
            folder: work.join(target.extension),
            source: before.clone(),
            target,
            // Not through links, which do not exist yet.
            case: Case::Replace,
            old: State::default(),
            new: State::default(),
            unchanged: Files::new(),
            calls: Vec::new(),
        };
        lab.reset();
        if case != Case::Fresh {
            lab.write_once();
            lab.old.files = lab.files();
            // Files of other programs that do not match the new database.
            if target.extension == target.format.roles[0].0 {
                let names = target
                    .format
                    .derived
                    .iter()
                    .map(|role| format!("base.{}", role.0));
                let derived = names.map(|name| (name.clone(), name.into_bytes()));
                lab.old.files.extend(derived);
            }
            if case == Case::Capitals {
                let files = std::mem::take(&mut lab.old.files).into_iter();
                lab.old.files = files
                    .map(|(name, bytes)| (name.to_uppercase(), bytes))
                    .collect();
            }
        }
        (lab.case, lab.source) = (case, after.clone());
        lab.unchanged.clone_from(&lab.old.files);
        lab.reset();
        if let Case::Change(change) = case {
            lab.old.files = lab.files();
            let ran = lab.run(&lab.writing());
            let is_unable = ran.err.contains("cannot store") || ran.err.contains("Not stored");
            if ran.code == Some(4) && is_unable || lab.files() == lab.old.files {
                assert!(ran.err.is_empty() || is_unable, "{change:?}: {ran:?}");
                return None;
            }
            lab.reset();
        }
        lab.old.check = lab.checked();
        lab.calls = lab.noting(&lab.writing());
        lab.new = State {
            files: lab.files(),
            check: lab.checked(),
        };
        // Written twice to verify that the bytes are reproducible.
        lab.reset();
        lab.write_once();
        assert!(
            lab.files() == lab.new.files,
            "{}: two runs write different bytes",
            target.extension
        );
        assert!(
            lab.new.files != lab.old.files,
            "{}: old and new are the same",
            target.extension
        );
        Some(lab)
    }

    /// Returns the folder of the files themselves, not of the links.
    fn real(&self) -> PathBuf {
        self.folder.join("base")
    }

    /// Returns the path of the database as given to the program.
    fn path(&self) -> PathBuf {
        let is_linked = self.case == Case::Links;
        let folder = if is_linked { self.folder.join("links") } else { self.real() };
        folder.join("base").with_extension(self.target.extension)
    }

    pub(crate) fn files(&self) -> Files {
        let mut files = files(&self.real(), false);
        if self.is_changed_by_library() {
            // An empty journal belongs to a transaction that has changed nothing, and one without a
            // valid header is left over from a transaction that is complete.
            let is_valid = |bytes: &[u8]| bytes.first().is_some_and(|&first| first != 0);
            files.retain(|name, bytes| !name.ends_with("-journal") || is_valid(bytes));
        }
        files
    }

    pub(crate) fn hidden(&self) -> Files {
        files(&self.real(), true)
    }

    /// Restores the old database and removes everything else.
    pub(crate) fn reset(&self) {
        let before = match self.case {
            Case::Change(change) => change.before,
            _ => &[],
        };
        if before.is_empty() {
            return self.restore(&self.old.files, &Files::new());
        }
        // The journal has the times of the files, so the change before is made again.
        self.restore(&self.unchanged, &Files::new());
        drop(self.run(&self.with_path(before)));
    }

    /// Returns the arguments with the paths of the database and of the folder of sources. The former
    /// comes last if they do not name it.
    fn with_path(&self, words: &[&str]) -> Vec<PathBuf> {
        let sources = self.source.parent().unwrap();
        let word = |word: &&str| match (*word, word.strip_prefix("FOLDER/")) {
            ("BASE", _) => self.path(),
            (_, Some(name)) => sources.join(name),
            (word, None) => word.into(),
        };
        let last = (!words.contains(&"BASE")).then(|| self.path());
        words.iter().map(word).chain(last).collect()
    }

    /// Restores these files and removes everything else.
    pub(crate) fn restore(&self, files: &Files, hidden: &Files) {
        fresh(&self.real());
        fresh(&self.folder.join("tmp"));
        for (name, bytes) in files.iter().chain(hidden) {
            fs::write(self.real().join(name), bytes).unwrap();
        }
        if self.case == Case::Links {
            let links = self.folder.join("links");
            fresh(&links);
            for name in self.old.files.keys() {
                symlink(self.real().join(name), links.join(name)).unwrap();
            }
        }
    }

    /// Returns the arguments that write the new database.
    pub(crate) fn writing(&self) -> Vec<PathBuf> {
        let source = self.source.to_str().unwrap();
        let words: &[&str] = match self.case {
            Case::Append => &["convert", "-q", "-j", "1", "--append", source],
            Case::Change(change) => return self.with_path(&[change.words, &["-q"]].concat()),
            _ => &[
                "convert",
                "-q",
                "-j",
                "1",
                "--force",
                "-t",
                self.target.format.id,
                source,
            ],
        };
        self.with_path(words)
    }

    /// Returns the arguments of a writer that changes nothing, but cleans up.
    pub(crate) fn tidying(&self) -> Vec<PathBuf> {
        self.with_path(&["delete", "-q", "-n", "16000000"])
    }

    /// Returns whether the run changes files in place.
    pub(crate) fn grows(&self) -> bool {
        match self.case {
            Case::Append => self.target.format.append.is_some(),
            Case::Change(change) => {
                self.target.format.change.is_some() && change.words != ["compact"]
            }
            _ => false,
        }
    }

    /// Returns the arguments of a command that reads the database.
    pub(crate) fn command(&self, word: &str) -> Vec<PathBuf> {
        vec![
            word.into(),
            "-f".into(),
            self.target.format.id.into(),
            self.path(),
        ]
    }

    /// Returns whether the library of the format changes the files, by a transaction of its own.
    pub(crate) fn is_changed_by_library(&self) -> bool {
        self.grows() && self.target.format.disk.is_some()
    }

    fn start(&self, mut command: Command, args: &[PathBuf]) -> Ran {
        command
            .args(args)
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        command.env("TMPDIR", self.folder.join("tmp"));
        let edited = self.source.with_file_name("edited.pgn");
        command.env("VISUAL", format!("cp '{}'", edited.display()));
        let output = command.output().unwrap();
        Ran {
            code: output.status.code(),
            signal: output.status.signal(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn run(&self, args: &[PathBuf]) -> Ran {
        self.start(Command::new(&self.program), args)
    }

    /// Writes the new database, uninterrupted.
    pub(crate) fn write_once(&self) {
        let ran = self.run(&self.writing());
        // Exit code 1: the format cannot store some games completely.
        assert!(
            matches!(ran.code, Some(0 | 1)),
            "{}: {ran:?}",
            self.target.extension
        );
    }

    /// Runs the program until it is killed at this point; returns false if it finished first.
    pub(crate) fn until(&self, point: &Point, args: &[PathBuf]) -> bool {
        let ran = self.start(self.killers.ending(&self.program, point), args);
        ran.signal == Some(point.signal())
    }

    /// Runs the program and returns its system calls.
    pub(crate) fn noting(&self, args: &[PathBuf]) -> Vec<Call> {
        let log = self.folder.join("calls");
        let ran = self.start(self.killers.noting(&self.program, &log), args);
        assert!(
            matches!(ran.code, Some(0 | 1)),
            "{}: {ran:?}",
            self.target.extension
        );
        calls(&log)
    }

    /// Runs `check` as a user who cannot change anything in the folder.
    pub(crate) fn check_without_rights(&self) -> Ran {
        let rights = |mode| fs::set_permissions(self.real(), Permissions::from_mode(mode)).unwrap();
        let mut command = Command::new(&self.program);
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        rights(0o555);
        let ran = self.start(command, &self.command("check"));
        rights(0o755);
        ran
    }

    /// Returns the exit code and output of `check`; `None` if there are no files.
    pub(crate) fn checked(&self) -> Option<(i32, String)> {
        if self.files().is_empty() {
            return None;
        }
        let ran = self.run(&self.command("check"));
        let code = ran
            .code
            .filter(|code| (0..2).contains(code) && ran.err.is_empty());
        Some((code.unwrap_or_else(|| panic!("check: {ran:?}")), ran.out))
    }
}
