//! The library for C with its header and a file for pkg-config, as an archive and, for Linux, as a package
//! for Debian.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use fs_err as fs;

use super::deb::{self, Package};
use super::packing::{Entry, tar_xz, zip};
use super::{Options, files_of, licences, packages};
use crate::Outcome;
use crate::cmd::{self, cargo, root};

/// The libraries that the static one needs on Linux, as `rustc --print native-static-libs` lists them.
const PRIVATE: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc";

/// The description in the file for pkg-config and in the package.
const DESCRIPTION: &str = "reads, searches, changes and converts chess databases";

/// A library and where its files go.
struct Library {
    version: String,
    /// The version of the interface, which is part of the name of the dynamic library.
    interface: String,
    target: String,
    /// The contents of the files in [`file_names`].
    files: Vec<Vec<u8>>,
}

/// Builds the library, unless it was built before, and packs it.
pub(super) fn write(options: &Options, target: &str, folder: &Path, to: &Path) -> Outcome {
    // A dynamic library needs the C library of the system.
    let target = target.replace("-linux-musl", "-linux-gnu");
    let interface = interface()?;
    let built = match &options.library {
        Some(built) => built.clone(),
        None => build(&target, &interface, folder)?,
    };
    let version = cmd::version_of("chessdb-c")?;
    let files = file_names(&target)
        .iter()
        .map(|name| Ok(fs::read(built.join(name))?));
    let library = Library {
        version,
        interface,
        files: files.collect::<Outcome<_>>()?,
        target: target.clone(),
    };
    let licences = licences::both(&licences::LIBRARY, &target)?;
    let name = format!("chessdb-c-{}-{target}", library.version);
    let mut entries = library.entries(&format!("{name}/"), "lib")?;
    let mut add = |file: &str, text| entries.push(Entry::file(format!("{name}/{file}"), text));
    for file in ["README.md", "CHANGELOG.md"] {
        add(file, fs::read(crate_folder().join(file))?);
    }
    for (file, text) in examples()? {
        add(&format!("examples/{file}"), text);
    }
    for (file, text) in &licences {
        add(file, text.clone());
    }
    add("LICENSE", fs::read(root().join("LICENSE"))?);
    if target.contains("windows") {
        return cmd::write(&to.join(format!("{name}.zip")), zip(entries)?);
    }
    cmd::write(&to.join(format!("{name}.tar.xz")), tar_xz(entries)?)?;
    match deb::architecture(&target) {
        Some(architecture) => library.package(architecture, &licences, to),
        None => Ok(()),
    }
}

fn crate_folder() -> PathBuf {
    root().join("crates/chessdb-c")
}

/// Returns the examples with their names.
fn examples() -> Outcome<Vec<(String, Vec<u8>)>> {
    files_of(&crate_folder().join("examples"))
}

/// Returns `CHESSDB_INTERFACE` of the header.
fn interface() -> Outcome<String> {
    let header = fs::read(crate_folder().join("chessdb.h"))?;
    let header = String::from_utf8_lossy(&header);
    let mut lines = header.lines();
    let number = lines.find_map(|line| line.strip_prefix("#define CHESSDB_INTERFACE "));
    Ok(number
        .context("chessdb.h has no CHESSDB_INTERFACE")?
        .to_owned())
}

/// Returns the names that cargo gives the dynamic and the static library, and on Windows the one with
/// which programs are linked to the dynamic one.
fn file_names(target: &str) -> &'static [&'static str] {
    if target.contains("windows") {
        &["chessdb_c.dll", "chessdb_c.lib", "chessdb_c.dll.lib"]
    } else if target.contains("apple") {
        &["libchessdb_c.dylib", "libchessdb_c.a"]
    } else {
        &["libchessdb_c.so", "libchessdb_c.a"]
    }
}

/// Returns the name that cargo gives the dynamic library.
fn dynamic_name(target: &str) -> &'static str {
    file_names(target).first().copied().unwrap_or_default()
}

/// Returns the name that programs search when they start.
fn loaded_name(target: &str, interface: &str) -> String {
    let dynamic = dynamic_name(target);
    match dynamic.rsplit_once('.') {
        Some((name, "dylib")) => format!("{name}.{interface}.dylib"),
        Some((_, "so")) => format!("{dynamic}.{interface}"),
        _ => dynamic.to_owned(),
    }
}

/// Builds both libraries and returns their folder. On Linux, zig links them for every system with glibc
/// 2.17, as for the wheel.
fn build(target: &str, interface: &str, folder: &Path) -> Outcome<PathBuf> {
    let is_linux = target.contains("-linux-");
    let mut build = if is_linux { packages::zigbuild()? } else { cargo("build") };
    build.args("--release --locked -p chessdb-c --lib --target".split(' '));
    build.arg(if is_linux { format!("{target}.2.17") } else { target.to_owned() });
    let name = loaded_name(target, interface);
    let flag = if target.contains("apple") {
        format!("-Clink-arg=-Wl,-install_name,@rpath/{name}")
    } else {
        format!("-Clink-arg=-Wl,-soname,{name}")
    };
    let flags = if target.contains("windows") { vec![] } else { vec![flag.as_str()] };
    cmd::set_flags(&mut build, &flags)?;
    cmd::run(&mut build)?;
    Ok(folder.join(target).join("release"))
}

