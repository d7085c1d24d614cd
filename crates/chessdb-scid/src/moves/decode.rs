//! From bytes to the tape: the hot loop of reading.

use chessdb_core::annotation::read_comment;
use chessdb_core::legacy::scid::ScidNumbering;
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::{
    Builder, Charset, ErrorKind, Game, Lines, Location, OverLimit, Result, Severity, Skip, Texts,
};

use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};
use crate::raw::{Comments, RecordParts};
use crate::report::Report;

/// How often things occur in a game that was read whole.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    /// Half-moves of the main line.
    pub(crate) plies: u32,
    pub(crate) variations: u32,
    pub(crate) comments: u32,
    pub(crate) nags: u32,
}

/// Puts the moves of a record on the tape of `game`, whose head is already filled. `start` is the
/// place of the moves in the games file. The counts are absent if something had to be left out.
///
/// # Errors
///
/// In strict mode the first deviation from the format page.
pub(crate) fn decode(
    parts: &RecordParts<'_>,
    start: u64,
    fallback: Charset,
    game: &mut Game,
    report: &mut Report<'_>,
) -> Result<Option<Counts>> {
    let lines = match Lines::new(ScidNumbering, game) {
        Ok(lines) => lines,
        Err(error) => {
            let (kind, _) = error.into_parts();
            report.add(Severity::Lost, kind, report.in_games(start))?;
            return Ok(None);
        }
    };
    let limits = report.options.limits;
    let Game { moves, texts, .. } = game;
    let mut decoder = Decoder {
        bytes: parts.moves,
        at: 0,
        start,
        lines,
        tape: moves.builder(&limits),
        texts,
        comments: Comments::new(parts.comments),
        fallback,
        report,
        counts: Counts::default(),
        complete: true,
    };
    decoder.run()?;
    decoder.finish(parts.ended)
}

struct Decoder<'a, 'r, 'o> {
    bytes: &'a [u8],
    at: usize,
    start: u64,
    lines: Lines<ScidNumbering>,
    tape: Builder<'r>,
    texts: &'r mut Texts,
    comments: Comments<'a>,
    fallback: Charset,
    report: &'r mut Report<'o>,
    counts: Counts,
    complete: bool,
}

