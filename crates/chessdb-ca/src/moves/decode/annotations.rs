//! Decoding of comments, symbols, diagrams and evaluations.

use chessdb_core::annotation::continue_comment;
use chessdb_core::commands::{Eval, EvalValue};
use chessdb_core::line::Step;
use chessdb_core::model::Place;
use chessdb_core::text::TextId;

use super::Decoder;
use crate::extras::{self, extra};
use crate::raw::{Comment, Envelope, Item};
use crate::symbols::{DIAGRAM, is_readable, nag_of_symbol, nag_of_text};

impl<'d> Decoder<'d, '_, '_> {
    /// Handles a comment or the unknown code 233.
    pub(super) fn annotation(&mut self, item: Item<'d>, offset: usize) -> Step {
        let run_open = std::mem::take(&mut self.run_open);
        let comment = match item {
            Item::Comment(comment) => comment,
            Item::Unknown(byte) => return self.put_extra(extras::UNKNOWN_CODE, &[byte], run_open),
            _ => return Ok(()),
        };
        // A comment of length 0 has no type.
        let Some((kind, payload)) = comment.parts() else {
            return Ok(());
        };
        let begun = self.line.last.is_some();
        match kind {
            // These wait for the next move: the variations of the last one come first in the model.
            3 if begun || nag_of_symbol(payload, self.source.guesses.symbols).is_some() => {
                self.comments_before.push(offset);
                self.run_open = run_open;
            }
            5 | 9 if begun => {
                self.comments_before.push(offset);
                self.run_open = run_open;
            }
            3 => self.put_extra(extras::SYMBOL_BEFORE, payload, run_open)?,
            5 => self.text(payload, Place::Before, run_open)?,
            9 => self.diagram_before(payload)?,
            2 => match nag_of_symbol(payload, self.source.guesses.symbols) {
                Some(nag) => self.put_nags(&[nag])?,
                None => self.put_extra(2, payload, run_open)?,
            },
            4 => self.text_after(comment, payload, run_open)?,
            8 => {
                self.put_nags(&[DIAGRAM])?;
                if !payload.is_empty() {
                    self.put_extra(extras::DIAGRAM_AFTER, payload, true)?;
                }
            }
            29 => self.evaluation(payload, run_open)?,
            _ if is_readable(kind, payload) => {
                self.put_extra(kind.into(), payload, run_open)?;
                self.run_open = false;
                // The text of the comment that begins with the bytes.
                self.text(payload, self.reader.place(), true)?;
            }
            _ => self.put_extra(kind.into(), payload, run_open)?,
        }
        Ok(())
    }

    /// Handles a text after the last move. Before the first move it belongs to the start of the
    /// line.
    fn text_after(&mut self, comment: Comment<'_>, text: &[u8], run_open: bool) -> Step {
        // This crate writes the text `$14` that is no NAG in the long envelope (section 11).
        if self.source.has_nag_texts
            && comment.envelope != Envelope::Long
            && let Some(nag) = nag_of_text(text)
        {
            return self.put_nags(&[nag]);
        }
        self.text(text, self.reader.place(), run_open)
    }

    /// Appends a text. If `run_open`, it is the rest of a comment that begins with the preceding
    /// commands; an empty text then only ends that comment.
    fn text(&mut self, text: &[u8], place: Place, run_open: bool) -> Step {
        let charset = self.source.detector.page_of(text);
        if !run_open {
            return self.reader.comment(text, charset, place);
        }
        if text.is_empty() {
            return self.end_command(place);
        }
        if !self.reader.has_room(text.len())? {
            return Ok(());
        }
        self.reader.check_text(text)?;
        self.reader
            .note(|tape, texts| continue_comment(text, charset, place, texts, tape))
    }

    /// Ends a comment that consists of commands only.
    fn end_command(&mut self, place: Place) -> Step {
        self.reader
            .note(|tape, _| tape.comment(place, TextId::NONE))
    }

    fn ends_with_command(&self) -> bool {
        self.reader.tape().ends_with_command()
    }

