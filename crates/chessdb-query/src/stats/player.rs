//! The report about one player.

use std::collections::{BTreeMap, HashMap, HashSet};

use chessdb_core::{Color, Game, Outcome};

use super::accuracy::{Accuracy, AccuracyEntry};
use super::group_key::opening_name;
use super::label::GameLabel;
use super::score::Score;
use super::thinking::{ThinkingEntry, ThinkingTime, folded_names, names_of};
use super::{most_frequent, most_games};
use crate::fold::folded;
use crate::names::{absent_side, known_text};
use crate::tally::GameFacts;
use crate::{Query, QueryError, QueryOptions};

/// Recognizes a player by a part of the name, as the term `player` of a query does.
#[derive(Clone, Debug)]
pub struct PlayerFilter {
    sides: [Query; 2],
    /// The only names that count, if they are known.
    names: Option<HashSet<String>>,
}

impl PlayerFilter {
    /// Creates a filter for a part of a name, or a regular expression between slashes.
    ///
    /// # Errors
    ///
    /// Returns a [`QueryError`] for an empty name and an invalid regular expression.
    pub fn new(name: &str) -> Result<PlayerFilter, QueryError> {
        let query = |key: &str| {
            let term = PlayerFilter::term(key, name);
            Query::parse(&term, QueryOptions::default())
        };
        Ok(PlayerFilter {
            sides: [query("white")?, query("black")?],
            names: None,
        })
    }

    /// Recognizes the player by these whole names instead, such as those of
    /// [`one_person`](crate::names::one_person).
    #[must_use]
    pub fn only(mut self, names: impl IntoIterator<Item = String>) -> PlayerFilter {
        self.names = Some(names.into_iter().collect());
        self
    }

    /// Returns the query term for this name, with a key such as `player`.
    pub fn term(key: &str, name: &str) -> String {
        let name = name.trim();
        if name.len() > 1 && name.starts_with('/') && name.ends_with('/') {
            format!("{key}:{name}")
        } else {
            format!("{key}:\"{}\"", name.replace('"', ""))
        }
    }

    /// Returns the name for [`PlayerFilter::new`] and [`PlayerFilter::term`] that finds these whole
    /// names: a regular expression.
    ///
    /// ```
    /// use chessdb_query::stats::player::PlayerFilter;
    ///
    /// let name = PlayerFilter::whole_names(["Birch,N", "N. Birch"]);
    /// assert_eq!(name, r"/^(Birch,N|N\. Birch)$/");
    /// ```
    pub fn whole_names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
        let mut text = String::from("/^(");
        for (n, name) in names.into_iter().enumerate() {
            text.push_str(if n > 0 { "|" } else { "" });
            for letter in name.chars() {
                match letter {
                    // Apostrophes are not compared.
                    '`' => text.push('\''),
                    '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
                    | '\\' | '/' => text.extend(['\\', letter]),
                    letter => text.push(letter),
                }
            }
        }
        text + ")$/"
    }

    /// Returns whether White and Black are the player.
    pub fn sides(&self, game: &Game) -> [bool; 2] {
        if let Some(names) = &self.names {
            return [game.white(), game.black()].map(|name| names.contains(known_text(&name)));
        }
        let [white, black] = &self.sides;
        [white.matches(game), black.matches(game)]
    }
}

/// The results of a player: by colour, year, opening and opponent.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct PlayerReport {
    /// The score, without byes.
    pub score: Score,
    /// The number of byes: points without an opponent.
    pub byes: u64,
    /// The score by year; 0 is unknown.
    pub years: BTreeMap<u16, Score>,
    /// The win against the highest rated opponent.
    pub best_win: Option<GameLabel>,
    /// The thinking time, if games have clocks.
    pub thinking: ThinkingTime,
    /// The accuracy, if games have evaluations.
    pub accuracy: Accuracy,
    best_rating: u16,
    names: HashMap<String, u64>,
    openings: [HashMap<String, (String, Score)>; 2],
    opponents: HashMap<String, (String, Score)>,
}

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Clone, Debug)]
pub struct PlayerEntry {
    sides: [bool; 2],
    is_bye: bool,
    score: GameFacts,
    year: u16,
    /// The folded and original names.
    names: [(String, String); 2],
    opening: (String, String),
    thinking: Option<ThinkingEntry>,
    accuracy: Option<AccuracyEntry>,
    /// The game, if the player won against a rated opponent.
    win: Option<(u16, GameLabel)>,
}

