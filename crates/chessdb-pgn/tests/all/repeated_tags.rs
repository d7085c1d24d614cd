//! Games with repeated tags remain one game.

use chessdb_core::LossKind;
use chessdb_core::model::Tag;
use chessdb_pgn::{Layout, write_game};
use proptest::prelude::*;

use crate::common::{read_all, read_one};

proptest! {
    /// Tags with names that games begin with, which other formats and repeated tags leave in the
    /// model, never make two games of one.
    #[test]
    fn repeated_tags_begin_no_other_game(
        names in prop::collection::vec(
            prop::sample::select(vec![
                "Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Own",
            ]),
            0..9,
        ),
        has_setup in any::<bool>(),
        is_board in any::<bool>(),
    ) {
        let start = if has_setup { "[SetUp \"1\"]\n[FEN \"8/8/8/8/8/k7/8/K7 w - - 0 1\"]\n" } else { "" };
        let (mut game, _) = read_one(format!("[White \"A\"]\n{start}\n*\n").as_bytes());
        for name in &names {
            let value = if is_board { "8/8/8/8/8/k7/8/K7 x" } else { "x" };
            let (name, value) = (game.add_text(name), game.add_text(value));
            game.header.tags.push(Tag::Other { name, value });
        }
        let mut text = Vec::new();
        let losses = write_game(&game, &Layout::default(), &mut text);
        let text = String::from_utf8(text).unwrap();
        let (again, _) = read_all(text.as_bytes());
        prop_assert_eq!(again.len(), 1, "{}", text);
        let lost = losses.count(LossKind::Tag) as usize;
        let before = text.matches("x\"]").count();
        prop_assert_eq!(before + lost, names.len(), "{}", text);
    }
}
