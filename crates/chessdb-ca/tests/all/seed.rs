//! Statements of the published description of Chess Assistant's files (docs/seeds.md), one test
//! each.

use chessdb_ca::raw::{
    Cdp, DateCode, DirectoryEntry, EmbHeader, LIST_NAMES, ListFiles, NameRecord, PlayerData,
    RawHeader, SIGNATURE, SlotEntry, StartPosition, VERSION,
};
use chessdb_ca::{A02_FILE, D00_FILE, D02_FILE, EMB_FILE};
use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::ca::CaNumbering;
use chessdb_core::model::Start;
use chessdb_core::{Date, Game, Outcome, Setup, Square};

use crate::common::{
    C5, CLOSE, E4, E5, OPEN, base_of, file, read, record, rewritten, with_records,
};

#[test]
fn fields_of_the_description_are_at_their_places() {
    let mut bytes = vec![0; 112];
    bytes[..SIGNATURE.len()].copy_from_slice(b"Chess Assistant 3.0 database.");
    bytes[50..50 + VERSION.len()].copy_from_slice(b"\nChess Data Pro format. Version 1.3");
    bytes[104..108].copy_from_slice(&7u32.to_le_bytes());
    bytes[108..112].copy_from_slice(&4u32.to_le_bytes());
    bytes.extend(b"demo");
    assert!(Cdp::fits(&bytes));
    let cdp = Cdp::parse(&bytes).unwrap();
    assert_eq!((cdp.count, cdp.comment), (7, b"demo".to_vec()));
}

#[test]
fn fields_of_the_container_are_at_their_places() {
    let mut bytes = [0; 144];
    bytes[..SIGNATURE.len()].copy_from_slice(SIGNATURE);
    bytes[64..100].copy_from_slice(b"\nData Pro Volume format. Version 1.1");
    bytes[136..140].copy_from_slice(&7168u32.to_le_bytes());
    bytes[140..144].copy_from_slice(&9u32.to_le_bytes());
    let raw_header = EmbHeader::parse(&bytes).unwrap();
    assert_eq!((raw_header.length, raw_header.table), (28 * 256, 9));
    let mut bytes = [0; 256];
    bytes[4] = 2;
    bytes[8..12].copy_from_slice(&5u32.to_le_bytes());
    bytes[12..16].copy_from_slice(&6u32.to_le_bytes());
    bytes[28..39].copy_from_slice(b"Players.cdp");
    let entry = DirectoryEntry::parse(&bytes);
    assert_eq!(
        (entry.length, entry.table, entry.name()),
        (5, 6, &b"Players.cdp"[..])
    );
    let names = ListFiles::SUFFIXES.len() * LIST_NAMES.len();
    assert_eq!(names, 28);
}

#[test]
fn names_and_players_have_their_fields() {
    let player = NameRecord::parse(b"\x03\x02TalGMrest", true).unwrap();
    assert_eq!((player.name, player.title), (&b"Tal"[..], Some(&b"GM"[..])));
    let event = NameRecord::parse(b"\x04Rigarest", false).unwrap();
    assert_eq!((event.name, event.title), (&b"Riga"[..], None));
    let birthday = DateCode::from_date(Date::new(1936, 11, 9)).unwrap();
    let mut bytes = [0; 10];
    bytes[..2].copy_from_slice(&2705u16.to_le_bytes());
    bytes[2..6].copy_from_slice(&11_600_001u32.to_le_bytes());
    bytes[6..9].copy_from_slice(&birthday.0.to_le_bytes()[..3]);
    bytes[9] = 1;
    let data = PlayerData::parse(&bytes);
    assert_eq!((data.elo, data.fide_id, data.gender), (2705, 11_600_001, 1));
    assert_eq!(data.birthday, birthday);
}

