//! `convert`: bases into others.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb::convert::{Conversion, ConvertError, ConvertOptions, Report, Share, carry_base};
use chessdb::fs::{Progress as Bytes, SpoolSink, StreamSink, create};
use chessdb::{BaseInfo, Charsets, FORMATS, FileSink, Format, writing_charset};

use crate::args::Convert;
use crate::commands::plan::{Job, is_stream, plan};
use crate::exit::{Done, Failure, Outcome, say};
use crate::input::{self, Access, Loaded};
use crate::jobs::Threads;
use crate::json::{Json, document};
use crate::output::{count, stdout};
use crate::progress::Progress;
use crate::report::{self, LossLog, Watch};

pub(crate) fn run(args: &Convert) -> Outcome {
    let plan = plan(args)?;
    if args.to_encoding.is_some() && plan.format.charsets == Charsets::Own {
        let takers = FORMATS
            .iter()
            .filter(|format| format.charsets != Charsets::Own);
        let takers: Vec<&str> = takers.map(|format| format.id).collect();
        let name = plan.format.name;
        let takers = takers.join(", ");
        let message = format!("{name} has a charset of its own; --to-encoding is for {takers}");
        return Err(Failure::Usage(message));
    }
    let to_stdout = plan.jobs.iter().any(|job| job.target.as_os_str() == "-");
    let report_to_stdout = args
        .loss_report
        .as_deref()
        .is_some_and(|path| path.as_os_str() == "-");
    if usize::from(to_stdout) + usize::from(report_to_stdout) + usize::from(args.json) > 1 {
        let message = "games, --json and --loss-report - cannot share standard output";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut log = args.loss_report.as_deref().map(open_log).transpose()?;
    let mut run = Run {
        args,
        format: plan.format,
        interrupted: interrupts(),
        log: log.as_mut(),
        reports: Vec::new(),
    };
    let mut done = Done::Yes;
    let mut games = 0;
    for job in &plan.jobs {
        match run.job(job, plan.in_folder) {
            Ok(report) => {
                games += report.written;
                let no = report.refused || report.is_incomplete();
                done = done.max(if no { Done::No } else { Done::Yes });
            }
            // In a folder one bad base is no reason to leave out the others.
            Err(failure @ (Failure::Input(_) | Failure::Output(_))) if plan.in_folder => {
                say(format_args!(
                    "chessdb: {}",
                    failure.message().unwrap_or_default()
                ));
                let input = matches!(failure, Failure::Input(_));
                done = done.max(if input {
                    Done::SomeUnread
                } else {
                    Done::SomeUnwritten
                });
            }
            Err(failure) => return Err(failure),
        }
    }
    let reports = std::mem::take(&mut run.reports);
    if args.json {
        let mut out = stdout();
        writeln!(out, "{}", document("conversions", Json::Array(reports)))?;
        out.flush()?;
    }
    if plan.in_folder && !args.quiet {
        let bases = count(plan.jobs.len() as u64, "base");
        say(format_args!("{bases}, {}", count(games, "game")));
    }
    if let (Some(log), Some(path)) = (log, &args.loss_report) {
        let failed = |error| Failure::Output(format!("{}: {error}", path.display()));
        log.finish().map_err(failed)?;
    }
    Ok(done)
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
fn interrupts() -> Arc<AtomicBool> {
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

struct Run<'r> {
    args: &'r Convert,
    format: &'static Format,
    interrupted: Arc<AtomicBool>,
    log: Option<&'r mut LossLog>,
    reports: Vec<Json>,
}

impl Run<'_> {
    fn job(&mut self, job: &Job, in_folder: bool) -> Result<Report, Failure> {
        let args = self.args;
        if in_folder && let Some(folder) = job.target.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::Output(format!("{}: {error}", folder.display())))?;
        }
        // Sources first: a name that does not exist must not leave a lock or an empty target.
        let mut sources = Vec::new();
        for path in &job.sources {
            sources.push((path.clone(), input::find(path, &args.reading)?));
        }
        let mut target = Target::open(&job.target, self.format, args)?;
        let names: Vec<String> = job.sources.iter().map(|path| name(path)).collect();
        let target_name = target.name(&job.target);
        let mut watch = Watch {
            progress: Progress::new(!args.quiet),
            games: None,
            bytes: None,
            log: self.log.as_deref_mut(),
            sources: &names,
            interrupted: &self.interrupted,
        };
        let result = fill(
            &mut target,
            self.format,
            sources,
            args,
            &mut watch,
            &target_name,
        );
        let elapsed = watch.progress.elapsed();
        drop(watch);
        let report = result.map_err(|failure| target.half_way(failure, &target_name))?;
        if let Some(log) = &mut self.log {
            log.base(&report, &target_name);
        }
        if !args.quiet {
            let name = self.format.name;
            say(report::summary(&report, &names, &target_name, name, elapsed).trim_end());
            if report.read == 0 && !args.games.is_all() {
                let names = names.join(", ");
                say(format_args!(
                    "chessdb: {names}: none of these games is there"
                ));
            }
        }
        if args.json {
            self.reports
                .push(report::json(&report, &names, &target_name, self.format.id));
        }
        Ok(report)
    }
}

