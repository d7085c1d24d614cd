//! A conversion in progress: writes one source after another into an open target.

use std::collections::BTreeSet;
use std::path::Path;

use chessdb_core::files::FileSink;
use chessdb_core::format::Charsets;
use chessdb_core::report::Finding;
use chessdb_core::{BaseInfo, Charset, Diagnostic, Format};
use chessdb_database::texts::{sample_games, texts_of};
use chessdb_database::{Database, EditedStore, Selection};
use chessdb_files::error::{Error, Problem, Result, target_error};
use chessdb_files::paths::base_name;

use super::Input;
use crate::convert::charset::choose;
use crate::convert::{
    Conversion, ConversionSource, ConvertOptions, CopyScope, Failure, NamesInUse, Observer,
    ReadBack, Report, base_for_target,
};

/// A conversion in progress with an open target.
pub(in crate::convert) struct Job<'j> {
    pub(in crate::convert) format: &'static Format,
    pub(in crate::convert) options: ConvertOptions,
    pub(in crate::convert) games_only: bool,
    /// Whether there is only one source.
    pub(in crate::convert) is_only_source: bool,
    /// A sample of all sources except the first, if the code page depends on the texts.
    pub(in crate::convert) others: SourceSample,
    pub(in crate::convert) names: Option<NamesInUse>,
    pub(in crate::convert) observer: &'j mut dyn Observer,
    pub(in crate::convert) target: Option<&'j Path>,
    pub(in crate::convert) sink: Option<&'j mut dyn FileSink>,
    pub(in crate::convert) running: Option<Conversion<'j>>,
}

