//! The notes at one place of a line (between two moves, starts or ends of lines) as they are stored.

use chessdb_core::commands::{Command, Shape, parse_leading, render_command};
use chessdb_core::line::{LineTracker, Out};
use chessdb_core::model::{Extra, Place, Token};
use chessdb_core::{LossKind, Text};

use super::{shapes, times};
use crate::extras::{self, FORMAT};
use crate::nags;
use crate::raw::{ByteReader, Mark};
use crate::text::{self, Style};

/// What follows the notes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follows {
    Move,
    Variation,
    LineEnd,
}

/// Where the notes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotesAfter {
    LineStart,
    Move,
    /// The format has only comments there.
    Variation,
}

/// A comment with its languages.
#[derive(Clone, Debug)]
pub(super) struct NoteComment {
    /// `None` if the comment consists of commands.
    pub(super) place: Option<Place>,
    /// Whether it is read back as a comment, not only as commands.
    is_text: bool,
    /// The text in each language.
    pub(super) parts: Vec<(Vec<u8>, Style)>,
    /// The number of commands of the game that each text begins with.
    commands: Vec<usize>,
}

impl NoteComment {
    /// Appends another comment, separated by a space. Returns the number of styles that are lost.
    fn append(&mut self, other: NoteComment) -> u32 {
        let mut lost = 0;
        for ((text, style), commands) in other.parts.into_iter().zip(other.commands) {
            lost += u32::from(!style.is_plain());
            let (Some((own, _)), Some(own_commands)) =
                (self.parts.last_mut(), self.commands.last_mut())
            else {
                continue;
            };
            // After a text, commands are text.
            if parse_leading(own, &mut |_| {}) == own.len() {
                *own_commands += commands;
            }
            if !own.is_empty() && !text.is_empty() {
                own.push(b' ');
            }
            own.extend(text);
        }
        self.is_text |= other.is_text;
        lost
    }

    /// Returns the losses of the texts that begin like a command and are read as one.
    fn misread(&self) -> Vec<LossKind> {
        let mut losses = Vec::new();
        for ((text, _), &commands) in self.parts.iter().zip(&self.commands) {
            let mut kinds = Vec::new();
            parse_leading(text, &mut |command| kinds.push(command.loss_kind()));
            // As many commands as the game has are meant to be read as commands.
            if kinds.len() > commands {
                losses.push(LossKind::CommentText);
            }
            losses.extend(kinds.into_iter().skip(commands));
        }
        losses
    }
}

/// A note in stored form.
#[derive(Clone, Debug)]
pub(super) enum Note {
    Nag(u8),
    /// The data of a mark.
    Mark(Vec<u8>),
    /// The data of each drawing, and whether they are arrows.
    Shapes(Vec<Vec<u8>>, bool),
    Comment(NoteComment),
}

/// The notes at one place, in the order in which they are stored.
#[derive(Default, Debug)]
pub(super) struct PlacedNotes {
    /// With the move before them: marks and at most one comment.
    pub(super) here: Vec<Note>,
    /// With the move after them, or at the end of the line.
    pub(super) next: Option<NoteComment>,
}

/// Converts tokens to notes.
pub(super) struct NoteReader<'r, 'p, 'g, L> {
    out: &'r mut Out<'p, 'g, L>,
    after: NotesAfter,
    notes: Vec<Note>,
    /// Commands that have no mark. They become part of the next comment.
    commands: Vec<u8>,
    engine: Option<u8>,
    style: Option<Style>,
    /// Whether the last token was a command.
    follows_command: bool,
}