/// Puts all sources into the target.
fn fill(
    target: &mut Target,
    format: &'static Format,
    sources: Vec<(PathBuf, chessdb::fs::Found)>,
    args: &Convert,
    watch: &mut Watch<'_>,
    target_name: &str,
) -> Result<Report, Failure> {
    let mut options = ConvertOptions::default();
    options.on_error = args.on_error.into();
    options.strict = args.strict;
    options.drop_deleted = args.drop_deleted;
    options.selection = args.games.clone();
    let formats: Vec<&Format> = sources.iter().map(|(_, found)| found.format()).collect();
    options.charset = args
        .to_encoding
        .or_else(|| writing_charset(&formats, format, args.reading.encoding));
    let alone = sources.len() == 1;
    let failed =
        |error: ConvertError, source: &str| Failure::conversion(&error, target_name, source);
    let mut conversion: Option<Conversion<'_>> = None;
    let mut sink = Some(target.sink());
    let mut executor = Threads::new(args.jobs.jobs);
    for (path, found) in sources {
        let source_name = name(&path);
        let loaded = input::load(found, Access::InOrder)?;
        let bytes = Bytes::default();
        let mut opened = loaded.open_for(format, &args.reading, &bytes)?;
        let games = opened
            .len()
            .map(|len| u64::from(options.selection.count_in(len)));
        watch.games = games.filter(|_| alone);
        watch.bytes = loaded
            .stream_bytes()
            .map(|all| (bytes, all))
            .filter(|_| alone);
        let running = match (&mut conversion, sink.take()) {
            (Some(running), _) => running,
            (None, Some(sink)) => {
                let base = match opened.base() {
                    Some(base) => carry_base(base, share(&loaded, format, &options, alone)),
                    None => BaseInfo::default(),
                };
                let started = Conversion::start(format, sink, base, options.clone());
                conversion.insert(started.map_err(|error| failed(error, &source_name))?)
            }
            (None, None) => break,
        };
        let added = running.add(opened.source(), &mut executor, watch);
        added.map_err(|error| failed(error, &source_name))?;
    }
    match conversion {
        Some(conversion) => conversion
            .finish()
            .map_err(|error| failed(error, target_name)),
        None => Err(Failure::Usage(
            "convert needs at least one IN and an OUT".to_owned(),
        )),
    }
}

/// How much of the base a source contributes.
fn share(loaded: &Loaded, format: &Format, options: &ConvertOptions, alone: bool) -> Share {
    let whole = options.selection.is_all() && !options.drop_deleted;
    match (whole, alone && loaded.format().id == format.id) {
        (false, _) => Share::Part,
        (true, true) => Share::Rewrite,
        (true, false) => Share::Whole,
    }
}

/// What a path is called in messages.
fn name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "-".to_owned(),
        false => path.display().to_string(),
    }
}

/// Where the games go.
enum Target {
    Files(chessdb::fs::DirSink),
    Stream(StreamSink<Box<dyn Write>>),
    Spool(SpoolSink<Box<dyn Write>>),
}

impl Target {
    fn open(path: &Path, format: &'static Format, args: &Convert) -> Result<Target, Failure> {
        if !is_stream(path) {
            let created = input::end_interrupted(path);
            let created = created.and_then(|()| create(path, format, args.force));
            return match created {
                Ok(sink) => Ok(Target::Files(sink)),
                Err(error) => Err(Failure::target(&error)),
            };
        }
        let failed = |error: io::Error| Failure::Output(format!("{}: {error}", path.display()));
        if format.roles.len() != 1 {
            let message = format!(
                "{} has several files and cannot go to a stream",
                format.name
            );
            return Err(Failure::Usage(message));
        }
        let out: Box<dyn Write> = match path.as_os_str() == "-" {
            true => Box::new(stdout()),
            false => Box::new(File::create(path).map_err(failed)?),
        };
        // Nothing may appear before it is known that nothing gets lost.
        if args.strict || args.on_error == crate::args::OnErrorArg::Stop {
            let spool = tempfile::tempfile().map_err(failed)?;
            return Ok(Target::Spool(SpoolSink::new(out, spool)));
        }
        Ok(Target::Stream(StreamSink::new(out)))
    }

    /// What the target is called: the file that names the base.
    fn name(&self, path: &Path) -> String {
        match self {
            Target::Files(sink) => name(sink.path()),
            Target::Stream(_) | Target::Spool(_) => name(path),
        }
    }

    /// A failure that left the target half-way says so.
    fn half_way(&self, failure: Failure, name: &str) -> Failure {
        match self {
            Target::Files(sink) if sink.is_pending() => Failure::Output(format!(
                "{name}: renaming its files failed half-way; no file is lost, and the next command \
                 that opens or writes it goes on from there"
            )),
            _ => failure,
        }
    }

    fn sink(&mut self) -> &mut dyn FileSink {
        match self {
            Target::Files(sink) => sink,
            Target::Stream(sink) => sink,
            Target::Spool(sink) => sink,
        }
    }
}
