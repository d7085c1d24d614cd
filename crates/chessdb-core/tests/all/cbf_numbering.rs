//! ChessBase's move numbers, compared with docs/formats/cbf.md, section 7, and with a simple
//! reference implementation that generates the whole list as described on the format page.

#[path = "common/cbf_twin.rs"]
mod cbf_twin;

use cbf_twin::list as twin;
use chessdb_core::board::{MoveKind, Piece};
use chessdb_core::legacy::cbf::{CbfNumbering, EpRegister, count, nth, ordinal};
use chessdb_core::legacy::{MoveFault, Numbering};
use chessdb_core::model::Start;
use chessdb_core::{Board, Color, PieceType, Setup, Square};
use chessdb_testkit::rng::Rng;

fn play_line(fen: Option<&str>, numbers: &[u8]) -> (Board, EpRegister, Vec<String>) {
    let start = match fen {
        Some(fen) => Start::Setup(Box::new(Setup::from_fen(fen.as_bytes()).unwrap().0)),
        None => Start::Standard,
    };
    let mut board = start.board();
    let mut register = CbfNumbering.start(&start).unwrap();
    let mut line = Vec::new();
    for number in numbers {
        let (mv, used) = CbfNumbering.decode(&register, &board, &[*number]).unwrap();
        assert_eq!(used, 1);
        let mut back = Vec::new();
        CbfNumbering
            .encode(&register, &board, mv, &mut back)
            .unwrap();
        assert_eq!(back, [*number & 0x7F]);
        line.push(format!("{mv:?}"));
        let played = board.play(mv);
        CbfNumbering.play(&mut register, &board, mv, &played);
    }
    (board, register, line)
}

/// Section 7.3.
#[test]
fn the_first_moves_are_numbered_like_on_the_page() {
    let white = "a4 a3 a3 c3 b4 b3 c4 c3 d4 d3 e4 e3 f4 f3 f3 h3 g4 g3 h4 h3";
    let board = Board::standard();
    assert_eq!(count(&board, EpRegister(0)), 20);
    for (n, to) in white.split_whitespace().enumerate() {
        let mv = nth(&board, EpRegister(0), n as u16 + 1).unwrap();
        assert_eq!(mv.to().to_string(), to);
    }
    let (board, register, _) = play_line(None, &[11]);
    let black = "a5 a6 b5 b6 a6 c6 c5 c6 d5 d6 e5 e6 f5 f6 g5 g6 f6 h6 h5 h6";
    for (n, to) in black.split_whitespace().enumerate() {
        let mv = nth(&board, register, n as u16 + 1).unwrap();
        assert_eq!(mv.to().to_string(), to);
    }
}

/// Section 13, example 1, mainline.
#[test]
fn example_1() {
    let (.., line) = play_line(None, &[0x0B, 0x07, 0x99, 0x09, 0x0A]);
    assert_eq!(line, ["e2e4", "c7c5", "g1f3", "d7d6", "d2d4"]);
}

/// Section 13, example 2: set-up position, en passant from the header, underpromotion, castling.
#[test]
fn example_2() {
    let fen = "4k3/P6p/8/3pP3/8/8/7P/4K2R w K d6 0 40";
    let (.., line) = play_line(Some(fen), &[0x0C, 0x01, 0x04, 0x09, 0x08]);
    assert_eq!(
        line,
        [
            "e5d6 (EnPassant)",
            "e8d7",
            "a7a8n",
            "h7h5",
            "e1g1 (CastleShort)"
        ]
    );
}

/// Section 13, example 3.
#[test]
fn q1_counts_a_phantom() {
    let (board, register, line) = play_line(None, &[0x01, 0x14, 0x03, 0x11]);
    assert_eq!(line, ["a2a4", "h7h6", "a4a5", "h6h5"]);
    // Black's double step set the register, which hides the phantom …
    assert_eq!(register, EpRegister(0));
    // … but h6-h5 was a single step, so the phantom exists: number 5 is no move.
    assert_eq!(nth(&board, register, 4).unwrap().to_string(), "a5a6");
    let fault = nth(&board, register, 5);
    assert!(
        matches!(fault, Err(MoveFault::NoSuchMove { ordinal: 5, .. })),
        "{fault:?}"
    );
    assert_eq!(nth(&board, register, 0x12).unwrap().to_string(), "g1f3");
    assert_eq!(
        nth(&board, EpRegister(8), 0x11).unwrap().to_string(),
        "g1f3"
    );
}

