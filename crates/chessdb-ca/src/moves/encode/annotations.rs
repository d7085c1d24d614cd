//! Encoding of comments, symbols, diagrams and evaluations.

use chessdb_core::commands::{self, EvalValue};
use chessdb_core::model::{Extra, Place};
use chessdb_core::{Charset, Event, LossKind, Text};

use super::{Detail, GameEncoder};
use crate::extras;
use crate::raw::{Comment, code};
use crate::symbols::{
    DIAGRAM, is_readable, nag_of_symbol, nag_of_text, put_nag_text, symbol_of_nag,
};

/// The end of a comment that may begin with commands.
#[derive(Clone, Copy)]
pub(super) enum CommentEnd<'g> {
    /// The comment ends with a text.
    Text(Place, Text<'g>),
    /// The comment ends with an end mark. The second value is the place of the comment that the
    /// following commands belong to.
    Mark(Place, Option<Place>),
    /// Something else follows.
    None,
}

impl<'g> GameEncoder<'_, 'g> {
    pub(super) fn nag(&mut self, nag: u16, diagram: Option<Event<'_>>) {
        if let Some(Event::Extra(Extra {
            field: extras::DIAGRAM_BEFORE,
            bytes,
            ..
        })) = diagram
        {
            self.begin_before();
            Comment::put(9, bytes, self.out);
            self.run_open = true;
            return;
        }
        // It is read directly after its move: before the variations and what waits for the next
        // move.
        if self.line.after_variation || self.line.next_at.is_some() && self.line.begun {
            self.lose(LossKind::NagMoved);
        }
        self.run_open = false;
        let symbol = symbol_of_nag(nag, self.guesses.symbols);
        let due = std::mem::take(&mut self.line.nags_due);
        match (symbol, diagram) {
            (Some(symbol), _) if due > 0 => {
                // Type 3 precedes mark and code of its move, which have already been written.
                let mut before = Vec::with_capacity(5);
                Comment::put(3, symbol, &mut before);
                let length = before.len();
                self.out
                    .splice(self.line.code_at..self.line.code_at, before);
                self.line.code_at += length;
                self.line.nags_due = due - 1;
            }
            (Some(symbol), _) => Comment::put(2, symbol, self.out),
            (None, Some(Event::Extra(extra))) => {
                Comment::put(8, &extra.bytes, self.out);
                self.run_open = true;
            }
            (None, _) if nag == DIAGRAM => Comment::put_text(8, &[], self.out),
            (None, _) => {
                let mut text = Vec::with_capacity(6);
                put_nag_text(nag, &mut text);
                Comment::put_text(4, &text, self.out);
            }
        }
    }

    /// Marks that everything from here on belongs before the next move.
    fn begin_before(&mut self) {
        if self.line.next_at.is_none() {
            self.line.next_at = Some(self.out.len());
            self.run_open &= !self.line.begun;
        }
    }

    /// Returns whether further output can no longer be stored after the last move.
    fn is_before(&self) -> bool {
        self.line.after_variation || self.line.next_at.is_some()
    }

    /// Writes the collected commands, and with them as one comment the text that ends them.
    pub(super) fn end_run(&mut self, end: CommentEnd<'g>, next: Option<&Event<'_>>) {
        if self.run.is_empty() && matches!(end, CommentEnd::None) {
            return;
        }
        let mut run = std::mem::take(&mut self.run);
        self.leave_out(&mut run);
        self.line.nags_due = 0;
        let mut rest = run.as_slice();
        let place = match end {
            CommentEnd::Text(place, _) | CommentEnd::Mark(place, _) => Some(place),
            CommentEnd::None => None,
        };
        if place == Some(Place::Before) && self.line.begun {
            self.begin_before();
        }
        // Leading commands that have their own code are written as that code.
        while let [first, tail @ ..] = rest {
            let (next, merged) = match tail {
                [next, after @ ..] if is_tail(first, next) => (Some(next), after),
                _ => (None, tail),
            };
            if let Some(bytes) = readable_extra(first) {
                // Its text follows it; alone it would be read with a text.
                let is_text = matches!(end, CommentEnd::Text(_, text) if text.as_bytes() == bytes);
                if !is_text || !merged.is_empty() || self.is_before() || !self.item(first, None) {
                    break;
                }
                self.run_open = false;
                run.clear();
                self.run = run;
                return;
            }
            if !self.item(first, next) {
                break;
            }
            rest = merged;
        }
        match end {
            CommentEnd::Text(place, text) => self.comment(rest, place, Some(text)),
            _ if !rest.is_empty() => {
                let place =
                    place.unwrap_or(if self.line.begun { Place::After } else { Place::Before });
                self.comment(rest, place, None);
            }
            CommentEnd::Mark(_, becomes) => self.mark_end(next, becomes),
            CommentEnd::None => {}
        }
        run.clear();
        self.run = run;
    }

    /// Drops the commands that the level of detail leaves out.
    fn leave_out(&mut self, run: &mut Vec<Event<'g>>) {
        if self.detail == Detail::All || run.is_empty() {
            return;
        }
        let all = self.detail < Detail::Comments;
        let ply = Some(self.lines.ply());
        run.retain(|event| {
            let kind = match event {
                Event::Eval(_) => LossKind::Eval,
                Event::Extra(extra) if extra.is_of(extras::FORMAT, extras::EVAL_TAIL) => {
                    LossKind::GameExtra
                }
                Event::Extra(_) if all => LossKind::GameExtra,
                Event::Clock(_) if all => LossKind::Clock,
                Event::Shapes(_) if all => LossKind::Shapes,
                _ => return true,
            };
            self.losses.add(kind, ply);
            false
        });
    }

    /// Writes an evaluation or an extra that has its own code. Returns false if it has none here.
    fn item(&mut self, event: &Event<'_>, next: Option<&Event<'_>>) -> bool {
        match event {
            Event::Eval(eval) if !self.is_before() => {
                let EvalValue::Centipawns(value) = eval.value else {
                    return false;
                };
                let (Ok(value), None) = (i16::try_from(value), eval.depth) else {
                    return false;
                };
                let mut payload = value.to_le_bytes().to_vec();
                match next {
                    Some(Event::Extra(tail)) => payload.extend_from_slice(&tail.bytes),
                    _ => payload.extend([0xFF, 0]),
                }
                Comment::put(29, &payload, self.out);
                self.run_open = true;
                true
            }
            // Extras of other formats stay commands in the text.
            Event::Extra(extra) if extra.format == extras::FORMAT => self.extra(extra),
            _ => false,
        }
    }

    fn extra(&mut self, extra: &Extra) -> bool {
        let bytes = &extra.bytes;
        match (extra.field, &**bytes) {
            (extras::NAGS_BEFORE, &[count]) => {
                self.begin_before();
                self.line.nags_before = count;
            }
            (extras::SYMBOL_BEFORE, _) => {
                self.begin_before();
                Comment::put(3, bytes, self.out);
            }
            _ if self.is_before() => return false,
            (extras::UNKNOWN_CODE, &[byte]) => self.out.extend([code::UNKNOWN, byte]),
            (field, _) => match u8::try_from(field) {
                Ok(kind) if self.is_raw(kind, bytes) => Comment::put(kind, bytes, self.out),
                _ => {
                    // It carries no information without the item it belongs to.
                    self.lose(LossKind::GameExtra);
                    return true;
                }
            },
        }
        self.run_open = true;
        true
    }

    /// Returns whether a comment of this type is read back as bytes.
    fn is_raw(&self, kind: u8, payload: &[u8]) -> bool {
        match kind {
            2 => nag_of_symbol(payload, self.guesses.symbols).is_none(),
            29 => !matches!(payload.len(), 4 | 7),
            3..=5 | 8 | 9 => false,
            _ => true,
        }
    }

    /// Writes the end of a comment of commands if a reader would otherwise continue it.
    fn mark_end(&mut self, next: Option<&Event<'_>>, becomes: Option<Place>) {
        let before = self.is_before() || !self.line.begun;
        let merges = match next {
            Some(Event::Comment(place, _)) => *place == Place::After || before,
            // The commands of a comment before the next move are written as the text of that
            // comment, separate from what follows this move.
            Some(event) if event.is_command() && becomes == Some(Place::Before) => before,
            Some(event) => event.is_command() && (before || !is_before_kind(event)),
            None => false,
        };
        if self.run_open && merges {
            let kind = self.text_kind(before);
            Comment::put_text(kind, &[], self.out);
        }
        self.run_open = false;
    }

    /// Returns the type of a text. A text before the first move of a game is written as one after
    /// it, because there is no move that it would have to wait for.
    fn text_kind(&self, before: bool) -> u8 {
        let at_start = !self.line.begun && self.frames.is_empty() && !self.is_before();
        if before && !at_start { 5 } else { 4 }
    }

    /// Writes a comment of commands and text.
    fn comment(&mut self, commands: &[Event<'g>], place: Place, text: Option<Text<'g>>) {
        if self.detail < Detail::Comments {
            self.lose(LossKind::Comment);
            return;
        }
        let (bytes, charset) = match text {
            Some(text) => (text.as_bytes(), text.charset()),
            None => (&[][..], Charset::UTF_8),
        };
        let mut whole = Vec::new();
        let bytes = if commands.is_empty() {
            bytes
        } else {
            commands::render(
                commands.iter().filter_map(Event::command),
                bytes,
                &mut whole,
            );
            &whole
        };
        // Nothing in the rendered commands shows that an empty text followed them.
        if !commands.is_empty() && text.is_some_and(Text::is_empty) {
            self.lose(LossKind::Comment);
        }
        if bytes.is_empty() && self.run_open {
            // The text only ends the comment of the commands before it.
            let kind = self.text_kind(self.is_before() || !self.line.begun);
            Comment::put_text(kind, &[], self.out);
            self.run_open = false;
            return;
        }
        let before = place == Place::Before || self.is_before() || !self.line.begun;
        if place == Place::After && before && text.is_some() {
            if self.line.begun {
                self.line.moved += 1
            } else {
                self.lose(LossKind::CommentMoved)
            }
        }
        if before && self.line.begun {
            self.begin_before();
            self.line.waiting += 1;
        }
        let mut stored = Vec::with_capacity(bytes.len());
        if self.texts.put(Text::new(bytes, charset), &mut stored) {
            self.lose(LossKind::CommentText);
        }
        let kind = self.text_kind(before);
        if kind == 4 && nag_of_text(&stored).is_some() {
            // In a short envelope it would be read as a NAG.
            Comment::put_long(kind, &stored, self.out);
        } else {
            Comment::put_text(kind, &stored, self.out);
        }
        self.run_open = false;
    }
}

