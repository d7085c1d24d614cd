//! The dependency rules between crates (docs/architecture.md 1.1).

use cargo_metadata::{DependencyKind, Package};

/// A placeholder for the format crates: those that are features of the facade.
const FORMATS: &str = "*";

/// The crates of the project and their permitted dependencies. Any other crate is a format crate.
const LAYERS: &[(&str, &[&str])] = &[
    ("chessdb-core", &[]),
    (FORMATS, &["chessdb-core"]),
    // Tables contain the data as PGN has them.
    ("chessdb-arrow", &["chessdb-core", "chessdb-pgn"]),
    (
        "chessdb-parquet",
        &["chessdb-core", "chessdb-pgn", "chessdb-arrow"],
    ),
    // A page contains its games as PGN, and a bulletin the cross-table that statistics have.
    (
        "chessdb-html",
        &["chessdb-core", "chessdb-pgn", "chessdb-query"],
    ),
    // Its games become PGN, and some contain PGN.
    ("chessdb-text", &["chessdb-core", "chessdb-pgn"]),
    // A program keeps a book open together with its files.
    ("chessdb-owned", &["chessdb-core", "chessdb-book"]),
    ("chessdb-query", &["chessdb-core"]),
    (
        "chessdb-formats",
        &[
            "chessdb-core",
            "chessdb-arrow",
            "chessdb-html",
            "chessdb-parquet",
            "chessdb-text",
            FORMATS,
        ],
    ),
    // ChessBase archives belong to chessdb-cbh.
    (
        "chessdb-files",
        &[
            "chessdb-core",
            "chessdb-owned",
            "chessdb-formats",
            "chessdb-cbh",
        ],
    ),
    // A game is shown as PGN; positions are tables in Parquet files.
    (
        "chessdb-database",
        &[
            "chessdb-core",
            "chessdb-owned",
            "chessdb-formats",
            "chessdb-files",
            "chessdb-query",
            "chessdb-pgn",
            "chessdb-parquet",
        ],
    ),
    (
        "chessdb-convert",
        &[
            "chessdb-core",
            "chessdb-owned",
            "chessdb-formats",
            "chessdb-files",
            "chessdb-database",
            "chessdb-query",
            "chessdb-arrow",
            "chessdb-parquet",
        ],
    ),
    // It re-exports all of the above; formats and tables through chessdb-formats.
    (
        "chessdb",
        &[
            "chessdb-core",
            "chessdb-owned",
            "chessdb-formats",
            "chessdb-files",
            "chessdb-database",
            "chessdb-convert",
            "chessdb-query",
        ],
    ),
    ("chessdb-cli", &["chessdb", "chessdb-web"]),
    ("chessdb-web", &["chessdb"]),
    ("chessdb-py", &["chessdb"]),
    ("chessdb-c", &["chessdb"]),
    ("chessdb-proof", &["chessdb", "chessdb-testkit"]),
    ("chessdb-testkit", &["chessdb-core"]),
    // Copied for a new format, and the format of tests that need any.
    ("chessdb-template", &["chessdb-core"]),
    ("xtask", &[]),
];

/// Format crates that need others in addition: a container of several formats.
const CONTAINERS: &[(&str, &[&str])] = &[("chessdb-sqlite", &["chessdb-pgn", "chessdb-bytecode"])];

/// External packages that only these crates may use, and whether any crate may use them in its
/// tests.
#[rustfmt::skip]
const FENCES: &[(&str, &[&str], bool)] = &[
    ("shakmaty", &["chessdb-core"], true),
    ("nom", &["chessdb-core", FORMATS], false),
    // For signals, which need unsafe code, and flags for opening files.
    ("libc", &["chessdb-files", "chessdb-owned"], false),
    // The macro expands to unsafe code.
    ("memmap2", &["chessdb-owned"], false),
    ("self_cell", &["chessdb-owned"], false),
    ("windows-sys", &["chessdb-owned"], false),
    // The macros of these expand to unsafe code, too.
    ("wasm-bindgen", &["chessdb-web"], false), ("js-sys", &["chessdb-web"], false),
    ("pyo3", &["chessdb-py"], false),
    ("pgn-reader", &[], true),
    ("clap", &["chessdb-cli"], false), ("rayon", &["chessdb-cli"], false),
];

/// Returns the dependencies of a package without its dev-dependencies.
pub(crate) fn needs(package: &Package) -> impl Iterator<Item = &str> {
    let needed = package.dependencies.iter();
    needed
        .filter(|on| on.kind != DependencyKind::Development)
        .map(|on| on.name.as_str())
}

/// Returns all breaches, one line each.
pub(super) fn check(packages: &[Package]) -> Vec<String> {
    let mut breaches = Vec::new();
    let has_feature = |package: &Package, name: &str| package.features.contains_key(name);
    for name in formats(packages) {
        for owner in packages {
            let is_owner = ["chessdb", "chessdb-formats"].contains(&owner.name.as_str());
            if is_owner && !has_feature(owner, name) {
                breaches.push(format!("chessdb-{name} is not a feature of {}", owner.name));
            }
        }
    }
    for package in packages {
        let name = &package.name;
        for dependency in &package.dependencies {
            let (on, kind) = (&dependency.name, dependency.kind);
            if !allowed(name, on, kind == DependencyKind::Development) {
                breaches.push(format!("{name} may not depend on {on} ({kind})"));
            }
        }
    }
    breaches
}

