//! Tests of the reports of `stats`, and of `novelty`.

use crate::common::Lab;

/// A double round robin of three players.
const TABLE: [(&str, &str, &str); 6] = [
    ("Ivkov, B", "Tal, M", "0-1"),
    ("Tal, M", "Gligoric, S", "1/2-1/2"),
    ("Gligoric, S", "Ivkov, B", "1-0"),
    ("TAL, M", "Ivkov, B", "1-0"),
    ("Gligoric, S", "Tal, M", "1-0"),
    ("Ivkov, B", "Gligoric, S", "1/2-1/2"),
];

/// Returns the games of [`TABLE`] as PGN, with moves that differ late.
fn table() -> String {
    let mut text = String::new();
    for (n, (white, black, result)) in TABLE.iter().enumerate() {
        let moves = [
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
            "1. e4 c5 2. Nf3 d6",
            "1. Nf3 Nc6 2. e4 e5 3. Bc4",
        ];
        let (round, moves) = (n + 1, moves[n % 3]);
        text += &format!(
            "[Event \"Bled\"]\n[Site \"Bled YUG\"]\n[Date \"1961.09.0{round}\"]\n[Round \"{round}\"]\n\
             [White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n[WhiteElo \"2500\"]\n\
             [BlackElo \"2600\"]\n\n{moves} {result}\n\n"
        );
    }
    text
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("bled.pgn", table());
    lab.run(["convert", "-q", "bled.pgn", "bled.si4"]).expect(0);
    lab
}

#[test]
fn scores_are_grouped() {
    let lab = lab();
    let text = lab
        .run(["stats", "bled.si4", "--by", "player"])
        .expect(0)
        .out;
    let lines: Vec<Vec<&str>> = text
        .lines()
        .skip(3)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        lines[0][..6],
        ["Gligoric,", "S", "4", "2", "2", "0"],
        "{text}"
    );
    assert_eq!(lines[2][..6], ["Tal,", "M", "4", "2", "1", "1"], "{text}");
    let json = lab
        .run(["stats", "bled.pgn", "--by", "opening", "--json"])
        .expect(0)
        .json();
    assert_eq!((&json["games"], &json["values"]), (&6.into(), &3.into()));
    let sum: u64 = json["scores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["games"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, 6);
    let of_tal = lab.run([
        "stats", "bled.pgn", "--by", "year", "--player", "tal", "--json",
    ]);
    let row = &of_tal.expect(0).json()["scores"][0];
    assert_eq!(
        (&row["value"], &row["games"], &row["score"]),
        (&"1961".into(), &4.into(), &0.625.into())
    );
    let by_eco = lab.run(["stats", "bled.pgn", "--by", "eco"]).expect(0).out;
    assert!(by_eco.contains("\nC50 Italian Game"), "{by_eco}");
    let cut = lab.run(["stats", "bled.pgn", "--by", "white", "--top", "1"]);
    assert!(
        cut.expect(0)
            .out
            .ends_with("… 2 more; list them with --top 3\n")
    );
    let bad = lab
        .run(["stats", "bled.pgn", "--by", "colour"])
        .expect(2)
        .err;
    let (_, keys) = bad.split_once("games are grouped by ").unwrap();
    let help = lab.run(["stats", "--help"]).expect(0).out;
    let keys: Vec<&str> = keys.lines().next().unwrap().split(", ").collect();
    assert!(
        keys.len() > 10 && keys.iter().all(|key| help.contains(key)),
        "{keys:?}"
    );
}

