//! What each byte of a base is, for `chessdb dump --raw` (docs/formats/scid.md).

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};

use crate::raw::{Entry, GameFile, Header, Index, NameFile, NameHeader, ROLES, Segment};
use crate::{SG4_FILE, SI4_FILE, SN4_FILE};

/// Tells the regions of a base: every field of the headers and of the index entries, each name, each
/// game record as a whole.
pub fn dump(files: &dyn FileSet, tell: &mut dyn FnMut(Region)) {
    let index = files.get(SI4_FILE).map(Index::parse).and_then(Result::ok);
    if let Some(index) = &index {
        header(&index.header, &mut Fields::new(SI4_FILE, 0, tell));
        let mut fields = Fields::new(SI4_FILE, Header::SIZE as u64, tell);
        for (n, entry) in (1..).zip(&index.entries) {
            game(n, entry, &mut fields);
        }
        fields.slack(index.tail.len() as u64, "behind the last game");
    }
    if let (Some(index), Some(bytes)) = (&index, files.get(SG4_FILE)) {
        for segment in GameFile::parse(bytes, &index.entries).segments {
            let range = segment.range();
            let (at, len) = (range.start as u64, range.len() as u64);
            let mut fields = Fields::new(SG4_FILE, at, tell);
            match segment {
                Segment::Record { game, .. } => {
                    fields.known(len, format!("game {}: tags, moves, comments", game + 1));
                }
                // Fillers, old versions of edited games, records that cannot be read.
                Segment::Slack { .. } => fields.slack(len, "of no game's record"),
            }
        }
    }
    let names = files.get(SN4_FILE).map(NameFile::parse);
    if let Some(Ok((file, _))) = names {
        self::names(&file, &mut Fields::new(SN4_FILE, 0, tell));
    }
}

/// Section 1.
fn header(header: &Header, fields: &mut Fields<'_>) {
    fields.known(8, "magic bytes");
    fields.known(2, format!("version: {}", header.version));
    fields.known(4, format!("type of the base: {}", header.kind));
    fields.known(3, format!("games: {}", header.games));
    fields.known(3, format!("game to open first: {}", header.autoload));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let used = header.description().len();
    fields.known(used as u64, "description");
    fields.slack((108 - used) as u64, "behind the description");
    for (n, name) in (1..).zip(header.flag_names()) {
        fields.known(9, format!("name of flag {n}: \"{}\"", text(name)));
    }
}

/// Section 2.
fn game(n: u32, entry: &Entry, fields: &mut Fields<'_>) {
    fields.known(4, format!("game {n}: record at {:#x}", entry.offset));
    fields.known(5, format!("bytes: {}; flags", entry.length));
    let (white, black) = (entry.white, entry.black);
    fields.known(5, format!("White, player {white}; Black, player {black}"));
    let (event, site, round) = (entry.event, entry.site, entry.round);
    fields.known(7, format!("event {event}, site {site}, round {round}"));
    fields.known(2, "result; how many NAGs, comments, variations");
    fields.known(2, format!("ECO code: {}", entry.eco.0));
    fields.known(4, "event date, date");
    fields.known(4, "ratings of White and Black");
    fields.known(1, format!("stored line: {}", entry.line_code));
    fields.known(3, "final material");
    fields.known(
        2,
        format!("half-moves: {}; count of home pawns", entry.plies),
    );
    fields.known(8, "home pawns");
}

/// Section 3.
fn names(file: &NameFile, fields: &mut Fields<'_>) {
    let header = &file.header;
    fields.known(8, "magic bytes");
    fields.known(4, format!("time stamp: {}", header.timestamp));
    for (role, count) in ROLES.iter().zip(header.counts) {
        fields.known(3, format!("names of {role:?} kind: {count}"));
    }
    for (role, most) in ROLES.iter().zip(header.max_frequencies) {
        fields.known(3, format!("greatest frequency, {role:?}: {most}"));
    }
    for (list, role) in (0..).zip(ROLES) {
        for (length, id, name) in file.stored(list) {
            let name = String::from_utf8_lossy(name);
            fields.known(length, format!("{role:?} {id}: \"{name}\""));
        }
    }
    fields.unknown(file.tail.len() as u64, "behind the last name");
}

/// The header has no other fields than those told.
const _: () = assert!(NameHeader::SIZE == 8 + 4 + 12 + 12 && Entry::SIZE == 47);
