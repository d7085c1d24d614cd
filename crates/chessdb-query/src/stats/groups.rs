//! Scores of games by a value of each game: its opening, its players, its year.

use std::cmp::Reverse;
use std::collections::HashMap;

use chessdb_core::sorting::{sort_by, sort_by_key};
use chessdb_core::{Color, Game};

pub use super::group_key::{GROUP_KEYS, GroupKey};

use super::group_key::GroupValue;
use super::score::Score;
use super::thinking::is_bye_game;
use crate::fold::fold;
use crate::names::{NameUse, best_form, may_have_same_words, proved_persons};
use crate::tally::GameFacts;

/// The scores of games by a value of each. Texts that differ only in case, accents or script count
/// as one value; the first spelling is kept. Players have a value for each spelling until
/// [`Groups::join_persons`] is called.
///
/// ```
/// use chessdb_core::{Game, Outcome};
/// use chessdb_query::stats::groups::{GroupKey, Groups};
///
/// let mut groups = Groups::new(GroupKey::Player);
/// for (white, black) in [("Tal", "Keres"), ("Keres", "Tal")] {
///     let game = Game::builder().white(white).black(black).result(Outcome::WhiteWins).build();
///     groups.add(groups.entry(&game));
/// }
/// let (name, score) = groups.most(1)[0];
/// assert_eq!((name, score.games(), score.wins()), ("Keres", 2, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Groups {
    key: GroupKey,
    values: HashMap<GroupValue, Group>,
    games: u64,
    byes: u64,
    not_counted: u64,
}

/// The largest number of different positions. Memory is bounded by it.
const MAX_POSITIONS: usize = 2_000_000;

#[derive(Clone, Default, Debug)]
struct Group {
    text: String,
    score: Score,
    /// What the games tell about a player.
    seen: NameUse,
}

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupEntry {
    /// The value that is compared, the value as spelled, and the side whose score it is.
    values: Vec<(GroupValue, String, Color)>,
    /// The players, if the values are players.
    players: [Option<(String, NameUse)>; 2],
    score: GameFacts,
    is_bye: bool,
}

/// Names that were joined, since they are proved to be one person's.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JoinedNames {
    /// The name of the person, which is the best-formed one.
    pub name: String,
    /// All names with their numbers of games, the most frequent ones first.
    pub spellings: Vec<(String, u64)>,
}

impl Groups {
    /// Creates scores without games.
    pub fn new(key: GroupKey) -> Groups {
        Groups {
            key,
            values: HashMap::new(),
            games: 0,
            byes: 0,
            not_counted: 0,
        }
    }

    /// Returns the contribution of a game.
    pub fn entry(&self, game: &Game) -> GroupEntry {
        self.entry_of(game, [true, true])
    }

    /// Returns the contribution of a game; only the sides of one player count.
    pub fn entry_of(&self, game: &Game, sides: [bool; 2]) -> GroupEntry {
        let is_of_players = self.key.is_of_players();
        // A bye is a point, but no game that its player won or lost.
        let is_bye = is_of_players && is_bye_game(game);
        let sides = if is_bye { [false; 2] } else { sides };
        let counts = |side: &Color| {
            let [white, black] = sides;
            side.pick(white, black)
        };
        let sides = self.key.sides().iter().copied().filter(counts);
        let values = sides.map(|side| {
            let value = self.key.value(game, side);
            let mut compared = GroupValue {
                order: value.order,
                text: String::new(),
            };
            // Spellings of a player stay apart until `join_persons` has seen all games, and
            // letters of a position differ by case.
            if is_of_players || matches!(self.key, GroupKey::Position(_)) {
                compared.text.push_str(&value.text);
            } else {
                fold(&value.text, &mut compared.text);
            }
            (compared, value.text, side)
        });
        GroupEntry {
            values: values.collect(),
            players: if is_of_players && !is_bye {
                // Only names of the same words are joined.
                NameUse::of_opponents(game, may_have_same_words)
            } else {
                [None, None]
            },
            score: GameFacts::new(game),
            is_bye,
        }
    }

