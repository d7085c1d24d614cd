//! Tests of the formats Arrow, CSV and NDJSON: their content and the reported losses.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::Int16Type;
use arrow_ipc::reader::{FileReader, StreamReader};
use chessdb_arrow::{ARROW, CSV, Columns, NDJSON, TARGETS};
use chessdb_core::options::Allow;
use chessdb_core::store::Origin;
use chessdb_core::{
    ErrorKind, FileSet, Format, Game, LossKind, Losses, MemorySet, ReadOptions, Result,
    WriteOptions,
};
use chessdb_testkit::identity;

const PGN: &str = "[Event \"a \\\"b\\\", c\"]\n[Site \"\"]\n[Date \"1985.11.09\"]\n[Round \"?\"]\n\
    [White \"Tal, Mihail\"]\n[Black \"Ünlü\"]\n[Result \"1-0\"]\n[WhiteElo \"2700\"]\n\
    [UTCDate \"2020.07.01\"]\n[UTCTime \"23:59:58\"]\n[Board \"7\"]\n\n\
    1. e4 {[%clk 0:05:00] best} e5 (1... c5) 1-0\n\n[White \"Two\"]\n\n1. d4 *\n";

fn games() -> Vec<Game> {
    let set = [(chessdb_pgn::PGN_FILE, PGN.as_bytes().to_vec())];
    identity::open_all(&chessdb_pgn::PGN, &set.into_iter().collect::<MemorySet>())
}

