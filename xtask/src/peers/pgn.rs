//! PGN readers of others on the PGN we write.

use std::path::{Path, PathBuf};

use super::{
    Report, corpus,
    known::{self, Complaint},
    lab::{Lab, name},
};
use crate::cmd;

/// What a reader made of a file: games, and its complaints.
struct Reading {
    games: u64,
    complaints: Vec<String>,
}

/// pgn-extract reads every export of ours: same number of games, no complaint.
pub(super) fn pgn_extract(lab: &Lab) -> Result<Report, String> {
    if lab.tools.pgn_extract.is_none() {
        return Err("pgn-extract is not installed".to_owned());
    }
    let shell = cmd::find("sh");
    let read = |file: &Path| reading(&lab.script_on(shell.as_ref(), "pgn_extract.sh", file)?);
    all_exports(lab, "pgn-extract", known::PGN_EXTRACT, read)
}

/// python-chess reads every export of ours: same number of games, no error recorded.
pub(super) fn python_chess(lab: &Lab) -> Result<Report, String> {
    let python = lab.tools.python_chess.as_ref();
    let read = |file: &Path| reading(&lab.script_on(python, "pychess_count.py", file)?);
    all_exports(lab, "python-chess", known::PYTHON_CHESS, read)
}

/// The answer of both scripts: lines `complaint`, file, text or `error`, file, game, text, and one
/// line `file`, file, `games N`, …
fn reading(answer: &str) -> Result<Reading, String> {
    let (mut games, mut complaints) = (None, Vec::new());
    for line in answer.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            // pgn-extract says the place on a line of its own.
            ["complaint", _, text] if text.contains(": Line number: ") => {}
            ["complaint", _, text] => complaints.push((*text).to_owned()),
            ["error", _, game, text] => complaints.push(format!("game {game}: {text}")),
            ["file", _, count, ..] => {
                games = count
                    .strip_prefix("games ")
                    .and_then(|count| count.parse().ok());
            }
            _ => return Err(format!("not understood: {line}")),
        }
    }
    let games = games.ok_or("no line with the number of games")?;
    Ok(Reading { games, complaints })
}

/// Exports every fixture and outside base to PGN and lets the reader read it.
fn all_exports(
    lab: &Lab,
    peer: &str,
    known: &[Complaint],
    read: impl Fn(&Path) -> Result<Reading, String>,
) -> Result<Report, String> {
    let folder = lab.fresh(peer)?;
    let mut report = Report::default();
    let mut inputs: Vec<PathBuf> = lab.fixtures("pgn", &["pgn"])?;
    inputs.extend(lab.scid_bases()?);
    let (mut games, mut excused) = (0, 0);
    for (n, input) in inputs.iter().enumerate() {
        let out = folder.join(format!("{n:03}.pgn"));
        lab.convert(input, &out)?;
        let written = corpus::count(&out)?;
        let reading = read(&out)?;
        games += reading.games;
        let file = name(input);
        if reading.games != written {
            let seen = reading.games;
            report
                .faults
                .push(format!("{file}: {written} games written, {seen} read"));
        }
        excused += judge(&file, &reading.complaints, known, &mut report);
    }
    report.figures = format!(
        "{} files, {games} games, {excused} listed complaints",
        inputs.len()
    );
    Ok(report)
}

/// Reports complaints that are not listed, and listed ones that come in another number than
/// listed. Returns how many were excused.
fn judge(file: &str, complaints: &[String], known: &[Complaint], report: &mut Report) -> usize {
    let mut excused = 0;
    for entry in known.iter().filter(|entry| entry.file == file) {
        let met = complaints
            .iter()
            .filter(|complaint| *complaint == entry.text)
            .count();
        if met == entry.times {
            excused += met;
        } else {
            let Complaint {
                text,
                times,
                reason,
                ..
            } = entry;
            report.faults.push(format!(
                "{file}: `{text}` {met} times, listed {times} ({reason})"
            ));
        }
    }
    let listed = |text: &str| {
        known
            .iter()
            .any(|entry| (entry.file, entry.text) == (file, text))
    };
    for complaint in complaints.iter().filter(|complaint| !listed(complaint)) {
        report.faults.push(format!("{file}: {complaint}"));
    }
    excused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_the_scripts() {
        let extract = "complaint\ta.pgn\tFile a.pgn: Line number: 30\n\
                       complaint\ta.pgn\tNull moves (--) only allowed in variations.\n\
                       file\ta.pgn\tgames 5\tcomplaints 2\n";
        let found = reading(extract).unwrap();
        assert_eq!(found.games, 5);
        assert_eq!(
            found.complaints,
            ["Null moves (--) only allowed in variations."]
        );
        let chess = "error\ta.pgn\t2\tillegal san\nfile\ta.pgn\tgames 3\tmoves 9\terrors 1\n";
        let found = reading(chess).unwrap();
        assert_eq!(
            (found.games, found.complaints),
            (3, vec!["game 2: illegal san".to_owned()])
        );
        assert!(reading("").is_err() && reading("Traceback").is_err());
    }

    #[test]
    fn listed_complaints_must_come_as_often_as_listed() {
        let known = [Complaint {
            file: "a.pgn",
            text: "odd",
            times: 2,
            reason: "r",
        }];
        let run = |complaints: &[&str]| {
            let complaints: Vec<String> = complaints.iter().map(|c| (*c).to_owned()).collect();
            let mut report = Report::default();
            (
                judge("a.pgn", &complaints, &known, &mut report),
                report.faults.len(),
            )
        };
        assert_eq!(run(&["odd", "odd"]), (2, 0));
        assert_eq!(run(&["odd"]), (0, 1));
        assert_eq!(run(&[]), (0, 1));
        assert_eq!(run(&["odd", "odd", "new"]), (2, 1));
    }
}
