//! Tests of writing and reading a tree file, and of detecting damage.

mod sample;

use std::collections::BTreeMap;
use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

use chessdb_core::{Outcome, PackedMove};
use chessdb_query::tree::GameFacts;

use super::answer::{PlayedMove, PositionMoves};
use super::build::{OldTree, TreeBuilder};
use super::collect::{CollectedPosition, CountedGame};
use super::layout::{Damaged, NO_MOVE};
use super::lookup::TreeIndex;
use crate::index::{FIRST_TABLE, FileStamp, PIECES, SECOND_TABLE, SectionedFile};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) % limit
    }
}

fn counted(facts: GameFacts, positions: Vec<CollectedPosition>) -> CountedGame {
    let line = None;
    CountedGame {
        facts,
        positions,
        line,
    }
}

fn stamp() -> FileStamp {
    let mut bytes = [7; FileStamp::SIZE];
    // The time is before 1970.
    bytes[19] = 0xFF;
    FileStamp::read(&bytes)
}

/// Returns a key and whether Black is to move: few keys are frequent, and many are rare.
fn key(random: &mut Random) -> (u64, bool) {
    let number = match random.below(3) {
        0 => 0,
        1 => random.below(20),
        _ => random.below(4000),
    };
    // Keys of one partition differ only in the lower bits, and some at its ends.
    let high = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) & 0xFF << 56;
    (high | (number * 0x0001_0000_0001), number % 2 == 1)
}

/// Returns games of all kinds; `None` cannot be counted.
fn games(count: usize, random: &mut Random) -> Vec<Option<CountedGame>> {
    let game = |_| {
        if random.below(97) == 0 {
            return None;
        }
        let rating = |random: &mut Random| match random.below(3) {
            0 => 0,
            _ => 1500 + random.below(8) as u16 * 100,
        };
        let facts = GameFacts {
            ratings: [rating(random), rating(random)],
            year: [0, 1851, 1990, 2026][random.below(4) as usize],
            outcome: Outcome::ALL[random.below(4) as usize],
            plies: 0,
        };
        let mut keys = BTreeMap::new();
        for _ in 0..random.below(12) {
            let (key, is_black) = key(random);
            keys.insert(key, is_black);
        }
        let position = |(key, is_black): (u64, bool)| CollectedPosition {
            pieces: 32,
            key,
            plies: random.below(300) as u16,
            is_black,
            mv: match random.below(5) {
                0 => NO_MOVE,
                n => PackedMove::from_bits((n * 65) as u16).unwrap().bits(),
            },
        };
        let positions = keys.into_iter().map(position).collect();
        Some(counted(facts, positions))
    };
    (0..count).map(game).collect()
}

/// Counts as plainly as possible.
fn count(games: &[Option<CountedGame>]) -> BTreeMap<u64, PositionMoves> {
    let mut all: BTreeMap<u64, PositionMoves> = BTreeMap::new();
    let uncounted = || (0..).zip(games).filter(|(_, game)| game.is_none());
    let mut best: BTreeMap<(u64, u16), Vec<(u32, u32)>> = BTreeMap::new();
    for (number, game) in (0..).zip(games) {
        let Some(game) = game else { continue };
        for position in &game.positions {
            let moves = all.entry(position.key).or_default();
            moves.uncounted = uncounted().map(|(number, _)| number).collect();
            let mv = PackedMove::from_bits(position.mv);
            let tally = match mv {
                None => &mut moves.ended,
                Some(mv) => {
                    let at = moves.moves.iter().position(|played| played.mv == mv);
                    let at = at.unwrap_or_else(|| {
                        moves.moves.push(PlayedMove {
                            mv,
                            tally: Default::default(),
                            first_year: 0,
                            first_game: number,
                            best: Vec::new(),
                        });
                        moves.moves.len() - 1
                    });
                    let played = &mut moves.moves[at];
                    let years = [played.first_year, game.facts.year];
                    let years = years.into_iter().filter(|year| *year > 0);
                    played.first_year = years.min().unwrap_or(0);
                    let best = best.entry((position.key, position.mv)).or_default();
                    let [white, black] = game.facts.ratings.map(u32::from);
                    best.push((white + black, number));
                    best.sort_by_key(|&(ratings, number)| (u32::MAX - ratings, number));
                    played.best = best.iter().take(3).map(|&(_, number)| number).collect();
                    &mut played.tally
                }
            };
            tally.games += 1;
            let [mut mover, mut opponent] = game.facts.ratings.map(u64::from);
            if position.is_black {
                std::mem::swap(&mut mover, &mut opponent);
            }
            let white_points = match game.facts.outcome {
                Outcome::WhiteWins => Some(2),
                Outcome::Draw => Some(1),
                Outcome::BlackWins => Some(0),
                Outcome::Unknown => None,
            };
            match white_points {
                Some(2) => tally.white += 1,
                Some(1) => tally.draws += 1,
                Some(_) => tally.black += 1,
                None => {}
            }
            tally.ratings.0 += mover;
            tally.ratings.1 += u64::from(mover > 0);
            if let Some(points) = white_points.filter(|_| opponent > 0) {
                tally.opponents.0 += opponent;
                tally.opponents.1 += 1;
                tally.half_points += if position.is_black { 2 - points } else { points };
            }
            tally.last_year = tally.last_year.max(game.facts.year);
            let left = u32::from(position.plies).saturating_sub(1);
            tally.longest = tally.longest.max(left);
        }
    }
    all
}

