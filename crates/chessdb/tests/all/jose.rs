//! jose's databases (SQLite files, archives, folders, scripts) to PGN and SCID and back.
#![cfg(all(
    feature = "pgn",
    feature = "scid",
    feature = "sqlite-write",
    feature = "archives"
))]

use std::io::Write as _;
use std::path::Path;

use chessdb::bytecode::{JOSE_IO, JOSE_SQL};
use chessdb::core::compare::first_difference;
use chessdb::core::files::Role;
use chessdb::core::format::Score;
use chessdb::core::model::Extra;
use chessdb::core::{FileSet, Game, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb::formats::Files;
use chessdb::formats::jose::sqlite::SQLITE_FILE;
use chessdb::formats::jose::{JOSE, JOSE_ARCHIVE};
use chessdb::pgn::PGN;
use chessdb::scid::SI4;
use chessdb::{Allow, Format, Losses};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::expected::{self, CompareOptions};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{fixtures, identity, readings};

pub(crate) fn everything() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    options
}

pub(crate) fn write(format: &Format, games: &[Game]) -> (MemorySet, Losses) {
    identity::write_all(format, games, everything()).unwrap()
}

pub(crate) fn file(role: Role, path: impl AsRef<Path>) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(role, fixtures::read(path));
    set
}

pub(crate) fn random_games(count: u64) -> Vec<Game> {
    let options = GameOptions {
        plies: 40,
        comments_before: false,
        odd_dates: false,
        ..GameOptions::all()
    };
    (0..count)
        .map(|seed| strategy::game(seed, &options))
        .collect()
}

/// Opens the files of a database by path.
fn read(path: &std::path::Path) -> chessdb::Result<Files> {
    chessdb::fs::find(path)?.read()
}

/// Rows made by jose's own parser and put into SQLite by another program.
#[test]
fn the_made_base_holds_the_expected_games() {
    let Some(folder) = fixtures::testdata("fixtures-made/jose") else {
        return;
    };
    for base in expected::bases(&folder) {
        let set = file(SQLITE_FILE, folder.join(&base.name));
        assert_eq!((JOSE.probe)(&set), Score::Certain);
        let store = identity::open(&JOSE, &set);
        assert_eq!(store.len() as usize, base.games.len());
        assert!(store.diagnostics().is_empty(), "{:?}", store.diagnostics());
        // The rows contain more tags than expected.
        let options = CompareOptions {
            more_tags: true,
            same_glyphs: base.same_glyphs.clone(),
            ..CompareOptions::default()
        };
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for (n, expected) in base.games.iter().enumerate() {
            store.game_into(n as u32, &mut game, &mut scratch).unwrap();
            assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
            if let Err(difference) = expected::compare(&game, expected, &options) {
                panic!("{}, game {}: {difference}", base.name, n + 1);
            }
        }
        readings::check(&JOSE, &set, &ReadOptions::default());
        // Equal games come back; from then on the bytes are the same.
        let once = identity::rewrite(&JOSE, &set, &Allow::Nothing).unwrap();
        let (before, after) = (
            identity::open_all(&JOSE, &set),
            identity::open_all(&JOSE, &once.set),
        );
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(first_difference(before, after), None);
        }
        let twice = identity::rewrite(&JOSE, &once.set, &Allow::Nothing).unwrap();
        assert_eq!(identity::first_difference(&once.set, &twice.set), None);
    }
}

/// Returns the rows of a table, ordered by its first column: column names, and cells as text.
fn rows(set: &MemorySet, table: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let temporary = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(temporary.path(), set.get(SQLITE_FILE).unwrap()).unwrap();
    let connection = rusqlite::Connection::open(temporary.path()).unwrap();
    let query = format!("SELECT * FROM {table} ORDER BY 1");
    let mut statement = connection.prepare(&query).unwrap();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        let cell = |n| row.get_ref(n).map(|cell| format!("{cell:?}"));
        (0..columns.len()).map(cell).collect()
    });
    let rows = rows.unwrap().map(Result::unwrap).collect();
    (columns, rows)
}

/// The changes that a rewrite makes to the rows that another program put into the made database,
/// column by column (docs/formats/bytecode.md, section 10). All other cells are unchanged.
#[test]
fn rewriting_changes_only_the_listed_columns() {
    let Some(folder) = fixtures::testdata("fixtures-made/jose") else {
        return;
    };
    let before = file(SQLITE_FILE, folder.join("annotated.sqlite"));
    let after = identity::rewrite(&JOSE, &before, &Allow::Nothing)
        .unwrap()
        .set;
    let mut changed = std::collections::BTreeMap::<String, usize>::new();
    let mut same = 0;
    for table in ["Game", "MoreGame", "Player", "Event", "Site", "Opening"] {
        let (columns, old) = rows(&before, table);
        let (known, new) = rows(&after, table);
        assert_eq!(old.len(), new.len(), "{table}");
        for (old, new) in old.iter().zip(&new) {
            for (name, old) in columns.iter().zip(old) {
                let at = known.iter().position(|known| known == name);
                if at.map(|at| &new[at]) == Some(old) {
                    same += 1;
                } else {
                    *changed.entry(format!("{table}.{name}")).or_default() += 1;
                }
            }
        }
    }
    println!("{same} cells are the same; changed: {changed:?}");
    let listed = [
        "Game.BlackELO",
        "Game.DateFlags",
        "Game.GameDate",
        "Game.WhiteELO",
    ];
    let changed: Vec<&str> = changed.keys().map(String::as_str).collect();
    assert_eq!(changed, listed);
    assert!(same > 4000, "{same}");
}

