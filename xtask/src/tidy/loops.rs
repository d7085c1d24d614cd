//! Modules of a crate that import one another in a loop.
//!
//! A module is a child of the crate's root with all that is below it. A loop of two or three is
//! common where a type and its parts know each other; a longer one means that no module of it can
//! be understood alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fs_err as fs;

use crate::Outcome;

/// The most modules in one loop.
const LONGEST: usize = 3;

/// For each module, the modules it imports from.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Looks at every crate below crates/.
pub(super) fn check(root: &Path, tracked: &[String]) -> Outcome<Vec<String>> {
    let mut crates: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for path in tracked {
        let Some((folder, file)) = path.split_once("/src/") else {
            continue;
        };
        if folder.starts_with("crates/") && file.ends_with(".rs") && !is_test(file) {
            let text = fs::read_to_string(root.join(path))?;
            crates.entry(folder).or_default().push((file, text));
        }
    }
    let mut breaches = Vec::new();
    for (folder, files) in crates {
        for modules in loops(&imports(&files)) {
            if modules.len() > LONGEST {
                let (count, names) = (modules.len(), modules.join(", "));
                breaches.push(format!(
                    "{folder}: {count} modules import one another: {names}"
                ));
            }
        }
    }
    Ok(breaches)
}

fn is_test(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("/tests/")
}

/// Reads the imports of a crate from its files, given by their paths below src/.
fn imports(files: &[(&str, String)]) -> Imports {
    let texts: Vec<_> = files
        .iter()
        .map(|(file, text)| (*file, code(text)))
        .collect();
    let is_root = |file: &str| ["lib.rs", "main.rs"].contains(&file);
    // The root declares all modules, so its own imports would make every loop.
    let root = texts.iter().find(|(file, _)| is_root(file));
    let root = root.map_or("", |(_, text)| text);
    let modules: BTreeSet<&str> = root
        .split("mod ")
        .skip(1)
        .filter_map(|rest| rest.split_once(';').map(|(name, _)| name))
        .collect();
    // Items that the root re-exports, with their modules.
    let mut exported = BTreeMap::new();
    for path in uses(root) {
        if let [first, .., last] = path.as_slice()
            && modules.contains(first.as_str())
        {
            exported.insert(last.clone(), first.clone());
        }
    }
    let mut imports = Imports::new();
    for (file, text) in texts.iter().filter(|(file, _)| !is_root(file)) {
        let segments: Vec<&str> = file
            .trim_end_matches(".rs")
            .trim_end_matches("/mod")
            .split('/')
            .collect();
        // Files of a module belong to the first folder below `src`.
        let Some(module) = segments.first().filter(|module| modules.contains(*module)) else {
            continue;
        };
        let targets = imports.entry((*module).to_owned()).or_default();
        for path in uses(text).into_iter().chain(inline_paths(text)) {
            let Some(target) = target(&segments, &path) else {
                continue;
            };
            // An item of the root belongs to the module that it comes from.
            let target = exported.get(&target).cloned().unwrap_or(target);
            if modules.contains(target.as_str()) && target != *module {
                targets.insert(target);
            }
        }
    }
    imports
}

/// The first name below the root of the crate that a path leads to.
fn target(segments: &[&str], path: &[String]) -> Option<String> {
    let up = path.iter().take_while(|name| *name == "super").count();
    match path.first().map(String::as_str) {
        Some("crate") => path.get(1).cloned(),
        // As many `super` as the file has segments lead to the root.
        Some("super") => match segments.len().checked_sub(up)? {
            0 => path.get(up).cloned(),
            _ => segments.first().map(|name| (*name).to_owned()),
        },
        _ => None,
    }
}

/// The paths of all `use` declarations, with braces written out.
fn uses(text: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (offset, _) in text.match_indices("use ") {
        let before = text.get(..offset).unwrap_or_default();
        // The end of a longer word.
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = text.get(offset + 4..).unwrap_or_default();
        if let Some((tree, _)) = rest.split_once(';') {
            expand(tree, &mut paths);
        }
    }
    paths
}

