//! `peers`: our program against the reference programs that are installed.

use std::{env, time::Instant};

use crate::Outcome;

pub(crate) mod corpus;
mod jose;
mod known;
pub(crate) mod lab;
mod pgn;
mod scid;
mod tree;

pub(crate) use lab::{Lab, Tools};

/// A program of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    Scid,
    PgnExtract,
    PythonChess,
    MariaDb,
}

impl Peer {
    const ALL: [Peer; 4] = [
        Peer::Scid,
        Peer::PgnExtract,
        Peer::PythonChess,
        Peer::MariaDb,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Peer::Scid => "scid",
            Peer::PgnExtract => "pgn-extract",
            Peer::PythonChess => "python-chess",
            Peer::MariaDb => "mariadb",
        }
    }
}

/// What a comparison found: one line of figures, every difference that is not excused, and those
/// that are.
#[derive(Debug, Default)]
pub(crate) struct Report {
    figures: String,
    faults: Vec<String>,
    excused: Vec<String>,
}

struct Comparison {
    name: &'static str,
    needs: &'static [Peer],
    run: fn(&Lab) -> Result<Report, String>,
}

static COMPARISONS: &[Comparison] = &[
    Comparison {
        name: "scid-export",
        // The trees are made with python-chess' board.
        needs: &[Peer::Scid, Peer::PythonChess],
        run: scid::export,
    },
    Comparison {
        name: "scid-import",
        needs: &[Peer::Scid],
        run: scid::import_clean,
    },
    Comparison {
        name: "scid-import-corpus",
        needs: &[Peer::Scid],
        run: scid::import_corpus,
    },
    Comparison {
        name: "scid-open",
        needs: &[Peer::Scid],
        run: scid::open,
    },
    Comparison {
        name: "scid-open-si3",
        needs: &[Peer::Scid],
        run: scid::open_si3,
    },
    Comparison {
        name: "pgn-extract",
        needs: &[Peer::PgnExtract],
        run: pgn::pgn_extract,
    },
    Comparison {
        name: "python-chess",
        needs: &[Peer::PythonChess],
        run: pgn::python_chess,
    },
    Comparison {
        name: "jose-mariadb",
        needs: &[Peer::MariaDb],
        run: jose::mariadb,
    },
];

/// At most so many differences of one comparison are printed.
const SHOWN: usize = 20;

/// Runs the comparisons whose name or program starts with the argument, all without one.
pub(crate) fn peers(args: &[String]) -> Outcome {
    let wanted = args.first().map_or("", String::as_str);
    let chosen: Vec<&Comparison> = COMPARISONS
        .iter()
        .filter(|comparison| comparison.name.starts_with(wanted))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = COMPARISONS
            .iter()
            .map(|comparison| comparison.name)
            .collect();
        return Err(format!(
            "no comparison `{wanted}`; there are {}",
            names.join(", ")
        ));
    }
    let tools = Tools::find();
    let missing = tools.missing();
    for (peer, how) in &missing {
        println!("{} is not installed ({how})", peer.name());
    }
    let runnable = |comparison: &&&Comparison| {
        !comparison
            .needs
            .iter()
            .any(|need| missing.iter().any(|(peer, _)| peer == need))
    };
    let ready: Vec<&Comparison> = chosen.iter().filter(runnable).copied().collect();
    let mut bad = Vec::new();
    if !ready.is_empty() {
        let lab = Lab::build(tools)?;
        for comparison in &ready {
            if !run_one(&lab, comparison) {
                bad.push(comparison.name);
            }
        }
    }
    for comparison in chosen.iter().filter(|comparison| !runnable(comparison)) {
        println!("{:<19} not run", comparison.name);
        if required() {
            bad.push(comparison.name);
        }
    }
    if bad.is_empty() {
        Ok(())
    } else {
        Err(format!("not passed: {}", bad.join(", ")))
    }
}

/// Runs and prints one comparison; true if nothing differed.
fn run_one(lab: &Lab, comparison: &Comparison) -> bool {
    let start = Instant::now();
    let outcome = (comparison.run)(lab);
    let seconds = start.elapsed().as_secs_f64();
    match outcome {
        Ok(report) => {
            let word = if report.faults.is_empty() {
                "ok"
            } else {
                "DIFFERS"
            };
            println!(
                "{:<19} {word}: {} ({seconds:.1} s)",
                comparison.name, report.figures
            );
            for fault in report.faults.iter().take(SHOWN) {
                println!("  {fault}");
            }
            for excused in &report.excused {
                println!("  listed: {excused}");
            }
            if let Some(more @ 1..) = report.faults.len().checked_sub(SHOWN) {
                match lab.log(comparison.name, &report.faults) {
                    Ok(file) => println!("  … and {more} more, all in {}", file.display()),
                    Err(reason) => println!("  … and {more} more ({reason})"),
                }
            }
            report.faults.is_empty()
        }
        Err(reason) => {
            println!("{:<19} FAILED: {reason} ({seconds:.1} s)", comparison.name);
            false
        }
    }
}

/// Whether `ci` has anything to compare with: a program is installed, or all are required.
pub(crate) fn wanted() -> bool {
    required() || Tools::find().missing().len() < Peer::ALL.len()
}

fn required() -> bool {
    env::var_os("CHESSDB_PEERS").is_some_and(|value| value == "required")
}
