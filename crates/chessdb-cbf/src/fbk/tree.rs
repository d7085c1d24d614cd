//! The moves of a book as a tree.

use chessdb_core::board::{MoveKind, Side};
use chessdb_core::{Board, PackedMove, PieceType, Square, rules};

use super::raw::Entry;

/// A move. References to other moves are indexes into [`Tree::nodes`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) weak: bool,
    /// The first move after this one.
    pub(super) child: Option<u32>,
    last_child: Option<u32>,
    /// The next alternative from the same position.
    pub(super) next: Option<u32>,
}

/// The tree of all moves. The root is the first move from the start position.
#[derive(Clone, Default, Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) root: Option<u32>,
    last_root: Option<u32>,
}

/// A structural fault of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Imbalance {
    /// A line ends and no position has an alternative pending, but another move follows.
    NoAlternative {
        /// The index of the entry that follows.
        entry: usize,
    },
    /// This number of announced alternatives is missing.
    Missing(usize),
    /// The last line has no end.
    Open,
}

impl Tree {
    pub(super) fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize)
    }

    pub(super) fn mark_weak(&mut self, number: u32) {
        if let Some(node) = self.nodes.get_mut(number as usize) {
            node.weak = true;
        }
    }

    /// Returns the first of the moves that follow `parent`, or of the moves from the start
    /// position.
    fn first(&self, parent: Option<u32>) -> Option<u32> {
        match parent {
            Some(parent) => self.node(parent)?.child,
            None => self.root,
        }
    }

    /// Returns the move with these squares among the moves that follow `parent`.
    pub(super) fn find(&self, parent: Option<u32>, from: Square, to: Square) -> Option<u32> {
        let mut next = self.first(parent);
        while let Some(number) = next {
            let node = self.node(number)?;
            if (node.from, node.to) == (from, to) {
                return Some(number);
            }
            next = node.next;
        }
        None
    }

    /// Appends a move to the alternatives of its position.
    pub(super) fn add(&mut self, parent: Option<u32>, from: Square, to: Square, weak: bool) -> u32 {
        let number = self.nodes.len() as u32;
        let node = Node {
            from,
            to,
            weak,
            child: None,
            last_child: None,
            next: None,
        };
        self.nodes.push(node);
        let before = match parent.and_then(|parent| self.nodes.get_mut(parent as usize)) {
            Some(parent) => {
                parent.child = parent.child.or(Some(number));
                parent.last_child.replace(number)
            }
            None => {
                self.root = self.root.or(Some(number));
                self.last_root.replace(number)
            }
        };
        if let Some(before) = before.and_then(|before| self.nodes.get_mut(before as usize)) {
            before.next = Some(number);
        }
        number
    }

    /// Builds the tree of a book in depth-first order. A move with an alternative pushes its
    /// position onto a stack; after the end of a line, the next move is played from the position on
    /// top of the stack.
    pub(super) fn parse(
        entries: impl Iterator<Item = Entry>,
        imbalance: &mut impl FnMut(Imbalance) -> chessdb_core::Result<()>,
    ) -> chessdb_core::Result<Tree> {
        let mut tree = Tree::default();
        let mut pending: Vec<Option<u32>> = Vec::new();
        let mut parent = None;
        let (mut lost, mut ended) = (false, true);
        for (number, entry) in entries.enumerate() {
            if lost {
                imbalance(Imbalance::NoAlternative { entry: number })?;
                lost = false;
            }
            let node = tree.add(parent, entry.from, entry.to, entry.weak);
            if entry.has_alternative {
                pending.push(parent);
            }
            ended = entry.ends_line;
            if !ended {
                parent = Some(node);
                continue;
            }
            match pending.pop() {
                Some(position) => parent = position,
                None => (parent, lost) = (None, true),
            }
        }
        // The end of the last line takes a position from the stack; an intact book has none left
        // then.
        let missing = pending.len() + usize::from(ended && !lost && !tree.nodes.is_empty());
        if missing > 0 {
            imbalance(Imbalance::Missing(missing))?;
        }
        if !ended {
            imbalance(Imbalance::Open)?;
        }
        Ok(tree)
    }

    /// Iterates over the moves in the order of the file.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut open: Vec<u32> = self.root.into_iter().collect();
        std::iter::from_fn(move || {
            let node = *self.node(open.pop()?)?;
            // The alternatives come after all moves that follow this one.
            open.extend(node.next);
            open.extend(node.child);
            Some(Entry {
                from: node.from,
                to: node.to,
                has_alternative: node.next.is_some(),
                ends_line: node.child.is_none(),
                unused: false,
                weak: node.weak,
            })
        })
    }
}

