//! From tokens to the tape.

use chessdb_core::annotation::read_comment;
use chessdb_core::{
    Builder, Charset, ErrorKind, Limits, Location, OverLimit, PackedMove, Place, Result, Severity,
    Texts,
};

use super::{Position, Promotions};
use crate::raw::{MoveWord, Token, Tokens};
use crate::report::Report;
use crate::text::cut_between_characters;

/// The moves and annotations of a game, and how to read them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    pub(crate) bytes: &'a [u8],
    /// Where they begin in .dcg.
    pub(crate) offset: u64,
    pub(crate) promotions: Promotions,
    pub(crate) limits: Limits,
    /// The charset of texts that are not UTF-8.
    pub(crate) charset: Charset,
}

/// What is known of the line that is being read.
#[derive(Clone, Copy, Default)]
struct Line {
    /// Whether it has a move.
    has_move: bool,
    /// Whether its last move, or its start, has a comment.
    commented: bool,
}

/// Why decoding ends before the body does.
enum Stop {
    Limit(OverLimit),
    Error(chessdb_core::Error),
    /// Already reported.
    Reported,
}

impl From<OverLimit> for Stop {
    fn from(limit: OverLimit) -> Stop {
        Stop::Limit(limit)
    }
}

impl From<chessdb_core::Error> for Stop {
    fn from(error: chessdb_core::Error) -> Stop {
        Stop::Error(error)
    }
}

/// Puts a body on the tape.
///
/// # Errors
///
/// In strict mode the first deviation; otherwise deviations are reported and got over.
pub(crate) fn decode<P: Position>(
    body: &Body<'_>,
    position: &mut P,
    texts: &mut Texts,
    tape: Builder<'_>,
    report: &mut Report<'_>,
) -> Result<()> {
    let mut decoder = Decoder {
        tokens: Tokens::new(body.bytes),
        body,
        at: 0,
        position,
        texts,
        tape,
        line: Line::default(),
        outer: Vec::new(),
        report,
    };
    match decoder.run() {
        Ok(()) | Err(Stop::Reported) => {}
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Limit(over)) => decoder.over_limit(over)?,
    }
    decoder.tape.finish();
    Ok(())
}

struct Decoder<'d, 'r, 'b, P> {
    tokens: Tokens<'b>,
    body: &'d Body<'b>,
    /// Where the token being read begins in the body.
    at: usize,
    position: &'d mut P,
    texts: &'d mut Texts,
    tape: Builder<'d>,
    line: Line,
    outer: Vec<Line>,
    report: &'d mut Report<'r>,
}

