//! Offsets at which the variations of a record begin and end, found before any move is played.

use chessdb_core::ErrorKind;

use crate::raw::{Item, code};

/// The variation structure of a record.
#[derive(Default, Debug)]
pub(super) struct Outline {
    /// Offset after the last readable code.
    pub(super) end: usize,
    /// Why the rest cannot be read.
    pub(super) fault: Option<ErrorKind>,
    /// Offsets of the codes that open and close each variation, in the order of opening.
    pairs: Vec<(u32, u32)>,
    /// The number of variations that the record does not close.
    pub(super) unclosed: usize,
}

impl Outline {
    pub(super) fn new(body: &[u8]) -> Outline {
        let mut outline = Outline::default();
        let mut open = Vec::new();
        let mut at = 0;
        while let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) {
            match rest.first() {
                Some(&code::OPEN) => {
                    open.push(outline.pairs.len());
                    outline.pairs.push((at as u32, 0));
                }
                Some(&code::CLOSE) => {
                    if let Some(pair) = open.pop().and_then(|n| outline.pairs.get_mut(n)) {
                        pair.1 = at as u32;
                    }
                }
                _ => {}
            }
            match Item::size(rest) {
                Ok(Some(size)) => at += size,
                Ok(None) => {
                    let value = rest.first().copied().unwrap_or(0).into();
                    outline.fault = Some(ErrorKind::BadField {
                        field: "a code",
                        value,
                    });
                    break;
                }
                Err(fault) => {
                    let (needed, had) = (fault.needed, fault.had);
                    outline.fault = Some(ErrorKind::Truncated {
                        what: "a code",
                        needed,
                        had,
                    });
                    break;
                }
            }
        }
        outline.end = at;
        outline.unclosed = open.len();
        for n in open {
            if let Some(pair) = outline.pairs.get_mut(n) {
                pair.1 = at as u32;
            }
        }
        outline
    }

    /// Returns the offset where the variation opened at `open` ends: its closing code, or the end
    /// of the record.
    pub(super) fn close_of(&self, open: usize) -> usize {
        let found = self
            .pairs
            .binary_search_by_key(&(open as u32), |pair| pair.0);
        let pair = found.ok().and_then(|n| self.pairs.get(n));
        pair.map_or(self.end, |pair| pair.1 as usize)
    }
}
