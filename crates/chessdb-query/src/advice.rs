//! What can be said about a query after a search: other queries that may be meant if no game
//! matches ([`Advice`]), the kinds of values that contain its words ([`WordCounts`]), and the names
//! for which abbreviated ones stand ([`NameSpellings`]).

use chessdb_core::sorting::sort_by_key;
use chessdb_core::{BaseInfo, Game};

use crate::endings::Ending;
use crate::expr::{Expr, Term};
use crate::headers::{HeaderTerm, TextField};
use crate::language::{QueryOptions, parse, quoted};
use crate::near_names::{NameSearch, is_word};
use crate::opening_test::OpeningTest;
use crate::syntax::{Form, Item};

pub use crate::name_spellings::NameSpellings;
pub use crate::words::{KindCount, WordCount, WordCounts, WordKind};

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
    /// Whether all games were added, so that numbers are true.
    is_counted: bool,
    /// Whether the name tables of the database were added.
    knows_names: bool,
    /// Whether names are proposed that are near to one that games have.
    names_are_rare: bool,
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
    /// The kind of the name that is searched, such as `player with White`.
    subject: &'static str,
    /// Whether `text` is a term for an opening or an ending. Their games are not counted.
    needs_moves: bool,
}

impl Proposal {
    /// Returns whether the text is about an opening or an ending. Their games are not counted.
    pub fn needs_moves(&self) -> bool {
        self.needs_moves
    }
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
    /// A term for an opening or an ending, if the word is one.
    moves_term: Option<String>,
}

/// The number of searches for names. Further terms are seldom the reason.
const MOST_SEARCHES: usize = 4;

/// The number of names between two looks at the clock.
const NAMES_AT_ONCE: usize = 64;
/// The key of terms about the end of a game.
const ENDING_KEY: &str = "ending:";
/// The number of sentences of one kind.
const SHOWN: usize = 2;

impl Advice {
    pub(crate) fn new(text: &str, options: &QueryOptions) -> Advice {
        let parsed = parse(text, options).map(|parsed| parsed.terms);
        let (mut names, mut terms) = (Vec::new(), Vec::new());
        for (n, (text, expr)) in parsed.unwrap_or_default().into_iter().enumerate() {
            let value = value_of(&text);
            NameSearch::add_all(n, &expr, Some(value), &mut names);
            terms.push(TermAdvice {
                alternatives: alternatives(&text, &expr, options),
                moves_term: moves_term(value, &expr),
                text,
                expr,
                alone: 0,
                others: 0,
            });
        }
        names.truncate(MOST_SEARCHES);
        Advice {
            terms,
            names,
            is_counted: true,
            knows_names: false,
            names_are_rare: false,
        }
    }

    /// Also proposes names that are near to one that games have, for a query that few games match.
    pub fn with_rare_names(mut self) -> Advice {
        self.names_are_rare = true;
        self
    }

    /// Returns whether there is no advice: no term is about the header.
    pub fn is_empty(&self) -> bool {
        let mut is_header = |term: &Term| matches!(term, Term::Header(_));
        !self.terms.iter().any(|term| term.expr.has(&mut is_header))
    }

    /// Adds the name tables of a database, as long as `has_time` returns true. Its games are not
    /// counted then: call [`Advice::forget_counts`] too.
    pub fn add_names(&mut self, base: &BaseInfo, mut has_time: impl FnMut() -> bool) {
        let has_other_terms = self.terms.len() > 1;
        for table in &base.names {
            for records in table.records.chunks(NAMES_AT_ONCE) {
                if !has_time() {
                    return;
                }
                for record in records {
                    let name = base.texts.get(record.text).decode();
                    let searches = self.names.iter_mut();
                    searches.for_each(|search| search.add_name(table.role, &name, has_other_terms));
                }
            }
        }
        self.knows_names = !base.names.is_empty();
    }

    /// Forgets the numbers of games, because only a part of the database was added.
    /// [`Proposal::games`] is then `None`, and the caller counts the games of proposals that are
    /// useless without a number.
    pub fn forget_counts(&mut self) {
        self.is_counted = false;
        self.names.iter_mut().for_each(NameSearch::forget_counts);
    }

