//! Support for comparisons: the programs, the inputs, a scratch folder and the differences found.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use chessdb_proof::peer::{self, capture};
use chessdb_testkit::fixtures;
use serde_json::Value;

/// The maximum number of differences printed per comparison.
const SHOWN: usize = 20;

/// The reference programs: the name, and how it is installed.
pub(crate) const SCID: (&str, &str) = ("tkscid", "apt install scid");
pub(crate) const PGN_EXTRACT: (&str, &str) = ("pgn-extract", "apt install pgn-extract");
pub(crate) const MARIADB: (&str, &str) = ("mariadbd", "apt install mariadb-server");
/// The program that opens ChessBase archives.
pub(crate) const UNCBV: (&str, &str) = ("uncbv", "cargo install uncbv");
/// Readers of ChessBase databases.
pub(crate) const CBVAULT_PROGRAM: (&str, &str) = ("cbvault", "cargo install cbvault-cli");
pub(crate) const CBH2PGN_PROGRAM: (&str, &str) = ("cbh2pgn", "pip install cbh2pgn");
/// A Python with the package `chess`; `CHESSDB_PYTHON` may name one.
pub(crate) const PYTHON: (&str, &str) = ("python3", "pip install chess");

/// The folder of other programs' SCID databases, below the external databases.
const OUTSIDE: &str = "fixtures-real/scid";

/// The environment of a comparison.
#[derive(Debug)]
pub(crate) struct Lab {
    /// The program `chessdb`.
    pub(crate) program: PathBuf,
    /// An empty scratch folder.
    pub(crate) folder: PathBuf,
    /// The differences that are not excused.
    faults: RefCell<Vec<String>>,
    name: &'static str,
}

/// The result that our `convert` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Converted {
    /// Whether no game was skipped or cut.
    pub(crate) whole: bool,
    /// The number of games in the target.
    pub(crate) written: u64,
}

/// Finds a Python with the package `chess`.
fn python() -> Option<PathBuf> {
    let named = env::var_os("CHESSDB_PYTHON").map(PathBuf::from);
    let python = named.or_else(|| peer::find("python3"))?;
    let probe = capture(Command::new(&python).args(["-c", "import chess.pgn"]));
    (probe.code == 0).then_some(python)
}

/// Finds a program installed by a Python package, next to the Python or on the PATH.
pub(crate) fn beside_python(name: &str) -> Option<PathBuf> {
    let python = env::var_os("CHESSDB_PYTHON").map(PathBuf::from);
    let beside = python.and_then(|python| Some(python.parent()?.join(name)));
    let beside = beside.filter(|program| program.is_file());
    beside.or_else(|| peer::find(name))
}

/// The output of a Tcl script: keys and values.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer(pub(crate) Vec<(String, String)>);

impl Answer {
    /// Returns the value of a key, or an empty string.
    pub(crate) fn value(&self, key: &str) -> &str {
        let pair = self.0.iter().find(|(other, _)| other == key);
        pair.map_or("", |(_, value)| value)
    }

    /// Returns the value of a key as a number.
    pub(crate) fn number(&self, key: &str) -> u64 {
        self.value(key)
            .parse()
            .unwrap_or_else(|_| panic!("`{key}` is no number: {self:?}"))
    }
}

