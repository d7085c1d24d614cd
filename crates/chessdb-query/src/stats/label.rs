//! A game by its players, date and event.

use chessdb_core::{Color, Date, Game, Outcome};

/// The place of a game, and what it is commonly named by.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct GameLabel {
    /// The name of the database.
    pub base: String,
    /// The number of the game, counted from 1.
    pub number: u32,
    /// The names of White and Black; `?` if unknown.
    pub players: [String; 2],
    /// The ratings of White and Black.
    pub ratings: [Option<u16>; 2],
    /// The result.
    pub result: Outcome,
    /// The date.
    pub date: Date,
    /// The event; `?` if unknown.
    pub event: String,
}

impl GameLabel {
    /// Returns the label of a game, which has this number in this database.
    pub fn new(game: &Game, base: &str, number: u32) -> GameLabel {
        GameLabel {
            base: base.to_owned(),
            number,
            players: [game.white().into_owned(), game.black().into_owned()],
            ratings: Color::ALL.map(|color| game.rating(color).map(|rating| rating.value)),
            result: game.result(),
            date: game.effective_date(),
            event: game.event().into_owned(),
        }
    }

    /// Returns the average rating of both players, in halves; 0 if one is unknown.
    pub fn rating_sum(&self) -> u32 {
        match self.ratings {
            [Some(white), Some(black)] => u32::from(white) + u32::from(black),
            _ => 0,
        }
    }
}
