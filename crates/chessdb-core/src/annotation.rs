//! Comments between text and tape: commands are taken out on reading and put back on writing.
//!
//! Formats whose comments are plain text (PGN, SCID, DC*, jose) all use this one place, so that a
//! comment means the same in each. On the tape, commands that stand directly before a comment are
//! part of it; a comment with [`TextId::NONE`] only ends such a run.

use crate::commands;
use crate::{Builder, Charset, Event, OverLimit, Place, Text, TextId, Texts};

/// Puts a comment on the tape: its leading commands as events, the rest as text.
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

/// The same for a comment that is already under construction in the arena ([`Texts::begin`]).
pub fn finish_comment(
    charset: Charset,
    place: Place,
    texts: &mut Texts,
    tape: &mut Builder<'_>,
) -> Result<(), OverLimit> {
    if tape.ends_with_command() {
        // The comment before this one was commands alone: end it, or the two would become one.
        tape.comment(place, TextId::NONE)?;
    }
    put_comment(charset, place, texts, tape)
}

/// Puts a comment on the tape as the rest of a comment whose commands stand there already: for
/// formats that keep some commands as fields of their own beside the text.
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

/// Puts commands and text together again when a game is written.
///
/// Feed every event to [`CommentRun::command`]; what it does not take is either a comment, whose
/// full text [`CommentRun::with_text`] gives, or something else, before which
/// [`CommentRun::take`] must be asked for a comment of commands alone.
#[derive(Clone, Default, Debug)]
pub struct CommentRun {
    pending: Vec<u8>,
    handed_out: bool,
}

impl CommentRun {
    /// Takes the event if it is a command in comments ([`Event::command`]).
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
        if self.pending.len() == written {
            self.pending.truncate(before);
        }
        true
    }

    /// The whole comment that ends with this text.
    pub fn with_text<'a>(&'a mut self, text: Text<'a>) -> Text<'a> {
        self.start();
        if self.pending.is_empty() {
            return text;
        }
        if !text.is_empty() {
            self.pending.push(b' ');
            self.pending.extend_from_slice(text.as_bytes());
        }
        self.handed_out = true;
        Text::new(&self.pending, text.charset())
    }

    /// The comment of commands that no text followed, if there is one.
    pub fn take(&mut self) -> Option<Text<'_>> {
        self.start();
        if self.pending.is_empty() {
            return None;
        }
        self.handed_out = true;
        Some(Text::new(&self.pending, Charset::UTF_8))
    }

    /// Whether commands wait for a text.
    pub fn is_pending(&self) -> bool {
        !self.handed_out && !self.pending.is_empty()
    }

    /// Forgets what waits.
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
    use crate::{Game, Limits};

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
    fn commands_alone_stay_a_comment_of_their_own() {
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
    fn comments_come_back_as_they_were() {
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
            let (found, text) = round_trip(comment);
            assert_eq!(text, comment);
            assert_eq!(found, events, "{comment}");
        }
    }
}
