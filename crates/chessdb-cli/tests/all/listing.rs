//! Tests of `--csv`, `--sample`, of orders by any value, and of positions after half-moves.

use std::collections::BTreeSet;

use crate::common::Lab;

/// Reads CSV as RFC 4180 defines it.
fn rows(csv: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for line in csv.lines() {
        let (mut row, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '"' if is_quoted && chars.peek() == Some(&'"') => {
                    chars.next();
                    field.push('"');
                }
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => row.push(std::mem::take(&mut field)),
                c => field.push(c),
            }
        }
        row.push(field);
        rows.push(row);
    }
    rows
}

fn column(table: &[Vec<String>], title: &str) -> Vec<String> {
    let index = table[0].iter().position(|other| other == title);
    let index = index.unwrap_or_else(|| panic!("{title}: {:?}", table[0]));
    table[1..].iter().map(|row| row[index].clone()).collect()
}

#[test]
fn lists_are_printed_as_csv() {
    let lab = Lab::new();
    let odd = "[White \"A, \\\"B\\\"\"]\n[Black \"C\u{1b}D\"]\n[Board \"7\"]\n\n1. e4 *\n";
    lab.write("odd.pgn", odd);
    let csv = |words: &[&str]| rows(&lab.run(words).expect(0).out);
    let table = csv(&["ls", "games.si4", "--csv"]);
    assert_eq!(table[0][..4], ["game", "date", "white", "whiteElo"]);
    assert_eq!(column(&table, "whiteElo"), ["2700", "", ""]);
    assert_eq!(
        column(&table, "white"),
        ["Tal, Mihail", "Keres, Paul", "Karpov, Anatoly"]
    );
    assert!(table.iter().all(|row| row.len() == table[0].len()));
    let table = csv(&[
        "ls",
        "odd.pgn",
        "--csv",
        "--columns",
        "white,black,tag:Board",
    ]);
    assert_eq!(table[1], ["A, \"B\"", "C D", "7"]);
    let refused = lab.run(["ls", "odd.pgn", "--columns", "Board"]).expect(2);
    assert!(
        refused.err.contains("a tag is tag:Board"),
        "{}",
        refused.err
    );
    let table = csv(&["ls", "games.pgn", "odd.pgn", "--csv", "--sort", "-date"]);
    let bases = ["games.pgn", "games.pgn", "games.pgn", "odd.pgn"];
    assert_eq!(column(&table, "base"), bases);
    assert_eq!(column(&table, "game"), ["3", "2", "1", "1"]);
    let table = csv(&["find", "games.si4", "line:1.e4 c5", "--csv"]);
    assert_eq!(
        (column(&table, "ply"), column(&table, "game")),
        (vec!["2".to_owned()], vec!["3".to_owned()])
    );
    let table = csv(&["names", "games.si4", "--csv"]);
    assert_eq!(table[0], ["name", "games", "firstYear", "lastYear"]);
    assert_eq!(table[1], ["Tal, Mihail", "2", "1959", "1959"]);
    lab.run(["ls", "games.si4", "--csv", "white:Nobody"])
        .expect(1);
    lab.run(["ls", "games.si4", "--csv", "--json"]).expect(2);
}

/// Every statistic has the same values as its JSON.
#[test]
fn statistics_are_printed_as_csv() {
    let lab = Lab::new();
    for (words, title, expected) in [
        ("--by player", "games", vec!["2", "1", "1", "1", "1"]),
        ("--by year", "value", vec!["1959", "1985"]),
        ("--by player --top 1", "asBlack.games", vec!["1"]),
        ("--player Tal", "table", vec!["names", "total"]),
        ("", "table", vec!["results"]),
        (
            "event:Bled --crosstable",
            "name",
            vec!["Tal, Mihail", "Keres, Paul", "Smyslov, Vasily"],
        ),
        (
            "event:Bled --crosstable",
            "points",
            vec!["1.5", "0.5", "0.0"],
        ),
        (
            "event:Bled --crosstable",
            "tieBreaks.wins",
            vec!["1.0", "0.0", "0.0"],
        ),
        ("event:Bled --crosstable", "round2", vec!["2b=", "1w=", ""]),
    ] {
        let args = ["stats", "games.si4", "--csv"]
            .into_iter()
            .chain(words.split_whitespace());
        let table = rows(&lab.run(args).expect(0).out);
        let values = column(&table, title);
        assert_eq!(values[..expected.len()], expected, "{words}: {table:?}");
    }
    let clocks = "[White \"A\"]\n[Black \"B\"]\n[TimeControl \"60\"]\n\n\
                  1. e4 {[%clk 0:00:50]} e5 {[%clk 0:00:55]} *\n";
    lab.write("clocks.pgn", clocks);
    let table = rows(
        &lab.run(["stats", "clocks.pgn", "--clocks", "--csv"])
            .expect(0)
            .out,
    );
    assert_eq!(column(&table, "value")[..3], ["white", "black", "both"]);
    assert_eq!(column(&table, "secondsPerMove")[..2], ["10.0", "5.0"]);
    lab.run(["stats", "games.si4", "--csv", "--svg", "x.svg"])
        .expect(2);
}

