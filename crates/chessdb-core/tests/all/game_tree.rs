//! Games joined into trees, and their lines.

use chessdb_core::model::{GameTree, TreeComments};
use chessdb_core::{Game, PackedMove};
use chessdb_testkit::strategy::{GameOptions, games};
use proptest::prelude::*;

/// Returns the moves of each line that is not the beginning of another one.
fn longest_lines(game: &Game) -> Vec<Vec<u16>> {
    let lines = game
        .lines()
        .map(|line| line.mainline().map(PackedMove::bits).collect());
    let mut lines: Vec<Vec<u16>> = lines.collect();
    lines.sort_unstable();
    lines.dedup();
    // After a beginning come the lines that it begins.
    let next = lines.clone();
    let mut next = next.iter().skip(1);
    lines.retain(|line| !next.next().is_some_and(|next| next.starts_with(line)));
    lines
}

fn joined<'g>(games: impl IntoIterator<Item = &'g Game>) -> Game {
    let mut trees = GameTree::by_start(games, TreeComments::default()).into_iter();
    let (_, tree) = trees.next().unwrap();
    assert!(trees.next().is_none());
    let mut games = tree.into_games();
    let game = games.next().unwrap().unwrap();
    assert!(games.next().is_none());
    game
}

proptest! {
    /// A game, its lines, and the game that these become have the same lines.
    #[test]
    fn lines_join_to_the_game(game in games(GameOptions::all())) {
        let lines: Vec<Game> = game.lines().collect();
        let expected = longest_lines(&game);
        prop_assert_eq!(&longest_lines(&joined([&game])), &expected);
        prop_assert_eq!(&longest_lines(&joined(&lines)), &expected);
        prop_assert!(lines.iter().all(|line| !line.moves.has_variations()));
    }

    /// All comments of two games are in their tree, and a copy adds none.
    #[test]
    fn comments_survive_once(one in games(GameOptions::all()), mut other in games(GameOptions::all())) {
        other.header.start = one.header.start.clone();
        other.moves = one.moves.clone();
        other.texts = one.texts.clone();
        let comments = |game: &Game| {
            let texts = game.comments().map(|text| text.split_whitespace().collect::<String>());
            texts.collect::<Vec<_>>()
        };
        let game = joined([&one, &other]);
        let mut before = comments(&one);
        let mut after = comments(&game);
        before.sort_unstable();
        after.sort_unstable();
        prop_assert_eq!(after, before);
    }
}

#[test]
fn very_large_trees_continue_in_further_games() {
    // Each line has a move of its own after the common ones, in all 60,000 different moves.
    let squares = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut lines = vec![String::new()];
    for ply in 0..6 {
        let pawn = |file: &&str| match ply % 2 {
            0 => format!(" {file}{}", 3 + ply / 2),
            _ => format!(" {file}{}", 6 - ply / 2),
        };
        let longer = lines.iter().flat_map(|line| {
            squares
                .iter()
                .map(move |file| format!("{line}{}", pawn(file)))
        });
        lines = longer.collect();
        lines.truncate(60_000);
    }
    let games = lines
        .iter()
        .filter_map(|line| Some(Game::builder().sans(line.split_whitespace()).ok()?.build()));
    let games: Vec<Game> = games.collect();
    let mut trees = GameTree::by_start(&games, TreeComments::default());
    let (_, tree) = trees.remove(0);
    let moves = tree.len();
    let parts: Vec<Game> = tree.into_games().map(Result::unwrap).collect();
    let written: usize = parts.iter().map(|part| part.moves.plies() as usize).sum();
    assert!(
        moves <= 50_000 || parts.len() > 1,
        "{moves} moves, {} games",
        parts.len()
    );
    assert!(written >= moves);
    let mut all: Vec<Vec<u16>> = parts.iter().flat_map(longest_lines).collect();
    all.sort_unstable();
    all.dedup();
    let mut expected: Vec<Vec<u16>> = games.iter().flat_map(longest_lines).collect();
    expected.sort_unstable();
    expected.dedup();
    assert!(expected.iter().all(|line| all.binary_search(line).is_ok()));
}
