//! New files replace old ones as a set or not at all.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use chessdb::convert::{SpoolSink, StreamSink};
use chessdb::core::ErrorKind;
use chessdb::core::files::{FileId, FileSink, Role};
use chessdb::core::format::Score;
use chessdb::fs::create;
use chessdb::{Format, Problem};

const INDEX: Role = Role("ti4");
const GAMES: Role = Role("tg4");

/// A format with two files; only its names are used.
static PAIR: Format = Format::new(
    "pair",
    "Pair",
    |_| Score::No,
    |_, _| Err(ErrorKind::Unsupported("this").into()),
    |_, _, _| {},
)
.with_files(&[INDEX, GAMES], &[INDEX, GAMES])
.with_create(|_, _| Err(ErrorKind::Unsupported("this").into()));
static ONE: Format = PAIR.with_files(&[GAMES], &[GAMES]);
static READ_ONLY: Format = {
    let mut format = PAIR;
    format.create = None;
    format
};

/// Returns the names and contents of a folder.
fn listing(folder: &Path) -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    found.sort();
    found
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect()
}

fn fill(sink: &mut dyn FileSink) -> chessdb::core::Result<()> {
    let games = sink.create(GAMES)?;
    let index = sink.create(INDEX)?;
    sink.write(index, b"count 0 of ")?;
    sink.write(games, b"e4 ")?;
    sink.patch(index, 6, b"1")?;
    sink.write(games, b"e5")?;
    sink.write(index, b"1")
}

#[test]
fn a_set_appears_when_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let mut sink = create(folder.path().join("new.ti4"), &PAIR, false).unwrap();
    fill(&mut sink).unwrap();
    let names = |files: Vec<(String, String)>| files.into_iter().map(|(name, _)| name).collect();
    let before: Vec<String> = names(listing(folder.path()));
    assert!(
        before.iter().all(|name| name.starts_with('.')),
        "{before:?}"
    );
    sink.commit().unwrap();
    drop(sink);
    assert_eq!(
        listing(folder.path()),
        pairs(&[("new.tg4", "e4 e5"), ("new.ti4", "count 1 of 1")])
    );
}

#[test]
fn without_commit_the_old_set_stays() {
    let folder = tempfile::tempdir().unwrap();
    let old = pairs(&[("a.tg4", "old games"), ("a.ti4", "old index")]);
    for (name, text) in &old {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut sink = create(folder.path().join("a.ti4"), &PAIR, true).unwrap();
    fill(&mut sink).unwrap();
    drop(sink);
    assert_eq!(listing(folder.path()), old);

    let mut sink = create(folder.path().join("a"), &PAIR, true).unwrap();
    fill(&mut sink).unwrap();
    sink.commit().unwrap();
    assert!(sink.is_committed());
    drop(sink);
    assert_eq!(
        listing(folder.path()),
        pairs(&[("a.tg4", "e4 e5"), ("a.ti4", "count 1 of 1")])
    );
}

#[test]
fn a_swap_that_fails_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.tg4"), "old games").unwrap();
    let mut sink = create(folder.path().join("a.ti4"), &PAIR, true).unwrap();
    fill(&mut sink).unwrap();
    // The games are renamed first; then the index meets a folder that is not empty.
    let obstacle = folder.path().join("a.ti4");
    fs::create_dir(&obstacle).unwrap();
    fs::write(obstacle.join("x"), "").unwrap();
    assert!(sink.commit().is_err());
    drop(sink);
    assert!(obstacle.join("x").exists());
    fs::remove_dir_all(obstacle).unwrap();
    assert_eq!(listing(folder.path()), pairs(&[("a.tg4", "old games")]));
}

