//! Translation between generations and back: equal files, losses and differences.

use std::collections::BTreeMap;

use chessdb_core::compare::first_difference;
use chessdb_core::files::Role;
use chessdb_core::model::{NameRecord, NameRole, NameTable};
use chessdb_core::options::Allow;
use chessdb_core::{
    BaseInfo, ErrorKind, FileSet, Game, LossKind, MemorySet, ReadOptions, WriteOptions,
};
use chessdb_scid::raw::si5::{NameKind, Names};
use chessdb_scid::raw::{self, IndexFlags, Segment};
use chessdb_scid::{
    Generation, SG5_FILE, SI4, SI4_FILE, SI5_FILE, SN5_FILE, Store, Translated, translate,
};
use chessdb_testkit::{fixtures, golden, identity};

use crate::common::{Base, GENUINE, MADE, bases, format, own_bases, twin};

fn all() -> impl Iterator<Item = Base> {
    let outside = GENUINE.into_iter().chain(MADE).flat_map(bases);
    own_bases().into_iter().chain(outside)
}

fn translated(
    files: &MemorySet,
    from: Generation,
    to: Generation,
    allow: Allow,
) -> chessdb_core::Result<(MemorySet, Translated)> {
    let store = Store::open_as(from, files, ReadOptions::default())?;
    let mut sink = MemorySet::new();
    let done = translate(&store, to, &mut sink, allow)?;
    assert!(sink.is_committed());
    // The writer's output is sound: no numbers without a name, no record beyond the end of the
    // file.
    assert_eq!(done.games, store_len(&sink, to));
    Ok((sink, done))
}

fn store_len(files: &MemorySet, generation: Generation) -> u32 {
    identity::open(format(generation), files).len()
}

/// Translates a database without losses, and back.
fn there_and_back(base: &Base, by: Generation) -> (MemorySet, MemorySet) {
    let there = translated(&base.files, base.generation, by, Allow::Nothing);
    let (there, _) = there.unwrap_or_else(|error| panic!("{}: {error}", base.path()));
    let (back, done) = translated(&there, by, base.generation, Allow::Nothing).unwrap();
    assert!(done.losses.is_empty() && done.diagnostics.is_empty());
    (there, back)
}

fn same_games(base: &Base, files: &MemorySet, generation: Generation) {
    let old = identity::open_all(base.format, &base.files);
    let new = identity::open_all(format(generation), files);
    assert_eq!(old.len(), new.len());
    for (n, (a, b)) in old.iter().zip(&new).enumerate() {
        assert_eq!(
            first_difference(a, b),
            None,
            "{} game {}",
            base.path(),
            n + 1
        );
    }
}

/// Databases written by a program other than Scid 4.7, edited, or with event dates that Scid
/// dropped, with their differences after si4, si5, si4.
const OLDER: [(&str, &str); 8] = [
    ("scid/remains", "event-date words 4"),
    (
        "scid/edited",
        "bytes of slack in the games 947, places of records 11",
    ),
    ("benini-scid/res_database", "event-date words 1"),
    ("scidvspc-five/five", "slack of the header 49"),
    (
        "scidvspc-si4/endings",
        "bytes of slack in the games 11252, event-date words 67, maximum frequencies 4, \
         places of records 67, slack of the header 1",
    ),
    (
        "scidvspc-si4/matein1",
        "bytes of slack in the games 671715, event-date words 1212, maximum frequencies 4, \
         places of records 1212, slack of the header 1",
    ),
    (
        "scidvspc-si4/matein4andmore",
        "bytes of slack in the games 1169752, event-date words 3417, maximum frequencies 4, \
         places of records 3417, slack of the header 1",
    ),
    (
        "scidvspc-si4/tactics",
        "bytes of slack in the games 887556, event-date words 48, maximum frequencies 4, \
         places of records 928, slack of the header 1",
    ),
];

#[test]
fn si4_by_si5_and_back_is_the_same() {
    let (mut same, mut unknown) = (0, Vec::new());
    for base in all().filter(|base| base.generation == Generation::Si4) {
        let (si5, back) = there_and_back(&base, Generation::Si5);
        same_games(&base, &si5, Generation::Si5);
        let kinds = kinds(&base.files, &back);
        let known = OLDER.iter().find(|(name, _)| *name == base.name);
        let shown = kinds.iter().map(|(kind, count)| format!("{kind} {count}"));
        let shown = shown.collect::<Vec<_>>().join(", ");
        println!("{}: {shown}", base.path());
        if shown != known.map_or("", |(_, kinds)| kinds) {
            unknown.push((base.path(), shown));
        }
        if known.is_none() {
            assert_eq!(identity::first_difference(&base.files, &back), None);
            same += 1;
        }
    }
    println!("{same} bases byte for byte");
    assert_eq!(unknown, []);
}

