//! Appending to an existing database: records at the end of the games, new names at the ends of
//! their files, entries at the end of the index (docs/formats/dcx.md, section 16).

use chessdb_core::files::Growing;
use chessdb_core::store::{ChangeGames, WriteEncoded};
use chessdb_core::{ErrorKind, Game, Losses, Result, WriteOptions};

use super::change::{GameChanger, number_names, read_names};
use super::existing::ExistingIndex;
use super::{EncodedGame, GameEncoder};
use crate::format::CHESS960;
use crate::raw::{FileKind, Layout, NameFile};

impl<'a> GameChanger<'a> {
    /// Opens a database for appending. Reads its index and its names, but no game.
    ///
    /// Returns `None` if the database must be rewritten: if it has another layout than the current
    /// one, if a file ends within an entry or name, or if an entry points outside its file, where
    /// new records would be mistaken for its own.
    pub(crate) fn open_to_append(
        base: &'a mut dyn Growing,
        options: &WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let changer = GameChanger::open(base, options)?;
        let is_current =
            |index: &ExistingIndex| index.layout == Layout::CURRENT && index.version == Some(0);
        let Some(mut changer) = changer.filter(|changer| is_current(&changer.index)) else {
            return Ok(None);
        };
        if !changer.can_append()? {
            return Ok(None);
        }
        // New promotions would decide how the others are read.
        let records = changer.records.as_mut();
        let Some(records) = records.filter(|records| records.has_standard_promotions()) else {
            return Ok(None);
        };
        records.open(&changer.index, changer.base)?;
        Ok(Some(changer))
    }

    /// Reads what new games need. Returns false if the database must be rewritten.
    pub(super) fn can_append(&mut self) -> Result<bool> {
        if !self.read_records()? {
            return Ok(false);
        }
        for kind in [FileKind::Players, FileKind::Sites, FileKind::Events] {
            if read_names(self.base, &mut self.names, kind)?.is_none() {
                return Ok(false);
            }
        }
        if let Some(records) = &mut self.records {
            records.examine_promotions(&self.index, self.base)?;
        }
        Ok(true)
    }
}

impl WriteEncoded for GameChanger<'_> {
    chessdb_core::writer_state!(GameEncoder);

    fn fit(&self, _: &Game, encoded: &mut EncodedGame, _: &mut Losses) -> bool {
        let records = self.records.as_ref();
        records.is_some_and(|records| records.have_room(&encoded.coder.body))
    }

    fn put(&mut self, game: &Game, encoded: &mut EncodedGame) -> Result<()> {
        let EncodedGame {
            entry,
            names,
            coder,
        } = encoded;
        if !number_names(self.base, &mut self.names, entry, None, names)? {
            let limit = NameFile::MAX_RECORDS;
            return Err(ErrorKind::over_limit("names in a table", limit.into()).into());
        }
        if let Some(records) = &mut self.records {
            entry.offset = records.append(&coder.record, &self.index, self.base)?;
        }
        self.added.extend_from_slice(&entry.to_bytes());
        let is_chess960 = game.is_chess960().into();
        self.state.compare_limit(&CHESS960, is_chess960);
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        ChangeGames::finish(self)
    }
}
