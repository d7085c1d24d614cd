//! The names of one person.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::{NEIGHBOURS, NameUse, fold_name};
use crate::evidence::hash;
use crate::person::{NameMatch, given_key, match_names, surname_key, words_key};
use chessdb_core::sorting::sort_by_key;

/// How sure it is that one name is a spelling of another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sureness {
    Doubtful,
    Likely,
    /// The words or the numbers of FIDE are equal.
    Proved,
}

/// Returns how sure it is that two names are one person's. `None` if something proves two persons,
/// or if the names do not fit.
pub(super) fn judge_persons(
    (left, one): (&str, &(String, NameUse)),
    (right, other): (&str, &(String, NameUse)),
) -> Option<Sureness> {
    if are_two_persons(one, other) {
        return None;
    }
    let ((_, one), (_, other)) = (one, other);
    if one.has_same_fide_id(other) == Some(true) {
        // A name with several numbers has several bearers.
        let is_alone = one.fide_ids.len() == 1 && other.fide_ids.len() == 1;
        return Some(if is_alone { Sureness::Proved } else { Sureness::Doubtful });
    }
    match match_names(left, right) {
        _ if !one.agrees(other) => None,
        NameMatch::Different => None,
        // With initials alone, too many names differ by a letter.
        NameMatch::Misprinted if given_key(left).is_none() => None,
        NameMatch::Doubtful | NameMatch::Misprinted => Some(Sureness::Doubtful),
        NameMatch::Likely => Some(Sureness::Likely),
        NameMatch::Same => Some(Sureness::Proved),
    }
}

/// Returns whether the games with two names, whatever these are, prove two persons: a game against
/// each other, other numbers of FIDE, or more than a lifetime.
fn are_two_persons(
    (name, one): &(String, NameUse),
    (other_name, other): &(String, NameUse),
) -> bool {
    let have_met = one.met.contains(other_name) || other.met.contains(name);
    have_met
        || match one.has_same_fide_id(other) {
            Some(is_same) => !is_same,
            None => !one.is_in_lifetime(other),
        }
}

/// The names of one person among other names, as indices of a list.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct PersonNames {
    /// The requested names, and all that are proved to be the same person's, in ascending order.
    pub counted: Vec<usize>,
    /// Names that may be the same person's, the most probable ones first, then those with the most
    /// games.
    pub possible: Vec<usize>,
}

/// Finds the names of the person with the names `asked`. A name of the list belongs to him if it
/// has the same words as one of these, in any order and with other capitals, accents and blanks, or
/// the same number of FIDE, and if nothing proves two persons. If no name of the list is equal to
/// `asked`, those with the same words are meant.
///
/// ```
/// use chessdb_query::names::{NameUse, one_person};
///
/// let names = ["Birch,N", "Birch, Nils", "N. Birch", "Birch, Nora", "Birch, O"];
/// let names = names.map(|name| (name.to_owned(), NameUse::new(2020, None)));
/// let person = one_person(&names, &["Birch,N"]);
/// assert_eq!((person.counted, person.possible), (vec![0, 2], vec![1, 3]));
/// ```
pub fn one_person(names: &[(String, NameUse)], asked: &[&str]) -> PersonNames {
    let folded: Vec<String> = names.iter().map(|(name, _)| fold_name(name)).collect();
    let mut counted: HashSet<usize> = HashSet::new();
    for asked in asked {
        let is_equal = |n: &usize| names.get(*n).is_some_and(|(name, _)| name == asked);
        match (0..names.len()).find(is_equal) {
            Some(n) => drop(counted.insert(n)),
            None => {
                let key = words_key(&fold_name(asked));
                let has_words =
                    |n: &usize| folded.get(*n).is_some_and(|name| words_key(name) == key);
                counted.extend(
                    (0..names.len())
                        .filter(has_words)
                        .filter(|_| !key.is_empty()),
                );
            }
        }
    }
    for group in joined(names, &folded) {
        if group.iter().any(|n| counted.contains(n)) {
            counted.extend(group);
        }
    }
    let mut counted: Vec<usize> = counted.into_iter().collect();
    counted.sort_unstable();
    // As in `suggest_names`.
    let keys = |n: usize| {
        let name = folded.get(n).map_or("", String::as_str);
        [Some(surname_key(name)), given_key(name)]
            .into_iter()
            .flatten()
    };
    let own_keys: HashSet<String> = counted.iter().flat_map(|n| keys(*n)).collect();
    let sureness = |n: usize| {
        let (name, folded_name) = (names.get(n)?, folded.get(n)?);
        let is_near = keys(n).any(|key| own_keys.contains(&key));
        let mut best = None;
        for own in &counted {
            let (own_name, own_folded) = (names.get(*own)?, folded.get(*own)?);
            if is_near || own_name.1.has_same_fide_id(&name.1) == Some(true) {
                // One such proof excludes a name, however well it fits another spelling.
                if are_two_persons(name, own_name) {
                    return None;
                }
                best = best.max(judge_persons((folded_name, name), (own_folded, own_name)));
            }
        }
        best
    };
    let others = (0..names.len()).filter(|n| counted.binary_search(n).is_err());
    let mut possible: Vec<(usize, Sureness)> =
        others.filter_map(|n| Some((n, sureness(n)?))).collect();
    sort_by_key(&mut possible, |&(n, sureness)| {
        let (name, seen) = names
            .get(n)
            .map_or(("", 0), |(name, seen)| (name, seen.games));
        (Reverse(sureness), Reverse(seen), name)
    });
    PersonNames {
        counted,
        possible: possible.into_iter().map(|(n, _)| n).collect(),
    }
}

