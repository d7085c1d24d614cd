//! The annotations of a game, by the moves that they belong to (docs/formats/cbh.md, sections 7 and
//! 8).

use chessdb_core::annotation::continue_comment;
use chessdb_core::commands::{Clock, ClockKind, Eval, EvalValue, MAX_SHAPES, Shape, ShapeColor};
use chessdb_core::error::Location;
use chessdb_core::line::{LineReader, LineTracker, Step};
use chessdb_core::model::{Place, Token};
use chessdb_core::report::GameReport;
use chessdb_core::sorting::sort_by_key;
use chessdb_core::text::TextId;
use chessdb_core::{ErrorKind, Game, ReadOptions, Result, Scratch, Square};

use super::read_lines::StoredLines;
use super::tape::PlyTracker;
use crate::extras::{self, extra, extra_2cbh};
use crate::raw::{Annotation, AnnotationRecord};
use crate::text::TextCharsets;

// Types (section 8.1).
pub(super) const TEXT: u8 = 0x02;
pub(super) const TEXT_BEFORE: u8 = 0x82;
pub(super) const SYMBOLS: u8 = 0x03;
pub(super) const SQUARES: u8 = 0x04;
pub(super) const ARROWS: u8 = 0x05;
pub(super) const TIME_SPENT: u8 = 0x07;
pub(super) const EVALUATION: u8 = 0x21;

/// The position of annotations that belong to the game.
const GAME: i32 = -1;

/// An annotation of a game of either format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredNote<'a> {
    /// The annotation in the form of .cba.
    pub(crate) note: Annotation<'a>,
    /// The field of an annotation that only 2CBH understands.
    pub(crate) only_2cbh: Option<u16>,
}

impl<'a> From<Annotation<'a>> for StoredNote<'a> {
    fn from(note: Annotation<'a>) -> StoredNote<'a> {
        StoredNote {
            note,
            only_2cbh: None,
        }
    }
}

/// The annotations of a game, sorted by position.
#[derive(Clone, Debug)]
pub(crate) struct GameAnnotations<'a> {
    list: Vec<StoredNote<'a>>,
    charsets: TextCharsets,
}

