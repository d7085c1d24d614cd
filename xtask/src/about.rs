//! The data of the page's dialog About: version, address of the source, and the libraries in it with
//! their licences.

use anyhow::Context as _;
use fs_err as fs;
use serde_json::{Value, json};

use crate::Outcome;
use crate::cmd::{self, cargo, root};

/// Returns `{"version":…,"repository":…,"libraries":[[name, licence]…]}`.
pub(crate) fn about() -> Outcome<String> {
    let metadata = cmd::metadata()?;
    let mut packages = metadata.packages.iter();
    let package = packages
        .find(|package| package.name.as_str() == "chessdb-web")
        .context("there is no package chessdb-web")?;
    let mut libraries = module_libraries()?;
    libraries.extend(script_libraries()?);
    libraries.sort_by_key(|(name, _)| name.to_lowercase());
    // A crate is listed once for each crate that needs it.
    libraries.dedup();
    let about = json!({
        "version": package.version.to_string(),
        "repository": package.repository.as_deref().unwrap_or_default(),
        "libraries": libraries,
    });
    Ok(about.to_string())
}

/// Returns the crates in the compiled modules, each with its version, and their licences.
fn module_libraries() -> Outcome<Vec<(String, String)>> {
    // Without `--no-dedupe` the licence of a crate that occurs again would end in ` (*)`.
    let mut tree = cargo(
        "tree --locked -p chessdb-web --target wasm32-unknown-unknown --edges normal,no-proc-macro \
         --features full --prefix none --no-dedupe",
    );
    // Exclude features that only tests request, as for the modules.
    tree.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    let lines = cmd::output(tree.args(["--format", "{p}|{l}"]))?;
    let library = |line: &str| {
        let (name, licence) = line.split_once('|')?;
        // The crates of this project have a path.
        let is_own = name.contains(" (");
        (!is_own).then(|| (name.replacen(" v", " ", 1), licence.replace('/', " OR ")))
    };
    Ok(lines.lines().filter_map(library).collect())
}

/// Returns the npm packages in the script and their licences.
pub(crate) fn script_libraries() -> Outcome<Vec<(String, String)>> {
    let read = |name: &str| -> Outcome<Value> {
        let text = fs::read_to_string(root().join("web").join(name))?;
        Ok(serde_json::from_str(&text)?)
    };
    let package = read("package.json")?;
    let names = package.get("dependencies").and_then(Value::as_object);
    let names = names.into_iter().flatten();
    let library = |(name, _): (&String, _)| {
        let package = read(&format!("node_modules/{name}/package.json"))?;
        let text = |key: &str| {
            let value = package.get(key).and_then(Value::as_str);
            value.with_context(|| format!("{name} has no {key}"))
        };
        let (version, licence) = (text("version")?, text("license")?);
        Ok((format!("{name} {version}"), licence.to_owned()))
    };
    names.map(library).collect()
}
