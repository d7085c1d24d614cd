//! Differences between two games, given as JSON trees by pgn_tree.py.

use crate::json::Json;

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
pub(super) fn differences(peer: &Json, ours: &Json) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", peer, ours, &mut found);
    found
}

fn compare(path: &str, peer: &Json, ours: &Json, found: &mut Vec<Difference>) {
    let mut differ = |path: String, peer: String, ours: String| {
        found.push(Difference { path, peer, ours });
    };
    match (peer, ours) {
        (Json::Object(a), Json::Object(b)) => {
            for (key, value) in a {
                compare(&join(path, key), value, ours.get(key), found);
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.iter().any(|(k, _)| k == key)) {
                compare(&join(path, key), &Json::Null, value, found);
            }
        }
        (Json::Array(a), Json::Array(b)) => {
            for (n, (x, y)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{n}]"), x, y, found);
            }
            if a.len() != b.len() {
                let words = |list: &[Json]| format!("{} elements", list.len());
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
        let found = differences(&Json::parse(a).unwrap(), &Json::parse(b).unwrap());
        found
            .into_iter()
            .map(|d| (d.path, d.peer, d.ours))
            .collect()
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
