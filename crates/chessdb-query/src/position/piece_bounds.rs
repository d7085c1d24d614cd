//! What a game's signature and features must allow, so that a position can be in it.

use chessdb_core::{Board, Color, Feature, HomePawns, PieceCounts, PieceType, Signature, Square};

/// Bounds of one position, or of all that fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PieceBounds {
    /// Pawns that stand on their first squares, and such that have left them.
    at_home: u16,
    left: u16,
    /// The most men of each colour.
    most: [PieceCounts; 2],
    /// What comes up where one stands: of each of these one.
    features: Vec<Vec<Feature>>,
}

impl PieceBounds {
    /// Of positions with this placement, whoever is to move if `turn` does not count.
    pub(super) fn exact(board: &Board, turn_counts: bool) -> PieceBounds {
        let wanted = PieceBounds::of(|square| {
            let man = board.piece_at(square);
            [Color::White, Color::Black].map(|color| {
                PieceType::ALL
                    .map(|kind| man.is_some_and(|man| man.color == color && man.kind == kind))
            })
        });
        let mut turns = vec![board.clone()];
        if !turn_counts {
            let mut other = board.clone();
            other.set_turn(board.turn().other());
            turns.push(other);
        }
        let turns: Vec<_> = turns.iter().map(Feature::of_position).collect();
        // A position is early or not whoever is to move.
        let positions = [0, 1].map(|n| turns.iter().filter_map(|both| *both.get(n)?).collect());
        let piece_counts = Color::ALL.map(|color| PieceCounts::of(board, color));
        let balance = vec![Feature::of_balance(piece_counts)];
        let piece_counts = board.occupied().into_iter().filter_map(|square| {
            let man = board.piece_at(square)?;
            Feature::of_man(man, square).map(|feature| vec![feature])
        });
        wanted.with_features(positions.into_iter().chain([balance]).chain(piece_counts))
    }

    /// Of positions in which these men may stand on a square, by colour and kind. A square that may hold one
    /// man alone, and not nothing, must be given by [`PieceBounds::with_pawns_at_home`] too.
    pub(super) fn of(piece_counts: impl Fn(Square) -> [[bool; 6]; 2]) -> PieceBounds {
        let mut most = [[0; 5]; 2];
        let mut left = 0;
        for square in Square::all() {
            let may = piece_counts(square);
            for (most, may) in most.iter_mut().zip(may) {
                for (most, may) in most.iter_mut().zip(may) {
                    *most += u8::from(may);
                }
            }
            for (color, [pawn, ..]) in Color::ALL.into_iter().zip(may) {
                if square.rank() == color.rank(1) && !pawn {
                    left |= square.bit().0;
                }
            }
        }
        let left = HomePawns::bits(left);
        PieceBounds {
            at_home: !left,
            left,
            most: most.map(PieceCounts::new),
            features: Vec::new(),
        }
    }

    /// With the squares, of both colours, on which a pawn must stand at home.
    pub(super) fn with_pawns_at_home(self, squares: u64) -> PieceBounds {
        PieceBounds {
            at_home: HomePawns::bits(squares),
            ..self
        }
    }

    /// With features of which games must have one each, unless there are none to choose from.
    pub(super) fn with_features(self, each: impl Iterator<Item = Vec<Feature>>) -> PieceBounds {
        PieceBounds {
            features: each.filter(|any| !any.is_empty()).collect(),
            ..self
        }
    }

    /// Of positions with at most so many men.
    pub(super) fn counts(most: [PieceCounts; 2]) -> PieceBounds {
        PieceBounds {
            at_home: 0,
            left: 0,
            most,
            features: Vec::new(),
        }
    }

    /// Whether features of games say anything of it.
    pub(crate) fn has_features(&self) -> bool {
        !self.features.is_empty()
    }

    /// In which of 64 games such a position may come up, by their features.
    pub(crate) fn may_come(&self, may_have: &dyn Fn(Feature) -> u64) -> u64 {
        let any = |any: &Vec<Feature>| any.iter().fold(0, |games, &one| games | may_have(one));
        let mut all = !0;
        for each in &self.features {
            all &= any(each);
            if all == 0 {
                // Each leaves about half of them, and there may be thirty.
                break;
            }
        }
        all
    }

    /// Whether a game with this signature may have such a position.
    #[inline]
    pub(crate) fn may_be_in(&self, signature: &Signature) -> bool {
        if let Some(home) = signature.home
            && !home.pass(self.left, self.at_home)
        {
            return false;
        }
        self.has_few(signature)
    }

    /// Whether so few men are left at the end: of each kind no more, or of pawns if pieces can become more.
    #[inline]
    fn has_few(&self, signature: &Signature) -> bool {
        let mut sides = signature.piece_counts.iter().zip(&self.most);
        sides.all(|(&end, &most)| match signature.promotes {
            true => end.pawns().is_within(most),
            false => end.is_within(most),
        })
    }
}
