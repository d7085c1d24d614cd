//! Thrift's compact protocol, in which Parquet stores its descriptions: checks of the numbers that the
//! Parquet library trusts.
//!
//! The library reserves memory for the children of a column, and for the pages of an index, by the
//! number that the file states, and follows nested columns by recursion. A damaged number could
//! therefore abort the program, which no caller can catch.

/// The maximum depth of nested structs and lists in a description. Parquet's own have eight.
const DEPTH: usize = 32;
/// The maximum depth of nested columns. A table of games has four levels.
const COLUMNS: usize = 64;

/// The type codes of the protocol.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// The sizes in the header of a page, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PageSizes {
    pub(crate) uncompressed: u64,
    pub(crate) compressed: u64,
}

impl PageSizes {
    /// Reads the header of a page. Returns `None` if it is not one, or if a size is negative.
    pub(crate) fn read(mut bytes: &[u8]) -> Option<PageSizes> {
        let (mut uncompressed, mut compressed) = (None, None);
        fields(&mut bytes, 0, &mut |field, kind, bytes| {
            let size = match field {
                2 => &mut uncompressed,
                3 => &mut compressed,
                _ => return Some(false),
            };
            *size = Some(u64::try_from(integer(kind, bytes)?).ok()?);
            Some(true)
        })?;
        Some(PageSizes {
            uncompressed: uncompressed?,
            compressed: compressed?,
        })
    }
}

/// Checks the description of a table. Returns `None` if a list claims more elements than there are
/// bytes, or if its columns claim children that do not exist.
pub(crate) fn check_description(mut bytes: &[u8]) -> Option<()> {
    fields(&mut bytes, 0, &mut |field, kind, bytes| {
        if field != 2 || kind != LIST {
            return Some(false);
        }
        columns(bytes)?;
        Some(true)
    })
}

/// Checks the list of columns, in which each group precedes its children.
fn columns(bytes: &mut &[u8]) -> Option<()> {
    let (kind, mut remaining) = list(bytes)?;
    // The number of children that each open group still expects.
    let mut open: Vec<u64> = Vec::new();
    while remaining > 0 {
        remaining -= 1;
        let mut children = 0;
        if kind != STRUCT {
            return None;
        }
        fields(bytes, 0, &mut |field, kind, bytes| {
            if field != 5 {
                return Some(false);
            }
            children = u64::try_from(integer(kind, bytes)?).ok()?;
            Some(true)
        })?;
        // The root has no parent.
        if let Some(expected) = open.last_mut() {
            *expected = expected.checked_sub(1)?;
        }
        // Otherwise the library would reserve memory for columns that do not exist.
        if children > remaining {
            return None;
        }
        if children > 0 {
            open.push(children);
        }
        // The last child may end several groups at once.
        while open.pop_if(|expected| *expected == 0).is_some() {}
        if open.len() > COLUMNS {
            return None;
        }
    }
    Some(())
}

/// Checks the index of the pages of a column. Returns `None` if a list claims more elements than
/// there are bytes.
pub(crate) fn check_index(mut bytes: &[u8]) -> Option<()> {
    fields(&mut bytes, 0, &mut |_, _, _| Some(false))
}

/// Gets the number and the type of a field, and the bytes at its value.
type FieldVisitor<'a> = &'a mut dyn FnMut(i64, u8, &mut &[u8]) -> Option<bool>;

/// Reads a struct, and calls `each` with the number and the type of each field, and with the bytes
/// at its value. The callee returns true if it has read the value; otherwise the value is skipped.
///
/// Returns `None` at the first number that contradicts the bytes, at a field that does not come after
/// the one before, and at a type that Parquet does not use.
fn fields(bytes: &mut &[u8], depth: usize, each: FieldVisitor<'_>) -> Option<()> {
    let mut last = 0;
    loop {
        let head = byte(bytes)?;
        let kind = head & 0x0F;
        if kind == STOP {
            return Some(());
        }
        let field = match head >> 4 {
            0 => signed(bytes)?,
            // Four bits with the distance to the field before; 0 means that the number follows.
            step => last + i64::from(step),
        };
        if field <= last || field > i64::from(i16::MAX) {
            return None;
        }
        last = field;
        if !each(field, kind, bytes)? {
            skip(bytes, kind, depth)?;
        }
    }
}

