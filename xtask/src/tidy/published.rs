//! Rules about the crates that are published: texts, versions, documentation, features.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::Package;
use fs_err as fs;

use crate::{Outcome, cmd};

/// With this attribute rustdoc shows the features that each item requires. It needs a nightly
/// compiler, which docs.rs has.
const DOC_CFG: &str = "#![cfg_attr(docsrs, feature(doc_cfg))]";

/// Returns the breaches of a published crate. `formats` are the features with the names of formats.
pub(super) fn check(package: &Package, formats: &[&str]) -> Vec<String> {
    let readme = read(package, "README.md");
    let changes = read(package, "CHANGELOG.md");
    let mut breaches = Vec::new();
    if readme.is_empty() {
        breaches.push("README.md is missing or empty".to_owned());
    }
    if !changes.starts_with(&format!("# Changes of {}\n\n", package.name)) {
        breaches.push(format!(
            "CHANGELOG.md must begin with \"# Changes of {}\"",
            package.name
        ));
    }
    // On Windows git writes the target of a link as text.
    let licence = fs::read_to_string(cmd::root().join("LICENSE")).unwrap_or_default();
    if cfg!(unix) && read(package, "LICENSE") != licence {
        breaches.push("LICENSE is missing or differs from that of the repository".to_owned());
    }
    breaches.extend(latest_section(&changes, &package.version.to_string()));
    breaches.extend(keys(package));
    if package.targets.iter().any(|target| target.is_lib()) {
        breaches.extend(documented(package));
    }
    breaches.extend(features(&package.features, &readme, formats));
    let name = &package.name;
    let named = breaches.into_iter();
    named.map(|breach| format!("{name}: {breach}")).collect()
}

/// Returns what prevents a release of the crate although `check` accepts it.
pub(crate) fn unreleasable(package: &Package) -> Vec<String> {
    let mut reasons = Vec::new();
    if is_empty(package.repository.as_ref()) {
        reasons.push("`repository` is empty in the top Cargo.toml".to_owned());
    }
    let (name, version) = (&package.name, &package.version);
    let changes = read(package, "CHANGELOG.md");
    if !heading(&changes).is_some_and(|line| line.starts_with(&format!("## {version} (20"))) {
        reasons.push(format!(
            "{name}: CHANGELOG.md must begin with the section \"## {version} (YYYY-MM-DD)\""
        ));
    }
    reasons
}

/// Returns the files of packages that are not crates and lack the address of the repository.
pub(crate) fn without_address() -> Outcome<Vec<String>> {
    let address = cmd::repository()?;
    let lacks = |file: &&str| {
        let text = fs::read_to_string(cmd::root().join(file)).unwrap_or_default();
        !text.contains(&address)
    };
    let files = ["js/package.json", "python/pyproject.toml"].into_iter();
    let files = files.filter(|file| !address.is_empty() && lacks(file));
    Ok(files
        .map(|file| format!("{file} lacks the address {address}"))
        .collect())
}

fn read(package: &Package, file: &str) -> String {
    fs::read_to_string(package.manifest_path.with_file_name(file)).unwrap_or_default()
}

fn is_empty(value: Option<&String>) -> bool {
    value.is_none_or(String::is_empty)
}

/// Returns the heading of the first section.
fn heading(changes: &str) -> Option<&str> {
    changes.lines().find(|line| line.starts_with("## "))
}

/// Compares the latest section of a change log with the version in Cargo.toml.
fn latest_section(changes: &str, version: &str) -> Option<String> {
    let heading = heading(changes).unwrap_or_default();
    let is_current = heading == "## Unreleased" || heading.starts_with(&format!("## {version} ("));
    (!is_current).then(|| {
        format!(
            "CHANGELOG.md begins with the section \"{heading}\"; \"## {version} (unreleased)\", \
             \"## {version} (YYYY-MM-DD)\" or \"## Unreleased\" is required"
        )
    })
}

/// Checks the keys of Cargo.toml. An empty `repository` prevents only a release.
fn keys(package: &Package) -> Vec<String> {
    let mut breaches = Vec::new();
    for (key, value) in [
        ("description", &package.description),
        ("license", &package.license),
    ] {
        if is_empty(value.as_ref()) {
            breaches.push(format!("no {key} in Cargo.toml"));
        }
    }
    let manifest = fs::read_to_string(&package.manifest_path).unwrap_or_default();
    let has = |line: &str| manifest.lines().any(|present| present == line);
    if !has("repository.workspace = true") {
        breaches.push("no line `repository.workspace = true` in Cargo.toml".to_owned());
    }
    if has("version.workspace = true") {
        breaches.push("a published crate has a version of its own in Cargo.toml".to_owned());
    }
    breaches
}

