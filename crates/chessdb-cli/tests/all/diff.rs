//! Tests of `diff`: two databases of any formats, game by game.

use crate::common::{BROKEN, GAMES, Lab};

/// Returns distinguishable games, numbered from 1.
fn games(numbers: impl IntoIterator<Item = u32>) -> String {
    let game = |n: u32| format!("[White \"W{n}\"]\n[Black \"B\"]\n\n1. e4 {{game {n}}} e5 *\n\n");
    numbers.into_iter().map(game).collect()
}

#[test]
fn bases_of_two_formats_are_equal() {
    let lab = Lab::new();
    let ran = lab.run(["diff", "games.pgn", "games.si4"]).expect(0);
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        ("", "chessdb: 3 games equal\n")
    );
    let ran = lab.run(["diff", "-q", "games.si4", "games.pgn"]).expect(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn what_changed_is_shown_as_diff_shows_it() {
    let lab = Lab::new();
    let other = GAMES
        .replace("$1 {best}", "$2 {best}")
        .replace("2700", "2705");
    lab.write("other.pgn", other);
    let ran = lab.run(["diff", "-U1", "games.si4", "other.pgn"]).expect(1);
    let expected = "\
--- games.si4, game 1: Tal, Mihail - Smyslov, Vasily, Bled 1959, 1-0
+++ other.pgn, game 1: Tal, Mihail - Smyslov, Vasily, Bled 1959, 1-0
@@ -8,3 +8,3 @@
 [ECO \"B10\"]
-[WhiteElo \"2700\"]
+[WhiteElo \"2705\"]
 
--- games.si4, game 2: Keres, Paul - Tal, Mihail, Bled 1959, 1/2-1/2
+++ other.pgn, game 2: Keres, Paul - Tal, Mihail, Bled 1959, 1/2-1/2
@@ -9,3 +9,3 @@
 {Über alles}
-1. e4 e5 $1
+1. e4 e5 $2
 {best}
";
    // The order of tags is up to the target.
    let moves = |text: &str| {
        text.split("--- games.si4, game 2")
            .nth(1)
            .unwrap()
            .to_owned()
    };
    assert_eq!(moves(&ran.out), moves(expected), "{}", ran.out);
    assert!(
        ran.out
            .contains("\n-[WhiteElo \"2700\"]\n+[WhiteElo \"2705\"]\n"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("1 game equal, 2 changed"), "{}", ran.err);
    let json = lab
        .run(["diff", "--json", "games.si4", "other.pgn"])
        .expect(1)
        .json();
    assert_eq!(
        (&json["equal"], &json["changed"], &json["onlyA"]),
        (&1.into(), &2.into(), &0.into())
    );
    let second = &json["games"][1];
    assert_eq!(
        (&second["change"], &second["a"], &second["b"]),
        (&"changed".into(), &2.into(), &2.into())
    );
    assert_eq!(second["differences"][0]["kinds"][0], "nag");
}

#[test]
fn games_are_found_by_content_if_their_numbers_differ() {
    let lab = Lab::empty();
    let all = games(1..=30);
    let changed = all.replace("{game 20}", "{game twenty}");
    let some: String = changed.replace(&games([7]), "") + &games([31]);
    let some = games([40]) + &some.replace(&games([3]), "");
    lab.write("all.pgn", &all);
    lab.write("some.pgn", &some);
    let json = lab
        .run(["diff", "--json", "all.pgn", "some.pgn"])
        .expect(1)
        .json();
    assert_eq!(json["matching"], "content");
    let found: Vec<_> = json["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| {
            (
                game["change"].as_str().unwrap(),
                game["a"].as_u64(),
                game["b"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("onlyB", None, Some(1)),
            ("onlyA", Some(3), None),
            ("onlyA", Some(7), None),
            ("changed", Some(20), Some(19)),
            ("onlyB", None, Some(30)),
        ]
    );
    assert_eq!(json["equal"], 27);
    // Compared in order, nearly all games differ.
    let json = lab
        .run(["diff", "--json", "--match", "order", "all.pgn", "some.pgn"])
        .expect(1)
        .json();
    assert_eq!(
        (&json["matching"], &json["equal"]),
        (&"order".into(), &3.into())
    );
    // Another order of the same games is not a difference when matching by content.
    lab.write("turned.pgn", games((1..=30).rev()));
    lab.run(["diff", "all.pgn", "turned.pgn"]).expect(0);
    lab.run(["diff", "--match", "order", "all.pgn", "turned.pgn"])
        .expect(1);
}

/// Games are found at any distance: in files, pipes, and formats with a known number of games.
#[test]
fn the_same_games_in_another_order_are_equal() {
    let lab = Lab::empty();
    lab.write("all.pgn", games(1..=2600));
    lab.write("turned.pgn", games((1..=2600).rev()));
    lab.run(["convert", "-q", "turned.pgn", "turned.si4"])
        .expect(0);
    lab.run(["convert", "-q", "all.pgn", "all.si4"]).expect(0);
    for (a, b) in [
        ("all.pgn", "turned.pgn"),
        ("all.pgn", "turned.si4"),
        ("all.si4", "turned.pgn"),
        ("all.si4", "turned.si4"),
    ] {
        let ran = lab.run(["diff", a, b]).expect(0);
        let end = "chessdb: 2,600 games equal, 2,599 of them in another order\n";
        assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", end), "{a} {b}");
    }
    let json = lab
        .run(["diff", "--json", "all.pgn", "turned.pgn"])
        .expect(0);
    assert_eq!(json.json()["moved"], 2599);
    let input = lab.read("turned.pgn");
    let ran = lab.run_with(&input, &["diff", "all.pgn", "-"]).expect(0);
    assert!(ran.err.contains("2,600 games equal"), "{}", ran.err);
    // A changed game is found among them.
    lab.write(
        "changed.pgn",
        games((1..=2600).rev()).replace("{game 7}", "{game seven}"),
    );
    let ran = lab.run(["diff", "all.pgn", "changed.pgn"]).expect(1);
    let start = "--- all.pgn, game 7: W7 - B";
    assert!(ran.out.starts_with(start), "{}", ran.out);
    assert!(
        ran.err.ends_with(", 1 changed\n") && ran.err.starts_with("chessdb: 2,599 games equal"),
        "{}",
        ran.err
    );
    // In order, nearly all games differ.
    let ran = lab
        .run(["diff", "-q", "--match", "order", "all.si4", "turned.si4"])
        .expect(1);
    assert_eq!(ran.out.matches("\n+++ ").count(), 2600);
}

/// A game that occurs more often in one database is reported as often as that.
#[test]
fn repeated_games_are_counted() {
    let lab = Lab::empty();
    lab.write("a.pgn", games([1, 2, 1, 3, 1]));
    lab.write("b.pgn", games([3, 1, 2]));
    let json = lab.run(["diff", "--json", "a.pgn", "b.pgn"]).expect(1);
    let json = json.json();
    assert_eq!((&json["equal"], &json["onlyA"]), (&3.into(), &2.into()));
}

/// A conversion may leave too little of headers and moves to distinguish games of one pairing.
#[test]
fn as_many_games_that_are_like_no_other_are_compared_in_order() {
    let game = |n: u32, event: &str| {
        format!(
            "[Event \"{event}\"]\n[White \"alpha\"]\n[Black \"beta\"]\n[Round \"-\"]\n\
             [UTCTime \"1{n}:00:00\"]\n\n1. e4 e5 *\n\n"
        )
    };
    let all = |numbers: std::ops::Range<u32>, event: &str| -> String {
        numbers.map(|n| game(n, event)).collect()
    };
    for count in [1, 3, 9] {
        let lab = Lab::empty();
        lab.write("a.pgn", all(0..count, "Live"));
        lab.write(
            "b.pgn",
            all(0..count, "Live")
                .replace("Live", "Rapid")
                .replace("1. e4", "1. d4"),
        );
        lab.write("less.pgn", all(1..count, "Rapid").replace("1. e4", "1. d4"));
        lab.run(["convert", "-q", "a.pgn", "a.cbf"]).expect(0);
        lab.run(["convert", "-q", "b.pgn", "b.si4"]).expect(0);
        for (a, b) in [("a.pgn", "b.pgn"), ("a.pgn", "a.cbf"), ("b.si4", "a.pgn")] {
            let json = lab.run(["diff", "--json", a, b]).expect(1).json();
            let found = json["games"].as_array().unwrap();
            let pairs: Vec<_> = found
                .iter()
                .map(|game| {
                    (
                        game["change"].as_str().unwrap(),
                        game["a"].clone(),
                        game["b"].clone(),
                    )
                })
                .collect();
            let wanted: Vec<(&str, serde_json::Value, serde_json::Value)> = (1..=count)
                .map(|n| ("changed", n.into(), n.into()))
                .collect();
            assert_eq!(pairs, wanted, "{a} {b} {count}");
        }
        // With different numbers of games it is unknown which games belong together.
        let json = lab
            .run(["diff", "--json", "a.pgn", "less.pgn"])
            .expect(1)
            .json();
        assert_eq!(
            (&json["changed"], &json["onlyA"]),
            (&0.into(), &count.into())
        );
        let args = ["diff", "--json", "--match", "content", "a.pgn", "b.pgn"];
        let json = lab.run(args).expect(1).json();
        assert_eq!(
            (&json["changed"], &json["onlyA"]),
            (&0.into(), &count.into())
        );
    }
}

/// Games far from the difference are matched with their counterparts, although a game without a
/// counterpart has the same moves.
#[test]
fn one_game_less_is_one_game_less_in_a_long_base() {
    let lab = Lab::empty();
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O *\n\n";
    let all = |numbers: std::ops::Range<u32>| -> String {
        numbers
            .map(|n| format!("[White \"W{n}\"]\n\n{moves}"))
            .collect()
    };
    lab.write("all.pgn", all(0..6000));
    lab.write("less.pgn", all(1..6000));
    for args in [
        ["diff", "all.pgn", "less.pgn"],
        ["diff", "less.pgn", "all.pgn"],
    ] {
        let ran = lab.run(args).expect(1);
        let end = "chessdb: 5,999 games equal, 1 only in all.pgn\n";
        assert_eq!(ran.err, end, "{}", ran.out);
    }
}

/// Duplicates are distinguished by their complete content.
#[test]
fn a_double_that_is_gone_is_the_one_that_is_gone() {
    let lab = Lab::empty();
    let plain = games([1]);
    let double = plain.replace("{game 1}", "{another} {one}");
    lab.write("a.pgn", format!("{plain}{double}{}", games(2..=5)));
    lab.write("b.pgn", format!("{double}{}", games(2..=5)));
    let ran = lab.run(["diff", "a.pgn", "b.pgn"]).expect(1);
    assert!(
        ran.out.starts_with("--- a.pgn, game 1: W1 - B"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("5 games equal, 1 only in a.pgn\n"),
        "{}",
        ran.err
    );
}

#[test]
fn what_belongs_to_the_base_and_what_cannot_be_read_counts() {
    let lab = Lab::new();
    let mut index = lab.read("games.si4");
    // The description, from byte 20.
    index[20..25].copy_from_slice(b"Mine\0");
    lab.write("described.si4", &index);
    for suffix in ["sg4", "sn4"] {
        lab.write(
            &format!("described.{suffix}"),
            lab.read(&format!("games.{suffix}")),
        );
    }
    let ran = lab.run(["diff", "described.si4", "games.si4"]).expect(1);
    assert!(ran.out.contains("-description \"Mine\"\n"), "{}", ran.out);
    let ran = lab.run(["diff", "games.si4", "described.si4"]).expect(1);
    assert!(ran.out.contains("+description \"Mine\"\n"), "{}", ran.out);
    lab.write("broken.pgn", BROKEN);
    let ran = lab.run(["diff", "broken.pgn", "broken.pgn"]).expect(1);
    assert!(
        ran.err.contains("3 games equal, 1 damaged in broken.pgn"),
        "{}",
        ran.err
    );
    lab.run(["diff", "games.pgn", "nothing.pgn"]).expect(3);
}

#[test]
fn two_folders_are_compared_base_by_base() {
    let lab = Lab::empty();
    for folder in ["a", "b"] {
        std::fs::create_dir(lab.path(folder)).unwrap();
    }
    for name in [
        "a/one.pgn",
        "a/two.pgn",
        "a/gone.pgn",
        "a/same.pgn",
        "b/same.pgn",
    ] {
        lab.write(name, games(1..=3));
    }
    lab.write("b/two.pgn", games(1..=2));
    lab.run(["convert", "-q", "a/one.pgn", "b/one.si4"])
        .expect(0);
    let ran = lab.run(["diff", "a", "b"]).expect(1);
    let said = "a/one.pgn b/one.si4: 3 games equal\n\
                a/same.pgn b/same.pgn: 3 games equal\n\
                a/two.pgn b/two.pgn: 2 games equal, 1 only in a/two.pgn\n\
                a/gone.pgn: not in b\n\
                chessdb: 2 pairs equal, 1 different or damaged; 1 database on one side only\n";
    assert_eq!(ran.err, said);
    assert!(ran.out.starts_with("--- a/two.pgn, game 3"), "{}", ran.out);
    let json = lab.run(["diff", "--json", "a", "b"]).expect(1).json();
    let pairs = json["pairs"].as_array().unwrap();
    let named = pairs.iter().map(|pair| (&pair["b"], &pair["equal"]));
    let named: Vec<_> = named.collect();
    assert_eq!(
        named,
        [
            (&"b/one.si4".into(), &3.into()),
            (&"b/same.pgn".into(), &3.into()),
            (&"b/two.pgn".into(), &2.into())
        ]
    );
    assert_eq!(json["onlyA"][0], "a/gone.pgn");
    lab.write("b/two.pgn", games(1..=3));
    std::fs::remove_file(lab.path("a/gone.pgn")).unwrap();
    lab.run(["diff", "a", "b"]).expect(0);
    // One database cannot be read; the others are compared.
    lab.write("b/two.si4", b"no base");
    std::fs::remove_file(lab.path("b/two.pgn")).unwrap();
    lab.write("b/book.abk", b"x");
    let ran = lab.run(["diff", "a", "b"]).expect(3);
    let said = "chessdb: 2 pairs equal, 0 different or damaged; 2 databases not read\n";
    assert!(ran.err.ends_with(said), "{}", ran.err);
    assert!(
        ran.err.contains("b/book.abk: an Arena opening book"),
        "{}",
        ran.err
    );
    let json = lab.run(["diff", "--json", "a", "b"]).expect(3).json();
    assert_eq!(json["pairs"].as_array().unwrap().len(), 3);
    assert!(json["pairs"][2]["error"].is_string(), "{json}");
    assert_eq!(json["unread"][0]["base"], "b/book.abk");
}

/// The output of `convert` for a folder is compared with the folder, although two databases with
/// the same name keep their extensions.
#[test]
fn a_folder_and_what_was_made_of_it_belong_together() {
    let lab = Lab::new();
    std::fs::create_dir_all(lab.path("coll/sub")).unwrap();
    for suffix in ["pgn", "si4", "sg4", "sn4"] {
        lab.write(
            &format!("coll/sub/games.{suffix}"),
            lab.read(&format!("games.{suffix}")),
        );
    }
    lab.write("coll/alone.pgn", games(1..=3));
    lab.run(["convert", "-q", "coll", "made/", "-t", "si4"])
        .expect(0);
    assert!(lab.path("made/sub/games.pgn.si4").exists());
    let ran = lab.run(["diff", "coll", "made"]).expect(0);
    assert!(
        ran.err
            .ends_with("chessdb: 3 pairs equal, 0 different or damaged\n"),
        "{}",
        ran.err
    );
    // A single database on each side is compared regardless of its name.
    for folder in ["x", "y"] {
        std::fs::create_dir(lab.path(folder)).unwrap();
    }
    lab.write("x/a.pgn", games(1..=3));
    lab.write("y/b.pgn", games(1..=3));
    assert_eq!(
        lab.run(["diff", "x", "y"]).expect(0).err,
        "chessdb: 3 games equal\n"
    );
    // A folder of several databases and a single database cannot be compared.
    let ran = lab.run(["diff", "coll", "games.pgn"]).expect(3);
    assert!(ran.err.contains("specify one of them"), "{}", ran.err);
}
