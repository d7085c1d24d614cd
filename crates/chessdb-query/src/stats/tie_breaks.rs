//! The ranking of the players of an event: tie-breaks (FIDE Handbook, C.07) and rating changes
//! (B.02, 8.1 and 8.3).

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::str::FromStr;

use super::crosstable::{TableKind, TablePlayer};
use crate::tally::expected_score;

/// A number that ranks players with equal points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TieBreak {
    /// The points in the games of the tied players, if all of them have met.
    DirectEncounter,
    /// The sum of the opponents' points. A bye counts as an opponent with the same points.
    Buchholz,
    /// Buchholz without the opponent with the fewest points.
    BuchholzCut1,
    /// The points of the opponents that were beaten, and half the points of the opponents in draws. Except in
    /// round robins, a bye counts as an opponent with the same points.
    SonnebornBerger,
    /// The sum of the points after each round.
    Progressive,
    /// The number of wins, also without an opponent.
    Wins,
}

impl TieBreak {
    /// All tie-breaks.
    pub const ALL: [TieBreak; 6] = [
        TieBreak::DirectEncounter,
        TieBreak::Buchholz,
        TieBreak::BuchholzCut1,
        TieBreak::SonnebornBerger,
        TieBreak::Progressive,
        TieBreak::Wins,
    ];

