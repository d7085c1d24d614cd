//! The names of openings, looked up by position.

use std::collections::HashMap;
use std::sync::OnceLock;

use chessdb_core::model::{Eco, Tag};
use chessdb_core::{Board, Game};

use crate::position::read_line;

/// Code, name and moves of each opening, tab-separated. The data are from
/// lichess-org/chess-openings (CC0 1.0).
const TABLE: &str = include_str!("openings.tsv");

/// The number of half-moves after which no opening is looked up. All lines of the table are
/// shorter.
const MOST_PLIES: usize = 40;

/// An opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Opening {
    /// The ECO code.
    pub eco: Eco,
    /// The name, such as `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
    /// The number of half-moves after which its position is on the board.
    pub ply: u32,
}

/// Returns the opening of a game's mainline, by its last named position and independent of the move
/// order. `None` for variants with different rules and for games with an unknown start position.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::openings::opening;
///
/// let game = Game::builder().sans(["Nf3", "c5", "e4", "d6", "h3"])?.build();
/// let opening = opening(&game).unwrap();
/// assert_eq!((opening.eco.to_string(), opening.ply), ("B50".to_owned(), 4));
/// # Ok::<(), chessdb_core::Error>(())
/// ```
pub fn opening(game: &Game) -> Option<Opening> {
    let counts = game.has_standard_rules() && game.has_known_start();
    opening_of_moves(game).filter(|_| counts)
}

/// Returns the ECO code and the name of a game's opening, both from one source: the tags `ECO` and
/// `Opening`, or else the moves. If the tag has another code than the moves and no name, both are
/// returned with their sources.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::openings::opening_label;
///
/// let game = Game::builder().sans(["c4"])?;
/// assert_eq!(opening_label(&game.clone().build()), "A10 English Opening");
/// let label = opening_label(&game.eco("D92").build());
/// assert_eq!(label, "D92 by the tag, A10 English Opening by the moves");
/// # Ok::<(), chessdb_core::Error>(())
/// ```
pub fn opening_label(game: &Game) -> String {
    let by_moves = opening(game);
    let moves = by_moves.map(|opening| format!("{} {}", opening.eco, opening.name));
    let Some(eco) = game.eco() else {
        return moves.unwrap_or_default();
    };
    if let Some(name) = name_in_tags(game) {
        return format!("{eco} {name}");
    }
    match (by_moves, moves) {
        // A code without a name takes the name of the moves if they have the same code.
        (Some(opening), _) if opening.eco.code == eco.code => format!("{eco} {}", opening.name),
        (_, Some(moves)) => format!("{eco} by the tag, {moves} by the moves"),
        _ => eco.to_string(),
    }
}

/// Returns the name of the opening in the tags. `None` if no tag contains one.
pub(crate) fn name_in_tags(game: &Game) -> Option<String> {
    let names = ["Opening", "Variation", "SubVariation"];
    let mut parts = names.map(|_| String::new());
    for tag in &game.header.tags {
        if let Tag::Other { name, value } = *tag
            && let Some(index) = names
                .iter()
                .position(|label| game.text(name).as_bytes() == label.as_bytes())
            && let Some(part) = parts.get_mut(index)
        {
            *part = game.text(value).decode().into_owned();
        }
    }
    let named: Vec<String> = parts
        .into_iter()
        .filter(|part| !matches!(part.trim(), "" | "?" | "-"))
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// Returns the opening reached by a game's mainline from [`Game::start`], also in variants with
/// different rules.
pub fn opening_of_moves(game: &Game) -> Option<Opening> {
    let mut board = game.start_board();
    let mut last = opening_at(&board);
    for (ply, mv) in (1..).zip(game.mainline().take(MOST_PLIES)) {
        board.play(mv);
        if let Some(opening) = opening_at(&board) {
            last = Some(Opening { ply, ..opening });
        }
    }
    last
}

/// Returns the name of the opening that an ECO code begins with: that of its shortest line. `None`
/// if several lines are the shortest.
///
/// ```
/// use chessdb_query::openings::eco_name;
///
/// assert_eq!(eco_name("B90"), Some("Sicilian Defense: Najdorf Variation"));
/// assert_eq!(eco_name("A00"), None);
/// ```
pub fn eco_name(eco: &str) -> Option<&'static str> {
    let mut lines: Vec<(usize, &str)> = rows()
        .filter(|(code, ..)| *code == eco)
        .map(|(_, name, moves)| (moves.split_whitespace().count(), name))
        .collect();
    lines.sort_unstable();
    match lines.as_slice() {
        [(one, _), (other, _), ..] if one == other => None,
        lines => lines.first().map(|(_, name)| *name),
    }
}

/// Returns the opening with this position, if any.
pub fn opening_at(board: &Board) -> Option<Opening> {
    let named = table().get(&board.polyglot_key()).copied();
    named.map(|(code, name)| Opening {
        eco: Eco::new(code),
        name,
        ply: 0,
    })
}

fn table() -> &'static HashMap<u64, (u16, &'static str)> {
    static POSITIONS: OnceLock<HashMap<u64, (u16, &'static str)>> = OnceLock::new();
    POSITIONS.get_or_init(|| {
        let lines = rows().filter_map(|(eco, name, moves)| {
            let mut board = Board::standard();
            for mv in read_line(moves).ok()? {
                board.play(mv);
            }
            Some((
                board.polyglot_key(),
                (Eco::from_ascii(eco.as_bytes())?.code, name),
            ))
        });
        lines.collect()
    })
}

/// Returns the names of all openings; one that several lines reach is repeated.
pub(crate) fn opening_names() -> impl Iterator<Item = &'static str> {
    rows().map(|(_, name, _)| name)
}

/// Returns code and name of every line.
pub(crate) fn opening_codes() -> impl Iterator<Item = (u16, &'static str)> {
    rows().filter_map(|(eco, name, _)| Some((Eco::from_ascii(eco.as_bytes())?.code, name)))
}

/// Returns code, name and moves of every line.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    TABLE.lines().filter_map(|line| {
        let (eco, rest) = line.split_once('\t')?;
        let (name, moves) = rest.split_once('\t')?;
        Some((eco, name, moves))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opening_line_can_be_read() {
        let mut longest = 0;
        for (eco, name, moves) in rows() {
            assert!(Eco::from_ascii(eco.as_bytes()).is_some(), "{eco} {name}");
            let moves = read_line(moves);
            longest = longest.max(moves.map_or(0, |moves| moves.len()));
            assert!(longest > 0, "{eco} {name}");
        }
        assert_eq!(rows().count(), TABLE.lines().count());
        assert!(longest < MOST_PLIES, "{longest}");
        // No position has two names.
        assert_eq!(table().len(), rows().count());
    }
}