#[test]
fn an_existing_file_of_the_set_is_refused_in_any_capitals() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Old.TG4"), "old").unwrap();
    let error = create(folder.path().join("old.ti4"), &PAIR, false).unwrap_err();
    assert!(matches!(error.problem(), Problem::AlreadyExists), "{error}");
    assert!(error.path().unwrap().ends_with("Old.TG4"), "{error}");
    // A replaced file keeps its name: two files that differ only in case would be a trap.
    let mut sink = create(folder.path().join("old.ti4"), &PAIR, true).unwrap();
    fill(&mut sink).unwrap();
    sink.commit().unwrap();
    drop(sink);
    assert_eq!(
        listing(folder.path()),
        pairs(&[("Old.TG4", "e4 e5"), ("Old.TI4", "count 1 of 1")])
    );
}

/// Tests all combinations of leftovers: every file of a set present, missing, in capitals, a
/// dangling link, a folder or read-only. Nothing loops, only files are replaced, and refusals
/// happen before anything is written.
#[cfg(unix)]
#[test]
fn whatever_is_left_of_a_set_is_replaced_or_named() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    const KINDS: usize = 7;
    let lay = |folder: &Path, kind: usize, suffix: &str| {
        let file = folder.join(format!("a.{suffix}"));
        let capitals = folder.join(format!("A.{}", suffix.to_uppercase()));
        match kind {
            0 => {}
            1 => fs::write(file, "old").unwrap(),
            2 => fs::write(capitals, "old").unwrap(),
            3 => {
                fs::write(&file, "old").unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
            }
            4 => symlink("nowhere", file).unwrap(),
            5 => symlink(format!("a.{suffix}"), file).unwrap(),
            _ => fs::create_dir(file).unwrap(),
        }
    };
    let (done, finished) = mpsc::channel();
    let series = thread::spawn(move || {
        for (index, games) in (0..KINDS * KINDS).map(|n| (n % KINDS, n / KINDS)) {
            for replace in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                lay(folder.path(), index, "ti4");
                lay(folder.path(), games, "tg4");
                let names = |folder: &Path| -> Vec<String> {
                    let entries = fs::read_dir(folder).unwrap();
                    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
                    let mut names: Vec<_> = entries
                        .map(|entry| name(entry).into_string().unwrap())
                        .collect();
                    names.sort();
                    names
                };
                let before = names(folder.path());
                let what = format!("{index} {games} {replace}");
                let in_the_way = index > 3 || games > 3;
                match create(folder.path().join("a.ti4"), &PAIR, replace) {
                    Ok(mut sink) => {
                        assert!(!in_the_way && (replace || before.is_empty()), "{what}");
                        fill(&mut sink).unwrap();
                        sink.commit().unwrap();
                        drop(sink);
                        let now = listing(folder.path());
                        assert_eq!(now.len(), 2, "{what}: {now:?}");
                        assert!(now.iter().all(|(_, text)| text != "old"), "{what}: {now:?}");
                        // If all files exist, the names stay; otherwise they follow the existing
                        // ones.
                        if index == 0 || games == 0 {
                            let capitals = now.iter().filter(|(name, _)| name.starts_with('A'));
                            assert!(matches!(capitals.count(), 0 | 2), "{what}: {now:?}");
                        }
                    }
                    Err(error) => {
                        let named = error.path().unwrap().file_name().unwrap().to_str().unwrap();
                        assert!(before.iter().any(|name| name == named), "{what}: {error}");
                        match error.problem() {
                            Problem::AlreadyExists => assert!(!replace, "{what}: {error}"),
                            Problem::NotReplaceable(_) => assert!(in_the_way, "{what}: {error}"),
                            Problem::Io(_) => assert_eq!(index, 6, "{what}: {error}"),
                            _ => panic!("{what}: {error}"),
                        }
                        assert_eq!(names(folder.path()), before, "{what}");
                    }
                }
            }
        }
        done.send(()).unwrap();
    });
    // Far longer than needed, unless it loops.
    match finished.recv_timeout(Duration::from_secs(300)) {
        Err(RecvTimeoutError::Timeout) => panic!("it does not come to an end"),
        _ => series.join().unwrap(),
    }
}

