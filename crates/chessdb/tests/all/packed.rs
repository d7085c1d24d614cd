//! Packed input: gzip, Zstandard, zip archives; also damaged ones.
#![cfg(all(feature = "archives", feature = "pgn", feature = "scid"))]

use std::fs;
use std::io::Write;

use chessdb::convert::Progress;
use chessdb::core::ReadOptions;
use chessdb::fs::{find, find_as};
use chessdb::{Problem, formats};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

use crate::common::{GAMES, first, open, problem, scid_folder, tal};

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Returns a zip archive of these files, all stored or all deflated; `flags` as in its headers.
fn zip(files: &[(&str, &[u8])], deflate: bool, flags: u16) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in files {
        let packed = if deflate {
            let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
            packer.write_all(content).unwrap();
            packer.finish().unwrap()
        } else {
            content.to_vec()
        };
        let offset = archive.len() as u32;
        let mut common = Vec::new();
        common.extend(20u16.to_le_bytes());
        common.extend(flags.to_le_bytes());
        common.extend(if deflate { 8u16 } else { 0 }.to_le_bytes());
        common.extend([0; 4]);
        common.extend(crc(content).to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, count) = (archive.len() as u32, files.len() as u16);
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    archive
}

fn scid_files() -> Vec<(&'static str, Vec<u8>)> {
    let folder = scid_folder();
    ["base.si4", "base.sg4", "base.sn4"]
        .map(|name| (name, fs::read(folder.path().join(name)).unwrap()))
        .into()
}

#[test]
fn packed_pgn_is_read_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let zst = zstd::encode_all(GAMES.as_bytes(), 3).unwrap();
    let one = [("games.pgn", GAMES.as_bytes())];
    let cases = [
        ("games.pgn.gz", gz(GAMES.as_bytes())),
        ("games.gz", gz(GAMES.as_bytes())),
        ("odd name", gz(GAMES.as_bytes())),
        ("games.pgn.zst", zst.clone()),
        ("GAMES.PGN.ZST", zst),
        ("stored.zip", zip(&one, false, 0)),
        ("deflated.zip", zip(&one, true, 0)),
        (
            "text.zip",
            zip(&[("sub/dir/readme.txt", GAMES.as_bytes())], true, 0),
        ),
        (
            "more.zip",
            zip(
                &[("note.txt", b"hello"), ("a/b.pgn", GAMES.as_bytes())],
                true,
                0,
            ),
        ),
    ];
    for (name, bytes) in cases {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        assert_eq!(first(&path), tal(), "{name}");
        let found = find(&path).unwrap();
        assert!(found.is_packed());
        let mut stream = found
            .stream(ReadOptions::default(), &Progress::default())
            .unwrap();
        assert!(
            stream.skip_game().unwrap() && stream.skip_game().unwrap(),
            "{name}"
        );
        assert!(!stream.skip_game().unwrap(), "{name}");
    }
}

#[test]
fn a_whole_base_may_lie_in_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let files = scid_files();
    let members: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (*name, bytes.as_slice()))
        .collect();
    let path = folder.path().join("base.zip");
    fs::write(&path, zip(&members, true, 0)).unwrap();
    assert_eq!(first(&path), tal());
    let mut two = members.clone();
    two.push(("other.pgn", GAMES.as_bytes()));
    fs::write(&path, zip(&two, true, 0)).unwrap();
    assert!(matches!(
        problem(&path).problem(),
        Problem::SeveralDatabases(_)
    ));
    assert_eq!(
        find_as(&path, formats::by_id("si4")).unwrap().format().id,
        "si4"
    );
}

#[test]
fn damaged_archives_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        open(&path).map(|base| base.iter().map(|(_, _, size)| size).sum::<u64>())
    };
    let member = [("games.pgn", GAMES.as_bytes())];
    let sound = zip(&member, true, 0);
    assert_eq!(read("a.zip", &sound).unwrap(), GAMES.len() as u64);
    let locked = read("a.zip", &zip(&member, true, 1)).unwrap_err();
    assert!(locked.to_string().contains("encrypted"), "{locked}");
    // A wrong checksum and a wrong length in the directory, which is authoritative.
    let at = sound.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    for offset in [16, 24] {
        let mut bad = sound.clone();
        bad[at + offset] ^= 1;
        assert!(read("a.zip", &bad).is_err(), "directory byte {offset}");
    }
    // With less than the four magic bytes it could be any text.
    for length in 4..sound.len() {
        assert!(read("a.zip", &sound[..length]).is_err(), "cut to {length}");
    }
    let gz = gz(GAMES.as_bytes());
    for length in 10..gz.len() {
        assert!(read("a.pgn.gz", &gz[..length]).is_err(), "cut to {length}");
    }
    let zst = zstd::encode_all(GAMES.as_bytes(), 3).unwrap();
    for length in 8..zst.len() {
        assert!(
            read("a.pgn.zst", &zst[..length]).is_err(),
            "cut to {length}"
        );
    }
}

