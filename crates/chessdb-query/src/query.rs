//! Queries and their results.

use std::fmt;
use std::str::FromStr;

use chessdb_core::search::Signature;
use chessdb_core::{BaseInfo, Board, Game, PackedMove};

use crate::advice::Advice;
use crate::expr::{Expr, Term};
use crate::headers::HeaderTerm;
use crate::language::{ParsedQuery, QueryOptions, is_date_term, parse};
use crate::name_spellings::NameSpellings;
use crate::position::{Hit, PositionCondition};
use crate::prefilter::Prefilter;
use crate::search::{Match, PositionSearch, Verdict};
use crate::syntax::{Form, QueryError, TokenKind, begins_line, is_position, known_key, tokens};
use crate::words::{PlainWord, WordCounts};

/// A query for the games of a database.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::Query;
///
/// let query: Query = "Tal year:1957..1961 -result:0-1".parse()?;
/// let game = Game::builder().white("Tal, Mihail").date("1959.09.07").build();
/// assert!(query.matches(&game));
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Query {
    text: String,
    /// The text in full, and explanations of parts that could mean two things.
    canonical: String,
    notes: Vec<String>,
    words: Vec<PlainWord>,
    expr: Expr,
    options: QueryOptions,
    // Cached, since they are needed for every game.
    needs_headers: bool,
    needs_positions: bool,
}

/// The part of a game that a query needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Needs {
    /// The header.
    Header,
    /// The moves too.
    Moves,
}

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Query, QueryError> {
        Query::parse(text, QueryOptions::default())
    }
}

/// Returns the query that matches every game.
impl Default for Query {
    fn default() -> Query {
        let parsed = ParsedQuery {
            terms: Vec::new(),
            notes: Vec::new(),
            words: Vec::new(),
        };
        Query::new(String::new(), parsed, QueryOptions::default())
    }
}

