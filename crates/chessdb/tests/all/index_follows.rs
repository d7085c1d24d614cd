//! Index and tree file stay right while a database changes in place: every answer equals that of a
//! full scan, without the files being built again.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chessdb::convert::Editor;
use chessdb::core::Board;
use chessdb::core::model::GameFlags;
use chessdb::core::{Date, Format};
use chessdb::explorer::Explorer;
use chessdb::formats::FORMATS;
use chessdb::fs::IndexUse;
use chessdb::{Allow, Converter, Database, Game};
use chessdb_testkit::rng::Rng;

use crate::explorer::{boards, compare};
use crate::tree_index::{games, open, random_pgn};

const ROUNDS: usize = 1000;
/// Answers are compared after this number of changes.
const COMPARED_EVERY: usize = 50;
/// The files are built again after this number of changes.
const BUILT_EVERY: usize = 400;

/// Returns the formats that change in place, if only by appending games.
pub(crate) fn changeable() -> impl Iterator<Item = &'static Format> {
    let has_changes = |format: &&Format| format.change.is_some() || format.append.is_some();
    FORMATS.iter().copied().filter(has_changes)
}

/// Creates a database with index and tree file.
pub(crate) fn lay(folder: &Path, format: &Format, seed: u64) -> PathBuf {
    let pgn = folder.join("source");
    fs::write(&pgn, random_pgn(120, seed)).unwrap();
    let path = folder.join(format!("base.{}", format.roles[0].0));
    let source = Database::options().format("pgn").open(&pgn).unwrap();
    let converted = Converter::to(&path)
        .format(format.id)
        .add_database(&source)
        .run();
    converted.unwrap();
    fs::remove_file(&pgn).unwrap();
    open(&path).write_index(|_| {}).unwrap();
    path
}

/// Changes a game by one of the edits of a user.
fn edit(game: &mut Game, other: &chessdb::core::Game, rng: &mut Rng) {
    match rng.below(8) {
        0 => game.header.flags ^= GameFlags::DELETED,
        1 => game.header.outcome = other.header.outcome,
        2 => game.set_tag("WhiteElo", &(1800 + 100 * rng.below(11)).to_string()),
        3 => game.set_tag("Site", "Zürich"),
        4 => {
            game.header.date = Date {
                year: 1980 + rng.below(40) as u16,
                month: 0,
                day: 0,
            }
        }
        // Another game, or the same moves up to a place and others from there on.
        _ => {
            let flags = game.header.flags;
            **game = other.clone();
            game.header.flags = flags;
        }
    }
}

/// Changes up to three games. Returns whether the index is right then; `None` if nothing changed,
/// because the database must be rewritten.
pub(crate) fn change(path: &Path, rng: &mut Rng, others: &[Option<Game>]) -> Option<bool> {
    let count = 1 + rng.below(3);
    let mut editor = Editor::open(path, Database::options()).unwrap();
    let games = editor.database().len().unwrap() as usize;
    let mut numbers: Vec<u32> = (0..count).map(|_| 1 + rng.below(games) as u32).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let changed = editor.change(&numbers, Allow::Everything, &mut |game| {
        let other = others[rng.below(others.len())].as_ref().unwrap();
        edit(game, other, rng);
    });
    changed.unwrap().then(|| editor.old_indexes().is_empty())
}

/// Appends up to three games. Returns false if the database was rewritten.
pub(crate) fn append(path: &Path, seed: u64) -> bool {
    let text = random_pgn(1 + seed as usize % 3, seed);
    let more = Database::options()
        .open_files([("more.pgn", text.into_bytes())])
        .unwrap();
    let report = Converter::to(path)
        .append(true)
        .add_database(&more)
        .run()
        .unwrap();
    assert!(report.is_rewritten() || report.old_indexes().is_empty());
    !report.is_rewritten()
}

fn undo(path: &Path) -> bool {
    let format = chessdb::fs::find(path).unwrap().format();
    let mut sink = chessdb::fs::create(path, format, true).unwrap();
    let is_undone = chessdb::fs::undo(&mut sink).is_ok();
    assert!(sink.old_indexes().is_empty());
    is_undone
}

/// Compares what the database answers with its index and by a full scan.
fn compare_with_scan(path: &Path, context: &str) {
    let db = open(path);
    let plain = Database::open(path).unwrap();
    assert_eq!(*db.indexed(), IndexUse::Used, "{context}");
    assert_eq!(db.len().unwrap(), plain.len().unwrap(), "{context}");
    let shown = |db: &Database| format!("{:?}", db.diagnostics());
    assert_eq!(shown(&db), shown(&plain), "{context}");
    let all = games(&plain);
    for (with, without) in games(&db).iter().zip(&all) {
        let [with, without] = [with, without].map(|game| game.as_deref());
        assert_eq!(with, without, "{context}");
    }
    let mut explorer = Explorer::new(0);
    let all_boards = boards(&all);
    let frequent = all_boards.iter().take(12);
    let all_boards: Vec<_> = frequent
        .chain(all_boards.iter().skip(12).step_by(9))
        .collect();
    for board in &all_boards {
        let tree = explorer.count(&db, board, None).unwrap();
        compare(&tree, &all, board, context);
    }
    assert_eq!(db.tree_indexed(), Some(&IndexUse::Used), "{context}");
    let mut queries: Vec<String> = all_boards
        .iter()
        .map(|board| format!("fen:\"{board}\""))
        .collect();
    queries.extend(["material:KRPKR", "site:Zürich", "result:1-0"].map(str::to_owned));
    for query in &queries {
        let numbers = |db: &Database| -> Vec<u32> {
            let found = db.find(query.as_str()).unwrap();
            found.map(|game| game.unwrap().number()).collect()
        };
        assert_eq!(numbers(&db), numbers(&plain), "{context}: {query}");
    }
}

