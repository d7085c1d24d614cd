//! Tests of the statements of the published description of SCID files (docs/seeds.md).

use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::scid::{PieceLists, ScidNumbering};
use chessdb_core::model::{GameFlags, RatingKind, Start};
use chessdb_core::{
    Color, Date, FileSet as _, Game, Outcome, PackedMove, Setup, Square, WriteOptions,
};
use chessdb_scid::SI4;
use chessdb_scid::raw::{Entry, FileHeader, NameFile, Record, TagName, marker};
use chessdb_testkit::identity;

#[test]
fn header_fields_are_at_their_places() {
    let mut bytes = vec![0; 182];
    bytes[..8].copy_from_slice(b"Scid.si\0");
    bytes[8..10].copy_from_slice(&400u16.to_be_bytes());
    bytes[10..14].copy_from_slice(&[0, 0, 0, 15]);
    bytes[14..17].copy_from_slice(&[0xFF, 0xFF, 0xFE]);
    bytes[17..20].copy_from_slice(&[0, 1, 2]);
    bytes[20..28].copy_from_slice(b"Mine\0old");
    for n in 0..6 {
        let at = 128 + 9 * n;
        bytes[at..at + 2].copy_from_slice(&[b'A' + n as u8, 0]);
    }
    let file_header = FileHeader::parse(&bytes).unwrap();
    assert_eq!((file_header.version, file_header.kind), (400, 15));
    assert_eq!(
        (file_header.games, file_header.autoload),
        (16_777_214, 0x102)
    );
    assert_eq!(&file_header.description[..8], b"Mine\0old");
    for (n, name) in file_header.flag_names.iter().enumerate() {
        assert_eq!(name[..2], [b'A' + n as u8, 0]);
    }
    assert_eq!((FileHeader::SIZE, FileHeader::SI3_SIZE), (182, 128));
    assert_eq!((Entry::SIZE, Entry::SI3_SIZE), (47, 46));
}

/// Returns an entry with these bytes at this offset, and zeros elsewhere.
fn entry(at: usize, bytes: &[u8]) -> Entry {
    let mut all = [0; 47];
    all[at..at + bytes.len()].copy_from_slice(bytes);
    Entry::parse(&all)
}

#[test]
fn entry_fields_are_at_their_places() {
    assert_eq!(entry(0, &[1, 2, 3, 4]).offset, 0x0102_0304);
    assert_eq!(entry(4, &[1, 2]).length, 0x102);
    // The description does not define this byte: another bit of the length, and six flags.
    assert_eq!(entry(6, &[0x80]).length, 0x1_0000);
    assert_eq!(entry(9, &[0x50]).white, 5 << 16);
    assert_eq!(entry(9, &[0x05]).black, 5 << 16);
    assert_eq!(entry(10, &[1, 2]).white, 0x102);
    assert_eq!(entry(12, &[1, 2]).black, 0x102);
    assert_eq!(entry(14, &[0b1010_0000]).event, 5 << 16);
    assert_eq!(entry(14, &[0b0001_0100]).site, 5 << 16);
    assert_eq!(entry(14, &[0b0000_0011]).round, 3 << 16);
    assert_eq!(entry(15, &[1, 2]).event, 0x102);
    assert_eq!(entry(17, &[1, 2]).site, 0x102);
    assert_eq!(entry(19, &[1, 2]).round, 0x102);
    let counts = entry(21, &[0x32, 0x14]);
    let codes = (counts.variations.0, counts.comments.0, counts.nags.0);
    assert_eq!((codes, counts.result), ((4, 1, 2), 3));
    assert_eq!(entry(23, &[1, 2]).eco.0, 0x102);
    let date = entry(25, &(2000u32 << 9 | 5 << 5 | 17).to_be_bytes());
    assert_eq!(date.date.to_date(), Date::new(2000, 5, 17));
    for (at, rating) in [(29, 0x44D2), (31, 0x09C5)] {
        let entry = entry(at, &u16::to_be_bytes(rating));
        let code = if at == 29 { entry.white_rating } else { entry.black_rating };
        assert_eq!(
            (code.value(), u16::from(code.kind())),
            (rating & 0xFFF, rating >> 12)
        );
    }
    assert_eq!(entry(33, &[202]).line_code, 202);
    assert_eq!(entry(34, &[1, 2, 3]).final_material, 0x1_0203);
    assert_eq!(entry(37, &[7]).plies, 7);
    assert_eq!(entry(38, &[0xC5]).plies, 0x300);
    assert_eq!(entry(38, &[0xC5]).home_pawn_count, 5);
    assert_eq!(entry(39, &[9; 8]).home_pawns, [9; 8]);
}

