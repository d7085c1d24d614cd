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
use crate::syntax::TextTest;

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
    names: Option<NameSearch>,
    /// Other queries that could be meant, and the number of games that match.
    alternatives: Vec<(String, Expr, u64)>,
}

/// A search for names that are spelled almost like a text.
#[derive(Clone, Debug)]
struct NameSearch {
    field: TextField,
    wanted: Vec<String>,
    /// The names that were compared: how much each differs, if it is near, and its games.
    seen: HashMap<String, (Option<usize>, u64)>,
}

/// The number of names that are compared.
const MOST_NAMES: usize = 200_000;

/// The number of terms with a search for names. The others are seldom the reason.
const MOST_SEARCHES: usize = 4;

/// The number of names in a sentence.
const SHOWN_NAMES: usize = 3;

/// The number of sentences of one kind.
const SHOWN: usize = 2;

impl Advice {
    pub(crate) fn new(text: &str, options: &QueryOptions) -> Advice {
        let terms = parse(text, options).map(|parsed| parsed.terms);
        let mut searches = MOST_SEARCHES;
        let terms = terms.unwrap_or_default().into_iter().map(|(text, expr)| {
            let names = NameSearch::of(&expr).filter(|_| searches > 0);
            searches -= usize::from(names.is_some());
            let alternatives = match &names {
                Some(names) => alternatives(&text, names.field, options),
                None => Vec::new(),
            };
            TermAdvice {
                text,
                expr,
                alone: 0,
                others: 0,
                names,
                alternatives,
            }
        });
        Advice {
            terms: terms.collect(),
        }
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
            if term.alone > 0 {
                continue;
            }
            if let Some(names) = &mut term.names {
                names.add(game);
            }
            for (_, expr, games) in &mut term.alternatives {
                *games += u64::from(fits(expr, game, &mut buffer));
            }
        }
        for (n, term) in self.terms.iter_mut().enumerate() {
            term.others += u64::from(failed == 0 || failed == 1 && last_failed == n);
        }
    }

    /// Returns the advice, one sentence each, the most useful first. Empty if there is none.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        let never = || self.terms.iter().filter(|term| term.alone == 0);
        for term in never() {
            let names = term
                .names
                .as_ref()
                .map(NameSearch::near)
                .unwrap_or_default();
            if let (false, Some((key, value))) = (names.is_empty(), term.text.split_once(':')) {
                let kind = match key {
                    "event" | "site" | "annotator" => key,
                    "white" => "player with White",
                    "black" => "player with Black",
                    _ => "player",
                };
                let names = names.join(", ");
                all.push(format!("no {kind} matches {value}; did you mean {names}?"));
            }
        }
        let mut others: Vec<_> = never().flat_map(|term| &term.alternatives).collect();
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
fn alternatives(text: &str, field: TextField, options: &QueryOptions) -> Vec<(String, Expr, u64)> {
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
    /// Returns the search for a term that is one text of a header.
    fn of(expr: &Expr) -> Option<NameSearch> {
        let Expr::Term(Term::Header(HeaderTerm::Text(field, tests))) = expr else {
            return None;
        };
        let folded: Option<Vec<String>> = tests.iter().map(TextTest::folded).collect();
        let wanted = words(&folded?.join(" "));
        (!wanted.is_empty() && tests.len() == 1).then(|| NameSearch {
            field: *field,
            wanted,
            seen: HashMap::new(),
        })
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
    let of_word = |word: &String| {
        let most = match word.len() {
            0..3 => 0,
            3..5 => 1,
            5..9 => 2,
            _ => 3,
        };
        let of_pair = |other: &String| match other.len() {
            // An initial.
            1 if word.starts_with(other.as_str()) => Some(1),
            _ if other.starts_with(word.as_str()) => Some(0),
            _ => edit_distance(word, other, most),
        };
        name.iter().filter_map(of_pair).min()
    };
    let by_words: Option<usize> = wanted.iter().map(of_word).sum();
    // A blank or hyphen more or less.
    let (wanted, name) = (wanted.concat(), name.concat());
    by_words.or_else(|| name.starts_with(&wanted).then_some(1))
}
