//! PGN readers of others on the PGN we write.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    Report, corpus,
    known::{self, Complaint},
    lab::{Lab, capture, name},
};

/// What a reader made of a file: games, and its complaints.
struct Reading {
    games: u64,
    complaints: Vec<String>,
}

/// pgn-extract reads every export of ours: same number of games, no complaint.
pub(super) fn pgn_extract(lab: &Lab) -> Result<Report, String> {
    let program = lab
        .tools
        .pgn_extract
        .as_ref()
        .ok_or("pgn-extract is not installed")?;
    let read = |file: &Path| -> Result<Reading, String> {
        // -r: report errors only, -s: no line per game. It takes null moves in the main line only
        // when told so.
        let mut command = Command::new(program);
        let ran = capture(command.args(["-r", "-s", "--allownullmoves"]).arg(file))?;
        if ran.code != 0 {
            return Err(format!("pgn-extract {}: exit {}", name(file), ran.code));
        }
        Ok(extract_messages(&ran.err))
    };
    all_exports(lab, "pgn-extract", known::PGN_EXTRACT, read)
}

/// Splits pgn-extract's messages into the count of games and complaints. A complaint follows a
/// line that names file and line number.
fn extract_messages(text: &str) -> Reading {
    let mut reading = Reading {
        games: 0,
        complaints: Vec::new(),
    };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let count = line
            .split_once(" matched out of ")
            .and_then(|(_, rest)| rest.trim_end_matches('.').parse().ok());
        match count {
            Some(count) => reading.games = count,
            None if line.starts_with("Processing ") => {}
            None if line.starts_with("File ") && line.contains(": Line number: ") => {}
            None => reading.complaints.push(line.to_owned()),
        }
    }
    reading
}

/// python-chess reads every export of ours: same number of games, no error recorded.
pub(super) fn python_chess(lab: &Lab) -> Result<Report, String> {
    let read = |file: &Path| -> Result<Reading, String> {
        let python = lab.tools.python_chess.as_ref();
        let text = lab.python(python, "python_chess.py", file)?;
        let mut reading = Reading {
            games: 0,
            complaints: Vec::new(),
        };
        for line in text.lines() {
            match line.split_once('\t') {
                Some(("games", count)) => reading.games = count.parse().unwrap_or(0),
                Some(("error", text)) => reading.complaints.push(text.to_owned()),
                _ => return Err(format!("python_chess.py {}: {line}", name(file))),
            }
        }
        Ok(reading)
    };
    all_exports(lab, "python-chess", known::PYTHON_CHESS, read)
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
    fn messages_of_pgn_extract() {
        let text = "Processing a.pgn\nFile a.pgn: Line number: 30\nNull moves (--) only allowed in \
                    variations.\n4 games matched out of 5.\n";
        let reading = extract_messages(text);
        assert_eq!(reading.games, 5);
        assert_eq!(
            reading.complaints,
            ["Null moves (--) only allowed in variations."]
        );
        assert_eq!(extract_messages("1 game matched out of 1.").games, 1);
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
