//! Salvage never has less than ordinary reading: of databases with random cuts, overwritten blocks
//! and removed blocks, it gives at least as many games and half-moves, and no more junk.

use std::collections::HashSet;

use chessdb::core::{FileSet, Game, MemorySet, ReadOptions, Scratch};
use chessdb::{FORMATS, Format};
use chessdb_testkit::identity::open_all;
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::time;

use super::counted;
use crate::damage;

/// Games of a database.
const GAMES: u64 = 40;
/// Damages of each database; every fiftieth unless `CHESSDB_THOROUGH` is set.
const CASES: u64 = 2000;
/// The first half-moves by which a game is recognised.
const OPENING: usize = 6;

/// The number of games, at most that of the database, their half-moves, and the number of games that
/// the database never had. A game that appears more often than in the database counts only so often,
/// because a damaged index may lead to it under a wrong name.
#[derive(Default, Debug)]
struct Yield {
    games: usize,
    plies: u32,
    junk: usize,
}

fn first_moves(game: &Game, plies: usize) -> String {
    let moves: Vec<_> = game.mainline().take(plies).collect();
    format!("{} {moves:?}", game.start())
}

fn read(format: &Format, set: &MemorySet, salvage: bool, known: &[Game]) -> Option<Yield> {
    let options = ReadOptions::default().with_salvage(salvage);
    let store = (format.open)(set, options).ok()?;
    let openings: HashSet<String> = known
        .iter()
        .map(|game| first_moves(game, OPENING))
        .collect();
    let mut left = counted(known.iter().map(|game| first_moves(game, usize::MAX)));
    let (mut found, mut game, mut scratch) = (Yield::default(), Game::new(), Scratch::new());
    for n in 0..store.len() {
        if store.game_into(n, &mut game, &mut scratch).is_ok() {
            found.games = known.len().min(found.games + 1);
            let is_known = openings.contains(&first_moves(&game, OPENING));
            found.junk += usize::from(!is_known && game.plies() >= OPENING as u32);
            match left.get_mut(&first_moves(&game, usize::MAX)) {
                Some(0) => {}
                Some(left) => {
                    *left -= 1;
                    found.plies += game.plies();
                }
                None => found.plies += game.plies(),
            }
        }
        scratch.diagnostics.clear();
    }
    Some(found)
}

/// A sequence of numbers that depends on a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Damages one file of a database; returns what was done.
fn damage(set: &mut MemorySet, seed: u64) -> String {
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let files: Vec<_> = set.iter().map(|(role, _)| role).collect();
    let role = files[numbers.below(files.len())];
    let mut bytes = set.get(role).unwrap().to_vec();
    let start = numbers.below(bytes.len());
    let most = 1 << numbers.below(13);
    let size = 1 + numbers.below((bytes.len() - start).min(most));
    let range = start..(start + size).min(bytes.len());
    let kind = numbers.below(6);
    let what = match kind {
        0 => {
            bytes.truncate(start);
            "cut"
        }
        1 => {
            drop(bytes.drain(range.clone()));
            "removed"
        }
        2 => {
            bytes[range.clone()].fill(0);
            "zeros"
        }
        3 => {
            bytes[range.clone()].fill(0xFF);
            "FF"
        }
        4 => {
            for byte in &mut bytes[range.clone()] {
                *byte = numbers.below(256) as u8;
            }
            "noise"
        }
        _ => {
            let source = numbers.below(bytes.len() - range.len() + 1);
            bytes.copy_within(source..source + range.len(), start);
            "copied over"
        }
    };
    set.insert(role, bytes);
    format!("{role} {range:?} {what}")
}

fn test(format: &Format) -> Vec<String> {
    let mut options = GameOptions::held_by(format);
    options.plies = 80;
    let games: Vec<Game> = (0..GAMES)
        .map(|seed| strategy::game(seed, &options))
        .collect();
    let set = damage::made(format, &games).unwrap();
    let known = open_all(format, &set);
    let mut bad = Vec::new();
    for seed in (0..CASES).step_by(time::one_of(50)) {
        let mut set = set.clone();
        let what = damage(&mut set, seed);
        let Some(listed) = read(format, &set, false, &known) else {
            continue;
        };
        let salvaged = read(format, &set, true, &known);
        let fits = salvaged.as_ref().is_some_and(|salvaged| {
            salvaged.games >= listed.games
                && salvaged.plies >= listed.plies
                && salvaged.junk <= listed.junk
        });
        if !fits {
            bad.push(format!(
                "{} {seed}: {what}: {listed:?}, salvaged {salvaged:?}",
                format.id
            ));
        }
    }
    bad
}

#[test]
fn salvage_has_no_less_than_reading() {
    let formats = FORMATS.iter().filter(|format| format.salvages);
    let bad: Vec<String> = formats.flat_map(|format| test(format)).collect();
    assert!(bad.is_empty(), "{}:\n{}", bad.len(), bad.join("\n"));
}
