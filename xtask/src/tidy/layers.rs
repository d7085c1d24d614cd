//! Who may depend on whom (docs/architecture.md 3.1).

use crate::metadata::{Dependency, Package};

/// The layers from below. Formats name the core only, the facade names formats and core, what
/// people install names the facade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Core,
    Format,
    Facade,
    Top,
    /// chessdb-arrow: takes any store, so it needs the core alone.
    Arrow,
    /// chessdb-testkit: dev-dependency of the others.
    Testkit,
    /// chessdb-proof: runs the testkit over the facade, never published.
    Proof,
    Xtask,
}

/// Formats that are parsed with nom; PGN has its own scanner.
const BINARY: &[&str] = &[
    "chessdb-cbf",
    "chessdb-ca",
    "chessdb-dcx",
    "chessdb-scid",
    "chessdb-bytecode",
];

const TOP: &[&str] = &["chessdb-cli", "chessdb-py", "chessdb-wasm"];

fn layer(name: &str) -> Option<Layer> {
    Some(match name {
        "chessdb-core" => Layer::Core,
        "chessdb-pgn" => Layer::Format,
        "chessdb" => Layer::Facade,
        "chessdb-arrow" => Layer::Arrow,
        "chessdb-testkit" => Layer::Testkit,
        "chessdb-proof" => Layer::Proof,
        "xtask" => Layer::Xtask,
        _ if BINARY.contains(&name) => Layer::Format,
        _ if TOP.contains(&name) => Layer::Top,
        _ => return None,
    })
}

/// A package from outside that only some crates may name.
struct Fence {
    names: &'static [&'static str],
    allowed: &'static [&'static [&'static str]],
    /// As oracle in tests it may be named anywhere.
    dev: bool,
    rule: &'static str,
}

static FENCES: &[Fence] = &[
    Fence {
        names: &["shakmaty"],
        allowed: &[&["chessdb-core"]],
        dev: true,
        rule: "only chessdb-core names shakmaty",
    },
    Fence {
        names: &["nom"],
        allowed: &[BINARY],
        dev: false,
        rule: "only the binary format crates name nom",
    },
    Fence {
        names: &["clap", "rayon", "memmap2", "arrow", "parquet", "pyo3"],
        allowed: &[TOP, &["chessdb-arrow"]],
        dev: false,
        rule: "nobody below layer 3 names it",
    },
    Fence {
        names: &["pgn-reader"],
        allowed: &[],
        dev: true,
        rule: "pgn-reader is an oracle for tests, a dev-dependency only",
    },
];