#[test]
fn a_report_is_about_one_player() {
    let lab = lab();
    let text = lab
        .run(["stats", "bled.si4", "--player", "Tal"])
        .expect(0)
        .out;
    assert!(text.starts_with("Tal, M, 4 games\n"), "{text}");
    for words in [
        "Openings with White",
        "Opponents (2)",
        "Years",
        "Highest rated win: TAL, M (2500) – Ivkov, B (2600) 1-0, Bled, 1961.09.04",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let json = lab.run([
        "stats",
        "bled.si4",
        "Ivkov or Gligoric",
        "--player",
        "Tal",
        "--json",
    ]);
    let json = json.expect(0).json();
    let total = &json["total"];
    assert_eq!(
        (&total["games"], &total["won"], &total["asBlack"]["lost"]),
        (&4.into(), &2.into(), &1.into())
    );
    lab.run(["stats", "bled.si4", "--player", "nobody"])
        .expect(1);
    lab.run(["stats", "bled.si4", "--player", "/(/"]).expect(2);
}

#[test]
fn a_cross_table_fits_its_event() {
    let lab = lab();
    let text = lab.run(["stats", "bled.pgn", "--crosstable"]).expect(0).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "Bled, Bled YUG, 1961.09.01 to 1961.09.06, 6 games"
    );
    assert!(lines[2].ends_with(" Points   SB"), "{text}");
    let rows: Vec<Vec<&str>> = lines[3..]
        .iter()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows[0][3..],
        ["2600", "x", "½1", "1½", "3", "4.50"][..],
        "{text}"
    );
    assert_eq!(
        rows[2][3..],
        ["2500", "0½", "00", "x", "½", "1.50"][..],
        "{text}"
    );
    for kind in ["rounds", "pairs"] {
        let kind = format!("--cross-table={kind}");
        lab.run(["stats", "bled.pgn", &kind]).expect(0);
    }
    let json = lab.run(["stats", "bled.pgn", "--crosstable", "--json"]);
    let event = &json.expect(0).json()["events"][0];
    assert_eq!(
        (&event["kind"], &event["games"]),
        (&"grid".into(), &6.into())
    );
    assert_eq!(event["players"][0]["points"], 3.0);
    // The same game twice counts once.
    let twice = table().repeat(2);
    lab.write("twice.pgn", twice);
    let json = lab.run(["stats", "twice.pgn", "--crosstable", "--json"]);
    let again = &json.expect(0).json()["events"][0];
    assert_eq!(
        (&again["players"], &again["repeated"]),
        (&event["players"], &6.into())
    );
    let many: String = (0..11)
        .map(|n| format!("[Event \"E{n}\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n"))
        .collect();
    lab.write("many.pgn", many);
    let error = lab.run(["stats", "many.pgn", "--crosstable"]).expect(2).err;
    assert!(
        error.contains("11 events match") && error.contains("\n  E0, ?: 1 game"),
        "{error}"
    );
}

#[test]
fn tables_fit_80_columns() {
    let lab = Lab::empty();
    let mut text = String::new();
    let name = |n: usize| format!("Hyphenated-Familyname {n}, Christopher Alexander");
    for white in 0..23 {
        for black in white + 1..23 {
            text += &format!(
                "[Event \"E\"]\n[Round \"{}\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Result \"1-0\"]\n\
                 [WhiteElo \"2500\"]\n\n1. e4 1-0\n\n",
                (white + black) % 23 + 1,
                name(white),
                name(black)
            );
        }
    }
    lab.write("e.pgn", text);
    for args in [
        &["--crosstable"][..],
        &["--crosstable=rounds"],
        &["--crosstable=pairs"],
        &["--by", "player"],
        &["--by", "opening"],
        &["--player", "name 3"],
    ] {
        let out = lab.run(["stats", "e.pgn"].iter().chain(args)).expect(0).out;
        for line in out.lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
        let name = out.contains("Hyphenated-") || args.contains(&"opening");
        assert!(name, "{args:?}: {out}");
    }
}

