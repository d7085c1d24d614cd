//! Scidb's rules for the places of names and records (docs/formats/scidb.md, sections 3.1 and 4),
//! written once more without the code of the crate, and the tags that are details of names.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chessdb_core::options::Allow;
use chessdb_core::{BaseInfo, Date, Game, MemorySet, ReadOptions};
use chessdb_scidb::raw::{Entry, Index, NameFile, NameKind, NameRecord};
use chessdb_scidb::{SCG_FILE, SCI_FILE, SCIDB, SCN_FILE};
use chessdb_testkit::identity;
use proptest::prelude::*;

use crate::losses::through;

const BLOCK: usize = 131_072;

/// Returns the breaches of Scidb's rules.
pub(crate) fn breaches(files: &MemorySet) -> Vec<String> {
    breaches_with(files, |year| year.unwrap_or(1023))
}

/// Returns the breaches of Scidb's rules. `year_key` is the number by which the stored year of an
/// event is compared.
fn breaches_with(files: &MemorySet, year_key: fn(Option<u16>) -> u16) -> Vec<String> {
    let bytes = |role| chessdb_core::FileSet::get(files, role).unwrap();
    let (games, index) = (bytes(SCG_FILE), Index::parse(bytes(SCI_FILE)).unwrap());
    let mut breaches = Vec::new();
    for entry in index.entries.iter().map(Entry::parse) {
        let start = entry.record as usize;
        let size = games[start..start + 3]
            .iter()
            .fold(0, |size, &byte| size << 8 | usize::from(byte));
        let blocks = start / BLOCK..=(start + size - 1) / BLOCK;
        let is_within = if size <= BLOCK {
            blocks.start() == blocks.end()
        } else {
            start.is_multiple_of(BLOCK) && games.len() >= (blocks.end() + 1) * BLOCK
        };
        if !is_within {
            breaches.push(format!("record at {start}, {size} bytes"));
        }
    }
    let (names, fault) = NameFile::parse(bytes(SCN_FILE)).unwrap();
    assert!(fault.is_none());
    let records = |kind| &names.section(kind).unwrap().records;
    let sites = records(NameKind::Site).iter();
    let sites: BTreeMap<u32, &NameRecord> = sites.map(|site| (site.id, site)).collect();
    let compare = |kind, a: &NameRecord, b: &NameRecord| {
        let site = |r: &NameRecord| (r.name.clone(), r.details.flags);
        match kind {
            NameKind::Site => site(a).cmp(&site(b)),
            NameKind::Event => {
                let event = |r: &NameRecord| {
                    let (flags, more) = (r.details.flags, r.details.more);
                    let month = more.map_or(0, |more| more >> 10);
                    let year = year_key(more.map(|more| more & 1023));
                    let day = more.map_or(0, |_| flags >> 10 & 31);
                    let parts = [day, month, year, flags >> 7 & 7, flags >> 4 & 7, flags & 15];
                    (r.name.clone(), parts, site(sites[&r.details.site]))
                };
                event(a).cmp(&event(b))
            }
            NameKind::Player => {
                let parts = |r: &NameRecord| {
                    let (flags, more) = (r.details.flags, r.details.more.unwrap_or(0));
                    let has_fide = u16::from(r.details.fide_id.is_some());
                    [
                        has_fide,
                        more >> 9 & 15,
                        more & 511,
                        flags >> 3 & 3,
                        flags & 3,
                    ]
                };
                let fide = match (a.details.fide_id, b.details.fide_id) {
                    (Some(a), Some(b)) => (a as i32).wrapping_sub(b as i32).cmp(&0),
                    _ => Ordering::Equal,
                };
                a.name.cmp(&b.name).then(fide).then(parts(a).cmp(&parts(b)))
            }
            NameKind::Annotator => a.name.cmp(&b.name),
        }
    };
    for section in &names.sections {
        // Not only neighbours: Scidb also searches the lists.
        for (n, a) in section.records.iter().enumerate() {
            for b in &section.records[n + 1..] {
                if compare(section.kind, a, b) != Ordering::Less {
                    breaches.push(format!("{:?} {:?} and {:?}", section.kind, a, b));
                }
            }
        }
    }
    breaches
}

pub(crate) fn write(games: &[Game]) -> MemorySet {
    let nothing = identity::nothing_lost(&BaseInfo::default()).with_allowed(Allow::Everything);
    identity::write_all(&SCIDB, games, nothing).unwrap().0
}

