//! Annotations that are written at another place than in the source (docs/formats/scid.md, section
//! 4.3).

use chessdb_core::model::LineBuilder;
use chessdb_core::options::Allow;
use chessdb_core::{Game, LossKind, Result, WriteOptions};
use chessdb_scid::SI4;
use chessdb_testkit::identity;

/// Returns the losses of a game, and its line after it was written.
fn written(game: &Game) -> (Vec<LossKind>, String) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let (set, losses) = identity::write_all(&SI4, [game], options).unwrap();
    let back = identity::open_all(&SI4, &set).remove(0);
    let losses = losses.iter().map(|loss| loss.kind);
    (losses.collect(), identity::line(&back))
}

/// After a move come its NAGs, its comment and its variations. A text after a variation would be
/// one of the move as well.
#[test]
fn annotations_after_a_variation_are_moved_before_it() {
    let queen_pawn = |line: LineBuilder| -> Result<LineBuilder> { line.san("d4") };
    let moved = Game::builder().san("e4").unwrap();
    let moved = || moved.clone().variation(queen_pawn).unwrap();
    let game = moved().comment("late").san("e5").unwrap().build();
    let line = "e2e4 {late} ( d2d4 ) e7e5".to_owned();
    assert_eq!(written(&game), (vec![LossKind::CommentMoved], line));
    let game = moved().nag(1).san("e5").unwrap().build();
    let line = "e2e4 $1 ( d2d4 ) e7e5".to_owned();
    assert_eq!(written(&game), (vec![LossKind::NagMoved], line));
    // A comment of the next move, and two variations, are in order.
    let game = moved().variation(queen_pawn).unwrap().san("e5").unwrap();
    let game = game.comment("in time").build();
    let line = "e2e4 ( d2d4 ) ( d2d4 ) e7e5 {in time}".to_owned();
    assert_eq!(written(&game), (vec![], line));
}

#[test]
fn a_sign_after_a_comment_is_moved_before_it() {
    let game = Game::builder().san("e4").unwrap().comment("text").nag(1);
    let line = "e2e4 $1 {text}".to_owned();
    assert_eq!(written(&game.build()), (vec![LossKind::NagMoved], line));
}
