//! Statements of the published text about CBF, CBI and FBK (docs/seeds.md), each tested.

use chessdb_cbf::fbk::Entry;
use chessdb_cbf::raw::{Comment, Index, Position, RawHeader, RecordFlags, marker};
use chessdb_cbf::{CBF, CBF_FILE};
use chessdb_core::legacy::cbf::{EpRegister, nth};
use chessdb_core::model::{GameFlags, Tag};
use chessdb_core::{
    Board, Diagnostic, FileSet as _, Game, MemorySet, Outcome, Scratch, Setup, Severity, Start,
    WriteOptions,
};
use chessdb_testkit::identity;

/// The example of section 1: three games of 48, 39 and 35 bytes.
#[test]
fn the_index_example() {
    let words = [4u32, 2, 51, 91, 127];
    let index = Index::new(&[0, 48, 87], 122).unwrap();
    assert_eq!(index.words, words);
    assert_eq!(index.to_bytes()[..8], [0, 0, 0, 4, 0, 0, 0, 2]);
    for (place, offset) in [(1, 0), (2, 48), (3, 87), (4, 122)] {
        let word = words[place as usize];
        assert_eq!(Index::offset(place, word), Some(offset));
    }
}

/// Returns a deciphered header with `byte` at offset `at`.
fn raw_header(at: usize, byte: u8) -> RawHeader {
    let mut bytes = [0; 14];
    bytes[at] = byte;
    let mut stored = bytes;
    chessdb_cbf::raw::cipher::encode_raw_header(&mut stored);
    RawHeader::parse(&stored)
}

#[test]
fn header_fields_are_at_their_places() {
    assert_eq!(raw_header(0, 0xE3).year(), Some(1871));
    assert_eq!(raw_header(0, 93).year(), Some(1993));
    assert_eq!(raw_header(0, 127).year(), None);
    assert_eq!(raw_header(1, 2).result, 2);
    assert_eq!(raw_header(1, 3 | 14 << 2).result, 59);
    assert_eq!(raw_header(2, 1).move_word, 256);
    assert_eq!(raw_header(3, 10).moves_len(), 9);
    assert_eq!(
        (
            raw_header(4, 63).players_len(),
            raw_header(5, 63).source_len()
        ),
        (63, 63)
    );
    assert_eq!(raw_header(4, 0xC0).eco1(), 0b11 << 5);
    assert_eq!(raw_header(5, 0xC0).eco1(), 0b11 << 7);
    assert_eq!(raw_header(10, 0x3E).eco1(), 31);
    assert_eq!(
        (raw_header(6, 1).comments, raw_header(7, 1).comments),
        (256, 1)
    );
    assert_eq!(
        (raw_header(8, 200).elo, raw_header(9, 100).elo),
        ([200, 0], [0, 100])
    );
    assert!(raw_header(10, 1).has_setup());
    assert_eq!(
        (RecordFlags::MARKED.bits(), RecordFlags::DELETED.bits()),
        (64, 128)
    );
    assert_eq!(RawHeader::VERSION, 64);
    let rights = RecordFlags::WHITE_LONG
        | RecordFlags::WHITE_SHORT
        | RecordFlags::BLACK_LONG
        | RecordFlags::BLACK_SHORT;
    assert_eq!(
        (RecordFlags::BLACK_FIRST.bits(), rights.bits()),
        (2, 4 | 8 | 16 | 32)
    );
    // The list in 2.2 has "bits 0-5" and "bit 5" for this; the table in 2.1 is correct.
    assert_eq!(
        (raw_header(11, 0x3F).eco2(), raw_header(11, 0x80).eco2()),
        (63, 64)
    );
    assert_eq!(raw_header(12, 40).full_moves, 40);
    assert_eq!(raw_header(13, 0x4A).check, 0x4A);
    assert_eq!(RawHeader::MAX_TEXT, 63);
}

