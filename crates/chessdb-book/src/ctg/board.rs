//! The bits of a board, and the position that stands for its mirror images (docs/formats/ctg.md,
//! section 3).

use std::fmt;

use chessdb_core::board::{MoveKind, Piece, Side};
use chessdb_core::rules::is_legal;
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};

/// The greatest number of bytes that the length field can express.
const MOST: usize = 31;
const EP_FOLLOWS: u8 = 0x20;
const CASTLING_FOLLOWS: u8 = 0x40;
/// The castling rights in the order of their bits.
const RIGHTS: [(Color, Side); 4] = [
    (Color::Black, Side::Short),
    (Color::Black, Side::Long),
    (Color::White, Side::Short),
    (Color::White, Side::Long),
];

/// How a real position is turned into the stored one. The same steps lead back.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct Orientation {
    /// The colours are exchanged and the board is turned upside down.
    pub swapped: bool,
    /// Left and right are exchanged.
    pub mirrored: bool,
}

impl Orientation {
    /// All four orientations.
    pub const ALL: [Orientation; 4] = [
        Orientation {
            swapped: false,
            mirrored: false,
        },
        Orientation {
            swapped: true,
            mirrored: false,
        },
        Orientation {
            swapped: false,
            mirrored: true,
        },
        Orientation {
            swapped: true,
            mirrored: true,
        },
    ];

    /// Returns where a square of one position is in the other.
    pub fn square(self, square: Square) -> Square {
        let ranks = if self.swapped { 7 } else { 0 };
        // The index of a square is eight times its file plus its rank.
        let files = if self.mirrored { 0x38 } else { 0 };
        Square::new_masked(square.index() ^ ranks ^ files)
    }

    /// Returns the move in the other position.
    pub fn mv(self, mv: PackedMove) -> PackedMove {
        PackedMove::new(self.square(mv.from()), self.square(mv.to()), mv.kind())
    }

    /// Returns the other position, without move counters.
    pub fn board(self, board: &Board) -> Board {
        let color = |color: Color| if self.swapped { color.other() } else { color };
        let mut other = Board::empty();
        for square in board.occupied() {
            let piece = board.piece_at(square).map(|piece| Piece {
                color: color(piece.color),
                kind: piece.kind,
            });
            other.put(self.square(square), piece);
        }
        // Only positions without castling rights are mirrored, so the sides keep their names.
        for (of, side) in RIGHTS {
            let rook = board.castling_rook(of, side);
            let rook = rook.map(|rook| self.square(rook));
            other.set_castling_rook(color(of), side, rook);
        }
        other.set_ep_square(board.ep_square().map(|square| self.square(square)));
        other.set_turn(color(board.turn()));
        other
    }
}

/// The bytes of a stored board: its head and bits.
#[derive(Clone, Copy)]
pub struct StoredBoard {
    bytes: [u8; MOST],
    length: usize,
}

/// The reason why stored bytes are not a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardFault(&'static str);