/// Counts the differences of two databases of SCID 3 or SCID 4. Panics at an unlisted one.
fn kinds(old: &MemorySet, new: &MemorySet) -> BTreeMap<&'static str, usize> {
    let parse = |set| match FileSet::get(set, SI4_FILE) {
        Some(_) => raw::Base::parse(set).unwrap().0,
        None => raw::Base::parse_si3(set).unwrap().0,
    };
    let (a, b) = (parse(old), parse(new));
    let mut kinds = BTreeMap::new();
    let mut count = |kind, by| {
        if by > 0 {
            *kinds.entry(kind).or_default() += by;
        }
    };
    let (x, y) = (&a.index.file_header, &b.index.file_header);
    let said = |h: &raw::FileHeader| {
        (
            h.version,
            h.kind,
            h.games,
            h.autoload,
            h.description().to_vec(),
        )
    };
    assert_eq!(said(x), said(y));
    assert!(x.flag_names().eq(y.flag_names()));
    let fields = |h: &raw::FileHeader| [&h.description[..], h.flag_names.as_flattened()].concat();
    let (x, y) = (fields(x), fields(y));
    count(
        "slack of the header",
        x.iter().zip(&y).filter(|(x, y)| x != y).count(),
    );
    for (x, y) in a.index.entries.iter().zip(&b.index.entries) {
        let mut rest = *x;
        count("places of records", (x.offset != y.offset).into());
        let no_date = x.event_date & 0x1FF == 0 && y.event_date & 0x1FF == 0;
        count(
            "event-date words",
            (x.event_date != y.event_date && no_date).into(),
        );
        rest.offset = y.offset;
        if no_date {
            rest.event_date = y.event_date;
        }
        assert_eq!(rest, *y);
    }
    let slack = |base: &raw::Base<'_>| -> usize {
        let bytes = base.games.segments.iter().map(|segment| match segment {
            Segment::Slack { bytes, .. } => bytes.len(),
            Segment::Record { .. } => 0,
        });
        bytes.sum()
    };
    count("bytes of slack in the games", slack(&a).abs_diff(slack(&b)));
    let frequencies = a.names.file_header.max_frequencies;
    let greatest = frequencies.iter().zip(&b.names.file_header.max_frequencies);
    count(
        "maximum frequencies",
        greatest.filter(|(x, y)| x != y).count(),
    );
    let mut names = a.names.clone();
    names.file_header.max_frequencies = b.names.file_header.max_frequencies;
    assert_eq!(names, b.names);
    kinds
}

/// The translation of an si4 by Scid 4.7 equals the database that Scid 5 made from the same PGN.
#[test]
fn si4_becomes_what_scid_5_writes() {
    let all = bases("fixtures-real/scid/oracle-made");
    let mut equal = 0;
    for base in all.iter().filter(|base| base.generation == Generation::Si4) {
        let theirs = twin(&base.name, &all, Generation::Si5);
        let (ours, _) = translated(
            &base.files,
            base.generation,
            Generation::Si5,
            Allow::Nothing,
        )
        .unwrap();
        let difference = identity::first_difference(&ours, &theirs);
        // The games of `mixed` differ (test `twins`).
        assert_eq!(
            difference.is_none(),
            base.name != "oracle-made/mixed",
            "{}: {difference:?}",
            base.name
        );
        equal += u32::from(difference.is_none());
    }
    println!("{equal} bases equal");
}

#[test]
fn si5_by_si4_and_back_is_the_same() {
    for base in all().filter(|base| base.generation == Generation::Si5) {
        if base.name == "oracle-made/mixed" {
            continue; // Covered by the next test.
        }
        let (si4, back) = there_and_back(&base, Generation::Si4);
        same_games(&base, &si4, Generation::Si4);
        assert_eq!(
            identity::first_difference(&base.files, &back),
            None,
            "{}",
            base.path()
        );
    }
}

