//! Rows of Lichess's table of puzzles (docs/formats/text.md, section 1).

use std::borrow::Cow;

use chessdb_core::{Error, ErrorKind, Outcome, Result, Setup};

use crate::columns::GameColumn;
use crate::pgn_text::{PgnText, is_move_word};

/// The columns in the order of files without names. Files of before 2022 have the first nine.
pub(crate) const COLUMNS: [&str; 11] = [
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
    "DailyDate",
];

/// The columns that make a table one of puzzles.
pub(crate) const REQUIRED: [&str; 3] = ["PuzzleId", "FEN", "Moves"];

/// The number of columns that are never empty, except for those after them.
pub(crate) const FEWEST: usize = 9;

const FEN: &str = REQUIRED[1];
const MOVES: &str = REQUIRED[2];
const URL: &str = "GameUrl";

/// Returns whether a cell holds moves in coordinates.
pub(crate) fn is_solution(cell: &[u8]) -> bool {
    let mut words = cell.split(|&byte| byte == b' ');
    words.all(|word| {
        let (squares, promotion) = word.split_at_checked(4).unwrap_or((word, &[]));
        matches!(
            squares,
            [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8']
        ) && matches!(promotion, [] | [b'n' | b'b' | b'r' | b'q'])
    })
}

/// Appends a puzzle: each column is a tag, except for the position and the moves.
pub(crate) fn write(row: &[(&GameColumn, Cow<'_, [u8]>)], out: &mut PgnText<'_, '_>) -> Result<()> {
    let get = |wanted: &str| {
        let mut cells = row.iter();
        cells
            .find(|(column, _)| column.name.eq_ignore_ascii_case(wanted))
            .map_or(&b""[..], |(_, value)| value.trim_ascii())
    };
    let (fen, moves, url) = (get(FEN), get(MOVES), get(URL));
    if Setup::from_fen(fen).is_err() {
        let kind = ErrorKind::syntax("a puzzle with a position in the column FEN", fen);
        return Err(Error::new(kind).at(out.location));
    }
    match site(url) {
        Some(site) => out.roster("Lichess puzzle", site, Outcome::Unknown),
        None => out.roster("?", "?", Outcome::Unknown),
    }
    out.start(fen);
    for (GameColumn { name, .. }, value) in row {
        let is = |column: &str| column.eq_ignore_ascii_case(name);
        if value.is_empty() || is(FEN) || is(MOVES) {
            continue;
        }
        // `Rating` alone would be the rating of nobody.
        let name = if is("Rating") { "PuzzleRating" } else { name };
        out.foreign_tag("Puzzle", name, value);
    }
    let bad = moves
        .split(u8::is_ascii_whitespace)
        .find(|word| !word.is_empty() && !is_move_word(word));
    if let Some(bad) = bad {
        out.tag(MOVES, moves);
        let kind = ErrorKind::bad_move(bad, "not a move; the moves were kept as a tag");
        out.report.lost(kind, out.location)?;
    } else if !out.headers_only {
        out.raw(b"\n");
        out.raw(moves);
        out.raw(b"\n");
    }
    out.end("*")
}

/// Returns the address of the game without the side and the half-move.
fn site(url: &[u8]) -> Option<&[u8]> {
    const START: &[u8] = b"https://lichess.org/";
    let path = url.strip_prefix(START)?;
    let id = path.iter().position(|byte| matches!(byte, b'/' | b'#'));
    url.get(..START.len() + id.unwrap_or(path.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_url_of_game() {
        let game = &b"https://lichess.org/TaT1Zl7z"[..];
        for end in ["", "#25", "/black#56", "/black"] {
            let url = [game, end.as_bytes()].concat();
            assert_eq!(site(&url), Some(game), "{end}");
        }
        assert_eq!(site(b"http://example.org/x"), None);
    }
}
