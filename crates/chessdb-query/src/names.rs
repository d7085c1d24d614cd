//! Names: their form for comparison, variant spellings of one name, the names of one person, and
//! corrections from lists.

mod persons;

use std::collections::{HashMap, HashSet};

use chessdb_core::{Color, Game};

use crate::fold::{folded, merge_umlauts};
use crate::natural::is_number;
use crate::person::{given_key, match_titles, surname_key};
use crate::spelling::ends;

pub use crate::fold::fold;
pub use crate::person::may_be_alike;
pub use crate::spelling::{Spelling, SpellingFault, Spellings};
pub use persons::{PersonNames, one_person, proved_persons};
use persons::{Sureness, judge_persons};

/// Returns a name in the form used for comparison: folded, with the spellings of umlauts merged,
/// since FIDE writes `ue` for `ü`.
pub(crate) fn fold_name(name: &str) -> String {
    merge_umlauts(&folded(name.trim()))
}

/// Returns the text of a tag without blanks at its ends; empty if it states that the value is
/// unknown: `?`, `??`.
///
/// ```
/// assert_eq!(chessdb_query::names::known_text(" Tal "), "Tal");
/// assert_eq!(chessdb_query::names::known_text("??"), "");
/// ```
pub fn known_text(text: &str) -> &str {
    let text = text.trim();
    if text.bytes().all(|byte| byte == b'?') { "" } else { text }
}

/// Returns whether a folded name is a placeholder for an unknown player.
pub(crate) fn is_unknown_name(folded: &str) -> bool {
    let letters = folded.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    matches!(
        letters,
        "" | "nn" | "n.n" | "n n" | "n. n" | "n, n" | "unknown" | "anonymous"
    )
}

/// Words for a round without an opponent, as pairing programs write them in place of a name.
const BYES: [&str; 13] = [
    "bye",
    "byes",
    "descansa",
    "exempt",
    "exempte",
    "exento",
    "freilos",
    "oneven",
    "pauzuje",
    "riposa",
    "riposo",
    "spielfrei",
    "volno",
];

/// Words that describe a bye.
const BYE_DETAILS: [&str; 11] = [
    "allocated",
    "full",
    "half",
    "pairing",
    "player",
    "point",
    "points",
    "pt",
    "requested",
    "round",
    "zero",
];

/// Returns whether a folded name states that a player has no opponent, such as `half-point bye`.
pub(crate) fn is_bye(folded: &str) -> bool {
    let words = parts(folded);
    let is_known =
        |word: &&str| is_number(word) || BYES.contains(word) || BYE_DETAILS.contains(word);
    words.iter().any(|word| BYES.contains(word)) && words.iter().all(is_known)
        || matches!(
            folded.trim(),
            "no opponent" | "not paired" | "unpaired" | "ohne gegner"
        )
}

/// Returns the side without a player, if a game is a bye: the side is named as a bye, or a game
/// without moves does not name it. `folded` are the folded names, empty if unknown.
pub(crate) fn absent_side(game: &Game, folded: [&str; 2]) -> Option<Color> {
    let is_unplayed = game.mainline().next().is_none();
    match folded.map(|name| is_bye(name) || name.is_empty() && is_unplayed) {
        // The other side must have a player.
        [true, false] => Some(Color::White).filter(|_| !folded[1].is_empty()),
        [false, true] => Some(Color::Black).filter(|_| !folded[0].is_empty()),
        _ => None,
    }
}

/// Returns whether a text is the name of someone or something: not `?`, `??`, `-` or empty.
pub(crate) fn is_named(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// What the games with a name tell about its bearer.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct NameUse {
    /// The number of games.
    pub games: u64,
    /// The first and the last year; 0 if none is known.
    pub years: (u16, u16),
    /// The lowest and the highest rating; 0 if none is known.
    pub elos: (u16, u16),
    /// The numbers in the list of FIDE, each once. Several if bearers share the name.
    pub fide_ids: Vec<u32>,
    /// The names of opponents whose surname is similar, each once: other persons.
    pub met: Vec<String>,
}

impl NameUse {
    /// Returns the statistics of one game. A `year` of 0 is unknown.
    pub fn new(year: u16, elo: Option<u16>) -> NameUse {
        let elo = elo.unwrap_or_default();
        NameUse {
            games: 1,
            years: (year, year),
            elos: (elo, elo),
            ..NameUse::default()
        }
    }

