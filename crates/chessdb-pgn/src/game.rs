//! Reading of one game from its bytes into the model.
// tidy: long because it is one reader, from the first token of a game to its end

use std::ops::ControlFlow;

use chessdb_core::model::{DateDoubt, NamedResult};
use chessdb_core::text::Judge;
use chessdb_core::{
    Charset, ErrorKind, Field, Game, Header, Movetext, Outcome, ReadOptions, Result, Scratch,
    Severity, Start, Tag, Texts, Watch, is_overwritten,
};
use memchr::memrchr2;

use self::byte_scan::ByteClasses;
use self::follow::Follower;
use crate::header::{HeaderReader, TagFinding};
use crate::moves::{Language, MoveDecoder, Reading, Rules, Unread, in_set};
use crate::raw::{
    Ending, Lexer, OTHER_QUOTES, TagPair, Token, TokenKind, is_harmless, is_start_tag, result_at,
    tagged_result,
};
use crate::report::{CutReason, Report, ReportOnce, Source, no_game};
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

/// Reads a game and shows its mainline to `watch`, only as far as the watch requires.
pub(crate) fn watch_game(
    source: Source<'_>,
    options: &ReadOptions,
    watch: &mut dyn Watch,
    game: &mut Game,
    scratch: &mut Scratch,
) -> Result<()> {
    let mut follower = Some(Follower::new(watch));
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
    let reported = (scratch.diagnostics.len(), scratch.more_diagnostics);
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
    if unread.possible == 0 {
        return Ok(());
    }
    let again = |reading, game: &mut Game, scratch: &mut Scratch| {
        scratch.diagnostics.truncate(reported.0);
        scratch.more_diagnostics = reported.1;
        read_as(reading, source, options, scope, game, scratch, None)
    };
    let mut found: Option<(&Language, Movetext)> = None;
    let mut several = false;
    for language in in_set(unread.possible) {
        let trial = again(Reading::Trial(language), game, scratch)?;
        if trial.any || !trial.evident {
            continue;
        }
        match &found {
            Some((_, moves)) => several |= *moves != game.moves,
            None => found = Some((language, game.moves.clone())),
        }
    }
    let reading = match found {
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
    let own = match byte_classes.is_ascii() {
        true => b"",
        false => own_text(source.bytes),
    };
    let judge = text::judge_of(own, options, &mut scratch.words);
    let memory = std::mem::take(&mut scratch.boards);
    let mut buffer = std::mem::take(&mut scratch.bytes);
    let reported = scratch.diagnostics.len();
    let mut reader = GameReader {
        source,
        byte_classes,
        scope,
        judge: judge.clone(),
        reading,
        tags: HeaderReader::default(),
        header,
        texts,
        moves: MoveDecoder::new(moves.builder(&options.limits), memory, judge, reading),
        report: Report::new(options, scratch, source),
        buffer: &mut buffer,
        started: false,
        ending: None,
        follower,
        reported,
    };
    let read = match text::first_stray(own, options) {
        Some(at) => reader.report_stray(source.bytes.len() - own.len() + at),
        None => Ok(()),
    };
    let read = read.and_then(|()| reader.run());
    let unread = reader.moves.unread();
    let memory = reader.moves.finish();
    scratch.boards = memory;
    scratch.bytes = buffer;
    read.map(|()| unread)
}

/// Returns whether a text ends within a line, or after a line long enough to have been wrapped.
fn is_cut(bytes: &[u8]) -> bool {
    const BROKEN: usize = 70;
    let Some(line) = bytes.strip_suffix(b"\n") else {
        return true;
    };
    let length = line.iter().rev().position(|&byte| byte == b'\n');
    length.unwrap_or(line.len()) >= BROKEN
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
    judge: Judge,
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
    fn report_stray(&mut self, at: usize) -> Result<()> {
        let kind = ErrorKind::Structure("bytes that are not UTF-8, in a database of UTF-8");
        self.report.add_finding_at(Severity::Repaired, kind, at)
    }

    fn run(&mut self) -> Result<()> {
        let mut lexer = Lexer::new(self.source.bytes);
        let border = self.source.border();
        loop {
            if self.started && self.source.cut.is_none() {
                lexer.skip_moves(|bytes, at| self.moves.take_plain(bytes, at));
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
                    let kind = ErrorKind::Structure("an escape line (%) is left out");
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

    /// Removes the NAG after the moves that repeats the tag `LineEvaluation`; it does not belong to
    /// the last move.
    fn take_evaluation(&mut self) {
        let tape = self.moves.tape_mut();
        if tape.ends_with_nag()
            && let Some(nag) = self.header.line_evaluation(self.texts)
        {
            tape.take_back_nag(nag.into());
        }
    }

    /// Checks the last token of a game that is interrupted by the next game. A move, a NAG or a
    /// number may be the beginning of a longer one and is not used. Returns true in this case.
    #[cold]
    fn interrupt(&mut self, token: Token, text: &[u8]) -> Result<bool> {
        match token.kind {
            TokenKind::San if self.started => {
                let why = "the next game begins within it; the line ends";
                self.moves.end_line(why, token, text, &mut self.report)?;
                Ok(true)
            }
            TokenKind::San | TokenKind::Nag | TokenKind::Glyph | TokenKind::Number => {
                let expected = "a blank before the next game";
                let found = ErrorKind::excerpt(text);
                let kind = ErrorKind::Syntax { expected, found };
                self.add_finding(Severity::Lost, kind, token)?;
                Ok(true)
            }
            TokenKind::LineComment | TokenKind::Escape => {
                let kind = ErrorKind::Structure("the next game begins within a comment");
                self.add_finding(Severity::Lost, kind, token)?;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn tag(&mut self, token: Token, text: &[u8], pair: Option<TagPair<'_>>) -> Result<()> {
        let Some(pair) = pair else {
            return Ok(());
        };
        let limits = &self.report.options.limits;
        if self.tags.others() >= limits.tags {
            let what = "tags in a game";
            return self
                .report
                .once(ReportOnce::Tags, what, limits.tags, token, None);
        }
        let bytes = pair.name.len() + pair.value.len();
        if let Err(over) = self.texts.check_room(bytes, limits) {
            let (what, limit) = (over.what(), over.limit(limits));
            return self
                .report
                .once(ReportOnce::Texts, what, limit, token, None);
        }
        if self.is_overwritten(pair.value) {
            let kind = ErrorKind::Structure("a tag with bytes in it that are no text");
            self.add_finding(Severity::Lost, kind, token)?;
        }
        if let Some(expected) = pair.fault {
            let found = ErrorKind::excerpt(text);
            // The rest of the tag was lost to another tag that begins within it.
            let severity = match self.source.bytes.get(token.end) {
                Some(b'[') if expected != OTHER_QUOTES => Severity::Lost,
                None if self.source.followed && expected != OTHER_QUOTES => Severity::Lost,
                _ if expected == OTHER_QUOTES => Severity::Note,
                _ => Severity::Repaired,
            };
            self.add_finding(severity, ErrorKind::Syntax { expected, found }, token)?;
        }
        if is_start_tag(pair.name) && pair.name != Field::Fen.tag().as_bytes() {
            let kind = ErrorKind::Structure("the tag FEN in another spelling");
            self.add_finding(Severity::Note, kind, token)?;
        }
        let finding = self
            .tags
            .read(&pair, &self.judge, self.header, self.texts, self.buffer);
        match finding {
            TagFinding::Fine => Ok(()),
            TagFinding::Repeated => {
                let kind = ErrorKind::Structure("a tag that the game has already");
                self.add_finding(Severity::Note, kind, token)
            }
            TagFinding::AmbiguousDate(doubt) => {
                let severity = match doubt {
                    DateDoubt::Order => Severity::Note,
                    _ => Severity::Repaired,
                };
                self.add_finding(severity, ErrorKind::Structure(doubt.as_str()), token)
            }
            TagFinding::RepairedFen(notes) => {
                let kind = ErrorKind::Other(format!("FEN: {notes}").into());
                self.add_finding(Severity::Note, kind, token)
            }
            TagFinding::BadFen(fault) => {
                self.moves.refuse();
                let found = ErrorKind::excerpt(pair.value);
                let expected = fault.expected;
                self.add_finding(Severity::Lost, ErrorKind::Syntax { expected, found }, token)
            }
        }
    }

    /// Takes a result that is not a token, and continues after it.
    #[cold]
    fn take_ending(&mut self, ending: Ending, lexer: &mut Lexer<'g>) -> Result<()> {
        lexer.resume(self.source.bytes, ending.end);
        let Ending { start, outcome, .. } = ending;
        self.moves
            .end_with(outcome, start, self.texts, &mut self.report)
    }

    /// Finishes the tags; `first` is the first token of the moves.
    fn start(&mut self, first: Token) -> Result<()> {
        self.started = true;
        self.tags.finish(self.header);
        if self.tags.lacks_start() {
            self.moves.refuse();
            let why = "a start position is announced, but no tag FEN gives it; the moves are text";
            let kind = ErrorKind::Structure(why);
            self.add_finding(Severity::Lost, kind, first)?;
        }
        if self.source.cut.is_none() {
            let tag = tagged_result(self.header, self.texts);
            self.ending = Ending::find(self.source.bytes, first.start, tag);
        }
        let variations = memchr::memchr(b'(', self.source.bytes).is_some();
        let start = &self.header.start;
        self.report.from_start = *start == Start::Standard;
        self.moves.start(start, self.tags.rules(), variations);
        Ok(())
    }

    /// Starts showing the moves to the follower.
    fn follow(&mut self, first: Token) -> ControlFlow<()> {
        let found = self.report.scratch.diagnostics.get(self.reported..);
        let mut found = found.unwrap_or_default().iter();
        match &mut self.follower {
            Some(follower) if found.all(|reported| reported.severity < Severity::Lost) => {
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
            let kind = ErrorKind::Structure("a variant of chess, read by the standard rules");
            self.add_finding(Severity::Repaired, kind, first)?;
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
        let kind = ErrorKind::Structure("a comment that is not closed");
        let severity = match self.source.followed {
            true => Severity::Lost,
            false => Severity::Repaired,
        };
        self.add_finding(severity, kind, token)?;
        self.comment_text(token, text.trim_ascii_end())
    }

    fn comment_text(&mut self, token: Token, text: &[u8]) -> Result<()> {
        if self.scope == ReadScope::Header {
            return Ok(());
        }
        if self.is_overwritten(text) {
            let kind = ErrorKind::Structure("a comment with bytes in it that are no text");
            self.add_finding(Severity::Lost, kind, token)?;
        }
        self.moves
            .comment(token, text, self.texts, &mut self.report)
    }

    fn junk(&mut self, token: Token, text: &[u8], in_moves: bool) -> Result<()> {
        if !in_moves {
            if let Some(value) = malformed_start_tag(text) {
                let expected = "a tag FEN with its value between quotes";
                let name = Field::Fen.tag().as_bytes();
                let fault = Some(expected);
                return self.tag(token, text, Some(TagPair { name, value, fault }));
            }
            let (severity, kind) = no_game(text, "a tag or a move");
            return self.add_finding(severity, kind, token);
        }
        let found = ErrorKind::excerpt(text);
        if self.scope == ReadScope::Header {
            return Ok(());
        }
        if let Some(result) = self.moves.result() {
            let second = result_at(text, 0).map(|(_, outcome)| outcome);
            if second == Some(result) {
                let kind = ErrorKind::Structure("the result stands there twice");
                return self.add_finding(Severity::Note, kind, token);
            }
        } else if self.moves.is_skipping() {
            return Ok(());
        }
        let expected = "a move";
        match text {
            [b'[', b'%', ..] => {
                let expected = "braces around a command";
                let kind = ErrorKind::Syntax { expected, found };
                self.add_finding(Severity::Repaired, kind, token)?;
                self.comment_text(token, text)
            }
            [b'[', _, ..] => {
                let why = "text in brackets, perhaps a move; the line ends";
                self.moves.end_line(why, token, text, &mut self.report)
            }
            _ => {
                let severity = match is_harmless(text) {
                    true => Severity::Note,
                    false => Severity::Lost,
                };
                self.add_finding(severity, ErrorKind::Syntax { expected, found }, token)
            }
        }
    }

    /// Finds the result after the moves, which belongs to the header, without reading the moves.
    fn result_only(&mut self, lexer: Lexer<'_>, first: Token) -> Result<()> {
        let known = self.header.outcome.as_pgn().as_bytes();
        let before = self.source.bytes.trim_ascii_end().strip_suffix(known);
        let agree = self.tags.has(Field::Result)
            && self.header.verbatim(Field::Result).is_none()
            && before.is_some_and(ends_with_move)
            && !has_result(
                self.source.bytes.get(first.start..).unwrap_or_default(),
                known,
            );
        if agree {
            return Ok(());
        }
        let mut depth = 0u32;
        let ending = self.ending;
        let is_before = |token: &Token| ending.is_none_or(|ending| token.start < ending.start);
        for token in std::iter::once(first).chain(lexer).take_while(is_before) {
            match token.kind {
                TokenKind::Open => depth = depth.saturating_add(1),
                TokenKind::Close => depth = depth.saturating_sub(1),
                TokenKind::Result(outcome) if depth == 0 => {
                    self.reconcile_results(outcome);
                    return Ok(());
                }
                _ => {}
            }
        }
        if let Some(ending) = ending {
            self.reconcile_results(ending.outcome);
        }
        Ok(())
    }

    /// Reconciles the result after the moves with the result tag. If they differ, the one after the
    /// moves counts, unless it is `*`. Returns whether they differed.
    fn reconcile_results(&mut self, result: Outcome) -> bool {
        let tag = self.header.outcome;
        if result == tag {
            return false;
        }
        if !self.tags.has(Field::Result) {
            self.header.outcome = result;
            return false;
        }
        if result != Outcome::Unknown {
            if self.header.verbatim(Field::Result).is_none() {
                let text = self.texts.push(tag.as_pgn().as_bytes(), Charset::UTF_8);
                self.header.tags.push(Tag::Verbatim(Field::Result, text));
            }
            self.header.outcome = result;
        }
        true
    }

    fn finish(&mut self) -> Result<()> {
        let length = self.source.bytes.trim_ascii_end().len();
        let end = Token {
            kind: TokenKind::Space,
            start: length,
            end: length,
            next_game: false,
        };
        if !self.started {
            self.start(end)?;
        }
        if let Some(cut) = self.source.cut {
            let limit = u64::from(self.report.options.limits.game_bytes);
            let what = "bytes in a game";
            let kind = match cut {
                CutReason::TooLong => ErrorKind::LimitExceeded { what, limit },
                CutReason::Damage => {
                    ErrorKind::Structure("the file is damaged here; the rest is lost")
                }
            };
            self.add_finding(Severity::Lost, kind, end)?;
        } else if self.moves.depth() > 0 {
            let kind = ErrorKind::Structure("a variation that is not closed");
            self.add_finding(Severity::Repaired, kind, end)?;
        }
        if self.scope == ReadScope::Header {
            return Ok(());
        }
        self.moves.end(length, self.texts, &mut self.report)?;
        match self.moves.result() {
            None if self.source.cut.is_some() => Ok(()),
            None if self.source.border().is_some() => {
                let kind = ErrorKind::Structure("the next game begins before this one ends");
                self.add_finding(Severity::Lost, kind, end)
            }
            // A program that writes the tag also writes the result.
            None if self.tags.has(Field::Result) && self.is_cut() => {
                let kind = ErrorKind::Structure(match self.source.followed {
                    true => "the game has no end",
                    false => "the file ends within a game",
                });
                self.add_finding(Severity::Lost, kind, end)
            }
            None => {
                let kind = ErrorKind::Structure("no result behind the moves");
                self.add_finding(Severity::Note, kind, end)
            }
            Some(result) if self.reconcile_results(result) => {
                let kind = ErrorKind::Structure("another result behind the moves than in the tag");
                self.add_finding(Severity::Note, kind, end)?;
                if result == Outcome::Unknown {
                    // The overridden result is kept.
                    return self.moves.outcome(result, end, &mut self.report);
                }
                Ok(())
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns whether a game without a result ends where a file was cut: within a line, after a
    /// line long enough to have been wrapped, or before a game that no blank line separates from
    /// these moves.
    fn is_cut(&self) -> bool {
        let has_moves = self.moves.has_moves() && self.header.outcome != Outcome::Unknown;
        is_cut(self.source.bytes) || has_moves && self.source.lacks_blank_line()
    }

    fn add_finding(&mut self, severity: Severity, kind: ErrorKind, token: Token) -> Result<()> {
        let ply = self.started.then(|| self.moves.ply());
        self.report.add_finding(severity, kind, token, ply)
    }
}

/// Returns whether there may be a result in these bytes in addition to the last one.
fn has_result(bytes: &[u8], last: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_end();
    let before = bytes.strip_suffix(last).unwrap_or(bytes);
    let mut signs = memchr::memchr3_iter(b'-', b'/', b'*', before);
    signs.any(
        |at| match at.checked_sub(1).and_then(|n| before.get(n..=at + 1)) {
            Some([0xBD, b'-', _] | [b'1', b'/', b'2']) => true,
            Some([_, b'/', _]) => false,
            Some([left, b'-', right]) => matches!((left, right), (b'0'..=b'2', b'0' | b'1')),
            _ => true,
        },
    )
}

/// Returns the FEN in a line meant as the tag FEN: without quotes, with a colon or an equals sign.
#[cold]
fn malformed_start_tag(line: &[u8]) -> Option<&[u8]> {
    let (name, rest) = line
        .strip_prefix(b"[")?
        .trim_ascii_start()
        .split_at_checked(3)?;
    let value = rest.trim_ascii_end();
    let value = value.strip_suffix(b"]").unwrap_or(value);
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || b":=\"'".contains(byte);
    let length = value.iter().take_while(|byte| is_mark(byte)).count();
    let value = value.get(length..)?;
    let end = value.iter().rev().take_while(|byte| is_mark(byte)).count();
    let value = value.get(..value.len().checked_sub(end)?)?;
    (is_start_tag(name) && length > 0 && value.contains(&b'/')).then_some(value)
}

/// Returns whether these bytes, which precede a result, end with a move, so that there is no
/// earlier result. Of several results the first one counts, and only comments and signs follow it.
fn ends_with_move(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let line = before.rsplit(|&byte| byte == b'\n').next();
    let line = line.unwrap_or_default();
    let word = line.rsplit(u8::is_ascii_whitespace).next();
    let mut word = word.unwrap_or_default();
    // Skips the number of the move.
    while let [b'0'..=b'9' | b'.', tail @ ..] = word {
        word = tail;
    }
    let is_move = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'=');
    word.first().is_some_and(u8::is_ascii_alphabetic)
        && word.iter().all(is_move)
        // It must not be a word of a comment.
        && !line.iter().any(|byte| matches!(byte, b';' | b'%'))
        && memrchr2(b'{', b'}', before).is_none_or(|at| before.get(at) == Some(&b'}'))
}

mod byte_scan;
mod follow;
#[cfg(test)]
mod tests;
