//! jose's tables in MariaDB: our scripts loaded, the rows it holds, its MyISAM files, its dumps.

use std::{
    collections::BTreeMap,
    env, fs,
    fs::File,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    Report, corpus,
    lab::{Lab, Ran, capture, name},
};
use crate::cmd;

/// How many games of the corpus go into a base.
const CORPUS_GAMES: u64 = 10_000;

/// The tables with texts.
const WITH_TEXTS: [&str; 6] = [
    "Collection",
    "Player",
    "Event",
    "Site",
    "Opening",
    "MoreGame",
];

/// A private server, stopped and removed when it goes out of scope.
struct Server {
    child: Child,
    home: PathBuf,
    socket: PathBuf,
    client: PathBuf,
    dump: PathBuf,
}

impl Server {
    fn start(daemon: &Path) -> Result<Server, String> {
        let tool = |name: &str| cmd::find(name).ok_or_else(|| format!("no {name}"));
        // The path of a socket has about 100 bytes.
        let home = env::temp_dir().join(format!("chessdb-{}", process::id()));
        let data = home.join("data");
        fs::create_dir_all(&data).map_err(|e| format!("{}: {e}", data.display()))?;
        let installed = capture(
            Command::new(tool("mariadb-install-db")?)
                .args(["--no-defaults", "--user=root", "--skip-test-db"])
                .arg("--auth-root-authentication-method=normal")
                .arg(option("datadir", &data)),
        );
        let began = installed
            .and_then(|ran| success("mariadb-install-db", ran))
            .and_then(|_| {
                let log = File::create(home.join("log")).map_err(|e| e.to_string())?;
                let socket = home.join("s");
                Command::new(daemon)
                    .args(["--no-defaults", "--user=root", "--skip-networking"])
                    .arg(option("datadir", &data))
                    .arg(option("socket", &socket))
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(log)
                    .spawn()
                    .map_err(|e| format!("mariadbd did not start: {e}"))
            });
        let child = match began {
            Ok(child) => child,
            Err(reason) => {
                let _ = fs::remove_dir_all(&home);
                return Err(reason);
            }
        };
        let mut server = Server {
            child,
            socket: home.join("s"),
            home,
            client: PathBuf::new(),
            dump: PathBuf::new(),
        };
        server.client = tool("mariadb")?;
        server.dump = tool("mariadb-dump")?;
        server.wait()?;
        Ok(server)
    }

    /// Waits until it answers.
    fn wait(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            if let Ok(Some(status)) = self.child.try_wait() {
                let log = fs::read_to_string(self.home.join("log")).unwrap_or_default();
                let last = log.lines().last().unwrap_or("no message");
                return Err(format!("mariadbd ended ({status}): {last}"));
            }
            if self.query(None, "SELECT 1").is_ok() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(200));
        }
        Err("mariadbd did not answer within a minute".to_owned())
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .args(["--no-defaults", "--user=root"])
            .args([
                "--default-character-set=utf8mb4",
                "--max-allowed-packet=64M",
            ])
            .arg(option("socket", &self.socket));
        command
    }

    /// Runs statements in a database; the lines that come back.
    fn query(&self, database: Option<&str>, statements: &str) -> Result<String, String> {
        let mut command = self.command(&self.client);
        command.args(["--batch", "--skip-column-names", "-e", statements]);
        let ran = capture(command.args(database))?;
        success("mariadb", ran).map(|ran| ran.out)
    }

    /// Runs a script in a new database.
    fn load(&self, database: &str, script: &Path) -> Result<(), String> {
        let create = format!("CREATE DATABASE `{database}` CHARACTER SET utf8mb4");
        self.query(None, &create)?;
        let input = File::open(script).map_err(|e| format!("{}: {e}", script.display()))?;
        let mut command = self.command(&self.client);
        let out = command
            .arg(database)
            .stdin(input)
            .output()
            .map_err(|e| format!("mariadb did not start: {e}"))?;
        let said = String::from_utf8_lossy(&out.stderr);
        if out.status.success() && said.trim().is_empty() {
            return Ok(());
        }
        Err(format!("loading {}: {}", name(script), said.trim()))
    }

    fn dump(&self, database: &str, option: Option<&str>, to: &Path) -> Result<(), String> {
        let mut command = self.command(&self.dump);
        command.args(option).arg(database);
        let dumped = cmd::output(&mut command)?;
        fs::write(to, dumped).map_err(|e| format!("{}: {e}", to.display()))
    }

    /// Closes the tables, so that the files hold everything; the folder of the database.
    fn folder(&self, database: &str) -> Result<PathBuf, String> {
        self.query(None, "FLUSH TABLES")?;
        Ok(self.home.join("data").join(database))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            // Asked first; whoever does not listen is ended.
            let _ = self.query(None, "SHUTDOWN");
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(20)
                && !matches!(self.child.try_wait(), Ok(Some(_)))
            {
                thread::sleep(Duration::from_millis(100));
            }
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.home);
    }
}

