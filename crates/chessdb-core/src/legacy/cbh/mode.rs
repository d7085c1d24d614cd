//! The encoding modes: how the bytes of a move stream become codes (docs/formats/cbh.md, sections
//! 6.1, 6.2).

use super::CbhNumbering;
use super::tables::{INVERSES, TABLES, Table};

/// An encoding mode of the games of ChessBase, or that of quoted games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mode(u8);

impl Mode {
    /// The usual one of chess.
    pub const CHESS: Mode = Mode(0);
    /// The usual one of Chess960.
    pub const CHESS960: Mode = Mode(10);
    /// That of quoted games; no number in a file stands for it.
    pub const QUOTED: Mode = Mode(12);

    /// The mode with this number, 0 to 11; those above nobody knows.
    pub const fn new(number: u8) -> Option<Mode> {
        if number < 12 {
            Some(Mode(number))
        } else {
            None
        }
    }

    /// All modes that a file may name.
    pub fn all() -> impl Iterator<Item = Mode> {
        (0..12).map(Mode)
    }

    /// Its number in files.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Whether moves are two bytes, from and to, and not codes that [`CbhNumbering`] knows.
    pub const fn is_simple(self) -> bool {
        matches!(self.0, 1 | 3 | 5 | 7 | 12)
    }

    /// Whether pieces are numbered from h8 to a1.
    pub const fn is_reverse(self) -> bool {
        matches!(self.0, 2 | 3 | 6 | 7 | 9 | 11)
    }

    /// Whether it is one of Chess960.
    pub const fn is_chess960(self) -> bool {
        matches!(self.0, 10 | 11)
    }

    /// Whether it is one of losing chess.
    pub const fn is_losing_chess(self) -> bool {
        matches!(self.0, 8 | 9)
    }

    /// Whether the count of moves is taken off before the table is asked.
    const fn is_pre(self) -> bool {
        matches!(self.0, 0..=3 | 12)
    }

    /// How the codes of this mode number the pieces.
    pub const fn numbering(self) -> CbhNumbering {
        CbhNumbering {
            reverse: self.is_reverse(),
            chess960: self.is_chess960(),
        }
    }

    /// The code of a byte of the stream, after so many moves of all lines.
    #[inline]
    pub fn code(self, byte: u8, moves: u32) -> u8 {
        let moves = moves as u8;
        match self.is_pre() {
            true => self.look_up(&TABLES, byte.wrapping_sub(moves)),
            false => self.look_up(&TABLES, byte).wrapping_sub(moves),
        }
    }

    /// The byte of the stream for a code, after so many moves of all lines.
    #[inline]
    pub fn byte(self, code: u8, moves: u32) -> u8 {
        let moves = moves as u8;
        match self.is_pre() {
            true => self.look_up(&INVERSES, code).wrapping_add(moves),
            false => self.look_up(&INVERSES, code.wrapping_add(moves)),
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
    fn the_page_agrees() {
        let codes: Vec<u8> = (0..)
            .zip([0x0Bu8, 0x0C, 0xDC, 0x7E])
            .map(|(n, byte)| Mode::CHESS.code(byte, n))
            .collect();
        assert_eq!(codes, [124, 124, 120, 119]);
        assert_eq!(Mode::CHESS.code(0x15, 9), 255);
    }

    #[test]
    fn every_code_comes_back() {
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
