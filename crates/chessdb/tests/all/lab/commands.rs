//! Damages the databases of one format and runs the commands on them.

use chessdb::core::compare::first_difference;
use chessdb::core::{Game, MemorySet, ReadOptions, Severity};
use chessdb::options::OpenOptions;
use chessdb::{Converter, Database, Format};
use chessdb_testkit::identity::{self, Ranges};
use chessdb_testkit::rng::Rng;

use super::kinds::{KINDS, Kind, Subject, games};
use crate::damage::map::{self, Map};
use crate::damage::{TEXT_LINES, made, meet, touched};

/// Number of games in the database, and in its older version.
const GAMES: u64 = 128;
const OLDER: usize = 104;

pub(crate) struct Lab {
    format: &'static Format,
    files: MemorySet,
    older: MemorySet,
    /// The games of the undamaged database.
    truth: Vec<Game>,
    map: Option<Map>,
}

/// The results for one kind of damage.
pub(crate) struct Row {
    pub(crate) kind: &'static Kind,
    /// Number of damaged databases.
    pub(crate) cases: usize,
    /// Number of databases in which `check` finds nothing lost or repaired.
    pub(crate) unnoticed: usize,
    /// Number of databases that `convert` refuses as a whole.
    pub(crate) refused: usize,
    /// Number of databases for which `convert` reports losses.
    pub(crate) lossy: usize,
    /// Number of databases that `convert --strict` accepts.
    pub(crate) strict: usize,
    /// The accepted databases with a changed or missing game: file and difference.
    pub(crate) passed: Vec<String>,
    /// Number of changed games without a diagnostic.
    pub(crate) unmarked: usize,
    /// Number of games without a touched byte, and number of these that are read completely.
    pub(crate) intact: usize,
    pub(crate) delivered: usize,
    /// Number of these that `salvage` recovers completely.
    pub(crate) salvaged: usize,
}

impl Lab {
    pub(crate) fn new(format: &'static Format) -> Lab {
        let id = format.id;
        let games = games(format, GAMES);
        let files = made(format, &games).unwrap();
        let older = made(format, &games[..OLDER]).unwrap();
        let truth = identity::open_all(format, &files);
        let map = map::of(format, &files);
        assert!(truth.len() > 100, "{id}: {} games", truth.len());
        if let Some(map) = &map {
            assert_eq!(map.own.len(), truth.len(), "{id}");
        }
        Lab {
            format,
            files,
            older,
            truth,
            map,
        }
    }

