//! Games that end with an evaluation.
//!
//! The evaluation must be the same in every format that can store it, and ChessBase's old format
//! must have the same bytes after a conversion through another format.

use chessdb::core::files::Role;
use chessdb::core::{Game, LossKind, MemorySet, ReadOptions, Scratch};
use chessdb::formats::reading_for;
use chessdb_proof::hop::{Model, hop};
use chessdb_proof::matrix::targets;

use crate::games::no_problems;

/// The NAGs for the codes 1 to 15 (docs/formats/cbf.md, section 8.2).
const NAGS: [u8; 15] = [18, 16, 14, 11, 13, 15, 17, 19, 146, 44, 132, 36, 40, 138, 7];

/// Movetexts that could be confused with the evaluation at their end.
const ENDS: [&str; 6] = [
    "1. e4 e5 2. Nf3",
    "1. e4 e5 2. Nf3 $NAG",
    "1. e4 e5 2. Nf3 $1 {text}",
    "1. e4 e5 2. Nf3 (2. f4 $NAG)",
    "1. e4 {text $NAG} 1... e5 {more}",
    "",
];

/// Returns PGN of all evaluations with all movetexts; with `repeated`, the NAG also follows the
/// moves.
fn pgn(repeated: bool) -> String {
    let mut text = String::new();
    for nag in NAGS {
        for moves in ENDS {
            let moves = moves.replace("NAG", &nag.to_string());
            let last = if repeated { format!(" ${nag}") } else { String::new() };
            let game = format!(
                "[Event \"E\"]\n[Site \"?\"]\n[Date \"1987.??.??\"]\n[Round \"1\"]\n[White \"A\"]\n\
                 [Black \"B\"]\n[Result \"*\"]\n[LineEvaluation \"${nag}\"]\n\n{moves}{last} *\n\n"
            );
            text.push_str(&game.replace("\n *", "\n*").replace("\n $", "\n$"));
        }
    }
    text
}

fn open(text: &str) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), text.as_bytes().to_vec());
    set
}

fn model(set: &MemorySet, format: &'static chessdb::Format) -> Model {
    let store = (format.open)(set, ReadOptions::default()).unwrap();
    let mut scratch = Scratch::new();
    let games = (0..store.len()).map(|n| {
        let mut game = Game::new();
        store.game_into(n, &mut game, &mut scratch).unwrap();
        game
    });
    Model {
        games: games.collect(),
        ..Model::default()
    }
}

#[test]
fn pgn_repeats_the_evaluation_after_the_moves() {
    let set = open(&pgn(true));
    let games = model(&set, &chessdb::pgn::PGN);
    let written = hop("repeated", &games, None, &chessdb::pgn::PGN);
    let text = written.files.iter().next().unwrap().1.to_vec();
    assert_eq!(String::from_utf8(text).unwrap(), pgn(true));
    // Without the NAG the game is equal.
    let plain = model(&open(&pgn(false)), &chessdb::pgn::PGN);
    for (n, (game, other)) in games.games.iter().zip(&plain.games).enumerate() {
        let repeated = n % ENDS.len() == 1;
        assert!(repeated || game == other, "{n}");
    }
}

#[test]
fn evaluations_come_back_from_every_format() {
    let games = model(&open(&pgn(true)), &chessdb::pgn::PGN);
    let cbf = hop("evaluations", &games, None, &chessdb::cbf::CBF);
    no_problems([&cbf.outcome]);
    assert!(
        cbf.announced.iter().all(|losses| losses.is_empty()),
        "{:?}",
        cbf.announced
    );
    let before: Vec<_> = cbf
        .files
        .iter()
        .map(|(role, bytes)| (role, bytes.to_vec()))
        .collect();
    for target in targets() {
        let store =
            (chessdb::cbf::CBF.open)(&cbf.files, reading_for(target, ReadOptions::default()));
        let result = hop("there", &*store.unwrap(), Some(&chessdb::cbf::CBF), target);
        no_problems([&result.outcome]);
        if result.joined {
            continue;
        }
        let lost = |kind| result.announced.iter().any(|losses| losses.count(kind) > 0);
        let keeps_tags = !["dcx", "cbf", "encroissant"].contains(&target.id);
        println!("{}: {:?}", target.id, result.outcome.losses);
        // Chess Assistant has only twelve verdicts.
        assert!(
            !keeps_tags || target.id == "ca" || !lost(LossKind::Tag),
            "{}",
            target.id
        );
        let store = (target.open)(&result.files, ReadOptions::default()).unwrap();
        let back = hop("back", &*store, Some(target), &chessdb::cbf::CBF);
        no_problems([&back.outcome]);
        let after: Vec<_> = back
            .files
            .iter()
            .map(|(role, bytes)| (role, bytes.to_vec()))
            .collect();
        // Chess Assistant has only twelve verdicts, and the others have no tags.
        let is_lossy = ["dcx", "ca", "encroissant"].contains(&target.id);
        assert!(is_lossy || before == after, "{}", target.id);
    }
}
