//! OCGDB: databases that the program made, against the PGN files that it imported.

use chessdb_sqlite::OCGDB;
use chessdb_sqlite::ocgdb::OCGDB_FILE;

use crate::twins::{self, Twin};

fn sample(name: &str) -> Option<(Vec<Twin>, Vec<String>)> {
    twins::sample(&OCGDB, OCGDB_FILE, &format!("ocgdb/{name}"))
}

/// Changes a game as the program does: no sites, unknown digits of dates are 1, values end at an
/// escaped quotation mark, names are the same if they differ only in case, and a value that begins
/// with `?` or `*` is none.
fn as_stored(game: &mut Twin) {
    game.change_tags(|name, value| {
        let value = match value.split_once('"') {
            Some((before, _)) => format!("{before}\\"),
            None => value.to_owned(),
        };
        match name {
            "Site" | "ECO" | "SetUp" | "PlyCount" => String::new(),
            // A date of one part is left out.
            name if name.contains("Date") && !value.contains('.') => String::new(),
            name if name.contains("Date") => value.replace('?', "1"),
            "Event" | "White" | "Black" => value.trim().to_lowercase(),
            _ => value.trim().to_owned(),
        }
    });
    game.tags
        .retain(|(_, value)| !value.starts_with(['?', '*']));
    game.moves.clear();
    game.before_nulls.clear();
}

#[test]
fn imported_games_equal_the_pgn_files() {
    let Some((mut found, findings)) = sample("made-fixtures-moves1.ocgdb.db3") else {
        return;
    };
    let mut wanted = twins::fixtures();
    found.iter_mut().chain(&mut wanted).for_each(as_stored);
    let alone = twins::without_twin("moves1", &found, &wanted);
    assert_eq!(findings, [""; 0]);
    // Faults of the program.
    let excused = [
        ("dates 11", "a date without a year is left out"),
        ("dates 12", "a date without a year is left out"),
        ("- 1", "the event is left out"),
        (
            "other tags 1",
            "the moves and some tags of a game are left out",
        ),
        ("other order -", "tags before the event belong to no game"),
        ("null moves 1", "null moves end the game or are left out"),
        ("null moves 1", "null moves end the game or are left out"),
        ("null moves 1", "null moves end the game or are left out"),
        ("null moves 1", "null moves end the game or are left out"),
        ("null moves 1", "null moves end the game or are left out"),
        ("spelling 1", "moves written in lower case end the game"),
        ("spelling 2", "castling written in lower case ends the game"),
        ("spelling 10", "captures written as 5.gh8Q end the game"),
        ("spelling 12", "castling written with zeros ends the game"),
        ("spelling 13", "castling written with zeros ends the game"),
        ("spelling 17", "an escape line is a comment"),
        ("spelling 19", "moves in German are not read"),
    ];
    assert_eq!(alone, excused.map(|(game, _)| game));
}

#[test]
fn moves_are_the_same_in_all_columns() {
    let example = "{Start} 1. e4! e5 (1... c5 {Sicilian} 2. Nf3) 2. Qh5 Ke7 3. Qxe5# {Mate} 1-0";
    let twin = &twins::pgn(example.into())[0];
    for (name, count) in [("moves", 4), ("moves1", 3), ("moves2", 3)] {
        let Some((found, findings)) = sample(&format!("made-example-{name}.ocgdb.db3")) else {
            return;
        };
        assert_eq!(findings, [""; 0]);
        assert_eq!(found.len(), count);
        for game in found {
            assert_eq!(game.tag("White"), Some("Tal, M"));
            assert_eq!(game.tag("Round"), Some("1.10"));
            assert_eq!(game.mainline, twin.mainline);
            if name == "moves" {
                assert_eq!(game.moves, twin.moves);
            }
        }
    }
}

/// The three versions of the author's own sample have the same games.
#[test]
fn genuine_databases_agree() {
    let mut versions = Vec::new();
    for name in [
        "carlsen-c40d01c8.db3",
        "carlsen-484c465c.db3",
        "carlsen-99d386d1.db3",
    ] {
        let Some((mut found, findings)) = sample(name) else {
            return;
        };
        assert_eq!(findings, [""; 0], "{name}");
        assert_eq!(found.len(), 2851);
        for game in &mut found {
            game.change_tags(|name, value| match name {
                // The first version has neither.
                "Site" | "Round" => String::new(),
                // The third version stores unknown digits as 1.
                "Date" => value.replace('?', "1"),
                _ => value.to_owned(),
            });
            if name.contains("484c465c") {
                // This version exchanged the players, but not their ratings.
                for (name, _) in &mut game.tags {
                    *name = match name.as_str() {
                        "White" => "Black".to_owned(),
                        "Black" => "White".to_owned(),
                        other => other.to_owned(),
                    };
                }
                game.tags.sort();
            }
        }
        versions.push(found);
    }
    let [first, second, third] = versions.as_mut_slice() else {
        unreachable!()
    };
    assert_eq!(twins::without_twin("third", third, first), [""; 0]);
    // The second version repeats some tags of the game before where a game has none.
    for (one, two) in first.iter_mut().zip(second.iter_mut()) {
        for tag in ["WhiteElo", "BlackElo", "ECO"] {
            if one.tag(tag).is_some() {
                assert_eq!(one.tag(tag), two.tag(tag));
            }
        }
        for game in [one, two] {
            game.tags
                .retain(|(name, _)| !name.ends_with("Elo") && name != "ECO");
        }
    }
    assert_eq!(twins::without_twin("second", second, first), [""; 0]);
}
