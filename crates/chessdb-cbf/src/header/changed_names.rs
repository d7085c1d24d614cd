//! Tracks the names with characters that the charset could not represent, and whether these
//! characters are still present after the names have been cut.

use chessdb_core::{Charset, LossKind, Losses, Text};

/// The part of a record's texts that a name is written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NamePart {
    White,
    Black,
    /// The event, the site, and a round that is not a number.
    Event,
    Annotator,
}

/// For each changed name: its part, and the offset of the first changed character in it.
#[derive(Default, Debug)]
pub(super) struct ChangedNames(Vec<(NamePart, usize)>);

impl ChangedNames {
    /// Records a changed name that begins at byte `start` of its part.
    pub(super) fn add(&mut self, part: NamePart, start: usize, text: Text<'_>, target: Charset) {
        self.0.push((part, start + first_change(text, target)));
    }

    /// Counts the names with a changed character before the end of their part.
    pub(super) fn lose(&self, length: impl Fn(NamePart) -> usize, losses: &mut Losses) {
        for &(part, offset) in &self.0 {
            losses.add_if(LossKind::NameText, offset < length(part));
        }
    }
}

/// Returns the number of bytes, encoded in `target`, before the first character that it lacks.
fn first_change(text: Text<'_>, target: Charset) -> usize {
    let mut out = Vec::new();
    let mut utf8 = [0; 4];
    for character in text.decode().chars() {
        let offset = out.len();
        let encoded = character.encode_utf8(&mut utf8);
        if Text::new(encoded.as_bytes(), Charset::UTF_8).convert_into(target, &mut out) > 0 {
            return offset;
        }
    }
    // The character that is missing is encoded as a combination of characters.
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_cut_text_do_not_count() {
        let text = Text::new("Größe Ж".as_bytes(), Charset::UTF_8);
        let mut changed = ChangedNames::default();
        changed.add(NamePart::Event, 3, text, Charset::CHESSBASE);
        for (kept, lost) in [(0, 0), (9, 0), (10, 1), (63, 1)] {
            let mut losses = Losses::new();
            changed.lose(|_| kept, &mut losses);
            assert_eq!(losses.count(LossKind::NameText), lost, "{kept}");
        }
    }
}
