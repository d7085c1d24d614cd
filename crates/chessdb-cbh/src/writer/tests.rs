//! Changes of genuine databases and of those of this writer, with all that they leave behind.

use std::collections::BTreeSet;
use std::path::PathBuf;

use chessdb_core::model::{GameFlags, Outcome};
use chessdb_core::options::Allow;
use chessdb_core::{
    Charset, FileSet, Game, GameStore as _, MemorySet, ReadOptions, Scratch, WriteOptions,
};
use chessdb_testkit::golden::dump_game;
use chessdb_testkit::identity;
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

use super::names::numbers_of;
use crate::raw::bytes::le32;
use crate::raw::{Index, Records, TableHeader};
use crate::roles::{CBH_FILE, CBJ_FILE};
use crate::table_changes::tests::check_tree;
use crate::table_changes::{TABLE_KINDS, TableKind};
use crate::table_writers::NAME_TABLES;
use crate::{CBH, Store};

/// Returns the databases of the external data.
fn genuine() -> Vec<(String, MemorySet)> {
    let folders = ["fixtures-real/cbh", "fixtures-made/cbh"];
    let fixtures = chessdb_testkit::fixtures::testdata;
    let mut folders: Vec<PathBuf> = folders.into_iter().filter_map(fixtures).collect();
    let mut bases = Vec::new();
    while let Some(folder) = folders.pop() {
        for stem in chessdb_testkit::fixtures::bases(&folder, CBH_FILE) {
            let name = stem.file_name().unwrap().to_str().unwrap().to_owned();
            let roles: Vec<_> = CBH.roles.iter().chain(CBH.derived).copied().collect();
            bases.push((name, chessdb_testkit::fixtures::load_set(&stem, &roles)));
        }
        let entries = std::fs::read_dir(&folder).unwrap();
        let entries = entries.map(|entry| entry.unwrap().path());
        folders.extend(entries.filter(|path| path.is_dir()));
    }
    bases.sort_by(|a, b| a.0.cmp(&b.0));
    bases
}

/// Returns a copy that takes changes.
fn copy(set: &MemorySet) -> MemorySet {
    set.iter()
        .map(|(role, bytes)| (role, bytes.to_vec()))
        .collect()
}

/// Returns the number of references and the first game of each name.
fn references(kind: &TableKind, bytes: &[u8]) -> Vec<(u32, u32)> {
    let header = TableHeader::parse(bytes.first_chunk().unwrap());
    let stride = 9 + header.data_size as usize;
    assert_eq!(
        header.records as usize * stride,
        bytes.len() - 28 - header.extra as usize
    );
    let records = bytes[28 + header.extra as usize..].chunks(stride);
    assert!(records.len() < 1 << 20, "{kind:?}");
    let fields = records.map(|record| (le32(record, stride - 8), le32(record, stride - 4)));
    fields.collect()
}

/// Returns the faults of the trees, and the names whose references or first game are wrong.
fn faults(set: &MemorySet) -> BTreeSet<String> {
    let mut counts = [0; 6].map(|_: i32| Vec::new());
    let index = Index::parse(set.get(CBH_FILE).unwrap());
    let extended = set.get(CBJ_FILE).map(Records::parse).unwrap_or_default();
    for (game, record) in (0..).zip(index.records) {
        let numbers = numbers_of(record, extended.get(game));
        for (table, number) in NAME_TABLES.into_iter().zip(numbers) {
            let Some(number) = number else { continue };
            let counts: &mut Vec<(u32, u32)> = &mut counts[table];
            counts.resize(counts.len().max(number as usize + 1), (0, 0));
            let (count, first) = &mut counts[number as usize];
            if *count == 0 {
                *first = game + 1;
            }
            *count += 1;
        }
    }
    let mut faults = BTreeSet::new();
    for (kind, counts) in TABLE_KINDS.iter().zip(counts) {
        let Some(bytes) = set.get(kind.file) else {
            continue;
        };
        if let Err(fault) = check_tree(kind, bytes) {
            faults.insert(format!("{}: {fault}", kind.file.0));
        }
        for (number, stored) in (0..).zip(references(kind, bytes)) {
            let expected = counts.get(number).copied().unwrap_or((0, 0));
            if stored.0 != expected.0 || stored.0 > 0 && stored.1 != expected.1 {
                faults.insert(format!("{} {number}", kind.file.0));
            }
        }
    }
    faults
}

