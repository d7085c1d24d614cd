//! Chess Assistant's slots and move codes, compared with docs/formats/chess-assistant.md, sections
//! 8, 9 and 15, and with a simple reference implementation: lists of slots as on the format page,
//! searched linearly.

use chessdb_core::board::MoveKind;
use chessdb_core::legacy::ca::{CaNumbering, Files, Slots};
use chessdb_core::legacy::{MoveFault, Numbering};
use chessdb_core::model::Start;
use chessdb_core::{Board, Color, PackedMove, PieceType, Setup, Square, rules};
use proptest::prelude::*;

use crate::common::legal_moves;

const PAGE: CaNumbering = CaNumbering::PAGE;

fn start(fen: &str) -> Start {
    Start::Setup(Box::new(Setup::from_fen(fen.as_bytes()).unwrap().0))
}

/// Plays the moves, compares each with its bytes in both directions, and returns the slots.
fn replay(start: &Start, moves: &str, bytes: &[u8]) -> (Board, Slots) {
    let mut board = start.board();
    let mut slots = PAGE.start(start).unwrap();
    let mut rest = bytes;
    for expected in moves.split_whitespace() {
        let (mv, used) = PAGE.decode(&slots, &board, rest).unwrap();
        assert_eq!(mv.to_string(), expected);
        assert!(rules::is_legal(&board, mv), "{expected}");
        let mut out = Vec::new();
        PAGE.encode(&slots, &board, mv, &mut out).unwrap();
        assert_eq!(out, rest[..used], "{expected}");
        let slot = CaNumbering::promotion_slot(rest);
        let played = board.play(mv);
        PAGE.play(&mut slots, &board, mv, &played);
        if let Some(slot) = slot {
            slots.settle(board.turn().other(), mv.to(), slot);
        }
        rest = &rest[used..];
    }
    assert!(rest.is_empty());
    (board, slots)
}

fn square(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap()
}

#[test]
fn worked_examples() {
    // A: castling on both sides.
    replay(
        &Start::Standard,
        "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d3 e8g8",
        &[0x13, 0x13, 0x2B, 0x27, 0x46, 0x41, 0xD0, 0x28, 0x0C, 0xD0],
    );
    // B: a promotion into slot 16.
    let (_, slots) = replay(
        &Start::Standard,
        "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8 h7g8q b8c6 g8g3",
        &[
            0x1F, 0x1B, 0x1D, 0x1C, 0x1E, 0x28, 0x1C, 0x58, 0xD1, 0x1D, 0xB0, 0x27, 0xA1,
        ],
    );
    assert_eq!(slots.square(Color::White, 16), Some(square("g3")));
    assert_eq!(slots.promoted(Color::White, 7), Some(16));
    // C: en passant with its marker.
    replay(
        &Start::Standard,
        "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6",
        &[0x13, 0x00, 0x10, 0x0F, 0xD2, 0x11, 0x11],
    );
    // E: castling from a set-up position, underpromotion.
    replay(
        &start("4k3/P7/8/8/8/8/8/4K2R w K - 0 31"),
        "e1g1 e8d7 a7a8n d7c6 a8c7 c6c7",
        &[0xD0, 0x82, 0xD1, 0x00, 0x50, 0x82, 0xAA, 0x88],
    );
    // F: a null move.
    replay(&Start::Standard, "e2e4 0000 d2d4", &[0x13, 0xD3, 0x0F]);
    // G: Black captures en passant.
    replay(
        &start("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 10"),
        "d4e3",
        &[0xD2, 0x0E],
    );
    // H: no free slot.
    let (_, slots) = replay(
        &start("8/1P6/7k/8/8/8/QQQ5/K7 w - - 0 1"),
        "b7b8q h6g5 b8f8",
        &[0xD1, 0x04, 0xA1, 0x82, 0xD5, 0x04],
    );
    assert_eq!(slots.square(Color::White, 1), Some(square("f8")));
}

/// The lists as on the format page.
const N: &str = "67 76 16 27 21 12 72 61";
const B: &str = "11 22 33 44 55 66 77 17 26 35 53 62 71";
const R: &str = "07 06 05 04 03 02 01 70 60 50 40 30 20 10";
const K: &str = "11 77 17 71 07 01 70 10";

