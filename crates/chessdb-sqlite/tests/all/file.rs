//! The reader of SQLite files against SQLite.

use chessdb_sqlite::file::{Leaves, Pages, Record, Schema, Value};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as Sql;

/// The rows of a table, as this crate reads them.
fn rows(bytes: &[u8], table: &str) -> Vec<(i64, Vec<Sql>)> {
    let pages = Pages::new(bytes, None).unwrap();
    let schema = Schema::read(&pages);
    let table = schema.table(table).unwrap();
    let leaves = Leaves::scan(&pages, table.root);
    assert!(leaves.faults().is_empty());
    let mut buffer = Vec::new();
    (0..leaves.len())
        .map(|n| {
            let row = leaves.nth(&pages, n).unwrap();
            let again = Leaves::find(&pages, table.root, row.number).unwrap();
            assert_eq!(again.offset, row.offset);
            let record = Record::parse(row.payload(&pages, &mut buffer).unwrap()).unwrap();
            let mut values = vec![Value::Null; table.columns.len()];
            assert!(record.fill(&mut values));
            let values = values.into_iter().map(|value| match value {
                Value::Null => Sql::Null,
                Value::Int(number) => Sql::Integer(number),
                Value::Real(number) => Sql::Real(number),
                Value::Text(_) => {
                    let text = value.to_text(pages.encoding()).unwrap();
                    Sql::Text(String::from_utf8(text.into_owned()).unwrap())
                }
                Value::Blob(bytes) => Sql::Blob(bytes.to_vec()),
            });
            (row.number, values.collect())
        })
        .collect()
}

fn value() -> impl Strategy<Value = Sql> {
    prop_oneof![
        Just(Sql::Null),
        any::<i64>().prop_map(Sql::Integer),
        (-300_i64..300).prop_map(Sql::Integer),
        (-1e9..1e9).prop_map(Sql::Real),
        ".{0,40}".prop_map(|text: String| Sql::Text(text.replace('\0', ""))),
        "[a-c]{0,9000}".prop_map(Sql::Text),
        prop::collection::vec(any::<u8>(), 0..5000).prop_map(Sql::Blob),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rows_are_those_of_sqlite(
        rows_in in prop::collection::vec((any::<i32>(), prop::collection::vec(value(), 3)), 0..120),
        page_size in prop::sample::select(vec![512, 1024, 4096, 65536]),
        encoding in prop::sample::select(vec!["UTF-8", "UTF-16le", "UTF-16be"]),
        deleted in any::<u8>(),
    ) {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&format!(
            "PRAGMA page_size = {page_size}; PRAGMA encoding = '{encoding}';
             CREATE TABLE other(x); CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c);
             CREATE INDEX i ON t(a)"
        )).unwrap();
        for (number, values) in &rows_in {
            let [a, b, c] = values.as_slice() else { unreachable!() };
            connection.execute("INSERT OR REPLACE INTO t VALUES (?1, ?2, ?3, ?4)", (number, a, b, c)).unwrap();
        }
        connection.execute("DELETE FROM t WHERE id % 7 = ?1", [deleted % 7]).unwrap();
        connection.execute("ALTER TABLE t ADD COLUMN d", []).unwrap();
        let bytes = connection.serialize("main").unwrap().to_vec();
        let mut statement = connection.prepare("SELECT id, a, b, c, d FROM t ORDER BY id").unwrap();
        let wanted: Vec<(i64, Vec<Sql>)> = statement.query_map([], |row| {
            // The key is not in the record.
            let values = (0..5).map(|n| if n == 0 { Ok(Sql::Null) } else { row.get(n) });
            Ok((row.get(0)?, values.collect::<Result<_, _>>()?))
        }).unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(rows(&bytes, "T"), wanted);
    }

    #[test]
    fn damaged_files_end(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(
            "PRAGMA page_size = 512; CREATE TABLE t(a, b);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
             INSERT INTO t SELECT i, zeroblob(i * 7) FROM n"
        ).unwrap();
        let mut bytes = connection.serialize("main").unwrap().to_vec();
        for (at, byte) in changes {
            *at.get_mut(&mut bytes) = byte;
        }
        bytes.truncate(bytes.len() / 2 + cut.index(bytes.len() / 2));
        let Ok(pages) = Pages::new(&bytes, Some(&bytes[..])) else { return Ok(()) };
        let schema = Schema::read(&pages);
        let mut buffer = Vec::new();
        let mut read = 0;
        for table in &schema.tables {
            let leaves = Leaves::scan(&pages, table.root);
            for n in 0..leaves.len() {
                let row = leaves.nth(&pages, n);
                if let Some(payload) = row.and_then(|row| row.payload(&pages, &mut buffer)) {
                    read += payload.len();
                    if let Some(record) = Record::parse(payload) {
                        record.values().for_each(drop);
                    }
                }
            }
        }
        // Rows that share bytes or continuations would be read again and again.
        prop_assert!(read <= bytes.len() * 2 * schema.tables.len().max(1));
    }
}

