//! Comparisons of queries and trees with other programs.
//!
//! `CHESSDB_SCANNED` sets the number of corpus games that python-chess scans; `cargo xtask peers
//! query 5000` is the long run.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chessdb_proof::peer::capture;
use serde_json::Value;

use super::lab::{Lab, PYTHON, SCID};

/// The formats that are queried; those in `WITH_INDEX` are queried again with an index.
const FORMATS: [&str; 6] = ["pgn", "si4", "si5", "cbf", "cdp", "dci"];
const WITH_INDEX: [&str; 3] = ["pgn", "cbf", "cdp"];

/// Queries whose results differ because a format changes the values.
///
/// CBF has one field for event and site, rounds such as `?.1` stay text there, and ratings are
/// stored in steps of five. Chess Assistant and DC* cannot store rounds such as `1.25`.
const CHANGED: [(&str, &str); 5] = [
    ("cbf", "site:"),
    ("cbf", "round:"),
    ("cbf", "elo"),
    ("cdp", "round:"),
    ("dci", "round:"),
];

/// Returns the number of corpus games scanned with python-chess.
fn scanned() -> String {
    env::var("CHESSDB_SCANNED").unwrap_or("150".to_owned())
}

/// Returns the output lines of `find`.
fn find(lab: &Lab, base: &Path, words: &[&str]) -> Vec<String> {
    let mut command = Command::new(&lab.program);
    let ran = capture(command.arg("find").arg(base).args(words));
    assert!(matches!(ran.code, 0 | 1), "{words:?}: {ran:?}");
    assert!(
        !ran.err.contains("chessdb: ignoring "),
        "{words:?}: {ran:?}"
    );
    ran.out.lines().map(str::to_owned).collect()
}

/// Writes the first games of the corpus in each format, and again with an index.
fn bases(lab: &Lab, corpus: &Path, games: &str) -> Vec<(&'static str, PathBuf)> {
    let mut bases = Vec::new();
    for folder in ["plain", "indexed"] {
        let folder = lab.folder.join(folder);
        fs::create_dir_all(&folder).unwrap();
        for format in FORMATS {
            let is_indexed = folder.ends_with("indexed");
            if is_indexed && !WITH_INDEX.contains(&format) {
                continue;
            }
            let base = folder.join(format!("some.{format}"));
            lab.convert(&["-n", &format!("1-{games}")], corpus, &base);
            if is_indexed {
                let ran = capture(Command::new(&lab.program).arg("index").arg(&base));
                assert_eq!(ran.code, 0, "{ran:?}");
            }
            bases.push((format, base));
        }
    }
    bases
}

