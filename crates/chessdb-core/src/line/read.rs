//! From a format's codes to the tape.

mod moves;

use super::{Closed, Counts, LineTracker, Skip, Step, Stop};
use crate::annotation::{finish_comment, read_comment};
use crate::{
    Builder, Charset, ErrorKind, Facts, FaultKind, Game, GameReport, Location, OverLimit,
    PackedMove, Place, Result, Severity, Texts, is_overwritten,
};

/// Puts what a decoder finds on the tape of a game.
///
/// The decoder owns the loop over its codes and calls a method for each. The reader follows the
/// lines, leaves out what hangs on something unreadable or exceeds a limit, and reports that.
///
/// While a part is left out ([`LineReader::is_skipping`]) the decoder goes on calling, so that the
/// reader sees lines open and close; what it passes has no effect. Moves are the exception: the
/// decoder passes over them by itself, since without a position only it knows how long they are and
/// what hangs on them.
///
/// No method goes on after [`Stop`]; [`LineReader::end`] takes it.
#[derive(Debug)]
pub struct LineReader<'r, 'o, L> {
    /// Offset of the code being read, the place of findings: the decoder moves it on behind the
    /// call.
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
    /// Begins with the moves of a game, which these lines follow. `origin` is the place of offset 0.
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

    /// Whether another half-move has room, for decoders that play it before it goes on the tape.
    #[inline]
    pub fn has_ply_room(&self) -> bool {
        self.tape.check_room().is_ok()
    }

    /// The same; that the tape is full is reported.
    ///
    /// # Errors
    ///
    /// If it is.
    #[inline]
    pub fn check_ply_room(&mut self) -> Step {
        match self.tape.check_room() {
            Ok(()) => Ok(()),
            Err(over) => self.full(over),
        }
    }

    /// A half-move whose effect the decoder reports to the lines: puts it on the tape. Not while
    /// skipping.
    ///
    /// # Errors
    ///
    /// If the tape is full.
    #[inline]
    pub fn played(&mut self, mv: PackedMove) -> Step {
        self.known(mv, Facts::UNKNOWN)
    }

    /// The same with what is known of the move.
    ///
    /// # Errors
    ///
    /// If the tape is full.
    #[inline]
    pub fn known(&mut self, mv: PackedMove, facts: Facts) -> Step {
        if let Err(over) = self.tape.known(mv, facts) {
            return self.full(over);
        }
        self.counts.plies += u32::from(self.lines.depth() == 0);
        Ok(())
    }

    /// A code that is no move here. The rest of the line hangs on it and is left out; that of the
    /// main line is the rest of the game.
    ///
    /// # Errors
    ///
    /// At the end of the game, and in strict mode.
    #[cold]
    pub fn bad_move(&mut self, kind: ErrorKind) -> Step {
        if self.skip.is_some() {
            return Ok(());
        }
        self.lost(kind)?;
        if self.lines.depth() == 0 {
            return Err(Stop::End);
        }
        self.skip = Some(Skip::REST_OF_LINE);
        Ok(())
    }

    /// A NAG.
    ///
    /// # Errors
    ///
    /// If the tape is full.
    #[inline]
    pub fn nag(&mut self, nag: u16) -> Step {
        self.counts.nags += 1;
        self.note(|tape, _| tape.nag(nag))
    }

    /// Whatever else goes on the tape.
    ///
    /// # Errors
    ///
    /// If the tape is full.
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

    /// A comment; its leading commands are taken out of it. One for which there is no room is left
    /// out, and reading goes on.
    ///
    /// # Errors
    ///
    /// If the tape is full, and in strict mode if there is no room.
    pub fn comment(&mut self, text: &[u8], charset: Charset, place: Place) -> Step {
        self.counts.comments += 1;
        if !self.has_room(text.len())? {
            return Ok(());
        }
        self.check_text(text)?;
        self.note(|tape, texts| read_comment(text, charset, place, texts, tape))
    }

    /// Reports bytes that were written over a text. They stay part of it.
    ///
    /// # Errors
    ///
    /// In strict mode if there are any.
    #[inline]
    pub fn check_text(&mut self, text: &[u8]) -> Step {
        match is_overwritten(text) {
            true => self.lost(ErrorKind::Structure(
                "a comment with bytes in it that are no text",
            )),
            false => Ok(()),
        }
    }

    /// The same for a comment that is put together in the arena, where it takes at most `most`
    /// bytes.
    ///
    /// # Errors
    ///
    /// As those of [`LineReader::comment`].
    pub fn comment_with(
        &mut self,
        most: usize,
        place: Place,
        put: impl FnOnce(&mut Texts) -> Charset,
    ) -> Step {
        self.counts.comments += 1;
        if !self.has_room(most)? {
            return Ok(());
        }
        self.note(|tape, texts| {
            texts.begin();
            let charset = put(texts);
            finish_comment(charset, place, texts, tape)
        })
    }

    /// A place that the source could not express as a move, with its text.
    ///
    /// # Errors
    ///
    /// As those of [`LineReader::comment`].
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

    /// Whether a text of this length goes into the arena; that it does not is reported. While
    /// skipping no text does.
    ///
    /// # Errors
    ///
    /// In strict mode if there is no room.
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

