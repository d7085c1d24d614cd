//! The task that computes statistics of the listed games.

use std::collections::{BTreeMap, HashMap};

use chessdb::core::{Color, Outcome};
use chessdb::query::stats::{GameStats, Stats};
use serde_json::{Value, json};

use super::{Task, each_listed};
use crate::failure::Result;
use crate::page::open_database::OpenDatabase;
use crate::page::rows::short;
use chessdb::core::sorting::sort_by;

/// The number of players and openings that are listed.
const NAMED: usize = 12;

/// Numbers of wins, draws and losses.
type Score = [u64; 3];

#[derive(Default)]
pub(super) struct Statistics {
    stats: Stats,
    /// Scores from White's point of view.
    openings: BTreeMap<u16, Score>,
    players: HashMap<String, Player>,
    rated: u64,
}

/// The games of a player: the score from the player's point of view, the number of games, and the
/// first and last year.
#[derive(Default)]
struct Player {
    score: Score,
    games: u64,
    years: Option<(u16, u16)>,
}

/// Returns the index of the outcome in a [`Score`], from White's point of view.
fn place(outcome: Outcome) -> Option<usize> {
    match outcome {
        Outcome::WhiteWins => Some(0),
        Outcome::Draw => Some(1),
        Outcome::BlackWins => Some(2),
        Outcome::Unknown => None,
    }
}

fn count(score: &mut Score, place: Option<usize>) {
    if let Some(count) = place.and_then(|place| score.get_mut(place)) {
        *count += 1;
    }
}

impl Player {
    fn add(&mut self, place: Option<usize>, year: u16) {
        self.games += 1;
        count(&mut self.score, place);
        if year > 0 {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
    }
}

impl Task for Statistics {
    fn len(&self, base: &OpenDatabase) -> u32 {
        base.listed()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        each_listed(base, from, to, |_, _, game| {
            self.stats.add(GameStats::from_game(game));
            let place = place(game.result());
            if let Some(eco) = game.eco() {
                count(self.openings.entry(eco.code).or_default(), place);
            }
            let year = game.effective_date().year;
            for color in Color::ALL {
                let name = match color {
                    Color::White => short(&game.white()),
                    Color::Black => short(&game.black()),
                };
                if name.is_empty() {
                    continue;
                }
                let own = match color {
                    Color::White => place,
                    Color::Black => place.map(|place| 2 - place),
                };
                self.players.entry(name).or_default().add(own, year);
            }
            let both = Color::ALL.iter().all(|&color| game.elo(color).is_some());
            self.rated += u64::from(both);
        });
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let stats = &self.stats;
        let mut players: Vec<(&String, &Player)> = self.players.iter().collect();
        sort_by(&mut players, |a, b| {
            b.1.games.cmp(&a.1.games).then(a.0.cmp(b.0))
        });
        players.truncate(NAMED);
        let players: Vec<Value> = players
            .into_iter()
            .map(|(name, player)| json!([name, player.games, player.score, player.years]))
            .collect();
        let openings: Vec<Value> = stats
            .openings
            .iter()
            .map(|(code, games)| json!([code, games, self.openings.get(code)]))
            .collect();
        let (named, events) = stats.names();
        let pairs = |map: &mut dyn Iterator<Item = (u32, u64)>| -> Value {
            map.map(|(key, count)| json!([key, count])).collect()
        };
        let years = pairs(&mut stats.years.iter().map(|(&key, &count)| (key.into(), count)));
        let ratings = pairs(
            &mut stats
                .ratings
                .iter()
                .map(|(&key, &count)| (key.into(), count)),
        );
        let lengths = pairs(&mut stats.lengths.iter().map(|(&key, &count)| (key, count)));
        let annotations: Vec<Value> = stats
            .annotations
            .named()
            .iter()
            .map(|(name, (games, all))| json!([name, games, all]))
            .collect();
        Ok(json!({
            "games": stats.games,
            "deleted": stats.deleted,
            "results": stats.results,
            "years": years,
            "ratings": ratings,
            "rated": self.rated,
            "lengths": lengths,
            "openings": openings,
            "players": players,
            "names": { "players": named, "events": events },
            "annotations": annotations,
        }))
    }
}
