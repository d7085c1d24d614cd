//! The meaning of each byte of a database or a book, for `chessdb dump --raw`
//! (docs/formats/cbf.md).

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};
use chessdb_core::record::Record as _;

use crate::fbk::Book;
use crate::raw::{Base, Index, Segment};
use crate::roles::{CBF_FILE, CBI_FILE, FBK_FILE};

/// Reports the regions of a database: each longword of the index, and the header, texts, moves,
/// comments and start position of each record. Without an index it reports nothing, since the
/// records cannot be located.
pub(crate) fn dump(files: &dyn FileSet, tell: &mut dyn FnMut(Region)) {
    let Ok(base) = Base::parse(files) else { return };
    index(&base.index, &mut Fields::new(CBI_FILE, 0, tell));
    for segment in &base.games.segments {
        let range = segment.range();
        let mut fields = Fields::new(CBF_FILE, range.start as u64, tell);
        let Segment::Record { game, record, .. } = segment else {
            fields.slack(range.len() as u64, "not part of a game record");
            continue;
        };
        let raw_header = &record.raw_header;
        raw_header.explain(&format!("game {}: ", game + 1), &mut fields);
        fields.known(raw_header.players_len() as u64, "players, enciphered");
        fields.known(raw_header.source_len() as u64, "source, enciphered");
        fields.known(record.moves.len() as u64, "moves, enciphered");
        fields.known(record.comments.len() as u64, "comments");
        if record.position.is_some() {
            fields.known(crate::raw::Position::SIZE as u64, "start position");
        }
    }
}

/// Reports the longwords of the index (section 2).
fn index(index: &Index, fields: &mut Fields<'_>) {
    let last = index.words.len().saturating_sub(1);
    for (n, &word) in index.words.iter().enumerate() {
        let what = match u32::try_from(n) {
            Ok(0) => format!("games and one: {word}"),
            Ok(place) => match (Index::offset(place, word), n == last) {
                (Some(end), true) => format!("end of the games: {end:#x}"),
                (Some(offset), false) => format!("game {place}: at {offset:#x}"),
                (None, _) => format!("game {place}: no record"),
            },
            Err(_) => "beyond all games".into(),
        };
        fields.known(4, what);
    }
    fields.slack(index.tail.len() as u64, "after the last longword");
}

/// Reports the moves of a book (section 11).
pub(crate) fn dump_book(files: &dyn FileSet, tell: &mut dyn FnMut(Region)) {
    let Some(bytes) = files.get(FBK_FILE) else {
        return;
    };
    let book = Book::parse(bytes);
    let mut fields = Fields::new(FBK_FILE, 0, tell);
    for entry in &book.entries {
        let mut what = format!("{}{}", entry.from, entry.to);
        let marks = [
            (entry.has_alternative, ", has an alternative"),
            (entry.ends_line, ", ends its line"),
            (entry.weak, ", not recommended"),
        ];
        for (_, mark) in marks.iter().filter(|(set, _)| *set) {
            what.push_str(mark);
        }
        if entry.unused {
            fields.unknown(2, format!("{what}, undefined bit"))
        } else {
            fields.known(2, what)
        }
    }
    fields.slack(book.tail.len() as u64, "after the last move");
}