    /// Returns the known names of White and Black in a game, each with its use there.
    pub fn of_players(game: &Game) -> [Option<(String, NameUse)>; 2] {
        NameUse::of_opponents(game, |one, other| {
            may_have_same_words(one, other) || may_be_alike(one, other)
        })
    }

    /// Like [`NameUse::of_players`]; opponents are other persons' names that `may_be_one` person's.
    pub(crate) fn of_opponents(
        game: &Game,
        may_be_one: fn(&str, &str) -> bool,
    ) -> [Option<(String, NameUse)>; 2] {
        let year = game.effective_date().year;
        let used = |color, name: &str, tag| {
            let name = known_text(name);
            (!name.is_empty()).then(|| {
                let mut seen = NameUse::new(year, game.elo(color));
                let number: Option<u32> =
                    game.tag(tag).and_then(|number| number.trim().parse().ok());
                seen.fide_ids.extend(number.filter(|number| *number > 0));
                (name.to_owned(), seen)
            })
        };
        let mut players = [
            used(Color::White, &game.white(), "WhiteFideId"),
            used(Color::Black, &game.black(), "BlackFideId"),
        ];
        if let [Some((one, of_one)), Some((other, of_other))] = &mut players
            // Only names that could be joined need this proof of two persons.
            && (of_one.has_same_fide_id(of_other) == Some(true) || may_be_one(one, other))
        {
            of_one.met.push(other.clone());
            of_other.met.push(one.clone());
        }
        players
    }

    /// Adds other games with the same name.
    pub fn add(&mut self, other: &NameUse) {
        let join = |a: (u16, u16), b: (u16, u16)| match (a, b) {
            ((0, _), range) | (range, (0, _)) => range,
            (a, b) => (a.0.min(b.0), a.1.max(b.1)),
        };
        self.games += other.games;
        self.years = join(self.years, other.years);
        self.elos = join(self.elos, other.elos);
        for number in &other.fide_ids {
            if !self.fide_ids.contains(number) && self.fide_ids.len() < MOST_KEPT {
                self.fide_ids.push(*number);
            }
        }
        for name in &other.met {
            if !self.met.contains(name) && self.met.len() < MOST_KEPT {
                self.met.push(name.clone());
            }
        }
    }

    /// Returns whether years and ratings may be one person's: known values are not too far apart,
    /// and nobody plays for more than a lifetime.
    fn agrees(&self, other: &NameUse) -> bool {
        let apart = |a: (u16, u16), b: (u16, u16)| {
            if a.0 == 0 || b.0 == 0 {
                0
            } else {
                a.0.saturating_sub(b.1).max(b.0.saturating_sub(a.1))
            }
        };
        self.is_in_lifetime(other)
            && apart(self.years, other.years) <= YEARS
            && apart(self.elos, other.elos) <= RATING
    }

    /// Returns whether the years of both are not more than a lifetime.
    fn is_in_lifetime(&self, other: &NameUse) -> bool {
        let (one, other) = (self.years, other.years);
        one.0 == 0 || other.0 == 0 || one.1.max(other.1) - one.0.min(other.0) <= LIFETIME
    }

    /// Compares the numbers of FIDE. `None` if one is unknown.
    fn has_same_fide_id(&self, other: &NameUse) -> Option<bool> {
        let are_known = !self.fide_ids.is_empty() && !other.fide_ids.is_empty();
        are_known.then(|| {
            self.fide_ids
                .iter()
                .any(|number| other.fide_ids.contains(number))
        })
    }
}

/// The kind of the names in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamesAre {
    /// Players or annotators.
    Persons,
    /// Events, sites.
    Titles,
}

/// The largest differences between years and ratings of two spellings of a name.
const YEARS: u16 = 15;
const RATING: u16 = 300;
/// The most years between the first and the last game of a person.
const LIFETIME: u16 = 80;
/// The number of alphabetically following names that a name is compared with.
const NEIGHBOURS: usize = 200;
/// The number of FIDE numbers and opponents that are kept for a name.
const MOST_KEPT: usize = 32;

/// A name that may be a variant spelling of another name in the list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Suggestion {
    /// The index of the name in the list.
    pub name: usize,
    /// The index of the preferred name: among spellings of the same letters the well-formed one,
    /// otherwise the name that occurs in more games or is less abbreviated.
    pub better: usize,
    /// The name without superfluous blanks, if no name of the list has this spelling. Then `better`
    /// is `name` itself.
    pub spelling: Option<String>,
    /// Whether it may also be a spelling of a third name that is not a spelling of `better`.
    pub is_ambiguous: bool,
}