impl BoardFault {
    /// Returns the reason in words.
    pub const fn what(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for BoardFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl StoredBoard {
    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Returns the stored form of a position, and how they differ: White to move, and the king of
    /// the side to move on the right half if there is no castling right.
    ///
    /// Returns `None` for a position that the format cannot store: with castling rights of
    /// Chess960, without exactly one king of the side to move, or with too many pieces.
    pub fn from_board(board: &Board) -> Option<(StoredBoard, Orientation)> {
        let us = board.turn();
        let mut kings = board.pieces(us, PieceType::King);
        // Two kings would make the choice of the mirror image ambiguous.
        let (Some(king), None) = (kings.next(), kings.next()) else {
            return None;
        };
        let orientation = Orientation {
            swapped: us == Color::Black,
            mirrored: !board.has_castling_rights() && king.file() < 4,
        };
        let stored = StoredBoard::encode(&orientation.board(board))?;
        Some((stored, orientation))
    }

    /// Returns the bytes of a position with White to move, without turning it.
    fn encode(board: &Board) -> Option<StoredBoard> {
        let mut bits = BitWriter::default();
        for square in Square::all() {
            let (code, width) = board.piece_at(square).map_or((0, 1), code);
            bits.push(code, width);
        }
        // A book stores the file only if the capture is legal; otherwise the position would have
        // two entries.
        let ep = board
            .ep_square()
            .filter(|&ep| can_take_en_passant(board, ep));
        let mut castling = 0;
        for (color, side) in RIGHTS {
            let right = match board.castling_rook(color, side) {
                // One bit cannot state the file of a Chess960 rook.
                Some(rook) if rook == side.corner(color) && has_home_king(board, color) => 1,
                Some(_) => return None,
                None => 0,
            };
            // The first right is the most significant of the four bits.
            castling = castling << 1 | right;
        }
        let mut head = 0;
        let mut end = 0;
        let mut width = 0;
        if let Some(ep) = ep {
            head |= EP_FOLLOWS;
            end = u64::from(ep.file());
            width = 3;
        }
        if castling != 0 {
            head |= CASTLING_FOLLOWS;
            // The file precedes the rights.
            end = end << 4 | castling;
            width += 4;
        }
        // At least one zero bit if nothing follows the squares; otherwise the last bits of a byte.
        let used = bits.length + width.max(1);
        bits.push(0, used.next_multiple_of(8) - used + usize::from(width == 0));
        bits.push(end, width);
        let length = 1 + bits.length / 8;
        // The length shares its byte with two flags; `bits` counts what exceeds its buffer.
        let fits = u8::try_from(length).ok().filter(|_| length <= MOST);
        *bits.bytes.first_mut()? = head | fits?;
        Some(StoredBoard {
            bytes: *bits.bytes.first_chunk()?,
            length,
        })
    }

    /// Returns the position of stored bytes, head included, with White to move.
    ///
    /// # Errors
    ///
    /// Returns [`BoardFault`] if the bits are no board.
    pub fn decode(bytes: &[u8]) -> Result<Board, BoardFault> {
        let (&head, bits) = bytes.split_first().ok_or(BoardFault("an empty board"))?;
        let mut width = 0;
        width += if head & EP_FOLLOWS != 0 { 3 } else { 0 };
        width += if head & CASTLING_FOLLOWS != 0 { 4 } else { 0 };
        let mut reader = BitReader { bits, position: 0 };
        let mut board = Board::empty();
        for square in Square::all() {
            let piece = reader.piece().ok_or(BoardFault("the bits of a board"))?;
            board.put(square, piece);
        }
        // File and rights are the last bits of the last byte, not the next ones.
        let end = (bits.len() * 8).checked_sub(width);
        reader.position = end
            .filter(|&end| end >= reader.position)
            .ok_or(BoardFault("no bits for en passant or castling"))?;
        if head & EP_FOLLOWS != 0 {
            let file = reader.number(3).unwrap_or_default();
            board.set_ep_square(Square::from_coords(file, 5));
        }
        if head & CASTLING_FOLLOWS != 0 {
            for (color, side) in RIGHTS {
                if reader.number(1) == Some(1) {
                    board.set_castling_rook(color, side, Some(side.corner(color)));
                }
            }
        }
        Ok(board)
    }
}

/// Returns whether the king is on e1 or e8.
fn has_home_king(board: &Board, color: Color) -> bool {
    board.king(color) == Square::from_coords(4, color.rank(0))
}

/// Returns whether any pawn may legally take en passant.
fn can_take_en_passant(board: &Board, ep: Square) -> bool {
    let back = board.turn().pick(-1, 1);
    [-1, 1].into_iter().any(|side| {
        let from = ep.offset(side, back);
        from.map(|from| PackedMove::new(from, ep, MoveKind::EnPassant))
            .is_some_and(|mv| is_legal(board, mv))
    })
}

/// Returns the bits of a piece, and their number.
fn code(piece: Piece) -> (u64, usize) {
    let color = u64::from(piece.color == Color::Black);
    let (kind, width) = match piece.kind {
        PieceType::Pawn => (0b11, 3),
        PieceType::Rook => (0b1011, 5),
        PieceType::Bishop => (0b1010, 5),
        PieceType::Knight => (0b1001, 5),
        PieceType::Queen => (0b1_0001, 6),
        PieceType::King => (0b1_0000, 6),
    };
    (kind << 1 | color, width)
}

/// Bits after a first byte that stays free, the most significant bit of each byte first.
#[derive(Default)]
struct BitWriter {
    bytes: [u8; 32],
    length: usize,
}

impl BitWriter {
    /// Appends the lowest bits of a number. What does not fit is only counted.
    fn push(&mut self, bits: u64, width: usize) {
        // The most significant bit comes first.
        for n in (0..width).rev() {
            if let Some(byte) = self.bytes.get_mut(1 + self.length / 8) {
                *byte |= ((bits >> n & 1) as u8) << (7 - self.length % 8);
            }
            self.length += 1;
        }
    }
}

struct BitReader<'b> {
    bits: &'b [u8],
    position: usize,
}

impl BitReader<'_> {
    fn number(&mut self, width: usize) -> Option<u8> {
        let mut number = 0;
        for _ in 0..width {
            let byte = self.bits.get(self.position / 8)?;
            number = number << 1 | byte >> (7 - self.position % 8) & 1;
            self.position += 1;
        }
        Some(number)
    }

