//! Changes of single games in place, and appending.

use chessdb_core::format::check;
use chessdb_core::model::{Eco, GameFlags};
use chessdb_core::options::Allow;
use chessdb_core::{FileSet, Game, MemorySet, ReadOptions, WriteOptions};
use chessdb_scidb::raw::NameFile;
use chessdb_scidb::{SCG_FILE, SCI_FILE, SCIDB, SCN_FILE};
use chessdb_testkit::golden::dump_game;
use chessdb_testkit::identity::{open, open_all};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

use crate::names::{breaches, write};

fn options() -> WriteOptions {
    WriteOptions::default().with_allowed(Allow::Everything)
}

/// Returns a copy that has its own bytes. A set in memory takes each change at once, so a change that
/// is refused would leave a part of itself.
fn copy(set: &MemorySet) -> MemorySet {
    let files = set.iter().map(|(role, bytes)| (role, bytes.to_vec()));
    files.collect()
}

/// Replaces a game in place. `None` if the database must be rewritten.
fn replaced(set: &MemorySet, n: u32, new: &Game) -> Option<MemorySet> {
    let old = open_all(&SCIDB, set).swap_remove(n as usize);
    let mut next = copy(set);
    let mut changer = (SCIDB.change.unwrap())(&mut next, options()).unwrap()?;
    changer.replace(n, &old, new).unwrap()?;
    changer.finish().unwrap();
    Some(copy(&next))
}

fn appended(set: &MemorySet, games: &[Game]) -> Option<MemorySet> {
    let mut next = copy(set);
    let mut writer = (SCIDB.append.unwrap())(&mut next, options()).unwrap()?;
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    Some(copy(&next))
}

/// Appends in the step in which other games change.
fn appended_with_changes(set: &MemorySet, games: &[Game]) -> Option<MemorySet> {
    let mut next = copy(set);
    let mut changer = (SCIDB.change.unwrap())(&mut next, options()).unwrap()?;
    for game in games {
        changer.append(game).unwrap()?;
    }
    changer.finish().unwrap();
    Some(copy(&next))
}

/// Returns the game that a new database reads back.
fn stored(game: &Game) -> Game {
    open_all(&SCIDB, &write(std::slice::from_ref(game))).swap_remove(0)
}

