//! Advice about a query that matches no game: names spelled almost like that, and terms to change
//! or leave out.

use chessdb_core::Game;

use crate::expr::{Expr, Term};
use crate::headers::{HeaderTerm, TextField};
use crate::language::{QueryOptions, parse, quoted};
use crate::near_names::{NameSearch, is_word};
use crate::opening_test::OpeningTest;
use crate::syntax::{Form, Item};

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
/// assert_eq!(sentences[0], "no name matches Karpow; did you mean \"Karpov, Anatoly\" (1 game)?");
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Advice {
    terms: Vec<TermAdvice>,
    names: Vec<NameSearch>,
}

/// A query that may be meant instead of one that matches nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Proposal {
    /// The change of the query.
    pub kind: ProposalKind,
    /// The word or term of the query that is changed.
    pub term: String,
    /// The name or term in its place. For [`ProposalKind::Without`], empty.
    pub text: String,
    /// The whole query with the change.
    pub query: String,
    /// The number of games with this name, or that match; `None` if it was not counted.
    pub games: Option<u64>,
}

/// How a proposed query differs from the one that matches nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProposalKind {
    /// A word is spelled like a name of the database.
    Spelling,
    /// A term is replaced by another meaning of the same text.
    Meaning,
    /// A term is left out.
    Without,
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
    /// Other terms that could be meant, and the number of games that match.
    alternatives: Vec<(String, Expr, u64)>,
    /// A term for an opening, if the table of openings has the word.
    opening: Option<String>,
}

/// The number of searches for names. Further terms are seldom the reason.
const MOST_SEARCHES: usize = 4;

/// The number of sentences of one kind.
const SHOWN: usize = 2;

impl Advice {
    pub(crate) fn new(text: &str, options: &QueryOptions) -> Advice {
        let parsed = parse(text, options).map(|parsed| parsed.terms);
        let mut names = Vec::new();
        let mut terms = Vec::new();
        for (n, (text, expr)) in parsed.unwrap_or_default().into_iter().enumerate() {
            let value = value_of(&text);
            NameSearch::add_all(n, &expr, Some(value), &mut names);
            terms.push(TermAdvice {
                alternatives: alternatives(&text, &expr, options),
                opening: opening_term(value, &expr),
                text,
                expr,
                alone: 0,
                others: 0,
            });
        }
        names.truncate(MOST_SEARCHES);
        Advice { terms, names }
    }

    /// Returns whether there can be advice: whether the query has terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
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

    /// Returns other queries that may be meant, the most useful first. Empty if there are none.
    pub fn proposals(&self) -> Vec<Proposal> {
        let mut all = Vec::new();
        for names in self.names.iter().filter(|names| !names.is_found) {
            for (name, field, games) in names.near() {
                let term = format!("{}:{}", key_of(field), quoted(name));
                all.push(Proposal {
                    kind: ProposalKind::Spelling,
                    term: names.text.clone(),
                    text: name.to_owned(),
                    query: self.with_name(names, name, &term),
                    games: (games > 0).then_some(games),
                });
            }
        }
        let never = self.terms.iter().enumerate();
        let never = never.filter(|(_, term)| term.alone == 0);
        let mut others: Vec<(usize, &String, Option<u64>)> = Vec::new();
        for (n, term) in never {
            let found = term.alternatives.iter().filter(|(_, _, games)| *games > 0);
            others.extend(found.map(|(text, _, games)| (n, text, Some(*games))));
            others.extend(term.opening.iter().map(|text| (n, text, None)));
        }
        others.sort_by_key(|(_, _, games)| std::cmp::Reverse(*games));
        for (n, text, games) in others.into_iter().take(SHOWN) {
            all.push(Proposal {
                kind: ProposalKind::Meaning,
                term: self
                    .terms
                    .get(n)
                    .map_or_else(String::new, |term| term.text.clone()),
                text: text.clone(),
                query: self.query_with(n, Some(text)),
                games,
            });
        }
        if self.terms.len() > 1 {
            let kept = self.terms.iter().enumerate();
            let mut kept: Vec<_> = kept.filter(|(_, term)| term.others > 0).collect();
            kept.sort_by_key(|(_, term)| std::cmp::Reverse(term.others));
            for (n, term) in kept.into_iter().take(SHOWN) {
                all.push(Proposal {
                    kind: ProposalKind::Without,
                    term: term.text.clone(),
                    text: String::new(),
                    query: self.query_with(n, None),
                    games: Some(term.others),
                });
            }
        }
        all
    }

    /// Returns the query with this term instead of term `n`.
    fn query_with(&self, n: usize, other: Option<&str>) -> String {
        let texts = self.terms.iter().enumerate();
        let texts = texts.filter_map(|(at, term)| match at == n {
            true => other,
            false => Some(term.text.as_str()),
        });
        texts.collect::<Vec<&str>>().join(" ")
    }

