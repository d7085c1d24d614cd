//! Search for names of a database that are spelled almost like a text.

use std::collections::{HashMap, HashSet};

use chessdb_core::Game;
use chessdb_core::model::NameRole;
use chessdb_core::sorting::sort_by_key;

use crate::expr::{Expr, Term};
use crate::headers::{HeaderTerm, TextField, spelled};
use crate::names::fold_name;
use crate::opening_test::nearest_opening_word;
use crate::person::edit_distance;
use crate::syntax::TextTest;

/// The number of names that are compared.
const MOST_NAMES: usize = 200_000;

/// The number of names that are proposed. A caller that counts their games shows the first.
const SHOWN_NAMES: usize = 8;

/// A search for names that are spelled almost like a text.
#[derive(Clone, Debug)]
pub(crate) struct NameSearch {
    /// The index of the term that contains the text.
    pub(crate) of_term: usize,
    /// The text as written in the query, if it is a term of its own.
    pub(crate) text: String,
    pub(crate) term: HeaderTerm,
    field: TextField,
    /// Whether a game matches.
    pub(crate) is_found: bool,
    wanted: Vec<String>,
    /// The letters of the first word, and how many of them a near name may lack.
    letters: (u32, u32),
    /// The names that were compared: how much each differs, if it is near, its games and its kind.
    seen: HashMap<String, (Option<usize>, u64, TextField)>,
}

impl NameSearch {
    /// Adds searches for the names that `expr` needs. `value` is the text of the term if there is
    /// only one.
    pub(crate) fn add_all(
        of_term: usize,
        expr: &Expr,
        value: Option<&str>,
        names: &mut Vec<NameSearch>,
    ) {
        match expr {
            Expr::Any(terms) if is_word(terms) => {
                // A word that may also be an opening.
                if let Some(name) = terms.first() {
                    NameSearch::add_all(of_term, name, value, names);
                }
            }
            Expr::All(terms) | Expr::Any(terms) => terms
                .iter()
                .for_each(|term| NameSearch::add_all(of_term, term, None, names)),
            Expr::Term(Term::Header(term)) => {
                names.extend(NameSearch::from_term(of_term, term, value))
            }
            Expr::Not(_) | Expr::Term(_) => {}
        }
    }

    fn from_term(of_term: usize, term: &HeaderTerm, value: Option<&str>) -> Option<NameSearch> {
        let HeaderTerm::Text(field, tests) = term else {
            return None;
        };
        let [test] = tests.as_slice() else {
            return None;
        };
        let folded = test.folded()?;
        let wanted = words(&folded);
        let first = wanted.first()?;
        let letters = (letters(first), allowed(first) as u32);
        Some(NameSearch {
            letters,
            of_term,
            text: value.map_or(folded, str::to_owned),
            term: term.clone(),
            field: *field,
            is_found: false,
            wanted,
            seen: HashMap::new(),
        })
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self.field {
            TextField::White => "player with White",
            TextField::Black => "player with Black",
            TextField::Event => "event",
            TextField::Site => "site",
            TextField::Annotator => "annotator",
            TextField::AnyName => "name",
            _ => "player",
        }
    }

    pub(crate) fn add(&mut self, game: &Game) {
        let header = &game.header;
        let (white, black) = (header.white.name.text, header.black.name.text);
        let (event, site) = (header.event.text, header.site.text);
        let annotator = header.annotator.text;
        let fields = [
            (TextField::Player, white),
            (TextField::Player, black),
            (TextField::White, white),
            (TextField::Black, black),
            (TextField::Event, event),
            (TextField::Site, site),
            (TextField::Annotator, annotator),
        ];
        for (field, id) in fields {
            let is_searched = match self.field {
                TextField::AnyName => !matches!(field, TextField::White | TextField::Black),
                searched => searched == field,
            };
            if !is_searched || id.is_none() {
                continue;
            }
            let name = game.text(id).decode();
            if let Some((_, games, _)) = self.seen.get_mut(&*name) {
                *games += 1;
            } else if self.seen.len() < MOST_NAMES {
                let difference = self.difference(&name);
                self.seen.insert(name.into_owned(), (difference, 1, field));
            }
        }
    }

    /// Adds a name of a name table, which does not contain the number of its games. With `finds`, a
    /// name that matches itself is noticed.
    pub(crate) fn add_name(&mut self, role: NameRole, name: &str, finds: bool) {
        use TextField::{Annotator, AnyName, Black, Event, Player, Site, White};
        let field = match (role, self.field) {
            (NameRole::Player, field @ (Player | White | Black)) => field,
            (NameRole::Player, AnyName) => Player,
            (NameRole::Event, Event | AnyName) => Event,
            (NameRole::Site, Site | AnyName) => Site,
            (NameRole::Annotator, Annotator | AnyName) => Annotator,
            _ => return,
        };
        // `is_own` is slow, and one match is enough.
        self.is_found |= finds && !self.is_found && self.is_own(name);
        if let Some(difference) = self.difference(name) {
            self.seen
                .insert(name.to_owned(), (Some(difference), 0, field));
        }
    }

