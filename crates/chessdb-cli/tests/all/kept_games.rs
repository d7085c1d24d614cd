//! Tests of changes in place: other games keep their bytes, damage does not lock them, and values
//! that cannot be right are refused.

use crate::common::{Lab, Ran, set_editor};

/// Three games; the second has an impossible move.
const DAMAGED: &str = "[Event \"Club\"]\n[White \"Adler\"]\n[Black \"Bohm\"]\n[Result \"1-0\"]\n\n\
    1.e4 e5  2. Nf3 Nc6 1-0\n\n\
    [Event \"Club\"]\n[White \"Claus\"]\n[Black \"Dorn\"]\n[Result \"0-1\"]\n\n\
    1. d4 d5 2. Bf9 Nc6 0-1\n\n\
    [Event \"Club\"]\n[White \"Eder\"]\n[Black \"Falk\"]\n[Result \"1/2-1/2\"]\n\n\
    1.c4 c5 1/2-1/2\n";

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("one.pgn", DAMAGED);
    lab
}

/// Returns the file with a line after the first line `before` of each game with this White player.
fn with_lines(lines: &[(&str, &str, &str)]) -> String {
    let mut text = DAMAGED.to_owned();
    for (player, before, line) in lines {
        let start = text[..text.find(player).unwrap()].rfind("[Event").unwrap();
        let end = start + text[start..].find(before).unwrap() + before.len() + 1;
        text.insert_str(end, &format!("{line}\n"));
    }
    text
}

#[test]
fn damage_in_one_game_does_not_lock_the_others() {
    for (args, expected) in [
        (
            &["tag", "one.pgn", "-n", "1", "--set", "Site=Town"][..],
            with_lines(&[("Adler", "\"Club\"]", "[Site \"Town\"]")]),
        ),
        (
            &["tag", "one.pgn", "-n", "2", "--set", "Site=Town"],
            with_lines(&[("Claus", "\"Club\"]", "[Site \"Town\"]")]),
        ),
        (
            &["delete", "one.pgn", "-n", "2"],
            with_lines(&[("Claus", "\"0-1\"]", "[ScidFlags \"D\"]")]),
        ),
        (
            &["delete", "one.pgn", "-n", "3"],
            with_lines(&[("Eder", "\"1/2-1/2\"]", "[ScidFlags \"D\"]")]),
        ),
        (
            &["flag", "one.pgn", "-n", "1", "--set", "novelty"],
            with_lines(&[("Adler", "\"1-0\"]", "[ScidFlags \"N\"]")]),
        ),
        (&["sort", "one.pgn", "--by", "white"], DAMAGED.to_owned()),
        (
            &["eco", "one.pgn", "-n", "1-"],
            with_lines(&[
                ("Adler", "\"1-0\"]", "[ECO \"C44\"]"),
                ("Claus", "\"0-1\"]", "[ECO \"D00\"]"),
                ("Eder", "\"1/2-1/2\"]", "[ECO \"A30\"]"),
            ]),
        ),
        (
            &[
                "names", "one.pgn", "-n", "1-", "--rename", "Adler", "Adler, K",
            ],
            DAMAGED.replace("Adler", "Adler, K"),
        ),
    ] {
        let lab = lab();
        let ran = lab.run(args.iter().copied()).expect(0);
        let says = ran.err.contains("kept byte for byte") && ran.err.contains("game 2");
        // The other commands do not read the damaged game.
        let reads_it = args.contains(&"2") || ["sort", "eco"].contains(&args[0]);
        assert!(says || !reads_it, "{args:?}: {}", ran.err);
        assert_eq!(lab.text("one.pgn"), expected, "{args:?}");
    }
    let lab = lab();
    lab.run(["delete", "one.pgn", "-n", "1"]).expect(0);
    let ran = lab.run(["compact", "one.pgn"]).expect(0);
    assert!(ran.err.contains("kept byte for byte"), "{}", ran.err);
    assert_eq!(
        lab.text("one.pgn"),
        DAMAGED[DAMAGED.find("[Event \"Club\"]\n[White \"Claus").unwrap()..]
    );
}

#[test]
fn an_edit_repairs_a_damaged_game() {
    let lab = lab();
    let mut command = lab.command();
    set_editor(&mut command, "Bf9/Bf4").args(["edit", "one.pgn", "2"]);
    let ran = Ran::of(command.output().unwrap());
    ran.expect(0);
    assert_eq!(lab.text("one.pgn"), DAMAGED.replace("Bf9", "Bf4"));
    lab.run(["check", "-q", "one.pgn"]).expect(0);
}

