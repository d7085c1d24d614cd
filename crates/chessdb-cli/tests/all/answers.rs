//! Answers and messages: dates in UTC, byes, sorting, names in other scripts, control characters.

use crate::common::Lab;

/// Returns a game with these tags before its moves.
fn game(tags: &[(&str, &str)], moves: &str) -> String {
    let tags = tags.iter();
    let tags = tags.map(|(name, value)| format!("[{name} \"{value}\"]\n"));
    format!("{}\n{moves}\n\n", tags.collect::<String>())
}

/// A game without a date in three spellings, and one with a date.
fn undated(date: Option<&str>) -> String {
    let mut tags = vec![
        ("Event", "Server"),
        ("White", "anna"),
        ("Black", "bert"),
        ("Result", "1-0"),
        ("UTCDate", "2015.03.05"),
    ];
    tags.extend(date.map(|date| ("Date", date)));
    let club = [
        ("Event", "Club"),
        ("Date", "2013.01.01"),
        ("White", "bert"),
        ("Black", "anna"),
        ("Result", "1-0"),
        ("UTCDate", "2019.01.01"),
    ];
    game(&tags, "1. e4 c5 1-0") + &game(&club, "1. c4 c5 1-0")
}

#[test]
fn every_command_takes_a_missing_date_from_the_tag_in_utc() {
    for date in [None, Some("????.??.??"), Some("?"), Some("????.03.??")] {
        let lab = Lab::empty();
        lab.write("games.pgn", undated(date));
        for target in ["games.si4", "games.si5"] {
            let ran = lab.run(["convert", "-q", "games.pgn", target]);
            assert_eq!(ran.code, 0, "{target} {}", ran.err);
        }
        for base in ["games.pgn", "games.si4", "games.si5"] {
            let count = |query: &str| {
                let ran = lab.run(["find", base, query, "--count"]);
                ran.out.trim().to_owned()
            };
            for (query, games) in [
                ("year:2015", "1"),
                ("date:2015.03", "1"),
                ("date:2015.03.05", "1"),
                ("year:2013..2015", "2"),
                ("year:..2014", "1"),
                ("year:2019", "0"),
                ("-year:2015", "1"),
                ("date:>2014", "1"),
            ] {
                assert_eq!(count(query), games, "{base} {date:?} {query}");
            }
            let out = |args: &[&str]| lab.run(args).expect(0).out;
            let listed = out(&["ls", base, "--sort", "-date", "--columns", "game,date,year"]);
            assert_eq!(
                listed, "1\t2015.03.05\t2015\n2\t2013.01.01\t2013\n",
                "{base}"
            );
            let by_year = out(&["stats", base, "--by", "year"]);
            assert!(
                by_year.contains("2015") && !by_year.contains("unknown"),
                "{by_year}"
            );
            assert!(out(&["info", base]).contains("2013–2015"), "{base}");
            assert!(out(&["show", base, "1"]).contains("2015.03.05"), "{base}");
            let tree = out(&["tree", base, "year:2015.."]);
            assert!(tree.contains("1 game"), "{tree}");
            let tree = lab.run(["tree", base, "--json"]).expect(0).json();
            let last = &tree["moves"][0]["lastYear"];
            assert!(last.is_null() || last.as_u64().unwrap() >= 2013, "{tree}");
            let folder = format!("{base}-parts");
            out(&[
                "split", base, "--by", "year", "-o", &folder, "-t", "pgn", "-q",
            ]);
            assert!(
                lab.path(&folder).join("2015.pgn").exists(),
                "{base} {:?}",
                lab.names()
            );
            let sorted = format!("sorted-{}", base.replace("games", "g"));
            out(&["sort", base, &sorted, "--by", "date", "-q"]);
            let first = out(&["ls", &sorted, "-n", "1", "--columns", "event"]);
            assert_eq!(first, "Club\n", "{base}");
        }
        // The tag itself is not changed.
        let copied = lab.run(["cat", "games.si4", "-n", "1"]).expect(0).out;
        assert!(copied.contains("[UTCDate \"2015.03.05\"]"), "{copied}");
        assert!(!copied.contains("[Date \"2015"), "{copied}");
    }
}

