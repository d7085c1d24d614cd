//! What `cargo metadata` says about the packages of the workspace.

use std::path::PathBuf;

use serde_json::Value;

use crate::cmd::{self, cargo};

/// The part of cargo's answer that the commands use.
#[derive(Debug)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) target: PathBuf,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder of its Cargo.toml.
    pub(crate) folder: PathBuf,
    pub(crate) published: bool,
    pub(crate) description: Option<String>,
    pub(crate) license: Option<String>,
    pub(crate) features: Vec<Feature>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone)]
pub(crate) struct Feature {
    pub(crate) name: String,
    /// What it turns on, in cargo's words.
    pub(crate) enables: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// A dev-dependency; build dependencies count as ordinary ones.
    pub(crate) dev: bool,
}

impl Metadata {
    /// Asks cargo.
    pub(crate) fn of_workspace() -> Result<Metadata, String> {
        let line = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
        let text = cmd::output(&mut cargo(line))?;
        let text = String::from_utf8(text).map_err(|e| format!("cargo metadata: {e}"))?;
        Metadata::parse(&text)
    }

    /// Reads cargo's answer.
    pub(crate) fn parse(text: &str) -> Result<Metadata, String> {
        let json: Value = serde_json::from_str(text).map_err(|e| format!("cargo metadata: {e}"))?;
        let target = json.get("target_directory").and_then(Value::as_str);
        let target = target.unwrap_or("target").into();
        let packages = items(json.get("packages")).map(package);
        let packages = packages.collect::<Result<_, _>>()?;
        Ok(Metadata { packages, target })
    }

    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// This package and those of the workspace that it needs, not counting its tests.
    pub(crate) fn with_dependencies<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut names = vec![name];
        let mut next = 0;
        while let Some(package) = names.get(next).map(|name| self.package(name)) {
            let needed = package
                .into_iter()
                .flat_map(|package| &package.dependencies);
            for dependency in needed.filter(|dependency| !dependency.dev) {
                if let Some(package) = self.package(&dependency.name)
                    && !names.contains(&package.name.as_str())
                {
                    names.push(&package.name);
                }
            }
            next += 1;
        }
        names
    }
}

/// The elements of an array; none where there is no array.
pub(crate) fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn package(json: &Value) -> Result<Package, String> {
    let text = |name: &str| json.get(name)?.as_str().map(str::to_owned);
    let need = |name| text(name).ok_or_else(|| format!("cargo metadata: package without {name}"));
    let mut folder = PathBuf::from(need("manifest_path")?);
    folder.pop();
    let features = json
        .get("features")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let dependency = |json: &Value| {
        Some(Dependency {
            name: json.get("name")?.as_str()?.to_owned(),
            dev: json.get("kind").and_then(Value::as_str) == Some("dev"),
        })
    };
    Ok(Package {
        name: need("name")?,
        folder,
        // `publish = false` is an empty list of registries; no list means every registry.
        published: json["publish"]
            .as_array()
            .is_none_or(|list| !list.is_empty()),
        description: text("description"),
        license: text("license"),
        features: features.map(feature).collect(),
        dependencies: items(json.get("dependencies"))
            .filter_map(dependency)
            .collect(),
    })
}

fn feature((name, enables): (&String, &Value)) -> Feature {
    let words = items(Some(enables)).filter_map(Value::as_str);
    Feature {
        name: name.clone(),
        enables: words.map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_cargo_s_answer() {
        let text = r#"{"packages": [
            {"name": "a", "manifest_path": "top/a/Cargo.toml", "publish": [], "features": {},
             "dependencies": []},
            {"name": "b", "manifest_path": "top/b/Cargo.toml", "publish": null, "license": "L",
             "features": {"default": ["x"], "x": []}, "dependencies": [
                {"name": "a", "kind": "dev"}, {"name": "nom", "kind": null}]}
            ], "target_directory": "top/target"}"#;
        let metadata = Metadata::parse(text).unwrap();
        assert_eq!(metadata.target, PathBuf::from("top/target"));
        assert!(!metadata.package("a").unwrap().published);
        let b = metadata.package("b").unwrap();
        assert!(b.published);
        assert_eq!(b.folder, PathBuf::from("top/b"));
        let features: Vec<&str> = b.features.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(features, ["default", "x"]);
        assert_eq!(b.features[0].enables, ["x"]);
        assert_eq!(b.license.as_deref(), Some("L"));
        assert_eq!(b.description, None);
        assert!(b.dependencies[0].dev && !b.dependencies[1].dev);
        assert_eq!(metadata.with_dependencies("b"), ["b"]);
        assert!(Metadata::parse(r#"{"packages": [{}]}"#).is_err());
    }
}
