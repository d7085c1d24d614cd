//! The opening lines of StoredLineCode (docs/formats/scid.md, section 6.3 and appendix A).

use std::sync::OnceLock;

use chessdb_core::board::MoveKind;
use chessdb_core::{PackedMove, Square};

/// Line `n` is row `n - 1`: the number of the line that it extends (0: none), and the moves to add.
#[rustfmt::skip]
const ROWS: [(u8, &str); 254] = [
    (0, "b2b3"),
    (0, "c2c4"),
    (2, "c7c5"),
    (3, "g1f3"),
    (2, "e7e5"),
    (5, "b1c3"),
    (6, "g8f6"),
    (2, "e7e6"),
    (8, "g1f3"),
    (2, "g7g6"),
    (2, "g8f6"),
    (11, "b1c3"),
    (12, "e7e6"),
    (12, "g7g6"),
    (0, "d2d4"),
    (15, "d7d5"),
    (16, "c2c4"),
    (17, "c7c6"),
    (18, "b1c3"),
    (19, "g8f6"),
    (20, "g1f3"),
    (18, "g1f3"),
    (22, "g8f6"),
    (23, "b1c3"),
    (24, "e7e6"),
    (17, "d5c4"),
    (26, "g1f3"),
    (27, "g8f6"),
    (17, "e7e6"),
    (29, "b1c3"),
    (30, "c7c6"),
    (30, "g8f6"),
    (29, "g1f3"),
    (16, "g1f3"),
    (34, "g8f6"),
    (35, "c2c4"),
    (36, "c7c6"),
    (36, "e7e6"),
    (15, "d7d6"),
    (39, "g1f3"),
    (15, "e7e6"),
    (41, "c2c4"),
    (42, "g8f6"),
    (15, "f7f5"),
    (44, "g2g3 g8f6 f1g2"),
    (15, "g7g6"),
    (46, "c2c4 f8g7"),
    (15, "g8f6"),
    (48, "c1g5"),
    (49, "f6e4"),
    (48, "c2c4"),
    (51, "c7c5"),
    (52, "d4d5"),
    (53, "b7b5"),
    (54, "c4b5 a7a6"),
    (51, "e7e6 g2g3"),
    (56, "d7d5"),
    (51, "e7e6 b1c3"),
    (58, "f8b4"),
    (59, "e2e3"),
    (60, "e8g8"),
    (59, "d1c2"),
    (62, "e8g8"),
    (63, "a2a3 b4c3 c2c3"),
    (58, "d7d5"),
    (51, "e7e6 g1f3"),
    (66, "b7b6"),
    (67, "a2a3"),
    (67, "g2g3"),
    (69, "c8a6"),
    (66, "f8b4"),
    (66, "d7d5"),
    (72, "b1c3"),
    (51, "g7g6"),
    (74, "b1c3 f8g7"),
    (75, "e2e4"),
    (76, "d7d6"),
    (77, "f1e2 e8g8"),
    (78, "g1f3"),
    (77, "f2f3"),
    (80, "e8g8"),
    (81, "c1e3"),
    (77, "g1f3 e8g8"),
    (83, "f1e2"),
    (84, "e7e5"),
    (85, "e1g1"),
    (86, "b8c6 d4d5 c6e7"),
    (74, "b1c3 d7d5"),
    (88, "g1f3"),
    (88, "c4d5 f6d5"),
    (90, "e2e4 d5c3 b2c3 f8g7"),
    (48, "g1f3"),
    (92, "c7c5"),
    (92, "d7d5"),
    (92, "e7e6"),
    (95, "c1g5"),
    (95, "c2c4"),
    (92, "g7g6"),
    (98, "c1g5"),
    (98, "c2c4"),
    (100, "f8g7"),
    (101, "b1c3"),
    (102, "e8g8"),
    (98, "g2g3"),
    (104, "f8g7 f1g2"),
    (0, "e2e4"),
    (106, "c7c5"),
    (107, "c2c3"),
    (108, "d7d5 e4d5 d8d5 d2d4"),
    (109, "g8f6"),
    (108, "g8f6 e4e5 f6d5"),
    (111, "d2d4 c5d4"),
    (107, "d2d4 c5d4"),
    (107, "b1c3"),
    (114, "b8c6"),
    (115, "g2g3"),
    (116, "g7g6"),
    (117, "f1g2 f8g7"),
    (118, "d2d3"),
    (107, "g1f3"),
    (120, "d7d6"),
    (121, "f1b5"),
    (121, "d2d4"),
    (123, "c5d4"),
    (124, "f3d4"),
    (125, "g8f6"),
    (126, "b1c3"),
    (127, "a7a6"),
    (128, "f1c4"),
    (128, "f1e2"),
    (128, "c1e3"),
    (128, "c1g5"),
    (132, "e7e6"),
    (127, "g7g6"),
    (134, "c1e3 f8g7 f2f3"),
    (135, "e8g8"),
    (127, "b8c6"),
    (137, "c1g5"),
    (138, "e7e6 d1d2"),
    (120, "e7e6"),
    (140, "d2d3"),
    (140, "d2d4 c5d4 f3d4"),
    (142, "a7a6"),
    (143, "f1d3"),
    (142, "b8c6"),
    (145, "b1c3"),
    (146, "d8c7"),
    (142, "g8f6"),
    (148, "b1c3"),
    (149, "d7d6"),
    (120, "b8c6"),
    (151, "f1b5"),
    (152, "g7g6"),
    (151, "d2d4 c5d4 f3d4"),
    (154, "e7e5"),
    (154, "g7g6"),
    (154, "g8f6 b1c3"),
    (157, "d7d6"),
    (158, "c1g5"),
    (157, "e7e5"),
    (160, "d4b5 d7d6"),
    (161, "c1g5 a7a6"),
    (162, "b5a3 b7b5"),
    (106, "c7c6"),
    (164, "d2d4 d7d5"),
    (165, "e4e5"),
    (166, "c8f5"),
    (165, "e4d5 c6d5"),
    (168, "c2c4 g8f6 b1c3"),
    (165, "b1c3"),
    (170, "d5e4 c3e4"),
    (165, "b1d2 d5e4 d2e4"),
    (106, "d7d5 e4d5 g8f6"),
    (106, "d7d5 e4d5 d8d5"),
    (174, "b1c3"),
    (175, "d5a5"),
    (106, "d7d6"),
    (177, "d2d4"),
    (178, "g8f6"),
    (179, "b1c3"),
    (180, "g7g6"),
    (181, "f2f4 f8g7 g1f3"),
    (181, "g1f3 f8g7"),
    (106, "e7e5"),
    (184, "f2f4"),
    (184, "b1c3"),
    (184, "g1f3"),
    (187, "b8c6"),
    (188, "f1b5"),
    (189, "a7a6"),
    (190, "b5a4"),
    (191, "g8f6"),
    (192, "e1g1"),
    (193, "b7b5 a4b3"),
    (193, "f8e7"),
    (195, "f1e1 b7b5 a4b3 d7d6"),
    (196, "c2c3 e8g8"),
    (197, "h2h3"),
    (198, "c6a5 b3c2 c7c5 d2d4"),
    (195, "f1e1 b7b5 a4b3 e8g8"),
    (189, "g8f6"),
    (188, "f1c4"),
    (202, "g8f6"),
    (188, "d2d4 e5d4"),
    (204, "f3d4"),
    (188, "b1c3"),
    (206, "g8f6"),
    (187, "g8f6"),
    (208, "f3e5 d7d6"),
    (106, "e7e6"),
    (210, "d2d3"),
    (210, "d2d4"),
    (212, "d7d5"),
    (213, "e4e5 c7c5"),
    (214, "c2c3"),
    (213, "b1c3"),
    (216, "f8b4"),
    (217, "e4e5"),
    (218, "c7c5"),
    (219, "a2a3 b4c3 b2c3"),
    (216, "g8f6"),
    (221, "c1g5"),
    (213, "b1d2"),
    (223, "c7c5"),
    (223, "g8f6"),
    (225, "e4e5 f6d7"),
    (226, "f1d3 c7c5 c2c3 b8c6 g1e2"),
    (106, "g7g6"),
    (228, "d2d4"),
    (229, "f8g7"),
    (230, "b1c3"),
    (231, "d7d6"),
    (106, "g8f6"),
    (233, "e4e5 f6d5"),
    (234, "d2d4 d7d6"),
    (235, "g1f3"),
    (0, "f2f4"),
    (0, "g2g3"),
    (0, "g1f3"),
    (239, "c7c5"),
    (240, "c2c4"),
    (239, "d7d5"),
    (242, "c2c4"),
    (242, "d2d4"),
    (242, "g2g3"),
    (239, "g7g6"),
    (239, "g8f6"),
    (247, "c2c4"),
    (248, "c7c5"),
    (248, "e7e6"),
    (248, "g7g6"),
    (251, "b1c3"),
    (247, "g2g3"),
    (253, "g7g6"),
];

