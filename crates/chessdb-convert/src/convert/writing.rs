//! The games of a source: read on several threads, and written in order.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_core::model::GameFlags;
use chessdb_core::store::{Origin, Prepare, Prepared};
use chessdb_core::{Diagnostic, Error as CoreError, ErrorKind, GameStore, LossKind, Severity};
use chessdb_database::reading::{GameSlot, ScanRequest, Source};
use chessdb_database::{Database, Game, Selection, first_lost, read_in_order};

use super::conversion::{Conversion, Failure};
use super::{Observer, OnError};

impl Conversion<'_> {
    /// Writes the selected games of the current source, of the database `db` if it is one.
    pub(super) fn games(
        &mut self,
        games: Source<'_>,
        db: Option<&Database>,
        selection: Option<Selection>,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let mut request = if self.is_kept() {
            ScanRequest::default()
        } else {
            self.options.request.clone()
        };
        request.jobs = self
            .options
            .jobs
            .unwrap_or_else(|| chessdb_database::threads(0));
        request.prepare = self.preparer(observer);
        request.selection = selection.unwrap_or(request.selection);
        // Only a database has an index file, which the query uses.
        if let (Some(query), Some(db)) = (request.query.clone(), db) {
            request.ask(query, db, games.store());
        }
        let copied = match games {
            Source::Store(store) if self.is_copying => Some(store),
            _ => None,
        };
        let mut failure = None;
        let result = read_in_order(games, &request, &mut |slot| {
            if let Some(unused) = &mut self.unused {
                unused.see(&slot.game);
            }
            let step = self.take(copied, slot, observer);
            let step = step.and_then(|()| match observer.game(&self.report) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Failure::Interrupted),
            });
            match step {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let mut diagnostics = result.map_err(Failure::Source)?;
        if self.options.on_error == OnError::Stop
            && let Some(error) = first_lost(&mut diagnostics)
        {
            return Err(Failure::source(error));
        }
        if let (Some(store), Some(writer)) = (copied, &mut self.writer)
            && let Some(copier) = writer.copier()
        {
            copier.end_copy(store).map_err(Failure::Target)?;
        }
        self.add_base_diagnostics(&diagnostics, observer);
        Ok(())
    }

    fn take(
        &mut self,
        copied: Option<&dyn GameStore>,
        slot: &mut GameSlot,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let is_kept = self.is_kept();
        let mut text = None;
        let number = slot.game.number();
        let is_edited = !is_kept && self.options.edits(self.number, number);
        if is_edited && let Some(replacement) = observer.replacement(number) {
            slot.error = None;
            slot.game.replace(replacement.game);
            text = replacement.text;
        }
        if is_kept {
            self.kept_games += 1;
        } else {
            self.report.read += 1;
        }
        self.report.dropped_diagnostics += u64::from(slot.game.dropped_diagnostics());
        for diagnostic in slot.game.diagnostics() {
            self.report.add_diagnostic(self.number, diagnostic);
            if number > self.options.last_observed {
                observer.diagnostic(self.number, diagnostic);
            }
        }
        let damaged = slot.error.is_some() || slot.game.is_damaged();
        let sources = &mut self.report.damaged_sources;
        sources.extend(damaged.then_some(self.number));
        // Without its bytes, a damaged game cannot be written as it was.
        let must_be_intact = self.options.keeps_text && copied.is_none();
        if damaged && (must_be_intact || self.options.on_error == OnError::Stop) {
            let error = slot.error.take();
            let error = error.unwrap_or_else(|| slot.game.take_damage());
            return Err(Failure::source(error));
        }
        if let Some(store) = copied {
            return self.copy(store, slot, damaged, text.as_deref(), observer);
        }
        if let Some(error) = slot.error.take() {
            self.skip(error, observer);
            return Ok(());
        }
        let is_deleted = slot.game.header.flags.contains(GameFlags::DELETED);
        if self.options.drop_deleted && !is_kept && is_deleted {
            self.report.dropped += 1;
            return Ok(());
        }
        if damaged && self.options.on_error == OnError::Skip {
            self.report.skipped += 1;
            self.report.refused |= self.forbids_damage();
            return Ok(());
        }
        if is_edited {
            observer.edit(&mut slot.game);
        }
        if !is_kept && (self.kept.is_some() || self.options.is_appended(self.number)) {
            // The keys of another database would name other records of the target.
            slot.game.header.clear_name_keys();
        }
        if is_edited && observer.edits() {
            let model = std::mem::take(&mut *slot.game);
            if let Some(parts) = observer.parts(&model) {
                for part in parts {
                    *slot.game = part;
                    let transliterated = self.transliterate(&mut slot.game);
                    self.write(&slot.game, None, damaged, transliterated, observer)?;
                }
                return Ok(());
            }
            *slot.game = model;
        }
        let transliterated = self.transliterate(&mut slot.game);
        let (game, prepared) = slot.with_prepared();
        self.write(game, prepared, damaged, transliterated, observer)
    }

    /// Returns the preparation for reader threads; `None` if games may change after reading.
    fn preparer(&self, observer: &dyn Observer) -> Option<Arc<dyn Prepare>> {
        // What reader threads prepare must be the game that is written.
        let may_change = observer.edits() || self.kept.is_some() || self.is_copying;
        #[cfg(feature = "ascii")]
        let may_change = may_change || self.options.ascii;
        let writer = self.writer.as_ref();
        let writer = writer.filter(|_| !may_change && !self.report.refused)?;
        writer.preparer()
    }

    /// Transliterates unrepresentable letters, if requested; returns the number of changed texts.
    fn transliterate(&mut self, game: &mut Game) -> u32 {
        #[cfg(feature = "ascii")]
        if let (true, Some(page)) = (self.options.ascii, self.charset) {
            return super::charset::transliterate(game, page, &mut self.old);
        }
        let _ = game;
        0
    }

    fn write(
        &mut self,
        game: &Game,
        prepared: Option<&mut Prepared>,
        damaged: bool,
        transliterated: u32,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        self.losses.clear();
        self.has_letters |= self.is_existing && !game.texts.is_ascii();
        if self.report.refused {
            // Nothing will be written, but the report should be complete.
            self.losses = writer.assess(game);
        } else {
            let fault = if damaged { game.fault() } else { None };
            let origin = Origin::new(game.number()).of_base(self.source.as_deref());
            writer.note_origin(origin.with_fault(fault.as_deref()));
            let written = match prepared {
                Some(prepared) => writer.write_prepared(game, prepared),
                None => writer.write(game),
            };
            match written {
                Ok(losses) => self.losses = losses,
                Err(error) => match error.kind() {
                    // The format cannot store this game, which is a loss and no fault of it.
                    ErrorKind::Unrepresentable(kind) => {
                        self.losses.add(LossKind::Game, None);
                        if *kind != LossKind::Game {
                            self.losses.add(*kind, error.location().ply);
                        }
                    }
                    ErrorKind::Io(_) | ErrorKind::LimitExceeded { .. } => {
                        return Err(Failure::Target(error));
                    }
                    _ => {
                        self.skip(error, observer);
                        return Ok(());
                    }
                },
            }
        }
        let losses = &mut self.losses;
        losses.add_many(LossKind::Transliterated, transliterated, None);
        self.note_losses(game.number(), observer);
        if self.losses.count(LossKind::Game) > 0 {
            self.report.skipped += 1;
        } else {
            if self.reads_back {
                self.read_back.see(game);
            }
            self.report.written += u64::from(!self.is_kept());
            self.report.cut += u64::from(damaged || self.losses.is_cut());
        }
        if self.losses.count(LossKind::GameExtra) > 0 {
            self.report.add_game_extras(game);
        }
        self.report.refused |= damaged && self.forbids_damage();
        Ok(())
    }

    /// Skips a game because of an error.
    pub(super) fn skip(&mut self, error: CoreError, observer: &mut dyn Observer) {
        self.report.skipped += 1;
        self.report.refused |= self.forbids_damage();
        let (kind, location) = error.into_parts();
        let diagnostic = Diagnostic::new(Severity::Lost, kind, location);
        self.report.add_diagnostic(self.number, &diagnostic);
        observer.diagnostic(self.number, &diagnostic);
    }
}
