//! The task that reports on a player in the listed games.

use chessdb::core::{Color, Outcome};
use chessdb::query::{GameLabel, PlayerEntry, PlayerFilter, PlayerReport, Score, Tally};
use serde_json::{Value, json};

use super::{Task, each_listed};
use crate::failure::{Failure, Result};
use crate::page::open_database::OpenDatabase;
use crate::tokens::result;

/// The number of openings and opponents that are listed.
const LISTED: usize = 12;

pub(super) struct Player {
    filter: PlayerFilter,
    report: PlayerReport,
}

impl Player {
    pub(super) fn new(name: &str) -> Result<Player> {
        let filter = PlayerFilter::new(name);
        Ok(Player {
            filter: filter.map_err(|error| Failure::new("query", error.to_string()))?,
            report: PlayerReport::default(),
        })
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
        base.listed()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        each_listed(base, from, to, |_, index, game| {
            let sides = self.filter.sides(game);
            if sides != [false, false] {
                let label = || GameLabel::new(game, "", index + 1);
                self.report.add(PlayerEntry::of(game, sides, label));
            }
        });
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let report = &self.report;
        let names: Vec<Value> = report
            .names()
            .iter()
            .map(|(name, games)| json!([name, games]))
            .collect();
        let years = report.years.iter().filter(|(year, _)| **year > 0);
        let years: Vec<Value> = years
            .map(|(&year, score)| row(year.into(), score))
            .collect();
        let best = report.best_win.as_ref();
        Ok(json!({
            "names": names,
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
