//! A main line shown to a watch is that of the game that is read.

use std::ops::ControlFlow;

use chessdb_core::{Board, GameStore, PackedMove, Played, Scratch, Start, Watch, watch_game};

use super::Reading;

/// Shows each game to a watch that wants all of it, with the head and without, and to one that has soon seen enough.
pub(super) fn check(
    store: &dyn GameStore,
    readings: &[Reading],
) -> std::result::Result<(), String> {
    let mut scratch = Scratch::new();
    let mut game = chessdb_core::Game::new();
    for (n, reading) in readings.iter().enumerate() {
        for (most, needs_header) in [(usize::MAX, true), (usize::MAX, false), (3, false)] {
            let mut seen = Witness::of(most, needs_header);
            let watched = store.watch_into(n as u32, &mut game, &mut seen, &mut scratch);
            scratch.diagnostics.clear();
            scratch.more_diagnostics = 0;
            // Nobody knows what a game that cannot be read has; one that is read is shown.
            if !reading.is_read {
                continue;
            }
            if let Err(error) = watched {
                return Err(format!("game {}: read, but not shown: {error}", n + 1));
            }
            let mut expected = Witness::of(most, needs_header);
            watch_game(&reading.game, &mut expected);
            if (&seen.first, &seen.moves, &seen.last)
                != (&expected.first, &expected.moves, &expected.last)
            {
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

/// Notes what it is shown.
struct Witness {
    /// So many moves are enough.
    most: usize,
    needs_header: bool,
    first: Option<Board>,
    moves: Vec<PackedMove>,
    last: Option<Board>,
}

impl Witness {
    fn of(most: usize, needs_header: bool) -> Witness {
        Witness {
            most,
            needs_header,
            first: None,
            moves: Vec::new(),
            last: None,
        }
    }
}

impl Watch for Witness {
    fn begin(&mut self, _: &Start, board: &Board) -> ControlFlow<()> {
        self.first = Some(board.clone());
        ControlFlow::Continue(())
    }

    fn played(&mut self, mv: PackedMove, _: &Played, board: &Board) -> ControlFlow<()> {
        self.moves.push(mv);
        self.last = Some(board.clone());
        match self.moves.len() < self.most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn needs_header(&mut self) -> bool {
        self.needs_header
    }
}
