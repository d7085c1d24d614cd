//! Content of other programs in SQLite files remains when chessdb changes the games in place.
#![cfg(all(feature = "all-formats", feature = "sqlite-write"))]

use std::fs;
use std::path::{Path, PathBuf};

use chessdb::convert::{Editor, Observer};

use chessdb::{Converter, Database, Game, Selection};
use rusqlite::Connection;
use rusqlite::types::Value;

const FORMATS: [&str; 3] = ["db3", "lcdb", "ocgdb"];

/// Content of another program.
struct Variant {
    /// The statements that add it.
    sql: &'static str,
    /// A query with rows that must remain.
    probe: &'static str,
    /// Whether it is a table that may refer to the numbers of games.
    has_table: bool,
}

const fn variant(sql: &'static str, probe: &'static str) -> Variant {
    Variant {
        sql,
        probe,
        has_table: false,
    }
}

const fn table(sql: &'static str, probe: &'static str) -> Variant {
    Variant {
        sql,
        probe,
        has_table: true,
    }
}

/// Variants for all formats.
const VARIANTS: [Variant; 14] = [
    table(
        "CREATE TABLE Notes (game INTEGER, note TEXT); INSERT INTO Notes (rowid, game, note) \
         VALUES (7, 2, 'good'), (99, 4, NULL)",
        "SELECT rowid, * FROM Notes",
    ),
    table(
        "CREATE TABLE Marks (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO Marks VALUES \
         (1, x'00ff'), ('x', 2.5)",
        "SELECT * FROM Marks",
    ),
    table(
        "PRAGMA foreign_keys = OFF; CREATE TABLE Linked (game INTEGER REFERENCES Games ON DELETE \
         CASCADE ON UPDATE CASCADE); INSERT INTO Linked VALUES (1), (2), (3)",
        "SELECT rowid, * FROM Linked",
    ),
    table(
        "CREATE TABLE Counted (n INTEGER PRIMARY KEY AUTOINCREMENT, t TEXT COLLATE NOCASE UNIQUE); \
         INSERT INTO Counted VALUES (40, 'a'); INSERT INTO Counted (t) VALUES ('b'); \
         DELETE FROM Counted WHERE n = 41",
        "SELECT n, t, (SELECT seq FROM sqlite_sequence WHERE name = 'Counted') FROM Counted",
    ),
    variant(
        "CREATE VIEW Best AS SELECT rowid AS r, * FROM Games",
        "SELECT count(*) > 1 FROM Best",
    ),
    variant(
        "CREATE INDEX Other ON Games(Date DESC, Result) WHERE Result <> '*'",
        "SELECT count(*) FROM sqlite_schema WHERE name = 'Other'",
    ),
    variant(
        "CREATE TRIGGER OnUpdate AFTER UPDATE ON Games BEGIN UPDATE Games SET Result = '0-1'; END; \
         CREATE TRIGGER OnInsert AFTER INSERT ON Games BEGIN DELETE FROM Games; END; \
         CREATE TRIGGER OnDelete BEFORE DELETE ON Games BEGIN SELECT RAISE(ABORT, 'no'); END",
        "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'",
    ),
    variant(
        "ALTER TABLE Games ADD COLUMN Mine; UPDATE Games SET Mine = 'of ' || Date",
        "SELECT Mine FROM Games WHERE Mine IS NOT NULL",
    ),
    variant(
        "ALTER TABLE Games ADD COLUMN Mine INTEGER DEFAULT 12; UPDATE Games SET Mine = \
         substr(Date, 9) WHERE rowid < 3",
        "SELECT DISTINCT typeof(Mine) FROM Games WHERE Mine IS NOT NULL",
    ),
    variant(
        "ALTER TABLE Games ADD COLUMN Twice AS (length(Result) * 2)",
        "SELECT DISTINCT Twice FROM Games",
    ),
    variant(
        "PRAGMA user_version = 77",
        "SELECT user_version FROM pragma_user_version",
    ),
    variant(
        "PRAGMA application_id = 1234567",
        "SELECT application_id FROM pragma_application_id",
    ),
    variant("PRAGMA journal_mode = WAL", "PRAGMA journal_mode"),
    variant("PRAGMA auto_vacuum = FULL; VACUUM", "PRAGMA auto_vacuum"),
];

/// Variants with tables that not all formats have.
fn variants_of(suffix: &str) -> Vec<Variant> {
    let info = || {
        variant(
            "INSERT INTO Info VALUES ('Mine', 'x'); UPDATE Info SET Value = 'y' WHERE Name = \
             'Version'",
            "SELECT * FROM Info WHERE Name IN ('Mine', 'Version')",
        )
    };
    let players = || {
        variant(
            "INSERT INTO Players (ID, Name, Elo) VALUES (500, 'No Games', 2500); UPDATE Players SET \
             Elo = 2345 WHERE Name = 'Player 1'",
            "SELECT ID, Name, Elo FROM Players WHERE Elo IN (2500, 2345)",
        )
    };
    let names = || {
        variant(
            "ALTER TABLE Events ADD COLUMN City; INSERT INTO Events (ID, Name, City) VALUES (50, \
             'Unused', 'Riga')",
            "SELECT * FROM Events WHERE ID = 50",
        )
    };
    match suffix {
        "lcdb" => vec![variant(
            "INSERT INTO Config VALUES ('Mine', x'00ff'); UPDATE Config SET VALUE = x'80048900' WHERE \
             KEY = 'ALLOWS_DUPLICATES'; DELETE FROM Config WHERE KEY = 'ALLOWS_POSITIONS'",
            "SELECT * FROM Config",
        )],
        _ => vec![info(), players(), names()],
    }
}

