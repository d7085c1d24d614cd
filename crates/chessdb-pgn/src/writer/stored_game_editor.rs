//! A change of a stored game that leaves all other bytes of its text as they are.

use std::borrow::Cow;

use chessdb_core::store::{StoredText, TextChange};
use chessdb_core::{Charset, ErrorKind, Game, GameStore, Losses, Result, Scratch, Start};

use super::append::{LineEnd, Utf8Count};
use super::parts::{Parts, Patch, Rendered, apply, patches};
use super::{GameText, Layout};
use crate::game::{ReadScope, read_game};
use crate::report::Source;

/// A game and its text in a store.
#[derive(Clone, Copy)]
pub(super) struct StoredGame<'s> {
    pub(super) source: &'s dyn GameStore,
    pub(super) n: u32,
    pub(super) stored: StoredText<'s>,
}

/// Changes the texts of stored games, reusing its memory.
#[derive(Default, Debug)]
pub(super) struct StoredGameEditor {
    text: GameText,
    /// Whether texts of the source are in UTF-8, once that is known.
    is_utf_8: Option<bool>,
    /// The game as stored, unless the caller has it, and as it is read after the change.
    old: Game,
    read: Game,
    scratch: Scratch,
}

impl StoredGameEditor {
    pub(super) fn new(layout: Layout) -> StoredGameEditor {
        StoredGameEditor {
            text: GameText::new(layout),
            ..StoredGameEditor::default()
        }
    }

    /// Returns the text of a game after a change that does not remove it; `None` if it stays as it is.
    /// Adds what the changed game loses. `old` is the game as it is read, unless it must be read here.
    pub(super) fn change(
        &mut self,
        place: StoredGame<'_>,
        old: Option<&Game>,
        change: TextChange<'_>,
        is_damaged: bool,
        losses: &mut Losses,
    ) -> Result<Option<Vec<u8>>> {
        match change {
            TextChange::Unchanged | TextChange::Removed => Ok(None),
            TextChange::Game(new) => {
                // Taken out, because the editor changes with each game that it renders.
                let mut read = std::mem::take(&mut self.old);
                let old = match old {
                    Some(old) => Ok(old),
                    None => {
                        let scratch = &mut self.scratch;
                        place
                            .source
                            .game_into(place.n, &mut read, scratch)
                            .map(|()| &read)
                    }
                };
                let changed = old.and_then(|old| self.edit(place, old, new, is_damaged, losses));
                self.old = read;
                self.scratch.diagnostics.clear();
                changed
            }
            TextChange::Text(new) => {
                let new = new.trim_start_matches('\u{FEFF}').trim_end();
                let new = new.replace("\r\n", "\n").replace('\r', "\n");
                self.replace(place, new.as_bytes()).map(Some)
            }
        }
    }

    /// Returns the stored text with another game in place of the whole game.
    fn replace(&mut self, place: StoredGame<'_>, new: &[u8]) -> Result<Vec<u8>> {
        let stored = place.stored;
        let new = LineEnd::detect(stored.bytes).apply(new);
        let new = self.encode(place, &new)?.into_owned();
        let game = Parts::game(stored.bytes);
        Ok(apply(stored.bytes, vec![Patch::new(game, new)]))
    }

    /// Returns the stored text with the changes that make it the game `new`; `None` if there are
    /// none.
    fn edit(
        &mut self,
        place: StoredGame<'_>,
        old: &Game,
        new: &Game,
        is_damaged: bool,
        losses: &mut Losses,
    ) -> Result<Option<Vec<u8>>> {
        let StoredGame { source, n, stored } = place;
        let before = Rendered::new(&mut self.text, old);
        let after = Rendered::new(&mut self.text, new);
        if before.is_same(&after) {
            return Ok(None);
        }
        let keeps_moves = before.moves_without_result() == after.moves_without_result();
        if is_damaged && !keeps_moves {
            return Err(ErrorKind::Structure(ONLY_TAGS).into());
        }
        *losses = after.losses.beyond(&before.losses);
        let line_end = LineEnd::detect(stored.bytes);
        let mut all = patches(stored.bytes, &before, &after, line_end);
        for patch in &mut all {
            if !patch.text.is_ascii() {
                patch.text = self.encode(place, &patch.text)?.into_owned();
            }
        }
        let changed = apply(stored.bytes, all);
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
        let (read, scratch) = (&mut self.read, &mut self.scratch);
        let is_read = read_game(portion, stored.options, scope, read, scratch).is_ok();
        let is_right = is_read
            && read.header.outcome == new.header.outcome
            && if keeps_moves {
                Rendered::header(&mut self.text, read).has_tags_of(&after, &before)
            } else {
                let read = Rendered::new(&mut self.text, read);
                read.has_tags_of(&after, &before) && read.moves == after.moves
            };
        if is_right {
            return Ok(Some(changed));
        }
        if is_damaged {
            return Err(ErrorKind::Structure(ONLY_TAGS).into());
        }
        let whole = [&after.header[..], b"\n", &after.moves].concat();
        self.replace(place, &whole).map(Some)
    }

    /// Returns a text in the encoding of the source.
    fn encode<'t>(&mut self, place: StoredGame<'_>, text: &'t [u8]) -> Result<Cow<'t, [u8]>> {
        let StoredGame { source, stored, .. } = place;
        let is_unicode = text.is_ascii() || stored.utf_16.is_some();
        if is_unicode || *self.is_utf_8.get_or_insert_with(|| is_utf_8(source)) {
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
}

const ONLY_TAGS: &str =
    "the game is damaged: only its tags can be changed; repair it first (`chessdb edit`)";

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
