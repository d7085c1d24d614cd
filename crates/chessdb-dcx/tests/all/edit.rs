//! Editing in place: the guarantees of docs/formats/dcx.md, sections 3.6 and 16.

use chessdb_core::compare::first_difference;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Mode;
use chessdb_core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb_dcx::raw::edit::{self, Change};
use chessdb_dcx::raw::{Base, Entry, Segment};
use chessdb_dcx::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCX, Store, encode};
use chessdb_testkit::strategy::{GameOptions, game};
use chessdb_testkit::{fixtures, identity};

use crate::common::random_base;

fn clean_base(games: u64) -> (Vec<Game>, MemorySet) {
    random_base(games, &GameOptions::for_dcx())
}

fn apply(set: &MemorySet, changes: &[Change]) -> MemorySet {
    let mut edited = set.clone();
    for change in changes {
        change.apply(&mut edited).unwrap();
    }
    edited
}

fn assert_same(game: &Game, expected: &Game, what: &str) {
    if let Some(difference) = first_difference(game, expected) {
        panic!("{what}: {difference}");
    }
}

fn without_mark(game: &Game) -> Game {
    let mut game = game.clone();
    game.header.flags.remove(GameFlags::DELETED);
    game
}

/// Section 3.6: one byte at `H + E*i`, in every layout.
#[test]
fn marking_changes_one_byte() {
    let mut sets = vec![clean_base(5).1];
    if let Some(folder) = fixtures::testdata("fixtures-real/dcx/reference-old-35") {
        // 35-byte entries after a header of 10 bytes.
        sets.push(fixtures::load_set(folder.join("ex2"), DCX.roles));
    }
    for set in sets {
        let before = identity::open_all(&DCX, &set);
        let index = Base::parse(&set).unwrap().index;
        for n in 0..before.len() {
            let change = edit::mark(&index, n as u32, true).unwrap();
            let edited = apply(&set, std::slice::from_ref(&change));
            let (file_header, entry) = (
                index.layout().file_header as usize,
                index.layout().entry.bytes(),
            );
            let at = file_header + entry * n;
            let expected = if index.entries[n].status == 0xFF {
                vec![]
            } else {
                vec![(DCI_FILE, at..at + 1)]
            };
            assert_eq!(identity::differing_ranges(&set, &edited), expected);
            let after = identity::open_all(&DCX, &edited);
            assert!(after[n].header.flags.contains(GameFlags::DELETED));
            for (k, (game, old)) in after.iter().zip(&before).enumerate() {
                if k == n {
                    assert_same(&without_mark(game), &without_mark(old), "the marked game");
                } else {
                    assert_same(game, old, "another game");
                }
            }
            let back = edit::mark(&index, n as u32, false).unwrap();
            let live = identity::open_all(&DCX, &apply(&edited, &[back]));
            assert!(!live[n].header.flags.contains(GameFlags::DELETED));
        }
        assert!(edit::mark(&index, before.len() as u32, true).is_err());
    }
}

/// Replacing marks the old game and appends the new one; nothing else moves.
#[test]
fn replacing_appends_and_marks() {
    let (games, set) = clean_base(6);
    let new = game(4711, &GameOptions::for_dcx());
    let (encoded, losses) = encode(&new).unwrap();
    assert!(losses.is_empty());
    for n in 0..games.len() {
        let base = Base::parse(&set).unwrap();
        let changes = edit::replace(&base, n as u32, &encoded).unwrap();
        let edited = apply(&set, &changes);
        let after = identity::open_all(&DCX, &edited);
        assert_eq!(after.len(), games.len() + 1);
        assert_same(&after[games.len()], &new, "the new game");
        for (k, (game, old)) in after.iter().zip(&games).enumerate() {
            if k == n {
                assert!(game.header.flags.contains(GameFlags::DELETED));
                assert_same(&without_mark(game), &without_mark(old), "the old game");
            } else {
                assert_same(game, old, "another game");
            }
        }
        // Files only grow, except for one byte of the index.
        for &role in DCX.roles {
            let (old, new) = (set.get(role).unwrap(), edited.get(role).unwrap());
            let changed = old.iter().zip(new).filter(|(a, b)| a != b).count();
            assert!(new.len() >= old.len() && changed <= usize::from(role == DCI_FILE));
        }
    }
}

