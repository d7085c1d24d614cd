//! The program with its manual pages and completions, as an archive and as a package for Debian.

use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;

use anyhow::Context as _;

use super::packing::{Entry, tar_xz, zip};
use super::{Options, deb, files_of, licences, packages, sbom};
use crate::Outcome;
use crate::cmd::{self, cargo, root};

/// The shells with completions, and the names of their files in a package of Debian, if there is a
/// folder for them.
pub(super) const SHELLS: [(&str, &str, Option<&str>); 5] = [
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

/// The contents of a release.
pub(super) struct Release {
    pub(super) version: String,
    /// The triple that the program was built for.
    pub(super) target: String,
    pub(super) program: Vec<u8>,
    /// Manual pages: file name and text.
    pub(super) pages: Vec<(String, Vec<u8>)>,
    /// Completions: the same order as [`SHELLS`].
    pub(super) completions: Vec<Vec<u8>>,
    /// The licence texts of all libraries in the program, and of the standard library.
    pub(super) licences: [(&'static str, Vec<u8>); 2],
    pub(super) changes: Vec<u8>,
}

/// Builds the program, unless it was built before, and packs it.
pub(super) fn write(options: &Options, target: &str, folder: &Path, to: &Path) -> Outcome {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => build(target, folder)?,
    };
    let release = collect(&program, target, folder)?;
    archive(&release, to)?;
    if let Some(architecture) = deb::architecture(&release.target) {
        deb::write_program(&release, architecture, to)?;
    }
    let list = format!("chessdb-{}-{target}.cdx.json", release.version);
    sbom::write("chessdb-cli", target, &to.join(list))
}

/// Returns whether this machine cannot run programs of a target, a Linux for another processor.
fn is_foreign(target: &str) -> bool {
    target.contains("-linux-") && !target.starts_with(std::env::consts::ARCH)
}

/// Builds the program and returns its path.
fn build(target: &str, folder: &Path) -> Outcome<PathBuf> {
    let (mut build, needed) = if is_foreign(target) {
        (packages::zigbuild()?, "")
    } else {
        (cargo("build"), " and musl-gcc (musl-tools)")
    };
    build.args([
        "--release",
        "--locked",
        "-p",
        "chessdb-cli",
        "--target",
        target,
    ]);
    // Windows comes without the C runtime of the compiler.
    let is_msvc = target.ends_with("-msvc");
    let flags: &[&str] = if is_msvc { &["-Ctarget-feature=+crt-static"] } else { &[] };
    cmd::set_flags(&mut build, flags)?;
    let built = cmd::run(&mut build);
    if target.ends_with("-musl") {
        built.with_context(|| format!("it needs `rustup target add {target}`{needed}"))?;
    } else {
        built?;
    }
    Ok(folder
        .join(target)
        .join("release")
        .join(file_name("chessdb", target)))
}

/// Returns the name of a program's file.
fn file_name(program: &str, target: &str) -> String {
    if target.contains("windows") {
        format!("{program}.exe")
    } else {
        program.to_owned()
    }
}

/// Reads the program, and what it prints about itself; the program of this machine prints the same.
fn collect(program: &Path, target: &str, folder: &Path) -> Outcome<Release> {
    let printer = if is_foreign(target) {
        cmd::run(&mut cargo("build --locked -p chessdb-cli"))?;
        folder.join("debug/chessdb")
    } else {
        program.to_owned()
    };
    let output = cmd::output(Command::new(&printer).arg("--version"))?;
    let version = output.trim().strip_prefix("chessdb ").unwrap_or_default();
    let pages = folder.join("dist-man");
    let _ = fs::remove_dir_all(&pages);
    fs::create_dir_all(&pages)?;
    cmd::output(Command::new(&printer).args(["man", "--dir"]).arg(&pages))?;
    let completions = SHELLS.iter().map(|(shell, ..)| {
        let text = cmd::output(Command::new(&printer).args(["completions", shell]))?;
        Ok::<Vec<u8>, anyhow::Error>(text.into_bytes())
    });
    let release = Release {
        version: version.to_owned(),
        target: target.to_owned(),
        program: fs::read(program)?,
        completions: completions.collect::<Result<_, _>>()?,
        pages: files_of(&pages)?,
        licences: licences::both(&licences::PROGRAM, target)?,
        changes: fs::read(root().join("crates/chessdb-cli/CHANGELOG.md"))?,
    };
    let _ = fs::remove_dir_all(&pages);
    Ok(release)
}

/// Writes the archive for all systems without packages.
fn archive(release: &Release, to: &Path) -> Outcome {
    let name = format!("chessdb-{}-{}", release.version, release.target);
    let inside = |file: &str| format!("{name}/{file}");
    let program = file_name("chessdb", &release.target);
    let mut entries = vec![
        Entry::program(inside(&program), release.program.clone()),
        Entry::file(inside("README.md"), fs::read(root().join("README.md"))?),
        Entry::file(inside("LICENSE"), fs::read(root().join("LICENSE"))?),
        Entry::file(inside("CHANGELOG.md"), release.changes.clone()),
    ];
    for (file, text) in &release.licences {
        entries.push(Entry::file(inside(file), text.clone()));
    }
    for (file, text) in &release.pages {
        entries.push(Entry::file(inside(&format!("man/{file}")), text.clone()));
    }
    for ((_, file, _), text) in SHELLS.iter().zip(&release.completions) {
        let file = inside(&format!("completions/{file}"));
        entries.push(Entry::file(file, text.clone()));
    }
    // Windows opens zip archives.
    if release.target.contains("windows") {
        return cmd::write(&to.join(format!("{name}.zip")), zip(entries)?);
    }
    cmd::write(&to.join(format!("{name}.tar.xz")), tar_xz(entries)?)
}
