//! From bytes to the tape: the hot loop of reading.

use chessdb_core::annotation::finish_comment;
use chessdb_core::legacy::cbf::CbfNumbering;
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::{
    Builder, Charset, Color, ErrorKind, Game, GameReport, Lines, Location, OverLimit, Place,
    Result, Severity, Skip, Texts,
};

use crate::CBF_FILE;
use crate::codes::{code_of, last_known, nag_of};
use crate::extras::{self, extra};
use crate::raw::marker::{CLOSE, COMMENTED, OPEN};
use crate::raw::{Comment, Comments};
use crate::text::read_comment_text;

/// The moves of a record, deciphered, and its comments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream<'a> {
    pub(crate) moves: &'a [u8],
    /// Where they begin in the games file.
    pub(crate) moves_start: u64,
    pub(crate) comments: &'a [u8],
    /// Where these begin.
    pub(crate) comments_start: u64,
    pub(crate) charset: Charset,
}

/// Puts the moves of a record on the tape of `game`, whose head is already filled. Says how many
/// half-moves the main line has; nothing if something had to be left out.
///
/// # Errors
///
/// In strict mode the first deviation from the format page.
pub(crate) fn decode(
    stream: &Stream<'_>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<Option<u32>> {
    let lines = Lines::new(CbfNumbering, game)?;
    let limits = report.options.limits;
    let Game { moves, texts, .. } = game;
    let mut decoder = Decoder {
        stream,
        at: 0,
        lines,
        tape: moves.builder(&limits),
        texts,
        comments: Comments::new(stream.comments),
        report,
        plies: 0,
        complete: true,
    };
    decoder.begin()?;
    decoder.run()?;
    decoder.finish()
}

/// How many moves with a comment there are before the end of the game.
fn count_commented(moves: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut count = 0;
    for &byte in moves {
        match byte {
            OPEN => depth += 1,
            CLOSE if depth == 0 => break,
            CLOSE => depth -= 1,
            0 => break,
            byte => count += usize::from(byte & COMMENTED != 0),
        }
    }
    count
}

struct Decoder<'a, 'r, 'o> {
    stream: &'a Stream<'a>,
    at: usize,
    lines: Lines<CbfNumbering>,
    tape: Builder<'r>,
    texts: &'r mut Texts,
    comments: Comments<'a>,
    report: &'r mut GameReport<'o>,
    /// Half-moves of the main line.
    plies: u32,
    complete: bool,
}

