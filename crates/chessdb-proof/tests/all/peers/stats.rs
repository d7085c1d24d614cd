//! Comparisons of scores and cross-tables with a plain loop over python-chess.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use chessdb_proof::peer::capture;
use serde_json::Value;

use super::lab::{Lab, PYTHON};

/// Returns the JSON that `stats` prints.
fn stats(lab: &Lab, base: &Path, words: &[&str]) -> Value {
    let mut command = Command::new(&lab.program);
    let command = command.arg("stats").arg(base).args(words).arg("--json");
    let ran = capture(command);
    assert!(matches!(ran.code, 0 | 1), "{words:?}: {ran:?}");
    serde_json::from_str(&ran.out).unwrap()
}

/// Returns a query for this text; a dot stands for each sign, as a regular expression has it.
fn exactly(key: &str, text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == ' ';
    let pattern: String = text
        .chars()
        .map(|c| if is_plain(c) { c } else { '.' })
        .collect();
    format!("{key}:/^{pattern}$/")
}

#[test]
fn scores_and_cross_tables_are_those_of_a_loop_over_python_chess() {
    let lab = Lab::new("stats-python", &[PYTHON]);
    let Some((corpus, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    let answers = lab.script_on("stats_scan.py", &[&corpus]);
    let json = stats(&lab, &corpus, &["--by", "player", "--top", "65535"]);
    // The rows of one person are joined.
    let lower = |name: &Value| name.as_str().unwrap_or_default().to_lowercase();
    let joined = json["joined"].as_array().unwrap().iter();
    let persons: BTreeMap<String, String> = joined
        .flat_map(|person| {
            let spellings = person["spellings"].as_array().unwrap().iter();
            spellings.map(|one| (lower(&one["name"]), lower(&person["name"])))
        })
        .collect();
    let add = |sums: &mut BTreeMap<String, [u64; 4]>, name: &str, counts: [u64; 4]| {
        let name = persons.get(name).map_or(name, String::as_str);
        let sums = sums.entry(name.to_owned()).or_default();
        sums.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    };
    let (mut ours, mut theirs) = (BTreeMap::new(), BTreeMap::new());
    for row in json["scores"].as_array().unwrap() {
        let counts = ["games", "won", "drawn", "lost"].map(|key| row[key].as_u64().unwrap());
        add(&mut ours, &lower(&row["value"]), counts);
    }
    let mut players = 0;
    let mut events: BTreeMap<[&str; 3], BTreeSet<(String, String)>> = BTreeMap::new();
    for answer in answers.lines() {
        match answer.split('\t').collect::<Vec<_>>().as_slice() {
            ["player", name, counts] => {
                players += 1;
                let mut counts = counts.split(',').map(|count| count.parse().unwrap());
                add(
                    &mut theirs,
                    name,
                    [0; 4].map(|_: u64| counts.next().unwrap()),
                );
            }
            &["event", event, site, year, name, points] => {
                let players = events.entry([event, site, year]).or_default();
                players.insert((name.to_owned(), points.to_owned()));
            }
            _ => panic!("{answer}"),
        }
    }
    // The script leaves out names that are not ASCII.
    let others = persons.iter().filter(|(spelling, _)| !spelling.is_ascii());
    let others: BTreeSet<&String> = others.map(|(_, name)| name).collect();
    for (name, counts) in &theirs {
        let counted = ours.get(name);
        if counted != Some(counts) && !others.contains(name) {
            lab.fault(format!("{name}: {counted:?} instead of {counts:?}"));
        }
    }
    for ([event, site, year], expected) in &events {
        let (event_term, site_term) = (exactly("event", event), exactly("site", site));
        let date = format!("date:{year}");
        let words = [&*event_term, &site_term, &date, "--crosstable"];
        let json = stats(&lab, &corpus, &words);
        let tables = json["events"].as_array().unwrap().iter();
        let players = tables.flat_map(|table| table["players"].as_array().unwrap());
        let pairs: BTreeSet<(String, String)> = players
            .map(|player| {
                let name = player["name"].as_str().unwrap().to_lowercase();
                (name, format!("{:?}", player["points"].as_f64().unwrap()))
            })
            .filter(|(name, _)| name.is_ascii())
            .collect();
        if pairs != *expected {
            let differing: Vec<_> = pairs.symmetric_difference(expected).take(5).collect();
            lab.fault(format!("{event}, {site}, {year}: {differing:?}"));
        }
    }
    assert!(players > 100 && events.len() > 10);
    lab.finish(&format!("{players} players, {} events", events.len()));
}