    /// Adds the contribution of a game.
    pub fn add(&mut self, entry: GroupEntry) {
        self.games += u64::from(!entry.is_bye);
        self.byes += u64::from(entry.is_bye);
        let [white, black] = &entry.players;
        let is_full = matches!(self.key, GroupKey::Position(_)) && self.len() >= MAX_POSITIONS;
        let is_new = |(value, ..): &(GroupValue, String, Color)| !self.values.contains_key(value);
        if is_full && entry.values.iter().any(is_new) {
            self.not_counted += 1;
            return;
        }
        for (compared, text, side) in entry.values {
            let group = self.values.entry(compared).or_insert_with(|| Group {
                text,
                ..Group::default()
            });
            group.score.add(side, &entry.score);
            if let Some((_, seen)) = side.pick(white, black) {
                group.seen.add(seen);
            }
        }
    }

    /// Joins the names of players that are proved to be one person's ([`proved_persons`]), and
    /// returns them in alphabetical order.
    pub fn join_persons(&mut self) -> Vec<JoinedNames> {
        if !self.key.is_of_players() {
            return Vec::new();
        }
        let groups = std::mem::take(&mut self.values).into_values();
        let parts = groups.map(|group| ((group.text, group.seen), group.score));
        let (names, mut scores): (Vec<(String, NameUse)>, Vec<Score>) = parts.unzip();
        let mut is_other = vec![false; names.len()];
        let mut joined = Vec::new();
        for person in proved_persons(&names) {
            let named = person.iter().filter_map(|n| Some((*n, names.get(*n)?)));
            let Some((best, (name, _))) = named.clone().max_by_key(|(_, one)| best_form(one))
            else {
                continue;
            };
            let mut spellings: Vec<(String, u64)> = named
                .map(|(_, (name, seen))| (name.clone(), seen.games))
                .collect();
            sort_by(&mut spellings, |a, b| {
                (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0))
            });
            joined.push(JoinedNames {
                name: name.clone(),
                spellings,
            });
            for n in person.into_iter().filter(|n| *n != best) {
                let other = scores.get(n).copied().unwrap_or_default();
                if let (Some(score), Some(is_other)) = (scores.get_mut(best), is_other.get_mut(n)) {
                    score.merge(&other);
                    *is_other = true;
                }
            }
        }
        // The scores of names that were joined are part of another score by now.
        self.values = names
            .into_iter()
            .zip(scores)
            .zip(is_other)
            .filter(|(_, is_other)| !is_other)
            .map(|(((text, seen), score), _)| {
                (GroupValue::text(&text), Group { text, score, seen })
            })
            .collect();
        sort_by(&mut joined, |a, b| a.name.cmp(&b.name));
        joined
    }

    /// Returns the key.
    pub fn key(&self) -> &GroupKey {
        &self.key
    }

    /// Returns the number of games, without byes if the values are players.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the number of byes, if the values are players.
    pub fn byes(&self) -> u64 {
        self.byes
    }

    /// Returns the number of games that have no score, because there are too many different values:
    /// two million positions. The scores of the values that were seen first are complete.
    pub fn not_counted(&self) -> u64 {
        self.not_counted
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether no game was added.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the values with the most games and their scores; the value is empty if it is
    /// unknown. Equal ones are sorted by value. If the values have a natural order
    /// ([`GroupKey::is_ordered`]), they are returned in this order.
    pub fn most(&self, limit: usize) -> Vec<(&str, Score)> {
        let mut values: Vec<_> = self.values.iter().collect();
        sort_by_key(&mut values, |(value, group)| {
            (Reverse(group.score.games()), *value)
        });
        values.truncate(limit);
        if self.key.is_ordered() {
            sort_by_key(&mut values, |(value, _)| *value);
        }
        values
            .into_iter()
            .map(|(_, group)| (group.text.as_str(), group.score))
            .collect()
    }
}