    /// Returns the query with a name of the database instead of the text that is searched. `own` is
    /// the term for it.
    fn with_name(&self, names: &NameSearch, name: &str, own: &str) -> String {
        let Some(term) = self.terms.get(names.of_term) else {
            return String::new();
        };
        let inner = match value_of(&term.text) == names.text {
            true => own.to_owned(),
            false => replaced(&term.text, &names.text, &quoted(name)),
        };
        self.query_with(names.of_term, Some(&inner))
    }

    /// Returns the advice, one sentence each, the most useful first. Empty if there is none.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        let proposals = self.proposals();
        for names in self.names.iter().filter(|names| !names.is_found) {
            let near = names.near().into_iter();
            let near: Vec<String> = near
                .map(|(name, field, count)| match field {
                    TextField::AnyName => format!("the opening \"{name}\""),
                    _ => format!("\"{name}\" ({})", games(count)),
                })
                .collect();
            if !near.is_empty() {
                let (kind, text, near) = (names.kind(), &names.text, near.join(", "));
                all.push(format!("no {kind} matches {text}; did you mean {near}?"));
            }
        }
        for proposal in proposals {
            let Proposal { term, text, .. } = proposal;
            all.extend(match (proposal.kind, proposal.games) {
                (ProposalKind::Spelling, _) => None,
                (ProposalKind::Meaning, None) => {
                    Some(format!("{text} searches the names of all openings"))
                }
                (ProposalKind::Meaning, Some(found)) => {
                    Some(format!("{text} matches {}", games(found)))
                }
                (ProposalKind::Without, found) => Some(format!(
                    "without {term}: {}",
                    games(found.unwrap_or_default())
                )),
            });
        }
        all
    }
}

/// Returns the value of a term, or a word without a key.
fn value_of(text: &str) -> &str {
    let key = text
        .split_once(':')
        .filter(|(key, _)| key.chars().all(|c| c.is_ascii_alphabetic() || c == '!'));
    key.map_or(text, |(_, value)| value)
}

/// Returns the key that searches this field. A name of the table stands for an opening.
fn key_of(field: TextField) -> &'static str {
    match field {
        TextField::Player => "player",
        TextField::White => "white",
        TextField::Black => "black",
        TextField::Event => "event",
        TextField::Site => "site",
        TextField::Round => "round",
        TextField::Annotator => "annotator",
        TextField::Source => "source",
        TextField::AnyName => "opening",
    }
}

/// Returns `text` with `new` instead of each `old`, ignoring case. Ends of words are kept.
fn replaced(text: &str, old: &str, new: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let found = rest.get(..old.len());
        match found.filter(|found| !old.is_empty() && found.eq_ignore_ascii_case(old)) {
            Some(_) => {
                result.push_str(new);
                rest = rest.get(old.len()..).unwrap_or_default();
            }
            None => {
                result.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    result
}

/// Returns a term for an opening that `value` may name although no game was found: names of side
/// lines are not searched without a key.
fn opening_term(value: &str, expr: &Expr) -> Option<String> {
    let Expr::Term(Term::Header(HeaderTerm::Text(TextField::AnyName, tests))) = expr else {
        return None;
    };
    let item = Item {
        name: None,
        text: tests.first()?.folded()?,
        form: Form::Plain,
        span: 0..0,
    };
    let is_there = OpeningTest::read(&item).is_ok_and(|test| test.is_in_table());
    is_there.then(|| format!("opening:{value}"))
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
    let value = value_of(text);
    let (field, keys): (Option<TextField>, &[&str]) = match expr {
        Expr::Term(Term::Header(HeaderTerm::Text(field, _))) => (
            Some(*field),
            match field {
                TextField::Player => &["event", "site", "annotator"],
                TextField::White | TextField::Black => &["player"],
                TextField::Event => &["site"],
                TextField::Site => &["event"],
                _ => &[],
            },
        ),
        // The year may be a part of a name.
        Expr::Term(Term::Header(HeaderTerm::Year(_))) => (None, &["event", "site"]),
        Expr::Any(terms) if is_word(terms) => (Some(TextField::AnyName), &[]),
        _ => return Vec::new(),
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
    let is_any = matches!(field, Some(TextField::Player | TextField::AnyName));
    if let (true, Some((first, joint, second))) = (is_any, both) {
        texts.push(format!("{} {joint} {}", first.trim(), second.trim()));
    }
    let parsed = texts.into_iter().filter_map(|text| {
        let parsed = parse(&text, options).ok()?;
        Some((text, parsed.into_expr(), 0))
    });
    parsed.collect()
}
