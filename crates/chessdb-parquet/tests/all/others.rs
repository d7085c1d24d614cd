//! Tables of other programs: several row groups, other types, no page index.

use std::sync::Arc;

use chessdb_core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch};
use chessdb_parquet::{PARQUET_FILE, Store};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

/// Repetition levels, definition levels and values.
type Column<T> = (Vec<i16>, Vec<i16>, Vec<T>);

const SCHEMA: &str = "message table {
    required binary White (UTF8);
    optional binary Black (STRING);
    optional int64 WhiteElo;
    optional int64 UTCTimestamp (TIMESTAMP(MILLIS, true));
    optional int64 UTCTime (TIME(NANOS, false));
    optional binary Event;
    optional group Site { optional binary name (UTF8); }
    optional group moves (LIST) { repeated group list { optional int32 item; } }
    optional group tags (MAP) {
        repeated group key_value { required binary key (UTF8); optional binary value (UTF8); }
    }
}";

const ROWS: usize = 20_000;
/// A time in 2020, in milliseconds since 1970-01-01.
const START: i64 = 1_600_000_000_000;

fn elo(n: usize) -> Option<i64> {
    n.is_multiple_of(2).then_some(2000 + n as i64 % 900)
}

fn put<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    (repeated, defined, values): &Column<T::T>,
) -> Result<usize, ParquetError> {
    let [defined, repeated] =
        [defined, repeated].map(|levels| (!levels.is_empty()).then_some(levels.as_slice()));
    column.typed::<T>().write_batch(values, defined, repeated)
}

/// Returns a table with `group` rows per row group.
fn table(properties: WriterProperties, group: usize) -> MemorySet {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties)).unwrap();
    let all: Vec<usize> = (0..ROWS).collect();
    for rows in all.chunks(group) {
        let text = |text: String| ByteArray::from(text.into_bytes());
        let each = |value: fn(usize) -> Option<i64>| -> Column<i64> {
            let values = rows.iter().map(|&n| value(n));
            let defined = values.clone().map(|value| value.is_some().into()).collect();
            (Vec::new(), defined, values.flatten().collect())
        };
        let mut white = Vec::new();
        let mut black: Column<ByteArray> = Default::default();
        let mut moves: Column<i32> = Default::default();
        let mut keys: Column<ByteArray> = Default::default();
        let mut values: Column<ByteArray> = Default::default();
        for &n in rows {
            white.push(text(format!("W{n}")));
            black.1.push((n % 3 != 0).into());
            if n % 3 != 0 {
                black.2.push(text(format!("B{}", n % 7)));
            }
            // Up to three of the moves e4 e5 Nf3, depending on the game: no list, an empty list,
            // one to three moves.
            let line = [12 | 28 << 6, 52 | 36 << 6, 6 | 21 << 6];
            let remainder = (n % 5).saturating_sub(1);
            match remainder {
                0 => {
                    moves.0.push(0);
                    moves.1.push((n % 5) as i16);
                }
                _ => {
                    moves.0.extend(&[0, 1, 1][..remainder]);
                    moves.1.extend(&[3, 3, 3][..remainder]);
                    moves.2.extend(&line[..remainder]);
                }
            }
            match n % 4 {
                0 => {
                    for column in [&mut keys, &mut values] {
                        column.0.push(0);
                        column.1.push(0);
                    }
                }
                _ => {
                    keys.0.extend([0, 1]);
                    keys.1.extend([2, 2]);
                    keys.2.extend([text("Own".into()), text("Other".into())]);
                    values.0.extend([0, 1]);
                    values.1.extend([3, 2]);
                    values.2.push(text(n.to_string()));
                }
            }
        }
        let mut group = writer.next_row_group().unwrap();
        let mut next = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            let same = |level: i16| vec![level; rows.len()];
            let event = vec![ByteArray::from(b"Open".to_vec()); rows.len()];
            match next {
                0 => put::<ByteArrayType>(&mut column, &(vec![], vec![], white.clone())),
                1 => put::<ByteArrayType>(&mut column, &black),
                2 => put::<Int64Type>(&mut column, &each(elo)),
                3 => put::<Int64Type>(&mut column, &each(|n| Some(START + n as i64 * 1000))),
                4 => put::<Int64Type>(&mut column, &each(|n| Some(n as i64 * 1_000_000_000))),
                5 => put::<ByteArrayType>(&mut column, &(vec![], same(1), event)),
                6 => put::<ByteArrayType>(&mut column, &(vec![], same(0), vec![])),
                7 => put::<Int32Type>(&mut column, &moves),
                8 => put::<ByteArrayType>(&mut column, &keys),
                _ => put::<ByteArrayType>(&mut column, &values),
            }
            .unwrap();
            column.close().unwrap();
            next += 1;
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    [(PARQUET_FILE, file)].into_iter().collect()
}

