//! Packages for Debian and its relatives: the program, and the library for C.

use std::path::Path;

use md5::{Digest, Md5};

use super::packing::{Entry, ar, gzip, tar_xz};
use super::program::{Release, SHELLS};
use crate::{Outcome, cmd};

/// The variable with the name and address of the maintainer, which Debian requires.
const MAINTAINER: &str = "CHESSDB_MAINTAINER";

/// The maintainer without that variable, with an address of a domain that never exists.
const NOBODY: &str = "The chessdb developers <developers@chessdb.invalid>";

/// Allows, for a program without dynamic libraries, what lintian refuses only in programs from Debian
/// itself. It is position-independent, so lintian takes it for a library.
const OVERRIDES_OF_STATIC: &str = "\
# The package is for every release of Debian and its relatives, so it depends on no library.
chessdb: shared-library-lacks-prerequisites [usr/bin/chessdb]
";

const ABOUT: &str = "\
Description: read, search, repair and convert chess databases
 chessdb opens databases of SCID, ChessBase, Chess Assistant, jose and other
 programs, and PGN. It searches games and positions, finds duplicates, repairs
 damaged databases, and converts between formats. What a format cannot store
 is counted and reported.
";

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: chessdb

Files: *
Copyright: Copyright (C) 2026 The chessdb developers
License: GPL-3.0-or-later
 On Debian systems the text of the GNU General Public License, version 3, is in
 /usr/share/common-licenses/GPL-3.
Comment:
 The licences of the libraries in the program are in LICENSES-of-libraries.txt.gz
 and LICENSES-of-Rust.html.gz in this folder.
";

/// Returns Debian's name of the processor of a target; `None` for other systems.
pub(crate) fn architecture(target: &str) -> Option<&'static str> {
    let (processor, rest) = target.split_once('-')?;
    match processor {
        _ if !rest.contains("linux") => None,
        "x86_64" => Some("amd64"),
        "aarch64" => Some("arm64"),
        _ => None,
    }
}

/// A package, without the files that every package has.
pub(super) struct Package<'a> {
    pub(super) name: &'static str,
    pub(super) section: &'static str,
    /// The field `Description`.
    pub(super) about: &'a str,
    pub(super) version: &'a str,
    pub(super) architecture: &'static str,
    /// The program or library, which needs other libraries.
    pub(super) binary: &'a [u8],
    /// Further files with instructions for the installer.
    pub(super) control: Vec<(&'static str, String)>,
    /// Further lines for lintian, with exceptions.
    pub(super) overrides: &'a str,
    /// The change log.
    pub(super) changes: &'a [u8],
    pub(super) licences: &'a [(&'static str, Vec<u8>)],
}

/// Writes the package of the program.
pub(super) fn write_program(release: &Release, architecture: &'static str, to: &Path) -> Outcome {
    let is_static = glibc(&release.program).is_none();
    let package = Package {
        name: "chessdb",
        section: "database",
        about: ABOUT,
        version: &release.version,
        architecture,
        binary: &release.program,
        control: Vec::new(),
        overrides: if is_static { OVERRIDES_OF_STATIC } else { "" },
        changes: &release.changes,
        licences: &release.licences,
    };
    let program = Entry::program("./usr/bin/chessdb".to_owned(), release.program.clone());
    let mut entries = vec![program];
    for (name, text) in &release.pages {
        let path = format!("./usr/share/man/man1/{name}.gz");
        entries.push(Entry::file(path, gzip(text)?));
    }
    for ((_, _, path), text) in SHELLS.iter().zip(&release.completions) {
        if let Some(path) = path {
            entries.push(Entry::file(format!("./{path}"), text.clone()));
        }
    }
    package.write(entries, to)
}

