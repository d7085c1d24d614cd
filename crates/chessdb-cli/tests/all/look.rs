//! Tests of `info`, `ls`, `cat`, `check`, `formats`, `completions`, `man`.

use std::collections::HashMap;

use chessdb_testkit::tree::Tree;
use chessdb_testkit::{expected, fixtures};

use crate::common::{BROKEN, GAMES, Lab};

#[test]
fn info_says_what_a_base_is() {
    let lab = Lab::new();
    let ran = lab.run(["info", "games.si4", "games.pgn"]).expect(0);
    for part in [
        "games.si4: SCID 4\n",
        "games.sg4",
        "games        3 of at most 16,777,214\n",
        "years        1959–1985\n",
        "1-0 1, 0-1 1, 1/2-1/2 1",
        "games.pgn: Portable Game Notation\n",
        "health       no problems in the headers",
    ] {
        assert!(ran.out.contains(part), "{part}\n{}", ran.out);
    }
    let json = lab
        .run(["info", "--json", "games", "-f", "si4"])
        .expect(0)
        .json();
    let base = &json["bases"][0];
    assert_eq!(
        (base["format"].as_str(), base["games"].as_u64()),
        (Some("si4"), Some(3))
    );
    assert_eq!(base["files"].as_array().unwrap().len(), 3);
    assert_eq!(
        (base["firstYear"].as_u64(), base["lastYear"].as_u64()),
        (Some(1959), Some(1985))
    );
}

/// The guessed encoding of each header text, including UTF-8 mixed with a code page.
#[test]
fn info_counts_texts_by_their_charset() {
    let lab = Lab::new();
    let path = fixtures::path("pgn/edge/texts-mixed.pgn");
    let path = path.to_str().unwrap();
    let line = "encoding     UTF-8 in 3 texts, windows-1252 in 7 texts, \
        UTF-8 beside windows-1252 in 3 texts of the headers, otherwise plain ASCII\n";
    let ran = lab.run(["info", path]).expect(0);
    assert!(ran.out.contains(line), "{}", ran.out);
    let json = lab.run(["info", "--json", path]).expect(0).json();
    let charsets = json["bases"][0]["charsets"].as_array().unwrap();
    let found: Vec<_> = charsets
        .iter()
        .map(|c| {
            (
                c["name"].as_str(),
                c["count"].as_u64(),
                c["besideUtf8"].as_bool(),
            )
        })
        .collect();
    let expected = [
        ("UTF-8", 3, false),
        ("windows-1252", 7, false),
        ("windows-1252", 3, true),
    ];
    assert_eq!(
        found,
        expected.map(|(name, n, beside)| (Some(name), Some(n), Some(beside)))
    );
}

#[test]
fn info_goes_on_after_an_input_that_fails() {
    let lab = Lab::new();
    let ran = lab.run(["info", "no.si4", "games.si4"]).expect(3);
    assert!(ran.out.starts_with("games.si4: SCID 4"));
    assert_eq!(ran.err, "chessdb: no.si4: no such file or database\n");
}

#[test]
fn ls_prints_one_line_per_game() {
    let lab = Lab::new();
    let expected = "1\t1959.09.07\tTal, Mihail\t2700\tSmyslov, Vasily\t\t1-0\tB10\tBled\tBled YUG\t1\n\
        2\t1959.09.08\tKeres, Paul\t\tTal, Mihail\t\t1/2-1/2\t\tBled\tBled YUG\t2\n\
        3\t1985.11.09\tKarpov, Anatoly\t\tKasparov, Garry\t\t0-1\t\tMoscow\tMoscow URS\t24\n";
    assert_eq!(lab.run(["ls", "games.si4"]).expect(0).out, expected);
    assert_eq!(lab.run(["ls", "games.pgn"]).expect(0).out, expected);
    assert_eq!(
        lab.run_with(GAMES.as_bytes(), &["ls", "-"]).expect(0).out,
        expected
    );
    let last = expected.lines().last().unwrap();
    assert_eq!(
        lab.run(["ls", "games.si4", "-n", "3-"])
            .expect(0)
            .out
            .trim_end(),
        last
    );
}

