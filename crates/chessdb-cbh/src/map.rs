//! The meaning of each byte of a database, for `chessdb dump --raw` (docs/formats/cbh.md).

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};
use chessdb_core::files::Role;

use crate::raw::{
    AnnotationRecord, Base, Entity, MoveRecord, Record, RecordFile, Records, Segment,
    StartPosition, Table,
};
use crate::roles::{
    CBA_FILE, CBC_FILE, CBE_FILE, CBG_FILE, CBH_FILE, CBJ_FILE, CBL_FILE, CBM_FILE, CBP_FILE,
    CBS_FILE, CBT_FILE, CBTT_FILE,
};

/// Reports the regions of a database: headers, and the records of the index, the games, the
/// annotations and the tables.
pub(crate) fn dump(files: &dyn FileSet, tell: &mut dyn FnMut(Region)) {
    let Ok(base) = Base::parse(files) else { return };
    index(&base, &mut Fields::new(CBH_FILE, 0, tell));
    record_file(CBG_FILE, &base.games, "a game record", moves, tell);
    let what = "the annotations of a game";
    record_file(CBA_FILE, &base.annotations, what, notes, tell);
    table(CBP_FILE, "player", &base.players, tell);
    table(CBT_FILE, "tournament", &base.tournaments, tell);
    table(CBC_FILE, "annotator", &base.annotators, tell);
    table(CBS_FILE, "source", &base.sources, tell);
    table(CBE_FILE, "team", &base.teams, tell);
    table(CBL_FILE, "game tag", &base.tags, tell);
    records(CBJ_FILE, "extended header of game", 1, &base.extended, tell);
    records(CBTT_FILE, "details of tournament", 0, &base.details, tell);
    records(CBM_FILE, "media of a text, record", 0, &base.media, tell);
}

/// Reports the index (section 3).
fn index(base: &Base<'_>, fields: &mut Fields<'_>) {
    if let Some(index_header) = &base.index.index_header {
        index_header.explain("", fields);
    }
    for (id, record) in (1..).zip(base.index.records) {
        match Record::parse(record) {
            Record::Game(game) => game.explain(&format!("game {id}: "), fields),
            Record::Text(text) => text.explain(&format!("text {id}: "), fields),
        }
    }
    fields.slack(base.index.tail.len() as u64, "after the last record");
}

/// Reports .cbg or .cba (section 5): its header, its records, and the bytes that are not part of
/// one.
fn record_file<R>(
    file: Role,
    content: &Option<RecordFile<'_, R>>,
    what: &str,
    explain: fn(u32, &R, &mut Fields<'_>),
    tell: &mut dyn FnMut(Region),
) {
    let Some(content) = content else {
        return;
    };
    Fields::new(file, 0, tell).known(
        content.file_header.size() as u64,
        "header: bytes of the file, bytes outside all records",
    );
    for segment in &content.segments {
        let range = segment.range();
        let mut fields = Fields::new(file, range.start as u64, tell);
        match segment {
            Segment::Record { game, record, .. } => explain(*game, record, &mut fields),
            Segment::Slack { .. } => {
                fields.slack(range.len() as u64, format!("not part of {what}"))
            }
        }
    }
}

/// Reports a game's record (section 5).
fn moves(game: u32, record: &MoveRecord<'_>, fields: &mut Fields<'_>) {
    let what = format!(
        "record {}: mode {}",
        game + 1,
        record.flags & MoveRecord::MODE
    );
    fields.known(MoveRecord::HEADER as u64, what);
    let mut rest = record.body;
    if record.flags & MoveRecord::SETUP != 0
        && let Some((position, moves)) = rest.split_first_chunk()
    {
        StartPosition::parse(position).explain("", fields);
        rest = moves;
    }
    fields.known(rest.len() as u64, "moves or text");
}

/// Reports the annotations of a game (section 7).
fn notes(game: u32, record: &AnnotationRecord<'_>, fields: &mut Fields<'_>) {
    let what = format!("annotations of game {}", game + 1);
    fields.known(AnnotationRecord::HEADER as u64, what);
    let mut annotations = record.annotations();
    for note in &mut annotations {
        let what = format!("move {}, type {:02x}", note.position, note.kind);
        fields.known(
            (crate::raw::Annotation::HEADER + note.data.len()) as u64,
            what,
        );
    }
    fields.unknown(annotations.rest().len() as u64, "no annotation");
}

/// Reports a table of names (section 9).
fn table<E: Entity>(
    file: Role,
    what: &str,
    table: &Option<Table<'_, E>>,
    tell: &mut dyn FnMut(Region),
) {
    let Some(table) = table else { return };
    let mut fields = Fields::new(file, 0, tell);
    if let Some(header) = &table.header {
        header.explain("", &mut fields);
    }
    fields.unknown(table.extra.len() as u64, "rest of the header");
    for (id, (node, entity)) in (0..).map_while(|id| Some((id, table.get(id)?))) {
        node.explain(&format!("{what} {id}: "), &mut fields);
        entity.explain("", &mut fields);
    }
    fields.slack(table.tail.len() as u64, "after the last record");
}

/// Reports a file of fixed-size records (sections 4, 9.3, 10).
fn records(
    file: Role,
    what: &str,
    first: u32,
    records: &Option<Records<'_>>,
    tell: &mut dyn FnMut(Region),
) {
    let Some(records) = records else { return };
    let mut fields = Fields::new(file, 0, tell);
    let mut rest = records.body.len();
    if let Some(version) = records.version {
        fields.known(12, format!("header, version {version}"));
        fields.slack(20, "rest of the header");
    }
    for n in (0..).take_while(|&n| records.get(n).is_some()) {
        fields.known(
            records.size.into(),
            format!("{what} {}", u64::from(n) + u64::from(first)),
        );
        rest -= records.size as usize;
    }
    fields.slack(rest as u64, "after the last record");
}
