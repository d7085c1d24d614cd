//! Tables that jose wrote in 2005, compared with the results of other readers.

use std::collections::HashMap;

use chessdb_bytecode::raw::TableRead;
use chessdb_bytecode::raw::frm::Frm;
use chessdb_bytecode::raw::myisam::{ARCHIVE, MyisamTable};
use chessdb_bytecode::{JOSE_IO, encode};
use chessdb_core::files::Role;
use chessdb_core::{Date, FileSet, Game, MemorySet, ReadOptions, Scratch, Severity};
use chessdb_testkit::{fixtures, identity};

/// Returns the tables of the archive; only the first 300 rows of games were kept.
fn tables() -> Option<MemorySet> {
    let folder = fixtures::testdata("fixtures-real/bytecode/jose-10k-tables")?;
    let mut set = MemorySet::new();
    for table in ARCHIVE {
        for role in [table.rows, table.description] {
            let name = role.0.replace("IO_Game.MYD", "IO_Game.first300.MYD");
            let path = folder.join(name);
            if path.exists() {
                set.insert(role, fixtures::read(path));
            }
        }
    }
    Some(set)
}

/// Returns the rows of the sample by their index in the archive, with columns by name.
fn sample() -> HashMap<u32, HashMap<String, String>> {
    let folder = fixtures::testdata("fixtures-real/bytecode").unwrap();
    let text = String::from_utf8(fixtures::read(folder.join("jose-10k-sample.tsv"))).unwrap();
    let mut lines = text.lines();
    let names: Vec<_> = lines.next().unwrap()[2..].split('\t').collect();
    lines
        .map(|line| {
            let cells = names.iter().zip(line.split('\t'));
            let row: HashMap<String, String> = cells
                .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()))
                .collect();
            (row["idx"].parse().unwrap(), row)
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Converts a date of the sample, which is one day too early if parts of it are unknown.
fn date(stored: &str, unknown: u8) -> Date {
    let parts: Vec<u16> = stored
        .split('-')
        .map(|part| part.parse().unwrap())
        .collect();
    let mut date = Date::new(parts[0], parts[1] as u8, parts[2] as u8);
    if unknown & 0x10 != 0 {
        date.day = 0;
        date.month += 1;
        if date.month > 12 {
            date = Date::new(date.year + 1, 1, 0);
        }
    }
    if unknown & 0x20 != 0 {
        date.month = 0;
    }
    date
}

#[test]
fn three_hundred_games_of_the_archive() {
    let Some(set) = tables() else { return };
    assert_eq!((JOSE_IO.probe)(&set), chessdb_core::format::Score::Certain);
    let store = identity::open(&JOSE_IO, &set);
    assert_eq!(store.len(), 300);
    // The archive's table of openings was not kept.
    let found: Vec<_> = store.diagnostics().iter().map(|d| d.to_string()).collect();
    assert_eq!(
        found,
        ["lost: IO_Game.MYD file: the table of openings is missing"]
    );
    let collections = &store.base().collections;
    assert_eq!(collections.len(), 1);
    let name = store.base().texts.get(collections[0].name).decode();
    assert_eq!(name, "GM Games 2001-03");

    let sample = sample();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut compared = 0;
    for n in 0..store.len() {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
        for name in [
            game.header.white.name,
            game.header.black.name,
            game.header.event,
            game.header.site,
        ] {
            assert!(!game.text(name.text).is_empty(), "game {}", n + 1);
        }
        let Some(row) = sample.get(&(n + 1)) else {
            continue;
        };
        compared += 1;
        let text = |id| game.text(id).decode().into_owned();
        let header = &game.header;
        assert_eq!(text(header.white.name.text), row["white"]);
        assert_eq!(text(header.black.name.text), row["black"]);
        assert_eq!(text(header.event.text), row["event"]);
        assert_eq!(text(header.site.text), row["site"]);
        assert_eq!(text(header.round.text), row["round"]);
        let flags: u16 = row["dateflags"].parse().unwrap();
        assert_eq!(header.date, date(&row["gamedate_stored"], flags as u8));
        assert_eq!(
            header.event_date,
            date(&row["eventdate_stored"], (flags >> 8) as u8)
        );
        let outcome = ["*", "0-1", "1/2-1/2", "1-0"];
        let code: i32 = row["result"].parse().unwrap();
        assert_eq!(header.outcome.as_pgn(), outcome[(code + 1) as usize]);
        let elo =
            |rating: Option<chessdb_core::model::Rating>| rating.map_or(0, |rating| rating.value);
        let number = |name: &str| row[name].parse().unwrap_or(0);
        assert_eq!(elo(header.white.rating), number("white_elo"));
        assert_eq!(elo(header.black.rating), number("black_elo"));
        assert_eq!(
            header.eco.map(|eco| eco.to_string()).unwrap_or_default(),
            row["eco"]
        );
        assert_eq!(game.moves.mainline().count().to_string(), row["plycount"]);
        assert_eq!(hex(&encode(&game).unwrap().bin), row["bin_hex"]);
        let comments = encode(&game).unwrap().comments;
        assert_eq!(
            comments.map_or("-".to_owned(), |c| hex(&c)),
            row["comments_hex"]
        );
    }
    assert_eq!(compared, 6, "games that both hold");
}

#[test]
fn descriptions_name_every_column() {
    let Some(set) = tables() else { return };
    let mut found = Vec::new();
    for table in ARCHIVE {
        let Some(rows) = set.get(table.rows) else {
            continue;
        };
        let frm = Frm::parse(set.get(table.description).unwrap(), table.description).unwrap();
        let (options, mut scratch) = (ReadOptions::default(), Scratch::new());
        let opened = MyisamTable::open(&frm, rows, table.rows, &options, &mut scratch).unwrap();
        assert!(scratch.diagnostics.is_empty());
        let names: Vec<_> = frm.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(opened.columns(), names);
        found.push((table.name, frm.record_length, names.join(" "), opened.len()));
    }
    let games = "CId Idx Attributes PlyCount Result WhiteId BlackId WhiteELO BlackELO EventId \
                 SiteId GameDate EventDate DateFlags OpeningId ECO AnnotatorId WhiteTitle \
                 BlackTitle Round Board FEN Info Bin Comments PosMain PosVar";
    let found: Vec<_> = found
        .iter()
        .map(|(name, length, columns, rows)| (*name, *length, columns.as_str(), *rows))
        .collect();
    let expected = [
        ("IO_Game", 1650, games, 300),
        ("IO_Player", 771, "Id Name", 898),
        ("IO_Event", 771, "Id Name", 703),
        ("IO_Site", 771, "Id Name", 506),
        (
            "IO_Collection",
            1548,
            "Id PId Name Attributes SourceURL GameCount",
            1,
        ),
        (
            "MetaInfo",
            1733,
            "Property SchemaName TableName Version Dirty",
            2,
        ),
    ];
    assert_eq!(found, expected);
}

/// Only the damaged rows of a table are lost.
#[test]
fn rows_behind_a_damaged_place_are_found() {
    let Some(mut set) = tables() else { return };
    let whole = identity::open_all(&JOSE_IO, &set);
    let games = set.get_mut(Role("IO_Game.MYD")).unwrap();
    for byte in &mut games[10_000..10_400] {
        *byte = 0xEE;
    }
    let store = identity::open(&JOSE_IO, &set);
    let lost = store
        .diagnostics()
        .iter()
        .filter(|d| d.severity == Severity::Lost && d.at.offset.is_some());
    assert_eq!(lost.count(), 1);
    let left = store.len() as usize;
    assert!((293..300).contains(&left), "{left}");
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut equal = 0;
    for n in 0..store.len() {
        if store.game_into(n, &mut game, &mut scratch).is_ok() && scratch.diagnostics.is_empty() {
            equal += usize::from(whole.contains(&game));
        }
        scratch.diagnostics.clear();
    }
    assert!(equal + 1 >= left, "{equal} of {left}");
}
