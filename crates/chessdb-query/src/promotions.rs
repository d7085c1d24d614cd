//! Promotions in the main line of a game.

use chessdb_core::{Color, Game, PieceType};

use crate::syntax::Fault;

/// A condition on a promotion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Promotion {
    /// The player; `None` is either.
    by: Option<Color>,
    /// The new piece is one of these.
    to: Vec<PieceType>,
}

impl Promotion {
    /// Reads letters of pieces, `any` or `under`, also with a player before them: `N`, `RB`,
    /// `white-N`, `black-under`.
    pub(crate) fn read(text: &str) -> Result<Promotion, Fault> {
        let lower = text.to_ascii_lowercase();
        let players = [("white-", Color::White), ("black-", Color::Black)];
        let player = players.iter().find_map(|&(name, color)| {
            lower.strip_prefix(name).map(|pieces| (Some(color), pieces))
        });
        let (by, pieces) = player.unwrap_or((None, &lower));
        let to: Option<Vec<PieceType>> = match pieces {
            "" => None,
            "any" => Some(PIECES.to_vec()),
            "under" => PIECES.get(1..).map(<[_]>::to_vec),
            pieces => pieces
                .bytes()
                .map(|letter| {
                    let kind = PieceType::from_letter(letter.to_ascii_uppercase())?;
                    PIECES.contains(&kind).then_some(kind)
                })
                .collect(),
        };
        let to = to.ok_or_else(|| {
            Fault::from("expected Q, R, B, N, under or any, also with a player as in white-N")
        })?;
        Ok(Promotion { by, to })
    }

    /// Returns whether the main line of a game has one of these promotions.
    pub(crate) fn any_fits(tests: &[Promotion], game: &Game) -> bool {
        let first = game.start_board().turn();
        let mut by = first.other();
        game.mainline().any(|mv| {
            by = by.other();
            mv.promotion().is_some_and(|kind| {
                let fits = |test: &Promotion| {
                    test.by.is_none_or(|color| color == by) && test.to.contains(&kind)
                };
                tests.iter().any(fits)
            })
        })
    }
}

/// The pieces that a pawn can become.
const PIECES: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];
