//! The byte map of a database, for `chessdb dump --raw`.

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region, RegionKind};
use chessdb_core::record::Record as _;
use chessdb_core::sorting::sort_by_key;

use crate::raw::{
    Cdp, DirectoryEntry, Emb, InnerFile, Item, Items, LongLengths, NameRecord, PlayerData,
    RawHeader, RecordBytes, StartPosition, addresses, record_offsets,
};
use crate::roles::{A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};

/// Reports each region of a database. Nothing is known about the side files.
pub(crate) fn dump(files: &dyn FileSet, emit: &mut dyn FnMut(Region)) {
    if let Some(bytes) = files.get(CDP_FILE) {
        cdp(bytes, &mut Fields::new(CDP_FILE, 0, emit));
    }
    if let Some(bytes) = files.get(D00_FILE) {
        let fields = &mut Fields::new(D00_FILE, 0, emit);
        let (rows, tail) = bytes.as_chunks();
        for (n, row) in (1..).zip(rows) {
            RawHeader::parse(row).explain(&format!("game {n}: "), fields);
        }
        fields.slack(tail.len() as u64, "after the last header");
    }
    if let Some(bytes) = files.get(A02_FILE) {
        table(bytes, "", &mut Fields::new(A02_FILE, 0, emit));
    }
    if let Some(bytes) = files.get(D02_FILE) {
        for offset in record_offsets(files) {
            record(
                bytes,
                offset,
                &mut Fields::new(D02_FILE, offset.into(), emit),
            );
        }
    }
    if let Some(bytes) = files.get(EMB_FILE) {
        emb(bytes, emit);
    }
}

/// Maps the description (section 2).
fn cdp(bytes: &[u8], fields: &mut Fields<'_>) {
    let Ok(cdp) = Cdp::parse(bytes) else {
        return fields.unknown(bytes.len() as u64, "a truncated description");
    };
    fields.known(50, "signature");
    fields.known(50, "version of the format");
    fields.unknown(4, "not described");
    fields.known(4, format!("number: {}", cdp.count));
    fields.known(4, format!("length of the comment: {}", cdp.declared));
    fields.known(cdp.comment.len() as u64, "comment");
    fields.slack(cdp.tail.len() as u64, "after the comment");
}

/// Maps a table of addresses (section 4.1).
fn table(bytes: &[u8], what: &str, fields: &mut Fields<'_>) {
    let (numbers, tail) = addresses(bytes);
    for (n, &number) in numbers.iter().enumerate() {
        let address = match u32::try_from(number) {
            Ok(offset) => format!("at {offset:#x}"),
            Err(_) => format!("the same as {}", number.unsigned_abs()),
        };
        fields.known(4, format!("{what}{n}: {address}"));
    }
    fields.slack(tail.len() as u64, "after the last address");
}

/// Maps a record (sections 7, 9 and 11).
fn record(bytes: &[u8], offset: u32, fields: &mut Fields<'_>) {
    let Some(record) = RecordBytes::find(bytes, offset, LongLengths::TwoBytes) else {
        return;
    };
    let length = record.start - offset as usize;
    fields.known(length as u64, format!("record: {} bytes", record.declared));
    let mut items = Items::new(record.body);
    // The moves since the last other item are one region.
    let mut moves = 0;
    while let Some((start, item)) = items.next() {
        let length = (items.offset() - start) as u64;
        if matches!(
            item,
            Item::Move(_) | Item::EnPassantMark | Item::Promotion(..) | Item::Extended(..)
        ) {
            moves += length;
            continue;
        }
        fields.known(std::mem::take(&mut moves), "moves");
        match item {
            Item::Open => fields.known(length, "a variation begins"),
            Item::Close => fields.known(length, "a variation ends"),
            Item::Unassigned(code) => fields.unknown(length, format!("code {code}")),
            Item::Start(start) => start_position(&start, fields),
            Item::Comment(comment) => match comment.parts() {
                Some((kind, payload)) => {
                    let header = length - payload.len() as u64;
                    fields.known(header, format!("comment of type {kind}"));
                    let (region, what) = comment_kind(kind, payload);
                    fields.add(payload.len() as u64, region, what);
                }
                None => fields.known(length, "an empty comment"),
            },
            _ => fields.unknown(length, "code 233"),
        }
    }
    fields.known(moves, "moves");
    fields.unknown(items.rest().len() as u64, "cannot be read");
}

fn comment_kind(kind: u8, payload: &[u8]) -> (RegionKind, &'static str) {
    let plain = payload.iter().all(|byte| b"!?".contains(byte));
    match kind {
        2 if plain => (RegionKind::Known, "symbol"),
        3 if plain => (RegionKind::Known, "symbol before the move"),
        2 | 3 => (RegionKind::Unknown, "symbol of unknown meaning"),
        4 => (RegionKind::Known, "text"),
        5 => (RegionKind::Known, "text before the move"),
        6 => (RegionKind::Unknown, "evaluation with its author"),
        7 | 21 => (RegionKind::Unknown, "folders of the user?"),
        8 => (RegionKind::Unknown, "diagram"),
        9 => (RegionKind::Unknown, "diagram before the move"),
        29 if matches!(payload.len(), 4 | 7) => (RegionKind::Known, "evaluation of an engine"),
        _ => (RegionKind::Unknown, "comment of unknown type"),
    }
}

