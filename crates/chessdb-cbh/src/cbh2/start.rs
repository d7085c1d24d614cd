//! Start positions (docs/formats/2cbh.md, section 5).

use chessdb_core::error::Location;
use chessdb_core::legacy::cbh2::{CastlingWords, setup_piece};
use chessdb_core::report::GameReport;
use chessdb_core::{Board, Color, ErrorKind, Game, Result, Setup, Square, Start};

use super::moves::{WordStream, words};
use crate::extras::{self, extra_2cbh};
use crate::raw::cbh2::Frame;
use crate::setup::{RIGHTS, outermost_rook};

/// The word before the start section.
const START: u16 = 0xFFFB;
/// The word before the moves.
pub(super) const MOVES: u16 = 0xFFFC;
/// The first word of a start section with a Chess960 position that has no number.
const CHESS960_SETUP: u16 = 1000;

/// Reads the start section of a game at `location` and returns the moves after it. `None` if they
/// cannot be found.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(super) fn read_start<'a>(
    tag: u16,
    content: &'a [u8],
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<Option<WordStream<'a>>> {
    let is_960 = tag == Frame::CHESS960;
    let mut section: &[[u8; 2]] = &[];
    let (all, _) = content.as_chunks::<2>();
    let (length, is_found) = match words(all).next() {
        Some(MOVES) => (1, true),
        Some(START) => match words(all).position(|word| word == MOVES) {
            Some(end) => {
                section = all.get(1..end).unwrap_or_default();
                (end + 1, true)
            }
            None => (0, false),
        },
        _ => (0, false),
    };
    if !is_found {
        let kind = ErrorKind::Structure("the start of the moves is missing");
        report.lost(kind, location)?;
        return Ok(None);
    }
    let mut castling = if is_960 { CastlingWords::AnyChess960 } else { CastlingWords::Chess };
    let first = words(section).next();
    match (is_960, first) {
        (false, None) => {}
        (true, Some(number))
            if section.len() == 1
                && let Some(board) = Board::chess960(number) =>
        {
            castling = CastlingWords::Chess960(number);
            let chess960 = true;
            game.header.start = Start::Setup(Box::new(Setup { board, chess960 }));
        }
        (true, None) => {
            let kind = ErrorKind::Structure("the Chess960 start position is missing");
            report.lost(kind, location)?;
            return Ok(None);
        }
        (is_960, _) => {
            if is_960 && first == Some(CHESS960_SETUP) {
                section = section.get(1..).unwrap_or_default();
            }
            read_setup(section, is_960, location, game, report)?;
        }
    }
    Ok(Some(WordStream {
        bytes: content.get(2 * length..).unwrap_or_default(),
        castling,
        at: location.plus(2 * length as u64),
    }))
}

/// Reads a position with its move number, side to move, castling rights and en passant file.
fn read_setup(
    section: &[[u8; 2]],
    chess960: bool,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let mut stored = words(section);
    let (Some(number), Some(flags), Some(file)) = (stored.next(), stored.next(), stored.next())
    else {
        let kind = ErrorKind::truncated("the start position", 6, 2 * section.len() as u64);
        return report.lost(kind, location);
    };
    let mut board = Board::empty();
    for word in stored {
        match setup_piece(word) {
            Some((square, piece)) => board.put(square, Some(piece)),
            None => {
                let kind = ErrorKind::bad_field("a piece of the start position", word);
                report.lost(kind, location)?;
            }
        }
    }
    if flags & 1 != 0 {
        board.set_turn(Color::Black);
    }
    board.set_fullmove_number(number.max(1));
    let [turn, rights] = flags.to_le_bytes();
    for (bit, (color, side)) in RIGHTS.into_iter().enumerate() {
        if rights >> bit & 1 != 0 {
            let rook = if chess960 {
                // The section does not state the rooks (section 5.2).
                outermost_rook(&board, color, side)
            } else {
                Some(side.corner(color))
            };
            board.set_castling_rook(color, side, rook);
        }
    }
    match file {
        0 => {}
        1..=8 => {
            let rank = board.turn().pick(5, 2);
            let file = u8::try_from(file - 1).unwrap_or_default();
            board.set_ep_square(Square::from_coords(file, rank));
        }
        file => {
            let kind = ErrorKind::bad_field("the en passant file", file);
            report.lost(kind, location)?;
        }
    }
    if file > 8 || turn > 1 || rights > 15 {
        let stored = section.get(..3).unwrap_or_default().as_flattened();
        let extra = extra_2cbh(extras::START, stored);
        game.header.extras.push(extra);
        if file <= 8 {
            let kind = ErrorKind::bad_field("the side to move and the castling rights", flags);
            report.note(kind, location)?;
        }
    }
    game.header.start = Start::Setup(Box::new(Setup { board, chess960 }));
    Ok(())
}
