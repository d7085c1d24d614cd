//! The start positions of Chess960, by the definition of their numbers.

use chessdb_core::board::{Piece, Side};
use chessdb_core::{Board, Color, PieceType, Setup, Square};

/// Returns the number of a Chess960 start position: bishops, queen and knights by the usual rule.
pub fn number(setup: &Setup) -> Option<u16> {
    (0..960).find(|&number| plain_start(number) == setup.board)
}

/// Returns a start position of Chess960, by the definition of its number.
pub fn plain_start(number: u16) -> Board {
    let number = usize::from(number);
    let mut row = [PieceType::Pawn; 8];
    // The light squares of the first rank are b, d, f and h.
    row[number % 4 * 2 + 1] = PieceType::Bishop;
    row[number / 4 % 4 * 2] = PieceType::Bishop;
    let free = |row: &[PieceType; 8]| -> Vec<usize> {
        (0..8).filter(|&n| row[n] == PieceType::Pawn).collect()
    };
    let places = free(&row);
    // Six squares are free.
    row[places[number / 16 % 6]] = PieceType::Queen;
    // The ten ways to put two knights on five squares.
    let pairs = "01 02 03 04 12 13 14 23 24 34";
    let pair = pairs.split(' ').nth(number / 96).unwrap().as_bytes();
    let places = free(&row);
    for digit in pair {
        row[places[usize::from(digit - b'0')]] = PieceType::Knight;
    }
    let places = free(&row);
    // Three squares are left, and the king is between the rooks.
    row[places[0]] = PieceType::Rook;
    row[places[1]] = PieceType::King;
    row[places[2]] = PieceType::Rook;
    let mut board = Board::standard();
    for color in Color::ALL {
        let square = |file: usize| Square::from_coords(file as u8, color.rank(0)).unwrap();
        for (file, kind) in row.into_iter().enumerate() {
            board.put(square(file), Some(Piece { color, kind }));
        }
        board.set_castling_rook(color, Side::Long, Some(square(places[0])));
        board.set_castling_rook(color, Side::Short, Some(square(places[2])));
    }
    board
}
