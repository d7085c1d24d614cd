//! The annotations of a record under construction (docs/formats/cbh.md, sections 7 and 8).

use chessdb_core::annotation::CommentRun;
use chessdb_core::commands::{Clock, ClockKind, Eval, EvalValue, MAX_SHAPES, Shape, ShapeColor};
use chessdb_core::loss::TextLoss;
use chessdb_core::model::{Extra, Place, Token};
use chessdb_core::sorting::sort_by_key;
use chessdb_core::text::whole_characters;
use chessdb_core::{Game, Text};

use super::read_annotations::{
    ARROWS, EVALUATION, SQUARES, SYMBOLS, TEXT, TEXT_BEFORE, TIME_SPENT, is_kept,
};
use crate::extras::{self, FORMAT};
use crate::raw::Annotation;
use crate::text::TextEncoder;

/// The object that an annotation belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoteTarget {
    /// The game.
    Game,
    /// A move, by its index in the tree.
    Move(u32),
    /// The next move.
    Next,
}

impl NoteTarget {
    /// Returns the place at which texts of the target are read.
    pub(super) const fn usual(self) -> Place {
        match self {
            NoteTarget::Move(_) => Place::After,
            NoteTarget::Game | NoteTarget::Next => Place::Before,
        }
    }
}

/// The maximum size of an annotation's content in bytes.
const MOST: usize = u16::MAX as usize - Annotation::HEADER;

/// Returns the flag of an annotation type in the index (section 3).
const fn flag(kind: u8) -> u32 {
    let bit = match kind {
        TEXT_BEFORE => TEXT,
        VIDEO => 18,
        0x02..=0x05 | 0x07..=0x09 | 0x10 | 0x11 | 0x13..=0x1A | 0x1C => kind,
        _ => return 0,
    };
    1 << bit
}

#[derive(Clone, Copy, Debug)]
struct PendingNote {
    target: NoteTarget,
    kind: u8,
    start: usize,
    end: usize,
}

/// The annotations of a game in their original order.
#[derive(Default, Debug)]
pub(super) struct AnnotationBuilder {
    notes: Vec<PendingNote>,
    bytes: Vec<u8>,
    run: CommentRun,
    sorted: Vec<(i32, PendingNote)>,
}

/// The result of writing a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenText {
    /// The index of the annotation.
    pub(super) note: usize,
    pub(super) change: TextLoss,
}

impl AnnotationBuilder {
    pub(super) fn clear(&mut self) {
        self.notes.clear();
        self.bytes.clear();
    }

    /// Returns the number of annotations so far.
    pub(super) fn len(&self) -> usize {
        self.notes.len()
    }

