//! The commands `recipes` and `tag`: what a release needs besides its files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use fs_err as fs;
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
        _ => bail!("only the file with the checksums is known"),
    };
    let list = fs::read_to_string(&list)?;
    let values = Values::new(&cmd::version_of(PROGRAM)?, &cmd::repository()?, &list)?;
    let to = target.join("recipes");
    let _ = fs::remove_dir_all(&to);
    for template in cmd::files_in(&root().join("packaging"))? {
        let text = fs::read_to_string(&template)?;
        let filled = values.fill(&text)?;
        let name = template.file_name().unwrap_or_default();
        cmd::write(&to.join(name), filled)?;
        println!("{}", to.join(name).display());
    }
    Ok(())
}

/// Compares the tag of a release with the versions of what it publishes.
pub(crate) fn tag(args: &[String]) -> Outcome {
    let [tag] = args else {
        bail!("name the tag");
    };
    let version = cmd::version_of(PROGRAM)?;
    match tag.strip_prefix('v') {
        Some(tagged) if tagged == version => Ok(()),
        _ => Err(anyhow!(
            "the tag is {tag}, and the version of {PROGRAM} {version}"
        )),
    }
}

impl Values {
    /// Reads a list of checksums in the form of `sha256sum`.
    fn new(version: &str, repository: &str, list: &str) -> Outcome<Values> {
        if repository.is_empty() {
            bail!("`repository` is empty in the top Cargo.toml (RELEASING.md)");
        }
        let lines = list.lines().map(|line| {
            let is_digest =
                |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let digest_and_name = line.split_once("  ");
            let digest_and_name = digest_and_name.filter(|(digest, _)| is_digest(digest));
            let (digest, name) =
                digest_and_name.with_context(|| format!("not a line of SHA256SUMS: {line}"))?;
            Ok((name.to_owned(), digest.to_owned()))
        });
        Ok(Values {
            version: version.to_owned(),
            repository: repository.trim_end_matches('/').to_owned(),
            checksums: lines.collect::<Outcome<_>>()?,
        })
    }

    /// Returns the text with all values. A name that is not known, and a file without a checksum, are
    /// errors.
    fn fill(&self, text: &str) -> Outcome<String> {
        let simple = Regex::new("@(version|repository|download)@")?;
        let text = simple.replace_all(text, |name: &Captures<'_>| match &name[1] {
            "version" => self.version.clone(),
            "repository" => self.repository.clone(),
            _ => format!("{}/releases/download/v{}", self.repository, self.version),
        });
        let checksum = Regex::new("@([^@\n]*)@")?;
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
        Err(anyhow!("no value for {}", unknown.join(", ")))
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
        for template in cmd::files_in(&root().join("packaging")).unwrap() {
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
        assert!(
            error.to_string().contains("x86_64-unknown-linux-musl"),
            "{error}"
        );
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
        tag(&[format!("v{version}")]).unwrap();
        for wrong in [
            version.clone(),
            format!("v{version}.1"),
            "v99.0.0".to_owned(),
        ] {
            assert!(tag(&[wrong]).is_err());
        }
    }
}