impl Package<'_> {
    /// Writes the package with these files and those that every package has.
    pub(super) fn write(mut self, mut entries: Vec<Entry>, to: &Path) -> Outcome {
        let version = format!("{}-1", self.version);
        let maintainer = std::env::var(MAINTAINER);
        let maintainer = maintainer.ok().filter(|name| name.contains('@'));
        if maintainer.is_none() {
            println!(
                "{MAINTAINER} names no address, so the package for Debian has none that exists"
            );
        }
        let maintainer = maintainer.unwrap_or(NOBODY.to_owned());
        self.add_documents(&mut entries, &version, &maintainer)?;
        let size: usize = entries
            .iter()
            .map(|entry| entry.bytes.len().div_ceil(1024))
            .sum();
        let homepage = match cmd::repository()?.as_str() {
            "" => String::new(),
            address => format!("Homepage: {address}\n"),
        };
        let Package {
            name,
            section,
            about,
            architecture,
            ..
        } = self;
        let depends = depends(self.binary);
        let control = format!(
            "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n\
             Maintainer: {maintainer}\nInstalled-Size: {size}\n{depends}\
             Section: {section}\nPriority: optional\n{homepage}{about}"
        );
        self.control.push(("control", control));
        self.control.push(("md5sums", md5sums(&entries)));
        let control = self
            .control
            .into_iter()
            .map(|(name, text)| Entry::file(format!("./{name}"), text.into_bytes()));
        let package = ar(&[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.xz", tar_xz(control.collect())?),
            ("data.tar.xz", tar_xz(entries)?),
        ]);
        cmd::write(
            &to.join(format!("{name}_{version}_{architecture}.deb")),
            package,
        )
    }

    /// Adds the licences, the changes, and what lintian must permit.
    fn add_documents(&self, entries: &mut Vec<Entry>, version: &str, maintainer: &str) -> Outcome {
        let name = self.name;
        let doc = |file: &str| format!("./usr/share/doc/{name}/{file}");
        let changes = format!(
            "{name} ({version}) unstable; urgency=medium\n\n  * {} of {name}; changelog.gz lists the \
             changes.\n\n -- {maintainer}  Sat, 01 Jan 2000 00:00:00 +0000\n",
            self.version
        );
        let overrides = format!(
            "# The project publishes this package itself, without a bug report that asks for it.\n\
             {name}: initial-upload-closes-no-bugs \
             [usr/share/doc/{name}/changelog.Debian.gz:1]\n{}",
            self.overrides
        );
        entries.extend([
            Entry::file(doc("copyright"), COPYRIGHT.into()),
            Entry::file(doc("changelog.gz"), gzip(self.changes)?),
            Entry::file(doc("changelog.Debian.gz"), gzip(changes.as_bytes())?),
            Entry::file(
                format!("./usr/share/lintian/overrides/{name}"),
                overrides.into_bytes(),
            ),
        ]);
        for (file, text) in self.licences {
            entries.push(Entry::file(doc(&format!("{file}.gz")), gzip(text)?));
        }
        Ok(())
    }
}

/// Returns the checksums with which `debsums` finds damaged files.
fn md5sums(entries: &[Entry]) -> String {
    let files = entries.iter().filter(|entry| entry.is_file());
    let mut lines: Vec<String> = files
        .map(|entry| {
            let digest = cmd::hex(&Md5::digest(&entry.bytes));
            let path = entry.path.trim_start_matches("./");
            format!("{digest}  {path}\n")
        })
        .collect();
    lines.sort_by(|a, b| a.get(32..).cmp(&b.get(32..)));
    lines.concat()
}

/// Returns the line with the libraries that the program needs; none for a static program.
fn depends(program: &[u8]) -> String {
    let Some(minor) = glibc(program) else {
        return String::new();
    };
    let has_unwinder = contains(program, b"libgcc_s.so.1");
    let unwinder = if has_unwinder { ", libgcc-s1" } else { "" };
    format!("Depends: libc6 (>= 2.{minor}){unwinder}\n")
}

/// Returns the newest version of the C library, after `2.`, that the functions called by the program need.
fn glibc(program: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"GLIBC_2.";
    program
        .windows(NAME.len())
        .enumerate()
        .filter(|(_, window)| *window == NAME)
        .map(|(start, _)| {
            let rest = program.get(start + NAME.len()..).unwrap_or_default();
            let digits = rest.iter().take(3).take_while(|byte| byte.is_ascii_digit());
            digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
        })
        .max()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_glibc_version_is_required() {
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.17\0libgcc_s.so.1\0";
        assert_eq!(depends(program), "Depends: libc6 (>= 2.34), libgcc-s1\n");
        assert_eq!(depends(b"static"), "");
    }

    #[test]
    fn checksums_are_of_files_in_order() {
        let entries = [
            Entry::file("./usr/b".to_owned(), b"abc".to_vec()),
            Entry::link("./usr/c".to_owned(), "b"),
            Entry::file("./usr/a".to_owned(), Vec::new()),
        ];
        let right = "d41d8cd98f00b204e9800998ecf8427e  usr/a\n\
                     900150983cd24fb0d6963f7d28e17f72  usr/b\n";
        assert_eq!(md5sums(&entries), right);
    }

    #[test]
    fn architectures_have_debian_names() {
        assert_eq!(architecture("x86_64-unknown-linux-musl"), Some("amd64"));
        assert_eq!(architecture("aarch64-unknown-linux-gnu"), Some("arm64"));
        assert_eq!(architecture("x86_64-pc-windows-msvc"), None);
    }
}
