//! Scidb's piece numbers and move codes, compared with docs/formats/scidb.md, section 6, and with a
//! simple reference implementation: a list of pieces that is searched linearly, and steps between
//! squares numbered rank by rank.

use chessdb_core::board::MoveKind;
use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::scidb::ScidbNumbering;
use chessdb_core::model::Start;
use chessdb_core::{Board, Color, PackedMove, PieceType, Setup, Square};

use crate::common;

/// The pieces of both sides, each with its number.
#[derive(Clone)]
struct Twin(Vec<(Color, u8, Square)>);

impl Twin {
    fn new(board: &Board, in_fen_order: bool) -> Twin {
        let mut list = Vec::new();
        for color in Color::ALL {
            let names: Vec<String> = match (in_fen_order, color) {
                (true, _) => ('1'..='8').rev().flat_map(rank).collect(),
                (false, Color::White) => rank('2').into_iter().chain(rank('1')).collect(),
                (false, Color::Black) => rank('8').into_iter().chain(rank('7')).collect(),
            };
            let mut next = 1;
            for name in names {
                let square = Square::from_ascii(name.as_bytes()).unwrap();
                match board.piece_at(square) {
                    Some(piece) if piece.color == color && piece.kind == PieceType::King => {
                        list.push((color, 0, square));
                    }
                    Some(piece) if piece.color == color => {
                        list.push((color, next, square));
                        next += 1;
                    }
                    _ => {}
                }
            }
        }
        Twin(list)
    }

    fn bytes(&self, board: &Board, mv: PackedMove) -> Vec<u8> {
        if mv.is_null() {
            return vec![5];
        }
        let color = board.turn();
        let mut pieces = self.0.iter();
        let is_it = |piece: &&(Color, u8, Square)| (piece.0, piece.2) == (color, mv.from());
        let number = pieces.find(is_it).unwrap().1;
        let (from, to) = (
            i32::from(mv.from().rank_major()),
            i32::from(mv.to().rank_major()),
        );
        let step = to - from;
        let place = |steps: &[i32]| steps.iter().position(|&entry| entry == step).unwrap() as u8;
        let straight = || {
            if mv.to().rank() == mv.from().rank() {
                mv.to().file()
            } else {
                8 + mv.to().rank()
            }
        };
        let mut second = None;
        let code = match board.piece_at(mv.from()).unwrap().kind {
            PieceType::King => match mv.kind() {
                MoveKind::CastleShort => 14,
                MoveKind::CastleLong => 15,
                _ => 6 + place(&[-9, -8, -7, -1, 1, 7, 8, 9]),
            },
            PieceType::Queen
                if mv.to().file() != mv.from().file() && mv.to().rank() != mv.from().rank() =>
            {
                second = Some(64 + to as u8);
                mv.from().file()
            }
            PieceType::Queen | PieceType::Rook => straight(),
            PieceType::Bishop => {
                let files = i32::from(mv.to().file()) - i32::from(mv.from().file());
                mv.to().file() + if step == -7 * files { 8 } else { 0 }
            }
            PieceType::Knight => 1 + place(&[-17, -15, -10, -6, 6, 10, 15, 17]),
            PieceType::Pawn => match step.abs() {
                16 => 15,
                step => {
                    let promotion = match mv.kind() {
                        MoveKind::Promotion(PieceType::Queen) => 3,
                        MoveKind::Promotion(PieceType::Rook) => 6,
                        MoveKind::Promotion(PieceType::Bishop) => 9,
                        MoveKind::Promotion(PieceType::Knight) => 12,
                        _ => 0,
                    };
                    step as u8 - 7 + promotion
                }
            },
        };
        [number << 4 | code].into_iter().chain(second).collect()
    }

    fn play(&mut self, before: &Board, after: &Board, mv: PackedMove) {
        if mv.is_null() {
            return;
        }
        let color = before.turn();
        // The rook of a castling move is where no piece of this type was before.
        let rooks = |board: &Board| board.pieces(color, PieceType::Rook);
        let castles = matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong);
        let side = match mv.kind() {
            MoveKind::CastleShort => chessdb_core::board::Side::Short,
            _ => chessdb_core::board::Side::Long,
        };
        let rook = before.castling_rook(color, side).filter(|_| castles);
        let goal = Square::from_coords(side.rook_file(), mv.to().rank()).unwrap();
        assert!(rook.is_none() || rooks(after).has(goal));
        for (owner, _, square) in &mut self.0 {
            if (*owner, Some(*square)) == (color, rook) {
                *square = goal;
            } else if (*owner, *square) == (color, mv.from()) {
                *square = mv.to();
            }
        }
        self.0.retain(|(owner, _, square)| {
            after
                .piece_at(*square)
                .is_some_and(|piece| piece.color == *owner)
        });
    }
}

