//! Conversion of one or several databases into a new one.
//!
//! [`Converter`] is the entry point: it takes databases and writes a new one, treats damaged games
//! as configured and counts losses. An [`Observer`] is notified of every single loss.

mod assessment;
mod base;
mod charset;
mod converter;
mod copying;
#[cfg(feature = "query")]
mod duplicates;
#[cfg(feature = "fs")]
mod editor;
#[cfg(all(feature = "fs", feature = "parquet"))]
mod folders;
#[cfg(feature = "query")]
mod names;
mod observer;
mod options;
mod read_back;
mod salvage;
mod source;

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_core::files::FileSink;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::{Origin, Prepare, Prepared};
#[cfg(feature = "ascii")]
use chessdb_core::text::Texts;
use chessdb_core::{
    BaseInfo, Diagnostic, Error, ErrorKind, Format, GameStore, GameWrite, LossKind, Losses,
    Severity, WriteOptions,
};
use chessdb_database::first_lost;
use chessdb_database::read_in_order;
use chessdb_database::reading::{GameSlot, ScanRequest, Source};

pub use assessment::Assessment;
pub use base::NamesInUse;
pub use chessdb_files::packed::Progress;
pub use chessdb_files::report::{DiagnosticCount, ExtraCount, GameRef, LossCount, Report, Written};
#[cfg(feature = "fs")]
pub use chessdb_files::sinks::SpoolSink;
pub use chessdb_files::sinks::{MemorySink, StreamSink};
pub use converter::Converter;
#[cfg(feature = "query")]
pub use duplicates::{Duplicate, DuplicateSearch, FoundDuplicates, GamePlace};
#[cfg(feature = "fs")]
pub use editor::Editor;
#[cfg(all(feature = "fs", feature = "parquet"))]
pub use folders::PartitionBy;
#[cfg(feature = "query")]
pub use names::{NameKind, Renaming};
pub use observer::{Observer, Replacement};
pub use options::{OnError, Strictness};
pub use salvage::{SalvageObserver, SalvageReport};

use base::{CopyScope, base_differences, base_for_target};
use options::ConvertOptions;
use read_back::ReadBack;
use source::ConversionSource;

/// The reason why a conversion failed. The target is unchanged.
#[derive(Debug)]
enum Failure {
    /// A source failed as a whole, or is damaged and [`OnError::Stop`] is set.
    Source(chessdb_files::error::Error),
    /// The target could not be written.
    Target(Error),
    /// The observer interrupted the conversion.
    Interrupted,
}

impl Failure {
    fn source(error: Error) -> Failure {
        Failure::Source(error.into())
    }
}

/// A source whose games are being written.
struct BegunSource {
    number: usize,
    /// Whether every game of the source is written.
    is_whole: bool,
    /// The use of its names, if the target has no name tables of it.
    unused: Option<NamesInUse>,
}

/// A target that is being written. It becomes visible only in [`Conversion::finish`].
struct Conversion<'w> {
    writer: Box<dyn GameWrite + 'w>,
    options: ConvertOptions,
    base: BaseInfo,
    carries_names: bool,
    sources: usize,
    /// Whether the database existed before, so that it keeps its own description.
    is_existing: bool,
    /// Number of games that existed before and are rewritten.
    kept_games: u64,
    /// The file name of the current source.
    source: Option<String>,
    /// Whether games of the current source keep their text or row.
    is_copying: bool,
    /// Whether they keep their text.
    is_copying_text: bool,
    report: Report,
    losses: Losses,
    format: &'static Format,
    read_back: ReadBack,
    /// Buffer for texts that are replaced.
    #[cfg(feature = "ascii")]
    old: Texts,
}