/// A database written by our own writer comes back byte for byte.
#[test]
fn a_rewritten_base_has_the_same_bytes() {
    let (set, _) = write(&JOSE, &random_games(60));
    let again = identity::rewrite(&JOSE, &set, &Allow::Nothing).unwrap();
    assert_eq!(identity::first_difference(&set, &again.set), None);
    assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    let mut findings = Vec::new();
    chessdb::core::format::check(&JOSE, &set, &ReadOptions::default(), &mut |finding| {
        findings.push(finding.kind.to_string());
    });
    assert_eq!(findings, Vec::<String>::new());
}

/// The two anti-cheat tests of docs/architecture.md.
#[test]
fn nothing_stored_is_copied() {
    let (set, _) = write(&JOSE, &random_games(12));
    let mut tried = 0;
    for n in 0..12 {
        let changed = identity::changed_letter(&JOSE, &set, &Allow::Nothing, n).unwrap();
        if let Some(ranges) = changed {
            let bytes: usize = ranges.iter().map(|(_, range)| range.len()).sum();
            assert_eq!(bytes, 1, "game {n}: {ranges:?}");
            tried += 1;
        }
    }
    assert!(tried > 5, "only {tried} games have a comment");
    let bare = identity::rewrite_with(&JOSE, &set, &Allow::Nothing, |_, game| {
        identity::drop_extras(game);
    })
    .unwrap();
    let (before, after) = (
        identity::open_all(&JOSE, &set),
        identity::open_all(&JOSE, &bare.set),
    );
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(first_difference(before, after), None);
    }
}

/// jose's own data about games and databases is kept.
#[test]
fn collections_and_origins_stay() {
    let mut games = random_games(2);
    games[1].header.extras.push(Extra {
        format: "jose",
        field: chessdb::bytecode::extras::ORIGIN,
        bytes: [7i64.to_be_bytes(), i64::MIN.to_be_bytes()].concat().into(),
    });
    let mut options = everything();
    let name = options
        .base
        .texts
        .push(b"Trash", chessdb::core::Charset::UTF_8);
    options.base.collections = [(3, None), (9, Some(3))]
        .map(|(key, parent)| chessdb::core::model::Collection { key, parent, name })
        .into();
    let (set, losses) = identity::write_all(&JOSE, &games, options).unwrap();
    assert_eq!(losses.count(chessdb::LossKind::GameExtra), 0);
    let store = identity::open(&JOSE, &set);
    let found: Vec<_> = store
        .base()
        .collections
        .iter()
        .map(|c| (c.key, c.parent))
        .collect();
    assert_eq!(found, [(3, None), (9, Some(3))]);
    let back = identity::open_all(&JOSE, &set);
    assert_eq!(back[1].header.extras.last(), games[1].header.extras.last());
    let again = identity::rewrite(&JOSE, &set, &Allow::Nothing).unwrap();
    assert_eq!(identity::first_difference(&set, &again.set), None);
}

/// SQLite files of other programs are not recognized as jose's.
#[test]
fn foreign_sqlite_files_are_recognised() {
    let temporary = tempfile::NamedTempFile::new().unwrap();
    let connection = rusqlite::Connection::open(temporary.path()).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE Game (id integer, score blob); INSERT INTO Game VALUES (1, x'FF');",
        )
        .unwrap();
    drop(connection);
    let set = file(SQLITE_FILE, temporary.path());
    assert_eq!((JOSE.probe)(&set), Score::No);
    let error = (JOSE.open)(&set, ReadOptions::default())
        .err()
        .expect("not jose's");
    assert!(
        error
            .to_string()
            .contains("without the game tables of jose"),
        "{error}"
    );
    let path = temporary.path().with_extension("sqlite");
    std::fs::copy(temporary.path(), &path).unwrap();
    let found = read(&path).and_then(|base| base.store(ReadOptions::default()).map(drop));
    std::fs::remove_file(&path).unwrap();
    assert!(found.is_err());
}

