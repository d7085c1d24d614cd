//! The seed inputs of fuzzing: small databases with annotated games, made from the fixtures and
//! random games, so that the targets reach the code for comments and variations immediately.

use chessdb::bytecode::raw::myisam::{ARCHIVE, LIVE, TableFiles};
use chessdb::bytecode::raw::{Cell, MemorySink, Table, TableRead};
use chessdb::bytecode::{Width, Writer};
use chessdb::cbh::archive::{Key, Packing, lock, pack};
use chessdb::core::files::Role;
use chessdb::core::{FileSet, Game, GameWrite, MemorySet, Scratch, WriteOptions};
use chessdb::{Allow, Format};
use chessdb_book::polyglot::to_bytes;
use chessdb_book::{ABK_FILE, BIN_FILE, BookMaker, CTO_FILE, MakeOptions};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{cbh2, fixtures, fuzz, identity};

use crate::formats::books::{BEFORE_ENTRIES, ENTRIES};
use crate::formats::{CBV, CBZ, PASSWORD, PICKLE, SQLITE};

#[path = "../../../chessdb-book/tests/all/common.rs"]
mod samples;

/// Number of games taken from each PGN file; games of a file are similar.
const FROM_EACH: u32 = 6;
const RANDOM: u64 = 60;
const SCRIPT: Role = Role("sql");
const NAMES: Role = Role("emb");
const WITH_NAMES: usize = 30;

/// Returns the seeds of a format.
pub(crate) fn seeds(format: &'static Format, games: &[Game]) -> Vec<Vec<u8>> {
    let most = match format.id {
        "ca" => 9 << 10,
        "2cbh" | "ctg" => 16 << 10,
        "cbh" | "jose-io" | "jose-myisam" => 8 << 10,
        id if SQLITE.contains(&id) => 12 << 10,
        _ => 2 << 10,
    };
    let mut seeds = Seeds {
        most,
        format,
        inputs: Vec::new(),
    };
    seeds.native();
    match format.id {
        "cbh" => seeds.outside("fixtures-real/cbh"),
        "2cbh" => seeds.twins(games),
        "cbv" => seeds.archives(games),
        "jose-rows" => seeds.rows(games),
        "jose-io" => seeds.tables(ARCHIVE),
        "jose-myisam" => seeds.tables(LIVE),
        "pickle" => seeds.pickles(),
        "ctg" | "polyglot" | "abk" => seeds.books(games),
        _ if format.create.is_some() => seeds.written(games),
        // They have only their fixtures.
        _ => {}
    }
    seeds.inputs
}

/// Returns the seeds of the target `roundtrip`, which makes games from arbitrary bytes.
pub(crate) fn recipes() -> Vec<Vec<u8>> {
    let mut rng = chessdb_testkit::rng::Rng::new(1);
    let mut recipe = |_| {
        let length = 8 + rng.below(600);
        (0..length).map(|_| rng.below(256) as u8).collect()
    };
    (0..40).map(&mut recipe).collect()
}

/// Returns games with all kinds of content.
pub(crate) fn games() -> Vec<Game> {
    let pgn = chessdb::formats::by_id("pgn").expect("PGN");
    let mut games = Vec::new();
    for folder in ["pgn/clean", "pgn/edge"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let mut set = MemorySet::new();
            set.insert(pgn.roles[0], fixtures::read(&path));
            let store = identity::open(pgn, &set);
            for n in 0..store.len().min(FROM_EACH) {
                let mut game = Game::new();
                if store.game_into(n, &mut game, &mut Scratch::new()).is_ok() {
                    games.push(game);
                }
            }
        }
    }
    let options = GameOptions {
        plies: 30,
        all_plies: 60,
        ..GameOptions::all()
    };
    games.extend((0..RANDOM).map(|seed| strategy::game(seed, &options)));
    games
}

fn everything() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    options
}

struct Seeds {
    most: usize,
    format: &'static Format,
    inputs: Vec<Vec<u8>>,
}

