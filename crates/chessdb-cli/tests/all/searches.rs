//! Searches as people type them: the table of docs/reference/query.md, with the program and with the
//! session of the page.

use chessdb_testkit::fixtures;
use chessdb_web::Session;
use serde_json::{Value, json};

use crate::common::Lab;

const TABLE: &str = include_str!("../../../../docs/reference/query.md");
const BASE: &str = "scid/masters";

/// Returns the rows of the table: what is typed, and the numbers of the games.
fn rows() -> Vec<(&'static str, Vec<u64>)> {
    let table = TABLE
        .split("## Searches as people type them")
        .nth(1)
        .unwrap();
    let table = table.split("\n## ").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let typed = cells[0].trim().trim_matches('`');
        let games = cells[2].trim_matches(['|', ' ']).split_whitespace();
        (typed, games.map(|game| game.parse().unwrap()).collect())
    })
    .collect()
}

struct Page(Session);

impl Page {
    fn ask(&mut self, request: &Value) -> Value {
        serde_json::from_str(&self.0.call(&request.to_string())).unwrap()
    }

    fn opened() -> Page {
        let mut page = Page(Session::new());
        for suffix in ["si4", "sg4", "sn4"] {
            let path = fixtures::root().join(format!("{BASE}.{suffix}"));
            page.0
                .add_file(&format!("masters.{suffix}"), std::fs::read(path).unwrap());
        }
        page.ask(&json!({ "op": "bases" }));
        page.ask(&json!({ "op": "open", "base": 0 }));
        page
    }

    fn task(&mut self, task: &str, query: &str) -> Value {
        let begun = self.ask(&json!({ "op": "start", "task": task, "query": query }));
        loop {
            let state = self.ask(&json!({ "op": "step", "task": begun["task"], "most": 5 }));
            assert!(state["error"].is_null(), "{query}: {state}");
            if state["done"] == true {
                return state["result"].clone();
            }
        }
    }

    fn find(&mut self, query: &str) -> Vec<u64> {
        self.task("filter", query);
        let rows = self.ask(&json!({ "op": "rows", "from": 0, "count": 99 }));
        let rows = rows["rows"].as_array().unwrap().iter();
        rows.map(|row| row[0].as_u64().unwrap() + 1).collect()
    }
}

#[test]
fn searches_as_people_type_them() {
    let rows = rows();
    assert!(rows.len() >= 20, "{}", rows.len());
    let lab = Lab::empty();
    let base = fixtures::root().join(format!("{BASE}.si4"));
    let base = base.to_str().unwrap();
    let mut page = Page::opened();
    for (typed, games) in rows {
        let code = i32::from(games.is_empty());
        let found = lab.run(["find", base, typed, "--ids"]).expect(code).out;
        let found: Vec<u64> = found.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(found, games, "program: {typed}");
        assert_eq!(page.find(typed), games, "page: {typed}");
    }
}

#[test]
fn words_and_advice_are_the_same_in_program_and_page() {
    let lab = Lab::empty();
    let base = fixtures::root().join(format!("{BASE}.si4"));
    let base = base.to_str().unwrap();
    let mut page = Page::opened();
    for typed in [
        "kasparov",
        "Wijk",
        "lasker 1912",
        "fischer",
        "B07",
        "Pirc",
        "vienna",
    ] {
        let found = lab.run(["find", base, typed, "--json"]).expect(0).out;
        let found: Value = serde_json::from_str(&found).unwrap();
        let answer = page.task("filter", typed);
        let words = answer["words"].as_array().unwrap().iter().map(|word| {
            let kinds = word["kinds"].as_array().unwrap().iter();
            let kinds = kinds.map(|kind| (kind[0].as_str().unwrap().to_owned(), kind[1].clone()));
            json!({ "word": word["word"], "kinds": Value::Object(kinds.collect()) })
        });
        assert_eq!(found["words"], Value::Array(words.collect()), "{typed}");
    }
    for (typed, advice, proposed) in [
        ("Kasparow", "\"Kasparov, Garry\"", "\"Kasparov, Garry\""),
        ("Sicillian", "Sicilian", "Sicilian"),
        ("fischer 1973", "without year:1973", "fischer"),
        ("event:Hogovens", "Hoogovens", "Hoogovens"),
    ] {
        let said = lab.run(["find", base, typed]).expect(1).err;
        assert!(said.contains(advice), "{typed}: {said}");
        let answer = page.task("advice", typed);
        let first = &answer[0];
        assert!(
            first["query"].as_str().unwrap().contains(proposed),
            "{typed}: {answer}"
        );
        if let Some(games) = first["games"].as_u64() {
            let found = page.find(first["query"].as_str().unwrap());
            assert_eq!(found.len() as u64, games, "{typed}: {answer}");
        }
    }
}

#[test]
fn the_page_suggests_names_and_reports_on_players() {
    let mut page = Page::opened();
    page.task("namecounts", "");
    let names = page.ask(&json!({ "op": "suggest", "field": "player", "text": "lask" }));
    assert_eq!(
        names,
        json!([["Lasker, Edward", 1], ["Lasker, Emanuel", 1]])
    );
    let openings = page.ask(&json!({ "op": "suggest", "field": "opening", "text": "najd" }));
    assert_eq!(openings[0][0], "Sicilian Defense: Najdorf Variation");
    page.task("filter", "");
    let begun = page.ask(&json!({ "op": "start", "task": "player", "name": "fischer" }));
    let state = page.ask(&json!({ "op": "step", "task": begun["task"], "most": 99 }));
    let report = &state["result"];
    assert_eq!(report["total"]["games"], 2, "{report}");
    assert_eq!(report["white"]["results"], json!([1, 0, 0]), "{report}");
    assert_eq!(report["black"]["results"], json!([1, 0, 0]), "{report}");
    assert_eq!(report["years"].as_array().unwrap().len(), 2, "{report}");
}
