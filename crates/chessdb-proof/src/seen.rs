//! What two readings of a game, before and after a conversion, show to be lost.
//!
//! Each [`Seen`] names the kinds of loss that can be behind one difference. A writer is honest if
//! every difference has a kind that it announced, and every kind that it announced has a difference
//! ([`crate::judge`]). Nothing here knows a format.

use chessdb::{Extra, LossKind};

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// What differs, with both values.
    pub what: String,
    /// The kinds of loss that it can be.
    pub kinds: Vec<LossKind>,
    /// Why it may be there without any of them; otherwise it must be announced.
    pub excuse: Option<&'static str>,
}

/// Differences that are no loss, with the reason (docs/roundtrip.md lists them).
pub mod excuse {
    /// PGN demands seven tags and writes `?` for what is not known.
    pub const UNKNOWN: &str = "no value, an empty one and `?` all say that a field is not known";
    /// A FEN of the usual start position says nothing that its absence does not say.
    pub const START: &str = "the usual start position may be spelled out or not";
    /// Formats with fields of their own for a typed value spell it in their own way.
    pub const SPELLING: &str = "another spelling of a start position or of what a typed field says";
    /// Tags that PGN demands beside a FEN.
    pub const REPEATED: &str = "the tags `SetUp` and `Variant` repeat what the start position says";
    /// The order of what is left of two sorts of notes says little where one of them has changed.
    pub const ORDER: &str = "the order of NAGs and comments at a move, where one of them changed";
    /// Every command is still there, as such or as text.
    pub const COMMANDS: &str = "commands of comments (clocks, evaluations, shapes) that are text of the comment elsewhere, or the other way round";
    /// All of them.
    pub const ALL: [&str; 6] = [UNKNOWN, START, SPELLING, REPEATED, ORDER, COMMANDS];
}

/// The differences of one game, `before` and `after`.
pub(crate) struct Differences {
    pub(crate) seen: Vec<Seen>,
}

impl Differences {
    pub(crate) fn add(&mut self, what: String, kinds: &[LossKind]) {
        self.seen.push(Seen {
            what,
            kinds: kinds.to_vec(),
            excuse: None,
        });
    }

    pub(crate) fn excused(&mut self, what: String, kinds: &[LossKind], excuse: &'static str) {
        self.seen.push(Seen {
            what,
            kinds: kinds.to_vec(),
            excuse: Some(excuse),
        });
    }
}

/// What only one format understands may appear, but not vanish.
pub(crate) fn extras(before: &[Extra], after: &[Extra], kind: LossKind, found: &mut Differences) {
    let mut after: Vec<_> = after.iter().collect();
    for extra in before {
        match after.iter().position(|other| *other == extra) {
            Some(at) => drop(after.swap_remove(at)),
            None => found.add(format!("extra {} {}", extra.format, extra.field), &[kind]),
        }
    }
}
