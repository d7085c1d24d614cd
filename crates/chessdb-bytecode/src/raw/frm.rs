//! The description of a MyISAM table: its `.frm` file, as MySQL 4.1 to 5.7 and MariaDB write it
//! (docs/formats/bytecode.md, section 8).

mod map;

use chessdb_core::{Charset, Error, ErrorKind, Location, Result, Role};
use nom::bytes::complete::{tag, take};
use nom::number::complete::{le_u8, le_u16, le_u24, le_u32};
use nom::{IResult, Parser as _};

/// A table's columns and how its rows are laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frm {
    /// The columns in order.
    pub fields: Vec<FrmField>,
    /// Bytes of a row when it is not packed.
    pub record_length: u16,
    /// Packed rows (otherwise all have the same length), checksums, compression.
    pub options: u16,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrmField {
    /// Its name.
    pub name: String,
    /// Its type, as MySQL numbers types.
    pub kind: u8,
    /// Its length: of a text in bytes.
    pub length: u16,
    /// Where it begins in a row that is not packed, counted from 0.
    pub position: u32,
    /// Whether it may be NULL.
    pub null: bool,
    /// MySQL's number of its charset.
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

/// The most columns that MySQL allows.
const MOST_FIELDS: u16 = 4096;
/// Bytes of the part in the middle.
const FORM: usize = 288;

/// Bytes of what stands at the front.
const HEAD: usize = 64;
/// Bytes of a column.
const FIELD: usize = 17;

/// What stands at the front: where the rest begins, row length, options.
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

/// The counts in the middle: columns, bytes to pass over, bytes of the columns' names.
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

/// Where the parts of a description lie.
struct Places {
    header: Header,
    /// Where the second part begins.
    form: usize,
    /// How many columns there are, and where the first is described.
    count: u16,
    fields: usize,
    /// Bytes of the names behind the columns.
    name_length: u16,
}

impl Places {
    fn find(bytes: &[u8]) -> Option<Places> {
        let (rest, header) = header(bytes).ok()?;
        let (_, (_, form_start)) = (take::<_, _, nom::error::Error<&[u8]>>(header.names), le_u32)
            .parse(rest)
            .ok()?;
        let start = form_start as usize;
        let (_, (count, screens, name_length)) = form(bytes.get(start..)?).ok()?;
        (count <= MOST_FIELDS).then_some(())?;
        Some(Places {
            header,
            form: start,
            count,
            fields: start.checked_add(FORM)?.checked_add(screens.into())?,
            name_length,
        })
    }

    /// The names, each between two marks; the first byte is the mark.
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
    /// Another file, or one that is cut.
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
        let places = Places::find(bytes)?;
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

    /// Whether rows are packed; otherwise all have the same length.
    pub fn is_packed(&self) -> bool {
        self.options & PACK_RECORD != 0
    }

    /// Whether rows are compressed, which only `myisampack` does.
    pub fn is_compressed(&self) -> bool {
        self.options & COMPRESSED != 0
    }

    /// Whether each row ends with a checksum.
    pub fn has_checksums(&self) -> bool {
        self.options & CHECKSUM != 0
    }

    /// What the texts of the table are taken for that are not valid UTF-8.
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
