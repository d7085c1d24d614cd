//! A board as SVG.

use std::fmt::Write as _;

use chessdb_core::{Board, Color};

/// The outlines of the pieces as symbols of SVG, which the boards of a page refer to.
pub const PIECES: &str = include_str!("pieces.svg");

/// Returns a board as SVG, seen from this side. `name`, a text in HTML, is read aloud. The page needs
/// [`PIECES`] and [`STYLE`](crate::STYLE).
pub fn board_svg(board: &Board, side: Color, name: &str) -> String {
    let mut svg = format!(
        "<svg class=\"board\" viewBox=\"0 0 800 800\" role=\"img\" aria-label=\"{name}\">\
         <path class=\"light\" d=\"M0 0H800V800H0Z\"/><path class=\"dark\" d=\""
    );
    for row in 0..8 {
        for column in (0..8).filter(|column| (row + column) % 2 == 1) {
            let _ = write!(svg, "M{} {}h100v100h-100Z", 100 * column, 100 * row);
        }
    }
    svg += "\"/>";
    let fen = board.to_string();
    let placement = fen.split(' ').next().unwrap_or_default();
    for (row, rank) in placement.split('/').enumerate() {
        let mut column = 0;
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(empty) => column += empty as usize,
                None => {
                    let offset = |n: usize| 100 * side.pick(n, 7_usize.saturating_sub(n));
                    let color = if letter.is_ascii_uppercase() { "w" } else { "b" };
                    let _ = write!(
                        svg,
                        "<use href=\"#{}\" class=\"{color}\" x=\"{}\" y=\"{}\" width=\"100\" \
                         height=\"100\"/>",
                        letter.to_ascii_lowercase(),
                        offset(column),
                        offset(row),
                    );
                    column += 1;
                }
            }
        }
    }
    svg + "</svg>"
}
