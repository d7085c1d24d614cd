//! The licence texts of all libraries in the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cargo_metadata::MetadataCommand;

use crate::cmd::{self, cargo, root};

/// The beginnings of names of files with licences.
const NAMES: [&str; 5] = ["licen", "copying", "copyright", "notice", "unlicense"];

/// Returns the texts, each preceded by the libraries that it applies to.
pub(crate) fn texts() -> Result<String, String> {
    let mut command = MetadataCommand::new();
    command.current_dir(root());
    let metadata = command.exec().map_err(|error| error.to_string())?;
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    let mut missing = Vec::new();
    for (name, version, licence) in libraries()? {
        let label = format!("{name} {version}");
        list += &format!("{label}: {licence}\n");
        let is_it = |package: &&cargo_metadata::Package| {
            package.name.as_str() == name && package.version.to_string() == version
        };
        let package = metadata.packages.iter().find(is_it);
        let folder = package.and_then(|package| package.manifest_path.parent());
        let texts = folder.map_or_else(Vec::new, |folder| files(folder.as_std_path(), 2));
        if texts.is_empty() {
            missing.push(label.clone());
        }
        for text in texts {
            by_text.entry(text).or_default().push(label.clone());
        }
    }
    for name in &missing {
        println!("{name}: the package has no text of its licence");
    }
    let mut all = format!(
        "The program chessdb contains these libraries. After the list, each text is preceded by the\n\
         libraries that it applies to. SQLite, which rusqlite contains, is in the public domain.\n\n{list}"
    );
    for (text, mut names) in by_text {
        names.sort();
        names.dedup();
        let line = "=".repeat(80);
        all += &format!(
            "\n{line}\n{}\n{line}\n\n{}\n",
            names.join(", "),
            text.trim_end()
        );
    }
    Ok(all)
}

/// Returns the libraries that the program contains: name, version, licence.
fn libraries() -> Result<Vec<(String, String, String)>, String> {
    let mut tree = cargo(
        "tree --locked -p chessdb-cli --edges normal,no-proc-macro --prefix none --no-dedupe",
    );
    tree.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    let lines = cmd::output(tree.args(["--format", "{p}|{l}"]))?;
    let library = |line: &str| {
        let (name, licence) = line.split_once('|')?;
        let (name, version) = name.split_once(" v")?;
        // The crates of this project have a path.
        let is_own = version.contains(" (");
        let licence = licence.replace('/', " OR ");
        (!is_own).then(|| (name.to_owned(), version.to_owned(), licence))
    };
    let mut all: Vec<_> = lines.lines().filter_map(library).collect();
    all.sort();
    all.dedup();
    Ok(all)
}

/// Returns the texts of the files with licences in a folder and, up to a depth, in those within it.
fn files(folder: &Path, depth: usize) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_lowercase();
        if path.is_dir() && depth > 1 {
            texts.extend(files(&path, depth - 1));
        } else if NAMES.iter().any(|start| name.starts_with(start)) && !name.ends_with(".rs") {
            texts.extend(fs::read_to_string(&path));
        }
    }
    texts
}