impl<'a> GameAnnotations<'a> {
    /// Returns an empty list of annotations.
    pub(crate) fn none(charsets: TextCharsets) -> GameAnnotations<'a> {
        GameAnnotations {
            list: Vec::new(),
            charsets,
        }
    }

    /// Reads the annotations of a record. Annotations of moves after the last one are moved to the
    /// last move of the mainline; if moves are missing, these annotations are lost with them.
    ///
    /// # Errors
    ///
    /// Returns an error for the first deviation from the format page in strict mode.
    pub(crate) fn read(
        record: &AnnotationRecord<'a>,
        number: u32,
        lines: &StoredLines<'_>,
        charsets: TextCharsets,
        location: Location,
        report: &mut GameReport<'_>,
    ) -> Result<GameAnnotations<'a>> {
        // A genuine database has the game 0 throughout (section 7), so nothing is dropped.
        if record.game != number || record.mark != AnnotationRecord::MARK {
            let kind = ErrorKind::mismatch(
                "the game of the annotations",
                record.game.into(),
                number.into(),
            );
            report.note(kind, location)?;
        }
        let mut annotations = record.annotations();
        let list: Vec<StoredNote<'a>> = (&mut annotations).map(StoredNote::from).collect();
        let body = location.plus(AnnotationRecord::HEADER as u64);
        let cut = record.size as usize != record.len();
        if cut || !annotations.rest().is_empty() {
            let kind = ErrorKind::truncated(
                "an annotation",
                record.size.into(),
                (record.len() - annotations.rest().len()) as u64,
            );
            report.lost(kind, location)?;
        }
        let expected = list.len() as u64 + 1;
        if u64::from(record.count) != expected {
            let kind = ErrorKind::mismatch(
                "the number of annotations plus one",
                record.count.into(),
                expected,
            );
            report.note(kind, location)?;
        }
        GameAnnotations::attach(list, lines, charsets, body, report)
    }

    /// Attaches annotations to moves, by positions in stored order. Annotations of moves after the
    /// last one are moved to the last move of the mainline; if moves are missing, these annotations
    /// are lost with them. The annotations begin at `body`.
    ///
    /// # Errors
    ///
    /// Returns an error for a position without a move in strict mode.
    pub(crate) fn attach(
        mut list: Vec<StoredNote<'a>>,
        lines: &StoredLines<'_>,
        charsets: TextCharsets,
        body: Location,
        report: &mut GameReport<'_>,
    ) -> Result<GameAnnotations<'a>> {
        for StoredNote {
            note: annotation, ..
        } in &mut list
        {
            let location = body.plus(annotation.offset as u64);
            let position = i64::from(annotation.position);
            if (-1..i64::from(lines.len())).contains(&position) {
                continue;
            }
            let kind = ErrorKind::bad_field(
                "the move of an annotation",
                u64::from(annotation.position as u32),
            );
            let last = i64::from(lines.plies()) - 1;
            // With complete moves only the position is wrong. Otherwise the annotation may belong
            // to a missing move.
            if position < -1 || lines.complete {
                annotation.position = if position < -1 { GAME } else { last as i32 };
                report.repaired(kind, location)?;
            } else {
                report.lost(kind, location)?;
            }
        }
        // The sort is stable: the order at a position has a meaning (section 7).
        sort_by_key(&mut list, |stored| stored.note.position);
        Ok(GameAnnotations { list, charsets })
    }

    /// Returns the annotations of a move.
    fn of_move(&self, position: i32) -> &[StoredNote<'a>] {
        if self.list.is_empty() {
            return &[];
        }
        let start = self
            .list
            .partition_point(|stored| stored.note.position < position);
        let rest = self.list.get(start..).unwrap_or_default();
        let length = rest.partition_point(|stored| stored.note.position == position);
        rest.get(..length).unwrap_or_default()
    }

    /// Adds the annotations of the game to the tape.
    pub(super) fn game<L: LineTracker>(&self, line: &mut LineReader<'_, '_, L>) -> Step {
        self.put_all(self.of_move(GAME), |_| true, line)
    }

    /// Adds the texts before a move to the tape. `after_variation` is true if a variation precedes
    /// the move.
    #[inline]
    pub(super) fn before<L: LineTracker>(
        &self,
        number: u32,
        after_variation: impl Fn() -> bool,
        line: &mut LineReader<'_, '_, L>,
    ) -> Step {
        if self.list.is_empty() {
            return Ok(());
        }
        let notes = self.of_move(number as i32);
        if line.tape().ends_with_command() && notes.iter().any(is_before_move) {
            // The commands belong to the move before, not to this text.
            let at_start = line.lines().ply() == 0 && line.lines().depth() == 0;
            let place = if at_start { Place::Before } else { Place::After };
            line.note(|tape, _| tape.comment(place, TextId::NONE))?;
        }
        self.put_all(notes, is_before_move, line)?;
        let ends = line.tape().ends_with_command() && notes.iter().any(is_before_move);
        if ends && !line.lines().at_line_start() && !after_variation() {
            // Commands alone would be read as belonging to the move before.
            line.note(|tape, _| tape.comment(Place::Before, TextId::NONE))?;
        }
        Ok(())
    }

    /// Adds the annotations after a move to the tape.
    #[inline]
    pub(super) fn after<L: LineTracker>(
        &self,
        number: u32,
        line: &mut LineReader<'_, '_, L>,
    ) -> Step {
        if self.list.is_empty() {
            return Ok(());
        }
        self.put_all(
            self.of_move(number as i32),
            |note| !is_before_move(note),
            line,
        )
    }

    /// Adds NAGs first, then commands, then texts, so that a move has one comment that begins with
    /// its commands. Otherwise the order is preserved.
    fn put_all<L: LineTracker>(
        &self,
        notes: &[StoredNote<'a>],
        wanted: fn(&StoredNote<'_>) -> bool,
        line: &mut LineReader<'_, '_, L>,
    ) -> Step {
        for rank in [Rank::Nags, Rank::Command, Rank::Text] {
            let selected = notes
                .iter()
                .copied()
                .filter(|note| wanted(note) && Rank::new(note) == rank);
            for (n, note) in selected.enumerate() {
                if n > 0 && rank == Rank::Text && line.tape().ends_with_command() {
                    // The text before this one consisted of commands only and ends here.
                    let at_move = place(&note.note);
                    line.note(|tape, _| tape.comment(at_move, TextId::NONE))?;
                }
                match note.only_2cbh {
                    Some(field) => {
                        line.note(|tape, _| tape.extra(extra_2cbh(field, note.note.data)))?;
                    }
                    None => self.put(note.note, line)?,
                }
            }
        }
        Ok(())
    }

    fn put<L: LineTracker>(&self, note: Annotation<'a>, line: &mut LineReader<'_, '_, L>) -> Step {
        match (note.kind, note.data) {
            (TEXT | TEXT_BEFORE, [first, language, text @ ..]) if !text.is_empty() => {
                self.text(note, [*language, *first], text, line)
            }
            // Zeros alone are no symbols; as bytes they come back.
            (SYMBOLS, nags @ ([_] | [_, _] | [_, _, _])) if nags.iter().any(|nag| *nag != 0) => {
                nags.iter()
                    .filter(|nag| **nag != 0)
                    .try_for_each(|nag| line.nag((*nag).into()))
            }
            (SQUARES, data) => self.shapes(note, data.chunks(2), line),
            (ARROWS, data) => self.shapes(note, data.chunks(3), line),
            // Larger parts would be written back differently.
            (TIME_SPENT, &[hours, minutes @ ..60, seconds @ ..60, hundredths @ ..100]) => {
                let [hours, minutes, seconds] = [hours, minutes, seconds].map(u32::from);
                let seconds = (hours * 60 + minutes) * 60 + seconds;
                let clock = Clock {
                    kind: ClockKind::Elapsed,
                    milliseconds: seconds * 1000 + u32::from(hundredths) * 10,
                };
                line.note(|tape, _| tape.clock(clock))
            }
            (EVALUATION, &[a, b, kind @ ..=1, 0, depth, 0]) => {
                let value = i32::from(i16::from_le_bytes([a, b]));
                let value = match kind {
                    0 => EvalValue::Centipawns(value),
                    _ => EvalValue::Mate(value),
                };
                let eval = Eval {
                    value,
                    depth: Some(depth.into()),
                };
                line.note(|tape, _| tape.eval(eval))
            }
            _ => self.keep_as_extra(note, line),
        }
    }

    /// Keeps an annotation that the model cannot represent as an extra.
    fn keep_as_extra<L: LineTracker>(
        &self,
        note: Annotation<'a>,
        line: &mut LineReader<'_, '_, L>,
    ) -> Step {
        line.note(|tape, _| tape.extra(extra(note.kind.into(), note.data)))
    }

    /// Adds a text. If necessary an extra precedes it with its language, and with the information
    /// that it belongs to the first move rather than to the game.
    fn text<L: LineTracker>(
        &self,
        note: Annotation<'a>,
        about: [u8; 2],
        text: &[u8],
        line: &mut LineReader<'_, '_, L>,
    ) -> Step {
        if !line.has_room(text.len())? {
            return Ok(());
        }
        let before = note.kind == TEXT_BEFORE;
        let at_start = line.lines().ply() == 0 && line.lines().depth() == 0;
        if about != [0; 2] || before && at_start {
            let field = match (before, note.position) {
                (false, _) => extras::TEXT,
                (true, GAME) => extras::TEXT_BEFORE_GAME,
                (true, _) => extras::TEXT_BEFORE,
            };
            let about: &[u8] = match &about {
                [language, 0] => &[*language],
                about => about,
            };
            line.note(|tape, _| tape.extra(extra(field, about)))?;
        }
        let at_move = place(&note);
        let charset = self.charsets.of_comment(text);
        line.note(|tape, texts| continue_comment(text, charset, at_move, texts, tape))
    }

    /// Adds squares or arrows.
    fn shapes<'n, L: LineTracker>(
        &self,
        note: Annotation<'a>,
        items: impl Iterator<Item = &'n [u8]>,
        line: &mut LineReader<'_, '_, L>,
    ) -> Step {
        // An array on the stack saves an allocation for each annotation.
        let mut shapes = [Shape {
            color: ShapeColor::GREEN,
            from: Square::new_masked(0),
            to: None,
        }; MAX_SHAPES];
        let mut count = 0;
        for item in items {
            let parsed = shape(item, note.kind == ARROWS);
            match (parsed, shapes.get_mut(count)) {
                (Some(shape), Some(place)) => *place = shape,
                // A single unreadable item keeps the whole annotation as bytes.
                _ => return self.keep_as_extra(note, line),
            }
            count += 1;
        }
        match shapes.get(..count) {
            Some(shapes) if count > 0 => line.note(|tape, _| tape.shapes(shapes)),
            _ => self.keep_as_extra(note, line),
        }
    }
}

