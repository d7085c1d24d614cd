//! The command `salvage`: recovers as much as possible from a damaged database.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chessdb::convert::{GameRef, Observer, Report, SalvageObserver, SalvageReport};
use chessdb::core::loss::Loss;
use chessdb::core::salvage::{Found, NoGameReason};
use chessdb::{Database, Diagnostic, Error, Format};

use crate::args::{self, OutputOptions};
use crate::commands::convert::{converter, interrupts, name};
use crate::commands::plan::{ConversionJob, plan};
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::inputs::failed_json;
use crate::json::{Json, SCHEMA, list, members, object};
use crate::output::{count, grouped, plain, print_json, print_list};
use crate::report::{self, ConversionObserver};
use crate::report_file::ReportFile;

/// The number of printed byte ranges without games. The report has all.
const MAX_SHOWN: usize = 10;

pub(crate) fn run(args: &args::Salvage) -> Outcome {
    let args::Salvage {
        base, out, report, ..
    } = args;
    let to_stdout = |path: &Path| path.as_os_str() == "-";
    let reports = report.as_deref().is_some_and(to_stdout);
    if usize::from(to_stdout(out)) + usize::from(reports) + usize::from(args.json) > 1 {
        return Err(Failure::usage(
            "games, --json and --report - cannot share standard output",
        ));
    }
    let output_options = args.output_options();
    let plan = plan("salvage", &output_options, &[base.clone(), out.clone()])?;
    let run = SalvageRun {
        args,
        output_options: &output_options,
        format: plan.format,
        interrupted: interrupts(),
    };
    let log = report.as_deref();
    let mut log = log
        .map(|path| ReportLog::open(path, args, plan.in_folder))
        .transpose()?;
    let done = match plan.jobs.as_slice() {
        jobs if plan.in_folder => run.folder(jobs, &plan.others, &mut log)?,
        [job] if job.sources.len() > 1 => {
            let message = format!(
                "{} contains {}; specify one of them, or an output folder",
                name(base),
                count(job.sources.len() as u64, "database")
            );
            return Err(Failure::Usage(message));
        }
        jobs => {
            // A folder with a single database means that database.
            let sources = jobs.iter().flat_map(|job| &job.sources);
            let source = sources.last().unwrap_or(base);
            let (done, json) = run.one(source, out, &mut log)?;
            for (_, message) in &plan.others {
                say(format_args!("chessdb: {message}"));
            }
            if args.json {
                print_json(&object! { "schema": SCHEMA, "salvage": json })?;
            }
            if plan.others.is_empty() { done } else { done.max(Completion::SomeUnread) }
        }
    };
    if let Some(log) = log {
        log.out.finish()?;
    }
    Ok(done)
}

/// The report file with one line per game.
struct ReportLog {
    out: ReportFile,
    /// Whether lines begin with the database.
    of_several: bool,
}

impl ReportLog {
    fn open(path: &Path, args: &args::Salvage, of_several: bool) -> Result<ReportLog, Failure> {
        let databases = [args.base.clone(), args.out.clone()];
        let mut out = ReportFile::create(path, args.force, &databases)?;
        let base = if of_several { "base\t" } else { "" };
        let header = writeln!(out, "{base}what\tgame\tfile\tstart\tend\tfound");
        header.map_err(|error| out.failure(&error))?;
        Ok(ReportLog { out, of_several })
    }

    fn add(&mut self, base: &str, findings: &SalvageReport) -> Result<(), Failure> {
        let base = if self.of_several { format!("{}\t", plain(base)) } else { String::new() };
        let written = write(findings, &base, &mut self.out);
        written.map_err(|error| self.out.failure(&error))
    }
}

/// The state shared by all databases.
struct SalvageRun<'r> {
    args: &'r args::Salvage,
    output_options: &'r OutputOptions,
    format: &'static Format,
    interrupted: Arc<AtomicBool>,
}