/// Each field of a header alone, by its offset.
#[test]
fn header_fields_are_at_their_places() {
    let raw_header = |at: usize, bytes: &[u8]| {
        let mut all = [0; 38];
        all[at..at + bytes.len()].copy_from_slice(bytes);
        RawHeader::parse(&all)
    };
    let three = 0x03_0201;
    assert_eq!(raw_header(0, &[1, 2, 3]).white, three);
    assert_eq!(raw_header(3, &[1, 2, 3]).black, three);
    assert_eq!(raw_header(6, &[1, 2]).white_elo, 0x201);
    assert_eq!(raw_header(8, &[1, 2]).black_elo, 0x201);
    assert_eq!(raw_header(10, &[16]).outcome, 16);
    assert_eq!(raw_header(11, &[1, 2, 3]).date, DateCode(three));
    assert_eq!(raw_header(14, &[1, 2, 3]).event, three);
    assert_eq!(raw_header(17, &[1, 2, 3]).place, three);
    assert_eq!(raw_header(20, &[1, 2, 3, 4]).game_type, 0x0403_0201);
    assert_eq!(raw_header(24, &[1, 2, 3, 4]).game, 0x0403_0201);
    assert_eq!(raw_header(28, &[9]).unknown, 9);
    assert_eq!(raw_header(29, &[6]).round, 6);
    assert_eq!(raw_header(30, &[1, 2]).eco, 0x201);
    assert_eq!(raw_header(32, &[1, 2, 3]).annotator, three);
    assert_eq!(raw_header(35, &[1, 2, 3]).source, three);
}

#[test]
fn dates_follow_the_formula() {
    for (year, month, day) in [(2001, 7, 15), (1972, 0, 0), (0, 12, 31), (1999, 12, 31)] {
        let code = u32::from(year) * 32 * 13 + u32::from(month) * 32 + u32::from(day);
        assert_eq!(DateCode(code).to_date(), Date::new(year, month, day));
    }
}

/// The codes 0 to 206 as the description lists them: the piece and its shift.
#[test]
fn every_move_code_has_its_piece_and_shift() {
    let bishop: &[u8] = &[17, 34, 51, 68, 85, 102, 119, 23, 38, 53, 83, 98, 113];
    let rook: &[u8] = &[7, 6, 5, 4, 3, 2, 1, 112, 96, 80, 64, 48, 32, 16];
    let knight: &[u8] = &[0x67, 0x76, 0x16, 0x27, 0x21, 0x12, 0x72, 0x61];
    let king: &[u8] = &[17, 119, 23, 113, 7, 1, 112, 16];
    let queen: &[u8] = &[bishop, rook].concat();
    let extra: &[u8] = &[queen, knight].concat();
    // The first code, the shifts, White's pieces without the king, and the square of each piece.
    let blocks = [
        (32, knight, "N", "b1"),
        (40, knight, "NN", "c1"),
        (48, bishop, "B", "b1"),
        (61, bishop, "BB", "c1"),
        (74, rook, "R", "b1"),
        (88, rook, "RR", "c1"),
        (102, queen, "Q", "b1"),
        (137, extra, "QQ", "c1"),
        (172, extra, "QQQ", "d1"),
    ];
    assert_eq!(172 + extra.len(), 207);
    let numbering = CaNumbering::PAGE;
    let shift = |from: Square, to: Square| {
        let part = |a: u8, b: u8| (b + 8 - a) & 7;
        part(from.rank(), to.rank()) << 4 | part(from.file(), to.file())
    };
    let check = |fen: &str, from: &str, first: u8, shifts: &[u8]| {
        let start = Start::Setup(Box::new(Setup::from_fen(fen.as_bytes()).unwrap().0));
        let slots = numbering.start(&start).unwrap();
        for (code, &expected) in (first..).zip(shifts) {
            let (mv, _) = numbering.decode(&slots, &start.board(), &[code]).unwrap();
            assert_eq!(mv.from().to_string(), from, "{code}");
            assert_eq!(shift(mv.from(), mv.to()), expected, "{code}");
        }
    };
    for (first, shifts, pieces, from) in blocks {
        let gap = 7 - pieces.len();
        check(
            &format!("7k/8/8/8/8/8/8/K{pieces}{gap} w - - 0 1"),
            from,
            first,
            shifts,
        );
    }
    check("7k/8/8/8/3K4/8/8/8 w - - 0 1", "d4", 129, king);
    for file in 0..8u8 {
        let name = |rank: char| format!("{}{rank}", char::from(b'a' + file));
        let standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        let white = [0x10, 0x17, 0x11, 0x20];
        let black = [0x70, 0x77, 0x71, 0x60];
        check(
            &format!("{standard} w KQkq - 0 1"),
            &name('2'),
            file * 4,
            &white,
        );
        check(
            &format!("{standard} b KQkq - 0 1"),
            &name('7'),
            file * 4,
            &black,
        );
    }
}