#[test]
fn ls_filters_by_player_year_and_result() {
    let lab = Lab::new();
    let numbers = |query: &[&str], code| -> String {
        let mut args = vec!["ls", "games.si4"];
        args.extend(query);
        let out = lab.run(args).expect(code).out;
        out.lines()
            .map(|line| line.split('\t').next().unwrap())
            .collect::<Vec<_>>()
            .join(",")
    };
    assert_eq!(numbers(&["player:tal"], 0), "1,2");
    assert_eq!(numbers(&["white:tal"], 0), "1");
    assert_eq!(numbers(&["black:KASPAROV", "event:mosc"], 0), "3");
    assert_eq!(numbers(&["year:1960.."], 0), "3");
    assert_eq!(numbers(&["result:1/2", "year:1959"], 0), "2");
    assert_eq!(numbers(&["player:tal", "year:1985"], 1), "");
    assert_eq!(numbers(&["player:tal", "-n", "2-3"], 0), "2");
    let ran = lab.run(["ls", "games.si4", "elo:x"]).expect(2);
    let pointed = "chessdb: query, \"x\": expected a number or a range such as 20..40\n\
                   elo:x\n    ^\n";
    assert_eq!(ran.err, pointed);
    let json = lab
        .run(["ls", "games.pgn", "player:keres", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["games"].as_array().unwrap().len(), 1);
    assert_eq!(json["games"][0]["game"], 2);
    assert_eq!(json["games"][0]["blackElo"], serde_json::Value::Null);
}

#[test]
fn a_listing_stays_one_line_per_game_whatever_the_names_hold() {
    let lab = Lab::empty();
    lab.write("odd.pgn", "[White \"A\tB\u{1b}[31m\"]\n\n1. e4 *\n");
    let out = lab.run(["ls", "odd.pgn"]).expect(0).out;
    assert_eq!(out.lines().count(), 1);
    assert!(
        out.contains("A B [31m") || out.contains("A B  [31m"),
        "{out:?}"
    );
    assert!(!out.contains('\u{1b}'));
}

#[test]
fn cat_prints_the_games_asked_for() {
    let lab = Lab::new();
    let ran = lab.run(["cat", "games.si4", "-n", "2"]).expect(0);
    assert!(ran.out.starts_with("[Event \"Bled\"]\n"), "{}", ran.out);
    assert!(
        ran.out
            .contains("{Über alles} 1. e4 e5 $1 {best} (1... c5 2. Nf3 (2. c3 d5))")
    );
    assert_eq!(ran.out.matches("[Event ").count(), 1);
    assert_eq!(ran.err, "");
    let all = lab.run(["cat", "games.si4"]).expect(0).out;
    assert_eq!(all.matches("[Event ").count(), 3);
    assert_eq!(
        lab.run_with(GAMES.as_bytes(), &["cat", "-", "-n", "2"])
            .expect(0)
            .out,
        ran.out
    );
    let none = lab.run(["cat", "games.si4", "-n", "4-"]).expect(1);
    assert_eq!(none.out, "");
    assert!(none.err.contains("no such game"), "{}", none.err);
    lab.run(["cat", "games.si4", "-n", "0"]).expect(2);
}

#[test]
fn cat_prints_games_as_json_trees() {
    let lab = Lab::new();
    let ran = lab.run(["cat", "games.si4", "--format", "json"]).expect(0);
    assert_eq!(
        lab.run(["cat", "games.si4", "--json"]).expect(0).out,
        ran.out
    );
    let json = ran.json();
    let game = &json["games"][1];
    assert_eq!(game["tags"]["White"], "Keres, Paul");
    assert_eq!(game["pre"], "Über alles");
    let line = serde_json::json!([
        "e2e4",
        [
            "e7e5",
            [1],
            "best",
            [["c7c5", ["g1f3", [], "", [["c2c3", "d7d5"]]]]]
        ],
        "g1f3"
    ]);
    assert_eq!(game["line"], line);
}

#[test]
fn json_trees_are_those_that_the_tests_of_the_formats_compare() {
    // Games with every feature except castling in Chess960: there JSON has the rook's square
    // (`values::castling_in_chess960_is_king_takes_rook`), the trees of the tests have the king's.
    let options = chessdb_testkit::strategy::GameOptions {
        chess960: false,
        ..chessdb_testkit::strategy::GameOptions::all()
    };
    let games = (0..300).map(|seed| chessdb_testkit::strategy::game(seed, &options));
    let games: Vec<_> = games.collect();
    assert!(games.iter().any(|game| game.moves.plies() > 50));
    for game in games {
        let (mut ours, mut other) = (
            expected::from_json(&crate::program_tree::to_json(&game)),
            Tree::from_game(&game),
        );
        // Repeated tags are a single member of a JSON object.
        let tags = |tree: &mut Tree| -> HashMap<_, _> { tree.tags.drain(..).collect() };
        assert_eq!(tags(&mut ours), tags(&mut other));
        assert_eq!(ours, other);
    }
}

#[test]
fn check_finds_what_is_wrong() {
    let lab = Lab::new();
    let ran = lab.run(["check", "games.si4", "games.pgn"]).expect(0);
    assert!(
        ran.out.contains("games.si4: 3 games, no damage"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("games.pgn: 3 games, no damage"),
        "{}",
        ran.out
    );

    lab.write("broken.pgn", BROKEN);
    let ran = lab.run(["check", "broken.pgn"]).expect(1);
    assert_eq!(
        ran.out
            .matches("broken.pgn: lost: pgn file, game 2, ")
            .count(),
        1,
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("3 games, 1 problem with data loss"),
        "{}",
        ran.out
    );
    let json = lab
        .run(["check", "--json", "broken.pgn", "games.si4"])
        .expect(1)
        .json();
    let finding = &json["bases"][0]["findings"][0];
    assert_eq!(
        (finding["game"].as_u64(), finding["severity"].as_str()),
        (Some(2), Some("lost"))
    );
    assert!(finding["offset"].as_u64().is_some());
    assert_eq!(json["bases"][1]["lost"], 0);

    // With one byte less of the games, the index does not match any more.
    let mut cut = lab.read("games.sg4");
    cut.pop();
    lab.write("games.sg4", cut);
    let ran = lab.run(["check", "games.si4"]).expect(1);
    assert!(ran.out.contains("game 3"), "{}", ran.out);
    lab.run(["check", "nothing.si4"]).expect(3);
}

#[test]
fn formats_lists_what_the_library_knows() {
    let lab = Lab::empty();
    let plain = lab.run(["formats"]).expect(0).out;
    let json = lab.run(["formats", "--json"]).expect(0).json();
    let listed = json["formats"].as_array().unwrap();
    let all = || chessdb::FORMATS.iter().chain(chessdb::formats::TARGETS);
    assert_eq!(listed.len(), all().count());
    for (format, listed) in all().zip(listed) {
        assert_eq!(listed["id"], format.id);
        assert!(plain.contains(format.name));
        assert_eq!(
            listed["losses"].as_array().unwrap().len(),
            format.losses.iter().count()
        );
    }
    let limits = lab.run(["formats", "--limits"]).expect(0).out;
    assert!(limits.contains("at most 16,777,214 games"), "{limits}");
}

#[test]
fn completions_and_manual_pages_are_made() {
    let lab = Lab::empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = lab.run(["completions", shell]).expect(0).out;
        assert!(
            script.contains("convert") && script.contains("loss-report"),
            "{shell}"
        );
    }
    lab.run(["completions", "dos"]).expect(2);
    let page = lab.run(["man"]).expect(0).out;
    assert!(page.contains(".TH") && page.contains("chessdb"), "{page}");
    let page = lab.run(["man", "convert"]).expect(0).out;
    assert!(
        page.contains("chessdb\\-convert") && page.contains("drop\\-deleted"),
        "{page}"
    );
    lab.run(["man", "nothing"]).expect(2);
    lab.run(["man", "--dir", "new/man"]).expect(0);
    let expected: Vec<String> = [
        "-book",
        "-cat",
        "-check",
        "-compact",
        "-completions",
        "-convert",
        "-dedupe",
        "-delete",
        "-diff",
        "-dump",
        "-eco",
        "-edit",
        "-find",
        "-flag",
        "-formats",
        "-index",
        "-info",
        "-ls",
        "-man",
        "-merge",
        "-names",
        "-novelty",
        "-prepare",
        "-query",
        "-repertoire",
        "-report",
        "-salvage",
        "-show",
        "-sort",
        "-split",
        "-stats",
        "-tag",
        "-tree",
        "-undelete",
        "-undo",
        "-view",
        "",
    ]
    .iter()
    .map(|name| format!("new/man/chessdb{name}.1"))
    .collect();
    assert_eq!(lab.names(), expected);
}
