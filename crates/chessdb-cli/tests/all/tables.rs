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
