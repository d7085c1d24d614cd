//! The meaning of each byte of a database, for `chessdb dump --raw` (docs/formats/2cbh.md).

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};
use chessdb_core::files::Role;
use chessdb_core::record::Record as _;

use crate::raw::Segment;
use crate::raw::cbh2::{Base, EntityFile, EntityKind, Frame, FrameFile, Notes, Record, RecordKind};
use crate::roles::{CBA2_FILE, CBG2_FILE, CBH2_FILE, LCD2_FILE, LGD2_FILE, LID2_FILE};

/// Reports the regions of a database: headers, and the records of the index, the games, the
/// annotations and the names.
pub(super) fn dump(files: &dyn FileSet, tell: &mut dyn FnMut(Region)) {
    let Ok(base) = Base::parse(files) else { return };
    index(&base, &mut Fields::new(CBH2_FILE, 0, tell));
    frames(CBG2_FILE, &base, &base.games, moves, tell);
    frames(CBA2_FILE, &base, &base.annotations, notes, tell);
    if let Some(file) = &base.names {
        names(file, tell);
    }
    for (role, bytes) in [(LGD2_FILE, base.references), (LCD2_FILE, base.order)] {
        let length = bytes.map_or(0, |bytes| bytes.len() as u64);
        Fields::new(role, 0, tell).unknown(length, "derived from the other files");
    }
}

/// Reports the index (section 2).
fn index(base: &Base<'_>, fields: &mut Fields<'_>) {
    if let Some((_, _, next)) = base.index.fields() {
        fields.known(8, "header: zeros");
        fields.unknown(2, "magic: 38");
        fields.known(2, "magic: the size of a record");
        fields.unknown(4, "header: zeros, the version 5");
        fields.known(4, format!("header: the next record is {next}"));
        fields.unknown(Record::SIZE as u64 - 20, "rest of the header");
    }
    for (id, record) in (1..).zip(base.index.records) {
        let record = Record(record);
        let what = match record.kind() {
            RecordKind::Text => format!("text {id}: at {:#x}", record.moves()),
            RecordKind::Empty => format!("empty record {id}"),
            kind => {
                let analysis = match kind {
                    RecordKind::Analysis => "analysis, ",
                    _ => "",
                };
                format!("game {id}: {analysis}moves at {:#x}", record.moves())
            }
        };
        fields.known(Record::SIZE as u64, what);
    }
    fields.slack(base.index.tail.len() as u64, "after the last record");
}

/// Reports a file of records (section 4).
fn frames(
    role: Role,
    base: &Base<'_>,
    file: &Option<FrameFile<'_>>,
    content: fn(&Frame<'_>, &str, &mut Fields<'_>),
    tell: &mut dyn FnMut(Region),
) {
    let Some(file) = file else { return };
    let mut fields = Fields::new(role, 0, tell);
    if let Some(header) = &file.file_header {
        header.explain("", &mut fields);
    }
    for segment in &file.segments {
        match segment {
            Segment::Record { game, record, .. } => {
                let id = game + 1;
                let kind = base.index.records.get(*game as usize);
                let owner = match kind.map(|record| Record(record).kind()) {
                    Some(RecordKind::Text) => format!("text {id}"),
                    _ => format!("game {id}"),
                };
                fields.known(8, format!("{owner}: mark"));
                fields.known(8, format!("{owner}: sizes of content and room"));
                fields.known(8, format!("{owner}: checksum"));
                fields.known(2, format!("{owner}: kind {:#x}", record.tag));
                content(record, &owner, &mut fields);
                fields.slack(record.zeros.len() as u64, format!("{owner}: room"));
                fields.known(8, format!("{owner}: size"));
            }
            Segment::Slack { bytes, .. } => {
                fields.slack(bytes.len() as u64, "not part of a record");
            }
        }
    }
}

/// Reports the moves of a game, or a text.
fn moves(frame: &Frame<'_>, owner: &str, fields: &mut Fields<'_>) {
    fields.known(
        frame.content.len() as u64,
        format!("{owner}: start position and moves, or a text"),
    );
}

/// Reports the annotations of a game (section 8).
fn notes(frame: &Frame<'_>, owner: &str, fields: &mut Fields<'_>) {
    let mut notes = Notes::new(frame.content);
    let mut end = 0;
    for note in &mut notes {
        // The type, and before the first annotation of a move its position and their number.
        fields.known(
            (note.offset - end) as u64,
            format!("{owner}: type {:#04x} at move {}", note.kind, note.position),
        );
        fields.known(note.data.len() as u64, format!("{owner}: annotation"));
        end = note.offset + note.data.len();
    }
    let ended = notes.offset() - end;
    fields.known(ended as u64, format!("{owner}: end of the annotations"));
    fields.unknown(
        notes.rest().len() as u64,
        format!("{owner}: annotations that cannot be read"),
    );
}

/// Reports the names (section 3).
fn names(file: &EntityFile<'_>, tell: &mut dyn FnMut(Region)) {
    let mut fields = Fields::new(LID2_FILE, 0, tell);
    if file.types.is_empty() {
        return;
    }
    fields.known(8, "header: its size, and the number of types");
    for names_type in &file.types {
        fields.known(
            20,
            format!(
                "header: {} names of {} bytes",
                names_type.count, names_type.size
            ),
        );
    }
    fields.unknown(
        (file.header.len() - 8 - 20 * file.types.len()) as u64,
        "rest of the header",
    );
    let kinds = [
        (Some(EntityKind::Player), "player"),
        (Some(EntityKind::Tournament), "tournament"),
        (Some(EntityKind::Source), "source"),
        (None, "unused record"),
        (Some(EntityKind::Team), "team"),
        (Some(EntityKind::Titles), "titles"),
    ];
    let mut bytes_left = file.blocks.len();
    // The last container of the file may be cut.
    for block in 0..file.block_count() {
        for ((kind, what), names_type) in kinds.iter().zip(&file.types) {
            let size = usize::try_from(names_type.size)
                .unwrap_or(usize::MAX)
                .min(bytes_left);
            bytes_left -= size;
            let stored = kind.and_then(|kind| file.get(kind, block as i64));
            // The length before the fields is used as well.
            let used = stored.map_or(0, |stored| (4 + stored.len()).min(size));
            fields.known(used as u64, format!("{what} {block}"));
            fields.slack((size - used) as u64, format!("{what} {block}: unused"));
        }
    }
}
