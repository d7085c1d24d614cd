//! Copying of games with their text, so that a change of one game leaves all other bytes as they
//! are.

use std::borrow::Cow;

use chessdb_core::store::{GameCopy, StoredText, TextChange};
use chessdb_core::utf16::Utf16;
use chessdb_core::{Charset, ErrorKind, Game, GameStore, Losses, Result, Scratch, Start};

use super::Writer;
use super::append::{LineEnd, Utf8Count};
use super::parts::{Parts, Patch, Rendered, apply, patches};
use crate::game::{ReadScope, read_game};
use crate::report::Source;

/// The byte order mark of UTF-8.
const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// The state of copying.
#[derive(Default, Debug)]
pub(super) struct CopyState {
    /// The game that follows the last one in the source.
    next: Option<u32>,
    /// Whether the game before `next` was removed.
    after_removal: bool,
    /// The number of line breaks at the end of the text so far.
    breaks: usize,
    /// The encoding of a source in UTF-16.
    pub(super) utf_16: Option<Utf16>,
    /// Whether texts of the source are in UTF-8, once that is known.
    is_utf_8: Option<bool>,
    /// The game as stored, and as it is read after the change.
    old: Game,
    read: Game,
    scratch: Scratch,
}

impl GameCopy for Writer<'_> {
    fn begin_copy(&mut self, source: &dyn GameStore) -> Result<bool> {
        let Some(first) = source.stored_text(0) else {
            return Ok(false);
        };
        if first.bytes.starts_with(BOM) {
            self.buffer.extend_from_slice(BOM);
        }
        // The beginning of a file needs no separation.
        let breaks = 2;
        *self.copied = CopyState {
            breaks,
            utf_16: first.utf_16.cloned(),
            ..CopyState::default()
        };
        Ok(true)
    }

    fn copy(
        &mut self,
        source: &dyn GameStore,
        n: u32,
        change: TextChange<'_>,
        is_damaged: bool,
    ) -> Result<Losses> {
        let Some(stored) = stored_without_mark(source, n) else {
            let kind = ErrorKind::bad_field("game number", n);
            return Err(kind.into());
        };
        let text = stored.bytes;
        let mut losses = Losses::new();
        let text = match change {
            TextChange::Unchanged => Cow::Borrowed(text),
            TextChange::Removed => {
                let game = Parts::game(text);
                let before = text.get(..game.start).unwrap_or_default();
                let after = text.get(game.end..).unwrap_or_default();
                let after = after.trim_ascii_start();
                let is_next = self.copied.next.unwrap_or(0) == n;
                if !before.is_empty() && (is_next || !before.trim_ascii().is_empty()) {
                    self.separate(n, before, true);
                    self.append_copied(before);
                }
                self.copied.after_removal = true;
                if !after.is_empty() {
                    // Games remain separated by the blank line before these escape lines.
                    let breaks = self.copied.breaks;
                    self.separate(n, after, true);
                    self.append_copied(after);
                    self.copied.breaks = self.copied.breaks.max(breaks);
                }
                self.copied.next = Some(n.saturating_add(1));
                return Ok(losses);
            }
            TextChange::Game(game) => self
                .changed(source, n, stored, game, is_damaged, &mut losses)?
                .map_or(Cow::Borrowed(text), Cow::Owned),
            TextChange::Text(new) => {
                let new = new.trim_start_matches('\u{FEFF}').trim_end();
                let new = new.replace("\r\n", "\n").replace('\r', "\n");
                let new = LineEnd::detect(text).apply(new.as_bytes());
                let new = self.encode(source, stored, &new)?;
                Cow::Owned(apply(
                    text,
                    vec![Patch::new(Parts::game(text), new.into_owned())],
                ))
            }
        };
        self.separate(n, &text, false);
        self.append_copied(&text);
        self.copied.next = Some(n.saturating_add(1));
        self.copied.after_removal = false;
        self.state.count()?;
        self.flush_portion()?;
        Ok(losses)
    }

    fn end_copy(&mut self, source: &dyn GameStore) -> Result<()> {
        let games = source.len();
        if let Some(rest) = stored_without_mark(source, games).map(|stored| stored.bytes)
            && (self.copied.next.unwrap_or(0) == games || !rest.trim_ascii().is_empty())
        {
            self.separate(games, rest, true);
            self.append_copied(rest);
        }
        Ok(())
    }
}

/// Returns the text of a game without the byte order mark at the beginning of the file, which stays
/// there.
fn stored_without_mark(source: &dyn GameStore, n: u32) -> Option<StoredText<'_>> {
    let mut stored = source.stored_text(n)?;
    if n == 0 {
        stored.bytes = stored.bytes.strip_prefix(BOM).unwrap_or(stored.bytes);
    }
    Some(stored)
}