/// Every kind of term finds the same games as a plain scan, in every format.
#[test]
fn queries_find_what_a_scan_with_python_chess_finds() {
    let lab = Lab::new("query-python", &[PYTHON]);
    let Some((corpus, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    let games = scanned();
    let answers = lab.script_on("query_scan.py", &[&corpus, Path::new(&games)]);
    let bases = bases(&lab, &corpus, &games);
    let (mut asked, mut with_games) = (0, 0);
    for answer in answers.lines() {
        let (query, ids) = answer.split_once('\t').expect("query and games");
        asked += 1;
        with_games += u64::from(!ids.is_empty());
        for (format, base) in &bases {
            let changes = |(of, key): &(&str, &str)| of == format && query.contains(key);
            if CHANGED.iter().any(changes) {
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
        asked > 100 && with_games > asked / 2,
        "{asked} questions, {with_games} found"
    );
    let count = bases.len();
    lab.finish(&format!(
        "{games} games, {asked} questions to {count} bases"
    ));
}

/// Formats the counts of a tree node (games, won, drawn, lost, longest) as query_scan.py prints
/// them.
fn counts(node: &Value) -> String {
    let number = |key| node[key].as_u64().unwrap();
    let san = node["san"].as_str().unwrap_or_default();
    let [games, white, draws, black, longest] =
        ["games", "white", "draws", "black", "longest"].map(number);
    format!("{san}={games},{white},{draws},{black},{longest}")
}

/// Trees have the same counts as a plain scan.
#[test]
fn trees_count_what_a_scan_with_python_chess_counts() {
    let lab = Lab::new("tree-python", &[PYTHON]);
    let Some((corpus, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    let games = scanned();
    let words = [corpus.as_path(), Path::new(&games), Path::new("tree")];
    let answers = lab.script_on("query_scan.py", &words);
    let bases = bases(&lab, &corpus, &games);
    let (mut asked, mut moves) = (0, 0);
    for answer in answers.lines() {
        let (fen, theirs) = answer.split_once('\t').expect("position and counts");
        let theirs: Vec<&str> = theirs.split_whitespace().collect();
        asked += 1;
        moves += theirs.len();
        for (_, base) in &bases {
            let mut command = Command::new(&lab.program);
            command.args(["tree", "--json", "--fen", fen]).arg(base);
            let ran = capture(&mut command);
            let tree: Value = serde_json::from_str(&ran.out).unwrap();
            let below = tree["moves"].as_array().unwrap();
            let mut ours: Vec<String> = below.iter().chain([&tree]).map(counts).collect();
            ours.sort();
            if ours != theirs {
                let base = base.display();
                lab.fault(format!("{base}: {fen}: {ours:?} instead of {theirs:?}"));
            }
        }
    }
    assert!(
        asked >= 30 && moves > 100,
        "{asked} positions, {moves} moves"
    );
    let count = bases.len();
    lab.finish(&format!(
        "{games} games, {asked} positions, {moves} moves in {count} bases"
    ));
}

/// Returns questions in Scid's form and as our queries.
///
/// Scid counts games with piece counts within its limits.
fn questions(fens: &[String]) -> Vec<(String, String)> {
    let mut questions = Vec::new();
    for fen in fens {
        questions.push((format!("Exact {fen}"), format!("fen:\"{fen}\"")));
        let placement = fen.split(' ').next().unwrap();
        let side = |is_white: bool| -> String {
            let piece_counts = "KQRBNP".chars().map(|man| {
                let man_there = if is_white { man } else { man.to_ascii_lowercase() };
                man.to_string().repeat(placement.matches(man_there).count())
            });
            let piece_counts: String = piece_counts.collect();
            if is_white { piece_counts } else { piece_counts.to_ascii_lowercase() }
        };
        // Scid treats the side to move as part of the material balance.
        let turn = fen.split(' ').nth(1).unwrap();
        let any = format!("pattern:\"*/*/*/*/*/*/*/* {turn}\"");
        let ours = format!("material:{}{} {any}", side(true), side(false));
        questions.push((format!("Material {fen}"), ours));
    }
    let piece_counts = |white: [u8; 5], black: [u8; 5], flip: u8| {
        let mut words = String::from("material");
        for (n, kind) in ["q", "r", "b", "n", "p"].into_iter().enumerate() {
            for (side, counts) in [("w", white), ("b", black)] {
                words.push_str(&format!(" -{side}{kind} {{{0} {0}}}", counts[n]));
            }
        }
        for (side, counts) in [("w", white), ("b", black)] {
            words.push_str(&format!(" -{side}m {{{0} {0}}}", counts[2] + counts[3]));
        }
        format!("{words} -flip {flip} -range {{1 999}} -length 1")
    };
    for (white, black, flip, ours) in [
        ([0, 1, 0, 0, 1], [0, 1, 0, 0, 0], 1, "material:KRPKR"),
        ([0, 1, 0, 0, 1], [0, 1, 0, 0, 0], 0, "material:KRPkr"),
        ([0, 1, 0, 0, 2], [0, 1, 0, 0, 1], 1, "material:KRPPKRP"),
        ([1, 0, 0, 0, 0], [1, 0, 0, 0, 0], 1, "material:KQKQ"),
        ([0, 0, 1, 0, 3], [0, 0, 0, 1, 3], 1, "material:KBPPPKNPPP"),
        ([1, 0, 0, 0, 5], [1, 0, 0, 0, 5], 1, "material:KQP5KQP5"),
    ] {
        questions.push((piece_counts(white, black, flip), ours.to_owned()));
    }
    for (theirs, ours) in [
        ("-white Carlsen", "white:carlsen"),
        ("-date {2000.01.01 2005.12.31}", "date:2000..2005"),
        (
            "-welo {2700 4000} -belo {2700 4000}",
            "whiteelo:2700.. blackelo:2700..",
        ),
        ("-event Open", "event:open"),
    ] {
        questions.push((format!("header {theirs}"), ours.to_owned()));
    }
    questions
}

/// Scid finds the same number of games for positions of all phases, for material and for headers.
#[test]
fn positions_are_found_as_often_as_scid_finds_them() {
    let lab = Lab::new("query-scid", &[SCID]);
    let Some((corpus, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    let base = lab.folder.join("corpus.si4");
    lab.convert(&[], &corpus, &base);
    // One position from each of 200 games, at increasing plies.
    let mut fens = Vec::new();
    for n in 0..200 {
        let game = (1 + 47 * n).to_string();
        let plies = format!("at:{}..", n % 80);
        let hits = find(
            &lab,
            &base,
            &["pattern:*/*/*/*/*/*/*/*", &plies, "-n", &game],
        );
        let fen = hits.first().and_then(|line| line.split('\t').nth(13));
        fens.extend(fen.map(str::to_owned));
    }
    assert!(fens.len() > 100, "{} positions", fens.len());
    let questions = questions(&fens);
    let list = lab.folder.join("questions");
    let lines: Vec<&str> = questions
        .iter()
        .map(|(theirs, _)| theirs.as_str())
        .collect();
    fs::write(&list, lines.join("\n") + "\n").unwrap();
    let mut theirs = lab.scid("scid_search.tcl", &[&base, &list], &[]).0;
    theirs.retain(|(key, _)| key == "found");
    assert_eq!(theirs.len(), questions.len());
    for ((asked, query), (_, theirs)) in questions.iter().zip(&theirs) {
        let ours = find(&lab, &base, &[query, "--count"]).join("");
        if ours != *theirs {
            lab.fault(format!("{asked}: {ours}, Scid {theirs}"));
        }
    }
    let (positions, all) = (fens.len(), questions.len());
    lab.finish(&format!("{positions} positions, {all} questions"));
}
