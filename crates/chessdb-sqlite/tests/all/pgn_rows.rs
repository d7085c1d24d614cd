//! The writers of Lucas Chess and OCGDB: what is not announced as lost comes back.

use chessdb_core::files::Role;
use chessdb_core::options::Allow;
use chessdb_core::{
    FileSet, Format, Game, LossKind, Losses, MemorySet, ReadOptions, WriteOptions, compare,
};
use chessdb_sqlite::lucaschess::LCDB;
use chessdb_sqlite::ocgdb::OCGDB_FILE;
use chessdb_sqlite::{EN_CROISSANT, LUCAS_CHESS, OCGDB};
use chessdb_testkit::judge::{Excused, judge};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::{identity, readings};
use proptest::prelude::*;
use rusqlite::types::Value as Sql;

use crate::twins;
use crate::write::{connect, query};

const FORMATS: [(&Format, Role); 2] = [(&LUCAS_CHESS, LCDB), (&OCGDB, OCGDB_FILE)];

fn write(format: &Format, games: &[Game], options: WriteOptions) -> (MemorySet, Vec<Losses>) {
    let mut files = MemorySet::new();
    let mut writer = (format.create.unwrap())(&mut files, options).unwrap();
    let losses = games.iter().map(|game| {
        let before = writer.assess(game);
        let losses = writer.write(game).unwrap();
        assert_eq!(before, losses);
        losses
    });
    let losses = losses.collect();
    writer.finish().unwrap();
    (files, losses)
}

fn everything() -> WriteOptions {
    WriteOptions::default().with_allowed(Allow::Everything)
}

/// Writes games and compares what is read with what was announced.
fn check(format: &Format, role: Role, all: &[Game]) -> Vec<String> {
    let (files, losses) = write(format, all, everything());
    drop(connect(&files, role));
    let back = identity::open_all(format, &files);
    assert_eq!(back.len(), all.len());
    let mut problems = Vec::new();
    for ((game, back), losses) in all.iter().zip(&back).zip(&losses) {
        let found = judge(&compare::games(game, back), losses, &mut Excused::new());
        problems.extend(
            found
                .iter()
                .map(|problem| format!("{}: {problem:?}", format.id)),
        );
        for loss in losses {
            if !format.losses.contains(loss.kind) {
                problems.push(format!("{}: not announced: {:?}", format.id, loss.kind));
            }
        }
    }
    problems
}

#[test]
fn games_of_the_fixtures_come_back() {
    let folder = chessdb_testkit::fixtures::path("pgn/clean");
    let mut all = Vec::new();
    for file in chessdb_testkit::fixtures::files(&folder) {
        let bytes = std::fs::read(file).unwrap();
        let store = chessdb_pgn::Store::open(&bytes, ReadOptions::default()).unwrap();
        all.extend(identity::read_all(&store));
    }
    for (format, role) in FORMATS {
        let problems = check(format, role, &all);
        assert!(problems.is_empty(), "{problems:#?}");
    }
}

/// What a genuine database loses when it is written again is counted, and the second time nothing is
/// lost.
#[test]
fn a_database_is_rewritten() {
    for (format, role, name) in [
        (&LUCAS_CHESS, LCDB, "lucaschess/made-fixtures-import.lcdb"),
        (&LUCAS_CHESS, LCDB, "lucaschess/made-fixtures-insert.lcdb"),
        (&OCGDB, OCGDB_FILE, "ocgdb/made-fixtures-moves1.ocgdb.db3"),
        (&OCGDB, OCGDB_FILE, "ocgdb/made-example-moves.ocgdb.db3"),
    ] {
        let Some(folder) = chessdb_testkit::fixtures::testdata("fixtures-real/other") else {
            return;
        };
        let mut genuine = MemorySet::new();
        genuine.insert(role, chessdb_testkit::fixtures::read(folder.join(name)));
        let before = identity::open_all(format, &genuine);
        let problems = check(format, role, &before);
        assert!(problems.is_empty(), "{name}: {problems:#?}");
        let (once, losses) = write(format, &before, everything());
        let lost: u64 = losses
            .iter()
            .map(|losses| losses.iter().count() as u64)
            .sum();
        println!("{name}: {lost} losses in {} games", before.len());
        let twice = identity::rewrite(format, &once, &Allow::Nothing).unwrap();
        assert_eq!(
            identity::first_difference(&once, &twice.set),
            None,
            "{name}"
        );
    }
}