impl Decoder<'_, '_, '_> {
    /// The comment of the game, which is one more than there are moves with a comment, at the end
    /// of the area.
    fn begin(&mut self) -> Result<()> {
        let area = self.stream.comments;
        if area.is_empty() {
            return Ok(());
        }
        if !self.comments.starts {
            let kind = ErrorKind::Structure("the comments do not begin with FF");
            self.comment_fault(Severity::Repaired, kind, 0)?;
        }
        if !self.comments.ends {
            let kind = ErrorKind::Structure("the last comment has no end");
            self.comment_fault(Severity::Repaired, kind, area.len())?;
        }
        if area.len() == 1 {
            let kind = ErrorKind::Structure("a comment area without a comment");
            self.comment_fault(Severity::Note, kind, 0)?;
        }
        if self.comments.count_left() > count_commented(self.stream.moves)
            && let Some(comment) = self.comments.take_last()
        {
            let place = area.len() - comment.len();
            let mover = self.lines.board().turn().other();
            if let Err(over) = self.comment(comment, place, mover)? {
                self.over_limit(over)?;
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let mut skip: Option<Skip> = None;
        while let Some(&byte) = self.stream.moves.get(self.at) {
            match byte {
                OPEN => match &mut skip {
                    Some(skip) => skip.open(),
                    None => skip = self.open()?,
                },
                CLOSE => {
                    if Skip::close(&mut skip) {
                        if self.lines.depth() == 0 {
                            let end = "a variation is closed that was never opened";
                            return self.ends_early(end);
                        }
                        self.tape.close();
                        self.lines.close();
                    }
                }
                0 => return self.ends_early("the moves end with a byte 0"),
                byte if skip.is_some() => {
                    if byte & COMMENTED != 0 {
                        self.comments.next();
                    }
                }
                byte => match self.half_move(byte)? {
                    Ok(Ok(())) => {}
                    Ok(Err(over)) => return self.over_limit(over),
                    Err(fault) => {
                        self.lost(fault.into_kind(&[byte]))?;
                        if self.lines.depth() == 0 {
                            return Ok(());
                        }
                        if byte & COMMENTED != 0 {
                            self.comments.next();
                        }
                        // The rest of this variation hangs on the move; the game goes on behind it.
                        skip = Some(Skip::REST_OF_LINE);
                    }
                },
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Section 7.1: a game that ends before its last byte.
    fn ends_early(&mut self, why: &'static str) -> Result<()> {
        let at = self.here();
        // Whether anything is lost nobody knows: what follows may be rubbish.
        let rest = self.stream.moves.len() - self.at > 1;
        let severity = if rest {
            Severity::Lost
        } else {
            Severity::Repaired
        };
        self.complete &= !rest;
        self.report.add(severity, ErrorKind::Structure(why), at)
    }

    #[inline]
    fn half_move(
        &mut self,
        byte: u8,
    ) -> Result<std::result::Result<std::result::Result<(), OverLimit>, MoveFault>> {
        let board = self.lines.board();
        let mv = match CbfNumbering.decode(self.lines.state(), board, &[byte]) {
            Ok((mv, _)) => mv,
            Err(fault) => return Ok(Err(fault)),
        };
        if let Err(over) = self.tape.mv(mv) {
            return Ok(Ok(Err(over)));
        }
        let mover = board.turn();
        self.plies += u32::from(self.lines.depth() == 0);
        self.lines.play(mv);
        if byte & COMMENTED == 0 {
            return Ok(Ok(Ok(())));
        }
        let place = self.stream.comments.len() - self.comments.bytes_left();
        match self.comments.next() {
            Some(comment) => Ok(Ok(self.comment(comment, place, mover)?)),
            None => {
                let at = self.here();
                let kind = ErrorKind::Structure("a move whose comment is missing");
                self.report.add(Severity::Repaired, kind, at)?;
                Ok(Ok(self.empty_comment()))
            }
        }
    }

    fn empty_comment(&mut self) -> std::result::Result<(), OverLimit> {
        self.texts.begin();
        let text = self.texts.finish(self.stream.charset);
        self.tape.comment(self.place(), text)
    }

    fn place(&self) -> Place {
        if self.lines.ply() == 0 {
            Place::Before
        } else {
            Place::After
        }
    }

    /// Puts a comment on the tape; the outer error is that of strict mode.
    fn comment(
        &mut self,
        bytes: &[u8],
        place: usize,
        mover: Color,
    ) -> Result<std::result::Result<(), OverLimit>> {
        if !Comment::is_usual(bytes) {
            let kind = ErrorKind::Structure("a comment in an unusual form");
            self.comment_fault(Severity::Note, kind, place)?;
        }
        let Comment { codes, text } = Comment::parse(bytes);
        for (slot, code) in codes.into_iter().enumerate().filter(|(_, code)| *code != 0) {
            if code > last_known(slot) {
                let field = "a code of a comment";
                let kind = ErrorKind::BadField {
                    field,
                    value: code.into(),
                };
                self.comment_fault(Severity::Note, kind, place + slot)?;
            }
            if let Err(over) = self.code(slot, code, mover) {
                return Ok(Err(over));
            }
        }
        Ok(match text {
            Some(text) if !text.is_empty() || codes != [0; 3] => {
                let limits = &self.report.options.limits;
                if let Err(over) = self.texts.check_room(text.len(), limits) {
                    self.over_limit(over)?;
                    return Ok(Ok(()));
                }
                let charset = read_comment_text(text, self.stream.charset, self.texts);
                finish_comment(charset, self.place(), self.texts, &mut self.tape)
            }
            _ if codes == [0; 3] => self.empty_comment(),
            _ => Ok(()),
        })
    }

    /// A code as a NAG, and itself where the NAG does not give it back.
    fn code(&mut self, slot: usize, code: u8, mover: Color) -> std::result::Result<(), OverLimit> {
        let nag = nag_of(slot, code, mover);
        if let Some(nag) = nag {
            self.tape.nag(nag)?;
        }
        let back = nag.and_then(|nag| code_of(nag, mover));
        match back {
            Some(coded) if coded.slot == slot && coded.code == code => Ok(()),
            _ => self.tape.extra(extra(extras::CODE + slot as u16, &[code])),
        }
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

    fn finish(mut self) -> Result<Option<u32>> {
        if self.lines.depth() > 0 && self.complete {
            let at = self.here();
            let kind = ErrorKind::Structure("the game ends inside a variation");
            self.report.add(Severity::Repaired, kind, at)?;
        }
        while self.lines.close() {
            self.tape.close();
        }
        if self.comments.bytes_left() > 0 {
            self.surplus_comments()?;
        }
        let Decoder {
            tape,
            plies,
            complete,
            ..
        } = self;
        tape.finish();
        Ok(complete.then_some(plies))
    }

    /// Comments that no move asks for go to the end of the game; if the game was cut, they belong
    /// to what is missing.
    fn surplus_comments(&mut self) -> Result<()> {
        let place = self.stream.comments.len() - self.comments.bytes_left();
        let found = self.comments.bytes_left() as u64;
        let what = "bytes behind the comments";
        let kind = ErrorKind::Mismatch {
            what,
            found,
            expected: 0,
        };
        if !self.complete {
            return self.comment_fault(Severity::Lost, kind, place);
        }
        self.comment_fault(Severity::Repaired, kind, place)?;
        let mover = self.lines.board().turn().other();
        while let Some(comment) = self.comments.next() {
            if let Err(over) = self.comment(comment, place, mover)? {
                return self.over_limit(over);
            }
        }
        Ok(())
    }

    fn here(&self) -> Location {
        let at = self.stream.moves_start + self.at as u64;
        Location::byte(CBF_FILE, at).at_ply(self.lines.ply())
    }

    fn comment_fault(&mut self, severity: Severity, kind: ErrorKind, place: usize) -> Result<()> {
        let at = Location::byte(CBF_FILE, self.stream.comments_start + place as u64);
        self.report.add(severity, kind, at.at_ply(self.lines.ply()))
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
