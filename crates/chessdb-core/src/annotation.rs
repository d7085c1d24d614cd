//! Conversion of comments between text and tape: reading takes embedded commands out of the text,
//! writing puts them back.
//!
//! All formats with plain-text comments (PGN, SCID, DC*, jose) use this module, so a comment means
//! the same in each of them. On the tape, the commands directly before a comment belong to that
//! comment. A comment with [`TextId::NONE`] ends a run of commands that has no text.

mod values;

pub use values::MoveValues;

use crate::limits::OverLimit;
use crate::model::{Builder, Place};
use crate::text::{TextId, Texts};
use crate::{Charset, Event, Text, commands};

/// Pushes a comment to the tape: its leading commands as events, the rest as text.
pub fn read_comment(
    comment: &[u8],
    charset: Charset,
    place: Place,
    texts: &mut Texts,
    tape: &mut Builder<'_>,
) -> Result<(), OverLimit> {
    texts.begin();
    texts.extend(comment);
    finish_comment(charset, place, texts, tape)
}

/// Like [`read_comment`], for a comment already under construction in the arena ([`Texts::begin`]).
pub fn finish_comment(
    charset: Charset,
    place: Place,
    texts: &mut Texts,
    tape: &mut Builder<'_>,
) -> Result<(), OverLimit> {
    if tape.ends_with_command() {
        // The previous comment consisted of commands only. End it, or the two would become one.
        tape.comment(place, TextId::NONE)?;
    }
    put_comment(charset, place, texts, tape)
}

/// Pushes the text of a comment after its commands have been pushed. For formats that store some
/// commands in separate fields next to the text.
pub fn continue_comment(
    comment: &[u8],
    charset: Charset,
    place: Place,
    texts: &mut Texts,
    tape: &mut Builder<'_>,
) -> Result<(), OverLimit> {
    texts.begin();
    texts.extend(comment);
    put_comment(charset, place, texts, tape)
}

fn put_comment(
    charset: Charset,
    place: Place,
    texts: &mut Texts,
    tape: &mut Builder<'_>,
) -> Result<(), OverLimit> {
    let whole = texts.pending();
    if whole.starts_with(b"[%") {
        let mut pushed = Ok(());
        let taken = commands::parse_leading(whole, &mut |command| {
            // The parser cannot be stopped; only the first limit counts.
            if pushed.is_ok() {
                pushed = tape.command(command);
            }
        });
        let only_commands = taken > 0 && taken == whole.len();
        texts.skip_pending(taken);
        pushed?;
        if only_commands {
            texts.abort();
            return Ok(());
        }
    }
    let text = texts.finish(charset);
    tape.comment(place, text)
}

/// Combines commands and text into comments again when a game is written.
///
/// Pass every event to [`CommentRun::command`]. If it returns false and the event is a comment,
/// [`CommentRun::with_text`] returns the full text. Before any other event, call
/// [`CommentRun::take`] for a pending comment that consists of commands only.
#[derive(Clone, Default, Debug)]
pub struct CommentRun {
    pending: Vec<u8>,
    handed_out: bool,
}

impl CommentRun {
    /// Consumes the event and returns true if it is a command in comments ([`Event::command`]).
    pub fn command(&mut self, event: &Event<'_>) -> bool {
        let Some(command) = event.command() else {
            return false;
        };
        self.start();
        let before = self.pending.len();
        if before > 0 {
            self.pending.push(b' ');
        }
        let written = self.pending.len();
        commands::render_command(&command, &mut self.pending);
        // A command that writes nothing must not leave a blank.
        if self.pending.len() == written {
            self.pending.truncate(before);
        }
        true
    }

    /// Returns the whole comment that ends with this text.
    pub fn with_text<'a>(&'a mut self, text: Text<'a>) -> Text<'a> {
        self.start();
        if self.pending.is_empty() {
            return text;
        }
        if !text.is_empty() {
            self.pending.push(b' ');
            self.pending.extend_from_slice(text.as_bytes());
        }
        // Cleared by the next call: until then the caller borrows it.
        self.handed_out = true;
        Text::new(&self.pending, text.charset())
    }

    /// Returns the pending comment if it consists of commands without a text.
    pub fn take(&mut self) -> Option<Text<'_>> {
        self.start();
        if self.pending.is_empty() {
            return None;
        }
        self.handed_out = true;
        Some(Text::new(&self.pending, Charset::UTF_8))
    }

    /// Returns whether commands are waiting for a text.
    pub fn is_pending(&self) -> bool {
        !self.handed_out && !self.pending.is_empty()
    }

    /// Discards pending commands.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.handed_out = false;
    }

    fn start(&mut self) {
        if self.handed_out {
            self.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::limits::Limits;

    fn round_trip(comment: &str) -> (usize, String) {
        let mut game = Game::new();
        let Game { moves, texts, .. } = &mut game;
        let mut tape = moves.builder(&Limits::default());
        read_comment(
            comment.as_bytes(),
            Charset::UTF_8,
            Place::After,
            texts,
            &mut tape,
        )
        .unwrap();
        tape.finish();
        let mut run = CommentRun::default();
        let mut out = None;
        let mut events = 0;
        for event in game.events() {
            events += 1;
            if run.command(&event) {
                continue;
            }
            let Event::Comment(Place::After, text) = event else {
                panic!("{event:?}")
            };
            assert!(out.is_none());
            out = Some(run.with_text(text).decode().into_owned());
        }
        let rest = run.take().map(|text| text.decode().into_owned());
        assert!(out.is_none() || rest.is_none());
        (events, out.or(rest).unwrap())
    }

    #[test]
    fn lone_commands_stay_separate_comment() {
        let mut game = Game::new();
        let Game { moves, texts, .. } = &mut game;
        let mut tape = moves.builder(&Limits::default());
        for comment in ["[%clk 0:01:00]", "[%clk 0:02:00] x", "y", "[%clk 0:03:00]"] {
            let bytes = comment.as_bytes();
            read_comment(bytes, Charset::UTF_8, Place::After, texts, &mut tape).unwrap();
        }
        tape.finish();
        let mut run = CommentRun::default();
        let mut written = Vec::new();
        for event in game.events() {
            if !run.command(&event) {
                let Event::Comment(_, text) = event else {
                    panic!("{event:?}")
                };
                written.push(run.with_text(text).decode().into_owned());
            }
        }
        written.extend(run.take().map(|text| text.decode().into_owned()));
        assert_eq!(
            written,
            ["[%clk 0:01:00]", "[%clk 0:02:00] x", "y", "[%clk 0:03:00]"]
        );
    }

    #[test]
    fn comments_round_trip() {
        for (comment, events) in [
            ("plain", 1),
            ("", 1),
            ("[%clk 0:01:00]", 1),
            ("[%eval 0.35] [%clk 0:01:00]", 2),
            ("[%eval 0.35] [%clk 0:01:00] good", 3),
            ("[%eval 0.35]  two blanks", 2),
            ("[%eval 0.35]  ", 2),
            ("[%eval 0.35] ", 1),
            ("[%eval 0.35] \nnew line", 2),
            ("[%clk 1:00] odd form", 1),
            ("text [%clk 0:01:00]", 1),
        ] {
            let (count, text) = round_trip(comment);
            assert_eq!(text, comment);
            assert_eq!(count, events, "{comment}");
        }
    }
}
