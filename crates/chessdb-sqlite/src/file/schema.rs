//! The tables of a file and their columns.

use super::leaves::Leaves;
use super::page::Row;
use super::pages::{Pages, TextEncoding};
use super::record::{Record, Value};
use super::words::{Word, Words, default};

/// The definitions of a file: its plain tables, and the names of everything else.
#[derive(Clone, Default, Debug)]
pub struct Schema {
    /// The tables that are stored row by row.
    pub tables: Vec<Table>,
    /// Indexes, views, triggers and tables of other kinds.
    pub others: Vec<OtherObject>,
    /// The first pages of all trees: of tables of every kind and of indexes.
    pub roots: Vec<u32>,
    /// Whether a part of the definitions could not be read.
    pub is_damaged: bool,
}

/// An index, a view, a trigger, or a table whose rows are not stored under row numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct OtherObject {
    /// The kind: `index`, `view`, `trigger` or `table`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The table to which it belongs; for a table or view, its own name.
    pub table: String,
}

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The name.
    pub name: String,
    /// The first page of its tree.
    pub root: u32,
    /// The stored columns, in their order in a record.
    pub columns: Vec<Column>,
    /// The names of columns that are computed and not stored.
    pub computed: Vec<String>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// The name.
    pub name: String,
    /// Whether it is the row number, which records leave out (`INTEGER PRIMARY KEY`).
    pub is_row_number: bool,
    /// The declared type, as far as it determines how values are stored.
    pub kind: ColumnKind,
    /// The value in rows from before the column was added.
    pub default: Option<Constant>,
}

/// A constant in a definition.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// A text in UTF-8.
    Text(Vec<u8>),
    /// Bytes.
    Blob(Vec<u8>),
}

/// The types of columns as SQLite distinguishes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// Numbers, and texts that are not numbers.
    Integer,
    /// Texts; numbers are converted.
    Text,
    /// Any values.
    Any,
}

/// More definitions than any chess program makes.
const MOST: u64 = 10_000;
/// The longest definition that is read, in bytes.
const LONGEST: usize = 1 << 20;

impl Column {
    /// Returns the value in rows from before the column was added, in a file of this encoding.
    pub(crate) fn default_value(&self, encoding: TextEncoding) -> Value<'_> {
        match &self.default {
            None => Value::Null,
            Some(Constant::Int(number)) => Value::Int(*number),
            Some(Constant::Real(number)) => Value::Real(*number),
            Some(Constant::Text(text)) if encoding == TextEncoding::Utf8 => Value::Text(text),
            // The bytes of a text in UTF-8, which a text of this file would not be.
            Some(Constant::Text(bytes) | Constant::Blob(bytes)) => Value::Blob(bytes),
        }
    }
}

impl Schema {
    /// Reads the definitions.
    pub fn read(pages: &Pages<'_>) -> Schema {
        let leaves = Leaves::scan(pages, 1);
        let mut schema = Schema {
            is_damaged: !leaves.faults().is_empty() || leaves.len() > MOST,
            ..Schema::default()
        };
        for n in 0..leaves.len().min(MOST) {
            let is_read = leaves
                .nth(pages, n)
                .is_some_and(|row| schema.add_row(pages, row));
            schema.is_damaged |= !is_read;
        }
        schema
    }

    /// Adds the definition in this row. Returns whether it is whole.
    pub(super) fn add_row(&mut self, pages: &Pages<'_>, row: Row<'_>) -> bool {
        let mut scratch = Vec::new();
        let row = Some(row).filter(|row| row.length() <= LONGEST);
        let record = row.and_then(|row| Record::parse(row.payload(pages, &mut scratch)?));
        let mut values = [Value::Null; 5];
        let is_whole = record.is_some_and(|record| record.fill(&mut values));
        if is_whole {
            self.add(pages, values);
        }
        is_whole
    }

