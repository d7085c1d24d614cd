//! The task that finds duplicates, like `chessdb dedupe`.

use std::collections::BTreeMap;

use chessdb::convert::DuplicateSearch;
use chessdb::query::duplicates::DuplicateRule;
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;

pub(super) struct FindDuplicates {
    search: DuplicateSearch,
    rule: DuplicateRule,
    /// Whether the result is the list of duplicates; the list of games remains unchanged.
    returns_indices: bool,
}

/// Returns the rule with this name, as in `chessdb dedupe --by`.
pub(crate) fn rule(name: &str) -> Result<DuplicateRule> {
    let unknown = || Failure::new("request", format!("unknown rule `{name}`"));
    DuplicateRule::from_name(name).ok_or_else(unknown)
}

impl FindDuplicates {
    pub(super) fn new(request: &Value) -> Result<FindDuplicates> {
        let rule = rule(request.text("rule"))?;
        Ok(FindDuplicates {
            search: DuplicateSearch::new(rule),
            rule,
            returns_indices: request.flag("indices"),
        })
    }
}

impl Task for FindDuplicates {
    fn len(&self, base: &OpenDatabase) -> u32 {
        base.len()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let mut game = std::mem::take(&mut base.game);
        for index in from..to {
            let read = base.db().game_into(index, &mut game);
            let candidate = read.ok().and_then(|()| DuplicateSearch::candidate(&game));
            self.search.add((0, index.saturating_add(1)), candidate);
        }
        base.game = game;
        Ok(())
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        let search = std::mem::replace(&mut self.search, DuplicateSearch::new(self.rule));
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut duplicates = Vec::new();
        for duplicate in search.finish()?.removed {
            let index = |number: u32| number.saturating_sub(1);
            let (removed, original) = (index(duplicate.place.1), index(duplicate.kept.1));
            groups.entry(original).or_default().push(removed);
            duplicates.push(removed);
        }
        if self.returns_indices {
            let groups = groups.into_iter();
            let groups = groups.map(|(original, others)| [vec![original], others].concat());
            return Ok(json!({ "groups": groups.collect::<Vec<_>>() }));
        }
        let count = groups.len();
        let list = groups
            .into_iter()
            .flat_map(|(original, others)| [vec![original], others]);
        // Without duplicates the list stays.
        if count > 0 {
            base.list_in_order(list.flatten().collect());
        }
        base.duplicates = duplicates;
        Ok(json!({
            "groups": count,
            "removed": base.duplicates.len(),
            "found": base.listed(),
        }))
    }
}