fn rank(rank: char) -> Vec<String> {
    ('a'..='h').map(|file| format!("{file}{rank}")).collect()
}

/// Plays random games and compares each move.
fn compare(starts: &[Board], in_fen_order: bool, seed: u64, plies: usize) {
    let numbering = ScidbNumbering { in_fen_order };
    let mut last: Option<(Board, Twin, _)> = None;
    common::random_games(starts, seed, plies, |board, moves, chosen| {
        let (twin, state) = match &mut last {
            Some((expected, twin, state)) if expected == board => (twin, state),
            _ => {
                let setup = Setup::from_board(board.clone());
                let start = Start::Setup(Box::new(setup));
                let state = numbering.start(&start).unwrap();
                let (_, twin, state) =
                    last.insert((board.clone(), Twin::new(board, in_fen_order), state));
                (twin, state)
            }
        };
        for &mv in moves.iter().chain([&PackedMove::NULL]) {
            let mut bytes = Vec::new();
            numbering.encode(state, board, mv, &mut bytes).unwrap();
            assert_eq!(
                bytes,
                twin.bytes(board, mv),
                "{mv} in {}",
                common::fen(board)
            );
            let read = numbering.decode(state, board, &bytes);
            assert_eq!(
                read,
                Ok((mv, bytes.len())),
                "{mv} in {}",
                common::fen(board)
            );
        }
        let mut after = board.clone();
        let played = after.play(chosen);
        numbering.play(state, &after, chosen, &played);
        twin.play(board, &after, chosen);
        last.as_mut().unwrap().0 = after;
    });
}

#[test]
fn numbers_and_codes_agree_with_the_twin() {
    compare(&[Board::standard()], false, 1, 2000);
    let chess960: Vec<Board> = [0, 300, 517, 959]
        .map(|n| Board::chess960(n).unwrap())
        .into();
    compare(&chess960, false, 2, 2000);
    let is_numbered = |board: &Board| {
        let mut colors = Color::ALL.into_iter();
        colors.all(|color| board.by_color(color).len() <= 16)
    };
    let mut sharp = common::sharp_starts();
    sharp.retain(is_numbered);
    compare(&sharp, true, 3, 3000);
    compare(&chess960, true, 4, 1000);
}

/// The example of section 6.
#[test]
fn the_example_of_the_page() {
    let bytes = [0x5F, 0xCF, 0xC3, 0x67, 0x07, 0xC4];
    let numbering = ScidbNumbering {
        in_fen_order: false,
    };
    let mut board = Board::standard();
    let mut state = numbering.start(&Start::Standard).unwrap();
    let (mut rest, mut moves) = (&bytes[..], Vec::new());
    while !rest.is_empty() {
        let (mv, used) = numbering.decode(&state, &board, rest).unwrap();
        moves.push(mv.to_string());
        let played = board.play(mv);
        numbering.play(&mut state, &board, mv, &played);
        rest = &rest[used..];
    }
    assert_eq!(moves.join(" "), "e2e4 e7e5 d1h5 e8e7 h5e5");
}

#[test]
fn pieces_without_a_number_are_told() {
    let fen = "QQQQQQQQ/QQQQQQQQ/8/8/8/8/8/K6k w - - 0 1";
    let start = Start::Setup(Box::new(fen.parse::<Setup>().unwrap()));
    let numbering = ScidbNumbering { in_fen_order: true };
    let state = numbering.start(&start).unwrap();
    let mv = |name: &[u8]| {
        PackedMove::normal(
            Square::from_ascii(&name[..2]).unwrap(),
            Square::from_ascii(&name[2..]).unwrap(),
        )
    };
    let mut out = Vec::new();
    assert!(
        numbering
            .encode(&state, &start.board(), mv(b"g7g6"), &mut out)
            .is_ok()
    );
    assert!(
        numbering
            .encode(&state, &start.board(), mv(b"h7h6"), &mut out)
            .is_err()
    );
    let kings = "K6K/8/8/8/8/8/8/k7 w - - 0 1".parse::<Setup>().unwrap();
    assert!(numbering.start(&Start::Setup(Box::new(kings))).is_err());
}
