//! The commands `recipes` and `tag`: what a release needs besides its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regex::{Captures, Regex};

use crate::Outcome;
use crate::cmd::{self, root};

/// The package with the version of a release.
const PROGRAM: &str = "chessdb-cli";

/// The values in the recipes of `packaging`, each between two `@`: `version`, `repository`, `download`
/// (the folder of the release), and `sha256:FILE`.
struct Values {
    version: String,
    repository: String,
    /// The checksums of the files of the release by name.
    checksums: BTreeMap<String, String>,
}

/// Fills in the recipes of `packaging` for Homebrew, winget, Scoop, conda-forge, the AUR and nixpkgs, into
/// `target/recipes`. The argument is the list of checksums of a release, by default the one
/// in `target/dist`, which lacks the files for other systems.
pub(crate) fn recipes(args: &[String]) -> Outcome {
    let target = PathBuf::from(cmd::metadata()?.target_directory);
    let list = match args {
        [] => target.join("dist/SHA256SUMS"),
        [file] => PathBuf::from(file),
        _ => return Err("only the file with the checksums is known".to_owned()),
    };
    let list = fs::read_to_string(&list).map_err(|error| failed(&list, error))?;
    let values = Values::new(&cmd::version_of(PROGRAM)?, &cmd::repository()?, &list)?;
    let to = target.join("recipes");
    let _ = fs::remove_dir_all(&to);
    for template in templates(&root().join("packaging"))? {
        let text = fs::read_to_string(&template).map_err(|error| failed(&template, error))?;
        let filled = values
            .fill(&text)
            .map_err(|error| failed(&template, error))?;
        let name = template.file_name().unwrap_or_default();
        fs::create_dir_all(&to).map_err(|error| failed(&to, error))?;
        fs::write(to.join(name), filled).map_err(|error| failed(&to, error))?;
        println!("{}", to.join(name).display());
    }
    Ok(())
}

/// Compares the tag of a release with the versions of what it publishes.
pub(crate) fn tag(args: &[String]) -> Outcome {
    let [tag] = args else {
        return Err("name the tag".to_owned());
    };
    let version = cmd::version_of(PROGRAM)?;
    match tag.strip_prefix('v') {
        Some(tagged) if tagged == version => Ok(()),
        _ => Err(format!(
            "the tag is {tag}, and the version of {PROGRAM} {version}"
        )),
    }
}