/// The description has K at bit 10, the queen's side at 11 and the user's mark at 14. It omits
/// tactics at bit 10, and all following flags are one higher (docs/formats/scid.md, section 2.1).
#[test]
fn flag_bits_are_those_that_scid_writes() {
    let flags = |bits: u16| entry(7, &bits.to_be_bytes()).flags;
    for (bit, letter) in "DWBMENPTKQ!?U".chars().enumerate() {
        let marks = flags(1 << (bit + 3)).marks();
        let expected = GameFlags::from_bits_truncate(1 << bit);
        assert_eq!(marks, expected, "{letter}");
    }
    assert_eq!(flags(1 << 3).marks(), GameFlags::DELETED);
    for bit in 0..3 {
        assert!(flags(1 << bit).marks().is_empty());
        assert_eq!(flags(1 << bit).bits(), 1 << bit);
    }
}

/// 0 unknown, 1 White wins, 2 Black wins, 3 draw.
#[test]
fn results_have_their_numbers() {
    let outcomes = [
        Outcome::Unknown,
        Outcome::WhiteWins,
        Outcome::BlackWins,
        Outcome::Draw,
    ];
    for (code, outcome) in (0u8..).zip(outcomes) {
        let mut game = Game::new();
        game.header.outcome = outcome;
        let (set, _) = identity::write_all(&SI4, [&game], WriteOptions::default()).unwrap();
        let index = set.get(SI4.roles[0]).unwrap();
        assert_eq!(Entry::parse(index.last_chunk().unwrap()).result, code);
        assert_eq!(identity::open_all(&SI4, &set)[0].result(), outcome);
    }
}

#[test]
fn rating_types_have_their_numbers() {
    let kinds = [
        RatingKind::Elo,
        RatingKind::Rating,
        RatingKind::Rapid,
        RatingKind::Iccf,
        RatingKind::Uscf,
        RatingKind::Dwz,
        RatingKind::Ecf,
    ];
    for (n, kind) in (0u16..).zip(kinds) {
        let code = entry(29, &(n << 12 | 1234).to_be_bytes()).white_rating;
        let rating = code.to_rating().unwrap();
        assert_eq!((rating.value, rating.kind), (1234, kind));
    }
}

/// A record consists of tags, flags byte, FEN, moves and comments, in this order.
#[test]
fn a_record_has_its_parts_in_order() {
    let tags = [
        (241, "WhiteCountry"),
        (242, "BlackCountry"),
        (243, "Annotator"),
        (244, "PlyCount"),
        (245, "EventDate"),
        (246, "Opening"),
        (247, "Variation"),
        (248, "Setup"),
        (249, "Source"),
        (250, "SetUp"),
    ];
    let mut bytes = Vec::new();
    for (code, _) in tags {
        bytes.extend([code, 1, b'x']);
    }
    bytes.extend(b"\x05Board\x0212");
    bytes.extend([255, 1, 2, 3]);
    bytes.extend([0, 1]);
    bytes.extend(b"8/8/8/8/8/8/8/K6k w - - 0 1\0");
    bytes.extend([
        marker::COMMENT,
        8,
        marker::NAG,
        3,
        marker::OPEN,
        6,
        marker::CLOSE,
    ]);
    bytes.extend([marker::COMMENT, marker::END]);
    bytes.extend(b"first\0second\0");
    let record = Record::parse(&bytes).unwrap();
    for (tag, (code, name)) in record.tags.iter().zip(tags) {
        assert_eq!(tag.name, TagName::Common(code));
        assert_eq!(tag.name.as_bytes(), Some(name.as_bytes()));
        assert_eq!(tag.value, b"x");
    }
    assert_eq!(record.tags[10].name, TagName::Text(b"Board"));
    assert_eq!(record.tags[10].value, b"12");
    assert_eq!(record.tags[11].value, [1, 2, 3]);
    assert_eq!(record.flags.bits(), 1);
    assert_eq!(record.fen, Some(&b"8/8/8/8/8/8/8/K6k w - - 0 1"[..]));
    assert_eq!(record.comments, [&b"first"[..], b"second"]);
    assert_eq!(record.to_bytes(), bytes);
    let marks = [
        marker::NAG,
        marker::COMMENT,
        marker::OPEN,
        marker::CLOSE,
        marker::END,
    ];
    assert_eq!(marks, [11, 12, 13, 14, 15]);
}