#[test]
fn tables_are_those_of_the_programs() {
    for (format, role, name) in [
        (&LUCAS_CHESS, LCDB, "lucaschess/made-example-import.lcdb"),
        (&OCGDB, OCGDB_FILE, "ocgdb/made-example-moves.ocgdb.db3"),
    ] {
        let Some(folder) = chessdb_testkit::fixtures::testdata("fixtures-real/other") else {
            return;
        };
        let mut genuine = MemorySet::new();
        genuine.insert(role, chessdb_testkit::fixtures::read(folder.join(name)));
        let games = identity::open_all(format, &genuine);
        let (ours, _) = write(format, &games, WriteOptions::default());
        let (ours, genuine) = (connect(&ours, role), connect(&genuine, role));
        let plain = |rows: Vec<Vec<Sql>>| -> Vec<String> {
            let rows = rows
                .into_iter()
                .map(|row| format!("{row:?}").replace(' ', ""));
            rows.collect()
        };
        let schema = "SELECT name, sql FROM sqlite_master WHERE sql NOT LIKE 'CREATE TABLE Games%' ORDER BY name";
        assert_eq!(plain(query(&ours, schema)), plain(query(&genuine, schema)));
        let columns = "SELECT name, type FROM pragma_table_info('Games') ORDER BY name";
        assert_eq!(query(&ours, columns), query(&genuine, columns));
        // The program's games refer to no site, so that this crate reads none (QUIRK of section 1).
        for table in ["Info", "Events"] {
            let exists = format!("SELECT 1 FROM sqlite_master WHERE name = '{table}'");
            if query(&genuine, &exists).is_empty() {
                continue;
            }
            let rows = format!("SELECT * FROM {table} WHERE Name <> 'SiteCount'");
            assert_eq!(query(&ours, &rows), query(&genuine, &rows), "{table}");
        }
    }
}