/// Returns the groups of two or more names that are proved to be one person's, as indices in
/// ascending order. [`one_person`] has the rule. The answer does not depend on the order of the
/// names: if one name may be either of two persons, it is in no group with them.
pub fn proved_persons(names: &[(String, NameUse)]) -> Vec<Vec<usize>> {
    let folded: Vec<String> = names.iter().map(|(name, _)| fold_name(name)).collect();
    joined(names, &folded)
}

/// The number of names of one person. More with the same words or number prove nothing, since no
/// person's name is spelled in so many ways.
const MOST_SPELLINGS: usize = NEIGHBOURS;

/// Returns the groups of [`proved_persons`].
fn joined(names: &[(String, NameUse)], folded: &[String]) -> Vec<Vec<usize>> {
    // Equal hashes of other names do no harm, since each pair is judged.
    let mut keys: Vec<(u64, usize)> = Vec::with_capacity(names.len());
    for (n, ((_, seen), folded)) in names.iter().zip(folded).enumerate() {
        let words = words_key(folded);
        keys.extend((!words.is_empty()).then(|| (hash(&words), n)));
        // Several numbers show several bearers and prove nothing.
        if let [number] = seen.fide_ids.as_slice() {
            keys.push((hash(number), n));
        }
    }
    keys.sort_unstable();
    let entry = |n: usize| Some((folded.get(n)?.as_str(), names.get(n)?));
    let mut links: HashMap<usize, Vec<usize>> = HashMap::new();
    for bucket in keys.chunk_by(|(a, _), (b, _)| a == b) {
        if bucket.len() > MOST_SPELLINGS {
            continue;
        }
        for (place, &(_, a)) in bucket.iter().enumerate() {
            for &(_, b) in bucket.iter().skip(place + 1) {
                let both = entry(a).zip(entry(b));
                let sureness = both.and_then(|(a, b)| judge_persons(a, b));
                if sureness == Some(Sureness::Proved) {
                    links.entry(a).or_default().push(b);
                    links.entry(b).or_default().push(a);
                }
            }
        }
    }
    // Names that are joined must contradict the same others: none of their own group, and if a
    // third name fits two persons, it is neither's.
    let mut against: HashMap<usize, Vec<usize>> = HashMap::new();
    for group in connected(&links, |_, _| true) {
        for &a in &group {
            let is_other = |b: &usize| {
                names
                    .get(a)
                    .zip(names.get(*b))
                    .is_some_and(|(a, b)| are_two_persons(a, b))
            };
            let others = if group.len() > MOST_SPELLINGS {
                // A list of its own for each member undoes the group.
                vec![a]
            } else {
                group
                    .iter()
                    .copied()
                    .filter(|b| *b != a)
                    .filter(is_other)
                    .collect()
            };
            against.insert(a, others);
        }
    }
    connected(&links, |a, b| against.get(&a) == against.get(&b))
}

/// Returns the sets of numbers that links connect, each in ascending order. A link counts only if
/// `is_valid`.
fn connected(
    links: &HashMap<usize, Vec<usize>>,
    is_valid: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let mut seen = HashSet::new();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &start in links.keys() {
        if !seen.insert(start) {
            continue;
        }
        let mut group = vec![start];
        let mut place = 0;
        while let Some(&n) = group.get(place) {
            place += 1;
            for &next in links.get(&n).into_iter().flatten() {
                if is_valid(n, next) && seen.insert(next) {
                    group.push(next);
                }
            }
        }
        // The order of the links is random; that of the groups must not be.
        group.sort_unstable();
        if let [first, _, ..] = *group {
            groups.insert(first, group);
        }
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests;
