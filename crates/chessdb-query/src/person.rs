//! Whether two names may belong to one person. The answer is the same in both directions.

use crate::names::fold_name;
use chessdb_core::sorting::sort_by_key;

/// How well two names fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum NameMatch {
    /// Two persons.
    Different,
    /// Possibly one person: a given name is missing or has a wrong letter, or only one name has a
    /// middle initial.
    Doubtful,
    /// A letter of the surname is wrong, missing or exchanged, and the given names are equal.
    Misprinted,
    /// One person, if no other name fits as well: given names are abbreviated, or the surname is
    /// spelled differently.
    Likely,
    /// The same words, in any order.
    Same,
}

/// The number of words that are compared; names of persons have fewer.
const MOST_WORDS: usize = 8;

/// The number of letters in the key of a surname.
const KEY_LETTERS: usize = 4;

/// Words after a name that distinguish two persons of the same name, with one spelling each.
const GENERATIONS: [(&str, &str); 14] = [
    ("2nd", "ii"),
    ("3rd", "iii"),
    ("fils", "jr"),
    ("hijo", "jr"),
    ("ii", "ii"),
    ("iii", "iii"),
    ("iv", "iv"),
    ("jr", "jr"),
    ("jun", "jr"),
    ("junior", "jr"),
    ("pere", "sr"),
    ("sen", "sr"),
    ("senior", "sr"),
    ("sr", "sr"),
];

/// The words of a folded name.
struct Words<'n> {
    surname: Vec<&'n str>,
    /// All words after the comma. Empty if there is no comma.
    given: Vec<&'n str>,
    /// What distinguishes persons of one name: generation, number.
    marks: Vec<&'n str>,
}

impl<'n> Words<'n> {
    fn parse(name: &'n str) -> Words<'n> {
        let (surname, given) = name.split_once(',').unwrap_or((name, ""));
        let mut marks = Vec::new();
        let mut words = |text: &'n str, may_be_mark: bool| -> Vec<&'n str> {
            let mut retained = Vec::new();
            for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
                let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
                let number = word.get(letters.len()..).unwrap_or_default();
                let generation = GENERATIONS.iter().find(|(spelling, _)| *spelling == word);
                match generation {
                    // The first word of a name is never a generation.
                    Some((_, mark)) if may_be_mark || !retained.is_empty() => marks.push(*mark),
                    _ => {
                        // A number tells persons of one name apart.
                        marks.extend((!number.is_empty()).then_some(number));
                        retained.extend((!letters.is_empty()).then_some(letters));
                    }
                }
            }
            retained.truncate(MOST_WORDS);
            retained
        };
        let surname = words(surname, false);
        let given = words(given, true);
        marks.sort_unstable();
        marks.dedup();
        Words {
            surname,
            given,
            marks,
        }
    }

    fn sorted(&self) -> Vec<&'n str> {
        let mut all: Vec<&str> = self.surname.iter().chain(&self.given).copied().collect();
        all.sort_unstable();
        all
    }
}

/// The words of a folded name. Two names that are not different have in common all their words, or a
/// word that fits, of the surname or of a name without a comma.
pub(crate) struct SharedWords<'n> {
    pub(crate) whole: Vec<&'n str>,
    /// All words in a fixed order.
    pub(crate) all: Vec<&'n str>,
}

impl<'n> SharedWords<'n> {
    /// The number of letters from which a word may have two wrong ones.
    pub(crate) const LONG: usize = 9;

