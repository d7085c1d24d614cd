//! The worked examples of docs/formats/chess-assistant.md, section 15: decoded as explained, and
//! written again byte for byte.

use chessdb_ca::raw::{Emb, ListFiles};
use chessdb_ca::{A02_FILE, CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};
use chessdb_core::model::{Eco, Rating, RatingKind};
use chessdb_core::{Date, Game, Outcome, Start, WriteOptions};
use chessdb_testkit::identity;
use hex_literal::hex;

use crate::common::{file, read, record, rewritten, with_records};

/// Decodes the record, compares it, and writes it again.
fn example(bytes: &[u8], expected: &str) -> Game {
    let set = with_records(&[bytes]);
    let reading = read(&set, 0);
    assert_eq!(reading.text, expected);
    assert!(reading.strict.is_ok(), "{:?}", reading.strict);
    assert!(reading.said.is_empty(), "{:?}", reading.said);
    assert_eq!(
        file(&rewritten(&set), D02_FILE),
        file(&set, D02_FILE),
        "{expected}"
    );
    reading.game
}

fn fen(game: &Game) -> String {
    let Start::Setup(setup) = &game.header.start else {
        panic!("no start position")
    };
    setup.board.to_string()
}

#[test]
fn a_castling_both_sides() {
    example(
        &hex!("0A 13 13 2B 27 46 41 D0 28 0C D0"),
        "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d3 e8g8",
    );
}

#[test]
fn b_promotion_into_slot_16() {
    example(
        &hex!("0D 1F 1B 1D 1C 1E 28 1C 58 D1 1D B0 27 A1"),
        "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8 h7g8q b8c6 g8g3",
    );
}

#[test]
fn c_en_passant() {
    example(
        &hex!("07 13 00 10 0F D2 11 11"),
        "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6",
    );
}

#[test]
fn d_variation_in_a_variation() {
    example(
        &hex!(
            "20 13 E7 0B E7 08 E8 2B EB 09 04 53 69 63 69 6C 69 61 6E E8 13 2B EA 02 21"
            "EB 05 04 6D 61 69 6E 27"
        ),
        "e2e4 e7e5 (c7c5 g1f3 {Sicilian} (c2c3)) g1f3 $1 {main} b8c6",
    );
    example(
        &hex!("08 13 E7 0B E8 E7 10 E8 13"),
        "e2e4 e7e5 (c7c5) (e7e6)",
    );
}

/// Returns the bytes of a start position in the order of the example.
fn start(white: &[(usize, [u8; 2])], black: &[(usize, [u8; 2])], end: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0xE6];
    for side in [white, black] {
        let mut slots = [[8, 0]; 18];
        for &(slot, entry) in side {
            slots[slot] = entry;
        }
        bytes.extend(slots.concat());
    }
    bytes.extend(end);
    bytes
}

#[test]
fn e_position_and_under_promotion() {
    let mut body = start(
        &[(0, [0x60, 1]), (13, [0x07, 4]), (15, [0x04, 6])],
        &[(15, [0x74, 6])],
        hex!("3C 00 01 00"),
    );
    body.extend(hex!("D0 82 D1 00 50 82 AA 88"));
    let bytes = record(&body);
    assert_eq!(bytes[0], 0x55);
    let game = example(&bytes, "e1g1 e8d7 a7a8n d7c6 a8c7 c6c7");
    assert_eq!(fen(&game), "4k3/P7/8/8/8/8/8/4K2R w K - 0 31");
}

#[test]
fn f_null_move() {
    example(&hex!("03 13 D3 0F"), "e2e4 0000 d2d4");
}

#[test]
fn g_black_to_move_and_en_passant() {
    let mut body = start(
        &[(4, [0x34, 1]), (15, [0x04, 6])],
        &[(3, [0x33, 1]), (15, [0x74, 6])],
        hex!("13 00 00 24"),
    );
    body.extend(hex!("D2 0E"));
    let bytes = record(&body);
    assert_eq!(bytes[0], 0x4F);
    let game = example(&bytes, "d4e3");
    assert_eq!(fen(&game), "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 10");
}

#[test]
fn h_no_free_slot() {
    let mut body = start(
        &[
            (1, [0x61, 1]),
            (14, [0x10, 5]),
            (15, [0x00, 6]),
            (16, [0x11, 5]),
            (17, [0x12, 5]),
        ],
        &[(15, [0x57, 6])],
        [0; 4],
    );
    body.extend(hex!("D1 04 A1 82 D5 04"));
    let bytes = record(&body);
    assert_eq!(bytes[0], 0x53);
    let game = example(&bytes, "b7b8q h6g5 b8f8");
    assert_eq!(fen(&game), "8/1P6/7k/8/8/8/QQQ5/K7 w - - 0 1");
}