/// The example of 2.6, as squares a1, b1, …, with the upper half of each byte first.
#[test]
fn the_position_example() {
    let mut bytes = [0; 33];
    bytes[..4].copy_from_slice(&[0x12, 0x54, 0x30, 0]);
    bytes[4] = 0x60;
    bytes[24] = 0xE0;
    bytes[28..31].copy_from_slice(&[0x9A, 0xDC, 0xB0]);
    bytes[32] = 54;
    let position = Position::parse(&bytes);
    assert_eq!(position.squares[..5], [1, 2, 5, 4, 3]);
    assert_eq!((position.squares[8], position.squares[48]), (6, 14));
    assert_eq!(position.squares[56..61], [9, 10, 13, 12, 11]);
    assert_eq!(position.moves_before, 54);
    assert_eq!(position.to_bytes(), bytes);
}

/// Returns the stored header of the only game of a database.
fn header_of(set: &MemorySet) -> RawHeader {
    RawHeader::parse(set.get(CBF_FILE).unwrap().first_chunk().unwrap())
}

fn written(game: &Game) -> (MemorySet, Game) {
    let (set, losses) = identity::write_all(&CBF, [game], WriteOptions::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let back = identity::open_all(&CBF, &set).remove(0);
    (set, back)
}

/// The numbers 1 to 6 are king, queen, knight, bishop, rook and pawn; Black has 8 more. The bits of
/// castling are White's long and short, then Black's.
#[test]
fn pieces_and_castling_rights_have_their_numbers() {
    for (fen, squares, flags) in [
        ("7k/8/8/8/8/8/PR6/KQNB4 w - - 0 1", "1234 65", 1),
        (
            "kqnbr3/p7/8/8/8/8/8/6K1 b - - 0 1",
            "      1  e    9abcd",
            3,
        ),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Q - 0 1", "5   1  5", 1 | 4),
        ("r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1", "5   1  5", 1 | 8),
        ("r3k2r/8/8/8/8/8/8/R3K2R w q - 0 1", "5   1  5", 1 | 16),
        ("r3k2r/8/8/8/8/8/8/R3K2R w k - 0 1", "5   1  5", 1 | 32),
    ] {
        let mut game = Game::new();
        let (setup, _) = Setup::from_fen(fen.as_bytes()).unwrap();
        game.header.start = Start::Setup(Box::new(setup));
        let (set, back) = written(&game);
        assert_eq!(back.start().to_string(), fen);
        assert_eq!(header_of(&set).flags.bits(), flags, "{fen}");
        let bytes = set.get(CBF_FILE).unwrap();
        let position = Position::parse(bytes.last_chunk().unwrap());
        let shown = |number: &u8| match number {
            0 => ' ',
            number => char::from_digit((*number).into(), 16).unwrap(),
        };
        let shown: String = position.squares.iter().map(shown).collect();
        let ranks: Vec<&str> = (0..8).map(|rank| &shown[8 * rank..8 * rank + 8]).collect();
        let expected: Vec<char> = squares.chars().filter(|c| *c != ' ').collect();
        let stored: Vec<char> = ranks.concat().chars().filter(|c| *c != ' ').collect();
        assert_eq!(stored[..expected.len()], expected, "{fen}: {ranks:?}");
    }
}

#[test]
fn marked_and_deleted_games_have_their_bits() {
    for (flag, bit) in [(GameFlags::USER, 64), (GameFlags::DELETED, 128)] {
        let mut game = Game::new();
        game.header.flags = flag;
        let (set, back) = written(&game);
        assert_eq!(
            (header_of(&set).flags.bits(), back.header.flags),
            (bit, flag)
        );
    }
}

/// The three results, and evaluations of the last position.
#[test]
fn results_have_their_codes() {
    for (outcome, code) in [
        (Outcome::BlackWins, 0),
        (Outcome::Draw, 1),
        (Outcome::WhiteWins, 2),
        (Outcome::Unknown, 3),
    ] {
        let mut game = Game::new();
        game.header.outcome = outcome;
        let (set, back) = written(&game);
        assert_eq!((header_of(&set).result, back.result()), (code, outcome));
    }
    for (code, nag) in [(1, 18), (4, 11), (8, 19), (14, 138)] {
        let mut game = Game::new();
        let (name, value) = (
            game.add_text("LineEvaluation"),
            game.add_text(&format!("${nag}")),
        );
        game.header.tags.push(Tag::Other { name, value });
        let (set, back) = written(&game);
        assert_eq!(header_of(&set).result, 3 | code << 2, "{nag}");
        assert_eq!(
            back.tag("LineEvaluation").as_deref(),
            Some(&*format!("${nag}"))
        );
    }
}

/// The NAGs of the three evaluations of a comment, in the order of their codes, after a move of
/// White and of Black.
#[test]
fn evaluations_have_their_signs() {
    let of_move: &[[u16; 2]] = &[
        [1, 1],
        [2, 2],
        [5, 5],
        [6, 6],
        [3, 3],
        [4, 4],
        [0, 0],
        [22, 23],
        [30, 31],
    ];
    let of_position: &[[u16; 2]] = &[
        [18, 18],
        [16, 16],
        [14, 14],
        [11, 11],
        [13, 13],
        [15, 15],
        [17, 17],
        [19, 19],
        [146, 146],
        [44, 45],
        [132, 133],
        [36, 37],
        [40, 41],
        [138, 139],
        [7, 7],
    ];
    let further: &[[u16; 2]] = &[[145; 2], [142; 2], [140; 2], [144; 2], [142; 2], [143; 2]];
    for (slot, codes) in [of_move, of_position, further].into_iter().enumerate() {
        for (code, nags) in (1u8..).zip(codes) {
            for (ply, &nag) in nags.iter().enumerate() {
                if nag == 0 || (slot, code) == (2, 5) {
                    continue; // A sign without a NAG, and the second sign of a NAG.
                }
                let sans = ["e4", "e5"];
                let game = Game::builder()
                    .sans(&sans[..=ply])
                    .unwrap()
                    .nag(nag)
                    .build();
                let (set, back) = written(&game);
                assert_eq!(identity::line(&back), identity::line(&game));
                let area = set.get(CBF_FILE).unwrap();
                // START, up to three evaluations, END.
                let mut stored = vec![0xFF];
                stored.extend(vec![0; slot]);
                stored.extend([code, 0xFF]);
                assert!(area.ends_with(&stored), "{nag}: {area:x?}");
            }
        }
    }
}

/// Byte 12 is the number of moves modulo 256, as programs stored it, or 255 for more.
#[test]
fn the_number_of_moves_may_be_cut_to_eight_bits() {
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8"].into_iter().cycle().take(600);
    let game = Game::builder().sans(moves).unwrap().build();
    let (mut set, _) = written(&game);
    for (count, is_right) in [(255, true), (44, true), (45, false), (0, false)] {
        let mut bytes = set.get(CBF_FILE).unwrap().to_vec();
        let header: &mut [u8; 14] = bytes.first_chunk_mut().unwrap();
        chessdb_cbf::raw::cipher::decode_raw_header(header);
        header[12] = count;
        chessdb_cbf::raw::cipher::encode_raw_header(header);
        set.insert(CBF_FILE, bytes);
        let store = identity::open(&CBF, &set);
        let mut scratch = Scratch::new();
        store.game_into(0, &mut Game::new(), &mut scratch).unwrap();
        let lost = |said: &Diagnostic| said.severity == Severity::Lost;
        assert_eq!(!scratch.diagnostics.iter().any(lost), is_right, "{count}");
    }
}

/// Returns the moves of one piece on an otherwise empty board, in the order of 2.4.
fn order(fen: &str, from: &str) -> Vec<String> {
    let board: Board = Setup::from_fen(fen.as_bytes()).unwrap().0.board;
    let moves = (1..).map_while(|n| nth(&board, EpRegister(0), n).ok());
    let moves = moves.map(|mv| mv.to_string());
    let own = moves.filter_map(|mv| mv.strip_prefix(from).map(str::to_owned));
    own.collect()
}

#[test]
fn moves_are_numbered_in_the_order_of_the_text() {
    assert_eq!(
        order("7k/8/8/8/4K3/8/8/8 w - - 0 1", "e4"),
        ["d3", "d4", "d5", "e3", "e5", "f3", "f4", "f5"]
    );
    let castling = order("7k/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1");
    assert_eq!(castling[castling.len() - 2..], ["g1", "c1"]);
    // Castling rights are not required, but the squares between must be free.
    assert!(order("7k/8/8/8/8/8/8/R3K2R w - - 0 1", "e1").contains(&"c1".to_owned()));
    assert!(!order("7k/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1").contains(&"c1".to_owned()));
    assert_eq!(
        order("7k/8/8/8/8/8/1R6/7K w - - 0 1", "b2"),
        [
            "a2", "b1", "c2", "d2", "e2", "f2", "g2", "h2", "b3", "b4", "b5", "b6", "b7", "b8"
        ]
    );
    assert_eq!(
        order("7k/8/8/8/8/8/1B6/7K w - - 0 1", "b2"),
        ["a1", "c1", "c3", "d4", "e5", "f6", "g7", "h8", "a3"]
    );
    let queen = order("7k/8/8/8/8/8/1Q6/7K w - - 0 1", "b2");
    assert_eq!((&*queen[0], &*queen[8], &*queen[9]), ("a1", "a3", "a2"));
    assert_eq!(
        order("7k/8/8/8/4N3/8/8/7K w - - 0 1", "e4"),
        ["c3", "c5", "g3", "g5", "d2", "d6", "f2", "f6"]
    );
    assert_eq!(
        order("7k/8/8/8/8/1p1p4/2P5/7K w - - 0 1", "c2"),
        ["c4", "c3", "b3", "d3"]
    );
    assert_eq!(
        order("7k/2P5/8/8/8/8/8/7K w - - 0 1", "c7"),
        ["c8q", "c8r", "c8b", "c8n"]
    );
    // Squares are examined file by file, and Black's moves are ordered from White's side.
    assert_eq!(
        order("8/8/8/8/4k3/8/8/K7 b - - 0 1", "e4"),
        ["d3", "d4", "d5", "e3", "e5", "f3", "f4", "f5"]
    );
}

#[test]
fn marks_of_the_move_list() {
    assert_eq!(
        (marker::OPEN, marker::CLOSE, marker::COMMENTED),
        (0xFF, 0x80, 0x80)
    );
    assert_eq!((marker::LAST, marker::LAST_COMMENTED), (127, 126));
}

/// `START move [pos] [extra] [NULL] [string]`, as the second writer of 2.5 describes it.
#[test]
fn a_comment_has_three_evaluations_and_a_text() {
    let comment = Comment::parse(b"\0\0\0\0This is a great move");
    assert_eq!(comment.codes, [0; 3]);
    assert_eq!(comment.text, Some(&b"This is a great move"[..]));
    let comment = Comment::parse(b"\x01\x02\x03\0text");
    assert_eq!(
        (comment.codes, comment.text),
        ([1, 2, 3], Some(&b"text"[..]))
    );
    let comment = Comment::parse(b"\x01");
    assert_eq!((comment.codes, comment.text), ([1, 0, 0], None));
}

#[test]
fn bits_of_a_book() {
    for (bytes, alternative, ends, weak, unused) in [
        ([12, 28], true, false, false, false),
        ([12 | 64, 28], false, false, false, false),
        ([12 | 64 | 128, 28], false, true, false, false),
        ([12 | 64, 28 | 64], false, false, false, true),
        ([12 | 64, 28 | 128], false, false, true, false),
    ] {
        let entry = Entry::parse(&bytes);
        assert_eq!(
            (entry.from.to_string(), entry.to.to_string()),
            ("e2".into(), "e4".into())
        );
        let found = (
            entry.has_alternative,
            entry.ends_line,
            entry.weak,
            entry.unused,
        );
        assert_eq!(found, (alternative, ends, weak, unused), "{bytes:?}");
    }
    let corner = Entry::parse(&[0, 63]);
    assert_eq!(
        (corner.from.to_string(), corner.to.to_string()),
        ("a1".into(), "h8".into())
    );
}

#[test]
fn limits_of_old_programs_are_known() {
    let limit = |what: &str| {
        let mut limits = CBF.limits.iter();
        limits
            .find(|limit| limit.of.contains(what))
            .map(|limit| limit.limit)
    };
    assert_eq!(limit("Knight Stalker"), Some(4000));
    assert_eq!(limit("Aurisch"), Some(250));
}
