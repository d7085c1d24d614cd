//! The command `dist`: the files that a release offers for download.
//!
//! The same sources, compiler and target give the same bytes: archives contain no time, owner or
//! path of the machine.

mod deb;
mod licences;
mod packing;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::cmd::{self, cargo, root};
use crate::{Outcome, ci, web};
use packing::{Entry, tar_xz};

/// The shells with completions, and the names of their files in a package of Debian, if there is a
/// folder for them.
const SHELLS: [(&str, &str, Option<&str>); 5] = [
    (
        "bash",
        "chessdb.bash",
        Some("usr/share/bash-completion/completions/chessdb"),
    ),
    (
        "zsh",
        "_chessdb",
        Some("usr/share/zsh/vendor-completions/_chessdb"),
    ),
    (
        "fish",
        "chessdb.fish",
        Some("usr/share/fish/vendor_completions.d/chessdb.fish"),
    ),
    ("powershell", "_chessdb.ps1", None),
    ("nushell", "chessdb.nu", None),
];

/// The options of the command.
#[derive(Default)]
struct Options {
    target: Option<String>,
    /// Whether the page of the last build is used.
    has_page: bool,
    program: Option<PathBuf>,
}

/// The contents of a release.
struct Release {
    version: String,
    /// The triple that the program was built for.
    target: String,
    program: Vec<u8>,
    /// Manual pages: file name and text.
    pages: Vec<(String, Vec<u8>)>,
    /// Completions: the same order as [`SHELLS`].
    completions: Vec<Vec<u8>>,
    /// The licence texts of all libraries in the program.
    licences: Vec<u8>,
    changes: Vec<u8>,
}

/// Builds the page and the program, and packs them. `--target` sets a target that this machine can
/// run, `--program` packs a program that was built before, and `--keep-page` uses the page of the last
/// build.
pub(crate) fn dist(args: &[String]) -> Outcome {
    let options = options(args)?;
    let metadata = cmd::metadata()?;
    let (program, target) = program(&options, metadata.target_directory.as_std_path())?;
    let to = metadata.target_directory.join("dist").into_std_path_buf();
    fs::create_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    let release = collect(&program, target, &to)?;
    let mut made = vec![archive(&release, &to)?];
    if let Some(architecture) = deb::architecture(&release.target) {
        made.push(deb::write(&release, architecture, &to)?);
    }
    checksums(&made, &to)?;
    for path in &made {
        let size = fs::metadata(path).map_or(0, |found| found.len());
        println!("{}: {:.1} MB", path.display(), size as f64 / 1e6);
    }
    Ok(())
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--keep-page" => options.has_page = true,
            "--target" => options.target = words.next().map(str::to_owned),
            "--program" => options.program = words.next().map(PathBuf::from),
            _ => {
                let known = "only --target TRIPLE, --program FILE and --keep-page are known";
                return Err(known.to_owned());
            }
        }
    }
    Ok(options)
}

/// Returns the program and its target. Without `--program` it builds both page and program.
fn program(options: &Options, folder: &Path) -> Result<(PathBuf, String), String> {
    let host = host()?;
    let target = options.target.clone().unwrap_or(host);
    if let Some(program) = &options.program {
        return Ok((program.clone(), target));
    }
    if !options.has_page {
        web::web(&[])?;
    }
    ci::has_page()?;
    // Messages of panics name source files: not by their place on this machine.
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.ok_or("there is no home folder")?;
    let flags = format!(
        "--remap-path-prefix={}=cargo --remap-path-prefix={}=chessdb",
        home.display(),
        root().display()
    );
    let mut build = cargo("build --release --locked -p chessdb-cli --target");
    cmd::run(build.arg(&target).env("RUSTFLAGS", flags))?;
    let name = match target.contains("windows") {
        true => "chessdb.exe",
        false => "chessdb",
    };
    Ok((folder.join(&target).join("release").join(name), target))
}

/// Returns the target of the compiler by default.
fn host() -> Result<String, String> {
    let text = cmd::output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc names no host")?.to_owned())
}

/// Reads the program, and what it prints about itself.
fn collect(program: &Path, target: String, to: &Path) -> Result<Release, String> {
    let said = cmd::output(Command::new(program).arg("--version"))?;
    let version = said.trim().strip_prefix("chessdb ").unwrap_or_default();
    let pages = to.join("man");
    let _ = fs::remove_dir_all(&pages);
    fs::create_dir_all(&pages).map_err(|error| error.to_string())?;
    cmd::output(Command::new(program).args(["man", "--dir"]).arg(&pages))?;
    let completions = SHELLS.iter().map(|(shell, ..)| {
        let text = cmd::output(Command::new(program).args(["completions", shell]))?;
        Ok::<Vec<u8>, String>(text.into_bytes())
    });
    let release = Release {
        version: version.to_owned(),
        target,
        program: read(program)?,
        completions: completions.collect::<Result<_, _>>()?,
        pages: files_of(&pages)?,
        licences: licences::texts()?.into_bytes(),
        changes: read(&root().join("crates/chessdb-cli/CHANGELOG.md"))?,
    };
    let _ = fs::remove_dir_all(&pages);
    Ok(release)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the names and contents of the files in a folder, sorted.
fn files_of(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.push((name, read(&entry.path())?));
    }
    files.sort();
    Ok(files)
}

/// Writes the archive for all systems without packages, and returns its path.
fn archive(release: &Release, to: &Path) -> Result<PathBuf, String> {
    let name = format!("chessdb-{}-{}", release.version, release.target);
    let inside = |file: &str| format!("{name}/{file}");
    let program = match release.target.contains("windows") {
        true => "chessdb.exe",
        false => "chessdb",
    };
    let mut entries = vec![
        Entry::program(inside(program), release.program.clone()),
        Entry::file(inside("README.md"), read(&root().join("README.md"))?),
        Entry::file(inside("LICENSE"), read(&root().join("LICENSE"))?),
        Entry::file(inside("CHANGELOG.md"), release.changes.clone()),
        Entry::file(
            inside("LICENSES-of-libraries.txt"),
            release.licences.clone(),
        ),
    ];
    for (file, text) in &release.pages {
        entries.push(Entry::file(inside(&format!("man/{file}")), text.clone()));
    }
    for ((_, file, _), text) in SHELLS.iter().zip(&release.completions) {
        let file = inside(&format!("completions/{file}"));
        entries.push(Entry::file(file, text.clone()));
    }
    let path = to.join(format!("{name}.tar.xz"));
    let packed = tar_xz(entries)?;
    fs::write(&path, packed).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Writes the checksums of all files, in the form that `sha256sum --check` reads.
fn checksums(made: &[PathBuf], to: &Path) -> Outcome {
    let mut lines = String::new();
    for path in made {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let digest = Sha256::digest(read(path)?);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        lines += &format!("{digest}  {name}\n");
    }
    fs::write(to.join("SHA256SUMS"), lines).map_err(|error| error.to_string())
}
