//! Changes of games in place (docs/formats/dcx.md, sections 3.6 and 16).

use chessdb_core::compare::first_difference;
use chessdb_core::model::{GameFlags, NameRole};
use chessdb_core::options::Mode;
use chessdb_core::store::UnusedSpace;
use chessdb_core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb_dcx::raw::{Base, EntrySize, Record, Segment, StartField};
use chessdb_dcx::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE, DCX, Store};
use chessdb_testkit::changes::{change, change_and_append, random_changes};
use chessdb_testkit::strategy::{GameOptions, game};
use chessdb_testkit::{fixtures, identity};

use crate::common::{all_sets, base_of_records, load, name, random_base};

fn clean_base(games: u64) -> (Vec<Game>, MemorySet) {
    random_base(games, &GameOptions::for_dcx())
}

fn assert_same(game: &Game, expected: &Game, what: &str) {
    if let Some(difference) = first_difference(game, expected) {
        panic!("{what}: {difference}");
    }
}

fn unused(set: &MemorySet) -> UnusedSpace {
    let store = Store::open(set, ReadOptions::default()).unwrap();
    store.unused().unwrap()
}

fn findings(set: &MemorySet) -> Vec<String> {
    let mut findings = Vec::new();
    chessdb_core::format::check(&DCX, set, &ReadOptions::default(), &mut |finding| {
        findings.push(format!("{finding:?}"));
    });
    findings
}

/// Section 3.6: one byte at `H + E*i`, in every layout.
#[test]
fn marking_changes_one_byte() {
    let mut sets = vec![clean_base(5).1, short_base(), long_base(11), long_base(19)];
    if let Some(folder) = fixtures::testdata("fixtures-real/dcx/reference-old-35") {
        // 35-byte entries after a header of 10 bytes.
        sets.push(fixtures::load_set(folder.join("ex2"), DCX.roles));
    }
    for set in sets {
        let before = identity::open_all(&DCX, &set);
        let layout = Base::parse(&set).unwrap().index.layout();
        for (n, old) in before.iter().enumerate() {
            let toggle = |game: &mut Game| game.header.flags ^= GameFlags::DELETED;
            let marked = change(&DCX, &set, n as u32, toggle).unwrap();
            let at = layout.entry_offset(n as u32) as usize;
            let ranges = [(DCI_FILE, at..at + 1)];
            assert_eq!(identity::differing_ranges(&set, &marked), ranges);
            let after = identity::open_all(&DCX, &marked);
            assert_ne!(after[n].header.flags, old.header.flags);
            let back = change(&DCX, &marked, n as u32, toggle).unwrap();
            assert_eq!(identity::first_difference(&back, &set), None);
        }
    }
}

/// Returns a database in the layout of the first writer: no events, a header of ten bytes.
fn short_base() -> MemorySet {
    let mut set = base_of_records(&vec![vec![3, 0, 0x03, 0x1C]; 3]);
    let index = Base::parse(&set).unwrap().index;
    let mut bytes = index.file_header.magic.as_bytes().to_vec();
    for entry in &index.entries {
        entry.write(EntrySize::Short, &mut bytes);
    }
    set.insert(DCI_FILE, bytes);
    set.remove(DCE_FILE);
    set
}

/// Returns a database in the layout of the text of 2018, with a header of this many bytes.
fn long_base(file_header: usize) -> MemorySet {
    let (_, mut set) = clean_base(3);
    let mut index = b"SimpleCDbi\x01".to_vec();
    index.resize(file_header, 0);
    for (n, entry) in Base::parse(&set).unwrap().index.entries.iter().enumerate() {
        index.extend(entry.to_bytes());
        index.extend([0, n as u8]);
        index.extend([0; 20]);
    }
    set.insert(DCI_FILE, index);
    set
}

