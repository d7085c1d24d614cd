//! Tests that an index does not change the result of any command, and that an index of another
//! database is not used.

use crate::common::{Lab, Ran};

/// Position queries, and games by number.
const ASKED: [&[&str]; 9] = [
    &[
        "find",
        "BASE",
        "fen:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w\"",
    ],
    &[
        "find",
        "BASE",
        "material:KQRRBBNNPPPPPPPPKQRRBBNNPPPPPPPP",
        "--count",
        "-j1",
    ],
    &["tree", "BASE"],
    &["stats", "BASE", "line:1.e4"],
    &["cat", "BASE", "line:1.e4 c5"],
    &["cat", "BASE", "-n", "3,1"],
    &["ls", "BASE", "line:1.e4 c6"],
    &["ls", "BASE", "-n", "2-7"],
    &["show", "BASE", "-n", "2", "--ascii"],
];

fn ask(lab: &Lab, base: &str) -> Vec<Ran> {
    let one = |words: &&[&str]| {
        let word = |word: &&str| {
            if *word == "BASE" {
                base.to_owned()
            } else {
                (*word).to_owned()
            }
        };
        lab.run(words.iter().map(word))
    };
    ASKED.iter().map(one).collect()
}

fn assert_same(after: &[Ran], before: &[Ran]) {
    for ((words, after), before) in ASKED.iter().zip(after).zip(before) {
        let said = |ran: &Ran| (ran.code, ran.out.clone(), ran.err.clone());
        assert_eq!(said(after), said(before), "{words:?}");
    }
}

#[test]
fn an_index_changes_no_answer() {
    let lab = Lab::new();
    for base in [
        "games.cbf",
        "games.cdp",
        "games.dci",
        "games.cbh",
        "games.si4",
        "games.pgn",
    ] {
        if !base.ends_with("pgn") && !base.ends_with("si4") {
            lab.run(["convert", "-q", "games.pgn", base]).expect(0);
        }
        let before = ask(&lab, base);
        assert!(before.iter().all(|ran| ran.code == 0), "{before:?}");
        lab.run(["index", "-q", base]).expect(0);
        assert_same(&ask(&lab, base), &before);
    }
}

#[test]
fn an_index_of_text_that_has_changed_is_named_and_not_used() {
    let lab = Lab::new();
    lab.run(["index", "-q", "games.pgn"]).expect(0);
    let text = lab.text("games.pgn");
    let index = lab.read("games.pgn.chessdb-index");
    let mut old = index.clone();
    old[14] = b'1';
    let mut damaged = index.clone();
    *damaged.last_mut().unwrap() ^= 1;
    // The file keeps its length: the second game becomes a comment of the first.
    let same_length = text
        .replacen("1-0\n\n[", "{  \n\n[", 1)
        .replacen("1-1/2\n", "1-1/2}", 1);
    assert_eq!(same_length.len(), text.len());
    let appended = format!("{text}\n[White \"New\"]\n\n1. e4 *\n");
    for (text, index, why) in [
        (&same_length, &index, "the database has changed"),
        (&appended, &index, "the database has changed"),
        (&text, &old, "it is not an index of this version"),
        (&text, &damaged, "it is damaged"),
    ] {
        lab.write("games.pgn", text);
        lab.write("other.pgn", text);
        lab.write("games.pgn.chessdb-index", index);
        let without = ask(&lab, "other.pgn");
        for ((words, with), without) in ASKED.iter().zip(ask(&lab, "games.pgn")).zip(without) {
            let note = format!("ignoring games.pgn.chessdb-index: {why}");
            assert!(with.err.contains(&note), "{words:?}: {}", with.err);
            assert!(with.err.contains("run `chessdb index` to rebuild it"));
            assert_eq!(
                (with.code, with.out),
                (without.code, without.out),
                "{words:?}"
            );
        }
        // Reading all games does not use the index, so nothing is reported about it. The unclosed
        // comment is a loss.
        let code = if text == &same_length { 3 } else { 0 };
        let all = lab.run(["cat", "games.pgn", "--strict"]).expect(code);
        assert!(!all.err.contains("chessdb-index"), "{}", all.err);
    }
}

#[test]
fn what_of_an_index_is_damaged_is_named_when_it_is_asked_and_changes_no_answer() {
    let lab = Lab::new();
    let before = ask(&lab, "games.pgn");
    lab.run(["index", "-q", "games.pgn"]).expect(0);
    let mut index = lab.read("games.pgn.chessdb-index");
    // All columns and records, as if no feature occurred in any game.
    index[4096..4096 + 5120].fill(0);
    lab.write("games.pgn.chessdb-index", &index);
    for ((words, with), without) in ASKED.iter().zip(ask(&lab, "games.pgn")).zip(before) {
        assert_eq!(
            (with.code, &with.out),
            (without.code, &without.out),
            "{words:?}"
        );
        let note = "chessdb: games.pgn.chessdb-index is damaged; the games it does not cover were read directly; run `chessdb index` to rebuild it";
        // The other commands use only the offsets in the index.
        let asks = ["find", "tree", "stats"].contains(&words[0])
            || words.iter().any(|word| word.starts_with("line:"));
        let said: Vec<&str> = with.err.lines().collect();
        let mut expected: Vec<&str> = without.err.lines().collect();
        if asks {
            expected.push(note);
        }
        assert_eq!(said, expected, "{words:?}");
    }
}