    /// Returns the name, such as `buchholz-cut1`.
    pub fn name(self) -> &'static str {
        match self {
            TieBreak::DirectEncounter => "direct",
            TieBreak::Buchholz => "buchholz",
            TieBreak::BuchholzCut1 => "buchholz-cut1",
            TieBreak::SonnebornBerger => "sonneborn-berger",
            TieBreak::Progressive => "progressive",
            TieBreak::Wins => "wins",
        }
    }

    /// Returns the title of a column.
    pub fn title(self) -> &'static str {
        match self {
            TieBreak::DirectEncounter => "Direct",
            TieBreak::Buchholz => "Buchholz",
            TieBreak::BuchholzCut1 => "Buch-1",
            TieBreak::SonnebornBerger => "SB",
            TieBreak::Progressive => "Progr",
            TieBreak::Wins => "Wins",
        }
    }

    /// Returns the tie-breaks of a kind of event, if its rules are unknown.
    pub fn defaults(kind: TableKind) -> &'static [TieBreak] {
        match kind {
            TableKind::Grid => &[TieBreak::SonnebornBerger],
            _ => &[TieBreak::Buchholz],
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

impl FromStr for TieBreak {
    type Err = String;

    /// Parses a name or one of FIDE's acronyms, ignoring case: `DE`, `BH`, `BH-C1`, `SB`, `PS`,
    /// `WIN`.
    fn from_str(text: &str) -> Result<TieBreak, String> {
        Ok(match text.trim().to_ascii_lowercase().as_str() {
            "direct" | "direct-encounter" | "de" => TieBreak::DirectEncounter,
            "buchholz" | "bh" => TieBreak::Buchholz,
            "buchholz-cut1" | "buchholz-cut-1" | "bh-c1" | "bhc1" => TieBreak::BuchholzCut1,
            "sonneborn-berger" | "sonneborn" | "sb" => TieBreak::SonnebornBerger,
            "progressive" | "ps" => TieBreak::Progressive,
            "wins" | "win" => TieBreak::Wins,
            _ => {
                let names = TieBreak::ALL.map(TieBreak::name).join(", ");
                return Err(format!("the tie-breaks are {names}"));
            }
        })
    }
}

/// The tie-breaks of a player.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TieBreaks([Option<u32>; TieBreak::ALL.len()]);

impl TieBreaks {
    /// Returns a tie-break in quarters: 233 for 58.25. `None` for the direct encounter of players of
    /// whom not all met, or without other players with equal points.
    pub fn quarters(&self, tie_break: TieBreak) -> Option<u32> {
        self.0.get(tie_break.index()).copied().flatten()
    }

    fn set(&mut self, tie_break: TieBreak, quarters: Option<u32>) {
        if let Some(value) = self.0.get_mut(tie_break.index()) {
            *value = quarters;
        }
    }
}

/// Sets the numbers of the rounds. If a round is unknown or a player has two games in one, the games
/// of each player are numbered.
pub(super) fn number_rounds(players: &mut [TablePlayer]) {
    let numbers = |player: &TablePlayer| {
        let numbers: Option<Vec<usize>> = player
            .games
            .iter()
            .map(|game| round_number(&game.round))
            .collect();
        let numbers = numbers?;
        let distinct: HashSet<&usize> = numbers.iter().collect();
        (distinct.len() == numbers.len()).then_some(numbers)
    };
    let numbered: Option<Vec<Vec<usize>>> = players.iter().map(numbers).collect();
    let numbered = numbered.unwrap_or_else(|| {
        let players = players.iter();
        players
            .map(|player| (1..=player.games.len()).collect())
            .collect()
    });
    for (player, numbers) in players.iter_mut().zip(numbered) {
        for (game, number) in player.games.iter_mut().zip(numbers) {
            game.round_number = number;
        }
    }
}

/// Returns the number at the start of a round: 3 for `3.2`. `None` for a stage such as `1/8`.
pub(super) fn round_number(round: &str) -> Option<usize> {
    let end = round.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = round.split_at(end.unwrap_or(round.len()));
    let number = number.parse().ok().filter(|_| !rest.starts_with('/'))?;
    // Each round is a column, so a wrong number must not make thousands of them.
    (1..=200).contains(&number).then_some(number)
}

/// Computes the tie-breaks of players, and returns their indexes from the first to the last place by
/// points and these tie-breaks; equal players by name.
pub(super) fn rank(players: &mut [TablePlayer], kind: TableKind, order: &[TieBreak]) -> Vec<usize> {
    let points: Vec<u32> = players.iter().map(|player| player.half_points).collect();
    let rounds = players.iter().flat_map(|player| &player.games);
    let rounds = rounds.map(|game| game.round_number).max().unwrap_or(0);
    for player in players.iter_mut() {
        player.tie_breaks = own_tie_breaks(player, kind, &points, rounds);
    }
    let by_points = split(vec![(0..players.len()).collect()], |n| {
        points.get(n).copied()
    });
    for group in &by_points {
        for (n, quarters) in direct_encounters(players, group) {
            if let Some(player) = players.get_mut(n) {
                player
                    .tie_breaks
                    .set(TieBreak::DirectEncounter, Some(quarters));
            }
        }
    }
    let mut groups = by_points;
    for &tie_break in order {
        if tie_break == TieBreak::DirectEncounter {
            // Players who are still tied are compared again, without the others.
            loop {
                let before = groups.len();
                let tied = groups
                    .iter()
                    .flat_map(|group| direct_encounters(players, group));
                let values: BTreeMap<usize, u32> = tied.collect();
                groups = split(groups, |n| values.get(&n).copied());
                if groups.len() == before {
                    break;
                }
            }
        } else {
            groups = split(groups, |n| players.get(n)?.tie_breaks.quarters(tie_break));
        }
    }
    for group in &mut groups {
        group.sort_by_key(|&n| players.get(n).map(|player| player.name.clone()));
    }
    groups.into_iter().flatten().collect()
}

/// Splits groups of players by a value, the largest first.
fn split(groups: Vec<Vec<usize>>, value: impl Fn(usize) -> Option<u32>) -> Vec<Vec<usize>> {
    let parts = groups.into_iter().flat_map(|group| {
        let mut parts: BTreeMap<Reverse<Option<u32>>, Vec<usize>> = BTreeMap::new();
        for n in group {
            parts.entry(Reverse(value(n))).or_default().push(n);
        }
        parts.into_values()
    });
    parts.collect()
}

/// Returns the points of tied players against each other, in quarters; nothing if two of them have
/// not met.
fn direct_encounters(players: &[TablePlayer], tied: &[usize]) -> Vec<(usize, u32)> {
    let points = |&n: &usize| {
        let player = players.get(n)?;
        let games = player.games.iter();
        let games = games.filter(|game| game.opponent.is_some_and(|other| tied.contains(&other)));
        let mut opponents: Vec<usize> = games.clone().filter_map(|game| game.opponent).collect();
        opponents.sort_unstable();
        opponents.dedup();
        let half_points: u32 = games.filter_map(|game| game.half_points).sum();
        (opponents.len() + 1 == tied.len()).then_some((n, 2 * half_points))
    };
    if tied.len() < 2 {
        return Vec::new();
    }
    let all: Option<Vec<(usize, u32)>> = tied.iter().map(points).collect();
    all.unwrap_or_default()
}

/// Returns the tie-breaks that do not depend on which players are tied. `points` are the half points
/// of all players.
fn own_tie_breaks(
    player: &TablePlayer,
    kind: TableKind,
    points: &[u32],
    rounds: usize,
) -> TieBreaks {
    // Each game with the half points of the opponent. Of a bye, these are the player's own: C.07
    // replaces unplayed rounds by such a dummy opponent. A round robin has its unplayed games with
    // its opponents, so there a bye counts nothing.
    let of_byes = if kind == TableKind::Grid { 0 } else { player.half_points };
    let games: Vec<(u32, u32)> = player
        .games
        .iter()
        .map(|game| {
            let opponent = game
                .opponent
                .map_or(Some(of_byes), |n| points.get(n).copied());
            (game.half_points.unwrap_or(0), opponent.unwrap_or(0))
        })
        .collect();
    let buchholz: u32 = games.iter().map(|(_, opponent)| 2 * opponent).sum();
    let lowest = games.iter().map(|(_, opponent)| 2 * opponent).min();
    // Both factors are doubled, so the product is four times the tie-break.
    let sonneborn_berger = games.iter().map(|(own, opponent)| own * opponent).sum();
    // A result counts in its round and in all later ones.
    let progressive = player.games.iter().map(|game| {
        let later = (rounds + 1).saturating_sub(game.round_number) as u32;
        2 * game.half_points.unwrap_or(0) * later
    });
    let wins = games.iter().filter(|(own, _)| *own == 2).count() as u32;
    let mut breaks = TieBreaks::default();
    breaks.set(TieBreak::Buchholz, Some(buchholz));
    breaks.set(TieBreak::BuchholzCut1, Some(buchholz - lowest.unwrap_or(0)));
    breaks.set(TieBreak::SonnebornBerger, Some(sonneborn_berger));
    breaks.set(TieBreak::Progressive, Some(progressive.sum()));
    breaks.set(TieBreak::Wins, Some(4 * wins));
    breaks
}

/// The change of a rating by the games of an event.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct RatingChange {
    /// The number of games that count: with a result, and with a rating of the opponent.
    pub games: u32,
    /// The points that were expected in these games.
    pub expected: f64,
    /// The factor that the difference of points was multiplied with.
    pub factor: u32,
    /// The change.
    pub points: f64,
}

