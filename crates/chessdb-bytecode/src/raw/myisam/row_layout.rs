//! The layout of the rows of a table (docs/formats/bytecode.md, section 8).

use std::borrow::Cow;

use super::column_format::{ColumnFormat, Packing};
use crate::raw::Cell;
use crate::raw::frm::Frm;

/// The properties common to all rows.
#[derive(Clone, Debug)]
pub(super) struct RowLayout {
    pub(super) values: Vec<ColumnFormat>,
    /// Size in bytes of a row that is not packed; `None` for packed rows.
    pub(super) fixed: Option<usize>,
    pub(super) null_bytes: usize,
    checksum: bool,
}

/// Minimum row size: MyISAM needs these bytes for its data about deleted rows.
const SHORTEST_ROW: usize = 7;

/// Maximum number of columns without bytes, such as CHAR(0).
const MOST_EMPTY: usize = 64;

/// A part of a packed row; the parts are consecutive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RowPart<'t> {
    /// The bits of omitted or shortened columns.
    Bits,
    /// The bits of NULL columns.
    Nulls,
    /// The next column.
    Column(Cell<'t>),
    /// The byte at the end.
    Checksum,
}

impl RowLayout {
    pub(super) fn new(frm: &Frm) -> RowLayout {
        // In a row that is not packed, the first bit states whether the row exists.
        let mut next = usize::from(!frm.is_packed());
        let formats = frm.fields.iter().map(|field| {
            let null = field.null.then_some(next);
            next += usize::from(field.null);
            ColumnFormat::new(field, null)
        });
        let values: Vec<_> = formats.collect();
        let fixed = usize::from(frm.record_length).max(SHORTEST_ROW);
        RowLayout {
            values,
            fixed: (!frm.is_packed()).then_some(fixed),
            null_bytes: next.div_ceil(8),
            checksum: frm.has_checksums(),
        }
    }

    /// Returns whether rows have space for the columns. Otherwise they could require much more work
    /// than they have bytes.
    pub(super) fn fits(&self) -> bool {
        let lengths = || self.values.iter().map(|value| value.length);
        let empty = lengths().filter(|&length| length == 0).count();
        empty <= MOST_EMPTY
            && self
                .fixed
                .is_none_or(|fixed| lengths().sum::<usize>() <= fixed)
    }

    /// Returns the layout with a primary key that is not packed, or `None` if this layout already
    /// has one.
    pub(super) fn with_plain_key(&self) -> Option<RowLayout> {
        let mut plain = self.clone();
        let key = plain.values.first_mut()?;
        (key.packing == Packing::Zeros).then(|| key.packing = Packing::Plain)?;
        Some(plain)
    }

    /// Reads the cells of a row. Returns `None` if they do not fill it exactly.
    pub(super) fn cells<'t>(&self, record: Cow<'t, [u8]>, row: &mut Vec<Cell<'t>>) -> Option<()> {
        row.clear();
        match record {
            Cow::Borrowed(record) => self.cells_of(record, row),
            Cow::Owned(record) => {
                let mut cells = Vec::new();
                self.cells_of(&record, &mut cells)?;
                for cell in &cells {
                    row.push(cell.owned());
                }
                Some(())
            }
        }
    }

    fn cells_of<'t>(&self, record: &'t [u8], row: &mut Vec<Cell<'t>>) -> Option<()> {
        if self.fixed.is_none() {
            return self.walk(record, &mut |part, _| {
                if let RowPart::Column(cell) = part {
                    row.push(cell);
                }
            });
        }
        for n in 0..self.values.len() {
            row.push(self.fixed_cell(record, n)?);
        }
        Some(())
    }

    /// Returns column `n` of a row that is not packed.
    pub(super) fn fixed_cell<'t>(&self, record: &'t [u8], n: usize) -> Option<Cell<'t>> {
        let nulls = record.get(..self.null_bytes)?;
        let value = self.values.get(n)?;
        Some(null_or(value.of_fixed(record)?, value, nulls))
    }

    /// Calls `visit` with each part of a packed row and its size in bytes. Returns `None` if
    /// something does not fit or bytes are left over.
    pub(super) fn walk<'t>(
        &self,
        record: &'t [u8],
        visit: &mut impl FnMut(RowPart<'t>, usize),
    ) -> Option<()> {
        let bits = self.values.iter().filter(|value| value.has_bit()).count();
        let (bits, rest) = record.split_at_checked(bits.div_ceil(8))?;
        visit(RowPart::Bits, bits.len());
        let (nulls, mut rest) = rest.split_at_checked(self.null_bytes)?;
        visit(RowPart::Nulls, nulls.len());
        let mut next = 0;
        for value in &self.values {
            let bit = value.has_bit() && {
                next += 1;
                is_set(bits, next - 1)
            };
            let before = rest.len();
            let cell = value.unpack(&mut rest, bit)?;
            visit(
                RowPart::Column(null_or(cell, value, nulls)),
                before - rest.len(),
            );
        }
        (rest.len() == usize::from(self.checksum)).then(|| visit(RowPart::Checksum, rest.len()))
    }
}

fn is_set(bits: &[u8], n: usize) -> bool {
    bits.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 != 0)
}

fn null_or<'t>(cell: Cell<'t>, value: &ColumnFormat, nulls: &[u8]) -> Cell<'t> {
    match value.null {
        Some(bit) if is_set(nulls, bit) => Cell::Null,
        _ => cell,
    }
}
