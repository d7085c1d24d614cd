//! Games won by the side that was behind in material.

use chessdb_core::{Color, Game, Outcome, PieceType};

use crate::position::material_points;
use crate::syntax::Fault;

/// A condition on the material of the winner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sacrifice {
    /// The winner is behind by at least this, in points.
    least: i32,
    /// The winner has fewer pieces of each of these kinds.
    kinds: Vec<PieceType>,
}

/// The number of consecutive positions in which the winner must be behind, so that an exchange is
/// not one: three moves of each side.
const LASTING: u32 = 6;

/// The same at the end of the game: the loser captures, and the winner's answer decides.
const LASTING_AT_END: u32 = 2;

impl Sacrifice {
    /// Reads a number of points, or letters of pieces.
    pub(crate) fn read(text: &str) -> Result<Sacrifice, Fault> {
        let fault = || Fault::from("expected points such as 3, or pieces such as Q");
        if let Ok(least) = text.parse() {
            return match least {
                1.. => Ok(Sacrifice {
                    least,
                    kinds: Vec::new(),
                }),
                _ => Err(fault()),
            };
        }
        let kind = |letter: u8| {
            let kind = PieceType::from_letter(letter.to_ascii_uppercase())?;
            (kind != PieceType::King).then_some(kind)
        };
        let kinds: Option<Vec<PieceType>> = text.bytes().map(kind).collect();
        match kinds {
            Some(kinds) if !kinds.is_empty() => Ok(Sacrifice { least: 1, kinds }),
            _ => Err(fault()),
        }
    }

    /// Returns whether the main line of a game has one of these sacrifices.
    pub(crate) fn any_fits(tests: &[Sacrifice], game: &Game) -> bool {
        let winner = match game.result() {
            Outcome::WhiteWins => Color::White,
            Outcome::BlackWins => Color::Black,
            Outcome::Draw | Outcome::Unknown => return false,
        };
        game.has_known_start() && tests.iter().any(|test| test.fits(game, winner))
    }

    fn fits(&self, game: &Game, winner: Color) -> bool {
        let mut board = game.start_board();
        let mut moves = game.mainline();
        let mut lasted = 0;
        let mut is_behind = None;
        loop {
            // Between captures and promotions the material stays as it is.
            let holds = *is_behind.get_or_insert_with(|| {
                let points = winner.pick(1, -1) * material_points(&board);
                let count = |color, kind| board.pieces(color, kind).len();
                let has_fewer =
                    |&kind: &PieceType| count(winner, kind) < count(winner.other(), kind);
                points <= -self.least && self.kinds.iter().all(has_fewer)
            });
            lasted = if holds { lasted + 1 } else { 0 };
            if lasted >= LASTING {
                return true;
            }
            let Some(mv) = moves.next() else {
                return lasted >= LASTING_AT_END;
            };
            let played = board.play(mv);
            if played.captured.is_some() || mv.promotion().is_some() {
                is_behind = None;
            }
        }
    }
}
