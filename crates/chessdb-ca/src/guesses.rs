//! Everything that the published description leaves open, in one place.
//!
//! No genuine base was at hand. docs/formats/chess-assistant.md, section 14, numbers the guesses and
//! says how a genuine base would settle each; every field here is one of them. Whoever has such a
//! base can try another reading with [`crate::Store::open_with`].

use chessdb_core::legacy::ca::CaNumbering;
use chessdb_core::{Charset, Role};

use crate::raw::LongLengths;

/// The choices of the page's section 14; [`Guesses::PAGE`] is what the page chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guesses {
    /// Guesses 1 to 4: files of a shift, numbers of promotions, slots of new pieces.
    pub numbering: CaNumbering,
    /// Guess 5: what the bytes of a symbol comment are.
    pub symbols: Symbols,
    /// Guess 6: how lengths from 16384 on are read and written.
    pub long_lengths: LongLengths,
    /// Guess 7: what is written where there is no ECO code; any number from 500 on is read so.
    pub no_eco: u16,
    /// Guess 8: the number of a name that is absent. While it is 0, every list begins with an empty
    /// name; above the lists' end it takes no room there.
    pub absent_name: u32,
    /// Guess 9: whether the type of a game is one of thirty or a set of them.
    pub game_types: GameTypes,
    /// Guess 10: the byte at offset 28 of a header that is written.
    pub raw_header_byte: u8,
    /// Guess 10: bit 0 of the round that is written.
    pub round_bit: bool,
    /// Guess 10: the bytes of the masks `axx` and `dxx` that are written.
    pub mask_byte: u8,
    /// Guess 11: the bits of the byte at offset 28 that mark a deleted game; not known, so none.
    pub deleted_bits: u8,
    /// Guess 12: what texts are taken for where nothing speaks for Cyrillic letters.
    pub charset: Charset,
    /// Guess 12: whether Cyrillic bases are noticed.
    pub detect_cyrillic: bool,
    /// Guess 13: whether a piece in a pawn's slot of a start position is one that the pawn became;
    /// otherwise such an entry counts as absent.
    pub pieces_in_pawn_slots: bool,
    /// Guess 14: bytes of a fragment that is written.
    pub fragment: u32,
    /// Guess 15: side files that are written empty, should Chess Assistant ask for them.
    pub empty_files: &'static [Role],
}

impl Guesses {
    /// What the page chose.
    pub const PAGE: Guesses = Guesses {
        numbering: CaNumbering::PAGE,
        symbols: Symbols::Characters,
        long_lengths: LongLengths::TwoBytes,
        no_eco: 0xFFFF,
        absent_name: 0,
        game_types: GameTypes::OneOfThirty,
        raw_header_byte: 0,
        round_bit: false,
        mask_byte: 0,
        deleted_bits: 0,
        charset: Charset::WINDOWS_1252,
        detect_cyrillic: true,
        pieces_in_pawn_slots: true,
        fragment: 512,
        empty_files: &[],
    };
}

impl Default for Guesses {
    fn default() -> Guesses {
        Guesses::PAGE
    }
}

/// What the payload of a comment of type 2 or 3 is (section 11).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbols {
    /// Characters, of which `!` and `?` are understood.
    Characters,
    /// Numbers of which none is known.
    Numbers,
}

/// What the type of a game is (section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameTypes {
    /// One of thirty numbers.
    OneOfThirty,
    /// A set: bit n - 1 stands for type n.
    Set,
}
