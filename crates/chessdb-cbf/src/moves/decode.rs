//! Decoding of moves and comments to the tape, the hot loop of reading.

use chessdb_core::error::Location;
use chessdb_core::legacy::cbf::CbfNumbering;
use chessdb_core::line::{Closed, LineReader, Lines, Step, Stop};
use chessdb_core::model::Place;
use chessdb_core::report::GameReport;
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Color, ErrorKind, Game, Result, Severity};

use crate::codes::{code_of, last_known, nag_of};
use crate::extras::{self, extra};
use crate::raw::marker::{CLOSE, COMMENTED, OPEN};
use crate::raw::{Comment, Comments};
use crate::roles::CBF_FILE;
use crate::text::read_comment_text;

/// The deciphered moves of a record and its comments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CbfStream<'a> {
    pub(crate) moves: &'a [u8],
    /// The offset of the moves in the games file.
    pub(crate) moves_start: u64,
    pub(crate) comments: &'a [u8],
    /// The offset of the comments in the games file.
    pub(crate) comments_start: u64,
    pub(crate) detector: &'a EncodingDetector,
}

/// Decodes the moves of a record to the tape of `game`. The header of `game` must be filled.
/// Returns the number of half-moves of the mainline, or `None` if something had to be left out.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(crate) fn decode(
    stream: &CbfStream<'_>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<Option<u32>> {
    let start = Location::byte(CBF_FILE, stream.moves_start);
    let Some(line) = LineReader::begin(CbfNumbering, game, report, start)? else {
        return Ok(None);
    };
    let mut decoder = Decoder {
        stream,
        line,
        comments: Comments::new(stream.comments),
    };
    let read = decoder.game_comment().and_then(|()| decoder.run());
    let counts = decoder.line.end(read)?;
    if decoder.comments.remaining_bytes() > 0 {
        decoder.surplus_comments()?;
    }
    Ok(decoder.line.finish().then_some(counts.plies))
}

/// Counts the moves with a comment up to the end of the game.
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
    stream: &'a CbfStream<'a>,
    line: LineReader<'r, 'o, Lines<CbfNumbering>>,
    comments: Comments<'a>,
}

