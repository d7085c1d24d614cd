//! `cat`: games on standard output.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chessdb::formats;
use chessdb::query::Query;
use chessdb::{Converter, Database, Diagnostic, Severity};

use crate::args::{Cat, CatFormat};
use crate::commands::texts;
use crate::exit::{Done, Failure, Outcome, say};
use crate::input::{self, Access};
use crate::inputs::{Base, Inputs, failed_json};
use crate::json::{Quoted, SCHEMA, line};
use crate::output::stdout;
use crate::progress::Progress;
use crate::query;
use crate::report::{self, Watch};
use crate::tree;

pub(crate) fn run(args: &Cat) -> Outcome {
    if args.texts {
        return texts::print(args);
    }
    let access = if args.games.is_all() {
        Access::InOrder
    } else {
        Access::Random
    };
    let (paths, terms) = query::divide(&args.words);
    let query = query::read(terms, args.asking)?;
    let narrowed = !args.games.is_all() || !query.is_empty();
    let inputs = Inputs::of(paths, args.reading.wanted());
    let several = inputs.are_several();
    let is_json = args.json || args.format == CatFormat::Json;
    let mut list = JsonList { several, bases: 0 };
    let mut all_read = 0;
    let mut base = |base: &Base| -> Outcome {
        let db = input::open(&base.path, &args.reading, args.jobs, access)?;
        let name = base.path.display().to_string();
        let (read, bad) = match is_json {
            true => json(args, &query, &name, &db, &mut list)?,
            false => pgn(args, &query, &name, &db)?,
        };
        all_read += read;
        let none = narrowed && read == 0;
        if none && !args.quiet {
            let what = match query.is_empty() {
                true => "none of these games is there",
                false => "no game fits",
            };
            say(format_args!("chessdb: {name}: {what}"));
        }
        Ok(if bad || none && !several {
            Done::No
        } else {
            Done::Yes
        })
    };
    let done = match inputs.bases.as_slice() {
        [one] if !several => return base(one),
        _ => {
            if is_json {
                write!(stdout(), "{{\"schema\":{SCHEMA},\"bases\":[")?;
            }
            let mut unread = Vec::new();
            let done = inputs.each(base, |name, message| {
                unread.push(failed_json(name, message))
            })?;
            if is_json {
                let mut out = stdout();
                for failed in &unread {
                    write!(out, "{}\n{}", list.comma(), line(failed))?;
                }
                writeln!(out, "\n]}}")?;
                out.flush()?;
            }
            done
        }
    };
    let none = narrowed && all_read == 0;
    Ok(if none { done.max(Done::No) } else { done })
}

/// How lists of games stand in one document.
struct JsonList {
    /// Whether there are several of them, each in an object with the name of its base.
    several: bool,
    bases: u64,
}

impl JsonList {
    fn comma(&mut self) -> &'static str {
        self.bases += 1;
        if self.bases == 1 { "" } else { "," }
    }
}

/// Games read, and whether something was skipped, cut, or lost with the base.
type Count = (u64, bool);

fn pgn(args: &Cat, query: &Arc<Query>, name: &str, db: &Database) -> Result<Count, Failure> {
    let format = formats::by_id("pgn")
        .ok_or_else(|| Failure::Usage("this build does not know PGN".to_owned()))?;
    let sources = [name.to_owned()];
    let mut watch = Watch {
        edit: None,
        progress: Progress::new(false),
        alone: true,
        selection: &args.games,
        games: None,
        bytes: None,
        log: None,
        sources: &sources,
        current: 0,
        interrupted: &AtomicBool::new(false),
        unopened: None,
    };
    // What the base says of itself is not asked for here.
    let report = Converter::to_writer(stdout())
        .format(format)
        .select(args.games.clone())
        .filter(Arc::clone(query))
        .games_only(true)
        .jobs(args.jobs.number())
        .add_database(db)
        .observer(&mut watch)
        .run();
    let report = report.or_else(chessdb::Error::into_report);
    let report = report.map_err(|error| Failure::conversion(error, "standard output", name))?;
    let odd = !report.game_losses().is_empty() || !report.diagnostics().is_empty();
    if odd && !args.quiet {
        let elapsed = watch.progress.elapsed();
        let summary = report::summary(&report, &sources, "standard output", format.name, elapsed);
        say(summary.trim_end());
    }
    Ok((report.read(), report.is_incomplete()))
}

fn json(
    args: &Cat,
    query: &Arc<Query>,
    name: &str,
    db: &Database,
    list: &mut JsonList,
) -> Result<Count, Failure> {
    let mut out = stdout();
    match list.several {
        true => {
            let (comma, base, format) = (list.comma(), Quoted(name), Quoted(db.format().id));
            write!(
                out,
                "{comma}\n{{\"base\":{base},\"format\":{format},\"games\":["
            )?;
        }
        false => write!(out, "{{\"schema\":{SCHEMA},\"games\":[")?,
    }
    let (mut read, mut bad) = (0_u64, false);
    let say_all = |found: &[Diagnostic]| {
        for diagnostic in found.iter().filter(|_| !args.quiet) {
            say(format_args!("{name}: {diagnostic}"));
        }
        found.iter().any(|found| found.severity == Severity::Lost)
    };
    bad |= say_all(db.diagnostics());
    let mut printed = 0_u64;
    let mut failure = None;
    let result = db
        .scan()
        .select(args.games.clone())
        .filter(Arc::clone(query))
        .for_each(|game, result| {
            read += 1;
            bad |= result.is_err() || game.is_damaged();
            if !args.quiet {
                for diagnostic in game.diagnostics() {
                    say(format_args!("{name}: {diagnostic}"));
                }
            }
            if let Err(error) = result {
                say(format_args!("{name}: {}", error.problem()));
                return ControlFlow::Continue(());
            }
            let comma = if printed == 0 { "" } else { "," };
            printed += 1;
            match write!(out, "{comma}\n{}", tree::to_json(game)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
    if let Some(error) = failure {
        return Err(error.into());
    }
    write!(out, "\n]}}{}", if list.several { "" } else { "\n" })?;
    out.flush()?;
    bad |= say_all(&result?);
    Ok((read, bad))
}