#[test]
fn clocks_and_evaluations_are_summed_up() {
    let lab = Lab::empty();
    lab.write(
        "blitz.pgn",
        "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[TimeControl \"180+2\"]\n\
         [Termination \"Time forfeit\"]\n\n1. e4 {[%eval 0.2] [%clk 0:03:00]} e5 {[%eval 0.3] [%clk \
         0:03:00]} 2. Nf3 {[%eval 0.2] [%clk 0:02:42]} f6 {[%eval 1.9] [%clk 0:00:12]} 1-0\n",
    );
    let json = lab
        .run(["stats", "blitz.pgn", "--clocks", "--accuracy", "--json"])
        .expect(0)
        .json();
    let clocks = &json["clocks"];
    assert_eq!(clocks["white"]["secondsPerMove"], 20.0);
    assert_eq!(
        (
            &clocks["black"]["lostOnTime"],
            &clocks["black"]["timeTrouble"]
        ),
        (&1.into(), &0.5.into())
    );
    assert_eq!(
        (&clocks["longest"]["seconds"], &clocks["longest"]["move"]),
        (&170.0.into(), &2.into())
    );
    assert_eq!(json["accuracy"]["black"]["mistakes"], 1, "{json}");
    let text = lab.run(["stats", "blitz.pgn"]).expect(0).out;
    assert!(
        text.contains("Thinking time (1 game with clocks)"),
        "{text}"
    );
    assert!(
        text.contains("Longest think: 2:50 min for move 2... of A"),
        "{text}"
    );
    let json = lab.run(["stats", "blitz.pgn", "--json"]).expect(0).json();
    assert_eq!(json["clocks"], *clocks);
    lab.write("plain.pgn", "[White \"A\"]\n\n1. e4 *\n");
    lab.run(["stats", "plain.pgn", "--clocks"]).expect(1);
    let json = lab.run(["stats", "plain.pgn", "--json"]).expect(0).json();
    assert_eq!(
        (&json["clocks"], &json["accuracy"]),
        (&().into(), &().into())
    );
}

#[test]
fn a_novelty_is_where_a_game_left_the_others() {
    let lab = lab();
    for base in ["bled.pgn", "bled.si4"] {
        let text = lab.run(["novelty", base, "-n", "1"]).expect(0).out;
        assert!(
            text.contains("\nNo novelty: 1 other game reached the last position\n"),
            "{text}"
        );
        let found = lab
            .run(["novelty", base, "-n", "3", "--json"])
            .expect(0)
            .json();
        let found = &found["games"][0];
        assert_eq!(
            (&found["commonPlies"], &found["novelty"]),
            (&5.into(), &().into())
        );
        lab.write(
            "mine.pgn",
            "[White \"Me\"]\n[Date \"2000.01.01\"]\n\n1. Nf3 Nc6 2. e4 e5 3. d4 *\n",
        );
        let text = lab.run(["novelty", base, "mine.pgn"]).expect(0).out;
        assert!(
            text.contains("1.Nf3 Nc6 2.e4 e5\nNovelty: 3.d4 (4 other games"),
            "{text}"
        );
        assert!(
            text.contains("\n  3.Bb5 ") && text.contains("\n  3.Bc4 "),
            "{text}"
        );
        let found = lab
            .run(["novelty", base, "mine.pgn", "--json"])
            .expect(0)
            .json();
        let found = &found["games"][0];
        assert_eq!(
            (&found["games"], &found["novelty"]),
            (&4.into(), &"d4".into())
        );
        assert_eq!(found["moves"][0]["games"], 2);
        assert_eq!(found["mostRecent"][0]["date"], "1961.09.06");
    }
    // The same game from another source, with an initial and a partial date.
    lab.write(
        "mine.pgn",
        "[White \"Ivkov, Borislav\"]\n[Black \"M. Tal\"]\n[Date \"1961.??.??\"]\n\n\
         1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n",
    );
    let found = lab
        .run(["novelty", "bled.si4", "mine.pgn", "--json"])
        .expect(0)
        .json();
    assert_eq!(found["games"][0]["games"], 1, "{found}");
    let stdin = lab.run_with(b"1. e4 d5 2. exd5 *\n", &["novelty", "bled.si4", "-"]);
    assert!(stdin.expect(0).out.contains("1.e4\nNovelty: 1...d5"));
    lab.run(["novelty", "bled.si4"]).expect(2);
    lab.run(["novelty", "bled.si4", "player:nobody"]).expect(1);
    lab.run(["novelty", "bled.si4", "bled.pgn", "games.pgn"])
        .expect(2);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let lab = lab();
    let many = table() + crate::common::GAMES;
    lab.write("many.pgn", many.repeat(200));
    for args in [
        &["stats", "many.pgn", "--by", "opening"][..],
        &["stats", "many.pgn", "--player", "Tal"],
        &["stats", "many.pgn", "--crosstable"],
        &["novelty", "many.pgn", "-n", "1-9"],
    ] {
        let [one, three] = ["1", "3"].map(|jobs| {
            let args = args.iter().copied().chain(["--json", "--jobs", jobs]);
            lab.run(args).expect(0).out
        });
        assert_eq!(one, three, "{args:?}");
    }
}
