//! Tests of `find`, `tree`, `stats`, and of queries in other commands.

use crate::common::Lab;

const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";

#[test]
fn matches_come_with_their_place() {
    let lab = Lab::new();
    for base in ["games.pgn", "games.si4"] {
        let found = lab
            .run(["find", base, "tal", &format!("fen:{E4}")])
            .expect(0)
            .out;
        let lines: Vec<Vec<&str>> = found
            .lines()
            .map(|line| line.split('\t').collect())
            .collect();
        assert_eq!(lines.len(), 2, "{found}");
        assert_eq!((lines[0][0], lines[0][12]), ("1", "1"));
        assert!(
            lines[0][13].starts_with("rnbqkbnr/pppppppp/8/8/4P3"),
            "{found}"
        );
        let count = |words: &[&str], code| {
            let words = ["find", base, "--count"]
                .into_iter()
                .chain(words.iter().copied());
            lab.run(words).expect(code).out.trim().to_owned()
        };
        assert_eq!(count(&["line:1.e4 e5"], 0), "1");
        assert_eq!(count(&["line:1.e4 c5 2.c3"], 1), "0");
        assert_eq!(count(&["line:1.e4 c5 2.c3", "--in-variations"], 0), "1");
        assert_eq!(count(&["-line:1.e4 e5"], 0), "2");
        assert_eq!(count(&["-(tal or kasparov)"], 1), "0");
        assert_eq!(count(&["tal", "or", "karpov", "-n", "2-"], 0), "2");
        assert_eq!(count(&["has:variations"], 0), "1");
        let ids = lab
            .run(["find", base, "nobody or black:/^kas/", "--ids"])
            .expect(0)
            .out;
        assert_eq!(ids, "3\n");
        let ids = lab.run(["find", base, "event:bled", "--ids"]).expect(0).out;
        assert_eq!(ids, "1\n2\n");
    }
    let json = lab
        .run(["find", "games.pgn", "line:e4 c6", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        (&json["games"][0]["game"], &json["games"][0]["ply"]),
        (&1.into(), &2.into())
    );
    assert!(
        json["games"][0]["fen"]
            .as_str()
            .unwrap()
            .ends_with("w KQkq - 0 2")
    );
    let json = lab
        .run(["find", "games.pgn", "tal", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["games"][0]["ply"], serde_json::Value::Null);
    let json = lab
        .run(["find", "games.pgn", "games.si4", "tal", "--json", "--count"])
        .expect(0)
        .json();
    assert_eq!(
        (&json["bases"][0]["count"], &json["bases"][1]["count"]),
        (&2.into(), &2.into())
    );
    let counts = lab
        .run(["find", "games.pgn", "games.si4", "tal", "--count"])
        .expect(0)
        .out;
    assert_eq!(counts, "games.pgn\t2\ngames.si4\t2\ntotal\t4\n");
    let pgn = lab
        .run(["find", "games.si4", "sub:Nd2", "--pgn"])
        .expect(0)
        .out;
    assert!(
        pgn.contains("[White \"Tal, Mihail\"]") && !pgn.contains("Keres"),
        "{pgn}"
    );
}

/// Queries as people type them first.
#[test]
fn first_guesses_are_understood() {
    let lab = Lab::new();
    let find = |words: &[&str], code| {
        let words = ["find", "games.pgn", "--ids"]
            .into_iter()
            .chain(words.iter().copied());
        let run = lab.run(words).expect(code);
        (
            run.out.split_whitespace().collect::<Vec<_>>().join(" "),
            run.err,
        )
    };
    let of_key = find(&[&format!("fen:{E4}")], 0).0;
    let mut words = E4.split(' ').collect::<Vec<_>>();
    assert_eq!(find(&words, 0).0, of_key);
    words.truncate(4);
    assert_eq!(find(&words, 0).0, of_key);
    assert_eq!(find(&[E4], 0).0, of_key);
    let joined = E4.replace(' ', "_");
    for address in [
        format!("https://lichess.org/analysis/{joined}"),
        format!("https://lichess.org/editor/{joined}?color=white"),
        format!(
            "https://www.chess.com/analysis?fen={}",
            E4.replace('/', "%2F").replace(' ', "+")
        ),
    ] {
        assert_eq!(find(&[&address], 0).0, of_key, "{address}");
    }
    let others = find(&["not", "tal"], 0).0;
    for words in [&["-Tal"][..], &["!tal"], &["NOT", "player:tal"]] {
        assert_eq!(find(words, 0).0, others, "{words:?}");
    }
    let (_, noted) = find(&["Tal,Keres"], 1);
    assert!(
        noted.contains("for either name write Tal or Keres"),
        "{noted}"
    );
    let (_, advice) = find(&["Karpow"], 1);
    assert!(advice.contains("did you mean \"Karpov"), "{advice}");
    let (_, advice) = find(&["karpov", "date:1800.01"], 1);
    assert!(advice.contains("without date:1800.01"), "{advice}");
    let (_, quoting) = find(&["elo"], 2);
    assert!(quoting.contains("'elo>2600'"), "{quoting}");
    lab.run(["convert", "-q", "games.pgn", "rest.pgn", "not", "white:tal"])
        .expect(0);
}

#[test]
fn every_command_takes_the_same_query() {
    let lab = Lab::new();
    let games = lab.run(["cat", "games.si4", "white:keres"]).expect(0).out;
    assert!(
        games.contains("Keres") && !games.contains("Kasparov"),
        "{games}"
    );
    let none = lab.run(["cat", "games.si4", "white:nobody"]).expect(1);
    assert_eq!(
        (none.out.as_str(), none.err.trim()),
        ("", "chessdb: games.si4: no matching game")
    );
    lab.run([
        "convert",
        "-q",
        "games.pgn",
        "some.si4",
        "year:1959",
        "-white:tal",
    ])
    .expect(0);
    let some = lab.run(["ls", "some.si4"]).expect(0).out;
    assert!(
        some.lines().count() == 1 && some.contains("Keres"),
        "{some}"
    );
    let refused = lab
        .run(["convert", "games.pgn", "none.si4", "year:1800"])
        .expect(1);
    assert!(refused.err.contains("no matching game") && !lab.path("none.si4").exists());
    for command in ["ls", "find", "cat", "tree", "stats"] {
        let bad = lab
            .run([command, "games.pgn", "tal", "material:KRXK"])
            .expect(2);
        let pointed = "\ntal material:KRXK\n               ^\n";
        assert!(bad.err.ends_with(pointed), "{command}: {}", bad.err);
    }
    lab.run(["find", "games.pgn"]).expect(2);
    let missing = lab
        .run(["find", "games.pgn", "missing.si4", "tal"])
        .expect(3);
    assert!(missing.err.contains("missing.si4"), "{}", missing.err);
    let json = lab
        .run(["find", "games.pgn", "elo:x", "--json"])
        .expect(2)
        .json();
    assert_eq!(
        json["error"]["message"],
        "query, \"x\": expected a number or a range such as 20..40"
    );
    let page = lab.run(["help", "query"]).expect(0).out;
    assert!(
        page.lines().count() <= 55 && page.contains("material:KRPKR"),
        "{page}"
    );
}

#[test]
fn the_tree_counts_moves() {
    let lab = Lab::new();
    let tree = lab.run(["tree", "games.si4", "event:bled"]).expect(0).out;
    let e4 = tree.lines().find(|line| line.starts_with("1.e4")).unwrap();
    let words: Vec<&str> = e4.split_whitespace().collect();
    assert_eq!(
        words,
        [
            "1.e4", "2", "100.0", "%", "75.0", "%", "50.0", "%", "2700", "1959", "4", "B00",
            "King's", "Pawn", "Game"
        ]
    );
    let deep = lab
        .run(["tree", "games.si4", "event:bled", "--depth", "2"])
        .expect(0)
        .out;
    assert!(
        deep.contains("\n  1...c6") && deep.contains("\n  1...e5"),
        "{deep}"
    );
    let json = lab
        .run([
            "tree",
            "games.pgn",
            "games.si4",
            "--line",
            "1.e4 e5",
            "--json",
        ])
        .expect(0)
        .json();
    assert_eq!(
        (&json["games"], &json["moves"][0]["san"]),
        (&2.into(), &"Nf3".into())
    );
    assert_eq!(
        (&json["moves"][0]["games"], &json["moves"][0]["uci"]),
        (&2.into(), &"g1f3".into())
    );
    assert_eq!((&json["draws"], &json["score"]), (&2.into(), &0.5.into()));
    let by_fen = lab
        .run(["tree", "games.pgn", "--fen", E4, "--json"])
        .expect(0)
        .json();
    assert_eq!(by_fen["moves"].as_array().unwrap().len(), 3);
    lab.run(["tree", "games.pgn", "--line", "1.h4"]).expect(1);
    let bad = lab
        .run(["tree", "games.pgn", "--line", "1.e4 Ke3"])
        .expect(2);
    assert!(bad.err.ends_with("1.e4 Ke3\n     ^^^\n"), "{}", bad.err);
    lab.run(["tree", "games.pgn", "--fen", "8/8"]).expect(2);
}

#[test]
fn statistics_are_drawn() {
    let lab = Lab::new();
    let ran = lab.run(["stats", "games.si4", "--svg", "a.svg", "--html", "a.html"]);
    assert_eq!(ran.expect(0).out, "");
    assert!(lab.text("a.svg").starts_with("<svg"));
    assert!(lab.text("a.html").contains("Karpov, Anatoly"));
    lab.run(["stats", "games.si4", "--svg", "no/where.svg"])
        .expect(4);
}

#[test]
fn statistics_add_up() {
    let lab = Lab::new();
    let json = lab
        .run(["stats", "games.pgn", "games.si4", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["games"], 6);
    let sum = |list: &str| -> u64 {
        let list = json[list].as_array().unwrap().iter();
        list.map(|one| one["games"].as_u64().unwrap()).sum()
    };
    assert_eq!((sum("results"), sum("years"), sum("lengths")), (6, 6, 6));
    let top = &json["topPlayers"][0];
    assert_eq!(
        (&top["name"], &top["games"], &top["points"]),
        (&"Tal, Mihail".into(), &4.into(), &3.0.into())
    );
    let notes = json["annotations"].as_array().unwrap();
    let of = |kind: &str| notes.iter().find(|one| one["kind"] == kind).unwrap();
    assert_eq!(
        (&of("variations")["games"], &of("variations")["count"]),
        (&2.into(), &4.into())
    );
    let text = lab.run(["stats", "games.si4", "player:tal"]).expect(0).out;
    assert!(
        text.starts_with("2 games\n") && text.contains("1950-1959"),
        "{text}"
    );
    lab.run(["stats", "games.si4", "player:nobody"]).expect(1);
}

#[test]
fn an_index_changes_no_answer_and_goes_when_the_base_is_replaced() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "games.cbf"])
        .expect(0);
    let asked = [
        vec![
            "find",
            "games.cbf",
            "fen:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w\"",
        ],
        vec!["tree", "games.cbf"],
        vec![
            "cat",
            "games.cbf",
            "material:KQRRBBNNPPPPPPPPKQRRBBNNPPPPPPPP",
            "-q",
        ],
        vec!["ls", "games.cbf", "line:1.e4 c6"],
    ];
    let ask = |words: &Vec<&str>| lab.run(words).expect(0);
    let before: Vec<_> = asked.iter().map(ask).collect();
    let said = lab.run(["index", "games.cbf", "games.pgn"]).expect(0).out;
    assert_eq!(said.lines().count(), 4, "{said}");
    assert!(
        said.starts_with("games.cbi.chessdb-index: 3 games, "),
        "{said}"
    );
    let json = lab.run(["index", "--json", "games.si4"]).expect(0).json();
    assert_eq!(json["bases"][0]["index"], "games.si4.chessdb-index");
    assert_eq!(json["bases"][0]["tree"], "games.si4.chessdb-tree");
    for (words, before) in asked.iter().zip(&before) {
        let after = ask(words);
        assert_eq!(
            (&after.out, &after.err),
            (&before.out, &before.err),
            "{words:?}"
        );
    }
    // The index is neither listed as a database nor reported as an unknown file.
    let listed = lab.run(["info", "."]).expect(0);
    assert!(
        !listed.out.contains(".chessdb-") && listed.err.is_empty(),
        "{listed:?}"
    );
    // A command that replaces the database removes its index.
    let compacted = lab.run(["compact", "games.cbf"]).expect(0);
    let said = compacted.out + &compacted.err;
    assert!(said.contains("removed games.cbi.chessdb-index"), "{said}");
    assert!(said.contains("`chessdb index`"), "{said}");
    let left = lab.names();
    assert!(
        !left.iter().any(|name| name.starts_with("games.cbi.")),
        "{left:?}"
    );
    for (words, before) in asked.iter().zip(&before).take(2) {
        let after = ask(words);
        assert_eq!(after.err, before.err);
        assert_eq!(after.out.lines().count(), before.out.lines().count());
    }
    let packed = lab.run_with(b"1. e4 *", &["index", "-"]).expect(3).err;
    assert!(packed.contains("stream"), "{packed}");
}
