//! jose's tables in MariaDB: our scripts are loaded, and its rows, MyISAM files and dumps are
//! compared.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chessdb_proof::peer::{self, capture};
use chessdb_testkit::fixtures;
use tempfile::TempDir;

use super::lab::{Lab, MARIADB, fixtures_of, name, output};

/// The tables with text columns.
const WITH_TEXTS: [&str; 6] = [
    "Collection",
    "Player",
    "Event",
    "Site",
    "Opening",
    "MoreGame",
];

/// A private server that is stopped and removed when dropped.
struct Server {
    child: Child,
    /// In the folder for temporary files, since the path of a socket is limited to about 100 bytes.
    home: TempDir,
}

impl Server {
    fn start() -> Server {
        let home = tempfile::tempdir().unwrap();
        let data = option("datadir", &home.path().join("data"));
        let mut install = Command::new(tool("mariadb-install-db"));
        install.args(["--no-defaults", "--user=root", "--skip-test-db"]);
        install.arg("--auth-root-authentication-method=normal");
        output(install.arg(&data));
        let log = home.path().join("log");
        let mut daemon = Command::new(tool(MARIADB.0));
        daemon.args(["--no-defaults", "--user=root", "--skip-networking"]);
        daemon
            .arg(data)
            .arg(option("socket", &home.path().join("s")));
        daemon.stdin(Stdio::null()).stdout(Stdio::null());
        let child = daemon.stderr(File::create(&log).unwrap()).spawn().unwrap();
        let mut server = Server { child, home };
        let start = Instant::now();
        while server.ask(None, "SELECT 1").is_err() {
            let ended = server.child.try_wait().unwrap();
            let patience = ended.is_none() && start.elapsed() < Duration::from_secs(60);
            assert!(patience, "{}", fs::read_to_string(&log).unwrap());
            thread::sleep(Duration::from_millis(200));
        }
        server
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(tool(program));
        command.args(["--no-defaults", "--user=root"]);
        command.args([
            "--default-character-set=utf8mb4",
            "--max-allowed-packet=64M",
        ]);
        command.arg(option("socket", &self.home.path().join("s")));
        command
    }

    /// Runs statements in a database; returns the output lines or the error message of the server.
    fn ask(&self, database: Option<&str>, statements: &str) -> Result<String, String> {
        let mut command = self.command("mariadb");
        command.args(["--batch", "--skip-column-names", "-e", statements]);
        let ran = capture(command.args(database));
        if ran.code == 0 { Ok(ran.out) } else { Err(ran.err) }
    }

    /// Like [`Server::ask`], for statements that must succeed.
    fn query(&self, database: &str, statements: &str) -> String {
        self.ask(Some(database), statements).unwrap()
    }