/// Returns the findings of `check` and of reading all games, and the games.
fn read(set: &MemorySet) -> (BTreeSet<String>, Vec<Game>) {
    let mut findings = BTreeSet::new();
    let options = ReadOptions::default();
    (CBH.check)(set, &options, &mut |finding| {
        findings.insert(format!("{finding:?}"));
    });
    let store = Store::open(set, options).unwrap();
    findings.extend(store.opened().diagnostics.iter().map(ToString::to_string));
    let mut scratch = Scratch::new();
    let mut games = Vec::new();
    for n in 0..store.len() {
        let mut game = Game::new();
        store.game_into(n, &mut game, &mut scratch).unwrap();
        games.push(game);
    }
    findings.extend(scratch.diagnostics.iter().map(ToString::to_string));
    (findings, games)
}

/// Returns the content of a game, without the numbers of its names in the tables and the encodings of
/// its texts: a name that exists in another encoding is the same name.
fn content(game: &Game) -> String {
    let dump = dump_game(game);
    let lines = dump
        .lines()
        .map(|line| line.split(" (name ").next().unwrap_or_default().trim());
    // Where long lines are broken depends on the encodings.
    let text = lines.collect::<Vec<_>>().join(" ");
    let mut parts = text.split("\" in ");
    let mut content = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        content.push('"');
        content.push_str(part.trim_start_matches(|letter: char| !" }".contains(letter)));
    }
    content
}

/// Returns a game with some of its content changed.
fn changed(games: &[Game], n: usize, seed: u64, rng: &mut Rng) -> Game {
    let mut new = games[n].clone();
    let other = &games[rng.below(games.len())];
    let name = |game: &Game, field: chessdb_core::model::Named| {
        game.text(field.text).decode().into_owned()
    };
    match rng.below(9) {
        0 => new.header.flags ^= GameFlags::DELETED,
        1 => new.set_tag("White", &name(other, other.header.black.name)),
        2 => new.set_tag("Event", &name(other, other.header.event)),
        3 => new.set_tag("Black", &format!("Chang\u{e9}, Number {}", seed % 40)),
        4 => new.set_tag("Event", &format!("Changed event {seed}")),
        5 => new.set_tag("Annotator", &format!("Changed {}", seed % 10)),
        6 => new.header.outcome = Outcome::Draw,
        7 => new.set_tag("Source", &format!("Change {}", seed % 3)),
        // The header stays, so that a game gets moves and annotations of another one.
        _ => new = strategy::game(seed, &GameOptions::held_by(&CBH)),
    }
    new
}

fn options() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.detector = Some(ReadOptions::default().detector(Charset::WINDOWS_1252));
    options
}

fn as_read_alone(game: &Game) -> String {
    let allowed = options().with_allowed(Allow::Everything);
    let (set, _) = identity::write_all(&CBH, [game], allowed).unwrap();
    content(&identity::open_all(&CBH, &set)[0])
}

/// Makes `count` random changes. Returns how many of them could be made in place.
fn change_at_random(name: &str, set: &mut MemorySet, count: usize) -> usize {
    let old_faults = faults(set);
    let (old_findings, _) = read(set);
    let mut rng = Rng::new(1987);
    let mut made = 0;
    for round in 0..count / 10 {
        let (_, games) = read(set);
        let mut expected: Vec<String> = games.iter().map(content).collect();
        let mut next = copy(set);
        let mut changer = (CBH.change.unwrap())(&mut next, options())
            .unwrap()
            .unwrap();
        let mut is_done = BTreeSet::new();
        for step in 0..10 {
            let n = rng.below(games.len());
            let new = changed(&games, n, (round * 10 + step) as u64, &mut rng);
            // A game can be changed once in a commit.
            if !is_done.insert(n) {
                continue;
            }
            let losses = changer.replace(n as u32, &games[n], &new);
            match losses {
                Ok(Some(_)) => {
                    made += 1;
                    expected[n] = as_read_alone(&new);
                }
                // A loss is not allowed, and nothing has been changed then.
                Err(_) => {}
                Ok(None) => panic!("{name} round {round} game {n}"),
            }
        }
        changer.finish().unwrap();
        let next = copy(&next);
        let (findings, games) = read(&next);
        assert_eq!(games.len(), expected.len(), "{name}");
        for (n, (game, expected)) in games.iter().zip(&expected).enumerate() {
            assert_eq!(&content(game), expected, "{name} round {round} game {n}");
        }
        let new: Vec<&String> = findings.difference(&old_findings).collect();
        assert!(new.is_empty(), "{name} round {round}: {new:#?}");
        let faults = faults(&next);
        let new: Vec<&String> = faults.difference(&old_faults).collect();
        assert!(new.is_empty(), "{name} round {round}: {new:#?}");
        *set = next;
    }
    made
}