#[test]
fn answers_after_changes_equal_a_full_scan() {
    for format in changeable() {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format, 5);
        let source = random_pgn(200, 77);
        let others = Database::options()
            .open_files([("more.pgn", source.into_bytes())])
            .unwrap();
        let others = games(&others);
        let mut rng = Rng::new(1987);
        let (mut changes, mut undone) = (0, 0);
        // A change that was made before the index was written cannot be followed back.
        let mut can_undo = false;
        for round in 0..ROUNDS {
            let choice = rng.below(20);
            if choice == 0 {
                let is_in_place = append(&path, round as u64);
                if !is_in_place {
                    open(&path).write_index(|_| {}).unwrap();
                }
                can_undo = is_in_place;
            } else if choice < 4 {
                if can_undo {
                    undone += usize::from(undo(&path));
                }
            } else if format.change.is_some()
                && let Some(is_right) = change(&path, &mut rng, &others)
            {
                assert!(is_right, "{} round {round}", format.id);
                can_undo = true;
                changes += 1;
            }
            if round % BUILT_EVERY == BUILT_EVERY - 1 {
                open(&path).write_index(|_| {}).unwrap();
                can_undo = false;
            }
            if round % COMPARED_EVERY == 0 {
                compare_with_scan(&path, &format!("{} round {round}", format.id));
            }
        }
        assert!(undone > ROUNDS / 20, "{} {undone}", format.id);
        assert!(
            format.change.is_none() || changes > ROUNDS / 2,
            "{} {changes}",
            format.id
        );
        compare_with_scan(&path, format.id);
        // A copy has other times, so the whole files are compared.
        let folder = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
            let from = entry.unwrap().path();
            fs::write(
                folder.path().join(from.file_name().unwrap()),
                fs::read(&from).unwrap(),
            )
            .unwrap();
        }
        compare_with_scan(&folder.path().join(path.file_name().unwrap()), format.id);
    }
}

/// Returns the files of a folder with their times.
fn state(folder: &Path) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let state = entries.map(|path| {
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        (path.clone(), fs::read(&path).unwrap(), time)
    });
    state.collect()
}

fn restore(state: &[(PathBuf, Vec<u8>, SystemTime)], is_chosen: impl Fn(&Path) -> bool) {
    for (path, bytes, time) in state.iter().filter(|(path, ..)| is_chosen(path)) {
        fs::write(path, bytes).unwrap();
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(*time)
            .unwrap();
    }
}

fn is_list(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "chessdb-changes")
}

/// A stop between the change of the database and that of the list, in either order.
#[test]
fn an_old_or_lost_list_makes_the_index_stale() {
    for format in changeable().filter(|format| format.change.is_some()) {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format, 6);
        let mut rng = Rng::new(3);
        let others = games(&open(&path));
        let mut before = state(folder.path());
        for round in 0..12 {
            if change(&path, &mut rng, &others).is_none() {
                continue;
            }
            let after = state(folder.path());
            let content = |state: &[(PathBuf, Vec<u8>, SystemTime)]| -> Vec<Vec<u8>> {
                let is_file =
                    |path: &Path| path.to_string_lossy().contains("/base.") && !is_list(path);
                let files = state.iter().filter(|(path, ..)| is_file(path));
                files.map(|(_, bytes, _)| bytes.clone()).collect()
            };
            // Some edits change nothing.
            if content(&before) == content(&after) {
                before = after;
                continue;
            }
            // The database is new and the list old.
            restore(&before, is_list);
            if !before.iter().any(|(path, ..)| is_list(path)) {
                let list = after.iter().find(|(path, ..)| is_list(path)).unwrap();
                fs::remove_file(&list.0).unwrap();
            }
            let db = open(&path);
            assert!(
                matches!(db.indexed(), IndexUse::Refused(..)),
                "{} {round}",
                format.id
            );
            drop(db);
            // The list is new and the database old.
            restore(&after, is_list);
            restore(&before, |path| !is_list(path));
            let db = open(&path);
            assert!(
                matches!(db.indexed(), IndexUse::Refused(..)),
                "{} {round}",
                format.id
            );
            drop(db);
            restore(&after, |_| true);
            compare_with_scan(&path, format.id);
            before = after;
        }
        // Another program changes a byte, and then this one changes the database.
        let main = fs::read(&path).unwrap();
        let mut other = main.clone();
        *other.last_mut().unwrap() ^= 1;
        fs::write(&path, &other).unwrap();
        assert!(
            matches!(open(&path).indexed(), IndexUse::Refused(..)),
            "{}",
            format.id
        );
        fs::write(&path, &main).unwrap();
        assert_eq!(*open(&path).indexed(), IndexUse::Used, "{}", format.id);
        fs::write(&path, &other).unwrap();
        if let Some(is_right) = change(&path, &mut rng, &others) {
            assert!(!is_right, "{}", format.id);
            assert!(
                matches!(open(&path).indexed(), IndexUse::Refused(..)),
                "{}",
                format.id
            );
        }
    }
}

/// Most changes of a game leave the extremes of the moves in the starting position as they are.
#[test]
fn the_start_position_is_answered_after_changes() {
    let folder = tempfile::tempdir().unwrap();
    let format = changeable().find(|format| format.id == "si4").unwrap();
    let path = lay(folder.path(), format, 9);
    let others = games(&open(&path));
    let mut rng = Rng::new(5);
    let mut answered = 0;
    for _ in 0..40 {
        change(&path, &mut rng, &others);
        answered += usize::from(open(&path).position_moves(&Board::standard()).is_some());
        undo(&path);
    }
    assert!(answered > 10, "{answered}");
}
