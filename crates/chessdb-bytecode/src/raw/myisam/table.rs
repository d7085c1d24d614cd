//! A table with its rows in a file.

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::{Charset, Error, ErrorKind, ReadOptions, Result, Scratch, Severity};

use super::blocks;
use super::row_layout::RowLayout;
use super::scan::{self, BlockScan, FilePiece};
use crate::raw::frm::Frm;
use crate::raw::{Cell, TableRead};

/// A table with rows that are read directly from the file.
#[derive(Clone, Debug)]
pub struct MyisamTable<'a> {
    pub(super) columns: Vec<String>,
    pub(super) layout: RowLayout,
    charset: Charset,
    pub(super) file: Cow<'a, [u8]>,
    pub(super) role: Role,
    /// Offset of each row, in ascending order.
    pub(super) rows: Vec<u64>,
}

impl<'a> MyisamTable<'a> {
    /// Finds the rows of a table.
    ///
    /// # Errors
    ///
    /// Returns an error for a compressed table, or for columns that do not fit into the rows. In
    /// strict mode, also for the first damaged place.
    pub fn open(
        frm: &Frm,
        file: impl Into<Cow<'a, [u8]>>,
        role: Role,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<MyisamTable<'a>> {
        if frm.is_compressed() {
            let kind = ErrorKind::Unsupported("a table compressed with myisampack");
            return Err(Error::new(kind).at(Location::byte(role, 0)));
        }
        let mut table = MyisamTable {
            columns: frm.fields.iter().map(|field| field.name.clone()).collect(),
            layout: RowLayout::new(frm),
            charset: frm.charset(),
            file: file.into(),
            role,
            rows: Vec::new(),
        };
        if !table.layout.fits() {
            let kind = ErrorKind::Structure("the rows are too short for the columns");
            return Err(Error::new(kind).at(Location::byte(role, 0)));
        }
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
        // The lowest bit of a row means that the row exists (section 8).
        let present = rows
            .enumerate()
            .filter(|(_, row)| row.first().is_some_and(|byte| byte & 1 != 0));
        self.rows = present.map(|(n, _)| (n * length) as u64).collect();
        if rest > 0 {
            let start = (self.file.len() - rest) as u64;
            self.damaged(start, rest as u64, options, scratch)?;
        }
        Ok(())
    }

    /// Detects whether the primary key is packed, which depends on the server version.
    fn choose_packing(&mut self) {
        if let Some(plain) = self.layout.with_plain_key()
            && scan::has_plain_key(&self.file, &self.layout, &plain)
        {
            self.layout = plain;
        }
    }

    fn find_packed(&mut self, options: &ReadOptions, scratch: &mut Scratch) -> Result<()> {
        let mut rows = Vec::new();
        // A block has at least four bytes.
        let mut budget = (self.file.len() as u64).saturating_mul(8);
        self.scan().run(&mut |range, piece| {
            let length = range.end - range.start;
            match piece {
                FilePiece::Block(block, _) if block.row.is_some() => {
                    if !spend(&mut budget, &self.file, range.start) {
                        return self.damaged(range.start, length, options, scratch);
                    }
                    rows.push(range.start);
                    Ok(())
                }
                FilePiece::Block(block, false) if !block.is_deleted => {
                    let kind = ErrorKind::Structure("a continuation without a row");
                    let location = Location::byte(self.role, range.start);
                    scratch.deviation(options, Severity::Lost, kind, location)
                }
                FilePiece::Block(..) => Ok(()),
                FilePiece::Gap => self.damaged(range.start, length, options, scratch),
                FilePiece::NotItsOwn => {
                    let kind = ErrorKind::Structure("a block overlaps the row after it");
                    let location = Location::byte(self.role, range.start);
                    scratch.deviation(options, Severity::Repaired, kind, location)
                }
            }
        })?;
        self.rows = rows;
        Ok(())
    }

    /// Returns a scan for the blocks of the file.
    pub(super) fn scan(&self) -> BlockScan<'_> {
        BlockScan::new(&self.file, &self.layout)
    }

    fn damaged(
        &self,
        offset: u64,
        bytes: u64,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let kind = ErrorKind::mismatch("the number of bytes outside all rows", bytes, 0);
        let location = Location::byte(self.role, offset);
        scratch.deviation(options, Severity::Lost, kind, location)
    }
}

/// Subtracts the cost of a row from `budget`. Returns false if the budget is too small;
/// this costs something as well.
pub(super) fn spend(budget: &mut u64, file: &[u8], offset: u64) -> bool {
    let cost = blocks::cost(file, offset, *budget);
    *budget -= cost.unwrap_or(*budget / 2);
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
            let kind = ErrorKind::Structure("a row does not match the table's description");
            Error::new(kind).at(Location::byte(self.role, offset))
        })
    }

    fn charset(&self) -> Charset {
        self.charset
    }
}
