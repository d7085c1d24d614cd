//! The command `convert`: databases to other databases.

mod arranging;
mod runner;

use std::fs::File;
#[cfg(feature = "tables")]
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb::convert::{GameParts, NamesInUse};
use chessdb::core::model::NameRole;
use chessdb::formats::shown;
#[cfg(feature = "tables")]
use chessdb::formats::table_columns;
use chessdb::html::BULLETIN_ORDER;
use chessdb::query::Query;
use chessdb::{Converter, Database, Format, Game, Selection};

use crate::args::{Convert, Encoding, OutputOptions};
use crate::commands::game_fixes::GameFixes;
use crate::commands::input_words::is_piped;
use crate::commands::plan::{ConversionJob, ConversionPlan, is_stream, plan};
use crate::commands::preview::preview_all;
use crate::commands::spool::spool;
use crate::commands::texts;
use crate::commands::undo::command_line;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::inputs::failed_json;
use crate::json::Json;
use crate::output::{count, stdout};
use crate::query;

pub(super) use arranging::Arranging;
pub(super) use runner::ConversionRunner;

pub(crate) fn run(args: Convert) -> Outcome {
    #[cfg(feature = "tables")]
    if args
        .output_options
        .columns
        .as_deref()
        .is_some_and(wants_column_names)
    {
        return print_column_names();
    }
    #[cfg(feature = "parquet")]
    let args = Convert {
        output_options: OutputOptions {
            by: args.by,
            ..args.output_options
        },
        ..args
    };
    let mut args = args;
    if let Some(tie_breaks) = args.bulletin.take() {
        args.output_options.bulletin = Some(tie_breaks);
        if args.arrangement.sort.is_none() {
            args.arrangement.sort = BULLETIN_ORDER.parse().ok();
        }
    }
    let mut steps = Arranging::new(&args.arrangement, &args.output_options, args.parts);
    steps.fixes = GameFixes::new(args.fix_result, args.clean_headers);
    let done = run_all("convert", &args.output_options, &mut steps)?;
    // A refused conversion has written nothing, so it writes no texts either.
    if let Some(folder) = args.texts.as_ref().filter(|_| !args.output_options.dry_run)
        && !(done == Completion::Negative && args.output_options.strict.is_some())
    {
        let (paths, _) = query::split_query_at_term(&args.output_options.choice.words);
        let sources = paths.split_last().map_or(paths, |(_, sources)| sources);
        texts::export_all(
            sources,
            folder,
            &args.output_options.input_options,
            &args.output_options,
        )?;
    }
    Ok(done)
}

/// The steps that a command adds to a conversion.
pub(super) trait ConversionSteps {
    /// Returns the games to write of each database, in order. `None` for all games that match the
    /// query, in the order of the databases.
    fn choose(
        &mut self,
        _bases: &[Database],
        _query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        Ok(None)
    }

    /// Returns whether databases are opened for [`ConversionSteps::choose`].
    fn chooses(&self) -> bool {
        false
    }

    /// Returns whether the games are written in another order than that of their database.
    fn reorders(&self) -> bool {
        false
    }

    /// Returns whether [`ConversionSteps::look_at_target`] is called with a database that is
    /// appended to.
    fn compares_target(&self) -> bool {
        false
    }

    /// Takes the OUT that is appended to, before [`ConversionSteps::choose`].
    fn look_at_target(&mut self, _target: Database) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns the names to keep, if unused names should be dropped from the name tables.
    fn in_use(&mut self) -> Option<NamesInUse> {
        None
    }

    /// Returns the only games that [`ConversionSteps::edit`] changes, if they are known.
    fn edited(&mut self) -> Option<Selection> {
        None
    }

    /// Returns the names that [`ConversionSteps::edit`] replaces in all games, if it does nothing else:
    /// role, old and new spelling.
    fn renames(&mut self) -> Vec<(NameRole, String, String)> {
        Vec::new()
    }

    /// Takes the name of the database of the next games.
    fn source(&mut self, _name: &str) {}

    /// Changes a game before it is written.
    fn edit(&mut self, _game: &mut Game) {}

    /// Returns the games to write in place of a game, after [`ConversionSteps::edit`].
    fn parts<'g>(&mut self, _game: &'g chessdb::core::Game) -> Option<GameParts<'g>> {
        None
    }

    /// Forgets what [`ConversionSteps::edit`] counted, because all games are passed again, or those of
    /// the next conversion.
    fn restart(&mut self) {}

    /// Returns whether [`ConversionSteps::edit`] may change a game.
    fn edits(&self) -> bool {
        true
    }

    /// Returns members of the report in JSON.
    fn facts(&self) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// Returns the changes of [`ConversionSteps::edit`], one per line, if it lists them.
    fn changes(&self) -> Option<String> {
        None
    }

    /// Returns a line to print at the end.
    fn summary(&self) -> Option<String> {
        None
    }
}

