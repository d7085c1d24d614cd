//! Conversion between the byte code of a game and its moves (docs/formats/bytecode.md, sections 1
//! to 6).

mod decode;
mod encode;
mod result;
mod texts;

pub(crate) use decode::decode;
pub(crate) use encode::MoveEncoder;
pub(crate) use result::last_result;
pub use texts::{Layout, TextColumn};

/// The codes that are not moves (section 1).
pub(crate) mod marker {
    /// A NAG follows.
    pub(crate) const NAG: u8 = 0xB0;
    /// The last NAG of one byte: 31.
    pub(crate) const LAST_NAG: u8 = 0xCF;
    /// 0-1; then 1/2-1/2, 1-0, unknown.
    pub(crate) const RESULT: u8 = 0xD0;
    /// The last result.
    pub(crate) const LAST_RESULT: u8 = 0xD3;
    /// A comment.
    pub(crate) const COMMENT: u8 = 0xE0;
    /// The last of the error nodes, which are numbered from 1 after the comment.
    pub(crate) const LAST_FAULT: u8 = 0xE5;
    /// The begin of a variation.
    pub(crate) const OPEN: u8 = 0xF0;
    /// The end of a variation.
    pub(crate) const CLOSE: u8 = 0xF1;
    /// The end of the game.
    pub(crate) const END: u8 = 0xFF;
}

/// The value in the column Eval for a move without an evaluation (section 7).
pub(crate) const NO_SHARE: u16 = 0x8000;

/// The results in the order of their codes.
pub(crate) const OUTCOMES: [chessdb_core::Outcome; 4] = [
    chessdb_core::Outcome::BlackWins,
    chessdb_core::Outcome::Draw,
    chessdb_core::Outcome::WhiteWins,
    chessdb_core::Outcome::Unknown,
];
