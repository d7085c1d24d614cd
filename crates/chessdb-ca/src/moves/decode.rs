//! From codes to the tape: the hot loop of reading.

mod notes;

use chessdb_core::legacy::ca::{CaNumbering, EN_PASSANT, Slots};
use chessdb_core::legacy::{MoveFault, Numbering};
use chessdb_core::{
    Board, Builder, Charset, ErrorKind, Game, GameReport, Location, MoveKind, OverLimit,
    PackedMove, Result, Severity, Texts, rules,
};

use super::outline::Outline;
use crate::D02_FILE;
use crate::guesses::Guesses;
use crate::raw::{Item, StartPosition, code};

/// What a record's codes are read with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The codes.
    pub(crate) body: &'a [u8],
    /// Their place in d02.
    pub(crate) start: u64,
    pub(crate) charset: Charset,
    pub(crate) guesses: &'a Guesses,
}

/// Puts the codes of a record on the tape of `game`, whose head is already filled; `slots` are those
/// of its start position, which stands at `position`. False if something had to be left out.
///
/// # Errors
///
/// In strict mode the first deviation from the format page.
pub(crate) fn decode(
    source: Source<'_>,
    slots: Slots,
    position: Option<usize>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let now = Position {
        board: game.start_board(),
        slots,
    };
    let outline = Outline::new(source.body);
    let limits = report.options.limits;
    let Game { moves, texts, .. } = game;
    let mut decoder = Decoder {
        line: Line::new(outline.end, 0, 0),
        source,
        outline,
        position,
        report,
        tape: moves.builder(&limits),
        texts,
        before: now.clone(),
        now,
        ply: 0,
        at: 0,
        frames: Vec::new(),
        alternatives: Vec::new(),
        befores: Vec::new(),
        marked: false,
        run_open: false,
        complete: true,
        stopped: false,
    };
    decoder.run()?;
    decoder.finish()
}

/// A position: the board, and which man has which slot.
#[derive(Clone, Debug)]
struct Position {
    board: Board,
    slots: Slots,
}

/// A line that a variation interrupted.
#[derive(Debug)]
struct Frame {
    line: Line,
    /// Where it goes on.
    at: usize,
    ply: u32,
    now: Position,
    before: Position,
}

/// The line that is being read.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Offset of the code that ends it.
    end: usize,
    /// Where its variations begin in the decoder's list.
    base: usize,
    /// From here to `next` the list holds the variations of the last move that are still to come,
    own: usize,
    /// from here on those of the move that comes next.
    next: usize,
    /// Where its comments begin in the list of those that wait for the next move.
    before: usize,
    /// Its last move, with the slot of the piece if it was a promotion.
    last: Option<(PackedMove, Option<u8>)>,
    /// Whether a variation of the last move stands on the tape.
    varied: bool,
    /// Whether the variations to come follow the last move instead of replacing it.
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

struct Decoder<'d, 'r> {
    source: Source<'d>,
    outline: Outline,
    position: Option<usize>,
    report: &'d mut GameReport<'r>,
    tape: Builder<'d>,
    texts: &'d mut Texts,
    now: Position,
    /// The position before the last move, if that has variations.
    before: Position,
    /// Half-moves from the start of the game to `now`.
    ply: u32,
    /// Offset of the next code.
    at: usize,
    line: Line,
    /// The lines that variations interrupted.
    frames: Vec<Frame>,
    /// Offsets of the codes that open variations.
    alternatives: Vec<usize>,
    /// Offsets of comments that belong before the next move.
    befores: Vec<usize>,
    /// Whether 210 stood before the comments that stood last.
    marked: bool,
    /// Whether a text that comes next goes on with the comment of the last command.
    run_open: bool,
    complete: bool,
    /// A limit was reached; nothing more goes on the tape.
    stopped: bool,
}