impl Seeds {
    /// Adds a set, unless it is too large; returns whether it was added.
    fn add(&mut self, set: &MemorySet) -> bool {
        let set = if SQLITE.contains(&self.format.id) {
            &with_small_pages(set, self.format.required[0])
        } else {
            set
        };
        match fuzz::join(set, self.format.roles) {
            Some(bytes) if bytes.len() <= self.most => self.inputs.push(bytes),
            _ => return false,
        }
        true
    }

    /// Adds the databases among the fixtures.
    fn native(&mut self) {
        let index = self.format.roles[0];
        let entries = std::fs::read_dir(fixtures::root()).unwrap();
        let mut folders: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        folders.extend(["pgn/edge", "pgn/broken"].map(fixtures::path));
        folders.sort();
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            for stem in fixtures::bases(folder, index) {
                self.add(&fixtures::load_set(&stem, self.format.roles));
            }
        }
    }

    /// Adds the external databases of a format that cannot be written.
    fn outside(&mut self, folder: &str) {
        let mut folders: Vec<_> = fixtures::testdata(folder).into_iter().collect();
        while let Some(folder) = folders.pop() {
            for stem in fixtures::bases(&folder, self.format.roles[0]) {
                self.add(&fixtures::load_set(&stem, self.format.roles));
            }
            let entries = std::fs::read_dir(folder).unwrap();
            let paths = entries.map(|entry| entry.unwrap().path());
            folders.extend(paths.filter(|path| path.is_dir()));
        }
    }

    /// Adds a database for each game, and databases of several games.
    fn written(&mut self, games: &[Game]) {
        for games in games.chunks(1).chain(games.chunks(5)) {
            let Ok((mut set, _)) = identity::write_all(self.format, games, everything()) else {
                continue;
            };
            if let Some(script) = set.get_mut(SCRIPT) {
                *script = terse(script);
            }
            // Chess Assistant's names file is never smaller than 8 KiB, most of it padding, and is
            // optional: a few seeds with it are enough.
            if self.inputs.len() < WITH_NAMES || !set.iter().any(|(role, _)| role == NAMES) {
                self.add(&set);
            }
            if set.remove(NAMES).is_some() {
                self.add(&set);
            }
        }
    }

    /// Adds a database in 2CBH for each game, with and without its names, made from CBH.
    fn twins(&mut self, games: &[Game]) {
        let cbh = &chessdb::cbh::CBH;
        for games in games.chunks(1).chain(games.chunks(5)) {
            let Ok((set, _)) = identity::write_all(cbh, games, everything()) else {
                continue;
            };
            let games = identity::open_all(cbh, &set);
            let mut twin = cbh2::write(&games, cbh2::Content::Known);
            self.add(&twin);
            twin.remove(chessdb::cbh::LID2_FILE);
            self.add(&twin);
        }
    }

    /// Adds archives, plain and encrypted, of databases with one or several games.
    fn archives(&mut self, games: &[Game]) {
        let pgn = chessdb::formats::by_id("pgn").expect("PGN");
        for games in games.chunks(1).chain(games.chunks(3)) {
            let Ok((set, _)) = identity::write_all(pgn, games, everything()) else {
                continue;
            };
            for packing in [Packing::Stored, Packing::Smallest] {
                let files = set
                    .iter()
                    .map(|(role, bytes)| (role.0.as_bytes(), bytes))
                    .chain([(&b"html\\empty"[..], &b""[..])]);
                let archive = pack(files, packing).expect("an archive");
                let mut locked = MemorySet::new();
                locked.insert(CBZ, lock(archive.clone(), Key::new(PASSWORD)));
                self.add(&locked);
                let mut open = MemorySet::new();
                open.insert(CBV, archive);
                self.add(&open);
            }
        }
    }

    /// Adds a small book, and Polyglot books of the games.
    fn books(&mut self, games: &[Game]) {
        match self.format.id {
            "ctg" => {
                let mut book = samples::ctg();
                self.add(&book);
                book.remove(CTO_FILE);
                self.add(&book);
            }
            "abk" => {
                let book = samples::abk();
                let entries = book.get(ABK_FILE).unwrap_or_default();
                let entries = entries.get(BEFORE_ENTRIES..).unwrap_or_default();
                self.add(&[(ENTRIES, entries.to_vec())].into_iter().collect());
            }
            _ => {
                self.add(&samples::polyglot());
                for games in games.chunks(1).chain(games.chunks(3)) {
                    let options = MakeOptions::default();
                    let mut maker = BookMaker::new(options);
                    games
                        .iter()
                        .for_each(|game| maker.add_line(options.line(game)));
                    let book = to_bytes(&mut maker.finish().entries);
                    self.add(&[(BIN_FILE, book)].into_iter().collect());
                }
            }
        }
    }

    /// Adds pickles with all kinds of values: of a game, of a move, of any.
    fn pickles(&mut self) {
        for pickle in [
            &b"\x80\x04}(\x8c\x0dfirst_comment\x8c\x04Here\x8c\x08li_moves](C\x01aC\x02bceu."[..],
            b"\x80\x04}(\x8c\x04move\x8c\x04e2e4\x8c\x07li_nags](K\x01K\x02e\
              \x8c\x07comment\x94X\x02\0\0\0ab\x8c\x09li_themes]\x8c\x04mateau.",
            b"\x80\x03NK\x01\x86q\x00h\x00\x86.",
            b"](K\x01M\x01\x02J\xff\xff\xff\xff\x8a\x02\x00\x80G@\x08\0\0\0\0\0\0\x88\x89e.",
            b"\x80\x04\x95\x0a\0\0\0\0\0\0\0}\x8c\x01aN\x85sh\x00.",
        ] {
            self.add(&[(PICKLE, pickle.to_vec())].into_iter().collect());
        }
    }

    /// Adds the row of each game.
    fn rows(&mut self, games: &[Game]) {
        for game in games {
            let mut sink = MemorySink::new();
            let writer = Writer::create(Box::new(&mut sink), Width::Any, everything());
            let mut writer = Box::new(writer.expect("a writer"));
            if writer.write(game).is_err() || writer.finish().is_err() {
                continue;
            }
            let Some(set) = row_set(&sink) else { continue };
            self.add(&set);
        }
    }

    /// Adds the external tables, without most of their rows.
    fn tables(&mut self, tables: &[TableFiles]) {
        let Some(folder) = fixtures::testdata("fixtures-real/bytecode/jose-10k-tables") else {
            return;
        };
        let file = |name: &str| fixtures::read(folder.join(name));
        let games = file("IO_Game.first300.MYD");
        let description = compact(&file("IO_Game.frm"));
        for (start, length) in [(0, 900), (0, 1500), (0, 300), (20, 700)] {
            let mut set = MemorySet::new();
            for table in tables {
                let name = table.name.trim_start_matches("IO_");
                let (rows, frm) = match name {
                    "Game" => (games.clone(), description.clone()),
                    "MoreGame" => (games.clone(), with_other_key(&description)),
                    "Collection" | "Event" | "Site" | "Player" => (
                        file(&format!("IO_{name}.MYD")),
                        compact(&file(&format!("IO_{name}.frm"))),
                    ),
                    _ => continue,
                };
                let length = if name.ends_with("Game") { length } else { 200 };
                let end = rows.len().min(start + length);
                set.insert(table.rows, &rows[start..end]);
                set.insert(table.description, frm);
            }
            if !self.add(&set) {
                panic!("{}: a base of tables is too large", self.format.id);
            }
        }
    }
}