impl PlayerEntry {
    /// Returns the contribution of a game. `sides` is from [`PlayerFilter::sides`], and `label`
    /// describes the game.
    pub fn from_game(game: &Game, sides: [bool; 2], label: impl Fn() -> GameLabel) -> PlayerEntry {
        let opening = opening_name(game);
        let [white, black] = sides;
        let loser = match game.result() {
            Outcome::WhiteWins if white => Some(Color::Black),
            Outcome::BlackWins if black => Some(Color::White),
            _ => None,
        };
        let beaten = loser.and_then(|loser| game.rating(loser));
        let names = folded_names(game);
        PlayerEntry {
            sides,
            is_bye: absent_side(game, names_of(&names)).is_some(),
            score: GameFacts::new(game),
            year: game.effective_date().year,
            names,
            opening: (folded(&opening), opening),
            thinking: ThinkingEntry::from_game(game, &label),
            accuracy: AccuracyEntry::from_game(game),
            win: beaten.map(|rating| (rating.value, label())),
        }
    }
}

impl PlayerReport {
    /// Adds the contribution of a game. In a game of the player against a namesake, both sides
    /// count.
    pub fn add(&mut self, game: PlayerEntry) {
        let [white, black] = game.sides;
        if game.is_bye {
            self.byes += u64::from(white || black);
            return;
        }
        for side in Color::ALL {
            if !side.pick(white, black) {
                continue;
            }
            let [(_, of_white), (_, of_black)] = &game.names;
            let name = side.pick(of_white, of_black);
            *self.names.entry(name.clone()).or_default() += 1;
            self.score.add(side, &game.score);
            self.years
                .entry(game.year)
                .or_default()
                .add(side, &game.score);
            let [whites, blacks] = &mut self.openings;
            let (folded, opening) = game.opening.clone();
            let counted = side.pick(whites, blacks).entry(folded);
            let (_, score) = counted.or_insert((opening, Score::default()));
            score.add(side, &game.score);
            let [first, second] = game.names.clone();
            let (folded, opponent) = side.pick(second, first);
            let counted = self.opponents.entry(folded);
            let (_, score) = counted.or_insert((opponent, Score::default()));
            score.add(side, &game.score);
            if let Some(thinking) = &game.thinking {
                self.thinking.merge(thinking.side(side));
            }
            if let Some(accuracy) = &game.accuracy {
                self.accuracy.merge(accuracy.side(side));
            }
        }
        if let Some((rating, label)) = game.win
            && rating > self.best_rating
        {
            self.best_rating = rating;
            self.best_win = Some(label);
        }
    }

    /// Returns the spellings of the name with their numbers of games, the most frequent first.
    pub fn names(&self) -> Vec<(&str, u64)> {
        most_frequent(&self.names, usize::MAX, |&games| games)
    }

    /// Returns the openings with the most games of one colour.
    pub fn openings(&self, side: Color, limit: usize) -> Vec<(&str, Score)> {
        let [white, black] = &self.openings;
        most_games(side.pick(white, black), limit, Score::games)
    }

    /// Returns the number of openings of one colour.
    pub fn opening_count(&self, side: Color) -> usize {
        let [white, black] = &self.openings;
        side.pick(white, black).len()
    }

    /// Returns the opponents with the most games.
    pub fn opponents(&self, limit: usize) -> Vec<(&str, Score)> {
        most_games(&self.opponents, limit, Score::games)
    }

    /// Returns the number of opponents.
    pub fn opponent_count(&self) -> usize {
        self.opponents.len()
    }
}
