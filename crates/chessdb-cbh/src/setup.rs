//! Start positions (docs/formats/cbh.md, sections 5.1 to 5.3).

use chessdb_core::board::{Piece, Side};
use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::{
    Board, Color, ErrorKind, LossKind, Losses, PieceType, Result, Setup, Square, Start,
};

use crate::raw::{Chess960Block, StartPosition};

/// The pieces with the numbers 1 to 6.
const PIECES: [PieceType; 6] = [
    PieceType::King,
    PieceType::Queen,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Pawn,
];

/// The color and side of the castling bits, from the lowest.
pub(crate) const RIGHTS: [(Color, Side); 4] = [
    (Color::White, Side::Long),
    (Color::White, Side::Short),
    (Color::Black, Side::Long),
    (Color::Black, Side::Short),
];

/// The rules for the initial squares of king and rook: standard chess or Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    Chess,
    /// Chess960, with the squares that follow the position.
    Chess960(Chess960Block),
}

/// The faults of a start position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SetupFaults {
    /// The first invalid piece number, or 255 if the pieces exceed the field.
    pub(crate) piece: Option<u8>,
    /// The en passant file, if it is above 8.
    pub(crate) ep: Option<u8>,
}

/// A reader of bits, highest bit first.
struct BitReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl BitReader<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.position / 8)?;
        let bit = byte >> (7 - self.position % 8) & 1;
        self.position += 1;
        Some(bit)
    }

    fn number(&mut self, bits: u8) -> Option<u8> {
        (0..bits).try_fold(0, |number, _| Some(number << 1 | self.next()?))
    }
}

/// Reads the start position of a game.
pub(crate) fn read(start: &StartPosition, variant: Variant) -> (Setup, SetupFaults) {
    let mut board = Board::empty();
    let mut faults = SetupFaults::default();
    let mut bits = BitReader {
        bytes: &start.board,
        position: 0,
    };
    for square in Square::all() {
        match bits.next() {
            Some(0) => continue,
            Some(_) => {}
            None => {
                // 24 bytes hold 32 pieces of five bits and 32 empty squares of one bit, no more.
                faults.piece = faults.piece.or(Some(u8::MAX));
                break;
            }
        }
        let color = match bits.next() {
            Some(0) => Color::White,
            _ => Color::Black,
        };
        let number = bits.number(3).unwrap_or(u8::MAX);
        let kind = number
            .checked_sub(1)
            .and_then(|n| PIECES.get(usize::from(n)));
        match kind {
            Some(&kind) => board.put(square, Some(Piece { color, kind })),
            None => faults.piece = faults.piece.or(Some(number)),
        }
    }
    if start.turn & 0x10 != 0 {
        board.set_turn(Color::Black);
    }
    match start.turn & 15 {
        0 => {}
        file @ 1..=8 => board.set_ep_square(Square::from_coords(file - 1, board.turn().pick(5, 2))),
        file => faults.ep = Some(file),
    }
    board.set_fullmove_number(u16::from(start.number).max(1));
    for (bit, (color, side)) in RIGHTS.into_iter().enumerate() {
        if start.castling >> bit & 1 != 0 {
            let rook = castling_rook(&board, color, side, variant);
            board.set_castling_rook(color, side, rook);
        }
    }
    let chess960 = variant != Variant::Chess;
    (Setup { board, chess960 }, faults)
}

/// Returns the rook of a castling right.
fn castling_rook(board: &Board, color: Color, side: Side, variant: Variant) -> Option<Square> {
    let Variant::Chess960(block) = variant else {
        return Some(side.corner(color));
    };
    let [_, _, white_short, white_long, black_short, black_long] = block.squares;
    let stated = match (color, side) {
        (Color::White, Side::Short) => white_short,
        (Color::White, Side::Long) => white_long,
        (Color::Black, Side::Short) => black_short,
        (Color::Black, Side::Long) => black_long,
    };
    // A promoted rook may be further out, so a stated square with a rook counts (section 5.2).
    let rooks = board.pieces(color, PieceType::Rook);
    let stated =
        Square::new(stated).filter(|square| square.rank() == color.rank(0) && rooks.has(*square));
    stated.or_else(|| outermost_rook(board, color, side))
}

/// A start position in stored form.
#[derive(Clone, Debug)]
pub(crate) struct StoredSetup {
    pub(crate) position: StartPosition,
    pub(crate) block: Option<Chess960Block>,
    /// The start position that a reader finds, if its castling rights differ from the game's.
    pub(crate) read_back: Option<Start>,
}

