//! The command `readmes`: the programs in the READMEs, compiled as a reader would.

use std::path::Path;

use cargo_metadata::{Metadata, Package, Target};
use fs_err as fs;

use crate::{
    Outcome,
    cmd::{self, cargo, root},
};

/// Compiles the programs of every README in a separate workspace, each with only the
/// dependencies that its README lists. The crates are patched in as if they had been published. It
/// needs no network: the versions come from the repository's Cargo.lock.
pub(crate) fn readmes(_: &[String]) -> Outcome {
    let metadata = cmd::metadata()?;
    let folder = metadata.target_directory.join("readmes");
    let folder = folder.as_std_path();
    // Absent at the first run.
    let _ = fs::remove_dir_all(folder);
    let mut count = 0;
    for readme in all(&metadata).filter(|readme| !readme.programs().is_empty()) {
        count += readme.programs().len();
        write_package(&folder.join(&readme.name), &readme)?;
    }
    let libraries = metadata
        .packages
        .iter()
        .filter(|package| is_library(package));
    let patches = libraries.map(|package| {
        let path = package.manifest_path.with_file_name("");
        format!("{} = {{ path = '{path}' }}\n", package.name)
    });
    let patches: String = patches.collect();
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n{patches}\n{}",
        dev_profile(&fs::read_to_string(root().join("Cargo.toml"))?)
    );
    cmd::write(&folder.join("Cargo.toml"), &manifest)?;
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    cmd::write(&folder.join("Cargo.lock"), &lock)?;
    // Quiet: the lock file lists more packages than are needed here.
    let mut check = cargo("check --quiet --offline --workspace --bins");
    check.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    check.arg("--target-dir").arg(&metadata.target_directory);
    cmd::run(&mut check)?;
    println!("{count} programs of the READMEs compile");
    Ok(())
}

/// A README and the library that its programs use.
pub(crate) struct Readme<'m> {
    /// The name of the package in which the programs are compiled.
    name: String,
    /// The path, for messages.
    pub(crate) path: String,
    pub(crate) library: &'m Package,
    text: String,
}

/// Returns the READMEs of all libraries, and of the repository.
pub(crate) fn all(metadata: &Metadata) -> impl Iterator<Item = Readme<'_>> {
    metadata
        .packages
        .iter()
        .filter(|package| is_library(package))
        .flat_map(|library| {
            let own = library.manifest_path.with_file_name("README.md");
            let mut paths = vec![(own.into_std_path_buf(), format!("readme-{}", library.name))];
            if library.name == "chessdb" {
                paths.push((root().join("README.md"), "readme".to_owned()));
            }
            paths.into_iter().map(move |(path, name)| Readme {
                name,
                text: fs::read_to_string(&path).unwrap_or_default(),
                path: path
                    .strip_prefix(root())
                    .unwrap_or(&path)
                    .display()
                    .to_string(),
                library,
            })
        })
}

impl Readme<'_> {
    /// Returns the programs in Rust.
    pub(crate) fn programs(&self) -> Vec<String> {
        blocks(&self.text, "rust")
    }

    /// Returns the parts of Cargo.toml.
    pub(crate) fn manifests(&self) -> Vec<String> {
        blocks(&self.text, "toml")
    }
}

fn is_library(package: &Package) -> bool {
    package.targets.iter().any(Target::is_lib)
}

/// Returns the code blocks in a language, with any text after its name.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<Option<String>> = None;
    for line in text.lines() {
        let fence = line.strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(info)) => {
                let is_wanted = info.split(',').next() == Some(language);
                open = Some(is_wanted.then(String::new));
            }
            (Some(block), Some(_)) => {
                blocks.extend(block.take());
                open = None;
            }
            (Some(Some(block)), None) => *block += &format!("{line}\n"),
            (_, None) => (),
        }
    }
    blocks
}

/// Writes a package with the programs of a README and the dependencies that it lists.
fn write_package(folder: &Path, readme: &Readme<'_>) -> Outcome {
    let manifest = format!(
        "[package]\nname = \"{}\"\nedition = \"2024\"\n\n{}",
        readme.name,
        readme.manifests().concat()
    );
    cmd::write(&folder.join("Cargo.toml"), &manifest)?;
    for (n, program) in (1..).zip(readme.programs()) {
        let name = format!("{}-{n}.rs", readme.name);
        cmd::write(&folder.join("src/bin").join(name), &program)?;
    }
    Ok(())
}

/// Returns the sections about the profile `dev`, so that compiled dependencies can be shared.
fn dev_profile(manifest: &str) -> String {
    manifest
        .split("\n[")
        .filter(|section| section.starts_with("profile.dev"))
        .map(|section| format!("[{section}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_blocks_are_selected_by_language() {
        let text = "a\n```toml\nx = 1\n```\n```rust,no_run\nfn main() {}\n```\n```\nrust\n```\n";
        assert_eq!(blocks(text, "toml"), ["x = 1\n"]);
        assert_eq!(blocks(text, "rust"), ["fn main() {}\n"]);
        assert!(blocks("```rust\nnever closed\n", "rust").is_empty());
    }

    #[test]
    fn profile_section_is_extracted() {
        let manifest = "[workspace]\n\n[profile.dev]\na = 1\n[profile.dev.package]\nb = 2\n[profile.web]\nc = 3\n";
        assert_eq!(
            dev_profile(manifest),
            "[profile.dev]\na = 1\n[profile.dev.package]\nb = 2\n"
        );
    }
}
