//! The task that reports on a player in the listed games.

use std::collections::{BTreeMap, BTreeSet};

use chessdb::Game;
use chessdb::core::{Color, Outcome};
use chessdb::query::names::{NameUse, one_person};
use chessdb::query::stats::player::{PlayerEntry, PlayerFilter, PlayerReport};
use chessdb::query::stats::{GameLabel, Score};
use chessdb::query::tree::Tally;
use serde_json::{Value, json};

use super::{Task, each_listed};
use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;
use crate::tokens::result;

/// The number of openings and opponents that are listed.
const LISTED: usize = 12;

/// The report, made in two passes over the listed games: the first one reads the names, which show
/// who the player is.
pub(super) struct Player {
    filter: PlayerFilter,
    /// The name, and others that the reader added.
    names: Vec<String>,
    /// Whether the name is a whole one; otherwise it may be a part of names, or an expression.
    is_whole: bool,
    uses: BTreeMap<String, NameUse>,
    /// The names that the filter finds.
    matched: BTreeSet<String>,
    person: Option<Person>,
    report: PlayerReport,
}

/// Whose games are counted.
#[derive(Default)]
struct Person {
    /// The value that finds the counted names, if that is not the name itself.
    term: Option<String>,
    /// Whether all names are counted that contain the one typed.
    is_part: bool,
    /// Names that may be the same player's, with their numbers of games.
    possible: Vec<(String, u64)>,
}

impl Player {
    pub(super) fn new(request: &Value) -> Result<Player> {
        let name = request.text("name");
        let also = request.get("also").and_then(Value::as_array);
        let also = also.into_iter().flatten().filter_map(Value::as_str);
        let filter = PlayerFilter::new(name);
        Ok(Player {
            filter: filter.map_err(|error| Failure::new("query", error.to_string()))?,
            names: [name]
                .into_iter()
                .chain(also)
                .map(|name| name.trim().to_owned())
                .collect(),
            is_whole: request.flag("whole"),
            uses: BTreeMap::new(),
            matched: BTreeSet::new(),
            person: None,
            report: PlayerReport::default(),
        })
    }

    /// Adds the names of a game.
    fn add_names(&mut self, game: &Game) {
        let matches = self.filter.sides(game);
        let players = NameUse::of_players(game).into_iter().zip(matches);
        for (player, is_matched) in players {
            let Some((name, seen)) = player else { continue };
            if is_matched && !self.matched.contains(&name) {
                self.matched.insert(name.clone());
            }
            self.uses.entry(name).or_default().add(&seen);
        }
    }

    /// Decides whose games are counted, after all names were added: those of one person if the
    /// name is a whole one, or has a comma and is the name of a player.
    fn choose(&mut self) -> Person {
        let names: Vec<(String, NameUse)> = std::mem::take(&mut self.uses).into_iter().collect();
        let is_name = |name: &String| {
            let place = names.binary_search_by_key(&name.as_str(), |(name, _)| name);
            // Several players may have the same surname.
            name.contains(',') && place.is_ok()
        };
        if !self.is_whole && !self.names.first().is_some_and(is_name) {
            return Person {
                is_part: true,
                ..Person::default()
            };
        }
        let asked: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let person = one_person(&names, &asked);
        let name = |n: &usize| Some(names.get(*n)?.0.clone());
        let counted: BTreeSet<String> = person.counted.iter().filter_map(name).collect();
        let possible = person.possible.iter().filter_map(|n| names.get(*n));
        // The page shows a term only if the typed name does not find the same games.
        let is_other = counted != self.matched;
        let term = is_other.then(|| PlayerFilter::whole_names(counted.iter().map(String::as_str)));
        self.filter = self.filter.clone().only(counted);
        Person {
            term,
            is_part: false,
            possible: possible
                .take(LISTED)
                .map(|(name, seen)| (name.clone(), seen.games))
                .collect(),
        }
    }

    /// Adds the player's games among these listed ones to the report.
    fn add_games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) {
        let mut game = std::mem::take(&mut base.game);
        for index in (from..to).map_while(|n| base.nth(n)) {
            let db = base.db();
            let is_player = |game: &Game| self.filter.sides(game) != [false, false];
            // The header rules most games out before their moves are read.
            if db.header_into(index, &mut game).is_ok()
                && is_player(&game)
                && db.game_into(index, &mut game).is_ok()
            {
                let label = || GameLabel::new(&game, "", index + 1);
                let sides = self.filter.sides(&game);
                self.report.add(PlayerEntry::from_game(&game, sides, label));
            }
        }
        base.game = game;
    }
}

/// Returns `[wins, draws, losses]` of the player with this colour.
fn results(tally: &Tally, side: Color) -> [u64; 3] {
    [tally.wins(side), tally.draws, tally.wins(side.other())]
}

/// Returns games, results, score, and average ratings of the player and the opponents.
fn row(name: Value, score: &Score) -> Value {
    json!({
        "name": name,
        "games": score.games(),
        "results": [score.wins(), score.draws(), score.losses()],
        "score": score.share(),
        "elo": score.rating(),
        "opponents": score.opponents(),
        "performance": score.performance(),
    })
}

/// Returns the part of a score with one colour.
fn only(score: &Score, side: Color) -> Value {
    let tally = score.side(side);
    let [wins, draws, losses] = results(tally, side);
    let decided = wins + draws + losses;
    json!({
        "games": tally.games,
        "results": [wins, draws, losses],
        "score": (decided > 0).then(|| (2 * wins + draws) as f64 / (2 * decided) as f64),
        "elo": tally.rating(),
        "opponents": tally.opponents(),
        "performance": tally.performance(),
    })
}

fn rows(scores: Vec<(&str, Score)>) -> Value {
    let rows = scores.iter().filter(|(name, _)| !matches!(*name, "" | "?"));
    rows.map(|(name, score)| row((*name).into(), score))
        .collect()
}

fn label(game: &GameLabel) -> Value {
    json!({
        "game": game.number.saturating_sub(1),
        "players": game.players,
        "ratings": game.ratings,
        "result": result(game.result),
        "date": game.date.to_string(),
        "event": game.event,
    })
}

impl Task for Player {
    fn len(&self, base: &OpenDatabase) -> u32 {
        base.listed().saturating_mul(2)
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let listed = base.listed();
        if from < listed {
            each_listed(base, from, to.min(listed), |_, _, game| {
                self.add_names(game)
            });
        }
        // The second pass counts on: games from `listed` on are the same games again.
        if to > listed {
            if self.person.is_none() {
                self.person = Some(self.choose());
            }
            self.add_games(base, from.saturating_sub(listed), to - listed);
        }
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let report = &self.report;
        let person = self.person.take().unwrap_or_default();
        let years = report.years.iter().filter(|(year, _)| **year > 0);
        let years: Vec<Value> = years
            .map(|(&year, score)| row(year.into(), score))
            .collect();
        let best = report.best_win.as_ref();
        Ok(json!({
            "names": report.names(),
            "part": person.is_part,
            "term": person.term,
            "possible": person.possible,
            "total": row(Value::Null, &report.score),
            "white": only(&report.score, Color::White),
            "black": only(&report.score, Color::Black),
            "whiteOpenings": rows(report.openings(Color::White, LISTED)),
            "blackOpenings": rows(report.openings(Color::Black, LISTED)),
            "opponents": rows(report.opponents(LISTED)),
            "years": years,
            "best": best.filter(|game| game.result != Outcome::Unknown).map(label),
        }))
    }
}
