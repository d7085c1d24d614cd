//! Which names have characters that had to change, and whether these are still there when the names
//! have been cut.

use chessdb_core::{Charset, LossKind, Losses, Text};

/// What a name became a part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    White,
    Black,
    /// Event, site, and a round that is not one.
    Event,
    Annotator,
}

/// For every name that changed: where in its part the first character stands that did.
#[derive(Default, Debug)]
pub(super) struct Changed(Vec<(Part, usize)>);

impl Changed {
    /// Notes a name that changed and stands at byte `start` of its part.
    pub(super) fn add(&mut self, part: Part, start: usize, text: Text<'_>, target: Charset) {
        self.0.push((part, start + first_change(text, target)));
    }

    /// Counts the names whose changed characters lie before the end of their part.
    pub(super) fn lose(&self, kept: impl Fn(Part) -> usize, losses: &mut Losses) {
        for &(part, at) in &self.0 {
            if at < kept(part) {
                losses.add(LossKind::NameText, None);
            }
        }
    }
}

/// The bytes in `target` before the first character that it does not have.
fn first_change(text: Text<'_>, target: Charset) -> usize {
    let mut out = Vec::new();
    let mut utf8 = [0; 4];
    for character in text.decode().chars() {
        let at = out.len();
        let character = character.encode_utf8(&mut utf8);
        if Text::new(character.as_bytes(), Charset::UTF_8).convert_into(target, &mut out) > 0 {
            return at;
        }
    }
    // Several characters together are one that is missing.
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_away_did_not_change() {
        let text = Text::new("Größe Ж".as_bytes(), Charset::UTF_8);
        let mut changed = Changed::default();
        changed.add(Part::Event, 3, text, Charset::CHESSBASE);
        for (kept, lost) in [(0, 0), (9, 0), (10, 1), (63, 1)] {
            let mut losses = Losses::new();
            changed.lose(|_| kept, &mut losses);
            assert_eq!(losses.count(LossKind::NameText), lost, "{kept}");
        }
    }
}