/// Finds names that may be variant spellings of one person's or event's name. What proves two persons
/// prevents a suggestion: other numbers of FIDE, a game against each other, `jr.` or a number in one
/// of the names, years and ratings that are far apart.
///
/// ```
/// use chessdb_query::names::{NameUse, NamesAre, suggest_names};
///
/// let mut often = NameUse::new(1985, Some(2700));
/// often.add(&NameUse::new(1990, Some(2800)));
/// let names = [
///     ("Kasparov, G".to_owned(), NameUse::new(1988, None)),
///     ("Kasparov, Garry".to_owned(), often.clone()),
///     ("Karpov, Anatoly".to_owned(), often),
/// ];
/// let suggestions = suggest_names(&names, NamesAre::Persons);
/// assert_eq!((suggestions.len(), suggestions[0].name, suggestions[0].better), (1, 0, 1));
/// assert!(!suggestions[0].is_ambiguous);
/// ```
pub fn suggest_names(names: &[(String, NameUse)], kind: NamesAre) -> Vec<Suggestion> {
    let folded: Vec<String> = names.iter().map(|(name, _)| fold_name(name)).collect();
    let mut buckets: HashMap<String, Vec<usize>> = HashMap::new();
    let is_person = kind == NamesAre::Persons;
    for (n, (name, (_, seen))) in folded.iter().zip(names).enumerate() {
        let numbers = seen
            .fide_ids
            .iter()
            .filter(|_| is_person)
            .map(|number| format!("#{number}"));
        // A wrong letter at the beginning of the surname changes its key.
        let given = is_person.then(|| given_key(name)).flatten();
        for key in [surname_key(name)].into_iter().chain(given).chain(numbers) {
            buckets.entry(key).or_default().push(n);
        }
    }
    let judge = |a: usize, b: usize| {
        let (one, other) = (names.get(a)?, names.get(b)?);
        let (left, right) = (folded.get(a)?, folded.get(b)?);
        match kind {
            // Spellings of the same words are compared below, in any order of the words.
            _ if sorted_parts(left) == sorted_parts(right) => None,
            NamesAre::Persons => judge_persons((left, one), (right, other)),
            NamesAre::Titles => {
                let is_one = same_numbers(left, right) && match_titles(left, right);
                (is_one && one.1.agrees(&other.1)).then_some(Sureness::Likely)
            }
        }
    };
    let mut judged: HashMap<(usize, usize), Sureness> = HashMap::new();
    for mut bucket in buckets.into_values() {
        // Only neighbours are compared, so similar names must be next to each other.
        bucket.sort_unstable_by_key(|n| folded.get(*n));
        for (index, a) in bucket.iter().enumerate() {
            let near = bucket.get(index + 1..).unwrap_or_default();
            for b in near.iter().take(NEIGHBOURS) {
                if let Some(sureness) = judge(*a, *b) {
                    let worth = |n: usize| {
                        let name = names.get(n);
                        name.map(|(name, seen)| {
                            (
                                is_full(name),
                                seen.games,
                                NameForm::new(name),
                                name.len(),
                                name,
                            )
                        })
                    };
                    let pair = if worth(*a) > worth(*b) { (*b, *a) } else { (*a, *b) };
                    judged.insert(pair, sureness);
                }
            }
        }
    }
    let mut pairs: Vec<(usize, usize)> = judged.keys().copied().collect();
    pairs.extend(respelled(names, &folded));
    pairs.sort_unstable();
    pairs.dedup();
    let mut better = vec![Vec::new(); names.len()];
    for &(worse, one) in &pairs {
        if let Some(all) = better.get_mut(worse) {
            all.push(one);
        }
    }
    // Pairs that form a circle contradict each other: then every name is ambiguous.
    let chain_ends = ends(&better).unwrap_or_default();
    let is_doubtful = |pair| judged.get(&pair) == Some(&Sureness::Doubtful);
    let is_open = |name: usize| chain_ends.get(name).copied().flatten().is_none();
    let mut suggestions: Vec<Suggestion> = pairs
        .into_iter()
        .map(|(name, better)| Suggestion {
            name,
            better,
            spelling: None,
            is_ambiguous: is_open(name) || is_doubtful((name, better)),
        })
        .collect();
    let existing: HashSet<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    for (n, (name, _)) in names.iter().enumerate() {
        let tidy = tidied(name);
        let is_best = better.get(n).is_none_or(Vec::is_empty);
        if tidy != *name && is_best && !existing.contains(tidy.as_str()) {
            suggestions.push(Suggestion {
                name: n,
                better: n,
                spelling: Some(tidy),
                is_ambiguous: false,
            });
        }
    }
    suggestions
}

