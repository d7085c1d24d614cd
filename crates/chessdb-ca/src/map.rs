//! The byte map of a database, for `chessdb dump --raw`.

use std::borrow::Cow;

use chessdb_core::FileSet;
use chessdb_core::dump::{Region, RegionKind};
use chessdb_core::files::Role;

use crate::raw::{
    Cdp, DirectoryEntry, Emb, EmbHeader, InnerFile, Item, Items, LongLengths, NameRecord,
    RawHeader, RecordBytes, StartPosition, addresses, record_offsets,
};
use crate::roles::{A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};

/// Reports each region of a database. Nothing is known about the side files.
pub(crate) fn dump(files: &dyn FileSet, emit: &mut dyn FnMut(Region)) {
    if let Some(bytes) = files.get(CDP_FILE) {
        cdp(
            &mut Map {
                file: CDP_FILE,
                base: 0,
                emit,
            },
            bytes,
        );
    }
    if let Some(bytes) = files.get(D00_FILE) {
        raw_headers(bytes, emit);
    }
    if let Some(bytes) = files.get(A02_FILE) {
        table(
            &mut Map {
                file: A02_FILE,
                base: 0,
                emit,
            },
            bytes,
        );
    }
    if let Some(bytes) = files.get(D02_FILE) {
        for offset in record_offsets(files) {
            record(bytes, offset, emit);
        }
    }
    if let Some(bytes) = files.get(EMB_FILE) {
        emb(bytes, emit);
    }
}

/// A reporter of the regions of one file, with offsets relative to `base`.
struct Map<'m> {
    file: Role,
    base: u64,
    emit: &'m mut dyn FnMut(Region),
}

impl Map<'_> {
    fn add(
        &mut self,
        start: usize,
        length: usize,
        kind: RegionKind,
        what: impl Into<Cow<'static, str>>,
    ) {
        let start = self.base + start as u64;
        let region = Region::known(self.file, start, start + length as u64, what);
        (self.emit)(region.of_kind(kind));
    }

    fn known(&mut self, start: usize, length: usize, what: impl Into<Cow<'static, str>>) {
        self.add(start, length, RegionKind::Known, what);
    }

    fn unknown(&mut self, start: usize, length: usize, what: impl Into<Cow<'static, str>>) {
        self.add(start, length, RegionKind::Unknown, what);
    }
}

/// Maps the description (section 2).
fn cdp(map: &mut Map<'_>, bytes: &[u8]) {
    let Ok(cdp) = Cdp::parse(bytes) else {
        return map.unknown(0, bytes.len(), "a truncated description");
    };
    map.known(0, 50, "signature");
    map.known(50, 50, "version of the format");
    map.unknown(100, 4, "not described");
    map.known(104, 4, format!("number: {}", cdp.count));
    map.known(108, 4, format!("length of the comment: {}", cdp.declared));
    map.known(112, cdp.comment.len(), "comment");
    map.add(
        112 + cdp.comment.len(),
        cdp.tail.len(),
        RegionKind::Slack,
        "after the comment",
    );
}

/// Maps the headers (section 5).
fn raw_headers(bytes: &[u8], emit: &mut dyn FnMut(Region)) {
    let (rows, tail) = bytes.as_chunks();
    for (n, row) in rows.iter().enumerate() {
        let raw_header = RawHeader::parse(row);
        let base = (n * RawHeader::SIZE) as u64;
        let map = &mut Map {
            file: D00_FILE,
            base,
            emit,
        };
        map.known(
            0,
            3,
            format!("game {}: White, player {}", n + 1, raw_header.white),
        );
        map.known(3, 3, format!("Black, player {}", raw_header.black));
        map.known(6, 2, format!("rating of White: {}", raw_header.white_elo));
        map.known(8, 2, format!("rating of Black: {}", raw_header.black_elo));
        let outcome = if (1..=16).contains(&raw_header.outcome) {
            RegionKind::Known
        } else {
            RegionKind::Unknown
        };
        map.add(10, 1, outcome, format!("outcome: {}", raw_header.outcome));
        map.known(11, 3, format!("date: {}", raw_header.date.to_date()));
        map.known(14, 3, format!("event {}", raw_header.event));
        map.known(17, 3, format!("place {}", raw_header.place));
        let kind = if raw_header.game_type <= 30 {
            RegionKind::Known
        } else {
            RegionKind::Unknown
        };
        map.add(
            20,
            4,
            kind,
            format!("type of the game: {}", raw_header.game_type),
        );
        map.known(24, 4, format!("number of the record: {}", raw_header.game));
        map.unknown(28, 1, format!("not described: {}", raw_header.unknown));
        map.known(
            29,
            1,
            format!(
                "round {}, bit {}",
                raw_header.round >> 1,
                raw_header.round & 1
            ),
        );
        let eco = if raw_header.eco < 500 {
            RegionKind::Known
        } else {
            RegionKind::Unknown
        };
        map.add(30, 2, eco, format!("ECO: {}", raw_header.eco));
        map.known(32, 3, format!("annotator, player {}", raw_header.annotator));
        map.known(35, 3, format!("source {}", raw_header.source));
    }
    let map = &mut Map {
        file: D00_FILE,
        base: 0,
        emit,
    };
    map.add(
        bytes.len() - tail.len(),
        tail.len(),
        RegionKind::Slack,
        "after the last header",
    );
}

