//! Words without a key: the kinds of values in which they are found, and counts by kind.

use std::ops::Range;

use chessdb_core::Game;
use chessdb_core::sorting::sort_by_key;

use crate::expr::{Expr, Term};
use crate::headers::{HeaderTerm, TextField};
use crate::moves::MovesTerm;
use crate::opening_test::{ECO_CODES, OpeningCodes, OpeningNames, OpeningTest};
use crate::syntax::{EcoRanges, TextTest};

/// A kind of value in which a word without a key is found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum WordKind {
    /// The name of either player.
    Player,
    /// The event.
    Event,
    /// The site.
    Site,
    /// The opening.
    Opening,
    /// The annotator.
    Annotator,
    /// The year.
    Year,
    /// The ECO code.
    Eco,
}

impl WordKind {
    /// Returns the key of the query language for this kind, such as `player`.
    pub fn key(self) -> &'static str {
        match self {
            WordKind::Player => "player",
            WordKind::Event => "event",
            WordKind::Site => "site",
            WordKind::Opening => "opening",
            WordKind::Annotator => "annotator",
            WordKind::Year => "year",
            WordKind::Eco => "eco",
        }
    }

    /// The kinds that are names of the header, with their fields.
    const NAMES: [(WordKind, TextField); 4] = [
        (WordKind::Player, TextField::Player),
        (WordKind::Event, TextField::Event),
        (WordKind::Site, TextField::Site),
        (WordKind::Annotator, TextField::Annotator),
    ];
}

/// A word of a query, which every matching game contains.
#[derive(Clone, Debug)]
pub(crate) struct PlainWord {
    /// The word as a value of a query.
    pub(crate) value: String,
    /// The place in the query.
    pub(crate) span: Range<usize>,
    pub(crate) test: WordTest,
}

#[derive(Clone, Debug)]
pub(crate) enum WordTest {
    /// A part of a name or, with this condition, of the name of an opening.
    Name(TextTest, Option<Expr>),
    /// A value of one kind.
    Value(WordKind),
}

impl PlainWord {
    /// Returns the condition that a game contains a word: in a name, or in the name of its opening.
    pub(crate) fn expr(test: &TextTest, opening: Option<&Expr>) -> Expr {
        let name = Expr::header(HeaderTerm::Text(TextField::AnyName, vec![test.clone()]));
        match opening {
            Some(opening) => Expr::Any(vec![name, opening.clone()]),
            None => name,
        }
    }
}

/// Returns the condition that a word without a key is in the name of the opening: in the tags, or
/// without these in the name for the ECO code, or in the name that the moves reach. `None` if the
/// word names no opening of its own.
pub(crate) fn opening_of_word(test: &OpeningTest) -> Option<Expr> {
    let OpeningCodes { whole, part } = test.codes()?;
    let eco = |codes: Vec<u16>| Expr::header(HeaderTerm::Eco(EcoRanges::of_codes(codes)));
    let not = |expr: Expr| Expr::Not(Box::new(expr));
    let has_no_code = not(eco((0..ECO_CODES).collect()));
    let names = OpeningNames::new(vec![test.clone()]);
    let by_moves = Expr::moves(MovesTerm::Opening(names));
    let by_code_or_moves = Expr::Any(vec![
        eco(whole),
        Expr::All(vec![Expr::Any(vec![has_no_code, eco(part)]), by_moves]),
    ]);
    Some(Expr::Any(vec![
        Expr::header(HeaderTerm::Opening(vec![test.clone()])),
        Expr::All(vec![
            not(Expr::header(HeaderTerm::HasOpening)),
            by_code_or_moves,
        ]),
    ]))
}

/// Counts the games that a query found, by the kind of value that each of its words is in. Created
/// by [`crate::Query::word_counts`] and filled with the games found.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::Query;
/// use chessdb_query::advice::WordKind;
///
/// let query: Query = "Linares 1993".parse()?;
/// let mut counts = query.word_counts();
/// counts.add(&Game::builder().event("Linares").site("Linares").date("1993.02.23").build());
/// let words = counts.words();
/// assert_eq!((words[0].kinds[0].kind, words[0].kinds[0].games), (WordKind::Event, 1));
/// assert_eq!(words[0].kinds[1].term, "site:Linares");
/// assert_eq!(words[1].kinds[0].kind, WordKind::Year);
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WordCounts {
    words: Vec<(PlainWord, Vec<(WordKind, u64)>)>,
    buffer: String,
}