#[test]
fn a_start_position_has_its_fields() {
    let mut bytes = [0; 76];
    for slot in bytes[..72].chunks_exact_mut(2) {
        slot.copy_from_slice(&[8, 0]);
    }
    bytes[30..32].copy_from_slice(&[0x04, 6]);
    bytes[66..68].copy_from_slice(&[0x74, 6]);
    bytes[72..74].copy_from_slice(&19u16.to_le_bytes());
    bytes[74] = 0b1001;
    bytes[75] = 0x24;
    let start = StartPosition::parse(&bytes);
    assert_eq!(
        start.sides[0][15],
        SlotEntry {
            place: 0x04,
            kind: 6
        }
    );
    assert_eq!(
        start.sides[1][15],
        SlotEntry {
            place: 0x74,
            kind: 6
        }
    );
    assert_eq!(start.sides[0][0], SlotEntry::ABSENT);
    assert_eq!(
        (start.plies, start.castling.bits(), start.en_passant),
        (19, 9, 0x24)
    );
}

/// The bits of castling are White's short and long, then Black's. Squares have the rank in the upper
/// four bits.
#[test]
fn rights_of_a_start_position_have_their_bits() {
    for (fen, plies, castling, en_passant) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1", 0, 1, 0),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Q - 0 1", 0, 2, 0),
        ("r3k2r/8/8/8/8/8/8/R3K2R w k - 0 1", 0, 4, 0),
        ("r3k2r/8/8/8/8/8/8/R3K2R w q - 0 1", 0, 8, 0),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 20", 38, 0, 0x53),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 20", 39, 0, 0x23),
    ] {
        let game = Game::builder().fen(fen).unwrap().build();
        let set = base_of(&[game]);
        assert_eq!(read(&set, 0).game.start().to_string(), fen);
        // A byte before the first record, the length of the record, and the code 230.
        let d02 = file(&set, D02_FILE);
        assert_eq!(d02[1..3], [77, 230], "{fen}");
        let start = StartPosition::parse(d02[3..].first_chunk().unwrap());
        let stored = (start.plies, start.castling.bits(), start.en_passant);
        assert_eq!(stored, (plies, castling, en_passant), "{fen}");
    }
}

/// Returns a database with one game and these bytes at an offset of its header.
fn with_header(at: usize, bytes: &[u8]) -> chessdb_core::MemorySet {
    let mut set = with_records(&[&record(&[E4, E5])]);
    let mut d00 = file(&set, D00_FILE);
    d00[at..at + bytes.len()].copy_from_slice(bytes);
    set.insert(D00_FILE, d00);
    set
}

/// The names of the types in the order of the description.
#[test]
fn the_thirty_types_have_their_names() {
    let names = "own game, historic game, model game, annotated game from a book, computer game, \
                 opening, middlegame, endgame, strategy, tactics, test, blunder, kingside attack, \
                 queenside attack, counter-attack, typical pawn structure, piece play, positional \
                 sacrifice, material imbalance, transition to the endgame, opposite-coloured \
                 bishops, space, defence, prophylaxis, drawing methods, own analysis, computer \
                 analysis, tablebase analysis, psychology, miscellaneous";
    for (kind, name) in (1u32..).zip(names.split(", ")) {
        let set = with_header(20, &kind.to_le_bytes());
        assert_eq!(read(&set, 0).game.tag("CAType").as_deref(), Some(name));
    }
    let set = with_header(20, &31u32.to_le_bytes());
    assert_eq!(read(&set, 0).game.tag("CAType").as_deref(), Some("31"));
}

/// The outcomes: draw, White, Black, unknown, then evaluations with the NAGs of their signs.
#[test]
fn the_sixteen_outcomes_have_their_meanings() {
    let results = [
        Outcome::Draw,
        Outcome::WhiteWins,
        Outcome::BlackWins,
        Outcome::Unknown,
    ];
    // The signs: +/-, -/+, +/=, =/+, +-, -+, =, Inf, =/Inf, ->, ^, ->/<-.
    let nags = [16, 17, 14, 15, 18, 19, 11, 13, 44, 40, 36, 132];
    let evaluations = nags.map(|nag| (Outcome::Unknown, Some(format!("${nag}"))));
    let results = results.map(|result| (result, None));
    for (code, (result, evaluation)) in (1u8..).zip(results.into_iter().chain(evaluations)) {
        let game = read(&with_header(10, &[code]), 0).game;
        assert_eq!(game.result(), result, "{code}");
        let tag = game.tag("LineEvaluation");
        assert_eq!(tag.as_deref(), evaluation.as_deref(), "{code}");
    }
}

