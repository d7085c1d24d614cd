//! The decoder of moves.

use chessdb_core::annotation::continue_comment;
use chessdb_core::commands::{Command, MAX_SHAPES, Shape};
use chessdb_core::error::Location;
use chessdb_core::legacy::scidb::ScidbNumbering;
use chessdb_core::line::{Closed, Counts, LineReader, Lines, Step, Stop};
use chessdb_core::model::Place;
use chessdb_core::report::GameReport;
use chessdb_core::rules::is_legal;
use chessdb_core::{Charset, ErrorKind, Game, Result, Severity};

use super::search_fields;
use super::{shapes, times};
use crate::extras::{self, extra};
use crate::nags;
use crate::raw::mark::{AFTER, BEFORE, CLOSE, COMMENT, MARK, NAG, OPEN};
use crate::raw::{ByteReader, Mark, Record, TimeColumns, TimeItem};
use crate::text::{self, Style};

/// Values found in a record, to be compared with the index entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub(crate) counts: Counts,
    /// The material at the end of the mainline.
    pub(crate) material: u32,
}

/// Decodes the moves of a record into a game, which already has its start position. Returns
/// `None` if something had to be left out.
///
/// # Errors
///
/// In strict mode, returns the first deviation from the format page.
pub(crate) fn decode(
    record: &Record<'_>,
    record_start: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<Option<Decoded>> {
    let numbering = ScidbNumbering {
        in_fen_order: record.fen.is_some(),
    };
    let moves_at = record_start.plus(record.moves_offset() as u64);
    let Some(line) = LineReader::begin(numbering, game, report, moves_at)? else {
        return Ok(None);
    };
    let times = record.times.map(TimeColumns::items).unwrap_or_default();
    let mut decoder = Decoder {
        moves: record.moves,
        line,
        texts: ByteReader::new(record.texts.unwrap_or_default()),
        data: ByteReader::new(record.data),
        times: times.into_iter(),
        next_time: None,
        follows_variation: false,
        shapes: Vec::new(),
    };
    decoder.next_time = decoder.times.next();
    let read = decoder.run();
    let has_ended = read.is_ok();
    let material = search_fields::material(decoder.line.lines().board());
    let counts = decoder.line.end(read)?;
    if has_ended {
        decoder.check_rest(record, record_start)?;
    }
    let is_complete = decoder.line.finish();
    Ok(is_complete.then_some(Decoded { counts, material }))
}

/// The notes after a move or before the first move of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NotesOf {
    /// Of the move before, whose comments before it are on the tape already.
    Move,
    /// Of the start of a line, or of no move.
    Other,
}

struct Decoder<'a, 'r, 'o> {
    moves: &'a [u8],
    line: LineReader<'r, 'o, Lines<ScidbNumbering>>,
    texts: ByteReader<'a>,
    data: ByteReader<'a>,
    times: std::vec::IntoIter<(u32, TimeItem)>,
    next_time: Option<(u32, TimeItem)>,
    /// Whether a variation has ended and no move follows it yet.
    follows_variation: bool,
    shapes: Vec<Shape>,
}

