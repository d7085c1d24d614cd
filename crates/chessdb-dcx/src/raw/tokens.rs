//! The body of a game as tokens (docs/formats/dcx.md, sections 5.2 to 5.7).

use std::fmt;

use chessdb_core::{ErrorKind, PieceType, Square};

use super::length::Length;

/// Begin of a variation.
pub(crate) const OPEN: u8 = 0x84;
/// Begin of a variation in an older text (section 5.2).
pub(crate) const OPEN_ALIAS: u8 = 0x80;
/// End of a variation.
pub(crate) const CLOSE: u8 = 0x85;
/// Comment: a length and the text follow.
pub(crate) const COMMENT: u8 = 0x86;
/// NAGs: their number and one byte for each follow.
pub(crate) const NAGS: u8 = 0x87;
/// Null move.
pub(crate) const NULL: u8 = 0x88;

/// A move in two bytes: promotion in three bits, from square, to square (section 5.3).
///
/// Squares are counted a1 = 0, b1 = 1, … h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveWord(u16);

impl MoveWord {
    /// Creates a word from the lowest fifteen bits.
    pub const fn from_bits(bits: u16) -> MoveWord {
        MoveWord(bits & 0x7FFF)
    }

    /// Creates a move; only the lowest three bits of the promotion code are used.
    pub const fn new(from: Square, to: Square, promotion: u8) -> MoveWord {
        let promotion = (promotion & 7) as u16;
        MoveWord(promotion << 12 | (from.rank_major() as u16) << 6 | to.rank_major() as u16)
    }

    /// Returns the bits `0 PPP FFFFFF TTTTTT`.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the square that the piece leaves.
    pub const fn from(self) -> Square {
        square(self.0 >> 6)
    }

    /// Returns the square that the piece reaches.
    pub const fn to(self) -> Square {
        square(self.0)
    }

    /// Returns the promotion code as stored; 0 means none. See [`Promotions`] for the meaning of
    /// the others.
    ///
    /// [`Promotions`]: crate::Promotions
    pub const fn promotion(self) -> u8 {
        (self.0 >> 12) as u8
    }
}

const fn square(bits: u16) -> Square {
    let n = bits as u8 & 63;
    // The format counts squares by ranks, the model by files.
    Square::new_masked((n & 7) << 3 | n >> 3)
}

/// Writes `e2e4`, and for promotions also the code: `a7a8=5`.
impl fmt::Display for MoveWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            0 => Ok(()),
            code => write!(f, "={code}"),
        }
    }
}

impl fmt::Debug for MoveWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the code of the promoted piece, as all programs write it (section 5.3).
pub(crate) const fn promotion_code(kind: PieceType) -> u8 {
    match kind {
        PieceType::Knight => 2,
        PieceType::Bishop => 3,
        PieceType::Rook => 4,
        PieceType::Queen => 5,
        PieceType::Pawn | PieceType::King => 0,
    }
}

/// A token in the body of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// A move.
    Move(MoveWord),
    /// 88: a null move.
    Null,
    /// 84: the begin of a variation, an alternative to the last move.
    Open {
        /// Whether it is stored as 80.
        alias: bool,
    },
    /// 85: the end of a variation.
    Close,
    /// 86: a comment.
    Comment {
        /// The length of the text.
        length: Length,
        /// Its text in UTF-8.
        text: &'a [u8],
    },
    /// 87: numeric annotation glyphs.
    Nags {
        /// The number of glyphs.
        length: Length,
        /// The glyphs.
        nags: &'a [u8],
    },
}

impl Token<'_> {
    /// Appends the bytes of the token.
    pub fn write(&self, out: &mut Vec<u8>) {
        match *self {
            Token::Move(word) => out.extend_from_slice(&word.bits().to_be_bytes()),
            Token::Null => out.push(NULL),
            Token::Open { alias } => out.push(if alias { OPEN_ALIAS } else { OPEN }),
            Token::Close => out.push(CLOSE),
            Token::Comment { length, text } => {
                out.push(COMMENT);
                length.write(out);
                out.extend_from_slice(text);
            }
            Token::Nags { length, nags } => {
                out.push(NAGS);
                length.write(out);
                out.extend_from_slice(nags);
            }
        }
    }
}

/// The error that the bytes of a body are not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenFault {
    /// Offset in the body.
    pub offset: u32,
    /// The kind of fault.
    pub kind: TokenFaultKind,
}

/// The kinds of faults in a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenFaultKind {
    /// The body ends between the two bytes of a move.
    HalfMove,
    /// A byte that begins no token.
    Undefined(u8),
    /// A length that cannot be read.
    BadLength,
    /// A comment or group of NAGs that is longer than the rest of the body.
    TooLong {
        /// Its length.
        needed: u32,
        /// The bytes left.
        had: u32,
    },
}

impl TokenFaultKind {
    /// Converts the fault into an error kind.
    pub fn into_kind(self) -> ErrorKind {
        match self {
            TokenFaultKind::HalfMove => ErrorKind::truncated("a move", 2_u64, 1_u64),
            TokenFaultKind::Undefined(byte) => ErrorKind::bad_field("a token", byte),
            TokenFaultKind::BadLength => ErrorKind::Structure("a length that cannot be read"),
            TokenFaultKind::TooLong { needed, had } => {
                ErrorKind::truncated("a comment or a group of NAGs", needed.into(), had.into())
            }
        }
    }
}

/// An iterator over the tokens of a body; it ends at the end of the body or after the first fault.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    rest: &'a [u8],
    len: usize,
    stopped: bool,
}