impl<'w> Conversion<'w> {
    /// Starts a database in `sink`, described by `base` (see [`base_for_target`]).
    fn start(
        format: &'static Format,
        sink: &'w mut dyn FileSink,
        base: BaseInfo,
        options: ConvertOptions,
    ) -> Result<Conversion<'w>, Failure> {
        let Some(create) = format.writer() else {
            return Err(Failure::Target(
                ErrorKind::Unsupported("writing this format").into(),
            ));
        };
        let mut write = WriteOptions::default();
        // Losses of the database as a whole are known once the writer exists, so strictness is
        // applied here and to the games, not inside `create`.
        write.allow = Allow::Everything;
        write.base = base.clone();
        write.charset = options.charset;
        write.detector = options.detector.clone();
        write.settings = options.settings.clone();
        let writer = create(sink, write).map_err(Failure::Target)?;
        let mut report = Report {
            base_losses: writer.base_losses().clone(),
            written_in: options.written.clone(),
            ..Report::default()
        };
        report.base_losses.merge(&options.base_losses);
        options.refuse_base_losses(&mut report);
        if report.base_losses.count(LossKind::BaseExtra) > 0 {
            report.add_extras(&base.extras, true);
        }
        let mut running = Conversion::of(format, writer, options, report);
        running.carries_names = !base.names.is_empty();
        running.base = base;
        Ok(running)
    }

    /// Creates a conversion with an open writer.
    fn of(
        format: &'static Format,
        writer: Box<dyn GameWrite + 'w>,
        options: ConvertOptions,
        report: Report,
    ) -> Conversion<'w> {
        Conversion {
            writer,
            options,
            base: BaseInfo::default(),
            carries_names: false,
            is_existing: false,
            kept_games: 0,
            sources: 0,
            source: None,
            is_copying: false,
            is_copying_text: false,
            report,
            losses: Losses::new(),
            format,
            read_back: ReadBack::default(),
            #[cfg(feature = "ascii")]
            old: Texts::new(),
        }
    }

    /// Writes the games of source `number`.
    fn add(
        &mut self,
        number: usize,
        source: ConversionSource<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let mut begun = self.begin(number, &source, observer)?;
        self.games(&mut begun, source, observer)?;
        self.end(begun);
        Ok(())
    }

    /// Starts source `number`, before its games.
    fn begin(
        &mut self,
        number: usize,
        source: &ConversionSource<'_>,
        observer: &mut dyn Observer,
    ) -> Result<BegunSource, Failure> {
        let is_first = !self.is_existing && self.sources == 0;
        self.sources += 1;
        self.source.clone_from(&source.name);
        self.begin_copy(number, &source.games)?;
        self.add_base_diagnostics(number, source.diagnostics, observer);
        self.add_base_diagnostics(number, &source.findings, observer);
        let mut unused = None;
        if let Some(base) = source.base {
            if !is_first && self.options.kept != Some(number) {
                self.report
                    .base_losses
                    .merge(&base_differences(&self.base, base));
            }
            if !self.carries_names {
                unused = Some(NamesInUse::new(base));
            }
        }
        Ok(BegunSource {
            number,
            is_whole: source.is_whole(&self.options),
            unused,
        })
    }

    /// Writes the selected games of a source.
    fn games(
        &mut self,
        begun: &mut BegunSource,
        source: ConversionSource<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let number = begun.number;
        let mut request = match self.options.kept == Some(number) {
            true => ScanRequest::default(),
            false => self.options.request.clone(),
        };
        request.jobs = self.options.jobs;
        request.prepare = self.preparer(observer);
        request.selection = source.selection.unwrap_or(request.selection);
        #[cfg(feature = "query")]
        if let (Some(query), Some(db)) = (request.query.clone(), source.db) {
            request.ask(query, db, source.games.store());
        }
        let copied = match source.games {
            Source::Store(store) if self.is_copying => Some(store),
            _ => None,
        };
        let mut failure = None;
        let result = read_in_order(source.games, &request, &mut |slot| {
            if let Some(unused) = &mut begun.unused {
                unused.see(&slot.game);
            }
            let step = self.take(number, copied, slot, observer);
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
        let mut found = result.map_err(Failure::Source)?;
        if self.options.on_error == OnError::Stop
            && let Some(error) = first_lost(&mut found)
        {
            return Err(Failure::source(error));
        }
        if let (Some(store), Some(copier)) = (copied, self.writer.copier()) {
            copier.end_copy(store).map_err(Failure::Target)?;
        }
        self.add_base_diagnostics(number, &found, observer);
        Ok(())
    }

    /// Ends a source, after its games.
    fn end(&mut self, begun: BegunSource) {
        if let Some(unused) = begun.unused {
            let losses = &mut self.report.base_losses;
            if begun.is_whole {
                losses.add_many(LossKind::NameTable, unused.count(), None);
            }
            losses.add_many(LossKind::NameDetails, unused.details(begun.is_whole), None);
        }
    }

    /// Completes the target. If it is refused ([`Report::refused`]), nothing becomes visible.
    fn finish(mut self) -> Result<Report, Failure> {
        self.report.base_losses.merge(&self.writer.late_losses());
        let charset = self.options.charset;
        let misread = self
            .read_back
            .losses(self.format, charset, &self.base, &self.options);
        self.report.base_losses.merge(&misread);
        self.options.refuse_base_losses(&mut self.report);
        // A selection of games that do not exist is a mistake and must not empty a database.
        self.report.refused |= self.report.read == 0 && !self.options.request.is_all();
        if self.report.refused {
            self.report.written = 0;
            return Ok(self.report);
        }
        self.report.exceeded = self.writer.exceeded().to_vec();
        let written = self.writer.finish().map_err(Failure::Target)?;
        self.report.written = u64::from(written).saturating_sub(self.kept_games);
        Ok(self.report)
    }

    /// Reports diagnostics that belong to no game, such as a truncated index.
    fn add_base_diagnostics(
        &mut self,
        source: usize,
        diagnostics: &[Diagnostic],
        observer: &mut dyn Observer,
    ) {
        for diagnostic in diagnostics {
            self.report.add_diagnostic(source, diagnostic);
            observer.diagnostic(source, diagnostic);
            // Text that belongs to no game is copied too.
            if diagnostic.severity == Severity::Lost && !self.is_copying_text {
                self.report.add_base_fault(source);
                self.report.refused |= self.options.forbids_damage(source);
            }
        }
    }

    fn take(
        &mut self,
        source: usize,
        copied: Option<&dyn GameStore>,
        slot: &mut GameSlot,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let kept = self.options.kept == Some(source);
        let mut text = None;
        if !kept && let Some(replacement) = observer.replacement(slot.game.number()) {
            slot.error = None;
            slot.game.replace(replacement.game);
            text = replacement.text;
        }
        match kept {
            true => self.kept_games += 1,
            false => self.report.read += 1,
        }
        self.report.dropped_diagnostics += u64::from(slot.game.dropped_diagnostics());
        for diagnostic in slot.game.diagnostics() {
            self.report.add_diagnostic(source, diagnostic);
            observer.diagnostic(source, diagnostic);
        }
        let damaged = slot.error.is_some() || slot.game.is_damaged();
        self.report
            .damaged_sources
            .extend(damaged.then_some(source));
        let must_be_intact = self.options.keeps_text && copied.is_none();
        if damaged && (must_be_intact || self.options.on_error == OnError::Stop) {
            let error = slot.error.take();
            let error = error.unwrap_or_else(|| slot.game.take_damage());
            return Err(Failure::source(error));
        }
        if let Some(store) = copied {
            return self.copy(source, store, slot, damaged, text.as_deref(), observer);
        }
        if let Some(error) = slot.error.take() {
            self.skip(source, error, observer);
            return Ok(());
        }
        if self.options.drop_deleted && !kept && slot.game.header.flags.contains(GameFlags::DELETED)
        {
            self.report.dropped += 1;
            return Ok(());
        }
        if damaged && self.options.on_error == OnError::Skip {
            self.report.skipped += 1;
            self.report.refused |= self.options.forbids_damage(source);
            return Ok(());
        }
        if !kept {
            observer.edit(&mut slot.game);
            if self.options.kept.is_some() {
                slot.game.header.clear_name_keys();
            }
        }
        let transliterated = self.transliterate(&mut slot.game);
        let (game, prepared) = slot.with_prepared();
        self.write(source, game, prepared, damaged, transliterated, observer)
    }

    /// Returns the preparation for reader threads; `None` if games may change after reading.
    fn preparer(&self, observer: &dyn Observer) -> Option<Arc<dyn Prepare>> {
        let may_change = observer.edits() || self.options.kept.is_some() || self.is_copying;
        #[cfg(feature = "ascii")]
        let may_change = may_change || self.options.ascii;
        match may_change || self.report.refused {
            true => None,
            false => self.writer.preparer(),
        }
    }

    /// Transliterates unrepresentable letters, if requested; returns the number of changed texts.
    fn transliterate(&mut self, game: &mut chessdb_database::Game) -> u32 {
        #[cfg(feature = "ascii")]
        if let (true, Some(page)) = (self.options.ascii, self.options.charset) {
            return charset::transliterate(game, page, &mut self.old);
        }
        let _ = game;
        0
    }

    fn write(
        &mut self,
        source: usize,
        game: &chessdb_database::Game,
        prepared: Option<&mut Prepared>,
        damaged: bool,
        transliterated: u32,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        self.losses.clear();
        if self.report.refused {
            // Nothing will be written, but the report should be complete.
            self.losses = self.writer.assess(game);
        } else {
            let fault = if damaged { game.fault() } else { None };
            let origin = Origin::new(game.number()).of_base(self.source.as_deref());
            self.writer.note_origin(origin.with_fault(fault.as_deref()));
            let written = match prepared {
                Some(prepared) => self.writer.write_prepared(game, prepared),
                None => self.writer.write(game),
            };
            match written {
                Ok(losses) => self.losses = losses,
                Err(error) => match error.kind() {
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
                        self.skip(source, error, observer);
                        return Ok(());
                    }
                },
            }
        }
        self.losses
            .add_many(LossKind::Transliterated, transliterated, None);
        self.note_losses(source, game.number(), observer);
        if self.losses.count(LossKind::Game) > 0 {
            self.report.skipped += 1;
        } else {
            if self.options.reads_back {
                self.read_back.see(game);
            }
            self.report.written += u64::from(self.options.kept != Some(source));
            self.report.cut += u64::from(damaged || self.losses.is_cut());
        }
        if self.losses.count(LossKind::GameExtra) > 0 {
            self.report.add_game_extras(game);
        }
        self.report.refused |= damaged && self.options.forbids_damage(source);
        Ok(())
    }

    /// Skips a game because of an error.
    fn skip(&mut self, source: usize, error: Error, observer: &mut dyn Observer) {
        self.report.skipped += 1;
        self.report.refused |= self.options.forbids_damage(source);
        let (kind, at) = error.into_parts();
        let diagnostic = Diagnostic::new(Severity::Lost, kind, at);
        self.report.add_diagnostic(source, &diagnostic);
        observer.diagnostic(source, &diagnostic);
    }
}

#[cfg(test)]
mod tests;
