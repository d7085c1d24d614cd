//! Drawings: coloured squares and arrows (docs/formats/scidb.md, section 7).

use chessdb_core::Square;
use chessdb_core::commands::{Shape, ShapeColor};

use crate::raw::Mark;

/// The letters of the colours red, orange, yellow, green, blue, dark blue, purple, white, black.
const COLORS: &[u8; 9] = b"ROYGBDPWK";
/// The types of drawing that the model has.
const FULL: u8 = 1;
const ARROW: u8 = 3;

/// Returns the coloured square or the arrow of a mark; `None` for other marks.
pub(crate) fn read(mark: Mark<'_>) -> Option<Shape> {
    let Mark::Drawing {
        square,
        shape,
        target,
        color,
    } = mark
    else {
        return None;
    };
    let letter = *COLORS.get(usize::from(color))?;
    let to = match (shape, target) {
        (FULL, None) => None,
        (ARROW, Some(target)) => Some(Square::from_rank_major(target)?),
        _ => return None,
    };
    Some(Shape {
        color: ShapeColor::from_letter(letter)?,
        from: Square::from_rank_major(square)?,
        to,
    })
}

/// Returns the mark for a coloured square or an arrow; `None` if Scidb lacks the colour.
pub(crate) fn write(shape: Shape) -> Option<Mark<'static>> {
    let letter = shape.color.letter();
    let color = COLORS.iter().position(|&listed| listed == letter)?;
    Some(Mark::Drawing {
        square: shape.from.rank_major(),
        shape: if shape.to.is_some() { ARROW } else { FULL },
        target: shape.to.map(Square::rank_major),
        color: color as u8,
    })
}
