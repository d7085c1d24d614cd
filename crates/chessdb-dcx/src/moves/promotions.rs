//! Which numbering of promotions a base has (docs/formats/dcx.md, section 5.3).

use chessdb_core::{MoveKind, PieceType};

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

    /// What the bodies of these games prove. At most `budget` bytes are looked at, and nothing
    /// behind the first 5.
    pub(crate) fn detect<'a>(
        bodies: impl Iterator<Item = (u32, &'a [u8])>,
        mut budget: usize,
    ) -> Evidence {
        let mut found = Evidence::None;
        for (game, body) in bodies {
            let body = body.get(..budget).unwrap_or(body);
            budget -= body.len();
            for token in Tokens::new(body) {
                let Ok(Token::Move(word)) = token else {
                    continue;
                };
                match word.promotion() {
                    5 if looks_like_promotion(word) => return Evidence::None,
                    1 if looks_like_promotion(word) => {
                        found = match found {
                            Evidence::None => Evidence::Game(game),
                            Evidence::Game(before) if before != game => Evidence::Base,
                            found => found,
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// What speaks for the published numbering of promotions: the code 1, unless there is a 5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Evidence {
    /// Nothing, or a code 5, which only the other numbering has.
    None,
    /// One game (from 0), which may just be damaged and proves nothing for the others.
    Game(u32),
    /// Several games.
    Base,
}

/// Whether a pawn could go so and promote: damaged words with a code mostly go elsewhere.
fn looks_like_promotion(word: MoveWord) -> bool {
    let (from, to) = (word.from(), word.to());
    matches!((from.rank(), to.rank()), (6, 7) | (1, 0)) && from.file().abs_diff(to.file()) <= 1
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
    fn a_five_decides_before_a_one() {
        let detect = |bodies: &[&[u8]]| Promotions::detect((0..).zip(bodies.iter().copied()), 1000);
        let (one, five) = (hex!("1c 38"), hex!("5c 38"));
        assert_eq!(detect(&[]), Evidence::None);
        assert_eq!(detect(&[&hex!("4c 38")]), Evidence::None);
        assert_eq!(detect(&[&five, &one]), Evidence::None);
        assert_eq!(detect(&[&[], &one]), Evidence::Game(1));
        assert_eq!(detect(&[&hex!("1c 38 1c 38")]), Evidence::Game(0));
        assert_eq!(detect(&[&one, &[], &one]), Evidence::Base);
        assert_eq!(detect(&[&one, &one, &five]), Evidence::None);
        // e2e4 with a damaged code proves nothing.
        assert_eq!(detect(&[&hex!("13 1c")]), Evidence::None);
        let bodies = [(7, &one[..]), (8, &five[..])];
        assert_eq!(Promotions::detect(bodies.into_iter(), 2), Evidence::Game(7));
    }
}
