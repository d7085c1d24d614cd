//! The texts of a cross-table, for a terminal, a spreadsheet or a page.

use std::collections::BTreeMap;

use super::{Crosstable, TableGame, TableKind, TieBreak};
use crate::names::known_text;
use crate::stats::tie_breaks::round_number;

/// A column of a cross-table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TableColumn {
    /// The title.
    pub title: String,
    /// The text of each player, in the order of [`Crosstable::players`].
    pub cells: Vec<String>,
}

/// The games of two players of a table against each other.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TablePair {
    /// The players, as indexes in [`Crosstable::players`].
    pub players: [usize; 2],
    /// Twice the points of each.
    pub half_points: [u32; 2],
    /// The result of each game for the first player: `1`, `½`, `0`, or `*` if it is unknown.
    pub results: String,
}

/// Returns points: `8½` for 17 half points.
///
/// ```
/// use chessdb_query::stats::crosstable::points_text;
///
/// assert_eq!([0, 1, 2, 17].map(points_text), ["0", "½", "1", "8½"]);
/// ```
pub fn points_text(half_points: u32) -> String {
    match (half_points / 2, half_points % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}

/// Returns the title of a round: `Round 3` for `3` and for `3.2`, the text itself for a stage such as
/// `Final`. `None` if the round is unknown.
pub fn round_title(round: &str) -> Option<String> {
    match known_text(round) {
        "" | "-" => None,
        round => Some(round_number(round).map_or(round.to_owned(), |n| format!("Round {n}"))),
    }
}

impl TieBreak {
    /// Returns a value as text: `58.25`, or a whole number of wins. `quarters` is four times the
    /// value.
    pub fn text(self, quarters: u32) -> String {
        match self {
            TieBreak::Wins => (quarters / 4).to_string(),
            TieBreak::DirectEncounter | TieBreak::Progressive => points_text(quarters / 2),
            _ => format!("{:.2}", f64::from(quarters) / 4.0),
        }
    }
}

impl TableGame {
    /// Returns the result for this player: `1`, `½`, `0`, or `*` if it is unknown.
    pub fn result(&self) -> char {
        match self.half_points {
            Some(0) => '0',
            Some(1) => '½',
            Some(_) => '1',
            None => '*',
        }
    }

    /// Returns the number of the opponent, the colour and the result: `12w+`; for a bye its points:
    /// `-½`.
    pub fn round_text(&self) -> String {
        let Some(opponent) = self.opponent else {
            return format!("-{}", self.result());
        };
        let sign = match self.half_points {
            Some(0) => '-',
            Some(1) => '=',
            Some(_) => '+',
            None => '*',
        };
        format!("{}{}{sign}", opponent + 1, self.side.pick('w', 'b'))
    }
}

impl Crosstable {
    /// Returns the place, if it is known and not the name of the event.
    pub fn place(&self) -> Option<&str> {
        // Games of the web often have their address as the site.
        Some(known_text(&self.site))
            .filter(|place| !place.is_empty() && !place.contains("://") && *place != self.event)
    }

    /// Returns the dates: `1993.02.23 to 1993.03.14`, or one date. `None` if they are unknown.
    pub fn period(&self) -> Option<String> {
        let (first, last) = self.dates?;
        let [first, last] = [first, last].map(|date| date.to_string().replace(".??", ""));
        Some(if first == last { first } else { format!("{first} to {last}") })
    }

    /// Returns a column of results for each opponent, with `x` in the line of the opponent and `.`
    /// without a game. Byes are in a last column, so that the results of a line add up to the points.
    pub fn results_by_opponent(&self) -> Vec<TableColumn> {
        let byes = (self.byes > 0).then_some(None);
        let opponents = (0..self.players.len()).map(Some).chain(byes);
        let columns = opponents.map(|opponent| TableColumn {
            title: opponent.map_or("-".to_owned(), |opponent| (opponent + 1).to_string()),
            cells: self.cells(|rank| {
                let games = self
                    .players
                    .get(rank)
                    .map_or(&[][..], |player| &player.games);
                let games = games.iter().filter(|game| game.opponent == opponent);
                let results: String = games.map(TableGame::result).collect();
                match results.is_empty() {
                    true if opponent == Some(rank) => "x".to_owned(),
                    true => ".".to_owned(),
                    false => results,
                }
            }),
        });
        columns.collect()
    }

    /// Returns a column for each round: opponent, colour and result ([`TableGame::round_text`]).
    pub fn results_by_round(&self) -> Vec<TableColumn> {
        let games = self.players.iter().flat_map(|player| &player.games);
        let rounds = games.map(|game| game.round_number).max().unwrap_or(0);
        let columns = (1..=rounds).map(|round| TableColumn {
            title: round.to_string(),
            cells: self.cells(|rank| {
                let games = self
                    .players
                    .get(rank)
                    .map_or(&[][..], |player| &player.games);
                let game = games.iter().find(|game| game.round_number == round);
                game.map_or(String::new(), TableGame::round_text)
            }),
        });
        columns.collect()
    }

    /// Returns the points, and the tie-breaks by which the players are ranked.
    pub fn totals(&self) -> Vec<TableColumn> {
        let points = TableColumn {
            title: "Points".to_owned(),
            cells: self
                .players
                .iter()
                .map(|player| points_text(player.half_points))
                .collect(),
        };
        let tie_breaks = self.ranked_by.iter().map(|&tie_break| {
            let values = self.players.iter().map(|player| {
                let quarters = player.tie_breaks.quarters(tie_break);
                quarters.map_or(String::new(), |quarters| tie_break.text(quarters))
            });
            TableColumn {
                title: tie_break.title().to_owned(),
                cells: values.collect(),
            }
        });
        [points].into_iter().chain(tie_breaks).collect()
    }

    /// Returns the performances, and the rating changes with this `factor`
    /// ([`TablePlayer::rating_change`](super::TablePlayer::rating_change)).
    pub fn rating_changes(&self, factor: Option<u32>) -> [TableColumn; 2] {
        let performances = self.players.iter().map(|player| {
            let performance = player.score.performance();
            performance.map_or(String::new(), |performance| performance.to_string())
        });
        let changes = self.players.iter().map(|player| {
            let change = player.rating_change(&self.players, factor);
            change.map_or(String::new(), |change| format!("{:+.1}", change.points))
        });
        [
            ("Perf", performances.collect()),
            ("Elo+-", changes.collect()),
        ]
        .map(|(title, cells)| TableColumn {
            title: title.to_owned(),
            cells,
        })
    }

    /// Returns the pairs of players that met, in the order of their first games.
    pub fn pairs(&self) -> Vec<TablePair> {
        let mut pairs: BTreeMap<(usize, usize), Vec<&TableGame>> = BTreeMap::new();
        for (rank, player) in self.players.iter().enumerate() {
            for game in &player.games {
                if let Some(opponent) = game.opponent.filter(|opponent| *opponent > rank) {
                    pairs.entry((rank, opponent)).or_default().push(game);
                }
            }
        }
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_by_key(|(_, games)| games.first().map(|game| game.place));
        let pairs = pairs.into_iter().map(|((one, other), games)| {
            let own = games.iter().filter_map(|game| game.half_points);
            TablePair {
                players: [one, other],
                half_points: [
                    own.clone().sum(),
                    own.map(|half_points| 2 - half_points).sum(),
                ],
                results: games.iter().map(|game| game.result()).collect(),
            }
        });
        pairs.collect()
    }

    /// Returns the columns of results that fit the kind of the table; none for pairs.
    pub fn results(&self) -> Vec<TableColumn> {
        match self.kind {
            TableKind::Grid => self.results_by_opponent(),
            TableKind::Rounds => self.results_by_round(),
            TableKind::Pairs => Vec::new(),
        }
    }

    fn cells(&self, text: impl Fn(usize) -> String) -> Vec<String> {
        (0..self.players.len()).map(text).collect()
    }
}
