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
        let mut offset = 0;
        while let Some(rest) = body.get(offset..).filter(|rest| !rest.is_empty()) {
            match rest.first() {
                Some(&code::OPEN) => {
                    open.push(outline.pairs.len());
                    outline.pairs.push((offset as u32, 0));
                }
                Some(&code::CLOSE) => {
                    if let Some(pair) = open.pop().and_then(|n| outline.pairs.get_mut(n)) {
                        pair.1 = offset as u32;
                    }
                }
                _ => {}
            }
            match Item::size(rest) {
                Ok(Some(size)) => offset += size,
                Ok(None) => {
                    let code = rest.first().copied().unwrap_or(0);
                    outline.fault = Some(ErrorKind::bad_field("a code", code));
                    break;
                }
                Err(fault) => {
                    outline.fault = Some(ErrorKind::truncated("a code", fault.needed, fault.had));
                    break;
                }
            }
        }
        outline.end = offset;
        outline.unclosed = open.len();
        // Variations that are not closed end with the record (section 12).
        for n in open {
            if let Some(pair) = outline.pairs.get_mut(n) {
                pair.1 = offset as u32;
            }
        }
        outline
    }

    /// Returns the offset where the variation opened at `open` ends: its closing code, or the end
    /// of the record.
    pub(super) fn close_of(&self, open: usize) -> usize {
        // The pairs are in the order of opening, so they are sorted by this offset.
        self.pairs
            .binary_search_by_key(&(open as u32), |pair| pair.0)
            .ok()
            .and_then(|n| self.pairs.get(n))
            .map_or(self.end, |pair| pair.1 as usize)
    }
}