fn write(games: Vec<Option<CountedGame>>, size: u64, jobs: usize) -> Vec<u8> {
    write_after(None, games, size, jobs)
}

fn write_after(
    old: Option<OldTree<'_>>,
    games: Vec<Option<CountedGame>>,
    size: u64,
    jobs: usize,
) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut builder =
        TreeBuilder::new(folder.path(), old.map_or(0, |(tree, _)| tree.games()), None);
    games
        .into_iter()
        .for_each(|game| builder.add(game.as_ref()).unwrap());
    let mut out = Cursor::new(Vec::new());
    let stamps = vec![stamp(), stamp()];
    builder.finish(&mut out, stamps, size, jobs, old).unwrap();
    out.into_inner()
}

fn parse(bytes: &[u8]) -> Result<TreeIndex, &'static str> {
    TreeIndex::parse(Arc::new(bytes.to_vec()))
}

#[test]
fn what_is_written_is_counted_as_plainly() {
    for (count_of_games, jobs) in [(0, 1), (1, 3), (7, 1), (300, 2), (9000, 4)] {
        let mut random = Random(count_of_games as u64);
        let games = games(count_of_games, &mut random);
        let expected = count(&games);
        let bytes = write(games, 0, jobs);
        let tree = parse(&bytes).unwrap();
        assert_eq!(tree.games(), count_of_games as u32);
        assert_eq!(tree.stamps(), [stamp(), stamp()]);
        assert!(tree.least_games() >= 2);
        let mut stored = 0;
        for (key, moves) in &expected {
            let is_stored = moves.games() >= tree.least_games().into();
            let found = tree.find(*key, None).unwrap();
            assert_eq!(found.as_ref(), Some(moves).filter(|_| is_stored), "{key:x}");
            stored += u64::from(is_stored);
            for other in [key.wrapping_sub(1), key ^ 1 << 40, key.wrapping_add(1)] {
                if !expected.contains_key(&other) {
                    assert_eq!(tree.find(other, None), Ok(None));
                }
            }
        }
        assert!(count_of_games < 300 || stored > 20, "{stored}");
    }
}

#[test]
fn games_added_later_count_in_the_positions_of_the_file() {
    for (before, after, jobs) in [(1, 1, 1), (300, 1, 1), (300, 75, 2), (9000, 500, 3)] {
        let mut random = Random(before as u64 + 77);
        let all = games(before + after, &mut random);
        let copy = |games: &[Option<CountedGame>]| -> Vec<Option<CountedGame>> {
            let games = games.iter().map(|game| {
                let game = game.as_ref()?;
                Some(counted(game.facts, game.positions.clone()))
            });
            games.collect()
        };
        let first = write(copy(&all[..before]), 0, jobs);
        let old = parse(&first).unwrap();
        let facts_of = |game: u32| {
            assert!((game as usize) < before);
            all[game as usize].as_ref().unwrap().facts
        };
        let bytes = write_after(Some((&old, &facts_of)), copy(&all[before..]), 0, jobs);
        let tree = parse(&bytes).unwrap();
        assert_eq!(tree.games() as usize, before + after);
        assert!(tree.is_intact());
        let least = u64::from(tree.least_games());
        let chosen = count(&all[..before]);
        for (key, moves) in count(&all) {
            let is_stored = chosen.get(&key).is_some_and(|moves| moves.games() >= least);
            let found = tree.find(key, None).unwrap();
            assert_eq!(found, Some(moves).filter(|_| is_stored), "{before} {key:x}");
        }
        // Without new games nothing changes.
        assert!(write_after(Some((&old, &facts_of)), Vec::new(), 0, jobs) == first);
        let most = before as u32 + before as u32 / 4;
        assert!(old.can_grow(most) && !old.can_grow(most + 1));
    }
}

#[test]
fn the_file_stays_within_its_share_of_the_database() {
    let mut random = Random(5);
    // Too many positions for a megabyte.
    let game = |_| {
        let position = |_| CollectedPosition {
            pieces: 32,
            key: random.below(30_000).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            plies: 40,
            is_black: false,
            mv: random.below(30) as u16,
        };
        let mut positions: Vec<_> = (0..10).map(position).collect();
        positions.sort_by_key(|position| position.key);
        positions.dedup_by_key(|position| position.key);
        Some(counted(GameFacts::default(), positions))
    };
    let games: Vec<_> = (0..30_000).map(game).collect();
    let sizes = [0, 10 << 20, 100 << 20].map(|size| {
        let again = games.iter().map(|game| {
            let game = game.as_ref()?;
            Some(counted(game.facts, game.positions.clone()))
        });
        let bytes = write(again.collect(), size, 2);
        let tree = parse(&bytes).unwrap();
        let blocks_size = sections(&tree)[0].len() as u64;
        assert!(blocks_size <= (size * 15 / 100).max(1 << 20));
        (blocks_size, tree.least_games())
    });
    let [(small, many), (larger, fewer), (all, two)] = sizes;
    assert!(
        small > 500_000 && larger > small && all > larger,
        "{sizes:?}"
    );
    assert!(many > fewer && fewer > two && two == 2, "{sizes:?}");
}

