//! Reading of one game from its bytes into the model.

use std::ops::ControlFlow;

use chessdb_core::model::{Field, Header, Movetext, NamedResult};
use chessdb_core::search::MainlineObserver;
use chessdb_core::text::{EncodingDetector, Texts, is_overwritten, is_utf8_twice};
use chessdb_core::{
    Charset, ErrorKind, Game, Outcome, ReadOptions, Result, Scratch, Severity, Start,
};

use self::byte_scan::ByteClasses;
use self::follow::Follower;
use self::tags::malformed_start_tag;
use crate::header::HeaderReader;
use crate::moves::{Language, MoveDecoder, Reading, Rules, Unread, in_set};
use crate::raw::{Ending, Lexer, TagPair, Token, TokenKind, is_harmless, result_at, tagged_result};
use crate::report::{Report, Source, no_game};
use crate::text;

/// How much of a game is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReadScope {
    Header,
    Everything,
}

/// Reads a game into `game`. After an error, `game` contains what was read before it.
///
/// If a game contains non-English piece letters, it is read again in each language that uses them.
/// If all its moves are legal in exactly one of these languages, that language is used.
pub(crate) fn read_game(
    source: Source<'_>,
    options: &ReadOptions,
    scope: ReadScope,
    game: &mut Game,
    scratch: &mut Scratch,
) -> Result<()> {
    read_followed(source, options, scope, game, scratch, &mut None)
}

/// Reads a game and shows its mainline to `observer`, only as far as the observer requires.
pub(crate) fn observe_game(
    source: Source<'_>,
    options: &ReadOptions,
    observer: &mut dyn MainlineObserver,
    game: &mut Game,
    scratch: &mut Scratch,
) -> Result<()> {
    let mut follower = Some(Follower::new(observer));
    let scope = ReadScope::Everything;
    read_followed(source, options, scope, game, scratch, &mut follower)?;
    if let Some(follower) = follower.filter(|_| game.has_known_start()) {
        follower.end(&game.header.start, &game.moves);
    }
    Ok(())
}

fn read_followed(
    source: Source<'_>,
    options: &ReadOptions,
    scope: ReadScope,
    game: &mut Game,
    scratch: &mut Scratch,
    follower: &mut Option<Follower<'_>>,
) -> Result<()> {
    let reported = (scratch.diagnostics.len(), scratch.dropped_diagnostics);
    let english = Reading::English;
    let unread = read_as(
        english,
        source,
        options,
        scope,
        game,
        scratch,
        follower.as_mut(),
    )?;
    // Nothing that is unread looks like a piece letter of another language.
    if unread.possible == 0 {
        return Ok(());
    }
    let again = |reading, game: &mut Game, scratch: &mut Scratch| {
        // The earlier findings are those of a wrong language.
        scratch.diagnostics.truncate(reported.0);
        scratch.dropped_diagnostics = reported.1;
        read_as(reading, source, options, scope, game, scratch, None)
    };
    let mut candidate: Option<(&Language, Movetext)> = None;
    let mut several = false;
    for language in in_set(unread.possible) {
        let trial = again(Reading::Trial(language), game, scratch)?;
        if trial.any || !trial.evident {
            continue;
        }
        match &candidate {
            // Languages that give the same moves do not contradict each other.
            Some((_, moves)) => several |= *moves != game.moves,
            None => candidate = Some((language, game.moves.clone())),
        }
    }
    let reading = match candidate {
        Some((language, _)) if !several => Reading::Language(language),
        _ => Reading::Doubting(unread.possible),
    };
    again(reading, game, scratch).map(|_| ())
}

/// Reads the game once, with the given interpretation of piece letters.
fn read_as(
    reading: Reading,
    source: Source<'_>,
    options: &ReadOptions,
    scope: ReadScope,
    game: &mut Game,
    scratch: &mut Scratch,
    follower: Option<&mut Follower<'_>>,
) -> Result<Unread> {
    game.clear();
    game.header.start.clone_from(source.start);
    let Game {
        header,
        moves,
        texts,
    } = game;
    let byte_classes = ByteClasses::of_game(source.bytes);
    // ASCII means the same in all charsets.
    let own = if byte_classes.is_ascii() { b"" } else { own_text(source.bytes) };
    let detector = text::detector_of(own, options, &mut scratch.words);
    let detector_page = detector.page();
    let memory = std::mem::take(&mut scratch.boards);
    let mut buffer = std::mem::take(&mut scratch.bytes);
    let reported = scratch.diagnostics.len();
    let mut reader = GameReader {
        source,
        byte_classes,
        scope,
        detector: detector.clone(),
        reading,
        tags: HeaderReader::default(),
        header,
        texts,
        moves: MoveDecoder::new(moves.builder(&options.limits), memory, detector, reading),
        report: Report::new(options, scratch, source),
        buffer: &mut buffer,
        started: false,
        ending: None,
        follower,
        reported,
    };
    let stray =
        text::first_stray(own, options).map(|offset| source.bytes.len() - own.len() + offset);
    let is_twice = detector_page != Charset::UTF_8_TWICE && is_utf8_twice(own);
    let read = match stray {
        Some(offset) => reader.report_stray(offset),
        None if is_twice => reader.report_utf8_twice(),
        None => Ok(()),
    };
    let read = read.and_then(|()| reader.run());
    let unread = reader.moves.unread();
    let memory = reader.moves.finish();
    scratch.boards = memory;
    scratch.bytes = buffer;
    read.map(|()| unread)
}