impl SalvageRun<'_> {
    /// Salvages every database to a separate one in a folder.
    fn folder(
        &self,
        jobs: &[ConversionJob],
        others: &[(String, String)],
        log: &mut Option<ReportLog>,
    ) -> Outcome {
        let mut done = Completion::Success;
        let mut unread = others.to_vec();
        let mut all = Vec::new();
        for job in jobs {
            let target = &job.target;
            if let Err(failure) = job.create_folder(self.format) {
                let message = failure.into_message();
                say(format_args!("chessdb: {message}"));
                done = done.max(Completion::SomeUnwritten);
                all.push(failed_json(&name(target), &message));
                continue;
            }
            for source in &job.sources {
                match self.one(source, target, log) {
                    Ok((came_to, json)) => {
                        done = done.max(came_to);
                        all.push(object! { "base": name(source), "salvage": json });
                    }
                    Err(Failure::Input(message)) => unread.push((name(source), message)),
                    // A database that cannot be written does not stop the others.
                    Err(Failure::Output(message)) => {
                        say(format_args!("chessdb: {message}"));
                        done = done.max(Completion::SomeUnwritten);
                        all.push(failed_json(&name(source), &message));
                    }
                    Err(failure) => return Err(failure),
                }
            }
        }
        for (name, message) in &unread {
            say(format_args!("chessdb: {message}"));
            all.push(failed_json(name, message));
            done = done.max(Completion::SomeUnread);
        }
        if !self.args.quiet {
            let databases = count((jobs.len() + others.len()) as u64, "database");
            let not_read = match unread.len() {
                0 => String::new(),
                number => format!(", {number} not read"),
            };
            say(format_args!("{databases}{not_read}"));
        }
        if self.args.json {
            print_list("bases", all)?;
        }
        Ok(done)
    }

    fn one(
        &self,
        base: &Path,
        out: &Path,
        log: &mut Option<ReportLog>,
    ) -> Result<(Completion, Json), Failure> {
        let args = self.args;
        let database = input::find(base, &args.input_options)?;
        let sources = [name(base)];
        let mut watch = SalvageWatch {
            inner: ConversionObserver::new(&sources, args.quiet, &self.interrupted),
            salvage: SalvageObserver::default(),
        };
        let target_name = name(out);
        let unread = |problem: &dyn std::fmt::Display| Failure::Input(problem.to_string());
        let options = input::options(&args.input_options).salvage(true);
        let db = options.streaming(true).open_found(database);
        let db = db.map_err(|error| unread(&error))?;
        if db.is_empty().unwrap_or(false) {
            return Err(unread(&format_args!("{}: no games found", name(base))));
        }
        let converter = converter(out, self.format, self.output_options)?.add_database(&db);
        let result = converter.observer(&mut watch).run();
        let elapsed = watch.inner.progress.elapsed();
        let failed = |error| Failure::conversion(error, &target_name, &name(base));
        let done = result.or_else(Error::into_report).map_err(failed)?;
        let findings = watch.salvage.end();
        let target_name = done.target().map_or(target_name, name);
        if let Some(log) = log {
            log.add(&sources[0], &findings)?;
        }
        if !args.quiet {
            let format = self.format.name;
            let summary = report::summary(&done, &sources, &target_name, format, elapsed);
            say(format!("{summary}{}", text(&findings)).trim_end());
        }
        let came_to = match (done.written(), findings.is_whole() && done.skipped() == 0) {
            (0, _) => Completion::SomeUnread,
            (_, true) => Completion::Success,
            (_, false) => Completion::Negative,
        };
        let conversion = report::json(&done, &sources, &target_name, self.format.id);
        Ok((came_to, json(&findings, conversion)))
    }
}

impl args::Salvage {
    /// Returns the options for writing the recovered games.
    fn output_options(&self) -> OutputOptions {
        OutputOptions {
            to: self.to,
            force: self.force,
            to_encoding: self.to_encoding,
            json: self.json,
            quiet: self.quiet,
            input_options: self.input_options.clone(),
            jobs: self.jobs,
            ..OutputOptions::default()
        }
    }
}