/// Returns the names of the format crates, without `chessdb-`: the names of their features.
pub(super) fn formats(packages: &[Package]) -> impl Iterator<Item = &str> {
    let names = packages.iter().map(|package| package.name.as_str());
    names
        .filter(|name| is_format(name))
        .filter_map(|name| name.strip_prefix("chessdb-"))
}

/// Returns whether this crate of the project is a format crate.
pub(crate) fn is_format(name: &str) -> bool {
    kind(name) == FORMATS
}

/// Returns whether this format crate contains other formats, which are separate crates.
pub(crate) fn is_container(name: &str) -> bool {
    CONTAINERS.iter().any(|(other, _)| *other == name)
}

/// Returns the name of a crate of the project in the tables.
fn kind(name: &str) -> &str {
    let is_listed = LAYERS.iter().any(|(other, _)| *other == name);
    if is_listed { name } else { FORMATS }
}

fn allowed(name: &str, on: &str, is_dev: bool) -> bool {
    if let Some((_, names, in_tests)) = FENCES.iter().find(|(crate_name, ..)| *crate_name == on) {
        return names.contains(&kind(name)) || is_dev && *in_tests;
    }
    let is_own = on.starts_with("chessdb") || on == "xtask";
    let is_for_tests = ["chessdb-testkit", "chessdb-template"].contains(&on);
    // The examples in the documentation of the crates behind the facade are written for its users.
    let behind_facade = ["chessdb-files", "chessdb-database", "chessdb-convert"].contains(&name);
    // The fuzz targets for books make their seeds.
    let of_fuzz = (name, on) == ("chessdb", "chessdb-book");
    let of_tests =
        is_dev && (is_for_tests && name != "xtask" || on == "chessdb" && behind_facade || of_fuzz);
    let row = LAYERS.iter().filter(|(layer, _)| *layer == kind(name));
    let mut row = row.chain(CONTAINERS.iter().filter(|(layer, _)| *layer == name));
    !is_own || of_tests || row.any(|(_, names)| names.contains(&kind(on)) || names.contains(&on))
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn layout_is_allowed_and_breaches_are_reported() {
        for (name, on, normally, in_tests) in [
            ("chessdb-core", "bitflags", true, true),
            ("chessdb-core", "shakmaty", true, true),
            ("chessdb-pgn", "shakmaty", false, true),
            ("chessdb-cli", "shakmaty", false, true),
            ("chessdb-pgn", "pgn-reader", false, true),
            ("chessdb-scid", "nom", true, true),
            ("chessdb-core", "nom", true, true),
            ("chessdb", "nom", false, false),
            ("chessdb-cli", "clap", true, true),
            ("chessdb", "clap", false, false),
            ("chessdb-core", "rayon", false, false),
            ("chessdb-scid", "memmap2", false, false),
            ("chessdb-owned", "self_cell", true, true),
            ("chessdb", "self_cell", false, false),
            ("chessdb-scid", "chessdb-core", true, true),
            ("chessdb-sqlite", "chessdb-core", true, true),
            ("chessdb-sqlite", "chessdb-bytecode", true, true),
            ("chessdb-sqlite", "chessdb-scid", false, false),
            ("chessdb-pgn", "chessdb-scid", false, false),
            ("chessdb-scid", "chessdb", false, false),
            ("chessdb-core", "chessdb-pgn", false, false),
            ("chessdb", "chessdb-scid", false, false),
            ("chessdb", "chessdb-book", false, true),
            ("chessdb", "libc", false, false),
            ("chessdb-formats", "chessdb-scid", true, true),
            ("chessdb-formats", "chessdb-files", false, false),
            ("chessdb-files", "chessdb-formats", true, true),
            ("chessdb-files", "chessdb-database", false, false),
            ("chessdb-files", "chessdb", false, true),
            ("chessdb-files", "chessdb-scid", false, false),
            ("chessdb-database", "chessdb-convert", false, false),
            ("chessdb-convert", "chessdb-database", true, true),
            ("chessdb-convert", "chessdb", false, true),
            ("chessdb", "chessdb-testkit", false, true),
            ("chessdb-testkit", "chessdb-pgn", false, false),
            ("chessdb-cli", "chessdb", true, true),
            ("chessdb-owned", "chessdb-scid", false, false),
            ("chessdb-query", "chessdb-core", true, true),
            ("chessdb-query", "chessdb-scid", false, false),
            ("chessdb-cli", "chessdb-scid", false, false),
            ("chessdb-cli", "chessdb-proof", false, false),
            ("chessdb-proof", "chessdb-testkit", true, true),
            ("chessdb-proof", "chessdb-scid", false, false),
            ("chessdb-web", "chessdb", true, true),
            ("chessdb-web", "wasm-bindgen", true, true),
            ("chessdb-web", "chessdb-scid", false, false),
            ("chessdb", "wasm-bindgen", false, false),
            ("chessdb-py", "chessdb", true, true),
            ("chessdb-py", "chessdb-pgn", false, false),
            ("chessdb", "pyo3", false, false),
            ("chessdb-c", "chessdb", true, true),
            ("chessdb-c", "chessdb-core", false, false),
            ("xtask", "chessdb", false, false),
            ("xtask", "chessdb-testkit", false, false),
            ("chessdb-testkit", "chessdb-template", false, true),
            ("chessdb-template", "chessdb-core", true, true),
            ("chessdb-template", "chessdb-pgn", false, false),
            ("chessdb", "chessdb-template", false, true),
            ("chessdb-cli", "xtask", false, false),
        ] {
            assert_eq!(allowed(name, on, false), normally, "{name} on {on}");
            assert_eq!(allowed(name, on, true), in_tests, "tests of {name} on {on}");
        }
    }
}
