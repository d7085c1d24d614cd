//! A packed table in memory.

use chessdb_core::{Charset, Date, ErrorKind, Result};

use super::{Cell, TableRead};

const NULL: u8 = 0;
const INT: u8 = 1;
const BYTES: u8 = 2;
const DATE: u8 = 3;
/// Tag of several NULL cells and their count; rows of a script may omit most columns.
const NULLS: u8 = 4;
/// First tag of a number in 1 to 8 bytes, with the byte count less 1 added; in tables only.
const SHORT_INT: u8 = 0x10;
const LONGEST_INT: u8 = SHORT_INT + 7;
/// First tag of bytes, with the count (up to BF) added; in tables only.
const SHORT_BYTES: u8 = 0x40;

/// A table in memory, into which other containers are read. Cells are stored consecutively in one
/// buffer, so that millions of rows take little more space than their content.
#[derive(Clone, Debug)]
pub struct MemoryTable {
    columns: Vec<String>,
    charset: Charset,
    cells: Vec<u8>,
    /// Offset of the end of each row.
    ends: Vec<usize>,
}

/// A row under construction; it is added by [`MemoryRow::finish`].
#[derive(Debug)]
pub struct MemoryRow<'t> {
    table: &'t mut MemoryTable,
    /// Number of NULL cells in the last packed item.
    nulls: u8,
}

impl MemoryTable {
    /// Creates a table without rows.
    pub fn new(columns: Vec<String>, charset: Charset) -> MemoryTable {
        MemoryTable {
            columns,
            charset,
            cells: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a column, which is NULL in all rows so far.
    pub(crate) fn add_column(&mut self, name: String) {
        self.columns.push(name);
    }

    /// Begins a row.
    pub fn begin(&mut self) -> MemoryRow<'_> {
        // A row that was begun but not finished has left its cells.
        self.cells.truncate(self.ends.last().copied().unwrap_or(0));
        MemoryRow {
            table: self,
            nulls: 0,
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[Cell<'_>]) {
        let mut begun = self.begin();
        for cell in row {
            begun.push(cell);
        }
        begun.finish();
    }
}

impl MemoryRow<'_> {
    /// Adds a cell.
    #[inline]
    pub fn push(&mut self, cell: &Cell<'_>) {
        let cells = &mut self.table.cells;
        if *cell != Cell::Null {
            self.nulls = 0;
            pack_short(cell, cells);
            return;
        }
        if self.nulls == 0 || self.nulls == u8::MAX {
            self.nulls = 0;
            cells.extend_from_slice(&[NULLS, 0]);
        }
        self.nulls += 1;
        if let Some(count) = cells.last_mut() {
            *count = self.nulls;
        }
    }

    /// Adds the row to the table.
    pub fn finish(self) {
        let end = self.table.cells.len();
        self.table.ends.push(end);
    }
}

fn pack(cell: &Cell<'_>, cells: &mut Vec<u8>) {
    match cell {
        Cell::Null => cells.push(NULL),
        Cell::Int(number) => {
            cells.push(INT);
            cells.extend_from_slice(&number.to_le_bytes());
        }
        Cell::Bytes(bytes) => {
            cells.push(BYTES);
            cells.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            cells.extend_from_slice(bytes);
        }
        Cell::Date(date) => {
            cells.push(DATE);
            cells.extend_from_slice(&date.year.to_le_bytes());
            cells.extend_from_slice(&[date.month, date.day]);
        }
    }
}

/// Packs a cell like [`pack`], in less space: most numbers and texts are small. This form is
/// internal to tables.
fn pack_short(cell: &Cell<'_>, cells: &mut Vec<u8>) {
    match cell {
        Cell::Int(number) => {
            // The bits that do not repeat the sign, and the sign.
            let bits = 65 - (number ^ number >> 63).leading_zeros();
            let count = bits.div_ceil(8).clamp(1, 8) as usize;
            cells.push(SHORT_INT + count as u8 - 1);
            let bytes = number.to_le_bytes();
            cells.extend_from_slice(bytes.get(..count).unwrap_or(&bytes));
        }
        Cell::Bytes(bytes) if bytes.len() <= usize::from(u8::MAX - SHORT_BYTES) => {
            cells.push(SHORT_BYTES + bytes.len() as u8);
            cells.extend_from_slice(bytes);
        }
        _ => pack(cell, cells),
    }
}

/// Packs cells for extras.
pub(crate) fn pack_all(cells: &[Cell<'_>]) -> Box<[u8]> {
    let mut packed = Vec::new();
    for cell in cells {
        pack(cell, &mut packed);
    }
    packed.into()
}

/// Unpacks the cells of [`pack_all`].
pub(crate) fn unpack_all(mut packed: &[u8]) -> Vec<Cell<'_>> {
    let mut cells = Vec::new();
    while let Some((cell, rest)) = split(packed) {
        cells.push(cell);
        packed = rest;
    }
    cells
}

/// Returns the first cell and the bytes after it.
#[inline]
fn split(cells: &[u8]) -> Option<(Cell<'_>, &[u8])> {
    let (&kind, rest) = cells.split_first()?;
    match kind {
        INT => {
            let (number, rest) = rest.split_first_chunk()?;
            Some((Cell::Int(i64::from_le_bytes(*number)), rest))
        }
        BYTES => {
            let (length, rest) = rest.split_first_chunk()?;
            let length = u64::from_le_bytes(*length) as usize;
            let (bytes, rest) = rest.split_at_checked(length)?;
            Some((Cell::bytes(bytes), rest))
        }
        SHORT_INT..=LONGEST_INT => {
            let (bytes, rest) = rest.split_at_checked(usize::from(kind - SHORT_INT) + 1)?;
            let sign = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
            // The omitted bytes repeat the sign.
            let mut number = [if sign { 0xFF } else { 0 }; 8];
            for (to, from) in number.iter_mut().zip(bytes) {
                *to = *from;
            }
            Some((Cell::Int(i64::from_le_bytes(number)), rest))
        }
        SHORT_BYTES.. => {
            let (bytes, rest) = rest.split_at_checked((kind - SHORT_BYTES).into())?;
            Some((Cell::bytes(bytes), rest))
        }
        DATE => {
            let (&[low, high, month, day], rest) = rest.split_first_chunk()?;
            let date = Date::new(u16::from_le_bytes([low, high]), month, day);
            Some((Cell::Date(date), rest))
        }
        _ => Some((Cell::Null, rest)),
    }
}

impl TableRead for MemoryTable {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    fn row<'t>(&'t self, n: u32, row: &mut Vec<Cell<'t>>) -> Result<()> {
        self.first_cells(n, usize::MAX, row)
    }

    fn first_cells<'t>(&'t self, n: u32, cells: usize, row: &mut Vec<Cell<'t>>) -> Result<()> {
        row.clear();
        row.reserve(self.columns.len());
        let index = n as usize;
        let start = index.checked_sub(1).and_then(|n| self.ends.get(n)).copied();
        let end = self.ends.get(index).copied();
        let mut rest = end
            .and_then(|end| self.cells.get(start.unwrap_or(0)..end))
            .ok_or(ErrorKind::Structure("no such row"))?;
        while row.len() < cells {
            if let [NULLS, count, after @ ..] = rest {
                row.resize(row.len() + usize::from(*count), Cell::Null);
                rest = after;
                continue;
            }
            let Some((cell, after)) = split(rest) else {
                break;
            };
            row.push(cell);
            rest = after;
        }
        Ok(())
    }

