//! Rules about the text of tracked files.

use std::path::Path;

use fs_err as fs;

use crate::Outcome;

/// The maximum number of lines of a source file. Longer files need a line with a reason.
const MAX_LINES: usize = 500;

/// Paths and hosts of the machine a change was made on, each in two halves, so that this file does
/// not contain what it looks for.
const FOREIGN: &[(&str, &str)] = &[
    ("/wo", "rk/"),
    ("/fa", "rm/"),
    ("/ro", "ot/"),
    ("/tmp", "/h/"),
    (".inter", "nal/"),
    (".inter", "nal:"),
    (".lo", "cal:"),
    ("index", "-url"),
    ("arti", "factory"),
];

/// The only registry that Cargo.lock may name.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Returns all breaches in the tracked files.
pub(super) fn check(root: &Path, tracked: &[String]) -> Outcome<Vec<String>> {
    let mut breaches = Vec::new();
    for name in tracked {
        let data = fs::read(root.join(name))?;
        // Binary fixtures and texts in old code pages contain no source text of the project.
        let Ok(text) = String::from_utf8(data) else {
            continue;
        };
        breaches.extend(check_text(name, &text));
        let main = |folder: &str| fs::read_to_string(root.join(folder).join("tests/all/main.rs"));
        breaches.extend(never_run(name, |folder| main(folder).unwrap_or_default()));
    }
    Ok(breaches)
}

/// Returns a breach if the crate's test program does not contain the module of this file, so that
/// its tests never run.
fn never_run(name: &str, main: impl Fn(&str) -> String) -> Option<String> {
    let (folder, file) = name.split_once("/tests/all/")?;
    let module = file.strip_suffix(".rs")?.trim_end_matches("/mod");
    let is_named = || main(folder).contains(&format!("mod {module};"));
    (module != "main" && !module.contains('/') && !is_named())
        .then(|| format!("{name}: its tests never run because main.rs does not contain the module"))
}

fn check_text(name: &str, text: &str) -> Vec<String> {
    let mut breaches = foreign(name, text);
    if name.ends_with("Cargo.lock") {
        breaches.extend(lock(name, text));
    }
    if name.ends_with(".rs") {
        breaches.extend(long(name, text));
    }
    breaches
}

fn foreign(name: &str, text: &str) -> Vec<String> {
    let words: Vec<String> = FOREIGN.iter().map(|(a, b)| format!("{a}{b}")).collect();
    let mut breaches = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in &words {
            if line
                .match_indices(word.as_str())
                .any(|(offset, _)| starts_a_word(line, offset, word))
            {
                let number = number + 1;
                breaches.push(format!("{name}:{number}: `{word}` belongs to one machine"));
            }
        }
    }
    breaches
}

/// Returns whether the match is the start of a path: `frame/work/` does not count.
fn starts_a_word(line: &str, offset: usize, word: &str) -> bool {
    let before = line.get(..offset).and_then(|text| text.chars().next_back());
    !word.starts_with('/') || before.is_none_or(|c| !c.is_alphanumeric() && !"./-_~".contains(c))
}

fn lock(name: &str, text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .filter(|source| source.trim_matches('"') != REGISTRY)
        .map(|source| format!("{name}: source {source} is not the public registry"))
        .collect()
}

fn long(name: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    let excused = text
        .lines()
        .any(|line| line.trim_start().starts_with("// tidy: long because "));
    (lines > MAX_LINES && !excused).then(|| {
        format!(
            "{name}: {lines} lines (limit {MAX_LINES}); split it, or add `// tidy: long because …`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found() {
        let path = format!("see {}{}wt", "/wo", "rk/");
        assert_eq!(check_text("docs/a.md", &path).len(), 1);
        assert_eq!(check_text("docs/a.md", "a frame/work/ of rules").len(), 0);
        assert_eq!(
            check_text(".ci/run", &format!("https://x{}{}y", ".inter", "nal/")).len(),
            1
        );
    }

    #[test]
    fn other_registries_are_found() {
        let good = format!("name = \"a\"\nsource = \"{REGISTRY}\"\n");
        assert_eq!(check_text("Cargo.lock", &good).len(), 0);
        assert_eq!(
            check_text("Cargo.lock", "source = \"registry+https://example.org/\"\n").len(),
            1
        );
    }

    #[test]
    fn tests_that_never_run_are_found() {
        let main = |_: &str| "mod a;\nmod b;\n".to_owned();
        let is_unused =
            |file: &str| never_run(&format!("crates/x/tests/all/{file}"), main).is_some();
        assert!(is_unused("c.rs") && is_unused("c/mod.rs"));
        assert!(
            ["a.rs", "b/mod.rs", "b/c.rs", "main.rs", "a.txt"]
                .iter()
                .all(|file| !is_unused(file))
        );
    }

    #[test]
    fn long_files_need_a_reason() {
        let body = "fn a() {}\n".repeat(501);
        assert_eq!(check_text("crates/x/src/a.rs", &body).len(), 1);
        let excused = format!("// tidy: long because it is a table\n{body}");
        assert_eq!(check_text("crates/x/src/a.rs", &excused).len(), 0);
        assert_eq!(check_text("docs/a.md", &body).len(), 0);
    }
}
