//! Appending gives the same database as writing all games at once, in time proportional to the new
//! games.

use std::collections::BTreeSet;
use std::fs;

use chessdb::core::files::{Growing, Role};
use chessdb::core::{FileSet, MemorySet, WriteOptions};
use chessdb::{Converter, Database, FORMATS, Format};
use chessdb_testkit::fixtures;

fn games(text: &[u8]) -> Database {
    Database::options()
        .open_files([("games.pgn", text.to_vec())])
        .unwrap()
}

/// Returns the annotated games of the fixtures, in two parts.
fn parts() -> [Vec<u8>; 2] {
    let files = fixtures::files(&fixtures::path("pgn/clean"));
    let half = files.len() / 2;
    let join = |files: &[std::path::PathBuf]| {
        let texts = files.iter().map(fixtures::read);
        texts.collect::<Vec<_>>().join(&b"\n\n"[..])
    };
    [join(&files[..half]), join(&files[half..])]
}

/// Returns the formats that append by themselves; SQLite writes other bytes than for a new file
/// (`sqlite_changes`).
fn growing() -> impl Iterator<Item = &'static Format> {
    FORMATS
        .iter()
        .copied()
        .filter(|format| format.append.is_some() && format.disk.is_none())
}

fn written(format: &Format, texts: &[&[u8]]) -> MemorySet {
    let bases: Vec<Database> = texts.iter().map(|text| games(text)).collect();
    let mut files = MemorySet::new();
    let converter = Converter::to_sink(&mut files).format(format.id);
    let converter = bases
        .iter()
        .fold(converter, |converter, base| converter.add_database(base));
    converter.run().unwrap();
    files
}

#[test]
fn the_base_is_that_of_all_games_at_once() {
    let [first, second] = parts();
    let mut seen = BTreeSet::new();
    for format in growing() {
        let all = written(format, &[&first, &second]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base").with_extension(format.roles[0].0);
        Converter::to(&path)
            .add_database(&games(&first))
            .run()
            .unwrap();
        let inode = |path: &std::path::Path| {
            #[cfg(unix)]
            return std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
            #[cfg(not(unix))]
            0
        };
        let before = inode(&path);
        let more = games(&second);
        let mut appending = Converter::to(&path).append(true).add_database(&more);
        // The first games are all ASCII and show no code page (docs/SHORTCOMINGS.md).
        appending = match format.id {
            "cbf" => appending.encoding("cp857"),
            "cbh" => appending.encoding("utf-8"),
            _ => appending,
        };
        let report = appending.run().unwrap();
        assert!(report.is_appended());
        assert_eq!(
            u64::from(more.len().unwrap()),
            report.written() + report.skipped()
        );
        assert_eq!(inode(&path), before, "{}: written in its place", format.id);
        for (role, bytes) in all.iter() {
            let file = fs::read(path.with_extension(role.0)).unwrap();
            let is_same = match format.id {
                // DC* sorts its names, so references to them differ.
                "dcx" => role.0 == "dcg",
                // The trees of the names have other shapes.
                "cbh" => !["cbp", "cbt", "cbc", "cbs", "cbe", "cbl"].contains(&role.0),
                // The lists of names have unused parts.
                "ca" if role.0 == "emb" => continue,
                // The mark of the code page, and a letter that the other page lacks.
                "ca" if role.0 == "d02" => {
                    let pairs = file.iter().zip(bytes);
                    assert!(pairs.filter(|(a, b)| a != b).count() <= 2);
                    false
                }
                _ => true,
            };
            assert!(!is_same || file == bytes, "{} {role}", format.id);
            assert_eq!(file.len(), bytes.len(), "{} {role}", format.id);
        }
        // The others are hidden, for undoing.
        let names = fs::read_dir(folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let visible = names.filter(|name| !name.starts_with('.'));
        assert_eq!(visible.count(), all.iter().count());
        seen.insert(format.id);
    }
    assert!(seen.len() >= 5, "{seen:?}");
}

/// Appending must not change data that a damaged index refers to.
#[test]
fn a_base_that_does_not_fit_together_is_not_gone_on_with() {
    let [first, _] = parts();
    let goes = |format: &'static Format, files: &MemorySet| {
        let mut files = files
            .clone()
            .iter()
            .map(|(role, bytes)| (role, bytes.to_vec()))
            .collect::<MemorySet>();
        let before: Vec<(Role, Vec<u8>)> = files.iter().map(|(r, b)| (r, b.to_vec())).collect();
        let append = format.append.unwrap();
        let goes = append(&mut files, WriteOptions::default()).is_ok_and(|writer| writer.is_some());
        if !goes {
            let after: Vec<(Role, Vec<u8>)> = files.iter().map(|(r, b)| (r, b.to_vec())).collect();
            assert!(before == after, "{}", format.id);
        }
        goes
    };
    for format in growing().filter(|format| format.id != "pgn") {
        let sound = written(format, &[&first]);
        assert!(goes(format, &sound), "{}", format.id);
        // No game refers to the media of guiding texts.
        let roles = sound.iter().map(|(role, _)| role);
        for role in roles.filter(|role| role.0 != "cbm") {
            let mut cut = sound.clone();
            let bytes = cut.get_mut(role).unwrap();
            bytes.truncate(bytes.len() - 3);
            assert!(!goes(format, &cut), "{}: {role} cut", format.id);
        }
        let mut missing = sound.clone();
        let required = format.roles.get(2).or(format.roles.last());
        missing.remove(*required.unwrap());
        assert!(!goes(format, &missing));
        // An entry with an offset after the games.
        let mut far = sound.clone();
        let role = match format.id {
            "ca" => format.roles[2],
            "cbf" => Role("cbi"),
            _ => format.roles[0],
        };
        let index = far.get_mut(role).unwrap();
        let at = match format.id {
            "si5" => 39,
            "si3" => 128,
            "dcx" => 20,
            "si4" => 182,
            "cbh" => 47,
            "scidb" => 152,
            // The highest byte of the first address.
            "ca" => 3,
            "cbf" => 4,
            other => panic!("{other}: where is the offset of the first game in the index?"),
        };
        index[at] ^= 0x40;
        assert!(!goes(format, &far), "{}", format.id);
        assert_eq!(far.length(role), sound.length(role));
    }
}

#[test]
fn old_names_in_an_old_page_have_the_base_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("base.si4");
    let old = games("[White \"Müller\"]\n\n1. e4 *\n".as_bytes());
    Converter::to(&path)
        .encoding("windows-1252")
        .add_database(&old)
        .run()
        .unwrap();
    let again = games("[White \"Müller\"]\n[Black \"Žižka\"]\n\n1. d4 *\n".as_bytes());
    let add = || Converter::to(&path).append(true).add_database(&again).run();
    assert_eq!(add().unwrap().written(), 1);
    let db = Database::open(&path).unwrap();
    let names: Vec<String> = db
        .headers()
        .map(|game| game.unwrap().white().into_owned())
        .collect();
    assert_eq!(names, ["Müller", "Müller"]);
    assert_eq!(db.header(1).unwrap().black(), "Žižka");
    let set = fs::read(path.with_extension("sn4")).unwrap();
    assert!(
        set.windows(5).any(|name| name == b"\xFCller"),
        "kept as it was"
    );
    assert!(MemorySet::new().get(Role("si4")).is_none());
}
