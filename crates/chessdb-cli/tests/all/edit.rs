//! Tests of the commands that change a database in place, and of appending games.

use std::fs;

use crate::common::{GAMES, Lab, Ran, set_editor};

/// The formats that can store a deletion mark, and one that cannot.
const BASES: [&str; 5] = ["b.pgn", "b.si4", "b.si5", "b.cbf", "b.dci"];

fn bases(lab: &Lab) -> Vec<&'static str> {
    for base in BASES {
        lab.run(["convert", "-q", "games.si4", base]).expect(0);
    }
    BASES.to_vec()
}

pub(crate) fn ls(lab: &Lab, base: &str, query: &str) -> usize {
    lab.run(["ls", base, query]).out.lines().count()
}

#[test]
fn games_are_marked_and_dropped() {
    let lab = Lab::new();
    for base in bases(&lab) {
        let before = lab.read(base);
        lab.run(["delete", base, "Tal"]).expect(0);
        assert_eq!(ls(&lab, base, "deleted:yes"), 2, "{base}");
        let again = lab.run(["delete", base, "Tal"]).expect(0);
        assert!(
            again.err.contains("2 games already as requested"),
            "{}",
            again.err
        );
        lab.run(["undelete", base, "-n", "1-"]).expect(0);
        assert!(lab.read(base) == before, "{base} comes back as it was");
        lab.run(["delete", "-q", base, "-n", "2"]).expect(0);
        let ran = lab.run(["compact", base]).expect(0);
        assert!(ran.err.contains("1 game"), "{}", ran.err);
        assert_eq!(ls(&lab, base, "year:1900.."), 2, "{base}");
        assert_eq!(ls(&lab, base, "Keres"), 0);
        lab.run(["check", "-q", base]).expect(0);
    }
    // Deleting all games is not assumed.
    lab.run(["delete", "b.si4"]).expect(2);
    lab.run(["delete", "b.si4", "Fischer"]).expect(1);
}

#[test]
fn a_format_without_the_mark_says_so() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.si4", "b.cdp"]).expect(0);
    let before = lab.read("b.cdp");
    let ran = lab.run(["delete", "b.cdp", "Tal"]).expect(4);
    assert!(ran.err.contains("cannot store this mark"), "{}", ran.err);
    assert!(lab.read("b.cdp") == before);
}

#[test]
fn tags_are_set_and_removed() {
    let lab = Lab::new();
    let args = ["--set", "Event=Wien", "--set", "WhiteElo=2650", "--remove"];
    for base in ["b.pgn", "b.si4", "b.si5", "b.dci", "b.cdp"] {
        lab.run(["convert", "-q", "games.si4", base]).expect(0);
        let run = |more: &[&str]| lab.run([&["tag", base, "year:1959"], &args[..], more].concat());
        run(&["ECO", "--backup"]).expect(0);
        let copy = base.replace("b.", "b.bak.");
        assert_eq!(ls(&lab, &copy, "event:Bled whiteelo:2700"), 1, "{base}");
        assert_eq!(
            ls(&lab, base, "event:Wien whiteelo:2650 -tag:ECO"),
            2,
            "{base}"
        );
        assert_eq!(ls(&lab, base, "event:Moscow -tag:WhiteElo"), 1, "{base}");
        assert!(run(&["ECO"]).expect(0).err.contains("nothing to do"));
        let json = lab.run(["tag", base, "-n", "3", "--remove", "Round", "--json"]);
        assert_eq!(json.json()["bases"][0]["changed"], 1);
        assert!(
            lab.run(["cat", base, "-n", "3"])
                .out
                .contains("[Round \"?\"]")
        );
    }
    for bad in ["FEN=8/8/8/8/8/8/8/8 w - - 0 1", "Event", "Opening name=x"] {
        lab.run(["tag", "b.pgn", "--set", bad]).expect(2);
    }
    lab.run(["tag", "b.pgn"]).expect(2);
    // An old name that no game uses any more.
    let names = |lab: &Lab| lab.run(["dump", "b.si4"]).out.contains("Bled");
    assert!(names(&lab));
    lab.run(["compact", "b.si4"]).expect(0);
    lab.run(["tag", "b.si4", "-n", "1-", "--set", "Site=Riga"])
        .expect(0);
    assert!(names(&lab), "it stands there until somebody takes it away");
    lab.run(["compact", "b.si4"]).expect(0);
    assert!(!names(&lab));
}

