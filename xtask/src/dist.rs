//! The command `dist`: the files that a release offers for download.
//!
//! Equal sources, compiler and target give equal bytes: archives contain no time, owner or
//! path of the machine.

use anyhow::{Context as _, bail};
use fs_err as fs;

mod deb;
mod library;
pub(crate) mod licences;
mod packages;
mod packing;
mod program;
mod sbom;

use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::{Outcome, cmd};

/// The results that the command can make. The program, the library and the wheel are made for one system,
/// the rest once.
const PARTS: [&str; 6] = ["program", "library", "wheel", "sdist", "npm", "page"];

/// The time of all files in archives, as the variable that other programs read it from.
const TIME: (&str, &str) = ("SOURCE_DATE_EPOCH", "946684800");

/// The options of the command.
#[derive(Default)]
struct Options {
    /// The names of the parts; none means all.
    parts: Vec<String>,
    target: Option<String>,
    /// Whether the page of the last build is used.
    has_page: bool,
    program: Option<PathBuf>,
    /// The folder with the libraries that were built before.
    library: Option<PathBuf>,
}

impl Options {
    fn makes(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|other| other == part)
    }
}

/// Makes the files in `target/dist`, which is emptied first. `--target` sets a target that this machine
/// can run, or another Linux; `--program` packs a program and `--library` the libraries in a folder that
/// were built before, and `--keep-page` uses the page of the last build.
pub(crate) fn dist(args: &[String]) -> Outcome {
    let options = options(args)?;
    if options.makes("program") || options.makes("wheel") {
        sbom::is_possible()?;
    }
    let target = options.target.clone().map_or_else(host, Ok)?;
    let folder = cmd::metadata()?.target_directory.into_std_path_buf();
    let to = folder.join("dist");
    // Files of an earlier run must not get into the checksums.
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to)?;
    packages::prepare(&options, &folder)?;
    if options.makes("program") {
        program::write(&options, &target, &folder, &to)?;
    }
    if options.makes("library") {
        library::write(&options, &target, &folder, &to)?;
    }
    if options.makes("wheel") {
        packages::wheels(&target, &to)?;
    }
    if options.makes("sdist") {
        packages::sdist(&to)?;
    }
    if options.makes("npm") {
        packages::npm(&folder, &to)?;
    }
    if options.makes("page") {
        packages::page(&folder, &to)?;
    }
    let files = files_of(&to)?;
    checksums(&files, &to)?;
    for (name, bytes) in &files {
        let size = bytes.len() as f64 / 1e6;
        println!("{}: {size:.1} MB", to.join(name).display());
    }
    Ok(())
}

fn options(args: &[String]) -> Outcome<Options> {
    let mut options = Options::default();
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--keep-page" => options.has_page = true,
            "--target" => options.target = words.next().map(str::to_owned),
            "--program" => options.program = words.next().map(PathBuf::from),
            "--library" => options.library = words.next().map(PathBuf::from),
            _ if PARTS.contains(&word) => options.parts.push(word.to_owned()),
            _ => {
                bail!(
                    "only --target TRIPLE, --program FILE, --library FOLDER, --keep-page and {} are \
                     known",
                    PARTS.join(", ")
                );
            }
        }
    }
    Ok(options)
}

/// Returns the target of the compiler by default.
fn host() -> Outcome<String> {
    let text = cmd::output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// Returns the names of the files in a folder, sorted: a folder has no order, and the checksums must not
/// differ between machines.
pub(crate) fn names_of(folder: &Path) -> Outcome<Vec<String>> {
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry?.file_name();
        Ok(name.to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = fs::read_dir(folder)?.map(name).collect::<Outcome<_>>()?;
    names.sort();
    Ok(names)
}

/// Returns the names and contents of the files in a folder, in the order of [`names_of`].
fn files_of(folder: &Path) -> Outcome<Vec<(String, Vec<u8>)>> {
    let names = names_of(folder)?.into_iter();
    names
        .map(|name| {
            let content = fs::read(folder.join(&name))?;
            Ok((name, content))
        })
        .collect()
}

/// Writes the checksums of all files, in the form that `sha256sum --check` reads.
fn checksums(files: &[(String, Vec<u8>)], to: &Path) -> Outcome {
    let mut lines = String::new();
    for (name, bytes) in files {
        lines += &format!("{}  {name}\n", cmd::hex(&Sha256::digest(bytes)));
    }
    Ok(fs::write(to.join("SHA256SUMS"), lines)?)
}
