//! Pages that are swapped, copied, empty or missing: nothing that passes as undamaged has lost or
//! changed a game.

use chessdb_core::files::Role;
use chessdb_core::{Format, Game, MemorySet, ReadOptions, Scratch, Severity, WriteOptions};
use chessdb_sqlite::encroissant::DB3;
use chessdb_sqlite::jose::SQLITE_FILE;
use chessdb_sqlite::lucaschess::LCDB;
use chessdb_sqlite::ocgdb::OCGDB_FILE;
use chessdb_sqlite::{EN_CROISSANT, JOSE, LUCAS_CHESS, OCGDB};
use chessdb_testkit::identity;
use chessdb_testkit::rng::Rng;
use rusqlite::Connection;

const PAGE: usize = 4096;
const GAMES: usize = 150;

/// Returns the formats with their files.
fn formats() -> [(&'static Format, Role); 4] {
    [
        (&EN_CROISSANT, DB3),
        (&LUCAS_CHESS, LCDB),
        (&OCGDB, OCGDB_FILE),
        (&JOSE, SQLITE_FILE),
    ]
}

/// Returns a database with many pages of games and of names.
fn database(format: &Format, role: Role) -> Vec<u8> {
    let mut files = MemorySet::new();
    let create = format.create.unwrap();
    let mut writer = create(&mut files, WriteOptions::default()).unwrap();
    let words = "a long comment ".repeat(40);
    for n in 0..GAMES {
        let mut game = Game::builder().comment(&words).build();
        for (name, value) in [
            (
                "Event",
                format!("Open {} {}", n % 40, "of a town ".repeat(12)),
            ),
            (
                "Site",
                format!("Town {} {}", n % 40, "of a land ".repeat(12)),
            ),
            ("White", format!("Player {n} {}", "of a club ".repeat(12))),
            (
                "Black",
                format!("Player {} {}", n + 1, "of a club ".repeat(12)),
            ),
            ("Date", format!("2001.01.{:02}", n % 28 + 1)),
            ("Round", format!("{}", n % 9 + 1)),
        ] {
            game.set_tag(name, value.trim_end());
        }
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap();
    files.remove(role).unwrap()
}

/// Returns the headers of all games, and whether the check finds nothing lost.
fn read(format: &Format, role: Role, bytes: Vec<u8>, options: &ReadOptions) -> (Vec<String>, bool) {
    let mut files = MemorySet::new();
    files.insert(role, bytes);
    let mut is_silent = true;
    chessdb_core::format::check(format, &files, options, &mut |finding| {
        is_silent &= finding.severity < Severity::Lost;
    });
    let Ok(store) = (format.open)(&files, options.clone()) else {
        return (Vec::new(), false);
    };
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let headers = (0..store.len()).map(|n| match store.game_into(n, &mut game, &mut scratch) {
        Ok(()) => format!(
            "{:?} {}",
            game.tags().collect::<Vec<_>>(),
            identity::line(&game)
        ),
        Err(error) => error.to_string(),
    });
    (headers.collect(), is_silent)
}

#[test]
fn every_pair_of_swapped_pages_is_reported() {
    for (format, role) in formats() {
        let bytes = database(format, role);
        let options = ReadOptions::default();
        let (wanted, is_silent) = read(format, role, bytes.clone(), &options);
        assert!(is_silent && wanted.len() == GAMES, "{}", format.id);
        let pages = bytes.len() / PAGE;
        assert!(pages > 30, "{pages}");
        let mut silent = 0;
        for a in 0..pages {
            for b in a + 1..pages {
                let mut swapped = bytes.clone();
                (0..PAGE).for_each(|n| swapped.swap(a * PAGE + n, b * PAGE + n));
                // Indexes of two columns that are empty in every game.
                if swapped == bytes {
                    continue;
                }
                let (found, is_silent) = read(format, role, swapped, &options);
                let what = format!("{}: pages {} and {}", format.id, a + 1, b + 1);
                assert!(!is_silent || found == wanted, "{what}");
                silent += u32::from(is_silent);
            }
        }
        println!(
            "{}: {silent} swaps of {pages} pages without a trace",
            format.id
        );
        assert_eq!(silent, 0, "{}", format.id);
    }
}

/// A damage to whole pages.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let pages = bytes.len() / PAGE;
    let mut page = || rng.below(pages) * PAGE;
    let (a, b) = (page(), page());
    match rng.below(7) {
        0 | 1 => (0..PAGE).for_each(|n| bytes.swap(a + n, b + n)),
        2 => bytes[a..a + PAGE].fill(0),
        3 => bytes.copy_within(a..a + PAGE, b),
        4 => {
            bytes.drain(a..a + PAGE);
        }
        // Fewer cells on a page, so that rows are missing.
        5 => {
            let count = usize::from(bytes[a + 3]) << 8 | usize::from(bytes[a + 4]);
            let fewer = (count / 2) as u16;
            bytes[a + 3..a + 5].copy_from_slice(&fewer.to_be_bytes());
        }
        _ => bytes[a..a + PAGE].fill_with(|| rng.below(256) as u8),
    }
}

#[test]
fn nothing_passes_with_a_game_changed() {
    for (format, role) in formats() {
        let bytes = database(format, role);
        let options = ReadOptions::default();
        let (wanted, _) = read(format, role, bytes.clone(), &options);
        for first in [0, 1987 << 20, 77 << 40] {
            let mut silent = 0;
            for seed in first..first + 1000 {
                let mut damaged = bytes.clone();
                damage(&mut damaged, &mut Rng::new(seed));
                let (found, is_silent) = read(format, role, damaged, &options);
                assert!(!is_silent || found == wanted, "{}: seed {seed}", format.id);
                silent += u32::from(is_silent);
            }
            println!("{}: {silent} of 1000 damages without a trace", format.id);
            assert!(silent < 100, "{}: {silent}", format.id);
        }
    }
}

/// The first page of the games swapped with one of its leaves: salvage finds all games on intact
/// pages, which are all pages.
#[test]
fn salvage_finds_the_games_behind_a_swapped_root() {
    for (format, role) in formats().into_iter().take(3) {
        let bytes = database(format, role);
        let mut connection = Connection::open_in_memory().unwrap();
        connection
            .deserialize_read_exact("main", &bytes[..], bytes.len(), true)
            .unwrap();
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'Games'";
        let root: u32 = connection.query_row(root, [], |row| row.get(0)).unwrap();
        let root = (root as usize - 1) * PAGE;
        let (wanted, _) = read(format, role, bytes.clone(), &ReadOptions::default());
        // The page after all cells is the last leaf, or the root of the last leaves.
        let mut leaf = root;
        while bytes[leaf] == 5 {
            let last = bytes[leaf + 8..].first_chunk().unwrap();
            leaf = (u32::from_be_bytes(*last) as usize - 1) * PAGE;
        }
        let mut swapped = bytes.clone();
        (0..PAGE).for_each(|n| swapped.swap(root + n, leaf + n));
        for options in [
            ReadOptions::default(),
            ReadOptions::default().with_salvage(true),
        ] {
            let (found, is_silent) = read(format, role, swapped.clone(), &options);
            assert!(!is_silent, "{}", format.id);
            assert_eq!(found, wanted, "{}", format.id);
        }
    }
}
