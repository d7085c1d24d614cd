//! Changes of single games in an existing file: only their bytes are written, and the bytes after
//! them move (docs/formats/pgn.md).

use std::collections::BTreeMap;

use chessdb_core::files::Growing;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, StoredText, TextChange};
use chessdb_core::{
    ErrorKind, Game, GameStore, Losses, ReadOptions, Result, Scratch, Severity, WriteOptions,
};

use super::append::{ExistingFile, WriterTarget};
use super::copy::stored_without_mark;
use super::stored_game_editor::{StoredGame, StoredGameEditor};
use super::{GameText, layout};
use crate::Store;
use crate::roles::PGN_FILE;

/// A file whose games are being changed.
pub(crate) struct GameChanger<'a> {
    base: &'a mut dyn Growing,
    allow: Allow,
    editor: StoredGameEditor,
    /// The changed bytes of each game: their offset, the old ones, the new ones.
    splices: BTreeMap<u32, (u64, Vec<u8>, Vec<u8>)>,
    /// The end of the file, and new games with LF as line end, once there are any.
    appended: Option<(ExistingFile, Vec<u8>)>,
    text: GameText,
    /// Whether the file is known to be in UTF-8.
    is_utf_8: bool,
    /// In a file in UTF-16, a game and the length of the text before it in bytes of the file.
    utf_16_offset: (u32, u64),
}

impl<'a> GameChanger<'a> {
    /// Opens a file.
    pub(crate) fn open(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<GameChanger<'a>> {
        let layout = layout(&options)?;
        Ok(GameChanger {
            base,
            editor: StoredGameEditor::new(layout),
            allow: options.allow,
            splices: BTreeMap::new(),
            appended: None,
            text: GameText::new(layout),
            is_utf_8: false,
            utf_16_offset: (0, 0),
        })
    }

    /// Changes a game without a store of the caller's.
    fn change_alone(
        &mut self,
        n: u32,
        change: &mut dyn FnMut(&mut Game),
    ) -> Result<Option<Losses>> {
        let bytes = self.base.read_whole(PGN_FILE)?;
        let store = Store::open(&bytes, ReadOptions::default().with_facts(true))?;
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        store.game_into(n, &mut game, &mut scratch)?;
        let old = game.clone();
        let mut diagnostics = scratch.diagnostics.iter();
        let is_damaged = diagnostics.any(|finding| finding.severity == Severity::Lost);
        change(&mut game);
        self.change_text(&store, n, &old, TextChange::Game(&game), is_damaged)
    }

    /// Returns the offset of the text of game `n` in the file. `None` if the text before it cannot be
    /// in the file.
    fn offset(&mut self, store: &dyn GameStore, n: u32, stored: &StoredText<'_>) -> Option<u64> {
        if stored.utf_16.is_none() {
            return Some(stored.offset);
        }
        let (mut game, mut offset) = self.utf_16_offset;
        if game > n {
            (game, offset) = (0, 0);
        }
        for game in game..n {
            let text = str::from_utf8(store.stored_text(game)?.bytes).ok()?;
            offset += 2 * text.encode_utf16().count() as u64;
        }
        self.utf_16_offset = (n, offset);
        // The first text follows the byte order mark, which is one unit.
        Some(if n == 0 && stored.offset > 0 { 2 } else { offset })
    }

    /// Notes the new text of a game. Returns false if the offset of the old one is not known.
    fn write(
        &mut self,
        store: &dyn GameStore,
        n: u32,
        stored: StoredText<'_>,
        text: &[u8],
    ) -> Result<bool> {
        let Some(offset) = self.offset(store, n, &stored) else {
            return Ok(false);
        };
        let encode = |text: &[u8]| match stored.utf_16 {
            Some(utf_16) => utf_16.encode(text),
            None => Ok(text.to_vec()),
        };
        let (old, new) = (encode(stored.bytes)?, encode(text)?);
        // Only the bytes that differ count.
        let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| {
            pairs.take_while(|(old, new)| old == new).count()
        };
        let before = same(&mut old.iter().zip(&new));
        let rest = (old.iter().rev().zip(new.iter().rev())).take(old.len().min(new.len()) - before);
        let after = same(&mut rest.into_iter());
        let differing = |bytes: &[u8]| {
            let bytes = bytes.get(before..bytes.len() - after);
            bytes.unwrap_or_default().to_vec()
        };
        let (old, new) = (differing(&old), differing(&new));
        if old == new {
            self.splices.remove(&n);
        } else {
            self.splices.insert(n, (offset + before as u64, old, new));
        }
        Ok(true)
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, _: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        self.change_alone(n, &mut |game| game.header.flags = new)
    }

    fn replace(&mut self, n: u32, _: &Game, new: &Game) -> Result<Option<Losses>> {
        self.change_alone(n, &mut |game| game.clone_from(new))
    }

    fn change_text(
        &mut self,
        store: &dyn GameStore,
        n: u32,
        old: &Game,
        change: TextChange<'_>,
        is_damaged: bool,
    ) -> Result<Option<Losses>> {
        let stored = stored_without_mark(store, n).filter(|_| n < store.len());
        let Some(stored) = stored.filter(|_| !matches!(change, TextChange::Removed)) else {
            return Ok(None);
        };
        let mut losses = Losses::new();
        let editor = &mut self.editor;
        let place = StoredGame {
            source: store,
            n,
            stored,
        };
        let text = match editor.change(place, Some(old), change, is_damaged, &mut losses) {
            // The moves of a damaged game cannot be changed.
            Err(error) if matches!(error.kind(), ErrorKind::Structure(_)) => return Ok(None),
            text => text?,
        };
        self.allow.check(&losses)?;
        let is_written = match text {
            Some(text) => self.write(store, n, stored, &text)?,
            None => true,
        };
        Ok(is_written.then_some(losses))
    }

    fn append(&mut self, game: &Game) -> Result<Option<Losses>> {
        if self.appended.is_none() {
            let end = ExistingFile::examine(self.base)?;
            self.appended = end.map(|end| (end, Vec::new()));
        }
        let Some((end, bytes)) = &mut self.appended else {
            return Ok(None);
        };
        let start = bytes.len();
        if bytes.is_empty() {
            bytes.extend_from_slice(&end.separator);
        }
        let losses = self.text.append(game, bytes);
        let is_wide = !bytes.get(start..).unwrap_or_default().is_ascii();
        if is_wide && !self.is_utf_8 {
            WriterTarget::old(&mut *self.base).check(bytes)?;
            self.is_utf_8 = true;
        }
        self.allow.check(&losses)?;
        Ok(Some(losses))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        if self.splices.is_empty() && self.appended.is_none() {
            return Ok(());
        }
        let file = self.base.grow(PGN_FILE)?;
        if let Some((end, bytes)) = &self.appended {
            let length = self.base.length(PGN_FILE).unwrap_or(0);
            let bytes = end.line_end.apply(bytes);
            self.base.splice(file, length, &[], &bytes)?;
        }
        for (offset, old, new) in self.splices.into_values().rev() {
            self.base.splice(file, offset, &old, &new)?;
        }
        self.base.commit()
    }
}
