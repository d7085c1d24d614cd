//! The task that finds names that may be variant spellings, like `chessdb names --suggest`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use chessdb::Selection;
use chessdb::convert::NameKind;
use chessdb::query::names::{NameUse, suggest_names};
use serde_json::{Value, json};

use super::Task;
use crate::failure::Result;
use crate::page::open_database::OpenDatabase;
use crate::page::renames;
use chessdb::core::sorting::sort_by_key;

/// The maximum number of suggestions in the answer.
const MOST: usize = 2000;

pub(super) struct SuggestNames {
    kind: NameKind,
    uses: BTreeMap<String, NameUse>,
}

impl SuggestNames {
    pub(super) fn new(of: &str) -> Result<SuggestNames> {
        Ok(SuggestNames {
            kind: renames::kind(&json!({ "of": of }))?,
            uses: BTreeMap::new(),
        })
    }
}

impl Task for SuggestNames {
    fn len(&self, base: &OpenDatabase) -> u32 {
        base.len()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        if from >= to {
            return Ok(());
        }
        let scan = base.db().scan().select(Selection::from(from + 1..=to));
        scan.headers().for_each(|game, _| {
            for (name, seen) in self.kind.uses(game) {
                self.uses.entry(name).or_default().add(&seen);
            }
            ControlFlow::Continue(())
        })?;
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let uses: Vec<(String, NameUse)> = std::mem::take(&mut self.uses).into_iter().collect();
        let name = |n: usize| uses.get(n).map_or("", |(name, _)| name.as_str());
        let seen = |n: usize| {
            uses.get(n)
                .map(|(_, seen)| seen.clone())
                .unwrap_or_default()
        };
        let mut suggestions = suggest_names(&uses, self.kind.names_are());
        sort_by_key(&mut suggestions, |one| {
            std::cmp::Reverse(seen(one.name).games)
        });
        let list = suggestions.iter().take(MOST).map(|one| {
            json!({
                "name": name(one.name),
                "better": name(one.better),
                "ambiguous": one.is_ambiguous,
                "games": seen(one.name).games,
                "years": seen(one.name).years,
                "betterGames": seen(one.better).games,
                "betterYears": seen(one.better).years,
            })
        });
        let list: Vec<Value> = list.collect();
        Ok(json!({ "names": uses.len(), "found": suggestions.len(), "suggestions": list }))
    }
}
