//! Conversion of lines in stored order to the tape.

use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::line::{LineReader, LineTracker, Step};
use chessdb_core::report::GameReport;
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{Game, Result};

use super::read_annotations::GameAnnotations;
use super::read_lines::{StoredLine, StoredLines};

/// Writes lines and annotations to the tape of a game.
///
/// # Errors
///
/// Returns an error if a limit is exceeded in strict mode.
pub(crate) fn decode(
    lines: &StoredLines<'_>,
    notes: &GameAnnotations<'_>,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let mut order = lines.others.clone();
    // The sort is stable: alternatives to the same move keep their order.
    sort_by_key(&mut order, |line| line.replaces);
    let mut tape = TapeWriter {
        lines,
        notes,
        order,
        line: LineReader::new(PlyTracker::default(), game, report, location),
    };
    let read = tape.run();
    tape.line.end(read)?;
    tape.line.finish();
    Ok(())
}

struct TapeWriter<'t, 'r, 'o> {
    lines: &'t StoredLines<'t>,
    notes: &'t GameAnnotations<'t>,
    /// The variations, sorted by the moves that they replace.
    order: Vec<StoredLine>,
    line: LineReader<'r, 'o, PlyTracker>,
}

/// A line being written to the tape.
struct Frame {
    next: u32,
    end: u32,
    /// The remaining variations of the last move, as indexes into `order`.
    variations: Range<usize>,
}

impl Frame {
    fn new(line: &StoredLine) -> Frame {
        Frame {
            next: line.first,
            end: line.end,
            variations: 0..0,
        }
    }
}

impl TapeWriter<'_, '_, '_> {
    fn run(&mut self) -> Step {
        self.notes.game(&mut self.line)?;
        let mut outer = Vec::new();
        let mut frame = Frame::new(&self.lines.main);
        loop {
            let variation = frame.variations.next();
            if let Some(variation) = variation.and_then(|index| self.order.get(index)) {
                let variation = Frame::new(variation);
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
        // Skipped moves are not on the tape.
        if self.line.is_skipping() {
            return Ok(());
        }
        let after_variation = || {
            let before = number.checked_sub(1);
            before.is_some_and(|before| !replacing(&self.order, before).is_empty())
        };
        self.notes.before(number, after_variation, &mut self.line)?;
        // Facts that the reader collected spare PGN output its own board.
        let (mv, facts) = self.lines.mv(number);
        self.line.known(mv, facts)?;
        self.line.lines_mut().ply += 1;
        self.notes.after(number, &mut self.line)
    }
}

/// Returns the range of the variations in `order` that replace a move.
#[inline]
pub(crate) fn replacing(order: &[StoredLine], number: u32) -> Range<usize> {
    // Most games have no variations.
    if order.is_empty() {
        return 0..0;
    }
    let start = order.partition_point(|line| line.replaces < number);
    let end = order.partition_point(|line| line.replaces <= number);
    start..end
}

/// The plies of the current line and of the lines that it interrupts.
#[derive(Clone, Default, Debug)]
pub(super) struct PlyTracker {
    ply: u32,
    start: u32,
    outer: Vec<(u32, u32)>,
}

impl LineTracker for PlyTracker {
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
