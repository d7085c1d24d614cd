//! The index beside a base: nothing is found by it that is not found without, and it is used only where it is right.
#![cfg(all(feature = "all-formats", feature = "query", feature = "threads"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chessdb::fs::Indexed;
use chessdb::query::{Query, Screen};
use chessdb::{Converter, Database, Game, Limits};
use chessdb_testkit::{fixtures, rng::Rng};

use crate::search::{ask, plain, questions, search};

fn open(base: &Path) -> Database {
    Database::options().index(true).open(base).unwrap()
}

/// All games, as they are read one after another and by number.
fn everything(db: &Database) -> String {
    let games: Vec<_> = db.games().collect();
    for (index, game) in (0..).zip(&games) {
        let texts = |game: &Game| (game.to_pgn(), format!("{:?}", game.diagnostics()));
        let one = db.game(index).map_err(|error| error.to_string());
        let game = game.as_ref().map_err(ToString::to_string);
        assert_eq!(one.map(|game| texts(&game)), game.map(texts));
    }
    format!("{games:?} {:?}", db.diagnostics())
}

/// A base of the games of a fixture in another format, in a folder of its own.
pub(crate) fn copy(folder: &Path, suffix: &str) -> PathBuf {
    let target = folder.join(format!("games.{suffix}"));
    let source = Database::open(fixtures::path("scid/miniatures.si4")).unwrap();
    let mut converter = Converter::to(&target);
    converter = converter.allow(chessdb::LossKind::ALL.iter().copied());
    converter.add_database(&source).run().unwrap();
    target
}

#[test]
fn an_index_changes_no_answer_and_leaves_games_out() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["pgn", "si4", "cbf", "cdp", "dci", "cbh"] {
        let base = copy(folder.path(), suffix);
        let db = open(&base);
        assert_eq!(*db.indexed(), Indexed::None);
        let questions = questions(&db, 20);
        let path = db.write_index(|_| {}).unwrap();
        assert_eq!(*Database::open(&base).unwrap().indexed(), Indexed::None);
        let (db, without) = (open(&base), db);
        assert_eq!(*db.indexed(), Indexed::Used, "{suffix}");
        assert_eq!(everything(&db), everything(&without), "{suffix}");
        assert!(ask(&db, &questions) > 50, "{suffix}");
        let few = |query: &&Query| {
            let screen = query.screen(&Default::default(), true);
            let left = (0..db.len().unwrap()).filter(|&game| {
                let may_have = |feature| db.may_have(game, feature);
                let judge = |screen: &Screen| screen.judge(None, &Default::default(), &may_have);
                let is_out = screen.as_ref().is_some_and(|one| judge(one).fail & 1 != 0);
                !is_out && query.may_fit(&db.signature(game).unwrap())
            });
            left.count() * 4 < db.len().unwrap() as usize
        };
        assert!(questions.iter().filter(few).count() > 30, "{suffix}");
        fs::remove_file(path).unwrap();
        assert_eq!(*open(&base).indexed(), Indexed::None);
    }
}

#[test]
fn an_index_of_another_base_or_with_any_damage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let base = copy(folder.path(), "cbf");
    let db = Database::open(&base).unwrap();
    let path = db.write_index(|_| {}).unwrap();
    let good = fs::read(&path).unwrap();
    let is_refused = |what: &str| {
        let db = open(&base);
        let indexed = db.indexed();
        assert!(
            matches!(indexed, Indexed::Refused(at, _) if *at == path),
            "{what}: {indexed:?}"
        );
        let query: Query = "material:KRPKR".parse().unwrap();
        assert_eq!(search(&db, &query, 2), plain(&db, &query));
    };
    let mut rng = Rng::new(7);
    for round in 0..200 {
        let mut bytes = good.clone();
        match round % 4 {
            0 => bytes.truncate(rng.below(bytes.len())),
            1 => bytes.extend((0..=rng.below(100)).map(|n| n as u8)),
            2 => {
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
            }
            _ => {
                for _ in 0..10 {
                    let at = rng.below(bytes.len());
                    bytes[at] = bytes[at].wrapping_add(1 + rng.below(200) as u8);
                }
            }
        }
        if bytes != good {
            fs::write(&path, &bytes).unwrap();
            is_refused(&format!("round {round}"));
        }
    }
    fs::write(&path, &good).unwrap();
    assert_eq!(*open(&base).indexed(), Indexed::Used);
    // Another time alone says nothing: the files are compared as a whole.
    let data = fs::OpenOptions::new().append(true).open(&base).unwrap();
    data.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
        .unwrap();
    assert_eq!(*open(&base).indexed(), Indexed::Used);
    let mut bytes = fs::read(&base).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&base, bytes).unwrap();
    is_refused("a byte of the base");
}

/// Where the main line of a fixture came to lie as PGN, with an index beside it.
fn indexed_pgn(folder: &Path) -> (PathBuf, PathBuf, String) {
    let base = copy(folder, "pgn");
    let path = open(&base).write_index(|_| {}).unwrap();
    let text = fs::read_to_string(&base).unwrap();
    (base, path, text)
}

