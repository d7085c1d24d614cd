//! Queries, and what other programs find.

use std::fs;
use std::path::Path;
use std::process::Command;

use chessdb_proof::peer::capture;

use super::lab::{Lab, PYTHON, SCID};

/// So many games of the corpus are scanned with python-chess.
const SCANNED: &str = "150";

/// The formats in which they are asked.
const FORMATS: [&str; 4] = ["pgn", "si4", "si5", "cbf"];

/// CBF has one field for event and site, and keeps ratings in steps of five.
const CHANGED_BY_CBF: [&str; 2] = ["site:", "elo"];

/// What `find` prints, one line each.
fn find(lab: &Lab, base: &Path, words: &[&str]) -> Vec<String> {
    let mut command = Command::new(&lab.program);
    let ran = capture(command.arg("find").arg(base).args(words));
    assert!(matches!(ran.code, 0 | 1), "{words:?}: {ran:?}");
    ran.out.lines().map(str::to_owned).collect()
}

/// Every kind of term gives the games that a plain scan gives, in every format.
#[test]
fn queries_find_what_a_scan_with_python_chess_finds() {
    let lab = Lab::new("query-python", &[PYTHON]);
    let Some((corpus, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    let answers = lab.script_on("query_scan.py", &[&corpus, Path::new(SCANNED)]);
    let bases = FORMATS.map(|format| {
        let base = lab.folder.join(format!("some.{format}"));
        lab.convert(&["-n", &format!("1-{SCANNED}")], &corpus, &base);
        base
    });
    let (mut asked, mut found) = (0, 0);
    for answer in answers.lines() {
        let (query, ids) = answer.split_once('\t').expect("query and games");
        asked += 1;
        found += u64::from(!ids.is_empty());
        for (base, format) in bases.iter().zip(FORMATS) {
            if format == "cbf" && CHANGED_BY_CBF.iter().any(|key| query.contains(key)) {
                continue;
            }
            let ours = find(&lab, base, &[query, "--ids"]).join(",");
            if ours != ids {
                let base = base.display();
                lab.fault(format!("{base}: {query}: {ours} instead of {ids}"));
            }
        }
    }
    assert!(
        asked > 100 && found > asked / 2,
        "{asked} questions, {found} found"
    );
    lab.finish(&format!("{asked} questions to {} bases", bases.len()));
}

/// Scid finds the same number of games for positions of all phases.
#[test]
fn positions_are_found_as_often_as_scid_finds_them() {
    let lab = Lab::new("query-scid", &[SCID]);
    let Some((corpus, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    let base = lab.folder.join("corpus.si4");
    lab.convert(&[], &corpus, &base);
    // One position of each of 200 games, the later the further on.
    let mut fens = Vec::new();
    for n in 0..200 {
        let game = (1 + 47 * n).to_string();
        let at = format!("at:{}..", n % 80);
        let hits = find(&lab, &base, &["pattern:*/*/*/*/*/*/*/*", &at, "-n", &game]);
        let fen = hits.first().and_then(|line| line.split('\t').nth(13));
        fens.extend(fen.map(str::to_owned));
    }
    assert!(fens.len() > 100, "{} positions", fens.len());
    let list = lab.folder.join("fens");
    fs::write(&list, fens.join("\n") + "\n").unwrap();
    let theirs = lab.scid("scid_search.tcl", &[&base, &list], &[]).0;
    assert_eq!(theirs.len(), fens.len());
    for (fen, (_, theirs)) in fens.iter().zip(&theirs) {
        let ours = find(&lab, &base, &[&format!("fen:\"{fen}\""), "--count"]).join("");
        if ours != *theirs {
            lab.fault(format!("{fen}: {ours}, Scid {theirs}"));
        }
    }
    lab.finish(&format!("{} positions", fens.len()));
}