/// Formats the query as it was written.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// Returns a [`QueryError`] that names the word.
    pub fn parse(text: &str, options: QueryOptions) -> Result<Query, QueryError> {
        let mut parsed = parse(text, &options)?;
        // Places refer to the query without the blanks around it.
        let blanks = text.len() - text.trim_start().len();
        for word in &mut parsed.words {
            word.span.start = word.span.start.saturating_sub(blanks);
            word.span.end = word.span.end.saturating_sub(blanks);
        }
        Ok(Query::new(text.trim().to_owned(), parsed, options))
    }

    /// Creates a query that consists of a term without a form in the language.
    pub(crate) fn of_header(term: HeaderTerm) -> Query {
        Query {
            expr: Expr::header(term),
            needs_headers: true,
            ..Query::default()
        }
    }

    fn new(text: String, mut parsed: ParsedQuery, options: QueryOptions) -> Query {
        let canonical = parsed.canonical();
        let notes = std::mem::take(&mut parsed.notes);
        let words = std::mem::take(&mut parsed.words);
        let mut expr = parsed.into_expr();
        expr.headers_first();
        let has_positions = expr.has(&mut |term| matches!(term, Term::Position(_)));
        Query {
            needs_headers: expr.has(&mut |term| matches!(term, Term::Header(_))),
            needs_positions: !options.in_variations && has_positions,
            text,
            canonical,
            notes,
            words,
            expr,
            options,
        }
    }

    /// Returns the query in full: values with their keys, names with a comma as players, pairings as
    /// both colors. A word that is searched in names of all kinds has no key. Parsed again, it is the
    /// same query.
    ///
    /// ```
    /// use chessdb_query::Query;
    ///
    /// let query: Query = "Kasparov,G and not 1-0".parse()?;
    /// assert_eq!(query.canonical(), "player:\"Kasparov, G\" -result:1-0");
    /// # Ok::<(), chessdb_query::QueryError>(())
    /// ```
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Returns how parts of the query that could mean two things were read, one sentence each.
    ///
    /// ```
    /// use chessdb_query::Query;
    ///
    /// let query: Query = "Tal,Keres".parse()?;
    /// assert!(query.notes()[0].contains("write Tal or Keres"));
    /// assert!("Kasparov,G".parse::<Query>()?.notes().is_empty());
    /// # Ok::<(), chessdb_query::QueryError>(())
    /// ```
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns counts of the kinds of values that contain the words without a key. They are filled
    /// with the games that the query finds in a database.
    pub fn word_counts(&self) -> WordCounts {
        WordCounts::new(&self.words)
    }

    /// Returns counts of the names for which abbreviated names such as `Adams,Mi` stand. They are
    /// filled with the games that the query finds.
    pub fn name_spellings(&self) -> NameSpellings {
        NameSpellings::new(&self.expr)
    }

    /// Returns the words of a query without key and quotes, negated ones included: names, numbers
    /// and codes. Empty if the query has an error.
    ///
    /// ```
    /// use chessdb_query::Query;
    ///
    /// let words = Query::bare_words("Tal -(Keres,P or 1960) event:Bled \"Riga\" B90");
    /// assert_eq!(words, ["Tal", "Keres,P", "1960", "B90"]);
    /// ```
    pub fn bare_words(text: &str) -> Vec<String> {
        let tokens = tokens(text).unwrap_or_default();
        let terms = tokens.into_iter().filter_map(|token| match token.kind {
            TokenKind::Term(term) if term.key.is_none() => Some(term.items),
            _ => None,
        });
        let plain = terms.filter(|items| items.iter().all(|item| item.form == Form::Plain));
        let words = plain.map(|items| {
            let texts: Vec<String> = items.into_iter().map(|item| item.text).collect();
            texts.join(",")
        });
        words.collect()
    }

    /// Returns advice for the case that no game of a database matches. It is filled with the headers
    /// of that database.
    pub fn advice(&self) -> Advice {
        Advice::new(&self.text, &self.options)
    }

    /// Joins the words of a query as split by a shell. Quotes removed by the shell are restored: a
    /// word with blanks that begins with a key and contains neither quotes nor another key is one
    /// term. A regular expression keeps its slashes.
    ///
    /// ```
    /// use chessdb_query::Query;
    ///
    /// let words = ["event:Candidates Tournament", "player:Tal or player:Keres"];
    /// let text = Query::join(words);
    /// assert_eq!(text, r#"event:"Candidates Tournament" player:Tal or player:Keres"#);
    /// assert_eq!(Query::join(["white:/^karpov, a/"]), "white:/^karpov, a/");
    /// ```
    pub fn join<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
        let mut text = String::new();
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            match bare_value(word) {
                Some((key, value)) => {
                    text.push_str(key);
                    text.push('"');
                    text.push_str(value);
                    text.push('"');
                }
                None => text.push_str(word),
            }
        }
        text
    }

    /// Returns whether a word begins with a key of the language, or is a position, a line of moves or a
    /// date without one, so that it is not a bare word.
    pub fn begins_with_key(word: &str) -> bool {
        let word = word.trim_start_matches(['-', '(', '!']);
        is_position(word.split_whitespace().next().unwrap_or_default())
            || has_key(word)
            || begins_line(word.split_whitespace())
            || is_date_term(word)
            || word == "1/2-1/2"
    }

    /// Returns whether every game matches.
    pub fn is_empty(&self) -> bool {
        matches!(&self.expr, Expr::All(terms) if terms.is_empty())
    }

    /// Returns how much of a game the query needs.
    pub fn needs(&self) -> Needs {
        if self.expr.needs_moves() { Needs::Moves } else { Needs::Header }
    }

    /// Returns whether the query depends on the header.
    pub fn needs_headers(&self) -> bool {
        self.needs_headers
    }

    /// Returns whether the query is about positions of mainlines, so that [`Query::may_fit`] can
    /// exclude games.
    pub fn needs_positions(&self) -> bool {
        self.needs_positions
    }

    /// Returns the position if a game matches exactly if that occurs in its mainline: pieces and side
    /// to move.
    ///
    /// ```
    /// use chessdb_core::Board;
    /// use chessdb_query::Query;
    ///
    /// let query: Query = format!("fen:\"{}\"", Board::standard()).parse()?;
    /// assert_eq!(query.exact_position(), Some(&Board::standard()));
    /// assert_eq!("fen:8/8/8/8/8/8/8/8 Tal".parse::<Query>()?.exact_position(), None);
    /// # Ok::<(), chessdb_query::QueryError>(())
    /// ```
    pub fn exact_position(&self) -> Option<&Board> {
        match &self.expr {
            Expr::Term(Term::Position(condition)) if self.needs_positions => {
                condition.only_position()
            }
            _ => None,
        }
    }

    /// Returns whether a game with this signature may match. True in case of doubt.
    #[inline]
    pub fn may_fit(&self, signature: &Signature) -> bool {
        !self.excludes(|condition| !condition.may_be_in(signature))
    }

    /// Returns whether no game matches that begins with these moves from the standard start
    /// position.
    pub fn is_lost_after(&self, moves: &[PackedMove]) -> bool {
        self.excludes(|condition| condition.is_over_after(moves))
    }

    /// Returns whether no game matches in which the positions for which `is_absent` is true do not
    /// occur.
    #[inline]
    fn excludes(&self, is_absent: impl Fn(&PositionCondition) -> bool) -> bool {
        let mut result_of = |term: &Term| match term {
            Term::Position(condition) if is_absent(condition) => Some(false),
            _ => None,
        };
        !self.options.in_variations && self.expr.evaluate(&mut result_of) == Some(false)
    }

    /// Returns a filter that excludes games of this database before they are read, using what an
    /// index contains about their headers and, with `lines`, about their mainlines. `None` if that
    /// answers no part of the query.
    pub fn prefilter(&self, base: &BaseInfo, lines: bool) -> Option<Prefilter> {
        Prefilter::new(&self.expr, base, lines && !self.options.in_variations)
    }

    /// Returns a search for the positions of the query in a mainline, which stops as soon as
    /// possible. The header must have been read if the query depends on it
    /// ([`Query::needs_headers`]). `None` if the whole game is needed.
    pub fn search(&self, header: &Game) -> Option<PositionSearch<'_>> {
        if self.options.in_variations {
            None
        } else {
            PositionSearch::new(&self.expr, header)
        }
    }

    /// Returns whether a whole game matches.
    pub fn matches(&self, game: &Game) -> bool {
        self.find(game).is_some()
    }

    /// Returns whether a game matches, given only its header. `None` if that depends on the moves.
    pub fn matches_header(&self, game: &Game) -> Option<bool> {
        let mut buffer = String::new();
        self.expr.evaluate(&mut |term| match term {
            Term::Header(term) => Some(term.fits(game, &mut buffer)),
            Term::Moves(_) | Term::Position(_) => None,
        })
    }

    /// Like [`Query::matches`], but returns the first hit. A game that matches by its header alone
    /// has none.
    pub fn find(&self, game: &Game) -> Option<Match> {
        let mut buffer = String::new();
        let mut hits: Vec<Hit> = Vec::new();
        let verdict = self.expr.evaluate(&mut |term| match term {
            Term::Header(term) => Verdict::from_bool(term.fits(game, &mut buffer)),
            Term::Moves(term) => Verdict::from_bool(term.fits(game, &mut buffer)),
            Term::Position(condition) => match condition.find(game, self.options.in_variations) {
                Some(hit) => {
                    hits.push(*hit);
                    Verdict::Yes(Some(hits.len() - 1))
                }
                None => Verdict::No,
            },
        });
        match verdict {
            Verdict::Yes(hit) => Some(Match::new(hit.map(|n| Box::new(hits.swap_remove(n))))),
            Verdict::Open | Verdict::No => None,
        }
    }
}

