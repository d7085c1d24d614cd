//! What is left out.

/// A part of a game that a decoder or an encoder leaves out, as an `Option` that is empty while
/// nothing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skip {
    /// Variations opened since.
    depth: u32,
    /// Whether the line that the skipping ends with has been opened in the target.
    opened: bool,
}

impl Skip {
    /// The rest of the current line, which hangs on something that cannot be passed on.
    pub const REST_OF_LINE: Skip = Skip {
        depth: 0,
        opened: true,
    };

    /// The whole variation whose beginning was just read, and is not passed on.
    pub const VARIATION: Skip = Skip {
        depth: 0,
        opened: false,
    };

    /// A variation begins within what is left out.
    pub fn open(&mut self) {
        self.depth += 1;
    }

    /// A line ends. Whether it has to be closed in the target, too: not if it lies within what is
    /// left out. If it is what is left out, `skip` is empty then.
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
