//! Comparisons with other PGN readers, on the PGN we write.

use std::path::Path;
use std::process::Command;

use chessdb_proof::peer::{self, capture};
use chessdb_testkit::time::one_of;

use super::{
    known::{self, Misread},
    lab::{self, Lab, PGN_EXTRACT, PYTHON, fixtures_of, label},
};

/// The result of reading a file: the number of games, and the complaints.
struct Reading {
    games: u64,
    complaints: Vec<String>,
}

/// pgn-extract reads each of our exports with the same number of games and no complaint.
#[test]
fn pgn_extract_reads_every_export() {
    if let Some(lab) = Lab::new("pgn-extract", &[PGN_EXTRACT]) {
        all_exports(lab, "pgn_extract.sh", known::PGN_EXTRACT, &[]);
    }
}

/// python-chess reads each of our exports with the same number of games and no recorded error.
///
/// It is slow, so only the first games of large databases are used.
#[test]
fn python_chess_reads_every_export() {
    if let Some(lab) = Lab::new("python-chess", &[PYTHON]) {
        let options: &[&str] = if one_of(2) == 1 { &[] } else { &["-n", "1-50"] };
        all_exports(lab, "pychess_count.py", known::PYTHON_CHESS, options);
    }
}

/// pgn-extract splits each of our exports into the games of `convert --split-variations`.
#[test]
fn pgn_extract_splits_variations_alike() {
    let Some(lab) = Lab::new("pgn-extract-lines", &[PGN_EXTRACT]) else {
        return;
    };
    let extract = |options: &[&str], file: &Path| {
        let mut command = Command::new(peer::find(PGN_EXTRACT.0).unwrap());
        let ran = capture(
            command
                .args(["-s", "--allownullmoves"])
                .args(options)
                .arg(file),
        );
        ran.out
    };
    let moves = |file: &Path| extract(&["-Wuci", "--notags", "-C", "-N", "-V"], file);
    let (whole, lines) = (lab.folder.join("whole.pgn"), lab.folder.join("lines.pgn"));
    let theirs = lab.folder.join("theirs.pgn");
    let mut games = 0;
    for input in fixtures_of("pgn/clean", &["pgn"]) {
        lab.convert(&[], &input, &whole);
        games += lab.convert(&["--split-variations"], &input, &lines).written;
        std::fs::write(&theirs, extract(&["--splitvariants"], &whole)).unwrap();
        if moves(&lines) != moves(&theirs) {
            lab.fault(format!("{}: other lines", label(&input)));
        }
    }
    assert!(games > 2000, "{games} games");
    lab.finish(&format!("{games} lines"));
}

/// Parses the output of both scripts: lines `complaint`, file, text or `error`, file, game, text,
/// and one line `file`, file, `games N`, …
fn reading(answer: &str) -> Result<Reading, String> {
    let (mut games, mut complaints) = (None, Vec::new());
    for line in answer.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            // pgn-extract prints the place on a separate line.
            ["complaint", _, text] if text.contains(": Line number: ") => {}
            ["complaint", _, text] => complaints.push((*text).to_owned()),
            ["error", _, game, text] => complaints.push(format!("game {game}: {text}")),
            ["file", _, count, ..] => {
                let count = count.strip_prefix("games ");
                games = count.and_then(|count| count.parse().ok());
            }
            _ => return Err(format!("not understood: {line}")),
        }
    }
    let games = games.ok_or("no line with the number of games")?;
    Ok(Reading { games, complaints })
}