/// Returns whether a word begins with the name of a key and a sign.
fn has_key(word: &str) -> bool {
    let signs = [':', '<', '>', '=', '\u{2264}', '\u{2265}'];
    let name = word.split(signs).next().unwrap_or_default();
    let is_key = |name: &str| known_key(name).is_some();
    name.len() < word.len() && (is_key(name) || name.strip_suffix('!').is_some_and(is_key))
}

/// Splits a word into key with colon and a value that lost its quotes in a shell.
fn bare_value(word: &str) -> Option<(&str, &str)> {
    let end_of_key = word.find(':')? + 1;
    let (key, value) = word.split_at_checked(end_of_key)?;
    let name = key.trim_start_matches(['-', '!']);
    let plain = |word: &str| {
        let is_operator = matches!(
            word.to_ascii_lowercase().as_str(),
            "or" | "|" | "||" | "&&" | "not" | "!"
        );
        !is_operator && !has_key(word.trim_start_matches(['-', '(', '!']))
    };
    let is_regex = || match tokens(value).as_deref() {
        Ok([one]) if one.span == (0..value.len()) => match &one.kind {
            TokenKind::Term(term) => term.items.iter().any(|item| item.form == Form::Regex),
            _ => false,
        },
        _ => false,
    };
    let one = has_key(name)
        && value.contains(char::is_whitespace)
        && !value.contains('"')
        && value.split_whitespace().all(plain)
        && !is_regex();
    one.then_some((key, value))
}
