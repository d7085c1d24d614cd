use super::super::file_change::Tail;
use super::super::journal::{KeptState, REPLACED};
use super::super::kept_journal::{AFTER, BEFORE, ChangeLog, Soundness};
use super::super::recover::recover;
use super::*;

/// Writes the contents of the three files of a target; `-` means no file.
fn lay(folder: &Path, name: &str, texts: [&str; 3]) {
    let target = folder.join(name);
    let paths = [
        target.clone(),
        hidden(&target, WRITING),
        hidden(&target, REPLACED),
    ];
    for (path, text) in paths.iter().zip(texts) {
        match text {
            "-" => remove(path).unwrap(),
            text => fs::write(path, text).unwrap(),
        }
    }
}

fn seal(folder: &Path, text: &str) -> Option<Fingerprint> {
    fs::write(folder.join("x"), text).unwrap();
    let seal = Fingerprint::read(&folder.join("x")).unwrap();
    fs::remove_file(folder.join("x")).unwrap();
    seal.filter(|_| text != "-")
}

fn names(folder: &Path) -> Vec<(String, String)> {
    let mut names: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), text)
        })
        .collect();
    names.sort();
    names
}

/// Tries every combination of contents under the three names, for every kind of entry: what can
/// be finished is finished, what can be undone is undone, and unknown content is never lost.
#[test]
fn recovery_never_overwrites_unknown_files() {
    let contents = ["-", "old", "new", "other"];
    for (old, new) in [("old", "new"), ("-", "new"), ("old", "-"), ("new", "new")] {
        for n in 0..64 {
            let texts = [contents[n % 4], contents[n / 4 % 4], contents[n / 16]];
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let main = folder.join("b.i");
            let entry = JournalEntry {
                target: main.clone(),
                old: seal(folder, old),
                new: seal(folder, new),
            };
            let entries = vec![entry];
            let journal = Journal {
                main,
                entries,
                changes: Vec::new(),
                kept: None,
            };
            lay(folder, "b.i", texts);
            let before = names(folder);
            journal.begin().unwrap();
            let (states, way) = journal.look().unwrap();
            let what = format!("{old} -> {new} with {texts:?}: {way:?}");
            let places = [&["-", old, new][..], &["-", new], &["-", old]];
            let sane = places.iter().zip(texts).all(|(may, is)| may.contains(&is));
            let expected = match () {
                () if new == "-" || texts[0] == new || texts[1] == new => Some(Direction::Forward),
                () if old == "-" || texts[0] == old || texts[2] == old => Some(Direction::Back),
                () => None,
            };
            if sane {
                assert_eq!(way.as_ref().ok(), expected.as_ref(), "{what}");
            }
            let view = way.as_ref().map(|way| journal.view(&states, *way));
            let seen = view.map(|view| match view.first() {
                None => fs::read_to_string(&journal.main).unwrap_or("-".to_owned()),
                Some((_, None)) => "-".to_owned(),
                Some((_, Some(path))) => fs::read_to_string(path).unwrap(),
            });
            let wanted = match way {
                Ok(Direction::Forward) => {
                    journal.finish(&states).unwrap();
                    new
                }
                Ok(Direction::Back) => {
                    journal.undo(&states).unwrap();
                    old
                }
                Err(_) => {
                    fs::remove_file(journal.path()).unwrap();
                    assert_eq!(names(folder), before, "{what}");
                    continue;
                }
            };
            let now = fs::read_to_string(&journal.main).unwrap_or("-".to_owned());
            assert_eq!(now, wanted, "{what}");
            assert_eq!(seen.unwrap(), wanted, "{what}");
            assert!(!journal.path().exists(), "{what}");
            let others = |names: &[(String, String)]| {
                names.iter().filter(|(_, text)| text == "other").count()
            };
            assert_eq!(others(&names(folder)), others(&before), "{what}");
        }
    }
}

#[test]
fn failed_commit_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let entry = |name: &str| JournalEntry {
        target: folder.join(name),
        old: seal(folder, "old"),
        new: seal(folder, "new"),
    };
    let entries = vec![entry("b.a"), entry("b.b")];
    let main = folder.join("b.a");
    let journal = Journal {
        main,
        entries,
        changes: Vec::new(),
        kept: None,
    };
    lay(folder, "b.a", ["old", "new", "-"]);
    // The second new file is gone, so its rename fails.
    lay(folder, "b.b", ["old", "-", "-"]);
    journal.begin().unwrap();
    assert!(journal.finish(&journal.untouched()).is_err());
    assert_eq!(fs::read_to_string(folder.join("b.a")).unwrap(), "new");
    assert!(!journal.take_back().unwrap());
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(
        names(folder),
        [
            file(".b.a.chessdb-new", "new"),
            file("b.a", "old"),
            file("b.b", "old")
        ]
    );
    // Only cleaning up is left.
    lay(folder, "b.a", ["new", "-", "old"]);
    lay(folder, "b.b", ["new", "-", "old"]);
    assert!(journal.take_back().unwrap());
}

