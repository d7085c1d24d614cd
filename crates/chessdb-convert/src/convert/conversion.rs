//! The executor of a conversion: writes the games of one source after another into the target.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chessdb_core::files::FileSink;
use chessdb_core::options::Allow;
use chessdb_core::text::EncodingDetector;
#[cfg(feature = "ascii")]
use chessdb_core::text::Texts;
use chessdb_core::{
    BaseInfo, Charset, Diagnostic, Error as CoreError, ErrorKind, Format, GameStore, GameWrite,
    LossKind, Losses, Severity, WriteOptions,
};
use chessdb_database::reading::Source;
use chessdb_database::{Database, Selection};
use chessdb_files::error::{Error, Problem, Result, target_error};
use chessdb_files::filesystem::KnownChanges;
use chessdb_files::paths::base_name;
use chessdb_files::report::Written;

use super::base::{CopyScope, base_differences, base_for_target};
use super::changing::locked;
use super::charset::SourceSample;
use super::converter::Input;
use super::options::ConvertOptions;
use super::read_back::ReadBack;
use super::{NamesInUse, Observer, Report, Strictness};

/// The reason why a conversion failed. The target is unchanged.
#[derive(Debug)]
pub(super) enum Failure {
    /// A source failed as a whole, or is damaged and [`OnError::Stop`] is set.
    Source(Error),
    /// The target could not be written.
    Target(CoreError),
    /// The observer interrupted the conversion.
    Interrupted,
}

impl Failure {
    pub(super) fn source(error: CoreError) -> Failure {
        Failure::Source(error.into())
    }
}

/// A conversion in progress. The target becomes visible only in [`Conversion::finish`].
pub(super) struct Conversion<'w> {
    pub(super) format: &'static Format,
    pub(super) options: ConvertOptions,
    /// The path of the target, for messages.
    target: Option<&'w Path>,
    /// The target until the writer exists: the first source decides how its texts are written.
    pub(super) sink: Option<&'w mut dyn FileSink>,
    pub(super) writer: Option<Box<dyn GameWrite + 'w>>,
    /// Whether there is only one source.
    pub(super) is_only_source: bool,
    /// A sample of all sources except the first, if the code page depends on the texts.
    pub(super) others: SourceSample,
    /// The number of the source that must lose nothing and keeps its name numbers: the database
    /// that is appended to.
    pub(super) kept: Option<usize>,
    /// The number of games that existed before and are rewritten.
    pub(super) kept_games: u64,
    /// Whether the database existed before, so that it keeps its own description.
    pub(super) is_existing: bool,
    /// Gets the number of appended games, which `chessdb undo` shows.
    pub(super) counter: Option<Arc<AtomicU64>>,
    /// Gets what the appended games mean for the index of the database.
    pub(super) known_changes: Option<KnownChanges>,
    /// Whether a written game has texts that are not ASCII.
    pub(super) has_letters: bool,
    /// The charset of texts in the target, if its format allows a choice.
    pub(super) charset: Option<Charset>,
    /// The charset decisions of the source, if it is rewritten in its own format.
    pub(super) detector: Option<EncodingDetector>,
    /// How the texts fit the code page chosen.
    pub(super) written: Option<Written>,
    /// Whether the new database is checked as its readers will decode it ([`super::read_back`]).
    pub(super) reads_back: bool,
    pub(super) read_back: ReadBack,
    /// The data in the target that belongs to no game.
    base: BaseInfo,
    /// The number of sources so far.
    sources: usize,
    /// The number of the current source.
    pub(super) number: usize,
    /// Its file name.
    pub(super) source: Option<String>,
    /// Whether every game of it is written.
    is_whole: bool,
    /// The use of its names, if the target has no name tables of it.
    pub(super) unused: Option<NamesInUse>,
    /// Whether its games keep their text or row.
    pub(super) is_copying: bool,
    /// Whether they keep their text.
    pub(super) is_copying_text: bool,
    pub(super) report: Report,
    pub(super) losses: Losses,
    /// Buffer for texts that are replaced.
    #[cfg(feature = "ascii")]
    pub(super) old: Texts,
}