#[test]
fn every_damage_is_refused_or_found_where_it_is() {
    let games = games(400, &mut Random(8));
    let expected = count(&games);
    let bytes = write(games, 0, 1);
    let tree = parse(&bytes).unwrap();
    let least_games = tree.least_games();
    let [blocks, ..] = sections(&tree);
    assert!(blocks.len() > 1000);
    for cut in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        assert!(parse(&bytes[..cut]).is_err(), "{cut}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(parse(&longer).is_err());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let parsed = parse(&damaged);
        assert_eq!(parsed.is_ok(), blocks.contains(&at), "{at}");
        let Ok(tree) = parsed else { continue };
        let mut lost = 0;
        for (key, moves) in expected.iter().step_by(1 + at % 5) {
            match tree.find(*key, None) {
                Ok(found) => {
                    let is_stored = moves.games() >= least_games.into();
                    assert_eq!(found.as_ref(), Some(moves).filter(|_| is_stored), "{at}");
                }
                Err(Damaged) => lost += 1,
            }
        }
        assert!(lost < expected.len() / 4, "{at}: {lost} of other blocks");
    }
}

#[test]
fn wrong_blocks_with_right_checksums_give_an_answer_or_an_error() {
    let mut random = Random(11);
    let games = games(200, &mut random);
    let keys: Vec<u64> = count(&games).into_keys().collect();
    let bytes = write(games, 0, 1);
    let [blocks, directory, uncounted] = sections(&parse(&bytes).unwrap());
    let first = blocks.start;
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + random.below(5) {
            let range = first as u64..uncounted.end as u64;
            let at = range.start + random.below(range.end - range.start);
            damaged[at as usize] = [0, 0x7F, 0x80, 0xFF][random.below(4) as usize];
        }
        // The checksums of the blocks, where the directory still has valid ranges, and of the rest.
        let mut ends: Vec<u64> = Vec::new();
        for entry in damaged[directory.clone()].chunks(16).skip(1) {
            ends.push(u64::from_le_bytes(entry[8..16].try_into().unwrap()));
        }
        ends.push(blocks.len() as u64);
        for (n, end) in ends.into_iter().enumerate() {
            let entry = directory.start + 16 * n;
            let start = u64::from_le_bytes(damaged[entry + 8..entry + 16].try_into().unwrap());
            if let Some(block) = damaged[blocks.clone()].get(start as usize..end as usize) {
                let sum = crc32fast::hash(block).to_le_bytes();
                damaged[uncounted.end + 4 * n..uncounted.end + 4 * n + 4].copy_from_slice(&sum);
            }
        }
        set_checksum(&mut damaged, blocks.clone());
        if let Ok(tree) = parse(&damaged) {
            for key in keys.iter().step_by(3) {
                if let Ok(Some(found)) = tree.find(*key, None) {
                    found.games();
                }
            }
        }
    }
}

#[test]
fn counts_that_lie_are_refused_whatever_the_checksum_says() {
    let bytes = write(vec![None, None], 0, 1);
    let [blocks, ..] = sections(&parse(&bytes).unwrap());
    for (at, wrong) in [
        (14, b'1'),
        (16, 1),
        (20, 65),
        (23, 255),
        (32, 3),
        (35, 255),
        (40, 1),
        (47, 255),
        (48, 16),
        (55, 255),
        (56, 4),
        (56, 12),
        (64, 4),
    ] {
        let mut bytes = bytes.clone();
        bytes[at] = wrong;
        set_checksum(&mut bytes, blocks.clone());
        assert!(parse(&bytes).is_err(), "{at}: {wrong}");
    }
    // Other lengths with the same sum.
    for (directory, uncounted) in [(8, 0), (0, 8)] {
        let mut bytes = bytes.clone();
        bytes[48] = directory;
        bytes[56] = uncounted;
        set_checksum(&mut bytes, blocks.clone());
        assert_eq!(parse(&bytes).is_ok(), directory == 0, "{directory}");
    }
}

/// Returns the ranges of the blocks, the directory and the games that are not counted.
fn sections(tree: &TreeIndex) -> [Range<usize>; 3] {
    let header = AsRef::<SectionedFile>::as_ref(tree).header();
    [PIECES, FIRST_TABLE, SECOND_TABLE].map(|number| header.section(number))
}

/// Sets the checksum of all bytes except the blocks.
fn set_checksum(bytes: &mut [u8], blocks: Range<usize>) {
    let end = bytes.len() - 4;
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..blocks.start]);
    sum.update(&bytes[blocks.end..end]);
    bytes[end..].copy_from_slice(&sum.finalize().to_le_bytes());
}
