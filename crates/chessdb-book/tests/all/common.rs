//! Small books of each format, made from lines of moves.

use std::collections::BTreeMap;

use chessdb_book::chessdb_core::rules::read_san;
use chessdb_book::chessdb_core::{Board, MemorySet, PackedMove};
use chessdb_book::ctg::raw::{PAGE, RawPosition};
use chessdb_book::ctg::{StoredBoard, hash, moves_of_code};
use chessdb_book::polyglot::{PolyglotEntry, polyglot_move, to_bytes};
use chessdb_book::{ABK_FILE, BIN_FILE, CTB_FILE, CTG_FILE, CTO_FILE};

/// Lines with a transposition, en passant, both castlings and a promotion, each with the result for
/// White: 2, 1 or 0 points.
pub(crate) const LINES: &[(&str, u32)] = &[
    ("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6", 2),
    ("e4 e5 Bc4 Bc5 Nf3 Nc6 O-O", 1),
    ("d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O", 0),
    ("e4 a6 e5 d5 exd6 a5 dxc7 a4 cxb8=Q", 2),
    ("Nf3 Nf6 Ng1 Ng8", 1),
];

/// The moves of a line with the positions before them.
pub(crate) fn positions(line: &str) -> Vec<(Board, PackedMove)> {
    let mut board = Board::standard();
    let mut positions = Vec::new();
    for san in line.split(' ') {
        let mv = read_san(&board, san.as_bytes()).unwrap();
        positions.push((board.clone(), mv));
        board.play(mv);
    }
    positions
}

#[derive(Default)]
struct Stored {
    moves: Vec<[u8; 2]>,
    games: u32,
    /// Won by the side to move, drawn, lost.
    results: [u32; 3],
}

/// A CTG book on two pages.
pub(crate) fn ctg() -> MemorySet {
    let mut stored: BTreeMap<Vec<u8>, Stored> = BTreeMap::new();
    for &(line, points) in LINES {
        let line = positions(line);
        let mut last = line.last().unwrap().clone();
        last.0.play(last.1);
        let ends = [(last.0, None)].into_iter();
        for (board, mv) in line
            .into_iter()
            .map(|(board, mv)| (board, Some(mv)))
            .chain(ends)
        {
            let (bytes, orientation) = StoredBoard::from_board(&board).unwrap();
            let entry = stored.entry(bytes.bytes().to_vec()).or_default();
            entry.games += 1;
            let points = if orientation.swapped { 2 - points } else { points };
            entry.results[2 - points as usize] += 1;
            let Some(mv) = mv else { continue };
            let turned = orientation.board(&board);
            let is_code = |code: &u8| {
                moves_of_code(*code, &turned)[0].map(|mv| orientation.mv(mv)) == Some(mv)
            };
            let code = (0..=255).find(is_code).unwrap();
            if entry.moves.iter().all(|stored| stored[0] != code) {
                entry.moves.push([code, (entry.games % 3) as u8]);
            }
        }
    }
    let mut pages = [vec![0; 4], vec![0; 4]];
    let mut counts = [0_u16; 2];
    for (board, entry) in &stored {
        let page = (hash(board) & 1) as usize;
        let [wins, draws, losses] = entry.results;
        let position = RawPosition {
            board,
            moves: &entry.moves,
            games: entry.games,
            wins,
            losses,
            draws,
            unknown: 5 * entry.games,
            ratings: [(entry.games, 2500 * entry.games), (1, 2400)],
            recommendation: 0x80,
            value: -3,
            comment: 14,
        };
        position.write(&mut pages[page]);
        counts[page] += 1;
    }
    let mut file = vec![0; PAGE];
    file[..12].copy_from_slice(b"\0\x20\x10\0\0\x01\0\x01\0\0\x10\0");
    file[19] = 2;
    file[31] = LINES.len() as u8;
    for (page, count) in pages.iter_mut().zip(counts) {
        let used = page.len() as u16;
        page[..2].copy_from_slice(&count.to_be_bytes());
        page[2..4].copy_from_slice(&used.to_be_bytes());
        page.resize(PAGE, 0xCC);
        file.extend_from_slice(page);
    }
    let mut set = MemorySet::new();
    set.insert(CTG_FILE, file);
    let mut table = b"\0\x10\0\x01\0\0\0\x03\0\0\0\0\0\0\0\0".to_vec();
    for page in [-1_i32, 0, 1] {
        table.extend(page.to_be_bytes());
    }
    set.insert(CTO_FILE, table);
    set.insert(CTB_FILE, *b"\0\x0c\0\x01\0\0\0\0\0\0\0\x08\x01");
    set
}

/// A Polyglot book.
pub(crate) fn polyglot() -> MemorySet {
    let mut entries: Vec<PolyglotEntry> = Vec::new();
    for (n, &(line, _)) in LINES.iter().enumerate() {
        for (board, mv) in positions(line) {
            let (key, mv) = (board.polyglot_key(), polyglot_move(&board, mv));
            match entries
                .iter_mut()
                .find(|entry| (entry.key, entry.mv) == (key, mv))
            {
                Some(entry) => entry.weight += 1,
                None => entries.push(PolyglotEntry {
                    key,
                    mv,
                    weight: 1 + n as u16,
                    learn: 0,
                }),
            }
        }
    }
    let mut set = MemorySet::new();
    set.insert(BIN_FILE, to_bytes(&mut entries));
    set
}

/// An Arena book: a tree without transpositions.
pub(crate) fn abk() -> MemorySet {
    struct Node {
        board: Board,
        mv: PackedMove,
        games: u32,
        children: Vec<usize>,
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut roots: Vec<usize> = Vec::new();
    for &(line, _) in LINES {
        let mut parent: Option<usize> = None;
        for (board, mv) in positions(line) {
            let children = parent.map_or(&roots, |parent| &nodes[parent].children);
            let existing = children
                .iter()
                .copied()
                .find(|&child| nodes[child].mv == mv);
            let number = existing.unwrap_or_else(|| {
                nodes.push(Node {
                    board,
                    mv,
                    games: 0,
                    children: Vec::new(),
                });
                let number = nodes.len() - 1;
                match parent {
                    Some(parent) => nodes[parent].children.push(number),
                    None => roots.push(number),
                }
                number
            });
            nodes[number].games += 1;
            parent = Some(number);
        }
    }
    let next = |siblings: &[usize], number: usize| {
        let index = siblings.iter().position(|&other| other == number)?;
        siblings.get(index + 1).copied()
    };
    let mut file = b"\x03ABK".to_vec();
    file.resize(25_200, 0);
    for (number, node) in nodes.iter().enumerate() {
        let siblings = nodes.iter().map(|node| &node.children).chain([&roots]);
        let sibling = siblings.clone().find_map(|siblings| next(siblings, number));
        let bits = polyglot_move(&node.board, node.mv);
        // Castling is the king's move here.
        let squares = [node.mv.from(), node.mv.to()].map(|square| square.rank_major());
        file.extend(squares);
        file.extend([if bits >> 12 == 4 { 4 } else { 0 }, 5]);
        file.extend(node.games.to_le_bytes());
        file.extend([0; 12]);
        for link in [node.children.first().copied(), sibling] {
            let link = link.map_or(-1, |number| number as i32 + 900);
            file.extend(link.to_le_bytes());
        }
    }
    let mut set = MemorySet::new();
    set.insert(ABK_FILE, file);
    set
}