    pub(crate) fn parse(name: &'n str) -> SharedWords<'n> {
        let words = Words::parse(name);
        let all = words.sorted();
        let mut whole = words.surname;
        whole.retain(|word| word.len() > 1);
        SharedWords { whole, all }
    }
}

/// Returns how well two folded names of persons fit.
pub(crate) fn match_names(a: &str, b: &str) -> NameMatch {
    // A fixed order makes the answer the same in both directions.
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let (one, other) = (Words::parse(a), Words::parse(b));
    if one.marks != other.marks || one.surname.is_empty() || other.surname.is_empty() {
        return NameMatch::Different;
    }
    if one.sorted() == other.sorted() {
        return NameMatch::Same;
    }
    let parted = |words: &Words<'_>| !words.given.is_empty();
    let of_parts = match_words(&one.surname, &other.surname).and_then(|surname| {
        let given =
            |surname: &WordsMatch| match_given(&one.given, &other.given, surname.is_complete);
        match surname.worst {
            WordMatch::Different | WordMatch::Beginning => None,
            WordMatch::Mistyped => {
                let has_given = !one.given.is_empty() && one.given == other.given;
                has_given.then_some(NameMatch::Misprinted)
            }
            _ if surname.is_whole => Some(given(&surname)),
            _ => None,
        }
    });
    match (parted(&one), parted(&other)) {
        (true, true) => of_parts.unwrap_or(NameMatch::Different),
        // Without a comma, any word may be the surname.
        (true, false) => match_turned(&one, &other),
        (false, true) => match_turned(&other, &one),
        (false, false) => match match_words(&one.surname, &other.surname) {
            Some(all) => all.of_words(one.surname.len(), other.surname.len()),
            None => NameMatch::Different,
        },
    }
}

/// Compares a name with a comma with one without.
fn match_turned(parted: &Words<'_>, plain: &Words<'_>) -> NameMatch {
    let Some(surname) = match_words(&parted.surname, &plain.surname) else {
        return NameMatch::Different;
    };
    let has_all = parted.surname.len() <= plain.surname.len();
    if !has_all || !surname.is_whole || surname.worst < WordMatch::Respelled {
        return NameMatch::Different;
    }
    let rest: Vec<&str> = (0..plain.surname.len())
        .filter(|n| !surname.used.contains(n))
        .filter_map(|n| plain.surname.get(n).copied())
        .collect();
    match_given(&parted.given, &rest, true)
}

/// Compares the given names of two persons with one surname. `is_complete` states that no part of a
/// double surname is missing.
fn match_given(one: &[&str], other: &[&str], is_complete: bool) -> NameMatch {
    let best = if is_complete { NameMatch::Likely } else { NameMatch::Doubtful };
    if one.is_empty() && other.is_empty() {
        return best;
    }
    if one.is_empty() || other.is_empty() {
        return NameMatch::Doubtful;
    }
    // The first given names, which all forms of a name have, must fit.
    let (Some(first), Some(second)) = (one.first(), other.first()) else {
        return NameMatch::Different;
    };
    let Some(all) = match_words(one, other) else {
        return NameMatch::Different;
    };
    let of_first = match_word(first, second);
    // `Jan` is not short for `Janos`, as `J` and `Ja` are.
    let is_part = of_first == WordMatch::Beginning && first.len().min(second.len()) > 2;
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    // `Wang, Yue B` need not be `Wang, Yue`.
    let has_letter_more = short.len() < long.len()
        && long.last().is_some_and(|last| last.len() == 1)
        && short.first().is_some_and(|word| word.len() > 1);
    match () {
        () if of_first == WordMatch::Different => NameMatch::Doubtful,
        () if has_letter_more || is_part => NameMatch::Doubtful,
        () if all.worst == WordMatch::Mistyped => NameMatch::Doubtful,
        () => best,
    }
}

/// How well two words fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum WordMatch {
    Different,
    /// One is an initial or the beginning of the other.
    Beginning,
    /// A letter is wrong, or two are transposed.
    Mistyped,
    /// Spellings of one word in different languages.
    Respelled,
    Equal,
}

/// The words of a name that belong together.
struct WordsMatch {
    worst: WordMatch,
    /// Whether a word of at least two letters fits, and not only its beginning.
    is_whole: bool,
    /// Whether both names have the same number of words.
    is_complete: bool,
    /// The places of the used words in the second list.
    used: Vec<usize>,
}

impl WordsMatch {
    /// Returns the match of names of which nothing shows the surname.
    fn of_words(&self, one: usize, other: usize) -> NameMatch {
        match self.worst {
            _ if !self.is_whole => NameMatch::Different,
            _ if one != other => NameMatch::Doubtful,
            WordMatch::Mistyped => NameMatch::Doubtful,
            _ => NameMatch::Likely,
        }
    }
}