fn findings(files: &MemorySet) -> Vec<String> {
    let mut findings = Vec::new();
    chessdb_core::format::check(&SCIDB, files, &ReadOptions::default(), &mut |finding| {
        findings.push(finding.kind.to_string());
    });
    findings
}

/// Tags with few values, so that equal names with other details are frequent.
const VALUES: [(&str, &[&str]); 12] = [
    ("Event", &["Cup", "Open"]),
    ("Site", &["A", "B"]),
    ("EventCountry", &["USA", "FRA", "Atlantis"]),
    ("EventType", &["swiss", "team", "SWISS"]),
    ("Mode", &["OTB", "ICS", "by telegraph"]),
    ("TimeMode", &["rapid", "blitz"]),
    (
        "EventDate",
        &[
            "2001.03.01",
            "2000.01.01",
            "2001.??.??",
            "2001.02.31",
            "????.05.01",
            "2100.12.??",
            "2100.03.01",
        ],
    ),
    ("White", &["Doe, John", "Roe, Jane"]),
    (
        "WhiteFideId",
        &["7", "8", "2147483647", "2147483648", "4294967295"],
    ),
    ("WhiteTitle", &["GM", "WIM", "Dr"]),
    ("WhiteType", &["human", "program", "robot"]),
    ("WhiteCountry", &["GER", "ESP", "XYZ"]),
];

fn game(choice: &[u8]) -> Game {
    let tags = VALUES.iter().zip(choice);
    let chosen =
        tags.filter_map(|((name, values), &n)| Some((*name, *values.get(usize::from(n))?)));
    let game = chosen.fold(Game::builder(), |game, (name, value)| game.tag(name, value));
    game.sans(["e4", "e5"]).unwrap().build()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn names_are_in_the_order_of_scidb(
        choices in prop::collection::vec(prop::collection::vec(0u8..8, VALUES.len()), 1..40),
    ) {
        let games: Vec<Game> = choices.iter().map(|choice| game(choice)).collect();
        let files = write(&games);
        prop_assert_eq!(breaches(&files), Vec::<String>::new());
        // Other programs compare the whole year, in ten bits, and a missing one as 0.
        let by_year = |year: Option<u16>| year.map_or(0, |year| (year + 1200) & 1023);
        prop_assert_eq!(breaches_with(&files, by_year), Vec::<String>::new());
        prop_assert_eq!(findings(&files), Vec::<String>::new());
        for (game, back) in games.iter().zip(identity::open_all(&SCIDB, &files)) {
            for (name, _) in VALUES {
                prop_assert_eq!(game.tag(name), back.tag(name), "{}", name);
            }
        }
        let again = identity::rewrite(&SCIDB, &files, &Allow::Nothing).unwrap().set;
        prop_assert_eq!(identity::first_difference(&files, &again), None);
        // A database of Scidb has a kind, and its events keep their dates.
        let mut own = files;
        own.get_mut(SCI_FILE).unwrap()[14] = 35;
        let once = identity::rewrite(&SCIDB, &own, &Allow::Nothing).unwrap().set;
        prop_assert_eq!(breaches(&once), Vec::<String>::new());
        prop_assert_eq!(breaches_with(&once, by_year), Vec::<String>::new());
        let twice = identity::rewrite(&SCIDB, &once, &Allow::Nothing).unwrap().set;
        prop_assert_eq!(identity::first_difference(&once, &twice), None);
    }

    #[test]
    fn records_do_not_cross_blocks(sizes in prop::collection::vec(
        prop_oneof![10usize..2_000, 60_000usize..70_000, 130_900usize..131_200, 1usize..600_000],
        1..12,
    )) {
        let games: Vec<Game> = sizes
            .iter()
            .map(|&size| Game::builder().sans(["e4"]).unwrap().comment(&"x".repeat(size)).build())
            .collect();
        let files = write(&games);
        prop_assert_eq!(breaches(&files), Vec::<String>::new());
        prop_assert_eq!(findings(&files), Vec::<String>::new());
        let back = identity::open_all(&SCIDB, &files);
        prop_assert_eq!(back.len(), games.len());
    }
}