/// Checks that docs.rs documents all of a library.
fn documented(package: &Package) -> Vec<String> {
    let mut breaches = Vec::new();
    let page = format!("https://docs.rs/{}", package.name);
    if package.documentation.as_ref() != Some(&page) {
        breaches.push(format!("no `documentation = \"{page}\"` in Cargo.toml"));
    }
    let all = package.metadata.pointer("/docs/rs/all-features");
    if all.and_then(|value| value.as_bool()) != Some(true) {
        breaches.push(
            "no `all-features = true` in [package.metadata.docs.rs] of Cargo.toml".to_owned(),
        );
    }
    if !read(package, "src/lib.rs").contains(DOC_CFG) {
        breaches.push(format!("no `{DOC_CFG}` in src/lib.rs"));
    }
    breaches
}

/// Compares the features in Cargo.toml with the table in the section "Features" of the README,
/// which has the columns feature, default ("yes" or empty) and effect. The features of formats need
/// no row.
fn features(
    features: &BTreeMap<String, Vec<String>>,
    readme: &str,
    formats: &[&str],
) -> Vec<String> {
    let default = enabled_by_default(features);
    let rows = table(readme);
    let mut breaches = Vec::new();
    for name in features.keys().filter(|name| *name != "default") {
        let expected = if default.contains(name.as_str()) { "yes" } else { "" };
        match rows.get(name.as_str()) {
            Some(row) if *row == expected => (),
            Some(_) => breaches.push(format!(
                "the table of features in README.md must state \"{expected}\" as default of `{name}`"
            )),
            // The table of formats describes these.
            None if formats.contains(&name.as_str()) => (),
            None => breaches.push(format!(
                "the table of features in README.md has no row `{name}`"
            )),
        }
    }
    let unknown = rows.keys().filter(|name| !features.contains_key(**name));
    breaches.extend(
        unknown.map(|name| format!("README.md describes `{name}`, which is not a feature")),
    );
    breaches
}

/// Returns the default features and all features that these enable.
fn enabled_by_default(features: &BTreeMap<String, Vec<String>>) -> BTreeSet<&str> {
    let mut enabled = BTreeSet::new();
    let mut open = vec!["default"];
    while let Some(name) = open.pop() {
        let Some(enables) = features.get(name) else {
            continue;
        };
        // Features may enable one another.
        if enabled.insert(name) {
            open.extend(enables.iter().map(String::as_str));
        }
    }
    enabled
}

/// Returns the first two cells of each row of the table of features.
fn table(readme: &str) -> BTreeMap<&str, &str> {
    let section = readme
        .split("\n## ")
        .find(|section| section.starts_with("Features\n"));
    let rows = section.unwrap_or_default().lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        Some((cells.next()?.strip_suffix('`')?, cells.next()?))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_log_has_the_crate_version() {
        for (heading, is_right) in [
            ("## 0.1.0 (unreleased)", true),
            ("## 0.1.0 (2030-01-31)", true),
            ("## Unreleased", true),
            ("## 0.2.0 (unreleased)", false),
            ("## 0.1.0", false),
            ("", false),
        ] {
            let changes = format!("# Changes of x\n\n{heading}\n\n## 0.1.0 (2029-01-31)\n");
            let changes = if heading.is_empty() { "" } else { &changes };
            assert_eq!(
                latest_section(changes, "0.1.0").is_none(),
                is_right,
                "{heading}"
            );
        }
    }

    #[test]
    fn the_table_lists_every_feature() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let declared = BTreeMap::from([
            ("default".to_owned(), list(&["all"])),
            ("all".to_owned(), list(&["a"])),
            ("a".to_owned(), list(&["dep:x"])),
            ("b".to_owned(), list(&["y/z"])),
            ("format".to_owned(), list(&["dep:z"])),
        ]);
        let features = |declared: &_, readme: &str| features(declared, readme, &["format"]);
        let readme =
            |rows: &str| format!("# x\n\n## Features\n\n| feature |\n|---|\n{rows}\n## y\n");
        let right = "| `all` | yes | A. |\n| `a` | yes | A. |\n| `b` | | B. |\n";
        assert_eq!(features(&declared, &readme(right)), Vec::<String>::new());
        for wrong in [
            right.replace("| `b` | | B. |\n", ""),
            right.replace("| `b` | |", "| `b` | yes |"),
            right.replace("| `a` | yes |", "| `a` | |"),
            format!("{right}| `c` | | C. |\n"),
            format!("{right}| `format` | yes | C. |\n"),
        ] {
            assert_eq!(features(&declared, &readme(&wrong)).len(), 1, "{wrong}");
        }
        assert_eq!(features(&declared, "# x\n").len(), 3);
        assert_eq!(features(&BTreeMap::new(), "# x\n"), Vec::<String>::new());
    }
}
