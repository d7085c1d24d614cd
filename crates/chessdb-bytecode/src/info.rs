//! Data of the database as a whole: names, collections, and jose's data about its tables
//! (docs/formats/bytecode.md, section 7).

use std::collections::{HashMap, HashSet};

use chessdb_core::error::Location;
use chessdb_core::model::{Collection, Extra, NameRecord, NameTable};
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Charset, ErrorKind, ReadOptions, Result, Scratch, Severity};

use crate::names::{NameList, NameLookup, ROLES, UNKNOWN};
use crate::raw::{Cell, Naming, Table, TableSet, column_index, pack_all};
use crate::{extras, text};

/// The row of MetaInfo in a new database.
pub(crate) const META: [Cell<'static>; 5] = [
    Cell::bytes(b"SCHEMA_VERSION"),
    Cell::bytes(b"MAIN"),
    Cell::Null,
    Cell::Int(1008),
    Cell::Int(0),
];

/// A reader of the tables other than games.
pub(crate) struct BaseReader<'b, 't> {
    pub(crate) tables: &'b TableSet<'t>,
    pub(crate) naming: &'b Naming,
    /// The columns of the games table.
    pub(crate) game_columns: &'b [String],
    pub(crate) options: &'b ReadOptions,
    pub(crate) fallback: Charset,
    pub(crate) scratch: &'b mut Scratch,
    pub(crate) base: BaseInfo,
    /// The game count stored for each collection.
    pub(crate) game_counts: Vec<(u32, i64)>,
}

impl BaseReader<'_, '_> {
    /// Reads everything except the games.
    pub(crate) fn read(&mut self) -> Result<NameLookup> {
        let mut names = NameLookup::default();
        for (list, table) in [
            (NameList::Player, Table::Player),
            (NameList::Event, Table::Event),
            (NameList::Site, Table::Site),
            (NameList::Opening, Table::Opening),
        ] {
            self.read_names(list, table, &mut names)?;
        }
        self.read_collections()?;
        self.read_meta()?;
        Ok(names)
    }