/// An edit that stops between two changes loses no game.
#[test]
fn an_interrupted_edit_loses_nothing() {
    let (games, set) = clean_base(3);
    let (encoded, _) = encode(&game(99, &GameOptions::for_dcx())).unwrap();
    let base = Base::parse(&set).unwrap();
    let changes = edit::replace(&base, 1, &encoded).unwrap();
    for done in 0..changes.len() {
        let after = identity::open_all(&DCX, &apply(&set, &changes[..done]));
        for (game, old) in after.iter().zip(&games) {
            assert_same(game, old, "after an interrupted edit");
        }
    }
}

/// Existing names are used again, and new ones are added once.
#[test]
fn appending_adds_only_new_names() {
    let (games, set) = clean_base(4);
    let base = Base::parse(&set).unwrap();
    let known = edit::append(&base, &encode(&games[2]).unwrap().0).unwrap();
    let files: Vec<_> = known.iter().map(file).collect();
    assert_eq!(files, [DCG_FILE, DCI_FILE]);
    let mut stranger = games[2].clone();
    stranger.header.white.name = stranger.add_text("A stranger").into();
    stranger.header.black.name = stranger.add_text("A stranger").into();
    let changes = edit::append(&base, &encode(&stranger).unwrap().0).unwrap();
    let files: Vec<_> = changes.iter().map(file).collect();
    assert_eq!(files, [DCG_FILE, DCN_FILE, DCI_FILE]);
    let edited = apply(&set, &changes);
    let added = edited.get(DCN_FILE).unwrap().len() - set.get(DCN_FILE).unwrap().len();
    assert_eq!(added, 36);
    assert_same(
        &identity::open_all(&DCX, &edited)[4],
        &stranger,
        "the stranger",
    );
}

fn file(change: &Change) -> chessdb_core::files::Role {
    match change {
        Change::Append { file, .. } | Change::Overwrite { file, .. } => *file,
    }
}

/// Section 3.6: only live entries, no unreferenced names, new offsets.
#[test]
fn compacting_keeps_what_lives() {
    let (games, set) = clean_base(8);
    let mut edited = set.clone();
    let mut live = Vec::new();
    // Replace two games, delete a third, and replace one of the new ones again.
    for (step, n) in [1u32, 5, 8].into_iter().enumerate() {
        let new = game(1000 + step as u64, &GameOptions::for_dcx());
        let parsed = Base::parse(&edited).unwrap();
        let changes = edit::replace(&parsed, n, &encode(&new).unwrap().0).unwrap();
        edited = apply(&edited, &changes);
    }
    let mark = edit::mark(&Base::parse(&edited).unwrap().index, 3, true).unwrap();
    edited = apply(&edited, &[mark]);
    for game in identity::open_all(&DCX, &edited) {
        if !game.header.flags.contains(GameFlags::DELETED) {
            live.push(game);
        }
    }
    let deleted = games
        .iter()
        .filter(|g| g.header.flags.contains(GameFlags::DELETED))
        .count();
    assert!(live.len() + deleted >= 7 && live.len() <= 8);

    let parsed = Base::parse(&edited).unwrap();
    let compacted = edit::compact(&parsed).unwrap();
    let after = identity::open_all(&DCX, &compacted);
    assert_eq!(after.len(), live.len());
    for (game, old) in after.iter().zip(&live) {
        assert_same(game, old, "a live game");
    }
    let base = Base::parse(&compacted).unwrap();
    let segments = &base.games.as_ref().unwrap().segments;
    assert!(segments.iter().all(|s| matches!(s, Segment::Record { .. })));
    let mut findings = Vec::new();
    chessdb_core::format::check(&DCX, &compacted, &ReadOptions::default(), &mut |f| {
        findings.push(f)
    });
    assert!(findings.is_empty(), "{findings:?}");
    // Compacting a compact database changes nothing.
    let again = edit::compact(&base).unwrap();
    assert_eq!(identity::first_difference(&again, &compacted), None);
    // The result equals writing the live games, except for the order of names.
    let (written, _) = identity::write_all(&DCX, &live, WriteOptions::default()).unwrap();
    assert_eq!(written.get(DCG_FILE), compacted.get(DCG_FILE));
    for &role in DCX.roles {
        let len = |set: &MemorySet| set.get(role).unwrap().len();
        assert_eq!(len(&written), len(&compacted), "{role}");
    }
}

/// OpenDefault follows its game.
#[test]
fn open_default_follows_its_game() {
    let (games, _) = clean_base(4);
    let live: Vec<Game> = games.iter().map(without_mark).collect();
    let mut options = WriteOptions::default();
    options.base.open_first = Some(3);
    let (set, _) = identity::write_all(&DCX, &live, options).unwrap();
    let open_first = |set: &MemorySet| {
        let store = Store::open(set, ReadOptions::default()).unwrap();
        store.base().open_first
    };
    assert_eq!(open_first(&set), Some(3));
    let index = Base::parse(&set).unwrap().index;
    for (deleted, expected) in [(0, Some(2)), (2, None), (3, Some(3))] {
        let marked = apply(&set, &[edit::mark(&index, deleted, true).unwrap()]);
        let compacted = edit::compact(&Base::parse(&marked).unwrap()).unwrap();
        assert_eq!(open_first(&compacted), expected);
    }
}

