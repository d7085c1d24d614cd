//! `diff --only-in`: the games of one database without a counterpart in the other one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::diff::{Matching, Summary};
use chessdb::query::Query;
use chessdb::{Database, Selection};

use crate::args::{Diff, OutputOptions};
use crate::commands::convert::{ConversionRunner, PlainSteps};
use crate::commands::plan::plan;
use crate::exit::{Completion, Failure};
use crate::report_file::refuse;

/// A side of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    A,
    B,
}

impl Side {
    /// Returns the side of `--only-in`, which is a letter or the path of the database.
    pub(super) fn from_args(args: &Diff) -> Result<Option<Side>, Failure> {
        let Some(word) = &args.only_in else {
            return Ok(None);
        };
        let is = |letter: &str, path: &Path| {
            path == word || word.as_os_str().eq_ignore_ascii_case(letter)
        };
        match (is("a", &args.a), is("b", &args.b)) {
            (true, _) => Ok(Some(Side::A)),
            (_, true) => Ok(Some(Side::B)),
            _ => Err(Failure::usage(
                "--only-in takes A, B, or one of the two paths",
            )),
        }
    }

    pub(super) fn pick<T>(self, [a, b]: [T; 2]) -> T {
        match self {
            Side::A => a,
            Side::B => b,
        }
    }

    pub(super) fn completion(self, summary: &Summary) -> Completion {
        let games = self.pick([summary.only_left, summary.only_right]);
        if games > 0 || summary.is_incomplete() {
            Completion::Negative
        } else {
            Completion::Success
        }
    }
}

/// Returns how games are paired. By default, games at the same place of two databases of equal size
/// are a changed game even if they have nothing in common; such games are only in one side.
pub(super) fn matching(args: &Diff) -> Option<Matching> {
    args.only_in
        .as_ref()
        .map(|_| Matching::Content)
        .or(args.matching)
}

/// Refuses an output that exists, before the games are compared.
pub(super) fn check_output(args: &Diff) -> Result<(), Failure> {
    match &args.output {
        Some(out) if out.as_os_str() != "-" => {
            refuse(out, args.force, &[args.a.clone(), args.b.clone()])
        }
        _ => Ok(()),
    }
}

/// Writes the games with these numbers.
pub(super) fn write(
    args: &Diff,
    out: &Path,
    (path, db): (PathBuf, &Database),
    numbers: Vec<u32>,
) -> Result<Completion, Failure> {
    let options = OutputOptions {
        to: args.to,
        force: args.force,
        quiet: args.quiet,
        input_options: args.input_options.clone(),
        ..OutputOptions::default()
    };
    let paths = [path, out.to_owned()];
    let plan = plan("diff --only-in -o", &options, &paths)?;
    let mut steps = PlainSteps;
    let query = Arc::new(Query::default());
    let mut runner = ConversionRunner::start(&options, query, plan.format, &paths, &mut steps)?;
    let mut done = Completion::Success;
    for job in &plan.jobs {
        let games = Selection::in_order(numbers.clone());
        let converter = runner.converter(job)?.add_selected(db, games.clone());
        let report = runner.write(job, Some(games), converter)?;
        if report.is_refused() || report.is_incomplete() {
            done = Completion::Negative;
        }
    }
    runner.finish()?;
    Ok(done)
}
