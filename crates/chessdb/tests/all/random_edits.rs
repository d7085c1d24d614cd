//! Tests of random changes to the moves of a game.
#![cfg(feature = "all-formats")]

use std::collections::BTreeMap;

use chessdb::core::model::{Place, Token};
use chessdb::core::rules::legal_moves;
use chessdb::core::tree::{EditedMoves, MovesEdit};
use chessdb::core::{Game, PackedMove};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

use crate::edits::pgn;

/// A half-move with all moves that lead to it.
type Path = Vec<u16>;

/// Returns the path and the annotations of each half-move, in the order of the tape.
fn paths(game: &Game) -> Vec<(Path, String)> {
    let mut found: Vec<(Path, String)> = Vec::new();
    let mut start = Path::new();
    let mut now = Path::new();
    let mut lines = Vec::new();
    // By path, what belongs to a move or to the start of a line.
    let mut notes: BTreeMap<Path, String> = BTreeMap::new();
    let mut before = String::new();
    for token in game.moves.tokens() {
        if !matches!(token, Token::Move(_) | Token::Comment(Place::Before, _)) {
            // It precedes no move.
            *notes.entry(now.clone()).or_default() += &std::mem::take(&mut before);
        }
        match token {
            Token::Move(mv) => {
                now.push(mv.bits());
                found.push((now.clone(), std::mem::take(&mut before)));
            }
            Token::Open(_) => {
                lines.push((start.clone(), now.clone()));
                if now.len() > start.len() {
                    now.pop();
                }
                start.clone_from(&now);
            }
            Token::Comment(Place::Before, text) => before += &game.texts.get(text).to_string(),
            Token::Close => (start, now) = lines.pop().unwrap(),
            Token::Comment(_, text) if text.is_none() => {}
            Token::Comment(_, text) => {
                *notes.entry(now.clone()).or_default() += &game.texts.get(text).to_string();
            }
            token => *notes.entry(now.clone()).or_default() += &format!("{token:?}"),
        }
    }
    for (path, text) in &mut found {
        if let Some(more) = notes.get(path) {
            text.push_str(more);
        }
    }
    found
}

fn sorted(mut paths: Vec<(Path, String)>) -> Vec<(Path, String)> {
    paths.sort();
    paths
}

/// A half-move, a change there, and the paths that must be in the game afterwards.
type Expected = (u32, MovesEdit<'static>, Vec<(Path, String)>);

/// Picks a change that is possible at a random half-move of the game, and the paths that it should
/// leave.
fn random_change(game: &Game, rng: &mut Rng) -> Option<Expected> {
    let old = paths(game);
    let at = rng.below(old.len() + 1);
    let path = at
        .checked_sub(1)
        .map(|at| old[at].0.clone())
        .unwrap_or_default();
    let (edit, new) = match rng.below(5) {
        4 => {
            let is_next = |next: &Path| next.len() == path.len() + 1 && next.starts_with(&path);
            let mut order: Vec<u32> = Vec::new();
            for (number, (next, _)) in (1..).zip(&old) {
                if is_next(next) {
                    order.insert(rng.below(order.len() + 1), number);
                }
            }
            order.truncate(rng.below(order.len() + 1));
            let is_listed = |next: &Path| {
                let listed = |number: &u32| next.starts_with(&old[*number as usize - 1].0);
                next.len() <= path.len() || !next.starts_with(&path) || order.iter().any(listed)
            };
            let mut new = old.clone();
            new.retain(|(known, _)| is_listed(known));
            // The table of the test outlives the change.
            (MovesEdit::Variations(order.leak()), new)
        }
        0 => {
            let mut moves: Vec<PackedMove> = Vec::new();
            legal_moves(&game.position_after(at as u32)?, &mut moves);
            if moves.is_empty() {
                return None;
            }
            let mv = moves[rng.below(moves.len())];
            let mut new = old.clone();
            let longer = [path, vec![mv.bits()]].concat();
            if !old.iter().any(|(known, _)| *known == longer) {
                new.push((longer, String::new()));
            }
            (MovesEdit::Play(mv), new)
        }
        1 if at > 0 => {
            let mut new = old.clone();
            new.retain(|(known, _)| !known.starts_with(&path));
            (MovesEdit::DeleteFrom, new)
        }
        2 => (MovesEdit::PromoteVariation, old),
        _ => (MovesEdit::MakeMainline, old),
    };
    Some((at as u32, edit, new))
}

#[test]
fn random_changes_keep_all_other_moves_and_annotations() {
    let options = GameOptions::for_pgn();
    let mut made = [0; 2];
    for seed in 0..400 {
        let mut game = strategy::game(seed, &options);
        let mut rng = Rng::new(seed);
        for _ in 0..8 {
            let known = paths(&game);
            let mut unique: Vec<&Path> = known.iter().map(|(path, _)| path).collect();
            unique.sort();
            unique.dedup();
            let Some((at, edit, wanted)) = random_change(&game, &mut rng) else {
                break;
            };
            // Two equal moves in one place have one path.
            if unique.len() < known.len() {
                break;
            }
            let before = game.clone();
            match game.edit_moves_numbered(at, edit) {
                Ok(EditedMoves { current, former }) => {
                    made[0] += 1;
                    let new = paths(&game);
                    assert_eq!(former.len(), new.len());
                    for (&former, (path, _)) in former.iter().zip(&new) {
                        let old = (former as usize)
                            .checked_sub(1)
                            .map(|index| &known[index].0);
                        assert!(old.is_none_or(|old| old == path), "seed {seed} {edit:?}");
                        assert_eq!(old.is_none(), !unique.contains(&path), "seed {seed}");
                    }
                    if let MovesEdit::Variations(order) = edit {
                        let listed = order.iter().map(|&number| &known[number as usize - 1].0);
                        let length = at.checked_sub(1).map_or(0, |at| known[at as usize].0.len());
                        let next = new.iter().map(|(path, _)| path);
                        let prefix = at.checked_sub(1).map(|at| known[at as usize].0.clone());
                        let prefix = prefix.unwrap_or_default();
                        let next = next
                            .filter(|next| next.len() == length + 1 && next.starts_with(&prefix));
                        assert!(next.eq(listed), "seed {seed} {edit:?} at {at}");
                    }
                    assert!(current as usize <= new.len());
                    assert_eq!(
                        sorted(new.clone()),
                        sorted(wanted),
                        "seed {seed} {edit:?} at {at}"
                    );
                    if let MovesEdit::PromoteVariation | MovesEdit::MakeMainline = edit {
                        let path = &known[at as usize - 1].0;
                        assert_eq!(new[current as usize - 1].0, *path, "seed {seed}");
                    }
                    if let MovesEdit::MakeMainline = edit {
                        let main: Path = game.mainline().map(PackedMove::bits).collect();
                        assert!(main.starts_with(&known[at as usize - 1].0));
                    }
                }
                Err(_) => {
                    made[1] += 1;
                    assert_eq!(game.moves, before.moves);
                }
            }
            if game.moves.plies() > 0 {
                let text = chessdb::Game::from_pgn(&pgn(&game)).unwrap();
                let moves = |game: &Game| paths(game).into_iter().map(|(path, _)| path);
                assert!(moves(&text).eq(moves(&game)), "seed {seed}");
            }
        }
    }
    assert!(made[0] > 1000 && made[1] > 100, "{made:?}");
}