#[test]
fn i_evaluations_and_lengths() {
    example(
        &hex!(
            "1C 13 EB 05 1D 23 00 FF 00 EB 08 1D EC FF FF 00 43 41 50"
            "EB 07 05 4E 6F 77 20 20 20 13"
        ),
        "e2e4 [Centipawns(35)] [Centipawns(-20)] [258:ff00434150] | <{Now   }> e7e5",
    );
    let text = "x".repeat(300);
    let mut bytes = hex!("B4 02 13 EC 2D 01 00 00 04").to_vec();
    bytes.extend(text.as_bytes());
    bytes.push(0x13);
    example(&bytes, &format!("e2e4 {{{text}}} e7e5"));
}

fn example_j() -> (Vec<Game>, WriteOptions) {
    let mut first = read(
        &with_records(&[&hex!("0A 13 13 2B 27 46 41 D0 28 0C D0")]),
        0,
    )
    .game;
    first.header.white.name = first.add_text("Ivanov, Ivan").into();
    first.header.black.name = first.add_text("Petrov, Petr").into();
    first.header.event = first.add_text("Club Ch").into();
    first.header.site = first.add_text("Minsk").into();
    first.header.round = first.add_text("3").into();
    first.header.date = Date::new(2001, 7, 15);
    let elo = |value| {
        Some(Rating {
            value,
            kind: RatingKind::Elo,
        })
    };
    (first.header.white.rating, first.header.black.rating) = (elo(2410), elo(2385));
    first.header.outcome = Outcome::WhiteWins;
    first.header.eco = Some(Eco::new(250));
    let mut second = read(&with_records(&[&hex!("07 13 00 10 0F D2 11 11")]), 0).game;
    second.header.white.name = second.add_text("Petrov, Petr").into();
    second.header.black.name = second.add_text("Ivanov, Ivan").into();
    second.header.outcome = Outcome::Draw;
    let mut options = WriteOptions::default();
    let base = &mut options.base;
    base.description = base.texts.push(b"demo", chessdb_core::Charset::UTF_8);
    (vec![first, second], options)
}

#[test]
fn j_a_whole_base() {
    let (games, options) = example_j();
    let (set, losses) = identity::write_all(&CA, &games, options).unwrap();
    assert!(losses.is_empty());
    let d00 = hex!(
        "01 00 00 02 00 00 6A 09 51 09 02 8F B4 0C 01 00 00 01 00 00 00 00 00 00 00 00 00 00"
        "00 06 FA 00 00 00 00 00 00 00"
        "02 00 00 01 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00"
        "00 00 FF FF 00 00 00 00 00 00"
    );
    assert_eq!(file(&set, D00_FILE), d00);
    assert_eq!(file(&set, A02_FILE), hex!("01 00 00 00 0C 00 00 00"));
    assert_eq!(
        file(&set, D02_FILE),
        hex!("00 0A 13 13 2B 27 46 41 D0 28 0C D0 07 13 00 10 0F D2 11 11")
    );
    let cdp = file(&set, CDP_FILE);
    assert_eq!(cdp.len(), 116);
    assert_eq!(cdp[104..], hex!("02 00 00 00 04 00 00 00 64 65 6D 6F"));
    let emb = file(&set, EMB_FILE);
    assert_eq!(emb.len(), 8225);
    assert_eq!(emb[136..144], hex!("00 1C 00 00 B1 1F 00 00"));
    let parsed = Emb::parse(&emb).unwrap();
    assert_eq!(parsed.raw_header.table, 8113);
    let entry = parsed.entries[0].to_bytes();
    assert_eq!(
        entry[..16],
        hex!("00 00 00 00 02 00 00 00 70 00 00 00 00 01 00 00")
    );
    assert_eq!(entry[16..28], [0; 12]);
    assert_eq!(&entry[28..40], b"Players.cdp\0");
    assert_eq!(emb[256..264], hex!("70 00 00 00 90 00 00 00"));
    let players = ListFiles::find(&parsed, "Players");
    assert_eq!(players.d01.len(), 31);
    assert_eq!(players.d01[..3], [0, 0, 0]);
    assert_eq!(players.a01, hex!("01 00 00 00 03 00 00 00 11 00 00 00"));
    // And once more through the model.
    assert_eq!(identity::first_difference(&set, &rewritten(&set)), None);
}
