//! Commands inside PGN comments: clocks, evaluations, coloured squares and arrows.
//!
//! | command | meaning |
//! |---|---|
//! | `[%clk 1:23:45]`, `[%clk 0:00:09.5]` | time left; hours, minutes, seconds, milliseconds without trailing zeros |
//! | `[%emt 0:00:07]` | time spent on the move |
//! | `[%eval 0.35]`, `[%eval 1.20,24]` | pawns for White in hundredths, depth in plies |
//! | `[%eval #-3]` | mate in that many moves, negative if Black mates |
//! | `[%wd 16383,8000]` | shares of wins and draws, of 32767 each; ours, since jose has them and PGN has no usual form |
//! | `[%csl Gd4,Ra1]` | coloured squares |
//! | `[%cal Ge2e4,Rd1d8]` | coloured arrows |
//! | `[%ca 7 01ff]` | an annotation that only Chess Assistant understands: number, bytes in hexadecimal; ours, so that it survives a way through text |
//! | `[%cbh 24 01]` | the same of ChessBase |
//!
//! A command is taken out of a comment only where writing it gives back the same bytes; anything
//! else (`[%clk 01:30:00]`, `[%eval +0.3]`, …) remains text. So nothing is lost by
//! [`parse_leading`], and [`render`] is its exact inverse. [`scan`] finds the values of those that
//! remain text.

mod parse;
mod render;
mod scan;

pub use parse::parse_leading;
pub use render::{render, render_command};
pub use scan::scan;

use crate::Square;

/// One command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command<'a> {
    /// `[%clk …]` or `[%emt …]`.
    Clock(Clock),
    /// `[%eval …]` or `[%wd …]`.
    Eval(Eval),
    /// `[%csl …]` (no shape has a target square) or `[%cal …]` (each has). A list that mixes both,
    /// as other formats may have it, is written as several commands.
    Shapes(&'a [Shape]),
    /// `[%ca …]`: an [`Extra`](crate::Extra) of a format whose annotations have this form.
    Extra {
        /// The format's id, which is the word of the command.
        format: &'static str,
        /// The number of the field.
        field: u16,
        /// Its content.
        bytes: &'a [u8],
    },
}

/// The formats whose extras among the moves can stand in comments.
const EXTRA_WORDS: [&str; 2] = ["ca", "cbh"];

/// Whether extras of this format among the moves can stand in comments, as a command.
pub fn has_extra_command(format: &str) -> bool {
    EXTRA_WORDS.contains(&format)
}

/// A time that belongs to a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    /// Which time it is.
    pub kind: ClockKind,
    /// Milliseconds.
    pub milliseconds: u32,
}

/// Which time a [`Clock`] shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockKind {
    /// Time left after the move, `[%clk …]`.
    Clock,
    /// Time spent on the move, `[%emt …]`.
    Elapsed,
}

/// What an engine thinks of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eval {
    /// The judgement.
    pub value: EvalValue,
    /// Depth of the search in plies, if known.
    pub depth: Option<u16>,
}

/// A judgement, from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalValue {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative if Black mates.
    Mate(i32),
    /// Expected shares of wins and draws, scaled by 32767 (docs/formats/bytecode.md, column Eval).
    WinDraw {
        /// Share of wins.
        win: u16,
        /// Share of draws.
        draw: u16,
    },
}

/// A coloured square or arrow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// The colour.
    pub color: ShapeColor,
    /// The square, or where the arrow starts.
    pub from: Square,
    /// Where the arrow ends; none for a coloured square.
    pub to: Option<Square>,
}

/// A colour by its capital letter; programs disagree on how many there are, so all letters are
/// kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShapeColor(u8);

impl ShapeColor {
    /// `G`.
    pub const GREEN: ShapeColor = ShapeColor(b'G');
    /// `R`.
    pub const RED: ShapeColor = ShapeColor(b'R');
    /// `Y`.
    pub const YELLOW: ShapeColor = ShapeColor(b'Y');
    /// `B`.
    pub const BLUE: ShapeColor = ShapeColor(b'B');

    /// The colour with this letter, `A` to `Z`.
    pub const fn from_letter(letter: u8) -> Option<ShapeColor> {
        if letter.is_ascii_uppercase() {
            Some(ShapeColor(letter))
        } else {
            None
        }
    }

    /// The letter, `A` to `Z`.
    pub const fn letter(self) -> u8 {
        self.0
    }
}

/// The most shapes that are taken out of one command; a longer list remains text.
pub const MAX_SHAPES: usize = 128;
