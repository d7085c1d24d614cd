//! The byte map of a database, for `chessdb dump --raw` (docs/formats/dcx.md).

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};

use crate::raw::{Base, FileKind, NameFile, Segment};
use crate::roles::{DCG_FILE, DCI_FILE};

/// Reports each region of a database: every field of the header and the entries, each name, and the
/// length, start position and moves of each record.
pub(crate) fn dump(files: &dyn FileSet, emit: &mut dyn FnMut(Region)) {
    let Ok(base) = Base::parse(files) else { return };
    let (file_header, layout) = (&base.index.file_header, base.index.layout());
    let fields = &mut Fields::new(DCI_FILE, 0, emit);
    fields.known(file_header.magic.as_bytes().len() as u64, "magic bytes");
    if let Some(version) = file_header.version {
        fields.known(1, format!("version: {version}"));
    }
    if let Some(number) = file_header.open_default {
        fields.known(8, format!("game to open first: {number}"));
    }
    for (n, entry) in (1..).zip(&base.index.entries) {
        entry.explain(layout.entry, &format!("game {n}: "), fields);
    }
    fields.slack(base.index.tail.len() as u64, "after the last game");
    for (kind, what) in [
        (FileKind::Players, "player"),
        (FileKind::Sites, "site"),
        (FileKind::Events, "event"),
    ] {
        let Some(names) = base.names(kind) else {
            continue;
        };
        let fields = &mut Fields::new(kind.role(), 0, emit);
        fields.known(names.magic.as_bytes().len() as u64, "magic bytes");
        for (n, record) in (0..).zip(&names.records) {
            let reference = NameFile::reference(n).unwrap_or_default();
            let text = String::from_utf8_lossy(record);
            let name = text.trim_end_matches([' ', '\0']);
            let len = NameFile::RECORD as u64;
            fields.known(len, format!("{what} {reference}: \"{name}\""));
        }
        fields.slack(names.tail.len() as u64, "after the last name");
    }
    let Some(games) = &base.games else { return };
    Fields::new(DCG_FILE, 0, emit).known(games.magic.as_bytes().len() as u64, "magic bytes");
    for segment in &games.segments {
        let range = segment.range();
        let fields = &mut Fields::new(DCG_FILE, range.start as u64, emit);
        match segment {
            Segment::Record { game, record, .. } => {
                let length = record.length.size() as u64;
                fields.known(length, format!("game {}: length", game + 1));
                fields.known(record.body_offset() as u64 - length, "start position");
                fields.known(record.body.len() as u64, "moves, comments, NAGs");
            }
            Segment::Slack { .. } => fields.slack(range.len() as u64, "not part of a game record"),
        }
    }
}
