//! What the steps of reading give, and what is counted on the way.

use crate::{Error, Result};

/// Why reading ends before the source does; `?` carries it out of a decoder's loop.
#[derive(Debug)]
pub enum Stop {
    /// Nothing more can be read, or goes on the tape; that is reported already.
    End,
    /// Strict mode refuses what was found.
    Error(Error),
}

/// What a step of reading gives, unless it was the last one.
pub type Step<T = ()> = std::result::Result<T, Stop>;

impl Stop {
    /// The error with which reading ended, if it did.
    ///
    /// # Errors
    ///
    /// That error.
    pub fn into_result(read: Step) -> Result<()> {
        match read {
            Ok(()) | Err(Stop::End) => Ok(()),
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

/// How often things occur in a game. What was left out may or may not be among them, so the numbers
/// mean something only for a game that was read whole.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Half-moves of the main line.
    pub plies: u32,
    /// Variations.
    pub variations: u32,
    /// Comments.
    pub comments: u32,
    /// NAGs.
    pub nags: u32,
    /// Marks of unreadable moves.
    pub faults: u32,
}

/// What the end of a line was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closed {
    /// That of a variation on the tape.
    Line,
    /// That of a variation, or of the rest of one, that is left out.
    LeftOut,
    /// No variation is open.
    NoneOpen,
}