/// Returns the bytes without the foreign text before the game, which does not affect its charset.
fn own_text(bytes: &[u8]) -> &[u8] {
    let foreign = |kind| matches!(kind, TokenKind::Space | TokenKind::Bom | TokenKind::Junk);
    let first = Lexer::new(bytes).find(|token| !foreign(token.kind));
    let start = first.map_or(0, |token| token.start);
    bytes.get(start..).unwrap_or_default()
}

struct GameReader<'g, 'f, 'w> {
    source: Source<'g>,
    byte_classes: ByteClasses,
    scope: ReadScope,
    detector: EncodingDetector,
    reading: Reading,
    tags: HeaderReader,
    header: &'g mut Header,
    texts: &'g mut Texts,
    moves: MoveDecoder<'g>,
    report: Report<'g>,
    buffer: &'g mut Vec<u8>,
    started: bool,
    /// A result at the end that is not a token.
    ending: Option<Ending>,
    follower: Option<&'f mut Follower<'w>>,
    /// The number of diagnostics of earlier games that the caller has not taken yet.
    reported: usize,
}

impl<'g> GameReader<'g, '_, '_> {
    /// Reports a byte that is not UTF-8 in a UTF-8 database.
    #[cold]
    fn report_stray(&mut self, offset: usize) -> Result<()> {
        let kind = ErrorKind::Structure("bytes that are not UTF-8 in a UTF-8 database");
        self.report.add_finding_at(Severity::Repaired, kind, offset)
    }

    /// Reports a game with text that was converted to UTF-8 twice.
    #[cold]
    fn report_utf8_twice(&mut self) -> Result<()> {
        let why = "text that was converted to UTF-8 twice, such as Ã¤ for ä; read it with the \
                   charset UTF-8-twice (-e utf-8-twice)";
        self.report
            .add_finding_at(Severity::Note, ErrorKind::Structure(why), 0)
    }

    fn run(&mut self) -> Result<()> {
        let mut lexer = Lexer::new(self.source.bytes);
        let border = self.source.border();
        loop {
            if self.started && self.source.cut.is_none() {
                lexer.skip_moves(|bytes, offset| self.moves.take_plain(bytes, offset));
            }
            if let Some(follower) = &mut self.follower {
                match follower.show_new_moves(self.moves.tape_mut()) {
                    ControlFlow::Continue(false) => {}
                    ControlFlow::Continue(true) => continue,
                    ControlFlow::Break(()) => return Ok(()),
                }
            }
            let Some(token) = lexer.next_visible() else {
                match self.ending.take() {
                    Some(ending) => self.take_ending(ending, &mut lexer)?,
                    None => break,
                }
                continue;
            };
            if token.next_game || self.source.cut.is_some() && token.end == self.source.bytes.len()
            {
                // Only if a limit cut a game, possibly within this token.
                break;
            }
            let text = lexer.text(token);
            if Some(token.end) == border && self.interrupt(token, text)? {
                break;
            }
            match token.kind {
                TokenKind::Space | TokenKind::Bom => {}
                TokenKind::Tag => self.tag(token, text, lexer.tag_pair(token))?,
                TokenKind::Comment { closed } => self.comment(token, text, closed)?,
                TokenKind::LineComment => {
                    // One blank after the semicolon belongs to the sign, not to the text.
                    let text = text.get(1..).unwrap_or_default();
                    let text = text.strip_prefix(b" ").unwrap_or(text);
                    self.comment_text(token, text)?;
                }
                TokenKind::Escape => {
                    let kind = ErrorKind::Structure("an escape line (%) was skipped");
                    self.add_finding(Severity::Note, kind, token)?;
                }
                TokenKind::Junk
                    if self.started
                        || !lexer.is_in_moves()
                        || NamedResult::read_alone(text).is_none() =>
                {
                    self.junk(token, text, lexer.is_in_moves())?;
                }
                _ => {
                    if !self.started {
                        self.start(token)?;
                        if let Some(ending) = self.ending {
                            lexer.end_at(ending.start.max(token.end));
                        }
                        if self.scope == ReadScope::Header {
                            return self.result_only(lexer, token);
                        }
                        self.report_interpretation(token)?;
                        if self.follow(token).is_break() {
                            return Ok(());
                        }
                        if let Some(ending) = self.ending.take_if(|it| it.start <= token.start) {
                            self.take_ending(ending, &mut lexer)?;
                            continue;
                        }
                    }
                    if token.kind == TokenKind::Junk {
                        self.junk(token, text, lexer.is_in_moves())?;
                        continue;
                    }
                    self.moves.take(token, text, self.texts, &mut self.report)?;
                    // A trial fails with the first move that it cannot read.
                    if matches!(self.reading, Reading::Trial(_)) && self.moves.unread().any {
                        return Ok(());
                    }
                }
            }
        }
        self.finish()?;
        self.take_evaluation();
        Ok(())
    }

