//! Tests of changes in place, of undoing them, and of what they leave.

use crate::common::{GAMES, Lab};
use crate::edit::ls;

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
        let tag = format!("tag {base} -n 2 --set \"Site=A new site\" (1 game)");
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

/// Lucas Chess counts games in a separate file, which only that program keeps up to date.
#[test]
fn statistics_of_another_program_are_named_and_stay() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.si4", "l.lcdb"]).expect(0);
    let commands: [&[&str]; 4] = [
        &["tag", "l.lcdb", "-n", "2", "--set", "Result=1-0"],
        &["undo", "l.lcdb"],
        &["convert", "--append", "games.si4", "l.lcdb"],
        &["compact", "l.lcdb"],
    ];
    for has_statistics in [false, true] {
        if has_statistics {
            lab.write("l.lcdb.st1", b"counts");
        }
        for command in commands {
            let ran = lab.run(command.iter().copied()).expect(0);
            let is_named = ran.err.contains("l.lcdb.st1 was not changed");
            assert_eq!(is_named, has_statistics, "{command:?}: {}", ran.err);
        }
    }
    assert_eq!(lab.read("l.lcdb.st1"), b"counts");
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

/// Appending nothing, such as games that are all duplicates, is no change: the one before it can
/// still be undone. Files that only the change did not touch are compared too.
#[test]
fn undo_concerns_the_last_real_change_of_all_files() {
    let lab = Lab::new();
    lab.write("empty.pgn", "");
    for format in [
        "pgn", "si3", "si4", "si5", "cbh", "cbf", "cdp", "dci", "sci",
    ] {
        let base = &*format!("u.{format}");
        lab.run(["convert", "-q", "games.si4", base]).expect(0);
        let content = || {
            let names = lab.names().into_iter();
            let own = names.filter(|name| name.starts_with("u."));
            own.map(|name| (lab.read(&name), name)).collect::<Vec<_>>()
        };
        let before = content();
        lab.run(["tag", "-q", base, "-n", "2", "--set", "White=New"])
            .expect(0);
        let after = content();
        lab.run(["convert", "-q", "--force", base, "same.pgn"]);
        for words in [
            &["merge", "-q", "--append", "--dedupe", "same.pgn", base][..],
            &["convert", "-q", "--append", "empty.pgn", base],
        ] {
            let ran = lab.run(words);
            assert!(ran.code < 2 && content() == after, "{words:?}: {}", ran.err);
        }
        lab.run(["undo", "-q", base]).expect(0);
        assert!(content() == before, "{format}");
        lab.run(["undo", "-q", base]).expect(0);
        // Another program appends to a file, or only writes it again.
        for (bytes, name) in &after {
            let path = lab.path(name);
            let time = std::fs::metadata(&path).unwrap().modified().unwrap();
            for more in [&b"\0"[..], b""] {
                std::fs::write(&path, [bytes, more].concat()).unwrap();
                let theirs = content();
                let ran = lab.run(["undo", base]);
                assert_ne!(ran.code, 0, "{name}: {}", ran.err);
                assert!(
                    ran.err.contains(&format!("{name}: was changed")),
                    "{}",
                    ran.err
                );
                assert!(content() == theirs, "{name}");
            }
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
        }
        for name in lab.names().iter().filter(|name| name.contains("u.")) {
            std::fs::remove_file(lab.path(name)).unwrap();
        }
    }
}
