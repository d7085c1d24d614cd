//! The points that the published description leaves open, collected in one place.
//!
//! No genuine database was available. docs/formats/chess-assistant.md, section 14, numbers the
//! guesses and states how a genuine database would settle each one. Every field here is one of
//! them. With a genuine database, other readings can be tried through [`crate::Store::open_with`].

use chessdb_core::Charset;
use chessdb_core::files::Role;
use chessdb_core::legacy::ca::CaNumbering;

use crate::raw::LongLengths;

/// The choices for the guesses of section 14. [`Guesses::PAGE`] holds the choices of the format
/// page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guesses {
    /// Guesses 1 to 4: files of a shift, numbers of promotion pieces, slots of new pieces.
    pub numbering: CaNumbering,
    /// Guess 5: the meaning of the bytes in a symbol comment.
    pub symbols: Symbols,
    /// Guess 6: how lengths of 16384 or more are read and written.
    pub long_lengths: LongLengths,
    /// Guess 7: the number written if there is no ECO code. Any number of 500 or more is read as
    /// none.
    pub no_eco: u16,
    /// Guess 8: the number of an absent name. If it is 0, every list begins with an empty name; if
    /// it is beyond the end of the lists, it takes no space in them.
    pub absent_name: u32,
    /// Guess 9: whether the type of a game is one of thirty or a set of them.
    pub game_types: GameTypes,
    /// Guess 10: the byte written at offset 28 of a header.
    pub raw_header_byte: u8,
    /// Guess 10: the value written to bit 0 of the round.
    pub round_bit: bool,
    /// Guess 10: the bytes written to the masks `axx` and `dxx`.
    pub mask_byte: u8,
    /// Guess 11: the bits of the byte at offset 28 that mark a deleted game. They are unknown, so
    /// none are set.
    pub deleted_bits: u8,
    /// Guess 12: the charset assumed for texts without evidence of Cyrillic letters.
    pub charset: Charset,
    /// Guess 12: whether Cyrillic databases are detected.
    pub detect_cyrillic: bool,
    /// Guess 13: whether a piece in a pawn's slot of a start position is a promoted pawn. If not,
    /// such an entry counts as absent.
    pub pieces_in_pawn_slots: bool,
    /// Guess 14: the size of a written fragment, in bytes.
    pub fragment: u32,
    /// Guess 15: side files to write empty, in case Chess Assistant requires them.
    pub empty_files: &'static [Role],
}

impl Guesses {
    /// The choices of the format page.
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

/// The meaning of the payload of a comment of type 2 or 3 (section 11).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbols {
    /// Characters; only `!` and `?` are understood.
    Characters,
    /// Numbers of unknown meaning.
    Numbers,
}

/// The meaning of the type of a game (section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameTypes {
    /// One of thirty numbers.
    OneOfThirty,
    /// A set: bit n - 1 means type n.
    Set,
}