fn option(name: &str, path: &Path) -> String {
    format!("--{name}={}", path.display())
}

fn success(what: &str, ran: Ran) -> Result<Ran, String> {
    if ran.code == 0 {
        return Ok(ran);
    }
    let said = ran.err.lines().find(|line| !line.trim().is_empty());
    Err(format!("{what}: {}", said.unwrap_or("no message")))
}

/// The comparison.
pub(super) fn mariadb(lab: &Lab) -> Result<Report, String> {
    let daemon = lab.tools.mariadbd.as_ref();
    let server = Server::start(daemon.ok_or("mariadbd is not installed")?)?;
    let python = cmd::find("python3").ok_or("python3 is not installed")?;
    let script = lab.root.join("xtask/peers/jose_rows.py");
    let query = capture(Command::new(&python).arg(&script).arg("--query"))?;
    let mut bench = Bench {
        lab,
        server,
        folder: lab.fresh("jose-mariadb")?,
        query: success("jose_rows.py", query)?.out,
        python,
        script,
        report: Report::default(),
        rows: 0,
        split: 0,
        free: 0,
        charsets: BTreeMap::new(),
    };
    let mut inputs = lab.fixtures("pgn/clean", &["pgn"])?;
    inputs.extend(lab.fixtures("jose", &["sql", "sqlite"]).unwrap_or_default());
    if let Some(data) = &lab.data {
        inputs.push(data.join("fixtures-made/jose/annotated.sqlite"));
        let pgn = lab.kept(&format!("corpus-{CORPUS_GAMES}.pgn"))?;
        corpus::unpack(data, Some(CORPUS_GAMES), &pgn)?;
        inputs.push(pgn);
    }
    let mut games = 0;
    for (n, input) in inputs.iter().enumerate() {
        games += bench.base(&format!("b{n:02}"), input)?;
    }
    let Bench {
        mut report,
        rows,
        split,
        free,
        charsets,
        ..
    } = bench;
    let [utf8, latin1] = ["utf8mb3", "latin1"].map(|name| charsets.get(name).copied().unwrap_or(0));
    report.figures = format!(
        "{} bases, {games} games, {rows} rows equal to those of SQLite; folder, split rows ({split} \
         bases), {free} free blocks, dumps with hex and with escapes, charsets utf8mb3 ({utf8}) and latin1 ({latin1})",
        inputs.len()
    );
    for (what, count) in [
        ("split rows", split),
        ("free blocks", free),
        ("utf8mb3", utf8),
        ("latin1", latin1),
    ] {
        if count == 0 {
            report.faults.push(format!("no base with {what}"));
        }
    }
    Ok(report)
}

struct Bench<'l> {
    lab: &'l Lab,
    server: Server,
    folder: PathBuf,
    query: String,
    python: PathBuf,
    script: PathBuf,
    report: Report,
    rows: usize,
    /// How many bases had rows in several blocks, texts in other charsets.
    split: usize,
    /// How many free blocks there were.
    free: usize,
    charsets: BTreeMap<&'static str, usize>,
}

