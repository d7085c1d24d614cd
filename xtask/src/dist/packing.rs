//! Archives without time, owner or order of the machine that writes them.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc, GzBuilder};
use lzma_rust2::{CheckType, XzOptions, XzWriter};

use crate::Outcome;

/// The time of every member: 1 January 2000. It is not 0, which some programs take for an error.
const TIME: u64 = 946_684_800;

/// A member of an archive.
pub(crate) struct Entry {
    pub(crate) path: String,
    /// The content; of a link, the name of another file in its folder.
    pub(crate) bytes: Vec<u8>,
    mode: u32,
    kind: tar::EntryType,
}

impl Entry {
    pub(crate) fn file(path: String, bytes: Vec<u8>) -> Entry {
        Entry {
            path,
            bytes,
            mode: 0o644,
            kind: tar::EntryType::Regular,
        }
    }

    pub(crate) fn program(path: String, bytes: Vec<u8>) -> Entry {
        Entry {
            mode: 0o755,
            ..Entry::file(path, bytes)
        }
    }

    /// Returns whether it is a file, not a link.
    pub(crate) fn is_file(&self) -> bool {
        self.kind == tar::EntryType::Regular
    }

    /// A link to another file in the same folder.
    pub(crate) fn link(path: String, target: &str) -> Entry {
        Entry {
            mode: 0o777,
            kind: tar::EntryType::Symlink,
            ..Entry::file(path, target.into())
        }
    }
}

/// Packs members, and the folders that contain them, in alphabetical order.
pub(crate) fn tar_xz(mut entries: Vec<Entry>) -> Outcome<Vec<u8>> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut tar = tar::Builder::new(Vec::new());
    let mut folders: Vec<String> = Vec::new();
    for entry in &entries {
        for (slash, _) in entry.path.match_indices('/') {
            let folder = entry.path.get(..=slash).unwrap_or_default();
            if folder != "./" && !folders.iter().any(|other| other == folder) {
                folders.push(folder.to_owned());
                append(&mut tar, folder, &[], 0o755, tar::EntryType::Directory)?;
            }
        }
        let (path, bytes) = (entry.path.as_str(), entry.bytes.as_slice());
        append(&mut tar, path, bytes, entry.mode, entry.kind)?;
    }
    let tar = tar.into_inner()?;
    let mut options = XzOptions::with_preset(9);
    options.set_check_sum_type(CheckType::Crc64);
    let mut xz = XzWriter::new(Vec::new(), options)?;
    xz.write_all(&tar)?;
    Ok(xz.finish()?)
}

fn append(
    tar: &mut tar::Builder<Vec<u8>>,
    path: &str,
    bytes: &[u8],
    mode: u32,
    kind: tar::EntryType,
) -> std::io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(TIME);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    if kind == tar::EntryType::Symlink {
        header.set_size(0);
        return tar.append_link(&mut header, path, String::from_utf8_lossy(bytes).as_ref());
    }
    header.set_size(bytes.len() as u64);
    tar.append_data(&mut header, path, bytes)
}

/// Packs bytes with gzip, without a name or time.
pub(crate) fn gzip(bytes: &[u8]) -> Outcome<Vec<u8>> {
    let mut packer = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    Ok(packer.finish()?)
}