/// Skips the value of a field.
fn skip(bytes: &mut &[u8], kind: u8, depth: usize) -> Option<()> {
    match kind {
        TRUE | FALSE => Some(()),
        BYTE => byte(bytes).map(|_| ()),
        I16 | I32 | I64 => number(bytes).map(|_| ()),
        DOUBLE => skip_bytes(bytes, 8),
        BINARY => {
            let length = number(bytes)?;
            skip_bytes(bytes, length)
        }
        // The recursion ends here, whatever the file nests.
        _ if depth >= DEPTH => None,
        LIST | SET => {
            let (kind, count) = list(bytes)?;
            (0..count).try_for_each(|_| match kind {
                // In a list a truth value is a byte; as a field it is in the type.
                TRUE | FALSE => skip_bytes(bytes, 1),
                _ => skip(bytes, kind, depth + 1),
            })
        }
        STRUCT => fields(bytes, depth + 1, &mut |_, _, _| Some(false)),
        _ => None,
    }
}

/// Reads the beginning of a list: the type of its elements, and their number, each of which needs a
/// byte.
fn list(bytes: &mut &[u8]) -> Option<(u8, u64)> {
    let head = byte(bytes)?;
    let count = match head >> 4 {
        // Four bits for up to 14 elements; 15 means that the number follows.
        15 => number(bytes)?,
        count => count.into(),
    };
    // An element takes at least a byte, so a greater number is impossible.
    (count <= bytes.len() as u64).then_some((head & 0x0F, count))
}

/// Reads the value of a field that must be a number of 32 bits.
fn integer(kind: u8, bytes: &mut &[u8]) -> Option<i32> {
    match kind {
        I32 => i32::try_from(signed(bytes)?).ok(),
        _ => None,
    }
}

/// Reads a number whose lowest bit is the sign.
fn signed(bytes: &mut &[u8]) -> Option<i64> {
    let value = number(bytes)?;
    Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
}

/// Reads a number with seven bits per byte, lowest bits first (LEB128).
pub(crate) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(bytes)?;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(byte)
}

fn skip_bytes(bytes: &mut &[u8], count: u64) -> Option<()> {
    *bytes = bytes.get(usize::try_from(count).ok()?..)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group of columns with `children`, or a column without.
    fn column(children: Option<u8>) -> Vec<u8> {
        // The name "m" (field 4), the children (field 5).
        let mut bytes = vec![0x48, 1, b'm'];
        bytes.extend(children.into_iter().flat_map(|count| [0x15, count << 1]));
        bytes.push(STOP);
        bytes
    }

    /// The description of a table: its version (field 1) and columns (field 2).
    fn description(columns: &[Option<u8>]) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, 0xFC, columns.len() as u8];
        bytes.extend(columns.iter().flat_map(|&children| column(children)));
        bytes.push(STOP);
        bytes
    }

    #[test]
    fn column_children_are_checked() {
        let table = description(&[Some(2), Some(1), None, None]);
        assert_eq!(check_description(&table), Some(()));
        let table = description(&[Some(3), Some(1), None]);
        assert_eq!(check_description(&table), None);
        let table = description(&[Some(1), Some(60)]);
        assert_eq!(check_description(&table), None);
    }

    #[test]
    fn nested_columns_have_a_limit() {
        let nested = |depth| {
            let mut columns = vec![Some(1); depth];
            columns.push(None);
            check_description(&description(&columns))
        };
        assert_eq!(nested(COLUMNS), Some(()));
        assert_eq!(nested(COLUMNS + 1), None);
    }

    #[test]
    fn nested_structs_have_a_limit() {
        let nested = |depth| [vec![0x1C; depth], vec![STOP; depth + 1]].concat();
        assert_eq!(check_index(&nested(DEPTH)), Some(()));
        assert_eq!(check_index(&nested(DEPTH + 1)), None);
    }

    #[test]
    fn list_lengths_must_fit_the_bytes() {
        // Two pages, of which one has a struct; then the same with a claim of 2^31 - 1.
        assert_eq!(check_index(&[0x19, 0x2C, 0x15, 2, 0, 0, 0]), Some(()));
        let many = [0x19, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 7, 0x15, 2, 0, 0];
        assert_eq!(check_index(&many), None);
    }

    #[test]
    fn page_sizes_are_read() {
        let header = [0x15, 0, 0x15, 200, 1, 0x15, 100, 0x2C, 0x15, 2, 0, 0];
        let sizes = PageSizes {
            uncompressed: 100,
            compressed: 50,
        };
        assert_eq!(PageSizes::read(&header), Some(sizes));
        // Negative, repeated with the number of the field in full, missing.
        assert_eq!(PageSizes::read(&[0x25, 1, 0x15, 100, 0]), None);
        assert_eq!(PageSizes::read(&[0x25, 2, 0x15, 100, 0x05, 4, 8, 0]), None);
        assert_eq!(PageSizes::read(&[0x25, 2, 0]), None);
    }
}