#[test]
fn options_for_damaged_games_work_or_are_refused() {
    for args in [
        &["sort", "--by", "white"][..],
        &["eco", "-n", "1-", "--all", "--names"],
    ] {
        let lab = lab();
        let run = |how: &str| {
            let start = [args[0], "one.pgn"];
            lab.run([&start[..], &args[1..], &["--on-error", how]].concat())
        };
        let ran = run("stop").expect(4);
        assert!(ran.err.contains("game 2"), "{}", ran.err);
        let ran = run("skip").expect(2);
        assert!(ran.err.contains("keeps all games"), "{}", ran.err);
        assert_eq!(lab.text("one.pgn"), DAMAGED);
        run("keep").expect(0);
    }
}

#[test]
fn a_read_only_file_is_replaced_only_by_force() {
    for args in [
        &["tag", "one.pgn", "-n", "1", "--set", "Event=x"][..],
        &["delete", "one.pgn", "-n", "1"],
        &["compact", "one.pgn"],
        &["sort", "one.pgn", "--by", "white"],
        &["eco", "one.pgn", "-n", "1-"],
        &[
            "names", "one.pgn", "-n", "1-", "--rename", "Adler", "Adler, K",
        ],
    ] {
        let lab = lab();
        let path = lab.path("one.pgn");
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let ran = lab.run(args.iter().copied()).expect(4);
        assert!(ran.err.contains("read-only"), "{args:?}: {}", ran.err);
        assert_eq!(lab.text("one.pgn"), DAMAGED);
        lab.run(args.iter().copied().chain(["--force"])).expect(0);
    }
}

#[test]
fn values_that_cannot_be_right_are_refused() {
    let lab = lab();
    for (set, reason) in [
        ("Result=2-0", "1-0, 0-1"),
        ("Result=1-0 ", "no blanks"),
        ("WhiteElo=abc", "1 to 4000"),
        ("WhiteElo=28505", "1 to 4000"),
        ("BlackElo=", "--remove BlackElo"),
        ("Date=2020.02.31", "1999.12.31"),
        ("Date=31.01.2020", "1999.12.31"),
        ("EventDate=2019.02.29", "1999.12.31"),
        ("ECO=Z99", "A00 to E99"),
        ("Round?=1", "letters, digits and _"),
        ("White Elo=2400", "letters, digits and _"),
        ("whiteelo=2400", "WhiteElo"),
        ("FEN=8/8/8/8/8/8/8/8 w - - 0 1", "chessdb edit"),
        ("Event=a\nb", "one line"),
    ] {
        let ran = lab
            .run(["tag", "one.pgn", "-n", "1", "--set", set])
            .expect(2);
        assert!(ran.err.contains(reason), "{set}: {}", ran.err);
    }
    assert_eq!(lab.text("one.pgn"), DAMAGED);
}

#[test]
fn check_notes_what_cannot_be_true() {
    let lab = Lab::new();
    let game = |tags: &str, moves: &str| format!("[Event \"x\"]\n{tags}\n\n{moves}\n");
    for (tags, moves, note) in [
        ("[Date \"2018.02.30\"]", "1. e4 *", "calendar"),
        ("[EventDate \"2018.04.31\"]", "1. e4 *", "calendar"),
        ("[Date \"2020.02.29\"]", "1. e4 *", ""),
        ("[WhiteElo \"28505\"]", "1. e4 *", "rating of White"),
        ("[BlackElo \"3650\"]", "1. e4 *", ""),
        ("[Result \"1-0\"]", "1. f3 e5 2. g4 Qh4# 1-0", "mate"),
        (
            "[Result \"1/2-1/2\"]",
            "1. f3 e5 2. g4 Qh4# 1/2-1/2",
            "mate",
        ),
        ("[Result \"0-1\"]", "1. f3 e5 2. g4 Qh4# 0-1", ""),
        ("[Result \"*\"]", "1. f3 e5 2. g4 Qh4# *", ""),
        // Null moves have no facts, so the final position decides: Black is to move after one, and
        // White, who is mated, after two.
        (
            "[Result \"1/2-1/2\"]",
            "1. f3 e5 2. g4 Qh4# 3. -- 1/2-1/2",
            "",
        ),
        (
            "[Result \"1/2-1/2\"]",
            "1. f3 e5 2. g4 Qh4# 3. -- -- 1/2-1/2",
            "mate",
        ),
        (
            "[Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"7k/8/5K2/6Q1/8/8/8/8 w - - 0 1\"]",
            "1. Qg6 1-0",
            "stalemate",
        ),
    ] {
        lab.write("g.pgn", game(tags, moves));
        let ran = lab.run(["check", "g.pgn"]);
        let is_noted = ran.out.contains(": note: ") && ran.out.contains(note);
        assert_eq!(is_noted, !note.is_empty(), "{tags} {moves}: {}", ran.out);
        ran.expect(0);
    }
}

#[test]
fn split_names_the_reason_of_an_incomplete_file() {
    let lab = lab();
    let ran = lab
        .run(["split", "one.pgn", "--by", "player", "-o", "parts"])
        .expect(1);
    assert!(
        ran.err.contains("game 2") && ran.err.contains("Bf9"),
        "{}",
        ran.err
    );
}
