//! The byte map of a table's rows (docs/formats/bytecode.md, section 8).

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use chessdb_core::dump::{Fields, Region, RegionKind};
use chessdb_core::sorting::sort_by_key;

use super::blocks::{self, Block, FREE_HEAD};
use super::row_layout::RowPart;
use super::scan::FilePiece;
use super::{MyisamTable, spend};
use crate::raw::{Cell, StoredDate};

/// Returns the game of a row, both counted from 0; `None` if the table contains no games.
pub(crate) type GameOf<'g> = &'g dyn Fn(u32) -> Option<u32>;

impl MyisamTable<'_> {
    /// Reports each region of the file.
    pub(crate) fn dump(&self, game_of: GameOf<'_>, emit: &mut dyn FnMut(Region)) {
        match self.layout.fixed {
            Some(length) => self.dump_fixed(length, game_of, emit),
            None => self.dump_packed(game_of, emit),
        }
    }

    /// Returns the number of the row that begins at `offset`.
    fn row_at(&self, offset: u64) -> Option<u32> {
        self.rows
            .binary_search(&offset)
            .ok()
            .and_then(|row| u32::try_from(row).ok())
    }

    fn dump_fixed(&self, length: usize, game_of: GameOf<'_>, emit: &mut dyn FnMut(Region)) {
        let null_bytes = self.layout.null_bytes;
        // In the order of their offsets, which may differ from the order in the description.
        let mut columns: Vec<usize> = (0..self.layout.values.len()).collect();
        let place = |column: usize| {
            self.layout
                .values
                .get(column)
                .map_or(0..0, |value| value.position..value.position + value.length)
        };
        sort_by_key(&mut columns, |&column| place(column).start);
        for (n, record) in self.file.chunks_exact(length).enumerate() {
            let start = (n * length) as u64;
            let Some(row) = self.row_at(start) else {
                Fields::new(self.role, start, emit).slack(length as u64, "a deleted row");
                continue;
            };
            let label = short_label(row, game_of);
            let fields = &mut Fields::new(self.role, start, emit);
            let full = full_label(row, game_of);
            let what = format!("{full}: present; bits of the NULL columns");
            fields.known(null_bytes as u64, what);
            for &column in &columns {
                let range = place(column);
                let what = match (
                    self.columns.get(column),
                    self.layout.fixed_cell(record, column),
                ) {
                    (Some(name), Some(cell)) => format!("{label}: {}", value(name, &cell)),
                    _ => continue,
                };
                let column_start = start + range.start as u64;
                let end = column_start + range.len() as u64;
                emit(Region::known(self.role, column_start, end, what));
            }
        }
    }

    fn dump_packed(&self, game_of: GameOf<'_>, emit: &mut dyn FnMut(Region)) {
        let mut map = RowMap {
            table: self,
            game_of,
            owners: self.owners(),
            row: None,
            fields: Vec::new(),
            budget: (self.file.len() as u64).saturating_mul(8),
        };
        let result = self.scan().run(&mut |range, piece| {
            match piece {
                FilePiece::Block(block, _) if block.is_deleted => {
                    let links = blocks::links(&self.file, range.start);
                    free(
                        &range,
                        links,
                        &mut Fields::new(self.role, range.start, emit),
                    );
                }
                FilePiece::Block(block, _) => {
                    let fields = &mut Fields::new(self.role, range.start, emit);
                    map.block(&range, &block, fields);
                }
                // Nothing refers to these.
                FilePiece::Gap | FilePiece::NotItsOwn => {}
            }
            Ok(())
        });
        debug_assert!(result.is_ok());
    }

    /// Maps the offset of each continuation block to its row and the number of row bytes before it.
    fn owners(&self) -> HashMap<u64, (u32, u64)> {
        let mut owners = HashMap::new();
        for (row, &offset) in (0..).zip(&self.rows) {
            let Some(first) = Block::at(&self.file, offset).filter(|block| !block.is_whole_row())
            else {
                continue;
            };
            let mut before = u64::from(first.data);
            for part in blocks::parts(&self.file, offset) {
                let Some(block) = Block::at(&self.file, part) else {
                    break;
                };
                owners.entry(part).or_insert((row, before));
                before += u64::from(block.data);
            }
        }
        owners
    }
}

/// Reports a free block.
fn free(range: &Range<u64>, links: Option<[u64; 2]>, fields: &mut Fields<'_>) {
    let length = range.end - range.start;
    fields.known(4, format!("free block of {length} bytes"));
    if let Some(links) = links {
        for (what, place) in ["next", "previous"].into_iter().zip(links) {
            let what = match place {
                blocks::NOWHERE => format!("no {what} free block"),
                _ => format!("{what} free block: {place:#x}"),
            };
            fields.known(8, what);
        }
        fields.slack(length.saturating_sub(FREE_HEAD), "free");
    } else {
        fields.slack(
            length.saturating_sub(4),
            "free, but not in the list of free blocks",
        );
    }
}

