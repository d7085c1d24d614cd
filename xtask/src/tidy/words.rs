//! Phrases that docs/style.md rules out, counted per 1,000 lines in each group of text.
//!
//! The limit leaves room for the few places where such a word is right, as in `man page`. It is a
//! floor: text that passes can still be hard to read.

use std::path::Path;

use fs_err as fs;
use regex::{Regex, RegexBuilder};

use crate::Outcome;

/// The most phrases per 1,000 lines.
const LIMIT: usize = 20;

/// How many places are listed of a group that is above the limit.
const LISTED: usize = 25;

/// Each phrase with the word to write instead.
const PHRASES: &[(&str, &str)] = &[
    (
        r"\bwho(so)?ever\b|\bwhatever\b|\bwhichever\b",
        "the caller, any",
    ),
    (r"\bsomebody\b|\bnobody\b", "someone, no one, never"),
    (r"\bbehind\b", "after"),
    (r"\bbeside\b", "next to, besides"),
    (r"\bst(ands?|ood)\b", "is, appears"),
    (r"\blies?\b", "is, is stored"),
    (r"\bso many\b", "`n`, the number of"),
    (r"\b(that|those) of\b", "the noun again"),
    (r"\bof which\b|\bwhose\b", "two sentences, or with"),
    (r"\bsays?\b", "states, reports, contains"),
    (r"\b(is|are|was|were) to be\b", "must, should, will"),
    (r"\bgo(es|ne|ing)? on\b", "continue"),
    (r"\banew\b", "again"),
    (r"\btells?\b|\btold\b", "states, given"),
    (
        r"\bwhat (it|they|the \w+|an? \w+) (says?|said|holds?|has|have|is|are|can)\b",
        "the noun",
    ),
    (r"\busual(ly)?\b", "standard, default, quiet, common"),
    (
        r"\bof such\b|\bfor such\b|\bsuch (as|that) (it|they|these|have|are|is)\b",
        "the noun again",
    ),
    (
        r"\bbut for\b|\bnothing but\b|\ball but\b|\bno \w+ but\b",
        "except, only",
    ),
    (r"\b(be|is|are|was) had\b", "available, recovered"),
    (r"\bm[ae]n\b", "piece, pieces"),
    (r"\bin (its|their|his) (place|turn)\b", "instead, then"),
    (r"\bhangs? (on|together)\b", "depends on"),
    (r"\bspeaks? (for|against)\b", "evidence for, against"),
    (r"\brooms?\b", "module, space"),
    (r"\bheed\w*", "check, filter"),
    (r"\bmend(s|ed|ing)?\b", "fix, repair"),
    (r"\boddit(y|ies)\b", "finding"),
    (r"\bof (ours|its own|their own)\b", "its own"),
    (
        r"^The same\b|^What\b|^(That|Those) of\b",
        "a sentence that shows alone",
    ),
];

/// A kind of text, and how it is taken from a file.
struct Group {
    name: &'static str,
    has: fn(&str) -> bool,
    lines: fn(&str, &str) -> Vec<(usize, String)>,
}

