//! The package for Debian and its relatives.

use std::path::Path;

use super::packing::{Entry, ar, gzip, tar_xz};
use super::program::{Release, SHELLS};
use crate::Outcome;

/// The variable with the name and address of the maintainer, which Debian requires.
const MAINTAINER: &str = "CHESSDB_MAINTAINER";

/// The maintainer without that variable, with an address of a domain that never exists.
const NOBODY: &str = "The chessdb developers <developers@chessdb.invalid>";

/// Allows what lintian refuses only in programs from Debian itself.
const OVERRIDES: &str = "\
# The project publishes this package itself, without a bug report that asks for it.
chessdb: initial-upload-closes-no-bugs [usr/share/doc/chessdb/changelog.Debian.gz:1]
";

/// As above, for a program without dynamic libraries. It is position-independent, so lintian takes it
/// for a library.
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

/// Writes the package.
pub(super) fn write(release: &Release, architecture: &str, to: &Path) -> Outcome {
    let version = format!("{}-1", release.version);
    let maintainer = std::env::var(MAINTAINER);
    let maintainer = maintainer.ok().filter(|name| name.contains('@'));
    if maintainer.is_none() {
        println!("{MAINTAINER} names no address, so the package for Debian has none that exists");
    }
    let maintainer = maintainer.unwrap_or(NOBODY.to_owned());
    let changes = format!(
        "chessdb ({version}) unstable; urgency=medium\n\n  * {} of chessdb; changelog.gz lists the changes.\n\n \
         -- {maintainer}  Sat, 01 Jan 2000 00:00:00 +0000\n",
        release.version
    );
    let data = contents(release, &changes)?;
    let size: usize = data
        .iter()
        .map(|entry| entry.bytes.len().div_ceil(1024))
        .sum();
    let depends = depends(&release.program);
    let control = format!(
        "Package: chessdb\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: {maintainer}\nInstalled-Size: {size}\n{depends}\
         Section: database\nPriority: optional\n{ABOUT}"
    );
    let control = vec![Entry::file("./control".to_owned(), control.into_bytes())];
    let package = ar(&[
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.xz", tar_xz(control)?),
        ("data.tar.xz", tar_xz(data)?),
    ]);
    let name = format!("chessdb_{version}_{architecture}.deb");
    super::write(&to.join(name), &package)
}

/// Returns the installed files, with these changes of the package itself.
fn contents(release: &Release, changes: &str) -> Result<Vec<Entry>, String> {
    let doc = |name: &str| format!("./usr/share/doc/chessdb/{name}");
    let mut entries = vec![
        Entry::program("./usr/bin/chessdb".to_owned(), release.program.clone()),
        Entry::file(doc("copyright"), COPYRIGHT.into()),
        Entry::file(doc("changelog.gz"), gzip(&release.changes)?),
        Entry::file(doc("changelog.Debian.gz"), gzip(changes.as_bytes())?),
    ];
    for (name, text) in &release.licences {
        entries.push(Entry::file(doc(&format!("{name}.gz")), gzip(text)?));
    }
    let mut overrides = OVERRIDES.to_owned();
    if glibc(&release.program).is_none() {
        overrides += OVERRIDES_OF_STATIC;
    }
    let path = "./usr/share/lintian/overrides/chessdb".to_owned();
    entries.push(Entry::file(path, overrides.into_bytes()));
    for (name, text) in &release.pages {
        let path = format!("./usr/share/man/man1/{name}.gz");
        entries.push(Entry::file(path, gzip(text)?));
    }
    for ((_, _, path), text) in SHELLS.iter().zip(&release.completions) {
        if let Some(path) = path {
            entries.push(Entry::file(format!("./{path}"), text.clone()));
        }
    }
    Ok(entries)
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
    fn architectures_have_debian_names() {
        assert_eq!(architecture("x86_64-unknown-linux-musl"), Some("amd64"));
        assert_eq!(architecture("aarch64-unknown-linux-gnu"), Some("arm64"));
        assert_eq!(architecture("x86_64-pc-windows-msvc"), None);
    }
}
