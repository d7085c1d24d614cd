//! Advice about a query that matches no game: names spelled almost like that, and terms to change
//! or leave out.

use std::collections::HashMap;

use chessdb_core::Game;
use chessdb_core::text::TextId;

use crate::expr::{Expr, Term};
use crate::fold::{fold, merge_umlauts};
use crate::headers::{HeaderTerm, TextField};
use crate::language::{QueryOptions, parse};
use crate::names::edit_distance;

/// Collects advice about a query that matches no game of a database, from the headers of that
/// database. Created by [`crate::Query::advice`].
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::Query;
///
/// let query: Query = "Karpow year:1985".parse()?;
/// let mut advice = query.advice();
/// advice.add(&Game::builder().white("Karpov, Anatoly").date("1985.11.09").build());
/// let sentences = advice.sentences();
/// assert_eq!(sentences[0], "no player matches Karpow; did you mean \"Karpov, Anatoly\" (1 game)?");
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Advice {
    terms: Vec<TermAdvice>,
    names: Vec<NameSearch>,
}

/// What is known about one of the terms that must all match.
#[derive(Clone, Debug)]
struct TermAdvice {
    text: String,
    expr: Expr,
    /// The number of games that match this term.
    alone: u64,
    /// The number of games that match all other terms.
    others: u64,
    /// Other queries that could be meant, and the number of games that match.
    alternatives: Vec<(String, Expr, u64)>,
}

/// A search for names that are spelled almost like a text.
#[derive(Clone, Debug)]
struct NameSearch {
    /// The text as written in the query, if it is a term of its own.
    text: String,
    term: HeaderTerm,
    field: TextField,
    /// Whether a game matches.
    is_found: bool,
    wanted: Vec<String>,
    /// The names that were compared: how much each differs, if it is near, and its games.
    seen: HashMap<String, (Option<usize>, u64)>,
}

/// The number of names that are compared.
const MOST_NAMES: usize = 200_000;

/// The number of searches for names. Further terms are seldom the reason.
const MOST_SEARCHES: usize = 4;

/// The number of names in a sentence.
const SHOWN_NAMES: usize = 3;

/// The number of sentences of one kind.
const SHOWN: usize = 2;

impl Advice {
    pub(crate) fn new(text: &str, options: &QueryOptions) -> Advice {
        let terms = parse(text, options).map(|parsed| parsed.terms);
        let mut names = Vec::new();
        let mut of_term = |(text, expr): (String, Expr)| {
            let value = text.split_once(':').map(|(_, value)| value);
            NameSearch::add_all(&expr, value, &mut names);
            TermAdvice {
                alternatives: alternatives(&text, &expr, options),
                text,
                expr,
                alone: 0,
                others: 0,
            }
        };
        let terms = terms.unwrap_or_default();
        let terms = terms.into_iter().map(&mut of_term).collect();
        names.truncate(MOST_SEARCHES);
        Advice { terms, names }
    }

    /// Adds a game of the database, by its header.
    pub fn add(&mut self, game: &Game) {
        let mut buffer = String::new();
        let mut failed = 0;
        let mut last_failed = 0;
        for (n, term) in self.terms.iter_mut().enumerate() {
            match fits(&term.expr, game, &mut buffer) {
                true => term.alone += 1,
                false => (failed, last_failed) = (failed + 1, n),
            }
            if term.alone == 0 {
                for (_, expr, games) in &mut term.alternatives {
                    *games += u64::from(fits(expr, game, &mut buffer));
                }
            }
        }
        for (n, term) in self.terms.iter_mut().enumerate() {
            term.others += u64::from(failed == 0 || failed == 1 && last_failed == n);
        }
        for names in self.names.iter_mut().filter(|names| !names.is_found) {
            names.is_found = names.term.fits(game, &mut buffer);
            names.add(game);
        }
    }

    /// Returns the advice, one sentence each, the most useful first. Empty if there is none.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        for names in self.names.iter().filter(|names| !names.is_found) {
            let near = names.near();
            if !near.is_empty() {
                let (kind, text, near) = (names.kind(), &names.text, near.join(", "));
                all.push(format!("no {kind} matches {text}; did you mean {near}?"));
            }
        }
        let never = self.terms.iter().filter(|term| term.alone == 0);
        let mut others: Vec<_> = never.flat_map(|term| &term.alternatives).collect();
        others.retain(|(_, _, games)| *games > 0);
        others.sort_by_key(|(_, _, games)| std::cmp::Reverse(*games));
        for (text, _, found) in others.into_iter().take(SHOWN) {
            all.push(format!("{text} matches {}", games(*found)));
        }
        if self.terms.len() > 1 {
            let mut kept: Vec<_> = self.terms.iter().filter(|term| term.others > 0).collect();
            kept.sort_by_key(|term| std::cmp::Reverse(term.others));
            for term in kept.into_iter().take(SHOWN) {
                all.push(format!("without {}: {}", term.text, games(term.others)));
            }
        }
        all
    }
}

/// Returns whether the header of a game is sure to match.
fn fits(expr: &Expr, game: &Game, buffer: &mut String) -> bool {
    let result = expr.evaluate(&mut |term| match term {
        Term::Header(term) => Some(term.fits(game, buffer)),
        Term::Moves(_) | Term::Position(_) => None,
    });
    result == Some(true)
}

fn games(count: u64) -> String {
    match count {
        1 => "1 game".to_owned(),
        count => format!("{count} games"),
    }
}

