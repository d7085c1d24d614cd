//! Databases from files in memory and from streams; all ways of reading games give the same
//! results.
#![cfg(feature = "all-formats")]

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;

use chessdb::core::files::Role;
use chessdb::core::{FileSet, MemorySet, Start};
use chessdb::formats::group;
use chessdb::{Database, Diagnostic, Error, Game, Problem};
use chessdb_testkit::fixtures;

const TWO: &str = "[White \"Tal\"]\n\n1. e4 *\n\n[White \"Keres\"]\n\n1. d4 *\n";

fn named(names: &[&str]) -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let file = |&(role, n): &(Role, usize)| (role.0, names[n].to_owned());
    let groups = group(names);
    groups
        .iter()
        .map(|group| (group.format, group.files.iter().map(file).collect()))
        .collect()
}

#[test]
fn names_are_grouped_into_bases() {
    let files = |files: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        files.iter().map(|&(r, n)| (r, n.to_owned())).collect()
    };
    // Folders separate databases; the order is that of the names.
    assert_eq!(
        named(&["b/x.sn4", "a/x.si4", "b/x.si4", "a/x.sg4", "b/x.sg4"]),
        [
            (
                "si4",
                files(&[("si4", "b/x.si4"), ("sg4", "b/x.sg4"), ("sn4", "b/x.sn4")])
            ),
            ("si4", files(&[("si4", "a/x.si4"), ("sg4", "a/x.sg4")])),
        ]
    );
    // Case does not matter; of names that differ only in case the exact one is used.
    assert_eq!(
        named(&["TAL.CBF", "tal.cbi", "Tal.cbf"])[0].1,
        files(&[("cbi", "tal.cbi"), ("cbf", "TAL.CBF")])
    );
    // A packed file is a database if its content is one; members of an archive have no names here.
    let packed = named(&["a.pgn.gz", "a.si4.gz", "a.zip", "notes.txt.gz"]);
    assert_eq!(packed, [("pgn", files(&[("pgn", "a.pgn.gz")]))]);
    // If the main file is missing, another file represents the database, unless there is a complete
    // one.
    assert_eq!(named(&["x.sg4"])[0].1, files(&[("sg4", "x.sg4")]));
    assert_eq!(named(&["x.sg4", "y.pgn"]).len(), 1);
    // Scid's leftovers of compacting replace missing files.
    assert_eq!(
        named(&["x.si4", "x__COMPACT__.sg4", "x__COMPACT__.sn4"])[0]
            .1
            .len(),
        3
    );
    assert!(named(&["readme.txt", ""]).is_empty());
}

/// Returns a SCID fixture as files with names.
fn scid() -> Vec<(String, Vec<u8>)> {
    let file = |suffix| {
        let path = fixtures::path(format!("scid/miniatures.{suffix}"));
        (format!("Some/MINIATURES.{suffix}"), fixtures::read(path))
    };
    ["sn4", "sg4", "si4"].map(file).into()
}

#[test]
fn files_in_memory_are_a_base() {
    let by_name = Database::options().open_files(scid()).unwrap();
    assert_eq!(by_name.format().id, "si4");
    assert!(by_name.path().unwrap().ends_with("MINIATURES.si4"));
    let files = by_name.files().unwrap();
    let set: MemorySet = files
        .iter()
        .map(|(role, _, _)| (role, files.get(role).unwrap().to_vec()))
        .collect();
    let by_role = Database::from_files(set).unwrap();
    assert!(by_role.path().is_none());
    let text =
        |db: &Database| -> Vec<String> { db.games().map(|game| game.unwrap().to_pgn()).collect() };
    assert_eq!(text(&by_name), text(&by_role));
    assert!(!text(&by_name).is_empty());
    assert_eq!(text(&by_name).len() as u32, by_role.len().unwrap());

    let refused = |files: Vec<(&str, &str)>| -> Problem {
        Database::options()
            .open_files(files)
            .unwrap_err()
            .into_problem()
    };
    assert!(matches!(refused(vec![]), Problem::NoDatabase));
    assert!(matches!(
        refused(vec![("a.txt", "x"), ("b.txt", "y")]),
        Problem::NoDatabase
    ));
    let several = refused(vec![("a.pgn", TWO), ("b.pgn", TWO)]);
    assert!(matches!(several, Problem::SeveralDatabases(all) if all.len() == 2));
    let forced = Database::options()
        .format("si4")
        .open_files([("a.pgn", TWO)]);
    assert!(forced.is_err());
    let nothing = Database::from_files(MemorySet::new()).unwrap_err();
    assert!(nothing.is_not_recognised());
}