/// The opening lines as a tree of moves.
#[derive(Clone, Debug)]
pub(crate) struct OpeningLines {
    nodes: Vec<Node>,
}

#[derive(Clone, Default, Debug)]
struct Node {
    /// The line that ends here, or 0.
    code: u8,
    /// The child nodes: from square, to square, node.
    next: Vec<(Square, Square, u16)>,
}

/// A position in the tree while a game's mainline is played.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct OpeningCursor {
    /// Whether the game has left the known lines.
    left: bool,
    node: u16,
    code: u8,
}

impl OpeningCursor {
    /// The cursor of a game that was never in the known lines.
    pub(crate) const LEFT: OpeningCursor = OpeningCursor {
        left: true,
        node: 0,
        code: 0,
    };

    /// Returns whether the game has left the known lines.
    #[inline]
    pub(crate) fn has_left(self) -> bool {
        self.left
    }

    /// Returns the number of the longest line that the moves so far begin with, or 0.
    pub(crate) fn code(self) -> u8 {
        self.code
    }
}

impl OpeningLines {
    /// Builds the tree.
    pub(crate) fn new() -> OpeningLines {
        let mut lines = OpeningLines {
            nodes: vec![Node::default()],
        };
        let mut ends = vec![0u16];
        for (row, (parent, moves)) in ROWS.iter().enumerate() {
            // Parents precede their lines in the table, so the end of the parent is known.
            let mut end = ends.get(usize::from(*parent)).copied().unwrap_or(0);
            for name in moves.split(' ') {
                let squares = name.as_bytes().split_at_checked(2);
                let Some((from, to)) = squares.and_then(|(from, to)| {
                    Some((Square::from_ascii(from)?, Square::from_ascii(to)?))
                }) else {
                    continue;
                };
                end = lines.child_or_new(end, from, to);
            }
            if let Some(node) = lines.nodes.get_mut(usize::from(end)) {
                node.code = row as u8 + 1;
            }
            ends.push(end);
        }
        lines
    }

