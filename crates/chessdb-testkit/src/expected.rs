//! Expected games: `expected.json` files and the comparison with them.
//!
//! An `expected.json` is an array of games in the form of [`Tree`]. A `manifest.json` in the same
//! folder states which databases contain these games:
//!
//! ```text
//! [{ "base": "annotated.si4", "expected": "expected.json", "files": ["si4", …],
//!    "source": "source.pgn", "pick": [0, 3, …], "same_glyphs": {"10": 11, …} }, …]
//! ```
//!
//! `pick` lists the expected games by number in the order of the database; without it, all are
//! expected. `same_glyphs` lists NAGs that the format cannot distinguish from others.
//! `"yearless_dates": false` means that the database stores a date without a year as unknown.

mod compare;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

pub use compare::{CompareOptions, collapse, compare, compare_trees};
use serde_json::Value;

use crate::fixtures;
use crate::tree::{Ply, Tree};

/// An expected game.
pub type ExpectedGame = Tree;

/// A database of a `manifest.json` and its games.
#[derive(Clone, Debug)]
pub struct ExpectedBase {
    /// Name of the first file of the database.
    pub name: String,
    /// Path without extension.
    pub stem: PathBuf,
    /// The extensions of its files.
    pub files: Vec<String>,
    /// The PGN from which it was made, if there is one.
    pub source: Option<PathBuf>,
    /// Its games in order.
    pub games: Vec<ExpectedGame>,
    /// NAGs that the format changes into others: from, to.
    pub same_glyphs: Vec<(u16, u16)>,
}

/// Returns the databases listed in the `manifest.json` of a folder.
///
/// # Panics
///
/// Panics if a file is missing or has another form.
pub fn bases(folder: &Path) -> Vec<ExpectedBase> {
    let manifest = parse(&folder.join("manifest.json"));
    let entries = manifest.as_array().expect("a manifest is an array");
    entries.iter().map(|entry| base(folder, entry)).collect()
}

fn base(folder: &Path, entry: &Value) -> ExpectedBase {
    let name = string(entry, "base");
    let games = load(&folder.join(string(entry, "expected")));
    let games = match entry.get("pick") {
        Some(pick) => pick
            .as_array()
            .expect("pick is an array")
            .iter()
            .map(|n| games[number(n) as usize].clone())
            .collect(),
        None => games,
    };
    let mut games = games;
    if entry.get("yearless_dates").and_then(Value::as_bool) == Some(false) {
        games.iter_mut().for_each(forget_yearless_dates);
    }
    let same_glyphs = entry.get("same_glyphs").and_then(Value::as_object);
    ExpectedBase {
        stem: folder.join(&name).with_extension(""),
        files: array(entry, "files").iter().map(text).collect(),
        source: entry.get("source").map(|source| folder.join(text(source))),
        same_glyphs: same_glyphs
            .into_iter()
            .flatten()
            .map(|(from, to)| (from.parse().expect("a NAG"), number(to) as u16))
            .collect(),
        name,
        games,
    }
}

fn forget_yearless_dates(game: &mut ExpectedGame) {
    for (_, value) in game.tags.iter_mut().filter(|(name, _)| name == "Date") {
        if value.starts_with("????") {
            "????.??.??".clone_into(value);
        }
    }
}

/// Returns the games of an `expected.json`.
///
/// # Panics
///
/// Panics if the file is missing or has another form.
pub fn load(path: &Path) -> Vec<ExpectedGame> {
    let games = parse(path);
    games
        .as_array()
        .expect("expected games are an array")
        .iter()
        .map(from_value)
        .collect()
}

/// Parses one game from its JSON form.
///
/// # Panics
///
/// Panics if it has another form.
pub fn from_json(game: &str) -> ExpectedGame {
    from_value(&serde_json::from_str(game).unwrap_or_else(|error| panic!("{error}: {game}")))
}

fn from_value(game: &Value) -> ExpectedGame {
    let tags = game
        .get("tags")
        .and_then(Value::as_object)
        .expect("a game has tags");
    let mut tree = Tree {
        tags: tags
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
        pre: string(game, "pre"),
        deleted: game
            .get("deleted")
            .and_then(Value::as_bool)
            .unwrap_or(false),
        lines: Vec::new(),
    };
    // Breadth first, because lines are numbered in this order.
    let mut queue = VecDeque::from([array(game, "line")]);
    while let Some(line) = queue.pop_front() {
        let lines = tree.lines.len() + 1;
        let plies = line.iter().map(|mv| ply(mv, lines, &mut queue)).collect();
        tree.lines.push(plies);
    }
    tree
}

/// Parses one move and appends its variations to `queue`; `lines` is the number of lines already
/// in the tree.
fn ply<'a>(mv: &'a Value, lines: usize, queue: &mut VecDeque<&'a [Value]>) -> Ply {
    match mv {
        Value::String(uci) => Ply {
            uci: uci.clone(),
            ..Ply::default()
        },
        Value::Array(parts) if (4..=5).contains(&parts.len()) => {
            let variations = elements(&parts[3]);
            // The lines that are waiting already come before these.
            let first = lines + queue.len();
            queue.extend(variations.iter().map(elements));
            Ply {
                uci: text(&parts[0]),
                nags: elements(&parts[1])
                    .iter()
                    .map(|nag| number(nag) as u16)
                    .collect(),
                comment: text(&parts[2]),
                variations: (first..).take(variations.len()).collect(),
                before: parts.get(4).map(text).unwrap_or_default(),
            }
        }
        other => panic!("not a move: {other}"),
    }
}

fn parse(path: &Path) -> Value {
    let bytes = fixtures::read(path);
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn string(object: &Value, key: &str) -> String {
    text(
        object
            .get(key)
            .unwrap_or_else(|| panic!("no \"{key}\" in {object}")),
    )
}

fn array<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    elements(
        object
            .get(key)
            .unwrap_or_else(|| panic!("no \"{key}\" in {object}")),
    )
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a string: {value}"))
        .to_owned()
}

fn elements(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("not an array: {value}"))
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("not a number: {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = r#"{"tags":{"White":"A","FEN":"8/8/8/8/8/8/8/K1k5 w - - 3 9"},
        "pre":"well","line":["e2e4",["e7e5",[1,14],"good\nmove",[["c7c5",["g1f3",[],"",[]]],
        ["e7e6",["d2d4",[],"",[["d2d3"]]]]],"before"],"g1f3"]}"#;

    #[test]
    fn expected_json_parses() {
        let tree = from_json(GAME);
        assert_eq!((tree.lines.len(), tree.pre.as_str()), (4, "well"));
        assert_eq!(tree.tag("White"), Some("A"));
        let reply = Ply {
            uci: "e7e5".into(),
            nags: vec![1, 14],
            comment: "good\nmove".into(),
            variations: vec![1, 2],
            before: "before".into(),
        };
        assert_eq!(tree.main()[1], reply);
        let ucis = |line: usize| {
            tree.lines[line]
                .iter()
                .map(|ply| &*ply.uci)
                .collect::<Vec<_>>()
        };
        assert_eq!(ucis(1), ["c7c5", "g1f3"]);
        assert_eq!((ucis(2), ucis(3)), (vec!["e7e6", "d2d4"], vec!["d2d3"]));
        assert_eq!(tree.lines[2][1].variations, [3]);
    }
}
