//! The command `python`: the Python package, from the crate chessdb-py and the folder python.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use fs_err as fs;

use crate::{
    Outcome,
    cmd::{self, cargo, root},
};

/// The packages that the tests need, in the versions with which they passed.
const PACKAGES: &[&str] = &[
    "chess==1.11.2",
    "dask==2026.8.0",
    "datafusion==55.0.0",
    "duckdb==2.0.0",
    "mypy==2.4.1",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "pytest==9.2.0",
];

/// The packages that the cluster needs.
const SPARK: &[&str] = &[
    "duckdb==2.0.0",
    "pandas==3.1.1",
    "pyarrow==26.0.1",
    "pyspark==4.3.0",
];

/// Builds the module together with the rest of the workspace, so that only the module itself is compiled
/// additionally.
const WORKSPACE: &str = "build --workspace --locked --lib --examples";

/// Runs the tests with a module of the profile `dev`, or with `wheel` the one from the wheel that
/// `pip install ./python` builds. Other arguments are passed to pytest.
pub(crate) fn python(args: &[String]) -> Outcome {
    match args.split_first() {
        Some((word, rest)) if word == "wheel" => {
            let venv = Venv::new("wheel")?;
            venv.install(&[&cmd::root().join("python").into_os_string()])?;
            venv.test(rest)
        }
        _ => {
            let venv = Venv::new("dev")?;
            venv.place_module(WORKSPACE)?;
            venv.test(args)
        }
    }
}

/// Runs all tests, for `ci`.
pub(crate) fn tested() -> Outcome {
    python(&[])
}

/// Runs a Spark cluster on the loopback interface: it converts a database in forty parts while one
/// of two workers is killed. It needs Java. The database is the argument, or the corpus.
pub(crate) fn spark(args: &[String]) -> Outcome {
    let venv = Venv::with("spark", SPARK)?;
    venv.place_module(WORKSPACE)?;
    let base = match args.first() {
        Some(base) => PathBuf::from(base),
        None => venv.folder.join("games.si4"),
    };
    if !base.exists() {
        let outside = std::env::var_os("CHESSDB_TESTDATA")
            .context("name a database, or set CHESSDB_TESTDATA")?;
        let corpus = Path::new(&outside).join("corpus/games-100k.pgn.zst");
        let mut make = venv.python();
        make.args(["-c", "import chessdb, sys; chessdb.convert(*sys.argv[1:3])"]);
        cmd::run(make.arg(corpus).arg(&base))?;
    }
    let mut cluster = venv.python();
    cmd::run(cluster.arg("cluster.py").arg(base))
}

/// A virtual environment under the target folder, with the packages that the tests need.
pub(crate) struct Venv {
    folder: PathBuf,
    target: PathBuf,
}

impl Venv {
    fn new(name: &str) -> Outcome<Venv> {
        Venv::with(name, PACKAGES)
    }

    pub(crate) fn with(name: &str, packages: &[&str]) -> Outcome<Venv> {
        let target = PathBuf::from(cmd::metadata()?.target_directory);
        let folder = target.join("python").join(name);
        let venv = Venv { folder, target };
        let mark = venv.folder.join("packages.txt");
        let wanted = packages.join("\n");
        if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
            return Ok(venv);
        }
        let mut make = Command::new(if cfg!(windows) { "python" } else { "python3" });
        make.args(["-m", "venv", "--clear"]).arg(&venv.folder);
        cmd::run(&mut make)?;
        let packages: Vec<&OsStr> = packages.iter().map(OsStr::new).collect();
        venv.install(&packages)?;
        fs::write(&mark, wanted)?;
        Ok(venv)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn python(&self) -> Command {
        let program = if cfg!(windows) { "Scripts/python" } else { "bin/python" };
        let mut python = Command::new(self.folder.join(program));
        python.current_dir(root().join("python"));
        // Import the module from the environment, not from the folder.
        python.args(["-P"]);
        python
    }

    /// Returns a command of maturin for the package, built in the target folder of everything else.
    pub(crate) fn maturin(&self, word: &str) -> Command {
        let mut maturin = self.python();
        maturin.args(["-m", "maturin", word]);
        maturin.env("CARGO_TARGET_DIR", &self.target);
        maturin
    }

    fn install(&self, packages: &[impl AsRef<OsStr>]) -> Outcome {
        let mut pip = self.python();
        pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check"]);
        // The wheel is built in the same target folder as everything else.
        pip.env("CARGO_TARGET_DIR", &self.target);
        cmd::run(pip.args(packages))
    }

    /// Builds the module with this command of cargo, and puts the package where pip would.
    pub(crate) fn place_module(&self, build: &str) -> Outcome {
        cmd::run(&mut cargo(build))?;
        let mut place = self.python();
        place.args([
            "-c",
            "import sysconfig; print(sysconfig.get_path('platlib'))",
        ]);
        let site = PathBuf::from(cmd::output(&mut place)?.trim()).join("chessdb");
        copy(&root().join("python/chessdb"), &site)?;
        let library = self.target.join("debug/lib_chessdb.so");
        let module = site.join("_chessdb.abi3.so");
        // Replaced, not overwritten: a program may have it open.
        let _ = fs::remove_file(&module);
        cmd::copy(&library, &module)
    }

    /// Runs the tests, checks the stubs against the module, and checks the types of the examples.
    fn test(&self, args: &[String]) -> Outcome {
        let mut tests = self.python();
        tests
            .args(["-m", "pytest", "-p", "no:cacheprovider", "tests"])
            .args(args);
        cmd::run(tests.env("CHESSDB_ROOT", root()))?;
        if !args.is_empty() {
            return Ok(());
        }
        let mut stubs = self.python();
        stubs.args([
            "-m",
            "mypy.stubtest",
            "chessdb",
            "--mypy-config-file",
            "pyproject.toml",
        ]);
        cmd::run(stubs.args(["--allowlist", "tests/stubtest.txt"]))?;
        let mut types = self.python();
        cmd::run(types.args(["-m", "mypy", "--strict", "chessdb", "examples"]))
    }
}

/// Copies the sources of a package to an emptied folder.
fn copy(from: &Path, to: &Path) -> Outcome {
    let _ = fs::remove_dir_all(to);
    for path in cmd::files_in(from)? {
        let extension = path.extension().unwrap_or_default();
        if extension == "py" || extension == "pyi" || extension == "typed" {
            cmd::copy(&path, &to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}
