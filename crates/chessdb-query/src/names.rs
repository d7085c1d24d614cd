//! Names of people, as different hands spell them.

/// Whether two folded names may be of the same person: all parts of the shorter one are parts of the
/// other, initials, beginnings and single wrong letters allowed, and one part is whole in both.
pub(crate) fn same_person(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (parts(a), parts(b));
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut left = long;
    let mut whole = false;
    for part in short {
        let fits = left.iter().map(|other| likeness(part, other));
        let best = fits
            .enumerate()
            .max_by_key(|(n, likeness)| (*likeness, std::cmp::Reverse(*n)));
        let Some((n, likeness)) = best.filter(|(_, likeness)| *likeness != Likeness::None) else {
            return false;
        };
        whole |= likeness == Likeness::Whole && part.len() > 2;
        left.remove(n);
    }
    whole
}

/// What names of the same person mostly begin with alike: the beginning of the surname.
pub(crate) fn surname_key(name: &str) -> &str {
    let surname = match name.split_once(',') {
        Some((surname, _)) => surname,
        None => name,
    };
    let longest = parts(surname)
        .into_iter()
        .rev()
        .max_by_key(|part| part.len());
    longest.map_or("", |part| part.get(..4).unwrap_or(part))
}

/// The words of a folded name.
fn parts(name: &str) -> Vec<&str> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Likeness {
    None,
    /// One is an initial of the other, or its beginning.
    Beginning,
    /// All letters, but for a wrong one in a long word.
    Whole,
}

fn likeness(a: &str, b: &str) -> Likeness {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let allowed = match short.len() {
        0..4 => 0,
        4..9 => 1,
        _ => 2,
    };
    match () {
        () if distance(short, long, allowed) => Likeness::Whole,
        () if long.starts_with(short) => Likeness::Beginning,
        () => Likeness::None,
    }
}

/// Whether one word becomes the other by at most so many letters more, less or changed.
fn distance(short: &str, long: &str, most: usize) -> bool {
    if long.len() - short.len() > most || short.len() > 64 {
        return false;
    }
    let mut row: Vec<usize> = (0..=long.len()).collect();
    for (n, a) in (1..).zip(short.bytes()) {
        let mut left = n;
        let mut corner = n - 1;
        for (b, place) in long.bytes().zip(row.iter_mut().skip(1)) {
            let best = (corner + usize::from(a != b)).min(left + 1).min(*place + 1);
            corner = std::mem::replace(place, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = n;
        }
    }
    row.last().is_some_and(|cost| *cost <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name() {
        for (a, b) in [
            ("kasparov, garry", "kasparov, g"),
            ("kasparov, garry", "garry kasparov"),
            ("kasparov, garry", "kasparow, gary"),
            ("kasparov, garry", "kasparov"),
            ("korchnoi, viktor", "kortchnoi, v."),
            ("tal, mihail", "tal, m"),
            ("nepomniachtchi, ian", "nepomniachtchi,i"),
        ] {
            assert!(same_person(a, b) && same_person(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("kasparov, garry", "karpov, garry"),
            ("polgar, judit", "polgar, zsofia"),
            ("li, chao", "li, shilong"),
            ("smith, a", "smith, b"),
            ("", "kasparov"),
            ("g", "garry kasparov"),
        ] {
            assert!(!same_person(a, b) && !same_person(b, a), "{a} / {b}");
        }
        assert_eq!(surname_key("kasparov, garry"), "kasp");
        assert_eq!(surname_key("tal, mihail"), "tal");
    }
}
