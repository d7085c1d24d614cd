//! Check that an observer is shown the same mainline as a reader.

use std::ops::ControlFlow;

use chessdb_core::board::Played;
use chessdb_core::compare::header_difference;
use chessdb_core::search::{MainlineObserver, observe_game};
use chessdb_core::{Board, GameStore, PackedMove, Scratch, Start};

use super::{Reading, findings, same};

/// Shows each game to an observer that requests all of it, with and without the header, and to one
/// that stops early.
pub(super) fn check(
    store: &dyn GameStore,
    readings: &[Reading],
) -> std::result::Result<(), String> {
    let mut scratch = Scratch::new();
    let mut game = chessdb_core::Game::new();
    for (n, reading) in readings.iter().enumerate() {
        for (max_moves, needs_header) in [(usize::MAX, true), (usize::MAX, false), (3, false)] {
            let mut seen = RecordingObserver::new(max_moves, needs_header);
            let watched = store.observe_mainline(n as u32, &mut game, &mut seen, &mut scratch);
            scratch.diagnostics.clear();
            scratch.dropped_diagnostics = 0;
            // The moves of an unreadable game are unspecified; a readable game must be shown.
            if !reading.is_read {
                continue;
            }
            if let Err(error) = watched {
                return Err(format!("game {}: read, but not shown: {error}", n + 1));
            }
            let mut expected = RecordingObserver::new(max_moves, needs_header);
            observe_game(&reading.game, &mut expected);
            if seen != expected {
                return Err(format!(
                    "game {}, shown / read: {:?} / {:?}",
                    n + 1,
                    seen.moves,
                    expected.moves
                ));
            }
        }
    }
    Ok(())
}

/// Compares [`GameStore::game_or_mainline`] with reading.
pub(super) fn check_either(
    store: &dyn GameStore,
    readings: &[Reading],
) -> std::result::Result<(), String> {
    let (mut game, mut scratch) = (chessdb_core::Game::new(), Scratch::new());
    for (n, reading) in readings.iter().enumerate() {
        let mut seen = RecordingObserver::new(usize::MAX, true);
        let read = store.game_or_mainline(n as u32, &mut game, &mut seen, &mut scratch);
        let findings = findings(&mut scratch, read.as_ref().err());
        if !matches!(read, Ok(true)) {
            same("game / game or mainline", n, reading, &game, &findings)?;
            continue;
        }
        let mut expected = RecordingObserver::new(usize::MAX, true);
        observe_game(&reading.game, &mut expected);
        let is_plain = reading.game.moves.tokens().count() == expected.moves.len();
        if seen != expected || !(is_plain && reading.is_read && game.moves.is_empty()) {
            let (shown, read) = (&seen.moves, &expected.moves);
            return Err(format!(
                "game {}, shown / read: {shown:?} / {read:?}",
                n + 1
            ));
        }
        if findings != reading.findings {
            let read = &reading.findings;
            return Err(format!(
                "game {}, shown / read: {findings:?} / {read:?}",
                n + 1
            ));
        }
        if let Some(difference) = header_difference(&game, &reading.game) {
            return Err(format!("game {}, shown / read: {difference}", n + 1));
        }
    }
    Ok(())
}

/// An observer that records its calls.
#[derive(PartialEq)]
struct RecordingObserver {
    /// The number of moves after which it stops.
    max_moves: usize,
    needs_header: bool,
    first: Option<Board>,
    moves: Vec<PackedMove>,
    last: Option<Board>,
}

impl RecordingObserver {
    fn new(max_moves: usize, needs_header: bool) -> RecordingObserver {
        RecordingObserver {
            max_moves,
            needs_header,
            first: None,
            moves: Vec::new(),
            last: None,
        }
    }
}

impl MainlineObserver for RecordingObserver {
    fn begin(&mut self, _: &Start, board: &Board) -> ControlFlow<()> {
        self.first = Some(board.clone());
        ControlFlow::Continue(())
    }

    fn played(&mut self, mv: PackedMove, _: &Played, board: &Board) -> ControlFlow<()> {
        self.moves.push(mv);
        self.last = Some(board.clone());
        if self.moves.len() < self.max_moves {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn needs_header(&mut self) -> bool {
        self.needs_header
    }
}