/// A database with a Chess960 game and an event four years from its game.
#[test]
fn what_si4_cannot_hold_of_si5_is_counted() {
    let all = bases("fixtures-real/scid/oracle-made");
    let Some(mixed) = all
        .iter()
        .find(|base| base.path() == "oracle-made/mixed.si5")
    else {
        return;
    };
    let to_si4 = |allow| translated(&mixed.files, Generation::Si5, Generation::Si4, allow);
    let refused = to_si4(Allow::Nothing).unwrap_err();
    assert!(matches!(
        refused.kind(),
        ErrorKind::Unrepresentable(LossKind::EventDate)
    ));
    assert_eq!(refused.location().game, Some(2));
    let only_dates = Allow::Kinds(vec![LossKind::EventDate]);
    let refused = to_si4(only_dates).unwrap_err();
    assert!(matches!(
        refused.kind(),
        ErrorKind::Unrepresentable(LossKind::Chess960)
    ));
    let (si4, done) = to_si4(Allow::Everything).unwrap();
    let lost: Vec<_> = done
        .losses
        .iter()
        .map(|loss| (loss.kind, loss.count))
        .collect();
    assert_eq!(lost, [(LossKind::EventDate, 1), (LossKind::Chess960, 1)]);
    // The start position shows Chess960 again; the event date is lost.
    let (si5, _) = translated(&si4, Generation::Si4, Generation::Si5, Allow::Nothing).unwrap();
    let ranges = identity::differing_ranges(&mixed.files, &si5);
    assert_eq!(ranges, [(SI5_FILE, 56 + 24..56 + 27)]);
}

/// SCID 3 has no custom flags and shorter records. Its own databases are restored except for record
/// offsets.
#[test]
fn si3_by_the_others_and_back() {
    for base in bases("fixtures-real/scid/scidvspc-si3") {
        for by in [Generation::Si4, Generation::Si5] {
            let (there, back) = there_and_back(&base, by);
            same_games(&base, &there, by);
            let kinds = kinds(&base.files, &back);
            println!("{} by {by:?}: {kinds:?}", base.path());
        }
    }
}

/// Custom flags and long records of SCID 4.
#[test]
fn what_si3_cannot_hold_is_counted() {
    for name in ["scid/blocks.si4", "scid/headers.si4"] {
        let base = own_bases()
            .into_iter()
            .find(|base| base.path() == name)
            .unwrap();
        let (si3, done) = translated(
            &base.files,
            base.generation,
            Generation::Si3,
            Allow::Everything,
        )
        .unwrap();
        let entries = raw::Base::parse(&base.files).unwrap().0.index.entries;
        let long = entries.iter().filter(|entry| entry.length > 32_767).count();
        let custom = |flags: IndexFlags| flags.bits() >> 16 != 0;
        let flagged = entries.iter().filter(|entry| custom(entry.flags)).count();
        assert!(long + flagged > 0);
        assert_eq!(done.losses.count(LossKind::Game) as usize, long);
        assert_eq!(done.losses.count(LossKind::Flags) as usize, flagged);
        assert_eq!(done.games as usize, entries.len() - long);
        let (parsed, fault) = raw::Base::parse_si3(&si3).unwrap();
        assert!(fault.is_none());
        for entry in parsed.index.entries {
            let last = entry.offset + entry.length - 1;
            assert_eq!(
                entry.offset / 32_768,
                last / 32_768,
                "a record crosses a border"
            );
        }
        // SCID 3 fills the rest of a block with zeros.
        for segment in parsed.games.segments {
            if let Segment::Slack { bytes, .. } = segment {
                assert!(bytes.iter().all(|&byte| byte == 0));
            }
        }
        println!("{name}: {long} long games, {flagged} with custom flags");
    }
}

/// Creates a database with these players. In all games the first one plays the last one.
fn base_with(players: &[String]) -> MemorySet {
    let mut base = BaseInfo::default();
    let mut records = Vec::new();
    for (key, name) in (0..).zip(players) {
        let text = base
            .texts
            .push(name.as_bytes(), chessdb_core::Charset::UTF_8);
        records.push(NameRecord {
            key,
            text,
            player: None,
        });
    }
    base.names.push(NameTable::new(NameRole::Player, records));
    let mut game = Game::new();
    let (first, last) = (&players[0], &players[players.len() - 1]);
    game.header.white.name = game.add_text(first).into();
    game.header.black.name = game.add_text(last).into();
    for slot in [0, 1, 2] {
        let empty = game.add_text("");
        [
            &mut game.header.event,
            &mut game.header.site,
            &mut game.header.round,
        ][slot]
            .text = empty;
    }
    let mut options = WriteOptions::default();
    options.base = base;
    identity::write_all(format(Generation::Si5), [&game], options)
        .unwrap()
        .0
}

