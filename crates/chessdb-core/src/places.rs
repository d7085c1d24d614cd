//! Where the games of a file are, from whoever knows it already.

use std::fmt;
use std::ops::Range;

use crate::SharedBytes;

/// Where each game of a file begins, and where the last one ends: numbers that stand one after another in bytes of
/// somebody else's, eight bytes each, the low ones first. They are taken out when they are asked for.
///
/// ```
/// use std::sync::Arc;
/// use chessdb_core::Places;
///
/// let bytes: Vec<u8> = [0_u64, 70, 145].into_iter().flat_map(u64::to_le_bytes).collect();
/// let places = Places::new(Arc::new(bytes), 0..24).unwrap();
/// assert_eq!((places.games(), places.get(2), places.get(3)), (2, Some(145), None));
/// ```
#[derive(Clone)]
pub struct Places {
    bytes: SharedBytes,
    range: Range<usize>,
}

impl Places {
    /// The numbers in this range of the bytes: at least one, and at most one more than there can be games. None if
    /// they are not all there.
    pub fn new(bytes: SharedBytes, range: Range<usize>) -> Option<Places> {
        let (numbers, rest) = (*bytes).as_ref().get(range.clone())?.as_chunks::<8>();
        let is_whole = rest.is_empty() && !numbers.is_empty() && numbers.len() <= u32::MAX as usize;
        is_whole.then_some(Places { bytes, range })
    }

    /// How many games there are.
    pub fn games(&self) -> u32 {
        (self.range.len() / 8 - 1) as u32
    }

    /// Where game `n`, counted from 0, begins; for the number of games, where the last one ends.
    #[inline]
    pub fn get(&self, n: u32) -> Option<u64> {
        let bytes = (*self.bytes).as_ref().get(self.range.clone())?;
        let (numbers, _) = bytes.as_chunks::<8>();
        numbers.get(n as usize).copied().map(u64::from_le_bytes)
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Places({} games)", self.games())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn numbers_that_are_not_all_there_are_none() {
        let bytes: SharedBytes = Arc::new(vec![1; 20]);
        assert_eq!(
            Places::new(Arc::clone(&bytes), 4..20).map(|places| places.games()),
            Some(1)
        );
        for range in [0..0, 0..12, 8..24, 24..32, 21..21] {
            assert!(
                Places::new(Arc::clone(&bytes), range.clone()).is_none(),
                "{range:?}"
            );
        }
    }
}