/// A reporter of the rows in their blocks.
struct RowMap<'m> {
    table: &'m MyisamTable<'m>,
    game_of: GameOf<'m>,
    owners: HashMap<u64, (u32, u64)>,
    /// The row with the fields in `fields`.
    row: Option<u32>,
    fields: Vec<RowField>,
    /// Remaining budget for rows with parts in other places.
    budget: u64,
}

/// A range of bytes in a row.
struct RowField {
    /// Offset of its end in the row.
    end: u64,
    kind: RegionKind,
    what: Cow<'static, str>,
}

impl RowMap<'_> {
    fn block(&mut self, range: &Range<u64>, block: &Block, fields: &mut Fields<'_>) {
        let data = u64::from(block.data);
        let owner = match block.row {
            Some(_) => self.table.row_at(range.start).map(|row| (row, 0)),
            None => self.owners.get(&range.start).copied(),
        };
        if let Some((row, before)) = owner {
            let label = short_label(row, self.game_of);
            let goes_on = block
                .next
                .map(|place| format!(", continues at {place:#x}"))
                .unwrap_or_default();
            let full = full_label(row, self.game_of);
            let what = match block.row {
                Some(length) => format!("{full}: {length} bytes{goes_on}"),
                None => format!("{full}: {data} more bytes{goes_on}"),
            };
            fields.known(block.header as u64, what);
            if self.find(row, &label) {
                self.emit(before..before + data, fields);
            } else {
                fields.known(data, format!("{label}: more columns"));
            }
        } else {
            let what = match block.row {
                Some(_) => "a row that was not read",
                None => "a continuation without a row",
            };
            fields.add(block.used(), RegionKind::Unowned, what);
        }
        let unused = (range.end - range.start).saturating_sub(block.used());
        fields.slack(unused, "unused");
    }

    /// Reports the fields within this range of the row.
    fn emit(&self, range: Range<u64>, fields: &mut Fields<'_>) {
        let first = self
            .fields
            .partition_point(|field| field.end <= range.start);
        let mut position = range.start;
        for field in self.fields.get(first..).unwrap_or_default() {
            let end = field.end.min(range.end);
            if end <= position {
                break;
            }
            fields.add(end - position, field.kind, field.what.clone());
            position = end;
        }
    }

    /// Finds the fields of a row. Returns false if that would exceed the budget.
    fn find(&mut self, row: u32, label: &str) -> bool {
        if self.row == Some(row) {
            return true;
        }
        let table = self.table;
        let Some(&offset) = table.rows.get(row as usize) else {
            return false;
        };
        if !spend(&mut self.budget, &table.file, offset) {
            return false;
        }
        self.row = Some(row);
        let fields = &mut self.fields;
        fields.clear();
        let mut end = 0;
        let mut add = |length: u64, kind, what: Cow<'static, str>| {
            end += length;
            if length > 0 {
                fields.push(RowField { end, kind, what });
            }
        };
        let record = blocks::row(&table.file, offset);
        let mut names = table.columns.iter();
        let mut known_end = 0;
        let whole = record.as_ref().and_then(|record| {
            table.layout.walk(record, &mut |part, length| {
                let what = match part {
                    RowPart::Bits => format!("{label}: bits of the omitted or shortened columns"),
                    RowPart::Nulls => format!("{label}: bits of the NULL columns"),
                    RowPart::Checksum => format!("{label}: checksum"),
                    RowPart::Column(cell) => {
                        let name = names.next().map_or("", String::as_str);
                        if length == 0 {
                            return;
                        }
                        format!("{label}: {}", value(name, &cell))
                    }
                };
                known_end += length as u64;
                add(length as u64, RegionKind::Known, what.into());
            })
        });
        if whole.is_none() {
            let what = format!("{label}: cannot be read");
            add(u64::MAX - known_end, RegionKind::Unknown, what.into());
        }
        true
    }
}

/// Returns the label of the game, or of the row if the table contains no games.
fn short_label(row: u32, game_of: GameOf<'_>) -> String {
    match game_of(row) {
        Some(game) => format!("game {}", u64::from(game) + 1),
        None => format!("row {}", u64::from(row) + 1),
    }
}

/// Returns the label of both game and row, used where a row begins or continues.
fn full_label(row: u32, game_of: GameOf<'_>) -> String {
    match game_of(row) {
        Some(game) => format!("game {}, row {}", u64::from(game) + 1, u64::from(row) + 1),
        None => short_label(row, game_of),
    }
}

/// Describes a column and its value.
fn value(name: &str, cell: &Cell<'_>) -> String {
    /// Maximum length of a text to show, in bytes.
    const SHOWN: usize = 60;
    match cell {
        Cell::Null => format!("{name}: NULL"),
        Cell::Int(number) => format!("{name}: {number}"),
        Cell::Date(date) => format!("{name}: {}", StoredDate::text(*date)),
        Cell::Bytes(bytes) => {
            let is_text = bytes.len() <= SHOWN && !bytes.iter().any(u8::is_ascii_control);
            if is_text {
                format!("{name}: \"{}\"", String::from_utf8_lossy(bytes))
            } else {
                format!("{name}: {} bytes", bytes.len())
            }
        }
    }
}
