//! Stretches of a file and their owners.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Found;

/// The owner of a stretch of the games file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    /// The claim with this number.
    IndexClaim(usize, Found),
    /// A game that no index entry contains.
    Carved(Found),
    /// A record of a game that is elsewhere in the file.
    Twice,
}

/// Stretches that do not overlap: start offset, end offset and owner.
#[derive(Default, Debug)]
pub(super) struct OwnedRanges(BTreeMap<usize, (usize, Owner)>);

impl OwnedRanges {
    /// Returns the free part at the start of `range`; `None` if its first byte is taken.
    pub(super) fn free(&self, range: &Range<usize>) -> Option<Range<usize>> {
        // Stretches do not overlap, so only the last one before can cover the first byte.
        let before = self.0.range(..=range.start).next_back();
        if before.is_some_and(|(_, (end, _))| *end > range.start) {
            return None;
        }
        let next = self.0.range(range.start..).next();
        let end = next.map_or(range.end, |(&next, _)| next.min(range.end));
        (end > range.start).then_some(range.start..end)
    }

    /// Takes a stretch; returns `false` if part of it is taken already.
    pub(super) fn take(&mut self, range: &Range<usize>, owner: Owner) -> bool {
        let free = self.free(range).as_ref() == Some(range);
        if free {
            self.0.insert(range.start, (range.end, owner));
        }
        free
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Range<usize>, Owner)> + '_ {
        self.0
            .iter()
            .map(|(&start, &(end, owner))| (start..end, owner))
    }

    /// Returns the end of the last stretch.
    pub(super) fn end(&self) -> usize {
        self.0.last_key_value().map_or(0, |(_, (end, _))| *end)
    }

    /// Returns the ranges without an owner.
    pub(super) fn gaps(&self, within: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut next = within.start;
        let ends = self.iter().map(|(range, _)| range);
        // An empty range at the end closes the last gap.
        let ends = ends.chain(std::iter::once(within.end..within.end));
        ends.filter_map(move |range| {
            let gap = next..range.start;
            next = next.max(range.end);
            (gap.start < gap.end).then_some(gap)
        })
    }
}