/// A changed record is the last one. Its entry points there, and the old record gets another marker.
#[test]
fn a_changed_record_follows_the_others() {
    let (games, set) = clean_base(6);
    let new = game(4711, &GameOptions::for_dcx());
    for n in 0..games.len() {
        let changed = change(&DCX, &set, n as u32, |game| game.clone_from(&new)).unwrap();
        let after = identity::open_all(&DCX, &changed);
        assert_eq!(after.len(), games.len());
        for (k, (game, old)) in after.iter().zip(&games).enumerate() {
            assert_same(
                game,
                if k == n { &new } else { old },
                &format!("{n}: game {k}"),
            );
        }
        let (old, entries) = (Base::parse(&set).unwrap(), Base::parse(&changed).unwrap());
        let segments = &entries.games.as_ref().unwrap().segments;
        let slack = segments.iter().filter_map(|segment| match segment {
            Segment::Slack { bytes, .. } => Some(*bytes),
            Segment::Record { .. } => None,
        });
        let slack: Vec<&[u8]> = slack.collect();
        let hole = Record::parse(slack[0], false).unwrap();
        assert_eq!((slack.len(), hole.size()), (1, slack[0].len()));
        assert_eq!(hole.start, StartField::Other(Record::REPLACED));
        // Nothing else in the old part of the file has changed.
        let mut bytes = changed.get(DCG_FILE).unwrap().to_vec();
        let marker = old.index.entries[n].offset as usize + hole.length.size();
        bytes[marker] = set.get(DCG_FILE).unwrap()[marker];
        assert!(bytes.starts_with(set.get(DCG_FILE).unwrap()));
        assert_eq!(findings(&changed), [""; 0]);
        assert_eq!(unused(&changed).bytes, hole.size() as u64);
        assert_eq!(unused(&set), UnusedSpace::default());
        // With new names or without, each file only grows.
        for role in [DCI_FILE, DCN_FILE, DCS_FILE, DCE_FILE] {
            let [old, new] = [&set, &changed].map(|set| set.get(role).unwrap());
            assert!(new.len() >= old.len());
            assert!(role == DCI_FILE || new.starts_with(old), "{role}");
        }
    }
}

/// Existing names are used again, and new ones are added once.
#[test]
fn only_new_names_are_added() {
    let (games, set) = clean_base(4);
    let name = |game: &Game| game.text(game.header.black.name.text).decode().into_owned();
    let black = name(&games[2]);
    let known = change(&DCX, &set, 0, |game| game.set_tag("White", &black)).unwrap();
    let ranges = identity::differing_ranges(&set, &known);
    assert!(
        ranges.iter().all(|(role, _)| *role == DCI_FILE),
        "{ranges:?}"
    );
    let both = |game: &mut Game| {
        game.set_tag("White", "A stranger");
        game.set_tag("Black", "A stranger");
    };
    let changed = change(&DCX, &known, 1, both).unwrap();
    let added = changed.get(DCN_FILE).unwrap().len() - set.get(DCN_FILE).unwrap().len();
    assert_eq!(added, 36);
    assert_eq!(changed.get(DCG_FILE), set.get(DCG_FILE));
    assert_eq!(findings(&changed), [""; 0]);
    let UnusedSpace { bytes, names } = unused(&changed);
    assert!(bytes == 0 && (1..=3).contains(&names), "{names}");
}

/// Records of replaced versions are neither games nor damage, with and without an index.
#[test]
fn replaced_versions_are_no_games() {
    let (_, mut set) = clean_base(5);
    for (step, n) in [1, 4, 1, 1, 0].into_iter().enumerate() {
        let new = game(1000 + step as u64, &GameOptions::for_dcx());
        set = change(&DCX, &set, n, |game| game.clone_from(&new)).unwrap();
        assert_eq!(findings(&set), [""; 0]);
        let strict = ReadOptions::default().with_mode(Mode::Strict);
        assert!(Store::open(&set, strict).is_ok());
    }
    set.get_mut(DCI_FILE).unwrap().truncate(19);
    assert_eq!(identity::open_all(&DCX, &set).len(), 5);
}

/// Where the bytes of a game may belong to another one as well, nothing is changed in place.
#[test]
fn doubtful_records_are_not_changed() {
    let e4 = vec![3, 0, 0x03, 0x1C];
    let sound = base_of_records(&[e4.clone(), e4.clone(), e4]);
    let new = game(7, &GameOptions::for_dcx());
    let change_moves = |set: &MemorySet, n| change(&DCX, set, n, |game| game.clone_from(&new));
    assert!(change_moves(&sound, 1).is_some());
    let with_index = |offset: usize, byte: u8| {
        let mut set = sound.clone();
        set.get_mut(DCI_FILE).unwrap()[offset] = byte;
        set
    };
    // The second game has the record of the first; the record of the first contains the second.
    let shared = with_index(19 + 39 + 8, 10);
    let mut nested = sound.clone();
    nested.get_mut(DCG_FILE).unwrap()[10] = 7;
    for set in [&shared, &nested] {
        assert!(change_moves(set, 1).is_none());
        assert!(change_moves(set, 2).is_some());
    }
    // New bytes would be taken for those of another game.
    let beyond = with_index(19 + 39 + 7, 1);
    let mut cut = sound.clone();
    cut.get_mut(DCG_FILE).unwrap()[18] = 9;
    for set in [beyond, cut, short_base(), long_base(19)] {
        assert!(change_moves(&set, 0).is_none());
        assert!(
            change(&DCX, &set, 0, |game| game.header.flags ^=
                GameFlags::DELETED)
            .is_some()
        );
    }
    let mut uneven = sound.clone();
    uneven.get_mut(DCI_FILE).unwrap().push(0);
    assert!(change_moves(&uneven, 0).is_none());
    let mut uneven = sound;
    uneven.get_mut(DCN_FILE).unwrap().push(0);
    assert!(change(&DCX, &uneven, 0, |game| game.set_tag("White", "Tal")).is_none());
    assert!(change_moves(&uneven, 0).is_none());
}

