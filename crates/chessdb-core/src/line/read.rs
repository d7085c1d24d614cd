//! Conversion from a format's codes to the tape.

mod moves;

pub use moves::read_game;

use super::{Closed, Counts, LineTracker, Skip, Step, Stop};
use crate::annotation::{finish_comment, read_comment};
use crate::board::Facts;
use crate::error::Location;
use crate::limits::OverLimit;
use crate::model::{Builder, FaultKind, Place};
use crate::report::GameReport;
use crate::text::{Texts, is_overwritten};
use crate::{Charset, ErrorKind, Game, PackedMove, Result, Severity};

/// A writer of decoded events to the tape of a game.
///
/// The decoder runs the loop over its codes and calls a method for each. The reader follows the
/// lines, leaves out everything that depends on something unreadable or exceeds a limit, and
/// reports it.
///
/// While a part is left out ([`LineReader::is_skipping`]), the decoder continues to call the
/// reader, which then tracks the start and end of lines and ignores everything else. Moves are an
/// exception: the decoder skips them itself, because without a position only the decoder knows
/// their length and what depends on them.
///
/// After a method returns [`Stop`], no other method may be called except [`LineReader::end`], which
/// takes the result.
#[derive(Debug)]
pub struct LineReader<'r, 'o, L> {
    /// The offset of the current code, for findings. The decoder advances it after the call.
    pub at: usize,
    lines: L,
    tape: Builder<'r>,
    texts: &'r mut Texts,
    report: &'r mut GameReport<'o>,
    origin: Location,
    skip: Option<Skip>,
    counts: Counts,
    complete: bool,
}

impl<'r, 'o, L: LineTracker> LineReader<'r, 'o, L> {
    /// Starts writing the moves of a game, with `lines` at its start. `origin` is the location of
    /// offset 0.
    pub fn new(
        lines: L,
        game: &'r mut Game,
        report: &'r mut GameReport<'o>,
        origin: Location,
    ) -> Self {
        let Game { moves, texts, .. } = game;
        LineReader {
            at: 0,
            lines,
            tape: moves.builder(&report.options.limits),
            texts,
            report,
            origin,
            skip: None,
            counts: Counts::default(),
            complete: true,
        }
    }

    /// Returns whether another half-move fits on the tape. For decoders that play a move before it
    /// is pushed.
    #[inline]
    pub fn has_ply_room(&self) -> bool {
        self.tape.check_room().is_ok()
    }

    /// Like [`LineReader::has_ply_room`], but reports a full tape.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the tape is full.
    #[inline]
    pub fn check_ply_room(&mut self) -> Step {
        match self.tape.check_room() {
            Ok(()) => Ok(()),
            Err(over) => self.full(over),
        }
    }

    /// Pushes a half-move that the decoder itself plays on the lines. Must not be called while
    /// skipping.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the tape is full.
    #[inline]
    pub fn played(&mut self, mv: PackedMove) -> Step {
        self.known(mv, Facts::UNKNOWN)
    }

    /// Like [`LineReader::played`], with the known facts about the move.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the tape is full.
    #[inline]
    pub fn known(&mut self, mv: PackedMove, facts: Facts) -> Step {
        if let Err(over) = self.tape.known(mv, facts) {
            return self.full(over);
        }
        self.counts.plies += u32::from(self.lines.depth() == 0);
        Ok(())
    }

