//! Exit codes of the commands that answer questions about games: 0 if something was found, 1 if
//! not, and 3 for damage with `--strict`.

use crate::common::{BROKEN, Lab};

/// The commands, before the database and the query.
const COMMANDS: [&[&str]; 12] = [
    &["ls"],
    &["ls", "--json"],
    &["find"],
    &["find", "--count"],
    &["find", "--ids"],
    &["find", "--pgn"],
    &["cat"],
    &["cat", "--json"],
    &["cat", "--format", "uci"],
    &["stats"],
    &["tree"],
    &["names"],
];

struct Case {
    what: &'static str,
    base: &'static str,
    query: &'static str,
    /// The exit code, and that with `--strict`.
    codes: (i32, i32),
    /// Whether standard error names a damaged game.
    is_named: bool,
}

const CASES: [Case; 7] = [
    Case {
        what: "a sound game matches",
        base: "sound.pgn",
        query: "white:one",
        codes: (0, 0),
        is_named: false,
    },
    Case {
        what: "a damaged game matches",
        base: "broken.pgn",
        query: "white:two",
        codes: (0, 3),
        is_named: true,
    },
    Case {
        what: "a damaged game is among those that match",
        base: "broken.pgn",
        query: "white:one or white:two or white:three",
        codes: (0, 3),
        is_named: true,
    },
    Case {
        what: "the readable part of a damaged game does not match",
        base: "broken.pgn",
        query: "line:1.d4",
        codes: (0, 3),
        is_named: true,
    },
    Case {
        what: "the header of a damaged game does not match",
        base: "broken.pgn",
        query: "white:one",
        codes: (0, 0),
        is_named: false,
    },
    Case {
        what: "nothing matches",
        base: "sound.pgn",
        query: "white:nobody",
        codes: (1, 1),
        is_named: false,
    },
    Case {
        what: "nothing matches, and a damaged game might",
        base: "broken.pgn",
        query: "line:\"1.c4 c5\"",
        codes: (1, 3),
        is_named: true,
    },
];

fn lab() -> Lab {
    let lab = Lab::empty();
    lab.write("broken.pgn", BROKEN);
    lab.write("sound.pgn", BROKEN.replace("2. Ke7", "2. Nf3"));
    lab
}

#[test]
fn all_questions_have_the_same_exit_codes() {
    let lab = lab();
    for case in CASES {
        for command in COMMANDS {
            let line = [command, &[case.base, case.query]].concat();
            let ran = lab.run(&line);
            let what = format!("{}: {line:?}\n{}{}", case.what, ran.out, ran.err);
            assert_eq!(ran.code, case.codes.0, "{what}");
            let is_named = |err: &str| err.contains("game 2") || err.contains("match: 2");
            // `ls` reads the moves only for a query about them, or with `--strict`.
            let reads_moves = command[0] != "ls" || case.query.starts_with("line:");
            assert_eq!(is_named(&ran.err), case.is_named && reads_moves, "{what}");
            let ran = lab.run([&line[..], &["--strict"]].concat());
            assert_eq!(ran.code, case.codes.1, "--strict, {what}");
            assert_eq!(is_named(&ran.err), case.is_named, "--strict, {what}");
        }
    }
}

#[test]
fn damaged_games_are_counted() {
    let lab = lab();
    lab.write("many.pgn", BROKEN.repeat(5));
    for command in [
        &["ls", "--strict"][..],
        &["cat", "--json"],
        &["stats"],
        &["names"],
    ] {
        let ran = lab.run([command, &["many.pgn"]].concat());
        let said = "many.pgn: 5 damaged games\n";
        assert!(ran.err.contains(said), "{command:?}: {}", ran.err);
    }
    let ran = lab.run(["cat", "many.pgn"]).expect(0);
    assert!(ran.err.contains(", 5 cut"), "{}", ran.err);
}

#[test]
fn a_new_database_without_some_games_is_a_negative_result() {
    let lab = lab();
    lab.run(["convert", "broken.pgn", "new.pgn"]).expect(1);
    lab.run(["sort", "broken.pgn", "sorted.pgn", "--by", "white"])
        .expect(1);
    lab.run(["convert", "sound.pgn", "sound.si4"]).expect(0);
}