/// Encodes a start position. `None` if it has more pieces than the field can hold. A Chess960
/// position has a block of squares; `number` is its Chess960 number, computed if not given.
pub(crate) fn write(
    setup: &Setup,
    number: Option<u16>,
    losses: &mut Losses,
) -> Option<StoredSetup> {
    let board = &setup.board;
    let mut out = BitWriter::default();
    for square in Square::all() {
        match board.piece_at(square) {
            None => out.number(0, 1)?,
            Some(Piece { color, kind }) => {
                let piece = PIECES.iter().position(|piece| *piece == kind)? as u8 + 1;
                out.number(color.pick(0x10, 0x18) | piece, 5)?;
            }
        }
    }
    let mut castling = 0;
    for (bit, (color, side)) in RIGHTS.into_iter().enumerate() {
        castling |= u8::from(board.castling_rook(color, side).is_some()) << bit;
    }
    let ep = board.ep_square().map_or(0, |square| square.file() + 1);
    let position = StartPosition {
        mark: 1,
        turn: ep | board.turn().pick(0, 0x10),
        castling,
        // A number above 255 is counted as a loss below.
        number: u8::try_from(board.fullmove_number()).unwrap_or(1).max(1),
        board: out.bytes,
    };
    let is_chess960 = setup.chess960 || Setup::from_board(board.clone()).chess960;
    let block = is_chess960.then(|| Chess960Block {
        squares: block_squares(board),
        number: number.or_else(|| board.chess960_number()).unwrap_or(0),
    });
    let read_back = count_losses(setup, &position, block, losses);
    Some(StoredSetup {
        position,
        block,
        read_back,
    })
}

/// Counts the losses of storing a start position. Returns the start position that a reader finds if
/// its castling rights differ.
fn count_losses(
    setup: &Setup,
    stored: &StartPosition,
    block: Option<Chess960Block>,
    losses: &mut Losses,
) -> Option<Start> {
    let variant = block.map_or(Variant::Chess, Variant::Chess960);
    let (mut back, _) = read(stored, variant);
    let (board, counters) = (&setup.board, |board: &Board| {
        (board.halfmove_clock(), board.fullmove_number())
    });
    losses.add_if(
        LossKind::StartCounters,
        counters(board) != counters(&back.board),
    );
    // The counters were compared above and must not count as a second loss.
    back.board.set_halfmove_clock(board.halfmove_clock());
    back.board.set_fullmove_number(board.fullmove_number());
    if back.board != *board {
        losses.add(LossKind::StartPosition, None);
    } else if back.chess960 != setup.chess960 {
        losses.add(LossKind::Chess960, None);
    }
    let right = |board: &Board, (color, side)| board.castling_rook(color, side);
    let changed = RIGHTS
        .into_iter()
        .any(|place| right(&back.board, place) != right(board, place));
    changed.then(|| Start::Setup(Box::new(back)))
}

/// Returns the squares of the kings of White and Black; e1 or e8 for a missing king.
fn king_squares(board: &Board) -> [u8; 2] {
    Color::ALL.map(|color| {
        let home = Square::new_masked(4 * 8 + color.rank(0));
        board.king(color).unwrap_or(home).index()
    })
}

/// Returns the squares of kings and rooks. A side that cannot castle on a wing gets the file of the
/// other side's rook or, if neither can, the file of the outermost rook.
fn block_squares(board: &Board) -> [u8; 6] {
    let rook = |color: Color, side: Side| {
        let castling = |color: Color| {
            let rook = board.castling_rook(color, side)?;
            let is_home = rook.rank() == color.rank(0);
            (is_home && board.pieces(color, PieceType::Rook).has(rook)).then_some(rook)
        };
        let square = castling(color).or_else(|| castling(color.other()));
        let outermost = || {
            let mut colors = Color::ALL.into_iter();
            colors.find_map(|color| outermost_rook(board, color, side))
        };
        let rook = square.or_else(outermost);
        let file = rook.unwrap_or(side.corner(Color::White)).file();
        file * 8 + color.rank(0)
    };
    let [white, black] = king_squares(board);
    [
        white,
        black,
        rook(Color::White, Side::Short),
        rook(Color::White, Side::Long),
        rook(Color::Black, Side::Short),
        rook(Color::Black, Side::Long),
    ]
}

/// A writer of bits, highest bit first.
#[derive(Default)]
struct BitWriter {
    bytes: [u8; 24],
    position: usize,
}

impl BitWriter {
    /// Appends the lowest `bits` bits of a number. `None` if they do not fit.
    fn number(&mut self, number: u8, bits: u8) -> Option<()> {
        for bit in (0..bits).rev() {
            *self.bytes.get_mut(self.position / 8)? |=
                (number >> bit & 1) << (7 - self.position % 8);
            self.position += 1;
        }
        Some(())
    }
}

/// Returns the outermost rook on this side of the king.
pub(crate) fn outermost_rook(board: &Board, color: Color, side: Side) -> Option<Square> {
    let king = board.king(color)?;
    let on_rank = |file| Square::from_coords(file, king.rank());
    let rooks = board.pieces(color, PieceType::Rook);
    match side {
        Side::Short => (king.file()..8)
            .rev()
            .filter_map(on_rank)
            .find(|&s| rooks.has(s)),
        Side::Long => (0..king.file()).filter_map(on_rank).find(|&s| rooks.has(s)),
    }
}

