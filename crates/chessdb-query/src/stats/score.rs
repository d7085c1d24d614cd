//! Scores of a player, or of both sides, by colour.

use chessdb_core::Color;

use crate::tally::{GameFacts, Tally};

/// The results of a player by colour. For games that are not seen from one player, both sides of
/// each game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Score {
    /// The games with White.
    pub white: Tally,
    /// The games with Black.
    pub black: Tally,
}

impl Score {
    pub(crate) fn add(&mut self, side: Color, game: &GameFacts) {
        side.pick(&mut self.white, &mut self.black).add(side, game);
    }

    pub(crate) fn merge(&mut self, other: &Score) {
        self.white.merge(&other.white);
        self.black.merge(&other.black);
    }

    /// Returns the games of one colour.
    pub fn side(&self, side: Color) -> &Tally {
        side.pick(&self.white, &self.black)
    }

    /// Returns the games of both colours.
    pub fn games(&self) -> u64 {
        self.white.games + self.black.games
    }

    /// Returns the number of wins.
    pub fn wins(&self) -> u64 {
        self.white.white + self.black.black
    }

    /// Returns the number of draws.
    pub fn draws(&self) -> u64 {
        self.white.draws + self.black.draws
    }

    /// Returns the number of losses.
    pub fn losses(&self) -> u64 {
        self.white.black + self.black.white
    }

    /// Returns the points per game with a result, from 0 to 1.
    pub fn share(&self) -> Option<f64> {
        let decided = self.wins() + self.draws() + self.losses();
        (decided > 0).then(|| (2 * self.wins() + self.draws()) as f64 / (2 * decided) as f64)
    }

    /// Returns the average known rating.
    pub fn rating(&self) -> Option<u64> {
        self.both().rating()
    }

    /// Returns the average known rating of the opponents in games with a result.
    pub fn opponents(&self) -> Option<u64> {
        self.both().opponents()
    }

    /// Returns the performance rating over both colours ([`Tally::performance`]).
    pub fn performance(&self) -> Option<i64> {
        self.both().performance()
    }

    fn both(&self) -> Tally {
        let mut both = self.white;
        both.merge(&self.black);
        both
    }
}