#[test]
fn a_stream_gives_its_games_once() {
    let db = Database::from_reader(Cursor::new(TWO)).unwrap();
    assert!(db.is_stream() && db.files().is_none() && db.path().is_none());
    for refused in [db.len().map(|_| ()), db.game(0).map(|_| ())] {
        assert!(matches!(
            refused.unwrap_err().problem(),
            Problem::NoRandomAccess
        ));
    }
    let names: Vec<String> = db
        .games()
        .map(|game| game.unwrap().white().into_owned())
        .collect();
    assert_eq!(names, ["Tal", "Keres"]);
    let mut again = db.games();
    let error = again.next().unwrap().unwrap_err();
    assert!(matches!(error.problem(), Problem::AlreadyRead));
    assert!(again.next().is_none());
    let foreign = Database::from_reader(Cursor::new(vec![0; 100])).unwrap_err();
    assert!(foreign.is_not_recognised());
}

/// A reader that yields some text and then fails.
struct Failing(Cursor<&'static str>, fn() -> io::Error);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err((self.1)()),
            length => Ok(length),
        }
    }
}

/// The results of reading: for each game, for no particular game, and the error of the source as a
/// whole.
#[derive(Default, PartialEq, Debug)]
struct Said {
    games: Vec<(u32, Result<Vec<String>, String>)>,
    of_no_game: Vec<String>,
    failed: Option<String>,
}

impl Said {
    fn game(&mut self, game: &Game, read: Result<(), Error>) {
        let said = |()| {
            game.diagnostics()
                .iter()
                .map(Diagnostic::to_string)
                .collect()
        };
        let read = read.map(said).map_err(|error| error.to_string());
        self.games.push((game.number(), read));
    }

    /// Adds an error of a reader: about a game, or the end. Damage without an OS error number is a
    /// diagnostic in the other ways of reading.
    fn error(&mut self, error: &Error) {
        match (error.game(), error.io()) {
            (Some(number), _) => self.games.push((number, Err(error.to_string()))),
            (None, Some(io)) if io.raw_os_error().is_none() => {
                self.of_no_game.push(format!("lost: {}", error.problem()));
            }
            _ => self.failed = Some(error.to_string()),
        }
    }

    fn end(&mut self, found: &[Diagnostic]) {
        let found = found.iter().map(Diagnostic::to_string);
        self.of_no_game.extend(found);
        self.of_no_game.sort();
    }
}

fn by_iterator(db: &Database) -> Said {
    let mut said = Said::default();
    let mut games = db.games();
    for game in &mut games {
        match game {
            Ok(game) => said.game(&game, Ok(())),
            Err(error) => said.error(&error),
        }
    }
    said.end(&games.take_diagnostics());
    said
}

fn by_reader(db: &Database) -> Said {
    let (mut said, mut game) = (Said::default(), Game::new());
    let mut reader = db.reader();
    loop {
        match reader.read_into(&mut game) {
            Ok(true) => said.game(&game, Ok(())),
            Ok(false) => break,
            Err(error) => said.error(&error),
        }
    }
    said.end(&reader.take_diagnostics());
    said
}

