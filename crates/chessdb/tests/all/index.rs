//! The index file: searches with it find the same games, and it is used only if it is valid.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chessdb::fs::IndexUse;
use chessdb::options::Limits;
use chessdb::query::Query;
use chessdb::query::search::Prefilter;
use chessdb::{Converter, Database, FORMATS, Game};
use chessdb_testkit::{fixtures, rng::Rng};

use crate::search::{ask, plain, questions, search};

fn open(base: &Path) -> Database {
    Database::options().index(true).open(base).unwrap()
}

/// Returns all games, after checking that sequential and random access agree.
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

/// Writes the games of a fixture as a database in another format.
pub(crate) fn copy(folder: &Path, suffix: &str) -> PathBuf {
    let target = folder.join(format!("games.{suffix}"));
    let source = Database::open(fixtures::path("scid/miniatures.si4")).unwrap();
    let mut converter = Converter::to(&target);
    converter = converter.allow(chessdb::LossKind::ALL.iter().copied());
    converter.add_database(&source).run().unwrap();
    target
}

/// Returns a suffix of each format that can be written. An opening book is one game, so it has no
/// games to leave out.
pub(crate) fn suffixes_of_games() -> impl Iterator<Item = &'static str> {
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    let of_games = written.filter(|format| format.id != "fbk");
    of_games.map(|format| format.roles[0].0)
}

#[test]
fn an_index_changes_no_answer_and_leaves_games_out() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in suffixes_of_games() {
        let base = copy(folder.path(), suffix);
        let db = open(&base);
        assert_eq!(*db.indexed(), IndexUse::None);
        let questions = questions(&db, 20);
        let path = db.write_index(|_| {}).unwrap();
        assert_eq!(*Database::open(&base).unwrap().indexed(), IndexUse::None);
        let (db, without) = (open(&base), db);
        assert_eq!(*db.indexed(), IndexUse::Used, "{suffix}");
        assert_eq!(everything(&db), everything(&without), "{suffix}");
        assert!(ask(&db, &questions) > 50, "{suffix}");
        let few = |query: &&Query| {
            let prefilter = query.prefilter(&Default::default(), true);
            let left = (0..db.len().unwrap()).filter(|&game| {
                let may_have = |feature| db.may_have(game, feature);
                let judge = |prefilter: &Prefilter| {
                    prefilter.judge(None, &Default::default(), &mut |_, features| {
                        let mut games = [u64::MAX];
                        features.retain(&mut games, &mut |feature, games| {
                            games[0] &= may_have(feature)
                        });
                        games[0]
                    })
                };
                let is_out = prefilter
                    .as_ref()
                    .is_some_and(|one| judge(one).fail & 1 != 0);
                !is_out && query.may_fit(&db.signature(game).unwrap())
            });
            left.count() * 4 < db.len().unwrap() as usize
        };
        assert!(questions.iter().filter(few).count() > 30, "{suffix}");
        fs::remove_file(path).unwrap();
        assert_eq!(*open(&base).indexed(), IndexUse::None);
    }
}

/// Returns the games that match, converted to PGN.
fn converted(db: &Database, query: &Query) -> Vec<u8> {
    let mut out = Vec::new();
    let pgn = chessdb::formats::by_id("pgn").unwrap();
    let converter = Converter::to_writer(&mut out).format(pgn);
    let report = converter.filter(query.clone()).add_database(db).run();
    // A conversion without matching games is refused; there is no other reason here.
    assert_eq!(report.is_err(), out.is_empty(), "{report:?}");
    out
}

