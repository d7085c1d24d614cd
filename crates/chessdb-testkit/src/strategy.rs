//! Random games and positions for property tests.
//!
//! A game is made from a [`Recipe`]: a seed, which never shrinks, and a few amounts (half-moves,
//! density of annotations, depth), which do. Moves, annotations and header use separate streams of
//! random numbers, so that a game with fewer half-moves is the beginning of the same game and a
//! game without annotations has the same moves.

mod board;
mod header;
mod line;
mod options;
mod texts;

use chessdb_core::limits::Limits;
use chessdb_core::model::GameFlags;
use chessdb_core::{Game, Start};
use proptest::prelude::*;

pub use board::{random_board, valid_board};
pub use options::GameOptions;

use crate::rng::Rng;

/// The parameters of a random game.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Determines everything that the amounts leave open.
    pub seed: u64,
    /// Half-moves of the mainline, if the game lasts that long.
    pub plies: usize,
    /// Density of annotations, 0..=100.
    pub notes: usize,
    /// Maximum nesting of variations.
    pub depth: usize,
    /// Whether the game begins from a set-up position.
    pub setup: bool,
    /// Whether the header has more than the seven tags of the roster.
    pub full_header: bool,
    /// The permitted contents of the game.
    pub options: GameOptions,
    /// Given choices, used before the seed is; see [`Recipe::from_bytes`].
    bytes: Vec<u8>,
}

impl Recipe {
    /// Creates a recipe that depends only on the seed.
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

    /// Creates a recipe that a fuzzer can change bit by bit: the first bytes are the amounts, the
    /// others the choices of moves, annotations and header.
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

    /// Returns the stream of choices with this number, 1 to 4.
    fn rng(&self, stream: u64) -> Rng {
        // Separate parts, so that a byte more in one does not change the choices of the others.
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

    /// Makes the game.
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

/// Generates random annotated games in which every move is legal.
pub fn games(options: GameOptions) -> impl Strategy<Value = Game> {
    recipes(options).prop_map(|recipe| recipe.game())
}

/// Generates the recipes of [`games`], which are shorter to read when a test fails.
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

/// Returns the random game with this number, for tests that need a fixed sequence of games.
pub fn game(seed: u64, options: &GameOptions) -> Game {
    Recipe::from_seed(seed, options.clone()).game()
}

/// Returns the game flags with these letters.
fn flags(letters: &[u8]) -> GameFlags {
    letters.iter().fold(GameFlags::empty(), |flags, &letter| {
        flags | GameFlags::from_letters(&[letter]).expect("a known letter")
    })
}

/// Returns limits that no random game exceeds.
fn limits() -> Limits {
    Limits::default()
}

#[cfg(test)]
mod tests;
