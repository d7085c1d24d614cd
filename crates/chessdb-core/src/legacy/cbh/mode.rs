//! The encoding modes: the translation of the bytes of a move stream to codes (docs/formats/cbh.md,
//! sections 6.1, 6.2).

use super::CbhNumbering;
use super::tables::{INVERSES, TABLES, Table};

/// An encoding mode of ChessBase games, or of quoted games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mode(u8);

impl Mode {
    /// The default mode of chess.
    pub const CHESS: Mode = Mode(0);
    /// The default mode of Chess960.
    pub const CHESS960: Mode = Mode(10);
    /// The mode of quoted games, which has no number in files.
    pub const QUOTED: Mode = Mode(12);

    /// Returns the mode with this number, 0 to 11; higher numbers are unknown.
    pub const fn new(number: u8) -> Option<Mode> {
        if number < 12 { Some(Mode(number)) } else { None }
    }

    /// Returns all modes with a number in files.
    pub fn all() -> impl Iterator<Item = Mode> {
        (0..12).map(Mode)
    }

    /// Returns the number in files.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns whether moves are two bytes, from and to, instead of codes of [`CbhNumbering`].
    pub const fn is_simple(self) -> bool {
        matches!(self.0, 1 | 3 | 5 | 7 | 12)
    }

    /// Returns whether pieces are numbered from h8 to a1.
    pub const fn is_reverse(self) -> bool {
        matches!(self.0, 2 | 3 | 6 | 7 | 9 | 11)
    }

    /// Returns whether this is a mode of Chess960.
    pub const fn is_chess960(self) -> bool {
        matches!(self.0, 10 | 11)
    }

    /// Returns whether this is a mode of losing chess.
    pub const fn is_losing_chess(self) -> bool {
        matches!(self.0, 8 | 9)
    }

    /// Returns whether the number of moves is subtracted before the table lookup.
    const fn is_pre(self) -> bool {
        matches!(self.0, 0..=3 | 12)
    }

    /// Returns the numbering of the pieces in this mode.
    pub const fn numbering(self) -> CbhNumbering {
        CbhNumbering {
            reverse: self.is_reverse(),
            chess960: self.is_chess960(),
        }
    }

    /// Decodes a byte of the stream after `moves` moves of all lines.
    #[inline]
    pub fn code(self, byte: u8, moves: u32) -> u8 {
        // Streams are shifted modulo 256.
        let moves = moves as u8;
        if self.is_pre() {
            self.look_up(&TABLES, byte.wrapping_sub(moves))
        } else {
            self.look_up(&TABLES, byte).wrapping_sub(moves)
        }
    }

    /// Encodes a code as a byte of the stream after `moves` moves of all lines.
    #[inline]
    pub fn byte(self, code: u8, moves: u32) -> u8 {
        // As in `code`, modulo 256.
        let moves = moves as u8;
        if self.is_pre() {
            self.look_up(&INVERSES, code).wrapping_add(moves)
        } else {
            self.look_up(&INVERSES, code.wrapping_add(moves))
        }
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "modes are below 13, and a byte has 256 values"
    )]
    fn look_up(self, tables: &[Table; 13], byte: u8) -> u8 {
        tables[usize::from(self.0)][usize::from(byte)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 6.10: 1.d4 d5 2.c4 c6.
    #[test]
    fn codes_match_format_page_example() {
        let codes: Vec<u8> = (0..)
            .zip([0x0Bu8, 0x0C, 0xDC, 0x7E])
            .map(|(n, byte)| Mode::CHESS.code(byte, n))
            .collect();
        assert_eq!(codes, [124, 124, 120, 119]);
        assert_eq!(Mode::CHESS.code(0x15, 9), 255);
    }

    #[test]
    fn every_code_round_trips() {
        for mode in Mode::all().chain([Mode::QUOTED]) {
            for moves in [0, 1, 200, 300] {
                for code in 0..=255 {
                    assert_eq!(mode.code(mode.byte(code, moves), moves), code, "{mode:?}");
                }
            }
        }
        assert_eq!(Mode::new(12), None);
    }
}
