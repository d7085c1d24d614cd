//! How many men of each kind there are.

use chessdb_core::{Board, Color, PieceType};

use super::Wanted;

/// Bounds of a number, both included.
pub(super) type Count = (u8, u8);

/// What one side has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Army {
    /// By [`PieceType`].
    pub(super) kinds: [Count; 6],
    /// Knights and bishops together, where they are asked for so; their own counts are then free.
    pub(super) minors: Option<Count>,
}

impl Army {
    fn fits(&self, board: &Board, color: Color) -> bool {
        let count = |kind| board.pieces(color, kind).len() as u8;
        let within = |count: u8, (least, most): Count| (least..=most).contains(&count);
        let minors = || count(PieceType::Knight) + count(PieceType::Bishop);
        PieceType::ALL
            .into_iter()
            .zip(self.kinds)
            .all(|(kind, wanted)| within(count(kind), wanted))
            && self.minors.is_none_or(|wanted| within(minors(), wanted))
    }

    /// Whether men are missing that no promotion can bring.
    fn is_over(&self, board: &Board, color: Color) -> bool {
        let count = |kind| board.pieces(color, kind).len() as i32;
        let [(pawns, _), ..] = self.kinds;
        let spare = count(PieceType::Pawn) - i32::from(pawns);
        let kinds = PieceType::ALL.into_iter().zip(self.kinds).skip(1);
        let missing = kinds.map(|(kind, (least, _))| (i32::from(least) - count(kind)).max(0));
        let missing: i32 = missing.sum();
        let minors = self.minors.map_or(0, |(least, _)| {
            let both = count(PieceType::Knight) + count(PieceType::Bishop);
            (i32::from(least) - both).max(0)
        });
        spare < missing + minors
    }
}

/// What both sides have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Material {
    pub(super) white: Army,
    pub(super) black: Army,
    /// Whether the colours may be exchanged.
    pub(super) either: bool,
}

impl Material {
    #[inline]
    pub(crate) fn fits(&self, board: &Board) -> bool {
        self.white.fits(board, Color::White) && self.black.fits(board, Color::Black)
            || self.either
                && self.white.fits(board, Color::Black)
                && self.black.fits(board, Color::White)
    }

    /// What a game must allow, for each way in which the colours may stand.
    pub(super) fn wanted(&self) -> impl Iterator<Item = Wanted> {
        let most = |army: &Army| {
            let mut most = [0; 5];
            for (most, (_, wanted)) in most.iter_mut().zip(army.kinds) {
                *most = wanted;
            }
            most
        };
        let (white, black) = (most(&self.white), most(&self.black));
        let exchanged = self.either.then(|| Wanted::counts([black, white]));
        [Wanted::counts([white, black])]
            .into_iter()
            .chain(exchanged)
    }

    pub(super) fn is_over(&self, board: &Board) -> bool {
        let over = |white: &Army, black: &Army| {
            white.is_over(board, Color::White) || black.is_over(board, Color::Black)
        };
        over(&self.white, &self.black) && (!self.either || over(&self.black, &self.white))
    }
}
