//! The accuracy of moves, from evaluations before and after them.

use std::collections::HashMap;

use chessdb_core::commands::{Eval, EvalValue};
use chessdb_core::{Color, Game};

use super::most_games;
use super::thinking::folded_names;
use crate::annotated_moves::annotated_moves;

/// The evaluation of the standard start position in hundredths of a pawn, as Lichess counts it.
const INITIAL: f64 = 15.0;

/// The largest value that counts, in hundredths of a pawn; also the value of a mate.
const CEILING: f64 = 1000.0;

/// The quality of the moves of one or many players.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct Accuracy {
    /// The number of games with a rated move.
    pub games: u64,
    /// The number of rated moves: those with an evaluation before and after them.
    pub moves: u64,
    /// The number of inaccuracies.
    pub inaccuracies: u64,
    /// The number of mistakes.
    pub mistakes: u64,
    /// The number of blunders.
    pub blunders: u64,
    centipawns: f64,
    percent: f64,
}

/// An error in a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MoveFault {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Accuracy {
    pub(crate) fn merge(&mut self, other: &Accuracy) {
        self.games += other.games;
        self.moves += other.moves;
        self.inaccuracies += other.inaccuracies;
        self.mistakes += other.mistakes;
        self.blunders += other.blunders;
        self.centipawns += other.centipawns;
        self.percent += other.percent;
    }

    /// Returns the average loss in hundredths of a pawn.
    pub fn centipawn_loss(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.centipawns / self.moves as f64)
    }

    /// Returns the average accuracy of the moves, from 0 to 100.
    pub fn percent(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.percent / self.moves as f64)
    }

    /// Adds a move with these evaluations before and after it.
    fn add(&mut self, side: Color, before: EvalValue, after: EvalValue) {
        let [before, after] = [before, after].map(|value| View::new(value, side));
        self.games = 1;
        self.moves += 1;
        // A move cannot gain anything: a higher evaluation corrects the one before.
        self.centipawns += (before.capped() - after.capped()).max(0.0);
        self.percent += move_accuracy(
            50.0 + 50.0 * winning_chances(before.capped()),
            50.0 + 50.0 * winning_chances(after.capped()),
        );
        match fault(before, after) {
            None => {}
            Some(MoveFault::Inaccuracy) => self.inaccuracies += 1,
            Some(MoveFault::Mistake) => self.mistakes += 1,
            Some(MoveFault::Blunder) => self.blunders += 1,
        }
    }
}

/// An evaluation from the point of view of the side that moved.
#[derive(Clone, Copy, PartialEq, Debug)]
enum View {
    Centipawns(f64),
    /// Whether this side gives the mate.
    Mate(bool),
}

impl View {
    fn new(value: EvalValue, side: Color) -> View {
        let sign = side.pick(1.0, -1.0);
        match value {
            EvalValue::Centipawns(points) => View::Centipawns(sign * f64::from(points)),
            EvalValue::Mate(moves) => View::Mate((moves > 0) == (side == Color::White)),
            EvalValue::WinDraw { win, draw } => {
                let expected = (f64::from(win) + f64::from(draw) / 2.0) / 32767.0;
                // The inverse of `winning_chances`, which has no value at 0 and 1.
                let share = expected.clamp(0.01, 0.99);
                View::Centipawns(sign * (share / (1.0 - share)).ln() / 0.003_682_08)
            }
        }
    }

    fn capped(self) -> f64 {
        match self {
            View::Centipawns(points) => points.clamp(-CEILING, CEILING),
            View::Mate(true) => CEILING,
            View::Mate(false) => -CEILING,
        }
    }
}

/// Returns the winning chances from -1 to 1 at this value.
fn winning_chances(centipawns: f64) -> f64 {
    2.0 / (1.0 + (-0.003_682_08 * centipawns).exp()) - 1.0
}

