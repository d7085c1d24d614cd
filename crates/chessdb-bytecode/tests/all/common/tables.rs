//! A writer of MyISAM tables for tests: rows in one block and in several, free blocks, deleted
//! rows. It follows docs/formats/bytecode.md, section 8, and not the reader.
#![allow(dead_code, unreachable_pub, reason = "each user needs only some items")]

use std::collections::HashMap;
use std::ops::Range;

use chessdb_core::files::Role;
use chessdb_core::{MemorySet, Result};

use super::bytecode::raw::myisam::TableFiles;
use super::bytecode::raw::{Cell, ColumnType, Naming, PlannedColumn, RowSink, Table, TablePlan};

/// A collector of rows.
pub struct Tables {
    plan: TablePlan,
    rows: HashMap<usize, Vec<Vec<Cell<'static>>>>,
    /// The only table and its columns, if not all are written.
    only: Option<(&'static str, &'static [&'static str])>,
}

/// Table files, and the locations of their rows.
pub struct Files {
    pub set: MemorySet,
    /// For each row the ranges of meaningful bytes: headers and data of its blocks.
    pub rows: HashMap<Role, Vec<Vec<Range<usize>>>>,
}

impl RowSink for Tables {
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()> {
        let rows = &mut self.rows;
        self.plan.place(table, row, &mut |number, _, cells| {
            let cells = cells.iter().map(|cell| cell.owned()).collect();
            rows.entry(number).or_default().push(cells);
            Ok(())
        })
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Tables {
    pub fn new(naming: &Naming) -> Tables {
        Tables {
            plan: TablePlan::new(naming),
            rows: HashMap::new(),
            only: None,
        }
    }

    /// Restricts the output to one table and some of its columns.
    pub fn only(mut self, table: &'static str, columns: &'static [&'static str]) -> Tables {
        self.only = Some((table, columns));
        self
    }

    /// Returns the files of these tables.
    pub fn files(&self, tables: &[TableFiles]) -> Files {
        let mut files = Files {
            set: MemorySet::new(),
            rows: HashMap::new(),
        };
        for (number, planned) in self.plan.tables().iter().enumerate() {
            let table = tables.iter().find(|table| table.name == planned.name);
            let table = table.unwrap();
            let rows = self.rows.get(&number).map_or(&[][..], Vec::as_slice);
            if self.only.is_some_and(|(only, _)| only != planned.name) {
                continue;
            }
            let is_kept = |name: &str| self.only.is_none_or(|(_, only)| only.contains(&name));
            let columns = &planned.columns;
            let kept = |row: &Vec<Cell<'static>>| {
                let cells = row.iter().zip(columns);
                let cells = cells.filter(|(_, column)| is_kept(&column.name));
                cells.map(|(cell, _)| cell.clone()).collect()
            };
            let rows = &rows.iter().map(kept).collect::<Vec<Vec<Cell<'static>>>>()[..];
            let columns = columns.iter().filter(|column| is_kept(&column.name));
            let fields: Vec<_> = columns.map(Field::new).collect();
            let is_packed = fields.iter().any(|field| field.is_long());
            let (bytes, places) =
                if is_packed { packed(&fields, rows) } else { fixed(&fields, rows) };
            files.set.insert(table.rows, bytes);
            files.rows.insert(table.rows, places);
            files.set.insert(table.description, frm(&fields, is_packed));
        }
        files
    }
}

/// Bytes per character in columns of fixed width.
const CHARACTER: usize = 4;

struct Field {
    name: String,
    kind: ColumnType,
    null: bool,
}

impl Field {
    fn new(column: &PlannedColumn) -> Field {
        Field {
            name: column.name.clone(),
            kind: column.kind,
            null: column.null,
        }
    }

    fn is_long(&self) -> bool {
        !matches!(self.kind, ColumnType::Char(_)) && self.number().is_none()
    }

    /// Size in bytes of a number or a time.
    fn number(&self) -> Option<usize> {
        Some(match self.kind {
            ColumnType::TinyInt => 1,
            ColumnType::SmallInt => 2,
            ColumnType::Int => 4,
            ColumnType::BigInt => 8,
            ColumnType::Date => 3,
            ColumnType::DateTime => 5,
            _ => return None,
        })
    }

    /// Size in bytes in a row that is not packed.
    fn width(&self) -> usize {
        match self.kind {
            ColumnType::Char(width) => usize::from(width) * CHARACTER,
            ColumnType::VarChar(width) => {
                let width = usize::from(width) * CHARACTER;
                width + if width < 256 { 1 } else { 2 }
            }
            // A length and a pointer.
            ColumnType::MediumText | ColumnType::MediumBlob => 3 + 8,
            _ => self.number().unwrap(),
        }
    }

    /// Type, length and charset in the description.
    fn described(&self) -> (u8, u16, u8) {
        match self.kind {
            ColumnType::TinyInt => (1, 4, 63),
            ColumnType::SmallInt => (2, 6, 63),
            ColumnType::Int => (3, 11, 63),
            ColumnType::BigInt => (8, 20, 63),
            ColumnType::Date => (14, 10, 63),
            ColumnType::DateTime => (18, 19, 63),
            ColumnType::Char(width) => (254, width * CHARACTER as u16, 45),
            ColumnType::VarChar(width) => (15, width * CHARACTER as u16, 45),
            ColumnType::MediumText => (250, 11, 45),
            ColumnType::MediumBlob => (250, 11, 63),
        }
    }

    /// Returns the bytes of a number or a date; zeros for NULL.
    fn number_bytes(&self, cell: &Cell<'_>) -> Vec<u8> {
        let number = match cell {
            Cell::Null => 0,
            Cell::Int(number) => *number,
            Cell::Date(date) => {
                i64::from(date.day) | i64::from(date.month) << 5 | i64::from(date.year) << 9
            }
            Cell::Bytes(_) => panic!("{}: not a number", self.name),
        };
        number.to_le_bytes()[..self.number().unwrap()].to_vec()
    }
}

fn text<'c>(cell: &'c Cell<'_>) -> &'c [u8] {
    match cell {
        Cell::Null => &[],
        Cell::Bytes(bytes) => bytes,
        _ => panic!("not a text"),
    }
}

/// Packs bits into bytes, from the lowest on.
fn bits(bits: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (n, bit) in bits.enumerate() {
        if n % 8 == 0 {
            bytes.push(0);
        }
        bytes[n / 8] |= u8::from(bit) << (n % 8);
    }
    bytes
}

/// Writes rows of equal length, including a deleted one.
fn fixed(fields: &[Field], rows: &[Vec<Cell<'static>>]) -> (Vec<u8>, Vec<Vec<Range<usize>>>) {
    let (mut file, mut places) = (Vec::new(), Vec::new());
    let mut length = 0;
    for row in rows {
        let start = file.len();
        let nullable = fields.iter().zip(row).filter(|(field, _)| field.null);
        let is_there = std::iter::once(true);
        file.extend(bits(
            is_there.chain(nullable.map(|(_, cell)| cell.is_null())),
        ));
        for (field, cell) in fields.iter().zip(row) {
            if field.number().is_some() {
                file.extend(field.number_bytes(cell));
            } else {
                let mut text = text(cell).to_vec();
                text.resize(field.width(), b' ');
                file.extend(text);
            }
        }
        places.push(std::iter::once(start..file.len()).collect());
        length = file.len() - start;
        if places.len() == 2 {
            file.push(0);
            file.resize(file.len() + length - 1, 0xFF);
        }
    }
    assert!(length >= 7 || rows.is_empty());
    (file, places)
}

fn packed_row(fields: &[Field], row: &[Cell<'static>]) -> Vec<u8> {
    let mut left_out = Vec::new();
    let mut content = Vec::new();
    for (field, cell) in fields.iter().zip(row) {
        match field.kind {
            ColumnType::Char(_) => {
                let text = text(cell);
                let is_short = text.len() < field.width();
                left_out.push(is_short);
                content.extend(is_short.then_some(text.len() as u8));
                content.extend(text);
            }
            ColumnType::VarChar(_) => {
                let text = text(cell);
                match u8::try_from(text.len()) {
                    Ok(length) if length < 255 => content.push(length),
                    _ => {
                        content.push(255);
                        content.extend((text.len() as u16).to_be_bytes());
                    }
                }
                content.extend(text);
            }
            ColumnType::MediumText | ColumnType::MediumBlob => {
                let text = text(cell);
                left_out.push(text.is_empty());
                if !text.is_empty() {
                    content.extend(&(text.len() as u32).to_le_bytes()[..3]);
                    content.extend(text);
                }
            }
            _ => {
                let bytes = field.number_bytes(cell);
                let is_zero = bytes.iter().all(|&byte| byte == 0);
                left_out.push(is_zero);
                if !is_zero {
                    content.extend(bytes);
                }
            }
        }
    }
    let nullable = fields.iter().zip(row).filter(|(field, _)| field.null);
    let mut packed = bits(left_out.into_iter());
    packed.extend(bits(nullable.map(|(_, cell)| cell.is_null())));
    packed.extend(content);
    packed
}

/// A block without an offset yet.
enum Block {
    /// A row, or the rest of one, with lengths of two or three bytes.
    Last {
        row: usize,
        is_whole: bool,
        is_wide: bool,
        data: Vec<u8>,
    },
    /// A part that continues in the block with number `next`; the first part has the length of the
    /// whole row.
    Part {
        row: usize,
        whole: Option<usize>,
        data: Vec<u8>,
        next: usize,
    },
    /// A free block; its neighbors in the list are those before and after it in the file.
    Free(usize),
}

impl Block {
    /// Size in bytes of header and data.
    fn used(&self) -> usize {
        match self {
            Block::Last { is_wide, data, .. } => {
                let header = 3 + usize::from(*is_wide);
                let plain = header + data.len();
                // One more byte states how many are unused.
                if plain % 4 == 0 && plain >= 20 { plain } else { plain + 1 }
            }
            Block::Part { whole, data, .. } => 11 + 2 * usize::from(whole.is_some()) + data.len(),
            Block::Free(length) => *length,
        }
    }

    fn length(&self) -> usize {
        self.used().next_multiple_of(4).max(20)
    }
}

/// Writes rows in blocks: every fourth in three blocks, of which the second comes before or after
/// the first; every eighth with lengths of three bytes; free blocks in between.
fn packed(fields: &[Field], rows: &[Vec<Cell<'static>>]) -> (Vec<u8>, Vec<Vec<Range<usize>>>) {
    /// Sizes in bytes of a first part and of another that fill their blocks.
    const FIRST: usize = 7;
    const SECOND: usize = 9;
    let mut blocks = Vec::new();
    let mut ends = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let data = packed_row(fields, row);
        if n % 4 != 1 || data.len() <= FIRST + SECOND {
            let (is_whole, is_wide) = (true, n % 8 == 6);
            blocks.push(Block::Last {
                row: n,
                is_whole,
                is_wide,
                data,
            });
        } else {
            let (first, rest) = data.split_at(FIRST);
            let (second, last) = rest.split_at(SECOND);
            let at = blocks.len();
            let whole = Some(data.len());
            let is_behind = n % 8 == 1;
            let second_at = if is_behind { at + 1 } else { at };
            let first = Block::Part {
                row: n,
                whole,
                data: first.to_vec(),
                next: second_at,
            };
            // The number of the last block is filled in when all others are known.
            let second = Block::Part {
                row: n,
                whole: None,
                data: second.to_vec(),
                next: ends.len(),
            };
            blocks.extend(if is_behind { [first, second] } else { [second, first] });
            let (is_whole, is_wide) = (false, n % 8 == 5);
            ends.push(Block::Last {
                row: n,
                is_whole,
                is_wide,
                data: last.to_vec(),
            });
        }
        if n % 3 == 2 {
            blocks.push(Block::Free(20 + n % 2 * 36));
        }
    }
    let before = blocks.len();
    for block in &mut blocks {
        if let Block::Part {
            whole: None, next, ..
        } = block
        {
            *next += before;
        }
    }
    blocks.extend(ends);
    write(&blocks, rows.len())
}

fn write(blocks: &[Block], rows: usize) -> (Vec<u8>, Vec<Vec<Range<usize>>>) {
    let mut places = vec![Vec::new(); rows];
    let mut at = 0;
    let starts: Vec<usize> = blocks
        .iter()
        .map(|block| {
            at += block.length();
            at - block.length()
        })
        .collect();
    let free: Vec<usize> = starts
        .iter()
        .zip(blocks)
        .filter(|(_, block)| matches!(block, Block::Free(_)))
        .map(|(start, _)| *start)
        .collect();
    let mut file: Vec<u8> = Vec::new();
    for (block, &start) in blocks.iter().zip(&starts) {
        assert_eq!(file.len(), start);
        let short = |length: usize| u16::try_from(length).unwrap().to_be_bytes();
        let (row, data) = match block {
            Block::Last {
                row,
                is_whole,
                is_wide,
                data,
            } => {
                let has_unused = block.used() == data.len() + 4 + usize::from(*is_wide);
                let kind = 1 + u8::from(*is_wide) + 2 * u8::from(has_unused);
                file.push(if *is_whole { kind } else { kind + 6 });
                file.extend(&(data.len() as u32).to_be_bytes()[if *is_wide { 1 } else { 2 }..]);
                file.extend(has_unused.then(|| (block.length() - block.used()) as u8));
                (*row, data)
            }
            Block::Part {
                row,
                whole,
                data,
                next,
            } => {
                file.push(if whole.is_some() { 5 } else { 11 });
                file.extend(whole.map(short).into_iter().flatten());
                file.extend(short(data.len()));
                file.extend((starts[*next] as u64).to_be_bytes());
                (*row, data)
            }
            Block::Free(length) => {
                let n = free.iter().position(|&free| free == start).unwrap();
                let place = |n: Option<usize>| {
                    n.and_then(|n| free.get(n))
                        .map_or(u64::MAX, |&place| place as u64)
                };
                file.push(0);
                file.extend(&(*length as u32).to_be_bytes()[1..]);
                file.extend(place(n.checked_sub(1)).to_be_bytes());
                file.extend(place(Some(n + 1)).to_be_bytes());
                // Remains of old data.
                file.extend((0..length - 20).map(|n| n as u8 ^ 0x53));
                continue;
            }
        };
        file.extend(data);
        places[row].push(start..file.len());
        file.resize(start + block.length(), 0);
    }
    (file, places)
}

/// Returns a description with the fields of the format page, and zeros.
fn frm(fields: &[Field], is_packed: bool) -> Vec<u8> {
    const NAMES: usize = 3;
    const SCREENS: usize = 5;
    let nullable = fields.iter().filter(|field| field.null).count();
    let null_bytes = (nullable + usize::from(!is_packed)).div_ceil(8);
    let widths = fields.iter().map(Field::width);
    let length = null_bytes + widths.sum::<usize>();
    let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
    let mut file = vec![0xFE, 0x01, 9, 9];
    file.extend(short(NAMES));
    file.resize(16, 0);
    file.extend(short(length));
    file.resize(30, 0);
    file.extend(short(is_packed.into()));
    file.resize(64 + NAMES, 0);
    let form = (file.len() + 4 + 6) as u32;
    file.extend(form.to_le_bytes());
    file.resize(form as usize + 258, 0);
    file.extend(short(fields.len()));
    file.extend(short(SCREENS));
    file.resize(form as usize + 268, 0);
    let names = fields.iter().map(|field| field.name.len() + 1);
    file.extend(short(1 + names.sum::<usize>()));
    file.resize(form as usize + 288 + SCREENS, 0);
    let mut place = null_bytes + 1;
    for field in fields {
        let (kind, length, charset) = field.described();
        file.extend([0; 3]);
        file.extend(length.to_le_bytes());
        file.extend(&(place as u32).to_le_bytes()[..3]);
        file.extend(short(if field.null { 0x8000 } else { 0 }));
        file.extend([0, 0, 0, kind, charset, 0, 0]);
        place += field.width();
    }
    file.push(0xFF);
    for field in fields {
        file.extend(field.name.bytes());
        file.push(0xFF);
    }
    file.push(0);
    file
}