#[test]
fn a_conversion_asks_the_index_too() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["pgn", "si4", "cbf"] {
        let base = copy(folder.path(), suffix);
        let without = open(&base);
        let path = without.write_index(|_| {}).unwrap();
        let db = open(&base);
        let questions = questions(&db, 10);
        for query in &questions {
            assert_eq!(
                converted(&db, query),
                converted(&without, query),
                "{suffix}"
            );
        }
        assert_eq!(*db.indexed(), IndexUse::Used);
        // Change one byte of each column.
        let mut bytes = fs::read(&path).unwrap();
        let words = db.len().unwrap().div_ceil(64) as usize;
        for column in 0..512 {
            bytes[4096 + column * words * 8] ^= 1;
        }
        fs::write(&path, bytes).unwrap();
        let db = open(&base);
        let query: Query = "sub:Nd4".parse().unwrap();
        assert_eq!(converted(&db, &query), converted(&without, &query));
        assert_eq!(
            *db.indexed(),
            IndexUse::Damaged(path),
            "{suffix}: it was not asked"
        );
    }
}

/// Returns the length of an index of a database with one file and this number of games.
fn length(games: u64, has_places: bool) -> u64 {
    let words = games.div_ceil(64);
    let pieces = 512 * games.div_ceil(131_072) + (words * 64).div_ceil(256);
    let places = if has_places { 8 * (games + 1) } else { 0 };
    4096 + 5120 * words + places + 4 * pieces + 4
}

/// Returns whether the index at this path was refused.
fn is_refused(db: &Database, path: &Path) -> bool {
    matches!(db.indexed(), IndexUse::Refused(at, _) if at == path)
}

#[test]
fn an_index_of_another_base_or_with_any_damage_is_refused_or_found_to_be_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let base = copy(folder.path(), "cbf");
    let db = Database::open(&base).unwrap();
    let path = db.write_index(|_| {}).unwrap();
    let good = fs::read(&path).unwrap();
    let games = db.len().unwrap();
    let query: Query = "material:KRPKR".parse().unwrap();
    let expected = plain(&db, &query);
    let pieces = 4096..length(games.into(), false) as usize - 4 * (512 + 1) - 4;
    let mut rng = Rng::new(7);
    let mut used = 0;
    for round in 0..300 {
        let mut bytes = good.clone();
        let mut is_used = false;
        match round % 5 {
            0 => bytes.truncate(rng.below(bytes.len())),
            1 => bytes.extend((0..=rng.below(100)).map(|n| n as u8)),
            2 => {
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
                is_used = pieces.contains(&at);
            }
            3 => {
                for _ in 0..10 {
                    let at = rng.below(bytes.len());
                    bytes[at] = bytes[at].wrapping_add(1 + rng.below(200) as u8);
                }
                is_used = bytes[..pieces.start] == good[..pieces.start]
                    && bytes[pieces.end..] == good[pieces.end..];
            }
            // Zeros exclude every game.
            _ => {
                bytes[pieces.clone()].fill(0);
                is_used = true;
            }
        }
        if bytes == good {
            continue;
        }
        fs::write(&path, &bytes).unwrap();
        let db = open(&base);
        assert_eq!(is_refused(&db, &path), !is_used, "{round}");
        assert_eq!(search(&db, &query, 2), expected, "{round}");
        assert_eq!(is_refused(&db, &path), !is_used, "{round}");
        if is_used {
            used += 1;
            for game in 0..games {
                db.signature(game);
            }
            let number = |n: u64| {
                chessdb::core::search::PieceCounts::new([(n % 11) as u8, (n / 11) as u8, 0, 0, 0])
            };
            for n in 0..121 * 121 {
                let feature = chessdb::core::search::Feature::of_piece_counts([
                    number(n % 121),
                    number(n / 121),
                ]);
                (0..games).step_by(64).for_each(|game| {
                    db.may_have(game, feature);
                });
            }
            assert_eq!(*db.indexed(), IndexUse::Damaged(path.clone()), "{round}");
        }
    }
    assert!(used > 80);
    fs::write(&path, &good).unwrap();
    assert_eq!(*open(&base).indexed(), IndexUse::Used);
    // A different modification time alone is not decisive: the whole files are compared.
    let data = fs::OpenOptions::new().append(true).open(&base).unwrap();
    data.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
        .unwrap();
    assert_eq!(*open(&base).indexed(), IndexUse::Used);
    let mut bytes = fs::read(&base).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&base, bytes).unwrap();
    let db = open(&base);
    assert!(is_refused(&db, &path));
    assert_eq!(search(&db, &query, 2), plain(&db, &query));
}