impl<P: Position> Decoder<'_, '_, '_, P> {
    fn run(&mut self) -> std::result::Result<(), Stop> {
        loop {
            self.at = self.tokens.offset();
            let Some(token) = self.tokens.next() else {
                break;
            };
            match token {
                Ok(Token::Move(word)) => match self.position.play(word, self.body.promotions) {
                    Ok(read) => {
                        if !read.legal {
                            self.illegal(word)?;
                        }
                        self.mv(read.mv)?;
                    }
                    Err(why) => self.impossible(word, why)?,
                },
                Ok(Token::Null) => {
                    self.position.pass();
                    self.mv(PackedMove::NULL)?;
                }
                Ok(Token::Open { alias }) => self.open(alias)?,
                Ok(Token::Close) => self.close()?,
                Ok(Token::Comment { text, .. }) => self.comment(text)?,
                Ok(Token::Nags { nags, .. }) => self.nags(nags)?,
                Err(fault) => {
                    self.at = fault.offset as usize;
                    self.deviation(Severity::Lost, fault.kind.into_kind())?;
                    return Err(Stop::Reported);
                }
            }
        }
        self.at = self.tokens.offset();
        if !self.outer.is_empty() {
            let what = ErrorKind::Structure("a variation that never ends");
            self.deviation(Severity::Repaired, what)?;
        }
        Ok(())
    }

    #[inline]
    fn mv(&mut self, mv: PackedMove) -> std::result::Result<(), Stop> {
        self.tape.mv(mv)?;
        self.line = Line {
            has_move: true,
            commented: false,
        };
        Ok(())
    }

    fn open(&mut self, alias: bool) -> std::result::Result<(), Stop> {
        if alias {
            let what = ErrorKind::BadField {
                field: "begin of variation",
                value: u64::from(crate::raw::OPEN_ALIAS),
            };
            self.deviation(Severity::Note, what)?;
        }
        if !self.line.has_move {
            let what = ErrorKind::Structure("a variation with no move to replace");
            self.deviation(Severity::Repaired, what)?;
        }
        if let Err(over) = self.tape.open() {
            // Deeper than allowed: left out whole, so that the lines around it stay.
            self.over_limit(over)?;
            return self.skip_line();
        }
        self.position.open();
        self.outer.push(std::mem::take(&mut self.line));
        Ok(())
    }

    fn close(&mut self) -> std::result::Result<(), Stop> {
        let Some(line) = self.outer.pop() else {
            let what = ErrorKind::Structure("the end of a variation that never began");
            return self.deviation(Severity::Repaired, what);
        };
        self.position.close();
        self.tape.close();
        self.line = line;
        Ok(())
    }

    fn comment(&mut self, text: &[u8]) -> std::result::Result<(), Stop> {
        let place = if self.line.has_move {
            Place::After
        } else {
            Place::Before
        };
        if std::mem::replace(&mut self.line.commented, true) {
            let what = ErrorKind::Structure("a second comment on one move");
            self.deviation(Severity::Note, what)?;
        }
        if place == Place::Before && !self.outer.is_empty() {
            let what = ErrorKind::Structure("a comment before the first move of a variation");
            self.deviation(Severity::Note, what)?;
        }
        let charset = Charset::detect_utf8_or(text, self.body.charset);
        if !text.is_ascii() && std::str::from_utf8(text).is_err() {
            let what = ErrorKind::Text { charset: "UTF-8" };
            self.deviation(Severity::Note, what)?;
        }
        let limit = self.body.limits.text_bytes as usize;
        let room = limit.saturating_sub(self.texts.bytes_used());
        let cut = cut_between_characters(text, room);
        if cut.len() < text.len() {
            let what = OverLimit::TextBytes.into_kind(&self.body.limits);
            self.deviation(Severity::Lost, what)?;
        }
        read_comment(cut, charset, place, self.texts, &mut self.tape)?;
        Ok(())
    }

    fn nags(&mut self, nags: &[u8]) -> std::result::Result<(), Stop> {
        if !self.line.has_move {
            let what = ErrorKind::Structure("NAGs before the first move of a line");
            self.deviation(Severity::Note, what)?;
        }
        for &nag in nags {
            self.tape.nag(nag.into())?;
        }
        Ok(())
    }

    #[cold]
    fn illegal(&mut self, word: MoveWord) -> std::result::Result<(), Stop> {
        let what = ErrorKind::BadMove {
            found: word.to_string().into(),
            why: "the rules of chess do not allow it",
        };
        self.deviation(Severity::Note, what)
    }

    /// Ends the line and goes on behind it.
    #[cold]
    fn impossible(&mut self, word: MoveWord, why: &'static str) -> std::result::Result<(), Stop> {
        let what = ErrorKind::BadMove {
            found: word.to_string().into(),
            why,
        };
        self.deviation(Severity::Lost, what)?;
        if self.outer.is_empty() {
            return Err(Stop::Reported);
        }
        self.skip_line()?;
        self.close()
    }

    /// Goes behind the mark that ends the variation being read.
    fn skip_line(&mut self) -> std::result::Result<(), Stop> {
        let mut depth = 1u32;
        while let Some(Ok(token)) = self.tokens.next() {
            match token {
                Token::Open { .. } => depth = depth.saturating_add(1),
                Token::Close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        Err(Stop::Reported)
    }

    #[cold]
    fn deviation(&mut self, severity: Severity, kind: ErrorKind) -> std::result::Result<(), Stop> {
        let offset = self.body.offset.saturating_add(self.at as u64);
        let at = Location::byte(crate::DCG_FILE, offset).at_ply(self.position.ply());
        Ok(self.report.deviation(severity, kind, at)?)
    }

    #[cold]
    fn over_limit(&mut self, over: OverLimit) -> Result<()> {
        let kind = over.into_kind(&self.body.limits);
        match self.deviation(Severity::Lost, kind) {
            Err(Stop::Error(error)) => Err(error),
            _ => Ok(()),
        }
    }
}