    /// Reads one square.
    fn piece(&mut self) -> Option<Option<Piece>> {
        if self.number(1)? == 0 {
            return Some(None);
        }
        let kind = match self.number(1)? {
            1 => PieceType::Pawn,
            _ => match self.number(2)? {
                3 => PieceType::Rook,
                2 => PieceType::Bishop,
                1 => PieceType::Knight,
                _ if self.number(1)? == 1 => PieceType::Queen,
                _ => PieceType::King,
            },
        };
        let color = match self.number(1)? {
            0 => Color::White,
            _ => Color::Black,
        };
        Some(Some(Piece { color, kind }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_encodes_like_a_genuine_book() {
        let (stored, orientation) = StoredBoard::from_board(&Board::standard()).unwrap();
        assert_eq!(orientation, Orientation::default());
        let bytes = [
            0x56, 0xb6, 0x0f, 0x79, 0x60, 0xf3, 0xa6, 0x0f, 0x58, 0xb0, 0x78, 0xe0, 0xc1, 0xe1,
            0xa6, 0x0f, 0x59, 0x60, 0xf3, 0xb6, 0x0f, 0x7f,
        ];
        assert_eq!(stored.bytes(), bytes);
        let mut board = Board::standard();
        board.set_fullmove_number(1);
        assert_eq!(StoredBoard::decode(&bytes), Ok(board));
    }

    #[test]
    fn mirrored_positions_share_one_entry() {
        let stored = |fen: &str| {
            let (stored, orientation) = StoredBoard::from_board(&fen.parse().unwrap()).unwrap();
            (stored.bytes().to_vec(), orientation)
        };
        let (bytes, plain) = stored("8/8/4k3/8/2Pp4/8/8/5K2 w - - 0 1");
        assert_eq!(plain, Orientation::default());
        for (fen, swapped, mirrored) in [
            ("8/8/3k4/8/4pP2/8/8/2K5 w - - 0 1", false, true),
            ("5k2/8/8/2pP4/8/4K3/8/8 b - - 0 1", true, false),
            ("2k5/8/8/4Pp2/8/3K4/8/8 b - - 0 1", true, true),
        ] {
            // The mirror images have the pawns of the other side where needed.
            let (other, orientation) = stored(fen);
            assert_eq!(orientation, Orientation { swapped, mirrored }, "{fen}");
            let same_pawns = fen.starts_with("5k2") || fen.starts_with("2k5");
            assert_eq!(other == bytes, same_pawns || !swapped, "{fen}");
        }
        // En passant counts only if it is legal.
        let board = |ep: &str| format!("4k3/8/8/2Pp4/8/8/8/5K2 w - {ep} 0 1");
        assert_ne!(stored(&board("d6")), stored(&board("-")));
        let pinned = |ep: &str| format!("4k3/8/8/K1Pp3r/8/8/8/8 w - {ep} 0 1");
        assert_eq!(stored(&pinned("d6")), stored(&pinned("-")));
    }

    #[test]
    fn unstorable_positions_are_rejected() {
        for fen in [
            "1k6/8/8/8/8/8/8/R4K1R w Q - 0 1",
            "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/K6k w - - 0 1",
            "8/8/8/8/8/8/8/k7 w - - 0 1",
        ] {
            assert!(
                StoredBoard::from_board(&fen.parse().unwrap()).is_none(),
                "{fen}"
            );
        }
        assert!(StoredBoard::decode(&[]).is_err());
        assert!(StoredBoard::decode(&[0x57; 20]).is_err());
    }
}
