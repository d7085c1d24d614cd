//! The description of a MyISAM table: its `.frm` file, as written by MySQL 4.1 to 5.7 and MariaDB
//! (docs/formats/bytecode.md, section 8).

mod map;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::record::Little;
use chessdb_core::{Charset, Error, ErrorKind, Result, record};

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

record! {
    /// The part at the beginning.
    struct FrmHead: Little, 64 {
        /// FE 01.
        0..2 magic: [u8; 2] = "magic bytes",
        /// Not described.
        2..4 before_names: [u8; 2] = "not described" unknown,
        /// Length of the names section, which follows.
        4..6 names: u16 = "bytes before the columns: {names}",
        /// Not described.
        6..16 before_length: [u8; 10] = "not described" unknown,
        /// Size in bytes of a row that is not packed.
        16..18 record_length: u16 = "bytes of a row that is not packed: {record_length}",
        /// Not described.
        18..30 before_options: [u8; 12] = "not described" unknown,
        /// [`Frm::options`].
        30..32 options: u16 = "options: {options:#06x}",
        /// Not described.
        32..64 rest: [u8; 32] = "not described" unknown,
    }
}

record! {
    /// The form part in the middle.
    struct FrmForm: Little, 288 {
        /// Not described.
        0..258 before_count: [u8; 258] = "not described" unknown,
        /// Number of columns.
        258..260 count: u16 = "columns: {count}",
        /// Size in bytes of the screens between this part and the first column description.
        260..262 screens: u16 = "bytes before the first: {screens}",
        /// Not described.
        262..268 before_names: [u8; 6] = "not described" unknown,
        /// Size in bytes of the names after the columns.
        268..270 name_length: u16 = "bytes of the names: {name_length}",
        /// Not described.
        270..288 rest: [u8; 18] = "not described" unknown,
    }
}

record! {
    /// The description of a column.
    struct ColumnRecord: Little, 17 {
        /// Not described.
        0..3 before_length: [u8; 3] = "not described" unknown,
        /// The length; for texts in bytes.
        3..5 length: u16 = "length {length}",
        /// Offset in a row that is not packed, from 1.
        5..8 position: u32 = "offset {} in the row" (position.saturating_sub(1)),
        /// Flags with [`MAYBE_NULL`].
        8..10 flags: u16 = "flags: {flags:#06x}",
        /// Not described.
        10..11 before_charset: u8 = "not described" unknown,
        /// The high byte of the charset.
        11..12 charset_high: u8 = "charset {}, high byte"
            (u16::from_be_bytes([*charset_high, *charset_low])),
        /// Not described.
        12..13 before_kind: u8 = "not described" unknown,
        /// The type, in MySQL's numbering.
        13..14 kind: u8 = "type {kind}",
        /// The low byte of the charset.
        14..15 charset_low: u8 = "charset, low byte",
        /// Not described.
        15..17 rest: [u8; 2] = "not described" unknown,
    }
}

impl ColumnRecord {
    /// Returns the column with its name.
    fn to_field(&self, name: Option<&[u8]>) -> FrmField {
        FrmField {
            name: String::from_utf8_lossy(name.unwrap_or_default()).into_owned(),
            kind: self.kind,
            length: self.length,
            position: self.position.saturating_sub(1),
            null: self.flags & MAYBE_NULL != 0,
            charset: u16::from_be_bytes([self.charset_high, self.charset_low]),
        }
    }
}

/// The parts of a description and their locations.
struct FrmParts<'b> {
    head: FrmHead,
    form: FrmForm,
    /// Offset of the form part.
    form_start: usize,
    columns: &'b [[u8; ColumnRecord::SIZE]],
    /// Offset of the names after the columns.
    names_start: usize,
    /// The names, each between two marks; the first byte is the mark.
    names: &'b [u8],
}

impl FrmParts<'_> {
    fn find(bytes: &[u8]) -> Option<FrmParts<'_>> {
        let (head, rest) = bytes.split_first_chunk()?;
        let head = FrmHead::parse(head);
        let start = rest.get(usize::from(head.names)..)?.first_chunk()?;
        let form_start = u32::from_le_bytes(*start) as usize;
        let (form, rest) = bytes.get(form_start..)?.split_first_chunk()?;
        let form = FrmForm::parse(form);
        (form.count <= MOST_FIELDS).then_some(())?;
        let columns = rest.get(usize::from(form.screens)..)?;
        let size = usize::from(form.count) * ColumnRecord::SIZE;
        let (columns, names) = columns.split_at_checked(size)?;
        Some(FrmParts {
            head,
            form_start,
            names_start: bytes.len() - names.len(),
            names: names.get(..form.name_length.into())?,
            columns: columns.as_chunks().0,
            form,
        })
    }

    fn names(&self) -> Option<impl Iterator<Item = &[u8]>> {
        let &mark = self.names.first()?;
        Some(self.names.split(move |&byte| byte == mark).skip(1))
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
            let size = bytes.len() as u64;
            let kind = ErrorKind::Truncated {
                what: "the description of a table",
                // Nothing states the whole size.
                needed: size + 1,
                had: size,
            };
            Error::new(kind).at(Location::byte(file, size))
        })
    }

    fn parse_parts(bytes: &[u8]) -> Option<Frm> {
        let parts = FrmParts::find(bytes)?;
        let mut names = parts.names()?;
        let columns = parts.columns.iter().map(ColumnRecord::parse);
        Some(Frm {
            fields: columns
                .map(|column| column.to_field(names.next()))
                .collect(),
            record_length: parts.head.record_length,
            options: parts.head.options,
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
        // These are MySQL's collations of latin1.
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
        // 63 is the charset `binary`, which distinguishes BLOB from TEXT.
        matches!(self.kind, 15 | 249..=254) && self.charset != 63
    }
}
