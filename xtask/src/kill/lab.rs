//! Folders with an old base, the program run in them, and what is there afterwards.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use super::trace::{Call, Killers, Point, calls};

/// Names and contents of the files of a folder that are not hidden.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// An account without rights, for runs that may change nothing.
const NOBODY: u32 = 65534;

/// A format that can be written.
#[derive(Debug, Clone)]
pub(super) struct Format {
    pub(super) id: String,
    pub(super) suffixes: Vec<String>,
}

/// What stands where the new base is to go, and how it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// Another base of the same name.
    Replace,
    /// The same, old and new exchanged, so that either may have a file which the other lacks.
    Back,
    /// The old files are called in capitals.
    Capitals,
    /// The old files are links into another folder.
    Links,
    /// Nothing.
    Fresh,
}

impl Case {
    pub(super) const ALL: [Case; 5] = [
        Case::Replace,
        Case::Back,
        Case::Capitals,
        Case::Links,
        Case::Fresh,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Case::Replace => "replace",
            Case::Back => "back",
            Case::Capitals => "capitals",
            Case::Links => "links",
            Case::Fresh => "fresh",
        }
    }
}

/// What a run of the program came to.
#[derive(Debug)]
pub(super) struct Ran {
    /// None: ended by a signal.
    pub(super) code: Option<i32>,
    /// The signal that ended it.
    signal: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        use std::os::unix::process::ExitStatusExt;
        Ran {
            code: output.status.code(),
            signal: output.status.signal(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A state that a base may be in, and what `check` says of it.
#[derive(Debug)]
pub(super) struct State {
    pub(super) files: Files,
    pub(super) check: Option<(i32, String)>,
}

/// A target that is written again and again.
pub(super) struct Lab<'l> {
    pub(super) killers: &'l Killers,
    program: PathBuf,
    /// Where everything lies.
    folder: PathBuf,
    /// What the program reads.
    source: PathBuf,
    format: Format,
    case: Case,
    pub(super) old: State,
    pub(super) new: State,
    /// The calls of a run that was not disturbed.
    pub(super) calls: Vec<Call>,
}

fn at(path: &Path) -> impl Fn(io::Error) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}

/// The files of a folder, hidden ones or the others.
pub(super) fn files(folder: &Path, hidden: bool) -> Result<Files, String> {
    let mut files = Files::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        if name.starts_with('.') == hidden {
            files.insert(name, fs::read(&path).map_err(at(&path))?);
        }
    }
    Ok(files)
}

fn fresh(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(folder)(error)),
        _ => {}
    }
    fs::create_dir_all(folder).map_err(at(folder))
}

