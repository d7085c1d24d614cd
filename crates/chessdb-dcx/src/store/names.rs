//! The name tables of an open base (docs/formats/dcx.md, section 4).

use chessdb_core::{
    BaseInfo, Charset, ErrorKind, FileSet, Game, Location, NameRecord, NameRole, NameTable, Named,
    Result, Severity, TextId, Texts,
};

use super::{Report, check_magic};
use crate::raw::{EntrySize, FileKind, Layout, Magic, NameFile};
use crate::text::{RecordOddity, record_text};

/// The tables, and what they are called in the model and in messages.
pub(crate) const TABLES: [(FileKind, NameRole, &str); 3] = [
    (FileKind::Players, NameRole::Player, "reference to a player"),
    (FileKind::Sites, NameRole::Site, "reference to a site"),
    (FileKind::Events, NameRole::Event, "reference to an event"),
];

/// Where the names of each table lie among the texts of the base: a head copies them from there
/// without looking at the records again.
#[derive(Debug)]
pub(crate) struct Names {
    /// For each of [`TABLES`] the text of its first record, and how many there are.
    tables: [(u32, u32); 3],
    /// Whether the layout knows events.
    has_events: bool,
}

impl Names {
    /// Reads the tables, into itself and into what is known of the base.
    pub(super) fn open(
        files: &dyn FileSet,
        layout: Layout,
        charset: Charset,
        base: &mut BaseInfo,
        report: &mut Report<'_>,
    ) -> Result<Names> {
        let mut names = Names {
            tables: [(0, 0); 3],
            has_events: layout.entry != EntrySize::Short,
        };
        for (table, (kind, role, _)) in names.tables.iter_mut().zip(TABLES) {
            if kind == FileKind::Events && layout.entry == EntrySize::Short {
                continue;
            }
            let Some(bytes) = files.get(kind.role()) else {
                let what = ErrorKind::MissingFile(kind.role());
                report.file(Severity::Lost, what, kind.role())?;
                continue;
            };
            let first = base.texts.len() as u32;
            let records = read_table(kind, bytes, charset, &mut base.texts, report)?;
            *table = (first, records);
            let records = (0..records).map(|key| NameRecord {
                key,
                text: text_id(&base.texts, first, key),
                player: None,
            });
            let records: Vec<_> = records.collect();
            base.names.push(NameTable { role, records });
        }
        Ok(names)
    }

    pub(crate) fn has_events(&self) -> bool {
        self.has_events
    }

    /// The name to which an entry refers, copied into the game.
    #[inline]
    pub(crate) fn get(
        &self,
        texts: &Texts,
        kind: FileKind,
        reference: u32,
        game: &mut Game,
        report: &mut Report<'_>,
    ) -> Result<Named> {
        let table = match kind {
            FileKind::Sites => 1,
            FileKind::Events => 2,
            _ => 0,
        };
        let [players, sites, events] = self.tables;
        let (first, records) = match table {
            0 => players,
            1 => sites,
            _ => events,
        };
        let number = NameFile::number(reference).filter(|&number| number < records);
        let Some(key) = number else {
            let field = TABLES.get(table).map_or("reference", |(_, _, field)| field);
            report.entry(Severity::Lost, field, reference.into())?;
            return Ok(Named::default());
        };
        let id = text_id(texts, first, key);
        Ok(Named {
            text: game.texts.push_from(texts, id),
            key: Some(key),
        })
    }
}

/// The text of a record. Texts are numbered from 1 in the order in which they were added.
fn text_id(texts: &Texts, first: u32, key: u32) -> TextId {
    let number = first.saturating_add(key).saturating_add(1);
    if number as usize > texts.len() {
        return TextId::NONE;
    }
    TextId::from_raw(number)
}

fn read_table(
    kind: FileKind,
    bytes: &[u8],
    charset: Charset,
    texts: &mut Texts,
    report: &mut Report<'_>,
) -> Result<u32> {
    check_magic(&Magic::parse(bytes).0, kind, report)?;
    let body = bytes.get(Magic::SIZE..).unwrap_or_default();
    let mut records = 0;
    for record in body
        .chunks(NameFile::RECORD)
        .take(NameFile::MAX_RECORDS as usize)
    {
        let at = NameFile::reference(records).unwrap_or_default();
        let at = Location::byte(kind.role(), at.into());
        if record.len() < NameFile::RECORD {
            let what = ErrorKind::Truncated {
                what: "a name",
                needed: NameFile::RECORD as u64,
                had: record.len() as u64,
            };
            report.deviation(Severity::Repaired, what, at)?;
        }
        let (text, odd) = record_text(record);
        match odd {
            None => {}
            Some(RecordOddity::Padding) => {
                let what = ErrorKind::Structure("a name that is not padded with blanks");
                report.deviation(Severity::Note, what, at)?;
            }
            Some(RecordOddity::Charset) => {
                let what = ErrorKind::Text { charset: "UTF-8" };
                report.deviation(Severity::Note, what, at)?;
            }
        }
        texts.push(text, Charset::detect_utf8_or(text, charset));
        records += 1;
    }
    Ok(records)
}
