//! Positions as a CTG page stores them (docs/formats/ctg.md, sections 2 and 3).

/// The size of a page in bytes.
pub const PAGE: usize = 4096;
/// The size of a position without board and moves.
const TAIL: usize = 33;

/// Returns the number of positions and the number of used bytes, both from the beginning of a page.
pub(crate) fn page_header(page: &[u8]) -> Option<(u16, usize)> {
    let ([a, b, c, d], _) = page.split_first_chunk()?;
    let used = u16::from_be_bytes([*c, *d]);
    Some((u16::from_be_bytes([*a, *b]), usize::from(used)))
}

/// A position with its moves (section 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawPosition<'p> {
    /// The byte with the length, and the bits of the board.
    pub board: &'p [u8],
    /// For each move its code and its annotation.
    pub moves: &'p [[u8; 2]],
    /// The number of games through the position.
    pub games: u32,
    /// The number of games won by the side to move.
    pub wins: u32,
    /// The number of games lost by the side to move.
    pub losses: u32,
    /// The number of drawn games.
    pub draws: u32,
    /// A number with an unknown meaning.
    pub unknown: u32,
    /// Two pairs of a number of ratings and their sum.
    pub ratings: [(u32, u32); 2],
    /// The recommendation.
    pub recommendation: u8,
    /// The value.
    pub value: i8,
    /// The comment, a NAG for the side to move as White.
    pub comment: u8,
}

impl<'p> RawPosition<'p> {
    /// Reads a position from the front of these bytes and returns the bytes after it. Returns
    /// `None` if they end too early or a length is impossible.
    pub fn parse(bytes: &'p [u8]) -> Option<(RawPosition<'p>, &'p [u8])> {
        let length = usize::from(*bytes.first()? & 0x1F);
        // The length includes its own byte, so 0 would never end.
        let (board, rest) = bytes.split_at_checked(length).filter(|_| length > 0)?;
        let (&length, rest) = rest.split_first()?;
        // This length includes its own byte too.
        let (moves, rest) = rest.split_at_checked(usize::from(length).checked_sub(1)?)?;
        let (moves, []) = moves.as_chunks() else {
            return None;
        };
        let (tail, rest) = rest.split_first_chunk::<TAIL>()?;
        let mut fields = &tail[..];
        let mut number = |width: usize| {
            let (field, after) = fields.split_at_checked(width).unwrap_or_default();
            fields = after;
            field
                .iter()
                .fold(0, |sum, &byte| sum << 8 | u32::from(byte))
        };
        let position = RawPosition {
            board,
            moves,
            games: number(3),
            wins: number(3),
            losses: number(3),
            draws: number(3),
            unknown: number(4),
            ratings: [(number(3), number(4)), (number(3), number(4))],
            recommendation: number(1) as u8,
            value: number(1) as u8 as i8,
            comment: number(1) as u8,
        };
        Some((position, rest))
    }

    /// Appends the bytes of the position. Counts with three bytes are cut to 24 bits.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.board);
        out.push((self.moves.len() * 2 + 1) as u8);
        out.extend_from_slice(self.moves.as_flattened());
        let mut number = |value: u32, width: usize| {
            let bytes = value.to_be_bytes();
            out.extend(bytes.iter().skip(bytes.len() - width));
        };
        for count in [self.games, self.wins, self.losses, self.draws] {
            number(count, 3);
        }
        number(self.unknown, 4);
        for (games, sum) in self.ratings {
            number(games, 3);
            number(sum, 4);
        }
        out.extend([self.recommendation, self.value as u8, self.comment]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parsed_position_round_trips(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            if let Some((position, rest)) = RawPosition::parse(&bytes) {
                let mut again = Vec::new();
                position.write(&mut again);
                prop_assert_eq!(&again[..], &bytes[..bytes.len() - rest.len()]);
            }
        }

        #[test]
        fn generated_position_parses(length in 1_u8..32, moves in 0_u8..127, filling: u8) {
            let mut bytes = vec![filling; usize::from(length) + 1 + 2 * usize::from(moves) + TAIL];
            bytes[0] = length;
            bytes[usize::from(length)] = 2 * moves + 1;
            let (position, rest) = RawPosition::parse(&bytes).unwrap();
            prop_assert!(rest.is_empty());
            prop_assert_eq!(position.moves.len(), usize::from(moves));
            prop_assert_eq!(position.comment, filling);
        }
    }
}
