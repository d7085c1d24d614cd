//! Tests of changes to the moves of a game.
#![cfg(feature = "all-formats")]

use std::collections::BTreeMap;

use chessdb::core::commands::{Shape, ShapeColor};
use chessdb::core::model::{Place, Token};
use chessdb::core::rules::legal_moves;
use chessdb::core::tree::MovesEdit;
use chessdb::core::{Game, PackedMove, Square, Start};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

/// A change in a table: what it is, and the move it plays.
#[derive(Clone, Copy)]
enum Change {
    Play(&'static str),
    Edit(MovesEdit<'static>),
}

fn applied(before: &str, at: u32, change: Change) -> Result<(String, u32), String> {
    let mut game = chessdb::Game::from_movetext(before, &Start::Standard).unwrap();
    let edit = match change {
        Change::Edit(edit) => edit,
        Change::Play(san) => {
            let board = game.position_after(at).ok_or("no such move")?;
            let mv = chessdb::core::rules::read_san(&board, san.as_bytes());
            MovesEdit::Play(mv.map_err(|fault| fault.to_string())?)
        }
    };
    let done = game.edit_moves(at, edit).map_err(|error| error.to_string());
    let text = game.movetext();
    match done {
        Ok(at) => Ok((text, at)),
        Err(error) => {
            assert_eq!(
                text,
                chessdb::Game::from_movetext(before, &Start::Standard)
                    .unwrap()
                    .movetext()
            );
            Err(error)
        }
    }
}

#[test]
fn changes_to_the_moves() {
    use Change::{Edit, Play};
    use MovesEdit::{
        Comment, DeleteFrom, DeleteVariation, MakeMainline, Nags, PromoteVariation, Shapes,
    };
    const E4: Shape = Shape {
        color: ShapeColor::GREEN,
        from: Square::new_masked(35),
        to: None,
    };
    let nested = "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 *";
    let cases: &[(&str, u32, Change, &str, u32)] = &[
        ("*", 0, Play("e4"), "1. e4 *", 1),
        ("1. e4 e5 *", 0, Play("e4"), "1. e4 e5 *", 1),
        ("1. e4 e5 *", 2, Play("Nf3"), "1. e4 e5 2. Nf3 *", 3),
        ("1. e4 e5 *", 2, Play("--"), "1. e4 e5 2. -- *", 3),
        ("1. e4 e5 *", 1, Play("c5"), "1. e4 e5 (1... c5) *", 3),
        (
            "1. e4 e5 {x} 2. Nf3 *",
            1,
            Play("c5"),
            "1. e4 e5 {x} (1... c5) 2. Nf3 *",
            3,
        ),
        (
            "1. e4 e5 (1... c5) *",
            1,
            Play("c5"),
            "1. e4 e5 (1... c5) *",
            3,
        ),
        (nested, 2, Play("Nf6"), nested, 4),
        (nested, 0, Play("c4"), nested, 7),
        (
            nested,
            8,
            Play("Nc3"),
            "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 (2. Nc3) *",
            10,
        ),
        // The alternatives of a deleted move remain.
        (
            nested,
            1,
            Edit(DeleteFrom),
            "1. d4 (1. c4) 1... d5 (1... Nf6 2. c4) 2. c4 *",
            0,
        ),
        (
            nested,
            3,
            Edit(DeleteFrom),
            "1. e4 (1. d4 Nf6 2. c4) (1. c4) 1... e5 2. Nf3 *",
            2,
        ),
        (
            nested,
            2,
            Edit(DeleteFrom),
            "1. e4 (1. c4) 1... e5 2. Nf3 *",
            0,
        ),
        (
            nested,
            6,
            Edit(DeleteFrom),
            "1. e4 (1. d4 d5 (1... Nf6 2. c4)) (1. c4) 1... e5 2. Nf3 *",
            3,
        ),
        (
            nested,
            9,
            Edit(DeleteFrom),
            "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) 1... e5 *",
            8,
        ),
        (
            nested,
            4,
            Edit(DeleteVariation),
            "1. e4 (1. d4 d5 2. c4) (1. c4) 1... e5 2. Nf3 *",
            2,
        ),
        (
            nested,
            6,
            Edit(DeleteVariation),
            "1. e4 (1. c4) 1... e5 2. Nf3 *",
            0,
        ),
        (
            nested,
            7,
            Edit(PromoteVariation),
            "1. c4 (1. e4 e5 2. Nf3) (1. d4 d5 (1... Nf6 2. c4) 2. c4) *",
            1,
        ),
        (
            nested,
            5,
            Edit(PromoteVariation),
            "1. e4 (1. d4 Nf6 (1... d5 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 *",
            6,
        ),
        (
            nested,
            5,
            Edit(MakeMainline),
            "1. d4 (1. e4 e5 2. Nf3) (1. c4) 1... Nf6 (1... d5 2. c4) 2. c4 *",
            9,
        ),
        (
            "1. e4 $1 {a} (1. d4 $2 {b}) *",
            2,
            Edit(PromoteVariation),
            "1. d4 $2 {b} (1. e4 $1 {a}) *",
            1,
        ),
        (
            "1. e4 *",
            1,
            Edit(Comment(Place::After, "best")),
            "1. e4 {best} *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00] old} (1. d4) *",
            1,
            Edit(Comment(Place::After, "new")),
            "1. e4 {[%clk 1:00:00] new} (1. d4) *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00]} (1. d4) *",
            1,
            Edit(Comment(Place::After, "new")),
            "1. e4 {[%clk 1:00:00] new} (1. d4) *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00] old} *",
            1,
            Edit(Comment(Place::After, "")),
            "1. e4 {[%clk 1:00:00]} *",
            1,
        ),
        (
            "1. e4 {a} (1. d4) {b} *",
            1,
            Edit(Comment(Place::After, "a b")),
            "1. e4 {a b} (1. d4) *",
            1,
        ),
        (
            "1. e4 $1 (1. d4) *",
            1,
            Edit(Comment(Place::After, "x")),
            "1. e4 $1 {x} (1. d4) *",
            1,
        ),
        (
            "{start} 1. e4 *",
            0,
            Edit(Comment(Place::After, "begin")),
            "{begin} 1. e4 *",
            0,
        ),
        (
            "{start} *",
            0,
            Edit(Comment(Place::After, "begin")),
            "{begin} *",
            0,
        ),
        (
            "1. e4 (1. d4) *",
            2,
            Edit(Comment(Place::Before, "or")),
            "1. e4 ({or} 1. d4) *",
            2,
        ),
        ("1. e4 $1 $16 *", 1, Edit(Nags(&[3])), "1. e4 $3 *", 1),
        ("1. e4 {x} *", 1, Edit(Nags(&[1])), "1. e4 $1 {x} *", 1),
        (
            "1. e4 {x} *",
            1,
            Edit(Shapes(&[E4])),
            "1. e4 {[%csl Ge4] x} *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00]} *",
            1,
            Edit(Shapes(&[E4])),
            "1. e4 {[%clk 1:00:00] [%csl Ge4]} *",
            1,
        ),
        ("1. e4 {[%csl Rd4]} *", 1, Edit(Shapes(&[])), "1. e4 *", 1),
        (
            "1. e4 {[%csl Rd4] x} *",
            1,
            Edit(Shapes(&[E4])),
            "1. e4 {[%csl Ge4] x} *",
            1,
        ),
        ("1. e4 *", 0, Edit(Shapes(&[E4])), "{[%csl Ge4]} 1. e4 *", 0),
    ];
    for &(before, at, change, after, current) in cases {
        let found = applied(before, at, change);
        assert_eq!(found, Ok((after.to_owned(), current)), "{before} at {at}");
    }
    for (before, at, change) in [
        ("1. e4 *", 2, Edit(DeleteFrom)),
        ("1. e4 *", 0, Edit(DeleteFrom)),
        ("1. e4 *", 1, Edit(DeleteVariation)),
        ("1. e4 *", 1, Edit(PromoteVariation)),
        ("1. e4 *", 1, Edit(MakeMainline)),
        ("1. e4 *", 0, Edit(MakeMainline)),
        ("1. e4 *", 9, Edit(Nags(&[1]))),
        ("1. e4 *", 1, Play("Ke7")),
    ] {
        assert!(applied(before, at, change).is_err(), "{before} at {at}");
    }
}

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
    let (edit, new) = match rng.below(4) {
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
            // The same move twice in one place cannot be told apart by its path.
            if unique.len() < known.len() {
                break;
            }
            let before = game.clone();
            match game.edit_moves(at, edit) {
                Ok(current) => {
                    made[0] += 1;
                    let new = paths(&game);
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

pub(crate) fn pgn(game: &Game) -> String {
    let mut text = Vec::new();
    chessdb::pgn::write_game(game, &chessdb::pgn::Layout::default(), &mut text);
    String::from_utf8(text).unwrap()
}
