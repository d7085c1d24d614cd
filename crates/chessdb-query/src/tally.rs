//! A summary of results, ratings and years of many games.

use chessdb_core::{Color, Game, Outcome};

/// Counts and averages over games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Tally {
    /// The number of games.
    pub games: u64,
    /// The number of games that White won.
    pub white: u64,
    /// The number of draws.
    pub draws: u64,
    /// The number of games that Black won.
    pub black: u64,
    /// The sum and number of ratings of the players to move.
    pub ratings: (u64, u64),
    /// The sum and number of ratings of their opponents in games with a result.
    pub opponents: (u64, u64),
    /// The half points scored against these opponents.
    pub half_points: u64,
    /// The latest year; 0 if none is known.
    pub last_year: u16,
    /// The largest number of following half-moves.
    pub longest: u32,
}

/// The properties of one game that a [`Tally`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GameFacts {
    /// The result.
    pub outcome: Outcome,
    /// The ratings of White and Black; 0 if unknown.
    pub ratings: [u16; 2],
    /// The year; 0 if unknown.
    pub year: u16,
    /// The number of half-moves, or of those that follow a position.
    pub plies: u32,
}

impl GameFacts {
    /// Returns the properties of a game.
    pub fn new(game: &Game) -> GameFacts {
        GameFacts::with_plies(game, game.plies())
    }

    /// Returns the properties of the game with this header and number of half-moves.
    pub fn with_plies(header: &Game, plies: u32) -> GameFacts {
        let rating = |color| header.rating(color).map_or(0, |rating| rating.value);
        GameFacts {
            outcome: header.result(),
            ratings: Color::ALL.map(rating),
            year: header.effective_date().year,
            plies,
        }
    }

    /// Returns the sum of both ratings.
    pub fn rating_sum(&self) -> u32 {
        self.ratings.into_iter().map(u32::from).sum()
    }
}

/// Up to three games: those with the highest ratings of both players together come first, then
/// those with the lowest numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestGames([(u32, u32); BestGames::MAX]);

impl BestGames {
    /// The maximum number of games.
    pub const MAX: usize = 3;
    /// No games.
    pub const NONE: BestGames = BestGames([BestGames::NO_GAME; BestGames::MAX]);
    /// The last of all games.
    const NO_GAME: (u32, u32) = (0, u32::MAX);

    /// Adds a game, with the sum of its ratings, if it is one of the best.
    pub fn add(&mut self, rating_sum: u32, game: u32) {
        // Reversed: of games with equal sums, the one with the lower number is better.
        let rank = |&(rating_sum, game): &(u32, u32)| (rating_sum, std::cmp::Reverse(game));
        let mut next = (rating_sum, game);
        for slot in &mut self.0 {
            if rank(&next) > rank(slot) {
                std::mem::swap(slot, &mut next);
            }
        }
    }

    /// Adds the games of another list.
    pub fn merge(&mut self, other: &BestGames) {
        for &(rating_sum, game) in &other.0 {
            self.add(rating_sum, game);
        }
    }

    /// Returns the games, the best first.
    pub fn games(&self) -> impl Iterator<Item = u32> + use<> {
        let games = self
            .0
            .into_iter()
            .filter(|game| *game != BestGames::NO_GAME);
        games.map(|(_, game)| game)
    }
}

impl Tally {
    /// Adds a game with `mover` to move.
    pub fn add(&mut self, mover: Color, game: &GameFacts) {
        let [white, black] = game.ratings;
        self.games += 1;
        let half_points = match game.outcome {
            Outcome::WhiteWins => {
                self.white += 1;
                Some(mover.pick(2, 0))
            }
            Outcome::BlackWins => {
                self.black += 1;
                Some(mover.pick(0, 2))
            }
            Outcome::Draw => {
                self.draws += 1;
                Some(1)
            }
            Outcome::Unknown => None,
        };
        let count = |sum: &mut (u64, u64), rating: u16| {
            sum.0 += u64::from(rating);
            sum.1 += 1;
        };
        let rating = mover.pick(white, black);
        if rating > 0 {
            count(&mut self.ratings, rating);
        }
        let opponent = mover.pick(black, white);
        if let Some(points) = half_points.filter(|_| opponent > 0) {
            count(&mut self.opponents, opponent);
            self.half_points += points;
        }
        self.last_year = self.last_year.max(game.year);
        self.longest = self.longest.max(game.plies);
    }

    /// Adds the games of another tally.
    pub fn merge(&mut self, other: &Tally) {
        self.games += other.games;
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        for (sum, more) in [
            (&mut self.ratings, other.ratings),
            (&mut self.opponents, other.opponents),
        ] {
            sum.0 += more.0;
            sum.1 += more.1;
        }
        self.half_points += other.half_points;
        self.last_year = self.last_year.max(other.last_year);
        self.longest = self.longest.max(other.longest);
    }

