//! The command `check`: damage and inconsistencies, one finding per line, the first few of each
//! kind.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::core::ErrorKind;
use chessdb::core::error::Location;
use chessdb::core::store::Remark;
use chessdb::formats::shown;
use chessdb::{CheckCounts, Severity};

use crate::args::Check;
use crate::exit::{Completion, Failure, Outcome};
use crate::findings::{FindingKind, KindCounts};
use crate::input;
use crate::inputs::Inputs;
use crate::json::{Json, list, object, remark};
use crate::output::{count, plain, print_list, stdout};
use crate::progress::{Progress, fraction_read};

/// The number of findings of one kind that are printed. Further ones are counted.
const MAX_PER_KIND: u64 = 5;

pub(crate) fn run(args: &Check) -> Outcome {
    let inputs = Inputs::new(&args.bases, &args.input_options);
    let mut out = stdout();
    let mut bases = Vec::new();
    let done = inputs.each(
        |base| {
            let mut findings = CheckReport::new(args, &base.path);
            let result = check(&base.path, args, &mut findings, &mut out);
            // Findings before the failure are reported, too.
            if let Err(Failure::Input(message)) = &result {
                findings.error = Some(message.clone());
            }
            let done = if findings.counts.has_problems() {
                Completion::Negative
            } else {
                Completion::Success
            };
            if args.json {
                bases.push(findings.json());
            } else if result.is_ok() {
                findings.print_rest(&mut out)?;
                if !args.quiet {
                    for Remark { title, text, .. } in &findings.remarks {
                        writeln!(out, "{}: {title}: {}", findings.name, plain(text))?;
                    }
                }
                writeln!(out, "{}", findings.summary())?;
            }
            result.map(|()| done)
        },
        |_, _| {},
    )?;
    // `each` has reported them; the document lists them, too.
    for (name, message) in &inputs.others {
        let mut findings = CheckReport::new(args, Path::new(name));
        findings.error = Some(message.clone());
        bases.push(findings.json());
    }
    if args.json {
        print_list("bases", bases)?;
    }
    out.flush()?;
    Ok(done)
}

fn check(
    path: &Path,
    args: &Check,
    findings: &mut CheckReport<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let database = input::find(path, &args.input_options)?;
    let options = input::options(&args.input_options)
        .jobs(args.jobs.thread_count())
        .checking(true);
    let mut failed = None;
    // A pipe can be read only once, and huge or compressed files do not fit into memory: then only
    // the games are checked. In all other cases the files are also compared with each other, even
    // if the database cannot be opened.
    let db = if options.is_read_whole(&database) {
        let files = database.read()?;
        options.check_around_games(&files, &mut |finding| {
            if failed.is_none() {
                failed = findings
                    .add(finding.severity, &finding.kind, &finding.at, out)
                    .err();
            }
        })?;
        options.open_in_memory(files)?
    } else {
        options.open_found(database)?
    };
    for diagnostic in db.diagnostics() {
        findings.add(diagnostic.severity, &diagnostic.kind, &diagnostic.at, out)?;
    }
    let mut progress = Progress::new(!args.quiet);
    let result = db.scan().for_each(|game, result| {
        // A copy, because the callback below borrows all of `findings`.
        let mut counts = findings.counts;
        counts.add_game(game, result.err().as_ref(), &mut |severity, kind, place| {
            if failed.is_none() {
                failed = findings.print(severity, kind, place, out).err();
            }
        });
        findings.counts = counts;
        let games = counts.games;
        progress.tick(games, &|| fraction_read(&db, games));
        if failed.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    findings.remarks = db.remarks();
    // The other remarks describe the content, which `info` does.
    findings.remarks.retain(|remark| remark.is_reading);
    for diagnostic in &result? {
        findings.add(diagnostic.severity, &diagnostic.kind, &diagnostic.at, out)?;
    }
    Ok(())
}

struct CheckReport<'a> {
    args: &'a Check,
    name: String,
    counts: CheckCounts,
    error: Option<String>,
    kinds: KindCounts,
    /// Facts that explain how the database is read.
    remarks: Vec<Remark>,
    /// Collected for JSON only; otherwise findings are printed at once.
    list: Vec<Json>,
}

impl<'a> CheckReport<'a> {
    fn new(args: &'a Check, path: &Path) -> CheckReport<'a> {
        CheckReport {
            args,
            name: path.display().to_string(),
            counts: CheckCounts::default(),
            error: None,
            kinds: KindCounts::default(),
            remarks: Vec::new(),
            list: Vec::new(),
        }
    }

    /// Counts and prints a finding.
    fn add(
        &mut self,
        severity: Severity,
        kind: &ErrorKind,
        location: &Location,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.counts.add(severity);
        self.print(severity, kind, location, out)
    }

    /// Prints a finding, or keeps it for JSON.
    fn print(
        &mut self,
        severity: Severity,
        kind: &ErrorKind,
        location: &Location,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let text = if *location == Location::default() {
            kind.to_string()
        } else {
            format!("{location}: {kind}")
        };
        if self.args.quiet && severity == Severity::Note {
            return Ok(());
        }
        if self.args.json {
            self.list.push(object! {
                "severity": severity.to_string(), "code": kind.code(),
                "file": location.file.map(|role| role.0), "offset": location.offset,
                "game": location.game, "ply": location.ply, "text": kind.to_string(),
            });
            return Ok(());
        }
        if self.kinds.count(FindingKind::new(severity, kind)) > MAX_PER_KIND && !self.args.all {
            return Ok(());
        }
        writeln!(out, "{}: {severity}: {}", shown(&self.name), plain(&text))
    }

    /// Reports how many findings were not printed.
    fn print_rest(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.args.all {
            return Ok(());
        }
        for (kind, more) in self.kinds.beyond(MAX_PER_KIND) {
            let (name, severity, what) = (shown(&self.name), kind.severity, kind.what());
            writeln!(
                out,
                "{name}: {severity}: … and {more} more of this kind ({what}); use --all"
            )?;
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let mut text = format!(
            "{}: {}, ",
            shown(&self.name),
            count(self.counts.games, "game")
        );
        let kinds = [
            (self.counts.lost, "with data loss"),
            (self.counts.repaired, "repaired"),
        ];
        let mut counts: Vec<String> = kinds
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{} {what}", count(*number, "problem")))
            .collect();
        if self.counts.notes > 0 {
            counts.push(count(self.counts.notes, "note"));
        }
        if !self.counts.has_problems() {
            counts.insert(0, "no damage".to_owned());
        }
        text += &counts.join(", ");
        if self.counts.dropped > 0 {
            text += &format!(", {} more", self.counts.dropped);
        }
        text
    }

    fn json(&mut self) -> Json {
        object! {
            "base": self.name.as_str(), "error": self.error.take(), "games": self.counts.games,
            "notes": self.counts.notes, "repaired": self.counts.repaired, "lost": self.counts.lost,
            "remarks": list(self.remarks.iter().map(remark)),
            "findings": Json::Array(std::mem::take(&mut self.list)),
        }
    }
}
