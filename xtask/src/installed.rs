//! The command `installed`: unpacks or installs each file of `target/dist` that this machine can run in an
//! empty folder, and uses it there. A package that was built with fewer features than the tests fails.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{anyhow, bail};
use fs_err as fs;

use crate::Outcome;
use crate::cmd;
use crate::dist;

/// The games that each package converts.
const GAMES: &str =
    "[White \"Legal\"]\n[Black \"Saint Brie\"]\n\n1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 *\n";

/// The suffixes that every package except the one for JavaScript writes: formats, tables, packed files.
const SUFFIXES: [&str; 12] = [
    "si4", "si5", "cbh", "cbf", "ocgdb", "csv", "ndjson", "arrow", "html", "parquet", "pgn.gz",
    "pgn.zst",
];

/// A file of a release: the first and last letters of its name, and how it is used.
type Check = (
    &'static str,
    &'static str,
    fn(file: &Path, folder: &Path) -> Outcome,
);

/// The files that are checked. Those for other systems have other names.
#[rustfmt::skip]
const CHECKS: &[Check] = &[
    ("chessdb-", ".tar.xz", program_of_archive),
    ("chessdb_", ".deb", program_of_package),
    ("chessdb-c-", ".tar.xz", library_of_archive),
    ("libchessdb-dev_", ".deb", library_of_package),
    ("chessdb-", ".whl", wheel),
    ("chessdb-", ".tgz", npm),
];