#[test]
fn flags_are_set_and_removed() {
    let lab = Lab::new();
    for base in ["games.pgn", "games.si4"] {
        lab.run(["flag", base, "-n", "1,2", "--set", "novelty,!"])
            .expect(0);
        lab.run(["flag", base, "-n", "1", "--remove", "N"])
            .expect(0);
        assert_eq!(ls(&lab, base, "flag:novelty"), 1);
        assert_eq!(ls(&lab, base, "flag:brilliancy"), 2);
    }
    let bad = lab.run(["flag", "games.pgn", "--set", "best"]).expect(2);
    assert!(bad.err.contains("novelty"), "{}", bad.err);
    let bad = lab.run(["flag", "games.pgn", "--set", "deleted"]).expect(2);
    assert!(bad.err.contains("chessdb delete"), "{}", bad.err);
}

#[test]
fn a_game_is_changed_in_an_editor() {
    let lab = Lab::new();
    for base in ["games.pgn", "games.si4"] {
        let edit = |edits: &str, game: &str| {
            let mut command = lab.command();
            let command = set_editor(&mut command, edits);
            Ran::of(command.args(["edit", base, "-n", game]).output().unwrap())
        };
        edit("best/good", "2").expect(0);
        let game = lab.run(["cat", base, "-n", "2"]).out;
        assert!(
            game.contains("{good}") && game.contains("(1... c5"),
            "{game}"
        );
        assert_eq!(lab.run(["ls", base]).out.lines().count(), 3);
        let before = lab.read(base);
        assert!(edit("", "2").expect(0).err.contains("unchanged"));
        edit("", "4").expect(1);
        edit("fails", "2").expect(2);
        let mut command = lab.command();
        command.env("VISUAL", "no-such-editor");
        let ran = command.args(["edit", base, "-n", "2"]).output().unwrap();
        Ran::of(ran).expect(2);
        let bad = edit("e5/e9", "2").expect(3);
        assert!(bad.err.contains("your text is kept there"), "{}", bad.err);
        let kept = bad.err.split("chessdb: ").nth(1).unwrap();
        let kept = kept.split(": ").next().unwrap();
        fs::remove_file(kept).unwrap();
        assert!(lab.read(base) == before);
    }
}

#[test]
fn games_go_behind_others() {
    let lab = Lab::new();
    lab.write(
        "more.pgn",
        "[Event \"Köln\"]\n[White \"Müller\"]\n[Black \"Tal, Mihail\"]\n\n1. d4 {x} d5 *\n",
    );
    lab.write("joined.pgn", format!("{GAMES}\n{}", lab.text("more.pgn")));
    for base in ["b.pgn", "b.si4", "b.si5", "b.si3", "b.cdp", "b.dci"] {
        let to = base.split('.').next_back().unwrap();
        lab.run(["convert", "-q", "games.pgn", base]).expect(0);
        let args = ["convert", "more.pgn", base, "--append", "--backup"];
        let ran = lab.run(args).expect(0);
        assert!(ran.err.contains("1 game appended"), "{}", ran.err);
        lab.run([
            "convert",
            "-q",
            "joined.pgn",
            "--force",
            &format!("all.{to}"),
        ])
        .expect(0);
        if base != "b.cdp" {
            // The data that its program stores in addition depend on all games.
            lab.run(["diff", base, &format!("all.{to}"), "--match", "order"])
                .expect(0);
        }
        if base != "b.dci" && base != "b.cdp" {
            assert!(lab.read(base) == lab.read(&format!("all.{to}")), "{base}");
        }
        lab.run(["check", "-q", base]).expect(0);
        assert_eq!(ls(&lab, &format!("b.bak.{to}"), "moves:0.."), 3);
        let wrong = lab.run(["convert", "more.pgn", base, "--append", "-t", "cbf"]);
        assert!(
            wrong
                .expect(4)
                .err
                .contains("must be written in the same format")
        );
    }
    // There is nothing to append to: these become the first games.
    lab.run(["merge", "games.pgn", "more.pgn", "new.si4", "--append"])
        .expect(0);
    assert_eq!(ls(&lab, "new.si4", "moves:0.."), 4);
    lab.run(["convert", "games.pgn", "-", "--append"]).expect(2);
    lab.run(["convert", "games.pgn", "b.si4", "--append", "--force"])
        .expect(2);
}

