//! Tracking of a part of a game that is left out.

/// A part of a game that a decoder or an encoder leaves out. Used as an `Option` that is `None`
/// while nothing is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skip {
    /// Number of open variations within the part.
    depth: u32,
    /// Whether the line with which the skipping ends has been opened in the target.
    opened: bool,
}

impl Skip {
    /// The rest of the current line, which depends on something that cannot be passed on.
    pub const REST_OF_LINE: Skip = Skip {
        depth: 0,
        opened: true,
    };

    /// The whole variation that was just opened in the source and not passed on.
    pub const VARIATION: Skip = Skip {
        depth: 0,
        opened: false,
    };

    /// Returns whether the next token belongs to a variation that is left out.
    pub const fn is_in_variation(self) -> bool {
        self.depth > 0 || !self.opened
    }

    /// Starts a variation within the part that is left out.
    pub fn open(&mut self) {
        self.depth += 1;
    }

    /// Ends a line and returns whether it must be closed in the target as well: not if it is within
    /// the part that is left out. Sets `skip` to `None` if the line ends that part.
    pub fn close(skip: &mut Option<Skip>) -> bool {
        match skip {
            Some(within) if within.depth > 0 => {
                within.depth -= 1;
                false
            }
            _ => skip.take().is_none_or(|ended| ended.opened),
        }
    }
}