    fn charset(&self) -> Charset {
        self.charset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_of_any_size_come_back() {
        let mut table = MemoryTable::new(vec!["a".to_owned()], Charset::LATIN_1);
        let mut rows = Vec::new();
        for shift in 0..64 {
            for number in [1_i64 << shift, (1_i64 << shift).wrapping_sub(1)] {
                rows.extend([number, number.wrapping_neg()].map(Cell::Int));
            }
        }
        let long = vec![7; 300];
        rows.extend((0..300).map(|length| Cell::bytes(&long[..length])));
        for cell in &rows {
            table.push(std::slice::from_ref(cell));
        }
        let mut row = Vec::new();
        for (n, cell) in rows.iter().enumerate() {
            table.row(n as u32, &mut row).unwrap();
            assert_eq!(row, std::slice::from_ref(cell));
        }
        // A number below 128 takes two bytes.
        let mut cells = Vec::new();
        pack_short(&Cell::Int(-128), &mut cells);
        assert_eq!(cells, [SHORT_INT, 0x80]);
    }

    #[test]
    fn rows_come_back() {
        let columns = vec!["a".to_owned(), "b".to_owned()];
        let mut table = MemoryTable::new(columns, Charset::LATIN_1);
        let rows = [
            vec![Cell::Null, Cell::Int(i64::MIN)],
            vec![],
            vec![Cell::bytes(b"x\0y"), Cell::Date(Date::new(2001, 2, 3))],
            vec![Cell::Null; 600],
            [vec![Cell::Null; 256], vec![Cell::Int(4)]].concat(),
        ];
        for row in &rows {
            table.push(row);
        }
        table.begin().push(&Cell::Int(1));
        table.push(&rows[0]);
        assert_eq!(table.len(), 6);
        let mut row = Vec::new();
        for (n, expected) in rows.iter().chain([&rows[0]]).enumerate() {
            table.row(n as u32, &mut row).unwrap();
            assert_eq!(row, *expected);
            for cells in [0, 1, 2, 256, 257] {
                table.first_cells(n as u32, cells, &mut row).unwrap();
                let least = cells.min(expected.len());
                assert!(
                    row.len() >= least && expected.starts_with(&row),
                    "{n} {cells}"
                );
            }
        }
        assert!(table.row(6, &mut row).is_err());
    }
}
