//! The times, evaluations and shapes of the moves of a game.

use crate::commands::{ClockKind, Command, scan};
use crate::{Color, Event};

/// Reads the times, evaluations and shapes of a game from its events: from commands on the tape and
/// from the texts of comments ([`scan`]). If a move has several values of a kind, the first counts.
///
/// All programs that show, count or export these values use this reader.
///
/// ```
/// use chessdb_core::annotation::MoveValues;
/// use chessdb_core::commands::Command;
/// use chessdb_core::{Color, Game};
///
/// let game = Game::builder().sans(["e4"])?.comment("good [%clk 1:00] [%clk 2:00]").build();
/// let mut values = MoveValues::new(Color::White);
/// let mut clocks = Vec::new();
/// for event in game.events() {
///     values.read(&event, &mut |command| {
///         if let Command::Clock(clock) = command {
///             clocks.push(clock.milliseconds);
///         }
///     });
/// }
/// assert_eq!(clocks, [60_000]);
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MoveValues {
    line: LineState,
    /// The lines that variations interrupt.
    outer: Vec<LineState>,
}

#[derive(Clone, Copy, Debug)]
struct LineState {
    /// The side that made the last move of the line, if it has one.
    mover: Option<Color>,
    /// The side to move.
    next: Color,
    has_clock: bool,
    has_elapsed: bool,
    has_eval: bool,
}

impl LineState {
    fn before(next: Color) -> LineState {
        LineState {
            mover: None,
            next,
            has_clock: false,
            has_elapsed: false,
            has_eval: false,
        }
    }

    /// Returns whether the command is a shape, or the first of its kind after this move.
    fn counts(&mut self, command: &Command<'_>) -> bool {
        let has = match command {
            Command::Clock(clock) => match clock.kind {
                ClockKind::Clock => &mut self.has_clock,
                ClockKind::Elapsed => &mut self.has_elapsed,
            },
            Command::Eval(_) => &mut self.has_eval,
            Command::Shapes(_) => return true,
            Command::Extra { .. } => return false,
        };
        !std::mem::replace(has, true)
    }
}

impl MoveValues {
    /// Creates a reader of a game in which this side makes the first move.
    pub fn new(first: Color) -> MoveValues {
        MoveValues {
            line: LineState::before(first),
            outer: Vec::new(),
        }
    }

    /// Passes the values of an event that count to `sink`. They belong to the last move of the
    /// current line, or to the start of the game. Pass every event of a game, in order; variations
    /// may be skipped as a whole.
    pub fn read(&mut self, event: &Event<'_>, sink: &mut impl FnMut(Command<'_>)) {
        match *event {
            Event::Move(_) => {
                let mover = self.line.next;
                self.line = LineState::before(mover.other());
                self.line.mover = Some(mover);
            }
            Event::Open(_) => {
                self.outer.push(self.line);
                // The variation replaces the last move, so the side that made it moves first.
                self.line = LineState::before(self.line.mover.unwrap_or(self.line.next));
            }
            Event::Close => {
                if let Some(line) = self.outer.pop() {
                    self.line = line;
                }
            }
            Event::Clock(clock) => self.pass(Command::Clock(clock), sink),
            Event::Eval(eval) => self.pass(Command::Eval(eval), sink),
            Event::Shapes(shapes) => self.pass(Command::Shapes(shapes), sink),
            Event::Comment(_, text) => {
                scan(text.as_bytes(), self.line.mover, &mut |command| {
                    self.pass(command, sink);
                });
            }
            _ => {}
        }
    }

    fn pass(&mut self, command: Command<'_>, sink: &mut impl FnMut(Command<'_>)) {
        // Before its first move a variation has no move to which a value could belong.
        let is_before_variation = self.line.mover.is_none() && !self.outer.is_empty();
        if !is_before_variation && self.line.counts(&command) {
            sink(command);
        }
    }
}
