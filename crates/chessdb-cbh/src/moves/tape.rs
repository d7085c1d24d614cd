//! From stored order to the tape.

use std::ops::Range;

use chessdb_core::line::{LineReader, LineTracker, Step};
use chessdb_core::{Game, GameReport, Location, Result};

use super::annotate::Notes;
use super::read::{Line, Lines};

/// Puts lines and annotations on the tape of a game.
///
/// # Errors
///
/// In strict mode a limit that is exceeded.
pub(crate) fn decode(
    lines: &Lines<'_>,
    notes: &Notes<'_>,
    at: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let mut order = lines.others.clone();
    // Those that replace the same move stay in their order.
    order.sort_by_key(|line| line.replaces);
    let mut tape = Tape {
        lines,
        notes,
        order,
        line: LineReader::new(Trace::default(), game, report, at),
    };
    let read = tape.run();
    tape.line.end(read)?;
    tape.line.finish();
    Ok(())
}

struct Tape<'t, 'r, 'o> {
    lines: &'t Lines<'t>,
    notes: &'t Notes<'t>,
    /// The variations by the moves that they replace.
    order: Vec<Line>,
    line: LineReader<'r, 'o, Trace>,
}

/// A line on its way to the tape.
struct Frame {
    next: u32,
    end: u32,
    /// The variations of the last move that are still to come, by their place in the order.
    variations: Range<usize>,
}

impl Frame {
    fn of(line: &Line) -> Frame {
        Frame {
            next: line.first,
            end: line.end,
            variations: 0..0,
        }
    }
}

impl Tape<'_, '_, '_> {
    fn run(&mut self) -> Step {
        self.notes.game(&mut self.line)?;
        let mut outer = Vec::new();
        let mut frame = Frame::of(&self.lines.main);
        loop {
            let variation = frame.variations.next();
            if let Some(variation) = variation.and_then(|at| self.order.get(at)) {
                let variation = Frame::of(variation);
                self.line.open_here()?;
                outer.push(std::mem::replace(&mut frame, variation));
            } else if frame.next < frame.end {
                let number = frame.next;
                frame.next += 1;
                self.half_move(number)?;
                frame.variations = replacing(&self.order, number);
            } else if let Some(line) = outer.pop() {
                self.line.close();
                frame = line;
            } else {
                return Ok(());
            }
        }
    }

    #[inline]
    fn half_move(&mut self, number: u32) -> Step {
        // What is left out has no room in the tape.
        if self.line.is_skipping() {
            return Ok(());
        }
        let after_variation = || {
            let before = number.checked_sub(1);
            before.is_some_and(|before| !replacing(&self.order, before).is_empty())
        };
        self.notes.before(number, after_variation, &mut self.line)?;
        let (mv, facts) = self.lines.mv(number);
        self.line.known(mv, facts)?;
        self.line.lines_mut().ply += 1;
        self.notes.after(number, &mut self.line)
    }
}

/// The variations that replace a move, among those in order.
#[inline]
fn replacing(order: &[Line], number: u32) -> Range<usize> {
    if order.is_empty() {
        return 0..0;
    }
    let start = order.partition_point(|line| line.replaces < number);
    let end = order.partition_point(|line| line.replaces <= number);
    start..end
}

/// Where the lines stand: half-moves, of this line and of those that it interrupts.
#[derive(Clone, Default, Debug)]
pub(super) struct Trace {
    ply: u32,
    start: u32,
    outer: Vec<(u32, u32)>,
}

impl LineTracker for Trace {
    fn open(&mut self) {
        self.outer.push((self.ply, self.start));
        self.ply = self.ply.saturating_sub(1);
        self.start = self.ply;
    }

    fn close(&mut self) -> bool {
        let Some((ply, start)) = self.outer.pop() else {
            return false;
        };
        (self.ply, self.start) = (ply, start);
        true
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn depth(&self) -> usize {
        self.outer.len()
    }

    fn at_line_start(&self) -> bool {
        self.ply == self.start
    }
}
