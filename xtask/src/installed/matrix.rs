//! Tests of the table of docs/status.md that lists what each front end has.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Package};
use fs_err as fs;

use crate::cmd::{self, root};

/// The page with the table.
const PAGE: &str = "docs/status.md";

/// The packages in the order of the columns: the name in the table, the crate it is made of, the features
/// with which it is built, and the files that declare its calls. The page uses the modules of the package
/// for JavaScript; its calls are modules in web/src.
const PACKAGES: [(&str, &str, &str, &[&str]); 4] = [
    (
        "Python",
        "chessdb-py",
        "default",
        &["python/chessdb/_chessdb.pyi", "python/chessdb/_commands.py"],
    ),
    (
        "JavaScript",
        "chessdb-web",
        "full",
        &[
            "js/src/database.js",
            "js/src/edit.js",
            "js/src/game.js",
            "js/src/index.js",
            "js/src/open.js",
        ],
    ),
    ("C", "chessdb-c", "default", &["crates/chessdb-c/chessdb.h"]),
    ("page", "chessdb-web", "full", &[]),
];

/// A row of the table: a command or feature, and a cell for each package.
type Row = (String, Vec<String>);

/// Returns the rows of the table, and the reasons below it with their sentences.
fn table() -> (Vec<Row>, BTreeMap<String, String>) {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let section = page
        .split("\n## ")
        .find(|text| text.starts_with("What each front end has\n"))
        .unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| "));
    let mut rows = lines.map(|line| {
        let mut cells = line
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.collect())
    });
    let columns = PACKAGES.map(|(name, ..)| name.to_owned());
    assert_eq!(
        rows.next().unwrap(),
        ("program".to_owned(), columns.to_vec())
    );
    let reasons = section
        .lines()
        .filter_map(|line| line.strip_prefix("* ")?.split_once(": "));
    let reasons = reasons.map(|(reason, sentence)| (reason.to_owned(), sentence.to_owned()));
    (rows.collect(), reasons.collect())
}

/// Returns the features of the facade with which a crate is built.
fn features(package: &Package, feature: &str) -> BTreeSet<String> {
    let facade = package
        .dependencies
        .iter()
        .find(|on| on.name == "chessdb" && on.kind == DependencyKind::Normal);
    let mut all: BTreeSet<String> = facade.unwrap().features.iter().cloned().collect();
    let mut open = vec![feature.to_owned()];
    while let Some(name) = open.pop() {
        match name.strip_prefix("chessdb/") {
            Some(of_facade) => {
                all.insert(of_facade.to_owned());
            }
            None => open.extend(package.features.get(&name).cloned().unwrap_or_default()),
        }
    }
    all
}

/// Each command of the program is a row, and each of its cells names a call that exists, or a reason.
#[test]
fn commands_are_rows() {
    let help = fs::read_to_string(root().join("docs/reference/commands.md")).unwrap();
    let list = help.split("```").nth(1).unwrap();
    let commands: BTreeSet<&str> = list
        .lines()
        .skip_while(|line| *line != "Look:")
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    let (rows, _) = table();
    let rows = rows.iter().filter(|(name, _)| !name.starts_with('`'));
    let named: BTreeSet<&str> = rows.clone().map(|(name, _)| name.as_str()).collect();
    assert_eq!(named, commands);
    for (command, cells) in rows {
        for (cell, (package, .., files)) in cells.iter().zip(PACKAGES) {
            let Some(call) = cell.strip_prefix("yes") else {
                continue;
            };
            let call = call
                .strip_prefix(": `")
                .and_then(|call| call.strip_suffix('`'));
            let call = call.unwrap_or_else(|| panic!("{command}, {package}: {cell}"));
            let exists = match package {
                "page" => root().join(format!("web/src/{call}.js")).exists(),
                _ => files.iter().any(|file| declares(file, call)),
            };
            assert!(exists, "{command}, {package}: {call}");
        }
    }
}

/// Returns whether a file contains a name as a whole word, outside comments that fill a line.
fn declares(file: &str, name: &str) -> bool {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let mut words = text
        .lines()
        .filter(|line| !line.trim_start().starts_with(['#', '/']))
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.any(|word| word == name)
}

/// Each feature of the program is a row, with "yes" for the packages that are built with it.
#[test]
fn features_are_rows() {
    let metadata = cmd::metadata().unwrap();
    let find = |name: &str| {
        let mut packages = metadata.packages.iter();
        packages.find(|other| other.name == name).unwrap()
    };
    let facade = &find("chessdb").features;
    // A feature of the facade enables others of it.
    let closed = |mut set: BTreeSet<String>| {
        loop {
            let enabled = set.iter().filter_map(|name| facade.get(name)).flatten();
            let more: Vec<String> = enabled
                .filter(|name| !name.contains('/') && !name.starts_with("dep:"))
                .cloned()
                .collect();
            let size = set.len();
            set.extend(more);
            if set.len() == size {
                return set;
            }
        }
    };
    let built = PACKAGES.map(|(_, name, feature, _)| closed(features(find(name), feature)));
    let program = closed(features(find("chessdb-cli"), "default"));
    let (rows, _) = table();
    let rows = rows.iter().filter(|(name, _)| name.starts_with('`'));
    let rows: BTreeMap<&str, &Vec<String>> = rows
        .map(|(name, cells)| (name.trim_matches('`'), cells))
        .collect();
    // Features that all of them have need no row.
    let lacking = |name: &&String| built.iter().any(|features| !features.contains(*name));
    for name in program.iter().filter(lacking) {
        assert!(
            rows.contains_key(name.as_str()),
            "{PAGE}: no row for {name}"
        );
    }
    for (name, cells) in rows {
        assert!(program.contains(name), "{name}");
        for (cell, (features, (package, ..))) in cells.iter().zip(built.iter().zip(PACKAGES)) {
            assert_eq!(cell == "yes", features.contains(name), "{name}, {package}");
        }
    }
}

/// Every other cell names a reason, and every reason is used and explained.
#[test]
fn other_cells_are_reasons() {
    let (rows, reasons) = table();
    let mut used = BTreeSet::new();
    for (row, cells) in &rows {
        assert_eq!(cells.len(), PACKAGES.len(), "{row}");
        used.extend(cells.iter().filter(|cell| !cell.starts_with("yes")));
    }
    assert_eq!(used, reasons.keys().collect());
    for (reason, sentence) in reasons {
        assert!(sentence.len() > 20, "{reason}");
    }
}
