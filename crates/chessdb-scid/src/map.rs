//! The byte map of a database for `chessdb dump --raw` (docs/formats/scid.md).

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};
use chessdb_core::files::Role;
use chessdb_core::record::{Record as _, explain_without};

use crate::Generation;
use crate::raw::{Entry, FileHeader, GameFile, Index, NameFile, NameHeader, ROLES, Segment, si5};

/// Reports each region of a database of this generation: every field of the headers and index
/// entries, each name, and each game record as a whole.
pub(crate) fn dump(generation: Generation, files: &dyn FileSet, tell: &mut dyn FnMut(Region)) {
    let [index_file, games_file, names_file] = *generation.files();
    if generation == Generation::Si5 {
        if let Some(bytes) = files.get(index_file) {
            let index = si5::Index::parse(bytes);
            let mut fields = Fields::new(index_file, 0, tell);
            for (n, entry) in (1..).zip(&index.entries) {
                entry.explain(&format!("game {n}: "), &mut fields);
            }
            fields.slack(index.tail.len() as u64, "after the last game");
            let places = index.entries.iter().map(|e| (e.offset, e.length));
            games(files, games_file, places, tell);
        }
        if let Some(bytes) = files.get(names_file) {
            log(bytes, &mut Fields::new(names_file, 0, tell));
        }
        return;
    }
    let index = files.get(index_file).map(Index::parse);
    if let Some(index) = index.and_then(Result::ok) {
        file_header(&index.file_header, &mut Fields::new(index_file, 0, tell));
        let mut fields = Fields::new(index_file, index.file_header.size() as u64, tell);
        let omitted = index.file_header.is_si3().then_some(Entry::NOT_IN_SI3);
        for (n, entry) in (1..).zip(&index.entries) {
            let title = format!("game {n}: ");
            explain_without(entry, omitted.as_slice(), &title, &mut fields);
        }
        fields.slack(index.tail.len() as u64, "after the last game");
        let places = index.entries.iter().map(|e| (e.offset.into(), e.length));
        games(files, games_file, places, tell);
    }
    let names = files.get(names_file).map(NameFile::parse);
    if let Some(Ok((file, _))) = names {
        self::names(&file, &mut Fields::new(names_file, 0, tell));
    }
}

/// Reports the regions of the games file (section 4).
fn games(
    files: &dyn FileSet,
    file: Role,
    places: impl Iterator<Item = (u64, u32)>,
    tell: &mut dyn FnMut(Region),
) {
    let Some(bytes) = files.get(file) else { return };
    for segment in GameFile::parse(bytes, places).segments {
        let range = segment.range();
        let (start, len) = (range.start as u64, range.len() as u64);
        let mut fields = Fields::new(file, start, tell);
        match segment {
            Segment::Record { game, .. } => {
                fields.known(len, format!("game {}: tags, moves, comments", game + 1));
            }
            // Fillers, old versions of edited games, records that cannot be read.
            Segment::Slack { .. } => fields.slack(len, "not part of a game record"),
        }
    }
}

/// Reports the header of the index (section 1).
fn file_header(file_header: &FileHeader, fields: &mut Fields<'_>) {
    fields.known(8, "magic bytes");
    fields.known(2, format!("version: {}", file_header.version));
    fields.known(4, format!("type of the database: {}", file_header.kind));
    fields.known(3, format!("games: {}", file_header.games));
    fields.known(3, format!("game to open first: {}", file_header.autoload));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let used = file_header.description().len();
    fields.known(used as u64, "description");
    fields.slack((108 - used) as u64, "after the description");
    let flags = if file_header.is_si3() { 0 } else { 6 };
    for (n, name) in (1..).zip(file_header.flag_names().take(flags)) {
        fields.known(9, format!("name of flag {n}: \"{}\"", text(name)));
    }
}

/// Reports the name file of SCID 5 (section 10).
fn log(bytes: &[u8], fields: &mut Fields<'_>) {
    let mut names = si5::Names::new(bytes);
    let mut ids = [0u32; 5];
    let mut before = 0;
    while let Ok(Some(record)) = names.read() {
        let id = ids.get_mut(record.kind as usize);
        // Names have no stored number; they count from 0 per kind (section 10).
        let number = id.map_or(0, |id| std::mem::replace(id, id.saturating_add(1)));
        let text = String::from_utf8_lossy(record.text);
        let length = names.offset() - before;
        fields.known(length, format!("{:?} {number}: \"{text}\"", record.kind));
        before = names.offset();
    }
    fields.unknown(names.rest().len() as u64, "after the last name");
}

/// Reports the name file of SCID 3 and SCID 4 (section 3).
fn names(file: &NameFile, fields: &mut Fields<'_>) {
    let file_header = &file.file_header;
    fields.known(8, "magic bytes");
    fields.known(4, format!("time stamp: {}", file_header.timestamp));
    for (role, count) in ROLES.iter().zip(file_header.counts) {
        fields.known(3, format!("names of {role:?} kind: {count}"));
    }
    for (role, highest) in ROLES.iter().zip(file_header.max_frequencies) {
        fields.known(3, format!("greatest frequency, {role:?}: {highest}"));
    }
    for (list, role) in (0..).zip(ROLES) {
        for (length, id, name) in file.stored(list) {
            let name = String::from_utf8_lossy(name);
            fields.known(length, format!("{role:?} {id}: \"{name}\""));
        }
    }
    fields.unknown(file.tail.len() as u64, "after the last name");
}

/// The function above reports all fields of the header.
const _: () = assert!(NameHeader::SIZE == 8 + 4 + 12 + 12);
