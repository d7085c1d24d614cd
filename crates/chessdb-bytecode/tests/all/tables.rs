//! MyISAM tables as described by the format page: read, mapped, damaged.

#[path = "common/tables.rs"]
mod writer;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use chessdb_bytecode as bytecode;
use chessdb_bytecode::raw::myisam::{ARCHIVE, LIVE, TableFiles};
use chessdb_bytecode::raw::{MemorySink, MemoryTable, Naming, RowSink, TEXTS, Table, TableRead};
use chessdb_bytecode::{JOSE_IO, JOSE_MYISAM, JOSE_SQL, Store, Width, Writer};
use chessdb_core::compare::moves_difference;
use chessdb_core::dump::{self, Region, RegionKind};
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{
    Charset, FileSet, Format, Game, GameWrite, MemorySet, Outcome, ReadOptions, Scratch,
    WriteOptions,
};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::time::patience;
use chessdb_testkit::{fixtures, identity};
use writer::{Files, Tables};

const LAYOUTS: [(&Format, &[TableFiles]); 2] = [(&JOSE_MYISAM, LIVE), (&JOSE_IO, ARCHIVE)];

fn games(count: u64) -> Vec<Game> {
    let options = GameOptions {
        plies: 30,
        ..GameOptions::all()
    };
    (0..count)
        .map(|seed| strategy::game(seed, &options))
        .collect()
}

fn write(sink: &mut dyn RowSink, games: &[Game]) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let mut writer = Box::new(Writer::create(Box::new(sink), Width::Jose, options).unwrap());
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
}

fn made(tables: &[TableFiles], games: &[Game]) -> Files {
    let naming = match tables[0].name {
        "Game" => Naming::jose(),
        _ => Naming::archive(),
    };
    let mut made = Tables::new(&naming);
    write(&mut made, games);
    made.files(tables)
}

/// Returns the regions by file, after checking that they are adjacent and cover each file.
fn covers(format: &Format, set: &dyn FileSet) -> BTreeMap<Role, Vec<Region>> {
    let mut files: BTreeMap<Role, Vec<Region>> = BTreeMap::new();
    dump::cover(set, format.roles, format.dump, &mut |region, bytes| {
        assert_eq!(bytes.len() as u64, region.end - region.start);
        files.entry(region.file).or_default().push(region);
    });
    for &role in format.roles {
        let mut next = 0;
        for region in files.get(&role).into_iter().flatten() {
            assert_eq!(region.start, next, "{region:?}");
            next = region.end;
        }
        assert_eq!(next, set.get(role).map_or(0, <[u8]>::len) as u64, "{role}");
    }
    files
}