impl<'a> Tokens<'a> {
    /// Starts at the first token of a body.
    pub const fn new(body: &'a [u8]) -> Tokens<'a> {
        Tokens {
            rest: body,
            len: body.len(),
            stopped: false,
        }
    }

    /// Returns the number of body bytes already read.
    pub const fn offset(&self) -> usize {
        self.len - self.rest.len()
    }

    /// Returns the bytes not read yet; after a fault they begin with the faulty ones.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[cold]
    fn fault(&mut self, kind: TokenFaultKind) -> TokenFault {
        self.stopped = true;
        TokenFault {
            offset: u32::try_from(self.offset()).unwrap_or(u32::MAX),
            kind,
        }
    }

    /// Reads a length and that many bytes after the first byte.
    fn block(&mut self) -> Result<(Length, &'a [u8]), TokenFault> {
        let body = self.rest.get(1..).unwrap_or_default();
        let Some((length, rest)) = Length::parse(body) else {
            return Err(self.fault(TokenFaultKind::BadLength));
        };
        match rest.split_at_checked(length.value as usize) {
            Some((block, rest)) => {
                self.rest = rest;
                Ok((length, block))
            }
            None => {
                let kind = TokenFaultKind::TooLong {
                    needed: length.value,
                    had: rest.len() as u32,
                };
                Err(self.fault(kind))
            }
        }
    }

    fn tagged(&mut self, tag: u8, rest: &'a [u8]) -> Result<Token<'a>, TokenFault> {
        let token = match tag {
            OPEN => Token::Open { alias: false },
            OPEN_ALIAS => Token::Open { alias: true },
            CLOSE => Token::Close,
            NULL => Token::Null,
            COMMENT => {
                let (length, text) = self.block()?;
                return Ok(Token::Comment { length, text });
            }
            NAGS => {
                let (length, nags) = self.block()?;
                return Ok(Token::Nags { length, nags });
            }
            other => return Err(self.fault(TokenFaultKind::Undefined(other))),
        };
        self.rest = rest;
        Ok(token)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Result<Token<'a>, TokenFault>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.stopped {
            return None;
        }
        let (&first, rest) = self.rest.split_first()?;
        // The top bit distinguishes moves of two bytes from the other tokens (section 5.2).
        if first & 0x80 == 0 {
            let Some((&second, rest)) = rest.split_first() else {
                return Some(Err(self.fault(TokenFaultKind::HalfMove)));
            };
            self.rest = rest;
            let word = MoveWord(u16::from_be_bytes([first, second]));
            return Some(Ok(Token::Move(word)));
        }
        Some(self.tagged(first, rest))
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    /// Section 10.2.
    #[test]
    fn the_worked_example_is_read() {
        let body = hex!(
            "86 05 69 6e 74 72 6f 03 1c 87 01 01 86 04 62 65 73 74 0d 24 87 02 05 0e"
            "84 0c a2 85 88"
        );
        let tokens: Vec<_> = Tokens::new(&body).map(Result::unwrap).collect();
        let shown: Vec<_> = tokens
            .iter()
            .map(|token| match token {
                Token::Move(word) => word.to_string(),
                Token::Comment { text, .. } => String::from_utf8_lossy(text).into_owned(),
                Token::Nags { nags, .. } => format!("{nags:?}"),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(
            shown,
            [
                "intro",
                "e2e4",
                "[1]",
                "best",
                "e7e5",
                "[5, 14]",
                "Open { alias: false }",
                "c7c5",
                "Close",
                "Null"
            ]
        );
    }

    #[test]
    fn faults_name_byte_and_reason() {
        let fault = |body: &[u8]| Tokens::new(body).find_map(Result::err).unwrap();
        assert_eq!(fault(&hex!("03 1c 0d")).kind, TokenFaultKind::HalfMove);
        assert_eq!(
            fault(&hex!("03 1c 89 00")).kind,
            TokenFaultKind::Undefined(0x89)
        );
        assert_eq!(fault(&hex!("03 1c 89 00")).offset, 2);
        assert_eq!(fault(&hex!("86 80")).kind, TokenFaultKind::BadLength);
        let too_long = TokenFaultKind::TooLong { needed: 2, had: 1 };
        assert_eq!(fault(&hex!("87 02 01")).kind, too_long);
        let mut tokens = Tokens::new(&[0xFF]);
        assert!(tokens.next().unwrap().is_err());
        assert!(tokens.next().is_none());
    }

    /// Section 10.3 and 10.5.
    #[test]
    fn promotions_have_the_codes_of_the_reference_program() {
        let a7 = Square::from_ascii(b"a7").unwrap();
        let a8 = Square::from_ascii(b"a8").unwrap();
        let words = [
            (PieceType::Queen, 0x5C38),
            (PieceType::Rook, 0x4C38),
            (PieceType::Bishop, 0x3C38),
            (PieceType::Knight, 0x2C38),
        ];
        for (kind, bits) in words {
            let word = MoveWord::new(a7, a8, promotion_code(kind));
            assert_eq!(word.bits(), bits);
            assert_eq!((word.from(), word.to()), (a7, a8));
        }
    }

    proptest! {
        #[test]
        fn tokens_and_rest_are_the_body(body in prop::collection::vec(
            prop_oneof![any::<u8>(), 0x80u8..0x8A, 0u8..6], 0..80)) {
            let mut tokens = Tokens::new(&body);
            let mut out = Vec::new();
            while let Some(Ok(token)) = tokens.next() {
                token.write(&mut out);
                prop_assert_eq!(out.len(), tokens.offset());
            }
            out.extend_from_slice(tokens.rest());
            prop_assert_eq!(out, body);
        }
    }
}
