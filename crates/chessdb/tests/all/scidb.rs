//! Scidb's databases against the PGN that Scidb's converter made them from.
#![cfg(all(feature = "scidb", feature = "pgn"))]

use chessdb::core::{Event, Game, MemorySet, ReadOptions};
use chessdb::pgn::PGN;
use chessdb::scidb::SCIDB;
use chessdb_testkit::{fixtures, identity};

/// The games of a database and of its PGN.
fn twins(name: &str) -> Vec<(Game, Game)> {
    let set = fixtures::load_set(fixtures::path("scidb").join(name), SCIDB.roles);
    let ours = identity::open_all(&SCIDB, &set);
    let mut pgn = MemorySet::new();
    let path = fixtures::path(format!("pgn/clean/{name}.pgn"));
    pgn.insert(PGN.roles[0], fixtures::read(path));
    let store = (PGN.open)(&pgn, ReadOptions::default()).unwrap();
    let theirs = identity::read_all(&*store);
    assert_eq!(ours.len(), theirs.len(), "{name}");
    ours.into_iter().zip(theirs).collect()
}

/// Returns the moves and annotations, with the NAGs as `map` changes them.
fn tape(game: &Game, map: impl Fn(u16) -> Option<u16>) -> Vec<String> {
    let mut tape = Vec::new();
    for event in game.events() {
        match event {
            Event::Nag(nag) => tape.extend(map(nag).map(|nag| format!("${nag}"))),
            Event::Open(_) => tape.push("(".to_owned()),
            other => tape.push(format!("{other:?}")),
        }
    }
    tape
}

#[test]
fn trees_and_comments_are_those_of_the_pgn() {
    for name in ["nesting", "starts"] {
        for (n, (ours, theirs)) in twins(name).into_iter().enumerate() {
            assert_eq!(tape(&ours, Some), tape(&theirs, Some), "{name} {n}");
            assert_eq!(
                ours.header.start.board(),
                theirs.header.start.board(),
                "{name} {n}"
            );
            for tag in ["Event", "Site", "Date", "Round", "White", "Black", "Result"] {
                assert_eq!(ours.tag(tag), theirs.tag(tag), "{name} {n}");
            }
        }
    }
}

/// Scidb's import drops NAGs without a number of its own, and those that the move has already, and
/// replaces others; section 9 of docs/formats/scidb.md. The numbers here are those that the replaced ones are read as.
#[test]
fn nags_are_those_of_the_pgn_after_the_import() {
    let imported = |nag: u16| {
        Some(match nag {
            0 | 185..=189 | 196..=200 | 202..=219 | 222..=237 | 256.. => return None,
            155 | 201 => 220,
            156 => 221,
            157 | 192 => 250,
            158 | 191 => 251,
            159 | 193 => 249,
            160 => 252,
            161 => 194,
            162 => 195,
            163 => 253,
            165 => 254,
            166 => 255,
            167 => 241,
            168 => 239,
            172 => 190,
            173 => 238,
            182 => 246,
            183 => 242,
            184 => 243,
            240 => 150,
            244 => 147,
            245 => 148,
            247 => 153,
            248 => 154,
            nag => nag,
        })
    };
    for (n, (ours, theirs)) in twins("nags").into_iter().enumerate() {
        let (ours, mut theirs) = (tape(&ours, Some), tape(&theirs, imported));
        let mut of_move = Vec::new();
        theirs.retain(|entry| {
            if !entry.starts_with('$') {
                of_move.clear();
            }
            let is_new = !of_move.contains(entry);
            of_move.push(entry.clone());
            is_new
        });
        assert_eq!(ours, theirs, "game {n}");
    }
}
