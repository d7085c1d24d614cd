//! `split`: one base into many.

use std::collections::BTreeMap;
use std::fs;

use chessdb::formats::shown;
use chessdb::{Color, Game, Selection};

use crate::args::{Split, SplitBy};
use crate::commands::arrange::{Needs, each};
use crate::commands::convert::{Arrange, Run, Sources};
use crate::commands::plan::Job;
use crate::exit::{Done, Failure, Outcome, say};
use crate::inputs::{Inputs, Opened};
use crate::output::count;
use crate::query;

/// More bases than these are hardly meant.
const MOST: usize = 100_000;

struct Parts;

impl Arrange for Parts {}

pub(crate) fn run(args: &Split) -> Outcome {
    let (paths, terms) = query::divide(&args.words);
    let query = query::read(terms, args.writing.choice.asking)?;
    let inputs = Inputs::of(paths, &args.writing.reading);
    let Opened { paths, bases, done } = inputs.open_all(&args.writing.reading)?;
    let own = bases.first().map(chessdb::Database::format);
    let Some(format) = args.writing.to.or(own.filter(|own| own.create.is_some())) else {
        return Err(Failure::Usage("say with -t what to write".to_owned()));
    };
    // By name of the part: the numbers of its games in each base.
    let mut parts: BTreeMap<String, BTreeMap<usize, Vec<u32>>> = BTreeMap::new();
    let mut taken = 0;
    for (at, db) in bases.iter().enumerate() {
        let make = |game: &Game| names(game, args.by);
        each(
            db,
            &args.writing,
            &query,
            Needs::Heads,
            make,
            |number, names| {
                let by_count = match args.by {
                    SplitBy::Count(size) => vec![format!("{:06}", taken / size + 1)],
                    _ => names,
                };
                taken += 1;
                for name in by_count {
                    let part = parts.entry(name).or_default();
                    part.entry(at).or_default().push(number);
                }
            },
        )?;
    }
    if parts.len() > MOST {
        let found = count(parts.len() as u64, "base");
        return Err(Failure::Usage(format!(
            "that would be {found}; a query makes it fewer"
        )));
    }
    fs::create_dir_all(&args.output)
        .map_err(|error| Failure::Output(format!("{}: {error}", shown(&args.output))))?;
    let suffix = format.roles.first().map_or("", |role| role.0);
    let mut done = done;
    let mut all = Parts;
    let quiet = crate::args::Writing {
        quiet: true,
        ..args.writing.clone()
    };
    let mut run = Run::start(&quiet, query, format, &mut all)?;
    let (mut games, written) = (0, parts.len() as u64);
    for (name, numbers) in parts {
        let sources = numbers.keys().filter_map(|at| paths.get(*at).cloned());
        let job = Job {
            sources: sources.collect(),
            target: args.output.join(format!("{name}.{suffix}")),
            below: Some(args.output.clone()),
        };
        job.create_folder(format)?;
        let chosen = numbers.into_iter().filter_map(|(at, numbers)| {
            let db = bases.get(at)?;
            Some((db, Selection::in_order(numbers)))
        });
        let report = run.write(&job, Sources::Chosen(chosen.collect()), false)?;
        games += report.written();
        if report.is_refused() || report.is_incomplete() {
            say(format_args!(
                "chessdb: {}: not all of it could be written",
                shown(&job.target)
            ));
            done = done.max(Done::No);
        }
    }
    run.finish()?;
    if !args.writing.quiet {
        let (bases, games) = (count(written, "base"), count(games, "game"));
        say(format_args!("{bases}, {games}"));
    }
    Ok(if written == 0 {
        done.max(Done::No)
    } else {
        done
    })
}

/// The parts that a game belongs to.
fn names(game: &Game, by: SplitBy) -> Vec<String> {
    let text = |text: &str| file_name(text);
    match by {
        SplitBy::Eco => {
            let eco = game
                .eco()
                .map(|eco| chessdb::core::Eco::new(eco.code).to_string());
            vec![text(&eco.unwrap_or_default())]
        }
        SplitBy::Year => match game.date().year {
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
            if white == black {
                vec![white]
            } else {
                vec![white, black]
            }
        }
        SplitBy::Count(_) => Vec::new(),
    }
}

/// A name that every file system takes: letters, digits, blanks and a few signs; capitals do not tell
/// two apart.
pub(super) fn file_name(text: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | ',' | '-' | '\'' | '+');
    let kept = text.chars().map(|c| if is_kept(c) { c } else { '_' });
    let name: String = kept.take(80).collect();
    match name.trim().trim_matches('_') {
        "" => "unknown".to_owned(),
        name => name.to_lowercase(),
    }
}
