//! Start positions (docs/formats/chess-assistant.md, section 10).

use chessdb_core::board::{Piece, Side};
use chessdb_core::error::Location;
use chessdb_core::legacy::ca::Slots;
use chessdb_core::report::GameReport;
use chessdb_core::{
    Board, Color, ErrorKind, LossKind, Losses, PieceType, Result, Setup, Severity, Square,
};

use crate::guesses::Guesses;
use crate::raw::{CastlingRights, Item, Items, SlotEntry, StartPosition};
use crate::roles::D02_FILE;

/// The start position of a game.
#[derive(Debug)]
pub(crate) enum RecordStart {
    /// The standard position; the record states no other.
    Standard,
    /// The position stored at `offset` of the record.
    Position {
        offset: usize,
        setup: Box<Setup>,
        slots: Slots,
    },
    /// The record states an impossible position.
    Broken,
}

/// Reads the start position of a record, its first code apart from comments. `start` is the offset
/// of the record in d02.
pub(crate) fn read_start(
    body: &[u8],
    start: u64,
    guesses: &Guesses,
    report: &mut GameReport<'_>,
) -> Result<RecordStart> {
    for (offset, item) in Items::new(body) {
        match item {
            Item::Comment(_) | Item::Unknown(_) => {}
            Item::Start(position) => {
                let location = Location::byte(D02_FILE, start + offset as u64 + 1);
                let mut reader = Reader {
                    position: &position,
                    guesses,
                    report,
                    at: location,
                };
                return Ok(match reader.read()? {
                    Some((setup, slots)) => RecordStart::Position {
                        offset,
                        setup: Box::new(setup),
                        slots,
                    },
                    None => RecordStart::Broken,
                });
            }
            _ => break,
        }
    }
    Ok(RecordStart::Standard)
}

const KINDS: [PieceType; 6] = [
    PieceType::Pawn,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::King,
];

/// Returns the piece type of a slot, or `None` for slots 16 and 17.
const fn kind_of_slot(slot: u8) -> Option<PieceType> {
    Some(match slot {
        0..=7 => PieceType::Pawn,
        8 | 9 => PieceType::Knight,
        10 | 11 => PieceType::Bishop,
        12 | 13 => PieceType::Rook,
        14 => PieceType::Queen,
        15 => PieceType::King,
        _ => return None,
    })
}

/// Returns the square of a byte with the rank in the upper and the file in the lower four bits.
fn square(place: u8) -> Option<Square> {
    Square::from_coords(place & 15, place >> 4)
}

fn place(square: Square) -> u8 {
    square.rank() << 4 | square.file()
}

/// The color, side and flag of each castling right.
const CASTLING: [(Color, Side, CastlingRights); 4] = [
    (Color::White, Side::Short, CastlingRights::WHITE_SHORT),
    (Color::White, Side::Long, CastlingRights::WHITE_LONG),
    (Color::Black, Side::Short, CastlingRights::BLACK_SHORT),
    (Color::Black, Side::Long, CastlingRights::BLACK_LONG),
];

struct Reader<'r, 's> {
    position: &'r StartPosition,
    guesses: &'r Guesses,
    report: &'r mut GameReport<'s>,
    /// Location of the first byte of the position.
    at: Location,
}

impl Reader<'_, '_> {
    fn read(&mut self) -> Result<Option<(Setup, Slots)>> {
        let mut board = Board::empty();
        let mut slots = Slots::EMPTY;
        for (color, side) in Color::ALL.into_iter().zip(&self.position.sides) {
            for (slot, entry) in (0..).zip(side) {
                if !self.piece(color, slot, *entry, &mut board, &mut slots)? {
                    return Ok(None);
                }
            }
        }
        let plies = self.position.plies;
        board.set_turn(if plies & 1 == 0 { Color::White } else { Color::Black });
        board.set_fullmove_number(plies / 2 + 1);
        self.castling(&mut board)?;
        if self.position.en_passant != 0 {
            let target = square(self.position.en_passant);
            board.set_ep_square(target);
            if target.is_none() {
                let value = self.position.en_passant.into();
                self.report_bad_field(Severity::Repaired, "the en passant square", value, 75)?;
            }
        }
        Ok(Some((
            Setup {
                board,
                chess960: false,
            },
            slots,
        )))
    }