/// Writes all matching games, unchanged.
pub(super) struct PlainSteps;

impl ConversionSteps for PlainSteps {}

/// Returns whether `--columns` requests the names of the columns.
#[cfg(feature = "tables")]
pub(super) fn wants_column_names(columns: &str) -> bool {
    columns.eq_ignore_ascii_case("help")
}

/// Prints the names of the columns of tables, and of the sets of columns.
#[cfg(feature = "tables")]
pub(super) fn print_column_names() -> Outcome {
    let mut out = stdout();
    for column in table_columns(None) {
        writeln!(out, "{column}")?;
    }
    for set in ["all", "text", "headers", "lichess", "moves"] {
        writeln!(out, "{set}: {}", table_columns(Some(set)).join(","))?;
    }
    out.flush()?;
    Ok(Completion::Success)
}

/// Runs the conversion that the words of a command describe, with the steps of `steps`.
pub(super) fn run_all(
    command: &str,
    args: &OutputOptions,
    steps: &mut dyn ConversionSteps,
) -> Outcome {
    let (paths, terms) = query::split_query_at_term(&args.choice.words);
    let query = query::read(terms, args.choice.position_options)?;
    let with_stdin;
    let paths = match paths {
        // An existing database may be a mistyped input, so only a new one is an output.
        [out] if is_piped() && (args.append || !out.exists()) => {
            with_stdin = [PathBuf::from("-"), out.clone()];
            &with_stdin
        }
        paths => paths,
    };
    let mut paths = paths.to_vec();
    let inputs = paths.len().saturating_sub(1);
    let _input = spool(paths.get_mut(..inputs).unwrap_or_default())?;
    let paths = &paths[..];
    let plan = plan(command, args, paths)?;
    if args.dry_run {
        return preview_all(&plan, args, &query, steps);
    }
    let to_stdout = plan.jobs.iter().any(|job| job.target.as_os_str() == "-");
    let report_to_stdout = args
        .loss_report
        .as_deref()
        .is_some_and(|path| path.as_os_str() == "-");
    if usize::from(to_stdout) + usize::from(report_to_stdout) + usize::from(args.json) > 1 {
        let message = "games, --json and --loss-report - cannot share standard output";
        return Err(Failure::usage(message));
    }
    // With --strict, an unreadable input is an error.
    if let (Some((_, message)), Some(_), false) = (plan.others.first(), args.strict, plan.in_folder)
    {
        let hint = "omit --strict to convert the others";
        return Err(Failure::Input(format!("{message}; {hint}")));
    }
    let mut run = ConversionRunner::start(args, query, plan.format, paths, steps)?;
    run.found_paths.clone_from(&plan.found_paths);
    let mut done = Completion::Success;
    let mut games = 0;
    let mut unread = plan.others.clone();
    for job in &plan.jobs {
        match run.job(job) {
            Ok(report) => {
                games += report.written();
                if report.is_refused() || report.is_incomplete() {
                    done = done.max(Completion::Negative);
                }
            }
            // In a folder, one bad database does not stop the others.
            Err(failure @ (Failure::Input(_) | Failure::Output(_))) if plan.in_folder => {
                let is_output = matches!(failure, Failure::Output(_));
                let message = failure.into_message();
                if is_output {
                    say(format_args!("chessdb: {message}"));
                    done = done.max(Completion::SomeUnwritten);
                    run.reports.push(failed_json(&name(&job.target), &message));
                } else {
                    let source = job.sources.first().map_or(String::new(), |path| name(path));
                    unread.push((source, message));
                }
            }
            Err(Failure::Interrupted) => {
                if !args.quiet {
                    report_interrupted(&plan, job);
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
        done = done.max(Completion::SomeUnread);
    }
    if plan.in_folder && !args.quiet {
        let databases = (plan.jobs.len() + plan.others.len()) as u64;
        let not_read = match unread.len() {
            0 => String::new(),
            number => format!(", {number} not read"),
        };
        let (databases, games) = (count(databases, "database"), count(games, "game"));
        say(format_args!("{databases}, {games}{not_read}"));
    } else if !unread.is_empty() && !plan.found_paths.is_empty() && !args.quiet {
        let named: usize = plan.jobs.iter().map(|job| job.sources.len()).sum();
        let all = count((named + plan.others.len()) as u64, "database");
        say(format_args!("chessdb: {} of {all} not read", unread.len()));
    }
    run.finish()?;
    Ok(done)
}

/// Reports the state of the outputs after Ctrl-C.
fn report_interrupted(plan: &ConversionPlan, job: &ConversionJob) {
    let target = name(&job.target);
    let done = plan.jobs.iter().take_while(|other| *other != job).count();
    let before = match (plan.in_folder, done) {
        (true, done) => format!("; {done} of {} databases are complete", plan.jobs.len()),
        (false, _) => String::new(),
    };
    let state = match is_stream(&job.target) {
        true => "the printed games are complete".to_owned(),
        false if job.target.exists() => format!("{target} is unchanged{before}"),
        false => format!("{target} was not written{before}"),
    };
    say(format_args!("chessdb: interrupted: {state}"));
}

/// Returns a flag that becomes true at the first Ctrl-C, SIGTERM or SIGHUP, so that the conversion
/// can clean up. A second signal ends the program at once.
pub(super) fn interrupts() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler Ctrl-C ends the program as usual, and leaves hidden files.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            end_now();
        }
    });
    interrupted
}

