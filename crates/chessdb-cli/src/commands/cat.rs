//! `cat`: games on standard output.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use chessdb::convert::{
    Conversion, ConvertError, ConvertOptions, Executor, Report, Share, Task, carry_base,
};
use chessdb::fs::{Progress as Bytes, StreamSink};
use chessdb::{Diagnostic, Severity, format_by_id};

use crate::args::{Cat, CatFormat};
use crate::exit::{Done, Failure, Outcome, say};
use crate::input::{self, Access, Opened};
use crate::jobs::Threads;
use crate::json::SCHEMA;
use crate::output::stdout;
use crate::progress::Progress;
use crate::report::{self, Watch};
use crate::tree;

pub(crate) fn run(args: &Cat) -> Outcome {
    let access = if args.games.is_all() {
        Access::InOrder
    } else {
        Access::Random
    };
    let loaded = input::load(input::find(&args.base, &args.reading)?, access)?;
    let mut opened = loaded.open(&args.reading, &Bytes::default())?;
    let name = args.base.display().to_string();
    let (read, bad) = match args.json || args.format == CatFormat::Json {
        true => json(args, &name, &mut opened)?,
        false => pgn(args, &name, &mut opened)?,
    };
    let none = !args.games.is_all() && read == 0;
    if none && !args.quiet {
        say(format_args!(
            "chessdb: {name}: none of these games is there"
        ));
    }
    Ok(if bad || none { Done::No } else { Done::Yes })
}

/// Games read, and whether something was skipped, cut, or lost with the base.
type Count = (u64, bool);

fn pgn(args: &Cat, name: &str, opened: &mut Opened<'_>) -> Result<Count, Failure> {
    let format = format_by_id("pgn")
        .ok_or_else(|| Failure::Usage("this build does not know PGN".to_owned()))?;
    let mut options = ConvertOptions::default();
    options.selection = args.games.clone();
    let base = opened
        .base()
        .map(|base| carry_base(base, Share::Part))
        .unwrap_or_default();
    let mut sink = StreamSink::new(stdout());
    let sources = [name.to_owned()];
    let mut watch = Watch {
        progress: Progress::new(false),
        games: None,
        bytes: None,
        log: None,
        sources: &sources,
        interrupted: &AtomicBool::new(false),
    };
    let convert = || -> Result<Report, ConvertError> {
        let mut conversion = Conversion::start(format, &mut sink, base, options)?;
        let mut source = opened.source();
        // What the base says of itself is not asked for here.
        source.base = None;
        conversion.add(source, &mut Threads::new(args.jobs.jobs), &mut watch)?;
        conversion.finish()
    };
    let mut report =
        convert().map_err(|error| Failure::conversion(&error, "standard output", name))?;
    report.base_losses.clear();
    let odd = !report.losses.is_empty() || !report.oddities.is_empty();
    if odd && !args.quiet {
        let elapsed = watch.progress.elapsed();
        let summary = report::summary(&report, &sources, "standard output", format.name, elapsed);
        say(summary.trim_end());
    }
    Ok((report.read, report.is_incomplete()))
}

fn json(args: &Cat, name: &str, opened: &mut Opened<'_>) -> Result<Count, Failure> {
    let mut out = stdout();
    write!(out, "{{\"schema\":{SCHEMA},\"games\":[")?;
    let task = Task {
        selection: args.games.clone(),
        heads_only: false,
    };
    let (mut read, mut bad) = (0_u64, false);
    let say_all = |found: &[Diagnostic]| {
        for diagnostic in found.iter().filter(|_| !args.quiet) {
            say(format_args!("{name}: {diagnostic}"));
        }
        found.iter().any(|found| found.severity == Severity::Lost)
    };
    bad |= say_all(opened.diagnostics());
    let mut printed = 0_u64;
    let mut failure = None;
    let result = Threads::new(args.jobs.jobs).run(opened.games(), &task, &mut |item| {
        read += 1;
        bad |= item.is_damaged();
        if !args.quiet {
            for diagnostic in &item.diagnostics {
                say(format_args!("{name}: {diagnostic}"));
            }
        }
        if let Some(error) = &item.error {
            say(format_args!("{name}: {error}"));
            return ControlFlow::Continue(());
        }
        let comma = if printed == 0 { "" } else { "," };
        printed += 1;
        match write!(out, "{comma}\n{}", tree::to_json(&item.game)) {
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
    writeln!(out, "\n]}}")?;
    out.flush()?;
    bad |= say_all(&result.map_err(|error| Failure::Input(format!("{name}: {error}")))?);
    Ok((read, bad))
}
