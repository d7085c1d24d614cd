//! Rules about Markdown files: links lead somewhere, every page of docs/ is in the book, and lines
//! are wrapped. `cargo xtask book` builds the book.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use fs_err as fs;
use regex::Regex;

use crate::Outcome;

/// The folder of the book, and its table of contents.
const BOOK: &str = "docs/";
const SUMMARY: &str = "docs/SUMMARY.md";

/// The longest line outside tables, code and generated pages, in characters.
const WIDTH: usize = 100;

/// Returns all breaches in the tracked files.
pub(super) fn check(root: &Path, tracked: &[String]) -> Outcome<Vec<String>> {
    let read = |name: &String| {
        let data = fs::read(root.join(name))?;
        Ok((name.clone(), String::from_utf8_lossy(&data).into_owned()))
    };
    let pages = tracked.iter().filter(|name| name.ends_with(".md"));
    let pages: BTreeMap<String, String> = pages.map(read).collect::<Outcome<_>>()?;
    let sources = tracked.iter().filter(|name| name.ends_with(".rs"));
    let sources: BTreeMap<String, String> = sources.map(read).collect::<Outcome<_>>()?;
    let exists = |path: &str| root.join(path).exists();
    let mut breaches = broken_links(&pages, &exists);
    breaches.extend(outside_the_summary(&pages));
    breaches.extend(long_lines(&pages));
    breaches.extend(stale_mentions(&pages, &sources, &exists)?);
    Ok(breaches)
}

/// A line of a page outside code blocks, with its number.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !is_fence && !in_code
    })
}

/// The targets of the links in a line, without code spans.
fn targets(line: &str) -> Vec<String> {
    // Every second part is code.
    let text: String = line.split('`').step_by(2).collect();
    let ends = text.split("](").skip(1);
    ends.filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

/// The anchors of a page, as mdBook and GitHub make them from its headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text) {
        let Some(title) = line.strip_prefix('#') else {
            continue;
        };
        // Of a link in a heading, only the text counts.
        let mut title = title.trim_start_matches('#').trim();
        let mut shown = String::new();
        while let Some((before, rest)) = title.split_once("](") {
            shown += before;
            title = rest.split_once(')').map_or("", |(_, after)| after);
        }
        shown += title;
        let letters = shown.chars().filter_map(|c| match c {
            _ if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => c.is_whitespace().then_some('-'),
        });
        let anchor = letters.collect::<String>().to_lowercase();
        // A heading that repeats gets a number, as on the pages of the book.
        let numbered = (1..).map(|n| format!("{anchor}-{n}"));
        let mut names = std::iter::once(anchor.clone()).chain(numbered);
        anchors.extend(names.find(|name| !anchors.contains(name)));
    }
    anchors
}