/// Returns a PGN with games from day `first` to day `last`.
fn games(first: u32, last: u32) -> Database {
    let game = |n| {
        format!(
            "[Event \"Cup\"]\n[Site \"Oslo\"]\n[Date \"2000.01.{n:02}\"]\n[White \"Player {n}\"]\n\
             [Black \"Rest\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {{day {n}}} 1-0\n\n"
        )
    };
    let pgn: String = (first..=last).map(game).collect();
    let files = [("a.pgn", pgn.into_bytes())];
    Database::options().open_files(files).unwrap()
}

fn create(folder: &Path, suffix: &str) -> PathBuf {
    let path = folder.join(format!("b.{suffix}"));
    Converter::to(&path)
        .add_database(&games(1, 4))
        .run()
        .unwrap();
    path
}

fn rows(path: &Path, sql: &str) -> Vec<Vec<Value>> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let rows = statement.query_map([], |row| (0..width).map(|n| row.get(n)).collect());
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// Returns day, White, site and result of each game.
fn content(path: &Path) -> Vec<(String, String, String, String)> {
    let db = Database::open(path).unwrap();
    let fields = |game: Game| {
        let white = game.white().to_string();
        assert_eq!(game.plies(), 3);
        (
            game.date().to_string(),
            white,
            game.site().to_string(),
            game.result().to_string(),
        )
    };
    db.games().map(|game| fields(game.unwrap())).collect()
}

