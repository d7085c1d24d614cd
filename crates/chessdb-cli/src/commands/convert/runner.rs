//! The conversions of one command: each is run, observed and reported.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chessdb::convert::{GameParts, Report};
use chessdb::core::format::Charsets;
use chessdb::query::Query;
use chessdb::{Converter, Error, FORMATS, Format, Game, OnError, Selection};

use super::{ConversionSteps, converter, interrupts, name};
use crate::args::{ContentOptions, Encoding, OutputOptions};
use crate::commands::plan::ConversionJob;
use crate::exit::{Failure, say};
use crate::game_output::strip_game;
use crate::input;
use crate::json::Json;
use crate::loss_log::LossLog;
use crate::output::print_list;
use crate::report::{self, ConversionObserver, EditGames, Unopened};
use crate::report_file::ReportFile;

/// The conversions of one command, in sequence.
pub(in crate::commands) struct ConversionRunner<'r> {
    args: &'r OutputOptions,
    query: Arc<Query>,
    format: &'static Format,
    interrupted: Arc<AtomicBool>,
    log: Option<LossLog>,
    steps: &'r mut dyn ConversionSteps,
    pub(in crate::commands) reports: Vec<Json>,
    /// The sources that were found in a folder. If one cannot be read, the others still are.
    pub(super) found_paths: HashSet<PathBuf>,
    /// The sources of them that could not be read: name and message.
    pub(super) unread: Vec<(String, String)>,
}

