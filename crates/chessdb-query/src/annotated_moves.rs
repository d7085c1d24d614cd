//! The mainline of a game with its clocks and evaluations.

use chessdb_core::annotation::MoveValues;
use chessdb_core::commands::{ClockKind, Command, Eval};
use chessdb_core::{Color, Event, Game};

/// A half-move of the mainline with its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AnnotatedMove {
    pub(crate) side: Color,
    /// The move number.
    pub(crate) number: u32,
    /// The time left, in milliseconds.
    pub(crate) left: Option<u32>,
    /// The time spent, in milliseconds.
    pub(crate) spent: Option<u32>,
    pub(crate) eval: Option<Eval>,
}

/// Returns the mainline of a game.
pub(crate) fn annotated_moves(game: &Game) -> Vec<AnnotatedMove> {
    let start = game.start_board();
    let (mut side, mut number) = (start.turn(), start.fullmove_number().into());
    let mut moves: Vec<AnnotatedMove> = Vec::new();
    let mut values = MoveValues::new(side);
    let mut events = game.events();
    while let Some(event) = events.next() {
        if let Event::Open(branch) = event {
            // Clocks and evaluations in a variation are not about the moves that were played.
            events.skip_variation(branch);
            continue;
        }
        values.read(&event, &mut |value| {
            // A value before the first move belongs to none.
            if let Some(last) = moves.last_mut() {
                last.set(value);
            }
        });
        if let Event::Move(_) = event {
            moves.push(AnnotatedMove {
                side,
                number,
                left: None,
                spent: None,
                eval: None,
            });
            number += u32::from(side == Color::Black);
            side = side.other();
        }
    }
    moves
}

/// Returns the time left on the last known clocks of White and Black, in milliseconds.
pub(crate) fn last_clocks(game: &Game) -> [Option<u32>; 2] {
    let mut clocks = [None; 2];
    let [white, black] = &mut clocks;
    for mv in annotated_moves(game) {
        let clock = mv.side.pick(&mut *white, &mut *black);
        *clock = mv.left.or(*clock);
    }
    clocks
}

impl AnnotatedMove {
    fn set(&mut self, value: Command<'_>) {
        match value {
            Command::Clock(clock) => match clock.kind {
                ClockKind::Clock => self.left = Some(clock.milliseconds),
                ClockKind::Elapsed => self.spent = Some(clock.milliseconds),
            },
            Command::Eval(eval) => self.eval = Some(eval),
            _ => {}
        }
    }
}
