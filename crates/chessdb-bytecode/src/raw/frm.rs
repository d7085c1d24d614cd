//! The description of a MyISAM table: its `.frm` file, as written by MySQL 4.1 to 5.7 and MariaDB
//! (docs/formats/bytecode.md, section 8).

mod map;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::{Charset, Error, ErrorKind, Result};
use nom::bytes::complete::{tag, take};
use nom::number::complete::{le_u8, le_u16, le_u24, le_u32};
use nom::{IResult, Parser as _};

/// A table's columns and the layout of its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frm {
    /// The columns in order.
    pub fields: Vec<FrmField>,
    /// Size in bytes of a row that is not packed.
    pub record_length: u16,
    /// Bits for packed rows (otherwise all have the same length), checksums, compression.
    pub options: u16,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrmField {
    /// The name.
    pub name: String,
    /// The type, in MySQL's numbering.
    pub kind: u8,
    /// The length; for texts in bytes.
    pub length: u16,
    /// Offset in a row that is not packed, from 0.
    pub position: u32,
    /// Whether it may be NULL.
    pub null: bool,
    /// MySQL's number of the charset.
    pub charset: u16,
}

/// `pack_flag`: the column may be NULL.
const MAYBE_NULL: u16 = 0x8000;
/// Rows are packed.
const PACK_RECORD: u16 = 1;
/// Rows are compressed by `myisampack`.
const COMPRESSED: u16 = 4;
/// Rows end with a checksum.
const CHECKSUM: u16 = 32;

/// Maximum number of columns in MySQL.
const MOST_FIELDS: u16 = 4096;
/// Size in bytes of the form part in the middle.
const FORM: usize = 288;

/// Size in bytes of the part at the beginning.
const HEAD: usize = 64;
/// Size in bytes of a column description.
const FIELD: usize = 17;

/// The part at the beginning: length of the names section, row length, options.
struct Header {
    names: u16,
    record_length: u16,
    options: u16,
}

fn header(bytes: &[u8]) -> IResult<&[u8], Header> {
    let (rest, (_, _, names, _, record_length)) = (
        tag(&[0xFE, 0x01][..]),
        take(2usize),
        le_u16,
        take(10usize),
        le_u16,
    )
        .parse(bytes)?;
    let (rest, (_, options, _)) = (take(12usize), le_u16, take(32usize)).parse(rest)?;
    let header = Header {
        names,
        record_length,
        options,
    };
    Ok((rest, header))
}

/// Reads the counts in the form part: columns, bytes to skip, bytes of the column names.
fn form(bytes: &[u8]) -> IResult<&[u8], (u16, u16, u16)> {
    let (rest, (_, fields, screens, _, names)) =
        (take(258usize), le_u16, le_u16, take(6usize), le_u16).parse(bytes)?;
    Ok((rest, (fields, screens, names)))
}

fn field(bytes: &[u8]) -> IResult<&[u8], FrmField> {
    let (rest, (_, length, position, flags, _)) =
        (take(3usize), le_u16, le_u24, le_u16, le_u8).parse(bytes)?;
    let (rest, (charset_high, _, kind, charset_low, _)) =
        (le_u8, le_u8, le_u8, le_u8, le_u16).parse(rest)?;
    let field = FrmField {
        name: String::new(),
        kind,
        length,
        position: position.saturating_sub(1),
        null: flags & MAYBE_NULL != 0,
        charset: u16::from_be_bytes([charset_high, charset_low]),
    };
    Ok((rest, field))
}

/// The locations of the parts of a description.
struct FrmParts {
    header: Header,
    /// Offset of the form part.
    form: usize,
    /// Number of columns, and offset of the first column description.
    count: u16,
    fields: usize,
    /// Size in bytes of the names after the columns.
    name_length: u16,
}

impl FrmParts {
    fn find(bytes: &[u8]) -> Option<FrmParts> {
        let (rest, header) = header(bytes).ok()?;
        let (_, (_, form_start)) = (take::<_, _, nom::error::Error<&[u8]>>(header.names), le_u32)
            .parse(rest)
            .ok()?;
        let start = form_start as usize;
        let (_, (count, screens, name_length)) = form(bytes.get(start..)?).ok()?;
        (count <= MOST_FIELDS).then_some(())?;
        Some(FrmParts {
            header,
            form: start,
            count,
            fields: start.checked_add(FORM)?.checked_add(screens.into())?,
            name_length,
        })
    }

    /// Returns the names, each between two marks; the first byte is the mark.
    fn names<'b>(&self, bytes: &'b [u8]) -> Option<impl Iterator<Item = &'b [u8]> + use<'b>> {
        let start = self.names_start()?;
        let names = bytes.get(start..start.checked_add(self.name_length.into())?)?;
        let &mark = names.first()?;
        Some(names.split(move |&byte| byte == mark).skip(1))
    }

    fn names_start(&self) -> Option<usize> {
        self.fields.checked_add(usize::from(self.count) * FIELD)
    }
}

impl Frm {
    /// Reads a description.
    ///
    /// # Errors
    ///
    /// Returns an error for another kind of file, or one that is cut.
    pub fn parse(bytes: &[u8], file: Role) -> Result<Frm> {
        if !bytes.starts_with(&[0xFE, 0x01]) {
            let expected = &[0xFE, 0x01];
            return Err(Error::new(ErrorKind::BadMagic { expected }).at(Location::byte(file, 0)));
        }
        Frm::parse_parts(bytes).ok_or_else(|| {
            let what = "the description of a table";
            let had = bytes.len() as u64;
            let needed = had + 1;
            let kind = ErrorKind::Truncated { what, needed, had };
            Error::new(kind).at(Location::byte(file, had))
        })
    }

    fn parse_parts(bytes: &[u8]) -> Option<Frm> {
        let places = FrmParts::find(bytes)?;
        let mut rest = bytes.get(places.fields..)?;
        let mut fields = Vec::new();
        for _ in 0..places.count {
            let (after, found) = field(rest).ok()?;
            fields.push(found);
            rest = after;
        }
        for (field, name) in fields.iter_mut().zip(places.names(bytes)?) {
            field.name = String::from_utf8_lossy(name).into_owned();
        }
        Some(Frm {
            fields,
            record_length: places.header.record_length,
            options: places.header.options,
        })
    }

    /// Returns whether rows are packed; otherwise all have the same length.
    pub fn is_packed(&self) -> bool {
        self.options & PACK_RECORD != 0
    }

    /// Returns whether rows are compressed, which only `myisampack` does.
    pub fn is_compressed(&self) -> bool {
        self.options & COMPRESSED != 0
    }

    /// Returns whether each row ends with a checksum.
    pub fn has_checksums(&self) -> bool {
        self.options & CHECKSUM != 0
    }

    /// Returns the charset assumed for texts of the table that are not valid UTF-8.
    pub fn charset(&self) -> Charset {
        let texts = self.fields.iter().filter(|field| field.is_text());
        let latin = |field: &FrmField| matches!(field.charset, 5 | 8 | 15 | 31 | 47 | 48 | 49 | 94);
        // MySQL's latin1 is windows-1252.
        match texts.map(latin).reduce(|all, one| all && one) {
            Some(true) => Charset::WINDOWS_1252,
            _ => Charset::LATIN_1,
        }
    }
}

impl FrmField {
    fn is_text(&self) -> bool {
        matches!(self.kind, 15 | 249..=254) && self.charset != 63
    }
}
