//! Golden files: readable descriptions, next to the fixtures, of how databases must be read.
//!
//! `CHESSDB_BLESS=1` (set by `cargo xtask bless`) rewrites them instead of comparing; the changes
//! are then reviewed like any other change of source text.

mod dump;

use std::env;
use std::fs;
use std::path::Path;

use chessdb_core::format::Score;
use chessdb_core::options::Allow;
use chessdb_core::{Format, ReadOptions};

pub use dump::{dump, dump_game};

use crate::{fixtures, identity, readings};

/// The environment variable that makes [`check`] rewrite the files.
pub const BLESS: &str = "CHESSDB_BLESS";

/// Compares a text with its golden file, or rewrites the file if `CHESSDB_BLESS` is `1`.
///
/// # Panics
///
/// Panics with the first difference if they differ, or if the file is missing.
pub fn check(path: impl AsRef<Path>, actual: &str) {
    let path = path.as_ref();
    if env::var(BLESS).is_ok_and(|value| value == "1") {
        write(path, actual);
        return;
    }
    if let Err(message) = compare(path, actual) {
        panic!("{message}\n(if the new text is right: CHESSDB_BLESS=1, or cargo xtask bless)");
    }
}

/// Checks the clean databases of this format in a folder of `fixtures/` and returns their number.
/// Each must match `NAME.txt` in the folder `golden`, be recognised, and have no findings; all ways
/// of reading it must agree, and its bytes must be reproduced from its structures and, if it can be
/// written, by a rewrite.
///
/// # Panics
///
/// Panics at the first database that fails.
pub fn check_bases(format: &Format, folder: &str, golden: &str) -> usize {
    let stems = fixtures::bases(fixtures::path(folder), format.roles[0]);
    stems.iter().for_each(|stem| {
        let set = fixtures::load_set(stem, format.roles);
        let name = stem.file_name().and_then(|name| name.to_str()).unwrap();
        let text = dump(identity::open(format, &set).as_ref());
        check(format!("{golden}/{name}.txt"), &text);
        assert_eq!((format.probe)(&set), Score::Certain, "{name}");
        let mut findings = Vec::new();
        chessdb_core::format::check(format, &set, &ReadOptions::default(), &mut |f| {
            findings.push(f)
        });
        assert!(findings.is_empty(), "{name}: {findings:?}");
        readings::check(format, &set, &ReadOptions::default());
        if let Some(raw) = format.raw {
            let difference = identity::first_difference(&raw(&set).unwrap(), &set);
            assert_eq!(difference, None, "{name}, from its structures");
        }
        if format.create.is_some() {
            let rewritten = identity::rewrite(format, &set, &Allow::Nothing).unwrap();
            let difference = identity::first_difference(&rewritten.set, &set);
            assert_eq!(difference, None, "{name}, rewritten");
        }
    });
    stems.len()
}

fn write(path: &Path, actual: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == actual) {
        return;
    }
    fs::write(path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("rewritten: {}", path.display());
}

fn compare(path: &Path, actual: &str) -> Result<(), String> {
    let golden =
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    match first_difference(&golden, actual) {
        Some(difference) => Err(format!("{}: {difference}", path.display())),
        None => Ok(()),
    }
}

/// Returns the first line in which two texts differ, with two lines before it.
fn first_difference(golden: &str, actual: &str) -> Option<String> {
    if golden == actual {
        return None;
    }
    let (old, new): (Vec<_>, Vec<_>) = (golden.split('\n').collect(), actual.split('\n').collect());
    // Texts that differ, differ in some line.
    let line = (0..).find(|&n| old.get(n) != new.get(n))?;
    let mut message = format!("differs in line {}\n", line + 1);
    for before in &old[line.saturating_sub(2)..line] {
        message.push_str(&format!("       {before}\n"));
    }
    let show = |line: Option<&&str>| line.map_or("end of text".to_owned(), |line| (*line).into());
    message.push_str(&format!(
        "golden {}\nnow    {}",
        show(old.get(line)),
        show(new.get(line))
    ));
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_with_its_line() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let message = first_difference("a\nb\nc\n", "a\nb\nd\n").unwrap();
        assert_eq!(
            message,
            "differs in line 3\n       a\n       b\ngolden c\nnow    d"
        );
        let shorter = first_difference("a\nb", "a").unwrap();
        assert!(
            shorter.ends_with("golden b\nnow    end of text"),
            "{shorter}"
        );
        assert!(first_difference("a\n", "a").is_some());
    }

    #[test]
    fn a_missing_file_is_a_difference() {
        let path = env::temp_dir().join(format!("chessdb-golden-{}", std::process::id()));
        assert!(compare(&path, "text").is_err());
        write(&path, "text");
        assert_eq!(compare(&path, "text"), Ok(()));
        assert!(compare(&path, "other").is_err());
        fs::remove_file(&path).unwrap();
    }
}