/// Checks all files, or only those with the argument in their names.
pub(crate) fn installed(args: &[String]) -> Outcome {
    let target = PathBuf::from(cmd::metadata()?.target_directory);
    let part = args.first().map_or("", String::as_str);
    let names = dist::names_of(&target.join("dist"))?;
    let mut checked = 0;
    for name in names
        .iter()
        .filter(|name| name.contains(part) && is_for_host(name))
    {
        // The prefix of the library is longer than the one of the program.
        let checks = CHECKS
            .iter()
            .filter(|(start, end, _)| name.starts_with(start) && name.ends_with(end));
        let Some((.., uses)) = checks.max_by_key(|(start, ..)| start.len()) else {
            continue;
        };
        // A blank in the name of the folder must not matter.
        let folder = target.join("installed").join(format!("empty {checked}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("a.pgn"), GAMES)?;
        println!("==> {name}");
        uses(&target.join("dist").join(name), &folder)?;
        checked += 1;
    }
    if checked == 0 {
        bail!("there is no such file in target/dist; `cargo xtask dist` makes them");
    }
    println!("{checked} files work");
    Ok(())
}

/// Returns whether this machine can run a file, judged by its name.
fn is_for_host(name: &str) -> bool {
    let processors = [
        ("x86_64", ["x86_64", "amd64"]),
        ("aarch64", ["aarch64", "arm64"]),
    ];
    let is_foreign = |(processor, names): &(&str, [&str; 2])| {
        *processor != std::env::consts::ARCH && names.iter().any(|other| name.contains(other))
    };
    let systems = [
        ("linux", "linux"),
        ("macos", "apple"),
        ("windows", "windows"),
    ];
    let other_system = systems
        .iter()
        .any(|(system, word)| *system != std::env::consts::OS && name.contains(word));
    // A wheel for musl does not load in the Python of most systems.
    !processors.iter().any(is_foreign) && !other_system && !name.contains("-musllinux")
}

fn in_folder(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_remove("LD_LIBRARY_PATH");
    command
}

/// Unpacks an archive and returns the one folder in it.
fn unpack(file: &Path, folder: &Path) -> Outcome<PathBuf> {
    cmd::run(in_folder("tar", folder).arg("-xf").arg(file))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(folder.join(name.trim_end_matches(".tar.xz")))
}

/// Unpacks a package of Debian, checks its list of checksums, and returns the folder `usr`.
fn unpack_package(file: &Path, folder: &Path) -> Outcome<PathBuf> {
    cmd::run(
        in_folder("dpkg-deb", folder)
            .arg("--raw-extract")
            .arg(file)
            .arg("root"),
    )?;
    let root = folder.join("root");
    cmd::run(in_folder("md5sum", &root).args(["--quiet", "--check", "DEBIAN/md5sums"]))?;
    Ok(root.join("usr"))
}

fn program_of_archive(file: &Path, folder: &Path) -> Outcome {
    session(&unpack(file, folder)?.join("chessdb"), folder)
}

fn program_of_package(file: &Path, folder: &Path) -> Outcome {
    session(&unpack_package(file, folder)?.join("bin/chessdb"), folder)
}

/// Uses the program.
fn session(program: &Path, folder: &Path) -> Outcome {
    let output = |words: &[&str]| cmd::output(in_folder(program, folder).args(words));
    output(&["--version"])?;
    for suffix in SUFFIXES {
        output(&["convert", "a.pgn", &format!("a.{suffix}")])?;
    }
    output(&["stats", "a.cbh", "--svg", "a.svg"])?;
    let list = output(&["ls", "a.si4", "white:legal"])?;
    if list.contains("Legal") { Ok(()) } else { Err(anyhow!("not listed: {list}")) }
}

fn library_of_archive(file: &Path, folder: &Path) -> Outcome {
    if !cfg!(target_os = "linux") {
        println!("not checked here: the options of the linker are those of Linux");
        return Ok(());
    }
    let library = unpack(file, folder)?;
    let examples = library.join("examples");
    use_library(&library.join("lib"), &examples, folder)
}

fn library_of_package(file: &Path, folder: &Path) -> Outcome {
    let usr = unpack_package(file, folder)?;
    let libraries = usr
        .join("lib")
        .join(format!("{}-linux-gnu", std::env::consts::ARCH));
    use_library(
        &libraries,
        &usr.join("share/doc/libchessdb-dev/examples"),
        folder,
    )
}

/// Compiles the example in C as the file for pkg-config states, dynamically and statically, and uses it
/// and the example in Python.
fn use_library(libraries: &Path, examples: &Path, folder: &Path) -> Outcome {
    for is_static in [false, true] {
        let mut flags = in_folder("pkg-config", folder);
        flags.env("PKG_CONFIG_PATH", libraries.join("pkgconfig"));
        flags.args(["--cflags", "--libs", "chessdb"]);
        // Blanks in folders are written as `\ `, as a shell reads them.
        let flags = cmd::output(flags.args(is_static.then_some("--static")))?;
        let flags = if is_static {
            flags.replace("-lchessdb_c", "-l:libchessdb_c.a")
        } else {
            flags
        };
        let source = examples.join("games.c").display().to_string();
        let line = format!("cc -std=c99 '{source}' -o games {}", flags.trim());
        cmd::run(in_folder("sh", folder).args(["-c", &line]))?;
        for suffix in SUFFIXES {
            let target = format!("{suffix}-{is_static}.{suffix}");
            let mut games = in_folder(folder.join("games"), folder);
            games.args(["a.pgn", "white:legal", &target]);
            games.env(
                "LD_LIBRARY_PATH",
                if is_static { Path::new("") } else { libraries },
            );
            let list = cmd::output(&mut games)?;
            if !list.contains("\tLegal\t") {
                bail!("not listed: {list}");
            }
        }
    }
    let mut python = in_folder("python3", folder);
    python.arg(examples.join("games.py"));
    cmd::run(python.arg(libraries.join("libchessdb_c.so")).arg("a.pgn"))
}

fn wheel(file: &Path, folder: &Path) -> Outcome {
    cmd::run(in_folder("python3", folder).args(["-m", "venv", "venv"]))?;
    let python = folder.join("venv/bin/python");
    let mut install = in_folder(&python, folder);
    cmd::run(
        install
            .args(["-m", "pip", "install", "-q", "--no-index", "--no-deps"])
            .arg(file),
    )?;
    let script = "import chessdb, sys\n\
        for suffix in sys.argv[1:]: chessdb.convert('a.pgn', 'a.' + suffix)\n\
        assert chessdb.open('a.si4')[0].white == 'Legal'\n";
    cmd::run(
        in_folder(&python, folder)
            .args(["-c", script])
            .args(SUFFIXES),
    )
}

fn npm(file: &Path, folder: &Path) -> Outcome {
    let mut install = cmd::npm();
    install
        .current_dir(folder)
        .args(["install", "--silent", "--no-audit", "--offline"]);
    cmd::run(install.arg(file))?;
    let script = "import { open } from 'chessdb';\n\
        import { readFile } from 'node:fs/promises';\n\
        const db = await open({ 'a.pgn': await readFile('a.pgn') });\n\
        if (db.length !== 1) throw new Error(`${db.length} games`);\n\
        process.exit();\n";
    fs::write(folder.join("use.mjs"), script)?;
    cmd::run(in_folder("node", folder).arg("use.mjs"))
}

#[cfg(test)]
mod matrix;

#[cfg(test)]
mod tests {
    use super::is_for_host;

    #[test]
    fn files_of_other_systems_are_left_out() {
        let host = format!(
            "chessdb-1.2.3-{}-unknown-linux-musl.tar.xz",
            std::env::consts::ARCH
        );
        assert_eq!(is_for_host(&host), cfg!(target_os = "linux"));
        let other = if cfg!(target_arch = "x86_64") { "aarch64" } else { "x86_64" };
        assert!(!is_for_host(&host.replace(std::env::consts::ARCH, other)));
        assert!(is_for_host("chessdb-1.2.3.tgz"));
    }
}
