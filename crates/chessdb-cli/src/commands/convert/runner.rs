//! The conversions of one command: each is run, observed and reported.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chessdb::convert::Report;
use chessdb::core::format::Charsets;
use chessdb::fs::FoundDatabase;
use chessdb::query::Query;
use chessdb::{Database, Error, FORMATS, Format, Game, Selection};

use super::{ConversionSteps, converter, interrupts, name};
use crate::args::{Encoding, OnErrorArg, OutputOptions};
use crate::commands::plan::ConversionJob;
use crate::exit::{Failure, say};
use crate::game_output::strip_game;
use crate::input;
use crate::json::Json;
use crate::loss_log::LossLog;
use crate::output::print_list;
use crate::progress::Progress;
use crate::report::{self, ConversionObserver, Unopened};
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
    pub(super) found: HashSet<PathBuf>,
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
            found: HashSet::new(),
            unread: Vec::new(),
        })
    }

    pub(super) fn job(&mut self, job: &ConversionJob) -> Result<Report, Failure> {
        job.create_folder(self.format)?;
        // Sources first: unfinished work of an earlier run on them is reported even if the target
        // cannot be written.
        let mut left = ConversionJob {
            sources: Vec::new(),
            target: job.target.clone(),
            below: None,
        };
        let options = input::options(&self.args.input_options).jobs(self.args.jobs.thread_count());
        let (mut sources, mut bases) = (Vec::new(), Vec::new());
        for path in &job.sources {
            let found = input::find(path, &self.args.input_options);
            let opened = found.and_then(|found| match self.steps.chooses() {
                // A chosen pipe is read twice.
                true if self.steps.reorders() || self.args.in_place || found.is_pipe() => {
                    input::open_by_number(options.clone(), found).map(|db| bases.push(db))
                }
                true => options.open_found(found).map(|db| bases.push(db)),
                false => {
                    sources.push(found);
                    Ok(())
                }
            });
            match opened {
                Ok(()) => left.sources.push(path.clone()),
                Err(error) if self.may_fail(path) => self.note_unread(path, error),
                Err(error) => return Err(self.stopped_by(path, error.into())),
            }
        }
        if left.sources.is_empty()
            && let Some((_, message)) = self.unread.pop()
        {
            return Err(Failure::Input(message));
        }
        if !self.steps.chooses() {
            return self.write(&left, GameSources::FoundDatabase(sources));
        }
        if self.args.append && self.steps.compares_target() && job.target.exists() {
            let target = input::find(&job.target, &self.args.input_options)?;
            let options =
                input::options(&self.args.input_options).jobs(self.args.jobs.thread_count());
            self.steps.look_at_target(&options.open_found(target)?)?;
        }
        let query = Arc::clone(&self.query);
        let Some(chosen) = self.steps.choose(&bases, &query)? else {
            return Ok(Report::default());
        };
        let chosen: Vec<(&Database, Selection)> = bases.iter().zip(chosen).collect();
        self.write(&left, GameSources::Chosen(chosen))
    }

    /// Returns whether the other sources are read if this one cannot be.
    fn may_fail(&self, path: &Path) -> bool {
        !self.stops() && self.found.contains(path)
    }

    fn stops(&self) -> bool {
        self.args.strict.is_some() || self.args.on_error == OnErrorArg::Stop
    }

    /// Adds to the failure of a source what would let the conversion continue.
    fn stopped_by(&self, path: &Path, failure: Failure) -> Failure {
        match failure {
            Failure::Input(message) if self.stops() && self.found.contains(path) => {
                let hint = "omit --strict and --on-error stop to convert the others";
                Failure::Input(format!("{message}; {hint}"))
            }
            failure => failure,
        }
    }

    fn note_unread(&mut self, path: &Path, error: Error) {
        let message = Failure::from(error).message().map(str::to_owned);
        self.unread.push((name(path), message.unwrap_or_default()));
    }

    /// Writes one new database.
    pub(in crate::commands) fn write(
        &mut self,
        job: &ConversionJob,
        sources: GameSources<'_>,
    ) -> Result<Report, Failure> {
        let args = self.args;
        let target_name = name(&job.target);
        let names: Vec<String> = job.sources.iter().map(|path| name(path)).collect();
        let (selection, alone) = match &sources {
            GameSources::Chosen(chosen) => match &chosen[..] {
                [(_, selection)] => (selection.clone(), true),
                _ => (args.choice.games.clone(), false),
            },
            GameSources::FoundDatabase(_) => (
                args.choice.games.clone(),
                names.len() == 1 && self.query.is_empty(),
            ),
        };
        let salvages: Vec<bool> = match &sources {
            GameSources::FoundDatabase(found) => {
                found.iter().map(|it| it.format().salvages).collect()
            }
            GameSources::Chosen(chosen) => {
                chosen.iter().map(|(db, _)| db.format().salvages).collect()
            }
        };
        let may_fail: Vec<bool> = job.sources.iter().map(|path| self.may_fail(path)).collect();
        // The database that is appended to is read last, if it is read.
        let mut called = names.clone();
        called.extend(args.append.then(|| target_name.clone()));
        let mut converter = converter(&job.target, self.format, args)?;
        if let Some(names) = self.steps.in_use() {
            converter = converter.names_in_use(names);
        }
        match sources {
            GameSources::FoundDatabase(found) => {
                converter = converter.filter(Arc::clone(&self.query));
                for found in found {
                    converter = converter.add_found(found, input::options(&args.input_options));
                }
            }
            GameSources::Chosen(chosen) => {
                for (db, selection) in chosen {
                    converter = converter.add_selected(db, selection);
                }
            }
        }
        let steps = &mut *self.steps;
        let edits = steps.edits() || !args.content_options.is_nothing();
        let mut edit = |game: &mut Game| {
            steps.edit(game);
            strip_game(game, args.content_options);
        };
        let mut watch = ConversionObserver {
            replacement: None,
            progress: Progress::new(!args.quiet),
            alone,
            selection: &selection,
            games: None,
            bytes: None,
            log: self.log.as_mut(),
            sources: &called,
            current: 0,
            edit: edits.then_some(&mut edit),
            interrupted: &self.interrupted,
            unopened: Some(Unopened {
                may_fail: &may_fail,
                failed: Vec::new(),
            }),
        };
        let result = converter.observer(&mut watch).run();
        let elapsed = watch.progress.elapsed();
        let source = called.get(watch.current).cloned().unwrap_or_default();
        let unopened = watch.unopened.take().map(|unopened| unopened.failed);
        drop(watch);
        for (source, error) in unopened.into_iter().flatten() {
            if let Some(path) = job.sources.get(source) {
                self.note_unread(path, error);
            }
        }
        let report = result.or_else(Error::into_report);
        let report = report.map_err(|error| {
            let path = error.path().map(Path::to_owned).unwrap_or_default();
            let failure = match args.in_place {
                true => Failure::in_place(error, &target_name),
                false => Failure::conversion(error, &target_name, &source),
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
            if let Some(said) = self.steps.summary() {
                say(said);
            }
            for source in report.damaged_sources() {
                let can_salvage = salvages.get(source).is_some_and(|can| *can);
                if let Some(base) = names.get(source).filter(|_| can_salvage) {
                    say(format_args!(
                        "chessdb: `chessdb salvage {base} OUT` may recover more"
                    ));
                }
            }
            let what = match self.query.is_empty() {
                true => "no such game",
                false => "no matching game",
            };
            if report.read() == 0 && !(args.choice.games.is_all() && self.query.is_empty()) {
                say(format_args!("chessdb: {}: {what}", names.join(", ")));
            }
        }
        if args.json {
            self.reports
                .push(report::json(&report, &names, &target_name, self.format.id));
        }
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

/// The sources of the games of a new database.
pub(in crate::commands) enum GameSources<'s> {
    /// Databases with all matching games; they are opened one after another.
    FoundDatabase(Vec<FoundDatabase>),
    /// Selected games of open databases.
    Chosen(Vec<(&'s Database, Selection)>),
}