#[test]
fn names_follow_the_one_given() {
    let cases = [
        (&PAIR, "BASE.TI4", &["BASE.TG4", "BASE.TI4"][..]),
        (&PAIR, "base.v1", &["base.v1.tg4", "base.v1.ti4"]),
        (&PAIR, "base.tg4", &["base.tg4", "base.ti4"]),
        (&ONE, "games.txt", &["games.txt"]),
    ];
    for (format, given, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = create(folder.path().join(given), format, false).unwrap();
        for role in format.roles.iter().rev() {
            sink.create(*role).unwrap();
        }
        sink.commit().unwrap();
        drop(sink);
        let names: Vec<String> = listing(folder.path())
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, expected, "{given}");
    }
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ti4");
    let first = create(&path, &PAIR, false).unwrap();
    let error = create(&path, &PAIR, true).unwrap_err();
    assert!(matches!(error.problem(), Problem::Locked), "{error}");
    drop(first);
    assert!(listing(folder.path()).is_empty());
    let mut again = create(&path, &PAIR, false).unwrap();
    fill(&mut again).unwrap();
    again.commit().unwrap();
}

#[test]
fn leftovers_of_a_killed_writer_are_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".a.ti4.chessdb-new"), "half").unwrap();
    fs::write(folder.path().join(".a.ti4.chessdb-lock"), "").unwrap();
    let mut sink = create(folder.path().join("a.ti4"), &PAIR, false).unwrap();
    fill(&mut sink).unwrap();
    sink.commit().unwrap();
    drop(sink);
    assert_eq!(listing(folder.path()).len(), 2);
}

#[test]
fn what_cannot_be_a_target_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = create(folder.path().join("a.ti4"), &READ_ONLY, false).unwrap_err();
    assert!(matches!(error.problem(), Problem::ReadOnly(..)));
    assert!(create(folder.path(), &PAIR, true).is_err());
    assert!(
        create(
            folder.path().join("no such folder").join("a.ti4"),
            &PAIR,
            true
        )
        .is_err()
    );
    let mut sink = create(folder.path().join("a.ti4"), &PAIR, false).unwrap();
    sink.create(INDEX).unwrap();
    assert!(sink.create(INDEX).is_err(), "twice");
    assert!(sink.create(Role("pgn")).is_err(), "not of this set");
    assert!(sink.write(FileId(7), b"").is_err());
    assert!(sink.patch(FileId(0), 3, b"x").is_err(), "behind the end");
}

#[cfg(unix)]
#[test]
fn the_target_of_a_link_is_replaced_and_keeps_its_rights() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (
        folder.path().join("real.txt"),
        folder.path().join("link.txt"),
    );
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&real, &link).unwrap();
    let mut sink = create(&link, &ONE, true).unwrap();
    let file = sink.create(GAMES).unwrap();
    sink.write(file, b"new").unwrap();
    sink.commit().unwrap();
    drop(sink);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn streams_take_one_file() {
    let mut out = Vec::new();
    let mut sink = StreamSink::new(&mut out);
    let file = sink.create(GAMES).unwrap();
    assert!(sink.create(INDEX).is_err());
    sink.write(file, b"games").unwrap();
    assert!(sink.patch(file, 0, b"G").is_err());
    sink.commit().unwrap();
    assert_eq!(out, b"games");
}

#[test]
fn a_spool_gives_nothing_before_the_end() {
    struct Watch<'a>(&'a mut Vec<u8>);
    impl io::Write for Watch<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for commit in [false, true] {
        let mut out = Vec::new();
        let mut sink = SpoolSink::new(Watch(&mut out), tempfile::tempfile().unwrap());
        let file = sink.create(GAMES).unwrap();
        sink.write(file, b"games").unwrap();
        sink.patch(file, 0, b"G").unwrap();
        sink.write(file, b"!").unwrap();
        if commit {
            sink.commit().unwrap();
        }
        drop(sink);
        assert_eq!(out, if commit { &b"Games!"[..] } else { b"" });
    }
}
