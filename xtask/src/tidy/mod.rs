//! `tidy`: rules about the repository that the compiler does not check.

use std::{fs, path::Path};

use crate::{
    Outcome,
    cmd::{self, root},
    metadata::Metadata,
};

mod fixtures;
mod layers;
mod sources;

/// Runs all rules, prints every breach, fails if there is one.
pub(crate) fn tidy(_: &[String]) -> Outcome {
    let root = root();
    let metadata = Metadata::of_workspace()?;
    let tracked = tracked(&root)?;
    let mut breaches = layers::check(&metadata.packages);
    breaches.extend(packaging(&metadata));
    breaches.extend(fixtures::check(&root.join("fixtures"), &tracked));
    breaches.extend(sources::check(&root, &tracked)?);
    for breach in &breaches {
        println!("{breach}");
    }
    let (crates, files) = (metadata.packages.len(), tracked.len());
    if breaches.is_empty() {
        println!("tidy: {crates} crates, {files} files, nothing to complain about");
        Ok(())
    } else {
        Err(format!(
            "{} breaches of the rules, listed above",
            breaches.len()
        ))
    }
}

/// The files that git tracks or would add, relative to the top folder, with `/`.
fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let mut git = std::process::Command::new("git");
    git.current_dir(root).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let list = cmd::output(&mut git)?;
    let mut files: Vec<String> = list
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        // A tracked file may be deleted but not yet committed as such.
        .filter(|name| root.join(name).is_file())
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// What every crate needs that goes to a registry.
fn packaging(metadata: &Metadata) -> Vec<String> {
    let mut breaches = Vec::new();
    for package in metadata.packages.iter().filter(|package| package.published) {
        let name = &package.name;
        for file in ["README.md", "CHANGELOG.md"] {
            if fs::metadata(package.folder.join(file)).map_or(0, |meta| meta.len()) == 0 {
                breaches.push(format!("{name}: {file} is missing or empty"));
            }
        }
        for (key, value) in [
            ("description", &package.description),
            ("license", &package.license),
        ] {
            if value.as_ref().is_none_or(String::is_empty) {
                breaches.push(format!("{name}: no {key} in Cargo.toml"));
            }
        }
    }
    breaches
}