/// The archive's tables, packed in every way that jose unpacks.
#[test]
fn archives_hold_what_the_folder_holds() {
    let Some(folder) = fixtures::testdata("fixtures-real/bytecode/jose-10k-tables") else {
        return;
    };
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for path in fixtures::files(&folder) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = name.replace(".first300", "");
        members.push((name, fixtures::read(&path)));
    }
    let mut tables = MemorySet::new();
    for (name, content) in &members {
        if let Some(role) = JOSE_IO.roles.iter().find(|role| role.0 == name) {
            tables.insert(*role, content.clone());
        }
    }
    let expected = identity::open_all(&JOSE_IO, &tables);
    assert_eq!(expected.len(), 300);
    let tar = tar(&members);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&tar).unwrap();
    let gzip = gzip.finish().unwrap();
    for packed in [tar, gzip] {
        let mut set = MemorySet::new();
        set.insert(Role("jose"), packed.clone());
        assert_eq!((JOSE_ARCHIVE.probe)(&set), Score::Certain);
        assert_eq!(identity::open_all(&JOSE_ARCHIVE, &set), expected);
        // Also by path, where packed files are unpacked before the format sees them.
        let file = tempfile::Builder::new().suffix(".jose").tempfile().unwrap();
        std::fs::write(file.path(), &packed).unwrap();
        let base = read(file.path()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(base.format().id, "jose-archive");
        assert_eq!(base.store(ReadOptions::default()).unwrap().len(), 300);
    }
    let home = tempfile::tempdir().unwrap();
    for (name, content) in &members {
        std::fs::write(home.path().join(name), content).unwrap();
    }
    let base = read(home.path()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(base.format().id, "jose-io");
    assert_eq!(base.store(ReadOptions::default()).unwrap().len(), 300);
}

/// Returns a tar archive of these files.
fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let mut header = vec![0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = b'0';
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend(header);
        archive.extend(content);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// A script and a SQLite file contain the same games.
#[test]
fn scripts_and_sqlite_agree() {
    let games = random_games(20);
    let (script, announced) = write(&JOSE_SQL, &games);
    let read = identity::open_all(&JOSE_SQL, &script);
    let (sqlite, losses) = write(&JOSE, &read);
    assert!(losses.is_empty(), "{losses:?} after {announced:?}");
    assert_eq!(identity::open_all(&JOSE, &sqlite), read);
}

#[test]
fn damaged_files_end_in_errors_or_diagnostics() {
    let (set, _) = write(&JOSE, &random_games(8));
    let mut limits = ReadOptions::default();
    limits.limits = chessdb::options::Limits::small();
    let size = set.get(SQLITE_FILE).unwrap().len();
    let corruptor = Corruptor::new(&set, 5);
    let variants = corruptor
        .some_truncations(SQLITE_FILE, 200, 60)
        .chain(corruptor.bit_flips(SQLITE_FILE, 100, 300))
        .chain(corruptor.noise(SQLITE_FILE, 150))
        .chain(corruptor.whole_files());
    let mut read = 0u64;
    for variant in variants {
        read += u64::from(identity::survive(&JOSE, &variant, &limits, 20).games);
    }
    assert!(size > 8192 && read > 500, "{read} games of {size} bytes");
}

/// Lost pages in several places lose only the rows on them.
#[test]
fn rows_between_damaged_pages_are_read() {
    let games = random_games(1000);
    let (set, _) = write(&JOSE, &games);
    let before = identity::open_all(&JOSE, &set);
    let file = set.get(SQLITE_FILE).unwrap();
    let pages = file.len() / 4096;
    // From a fifth of the file on, pages contain games and their moves.
    for lost in [&[5, 7][..], &[4, 6, 8], &[3, 4, 5, 6, 7, 8, 9]] {
        let mut damaged = file.to_vec();
        for tenth in lost {
            let start = pages * tenth / 10 * 4096;
            damaged[start..start + 4096].fill(0);
        }
        let mut set = MemorySet::new();
        set.insert(SQLITE_FILE, damaged);
        let store = identity::open(&JOSE, &set);
        assert!(!store.diagnostics().is_empty());
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let mut whole = std::collections::HashSet::new();
        for n in 0..store.len() {
            if store.game_into(n, &mut game, &mut scratch).is_ok() {
                whole.insert(identity::line(&game));
            }
        }
        let found = before
            .iter()
            .filter(|game| whole.contains(&identity::line(game)));
        let found = found.count();
        println!("{lost:?} of {pages} pages: {found} of {}", before.len());
        assert!(found * 100 >= before.len() * 96, "{lost:?}: {found}");
    }
}

/// The genuine archive: to PGN and back, and to SCID and back.
#[test]
fn genuine_games_survive_pgn_and_scid() {
    let Some(folder) = fixtures::testdata("fixtures-real/bytecode/jose-10k-tables") else {
        return;
    };
    let mut tables = MemorySet::new();
    for role in JOSE_IO.roles {
        let path = folder.join(role.0.replace("IO_Game.MYD", "IO_Game.first300.MYD"));
        if path.exists() {
            tables.insert(*role, fixtures::read(path));
        }
    }
    let start = identity::open_all(&JOSE_IO, &tables);
    for format in [&PGN, &SI4, &JOSE, &JOSE_SQL] {
        let (base, losses) = write(format, &start);
        assert!(losses.is_empty(), "{}: {losses:?}", format.id);
        let back = identity::open_all(format, &base);
        for (n, (before, after)) in start.iter().zip(&back).enumerate() {
            let difference = first_difference(before, after);
            assert_eq!(difference, None, "{}, game {}", format.id, n + 1);
        }
    }
}
