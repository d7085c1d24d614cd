//! The task that finds the games that match a query.

use std::collections::HashMap;
use std::sync::Arc;

use chessdb::Selection;
use chessdb::query::Query;
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, Result};
use crate::open_database::OpenDatabase;

pub(super) struct Filter {
    query: Arc<Query>,
    found: Vec<u32>,
    hits: HashMap<u32, u32>,
    /// Whether the list remains unchanged.
    only_count: bool,
}

impl Filter {
    pub(super) fn new(text: &str, only_count: bool) -> Result<Filter> {
        let query = text.parse::<Query>();
        let query = query.map_err(|error| Failure::new("query", error.to_string()))?;
        Ok(Filter {
            query: Arc::new(query),
            found: Vec::new(),
            hits: HashMap::new(),
            only_count,
        })
    }
}

impl Task for Filter {
    fn len(&self, base: &OpenDatabase) -> u32 {
        match self.query.is_empty() {
            true => 0,
            false => base.len(),
        }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        if from >= to {
            return Ok(());
        }
        let mut game = std::mem::take(&mut base.game);
        let scan = base.db().scan().select(Selection::from(from + 1..=to));
        let mut reader = scan.filter(Arc::clone(&self.query)).reader();
        loop {
            match reader.read_into(&mut game) {
                Ok(true) => {
                    let index = game.index();
                    self.found.push(index);
                    if let Some(hit) = game.found().hit() {
                        self.hits.insert(index, hit.ply());
                    }
                }
                Ok(false) => break,
                // A game that cannot be read matches no query.
                Err(error) if error.game().is_some() => {}
                Err(error) => return Err(error.into()),
            }
        }
        drop(reader);
        base.game = game;
        Ok(())
    }

    fn so_far(&self, _base: &mut OpenDatabase) -> Value {
        json!({ "found": self.found.len() })
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        if self.only_count {
            return Ok(json!({ "found": self.found.len() }));
        }
        let found = std::mem::take(&mut self.found);
        let hits = std::mem::take(&mut self.hits);
        let found = (!self.query.is_empty()).then_some(found);
        base.list(found, hits);
        Ok(json!({ "found": base.listed() }))
    }
}