    fn child(&self, node: u16, from: Square, to: Square) -> Option<u16> {
        self.nodes
            .get(usize::from(node))?
            .next
            .iter()
            .find(|&&(f, t, _)| f == from && t == to)
            .map(|&(_, _, child)| child)
    }

    fn child_or_new(&mut self, node: u16, from: Square, to: Square) -> u16 {
        if let Some(child) = self.child(node, from, to) {
            return child;
        }
        let child = self.nodes.len() as u16;
        self.nodes.push(Node::default());
        if let Some(node) = self.nodes.get_mut(usize::from(node)) {
            node.next.push((from, to, child));
        }
        child
    }

    /// Follows the next move of the mainline.
    pub(crate) fn play(&self, cursor: &mut OpeningCursor, mv: PackedMove) {
        if cursor.left {
            return;
        }
        match self.child(cursor.node, mv.from(), mv.to()) {
            Some(child) => {
                cursor.node = child;
                let code = self
                    .nodes
                    .get(usize::from(child))
                    .map_or(0, |node| node.code);
                // Nodes within a line have no code of their own; the last complete line counts.
                if code != 0 {
                    cursor.code = code;
                }
            }
            None => cursor.left = true,
        }
    }
}

/// Returns the moves of each line, line 1 first.
pub(crate) fn openings() -> &'static [Vec<PackedMove>] {
    static LINES: OnceLock<Vec<Vec<PackedMove>>> = OnceLock::new();
    LINES.get_or_init(|| {
        let mut lines: Vec<Vec<PackedMove>> = Vec::with_capacity(ROWS.len());
        for (parent, moves) in ROWS {
            let row = usize::from(parent).checked_sub(1);
            let parent = row.and_then(|row| lines.get(row));
            let mut line = parent.cloned().unwrap_or_default();
            line.extend(moves.split(' ').filter_map(|name| {
                let (from, to) = name.as_bytes().split_at_checked(2)?;
                let (from, to) = (Square::from_ascii(from)?, Square::from_ascii(to)?);
                // No king moves two squares except when castling, and the lines have no en passant.
                let kind = match name {
                    "e1g1" | "e8g8" => MoveKind::CastleShort,
                    "e1c1" | "e8c8" => MoveKind::CastleLong,
                    _ => MoveKind::Normal,
                };
                Some(PackedMove::new(from, to, kind))
            }));
            lines.push(line);
        }
        lines
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line consists of legal moves, and the tree returns its number.
    #[test]
    fn the_moves_of_lines_lead_to_their_numbers() {
        let tree = OpeningLines::new();
        for (line, number) in openings().iter().zip(1..) {
            let mut board = chessdb_core::Board::standard();
            let mut cursor = OpeningCursor::default();
            for &mv in line {
                assert!(chessdb_core::rules::is_legal(&board, mv), "{number}: {mv}");
                board.play(mv);
                tree.play(&mut cursor, mv);
            }
            assert_eq!(cursor.code(), number);
        }
        assert_eq!(openings().len(), 254);
    }

    fn moves_of(line: usize) -> Vec<PackedMove> {
        let (parent, moves) = ROWS[line - 1];
        let mut all = if parent == 0 { Vec::new() } else { moves_of(parent.into()) };
        all.extend(moves.split(' ').map(|name| {
            let (from, to) = name.as_bytes().split_at(2);
            PackedMove::normal(
                Square::from_ascii(from).unwrap(),
                Square::from_ascii(to).unwrap(),
            )
        }));
        all
    }

    /// Compares the tree with a direct comparison against every line.
    #[test]
    #[cfg_attr(miri, ignore = "compares each line with every beginning of all lines")]
    fn the_longest_line_wins() {
        let lines = OpeningLines::new();
        let all: Vec<_> = (1..=254).map(moves_of).collect();
        for game in &all {
            for len in 0..=game.len() {
                let mut cursor = OpeningCursor::default();
                let played = &game[..len];
                played.iter().for_each(|&mv| lines.play(&mut cursor, mv));
                let longest = (1..=254)
                    .filter(|&n| played.starts_with(&all[n - 1]))
                    .max_by_key(|&n| all[n - 1].len());
                assert_eq!(usize::from(cursor.code()), longest.unwrap_or(0));
            }
        }
    }

    #[test]
    fn cursor_never_reenters_the_lines() {
        let lines = OpeningLines::new();
        let mut cursor = OpeningCursor::default();
        let e4 = moves_of(106)[0];
        lines.play(&mut cursor, PackedMove::NULL);
        lines.play(&mut cursor, e4);
        assert_eq!(cursor.code(), 0);
    }
}
