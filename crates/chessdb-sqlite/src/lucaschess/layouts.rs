//! The tables as the program creates them, to recognise them in a file without definitions
//! (docs/formats/lucaschess.md).

use crate::file::Layout;

/// Returns the tables with the columns that every database has. The names of further columns are
/// only in the definitions.
pub(super) fn layouts() -> Vec<Layout> {
    let definitions = [
        "CREATE TABLE Games(XPV VARCHAR, _DATA_ BLOB, PLYCOUNT INT, EVENT VARCHAR, SITE VARCHAR, \
         DATE VARCHAR, ROUND VARCHAR, WHITE VARCHAR, BLACK VARCHAR, RESULT VARCHAR)",
        "CREATE TABLE Config(KEY TEXT PRIMARY KEY, VALUE BLOB)",
    ];
    vec![Layout {
        definitions: definitions.map(str::to_owned).into(),
        games: vec!["Games".to_owned()],
        has_more_columns: true,
        is_game: |_| true,
    }]
}