    pub(crate) fn run(&self, seeds: u64) -> Vec<Row> {
        let nothing = Ranges::new();
        let subject = Subject {
            files: &self.files,
            older: &self.older,
            header: self.map.as_ref().map_or(&nothing, |map| &map.header),
            index: self
                .map
                .as_ref()
                .and_then(|map| map.index.as_ref())
                .map(|(role, records, _)| (*role, *records)),
        };
        let mut whole = Row::new(&KINDS[0]);
        self.try_base(&mut whole, "undamaged", &self.files);
        let counts = (whole.unnoticed, whole.strict, whole.intact);
        assert_eq!(counts, (1, 1, whole.delivered), "{}", self.format.id);
        // Some databases have a dozen files.
        let few = self.files.iter().count() <= 6;
        let row = |kind: &'static Kind| {
            let mut row = Row::new(kind);
            let times = if few { kind.times } else { 1 };
            for (role, _) in self.files.iter() {
                for seed in 0..seeds * times {
                    let mut rng = Rng::new(seed * 1009 + 17);
                    let Some(changed) = (kind.apply)(&subject, role, &mut rng) else {
                        continue;
                    };
                    let mut files: MemorySet = self
                        .files
                        .iter()
                        .filter(|(other, _)| *other != role)
                        .map(|(other, bytes)| (other, bytes.to_vec()))
                        .collect();
                    if let Some(bytes) = changed {
                        files.insert(role, bytes);
                    }
                    self.try_base(
                        &mut row,
                        &format!("{}, {role}, seed {seed}", kind.name),
                        &files,
                    );
                }
            }
            row
        };
        KINDS.iter().map(row).collect()
    }

    /// Tests the database with zeros from this quarter of a file on.
    pub(crate) fn zeros(&self, role: &str, quarter: usize, length: usize) -> Row {
        let mut files = MemorySet::new();
        for (file, bytes) in self.files.iter() {
            let mut bytes = bytes.to_vec();
            if file.0 == role {
                let start = bytes.len() / 4 * quarter;
                let end = bytes.len().min(start + length);
                bytes[start..end].fill(0);
            }
            files.insert(file, bytes);
        }
        let mut row = Row::new(&KINDS[0]);
        self.try_base(&mut row, "zeros", &files);
        row
    }

    fn try_base(&self, row: &mut Row, what: &str, files: &MemorySet) {
        row.cases += 1;
        let options = || Database::options().format(self.format.id).jobs(1);
        let mut noticed = false;
        chessdb::core::format::check(
            self.format,
            files,
            &ReadOptions::default(),
            &mut |finding| {
                noticed |= finding.severity > Severity::Note;
            },
        );
        let read = self.read(options(), files);
        let salvaged = self.read(options().salvage(true), files);
        let salvaged = salvaged.map_or(Vec::new(), |read| read.found);
        row.unnoticed +=
            usize::from(!noticed && !read.as_ref().is_some_and(|read| read.is_noticed));
        let Some(read) = read else {
            row.refused += 1;
            row.unnoticed -= usize::from(!noticed);
            self.intact(row, files, &[], &salvaged);
            return;
        };
        let db = options().open_set(files.clone()).unwrap();
        let convert = |strict| {
            let mut made = MemorySet::new();
            let target = match self.format.create {
                // What is written in these formats holds less than a game.
                _ if TEXT_LINES.contains(&self.format.id) => "pgn",
                Some(_) => self.format.id,
                None if self.format.id == "2cbh" => "cbh",
                None => "jose-sql",
            };
            Converter::to_sink(&mut made)
                .format(target)
                .add_database(&db)
                .strict(strict)
                .jobs(1)
                .run()
        };
        let lenient = convert(false).unwrap();
        let lossy = lenient.has_losses();
        row.lossy += usize::from(lossy);
        // The converter has its own tests of refused losses; here only some cases are tried.
        let strict = if lossy && !row.lossy.is_multiple_of(4) {
            false
        } else {
            convert(true).is_ok()
        };
        // A container's library checks the files in strict conversions only.
        assert!(!strict || !lossy, "{what}");
        assert!(strict || lossy || self.format.disk.is_some(), "{what}");
        row.strict += usize::from(strict);
        row.unmarked += read.unmarked.len();
        if strict && let Some(change) = read.unmarked.first().cloned().or_else(|| read.missing()) {
            row.passed.push(format!("{what}: {change}"));
        }
        self.intact(row, files, &read.found, &salvaged);
    }

    fn read(&self, options: OpenOptions, files: &MemorySet) -> Option<Read> {
        let db = options.open_set(files.clone()).ok()?;
        let is_bad = |diagnostic: &chessdb::Diagnostic| diagnostic.severity > Severity::Note;
        let mut read = Read {
            found: vec![false; self.truth.len()],
            unmarked: Vec::new(),
            is_noticed: db.diagnostics().iter().any(is_bad),
        };
        let mut next = 0;
        let mut games = db.games();
        for game in games.by_ref() {
            let Ok(game) = game else {
                read.is_noticed = true;
                next += 1;
                continue;
            };
            read.is_noticed |= game.diagnostics().iter().any(is_bad);
            let is_it = |n: &usize| {
                self.truth
                    .get(*n)
                    .is_some_and(|truth| first_difference(truth, &game).is_none())
            };
            if let Some(n) = Some(next)
                .filter(is_it)
                .or_else(|| (0..self.truth.len()).find(is_it))
            {
                read.found[n] = true;
                next = n + 1;
                continue;
            }
            if !game.is_damaged() {
                let truth = self.truth.get(next);
                let change = truth.and_then(|truth| first_difference(truth, &game));
                let change = change.map_or("a game too many".into(), |change| change.to_string());
                let change: String = change.chars().take(200).collect();
                read.unmarked.push(format!("game {}: {change}", next + 1));
            }
            next += 1;
        }
        read.is_noticed |= games.take_diagnostics().iter().any(is_bad);
        Some(read)
    }

    /// Counts the games without a touched byte, and those of them that were found.
    fn intact(&self, row: &mut Row, files: &MemorySet, found: &[bool], salvaged: &[bool]) {
        let Some(map) = &self.map else {
            return;
        };
        let touched = touched(&self.files, files);
        if [&map.frame, &map.names, &map.header]
            .iter()
            .any(|ranges| meet(ranges, &touched))
        {
            return;
        }
        for (n, own) in map.own.iter().enumerate() {
            if !meet(own, &touched) {
                row.intact += 1;
                row.delivered += usize::from(found.get(n) == Some(&true));
                row.salvaged += usize::from(salvaged.get(n) == Some(&true));
            }
        }
    }
}

/// The results of reading.
struct Read {
    /// For each game, whether it is unchanged.
    found: Vec<bool>,
    /// Changed games without a diagnostic.
    unmarked: Vec<String>,
    is_noticed: bool,
}

impl Read {
    fn missing(&self) -> Option<String> {
        let first = self.found.iter().position(|found| !found)?;
        Some(format!("game {} is missing", first + 1))
    }
}

impl Row {
    fn new(kind: &'static Kind) -> Row {
        Row {
            kind,
            cases: 0,
            unnoticed: 0,
            refused: 0,
            lossy: 0,
            strict: 0,
            passed: Vec::new(),
            unmarked: 0,
            intact: 0,
            delivered: 0,
            salvaged: 0,
        }
    }
}
