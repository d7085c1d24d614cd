//! The program of `cargo xtask roundtrip`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "command-line program"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use chessdb::{Format, formats};
use chessdb_proof::bases::{Line, examine};
use chessdb_proof::matrix;
use chessdb_proof::matrix::{Matrix, sources};

const HELP: &str = "\
cargo xtask roundtrip [FORMAT] [--external DIR]... [--no-matrix]

Checks the three promises of docs/architecture.md, section 5: raw, rewrite, conversion. Prints one
line per base of fixtures/ and of each DIR (searched with its folders): games, bytes, whether each
promise holds, the first difference with file and offset, and the losses by kind for every target.
Then converts what every format can hold into every other one and back (docs/roundtrip.md).

  FORMAT          only this format's bases, its row and its column
  --external DIR  bases outside the repository; may be given several times
  --no-matrix     the bases only

The exit code is 1 if anything was lost that was not announced, or announced that was not lost, or
if a promise is broken. Bases that cannot be opened are counted and named.";

#[derive(Default)]
struct Arguments {
    format: Option<&'static Format>,
    external: Vec<PathBuf>,
    no_matrix: bool,
}

fn arguments() -> Result<Option<Arguments>, String> {
    let mut arguments = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-h" => return Ok(None),
            "--no-matrix" => arguments.no_matrix = true,
            "--external" => {
                let folder = words.next().ok_or("--external needs a folder")?;
                arguments.external.push(folder.into());
            }
            id => {
                let format = formats::by_id(id).ok_or_else(|| format!("unknown format `{id}`"))?;
                arguments.format = Some(format);
            }
        }
    }
    Ok(Some(arguments))
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("roundtrip: {error}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let mut tally = Tally::default();
    for source in
        sources().filter(|format| arguments.format.is_none_or(|only| only.id == format.id))
    {
        for path in matrix::own_bases(source) {
            tally.examine(&path);
        }
    }
    for folder in &arguments.external {
        match chessdb::fs::survey(folder, arguments.format) {
            Ok(survey) => survey.bases.iter().for_each(|path| tally.examine(path)),
            Err(error) => tally.problem(&error.to_string()),
        }
    }
    if !arguments.no_matrix {
        tally.matrix(arguments.format);
    }
    let Tally {
        bases,
        games,
        unopened,
        problems,
    } = tally;
    println!(
        "{bases} bases, {games} games, {unopened} not opened, {problems} problems, {:.1} s",
        start.elapsed().as_secs_f64()
    );
    if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Default)]
struct Tally {
    bases: u64,
    games: u64,
    unopened: u64,
    problems: u64,
}

impl Tally {
    fn problem(&mut self, problem: &str) {
        self.problems += 1;
        println!("PROBLEM {problem}");
    }

    fn examine(&mut self, path: &Path) {
        match examine(path, path.display().to_string(), true) {
            Ok(line) => self.line(&line),
            Err(error) => {
                self.unopened += 1;
                println!("{}: not opened: {error}", path.display());
            }
        }
    }

    fn line(&mut self, line: &Line) {
        self.bases += 1;
        self.games += u64::from(line.games);
        println!("{line}");
        if !line.holds() {
            self.problem(&line.name);
        }
        for (target, outcome) in &line.conversions {
            for problem in outcome.problems.iter().take(5) {
                println!("    {problem}");
            }
            if outcome.problem_count > 5 {
                println!("    {target}: {} problems in all", outcome.problem_count);
            }
        }
    }

    fn matrix(&mut self, only: Option<&'static Format>) {
        let matrix = Matrix::build(only);
        for problem in matrix.problems() {
            self.problem(&problem);
        }
        let games: u64 = matrix
            .cells
            .values()
            .map(|cell| cell.there.games + cell.back.games)
            .sum();
        println!(
            "matrix: {} pairs, {games} games written",
            matrix.cells.len()
        );
        if only.is_none() {
            for loss in matrix.unseen() {
                self.problem(&format!("the loss {} is never seen", loss.code()));
            }
        }
    }
}