    /// Runs a script in a new database.
    fn load(&self, database: &str, script: &Path) {
        let create = format!("CREATE DATABASE `{database}` CHARACTER SET utf8mb4");
        self.ask(None, &create).unwrap();
        let mut command = self.command("mariadb");
        let out = command
            .arg(database)
            .stdin(File::open(script).unwrap())
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&out.stderr);
        assert!(
            out.status.success() && messages.trim().is_empty(),
            "{script:?}: {messages}"
        );
    }

    /// Closes the tables so that the files are complete, and returns the folder of the database.
    fn folder(&self, database: &str) -> PathBuf {
        self.ask(None, "FLUSH TABLES").unwrap();
        self.home.path().join("data").join(database)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asks the server to stop and kills it if it does not.
        let _ = self.ask(None, "SHUTDOWN");
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > Duration::from_secs(20) {
                let _ = self.child.kill();
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

fn tool(name: &str) -> PathBuf {
    peer::find(name).unwrap_or_else(|| panic!("no {name}"))
}

fn option(name: &str, path: &Path) -> String {
    format!("--{name}={}", path.display())
}

#[test]
fn mariadb_reads_what_we_write_and_we_what_it_writes() {
    let Some(lab) = Lab::new("jose-mariadb", &[MARIADB]) else {
        return;
    };
    let python = tool("python3");
    let script = lab.script("jose_rows.py");
    let mut bench = Bench {
        query: output(Command::new(&python).arg(&script).arg("--query")),
        server: Server::start(),
        lab: &lab,
        python,
        script,
        rows: 0,
        counts: BTreeMap::new(),
    };
    let mut inputs = fixtures_of("pgn/clean", &["pgn"]);
    inputs.extend(fixtures_of("jose", &["sql", "sqlite"]));
    inputs.extend(fixtures::testdata("fixtures-made/jose/annotated.sqlite"));
    inputs.extend(lab.corpus());
    let mut games = 0;
    for (n, input) in inputs.iter().enumerate() {
        games += bench.base(&format!("b{n:02}"), input);
    }
    let Bench { rows, counts, .. } = bench;
    for what in ["split rows", "free blocks", "utf8mb3", "latin1"] {
        if !counts.contains_key(what) {
            lab.fault(format!("no base with {what}"));
        }
    }
    let bases = inputs.len();
    lab.finish(&format!(
        "{bases} bases, {games} games, {rows} rows equal to those of SQLite; folder, dumps with hex \
         and with escapes; {counts:?}"
    ));
}

struct Bench<'l> {
    lab: &'l Lab,
    server: Server,
    query: String,
    python: PathBuf,
    script: PathBuf,
    rows: usize,
    /// The number of databases with rows in several blocks or texts in other charsets, and the
    /// number of free blocks.
    counts: BTreeMap<&'static str, usize>,
}

impl Bench<'_> {
    /// Passes one database through the server; returns its number of games.
    fn base(&mut self, database: &str, input: &Path) -> u64 {
        let place = self.lab.folder.join(database);
        fs::create_dir_all(&place).unwrap();
        let (script, sqlite) = (place.join("ours.sql"), place.join("ours.sqlite"));
        let written = self.lab.convert(&[], input, &script).written;
        self.lab.convert(&[], &script, &sqlite);
        let wanted = self.pgn(&script, &place.join("ours.pgn"));
        self.server.load(database, &script);
        self.compare_rows(database, input, &sqlite);
        let check = |bench: &Self, what: &str, from: &Path| {
            let pgn = bench.pgn(from, &place.join("theirs.pgn"));
            if pgn != wanted {
                let same = pgn.lines().zip(wanted.lines()).take_while(|(a, b)| a == b);
                let line = same.count() + 1;
                let fault = format!("{}, {what}: other games, line {line}", name(input));
                bench.lab.fault(fault);
            }
        };
        let folder = self.server.folder(database);
        check(self, "MyISAM files", &folder);
        for (what, option) in [("hex", Some("--hex-blob")), ("escaped", None)] {
            let dump = place.join(format!("{what}.sql"));
            let mut command = self.server.command("mariadb-dump");
            let dumped = command.args(option).arg(database).output().unwrap();
            assert!(dumped.status.success(), "{dumped:?}");
            fs::write(&dump, dumped.stdout).unwrap();
            check(self, &format!("dump, {what}"), &dump);
        }
        self.split_rows(database);
        self.server.folder(database);
        check(self, "rows in several blocks", &folder);
        self.free_blocks(database);
        self.server.folder(database);
        check(self, "free blocks", &folder);
        self.map(input, &folder);
        for charset in ["utf8mb3", "latin1"] {
            let convert =
                |table| format!("ALTER TABLE `{table}` CONVERT TO CHARACTER SET {charset};");
            let statements: String = WITH_TEXTS.map(convert).concat();
            // The server refuses if names have characters that the charset lacks.
            if self.server.ask(Some(database), &statements).is_ok() {
                *self.counts.entry(charset).or_default() += 1;
            }
            self.server.folder(database);
            check(self, charset, &folder);
        }
        self.server
            .query(database, &format!("DROP DATABASE `{database}`"));
        written
    }

    fn pgn(&self, from: &Path, to: &Path) -> String {
        let whole = self.lab.convert(&[], from, to).whole;
        assert!(whole, "{}: games were skipped or cut", from.display());
        fs::read_to_string(to).unwrap()
    }

    /// Compares the rows on the server with those of our SQLite file, as Python reads it.
    fn compare_rows(&mut self, database: &str, input: &Path, sqlite: &Path) {
        let theirs = self.server.query(database, &self.query);
        let ours = output(Command::new(&self.python).arg(&self.script).arg(sqlite));
        let (ours, theirs): (Vec<_>, Vec<_>) = (ours.lines().collect(), theirs.lines().collect());
        self.rows += theirs.len();
        if ours != theirs {
            let (a, b) = (ours.len(), theirs.len());
            let first = ours.iter().zip(&theirs).find(|(a, b)| a != b);
            let input = name(input);
            self.lab.fault(format!(
                "{input}: {b} rows in MariaDB, {a} in SQLite, first {first:?}"
            ));
        }
    }

    /// Empties the long columns of every row, compacts the table and fills the columns again, so
    /// that the rows no longer fit in place.
    fn split_rows(&mut self, database: &str) {
        self.server.query(
            database,
            "CREATE TABLE Kept ENGINE=MyISAM AS SELECT GId, Bin, Comments, Info FROM MoreGame;
             UPDATE MoreGame SET Bin = NULL, Comments = NULL, Info = NULL;
             OPTIMIZE TABLE MoreGame;",
        );
        let compact = self.size(database);
        self.server.query(
            database,
            "UPDATE MoreGame JOIN Kept USING (GId) SET MoreGame.Bin = Kept.Bin;
             UPDATE MoreGame JOIN Kept USING (GId) SET MoreGame.Comments = Kept.Comments;
             UPDATE MoreGame JOIN Kept USING (GId) SET MoreGame.Info = Kept.Info;",
        );
        // Without gaps between rows, a row can only grow by using another block.
        if self.size(database) > compact {
            *self.counts.entry("split rows").or_default() += 1;
        }
    }

    /// Adds rows to the table of moves and deletes them again, starting with every third one.
    fn free_blocks(&self, database: &str) {
        let statements = "INSERT INTO MoreGame (GId, Info)
                          SELECT -1 - GId, REPEAT('x', GId % 50) FROM Kept;
                          DELETE FROM MoreGame WHERE GId < 0 AND GId % 3 = 0;
                          DELETE FROM MoreGame WHERE GId < 0;";
        self.server.query(database, statements);
    }

    /// Checks that the map of the files accounts for every byte and that free blocks are linked.
    fn map(&mut self, input: &Path, folder: &Path) {
        let mut command = Command::new(&self.lab.program);
        let map = output(command.args(["dump", "--raw"]).arg(folder));
        let free = map
            .lines()
            .filter(|line| line.contains("  free block of"))
            .count();
        if free > 0 {
            *self.counts.entry("free blocks").or_default() += free;
        }
        let odd = |line: &&str| {
            line.as_bytes().get(9) == Some(&b'*') || line.contains("not in the list of free blocks")
        };
        if let Some(line) = map.lines().find(odd) {
            self.lab.fault(format!("{}, map: {line}", name(input)));
        }
    }

    /// Returns the size of the file with the moves, in bytes.
    fn size(&self, database: &str) -> u64 {
        let file = self.server.folder(database).join("MoreGame.MYD");
        fs::metadata(file).unwrap().len()
    }
}