impl Decoder<'_, '_, '_> {
    /// Reads to the end of the mainline.
    fn run(&mut self) -> Step {
        loop {
            let Some(&byte) = self.moves.get(self.line.at) else {
                let kind = ErrorKind::Structure("the end mark of the moves is missing");
                self.line.lost(kind)?;
                return Err(Stop::End);
            };
            match byte {
                MARK | NAG | COMMENT => self.notes(NotesOf::Other)?,
                OPEN => {
                    self.line.open()?;
                    self.follows_variation = false;
                    self.line.at += 1;
                }
                CLOSE => {
                    if self.close()? {
                        return Ok(());
                    }
                }
                _ if self.line.is_skipping() => self.line.at += 1,
                _ => self.half_move()?,
            }
        }
    }

    fn half_move(&mut self) -> Step {
        let bytes = self.moves.get(self.line.at..).unwrap_or_default();
        let (mv, used) = match self.line.decode(bytes) {
            Ok(decoded) => decoded,
            Err(fault) => {
                let excerpt = bytes.get(..2).unwrap_or(bytes);
                self.line.bad_move(fault.into_kind(excerpt))?;
                self.line.at += 1;
                return Ok(());
            }
        };
        let notes = bytes.get(used..).unwrap_or_default();
        if matches!(notes.first(), Some(&(MARK | NAG | COMMENT))) {
            let is_marked = self.comments_before(notes)?;
            if is_marked && is_legal(self.line.lines().board(), mv) {
                let kind = ErrorKind::Structure("a legal move that is marked as illegal");
                let location = self.line.here();
                self.line.say(Severity::Note, kind, location)?;
            }
        }
        let ply = self.line.lines().ply();
        let is_mainline = self.line.lines().depth() == 0;
        self.line.mv(mv)?;
        self.line.at += used;
        self.follows_variation = false;
        // Items of moves that could not be read are attached here, so that none is left over.
        while is_mainline && let Some((_, item)) = self.next_time.filter(|&(n, _)| n <= ply) {
            self.mark(Mark::Time(item))?;
            self.next_time = self.times.next();
        }
        self.notes(NotesOf::Move)
    }

    /// Reads the comments that precede the move with these notes. Returns whether the move is marked
    /// as illegal.
    fn comments_before(&mut self, notes: &[u8]) -> Step<bool> {
        // This looks ahead with copies; `notes` reads the same data again after the move.
        let (mut data, mut texts) = (self.data, self.texts);
        let mut is_illegal = false;
        let place = if self.follows_variation { Place::After } else { Place::Before };
        for &note in notes {
            match note {
                MARK => {
                    if Mark::parse(&mut data).is_none() {
                        break;
                    }
                }
                // NAG 0 marks an illegal move (section 5).
                NAG => is_illegal |= data.byte() == Some(0),
                COMMENT => {
                    let flags = data.byte().unwrap_or(0);
                    if flags & BEFORE != 0
                        && let Some(text) = texts.text()
                    {
                        self.comment(text, place)?;
                    }
                    if flags & AFTER != 0 {
                        texts.text();
                    }
                }
                _ => break,
            }
        }
        Ok(is_illegal)
    }

    /// Reads the notes here, if there are any.
    fn notes(&mut self, of: NotesOf) -> Step {
        while let Some(&note) = self.moves.get(self.line.at) {
            let mut is_shape = false;
            match note {
                MARK => match Mark::parse(&mut self.data) {
                    Some(mark) => {
                        is_shape = self.shape(mark)?;
                        if !is_shape {
                            self.end_shapes()?;
                            self.mark(mark)?;
                        }
                    }
                    None => self.lack("a mark")?,
                },
                NAG => match self.data.byte() {
                    // `comments_before` has checked this mark of an illegal move.
                    Some(0) => {}
                    Some(nag) => {
                        self.end_shapes()?;
                        self.line.nag(nags::read(nag))?;
                    }
                    None => self.lack("a NAG")?,
                },
                COMMENT => {
                    self.end_shapes()?;
                    match self.data.byte() {
                        Some(flags) => self.comments(flags, of)?,
                        None => self.lack("a comment")?,
                    }
                }
                _ => break,
            }
            if !is_shape {
                self.end_shapes()?;
            }
            self.line.at += 1;
        }
        self.end_shapes()
    }

    /// Takes the texts of a comment with these flags.
    fn comments(&mut self, flags: u8, of: NotesOf) -> Step {
        for (bit, place, is_read) in [
            (BEFORE, Place::Before, of == NotesOf::Move),
            (AFTER, self.line.place(), false),
        ] {
            if flags & bit == 0 || is_read && self.texts.text().is_some() {
                continue;
            }
            self.next_comment(place)?;
        }
        Ok(())
    }

    fn next_comment(&mut self, place: Place) -> Step {
        match self.texts.text() {
            Some(text) => self.comment(text, place),
            None => {
                let kind = ErrorKind::Structure("a comment without its text");
                self.line.lost(kind)
            }
        }
    }

    fn comment(&mut self, text: &[u8], place: Place) -> Step {
        // Most comments are plain, and need no separate memory.
        if !text::may_have_parts(text) {
            return self.comment_part(text, None, place);
        }
        for (text, style) in text::read(text) {
            let style = Some(style).filter(|style| !style.is_plain());
            self.comment_part(&text, style, place)?;
        }
        Ok(())
    }

    fn comment_part(&mut self, text: &[u8], style: Option<Style>, place: Place) -> Step {
        if !self.line.has_room(text.len())? {
            return Ok(());
        }
        if let Some(style) = style {
            let style = extra(extras::STYLE, &style.to_bytes());
            self.line.note(|tape, _| tape.extra(style))?;
        }
        self.line.check_text(text)?;
        self.line.check_utf8(text)?;
        self.line
            .note(|tape, texts| continue_comment(text, Charset::UTF_8, place, texts, tape))
    }

    /// Adds a coloured square or an arrow to the list. Returns false for other marks.
    fn shape(&mut self, mark: Mark<'_>) -> Step<bool> {
        let Some(shape) = shapes::read(mark) else {
            return Ok(false);
        };
        // A command has either squares or arrows.
        let last = self.shapes.last();
        let fits = last.is_none_or(|last| last.to.is_some() == shape.to.is_some());
        if !fits || self.shapes.len() >= MAX_SHAPES {
            self.end_shapes()?;
        }
        self.shapes.push(shape);
        Ok(true)
    }

    fn end_shapes(&mut self) -> Step {
        if self.shapes.is_empty() {
            return Ok(());
        }
        let shapes = std::mem::take(&mut self.shapes);
        self.line.note(|tape, _| tape.shapes(&shapes))?;
        self.shapes = shapes;
        self.shapes.clear();
        Ok(())
    }

    fn mark(&mut self, mark: Mark<'_>) -> Step {
        if let Mark::Time(item) = mark
            && let Some(command) = times::read(item)
        {
            return self.time(item, command);
        }
        let mut bytes = Vec::new();
        mark.write(&mut bytes);
        let stored = extra(extras::MARK, &bytes);
        self.line.note(|tape, _| tape.extra(stored))
    }

    fn time(&mut self, item: TimeItem, command: Command<'static>) -> Step {
        if item.low != 0 && item.kind != TimeItem::ELAPSED_MS {
            let engine = extra(extras::ENGINE, &[item.low]);
            self.line.note(|tape, _| tape.extra(engine))?;
        }
        self.line.note(|tape, _| match command {
            Command::Clock(clock) => tape.clock(clock),
            Command::Eval(eval) => tape.eval(eval),
            _ => Ok(()),
        })
    }

    /// Reports missing data of a note. The data of later notes is unknown then.
    #[cold]
    fn lack(&mut self, what: &'static str) -> Step {
        let kind = match self.data.rest().len() {
            0 => ErrorKind::truncated(what, 1, 0),
            _ => ErrorKind::Structure("the data of a mark has an unknown form"),
        };
        self.data = ByteReader::default();
        self.line.lost(kind)
    }

    /// Reads the end of a line. Returns whether it is the end of the mainline.
    fn close(&mut self) -> Step<bool> {
        match self.moves.get(self.line.at + 1) {
            Some(&CLOSE) => {}
            Some(&COMMENT) => match self.data.byte() {
                Some(flags) => {
                    for _ in 0..(flags & (BEFORE | AFTER)).count_ones().max(1) {
                        self.next_comment(self.line.place())?;
                    }
                }
                None => self.lack("a comment")?,
            },
            _ => self.line.lost(ErrorKind::Structure(
                "the end of a line without its second byte",
            ))?,
        }
        // The end of a line takes two bytes (section 5).
        self.line.at += 2;
        self.follows_variation = true;
        Ok(self.line.close() == Closed::NoneOpen)
    }

    /// Reports bytes of the record that no mark refers to.
    fn check_rest(&mut self, record: &Record<'_>, record_start: Location) -> Result<()> {
        if !self.line.is_complete() {
            return Ok(());
        }
        let data_at = record.moves_offset() + record.moves.len();
        // The size of the texts, three bytes, precedes them.
        let texts_at = data_at + 3 + self.texts.offset();
        for (rest, what, location) in [
            (
                self.moves.get(self.line.at..).unwrap_or_default(),
                "bytes after the end of the moves",
                self.line.here(),
            ),
            (
                self.texts.rest(),
                "a text that no comment refers to",
                record_start.plus(texts_at as u64),
            ),
            (
                self.data.rest(),
                "data that no mark refers to",
                record_start.plus(data_at as u64),
            ),
        ] {
            if !rest.is_empty() {
                let result = self
                    .line
                    .say(Severity::Lost, ErrorKind::Structure(what), location);
                Stop::into_result(result)?;
            }
        }
        if self.next_time.is_some() {
            let kind = ErrorKind::Structure("times after the last move");
            let location = record_start.plus(data_at as u64);
            Stop::into_result(self.line.say(Severity::Lost, kind, location))?;
        }
        Ok(())
    }
}
