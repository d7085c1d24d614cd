//! Checks that links of the site to itself lead to a file and to a place in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use anyhow::anyhow;
use fs_err as fs;
use regex::Regex;

use crate::{Outcome, cmd};

/// The number of broken links that are listed.
const LISTED: usize = 40;

/// Finds links and names of places.
const ATTRIBUTE: &str = r#"[ \t\n](href|src|id|name)="?([^" \t\n>]*)"#;

/// A script with its text, which may contain what looks like a link.
const SCRIPT: &str = "(?s)<script([^>]*)>.*?</script>";

/// The lists of foreign types that implement a trait. rustdoc loads one for each trait, but does not
/// write the empty ones.
const IMPLEMENTORS: &str = "/trait.impl/";

/// A page of HTML: its links, and the names of the places in it.
struct Page {
    links: Vec<String>,
    places: BTreeSet<String>,
}

/// Checks all pages in a folder.
pub(super) fn check(folder: &Path) -> Outcome {
    let mut pages = BTreeMap::new();
    let mut files = BTreeSet::new();
    let pattern = Regex::new(ATTRIBUTE)?;
    let script = Regex::new(SCRIPT)?;
    for path in cmd::files_in(folder)? {
        if path.extension().is_some_and(|suffix| suffix == "html") {
            let bytes = fs::read(&path)?;
            let text = String::from_utf8_lossy(&bytes);
            let page = parsed(&pattern, &script.replace_all(&text, "<script$1>"));
            pages.insert(path.clone(), page);
        }
        files.insert(path);
    }
    let broken = broken(&pages, &files);
    let checked: usize = pages.values().map(|page| page.links.len()).sum();
    println!(
        "{} pages, {checked} links, {} broken",
        pages.len(),
        broken.len()
    );
    for (page, link) in broken.iter().take(LISTED) {
        let page = page.strip_prefix(folder).unwrap_or(page);
        println!("{}: {link} leads nowhere", page.display());
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(anyhow!("the site has broken links"))
    }
}

fn parsed(pattern: &Regex, text: &str) -> Page {
    let (mut links, mut places) = (Vec::new(), BTreeSet::new());
    for groups in pattern.captures_iter(text) {
        let [kind, value] = groups.extract().1;
        match kind {
            // A string in the source of a program: `href=\"`.
            _ if value == "\\" => {}
            "href" | "src" => links.push(unescaped(value)),
            _ => drop(places.insert(unescaped(value))),
        }
    }
    Page { links, places }
}

/// Decodes the entities that tools write in attributes.
fn unescaped(text: &str) -> String {
    [
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    .replace("&amp;", "&")
}

/// Returns the pages with their links that lead nowhere.
fn broken<'a>(
    pages: &'a BTreeMap<PathBuf, Page>,
    files: &BTreeSet<PathBuf>,
) -> Vec<(&'a Path, &'a str)> {
    let is_fine = |page: &Path, link: &str| {
        let (path, place) = link.split_once('#').unwrap_or((link, ""));
        let path = path.split('?').next().unwrap_or_default();
        if path.contains(':') || path.starts_with("//") || path.contains(IMPLEMENTORS) {
            return true;
        }
        let file = match path {
            "" => page.to_owned(),
            _ => resolved(page, &decoded(path)),
        };
        let file = if files.contains(&file) { file } else { file.join("index.html") };
        let has_place = |page: &Page| {
            // The lines of a source are places that a script makes.
            let is_line = place.starts_with(|first: char| first.is_ascii_digit());
            // Browsers look for the name as written first: rustdoc writes names with `%3C`.
            let is_there = |name: &str| page.places.contains(name);
            place.is_empty() || is_line || is_there(place) || is_there(&decoded(place))
        };
        files.contains(&file) && pages.get(&file).is_none_or(has_place)
    };
    let of_page = |(path, page): (&'a PathBuf, &'a Page)| {
        page.links
            .iter()
            .map(String::as_str)
            .filter(|link| !is_fine(path, link))
            .map(|link| (path.as_path(), link))
    };
    pages.iter().flat_map(of_page).collect()
}

/// Resolves a relative path from a page.
fn resolved(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(page).to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// Decodes `%xx` in a link.
fn decoded(link: &str) -> String {
    let mut parts = link.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part
            .get(..2)
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(part.bytes().skip(2));
            }
            None => bytes.extend([b"%", part.as_bytes()].concat()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_found() {
        let pattern = Regex::new(ATTRIBUTE).unwrap();
        let count_broken = |link: &str| {
            let text = format!("<a href=\"{link}\">x</a><p id=\"a&#x27;b\"><p id=\"of%3CT%3E\">");
            let other = parsed(&pattern, "<p id=place>");
            let page = PathBuf::from("site/a/page.html");
            let pages = BTreeMap::from([
                (page, parsed(&pattern, &text)),
                (PathBuf::from("site/b/index.html"), other),
            ]);
            let files = pages.keys().cloned().chain(["site/x y.png".into()]);
            broken(&pages, &files.collect()).len()
        };
        for good in [
            "page.html",
            "#a%27b",
            "#of%3CT%3E",
            "../b",
            "../b/index.html?q=1#place",
            "../x%20y.png",
            "https://example.org/nothing",
        ] {
            assert_eq!(count_broken(good), 0, "{good}");
        }
        for bad in ["other.html", "#b", "../b/#b", "../c", "../x.png"] {
            assert_eq!(count_broken(bad), 1, "{bad}");
        }
    }
}
