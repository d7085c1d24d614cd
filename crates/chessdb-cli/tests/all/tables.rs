//! Tests of tables for other programs, which can only be written.
#![cfg(feature = "tables")]

use crate::common::Lab;

#[test]
fn heads_become_lines() {
    let lab = Lab::new();
    let headers = ["convert", "games.si4", "games.csv", "--columns", "headers"];
    let done = lab.run(headers).expect(0);
    assert!(
        done.err.contains("move"),
        "the moves are lost: {}",
        done.err
    );
    let csv = lab.text("games.csv");
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let white = names.iter().position(|name| *name == "WhiteElo").unwrap();
    assert_eq!(names[..5], ["Event", "Site", "White", "Black", "Result"]);
    assert_eq!(csv.lines().count(), 4);
    assert!(
        csv.contains("\nBled,Bled YUG,\"Tal, Mihail\",\"Smyslov, Vasily\",1-0,"),
        "{csv}"
    );
    assert!(white > 4);
    let some = [
        "convert",
        "-q",
        "games.si4",
        "-t",
        "ndjson",
        "-",
        "--columns",
        "Black,Year,moves",
    ];
    let ndjson = lab.run(some).expect(0).out;
    assert_eq!(
        ndjson.lines().next(),
        Some(r#"{"Black":"Smyslov, Vasily","Year":1959,"moves":[1804,2738,1227,2291,705]}"#)
    );
    // A filter, and several databases.
    let args = [
        "convert",
        "-q",
        "games.si4",
        "games.pgn",
        "tal.csv",
        "white:tal",
    ];
    lab.run(args).expect(0);
    assert_eq!(lab.text("tal.csv").lines().count(), 3);
    lab.run(["convert", "-q", "games.si4", "x.csv", "--columns", "moves"])
        .expect(4);
    let headers = ["--columns", "headers"];
    lab.run(
        [
            &["convert", "-q", "--strict", "games.si4", "x.csv"],
            &headers[..],
        ]
        .concat(),
    )
    .expect(1);
    assert!(!lab.path("x.csv").exists());
}

#[test]
fn arrow_goes_into_files_and_pipes() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "--strict", "games.pgn", "games.arrow"])
        .expect(0);
    let file = std::fs::read(lab.path("games.arrow")).unwrap();
    assert!(file.starts_with(b"ARROW1") && file.ends_with(b"ARROW1"));
    // Tables are written to a pipe batch by batch; /dev/stdout is a pipe here.
    let args = ["convert", "-q", "games.pgn", "-t", "arrow", "-"];
    let piped = lab.command().args(args).output().unwrap().stdout;
    assert!(
        piped.starts_with(&[0xFF; 4]) && piped.ends_with(&[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    );
}

#[test]
fn text_tables_are_read_back_and_others_are_refused_with_a_hint() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.si4", "games.pgn", "--force"])
        .expect(0);
    for table in ["games.csv", "games.ndjson"] {
        lab.run(["convert", "-q", "games.si4", table]).expect(0);
        lab.run(["convert", "-q", table, "back.pgn", "--force"])
            .expect(0);
        // A table without the column `tags` has the typed tags only.
        let moves = |file: &str| {
            let text = lab.text(file);
            text.lines()
                .filter(|line| !line.starts_with('['))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(moves("back.pgn"), moves("games.pgn"), "{table}");
        std::fs::remove_file(lab.path(table)).unwrap();
        let headers = [
            "convert",
            "-q",
            "games.si4",
            table,
            "--columns",
            "White,Black,Result",
        ];
        lab.run(headers).expect(0);
        let refused = lab.run(["convert", table, "x.pgn"]);
        assert!(refused.err.contains("movetext"), "{}", refused.err);
        assert!(refused.code > 0);
    }
    lab.run(["convert", "-q", "games.si4", "games.arrow"])
        .expect(0);
    let refused = lab.run(["ls", "games.arrow"]);
    assert!(
        refused.err.contains("Arrow can be written but not read"),
        "{}",
        refused.err
    );
    let formats = lab.run(["formats"]).expect(0).out;
    let csv = formats
        .lines()
        .find(|line| line.starts_with("csv "))
        .unwrap();
    assert!(csv.contains("read, write"), "{csv}");
    let json = lab.run(["formats", "arrow", "--json"]).expect(0).out;
    assert!(
        json.contains("\"reads\": false") || json.contains("\"reads\":false"),
        "{json}"
    );
}

#[test]
#[cfg(feature = "parquet")]
fn all_positions_become_a_table() {
    let lab = Lab::new();
    let args = [
        "index",
        "games.si4",
        "games.pgn",
        "--parquet",
        "positions.parquet",
    ];
    let done = lab.run(args).expect(0);
    assert!(done.out.starts_with("positions.parquet: "), "{}", done.out);
    let table = std::fs::read(lab.path("positions.parquet")).unwrap();
    assert!(table.starts_with(b"PAR1") && table.ends_with(b"PAR1"));
    // The file already exists.
    lab.run(args).expect(4);
    let forced = args.into_iter().chain(["--force", "--json", "-j", "1"]);
    let done = lab.run(forced).expect(0);
    assert!(done.out.contains("\"positions\":"), "{}", done.out);
    assert_eq!(std::fs::read(lab.path("positions.parquet")).unwrap(), table);
    // The table contains the readable part of a truncated game, and that is reported.
    std::fs::write(lab.path("cut.pgn"), "1. e4 e5 2. Nd7 Nc6 1-0\n").unwrap();
    let cut = ["index", "cut.pgn", "--parquet", "cut.parquet"];
    let done = lab.run(cut).expect(1);
    assert!(
        done.err.contains("1 game not completely readable"),
        "{}",
        done.err
    );
    assert!(lab.path("cut.parquet").exists());
    // Unreadable inputs are skipped.
    let args = [
        "index",
        "none.pgn",
        "games.pgn",
        "--parquet",
        "some.parquet",
    ];
    let done = lab.run(args).expect(3);
    assert!(done.err.contains("none.pgn"), "{}", done.err);
    assert!(lab.path("some.parquet").exists());
}

/// The library that reads tables panics at some of them, which must not be reported as an internal
/// error.
#[test]
#[cfg(feature = "parquet")]
fn a_panic_at_a_damaged_table_is_told_as_damage() {
    const SAID: &str = "numbers in a table that contradict each other";
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.si4", "whole.parquet"])
        .expect(0);
    let whole = lab.read("whole.parquet");
    let panics = |table: &Vec<u8>| {
        let db = chessdb::Database::options().open_files([("damaged.parquet", table.as_slice())]);
        let first = db.and_then(|db| db.game(0));
        first.is_err_and(|error| error.to_string().contains(SAID))
    };
    // The metadata of pages and columns are in the second half.
    let damaged = (whole.len() / 2..whole.len()).map(|at| {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        damaged
    });
    let damaged = damaged.into_iter().find(panics);
    lab.write(
        "damaged.parquet",
        damaged.expect("one at which the library panics"),
    );
    let done = lab.run(["check", "damaged.parquet"]).expect(1);
    assert!(done.out.contains(SAID), "{}", done.out);
    assert!(
        !done.err.contains("bug") && !done.err.contains("internal error"),
        "{}",
        done.err
    );
}

/// Returns the value of a column in a row of a table without quotes.
fn cell<'t>(table: &'t str, row: usize, column: &str) -> &'t str {
    let titles = table.lines().next().unwrap().split(',');
    let index = titles.clone().position(|title| title == column);
    let index = index.unwrap_or_else(|| panic!("{column} of {:?}", titles.collect::<Vec<_>>()));
    table
        .lines()
        .nth(row + 1)
        .unwrap()
        .split(',')
        .nth(index)
        .unwrap()
}

