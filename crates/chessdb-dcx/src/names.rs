//! The name tables of an open database (docs/formats/dcx.md, section 4).

use chessdb_core::error::Location;
use chessdb_core::model::{NameRecord, NameRole, NameTable, Named};
use chessdb_core::report::GameReport;
use chessdb_core::text::{EncodingDetector, TextId, Texts, is_overwritten};
use chessdb_core::{BaseInfo, Charset, ErrorKind, FileSet, Result, Severity};

use crate::raw::{Entry, EntrySize, FileKind, Layout, Magic, NameFile};
use crate::report::ReportExt as _;
use crate::text::{RecordIrregularity, record_text};

/// The tables with their roles in the model and their names in messages.
pub(crate) const TABLES: [(FileKind, NameRole, &str); 3] = [
    (FileKind::Players, NameRole::Player, "reference to a player"),
    (FileKind::Sites, NameRole::Site, "reference to a site"),
    (FileKind::Events, NameRole::Event, "reference to an event"),
];

/// The name tables: the records in the files, which are copied into headers, and the texts of the
/// database.
#[derive(Debug)]
pub(crate) struct NameTables<'a> {
    /// In the order of [`TABLES`].
    tables: [NameRecords<'a>; 3],
    /// Whether the layout has events.
    has_events: bool,
}

/// One table.
#[derive(Clone, Debug, Default)]
struct NameRecords<'a> {
    /// The whole records.
    records: &'a [[u8; NameFile::RECORD]],
    /// The length of each record's text, or [`IRREGULAR`].
    lengths: Vec<u8>,
    /// The number of the first record's text among the texts of the database.
    first: u32,
    /// Whether names are missing; this is reported once for the table.
    is_cut: bool,
    /// Whether each game also reports a name that is missing or cut.
    is_salvaged: bool,
}

/// The marker for a record with a text that is not a prefix of it.
const IRREGULAR: u8 = 0xFF;

impl<'a> NameTables<'a> {
    /// Reads the tables and adds them to `base`.
    pub(crate) fn open(
        files: &'a dyn FileSet,
        layout: Layout,
        detector: &EncodingDetector,
        base: &mut BaseInfo,
        report: &mut GameReport<'_>,
    ) -> Result<NameTables<'a>> {
        let mut names = NameTables {
            tables: Default::default(),
            has_events: layout.entry != EntrySize::Short,
        };
        for (table, (kind, role, _)) in names.tables.iter_mut().zip(TABLES) {
            if kind == FileKind::Events && layout.entry == EntrySize::Short {
                continue;
            }
            let Some(bytes) = files.get(kind.role()) else {
                let what = ErrorKind::MissingFile(kind.role());
                report.file(Severity::Lost, what, kind.role())?;
                table.is_cut = true;
                continue;
            };
            *table = NameRecords::read(kind, bytes, detector, &mut base.texts, report)?;
            let records = (0..table.lengths.len() as u32).map(|key| NameRecord {
                key,
                text: text_id(&base.texts, table.first, key),
                player: None,
            });
            base.names.push(NameTable::new(role, records.collect()));
        }
        Ok(names)
    }

    /// Makes each game report a name that is missing or cut.
    pub(crate) fn report_each(&mut self) {
        for table in &mut self.tables {
            table.is_salvaged = true;
        }
    }

    /// Returns the number of names to which none of these entries refers.
    pub(crate) fn unused(&self, entries: impl Iterator<Item = Entry>) -> u64 {
        let mut used = self
            .tables
            .each_ref()
            .map(|table| vec![false; table.records.len()]);
        let [players, sites, events] = &mut used;
        for entry in entries {
            for (table, references) in [
                (&mut *players, [entry.white, entry.black]),
                (&mut *sites, [entry.site; 2]),
                (&mut *events, [entry.event; 2]),
            ] {
                for number in references.into_iter().filter_map(NameFile::number) {
                    if let Some(used) = table.get_mut(number as usize) {
                        *used = true;
                    }
                }
            }
        }
        used.iter().flatten().filter(|used| !**used).count() as u64
    }

    pub(crate) fn has_events(&self) -> bool {
        self.has_events
    }

    /// Copies the name to which an entry refers into the game.
    #[inline(always)]
    pub(crate) fn get(
        &self,
        base: &Texts,
        kind: FileKind,
        reference: u32,
        texts: &mut Texts,
        entry: Location,
        report: &mut GameReport<'_>,
    ) -> Result<Named> {
        let [players, sites, events] = &self.tables;
        let table = match kind {
            FileKind::Sites => sites,
            FileKind::Events => events,
            _ => players,
        };
        if let Some(key) = NameFile::number(reference)
            && let Some(&length) = table.lengths.get(key as usize)
        {
            let stored = table.records.get(key as usize);
            if stored.is_none() && table.is_salvaged {
                // This name is cut by the end of the file.
                no_name(kind, reference, entry, report)?;
            }
            let text = match stored {
                // The text is a prefix of the record, and copying a fixed number of bytes is fast.
                Some(record) if length != IRREGULAR => {
                    texts.push_front(record, length.into(), Charset::UTF_8)
                }
                _ => texts.push_from(base, text_id(base, table.first, key)),
            };
            let key = Some(key);
            return Ok(Named { text, key });
        }
        if !table.is_cut || table.is_salvaged {
            no_name(kind, reference, entry, report)?;
        }
        Ok(Named::default())
    }
}

