//! Sorting short lists with little code.
//!
//! The compiler copies the sorting code of the standard library for each type and each order, five
//! kilobytes each time, which programs for the web download. These functions share one copy. They
//! are slower for long lists that are not sorted.

use std::cmp::Ordering;
use std::mem::replace;

/// Sorts like [`slice::sort_by`]: equal items keep their order.
///
/// ```
/// use chessdb_core::sorting::sort_by;
///
/// let mut names = vec!["Tal", "Botvinnik", "Euwe"];
/// sort_by(&mut names, |a, b| b.len().cmp(&a.len()));
/// assert_eq!(names, ["Botvinnik", "Euwe", "Tal"]);
/// ```
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if items.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let mut order = sorted_indexes(items.len(), &mut |a, b| {
        items
            .get(a)
            .zip(items.get(b))
            .map_or(Ordering::Equal, |(a, b)| compare(a, b))
    });
    // Follow each cycle of places: a place takes its item, and the displaced item waits in the
    // place that this item leaves. A finished place has its own index.
    for start in 0..order.len() {
        let mut place = start;
        while let Some(from) = order.get_mut(place).map(|from| replace(from, place)) {
            if from == start {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

/// Sorts like [`slice::sort_by_key`]: items with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Returns the numbers below `len` in the order of the items that they are the indexes of.
fn sorted_indexes(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sort_by_key;

    proptest! {
        #[test]
        fn sort_matches_standard_library(keys: Vec<u8>) {
            let mut items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(key, _)| key / 16);
            sort_by_key(&mut items, |&(key, _)| key / 16);
            prop_assert_eq!(items, expected);
        }
    }
}
