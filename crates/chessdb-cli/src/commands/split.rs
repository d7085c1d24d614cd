//! The command `split`: one database to many.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use chessdb::formats::{in_folder, portable_name, shown};
use chessdb::query::names::known_text;
use chessdb::{Color, Game, Selection};

use crate::args::{Split, SplitBy};
use crate::commands::arrange::{Needs, map_games};
use crate::commands::convert::{ConversionRunner, ConversionSteps};
use crate::commands::plan::ConversionJob;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::inputs::{Inputs, OpenedDatabases};
use crate::output::{count, grouped, plain, stdout};
use crate::query;
use crate::report::summary;
use crate::report_file::refuse_database;

/// The limits of a file name in letters and bytes. File systems allow 255 bytes, including what is
/// appended.
const MAX_LETTERS: usize = 80;
const MAX_BYTES: usize = 200;

/// The maximum number of new databases; more are hardly intended.
const MAX_DATABASES: usize = 100_000;

/// The number of new databases above which each is written by one thread.
const MANY_PARTS: usize = 64;

struct PlainSteps;

impl ConversionSteps for PlainSteps {}

pub(crate) fn run(args: &Split) -> Outcome {
    let (paths_read, terms) = query::split_query(&args.words);
    let query = query::read(terms, args.output_options.choice.position_options)?;
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
    // The game numbers of each part, by key: a list per database with any of its games.
    let mut parts: BTreeMap<String, Vec<(usize, Vec<u32>)>> = BTreeMap::new();
    let mut taken = 0;
    for (index, db) in bases.iter().enumerate() {
        let make = |game: &Game| names(game, args.by);
        map_games(
            db,
            &args.output_options,
            &query,
            Needs::Headers,
            make,
            |number, names| {
                let by_count = match args.by {
                    // With leading zeros, the files sort by their numbers.
                    SplitBy::Count(size) => vec![format!("{:06}", taken / size + 1)],
                    _ => names,
                };
                taken += 1;
                for name in by_count {
                    let part = parts.entry(name).or_default();
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
    for (key, numbers) in parts {
        let name = names.unique(&key);
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
fn list_parts(
    args: &Split,
    parts: &BTreeMap<String, Vec<(usize, Vec<u32>)>>,
    done: Completion,
) -> Outcome {
    let mut out = stdout();
    for (key, numbers) in parts {
        let games: usize = numbers.iter().map(|(_, numbers)| numbers.len()).sum();
        writeln!(out, "{games}\t{}", plain(key))?;
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

/// File names for the parts. No two differ only in case, because many file systems treat such names
/// as equal.
#[derive(Default)]
struct FileNames {
    /// The names without case.
    taken: HashSet<String>,
    /// The last number appended to each name without case.
    numbers: HashMap<String, u32>,
}

/// Returns a text that is equal for names that differ only in case.
fn without_case(name: &str) -> String {
    // Lower case alone keeps apart what some file systems equate: ß and ss, or the two forms of
    // sigma.
    name.to_uppercase().to_lowercase()
}

impl FileNames {
    /// Returns the file name of a part, with a number if another part already has that name.
    fn unique(&mut self, key: &str) -> String {
        let name = file_name(key);
        let folded = without_case(&name);
        if self.taken.insert(folded.clone()) {
            return name;
        }
        let number = self.numbers.entry(folded).or_insert(1);
        loop {
            *number += 1;
            let other = format!("{name}-{number}");
            if self.taken.insert(without_case(&other)) {
                return other;
            }
        }
    }
}

/// Returns the keys of the parts that a game belongs to.
fn names(game: &Game, by: SplitBy) -> Vec<String> {
    let text = |text: &str| known_text(text).to_owned();
    match by {
        SplitBy::Eco => {
            let eco = game
                .eco()
                .map(|eco| chessdb::core::model::Eco::new(eco.code).to_string());
            vec![text(&eco.unwrap_or_default())]
        }
        SplitBy::Year => match game.effective_date().year {
            0 => vec![text("")],
            year => vec![format!("{year:04}")],
        },
        SplitBy::Event => vec![text(&game.event())],
        SplitBy::Player => {
            let names = Color::ALL.map(|color| match color {
                Color::White => text(&game.white()),
                Color::Black => text(&game.black()),
            });
            let [white, black] = names;
            if white == black { vec![white] } else { vec![white, black] }
        }
        SplitBy::Count(_) => Vec::new(),
    }
}

/// Returns a file name that every file system accepts: letters, digits, spaces and a few signs,
/// neither too long nor the name of a device.
pub(super) fn file_name(text: &str) -> String {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, ' ' | ',' | '-' | '\'' | '+');
    let letters = text.chars().map(|c| if is_allowed(c) { c } else { '_' });
    let mut name = String::new();
    for c in letters.take(MAX_LETTERS) {
        if name.len() + c.len_utf8() <= MAX_BYTES {
            name.push(c);
        }
    }
    match name.trim().trim_matches('_').trim() {
        "" => "unknown".to_owned(),
        // Windows opens the device of some names instead of a file.
        name => portable_name(name.as_ref()).display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_parts_have_one_file() {
        let long = "A very long name of an event ".repeat(5);
        assert_eq!(file_name("Open: A/B"), "Open_ A_B");
        let sets: [&[String]; 7] = [
            &[
                "Straße".into(),
                "STRASSE".into(),
                "straße".into(),
                "ΣΑΣ".into(),
                "σας".into(),
            ],
            &[format!("{long}A"), format!("{long}B"), format!("{long}C")],
            &["Open".into(), "open".into(), "OPEN".into()],
            &["A/B".into(), "A:B".into(), "A_B".into(), "A?B".into()],
            &["".into(), "unknown".into(), "___".into(), ".".into()],
            &["x".into(), "X".into(), "x-2".into(), "X-2".into()],
            &["棋".repeat(90), "棋".repeat(91), "con".into(), "CON".into()],
        ];
        for keys in sets {
            let mut names = FileNames::default();
            let all: Vec<String> = keys.iter().map(|key| names.unique(key)).collect();
            let found: HashSet<String> = all.iter().map(|name| without_case(name)).collect();
            assert_eq!(found.len(), keys.len(), "{all:?}");
            for name in all {
                assert!(name.len() < 215, "{name}");
                assert!(
                    !name.eq_ignore_ascii_case("con") && name.trim() == name,
                    "{name}"
                );
            }
        }
    }
}