/// First code, slot, list.
fn page_table() -> Vec<(u8, u8, String)> {
    let queen = format!("{B} {R}");
    let any = format!("{queen} {N}");
    [
        (32, 8, N),
        (40, 9, N),
        (48, 10, B),
        (61, 11, B),
        (74, 12, R),
        (88, 13, R),
        (102, 14, &queen),
        (129, 15, K),
        (137, 16, &any),
        (172, 17, &any),
    ]
    .map(|(first, slot, list)| (first, slot, list.to_owned()))
    .to_vec()
}

/// The reference implementation: a list of pieces with their slots, coordinates from 0 to 7.
#[derive(Clone)]
struct Twin {
    pieces: Vec<SlotPiece>,
}

#[derive(Clone, PartialEq, Debug)]
struct SlotPiece {
    color: Color,
    slot: u8,
    file: i32,
    rank: i32,
    /// The slot of the pawn that became this piece.
    pawn: Option<u8>,
}

impl Twin {
    fn new(slots: &Slots) -> Twin {
        let mut pieces = Vec::new();
        for color in Color::ALL {
            for slot in 0..18 {
                if let Some(square) = slots.square(color, slot) {
                    let pawn = (0..8).find(|&pawn| slots.promoted(color, pawn) == Some(slot));
                    let (file, rank) = (square.file().into(), square.rank().into());
                    pieces.push(SlotPiece {
                        color,
                        slot,
                        file,
                        rank,
                        pawn,
                    });
                }
            }
        }
        Twin { pieces }
    }

    fn at(&self, color: Color, square: Square) -> Option<usize> {
        let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
        self.pieces
            .iter()
            .position(|piece| piece.color == color && (piece.file, piece.rank) == (file, rank))
    }

    /// Returns every one-byte code below 207 for a move from one square to another.
    fn codes(&self, color: Color, from: Square, to: Square) -> Vec<u8> {
        let Some(index) = self.at(color, from) else {
            return vec![];
        };
        let piece = &self.pieces[index];
        let mut codes = Vec::new();
        let mut try_shift = |code: u8, text: &str, up: i32| {
            let (y, x) = text.split_at(1);
            let (y, x): (i32, i32) = (y.parse().unwrap(), x.parse().unwrap());
            let rank = (piece.rank + up * y).rem_euclid(8);
            let file = (piece.file + x).rem_euclid(8);
            if (file, rank) == (i32::from(to.file()), i32::from(to.rank())) {
                codes.push(code);
            }
        };
        if piece.slot < 8 && piece.pawn.is_none() {
            for (kind, shift) in ["10", "17", "11", "20"].iter().enumerate() {
                try_shift(piece.slot * 4 + kind as u8, shift, color.pick(1, -1));
            }
        }
        for (first, slot, list) in page_table() {
            if slot == piece.slot {
                for (n, shift) in list.split(' ').enumerate() {
                    try_shift(first + n as u8, shift, 1);
                }
            }
        }
        codes
    }

    fn play(&mut self, before: &Board, mv: PackedMove) {
        if mv.is_null() {
            return;
        }
        let color = before.turn();
        let played = before.clone().play(mv);
        if let Some((square, _)) = played.captured {
            let index = self.at(color.other(), square).unwrap();
            self.pieces.remove(index);
        }
        let mut go = |from, to: Square| {
            let index = self.at(color, from).unwrap();
            self.pieces[index].file = to.file().into();
            self.pieces[index].rank = to.rank().into();
            index
        };
        if let Some((from, to)) = played.rook {
            go(from, to);
        }
        let index = go(mv.from(), mv.to());
        if let MoveKind::Promotion(kind) = mv.kind() {
            let own: &[u8] = match kind {
                PieceType::Knight => &[16, 17, 8, 9],
                PieceType::Bishop => &[16, 17, 10, 11],
                PieceType::Rook => &[16, 17, 12, 13],
                _ => &[16, 17, 14],
            };
            let taken = |slot: u8| {
                self.pieces
                    .iter()
                    .any(|piece| piece.color == color && piece.slot == slot)
            };
            let free = own.iter().copied().find(|&slot| !taken(slot));
            let pawn = self.pieces[index].slot;
            self.pieces[index].slot = free.unwrap_or(pawn);
            self.pieces[index].pawn = Some(pawn);
        }
    }