/// Converts a row into the input of [`crate::formats::ROWS`].
fn row_set(sink: &MemorySink) -> Option<MemorySet> {
    let mut row = Vec::new();
    let more = sink.table(Table::MoreGame)?;
    more.row(0, &mut row).ok()?;
    let mut set = MemorySet::new();
    let mut info = Vec::new();
    for (column, cell) in Table::MoreGame.columns().iter().zip(&row) {
        let bytes = cell.as_bytes();
        match column.name {
            "Bin" | "Comments" | "Eval" | "FEN" => {
                if let Some(bytes) = bytes {
                    let role = match column.name {
                        "Bin" => "bin",
                        "Comments" => "comments",
                        "Eval" => "eval",
                        _ => "fen",
                    };
                    set.insert(Role(role), &*bytes);
                }
            }
            "GId" => {}
            _ => {
                info.extend(bytes.unwrap_or_default().iter());
                info.push(b'\n');
            }
        }
    }
    let game = sink.table(Table::Game)?;
    game.row(0, &mut row).ok()?;
    let numbers = row.iter().flat_map(|cell| match cell {
        Cell::Int(number) => (*number as i16).to_le_bytes(),
        _ => [0; 2],
    });
    set.insert(Role("numbers"), numbers.collect::<Vec<_>>());
    set.insert(Role("info"), info);
    set.insert(Role("names"), b"?\nAdams\nBaker, C".to_vec());
    Some(set)
}

