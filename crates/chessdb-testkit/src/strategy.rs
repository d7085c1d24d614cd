//! Random games and positions for property tests.
//!
//! A game is made from a [`Recipe`]: a seed, which never shrinks, and a few amounts (half-moves,
//! density of annotations, depth), which do. Moves, annotations and head come from separate
//! streams of random numbers, so that a game with fewer half-moves is the beginning of the same
//! game and a game without annotations has the same moves.

mod board;
mod header;
mod line;
mod options;
mod texts;

use chessdb_core::{Game, GameFlags, Limits, Start};
use proptest::prelude::*;

pub use board::{random_board, valid_board};
pub use options::GameOptions;

use crate::rng::Rng;

/// What a random game is made from.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Decides everything that the amounts leave open.
    pub seed: u64,
    /// Half-moves of the main line, if the game lasts that long.
    pub plies: usize,
    /// How dense annotations are, 0..=100.
    pub notes: usize,
    /// How deep variations nest.
    pub depth: usize,
    /// Whether the game begins from a position of its own.
    pub setup: bool,
    /// Whether the head holds more than the seven tags of the roster.
    pub full_header: bool,
    /// What the game may contain at all.
    pub options: GameOptions,
    /// Choices that are given, before those that the seed makes; see [`Recipe::from_bytes`].
    bytes: Vec<u8>,
}

impl Recipe {
    /// A recipe that depends on the seed alone.
    pub fn from_seed(seed: u64, options: GameOptions) -> Recipe {
        let mut rng = Rng::new(seed ^ 0xA5);
        Recipe {
            seed,
            plies: rng.below(options.plies + 1),
            notes: rng.below(101),
            depth: rng.below(options.depth + 1),
            setup: options.setups && rng.chance(30),
            full_header: rng.chance(80),
            options,
            bytes: Vec::new(),
        }
    }

    /// A recipe that a fuzzer can change bit by bit: the first bytes are the amounts, the others
    /// the choices of moves, annotations and head.
    pub fn from_bytes(bytes: &[u8], options: GameOptions) -> Recipe {
        let amount = |n: usize| usize::from(bytes.get(n).copied().unwrap_or(0));
        let seed = bytes.iter().rev().take(8);
        let seed = seed.fold(0, |seed, &byte| seed << 8 | u64::from(byte));
        Recipe {
            seed,
            plies: amount(0) % (options.plies + 1),
            notes: amount(1) % 101,
            depth: amount(2) % (options.depth + 1),
            setup: options.setups && amount(3) & 3 == 3,
            full_header: amount(3) & 4 == 0,
            options,
            bytes: bytes.get(4..).unwrap_or_default().to_vec(),
        }
    }

    /// The stream of choices with this number, 1 to 4.
    fn rng(&self, stream: u64) -> Rng {
        let quarter = self.bytes.len() / 4;
        let part = match stream {
            1 => 0..quarter / 2,
            2 => quarter / 2..quarter,
            3 => quarter..2 * quarter,
            _ => 2 * quarter..self.bytes.len(),
        };
        let part = self.bytes.get(part).unwrap_or_default();
        Rng::with_bytes(self.seed ^ stream, part)
    }

    /// The game.
    pub fn game(&self) -> Game {
        let mut game = Game::new();
        if self.setup {
            let setup = board::start_setup(&mut self.rng(1), &self.options);
            game.header.start = Start::Setup(Box::new(setup));
        }
        header::fill(&mut game, self, &mut self.rng(2));
        line::fill(&mut game, self);
        game
    }
}

/// Random annotated games in which every move is legal.
pub fn games(options: GameOptions) -> impl Strategy<Value = Game> {
    recipes(options).prop_map(|recipe| recipe.game())
}

/// What [`games`] makes its games from: shorter to read when a test fails.
pub fn recipes(options: GameOptions) -> impl Strategy<Value = Recipe> {
    (
        any::<u64>().no_shrink(),
        0..=options.plies,
        0..=100usize,
        0..=options.depth,
        prop::bool::weighted(if options.setups { 0.3 } else { 0.0 }),
        prop::bool::weighted(0.8),
    )
        .prop_map(
            move |(seed, plies, notes, depth, setup, full_header)| Recipe {
                seed,
                plies,
                notes,
                depth,
                setup,
                full_header,
                options: options.clone(),
                bytes: Vec::new(),
            },
        )
}

/// The random game with this number, for tests that want a fixed row of games.
pub fn game(seed: u64, options: &GameOptions) -> Game {
    Recipe::from_seed(seed, options.clone()).game()
}

/// All flags of a game that these letters name.
fn flags(letters: &[u8]) -> GameFlags {
    letters.iter().fold(GameFlags::empty(), |flags, &letter| {
        flags | GameFlags::from_letters(&[letter]).expect("a known letter")
    })
}

/// Room for whatever a random game holds.
fn limits() -> Limits {
    Limits::default()
}

#[cfg(test)]
mod tests;