const GROUPS: &[Group] = &[
    Group {
        name: "comments",
        has: |path| is_product(path),
        lines: |_, text| comments(text),
    },
    Group {
        name: "program texts",
        has: |path| is_product(path) && path.starts_with("crates/chessdb-cli/"),
        lines: |path, text| printed(path, text),
    },
    Group {
        name: "README files",
        has: |path| path.ends_with("README.md") || path == "CONTRIBUTING.md",
        lines: |_, text| paragraphs(text),
    },
    Group {
        name: "docs",
        has: |path| {
            path.ends_with(".md")
                && !["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
                    .iter()
                    .any(|name| path.ends_with(name))
        },
        lines: |_, text| paragraphs(text),
    },
    Group {
        name: "change logs",
        has: |path| path.ends_with("CHANGELOG.md"),
        lines: |_, text| paragraphs(text),
    },
    Group {
        name: "comments of xtask",
        has: |path| is_product(path) && path.starts_with("xtask/"),
        lines: |_, text| comments(text),
    },
    Group {
        name: "comments of JavaScript",
        has: |path| [".js", ".mjs", ".ts"].iter().any(|end| path.ends_with(end)),
        lines: |_, text| block_comments(text),
    },
    Group {
        name: "comments of CSS",
        has: |path| path.ends_with(".css"),
        lines: |_, text| block_comments(text),
    },
];

/// Counts the phrases in the tracked files.
pub(super) fn check(root: &Path, tracked: &[String]) -> Outcome<Vec<String>> {
    let rules = rules()?;
    let mut breaches = Vec::new();
    for group in GROUPS {
        let (mut lines, mut hits) = (0, Vec::new());
        for path in tracked.iter().filter(|path| (group.has)(path)) {
            let data = fs::read(root.join(path))?;
            for (number, line) in (group.lines)(path, &String::from_utf8_lossy(&data)) {
                lines += 1;
                for (rule, instead) in &rules {
                    for hit in rule.find_iter(&line) {
                        let hit = hit.as_str();
                        hits.push(format!("{path}:{number}: {hit:?}; write: {instead}"));
                    }
                }
            }
        }
        if hits.len() * 1000 > lines * LIMIT {
            let count = hits.len();
            let name = group.name;
            breaches.push(format!(
                "{name}: {count} phrases in {lines} lines, more than {LIMIT} per 1,000"
            ));
            breaches.extend(hits.into_iter().take(LISTED));
        }
    }
    Ok(breaches)
}

fn rules() -> Outcome<Vec<(Regex, &'static str)>> {
    let rule = |(phrase, instead): &(&str, &'static str)| {
        // All phrases are ASCII.
        let mut builder = RegexBuilder::new(phrase);
        let rule = builder.case_insensitive(true).unicode(false).build();
        Ok((rule?, *instead))
    };
    PHRASES.iter().map(rule).collect()
}

fn is_product(path: &str) -> bool {
    path.ends_with(".rs") && path.contains("/src/")
}

/// The comment lines of a source file.
fn comments(text: &str) -> Vec<(usize, String)> {
    let lines = (1..).zip(text.lines());
    let comments = lines.filter_map(|(number, line)| {
        let text = line.trim_start().strip_prefix("//")?;
        let text = text.trim_start_matches(['/', '!']).trim();
        (!text.is_empty()).then(|| (number, text.to_owned()))
    });
    comments.collect()
}

/// The lines of comments in JavaScript or CSS: after `//`, and between `/*` and `*/`.
fn block_comments(text: &str) -> Vec<(usize, String)> {
    let mut in_block = false;
    let mut comments = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        // An address contains `//`, too, but has no blank before it.
        let start = ["/*", " // "].iter().find_map(|sign| line.split_once(sign));
        let text = match (line.trim_start().strip_prefix("//"), start) {
            (Some(text), _) if !in_block => text,
            (_, Some((_, text))) if !in_block => {
                in_block = line.contains("/*");
                text
            }
            // The first and the last line of a block have code next to them.
            _ if in_block => line,
            _ => continue,
        };
        let (text, is_end) = match text.split_once("*/") {
            Some((text, _)) => (text, true),
            None => (text, false),
        };
        in_block &= !is_end;
        let text = text.trim().trim_start_matches('*').trim();
        if !text.is_empty() {
            comments.push((number, text.to_owned()));
        }
    }
    comments
}

/// String literals with at least three words, and the doc comments that clap prints as help.
fn printed(path: &str, text: &str) -> Vec<(usize, String)> {
    let mut texts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        if let Some(help) = line.strip_prefix("/// ") {
            if path.contains("/args") {
                texts.push((number, help.to_owned()));
            }
        } else if !line.starts_with("//") {
            let words = |literal: &&str| literal.matches(' ').count() > 1;
            let literals = literals(line).into_iter().filter(words);
            texts.extend(literals.map(|literal| (number, literal.to_owned())));
        }
    }
    texts
}

/// The string literals that begin and end on this line, without their quotes.
fn literals(line: &str) -> Vec<&str> {
    let (mut literals, mut start, mut escaped) = (Vec::new(), None, false);
    for (index, byte) in line.bytes().enumerate() {
        match (byte, start) {
            // An escaped quote does not end the literal.
            _ if escaped => escaped = false,
            (b'\\', _) => escaped = true,
            (b'"', None) => start = Some(index + 1),
            (b'"', Some(from)) => {
                literals.extend(line.get(from..index));
                start = None;
            }
            _ => {}
        }
    }
    literals
}

/// The lines of a Markdown file outside code blocks.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut in_code = false;
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| {
            let is_fence = line.starts_with("```");
            in_code ^= is_fence;
            !is_fence && !in_code && !line.trim().is_empty()
        })
        .map(|(number, line)| (number, line.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_and_common_words_do_not() {
        let rules = rules().unwrap();
        let hits = |text: &str| rules.iter().filter(|(rule, _)| rule.is_match(text)).count();
        for text in [
            "Whoever reads it",
            "bytes behind the header",
            "what the index says of a game",
            "Those of reading",
            "an offset whose game is gone",
            "no piece but the king",
            "which is to be written",
        ] {
            assert!(hits(text) > 0, "{text}");
        }
        for text in ["Returns the header of game `n`.", "Has the same bytes."] {
            assert_eq!(hits(text), 0, "{text}");
        }
    }

    #[test]
    fn only_prose_is_counted() {
        let source = "// why\nlet a = 1; //\n/// Help of it.\nlet b = \"one two three\";\n";
        assert_eq!(comments(source).len(), 2);
        assert_eq!(printed("crates/chessdb-cli/src/args.rs", source).len(), 2);
        assert_eq!(printed("crates/chessdb-cli/src/exit.rs", source).len(), 1);
        let script =
            "/** one\n * two */\nlet a = 'https://x'; // three\n// four\nlet b;\n/* five */ c\n";
        let numbers: Vec<usize> = block_comments(script).iter().map(|line| line.0).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 6]);
        assert_eq!(literals(r#"f("a \" b", "c")"#), [r#"a \" b"#, "c"]);
        assert_eq!(paragraphs("text\n\n```\ncode\n```\nmore\n").len(), 2);
    }
}
