//! The command `split`: one database to many.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use chessdb::formats::{in_folder, shown};
use chessdb::{Game, Selection};

use crate::args::Split;
use crate::commands::arrange::{Needs, map_games};
use crate::commands::convert::{ConversionRunner, PlainSteps};
use crate::commands::plan::ConversionJob;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::inputs::{Inputs, OpenedDatabases};
use crate::output::{count, grouped, plain, stdout};
use crate::report::summary;
use crate::report_file::refuse_database;
use crate::split_names::{FileNames, FileNumbers, NamePattern};

/// The maximum number of new databases; more are hardly intended.
const MAX_DATABASES: usize = 100_000;

/// The number of new databases above which each is written by one thread.
const MANY_PARTS: usize = 64;

/// The game numbers of each part, by its values: a list per database with any of its games.
type Parts = BTreeMap<Vec<String>, Vec<(usize, Vec<u32>)>>;

pub(crate) fn run(args: &Split) -> Outcome {
    let (paths_read, query) = args.output_options.choice.databases_and_query()?;
    let inputs = Inputs::new(paths_read, &args.output_options.input_options);
    let OpenedDatabases { paths, bases, done } =
        inputs.open_all(&args.output_options.input_options, true)?;
    let own = bases.first().map(chessdb::Database::format);
    let Some(format) = args
        .output_options
        .to
        .or(own.filter(|own| own.create.is_some()))
    else {
        return Err(Failure::usage("select the format with -t"));
    };
    let pattern = match &args.name {
        Some(text) => NamePattern::read(text, &args.by).map_err(Failure::Usage)?,
        None => NamePattern::usual(&args.by),
    };
    let needs = if args.by.need_moves() { Needs::Moves } else { Needs::Headers };
    let mut parts = Parts::new();
    let mut file_numbers = FileNumbers::default();
    for (index, db) in bases.iter().enumerate() {
        let make = |game: &Game| args.by.values(game);
        map_games(
            db,
            &args.output_options,
            &query,
            needs,
            make,
            |number, values| {
                for values in values {
                    let part = parts
                        .entry(file_numbers.part(&args.by, values))
                        .or_default();
                    match part.last_mut() {
                        Some((base, numbers)) if *base == index => numbers.push(number),
                        _ => part.push((index, vec![number])),
                    }
                }
            },
        )?;
    }
    if parts.len() > MAX_DATABASES {
        let databases = count(parts.len() as u64, "database");
        return Err(Failure::Usage(format!(
            "too many outputs ({databases}); use a query to reduce them"
        )));
    }
    if args.output_options.dry_run {
        return list_parts(args, &parts, done);
    }
    fs::create_dir_all(&args.output)
        .map_err(|error| Failure::Output(format!("{}: {error}", shown(&args.output))))?;
    let suffix = format.roles.first().map_or("", |role| role.0);
    let mut done = done;
    let mut all = PlainSteps;
    let mut quiet = crate::args::OutputOptions {
        quiet: true,
        ..args.output_options.clone()
    };
    if parts.len() > MANY_PARTS {
        // Starting threads takes longer than reading a few games.
        quiet.jobs.jobs = Some(1);
    }
    let mut run = ConversionRunner::start(&quiet, query, format, paths_read, &mut all)?;
    let (mut games, mut finished, written) = (0, 0, parts.len() as u64);
    let mut names = FileNames::default();
    for (values, numbers) in parts {
        let name = names.unique(&pattern, &values);
        let of_part = |list: &[PathBuf]| {
            let paths = numbers.iter().filter_map(|(n, _)| list.get(*n).cloned());
            paths.collect()
        };
        let job = ConversionJob {
            sources: of_part(&paths),
            target: in_folder(&args.output, format!("{name}.{suffix}")),
            below: Some(args.output.clone()),
        };
        // Overwriting an input would damage the source of the other parts.
        refuse_database(&job.target, paths_read)?;
        job.create_folder(format)?;
        let mut converter = run.converter(&job)?;
        for (number, games) in numbers {
            if let Some(db) = bases.get(number) {
                converter = converter.add_selected(db, Selection::in_order(games));
            }
        }
        // The parts are written without progress.
        let report = run
            .write(&job, None, converter)
            .inspect_err(|_| say_finished(finished, written))?;
        games += report.written();
        if report.is_refused() || report.is_incomplete() {
            // Names the games and the causes, as `convert` does.
            let target = shown(&job.target).to_string();
            let sources: Vec<String> = job.sources.iter().map(|it| shown(it).to_string()).collect();
            let summary = summary(&report, &sources, &target, format.name, Duration::ZERO);
            say(format_args!("chessdb: {target}: incompletely written"));
            say(summary.trim_end());
            done = done.max(Completion::Negative);
        }
        finished += 1;
    }
    run.finish()?;
    if !args.output_options.quiet {
        let (bases, games) = (count(written, "database"), count(games, "game"));
        say(format_args!("{bases}, {games}"));
    }
    Ok(if written == 0 { done.max(Completion::Negative) } else { done })
}

/// Prints the parts that would be written, with their numbers of games.
fn list_parts(args: &Split, parts: &Parts, done: Completion) -> Outcome {
    let mut out = stdout();
    for (values, numbers) in parts {
        let games: usize = numbers.iter().map(|(_, numbers)| numbers.len()).sum();
        writeln!(out, "{games}\t{}", plain(&values.join(" - ")))?;
    }
    out.flush()?;
    if !args.output_options.quiet {
        let parts = count(parts.len() as u64, "database");
        say(format_args!(
            "{parts} would be written; nothing was written (--dry-run)"
        ));
    }
    Ok(done.max(Completion::of_search(parts.len() as u64)))
}

/// Reports how many outputs were complete before an error.
fn say_finished(finished: u64, all: u64) {
    if finished > 0 {
        let all = count(all, "database");
        say(format_args!(
            "chessdb: {} of {all} were written before this error and stay",
            grouped(finished)
        ));
    }
}