/// Returns the files in a folder and the folders within it, in order.
fn templates(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let path = entry.map_err(|error| failed(folder, error))?.path();
        if path.is_dir() {
            files.extend(templates(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn failed(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

impl Values {
    /// Reads a list of checksums in the form of `sha256sum`.
    fn new(version: &str, repository: &str, list: &str) -> Result<Values, String> {
        if repository.is_empty() {
            return Err("`repository` is empty in the top Cargo.toml (RELEASING.md)".to_owned());
        }
        let lines = list.lines().map(|line| {
            let (digest, name) = line.split_once("  ").ok_or_else(|| line.to_owned())?;
            let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
            if is_digest {
                Ok((name.to_owned(), digest.to_owned()))
            } else {
                Err(line.to_owned())
            }
        });
        let checksums: Result<_, String> = lines.collect();
        Ok(Values {
            version: version.to_owned(),
            repository: repository.trim_end_matches('/').to_owned(),
            checksums: checksums.map_err(|line| format!("not a line of SHA256SUMS: {line}"))?,
        })
    }

    /// Returns the text with all values. A name that is not known, and a file without a checksum, are
    /// errors.
    fn fill(&self, text: &str) -> Result<String, String> {
        let simple = Regex::new("@(version|repository|download)@").map_err(|e| e.to_string())?;
        let text = simple.replace_all(text, |name: &Captures<'_>| match &name[1] {
            "version" => self.version.clone(),
            "repository" => self.repository.clone(),
            _ => format!("{}/releases/download/v{}", self.repository, self.version),
        });
        let checksum = Regex::new("@([^@\n]*)@").map_err(|error| error.to_string())?;
        let mut unknown = Vec::new();
        let filled = checksum.replace_all(&text, |name: &Captures<'_>| {
            let file = name[1].strip_prefix("sha256:");
            let digest = file.and_then(|file| self.checksums.get(file));
            digest.cloned().unwrap_or_else(|| {
                unknown.push(name[1].to_owned());
                String::new()
            })
        });
        let filled = filled.into_owned();
        if unknown.is_empty() {
            return Ok(filled);
        }
        Err(format!("no value for {}", unknown.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPOSITORY: &str = "https://example.org/chessdb";

    /// The files of a release that recipes name, each with another checksum.
    fn release() -> Vec<(String, String)> {
        let targets = [
            "x86_64-unknown-linux-musl.tar.xz",
            "aarch64-unknown-linux-musl.tar.xz",
            "x86_64-apple-darwin.tar.xz",
            "aarch64-apple-darwin.tar.xz",
            "x86_64-pc-windows-msvc.zip",
        ];
        let mut names: Vec<String> = targets
            .iter()
            .map(|end| format!("chessdb-1.2.3-{end}"))
            .collect();
        names.push("chessdb-1.2.3.tar.gz".to_owned());
        let numbered = names.into_iter().zip(10..);
        numbered
            .map(|(name, number)| (name, format!("{number:064x}")))
            .collect()
    }

    fn values(files: &[(String, String)]) -> Values {
        let lines = files
            .iter()
            .map(|(name, digest)| format!("{digest}  {name}\n"));
        Values::new("1.2.3", REPOSITORY, &lines.collect::<String>()).unwrap()
    }

    #[test]
    fn every_recipe_gets_its_version_and_checksums() {
        let files = release();
        let values = values(&files);
        let mut all = String::new();
        // A version that was left in a template would be wrong in the next release.
        let version = Regex::new(r"[^0-9.]0[.][0-9]+[.][0-9]").unwrap();
        for template in templates(&root().join("packaging")).unwrap() {
            let text = fs::read_to_string(&template).unwrap();
            let filled = values.fill(&text).unwrap();
            let name = template.display();
            if !template.ends_with("Containerfile") {
                assert!(filled.contains("1.2.3"), "{name}");
            }
            assert!(!version.is_match(&text), "{name}");
            all += &filled;
        }
        for (name, digest) in files {
            assert!(all.contains(&digest), "{name}");
        }
        for line in all
            .lines()
            .filter(|line| line.contains("/releases/download/"))
        {
            assert!(line.contains(REPOSITORY), "{line}");
        }
    }

    #[test]
    fn missing_values_are_errors() {
        let mut files = release();
        files.remove(0);
        let text = fs::read_to_string(root().join("packaging/chessdb.rb")).unwrap();
        let error = values(&files).fill(&text).unwrap_err();
        assert!(error.contains("x86_64-unknown-linux-musl"), "{error}");
        assert!(values(&files).fill("@verison@").is_err());
        assert!(Values::new("1.2.3", "", "").is_err());
        assert!(Values::new("1.2.3", REPOSITORY, "12  x").is_err());
    }

    /// `cargo binstall` finds the archives by the metadata of the crate.
    #[test]
    fn binstall_finds_the_archives() {
        let text = fs::read_to_string(root().join("crates/chessdb-cli/Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&text).unwrap();
        let binstall = &manifest["package"]["metadata"]["binstall"];
        let suffix = |format: &str| match format {
            "txz" => ".tar.xz",
            "zip" => ".zip",
            other => panic!("{other}"),
        };
        let files = values(&release()).checksums;
        for target in [
            "x86_64-unknown-linux-musl",
            "aarch64-apple-darwin",
            "x86_64-pc-windows-msvc",
        ] {
            let special = binstall["overrides"]
                .get(target)
                .and_then(|own| own.get("pkg-fmt"));
            let format = special.unwrap_or(&binstall["pkg-fmt"]).as_str().unwrap();
            let address = binstall["pkg-url"].as_str().unwrap();
            let address = address
                .replace("{ repo }", REPOSITORY)
                .replace("{ version }", "1.2.3")
                .replace("{ target }", target)
                .replace("{ archive-suffix }", suffix(format));
            let name = address.strip_prefix(&format!("{REPOSITORY}/releases/download/v1.2.3/"));
            assert!(files.contains_key(name.unwrap()), "{address}");
        }
    }

    #[test]
    fn a_tag_must_have_the_version() {
        let version = cmd::version_of(PROGRAM).unwrap();
        assert_eq!(tag(&[format!("v{version}")]), Ok(()));
        for wrong in [
            version.clone(),
            format!("v{version}.1"),
            "v99.0.0".to_owned(),
        ] {
            assert!(tag(&[wrong]).is_err());
        }
    }
}
