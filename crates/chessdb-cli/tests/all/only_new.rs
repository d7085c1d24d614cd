//! Tests of `merge --only-new` and `diff --only-in`: the games that a database lacks.

use crate::appended::numbered;
use crate::arrange::{LONG, ids};
use crate::common::Lab;

/// Returns a game with other moves for each number, too.
fn game(n: u32, comment: &str) -> String {
    let third = ["a3", "b3", "c3", "d3", "g3", "h3", "Nc3", "Na3", "Be2"][n as usize - 1];
    numbered(n, &format!("1. e4 e5 2. Nf3 {comment} Nc6 3. {third} Nf6"))
}

/// A base of games 1 to 5, and a list with two of them, one annotated, and games 8 and 9, the last
/// one twice.
fn lab(format: &str) -> (Lab, String) {
    let lab = Lab::empty();
    let old: String = (1..=5).map(|n| game(n, "")).collect();
    lab.write("old.pgn", old);
    let base = format!("base.{format}");
    lab.run(["convert", "-q", "old.pgn", &base]).expect(0);
    let new = [(2, ""), (3, "{best}"), (8, ""), (9, ""), (9, "")];
    lab.write("new.pgn", new.map(|(n, comment)| game(n, comment)).concat());
    (lab, base)
}

#[test]
fn merge_only_new_writes_the_games_that_the_base_lacks() {
    for format in ["pgn", "si4", "si5", "cbh", "cdp"] {
        let (lab, base) = lab(format);
        let before = lab.read(&base);
        let args = ["merge", "new.pgn", "out.si4", "--only-new", &base];
        let dry = lab.run([&args[..], &["--dry-run"]].concat()).expect(0);
        assert_eq!(dry.out.lines().count(), 2, "{format}: {}", dry.out);
        assert!(!lab.names().contains(&"out.si4".to_owned()));
        let ran = lab.run(args).expect(0);
        let counts = format!(
            "left out 3 duplicates of 5 games; 2 already in {base}; 1 of them had annotations, \
             which the kept copies lack; merge --append --dedupe adds these"
        );
        assert!(ran.err.contains(&counts), "{format}: {}", ran.err);
        assert_eq!(ids(&lab, "out.si4", "date:2024.05.08..2024.05.09"), "1,2");
        assert_eq!(lab.read(&base), before);
        // The games that were written are the only ones that an append would add.
        let json = lab
            .run([&args[..], &["--force", "--json"]].concat())
            .expect(0);
        let facts = "\"duplicates\":{\"compared\":5,\"leftOut\":3,\"inBase\":2}";
        assert!(json.out.contains(facts), "{}", json.out);
        lab.run(["merge", "-q", "out.si4", &base, "--append", "--dedupe"])
            .expect(0);
        lab.run([&args[..], &["--force", "-q"]].concat()).expect(0);
        assert_eq!(lab.run(["ls", "out.si4"]).expect(0).out, "");
    }
}

#[test]
fn the_base_of_only_new_is_never_written() {
    let (lab, base) = lab("si4");
    let before = lab.read(&base);
    for (words, code) in [
        ("merge new.pgn base.si4 --only-new base.si4 --force", 4),
        (
            "merge new.pgn base.sg4 --only-new base.si4 --force -t pgn",
            4,
        ),
        (
            "merge new.pgn out.pgn --only-new base.si4 --force --map base.si4",
            4,
        ),
        ("merge new.pgn base.si4 --only-new old.pgn --append", 2),
        ("merge new.pgn old.pgn --only-new missing.pgn", 3),
    ] {
        lab.run(words.split(' ')).expect(code);
        assert_eq!(lab.read(&base), before, "{words}");
    }
}

#[test]
fn diff_lists_and_writes_the_games_of_one_side() {
    let (lab, base) = lab("si4");
    let list = lab
        .run(["diff", "new.pgn", &base, "--only-in", "A"])
        .expect(1);
    let numbers: Vec<&str> = list
        .out
        .lines()
        .filter_map(|line| line.split('\t').next())
        .collect();
    assert_eq!(numbers, ["3", "4", "5"], "{}", list.out);
    for (side, games) in [("new.pgn", "8,9,9"), ("b", "1,4,5"), (&base, "1,4,5")] {
        let args = [
            "diff",
            "new.pgn",
            &base,
            "--only-in",
            side,
            "-o",
            "out.pgn",
            "--force",
        ];
        assert_eq!(lab.run(args).expect(1).out, "");
        let days = lab.run(["ls", "out.pgn", "--columns", "date"]).out;
        let days: Vec<&str> = days
            .lines()
            .filter_map(|day| day.rsplit(".0").next())
            .collect();
        assert_eq!(days.join(","), games, "{side}");
    }
    let json = lab
        .run(["diff", "new.pgn", &base, "--only-in", "a", "--json"])
        .expect(1)
        .out;
    assert_eq!(json.matches("\"change\":\"onlyA\"").count(), 3, "{json}");
    assert!(!json.contains("\"change\":\"onlyB\""), "{json}");
    lab.run(["diff", "old.pgn", &base, "--only-in", "A"])
        .expect(0);
    lab.run(["diff", "old.pgn", &base, "--only-in", "C"])
        .expect(2);
    lab.run(["diff", "old.pgn", &base, "-o", "x.pgn"]).expect(2);
    let refused = lab.run([
        "diff",
        "old.pgn",
        &base,
        "--only-in",
        "A",
        "-o",
        "base.sg4",
        "--force",
    ]);
    assert!(refused.expect(4).err.contains("base.si4"));
}

/// Without a counterpart, a game is not paired with the game at the same place.
#[test]
fn unlike_games_at_one_place_are_on_one_side_only() {
    let lab = Lab::empty();
    lab.write("a.pgn", numbered(1, LONG));
    lab.write(
        "b.pgn",
        "[White \"X\"]\n[Black \"Y\"]\n\n1. d4 d5 2. c4 *\n\n",
    );
    for side in ["A", "B"] {
        let list = lab
            .run(["diff", "a.pgn", "b.pgn", "--only-in", side])
            .expect(1);
        assert!(list.out.starts_with("1\t"), "{side}: {}", list.out);
    }
}