/// Returns a SQLite database with the smallest pages, and without indexes, which no reader uses.
fn with_small_pages(set: &MemorySet, role: Role) -> MemorySet {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), set.get(role).unwrap()).unwrap();
    let connection = rusqlite::Connection::open(file.path()).unwrap();
    let drops: Option<String> = connection
        .query_row(
            "SELECT group_concat('DROP INDEX ' || name, ';') FROM sqlite_master \
             WHERE type = 'index' AND sql IS NOT NULL",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let pages = "PRAGMA journal_mode = OFF; PRAGMA page_size = 512; VACUUM;";
    connection
        .execute_batch(&format!("{}; {pages}", drops.unwrap_or_default()))
        .unwrap();
    connection.close().unwrap();
    let mut small = set.clone();
    small.insert(role, std::fs::read(file.path()).unwrap());
    small
}

/// Removes the padding from a table description; keeps the header, column offsets, columns and
/// names.
fn compact(frm: &[u8]) -> Vec<u8> {
    let number = |at: usize| usize::from(u16::from_le_bytes([frm[at], frm[at + 1]]));
    let at = 64 + number(4);
    let middle = u32::from_le_bytes([frm[at], frm[at + 1], frm[at + 2], frm[at + 3]]) as usize;
    let (fields, screens) = (number(middle + 258), number(middle + 260));
    let names = number(middle + 268);
    let mut short = frm[..64].to_vec();
    short[4..6].fill(0);
    short.extend(68u32.to_le_bytes());
    let form = short.len();
    short.extend(&frm[middle..middle + 288]);
    short[form + 260..form + 262].fill(0);
    let columns = middle + 288 + screens;
    short.extend(&frm[columns..columns + 17 * fields + names]);
    short
}

/// Returns the description with the key named `GId`, as in the table MoreGame.
fn with_other_key(frm: &[u8]) -> Vec<u8> {
    let mut frm = frm.to_vec();
    let key = frm
        .windows(4)
        .position(|part| part[0] == part[3] && &part[1..3] == b"Id");
    if let Some(at) = key {
        frm.insert(at + 1, b'G');
        let names = u16::from_le_bytes([frm[68 + 268], frm[68 + 269]]) + 1;
        frm[68 + 268..68 + 270].copy_from_slice(&names.to_le_bytes());
    }
    frm
}

/// Removes comments, keys and column types from a script, which are most of it and always the same.
fn terse(script: &[u8]) -> Vec<u8> {
    let mut terse = String::new();
    for line in String::from_utf8_lossy(script).lines() {
        if let Some(table) = line.strip_prefix("CREATE TABLE ") {
            terse += &format!("CREATE TABLE {table}");
        } else if let Some(column) = line.strip_prefix("  `") {
            let (column, _) = column.split_once('`').unwrap();
            let comma = if terse.ends_with('(') { "" } else { "," };
            terse += &format!("{comma}{column}");
        } else if line.starts_with(')') {
            terse += ");\n";
        } else if !line.starts_with("--") && !line.starts_with("  ") {
            terse += line;
            terse += "\n";
        }
    }
    terse.replace(" (", "(").into_bytes()
}