/// Maps a start position with its code (section 10).
fn start_position(start: &StartPosition, fields: &mut Fields<'_>) {
    fields.known(1, "start position");
    fields.known(36, "White's pieces by slot: square, kind");
    fields.known(36, "Black's pieces by slot: square, kind");
    fields.known(2, format!("half-moves before: {}", start.plies));
    fields.known(1, format!("castling: {}", start.castling.bits()));
    fields.known(1, format!("en passant: {:02x}", start.en_passant));
}

/// Maps the EMB (section 3). Inner files are fragmented, so all regions are collected and sorted
/// first.
fn emb(bytes: &[u8], emit: &mut dyn FnMut(Region)) {
    let Ok(emb) = Emb::parse(bytes) else {
        let mut fields = Fields::new(EMB_FILE, 0, emit);
        return fields.unknown(bytes.len() as u64, "a truncated header");
    };
    let mut regions = Vec::new();
    let collect = &mut |region| regions.push(region);
    emb.raw_header
        .explain("", &mut Fields::new(EMB_FILE, 0, collect));
    inner(&emb.directory, "directory", directory, collect);
    for (entry, file) in emb.entries.iter().zip(&emb.files) {
        let name = String::from_utf8_lossy(entry.name());
        let fields = |content: &[u8], fields: &mut Fields<'_>| content_of(&name, content, fields);
        inner(file, &name, fields, collect);
    }
    sort_by_key(&mut regions, |region| (region.start, region.end));
    regions.into_iter().for_each(emit);
}

/// Reports the regions of an inner file at the offsets of its fragments. `explain` reports them in
/// ascending order, at their offsets in the inner file.
fn inner(
    file: &InnerFile,
    name: &str,
    explain: impl FnOnce(&[u8], &mut Fields<'_>),
    emit: &mut dyn FnMut(Region),
) {
    let mut regions = Vec::new();
    explain(
        &file.content,
        &mut Fields::new(EMB_FILE, 0, &mut |region| regions.push(region)),
    );
    let mut ranges = file.ranges();
    if let Some((start, length)) = ranges.next() {
        let what = format!("{name}: fragment table");
        Fields::new(EMB_FILE, start as u64, emit).known(length as u64, what);
    }
    let mut described = regions.into_iter().peekable();
    let mut offset = 0;
    for (start, length) in ranges {
        let end = offset + length as u64;
        let fields = &mut Fields::new(EMB_FILE, start as u64, emit);
        // A region may continue in the next fragment; each fragment shows its part.
        while offset < end {
            while described.next_if(|region| region.end <= offset).is_some() {}
            let next = described.peek().filter(|region| region.start < end);
            let from = next.map_or(end, |region| region.start.max(offset));
            fields.unknown(from - offset, format!("{name}: not described"));
            offset = from;
            if let Some(region) = next {
                let to = region.end.min(end);
                let what = format!("{name}: {}", region.what);
                fields.add(to - offset, region.kind, what);
                offset = to;
            }
        }
    }
}

fn directory(content: &[u8], fields: &mut Fields<'_>) {
    for entry in content.as_chunks().0 {
        DirectoryEntry::parse(entry).explain("", fields);
    }
}

/// Maps the content of the inner file with this name.
fn content_of(name: &str, content: &[u8], fields: &mut Fields<'_>) {
    let lower = name.to_ascii_lowercase();
    let players = lower.starts_with("players.");
    match lower.rsplit('.').next().unwrap_or_default() {
        "cdp" => cdp(content, fields),
        "iii" => {
            for (n, id) in addresses(content).0.iter().enumerate() {
                fields.known(4, format!("{n} in order: name {id}"));
            }
        }
        "a01" => table(content, "name ", fields),
        "d00" if players => {
            for (n, row) in content.as_chunks().0.iter().enumerate() {
                PlayerData::parse(row).explain(&format!("player {n}: "), fields);
            }
        }
        "d01" => names(content, players, fields),
        // `inner` reports the bytes that nothing here explains, such as the masks.
        _ => {}
    }
}

/// Maps the records of a list if they follow one another from the second byte on. A list with junk
/// between the records is one region.
fn names(content: &[u8], players: bool, fields: &mut Fields<'_>) {
    let mut names = Vec::new();
    let mut rest = content.get(1..).unwrap_or_default();
    while !rest.is_empty() {
        let Some(record) = NameRecord::parse(rest, players) else {
            return fields.known(content.len() as u64, "names, not in sequence");
        };
        let length = 1 + record.name.len() + record.title.map_or(0, |title| title.len() + 1);
        names.push((length, record.name));
        rest = rest.get(length..).unwrap_or_default();
    }
    fields.slack(1.min(content.len()) as u64, "before the names");
    for (length, name) in names {
        let name = String::from_utf8_lossy(name);
        fields.known(length as u64, format!("name \"{name}\""));
    }
}