#[test]
fn damage_changes_no_answer_of_any_question() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["pgn", "si4"] {
        let base = copy(folder.path(), suffix);
        let without = open(&base);
        let questions = questions(&without, 20);
        let path = without.write_index(|_| {}).unwrap();
        let good = fs::read(&path).unwrap();
        let words = without.len().unwrap().div_ceil(64) as usize;
        let (columns, records) = (512 * 8 * words, 1024 * words);
        let parts = [
            4096..4096 + columns / 2,
            4096 + columns / 2..4096 + columns,
            4096 + columns..4096 + columns + records,
            4096..4096 + columns + records,
        ];
        for part in parts {
            let mut bytes = good.clone();
            bytes[part.clone()].fill(0);
            fs::write(&path, &bytes).unwrap();
            let db = open(&base);
            assert_eq!(*db.indexed(), IndexUse::Used, "{suffix} {part:?}");
            assert!(ask(&db, &questions) > 50, "{suffix} {part:?}");
            assert_eq!(*db.indexed(), IndexUse::Damaged(path.clone()));
            assert_eq!(everything(&db), everything(&without));
        }
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_base_of_more_games_than_a_block_has_is_searched_in_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("many.pgn");
    let moves = |n: usize| match n {
        9 | 131_071 | 131_072 | 140_009 => "1. e4 c5 2. Nf3 d6",
        _ if n % 1000 == 7 => "1. e4 c5 2. Nf3 Nc6",
        _ => "1. d4",
    };
    let text = (0..140_010).map(|n| format!("{} *\n\n", moves(n)));
    fs::write(&base, text.collect::<String>()).unwrap();
    let path = Database::open(&base).unwrap().write_index(|_| {}).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), length(140_010, true));
    let query: Query = "fen:\"rnbqkbnr/pp2pppp/3p4/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w\""
        .parse()
        .unwrap();
    let query = std::sync::Arc::new(query);
    let found = |db: &Database, games: &str| {
        let scan = db
            .scan()
            .select(games.parse::<chessdb::Selection>().unwrap());
        let games = scan.filter(std::sync::Arc::clone(&query)).into_iter();
        games.map(|game| game.unwrap().number()).collect::<Vec<_>>()
    };
    let good = fs::read(&path).unwrap();
    let block = 131_072 * 80;
    for (damage, indexed) in [
        (None, IndexUse::Used),
        // A full block of zeros, and the last block.
        (Some(4096..4096 + block), IndexUse::Damaged(path.clone())),
        (
            Some(4096 + block..4096 + 140_032 * 80),
            IndexUse::Damaged(path.clone()),
        ),
    ] {
        let mut bytes = good.clone();
        if let Some(damage) = damage {
            bytes[damage].fill(0);
        }
        fs::write(&path, bytes).unwrap();
        let db = open(&base);
        assert_eq!(*db.indexed(), IndexUse::Used);
        assert_eq!(found(&db, "1-"), [10, 131_072, 131_073, 140_010]);
        assert_eq!(*db.indexed(), indexed);
        // Selections that do not start at a word boundary and extend into the next block.
        assert_eq!(found(&db, "131050-131100"), [131_072, 131_073]);
        assert_eq!(found(&db, "11-131072,140010"), [131_072, 140_010]);
    }
}

