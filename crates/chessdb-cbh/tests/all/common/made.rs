//! A small database made by hand: the games of docs/formats/cbh.md, section 6.10, with names and
//! annotations of all kinds.

use chessdb_cbh::raw::{
    AnnotationRecord, Entity, FileFields, FileHeader, GameRecord, IndexHeader, MoveRecord, Node,
    Player, TableHeader, Tournament,
};
use chessdb_cbh::{CBA_FILE, CBC_FILE, CBG_FILE, CBH_FILE, CBP_FILE, CBS_FILE, CBT_FILE};
use chessdb_core::MemorySet;
use chessdb_core::files::Role;
use hex_literal::hex;

/// Returns flags and body of the games' move records, and the number of full moves of their
/// mainlines.
fn games() -> Vec<(u8, Vec<u8>, u8)> {
    let start =
        hex!("01 00 00 01 78 19 78 07 80 78 00 2C 02 C0 2C 88 2C 00 00 00 00 00 00 00 00 00 00 00");
    let promotions = hex!("29FBA3 2AAA4E 2B65C9 2C3290 2DC18E 2E7E7B 2F85E2 30B150 14");
    let chess960 = hex!(
        "01 00 0F 01 AD 83 DD A5 83 DC A5 83 DC 9D 83 DB 9D 83 DB 8D 83 D9 AD 83 DD 95 83 DA
         28 2F 30 00 37 07 01D4 91"
    );
    let tree = hex!(
        "FF DD DB 00 C8 0F 8A 65 0E 45 E5 C4 16 E6 37 4C 90 E9 B2 58 1B AD 5A C5 1E EF 54 98 BA 22
         F2 9A 22 23 F5 56 21 5C F8 AF 29 95 A2 2B FB 77 2C A4 FB 9D 00 22 01 2B 32 4A 33 2E AC 9E
         06 67 32 25 39 38 3A"
    );
    let nulls = hex!("FF 85 86 0E 3A 0C 11 7F 45 7F 4B B5 B1 3A C3 26 25 E9 3B 7A B5 1F");
    vec![
        (0, hex!("0B 0C DC 7E 02 0C 43 8B 49 15").to_vec(), 5),
        (0, hex!("FF DD 00 0E DC 0F").to_vec(), 1),
        (0, tree.to_vec(), 5),
        (0, nulls.to_vec(), 10),
        (0x40, [&start[..], &promotions[..]].concat(), 4),
        (0x4A, chess960.to_vec(), 0),
    ]
}

/// Position, type, content.
fn notes() -> Vec<(i32, u8, &'static [u8])> {
    vec![
        (-1, 0x02, b"\0\0The game"),
        (-1, 0x16, &[0, 0, 1, 0]),
        (0, 0x82, b"\0\0First"),
        (0, 0x03, &[1, 16, 140]),
        (1, 0x04, &[2, 1, 4, 64]),
        (1, 0x05, &[3, 1, 64]),
        (1, 0x02, b"\0\x2AHe goes \xB1 wrong"),
        (2, 0x07, &[0, 1, 59, 0]),
        (2, 0x21, &[221, 255, 0, 0, 12, 0]),
        (3, 0x18, &[2]),
        (3, 0x55, b"nobody knows"),
        (40, 0x02, b"\0\0behind the end"),
    ]
}

fn table<E: Entity>(entities: &[E]) -> Vec<u8> {
    let count = entities.len() as u32;
    let header = TableHeader {
        records: count,
        root: 0,
        magic: TableHeader::MAGIC,
        data_size: E::SIZE as u32,
        first_deleted: u32::MAX,
        live: count,
        extra: 4,
    };
    let mut out = header.to_bytes().to_vec();
    out.extend([0; 4]);
    for (n, entity) in (1..).zip(entities) {
        // Each record is the right child of the one before.
        let right = if n < count as i32 { n } else { -1 };
        out.extend((-1i32).to_le_bytes());
        out.extend(right.to_le_bytes());
        out.push(0);
        entity.write(&mut out);
    }
    assert_eq!(out.len(), 32 + entities.len() * (Node::SIZE + E::SIZE));
    out
}

/// Returns an entity with these fixed strings.
fn entity<E: Entity>(strings: &[(usize, &str)]) -> E {
    let mut bytes = vec![0; E::SIZE];
    bytes[E::SIZE - 8] = 1; // The number of references.
    for (at, text) in strings {
        bytes[*at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    E::from_slice(&bytes)
}

/// Returns the database.
pub fn base() -> MemorySet {
    let header = FileHeader(Some(FileFields {
        short: [0; 2],
        long: Some([0; 2]),
    }));
    let (mut cbg, mut cba) = (header.to_bytes(), header.to_bytes());
    let games = games();
    let count = games.len() as u32;
    let mut cbh = IndexHeader {
        zero: 0,
        used: 44,
        record_size: 46,
        version: 1,
        next_game: count + 1,
        reserved: [0; 2],
        next_media: [0; 3],
        reserved_too: [0; 16],
        next_game_again: count + 1,
        last: [0; 2],
    }
    .to_bytes()
    .to_vec();
    for (n, (flags, body, full_moves)) in (0..).zip(games) {
        let mut record = GameRecord::parse(&[0; 46]);
        record.kind = 1;
        record.moves = cbg.len() as u32;
        record.black = 1;
        record.date = 2024 << 9 | 5 << 5 | 17;
        record.result = n % 4;
        record.round = n;
        record.elo = [2700, 0];
        record.eco = 128 * 20 + 129;
        record.full_moves = full_moves;
        if n == 0 {
            record.annotations = cba.len() as u32;
            let mut body = Vec::new();
            for (position, kind, data) in notes() {
                body.extend(&position.to_be_bytes()[1..]);
                body.push(kind);
                body.extend((data.len() as u16 + 6).to_be_bytes());
                body.extend(data);
            }
            cba.extend([0, 0, 1]);
            cba.extend(AnnotationRecord::MARK);
            cba.extend(&(notes().len() as u32 + 1).to_be_bytes()[1..]);
            cba.extend((body.len() as u32 + 14).to_be_bytes());
            cba.extend(body);
        }
        MoveRecord { flags, body: &body }.write(&mut cbg);
        cbh.extend(record.to_bytes());
    }
    let players = [
        entity::<Player>(&[(0, "Anderssen"), (30, "Adolf")]),
        entity::<Player>(&[(0, "Dufresne")]),
    ];
    let tournaments = [entity::<Tournament>(&[(0, "Casual"), (40, "Berlin")])];
    let files: [(Role, Vec<u8>); 7] = [
        (CBH_FILE, cbh),
        (CBG_FILE, cbg),
        (CBA_FILE, cba),
        (CBP_FILE, table(&players)),
        (CBT_FILE, table(&tournaments)),
        (
            CBC_FILE,
            table(&[entity::<chessdb_cbh::raw::Annotator>(&[(0, "Me")])]),
        ),
        (
            CBS_FILE,
            table(&[entity::<chessdb_cbh::raw::Source>(&[
                (0, "Book"),
                (25, "Pub"),
            ])]),
        ),
    ];
    files.into_iter().collect()
}