/// Packs files as a zip archive, which Windows opens without another program. Not by the crate zip: cargo
/// would enable its features for writing also in the readers of the workspace.
pub(crate) fn zip(mut entries: Vec<Entry>) -> Outcome<Vec<u8>> {
    /// 1 January 2000, 00:00.
    const DATE: [u8; 4] = [0, 0, 0x21, 0x28];
    const UTF_8: u16 = 1 << 11;
    const DEFLATE: u16 = 8;
    /// The version of the format with DEFLATE, and Unix as the system that set the modes.
    const VERSION: [u8; 2] = [20, 0];
    const UNIX_VERSION: [u8; 2] = [20, 3];
    let size = |length: usize| u32::try_from(length).map(u32::to_le_bytes);
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in &entries {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&entry.bytes)?;
        let packed = packer.finish()?;
        let mut crc = Crc::new();
        crc.update(&entry.bytes);
        let name = u16::try_from(entry.path.len())?;
        // These fields are in both headers of a file.
        let mut common = VERSION.to_vec();
        common.extend(UTF_8.to_le_bytes());
        common.extend(DEFLATE.to_le_bytes());
        common.extend(DATE);
        common.extend(crc.sum().to_le_bytes());
        common.extend(size(packed.len())?);
        common.extend(size(entry.bytes.len())?);
        common.extend(name.to_le_bytes());
        common.extend([0; 2]);
        directory.extend(b"PK\x01\x02");
        directory.extend(UNIX_VERSION);
        directory.extend(&common);
        directory.extend([0; 6]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(size(out.len())?);
        directory.extend(entry.path.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(common);
        out.extend(entry.path.as_bytes());
        out.extend(packed);
    }
    let count = u16::try_from(entries.len())?.to_le_bytes();
    let end = [size(directory.len()), size(out.len())];
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    for size in end {
        out.extend(size?);
    }
    out.extend([0; 2]);
    Ok(out)
}

/// Packs members as `ar` does: the form of a package of Debian.
pub(crate) fn ar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let size = bytes.len();
        let header = format!(
            "{name:<16}{TIME:<12}{0:<6}{0:<6}{1:<8}{size:<10}`\n",
            0, "100644"
        );
        out.extend(header.as_bytes());
        out.extend(bytes);
        if size % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_reproducible() {
        let entries = || {
            vec![
                Entry::program("x/b".to_owned(), vec![1; 1000]),
                Entry::file("x/a/c".to_owned(), vec![2; 3]),
                Entry::link("x/a/d".to_owned(), "c"),
            ]
        };
        let packed = tar_xz(entries()).unwrap();
        assert_eq!(packed, tar_xz(entries()).unwrap());
        assert!(packed.starts_with(&[0xFD, b'7', b'z', b'X', b'Z', 0]));
        let gz = gzip(b"text").unwrap();
        assert_eq!(gz.get(4..8), Some([0; 4].as_slice()));
    }

    /// Python's reader checks the sizes, the checksums and the names in both headers.
    #[test]
    #[cfg(unix)]
    fn other_programs_read_zip_archives() {
        let entries = vec![
            Entry::program("x/b".to_owned(), vec![1; 100_000]),
            Entry::file("x/a/\u{e9}".to_owned(), Vec::new()),
        ];
        let packed = zip(entries).unwrap();
        let file = std::env::temp_dir().join(format!("chessdb-{}.zip", std::process::id()));
        fs_err::write(&file, packed).unwrap();
        let script = "import sys, zipfile\n\
            archive = zipfile.ZipFile(sys.argv[1])\n\
            print(archive.testzip(), *(\n\
            (ascii(member.filename), member.file_size, member.date_time[:3], \
            oct(member.external_attr >> 16))\n\
            for member in archive.infolist()))";
        let mut python = std::process::Command::new("python3");
        let output = python.args(["-c", script]).arg(&file).output().unwrap();
        let _ = std::fs::remove_file(&file);
        let right = "None (\"'x/a/\\\\xe9'\", 0, (2000, 1, 1), '0o644') \
                     (\"'x/b'\", 100000, (2000, 1, 1), '0o755')\n";
        assert_eq!(String::from_utf8_lossy(&output.stdout), right);
    }

    #[test]
    fn ar_members_start_at_even_offsets() {
        let packed = ar(&[("debian-binary", b"2.0".to_vec()), ("next", vec![7])]);
        assert_eq!(packed.len(), 8 + 60 + 4 + 60 + 2);
        let header = packed.get(8..68).unwrap();
        assert_eq!(header.get(58..), Some(b"`\n".as_slice()));
        assert!(header.starts_with(b"debian-binary   946684800   0     0     100644  3         "));
    }
}
