//! Differences between two games, given as JSON trees by pgn_tree.py.

use serde_json::Value;

/// A game of pgn_tree.py in the form that is compared: every move in its long form
/// `[move, [NAGs], comment, [variations], comment before]`, white space in texts collapsed (Scid
/// breaks lines inside comments), no SetUp tag where a FEN tag says the same.
pub(super) fn normal(game: Value) -> Value {
    let Value::Object(members) = game else {
        return game;
    };
    let normal = |(key, value): (String, Value)| {
        let value = match (key.as_str(), value) {
            ("line", line) => long(line),
            ("tags", Value::Object(mut tags)) => {
                if tags.contains_key("FEN") {
                    tags.shift_remove("SetUp");
                }
                fold(Value::Object(tags))
            }
            (_, other) => fold(other),
        };
        (key, value)
    };
    Value::Object(members.into_iter().map(normal).collect())
}

/// A line with every move in its long form.
fn long(line: Value) -> Value {
    let Value::Array(moves) = line else {
        return line;
    };
    let long_move = |one: Value| {
        let mut parts = match one {
            Value::Array(parts) => parts.into_iter(),
            short => vec![short].into_iter(),
        };
        let none = || Value::Array(Vec::new());
        let empty = || Value::String(String::new());
        let from_to = parts.next().unwrap_or(Value::Null);
        let nags = parts.next().unwrap_or_else(none);
        let comment = fold(parts.next().unwrap_or_else(empty));
        let lines = match parts.next().unwrap_or_else(none) {
            Value::Array(lines) => Value::Array(lines.into_iter().map(long).collect()),
            other => other,
        };
        let before = fold(parts.next().unwrap_or_else(empty));
        Value::Array(vec![from_to, nags, comment, lines, before])
    };
    Value::Array(moves.into_iter().map(long_move).collect())
}

/// Collapses white space in every text of the value.
fn fold(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Array(items) => Value::Array(items.into_iter().map(fold).collect()),
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| (key, fold(value)))
                .collect(),
        ),
        other => other,
    }
}

/// One difference: where in the game, and what each side has there.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    /// Member names and element numbers, as in `tags.Site` or `line[12][3][0][1]`.
    pub(super) path: String,
    pub(super) peer: String,
    pub(super) ours: String,
}

/// All differences, in the order of the tree. Of two lists with different lengths, the elements
/// both have are compared, then the lengths.
pub(super) fn differences(peer: &Value, ours: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", peer, ours, &mut found);
    found
}

fn compare(path: &str, peer: &Value, ours: &Value, found: &mut Vec<Difference>) {
    let mut differ = |path: String, peer: String, ours: String| {
        found.push(Difference { path, peer, ours });
    };
    match (peer, ours) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                compare(
                    &join(path, key),
                    value,
                    b.get(key).unwrap_or(&Value::Null),
                    found,
                );
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                compare(&join(path, key), &Value::Null, value, found);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for (n, (x, y)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{n}]"), x, y, found);
            }
            if a.len() != b.len() {
                let words = |list: &[Value]| format!("{} elements", list.len());
                found.push(Difference {
                    path: path.to_owned(),
                    peer: words(a),
                    ours: words(b),
                });
            }
        }
        _ if peer == ours => {}
        _ => differ(path.to_owned(), peer.to_string(), ours.to_string()),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(a: &str, b: &str) -> Vec<(String, String, String)> {
        let found = differences(
            &serde_json::from_str(a).unwrap(),
            &serde_json::from_str(b).unwrap(),
        );
        found
            .into_iter()
            .map(|d| (d.path, d.peer, d.ours))
            .collect()
    }

    #[test]
    fn short_and_long_forms_are_equal() {
        let read = |text: &str| normal(serde_json::from_str(text).unwrap());
        let short = r#"{"tags": {"FEN": "x"}, "pre": "a b", "line": ["e2e4", ["d7d5", [], "c d", [["e7e5"]]]]}"#;
        let long = r#"{"tags": {"SetUp": "1", "FEN": "x"}, "pre": "a\n b", "line":
            [["e2e4", [], "", []], ["d7d5", [], "c\td ", [[["e7e5", [], "", [], ""]]], ""]]}"#;
        assert_eq!(read(short), read(long));
        assert_ne!(read(short), read(&long.replace("e7e5", "e7e6")));
        assert_ne!(read(short), read(&long.replace("a\\n b", "ab")));
    }

    #[test]
    fn differences_carry_their_place() {
        let game = r#"{"tags": {"Event": "A", "Site": "?"}, "line": ["e2e4", ["d7d5", [1], "x"]]}"#;
        assert_eq!(run(game, game), []);
        let other =
            r#"{"tags": {"Event": "B", "Date": "1"}, "line": ["e2e4", ["d7d5", [2], "x"], "a"]}"#;
        let at = |p: &str, a: &str, b: &str| (p.to_owned(), a.to_owned(), b.to_owned());
        assert_eq!(
            run(game, other),
            [
                at("tags.Event", "\"A\"", "\"B\""),
                at("tags.Site", "\"?\"", "null"),
                at("tags.Date", "null", "\"1\""),
                at("line[1][1][0]", "1", "2"),
                at("line", "2 elements", "3 elements"),
            ]
        );
    }
}
