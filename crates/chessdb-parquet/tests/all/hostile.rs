//! Damaged tables give an error or games, never a panic or unlimited use of memory.

use std::sync::Arc;

use chessdb_core::limits::Limits;
use chessdb_core::options::Allow;
use chessdb_core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb_parquet::{PARQUET, PARQUET_FILE, Store};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::{identity, strategy};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

fn table(games: u64) -> MemorySet {
    let options = strategy::GameOptions::all();
    let mut files = MemorySet::new();
    let allowed = WriteOptions::default().with_allowed(Allow::Everything);
    let mut writer = PARQUET.create.unwrap()(&mut files, allowed).unwrap();
    for seed in 0..games {
        let game: Game = strategy::game(seed, &options);
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap();
    files
}

fn options() -> ReadOptions {
    ReadOptions::default().with_limits(Limits::small())
}

#[test]
fn damaged_tables() {
    let files = table(6);
    let length = files.get(PARQUET_FILE).unwrap().len();
    let corruptor = Corruptor::new(&files, 1);
    // The table's metadata.
    let ends = length.saturating_sub(200)..length;
    let variants = corruptor
        .some_truncations(PARQUET_FILE, 8, 100)
        .chain(corruptor.bit_flips(PARQUET_FILE, 64, 1500))
        .chain(corruptor.bit_flips_in(PARQUET_FILE, ends))
        .chain(corruptor.noise(PARQUET_FILE, 200));
    for variant in variants {
        identity::survive(&PARQUET, &variant, &options(), 50);
    }
}

/// Returns a table of one game with `moves` equal moves.
fn long(moves: usize, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let schema = "message table { required binary White (UTF8); required group moves (LIST) {
        repeated group list { required int32 item; } } }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = Vec::new();
    let properties = Arc::new(properties.set_offset_index_disabled(true).build());
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let white = [ByteArray::from("Somebody with a long name")];
    let texts = column.typed::<ByteArrayType>();
    texts.write_batch(&white, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let mut repeated = vec![1; moves];
    repeated[0] = 0;
    let numbers = column.typed::<Int32Type>();
    let (values, defined) = (vec![6 | 21 << 6; moves], vec![1; moves]);
    let written = numbers.write_batch(&values, Some(&defined), Some(&repeated));
    assert_eq!(written.unwrap(), moves);
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    file
}

/// Returns the result of reading the only game.
fn read_only_game(file: &[u8]) -> Result<(), String> {
    let store = Store::open(file, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let read = store.game_into(0, &mut game, &mut scratch);
    read.map_err(|error| error.to_string())
}

#[test]
fn lists_of_more_than_their_bytes_can_hold() {
    assert_eq!(
        read_only_game(&long(2000, WriterProperties::builder())),
        Ok(())
    );
    assert_eq!(
        read_only_game(&long(1_000_000, WriterProperties::builder())),
        Ok(())
    );
    let bomb = long(17_000_000, WriterProperties::builder());
    assert!(bomb.len() < 40_000, "{}", bomb.len());
    let error = read_only_game(&bomb).unwrap_err();
    assert!(error.contains("that claims"), "{error}");
}

/// Returns the first offset of `bytes`.
fn find(file: &[u8], bytes: &[u8]) -> usize {
    let position = file.windows(bytes.len()).position(|window| window == bytes);
    position.unwrap()
}

#[test]
fn dictionaries_of_more_than_their_bytes_can_hold() {
    let mut file = long(3, WriterProperties::builder());
    assert_eq!(read_only_game(&file), Ok(()));
    // The header of the dictionary page: one value, plain, not sorted.
    let header = find(&file, &[0x4C, 0x15, 2, 0x15, 0]);
    file[header + 2] = 62;
    let error = read_only_game(&file).unwrap_err();
    assert!(
        error.contains("that claims to contain 31 values"),
        "{error}"
    );
}

#[test]
fn lengths_of_more_texts_than_the_page_has() {
    for encoding in [
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ] {
        let plain = WriterProperties::builder().set_dictionary_enabled(false);
        let mut file = long(3, plain.set_column_encoding("White".into(), encoding));
        assert_eq!(read_only_game(&file), Ok(()));
        // Blocks of 128 in four runs, and one number: 25, the length of the name.
        let lengths = find(&file, &[0x80, 1, 4, 1, 50]);
        file[lengths + 3] = 99;
        let error = read_only_game(&file).unwrap_err();
        assert!(
            error.contains("that claims to contain 1 values or more"),
            "{error}"
        );
    }
}

/// Returns the offset of a page's header, which begins with its type, and the sizes after that.
fn with_claim(file: &[u8], header: &[u8], uncompressed: u32) -> Vec<u8> {
    let offset = find(file, header) + 3;
    let mut number = Vec::new();
    let mut rest = u64::from(uncompressed) << 1;
    while rest > 0x7F {
        number.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    number.push(rest as u8);
    // The other numbers of the file are the positions of pages before this one, and the length of
    // the description at its end.
    let mut damaged = file.to_vec();
    damaged.splice(offset..offset + 1, number);
    damaged
}

#[test]
fn pages_that_claim_to_unpack_to_more_than_their_bytes_can_hold() {
    let compressions = [
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::UNCOMPRESSED,
    ];
    for compression in compressions {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_compression(compression);
        let file = long(20, properties);
        assert_eq!(read_only_game(&file), Ok(()));
        // A data page (type 0) of 29 bytes: the length of the name, and the name.
        let header = [0x15, 0, 0x15, 58, 0x15];
        for claim in [65 << 20, 600 << 20, (1 << 31) - 1] {
            let error = read_only_game(&with_claim(&file, &header, claim)).unwrap_err();
            let expected = format!("that claims to unpack to {claim} bytes");
            assert!(error.contains(&expected), "{compression:?}: {error}");
        }
        // A claim that is wrong, but small, is left to the library. The file is now longer.
        let result = read_only_game(&with_claim(&file, &header, 1 << 20));
        assert!(result.is_err(), "{compression:?}: {result:?}");
    }
}

/// Texts of which each repeats all of the one before.
#[test]
fn repeated_beginnings_of_texts_count_in_full() {
    let schema = "message table { required binary White (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let table = |length: usize, rows: usize| {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_column_encoding("White".into(), Encoding::DELTA_BYTE_ARRAY)
            .build();
        let mut file = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut file, Arc::clone(&schema), Arc::new(properties))
                .unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let name = ByteArray::from("a".repeat(length).as_str());
        let names = vec![name; rows];
        let written = column
            .typed::<ByteArrayType>()
            .write_batch(&names, None, None);
        assert_eq!(written.unwrap(), rows);
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        file
    };
    assert_eq!(read_only_game(&table(1000, 8000)), Ok(()));
    let bomb = table(100_000, 8000);
    assert!(bomb.len() < 1_000_000, "{}", bomb.len());
    let error = read_only_game(&bomb).unwrap_err();
    assert!(error.contains("more memory than"), "{error}");
}