impl Decoder<'_, '_, '_> {
    /// Reads the comment of the game. It is the last comment of the area, present if there is one
    /// comment more than there are moves with a comment.
    fn game_comment(&mut self) -> Step {
        let area = self.stream.comments;
        if area.is_empty() {
            return Ok(());
        }
        if !self.comments.starts {
            let kind = ErrorKind::Structure("the comments do not begin with byte FF");
            self.comment_fault(Severity::Lost, kind, 0)?;
        }
        if !self.comments.ends {
            let kind = ErrorKind::Structure("the end of the last comment is missing");
            self.comment_fault(Severity::Lost, kind, area.len())?;
        }
        if area.len() == 1 {
            let kind = ErrorKind::Structure("a comment area without a comment");
            self.comment_fault(Severity::Note, kind, 0)?;
        }
        if self.comments.remaining_comments() > count_commented(self.stream.moves)
            && let Some(comment) = self.comments.take_last()
        {
            let place = area.len() - comment.len();
            self.comment(comment, place, self.mover())?;
        }
        Ok(())
    }

    fn run(&mut self) -> Step {
        while let Some(&byte) = self.stream.moves.get(self.line.at) {
            match byte {
                OPEN => self.line.open()?,
                CLOSE => {
                    if self.line.close() == Closed::NoneOpen {
                        return self.ends_early("the end of a variation that was never opened");
                    }
                }
                0 => return self.ends_early("the moves end with a byte 0"),
                byte if self.line.is_skipping() => self.skip_comment(byte),
                byte => self.half_move(byte)?,
            }
            self.line.at += 1;
        }
        Ok(())
    }

    /// Reports that the game ends before its last byte (section 7.1).
    fn ends_early(&mut self, why: &'static str) -> Step {
        // The rest may be garbage, so it is not certain that anything is lost.
        let severity = match self.stream.moves.len() - self.line.at {
            0 | 1 => Severity::Repaired,
            _ => Severity::Lost,
        };
        let location = self.line.here();
        self.line.say(severity, ErrorKind::Structure(why), location)
    }

    #[inline]
    fn half_move(&mut self, byte: u8) -> Step {
        match self.line.decode(&[byte]) {
            Ok((mv, _)) => self.line.mv(mv)?,
            Err(fault) => {
                self.line.bad_move(fault.into_kind(&[byte]))?;
                // Comments have the order of the moves, so a lost move takes its own with it.
                self.skip_comment(byte);
                return Ok(());
            }
        }
        if byte & COMMENTED == 0 {
            return Ok(());
        }
        let place = self.stream.comments.len() - self.comments.remaining_bytes();
        match self.comments.next() {
            Some(comment) => self.comment(comment, place, self.mover()),
            None => {
                let kind = ErrorKind::Structure("the comment of a move is missing");
                self.line.lost(kind)?;
                self.text(&[])
            }
        }
    }

    /// Skips the comment of a move that is left out.
    fn skip_comment(&mut self, byte: u8) {
        if byte & COMMENTED != 0 {
            self.comments.next();
        }
    }

    /// Returns the side that made the last move.
    fn mover(&self) -> Color {
        self.line.lines().board().turn().other()
    }

    /// Adds a comment with its codes.
    fn comment(&mut self, bytes: &[u8], place: usize, mover: Color) -> Step {
        if !Comment::is_canonical(bytes) {
            let kind = ErrorKind::Structure("a comment in an unusual form");
            self.comment_fault(Severity::Note, kind, place)?;
        }
        let Comment { codes, text } = Comment::parse(bytes);
        for (slot, code) in codes.into_iter().enumerate().filter(|(_, code)| *code != 0) {
            if code > last_known(slot) {
                let kind = ErrorKind::bad_field("the code of a comment", code);
                self.comment_fault(Severity::Note, kind, place + slot)?;
            }
            self.code(slot, code, mover)?;
        }
        match text {
            Some(text) if !text.is_empty() || codes != [0; 3] => self.text(text),
            _ if codes == [0; 3] => self.text(&[]),
            _ => Ok(()),
        }
    }

    fn text(&mut self, text: &[u8]) -> Step {
        self.line.check_text(text)?;
        // A comment always belongs to a move; only the comment of the game precedes the moves.
        let place = match self.line.lines().ply() {
            0 => Place::Before,
            _ => Place::After,
        };
        let charset = self.stream.detector.page_of(text);
        let put = |texts: &mut _| read_comment_text(text, charset, texts);
        self.line.comment_with(text.len(), place, put)
    }

    /// Adds a code as a NAG, and as an extra if the NAG does not determine the code.
    fn code(&mut self, slot: usize, code: u8, mover: Color) -> Step {
        let nag = nag_of(slot, code, mover);
        if let Some(nag) = nag {
            self.line.nag(nag)?;
        }
        let back = nag.and_then(|nag| code_of(nag, mover));
        match back {
            Some(coded) if coded.slot == slot && coded.code == code => Ok(()),
            _ => {
                let code_extra = extra(extras::CODE + slot as u16, &[code]);
                self.line.note(|tape, _| tape.extra(code_extra))
            }
        }
    }

    /// Adds the comments without a move at the end of the game.
    fn surplus_comments(&mut self) -> Result<()> {
        let place = self.stream.comments.len() - self.comments.remaining_bytes();
        let kind = ErrorKind::mismatch(
            "the number of bytes after the comments",
            self.comments.remaining_bytes() as u64,
            0,
        );
        if !self.line.takes_surplus(kind, self.in_comments(place))? {
            return Ok(());
        }
        while let Some(comment) = self.comments.next() {
            if let Err(stop) = self.comment(comment, place, self.mover()) {
                return Stop::into_result(Err(stop));
            }
        }
        Ok(())
    }

    fn in_comments(&self, place: usize) -> Location {
        Location::byte(CBF_FILE, self.stream.comments_start + place as u64)
            .at_ply(self.line.lines().ply())
    }

    fn comment_fault(&mut self, severity: Severity, kind: ErrorKind, place: usize) -> Step {
        self.line.say(severity, kind, self.in_comments(place))
    }
}
