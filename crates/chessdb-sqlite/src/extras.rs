//! Content of a file that belongs to other programs or to the settings of its own program.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::format::ExtraField;
use chessdb_core::model::Extra;
use chessdb_core::{BaseInfo, ErrorKind, ReadOptions, Result, Scratch, Severity};

use crate::file::{Schema, TextEncoding, Value};

/// Of the database: the name of a table, column or other object that is not the program's.
const FOREIGN: u16 = 1;
/// Of the database: a row of a table of settings, as its name, a zero byte and its value.
pub(crate) const ROW: u16 = 2;
/// The most objects that are listed.
const MOST: usize = 1000;

/// Returns the descriptions of the fields of a format.
pub(crate) const fn fields(format: &'static str) -> [ExtraField; 2] {
    let foreign = "a table, column or other object that the program does not use";
    [
        ExtraField::of_base(format, FOREIGN, foreign),
        ExtraField::of_base(format, ROW, "a setting that chessdb does not know"),
    ]
}

/// The tables of a program.
#[derive(Debug)]
pub(crate) struct Known {
    /// The format, as in [`Extra::format`].
    pub(crate) format: &'static str,
    /// The names of the tables, each with its columns; an empty list allows any column.
    pub(crate) tables: &'static [(&'static str, &'static [&'static str])],
    /// The indexes of the games, by name and column.
    pub(crate) indexes: &'static [(&'static str, &'static str)],
}

impl Known {
    /// Reports everything in the file that is not the program's, and adds it to the extras of the
    /// database: a new database cannot contain it.
    ///
    /// # Errors
    ///
    /// In strict mode, returns the first finding.
    pub(crate) fn note_others(
        &self,
        schema: &Schema,
        base: &mut BaseInfo,
        file: Role,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<()> {
        // The definitions of a damaged file are not certain.
        if schema.is_damaged {
            return Ok(());
        }
        let is_one_of =
            |names: &[&str], name: &str| names.iter().any(|own| own.eq_ignore_ascii_case(name));
        let mut others = Vec::new();
        for table in schema.tables.iter().filter(|table| !table.is_internal()) {
            let mut tables = self.tables.iter();
            let Some((_, own)) = tables.find(|(name, _)| table.name.eq_ignore_ascii_case(name))
            else {
                others.push(format!("table {}", table.name));
                continue;
            };
            let stored = table.columns.iter().map(|column| &column.name);
            let foreign = stored.filter(|name| !own.is_empty() && !is_one_of(own, name));
            let columns = foreign.chain(&table.computed);
            others.extend(columns.map(|name| format!("column {}.{name}", table.name)));
        }
        let all = schema.others.iter();
        let is_own = |name: &str| {
            let mut own = self.indexes.iter();
            own.any(|(index, _)| index.eq_ignore_ascii_case(name))
        };
        let objects = all.filter(|other| !is_own(&other.name));
        others.extend(objects.map(|other| format!("{} {}", other.kind, other.name)));
        // Sorted before the cut, so that the report does not depend on the order in the file.
        others.sort_unstable();
        others.truncate(MOST);
        for what in others {
            base.extras.push(Extra {
                format: self.format,
                field: FOREIGN,
                bytes: what.as_bytes().into(),
            });
            let what = format!("the program does not use {what}; a new database will not have it");
            let start = Location::byte(file, 0);
            scratch.deviation(
                options,
                Severity::Note,
                ErrorKind::Other(what.into()),
                start,
            )?;
        }
        Ok(())
    }

    /// Returns a row of settings that a writer of the same format copies.
    pub(crate) fn row(&self, name: &[u8], value: Value<'_>, encoding: TextEncoding) -> Extra {
        let mut bytes = [name, b"\0"].concat();
        let (kind, content) = match value {
            Value::Null => (b'n', Vec::new()),
            Value::Int(number) => (b'i', number.to_be_bytes().to_vec()),
            Value::Real(number) => (b'r', number.to_bits().to_be_bytes().to_vec()),
            Value::Text(_) => (b't', value.to_text(encoding).unwrap_or_default().into()),
            Value::Blob(blob) => (b'b', blob.to_vec()),
        };
        bytes.push(kind);
        bytes.extend(content);
        Extra {
            format: self.format,
            field: ROW,
            bytes: bytes.into(),
        }
    }
}