/// Reports a reference without a record.
#[cold]
#[inline(never)]
fn no_name(
    kind: FileKind,
    reference: u32,
    entry: Location,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let table = TABLES.iter().find(|&&(table, _, _)| table == kind);
    let field = table.map_or("reference", |&(_, _, field)| field);
    report.entry(Severity::Lost, field, reference.into(), entry)
}

/// Returns the text of a record. Texts are numbered from 1 in the order in which they were added.
fn text_id(texts: &Texts, first: u32, key: u32) -> TextId {
    let number = first.saturating_add(key).saturating_add(1);
    if number as usize > texts.len() {
        return TextId::NONE;
    }
    TextId::from_raw(number)
}

impl<'a> NameRecords<'a> {
    /// Reads a file and adds the texts of its records to the texts of the database.
    fn read(
        kind: FileKind,
        bytes: &'a [u8],
        detector: &EncodingDetector,
        texts: &mut Texts,
        report: &mut GameReport<'_>,
    ) -> Result<NameRecords<'a>> {
        report.magic(&Magic::parse(bytes).0, kind)?;
        let body = bytes.get(Magic::SIZE..).unwrap_or_default();
        let mut table = NameRecords {
            records: body.as_chunks().0,
            lengths: Vec::with_capacity(body.len() / NameFile::RECORD + 1),
            first: texts.len() as u32,
            is_cut: body.len() % NameFile::RECORD != 0,
            is_salvaged: false,
        };
        let records = body.chunks(NameFile::RECORD);
        let (mut overwritten, mut shifted, mut nuls, mut blanks) = (0, 0, 0, 0);
        // No reference leads to later records.
        for (n, record) in records.take(NameFile::MAX_RECORDS as usize).enumerate() {
            let (text, irregularity) = record_text(record);
            if record.len() < NameFile::RECORD || irregularity.is_some() {
                let reference = NameFile::reference(n as u32).unwrap_or_default();
                let location = Location::byte(kind.role(), reference.into());
                report_record(record, irregularity, location, report)?;
                table.lengths.push(IRREGULAR);
                overwritten += u64::from(is_overwritten(text) || record.first() == Some(&0));
            } else {
                table.lengths.push(text.len() as u8);
            }
            shifted += u64::from(is_shifted(text));
            nuls += u64::from(record.last() == Some(&0));
            blanks += u64::from(record.last() == Some(&b' '));
            texts.push(text, detector.charset(text));
        }
        // A program pads with blanks or with NULs. A few NULs among blanks are damage.
        if nuls < blanks {
            overwritten = overwritten.max(nuls);
        }
        // A single such name may be intended.
        let shifted = if shifted > 1 { shifted } else { 0 };
        let counts = [
            ("the number of names that are not text", overwritten),
            (
                "the number of names that contain parts of other names",
                shifted,
            ),
        ];
        report.lost_counts(&counts, kind.role())?;
        Ok(table)
    }
}

/// Returns whether a text is the end of one name and the start of another with padding between
/// them, as in records after inserted or lost bytes.
fn is_shifted(text: &[u8]) -> bool {
    text.windows(4).any(|bytes| bytes == b"    ")
}

/// Reports the irregularities of a record.
#[cold]
fn report_record(
    record: &[u8],
    irregularity: Option<RecordIrregularity>,
    location: Location,
    report: &mut GameReport<'_>,
) -> Result<()> {
    if record.len() < NameFile::RECORD {
        let what = ErrorKind::truncated("a name", NameFile::RECORD as u64, record.len() as u64);
        report.lost(what, location)?;
    }
    match irregularity {
        None => Ok(()),
        Some(RecordIrregularity::Padding) => {
            let what = ErrorKind::Structure("a name that is not padded with spaces");
            report.note(what, location)
        }
        Some(RecordIrregularity::Charset) => {
            let what = ErrorKind::Text { charset: "UTF-8" };
            report.note(what, location)
        }
    }
}