/// Returns the bytes of an extra that is read with a text too.
fn readable_extra<'e>(event: &'e Event<'_>) -> Option<&'e [u8]> {
    let Event::Extra(extra) = event else {
        return None;
    };
    let kind = u8::try_from(extra.field).ok()?;
    (extra.format == extras::FORMAT && is_readable(kind, &extra.bytes)).then_some(&extra.bytes)
}

/// Returns whether an event is the second part of a diagram.
pub(super) fn is_diagram(event: &Event<'_>) -> bool {
    let Event::Extra(extra) = event else {
        return false;
    };
    extra.format == extras::FORMAT
        && (extra.field == extras::DIAGRAM_BEFORE
            || extra.field == extras::DIAGRAM_AFTER && !extra.bytes.is_empty())
}

/// Returns whether an event is the second part of the evaluation before it.
fn is_tail(first: &Event<'_>, next: &Event<'_>) -> bool {
    let (Event::Eval(_), Event::Extra(extra)) = (first, next) else {
        return false;
    };
    extra.format == extras::FORMAT
        && extra.field == extras::EVAL_TAIL
        && matches!(extra.bytes.len(), 2 | 5)
        && *extra.bytes != [0xFF, 0]
}

/// Returns whether an extra belongs before the next move.
fn is_before_kind(event: &Event<'_>) -> bool {
    let kinds = [
        extras::NAGS_BEFORE,
        extras::SYMBOL_BEFORE,
        extras::DIAGRAM_BEFORE,
    ];
    matches!(event, Event::Extra(extra)
        if extra.format == extras::FORMAT && kinds.contains(&extra.field))
}
