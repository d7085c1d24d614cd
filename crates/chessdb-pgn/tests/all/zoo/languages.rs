//! Non-English piece letters.

use chessdb_core::PieceType::{Bishop, King, Knight, Queen, Rook};

use super::plain::Letters;

/// Piece letters used by books in these languages.
pub(crate) const LANGUAGES: &[Letters<'static>] = &[
    &[
        ("K", King),
        ("D", Queen),
        ("T", Rook),
        ("L", Bishop),
        ("S", Knight),
    ],
    &[
        ("K", King),
        ("D", Queen),
        ("T", Rook),
        ("L", Bishop),
        ("P", Knight),
    ],
    &[
        ("R", King),
        ("D", Queen),
        ("T", Rook),
        ("F", Bishop),
        ("C", Knight),
    ],
    &[
        ("R", King),
        ("D", Queen),
        ("T", Rook),
        ("A", Bishop),
        ("C", Knight),
    ],
    &[
        ("R", King),
        ("D", Queen),
        ("T", Rook),
        ("B", Bishop),
        ("C", Knight),
    ],
    &[
        ("Кр", King),
        ("Ф", Queen),
        ("Л", Rook),
        ("С", Bishop),
        ("К", Knight),
    ],
    &[
        ("Кр", King),
        ("Ф", Queen),
        ("Т", Rook),
        ("С", Bishop),
        ("К", Knight),
    ],
    &[
        ("Ц", King),
        ("Д", Queen),
        ("Т", Rook),
        ("О", Bishop),
        ("К", Knight),
    ],
    &[
        ("К", King),
        ("Д", Queen),
        ("Т", Rook),
        ("Л", Bishop),
        ("С", Knight),
    ],
    &[
        ("K", King),
        ("H", Queen),
        ("W", Rook),
        ("G", Bishop),
        ("S", Knight),
    ],
    &[
        ("K", King),
        ("D", Queen),
        ("V", Rook),
        ("S", Bishop),
        ("J", Knight),
    ],
    &[
        ("K", King),
        ("V", Queen),
        ("B", Rook),
        ("F", Bishop),
        ("H", Knight),
    ],
    &[
        ("R", King),
        ("D", Queen),
        ("T", Rook),
        ("N", Bishop),
        ("C", Knight),
    ],
    &[
        ("K", King),
        ("D", Queen),
        ("T", Rook),
        ("L", Bishop),
        ("R", Knight),
    ],
    &[
        ("K", King),
        ("D", Queen),
        ("H", Rook),
        ("B", Bishop),
        ("R", Knight),
    ],
    &[
        ("K", King),
        ("L", Queen),
        ("V", Rook),
        ("O", Bishop),
        ("R", Knight),
    ],
    &[
        ("Ş", King),
        ("V", Queen),
        ("K", Rook),
        ("F", Bishop),
        ("A", Knight),
    ],
];
