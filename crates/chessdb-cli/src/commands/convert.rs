//! `convert`: bases into others.
// tidy: long because one command, from its arguments to its last line

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb::convert::{NamesInUse, Report, Strictness};
use chessdb::core::Charsets;
use chessdb::fs::Found;
use chessdb::query::Query;
use chessdb::{Converter, Database, Error, FORMATS, Format, Game, Selection};

use crate::args::{Convert, Encoding, OnErrorArg, Writing};
use crate::commands::plan::{Job, Plan, is_stream, plan};
use crate::commands::texts;
use crate::exit::{Done, Failure, Outcome, say};
use crate::input;
use crate::inputs::failed_json;
use crate::json::{Json, document};
use crate::output::{count, stdout};
use crate::progress::Progress;
use crate::query;
use crate::report::{self, LossLog, Unopened, Watch};
use crate::shape::shape;

pub(crate) fn run(args: &Convert) -> Outcome {
    let done = run_all("convert", &args.words, &args.writing, &mut AsTheyAre)?;
    if let Some(folder) = &args.texts
        && !(done == Done::No && args.writing.strict.is_some())
    {
        let (paths, _) = query::divide_at_term(&args.words);
        let sources = paths.split_last().map_or(paths, |(_, sources)| sources);
        texts::beside(sources, folder, &args.writing.reading, &args.writing)?;
    }
    Ok(done)
}

/// What a command does with games on their way, beyond writing them.
pub(super) trait Arrange {
    /// Which games of each base are written, and in which order; nothing for those that fit the query,
    /// in the order of the bases.
    fn choose(
        &mut self,
        _bases: &[Database],
        _query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        Ok(None)
    }

    /// Whether bases are opened for [`Arrange::choose`].
    fn chooses(&self) -> bool {
        false
    }

    /// The names that are left, if others are to go that are in tables only.
    fn in_use(&mut self) -> Option<NamesInUse> {
        None
    }

    /// Changes a game before it is written.
    fn edit(&mut self, _game: &mut Game) {}

    /// What is to be said at the end.
    fn summary(&self) -> Option<String> {
        None
    }
}

/// Every game that fits, as it is.
struct AsTheyAre;

impl Arrange for AsTheyAre {}