impl Bench<'_> {
    /// One base through the server; how many games it has.
    fn base(&mut self, database: &str, input: &Path) -> Result<u64, String> {
        let place = self.folder.join(database);
        fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        let (script, sqlite) = (place.join("ours.sql"), place.join("ours.sqlite"));
        let written = self.lab.convert(input, &script)?.written;
        self.lab.convert(&script, &sqlite)?;
        let wanted = self.pgn(&script, &place.join("ours.pgn"))?;
        self.server.load(database, &script)?;
        self.compare_rows(database, input, &sqlite)?;
        let checks = |bench: &mut Self, what: &str, from: &Path| {
            let found = bench.pgn(from, &place.join("theirs.pgn"))?;
            if found != wanted {
                let lines = |text: &'_ [u8]| {
                    text.split(|b| *b == b'\n')
                        .map(<[u8]>::to_vec)
                        .collect::<Vec<_>>()
                };
                let (found, wanted) = (lines(&found), lines(&wanted));
                let same = found.iter().zip(&wanted).take_while(|(a, b)| a == b);
                let line = same.count() + 1;
                let fault = format!("{}, {what}: other games, line {line}", name(input));
                bench.report.faults.push(fault);
            }
            Ok::<(), String>(())
        };
        let folder = self.server.folder(database)?;
        checks(self, "MyISAM files", &folder)?;
        for (what, option) in [("hex", Some("--hex-blob")), ("escaped", None)] {
            let dump = place.join(format!("{what}.sql"));
            self.server.dump(database, option, &dump)?;
            checks(self, &format!("dump, {what}"), &dump)?;
        }
        self.split_rows(database)?;
        self.server.folder(database)?;
        checks(self, "rows in several blocks", &folder)?;
        self.free_blocks(database)?;
        self.server.folder(database)?;
        checks(self, "free blocks", &folder)?;
        self.map(input, &folder)?;
        for charset in ["utf8mb3", "latin1"] {
            let convert =
                |table| format!("ALTER TABLE `{table}` CONVERT TO CHARACTER SET {charset};");
            let statements: String = WITH_TEXTS.map(convert).concat();
            // Names may have characters that the charset lacks; then the server refuses.
            if self.server.query(Some(database), &statements).is_ok() {
                *self.charsets.entry(charset).or_default() += 1;
            }
            self.server.folder(database)?;
            checks(self, charset, &folder)?;
        }
        self.server
            .query(None, &format!("DROP DATABASE `{database}`"))?;
        Ok(written)
    }

    fn pgn(&self, from: &Path, to: &Path) -> Result<Vec<u8>, String> {
        if !self.lab.convert(from, to)?.whole {
            return Err(format!("{}: games were skipped or cut", name(from)));
        }
        fs::read(to).map_err(|e| format!("{}: {e}", to.display()))
    }

    /// The rows that the server holds against those of our SQLite file, as Python reads it.
    fn compare_rows(&mut self, database: &str, input: &Path, sqlite: &Path) -> Result<(), String> {
        let theirs = self.server.query(Some(database), &self.query)?;
        let ours = capture(Command::new(&self.python).arg(&self.script).arg(sqlite))?;
        let ours = success("jose_rows.py", ours)?.out;
        let (ours, theirs): (Vec<_>, Vec<_>) = (ours.lines().collect(), theirs.lines().collect());
        self.rows += theirs.len();
        if ours.len() != theirs.len() {
            let (a, b) = (ours.len(), theirs.len());
            let fault = format!("{}: {b} rows in MariaDB, {a} in SQLite", name(input));
            self.report.faults.push(fault);
        }
        if let Some((ours, theirs)) = ours.iter().zip(&theirs).find(|(a, b)| a != b) {
            let fault = format!("{}: row {theirs} in MariaDB, {ours} in SQLite", name(input));
            self.report.faults.push(fault);
        }
        Ok(())
    }

    /// Empties the long columns of every row, closes the gaps and fills the columns again: rows no
    /// longer fit where they are.
    fn split_rows(&mut self, database: &str) -> Result<(), String> {
        self.server.query(
            Some(database),
            "CREATE TABLE Kept ENGINE=MyISAM AS SELECT GId, Bin, Comments, Info FROM MoreGame;
             UPDATE MoreGame SET Bin = NULL, Comments = NULL, Info = NULL;
             OPTIMIZE TABLE MoreGame;",
        )?;
        let compact = self.size(database)?;
        self.server.query(
            Some(database),
            "UPDATE MoreGame JOIN Kept USING (GId) SET MoreGame.Bin = Kept.Bin;
             UPDATE MoreGame JOIN Kept USING (GId) SET MoreGame.Comments = Kept.Comments;
             UPDATE MoreGame JOIN Kept USING (GId) SET MoreGame.Info = Kept.Info;",
        )?;
        // Between rows without gaps a row can only grow elsewhere.
        self.split += usize::from(self.size(database)? > compact);
        Ok(())
    }

    /// Adds rows to the table of moves and deletes them again, every third one first.
    fn free_blocks(&self, database: &str) -> Result<(), String> {
        let statements = "INSERT INTO MoreGame (GId, Info)
                          SELECT -1 - GId, REPEAT('x', GId % 50) FROM Kept;
                          DELETE FROM MoreGame WHERE GId < 0 AND GId % 3 = 0;
                          DELETE FROM MoreGame WHERE GId < 0;";
        self.server.query(Some(database), statements).map(|_| ())
    }

    /// The map of these files knows whose every byte is, and that free blocks are linked.
    fn map(&mut self, input: &Path, folder: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.lab.program);
        let ran = capture(command.args(["dump", "--raw"]).arg(folder))?;
        let map = success("chessdb dump", ran)?.out;
        self.free += map
            .lines()
            .filter(|line| line.contains("  free block of"))
            .count();
        let odd = |line: &&str| {
            line.as_bytes().get(9) == Some(&b'*') || line.contains("not in the list of free blocks")
        };
        if let Some(line) = map.lines().find(odd) {
            let fault = format!("{}, map: {line}", name(input));
            self.report.faults.push(fault);
        }
        Ok(())
    }

    /// Bytes of the file with the moves.
    fn size(&self, database: &str) -> Result<u64, String> {
        let file = self.server.folder(database)?.join("MoreGame.MYD");
        let data = fs::metadata(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(data.len())
    }
}
