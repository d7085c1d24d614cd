//! Decoding of codes into a game's moves: the hot loop of reading.

mod annotations;

use chessdb_core::board::MoveKind;
use chessdb_core::error::Location;
use chessdb_core::legacy::MoveFault;
use chessdb_core::legacy::ca::{CaNumbering, EN_PASSANT, Slots};
use chessdb_core::line::{LineReader, Lines, Step, Stop};
use chessdb_core::report::GameReport;
use chessdb_core::text::EncodingDetector;
use chessdb_core::{ErrorKind, Game, PackedMove, Result, Severity, rules};

use super::outline::Outline;
use crate::guesses::Guesses;
use crate::raw::{Item, StartPosition, code};
use crate::roles::D02_FILE;

/// The codes of a record and the settings to read them with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveSource<'a> {
    pub(crate) body: &'a [u8],
    /// Offset of the codes in d02.
    pub(crate) start: u64,
    pub(crate) detector: &'a EncodingDetector,
    pub(crate) guesses: &'a Guesses,
    /// Whether texts such as `$14` are NAGs, because this crate may have written them.
    pub(crate) has_nag_texts: bool,
}

/// Appends the codes of a record to the moves of `game`, which already has its header.
///
/// `slots` are the slots of its start position, which is at offset `position` of the record.
/// Returns false if something had to be left out.
///
/// # Errors
///
/// In strict mode, returns the first deviation from the format page.
pub(crate) fn decode(
    source: MoveSource<'_>,
    slots: Slots,
    position: Option<usize>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let start = Location::byte(D02_FILE, source.start);
    let lines = Lines::with_state(source.guesses.numbering, game, slots);
    let outline = Outline::new(source.body);
    let mut decoder = Decoder {
        line: Line::new(outline.end, 0, 0),
        source,
        outline,
        position,
        reader: LineReader::new(lines, game, report, start),
        frames: Vec::new(),
        alternatives: Vec::new(),
        comments_before: Vec::new(),
        marked: false,
        run_open: false,
    };
    let read = decoder.run();
    decoder.reader.end(read)?;
    Stop::into_result(decoder.check_end())?;
    Ok(decoder.reader.finish())
}

/// A line interrupted by a variation.
#[derive(Debug)]
struct Frame {
    line: Line,
    /// Offset at which the line continues.
    at: usize,
}

/// The line that is being read.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Offset of the code that ends it.
    end: usize,
    /// Index of its first variation in the decoder's list.
    base: usize,
    /// Start of the last move's variations that have not been read yet; they end at `next`.
    own: usize,
    /// Start of the next move's variations; they end at the end of the list.
    next: usize,
    /// Index of its first comment in the list of those that wait for the next move.
    before: usize,
    /// Its last move, with the slot of the piece if it was a promotion.
    last: Option<(PackedMove, Option<u8>)>,
    /// Whether a variation of the last move has been written.
    varied: bool,
    /// Whether the remaining variations follow the last move instead of replacing it.
    repeats: bool,
}

impl Line {
    fn new(end: usize, alternatives: usize, before: usize) -> Line {
        Line {
            end,
            base: alternatives,
            own: alternatives,
            next: alternatives,
            before,
            last: None,
            varied: false,
            repeats: false,
        }
    }
}

struct Decoder<'d, 'r, 'o> {
    source: MoveSource<'d>,
    outline: Outline,
    position: Option<usize>,
    reader: LineReader<'r, 'o, Lines<CaNumbering>>,
    line: Line,
    /// The lines interrupted by variations.
    frames: Vec<Frame>,
    /// Offsets of the codes that open variations.
    alternatives: Vec<usize>,
    /// Offsets of comments that belong before the next move.
    comments_before: Vec<usize>,
    /// Whether an en passant mark (code 210) is waiting for its move; comments may come between
    /// them.
    marked: bool,
    /// Whether a following text continues the comment that the last command is part of.
    run_open: bool,
}

impl<'d> Decoder<'d, '_, '_> {
    fn run(&mut self) -> Step {
        loop {
            // In the model, variations of the last move precede the next move; those at the end of
            // the line replace nothing and come last.
            if self.reader.at < self.line.end {
                self.step()?;
            } else if self.line.own < self.line.next {
                self.enter()?;
            } else if self.line.next < self.alternatives.len() {
                self.place_leftovers()?;
            } else {
                if std::mem::take(&mut self.marked) {
                    self.idle_mark()?;
                }
                self.put_comments_before(false)?;
                let Some(frame) = self.frames.pop() else {
                    return Ok(());
                };
                self.alternatives.truncate(self.line.base);
                self.comments_before.truncate(self.line.before);
                self.reader.close();
                self.run_open = false;
                self.line = frame.line;
                self.line.varied = true;
                self.reader.at = frame.at;
            }
        }
    }

    #[inline]
    fn step(&mut self) -> Step {
        let bytes = self
            .source
            .body
            .get(self.reader.at..self.line.end)
            .unwrap_or_default();
        match bytes.first() {
            // A move, or the mark of one: the variations of the last move come first.
            Some(0..=219) if self.line.own < self.line.next => self.enter(),
            Some(0..=219) => self.half_move(bytes),
            Some(&code::START) if self.position == Some(self.reader.at) => {
                self.reader.at += 1 + StartPosition::SIZE;
                Ok(())
            }
            Some(&code::OPEN) => {
                // It replaces the next move, so it is read after that move.
                let open = self.reader.at;
                self.alternatives.push(open);
                self.reader.at = self.outline.close_of(open) + 1;
                Ok(())
            }
            Some(&code::CLOSE) => {
                self.reader.close_or_repair()?;
                self.reader.at += 1;
                Ok(())
            }
            Some(code::UNKNOWN..=code::LONG_COMMENT) => match Item::parse(bytes) {
                Ok((item, size)) => {
                    let offset = self.reader.at;
                    self.reader.at += size;
                    self.annotation(item, offset)
                }
                // The outline ends before such an offset.
                Err(_) => self.give_up_line(ErrorKind::Structure("a code is truncated")),
            },
            Some(&code::START) => self.give_up_line(ErrorKind::Structure(
                "a start position after the first move",
            )),
            _ => self.give_up_line(ErrorKind::Structure("an undefined code")),
        }
    }