#[test]
fn random_changes_of_genuine_databases_leave_them_sound() {
    for (name, set) in genuine() {
        let mut set = copy(&set);
        // A database may have no game.
        if read(&set).1.is_empty() {
            continue;
        }
        let made = change_at_random(&name, &mut set, 300);
        println!("{name}: {made} changes");
    }
}

/// Appends games to a copy of a database in place. `None` if it must be rewritten.
fn append(set: &MemorySet, games: &[Game]) -> Option<MemorySet> {
    let mut next = copy(set);
    let allowed = WriteOptions::default().with_allowed(Allow::Everything);
    let mut writer = (CBH.append.unwrap())(&mut next, allowed).unwrap()?;
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    Some(copy(&next))
}

#[test]
fn games_are_appended_to_genuine_databases() {
    let options = GameOptions::held_by(&CBH);
    let new: Vec<Game> = (0..40).map(|seed| strategy::game(seed, &options)).collect();
    for (name, set) in genuine() {
        let Some(next) = append(&set, &new) else {
            println!("{name}: rewritten");
            continue;
        };
        let (old_findings, old) = read(&set);
        let (findings, games) = read(&next);
        let expected = old.iter().map(content).chain(new.iter().map(as_read_alone));
        for (n, (game, expected)) in games.iter().zip(expected).enumerate() {
            assert_eq!(content(game), expected, "{name} game {n}");
        }
        assert_eq!(games.len(), old.len() + new.len(), "{name}");
        let new: Vec<&String> = findings.difference(&old_findings).collect();
        assert!(new.is_empty(), "{name}: {new:#?}");
        let (old_faults, faults) = (faults(&set), faults(&next));
        let new: Vec<&String> = faults.difference(&old_faults).collect();
        assert!(new.is_empty(), "{name}: {new:#?}");
        assert!(
            CBH.derived.iter().all(|role| next.get(*role).is_none()),
            "{name}"
        );
        println!("{name}: appended");
    }
}

#[test]
fn appended_games_give_the_names_and_records_of_a_new_database() {
    let options = GameOptions::held_by(&CBH);
    let games: Vec<Game> = (0..300)
        .map(|seed| strategy::game(seed, &options))
        .collect();
    let allowed = || WriteOptions::default().with_allowed(Allow::Everything);
    let (whole, _) = identity::write_all(&CBH, &games, allowed()).unwrap();
    let (mut set, _) = identity::write_all(&CBH, &games[..0], allowed()).unwrap();
    for portion in games.chunks(37) {
        set = append(&set, portion).unwrap();
    }
    for (role, bytes) in whole.iter() {
        // The trees have other shapes, but all numbers and all records are the same.
        if TABLE_KINDS.iter().all(|kind| kind.file != role) {
            assert_eq!(set.get(role), Some(bytes), "{}", role.0);
        }
    }
    assert_eq!(faults(&set), BTreeSet::new());
}

#[test]
fn a_name_passes_from_a_changed_game_to_a_new_one() {
    let game = |white: &str, team: &str| {
        let mut game = Game::new();
        game.set_tag("White", white);
        game.set_tag("WhiteTeam", team);
        game
    };
    let games = [game("A", "One"), game("B", "Two")];
    let allowed = WriteOptions::default().with_allowed(Allow::Everything);
    let (set, _) = identity::write_all(&CBH, &games, allowed).unwrap();
    let mut set = copy(&set);
    let mut changer = (CBH.change.unwrap())(&mut set, options()).unwrap().unwrap();
    changer.append(&game("A", "One")).unwrap().unwrap();
    changer
        .replace(0, &games[0], &game("C", "Three"))
        .unwrap()
        .unwrap();
    changer.finish().unwrap();
    assert_eq!(faults(&copy(&set)), BTreeSet::new());
    let names: Vec<String> = read(&set).1.iter().map(content).collect();
    assert!(
        names[0].contains("\"C\"") && names[2].contains("\"A\""),
        "{names:?}"
    );
}
