//! Where comparisons work: the programs, the inputs, a scratch folder.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use super::Peer;
use crate::{
    cmd::{self, cargo, root},
    metadata::Metadata,
};

/// The reference programs that are installed.
#[derive(Debug, Clone)]
pub(crate) struct Tools {
    pub(crate) tkscid: Option<PathBuf>,
    pub(crate) pgn_extract: Option<PathBuf>,
    /// A Python that has the package `chess`; `CHESSDB_PYTHON` may name one.
    pub(crate) python_chess: Option<PathBuf>,
    pub(crate) mariadbd: Option<PathBuf>,
}

impl Tools {
    pub(crate) fn find() -> Tools {
        let python = env::var_os("CHESSDB_PYTHON")
            .map(PathBuf::from)
            .or_else(|| cmd::find("python3"));
        let has_chess = |python: &PathBuf| {
            let mut probe = Command::new(python);
            probe
                .args(["-c", "import chess.pgn"])
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            probe.status().is_ok_and(|status| status.success())
        };
        Tools {
            tkscid: cmd::find("tkscid"),
            pgn_extract: cmd::find("pgn-extract"),
            python_chess: python.filter(has_chess),
            mariadbd: cmd::find("mariadbd"),
        }
    }

    /// What is not installed, with the way to get it.
    pub(crate) fn missing(&self) -> Vec<(Peer, &'static str)> {
        let found = [
            (Peer::Scid, self.tkscid.is_some(), "apt install scid"),
            (
                Peer::PgnExtract,
                self.pgn_extract.is_some(),
                "apt install pgn-extract",
            ),
            (
                Peer::PythonChess,
                self.python_chess.is_some(),
                "pip install chess",
            ),
            (
                Peer::MariaDb,
                self.mariadbd.is_some(),
                "apt install mariadb-server",
            ),
        ];
        let absent = found.iter().filter(|(_, there, _)| !there);
        absent.map(|(peer, _, how)| (*peer, *how)).collect()
    }
}

/// The SCID bases of others, below the folder of the outside databases.
const OUTSIDE: &str = "fixtures-real/scid";

/// Everything a comparison needs.
#[derive(Debug)]
pub(crate) struct Lab {
    pub(crate) tools: Tools,
    /// Our program, release build.
    pub(crate) program: PathBuf,
    pub(crate) root: PathBuf,
    /// The folder of the outside databases, if `CHESSDB_TESTDATA` names one.
    pub(crate) data: Option<PathBuf>,
    /// Scratch: below the target folder, emptied by each comparison for its own part.
    work: PathBuf,
}

/// What a program wrote, and its exit code (-1: ended by a signal).
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// What our own `convert` says it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Converted {
    /// Whether no game was skipped or cut.
    pub(crate) whole: bool,
    /// Games in the target.
    pub(crate) written: u64,
}

impl Lab {
    /// Builds our program and finds the inputs.
    pub(crate) fn build(tools: Tools) -> Result<Lab, String> {
        let program = release_program()?;
        let data = match env::var_os("CHESSDB_TESTDATA").map(PathBuf::from) {
            None => {
                println!("CHESSDB_TESTDATA is not set: only the fixtures of the repository");
                None
            }
            Some(folder) if folder.is_dir() => Some(folder),
            Some(folder) => {
                return Err(format!(
                    "CHESSDB_TESTDATA is no folder: {}",
                    folder.display()
                ));
            }
        };
        let work = Metadata::of_workspace()?.target.join("peers");
        Ok(Lab {
            tools,
            program,
            root: root(),
            data,
            work,
        })
    }

    /// An empty scratch folder of that name.
    pub(crate) fn fresh(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.work.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }

    /// Writes all differences of a comparison into a file, for whoever wants more than the first.
    pub(crate) fn log(&self, name: &str, faults: &[String]) -> Result<PathBuf, String> {
        let file = self.work.join(format!("{name}.txt"));
        let text: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
        fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(file)
    }