/// Exports every fixture, and the chosen games of the databases, to PGN and runs the reader on it.
fn all_exports(lab: Lab, script: &str, misread: &[Misread], of_bases: &[&str]) {
    let read = |file: &Path| reading(&lab.script_on(script, &[file])).unwrap();
    let mut inputs = fixtures_of("pgn", &["pgn"]);
    inputs.extend(lab.scid_bases());
    let mut games = 0;
    for (n, input) in inputs.iter().enumerate() {
        let file = label(input);
        let out = lab.folder.join(format!("{n:03}.pgn"));
        let is_base = input.extension().is_some_and(|suffix| suffix == "si4");
        let chosen = if is_base { of_bases } else { &[] };
        let mut written = lab.convert(chosen, input, &out).written;
        games += written;
        let listed: Vec<&Misread> = misread.iter().filter(|entry| entry.file == file).collect();
        for entry in &listed {
            let alone = lab.folder.join(format!("{n:03}-{}.pgn", entry.game));
            lab.convert(&["-n", &entry.game.to_string()], input, &alone);
            match judge_listed(entry, &read(&alone)) {
                Ok(excused) => println!("  listed: {excused}"),
                Err(fault) => lab.fault(fault),
            }
        }
        if !listed.is_empty() {
            let misread: Vec<u64> = listed.iter().map(|entry| entry.game).collect();
            let Some(others) = others(written, &misread) else {
                continue;
            };
            written = lab.convert(&["-n", &others], input, &out).written;
        }
        judge(&file, written, &read(&out))
            .into_iter()
            .for_each(|fault| lab.fault(fault));
    }
    for Misread { file, game, .. } in misread.iter().filter(|entry| lab::has(entry.file)) {
        if !inputs.iter().any(|input| label(input) == *file) {
            lab.fault(format!(
                "{file}, game {game}: listed, but there is no such file"
            ));
        }
    }
    lab.finish(&format!("{} files, {games} games", inputs.len()));
}

/// Returns the complaints, and a fault if the number of games differs.
fn judge(file: &str, written: u64, reading: &Reading) -> Vec<String> {
    let Reading { games, complaints } = reading;
    let other = format!("{file}: {written} games written, {games} read");
    complaints
        .iter()
        .map(|complaint| format!("{file}: {complaint}"))
        .chain((*games != written).then_some(other))
        .collect()
}

/// Checks that a listed game causes its complaint.
fn judge_listed(entry: &Misread, reading: &Reading) -> Result<String, String> {
    let Misread {
        file,
        game,
        says,
        reason,
    } = entry;
    let told = format!("{file}, game {game}: `{says}`");
    if reading.complaints.iter().any(|complaint| complaint == says) {
        return Ok(format!("{told}: {reason}"));
    }
    let instead = reading.complaints.join(" / ");
    Err(format!(
        "{told}: listed, but did not occur; instead: {instead}"
    ))
}

/// Returns all games except these as an argument of `convert -n`; `None` if there are no others.
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
        let extracted = reading(extract).unwrap();
        assert_eq!(extracted.games, 5);
        assert_eq!(
            extracted.complaints,
            ["Null moves (--) only allowed in variations."]
        );
        let chess = "error\ta.pgn\t2\tillegal san\nfile\ta.pgn\tgames 3\tmoves 9\terrors 1\n";
        let counted = reading(chess).unwrap();
        assert_eq!(
            (counted.games, counted.complaints),
            (3, vec!["game 2: illegal san".to_owned()])
        );
        assert!(reading("").is_err() && reading("Traceback").is_err());
    }

    #[test]
    fn nothing_but_the_listed_game_may_be_misread() {
        let reading = |games, complaints: &[&str]| Reading {
            games,
            complaints: complaints
                .iter()
                .map(|complaint| (*complaint).to_owned())
                .collect(),
        };
        let faults = |reading| judge("a.pgn", 2, &reading).len();
        assert_eq!(faults(reading(2, &[])), 0);
        assert_eq!(faults(reading(3, &[])), 1);
        assert_eq!(faults(reading(2, &["odd", "odd"])), 2);
        let entry = Misread {
            file: "a.pgn",
            game: 1,
            says: "odd",
            reason: "r",
        };
        let listed = |reading| judge_listed(&entry, &reading).is_ok();
        assert!(listed(reading(1, &["odd", "more"])));
        assert!(!listed(reading(1, &[])) && !listed(reading(1, &["more"])));
    }

    #[test]
    fn other_games() {
        let other_games = |count, but: &[u64]| others(count, but);
        assert_eq!(other_games(5, &[3]).as_deref(), Some("1-2,4-5"));
        assert_eq!(other_games(5, &[1, 5]).as_deref(), Some("2-4"));
        assert_eq!(other_games(3, &[2]).as_deref(), Some("1-1,3-3"));
        assert_eq!(other_games(2, &[1, 2]), None);
    }
}
