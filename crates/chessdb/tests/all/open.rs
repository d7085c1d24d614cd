//! Databases are found and read by any of their names, packed or not.
#![cfg(all(feature = "pgn", feature = "scid"))]

use std::fs;
use std::path::{Path, PathBuf};

use chessdb::convert::Progress;
use chessdb::core::files::{FileId, FileSink, Role};
use chessdb::core::{ErrorKind, ReadOptions, WriteOptions};
use chessdb::fs::{create, find, find_as, suffix_format, survey};
use chessdb::{Converter, Error, Problem, formats};

use crate::common::{GAMES, first, open, problem, scid_folder, tal, write_scid};

fn rename(folder: &Path, names: [&str; 3]) {
    for (suffix, name) in ["si4", "sg4", "sn4"].iter().zip(names) {
        fs::rename(folder.join(format!("base.{suffix}")), folder.join(name)).unwrap();
    }
}

#[test]
fn any_file_the_stem_or_the_folder_name_the_base() {
    let folder = scid_folder();
    for name in ["base.si4", "base.sg4", "base.sn4", "base", ""] {
        assert_eq!(first(&folder.path().join(name)), tal(), "{name}");
    }
    let found = find(folder.path().join("base.sn4")).unwrap();
    let roles: Vec<&str> = found.files().iter().map(|(role, _)| role.0).collect();
    assert_eq!(roles, ["si4", "sg4", "sn4"]);
    assert!(!found.is_packed() && !found.is_pipe() && found.size().unwrap() > 182);
}

#[test]
fn capitals_do_not_matter() {
    for names in [
        ["BASE.SI4", "BASE.SG4", "BASE.SN4"],
        ["BASE.SI4", "base.sg4", "Base.Sn4"],
        ["Größe.Si4", "GRÖSSE.sg4", "größe.SN4"],
    ] {
        let folder = scid_folder();
        rename(folder.path(), names);
        // ß and SS are not the same letter in two cases.
        if names[1].contains("SS") {
            let found = find(folder.path().join("größe")).unwrap();
            assert_eq!(found.files().len(), 2);
            continue;
        }
        for name in names.into_iter().chain(["base", "base.si4", "BaSe"]) {
            assert_eq!(
                first(&folder.path().join(name)),
                tal(),
                "{name} of {names:?}"
            );
        }
    }
}

/// Scid removes the old files of a database after compacting it, then renames the new ones. It may
/// be interrupted at any point.
#[test]
fn an_unfinished_compaction_is_finished() {
    let names = |folder: &Path, path: &str| -> Vec<String> {
        let found = find(folder.join(path)).unwrap();
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        found.files().iter().map(|(_, path)| name(path)).collect()
    };
    let new = [
        "base__COMPACT__.si4",
        "base__COMPACT__.sg4",
        "base__COMPACT__.sn4",
    ];
    let old = ["base.si4", "base.sg4", "base.sn4"];
    let folder = scid_folder();
    for (old, new) in old.iter().zip(new) {
        fs::copy(folder.path().join(old), folder.path().join(new)).unwrap();
    }
    let at = |name: &str| folder.path().join(name);
    // Before any removal, the old database is complete.
    for path in ["base.si4", "base", ""] {
        assert_eq!(names(folder.path(), path), old, "{path:?}");
    }
    // After the first removal.
    fs::remove_file(at("base.sg4")).unwrap();
    for path in ["base.si4", "base", ""] {
        assert_eq!(names(folder.path(), path), new, "{path:?}");
    }
    for old in ["base.si4", "base.sn4"] {
        fs::remove_file(at(old)).unwrap();
    }
    assert_eq!(names(folder.path(), "base"), new);
    // The new files are renamed one by one.
    fs::rename(at(new[0]), at(old[0])).unwrap();
    for path in ["base.si4", "base", ""] {
        assert_eq!(
            names(folder.path(), path),
            [old[0], new[1], new[2]],
            "{path:?}"
        );
    }
    fs::rename(at(new[2]), at(old[2])).unwrap();
    assert_eq!(names(folder.path(), "base"), [old[0], new[1], old[2]]);
    assert_eq!(first(&at("base.si4")), tal());
}

