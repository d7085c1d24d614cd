//! Maps of the bytes of a database to its games, made from the structures on disk and not with the
//! readers.

use std::ops::Range;

use chessdb::bytecode::raw::myisam::{ARCHIVE, LIVE, TableFiles};
use chessdb::bytecode::{JOSE_IO, JOSE_MYISAM};
use chessdb::ca::raw as ca;
use chessdb::cbf::raw as cbf;
use chessdb::cbh::raw as cbh;
use chessdb::core::dump::{RegionKind, cover};
use chessdb::core::files::Role;
use chessdb::core::{FileSet, MemorySet};
use chessdb::scid::raw as scid;
use chessdb::{Format, dcx};
use chessdb_testkit::corrupt::Records;
use chessdb_testkit::identity::Ranges;

/// The locations of the parts of a database.
pub(crate) struct Map {
    /// For each game, the bytes that it needs to be unchanged.
    pub(crate) own: Vec<Ranges>,
    /// Names: the source of the texts in headers.
    pub(crate) names: Ranges,
    /// Bytes that identify the format; without them no reader has to open the database.
    pub(crate) frame: Ranges,
    /// Numbers that apply to the whole database; every bit of them is flipped.
    pub(crate) header: Ranges,
    /// The records of the index, and the range of the game offset in each.
    pub(crate) index: Option<(Role, Records, Range<usize>)>,
}

/// The formats without a map, with the reason.
pub(crate) const UNMAPPED: &[(&str, &str)] = &[
    (
        "jose",
        "the rows of games share pages; chessdb-sqlite tests damage (`salvage`, `file`)",
    ),
    ("jose-archive", "a packed file of the tables of `jose-io`"),
    ("parquet", "another library reads it"),
];

/// Returns the map of a database; `None` if it cannot be made, or the format is in [`UNMAPPED`].
///
/// A format that is not named here has the map that `chessdb dump --raw` prints ([`printed`]).
pub(crate) fn of(format: &Format, set: &MemorySet) -> Option<Map> {
    match format.id {
        "si4" => Some(scid(set, [Role("si4"), Role("sg4"), Role("sn4")])),
        "si3" => Some(scid(set, [Role("si3"), Role("sg3"), Role("sn3")])),
        "si5" => Some(si5(set)),
        "cbf" => cbf_map(set),
        "cbh" => Some(cbh_map(set)),
        "2cbh" => Some(cbh2_map(format, set)),
        "fbk" => Some(book(set)),
        "dcx" => Some(dcx_map(set)),
        "ca" => Some(ca_map(set)),
        "encroissant" | "lucaschess" | "ocgdb" => Some(super::sqlite_map::of(format, set)),
        "jose-sql" => Some(sql(set)),
        "jose-myisam" => Some(tables(&JOSE_MYISAM, LIVE, set)),
        "jose-io" => Some(tables(&JOSE_IO, ARCHIVE, set)),
        "pgn" => Some(pgn(set)),
        id if super::TEXT_LINES.contains(&id) => Some(super::text_lines::of(format, set)),
        id if UNMAPPED.iter().any(|(known, _)| *known == id) => None,
        _ => Some(printed(format, set)),
    }
}

fn whole(set: &MemorySet, role: Role) -> (Role, Range<usize>) {
    (role, 0..set.get(role).map_or(0, <[u8]>::len))
}

/// Maps SCID 3 and SCID 4.
fn scid(set: &MemorySet, [index_file, games, names]: [Role; 3]) -> Map {
    let index = scid::Index::parse(set.get(index_file).unwrap()).unwrap();
    let start = index.file_header.size();
    let size = if index.file_header.is_si3() {
        scid::Entry::SI3_SIZE
    } else {
        scid::Entry::SIZE
    };
    let own = (0..).zip(&index.entries).map(|(n, entry)| {
        let record = entry.offset as usize..(entry.offset + entry.length) as usize;
        vec![
            (index_file, start + n * size..start + (n + 1) * size),
            (games, record),
        ]
    });
    Map {
        own: own.collect(),
        names: vec![whole(set, names)],
        // Magic bytes and version.
        frame: vec![(index_file, 0..10)],
        // Type, number of games, game to open first, the texts after them, and the name counts.
        header: vec![(index_file, 0..start), (names, 0..44)],
        index: Some((index_file, Records { start, size }, 0..4)),
    }
}

/// Maps SCID 5; its index consists of entries only.
fn si5(set: &MemorySet) -> Map {
    let [index_file, games, names] = ["si5", "sg5", "sn5"].map(Role);
    let index = scid::si5::Index::parse(set.get(index_file).unwrap());
    let size = scid::si5::Entry::SIZE;
    let own = (0..).zip(&index.entries).map(|(n, entry)| {
        let at = entry.offset as usize;
        vec![
            (index_file, n * size..(n + 1) * size),
            (games, at..at + entry.length as usize),
        ]
    });
    Map {
        own: own.collect(),
        names: vec![whole(set, names)],
        frame: vec![],
        // The first records of the log: type, description and names.
        header: vec![(names, 0..44), (index_file, 0..size)],
        index: Some((index_file, Records { start: 0, size }, 32..40)),
    }
}

