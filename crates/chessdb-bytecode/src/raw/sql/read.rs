//! Reading a script into tables in memory.

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::limits::Limits;
use chessdb_core::utf16::utf_8;
use chessdb_core::{Charset, Diagnostic, ErrorKind, ReadOptions, Result, Scratch, Severity};

use super::lexer::{Lexer, Word};
use crate::raw::{Cell, MemoryTable, TableSet};
use crate::text::FALLBACK;

/// Maximum number of tables that are read, and of columns in one.
const MOST_TABLES: usize = 256;
const MOST_COLUMNS: usize = 256;

/// Objects other than tables that a statement can create, and the maximum number of words before
/// their keyword.
const KINDS: [&str; 6] = ["VIEW", "TRIGGER", "INDEX", "PROCEDURE", "FUNCTION", "EVENT"];
const MOST_WORDS: usize = 16;

/// Statements without rows that surround the tables of a dump.
const WITHOUT_ROWS: [&str; 16] = [
    "ALTER",
    "ANALYZE",
    "BEGIN",
    "COMMIT",
    "DELIMITER",
    "DROP",
    "END",
    "FLUSH",
    "GRANT",
    "LOCK",
    "OPTIMIZE",
    "PRAGMA",
    "SET",
    "START",
    "UNLOCK",
    "USE",
];

/// Reads the tables of a script from its CREATE TABLE and INSERT statements, in any order.
///
/// Statements without rows are skipped; any other text is reported as lost. A script in UTF-16, as
/// some shells create it, is read as UTF-8.
///
/// # Errors
///
/// In strict mode, returns the first text that cannot be understood.
pub fn read(script: &[u8], file: Role, options: &ReadOptions) -> Result<TableSet<'static>> {
    let (script, utf_16) = utf_8(script);
    let mut reader = Reader {
        lexer: Lexer::new(&script),
        file,
        tables: Vec::new(),
        foreign: Vec::new(),
        charset: options.charset.unwrap_or(FALLBACK),
        scratch: Scratch::new(),
        options,
    };
    reader.run()?;
    let mut set = TableSet::new();
    set.file = Some(file);
    set.foreign = reader.foreign;
    let more = reader.scratch.dropped_diagnostics;
    set.diagnostics = reader.scratch.diagnostics;
    set.diagnostics
        .extend(utf_16.iter().flat_map(|utf_16| utf_16.diagnostics(file)));
    if more > 0 {
        let Limits { diagnostics, .. } = options.limits;
        set.diagnostics.push(Diagnostic::new(
            Severity::Lost,
            ErrorKind::over_limit("statements that cannot be parsed", diagnostics.into()),
            Location::default(),
        ));
    }
    for (name, table) in reader.tables {
        set.insert(String::from_utf8_lossy(&name), Box::new(table));
    }
    Ok(set)
}

struct Reader<'a, 'o> {
    lexer: Lexer<'a>,
    file: Role,
    tables: Vec<(Vec<u8>, MemoryTable)>,
    /// Other objects that the script creates.
    foreign: Vec<String>,
    charset: Charset,
    scratch: Scratch,
    options: &'o ReadOptions,
}

/// The result of parsing a statement; the error is what was expected.
type Parsed<T> = std::result::Result<T, &'static str>;

