//! The data of the page's dialog About: version, address of the source, and the libraries in it with
//! their licences.

use std::fs;

use regex::Regex;

use crate::cmd::{self, cargo, root};

/// Returns `{"version":…,"repository":…,"libraries":[[name, licence]…]}`.
pub(crate) fn about() -> Result<String, String> {
    let metadata = cmd::metadata()?;
    let mut packages = metadata.packages.iter();
    let package = packages
        .find(|package| package.name.as_str() == "chessdb-web")
        .ok_or("there is no package chessdb-web")?;
    let mut libraries = module_libraries()?;
    libraries.extend(script_libraries()?);
    libraries.sort_by_key(|(name, _)| name.to_lowercase());
    // A crate is listed once for each crate that needs it.
    libraries.dedup();
    let libraries: Vec<String> = libraries
        .iter()
        .map(|(name, licence)| format!("[{},{}]", string(name), string(licence)))
        .collect();
    Ok(format!(
        "{{\"version\":{},\"repository\":{},\"libraries\":[{}]}}",
        string(&package.version.to_string()),
        string(package.repository.as_deref().unwrap_or_default()),
        libraries.join(",")
    ))
}

/// Returns the crates in the compiled modules, each with its version, and their licences.
fn module_libraries() -> Result<Vec<(String, String)>, String> {
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
pub(crate) fn script_libraries() -> Result<Vec<(String, String)>, String> {
    let web = root().join("web");
    let read = |name: &str| {
        fs::read_to_string(web.join(name)).map_err(|error| format!("web/{name}: {error}"))
    };
    let find = |pattern: &str, text: &str| {
        let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
        let value = pattern.captures(text).and_then(|groups| groups.get(1));
        let value = value.ok_or_else(|| format!("no {pattern} in a package.json"))?;
        Ok::<String, String>(value.as_str().to_owned())
    };
    find(r#""dependencies": \{([^}]*)\}"#, &read("package.json")?)?
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.split('"').next())
        .map(|name| {
            let package = read(&format!("node_modules/{name}/package.json"))?;
            let version = find(r#""version": "([^"]*)""#, &package)?;
            let licence = find(r#""license": "([^"]*)""#, &package)?;
            Ok((format!("{name} {version}"), licence))
        })
        .collect()
}

/// Returns a JSON string. Names and licences contain no control characters.
fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn strings_are_quoted() {
        assert_eq!(string(r#"a "b" \c"#), r#""a \"b\" \\c""#);
    }
}
