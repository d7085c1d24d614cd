//! Appending: the old bytes are kept, and the games are the old and the new ones.

use chessdb_core::compare::first_difference;
use chessdb_core::files::Role;
use chessdb_core::options::Allow;
use chessdb_core::{FileSet, Game, MemorySet, WriteOptions};
use chessdb_dcx::raw::{Base, Entry};
use chessdb_dcx::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE, DCX};
use chessdb_testkit::identity;
use chessdb_testkit::strategy::{GameOptions, game};

use crate::common::random_base;

fn everything() -> WriteOptions {
    WriteOptions::default().with_allowed(Allow::Everything)
}

/// Copies the files into a set in which no file was created yet.
fn fresh(set: &MemorySet) -> MemorySet {
    let mut copy = MemorySet::new();
    for role in DCX.roles {
        if let Some(bytes) = set.get(*role) {
            copy.insert(*role, bytes.to_vec());
        }
    }
    copy
}

/// Appends games. Returns the new number of games, or `None` if the database must be rewritten.
fn append(set: &mut MemorySet, games: &[Game]) -> Option<u32> {
    let mut grown = fresh(set);
    let mut writer = (DCX.append.unwrap())(&mut grown, everything()).unwrap()?;
    for game in games {
        writer.write(game).unwrap();
    }
    let count = writer.finish().unwrap();
    *set = grown;
    assert_eq!(count as usize, games.len());
    let index = set.get(DCI_FILE).unwrap();
    Some(((index.len() - 19) / 39) as u32)
}

#[test]
fn old_bytes_stay_and_new_games_follow() {
    let options = GameOptions::for_dcx();
    for (before, after) in [(0u64, 3u64), (1, 1), (5, 0), (70, 40)] {
        let (old, mut set) = random_base(before, &options);
        let first = set.clone();
        let new: Vec<Game> = (1000..1000 + after)
            .map(|seed| game(seed, &options))
            .collect();
        assert_eq!(append(&mut set, &new), Some((before + after) as u32));
        for role in DCX.roles {
            let (old, new) = (first.get(*role).unwrap(), set.get(*role).unwrap());
            assert!(new.starts_with(old), "{role}");
        }
        let games = identity::open_all(&DCX, &set);
        let mut both = identity::open_all(&DCX, &first);
        let (alone, _) = identity::write_all(&DCX, &new, everything()).unwrap();
        both.extend(identity::open_all(&DCX, &alone));
        assert_eq!(games.len(), both.len());
        assert_eq!(games.len(), old.len() + new.len());
        for (n, (found, expected)) in games.iter().zip(&both).enumerate() {
            assert_eq!(first_difference(found, expected), None, "game {n}");
        }
    }
}

/// Only missing names are added, in the order of their first use, also if there are many.
#[test]
fn names_that_are_there_are_used_again() {
    let players = |white: &str, black: &str| {
        let mut game = Game::new();
        game.header.white.name = game.add_text(white).into();
        game.header.black.name = game.add_text(black).into();
        game
    };
    let (mut set, _) = identity::write_all(&DCX, [&players("Tal", "Ivkov")], everything()).unwrap();
    let size = |set: &MemorySet, role: Role| set.get(role).unwrap().len();
    let (names, sites) = (size(&set, DCN_FILE), size(&set, DCS_FILE));
    append(&mut set, &[players("Ivkov", "Tal")]).unwrap();
    assert_eq!((size(&set, DCN_FILE), size(&set, DCS_FILE)), (names, sites));
    append(
        &mut set,
        &[players("Zaitsev", "Tal"), players("Averbakh", "Zaitsev")],
    )
    .unwrap();
    assert_eq!(size(&set, DCN_FILE), names + 2 * 36);
    let added = &set.get(DCN_FILE).unwrap()[names..];
    assert!(added.starts_with(b"Zaitsev ") && added[36..].starts_with(b"Averbakh "));
    let many: Vec<Game> = (0..60)
        .map(|n| players(&format!("Player {}", n % 30), ["Tal", "Averbakh"][n % 2]))
        .collect();
    append(&mut set, &many).unwrap();
    assert_eq!(size(&set, DCN_FILE), names + 32 * 36);
    let games = identity::open_all(&DCX, &set);
    let (alone, _) = identity::write_all(&DCX, &many, everything()).unwrap();
    for (game, expected) in games[4..].iter().zip(&identity::open_all(&DCX, &alone)) {
        assert_eq!(first_difference(game, expected), None);
    }
    assert_eq!(size(&set, DCI_FILE), 19 + 64 * 39);
}

/// A deletion mark, and the game to open first, stay unchanged.
#[test]
fn marks_and_the_default_stay() {
    let (_, mut set) = random_base(6, &GameOptions::for_dcx());
    set.get_mut(DCI_FILE).unwrap()[19 + 39 * 4] = Entry::DELETED;
    set.get_mut(DCI_FILE).unwrap()[11..19].copy_from_slice(&(19u64 + 39 * 5).to_be_bytes());
    append(&mut set, &[Game::new()]).unwrap();
    let base = Base::parse(&set).unwrap();
    assert_eq!(base.index.open_default(), Some(5));
    assert_eq!(base.index.entries[4].status, Entry::DELETED);
    assert_eq!(base.index.entries.len(), 7);
}

/// Damage to a file.
type Change = fn(&mut Vec<u8>);

/// An irregular database must be rewritten instead, and is not changed before.
#[test]
fn other_databases_must_be_rewritten() {
    let (_, sound) = random_base(3, &GameOptions::for_dcx());
    let changes: [(&str, Role, Change); 10] = [
        ("a cut index", DCI_FILE, |bytes| {
            bytes.truncate(bytes.len() - 1)
        }),
        ("a cut name", DCN_FILE, |bytes| {
            bytes.truncate(bytes.len() - 1)
        }),
        ("a cut site", DCS_FILE, |bytes| bytes.push(b'x')),
        ("no events", DCE_FILE, Vec::clear),
        ("foreign games", DCG_FILE, |bytes| bytes[0] = b'x'),
        ("a cut game", DCG_FILE, |bytes| {
            bytes.truncate(bytes.len() - 1)
        }),
        ("an older text", DCI_FILE, |bytes| drop(bytes.drain(10..19))),
        ("another version", DCI_FILE, |bytes| bytes[10] = 1),
        ("a game beyond the file", DCI_FILE, |bytes| {
            bytes[19 + 39 + 4] = 1
        }),
        ("a name beyond the file", DCI_FILE, |bytes| {
            bytes[19 + 39 + 9] = 1
        }),
    ];
    for (what, role, change) in changes {
        let mut set = sound.clone();
        change(set.get_mut(role).unwrap());
        let before = set.clone();
        assert_eq!(append(&mut set, &[Game::new()]), None, "{what}");
        assert_eq!(identity::first_difference(&set, &before), None, "{what}");
    }
    let mut set = sound;
    set.remove(DCE_FILE);
    assert_eq!(append(&mut set, &[Game::new()]), None);
}