/// Returns false only if two names have different words, after a comparison of the letters in them,
/// or of the surnames if these are not ASCII.
pub(crate) fn may_have_same_words(one: &str, other: &str) -> bool {
    // An `a` or `e` may be a part of an umlaut.
    let letters = |name: &str| {
        let letters = name.bytes().filter(u8::is_ascii_alphabetic);
        letters.fold(0b10001, |all, letter| {
            all | 1_u32 << ((letter | 0x20) - b'a')
        })
    };
    if one.is_ascii() && other.is_ascii() {
        letters(one) == letters(other)
    } else {
        may_be_alike(one, other)
    }
}

/// Returns whether a name has a given name that is not abbreviated.
fn is_full(name: &str) -> bool {
    let (_, given) = name.split_once(',').unwrap_or(("", name));
    given
        .split(|c: char| !c.is_alphabetic())
        .any(|word| word.chars().count() > 1)
}

/// The form of a name, the better one greater. It decides between spellings of the same letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct NameForm {
    /// No blanks are doubled, at an end or before a comma.
    is_tidy: bool,
    /// Words begin with capitals, and not all letters are capitals.
    has_capitals: bool,
    /// 1 if the surname is first, with a comma; 2 if a blank follows the comma.
    comma: u8,
}

impl NameForm {
    fn new(name: &str) -> NameForm {
        NameForm {
            is_tidy: tidied(name) == name,
            has_capitals: name.starts_with(|c: char| !c.is_lowercase())
                && name.contains(char::is_lowercase),
            comma: u8::from(name.contains(',')) + u8::from(name.contains(", ")),
        }
    }
}

/// Returns a key of a name that is greater for a better form of one person's name.
pub(crate) fn best_form((name, seen): &(String, NameUse)) -> impl Ord + use<> {
    (is_full(name), NameForm::new(name), seen.games, name.clone())
}

/// Returns a name with single blanks, and none at its ends or before a comma.
fn tidied(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").replace(" ,", ",")
}

/// Returns the names that consist of the same words as a better-formed one, each with the best.
fn respelled(names: &[(String, NameUse)], folded: &[String]) -> Vec<(usize, usize)> {
    let mut groups: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
    for (n, name) in folded.iter().enumerate() {
        groups.entry(sorted_parts(name)).or_default().push(n);
    }
    let mut pairs = Vec::new();
    for (words, group) in groups {
        let worth = |n: &usize| {
            let name = names.get(*n);
            name.map(|(name, seen)| (NameForm::new(name), seen.games, name.len(), name))
        };
        let best = group.iter().copied().max_by_key(worth);
        let Some((best, (_, seen))) = best.and_then(|best| Some((best, names.get(best)?))) else {
            continue;
        };
        let others = group
            .iter()
            .copied()
            .filter(|n| *n != best && !words.is_empty());
        let best_name = names.get(best).map(|(name, _)| name);
        let agrees = |n: &usize| {
            names.get(*n).is_some_and(|(name, other)| {
                let have_met = seen.met.contains(name)
                    || best_name.is_some_and(|best| other.met.contains(best));
                !have_met
                    && other
                        .has_same_fide_id(seen)
                        .unwrap_or_else(|| other.agrees(seen))
            })
        };
        pairs.extend(others.filter(agrees).map(|n| (n, best)));
    }
    pairs
}

/// Returns the words of a folded name in alphabetical order.
fn sorted_parts(name: &str) -> Vec<&str> {
    let mut words = parts(name);
    words.sort_unstable();
    words
}

/// Returns whether the words with digits are the same: `Open 2023` and `Open 2024` are two events.
fn same_numbers(a: &str, b: &str) -> bool {
    let numbers = |name| {
        let mut numbers: Vec<&str> = parts(name)
            .into_iter()
            .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
            .collect();
        numbers.sort_unstable();
        numbers
    };
    numbers(a) == numbers(b)
}

/// Returns the words of a folded name.
fn parts(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