/// Maps a table of addresses (section 4.1).
fn table(map: &mut Map<'_>, bytes: &[u8]) {
    let (numbers, tail) = addresses(bytes);
    for (n, number) in numbers.iter().enumerate() {
        let what = if *number < 0 {
            format!("{n}: the same as {}", number.unsigned_abs())
        } else {
            format!("{n}: at {number:#x}")
        };
        map.known(n * 4, 4, what);
    }
    map.add(
        bytes.len() - tail.len(),
        tail.len(),
        RegionKind::Slack,
        "after the last address",
    );
}

/// Maps a record (sections 7, 9 and 11).
fn record(bytes: &[u8], offset: u32, emit: &mut dyn FnMut(Region)) {
    let Some(record) = RecordBytes::find(bytes, offset, LongLengths::TwoBytes) else {
        return;
    };
    let length = record.start - offset as usize;
    let map = &mut Map {
        file: D02_FILE,
        base: offset.into(),
        emit,
    };
    map.known(0, length, format!("record: {} bytes", record.declared));
    map.base = record.start as u64;
    let mut items = Items::new(record.body);
    let mut moves = 0..0;
    while let Some((at, item)) = items.next() {
        let end = items.offset();
        if matches!(
            item,
            Item::Move(_) | Item::EnPassantMark | Item::Promotion(..) | Item::Extended(..)
        ) {
            moves.end = end;
            continue;
        }
        map.known(moves.start, moves.len(), "moves");
        moves = end..end;
        match item {
            Item::Open => map.known(at, 1, "a variation begins"),
            Item::Close => map.known(at, 1, "a variation ends"),
            Item::Unknown(_) => map.unknown(at, 2, "code 233"),
            Item::Unassigned(code) => map.unknown(at, 1, format!("code {code}")),
            Item::Start(start) => start_position(map, at, &start),
            Item::Comment(comment) => {
                let header = end - at - comment.content.len();
                match comment.parts() {
                    Some((kind, payload)) => {
                        map.known(at, header + 1, format!("comment of type {kind}"));
                        let (region, what) = comment_kind(kind, payload);
                        map.add(at + header + 1, payload.len(), region, what);
                    }
                    None => map.known(at, header, "an empty comment"),
                }
            }
            _ => {}
        }
    }
    map.known(moves.start, moves.len(), "moves");
    map.unknown(items.offset(), items.rest().len(), "cannot be read");
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

/// Maps a start position (section 10).
fn start_position(map: &mut Map<'_>, at: usize, start: &StartPosition) {
    map.known(at, 1, "start position");
    map.known(at + 1, 36, "White's pieces by slot: square, kind");
    map.known(at + 37, 36, "Black's pieces by slot: square, kind");
    map.known(at + 73, 2, format!("half-moves before: {}", start.plies));
    map.known(at + 75, 1, format!("castling: {}", start.castling));
    map.known(at + 76, 1, format!("en passant: {:02x}", start.en_passant));
}

/// Maps the EMB (section 3). Inner files are fragmented, so all regions are collected and sorted
/// first.
fn emb(bytes: &[u8], emit: &mut dyn FnMut(Region)) {
    let mut regions = Vec::new();
    let mut collect = |region| regions.push(region);
    let map = &mut Map {
        file: EMB_FILE,
        base: 0,
        emit: &mut collect,
    };
    let Ok(emb) = Emb::parse(bytes) else {
        return Map {
            file: EMB_FILE,
            base: 0,
            emit,
        }
        .unknown(0, bytes.len(), "a truncated header");
    };
    map.known(0, 64, "signature");
    map.known(64, 64, "version of the volume");
    map.unknown(128, 8, "not described");
    map.known(
        136,
        4,
        format!("length of the directory: {}", emb.raw_header.length),
    );
    map.known(
        140,
        4,
        format!("its fragment table: {:#x}", emb.raw_header.table),
    );
    debug_assert_eq!(EmbHeader::SIZE, 144);
    inner(map, &emb.directory, "directory", directory_fields(&emb));
    for (entry, file) in emb.entries.iter().zip(&emb.files) {
        let name = String::from_utf8_lossy(entry.name()).into_owned();
        let fields = fields(&name, &file.content);
        inner(map, file, &name, fields);
    }
    regions.sort_by_key(|region| (region.start, region.end));
    regions.into_iter().for_each(emit);
}

/// A range of an inner file.
struct Field {
    start: usize,
    length: usize,
    kind: RegionKind,
    what: String,
}

fn field(start: usize, length: usize, kind: RegionKind, what: impl Into<String>) -> Field {
    Field {
        start,
        length,
        kind,
        what: what.into(),
    }
}

/// Reports the fields of an inner file at the offsets of its fragments.
fn inner(map: &mut Map<'_>, file: &InnerFile, name: &str, fields: Vec<Field>) {
    let mut ranges = file.ranges();
    if let Some((start, length)) = ranges.next() {
        map.known(start, length, format!("{name}: fragment table"));
    }
    let mut fields = fields.into_iter().peekable();
    let mut piece_at = 0;
    for (start, length) in ranges {
        let end = piece_at + length;
        let mut at = piece_at;
        let unclaimed = |map: &mut Map<'_>, from: usize, to: usize| {
            map.unknown(
                start + from - piece_at,
                to - from,
                format!("{name}: not described"),
            );
        };
        while at < end {
            while fields
                .next_if(|field| field.start + field.length <= at)
                .is_some()
            {}
            let Some(next) = fields.peek().filter(|next| next.start < end) else {
                break;
            };
            let from = next.start.max(at);
            let to = (next.start + next.length).min(end);
            unclaimed(map, at, from);
            let what = format!("{name}: {}", next.what);
            map.add(start + from - piece_at, to - from, next.kind, what);
            at = to;
        }
        unclaimed(map, at, end);
        piece_at = end;
    }
}

