//! The names for which an abbreviated name stands.

use std::collections::BTreeMap;

use chessdb_core::Game;
use chessdb_core::sorting::sort_by_key;
use chessdb_core::text::TextId;

use crate::expr::{Expr, Term};
use crate::headers::{HeaderTerm, TextField, spelled};
use crate::syntax::TextTest;

/// Counts the games that a query found, by the names for which its abbreviated names stand. Created
/// by [`crate::Query::name_spellings`] and filled with the games found.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::Query;
///
/// let query: Query = "player:Adams,Mi".parse()?;
/// let mut spellings = query.name_spellings();
/// for name in ["Adams, Michael", "Adams, Michael", "Adams, M"] {
///     spellings.add(&Game::builder().white(name).build());
/// }
/// let expected = vec![("Adams, Michael", 2), ("Adams, M", 1)];
/// assert_eq!(spellings.names(), [("adams, mi".to_owned(), expected)]);
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NameSpellings {
    names: Vec<AbbreviatedName>,
}

#[derive(Clone, Debug)]
struct AbbreviatedName {
    field: TextField,
    test: TextTest,
    games: BTreeMap<String, u64>,
}

impl NameSpellings {
    pub(crate) fn new(expr: &Expr) -> NameSpellings {
        let mut names = Vec::new();
        add_names(expr, &mut names);
        NameSpellings { names }
    }

    /// Returns whether the query has no abbreviated name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds a game that the query found.
    pub fn add(&mut self, game: &Game) {
        let header = &game.header;
        let (white, black) = (header.white.name.text, header.black.name.text);
        let mut buffer = String::new();
        for name in &mut self.names {
            let ids = match name.field {
                TextField::White => [white, TextId::NONE],
                TextField::Black => [black, TextId::NONE],
                TextField::Annotator => [header.annotator.text, TextId::NONE],
                _ => [white, black],
            };
            for id in ids.into_iter().filter(|id| id.is_some()) {
                let text = game.text(id).decode();
                if spelled(&text, std::slice::from_ref(&name.test), &mut buffer) {
                    *name.games.entry(text.into_owned()).or_default() += 1;
                }
            }
        }
    }

    /// Returns each abbreviated name that stands for another one, with the names found and their
    /// numbers of games, the most frequent ones first.
    pub fn names(&self) -> Vec<(String, Vec<(&str, u64)>)> {
        let several = self.names.iter().filter(|name| name.games.len() > 1);
        let names = several.map(|name| {
            let mut games: Vec<_> = name
                .games
                .iter()
                .map(|(name, &count)| (name.as_str(), count))
                .collect();
            // A stable sort keeps equal numbers in alphabetical order.
            sort_by_key(&mut games, |(_, count)| std::cmp::Reverse(*count));
            (name.test.folded().unwrap_or_default(), games)
        });
        names.collect()
    }
}

/// Adds the abbreviated names that matching games have.
fn add_names(expr: &Expr, names: &mut Vec<AbbreviatedName>) {
    match expr {
        Expr::All(terms) | Expr::Any(terms) => {
            terms.iter().for_each(|term| add_names(term, names));
        }
        Expr::Term(Term::Header(HeaderTerm::Text(field, tests))) => {
            let short = tests
                .iter()
                .filter(|test| matches!(test, TextTest::Name(_)));
            names.extend(short.map(|test| AbbreviatedName {
                field: *field,
                test: test.clone(),
                games: BTreeMap::new(),
            }));
        }
        // The games found do not have what is negated.
        Expr::Not(_) | Expr::Term(_) => {}
    }
}