/// Returns the accuracy of a move from 0 to 100, given the percentages of wins before and after it.
fn move_accuracy(before: f64, after: f64) -> f64 {
    let lost = (before - after).max(0.0);
    // The curve and its constants are those of Lichess.
    (103.1668 * (-0.04354 * lost).exp() - 3.1669).clamp(0.0, 100.0)
}

/// Returns the error of a move as Lichess names it: by the loss of winning chances, or around mates
/// by the value on the other side of the move.
fn fault(before: View, after: View) -> Option<MoveFault> {
    // A position that was lost or won anyway makes a mate less of an error.
    let by_value = |points: f64| match points {
        points if points > 999.0 => MoveFault::Inaccuracy,
        points if points > 700.0 => MoveFault::Mistake,
        _ => MoveFault::Blunder,
    };
    match (before, after) {
        (View::Centipawns(before), View::Centipawns(after)) => {
            let lost = winning_chances(before) - winning_chances(after);
            match lost {
                lost if lost >= 0.3 => Some(MoveFault::Blunder),
                lost if lost >= 0.2 => Some(MoveFault::Mistake),
                lost if lost >= 0.1 => Some(MoveFault::Inaccuracy),
                _ => None,
            }
        }
        (View::Centipawns(before), View::Mate(false)) => Some(by_value(-before)),
        (View::Mate(true), View::Centipawns(after)) => Some(by_value(after)),
        (View::Mate(true), View::Mate(false)) => Some(MoveFault::Blunder),
        _ => None,
    }
}

/// The accuracy of many games.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Accuracies {
    /// The number of games with evaluations of consecutive positions.
    pub games: u64,
    /// The accuracy of White and of Black.
    pub sides: [Accuracy; 2],
    players: HashMap<String, (String, Accuracy)>,
}

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Clone, Debug)]
pub struct AccuracyEntry {
    sides: [Accuracy; 2],
    names: [(String, String); 2],
}

impl AccuracyEntry {
    /// Returns the accuracy of a game; `None` if it has no evaluations of consecutive positions.
    pub fn from_game(game: &Game) -> Option<AccuracyEntry> {
        let value = |eval: Eval| eval.value;
        // No source evaluates the start position; the value of the standard one is known.
        let mut before = game
            .start_board()
            .is_standard_start()
            .then_some(EvalValue::Centipawns(INITIAL as i32));
        let mut sides = [Accuracy::default(); 2];
        let mut evals = 0;
        for mv in annotated_moves(game) {
            let after = mv.eval.map(value);
            evals += u32::from(after.is_some());
            if let (Some(before), Some(after)) = (before, after) {
                let [white, black] = &mut sides;
                mv.side.pick(white, black).add(mv.side, before, after);
            }
            before = after;
        }
        // A single evaluation is no analysis, although it makes a pair with the start position.
        let is_rated = sides.iter().any(|side| side.moves > 0) && evals > 1;
        is_rated.then(|| AccuracyEntry {
            sides,
            names: folded_names(game),
        })
    }
}

impl AccuracyEntry {
    pub(crate) fn side(&self, side: Color) -> &Accuracy {
        let [white, black] = &self.sides;
        side.pick(white, black)
    }
}

impl Accuracies {
    /// Adds the contribution of a game.
    pub fn add(&mut self, game: AccuracyEntry) {
        self.games += 1;
        for (sum, side) in self.sides.iter_mut().zip(&game.sides) {
            sum.merge(side);
        }
        for ((folded, name), side) in game.names.into_iter().zip(&game.sides) {
            if !folded.is_empty() {
                let player = self.players.entry(folded);
                let (_, sum) = player.or_insert_with(|| (name, Accuracy::default()));
                sum.merge(side);
            }
        }
    }

    /// Returns the accuracy of both sides.
    pub fn both(&self) -> Accuracy {
        let [mut both, black] = self.sides;
        both.merge(&black);
        both
    }

    /// Returns the players with the most games, and their accuracy. Equal ones are sorted by name.
    pub fn players(&self, limit: usize) -> Vec<(&str, Accuracy)> {
        most_games(&self.players, limit, |accuracy| accuracy.games)
    }
}