impl<'l> Lab<'l> {
    /// Writes the old and the new base once, undisturbed. `games` are two files of games.
    pub(super) fn new(
        killers: &'l Killers,
        program: &Path,
        folder: &Path,
        format: &Format,
        case: Case,
        games: [&Path; 2],
    ) -> Result<Lab<'l>, String> {
        let [mut before, mut after] = games;
        if case == Case::Back {
            std::mem::swap(&mut before, &mut after);
        }
        let none = || State {
            files: Files::new(),
            check: None,
        };
        let mut lab = Lab {
            killers,
            program: program.to_owned(),
            folder: folder.to_owned(),
            source: before.to_owned(),
            format: format.clone(),
            case,
            old: none(),
            new: none(),
            calls: Vec::new(),
        };
        fresh(&lab.folder)?;
        fresh(&lab.temporary())?;
        if case != Case::Fresh {
            fresh(&lab.real())?;
            // Not by way of links, which are still to be made.
            let case = std::mem::replace(&mut lab.case, Case::Replace);
            lab.write_once()?;
            lab.case = case;
            let written = files(&lab.real(), false)?;
            let name = |name: String| match case {
                Case::Capitals => name.to_uppercase(),
                _ => name,
            };
            lab.old.files = written.into_iter().map(|(n, b)| (name(n), b)).collect();
        }
        lab.source = after.to_owned();
        lab.reset()?;
        lab.old.check = lab.checked()?;
        let log = lab.folder.join("calls");
        let ran = lab.run(lab.killers.noting(&lab.program, &log), &lab.writing())?;
        lab.expect_written(&ran)?;
        lab.calls = calls(&log)?;
        lab.new.files = files(&lab.real(), false)?;
        lab.new.check = lab.checked()?;
        // A second time, to know that the bytes are always the same.
        lab.reset()?;
        lab.write_once()?;
        if files(&lab.real(), false)? != lab.new.files {
            return Err(format!("{}: two runs write different bytes", format.id));
        }
        if lab.new.files == lab.old.files {
            return Err(format!("{}: old and new are the same", format.id));
        }
        Ok(lab)
    }

    /// The folder of the files themselves.
    pub(super) fn real(&self) -> PathBuf {
        self.folder.join("base")
    }

    fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// The path by which the base is named.
    pub(super) fn target(&self) -> PathBuf {
        let folder = match self.case {
            Case::Links => self.folder.join("links"),
            _ => self.real(),
        };
        let suffix = self.format.suffixes.first().map_or("", String::as_str);
        folder.join(format!("base.{suffix}"))
    }

    /// Puts the old base in place, and nothing else.
    pub(super) fn reset(&self) -> Result<(), String> {
        let real = self.real();
        fresh(&real)?;
        fresh(&self.temporary())?;
        for (name, bytes) in &self.old.files {
            fs::write(real.join(name), bytes).map_err(at(&real))?;
        }
        if self.case == Case::Links {
            let links = self.folder.join("links");
            fresh(&links)?;
            for name in self.old.files.keys() {
                std::os::unix::fs::symlink(real.join(name), links.join(name))
                    .map_err(at(&links))?;
            }
        }
        Ok(())
    }

    fn writing(&self) -> Vec<PathBuf> {
        let words = ["convert", "-q", "-j", "1", "--force", "-t", &self.format.id];
        let words = words.iter().map(PathBuf::from);
        words.chain([self.source.clone(), self.target()]).collect()
    }

    fn run(&self, mut command: Command, args: &[PathBuf]) -> Result<Ran, String> {
        let command = command
            .args(args)
            .current_dir(&self.folder)
            .env("TMPDIR", self.temporary())
            .stdin(Stdio::null());
        let output = command.output();
        output
            .map(Ran::of)
            .map_err(|e| format!("did not start: {e}"))
    }

    fn expect_written(&self, ran: &Ran) -> Result<(), String> {
        match ran.code {
            // 1: games that the format cannot hold whole.
            Some(0 | 1) => Ok(()),
            _ => Err(format!("{}: {}", self.format.id, ran.err.trim())),
        }
    }

    /// Writes the new base to the end.
    pub(super) fn write_once(&self) -> Result<Ran, String> {
        let ran = self.run(Command::new(&self.program), &self.writing())?;
        self.expect_written(&ran)?;
        Ok(ran)
    }

    /// Writes the new base and is ended at this point; false if it came to its end before.
    pub(super) fn write_until(&self, point: &Point) -> Result<bool, String> {
        let command = self.killers.ending(&self.program, point);
        let ran = self.run(command, &self.writing())?;
        Ok(ran.signal == Some(point.signal()))
    }

    fn command(&self, word: &str) -> Vec<PathBuf> {
        let mut args = vec![word.into(), "-f".into(), self.format.id.clone().into()];
        args.push(self.target());
        args
    }

    /// A reading command on the base.
    pub(super) fn look(&self, word: &str) -> Result<Ran, String> {
        self.run(Command::new(&self.program), &self.command(word))
    }

    /// The same, ended at this point; false if it came to its end before.
    pub(super) fn look_until(&self, word: &str, point: &Point) -> Result<bool, String> {
        let command = self.killers.ending(&self.program, point);
        let ran = self.run(command, &self.command(word))?;
        Ok(ran.signal == Some(point.signal()))
    }

    /// The calls of a reading command.
    pub(super) fn look_noting(&self, word: &str) -> Result<Vec<Call>, String> {
        let log = self.folder.join("calls");
        let command = self.killers.noting(&self.program, &log);
        self.run(command, &self.command(word))?;
        calls(&log)
    }

    /// `check` by somebody who may change nothing in the folder.
    pub(super) fn look_without_rights(&self) -> Result<Ran, String> {
        use std::os::unix::{fs::PermissionsExt, process::CommandExt};
        let real = self.real();
        let rights =
            |mode| fs::set_permissions(&real, fs::Permissions::from_mode(mode)).map_err(at(&real));
        let mut command = Command::new(&self.program);
        // SAFETY is not at stake: these are plain settings of the new process.
        if is_root()? {
            command.uid(NOBODY).gid(NOBODY);
        }
        rights(0o555)?;
        let ran = self.run(command, &self.command("check"));
        rights(0o755)?;
        ran
    }

    /// What `check` says of the base now; none if there is none.
    pub(super) fn checked(&self) -> Result<Option<(i32, String)>, String> {
        if files(&self.real(), false)?.is_empty() {
            return Ok(None);
        }
        let ran = self.look("check")?;
        match ran.code {
            Some(code @ (0 | 1)) if ran.err.is_empty() => Ok(Some((code, ran.out))),
            code => Err(format!("check: {code:?}, {}", ran.err.trim())),
        }
    }
}

/// Whether this program may do everything.
fn is_root() -> Result<bool, String> {
    use std::os::unix::fs::MetadataExt;
    let own = fs::metadata("/proc/self").map_err(at(Path::new("/proc/self")))?;
    Ok(own.uid() == 0)
}