    /// A file that one comparison leaves for the next.
    pub(crate) fn kept(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.work.join("kept");
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder.join(name))
    }

    fn script(&self, name: &str) -> Result<PathBuf, String> {
        let script = self.root.join("xtask/peers").join(name);
        if script.is_file() {
            Ok(script)
        } else {
            Err(format!("no {}", script.display()))
        }
    }

    /// Our own `convert`.
    pub(crate) fn convert(&self, from: &Path, to: &Path) -> Result<Converted, String> {
        self.convert_with(&[], from, to)
    }

    /// The same for these games alone, as in `1-3,5`.
    pub(crate) fn convert_games(
        &self,
        games: &str,
        from: &Path,
        to: &Path,
    ) -> Result<Converted, String> {
        self.convert_with(&["-n", games], from, to)
    }

    fn convert_with(&self, options: &[&str], from: &Path, to: &Path) -> Result<Converted, String> {
        let mut command = Command::new(&self.program);
        command.args(["convert", "-q", "--json", "--force"]);
        command.args(options);
        let ran = capture(command.arg(from).arg(to))?;
        let what = format!("chessdb convert {}", name(from));
        if !matches!(ran.code, 0 | 1) {
            return Err(format!("{what}: exit {}, {}", ran.code, first(&ran.err)));
        }
        let report: Value = serde_json::from_str(&ran.out).map_err(|e| format!("{what}: {e}"))?;
        let written = report
            .pointer("/conversions/0/written")
            .and_then(Value::as_u64);
        Ok(Converted {
            whole: ran.code == 0,
            written: written.ok_or_else(|| format!("{what}: no number of games"))?,
        })
    }

    /// A Tcl script run by Scid: the `key<TAB>value` lines it prints.
    pub(crate) fn scid(
        &self,
        script: &str,
        args: &[&Path],
    ) -> Result<Vec<(String, String)>, String> {
        self.scid_words(script, args, &[])
    }

    pub(crate) fn scid_words(
        &self,
        script: &str,
        args: &[&Path],
        words: &[&str],
    ) -> Result<Vec<(String, String)>, String> {
        let tkscid = self
            .tools
            .tkscid
            .as_ref()
            .ok_or("tkscid is not installed")?;
        let mut command = Command::new(tkscid);
        let ran = capture(command.arg(self.script(script)?).args(args).args(words))?;
        let pairs: Vec<(String, String)> = ran
            .out
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        if ran.code == 0 {
            return Ok(pairs);
        }
        let said = value(&pairs, "error").unwrap_or_else(|| first(&ran.err));
        Err(format!(
            "{script} {}: {said}",
            args.first().map_or(String::new(), |path| name(path))
        ))
    }

    /// A script run by an interpreter. Exit code 1 (complaints) is left to the caller.
    pub(crate) fn script_on(
        &self,
        interpreter: Option<&PathBuf>,
        script: &str,
        file: &Path,
    ) -> Result<String, String> {
        let interpreter = interpreter.ok_or_else(|| format!("nothing to run {script} with"))?;
        let mut command = Command::new(interpreter);
        let ran = capture(command.arg(self.script(script)?).arg(file))?;
        // A script that died has a message; one that found complaints has none.
        if ran.code == 0 || (ran.code == 1 && ran.err.is_empty()) {
            return Ok(ran.out);
        }
        let last = ran.err.lines().last().unwrap_or("no message");
        Err(format!(
            "{script} {}: exit {}, {last}",
            name(file),
            ran.code
        ))
    }

    /// Files below a folder of the fixtures with one of the suffixes, sorted. Names that start
    /// with `x-` must fail to read and are left out.
    pub(crate) fn fixtures(&self, folder: &str, suffixes: &[&str]) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        collect(
            &self.root.join("fixtures").join(folder),
            suffixes,
            &mut files,
        )?;
        files.retain(|file| !name(file).starts_with("x-"));
        files.sort();
        Ok(files)
    }

    /// The name by which the tables of known faults call an input: its path below the fixtures of
    /// the repository, or below the outside databases.
    pub(crate) fn label(&self, input: &Path) -> String {
        let outside = self.data.as_ref().map(|data| data.join(OUTSIDE));
        let below = [Some(self.root.join("fixtures")), outside]
            .into_iter()
            .flatten()
            .find_map(|folder| input.strip_prefix(folder).ok().map(Path::to_path_buf));
        let parts = below.unwrap_or_else(|| input.to_path_buf());
        let parts: Vec<_> = parts.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }

    /// Whether an input of that label is there to be compared: one of the repository always is.
    pub(crate) fn has(&self, label: &str) -> bool {
        let own = ["pgn/", "scid/"];
        self.data.is_some() || own.iter().any(|folder| label.starts_with(folder))
    }

    /// SCID 4 bases: those of the fixtures, then the outside ones.
    pub(crate) fn scid_bases(&self) -> Result<Vec<PathBuf>, String> {
        let mut bases = self.fixtures("scid", &["si4"])?;
        if let Some(data) = &self.data {
            for set in [
                "benini-scid",
                "scidvspc-si4",
                "scidvspc-five",
                "oracle-made",
            ] {
                let folder = data.join(OUTSIDE).join(set);
                let mut files = Vec::new();
                collect(&folder, &["si4"], &mut files)?;
                if files.is_empty() {
                    return Err(format!("no si4 base in {}", folder.display()));
                }
                files.sort();
                bases.extend(files);
            }
        }
        Ok(bases)
    }
}