    /// Handles an evaluation, type 29 (section 11): hundredths of a pawn, then `FF 00`, then
    /// optionally `CAP`.
    fn evaluation(&mut self, payload: &[u8], run_open: bool) -> Step {
        let (low, high, tail) = match *payload {
            [low, high, ref tail @ ..] if matches!(tail.len(), 2 | 5) => (low, high, tail),
            _ => return self.put_extra(29, payload, run_open),
        };
        self.begin_command(run_open)?;
        let value = EvalValue::Centipawns(i16::from_le_bytes([low, high]).into());
        self.reader
            .note(|tape, _| tape.eval(Eval { value, depth: None }))?;
        if tail != [0xFF, 0] {
            self.put_extra(extras::EVAL_TAIL, tail, true)?;
        }
        self.run_open = true;
        Ok(())
    }

    /// Appends a diagram before a move. In the model it comes after the preceding move, which
    /// reaches the same position.
    fn diagram_before(&mut self, payload: &[u8]) -> Step {
        self.put_nags(&[DIAGRAM])?;
        self.put_extra(extras::DIAGRAM_BEFORE, payload, true)
    }

    /// Appends the comments that waited for the next move and returns the NAGs that go after that
    /// move. Without a next move, everything goes after the last one.
    #[inline]
    pub(super) fn put_comments_before(&mut self, has_move: bool) -> Step<Vec<u16>> {
        if self.comments_before.len() == self.line.before {
            return Ok(Vec::new());
        }
        self.put_some_comments_before(has_move)
    }

    fn put_some_comments_before(&mut self, has_move: bool) -> Step<Vec<u16>> {
        let mut nags = Vec::new();
        let begun = self.line.last.is_some();
        self.run_open = false;
        if self.ends_with_command() {
            // The commands belong to the last move, not to what follows.
            self.end_command(Place::After)?;
        }
        for n in self.line.before..self.comments_before.len() {
            let offset = self.comments_before.get(n).copied().unwrap_or(usize::MAX);
            let bytes = self.source.body.get(offset..).unwrap_or_default();
            let Ok((Item::Comment(comment), _)) = Item::parse(bytes) else {
                continue;
            };
            let Some((kind, payload)) = comment.parts() else {
                continue;
            };
            let run_open = std::mem::take(&mut self.run_open);
            match kind {
                5 if has_move || !begun => {
                    self.text(payload, Place::Before, run_open)?;
                    let first = n == self.line.before && begun && !self.line.varied;
                    if first && self.ends_with_command() {
                        // Commands alone would count as coming after the last move.
                        self.end_command(Place::Before)?;
                    }
                }
                5 => self.text(payload, Place::After, run_open)?,
                9 => self.diagram_before(payload)?,
                _ => match nag_of_symbol(payload, self.source.guesses.symbols) {
                    // The extra that states the number of NAGs has one byte.
                    Some(nag) if has_move && nags.len() < 255 => nags.push(nag),
                    _ => self.put_extra(extras::SYMBOL_BEFORE, payload, run_open)?,
                },
            }
        }
        self.comments_before.truncate(self.line.before);
        if !nags.is_empty() {
            let run_open = self.run_open;
            self.put_extra(extras::NAGS_BEFORE, &[nags.len() as u8], run_open)?;
        }
        Ok(nags)
    }

    pub(super) fn put_nags(&mut self, nags: &[u16]) -> Step {
        nags.iter().try_for_each(|&nag| self.reader.nag(nag))
    }

    /// Ends a comment of commands if the next command does not belong to it.
    fn begin_command(&mut self, run_open: bool) -> Step {
        if run_open || !self.ends_with_command() {
            return Ok(());
        }
        self.end_command(self.reader.place())
    }

    /// Appends an extra, as part of the comment before it if `run_open`.
    fn put_extra(&mut self, field: u16, bytes: &[u8], run_open: bool) -> Step {
        self.begin_command(run_open)?;
        self.run_open = true;
        self.reader.note(|tape, _| tape.extra(extra(field, bytes)))
    }
}