impl<'w> Conversion<'w> {
    /// Creates a conversion; its target is [`Conversion::sink`] or [`Conversion::writer`].
    pub(super) fn new(
        format: &'static Format,
        options: ConvertOptions,
        target: Option<&'w Path>,
    ) -> Conversion<'w> {
        Conversion {
            format,
            options,
            target,
            sink: None,
            writer: None,
            is_only_source: false,
            others: SourceSample::default(),
            kept: None,
            kept_games: 0,
            is_existing: false,
            counter: None,
            known_changes: None,
            has_letters: false,
            charset: None,
            detector: None,
            written: None,
            reads_back: false,
            read_back: ReadBack::default(),
            base: BaseInfo::default(),
            sources: 0,
            number: 0,
            source: None,
            is_whole: false,
            unused: None,
            is_copying: false,
            is_copying_text: false,
            report: Report::default(),
            losses: Losses::new(),
            #[cfg(feature = "ascii")]
            old: Texts::new(),
        }
    }

    /// Writes the games of all sources.
    pub(super) fn run(
        mut self,
        sources: Vec<Input<'_>>,
        observer: &mut dyn Observer,
    ) -> Result<Report> {
        for (number, source) in sources.into_iter().enumerate() {
            match source {
                Input::Open(db, selection) => self.add(number, db, selection, observer)?,
                Input::Path(path, options) => {
                    let opened = options.for_target(self.format).open(path);
                    self.add_opened(number, opened, observer)?;
                }
                Input::Found(database, options) => {
                    let options = options.for_target(self.format);
                    // Only a store has the bytes of each game.
                    let opened = if self.options.keeps_text {
                        open_by_number(options, *database)
                    } else {
                        options.open_found(*database)
                    };
                    self.add_opened(number, opened, observer)?;
                }
                Input::Store(store, format) => {
                    self.number = number;
                    self.source = None;
                    let games = Source::Store(store);
                    let added = self
                        .begin(&games, Some(store.base()), format, None)
                        .and_then(|()| {
                            self.add_base_diagnostics(store.diagnostics(), observer);
                            self.games(games, None, None, observer)
                        });
                    added.map_err(|failure| self.error(failure, None))?;
                    self.end();
                }
            }
        }
        self.finish()
    }

    /// Writes the games of a database, or reports that it could not be opened.
    fn add_opened(
        &mut self,
        number: usize,
        opened: Result<Database>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        match opened {
            Ok(db) => self.add(number, &db, None, observer),
            Err(error) => observer.unopened(number, error),
        }
    }

    /// Writes the games of a database: the selected ones, or all that the options request.
    pub(super) fn add(
        &mut self,
        number: usize,
        db: &Database,
        selection: Option<Selection>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let store = db.opened_for(self.format)?;
        let games = db.games_for(self.format, store.as_ref())?;
        self.number = number;
        self.begin_database(db, &games, selection.as_ref(), observer)?;
        let added = self.games(games, Some(db), selection, observer);
        added.map_err(|failure| self.error(failure, db.path()))?;
        self.end();
        Ok(())
    }

    /// Starts a database as the current source, before its games.
    pub(super) fn begin_database(
        &mut self,
        db: &Database,
        games: &Source<'_>,
        selection: Option<&Selection>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        // Damage that reading does not find forbids the conversion as well.
        let findings = if self.forbids_damage() { findings_of_container(db) } else { Vec::new() };
        if self.sink.is_some() {
            self.choose_charset(db);
        }
        if self.options.last_observed == 0 {
            observer.source(self.number, db);
        }
        self.source = db.path().and_then(base_name);
        let base = (!db.is_stream() && !self.options.games_only).then(|| db.info());
        let begun = self.begin(games, base, Some(db.format()), selection);
        begun.map_err(|failure| self.error(failure, db.path()))?;
        self.add_base_diagnostics(db.diagnostics(), observer);
        self.add_base_diagnostics(&findings, observer);
        Ok(())
    }

    /// Starts the current source, and the target with its description if it is the first.
    fn begin(
        &mut self,
        games: &Source<'_>,
        base: Option<&BaseInfo>,
        format: Option<&Format>,
        selection: Option<&Selection>,
    ) -> Result<(), Failure> {
        let is_all = selection.is_none_or(Selection::is_all);
        self.is_whole = is_all && self.options.request.is_all() && !self.options.drop_deleted;
        let copy_scope = if self.is_kept() { CopyScope::Rewrite } else { self.copy_scope(format) };
        self.start(base, copy_scope, self.keeps_rows(games))?;
        let is_first = !self.is_existing && self.sources == 0;
        self.sources += 1;
        self.begin_copy(games)?;
        self.unused = None;
        if let Some(base) = base {
            if !is_first && !self.is_kept() {
                let differences = base_differences(&self.base, base);
                self.report.base_losses.merge(&differences);
            }
            // A target without name tables loses the names that no game uses.
            if self.base.names.is_empty() {
                self.unused = Some(NamesInUse::new(base));
            }
        }
        Ok(())
    }

    /// Creates the writer, with the description of the first source, unless it exists.
    fn start(
        &mut self,
        base: Option<&BaseInfo>,
        copy_scope: CopyScope,
        keeps_rows: bool,
    ) -> Result<(), Failure> {
        // The writer exists since the first source, which alone gives the data of the database.
        let Some(sink) = self.sink.take() else {
            return Ok(());
        };
        let base = base.map(|base| base_for_target(base, copy_scope));
        self.base = base.unwrap_or_default();
        if keeps_rows {
            // They remain in the file.
            self.base.extras.clear();
        }
        if let Some(names) = &self.options.names {
            names.retain(&mut self.base);
        }
        let Some(create) = self.format.writer() else {
            return Err(Failure::Target(
                ErrorKind::Unsupported("writing this format").into(),
            ));
        };
        let writer = create(sink, self.write_options()).map_err(Failure::Target)?;
        self.report.base_losses = writer.base_losses().clone();
        self.report.written_in.clone_from(&self.written);
        let losses = &mut self.report.base_losses;
        losses.merge(&self.options.base_losses);
        if losses.count(LossKind::BaseExtra) > 0 {
            self.report.add_extras(&self.base.extras, true);
        }
        self.refuse_base_losses();
        self.writer = Some(writer);
        Ok(())
    }

    /// Returns the options of the writer.
    pub(super) fn write_options(&self) -> WriteOptions {
        let mut options = WriteOptions::default();
        // Losses of the database as a whole are known once the writer exists, so strictness is
        // applied here and to the games, not when the writer is created.
        options.allow = Allow::Everything;
        options.base = self.base.clone();
        options.charset = self.charset;
        options.detector = self.detector.clone();
        // Without holes among games and names, nothing of the old numbering is worth keeping.
        options.renumbers_names = self.options.drop_deleted && self.options.names.is_some();
        options.settings.clone_from(&self.options.settings);
        options
    }

    /// Returns how much of the source's database-level data goes into the target.
    fn copy_scope(&self, format: Option<&Format>) -> CopyScope {
        let same = format.is_some_and(|format| format.id == self.format.id);
        match (self.is_whole, self.is_only_source && same) {
            // Name tables are copied although not all games are.
            (false, true) if self.options.names.is_some() => CopyScope::RewritePart,
            (false, _) => CopyScope::Part,
            (true, true) => CopyScope::Rewrite,
            (true, false) => CopyScope::Whole,
        }
    }

    /// Ends the current source, after its games.
    pub(super) fn end(&mut self) {
        if let Some(unused) = self.unused.take() {
            let losses = &mut self.report.base_losses;
            if self.is_whole {
                losses.add_many(LossKind::NameTable, unused.count(), None);
            }
            losses.add_many(LossKind::NameDetails, unused.details(self.is_whole), None);
        }
    }

    /// Completes the target. If it is refused ([`Report::refused`]), nothing becomes visible.
    pub(super) fn finish(mut self) -> Result<Report> {
        let target = self.target;
        let failed = |failure| error(failure, None, target);
        // Without sources the new database is empty.
        self.start(None, CopyScope::Whole, false).map_err(failed)?;
        let Some(writer) = self.writer.take() else {
            return Ok(self.report);
        };
        let losses = &mut self.report.base_losses;
        // Some losses are known only after the last game.
        losses.merge(&writer.late_losses());
        let settings = &self.options.settings;
        let misread = self
            .read_back
            .losses(self.format, self.charset, &self.base, settings);
        losses.merge(&misread);
        self.refuse_base_losses();
        // A selection of games that do not exist is a mistake and must not empty a database.
        self.report.refused |= self.report.read == 0 && !self.options.request.is_all();
        if self.report.refused {
            self.report.written = 0;
            return Ok(self.report);
        }
        if let Some(counter) = &self.counter {
            counter.store(self.report.written, Ordering::Relaxed);
        }
        if let Some(known) = &self.known_changes {
            locked(known).changes_letters = self.has_letters;
        }
        self.report.exceeded = writer.exceeded().to_vec();
        let written = writer.finish();
        let written = written.map_err(|error| target_error(error, target))?;
        // The writer counts the games that were there before, too.
        self.report.written = u64::from(written).saturating_sub(self.kept_games);
        Ok(self.report)
    }

    /// Reports diagnostics that belong to no game, such as a truncated index.
    pub(super) fn add_base_diagnostics(
        &mut self,
        diagnostics: &[Diagnostic],
        observer: &mut dyn Observer,
    ) {
        for diagnostic in diagnostics {
            self.report.add_diagnostic(self.number, diagnostic);
            observer.diagnostic(self.number, diagnostic);
            // Text that belongs to no game is copied too.
            if diagnostic.severity == Severity::Lost && !self.is_copying_text {
                self.report.add_base_fault(self.number);
                self.report.refused |= self.forbids_damage();
            }
        }
    }

    /// Returns whether the current source is the database that is appended to.
    pub(super) fn is_kept(&self) -> bool {
        self.kept == Some(self.number)
    }

    /// Returns whether the games of the current source keep their rows, with everything else in
    /// their file: if the target replaces it.
    pub(super) fn keeps_rows(&self, games: &Source<'_>) -> bool {
        let is_replaced = self.options.keeps_text || self.is_kept();
        let has_rows = |store: &dyn GameStore| store.stored_rows().is_some();
        is_replaced && matches!(games, Source::Store(store) if has_rows(*store))
    }

    /// Refuses the conversion if the options forbid one of its losses of the database as a whole.
    fn refuse_base_losses(&mut self) {
        let kinds = self.report.base_losses.iter().map(|loss| loss.kind);
        for kind in kinds.collect::<Vec<_>>() {
            let is_allowed = self.options.allowed.contains(&kind);
            if self.options.strict == Strictness::Everything && !is_allowed {
                self.report.refuse(kind);
            }
        }
    }

    /// Returns whether damage of the current source forbids the conversion.
    pub(super) fn forbids_damage(&self) -> bool {
        self.options.is_strict() || self.is_kept()
    }

    pub(super) fn error(&self, failure: Failure, source: Option<&Path>) -> Error {
        error(failure, source, self.target)
    }
}

fn error(failure: Failure, source: Option<&Path>, target: Option<&Path>) -> Error {
    match failure {
        Failure::Source(error) => error.with_path(source),
        Failure::Target(error) => target_error(error, target),
        Failure::Interrupted => Problem::Interrupted.into(),
    }
}

/// Returns what the library of a container, such as SQLite, finds in the files of a database.
fn findings_of_container(db: &Database) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    // Only these formats are containers with structures that reading the games does not visit.
    if let Some(files) = db.files().filter(|_| db.format().disk.is_some()) {
        files.check_around_games(db.reading(), &mut |finding| {
            let diagnostic = Diagnostic::new(finding.severity, finding.kind, finding.at);
            findings.push(diagnostic);
        });
    }
    findings
}

/// Opens a database so that its texts can be copied: packed files are read into memory.
pub(super) fn open_by_number(
    options: chessdb_database::OpenOptions,
    database: chessdb_files::filesystem::FoundDatabase,
) -> Result<Database> {
    let options = options.streaming(false).numbered(true);
    if options.is_read_whole(&database) {
        options.open_found(database)
    } else {
        options.open_in_memory(database.read()?)
    }
}
