//! Salvage of files whose first page, or whose end, is gone.

use std::collections::HashMap;

use chessdb_core::files::Role;
use chessdb_core::options::Mode;
use chessdb_core::salvage::Found;
use chessdb_core::{Format, Game, MemorySet, ReadOptions, Scratch};
use chessdb_sqlite::encroissant::DB3;
use chessdb_sqlite::jose::SQLITE_FILE;
use chessdb_sqlite::lucaschess::LCDB;
use chessdb_sqlite::ocgdb::OCGDB_FILE;
use chessdb_sqlite::{EN_CROISSANT, JOSE, LUCAS_CHESS, OCGDB};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::{fixtures, identity};

/// Databases that the programs, or independent writers, made.
const SAMPLES: [(&Format, Role, &str); 14] = [
    (&JOSE, SQLITE_FILE, "fixtures-made/jose/annotated.sqlite"),
    (
        &EN_CROISSANT,
        DB3,
        "fixtures-real/other/encroissant/made-fixtures.db3",
    ),
    (
        &EN_CROISSANT,
        DB3,
        "fixtures-real/other/encroissant/made-example.db3",
    ),
    (
        &LUCAS_CHESS,
        LCDB,
        "fixtures-real/other/lucaschess/Miniatures-R6.lcdb",
    ),
    (
        &LUCAS_CHESS,
        LCDB,
        "fixtures-real/other/lucaschess/made-fixtures-import.lcdb",
    ),
    (
        &LUCAS_CHESS,
        LCDB,
        "fixtures-real/other/lucaschess/made-fixtures-insert.lcdb",
    ),
    (
        &LUCAS_CHESS,
        LCDB,
        "fixtures-real/other/lucaschess/made-example-import.lcdb",
    ),
    (
        &OCGDB,
        OCGDB_FILE,
        "fixtures-real/other/ocgdb/carlsen-99d386d1.db3",
    ),
    (
        &OCGDB,
        OCGDB_FILE,
        "fixtures-real/other/ocgdb/carlsen-484c465c.db3",
    ),
    (
        &OCGDB,
        OCGDB_FILE,
        "fixtures-real/other/ocgdb/carlsen-c40d01c8.db3",
    ),
    (
        &OCGDB,
        OCGDB_FILE,
        "fixtures-real/other/ocgdb/made-fixtures-moves1.ocgdb.db3",
    ),
    (
        &OCGDB,
        OCGDB_FILE,
        "fixtures-real/other/ocgdb/made-example-moves.ocgdb.db3",
    ),
    (
        &OCGDB,
        OCGDB_FILE,
        "fixtures-real/other/ocgdb/made-example-moves1.ocgdb.db3",
    ),
    (
        &OCGDB,
        OCGDB_FILE,
        "fixtures-real/other/ocgdb/made-example-moves2.ocgdb.db3",
    ),
];

/// The players and the moves of each game, and how it was found.
type Games = Vec<(String, String, Option<Found>)>;

fn open(format: &Format, role: Role, bytes: Vec<u8>, is_salvage: bool) -> Option<Games> {
    let mut set = MemorySet::new();
    set.insert(role, bytes);
    let options = ReadOptions::default().with_salvage(is_salvage);
    let store = (format.open)(&set, options).ok()?;
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let games = (0..store.len()).map(|n| {
        let _ = store.game_into(n, &mut game, &mut scratch);
        let names = format!("{} - {}", game.white(), game.black());
        let moves = identity::line(&game);
        let found = store.details().salvaged.map(|salvaged| salvaged.found(n));
        (names, moves, found)
    });
    Some(games.collect())
}

