//! Where comparisons work: the programs, the inputs, a scratch folder, what was found.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use chessdb_proof::peer::{self, capture};
use chessdb_testkit::fixtures;
use serde_json::Value;

/// At most so many differences of one comparison are printed.
const SHOWN: usize = 20;

/// The programs of others: name, and how it is installed.
pub(crate) const SCID: (&str, &str) = ("tkscid", "apt install scid");
pub(crate) const PGN_EXTRACT: (&str, &str) = ("pgn-extract", "apt install pgn-extract");
pub(crate) const MARIADB: (&str, &str) = ("mariadbd", "apt install mariadb-server");
/// Opens archives of ChessBase.
pub(crate) const UNCBV: (&str, &str) = ("uncbv", "cargo install uncbv");
/// Read bases of ChessBase.
pub(crate) const CBVAULT_PROGRAM: (&str, &str) = ("cbvault", "cargo install cbvault-cli");
pub(crate) const CBH2PGN_PROGRAM: (&str, &str) = ("cbh2pgn", "pip install cbh2pgn");
/// A Python that has the package `chess`; `CHESSDB_PYTHON` may name one.
pub(crate) const PYTHON: (&str, &str) = ("python3", "pip install chess");

/// The SCID bases of others, below the folder of the outside databases.
const OUTSIDE: &str = "fixtures-real/scid";

/// Everything a comparison needs.
#[derive(Debug)]
pub(crate) struct Lab {
    /// Our program.
    pub(crate) program: PathBuf,
    /// An empty scratch folder.
    pub(crate) folder: PathBuf,
    /// Every difference that is not excused.
    faults: RefCell<Vec<String>>,
    name: &'static str,
}

/// What our own `convert` says it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Converted {
    /// Whether no game was skipped or cut.
    pub(crate) whole: bool,
    /// Games in the target.
    pub(crate) written: u64,
}

/// The Python with the package `chess`.
fn python() -> Option<PathBuf> {
    let named = env::var_os("CHESSDB_PYTHON").map(PathBuf::from);
    let python = named.or_else(|| peer::find("python3"))?;
    let probe = capture(Command::new(&python).args(["-c", "import chess.pgn"]));
    (probe.code == 0).then_some(python)
}

/// A program that a Python package brought: beside the Python, or on the PATH.
pub(crate) fn beside_python(name: &str) -> Option<PathBuf> {
    let python = env::var_os("CHESSDB_PYTHON").map(PathBuf::from);
    let beside = python.and_then(|python| Some(python.parent()?.join(name)));
    let beside = beside.filter(|program| program.is_file());
    beside.or_else(|| peer::find(name))
}

/// The answer of a Tcl script: keys and values.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer(pub(crate) Vec<(String, String)>);

impl Answer {
    /// The value of a key, empty if there is none.
    pub(crate) fn value(&self, key: &str) -> &str {
        let pair = self.0.iter().find(|(known, _)| known == key);
        pair.map_or("", |(_, value)| value)
    }

    /// The value of a key as a number.
    pub(crate) fn number(&self, key: &str) -> u64 {
        let value = self.value(key);
        value
            .parse()
            .unwrap_or_else(|_| panic!("`{key}` is no number: {self:?}"))
    }
}

impl Lab {
    /// A place for the comparison of this name; none where it is not asked for or cannot run.
    pub(crate) fn new(name: &'static str, needs: &[(&str, &str)]) -> Option<Lab> {
        if env::var_os("CHESSDB_PEERS").is_none() {
            println!("not run: CHESSDB_PEERS is not set (cargo xtask peers)");
            return None;
        }
        for need in needs {
            let found = match *need {
                PYTHON => python(),
                CBH2PGN_PROGRAM => beside_python(need.0),
                (program, _) => peer::find(program),
            };
            if found.is_none() {
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

    /// Notes a difference.
    pub(crate) fn fault(&self, fault: String) {
        self.faults.borrow_mut().push(fault);
    }

    /// Ends a comparison.
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

    /// A script of this project.
    pub(crate) fn script(&self, name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("peers")
            .join(name)
    }

    /// Our own `convert`, with options such as `-n 1-3,5`.
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

    /// A Tcl script run by Scid: the `key<TAB>value` lines it prints.
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

    /// A script run by Python or the shell. Exit code 1 (complaints) is left to the caller.
    pub(crate) fn script_on(&self, script: &str, args: &[&Path]) -> String {
        let is_shell = script.ends_with(".sh");
        let interpreter = if is_shell { peer::find("sh") } else { python() };
        let mut command = Command::new(interpreter.unwrap());
        let ran = capture(command.arg(self.script(script)).args(args));
        // A script that died has a message; one that found complaints has none.
        let complained = ran.code == 1 && ran.err.is_empty();
        assert!(ran.code == 0 || complained, "{script} {args:?}: {ran:?}");
        ran.out
    }

    /// The first games of the corpus; none without outside databases.
    pub(crate) fn corpus(&self) -> Option<PathBuf> {
        let packed = fixtures::testdata("corpus/games-100k.pgn.zst")?;
        let zstd = peer::find("zstd").expect("apt install zstd");
        let text = output(Command::new(zstd).args(["-dc", "-q"]).arg(packed));
        let mut games = text.match_indices("[Event ");
        let end = games
            .nth(CORPUS_GAMES as usize)
            .map_or(text.len(), |(at, _)| at);
        let corpus = self.folder.join("corpus.pgn");
        fs::write(&corpus, &text[..end]).unwrap();
        Some(corpus)
    }

    /// SCID 4 bases: those of the fixtures, then the outside ones.
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

/// How many games of the corpus are used.
pub(crate) const CORPUS_GAMES: u64 = 10_000;

/// Files below a folder of the fixtures with one of the suffixes, sorted. Names that start with `x-`
/// must fail to read and are left out.
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

/// The name by which the tables of known faults call an input: its path below the fixtures of the
/// repository, or below the outside databases.
pub(crate) fn label(input: &Path) -> String {
    let outside = env::var_os(fixtures::TESTDATA).map(|data| Path::new(&data).join(OUTSIDE));
    let own = Some(fixtures::root());
    let below = own.into_iter().chain(outside);
    let mut below = below.filter_map(|folder| input.strip_prefix(folder).ok().map(Path::to_owned));
    below
        .next()
        .unwrap_or(input.to_owned())
        .display()
        .to_string()
}

/// Whether an input of that label is there to be compared: one of the repository always is.
pub(crate) fn has(label: &str) -> bool {
    env::var_os(fixtures::TESTDATA).is_some() || fixtures::root().join(label).is_file()
}

/// The file's name for messages.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// What this program, started by Python or Scid or the server, wrote.
pub(crate) fn output(command: &mut Command) -> String {
    capture(command).success()
}