    /// Returns the number of letters in which a name differs from the text. `None` if it is not
    /// near.
    fn difference(&self, name: &str) -> Option<usize> {
        let (wanted, allowed) = self.letters;
        let lacks = (wanted & !letters(name)).count_ones();
        // Most names lack too many letters to be compared word by word.
        if name.is_ascii() && lacks > allowed {
            None
        } else {
            difference(&self.wanted, &words(name))
        }
    }

    /// Forgets the numbers of games, since not all games were read.
    pub(crate) fn forget_counts(&mut self) {
        self.seen.values_mut().for_each(|(_, games, _)| *games = 0);
    }

    /// Returns whether a name is found by the text itself.
    fn is_own(&self, name: &str) -> bool {
        match &self.term {
            HeaderTerm::Text(_, tests) => {
                // The quick test is right only for ASCII names.
                let may_fit = |test: &TextTest| test.may_be_in(name.as_bytes());
                (!name.is_ascii() || tests.iter().any(may_fit))
                    && spelled(name, tests, &mut String::new())
            }
            _ => false,
        }
    }

    /// Returns the nearest names with their fields and numbers of games. A word of an opening has
    /// [`TextField::AnyName`].
    pub(crate) fn near(&self) -> Vec<(&str, TextField, u64)> {
        let mut near: Vec<(usize, u64, &str, TextField)> = self
            .seen
            .iter()
            .filter_map(|(name, (difference, games, field))| {
                Some(((*difference)?, *games, name.as_str(), *field))
            })
            .filter(|(_, _, name, _)| !self.is_own(name))
            .collect();
        let best = near.iter().map(|(difference, ..)| *difference).min();
        if let (TextField::AnyName, [word]) = (self.field, self.wanted.as_slice())
            && let Some((name, difference)) = nearest_opening_word(word)
            && difference > 0
            && best.is_none_or(|best| difference < best)
        {
            near.push((difference, 0, name, TextField::AnyName));
        }
        // Players first, and short names, where the numbers of games are unknown.
        sort_by_key(&mut near, |&(difference, games, name, field)| {
            let is_other = !matches!(
                field,
                TextField::Player | TextField::White | TextField::Black
            );
            (
                difference,
                std::cmp::Reverse(games),
                is_other,
                name.len(),
                name,
            )
        });
        let best = near.first().map(|(difference, ..)| *difference);
        let mut shown = HashSet::new();
        near.into_iter()
            .take_while(|(difference, ..)| Some(*difference) == best)
            // One person's name with and without blanks and dots is shown once.
            .filter(|(_, _, name, _)| shown.insert(words(name)))
            .take(SHOWN_NAMES)
            .map(|(_, count, name, field)| (name, field, count))
            .collect()
    }
}

/// Returns whether alternatives are the conditions of one word: in a name, or in an opening.
pub(crate) fn is_word(terms: &[Expr]) -> bool {
    let is = |expr: &Expr, test: fn(&HeaderTerm) -> bool| match expr {
        Expr::Term(Term::Header(term)) => test(term),
        _ => false,
    };
    let is_name = |expr| {
        is(expr, |term| {
            matches!(term, HeaderTerm::Text(TextField::AnyName, _))
        })
    };
    let is_opening = |expr| is(expr, |term| matches!(term, HeaderTerm::Opening(_)));
    match terms {
        [name, Expr::Any(opening)] => is_name(name) && opening.first().is_some_and(is_opening),
        _ => false,
    }
}

/// Returns the folded words of a name, with umlauts merged.
fn words(name: &str) -> Vec<String> {
    fold_name(name)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the set of the Latin letters of a text.
fn letters(text: &str) -> u32 {
    let bit = |byte: u8| match byte | 0x20 {
        letter @ b'a'..=b'z' => 1 << (letter - b'a'),
        _ => 0,
    };
    text.bytes().map(bit).fold(0, |all, bit| all | bit)
}

/// Returns the number of letters in which a word may differ from one that is near.
fn allowed(word: &str) -> usize {
    // In a short word, one changed letter makes another word.
    match word.len() {
        0..3 => 0,
        3..5 => 1,
        5..9 => 2,
        _ => 3,
    }
}

/// Returns the number of letters in which a name differs from a text. `None` if it is not near.
fn difference(wanted: &[String], name: &[String]) -> Option<usize> {
    let of_word = |(n, word): (usize, &String)| {
        let limit = allowed(word);
        let of_pair = |other: &String| match other.len() {
            // An initial, if a longer word is equal.
            1 if n > 0 && word.starts_with(other.as_str()) => Some(1),
            _ if other.starts_with(word.as_str()) => Some(0),
            _ => edit_distance(word, other, limit),
        };
        name.iter().filter_map(of_pair).min()
    };
    let by_words: Option<usize> = wanted.iter().enumerate().map(of_word).sum();
    // A blank or hyphen more or less.
    let (wanted, name) = (wanted.concat(), name.concat());
    by_words.or_else(|| name.starts_with(&wanted).then_some(1))
}
