//! Decoding of NAGs, results and texts between the moves.

use chessdb_core::error::Location;
use chessdb_core::line::{Step, Stop};
use chessdb_core::model::FaultKind;
use chessdb_core::{ErrorKind, Result};

use super::Decoder;
use crate::moves::OUTCOMES;
use crate::moves::marker::{COMMENT, END, NAG, RESULT};
use crate::roles::COMMENTS;
use crate::text;

impl Decoder<'_, '_, '_> {
    pub(super) fn nag(&mut self, byte: u8) -> Step {
        let (nag, used) = match byte {
            NAG => match self.bytes.get(self.line.at + 1) {
                Some(&nag) => (nag, 2),
                None => {
                    self.line.at += 1;
                    let kind = ErrorKind::Structure("a NAG without its number");
                    return self.line.lost(kind);
                }
            },
            _ => (byte - NAG, 1),
        };
        self.line.nag(nag.into())?;
        self.line.at += used;
        Ok(())
    }

    pub(super) fn result(&mut self, byte: u8) -> Step {
        let outcome = OUTCOMES
            .get(usize::from(byte - RESULT))
            .copied()
            .unwrap_or_default();
        // Results inside the moves are kept on the tape (section 9).
        let is_last = !self.line.is_skipping()
            && self.line.lines().depth() == 0
            && matches!(self.bytes.get(self.line.at + 1), None | Some(&END));
        if is_last && self.expected.is_none_or(|expected| expected == outcome) {
            self.last_result = Some(outcome);
        } else {
            self.line.note(|tape, _| tape.outcome(outcome))?;
        }
        self.line.at += 1;
        Ok(())
    }

    /// Reads a comment or an error.
    pub(super) fn text(&mut self, byte: u8) -> Step {
        let stream = self.bytes.get(self.line.at + 1..).unwrap_or_default();
        let Some(stored) = self.column.next(stream) else {
            let kind = ErrorKind::Structure("a comment mark without a comment text");
            match stream {
                // The mark before the last FF has no text (section 5).
                [END] if self.column.is_inline() => self.line.repaired(kind)?,
                _ => self.line.lost(kind)?,
            }
            self.line.at += 1;
            return Ok(());
        };
        if !stored.ended {
            let kind = ErrorKind::Structure("the end of the last comment text is missing");
            match stream.get(stored.used..) {
                Some([END, ..]) if self.column.is_inline() => self.line.repaired(kind)?,
                _ => self.line.lost(kind)?,
            }
        }
        let fault = byte
            .checked_sub(COMMENT)
            .and_then(|number| FaultKind::try_from(number).ok());
        match fault {
            Some(kind) => {
                let charset = text::detect(stored.text, self.fallback);
                self.line.fault(kind, stored.text, charset)?;
            }
            None => self.comment(stored.text)?,
        }
        self.line.at += 1 + stored.used;
        Ok(())
    }

    fn comment(&mut self, text: &[u8]) -> Step {
        let charset = text::detect(text, self.fallback);
        self.line.comment(text, charset, self.line.place())
    }

    /// Appends texts without a mark at the end of the game.
    pub(super) fn surplus_texts(&mut self) -> Result<()> {
        let kind = ErrorKind::mismatch(
            "the number of text bytes without a comment mark",
            self.column.rest().len() as u64,
            0,
        );
        if !self.line.takes_surplus(kind, Location::file(COMMENTS))? {
            return Ok(());
        }
        while let Some(stored) = self.column.next(&[]) {
            if !stored.text.is_empty()
                && let Err(stop) = self.comment(stored.text)
            {
                return Stop::into_result(Err(stop));
            }
        }
        Ok(())
    }
}