/// Returns the legal move between two squares; promotions are to a queen.
pub(super) fn resolve(board: &Board, from: Square, to: Square) -> Option<PackedMove> {
    let piece = board.piece_at(from)?;
    let kind = match piece.kind {
        PieceType::King if from.file().abs_diff(to.file()) == 2 => match to.file() {
            file if file == Side::Short.king_file() => MoveKind::CastleShort,
            _ => MoveKind::CastleLong,
        },
        PieceType::Pawn if to.rank() == piece.color.rank(7) => {
            MoveKind::Promotion(PieceType::Queen)
        }
        PieceType::Pawn if from.file() != to.file() && board.ep_square() == Some(to) => {
            MoveKind::EnPassant
        }
        _ => MoveKind::Normal,
    };
    let mv = PackedMove::new(from, to, kind);
    rules::is_legal(board, mv).then_some(mv)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(bytes: &[u8]) -> (Tree, Vec<Imbalance>) {
        let mut found = Vec::new();
        let entries = super::super::Book::parse(bytes).entries;
        let tree = Tree::parse(entries.into_iter(), &mut |imbalance| {
            found.push(imbalance);
            Ok(())
        });
        (tree.unwrap(), found)
    }

    /// The lines 1. e4 (1. d4 d5) 1... e5 (1... c5) 2. Nf3.
    const TREE: [u8; 12] = [
        12,
        28, // e4, and d4 comes later
        52,
        36, // e5, and c5 comes later
        6 | 0xC0,
        21, // Nf3 ends the line
        50 | 0xC0,
        34, // c5
        11 | 0x40,
        27 | 0x80, // d4, weak
        51 | 0xC0,
        35, // d5
    ];

    #[test]
    fn a_tree_is_read_and_written() {
        let (tree, faults) = parse(&TREE);
        assert_eq!(faults, []);
        let e4 = tree.root.unwrap();
        let d4 = tree.node(e4).unwrap().next.unwrap();
        assert!(tree.node(d4).unwrap().weak);
        let e5 = tree.node(e4).unwrap().child.unwrap();
        assert_eq!(tree.node(e5).unwrap().to.to_string(), "e5");
        let c5 = tree.node(e5).unwrap().next.unwrap();
        assert_eq!(tree.node(c5).unwrap().to.to_string(), "c5");
        let bytes: Vec<u8> = tree.entries().flat_map(|entry| entry.to_bytes()).collect();
        assert_eq!(bytes, TREE);
    }

    #[test]
    fn imbalances_are_found() {
        assert_eq!(parse(&TREE[..10]).1, [Imbalance::Open]);
        assert_eq!(parse(&TREE[..8]).1, [Imbalance::Missing(1)]);
        assert_eq!(
            parse(&TREE[..4]).1,
            [Imbalance::Missing(2), Imbalance::Open]
        );
        let surplus = [&TREE[..], &[11 | 0xC0, 27]].concat();
        assert_eq!(parse(&surplus).1, [Imbalance::NoAlternative { entry: 6 }]);
        assert_eq!(parse(&[]).1, []);
    }

    proptest! {
        /// Every tree can be restored from its entries, and any entries form a tree.
        #[test]
        fn trees_come_back(places in prop::collection::vec((any::<prop::sample::Index>(), 0u8..64), 1..60)) {
            let mut tree = Tree::default();
            for (parent, to) in places {
                let parent = parent.index(tree.nodes.len() + 1).checked_sub(1).map(|n| n as u32);
                tree.add(parent, Square::new_masked(0), Square::new_masked(to), false);
            }
            let bytes: Vec<u8> = tree.entries().flat_map(|entry| entry.to_bytes()).collect();
            let (again, faults) = parse(&bytes);
            prop_assert_eq!(faults, []);
            let back: Vec<u8> = again.entries().flat_map(|entry| entry.to_bytes()).collect();
            prop_assert_eq!(back, bytes);
        }

        #[test]
        fn any_bytes_make_a_tree(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
            let (tree, _) = parse(&bytes);
            prop_assert_eq!(tree.nodes.len(), bytes.len() / 2);
            prop_assert_eq!(tree.entries().count(), bytes.len() / 2);
        }
    }
}
