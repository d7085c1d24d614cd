//! The command `tidy`: rules about the repository that the compiler does not check.

use std::path::Path;

use anyhow::anyhow;

use crate::{
    Outcome, ci,
    cmd::{self, root},
};

pub(crate) mod fixtures;
pub(crate) mod layers;
mod loops;
mod pages;
pub(crate) mod published;
mod readmes;
mod seeds;
mod sources;
mod words;

/// Runs all rules, prints every breach, and fails if there is one.
pub(crate) fn tidy(_: &[String]) -> Outcome {
    let root = root();
    let metadata = cmd::metadata()?;
    let tracked = tracked(&root)?;
    let mut breaches = layers::check(&metadata.packages);
    let formats: Vec<&str> = layers::formats(&metadata.packages).collect();
    let published = ci::published(&metadata);
    breaches.extend(published.flat_map(|package| published::check(package, &formats)));
    breaches.extend(readmes::check(&metadata));
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
    Err(anyhow!(
        "{} breaches of the rules, listed above",
        breaches.len()
    ))
}

/// Returns the files that git tracks or would add, relative to the top folder, with `/`.
fn tracked(root: &Path) -> Outcome<Vec<String>> {
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