fn check(properties: WriterPropertiesBuilder, group: usize) {
    let files = table(properties.build(), group);
    let bytes = files.get(PARQUET_FILE).unwrap();
    let store = Store::open(bytes, ReadOptions::default()).unwrap();
    assert_eq!(store.len(), ROWS as u32);
    let unread = &store.base().extras[0].bytes;
    assert_eq!(&**unread, b"column Site of another type");
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    // In shuffled order, so that rows are skipped.
    for n in (0..ROWS)
        .map(|n| n * 7_919 % ROWS)
        .step_by(37)
        .chain([0, ROWS - 1])
    {
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
        let mut pgn = Vec::new();
        chessdb_pgn::GameText::new(chessdb_pgn::Layout::default()).append(&game, &mut pgn);
        let pgn = String::from_utf8(pgn).unwrap();
        let has = |line: String| assert!(pgn.contains(&line), "{n} {line}: {pgn}");
        has("[Event \"Open\"]\n[Site \"?\"]\n".to_owned());
        has(format!("[White \"W{n}\"]"));
        match n % 3 {
            0 => has("[Black \"?\"]".to_owned()),
            _ => has(format!("[Black \"B{}\"]", n % 7)),
        }
        assert_eq!(pgn.contains("WhiteElo"), elo(n).is_some());
        if let Some(elo) = elo(n) {
            has(format!("[WhiteElo \"{elo}\"]"));
        }
        let time = [n / 3600, n / 60 % 60, n % 60].map(|part| format!("{part:02}"));
        has(format!("[UTCTime \"{}\"]", time.join(":")));
        assert_eq!(pgn.contains("[Own "), n % 4 != 0);
        if n % 4 != 0 {
            has(format!("[Own \"{n}\"]\n[Other \"\"]\n"));
        }
        let line = ["*", "*", "1. e4 *", "1. e4 e5 *", "1. e4 e5 2. Nf3 *"][n % 5];
        has(format!("\n\n{line}\n"));
    }
}

fn small_pages() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_data_page_row_count_limit(700)
        .set_write_batch_size(100)
}

#[test]
fn with_an_index_of_pages() {
    check(small_pages(), ROWS);
    check(small_pages().set_compression(Compression::SNAPPY), 9_001);
}

#[test]
fn without_an_index_of_pages() {
    check(small_pages().set_offset_index_disabled(true), ROWS);
    check(
        WriterProperties::builder().set_offset_index_disabled(true),
        9_001,
    );
}

#[test]
fn of_the_second_version() {
    let second = |properties: WriterPropertiesBuilder| {
        properties.set_writer_version(WriterVersion::PARQUET_2_0)
    };
    check(second(small_pages()), ROWS);
    check(second(small_pages()).set_offset_index_disabled(true), 9_001);
}

#[test]
fn without_dictionaries() {
    let plain = small_pages().set_dictionary_enabled(false);
    check(plain.clone(), ROWS);
    check(plain.set_encoding(Encoding::PLAIN), 9_001);
}

/// Columns and metadata that are not part of the schema are reported as extras of the database.
#[test]
fn what_is_not_of_games_is_named() {
    let schema = "message table { required binary White (UTF8); optional int64 Mine; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let note = |key: &str| KeyValue::new(key.to_owned(), "x".to_owned());
    let notes = vec![note("author"), note("pandas"), note("chessdb.schema")];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(notes));
    let mut file = Vec::new();
    let properties = Arc::new(properties.build());
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let white: Column<ByteArray> = (Vec::new(), Vec::new(), vec![ByteArray::from("x")]);
    put::<ByteArrayType>(&mut column, &white).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    put::<Int64Type>(&mut column, &(Vec::new(), vec![1], vec![7])).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let store = Store::open(&file, ReadOptions::default()).unwrap();
    let names: Vec<&[u8]> = store
        .base()
        .extras
        .iter()
        .map(|extra| &*extra.bytes)
        .collect();
    assert_eq!(names, [&b"column Mine"[..], b"metadata author"]);
    let messages: Vec<String> = store
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        messages
            .iter()
            .any(|message| message.contains("column Mine")),
        "{messages:?}"
    );
}