    fn add(&mut self, pages: &Pages<'_>, [kind, name, owner, root, sql]: [Value<'_>; 5]) {
        let text = |value: Value<'_>| {
            let bytes = value.to_text(pages.encoding()).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (kind, name) = (text(kind), text(name));
        let page = root.as_int().and_then(|root| u32::try_from(root).ok());
        self.roots.extend(page.filter(|&page| page > 0));
        let table = match (kind.as_str(), page) {
            ("table", Some(1..)) => definition(&text(sql)),
            _ => None,
        };
        match (table, page) {
            (Some(table), Some(root)) => self.tables.push(Table {
                name,
                root,
                ..table
            }),
            // What SQLite makes for itself.
            _ if name.starts_with("sqlite_") => {}
            _ => self.others.push(OtherObject {
                kind,
                name,
                table: text(owner),
            }),
        }
    }

    /// Returns the table with this name; upper and lower case are the same.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables
            .iter()
            .find(|table| table.name.eq_ignore_ascii_case(name))
    }
}

impl std::fmt::Display for Schema {
    /// Writes that the file is a database of an unknown program, and the names of its tables.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 8;
        if self.tables.is_empty() {
            return f.write_str("a SQLite database without readable tables");
        }
        f.write_str("a SQLite database of a program that is not known here, with the tables ")?;
        for (n, table) in self.tables.iter().take(SHOWN).enumerate() {
            let separator = if n == 0 { "" } else { ", " };
            // A name comes from the file and may contain anything.
            write!(f, "{separator}{}", table.name.escape_debug())?;
        }
        let more = self.tables.len() > SHOWN;
        f.write_str(if more { ", …" } else { "" })
    }
}

impl Table {
    /// Returns whether SQLite made the table for itself, such as `sqlite_sequence`.
    pub fn is_internal(&self) -> bool {
        self.name.starts_with("sqlite_")
    }

    /// Returns the form of records; tables of the same form cannot be told apart by their records.
    pub(crate) fn form(&self) -> Vec<(ColumnKind, bool)> {
        let columns = self.columns.iter();
        columns
            .map(|column| (column.kind, column.is_row_number))
            .collect()
    }

