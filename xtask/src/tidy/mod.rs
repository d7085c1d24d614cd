//! The command `tidy`: rules about the repository that the compiler does not check.

use std::{fs, path::Path};

use cargo_metadata::Package;

use crate::{
    Outcome, ci,
    cmd::{self, root},
};

mod fixtures;
pub(crate) mod layers;
mod loops;
mod pages;
mod seeds;
mod sources;
mod words;

/// Runs all rules, prints every breach, and fails if there is one.
pub(crate) fn tidy(_: &[String]) -> Outcome {
    let root = root();
    let metadata = cmd::metadata()?;
    let tracked = tracked(&root)?;
    let mut breaches = layers::check(&metadata.packages);
    let published = metadata
        .packages
        .iter()
        .filter(|package| ci::is_published(package));
    breaches.extend(published.flat_map(packaging));
    breaches.extend(fixtures::check(&root.join("fixtures"), &tracked));
    breaches.extend(seeds::check(&root));
    breaches.extend(sources::check(&root, &tracked)?);
    breaches.extend(words::check(&root, &tracked)?);
    breaches.extend(pages::check(&root, &tracked)?);
    breaches.extend(loops::check(&root, &tracked)?);
    for breach in &breaches {
        println!("{breach}");
    }
    let (crates, files) = (metadata.packages.len(), tracked.len());
    if breaches.is_empty() {
        println!("tidy: {crates} crates, {files} files, no breaches");
        return Ok(());
    }
    Err(format!(
        "{} breaches of the rules, listed above",
        breaches.len()
    ))
}

/// Returns the files that git tracks or would add, relative to the top folder, with `/`.
fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let mut git = std::process::Command::new("git");
    git.current_dir(root);
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--deduplicate",
    ]);
    let list = cmd::output(&mut git)?;
    let names = list.split('\0').map(str::to_owned);
    // A tracked file may be deleted but not yet committed as deleted.
    let mut files: Vec<String> = names.filter(|name| root.join(name).is_file()).collect();
    files.sort();
    Ok(files)
}

/// Checks what a published crate needs.
fn packaging(package: &Package) -> Vec<String> {
    let mut breaches = Vec::new();
    let name = &package.name;
    let folder = package.manifest_path.with_file_name("");
    for file in ["README.md", "CHANGELOG.md"] {
        if fs::metadata(folder.join(file)).map_or(0, |meta| meta.len()) == 0 {
            breaches.push(format!("{name}: {file} is missing or empty"));
        }
    }
    let first = fs::read_to_string(folder.join("CHANGELOG.md")).unwrap_or_default();
    if !first.starts_with(&format!("# Changes of {name}\n\n## ")) {
        breaches.push(format!(
            "{name}: CHANGELOG.md must begin with \"# Changes of {name}\" and a section"
        ));
    }
    for (key, value) in [
        ("description", &package.description),
        ("license", &package.license),
    ] {
        if value.as_ref().is_none_or(String::is_empty) {
            breaches.push(format!("{name}: no {key} in Cargo.toml"));
        }
    }
    breaches
}
