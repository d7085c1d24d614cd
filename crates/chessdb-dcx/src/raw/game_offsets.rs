//! The upper bound of each game in the games file: the offset of the next game.

/// The offsets of all games in ascending order. It needs no memory if the index is in that order.
#[derive(Clone, Debug)]
pub(crate) struct GameOffsets {
    /// Empty if the index is in order.
    sorted: Vec<u64>,
}

impl GameOffsets {
    /// Creates the list from the offsets in the order of the index.
    pub(crate) fn new(offsets: impl Iterator<Item = u64> + Clone) -> GameOffsets {
        if offsets.clone().is_sorted_by(|a, b| a < b) {
            return GameOffsets { sorted: Vec::new() };
        }
        let mut sorted: Vec<u64> = offsets.collect();
        // The stable sort uses ascending runs, which an index with a few moved records has.
        sorted.sort();
        GameOffsets { sorted }
    }

    /// Returns the lowest offset greater than `offset`. `following` is the offset of the next game
    /// in the index, which is the answer if the index is in order.
    pub(crate) fn after(&self, offset: u64, following: Option<u64>) -> Option<u64> {
        if self.sorted.is_empty() {
            return following;
        }
        // Several games may have the same offset.
        let index = self.sorted.partition_point(|&other| other <= offset);
        self.sorted.get(index).copied()
    }

    /// Passes each offset with the next one in the file to `see`. `all` are the offsets in the
    /// order of the index.
    pub(crate) fn pairs(&self, all: impl Iterator<Item = u64>, see: &mut dyn FnMut(u64, u64)) {
        if self.sorted.is_empty() {
            let mut before = None;
            for offset in all {
                if let Some(before) = before.replace(offset) {
                    see(before, offset);
                }
            }
        }
        for (&offset, &next) in self.sorted.iter().zip(self.sorted.iter().skip(1)) {
            see(offset, next);
        }
    }

    /// Returns the lowest offset. `first` is the offset of the first game in the index, which is the
    /// answer if the index is in order.
    pub(crate) fn first(&self, first: Option<u64>) -> Option<u64> {
        self.sorted.first().copied().or(first)
    }

    /// Returns the highest offset. `last` is the offset of the last game in the index, which is the
    /// answer if the index is in order.
    pub(crate) fn last(&self, last: Option<u64>) -> Option<u64> {
        self.sorted.last().copied().or(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_the_next_higher_offset() {
        let ordered = GameOffsets::new([10, 20, 30].into_iter());
        assert!(ordered.sorted.is_empty());
        assert_eq!(ordered.after(10, Some(20)), Some(20));
        assert_eq!(ordered.after(30, None), None);
        let mixed = GameOffsets::new([30, 10, 20, 10].into_iter());
        assert_eq!(mixed.after(10, Some(20)), Some(20));
        assert_eq!(mixed.after(20, Some(10)), Some(30));
        assert_eq!(mixed.after(30, Some(10)), None);
        assert_eq!(
            [ordered.last(Some(30)), mixed.last(Some(10))],
            [Some(30); 2]
        );
    }
}