/// Resolves a relative path from a page, or returns `None` if it leaves the repository.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Links of the book must stay in it, because only docs/ is copied. mdBook makes `index.html` of
/// README.md, but leaves the links to it.
fn broken_links(pages: &BTreeMap<String, String>, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut breaches = Vec::new();
    for (page, text) in pages {
        for (number, target) in
            prose(text).flat_map(|(n, line)| targets(line).into_iter().map(move |t| (n, t)))
        {
            // An address of another site.
            if target.contains(':') {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = match path {
                "" => Some(page.clone()),
                _ => resolve(page, path),
            };
            let Some(file) = file.filter(|file| exists(file)) else {
                breaches.push(format!("{page}:{number}: {target} leads to no file"));
                continue;
            };
            // The book turns README.md into index.html, except in its table of contents.
            let is_renamed = file.ends_with("/README.md") && page != SUMMARY;
            if page.starts_with(BOOK) && (is_renamed || !file.starts_with(BOOK)) {
                breaches.push(format!(
                    "{page}:{number}: the book cannot link to {target}; name it without a link"
                ));
            }
            let has_anchor = |text: &String| anchors(text).contains(anchor);
            if !anchor.is_empty() && !pages.get(&file).is_some_and(has_anchor) {
                breaches.push(format!("{page}:{number}: {target} leads to no heading"));
            }
        }
    }
    breaches
}

/// Every page of docs/ must be in the table of contents once.
fn outside_the_summary(pages: &BTreeMap<String, String>) -> Vec<String> {
    let Some(summary) = pages.get(SUMMARY) else {
        return vec![format!("{SUMMARY} is missing")];
    };
    let listed: Vec<String> = prose(summary)
        .flat_map(|(_, line)| targets(line))
        .filter_map(|target| resolve(SUMMARY, &target))
        .collect();
    let book = pages.keys().filter(|page| page.starts_with(BOOK));
    book.filter(|page| *page != SUMMARY)
        .map(|page| {
            let count = listed.iter().filter(|listed| *listed == page).count();
            (page, count)
        })
        .filter(|(_, count)| *count != 1)
        .map(|(page, count)| format!("{SUMMARY}: lists {page} {count} times, not once"))
        .collect()
}

/// Lines of prose must be wrapped. A line may be longer if it is one word, such as a link, or an
/// entry of the table of contents.
fn long_lines(pages: &BTreeMap<String, String>) -> Vec<String> {
    let mut breaches = Vec::new();
    let is_wrapped = |page: &str, text: &str| {
        let is_generated = text
            .lines()
            .take(4)
            .any(|line| line.contains("xtask bless"));
        page != SUMMARY && !page.ends_with("CHANGELOG.md") && !is_generated
    };
    for (page, text) in pages.iter().filter(|(page, text)| is_wrapped(page, text)) {
        for (number, line) in prose(text) {
            let is_code = line.starts_with("    ");
            // Tables, headings and long addresses cannot be wrapped.
            let is_free = line.starts_with(['|', '#']) || !line.trim().contains(' ');
            let length = line.chars().count();
            if length > WIDTH && !is_free && !is_code {
                breaches.push(format!(
                    "{page}:{number}: {length} characters; wrap at {WIDTH}"
                ));
            }
        }
    }
    breaches
}

/// A page that a source file or another page names must exist.
fn stale_mentions(
    pages: &BTreeMap<String, String>,
    sources: &BTreeMap<String, String>,
    exists: &dyn Fn(&str) -> bool,
) -> Outcome<Vec<String>> {
    let name = Regex::new(r"(?-u:\b)docs/[A-Za-z0-9_/-]+\.md(?-u:\b)")?;
    let mut breaches = Vec::new();
    // The tests of these rules, and the template of a format, name pages that do not exist.
    let skipped = ["xtask/src/tidy/", "xtask/src/new_format.rs"];
    let is_read = |file: &&String| !skipped.iter().any(|start| file.starts_with(start));
    for (file, text) in pages
        .iter()
        .chain(sources)
        .filter(|(file, _)| is_read(file))
    {
        for (number, line) in (1..).zip(text.lines()) {
            for hit in name.find_iter(line).filter(|hit| !exists(hit.as_str())) {
                breaches.push(format!("{file}:{number}: {} does not exist", hit.as_str()));
            }
        }
    }
    Ok(breaches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    }

    #[test]
    fn broken_links_are_found() {
        let other = (
            "docs/b/c.md",
            "# A *b* `c_d`: [e](x)\n\n## A *b* `c_d`: e\n",
        );
        let count_broken = |text: &str| {
            let pages = pages(&[("docs/a.md", text), other, ("README.md", "")]);
            broken_links(&pages, &|path| pages.contains_key(path)).len()
        };
        for good in [
            "[x](b/c.md)",
            "[x](./b/../b/c.md#a-b-c_d-e-1) [x](b/c.md#a-b-c_d-e)",
            "[x](#y)\n# Y\n",
            "[x](https://example.org/)",
            "`[x](nothing.md)`",
            "```\n[x](nothing.md)\n```\n",
        ] {
            // The link in the heading of the other page leads nowhere.
            assert_eq!(count_broken(good), 1, "{good}");
        }
        for bad in [
            "[x](c.md)",
            "[`x`](c.md)",
            "[x](b/c.md#b)",
            "[x](#y)",
            "[x](../../../b.md)",
            "[x](../README.md)",
        ] {
            assert_eq!(count_broken(bad), 2, "{bad}");
        }
    }

    #[test]
    fn pages_outside_the_summary_are_found() {
        let outside = |summary: &str| {
            outside_the_summary(&pages(&[
                ("docs/a.md", ""),
                (SUMMARY, summary),
                ("b.md", ""),
            ]))
        };
        assert_eq!(outside("- [a](a.md)\n"), [""; 0]);
        assert_eq!(outside("").len(), 1);
        assert_eq!(outside("- [a](a.md)\n- [b](a.md)\n").len(), 1);
    }

    #[test]
    fn long_lines_are_found() {
        let count_long = |text: &str| long_lines(&pages(&[("docs/a.md", text)])).len();
        let long = "é ".repeat(51);
        assert_eq!(count_long(&long), 1);
        assert_eq!(count_long(&"é ".repeat(50)), 0);
        assert_eq!(count_long(&format!("| {long} |\n```\n{long}\n```\n")), 0);
        assert_eq!(count_long(&"x".repeat(101)), 0);
    }

    #[test]
    fn stale_mentions_are_found() {
        let count_stale = |text: &str| {
            let source = pages(&[("crates/a/src/a.rs", text)]);
            stale_mentions(&pages(&[]), &source, &|path| path == "docs/a.md")
                .unwrap()
                .len()
        };
        assert_eq!(count_stale("// docs/a.md, section 1\n// docs/<id>.md"), 0);
        assert_eq!(count_stale("// docs/b.md and docs/b/c-d.md"), 2);
    }
}
