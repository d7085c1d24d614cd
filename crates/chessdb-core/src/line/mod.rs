//! The rules for the lines of a game, the same under every format: what opens and closes, what is
//! left out and how it is counted, which limits hold, where findings go.
//!
//! Who has the source owns the loop. A decoder runs over its bytes and hands a [`LineReader`] what
//! it found; [`write_lines`] runs over the tape and tells the [`LineSink`] of an encoder what to
//! write.

mod read;
mod skim;
mod skip;
mod steps;
mod write;

use crate::legacy::Numbering;
use crate::{Facts, Lines, PackedMove, Place};

pub use read::LineReader;
pub use skim::Skim;
pub use skip::Skip;
pub use steps::{Closed, Counts, Step, Stop};
pub use write::{CommentOut, LineSink, Out, Reordered, TokenSource, write_lines};

/// Where the lines of a game stand: [`Lines`], or whatever a format keeps instead.
pub trait LineTracker {
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

    /// Where a comment belongs that stands here and does not say it: to the start of the line as
    /// long as that has no move, afterwards to the last one.
    fn place(&self) -> Place {
        match self.at_line_start() {
            true => Place::Before,
            false => Place::After,
        }
    }
}

/// Lines that play a move knowing nothing else of it.
pub trait Play: LineTracker {
    /// Plays a move.
    fn play(&mut self, mv: PackedMove);

    /// Plays a move of which the tape says this.
    #[inline]
    fn play_known(&mut self, mv: PackedMove, _facts: Facts) {
        self.play(mv);
    }
}

impl<N: Numbering> Play for Lines<N> {
    #[inline]
    fn play(&mut self, mv: PackedMove) {
        Lines::play(self, mv);
    }

    #[inline]
    fn play_known(&mut self, mv: PackedMove, facts: Facts) {
        Lines::play_known(self, mv, facts);
    }
}

impl<N: Numbering> LineTracker for Lines<N> {
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