/// The 61-byte layout of the 2018 text is read; only marks are written.
#[test]
fn the_layout_of_the_2018_text_is_read() {
    let (games, _) = clean_base(3);
    for file_header in [11, 19] {
        let long = long_base(file_header);
        let parsed = Base::parse(&long).unwrap();
        assert_eq!(parsed.index.layout().letter(), 'E');
        assert_eq!(
            parsed.index.file_header.open_default.is_some(),
            file_header == 19
        );
        assert_eq!(parsed.index.entries[2].halfmoves, 2);
        assert_eq!(identity::first_difference(&parsed.to_bytes(), &long), None);
        for (game, old) in identity::open_all(&DCX, &long).iter().zip(&games) {
            assert_same(game, old, "read from 61-byte entries");
        }
        let store = Store::open(&long, ReadOptions::default()).unwrap();
        let mut messages = store.diagnostics().iter().map(ToString::to_string);
        assert!(messages.any(|message| message.contains("no known program writes")));
        let strict = ReadOptions::default().with_mode(Mode::Strict);
        assert!(Store::open(&long, strict).is_err());
        let mut scratch = Scratch::new();
        store.game_into(0, &mut Game::new(), &mut scratch).unwrap();
        assert!(scratch.diagnostics.is_empty());
    }
}

/// A rename writes the records of one name, and no entry.
#[test]
fn renaming_changes_only_the_table() {
    let (games, set) = clean_base(6);
    let rename = |set: &MemorySet, old: &str, new: &str| {
        let files = set.iter().map(|(role, bytes)| (role, bytes.to_vec()));
        let mut renamed: MemorySet = files.collect();
        let mut changer = (DCX.change.unwrap())(&mut renamed, WriteOptions::default())
            .unwrap()
            .unwrap();
        let is_renamed = changer.rename(NameRole::Player, old, new).unwrap();
        changer.finish().unwrap();
        is_renamed.map(|()| renamed)
    };
    let name = |game: &Game| game.text(game.header.white.name.text).decode().into_owned();
    let tal = change(&DCX, &set, 2, |game| game.set_tag("White", "Tal")).unwrap();
    let renamed = rename(&tal, "Tal", "Tal, Mihail").unwrap();
    let ranges = identity::differing_ranges(&tal, &renamed);
    assert!(
        ranges.iter().all(|(role, _)| *role == DCN_FILE),
        "{ranges:?}"
    );
    for (n, game) in identity::open_all(&DCX, &renamed).iter().enumerate() {
        let expected = if n == 2 { "Tal, Mihail".to_owned() } else { name(&games[n]) };
        assert_eq!(name(game), expected);
    }
    let taken = name(&games[3]);
    for (old, new) in [
        ("Tal", &*taken),
        ("Nobody", "Tal"),
        ("Tal", " Tal"),
        ("Tal", ""),
    ] {
        assert!(rename(&tal, old, new).is_none(), "{old} {new}");
    }
    assert!(rename(&tal, "Tal", &"x".repeat(37)).is_none());
}

/// Another game changes in the step in which one is appended.
#[test]
fn a_game_is_appended_with_a_change() {
    let (games, set) = clean_base(4);
    let new = game(4711, &GameOptions::for_dcx());
    let after = identity::open_all(&DCX, &change_and_append(&DCX, &set, &new));
    assert_eq!(after.len(), games.len() + 1);
    let event = after[0].header.event.text;
    assert_eq!(after[0].text(event).decode(), "Changed");
    for (game, old) in after[1..].iter().zip(games[1..].iter().chain([&new])) {
        assert_eq!(first_difference(game, old), None);
    }
    let changed = change_and_append(&DCX, &set, &new);
    assert_eq!(findings(&changed), findings(&set));
    assert_eq!(
        identity::open_all(&DCX, &change_and_append(&DCX, &changed, &new)).len(),
        games.len() + 2
    );
}

/// Random changes of genuine and made databases.
#[test]
fn random_changes_keep_all_other_games() {
    let mut changes = 0;
    for (seed, stem) in (1987..).zip(all_sets()) {
        let set = load(&stem);
        if Store::open(&set, ReadOptions::default()).is_ok() {
            changes += random_changes(&DCX, &set, 30, seed, &name(&stem)).1;
        }
    }
    assert!(changes == 0 || changes > 600, "{changes}");
    let (set, changes) = random_changes(&DCX, &clean_base(30).1, 150, 1987, "random games");
    assert!(changes > 140, "{changes}");
    assert_eq!(findings(&set), [""; 0]);
}
