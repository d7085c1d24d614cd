//! Lucas Chess: databases that the program made, against the PGN files that it imported.

use chessdb_sqlite::LUCAS_CHESS;
use chessdb_sqlite::lucaschess::LCDB;

use crate::twins::{self, Twin};

fn sample(name: &str) -> Option<(Vec<Twin>, Vec<String>)> {
    twins::sample(&LUCAS_CHESS, LCDB, &format!("lucaschess/{name}"))
}

/// The PGN fixtures without what the program does not store: white space around values, empty
/// values, and the number of half-moves, which it counts itself.
fn fixtures() -> Vec<Twin> {
    let mut games = twins::fixtures();
    for game in &mut games {
        game.change_tags(|name, value| match name {
            "PlyCount" => String::new(),
            _ => value.trim().to_owned(),
        });
    }
    games
}

/// What becomes of UTF-8 that the program takes for windows-1252 or Latin-1. It guesses the charset
/// of a whole file.
fn misread(game: &Twin) -> Twin {
    let mut game = game.clone();
    game.change_tags(|_, value| {
        value
            .bytes()
            .map(char::from)
            .collect::<String>()
            .trim()
            .to_owned()
    });
    game
}

#[test]
fn imported_games_equal_the_pgn_files() {
    let Some((mut found, findings)) = sample("made-fixtures-import.lcdb") else {
        return;
    };
    let mut wanted = fixtures();
    let misread: Vec<Twin> = wanted.iter().map(misread).collect();
    wanted.extend(misread);
    let keep = |_: &str, value: &str| value.to_owned();
    found.iter_mut().for_each(|game| game.change_tags(keep));
    let alone = twins::without_twin("import", &found, &wanted);
    let excused = [
        (
            "The \"quoted\" event 1",
            "a value ends before an escaped quotation mark at its end",
        ),
        (
            "Common tags 1",
            "names of tags that differ only in case are the same",
        ),
        ("Null moves 1", "the mainline ends at a null move"),
        ("Null moves 1", "the mainline ends at a null move"),
        ("Null moves 1", "the mainline ends at a null move"),
        (
            "Spelling 10",
            "the program does not read captures written as 5.gh8Q",
        ),
        (
            "Spelling 13",
            "the program does not read castling written with zeros",
        ),
        ("Spelling 19", "the program does not read moves in German"),
        (
            "Standard position as FEN 1",
            "the FEN of the standard position is left out",
        ),
    ];
    assert_eq!(alone, excused.map(|(game, _)| game));
    // The program takes UTF-8 for another charset in some files.
    let (twice, findings): (Vec<String>, Vec<String>) =
        findings.into_iter().partition(|text| is_twice(text));
    assert!(!twice.is_empty());
    // Escape lines are no part of the game, but the movetext is kept as it was.
    let [escape] = findings.as_slice() else {
        panic!("{findings:?}");
    };
    assert!(escape.starts_with("note: lcdb file, game 490"), "{escape}");
}

fn is_twice(finding: &str) -> bool {
    finding.starts_with("note: ") && finding.contains("converted to UTF-8 twice")
}

/// Removes all letters that are not ASCII.
fn ascii(text: &str) -> String {
    let text: String = text.chars().filter(char::is_ascii).collect();
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace(" }", "}")
        .replace("{ ", "{")
}

#[test]
fn inserted_games_equal_the_pgn_files() {
    let Some((mut found, findings)) = sample("made-fixtures-insert.lcdb") else {
        return;
    };
    let mut wanted = fixtures();
    for game in found.iter_mut().chain(&mut wanted) {
        game.change_tags(|name, value| match name {
            // The program determines these itself.
            "ECO" | "Opening" | "Termination" | "Result" => String::new(),
            // It reads the PGN of a single game as ASCII, without other letters.
            _ if value == "?" => String::new(),
            _ => ascii(value),
        });
        // Lines end at a null move.
        game.before_nulls = ascii(&game.before_nulls);
        game.moves.clear();
        game.mainline.clear();
    }
    let alone = twins::without_twin("insert", &found, &wanted);
    assert_eq!(findings, [""; 0]);
    // All trees are those in the pickles; these are faults of the program.
    let excused = [
        (
            "Common tags 1",
            "names of tags that differ only in case are the same",
        ),
        (
            "Up to seven NAGs a move 1",
            "the program stores a NAG of a move once",
        ),
        (
            "Null moves 1",
            "a NAG of a null move goes to the move before",
        ),
        (
            "Random moves 2",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 3",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 4",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 6",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 7",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 8",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 9",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 10",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Random moves 11",
            "the program's reader of PGN leaves variations out",
        ),
        (
            "Spelling 10",
            "the program does not read captures written as 5.gh8Q",
        ),
        (
            "Spelling 13",
            "the program does not read castling written with zeros",
        ),
        (
            "Spelling 15",
            "the program cuts comments to the end of the line by a letter",
        ),
        ("Spelling 16", "the program does not read signs such as +-"),
        (
            "Spelling 17",
            "the program takes an escape line for a comment",
        ),
    ];
    assert_eq!(alone, excused.map(|(game, _)| game));
}

#[test]
fn genuine_games_are_legal() {
    let Some((found, findings)) = sample("Miniatures-R6.lcdb") else {
        return;
    };
    // The number of half-moves is compared with the column while reading. Some names were misread
    // before the program got them.
    assert!(findings.iter().all(|text| is_twice(text)), "{findings:?}");
    assert_eq!(found.len(), 10_128);
    // The only game with more than a mainline.
    assert!(found[6071].moves.contains("16. Ne4 Qb8 {(I am not"));
}
