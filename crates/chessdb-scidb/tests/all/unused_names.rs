//! Names that no game uses keep all their details, and are counted where they cannot be kept.

use chessdb_core::model::NameRole;
use chessdb_core::options::Allow;
use chessdb_core::{BaseInfo, Game, LossKind, MemorySet, ReadOptions, WriteOptions};
use chessdb_scidb::raw::{NameDetails, NameFile, NameKind, NameRecord};
use chessdb_scidb::{SCIDB, SCN_FILE};
use chessdb_testkit::identity;
use proptest::prelude::*;

/// A name of a new database: kind, text and details.
type Name = (NameKind, &'static str, NameDetails);

fn details(site: u32, flags: u16, more: Option<u16>, fide_id: Option<u32>) -> NameDetails {
    NameDetails {
        site,
        flags,
        more,
        fide_id,
    }
}

fn player(flags: u16, more: Option<u16>, fide_id: Option<u32>) -> NameDetails {
    details(0, flags, more, fide_id).with_presence(NameKind::Player)
}

/// Returns a database with one game of Tal, and these names with the numbers from 100 on.
fn database(names: &[Name]) -> MemorySet {
    let game = Game::builder().white("Tal").event("Open").site("Riga");
    let game = game.sans(["e4"]).unwrap().build();
    let nothing = identity::nothing_lost(&BaseInfo::default());
    let (mut files, _) = identity::write_all(&SCIDB, &[game], nothing).unwrap();
    let bytes = files.get_mut(SCN_FILE).unwrap();
    let (mut file, fault) = NameFile::parse(bytes).unwrap();
    assert!(fault.is_none());
    for section in &mut file.sections {
        let added = (100..).zip(names);
        let added = added.filter(|(_, (kind, ..))| *kind == section.kind);
        let added = added.map(|(id, (_, name, details))| NameRecord {
            id,
            shared: 0,
            name: name.as_bytes().to_vec(),
            details: *details,
        });
        section.records.extend(added);
        section.records.sort_by(|a, b| a.name.cmp(&b.name));
        let mut before: Vec<u8> = Vec::new();
        for record in &mut section.records {
            let pairs = before.iter().zip(&record.name);
            record.shared = pairs.take_while(|(a, b)| a == b).count() as u8;
            before.clone_from(&record.name);
        }
        section.counts[0] = section.records.len() as u32;
        section.counts[3] = 100 + names.len() as u32;
    }
    let count = file.sections.iter().map(|section| section.records.len());
    file.header.names = count.sum::<usize>() as u32;
    *bytes = file.to_bytes();
    files
}

/// Returns each name once: kind, text, details, and the text and the country of an event's site.
fn names(files: &MemorySet) -> Vec<String> {
    use chessdb_core::FileSet;
    let (file, _) = NameFile::parse(files.require(SCN_FILE).unwrap()).unwrap();
    let sites = &file.section(NameKind::Site).unwrap().records;
    let sections = file.sections.iter();
    let names = sections.flat_map(|section| {
        section.records.iter().map(|record| {
            let site = sites.iter().find(|site| site.id == record.details.site);
            let site = site.filter(|_| section.kind == NameKind::Event);
            let site = site.map(|site| (site.name.clone(), site.details.flags));
            let details = NameDetails {
                site: 0,
                ..record.details
            };
            let name = String::from_utf8_lossy(&record.name);
            format!("{:?} {name} {details:?} {site:?}", section.kind)
        })
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// Writes a database again, twice, and returns the losses of a format that keeps no names.
fn keeps_all(files: &MemorySet) -> u32 {
    let nothing = Allow::Nothing;
    let again = identity::rewrite(&SCIDB, files, &nothing).unwrap().set;
    assert_eq!(names(&again), names(files));
    let third = identity::rewrite(&SCIDB, &again, &nothing).unwrap().set;
    assert_eq!(identity::first_difference(&again, &third), None);
    let store = |files| (SCIDB.open)(files, ReadOptions::default()).unwrap();
    let (store, again) = (store(files), store(&again));
    assert_eq!(store.base().extras, again.base().extras);
    store.base().losses().count(LossKind::BaseExtra)
}

const PLAYER: NameKind = NameKind::Player;
const SITE: NameKind = NameKind::Site;
const EVENT: NameKind = NameKind::Event;

#[test]
fn details_are_kept_and_counted_elsewhere() {
    let event = |site, flags, more| {
        let details = details(site, flags, more, None);
        details.with_presence(EVENT)
    };
    for (counted, names) in [
        (0, vec![]),
        (0, vec![(PLAYER, "Keres", NameDetails::default())]),
        // The tables of the model have title and FIDE number.
        (0, vec![(PLAYER, "Keres", player(0, Some(1 << 9), Some(7)))]),
        (1, vec![(PLAYER, "Keres", player(1, None, None))]),
        (1, vec![(PLAYER, "Keres", player(0x08, None, None))]),
        (1, vec![(PLAYER, "Keres", player(0, Some(0x205), None))]),
        (1, vec![(PLAYER, "Keres", player(0, Some(31 << 9), None))]),
        // A namesake of a player with a game.
        (1, vec![(PLAYER, "Tal", player(0, None, Some(8)))]),
        (0, vec![(PLAYER, "Tal", NameDetails::default())]),
        (
            2,
            vec![
                (PLAYER, "Keres", player(0, None, Some(8))),
                (PLAYER, "Keres", player(0, Some(12), None)),
            ],
        ),
        (1, vec![(PLAYER, "", player(0, None, Some(8)))]),
        (0, vec![(SITE, "Oslo", NameDetails::default())]),
        (1, vec![(SITE, "Oslo", details(0, 47, None, None))]),
        (1, vec![(SITE, "Riga", details(0, 47, None, None))]),
        (1, vec![(EVENT, "Cup", event(0, 5, None))]),
        (1, vec![(EVENT, "Open", event(0, 5, Some(3000)))]),
        // The site of the event is not counted again.
        (
            1,
            vec![
                (SITE, "Oslo", details(0, 47, None, None)),
                (EVENT, "Cup", event(100, 0, None)),
            ],
        ),
        (
            0,
            vec![(NameKind::Annotator, "Keres", NameDetails::default())],
        ),
    ] {
        assert_eq!(keeps_all(&database(&names)), counted, "{names:?}");
    }
}

/// Without the name tables, which are left out of databases with other games, nothing is added.
#[test]
fn details_alone_are_no_names() {
    let files = database(&[(PLAYER, "Keres", player(1, None, None))]);
    let store = (SCIDB.open)(&files, ReadOptions::default()).unwrap();
    let mut options = WriteOptions::default();
    options.base.extras.clone_from(&store.base().extras);
    assert_eq!(options.base.extras.len(), 1);
    let mut target = MemorySet::new();
    let writer = SCIDB.create.unwrap()(&mut target, options).unwrap();
    assert!(writer.base_losses().is_empty());
    writer.finish().unwrap();
    let store = (SCIDB.open)(&target, ReadOptions::default()).unwrap();
    let players = store.base().table(NameRole::Player).unwrap();
    assert!(players.records.is_empty() && store.base().extras.is_empty());
}

/// Extras that this version does not write are counted.
#[test]
fn damaged_extras_are_counted() {
    let files = database(&[(PLAYER, "Keres", player(1, Some(3), Some(4)))]);
    let store = (SCIDB.open)(&files, ReadOptions::default()).unwrap();
    let whole = &store.base().extras[0];
    for length in 0..whole.bytes.len() {
        let mut options = WriteOptions::default().with_allowed(Allow::Everything);
        let mut extra = whole.clone();
        extra.bytes = whole.bytes[..length].into();
        options.base.extras.push(extra);
        let mut target = MemorySet::new();
        let writer = SCIDB.create.unwrap()(&mut target, options).unwrap();
        assert_eq!(writer.base_losses().count(LossKind::BaseExtra), 1);
    }
}

fn any_name() -> impl Strategy<Value = Name> {
    let text = prop::sample::select(vec!["", "Tal", "Keres", "Open", "Riga", "Oslo", "Cup"]);
    let more = prop::option::of(prop_oneof![0u16..3, any::<u16>()]);
    let kinds = prop::sample::select(NameKind::ALL.to_vec());
    (
        kinds,
        text,
        99u32..104,
        any::<u16>(),
        more,
        prop::option::of(0u32..3),
    )
        .prop_map(|(kind, text, site, flags, more, fide_id)| {
            let details = match kind {
                NameKind::Player => details(0, flags & 0xFF, more, fide_id),
                NameKind::Site => details(0, flags % 3, None, None),
                NameKind::Event => details(site, flags, more, None),
                NameKind::Annotator => NameDetails::default(),
            };
            (kind, text, details.with_presence(kind))
        })
}

proptest! {
    #[test]
    fn any_names_are_kept(names in prop::collection::vec(any_name(), 0..6)) {
        let files = database(&names);
        let again = identity::rewrite(&SCIDB, &files, &Allow::Nothing).unwrap().set;
        let (before, after) = (self::names(&files), self::names(&again));
        for name in &before {
            // An event at a site that is missing is at the empty site, and of names without
            // details one is enough.
            let is_plain = name.contains("flags: 0, more: None, fide_id: None");
            prop_assert!(
                after.contains(name) || name.starts_with("Event") || is_plain,
                "{} {:?}", name, after
            );
        }
        let third = identity::rewrite(&SCIDB, &again, &Allow::Nothing).unwrap().set;
        prop_assert_eq!(identity::first_difference(&again, &third), None);
    }
}