fn touch(base: &Path, time: SystemTime) {
    let file = fs::OpenOptions::new().append(true).open(base).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn a_text_file_with_an_index_has_games_by_number_even_where_it_would_be_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let (base, path, text) = indexed_pgn(folder.path());
    let options = Database::options().streaming(true);
    let stream = options.open(&base).unwrap();
    assert!(stream.is_stream());
    let options = options.index(true);
    let db = options.open(&base).unwrap();
    assert!(!db.is_stream() && *db.indexed() == Indexed::Used);
    let all = stream.games().map(|game| game.unwrap().to_pgn());
    assert!(all.eq(db.games().map(|game| game.unwrap().to_pgn())));
    // Without limits of its own it says where the games are, and opening need not find them.
    let whole = Database::open(&base).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    let games = u64::from(whole.len().unwrap());
    assert_eq!(
        length,
        32 + 32 + 5120 * games.div_ceil(64) + 8 * (games + 1) + 4
    );
    assert_eq!(everything(&db), everything(&whole));
    let small = Database::options().limits(Limits::small());
    let (with, without) = (small.clone().index(true), small);
    assert_eq!(
        everything(&with.open(&base).unwrap()),
        everything(&without.open(&base).unwrap())
    );
    for options in [
        Database::options().strict(true),
        Database::options().checking(true),
        Database::options().salvage(true),
    ] {
        let db = options.index(true).open(&base).unwrap();
        assert_eq!(*db.indexed(), Indexed::None);
    }
    // A stream stays one, if the index is of no use.
    fs::write(&base, format!("{text}\n[White \"New\"]\n\n1. e4 *\n")).unwrap();
    let db = options.open(&base).unwrap();
    assert!(db.is_stream() && matches!(db.indexed(), Indexed::Refused(at, _) if *at == path));
}

#[test]
fn a_text_file_that_was_changed_behind_its_index_is_read_without() {
    let folder = tempfile::tempdir().unwrap();
    let (base, path, text) = indexed_pgn(folder.path());
    let time = fs::metadata(&base).unwrap().modified().unwrap();
    let is_refused = |why: &str| {
        let db = open(&base);
        assert!(
            matches!(db.indexed(), Indexed::Refused(at, said) if *at == path && said.contains(why)),
            "{:?}",
            db.indexed()
        );
        assert_eq!(everything(&db), everything(&Database::open(&base).unwrap()));
    };
    // As many bytes at the same time: games end elsewhere.
    let other = text.replacen("\n\n[Event ", "\n\n{Event ", 1);
    assert_eq!(other.len(), text.len());
    fs::write(&base, other).unwrap();
    touch(&base, time);
    is_refused("changed");
    fs::write(&base, format!("{text}\n[White \"New\"]\n\n1. e4 *\n")).unwrap();
    is_refused("changed");
    fs::write(&base, text.get(..text.len() / 2).unwrap()).unwrap();
    is_refused("changed");
    fs::write(&base, &text).unwrap();
    assert_eq!(*open(&base).indexed(), Indexed::Used);
    let index = fs::read(&path).unwrap();
    for bit in 0..index.len() * 8 {
        if bit % 997 == 0 {
            let mut damaged = index.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            is_refused("");
        }
    }
    // The first version had no places, and a shorter head.
    let mut old = index.clone();
    old[14] = b'1';
    old.drain(24..32);
    fs::write(&path, old).unwrap();
    is_refused("no index of this version");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    is_refused("it is no file");
}

#[test]
fn a_file_of_which_opening_finds_something_has_an_index_without_places() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(copy(folder.path(), "pgn")).unwrap();
    let wide = |text: &str| -> Vec<u8> {
        let units = [0xFEFF].into_iter().chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let before = format!("; {}\n\n{text}", "x".repeat(17 << 20));
    let kinds: [(&str, Vec<u8>, bool); 4] = [
        ("plain", text.clone().into_bytes(), true),
        (
            "behind",
            format!("{text}\nNo game stands here.\n").into_bytes(),
            false,
        ),
        ("before", before.into_bytes(), false),
        ("utf16", wide(&text), false),
    ];
    for (name, bytes, has_places) in kinds {
        let base = folder.path().join(name).with_extension("pgn");
        fs::write(&base, bytes).unwrap();
        let db = open(&base);
        assert_eq!(db.diagnostics().is_empty(), has_places, "{name}");
        let path = db.write_index(|_| {}).unwrap();
        let games = u64::from(db.len().unwrap());
        let places = if has_places { 8 * (games + 1) } else { 0 };
        let length = fs::metadata(path).unwrap().len();
        assert_eq!(
            length,
            32 + 32 + 5120 * games.div_ceil(64) + places + 4,
            "{name}"
        );
        let (db, without) = (open(&base), db);
        assert_eq!(*db.indexed(), Indexed::Used, "{name}");
        assert_eq!(everything(&db), everything(&without), "{name}");
        // Written once more from what the index says, it is the same.
        let before = fs::read(base.with_extension("pgn.chessdb-index")).unwrap();
        let path = db.write_index(|_| {}).unwrap();
        assert_eq!(fs::read(path).unwrap(), before, "{name}");
    }
}