impl Writer<'_> {
    fn append_copied(&mut self, text: &[u8]) {
        self.buffer.extend_from_slice(text);
        let blanks = text.iter().rev().take_while(|b| b.is_ascii_whitespace());
        let breaks = match LineEnd::detect(text) {
            LineEnd::Cr => blanks.filter(|&&b| b == b'\r').count(),
            _ => blanks.filter(|&&b| b == b'\n').count(),
        };
        if text.trim_ascii().is_empty() {
            self.copied.breaks += breaks;
        } else {
            self.copied.breaks = breaks;
        }
    }

    /// Separates game `n` from a game that did not precede it in the source.
    fn separate(&mut self, n: u32, text: &[u8], is_rest: bool) {
        let copied = &self.copied;
        let is_next = copied.next == Some(n);
        let needed = match (is_next, copied.after_removal) {
            _ if copied.next.is_none() => 0,
            (true, false) => 0,
            // The removed game was separated from the one before in the same way.
            (true, true) if is_rest || text.trim_ascii_start().starts_with(b"[") => 1,
            _ => 2,
        };
        if copied.breaks < needed && !text.is_empty() {
            let line_end = LineEnd::detect(text).bytes();
            for _ in copied.breaks..needed {
                self.buffer.extend_from_slice(line_end);
            }
        }
    }

    /// Returns the text of a game with its changes; `None` if nothing is changed.
    fn changed(
        &mut self,
        source: &dyn GameStore,
        n: u32,
        stored: StoredText<'_>,
        new: &Game,
        is_damaged: bool,
        losses: &mut Losses,
    ) -> Result<Option<Vec<u8>>> {
        // Taken out, because rendering borrows the whole writer.
        let mut state = std::mem::take(&mut self.copied);
        let read = source.game_into(n, &mut state.old, &mut state.scratch);
        let before = self.render(&state.old);
        let after = self.render(new);
        let changed = read.and_then(|()| {
            if before.is_same(&after) {
                return Ok(None);
            }
            let keeps_moves = before.moves_without_result() == after.moves_without_result();
            if is_damaged && !keeps_moves {
                return Err(ErrorKind::Structure(ONLY_TAGS).into());
            }
            *losses = after.losses.beyond(&before.losses);
            let text = stored.bytes;
            let line_end = LineEnd::detect(text);
            let mut all = patches(text, &before, &after, line_end);
            for patch in &mut all {
                if !patch.text.is_ascii() {
                    let encoded = encode(&mut state, source, stored, &patch.text)?;
                    patch.text = encoded.into_owned();
                }
            }
            let changed = apply(text, all);
            let portion = Source {
                bytes: &changed,
                offset: 0,
                number: n.saturating_add(1),
                start: &Start::Standard,
                cut: None,
                followed: n.saturating_add(1) < source.len(),
            };
            // Irregular texts can hide a change: the result among the comments, a tag twice.
            let scope = if keeps_moves { ReadScope::Header } else { ReadScope::Everything };
            let CopyState { read, scratch, .. } = &mut *state;
            let is_read = read_game(portion, stored.options, scope, read, scratch).is_ok();
            let is_right = is_read
                && read.header.outcome == new.header.outcome
                && if keeps_moves {
                    self.render_header(read).has_tags_of(&after, &before)
                } else {
                    let read = self.render(read);
                    read.has_tags_of(&after, &before) && read.moves == after.moves
                };
            if is_right {
                return Ok(Some(changed));
            }
            if is_damaged {
                return Err(ErrorKind::Structure(ONLY_TAGS).into());
            }
            let mut whole = after.header.clone();
            whole.push(b'\n');
            whole.extend_from_slice(&after.moves);
            let whole = line_end.apply(&whole).into_owned();
            let whole = encode(&mut state, source, stored, &whole)?.into_owned();
            Ok(Some(apply(
                text,
                vec![Patch::new(Parts::game(text), whole)],
            )))
        });
        state.scratch.diagnostics.clear();
        self.copied = state;
        changed
    }

    fn render(&mut self, game: &Game) -> Rendered {
        let mut rendered = self.render_header(game);
        let moves = &mut rendered.moves;
        let losses = self.text.append_moves_and_evaluation(game, moves);
        rendered.losses.merge(&losses);
        rendered
    }

    fn render_header(&mut self, game: &Game) -> Rendered {
        let mut header = Vec::new();
        let losses = self.text.append_header(game, &mut header);
        Rendered {
            header,
            moves: Vec::new(),
            outcome: game.header.outcome,
            losses,
        }
    }

    fn encode<'t>(
        &mut self,
        source: &dyn GameStore,
        stored: StoredText<'_>,
        text: &'t [u8],
    ) -> Result<Cow<'t, [u8]>> {
        encode(&mut self.copied, source, stored, text)
    }
}

const ONLY_TAGS: &str =
    "the game is damaged: only its tags can be changed; repair it first (`chessdb edit`)";

/// Returns a text in the encoding of the source.
fn encode<'t>(
    state: &mut CopyState,
    source: &dyn GameStore,
    stored: StoredText<'_>,
    text: &'t [u8],
) -> Result<Cow<'t, [u8]>> {
    let is_unicode = text.is_ascii() || stored.utf_16.is_some();
    if is_unicode || *state.is_utf_8.get_or_insert_with(|| is_utf_8(source)) {
        return Ok(Cow::Borrowed(text));
    }
    let detector = stored.options.detector(Charset::WINDOWS_1252);
    let page = if stored.bytes.is_ascii() {
        detector.page()
    } else {
        detector.around(stored.bytes).page()
    };
    let mut out = Vec::new();
    let text = String::from_utf8_lossy(text);
    match page.encode_strict(&text, &mut out) {
        Ok(()) => Ok(Cow::Owned(out)),
        Err(lacking) => {
            let name = page.name();
            // This is an error of the file, not of the game: nothing is written.
            Err(ErrorKind::Io(std::io::Error::other(format!(
                "the text is in {name}: {lacking}; convert the file to UTF-8 first (`chessdb convert \
                 OLD NEW.pgn`)"
            )))
            .into())
        }
    }
}

/// Returns whether a file is in UTF-8, except for a few stray bytes.
fn is_utf_8(source: &dyn GameStore) -> bool {
    let mut count = Utf8Count::default();
    for n in 0..=source.len() {
        if let Some(stored) = source.stored_text(n) {
            count.add(stored.bytes);
        }
    }
    count.is_utf_8()
}