/// Genuine databases of all layouts can be compacted, too, and then contain the same games.
#[test]
fn genuine_bases_are_compacted() {
    let mut compacted = 0;
    for stem in crate::common::all_sets() {
        let set = crate::common::load(&stem);
        let base = Base::parse(&set).unwrap();
        let Ok(compact) = edit::compact(&base) else {
            panic!("{}", stem.display());
        };
        let live: Vec<Game> = identity::open_all(&DCX, &set)
            .into_iter()
            .filter(|game| !game.header.flags.contains(GameFlags::DELETED))
            .collect();
        let after = identity::open_all(&DCX, &compact);
        assert_eq!(after.len(), live.len());
        for (game, old) in after.iter().zip(&live) {
            assert_same(game, old, &stem.display().to_string());
        }
        compacted += 1;
    }
    assert!(compacted == 0 || compacted >= 50);
}

/// Files to which nothing can be appended are rejected.
#[test]
fn uneven_files_are_refused() {
    let (games, set) = clean_base(2);
    let new = encode(&games[0]).unwrap().0;
    for &role in DCX.roles {
        if role == DCG_FILE {
            continue;
        }
        let mut uneven = set.clone();
        uneven.get_mut(role).unwrap().push(0);
        assert!(
            edit::append(&Base::parse(&uneven).unwrap(), &new).is_err(),
            "{role}"
        );
    }
    for role in [DCN_FILE, DCE_FILE, DCG_FILE] {
        let mut missing = set.clone();
        missing.remove(role);
        assert!(
            edit::append(&Base::parse(&missing).unwrap(), &new).is_err(),
            "{role}"
        );
    }
    // Bytes after the last game belong to no game.
    let mut slack = set.clone();
    slack.get_mut(DCG_FILE).unwrap().extend([1, 2, 3]);
    let changes = edit::append(&Base::parse(&slack).unwrap(), &new).unwrap();
    let after = identity::open_all(&DCX, &apply(&slack, &changes));
    assert_same(&after[2], &games[0], "behind slack");
}

/// The 61-byte layout of the 2018 text is read, but neither written nor edited.
#[test]
fn the_layout_of_the_2018_text_is_read_only() {
    let (games, set) = clean_base(3);
    let base = Base::parse(&set).unwrap();
    for (file_header, open_default) in [(11, false), (19, true)] {
        let mut index = b"SimpleCDbi\x01".to_vec();
        index.resize(file_header, 0);
        for (n, entry) in base.index.entries.iter().enumerate() {
            index.extend(entry.to_bytes());
            index.extend([0, n as u8]);
            index.extend([0; 20]);
        }
        let mut long = set.clone();
        long.insert(DCI_FILE, index);
        let parsed = Base::parse(&long).unwrap();
        assert_eq!(parsed.index.layout().letter(), 'E');
        assert_eq!(
            parsed.index.file_header.open_default.is_some(),
            open_default
        );
        assert_eq!(parsed.index.entries[2].halfmoves, 2);
        assert_eq!(identity::first_difference(&parsed.to_bytes(), &long), None);
        for (game, old) in identity::open_all(&DCX, &long).iter().zip(&games) {
            assert_same(game, old, "read from 61-byte entries");
        }
        let store = Store::open(&long, ReadOptions::default()).unwrap();
        let said: Vec<_> = store
            .diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(
            said.iter().any(|s| s.contains("no known program writes")),
            "{said:?}"
        );
        let mut strict = ReadOptions::default();
        strict.mode = Mode::Strict;
        assert!(Store::open(&long, strict).is_err());
        let new = encode(&games[0]).unwrap().0;
        assert!(edit::append(&parsed, &new).is_err());
        assert!(edit::compact(&parsed).is_err());
        let mark = edit::mark(&parsed.index, 1, true).unwrap();
        assert_eq!(
            mark,
            Change::Overwrite {
                file: DCI_FILE,
                offset: file_header as u64 + 61,
                bytes: vec![Entry::DELETED]
            }
        );
        let mut scratch = Scratch::new();
        store.game_into(0, &mut Game::new(), &mut scratch).unwrap();
        assert!(scratch.diagnostics.is_empty());
    }
}