    fn agrees(&self, slots: &Slots) {
        let key = |piece: &SlotPiece| (piece.color, piece.slot);
        let mut mine = self.pieces.clone();
        mine.sort_by_key(key);
        assert_eq!(mine, Twin::new(slots).pieces);
    }
}

/// Positions with castling, en passant, and more promotions than slots.
const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPP1/R3K2R w KQkq - 0 1",
    "4k3/PPPPPPPP/8/8/8/8/pppppppp/4K3 b - - 0 1",
    "2q1k3/PPPPP1PP/8/8/8/8/ppp1pppp/4KQ2 w - - 0 1",
    "QQQ2k2/PPPPP3/8/8/8/8/3ppppp/2K2qqq w - - 0 1",
    "1n2k1n1/PPPPPPPP/8/8/8/8/pppppppp/1N2K1N1 w - - 0 1",
    "3k4/3pp3/8/2P2P2/2p2p2/8/3PP3/3K4 w - - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
];

fn starts() -> impl Strategy<Value = Start> {
    prop_oneof![
        Just(Start::Standard),
        prop::sample::select(&STARTS[..]).prop_map(start)
    ]
}

/// Chooses a move; some games prefer promotions, which are rare among random moves.
fn choose(moves: &[PackedMove], choice: u16, greedy: bool) -> Option<PackedMove> {
    let promotions: Vec<_> = moves.iter().filter(|mv| mv.promotion().is_some()).collect();
    let pawns: Vec<_> = moves
        .iter()
        .filter(|mv| matches!(mv.to().rank(), 0 | 7))
        .collect();
    let list: Vec<_> = match () {
        () if greedy && !promotions.is_empty() && !choice.is_multiple_of(4) => promotions,
        () if greedy && !pawns.is_empty() && choice % 4 == 1 => pawns,
        () => moves.iter().collect(),
    };
    list.get(usize::from(choice) % list.len().max(1))
        .map(|mv| **mv)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every legal move and the null move have one code, which decodes to them. No two moves share
    /// a code. The codes and the slots equal those of the reference implementation.
    #[test]
    fn every_legal_move_has_one_code(
        start in starts(),
        choices in prop::collection::vec(any::<u16>(), 0..150),
        greedy in any::<bool>(),
    ) {
        let mut board = start.board();
        let mut slots = PAGE.start(&start).unwrap();
        let mut twin = Twin::new(&slots);
        for choice in choices {
            let color = board.turn();
            let moves = legal_moves(&board);
            let mut codes = Vec::new();
            for &mv in moves.iter().chain(&[PackedMove::NULL]) {
                let mut out = Vec::new();
                PAGE.encode(&slots, &board, mv, &mut out).unwrap();
                prop_assert_eq!(PAGE.decode(&slots, &board, &out), Ok((mv, out.len())));
                let by_twin = twin.codes(color, mv.from(), mv.to());
                match (mv.kind(), &out[..]) {
                    (MoveKind::Normal, [212..=219, ..]) => {
                        let index = twin.at(color, mv.from()).unwrap();
                        prop_assert!(by_twin.is_empty());
                        prop_assert_eq!(twin.pieces[index].pawn.map(|pawn| pawn + 212), Some(out[0]));
                    }
                    (MoveKind::Normal, _) => prop_assert_eq!(&by_twin, &out),
                    (MoveKind::EnPassant, _) => prop_assert_eq!(vec![210, by_twin[0]], out.clone()),
                    (MoveKind::Promotion(_), _) => prop_assert_eq!(by_twin[0], out[1]),
                    (MoveKind::Null, _) => prop_assert_eq!(&out[..], [211]),
                    (MoveKind::CastleLong, _) => prop_assert_eq!(&out[..], [207]),
                    _ => prop_assert_eq!(&out[..], [208]),
                }
                codes.push(out);
            }
            let count = codes.len();
            codes.sort();
            codes.dedup();
            prop_assert_eq!(codes.len(), count);
            let Some(mv) = choose(&moves, choice, greedy) else { break };
            twin.play(&board, mv);
            let played = board.play(mv);
            PAGE.play(&mut slots, &board, mv, &played);
            twin.agrees(&slots);
        }
    }

    /// Any bytes give a move or a fault, and the slots stay consistent with the board. A legal move
    /// is encoded with the same bytes, except for the slot of a new piece.
    #[test]
    fn any_bytes_are_a_move_or_a_fault(
        start in starts(),
        bytes in prop::collection::vec(any::<[u8; 3]>(), 0..300),
    ) {
        let mut board = start.board();
        let mut slots = PAGE.start(&start).unwrap();
        for bytes in bytes {
            let Ok((mv, used)) = PAGE.decode(&slots, &board, &bytes) else { continue };
            if !rules::is_legal(&board, mv) {
                continue;
            }
            let color = board.turn();
            let mut out = Vec::new();
            PAGE.encode(&slots, &board, mv, &mut out).unwrap();
            match mv.kind() {
                MoveKind::Promotion(_) => prop_assert_eq!(&out[..2], &bytes[..2]),
                MoveKind::EnPassant => prop_assert_eq!(out[1], bytes[used - 1]),
                // A promoted piece may be moved by the number of its pawn although its slot has a
                // list.
                _ if bytes[0] >= 212 => {}
                _ => prop_assert_eq!(&out[..], &bytes[..used]),
            }
            let played = board.play(mv);
            PAGE.play(&mut slots, &board, mv, &played);
            if let Some(slot) = CaNumbering::promotion_slot(&bytes) {
                slots.settle(color, mv.to(), slot);
                prop_assert_eq!(slots.slot(color, mv.to()), Some(slot));
            }
            let pieces = Twin::new(&slots).pieces.len();
            prop_assert_eq!(pieces, board.occupied().len() as usize);
            for color in Color::ALL {
                for slot in 0..18 {
                    if let Some(square) = slots.square(color, slot) {
                        prop_assert_eq!(board.piece_at(square).map(|piece| piece.color), Some(color));
                    }
                }
            }
        }
    }
}

