//! Games from one or several bases into another one.
//!
//! A [`Conversion`] is the writing end: it is started on a target, takes [`Source`]s one after
//! another, and is finished. It decides what becomes of damaged games and counts what gets lost.

mod base;
mod feed;
mod report;

use std::fmt;
use std::ops::ControlFlow;

use chessdb_core::{
    Allow, BaseInfo, Charset, Diagnostic, Error, ErrorKind, FileSink, Format, GameFlags, GameWrite,
    Loss, LossKind, Losses, Severity, WriteOptions,
};

pub use base::{Share, carry_base, unmerged};
pub use feed::{
    BadSelection, Executor, Games, InOrder, Item, Selection, StreamNumbers, Task, Visit,
    end_of_stream,
};
pub use report::{FIRST, GameRef, LossCount, OddityCount, Report};

use base::UnusedNames;

/// What becomes of a game of which the source does not give everything.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnError {
    /// What could be read is written, and counted as cut. A game of which nothing could be read is
    /// left out, and counted as skipped.
    #[default]
    Keep,
    /// It is left out, and counted as skipped.
    Skip,
    /// The conversion ends with an error and nothing is written.
    Stop,
}

/// How a conversion is done.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// What becomes of damaged games.
    pub on_error: OnError,
    /// Whether any loss means that nothing is written at all.
    pub strict: bool,
    /// Whether games marked as deleted are left out.
    pub drop_deleted: bool,
    /// Which games of each source.
    pub selection: Selection,
    /// The charset of texts in the target, where its format leaves a choice.
    pub charset: Option<Charset>,
}

/// One base that goes into the target.
#[derive(Debug)]
pub struct Source<'a> {
    /// Its games.
    pub games: Games<'a>,
    /// What belongs to no single game, where the format knows such things.
    pub base: Option<&'a BaseInfo>,
    /// What was found on opening it.
    pub diagnostics: &'a [Diagnostic],
}

impl<'a> Source<'a> {
    /// The games and the description of a store.
    pub fn store(store: &'a dyn chessdb_core::GameStore) -> Source<'a> {
        Source {
            games: Games::Store(store),
            base: Some(store.base()),
            diagnostics: store.diagnostics(),
        }
    }

    /// Games as they come.
    pub fn stream(stream: Box<dyn chessdb_core::GameRead + Send + 'a>) -> Source<'a> {
        Source {
            games: Games::Stream(stream),
            base: None,
            diagnostics: &[],
        }
    }
}

/// Watches a conversion; every method may stay empty.
pub trait Observer {
    /// A game has been dealt with. [`ControlFlow::Break`] interrupts the conversion.
    fn game(&mut self, _report: &Report) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The target cannot hold something of this game.
    fn loss(&mut self, _at: GameRef, _loss: &Loss) {}

    /// A source was damaged or odd here.
    fn diagnostic(&mut self, _source: usize, _diagnostic: &Diagnostic) {}
}

/// Looks away.
impl Observer for () {}

/// Why a conversion came to nothing. The target has not been touched.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConvertError {
    /// A source failed as a whole, or [`OnError::Stop`] met damage.
    Source(usize, Error),
    /// The target could not be written.
    Target(Error),
    /// The observer broke it off.
    Interrupted,
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Source(_, error) => write!(f, "reading failed: {error}"),
            ConvertError::Target(error) => write!(f, "writing failed: {error}"),
            ConvertError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConvertError::Source(_, error) | ConvertError::Target(error) => Some(error),
            ConvertError::Interrupted => None,
        }
    }
}

/// A target that is being filled. Dropped before [`Conversion::finish`], nothing becomes visible.
pub struct Conversion<'w> {
    writer: Box<dyn GameWrite + 'w>,
    options: ConvertOptions,
    base: BaseInfo,
    carries_names: bool,
    sources: usize,
    report: Report,
    losses: Losses,
}

impl fmt::Debug for Conversion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversion")
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

