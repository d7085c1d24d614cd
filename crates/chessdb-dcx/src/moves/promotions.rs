//! Detection of the numbering of promotions in a database (docs/formats/dcx.md, section 5.3).

use std::fmt;

use chessdb_core::{ErrorKind, PieceType, Square};

use crate::raw::{MoveWord, Token, Tokens};

/// The meaning of the promotion code of a move (section 5.3).
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Promotions {
    /// 2 to 5 = N B R Q: every known program writes and reads this.
    #[default]
    Reference,
    /// 1 to 4 = N B R Q, as in the published text. No known program writes it.
    Published,
}

impl Promotions {
    /// Returns the piece that a code means, if any.
    pub const fn piece(self, code: u8) -> Option<PieceType> {
        let code = match self {
            Promotions::Reference => code,
            Promotions::Published => code + 1,
        };
        match code {
            2 => Some(PieceType::Knight),
            3 => Some(PieceType::Bishop),
            4 => Some(PieceType::Rook),
            5 => Some(PieceType::Queen),
            _ => None,
        }
    }

    /// Returns the other numbering.
    pub(crate) const fn other(self) -> Promotions {
        match self {
            Promotions::Reference => Promotions::Published,
            Promotions::Published => Promotions::Reference,
        }
    }

    /// Returns the numbering for a setting ([`chessdb_core::ReadOptions::settings`]): `program`, or
    /// `seed` (also `published`). For `auto` it returns `None`: the games decide.
    ///
    /// # Errors
    ///
    /// Returns an error for any other word.
    pub fn by_name(name: &str) -> Result<Option<Promotions>, ErrorKind> {
        match name {
            "auto" => Ok(None),
            "program" => Ok(Some(Promotions::Reference)),
            "seed" | "published" => Ok(Some(Promotions::Published)),
            _ => {
                let why = format!("{SETTING} must be auto, program or seed, not {name:?}");
                Err(ErrorKind::Other(why.into()))
            }
        }
    }
}

/// The setting that chooses the numbering.
pub(crate) const SETTING: &str = "dcx-promotions";

/// Describes the numbering in messages.
impl fmt::Display for Promotions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Promotions::Reference => "as programs number them (2 to 5 = N B R Q)",
            Promotions::Published => "as the published text numbers them (1 to 4 = N B R Q)",
        })
    }
}

/// The promotions of a database by their codes, found without a board.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct PromotionSurvey {
    /// Number of promotions with each code, except 0.
    pub(crate) codes: [u64; 8],
    /// The first game (from 0) with code 5, which only programs write.
    pub(crate) five: Option<u32>,
    /// The first games with codes of both numberings, or with code 1, which only the published text
    /// defines; the flag states whether a game has code 1.
    pub(crate) games: Vec<(u32, bool)>,
}

impl PromotionSurvey {
    /// Surveys the bodies of games. Examines at most `budget` bytes, and stops after the first code
    /// 5 unless `all` is set.
    pub(crate) fn scan<'a>(
        bodies: impl Iterator<Item = (u32, &'a [u8])>,
        mut budget: usize,
        all: bool,
    ) -> PromotionSurvey {
        let mut survey = PromotionSurvey::default();
        for (game, body) in bodies {
            let examined = body.get(..budget).unwrap_or(body);
            budget -= examined.len();
            for token in Tokens::new(examined) {
                let Ok(Token::Move(word)) = token else {
                    continue;
                };
                let code = word.promotion();
                if code == 0 || !looks_like_promotion(word) {
                    continue;
                }
                if let Some(count) = survey.codes.get_mut(usize::from(code)) {
                    *count += 1;
                }
                match code {
                    5 => survey.five = survey.five.or(Some(game)),
                    1..=4 => survey.note(game, code == 1),
                    _ => {}
                }
                if survey.five.is_some() && !all {
                    return survey;
                }
            }
        }
        survey
    }

    fn note(&mut self, game: u32, one: bool) {
        let count = self.games.len();
        match self.games.last_mut() {
            Some((last, has_one)) if *last == game => *has_one |= one,
            _ if count < TRIED => self.games.push((game, one)),
            _ => {}
        }
    }

    /// Returns the number of promotions that mean different pieces in the two numberings.
    pub(crate) fn ambiguous(&self) -> u64 {
        let [_, _, two, three, four, ..] = self.codes;
        two + three + four
    }
}

/// Maximum number of games that are played with both numberings to find which one fits.
const TRIED: usize = 1000;

