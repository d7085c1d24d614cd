//! A reference implementation of the table of docs/formats/cbh.md, section 6.3, code by code, and
//! of the rules of section 6.4 on plain lists.
#![allow(dead_code, unreachable_pub)]

use chessdb_core::board::MoveKind;
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};

/// The lists of one side: queens, rooks, bishops and knights, and the pawns.
#[derive(Default)]
struct Lists {
    pieces: [Vec<Square>; 4],
    pawns: Vec<Option<Square>>,
}

pub struct Twin([Lists; 2]);

const KINDS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

impl Twin {
    pub fn new(board: &Board, reverse: bool) -> Twin {
        let mut twin = Twin(Default::default());
        let mut squares: Vec<Square> = Square::all().collect();
        if reverse {
            squares.reverse();
        }
        for square in squares {
            let Some(piece) = board.piece_at(square) else {
                continue;
            };
            let lists = &mut twin.0[piece.color as usize];
            if piece.kind == PieceType::Pawn {
                lists.pawns.push(Some(square));
            } else if let Some(kind) = KINDS.iter().position(|kind| *kind == piece.kind)
                && lists.pieces[kind].len() < 3
            {
                lists.pieces[kind].push(square);
            }
        }
        twin
    }

    /// Returns all moves of one byte: code, from, to.
    fn table(&self, board: &Board) -> Vec<(u8, Square, Square)> {
        let us = board.turn();
        let lists = &self.0[us as usize];
        let mut table = Vec::new();
        let mut add = |code: u8, from: Square, files: i8, ranks: i8| {
            let file = (from.file() as i8 + files + 8) % 8;
            let rank = (from.rank() as i8 + ranks + 8) % 8;
            let to = Square::from_coords(file as u8, rank as u8).unwrap();
            table.push((code, from, to));
        };
        let king = board.king(us).unwrap();
        for (code, (files, ranks)) in (1..).zip([
            (0, 1),
            (1, 1),
            (1, 0),
            (1, -1),
            (0, -1),
            (-1, -1),
            (-1, 0),
            (-1, 1),
        ]) {
            add(code, king, files, ranks);
        }
        let straight = |i: i8| [(0, i), (i, 0)];
        let diagonal = |i: i8| [(i, i), (i, -i)];
        for (list, firsts) in lists.pieces.iter().zip([
            [11u8, 143, 171],
            [39, 53, 199],
            [67, 81, 213],
            [95, 103, 227],
        ]) {
            for (&from, first) in list.iter().zip(firsts) {
                let steps: Vec<(i8, i8)> = match first {
                    11 | 143 | 171 => (0..4)
                        .flat_map(|d| (1..8).map(move |i| [straight(i), diagonal(i)].concat()[d]))
                        .collect(),
                    39 | 53 | 199 => (0..2)
                        .flat_map(|d| (1..8).map(move |i| straight(i)[d]))
                        .collect(),
                    67 | 81 | 213 => (0..2)
                        .flat_map(|d| (1..8).map(move |i| diagonal(i)[d]))
                        .collect(),
                    _ => vec![
                        (2, 1),
                        (1, 2),
                        (-1, 2),
                        (-2, 1),
                        (-2, -1),
                        (-1, -2),
                        (1, -2),
                        (2, -1),
                    ],
                };
                for (code, (files, ranks)) in (first..).zip(steps) {
                    add(code, from, files, ranks);
                }
            }
        }
        for (pawn, from) in (0..).zip(&lists.pawns) {
            if let Some(from) = *from {
                let steps = match us {
                    Color::White => [(0, 1), (0, 2), (1, 1), (-1, 1)],
                    Color::Black => [(0, -1), (0, -2), (-1, -1), (1, -1)],
                };
                for (code, (files, ranks)) in (111 + 4 * pawn..).zip(steps) {
                    add(code, from, files, ranks);
                }
            }
        }
        table
    }

    pub fn encode(&self, board: &Board, mv: PackedMove) -> Vec<u8> {
        match mv.kind() {
            MoveKind::Null => return vec![0],
            MoveKind::CastleShort => return vec![9],
            MoveKind::CastleLong => return vec![10],
            _ => {}
        }
        let promotion = mv.promotion();
        let plain = self
            .table(board)
            .into_iter()
            .find(|&(_, from, to)| promotion.is_none() && (from, to) == (mv.from(), mv.to()));
        if let Some((code, ..)) = plain {
            return vec![code];
        }
        let kind = promotion.map_or(0, |kind| KINDS.iter().position(|k| *k == kind).unwrap());
        let word = mv.from().index() as usize + mv.to().index() as usize * 64 + kind * 4096;
        vec![235, (word / 256) as u8, (word % 256) as u8]
    }

    pub fn play(&mut self, before: &Board, mv: PackedMove) {
        if mv.is_null() {
            return;
        }
        let us = before.turn();
        let taken = match mv.kind() {
            MoveKind::EnPassant => Square::from_coords(mv.to().file(), mv.from().rank()).unwrap(),
            _ => mv.to(),
        };
        let theirs = &mut self.0[us.other() as usize];
        for list in &mut theirs.pieces {
            list.retain(|square| *square != taken);
        }
        for pawn in &mut theirs.pawns {
            *pawn = pawn.filter(|square| *square != taken);
        }
        let ours = &mut self.0[us as usize];
        let rook = match mv.kind() {
            MoveKind::CastleShort => Some((7, 5)),
            MoveKind::CastleLong => Some((0, 3)),
            _ => None,
        };
        let mut go = |from: Square, to: Square| {
            let squares = ours.pieces.iter_mut().flatten();
            for square in squares.chain(ours.pawns.iter_mut().flatten()) {
                if *square == from {
                    *square = to;
                }
            }
        };
        go(mv.from(), mv.to());
        if let Some((from, to)) = rook {
            let on = |file| Square::from_coords(file, mv.to().rank()).unwrap();
            go(on(from), on(to));
        }
        if let Some(kind) = mv.promotion() {
            for pawn in &mut ours.pawns {
                *pawn = pawn.filter(|square| *square != mv.to());
            }
            let list = &mut ours.pieces[KINDS.iter().position(|k| *k == kind).unwrap()];
            if list.len() < 3 {
                list.push(mv.to());
            }
        }
    }
}