/// Writes what the words of a command name, arranged as it says.
pub(super) fn run_all(
    command: &str,
    words: &[PathBuf],
    args: &Writing,
    arrange: &mut dyn Arrange,
) -> Outcome {
    let (paths, terms) = query::divide_at_term(words);
    let query = query::read(terms, args.choice.asking)?;
    let plan = plan(command, args, paths)?;
    let to_stdout = plan.jobs.iter().any(|job| job.target.as_os_str() == "-");
    let report_to_stdout = args
        .loss_report
        .as_deref()
        .is_some_and(|path| path.as_os_str() == "-");
    if usize::from(to_stdout) + usize::from(report_to_stdout) + usize::from(args.json) > 1 {
        let message = "games, --json and --loss-report - cannot share standard output";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut run = Run::start(args, query, plan.format, arrange)?;
    run.found.clone_from(&plan.found);
    let mut done = Done::Yes;
    let mut games = 0;
    let mut unread = plan.others.clone();
    for job in &plan.jobs {
        match run.job(job, plan.in_folder) {
            Ok(report) => {
                games += report.written();
                let no = report.is_refused() || report.is_incomplete();
                done = done.max(if no { Done::No } else { Done::Yes });
            }
            // In a folder one bad base is no reason to leave out the others.
            Err(failure @ (Failure::Input(_) | Failure::Output(_))) if plan.in_folder => {
                let message = failure.message().unwrap_or_default().to_owned();
                if let Failure::Output(_) = failure {
                    say(format_args!("chessdb: {message}"));
                    done = done.max(Done::SomeUnwritten);
                    run.reports.push(failed_json(&name(&job.target), &message));
                } else {
                    let source = job.sources.first().map_or(String::new(), |path| name(path));
                    unread.push((source, message));
                }
            }
            Err(Failure::Interrupted) => {
                if !args.quiet {
                    say_what_was_kept(&plan, job);
                }
                return Err(Failure::Interrupted);
            }
            Err(failure) => return Err(failure),
        }
    }
    unread.append(&mut run.unread);
    for (source, message) in &unread {
        say(format_args!("chessdb: {message}"));
        run.reports.push(failed_json(source, message));
        done = done.max(Done::SomeUnread);
    }
    if plan.in_folder && !args.quiet {
        let bases = (plan.jobs.len() + plan.others.len()) as u64;
        let not_read = match unread.len() {
            0 => String::new(),
            number => format!(", {number} not read"),
        };
        let (bases, games) = (count(bases, "base"), count(games, "game"));
        say(format_args!("{bases}, {games}{not_read}"));
    } else if !unread.is_empty() && !plan.found.is_empty() && !args.quiet {
        let named: usize = plan.jobs.iter().map(|job| job.sources.len()).sum();
        let all = count((named + plan.others.len()) as u64, "database");
        say(format_args!("chessdb: {} of {all} not read", unread.len()));
    }
    run.finish()?;
    Ok(done)
}

/// After Ctrl-C.
fn say_what_was_kept(plan: &Plan, job: &Job) {
    let target = name(&job.target);
    let done = plan.jobs.iter().take_while(|other| *other != job).count();
    let before = match (plan.in_folder, done) {
        (true, done) => format!("; {done} of {} bases are done", plan.jobs.len()),
        (false, _) => String::new(),
    };
    let kept = match is_stream(&job.target) {
        true => "the games that were printed are complete".to_owned(),
        false if job.target.exists() => format!("{target} is as it was before{before}"),
        false => format!("{target} was not written{before}"),
    };
    say(format_args!("chessdb: interrupted: {kept}"));
}

fn open_log(path: &Path) -> Result<LossLog, Failure> {
    let open = || -> io::Result<LossLog> {
        match path.as_os_str() == "-" {
            true => LossLog::new(Box::new(stdout())),
            false => LossLog::new(Box::new(BufWriter::new(File::create(path)?))),
        }
    };
    open().map_err(|error| Failure::Output(format!("{}: {error}", path.display())))
}

/// Becomes true at the first Ctrl-C, so that the conversion can tidy up; a second one ends the
/// program at once.
pub(super) fn interrupts() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler Ctrl-C ends the program as ever, leaving hidden files.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    interrupted
}

/// Conversions of one command, one after another.
pub(super) struct Run<'r> {
    args: &'r Writing,
    query: Arc<Query>,
    format: &'static Format,
    interrupted: Arc<AtomicBool>,
    log: Option<LossLog>,
    arrange: &'r mut dyn Arrange,
    pub(super) reports: Vec<Json>,
    /// The sources that were found in a folder: if one cannot be read, the others are.
    found: HashSet<PathBuf>,
    /// Those of them that could not: name, and why.
    unread: Vec<(String, String)>,
}

