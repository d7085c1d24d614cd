//! Queries and their results.

use std::fmt;
use std::str::FromStr;

use chessdb_core::{BaseInfo, Game, PackedMove, Signature};

use crate::expr::Expr;
use crate::language::{KEYS, QueryOptions, parse};
use crate::position::Hit;
use crate::position::PositionCondition;
use crate::prefilter::Prefilter;
use crate::search::{Match, PositionSearch};
use crate::syntax::{QueryError, tokens};

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
        Query::new(
            String::new(),
            Expr::All(Vec::new()),
            QueryOptions::default(),
        )
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
        let expr = parse(text, &options)?;
        Ok(Query::new(text.trim().to_owned(), expr, options))
    }

    fn new(text: String, expr: Expr, options: QueryOptions) -> Query {
        Query {
            needs_headers: expr.needs_headers(),
            needs_positions: !options.in_variations && expr.needs_positions(),
            text,
            expr,
            options,
        }
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

    /// Returns whether a word begins with a key of the language, so that it is not a bare word.
    pub fn begins_with_key(word: &str) -> bool {
        let word = word.trim_start_matches(['-', '(']);
        let name = word.split([':', '<', '>', '=']).next().unwrap_or_default();
        name.len() < word.len() && KEYS.iter().any(|key| key.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether every game matches.
    pub fn is_empty(&self) -> bool {
        matches!(&self.expr, Expr::All(terms) if terms.is_empty())
    }

    /// Returns how much of a game the query needs.
    pub fn needs(&self) -> Needs {
        self.expr.needs()
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

    /// Returns whether a game with this signature may match. True in case of doubt.
    #[inline]
    pub fn may_fit(&self, signature: &Signature) -> bool {
        self.options.in_variations || self.expr.decide_by(signature) != Some(false)
    }

    /// Returns whether no game matches that begins with these moves from the standard start
    /// position.
    pub fn is_lost_after(&self, moves: &[PackedMove]) -> bool {
        !self.options.in_variations && self.expr.decide_after(moves) == Some(false)
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
        match self.options.in_variations {
            true => None,
            false => PositionSearch::new(&self.expr, header),
        }
    }

    /// Returns whether a whole game matches.
    pub fn matches(&self, game: &Game) -> bool {
        self.ask(game, true).decide(&self.expr) == Some(true)
    }

    /// Returns whether a game matches, given only its header. `None` if that depends on the moves.
    pub fn matches_header(&self, game: &Game) -> Option<bool> {
        self.ask(game, false).decide(&self.expr)
    }

    /// Like [`Query::matches`], but returns the hit.
    pub fn find(&self, game: &Game) -> Option<Match> {
        let mut asked = self.ask(game, true);
        let fits = asked.decide(&self.expr) == Some(true);
        fits.then_some(Match::at(asked.hit))
    }

    fn ask<'g>(&self, game: &'g Game, is_whole: bool) -> MatchContext<'g> {
        MatchContext {
            game,
            is_whole,
            in_variations: self.options.in_variations,
            buffer: String::new(),
            hit: None,
        }
    }
}

/// Splits a word into key with colon and a value that lost its quotes in a shell.
fn bare_value(word: &str) -> Option<(&str, &str)> {
    let at = word.find(':')? + 1;
    let (key, value) = word.split_at_checked(at)?;
    let name = key.trim_start_matches('-');
    let plain = |word: &str| !Query::begins_with_key(word) && !word.eq_ignore_ascii_case("or");
    let whole = 0..value.len();
    let is_term = || matches!(tokens(value).as_deref(), Ok([one]) if one.span == whole);
    let one = Query::begins_with_key(name)
        && value.contains(char::is_whitespace)
        && !value.contains('"')
        && value.split_whitespace().all(plain)
        && !is_term();
    one.then_some((key, value))
}

impl Expr {
    fn needs_headers(&self) -> bool {
        match self {
            Expr::All(terms) | Expr::Any(terms) => terms.iter().any(Expr::needs_headers),
            Expr::Not(term) => term.needs_headers(),
            Expr::Header(_) => true,
            Expr::Moves(_) | Expr::Position(_) => false,
        }
    }

    fn needs_positions(&self) -> bool {
        match self {
            Expr::All(terms) | Expr::Any(terms) => terms.iter().any(Expr::needs_positions),
            Expr::Not(term) => term.needs_positions(),
            Expr::Position(_) => true,
            Expr::Header(_) | Expr::Moves(_) => false,
        }
    }

    /// Decides by a signature only, if possible.
    fn decide_by(&self, signature: &Signature) -> Option<bool> {
        self.decide_by_conditions(&mut |condition| !condition.may_be_in(signature))
    }

    /// Decides by the first moves, if possible.
    fn decide_after(&self, moves: &[PackedMove]) -> Option<bool> {
        self.decide_by_conditions(&mut |condition| condition.is_over_after(moves))
    }

    /// Decides the expression if nothing is known except that some positions cannot occur.
    #[inline]
    fn decide_by_conditions(
        &self,
        is_over: &mut impl FnMut(&PositionCondition) -> bool,
    ) -> Option<bool> {
        match self {
            Expr::All(terms) => {
                let mut all = Some(true);
                for term in terms {
                    match term.decide_by_conditions(is_over) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => all = None,
                    }
                }
                all
            }
            Expr::Any(terms) => {
                let mut any = Some(false);
                for term in terms {
                    match term.decide_by_conditions(is_over) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => any = None,
                    }
                }
                any
            }
            Expr::Not(term) => term.decide_by_conditions(is_over).map(|fits| !fits),
            Expr::Header(_) | Expr::Moves(_) => None,
            Expr::Position(condition) => is_over(condition).then_some(false),
        }
    }

    fn needs(&self) -> Needs {
        match self {
            Expr::All(terms) | Expr::Any(terms) => {
                let needs = terms.iter().map(Expr::needs);
                needs.max().unwrap_or(Needs::Header)
            }
            Expr::Not(term) => term.needs(),
            Expr::Header(_) => Needs::Header,
            Expr::Moves(_) | Expr::Position(_) => Needs::Moves,
        }
    }
}