#[test]
fn a_tree_is_a_table_with_a_row_for_each_move() {
    let lab = Lab::new();
    let json = lab
        .run(["tree", "games.si4", "--depth", "2", "--json"])
        .expect(0)
        .json();
    let csv = lab
        .run(["tree", "games.si4", "--depth", "2", "--csv"])
        .expect(0)
        .out;
    // 1.e4 and its three answers.
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert_eq!(cell(&csv, 0, "line"), "1.e4");
    assert_eq!(cell(&csv, 0, "games"), "3");
    let answers: Vec<&str> = (1..4).map(|row| cell(&csv, row, "line")).collect();
    let moves = json["moves"][0]["moves"].as_array().unwrap();
    let expected: Vec<String> = moves
        .iter()
        .map(|answer| format!("1.e4 {}", answer["san"].as_str().unwrap()))
        .collect();
    assert_eq!(answers, expected);
    for (row, answer) in moves.iter().enumerate() {
        for name in [
            "uci", "white", "draws", "black", "score", "lastYear", "longest",
        ] {
            assert_eq!(
                cell(&csv, row + 1, name),
                answer[name].to_string().trim_matches('"')
            );
        }
    }
    // A position with Black to move, and moves of a book without games.
    lab.write("book.pgn", "1. e4 e5 1-0\n\n1. e4 g6 1-0\n");
    lab.run(["book", "make", "book.pgn", "some.bin", "--uniform"])
        .expect(0);
    let args = [
        "tree",
        "games.si4",
        "--line",
        "1.e4",
        "--book",
        "some.bin",
        "--csv",
    ];
    let csv = lab.run(args).expect(0).out;
    let rows: Vec<(&str, &str, &str)> = (0..4)
        .map(|row| {
            (
                cell(&csv, row, "line"),
                cell(&csv, row, "games"),
                cell(&csv, row, "book"),
            )
        })
        .collect();
    for row in [
        ("1...e5", "1", "0.5"),
        ("1...c6", "1", ""),
        ("1...g6", "0", "0.5"),
    ] {
        assert!(rows.contains(&row), "{row:?} of {rows:?}");
    }
    lab.run(["tree", "games.si4", "--csv", "--json"]).expect(2);
}

#[test]
fn novelties_are_a_table_with_a_row_for_each_game() {
    let lab = Lab::new();
    let args = ["novelty", "games.si4", "-n", "1-3"];
    let json = lab.run(args.iter().chain(&["--json"])).expect(0).json();
    let csv = lab
        .run(args.iter().chain(&["--csv", "--top", "1"]))
        .expect(0)
        .out;
    let titles = "base,game,date,white,whiteElo,black,blackElo,result,event,commonPlies,plies,line,fen,\
                  moveNumber,novelty,otherGames";
    assert_eq!(csv.lines().next(), Some(titles));
    for (row, game) in json["games"].as_array().unwrap().iter().enumerate() {
        let line = csv.lines().nth(row + 1).unwrap();
        let end: Vec<&str> = line.rsplitn(3, ',').collect();
        assert_eq!(end[0], game["games"].to_string());
        assert_eq!(end[1], game["novelty"].as_str().unwrap_or_default());
        let start = format!("games.si4,{},", game["game"]["game"]);
        assert!(line.starts_with(&start), "{line}");
    }
}
