//! The names of a database by frequency, for the suggestions of a form.

use std::collections::HashMap;

use chessdb::query::names::fold;
use chessdb::query::openings::eco_name;

/// The names of a database with their numbers of games, the most frequent first.
pub(crate) struct CountedNames {
    players: Vec<CountedName>,
    events: Vec<CountedName>,
}

struct CountedName {
    name: String,
    folded: String,
    games: u64,
}

impl CountedNames {
    /// Creates the list from the numbers of games of each name.
    pub(crate) fn new(players: HashMap<String, u64>, events: HashMap<String, u64>) -> CountedNames {
        CountedNames {
            players: sorted(players),
            events: sorted(events),
        }
    }

    /// Returns up to `limit` names of a field with words that begin like those of `text`, as pairs of
    /// name and number of games. Openings have none.
    pub(crate) fn suggest(
        &self,
        field: &str,
        text: &str,
        limit: usize,
    ) -> Vec<(String, Option<u64>)> {
        let wanted = folded(text);
        let wanted: Vec<&str> = words(&wanted).collect();
        let fits = |name: &str| {
            let begins = |word: &&str| words(name).any(|own| own.starts_with(word));
            wanted.iter().all(begins)
        };
        let names = match field {
            "player" => &self.players,
            "event" => &self.events,
            _ => return openings(fits, limit),
        };
        let matches = names.iter().filter(|name| fits(&name.folded)).take(limit);
        matches
            .map(|name| (name.name.clone(), Some(name.games)))
            .collect()
    }
}

/// Returns the names of openings that ECO codes begin with.
fn openings(fits: impl Fn(&str) -> bool, limit: usize) -> Vec<(String, Option<u64>)> {
    let codes = ('A'..='E').flat_map(|letter| (0..100).map(move |n| format!("{letter}{n:02}")));
    let mut names: Vec<&str> = codes.filter_map(|code| eco_name(&code)).collect();
    names.sort_by_key(|name| (name.len(), *name));
    names.dedup();
    names
        .into_iter()
        .filter(|name| fits(&folded(name)))
        .take(limit)
        .map(|name| (name.to_owned(), None))
        .collect()
}

fn folded(text: &str) -> String {
    let mut folded = String::new();
    fold(text, &mut folded);
    folded
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn sorted(names: HashMap<String, u64>) -> Vec<CountedName> {
    let names = names.into_iter().map(|(name, games)| CountedName {
        folded: folded(&name),
        name,
        games,
    });
    let mut names: Vec<CountedName> = names.collect();
    names.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
    names
}
