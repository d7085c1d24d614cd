//! Conversions and edits that change a database in place.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::Path;

use chessdb::convert::{Editor, GameEdits, Observer};
use chessdb::core::Game;
use chessdb::core::model::GameFlags;
use chessdb::{Database, Selection};

use crate::changes_in_place::{GAMES, changeable, content, files, lay, undo};

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

/// Marks the game with this number as deleted.
struct Deleting(u32);

impl Observer for Deleting {
    fn edit(&mut self, game: &mut chessdb::Game) {
        if game.number() == self.0 {
            game.header.flags |= GameFlags::DELETED;
        }
    }
}

/// Changes a byte of the database so that a part of one game is lost. Returns the number of the game.
fn damage_a_game(path: &Path) -> u32 {
    let mut files = files(path.parent().unwrap());
    files.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.len()));
    for (file, mut bytes) in files {
        for offset in (bytes.len() / 2..bytes.len()).take(500) {
            bytes[offset] ^= 0x55;
            fs::write(&file, &bytes).unwrap();
            let numbers = Database::open(path).and_then(|db| {
                let games = db.games().collect::<Result<Vec<_>, _>>()?;
                let damaged = games.iter().filter(|game| game.is_damaged());
                let marked = damaged.filter(|game| !game.header.flags.contains(GameFlags::DELETED));
                Ok(marked.map(|game| game.number()).collect::<Vec<_>>())
            });
            if let Ok([number]) = numbers.as_deref() {
                return *number;
            }
            bytes[offset] ^= 0x55;
        }
        fs::write(&file, &bytes).unwrap();
    }
    panic!("no byte damages a single game of {}", path.display());
}

#[test]
fn a_damaged_game_is_marked_in_place() {
    for id in ["si3", "si4", "si5", "scidb", "cbf", "cbh", "dcx"] {
        let format = changeable().find(|format| format.id == id).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format);
        let number = damage_a_game(&path);
        let before = files(folder.path());
        let games = || -> Vec<chessdb::Game> {
            let db = Database::open(&path).unwrap();
            db.games().map(Result::unwrap).collect()
        };
        let expected: Vec<String> = games().iter().map(|game| content(game)).collect();
        for numbers in [vec![number], (1..=GAMES as u32).collect()] {
            let mut editor = Editor::open(&path, Database::options()).unwrap();
            let converter = editor.converter().edit_only(Selection::in_order(numbers));
            let report = converter.observer(&mut Deleting(number)).run().unwrap();
            let counts = (report.changed(), report.carried(), report.written());
            assert_eq!(counts, (Some(1), 1, GAMES), "{id}");
            drop(editor);
            let after = files(folder.path());
            let pairs = before.iter().zip(&after);
            let differing = pairs.map(|((_, old), (_, new))| {
                assert_eq!(old.len(), new.len(), "{id}");
                old.iter().zip(new).filter(|(old, new)| old != new).count()
            });
            assert_eq!(differing.sum::<usize>(), 1, "{id}");
            let read = games();
            let mut marked = read[number as usize - 1].clone().into_model();
            assert!(marked.header.flags.contains(GameFlags::DELETED), "{id}");
            marked.header.flags -= GameFlags::DELETED;
            let mut contents: Vec<String> = read.iter().map(|game| content(game)).collect();
            contents[number as usize - 1] = content(&marked);
            assert_eq!(contents, expected, "{id}");
            undo(&path).unwrap();
            assert!(files(folder.path()) == before, "{id}");
        }
        // The moves that could not be read would be lost.
        let mut replacing = Replacing {
            numbers: vec![number],
            new: model("[White \"Other\"]\n\n1. b3 *"),
            ..Replacing::default()
        };
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        let converter = editor.converter().observer(&mut replacing);
        assert!(converter.run().is_err(), "{id}");
        drop(editor);
        assert!(files(folder.path()) == before, "{id}");
    }
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