    /// Returns whether the query searches for names, so that others may be near.
    pub fn searches_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Adds a game of the database, by its header.
    pub fn add(&mut self, game: &Game) {
        let mut buffer = String::new();
        let (mut failed, mut last_failed) = (0, 0);
        for (n, term) in self.terms.iter_mut().enumerate() {
            if fits(&term.expr, game, &mut buffer) {
                term.alone += 1;
            } else {
                (failed, last_failed) = (failed + 1, n);
            }
            // A term that some game matches needs no other meaning.
            if term.alone == 0 {
                for (_, expr, games) in &mut term.alternatives {
                    *games += u64::from(fits(expr, game, &mut buffer));
                }
            }
        }
        // A game that fails one term alone would match without this term.
        for (n, term) in self.terms.iter_mut().enumerate() {
            term.others += u64::from(failed == 0 || failed == 1 && last_failed == n);
        }
        for names in &mut self.names {
            if !names.is_found || self.names_are_rare {
                names.is_found |= names.term.fits(game, &mut buffer);
                names.add(game);
            }
        }
    }

    /// Returns other queries that may be meant, the most useful first. Empty if there are none.
    pub fn proposals(&self) -> Vec<Proposal> {
        let mut all = Vec::new();
        // Among several terms, one about a name that was not reached may match.
        let is_sure = self.is_counted || self.knows_names || self.terms.len() == 1;
        let missing = |names: &&NameSearch| !names.is_found || self.names_are_rare;
        for names in self.names.iter().filter(missing).filter(|_| is_sure) {
            for (name, field, games) in names.near() {
                let term = format!("{}:{}", key_of(field), quoted(name));
                all.push(Proposal {
                    kind: ProposalKind::Spelling,
                    term: names.text.clone(),
                    text: name.to_owned(),
                    query: self.with_name(names, name, &term),
                    games: (games > 0).then_some(games),
                    subject: names.kind(),
                    needs_moves: field == TextField::AnyName,
                });
            }
        }
        let terms = self.terms.iter().enumerate();
        let never = terms.filter(|(_, term)| !self.is_counted || term.alone == 0);
        let mut others: Vec<(usize, &String, Option<u64>)> = Vec::new();
        for (n, term) in never {
            let possible = term
                .alternatives
                .iter()
                .filter(|(_, _, games)| !self.is_counted || *games > 0);
            let count = |games: u64| self.is_counted.then_some(games);
            others.extend(possible.map(|(text, _, games)| (n, text, count(*games))));
            others.extend(term.moves_term.iter().map(|text| (n, text, None)));
        }
        sort_by_key(&mut others, |(_, _, games)| std::cmp::Reverse(*games));
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
                subject: "",
                needs_moves: games.is_none()
                    && (text.starts_with("opening:") || text.starts_with(ENDING_KEY)),
            });
        }
        if self.terms.len() > 1 {
            let is_useful = |term: &TermAdvice| !self.is_counted || term.others > 0;
            let mut useful: Vec<_> = self
                .terms
                .iter()
                .enumerate()
                .filter(|(_, term)| is_useful(term))
                .collect();
            sort_by_key(&mut useful, |(_, term)| std::cmp::Reverse(term.others));
            for (n, term) in useful.into_iter().take(SHOWN) {
                all.push(Proposal {
                    kind: ProposalKind::Without,
                    term: term.text.clone(),
                    text: String::new(),
                    query: self.query_with(n, None),
                    games: self.is_counted.then_some(term.others),
                    subject: "",
                    needs_moves: false,
                });
            }
        }
        all
    }

    /// Returns the query with this term instead of term `n`.
    fn query_with(&self, n: usize, other: Option<&str>) -> String {
        let texts: Vec<&str> = self
            .terms
            .iter()
            .enumerate()
            .filter_map(|(index, term)| if index == n { other } else { Some(term.text.as_str()) })
            .collect();
        texts.join(" ")
    }

    /// Returns the query with a name of the database instead of the text that is searched. `own` is
    /// the term for it.
    fn with_name(&self, names: &NameSearch, name: &str, own: &str) -> String {
        let Some(term) = self.terms.get(names.of_term) else {
            return String::new();
        };
        let inner = if value_of(&term.text) == names.text {
            own.to_owned()
        } else {
            replaced(&term.text, &names.text, &quoted(name))
        };
        self.query_with(names.of_term, Some(&inner))
    }

    /// Returns the advice, one sentence each, the most useful first. Empty if there is none.
    pub fn sentences(&self) -> Vec<String> {
        Advice::sentences_of(&self.proposals())
    }

    /// Returns a sentence for each proposal, and one for all proposals about one spelling. A proposal
    /// has no number if its games were not counted.
    pub fn sentences_of(proposals: &[Proposal]) -> Vec<String> {
        let mut all = Vec::new();
        let is_spelling = |one: &&Proposal| one.kind == ProposalKind::Spelling;
        let spellings: Vec<&Proposal> = proposals.iter().filter(is_spelling).collect();
        for same in spellings.chunk_by(|a, b| (a.subject, &a.term) == (b.subject, &b.term)) {
            let names = same.iter().map(|one| match (one.needs_moves, one.games) {
                (true, _) => format!("the opening \"{}\"", one.text),
                (false, Some(count)) => format!("\"{}\" ({})", one.text, games(count)),
                (false, None) => format!("\"{}\"", one.text),
            });
            let near = names.collect::<Vec<String>>().join(", ");
            if let Some(Proposal { subject, term, .. }) = same.first() {
                all.push(format!("no {subject} matches {term}; did you mean {near}?"));
            }
        }
        for Proposal {
            kind,
            term,
            text,
            games: count,
            ..
        } in proposals
        {
            all.extend(match (kind, count) {
                (ProposalKind::Spelling, _) => None,
                (ProposalKind::Meaning, None) if text.starts_with(ENDING_KEY) => {
                    Some(format!("{text} searches games that end so"))
                }
                (ProposalKind::Meaning, None) => {
                    Some(format!("{text} searches the names of all openings"))
                }
                (ProposalKind::Meaning, Some(count)) => {
                    Some(format!("{text} matches {}", games(*count)))
                }
                (ProposalKind::Without, count) => Some(format!(
                    "without {term}: {}",
                    games(count.unwrap_or_default())
                )),
            });
        }
        all
    }

    /// Returns a sentence for each name that few games have, with names that are spelled almost
    /// alike and that more games have.
    pub fn rare_sentences(proposals: &[Proposal], matches: u64) -> Vec<String> {
        let is_more = |games: u64| games > matches;
        let more: Vec<&Proposal> = proposals
            .iter()
            .filter(|one| one.kind == ProposalKind::Spelling && one.games.is_some_and(is_more))
            .collect();
        let sentences = more.chunk_by(|a, b| a.term == b.term).filter_map(|same| {
            let names = same.iter().map(|one| {
                let count = games(one.games.unwrap_or_default());
                format!("\"{}\" ({count})", one.text)
            });
            let near = names.collect::<Vec<String>>().join(", ");
            let (term, matching) = (&same.first()?.term, games(matches));
            Some(format!(
                "{matching} found with {term}; did you also mean {near}?"
            ))
        });
        sentences.collect()
    }
}