/// The order in which annotations are added to the tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rank {
    Nags,
    Command,
    Text,
}

impl Rank {
    fn new(stored: &StoredNote<'_>) -> Rank {
        let note = &stored.note;
        match note.kind {
            _ if stored.only_2cbh.is_some() => Rank::Command,
            SYMBOLS => Rank::Nags,
            // A text without content is kept as bytes.
            TEXT | TEXT_BEFORE if note.data.len() > 2 => Rank::Text,
            _ => Rank::Command,
        }
    }
}

/// Returns the place of a text.
fn place(note: &Annotation<'_>) -> Place {
    if note.kind == TEXT_BEFORE || note.position == GAME {
        Place::Before
    } else {
        Place::After
    }
}

/// Returns true if the model cannot represent an annotation, so that it is read as an extra.
pub(super) fn is_kept(kind: u8, data: &[u8]) -> bool {
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let options = ReadOptions::default();
    let mut report = GameReport::new(&options, &mut scratch, None);
    let place = Location::default();
    let mut line = LineReader::new(PlyTracker::default(), &mut game, &mut report, place);
    let note = Annotation {
        position: GAME,
        kind,
        data,
        offset: 0,
    };
    // The reader itself decides, so that reader and writer always agree.
    let put = GameAnnotations::none(TextCharsets::new(&options)).put(note, &mut line);
    line.finish();
    let first = game.moves.tokens().next();
    put.is_ok() && matches!(first, Some(Token::Extra(extra)) if extra.field == u16::from(kind))
}

/// Returns true for a text before a move.
fn is_before_move(stored: &StoredNote<'_>) -> bool {
    stored.note.kind == TEXT_BEFORE && Rank::new(stored) == Rank::Text
}

/// Parses a colored square or an arrow. Squares are numbered from 1.
fn shape(item: &[u8], is_arrow: bool) -> Option<Shape> {
    let square = |byte: &u8| Square::new(byte.checked_sub(1)?);
    let (color, from, to) = match item {
        [color, from] if !is_arrow => (color, from, None),
        [color, from, to] if is_arrow => (color, from, Some(square(to)?)),
        _ => return None,
    };
    Some(Shape {
        color: color_of(*color)?,
        from: square(from)?,
        to,
    })
}

/// Returns the color with this number. Unknown colors get the letters from A on.
fn color_of(number: u8) -> Option<ShapeColor> {
    match number {
        2 => Some(ShapeColor::GREEN),
        3 => Some(ShapeColor::YELLOW),
        4 => Some(ShapeColor::RED),
        // 6, 17 and 24 would have the letters of green, red and yellow.
        number @ (0..=1 | 5 | 7..=16 | 18..=23 | 25) => ShapeColor::from_letter(b'A' + number),
        _ => None,
    }
}