    /// Calls `visit` with each row of a table, its cells in the order of jose's columns. Returns
    /// false if there is no such table.
    fn each(
        &mut self,
        table: Table,
        visit: &mut dyn FnMut(&mut Self, &[&Cell<'_>]) -> Result<()>,
    ) -> Result<bool> {
        let prefixed = format!("{}{}", self.naming.prefix, table.name());
        let tables = self.tables;
        // The archives have no prefix before MetaInfo.
        let Some(source) = tables.get(&prefixed).or_else(|| tables.get(table.name())) else {
            return Ok(false);
        };
        let columns: Vec<_> = table
            .columns()
            .iter()
            .map(|column| column_index(source, column.name))
            .collect();
        let mut row = Vec::new();
        for n in 0..source.len() {
            if let Err(error) = source.row(n, &mut row) {
                let (kind, location) = error.into_parts();
                self.scratch
                    .deviation(self.options, Severity::Lost, kind, location)?;
                continue;
            }
            let cells: Vec<&Cell<'_>> = columns
                .iter()
                .map(|index| {
                    index
                        .and_then(|index| row.get(index))
                        .unwrap_or(&Cell::Null)
                })
                .collect();
            visit(self, &cells)?;
        }
        Ok(true)
    }

    fn report_bad_number(
        &mut self,
        severity: Severity,
        field: &'static str,
        value: i64,
    ) -> Result<()> {
        let kind = ErrorKind::bad_field(field, value as u64);
        let location = self.location();
        self.scratch
            .deviation(self.options, severity, kind, location)
    }

    fn location(&self) -> Location {
        Location {
            file: self.tables.file,
            ..Location::default()
        }
    }

    fn push(&mut self, cell: &Cell<'_>) -> TextId {
        match cell.as_bytes() {
            Some(bytes) => {
                let charset = text::detect(&bytes, self.fallback);
                self.base.texts.push(&bytes, charset)
            }
            None => TextId::NONE,
        }
    }

    fn push_extra(&mut self, field: u16, cells: &[Cell<'_>]) {
        self.base
            .extras
            .push(Extra::new(extras::FORMAT, field, pack_all(cells)));
    }

    fn read_names(&mut self, list: NameList, table: Table, names: &mut NameLookup) -> Result<()> {
        let mut records = Vec::new();
        let exists = self.each(table, &mut |reader, cells| {
            let (id, name, details) = match *cells {
                [id, hash, ply, eco, name, ..] => (id, name, Some([hash, ply, eco])),
                [id, name, ..] => (id, name, None),
                _ => return Ok(()),
            };
            let Some(id) = id.as_int() else {
                return reader.report_bad_number(Severity::Lost, "the number of a name", 0);
            };
            let text = reader.push(name);
            if !names.insert(list, id, text) {
                return reader.report_bad_number(Severity::Lost, "the number of a name", id);
            }
            // Each table has this row for games without a name (section 7); it is no name.
            let is_unknown = id == 0 && reader.base.texts.get(text).as_bytes() == UNKNOWN;
            let key = u32::try_from(id).ok();
            if let Some(key) = key.filter(|_| !is_unknown) {
                records.push(NameRecord {
                    key,
                    text,
                    player: None,
                });
            }
            if let Some([hash, ply, eco]) = details
                && is_more(&[hash, ply, eco])
            {
                let cells = [Cell::Int(id), hash.clone(), ply.clone(), eco.clone()];
                reader.push_extra(extras::OPENING, &cells);
            }
            Ok(())
        })?;
        if !exists && !self.is_referred_to(list) {
            return Ok(());
        }
        if exists {
            names.set_present(list);
        } else {
            let what = match list {
                NameList::Player => "the table of players is missing",
                NameList::Event => "the table of events is missing",
                NameList::Site => "the table of sites is missing",
                NameList::Opening => "the table of openings is missing",
            };
            let (kind, location) = (ErrorKind::Structure(what), self.location());
            self.scratch
                .deviation(self.options, Severity::Lost, kind, location)?;
        }
        if let Some(&role) = ROLES.get(list as usize) {
            self.base.names.push(NameTable::new(role, records));
        }
        Ok(())
    }

    /// Returns whether games have a column that refers to these names. Games may consist of byte
    /// code alone.
    fn is_referred_to(&self, list: NameList) -> bool {
        let wanted: &[&str] = match list {
            NameList::Player => &["WhiteId", "BlackId", "AnnotatorId"],
            NameList::Event => &["EventId"],
            NameList::Site => &["SiteId"],
            NameList::Opening => &["OpeningId"],
        };
        self.game_columns.iter().any(|name| {
            wanted
                .iter()
                .any(|column| column.eq_ignore_ascii_case(name))
        })
    }

    fn read_collections(&mut self) -> Result<()> {
        let mut details = Vec::new();
        let mut keys = HashSet::new();
        self.each(Table::Collection, &mut |reader, cells| {
            let &[
                id,
                parent,
                origin,
                name,
                path,
                attributes,
                source,
                modified,
                games,
            ] = cells
            else {
                return Ok(());
            };
            let key = id.as_int().and_then(|id| u32::try_from(id).ok());
            let Some(key) = key.filter(|&key| keys.insert(key)) else {
                let number = id.as_int().unwrap_or(0);
                return reader.report_bad_number(
                    Severity::Lost,
                    "the number of a collection",
                    number,
                );
            };
            let parent_key = parent.as_int().filter(|&key| key != 0);
            let name_id = reader.push(name);
            reader.base.collections.push(Collection {
                key,
                parent: parent_key.and_then(|key| u32::try_from(key).ok()),
                name: name_id,
            });
            if let Some(games) = games.as_int() {
                reader.game_counts.push((key, games));
            }
            let cells = [origin, path, attributes, source, modified].map(|cell| cell.owned());
            details.push((key, cells));
            Ok(())
        })?;
        let paths = CollectionPaths::new(&self.base.collections);
        for (key, mut cells) in details {
            let [_, path, ..] = &mut cells;
            // The writer derives this path from the parents.
            if path.as_bytes().as_deref() == Some(paths.path(key).as_bytes()) {
                *path = Cell::Null;
            }
            if is_more(&cells.each_ref()) {
                let mut packed = vec![Cell::Int(key.into())];
                packed.extend(cells);
                self.push_extra(extras::COLLECTION_ROW, &packed);
            }
        }
        Ok(())
    }

    fn read_meta(&mut self) -> Result<()> {
        let mut rows = Vec::new();
        self.each(Table::MetaInfo, &mut |_, cells| {
            rows.push(cells.iter().map(|cell| cell.owned()).collect::<Vec<_>>());
            Ok(())
        })?;
        // The writer writes this row anyway.
        if !matches!(&rows[..], [row] if *row == META) {
            for row in rows {
                self.push_extra(extras::META, &row);
            }
        }
        Ok(())
    }
}

/// Returns whether a cell contains anything other than NULL, zero or an empty text.
fn is_more(cells: &[&Cell<'_>]) -> bool {
    cells.iter().any(|cell| match cell {
        Cell::Null | Cell::Int(0) => false,
        Cell::Bytes(bytes) => !bytes.is_empty(),
        _ => true,
    })
}

/// The values of the column Path: for each collection the numbers of its ancestors, then its own.
pub(crate) struct CollectionPaths {
    parents: HashMap<u32, u32>,
}

impl CollectionPaths {
    pub(crate) fn new(collections: &[Collection]) -> CollectionPaths {
        let parents = collections
            .iter()
            .filter_map(|collection| Some((collection.key, collection.parent?)));
        CollectionPaths {
            parents: parents.collect(),
        }
    }

    pub(crate) fn path(&self, key: u32) -> String {
        /// Deeper than any real nesting; a cycle ends here.
        const DEEPEST: usize = 32;
        let mut keys = vec![key];
        while let Some(&above) = keys.last().and_then(|last| self.parents.get(last))
            && keys.len() < DEEPEST
        {
            keys.push(above);
        }
        let mut path = "/".to_owned();
        for key in keys.iter().rev() {
            path += &format!("{key}/");
        }
        path
    }
}