/// Builds and names `target/release/chessdb`.
pub(crate) fn release_program() -> Result<PathBuf, String> {
    cmd::run(&mut cargo([
        "build",
        "--release",
        "--locked",
        "-p",
        "chessdb-cli",
    ]))?;
    let file = format!("chessdb{}", env::consts::EXE_SUFFIX);
    Ok(Metadata::of_workspace()?.target.join("release").join(file))
}

/// Builds an example of a crate in release and says where it lies.
pub(crate) fn release_example(package: &str, name: &str) -> Result<PathBuf, String> {
    cmd::run(&mut cargo([
        "build",
        "--release",
        "--locked",
        "-p",
        package,
        "--example",
        name,
    ]))?;
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folder = Metadata::of_workspace()?.target.join("release/examples");
    Ok(folder.join(file))
}

/// Runs a program to its end; both outputs are captured.
pub(crate) fn capture(command: &mut Command) -> Result<Ran, String> {
    let line = cmd::line_of(command);
    let out = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("`{line}` did not start: {e}"))?;
    Ok(Ran {
        code: out.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&out.stdout).into_owned(),
        err: String::from_utf8_lossy(&out.stderr).into_owned(),
    })
}

fn collect(folder: &Path, suffixes: &[&str], files: &mut Vec<PathBuf>) -> Result<(), String> {
    let fault = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.is_dir() {
            collect(&path, suffixes, files)?;
        } else if path
            .extension()
            .is_some_and(|suffix| suffixes.iter().any(|s| suffix == *s))
        {
            files.push(path);
        }
    }
    Ok(())
}

/// The value of a key in a script's answer.
pub(crate) fn value(pairs: &[(String, String)], key: &str) -> Option<String> {
    pairs
        .iter()
        .find(|(known, _)| known == key)
        .map(|(_, value)| value.clone())
}

/// The value of a key as a number.
pub(crate) fn number(pairs: &[(String, String)], key: &str) -> Result<u64, String> {
    let text = value(pairs, key).ok_or_else(|| format!("no `{key}` in the script's answer"))?;
    text.parse()
        .map_err(|_| format!("`{key}` is not a number: {text}"))
}

/// The file's name for messages.
pub(crate) fn name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn first(text: &str) -> String {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("no message")
        .to_owned()
}