fn write(
    format: &Format,
    settings: &[(&'static str, &str)],
    allow: Allow,
) -> Result<(Vec<u8>, Losses)> {
    let mut options = WriteOptions::default().with_allowed(allow);
    for (name, value) in settings {
        options = options.with_setting(name, *value);
    }
    let mut files = MemorySet::new();
    let mut writer = format.create.unwrap()(&mut files, options)?;
    let mut losses = Losses::default();
    for (n, game) in (1..).zip(games()) {
        writer.note_origin(Origin::new(n).of_base(Some("games.pgn")));
        losses.merge(&writer.write(&game)?);
    }
    assert_eq!(writer.finish()?, 2);
    Ok((files.get(format.roles[0]).unwrap().to_vec(), losses))
}

fn text(format: &Format, settings: &[(&'static str, &str)]) -> String {
    let (bytes, _) = write(format, settings, Allow::Everything).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn csv_has_a_line_for_each_game() {
    let columns =
        "Event,Site,White,Black,WhiteElo,UTCDate,Round,Date,GameDate,UTCTimestamp,FEN,game";
    let csv = text(&CSV, &[("columns", columns)]);
    let lines: Vec<&str> = csv.lines().collect();
    // Columns are in the order of the schema. An empty text is quoted; a missing value is not.
    assert_eq!(
        lines,
        [
            "Event,Site,White,Black,WhiteElo,UTCDate,Round,Date,GameDate,UTCTimestamp,FEN,game",
            "\"a \"\"b\"\", c\",\"\",\"Tal, Mihail\",Ünlü,2700,2020-07-01,,1985.11.09,1985-11-09,\
             2020-07-01T23:59:58Z,,1",
            ",,Two,,,,,,,,,2",
        ]
    );
    let all = text(&CSV, &[]);
    let count = Columns::TEXT.iter().count();
    assert_eq!(all.lines().next().unwrap().split(',').count(), count);
    let moves = text(&CSV, &[("columns", "MOVETEXT")]);
    let first = moves.lines().nth(1).unwrap();
    assert!(
        first.starts_with("1. e4 ") && all.contains(first),
        "{first}"
    );
}

/// A name that is no column is the name of a tag; a tag that no game has is an error.
#[test]
fn any_tag_is_a_column_of_texts() {
    let settings = [("columns", "Board,White,movetext")];
    let csv = text(&CSV, &settings);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "White,movetext,Board");
    assert!(
        lines[1].ends_with(" 1-0,7") && lines[2].ends_with(" *,"),
        "{csv}"
    );
    let ndjson = text(&NDJSON, &[("columns", "Board")]);
    assert_eq!(ndjson, "{\"Board\":\"7\"}\n{\"Board\":null}\n");
    let (_, with) = write(&CSV, &settings, Allow::Everything).unwrap();
    let (_, without) = write(&CSV, &[("columns", "White,movetext")], Allow::Everything).unwrap();
    assert_eq!(with.count(LossKind::Tag) + 1, without.count(LossKind::Tag));
    for names in ["White,Bleck", "no name"] {
        let refused = write(&CSV, &[("columns", names)], Allow::Everything).unwrap_err();
        assert!(
            refused.to_string().contains("there is no column"),
            "{refused}"
        );
    }
}

#[test]
fn csv_without_games_has_its_first_line() {
    let mut files = MemorySet::new();
    let writer = CSV.create.unwrap()(&mut files, WriteOptions::default()).unwrap();
    assert_eq!(writer.finish().unwrap(), 0);
    let text = files.get(CSV.roles[0]).unwrap();
    assert!(text.starts_with(b"Event,Site,") && text.ends_with(b"error\n"));
}

#[test]
fn a_cell_holds_no_list() {
    for columns in ["moves", "all", "White,tags"] {
        let refused = write(&CSV, &[("columns", columns)], Allow::Everything).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("contains lists, which CSV cannot store"),
            "{refused}"
        );
    }
}

#[test]
fn ndjson_has_an_object_for_each_game() {
    let columns = [("columns", "Event,WhiteElo,UTCDate,FEN,moves,clocks,tags")];
    let ndjson = text(&NDJSON, &columns);
    let values: Vec<serde_json::Value> = ndjson
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let first = serde_json::json!({
        "Event": "a \"b\", c", "WhiteElo": 2700, "UTCDate": "2020-07-01", "FEN": null,
        "moves": [12 | 28 << 6, 52 | 36 << 6], "clocks": [300_000, null],
        "tags": [{"key": "UTCTime", "value": "23:59:58"}, {"key": "Board", "value": "7"}],
    });
    assert_eq!(values[0]["Event"], first["Event"]);
    for key in ["WhiteElo", "UTCDate", "FEN", "moves", "clocks"] {
        assert_eq!(values[0][key], first[key], "{key}");
    }
    let tags = values[0]["tags"].as_array().unwrap();
    let board = serde_json::json!({"key": "Board", "value": "7"});
    assert!(tags.contains(&board), "{tags:?}");
    assert_eq!(values[1]["clocks"], serde_json::Value::Null);
    assert_eq!(values.len(), 2);
}

/// Scores of engine matches are those of the side that has moved; the column is White's.
#[test]
fn comments_of_engine_matches_are_values() {
    let fen = "4k3/8/8/8/8/8/8/4K2R b K - 0 1";
    for (start, moves, evals) in [
        (
            None,
            "1. e4 {+0.35/22 1.5s} e5 {+0.20/20 0.5s} 2. Nf3 {book} *",
            [Some(35), Some(-20), None],
        ),
        (
            Some(fen),
            "1... Kd7 {-5.00/9 1.5s} 2. O-O {+5.00/9 0.5s} Kc7 *",
            [Some(500), Some(500), None],
        ),
        (
            None,
            "1. e4 {[%eval x] [%eval 0.3] [%emt 1.5]} e5 (1... c5 {+9.00/1 1s}) {-M4/20 0.5s} 2. Nf3 *",
            [Some(30), Some(32_766), None],
        ),
    ] {
        let start = start.map_or(String::new(), |fen| {
            format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")
        });
        let pgn = format!("{start}[Result \"*\"]\n\n{moves}\n");
        let set: MemorySet = [(chessdb_pgn::PGN_FILE, pgn.into_bytes())]
            .into_iter()
            .collect();
        let games = identity::open_all(&chessdb_pgn::PGN, &set);
        let options = WriteOptions::default()
            .with_allowed(Allow::Everything)
            .with_setting("columns", "elapsed,evals");
        let mut files = MemorySet::new();
        let mut writer = NDJSON.create.unwrap()(&mut files, options).unwrap();
        writer.write(&games[0]).unwrap();
        writer.finish().unwrap();
        let line = files.get(NDJSON.roles[0]).unwrap();
        let value: serde_json::Value = serde_json::from_slice(line).unwrap();
        assert_eq!(value["evals"], serde_json::json!(evals), "{moves}");
        assert_eq!(
            value["elapsed"],
            serde_json::json!([1500, 500, null]),
            "{moves}"
        );
    }
}

#[test]
fn arrow_files_and_streams_hold_the_same() {
    let (file, losses) = write(&ARROW, &[], Allow::Everything).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let (stream, _) = write(&ARROW, &[("stream", "yes")], Allow::Everything).unwrap();
    assert!(file.starts_with(b"ARROW1") && !stream.starts_with(b"ARROW1"));
    let batches: Vec<_> = FileReader::try_new(Cursor::new(file), None)
        .unwrap()
        .collect();
    let streamed: Vec<_> = StreamReader::try_new(Cursor::new(stream), None)
        .unwrap()
        .collect();
    assert_eq!((batches.len(), streamed.len()), (1, 1));
    let (batch, other) = (batches[0].as_ref().unwrap(), streamed[0].as_ref().unwrap());
    assert_eq!(batch, other);
    assert_eq!(batch.schema().as_ref(), &Columns::ALL.schema());
    let elo = batch.column_by_name("WhiteElo").unwrap();
    assert_eq!(elo.as_primitive::<Int16Type>().value(0), 2700);
}

#[test]
fn what_heads_do_not_hold_is_lost_with_a_count() {
    let headers = [("columns", "headers")];
    let (_, losses) = write(&CSV, &headers, Allow::Everything).unwrap();
    for kind in [
        LossKind::Moves,
        LossKind::Comment,
        LossKind::Variation,
        LossKind::Clock,
        LossKind::Tag,
    ] {
        assert!(losses.iter().any(|loss| loss.kind == kind), "{kind:?}");
    }
    for loss in losses.iter() {
        assert!(
            CSV.losses.contains(loss.kind),
            "{:?} is not announced",
            loss.kind
        );
    }
    assert!(write(&CSV, &[], Allow::Nothing).is_err());
    assert!(write(&ARROW, &[], Allow::Nothing).is_ok());
}

#[test]
fn none_is_read() {
    for format in TARGETS {
        let set: MemorySet = [(format.roles[0], b"x".to_vec())].into_iter().collect();
        let refused = (format.open)(&set, ReadOptions::default()).err().unwrap();
        assert!(matches!(refused.kind(), ErrorKind::Other(_)));
        assert!(
            refused.to_string().contains("can be written but not read"),
            "{refused}"
        );
    }
}