/// `check` finds each breach, and a database with one is still read.
#[test]
fn breaches_are_findings() {
    let games = [("A", 70_000), ("B", 70_000), ("C", 10)].map(|(site, size)| {
        let game = Game::builder()
            .event("Cup")
            .site(site)
            .sans(["e4"])
            .unwrap();
        game.comment(&"x".repeat(size)).build()
    });
    let whole = write(&games);
    assert_eq!(findings(&whole), Vec::<String>::new());
    // The second record directly after the first.
    let mut crossing = whole.clone();
    let bytes = crossing.get_mut(SCG_FILE).unwrap();
    let size = u32::from_be_bytes([0, bytes[11], bytes[12], bytes[13]]) as usize;
    bytes.drain(11 + size..BLOCK);
    for n in [1, 2] {
        let at = 128 + n * Entry::SIZE;
        let mut entry = Entry::parse(whole_entry(&whole, at));
        let start = entry.record as usize - (BLOCK - 11 - size);
        entry.record = start as u32;
        let index = crossing.get_mut(SCI_FILE).unwrap();
        index[at..at + Entry::SIZE].copy_from_slice(&entry.to_bytes());
    }
    let all = findings(&crossing);
    assert!(all.len() == 1 && all[0].contains("blocks"), "{all:?}");
    assert_eq!(
        identity::open_all(&SCIDB, &crossing),
        identity::open_all(&SCIDB, &whole)
    );
    assert_eq!(breaches(&crossing).len(), 1);
    // Two events of one name exchanged, and one twice.
    for is_twice in [false, true] {
        let (mut names, _) =
            NameFile::parse(chessdb_core::FileSet::get(&whole, SCN_FILE).unwrap()).unwrap();
        let events = &mut names.sections[2].records;
        let shared = (events[0].shared, events[1].shared);
        if is_twice {
            events[1].details = events[0].details;
        } else {
            events.swap(0, 1);
        }
        (events[0].shared, events[1].shared) = shared;
        let mut changed = whole.clone();
        changed.insert(SCN_FILE, names.to_bytes());
        let all = findings(&changed);
        let word = if is_twice { "twice" } else { "sorted" };
        assert!(all.iter().any(|found| found.contains(word)), "{all:?}");
        assert!(!breaches(&changed).is_empty());
    }
}

fn whole_entry(files: &MemorySet, at: usize) -> &[u8; Entry::SIZE] {
    let index = chessdb_core::FileSet::get(files, SCI_FILE).unwrap();
    index[at..].first_chunk().unwrap()
}

/// Returns the details of the names of a game, by kind.
fn details(game: &Game, kind: NameKind) -> Vec<(Vec<u8>, u16, Option<u16>)> {
    let files = write(std::slice::from_ref(game));
    let (names, _) =
        NameFile::parse(chessdb_core::FileSet::get(&files, SCN_FILE).unwrap()).unwrap();
    let records = names.section(kind).unwrap().records.iter();
    let details = records.map(|r| (r.name.clone(), r.details.flags, r.details.more));
    details.collect()
}

#[test]
fn tags_are_details_of_names() {
    let game = Game::builder()
        .event("Cup")
        .site("Riga")
        .white("Tal")
        .black("Engine")
        .tag("EventType", "swiss")
        .tag("Mode", "ICS")
        .tag("TimeMode", "bullet")
        .tag("EventCountry", "LAT")
        .tag("WhiteSex", "m")
        .tag("WhiteCountry", "URS")
        .tag("BlackType", "program")
        .build();
    let name = |name: &str| name.as_bytes().to_vec();
    assert_eq!(
        details(&game, NameKind::Event),
        [(name("Cup"), 4 | 4 << 4 | 4 << 7, None)]
    );
    assert_eq!(details(&game, NameKind::Site), [(name("Riga"), 130, None)]);
    assert_eq!(
        details(&game, NameKind::Player),
        [
            (name("Engine"), 2, None),
            (name("Tal"), 1 << 3 | 1 << 6, Some(217))
        ]
    );
    let (back, losses) = through(&game);
    assert!(losses.is_empty(), "{losses:?}");
    for tag in [
        "EventType",
        "Mode",
        "TimeMode",
        "EventCountry",
        "WhiteCountry",
        "BlackType",
    ] {
        assert_eq!(game.tag(tag), back.tag(tag), "{tag}");
    }
}