#[test]
fn of_two_bases_that_differ_in_capitals_the_exact_one_is_meant() {
    let folder = scid_folder();
    let other = GAMES.replace("Tal, Mihail", "Other");
    let elsewhere = tempfile::tempdir().unwrap();
    write_scid(&elsewhere.path().join("BASE.si4"), &other);
    for suffix in ["si4", "sg4", "sn4"] {
        let name = format!("BASE.{suffix}");
        let (from, to) = (elsewhere.path().join(&name), folder.path().join(&name));
        if to.exists() {
            return; // a file system that ignores case
        }
        fs::copy(from, to).unwrap();
    }
    assert_eq!(first(&folder.path().join("base.sg4")), tal());
    assert_eq!(first(&folder.path().join("BASE.sg4")).0, "Other");
    assert_eq!(first(&folder.path().join("base")), tal());
}

#[test]
fn the_content_decides_where_the_suffix_does_not() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["games.txt", "games", "games.v2.pgn", "Ünïcode games.PGN"] {
        let path = folder.path().join(name);
        fs::write(&path, GAMES).unwrap();
        assert_eq!(first(&path), tal(), "{name}");
        fs::remove_file(path).unwrap();
    }
    let path = folder.path().join("picture.bin");
    fs::write(&path, [0x89, b'P', b'N', b'G', 0, 0, 1, 2, 3, 255]).unwrap();
    let error = problem(&path);
    assert!(matches!(error.problem(), Problem::Unrecognised), "{error}");
}

#[test]
fn a_damaged_base_is_refused_by_its_own_format() {
    let folder = scid_folder();
    fs::write(folder.path().join("base.si4"), "not Scid").unwrap();
    let found = find(folder.path().join("base.si4")).unwrap();
    assert_eq!(found.format().id, "si4");
    let base = found.read().unwrap();
    let error = base.store(ReadOptions::default()).err().unwrap();
    assert!(matches!(error.problem(), Problem::Format(_)), "{error}");

    let folder = scid_folder();
    fs::remove_file(folder.path().join("base.sg4")).unwrap();
    let base = open(folder.path().join("base")).unwrap();
    let error = base.store(ReadOptions::default()).err().unwrap();
    assert!(
        error.to_string().contains("the sg4 file is missing"),
        "{error}"
    );
}

#[test]
fn a_format_can_be_forced() {
    let folder = scid_folder();
    let pgn = formats::by_id("pgn");
    let found = find_as(folder.path().join("base.si4"), pgn).unwrap();
    assert_eq!(found.format().id, "pgn");
    fs::write(folder.path().join("base.pgn"), GAMES).unwrap();
    assert_eq!(
        find_as(folder.path().join("base"), pgn)
            .unwrap()
            .format()
            .id,
        "pgn"
    );
    let error = problem(&folder.path().join("base"));
    let Problem::SeveralDatabases(bases) = error.problem() else {
        panic!("{error}")
    };
    assert_eq!(bases.len(), 2);
}

#[test]
fn what_is_not_there_is_said_to_be_missing() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        problem(&folder.path().join("no.si4")).problem(),
        Problem::NotFound
    ));
    assert!(matches!(
        problem(&folder.path().join("x").join("no")).problem(),
        Problem::NotFound
    ));
    assert!(matches!(
        problem(folder.path()).problem(),
        Problem::NoDatabase
    ));
    write_scid(&folder.path().join("a.si4"), GAMES);
    fs::write(folder.path().join("b.pgn"), GAMES).unwrap();
    assert!(matches!(
        problem(folder.path()).problem(),
        Problem::SeveralDatabases(_)
    ));
}