/// Names that differ only after byte 255 become one in si4, and their numbers are adapted.
#[test]
fn long_names_are_cut_and_renumbered() {
    let long = |end: &str| format!("{}{end}", "x".repeat(300));
    let si5 = base_with(&[long("a"), long("b"), "short".into()]);
    let (si4, done) =
        translated(&si5, Generation::Si5, Generation::Si4, Allow::Everything).unwrap();
    assert_eq!(done.losses.count(LossKind::NameCut), 2);
    let games = identity::open_all(format(Generation::Si4), &si4);
    let name = |game: &Game, named: chessdb_core::model::Named| {
        game.text(named.text).decode().into_owned()
    };
    let header = &games[0].header;
    assert_eq!(name(&games[0], header.white.name), "x".repeat(255));
    assert_eq!(name(&games[0], header.black.name), "short");
    let refused = translated(&si5, Generation::Si5, Generation::Si4, Allow::Nothing).unwrap_err();
    assert!(matches!(
        refused.kind(),
        ErrorKind::Unrepresentable(LossKind::NameCut)
    ));
}

/// After a crash the log lacks its last names, and the games file its last record.
#[test]
fn what_is_missing_is_told_and_the_rest_translated() {
    let base = crate::common::own_bases()
        .into_iter()
        .find(|base| base.path() == "scid/masters.si4")
        .unwrap();
    let (mut si5, _) = translated(
        &base.files,
        base.generation,
        Generation::Si5,
        Allow::Nothing,
    )
    .unwrap();
    let names = si5.get(SN5_FILE).unwrap().to_vec();
    let mut log = Names::new(&names);
    let (mut last, mut players) = (0, 0);
    let mut last_player = String::new();
    while let Some(record) = log.read().unwrap() {
        if record.kind == NameKind::Player {
            players += 1;
            last = log.offset();
            last_player = String::from_utf8(record.text.to_vec()).unwrap();
        }
    }
    // Three bytes of the last player and everything after it are missing.
    si5.get_mut(SN5_FILE).unwrap().truncate(last as usize - 3);
    let store = identity::open(format(Generation::Si5), &si5);
    let said: Vec<String> = store
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        said.len() == 1 && said[0].starts_with("lost: sn5 file, byte 0x"),
        "{said:?}"
    );
    drop(store);
    let old = identity::open_all(base.format, &base.files);
    let new = identity::open_all(format(Generation::Si5), &si5);
    assert_eq!(old.len(), new.len());
    let mut unknown = 0;
    for (a, b) in old.iter().zip(&new) {
        assert!(a.events().eq(b.events()));
        let text = |game: &Game, named: chessdb_core::model::Named| {
            game.text(named.text).decode().into_owned()
        };
        for (x, y) in [
            (a.header.white.name, b.header.white.name),
            (a.header.black.name, b.header.black.name),
        ] {
            if text(a, x) == last_player {
                assert_eq!(y, chessdb_core::model::Named::default());
                unknown += 1;
            } else {
                assert_eq!(text(a, x), text(b, y));
            }
        }
    }
    assert!(unknown > 0 && players > 1);
    si5.get_mut(SG5_FILE).unwrap().pop();
    let (si4, done) = translated(&si5, Generation::Si5, Generation::Si4, Allow::Nothing).unwrap();
    let in_file = |file: Role| {
        done.diagnostics
            .iter()
            .filter(|d| d.at.file == Some(file))
            .count()
    };
    assert!(in_file(SI5_FILE) >= unknown);
    assert_eq!(in_file(SG5_FILE), 1);
    assert_eq!(
        identity::open_all(format(Generation::Si4), &si4).len(),
        old.len()
    );
}

/// The databases of fixtures/scid3 and fixtures/scid5 are translations of those that Scid wrote.
/// `CHESSDB_BLESS=1` writes them again.
#[test]
fn fixtures_are_translations() {
    let bless = std::env::var(golden::BLESS).is_ok_and(|value| value == "1");
    let made = [
        (
            Generation::Si3,
            "scid3",
            &["commands", "starts", "text"][..],
        ),
        (
            Generation::Si5,
            "scid5",
            &["annotated", "commands", "starts", "text"],
        ),
    ];
    for (generation, folder, names) in made {
        for name in names {
            let si4 = fixtures::load_set(fixtures::path("scid").join(name), SI4.roles);
            let (files, done) =
                translated(&si4, Generation::Si4, generation, Allow::Nothing).unwrap();
            assert!(done.losses.is_empty() && done.diagnostics.is_empty());
            let stem = fixtures::root().join(folder).join(name);
            for (role, bytes) in files.iter() {
                let path = stem.with_extension(role.0);
                if bless {
                    std::fs::write(&path, bytes).unwrap();
                }
                assert!(fixtures::read(&path) == bytes, "{}", path.display());
            }
        }
    }
}