fn by_visits(db: &Database, jobs: usize) -> Said {
    let mut said = Said::default();
    let result = db.scan().jobs(jobs).for_each(|game, read| {
        said.game(game, read);
        ControlFlow::Continue(())
    });
    match result {
        Ok(found) => said.end(&found),
        Err(error) => said.failed = Some(error.to_string()),
    }
    said
}

/// A name and a function that opens the database strictly or leniently.
type Opened = (&'static str, Box<dyn Fn(bool) -> Database>);

/// All ways of reading report the same damage.
#[test]
fn all_ways_of_reading_say_the_same() {
    // Long enough that games are read before the input fails at its end.
    let more = "[White \"Other\"]\n\n1. c4 *\n\n".repeat(200);
    let odd = "Foreign text.\n\n[White \"Tal\"]\n\n1. e4 e9 {lost} *\n\n\
        [White \"Keres\"]\n\n1. d4 d5 *\n\n";
    let odd: &'static str = Box::leak(format!("{odd}{more}More.").into_boxed_str());
    let system: fn() -> io::Error = || io::Error::from_raw_os_error(5);
    let damage: fn() -> io::Error = || io::Error::new(io::ErrorKind::InvalidData, "damaged");
    let mut bases: Vec<Opened> = vec![
        (
            "file",
            Box::new(move |strict| {
                let options = Database::options().strict(strict);
                options.open_files([("a.pgn", odd)]).unwrap()
            }),
        ),
        (
            "stream",
            Box::new(move |strict| {
                let options = Database::options().strict(strict);
                options.from_reader(Cursor::new(odd)).unwrap()
            }),
        ),
        (
            "cut",
            Box::new(|strict| {
                let mut files = scid();
                let length = files[1].1.len();
                files[1].1.truncate(length / 2);
                Database::options()
                    .strict(strict)
                    .open_files(files)
                    .unwrap()
            }),
        ),
    ];
    for (name, fault) in [("system", system), ("damage", damage)] {
        let open = move |strict| {
            let options = Database::options().strict(strict);
            options
                .from_reader(Failing(Cursor::new(odd), fault))
                .unwrap()
        };
        bases.push((name, Box::new(open)));
    }
    for (name, open) in &bases {
        for strict in [false, true] {
            if strict && *name == "file" {
                continue; // Not opened: text without a game.
            }
            let expected = by_visits(&open(strict), 1);
            assert_eq!(by_visits(&open(strict), 4), expected, "{name}");
            assert_eq!(by_reader(&open(strict)), expected, "{name}");
            assert_eq!(by_iterator(&open(strict)), expected, "{name}");
            let is_silent = expected
                .games
                .iter()
                .all(|(_, said)| said.as_ref().is_ok_and(Vec::is_empty));
            assert!(!is_silent, "{name}");
            assert_eq!(expected.failed.is_some(), *name == "system", "{name}");
        }
    }
}

/// Movetext and start position together restore the game.
#[test]
fn movetext_goes_there_and_back() {
    let mut games = 0;
    for path in chessdb::fs::survey(fixtures::root(), None).unwrap().bases {
        let Ok(db) = Database::open(&path) else {
            continue;
        };
        for game in db.games().filter_map(Result::ok) {
            // Movetext can only represent what PGN can.
            let Ok(whole) = Game::from_pgn(&game.to_pgn()) else {
                continue;
            };
            let text = whole.movetext();
            let again = Game::from_movetext(&text, &whole.header.start)
                .unwrap_or_else(|error| panic!("{}: {error}: {text}", path.display()));
            assert_eq!(again.tree(), whole.tree(), "{}", path.display());
            assert_eq!(again.start(), whole.start());
            assert_eq!(again.movetext(), text);
            games += 1;
        }
    }
    assert!(games > 1000, "{games}");
    let refused = Game::from_movetext("1. e4 e5 1-0 1. d4 *", &Start::Standard);
    assert!(refused.is_err());
    assert!(Game::from_movetext("", &Start::Standard).is_err());
}
