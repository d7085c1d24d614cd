//! The writer of SQLite files against SQLite and against the reader.

use chessdb_core::files::Role;
use chessdb_core::{FileSet, MemorySet};
use chessdb_sqlite::file::Value;
use chessdb_sqlite::write::{NameTable, SqliteWriter};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as Sql;

const FILE: Role = Role("db");

/// Opens a written file in SQLite.
pub(crate) fn connect(files: &MemorySet, role: Role) -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    let bytes = files.get(role).unwrap();
    connection
        .deserialize_read_exact("main", bytes, bytes.len(), true)
        .unwrap();
    let check: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    connection
}

/// Returns the rows of a query.
pub(crate) fn query(connection: &Connection, sql: &str) -> Vec<Vec<Sql>> {
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let rows = statement.query_map([], |row| (0..width).map(|n| row.get(n)).collect());
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn rows_of_all_types_are_stored_and_the_bytes_depend_only_on_them() {
    let write = || {
        let mut files = MemorySet::new();
        let mut writer =
            SqliteWriter::create(&mut files, FILE, "CREATE TABLE t(a, b INTEGER)").unwrap();
        for (a, b) in [
            (Value::Null, Value::Text(b"1.10")),
            (Value::Int(-5), Value::Real(0.5)),
            (Value::Text("ä".as_bytes()), Value::Text(b"?")),
            (Value::Blob(&[0, 255]), Value::Int(i64::MIN)),
        ] {
            writer
                .insert("INSERT INTO t VALUES (?1, ?2)", &[a, b])
                .unwrap();
        }
        let found = writer.find_int("SELECT b FROM t WHERE a = ?1", &[Value::Blob(&[0, 255])]);
        assert_eq!(found.unwrap(), Some(i64::MIN));
        let none = writer.find_int("SELECT b FROM t WHERE a = ?1", &[Value::Int(7)]);
        assert_eq!(none.unwrap(), None);
        writer.execute("CREATE INDEX i ON t(a)").unwrap();
        writer.finish().unwrap();
        assert!(writer.execute("SELECT 1").is_err());
        files
    };
    let files = write();
    assert_eq!(files, write());
    let rows = query(&connect(&files, FILE), "SELECT * FROM t");
    assert_eq!(
        rows,
        [
            [Sql::Null, Sql::Real(1.1)],
            [Sql::Integer(-5), Sql::Real(0.5)],
            [Sql::Text("ä".into()), Sql::Text("?".into())],
            [Sql::Blob(vec![0, 255]), Sql::Integer(i64::MIN)],
        ]
    );
}

#[test]
fn errors_of_sqlite_name_the_file() {
    let mut files = MemorySet::new();
    let mut writer = SqliteWriter::create(&mut files, FILE, "CREATE TABLE t(a UNIQUE)").unwrap();
    let insert = |writer: &mut SqliteWriter<'_>| {
        writer.insert("INSERT INTO t VALUES (?1)", &[Value::Int(1)])
    };
    insert(&mut writer).unwrap();
    let error = insert(&mut writer).unwrap_err();
    assert_eq!(error.location().file, Some(FILE));
    assert!(error.to_string().contains("UNIQUE"), "{error}");
    assert!(writer.insert("nonsense", &[]).is_err());
    assert!(SqliteWriter::create(&mut MemorySet::new(), FILE, "CREATE").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_name_has_one_number_with_any_cache(
        names in prop::collection::vec("[a-cß]{0,3}", 0..150),
        cache in prop::sample::select(vec![0, 100, 700, 1 << 20]),
        has_gaps in any::<bool>(),
    ) {
        let mut files = MemorySet::new();
        let definition = "CREATE TABLE n(id INTEGER PRIMARY KEY, name TEXT UNIQUE, more)";
        let mut writer = SqliteWriter::create(&mut files, FILE, definition).unwrap();
        let mut table = NameTable::new("n", "id", "name").with_cache(cache);
        let mut wanted: Vec<(i64, String)> = Vec::new();
        for name in &names {
            let number = table.number(&mut writer, name.as_bytes()).unwrap();
            match wanted.iter().find(|(_, known)| known == name) {
                Some((known, _)) => prop_assert_eq!(*known, number),
                None => wanted.push((number, name.clone())),
            }
            if has_gaps {
                table.skip_number();
            }
        }
        prop_assert_eq!(table.len(), wanted.len() as u64);
        writer.finish().unwrap();
        prop_assert!(wanted.is_sorted());
        if !has_gaps {
            prop_assert!(wanted.iter().map(|(number, _)| *number).eq(1..=wanted.len() as i64));
        }
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(number, name)| vec![Sql::Integer(number), Sql::Text(name), Sql::Null])
            .collect();
        prop_assert_eq!(query(&connect(&files, FILE), "SELECT * FROM n ORDER BY id"), wanted);
    }
}