/// Returns true if castling may follow although the position lacks the right to it (section 5.1).
pub(crate) fn may_lack_right(start: &Start) -> bool {
    let Start::Setup(setup) = start else {
        return false;
    };
    let board = &setup.board;
    Color::ALL.into_iter().any(|color| {
        let at_home = board.king(color).is_some_and(|king| king.file() == 4);
        let lacks = |side| {
            board.castling_rook(color, side).is_none()
                && outermost_rook(board, color, side).is_some()
        };
        (at_home || setup.chess960) && Side::ALL.into_iter().any(lacks)
    })
}

/// Returns true if all eight bytes belong to the block (sections 5.2, 5.3): on each wing the rooks
/// of both sides are on one file, or they are on different files where each side has a rook, as in
/// Double Fischer Random.
fn is_whole(block: &Chess960Block, position: &StartPosition) -> bool {
    if block.is_whole() {
        return true;
    }
    let (setup, _) = read(position, Variant::Chess);
    let board = &setup.board;
    let [
        white,
        black,
        white_short,
        white_long,
        black_short,
        black_long,
    ] = block.squares;
    let wing_fits = |(white, black)| {
        let (Some(white), Some(black)) = (Square::new(white), Square::new(black)) else {
            return false;
        };
        let has_rook = |color, square| board.pieces(color, PieceType::Rook).has(square);
        let have_rooks = has_rook(Color::White, white) && has_rook(Color::Black, black);
        let are_home = [white.rank(), black.rank()] == Color::ALL.map(|color| color.rank(0));
        are_home && (white.file() == black.file() || have_rooks)
    };
    let mut wings = [(white_short, black_short), (white_long, black_long)].into_iter();
    [white, black] == king_squares(board) && block.number < 960 && wings.all(wing_fits)
}

/// Returns the squares after a Chess960 start position, and their size in bytes (sections 5.2,
/// 5.3).
pub(crate) fn chess960(
    position: &StartPosition,
    rest: &[u8],
    location: Location,
    report: &mut GameReport<'_>,
) -> Result<(Variant, usize)> {
    let whole = rest.first_chunk().map(Chess960Block::parse);
    if let Some(block) = whole.filter(|block| is_whole(block, position)) {
        return Ok((Variant::Chess960(block), Chess960Block::SIZE));
    }
    let kind = ErrorKind::Structure("Chess960 start squares without those of Black's rooks");
    report.repaired(kind, location)?;
    let mut squares = [0; 6];
    for (place, square) in squares
        .iter_mut()
        .zip(rest.iter().take(Chess960Block::SHORT))
    {
        *place = *square;
    }
    let [_, _, short, long, black_short, black_long] = &mut squares;
    // Squares count file by file, so the last rank is seven above the first.
    (*black_short, *black_long) = (short.wrapping_add(7), long.wrapping_add(7));
    let block = Chess960Block { squares, number: 0 };
    Ok((Variant::Chess960(block), Chess960Block::SHORT))
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    /// Section 6.10.
    #[test]
    fn the_page_agrees() {
        let stored = hex!(
            "01 00 00 01 78 19 78 07 80 78 00 2C 02 C0 2C 88 2C 00 00 00 00 00 00 00 00 00 00 00"
        );
        let (setup, faults) = read(&StartPosition::parse(&stored), Variant::Chess);
        assert_eq!(faults, SetupFaults::default());
        assert_eq!(setup.to_string(), "k7/4PPPP/8/8/8/8/pppp4/7K w - - 0 1");
        let stored = hex!(
            "01 00 0F 01 AD 83 DD A5 83 DC A5 83 DC 9D 83 DB 9D 83 DB 8D 83 D9 AD 83 DD 95 83 DA"
        );
        let block = Chess960Block::parse(&hex!("28 2F 30 00 37 07 01D4"));
        let (setup, _) = read(&StartPosition::parse(&stored), Variant::Chess960(block));
        assert_eq!(setup.board.chess960_number(), Some(468));
        assert_eq!(
            setup.to_string(),
            "rbbnnkrq/pppppppp/8/8/8/8/PPPPPPPP/RBBNNKRQ w KQkq - 0 1"
        );
    }

    #[test]
    fn invalid_pieces_and_en_passant_files_are_reported() {
        let mut stored = [0; StartPosition::SIZE];
        (stored[1], stored[4]) = (9, 0xFF);
        let (_, faults) = read(&StartPosition::parse(&stored), Variant::Chess);
        assert_eq!((faults.piece, faults.ep), (Some(7), Some(9)));
        stored[4..].fill(0xAD);
        let (_, faults) = read(&StartPosition::parse(&stored), Variant::Chess);
        assert_eq!(faults.piece, Some(u8::MAX));
    }
}