/// Returns other queries that a term about a name could mean. `text` is the term in full.
fn alternatives(text: &str, expr: &Expr, options: &QueryOptions) -> Vec<(String, Expr, u64)> {
    let Expr::Term(Term::Header(HeaderTerm::Text(field, _))) = expr else {
        return Vec::new();
    };
    let Some((_, value)) = text.split_once(':') else {
        return Vec::new();
    };
    let keys: &[&str] = match field {
        TextField::Player => &["event", "site", "annotator"],
        TextField::White | TextField::Black => &["player"],
        TextField::Event => &["site"],
        TextField::Site => &["event"],
        _ => &[],
    };
    let mut texts: Vec<String> = keys.iter().map(|key| format!("{key}:{value}")).collect();
    let name = value.trim_matches('"');
    let both = name
        .split_once('-')
        .map(|(first, second)| (first, "vs", second))
        .or_else(|| {
            name.split_once(',')
                .map(|(first, second)| (first, "or", second))
        });
    if let (TextField::Player, Some((first, joint, second))) = (field, both) {
        texts.push(format!("{} {joint} {}", first.trim(), second.trim()));
    }
    let parsed = texts.into_iter().filter_map(|text| {
        let parsed = parse(&text, options).ok()?;
        Some((text, parsed.into_expr(), 0))
    });
    parsed.collect()
}

impl NameSearch {
    /// Adds searches for the names that `expr` needs. `value` is the text of the term if there is
    /// only one.
    fn add_all(expr: &Expr, value: Option<&str>, names: &mut Vec<NameSearch>) {
        match expr {
            Expr::All(terms) | Expr::Any(terms) => terms
                .iter()
                .for_each(|term| NameSearch::add_all(term, None, names)),
            Expr::Term(Term::Header(term)) => names.extend(NameSearch::of(term, value)),
            Expr::Not(_) | Expr::Term(_) => {}
        }
    }

    fn of(term: &HeaderTerm, value: Option<&str>) -> Option<NameSearch> {
        let HeaderTerm::Text(field, tests) = term else {
            return None;
        };
        let [test] = tests.as_slice() else {
            return None;
        };
        let folded = test.folded()?;
        let wanted = words(&folded);
        (!wanted.is_empty()).then(|| NameSearch {
            text: value.map_or(folded, str::to_owned),
            term: term.clone(),
            field: *field,
            is_found: false,
            wanted,
            seen: HashMap::new(),
        })
    }

    fn kind(&self) -> &'static str {
        match self.field {
            TextField::White => "player with White",
            TextField::Black => "player with Black",
            TextField::Event => "event",
            TextField::Site => "site",
            TextField::Annotator => "annotator",
            _ => "player",
        }
    }

    fn add(&mut self, game: &Game) {
        let header = &game.header;
        let (white, black) = (header.white.name.text, header.black.name.text);
        let ids = match self.field {
            TextField::Player => [white, black],
            TextField::White => [white, TextId::NONE],
            TextField::Black => [black, TextId::NONE],
            TextField::Event => [header.event.text, TextId::NONE],
            TextField::Site => [header.site.text, TextId::NONE],
            TextField::Annotator => [header.annotator.text, TextId::NONE],
            TextField::Round | TextField::Source => return,
        };
        for id in ids.into_iter().filter(|id| id.is_some()) {
            let name = game.text(id).decode();
            if let Some((_, games)) = self.seen.get_mut(&*name) {
                *games += 1;
            } else if self.seen.len() < MOST_NAMES {
                let difference = difference(&self.wanted, &words(&name));
                self.seen.insert(name.into_owned(), (difference, 1));
            }
        }
    }

    /// Returns the nearest names with their numbers of games.
    fn near(&self) -> Vec<String> {
        let near = self.seen.iter();
        let near =
            near.filter_map(|(name, (difference, games))| Some(((*difference)?, games, name)));
        let mut near: Vec<(usize, &u64, &String)> = near.collect();
        near.sort_by_key(|&(difference, games, name)| {
            (difference, std::cmp::Reverse(games), name.clone())
        });
        let best = near.first().map(|(difference, ..)| *difference);
        let near = near
            .into_iter()
            .take_while(|(difference, ..)| Some(*difference) == best)
            .take(SHOWN_NAMES);
        near.map(|(_, count, name)| format!("\"{name}\" ({})", games(*count)))
            .collect()
    }
}

/// Returns the folded words of a name, with umlauts merged.
fn words(name: &str) -> Vec<String> {
    let (mut folded, mut merged) = (String::new(), String::new());
    fold(name, &mut folded);
    merge_umlauts(&folded, &mut merged);
    let words = merged.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the number of letters in which a name differs from a text. `None` if it is not near.
fn difference(wanted: &[String], name: &[String]) -> Option<usize> {
    let of_word = |(n, word): (usize, &String)| {
        let most = match word.len() {
            0..3 => 0,
            3..5 => 1,
            5..9 => 2,
            _ => 3,
        };
        let of_pair = |other: &String| match other.len() {
            // An initial, if a longer word is equal.
            1 if n > 0 && word.starts_with(other.as_str()) => Some(1),
            _ if other.starts_with(word.as_str()) => Some(0),
            _ => edit_distance(word, other, most),
        };
        name.iter().filter_map(of_pair).min()
    };
    let by_words: Option<usize> = wanted.iter().enumerate().map(of_word).sum();
    // A blank or hyphen more or less.
    let (wanted, name) = (wanted.concat(), name.concat());
    by_words.or_else(|| name.starts_with(&wanted).then_some(1))
}