/// Assigns a word of the longer list to each word of the shorter one, equal words first. `None` if
/// a word is left.
fn match_words(one: &[&str], other: &[&str]) -> Option<WordsMatch> {
    let is_turned = one.len() > other.len();
    let (short, long) = if is_turned { (other, one) } else { (one, other) };
    let mut pairs = Vec::with_capacity(short.len() * long.len());
    for (n, word) in short.iter().enumerate() {
        for (k, with) in long.iter().enumerate() {
            match match_word(word, with) {
                WordMatch::Different => {}
                fit => pairs.push((fit, n.abs_diff(k), n, k)),
            }
        }
    }
    // Better fits choose first; among equal ones, words in the same place.
    sort_by_key(&mut pairs, |&(fit, apart, n, k)| {
        (std::cmp::Reverse(fit), apart, n, k)
    });
    let mut places: Vec<Option<usize>> = vec![None; short.len()];
    let mut worst = WordMatch::Equal;
    let mut is_whole = false;
    for (fit, _, n, k) in pairs {
        let is_free = !places.contains(&Some(k));
        let Some(place) = places.get_mut(n).filter(|place| place.is_none() && is_free) else {
            continue;
        };
        *place = Some(k);
        worst = worst.min(fit);
        let is_long = short.get(n).is_some_and(|word| word.len() > 1);
        is_whole |= is_long && fit >= WordMatch::Mistyped;
    }
    let assigned = places.into_iter().collect::<Option<Vec<usize>>>()?;
    Some(WordsMatch {
        worst,
        is_whole,
        is_complete: short.len() == long.len(),
        // Each word of the shorter list is used.
        used: if is_turned { (0..short.len()).collect() } else { assigned },
    })
}

fn match_word(a: &str, b: &str) -> WordMatch {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match () {
        () if a == b => WordMatch::Equal,
        // Short words sound alike by chance.
        () if short.len() > 2 && sounds(a) == sounds(b) => WordMatch::Respelled,
        () if is_mistyped(short, long) => WordMatch::Mistyped,
        () if long.starts_with(short) => WordMatch::Beginning,
        () => WordMatch::Different,
    }
}

/// Returns whether few wrong letters, or two transposed ones, turn one word into the other.
fn is_mistyped(short: &str, long: &str) -> bool {
    let limit = match short.len() {
        0..4 => 0,
        4..SharedWords::LONG => 1,
        _ => 2,
    };
    edit_distance(short, long, limit).is_some() || limit > 0 && is_transposed(short, long)
}

/// Returns whether two neighbouring letters are exchanged, and nothing else.
fn is_transposed(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let first = a.iter().zip(b).position(|(a, b)| a != b);
    let Some(n) = first.filter(|_| a.len() == b.len()) else {
        return false;
    };
    a.get(n) == b.get(n + 1) && a.get(n + 1) == b.get(n) && a.get(n + 2..) == b.get(n + 2..)
}

/// Letters that languages write differently, and the spelling that is compared. Longer ones first.
const SPELLINGS: [(&str, &str); 30] = [
    ("schtsch", "s"),
    ("shch", "s"),
    ("tsch", "c"),
    ("dsch", "j"),
    ("tch", "c"),
    ("sch", "s"),
    ("cz", "c"),
    ("sz", "s"),
    ("zh", "s"),
    ("sh", "s"),
    ("ch", "c"),
    ("kh", "c"),
    ("ph", "f"),
    ("th", "t"),
    ("gh", "g"),
    ("ck", "k"),
    ("ts", "z"),
    ("tz", "z"),
    ("dj", "j"),
    ("dz", "z"),
    ("ie", "i"),
    ("iy", "i"),
    ("ij", "i"),
    ("yi", "i"),
    ("ou", "u"),
    ("x", "ks"),
    ("w", "v"),
    ("y", "i"),
    ("j", "i"),
    ("q", "k"),
];

