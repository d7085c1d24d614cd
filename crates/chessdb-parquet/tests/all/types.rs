//! Columns of games in other types than those of the schema.

use std::sync::Arc;

use chessdb_core::{Game, GameStore, ReadOptions, Scratch};
use chessdb_parquet::Store;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// A value of a Parquet column.
#[derive(Clone, Debug)]
enum Value {
    Bool(bool),
    Int32(i32),
    Int64(i64),
    Int96([u32; 3]),
    Float(f32),
    Double(f64),
    Bytes(&'static [u8]),
    Fixed(&'static [u8]),
}

/// Returns a table with one row. Each column has a type, a name with its meaning, and a value; a
/// value of `None` is null.
fn table(columns: &[(&str, &str, Option<Value>)]) -> Vec<u8> {
    let fields = columns.iter().map(|(kind, name, _)| match *kind {
        "group" => format!("optional {kind} {name} "),
        _ => format!("optional {kind} {name};"),
    });
    let schema = format!("message table {{ {} }}", fields.collect::<String>());
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut file = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (.., value) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        let defined = [value.is_some().into()];
        macro_rules! write {
            ($of:ty, $values:expr) => {
                column
                    .typed::<$of>()
                    .write_batch($values, Some(&defined), None)
            };
        }
        match value.clone() {
            Some(Value::Bool(value)) => write!(BoolType, &[value]),
            Some(Value::Int32(value)) => write!(Int32Type, &[value]),
            Some(Value::Int64(value)) => write!(Int64Type, &[value]),
            Some(Value::Int96([a, b, c])) => {
                let mut value = Int96::new();
                value.set_data(a, b, c);
                write!(Int96Type, &[value])
            }
            Some(Value::Float(value)) => write!(FloatType, &[value]),
            Some(Value::Double(value)) => write!(DoubleType, &[value]),
            Some(Value::Bytes(value)) => write!(ByteArrayType, &[ByteArray::from(value.to_vec())]),
            Some(Value::Fixed(value)) => {
                let value = FixedLenByteArray::from(ByteArray::from(value.to_vec()));
                write!(FixedLenByteArrayType, &[value])
            }
            None => write!(ByteArrayType, &[]),
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    file
}

/// Returns the game of a table as PGN, and all that is reported of it.
fn read(file: &[u8], headers_only: bool) -> (String, Vec<String>) {
    let store = Store::open(file, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    if headers_only {
        store.header_into(0, &mut game, &mut scratch).unwrap();
    } else {
        store.game_into(0, &mut game, &mut scratch).unwrap();
    }
    let mut pgn = Vec::new();
    chessdb_pgn::GameText::new(chessdb_pgn::Layout::default()).append(&game, &mut pgn);
    let reported = store.diagnostics().iter().chain(&scratch.diagnostics);
    let reported = reported.map(ToString::to_string).collect();
    (String::from_utf8(pgn).unwrap(), reported)
}

#[test]
fn columns_of_any_flat_type_become_tags() {
    use Value::*;
    let movetext = ("binary", "movetext (UTF8)", Some(Bytes(b"1. e4 *")));
    for (kind, name, value, expected) in [
        ("double", "WhiteElo", Double(2690.0), "[WhiteElo \"2690\"]"),
        ("float", "WhiteElo", Float(2690.0), "[WhiteElo \"2690\"]"),
        ("int64", "BlackElo", Int64(2690), "[BlackElo \"2690\"]"),
        (
            "binary",
            "BlackElo (UTF8)",
            Bytes(b"2690"),
            "[BlackElo \"2690\"]",
        ),
        (
            "int32",
            "BlackElo (UINT_16)",
            Int32(2690),
            "[BlackElo \"2690\"]",
        ),
        (
            "int32",
            "WhiteElo (DECIMAL(9,2))",
            Int32(269_000),
            "[WhiteElo \"2690\"]",
        ),
        (
            "int64",
            "WhiteElo (DECIMAL(18,2))",
            Int64(269_000),
            "[WhiteElo \"2690\"]",
        ),
        (
            "binary",
            "WhiteElo (DECIMAL(9,0))",
            Bytes(&[0x0A, 0x82]),
            "[WhiteElo \"2690\"]",
        ),
        (
            "fixed_len_byte_array(2)",
            "Round (DECIMAL(4,1))",
            Fixed(&[0, 35]),
            "[Round \"3.5\"]",
        ),
        ("int32", "Round", Int32(7), "[Round \"7\"]"),
        ("double", "Round", Double(7.1), "[Round \"7.1\"]"),
        (
            "boolean",
            "Termination",
            Bool(true),
            "[Termination \"true\"]",
        ),
        ("int32", "TimeControl", Int32(600), "[TimeControl \"600\"]"),
        (
            "int32",
            "Date (DATE)",
            Int32(18_444),
            "[Date \"2020.07.01\"]",
        ),
        (
            "int64",
            "Date (TIMESTAMP(MILLIS,true))",
            Int64(18_444 * 86_400_000),
            "2020.07.01\"]",
        ),
        (
            "int32",
            "EventDate (DATE)",
            Int32(18_444),
            "[EventDate \"2020.07.01\"]",
        ),
        (
            "int96",
            "EventDate",
            Int96([0, 0, 2_440_588 + 18_444]),
            "[EventDate \"2020.07.01\"]",
        ),
        (
            "int32",
            "GameDate (DATE)",
            Int32(18_444),
            "[Date \"2020.07.01\"]",
        ),
        ("int32", "Year", Int32(1985), "[Date \"1985.??.??\"]"),
        ("int32", "Date", Int32(20_200_701), "[Date \"2020.07.01\"]"),
        (
            "binary",
            "UTCDate (UTF8)",
            Bytes(b"2020-07-01"),
            "[UTCDate \"2020.07.01\"]",
        ),
        (
            "int64",
            "UTCDate (TIMESTAMP(MICROS,true))",
            Int64(61_000_000),
            "[UTCTime \"00:01:01\"]",
        ),
        ("binary", "White", Bytes(b"Tal"), "[White \"Tal\"]"),
        (
            "fixed_len_byte_array(3)",
            "ECO",
            Fixed(b"B90"),
            "[ECO \"B90\"]",
        ),
        ("binary", "ECO (ENUM)", Bytes(b"B90"), "[ECO \"B90\"]"),
        (
            "fixed_len_byte_array(2)",
            "Round (FLOAT16)",
            Fixed(&[0, 0x42]),
            "[Round \"3\"]",
        ),
        ("int32", "whiteelo", Int32(2690), "[WhiteElo \"2690\"]"),
        (
            "int64",
            "WhiteFideId (UINT_64)",
            Int64(4_100_018),
            "[WhiteFideId \"4100018\"]",
        ),
        (
            "double",
            "WhiteRatingDiff",
            Double(7.0),
            "[WhiteRatingDiff \"+7\"]",
        ),
    ] {
        let file = table(&[movetext.clone(), (kind, name, Some(value))]);
        for headers_only in [false, true] {
            let (pgn, reported) = read(&file, headers_only);
            assert!(pgn.contains(expected), "{kind} {name}: {pgn}");
            assert_eq!(reported, Vec::<String>::new(), "{kind} {name}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_concern_one_game() {
    let file = table(&[("binary", "White", Some(Value::Bytes(b"T\xFFal")))]);
    let (pgn, reported) = read(&file, false);
    assert!(pgn.contains("al\"]"), "{pgn}");
    assert!(
        reported.iter().any(|line| line.contains("UTF-8")),
        "{reported:?}"
    );
}

#[test]
fn what_is_not_read_is_named() {
    for (kind, name, column) in [
        ("int32", "movetext", "movetext of another type"),
        (
            "group",
            "White { optional binary first (UTF8); }",
            "White of another type",
        ),
        ("binary", "white (UTF8)", "white"),
        ("binary", "pgn (UTF8)", "pgn"),
        ("int32", "clocks", "clocks"),
    ] {
        let mut columns = vec![("binary", "Black (UTF8)", Some(Value::Bytes(b"Tal")))];
        match name {
            "white (UTF8)" => columns.push(("binary", "White (UTF8)", Some(Value::Bytes(b"a")))),
            "pgn (UTF8)" => columns.push(("binary", "movetext (UTF8)", Some(Value::Bytes(b"*")))),
            _ => {}
        }
        let value = (kind == "int32").then_some(Value::Int32(1));
        columns.push((kind, name, value));
        let file = table(&columns);
        let store = Store::open(&file, ReadOptions::default()).unwrap();
        let unread: Vec<_> = store
            .base()
            .extras
            .iter()
            .map(|extra| &*extra.bytes)
            .collect();
        assert_eq!(unread, [format!("column {column}").as_bytes()], "{name}");
    }
}

/// The columns `moves` and `pgn` of other programs have texts.
#[test]
fn moves_may_be_texts() {
    for (name, text) in [
        ("moves", "e4 e5 Nf3"),
        ("Moves", "1. e4 e5 2. Nf3 1-0"),
        ("moves", "e2e4 e7e5 g1f3"),
        (
            "pgn",
            "[Event \"x\"]\n[White \"Tal\"]\n\n1. e4 e5 2. Nf3 1-0\n",
        ),
        ("PGN", "[Event \"x\"] [White \"Tal\"] 1. e4 e5 2. Nf3 1-0"),
    ] {
        let name = format!("{name} (UTF8)");
        let text = text.as_bytes().to_vec().leak();
        let columns = [("binary", name.as_str(), Some(Value::Bytes(text)))];
        let (pgn, _) = read(&table(&columns), false);
        assert!(pgn.contains("1. e4 e5 2. Nf3"), "{name}: {pgn}");
        assert_eq!(
            pgn.contains("[White \"Tal\"]"),
            name.to_lowercase().starts_with("pgn"),
            "{pgn}"
        );
    }
}

/// Whatever a reader asks for, the result is the same: the one after the moves, as in PGN.
#[test]
fn a_header_has_the_result_of_the_game() {
    for (column, end, expected) in [
        (Some("1-0"), "1-0", "1-0"),
        (Some("0-1"), "1-0", "1-0"),
        (Some("*"), "1-0", "1-0"),
        (Some("1-0"), "*", "1-0"),
        (None, "1/2-1/2", "1/2-1/2"),
        (Some("1-0"), "", "1-0"),
    ] {
        let column = column.map(|text| Value::Bytes(text.as_bytes()));
        let moves = format!("1. e4 {end}").into_bytes().leak();
        let file = table(&[
            ("binary", "Result (UTF8)", column),
            ("binary", "movetext (UTF8)", Some(Value::Bytes(moves))),
        ]);
        let store = Store::open(&file, ReadOptions::default()).unwrap();
        for headers_only in [true, false, true] {
            let (mut game, mut scratch) = (Game::new(), Scratch::new());
            if headers_only {
                store.header_into(0, &mut game, &mut scratch).unwrap();
            } else {
                store.game_into(0, &mut game, &mut scratch).unwrap();
            }
            assert_eq!(
                game.header.outcome.as_pgn(),
                expected,
                "{end} {headers_only}"
            );
        }
    }
}