    /// Removes all annotations except the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        if let Some(first) = self.notes.get(len) {
            self.bytes.truncate(first.start);
            self.notes.truncate(len);
        }
    }

    /// Adds an annotation with the content of the buffer from `start` on.
    fn push(&mut self, target: NoteTarget, kind: u8, start: usize) {
        let end = self.bytes.len();
        self.notes.push(PendingNote {
            target,
            kind,
            start,
            end,
        });
    }

    /// Adds a symbol. Each annotation holds up to three symbols: on the move, on the position, and
    /// a prefix of the move.
    pub(super) fn nag(&mut self, target: NoteTarget, nag: u8) {
        let position = slot(nag);
        let end = self.bytes.len();
        // Symbols share an annotation as long as each next one has a later slot (section 20).
        let last = self.notes.last_mut().filter(|last| {
            last.target == target
                && last.kind == SYMBOLS
                && last.end == end
                && end - last.start <= position
        });
        let start = last.as_ref().map_or(end, |last| last.start);
        self.bytes.resize(start + position, 0);
        self.bytes.push(nag);
        match last {
            Some(last) => last.end = self.bytes.len(),
            None => self.push(target, SYMBOLS, start),
        }
    }

    /// Adds a command as the annotation that is read back as the same command. Returns false if
    /// there is none.
    pub(super) fn command(&mut self, target: NoteTarget, command: Token<'_>) -> bool {
        let start = self.bytes.len();
        let kind = match command {
            Token::Clock(clock) => self.time_spent(clock),
            Token::Eval(eval) => self.evaluation(eval),
            Token::Shapes(shapes) => self.shapes(shapes),
            Token::Extra(extra) => self.extra(extra),
            _ => None,
        };
        match kind {
            Some(kind) => self.push(target, kind, start),
            None => self.bytes.truncate(start),
        }
        kind.is_some()
    }

    fn time_spent(&mut self, clock: Clock) -> Option<u8> {
        let hundredths = clock.milliseconds / 10;
        // Other clocks and finer times would not come back the same.
        if clock.kind != ClockKind::Elapsed || hundredths * 10 != clock.milliseconds {
            return None;
        }
        let hours = u8::try_from(hundredths / 360_000).ok()?;
        let rest = [
            hundredths / 6000 % 60,
            hundredths / 100 % 60,
            hundredths % 100,
        ];
        self.bytes.push(hours);
        self.bytes.extend(rest.map(|part| part as u8));
        Some(TIME_SPENT)
    }

    fn evaluation(&mut self, eval: Eval) -> Option<u8> {
        let (kind, value) = match eval.value {
            EvalValue::Centipawns(value) => (0, value),
            EvalValue::Mate(moves) => (1, moves),
            EvalValue::WinDraw { .. } => return None,
        };
        let depth = u8::try_from(eval.depth?).ok()?;
        let [a, b] = i16::try_from(value).ok()?.to_le_bytes();
        self.bytes.extend([a, b, kind, 0, depth, 0]);
        Some(EVALUATION)
    }

    fn shapes(&mut self, shapes: &[Shape]) -> Option<u8> {
        let (first, rest) = shapes.split_first()?;
        // The reader accepts shapes of one kind, and no more than this.
        let is_arrow = first.to.is_some();
        if rest.len() >= MAX_SHAPES || rest.iter().any(|shape| shape.to.is_some() != is_arrow) {
            return None;
        }
        for shape in shapes {
            self.bytes.push(color_number(shape.color)?);
            let squares = [Some(shape.from), shape.to].into_iter().flatten();
            self.bytes.extend(squares.map(|square| square.index() + 1));
        }
        Some(if is_arrow { ARROWS } else { SQUARES })
    }

    fn extra(&mut self, extra: &Extra) -> Option<u8> {
        let kind = u8::try_from(extra.field).ok()?;
        let bytes = &extra.bytes;
        // Content that reads as something else would not come back as an extra.
        if extra.format != FORMAT || bytes.len() > MOST || !is_kept(kind, bytes) {
            return None;
        }
        self.bytes.extend_from_slice(bytes);
        Some(kind)
    }

    /// Adds commands and the text that follows them as one text. The first command may describe the
    /// text.
    pub(super) fn text(
        &mut self,
        target: NoteTarget,
        commands: &[Token<'_>],
        text: Option<Text<'_>>,
        game: &Game,
        texts: &TextEncoder,
    ) -> WrittenText {
        let has_text = text.is_some_and(|text| !text.is_empty());
        let first = commands.split_first().filter(|_| has_text);
        let description = first.and_then(|(first, rest)| Some((about(target, *first)?, rest)));
        let usual = match target {
            NoteTarget::Next => TEXT_BEFORE,
            NoteTarget::Game | NoteTarget::Move(_) => TEXT,
        };
        let ((kind, target, header), commands) =
            description.unwrap_or(((usual, target, [0; 2]), commands));
        let start = self.bytes.len();
        self.bytes.extend(header);
        self.run.clear();
        for command in commands {
            self.run.command(&command.event(&game.texts));
        }
        let whole = match text {
            Some(text) => Some(self.run.with_text(text)),
            None => self.run.take(),
        };
        let mut change = TextLoss::default();
        if let Some(whole) = whole {
            change.replaced = texts.put_comment(whole, &mut self.bytes);
        }
        let stored = self.bytes.get(start..).unwrap_or_default();
        let length = whole_characters(stored, MOST);
        if start + length < self.bytes.len() {
            self.bytes.truncate(start + length);
            change.cut = true;
        }
        self.push(target, kind, start);
        WrittenText {
            note: self.notes.len() - 1,
            change,
        }
    }

    /// Assigns a text that waited for a move to this one.
    pub(super) fn attach_before(&mut self, note: usize, node: u32) {
        self.change(note, |note| note.target = NoteTarget::Move(node));
    }

    /// Assigns a text that waited for a move to the previous move, because no further move follows.
    pub(super) fn attach_after(&mut self, note: usize, node: u32) {
        self.change(note, |note| {
            note.kind = TEXT;
            note.target = NoteTarget::Move(node);
        });
    }

    /// Assigns a text that waited for a move to the game, because the game has no moves.
    pub(super) fn attach_to_game(&mut self, note: usize) {
        self.change(note, |note| note.target = NoteTarget::Game);
    }

    fn change(&mut self, note: usize, change: impl FnOnce(&mut PendingNote)) {
        if let Some(note) = self.notes.get_mut(note) {
            change(note);
        }
    }

    /// Writes the annotations in the order of their moves. Returns their number, and their flags
    /// and magnitudes in the index (section 3).
    pub(super) fn write(&mut self, numbers: &[u32], out: &mut Vec<u8>) -> (u32, u32, u16) {
        if self.notes.is_empty() {
            return (0, 0, 0);
        }
        self.sorted.clear();
        self.sorted.extend(self.notes.iter().filter_map(|note| {
            let position = match note.target {
                NoteTarget::Game => -1,
                NoteTarget::Move(node) => *numbers.get(node as usize)? as i32,
                NoteTarget::Next => return None,
            };
            Some((position, *note))
        }));
        // The sort is stable, so annotations of a move keep their order.
        sort_by_key(&mut self.sorted, |(position, _)| *position);
        let mut flags = 0;
        let mut text = 0;
        for &(
            position,
            PendingNote {
                kind, start, end, ..
            },
        ) in &self.sorted
        {
            let data = self.bytes.get(start..end).unwrap_or_default();
            Annotation {
                position,
                kind,
                data,
                offset: 0,
            }
            .write(out);
            if matches!(kind, TEXT | TEXT_BEFORE) {
                text += data.len().saturating_sub(2);
            }
            flags |= flag(kind);
        }
        let count = |wanted: u8| {
            self.sorted
                .iter()
                .filter(|(_, note)| note.kind == wanted)
                .count()
        };
        // The thresholds of ChessBase 9 and later (section 3).
        let mut magnitudes = u16::from(text > 200) << 2;
        for (kind, bit, least) in [
            (SYMBOLS, 3, 10),
            (SQUARES, 4, 10),
            (ARROWS, 5, 6),
            (TIME_SPENT, 7, 10),
            (TRAINING, 9, 6),
        ] {
            magnitudes |= u16::from(count(kind) >= least) << bit;
        }
        (self.sorted.len() as u32, flags, magnitudes)
    }
}