/// Section 13, example 4.
#[test]
fn q2_is_a_ghost() {
    let numbers = [
        0x0B, 0x06, 0x10, 0x0B, 0x04, 0x18, 0x1C, 0x17, 0x11, 0x1E, 0x0B, 0x15,
    ];
    let (board, register, _) = play_line(None, &numbers);
    assert_eq!(register, EpRegister(4));
    assert_eq!(nth(&board, register, 26).unwrap().to_string(), "e5e6");
    let ghost = nth(&board, register, 27).unwrap();
    assert_eq!(format!("{ghost:?}"), "e5d6 (GhostEnPassant)");
    assert_eq!(nth(&board, register, 0x1F).unwrap().to_string(), "f3g5");
    let mut after = board.clone();
    let played = after.play(ghost);
    assert_eq!(
        played
            .captured
            .map(|(square, _)| square.to_string())
            .as_deref(),
        Some("d5")
    );
}

/// Compares the count and one random entry in both directions, and in every 16th position the whole
/// list.
fn compare(board: &Board, register: EpRegister, rng: &mut Rng, n: usize) {
    let list = twin(board, register.0);
    assert_eq!(
        usize::from(count(board, register)),
        list.len(),
        "{board:?} {register:?}"
    );
    let one = (!list.is_empty()).then(|| rng.below(list.len()));
    let all = if n.is_multiple_of(16) { 0..list.len() } else { 0..0 };
    for index in all.chain(one) {
        let number = index as u16 + 1;
        match list[index] {
            Some(mv) => {
                assert_eq!(
                    nth(board, register, number),
                    Ok(mv),
                    "{board:?} {register:?}"
                );
                assert_eq!(
                    ordinal(board, register, mv),
                    Some(number),
                    "{board:?} {register:?}"
                );
            }
            None => assert!(nth(board, register, number).is_err()),
        }
    }
    assert!(nth(board, register, 0).is_err());
    assert!(nth(board, register, list.len() as u16 + 1).is_err());
}

/// Covers more than a million positions: games of random moves from the list, including ghosts.
#[test]
fn the_fast_way_equals_the_twin_in_games() {
    let mut rng = Rng::new(1);
    let (mut positions, mut ghosts, mut phantoms) = (0, 0, 0);
    while positions < 1_000_000 {
        // Every fourth game starts from a position that combines double steps and castling with
        // advanced pawns.
        let mut board = Board::standard();
        if rng.below(4) == 0 {
            let fen = b"r3k2r/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/R3K2R w KQkq - 0 1";
            board = Setup::from_fen(fen).unwrap().0.board;
        }
        let mut register = EpRegister(0);
        for _ in 0..160 {
            compare(&board, register, &mut rng, positions);
            positions += 1;
            let list = twin(&board, register.0);
            phantoms += list.iter().filter(|entry| entry.is_none()).count();
            // Castling and the moves that follow from it are rare, so they are preferred half of
            // the time.
            let special: Vec<_> = list
                .iter()
                .flatten()
                .filter(|mv| {
                    let kind = mv.kind();
                    !matches!(kind, MoveKind::Normal | MoveKind::Promotion(_))
                })
                .collect();
            let mv = match special.len() {
                n if n > 0 && rng.below(2) == 0 => *special[rng.below(n)],
                _ if list.is_empty() => break,
                _ => match list[rng.below(list.len())] {
                    Some(mv) => mv,
                    None => continue,
                },
            };
            ghosts += usize::from(mv.kind() == MoveKind::GhostEnPassant);
            let played = board.play(mv);
            CbfNumbering.play(&mut register, &board, mv, &played);
        }
    }
    assert!(
        ghosts > 10 && phantoms > 1000,
        "{ghosts} ghosts, {phantoms} phantoms"
    );
}

/// Covers boards that no game reaches: any pieces anywhere, any register.
#[test]
fn the_fast_way_equals_the_twin_on_any_board() {
    let mut rng = Rng::new(2);
    for n in 0..100_000 {
        let mut board = Board::empty();
        for _ in 0..rng.below(40) {
            let color = Color::ALL[rng.below(2)];
            let kind = PieceType::ALL[rng.below(6)];
            board.put(
                Square::new_masked(rng.below(64) as u8),
                Some(Piece { color, kind }),
            );
        }
        if rng.below(2) == 0 {
            board.set_turn(Color::Black);
        }
        let register = EpRegister(rng.below(9) as u8);
        if register.0 > 0 && rng.below(2) == 0 {
            let rank = if board.turn() == Color::White { 5 } else { 2 };
            board.set_ep_square(Square::from_coords(register.0 - 1, rank));
        }
        compare(&board, register, &mut rng, n);
    }
}