/// All breaches, one line each.
pub(super) fn check(packages: &[Package]) -> Vec<String> {
    let mut breaches = Vec::new();
    for package in packages {
        let name = &package.name;
        let Some(from) = layer(name) else {
            breaches.push(format!(
                "{name}: this crate has no layer; xtask/src/tidy/layers.rs"
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let on = &dependency.name;
            if let Some(reason) = forbidden(name, from, dependency) {
                let kind = if dependency.dev {
                    "dev-depends"
                } else {
                    "depends"
                };
                breaches.push(format!("{name} {kind} on {on}: {reason}"));
            }
        }
    }
    breaches
}

/// What reads the answers of other programs and checks the fixtures.
const OF_XTASK: [&str; 3] = ["serde_json", "sha2", "toml"];

/// Why the dependency may not be, if so.
fn forbidden(name: &str, from: Layer, dependency: &Dependency) -> Option<&'static str> {
    let on = dependency.name.as_str();
    let Some(to) = layer(on) else {
        if from == Layer::Xtask && !OF_XTASK.contains(&on) {
            return Some("xtask starts every check, so it has few dependencies");
        }
        let fence = FENCES.iter().find(|fence| fence.names.contains(&on))?;
        let allowed = fence.allowed.iter().any(|names| names.contains(&name));
        let excused = allowed || (fence.dev && dependency.dev);
        return (!excused).then_some(fence.rule);
    };
    match (from, to) {
        (Layer::Xtask, _) => Some("xtask runs the program, it links nothing of it"),
        (_, Layer::Xtask) => Some("nothing depends on xtask"),
        (Layer::Proof, Layer::Core | Layer::Facade | Layer::Testkit) => None,
        (Layer::Proof, _) => Some("the proof reaches the formats through the facade"),
        (_, Layer::Proof) => Some("nothing depends on the proof"),
        (Layer::Testkit, Layer::Core) => None,
        (Layer::Testkit, _) => Some("the testkit knows the core only"),
        (_, Layer::Testkit) => (!dependency.dev).then_some("the testkit is a dev-dependency"),
        (Layer::Core, _) => Some("the core knows no other crate of the project"),
        (Layer::Format, Layer::Core) => None,
        (Layer::Format, Layer::Format) => Some("format crates never depend on each other"),
        (Layer::Format, _) => Some("a format crate knows the core only"),
        (Layer::Facade, Layer::Core | Layer::Format) => None,
        (Layer::Facade, _) => Some("the facade knows the core and the formats only"),
        (Layer::Arrow, Layer::Core) => None,
        (Layer::Arrow, _) => Some("chessdb-arrow knows the core only"),
        (Layer::Top, Layer::Core | Layer::Facade | Layer::Arrow) => None,
        (Layer::Top, Layer::Format) => Some("programs reach the formats through the facade"),
        (Layer::Top, Layer::Top) => Some("programs do not depend on each other"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made-up packages: name, dependencies, `dev:` before a dev-dependency.
    fn packages(list: &[(&str, &[&str])]) -> Vec<Package> {
        let dependency = |name: &&str| Dependency {
            name: name.trim_start_matches("dev:").to_owned(),
            dev: name.starts_with("dev:"),
        };
        list.iter()
            .map(|(name, dependencies)| Package {
                name: (*name).to_owned(),
                dependencies: dependencies.iter().map(dependency).collect(),
                ..Package::default()
            })
            .collect()
    }

    #[test]
    fn the_planned_layout_is_allowed() {
        let clean = packages(&[
            (
                "chessdb-core",
                &[
                    "bitflags",
                    "shakmaty",
                    "dev:proptest",
                    "dev:chessdb-testkit",
                ],
            ),
            (
                "chessdb-pgn",
                &["chessdb-core", "memchr", "dev:pgn-reader", "dev:shakmaty"],
            ),
            (
                "chessdb-scid",
                &["chessdb-core", "nom", "dev:chessdb-testkit"],
            ),
            (
                "chessdb",
                &["chessdb-core", "chessdb-pgn", "chessdb-scid", "tempfile"],
            ),
            (
                "chessdb-cli",
                &["chessdb", "clap", "rayon", "chessdb-arrow"],
            ),
            ("chessdb-arrow", &["chessdb-core", "arrow", "parquet"]),
            ("chessdb-testkit", &["chessdb-core", "proptest"]),
            ("chessdb-proof", &["chessdb", "chessdb-testkit"]),
            ("xtask", &OF_XTASK),
        ]);
        assert_eq!(check(&clean), Vec::<String>::new());
    }

    #[test]
    fn every_breach_is_named() {
        for (name, on) in [
            ("chessdb-pgn", "chessdb-scid"),
            ("chessdb-pgn", "dev:chessdb-scid"),
            ("chessdb-scid", "chessdb"),
            ("chessdb-core", "chessdb-pgn"),
            ("chessdb-core", "nom"),
            ("chessdb-pgn", "nom"),
            ("chessdb", "nom"),
            ("chessdb-cli", "nom"),
            ("chessdb-scid", "shakmaty"),
            ("chessdb-cli", "shakmaty"),
            ("chessdb", "clap"),
            ("chessdb-core", "rayon"),
            ("chessdb-scid", "memmap2"),
            ("chessdb-pgn", "pgn-reader"),
            ("chessdb", "chessdb-testkit"),
            ("chessdb-testkit", "chessdb-pgn"),
            ("chessdb-cli", "chessdb-scid"),
            ("chessdb-arrow", "chessdb"),
            ("xtask", "chessdb"),
            ("xtask", "serde"),
            ("chessdb-cli", "xtask"),
            ("chessdb-cli", "chessdb-proof"),
            ("chessdb-proof", "chessdb-scid"),
        ] {
            let breaches = check(&packages(&[(name, &[on])]));
            assert_eq!(breaches.len(), 1, "{name} on {on}");
            assert!(
                breaches[0].starts_with(name) && breaches[0].contains(" on "),
                "{breaches:?}"
            );
        }
        assert_eq!(check(&packages(&[("chessdb-new", &[])])).len(), 1);
    }
}