#[test]
fn a_taken_slot_and_unknown_codes_are_faults() {
    let start = start("4k3/PP6/8/8/8/8/8/Q3K3 w - - 0 1");
    let slots = PAGE.start(&start).unwrap();
    let board = start.board();
    let queen_slot = [209, 0, 5 << 5 | 14];
    assert_eq!(
        PAGE.decode(&slots, &board, &queen_slot),
        Err(MoveFault::BadCode {
            piece: PieceType::Pawn,
            code: 5 << 5 | 14
        })
    );
    for code in (220..=255).filter(|code| *code != 210) {
        let fault = PAGE.decode(&slots, &board, &[code, 0, 0]);
        assert_eq!(fault, Err(MoveFault::UnknownCode { code }));
    }
    assert_eq!(
        PAGE.decode(&slots, &board, &[209, 0]),
        Err(MoveFault::Truncated)
    );
    assert_eq!(PAGE.decode(&slots, &board, &[]), Err(MoveFault::Truncated));
}

/// Guess 1 reversed gives the mirrored game: the codes of one reading are those of the other with
/// the files exchanged.
#[test]
fn files_may_count_the_other_way() {
    let mirrored = CaNumbering {
        files: Files::Left,
        ..PAGE
    };
    let board = Board::standard();
    let slots = Slots::standard();
    for mv in legal_moves(&board) {
        let (mut right_code, mut left_code) = (Vec::new(), Vec::new());
        PAGE.encode(&slots, &board, mv, &mut right_code).unwrap();
        mirrored.encode(&slots, &board, mv, &mut left_code).unwrap();
        assert_eq!(mirrored.decode(&slots, &board, &left_code), Ok((mv, 1)));
        assert_eq!(
            right_code == left_code,
            mv.from().file() == mv.to().file(),
            "{mv}"
        );
    }
}

#[test]
fn a_second_king_or_a_ninth_pawn_has_no_slot() {
    for fen in [
        "4k3/8/8/8/8/8/8/K1K5 w - - 0 1",
        "4k3/PPP5/PPP5/PPP5/8/8/8/4K3 w - - 0 1",
    ] {
        assert!(PAGE.start(&start(fen)).is_err(), "{fen}");
    }
    let many = "4k3/8/8/8/8/QQQQQQQQ/Q7/4K3 w - - 0 1";
    let slots = PAGE.start(&start(many)).unwrap();
    assert_eq!(slots.promoted(Color::White, 0), Some(0));
}
