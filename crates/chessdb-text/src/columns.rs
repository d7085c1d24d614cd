//! The names of the columns of tables of games: those of chessdb (docs/parquet.md, section 1), and
//! those of other programs (docs/formats/text.md, section 4).

use std::collections::HashSet;

use chessdb_core::ErrorKind;

/// The column with the moves, tags or both of a game. Tables of other programs have one of the
/// others; the first one counts.
pub(crate) const MOVETEXT: [&str; 5] = ["movetext", "pgn", "moves", "san", "an"];

/// Columns of chessdb, and what other programs call them, without case and signs between words.
const NAMES: &[(&str, &[&str])] = &[
    ("movetext", &MOVETEXT),
    ("Event", &["event", "tournament"]),
    ("Site", &["site"]),
    ("Date", &["date"]),
    ("Round", &["round"]),
    (
        "White",
        &[
            "white",
            "whiteplayer",
            "whitename",
            "whiteusername",
            "whiteid",
        ],
    ),
    (
        "Black",
        &[
            "black",
            "blackplayer",
            "blackname",
            "blackusername",
            "blackid",
        ],
    ),
    ("Result", &["result", "winner"]),
    ("WhiteElo", &["whiteelo", "whiterating"]),
    ("BlackElo", &["blackelo", "blackrating"]),
    ("WhiteTitle", &["whitetitle"]),
    ("BlackTitle", &["blacktitle"]),
    ("WhiteRatingDiff", &["whiteratingdiff"]),
    ("BlackRatingDiff", &["blackratingdiff"]),
    ("WhiteFideId", &["whitefideid"]),
    ("BlackFideId", &["blackfideid"]),
    ("ECO", &["eco", "openingeco", "ecocode"]),
    ("Opening", &["opening", "openingname"]),
    ("Termination", &["termination", "victorystatus"]),
    ("TimeControl", &["timecontrol", "incrementcode"]),
    ("UTCDate", &["utcdate"]),
    ("UTCTime", &["utctime"]),
    ("EventDate", &["eventdate"]),
    ("Annotator", &["annotator"]),
    ("Source", &["source"]),
    ("FEN", &["fen", "initialfen", "startfen"]),
];

/// A column of a table of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GameColumn {
    /// The name among chessdb's columns, or else the name of a tag. Unique in the table.
    pub(crate) name: String,
    /// The name in the table.
    pub(crate) original: String,
}

impl GameColumn {
    fn new(name: &str) -> GameColumn {
        GameColumn {
            name: name.to_owned(),
            original: name.to_owned(),
        }
    }
}

/// Returns the columns of a table of games with these names. `None` if none has moves.
///
/// If several names mean the same column, the most common one has it, and the others become tags. A
/// name that occurs again gets a number.
pub(crate) fn of_games(names: &[String]) -> Option<Vec<GameColumn>> {
    let folded: Vec<String> = names.iter().map(|name| fold(name)).collect();
    let mut columns: Vec<GameColumn> = names.iter().map(|name| GameColumn::new(name)).collect();
    let mut is_taken = vec![false; names.len()];
    for (tag, others) in NAMES {
        let exact = names.iter().position(|name| name == tag);
        let other = || {
            others
                .iter()
                .find_map(|other| folded.iter().position(|name| name == other))
        };
        let Some(index) = exact.or_else(other) else {
            continue;
        };
        if let (Some(column), Some(taken)) = (columns.get_mut(index), is_taken.get_mut(index)) {
            (*tag).clone_into(&mut column.name);
            *taken = true;
        }
    }
    // A single word at the start of a text may be prose.
    let is_table = names.len() > 1
        || folded
            .iter()
            .any(|name| matches!(&**name, "movetext" | "pgn"));
    let has_moves = is_table && columns.iter().any(|column| column.name == MOVETEXT[0]);
    number_repeated(&mut columns, &is_taken);
    has_moves.then_some(columns)
}

/// Returns whether [`of_games`] gives a column this name in any table: it is a name of chessdb, or of
/// a tag.
pub(crate) fn is_own_name(name: &str) -> bool {
    let is_derived = name != "moves" && DERIVED.contains(&name);
    let is_known = || NAMES.iter().any(|(tag, _)| *tag == name);
    let is_other = || {
        let folded = fold(name);
        NAMES
            .iter()
            .flat_map(|(_, others)| *others)
            .any(|other| *other == folded)
    };
    is_derived || is_known() || !is_other()
}

/// Returns columns that have the names of the table, which are unique.
pub(crate) fn with_own_names(names: &[String]) -> Vec<GameColumn> {
    let mut columns: Vec<GameColumn> = names.iter().map(|name| GameColumn::new(name)).collect();
    number_repeated(&mut columns, &vec![false; names.len()]);
    columns
}

/// Appends a number to names that occur again, except for names that `keep` their column.
fn number_repeated(columns: &mut [GameColumn], keep: &[bool]) {
    let retained = columns.iter().zip(keep).filter(|(_, keep)| **keep);
    let mut names: HashSet<String> = retained.map(|(column, _)| column.name.clone()).collect();
    let others = columns.iter_mut().zip(keep).filter(|(_, keep)| !**keep);
    for (column, _) in others {
        let first = column.name.clone();
        for n in 2_u32.. {
            if names.insert(column.name.clone()) {
                break;
            }
            column.name = format!("{first}{n}");
        }
    }
}

/// Returns the note on a column or key (`what`) that occurs again and is read under a new name.
pub(crate) fn repeated_note(what: &str, original: &str, name: &str) -> ErrorKind {
    ErrorKind::Other(format!("the {what} {original:?} occurs again and is read as {name:?}").into())
}

/// The columns of chessdb that follow from others, or name the source of the game.
pub(crate) const DERIVED: &[&str] = &[
    "GameDate",
    "Year",
    "PlyCount",
    "moves",
    "clocks",
    "elapsed",
    "evals",
    "positions",
    "base",
    "game",
    "id",
];

fn fold(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_other_programs_are_recognised() {
        for (names, expected) in [
            (
                "White,Black,movetext,moves,id",
                Some("White,Black,movetext,moves,id"),
            ),
            ("white,BLACK,pgn", Some("White,Black,movetext")),
            (
                "white_id,White Rating,Moves",
                Some("White,WhiteElo,movetext"),
            ),
            ("id,game,winner,moves", Some("id,game,Result,movetext")),
            (
                "White,White,white_id,pgn,moves",
                Some("White,White2,white_id,movetext,moves"),
            ),
            ("movetext,movetext,pgn", Some("movetext,movetext2,pgn")),
            (
                "White2,White,White,AN",
                Some("White2,White,White3,movetext"),
            ),
            ("Year,moves", Some("Year,movetext")),
            ("White,Black", None),
        ] {
            let names: Vec<String> = names.split(',').map(str::to_owned).collect();
            let columns = of_games(&names);
            let found = columns.map(|columns| {
                let names: Vec<String> = columns.into_iter().map(|column| column.name).collect();
                names.join(",")
            });
            assert_eq!(found.as_deref(), expected, "{names:?}");
            if names.iter().all(|name| is_own_name(name)) {
                assert!(found.is_none_or(|found| found == names.join(",")));
            }
        }
    }
}
