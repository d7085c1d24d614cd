//! Tests of damage found during a search, and of content that a new database cannot store.

use crate::common::Lab;

#[test]
fn a_damaged_game_is_named_and_does_not_hide_what_was_found() {
    let lab = Lab::empty();
    let broken = "[White \"Two\"]\n\n1. d4 d5 2. Ke7 c5 *\n\n";
    let sound = "[White \"One\"]\n\n1. e4 e5 2. Nf3 *\n\n";
    lab.write("b.pgn", format!("{sound}{broken}{sound}{broken}"));
    let query = "line:\"1.e4 e5 2.Nf3\"";
    let commands: [&[&str]; 7] = [
        &["find", "b.pgn", query],
        &["find", "--count", "b.pgn", query],
        &["find", "--ids", "b.pgn", query],
        &["find", "--pgn", "b.pgn", query],
        &["ls", "b.pgn", query],
        &["stats", "b.pgn", query],
        &["cat", "--json", "b.pgn", query],
    ];
    for command in commands {
        let ran = lab.run(command).expect(0);
        let named = "the readable parts of 2 damaged games do not match: 2, 4";
        assert!(ran.err.contains(named), "{command:?}: {}", ran.err);
        lab.run([command, &["--strict"]].concat()).expect(3);
    }
    // No game matches.
    let ran = lab
        .run(["find", "b.pgn", "line:\"1.c4 c5 2.Nf3\""])
        .expect(1);
    assert_eq!(ran.out, "");
    lab.run(["cat", "b.pgn"]).expect(0);
}

#[test]
fn salvage_is_suggested_for_what_is_damaged() {
    let lab = Lab::new();
    for name in ["good", "bad"] {
        lab.run(["convert", "-q", "games.pgn", &format!("{name}.si4")])
            .expect(0);
    }
    let games = lab.read("bad.sg4");
    lab.write("bad.sg4", &games[..games.len() - 20]);
    let ran = lab
        .run(["convert", "good.si4", "bad.si4", "out.si4"])
        .expect(1);
    assert!(
        ran.err.contains("`chessdb salvage bad.si4 OUT`"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("salvage good.si4"), "{}", ran.err);
}

/// Other content of a container is reported as a loss of the database.
#[test]
fn foreign_content_is_not_dropped_in_silence() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "b.sql"]).expect(0);
    let script = lab.text("b.sql");
    let more = "CREATE TABLE `MyNotes` (`id` int, `note` text);\nINSERT INTO `MyNotes` VALUES (1,'x');\n\
                CREATE VIEW `Best` AS SELECT 1;\n";
    let script = script.replacen("CREATE TABLE", &format!("{more}CREATE TABLE"), 1);
    lab.write("b.sql", &script);
    for target in ["o.sql", "o.pgn", "o.si4", "o.cbh", "o.sqlite"] {
        let ran = lab.run(["convert", "--strict", "b.sql", target]).expect(1);
        assert!(ran.err.contains("base-extra"), "{target}: {}", ran.err);
        assert!(!lab.path(target).exists(), "{target}");
        lab.run([
            "convert",
            "--strict",
            "--allow",
            "base-extra,name-table,description,collection,base-title",
            "b.sql",
            target,
        ])
        .expect(0);
    }
    let ran = lab.run(["tag", "b.sql", "-n", "1-", "--set", "Site=Riga"]);
    let ran = ran.expect(4);
    assert!(ran.err.contains("base-extra"), "{}", ran.err);
    assert_eq!(lab.text("b.sql"), script);
    let ran = lab.run(["check", "b.sql"]).expect(0);
    assert!(
        ran.out.contains("table MyNotes") && ran.out.contains("view Best"),
        "{}",
        ran.out
    );
    let ran = lab.run(["info", "b.sql"]).expect(0);
    assert!(ran.out.contains("MyNotes"), "{}", ran.out);
    lab.run([
        "tag",
        "b.sql",
        "-n",
        "1-",
        "--set",
        "Site=Riga",
        "--allow",
        "base-extra",
    ])
    .expect(0);
}