/// Maps a book: it is one game, and each move is a record.
fn book(set: &MemorySet) -> Map {
    let file = whole(set, Role("fbk"));
    let size = 2;
    Map {
        own: vec![vec![file.clone()]],
        names: vec![],
        frame: vec![],
        header: vec![file],
        index: Some((Role("fbk"), Records { start: 0, size }, 1..2)),
    }
}

/// Returns `None` if the index is missing.
fn cbf_map(set: &MemorySet) -> Option<Map> {
    let (cbi, cbf_role) = (Role("cbi"), Role("cbf"));
    let index = cbf::Index::parse(set.get(cbi)?);
    let games = set.get(cbf_role).unwrap();
    let own = (1..index.words.len() - 1).map(|place| {
        let start = cbf::Index::offset(place as u32, index.words[place]).unwrap() as usize;
        let header = cbf::RawHeader::parse(games[start..].first_chunk().unwrap());
        let record = start..start + header.record_len();
        vec![(cbi, place * 4..place * 4 + 4), (cbf_role, record)]
    });
    Some(Map {
        own: own.collect(),
        names: vec![],
        frame: vec![],
        header: vec![(cbi, 0..4)],
        index: Some((cbi, Records { start: 4, size: 4 }, 0..4)),
    })
}

fn cbh_map(set: &MemorySet) -> Map {
    let [cbh, cbg, cba, cbj] = ["cbh", "cbg", "cba", "cbj"].map(Role);
    let size = cbh::Record::SIZE;
    let index = cbh::Index::parse(set.get(cbh).unwrap());
    let kinds = cbh::NewExtended::SIZE;
    let own = index.records.iter().enumerate().map(|(n, record)| {
        let cbh::Record::Game(game) = cbh::Record::parse(record) else {
            panic!("we write no guiding texts");
        };
        let at = game.moves as usize;
        let moves = cbh::MoveRecord::parse(&set.get(cbg).unwrap()[at..]).unwrap();
        let mut own = vec![
            (cbh, (n + 1) * size..(n + 2) * size),
            (cbg, at..at + moves.size()),
            (cbj, 32 + n * kinds..32 + (n + 1) * kinds),
        ];
        let at = game.annotations as usize;
        if at > 0 {
            let notes = cbh::AnnotationRecord::parse(&set.get(cba).unwrap()[at..]).unwrap();
            own.push((cba, at..at + notes.size as usize));
        }
        own
    });
    let tables = ["cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt"].map(Role);
    Map {
        own: own.collect(),
        names: tables.iter().map(|role| whole(set, *role)).collect(),
        // The length of a record.
        frame: vec![(cbh, 0..6)],
        header: [cbh, cbg, cba, cbj].map(|role| (role, 0..26)).to_vec(),
        index: Some((cbh, Records { start: size, size }, 1..5)),
    }
}

fn cbh2_map(format: &Format, set: &MemorySet) -> Map {
    let [cbh, cbg, cba, lid] = ["2cbh", "2cbg", "2cba", "2lid"].map(Role);
    let size = cbh::cbh2::Record::SIZE;
    Map {
        header: vec![(cbh, 8..24), (cbg, 0..12), (cba, 0..12), (lid, 0..128)],
        index: Some((cbh, Records { start: size, size }, 8..16)),
        ..printed(format, set)
    }
}

fn dcx_map(set: &MemorySet) -> Map {
    let (dci, dcg) = (Role("dci"), Role("dcg"));
    let base = dcx::raw::Base::parse(set).unwrap();
    let layout = base.index.layout();
    let size = layout.entry.bytes();
    let start = layout.entry_offset(0) as usize;
    let games = set.get(dcg).unwrap();
    let own = (0..).zip(&base.index.entries).map(|(n, entry)| {
        let at = entry.offset as usize;
        let (length, _) = dcx::raw::Length::parse(&games[at..]).unwrap();
        let record = at..at + length.size() + length.value as usize;
        vec![
            (dci, start + n * size..start + (n + 1) * size),
            (dcg, record),
        ]
    });
    let names = [Role("dcn"), Role("dcs"), Role("dce")];
    Map {
        own: own.collect(),
        names: names.iter().map(|role| whole(set, *role)).collect(),
        frame: vec![(dci, 0..10)],
        header: vec![(dci, 0..start), (dcg, 0..10), (Role("dcn"), 0..10)],
        index: Some((dci, Records { start, size }, 1..9)),
    }
}

fn ca_map(set: &MemorySet) -> Map {
    let [d00, a02, d02, emb, cdp] = ["d00", "a02", "d02", "emb", "cdp"].map(Role);
    let base = ca::Base::parse(set).unwrap();
    let places = ca::resolve(&base.addresses);
    let size = ca::RawHeader::SIZE;
    let own = (0..).zip(&base.raw_headers).map(|(n, header)| {
        let number = header.game as usize;
        let mut own = vec![(d00, n * size..(n + 1) * size)];
        own.push((a02, number * 4..number * 4 + 4));
        let offset = places.get(number).and_then(|place| place.offset());
        let record = base
            .games
            .records
            .iter()
            .find(|(at, _)| Some(*at) == offset);
        if let Some((at, record)) = record {
            own.push((d02, *at as usize..*at as usize + record.size()));
        }
        own
    });
    Map {
        own: own.collect(),
        names: vec![whole(set, emb)],
        frame: vec![],
        header: vec![(cdp, 100..112), (emb, 128..144)],
        index: Some((a02, Records { start: 0, size: 4 }, 0..4)),
    }
}