impl Decoder<'_, '_, '_> {
    fn run(&mut self) -> Result<()> {
        let mut skip: Option<Skip> = None;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                END => {
                    self.at += 1;
                    return Ok(());
                }
                NAG => {
                    let Some(&nag) = self.bytes.get(self.at + 1) else {
                        return Ok(());
                    };
                    self.counts.nags += 1;
                    if skip.is_none()
                        && let Err(over) = self.tape.nag(nag.into())
                    {
                        return self.over_limit(over);
                    }
                    self.at += 2;
                }
                COMMENT => {
                    self.counts.comments += 1;
                    if let Err(over) = self.comment(skip.is_some())? {
                        return self.over_limit(over);
                    }
                    self.at += 1;
                }
                OPEN => {
                    self.counts.variations += 1;
                    match &mut skip {
                        Some(skip) => skip.open(),
                        None => skip = self.open()?,
                    }
                    self.at += 1;
                }
                CLOSE => {
                    if Skip::close(&mut skip) {
                        self.close()?;
                    }
                    self.at += 1;
                }
                _ if skip.is_some() => self.at += 1,
                _ => match self.half_move() {
                    Ok(Ok(())) => {}
                    Ok(Err(over)) => return self.over_limit(over),
                    Err(fault) => {
                        let found = self.bytes.get(self.at..).unwrap_or_default();
                        let bytes = found.get(..2).unwrap_or(found);
                        self.lost(fault.into_kind(bytes))?;
                        if self.lines.depth() == 0 {
                            return Ok(());
                        }
                        // The rest of this variation hangs on the move; the game goes on behind it.
                        skip = Some(Skip::REST_OF_LINE);
                    }
                },
            }
        }
        Ok(())
    }

    #[inline]
    fn half_move(&mut self) -> std::result::Result<std::result::Result<(), OverLimit>, MoveFault> {
        let bytes = self.bytes.get(self.at..).unwrap_or_default();
        let (mv, used) = ScidNumbering.decode(self.lines.state(), self.lines.board(), bytes)?;
        if let Err(over) = self.tape.mv(mv) {
            return Ok(Err(over));
        }
        self.counts.plies += u32::from(self.lines.depth() == 0);
        self.lines.play(mv);
        self.at += used;
        Ok(Ok(()))
    }

    /// The text for a marker; the outer error is that of strict mode.
    fn comment(&mut self, skipped: bool) -> Result<std::result::Result<(), OverLimit>> {
        let text = match self.comments.next() {
            Some(text) => text,
            None if self.comments.rest().is_empty() => {
                self.lost(ErrorKind::Structure("a comment marker without a text"))?;
                return Ok(Ok(()));
            }
            None => {
                let text = self.comments.rest();
                self.comments = Comments::new(&[]);
                self.repaired(ErrorKind::Structure("the last comment has no end"))?;
                text
            }
        };
        if skipped {
            return Ok(Ok(()));
        }
        let limits = &self.report.options.limits;
        if let Err(over) = self.texts.check_room(text.len(), limits) {
            self.over_limit(over)?;
            return Ok(Ok(()));
        }
        let place = self.lines.place();
        let charset = Charset::detect_utf8_or(text, self.fallback);
        Ok(read_comment(
            text,
            charset,
            place,
            self.texts,
            &mut self.tape,
        ))
    }

    /// Begins a variation, or says that it has to be left out.
    fn open(&mut self) -> Result<Option<Skip>> {
        if self.lines.at_line_start() {
            self.lost(ErrorKind::Structure("a variation with no move to replace"))?;
            return Ok(Some(Skip::VARIATION));
        }
        if let Err(over) = self.tape.open() {
            self.over_limit(over)?;
            return Ok(Some(Skip::VARIATION));
        }
        self.lines.open();
        Ok(None)
    }

    fn close(&mut self) -> Result<()> {
        self.tape.close();
        if !self.lines.close() {
            self.repaired(ErrorKind::Structure(
                "a variation is closed that was never opened",
            ))?;
        }
        Ok(())
    }

    fn finish(mut self, ended: bool) -> Result<Option<Counts>> {
        if !ended {
            self.repaired(ErrorKind::Structure("the moves have no end mark"))?;
        }
        if self.lines.depth() > 0 && self.complete {
            self.repaired(ErrorKind::Structure("the game ends inside a variation"))?;
        }
        while self.lines.close() {
            self.tape.close();
        }
        if !self.comments.rest().is_empty() {
            self.surplus_comments()?;
        }
        let Decoder {
            tape,
            counts,
            complete,
            ..
        } = self;
        tape.finish();
        Ok(complete.then_some(counts))
    }

    /// Texts that no marker asks for go to the end of the game; if the game was cut, they belong
    /// to what is missing.
    fn surplus_comments(&mut self) -> Result<()> {
        let found = self.comments.rest().len() as u64;
        let kind = ErrorKind::Mismatch {
            what: "bytes behind the comments",
            found,
            expected: 0,
        };
        if !self.complete {
            return self.lost(kind);
        }
        self.repaired(kind)?;
        let place = self.lines.place();
        let mut comments = self.comments.clone();
        while !comments.rest().is_empty() {
            let text = match comments.next() {
                Some(text) => text,
                None => std::mem::replace(&mut comments, Comments::new(&[])).rest(),
            };
            if text.is_empty() {
                continue;
            }
            let limits = &self.report.options.limits;
            if self.texts.check_room(text.len(), limits).is_err() {
                break;
            }
            let charset = Charset::detect_utf8_or(text, self.fallback);
            if let Err(over) = read_comment(text, charset, place, self.texts, &mut self.tape) {
                return self.over_limit(over);
            }
        }
        Ok(())
    }

    fn here(&self) -> Location {
        let at = self.report.in_games(self.start + self.at as u64);
        at.at_ply(self.lines.ply())
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

    fn over_limit(&mut self, over: OverLimit) -> Result<()> {
        self.lost(over.into_kind(&self.report.options.limits))
    }
}
