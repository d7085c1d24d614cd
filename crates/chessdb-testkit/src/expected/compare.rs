//! Comparison of a game with the expected one.

use std::collections::{HashSet, VecDeque};

use chessdb_core::Game;

use super::ExpectedGame;
use crate::tree::{Line, Ply, Tree};

/// Options for the comparison of a game with the expected one.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Whether tags are compared at all.
    pub tags: bool,
    /// Tags that may be missing or different.
    pub ignored_tags: Vec<String>,
    /// Whether the game may have tags that are not expected.
    pub more_tags: bool,
    /// The number of fields of a FEN that are compared, at most six.
    pub fen_fields: usize,
    /// Whether the deleted flag is compared.
    pub deleted: bool,
    /// Whether NAGs are compared.
    pub nags: bool,
    /// NAGs that the format cannot distinguish from others: from, to.
    pub same_glyphs: Vec<(u16, u16)>,
    /// Whether comments are compared, with white space collapsed.
    pub comments: bool,
    /// Whether a comment before a move counts as one after the previous move, or of the game.
    pub comments_move: bool,
}

impl Default for CompareOptions {
    /// Compares everything except the tag `SetUp`, which is redundant.
    fn default() -> CompareOptions {
        CompareOptions {
            tags: true,
            ignored_tags: vec!["SetUp".into()],
            more_tags: false,
            fen_fields: 6,
            deleted: true,
            nags: true,
            same_glyphs: Vec::new(),
            comments: true,
            comments_move: false,
        }
    }
}

impl CompareOptions {
    /// Compares only moves and annotations.
    pub fn moves_only() -> CompareOptions {
        CompareOptions {
            tags: false,
            deleted: false,
            ..CompareOptions::default()
        }
    }

    /// Adds a tag to ignore.
    #[must_use]
    pub fn ignoring(mut self, tag: &str) -> CompareOptions {
        self.ignored_tags.push(tag.into());
        self
    }
}

/// Compares a game with the expected one; the error is the first difference in words.
pub fn compare(
    game: &Game,
    expected: &ExpectedGame,
    options: &CompareOptions,
) -> Result<(), String> {
    compare_trees(&Tree::from_game(game), expected, options)
}

/// Like [`compare`], for two trees.
///
/// Alternatives to a variation's first move may be nested or further siblings.
pub fn compare_trees(
    actual: &Tree,
    expected: &Tree,
    options: &CompareOptions,
) -> Result<(), String> {
    if options.deleted && actual.deleted != expected.deleted {
        return Err(format!(
            "deleted: {} instead of {}",
            actual.deleted, expected.deleted
        ));
    }
    if options.tags {
        compare_tags(actual, expected, options)?;
    }
    let (actual, expected) = (normalize(actual, options), normalize(expected, options));
    if options.comments && actual.pre != expected.pre {
        return Err(differ(
            "comment before the first move",
            &actual.pre,
            &expected.pre,
        ));
    }
    let mut pairs = VecDeque::from([(0, 0, String::new())]);
    while let Some((a, b, path)) = pairs.pop_front() {
        let (left_line, right_line) = (actual.line(a), expected.line(b));
        for n in 0..left_line.len().max(right_line.len()) {
            let place = format!("{path}{}", n + 1);
            let (x, y) = match (left_line.get(n), right_line.get(n)) {
                (Some(x), Some(y)) => (x, y),
                (x, y) => {
                    let show = |ply: Option<&Ply>| ply.map_or("end", |ply| &ply.uci).to_owned();
                    return Err(differ(&format!("ply {place}"), &show(x), &show(y)));
                }
            };
            compare_ply(x, y).map_err(|difference| format!("ply {place}, {difference}"))?;
            let (mut left, mut right) = (x.variations.clone(), y.variations.clone());
            if actual.raised.contains(&(a, n)) || expected.raised.contains(&(b, n)) {
                left.sort_by_cached_key(|&line| key(&actual.lines, line));
                right.sort_by_cached_key(|&line| key(&expected.lines, line));
            }
            for (v, pair) in left.into_iter().zip(right).enumerate() {
                pairs.push_back((
                    pair.0,
                    pair.1,
                    format!("{place}, variation {}, ply ", v + 1),
                ));
            }
        }
    }
    Ok(())
}

fn compare_ply(x: &Ply, y: &Ply) -> Result<(), String> {
    let same = |what: &str, x: &str, y: &str| {
        if x == y { Ok(()) } else { Err(differ(what, x, y)) }
    };
    same("move", &x.uci, &y.uci)?;
    same("comment before", &x.before, &y.before)?;
    same("NAGs", &format!("{:?}", x.nags), &format!("{:?}", y.nags))?;
    same("comment", &x.comment, &y.comment)?;
    same(
        "variations",
        &x.variations.len().to_string(),
        &y.variations.len().to_string(),
    )
}