#[test]
fn commit_survives_interruption_at_any_step() {
    // States that a kill may leave: target, new and old file, for a replaced, a created and a
    // removed file.
    let replaced = [
        ["old", "new", "-"],
        ["old", "new", "old"],
        ["-", "new", "old"],
        ["new", "-", "old"],
        ["new", "-", "-"],
    ];
    let created = [["-", "new", "-"], ["new", "-", "-"]];
    let retired = [["old", "-", "-"], ["-", "-", "old"], ["-", "-", "-"]];
    for (a, b, c) in (0..30).map(|n| (replaced[n % 5], created[n / 5 % 2], retired[n / 10])) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let main = folder.join("b.a");
        let entry = |name: &str, old, new| JournalEntry {
            target: folder.join(name),
            old: seal(folder, old),
            new: seal(folder, new),
        };
        let entries = vec![
            entry("b.a", "old", "new"),
            entry("b.b", "-", "new"),
            entry("b.c", "old", "-"),
        ];
        let journal = Journal {
            main,
            entries,
            changes: Vec::new(),
            kept: None,
        };
        for (name, texts) in [("b.a", a), ("b.b", b), ("b.c", c)] {
            lay(folder, name, texts);
        }
        journal.begin().unwrap();
        let (states, way) = journal.look().unwrap();
        assert_eq!(way, Ok(Direction::Forward), "{a:?} {b:?} {c:?}");
        journal.finish(&states).unwrap();
        let new = |name: &str| (name.to_owned(), "new".to_owned());
        assert_eq!(names(folder), [new("b.a"), new("b.b")]);
    }
}

/// A change in place that removes a file is ended from every state in which it may stop, in both
/// directions.
#[test]
fn interrupted_removal_is_ended_and_undone() {
    for (stop, is_undo) in (0..4).flat_map(|stop| [(stop, false), (stop, true)]) {
        let folder = tempfile::tempdir().unwrap();
        let (main, derived) = (folder.path().join("b.a"), folder.path().join("b.d"));
        fs::write(&main, "old").unwrap();
        fs::write(&derived, "derived").unwrap();
        let tail = Tail::Inline(b" and more".to_vec());
        let patches = [(0, b"new".to_vec())];
        let journal = Journal {
            entries: vec![JournalEntry {
                target: derived.clone(),
                old: Fingerprint::read(&derived).unwrap(),
                new: None,
            }],
            changes: vec![FileChange::new(&main, 3, tail, &patches, 10_000).unwrap()],
            kept: Some(KeptState {
                log: ChangeLog::default(),
                soundness: Soundness::default(),
                is_reversed: false,
            }),
            main: main.clone(),
        };
        journal.begin().unwrap();
        if is_undo {
            kept_journal::note_state(&main, State::Undoing).unwrap();
        }
        let (is_moved, is_changed) = (stop & 1 != 0, stop & 2 != 0);
        if is_moved {
            fs::rename(&derived, hidden(&derived, BEFORE)).unwrap();
        }
        if is_changed {
            fs::write(&main, "new and more").unwrap();
        }
        let ended = recover(&main).unwrap();
        assert_eq!(ended.len(), 1, "{stop} {is_undo}");
        let expected = if is_undo { "old" } else { "new and more" };
        assert_eq!(fs::read_to_string(&main).unwrap(), expected, "{stop}");
        assert_eq!(derived.exists(), is_undo, "{stop}");
        assert_eq!(hidden(&derived, BEFORE).exists(), !is_undo, "{stop}");
        assert!(recover(&main).unwrap().is_empty());
    }
}

/// Another program changes one of three files immediately before its turn: its bytes stay, the other
/// files are restored, and nothing is left to recover.
#[test]
fn changes_of_another_program_stay_and_end_the_commit() {
    for (turn, is_undo) in (0..3).flat_map(|turn| [(turn, false), (turn, true)]) {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["b.i", "b.n", "b.g"].map(|name| folder.path().join(name));
        let [main, names, games] = &paths;
        for path in &paths {
            fs::write(path, "old").unwrap();
        }
        fs::write(hidden(names, AFTER), "new").unwrap();
        let grow = |path: &Path| {
            let tail = Tail::Inline(b" and more".to_vec());
            FileChange::new(path, 3, tail, &[(0, b"new".to_vec())], 10_000).unwrap()
        };
        let mut journal = Journal {
            entries: vec![JournalEntry {
                target: names.clone(),
                old: Fingerprint::read(names).unwrap(),
                new: Fingerprint::read(&hidden(names, AFTER)).unwrap(),
            }],
            changes: vec![grow(games), grow(main)],
            kept: Some(KeptState {
                log: ChangeLog::default(),
                soundness: Soundness::default(),
                is_reversed: false,
            }),
            main: main.clone(),
        };
        journal.begin().unwrap();
        if is_undo {
            journal.finish(&journal.untouched()).unwrap();
            kept_journal::note_state(main, State::Undoing).unwrap();
            journal = journal.reversed();
        }
        let before = paths
            .each_ref()
            .map(|path| fs::read_to_string(path).unwrap());
        let theirs = [games, names, main][turn];
        let mut changed = Vec::new();
        let done = journal.finish_if(&journal.untouched(), &mut |target| {
            if target == theirs {
                fs::write(target, "another program").unwrap();
                return Err(io::ErrorKind::Other.into());
            }
            changed.push(target.to_owned());
            Ok(())
        });
        assert!(done.is_err(), "{turn} {is_undo}");
        journal.withdraw(&changed).unwrap();
        for (path, before) in paths.iter().zip(&before) {
            let expected = if path == theirs { "another program" } else { before };
            let content = fs::read_to_string(path).unwrap();
            assert_eq!(content, expected, "{turn} {is_undo} {}", path.display());
        }
        assert!(recover(main).unwrap().is_empty());
        assert_eq!(kept_journal::path(main).exists(), is_undo);
    }
}