/// The type of training questions.
const TRAINING: u8 = 0x09;
/// The type of videos, the only one with a flag that is not the bit of its number.
const VIDEO: u8 = 0x20;

/// Returns which of the three symbols of an annotation a NAG is (section 8.1).
const fn slot(nag: u8) -> usize {
    match nag {
        1..=9 | 22 | 23 => 0,
        140..=145 => 2,
        _ => 1,
    }
}

/// Returns the description of a text contained in an extra before it, if the extra is read back the
/// same: the type of the annotation, its target, and its first two bytes.
pub(super) fn about(target: NoteTarget, command: Token<'_>) -> Option<(u8, NoteTarget, [u8; 2])> {
    let Token::Extra(extra) = command else {
        return None;
    };
    let header = match *extra.bytes {
        [language] => [0, language],
        [language, first] if first > 0 => [first, language],
        _ => return None,
    };
    let is_needed = header != [0; 2];
    let description = match (extra.field, target) {
        (extras::TEXT, NoteTarget::Game | NoteTarget::Move(_)) if is_needed => {
            (TEXT, target, header)
        }
        (extras::TEXT_BEFORE, NoteTarget::Game) => (TEXT_BEFORE, NoteTarget::Next, header),
        (extras::TEXT_BEFORE, NoteTarget::Next) if is_needed => (TEXT_BEFORE, target, header),
        (extras::TEXT_BEFORE_GAME, NoteTarget::Game) => (TEXT_BEFORE, target, header),
        _ => return None,
    };
    (extra.format == FORMAT).then_some(description)
}

/// Returns the number of a color. The letter determines it, unless that is the letter of another
/// number.
fn color_number(color: ShapeColor) -> Option<u8> {
    match color {
        ShapeColor::GREEN => Some(2),
        ShapeColor::YELLOW => Some(3),
        ShapeColor::RED => Some(4),
        color => match color.letter().checked_sub(b'A')? {
            2..=4 => None,
            number => Some(number),
        },
    }
}
