//! Which numbering of promotions a base has (docs/formats/dcx.md, section 5.3).

use std::fmt;

use chessdb_core::{ErrorKind, MoveKind, PieceType, Square};

use crate::raw::{MoveWord, Token, Tokens};

/// What the promotion code of a move means (section 5.3).
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Promotions {
    /// 2 to 5 = N B R Q: what every known program writes and reads.
    #[default]
    Reference,
    /// 1 to 4 = N B R Q, as the published text says. No program is known that writes it.
    Published,
}

impl Promotions {
    /// The piece that a pawn becomes, if the code means one.
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

    /// The other numbering.
    pub(crate) const fn other(self) -> Promotions {
        match self {
            Promotions::Reference => Promotions::Published,
            Promotions::Published => Promotions::Reference,
        }
    }

    /// The numbering that a setting names ([`chessdb_core::ReadOptions::settings`]): `program`, or
    /// `seed` (also `published`). `auto` is neither: the database decides.
    ///
    /// # Errors
    ///
    /// Any other word.
    pub fn by_name(name: &str) -> Result<Option<Promotions>, ErrorKind> {
        match name {
            "auto" => Ok(None),
            "program" => Ok(Some(Promotions::Reference)),
            "seed" | "published" => Ok(Some(Promotions::Published)),
            _ => {
                let why = format!("{SETTING} is auto, program or seed, not {name:?}");
                Err(ErrorKind::Other(why.into()))
            }
        }
    }
}

/// The setting that chooses the numbering.
pub(crate) const SETTING: &str = "dcx-promotions";

/// As messages name it.
impl fmt::Display for Promotions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Promotions::Reference => "as programs number them (2 to 5 = N B R Q)",
            Promotions::Published => "as the published text numbers them (1 to 4 = N B R Q)",
        })
    }
}

/// The promotions of a database by their codes, without a board.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Survey {
    /// How many promotions have each code, 0 excepted.
    pub(crate) codes: [u64; 8],
    /// The first game (from 0) with the code 5, which only programs write.
    pub(crate) five: Option<u32>,
    /// The first games with codes that both numberings know, or with 1, which only the published text
    /// knows, and whether they have 1.
    pub(crate) games: Vec<(u32, bool)>,
}

impl Survey {
    /// Goes through the bodies of games. It looks at no more than `budget` bytes, and at nothing after
    /// the first code 5 unless `all` asks for every game.
    pub(crate) fn of<'a>(
        bodies: impl Iterator<Item = (u32, &'a [u8])>,
        mut budget: usize,
        all: bool,
    ) -> Survey {
        let mut survey = Survey::default();
        for (game, body) in bodies {
            let body = body.get(..budget).unwrap_or(body);
            budget -= body.len();
            for token in Tokens::new(body) {
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
        let known = self.games.len();
        match self.games.last_mut() {
            Some((last, has_one)) if *last == game => *has_one |= one,
            _ if known < TRIED => self.games.push((game, one)),
            _ => {}
        }
    }

    /// How many promotions mean different pieces in the two numberings.
    pub(crate) fn ambiguous(&self) -> u64 {
        let [_, _, two, three, four, ..] = self.codes;
        two + three + four
    }
}

/// How many games are played with both numberings to find out which one fits.
const TRIED: usize = 1000;

/// Why the promotions of a database are read with one numbering and not with the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Evidence {
    /// The caller chose it.
    Chosen,
    /// There is no promotion.
    NoPromotion,
    /// This game (from 0) has the code 5, which the published text does not know.
    Five(u32),
    /// The moves of this many games lead further with it than with the other, and of this many the
    /// other way round.
    Games { with: u32, against: u32 },
    /// This many promotions are possible with both.
    Open(u64),
}

/// Whether a pawn could go so and promote: damaged words with a code mostly go elsewhere.
fn looks_like_promotion(word: MoveWord) -> bool {
    let (from, to) = (word.from(), word.to());
    matches!((from.rank(), to.rank()), (6, 7) | (1, 0)) && from.file().abs_diff(to.file()) <= 1
}

/// Whether a pawn promotes there.
///
/// QUIRK: the published text has two bits for the piece, and of its queen, 4, they hold 0 (section 5.3).
pub(super) fn is_last(to: Square) -> bool {
    matches!(to.rank(), 0 | 7)
}

/// The reason given for a promotion code without meaning.
const NO_PROMOTION: &str = "its promotion code means nothing";

/// The kind of a promotion.
pub(super) fn promotion(
    word: MoveWord,
    promotions: Promotions,
) -> Result<Option<MoveKind>, &'static str> {
    match word.promotion() {
        0 => Ok(None),
        code => match promotions.piece(code) {
            Some(kind) => Ok(Some(MoveKind::Promotion(kind))),
            None => Err(NO_PROMOTION),
        },
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    #[test]
    fn a_survey_stops_at_the_first_five() {
        let survey = |bodies: &[&[u8]], all| {
            let bodies = (0..).zip(bodies.iter().copied());
            let survey = Survey::of(bodies, 1000, all);
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
        // e2e4 with a damaged code is no promotion.
        assert_eq!(survey(&[&hex!("13 1c")], false), (None, vec![], 0));
        let bodies = [(7, &one[..]), (8, &five[..])];
        assert_eq!(Survey::of(bodies.into_iter(), 2, false).games, [(7, true)]);
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