/// Events of a database of Scidb keep a date that is a year alone, and a year from 2048 on, until the
/// date is edited. In another database it is a tag.
#[test]
fn dates_without_a_sure_order_stay_with_events_of_scidb() {
    let game = Game::builder()
        .event("Cup")
        .event_date("2001.05.??")
        .build();
    for more in [801, 900 | 5 << 10] {
        let mut files = write(std::slice::from_ref(&game));
        let (mut names, _) =
            NameFile::parse(chessdb_core::FileSet::get(&files, SCN_FILE).unwrap()).unwrap();
        names.sections[2].records[0].details.more = Some(more);
        files.insert(SCN_FILE, names.to_bytes());
        for is_scidb in [true, false] {
            files.get_mut(SCI_FILE).unwrap()[14] = if is_scidb { 35 } else { 0 };
            let again = identity::rewrite(&SCIDB, &files, &Allow::Nothing)
                .unwrap()
                .set;
            let is_same = identity::first_difference(&files, &again).is_none();
            assert_eq!(is_same, is_scidb, "{more}");
            let back = identity::open_all(&SCIDB, &again).remove(0);
            let year = 1200 + (more & 1023);
            assert_eq!(back.event_date().year, year);
        }
        let mut edited = identity::open_all(&SCIDB, &files).remove(0);
        assert!(edited.header.event.key.is_some());
        edited.set_tag("EventDate", "2002.??.??");
        assert_eq!(edited.header.event.key, None);
    }
}

/// A date is written in the same place again, also if an impossible month leaves a year alone of it.
#[test]
fn impossible_dates_of_events_stay_where_they_are() {
    for (year, month, day) in [(1965, 13, 5), (1965, 15, 0), (1965, 0, 5), (2050, 13, 1)] {
        for key in [None, Some(1)] {
            let mut game = Game::builder().event("Cup").build();
            game.header.event_date = Date::new(year, month, day);
            game.header.event.key = key;
            let files = write(std::slice::from_ref(&game));
            let again = identity::rewrite(&SCIDB, &files, &Allow::Nothing).unwrap();
            assert_eq!(
                identity::first_difference(&files, &again.set),
                None,
                "{year}.{month}.{day}, {key:?}"
            );
        }
    }
}

/// Scidb fails at a program with a FIDE number, so the kind is a tag of the record.
#[test]
fn a_program_with_a_fide_number_is_a_tag() {
    let game = Game::builder()
        .white("X")
        .tag("WhiteFideId", "7")
        .tag("WhiteType", "program")
        .build();
    let players = details(&game, NameKind::Player);
    assert!(
        players.iter().all(|(_, flags, _)| flags & 3 == 0),
        "{players:?}"
    );
    assert_eq!(
        through(&game).0.tag("WhiteType").as_deref(),
        Some("program")
    );
}

#[test]
fn eco_codes_are_in_the_index() {
    for (eco, stored) in [
        ("A00", 1),
        ("C60", 261),
        ("E99", 500),
        ("B50/04", 151),
        ("x", 0),
        ("F05", 0),
    ] {
        let game = Game::builder().tag("ECO", eco).build();
        let files = write(std::slice::from_ref(&game));
        let entry = Entry::parse(whole_entry(&files, 128));
        assert_eq!(entry.eco, stored, "{eco}");
        let (back, losses) = through(&game);
        assert!(losses.is_empty(), "{losses:?}");
        assert_eq!(back.tag("ECO").as_deref(), Some(eco));
    }
}

#[test]
fn a_nag_is_stored_once_for_each_move() {
    let game = Game::builder().sans(["e4"]).unwrap().nag(1).nag(14).nag(1);
    let game = game.sans(["e5"]).unwrap().nag(1).build();
    let (back, losses) = through(&game);
    assert_eq!(losses.count(chessdb_core::LossKind::Nag), 1);
    let nags = back
        .moves
        .tokens()
        .filter(|token| matches!(token, chessdb_core::model::Token::Nag(_)));
    assert_eq!(nags.count(), 3);
}

#[test]
fn figurines_are_symbols() {
    let text = "\u{2654} on e1, see $5, \u{265a}, \u{2659}\u{2658}";
    let game = Game::builder().sans(["e4"]).unwrap().comment(text).build();
    let files = write(std::slice::from_ref(&game));
    let games = chessdb_core::FileSet::get(&files, SCG_FILE).unwrap();
    let stored =
        b"<xml><:><sym>K</sym> on e1, see $5, \xe2\x99\x9a, <sym>P</sym><sym>N</sym></:></xml>";
    assert!(games.windows(stored.len()).any(|part| part == stored));
    let (back, losses) = through(&game);
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(back.moves, game.moves);
    assert!(back.header.extras.is_empty());
}
