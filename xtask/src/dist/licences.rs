//! The licence texts of everything in a published product that this project did not write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::bail;
use cargo_metadata::MetadataCommand;
use fs_err as fs;
use walkdir::WalkDir;

use crate::cmd::{self, cargo, root};
use crate::{Outcome, about};

/// The beginnings of names of files with licences.
const NAMES: [&str; 5] = ["licen", "copying", "copyright", "notice", "unlicense"];

/// The text of musl, which a program for `…-linux-musl` contains. The package of the compiler has the
/// compiled library only.
const MUSL: &str = include_str!("musl.txt");

/// A compiled product, which contains libraries.
pub(crate) struct Product {
    /// The beginning of the text.
    name: &'static str,
    package: &'static str,
    features: &'static str,
    /// Whether it contains the page of `chessdb view`.
    has_page: bool,
}

/// The program.
pub(crate) const PROGRAM: Product = Product {
    name: "The program chessdb contains",
    package: "chessdb-cli",
    features: "",
    has_page: true,
};

/// The modules of the package for JavaScript. The smaller ones contain a part of these libraries.
pub(crate) const JAVASCRIPT: Product = Product {
    name: "The compiled modules in the folder engine contain",
    package: "chessdb-web",
    features: "full",
    has_page: false,
};

/// The module of the Python package.
pub(crate) const PYTHON: Product = Product {
    name: "The compiled module of this package contains",
    package: "chessdb-py",
    features: "small",
    has_page: false,
};

/// The library for C.
pub(crate) const LIBRARY: Product = Product {
    name: "The library for C contains",
    package: "chessdb-c",
    features: "",
    has_page: false,
};

/// The names of the two files with the texts, in every product.
pub(crate) const FILES: [&str; 2] = ["LICENSES-of-libraries.txt", "LICENSES-of-Rust.html"];

/// Writes both files into a folder.
pub(crate) fn write(product: &Product, target: &str, to: &Path) -> Outcome {
    for (name, text) in both(product, target)? {
        cmd::write(&to.join(name), text)?;
    }
    Ok(())
}

/// A library in a product: a crate, or an npm package in the page of `chessdb view`.
struct Library {
    name: String,
    version: String,
    licence: String,
    folder: PathBuf,
    /// The address of its sources.
    repository: Option<String>,
}

