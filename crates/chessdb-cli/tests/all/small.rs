//! Small tests: levels of strictness, format names, game lists, completions, deleted games.

use crate::common::{GAMES, Lab};

#[test]
fn strictness_has_steps() {
    let lab = Lab::new();
    // A loss of the database: PGN cannot store a description.
    let mut index = lab.read("games.si4");
    index[20..25].copy_from_slice(b"Mine\0");
    lab.write("games.si4", &index);
    let convert = |more: &[&str], target: &str| {
        let args = [&["convert", "--force", "games.si4", target][..], more].concat();
        lab.run(args)
    };
    let ran = convert(&["--strict"], "a.pgn").expect(1);
    assert!(
        ran.err
            .contains("--strict refuses this; use --allow description to accept it.\n"),
        "{}",
        ran.err
    );
    assert!(!lab.path("a.pgn").exists());
    convert(&["--strict=games"], "a.pgn").expect(0);
    convert(&["--strict", "--allow", "nag,description"], "b.pgn").expect(0);
    assert_eq!(lab.text("a.pgn"), lab.text("b.pgn"));
    // Losses of games: a book cannot store headers.
    let ran = convert(&["--strict=games"], "book.fbk").expect(1);
    let json = convert(&["--strict=games", "--json"], "book.fbk")
        .expect(1)
        .json();
    let by: Vec<_> = json["conversions"][0]["refusedBy"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert!(
        by.len() > 1 && !by.contains(&&"description".into()),
        "{by:?}"
    );
    let all: Vec<_> = by.iter().map(|kind| kind.as_str().unwrap()).collect();
    assert!(
        ran.err
            .contains(&format!("use --allow {} to accept it", all.join(","))),
        "{}",
        ran.err
    );
    convert(&["--strict=games", "--allow", &all.join(",")], "book.fbk").expect(0);
    convert(&["--allow", "nag"], "c.pgn").expect(2);
    convert(&["--strict", "--allow", "everything"], "c.pgn").expect(2);
    // Damage is never accepted.
    lab.write("odd.pgn", "[White \"x\"]\n\n1. e4 e9 *\n");
    for how in ["--strict", "--strict=games"] {
        lab.run(["convert", how, "odd.pgn", "d.si4"]).expect(1);
        assert!(!lab.path("d.si4").exists());
    }
}

#[test]
fn data_of_one_format_only_are_named() {
    let lab = Lab::new();
    let path = chessdb_testkit::fixtures::path("cbf/x-private.cbf");
    let convert = ["convert", path.to_str().unwrap(), "out.pgn"];
    let ran = lab.run(convert);
    let words =
        "format-specific data of games left out: a check byte that matches no known formula";
    assert!(ran.err.contains(words), "{}", ran.err);
    let json = lab
        .run([&convert[..], &["--json", "--force"]].concat())
        .json();
    let extras = json["conversions"][0]["extras"].as_array().unwrap();
    assert_eq!(
        extras[0]["text"],
        "a check byte that matches no known formula"
    );
}

#[test]
fn formats_are_found_by_suffix_and_usual_name() {
    let lab = Lab::new();
    for (name, suffix, id) in [
        ("sqlite", "sqlite", "jose"),
        ("sql", "sql", "jose-sql"),
        ("dci", "dci", "dcx"),
        ("DCN", "dci", "dcx"),
        ("scid5", "si5", "si5"),
        ("cbf", "cbf", "cbf"),
    ] {
        let target = format!("{id}.{suffix}");
        lab.run(["convert", "-q", "--force", "-t", name, "games.pgn", &target])
            .expect(0);
        let json = lab
            .run(["info", "--json", "-f", name, &target])
            .expect(0)
            .json();
        assert_eq!(json["bases"][0]["format"], id);
        assert!(
            lab.run(["formats", name, "--limits"])
                .expect(0)
                .out
                .starts_with(id)
        );
    }
    let listed = lab.run(["formats", "si4", "pgn"]).expect(0).out;
    assert_eq!(
        listed.lines().filter(|line| line.contains("read")).count(),
        2,
        "{listed}"
    );
    let script = lab.run(["completions", "bash"]).expect(0).out;
    assert!(script.contains("jose-sql"), "formats are completed");
    let script = lab.run(["completions", "nushell"]).expect(0).out;
    assert!(
        script.contains("export extern \"chessdb convert\""),
        "{script}"
    );
}

#[test]
fn a_list_of_games_may_stand_in_a_file() {
    let lab = Lab::new();
    let listed = lab.run(["ls", "games.si4", "player:tal"]).expect(0).out;
    lab.write("list", &listed);
    let games = lab.run(["cat", "games.si4", "-n", "@list"]).expect(0).out;
    assert_eq!(games.matches("[Event ").count(), 2);
    let ran = lab
        .run_with(listed.as_bytes(), &["cat", "games.si4", "-n", "-"])
        .expect(0);
    assert_eq!(ran.out, games);
    lab.write("list", "3\n1-2, 2\n");
    assert_eq!(
        lab.run(["cat", "games.si4", "-n", "@list"]).expect(0).out,
        lab.run(["cat", "games.si4"]).expect(0).out
    );
    lab.run(["cat", "games.si4", "-n", "@missing"]).expect(2);
    lab.write("list", "Tal\n");
    lab.run(["cat", "games.si4", "-n", "@list"]).expect(2);
}

#[test]
fn deleted_games_are_marked() {
    let lab = Lab::empty();
    lab.write(
        "games.pgn",
        GAMES.replacen("[ECO", "[ScidFlags \"D\"]\n[ECO", 1),
    );
    lab.run(["convert", "-q", "games.pgn", "games.si4"])
        .expect(0);
    let listed = lab.run(["ls", "games.si4"]).expect(0).out;
    let marks: Vec<_> = listed
        .lines()
        .map(|line| line.ends_with("\tdeleted"))
        .collect();
    let json = lab.run(["ls", "--json", "games.si4"]).expect(0).json();
    let flags: Vec<_> = (0..3)
        .map(|n| json["games"][n]["deleted"].as_bool().unwrap())
        .collect();
    assert_eq!(marks, flags);
    assert_eq!(marks, [true, false, false]);
}