#[test]
fn an_index_knows_dates_in_utc() {
    let lab = Lab::empty();
    lab.write("games.pgn", undated(None).repeat(40));
    lab.run(["convert", "-q", "games.pgn", "games.si4"])
        .expect(0);
    for base in ["games.pgn", "games.si4"] {
        let count = || {
            let ran = lab.run(["find", base, "year:2015", "--count"]).expect(0);
            ran.out.trim().to_owned()
        };
        let tree = || lab.run(["tree", base, "year:2015"]).expect(0).out;
        let before = (count(), tree());
        lab.run(["index", base, "-q"]).expect(0);
        assert_eq!((count(), tree()), before, "{base}");
        assert_eq!(before.0, "40");
    }
}

#[test]
fn byes_have_a_column_and_no_line() {
    let lab = Lab::empty();
    let round = |round: &str, white: &str, black: &str, result: &str| {
        let tags = [
            ("Event", "Open"),
            ("Date", "2024.01.01"),
            ("Round", round),
            ("White", white),
            ("Black", black),
            ("Result", result),
        ];
        game(&tags, result)
    };
    let games = [
        round("1", "Ada", "Bo", "1-0"),
        round("1", "Cy", "?", "1-0"),
        round("2", "Cy", "Ada", "1/2-1/2"),
        round("2", "Spielfrei", "Bo", "0-1"),
        round("3", "Bo", "Cy", "1-0"),
        round("3", "Ada", "half-point bye", "1/2-1/2"),
    ];
    lab.write("games.pgn", games.concat());
    let out = |args: &[&str]| lab.run(args).expect(0).out;
    let grid = out(&["stats", "games.pgn", "--crosstable=grid"]);
    assert!(grid.contains("3 games, 3 byes"), "{grid}");
    assert!(
        !grid.to_lowercase().contains("spielfrei") && !grid.contains("half-point"),
        "{grid}"
    );
    let rounds = out(&["stats", "games.pgn", "--crosstable=rounds"]);
    for cell in [" -1 ", " -½ "] {
        assert!(rounds.contains(cell), "{cell}: {rounds}");
    }
    let json = lab.run(["stats", "games.pgn", "--crosstable", "--json"]);
    let json = json.expect(0).json();
    let event = &json["events"][0];
    assert_eq!(
        (event["games"].as_u64(), event["byes"].as_u64()),
        (Some(3), Some(3))
    );
    let players = event["players"].as_array().unwrap();
    let points: Vec<f64> = players
        .iter()
        .map(|it| it["points"].as_f64().unwrap())
        .collect();
    assert_eq!(points, [2.0, 2.0, 1.5]);
    let games = players
        .iter()
        .flat_map(|it| it["games"].as_array().unwrap());
    assert_eq!(games.filter(|game| game["opponent"].is_null()).count(), 3);
    let by_player = out(&["stats", "games.pgn", "--by", "player"]);
    assert!(!by_player.contains("Spielfrei"), "{by_player}");
    assert!(by_player.contains("3 games, 3 byes"), "{by_player}");
    assert!(!by_player.contains("(unknown)"), "{by_player}");
    let ada = out(&["stats", "games.pgn", "--player", "Ada"]);
    assert!(ada.contains("Ada, 2 games, 1 bye"), "{ada}");
    assert!(ada.contains("Opponents (2)"), "{ada}");
    let all = lab.run(["stats", "games.pgn", "--json"]).expect(0).json();
    let players = all["topPlayers"].as_array().unwrap();
    let games = players
        .iter()
        .map(|player| player["games"].as_u64().unwrap());
    assert_eq!((players.len(), games.sum::<u64>()), (3, 6));
}

#[test]
fn lists_sort_numbers_by_value_and_rounds_by_stage() {
    let lab = Lab::empty();
    let rows = [
        ("Cup 10", "Final"),
        ("Cup 9", "1/8"),
        ("Cup 2", "QF"),
        ("Cup 101", "10"),
    ];
    let games = rows.map(|(event, round)| {
        game(
            &[
                ("Event", event),
                ("Round", round),
                ("White", "A"),
                ("Black", "B"),
            ],
            "*",
        )
    });
    lab.write("games.pgn", games.concat());
    for (key, expected) in [
        ("event", "3 2 1 4"),
        ("-event", "4 1 2 3"),
        ("round", "4 2 3 1"),
    ] {
        let ran = lab
            .run(["ls", "games.pgn", "--sort", key, "--columns", "game"])
            .expect(0);
        let order: Vec<&str> = ran.out.split_whitespace().collect();
        assert_eq!(order.join(" "), expected, "{key}");
    }
}

