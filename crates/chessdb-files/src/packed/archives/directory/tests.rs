//! Tests that names are safe, and of how much is read from an archive.

use std::path::Component;

use std::io::{Cursor, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::*;
use crate::packed::{Container, Packing};

/// Counts the bytes that are read.
struct CountingReader(Cursor<Arc<[u8]>>, Arc<AtomicU64>);

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for CountingReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

fn tar_of(members: usize) -> Vec<u8> {
    let mut archive = ::tar::Builder::new(Vec::new());
    for n in 0..members {
        // Not in the order of their names.
        let name = format!("{}.pgn", n * 7919 % members);
        let mut header = ::tar::Header::new_ustar();
        header.set_size(3000);
        header.set_cksum();
        let content = format!("{n:>3000}");
        archive
            .append_data(&mut header, name, content.as_bytes())
            .unwrap();
    }
    archive.into_inner().unwrap()
}
fn cbv_of(members: usize) -> Vec<u8> {
    let named = |n: usize| {
        (
            format!("{n}.pgn").into_bytes(),
            format!("{n:>3000}").into_bytes(),
        )
    };
    let members: Vec<_> = (0..members).map(named).collect();
    let members = members
        .iter()
        .map(|(name, content)| (name.as_slice(), content.as_slice()));
    chessdb_cbh::archive::pack(members, chessdb_cbh::archive::Packing::Smallest).unwrap()
}

fn zip_of(members: usize) -> Vec<u8> {
    let mut archive = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = ::zip::write::SimpleFileOptions::default()
        .compression_method(::zip::CompressionMethod::Stored);
    for n in 0..members {
        archive.start_file(format!("{n}.pgn"), stored).unwrap();
        archive.write_all(format!("{n:>3000}").as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Returns a 7z archive whose members share one block.
fn sevenzip_of(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    use sevenz_rust2::{ArchiveEntry, ArchiveWriter, SourceReader};
    let mut archive = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    let entries = members.iter().map(|(name, _)| ArchiveEntry::new_file(name));
    let contents = members
        .iter()
        .map(|(_, content)| SourceReader::new(content.as_slice()));
    archive
        .push_archive_entries(entries.collect(), contents.collect())
        .unwrap();
    archive.finish().unwrap().into_inner()
}

fn numbered(members: usize) -> Vec<(String, Vec<u8>)> {
    let named = |n: usize| (format!("{n}.pgn"), format!("{n:>3000}").into_bytes());
    (0..members).map(named).collect()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Returns how many times the length of an archive is read while all of its members are read.
fn work(archive: Vec<u8>, members: usize) -> u64 {
    let bytes: Arc<[u8]> = archive.into();
    let count = Arc::new(AtomicU64::new(0));
    let open = || CountingReader(Cursor::new(Arc::clone(&bytes)), Arc::clone(&count));
    let Container::Archive(archive) = Container::detect(open(), None).unwrap() else {
        panic!("no archive");
    };
    let directory = archive.directory(|| Ok(open())).unwrap();
    let names = directory.names();
    assert_eq!(names.len(), members);
    for name in names {
        let mut content = String::new();
        let mut member = directory.member(|| Ok(open()), &name).unwrap();
        member.read_to_string(&mut content).unwrap();
        assert_eq!(content.len(), 3000);
    }
    count.load(Ordering::Relaxed) / bytes.len() as u64
}

/// Reading all members one by one takes a few passes over the archive, not one for each. The test
/// counts work rather than time.
#[test]
fn archive_members_are_read_in_few_passes() {
    for members in [30, 300] {
        assert!(work(zip_of(members), members) <= 6);
        assert!(work(tar_of(members), members) <= 6);
        assert!(work(gz(&tar_of(members)), members) <= 6);
        assert!(work(cbv_of(members), members) <= 6);
        assert!(work(sevenzip_of(&numbered(members)), members) <= 6);
    }
}

#[test]
fn member_content_is_the_same_from_every_source() {
    let archive: Arc<[u8]> = gz(&tar_of(9)).into();
    let open = || Ok(Cursor::new(Arc::clone(&archive)));
    let directory = Archive::Tar(Packing::Gzip).directory(open).unwrap();
    let read = |name: &str| {
        let mut content = String::new();
        let mut member = directory.member(open, Path::new(name)).unwrap();
        member.read_to_string(&mut content).unwrap();
        content.trim().to_owned()
    };
    let before: Vec<String> = ["5.pgn", "2.pgn"].map(&read).into();
    for name in (0..9).rev().map(|n| format!("{n}.pgn")) {
        read(&name);
    }
    assert_eq!(before, ["5.pgn", "2.pgn"].map(&read));
}

/// The name of a member with its content, or the error of reading it.
type ReadMember = (PathBuf, io::Result<Vec<u8>>);

/// Opens an archive and reads each member.
fn all_of(archive: &[u8]) -> Result<Vec<ReadMember>, Problem> {
    let archive: Arc<[u8]> = archive.into();
    let open = || Ok(Cursor::new(Arc::clone(&archive)));
    let Container::Archive(kind) = Container::detect(open()?, None)? else {
        return Err(Problem::NoDatabase);
    };
    let directory = kind.directory(open)?;
    let read = |name: PathBuf| {
        let mut content = Vec::new();
        let read = match directory.member(open, &name) {
            Ok(mut member) => member.read_to_end(&mut content).map(|_| content),
            Err(_) => Err(io::ErrorKind::InvalidData.into()),
        };
        (name, read)
    };
    Ok(directory.names().into_iter().map(read).collect())
}

/// Damage anywhere in a 7z archive is an error of the archive or of a member; a member without an
/// error has its own content.
#[test]
fn damaged_7z_never_yields_wrong_content() {
    let mut members = numbered(5);
    members.push(("empty.pgn".to_owned(), Vec::new()));
    let whole = sevenzip_of(&members);
    let read = all_of(&whole).unwrap();
    assert_eq!(read.len(), 6);
    let is_right = |(name, content): &ReadMember| {
        let mut own = members.iter();
        let own = own.find(|(own, _)| Path::new(own) == name);
        let content = content.as_ref().ok();
        content.is_none_or(|content| own.is_some_and(|(_, own)| own == content))
    };
    assert!(
        read.iter()
            .all(|member| member.1.is_ok() && is_right(member))
    );
    for n in 0..whole.len() {
        for damaged in [&whole[..n], &{
            let mut changed = whole.clone();
            changed[n] ^= 1 << (n % 8);
            changed
        }] {
            // A changed name is not noticed if its checksum is changed too, which one bit cannot do.
            if let Ok(read) = all_of(damaged) {
                assert!(read.iter().all(is_right), "{n}");
            }
        }
    }
}

#[test]
fn member_names_cannot_escape_the_folder() {
    for (name, expected) in [
        ("a.pgn", "a.pgn"),
        ("./a.pgn", "a.pgn"),
        ("sub/a.pgn", "sub/a.pgn"),
        ("sub\\a.pgn", "sub/a.pgn"),
        ("../a.pgn", "a.pgn"),
        ("..\\a.pgn", "a.pgn"),
        ("a/../../b.pgn", "a/b.pgn"),
        ("/etc/a.pgn", "etc/a.pgn"),
        ("//server/share/a.pgn", "server/share/a.pgn"),
        ("\\\\server\\a.pgn", "server/a.pgn"),
        ("C:\\a.pgn", "a.pgn"),
        ("C:a.pgn", "a.pgn"),
        ("c:D:/a.pgn", "a.pgn"),
        ("../C:/a.pgn", "a.pgn"),
        ("\\\\?\\C:\\a.pgn", "?/a.pgn"),
        ("a//b.pgn", "a/b.pgn"),
        ("a\0b.pgn", "a_b.pgn"),
        ("", "unnamed"),
        ("..", "unnamed"),
        ("/", "unnamed"),
        ("C:", "unnamed"),
        ("...", "..."),
        ("a ../b", "a ../b"),
    ] {
        assert_eq!(safe_name(name), Path::new(expected), "{name:?}");
        let plain = name == expected || matches!(name, "./a.pgn" | "sub\\a.pgn");
        assert_eq!(is_harmless(name), plain, "{name:?}");
    }
}

#[test]
fn duplicate_name_gets_a_number() {
    let mut names = UniqueNames::default();
    let mut of = |name: &str| names.unique(name.into()).name;
    let unique = [
        "a.pgn",
        "a.pgn",
        "a (2).pgn",
        "a.pgn",
        "sub/a.pgn",
        "sub/a.pgn",
        "b",
        "b",
    ]
    .map(|name| of(name).to_str().unwrap().replace('\\', "/"));
    assert_eq!(
        unique,
        [
            "a.pgn",
            "a (2).pgn",
            "a (2) (2).pgn",
            "a (3).pgn",
            "sub/a.pgn",
            "sub/a (2).pgn",
            "b",
            "b (2)"
        ]
    );
}

proptest! {
    #[test]
    fn random_names_cannot_escape_the_folder(name in "([./\\\\:C-Da \0\u{202e}\n-]|\\.\\.){0,24}") {
        let path = safe_name(&name);
        prop_assert!(path.components().all(|part| matches!(part, Component::Normal(_))));
        prop_assert!(path.components().next().is_some());
        let written = crate::paths::portable_name(&path);
        prop_assert!(written.components().all(|part| matches!(part, Component::Normal(_))));
        // The function is idempotent.
        prop_assert_eq!(safe_name(path.to_str().unwrap()), path);
    }
}