#[test]
fn bases_in_folders_are_listed_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    fs::create_dir(&below).unwrap();
    write_scid(&below.join("z.si4"), GAMES);
    fs::write(below.join("a.PGN"), GAMES).unwrap();
    fs::write(folder.path().join("m.pgn"), GAMES).unwrap();
    fs::write(folder.path().join("notes.txt"), "1. e4").unwrap();
    fs::write(below.join("OLD.CTG"), "x").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), below.join("circle")).unwrap();
    let found = survey(folder.path(), None).unwrap();
    let below = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_owned();
    let names: Vec<PathBuf> = found.bases.iter().map(below).collect();
    assert_eq!(
        names,
        ["below/a.PGN", "below/z.si4", "m.pgn"].map(PathBuf::from)
    );
    let [(stranger, what)] = found.strangers.as_slice() else {
        panic!("{:?}", found.strangers)
    };
    assert_eq!(below(stranger), PathBuf::from("below/OLD.CTG"));
    assert!(what.contains("book"), "{what}");
    let scid = survey(folder.path(), formats::by_id("si4")).unwrap();
    assert_eq!(scid.bases.len(), 1);
    // The folder itself contains one database.
    assert_eq!(
        find(folder.path()).unwrap().path().file_name().unwrap(),
        "m.pgn"
    );
    assert_eq!(suffix_format(Path::new("x.Sg4")).unwrap().id, "si4");
    assert!(suffix_format(Path::new("x")).is_none());
}

#[test]
fn a_stream_gives_games_and_counts_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, GAMES).unwrap();
    let found = find(&path).unwrap();
    assert!(found.can_stream());
    let progress = Progress::default();
    let mut stream = found.stream(ReadOptions::default(), &progress).unwrap();
    assert!(stream.skip_game().unwrap());
    assert!(stream.skip_game().unwrap());
    assert!(!stream.skip_game().unwrap());
    assert_eq!(progress.bytes(), GAMES.len() as u64);
    assert_eq!(found.size(), Some(GAMES.len() as u64));

    let folder = scid_folder();
    let found = find(folder.path()).unwrap();
    assert!(!found.can_stream());
    assert!(found.stream(ReadOptions::default(), &progress).is_err());
}

/// A sink that accepts a number of bytes and then fails, like a full disk.
struct FullDisk<'a> {
    inner: &'a mut dyn FileSink,
    left: usize,
}

impl FileSink for FullDisk<'_> {
    fn create(&mut self, role: Role) -> chessdb::core::Result<FileId> {
        self.inner.create(role)
    }
    fn write(&mut self, file: FileId, bytes: &[u8]) -> chessdb::core::Result<()> {
        let taken = bytes.len().min(self.left);
        self.left -= taken;
        self.inner.write(file, &bytes[..taken])?;
        if taken < bytes.len() {
            return Err(std::io::Error::from(std::io::ErrorKind::StorageFull).into());
        }
        Ok(())
    }
    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> chessdb::core::Result<()> {
        self.inner.patch(file, offset, bytes)
    }
    fn commit(&mut self) -> chessdb::core::Result<()> {
        self.inner.commit()
    }
}

#[test]
fn a_write_that_fails_at_any_byte_leaves_the_old_base() {
    let folder = scid_folder();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let names = ["base.sg4", "base.si4", "base.sn4"];
    let old = names.map(read);
    let format = formats::by_id("si4").unwrap();
    let base = open(folder.path()).unwrap();
    let store = base.store(ReadOptions::default()).unwrap();
    let mut failures = 0;
    for limit in 0..10_000 {
        let mut sink = create(folder.path().join("base.si4"), format, true).unwrap();
        let mut full = FullDisk {
            inner: &mut sink,
            left: limit,
        };
        let converter = Converter::to_sink(&mut full).format(format);
        let result = converter.games_only(true).add_store(&*store, None).run();
        drop(sink);
        if result.is_ok() {
            break;
        }
        failures += 1;
        assert_eq!(names.map(read), old, "after {limit} bytes");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            3,
            "after {limit} bytes"
        );
    }
    assert!(
        failures > 300,
        "it must have failed at every byte of the base, not {failures} times"
    );
    assert_eq!(first(folder.path()), tal());
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let format = formats::by_id("si4").unwrap();
    let mut sink = create(folder.path().join("new.si4"), format, false).unwrap();
    let writer = format.create.unwrap()(&mut sink, WriteOptions::default()).unwrap();
    drop(writer);
    drop(sink);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let error = chessdb::core::Error::new(ErrorKind::Structure("x"));
    assert!(Error::new("a", error).to_string().starts_with("a: "));
}
