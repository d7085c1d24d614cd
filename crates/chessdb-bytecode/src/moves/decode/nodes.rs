//! What stands between the moves: NAGs, results, texts.

use chessdb_core::annotation::read_comment;
use chessdb_core::{ErrorKind, FaultKind, Location, Result, Severity};

use super::{Decoder, Pushed};
use crate::moves::OUTCOMES;
use crate::moves::marker::{COMMENT, END, NAG, RESULT};
use crate::{COMMENTS, text};

impl Decoder<'_, '_, '_> {
    pub(super) fn nag(&mut self, byte: u8, skipped: bool) -> Result<Pushed> {
        self.counts.comments += 1;
        let nag = match byte {
            NAG => {
                let Some(&nag) = self.bytes.get(self.at + 1) else {
                    self.at += 1;
                    self.lost(ErrorKind::Structure("a NAG without its number"))?;
                    return Ok(Ok(()));
                };
                self.at += 2;
                nag
            }
            _ => {
                self.at += 1;
                byte - NAG
            }
        };
        Ok(if skipped {
            Ok(())
        } else {
            self.tape.nag(nag.into())
        })
    }

    pub(super) fn result(&mut self, byte: u8, skipped: bool) -> Pushed {
        self.at += 1;
        let outcome = OUTCOMES
            .get(usize::from(byte - RESULT))
            .copied()
            .unwrap_or_default();
        let is_last = !skipped
            && self.lines.depth() == 0
            && matches!(self.bytes.get(self.at), None | Some(&END));
        if is_last && self.expected.is_none_or(|expected| expected == outcome) {
            self.found = Some(outcome);
            return Ok(());
        }
        if skipped {
            return Ok(());
        }
        self.tape.outcome(outcome)
    }

    /// A comment or an error; the outer error is that of strict mode.
    pub(super) fn text(&mut self, byte: u8, skipped: bool) -> Result<Pushed> {
        let fault = byte
            .checked_sub(COMMENT)
            .and_then(|number| FaultKind::try_from(number).ok());
        let counter = match fault {
            Some(_) => &mut self.counts.faults,
            None => &mut self.counts.comments,
        };
        *counter += 1;
        let stream = self.bytes.get(self.at + 1..).unwrap_or_default();
        let Some(found) = self.column.next(stream) else {
            self.lost(ErrorKind::Structure("a comment mark without a text"))?;
            self.at += 1;
            return Ok(Ok(()));
        };
        if !found.ended {
            self.repaired(ErrorKind::Structure("the last text has no end"))?;
        }
        self.at += 1 + found.of_stream;
        if skipped {
            return Ok(Ok(()));
        }
        let limits = &self.report.options.limits;
        if let Err(over) = self.texts.check_room(found.text.len(), limits) {
            self.over_limit(over)?;
            return Ok(Ok(()));
        }
        let charset = text::detect(found.text, self.fallback);
        Ok(match fault {
            Some(kind) => {
                let text = self.texts.push(found.text, charset);
                self.tape.fault(kind, text)
            }
            None => {
                let (place, tape) = (self.lines.place(), &mut self.tape);
                read_comment(found.text, charset, place, self.texts, tape)
            }
        })
    }

    /// Texts that no mark asks for go to the end of the game; if the game was cut, they belong to
    /// what is missing.
    pub(super) fn surplus_texts(&mut self) -> Result<()> {
        let kind = ErrorKind::Mismatch {
            what: "bytes of texts without a mark",
            found: self.column.rest().len() as u64,
            expected: 0,
        };
        let at = Location {
            file: Some(COMMENTS),
            ..Location::default()
        };
        if !self.complete {
            return self.report.add(Severity::Lost, kind, at);
        }
        self.report.add(Severity::Repaired, kind, at)?;
        while let Some(found) = self.column.next(&[]) {
            if found.text.is_empty() {
                continue;
            }
            let limits = &self.report.options.limits;
            if let Err(over) = self.texts.check_room(found.text.len(), limits) {
                return self.over_limit(over);
            }
            let charset = text::detect(found.text, self.fallback);
            let (place, tape) = (self.lines.place(), &mut self.tape);
            if let Err(over) = read_comment(found.text, charset, place, self.texts, tape) {
                return self.over_limit(over);
            }
        }
        Ok(())
    }
}