#[test]
fn committed_pages_of_the_log_count_and_others_do_not() {
    let folder = tempfile("log");
    let path = folder.join("a.db");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a);
         INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO t VALUES (2)",
        )
        .unwrap();
    let (main, log) = (
        std::fs::read(&path).unwrap(),
        std::fs::read(path.with_extension("db-wal")).unwrap(),
    );
    let count = |log: Option<&[u8]>| {
        let pages = Pages::new(&main, log).unwrap();
        let schema = Schema::read(&pages);
        Leaves::scan(&pages, schema.table("t").unwrap().root).len()
    };
    assert_eq!(count(None), 1);
    assert_eq!(count(Some(&log)), 2);
    let mut damaged = log.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    assert_eq!(count(Some(&damaged)), 1);
    assert_eq!(count(Some(&log[..log.len() - 1])), 1);
    drop(connection);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A page in the log may have any number.
#[test]
fn a_log_cannot_claim_more_pages_than_it_has() {
    let folder = tempfile("claim");
    let path = folder.join("a.db");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a);
             INSERT INTO t VALUES (1)",
        )
        .unwrap();
    let (main, mut log) = (
        std::fs::read(&path).unwrap(),
        std::fs::read(path.with_extension("db-wal")).unwrap(),
    );
    drop(connection);
    std::fs::remove_dir_all(folder).unwrap();
    let size = 4096;
    let frames = (log.len() - 32) / (24 + size);
    let last = 32 + (frames - 1) * (24 + size);
    // The last frame is a page with the highest number, of a database of as many pages.
    log[last..last + 8].fill(0xff);
    // The checksum of a log: pairs of words, here with the low byte first unless the magic is odd.
    let is_big_endian = log[3] & 1 == 1;
    let word = |bytes: &[u8]| {
        if is_big_endian {
            u32::from_be_bytes(bytes.try_into().unwrap())
        } else {
            u32::from_le_bytes(bytes.try_into().unwrap())
        }
    };
    let mut sum = (0_u32, 0_u32);
    let mut add = |bytes: &[u8]| {
        for pair in bytes.chunks_exact(8) {
            sum.0 = sum.0.wrapping_add(word(&pair[..4])).wrapping_add(sum.1);
            sum.1 = sum.1.wrapping_add(word(&pair[4..])).wrapping_add(sum.0);
        }
        sum
    };
    add(&log[..24]);
    let mut found = (0, 0);
    for frame in log[32..].chunks_exact(24 + size) {
        add(&frame[..8]);
        found = add(&frame[24..]);
    }
    log[last + 16..last + 20].copy_from_slice(&found.0.to_be_bytes());
    log[last + 20..last + 24].copy_from_slice(&found.1.to_be_bytes());
    let pages = Pages::new(&main, Some(&log)).unwrap();
    assert_eq!(pages.promised(), u32::MAX);
    assert!(pages.len() as usize <= main.len() / size + frames);
}

fn tempfile(name: &str) -> std::path::PathBuf {
    let folder = format!("chessdb-sqlite-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
