//! Tests of the positions and lines that a sample chooses.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use chessdb_core::Board;
use chessdb_core::search::MainlineSummary;

use super::super::build::TreeBuilder;
use super::super::collect::{CountedGame, PositionCollector};
use super::super::frequent::FrequentPositions;
use super::{Random, count, parse, stamp};
use crate::database::Database;

/// Returns games in which both sides push their pawns by one square, often in the same order.
fn games_of_pawns(count: usize, random: &mut Random) -> Database {
    let mut moves = |random: &mut Random| {
        let mut pawns = [('3', 'a'..='h'), ('6', 'a'..='h')].map(|(rank, files)| {
            let pawns = files.map(|file| format!("{file}{rank} "));
            pawns.collect::<Vec<String>>()
        });
        let mut moves = String::new();
        for ply in 0..random.below(16) as usize {
            let pawns = &mut pawns[ply % 2];
            let at = random.below(2) * random.below(pawns.len() as u64);
            moves += &pawns.remove(at as usize);
        }
        moves
    };
    games_with(count, random, &mut moves)
}

/// Returns games in which both sides move their knights out and back, so that positions are repeated.
fn games_of_knights(count: usize, random: &mut Random) -> Database {
    let mut moves = |random: &mut Random| {
        let mut are_out = [[false; 2]; 2];
        let mut moves = String::new();
        for ply in 0..random.below(24) as usize {
            let at = random.below(2) as usize;
            let is_out = &mut are_out[ply % 2][at];
            moves += [
                ["Nf3 ", "Ng1 "],
                ["Nc3 ", "Nb1 "],
                ["Nf6 ", "Ng8 "],
                ["Nc6 ", "Nb8 "],
            ][ply % 2 * 2 + at][usize::from(*is_out)];
            *is_out = !*is_out;
        }
        moves
    };
    games_with(count, random, &mut moves)
}

/// Returns games with random results and ratings, and these moves.
fn games_with(
    count: usize,
    random: &mut Random,
    moves: &mut dyn FnMut(&mut Random) -> String,
) -> Database {
    let mut text = String::new();
    for _ in 0..count {
        let result = ["1-0", "1/2-1/2", "0-1", "*"][random.below(4) as usize];
        let rating = 2000 + random.below(9);
        text += &format!("[WhiteElo \"{rating}\"]\n[Result \"{result}\"]\n\n");
        text += &format!("{}{result}\n\n", moves(random));
    }
    Database::options()
        .open_files([("games.pgn", text.into_bytes())])
        .unwrap()
}

#[test]
fn positions_of_a_sample_are_counted_in_all_games() {
    with_a_sample(&games_of_pawns(4000, &mut Random(6)), 1000);
    with_a_sample(&games_of_knights(3000, &mut Random(7)), 0);
}

/// Compares a tree file that is made with a sample with plain counting. At least `rare` positions must
/// be left out.
fn with_a_sample(db: &Database, rare: usize) {
    let games = db.len().unwrap();
    let frequent = FrequentPositions::of_one_in(2, db, games).unwrap();
    let collect = |index: u32, frequent| {
        let game = db.game(index).unwrap();
        let mut collector = PositionCollector::new(CountedGame::default(), frequent);
        let mut board = Board::standard();
        let mut summary = MainlineSummary::new(&board, true);
        collector.begin(board.turn(), summary.key(), summary.pieces());
        for mv in game.mainline() {
            let played = board.play(mv);
            summary.add(mv, &played, &board);
            collector.play(mv, board.turn(), summary.key(), summary.pieces());
        }
        collector.finish(&game)
    };
    let all: Vec<_> = (0..games).map(|index| collect(index, None)).collect();
    let chosen: Vec<_> = (0..games)
        .map(|index| collect(index, Some(&frequent)))
        .collect();
    let lengths = chosen.iter().flatten().flat_map(|game| game.line);
    assert!(lengths.clone().any(|(_, length)| length > 5) && lengths.count() == chosen.len());
    let collected: BTreeSet<u64> = chosen
        .iter()
        .flatten()
        .flat_map(|game| game.positions.iter().map(|position| position.key))
        .collect();
    let mut sampled = BTreeMap::new();
    for (index, (all, chosen)) in all.iter().zip(&chosen).enumerate() {
        let all = all.iter().flat_map(|game| &game.positions);
        let all = all.map(|position| (position.key, position.plies, position.mv));
        for (key, ..) in all.clone().filter(|_| index % 128 < 64) {
            *sampled.entry(key).or_insert(0) += 1;
        }
        // A position is collected in all games or in none.
        let chosen = chosen.iter().flat_map(|game| &game.positions);
        let chosen = chosen.map(|position| (position.key, position.plies, position.mv));
        assert!(chosen.eq(all.filter(|(key, ..)| collected.contains(key))));
    }
    let mut several = sampled.iter().filter(|(_, games)| **games > 1);
    assert!(several.all(|(key, _)| collected.contains(key)));
    let expected = count(&all);
    assert!(expected.len() - collected.len() >= rare);
    let folder = tempfile::tempdir().unwrap();
    let mut builder = TreeBuilder::new(folder.path(), 0, Some(&frequent));
    for game in &chosen {
        builder.add(game.as_ref()).unwrap();
    }
    let mut out = Cursor::new(Vec::new());
    builder.finish(&mut out, vec![stamp()], 0, 2, None).unwrap();
    let tree = parse(&out.into_inner()).unwrap();
    let least = tree.least_games().into();
    for (key, moves) in &expected {
        let is_stored = moves.games() >= least && collected.contains(key);
        let found = tree.find(*key, None).unwrap();
        assert_eq!(found.as_ref(), Some(moves).filter(|_| is_stored), "{key:x}");
    }
}