fn directory_fields(emb: &Emb<'_>) -> Vec<Field> {
    let mut fields = Vec::new();
    for (n, entry) in emb.entries.iter().enumerate() {
        let at = n * DirectoryEntry::SIZE;
        let name = String::from_utf8_lossy(entry.name()).into_owned();
        fields.extend([
            field(
                at,
                8,
                RegionKind::Unknown,
                format!("{} and {}", entry.first, entry.second),
            ),
            field(
                at + 8,
                4,
                RegionKind::Known,
                format!("length: {}", entry.length),
            ),
            field(
                at + 12,
                4,
                RegionKind::Known,
                format!("fragment table: {:#x}", entry.table),
            ),
            field(at + 16, 12, RegionKind::Unknown, "not described"),
            field(at + 28, 228, RegionKind::Known, format!("name: {name}")),
        ]);
    }
    fields
}

/// Returns the fields of the inner file with this name, in ascending order.
fn fields(name: &str, content: &[u8]) -> Vec<Field> {
    let players = name.to_ascii_lowercase().starts_with("players.");
    let suffix = name
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let numbers = || addresses(content).0.into_iter().enumerate();
    match suffix.as_str() {
        "cdp" => {
            let mut fields = Vec::new();
            let mut collect = |region: Region| {
                let (start, length) = (region.start as usize, (region.end - region.start) as usize);
                fields.push(field(start, length, region.kind, region.what));
            };
            cdp(
                &mut Map {
                    file: EMB_FILE,
                    base: 0,
                    emit: &mut collect,
                },
                content,
            );
            fields
        }
        "iii" => numbers()
            .map(|(n, id)| {
                field(
                    n * 4,
                    4,
                    RegionKind::Known,
                    format!("{n} in order: name {id}"),
                )
            })
            .collect(),
        "a01" => numbers()
            .map(|(n, at)| match u32::try_from(at) {
                Ok(at) => field(n * 4, 4, RegionKind::Known, format!("name {n}: at {at:#x}")),
                Err(_) => {
                    let same = at.unsigned_abs();
                    field(
                        n * 4,
                        4,
                        RegionKind::Known,
                        format!("name {n}: the same as {same}"),
                    )
                }
            })
            .collect(),
        "d00" if players => content
            .chunks(10)
            .enumerate()
            .flat_map(|(n, row)| {
                let at = n * 10;
                let left = |from: usize, size: usize| size.min(row.len().saturating_sub(from));
                [
                    field(
                        at,
                        left(0, 2),
                        RegionKind::Known,
                        format!("player {n}: rating"),
                    ),
                    field(at + 2, left(2, 4), RegionKind::Known, "FIDE number"),
                    field(at + 6, left(6, 3), RegionKind::Known, "date of birth"),
                    field(at + 9, left(9, 1), RegionKind::Known, "gender"),
                ]
            })
            .collect(),
        "d01" => names(content, players),
        _ => vec![field(
            0,
            content.len(),
            RegionKind::Unknown,
            "not described",
        )],
    }
}

/// Returns the records of a list if they follow one another from the second byte on. A list with
/// junk between the records is one region.
fn names(content: &[u8], players: bool) -> Vec<Field> {
    let mut fields = vec![field(
        0,
        1.min(content.len()),
        RegionKind::Slack,
        "before the names",
    )];
    let mut at = 1;
    while let Some(rest) = content.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(record) = NameRecord::parse(rest, players) else {
            let text = "names, not in sequence";
            return vec![field(0, content.len(), RegionKind::Known, text)];
        };
        let length = 1 + record.name.len() + record.title.map_or(0, |title| title.len() + 1);
        let shown = String::from_utf8_lossy(record.name).into_owned();
        fields.push(field(
            at,
            length,
            RegionKind::Known,
            format!("name \"{shown}\""),
        ));
        at += length;
    }
    fields
}