fn compare_tags(actual: &Tree, expected: &Tree, options: &CompareOptions) -> Result<(), String> {
    let ignored = |name: &str| options.ignored_tags.iter().any(|ignored| ignored == name);
    let value = |tree: &Tree, name: &str| {
        let value = tree.tag(name)?;
        if name != "FEN" {
            return Some(value.to_owned());
        }
        let fields: Vec<_> = value.split_whitespace().take(options.fen_fields).collect();
        Some(fields.join(" "))
    };
    for (name, _) in &expected.tags {
        let (a, b) = (value(actual, name), value(expected, name));
        if !ignored(name) && a != b {
            let show = |value: Option<String>| value.unwrap_or_else(|| "no tag".into());
            return Err(differ(&format!("tag {name}"), &show(a), &show(b)));
        }
    }
    let surplus = actual
        .tags
        .iter()
        .find(|(name, _)| !options.more_tags && !ignored(name) && expected.tag(name).is_none());
    match surplus {
        Some((name, value)) => Err(differ(&format!("tag {name}"), value, "no tag")),
        None => Ok(()),
    }
}

fn differ(what: &str, actual: &str, expected: &str) -> String {
    format!("{what}: {actual:?} instead of {expected:?}")
}

/// A tree reduced to the parts that are compared.
struct NormalizedTree {
    pre: String,
    lines: Vec<Line>,
    /// Line and index of the half-moves that received alternatives from inside their variations;
    /// the order of their variations is then irrelevant.
    raised: HashSet<(usize, usize)>,
}

impl NormalizedTree {
    fn line(&self, index: usize) -> &[Ply] {
        self.lines.get(index).map_or(&[], Vec::as_slice)
    }
}

fn normalize(tree: &Tree, options: &CompareOptions) -> NormalizedTree {
    let mut lines = tree.lines.clone();
    let mut pre = collapse(&tree.pre);
    for ply in lines.iter_mut().flatten() {
        for nag in &mut ply.nags {
            let same = options.same_glyphs.iter().find(|(from, _)| from == nag);
            *nag = same.map_or(*nag, |&(_, to)| to);
        }
        if !options.nags {
            ply.nags.clear();
        }
        if options.comments {
            ply.comment = collapse(&ply.comment);
            ply.before = collapse(&ply.before);
        } else {
            ply.comment.clear();
            ply.before.clear();
        }
    }
    if options.comments_move {
        move_comments(&mut lines, &mut pre);
    }
    let raised = raise_first_alternatives(&mut lines);
    NormalizedTree { pre, lines, raised }
}

/// Moves every comment before a move to the previous move; at the start of the game it becomes part
/// of the game's comment. At the start of a variation it stays.
fn move_comments(lines: &mut [Line], pre: &mut String) {
    for (index, line) in lines.iter_mut().enumerate() {
        for n in 0..line.len() {
            let to_game = index == 0 && n == 0;
            if n == 0 && !to_game {
                continue;
            }
            let before = std::mem::take(&mut line[n].before);
            let to = if to_game { &mut *pre } else { &mut line[n - 1].comment };
            *to = collapse(&format!("{to} {before}"));
        }
    }
}

/// Makes alternatives to a variation's first move siblings of that variation, and returns where.
fn raise_first_alternatives(lines: &mut [Line]) -> HashSet<(usize, usize)> {
    let mut raised = HashSet::new();
    // Inner lines come after outer ones, so going backwards raises from the deepest upwards.
    for index in (0..lines.len()).rev() {
        for n in 0..lines[index].len() {
            let own = std::mem::take(&mut lines[index][n].variations);
            let mut all = Vec::with_capacity(own.len());
            for line in own {
                all.push(line);
                let first = lines[line].first_mut().filter(|ply| !ply.uci.is_empty());
                let inner = first.map(|ply| std::mem::take(&mut ply.variations));
                if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
                    all.extend(inner);
                    raised.insert((index, n));
                }
            }
            lines[index][n].variations = all;
        }
    }
    raised
}

/// Returns a text of a line with everything nested in it, as a sort key.
fn key(lines: &[Line], line: usize) -> String {
    format!("{:?}", renumbered(lines, line))
}

/// Returns the lines nested in a line, itself first, renumbered.
fn renumbered(lines: &[Line], line: usize) -> Vec<Line> {
    let mut taken = vec![lines[line].clone()];
    let mut next = 0;
    while next < taken.len() {
        let mut plies = std::mem::take(&mut taken[next]);
        for ply in &mut plies {
            for inner in &mut ply.variations {
                taken.push(lines[*inner].clone());
                *inner = taken.len() - 1;
            }
        }
        taken[next] = plies;
        next += 1;
    }
    taken
}

