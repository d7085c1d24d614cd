//! Who may depend on whom (docs/architecture.md 1.1).

use cargo_metadata::{DependencyKind, Package};

/// The crates of the project, and those of them that each may need.
#[rustfmt::skip]
const LAYERS: &[(&str, &[&str])] = &[
    ("chessdb-core", &[]),
    ("chessdb-bytecode", &["chessdb-core"]),
    ("chessdb-ca", &["chessdb-core"]),
    ("chessdb-cbf", &["chessdb-core"]),
    ("chessdb-dcx", &["chessdb-core"]),
    ("chessdb-owned", &["chessdb-core"]),
    ("chessdb-pgn", &["chessdb-core"]),
    ("chessdb-scid", &["chessdb-core"]),
    ("chessdb", &["chessdb-core", "chessdb-bytecode", "chessdb-ca", "chessdb-cbf", "chessdb-dcx", "chessdb-owned", "chessdb-pgn", "chessdb-scid"]),
    ("chessdb-cli", &["chessdb"]),
    ("chessdb-proof", &["chessdb", "chessdb-testkit"]),
    ("chessdb-testkit", &["chessdb-core"]),
    ("xtask", &[]),
];

/// Packages from outside that only these crates may name; `*`: any, but for tests alone.
#[rustfmt::skip]
const FENCES: &[(&str, &[&str])] = &[
    ("shakmaty", &["chessdb-core", "*"]),
    ("nom", &["chessdb-bytecode", "chessdb-ca", "chessdb-cbf", "chessdb-dcx", "chessdb-scid"]),
    // Its macro expands to unsafe code.
    ("self_cell", &["chessdb-owned"]),
    ("pgn-reader", &["*"]),
    ("clap", &["chessdb-cli"]), ("rayon", &["chessdb-cli"]), ("memmap2", &["chessdb-cli"]),
];

/// What a package needs, its tests aside.
pub(crate) fn needs(package: &Package) -> impl Iterator<Item = &str> {
    let needed = package.dependencies.iter();
    let needed = needed.filter(|on| on.kind != DependencyKind::Development);
    needed.map(|on| on.name.as_str())
}

/// All breaches, one line each.
pub(super) fn check(packages: &[Package]) -> Vec<String> {
    let mut breaches = Vec::new();
    for package in packages {
        let name = &package.name;
        if !LAYERS.iter().any(|(known, _)| known == &name.as_str()) {
            breaches.push(format!("{name} has no layer; xtask/src/tidy/layers.rs"));
        }
        for dependency in &package.dependencies {
            let (on, kind) = (&dependency.name, dependency.kind);
            if !allowed(name, on, kind == DependencyKind::Development) {
                breaches.push(format!("{name} may not depend on {on} ({kind})"));
            }
        }
    }
    breaches
}

fn allowed(name: &str, on: &str, is_dev: bool) -> bool {
    let of = |table: &[(&str, &'static [&'static str])], name| {
        let row = table.iter().find(|(known, _)| *known == name);
        row.map(|(_, names)| *names)
    };
    if of(LAYERS, on).is_some() {
        let of_tests = is_dev && on == "chessdb-testkit" && name != "xtask";
        return of_tests || of(LAYERS, name).is_none_or(|row| row.contains(&on));
    }
    of(FENCES, on).is_none_or(|row| row.contains(&name) || is_dev && row.contains(&"*"))
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn the_layout_is_allowed_and_every_breach_is_found() {
        for (name, on, normally, in_tests) in [
            ("chessdb-core", "bitflags", true, true),
            ("chessdb-core", "shakmaty", true, true),
            ("chessdb-pgn", "shakmaty", false, true),
            ("chessdb-cli", "shakmaty", false, true),
            ("chessdb-pgn", "pgn-reader", false, true),
            ("chessdb-scid", "nom", true, true),
            ("chessdb-core", "nom", false, false),
            ("chessdb-pgn", "nom", false, false),
            ("chessdb", "nom", false, false),
            ("chessdb-cli", "clap", true, true),
            ("chessdb", "clap", false, false),
            ("chessdb-core", "rayon", false, false),
            ("chessdb-scid", "memmap2", false, false),
            ("chessdb-owned", "self_cell", true, true),
            ("chessdb", "self_cell", false, false),
            ("chessdb-scid", "chessdb-core", true, true),
            ("chessdb-pgn", "chessdb-scid", false, false),
            ("chessdb-scid", "chessdb", false, false),
            ("chessdb-core", "chessdb-pgn", false, false),
            ("chessdb", "chessdb-scid", true, true),
            ("chessdb", "chessdb-testkit", false, true),
            ("chessdb-testkit", "chessdb-pgn", false, false),
            ("chessdb-cli", "chessdb", true, true),
            ("chessdb-cli", "chessdb-scid", false, false),
            ("chessdb-cli", "chessdb-proof", false, false),
            ("chessdb-proof", "chessdb-testkit", true, true),
            ("chessdb-proof", "chessdb-scid", false, false),
            ("xtask", "chessdb", false, false),
            ("xtask", "chessdb-testkit", false, false),
            ("chessdb-cli", "xtask", false, false),
        ] {
            assert_eq!(allowed(name, on, false), normally, "{name} on {on}");
            assert_eq!(allowed(name, on, true), in_tests, "tests of {name} on {on}");
        }
    }
}
