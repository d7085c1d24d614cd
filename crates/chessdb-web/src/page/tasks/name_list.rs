//! The task that counts the names of a database, so that a form can suggest them.

use std::collections::HashMap;

use serde_json::Value;

use super::Task;
use crate::failure::Result;
use crate::page::counted_names::CountedNames;
use crate::page::open_database::OpenDatabase;
use crate::page::rows::short;

/// The number of different names that are counted per field.
const MOST_NAMES: usize = 200_000;

#[derive(Default)]
pub(super) struct NameCounter {
    players: HashMap<String, u64>,
    events: HashMap<String, u64>,
}

impl Task for NameCounter {
    fn len(&self, base: &OpenDatabase) -> u32 {
        if base.names.is_some() { 0 } else { base.len() }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        base.each_header(from, to, |game| {
            count(&mut self.players, &game.white());
            count(&mut self.players, &game.black());
            count(&mut self.events, &game.event());
        });
        Ok(())
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        if base.names.is_none() {
            let [players, events] = [&mut self.players, &mut self.events].map(std::mem::take);
            base.names = Some(CountedNames::new(players, events));
        }
        Ok(Value::Null)
    }
}

fn count(names: &mut HashMap<String, u64>, name: &str) {
    if let Some(games) = names.get_mut(name) {
        *games += 1;
    } else if names.len() < MOST_NAMES && !short(name).is_empty() {
        names.insert(name.to_owned(), 1);
    }
}