#[test]
fn a_comment_that_is_open_does_not_swallow_new_games() {
    let lab = Lab::new();
    lab.write("b.pgn", "[Event \"x\"]\n\n1. e4 {open");
    lab.run(["convert", "games.pgn", "b.pgn", "--append"])
        .expect(0);
    assert!(lab.text("b.pgn").starts_with("[Event \"x\"]"));
    assert!(
        lab.text("b.pgn").contains("{open}"),
        "{}",
        lab.text("b.pgn")
    );
    assert_eq!(lab.run(["ls", "b.pgn"]).out.lines().count(), 4);
}

#[test]
fn games_are_appended_to_pgn_as_it_is() {
    let lab = Lab::new();
    let old = "[Event \"x\"]\n[White \"Alpha\"]\n[Result \"1-0\"]\n\n";
    lab.write(
        "ascii.pgn",
        "[Event \"y\"]\n[White \"Beta\"]\n\n1. d4 {z} 1-0\n",
    );
    lab.write("wide.pgn", "[Event \"K\u{F6}ln\"]\n\n1. d4 1-0\n");
    // The last game has no end, and the line endings of another system.
    for (end, crlf) in [
        ("1. e4 e5", false),
        ("1. e4 (1. d4", true),
        ("1. e9 e5 1-0", true),
    ] {
        let mut text = format!("{old}{end}");
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        lab.write("b.pgn", &text);
        let ran = lab
            .run(["convert", "ascii.pgn", "b.pgn", "--append"])
            .expect(0);
        assert!(ran.err.contains("1 game appended"), "{}", ran.err);
        let grown = lab.text("b.pgn");
        assert!(grown.starts_with(&text), "{grown}");
        assert_eq!(
            grown.matches('\n').count() == grown.matches("\r\n").count(),
            crlf
        );
        assert_eq!(lab.run(["ls", "b.pgn"]).out.lines().count(), 2, "{grown}");
    }
    // A comment is not closed, and part of it is lost.
    let open = format!("{old}1. e4 {{open");
    lab.write("b.pgn", &open);
    let ran = lab
        .run(["convert", "ascii.pgn", "b.pgn", "--append"])
        .expect(1);
    assert!(ran.err.contains("b.pgn: lost: "), "{}", ran.err);
    assert!(ran.err.contains("Cannot append to b.pgn"), "{}", ran.err);
    assert_eq!(lab.text("b.pgn"), open);
    // In another encoding.
    let old = b"[Event \"K\xF6ln\"]\n\n1. e4 1-0\n";
    lab.write("b.pgn", old);
    let ran = lab
        .run(["convert", "wide.pgn", "b.pgn", "--append"])
        .expect(4);
    assert!(ran.err.contains("convert the file first"), "{}", ran.err);
    assert!(lab.read("b.pgn") == old);
    lab.run(["convert", "ascii.pgn", "b.pgn", "--append"])
        .expect(0);
    assert!(lab.read("b.pgn").starts_with(old));
    let utf_16: Vec<u8> = "\u{FEFF}[Event \"a\"]\n\n1. e4 1-0\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for old in [utf_16, b"[Event \"a\"]\n\n1. e4 1-0\n\x1A".to_vec()] {
        lab.write("b.pgn", old);
        let ran = lab
            .run(["convert", "wide.pgn", "b.pgn", "--append"])
            .expect(0);
        assert!(
            ran.err.contains("the database was rewritten"),
            "{}",
            ran.err
        );
        assert_eq!(lab.text("b.pgn").matches("[Event \"").count(), 2);
    }
    let packed = lab.run(["convert", "ascii.pgn", "b.pgn.gz"]).expect(0);
    drop(packed);
    let ran = lab
        .run(["convert", "ascii.pgn", "b.pgn.gz", "--append"])
        .expect(4);
    assert!(ran.err.contains("unpack it first"), "{}", ran.err);
}

#[test]
fn a_damaged_base_is_left_alone() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "b.si4"]).expect(0);
    let mut games = lab.read("b.sg4");
    games.truncate(games.len() - 5);
    lab.write("b.sg4", games);
    let names = lab.names();
    let ran = lab.run(["tag", "b.si4", "-n", "1-", "--set", "Event=x"]);
    let ran = ran.expect(4);
    assert!(ran.err.contains("chessdb salvage"), "{}", ran.err);
    lab.run(["convert", "games.pgn", "b.si4", "--append"])
        .expect(1);
    assert_eq!(lab.names(), names);
    assert_eq!(lab.run(["ls", "b.si4"]).out.lines().count(), 3);
}
