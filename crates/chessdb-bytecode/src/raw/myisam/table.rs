//! A table in its file.

use std::borrow::Cow;

use chessdb_core::{
    Charset, Error, ErrorKind, Location, ReadOptions, Result, Role, Scratch, Severity,
};

use super::blocks::{self, Block};
use super::values::{Packing, Value};
use crate::raw::frm::Frm;
use crate::raw::{Cell, TableRead};

/// A table of which rows are read where they lie.
#[derive(Clone, Debug)]
pub struct MyisamTable<'a> {
    columns: Vec<String>,
    layout: Layout,
    charset: Charset,
    file: Cow<'a, [u8]>,
    role: Role,
    /// Where each row begins.
    rows: Vec<u64>,
}

/// What is known of every row.
#[derive(Clone, Debug)]
struct Layout {
    values: Vec<Value>,
    /// Bytes of a row that is not packed; none for packed ones.
    fixed: Option<usize>,
    null_bytes: usize,
    checksum: bool,
}

/// MyISAM needs so many bytes for what it writes into a row that was deleted.
const SHORTEST_ROW: usize = 7;

impl Layout {
    fn new(frm: &Frm) -> Layout {
        // In a row that is not packed the first bit says whether it is there at all.
        let mut next = usize::from(!frm.is_packed());
        let values = frm.fields.iter().map(|field| {
            let null = field.null.then_some(next);
            next += usize::from(field.null);
            Value::new(field, null)
        });
        let values: Vec<_> = values.collect();
        let fixed = usize::from(frm.record_length).max(SHORTEST_ROW);
        Layout {
            values,
            fixed: (!frm.is_packed()).then_some(fixed),
            null_bytes: next.div_ceil(8),
            checksum: frm.has_checksums(),
        }
    }

    /// The cells of a row; none if they do not fill it exactly.
    fn cells<'t>(&self, record: Cow<'t, [u8]>, row: &mut Vec<Cell<'t>>) -> Option<()> {
        row.clear();
        match record {
            Cow::Borrowed(record) => self.cells_of(record, row),
            Cow::Owned(record) => {
                let mut cells = Vec::new();
                self.cells_of(&record, &mut cells)?;
                for cell in cells {
                    row.push(own(cell));
                }
                Some(())
            }
        }
    }

    fn cells_of<'t>(&self, record: &'t [u8], row: &mut Vec<Cell<'t>>) -> Option<()> {
        if self.fixed.is_some() {
            let nulls = record.get(..self.null_bytes)?;
            for value in &self.values {
                let cell = value.of_fixed(record)?;
                row.push(null_or(cell, value, nulls));
            }
            return Some(());
        }
        let bits = self.values.iter().filter(|value| value.has_bit()).count();
        let (bits, rest) = record.split_at_checked(bits.div_ceil(8))?;
        let (nulls, mut rest) = rest.split_at_checked(self.null_bytes)?;
        let mut next = 0;
        for value in &self.values {
            let bit = value.has_bit() && {
                next += 1;
                is_set(bits, next - 1)
            };
            let cell = value.unpack(&mut rest, bit)?;
            row.push(null_or(cell, value, nulls));
        }
        (rest.len() == usize::from(self.checksum)).then_some(())
    }
}

fn is_set(bits: &[u8], n: usize) -> bool {
    bits.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 != 0)
}

fn null_or<'t>(cell: Cell<'t>, value: &Value, nulls: &[u8]) -> Cell<'t> {
    match value.null {
        Some(bit) if is_set(nulls, bit) => Cell::Null,
        _ => cell,
    }
}

