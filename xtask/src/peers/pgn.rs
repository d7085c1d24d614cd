//! PGN readers of others on the PGN we write.

use std::path::{Path, PathBuf};

use super::{
    Report,
    known::{self, Misread},
    lab::Lab,
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
    known: &[Misread],
    read: impl Fn(&Path) -> Result<Reading, String>,
) -> Result<Report, String> {
    let folder = lab.fresh(peer)?;
    let mut report = Report::default();
    let mut inputs: Vec<PathBuf> = lab.fixtures("pgn", &["pgn"])?;
    inputs.extend(lab.scid_bases()?);
    let mut games = 0;
    for (n, input) in inputs.iter().enumerate() {
        let file = lab.label(input);
        let out = folder.join(format!("{n:03}.pgn"));
        let mut written = lab.convert(input, &out)?.written;
        games += written;
        let listed: Vec<&Misread> = known.iter().filter(|entry| entry.file == file).collect();
        for entry in &listed {
            let alone = folder.join(format!("{n:03}-{}.pgn", entry.game));
            lab.convert_games(&entry.game.to_string(), input, &alone)?;
            judge_listed(entry, &read(&alone)?, &mut report);
        }
        if !listed.is_empty() {
            let misread: Vec<u64> = listed.iter().map(|entry| entry.game).collect();
            let Some(others) = others(written, &misread) else {
                continue;
            };
            written = lab.convert_games(&others, input, &out)?.written;
        }
        judge(&file, written, &read(&out)?, &mut report);
    }
    for entry in known.iter().filter(|entry| lab.has(entry.file)) {
        if !inputs.iter().any(|input| lab.label(input) == entry.file) {
            let Misread { file, game, .. } = entry;
            report.faults.push(format!(
                "{file}, game {game}: listed, but there is no such file"
            ));
        }
    }
    let (files, faults, excused) = (inputs.len(), report.faults.len(), report.excused.len());
    report.figures =
        format!("{files} files, {games} games, {faults} faults, {excused} listed ones");
    Ok(report)
}

/// Reports another number of games than ours, and every complaint.
fn judge(file: &str, written: u64, reading: &Reading, report: &mut Report) {
    let Reading { games, complaints } = reading;
    if *games != written {
        report
            .faults
            .push(format!("{file}: {written} games written, {games} read"));
    }
    let complaints = complaints.iter().map(|said| format!("{file}: {said}"));
    report.faults.extend(complaints);
}

/// A listed game must draw its complaint.
fn judge_listed(entry: &Misread, reading: &Reading, report: &mut Report) {
    let Misread {
        file,
        game,
        says,
        reason,
    } = entry;
    let told = format!("{file}, game {game}: `{says}`");
    if reading.complaints.iter().any(|said| said == says) {
        report.excused.push(format!("{told}: {reason}"));
    } else {
        let instead = reading.complaints.join(" / ");
        report.faults.push(format!(
            "{told}: listed, but did not occur; instead: {instead}"
        ));
    }
}

/// All games but these, as `convert -n` takes them; none if there is no other.
fn others(count: u64, but: &[u64]) -> Option<String> {
    let (mut ranges, mut from) = (Vec::new(), 1);
    for game in 1..=count + 1 {
        if game > count || but.contains(&game) {
            if from < game {
                ranges.push(format!("{from}-{}", game - 1));
            }
            from = game + 1;
        }
    }
    Some(ranges.join(",")).filter(|ranges| !ranges.is_empty())
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
    fn nothing_but_the_listed_game_may_be_misread() {
        let reading = |games, complaints: &[&str]| Reading {
            games,
            complaints: complaints.iter().map(|said| (*said).to_owned()).collect(),
        };
        let found = |reading: Reading| {
            let mut report = Report::default();
            judge("a.pgn", 2, &reading, &mut report);
            (report.excused.len(), report.faults.len())
        };
        assert_eq!(found(reading(2, &[])), (0, 0));
        assert_eq!(found(reading(3, &[])), (0, 1));
        assert_eq!(found(reading(2, &["odd", "odd"])), (0, 2));
        let listed = |reading: Reading| {
            let entry = Misread {
                file: "a.pgn",
                game: 1,
                says: "odd",
                reason: "r",
            };
            let mut report = Report::default();
            judge_listed(&entry, &reading, &mut report);
            (report.excused.len(), report.faults.len())
        };
        assert_eq!(listed(reading(1, &["odd", "more"])), (1, 0));
        assert_eq!(listed(reading(1, &[])), (0, 1));
        assert_eq!(listed(reading(1, &["more"])), (0, 1));
    }

    #[test]
    fn other_games() {
        let found = |count, but: &[u64]| others(count, but);
        assert_eq!(found(5, &[3]).as_deref(), Some("1-2,4-5"));
        assert_eq!(found(5, &[1, 5]).as_deref(), Some("2-4"));
        assert_eq!(found(3, &[2]).as_deref(), Some("1-1,3-3"));
        assert_eq!(found(2, &[1, 2]), None);
    }
}
