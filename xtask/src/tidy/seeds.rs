//! Checks of docs/seeds.md: each statement has a status, and tests that exist.

use std::{collections::BTreeMap, path::Path};

use fs_err as fs;

/// The path of the page.
const PAGE: &str = "docs/seeds.md";
/// The minimum number of statements of the five documents.
const FEWEST: usize = 150;

/// Compares the page with the sources.
pub(super) fn check(root: &Path) -> Vec<String> {
    let mut sources: BTreeMap<String, Option<String>> = BTreeMap::new();
    let text = match fs::read_to_string(root.join(PAGE)) {
        Ok(text) => text,
        Err(fault) => return vec![format!("{PAGE} cannot be read: {fault}")],
    };
    let (rows, mut breaches) = compare(&text, &mut |path, name| {
        let source = sources
            .entry(path.to_owned())
            .or_insert_with(|| fs::read_to_string(root.join(path)).ok());
        source
            .as_deref()
            .is_some_and(|source| has_test(source, name))
    });
    if rows < FEWEST {
        breaches.push(format!(
            "{PAGE}: {rows} statements, but the documents have at least {FEWEST}"
        ));
    }
    breaches
}

/// Returns the number of rows, and the breaches.
fn compare(text: &str, exists: &mut dyn FnMut(&str, &str) -> bool) -> (usize, Vec<String>) {
    let mut breaches = Vec::new();
    let mut rows = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(cells) = line
            .strip_prefix("| ")
            .and_then(|line| line.strip_suffix(" |"))
        else {
            continue;
        };
        let cells: Vec<&str> = cells.split(" | ").map(str::trim).collect();
        let [statement, status, tests] = cells[..] else {
            breaches.push(format!("{PAGE}:{number}: a row has three cells"));
            continue;
        };
        if statement == "statement" {
            continue;
        }
        rows += 1;
        let starts = ["implemented", "deviates because ", "unknown: "];
        if !starts.iter().any(|start| status.starts_with(start)) {
            breaches.push(format!("{PAGE}:{number}: no status: {status:?}"));
        }
        if status.contains("missing") {
            breaches.push(format!("{PAGE}:{number}: a statement is missing"));
        }
        let mut named = 0;
        for test in tests.split('`').skip(1).step_by(2) {
            named += 1;
            match test.split_once("::") {
                Some((path, name)) if exists(path, name) => {}
                _ => breaches.push(format!("{PAGE}:{number}: no such test: {test}")),
            }
        }
        if named == 0 && !status.starts_with("unknown: ") {
            breaches.push(format!("{PAGE}:{number}: no test"));
        }
    }
    (rows, breaches)
}

/// Returns whether the source contains a test of this name: the attribute `#[test]`, optional
/// further attributes, and the function.
fn has_test(source: &str, name: &str) -> bool {
    let mut is_test = false;
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[test]") {
            is_test = true;
        } else if let Some(rest) = line.strip_prefix("fn ") {
            if is_test
                && rest
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('('))
            {
                return true;
            }
            is_test = false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(row: &str) -> Vec<String> {
        let exists = &mut |path: &str, name: &str| path == "a/b.rs" && name == "c";
        compare(
            &format!("| statement | status | test |\n|---|---|---|\n{row}\n"),
            exists,
        )
        .1
    }

    #[test]
    fn rows_need_a_status_and_tests_that_exist() {
        for right in [
            "| x | implemented | `a/b.rs::c` |",
            "| x | implemented; y | `a/b.rs::c`, `a/b.rs::c` |",
            "| x | deviates because y | `a/b.rs::c` |",
            "| x | unknown: y | – |",
        ] {
            assert_eq!(breaches(right), [""; 0], "{right}");
        }
        for wrong in [
            "| x | implemented, partly missing | `a/b.rs::c` |",
            "| x | to do | `a/b.rs::c` |",
            "| x | implemented | – |",
            "| x | implemented | `a/b.rs::d` |",
            "| x | implemented | `a/b.rs::c`, `b.rs::c` |",
            "| x | unknown: y | `a/b.rs::d` |",
            "| x | implemented |",
        ] {
            assert_eq!(breaches(wrong).len(), 1, "{wrong}");
        }
    }

    #[test]
    fn tests_are_functions_with_the_attribute() {
        let source =
            "#[test]\nfn a() {}\n\nfn b() {}\n\n    #[test]\n    #[cfg(x)]\n    fn c() {}\n";
        let are_tests = ["a", "b", "c", "d"].map(|name| has_test(source, name));
        assert_eq!(are_tests, [true, false, true, false]);
    }
}
