//! Changes of single games in place, and undoing them.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::{Path, PathBuf};

use chessdb::convert::Editor;
use chessdb::core::model::GameFlags;
use chessdb::core::store::ChangeGames;
use chessdb::core::{Format, Game, MemorySet, WriteOptions};
use chessdb::formats::FORMATS;
use chessdb::{Allow, Database, Problem};
use chessdb_testkit::golden::dump_game;
use chessdb_testkit::identity::{open_all, write_all};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

pub(crate) const GAMES: u64 = 40;

/// The number of random changes after which the databases are written again.
const COMPACTED: usize = 100;

/// Returns the number of random changes of each format: 120, or the number in `CHESSDB_CHANGES`.
fn rounds() -> usize {
    std::env::var("CHESSDB_CHANGES").map_or(120, |number| number.parse().unwrap())
}

pub(crate) fn changeable() -> impl Iterator<Item = &'static Format> {
    FORMATS
        .iter()
        .copied()
        .filter(|format| format.change.is_some())
}

/// Returns a game with some of its content changed.
fn changed(old: &Game, seed: u64, options: &GameOptions, rng: &mut Rng) -> Game {
    let other = strategy::game(seed, options);
    let mut new = old.clone();
    match rng.below(6) {
        0 => new.header.flags ^= GameFlags::DELETED,
        1 => {
            let name = other
                .text(other.header.white.name.text)
                .decode()
                .into_owned();
            new.set_tag("White", &name);
        }
        2 => new.header.outcome = other.header.outcome,
        3 => {
            let white = new.text(new.header.white.name.text).decode().into_owned();
            new.set_tag("Black", &white);
        }
        4 => new.set_tag("Event", &format!("New event {seed}")),
        _ => new = other,
    }
    new
}

/// Returns the content of a game, without the numbers of its names in the tables and the encodings of
/// its texts: a new database has other numbers, and texts in one encoding.
pub(crate) fn content(game: &Game) -> String {
    let dump = dump_game(game);
    let lines = dump
        .lines()
        .map(|line| line.split(" (name ").next().unwrap_or_default());
    // Where long lines are broken depends on the encodings too. A new tag of a stored text is near the
    // tags that it has, and in formats with a column for each tag their order depends on other games.
    let (mut tags, others): (Vec<&str>, Vec<&str>) = lines
        .map(str::trim)
        .partition(|line| line.starts_with("tag "));
    tags.sort_unstable();
    let content = [tags, others].concat().join(" ");
    content.replace(" in windows-1252", "")
}

/// Returns how a game reads after it was written alone.
fn as_written(format: &Format, game: &Game) -> String {
    let allowed = WriteOptions::default().with_allowed(Allow::Everything);
    let (set, _) = write_all(format, [game], allowed).unwrap();
    content(&open_all(format, &set)[0])
}

fn apply(format: &Format, set: &mut MemorySet, changes: &[(u32, Game, Game)]) -> bool {
    let open = format.change.unwrap();
    let mut changer: Box<dyn ChangeGames> = open(set, WriteOptions::default()).unwrap().unwrap();
    for (n, old, new) in changes {
        match changer.replace(*n, old, new) {
            Ok(Some(losses)) => assert!(losses.is_empty()),
            Ok(None) | Err(_) => return false,
        }
    }
    changer.finish().unwrap();
    true
}

