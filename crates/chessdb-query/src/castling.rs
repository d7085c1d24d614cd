//! Castling in the main line of a game.

use chessdb_core::board::Side;
use chessdb_core::{Color, Game};

use crate::syntax::Fault;

/// A condition on who castled to which side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Castled {
    /// This player castled to this side; `None` is either.
    By(Option<Color>, Option<Side>),
    /// Neither player castled.
    Never,
    /// Both players castled.
    Both,
    /// Both players castled, to the same side.
    Same,
    /// Both players castled, to different sides.
    Opposite,
}

impl Castled {
    /// Reads `white-long`, `short`, `black`, `none`, `both`, `same` or `opposite`.
    pub(crate) fn read(text: &str) -> Result<Castled, Fault> {
        let text = text.to_ascii_lowercase();
        let by = |color: Option<Color>, text: &str| match text {
            "" => color.map(|_| Castled::By(color, None)),
            "short" | "kingside" | "o-o" | "0-0" => Some(Castled::By(color, Some(Side::Short))),
            "long" | "queenside" | "o-o-o" | "0-0-0" => Some(Castled::By(color, Some(Side::Long))),
            _ => None,
        };
        let of_color = |name, color| {
            let rest = text.strip_prefix(name)?;
            by(Some(color), rest.strip_prefix('-').unwrap_or(rest))
        };
        let castled = match text.as_str() {
            "none" => Some(Castled::Never),
            "both" => Some(Castled::Both),
            "same" => Some(Castled::Same),
            "opposite" => Some(Castled::Opposite),
            text => of_color("white", Color::White)
                .or_else(|| of_color("black", Color::Black))
                .or_else(|| by(None, text)),
        };
        castled.ok_or_else(|| {
            Fault::from(
                "expected short or long, also with a player as in white-long, or white, black, \
                 both, same, opposite or none",
            )
        })
    }

    /// Returns whether the main line of a game matches one of these.
    pub(crate) fn any_fits(tests: &[Castled], game: &Game) -> bool {
        let mut turn = game.start_board().turn();
        let mut sides = [None; 2];
        let [white, black] = &mut sides;
        for mv in game.mainline() {
            let side = mv.castling_side();
            // A second castling, which no rule allows, does not replace the first.
            let slot: &mut Option<Side> = match turn {
                Color::White => white,
                Color::Black => black,
            };
            *slot = slot.or(side);
            turn = turn.other();
        }
        tests.iter().any(|test| test.fits(sides))
    }

    fn fits(self, sides: [Option<Side>; 2]) -> bool {
        let [white, black] = sides;
        let is_both = white.is_some() && black.is_some();
        match self {
            Castled::By(color, side) => Color::ALL.into_iter().zip(sides).any(|(by, to)| {
                to.is_some()
                    && color.is_none_or(|color| color == by)
                    && (side.is_none() || side == to)
            }),
            Castled::Never => white.is_none() && black.is_none(),
            Castled::Both => is_both,
            Castled::Same => is_both && white == black,
            Castled::Opposite => is_both && white != black,
        }
    }
}