impl<'a> Reader<'a, '_> {
    fn run(&mut self) -> Result<()> {
        loop {
            let start = self.lexer.clone();
            let Some(word) = self.lexer.next() else {
                return match self.lexer.open_comment() {
                    Some(offset) => self.lost("the end of a comment", offset),
                    None => Ok(()),
                };
            };
            let parsed = if word.is("CREATE") {
                self.create()
            } else if word.is("INSERT") || word.is("REPLACE") {
                self.insert().and_then(|()| self.end_insert())
            } else if word == Word::Sign(b';') {
                continue;
            } else if WITHOUT_ROWS.iter().any(|keyword| word.is(keyword)) {
                Ok(())
            } else {
                Err("CREATE TABLE, INSERT, or a statement without rows")
            };
            if let Err(expected) = parsed {
                self.lost(expected, self.lexer.offset())?;
                // The end of the statement may already have been passed.
                self.lexer = start;
            }
            self.end_statement();
        }
    }

    /// Reports text that cannot be understood, an error in strict mode.
    fn lost(&mut self, expected: &'static str, offset: u64) -> Result<()> {
        let kind = ErrorKind::Syntax {
            expected,
            found: "another word".into(),
        };
        let location = Location::byte(self.file, offset);
        self.scratch
            .deviation(self.options, Severity::Lost, kind, location)
    }

    /// Checks that the rows are followed only by a clause about existing rows, or by nothing.
    fn end_insert(&mut self) -> Parsed<()> {
        match self.peek() {
            None | Some(Word::Sign(b';')) => Ok(()),
            Some(word) if word.is("ON") => Ok(()),
            Some(_) => Err("the end of an INSERT"),
        }
    }

    /// Skips to the position after the next semicolon.
    fn end_statement(&mut self) {
        for word in self.lexer.by_ref() {
            if word == Word::Sign(b';') {
                return;
            }
        }
    }

    fn peek(&self) -> Option<Word<'a>> {
        self.lexer.clone().next()
    }

    fn accept(&mut self, sign: u8) -> bool {
        let mut ahead = self.lexer.clone();
        let is_next = ahead.next() == Some(Word::Sign(sign));
        if is_next {
            self.lexer = ahead;
        }
        is_next
    }

    fn expect(&mut self, sign: u8, what: &'static str) -> Parsed<()> {
        if self.accept(sign) { Ok(()) } else { Err(what) }
    }

    /// Reads the name of a table and drops the database name before it.
    fn name(&mut self) -> Parsed<Cow<'a, [u8]>> {
        loop {
            let name = match self.lexer.next() {
                Some(Word::Name(name)) => name,
                Some(Word::Plain(name)) => Cow::Borrowed(name),
                // Some programs put names into such quotes.
                Some(Word::Bytes(name)) => name,
                _ => return Err("the name of a table"),
            };
            if !self.accept(b'.') {
                return Ok(name);
            }
        }
    }

    /// Skips `IF NOT EXISTS`.
    fn skip_condition(&mut self) {
        for keyword in ["IF", "NOT", "EXISTS"] {
            if self.peek().is_some_and(|word| word.is(keyword)) {
                self.lexer.next();
            }
        }
    }

    /// Records other objects that a statement creates, such as a view. Words like `OR REPLACE` may
    /// come before.
    fn create_other(&mut self) {
        for _ in 0..MOST_WORDS {
            let Some(word) = self.peek().filter(|word| *word != Word::Sign(b';')) else {
                return;
            };
            self.lexer.next();
            let kind = KINDS.iter().find(|kind| word.is(kind));
            if let Some(kind) = kind
                && self.foreign.len() < MOST_TABLES
            {
                self.skip_condition();
                let Ok(name) = self.name() else { return };
                let (kind, name) = (kind.to_ascii_lowercase(), String::from_utf8_lossy(&name));
                self.foreign.push(format!("{kind} {name}"));
                return;
            }
        }
    }

    /// Parses `CREATE TABLE name (column type …, …, KEY …)`.
    fn create(&mut self) -> Parsed<()> {
        if !self.peek().is_some_and(|word| word.is("TABLE")) {
            self.create_other();
            return Ok(());
        }
        self.lexer.next();
        self.skip_condition();
        let name = self.name()?;
        self.expect(b'(', "the columns of a table")?;
        let mut columns = Vec::new();
        loop {
            let word = self.lexer.next().ok_or("the columns of a table")?;
            let is_key = |word: &Word<'_>| {
                [
                    "PRIMARY",
                    "KEY",
                    "UNIQUE",
                    "INDEX",
                    "CONSTRAINT",
                    "FULLTEXT",
                    "CHECK",
                    "FOREIGN",
                ]
                .iter()
                .any(|keyword| word.is(keyword))
            };
            match word {
                _ if is_key(&word) => {}
                Word::Name(name) => columns.push(String::from_utf8_lossy(&name).into_owned()),
                Word::Plain(name) => columns.push(String::from_utf8_lossy(name).into_owned()),
                _ => return Err("the name of a column"),
            }
            if columns.len() > MOST_COLUMNS {
                return Err("fewer columns");
            }
            if !self.rest_of_item()? {
                break;
            }
        }
        if self.tables.len() >= MOST_TABLES {
            return Err("fewer tables");
        }
        if self.table(&name).is_none() {
            let table = MemoryTable::new(columns, self.charset);
            self.tables.push((name.into_owned(), table));
        }
        Ok(())
    }

    /// Skips to the end of an item of a list. Returns false if it was the last.
    fn rest_of_item(&mut self) -> Parsed<bool> {
        let mut depth = 0u32;
        loop {
            match self.lexer.next().ok_or("the end of a list")? {
                Word::Sign(b'(') => depth = depth.saturating_add(1),
                Word::Sign(b')') if depth == 0 => return Ok(false),
                Word::Sign(b')') => depth -= 1,
                Word::Sign(b',') if depth == 0 => return Ok(true),
                // A list without an end must not take the following statements with it.
                Word::Sign(b';') => return Err("the end of a list"),
                _ => {}
            }
        }
    }

    fn table(&self, name: &[u8]) -> Option<usize> {
        self.tables
            .iter()
            .position(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    /// Parses `INSERT INTO name (column, …) VALUES (…), (…)`.
    fn insert(&mut self) -> Parsed<()> {
        while self.peek().is_some_and(|word| {
            ["INTO", "IGNORE", "DELAYED", "LOW_PRIORITY"]
                .iter()
                .any(|keyword| word.is(keyword))
        }) {
            self.lexer.next();
        }
        let name = self.name()?;
        let listed = if self.accept(b'(') { Some(self.column_list()?) } else { None };
        let values = self.lexer.next();
        if !values.is_some_and(|word| word.is("VALUES") || word.is("VALUE")) {
            return Err("VALUES");
        }
        let table = match (self.table(&name), &listed) {
            (Some(table), _) => table,
            (None, Some(_)) if self.tables.len() < MOST_TABLES => {
                // A statement that names its columns needs no CREATE TABLE.
                let table = MemoryTable::new(Vec::new(), self.charset);
                self.tables.push((name.into_owned(), table));
                self.tables.len() - 1
            }
            _ => return Err("a table that was created"),
        };
        let order = self.order(table, listed)?;
        let mut row = Vec::new();
        let mut sorted = Vec::new();
        loop {
            self.expect(b'(', "a row")?;
            self.row(&mut row)?;
            let cells = match &order {
                Some(order) => {
                    sorted.clear();
                    let cell = |index: &Option<usize>| {
                        index
                            .and_then(|index| row.get(index))
                            .cloned()
                            .unwrap_or(Cell::Null)
                    };
                    sorted.extend(order.iter().map(cell));
                    &sorted
                }
                None => &row,
            };
            if let Some((_, table)) = self.tables.get_mut(table) {
                table.push(cells);
            }
            if !self.accept(b',') {
                return Ok(());
            }
        }
    }

    fn column_list(&mut self) -> Parsed<Vec<String>> {
        let mut names = Vec::new();
        loop {
            let name = self.name()?;
            names.push(String::from_utf8_lossy(&name).into_owned());
            if names.len() > MOST_COLUMNS {
                return Err("fewer columns");
            }
            if !self.accept(b',') {
                self.expect(b')', "the end of a list")?;
                return Ok(names);
            }
        }
    }

    /// Returns for each column of the table its index in a row, if the statement lists columns.
    /// Listed columns that the table lacks are added.
    fn order(
        &mut self,
        table: usize,
        listed: Option<Vec<String>>,
    ) -> Parsed<Option<Vec<Option<usize>>>> {
        use crate::raw::TableRead as _;
        let Some(listed) = listed else {
            return Ok(None);
        };
        let (_, table) = self
            .tables
            .get_mut(table)
            .ok_or("a table that was created")?;
        for column in &listed {
            let same = |name: &String| name.eq_ignore_ascii_case(column);
            if !table.columns().iter().any(same) {
                table.add_column(column.clone());
            }
        }
        if table.columns().len() > MOST_COLUMNS {
            return Err("fewer columns");
        }
        let place = |column: &String| {
            let same = |name: &String| name.eq_ignore_ascii_case(column);
            listed.iter().position(same)
        };
        Ok(Some(table.columns().iter().map(place).collect()))
    }

    fn row(&mut self, row: &mut Vec<Cell<'a>>) -> Parsed<()> {
        row.clear();
        loop {
            row.push(match self.lexer.next() {
                Some(Word::Int(number)) => Cell::Int(number),
                Some(Word::Bytes(bytes)) => Cell::Bytes(bytes),
                Some(word) if word.is("NULL") => Cell::Null,
                _ => return Err("a value"),
            });
            if row.len() > MOST_COLUMNS {
                return Err("fewer values");
            }
            if !self.accept(b',') {
                return self.expect(b')', "the end of a row");
            }
        }
    }
}
