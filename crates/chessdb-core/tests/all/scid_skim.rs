//! Tests of SCID mainlines of which some moves are shown, compared with the numbering applied move
//! by move.

use std::ops::ControlFlow;

use chessdb_core::board::{Bitboard, MoveKind, Played};
use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::scid::{ScidNumbering, SkimLine};
use chessdb_core::model::Start;
use chessdb_core::search::{MainlineObserver, MoveFilter};
use chessdb_core::{Board, PackedMove, rules};
use proptest::prelude::*;

use crate::common::starts;

/// The next element of a game: any bytes, or one of the legal moves.
#[derive(Clone, Debug)]
enum Next {
    Bytes([u8; 2]),
    Legal(u16),
}

fn next() -> impl Strategy<Value = Next> {
    prop_oneof![
        1 => any::<[u8; 2]>().prop_map(Next::Bytes),
        6 => any::<u16>().prop_map(Next::Legal),
    ]
}

fn move_filter() -> impl Strategy<Value = MoveFilter> {
    let squares = prop_oneof![
        Just(0),
        Just(u64::MAX),
        (0..64_u32).prop_map(|square| 1 << square),
        any::<u64>()
    ];
    (squares, prop_oneof![Just(0), Just(u8::MAX), 2..32_u8]).prop_map(|(squares, captures)| {
        MoveFilter {
            squares: Bitboard(squares),
            captures,
        }
    })
}

/// A move with its effect, its bytes, and the position after it.
struct Step {
    mv: PackedMove,
    played: Played,
    bytes: Vec<u8>,
    board: Board,
}

impl Step {
    fn passes_filter(&self, filter: MoveFilter) -> bool {
        let (from, to) = (self.mv.from().bit(), self.mv.to().bit());
        self.mv.kind() != MoveKind::Normal
            || (from | to).0 & filter.squares.0 != 0
            || self.played.captured.is_some()
                && self.board.occupied().len() <= filter.captures.into()
    }
}

/// Returns the moves that the numbering can read from these elements.
fn steps(start: &Start, board: &Board, nexts: &[Next]) -> Option<Vec<Step>> {
    let mut lists = ScidNumbering.start(start).ok()?;
    let mut board = board.clone();
    let mut steps = Vec::new();
    for next in nexts {
        let mut bytes = Vec::new();
        match next {
            Next::Bytes(any) => bytes.extend(any),
            Next::Legal(choice) => {
                let mut legal = Vec::new();
                rules::legal_moves(&board, &mut legal);
                if let Some(&mv) = legal.get(usize::from(*choice) % legal.len().max(1)) {
                    let _ = ScidNumbering.encode(&lists, &board, mv, &mut bytes);
                }
            }
        }
        let Ok((mv, used)) = ScidNumbering.decode(&lists, &board, &bytes) else {
            continue;
        };
        // A marker, whatever piece has number 0.
        if (11..16).contains(&bytes[0]) {
            continue;
        }
        bytes.truncate(used);
        let played = board.play(mv);
        ScidNumbering.play(&mut lists, &board, mv, &played);
        let board = board.clone();
        steps.push(Step {
            mv,
            played,
            bytes,
            board,
        });
    }
    Some(steps)
}

/// Returns the moves that the numbering can read, all their bytes, and a line at the start.
fn game(start: &Start, nexts: &[Next]) -> Option<(Vec<Step>, Vec<u8>, SkimLine)> {
    let board = start.board();
    let steps = steps(start, &board, nexts)?;
    let line = SkimLine::new(start, board).ok()?;
    let bytes = steps.iter().flat_map(|step| step.bytes.clone()).collect();
    Some((steps, bytes, line))
}

proptest! {
    #[test]
    fn heeded_moves_are_shown_and_all_are_played(
        start in starts(),
        nexts in prop::collection::vec(next(), 0..80),
        filter in move_filter(),
    ) {
        let Some((steps, bytes, mut line)) = game(&start, &nexts) else {
            return Ok(());
        };
        let mut remaining = steps.iter();
        let mut rest = &bytes[..];
        loop {
            let passed = line.pass(rest, filter);
            rest = &rest[passed.used..];
            let mut last = None;
            for _ in 0..passed.moves {
                last = remaining.next();
                prop_assert!(!last.unwrap().passes_filter(filter));
            }
            let mut shown = passed.shown;
            if shown.is_none() && !rest.is_empty() {
                let (mv, played, used) = line.take(rest).unwrap();
                rest = &rest[used..];
                shown = Some((mv, played));
            }
            if let Some(shown) = shown {
                last = remaining.next();
                prop_assert_eq!(shown, (last.unwrap().mv, last.unwrap().played));
            }
            match last {
                Some(last) => prop_assert_eq!(line.board(), &last.board),
                None => break,
            }
        }
        prop_assert!(rest.is_empty() && remaining.next().is_none());
        prop_assert_eq!(line.plies() as usize, steps.len());
    }

    #[test]
    fn all_moves_are_shown_in_order(
        start in starts(),
        nexts in prop::collection::vec(next(), 0..80),
        limit in 1..100_usize,
    ) {
        let Some((steps, bytes, mut line)) = game(&start, &nexts) else {
            return Ok(());
        };
        let mut seen = Seen { steps: &steps, next: 0, limit };
        let mut rest = &bytes[..];
        while !rest.is_empty() && seen.next < limit {
            let before = seen.next;
            let (used, then) = line.show(rest, &mut seen);
            rest = &rest[used..];
            prop_assert_eq!(seen.next, line.plies() as usize);
            prop_assert_eq!(then.is_break(), seen.next > before && seen.next == limit);
            if then.is_continue() && !rest.is_empty() {
                let (mv, played, used) = line.take(rest).unwrap();
                rest = &rest[used..];
                let _ = seen.played(mv, &played, line.board());
            }
        }
        prop_assert_eq!(seen.next, steps.len().min(limit));
    }
}

/// An observer that compares each move with the expected step, and breaks after `limit`.
struct Seen<'s> {
    steps: &'s [Step],
    next: usize,
    limit: usize,
}

impl MainlineObserver for Seen<'_> {
    fn begin(&mut self, _: &Start, _: &Board) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
        let expected = &self.steps[self.next];
        assert_eq!(
            (mv, *played, board),
            (expected.mv, expected.played, &expected.board)
        );
        self.next += 1;
        if self.next < self.limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
