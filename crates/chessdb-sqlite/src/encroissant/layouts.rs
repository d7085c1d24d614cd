//! The tables as the program creates them, to recognise them in a file without definitions
//! (docs/formats/encroissant.md).

use crate::file::{Layout, Value};
use crate::wide;

/// Returns the tables of the versions since 0.2 and of version 0.1.
pub(super) fn layouts() -> Vec<Layout> {
    let with_moves = |moves: &str, is_game: fn(&[Value<'_>]) -> bool| {
        let games = format!(
            "CREATE TABLE Games (ID INTEGER PRIMARY KEY, EventID INTEGER, SiteID INTEGER, Date TEXT, \
             UTCTime TEXT, Round INTEGER, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, \
             BlackElo INTEGER, WhiteMaterial INTEGER, BlackMaterial INTEGER, Result INTEGER, \
             TimeControl TEXT, ECO TEXT, PlyCount INTEGER, FEN TEXT, {moves} BLOB, PawnHome BLOB)"
        );
        Layout::with_names([games], false, is_game)
    };
    vec![
        with_moves("Moves", |game| !has_wide_moves(game)),
        with_moves("Moves2", has_wide_moves),
    ]
}

/// Returns whether moves take two bytes each.
fn has_wide_moves(game: &[Value<'_>]) -> bool {
    // The places of PlyCount and of the moves in the definitions above.
    wide::are_moves(game.get(15), game.get(17))
}
