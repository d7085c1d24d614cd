//! The databases in fixtures/ca, cbh, dcx and jose, and of the other programs with SQLite, are what our
//! writers make of our PGN.
//! `CHESSDB_BLESS=1` rewrites them (then fixtures/MANIFEST.toml needs their new checksums).
#![cfg(all(feature = "all-formats", feature = "sqlite-write"))]

use chessdb::bytecode::JOSE_SQL;
use chessdb::ca::CA;
use chessdb::cbh::CBH;
use chessdb::core::{MemorySet, ReadOptions, WriteOptions};
use chessdb::dcx::DCX;
use chessdb::formats::jose::JOSE;
use chessdb::formats::reading_for;
use chessdb::pgn::PGN;
use chessdb::sqlite::{EN_CROISSANT, LUCAS_CHESS, OCGDB};
use chessdb::{Allow, Format};
use chessdb_testkit::{fixtures, golden, identity};

/// Checks the databases in a fixture folder; returns their number.
fn check(format: &Format, folder: &str) -> usize {
    let bless = std::env::var(golden::BLESS).is_ok_and(|value| value == "1");
    let stems = fixtures::bases(fixtures::path(folder), format.roles[0]);
    for stem in &stems {
        let name = stem.file_name().unwrap().to_str().unwrap();
        let mut source = MemorySet::new();
        let texts = ["clean", "edge"].map(|set| format!("pgn/{set}/{name}.pgn"));
        let is_there = |text: &&String| fixtures::root().join(text).is_file();
        let text = fixtures::path(texts.iter().find(is_there).unwrap());
        source.insert(PGN.roles[0], fixtures::read(text));
        let store = (PGN.open)(&source, reading_for(format, ReadOptions::default())).unwrap();
        let mut options = WriteOptions::default();
        options.allow = Allow::Everything;
        let games = identity::read_all(&*store);
        let (ours, _) = identity::write_all(format, &games, options).unwrap();
        for (role, bytes) in ours.iter().filter(|_| bless) {
            std::fs::write(stem.with_extension(role.0), bytes).unwrap();
        }
        let stored = fixtures::load_set(stem, format.roles);
        let games = identity::open_all(format, &stored);
        assert_eq!(games, identity::open_all(format, &ours), "{name}");
        // The bytes of a SQLite file depend on SQLite's version.
        if !format
            .roles
            .iter()
            .any(|role| ["sqlite", "db3", "lcdb", "ocgdb"].contains(&role.0))
        {
            let difference = identity::first_difference(&ours, &stored);
            assert!(difference.is_none(), "{name}: {}", difference.unwrap());
        }
        let again = identity::rewrite(format, &stored, &Allow::Nothing).unwrap();
        assert_eq!(identity::open_all(format, &again.set), games, "{name}");
    }
    stems.len()
}

#[test]
fn fixtures_are_what_our_writers_make_of_their_pgn() {
    assert_eq!(check(&CA, "ca"), 8);
    assert_eq!(check(&CBH, "cbh"), 6);
    assert_eq!(check(&DCX, "dcx"), 10);
    assert_eq!(check(&JOSE_SQL, "jose"), 4);
    assert_eq!(check(&JOSE, "jose"), 4);
    assert_eq!(check(&EN_CROISSANT, "encroissant"), 5);
    assert_eq!(check(&LUCAS_CHESS, "lucaschess"), 5);
    assert_eq!(check(&OCGDB, "ocgdb"), 5);
}