/// Writes out the braces of one declaration with an explicit stack of prefixes.
fn expand(tree: &str, paths: &mut Vec<Vec<String>>) {
    let mut stack: Vec<Vec<String>> = Vec::new();
    let mut prefix: Vec<String> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut word = String::new();
    let end_of_word = |word: &mut String, path: &mut Vec<String>| {
        // Without what follows `as`.
        let name = word.split_whitespace().next().unwrap_or_default();
        if !name.is_empty() {
            path.push(name.to_owned());
        }
        word.clear();
    };
    for c in tree.chars() {
        match c {
            ':' => end_of_word(&mut word, &mut path),
            '{' => {
                stack.push(prefix.clone());
                prefix.append(&mut path);
            }
            ',' | '}' => {
                end_of_word(&mut word, &mut path);
                if !path.is_empty() {
                    paths.push([prefix.clone(), std::mem::take(&mut path)].concat());
                }
                if c == '}' {
                    prefix = stack.pop().unwrap_or_default();
                }
            }
            c => word.push(c),
        }
    }
    end_of_word(&mut word, &mut path);
    if !path.is_empty() {
        paths.push([prefix, path].concat());
    }
}

/// Paths in the code itself that begin with `crate` or `super`.
fn inline_paths(text: &str) -> Vec<Vec<String>> {
    let starts = ["crate::", "super::"];
    starts
        .iter()
        .flat_map(|start| text.match_indices(start))
        .map(|(offset, _)| {
            let rest = text.get(offset..).unwrap_or_default();
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let names = path.split("::").filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        })
        .collect()
}

/// A source text without comments, strings and the tests at its end.
fn code(text: &str) -> String {
    let text = match text.find("#[cfg(test)]\nmod tests {") {
        Some(offset) => text.get(..offset).unwrap_or_default(),
        None => text,
    };
    let lines = text.lines().map(|line| match line.find("//") {
        Some(offset) => line.get(..offset).unwrap_or_default(),
        None => line,
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The groups of modules that reach one another, each with at least two.
fn loops(imports: &Imports) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = imports
        .keys()
        .map(|module| (module, reachable(imports, module)))
        .collect();
    let reaches = |from: &String, to: &String| reach.get(from).is_some_and(|all| all.contains(to));
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    // Modules in one loop reach the same others, so that the set joins them.
    for module in imports.keys().filter(|module| reaches(module, module)) {
        let both = |other: &&String| reaches(module, other) && reaches(other, module);
        groups.insert(imports.keys().filter(both).cloned().collect());
    }
    groups.into_iter().collect()
}

/// All modules that can be reached by imports.
fn reachable<'i>(imports: &'i Imports, from: &String) -> BTreeSet<&'i String> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&String> = imports.get(from).into_iter().flatten().collect();
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            open.extend(imports.get(next).into_iter().flatten());
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&'static str, &str)]) -> Vec<Vec<String>> {
        let files: Vec<_> = files
            .iter()
            .map(|(file, text)| (*file, (*text).to_owned()))
            .collect();
        loops(&imports(&files))
    }

    #[test]
    fn loops_are_found_through_every_kind_of_path() {
        let root = "mod a;\nmod b;\npub mod c;\nmod d;\npub use c::{Item, more::Other};";
        let files = [
            ("lib.rs", root),
            ("a.rs", "use crate::b::{self, Thing};"),
            ("b/mod.rs", "use std::fmt;\nfn f() { super::c::g() }"),
            ("b/part.rs", "use super::super::Other; use super::inner;"),
            ("c.rs", "use crate::{\n    a,\n    c::x,\n};"),
            ("d.rs", "use crate::Item; // use crate::a;"),
        ];
        assert_eq!(of(&files), [["a", "b", "c"]]);
    }

    #[test]
    fn tests_and_comments_are_ignored() {
        let files = [
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use crate::b::B;"),
            (
                "b.rs",
                "// crate::a::A\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}",
            ),
        ];
        assert!(of(&files).is_empty());
    }
}
