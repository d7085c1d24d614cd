//! The command `cat`: games on standard output.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use chessdb::core::store::Origin;
use chessdb::formats;
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::{Converter, Database, Diagnostic, Error, Game, Selection, Severity};

use crate::advice::SearchAdvice;
use crate::args::{Cat, CatFormat};
use crate::commands::arrangement::{GameRequest, ReadDepth};
#[cfg(feature = "tables")]
use crate::commands::convert;
use crate::commands::database_scan::no_match;
use crate::commands::texts;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::findings::FindingLog;
use crate::game_json;
use crate::game_output::{strip_game, write_mainline};
use crate::input::{self, Access};
use crate::inputs::Inputs;
use crate::json::{DatabaseList, Quoted};
use crate::output::stdout;
use crate::report::{self, ConversionObserver};

pub(crate) fn run(args: &Cat) -> Outcome {
    if args.texts {
        return texts::print(args);
    }
    let is_table = matches!(args.format, CatFormat::Csv | CatFormat::Ndjson);
    let is_json = args.json;
    if args.columns.is_some() && !is_table {
        let message = "--columns is for --format csv and ndjson; `chessdb ls` has columns too";
        return Err(Failure::usage(message));
    }
    #[cfg(feature = "tables")]
    if args
        .columns
        .as_deref()
        .is_some_and(convert::wants_column_names)
    {
        return convert::print_column_names();
    }
    // With -n, the games before the first of them are not read.
    let access = args
        .arrangement
        .access(if args.scan_options.choice.games.is_all() {
            Access::InOrder
        } else {
            Access::Random
        });
    let (paths, query) = args.scan_options.choice.databases_and_query()?;
    let narrowed = !args.scan_options.choice.games.is_all() || !query.is_empty();
    let inputs = Inputs::new(paths, &args.scan_options.input_options);
    let several = inputs.are_several();
    if several && args.format == CatFormat::Csv {
        let message = "csv is one table; `chessdb convert IN... OUT.csv` joins databases";
        return Err(Failure::usage(message));
    }
    let mut list = DatabaseList::begin(several && is_json, &mut stdout())?;
    let (mut all_read, mut any_bad) = (0, false);
    let open = |path: &Path| {
        let (options, jobs) = (&args.scan_options.input_options, args.scan_options.jobs);
        input::open_for_search(query.needs_positions(), path, options, jobs, access)
    };
    let print = |path: &Path, db: &Database, games: &Selection, is_first: bool| -> Outcome {
        let name = path.display().to_string();
        let request = PrintRequest {
            args,
            query: &query,
            name: &name,
            games,
            is_first,
        };
        let start = Instant::now();
        let (read, bad) = match args.format {
            _ if is_json => json(&request, db, &mut list, several)?,
            CatFormat::Pgn | CatFormat::Csv | CatFormat::Ndjson => written(&request, db)?,
            _ => lines(&request, db)?,
        };
        all_read += read;
        any_bad |= bad;
        let none = narrowed && read == 0;
        if none && !args.scan_options.quiet && (args.arrangement.is_nothing() || !several) {
            let what = no_match(db, &args.scan_options.choice.games, &query);
            say(format_args!("chessdb: {}: {what}", shown(&name)));
            if !several {
                SearchAdvice::print(&query, db, start.elapsed());
            }
        }
        let done = Completion::of_reading(bad, args.scan_options.strict);
        Ok(done)
    };
    let request = GameRequest {
        games: &args.scan_options.choice.games,
        query: &query,
        jobs: args.scan_options.jobs,
        depth: ReadDepth::Moves,
        // A conversion writes the readable part of a game.
        keeps_damaged: is_table || args.format == CatFormat::Pgn && !is_json,
        strict: args.scan_options.strict,
    };
    let (done, unread) = args.arrangement.print_all(&inputs, &request, open, print)?;
    list.end(&unread, "", &mut stdout())?;
    Ok(if narrowed || any_bad {
        done.max(Completion::of_search(all_read))
    } else {
        done
    })
}

/// The games of a database to print.
struct PrintRequest<'a> {
    args: &'a Cat,
    query: &'a Arc<Query>,
    name: &'a str,
    games: &'a Selection,
    /// Whether findings about the database itself have not been reported yet.
    is_first: bool,
}

/// The number of games read, and whether any were skipped, cut, or lost with the database.
type PrintCount = (u64, bool);