fn many(count: u32) -> String {
    let game = |n: u32| {
        format!(
            "[White \"P{n}\"]\n[WhiteElo \"{}\"]\n\n1. e4 *\n\n",
            2000 + n % 37
        )
    };
    (1..=count).map(game).collect()
}

#[test]
fn samples_are_reproducible() {
    let lab = Lab::empty();
    lab.write("a.pgn", many(300));
    lab.write("b.pgn", many(200));
    lab.run(["convert", "-q", "a.pgn", "a.si4"]).expect(0);
    lab.run(["convert", "-q", "a.pgn", "a.pgn.gz"]).expect(0);
    let run = |words: &str| lab.run(words.split(' ')).expect(0).out;
    let sample = run("ls a.pgn --sample 9 --seed 1 --columns game");
    // These games are part of the promise: the same on every machine.
    assert_eq!(
        sample.split_whitespace().collect::<Vec<_>>().join(","),
        EXPECTED
    );
    for words in [
        "ls a.si4 --sample 9 --seed 1 --columns game -j 1",
        "ls a.si4 --sample 9 --seed 1 --columns game -j 3",
        "ls a.pgn.gz --sample 9 --seed 1 --columns game",
        "find a.si4 white:P --sample 9 --seed 1 --ids",
    ] {
        assert_eq!(run(words), sample, "{words}");
    }
    run("convert -q a.si4 out.pgn --sample 9 --seed 1");
    let games: String = sample.lines().map(|n| format!("P{n}\n")).collect();
    assert_eq!(run("ls out.pgn --columns white"), games);
    assert_eq!(run("cat a.si4 --sample 9 --seed 1"), lab.text("out.pgn"));
    // Sorting and limiting come after the choice.
    let sorted = run("ls a.pgn --sample 9 --seed 1 --columns game --sort -white");
    let set = |list: &str| list.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(set(&sorted), set(&sample));
    assert_eq!(
        run("ls a.pgn --sample 9 --seed 1 --columns game -m 2"),
        sample[..sample.match_indices('\n').nth(1).unwrap().0 + 1]
    );
    assert_eq!(
        run("ls a.pgn b.pgn --sample 400 --seed 7").lines().count(),
        400
    );
    assert_eq!(
        run("ls a.pgn --sample 5000 --columns game").lines().count(),
        300
    );
    // Without a seed, one is chosen and printed.
    let ran = lab
        .run(["ls", "a.pgn", "--sample", "5", "--columns", "game"])
        .expect(0);
    let seed = ran.err.trim().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(
        run(&format!("ls a.pgn --sample 5 --columns game --seed {seed}")),
        ran.out
    );
    lab.run(["ls", "a.pgn", "--seed", "5"]).expect(2);
}

/// Computed by a program in Python.
const EXPECTED: &str = "29,30,50,120,191,193,195,228,251";

#[test]
fn games_are_sorted_by_any_value() {
    let lab = Lab::empty();
    let game = |white: u32, black: u32, tags: &str| {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n{tags}\n1. e4 *\n\n"
        )
    };
    let games = [
        game(2500, 2700, "[Board \"10\"]\n[TimeControl \"5400+30\"]\n"),
        game(2600, 2300, "[Board \"2\"]\n[TimeControl \"60\"]\n"),
        game(2400, 2400, "[TimeControl \"180+2\"]\n"),
    ];
    lab.write("a.pgn", games.concat());
    for format in ["pgn", "si4", "si5", "cbh"] {
        let base = format!("base.{format}");
        lab.run(["convert", "-q", "a.pgn", &base]).expect(0);
        for (order, expected) in [
            ("elodiff", "1 3 2"),
            ("-elodiff", "2 3 1"),
            ("-whiteelo", "2 1 3"),
            ("blackelo", "2 3 1"),
            ("tag:Board", "2 1 3"),
            ("timeclass", "2 3 1"),
        ] {
            if format == "cbh" && order.contains("t") && !order.contains("elo") {
                // The format has no tags.
                continue;
            }
            let list = lab
                .run(["ls", &base, "--sort", order, "--columns", "game"])
                .expect(0)
                .out;
            let list: Vec<&str> = list.split_whitespace().collect();
            assert_eq!(list.join(" "), expected, "{format} {order}");
        }
    }
}

#[test]
fn positions_after_half_moves_are_counted() {
    let lab = Lab::empty();
    let lines = [
        "1. e4 e5 2. Nf3",
        "1. Nf3 e5 2. e4",
        "1. e4 c5 2. Nf3",
        "1. e4",
    ];
    let games = lines.map(|line| format!("[Result \"1-0\"]\n\n{line} 1-0\n\n"));
    lab.write("a.pgn", games.concat());
    let table = |words: &str| rows(&lab.run(words.split(' ')).expect(0).out);
    let three = table("stats a.pgn --by position:3 --csv");
    assert_eq!(
        column(&three, "value"),
        [
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -",
            "",
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -",
        ]
    );
    assert_eq!(column(&three, "games"), ["2", "1", "1"]);
    assert_eq!(column(&three, "white"), ["2", "1", "1"]);
    let none = table("stats a.pgn --by position:0 --csv");
    assert_eq!(column(&none, "games"), ["4"]);
    lab.run(["stats", "a.pgn", "--by", "position"]).expect(2);
    lab.run(["stats", "a.pgn", "--by", "position:x"]).expect(2);
}
