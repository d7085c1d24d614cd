//! The annotations at one place of a game, and which of another game's are new there.

use std::collections::HashSet;
use std::fmt::Write;

use crate::model::{Event, Token};
use crate::text::{TextId, Texts};

/// The maximum number of comment bytes searched for parts of other comments, per tree. Beyond it
/// only equal comments are recognized, so that the time grows with the number of comments and not
/// with its square.
const MOST_SEARCHED: usize = 16 << 20;

/// A comment with its commands, or another single token.
pub(super) type Note<'g> = Vec<Token<'g>>;

/// The annotations at one place, indexed to look up each new one.
#[derive(Default, Debug)]
pub(super) struct ExistingNotes {
    /// Keys of complete annotations.
    notes: HashSet<String>,
    /// The content of annotations: comments with single blanks, keys of other values, and whether
    /// there is a clock, an evaluation, shapes.
    comments: HashSet<String>,
    values: HashSet<String>,
    commands: [bool; 3],
}

/// The texts of a tree and of a game that is added to it, and the bytes of comments searched so far.
pub(super) struct NoteTexts<'t> {
    pub(super) own: &'t mut Texts,
    pub(super) other: &'t Texts,
    pub(super) searched: &'t mut usize,
}

/// The number of annotations that were added, and of values that were not because the place has
/// another one.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct NoteCounts {
    pub(super) added: usize,
    pub(super) left_out: usize,
}

impl ExistingNotes {
    pub(super) fn new(notes: &[Note<'_>], texts: &Texts) -> ExistingNotes {
        let mut existing = ExistingNotes::default();
        for note in notes {
            existing.add(note, texts);
        }
        existing
    }

    fn add(&mut self, note: &Note<'_>, texts: &Texts) {
        self.notes.insert(key(note, texts));
        let [clock, eval, shapes] = &mut self.commands;
        for token in note {
            match token {
                Token::Clock(_) => *clock = true,
                Token::Eval(_) => *eval = true,
                Token::Shapes(_) => *shapes = true,
                Token::Comment(_, text) => {
                    self.comments.insert(with_single_blanks(texts, *text));
                    continue;
                }
                _ => {}
            }
            self.values.insert(key(&[*token], texts));
        }
    }

    /// Returns whether all comments here may be searched once more.
    fn can_search(&self, text: &str, searched: &mut usize) -> bool {
        let size = |text: &str| text.len() + 16;
        let cost = self.comments.iter().map(|text| size(text));
        let limit = MOST_SEARCHED.saturating_sub(*searched);
        // Adding up the lengths takes as long as searching.
        let mut sum = size(text);
        for cost in cost {
            sum += cost;
            if sum > limit {
                *searched = MOST_SEARCHED;
                return false;
            }
        }
        *searched += sum;
        true
    }

    /// Returns whether an existing annotation has the content of a new token, or precludes it.
    fn covers(&self, new: &Token<'_>, other: &Texts, searched: &mut usize) -> bool {
        let [clock, eval, shapes] = self.commands;
        match new {
            Token::Clock(_) => clock,
            Token::Eval(_) => eval,
            Token::Shapes(_) => shapes,
            Token::Comment(_, text) => {
                let new = with_single_blanks(other, *text);
                self.comments.contains(&new)
                    || self.can_search(&new, searched)
                        && self.comments.iter().any(|comment| comment.contains(&new))
            }
            _ => self.values.contains(&key(&[*new], other)),
        }
    }

    /// Adds the new parts of another game's annotation to those at this place.
    pub(super) fn add_new_parts<'g>(
        &mut self,
        note: Note<'g>,
        own: &mut Vec<Note<'g>>,
        texts: &mut NoteTexts<'_>,
        counts: &mut NoteCounts,
    ) {
        if self.notes.contains(&key(&note, texts.other)) {
            return;
        }
        let mut new_parts = note;
        new_parts.retain(|token| {
            // Further results and data of one format have no meaning in another game.
            let is_foreign = matches!(token, Token::Outcome(_) | Token::Extra(_));
            let is_covered = is_foreign || self.covers(token, texts.other, texts.searched);
            let is_value = is_foreign || token.is_command();
            let is_left_out = is_covered && is_value;
            let is_equal = || self.values.contains(&key(&[*token], texts.other));
            counts.left_out += usize::from(is_left_out && !is_equal());
            !is_covered
        });
        for token in &mut new_parts {
            match token {
                Token::Comment(_, text) | Token::Fault(_, text) => {
                    *text = texts.own.push_from(texts.other, *text);
                }
                _ => {}
            }
        }
        // A longer comment replaces those that it contains.
        let longer = new_parts.iter().find_map(|token| match token {
            Token::Comment(_, text) => Some(with_single_blanks(texts.own, *text)),
            _ => None,
        });
        if let Some(longer) = longer
            && self.can_search(&longer, texts.searched)
            && self
                .comments
                .iter()
                .any(|text| longer.contains(text.as_str()))
        {
            self.comments.retain(|text| !longer.contains(text.as_str()));
            for note in own.iter_mut() {
                note.retain(|token| match token {
                    Token::Comment(_, text) => {
                        !longer.contains(&with_single_blanks(texts.own, *text))
                    }
                    _ => true,
                });
            }
            own.retain(|note| !note.is_empty());
        }
        let is_blank = |token: &Token<'_>| match token {
            Token::Comment(_, text) => texts.own.get(*text).as_bytes().trim_ascii().is_empty(),
            _ => false,
        };
        if !new_parts.iter().all(is_blank) {
            self.add(&new_parts, texts.own);
            own.push(new_parts);
            counts.added += 1;
        }
    }
}

/// Returns a text that is equal for two annotations only if their contents are.
fn key(note: &[Token<'_>], texts: &Texts) -> String {
    let mut key = String::new();
    for token in note {
        // Writing to a string does not fail.
        let _ = match token.event(texts) {
            Event::Comment(place, text) => {
                let text = text.decode();
                write!(key, "{place:?} {}:{text}", text.len())
            }
            Event::Fault(kind, text) => {
                let text = text.decode();
                write!(key, "{kind:?} {}:{text}", text.len())
            }
            Event::Open(_) => write!(key, "("),
            Event::Move(mv) => {
                let (from, to) = (mv.from().index(), mv.to().index());
                write!(key, "{from} {to} {:?};", mv.kind())
            }
            event => write!(key, "{event:?};"),
        };
    }
    key
}

/// Returns a text with single blanks.
fn with_single_blanks(texts: &Texts, text: TextId) -> String {
    texts
        .get(text)
        .decode()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
