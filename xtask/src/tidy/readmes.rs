//! Rules about the programs in READMEs, which `cargo xtask readmes` compiles.

use std::collections::BTreeMap;

use anyhow::anyhow;
use cargo_metadata::{Metadata, semver::Version};
use toml::Value;

use super::layers;
use crate::{Outcome, readmes};

/// Returns the breaches: a README with a program lists the one dependency that it needs, with its
/// version, and its programs are whole, since GitHub also shows lines that rustdoc hides.
pub(super) fn check(metadata: &Metadata) -> Vec<String> {
    let mut breaches = Vec::new();
    for readme in readmes::all(metadata) {
        let name = readme.library.name.as_str();
        let programs = readme.programs();
        if programs.is_empty() && !layers::is_format(name) {
            continue;
        }
        let listed = dependencies(&readme.manifests(), name, &readme.library.version);
        let breach = listed.err().map(|breach| breach.to_string());
        let hidden = |line: &str| line == "#" || line.starts_with("# ");
        let is_part = |program: &&String| {
            !program.contains("fn main()") || program.lines().any(|line| hidden(line.trim_start()))
        };
        let parts = programs.iter().filter(is_part).map(|program| {
            let first = program.lines().next().unwrap_or_default();
            format!("the program that begins with `{first}` has no `fn main()`, or hidden lines")
        });
        let none = programs.is_empty().then(|| "no program in Rust".to_owned());
        let breaches_here = breach.into_iter().chain(parts).chain(none);
        breaches.extend(breaches_here.map(|breach| format!("{}: {breach}", readme.path)));
    }
    breaches
}

/// Checks that a README has one part of Cargo.toml, with this library as the only dependency, in
/// this version.
fn dependencies(manifests: &[String], name: &str, version: &Version) -> Outcome {
    let version = format!("{}.{}", version.major, version.minor);
    let expected = || anyhow!("`[dependencies]` with `{name} = \"{version}\"` alone is required");
    let [manifest] = manifests else {
        return Err(expected());
    };
    let manifest: BTreeMap<String, BTreeMap<String, Value>> = toml::from_str(manifest)?;
    let listed: Vec<_> = manifest.get("dependencies").into_iter().flatten().collect();
    let listed_version = match listed[..] {
        [(on, value)] if on == name => value.get("version").unwrap_or(value).as_str(),
        _ => None,
    };
    if listed_version == Some(&version) { Ok(()) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readme_lists_the_dependency_version() {
        let version = Version::new(0, 1, 7);
        for (manifest, is_right) in [
            ("[dependencies]\nx = \"0.1\"\n", true),
            (
                "[dependencies]\nx = { version = \"0.1\", features = [\"a\"] }\n",
                true,
            ),
            ("[dependencies]\nx = \"0.2\"\n", false),
            ("[dependencies]\nx = { path = \"x\" }\n", false),
            ("[dependencies]\nx = \"0.1\"\ny = \"1\"\n", false),
            ("[dependencies]\ny = \"0.1\"\n", false),
            ("x = \"0.1\"\n", false),
            ("[dependencies\n", false),
        ] {
            let manifests = [manifest.to_owned()];
            let result = dependencies(&manifests, "x", &version);
            assert_eq!(result.is_ok(), is_right, "{manifest}");
        }
        assert!(dependencies(&[], "x", &version).is_err());
    }
}
