//! Results of the steps of reading, and counts of what was read.

use crate::{Error, Result};

/// The reason to stop reading before the end of the source; `?` passes it out of a decoder's loop.
#[derive(Debug)]
pub enum Stop {
    /// Nothing more can be read, or the tape is full. This is already reported.
    End,
    /// A finding is an error in strict mode.
    Error(Error),
}

/// The result of a step of reading, unless it was the last one.
pub type Step<T = ()> = std::result::Result<T, Stop>;

impl Stop {
    /// Converts the result of reading.
    ///
    /// # Errors
    ///
    /// Returns the error with which reading ended, if any.
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

/// Numbers of items in a game. Items that were left out may or may not be included, so the numbers
/// are meaningful only for a game that was read completely.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Half-moves of the mainline.
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

/// The effect of the end of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closed {
    /// A variation on the tape has ended.
    Line,
    /// A variation, or the rest of one, that is left out has ended.
    LeftOut,
    /// No variation is open.
    NoneOpen,
}