    /// Finishes the tags; `first` is the first token of the moves.
    fn start(&mut self, first: Token) -> Result<()> {
        self.started = true;
        self.tags.finish(self.header);
        if self.tags.lacks_start() {
            self.moves.refuse();
            let why = "a start position is announced, but the FEN tag is missing; the moves were kept as text";
            let kind = ErrorKind::Structure(why);
            self.add_finding(Severity::Lost, kind, first)?;
        }
        if self.source.cut.is_none() {
            let tag = tagged_result(self.header, self.texts);
            let has_result = self.header.outcome != Outcome::Unknown
                || self.header.verbatim(Field::Result).is_some();
            self.ending = Ending::find(self.source.bytes, first.start, tag, has_result);
        }
        // Without parentheses, no position is needed again.
        let variations = memchr::memchr(b'(', self.source.bytes).is_some();
        let start = &self.header.start;
        self.report.from_start = *start == Start::Standard;
        self.moves.start(start, self.tags.rules(), variations);
        Ok(())
    }

    /// Starts showing the moves to the follower.
    fn follow(&mut self, first: Token) -> ControlFlow<()> {
        let diagnostics = self.report.scratch.diagnostics.iter().skip(self.reported);
        let worst = diagnostics.map(|diagnostic| diagnostic.severity).max();
        match &mut self.follower {
            Some(follower) if worst < Some(Severity::Lost) => {
                let rest = self.source.bytes.get(first.start..).unwrap_or_default();
                follower.start(&self.header.start, rest, self.moves.tape_mut())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn is_overwritten(&self, text: &[u8]) -> bool {
        self.byte_classes.may_be_overwritten() && is_overwritten(text)
    }

    /// Reports that the moves are read with another variant's tag or in another language.
    fn report_interpretation(&mut self, first: Token) -> Result<()> {
        if self.tags.rules() != Rules::Chess {
            let kind =
                ErrorKind::Structure("a chess variant was read by the rules of standard chess");
            self.add_finding(Severity::Note, kind, first)?;
        }
        match self.reading {
            Reading::Language(language) => {
                self.add_finding(Severity::Note, ErrorKind::Structure(language.note), first)
            }
            _ => Ok(()),
        }
    }

    fn comment(&mut self, token: Token, text: &[u8], closed: bool) -> Result<()> {
        let text = text.get(1..).unwrap_or_default();
        if closed {
            let end = text.len().saturating_sub(1);
            return self.comment_text(token, text.get(..end).unwrap_or_default());
        }
        let kind = ErrorKind::Structure("a comment without its closing brace");
        let severity = if self.source.followed { Severity::Lost } else { Severity::Repaired };
        self.add_finding(severity, kind, token)?;
        self.comment_text(token, text.trim_ascii_end())
    }

    fn comment_text(&mut self, token: Token, text: &[u8]) -> Result<()> {
        if self.scope == ReadScope::Header {
            return Ok(());
        }
        if self.is_overwritten(text) {
            let kind = ErrorKind::Structure("a comment contains bytes that are not text");
            self.add_finding(Severity::Lost, kind, token)?;
        }
        self.moves
            .comment(token, text, self.texts, &mut self.report)
    }

    fn junk(&mut self, token: Token, text: &[u8], in_moves: bool) -> Result<()> {
        if !in_moves {
            if let Some(value) = malformed_start_tag(text) {
                let expected = tags::UNUSUAL_START;
                let name = Field::Fen.tag().as_bytes();
                let pair = TagPair::new(name, value, Some(expected));
                return self.tag(token, text, Some(pair));
            }
            let (severity, kind) = no_game(text, "a tag or a move");
            return self.add_finding(severity, kind, token);
        }
        if self.scope == ReadScope::Header {
            return Ok(());
        }
        if let Some(result) = self.moves.result() {
            let second = result_at(text, 0).map(|(_, outcome)| outcome);
            if second == Some(result) {
                let kind = ErrorKind::Structure("the result appears twice");
                return self.add_finding(Severity::Note, kind, token);
            }
        } else if self.moves.is_skipping() {
            return Ok(());
        }
        match text {
            [b'[', b'%', ..] => {
                let kind = ErrorKind::syntax("braces around a command", text);
                self.add_finding(Severity::Repaired, kind, token)?;
                self.comment_text(token, text)
            }
            [b'[', _, ..] => {
                let why = "text in brackets may be a move; the line ends here";
                self.moves.end_line(why, token, text, &mut self.report)
            }
            _ => {
                let severity = if is_harmless(text) { Severity::Note } else { Severity::Lost };
                self.add_finding(severity, ErrorKind::syntax("a move", text), token)
            }
        }
    }

    fn add_finding(&mut self, severity: Severity, kind: ErrorKind, token: Token) -> Result<()> {
        let ply = self.started.then(|| self.moves.ply());
        self.report.add_finding(severity, kind, token, ply)
    }
}

mod byte_scan;
mod end;
mod follow;
mod tags;
#[cfg(test)]
mod tests;
