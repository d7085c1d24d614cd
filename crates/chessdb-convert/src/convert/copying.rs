//! Changing a database in place: games keep their text or row, damaged ones too.

use chessdb_core::error::Location;
use chessdb_core::model::GameFlags;
use chessdb_core::store::TextChange;
use chessdb_core::{ErrorKind, GameStore, Losses};
use chessdb_database::reading::{GameSlot, Source};

use super::conversion::{Conversion, Failure};
use super::{GameRef, Observer};

impl Conversion<'_> {
    /// Begins to copy texts or rows if the options and the formats allow it.
    pub(super) fn begin_copy(&mut self, games: &Source<'_>) -> Result<(), Failure> {
        let keeps_rows = self.keeps_rows(games);
        let copier = self.writer.as_mut().and_then(|writer| writer.copier());
        self.is_copying = match (games, copier) {
            (Source::Store(store), Some(copier)) if keeps_rows || self.options.keeps_text => {
                copier.begin_copy(*store).map_err(Failure::Target)?
            }
            _ => false,
        };
        self.is_copying_text = self.is_copying && !keeps_rows;
        Ok(())
    }

    /// Writes a game with its text or row, which changes only where the observer changes the game.
    pub(super) fn copy(
        &mut self,
        store: &dyn GameStore,
        slot: &mut GameSlot,
        is_damaged: bool,
        text: Option<&str>,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let is_kept = self.is_kept();
        let is_read = slot.error.take().is_none();
        let is_deleted = is_read && slot.game.header.flags.contains(GameFlags::DELETED);
        let change = if is_kept {
            TextChange::Unchanged
        } else if is_deleted && self.options.drop_deleted {
            self.report.dropped += 1;
            TextChange::Removed
        } else {
            if is_read && self.options.edits(self.number, slot.game.number()) {
                observer.edit(&mut slot.game);
            }
            // A row cannot be replaced by a text.
            match text.filter(|_| self.is_copying_text) {
                Some(text) => TextChange::Text(text),
                None if is_read && slot.game.may_be_changed() => TextChange::Game(&slot.game),
                None => TextChange::Unchanged,
            }
        };
        let is_removed = matches!(change, TextChange::Removed);
        let index = slot.game.index();
        let copier = self.writer.as_mut().and_then(|writer| writer.copier());
        let written = match copier {
            Some(copier) => copier.copy(store, index, change, is_damaged),
            None => Ok(Losses::new()),
        };
        self.losses.clear();
        match written {
            Ok(losses) => {
                self.report.carried += u64::from(is_damaged && !is_removed);
                self.losses = losses;
            }
            Err(error) => match error.kind() {
                // The target cannot be written any more; other errors concern this game only.
                ErrorKind::Io(_) => return Err(Failure::Target(error)),
                _ => {
                    let place = Location::game(slot.game.number());
                    self.skip(error.at(place), observer);
                }
            },
        }
        self.report.written += u64::from(!is_removed && !is_kept);
        self.note_losses(slot.game.number(), observer);
        Ok(())
    }

    /// Reports the losses of a game, which may refuse the conversion.
    pub(super) fn note_losses(&mut self, game: u32, observer: &mut dyn Observer) {
        let source = self.number;
        let place = GameRef { source, game };
        let forbids = self.forbids_damage();
        self.report.lossy_games += u64::from(!self.losses.is_empty());
        for loss in &self.losses {
            self.report.add_loss(place, loss);
            if game > self.options.last_observed {
                observer.loss(place, loss);
            }
            if forbids && !self.options.allowed.contains(&loss.kind) {
                self.report.refuse(loss.kind);
            }
        }
    }
}
