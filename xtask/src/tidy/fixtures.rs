//! Checks of fixtures/MANIFEST.toml against the existing files.

use std::{collections::BTreeSet, path::Path};

use fs_err as fs;
use sha2::{Digest, Sha256};

use crate::cmd::hex;

/// Files that describe the fixtures.
const ABOUT: &[&str] = &["MANIFEST.toml", "README.md"];

/// Checks that every tracked file under fixtures/ is listed, and that every listed file exists with
/// its checksum.
pub(super) fn check(folder: &Path, tracked: &[String]) -> Vec<String> {
    let text = match fs::read_to_string(folder.join("MANIFEST.toml")) {
        Ok(text) => text,
        Err(fault) => return vec![format!("fixtures/MANIFEST.toml cannot be read: {fault}")],
    };
    let present: Vec<&str> = tracked
        .iter()
        .filter_map(|name| name.strip_prefix("fixtures/"))
        .filter(|name| !ABOUT.contains(name))
        .collect();
    compare(&text, &present, |name| fs::read(folder.join(name)).ok())
}

fn compare(text: &str, present: &[&str], read: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<String> {
    let manifest: toml::Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(fault) => return vec![format!("fixtures/MANIFEST.toml: {fault}")],
    };
    let mut breaches = Vec::new();
    let mut listed = BTreeSet::new();
    let blocks = manifest.get("file").and_then(toml::Value::as_array);
    for (number, block) in (1..).zip(blocks.into_iter().flatten()) {
        let place = format!("fixtures/MANIFEST.toml, file {number}");
        let text = |key| block.get(key).and_then(toml::Value::as_str);
        let (Some(path), Some(sum)) = (text("path"), text("sha256")) else {
            breaches.push(format!("{place}: a [[file]] needs path and sha256"));
            continue;
        };
        if !listed.insert(path) {
            breaches.push(format!("{place}: {path} is listed twice"));
        }
        if !present.contains(&path) {
            breaches.push(format!(
                "{place}: {path} is listed but is not in the repository"
            ));
            continue;
        }
        let actual = read(path).map(|data| hex(&Sha256::digest(data)));
        if actual.as_deref() != Some(sum) {
            let actual = actual.unwrap_or_else(|| "unreadable".to_owned());
            breaches.push(format!(
                "{place}: {path}: listed sha256 is {sum}, found {actual}"
            ));
        }
    }
    for path in present.iter().filter(|path| !listed.contains(*path)) {
        breaches.push(format!(
            "fixtures/{path}: not listed in fixtures/MANIFEST.toml"
        ));
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn run(text: &str, present: &[&str]) -> Vec<String> {
        compare(text, present, |_| Some(b"abc".to_vec()))
    }

    #[test]
    fn differences_are_reported_both_ways() {
        let entry =
            |path: &str, sum: &str| format!("[[file]]\npath = \"{path}\"\nsha256 = \"{sum}\"\n");
        let good = entry("pgn/a.pgn", ABC);
        assert_eq!(run(&good, &["pgn/a.pgn"]), Vec::<String>::new());
        for (text, present, part) in [
            (
                good.clone(),
                &["pgn/a.pgn", "pgn/b.pgn"][..],
                "pgn/b.pgn: not listed",
            ),
            (good.clone(), &[], "not in the repository"),
            (
                entry("pgn/a.pgn", &ABC.replace("ba78", "0000")),
                &["pgn/a.pgn"],
                "found ba7816bf",
            ),
            (good.clone() + &good, &["pgn/a.pgn"], "is listed twice"),
            (
                "[[file]]\npath = \"x\"\n".to_owned(),
                &[],
                "needs path and sha256",
            ),
            ("what".to_owned(), &[], "line 1"),
        ] {
            let breaches = run(&text, present);
            assert_eq!(breaches.len(), 1, "{breaches:?}");
            assert!(breaches[0].contains(part), "{breaches:?}");
        }
    }
}