/// Returns the value of a term, or a word without a key.
fn value_of(text: &str) -> &str {
    let key = text
        .split_once(':')
        .filter(|(key, _)| key.chars().all(|c| c.is_ascii_alphabetic() || c == '!'));
    key.map_or(text, |(_, value)| value)
}

/// Returns the key that searches this field; `opening` for a name of the table of openings.
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
        // An empty `old` would match forever.
        let start = rest.get(..old.len());
        match start.filter(|start| !old.is_empty() && start.eq_ignore_ascii_case(old)) {
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

/// Returns a term for an ending or an opening that `value` may name although no game matches:
/// endings and names of side lines are not searched without a key.
fn moves_term(value: &str, expr: &Expr) -> Option<String> {
    let Expr::Term(Term::Header(HeaderTerm::Text(TextField::AnyName, tests))) = expr else {
        return None;
    };
    if Ending::read(tests.first()?.folded()?.trim()).is_ok() {
        return Some(format!("{ENDING_KEY}{value}"));
    }
    let item = Item {
        name: None,
        text: tests.first()?.folded()?,
        form: Form::Plain,
        span: 0..0,
    };
    let test = OpeningTest::read(&item).ok()?;
    test.is_in_table().then(|| format!("opening:{value}"))
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
    // A month with a hyphen may be a season, so it is no date without a key.
    if let (Some(TextField::AnyName), Some((year, month))) = (field, name.split_once('-'))
        && year.len() == 4
        && [year, month].iter().all(|part| part.parse::<u16>().is_ok())
    {
        texts.push(format!("date:{name}"));
    }
    let is_any = matches!(field, Some(TextField::Player | TextField::AnyName));
    if let (true, Some((first, second))) = (is_any, name.split_once('-')) {
        texts.push(format!("{} vs {}", first.trim(), second.trim()));
    } else if is_any && name.contains(',') {
        let names = name.split(',').map(str::trim);
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        texts.push(names.join(" or "));
    }
    let parsed = texts.into_iter().filter_map(|text| {
        let parsed = parse(&text, options).ok()?;
        Some((text, parsed.into_expr(), 0))
    });
    parsed.collect()
}