impl<'r> Run<'r> {
    /// Checks the arguments.
    pub(super) fn start(
        args: &'r Writing,
        query: Arc<Query>,
        format: &'static Format,
        arrange: &'r mut dyn Arrange,
    ) -> Result<Run<'r>, Failure> {
        if matches!(args.to_encoding, Some(Encoding::Named(_))) && format.charsets == Charsets::Own
        {
            let takers = FORMATS
                .iter()
                .filter(|format| format.create.is_some() && format.charsets != Charsets::Own);
            let takers: Vec<&str> = takers.map(|format| format.id).collect();
            let name = format.name;
            let takers = takers.join(", ");
            let message = format!("{name} has a charset of its own; --to-encoding is for {takers}");
            return Err(Failure::Usage(message));
        }
        Ok(Run {
            args,
            query,
            format,
            interrupted: interrupts(),
            log: args.loss_report.as_deref().map(open_log).transpose()?,
            arrange,
            reports: Vec::new(),
            found: HashSet::new(),
            unread: Vec::new(),
        })
    }

    fn job(&mut self, job: &Job, in_folder: bool) -> Result<Report, Failure> {
        if in_folder && let Some(folder) = job.target.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::Output(format!("{}: {error}", folder.display())))?;
        }
        // Sources first: what was left of them by another run is said, whatever becomes of the target.
        let mut left = Job {
            sources: Vec::new(),
            target: job.target.clone(),
        };
        let options = input::options(&self.args.reading).jobs(self.args.jobs.number());
        let (mut sources, mut bases) = (Vec::new(), Vec::new());
        for path in &job.sources {
            let found = input::find(path, &self.args.reading);
            let opened = found.and_then(|found| match self.arrange.chooses() {
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
        if !self.arrange.chooses() {
            let salvages = sources.iter().any(|found| found.format().salvages);
            return self.write(&left, Sources::Found(sources), salvages);
        }
        let query = Arc::clone(&self.query);
        let Some(chosen) = self.arrange.choose(&bases, &query)? else {
            return Ok(Report::default());
        };
        let chosen: Vec<(&Database, Selection)> = bases.iter().zip(chosen).collect();
        self.write(&left, Sources::Chosen(chosen), false)
    }

    /// Whether the others are read if this source cannot be.
    fn may_fail(&self, path: &Path) -> bool {
        !self.stops() && self.found.contains(path)
    }

    fn stops(&self) -> bool {
        self.args.strict.is_some() || self.args.on_error == OnErrorArg::Stop
    }

    /// Says what would let a conversion go on that a source stopped.
    fn stopped_by(&self, path: &Path, failure: Failure) -> Failure {
        match failure {
            Failure::Input(message) if self.stops() && self.found.contains(path) => {
                let hint = "without --strict and --on-error stop the others are converted";
                Failure::Input(format!("{message}; {hint}"))
            }
            failure => failure,
        }
    }

    fn note_unread(&mut self, path: &Path, error: Error) {
        let message = Failure::from(error).message().map(str::to_owned);
        self.unread.push((name(path), message.unwrap_or_default()));
    }

    /// Writes one new base.
    pub(super) fn write(
        &mut self,
        job: &Job,
        sources: Sources<'_>,
        salvages: bool,
    ) -> Result<Report, Failure> {
        let args = self.args;
        let target_name = name(&job.target);
        let names: Vec<String> = job.sources.iter().map(|path| name(path)).collect();
        let (selection, alone) = match &sources {
            Sources::Chosen(chosen) => match &chosen[..] {
                [(_, selection)] => (selection.clone(), true),
                _ => (args.choice.games.clone(), false),
            },
            Sources::Found(_) => (
                args.choice.games.clone(),
                names.len() == 1 && self.query.is_empty(),
            ),
        };
        let may_fail: Vec<bool> = job.sources.iter().map(|path| self.may_fail(path)).collect();
        // The base that is gone on with is read behind the others, where it has to be.
        let mut called = names.clone();
        called.extend(args.append.then(|| target_name.clone()));
        let mut converter = converter(&job.target, self.format, args)?;
        if let Some(names) = self.arrange.in_use() {
            converter = converter.names_in_use(names);
        }
        match sources {
            Sources::Found(found) => {
                converter = converter.filter(Arc::clone(&self.query));
                for found in found {
                    converter = converter.add_found(found, input::options(&args.reading));
                }
            }
            Sources::Chosen(chosen) => {
                for (db, selection) in chosen {
                    converter = converter.add_selected(db, selection);
                }
            }
        }
        let arrange = &mut *self.arrange;
        let mut edit = |game: &mut Game| {
            arrange.edit(game);
            shape(game, args.shaping);
        };
        let mut watch = Watch {
            progress: Progress::new(!args.quiet),
            alone,
            selection: &selection,
            games: None,
            bytes: None,
            log: self.log.as_mut(),
            sources: &called,
            current: 0,
            edit: Some(&mut edit),
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
            let failure = Failure::conversion(error, &target_name, &source);
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
            if let Some(said) = self.arrange.summary() {
                say(said);
            }
            if report.is_incomplete()
                && let Some(base) = names.first().filter(|_| salvages)
            {
                say(format_args!(
                    "chessdb: `chessdb salvage {base} …` may get more out of it"
                ));
            }
            let what = match self.query.is_empty() {
                true => "none of these games is there",
                false => "no game fits",
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

    /// Prints the reports, and brings the log of losses to its file.
    pub(super) fn finish(self) -> Result<(), Failure> {
        if self.args.json {
            let mut out = stdout();
            writeln!(
                out,
                "{}",
                document("conversions", Json::Array(self.reports))
            )?;
            out.flush()?;
        }
        if let (Some(log), Some(path)) = (self.log, &self.args.loss_report) {
            let failed = |error| Failure::Output(format!("{}: {error}", path.display()));
            log.finish().map_err(failed)?;
        }
        Ok(())
    }
}

/// Where the games of a new base come from.
pub(super) enum Sources<'s> {
    /// Bases of which all games that fit are written; they are opened one after another.
    Found(Vec<Found>),
    /// These games of open bases.
    Chosen(Vec<(&'s Database, Selection)>),
}

/// The conversion that the arguments ask for, without sources.
pub(super) fn converter<'c>(
    target: &Path,
    format: &'static Format,
    args: &Writing,
) -> Result<Converter<'c>, Failure> {
    if is_stream(target) && (args.append || args.backup) {
        let message = "--append and --backup are for a database with a name";
        return Err(Failure::Usage(message.to_owned()));
    }
    #[cfg(feature = "parquet")]
    let folders = args.by.map(|by| Converter::to_folders(target, by));
    #[cfg(not(feature = "parquet"))]
    let folders: Option<Converter<'c>> = None;
    if let Some(folders) = folders {
        return Ok(chosen(folders.replace(args.force), format, args));
    }
    let converter = match target {
        target if !is_stream(target) => {
            let ended = input::end_interrupted(target);
            ended.map_err(|error| Failure::target(&error, &name(target)))?;
            Converter::to(target)
                .replace(args.force)
                .append(args.append)
                .backup(args.backup)
        }
        // Not by a converter's own word: /dev/full must not be touched for a wrong argument.
        _ if format.roles.len() != 1 => {
            let message = format!(
                "{} has several files and cannot go to a stream",
                format.name
            );
            return Err(Failure::Usage(message));
        }
        target => {
            let converter = match target.as_os_str() == "-" {
                true => Converter::to_writer(stdout()),
                false => {
                    let out = File::create(target).map_err(|error| {
                        Failure::Output(format!("{}: {error}", target.display()))
                    })?;
                    Converter::to_writer(out)
                }
            };
            // Who reads a pipe cannot go to the end first.
            match format.settings.contains(&"stream") {
                true => converter.setting("stream", "yes"),
                false => converter,
            }
        }
    };
    Ok(chosen(converter, format, args))
}

/// A conversion with what the arguments choose.
fn chosen<'c>(converter: Converter<'c>, format: &'static Format, args: &Writing) -> Converter<'c> {
    let converter = converter
        .format(format)
        .on_error(args.on_error.into())
        .strict(args.strict.map_or(Strictness::Lenient, Strictness::from))
        .allow(args.allow.iter().copied())
        .drop_deleted(args.drop_deleted)
        .select(args.choice.games.clone())
        .ascii(args.ascii)
        .jobs(args.jobs.number());
    let converter = match args.reading.password() {
        Some(password) => converter.password(password),
        None => converter,
    };
    let converter = match args.shaping.width {
        Some(width) => converter.setting("width", width.to_string()),
        None => converter,
    };
    #[cfg(feature = "tables")]
    let converter = with_settings(converter, args);
    match args.to_encoding {
        Some(Encoding::Named(charset)) => converter.encoding(charset),
        Some(Encoding::Auto) | None => converter,
    }
}

/// What only tables let one choose.
#[cfg(feature = "tables")]
fn with_settings<'c>(converter: Converter<'c>, args: &Writing) -> Converter<'c> {
    let chosen = [
        ("columns", args.columns.clone()),
        ("positions", args.positions.then(|| "yes".to_owned())),
        #[cfg(feature = "parquet")]
        ("zstd", args.zstd.map(|level| level.to_string())),
    ];
    let chosen = chosen.into_iter();
    chosen.fold(converter, |converter, (name, value)| match value {
        Some(value) => converter.setting(name, value),
        None => converter,
    })
}

/// What a path is called in messages.
pub(super) fn name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "-".to_owned(),
        false => path.display().to_string(),
    }
}