impl<'r, 'p, 'g, L: LineTracker> NoteReader<'r, 'p, 'g, L> {
    /// Returns the notes for these tokens and counts what they lose.
    pub(super) fn read(
        out: &'r mut Out<'p, 'g, L>,
        tokens: &[Token<'g>],
        after: NotesAfter,
        follows: Follows,
    ) -> PlacedNotes {
        let mut reader = NoteReader {
            out,
            after,
            notes: Vec::with_capacity(tokens.len()),
            commands: Vec::new(),
            engine: None,
            style: None,
            follows_command: false,
        };
        for &token in tokens {
            reader.token(token);
        }
        reader.end_comment();
        reader.drop_engine();
        reader.place(follows)
    }

    fn token(&mut self, token: Token<'g>) {
        let follows_command = std::mem::take(&mut self.follows_command);
        match token {
            Token::Comment(place, id) if id.is_some() => {
                self.drop_engine();
                self.text(place, self.out.game.text(id));
            }
            // The end of a comment that consists of commands is not stored.
            Token::Comment(..) if follows_command => self.out.lose(LossKind::CommentMerged),
            Token::Comment(..) => {}
            Token::Nag(nag) => match nags::write(nag) {
                Some((stored, is_changed)) => {
                    if is_changed {
                        self.out.lose(LossKind::NagChanged);
                    }
                    self.add(Note::Nag(stored));
                }
                None => self.out.lose(LossKind::Nag),
            },
            Token::Extra(extra) if extra.format == FORMAT => {
                if !self.extra(extra) {
                    self.out.lose(LossKind::GameExtra);
                }
            }
            _ => match token.event(&self.out.game.texts).command() {
                Some(command) => self.command(token, &command),
                None => self.out.lose_token(token),
            },
        }
    }

    /// Ends the comment of the commands so far, and adds a note.
    fn add(&mut self, note: Note) {
        self.end_comment();
        self.drop_engine();
        self.notes.push(note);
    }

    /// Handles an extra of this format. Returns false if it cannot be stored.
    fn extra(&mut self, extra: &Extra) -> bool {
        match (extra.field, &*extra.bytes) {
            (extras::MARK, bytes) => {
                let mut reader = ByteReader::new(bytes);
                let is_mark = Mark::parse(&mut reader).is_some() && reader.rest().is_empty();
                if is_mark {
                    self.add(Note::Mark(bytes.to_vec()));
                }
                is_mark
            }
            (extras::ENGINE, &[engine @ 1..16]) if self.after != NotesAfter::Variation => {
                self.end_comment();
                self.drop_engine();
                self.engine = Some(engine);
                true
            }
            (extras::STYLE, bytes) => {
                let Some(style) = Style::parse(bytes) else {
                    return false;
                };
                self.end_comment();
                self.style = Some(style);
                true
            }
            _ => false,
        }
    }

    /// Writes a command as a mark, or as part of the next comment if it has none.
    fn command(&mut self, token: Token<'g>, command: &Command<'_>) {
        self.follows_command = true;
        let can_be_mark =
            self.after != NotesAfter::Variation && self.commands.is_empty() && self.style.is_none();
        if can_be_mark && let Some(note) = self.mark(command) {
            self.engine = None;
            self.notes.push(note);
            return;
        }
        self.drop_engine();
        let start = self.commands.len();
        if start > 0 {
            self.commands.push(b' ');
        }
        let text = self.commands.len();
        render_command(command, &mut self.commands);
        if self.commands.len() == text {
            self.commands.truncate(start);
            self.out.lose_token(token);
        }
    }

    /// Returns the marks for a command.
    fn mark(&self, command: &Command<'_>) -> Option<Note> {
        let mut data = Vec::new();
        let Command::Shapes(list) = command else {
            let item = times::write(command, self.engine.unwrap_or(0))?;
            item.write(&mut data);
            return Some(Note::Mark(data));
        };
        // An empty list, one of both squares and arrows, or one directly after another of its type
        // would be read as another list.
        let are_arrows = list.first()?.to.is_some();
        let is_even = |shape: &Shape| shape.to.is_some() == are_arrows;
        let joins =
            matches!(self.notes.last(), Some(Note::Shapes(_, arrows)) if *arrows == are_arrows);
        if joins || !list.iter().all(is_even) {
            return None;
        }
        let marks = list.iter().map(|&shape| {
            let mut data = Vec::new();
            shapes::write(shape)?.write(&mut data);
            Some(data)
        });
        Some(Note::Shapes(marks.collect::<Option<_>>()?, are_arrows))
    }

    /// Adds a comment with a text.
    fn text(&mut self, place: Place, rest: Text<'g>) {
        let follows_commands = self.commands.is_empty()
            && matches!(self.notes.last(), Some(Note::Comment(last)) if !last.is_text);
        if rest.is_empty() && follows_commands && self.style.is_none() {
            // It would be read back, and joined with the commands the next time it is written.
            return self.out.lose(LossKind::Comment);
        }
        let mut whole = std::mem::take(&mut self.commands);
        let has_commands = !whole.is_empty();
        if has_commands && rest.is_empty() {
            // Only the commands are read back.
            self.out.lose(LossKind::Comment);
        }
        let is_text = !has_commands || !rest.is_empty();
        let count = count_commands(&whole);
        if has_commands && is_text {
            whole.push(b' ');
        }
        if text::put(rest, &mut whole) {
            self.out.lose(LossKind::CommentText);
        }
        self.add_comment(Some(place), (whole, count), is_text);
    }

    /// Adds the commands since the last comment that have no mark.
    fn end_comment(&mut self) {
        let commands = std::mem::take(&mut self.commands);
        if !commands.is_empty() {
            let count = count_commands(&commands);
            self.add_comment(None, (commands, count), false);
        } else if self.style.take().is_some() {
            self.out.lose(LossKind::GameExtra);
        }
    }

    fn add_comment(
        &mut self,
        place: Option<Place>,
        (mut text, count): (Vec<u8>, usize),
        is_text: bool,
    ) {
        let mut style = self.style.take().unwrap_or_default();
        if let Some(Note::Comment(last)) = self.notes.last_mut() {
            if style.continues {
                if place.is_some_and(|place| last.place.is_some_and(|last| last != place)) {
                    self.out.lose(LossKind::CommentMoved);
                }
                last.place = last.place.or(place);
                last.is_text |= is_text;
                last.parts.push((text, style));
                last.commands.push(count);
                return;
            }
            // Commands directly before a comment are read as part of it.
            if last.place.is_none()
                && style.is_plain()
                && let [(commands, own)] = &mut *last.parts
                && let [own_count] = &mut *last.commands
                && own.is_plain()
            {
                *own_count += count;
                commands.push(b' ');
                commands.append(&mut text);
                (last.place, last.is_text) = (place, is_text);
                return;
            }
        }
        if style.continues {
            self.out.lose(LossKind::GameExtra);
            style = Style::default();
        }
        self.notes.push(Note::Comment(NoteComment {
            place,
            is_text,
            parts: vec![(text, style)],
            commands: vec![count],
        }));
    }

    /// Counts an engine without a time or an evaluation.
    fn drop_engine(&mut self) {
        if self.engine.take().is_some() {
            self.out.lose(LossKind::GameExtra);
        }
    }

    /// Decides where each comment is stored.
    fn place(self, follows: Follows) -> PlacedNotes {
        let NoteReader {
            out, after, notes, ..
        } = self;
        let is_comment = |note: &Note| matches!(note, Note::Comment(_));
        let count = notes.iter().filter(|note| is_comment(note)).count();
        let ends_with_comment = notes.last().is_some_and(is_comment);
        let last_place = notes.iter().rev().find_map(|note| match note {
            Note::Comment(comment) => Some(comment.place),
            _ => None,
        });
        // One comment can be stored with what follows, but a variation has no place for it.
        let has_next = match after {
            _ if follows == Follows::Variation => false,
            NotesAfter::Variation => true,
            _ if count > 1 => true,
            NotesAfter::LineStart => ends_with_comment && follows == Follows::Move,
            NotesAfter::Move => follows == Follows::Move && last_place == Some(Some(Place::Before)),
        };
        // The places that a reader gives to these comments; others count as moved.
        let (place_here, place_next) = match after {
            NotesAfter::LineStart => (Place::Before, Place::Before),
            NotesAfter::Move if follows == Follows::Move => (Place::After, Place::Before),
            _ => (Place::After, Place::After),
        };
        // The number of comments that are stored here; the others are stored with what follows.
        let here = match after {
            NotesAfter::Variation => 0,
            _ => count - usize::from(has_next && count > 0),
        };
        let mut placed = PlacedNotes::default();
        let (mut seen, mut index) = (0, None);
        for note in notes {
            let Note::Comment(comment) = note else {
                if seen > here {
                    // The comment before it is read after it.
                    out.lose(LossKind::CommentMoved);
                }
                if let (Note::Shapes(_, x), Some(Note::Shapes(_, y))) = (&note, placed.here.last())
                    && x == y
                {
                    out.lose(LossKind::Shapes);
                }
                placed.here.push(note);
                continue;
            };
            seen += 1;
            let is_here = seen <= here;
            let place = if is_here { place_here } else { place_next };
            let is_last = placed.here.len().checked_sub(1) == index;
            let before = match (is_here, index) {
                (false, _) => placed.next.as_mut(),
                (true, Some(index)) => match placed.here.get_mut(index) {
                    Some(Note::Comment(before)) => Some(before),
                    _ => None,
                },
                (true, None) => None,
            };
            let Some(before) = before else {
                if comment.place.is_some_and(|own| own != place) {
                    out.lose(LossKind::CommentMoved);
                }
                if is_here {
                    index = Some(placed.here.len());
                    placed.here.push(Note::Comment(comment));
                } else {
                    placed.next = Some(comment);
                }
                continue;
            };
            // Commands at the start of a text are read back.
            if before.is_text {
                out.lose(LossKind::CommentMerged);
            } else if !is_last || comment.place.is_some_and(|own| own != place) {
                out.lose(LossKind::CommentMoved);
            }
            for _ in 0..before.append(comment) {
                out.lose(LossKind::GameExtra);
            }
        }
        let comments = placed.here.iter().filter_map(|note| match note {
            Note::Comment(comment) => Some(comment),
            _ => None,
        });
        let misread = comments.chain(&placed.next).flat_map(NoteComment::misread);
        misread.for_each(|loss| out.lose(loss));
        placed
    }
}

/// Counts the commands at the start of a text.
fn count_commands(text: &[u8]) -> usize {
    let mut count = 0;
    parse_leading(text, &mut |_| count += 1);
    count
}

/// Returns whether a token is a note.
pub(super) fn is_note(token: &Token<'_>) -> bool {
    !matches!(token, Token::Move(_) | Token::Open(_) | Token::Close)
}