/// A game that is being matched.
struct MatchContext<'g> {
    game: &'g Game,
    is_whole: bool,
    in_variations: bool,
    /// Scratch memory for texts.
    buffer: String,
    hit: Option<Box<Hit>>,
}

impl MatchContext<'_> {
    /// Returns whether the expression matches, if decidable: without moves some terms are not.
    fn decide(&mut self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::All(terms) => self.decide_all(terms, false),
            Expr::Any(terms) => self.decide_all(terms, true).map(|none| !none),
            Expr::Not(term) => {
                let hit = self.hit.take();
                let fits = self.decide(term);
                self.hit = hit;
                fits.map(|fits| !fits)
            }
            Expr::Header(term) => Some(term.fits(self.game, &mut self.buffer)),
            Expr::Moves(term) => self
                .is_whole
                .then(|| term.fits(self.game, &mut self.buffer)),
            Expr::Position(condition) => self.is_whole.then(|| {
                let hit = condition.find(self.game, self.in_variations);
                let fits = hit.is_some();
                if self.hit.is_none() {
                    self.hit = hit;
                }
                fits
            }),
        }
    }

    /// Returns whether all terms match, or with `not` whether none does. Terms that need no moves
    /// come first.
    fn decide_all(&mut self, terms: &[Expr], not: bool) -> Option<bool> {
        let mut all = Some(true);
        for needs in [Needs::Header, Needs::Moves] {
            for term in terms.iter().filter(|term| term.needs() == needs) {
                let hit = self.hit.clone();
                match self.decide(term) {
                    Some(fits) if fits == not => return Some(false),
                    // A term that does not match has no hit to show.
                    Some(false) => self.hit = hit,
                    Some(true) => {}
                    None => all = None,
                }
            }
        }
        all
    }
}