    /// A variation begins. Without a move to replace it is left out, and that is reported.
    ///
    /// # Errors
    ///
    /// In strict mode if it has to be left out.
    pub fn open(&mut self) -> Step {
        if self.skip.is_some() || !self.lines.at_line_start() {
            return self.open_here();
        }
        self.counts.variations += 1;
        self.skip = Some(Skip::VARIATION);
        self.lost(ErrorKind::Structure("a variation with no move to replace"))
    }

    /// A variation begins, with or without a move to replace.
    ///
    /// # Errors
    ///
    /// In strict mode if there is no room for it, so that it has to be left out.
    pub fn open_here(&mut self) -> Step {
        self.counts.variations += 1;
        if let Some(skip) = &mut self.skip {
            skip.open();
            return Ok(());
        }
        if let Err(over) = self.tape.open() {
            self.skip = Some(Skip::VARIATION);
            return self.over_limit(over);
        }
        self.lines.open();
        Ok(())
    }

    /// A variation ends.
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

    /// A variation ends; where none is open, that is reported and nothing more.
    ///
    /// # Errors
    ///
    /// In strict mode where none is open.
    pub fn close_or_repair(&mut self) -> Step {
        match self.close() {
            Closed::Line | Closed::LeftOut => Ok(()),
            Closed::NoneOpen => self.repaired(ErrorKind::Structure(
                "a variation is closed that was never opened",
            )),
        }
    }

    /// The codes are read, or reading has stopped: closes what is open. The counts are those of the
    /// codes; surplus texts come behind it and are not among them.
    ///
    /// # Errors
    ///
    /// That of `read`, and in strict mode if a variation is open.
    pub fn end(&mut self, read: Step) -> Result<Counts> {
        Stop::into_result(read)?;
        if self.lines.depth() > 0 && self.complete {
            let kind = ErrorKind::Structure("the game ends inside a variation");
            Stop::into_result(self.repaired(kind))?;
        }
        self.skip = None;
        while self.lines.close() {
            self.tape.close();
        }
        Ok(self.counts)
    }

    /// Reports texts that no code asked for, and says whether they go to the end of the game: if the
    /// game was cut, they belong to what is missing. Lost they are counted either way: the codes that
    /// asked for them were overwritten, with whatever else stood there.
    ///
    /// # Errors
    ///
    /// In strict mode.
    pub fn takes_surplus(&mut self, kind: ErrorKind, at: Location) -> Result<bool> {
        self.report.add(Severity::Lost, kind, at)?;
        Ok(self.complete)
    }

    /// Whether nothing had to be left out.
    pub fn finish(self) -> bool {
        self.tape.finish();
        self.complete
    }

    /// Whether a part is being left out.
    #[inline]
    pub fn is_skipping(&self) -> bool {
        self.skip.is_some()
    }

    /// Whether nothing had to be left out so far.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Where the lines stand. What is left out they do not know.
    #[inline]
    pub fn lines(&self) -> &L {
        &self.lines
    }

    /// The lines, for decoders that report moves to them.
    #[inline]
    pub fn lines_mut(&mut self) -> &mut L {
        &mut self.lines
    }

    /// What is on the tape.
    pub fn tape(&self) -> &Builder<'r> {
        &self.tape
    }

    /// Where a comment belongs that stands here and does not say it ([`LineTracker::place`]).
    pub fn place(&self) -> Place {
        self.lines.place()
    }

    /// Bytes of text that the game may still have.
    pub fn text_room(&self) -> usize {
        let most = self.report.options.limits.text_bytes as usize;
        most.saturating_sub(self.texts.bytes_used())
    }

    /// The place of the code being read.
    pub fn here(&self) -> Location {
        self.origin.plus(self.at as u64).at_ply(self.lines.ply())
    }

    /// Where findings go that say nothing about the tape.
    pub fn report(&mut self) -> &mut GameReport<'o> {
        self.report
    }

    /// A deviation here that was got over without loss.
    ///
    /// # Errors
    ///
    /// In strict mode.
    #[cold]
    pub fn repaired(&mut self, kind: ErrorKind) -> Step {
        let at = self.here();
        self.say(Severity::Repaired, kind, at)
    }

    /// Something here that cannot be read and is missing from the game.
    ///
    /// # Errors
    ///
    /// In strict mode.
    #[cold]
    pub fn lost(&mut self, kind: ErrorKind) -> Step {
        let at = self.here();
        self.say(Severity::Lost, kind, at)
    }

    /// A finding at another place. With one of severity [`Severity::Lost`] the game is no longer
    /// complete.
    ///
    /// # Errors
    ///
    /// In strict mode.
    #[cold]
    pub fn say(&mut self, severity: Severity, kind: ErrorKind, at: Location) -> Step {
        self.complete &= severity < Severity::Lost;
        Ok(self.report.add(severity, kind, at)?)
    }

    /// A limit was reached, and what was to be pushed is missing.
    #[cold]
    fn over_limit(&mut self, over: OverLimit) -> Step {
        self.lost(over.into_kind(&self.report.options.limits))
    }

    /// Nothing more goes on the tape.
    #[cold]
    fn full(&mut self, over: OverLimit) -> Step {
        self.over_limit(over)?;
        Err(Stop::End)
    }
}