/// Returns both files with their names.
pub(crate) fn both(product: &Product, target: &str) -> Outcome<[(&'static str, Vec<u8>); 2]> {
    let [libraries, rust] = FILES;
    Ok([
        (libraries, texts(product, target)?.into_bytes()),
        (rust, rust_notices()?),
    ])
}

/// Returns the texts, each preceded by the libraries that it applies to. The crates are those of the
/// product for this target.
///
/// # Errors
///
/// Returns an error if a library has no text of its licence.
pub(crate) fn texts(product: &Product, target: &str) -> Outcome<String> {
    let mut libraries = crates(product, target)?;
    if product.has_page {
        libraries.extend(page_libraries()?);
    }
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    let mut missing = Vec::new();
    for library in &libraries {
        let label = format!("{} {}", library.name, library.version);
        list += &format!("{label}: {}\n", library.licence);
        let mut texts = files(&library.folder, 2);
        if texts.is_empty() {
            texts.extend(standard(&library.licence)?);
        }
        if texts.is_empty() {
            texts = relative_texts(library, &libraries);
        }
        if texts.is_empty() {
            missing.push(format!("{label} ({})", library.licence));
        }
        for text in texts {
            by_text.entry(text).or_default().push(label.clone());
        }
    }
    if !missing.is_empty() {
        let missing = missing.join(", ");
        bail!("no text of the licence of {missing}");
    }
    list += "The Rust standard library: MIT OR Apache-2.0; LICENSES-of-Rust.html has the texts\n\
             SQLite, which rusqlite contains: public domain\n";
    if target.ends_with("-musl") {
        list += "musl: MIT\n";
        by_text.insert(MUSL.to_owned(), vec!["musl".to_owned()]);
    }
    let mut all = format!(
        "{} these libraries.\n\
         After the list, each text is preceded by the libraries that it applies to.\n\n{list}",
        product.name
    );
    for (text, mut names) in by_text {
        names.sort();
        names.dedup();
        let line = "=".repeat(80);
        let (names, text) = (names.join(", "), text.trim_end());
        all += &format!("\n{line}\n{names}\n{line}\n\n{text}\n");
    }
    Ok(all)
}

/// Returns the notices of the standard library, which the compiler brings along.
pub(crate) fn rust_notices() -> Outcome<Vec<u8>> {
    let folder = cmd::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let path = Path::new(folder.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    Ok(fs::read(path)?)
}

/// Returns the crates in a product for this target. The crates of this project are left out.
fn crates(product: &Product, target: &str) -> Outcome<Vec<Library>> {
    let mut tree = cargo("tree --locked --prefix none --no-dedupe");
    tree.args(["-p", product.package, "--features", product.features]);
    tree.args(["--edges", "normal,no-proc-macro", "--target", target]);
    tree.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    let lines = cmd::output(tree.args(["--format", "{p}|{l}"]))?;
    let metadata = MetadataCommand::new().current_dir(root()).exec()?;
    let library = |line: &str| {
        let (name, licence) = line.split_once('|')?;
        let (name, version) = name.split_once(" v")?;
        let is_it = |package: &&cargo_metadata::Package| {
            package.name.as_str() == name && package.version.to_string() == version
        };
        // A crate of this project has a path after its version.
        let package = metadata.packages.iter().find(is_it)?;
        Some(Library {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: licence.replace('/', " OR "),
            folder: package.manifest_path.parent()?.into(),
            repository: package.repository.clone(),
        })
    };
    let mut all: Vec<_> = lines.lines().filter_map(library).collect();
    all.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    all.dedup_by(|a, b| (&a.name, &a.version) == (&b.name, &b.version));
    Ok(all)
}

/// An npm package of the other pages only: it unpacks their modules, which the page of `chessdb view`
/// does not have.
const OF_MODULES: &str = "xz-decompress";

/// Returns the npm packages in the page of `chessdb view`.
fn page_libraries() -> Outcome<Vec<Library>> {
    let packages = about::script_libraries()?.into_iter();
    Ok(packages
        .filter(|(label, _)| !label.starts_with(OF_MODULES))
        .map(|(label, licence)| {
            let (name, version) = label.rsplit_once(' ').unwrap_or((&label, ""));
            Library {
                name: name.to_owned(),
                version: version.to_owned(),
                licence,
                folder: root().join("web/node_modules").join(name),
                repository: None,
            }
        })
        .collect())
}

/// Returns the text of a licence that is the same for every library, for a package that only names it.
fn standard(licence: &str) -> Outcome<Option<String>> {
    let path = match licence {
        "GPL-3.0-or-later" => root().join("LICENSE"),
        "Apache-2.0" => {
            let folder = cmd::output(Command::new("rustc").args(["--print", "sysroot"]))?;
            Path::new(folder.trim()).join("share/doc/rust/licenses/Apache-2.0.txt")
        }
        _ => return Ok(None),
    };
    let text = fs::read_to_string(&path)?;
    Ok(Some(text))
}

/// Returns the texts of another library from the same sources with the same licence, for a package that
/// leaves them out.
fn relative_texts(library: &Library, all: &[Library]) -> Vec<String> {
    let is_relative = |other: &&Library| {
        other.repository.is_some()
            && other.repository == library.repository
            && other.licence == library.licence
    };
    let mut relatives = all.iter().filter(is_relative);
    relatives
        .find_map(|other| {
            let texts = files(&other.folder, 1);
            (!texts.is_empty()).then_some(texts)
        })
        .unwrap_or_default()
}

/// Returns the texts of the files with licences in a folder and, up to a depth, in those within it.
fn files(folder: &Path, depth: usize) -> Vec<String> {
    let entries = WalkDir::new(folder).max_depth(depth).sort_by_file_name();
    let is_licence =
        |name: &str| NAMES.iter().any(|start| name.starts_with(start)) && !name.ends_with(".rs");
    let licences = entries
        .into_iter()
        .flatten()
        .filter(|entry| is_licence(&entry.file_name().to_string_lossy().to_lowercase()));
    // A folder may have such a name, too.
    licences
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .collect()
}
