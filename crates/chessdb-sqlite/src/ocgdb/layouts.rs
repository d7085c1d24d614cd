//! The tables as the program creates them, to recognise them in a file without definitions
//! (docs/formats/ocgdb.md, sections 1 and 2).

use crate::file::{Layout, Value};
use crate::wide;

/// Returns the tables of all versions, and for each kind of moves.
pub(super) fn layouts() -> Vec<Layout> {
    let with = |columns: &str, is_game: fn(&[Value<'_>]) -> bool| {
        let games = format!(
            "CREATE TABLE Games (ID INTEGER PRIMARY KEY, EventID INTEGER, SiteID INTEGER, Date TEXT, \
             Round, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, BlackElo INTEGER, {columns})"
        );
        let comments = "CREATE TABLE Comments (ID INTEGER PRIMARY KEY, GameID INTEGER, Ply INTEGER, Comment TEXT)";
        Layout::with_names([games, comments.to_owned()], true, is_game)
    };
    let now = "Result, TimeControl TEXT, ECO TEXT, PlyCount INTEGER, FEN TEXT";
    let first = [
        "CREATE TABLE info (name TEXT, value TEXT)",
        "CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, elo INTEGER)",
        "CREATE TABLE game (id INTEGER PRIMARY KEY, event_id INTEGER, white_id INTEGER, \
         white_elo INTEGER, black_id INTEGER, black_elo INTEGER, timer TEXT, date TEXT, eco TEXT, \
         result INTEGER, length INTEGER, fen TEXT, moves TEXT)",
    ];
    vec![
        with(&format!("{now}, Moves TEXT"), |game| {
            matches!(game.get(14), Some(Value::Text(_)))
        }),
        with(&format!("{now}, Moves2 BLOB"), has_wide_moves),
        with(&format!("{now}, Moves1 BLOB"), |game| {
            matches!(game.get(14), Some(Value::Blob(_))) && !has_wide_moves(game)
        }),
        Layout {
            definitions: first.map(str::to_owned).into(),
            games: vec!["game".to_owned()],
            has_more_columns: false,
            is_game: |_| true,
        },
    ]
}

/// Returns whether moves take two bytes each.
fn has_wide_moves(game: &[Value<'_>]) -> bool {
    // The places of PlyCount and of the moves in the definitions above.
    wide::are_moves(game.get(12), game.get(14))
}