#[test]
fn changed_games_read_as_written_and_all_others_as_before() {
    for format in changeable() {
        let options = GameOptions::held_by(format);
        let games: Vec<Game> = (0..GAMES).map(|n| strategy::game(n, &options)).collect();
        let allowed = WriteOptions::default().with_allowed(Allow::Everything);
        let (mut set, _) = write_all(format, &games, allowed.clone()).unwrap();
        let mut rng = Rng::new(1987);
        let mut changes_made = 0;
        let mut current = open_all(format, &set);
        for round in 0..rounds() {
            if round % COMPACTED == COMPACTED - 1 {
                // As `compact` does, so that a round does not take longer than those before.
                (set, _) = write_all(format, &current, allowed.clone()).unwrap();
                current = open_all(format, &set);
            }
            let mut expected: Vec<String> = current.iter().map(content).collect();
            let mut changes = Vec::new();
            for n in 0..1 + rng.below(3) {
                let n = (rng.below(GAMES as usize / 4) * 4 + n) as u32;
                let seed = 1000 + (round * 7) as u64 + u64::from(n);
                let old = current[n as usize].clone();
                let new = changed(&old, seed, &options, &mut rng);
                expected[n as usize] = as_written(format, &new);
                changes.push((n, old, new));
            }
            // A set in memory takes each change at once.
            let mut next: MemorySet = set
                .iter()
                .map(|(role, bytes)| (role, bytes.to_vec()))
                .collect();
            if !apply(format, &mut next, &changes) {
                continue;
            }
            changes_made += 1;
            let next: MemorySet = next
                .iter()
                .map(|(role, bytes)| (role, bytes.to_vec()))
                .collect();
            let read = open_all(format, &next);
            for (n, (game, expected)) in read.iter().zip(&expected).enumerate() {
                assert_eq!(
                    &content(game),
                    expected,
                    "{} round {round} game {n}",
                    format.id
                );
            }
            assert_eq!(read.len(), expected.len());
            let lost = |finding: &chessdb::core::report::Finding| {
                finding.severity == chessdb::Severity::Lost
            };
            (format.check)(
                &next,
                &chessdb::core::ReadOptions::default(),
                &mut |finding| {
                    assert!(!lost(&finding), "{} round {round}: {finding:?}", format.id);
                },
            );
            (set, current) = (next, read);
        }
        assert!(changes_made > rounds() / 2, "{}: {changes_made}", format.id);
    }
}

/// Returns the visible files of a folder, without the counters of changes that SQLite files have.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_visible = |path: &PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
    let read = |path: &PathBuf| {
        let mut bytes = fs::read(path).unwrap();
        if bytes.starts_with(b"SQLite format 3") {
            bytes[24..28].fill(0);
            bytes[92..96].fill(0);
        }
        bytes
    };
    let mut files: Vec<_> = entries
        .filter(is_visible)
        .map(|path| (path.clone(), read(&path)))
        .collect();
    files.sort();
    files
}

pub(crate) fn lay(folder: &Path, format: &Format) -> PathBuf {
    let options = GameOptions::held_by(format);
    let games: Vec<Game> = (0..GAMES).map(|n| strategy::game(n, &options)).collect();
    let allowed = WriteOptions::default().with_allowed(Allow::Everything);
    let (set, _) = write_all(format, &games, allowed).unwrap();
    for (role, bytes) in set.iter() {
        fs::write(folder.join(format!("base.{}", role.0)), bytes).unwrap();
    }
    folder.join(format!("base.{}", format.roles[0].0))
}

fn rename_white(path: &Path, numbers: &[u32], name: &str) {
    let mut editor = Editor::open(path, Database::options()).unwrap();
    editor.record(&format!("tag --set White={name}"), numbers.len() as u64);
    let changed = editor.change(numbers, Allow::Nothing, &mut |game| {
        game.set_tag("White", name)
    });
    assert!(changed.unwrap(), "{}", path.display());
}

pub(crate) fn undo(path: &Path) -> chessdb::Result<chessdb::fs::LastChange> {
    let found = chessdb::fs::find(path)?;
    let mut sink = chessdb::fs::create(path, found.format(), true)?;
    drop(found);
    chessdb::fs::undo(&mut sink)
}

#[test]
fn undo_restores_every_byte_and_repeats_the_change() {
    for format in changeable() {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format);
        assert!(matches!(
            undo(&path).unwrap_err().problem(),
            Problem::NothingToUndo
        ));
        let mut states = vec![files(folder.path())];
        for (numbers, name) in [
            (&[3, 5][..], "Quite a new name"),
            (&[7][..], "Quite a new name"),
        ] {
            rename_white(&path, numbers, name);
            states.push(files(folder.path()));
        }
        for repeat in 0..2 {
            let last = undo(&path).unwrap();
            assert!(last.is_undone);
            assert_eq!(files(folder.path()), states[1], "{} {repeat}", format.id);
            assert!(!undo(&path).unwrap().is_undone);
            assert_eq!(files(folder.path()), states[2], "{} {repeat}", format.id);
        }
        let last = chessdb::fs::last_change(&path).unwrap().unwrap();
        let commands: Vec<Option<u64>> =
            last.commands.iter().map(|command| command.games).collect();
        assert_eq!(commands, [Some(1), Some(2)]);
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
        let changed = files(folder.path());
        assert!(matches!(
            undo(&path).unwrap_err().problem(),
            Problem::ChangedSince
        ));
        assert_eq!(files(folder.path()), changed);
    }
}