/// Returns the bytes that the map assigns to a game.
fn of_game(regions: &[Region], game: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let names = [format!("game {game}:"), format!("game {game},")];
    for region in regions {
        if !names.iter().any(|name| region.what.starts_with(name)) {
            continue;
        }
        let (start, end) = (region.start as usize, region.end as usize);
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

#[test]
fn tables_come_back_equal() {
    let games = games(40);
    let mut sink = MemorySink::new();
    write(&mut sink, &games);
    let store = Store::open(sink.into_set(), ReadOptions::default()).unwrap();
    let wanted = identity::read_all(&store);
    for (format, tables) in LAYOUTS {
        let files = made(tables, &games);
        let mut strict = ReadOptions::default();
        strict.mode = Mode::Strict;
        let store = (format.open)(&files.set, strict).unwrap();
        assert_eq!(identity::read_all(&*store), wanted, "{}", format.id);
        let blocks = files.rows.values().flatten().map(Vec::len);
        assert!(blocks.max() == Some(3), "rows in several blocks");
    }
}

/// A games table with more columns than MySQL allows is refused: its rows would not be padded to
/// their full width, and the columns of the moves would not be found.
#[test]
fn the_columns_of_a_games_table_are_limited() {
    let games = games(3);
    let mut sink = MemorySink::new();
    write(&mut sink, &games);
    let rows = sink.table(Table::Game).unwrap();
    let opened = |width: usize| {
        let mut columns = rows.columns().to_vec();
        columns.extend((columns.len()..width).map(|n| format!("extra{n}")));
        let mut wide = MemoryTable::new(columns, Charset::LATIN_1);
        let mut row = Vec::new();
        for n in 0..rows.len() {
            rows.row(n, &mut row).unwrap();
            wide.push(&row);
        }
        let mut set = MemorySink::new();
        write(&mut set, &games);
        let mut set = set.into_set();
        set.take("Game").unwrap();
        set.insert("Game", Box::new(wide));
        Store::open(set, ReadOptions::default()).map(|store| identity::read_all(&store))
    };
    let wanted: Vec<_> = opened(0).unwrap();
    assert_eq!(wanted.len(), games.len());
    let moves = |games: &[Game]| {
        games
            .iter()
            .map(|game| game.moves.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(moves(&opened(4096).unwrap()), moves(&wanted));
    let error = opened(4097).unwrap_err().to_string();
    assert!(error.contains("more than 4,096 columns"), "{error}");
}

/// Returns games with moves and comments, without headers, custom start positions or evaluations.
fn bare(count: u64) -> Vec<Game> {
    let options = GameOptions {
        plies: 30,
        depth: 3,
        comments: true,
        ..GameOptions::plain()
    };
    (0..count)
        .map(|seed| strategy::game(seed, &options))
        .collect()
}

/// A table with byte code alone, in the column of the published text.
#[test]
fn a_folder_with_ids_and_byte_code_alone_is_read() {
    let games = bare(20);
    let mut tables = Tables::new(&Naming::inline()).only("Game", &["Id", "GameText"]);
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let layout = Naming::inline().layout();
    let sink: Box<dyn RowSink> = Box::new(&mut tables);
    let mut writer = Box::new(Writer::create_as(sink, Width::Any, layout, options).unwrap());
    for game in &games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    let files = tables.files(LIVE);
    let there = JOSE_MYISAM.roles.iter();
    let there = there.filter(|&&role| files.set.get(role).is_some());
    assert_eq!(there.count(), 2);
    assert_eq!((JOSE_MYISAM.probe)(&files.set), Score::Certain);
    let mut strict = ReadOptions::default();
    strict.mode = Mode::Strict;
    let store = (JOSE_MYISAM.open)(&files.set, strict).unwrap();
    assert_eq!(store.len(), 20);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for (n, expected) in games.iter().enumerate() {
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        assert_eq!(moves_difference(expected, &game), None, "game {n}");
    }
    // An incomplete set of jose's own tables is not such a table.
    let mut half = made(LIVE, &games).set;
    half.remove(LIVE[1].rows);
    half.remove(LIVE[1].description);
    let error = (JOSE_MYISAM.open)(&half, ReadOptions::default())
        .err()
        .unwrap();
    assert!(error.to_string().contains("MoreGame.MYD"), "{error}");
}

/// Scripts may define the same table in many ways.
#[test]
fn a_script_with_ids_and_byte_code_alone_is_read() {
    let code = "0x1313E0686900D2FF";
    for (definition, values, moves) in [
        ("Game (Id INT, GameText BLOB)", format!("(1, {code})"), 2),
        ("`Game` (`GameText` MEDIUMBLOB)", format!("({code})"), 2),
        ("game (gametext blob, id int)", format!("({code}, 7)"), 2),
        (
            "\"GAME\" (ID INT PRIMARY KEY, GAMETEXT LONGBLOB NOT NULL)",
            format!("(1, {code})"),
            2,
        ),
        (
            "Game (Id INT, GameText BLOB, FEN VARCHAR(128))",
            format!("(1, {code}, NULL)"),
            2,
        ),
        (
            "IF NOT EXISTS Game (Id INT, GameText BLOB)",
            format!("(1, {code})"),
            2,
        ),
        ("Game (Id INT, GameText BLOB)", "(1, 0xFF)".to_owned(), 0),
    ] {
        let table = definition.trim_start_matches("IF NOT EXISTS ");
        let table = table.split(' ').next().unwrap();
        let script = format!("CREATE TABLE {definition};\nINSERT INTO {table} VALUES {values};\n");
        let mut set = MemorySet::new();
        set.insert(Role("sql"), script.clone());
        assert_eq!((JOSE_SQL.probe)(&set), Score::Certain, "{script}");
        let store = (JOSE_SQL.open)(&set, ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        store.game_into(0, &mut game, &mut scratch).unwrap();
        assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
        assert_eq!((store.len(), game.moves.plies()), (1, moves), "{script}");
        if moves == 2 {
            assert_eq!(game.header.outcome, Outcome::WhiteWins);
            let texts: Vec<_> = game.texts.iter().map(|(_, text)| text.decode()).collect();
            assert_eq!(texts, ["hi"], "{script}");
        }
    }
}

/// The setting puts texts after their codes, and they are read from there.
#[test]
fn texts_can_be_written_inline() {
    let games = games(20);
    let written = |texts: Option<&str>| {
        let mut options = WriteOptions::default();
        options.allow = Allow::Everything;
        if let Some(texts) = texts {
            options = options.with_setting(TEXTS, texts);
        }
        identity::write_all(&JOSE_SQL, &games, options).map(|(set, _)| set)
    };
    let inline = written(Some("inline")).unwrap();
    let separate = written(Some("separate")).unwrap();
    assert_eq!(
        identity::first_difference(&separate, &written(None).unwrap()),
        None
    );
    let has = |set: &MemorySet, word: &str| {
        let script = String::from_utf8_lossy(set.get(Role("sql")).unwrap()).into_owned();
        script.contains(word)
    };
    assert!(has(&inline, "GameText") && !has(&inline, "Comments"));
    assert!(!has(&separate, "GameText") && has(&separate, "Comments"));
    let all = |set: &MemorySet| identity::open_all(&JOSE_SQL, set);
    assert_eq!(all(&inline), all(&separate));
    assert!(written(Some("outside")).is_err());
}

#[test]
fn the_map_knows_every_byte_and_its_game() {
    let games = games(40);
    for (format, tables) in LAYOUTS {
        let files = made(tables, &games);
        let regions = covers(format, &files.set);
        let all = || regions.values().flatten();
        let unowned: Vec<_> = all().filter(|r| r.kind == RegionKind::Unowned).collect();
        assert!(unowned.is_empty(), "{unowned:?}");
        let mut compared = 0;
        for table in tables.iter().filter(|table| table.name.ends_with("Game")) {
            for (n, places) in files.rows[&table.rows].iter().enumerate() {
                let mut places = places.clone();
                // Parts may be in any order, and blocks without unused bytes are adjacent.
                places.sort_by_key(|place| place.start);
                places.dedup_by(|next, place| {
                    let touches = place.end == next.start;
                    if touches {
                        place.end = next.end;
                    }
                    touches
                });
                assert_eq!(
                    of_game(&regions[&table.rows], n + 1),
                    places,
                    "{} {n}",
                    table.name
                );
                compared += 1;
            }
        }
        assert!(compared >= games.len());
        let what = |text: &str| all().any(|region| region.what.contains(text));
        for text in [
            "game 1: WhiteId: 1",
            "game 2, row 2: 9 more bytes, continues at 0x",
            "game 3: bits of the NULL columns",
            "free block of 20 bytes",
            "no next free block",
            "row 2: Name: \"",
            "WhiteELO: type 3",
            "name: AnnotatorId",
        ] {
            assert!(what(text), "{}: {text}", format.id);
        }
    }
}

#[test]
fn bytes_of_no_row_are_told_apart() {
    let files = made(LIVE, &games(12));
    let role = LIVE[1].rows;
    let mut set = files.set.clone();
    let bytes = set.get_mut(role).unwrap();
    // The first part of the second row is gone, and so are the links of the free blocks.
    let first = files.rows[&role][1][0].start;
    bytes[first..first + 20].fill(0xEE);
    let regions = covers(&JOSE_MYISAM, &set);
    let found: Vec<_> = regions[&role]
        .iter()
        .filter(|region| region.kind == RegionKind::Unowned)
        .map(|region| (region.start as usize, &*region.what))
        .collect();
    let parts = &files.rows[&role][1];
    // The next part begins where there is no evidence for a block any more.
    assert_eq!(parts[1].start, first + 20);
    assert_eq!(
        found,
        [
            (first, "not referenced by any structure"),
            (parts[2].start, "a continuation without a row"),
        ]
    );
    let mut set = files.set.clone();
    let bytes = set.get_mut(role).unwrap();
    let free = 4 + regions[&role]
        .iter()
        .find(|region| region.what.starts_with("free block"))
        .unwrap()
        .start as usize;
    bytes[free + 7] ^= 1;
    let regions = covers(&JOSE_MYISAM, &set);
    let what = "free, but not in the list of free blocks";
    assert!(regions[&role].iter().any(|region| region.what == what));
}

#[test]
fn genuine_tables_are_mapped() {
    let Some(folder) = fixtures::testdata("fixtures-real/bytecode/jose-10k-tables") else {
        return;
    };
    let mut set = MemorySet::new();
    for role in JOSE_IO.roles {
        let path = folder.join(role.0.replace("IO_Game.MYD", "IO_Game.first300.MYD"));
        if path.exists() {
            set.insert(*role, fixtures::read(path));
        }
    }
    let regions = covers(&JOSE_IO, &set);
    let unowned = |role: &&Role| regions[*role].iter().any(|r| r.kind == RegionKind::Unowned);
    let with: Vec<_> = regions.keys().filter(unowned).collect();
    assert!(with.is_empty(), "{with:?}");
    for game in [1, 300] {
        assert_eq!(of_game(&regions[&ARCHIVE[0].rows], game).len(), 1);
    }
}

/// Mapping terminates for any damage and covers every byte once.
#[test]
fn damaged_tables_are_mapped() {
    let games = games(12);
    let mut count = 0;
    for (format, tables) in LAYOUTS {
        let files = made(tables, &games);
        for table in tables.iter().filter(|table| table.name.ends_with("Game")) {
            for (role, first) in [(table.rows, 30), (table.description, 0)] {
                let corruptor = Corruptor::new(&files.set, 21);
                let variants = corruptor
                    .some_truncations(role, first, 60)
                    .chain(corruptor.bit_flips(role, first, 300))
                    .chain(corruptor.noise(role, 200));
                for variant in variants {
                    let start = Instant::now();
                    covers(format, &variant);
                    let spent = start.elapsed();
                    assert!(spent < patience(10), "{variant:?}: {spent:?}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 3000, "{count}");
}

/// The work is never much more than the file has bytes.
#[test]
fn maps_of_bombs_end() {
    let files = made(ARCHIVE, &games(1));
    let role = ARCHIVE[0].rows;
    let bombs = [shared_parts(), nested_rows(), free_blocks()];
    for (n, bomb) in bombs.into_iter().enumerate() {
        let mut set = files.set.clone();
        set.insert(role, bomb);
        let start = Instant::now();
        covers(&JOSE_IO, &set);
        let spent = start.elapsed();
        assert!(spent < patience(20), "bomb {n}: {spent:?}");
    }
}

/// Every row continues in the same long chain.
fn shared_parts() -> Vec<u8> {
    let (first, chain) = (400_000u64, 200_000u64);
    let mut rows = Vec::new();
    while (rows.len() as u64) < first {
        rows.extend([13, 0, 15, 0, 0, 0, 0, 4]);
        rows.extend(first.to_be_bytes());
        rows.extend([0; 4]);
    }
    for n in 1..=chain {
        rows.extend([12, 0, 0, 4]);
        rows.extend((first + n * 16).to_be_bytes());
        rows.extend([0; 4]);
    }
    rows
}

/// A row seems to begin at every offset, and to extend as far as possible.
fn nested_rows() -> Vec<u8> {
    [1, 0xFF, 0xFE, 0].repeat(500_000)
}

/// A free block within a free block within a free block.
fn free_blocks() -> Vec<u8> {
    let mut blocks = [0, 0xFF, 0xFF, 0xFC].repeat(1_000_000);
    blocks.resize(20_000_000, 0xFF);
    blocks
}

/// Two rows with the same number: the right one is delivered, and this is reported.
#[test]
fn rows_with_the_number_of_others_are_delivered() {
    let games = games(8);
    let files = made(LIVE, &games);
    let whole = identity::open_all(&JOSE_MYISAM, &files.set);
    // In each table the third row gets the number of the fifth, and vice versa.
    for table in [0, 1] {
        for (from, to) in [(2, 4), (4, 2)] {
            let role = LIVE[table].rows;
            let mut set = files.set.clone();
            let bytes = set.get_mut(role).unwrap();
            // After the NULL bits; or after the header, one byte of bits and two of NULL bits.
            let number = |bytes: &[u8], row: usize| {
                let start = files.rows[&role][row][0].start;
                let packed = 6 + usize::from(bytes[start] > 2);
                let start = start + [1, packed][table];
                start..start + 4
            };
            let (from_at, to_at) = (number(bytes, from), number(bytes, to));
            assert_eq!(bytes[from_at.clone()], (from as u32 + 1).to_le_bytes());
            assert_eq!(bytes[to_at.clone()], (to as u32 + 1).to_le_bytes());
            bytes.copy_within(to_at, from_at.start);
            let store = identity::open(&JOSE_MYISAM, &set);
            let said: Vec<_> = store
                .diagnostics()
                .iter()
                .map(ToString::to_string)
                .collect();
            let is_said = said
                .iter()
                .any(|text| text.contains("a number that is already in use"));
            assert!(is_said, "{said:?}");
            let found = identity::read_all(&*store);
            for (n, game) in whole.iter().enumerate().filter(|(n, _)| *n != from) {
                assert!(
                    found.contains(game),
                    "table {table}, {from}: game {}",
                    n + 1
                );
            }
        }
    }
}