/// An observer that records the state of each game and reports progress.
struct SalvageWatch<'w> {
    inner: ConversionObserver<'w>,
    salvage: SalvageObserver,
}

impl Observer for SalvageWatch<'_> {
    fn source(&mut self, source: usize, db: &Database) {
        self.salvage.source(source, db);
        self.inner.source(source, db);
    }

    fn game(&mut self, report: &Report) -> ControlFlow<()> {
        // Only the other observer sees an interrupt.
        let _ = self.salvage.game(report);
        self.inner.game(report)
    }

    fn loss(&mut self, place: GameRef, loss: &Loss) {
        self.inner.loss(place, loss);
    }

    fn diagnostic(&mut self, source: usize, diagnostic: &Diagnostic) {
        self.salvage.diagnostic(source, diagnostic);
        self.inner.diagnostic(source, diagnostic);
    }
}

/// Returns the findings for people.
fn text(findings: &SalvageReport) -> String {
    let mut text = String::from("How the games were found:\n");
    for state in Found::ALL {
        let games = findings.count(Some(state));
        if games > 0 {
            let _ = writeln!(text, "{:>9}  {}", grouped(games), state.text());
        }
    }
    let left_out = findings.count(None);
    if left_out > 0 {
        let _ = writeln!(text, "{:>9}  left out", grouped(left_out));
    }
    let barren = &findings.salvaged.barren;
    if barren.is_empty() {
        return text;
    }
    for (reason, title) in [
        (NoGameReason::Nothing, "Bytes without a game"),
        (
            NoGameReason::Twice,
            "Copies or earlier versions of other games",
        ),
    ] {
        let places = barren.iter().filter(|(.., why)| *why == reason);
        let bytes: u64 = places
            .clone()
            .map(|(_, range, _)| range.end - range.start)
            .sum();
        let places = places.count() as u64;
        if places > 0 {
            let (bytes, places) = (count(bytes, "byte"), count(places, "place"));
            let _ = writeln!(text, "{title}: {bytes} in {places}");
        }
    }
    for (role, range, why) in barren.iter().take(MAX_SHOWN) {
        let (start, bytes) = (range.start, count(range.end - range.start, "byte"));
        let _ = writeln!(
            text,
            "  {role} file, byte {start:#x}, {bytes}: {}",
            why.text()
        );
    }
    if barren.len() > MAX_SHOWN {
        let more = grouped((barren.len() - MAX_SHOWN) as u64);
        let _ = writeln!(text, "  … and {more} more; --report lists them");
    }
    text
}

/// Writes a tab-separated line for each game, each byte range without one, and each loss of the
/// database.
fn write(findings: &SalvageReport, prefix: &str, out: &mut dyn Write) -> io::Result<()> {
    for (n, state) in (1u64..).zip(&findings.games) {
        let state = state.map_or("left-out", Found::code);
        writeln!(out, "{prefix}game\t{n}\t\t\t\t{state}")?;
    }
    for (role, range, why) in &findings.salvaged.barren {
        let (start, end) = (range.start, range.end);
        writeln!(
            out,
            "{prefix}bytes\t\t{role}\t{start}\t{end}\t{}",
            why.code()
        )?;
    }
    for fault in &findings.faults {
        writeln!(out, "{prefix}base\t\t\t\t\t{}", plain(fault))?;
    }
    Ok(())
}

fn json(findings: &SalvageReport, conversion: Json) -> Json {
    let counts = Found::ALL.map(|state| (state.code(), Json::from(findings.count(Some(state)))));
    let games = findings
        .games
        .iter()
        .map(|state| state.map_or("left-out", Found::code));
    let barren = findings.salvaged.barren.iter().map(|(role, range, why)| {
        object! { "file": role.0, "start": range.start, "end": range.end, "found": why.code() }
    });
    object! {
        "counts": members(counts), "left_out": findings.count(None), "games": list(games),
        "barren": list(barren), "faults": list(findings.faults.iter().map(String::as_str)),
        "conversion": conversion,
    }
}
