//! Copying of games with their text, so that a change of one game leaves all other bytes as they
//! are.

use std::borrow::Cow;

use chessdb_core::store::{GameCopy, StoredText, TextChange};
use chessdb_core::utf16::Utf16;
use chessdb_core::{ErrorKind, GameStore, Losses, Result};

use super::Writer;
use super::append::LineEnd;
use super::parts::Parts;
use super::stored_game_editor::{StoredGame, StoredGameEditor};

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
    editor: StoredGameEditor,
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
            editor: StoredGameEditor::new(self.text.layout),
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
            let kind = ErrorKind::no_such_game(n, source.len());
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
            TextChange::Game(_) | TextChange::Text(_) => {
                let editor = &mut self.copied.editor;
                let place = StoredGame { source, n, stored };
                let changed = editor.change(place, None, change, is_damaged, &mut losses)?;
                changed.map_or(Cow::Borrowed(text), Cow::Owned)
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
pub(super) fn stored_without_mark(source: &dyn GameStore, n: u32) -> Option<StoredText<'_>> {
    let mut stored = source.stored_text(n)?;
    if let (0, Some(rest)) = (n, stored.bytes.strip_prefix(BOM)) {
        stored.bytes = rest;
        stored.offset = BOM.len() as u64;
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
}
