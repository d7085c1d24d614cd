//! Changes of single games in place, and undoing them.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::{Path, PathBuf};

use chessdb::convert::{Editor, GameEdits, Observer};
use chessdb::core::model::GameFlags;
use chessdb::core::store::ChangeGames;
use chessdb::core::{Format, Game, MemorySet, WriteOptions};
use chessdb::formats::FORMATS;
use chessdb::{Allow, Database, Problem, Selection};
use chessdb_testkit::golden::dump_game;
use chessdb_testkit::identity::{open_all, write_all};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

const GAMES: u64 = 40;

/// Returns the number of random changes of each format: 120, or the number in `CHESSDB_CHANGES`.
fn rounds() -> usize {
    std::env::var("CHESSDB_CHANGES").map_or(120, |number| number.parse().unwrap())
}

fn changeable() -> impl Iterator<Item = &'static Format> {
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
fn content(game: &Game) -> String {
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
        let (mut set, _) = write_all(format, &games, allowed).unwrap();
        let mut rng = Rng::new(1987);
        let mut changes_made = 0;
        for round in 0..rounds() {
            let current = open_all(format, &set);
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
            set = next;
        }
        assert!(changes_made > rounds() / 2, "{}: {changes_made}", format.id);
    }
}

/// Returns the visible files of a folder, without the counters of changes that SQLite files have.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
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

fn lay(folder: &Path, format: &Format) -> PathBuf {
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

fn undo(path: &Path) -> chessdb::Result<chessdb::fs::LastChange> {
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
        let changed = editor.change(&[1], Allow::Nothing, &mut rename);
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

fn model(pgn: &str) -> Game {
    chessdb::Game::from_pgn(pgn).unwrap().into_model()
}

/// Replaces the games with these numbers by another one.
#[derive(Default)]
struct Replacing {
    numbers: Vec<u32>,
    new: Game,
    /// The numbers of the games that were passed since the last restart.
    passed: Vec<u32>,
    restarts: u32,
}

impl Observer for Replacing {
    fn edit(&mut self, game: &mut chessdb::Game) {
        self.passed.push(game.number());
        if self.numbers.contains(&game.number()) {
            game.replace(self.new.clone());
        }
    }

    fn restart(&mut self) {
        self.passed.clear();
        self.restarts += 1;
    }
}

#[test]
fn a_conversion_in_place_writes_only_what_its_observer_changes() {
    for format in changeable() {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format);
        let before = files(folder.path());
        let old: Vec<_> = Database::open(&path)
            .unwrap()
            .games()
            .map(Result::unwrap)
            .collect();
        let mut replacing = Replacing {
            numbers: vec![4, 9],
            new: model("[White \"Other\"]\n\n1. b3 *"),
            ..Replacing::default()
        };
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        let report = editor.converter().observer(&mut replacing).run().unwrap();
        let counts = (report.changed(), report.written(), report.read());
        assert_eq!(counts, (Some(2), GAMES, GAMES), "{}", format.id);
        assert_eq!(replacing.passed, (1..=GAMES as u32).collect::<Vec<_>>());
        drop(editor);
        let db = Database::open(&path).unwrap();
        for (n, old) in old.iter().enumerate() {
            let new = db.game(n as u32).unwrap();
            let is_replaced = n == 3 || n == 8;
            assert_eq!(new.white() == "Other", is_replaced, "{} {n}", format.id);
            assert!(
                is_replaced || content(&new) == content(old),
                "{} {n}",
                format.id
            );
        }
        drop(db);
        let after = files(folder.path());
        // Only the games that may change are passed, and what does not change is not written.
        replacing.passed.clear();
        replacing.numbers.clear();
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        let converter = editor
            .converter()
            .edit_only(Selection::in_order(vec![2, 4]));
        let report = converter.observer(&mut replacing).run().unwrap();
        assert_eq!((report.changed(), report.written()), (Some(0), GAMES));
        assert_eq!(
            (&replacing.passed[..], replacing.restarts),
            (&[2, 4][..], 0)
        );
        drop(editor);
        assert!(files(folder.path()) == after, "{}", format.id);
        undo(&path).unwrap();
        assert!(files(folder.path()) == before, "{}", format.id);
    }
}

#[test]
fn an_impossible_change_starts_again_and_is_refused() {
    let mut restarted = 0;
    for format in changeable() {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format);
        let before = files(folder.path());
        // Scid refuses a game without kings.
        let mut replacing = Replacing {
            numbers: vec![1, 9],
            new: model("[SetUp \"1\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*"),
            ..Replacing::default()
        };
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        let done = editor.converter().observer(&mut replacing).run();
        drop(editor);
        // All games are passed once since the last start, also if the database is rewritten.
        assert_eq!(
            replacing.passed,
            (1..=GAMES as u32).collect::<Vec<_>>(),
            "{}",
            format.id
        );
        restarted += replacing.restarts;
        if done.is_err() {
            assert!(files(folder.path()) == before, "{}", format.id);
        }
    }
    assert!(restarted > 0);
}

#[test]
fn edits_are_saved_as_one_change() {
    for format in changeable() {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format);
        let before = files(folder.path());
        let mut edits = GameEdits::new();
        edits.set_tag(2, "White", Some("Somebody new")).unwrap();
        edits.set_tag(2, "Site", None).unwrap();
        edits.replace(5, model("[White \"Other\"]\n\n1. b3 *"));
        edits.set_tag(5, "Black", Some("Also new")).unwrap();
        for pgn in [
            "[White \"First\"]\n\n1. g3 *",
            "[White \"Second\"]\n\n1. g4 *",
        ] {
            edits.append(chessdb::Game::from_pgn(pgn).unwrap());
        }
        assert_eq!((edits.len(), edits.is_empty()), (4, false));
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        editor.record("several changes", edits.len());
        let report = editor.save(&edits, &mut ()).unwrap();
        assert_eq!(report.written(), GAMES + 2, "{}", format.id);
        drop(editor);
        let db = Database::open(&path).unwrap();
        let whites = [1, 4, GAMES as u32, GAMES as u32 + 1].map(|n| db.game(n).unwrap());
        let whites = whites.each_ref().map(|game| game.white().into_owned());
        assert_eq!(
            whites,
            ["Somebody new", "Other", "First", "Second"],
            "{}",
            format.id
        );
        assert_eq!(db.game(1).unwrap().site(), "?");
        assert_eq!(db.game(4).unwrap().black(), "Also new");
        assert_eq!(u64::from(db.len().unwrap()), GAMES + 2);
        drop(db);
        // A format that cannot append in the same step is rewritten, which cannot be undone.
        if report.changed() == Some(4) {
            undo(&path).unwrap();
            assert!(files(folder.path()) == before, "{}", format.id);
        }
        for number in [0, 99] {
            let mut edits = GameEdits::new();
            edits.set_flags(number, GameFlags::DELETED, GameFlags::empty());
            let mut editor = Editor::open(&path, Database::options()).unwrap();
            assert!(editor.save(&edits, &mut ()).is_err(), "{number}");
        }
    }
}

#[test]
fn edits_refuse_what_is_no_tag() {
    let mut edits = GameEdits::new();
    for (name, value) in [
        ("White Elo", Some("1")),
        ("", Some("x")),
        ("WhiteElo", Some("strong")),
        ("Date", Some("1959")),
        ("FEN", None),
        ("ScidFlags", Some("D")),
        ("Event", Some("two\nlines")),
    ] {
        assert!(edits.set_tag(1, name, value).is_err(), "{name} {value:?}");
    }
    assert!(edits.is_empty());
}
