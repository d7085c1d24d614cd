//! Statements of the published text about DC* (docs/seeds.md), one test each.

use chessdb_core::model::GameFlags;
use chessdb_core::{Date, FileSet, Game, MemorySet, Outcome, WriteOptions};
use chessdb_dcx::raw::{Base, Entry, FileKind, Length, Magic, MoveWord, NameFile, Token, Tokens};
use chessdb_dcx::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE, DCX};
use chessdb_testkit::identity;

/// Returns a database of one game with every field of the index.
fn example() -> (Game, MemorySet) {
    let mut game = Game::new();
    game.header.white.name = game.add_text("Alpha, A").into();
    game.header.black.name = game.add_text("Beta, B").into();
    game.header.event = game.add_text("Skittles").into();
    game.header.site = game.add_text("Zürich").into();
    game.header.round = game.add_text("3").into();
    game.header.date = Date::new(2017, 1, 14);
    game.header.outcome = Outcome::BlackWins;
    let (set, losses) = identity::write_all(&DCX, [&game], WriteOptions::default()).unwrap();
    assert!(losses.is_empty());
    (game, set)
}

#[test]
fn five_files_have_their_magic_bytes() {
    let (_, set) = example();
    for (role, magic) in [
        (DCI_FILE, b"SimpleCDbi"),
        (DCN_FILE, b"SimpleCDbn"),
        (DCS_FILE, b"SimpleCDbs"),
        (DCE_FILE, b"SimpleCDbe"),
        (DCG_FILE, b"SimpleCDbg"),
    ] {
        assert!(set.get(role).unwrap().starts_with(magic), "{role}");
    }
    assert_eq!(DCX.roles.len(), 5);
    assert_eq!(Magic::SIZE, 10);
}

#[test]
fn the_index_begins_with_magic_version_and_default() {
    let mut bytes = b"SimpleCDbi\0".to_vec();
    bytes.extend(58u64.to_be_bytes());
    bytes.extend([0; 2 * 39]);
    let (_, mut set) = example();
    set.insert(DCI_FILE, bytes);
    let base = Base::parse(&set).unwrap();
    assert_eq!(base.index.file_header.version, Some(0));
    assert_eq!(base.index.file_header.open_default, Some(19 + 39));
    assert_eq!(base.index.open_default(), Some(1));
    assert_eq!(base.index.entries.len(), 2);
}

/// Each field of an entry alone, by its offset.
#[test]
fn entry_fields_are_at_their_places() {
    let entry = |at: usize, bytes: &[u8]| {
        let mut all = [0; 39];
        all[at..at + bytes.len()].copy_from_slice(bytes);
        Entry::parse_39(&all)
    };
    let four = 0x0102_0304;
    assert_eq!(entry(0, &[0xFF]).status, Entry::DELETED);
    assert_eq!(entry(1, &[0, 0, 0, 0, 1, 2, 3, 4]).offset, u64::from(four));
    assert_eq!(entry(9, &[1, 2, 3, 4]).white, four);
    assert_eq!(entry(13, &[1, 2, 3, 4]).black, four);
    assert_eq!(entry(17, &[1, 2]).round, 0x102);
    assert_eq!(entry(19, &[1, 2, 3, 4]).site, four);
    assert_eq!(entry(23, &[1, 2, 3, 4]).event, four);
    assert_eq!(entry(27, &[1, 2]).white_elo, 0x102);
    assert_eq!(entry(29, &[1, 2]).black_elo, 0x102);
    assert_eq!(entry(31, &[3]).result, 3);
    assert_eq!(entry(32, b"A00").eco, *b"A00");
    assert_eq!(entry(35, &[7, 0xE1]).year, 2017);
    assert_eq!((entry(37, &[12]).month, entry(38, &[31]).day), (12, 31));
}

/// The references of the index are offsets in the name files, counted from their first byte.
#[test]
fn references_are_offsets_into_their_own_files() {
    let (game, set) = example();
    let entry = Entry::parse_39(set.get(DCI_FILE).unwrap()[19..].first_chunk().unwrap());
    let name = |role, at: u32| {
        let at = at as usize;
        let record = &set.get(role).unwrap()[at..at + NameFile::RECORD];
        String::from_utf8(record.to_vec()).unwrap()
    };
    // The text has .dcn for the site; programs use .dcs.
    for (role, at, expected) in [
        (DCN_FILE, entry.white, "Alpha, A"),
        (DCN_FILE, entry.black, "Beta, B"),
        (DCS_FILE, entry.site, "Zürich"),
        (DCE_FILE, entry.event, "Skittles"),
    ] {
        let name = name(role, at);
        assert_eq!(name.trim_end_matches(' '), expected);
        assert_eq!(name.len(), 36);
    }
    assert_eq!((entry.offset, entry.result, entry.status), (10, 2, 0));
    assert_eq!((entry.white_elo, entry.eco), (0, [0; 3]));
    let back = identity::open_all(&DCX, &set).remove(0);
    assert_eq!(chessdb_core::compare::first_difference(&back, &game), None);
}