/// Any bytes may be between records. Only a record of zeros among zeros may be overwritten.
#[test]
fn bytes_between_records_are_no_damage() {
    for gap in [&[0][..], &[0; 3], &[0; 40], &[0xFF; 9], b"junk", &[0x13; 5]] {
        for is_empty in [false, true] {
            let games = std::array::from_fn::<_, 3, _>(|_| Game::new());
            let mut set = base_of(&games);
            let (mut d02, mut a02) = (vec![0x55], Vec::new());
            for n in 0..3 {
                a02.extend((d02.len() as u32).to_le_bytes());
                let moves: &[u8] = if is_empty && n == 1 { &[] } else { &[E4, E5] };
                d02.extend([&record(moves)[..], gap].concat());
            }
            set.insert(D02_FILE, d02);
            set.insert(A02_FILE, a02);
            for n in 0..3 {
                let reading = read(&set, n);
                assert_eq!(reading.said, Vec::<String>::new(), "{gap:?} {n}");
                assert!(reading.strict.is_ok());
            }
        }
    }
    let mut set = with_records(&[&record(&[]), &record(&[E4])]);
    let mut d02 = file(&set, D02_FILE);
    d02.splice(2..2, [0; 9]);
    set.insert(D02_FILE, d02);
    set.insert(A02_FILE, [1u32, 11].map(u32::to_le_bytes).concat());
    assert!(read(&set, 0).said[0].contains("overwritten"));
}

/// A byte before the records, and texts such as `$5`, have a meaning only where this crate wrote
/// them: other programs fill the bytes before names with anything.
#[test]
fn marks_of_this_crate_are_not_seen_in_other_databases() {
    let text = b"\xF5\xEE\xF0\xEE\xF8\xE0\xFF \xEF\xE0\xF0\xF2\xE8\xFF";
    let comment = [&[E4, 235, text.len() as u8 + 1, 4][..], text, &[E5]].concat();
    let nag = [
        E4, 235, 3, 4, b'$', b'5', E5, 235, 5, 4, b'$', b'1', b'0', b'0',
    ];
    for mark in [0x38, 0x50, 0x51, 0x53, 0x54, 0x55, 0x80, 0x8A, 0x9D] {
        let mut set = with_records(&[&record(&comment), &record(&nag)]);
        let mut d02 = file(&set, D02_FILE);
        d02[0] = mark;
        set.insert(D02_FILE, d02);
        let own = read(&set, 1).text;
        assert_eq!(own, "e2e4 $5 e7e5 $100");
        let mut emb = file(&set, EMB_FILE);
        for list in LIST_NAMES {
            let name = format!("{list}.d01");
            let first = {
                let parsed = chessdb_ca::raw::Emb::parse(&emb).unwrap();
                let at = parsed
                    .entries
                    .iter()
                    .position(|entry| entry.name() == name.as_bytes());
                let ranges = parsed.files[at.unwrap()].ranges();
                // The fragment table comes first.
                ranges.map(|(start, _)| start).nth(1).unwrap()
            };
            emb[first] = mark;
        }
        set.insert(EMB_FILE, emb);
        assert_eq!(read(&set, 0).text, "e2e4 {хорошая партия} e7e5", "{mark:x}");
        assert_eq!(read(&set, 1).text, "e2e4 {$5} e7e5 {$100}");
        let again = rewritten(&set);
        assert_eq!(read(&again, 0).text, read(&set, 0).text);
        assert_eq!(read(&again, 1).text, read(&set, 1).text);
    }
}

/// Evaluations with their author and folders of the user are unknown bytes; if they look like a
/// text, they are read as a text too.
#[test]
fn comments_of_unknown_types_are_read_as_text() {
    for kind in [6, 7, 21] {
        let body = [&[E4, 235, 8, kind][..], b"+- Fine", &[235, 2, 4, b'x', E5]].concat();
        let set = with_records(&[&record(&body)]);
        let expected = format!("e2e4 [{kind}:2b2d2046696e65] {{+- Fine}} {{x}} e7e5");
        assert_eq!(read(&set, 0).text, expected);
        assert_eq!(file(&rewritten(&set), D02_FILE), file(&set, D02_FILE));
        for bytes in [&[0, 1, 2][..], b"-", b"a{b", b" ab"] {
            let body = [&[E4, 235, bytes.len() as u8 + 1, kind][..], bytes].concat();
            let text = read(&with_records(&[&record(&body)]), 0).text;
            assert!(!text.contains('{'), "{text}");
        }
    }
}

/// A variation is stored before the move to which it is an alternative.
#[test]
fn a_variation_stands_before_its_move() {
    let set = with_records(&[&record(&[E4, OPEN, C5, CLOSE, E5])]);
    assert_eq!(read(&set, 0).text, "e2e4 e7e5 (c7c5)");
}