#[test]
fn cyrillic_names_are_found_in_usual_spellings() {
    let lab = Lab::empty();
    let names = [
        "Гельфанд, Борис",
        "Ильин-Женевский",
        "Vasilyev, Jurij",
        "O'Kelly",
    ];
    let games = names.map(|name| game(&[("White", name), ("Black", "X")], "1. e4 *"));
    lab.write("games.pgn", games.concat());
    lab.run(["convert", "-q", "games.pgn", "games.si4"])
        .expect(0);
    for base in ["games.pgn", "games.si4"] {
        for (query, found) in [
            ("player:gelfand", "1"),
            ("player:gel'fand", "1"),
            ("player:Гельфанд", "1"),
            ("player:Gelfand,B", "1"),
            ("gelfand", "1"),
            ("player:ilyin", "2"),
            ("player:iljin", "2"),
            ("player:zhenevsky", "2"),
            ("player:Васильев", "3"),
            ("white:okelly", "4"),
            ("white:o'kelly", "4"),
            ("white:/o'kelly/", "4"),
            ("player:karpov", ""),
        ] {
            let ran = lab.run(["find", base, query, "--ids"]);
            assert_eq!(ran.out.trim(), found, "{base} {query}");
        }
    }
}

#[test]
fn an_opening_is_named_by_the_source_of_its_code() {
    let lab = Lab::empty();
    for (tags, expected) in [
        (&[][..], "A10 English Opening"),
        (&[("ECO", "A10")], "A10 English Opening"),
        (
            &[("ECO", "D92")],
            "D92 by the tag, A10 English Opening by the moves",
        ),
        (&[("ECO", "D92"), ("Opening", "Own name")], "D92 Own name"),
        (&[("Opening", "Own name")], "A10 English Opening"),
    ] {
        let all = [&[("White", "A"), ("Black", "B")], tags].concat();
        lab.write("games.pgn", game(&all, "1. c4 *"));
        let shown = lab.run(["show", "games.pgn", "1"]).expect(0).out;
        assert!(
            shown.lines().any(|line| line == expected),
            "{expected}: {shown}"
        );
    }
    lab.write("games.pgn", game(&[("ECO", "D92")], "1. c4 *"));
    let ran = lab
        .run(["eco", "games.pgn", "out.pgn", "--names"])
        .expect(0);
    assert!(
        ran.err.contains("1 game kept a code that differs"),
        "{}",
        ran.err
    );
    assert!(
        !lab.text("out.pgn").contains("[Opening"),
        "{}",
        lab.text("out.pgn")
    );
}

/// Commands that print names, and a name that sets the title of a terminal.
#[test]
fn no_text_for_people_has_control_characters() {
    let lab = Lab::empty();
    let evil = "Abel\u{1b}]0;title\u{7}\u{9b}31m";
    let tags = [
        ("Event", evil),
        ("Site", evil),
        ("Date", "2000.01.01"),
        ("Round", evil),
        ("White", evil),
        ("Black", "Bo"),
        ("Result", "1-0"),
        ("Annotator", evil),
        ("Opening", evil),
    ];
    let other = [
        ("Event", evil),
        ("White", evil),
        ("Black", "Cy"),
        ("Result", "0-1"),
    ];
    lab.write(
        "games.pgn",
        game(&tags, "1. e4 1-0") + &game(&other, "1. d4 0-1"),
    );
    for line in [
        "names games.pgn",
        "names games.pgn --of events",
        "names games.pgn --suggest",
        "ls games.pgn",
        "find games.pgn abel",
        "info games.pgn",
        "stats games.pgn",
        "stats games.pgn --by player",
        "stats games.pgn --by event",
        "stats games.pgn --by opening",
        "stats games.pgn --player abel",
        "stats games.pgn --crosstable",
        "stats games.pgn --crosstable=grid",
        "stats games.pgn --crosstable=pairs",
        "tree games.pgn",
        "show games.pgn 1",
        "check games.pgn",
        "novelty games.pgn -n 1",
        "prepare games.pgn abel",
        "dedupe games.pgn --dry-run",
        "split games.pgn --by player -o parts",
    ] {
        let ran = lab.run(line.split(' '));
        let text = format!("{}{}", ran.out, ran.err);
        let is_raw = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!text.contains(is_raw), "{line}: {text:?}");
    }
}