    /// Returns the place of a column in a record; upper and lower case are the same.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// Returns the table of a `CREATE TABLE` statement, without its root; `None` if its rows are not stored
/// under row numbers (virtual tables, `WITHOUT ROWID`).
pub(super) fn definition(sql: &str) -> Option<Table> {
    let mut words = Words { rest: sql }.peekable();
    let mut is_word = |wanted: &str| words.next_if(|word| word.is(wanted)).is_some();
    if !is_word("CREATE") {
        return None;
    }
    let _ = is_word("TEMP") || is_word("TEMPORARY");
    if !is_word("TABLE") {
        return None;
    }
    // The last word before the columns; others are `IF NOT EXISTS` and the name of the database.
    let mut name = None;
    while let Some(word) = words.next_if(|word| !word.is("(")) {
        name = Some(word.name().into_owned());
    }
    words.next()?;
    let mut parts = TableParts::default();
    let mut definition = Vec::new();
    let mut depth = 0_usize;
    for word in words.by_ref() {
        match word {
            Word::Plain(",") if depth == 0 => parts.add(&mut definition),
            Word::Plain(")") if depth == 0 => break,
            _ => {
                // A comma within parentheses does not separate columns.
                depth += usize::from(word.is("("));
                depth -= usize::from(word.is(")"));
                definition.push(word);
            }
        }
    }
    parts.add(&mut definition);
    if words.any(|word| word.is("WITHOUT")) {
        return None;
    }
    let TableParts {
        mut columns,
        computed,
        key,
    } = parts;
    if let Some(key) = key {
        let column = columns
            .iter_mut()
            .find(|(column, _)| column.name.eq_ignore_ascii_case(&key));
        // Only the type INTEGER itself makes a key the row number.
        if let Some((column, true)) = column {
            column.is_row_number = true;
        }
    }
    Some(Table {
        name: name?,
        root: 0,
        columns: columns.into_iter().map(|(column, _)| column).collect(),
        computed,
    })
}

/// The columns and the key of a table.
#[derive(Default)]
struct TableParts {
    /// Each column, and whether its type is `INTEGER`.
    columns: Vec<(Column, bool)>,
    computed: Vec<String>,
    /// The only column of the primary key.
    key: Option<String>,
}

impl TableParts {
    /// Takes the definition of a column or a constraint of the table.
    fn add(&mut self, definition: &mut Vec<Word<'_>>) {
        let definition = std::mem::take(definition);
        let Some((name, rest)) = definition.split_first() else {
            return;
        };
        let is_constraint = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
            .iter()
            .any(|word| name.is(word));
        let after = |words: &[Word<'_>], one: &str, two: &str| {
            words
                .windows(2)
                .position(|pair| matches!(pair, [a, b] if a.is(one) && b.is(two)))
        };
        if is_constraint {
            let Some(index) = after(&definition, "PRIMARY", "KEY") else {
                return;
            };
            // A key with one column, also with an order, a collation or AUTOINCREMENT.
            let after_key = definition.get(index + 2..).unwrap_or_default();
            let mut words = after_key.iter().skip_while(|word| word.is("("));
            let column = words.next();
            let is_single = !words
                .take_while(|word| !word.is(")"))
                .any(|word| word.is(","));
            self.key = column
                .filter(|_| is_single)
                .map(|column| column.name().into_owned());
            return;
        }
        let has = |wanted| rest.iter().any(|word| word.is(wanted));
        if has("AS") && !has("STORED") {
            self.computed.push(name.name().into_owned());
            return;
        }
        let declared = declared_type(rest);
        let is_integer = declared.eq_ignore_ascii_case("INTEGER");
        let column_name = name.name().into_owned();
        if let Some(index) = after(rest, "PRIMARY", "KEY")
            // By a quirk of SQLite such a key is no row number.
            && !rest.get(index + 2).is_some_and(|word| word.is("DESC"))
        {
            self.key = Some(column_name.clone());
        }
        let column = Column {
            name: column_name,
            is_row_number: false,
            kind: kind(&declared),
            default: default(rest),
        };
        self.columns.push((column, is_integer));
    }
}

/// Returns the declared type of a column with these words after its name; empty without one.
fn declared_type(words: &[Word<'_>]) -> String {
    let constraints = [
        "PRIMARY",
        "NOT",
        "CONSTRAINT",
        "NULL",
        "UNIQUE",
        "DEFAULT",
        "CHECK",
        "COLLATE",
        "REFERENCES",
        "GENERATED",
        "AS",
        "(",
    ];
    let is_type = |word: &&Word<'_>| !constraints.iter().any(|other| word.is(other));
    words
        .iter()
        .take_while(is_type)
        .map(Word::name)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the kind of a column of this declared type.
fn kind(declared: &str) -> ColumnKind {
    let name = declared.to_ascii_uppercase();
    let has = |part| name.contains(part);
    if has("INT") {
        ColumnKind::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        ColumnKind::Text
    } else {
        ColumnKind::Any
    }
}

#[cfg(test)]
mod tests {
    use super::{Constant, definition};

    #[test]
    fn constants_of_added_columns() {
        let text = |text: &str| Some(Constant::Text(text.into()));
        for (sql, wanted) in [
            ("TEXT DEFAULT Tal", text("Tal")),
            ("TEXT DEFAULT x", text("x")),
            ("TEXT DEFAULT \"a b\"", text("a b")),
            ("TEXT DEFAULT 'it''s'", text("it's")),
            ("INT DEFAULT 0x1F", Some(Constant::Int(31))),
            ("INT DEFAULT -0X10", Some(Constant::Int(-16))),
            ("INT DEFAULT 0xffffffffffffffff", Some(Constant::Int(-1))),
            ("INT DEFAULT +7 NOT NULL", Some(Constant::Int(7))),
            ("INT DEFAULT (-7)", Some(Constant::Int(-7))),
            (
                "INT DEFAULT 9223372036854775807",
                Some(Constant::Int(i64::MAX)),
            ),
            ("REAL DEFAULT 1.5", Some(Constant::Real(1.5))),
            ("REAL DEFAULT .5", Some(Constant::Real(0.5))),
            ("REAL DEFAULT 15e-1", Some(Constant::Real(1.5))),
            ("BLOB DEFAULT x'00ff'", Some(Constant::Blob(vec![0, 255]))),
            ("INT DEFAULT true", Some(Constant::Int(1))),
            ("INT DEFAULT NULL", None),
            ("INT DEFAULT CURRENT_DATE", None),
            ("INT", None),
        ] {
            let table = definition(&format!("CREATE TABLE t(a {sql})")).unwrap();
            assert_eq!(table.columns[0].default, wanted, "{sql}");
        }
    }

    #[test]
    fn columns_of_statements_as_programs_write_them() {
        for (sql, wanted) in [
            ("CREATE TABLE t(a, b)", "a b"),
            (
                "CREATE TABLE t (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE NOT NULL)",
                "#ID Name",
            ),
            (
                "create table \"t\"(\"a b\" text, [c,d] INT, `e``f` REAL, 'g')",
                "a b|c,d|e`f|g",
            ),
            ("CREATE TABLE t(a INT PRIMARY KEY, b)", "a b"),
            ("CREATE TABLE t(a INTEGER PRIMARY KEY DESC, b)", "a b"),
            (
                "CREATE TABLE t(a INTEGER, b DECIMAL(10,2) DEFAULT (1,2), PRIMARY KEY(a))",
                "#a b",
            ),
            (
                "CREATE TABLE t(a INTEGER, b TEXT, PRIMARY KEY(a, b))",
                "a b",
            ),
            (
                "CREATE TABLE t(a INTEGER, b, PRIMARY KEY(\"a\" ASC))",
                "#a b",
            ),
            ("CREATE TABLE t(a INTEGER, b, PRIMARY KEY(a DESC))", "#a b"),
            (
                "CREATE TABLE t(a INTEGER, b, PRIMARY KEY([A] COLLATE NOCASE ASC))",
                "#a b",
            ),
            (
                "CREATE TABLE t(a INTEGER, b, CONSTRAINT k PRIMARY KEY(a AUTOINCREMENT))",
                "#a b",
            ),
            (
                "CREATE TABLE t(a INTEGER, b, PRIMARY KEY(a ASC, b DESC))",
                "a b",
            ),
            ("CREATE TABLE t(a BIG INTEGER PRIMARY KEY, b)", "a b"),
            (
                "CREATE TABLE t(a integer CHECK (a > 0) PRIMARY KEY, b)",
                "#a b",
            ),
            (
                "CREATE TABLE t(a \"INTEGER\" REFERENCES u PRIMARY KEY ON CONFLICT FAIL, b)",
                "#a b",
            ),
            (
                "CREATE TABLE t(a, -- one, two\n b /* c, d */, CHECK (a > 1), FOREIGN KEY(b) REFERENCES u(v))",
                "a b",
            ),
            ("CREATE TABLE t(a, b AS (a + 1), c AS (a) STORED)", "a c"),
            (
                "CREATE TABLE IF NOT EXISTS main.t(a INTEGER NOT NULL PRIMARY KEY, b)",
                "#a b",
            ),
            ("CREATE TABLE t(a", "a"),
        ] {
            let table = definition(sql).unwrap();
            assert_eq!(table.name, "t", "{sql}");
            let found: Vec<String> = table
                .columns
                .iter()
                .map(|column| {
                    format!(
                        "{}{}",
                        if column.is_row_number { "#" } else { "" },
                        column.name
                    )
                })
                .collect();
            let separator = if wanted.contains('|') { "|" } else { " " };
            assert_eq!(found.join(separator), wanted, "{sql}");
        }
        for sql in [
            "CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID",
            "CREATE VIRTUAL TABLE t USING fts5(a)",
            "CREATE VIEW t AS SELECT 1",
            "",
        ] {
            assert_eq!(definition(sql), None, "{sql}");
        }
    }
}