#[test]
fn results_and_status_have_their_codes() {
    for (outcome, code) in [
        (Outcome::Unknown, 0),
        (Outcome::WhiteWins, 1),
        (Outcome::BlackWins, 2),
        (Outcome::Draw, 3),
    ] {
        let mut game = Game::new();
        game.header.outcome = outcome;
        game.header.flags = GameFlags::DELETED;
        let (set, _) = identity::write_all(&DCX, [&game], WriteOptions::default()).unwrap();
        let index = set.get(DCI_FILE).unwrap();
        assert_eq!((index[19], index[19 + 31]), (0xFF, code));
        let back = identity::open_all(&DCX, &set).remove(0);
        assert_eq!(
            (back.header.outcome, back.header.flags),
            (outcome, GameFlags::DELETED)
        );
    }
}

/// The table of lengths; lengths may be stored in more bytes than needed.
#[test]
fn lengths_have_one_to_five_bytes() {
    for (bytes, value) in [
        (&[0x7F][..], 127),
        (&[0x81, 0xFF], 255),
        (&[0x82, 0xFF, 0xFF], 65_535),
        (&[0x83, 0xFF, 0xFF, 0xFF], 16_777_215),
        (&[0x84, 0xFF, 0xFF, 0xFF, 0xFF], u32::MAX),
        (&[0x81, 0x00], 0),
    ] {
        let (length, rest) = Length::parse(bytes).unwrap();
        assert_eq!((length.value, rest.len()), (value, 0));
    }
}

/// The bits of a move; squares are counted as in the diagram, from a1 = 0.
#[test]
fn a_move_has_its_squares_and_promotion() {
    let word = MoveWord::from_bits(0b0000_0011_0001_1100);
    assert_eq!(word.to_string(), "e2e4");
    for (name, number) in [("a1", 0), ("h1", 7), ("a2", 8), ("a8", 56), ("h8", 63)] {
        let word = MoveWord::from_bits(number << 6 | number);
        assert_eq!(word.from().to_string(), name);
        assert_eq!(word.to().to_string(), name);
    }
    assert_eq!(MoveWord::from_bits(0x7000).promotion(), 7);
}

#[test]
fn tags_are_told_from_moves_by_the_highest_bit() {
    let body = [
        0x03, 0x1C, 0x84, 0x0C, 0xA2, 0x85, 0x86, 2, b'h', b'i', 0x87, 1, 19, 0x88,
    ];
    let tokens: Vec<_> = Tokens::new(&body).map(Result::unwrap).collect();
    assert_eq!(tokens.len(), 7);
    assert!(matches!(tokens[0], Token::Move(_)));
    assert_eq!(tokens[1], Token::Open { alias: false });
    assert!(matches!(tokens[2], Token::Move(_)));
    assert_eq!(tokens[3], Token::Close);
    assert!(matches!(tokens[4], Token::Comment { text: b"hi", .. }));
    assert!(matches!(tokens[5], Token::Nags { nags: [19], .. }));
    assert_eq!(tokens[6], Token::Null);
    assert!(Magic::new(FileKind::Games).as_bytes().is_ascii());
}

/// All NAGs named in the text, on one move, and in a game before and after.
#[test]
fn named_nags_come_back() {
    let nags = [
        1u8, 2, 3, 4, 5, 6, 7, 10, 13, 16, 17, 18, 19, 22, 23, 40, 41, 132, 133,
    ];
    let mut game = Game::new();
    let mut tape = game.moves.builder(&chessdb_core::limits::Limits::default());
    tape.mv(chessdb_core::PackedMove::normal(square("e2"), square("e4")))
        .unwrap();
    nags.iter().for_each(|&nag| tape.nag(nag.into()).unwrap());
    tape.finish();
    let (set, losses) = identity::write_all(&DCX, [&game], WriteOptions::default()).unwrap();
    assert!(losses.is_empty());
    let games = set.get(DCG_FILE).unwrap();
    assert_eq!(games[games.len() - 21..][..2], [0x87, 19]);
    assert_eq!(games[games.len() - 19..], nags);
    let back = identity::open_all(&DCX, &set).remove(0);
    assert_eq!(chessdb_core::compare::moves_difference(&back, &game), None);
}

fn square(name: &str) -> chessdb_core::Square {
    chessdb_core::Square::from_ascii(name.as_bytes()).unwrap()
}