fn own(cell: Cell<'_>) -> Cell<'static> {
    match cell {
        Cell::Null => Cell::Null,
        Cell::Int(number) => Cell::Int(number),
        Cell::Bytes(bytes) => Cell::Bytes(bytes.into_owned().into()),
        Cell::Date(date) => Cell::Date(date),
    }
}

impl<'a> MyisamTable<'a> {
    /// Finds the rows of a table.
    ///
    /// # Errors
    ///
    /// Compressed tables; in strict mode the first damaged place.
    pub fn open(
        frm: &Frm,
        file: impl Into<Cow<'a, [u8]>>,
        role: Role,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<MyisamTable<'a>> {
        if frm.is_compressed() {
            let kind = ErrorKind::Unsupported("a table compressed by myisampack");
            return Err(Error::new(kind).at(Location::byte(role, 0)));
        }
        let mut table = MyisamTable {
            columns: frm.fields.iter().map(|field| field.name.clone()).collect(),
            layout: Layout::new(frm),
            charset: frm.charset(),
            file: file.into(),
            role,
            rows: Vec::new(),
        };
        match table.layout.fixed {
            Some(length) => table.find_fixed(length, options, scratch)?,
            None => {
                table.choose_packing();
                table.find_packed(options, scratch)?;
            }
        }
        Ok(table)
    }

    fn find_fixed(
        &mut self,
        length: usize,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let rows = self.file.chunks_exact(length);
        let rest = rows.remainder().len();
        let there = rows
            .enumerate()
            .filter(|(_, row)| row.first().is_some_and(|byte| byte & 1 != 0));
        self.rows = there.map(|(n, _)| (n * length) as u64).collect();
        if rest > 0 {
            let at = (self.file.len() - rest) as u64;
            self.damaged(at, rest as u64, options, scratch)?;
        }
        Ok(())
    }

    /// Old servers pack primary keys like any number, some do not: the first row decides.
    fn choose_packing(&mut self) {
        let mut offset = 0;
        while let Some(block) = Block::at(&self.file, offset) {
            if block.row.is_some() {
                break;
            }
            offset += block.length();
        }
        if self.is_row(offset) {
            return;
        }
        let usual = self.layout.clone();
        if let Some(first) = self.layout.values.first_mut()
            && first.packing == Packing::Zeros
        {
            first.packing = Packing::Plain;
        }
        if !self.is_row(offset) {
            self.layout = usual;
        }
    }

    /// Whether a row begins here that can be read to its last byte.
    fn is_row(&self, offset: u64) -> bool {
        let mut row = Vec::new();
        blocks::row(&self.file, offset)
            .and_then(|record| self.layout.cells(record, &mut row))
            .is_some()
    }

    fn find_packed(&mut self, options: &ReadOptions, scratch: &mut Scratch) -> Result<()> {
        let mut rows = Vec::new();
        let mut offset = 0;
        // Where the last place began at which no block was found.
        let mut gap: Option<u64> = None;
        let end = self.file.len() as u64;
        // A block has four bytes at least.
        let mut left = end.saturating_mul(8);
        let mut left_to_try = left;
        while offset < end {
            let block = Block::at(&self.file, offset).filter(|block| {
                // Behind a damaged place only a row that can be read is believed.
                gap.is_none()
                    || block.row.is_some()
                        && spend(&mut left_to_try, &self.file, offset)
                        && self.is_row(offset)
            });
            let Some(block) = block else {
                gap.get_or_insert(offset);
                offset += 4;
                continue;
            };
            if let Some(start) = gap.take() {
                self.damaged(start, offset - start, options, scratch)?;
            }
            if block.row.is_some() {
                if spend(&mut left, &self.file, offset) {
                    rows.push(offset);
                } else {
                    self.damaged(offset, block.length(), options, scratch)?;
                }
            }
            offset = offset.saturating_add(block.length());
        }
        if let Some(start) = gap {
            self.damaged(start, end - start, options, scratch)?;
        }
        self.rows = rows;
        Ok(())
    }

    fn damaged(
        &self,
        offset: u64,
        found: u64,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let kind = ErrorKind::Mismatch {
            what: "bytes that are no rows",
            found,
            expected: 0,
        };
        let at = Location::byte(self.role, offset);
        scratch.deviation(options, Severity::Lost, kind, at)
    }
}

/// Takes what a row costs off what is left; false if that is too little. Finding that out costs
/// something as well.
fn spend(left: &mut u64, file: &[u8], offset: u64) -> bool {
    let cost = blocks::cost(file, offset, *left);
    *left -= cost.unwrap_or(*left / 2);
    cost.is_some()
}

impl TableRead for MyisamTable<'_> {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn len(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    fn row<'t>(&'t self, n: u32, row: &mut Vec<Cell<'t>>) -> Result<()> {
        row.clear();
        let offset = *self
            .rows
            .get(n as usize)
            .ok_or(ErrorKind::Structure("no such row"))?;
        let record = match self.layout.fixed {
            Some(length) => usize::try_from(offset)
                .ok()
                .and_then(|start| self.file.get(start..start.checked_add(length)?))
                .map(Cow::Borrowed),
            None => blocks::row(&self.file, offset),
        };
        let read = record.and_then(|record| self.layout.cells(record, row));
        read.ok_or_else(|| {
            let kind = ErrorKind::Structure("a row that does not follow the table's description");
            Error::new(kind).at(Location::byte(self.role, offset))
        })
    }

    fn charset(&self) -> Charset {
        self.charset
    }
}