#[test]
fn two_writers_and_another_program_never_mix() {
    // Programs of SQLite formats know its locks.
    for format in changeable().filter(|format| format.disk.is_none()) {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format);
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        let second = Editor::open(&path, Database::options());
        assert!(matches!(second.unwrap_err().problem(), Problem::Locked));
        // A program that does not know our lock changes one byte meanwhile.
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        let theirs = files(folder.path());
        let mut rename = |game: &mut chessdb::Game| game.set_tag("White", "Ours");
        let changed = match editor.change(&[1], Allow::Nothing, &mut rename) {
            // The files do not fit together any more, so all would be written again.
            Ok(false) => editor.converter().run().map(drop),
            changed => changed.map(drop),
        };
        assert!(
            matches!(changed.unwrap_err().problem(), Problem::Changed),
            "{}",
            format.id
        );
        drop(editor);
        assert_eq!(files(folder.path()), theirs, "{}", format.id);
    }
}

/// Files that other programs derive from a database are removed when they no longer match, by a
/// commit that can be undone.
#[test]
fn outdated_files_of_other_programs_go_and_come_back() {
    for format in changeable().filter(|format| !format.derived.is_empty()) {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format);
        for role in format.derived {
            fs::write(path.with_extension(role.0), format!("derived {}", role.0)).unwrap();
        }
        let names = || -> Vec<String> {
            let names = files(folder.path()).into_iter();
            names
                .map(|(path, _)| path.extension().unwrap().to_str().unwrap().to_owned())
                .collect()
        };
        let derived = || {
            let names = names();
            let is_there = |role: &&chessdb::core::files::Role| names.iter().any(|n| n == role.0);
            format.derived.iter().filter(is_there).count()
        };
        let old = files(folder.path());
        let mark = |games: &[u32]| {
            let mut editor = Editor::open(&path, Database::options()).unwrap();
            let mut flip = |game: &mut chessdb::Game| game.header.flags ^= GameFlags::DELETED;
            assert!(editor.change(games, Allow::Nothing, &mut flip).unwrap());
        };
        // No list of games depends on the mark.
        mark(&[2]);
        assert_eq!(derived(), format.derived.len());
        assert!(undo(&path).unwrap().is_undone);
        assert_eq!(files(folder.path()), old);
        rename_white(&path, &[3, 5], "Quite a new name");
        let new = files(folder.path());
        assert!(derived() < format.derived.len(), "{:?}", names());
        for _ in 0..2 {
            assert!(undo(&path).unwrap().is_undone);
            assert_eq!(files(folder.path()), old, "{}", format.id);
            assert!(!undo(&path).unwrap().is_undone);
            assert_eq!(files(folder.path()), new, "{}", format.id);
        }
        // New games outdate all of them. The removed files of the change before are forgotten.
        let more = Database::options()
            .open_files([("games.pgn", b"[White \"Tal\"]\n\n1. e4 *\n".to_vec())])
            .unwrap();
        chessdb::Converter::to(&path)
            .append(true)
            .add_database(&more)
            .run()
            .unwrap();
        assert_eq!(derived(), 0, "{:?}", names());
        let is_hidden = |name: &String| name.ends_with(".chessdb-before");
        let hidden = fs::read_dir(folder.path()).unwrap();
        let hidden = hidden.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let hidden: Vec<String> = hidden.filter(is_hidden).collect();
        assert!(
            hidden
                .iter()
                .all(|name| name.starts_with(".base.ck") || name.starts_with(".base.cp")),
            "{hidden:?}"
        );
        assert!(undo(&path).unwrap().is_undone);
        assert_eq!(files(folder.path()), new, "{}", format.id);
    }
}
