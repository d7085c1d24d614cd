//! Archives without time, owner or order of the machine that writes them.

use std::io::Write;

use flate2::{Compression, GzBuilder};
use lzma_rust2::{CheckType, XzOptions, XzWriter};

/// The time of every member: 1 January 2000. It is not 0, which some programs take for an error.
const TIME: u64 = 946_684_800;

/// A member of an archive.
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    mode: u32,
}

impl Entry {
    pub(crate) fn file(path: String, bytes: Vec<u8>) -> Entry {
        Entry {
            path,
            bytes,
            mode: 0o644,
        }
    }

    pub(crate) fn program(path: String, bytes: Vec<u8>) -> Entry {
        Entry {
            path,
            bytes,
            mode: 0o755,
        }
    }
}

/// Packs members, and the folders that contain them, in alphabetical order.
pub(crate) fn tar_xz(mut entries: Vec<Entry>) -> Result<Vec<u8>, String> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let failed = |error: std::io::Error| error.to_string();
    let mut tar = tar::Builder::new(Vec::new());
    let mut folders: Vec<String> = Vec::new();
    for entry in &entries {
        for (slash, _) in entry.path.match_indices('/') {
            let folder = entry.path.get(..=slash).unwrap_or_default();
            if folder != "./" && !folders.iter().any(|other| other == folder) {
                folders.push(folder.to_owned());
                append(&mut tar, folder, &[], 0o755, tar::EntryType::Directory).map_err(failed)?;
            }
        }
        let (path, bytes) = (entry.path.as_str(), entry.bytes.as_slice());
        append(&mut tar, path, bytes, entry.mode, tar::EntryType::Regular).map_err(failed)?;
    }
    let tar = tar.into_inner().map_err(failed)?;
    let mut options = XzOptions::with_preset(9);
    options.set_check_sum_type(CheckType::Crc64);
    let mut xz = XzWriter::new(Vec::new(), options).map_err(failed)?;
    xz.write_all(&tar).map_err(failed)?;
    xz.finish().map_err(failed)
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
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    header.set_mtime(TIME);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    tar.append_data(&mut header, path, bytes)
}

/// Packs bytes with gzip, without a name or time.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut packer = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    packer.write_all(bytes).map_err(failed)?;
    packer.finish().map_err(failed)
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
            ]
        };
        let packed = tar_xz(entries()).unwrap();
        assert_eq!(packed, tar_xz(entries()).unwrap());
        assert!(packed.starts_with(&[0xFD, b'7', b'z', b'X', b'Z', 0]));
        let gz = gzip(b"text").unwrap();
        assert_eq!(gz.get(4..8), Some([0; 4].as_slice()));
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
