//! `salvage`: everything that can be had of a damaged base.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::convert::{GameRef, Observer, Report};
use chessdb::core::Loss;
use chessdb::core::salvage::{Found, Salvaged};
use chessdb::{Database, Diagnostic, Error, Selection, Severity};

use crate::args::{self, Writing};
use crate::commands::convert::{converter, interrupts, name};
use crate::commands::plan::plan;
use crate::exit::{Done, Failure, Outcome, say};
use crate::input;
use crate::json::{Json, document, list, object};
use crate::output::{count, grouped, stdout};
use crate::progress::Progress;
use crate::report::{self, Watch};

/// Stretches without games that are printed; the report has all.
const SHOWN: usize = 10;

pub(crate) fn run(args: &args::Salvage) -> Outcome {
    let args::Salvage {
        base, out, report, ..
    } = args;
    let to_stdout = |path: &Path| path.as_os_str() == "-";
    let reports = report.as_deref().is_some_and(to_stdout);
    if usize::from(to_stdout(out)) + usize::from(reports) + usize::from(args.json) > 1 {
        let message = "games, --json and --report - cannot share standard output";
        return Err(Failure::Usage(message.to_owned()));
    }
    let writing = args.writing();
    let format = plan("salvage", &writing, &[base.clone(), out.clone()])?.format;
    let found = input::find(base, &args.reading)?;
    let sources = [name(base)];
    let interrupted = interrupts();
    let mut watch = SalvageWatch {
        inner: Watch {
            progress: Progress::new(!args.quiet),
            alone: true,
            selection: &Selection::default(),
            games: None,
            bytes: None,
            log: None,
            sources: &sources,
            current: 0,
            edit: None,
            interrupted: &interrupted,
        },
        salvaged: Salvaged::default(),
        damaged: false,
        written: 0,
        games: Vec::new(),
        faults: Vec::new(),
    };
    let target_name = name(out);
    let unread = |problem: &dyn std::fmt::Display| Failure::Input(problem.to_string());
    let options = input::options(&args.reading).salvage(true);
    let db = options.streaming(true).open_found(found);
    let db = db.map_err(|error| unread(&error))?;
    if db.is_empty().unwrap_or(false) {
        return Err(unread(&format_args!("{}: no game was found", name(base))));
    }
    let converter = converter(out, format, &writing)?.add_database(&db);
    let result = converter.observer(&mut watch).run();
    let elapsed = watch.inner.progress.elapsed();
    let failed = |error| Failure::conversion(error, &target_name, &name(base));
    let done = result.or_else(Error::into_report).map_err(failed)?;
    let findings = watch.end();
    let target_name = done.target().map_or(target_name, name);
    if let Some(path) = report {
        let failed = |error| Failure::Output(format!("{}: {error}", path.display()));
        let write = || match to_stdout(path) {
            true => findings.write(&mut stdout()),
            false => findings.write(&mut BufWriter::new(File::create(path)?)),
        };
        write().map_err(failed)?;
    }
    if !args.quiet {
        let summary = report::summary(&done, &sources, &target_name, format.name, elapsed);
        say(format!("{summary}{}", findings.text()).trim_end());
    }
    if args.json {
        let mut out = stdout();
        let conversion = report::json(&done, &sources, &target_name, format.id);
        writeln!(out, "{}", document("salvage", findings.json(conversion)))?;
        out.flush()?;
    }
    Ok(
        match (done.written(), findings.is_whole() && done.skipped() == 0) {
            (0, _) => Done::SomeUnread,
            (_, true) => Done::Yes,
            (_, false) => Done::No,
        },
    )
}

impl args::Salvage {
    /// How what was found is written.
    fn writing(&self) -> Writing {
        Writing {
            to: self.to,
            force: self.force,
            to_encoding: self.to_encoding,
            json: self.json,
            quiet: self.quiet,
            reading: self.reading.clone(),
            jobs: self.jobs,
            ..Writing::default()
        }
    }
}

/// Notes what becomes of each game.
struct SalvageWatch<'w> {
    inner: Watch<'w>,
    salvaged: Salvaged,
    /// Whether something of the present game is missing.
    damaged: bool,
    written: u64,
    games: Vec<Option<Found>>,
    faults: Vec<String>,
}

impl SalvageWatch<'_> {
    fn end(self) -> Findings {
        Findings {
            salvaged: self.salvaged,
            games: self.games,
            faults: self.faults,
        }
    }
}