/// ChessBase's archives contain databases of any format, in folders or not, one or several.
#[cfg(feature = "cbh")]
mod cbv {
    use super::*;
    use chessdb::Database;
    use chessdb::cbh::archive::{Key, Packing, lock, pack};
    use chessdb::formats::{Files, FormatHint, by_id};

    fn cbv(files: &[(&str, &[u8])], packing: Packing) -> Vec<u8> {
        let files = files.iter();
        pack(
            files.map(|(name, content)| (name.as_bytes(), *content)),
            packing,
        )
        .unwrap()
    }

    fn scid_in(folder: &str) -> Vec<(String, Vec<u8>)> {
        let named = |(name, bytes)| (format!("{folder}{name}"), bytes);
        scid_files().into_iter().map(named).collect()
    }

    fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
        let files = files.iter();
        files.map(|(name, bytes)| (&name[..], &bytes[..])).collect()
    }

    #[test]
    fn one_base_or_several() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base.cbv");
        for packing in [Packing::Stored, Packing::Smallest] {
            fs::write(&path, cbv(&borrowed(&scid_in("")), packing)).unwrap();
            assert_eq!(first(&path), tal());
            assert!(find(&path).unwrap().is_packed());
        }
        let mut two = scid_in("sub\\");
        two.push(("games.pgn".to_owned(), GAMES.into()));
        two.push(("sub\\page.htm".to_owned(), b"text".to_vec()));
        fs::write(&path, cbv(&borrowed(&two), Packing::Smallest)).unwrap();
        assert!(matches!(
            problem(&path).problem(),
            Problem::SeveralDatabases(_)
        ));
        let survey = chessdb::fs::survey(folder.path(), None).unwrap();
        let within = |name| path.with_file_name(format!("base.cbv:{name}"));
        assert_eq!(survey.bases, [within("games.pgn"), within("sub/base.si4")]);
        assert_eq!(first(&within("sub/base.si4")), tal());
        let named = [("base.cbv", fs::read(&path).unwrap())];
        let files = Files::new(named, by_id("si4")).unwrap();
        assert_eq!(files.format().id, "si4");
    }

    #[test]
    fn a_password_opens_it_and_is_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base.cbz");
        let open = cbv(&borrowed(&scid_in("")), Packing::Smallest);
        let password = "schöne Züge";
        let western: Vec<u8> = password.chars().map(|c| c as u8).collect();
        fs::write(&path, lock(open, Key::new(&western))).unwrap();
        let wanted = FormatHint::default().password(password);
        let options = Database::options().password(password);
        assert!(
            !format!("{wanted:?} {options:?}").contains("Z"),
            "{wanted:?} {options:?}"
        );
        assert_eq!(options.open(&path).unwrap().len().unwrap(), 2);
        let found = find_as(&path, wanted).unwrap();
        assert_eq!(found.format().id, "si4");
        let in_memory = [("base.cbz", fs::read(&path).unwrap())];
        assert_eq!(Files::new(in_memory, wanted).unwrap().format().id, "si4");
        let said = |wanted: FormatHint| find_as(&path, wanted).unwrap_err().to_string();
        let message = said(FormatHint::default());
        assert!(
            message.ends_with("an encrypted archive requires a password"),
            "{message}"
        );
        let message = said(FormatHint::default().password("geheim"));
        assert!(message.ends_with("wrong password"), "{message}");
        assert!(!message.contains("geheim"));
    }

    #[test]
    fn damage_and_names_that_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base.cbv");
        // Such a member is read, under a name within the archive.
        for name in ["..\\games.pgn", "C:\\games.pgn", "\\games.pgn"] {
            fs::write(&path, cbv(&[(name, GAMES.as_bytes())], Packing::Stored)).unwrap();
            assert_eq!(first(&path), tal(), "{name}");
        }
        let whole = cbv(&[("games.pgn", GAMES.as_bytes())], Packing::Smallest);
        for end in 8..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert!(open(&path).is_err(), "{end} bytes");
        }
        let mut changed = whole;
        let last = changed.len() - 3;
        changed[last] ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(open(&path).is_err());
    }
}