/// A word of a query, and where the games found contain it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WordCount {
    /// The word as written in the query.
    pub word: String,
    /// The byte range of the word in the query.
    pub span: Range<usize>,
    /// The kinds with at least one game, the most frequent first.
    pub kinds: Vec<KindCount>,
}

/// The number of games that contain a word as a value of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KindCount {
    /// The kind.
    pub kind: WordKind,
    /// The number of games.
    pub games: u64,
    /// The term that finds only this kind, such as `event:Linares`.
    pub term: String,
}

impl WordCounts {
    pub(crate) fn new(words: &[PlainWord]) -> WordCounts {
        WordCounts {
            words: words
                .iter()
                .map(|word| (word.clone(), Vec::new()))
                .collect(),
            buffer: String::new(),
        }
    }

    /// Returns whether the query has no word to count.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a game that the query found. Its opening is recognized by the moves too, if it has any
    /// here: a header is enough for all other kinds.
    pub fn add(&mut self, game: &Game) {
        for (word, counts) in &mut self.words {
            let mut add = |kind| match counts.iter_mut().find(|(counted, _)| *counted == kind) {
                Some((_, games)) => *games += 1,
                None => counts.push((kind, 1)),
            };
            let (test, opening) = match &word.test {
                WordTest::Name(test, opening) => (test, opening),
                WordTest::Value(kind) => {
                    add(*kind);
                    continue;
                }
            };
            let mut is_name = false;
            for (kind, field) in WordKind::NAMES {
                if field.fits(std::slice::from_ref(test), game, &mut self.buffer) {
                    is_name = true;
                    add(kind);
                }
            }
            if let Some(opening) = opening {
                let has_moves = !game.moves.is_empty();
                let fits = opening.evaluate(&mut |term| match term {
                    Term::Header(term) => Some(term.fits(game, &mut self.buffer)),
                    Term::Moves(term) if has_moves => Some(term.fits(game, &mut self.buffer)),
                    Term::Moves(_) | Term::Position(_) => None,
                });
                // A game that was found has the word somewhere.
                if fits.unwrap_or(!is_name) {
                    add(WordKind::Opening);
                }
            }
        }
    }

    /// Returns the words with their counts, in the order of the query.
    pub fn words(&self) -> Vec<WordCount> {
        let words = self.words.iter().map(|(word, counts)| {
            let mut counts = counts.clone();
            sort_by_key(&mut counts, |&(kind, games)| {
                (std::cmp::Reverse(games), kind)
            });
            let kinds = counts.into_iter().map(|(kind, games)| KindCount {
                kind,
                games,
                term: format!("{}:{}", kind.key(), word.value),
            });
            WordCount {
                word: word.value.clone(),
                span: word.span.clone(),
                kinds: kinds.collect(),
            }
        });
        words.collect()
    }

    /// Returns a sentence for each word that is in values of several kinds.
    ///
    /// ```
    /// # use chessdb_core::Game;
    /// let query: chessdb_query::Query = "Linares".parse()?;
    /// let mut counts = query.word_counts();
    /// counts.add(&Game::builder().event("Linares").site("Linares ESP").build());
    /// assert_eq!(
    ///     counts.sentences(),
    ///     ["Linares: event 1, site 1; for one of them write event:Linares"],
    /// );
    /// # Ok::<(), chessdb_query::QueryError>(())
    /// ```
    pub fn sentences(&self) -> Vec<String> {
        let several = self.words().into_iter().filter(|word| word.kinds.len() > 1);
        let sentences = several.filter_map(|word| {
            let counts: Vec<String> = word
                .kinds
                .iter()
                .map(|kind| format!("{} {}", kind.kind.key(), kind.games))
                .collect();
            let first = word.kinds.first()?;
            Some(format!(
                "{}: {}; for one of them write {}",
                word.word,
                counts.join(", "),
                first.term
            ))
        });
        sentences.collect()
    }
}
