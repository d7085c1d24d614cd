//! The format-independent rules for the lines of a game: how variations open and close, what is
//! left out and how it is counted, which limits apply, and where findings are reported.
//!
//! The side with the source runs the loop. A decoder iterates over its bytes and passes what it
//! finds to a [`LineReader`]; [`write_lines`] iterates over the tape and calls the [`LineSink`] of
//! an encoder.

mod read;
mod skim;
mod skip;
mod steps;
mod walk;
mod write;

use crate::PackedMove;
use crate::board::Facts;
use crate::legacy::Numbering;
use crate::model::Place;

pub use read::{LineReader, read_game};
pub use skim::Skim;
pub use skip::Skip;
pub use steps::{Closed, Counts, Step, Stop};
pub use walk::{Lines, Walk};
pub use write::{CommentOut, LineSink, Out, Reordered, TokenSource, write_game, write_lines};

/// The current position in the lines of a game: [`Lines`], or a format's own tracker.
pub trait LineTracker {
    /// Opens a variation that replaces the last move of the line.
    fn open(&mut self);

    /// Returns to the line that was interrupted last; false if there is none.
    fn close(&mut self) -> bool;

    /// Returns the number of half-moves from the start position to the current one.
    fn ply(&self) -> u32;

    /// Returns the number of interrupted lines.
    fn depth(&self) -> usize;

    /// Returns whether the current line has no move yet.
    fn at_line_start(&self) -> bool;

    /// Returns the place of a comment at this position if its source does not specify one: before
    /// the first move if the line has no move yet, else after the last move.
    fn place(&self) -> Place {
        if self.at_line_start() { Place::Before } else { Place::After }
    }
}

/// A tracker that can play a move from the move alone.
pub trait Play: LineTracker {
    /// Plays a move.
    fn play(&mut self, mv: PackedMove);

    /// Plays a move with these facts from the tape.
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