/// Collapses white space to single spaces and removes it at both ends.
pub fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected::from_json as game;

    const GAME: &str = r#"{"tags":{"FEN":"8/8/8/8/8/8/8/K1k5 w - - 3 9","White":"A"},
        "pre":"well","line":["e2e4",["e7e5",[1,14],"good\nmove",[["c7c5",["g1f3",[],"",[]]],
        ["e7e6",["d2d4",[],"",[["d2d3"]]]]],"before"],"g1f3"]}"#;

    type Change = (&'static str, fn(&mut Tree));

    fn difference(change: impl FnOnce(&mut Tree), options: &CompareOptions) -> Option<String> {
        let expected = game(GAME);
        let mut changed = expected.clone();
        change(&mut changed);
        compare_trees(&changed, &expected, options).err()
    }

    #[test]
    fn every_change_is_found() {
        let all = CompareOptions::default();
        let changes: [Change; 12] = [
            ("tag White", |t| t.tags[1].1.push('x')),
            ("tag Round", |t| t.tags.push(("Round".into(), "3".into()))),
            ("tag White: \"no tag\"", |t| drop(t.tags.remove(1))),
            ("deleted", |t| t.deleted = true),
            ("comment before the first", |t| t.pre.push('!')),
            ("ply 2, NAGs", |t| t.lines[0][1].nags[1] = 15),
            ("ply 2, comment:", |t| t.lines[0][1].comment.push('!')),
            ("ply 2, comment before", |t| t.lines[0][1].before.clear()),
            ("ply 2, variations", |t| {
                t.lines[0][1].variations.truncate(1)
            }),
            ("ply 3: \"end\"", |t| drop(t.lines[0].pop())),
            ("ply 2, variation 2, ply 2, variation 1, ply 1, move", |t| {
                t.lines[3][0].uci = "a2a3".into();
            }),
            ("variation 1, ply 1, move", |t| {
                t.lines[0][1].variations.reverse()
            }),
        ];
        assert_eq!(difference(|_| (), &all), None);
        for (place, change) in changes {
            let message = difference(change, &all).expect(place);
            assert!(message.contains(place), "{message}");
        }
    }

    #[test]
    fn ignored_fields_are_not_compared() {
        let all = CompareOptions::default();
        let set_up = ("SetUp".to_owned(), "1".to_owned());
        assert_eq!(difference(|t| t.tags.push(set_up), &all), None);
        assert_eq!(difference(|t| t.pre = " well\n".into(), &all), None);

        let glyphs = CompareOptions {
            same_glyphs: vec![(14, 15)],
            ..all.clone()
        };
        assert_eq!(difference(|t| t.lines[0][1].nags[1] = 15, &glyphs), None);
        let fen = |t: &mut Tree| t.tags[0].1 = "8/8/8/8/8/8/8/K1k5 w - - 0 1".into();
        assert!(difference(fen, &all).unwrap().contains("tag FEN"));
        let four = CompareOptions {
            fen_fields: 4,
            ..all.clone()
        };
        assert_eq!(difference(fen, &four), None);
        let moved = |t: &mut Tree| {
            t.lines[0][1].before.clear();
            t.lines[0][0].comment = "before".into();
        };
        assert!(difference(moved, &all).is_some());
        let comments_move = CompareOptions {
            comments_move: true,
            ..all.clone()
        };
        assert_eq!(difference(moved, &comments_move), None);
        let moves = CompareOptions::moves_only();
        assert_eq!(difference(|t| t.tags.clear(), &moves), None);
    }

    #[test]
    fn alternatives_to_a_first_move_may_be_siblings() {
        let nested = r#"{"tags":{},"pre":"","line":[["a2a3",[],"",[
            [["b2b3",[],"",[["c2c3"],[["d2d3",[],"",[["e2e3"]]]]]],"a7a6"]]]]}"#;
        let flat = r#"{"tags":{},"pre":"","line":[["a2a3",[],"",[
            ["c2c3"],["b2b3","a7a6"],["e2e3"],["d2d3"]]]]}"#;
        let other = flat.replace("e2e3", "e2e4");
        let options = CompareOptions::default();
        assert_eq!(compare_trees(&game(nested), &game(flat), &options), Ok(()));
        assert_eq!(compare_trees(&game(flat), &game(nested), &options), Ok(()));
        assert!(compare_trees(&game(&other), &game(nested), &options).is_err());
    }
}
