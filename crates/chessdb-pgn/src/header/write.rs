//! Conversion of the header of a game into tags.

use chessdb_core::model::{Field, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{Game, LossKind, Losses, Setup, Start, Text};

use super::bit;
use crate::raw::{Lexer, escape_into, is_section_tag, is_tag_name};
use crate::text::append_utf8;

/// Appends the tag section, without the blank line after it. `value` is scratch memory.
pub(crate) fn write_header(
    game: &Game,
    value: &mut Vec<u8>,
    out: &mut Vec<u8>,
    losses: &mut Losses,
) {
    let verbatim = game.header.tags.iter().map(|tag| match *tag {
        Tag::Verbatim(field, _) => bit(field),
        _ => 0,
    });
    let mut tags = TagWriter {
        game,
        start: out.len(),
        verbatim: verbatim.fold(0, |all, field| all | field),
        value,
        out,
        losses,
    };
    for tag in game.header.tags_in_order() {
        match tag {
            Tag::Other { name, value } => tags.other(name, value),
            Tag::Place(field) | Tag::Verbatim(field, _) => tags.field(field),
        }
    }
}

struct TagWriter<'a> {
    game: &'a Game,
    /// Where the tags begin in `out`.
    start: usize,
    /// The fields with a verbatim text, as bits.
    verbatim: u32,
    value: &'a mut Vec<u8>,
    out: &'a mut Vec<u8>,
    losses: &'a mut Losses,
}

impl TagWriter<'_> {
    /// Writes the tag of a typed field, if it has a value.
    fn field(&mut self, field: Field) {
        let game = self.game;
        let header = &game.header;
        self.value.clear();
        if field == Field::Fen {
            for (name, value) in game.start_tags() {
                self.open_tag(name);
                self.out.extend_from_slice(value.as_bytes());
                self.close();
            }
        }
        if self.verbatim & bit(field) != 0
            && let Some(text) = header.verbatim(field)
        {
            if field != Field::Fen || header.start == Start::Standard {
                return self.text(field, text);
            }
            // A start position that was understood is written in the form that every reader knows,
            // regardless of the spelling in the source.
            let is_shredder = self.is_shredder_fen(text);
            self.losses.add_if(LossKind::TagText, !is_shredder);
        }
        match header.text_of(field) {
            Some(text) if text.is_some() => return self.text(field, text),
            Some(_) if Field::ROSTER.contains(&field) => self.value.push(b'?'),
            Some(_) => {}
            None => header.write_value(field, self.value),
        }
        if !self.value.is_empty() {
            self.open(field);
            self.out.extend_from_slice(self.value);
            self.close();
        }
    }

    /// Returns whether the text is the FEN of the start position except for the castling rights,
    /// which some programs write as the files of all rooks. Rewriting them loses nothing.
    fn is_shredder_fen(&mut self, text: TextId) -> bool {
        let Start::Setup(setup) = &self.game.header.start else {
            return false;
        };
        let text = self.game.text(text).as_bytes();
        self.value.clear();
        setup.write_fen(self.value);
        let same = without_castling(text).eq(without_castling(self.value));
        self.value.clear();
        same && Setup::from_fen(text)
            .is_ok_and(|(read, notes)| notes.is_empty() && read.board == setup.board)
    }

    fn text(&mut self, field: Field, text: TextId) {
        if text.is_some() {
            self.open(field);
            self.escaped(self.game.text(text), LossKind::NameText);
            self.close();
        }
    }

    fn other(&mut self, name: TextId, value: TextId) {
        self.value.clear();
        let lost = append_utf8(self.game.text(name), self.value);
        if lost > 0 || !is_tag_name(self.value) {
            self.losses.add(LossKind::TagText, None);
            make_name(self.value);
        }
        let (start, is_known) = (self.out.len(), is_section_tag(self.value));
        self.out.push(b'[');
        self.out.extend_from_slice(self.value);
        self.out.extend_from_slice(b" \"");
        self.escaped(self.game.text(value), LossKind::TagText);
        self.close();
        // Only the tags that begin a section can make a reader split the game.
        if is_known && self.begins_another_game() {
            self.out.truncate(start);
            self.losses.add(LossKind::Tag, None);
        }
    }

    /// Returns whether a reader would find the first tag of another game among the tags so far.
    #[cold]
    fn begins_another_game(&self) -> bool {
        let mut lexer = Lexer::new(self.out.get(self.start..).unwrap_or_default());
        std::iter::from_fn(|| lexer.next()).any(|token| token.next_game)
    }

    /// Writes a text between quotation marks. Counts the loss `replaced` if characters must be
    /// replaced, and line breaks as a loss of their own.
    fn escaped(&mut self, text: Text<'_>, replaced: LossKind) {
        let bytes = text.as_bytes();
        let mut changes;
        if bytes.is_ascii() {
            changes = escape_into(bytes, self.out);
        } else {
            self.value.clear();
            let lost = append_utf8(text, self.value);
            changes = escape_into(self.value, self.out);
            changes.text |= lost > 0;
        }
        self.losses.add_if(replaced, changes.text);
        self.losses.add_if(LossKind::TextLayout, changes.layout);
    }

    fn open(&mut self, field: Field) {
        self.open_tag(self.game.header.tag_name(field));
    }

    fn open_tag(&mut self, name: &str) {
        self.out.push(b'[');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b" \"");
    }

    fn close(&mut self) {
        self.out.extend_from_slice(b"\"]\n");
    }
}

/// Returns the fields of a FEN except the castling rights.
fn without_castling(fen: &[u8]) -> impl Iterator<Item = &[u8]> {
    fen.split(|byte| *byte == b' ')
        .enumerate()
        .filter(|(n, _)| *n != 2)
        .map(|(_, field)| field)
}

/// Makes a valid tag name: every byte that a name cannot contain becomes `_`.
fn make_name(name: &mut Vec<u8>) {
    name.truncate(255);
    // Not within a character.
    while std::str::from_utf8(name).is_err() {
        name.pop();
    }
    if name.is_empty() {
        name.push(b'_');
    }
    for b in name {
        if !is_tag_name(&[*b]) {
            *b = b'_';
        }
    }
}
