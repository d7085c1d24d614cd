//! The task that finds the games that match a query.

use std::collections::HashMap;
use std::sync::Arc;

use chessdb::query::Query;
use chessdb::query::advice::{NameSpellings, WordCounts};
use chessdb::query::stats::player::PlayerFilter;
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;
use crate::page::query::utf16_place;

pub(super) struct Filter {
    query: Arc<Query>,
    matches: Vec<u32>,
    hits: HashMap<u32, u32>,
    words: WordCounts,
    spellings: NameSpellings,
    output: Output,
}

/// What the result contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    /// The found games become the list.
    List,
    /// The number of the found games; the list remains unchanged.
    Count,
    /// The indices of the found games, and where they match; the list remains unchanged.
    Indices,
}

impl Filter {
    pub(super) fn new(request: &Value) -> Result<Filter> {
        let text = request.text("query");
        let query = text.parse::<Query>();
        let query = query.map_err(|error| Failure::new("query", error.to_string()))?;
        Ok(Filter {
            words: query.word_counts(),
            spellings: query.name_spellings(),
            query: Arc::new(query),
            matches: Vec::new(),
            hits: HashMap::new(),
            output: match () {
                () if request.flag("count") => Output::Count,
                () if request.flag("indices") => Output::Indices,
                () => Output::List,
            },
        })
    }
}

impl Task for Filter {
    fn len(&self, base: &OpenDatabase) -> u32 {
        if self.query.is_empty() { 0 } else { base.len() }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        base.each_found(&self.query, from, to, |game| {
            self.words.add(game);
            self.spellings.add(game);
            self.matches.push(game.index());
            if let Some(hit) = game.found().hit() {
                self.hits.insert(game.index(), hit.ply());
            }
        })
    }

    fn so_far(&self, _base: &mut OpenDatabase) -> Value {
        json!({ "found": self.matches.len() })
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        match self.output {
            Output::Count => return Ok(json!({ "found": self.matches.len() })),
            Output::Indices => {
                let ply = |game: &u32| self.hits.get(game).copied();
                let plies: Vec<Option<u32>> = self.matches.iter().map(ply).collect();
                return Ok(json!({ "games": self.matches, "plies": plies }));
            }
            Output::List => {}
        }
        let games = std::mem::take(&mut self.matches);
        let hits = std::mem::take(&mut self.hits);
        // The empty query lists all games, without a list in memory.
        let games = (!self.query.is_empty()).then_some(games);
        base.list(&self.query, games, hits);
        Ok(json!({
            "found": base.listed(),
            "words": words(&self.query.to_string(), &self.words),
            "notes": self.query.notes(),
            "spellings": spellings(&self.spellings),
        }))
    }
}

/// Returns the words of a query with the numbers of games by kind, the most frequent first: `[{ word,
/// from, to, kinds: [[kind, games, term]] }]`. Positions are in UTF-16 code units.
fn words(query: &str, counts: &WordCounts) -> Value {
    let words = counts.words().into_iter().map(|word| {
        let kinds = word.kinds.iter();
        let kinds: Vec<Value> = kinds
            .map(|kind| json!([kind.kind.key(), kind.games, kind.term]))
            .collect();
        json!({
            "word": word.word,
            "from": utf16_place(query, word.span.start),
            "to": utf16_place(query, word.span.end),
            "kinds": kinds,
        })
    });
    Value::Array(words.collect())
}

/// Returns the abbreviated names of a query that stand for others: `[{ written, names: [[name, games,
/// term]] }]`, with terms that find this spelling alone.
fn spellings(spellings: &NameSpellings) -> Value {
    let abbreviated = spellings.names().into_iter().map(|(written, names)| {
        let names = names.into_iter().map(|(name, games)| {
            let term = format!("player:{}", PlayerFilter::whole_names([name]));
            json!([name, games, term])
        });
        json!({ "written": written, "names": names.collect::<Vec<Value>>() })
    });
    Value::Array(abbreviated.collect())
}
