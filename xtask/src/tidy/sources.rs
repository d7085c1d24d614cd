//! Rules about the text of tracked files.

use std::{fs, path::Path};

/// Longer source files need a line that says why.
const MAX_LINES: usize = 500;

/// Macros that print or give up; the second list is for every crate.
const PRINTS: &[&str] = &["println!", "eprintln!", "print!", "eprint!"];
const STUBS: &[&str] = &["dbg!", "todo!", "unimplemented!"];

/// Paths and hosts of the machine a change was made on, in two halves each, so that this file
/// does not contain what it looks for.
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

/// All breaches in the tracked files.
pub(super) fn check(root: &Path, tracked: &[String]) -> Result<Vec<String>, String> {
    let mut breaches = Vec::new();
    for name in tracked {
        let data = fs::read(root.join(name)).map_err(|e| format!("{name}: {e}"))?;
        // Binary fixtures and texts in old code pages hold no source text of ours.
        let Ok(text) = String::from_utf8(data) else {
            continue;
        };
        breaches.extend(check_text(name, &text));
    }
    Ok(breaches)
}

fn check_text(name: &str, text: &str) -> Vec<String> {
    let mut breaches = foreign(name, text);
    if name.ends_with("Cargo.lock") {
        breaches.extend(lock(name, text));
    }
    if name.ends_with(".rs") {
        breaches.extend(long(name, text));
        breaches.extend(macros(name, text));
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
                .any(|(at, _)| starts_a_word(line, at, word))
            {
                let number = number + 1;
                breaches.push(format!("{name}:{number}: `{word}` belongs to one machine"));
            }
        }
    }
    breaches
}

/// A path must begin where it is found: `frame/work/` is none of ours.
fn starts_a_word(line: &str, at: usize, word: &str) -> bool {
    let before = line.get(..at).and_then(|text| text.chars().next_back());
    !word.starts_with('/') || before.is_none_or(|c| !c.is_alphanumeric() && !"./-_~".contains(c))
}

fn lock(name: &str, text: &str) -> Vec<String> {
    let sources = text
        .lines()
        .filter_map(|line| line.strip_prefix("source = "));
    sources
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
        format!("{name}: {lines} lines; split it, or say `// tidy: long because …` ({MAX_LINES})")
    })
}

/// Library code never prints: it returns what it has to say. Programs and tests may; stubs and
/// debugging aids are for nobody.
fn macros(name: &str, text: &str) -> Vec<String> {
    // This file names the macros in order to find them.
    if name == "xtask/src/tidy/sources.rs" {
        return Vec::new();
    }
    let library = name.starts_with("crates/")
        && name.contains("/src/")
        && ![
            "crates/chessdb-cli/",
            "crates/chessdb-proof/",
            "crates/chessdb-testkit/",
        ]
        .iter()
        .any(|p| name.starts_with(p));
    let mut in_tests = false;
    let mut breaches = Vec::new();
    for (number, line) in text.lines().enumerate() {
        // Tests stand last in a file, so this holds to its end.
        in_tests |= line.trim() == "#[cfg(test)]";
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        let prints = PRINTS.iter().filter(|_| library && !in_tests);
        for found in prints.chain(STUBS).filter(|word| calls(code, word)) {
            breaches.push(format!("{name}:{}: `{found}`", number + 1));
        }
    }
    breaches
}

/// Whether the macro is called in the line: not as the tail of a longer name.
fn calls(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
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
    fn long_files_need_a_reason() {
        let body = "fn a() {}\n".repeat(501);
        assert_eq!(check_text("crates/x/src/a.rs", &body).len(), 1);
        let excused = format!("// tidy: long because it is a table\n{body}");
        assert_eq!(check_text("crates/x/src/a.rs", &excused).len(), 0);
        assert_eq!(check_text("docs/a.md", &body).len(), 0);
    }

    #[test]
    fn stray_macros() {
        let print = "fn a() {\n    println!(\"x\");\n}\n";
        for (name, text, count) in [
            ("crates/chessdb-scid/src/a.rs", print, 1),
            ("crates/chessdb-cli/src/a.rs", print, 0),
            ("crates/chessdb-scid/tests/a.rs", print, 0),
            ("crates/chessdb-scid/src/a.rs", "/// println!(\"x\");\n", 0),
            (
                "crates/chessdb-scid/src/a.rs",
                "#[cfg(test)]\nmod t { println!() }\n",
                0,
            ),
            ("crates/chessdb-scid/src/a.rs", "my_println!()\n", 0),
            ("crates/chessdb-cli/src/a.rs", "todo!()\n", 1),
            (
                "crates/chessdb-scid/src/a.rs",
                "#[cfg(test)]\nmod t { dbg!(1) }\n",
                1,
            ),
        ] {
            assert_eq!(check_text(name, text).len(), count, "{name}: {text}");
        }
    }
}