impl Observer for SalvageWatch<'_> {
    fn source(&mut self, source: usize, db: &Database) {
        self.salvaged = db.salvaged().cloned().unwrap_or_default();
        self.inner.source(source, db);
    }

    fn game(&mut self, report: &Report) -> ControlFlow<()> {
        let n = u32::try_from(self.games.len()).unwrap_or(u32::MAX);
        let found = match (self.salvaged.found(n), self.damaged) {
            (Found::Exact | Found::Carved, true) => Found::MovesUpToFault,
            (found, _) => found,
        };
        let written = report.written() > self.written;
        self.games.push(written.then_some(found));
        self.written = report.written();
        self.damaged = false;
        self.inner.game(report)
    }

    fn loss(&mut self, at: GameRef, loss: &Loss) {
        self.inner.loss(at, loss);
    }

    fn diagnostic(&mut self, source: usize, diagnostic: &Diagnostic) {
        if diagnostic.severity == Severity::Lost {
            match diagnostic.at.game {
                Some(_) => self.damaged = true,
                None => self.faults.push(diagnostic.to_string()),
            }
        }
        self.inner.diagnostic(source, diagnostic);
    }
}

/// What became of each game and of the bytes without games.
struct Findings {
    salvaged: Salvaged,
    /// None of a game that could not be read or written.
    games: Vec<Option<Found>>,
    /// What the base as a whole lost.
    faults: Vec<String>,
}

impl Findings {
    fn is_whole(&self) -> bool {
        let exact = |found: &Option<Found>| *found == Some(Found::Exact);
        self.games.iter().all(exact) && self.salvaged.barren.is_empty() && self.faults.is_empty()
    }

    fn count(&self, found: Option<Found>) -> u64 {
        self.games.iter().filter(|&&game| game == found).count() as u64
    }

    fn text(&self) -> String {
        let mut text = String::from("How the games were found:\n");
        for found in Found::ALL {
            let games = self.count(Some(found));
            if games > 0 {
                let _ = writeln!(text, "{:>9}  {}", grouped(games), found.text());
            }
        }
        let left_out = self.count(None);
        if left_out > 0 {
            let _ = writeln!(text, "{:>9}  left out", grouped(left_out));
        }
        let barren = &self.salvaged.barren;
        if barren.is_empty() {
            return text;
        }
        let bytes: u64 = barren
            .iter()
            .map(|(_, range, _)| range.end - range.start)
            .sum();
        let places = count(barren.len() as u64, "place");
        let _ = writeln!(
            text,
            "Without a game of their own: {} in {places}",
            count(bytes, "byte")
        );
        for (role, range, why) in barren.iter().take(SHOWN) {
            let (start, bytes) = (range.start, count(range.end - range.start, "byte"));
            let _ = writeln!(
                text,
                "  {role} file, byte {start:#x}, {bytes}: {}",
                why.text()
            );
        }
        if barren.len() > SHOWN {
            let more = grouped((barren.len() - SHOWN) as u64);
            let _ = writeln!(text, "  … and {more} more; --report lists them");
        }
        text
    }

    /// A line for each game, each stretch without one, and each fault of the base, tab-separated.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "what\tgame\tfile\tstart\tend\tfound")?;
        for (n, found) in (1u64..).zip(&self.games) {
            let found = found.map_or("left-out", Found::code);
            writeln!(out, "game\t{n}\t\t\t\t{found}")?;
        }
        for (role, range, why) in &self.salvaged.barren {
            let (start, end) = (range.start, range.end);
            writeln!(out, "bytes\t\t{role}\t{start}\t{end}\t{}", why.code())?;
        }
        for fault in &self.faults {
            writeln!(out, "base\t\t\t\t\t{}", crate::output::plain(fault))?;
        }
        out.flush()
    }

    fn json(&self, conversion: Json) -> Json {
        let counts = Found::ALL.map(|found| (found.code(), Json::from(self.count(Some(found)))));
        let games = self
            .games
            .iter()
            .map(|found| found.map_or("left-out", Found::code));
        let barren = self.salvaged.barren.iter().map(|(role, range, why)| {
            object([
                ("file", role.0.into()),
                ("start", range.start.into()),
                ("end", range.end.into()),
                ("found", why.code().into()),
            ])
        });
        object([
            ("counts", object(counts)),
            ("left_out", self.count(None).into()),
            ("games", list(games)),
            ("barren", list(barren)),
            ("faults", list(self.faults.iter().map(String::as_str))),
            ("conversion", conversion),
        ])
    }
}
