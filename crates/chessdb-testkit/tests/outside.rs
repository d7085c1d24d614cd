//! Check that the expected games of the databases made by other programs can be read and are
//! plausible.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use chessdb_core::rules::legal_moves;
use chessdb_core::{Board, PackedMove, Setup};
use chessdb_testkit::expected::{self, CompareOptions, compare_trees};
use chessdb_testkit::tree::Tree;
use chessdb_testkit::{fixtures, tree};

#[test]
fn every_expected_game_is_legal_and_differs_from_the_next() {
    let Some(root) = fixtures::testdata("fixtures-made") else {
        return;
    };
    let mut games = 0;
    for folder in ["scid4", "scid5", "dcx", "jose", "cbf", "chess-assistant"] {
        for base in expected::bases(&root.join(folder)) {
            assert!(!base.games.is_empty(), "{}", base.name);
            for extension in &base.files {
                let path = base.stem.with_extension(extension);
                assert!(path.is_file(), "{}", path.display());
            }
            for (n, game) in base.games.iter().enumerate() {
                check_moves(game).unwrap_or_else(|message| panic!("{} {n}: {message}", base.name));
                let options = CompareOptions::default();
                assert_eq!(compare_trees(game, game, &options), Ok(()));
                let next = &base.games[(n + 1) % base.games.len()];
                assert!(
                    compare_trees(game, next, &options).is_err(),
                    "{} {n}",
                    base.name
                );
            }
            games += base.games.len();
        }
    }
    assert_eq!(games, 160 * 2 + 160 + 50 + 160 + 160 + 53 + 150 + 50 + 38);
}

/// Replays all lines, based only on the positions in the tree.
fn check_moves(game: &Tree) -> Result<(), String> {
    let start = match game.tag("FEN") {
        Some(fen) => {
            Setup::from_fen(fen.as_bytes())
                .map_err(|fault| fault.to_string())?
                .0
                .board
        }
        None => Board::standard(),
    };
    let mut open = vec![(0, start)];
    let mut legal = Vec::new();
    while let Some((line, mut board)) = open.pop() {
        let plies: &[tree::Ply] = &game.lines[line];
        for ply in plies {
            open.extend(ply.variations.iter().map(|&inner| (inner, board.clone())));
            legal.clear();
            legal_moves(&board, &mut legal);
            legal.push(PackedMove::NULL);
            let mv = legal.iter().find(|mv| mv.to_string() == ply.uci);
            board.play(*mv.ok_or_else(|| format!("{} in {board}", ply.uci))?);
        }
    }
    Ok(())
}