/// Writes a fixture as PGN with an index; returns the paths and the text.
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
    assert!(!db.is_stream() && *db.indexed() == IndexUse::Used);
    let all = stream.games().map(|game| game.unwrap().to_pgn());
    assert!(all.eq(db.games().map(|game| game.unwrap().to_pgn())));
    // With default limits the index contains the game offsets, and opening need not find them.
    let whole = Database::open(&base).unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().len(),
        length(whole.len().unwrap().into(), true)
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
        assert_eq!(*db.indexed(), IndexUse::None);
    }
    // A stream stays a stream if the index is invalid.
    let games = whole.len().unwrap();
    fs::write(&base, format!("{text}\n[White \"New\"]\n\n1. e4 *\n")).unwrap();
    let db = options.open(&base).unwrap();
    assert_eq!(*db.indexed(), IndexUse::Partial(path.clone(), games));
    assert_eq!(db.len().unwrap(), games + 1);
    fs::write(&base, format!("[White \"New\"]\n\n1. e4 *\n\n{text}")).unwrap();
    let db = options.open(&base).unwrap();
    assert!(db.is_stream() && matches!(db.indexed(), IndexUse::Refused(at, _) if *at == path));
}

#[test]
fn a_text_file_that_was_changed_behind_its_index_is_read_without() {
    let folder = tempfile::tempdir().unwrap();
    let (base, path, text) = indexed_pgn(folder.path());
    let time = fs::metadata(&base).unwrap().modified().unwrap();
    let is_refused = |why: &str| {
        let db = open(&base);
        assert!(
            matches!(db.indexed(), IndexUse::Refused(at, said) if *at == path && said.contains(why)),
            "{:?}",
            db.indexed()
        );
        assert_eq!(everything(&db), everything(&Database::open(&base).unwrap()));
    };
    // Same length and time, but games end elsewhere.
    let other = text.replacen("\n\n[Event ", "\n\n{Event ", 1);
    assert_eq!(other.len(), text.len());
    fs::write(&base, other).unwrap();
    touch(&base, time);
    is_refused("changed");
    // The last game may go on.
    let (open_end, _) = text.trim_end().rsplit_once(' ').unwrap();
    for end in [
        "{ a comment } *",
        "*",
        "1-0 ; more",
        "[White \"New\"]\n\n1. e4 *",
    ] {
        fs::write(&base, open_end).unwrap();
        fs::remove_file(&path).unwrap();
        open(&base).write_index(|_| {}).unwrap();
        let games = open(&base).len().unwrap();
        fs::write(&base, format!("{open_end} {end}\n")).unwrap();
        if open(&base).len().unwrap() > games {
            assert_eq!(
                *open(&base).indexed(),
                IndexUse::Partial(path.clone(), games)
            )
        } else {
            is_refused("number of games")
        }
    }
    fs::write(&base, &text).unwrap();
    fs::remove_file(&path).unwrap();
    open(&base).write_index(|_| {}).unwrap();
    fs::write(&base, text.get(..text.len() / 2).unwrap()).unwrap();
    is_refused("changed");
    fs::write(&base, &text).unwrap();
    assert_eq!(*open(&base).indexed(), IndexUse::Used);
    let index = fs::read(&path).unwrap();
    let games = open(&base).len().unwrap().div_ceil(64) as usize;
    for bit in (0..index.len() * 8).step_by(997) {
        let mut damaged = index.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, damaged).unwrap();
        // Everything except columns and records is verified on opening.
        if !(4096..4096 + 5120 * games).contains(&(bit / 8)) {
            is_refused("");
        }
    }
    // Older versions had a shorter header.
    for version in b"1234567" {
        let mut old = index.clone();
        old[14] = *version;
        old.drain(64..4096);
        fs::write(&path, old).unwrap();
        is_refused("not an index of this version");
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    is_refused("it is not a file");
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
        let expected = length(db.len().unwrap().into(), has_places);
        assert_eq!(fs::metadata(path).unwrap().len(), expected, "{name}");
        let (db, without) = (open(&base), db);
        assert_eq!(*db.indexed(), IndexUse::Used, "{name}");
        assert_eq!(everything(&db), everything(&without), "{name}");
        // Rewritten with the offsets from the index, the index is the same.
        let before = fs::read(base.with_extension("pgn.chessdb-index")).unwrap();
        let path = db.write_index(|_| {}).unwrap();
        assert_eq!(fs::read(path).unwrap(), before, "{name}");
    }
}
