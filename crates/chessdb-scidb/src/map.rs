//! The meaning of each byte of a database, for `chessdb dump --raw` (docs/formats/scidb.md).

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};
use chessdb_core::format::Segment;
use chessdb_core::record::Record as _;

use crate::raw::{Base, Entry, GameFile, Index, NameFile, NameSection, Record};
use crate::roles::{SCG_FILE, SCI_FILE, SCN_FILE};

/// Reports each field of the headers and index entries, each name, and the parts of each record.
pub(crate) fn dump(files: &dyn FileSet, tell: &mut dyn FnMut(Region)) {
    let Ok(base) = Base::parse(files) else { return };
    index(&base.index, &mut Fields::new(SCI_FILE, 0, tell));
    if let Some(games) = &base.games {
        let mut fields = Fields::new(SCG_FILE, 0, tell);
        fields.known(games.header.len() as u64, "magic bytes, version");
        for segment in &games.segments {
            let range = segment.range();
            match segment {
                Segment::Record { game, record, .. } => self::record(*game, record, &mut fields),
                Segment::Slack { bytes, .. } if GameFile::is_rest_of_block(range.start, bytes) => {
                    fields.slack(range.len() as u64, "the rest of a block");
                }
                Segment::Slack { .. } => {
                    fields.slack(range.len() as u64, "not part of a game record");
                }
            }
        }
    }
    if let Some(file) = &base.names {
        names(file, &mut Fields::new(SCN_FILE, 0, tell));
    }
}

/// Reports the index (section 2).
fn index(index: &Index<'_>, fields: &mut Fields<'_>) {
    index.header.explain("", fields);
    for (n, bytes) in (1..).zip(index.entries) {
        Entry::parse(bytes).explain(&format!("game {n}: "), fields);
    }
    fields.slack(index.tail.len() as u64, "after the last whole entry");
}

/// Reports a record (section 4).
fn record(game: u32, record: &Record<'_>, fields: &mut Fields<'_>) {
    let n = game + 1;
    let start = record.moves_offset() as u64;
    let mut part = |length: usize, what: &str| {
        fields.known(length as u64, format!("game {n}: {what}"));
    };
    part(start as usize, "size, start position, place of the data");
    part(record.moves.len(), "moves");
    // Three bytes before the texts hold their size.
    part(record.texts.map_or(0, |texts| texts.len() + 3), "comments");
    part(record.tags.map_or(0, <[u8]>::len), "tags");
    part(record.engines.map_or(0, <[u8]>::len), "engines");
    part(record.times.map_or(0, <[u8]>::len), "times");
    part(record.data.len(), "NAGs, marks, places of comments");
}

/// Reports the names (section 3).
fn names(file: &NameFile, fields: &mut Fields<'_>) {
    fields.known(10, format!("magic bytes, version {}", file.header.version));
    fields.known(4, format!("names: {}", file.header.names));
    for section in &file.sections {
        let [count, ..] = section.counts;
        let what = format!("start of {:?} names: {count}", section.kind);
        fields.known(NameSection::HEADER as u64, what);
        for (n, record) in section.records.iter().enumerate() {
            let name = String::from_utf8_lossy(&record.name);
            let what = format!("{:?} {}: \"{name}\"", section.kind, record.id);
            fields.known(record.size(section.kind, n == 0), what);
        }
    }
    fields.unknown(file.tail.len() as u64, "after the last name");
}
