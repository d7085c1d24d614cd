//! The byte map: every byte once, and the known ones named.

use chessdb_ca::{CA, CDP_FILE, D02_FILE, SIDE_FILES};
use chessdb_core::dump::{self, Region, RegionKind};
use chessdb_core::{FileSet, Game, MemorySet};
use chessdb_testkit::fixtures;

use crate::common::{base_of, record, with_records};

fn regions(set: &MemorySet) -> Vec<Region> {
    let mut regions = Vec::new();
    dump::cover(set, CA.roles, CA.dump, &mut |region, _| {
        regions.push(region)
    });
    regions
}

/// Checks that the regions are adjacent and cover each file, and returns them.
fn covers(set: &MemorySet) -> Vec<Region> {
    let regions = regions(set);
    let mut next = std::collections::BTreeMap::new();
    for region in &regions {
        let place = next.entry(region.file).or_insert(0);
        assert_eq!(*place, region.start, "{region:?}");
        *place = region.end;
    }
    for (role, bytes) in set.iter() {
        assert_eq!(
            next.get(&role).copied().unwrap_or(0),
            bytes.len() as u64,
            "{role}"
        );
    }
    regions
}

#[test]
fn our_own_bases_are_fully_understood() {
    let mut game = Game::new();
    game.header.white.name = game.add_text("Tal").into();
    let set = base_of(&[game.clone(), game]);
    let regions = covers(&set);
    let unowned: Vec<_> = regions
        .iter()
        .filter(|r| r.kind == RegionKind::Unowned)
        .collect();
    // The byte before the records.
    assert_eq!(unowned.len(), 1);
    assert_eq!(
        (unowned[0].file, unowned[0].start, unowned[0].end),
        (D02_FILE, 0, 1)
    );
    let what = |text: &str| regions.iter().any(|region| region.what.contains(text));
    for text in [
        "game 2: White, player 1",
        "outcome: 4",
        "not described: 0",
        "Players.a01: name 1: at 0x3",
        "Players.d01: name \"Tal\"",
        "directory: name: Sources.d01",
        "Events.axx: not described",
        "Places.cdp: number: 1",
    ] {
        assert!(what(text), "{text}");
    }
}

#[test]
fn odd_codes_are_named() {
    let body = [
        0x13, 0x13, 231, 0x2B, 232, 234, 2, 9, 235, 3, 29, 1, 2, 236, 1, 0, 0, 0, 77, 233, 5, 222,
        1, 2,
    ];
    let mut set = with_records(&[&record(&body)]);
    set.get_mut(D02_FILE).unwrap().extend(b"junk");
    set.get_mut(CDP_FILE).unwrap().extend(b"more");
    set.insert(SIDE_FILES[0], b"who knows".to_vec());
    let regions = covers(&set);
    let d02: Vec<_> = regions
        .iter()
        .filter(|region| region.file == D02_FILE)
        .map(|region| (region.kind.mark(), region.end - region.start, &*region.what))
        .collect();
    assert_eq!(
        d02,
        [
            ('*', 1, "not referenced by any structure"),
            (' ', 1, "record: 24 bytes"),
            (' ', 2, "moves"),
            (' ', 1, "a variation begins"),
            (' ', 1, "moves"),
            (' ', 1, "a variation ends"),
            (' ', 2, "comment of type 2"),
            ('?', 1, "symbol of unknown meaning"),
            (' ', 3, "comment of type 29"),
            ('?', 2, "comment of unknown type"),
            (' ', 6, "comment of type 77"),
            ('?', 2, "code 233"),
            ('?', 1, "code 222"),
            ('?', 2, "cannot be read"),
            ('*', 4, "not referenced by any structure"),
        ]
    );
    let side = regions
        .iter()
        .find(|region| region.file == SIDE_FILES[0])
        .unwrap();
    assert_eq!(
        (side.kind, &*side.what),
        (RegionKind::Unknown, "not analysed")
    );
    assert!(
        regions
            .iter()
            .any(|r| r.what == "after the comment" && r.kind == RegionKind::Slack)
    );
}

/// The printed map contains every byte. The untidy database, for example, has names in unordered
/// fragments.
#[test]
fn the_printed_map_gives_the_files_back() {
    let Some(folder) = fixtures::testdata("fixtures-made/chess-assistant") else {
        return;
    };
    for stem in fixtures::bases(&folder, CDP_FILE) {
        let set = fixtures::load_set(&stem, CA.roles);
        covers(&set);
        let mut map = Vec::new();
        dump::render(&set, CA.roles, CA.dump, &mut map).unwrap();
        let map = String::from_utf8(map).unwrap();
        let mut files = std::collections::BTreeMap::<&str, Vec<u8>>::new();
        let mut file = "";
        for line in map.lines().filter(|line| !line.is_empty()) {
            if let Some((role, _)) = line.split_once(" file, ") {
                file = role;
            } else {
                let bytes = line[11..59].split_whitespace();
                let bytes = bytes.map(|byte| u8::from_str_radix(byte, 16).unwrap());
                files.entry(file).or_default().extend(bytes);
            }
        }
        for (role, bytes) in set.iter() {
            assert_eq!(files[role.0], bytes, "{}: {role}", stem.display());
        }
        assert!(set.get(D02_FILE).is_some());
    }
}
