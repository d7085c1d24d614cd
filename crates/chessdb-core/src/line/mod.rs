//! The rules for the lines of a game, the same under every format: what opens and closes, what is
//! left out and how it is counted, which limits hold, where findings go.
//!
//! Who has the source owns the loop: a decoder runs over its bytes and tells a [`LineReader`] what
//! it found.

mod read;

use crate::Lines;
use crate::legacy::Numbering;

pub use read::{Closed, Counts, LineReader, Step, Stop};

/// Where the lines of a game stand: [`Lines`], or whatever a format keeps instead.
pub trait Follow {
    /// Takes the last move of the line back, for an alternative to it.
    fn open(&mut self);

    /// Goes back to the line that was interrupted last; false if there is none.
    fn close(&mut self) -> bool;

    /// Half-moves from the start position to the position now.
    fn ply(&self) -> u32;

    /// How many lines are interrupted.
    fn depth(&self) -> usize;

    /// Whether the current line has no move yet.
    fn at_line_start(&self) -> bool;
}

impl<N: Numbering> Follow for Lines<N> {
    #[inline]
    fn open(&mut self) {
        Lines::open(self);
    }

    #[inline]
    fn close(&mut self) -> bool {
        Lines::close(self)
    }

    #[inline]
    fn ply(&self) -> u32 {
        Lines::ply(self)
    }

    #[inline]
    fn depth(&self) -> usize {
        Lines::depth(self)
    }

    #[inline]
    fn at_line_start(&self) -> bool {
        Lines::at_line_start(self)
    }
}