    #[inline]
    fn half_move(&mut self, bytes: &[u8]) -> Step {
        let mark = bytes.first() == Some(&EN_PASSANT);
        if mark && !matches!(bytes.get(1), Some(0..=31)) {
            // Comments may appear between the mark and its move.
            if std::mem::replace(&mut self.marked, true) {
                self.idle_mark()?;
            }
            self.reader.at += 1;
            return Ok(());
        }
        let (mv, used) = match self.reader.decode(bytes) {
            Ok(decoded) => decoded,
            // The pawn does not capture; without the mark its code may be an ordinary move.
            Err(MoveFault::BadCode { .. }) if mark => {
                self.idle_mark()?;
                self.reader.at += 1;
                return Ok(());
            }
            Err(fault) => return self.bad_move(fault.into_kind(bytes)),
        };
        // Shifts are modulo 8, so a damaged code leads to some square too (section 9).
        if !rules::is_legal(self.reader.lines().board(), mv) {
            return self.bad_move(ErrorKind::BadMove {
                found: format!("{mv}").into(),
                why: "illegal move",
            });
        }
        // Not `||`: a mark that waits must be cleared in any case.
        let marked = mark | std::mem::take(&mut self.marked);
        if marked != (mv.kind() == MoveKind::EnPassant) {
            self.check_mark(marked)?;
        }
        let nags = self.put_comments_before(true)?;
        let slot = CaNumbering::promotion_slot(bytes);
        self.reader.at += used;
        self.play(mv, slot)?;
        self.put_nags(&nags)
    }

    /// Appends a move and plays it on the board.
    #[inline]
    fn play(&mut self, mv: PackedMove, slot: Option<u8>) -> Step {
        self.reader.mv(mv)?;
        // The record may put the new piece into another slot than this crate would.
        if let Some(slot) = slot {
            let lines = self.reader.lines_mut();
            let mover = lines.board().turn().other();
            lines.state_mut().settle(mover, mv.to(), slot);
        }
        self.line.last = Some((mv, slot));
        self.line.own = self.line.next;
        self.line.next = self.alternatives.len();
        self.line.varied = false;
        self.run_open = false;
        Ok(())
    }

    #[cold]
    fn check_mark(&mut self, marked: bool) -> Step {
        if marked {
            return self.idle_mark();
        }
        self.reader.repaired(ErrorKind::Structure(
            "an en passant capture without its mark",
        ))
    }

    fn idle_mark(&mut self) -> Step {
        self.reader.repaired(ErrorKind::Structure(
            "an en passant mark before another move",
        ))
    }

    /// Enters the next variation of the last move.
    fn enter(&mut self) -> Step {
        let Some(&open) = self.alternatives.get(self.line.own) else {
            return Ok(());
        };
        self.line.own += 1;
        self.reader.open_here()?;
        if self.reader.is_skipping() {
            // The moves outside may still fit, for every kind of limit.
            self.reader.close();
            return Ok(());
        }
        let repeated = self.line.last.filter(|_| self.line.repeats);
        let end = self.outline.close_of(open);
        let inner = Line::new(end, self.alternatives.len(), self.comments_before.len());
        self.frames.push(Frame {
            line: std::mem::replace(&mut self.line, inner),
            at: std::mem::replace(&mut self.reader.at, open + 1),
        });
        self.run_open = false;
        match repeated {
            Some((mv, slot)) => self.play(mv, slot),
            None => Ok(()),
        }
    }

    /// Handles variations at the end of a line, which replace nothing (section 12). In a line
    /// without moves the first of them becomes the line; otherwise they get the last move as their
    /// first.
    fn place_leftovers(&mut self) -> Step {
        if self.line.last.is_some() {
            let what = "a variation after the last move; it repeats that move";
            self.reader.repaired(ErrorKind::Structure(what))?;
            self.line.own = self.line.next;
            self.line.next = self.alternatives.len();
            self.line.repeats = true;
        } else {
            self.reader.repaired(ErrorKind::Structure(
                "a variation without a move to replace",
            ))?;
            let open = self.alternatives.remove(self.line.next);
            self.reader.at = open + 1;
            self.line.end = self.outline.close_of(open);
        }
        Ok(())
    }

    /// Reports the problems found by the outline.
    fn check_end(&mut self) -> Step {
        if let Some(fault) = self.outline.fault.take() {
            let location = Location::byte(D02_FILE, self.source.start + self.outline.end as u64);
            self.reader.say(Severity::Lost, fault, location)?;
        }
        if self.outline.unclosed > 0 && self.reader.is_complete() {
            let kind = ErrorKind::Structure("the game ends inside a variation");
            self.reader.repaired(kind)?;
        }
        Ok(())
    }

    /// Skips the rest of this line, which cannot be read without the failed code. The variations
    /// before it are still read.
    fn give_up_line(&mut self, kind: ErrorKind) -> Step {
        self.reader.lost(kind)?;
        self.reader.at = self.line.end;
        Ok(())
    }

    #[cold]
    fn bad_move(&mut self, kind: ErrorKind) -> Step {
        self.marked = false;
        self.give_up_line(kind)
    }
}