/// The reason why the promotions of a database are read with one numbering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PromotionEvidence {
    /// The caller chose it.
    Chosen,
    /// There is no promotion.
    NoPromotion,
    /// This game (from 0) has code 5, which the published text does not define.
    Five(u32),
    /// The number of games with more possible moves in this numbering, and of those with more in
    /// the other.
    Games { with: u32, against: u32 },
    /// This number of promotions is possible in both.
    Undecided(u64),
}

/// Returns whether a pawn can promote by a move between these squares. Damaged words with a code
/// mostly have other squares.
fn looks_like_promotion(word: MoveWord) -> bool {
    let (from, to) = (word.from(), word.to());
    matches!((from.rank(), to.rank()), (6, 7) | (1, 0)) && from.file().abs_diff(to.file()) <= 1
}

/// Returns whether a pawn promotes on this square.
pub(super) fn is_last(to: Square) -> bool {
    matches!(to.rank(), 0 | 7)
}

/// The reason given for a meaningless promotion code.
const NO_PROMOTION: &str = "its promotion code is undefined";

/// The reserved bit of the published text, in a promotion code.
const RESERVED: u8 = 4;

/// Returns the piece of a promotion, or `None` if the move is not one. `can_promote` states
/// whether a pawn moves to the last rank; other moves may have the reserved bit.
///
/// QUIRK: the published text has two bits for the piece. They hold 0 for its queen, which is 4
/// (section 5.3).
#[inline]
pub(super) fn promotion(
    word: MoveWord,
    promotions: Promotions,
    can_promote: bool,
) -> Result<Option<PieceType>, &'static str> {
    let piece = match word.promotion() {
        0 if can_promote && promotions == Promotions::Published => Some(PieceType::Queen),
        0 => return Ok(None),
        RESERVED if !can_promote => return Ok(None),
        code if code > RESERVED && promotions == Promotions::Published => {
            promotions.piece(code - RESERVED)
        }
        code => promotions.piece(code),
    };
    piece.map(Some).ok_or(NO_PROMOTION)
}

/// Returns whether a move that was read has the reserved bit, which means nothing.
#[inline]
pub(super) fn has_reserved_bit(word: MoveWord, promotes: bool, promotions: Promotions) -> bool {
    match word.promotion() {
        0 => false,
        RESERVED => !promotes,
        code => code > RESERVED && promotions == Promotions::Published,
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    #[test]
    fn scan_stops_at_the_first_five() {
        let survey = |bodies: &[&[u8]], all| {
            let bodies = (0..).zip(bodies.iter().copied());
            let survey = PromotionSurvey::scan(bodies, 1 << 20, all);
            (survey.five, survey.games, survey.codes.iter().sum::<u64>())
        };
        let (one, five) = (hex!("1c 38"), hex!("5c 38"));
        assert_eq!(survey(&[], false), (None, vec![], 0));
        assert_eq!(
            survey(&[&hex!("4c 38")], false),
            (None, vec![(0, false)], 1)
        );
        assert_eq!(survey(&[&five, &one], false), (Some(0), vec![], 1));
        assert_eq!(survey(&[&five, &one], true), (Some(0), vec![(1, true)], 2));
        assert_eq!(
            survey(&[&hex!("1c 38 1c 38")], false),
            (None, vec![(0, true)], 2)
        );
        assert_eq!(
            survey(&[&one, &[], &one], false),
            (None, vec![(0, true), (2, true)], 2)
        );
        // e2e4 with a damaged code is not a promotion.
        assert_eq!(survey(&[&hex!("13 1c")], false), (None, vec![], 0));
        let bodies = [(7, &one[..]), (8, &five[..])];
        let limited = PromotionSurvey::scan(bodies.into_iter(), 2, false);
        assert_eq!((limited.games, limited.five), (vec![(7, true)], None));
        // A code 1 after another code counts, and only so many games are noted.
        let mixed = survey(&[&hex!("4c 38 1c 38")], false);
        assert_eq!(mixed.1, [(0, true)]);
        let many = vec![&one[..]; TRIED + 1];
        assert_eq!(survey(&many, false).1.len(), TRIED);
    }

    #[test]
    fn settings_name_a_numbering() {
        assert_eq!(Promotions::by_name("auto").unwrap(), None);
        for (name, numbering) in [
            ("program", Promotions::Reference),
            ("seed", Promotions::Published),
            ("published", Promotions::Published),
        ] {
            assert_eq!(Promotions::by_name(name).unwrap(), Some(numbering));
        }
        assert!(Promotions::by_name("queen").is_err());
    }
}