/// The games from `content`, each changed by `edit`.
fn expected(
    days: &[u32],
    edit: impl Fn(u32) -> (String, &'static str),
) -> Vec<(String, String, String, String)> {
    let game = |&n: &u32| {
        let (white, site) = edit(n);
        (
            format!("2000.01.{n:02}"),
            white,
            site.to_owned(),
            "1-0".to_owned(),
        )
    };
    days.iter().map(game).collect()
}

struct Tag;

impl Observer for Tag {
    fn edit(&mut self, game: &mut Game) {
        if game.number() == 2 {
            game.set_tag("Site", "Riga");
        }
    }
}

struct Rename;

impl Observer for Rename {
    fn edit(&mut self, game: &mut Game) {
        let name = format!("Renamed {}", game.number());
        game.set_tag("White", &name);
    }
}

fn check(suffix: &str, variant: &Variant) {
    let shown = format!("{suffix}: {}", variant.sql);
    let folder = tempfile::tempdir().unwrap();
    let path = create(folder.path(), suffix);
    Connection::open(&path)
        .unwrap()
        .execute_batch(variant.sql)
        .unwrap();
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2";
    let (probed, definitions) = (rows(&path, variant.probe), rows(&path, schema));
    let extra =
        "SELECT Date, Mine, typeof(Mine) FROM Games WHERE substr(Date, 9) < '05' ORDER BY Date";
    let has_column = variant.sql.contains("COLUMN Mine");
    let extras = |path: &Path| {
        if has_column { rows(path, extra) } else { Vec::new() }
    };
    let extras_before = extras(&path);
    let remains = |step: &str| {
        assert_eq!(rows(&path, variant.probe), probed, "{shown}: {step}");
        assert_eq!(rows(&path, schema), definitions, "{shown}: {step}");
        assert_eq!(
            rows(&path, "PRAGMA integrity_check"),
            [[Value::Text("ok".into())]],
            "{shown}"
        );
    };
    let own = |n: u32| (format!("Player {n}"), if n == 2 { "Riga" } else { "Oslo" });
    // A tag of one game.
    let mut editor = Editor::open(&path, Database::options()).unwrap();
    editor.converter().observer(&mut Tag).run().unwrap();
    drop(editor);
    remains("tag");
    assert_eq!(content(&path), expected(&[1, 2, 3, 4], own), "{shown}");
    assert_eq!(extras(&path), extras_before, "{shown}");
    // Further games.
    let more = games(5, 6);
    Converter::to(&path)
        .append(true)
        .add_database(&more)
        .run()
        .unwrap();
    assert_eq!(
        content(&path),
        expected(&[1, 2, 3, 4, 5, 6], own),
        "{shown}"
    );
    assert_eq!(extras(&path), extras_before, "{shown}");
    // Another order.
    let db = Database::open(&path).unwrap();
    let order = Selection::in_order(vec![3, 6, 1, 2, 5, 4]);
    let sort = Converter::to(&path)
        .replace(true)
        .in_place(true)
        .strict(true);
    let before = fs::read(&path).unwrap();
    let sorted = sort.add_selected(&db, order).run();
    drop(db);
    let days = if variant.has_table {
        assert!(sorted.is_err(), "{shown}");
        assert!(fs::read(&path).unwrap() == before, "{shown}");
        [1, 2, 3, 4, 5, 6]
    } else {
        sorted.unwrap();
        [3, 6, 1, 2, 5, 4]
    };
    assert_eq!(content(&path), expected(&days, own), "{shown}");
    assert_eq!(extras(&path), extras_before, "{shown}");
    // Fewer games.
    let mut editor = Editor::open(&path, Database::options()).unwrap();
    let kept = Selection::in_order(vec![1, 2, 3, 4]);
    editor.converter().select(kept).run().unwrap();
    drop(editor);
    assert_eq!(content(&path), expected(&days[..4], own), "{shown}");
    // Other names.
    let mut editor = Editor::open(&path, Database::options()).unwrap();
    editor.converter().observer(&mut Rename).run().unwrap();
    drop(editor);
    let whites: Vec<String> = content(&path).into_iter().map(|game| game.1).collect();
    assert_eq!(
        whites,
        ["Renamed 1", "Renamed 2", "Renamed 3", "Renamed 4"],
        "{shown}"
    );
    if suffix != "lcdb" {
        // Names without games remain only if their rows contain something else.
        let unused = "SELECT count(*) FROM Players WHERE Name LIKE 'Player %' AND Elo IS NULL";
        let unused = rows(&path, unused);
        let removed = unused == [[Value::Integer(0)]];
        assert_eq!(removed, !variant.has_table, "{shown}: {unused:?}");
    }
    let is_of_rows = variant.probe.contains("Mine FROM Games");
    if !is_of_rows {
        remains("names");
    }
}

#[test]
fn content_of_other_programs_remains() {
    for suffix in FORMATS {
        for variant in VARIANTS.into_iter().chain(variants_of(suffix)) {
            check(suffix, &variant);
        }
    }
}

/// Only the changed cells of the changed game are written.
#[test]
fn other_cells_are_not_touched() {
    for suffix in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix);
        // Values that chessdb would write in another way.
        let sql = match suffix {
            "db3" => "UPDATE Games SET Round = '', Result = NULL, PlyCount = 99, WhiteMaterial = 1",
            "lcdb" => "UPDATE Games SET PLYCOUNT = 99, _DATA_ = _DATA_ || '   '",
            _ => "UPDATE Games SET PlyCount = 99, Moves = Moves || '   '",
        };
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let (site, all) = match suffix {
            "db3" => (
                "SiteID",
                "SELECT Date, Round, Result, PlyCount, WhiteMaterial, Moves FROM Games",
            ),
            "lcdb" => ("SITE", "SELECT DATE, PLYCOUNT, _DATA_, XPV FROM Games"),
            _ => ("SiteID", "SELECT Date, PlyCount, Moves, Result FROM Games"),
        };
        let before = rows(&path, all);
        let sites = rows(&path, &format!("SELECT {site} FROM Games"));
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        editor.converter().observer(&mut Tag).run().unwrap();
        assert_eq!(rows(&path, all), before, "{suffix}");
        let now = rows(&path, &format!("SELECT {site} FROM Games"));
        let changed = sites.iter().zip(&now).map(|(old, new)| old != new);
        assert_eq!(
            changed.collect::<Vec<_>>(),
            [false, true, false, false],
            "{suffix}"
        );
    }
}

/// A definition that this SQLite cannot use forbids the change; nothing is written.
#[test]
fn what_cannot_be_kept_is_refused() {
    for suffix in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix);
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE UNIQUE INDEX One ON Games(Result, Date)")
            .unwrap();
        drop(connection);
        let before = fs::read(&path).unwrap();
        let more = games(4, 4);
        let append = Converter::to(&path).append(true).add_database(&more);
        let error = append.run().unwrap_err();
        assert!(error.to_string().contains("UNIQUE"), "{suffix}: {error}");
        assert!(fs::read(&path).unwrap() == before, "{suffix}");
    }
}

/// A tag without a column gets one, and its spelling is remembered.
#[test]
fn a_new_tag_gets_a_column() {
    struct New;

    impl Observer for New {
        fn edit(&mut self, game: &mut Game) {
            if game.number() != 3 {
                game.set_tag("MyOwnTag", "\"a\" \\ b");
            }
        }
    }

    for suffix in ["lcdb", "ocgdb"] {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix);
        for _ in 0..2 {
            let mut editor = Editor::open(&path, Database::options()).unwrap();
            editor.converter().observer(&mut New).run().unwrap();
            drop(editor);
            let db = Database::open(&path).unwrap();
            for n in 0..4 {
                let tag = db.game(n).unwrap().tag("MyOwnTag").map(String::from);
                let wanted = (n != 2).then(|| "\"a\" \\ b".to_owned());
                assert_eq!(tag, wanted, "{suffix} {n}");
            }
        }
    }
}