/// Removes hidden files and ends the program.
fn end_now() {
    chessdb::fs::remove_hidden();
    // 128 and the number of SIGINT, as shells report it.
    std::process::exit(130);
}

/// Makes a signal end a command that cannot stop in the middle, and removes its hidden files.
pub(super) fn end_when_interrupted() {
    // Without a handler a signal ends the program and leaves them.
    let _ = ctrlc::set_handler(end_now);
}

/// Returns the conversion that the arguments describe, without sources.
pub(super) fn converter<'c>(
    target: &Path,
    format: &'static Format,
    args: &OutputOptions,
) -> Result<Converter<'c>, Failure> {
    if is_stream(target) && (args.append || args.backup) {
        return Err(Failure::usage(
            "--append and --backup need a named database",
        ));
    }
    #[cfg(feature = "parquet")]
    if let Some(by) = args.by {
        let converter = Converter::to_folders(target, by).replace(args.force);
        return Ok(chosen(converter, format, args));
    }
    let converter = match target {
        target if !is_stream(target) => {
            let ended = input::finish_interrupted(target, &args.input_options);
            ended.map_err(|error| Failure::target(&error, &name(target)))?;
            if args.append && target.exists() {
                refuse_read_only(target, args)?;
            }
            Converter::to(target)
                .replace(args.force)
                .append(args.append)
                .command(&command_line())
                .finder(args.input_options.finder.clone())
                .backup(args.backup)
                .keep_undo(!args.no_undo)
        }
        // Checked here, before the file is opened: /dev/full must not be opened for a wrong
        // argument.
        _ if format.roles.len() != 1 => {
            let message = format!(
                "{} consists of several files and cannot be written to a stream",
                format.name
            );
            return Err(Failure::Usage(message));
        }
        target => {
            let converter = if target.as_os_str() == "-" {
                Converter::to_writer(stdout())
            } else {
                let out = File::create(target)
                    .map_err(|error| Failure::Output(format!("{}: {error}", shown(target))))?;
                Converter::to_writer(out)
            };
            // A reader of a pipe cannot seek to the end first.
            if format.settings.contains(&"stream") {
                converter.setting("stream", "yes")
            } else {
                converter
            }
        }
    };
    Ok(chosen(converter, format, args))
}

/// Refuses to append to a database that may not be written.
fn refuse_read_only(target: &Path, args: &OutputOptions) -> Result<(), Failure> {
    match input::find(target, &args.input_options) {
        Ok(database) => input::refuse_read_only(&database, args.force),
        // The conversion reports that it cannot be read.
        Err(_) => Ok(()),
    }
}

/// Applies the options to a conversion.
fn chosen<'c>(
    converter: Converter<'c>,
    format: &'static Format,
    args: &OutputOptions,
) -> Converter<'c> {
    let converter = converter
        .format(format)
        .on_error(args.on_error)
        .strict(args.strict.unwrap_or_default())
        .allow(args.allow.iter().copied())
        .drop_deleted(args.drop_deleted)
        .in_place(args.in_place)
        .select(args.choice.games.clone())
        .ascii(args.ascii)
        .jobs(args.jobs.thread_count());
    let converter = match args.input_options.password() {
        Some(password) => converter.password(password),
        None => converter,
    };
    let converter = match &args.edited {
        Some(games) => converter.edit_only(games.clone()),
        None => converter,
    };
    let settings = [
        (
            "width",
            args.content_options.width.map(|width| width.to_string()),
        ),
        ("texts", args.jose_texts.clone()),
        ("diagrams", args.diagrams.clone()),
        ("bulletin", args.bulletin.clone()),
        ("final", args.final_position.then(|| "yes".to_owned())),
        #[cfg(feature = "tables")]
        ("columns", args.columns.clone()),
        #[cfg(feature = "tables")]
        ("positions", args.positions.then(|| "yes".to_owned())),
        #[cfg(feature = "parquet")]
        ("zstd", args.zstd.map(|level| level.to_string())),
    ];
    let settings = settings.into_iter();
    let converter = settings.fold(converter, |converter, (name, value)| match value {
        Some(value) => converter.setting(name, value),
        None => converter,
    });
    match args.to_encoding {
        Some(Encoding::Named(charset)) => converter.encoding(charset),
        Some(Encoding::Auto) | None => converter,
    }
}

/// Returns the name of a path in messages.
pub(super) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "-".to_owned() } else { shown(path).to_string() }
}