impl Lab {
    /// Creates the environment of a comparison; `None` if it was not requested or cannot run.
    pub(crate) fn new(name: &'static str, needs: &[(&str, &str)]) -> Option<Lab> {
        if env::var_os("CHESSDB_PEERS").is_none() {
            println!("not run: CHESSDB_PEERS is not set (cargo xtask peers)");
            return None;
        }
        for need in needs {
            let tool = match *need {
                PYTHON => python(),
                CBH2PGN_PROGRAM => beside_python(need.0),
                (program, _) => peer::find(program),
            };
            if tool.is_none() {
                peer::not_run(&format!("{} is not installed ({})", need.0, need.1));
                return None;
            }
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let (program, faults) = (peer::program()?, RefCell::default());
        Some(Lab {
            program,
            folder,
            faults,
            name,
        })
    }

    /// Records a difference.
    pub(crate) fn fault(&self, fault: String) {
        self.faults.borrow_mut().push(fault);
    }

    /// Ends a comparison; fails if it found a difference.
    pub(crate) fn finish(self, figures: &str) {
        let Lab {
            faults,
            name,
            folder,
            ..
        } = self;
        let faults = faults.into_inner();
        println!("{name}: {figures}, {} faults", faults.len());
        let file = folder.join("faults.txt");
        fs::write(&file, faults.join("\n")).unwrap();
        let shown = faults.get(..SHOWN).unwrap_or(&faults).join("\n");
        assert!(
            faults.is_empty(),
            "all in {}, first:\n{shown}",
            file.display()
        );
    }

    /// Returns the path of a script in `peers`.
    pub(crate) fn script(&self, name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("peers")
            .join(name)
    }

    /// Runs our `convert` with options such as `-n 1-3,5`.
    pub(crate) fn convert(&self, options: &[&str], from: &Path, to: &Path) -> Converted {
        let mut command = Command::new(&self.program);
        command
            .args(["convert", "-q", "--json", "--force"])
            .args(options);
        let ran = capture(command.arg(from).arg(to));
        assert!(matches!(ran.code, 0 | 1), "{}: {ran:?}", from.display());
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let written = report
            .pointer("/conversions/0/written")
            .and_then(Value::as_u64);
        Converted {
            whole: ran.code == 0,
            written: written.unwrap(),
        }
    }

    /// Runs a Tcl script with Scid and returns the `key<TAB>value` lines it prints.
    pub(crate) fn scid(&self, script: &str, args: &[&Path], words: &[&str]) -> Answer {
        let mut command = Command::new(peer::find(SCID.0).unwrap());
        let ran = capture(command.arg(self.script(script)).args(args).args(words));
        assert_eq!(ran.code, 0, "{script} {args:?}: {ran:?}");
        let pairs = ran.out.lines().filter_map(|line| line.split_once('\t'));
        Answer(
            pairs
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    /// Runs a script with Python or the shell; exit code 1 (complaints) is left to the caller.
    pub(crate) fn script_on(&self, script: &str, args: &[&Path]) -> String {
        let is_shell = script.ends_with(".sh");
        let interpreter = if is_shell { peer::find("sh") } else { python() };
        let mut command = Command::new(interpreter.unwrap());
        let ran = capture(command.arg(self.script(script)).args(args));
        // A script that failed prints a message; a script that found complaints does not.
        let complained = ran.code == 1 && ran.err.is_empty();
        assert!(ran.code == 0 || complained, "{script} {args:?}: {ran:?}");
        ran.out
    }

    /// Unpacks the first games of the corpus; `None` without external databases.
    pub(crate) fn corpus(&self) -> Option<PathBuf> {
        let packed = fixtures::testdata("corpus/games-100k.pgn.zst")?;
        let zstd = peer::find("zstd").expect("apt install zstd");
        let text = output(Command::new(zstd).args(["-dc", "-q"]).arg(packed));
        let mut games = text.match_indices("[Event ");
        let end = games
            .nth(CORPUS_GAMES as usize)
            .map_or(text.len(), |(offset, _)| offset);
        let corpus = self.folder.join("corpus.pgn");
        fs::write(&corpus, &text[..end]).unwrap();
        Some(corpus)
    }

    /// Returns SCID 4 databases: the fixtures, then the external ones.
    pub(crate) fn scid_bases(&self) -> Vec<PathBuf> {
        let mut bases = fixtures_of("scid", &["si4"]);
        if let Some(data) = fixtures::testdata("") {
            for set in [
                "benini-scid",
                "scidvspc-si4",
                "scidvspc-five",
                "oracle-made",
            ] {
                let files = collect(&data.join(OUTSIDE).join(set), &["si4"]);
                assert!(!files.is_empty(), "no si4 base in {set}");
                bases.extend(files);
            }
        }
        bases
    }
}

/// The number of corpus games used.
pub(crate) const CORPUS_GAMES: u64 = 10_000;

/// Returns the files below a folder of the fixtures with one of the suffixes, sorted.
///
/// Files whose names start with `x-` are left out, since reading them must fail.
pub(crate) fn fixtures_of(folder: &str, suffixes: &[&str]) -> Vec<PathBuf> {
    let mut files = collect(&fixtures::path(folder), suffixes);
    files.retain(|file| !name(file).starts_with("x-"));
    files
}

fn collect(folder: &Path, suffixes: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(collect(&path, suffixes));
        } else if path
            .extension()
            .is_some_and(|suffix| suffixes.iter().any(|s| suffix == *s))
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Returns the name of an input in the tables of known faults: its path below the repository's
/// fixtures or below the external databases.
pub(crate) fn label(input: &Path) -> String {
    let outside = env::var_os(fixtures::TESTDATA).map(|data| Path::new(&data).join(OUTSIDE));
    let own = Some(fixtures::root());
    let below = own.into_iter().chain(outside);
    below
        .filter_map(|folder| input.strip_prefix(folder).ok().map(Path::to_owned))
        .next()
        .unwrap_or(input.to_owned())
        .display()
        .to_string()
}

/// Returns whether an input of that label is available; an input in the repository always is.
pub(crate) fn has(label: &str) -> bool {
    env::var_os(fixtures::TESTDATA).is_some() || fixtures::root().join(label).is_file()
}

/// Returns the file name for messages.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Runs a program that must succeed and returns its standard output.
pub(crate) fn output(command: &mut Command) -> String {
    capture(command).success()
}
