//! The mainline as text (docs/formats/lucaschess.md, section 2).

use chessdb_core::board::MoveKind;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::{LineReader, Lines, Step};
use chessdb_core::rules::legal_moves;
use chessdb_core::{Board, ErrorKind, PackedMove, PieceType, Square};

/// The character of the first square.
const FIRST: u8 = b':';

/// A reader of the moves of a game.
pub(super) type Line<'r, 'o> = LineReader<'r, 'o, Lines<PlainNumbering>>;

/// Cuts the column into the FEN of another start position, if there is one, and the moves.
pub(super) fn parts(column: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(rest) = column.strip_prefix(b"|") else {
        return (None, column);
    };
    match rest.iter().position(|&byte| byte == b'|') {
        Some(end) => {
            let (fen, moves) = rest.split_at(end);
            (Some(fen), moves.get(1..).unwrap_or_default())
        }
        None => (Some(rest), b""),
    }
}

/// Cuts moves into the codes of one move each.
pub(super) fn codes(moves: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = moves;
    std::iter::from_fn(move || {
        let length = match rest {
            [] => return None,
            // Squares begin after the digits.
            [_, _, digit, ..] if digit.is_ascii_digit() => 3,
            _ => rest.len().min(2),
        };
        let (code, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(code)
    })
}

/// Appends the moves of the mainline.
pub(super) fn read(moves: &[u8], line: &mut Line<'_, '_>) -> Step {
    for code in codes(moves) {
        match find(code, line.lines().board()) {
            Some(mv) => line.mv(mv)?,
            None => line.bad_move(match code.len() {
                1 => ErrorKind::truncated("the last move", 2_u64, 1_u64),
                _ => ErrorKind::BadMove {
                    found: ErrorKind::excerpt(code),
                    why: "no legal move",
                },
            })?,
        }
        line.at += code.len();
    }
    Ok(())
}

/// Returns the legal move with this code.
pub(super) fn find(code: &[u8], board: &Board) -> Option<PackedMove> {
    let mut legal = Vec::new();
    legal_moves(board, &mut legal);
    let mut own = Vec::with_capacity(3);
    legal.into_iter().find(|&mv| {
        own.clear();
        encode(mv, &mut own) && own == code
    })
}

/// Appends the code of a move. Returns whether it has one.
pub(super) fn encode(mv: PackedMove, out: &mut Vec<u8>) -> bool {
    let square = |square: Square| FIRST + square.rank_major();
    let promotion = match mv.kind() {
        MoveKind::Null => return false,
        MoveKind::Promotion(PieceType::Queen) => Some(b'2'),
        MoveKind::Promotion(PieceType::Rook) => Some(b'3'),
        MoveKind::Promotion(PieceType::Bishop) => Some(b'4'),
        MoveKind::Promotion(PieceType::Knight) => Some(b'5'),
        MoveKind::Promotion(_) => return false,
        _ => None,
    };
    out.extend([square(mv.from()), square(mv.to())]);
    out.extend(promotion);
    true
}

#[cfg(test)]
mod tests {
    use chessdb_core::model::Token;
    use chessdb_core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch};
    use chessdb_testkit::strategy::{GameOptions, games};
    use proptest::prelude::*;

    use super::super::{LCDB, Store};
    use super::*;

    /// The example of docs/formats/lucaschess.md, section 2.
    #[test]
    fn codes_have_two_or_three_characters() {
        let found: Vec<&[u8]> = codes(b"FVn^jr2ks5x").collect();
        assert_eq!(found, [&b"FV"[..], b"n^", b"jr2", b"ks5", b"x"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn decoding_reverses_encoding(game in games(GameOptions::plain())) {
            let mut codes = Vec::new();
            let mut moves = Vec::new();
            for token in game.moves.tokens() {
                if let Token::Move(mv) = token {
                    prop_assert!(encode(mv, &mut codes));
                    moves.push(mv);
                }
            }
            let mut connection = rusqlite::Connection::open_in_memory().unwrap();
            connection.execute_batch("CREATE TABLE Games(XPV VARCHAR, _DATA_ BLOB)").unwrap();
            let row = String::from_utf8(codes).unwrap();
            connection.execute("INSERT INTO Games(XPV) VALUES (?1)", [row]).unwrap();
            let mut files = MemorySet::new();
            files.insert(LCDB, connection.serialize("main").unwrap().to_vec());
            prop_assert!(files.get(LCDB).is_some());
            let store = Store::open(&files, ReadOptions::default()).unwrap();
            let (mut again, mut scratch) = (Game::new(), Scratch::new());
            store.game_into(0, &mut again, &mut scratch).unwrap();
            prop_assert!(scratch.diagnostics.is_empty());
            let found: Vec<_> = again.moves.tokens().filter_map(|token| match token {
                Token::Move(mv) => Some(mv),
                _ => None,
            }).collect();
            prop_assert_eq!(found, moves);
        }
    }
}