    /// Removes the games of another tally, which were added before. The latest year and the largest
    /// number of half-moves stay.
    pub fn remove(&mut self, other: &Tally) {
        for (count, less) in [
            (&mut self.games, other.games),
            (&mut self.white, other.white),
            (&mut self.draws, other.draws),
            (&mut self.black, other.black),
            (&mut self.ratings.0, other.ratings.0),
            (&mut self.ratings.1, other.ratings.1),
            (&mut self.opponents.0, other.opponents.0),
            (&mut self.opponents.1, other.opponents.1),
            (&mut self.half_points, other.half_points),
        ] {
            *count = count.saturating_sub(less);
        }
    }

    /// Returns the number of games that this side won.
    pub fn wins(&self, side: Color) -> u64 {
        side.pick(self.white, self.black)
    }

    /// Returns White's score in the games with a result, from 0 to 1.
    pub fn score(&self) -> Option<f64> {
        let decided = self.white + self.draws + self.black;
        (decided > 0).then(|| (2 * self.white + self.draws) as f64 / (2 * decided) as f64)
    }

    /// Returns the share of draws among the games with a result.
    pub fn draw_share(&self) -> Option<f64> {
        let decided = self.white + self.draws + self.black;
        (decided > 0).then(|| self.draws as f64 / decided as f64)
    }

    /// Returns the average known rating of the players to move.
    pub fn rating(&self) -> Option<u64> {
        average(self.ratings)
    }

    /// Returns the average known rating of their opponents in games with a result.
    pub fn opponents(&self) -> Option<u64> {
        average(self.opponents)
    }

    /// Returns the rating at which these players' score would have been expected: the average of
    /// their opponents plus the difference from FIDE's table for the score.
    pub fn performance(&self) -> Option<i64> {
        let (_, games) = self.opponents;
        let opponents = i64::try_from(average(self.opponents)?).ok()?;
        // `half_points / (2 * games)` in hundredths, rounded to the nearest.
        let hundredths = (self.half_points * 100 + games) / (2 * games).max(1);
        Some(opponents + difference(hundredths))
    }
}

fn average((sum, number): (u64, u64)) -> Option<u64> {
    (number > 0).then(|| (sum + number / 2) / number)
}

/// FIDE's rating differences for scores of 50 to 100 hundredths (Handbook, B.02, table 8.1a).
const DIFFERENCES: [i64; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
];

fn difference(hundredths: u64) -> i64 {
    let above_half = |over: u64| {
        DIFFERENCES
            .get(over.min(50) as usize)
            .copied()
            .unwrap_or(800)
    };
    // The table is symmetric: half of it is enough.
    match hundredths.checked_sub(50) {
        Some(over) => above_half(over),
        None => -above_half(50 - hundredths),
    }
}

/// The largest differences of ratings for which the better player is expected to score 50 to 99
/// hundredths (Handbook, B.02, table 8.1b).
const LARGEST_DIFFERENCES: [u16; 50] = [
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735,
];

/// Returns the expected score of a player against another one, in hundredths. A difference counts
/// as at most 400 points (B.02, 8.3.1).
pub(crate) fn expected_score(rating: u16, opponent: u16) -> u8 {
    let difference = rating.abs_diff(opponent).min(400);
    let above_half = LARGEST_DIFFERENCES.partition_point(|largest| *largest < difference) as u8;
    if rating >= opponent { 50 + above_half } else { 50 - above_half }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of FIDE's table: both ends of the range of differences, and the expected score.
    #[test]
    fn expected_scores_are_those_of_the_table() {
        for (first, last, expected) in [
            (0, 3, 50),
            (4, 10, 51),
            (92, 98, 63),
            (189, 197, 75),
            (329, 344, 88),
            (358, 374, 90),
            (392, 411, 92),
        ] {
            for difference in [first, last] {
                assert_eq!(expected_score(2000 + difference, 2000), expected);
                assert_eq!(expected_score(2000, 2000 + difference), 100 - expected);
            }
        }
        assert_eq!(
            (expected_score(2800, 1500), expected_score(1500, 2800)),
            (92, 8)
        );
    }

    #[test]
    fn scores_and_performances() {
        let mut tally = Tally::default();
        assert_eq!((tally.score(), tally.performance()), (None, None));
        let game = |outcome, opponent| GameFacts {
            outcome,
            ratings: [2500, opponent],
            year: 1990,
            plies: 40,
        };
        for outcome in [
            Outcome::WhiteWins,
            Outcome::WhiteWins,
            Outcome::Draw,
            Outcome::BlackWins,
        ] {
            tally.add(Color::White, &game(outcome, 2400));
        }
        tally.add(Color::White, &game(Outcome::Unknown, 2800));
        tally.add(Color::White, &game(Outcome::Draw, 0));
        assert_eq!(
            (tally.games, tally.white, tally.draws, tally.black),
            (6, 2, 2, 1)
        );
        assert_eq!(tally.score(), Some(0.6));
        // Two and a half points of four against 2400: 63 hundredths.
        assert_eq!(tally.performance(), Some(2400 + 95));
        assert_eq!(tally.rating(), Some(2500));
        let mut black = Tally::default();
        let game = GameFacts {
            ratings: [2400, 2500],
            ..game(Outcome::WhiteWins, 0)
        };
        black.add(Color::Black, &game);
        assert_eq!(
            (black.score(), black.performance()),
            (Some(1.0), Some(1600))
        );
    }
}