impl<'r> ConversionRunner<'r> {
    /// Checks the arguments. `paths` are the files that the command reads and writes.
    pub(in crate::commands) fn start(
        args: &'r OutputOptions,
        query: Arc<Query>,
        format: &'static Format,
        paths: &[PathBuf],
        steps: &'r mut dyn ConversionSteps,
    ) -> Result<ConversionRunner<'r>, Failure> {
        // Such a format would ignore the option without a word.
        if matches!(args.to_encoding, Some(Encoding::Named(_))) && format.charsets == Charsets::Own
        {
            let takers = FORMATS
                .iter()
                .filter(|format| format.create.is_some() && format.charsets != Charsets::Own);
            let takers: Vec<&str> = takers.map(|format| format.id).collect();
            let name = format.name;
            let takers = takers.join(", ");
            let message =
                format!("{name} is always written as UTF-8; --to-encoding is for {takers}");
            return Err(Failure::Usage(message));
        }
        Ok(ConversionRunner {
            args,
            query,
            format,
            interrupted: interrupts(),
            log: match &args.loss_report {
                Some(path) => Some(LossLog::new(ReportFile::create(path, args.force, paths)?)?),
                None => None,
            },
            steps,
            reports: Vec::new(),
            found_paths: HashSet::new(),
            unread: Vec::new(),
        })
    }

    pub(super) fn job(&mut self, job: &ConversionJob) -> Result<Report, Failure> {
        job.create_folder(self.format)?;
        // Sources first: unfinished work of an earlier run on them is reported even if the target
        // cannot be written.
        let mut readable = ConversionJob {
            sources: Vec::new(),
            target: job.target.clone(),
            below: None,
        };
        let options = input::options(&self.args.input_options).jobs(self.args.jobs.thread_count());
        let (mut sources, mut bases) = (Vec::new(), Vec::new());
        for path in &job.sources {
            let database = input::find(path, &self.args.input_options);
            let opened = database.and_then(|database| match self.steps.chooses() {
                // A chosen pipe is read twice.
                true if self.steps.reorders() || self.args.in_place || database.is_pipe() => {
                    input::open_by_number(options.clone(), database).map(|db| bases.push(db))
                }
                true => options.open_found(database).map(|db| bases.push(db)),
                false => {
                    sources.push(database);
                    Ok(())
                }
            });
            match opened {
                Ok(()) => readable.sources.push(path.clone()),
                Err(error) if self.may_fail(path) => self.note_unread(path, error),
                Err(error) => return Err(self.stopped_by(path, error.into())),
            }
        }
        // Without any source, the conversion fails with the last error.
        if readable.sources.is_empty()
            && let Some((_, message)) = self.unread.pop()
        {
            return Err(Failure::Input(message));
        }
        if !self.steps.chooses() {
            let is_only = readable.sources.len() == 1 && self.query.is_empty();
            let selection = is_only.then(|| self.args.choice.games.clone());
            let mut converter = self.converter(&readable)?.filter(Arc::clone(&self.query));
            for source in sources {
                converter = converter.add_found(source, input::options(&self.args.input_options));
            }
            return self.write(&readable, selection, converter);
        }
        if self.args.append && self.steps.compares_target() && job.target.exists() {
            let target = input::find(&job.target, &self.args.input_options)?;
            let options =
                input::options(&self.args.input_options).jobs(self.args.jobs.thread_count());
            self.steps.look_at_target(options.open_found(target)?)?;
        }
        let query = Arc::clone(&self.query);
        let Some(chosen) = self.steps.choose(&bases, &query)? else {
            return Ok(Report::default());
        };
        let only = chosen.first().filter(|_| chosen.len() == 1).cloned();
        let mut converter = self.converter(&readable)?;
        for (db, selection) in bases.iter().zip(chosen) {
            converter = converter.add_selected(db, selection);
        }
        self.write(&readable, only, converter)
    }

    /// Returns the conversion into the target of a job, without sources.
    pub(in crate::commands) fn converter<'c>(
        &mut self,
        job: &ConversionJob,
    ) -> Result<Converter<'c>, Failure> {
        let mut converter = converter(&job.target, self.format, self.args)?;
        // These options change all games.
        if self.args.content_options.is_nothing() && self.args.source_tag.is_none() {
            converter = converter.renames(self.steps.renames());
            if let Some(games) = self.steps.edited() {
                converter = converter.edit_only(games);
            }
        }
        Ok(match self.steps.in_use() {
            Some(names) => converter.names_in_use(names),
            None => converter,
        })
    }

    /// Returns whether the other sources are read if this one cannot be.
    fn may_fail(&self, path: &Path) -> bool {
        !self.stops() && self.found_paths.contains(path)
    }

    fn stops(&self) -> bool {
        self.args.strict.is_some() || self.args.on_error == OnError::Stop
    }

    /// Adds to the failure of a source what would let the conversion continue.
    fn stopped_by(&self, path: &Path, failure: Failure) -> Failure {
        match failure {
            Failure::Input(message) if self.stops() && self.found_paths.contains(path) => {
                let hint = "omit --strict and --on-error stop to convert the others";
                Failure::Input(format!("{message}; {hint}"))
            }
            failure => failure,
        }
    }

    fn note_unread(&mut self, path: &Path, error: Error) {
        let message = Failure::from(error).into_message();
        self.unread.push((name(path), message));
    }

    /// Writes one new database. `selection` are the games of the only source, if there is one.
    pub(in crate::commands) fn write(
        &mut self,
        job: &ConversionJob,
        selection: Option<Selection>,
        converter: Converter<'_>,
    ) -> Result<Report, Failure> {
        let args = self.args;
        let target_name = name(&job.target);
        let names: Vec<String> = job.sources.iter().map(|path| name(path)).collect();
        let may_fail: Vec<bool> = job.sources.iter().map(|path| self.may_fail(path)).collect();
        // The database that is appended to is read last, if it is read.
        let mut called = names.clone();
        called.extend(args.append.then(|| target_name.clone()));
        let edits =
            self.steps.edits() || !args.content_options.is_nothing() || args.source_tag.is_some();
        let mut edit = StepEdits {
            steps: &mut *self.steps,
            content_options: args.content_options,
            source_tag: args.source_tag.as_deref(),
            sources: &job.sources,
            source: 0,
        };
        let mut watch = ConversionObserver::new(&called, args.quiet, &self.interrupted);
        watch.selection = selection;
        watch.log = self.log.as_mut();
        watch.edit = edits.then_some(&mut edit);
        watch.unopened = Some(Unopened {
            may_fail: &may_fail,
            failed: Vec::new(),
        });
        let result = converter.run_observed(&mut watch);
        let elapsed = watch.progress.elapsed();
        let source = called.get(watch.current).cloned().unwrap_or_default();
        let unopened = watch.unopened.take().map(|unopened| unopened.failed);
        let can_salvage = std::mem::take(&mut watch.can_salvage);
        drop(watch);
        for (source, error) in unopened.into_iter().flatten() {
            if let Some(path) = job.sources.get(source) {
                self.note_unread(path, error);
            }
        }
        let report = result.or_else(Error::into_report);
        let report = report.map_err(|error| {
            let path = error.path().map(Path::to_owned).unwrap_or_default();
            let failure = if args.in_place {
                Failure::in_place(error, &target_name)
            } else {
                Failure::conversion(error, &target_name, &source)
            };
            self.stopped_by(&path, failure)
        })?;
        let target_name = report.target().map_or(target_name, name);
        if let Some(log) = &mut self.log {
            log.base(&report, &target_name);
        }
        if !args.quiet {
            let format = self.format.name;
            let summary = report::summary(&report, &names, &target_name, format, elapsed);
            say(summary.trim_end());
            if let Some(line) = self.steps.summary() {
                say(line);
            }
            for source in report.damaged_sources() {
                let base = names.get(source);
                if let Some(base) = base.filter(|_| can_salvage.contains(&source)) {
                    say(format_args!(
                        "chessdb: `chessdb salvage {base} OUT` may recover more"
                    ));
                }
            }
            let what = if self.query.is_empty() { "no such game" } else { "no matching game" };
            if report.read() == 0 && !(args.choice.games.is_all() && self.query.is_empty()) {
                say(format_args!("chessdb: {}: {what}", names.join(", ")));
            }
        }
        if args.json {
            let mut json = report::json(&report, &names, &target_name, self.format.id);
            if let Json::Object(members) = &mut json {
                let facts = self.steps.facts().into_iter();
                members.extend(facts.map(|(name, value)| (name.to_owned(), value)));
            }
            self.reports.push(json);
        }
        self.steps.restart();
        Ok(report)
    }

    /// Prints the reports and completes the loss log.
    pub(in crate::commands) fn finish(self) -> Result<(), Failure> {
        if self.args.json {
            print_list("conversions", self.reports)?;
        }
        self.log.map_or(Ok(()), LossLog::finish)
    }
}

/// The changes that a command and its options make to games.
struct StepEdits<'s> {
    steps: &'s mut dyn ConversionSteps,
    content_options: ContentOptions,
    /// The tag that gets the name of a game's database.
    source_tag: Option<&'s str>,
    sources: &'s [PathBuf],
    /// The number of the current database.
    source: usize,
}

impl EditGames for StepEdits<'_> {
    fn edit(&mut self, game: &mut Game) {
        self.steps.edit(game);
        strip_game(game, self.content_options);
        // A database that is appended to comes after the sources and keeps its games.
        if let (Some(tag), Some(path)) = (self.source_tag, self.sources.get(self.source)) {
            let name = path.file_name().unwrap_or(path.as_os_str());
            game.set_tag(tag, &name.to_string_lossy());
        }
    }

    fn source(&mut self, source: usize) {
        self.source = source;
        let path = self.sources.get(source);
        self.steps
            .source(&path.map_or(String::new(), |path| name(path)));
    }

    fn parts<'g>(&mut self, game: &'g chessdb::core::Game) -> Option<GameParts<'g>> {
        self.steps.parts(game)
    }

    fn restart(&mut self) {
        self.steps.restart();
    }
}