/// Returns the number of games of `wanted` with their moves, and with their players too, in `found`.
fn common(wanted: &Games, found: &Games) -> (usize, usize) {
    type Key = fn(&(String, String, Option<Found>)) -> (String, String);
    let count = |key: Key| {
        let mut left: HashMap<_, usize> = HashMap::new();
        found
            .iter()
            .for_each(|game| *left.entry(key(game)).or_default() += 1);
        let is_there = |game: &&_| match left.get_mut(&key(game)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        wanted.iter().filter(is_there).count()
    };
    (
        count(|(_, moves, _)| (String::new(), moves.clone())),
        count(|(names, moves, _)| (names.clone(), moves.clone())),
    )
}

#[test]
fn games_of_files_without_a_first_page_come_out() {
    for (format, role, path) in SAMPLES {
        let Some(path) = fixtures::testdata(path) else {
            return;
        };
        let file = fixtures::read(&path);
        let wanted = open(format, role, file.clone(), false).unwrap();
        let all = wanted.len();
        for lost in [16, 100, 1000, 4096] {
            let mut damaged = file.clone();
            damaged[..lost].fill(0);
            assert!(open(format, role, damaged.clone(), false).is_none());
            let found = open(format, role, damaged, true).unwrap();
            let (moves, names) = common(&wanted, &found);
            let text = format!(
                "{path:?}, {lost} bytes: {moves} of {all}, {names} with players, {} found",
                found.len()
            );
            println!("{text}");
            assert_eq!((found.len(), moves, names), (all, all, all), "{text}");
        }
    }
}

#[test]
fn games_of_cut_files_come_out() {
    for (format, role, path) in SAMPLES {
        let Some(path) = fixtures::testdata(path) else {
            return;
        };
        let file = fixtures::read(&path);
        let wanted = open(format, role, file.clone(), false).unwrap();
        for (kept, of) in [(1, 3), (1, 2), (4, 5), (19, 20)] {
            let cut = file[..file.len() * kept / of].to_vec();
            for (is_headless, file) in [
                (false, cut.clone()),
                (true, {
                    let mut cut = cut;
                    let first = cut.len().min(4096);
                    cut[..first].fill(0);
                    cut
                }),
            ] {
                let Some(found) = open(format, role, file, true) else {
                    println!("{path:?}, {kept}/{of} {is_headless}: not opened");
                    continue;
                };
                let (moves, names) = common(&wanted, &found);
                println!(
                    "{path:?}, {kept}/{of} {is_headless}: {moves} of {}, {names} with players, {} found",
                    wanted.len(),
                    found.len()
                );
            }
        }
    }
}

/// Returns the games of a strict reading; `None` if anything is wrong.
fn open_strictly(format: &Format, role: Role, bytes: Vec<u8>) -> Option<Games> {
    let mut set = MemorySet::new();
    set.insert(role, bytes);
    let options = ReadOptions::default().with_mode(Mode::Strict);
    let store = (format.open)(&set, options).ok()?;
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let games = (0..store.len()).map(|n| {
        store.game_into(n, &mut game, &mut scratch).ok()?;
        let names = format!("{} - {}", game.white(), game.black());
        Some((names, identity::line(&game), None))
    });
    games.collect()
}

/// Returns the offsets of the pages with rows of the largest table. Another page in the place of a
/// table's first page is a table too, and not noticed.
fn leaves(file: &[u8], size: usize) -> Vec<usize> {
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let short = |at: usize| usize::from(u16::from_be_bytes([file[at], file[at + 1]]));
    let interior = (size..file.len())
        .step_by(size)
        .filter(|page| file[*page] == 5);
    let children = interior.map(|page| {
        let cells = (0..short(page + 3)).map(move |n| page + short(page + 12 + 2 * n));
        let pages = cells.chain([page + 8]).map(|at| (number(at) - 1) * size);
        pages.filter(|page| file[*page] == 13).collect::<Vec<_>>()
    });
    children.max_by_key(Vec::len).unwrap_or_default()
}

#[test]
fn a_page_that_was_overwritten_with_another_is_noticed() {
    let mut rng = Rng::new(11);
    let mut noticed = 0;
    for (format, role, path) in SAMPLES {
        let Some(path) = fixtures::testdata(path) else {
            return;
        };
        let file = fixtures::read(&path);
        let size = usize::from(u16::from_be_bytes([file[16], file[17]]));
        let Some(wanted) = open_strictly(format, role, file.clone()) else {
            continue;
        };
        let leaves = leaves(&file, size);
        for _ in 0..if leaves.len() > 1 { 60 } else { 0 } {
            let [to, from] = [(); 2].map(|()| rng.pick(&leaves));
            let mut damaged = file.clone();
            damaged.copy_within(from..from + size, to);
            match open_strictly(format, role, damaged) {
                None => noticed += 1,
                Some(found) => assert!(found == wanted, "{path:?}: {from:#x} at {to:#x}"),
            }
        }
    }
    assert!(noticed > 100, "only {noticed} were noticed");
}