    /// Pushes consecutive moves that `play` decodes and plays on the lines, and advances after
    /// them. `play` pushes each move on the tape and returns the length of the codes in bytes.
    /// Returns whether there were any. Must not be called while skipping.
    #[inline]
    pub fn play_run(&mut self, play: impl FnOnce(&mut L, &mut Builder<'r>) -> usize) -> bool {
        let before = self.lines.ply();
        let used = play(&mut self.lines, &mut self.tape);
        self.at += used;
        if self.lines.depth() == 0 {
            self.counts.plies += self.lines.ply() - before;
        }
        used > 0
    }

    /// Handles a code that is not a valid move here. The rest of the line depends on it and is left
    /// out; in the mainline, this is the rest of the game.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] at the end of the game, and in strict mode.
    #[cold]
    pub fn bad_move(&mut self, kind: ErrorKind) -> Step {
        if self.skip.is_some() {
            return Ok(());
        }
        self.lost(kind)?;
        // Everything that follows in the mainline depends on the move.
        if self.lines.depth() == 0 {
            return Err(Stop::End);
        }
        self.skip = Some(Skip::REST_OF_LINE);
        Ok(())
    }

    /// Pushes a NAG.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the tape is full.
    #[inline]
    pub fn nag(&mut self, nag: u16) -> Step {
        self.counts.nags += 1;
        self.note(|tape, _| tape.nag(nag))
    }

    /// Pushes any other event.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the tape is full.
    #[inline]
    pub fn note(
        &mut self,
        put: impl FnOnce(&mut Builder<'r>, &mut Texts) -> std::result::Result<(), OverLimit>,
    ) -> Step {
        if self.skip.is_some() {
            return Ok(());
        }
        match put(&mut self.tape, self.texts) {
            Ok(()) => Ok(()),
            Err(over) => self.full(over),
        }
    }

    /// Pushes a comment, with its leading commands as separate events. A comment that does not fit
    /// is left out, and reading continues.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the tape is full, and in strict mode if the comment does not fit.
    pub fn comment(&mut self, text: &[u8], charset: Charset, place: Place) -> Step {
        self.counts.comments += 1;
        if !self.has_room(text.len())? {
            return Ok(());
        }
        self.check_text(text)?;
        self.note(|tape, texts| read_comment(text, charset, place, texts, tape))
    }

    /// Reports bytes in a text that were overwritten. They remain part of it.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode if there are any.
    #[inline]
    pub fn check_text(&mut self, text: &[u8]) -> Step {
        if is_overwritten(text) {
            self.lost(ErrorKind::Structure(
                "a comment contains bytes that are not text",
            ))
        } else {
            Ok(())
        }
    }

    /// Reports a comment that is not UTF-8, in a format whose texts always are. It is kept.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode if it is not.
    pub fn check_utf8(&mut self, text: &[u8]) -> Step {
        match std::str::from_utf8(text) {
            Ok(_) => Ok(()),
            Err(_) => self.lost(ErrorKind::Structure("a comment is not UTF-8")),
        }
    }

    /// Like [`LineReader::comment`], for a comment that `put` builds in the arena, where it takes
    /// at most `max_bytes` bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LineReader::comment`].
    pub fn comment_with(
        &mut self,
        max_bytes: usize,
        place: Place,
        put: impl FnOnce(&mut Texts) -> Charset,
    ) -> Step {
        self.counts.comments += 1;
        if !self.has_room(max_bytes)? {
            return Ok(());
        }
        self.note(|tape, texts| {
            texts.begin();
            let charset = put(texts);
            finish_comment(charset, place, texts, tape)
        })
    }

    /// Pushes a fault: something that the source could not express as a move, with its text.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LineReader::comment`].
    pub fn fault(&mut self, kind: FaultKind, text: &[u8], charset: Charset) -> Step {
        self.counts.faults += 1;
        if !self.has_room(text.len())? {
            return Ok(());
        }
        self.note(|tape, texts| {
            let text = texts.push(text, charset);
            tape.fault(kind, text)
        })
    }

    /// Returns whether a text of this length fits into the arena, and reports if it does not.
    /// Always false while skipping.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode if the text does not fit.
    pub fn has_room(&mut self, bytes: usize) -> Step<bool> {
        if self.skip.is_some() {
            return Ok(false);
        }
        match self.texts.check_room(bytes, &self.report.options.limits) {
            Ok(()) => Ok(true),
            Err(over) => {
                self.over_limit(over)?;
                Ok(false)
            }
        }
    }

    /// Starts a variation. A variation without a move to replace is left out and reported.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode if the variation must be left out.
    pub fn open(&mut self) -> Step {
        if self.skip.is_some() || !self.lines.at_line_start() {
            return self.open_here();
        }
        self.counts.variations += 1;
        self.skip = Some(Skip::VARIATION);
        self.lost(ErrorKind::Structure(
            "a variation without a move to replace",
        ))
    }

    /// Starts a variation, with or without a move to replace.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode if the variation exceeds a limit, so that it must be left
    /// out.
    pub fn open_here(&mut self) -> Step {
        self.counts.variations += 1;
        if let Some(skip) = &mut self.skip {
            skip.open();
            return Ok(());
        }
        // The tape first, since it may refuse: the lines must follow only what is on it.
        if let Err(over) = self.tape.open() {
            self.skip = Some(Skip::VARIATION);
            return self.over_limit(over);
        }
        self.lines.open();
        Ok(())
    }

    /// Ends a variation.
    pub fn close(&mut self) -> Closed {
        if !Skip::close(&mut self.skip) {
            return Closed::LeftOut;
        }
        if !self.lines.close() {
            return Closed::NoneOpen;
        }
        self.tape.close();
        Closed::Line
    }

    /// Ends a variation; if none is open, this is only reported.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode if none is open.
    pub fn close_or_repair(&mut self) -> Step {
        match self.close() {
            Closed::Line | Closed::LeftOut => Ok(()),
            Closed::NoneOpen => self.repaired(ErrorKind::Structure(
                "the end of a variation that was never opened",
            )),
        }
    }

    /// Ends reading, with the result of the loop over the codes, and closes open variations.
    /// Returns the counts of the codes; surplus texts follow later and are not included.
    ///
    /// # Errors
    ///
    /// Returns the error in `read`, and an error in strict mode if a variation is open.
    pub fn end(&mut self, read: Step) -> Result<Counts> {
        Stop::into_result(read)?;
        // If a part was left out, the end of the variation may be in it, and that is reported.
        if self.lines.depth() > 0 && self.complete {
            let kind = ErrorKind::Structure("the game ends inside a variation");
            Stop::into_result(self.repaired(kind))?;
        }
        // What was being skipped is not open, neither on the tape nor in the lines.
        self.skip = None;
        while self.lines.close() {
            self.tape.close();
        }
        Ok(self.counts)
    }

    /// Reports texts that no code refers to, and returns whether to add them at the end of the
    /// game. If the game was cut, they belong to the missing part.
    ///
    /// They are reported as lost in either case: the codes that referred to them were overwritten,
    /// and possibly others too.
    ///
    /// # Errors
    ///
    /// Returns an error in strict mode.
    pub fn takes_surplus(&mut self, kind: ErrorKind, location: Location) -> Result<bool> {
        self.report.lost(kind, location)?;
        Ok(self.complete)
    }

    /// Finishes the tape and returns whether nothing had to be left out.
    pub fn finish(self) -> bool {
        self.tape.finish();
        self.complete
    }

    /// Returns whether a part is being left out.
    #[inline]
    pub fn is_skipping(&self) -> bool {
        self.skip.is_some()
    }

    /// Returns whether nothing has been left out so far.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns the lines at the current position. They do not include parts that are left out.
    #[inline]
    pub fn lines(&self) -> &L {
        &self.lines
    }

    /// Returns the lines, for decoders that play moves on them.
    #[inline]
    pub fn lines_mut(&mut self) -> &mut L {
        &mut self.lines
    }

    /// Returns the tape.
    pub fn tape(&self) -> &Builder<'r> {
        &self.tape
    }

    /// Returns the place of a comment if its source does not specify one ([`LineTracker::place`]).
    pub fn place(&self) -> Place {
        self.lines.place()
    }

    /// Returns the number of text bytes that the game may still have.
    pub fn text_room(&self) -> usize {
        (self.report.options.limits.text_bytes as usize).saturating_sub(self.texts.bytes_used())
    }

    /// Returns the location of the current code.
    pub fn here(&self) -> Location {
        self.origin.plus(self.at as u64).at_ply(self.lines.ply())
    }

    /// Returns the report, for findings that do not affect the tape.
    pub fn report(&mut self) -> &mut GameReport<'o> {
        self.report
    }

    /// Reports a deviation here that was repaired without loss.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode.
    #[cold]
    pub fn repaired(&mut self, kind: ErrorKind) -> Step {
        let location = self.here();
        self.say(Severity::Repaired, kind, location)
    }

    /// Reports something here that cannot be read and is missing from the game.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode.
    #[cold]
    pub fn lost(&mut self, kind: ErrorKind) -> Step {
        let location = self.here();
        self.say(Severity::Lost, kind, location)
    }

    /// Reports a finding at another location. A finding of severity [`Severity::Lost`] makes the
    /// game incomplete.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] in strict mode.
    #[cold]
    pub fn say(&mut self, severity: Severity, kind: ErrorKind, location: Location) -> Step {
        self.complete &= severity < Severity::Lost;
        Ok(self.report.add(severity, kind, location)?)
    }

    /// Reports a limit that was reached; the event to be pushed is missing.
    #[cold]
    fn over_limit(&mut self, over: OverLimit) -> Step {
        self.lost(over.into_kind(&self.report.options.limits))
    }

    /// Reports a full tape and stops reading.
    #[cold]
    fn full(&mut self, over: OverLimit) -> Step {
        self.over_limit(over)?;
        Err(Stop::End)
    }
}