#[test]
fn messages_name_what_was_meant() {
    let lab = Lab::new();
    for (line, code, message) in [
        ("convert games.pgn tal.pgn Smith", 1, "no matching game"),
        (
            "convert games.pgn out.pgn --eco B90",
            2,
            "a term of a query has no dashes: eco:…",
        ),
        (
            "find Tal games.pgn",
            2,
            "the database comes first: games.pgn Tal",
        ),
        (
            "stats Tal games.pgn",
            3,
            "the database comes first: games.pgn Tal",
        ),
        ("tree Tal games.pgn", 3, "the database comes first"),
        (
            "cat 1 games.pgn",
            3,
            "the database comes first: games.pgn 1",
        ),
        (
            "show 1 games.pgn",
            2,
            "the database comes first: games.pgn 1",
        ),
        (
            "prepare Tal games.pgn",
            2,
            "the database comes first: games.pgn Tal",
        ),
        (
            "novelty Tal games.pgn",
            2,
            "the database comes first: games.pgn Tal",
        ),
        ("edit 2 games.pgn", 2, "chessdb edit games.pgn 2"),
        (
            "ls https://example.org/games.pgn",
            2,
            "does not load addresses",
        ),
        (
            "info https://example.org/games.pgn",
            2,
            "does not load addresses",
        ),
        (
            "convert https://example.org/a.pgn b.pgn",
            2,
            "does not load addresses",
        ),
        (
            "https://example.org/games.pgn",
            2,
            "does not load addresses",
        ),
        ("compare games.pgn games.si4", 2, "'diff'"),
        ("crosstable games.pgn", 2, "'stats --crosstable'"),
        ("rollback games.pgn", 2, "'undo'"),
        ("linares", 2, "no command, file or database 'linares'"),
        ("ls games.pgn -n 1to5", 2, "with a hyphen"),
        ("ls games.pgn player:Nobody", 1, "no matching game"),
    ] {
        let ran = lab.run(line.split(' '));
        assert_eq!(ran.code, code, "{line}: {}", ran.err);
        assert!(ran.err.contains(message), "{line}: {}", ran.err);
    }
    for line in [
        "ls games.pgn player:Nobody -q",
        "find games.pgn Nobody -q",
        "tree games.pgn -q",
        "stats games.pgn -q",
    ] {
        assert_eq!(lab.run(line.split(' ')).err, "", "{line}");
    }
}

#[test]
fn a_part_that_is_cut_names_its_game_and_the_cause() {
    let lab = Lab::empty();
    let players = [("White", "Ann"), ("Black", "Bo")];
    lab.write("games.pgn", game(&players, "1. e4 e5 2. Ke5 Nc6 *"));
    let ran = lab.run(["split", "games.pgn", "--by", "player", "-o", "parts"]);
    for part in ["Ann.pgn: incompletely written", "Ke5", "game 1"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

/// All differences of two games, and values of a database, in words.
#[test]
fn differences_are_shown_without_names_of_types() {
    let lab = Lab::empty();
    let full = [
        ("Event", "Open"),
        ("Date", "2015.03.05"),
        ("EventDate", "2015.03.01"),
        ("White", "Ann"),
        ("Black", "Bo"),
        ("Result", "1-0"),
        ("WhiteElo", "2500"),
        ("BlackUSCF", "2400"),
        ("WhiteTitle", "GM"),
        ("WhiteFideId", "123"),
        ("ECO", "B20"),
        ("Own", "x"),
    ];
    let plain = [
        ("Event", "Open"),
        ("White", "Ann"),
        ("Black", "Bo"),
        ("Result", "0-1"),
    ];
    let notes = "1. e4 $1 {[%clk 0:01:00] [%eval 0.5] good} c5 (1... e5) 1-0";
    lab.write("a.pgn", game(&full, notes));
    lab.write(
        "b.pgn",
        game(&plain, "1. e4 $2 {[%clk 0:02:00] bad} c5 0-1"),
    );
    for base in ["a.pgn", "b.pgn"] {
        lab.run(["convert", "-q", base, &base.replace("pgn", "si4")])
            .expect(0);
    }
    for (one, other) in [("a.pgn", "b.pgn"), ("b.pgn", "a.pgn"), ("a.si4", "b.si4")] {
        for option in ["--json", "-q"] {
            let ran = lab.run(["diff", one, other, option]).expect(1);
            let text = format!("{}{}", ran.out, ran.err);
            for debug in [
                "Some(",
                "None",
                "Date {",
                "Rating {",
                "GameFlags(",
                "Clock {",
                "Outcome",
            ] {
                assert!(!text.contains(debug), "{debug}: {text}");
            }
        }
    }
    let json = lab.run(["diff", "a.pgn", "b.pgn", "--json"]).expect(1).out;
    for words in ["2015.03.05", "2400 (USCF)", "none"] {
        assert!(json.contains(words), "{words}: {json}");
    }
}