/// Tests the codes of each piece: position, bytes, move.
#[test]
fn moves_have_the_codes_of_the_description() {
    // White's rook, knight, bishop, queen, pawn and king in the order of the FEN.
    let pieces = "4k3/8/8/1p1p4/R1P1N3/4B3/8/3QK3 w - - 0 1";
    let pawn = "1n1nk3/2P5/8/8/8/8/2p5/1N1NK3 w - - 0 1";
    let black = "1n1nk3/2P5/8/8/8/8/2p5/1N1NK3 b - - 0 1";
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (fen, from, bytes, mv) in [
        // Pawns: left, forward, right; queen, rook, bishop, knight; two steps.
        (pieces, "c4", vec![0], "c4b5"),
        (pieces, "c4", vec![1], "c4c5"),
        (pieces, "c4", vec![2], "c4d5"),
        (pawn, "c7", vec![3], "c7b8q"),
        (pawn, "c7", vec![4], "c7c8q"),
        (pawn, "c7", vec![5], "c7d8q"),
        (pawn, "c7", vec![7], "c7c8r"),
        (pawn, "c7", vec![10], "c7c8b"),
        (pawn, "c7", vec![13], "c7c8n"),
        // Mirrored for Black: left is from the mover's point of view.
        (black, "c2", vec![3], "c2d1q"),
        (black, "c2", vec![5], "c2b1q"),
        // Knights by (files, ranks).
        (pieces, "e4", vec![1], "e4d2"),
        (pieces, "e4", vec![2], "e4f2"),
        (pieces, "e4", vec![3], "e4c3"),
        (pieces, "e4", vec![4], "e4g3"),
        (pieces, "e4", vec![5], "e4c5"),
        (pieces, "e4", vec![6], "e4g5"),
        (pieces, "e4", vec![7], "e4d6"),
        (pieces, "e4", vec![8], "e4f6"),
        // Bishops: the file, and one of two diagonals.
        (pieces, "e3", vec![5], "e3f4"),
        (pieces, "e3", vec![5 + 8], "e3f2"),
        // Rooks: file, or rank plus 8 (the description's 7 counts ranks from 1).
        (pieces, "a4", vec![1], "a4b4"),
        (pieces, "a4", vec![8 + 7], "a4a8"),
        // Queens: like rooks; the queen's own file announces a diagonal.
        (pieces, "d1", vec![0], "d1a1"),
        (pieces, "d1", vec![8 + 4], "d1d5"),
        (pieces, "d1", vec![3, 64 + 39], "d1h5"),
        // Kings.
        (pieces, "e1", vec![5], "e1f1"),
        (castling, "e1", vec![9], "e1c1"),
        (castling, "e1", vec![10], "e1g1"),
        (pieces, "e1", vec![0], "0000"),
    ] {
        let start = Start::Setup(Box::new(Setup::from_fen(fen.as_bytes()).unwrap().0));
        let board = start.board();
        let lists = ScidNumbering.start(&start).unwrap();
        let from = Square::from_ascii(from.as_bytes()).unwrap();
        let number = (0..16)
            .find(|&n| lists.square(board.turn(), n) == Some(from))
            .unwrap();
        let mut coded = bytes.clone();
        coded[0] |= number << 4;
        let (found, used) = ScidNumbering.decode(&lists, &board, &coded).unwrap();
        let shown = if found == PackedMove::NULL { "0000".to_owned() } else { found.to_string() };
        assert_eq!((shown.as_str(), used), (mv, bytes.len()), "{fen} {bytes:?}");
    }
    let king = "8/8/8/8/4K3/8/8/7k w - - 0 1";
    for (code, to) in ["d3", "e3", "f3", "d4", "f4", "d5", "e5", "f5"]
        .iter()
        .enumerate()
    {
        let start = Start::Setup(Box::new(Setup::from_fen(king.as_bytes()).unwrap().0));
        let lists = ScidNumbering.start(&start).unwrap();
        let (found, _) = ScidNumbering
            .decode(&lists, &start.board(), &[code as u8 + 1])
            .unwrap();
        assert_eq!(found.to().to_string(), *to);
    }
    let lists = PieceLists::standard();
    assert_eq!(lists.square(Color::White, 12), Square::from_ascii(b"e2"));
    let board = Start::Standard.board();
    let (found, _) = ScidNumbering.decode(&lists, &board, &[0xCF]).unwrap();
    assert_eq!(found.to_string(), "e2e4");
}