#[test]
fn spellings_come_back_or_are_counted() {
    for (tag, value) in [
        ("Event", ""),
        ("Event", "?"),
        ("Event", r#"A "quoted" \ event\"#),
        ("Site", "C:\\chess"),
        ("White", "*"),
        ("White", "?, A"),
        ("Round", "1.10"),
        ("Round", ""),
        ("Date", "1960.??.??"),
        ("Date", "1960-01-02"),
        ("Date", "1985/11"),
        ("EventDate", "2020.01.01"),
        ("EventDate", "2020-01-01"),
        ("UTCDate", "2020-01-01"),
        ("UTCDate", "2020.01.01"),
        ("WhiteElo", "2500"),
        ("WhiteElo", "0"),
        ("WhiteElo", "02500"),
        ("WhiteElo", "-"),
        ("Result", "1/2"),
        ("ECO", "B90"),
        ("PlyCount", "7"),
        ("Opening", "Sicilian"),
        ("oddTag", "x"),
        ("WHITEELO", "2500"),
        ("Moves", "5"),
        ("Moves1", "5"),
        ("XPV", "5"),
        ("_DATA_", "5"),
        ("PGN", "5"),
        ("Plies", "5"),
        ("ID", "5"),
        ("Timer", "5"),
        ("length", "5"),
        ("Empty", ""),
        ("SetUp", "0"),
        ("SetUp", "1"),
        ("FEN", "4k3/8/8/8/8/8/8/4K2R w K - 3 40"),
        ("FEN", "nonsense"),
        (
            "FEN",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
    ] {
        for (format, role) in FORMATS {
            let game = Game::builder().tag(tag, value).build();
            let problems = check(format, role, &[game]);
            assert!(problems.is_empty(), "{tag} {value:?}: {problems:?}");
        }
    }
    // Tags that differ only in case have one column.
    let game = Game::builder().tag("Board", "1").tag("BOARD", "2").build();
    for (format, role) in FORMATS {
        assert_eq!(check(format, role, std::slice::from_ref(&game)), [""; 0]);
        let (_, losses) = write(format, std::slice::from_ref(&game), everything());
        assert_eq!(losses[0].count(LossKind::Tag), 1);
    }
}

#[test]
fn losses_that_are_not_allowed_leave_no_trace() {
    for (format, _) in FORMATS {
        let mut files = MemorySet::new();
        let mut writer = (format.create.unwrap())(&mut files, WriteOptions::default()).unwrap();
        let lost = Game::builder()
            .tag("PlyCount", "9")
            .tag("Rare", "x")
            .build();
        assert!(writer.write(&lost).is_err());
        writer.write(&Game::builder().white("A").build()).unwrap();
        assert_eq!(writer.finish().unwrap(), 1);
        let back = identity::open_all(format, &files);
        assert_eq!((back.len(), &*back[0].white()), (1, "A"));
        assert!(back[0].tag("Rare").is_none());
    }
}

#[test]
fn only_annotated_games_have_a_body() {
    let plain = Game::builder().sans(["e4", "e5"]).unwrap().build();
    let noted = Game::builder()
        .sans(["e4", "e5"])
        .unwrap()
        .comment("x")
        .build();
    let (files, _) = write(&LUCAS_CHESS, &[plain, noted], WriteOptions::default());
    let rows = query(
        &connect(&files, LCDB),
        "SELECT XPV, _DATA_, PLYCOUNT FROM Games",
    );
    let text = |text: &str| Sql::Text(text.into());
    assert_eq!(rows[0], [text("FVn^"), Sql::Null, Sql::Integer(2)]);
    assert_eq!(rows[1][0], text("FVn^"));
    let Sql::Blob(body) = &rows[1][1] else {
        panic!("{rows:?}")
    };
    assert!(body.starts_with(b"BODY 1. e4 e5 {x} *"), "{rows:?}");
    assert_eq!(twins::pgn(body[5..].to_vec()).len(), 1);
}

#[test]
fn strict_reading_finds_nothing() {
    for format in [&LUCAS_CHESS, &OCGDB, &EN_CROISSANT] {
        let options = GameOptions::held_by(format);
        let games = (0..128).map(|seed| chessdb_testkit::strategy::game(seed, &options));
        let (files, _) = write(format, &games.collect::<Vec<_>>(), everything());
        let mut strict = ReadOptions::default();
        strict.mode = chessdb_core::options::Mode::Strict;
        let store = (format.open)(&files, strict).unwrap();
        let (mut game, mut scratch) = (Game::new(), chessdb_core::Scratch::new());
        for n in 0..store.len() {
            store.game_into(n, &mut game, &mut scratch).unwrap();
        }
        let mut found = Vec::new();
        chessdb_core::format::check(format, &files, &ReadOptions::default(), &mut |finding| {
            found.push(format!("{finding:?}"));
        });
        assert_eq!((found, store.len()), (Vec::new(), 128), "{}", format.id);
    }
}

#[test]
fn ways_of_reading_agree() {
    let all: Vec<Game> = (0..12)
        .map(|seed| chessdb_testkit::strategy::game(seed, &GameOptions::for_pgn()))
        .collect();
    for (format, role) in FORMATS {
        let (files, _) = write(format, &all, everything());
        assert!(files.get(role).is_some());
        readings::check(format, &files, &ReadOptions::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_games_lose_only_what_is_counted(all in prop::collection::vec(games(GameOptions::all()), 1..4)) {
        for (format, role) in FORMATS {
            let problems = check(format, role, &all);
            prop_assert!(problems.is_empty(), "{:?}", problems);
        }
    }

    #[test]
    fn moves_with_variations_comments_and_nags_come_back(game in games(GameOptions::for_pgn())) {
        for (format, _) in FORMATS {
            let (files, losses) = write(format, std::slice::from_ref(&game), everything());
            let back = identity::open_all(format, &files);
            let (found, wanted) = (identity::line(&back[0]), identity::line(&game));
            // Lucas Chess ends a mainline without annotations before a move that it cannot play.
            if losses[0].is_cut() {
prop_assert!(wanted.starts_with(&found) && found.len() < wanted.len())
} else {
prop_assert_eq!(found, wanted)
}
        }
    }
}
