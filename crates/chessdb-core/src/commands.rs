//! Commands inside PGN comments: clocks, evaluations, coloured squares and arrows.
//!
//! | command | meaning |
//! |---|---|
//! | `[%clk 1:23:45]`, `[%clk 0:00:09.5]` | time left: hours, minutes, seconds, milliseconds |
//! | `[%emt 0:00:07]` | time spent on the move |
//! | `[%eval 0.35]`, `[%eval 1.20,24]` | pawns for White in hundredths, depth in plies |
//! | `[%eval #-3]` | mate in this number of moves, negative if Black mates |
//! | `[%wd 16383,8000]` | shares of wins and draws, scaled by 32767 |
//! | `[%csl Gd4,Ra1]` | coloured squares |
//! | `[%cal Ge2e4,Rd1d8]` | coloured arrows |
//! | `[%ca 7 01ff]` | an annotation of Chess Assistant: field number, bytes in hexadecimal |
//! | `[%cbh 24 01]` | an annotation of ChessBase in the same form |
//!
//! Milliseconds are written without trailing zeros. `wd`, `ca` and `cbh` are commands of this
//! project: jose stores shares of wins and draws, for which PGN has no common form, and the other
//! two let annotations that only their own program understands survive a conversion through text.
//!
//! A command is taken out of a comment only if writing it gives back the same bytes. Anything else
//! (`[%clk 01:30:00]`, `[%eval +0.3]`, …) remains text. So [`parse_leading`] loses nothing, and
//! [`render`] is its exact inverse. [`scan`] finds the values of the commands that remain text, and
//! [`MoveValues`](crate::annotation::MoveValues) those of each move of a game, wherever they are.

mod engine;
mod parse;
mod render;
mod scan;
mod strip;

pub use parse::parse_leading;
pub use render::{render, render_command};
pub use scan::scan;
pub use strip::without_commands;
pub(crate) use strip::{StrippedKinds, strip};

use crate::{LossKind, Square};

/// A command in a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command<'a> {
    /// `[%clk …]` or `[%emt …]`.
    Clock(Clock),
    /// `[%eval …]` or `[%wd …]`.
    Eval(Eval),
    /// `[%csl …]` if no shape has a target square, `[%cal …]` if each has one. A list that mixes
    /// both, as other formats may have it, is written as several commands.
    Shapes(&'a [Shape]),
    /// `[%ca …]` or `[%cbh …]`: an [`Extra`](crate::model::Extra) of a format with annotations of
    /// this form.
    Extra {
        /// The format's id, which is the word of the command.
        format: &'static str,
        /// The number of the field.
        field: u16,
        /// The content of the field.
        bytes: &'a [u8],
    },
}

impl Command<'_> {
    /// Returns the kind of loss if a command is left out.
    pub const fn loss_kind(&self) -> LossKind {
        match self {
            Command::Clock(_) => LossKind::Clock,
            Command::Eval(_) => LossKind::Eval,
            Command::Shapes(_) => LossKind::Shapes,
            Command::Extra { .. } => LossKind::GameExtra,
        }
    }
}

/// The formats with extras among the moves that can be written as commands in comments.
const EXTRA_WORDS: [&str; 3] = ["2cbh", "ca", "cbh"];

/// Returns whether extras of this format among the moves can be written as commands in comments.
pub fn has_extra_command(format: &str) -> bool {
    EXTRA_WORDS.contains(&format)
}

/// A time that belongs to a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    /// Whether this is the time left or the time spent.
    pub kind: ClockKind,
    /// The time in milliseconds.
    pub milliseconds: u32,
}

/// The kind of time that a [`Clock`] shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockKind {
    /// Time left after the move, `[%clk …]`.
    Clock,
    /// Time spent on the move, `[%emt …]`.
    Elapsed,
}

/// An engine's evaluation of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eval {
    /// The value.
    pub value: EvalValue,
    /// Search depth in plies, if known.
    pub depth: Option<u16>,
}

/// The value of an evaluation, from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalValue {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this number of moves; negative if Black mates.
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
    /// The coloured square, or the start of the arrow.
    pub from: Square,
    /// The end of the arrow; `None` for a coloured square.
    pub to: Option<Square>,
}

/// A colour, identified by its capital letter. Programs disagree on the set of colours, so every
/// letter is kept.
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

    /// Returns the colour with this letter, `A` to `Z`; `None` for any other byte.
    pub const fn from_letter(letter: u8) -> Option<ShapeColor> {
        if letter.is_ascii_uppercase() { Some(ShapeColor(letter)) } else { None }
    }

    /// Returns the letter, `A` to `Z`.
    pub const fn letter(self) -> u8 {
        self.0
    }
}

/// The maximum number of shapes taken from one command; a longer list remains text.
pub const MAX_SHAPES: usize = 128;