impl Job<'_> {
    /// Writes the games of all sources.
    pub(super) fn run(mut self, sources: Vec<Input<'_>>) -> Result<Report> {
        for (number, source) in sources.into_iter().enumerate() {
            match source {
                Input::Open(db, selection) => self.take(number, db, selection)?,
                #[cfg(feature = "fs")]
                Input::Path(path, options) => {
                    let opened = options.for_target(self.format).open(path);
                    self.take_opened(number, opened)?;
                }
                #[cfg(feature = "fs")]
                Input::Found(found, options) => {
                    let options = options.for_target(self.format);
                    let opened = match self.options.keeps_text {
                        true => open_by_number(options, *found),
                        false => options.open_found(*found),
                    };
                    self.take_opened(number, opened)?;
                }
                Input::Store(store, format) => {
                    let added = self.add(number, ConversionSource::store(store), format);
                    added.map_err(|failure| self.error(failure, None))?;
                }
            }
        }
        let target = self.target;
        let failed = |failure| error(failure, None, target);
        // Without sources the new database is empty.
        self.start(None, CopyScope::Whole, false).map_err(failed)?;
        let report = self
            .running
            .map_or(Ok(Report::default()), Conversion::finish);
        report.map_err(failed)
    }

    /// Writes the games of a database, or reports that it could not be opened.
    #[cfg(feature = "fs")]
    fn take_opened(&mut self, number: usize, opened: Result<Database>) -> Result<()> {
        match opened {
            Ok(db) => self.take(number, &db, None),
            Err(error) => self.observer.unopened(number, error),
        }
    }

    /// Writes the games of a database: the selected ones, or all.
    pub(super) fn take(
        &mut self,
        number: usize,
        db: &Database,
        selection: Option<Selection>,
    ) -> Result<()> {
        let store = db.opened_for(self.format)?;
        let mut source = self.source(db, store.as_ref())?;
        source.selection = selection;
        // Damage that reading does not find forbids the conversion as well.
        if self.options.forbids_damage(number) {
            source.findings = findings_of_container(db);
        }
        self.look_at(number, db);
        let added = self.add(number, source, Some(db.format()));
        added.map_err(|failure| self.error(failure, db.path()))
    }

    /// Returns a database as a source; `store` is from [`Database::opened_for`].
    pub(in crate::convert) fn source<'a>(
        &self,
        db: &'a Database,
        store: Option<&'a EditedStore>,
    ) -> Result<ConversionSource<'a>> {
        let mut source = ConversionSource::database(db, self.format, store)?;
        source.name = db.path().and_then(base_name);
        if self.games_only {
            source.base = None;
        }
        Ok(source)
    }

    /// Chooses the charset if this is the first source, and notifies the observer.
    pub(in crate::convert) fn look_at(&mut self, number: usize, db: &Database) {
        if self.sink.is_some() {
            self.choose_charset(db);
        }
        self.observer.source(number, db);
    }

    /// Chooses the charset of texts, once the first source is open.
    fn choose_charset(&mut self, db: &Database) {
        let keeps = self.is_only_source || self.options.kept.is_some();
        let same = db.format().id == self.format.id && keeps;
        let named = self.options.charset;
        if same && named.is_none() {
            // Copied texts keep their bytes.
            let usual = self.format.default_charset.unwrap_or(Charset::WINDOWS_1252);
            self.options.detector = Some(match self.format.pages {
                [] => db.reading().detector(usual),
                _ => db.reading().uniform_detector(usual),
            });
            return;
        }
        // Bytes in the code page that the caller set for reading are copied, regardless of any
        // guess.
        let is_copied = same && named.is_some() && db.reading().charset == named;
        self.options.reads_back = self.format.charset_prior.is_some() && !is_copied;
        if !depends_on_texts(self.format) {
            return;
        }
        let mut sample = std::mem::take(&mut self.others);
        sample.add(db);
        let SourceSample { texts, games } = sample;
        let own = db.charset().map(|guess| guess.page);
        let misread = |page: Charset| {
            let is_usual =
                self.format.pages.is_empty() && self.format.default_charset == Some(page);
            let page = Some(page).filter(|_| !is_usual);
            let losses = games.losses(self.format, page, &BaseInfo::default(), &self.options);
            losses.iter().map(|loss| loss.count).sum::<u32>()
        };
        if let Some(written) = choose(self.format, &texts, named, own, &misread) {
            self.options.charset = Some(written.charset);
            self.options.written = Some(written);
        }
    }

    fn add(
        &mut self,
        number: usize,
        source: ConversionSource<'_>,
        format: Option<&Format>,
    ) -> Result<(), Failure> {
        self.start_for(number, &source, format)?;
        match &mut self.running {
            Some(running) => running.add(number, source, self.observer),
            None => Ok(()),
        }
    }

    /// Starts the target with the description of this source, unless it was already started.
    pub(in crate::convert) fn start_for(
        &mut self,
        number: usize,
        source: &ConversionSource<'_>,
        format: Option<&Format>,
    ) -> Result<(), Failure> {
        let copy_scope = match self.options.kept {
            Some(kept) if kept == number => CopyScope::Rewrite,
            _ => self.copy_scope(source.is_whole(&self.options), format),
        };
        let keeps_rows = self.options.keeps_rows(number, &source.games);
        self.start(source.base, copy_scope, keeps_rows)
    }

    /// Starts the target, with the description of the first source, unless it was already started.
    fn start(
        &mut self,
        base: Option<&BaseInfo>,
        copy_scope: CopyScope,
        keeps_rows: bool,
    ) -> Result<(), Failure> {
        if let Some(sink) = self.sink.take() {
            let base = base.map(|base| base_for_target(base, copy_scope));
            let mut base = base.unwrap_or_default();
            if keeps_rows {
                // They remain in the file.
                base.extras.clear();
            }
            if let Some(names) = &self.names {
                names.retain(&mut base);
            }
            let options = self.options.clone();
            self.running = Some(Conversion::start(self.format, sink, base, options)?);
        }
        Ok(())
    }

    /// Returns how much of the source's database-level data goes into the target.
    fn copy_scope(&self, whole: bool, format: Option<&Format>) -> CopyScope {
        let same = format.is_some_and(|format| format.id == self.format.id);
        match (whole, self.is_only_source && same) {
            // Name tables are copied although not all games are.
            (false, true) if self.names.is_some() => CopyScope::RewritePart,
            (false, _) => CopyScope::Part,
            (true, true) => CopyScope::Rewrite,
            (true, false) => CopyScope::Whole,
        }
    }

    pub(in crate::convert) fn error(&self, failure: Failure, source: Option<&Path>) -> Error {
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
    if let Some(files) = db.files().filter(|_| db.format().disk.is_some()) {
        files.check_around_games(db.reading(), &mut |finding| {
            let Finding {
                severity, kind, at, ..
            } = finding;
            findings.push(Diagnostic::new(severity, kind, at));
        });
    }
    findings
}

/// Opens a database so that its texts can be copied: packed files are read into memory.
#[cfg(feature = "fs")]
fn open_by_number(
    options: chessdb_database::OpenOptions,
    found: chessdb_files::filesystem::FoundDatabase,
) -> Result<Database> {
    let options = options.streaming(false).numbered(true);
    match options.is_read_whole(&found) {
        true => options.open_found(found),
        false => options.open_in_memory(found.read()?),
    }
}

/// Returns whether the code page of this format depends on the texts. Only then are texts sampled
/// in advance.
pub(super) fn depends_on_texts(format: &Format) -> bool {
    format.charsets == Charsets::Undeclared || !format.pages.is_empty()
}

/// Sampled texts and games of the sources.
#[derive(Default)]
pub(in crate::convert) struct SourceSample {
    texts: BTreeSet<String>,
    games: ReadBack,
}

impl SourceSample {
    fn add(&mut self, db: &Database) {
        self.texts.extend(texts_of(db));
        if !self.texts.is_empty() {
            sample_games(db, &mut |game| self.games.see(game));
        }
    }

    /// Adds a source that can be opened twice.
    pub(super) fn add_source(&mut self, source: &Input<'_>) {
        match source {
            Input::Open(db, _) => self.add(db),
            #[cfg(feature = "fs")]
            Input::Found(found, options) if !found.is_pipe() => {
                // A source that cannot be opened is reported when it is converted.
                if let Ok(db) = options.clone().streaming(true).open_found(found.again()) {
                    self.add(&db);
                }
            }
            _ => {}
        }
    }
}
