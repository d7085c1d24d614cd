//! Start positions with unusual castling rights, with castling in mainlines and variations,
//! converted into every format and back.
//!
//! If a format cannot store a castling right, the castling move is lost too; both losses must be
//! announced.

use chessdb::core::board::{MoveKind, Piece, Side};
use chessdb::core::model::Builder;
use chessdb::core::rules::{is_valid_position, legal_moves};
use chessdb::core::{Board, Color, Game, PackedMove, PieceType, Setup, Square, Start};
use chessdb::options::Limits;
use chessdb_proof::hop::{Model, both_ways, into_format};
use chessdb_proof::matrix::targets;
use chessdb_testkit::rng::Rng;

use crate::games::no_problems;

/// Shuffles the pieces of one side, with bishops on both colours and the king between the rooks.
fn shuffle(board: &mut Board, color: Color, rng: &mut Rng) {
    let mut free: Vec<u8> = (0..8).collect();
    let mut row = [PieceType::Knight; 8];
    for (file, kind) in [
        (1 + 2 * rng.below(4) as u8, PieceType::Bishop),
        (2 * rng.below(4) as u8, PieceType::Bishop),
    ] {
        row[usize::from(file)] = kind;
        free.retain(|&other| other != file);
    }
    row[usize::from(free.remove(rng.below(free.len())))] = PieceType::Queen;
    for _ in 0..2 {
        free.remove(rng.below(free.len()));
    }
    for (&file, kind) in free
        .iter()
        .zip([PieceType::Rook, PieceType::King, PieceType::Rook])
    {
        row[usize::from(file)] = kind;
    }
    for (file, kind) in (0..8).zip(row) {
        board.put(home(color, file), Some(Piece { color, kind }));
    }
    board.set_castling_rook(color, Side::Long, Some(home(color, free[0])));
    board.set_castling_rook(color, Side::Short, Some(home(color, free[2])));
}

fn home(color: Color, file: u8) -> Square {
    Square::from_coords(file, color.rank(0)).unwrap()
}

/// Removes random pieces other than kings and castling rooks.
fn thin_out(board: &mut Board, rng: &mut Rng) {
    for square in Square::all() {
        let is_castling_rook = Color::ALL.into_iter().any(|color| {
            Side::ALL
                .into_iter()
                .any(|side| board.castling_rook(color, side) == Some(square))
        });
        let is_king = board
            .piece_at(square)
            .is_some_and(|piece| piece.kind == PieceType::King);
        if !is_king && !is_castling_rook && rng.chance(60) {
            board.put(square, None);
        }
    }
}

/// Returns a start position of Double Fischer Random chess, or a variant with other castling
/// rights.
fn start(n: u64, rng: &mut Rng) -> Setup {
    let mut board = Board::standard();
    for color in Color::ALL {
        // Some positions keep the standard back rank for one side.
        if n % 7 != 3 || color == Color::Black {
            shuffle(&mut board, color, rng);
        }
    }
    if n % 4 >= 2 {
        thin_out(&mut board, rng);
    }
    if n % 4 == 3 {
        odd_rights(&mut board, rng);
    }
    if !is_valid_position(&board) && rng.chance(50) {
        board.set_turn(Color::Black);
    }
    let setup = Setup::from_board(board.clone());
    Setup {
        chess960: setup.chess960 || !n.is_multiple_of(5),
        board,
    }
}

/// Changes castling rights: rights without a rook, with another rook further out, of a king that
/// has moved away, or fewer rights.
fn odd_rights(board: &mut Board, rng: &mut Rng) {
    for color in Color::ALL {
        for side in Side::ALL {
            match rng.below(6) {
                0 => board.set_castling_rook(color, side, None),
                1 => {
                    let rook = board.castling_rook(color, side);
                    if let Some(rook) = rook {
                        board.put(rook, None);
                    }
                }
                2 => {
                    // Another rook further out.
                    let corner = side.corner(color);
                    if board.piece_at(corner).is_none() {
                        let kind = PieceType::Rook;
                        board.put(corner, Some(Piece { color, kind }));
                    }
                }
                _ => {}
            }
        }
        if rng.chance(10)
            && let Some(king) = board.king(color)
        {
            let kind = PieceType::King;
            board.put(king, None);
            let away = Square::from_coords(king.file(), color.pick(2, 5)).unwrap();
            board.put(away, Some(Piece { color, kind }));
        }
    }
}

fn castles(mv: &PackedMove) -> bool {
    matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong)
}

/// Chooses a legal move, often castling if possible.
fn choose(board: &Board, rng: &mut Rng) -> Option<PackedMove> {
    let mut moves = Vec::new();
    legal_moves(board, &mut moves);
    let castling: Vec<PackedMove> = moves.iter().copied().filter(castles).collect();
    match (castling.is_empty(), moves.is_empty()) {
        (_, true) => None,
        (false, _) if rng.chance(70) => Some(rng.pick(&castling)),
        _ => Some(rng.pick(&moves)),
    }
}

/// Writes a line with variations, in some of which a side castles.
fn line(tape: &mut Builder<'_>, board: &mut Board, plies: usize, depth: usize, rng: &mut Rng) {
    for _ in 0..plies {
        let Some(mv) = choose(board, rng) else {
            return;
        };
        tape.mv(mv).unwrap();
        let before = board.clone();
        board.play(mv);
        if depth > 0 && rng.chance(15) {
            tape.open().unwrap();
            line(tape, &mut before.clone(), 1 + rng.below(8), depth - 1, rng);
            tape.close();
        }
    }
}

fn game(n: u64) -> Game {
    let mut rng = Rng::new(n);
    let setup = start(n, &mut rng);
    let mut game = Game::new();
    let name = game.add_text("A");
    game.header.white.name = name.into();
    let name = game.add_text("B");
    game.header.black.name = name.into();
    let mut board = setup.board.clone();
    game.header.start = Start::Setup(Box::new(setup));
    let mut tape = game.moves.builder(&Limits::default());
    line(&mut tape, &mut board, 60, 2, &mut rng);
    tape.finish();
    game
}

fn castling_moves(game: &Game) -> usize {
    game.moves
        .tokens()
        .filter(|token| matches!(token, chessdb::core::model::Token::Move(mv) if castles(mv)))
        .count()
}

#[test]
fn double_fischer_random_games_come_back_or_are_announced() {
    let games: Vec<Game> = (0..280).map(game).collect();
    let castled: usize = games.iter().map(castling_moves).sum();
    assert!(castled > 300, "{castled}");
    let model = Model {
        games,
        ..Model::default()
    };
    let mut outcomes = Vec::new();
    for target in targets() {
        let outcome = into_format("random starts", &model, target);
        println!("{}: {:?}", target.id, outcome.losses);
        outcomes.push(outcome);
        let mut ways = Default::default();
        both_ways(
            "random starts",
            &model,
            &chessdb::pgn::PGN,
            target,
            &mut ways,
        );
        outcomes.extend([ways.0, ways.1]);
    }
    no_problems(&outcomes);
}