impl Library {
    /// Returns the files below `prefix`, which ends with a slash, with the libraries in `libraries`.
    fn entries(&self, prefix: &str, libraries: &str) -> Outcome<Vec<Entry>> {
        let dynamic = dynamic_name(&self.target);
        let header = fs::read(crate_folder().join("chessdb.h"))?;
        let loaded = loaded_name(&self.target, &self.interface);
        let inside = |file: &str| format!("{prefix}{libraries}/{file}");
        let pkg_config = self.pkg_config(libraries).into_bytes();
        let mut entries = vec![
            Entry::file(format!("{prefix}include/chessdb.h"), header),
            Entry::file(inside("pkgconfig/chessdb.pc"), pkg_config),
        ];
        for (name, bytes) in file_names(&self.target).iter().zip(&self.files) {
            let name = if *name == dynamic { &loaded } else { *name };
            entries.push(Entry::file(inside(name), bytes.clone()));
        }
        if loaded != dynamic {
            entries.push(Entry::link(inside(dynamic), &loaded));
        }
        Ok(entries)
    }

    /// Returns the file for pkg-config. Its folders are relative to it, so the archive may be anywhere.
    fn pkg_config(&self, libraries: &str) -> String {
        let up: String = libraries.split('/').map(|_| "/..").collect();
        let private = if self.target.contains("-linux-") { PRIVATE } else { "" };
        format!(
            "prefix=${{pcfiledir}}/..{up}\n\
             libdir=${{prefix}}/{libraries}\n\
             includedir=${{prefix}}/include\n\n\
             Name: chessdb\n\
             Description: {DESCRIPTION}\n\
             Version: {}\n\
             Cflags: -I${{includedir}}\n\
             Libs: -L${{libdir}} -lchessdb_c\n\
             Libs.private: {private}\n",
            self.version
        )
    }

    /// Writes the package for Debian.
    fn package(
        &self,
        architecture: &'static str,
        licences: &[(&'static str, Vec<u8>)],
        to: &Path,
    ) -> Outcome {
        let libraries = match architecture {
            "arm64" => "lib/aarch64-linux-gnu",
            _ => "lib/x86_64-linux-gnu",
        };
        let mut entries = self.entries("./usr/", libraries)?;
        for (file, text) in examples()? {
            let path = format!("./usr/share/doc/libchessdb-dev/examples/{file}");
            entries.push(Entry::file(path, text));
        }
        let package = Package {
            name: "libchessdb-dev",
            section: "libdevel",
            about: &format!(
                "Description: {DESCRIPTION} (C)\n \
                 Header, libraries and a file for pkg-config. The library opens databases of\n \
                 SCID, ChessBase, Chess Assistant, jose and other programs, and PGN.\n"
            ),
            version: &self.version,
            architecture,
            binary: self.files.first().map_or(&[], Vec::as_slice),
            control: vec![
                (
                    "shlibs",
                    format!("libchessdb_c {} libchessdb-dev\n", self.interface),
                ),
                ("triggers", "activate-noawait ldconfig\n".to_owned()),
            ],
            overrides: "",
            changes: &fs::read(crate_folder().join("CHANGELOG.md"))?,
            licences,
        };
        package.write(entries, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(target: &str) -> Library {
        Library {
            version: "1.2.3".to_owned(),
            interface: "4".to_owned(),
            target: target.to_owned(),
            files: vec![vec![1], vec![2], vec![3]],
        }
    }

    #[test]
    fn every_system_has_its_names() {
        for (target, names) in [
            (
                "x86_64-unknown-linux-gnu",
                vec!["libchessdb_c.so.4", "libchessdb_c.a", "libchessdb_c.so"],
            ),
            (
                "aarch64-apple-darwin",
                vec![
                    "libchessdb_c.4.dylib",
                    "libchessdb_c.a",
                    "libchessdb_c.dylib",
                ],
            ),
            (
                "x86_64-pc-windows-msvc",
                vec!["chessdb_c.dll", "chessdb_c.lib", "chessdb_c.dll.lib"],
            ),
        ] {
            let entries = library(target).entries("x/", "lib").unwrap();
            let paths = entries.iter().map(|entry| entry.path.as_str());
            let mut right = vec![
                "x/include/chessdb.h".to_owned(),
                "x/lib/pkgconfig/chessdb.pc".to_owned(),
            ];
            right.extend(names.iter().map(|name| format!("x/lib/{name}")));
            assert_eq!(paths.collect::<Vec<_>>(), right);
        }
    }

    #[test]
    fn pkg_config_finds_the_prefix() {
        let library = library("x86_64-unknown-linux-gnu");
        let text = library.pkg_config("lib/x86_64-linux-gnu");
        assert!(text.starts_with("prefix=${pcfiledir}/../../..\n"), "{text}");
        assert!(
            library
                .pkg_config("lib")
                .starts_with("prefix=${pcfiledir}/../..\n")
        );
        assert!(text.contains("\nVersion: 1.2.3\n"), "{text}");
    }

    #[test]
    fn the_interface_is_that_of_the_header() {
        assert!(interface().unwrap().parse::<u32>().is_ok());
    }
}
