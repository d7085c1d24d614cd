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

/// Visits the items from the least to the greatest. Equal items come in any order.
///
/// Memory is needed only for the items that are greater than a later one. Records of databases are
/// such a list: most follow one another, and changes in place move single records to the end.
pub fn visit_in_order<T: Ord + Copy>(
    items: impl DoubleEndedIterator<Item = T> + Clone,
    visit: &mut dyn FnMut(T),
) {
    // Seen from the end, an item that exceeds a later one is displaced.
    let mut displaced = Vec::new();
    let mut least = None;
    for item in items.clone().rev() {
        if least.is_some_and(|least| item > least) {
            displaced.push(item);
        } else {
            least = Some(item);
        }
    }
    let mut sorted = displaced.clone();
    sort_by_key(&mut sorted, |item| *item);
    let mut sorted = sorted.into_iter().peekable();
    for item in items {
        if displaced.last() == Some(&item) {
            displaced.pop();
            continue;
        }
        while let Some(less) = sorted.next_if(|other| *other < item) {
            visit(less);
        }
        visit(item);
    }
    sorted.for_each(visit);
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

    use super::{sort_by_key, visit_in_order};

    proptest! {
        #[test]
        fn sort_matches_standard_library(keys: Vec<u8>) {
            let mut items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(key, _)| key / 16);
            sort_by_key(&mut items, |&(key, _)| key / 16);
            prop_assert_eq!(items, expected);
        }

        #[test]
        fn visits_like_a_sorted_copy(items: Vec<u8>, is_nearly_sorted: bool) {
            let mut items = items;
            if is_nearly_sorted {
                let middle = items.len() / 8;
                items[middle..].sort_unstable();
            }
            let mut visited = Vec::new();
            visit_in_order(items.iter().copied(), &mut |item| visited.push(item));
            items.sort_unstable();
            prop_assert_eq!(visited, items);
        }
    }
}