    /// Puts the piece of a slot on the board. Returns false if the square is occupied.
    fn piece(
        &mut self,
        color: Color,
        slot: u8,
        entry: SlotEntry,
        board: &mut Board,
        slots: &mut Slots,
    ) -> Result<bool> {
        let offset = u64::from(slot) * 2 + color.pick(0, 36);
        // An empty slot has the square `08`: file 8 is off the board (section 10).
        let Some(square) = square(entry.place).filter(|_| entry.kind != 0) else {
            return Ok(true);
        };
        let Some(&kind) = KINDS.get(usize::from(entry.kind) - 1) else {
            self.report_bad_field(
                Severity::Lost,
                "the kind of a piece",
                entry.kind.into(),
                offset + 1,
            )?;
            return Ok(true);
        };
        let own = kind_of_slot(slot);
        let promoted = slot < 8 && kind != PieceType::Pawn;
        if promoted && !self.guesses.pieces_in_pawn_slots {
            self.report_bad_field(
                Severity::Lost,
                "a piece in a pawn's slot",
                entry.kind.into(),
                offset + 1,
            )?;
            return Ok(true);
        }
        if !promoted && own.is_some_and(|own| own != kind) {
            let value = entry.kind.into();
            self.report_bad_field(
                Severity::Note,
                "the kind of the piece in a fixed slot",
                value,
                offset + 1,
            )?;
        }
        if board.piece_at(square).is_some() {
            let kind = ErrorKind::Structure("two pieces of the start position on one square");
            self.add(Severity::Lost, kind, offset)?;
            return Ok(false);
        }
        board.put(square, Some(Piece { color, kind }));
        slots.put(color, slot, square);
        if promoted {
            slots.put_promoted(color, slot);
        }
        Ok(true)
    }

    fn castling(&mut self, board: &mut Board) -> Result<()> {
        let rights = self.position.castling;
        let bits = rights.bits();
        for (color, side, right) in CASTLING {
            if !rights.contains(right) {
                continue;
            }
            let rook = side.corner(color);
            if can_castle(board, color, rook) {
                board.set_castling_rook(color, side, Some(rook));
            } else {
                let field = "a castling right without king or rook on its initial square";
                self.report_bad_field(Severity::Repaired, field, bits.into(), 74)?;
            }
        }
        if !CastlingRights::all().contains(rights) {
            self.report_bad_field(Severity::Repaired, "the castling rights", bits.into(), 74)?;
        }
        Ok(())
    }

    fn report_bad_field(
        &mut self,
        severity: Severity,
        field: &'static str,
        value: u64,
        offset: u64,
    ) -> Result<()> {
        self.add(severity, ErrorKind::BadField { field, value }, offset)
    }

    fn add(&mut self, severity: Severity, kind: ErrorKind, offset: u64) -> Result<()> {
        let start = self.at.offset.unwrap_or_default();
        self.report.add(
            severity,
            kind,
            Location {
                offset: Some(start + offset),
                ..self.at
            },
        )
    }
}

/// Returns whether the king is on its home square and a rook on `rook`.
fn can_castle(board: &Board, color: Color, rook: Square) -> bool {
    // Squares count by files, and 4 is the e-file.
    let king = Square::new_masked(4 << 3 | color.rank(0));
    board.pieces(color, PieceType::King).has(king) && board.pieces(color, PieceType::Rook).has(rook)
}

/// Returns the stored form of a start position and counts what it cannot hold.
pub(crate) fn put_start(setup: &Setup, slots: &Slots, losses: &mut Losses) -> StartPosition {
    let board = &setup.board;
    let mut sides = [[SlotEntry::ABSENT; 18]; 2];
    for (color, side) in Color::ALL.into_iter().zip(&mut sides) {
        for (slot, entry) in (0..).zip(side) {
            let Some(square) = slots.square(color, slot) else {
                continue;
            };
            let Some(piece) = board.piece_at(square) else {
                continue;
            };
            *entry = SlotEntry {
                place: place(square),
                kind: piece.kind as u8 + 1,
            };
        }
    }
    let mut castling = CastlingRights::empty();
    for (color, side, right) in CASTLING {
        let corner = side.corner(color);
        match board.castling_rook(color, side) {
            Some(rook) if rook == corner && can_castle(board, color, corner) => castling |= right,
            Some(_) => losses.add(LossKind::Chess960, None),
            None => {}
        }
    }
    let played = (u32::from(board.fullmove_number()).saturating_sub(1)) * 2;
    let black = u32::from(board.turn() == Color::Black);
    // The greatest number that keeps the side to move: it is even if White moves.
    let plies = u16::try_from(played + black).unwrap_or(u16::MAX - 1 + black as u16);
    losses.add_if(
        LossKind::StartCounters,
        board.halfmove_clock() != 0 || plies / 2 + 1 != board.fullmove_number(),
    );
    let en_passant = board.ep_square().map_or(0, place);
    if en_passant == 0 && board.ep_square().is_some() {
        // The square a1, which the byte 0 cannot express.
        losses.add(LossKind::StartPosition, None);
    }
    StartPosition {
        sides,
        plies,
        castling,
        en_passant,
    }
}

/// Returns the slots of a start position.
///
/// # Errors
///
/// Returns the loss if the position cannot be stored: it has more pieces than slots, or Chess960
/// castling.
pub(crate) fn storable_start(start: &chessdb_core::Start) -> std::result::Result<Slots, LossKind> {
    match start {
        chessdb_core::Start::Standard => Ok(Slots::standard()),
        chessdb_core::Start::Setup(setup) if setup.chess960 => Err(LossKind::Chess960),
        chessdb_core::Start::Setup(setup) => {
            Slots::from_board(&setup.board).map_err(|_| LossKind::StartPosition)
        }
    }
}