impl<'w> Conversion<'w> {
    /// Starts a base of this format in `sink`, described by `base` (see [`carry_base`]).
    pub fn start(
        format: &'static Format,
        sink: &'w mut dyn FileSink,
        base: BaseInfo,
        options: ConvertOptions,
    ) -> Result<Conversion<'w>, ConvertError> {
        let Some(create) = format.create else {
            return Err(ConvertError::Target(
                ErrorKind::Unsupported("writing this format").into(),
            ));
        };
        let mut write = WriteOptions::default();
        // Losses of the base are known once the writer exists, so strictness is applied here and
        // to the games, not inside `create`.
        write.allow = Allow::Everything;
        write.base = base.clone();
        write.charset = options.charset;
        let writer = create(sink, write).map_err(ConvertError::Target)?;
        let mut report = Report {
            base_losses: writer.base_losses().clone(),
            ..Report::default()
        };
        report.refused = options.strict && !report.base_losses.is_empty();
        let carries_names = !base.names.is_empty();
        let losses = Losses::new();
        Ok(Conversion {
            writer,
            options,
            base,
            carries_names,
            sources: 0,
            report,
            losses,
        })
    }

    /// What has happened so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Writes the games of one more source.
    pub fn add(
        &mut self,
        source: Source<'_>,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Result<(), ConvertError> {
        let number = self.sources;
        self.sources += 1;
        self.concerns_base(number, source.diagnostics, observer);
        let whole = self.options.selection.is_all() && !self.options.drop_deleted;
        let mut unused = None;
        if let Some(base) = source.base {
            if number > 0 {
                self.report.base_losses.merge(&unmerged(&self.base, base));
            }
            if !self.carries_names {
                unused = Some(UnusedNames::new(base));
            }
        }
        let task = Task {
            selection: self.options.selection.clone(),
            heads_only: false,
        };
        let mut failure = None;
        let result = executor.run(source.games, &task, &mut |item| {
            if let Some(unused) = &mut unused {
                unused.see(&item.game);
            }
            let step = self.take(number, item, observer);
            let step = step.and_then(|()| match observer.game(&self.report) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(ConvertError::Interrupted),
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
        let mut found = result.map_err(|error| ConvertError::Source(number, error))?;
        let is_lost = |found: &Diagnostic| found.severity == Severity::Lost;
        if self.options.on_error == OnError::Stop && found.iter().any(is_lost) {
            return Err(ConvertError::Source(number, first_lost(&mut found)));
        }
        self.concerns_base(number, &found, observer);
        if let Some(unused) = unused {
            let losses = &mut self.report.base_losses;
            if whole {
                losses.add_many(LossKind::NameTable, unused.count(), None);
            }
            losses.add_many(LossKind::NameDetails, unused.details(whole), None);
        }
        Ok(())
    }

    /// Completes the target, unless strictness forbids it or none of the games selected is there: then
    /// nothing becomes visible and [`Report::refused`] says so.
    pub fn finish(mut self) -> Result<Report, ConvertError> {
        self.report.base_losses.merge(&self.writer.late_losses());
        self.report.refused |= self.options.strict && self.report.has_losses();
        // A list of games that are not there is a mistake, and must not empty a base.
        self.report.refused |= self.report.read == 0 && !self.options.selection.is_all();
        if self.report.refused {
            self.report.written = 0;
            return Ok(self.report);
        }
        self.report.exceeded = self.writer.exceeded().to_vec();
        let written = self.writer.finish().map_err(ConvertError::Target)?;
        self.report.written = u64::from(written);
        Ok(self.report)
    }

    /// What concerns a source as a whole: names or games of an index that is cut short, or text behind
    /// the last game, belong to no game that could tell of them.
    fn concerns_base(
        &mut self,
        source: usize,
        diagnostics: &[Diagnostic],
        observer: &mut dyn Observer,
    ) {
        for diagnostic in diagnostics {
            self.report.add_diagnostic(source, diagnostic);
            observer.diagnostic(source, diagnostic);
            if diagnostic.severity == Severity::Lost {
                self.report.base_faults += 1;
                self.report.refused |= self.options.strict;
            }
        }
    }

    fn take(
        &mut self,
        source: usize,
        item: &mut Item,
        observer: &mut dyn Observer,
    ) -> Result<(), ConvertError> {
        self.report.read += 1;
        self.report.more_oddities += u64::from(item.more_diagnostics);
        for diagnostic in &item.diagnostics {
            self.report.add_diagnostic(source, diagnostic);
            observer.diagnostic(source, diagnostic);
        }
        let damaged = item.is_damaged();
        if damaged && self.options.on_error == OnError::Stop {
            let error = item
                .error
                .take()
                .unwrap_or_else(|| first_lost(&mut item.diagnostics));
            return Err(ConvertError::Source(source, error));
        }
        if let Some(error) = item.error.take() {
            self.skip(source, error, observer);
            return Ok(());
        }
        if self.options.drop_deleted && item.game.head.flags.contains(GameFlags::DELETED) {
            self.report.dropped += 1;
            return Ok(());
        }
        if damaged && self.options.on_error == OnError::Skip {
            self.report.skipped += 1;
            return Ok(());
        }
        self.write(source, item, damaged, observer)
    }

    fn write(
        &mut self,
        source: usize,
        item: &mut Item,
        damaged: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), ConvertError> {
        let at = GameRef {
            source,
            game: item.number,
        };
        self.losses.clear();
        if self.report.refused {
            // Nothing will be written, but the report is to be complete.
            self.losses = self.writer.assess(&item.game);
        } else {
            match self.writer.write(&item.game) {
                Ok(losses) => self.losses = losses,
                Err(error) => match error.kind() {
                    ErrorKind::Unrepresentable(kind) => {
                        self.losses.add(LossKind::Game, None);
                        if *kind != LossKind::Game {
                            self.losses.add(*kind, error.location().ply);
                        }
                    }
                    ErrorKind::Io(_) | ErrorKind::LimitExceeded { .. } => {
                        return Err(ConvertError::Target(error));
                    }
                    _ => {
                        self.skip(source, error, observer);
                        return Ok(());
                    }
                },
            }
        }
        for loss in &self.losses {
            self.report.add_loss(at, loss);
            observer.loss(at, loss);
        }
        if self.losses.count(LossKind::Game) > 0 {
            self.report.skipped += 1;
        } else {
            self.report.written += 1;
            self.report.cut += u64::from(damaged || self.losses.count(LossKind::MovesCut) > 0);
        }
        self.report.refused |= self.options.strict && self.report.has_losses();
        Ok(())
    }

    /// Leaves a game out because of an error.
    fn skip(&mut self, source: usize, error: Error, observer: &mut dyn Observer) {
        self.report.skipped += 1;
        self.report.refused |= self.options.strict;
        let (kind, at) = error.into_parts();
        let diagnostic = Diagnostic::new(Severity::Lost, kind, at);
        self.report.add_diagnostic(source, &diagnostic);
        observer.diagnostic(source, &diagnostic);
    }
}

fn first_lost(diagnostics: &mut Vec<Diagnostic>) -> Error {
    let at = diagnostics
        .iter()
        .position(|diagnostic| diagnostic.severity == Severity::Lost);
    match at.map(|at| diagnostics.swap_remove(at)) {
        Some(diagnostic) => Error::new(diagnostic.kind).at(diagnostic.at),
        None => ErrorKind::Structure("damaged").into(),
    }
}

/// Writes one source into a new base, game after game, on the calling thread.
pub fn convert(
    source: Source<'_>,
    base: BaseInfo,
    format: &'static Format,
    sink: &mut dyn FileSink,
    options: ConvertOptions,
    observer: &mut dyn Observer,
) -> Result<Report, ConvertError> {
    let mut conversion = Conversion::start(format, sink, base, options)?;
    conversion.add(source, &mut InOrder, observer)?;
    conversion.finish()
}

#[cfg(test)]
mod tests;