/// Maps an SQL script. SQL has no mark at which a reader could resume after damage: a game is
/// intact if nothing before the end of its rows was touched.
fn sql(set: &MemorySet) -> Map {
    let role = Role("sql");
    let text = set.get(role).unwrap();
    let ends = |table: &str| {
        let header = format!("INSERT INTO `{table}` VALUES\n");
        let start = find(text, header.as_bytes()).map_or(text.len(), |at| at + header.len());
        let mut ends = Vec::new();
        let mut at = start;
        while let Some(line) = find(&text[at..], b"\n") {
            if text[at] != b'(' {
                break;
            }
            at += line + 1;
            ends.push(at);
        }
        ends
    };
    let games = ends("Game").into_iter().zip(ends("MoreGame"));
    Map {
        own: games.map(|(_, more)| vec![(role, 0..more)]).collect(),
        names: vec![],
        frame: vec![],
        header: vec![],
        index: None,
    }
}

/// Maps a database by the regions that its format prints: those of a game begin with `game N`,
/// those that identify the format with `magic`. All others are taken for names.
pub(super) fn printed(format: &Format, set: &MemorySet) -> Map {
    let id = format.id;
    assert!(
        format.dump.is_some(),
        "the damage tests need a map of {id}: Format::with_dump, or an arm in damage/map.rs"
    );
    let (mut own, mut names, mut frame) = (Vec::<Ranges>::new(), vec![], vec![]);
    cover(set, format.roles, format.dump, &mut |region, _| {
        let range = (region.file, region.start as usize..region.end as usize);
        if let Some(number) = game_of(&region.what) {
            own.resize(own.len().max(number), Ranges::new());
            own[number - 1].push(range);
        } else if region.what.starts_with("magic") {
            frame.push(range);
        } else if region.kind == RegionKind::Known {
            names.push(range);
        }
    });
    Map {
        own,
        names,
        frame,
        header: vec![],
        index: None,
    }
}

/// Returns the number of the game, from 1, at the start of a region's description.
fn game_of(what: &str) -> Option<usize> {
    let number = what.strip_prefix("game ")?;
    number.split([':', ',']).next()?.parse().ok()
}

/// Maps jose's MyISAM tables, using the map that `dump` prints: it is more precise than the
/// sequence of rows, and is checked against an independent writer in chessdb-bytecode.
fn tables(format: &Format, tables: &[TableFiles], set: &MemorySet) -> Map {
    let is_games = |table: &&TableFiles| table.name.ends_with("Game");
    let (mut own, mut names, mut frame) = (Vec::<Ranges>::new(), vec![], vec![]);
    cover(set, format.roles, format.dump, &mut |region, _| {
        let table = tables
            .iter()
            .find(|table| [table.rows, table.description].contains(&region.file));
        let range = (region.file, region.start as usize..region.end as usize);
        if let Some(number) = game_of(&region.what) {
            own.resize(own.len().max(number), Ranges::new());
            own[number - 1].push(range);
        } else if region.kind == RegionKind::Known {
            if table.filter(is_games).is_none() {
                names.push(range);
            } else if table.is_some_and(|table| table.description == region.file) {
                // Without the columns the rows cannot be read.
                frame.push(range);
            }
        }
    });
    let games: Vec<_> = tables.iter().filter(is_games).collect();
    let header = games.iter().map(|table| (table.rows, 0..120));
    // Only the games table of LIVE has rows of equal length; its number is the number of moves.
    let index = (games.len() > 1).then(|| {
        let size = own[0].iter().filter(|(role, _)| *role == games[0].rows);
        let size = size.map(|(_, range)| range.len()).sum();
        (games[0].rows, Records { start: 0, size }, 1..5)
    });
    Map {
        own,
        names,
        frame,
        header: header.collect(),
        index,
    }
}

/// Maps PGN: a game extends from its first tag to the first tag of the next.
fn pgn(set: &MemorySet) -> Map {
    let role = Role("pgn");
    let text = set.get(role).unwrap();
    let mut starts: Vec<usize> = Vec::new();
    for at in 0..text.len() {
        let tag = text[at..].starts_with(b"[Event \"");
        // After a blank line: a comment may contain such words.
        if tag && (at == 0 || text[..at].ends_with(b"\n\n")) {
            starts.push(at);
        }
    }
    starts.push(text.len());
    let own = starts.windows(2).map(|pair| vec![(role, pair[0]..pair[1])]);
    Map {
        own: own.collect(),
        names: vec![],
        frame: vec![],
        header: vec![],
        index: None,
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|found| found == wanted)
}