/// Tests the example of the description: the last piece of a side takes over the number of a
/// captured piece, and a promoted piece keeps the number of its pawn.
#[test]
fn numbers_change_as_in_the_example() {
    let fen = b"1n1k4/6Q1/5Kp1/5P2/8/6b1/1p6/8 w - - 0 1";
    let start = Start::Setup(Box::new(Setup::from_fen(fen).unwrap().0));
    let mut board = start.board();
    let mut lists = ScidNumbering.start(&start).unwrap();
    let square = |name: &[u8]| Square::from_ascii(name).unwrap();
    // White's f5 has number 2 and captures to the right: g6.
    for (code, expected) in [(0x22, "f5g6"), (0x24, "b2b1q")] {
        let (mv, _) = ScidNumbering.decode(&lists, &board, &[code]).unwrap();
        assert_eq!(mv.to_string(), expected);
        let played = board.play(mv);
        ScidNumbering.play(&mut lists, &board, mv, &played);
        let black: Vec<_> = (0..16)
            .filter_map(|n| lists.square(Color::Black, n))
            .collect();
        let last: &[u8] = if expected == "f5g6" { b"b2" } else { b"b1" };
        let numbers = [&b"d8"[..], b"b8", last, b"g3"].map(square);
        assert_eq!(black, numbers, "{expected}");
    }
}

#[test]
fn name_files_begin_with_counts_and_frequencies() {
    let mut bytes = b"Scid.sn\0\0\0\0\0".to_vec();
    for number in [2u8, 1, 1, 1, 9, 8, 7, 6] {
        bytes.extend([0, 0, number]);
    }
    bytes.extend(b"\0\0\x01\x09Able, Ann\0\x01\x09\x09\x06Bob");
    bytes.extend(b"\0\0\x08\x01E\0\0\x07\x01S\0\0\x06\x01R");
    let (file, fault) = NameFile::parse(&bytes).unwrap();
    assert!(fault.is_none());
    assert_eq!(file.file_header.counts, [2, 1, 1, 1]);
    assert_eq!(file.file_header.max_frequencies, [9, 8, 7, 6]);
    let names = |list: usize| -> Vec<Vec<u8>> {
        let list = &file.lists[list];
        list.records()
            .iter()
            .map(|record| list.name(record).to_vec())
            .collect()
    };
    assert_eq!(names(0), [&b"Able, Ann"[..], b"Able, Bob"]);
    assert_eq!(file.lists[0].records()[1].frequency, 9);
    assert_eq!(
        (names(1), names(2), names(3)),
        (
            vec![b"E".to_vec()],
            vec![b"S".to_vec()],
            vec![b"R".to_vec()]
        )
    );
}
