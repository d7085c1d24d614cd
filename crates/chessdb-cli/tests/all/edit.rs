//! Tests of the commands that change a database in place, and of appending games.

use std::fs;

use crate::common::{GAMES, Lab};

/// The formats that can store a deletion mark, and one that cannot.
const BASES: [&str; 5] = ["b.pgn", "b.si4", "b.si5", "b.cbf", "b.dci"];

fn bases(lab: &Lab) -> Vec<&'static str> {
    for base in BASES {
        lab.run(["convert", "-q", "games.si4", base]).expect(0);
    }
    BASES.to_vec()
}

fn ls(lab: &Lab, base: &str, query: &str) -> usize {
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
fn undo_takes_back_the_last_change_and_repeats_it() {
    let lab = Lab::new();
    for base in ["u.si4", "u.si5", "u.pgn"] {
        lab.run(["convert", "-q", "games.si4", base]).expect(0);
        let ran = lab.run(["undo", base]).expect(4);
        assert!(ran.err.contains("no recorded change"), "{}", ran.err);
        let listed = lab.run(["undo", base, "--list", "--json"]).expect(1).json();
        assert_eq!(
            listed["changes"].as_array().map(Vec::len),
            Some(0),
            "{listed}"
        );
        let before = lab.read(base);
        lab.run(["tag", base, "-n", "2", "--set", "Site=A new site"])
            .expect(0);
        lab.run(["delete", base, "Tal"]).expect(0);
        let after = lab.read(base);
        let listed = lab.run(["undo", base, "--list"]).expect(0).out;
        let words: Vec<&str> = listed
            .lines()
            .filter_map(|line| line.split_once("  "))
            .map(|(_, words)| words)
            .collect();
        let tag = format!("tag {base} -n 2 --set 'Site=A new site' (1 game)");
        assert_eq!(words, [format!("delete {base} Tal (2 games)"), tag]);
        let ran = lab.run(["undo", base]).expect(0);
        assert!(
            ran.err
                .contains(&format!("undone: delete {base} Tal (2 games)")),
            "{}",
            ran.err
        );
        assert_eq!(ls(&lab, base, "deleted:yes"), 0);
        let listed = lab.run(["undo", base, "--list", "--json"]).expect(0).out;
        assert!(listed.contains("\"undone\":true"), "{listed}");
        lab.run(["undo", "-q", base]).expect(0);
        assert!(lab.read(base) == after);
        lab.run(["undo", "-q", base]).expect(0);
        // Only the last change can be undone, and a new one takes its place.
        lab.run(["delete", "--no-undo", base, "-n", "1"]).expect(0);
        lab.run(["undo", base]).expect(4);
        lab.run(["undelete", base, "-n", "1"]).expect(0);
        assert_ne!(lab.read(base), before);
        let mut bytes = lab.read(base);
        *bytes.last_mut().unwrap() ^= 1;
        lab.write(base, &bytes);
        let ran = lab.run(["undo", base]).expect(4);
        assert!(ran.err.contains("another program"), "{}", ran.err);
        assert!(lab.read(base) == bytes);
    }
}

/// Every command that changes games of its database writes only what changes, and all of them are
/// undone in the same way.
#[test]
fn commands_that_change_games_can_be_undone() {
    let changes: [(&[&str], &str, u64); 6] = [
        (&["eco", "-n", "1-"], "2 ECO codes written", 2),
        (&["eco", "-n", "2"], "1 ECO code written", 1),
        (
            &["names", "--rename", "Tal, Mihail", "Tal, M", "-n", "1-"],
            "renamed in 2 places",
            2,
        ),
        (
            &["names", "--rename", "Tal, Mihail", "Tal, M", "-n", "2"],
            "renamed in 1 place",
            1,
        ),
        (
            &[
                "names", "--of", "events", "--rename", "Bled", "Moscow", "-n", "1-",
            ],
            "renamed in 2 places",
            2,
        ),
        (
            &["names", "--apply", "fixes.txt", "-n", "1-"],
            "renamed in 3 places",
            3,
        ),
    ];
    let lab = Lab::new();
    lab.write(
        "fixes.txt",
        "Tal, Mihail\tTal, M\nKarpov, Anatoly\tKarpov, A\n",
    );
    for format in ["si3", "si4", "si5"] {
        let index = format!("u.{format}");
        let base = index.as_str();
        lab.run(["convert", "-q", "--force", "games.si4", base])
            .expect(0);
        let files = [
            index.clone(),
            index.replace("si", "sg"),
            index.replace("si", "sn"),
        ];
        let content = || files.each_ref().map(|file| lab.read(file));
        let before = content();
        for (words, summary, games) in changes {
            let (command, rest) = words.split_first().unwrap();
            let words: Vec<&str> = [*command, base]
                .into_iter()
                .chain(rest.iter().copied())
                .collect();
            let ran = lab.run(&words).expect(0);
            assert!(ran.err.contains(summary), "{words:?}: {}", ran.err);
            assert!(
                ran.err.contains(&format!("{base} → {base}: 3 games")),
                "{}",
                ran.err
            );
            let after = content();
            assert!(after != before, "{words:?}");
            let listed = lab.run(["undo", base, "--list", "--json"]).expect(0).json();
            assert_eq!(listed["base"], base, "{listed}");
            assert_eq!(listed["changes"][0]["games"], games, "{words:?}: {listed}");
            // The new names are found, and the games that do not change keep their bytes.
            lab.run(["check", "-q", base]).expect(0);
            lab.run(["undo", "-q", base]).expect(0);
            assert!(content() == before, "{words:?}");
            lab.run(["undo", "-q", base]).expect(0);
            assert!(content() == after, "{words:?}");
            lab.run(["undo", "-q", base]).expect(0);
            // Once more, as nothing was changed before: then nothing is written.
            let dry: Vec<&str> = words.iter().copied().chain(["--dry-run"]).collect();
            lab.run(&dry).expect(0);
            assert!(content() == before, "{words:?}");
        }
        lab.run(["eco", "-q", base, "-n", "1-"]).expect(0);
        let after = content();
        let ran = lab.run(["eco", base, "-n", "1-"]).expect(0);
        assert!(ran.err.contains("0 ECO codes written"), "{}", ran.err);
        assert!(content() == after);
        let listed = lab.run(["undo", base, "--list", "--json"]).expect(0).json();
        assert_eq!(
            listed["changes"][0]["games"], 2,
            "a command without changes: {listed}"
        );
        lab.run(["convert", "-q", "--append", "games.pgn", base])
            .expect(0);
        let listed = lab.run(["undo", base, "--list"]).expect(0).out;
        assert!(
            listed.contains(&format!("convert -q --append games.pgn {base} (3 games)")),
            "{listed}"
        );
    }
}

#[test]
fn duplicates_are_marked_in_their_database() {
    let lab = Lab::new();
    lab.write(
        "twice.pgn",
        [GAMES, GAMES]
            .concat()
            .replacen("1. e4 c5 0-1", "1. e4 {sharp} c5 0-1", 1),
    );
    for base in ["u.si3", "u.si4", "u.si5", "u.pgn", "u.cbf"] {
        lab.run(["convert", "-q", "twice.pgn", base]).expect(0);
        let before = lab.read(base);
        let ran = lab
            .run(["dedupe", "--mark", base, "--merge-annotations"])
            .expect(0);
        assert!(
            ran.err
                .contains("marked as deleted 3 duplicates of 6 games"),
            "{base}: {}",
            ran.err
        );
        assert_eq!(ls(&lab, base, "deleted:yes"), 3, "{base}");
        assert_eq!(ls(&lab, base, "deleted:no text:sharp"), 1, "{base}");
        let after = lab.read(base);
        // A marked copy does not come back as the better one.
        let ran = lab.run(["dedupe", "--mark", base]).expect(0);
        assert!(
            ran.err.contains("marked as deleted 0 duplicates of"),
            "{base}: {}",
            ran.err
        );
        assert!(lab.read(base) == after, "{base}");
        if base.contains(".si") {
            lab.run(["undo", "-q", base]).expect(0);
            assert!(lab.read(base) == before, "{base}");
        }
        // The output cannot be forgotten by mistake.
        lab.run(["dedupe", base]).expect(2);
        lab.run(["dedupe", "--mark", base, "new.si4"]).expect(2);
        lab.run(["dedupe", "--mark", base, "Tal"]).expect(2);
    }
}

/// A name that all games get changes in the table of names; no game is written.
#[test]
fn a_new_spelling_changes_only_the_table_of_names() {
    let lab = Lab::new();
    for format in ["si3", "si4", "si5"] {
        let index = format!("u.{format}");
        let base = index.as_str();
        lab.run(["convert", "-q", "games.si4", base]).expect(0);
        let [games, names] = ["sg", "sn"].map(|kind| index.replace("si", kind));
        let before = [base, &games, &names].map(|file| lab.read(file));
        let rename = [
            "names",
            "--rename",
            "Tal, Mihail",
            "Zal, M",
            base,
            "-n",
            "1-",
        ];
        let ran = lab.run(rename).expect(0);
        assert!(ran.err.contains("renamed in 2 places"), "{}", ran.err);
        assert!(
            lab.read(base) == before[0] && lab.read(&games) == before[1],
            "{base}"
        );
        assert!(lab.read(&names) != before[2], "{base}");
        assert_eq!(ls(&lab, base, "Zal,M"), 2, "{base}");
        lab.run(["check", "-q", base]).expect(0);
        let listed = lab.run(["undo", base, "--list"]).expect(0).out;
        assert!(listed.contains("(2 games)"), "{listed}");
        // The name exists now, so the games change.
        let rename = [
            "names",
            "--rename",
            "Keres, Paul",
            "Zal, M",
            base,
            "-n",
            "1-",
        ];
        lab.run(rename).expect(0);
        assert!(lab.read(base) != before[0]);
        assert_eq!(ls(&lab, base, "Zal,M"), 2, "{base}");
        lab.run(["check", "-q", base]).expect(0);
        if format == "si3" {
            continue;
        }
        // With an index, it learns which games have another name.
        lab.run(["index", "-q", base]).expect(0);
        let rename = [
            "names",
            "--rename",
            "Kasparov, Garry",
            "Kasparov, G",
            base,
            "-n",
            "1-",
        ];
        lab.run(rename).expect(0);
        assert_eq!(ls(&lab, base, "Kasparov,Garry"), 0, "{base}");
        assert_eq!(ls(&lab, base, "Kasparov,G"), 1, "{base}");
    }
}

/// A change that is not possible in place is refused or made like before, with its counts.
#[test]
fn a_refused_change_counts_once() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.si4", "u.cbf"]).expect(0);
    let before = lab.read("u.cbf");
    let ran = lab
        .run(["eco", "u.cbf", "-n", "1-", "--all", "--names"])
        .expect(1);
    assert!(
        ran.err.contains("nothing written, 3 games read"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("3 games, 3 with a known opening"),
        "{}",
        ran.err
    );
    assert!(lab.read("u.cbf") == before);
}

/// Changes in place leave unused bytes and names. `info` counts them, `check` does not report them,
/// and `compact` removes them: the files are then those of a conversion of the same games.
#[test]
fn compact_removes_what_changes_in_place_leave() {
    for format in ["si3", "si4", "si5"] {
        let lab = Lab::new();
        let base = format!("b.{format}");
        let base = base.as_str();
        let unused = |base: &str| {
            let info = lab.run(["info", "--json", base]).expect(0).json();
            let facts = &info["bases"][0];
            let number = |name: &str| facts[name].as_u64().unwrap();
            (number("unusedBytes"), number("unusedNames"))
        };
        lab.run(["convert", "-q", "games.pgn", base]).expect(0);
        assert_eq!(unused(base), (0, 0), "{base}");
        lab.run(["tag", "-q", base, "-n", "1", "--set", "White=Botvinnik"])
            .expect(0);
        lab.run(["tag", "-q", base, "-n", "2", "--set", "Annotator=Someone"])
            .expect(0);
        lab.run(["tag", "-q", base, "-n", "3", "--set", "Event=An event"])
            .expect(0);
        lab.run(["delete", "-q", base, "-n", "3"]).expect(0);
        lab.run(["convert", "-q", "--append", "games.pgn", base])
            .expect(0);
        lab.run(["tag", "-q", base, "-n", "6", "--set", "Source=A book"])
            .expect(0);
        let (bytes, names) = unused(base);
        // Moscow came back with the appended games.
        assert!(bytes > 0 && names == 0, "{base}: {bytes} {names}");
        lab.run(["tag", "-q", base, "-n", "4", "--set", "Round=7"])
            .expect(0);
        lab.run(["tag", "-q", base, "-n", "1", "--set", "Round=7"])
            .expect(0);
        assert_eq!(unused(base), (bytes, 1), "{base}");
        let text = lab.run(["info", base]).expect(0).out;
        let line = format!("unused       {bytes} bytes, 1 name; `chessdb compact` removes them");
        assert!(text.contains(&line), "{text}");
        let checked = lab.run(["check", "--json", base]).expect(0).json();
        assert_eq!(
            checked["bases"][0]["findings"].as_array().map(Vec::len),
            Some(0),
            "{checked}"
        );
        lab.run(["compact", "-q", base]).expect(0);
        assert_eq!(unused(base), (0, 0), "{base}");
        lab.run(["convert", "-q", base, "again.pgn"]).expect(0);
        let fresh = format!("fresh.{format}");
        lab.run(["convert", "-q", "again.pgn", &fresh]).expect(0);
        for letter in ["i", "g", "n"] {
            let suffix = format.replacen('i', letter, 1);
            let [compacted, fresh] =
                ["b", "fresh"].map(|name| lab.read(&format!("{name}.{suffix}")));
            assert!(compacted == fresh, "{base}: {suffix}");
        }
    }
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
#[cfg(unix)]
fn a_game_is_changed_in_an_editor() {
    let lab = Lab::new();
    for base in ["games.pgn", "games.si4"] {
        let edit = |editor: &str, game: &str| {
            let mut command = lab.command();
            command
                .args(["edit", base, "-n", game])
                .env("EDITOR", editor);
            let command = command.env_remove("VISUAL");
            crate::common::Ran::of(command.output().unwrap())
        };
        edit("sed -i s/best/good/", "2").expect(0);
        let game = lab.run(["cat", base, "-n", "2"]).out;
        assert!(
            game.contains("{good}") && game.contains("(1... c5"),
            "{game}"
        );
        assert_eq!(lab.run(["ls", base]).out.lines().count(), 3);
        let before = lab.read(base);
        assert!(edit("true", "2").expect(0).err.contains("unchanged"));
        edit("true", "4").expect(1);
        edit("false", "2").expect(2);
        edit("no-such-editor", "2").expect(2);
        let bad = edit("sed -i s/e5/e9/", "2").expect(3);
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