/// Returns a folded word in a form that the spellings of several languages share: `tschigorin` as
/// `cigorin`, like `chigorin`.
pub(crate) fn sounds(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    push_sounds(word, usize::MAX, &mut out);
    out
}

/// Appends at least the first `limit` letters of [`sounds`].
fn push_sounds(word: &str, limit: usize, out: &mut String) {
    let mut rest = word;
    while let Some(letter) = rest.chars().next().filter(|_| out.len() < limit) {
        // Most letters begin no spelling.
        let spelling = match letter {
            'c' | 'd' | 'g' | 'i' | 'j' | 'k' | 'o' | 'p' | 'q' | 's' | 't' | 'w' | 'x' | 'y'
            | 'z' => SPELLINGS
                .iter()
                .find_map(|(from, to)| Some((rest.strip_prefix(from)?, *to))),
            _ => None,
        };
        let one = &mut [0; 4];
        let (after, added) = match spelling {
            Some((after, to)) => (after, to),
            None => (
                rest.get(letter.len_utf8()..).unwrap_or_default(),
                &*letter.encode_utf8(one),
            ),
        };
        // Doubled letters are one.
        if !out.ends_with(added) {
            out.push_str(added);
        }
        rest = after;
    }
}

/// Returns whether two folded titles have the same words but for spellings and wrong letters.
pub(crate) fn match_titles(a: &str, b: &str) -> bool {
    let words = |text| -> Vec<&str> {
        let words = str::split(text, |c: char| !c.is_ascii_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .take(MOST_WORDS)
            .collect()
    };
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    match_words(&words(a), &words(b))
        .is_some_and(|all| all.is_complete && all.is_whole && all.worst >= WordMatch::Mistyped)
}

/// Returns a text that is equal for two folded names exactly if [`match_names`] finds the same words
/// in them. Empty for a name without a surname.
pub(crate) fn words_key(name: &str) -> String {
    let words = Words::parse(name);
    if words.surname.is_empty() {
        String::new()
    } else {
        format!("{}|{}", words.sorted().join(" "), words.marks.join(" "))
    }
}

/// Returns the beginning of the surname, which is mostly equal in all spellings of a name.
pub(crate) fn surname_key(name: &str) -> String {
    let surname = name.split_once(',').map_or(name, |(surname, _)| surname);
    let words = surname.split(|c: char| !c.is_ascii_alphanumeric());
    let is_generation = |word: &str| {
        GENERATIONS
            .iter()
            .any(|(generation, _)| *generation == word)
    };
    let mut longest = "";
    for word in words.take(MOST_WORDS) {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        // Particles such as `van` and `de` are shorter than the name itself.
        if letters.len() > longest.len() && (longest.is_empty() || !is_generation(word)) {
            longest = letters;
        }
    }
    let mut sound = String::with_capacity(KEY_LETTERS + 1);
    push_sounds(longest, KEY_LETTERS, &mut sound);
    sound.truncate(KEY_LETTERS);
    sound
}

/// Returns the given names and the end of the surname. `None` without a full given name.
pub(crate) fn given_key(name: &str) -> Option<String> {
    let words = Words::parse(name);
    let is_full = words.given.iter().any(|word| word.len() > 1);
    let sound = sounds(words.surname.last()?);
    let end = sound.get(sound.len().saturating_sub(3)..)?;
    is_full.then(|| format!("{},{end}", words.given.join(" ")))
}

/// Returns whether two names have surnames so similar that they may be taken for one person's.
pub fn may_be_alike(one: &str, other: &str) -> bool {
    surname_key(&fold_name(one)) == surname_key(&fold_name(other))
}

/// Returns the number of inserted, deleted or changed letters that turn one word into the other.
/// `None` if it is greater than `limit`, or for long words.
pub(crate) fn edit_distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    // The work below is the product of both lengths.
    if long.len() - short.len() > limit || short.len() > 64 {
        return None;
    }
    // A row of the matrix of distances; `corner` is the cell above the left one.
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
    row.last().copied().filter(|cost| *cost <= limit)
}

#[cfg(test)]
mod tests;