impl<'d> Decoder<'d, '_> {
    fn run(&mut self) -> Result<()> {
        loop {
            if !self.stopped && self.at < self.line.end {
                self.step()?;
            } else if !self.stopped && self.line.own < self.line.next {
                self.enter()?;
            } else if !self.stopped && self.line.next < self.alternatives.len() {
                self.place_leftovers()?;
            } else {
                if std::mem::take(&mut self.marked) {
                    self.idle_mark()?;
                }
                self.put_befores(false)?;
                let Some(frame) = self.frames.pop() else {
                    return Ok(());
                };
                self.alternatives.truncate(self.line.base);
                self.befores.truncate(self.line.before);
                self.tape.close();
                self.run_open = false;
                let Frame {
                    line,
                    at,
                    ply,
                    now,
                    before,
                } = frame;
                (self.line, self.at, self.ply) = (line, at, ply);
                (self.now, self.before) = (now, before);
                self.line.varied = true;
            }
        }
    }

    #[inline]
    fn step(&mut self) -> Result<()> {
        let bytes = self
            .source
            .body
            .get(self.at..self.line.end)
            .unwrap_or_default();
        match bytes.first() {
            Some(0..=219) if self.line.own < self.line.next => self.enter(),
            Some(0..=219) => self.half_move(bytes),
            Some(&code::START) if self.position == Some(self.at) => {
                self.at += 1 + StartPosition::SIZE;
                Ok(())
            }
            Some(&code::OPEN) => {
                self.alternatives.push(self.at);
                self.at = self.outline.close_of(self.at) + 1;
                Ok(())
            }
            Some(&code::CLOSE) => {
                self.repaired(ErrorKind::Structure(
                    "a variation is closed that was never opened",
                ))?;
                self.at += 1;
                Ok(())
            }
            Some(code::UNKNOWN..=code::LONG_COMMENT) => match Item::parse(bytes) {
                Ok((item, size)) => {
                    let at = self.at;
                    self.at += size;
                    self.note(item, at)
                }
                // The outline ends before such a place.
                Err(_) => self.give_up_line(ErrorKind::Structure("a code is cut off")),
            },
            Some(&code::START) => {
                self.give_up_line(ErrorKind::Structure("a start position behind the start"))
            }
            _ => self.give_up_line(ErrorKind::Structure("a code without a meaning")),
        }
    }

    #[inline]
    fn half_move(&mut self, bytes: &[u8]) -> Result<()> {
        let mark = bytes.first() == Some(&EN_PASSANT);
        if mark && !matches!(bytes.get(1), Some(0..=31)) {
            // Comments may stand between the mark and its move.
            if std::mem::replace(&mut self.marked, true) {
                self.idle_mark()?;
            }
            self.at += 1;
            return Ok(());
        }
        let Position { board, slots } = &self.now;
        let decoded = self.source.guesses.numbering.decode(slots, board, bytes);
        let (mv, used) = match decoded {
            Ok(decoded) => decoded,
            Err(MoveFault::BadCode { .. }) if mark => {
                self.idle_mark()?;
                self.at += 1;
                return Ok(());
            }
            Err(fault) => return self.bad_move(fault.into_kind(bytes)),
        };
        if !rules::is_legal(board, mv) {
            let found = format!("{mv}").into();
            let why = "the rules do not allow it here";
            return self.bad_move(ErrorKind::BadMove { found, why });
        }
        let marked = mark | std::mem::take(&mut self.marked);
        if marked != (mv.kind() == MoveKind::EnPassant) {
            self.check_mark(marked)?;
        }
        let nags = self.put_befores(true)?;
        let slot = CaNumbering::promotion_slot(bytes);
        self.at += used;
        self.play(mv, slot)?;
        self.put_nags(&nags)
    }

    /// Puts a move on the tape and on the board.
    #[inline]
    fn play(&mut self, mv: PackedMove, slot: Option<u8>) -> Result<()> {
        if let Err(over) = self.tape.mv(mv) {
            return self.over_limit(over);
        }
        if self.line.next < self.alternatives.len() {
            self.before.clone_from(&self.now);
        }
        let Position { board, slots } = &mut self.now;
        let played = board.play(mv);
        let numbering = &self.source.guesses.numbering;
        numbering.play(slots, board, mv, &played);
        if let Some(slot) = slot {
            slots.settle(board.turn().other(), mv.to(), slot);
        }
        self.ply += 1;
        self.line.last = Some((mv, slot));
        self.line.own = self.line.next;
        self.line.next = self.alternatives.len();
        self.line.varied = false;
        self.run_open = false;
        Ok(())
    }

    #[cold]
    fn check_mark(&mut self, marked: bool) -> Result<()> {
        if marked {
            return self.idle_mark();
        }
        self.repaired(ErrorKind::Structure(
            "a capture en passant without its mark",
        ))
    }

    fn idle_mark(&mut self) -> Result<()> {
        self.repaired(ErrorKind::Structure(
            "an en passant mark before another move",
        ))
    }

    /// Goes into the next variation of the last move.
    fn enter(&mut self) -> Result<()> {
        let Some(&open) = self.alternatives.get(self.line.own) else {
            return Ok(());
        };
        self.line.own += 1;
        if let Err(over) = self.tape.open() {
            self.over_limit(over)?;
            // Whatever the limit was, the moves outside may still fit.
            self.stopped = false;
            return Ok(());
        }
        let repeated = self.line.last.filter(|_| self.line.repeats);
        let now = match repeated {
            // With that move again the position is the same.
            Some(_) => self.now.clone(),
            None => self.before.clone(),
        };
        self.frames.push(Frame {
            line: self.line,
            at: self.at,
            ply: self.ply,
            now: std::mem::replace(&mut self.now, now),
            before: self.before.clone(),
        });
        let end = self.outline.close_of(open);
        self.line = Line::new(end, self.alternatives.len(), self.befores.len());
        self.at = open + 1;
        self.run_open = false;
        let Some((mv, slot)) = repeated else {
            self.ply = self.ply.saturating_sub(1);
            return Ok(());
        };
        self.line.last = Some((mv, slot));
        let pushed = self.tape.mv(mv);
        self.pushed(pushed)
    }

    /// Variations at the end of a line, which replace nothing (section 12): in a line without moves
    /// the first of them is the line; otherwise they get the last move as their first.
    fn place_leftovers(&mut self) -> Result<()> {
        if self.line.last.is_some() {
            let what = "a variation behind the last move; it begins with that move again";
            self.repaired(ErrorKind::Structure(what))?;
            self.line.own = self.line.next;
            self.line.next = self.alternatives.len();
            self.line.repeats = true;
        } else {
            self.repaired(ErrorKind::Structure("a variation with no move to replace"))?;
            let open = self.alternatives.remove(self.line.next);
            self.at = open + 1;
            self.line.end = self.outline.close_of(open);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<bool> {
        if let Some(fault) = self.outline.fault.take() {
            let at = Location::byte(D02_FILE, self.source.start + self.outline.end as u64);
            self.complete = false;
            self.report.add(Severity::Lost, fault, at)?;
        }
        if self.outline.unclosed > 0 && self.complete {
            self.repaired(ErrorKind::Structure("the game ends inside a variation"))?;
        }
        let Decoder { tape, complete, .. } = self;
        tape.finish();
        Ok(complete)
    }

    fn here(&self) -> Location {
        Location::byte(D02_FILE, self.source.start + self.at as u64).at_ply(self.ply)
    }

    fn repaired(&mut self, kind: ErrorKind) -> Result<()> {
        let at = self.here();
        self.report.add(Severity::Repaired, kind, at)
    }

    fn lost(&mut self, kind: ErrorKind) -> Result<()> {
        self.complete = false;
        let at = self.here();
        self.report.add(Severity::Lost, kind, at)
    }

    /// The rest of this line hangs on what cannot be read; the game goes on behind it.
    fn give_up_line(&mut self, kind: ErrorKind) -> Result<()> {
        let lost = self.lost(kind);
        self.at = self.line.end;
        lost
    }

    #[cold]
    fn bad_move(&mut self, kind: ErrorKind) -> Result<()> {
        self.marked = false;
        self.give_up_line(kind)
    }

    fn pushed(&mut self, pushed: std::result::Result<(), OverLimit>) -> Result<()> {
        match pushed {
            Ok(()) => Ok(()),
            Err(over) => self.over_limit(over),
        }
    }

    #[cold]
    fn over_limit(&mut self, over: OverLimit) -> Result<()> {
        self.stopped = true;
        self.lost(over.into_kind(&self.report.options.limits))
    }
}