/// Prints games in a format of databases or tables.
fn written(request: &PrintRequest<'_>, db: &Database) -> Result<PrintCount, Failure> {
    let &PrintRequest {
        args,
        query,
        name,
        games,
        ..
    } = request;
    let id = match args.format {
        CatFormat::Csv => "csv",
        CatFormat::Ndjson => "ndjson",
        _ => "pgn",
    };
    let format = formats::by_id(id)
        .ok_or_else(|| Failure::Usage(format!("this build does not support {id}")))?;
    let sources = [shown(name).to_string()];
    let mut edit = |game: &mut Game| strip_game(game, args.content_options);
    // A signal may end the program at any time: there is no file to clean up.
    let never_interrupted = AtomicBool::new(false);
    let mut watch = ConversionObserver::new(&sources, true, &never_interrupted);
    watch.edit = Some(&mut edit);
    watch.selection = Some(games.clone());
    // Metadata of the database is not requested here.
    let converter = Converter::to_writer(stdout());
    let converter = match &args.columns {
        Some(columns) => converter.setting("columns", columns),
        None => converter,
    };
    let converter = match args.content_options.width {
        Some(width) => converter.setting("width", width.to_string()),
        None => converter,
    };
    let report = converter
        .format(format)
        .select(games.clone())
        .filter(Arc::clone(query))
        .games_only(true)
        .jobs(args.scan_options.jobs.thread_count())
        .add_database(db)
        .observer(&mut watch)
        .run();
    let report = report.or_else(chessdb::Error::into_report);
    let report = report.map_err(|error| Failure::conversion(error, "standard output", name))?;
    let odd = !report.game_losses().is_empty() || !report.diagnostics().is_empty();
    if odd && !args.scan_options.quiet {
        let elapsed = watch.progress.elapsed();
        let summary = report::summary(&report, &sources, "standard output", format.name, elapsed);
        say(summary.trim_end());
    }
    Ok((report.read(), report.is_incomplete()))
}

fn json(
    request: &PrintRequest<'_>,
    db: &Database,
    list: &mut DatabaseList,
    is_named: bool,
) -> Result<PrintCount, Failure> {
    let mut out = stdout();
    list.open(&mut out)?;
    if is_named {
        let (base, format) = (Quoted(request.name), Quoted(db.format().id));
        write!(out, "\"base\":{base},\"format\":{format},")?;
    }
    write!(out, "\"games\":[")?;
    let mut printed = 0_u64;
    let count = print_games(request, db, |game| {
        let comma = if printed == 0 { "" } else { "," };
        printed += 1;
        write!(out, "{comma}\n{}", game_json::to_json(game))
    })?;
    // Closes the list even if games could not be read.
    write!(out, "\n]")?;
    list.close(&mut out)?;
    out.flush()?;
    count.finish(request.args)
}

/// Prints moves or positions, line by line.
fn lines(request: &PrintRequest<'_>, db: &Database) -> Result<PrintCount, Failure> {
    let args = request.args;
    let mut out = stdout();
    let path = db.path().unwrap_or(Path::new(request.name));
    let base = path.file_name().unwrap_or_default().to_string_lossy();
    let count = print_games(request, db, |game| {
        let origin = Origin::new(game.number()).of_base(Some(&base));
        write_mainline(game, args.format, origin, !args.no_tags, &mut out)
    })?;
    out.flush()?;
    count.finish(args)
}

/// The printed games, and the end of the scan.
struct PrintResult {
    read: u64,
    bad: bool,
    findings: FindingLog,
    end: Result<Vec<Diagnostic>, Error>,
}

impl PrintResult {
    fn finish(mut self, args: &Cat) -> Result<PrintCount, Failure> {
        let bad = self.bad | report_findings(args, &mut self.findings, &self.end?);
        self.findings.finish();
        Ok((self.read, bad))
    }
}

/// Reports findings about a database or game. Returns whether any data is lost.
fn report_findings(args: &Cat, findings: &mut FindingLog, diagnostics: &[Diagnostic]) -> bool {
    if !args.scan_options.quiet {
        findings.add_all(diagnostics);
    }
    diagnostics.iter().any(|one| one.severity == Severity::Lost)
}

/// Prints the selected games in order and reports findings.
fn print_games(
    request: &PrintRequest<'_>,
    db: &Database,
    mut print: impl FnMut(&Game) -> io::Result<()>,
) -> Result<PrintResult, Failure> {
    let &PrintRequest {
        args,
        query,
        name,
        games,
        is_first,
    } = request;
    let mut findings = FindingLog::from_name(shown(name).to_string());
    let (mut read, mut bad) = (
        0_u64,
        is_first && report_findings(args, &mut findings, db.diagnostics()),
    );
    let mut failure = None;
    let end = db
        .scan()
        .select(games.clone())
        .filter(Arc::clone(query))
        .for_each(|game, result| {
            read += 1;
            bad |= result.is_err() | report_findings(args, &mut findings, game.diagnostics());
            if let Err(error) = &result {
                findings.add(error);
                return ControlFlow::Continue(());
            }
            let printed = if args.content_options.is_nothing() {
                print(game)
            } else {
                // The scan only lends its game.
                let mut game = game.clone();
                strip_game(&mut game, args.content_options);
                print(&game)
            };
            match printed {
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
    Ok(PrintResult {
        read,
        bad,
        findings,
        end,
    })
}