/// Returns the content without the numbers of the names.
fn content(game: &Game) -> String {
    let dump = dump_game(game);
    let lines = dump
        .lines()
        .map(|line| line.split(" (name ").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn findings(set: &MemorySet) -> Vec<String> {
    let mut findings = Vec::new();
    check(&SCIDB, set, &ReadOptions::default(), &mut |finding| {
        findings.push(format!("{finding:?}"));
    });
    findings
}

/// A game with a comment, so that its record is about this long.
fn long_game(seed: u64, bytes: usize) -> Game {
    let mut game = strategy::game(seed, &GameOptions::held_by(&SCIDB));
    game.set_tag("Remark", &"x".repeat(bytes));
    game
}

#[test]
fn random_changes_and_appends_keep_the_rules_of_scidb_and_all_other_games() {
    let made = GameOptions::held_by(&SCIDB);
    let games: Vec<Game> = (0..20).map(|seed| strategy::game(seed, &made)).collect();
    let mut set = write(&games);
    let mut expected: Vec<String> = open_all(&SCIDB, &set).iter().map(content).collect();
    let mut rng = Rng::new(1987);
    for round in 0..500 {
        let new = match rng.below(12) {
            0 => long_game(round, 20_000 + rng.below(130_000)),
            1 => long_game(round, 131_000 + rng.below(90_000)),
            _ => strategy::game(2000 + round, &made),
        };
        if rng.below(8) == 0 {
            let more = [new, strategy::game(9000 + round, &made)];
            let append = [appended, appended_with_changes][rng.below(2)];
            set = append(&set, &more).unwrap();
            expected.extend(more.iter().map(|game| content(&stored(game))));
        } else {
            let n = rng.below(expected.len());
            let mut game = open_all(&SCIDB, &set).swap_remove(n);
            match rng.below(5) {
                0 => game = new,
                1 => game.header.flags ^= GameFlags::DELETED,
                2 => game.header.outcome = new.header.outcome,
                3 => game.set_tag("White", &format!("Player {}", rng.below(40))),
                _ => game.set_tag("Site", &format!("Town {}", rng.below(40))),
            }
            expected[n] = content(&stored(&game));
            set = replaced(&set, n as u32, &game).unwrap();
        }
        let read: Vec<String> = open_all(&SCIDB, &set).iter().map(content).collect();
        for (n, (read, expected)) in read.iter().zip(&expected).enumerate() {
            assert_eq!(read, expected, "round {round}, game {n}");
        }
        assert_eq!(read.len(), expected.len());
        if round % 100 == 99 {
            assert_eq!(breaches(&set), [""; 0], "round {round}");
            assert_eq!(findings(&set), [""; 0], "round {round}");
        }
    }
    let unused = open(&SCIDB, &set).unused().unwrap();
    assert!(unused.bytes > 100_000 && unused.names > 10, "{unused:?}");
}

#[test]
fn a_mark_changes_one_bit_of_the_index() {
    let games: Vec<Game> = (0..3)
        .map(|seed| strategy::game(seed, &GameOptions::held_by(&SCIDB)))
        .collect();
    let set = write(&games);
    let mut next = copy(&set);
    let mut changer = (SCIDB.change.unwrap())(&mut next, options())
        .unwrap()
        .unwrap();
    let flags = games[1].header.flags;
    changer
        .set_flags(1, flags, flags ^ GameFlags::DELETED)
        .unwrap();
    changer.finish().unwrap();
    let mut index = set.get(SCI_FILE).unwrap().to_vec();
    index[128 + 56 + 42] ^= 1;
    assert_eq!(next.get(SCI_FILE).unwrap(), index);
    for role in [SCG_FILE, SCN_FILE] {
        assert_eq!(next.get(role), set.get(role));
    }
}

#[test]
fn an_existing_name_and_a_header_leave_the_games_file_as_it_was() {
    let games: Vec<Game> = (0..2)
        .map(|seed| strategy::game(seed, &GameOptions::plain()))
        .collect();
    let set = write(&games);
    let mut game = open_all(&SCIDB, &set).swap_remove(0);
    let white = game.text(game.header.white.name.text).decode().into_owned();
    game.set_tag("Black", &white);
    game.header.eco = Some(Eco::new(7));
    let next = replaced(&set, 0, &game).unwrap();
    assert_eq!(next.get(SCG_FILE), set.get(SCG_FILE));
    let names = |set: &MemorySet| NameFile::parse(set.get(SCN_FILE).unwrap()).unwrap().0;
    for (old, new) in names(&set).sections.iter().zip(&names(&next).sections) {
        assert_eq!(old.records, new.records);
    }
    assert_eq!(
        content(&open_all(&SCIDB, &next)[0]),
        content(&stored(&game))
    );
}

/// New bytes and names must not become those of games that refer to nothing.
#[test]
fn a_database_with_references_to_nothing_does_not_grow() {
    let games: Vec<Game> = (0..4)
        .map(|seed| strategy::game(seed, &GameOptions::plain()))
        .collect();
    let set = write(&games);
    let entry = 128 + 2 * 56;
    let end = set.get(SCG_FILE).unwrap().len() as u32;
    let more = strategy::game(77, &GameOptions::plain());
    for (offset, bytes) in [
        (entry + 8, vec![0, 0, 200]),
        (entry + 11, vec![0, 0, 200]),
        (entry + 24, end.to_be_bytes().to_vec()),
        (entry + 24, (end - 1).to_be_bytes().to_vec()),
        (entry + 24, vec![0xFF; 4]),
        (entry + 28, vec![0, 0, 200]),
        (entry + 32, vec![0, 0, 200]),
        (10, vec![0, 0, 3]),
        (13, vec![1]),
        (8, vec![0, 95]),
    ] {
        let mut damaged = copy(&set);
        let index = damaged.get_mut(SCI_FILE).unwrap();
        index[offset..offset + bytes.len()].copy_from_slice(&bytes);
        assert!(
            appended(&damaged, std::slice::from_ref(&more)).is_none(),
            "{offset}"
        );
        let mut next = copy(&damaged);
        let changer = (SCIDB.change.unwrap())(&mut next, options()).unwrap();
        let old = &open_all(&SCIDB, &set)[0];
        let is_changed =
            changer.is_some_and(|mut changer| changer.replace(0, old, &more).unwrap().is_some());
        assert!(!is_changed, "{offset}");
    }
    for role in [SCG_FILE, SCN_FILE] {
        let mut damaged = copy(&set);
        let bytes = damaged.get_mut(role).unwrap();
        bytes.truncate(bytes.len() - 1);
        assert!(
            appended(&damaged, std::slice::from_ref(&more)).is_none(),
            "{role:?}"
        );
        damaged.remove(role);
        assert!(
            appended(&damaged, std::slice::from_ref(&more)).is_none(),
            "{role:?}"
        );
    }
}