/// The factors of B.02, 8.3.3, as far as the games show: 10 for players from 2400, 20 for others.
fn usual_factor(rating: u16) -> u32 {
    if rating >= 2400 { 10 } else { 20 }
}

impl TablePlayer {
    /// Returns the change of the player's rating. `players` are all players of the table. Without a
    /// `factor` (K) it is 10 for a rating of at least 2400, otherwise 20. `None` without a rating, or
    /// without a game that counts.
    ///
    /// A difference of ratings counts as at most 400 points.
    pub fn rating_change(
        &self,
        players: &[TablePlayer],
        factor: Option<u32>,
    ) -> Option<RatingChange> {
        let rating = self.rating?;
        let (mut games, mut hundredths, mut expected) = (0, 0, 0);
        for game in &self.games {
            let opponent = game.opponent.and_then(|n| players.get(n)?.rating);
            if let (Some(opponent), Some(half_points)) = (opponent, game.half_points) {
                games += 1;
                hundredths += 50 * i64::from(half_points);
                expected += i64::from(expected_score(rating, opponent));
            }
        }
        let factor = factor.unwrap_or_else(|| usual_factor(rating));
        (games > 0).then(|| RatingChange {
            games,
            expected: expected as f64 / 100.0,
            factor,
            points: (i64::from(factor) * (hundredths - expected)) as f64 / 100.0,
        })
    }
}
