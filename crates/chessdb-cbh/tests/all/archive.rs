//! Genuine archives: their members equal the unpacked files next to them. `CHESSDB_TESTDATA` is the
//! folder.

use std::fs;
use std::io::{self, Read as _};

use chessdb_cbh::archive::{ArchiveHeader, Deciphered, Key, Member, Unpacked};
use chessdb_testkit::fixtures;

/// Returns the members of an archive with their names.
fn unpacked(archive: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
    let header = ArchiveHeader::parse(archive).unwrap();
    let table = &archive[ArchiveHeader::SIZE..header.table_end()];
    let members = Member::parse_all(table).into_iter().map(|member| {
        let stream = &archive[member.offset as usize..][..member.packed as usize];
        let mut content = Vec::new();
        Unpacked::new(stream, member.size).read_to_end(&mut content)?;
        Ok((member.path().unwrap(), content))
    });
    members.collect()
}

fn deciphered(archive: &[u8], password: &str) -> Vec<u8> {
    let mut open = Vec::new();
    let mut reader = Deciphered::new(archive, Key::new(password.as_bytes()));
    reader.read_to_end(&mut open).unwrap();
    open
}

#[test]
fn members_are_the_files_beside_the_archive() {
    let Some(folder) = fixtures::testdata("fixtures-real/cbh") else {
        return;
    };
    let archives = [
        ("small/small.cbv", 12, "small"),
        ("twic1134/twic1134.cbv", 13, "twic1134"),
        ("lundi/test.cbv", 13, "lundi"),
    ];
    for (path, count, beside) in archives {
        let members = unpacked(&fs::read(folder.join(path)).unwrap()).unwrap();
        assert_eq!(members.len(), count, "{path}");
        let mut compared = 0;
        for (name, content) in members {
            let file = folder.join(beside).join(&name);
            // Not every file of the archives is available unpacked.
            if let Ok(expected) = fs::read(&file) {
                assert!(content == expected, "{path}: {name}");
                compared += 1;
            }
        }
        assert!(compared > 0 || beside == "lundi", "{path}");
    }
}

#[test]
fn passwords_open_archives() {
    let Some(folder) = fixtures::testdata("fixtures-real/cbh/small") else {
        return;
    };
    let expected = unpacked(&fs::read(folder.join("decrypted_small.cbv")).unwrap()).unwrap();
    let locked = [
        ("small.cbz", "password"),
        ("small2.cbz", "pass"),
        ("small3.cbz", "my long password"),
    ];
    for (name, password) in locked {
        let archive = fs::read(folder.join(name)).unwrap();
        let open = unpacked(&deciphered(&archive, password)).unwrap();
        assert_eq!(open.len(), expected.len(), "{name}");
        for ((name, content), (other, expected)) in open.iter().zip(&expected) {
            assert_eq!(name, other);
            assert!(name.ends_with(".ini") || content == expected, "{name}");
        }
        let wrong = deciphered(&archive, "passwort");
        assert_eq!(ArchiveHeader::parse(&wrong), None);
    }
}

/// A changed byte of a stream is detected or has no effect.
#[test]
fn damage_is_noticed() {
    let Some(path) = fixtures::testdata("fixtures-real/cbh/lundi/test.cbv") else {
        return;
    };
    let archive = fs::read(path).unwrap();
    let expected = unpacked(&archive).unwrap();
    let start = ArchiveHeader::parse(&archive).unwrap().table_end();
    let mut changed = archive.clone();
    for at in start..archive.len() {
        changed[at] ^= 0x24;
        if let Ok(members) = unpacked(&changed) {
            let same = |(a, b): (&(String, Vec<u8>), _)| a == b;
            let different = members.iter().zip(&expected).filter(|pair| !same(*pair));
            // The checksum omits an odd last byte.
            assert!(different.count() <= 1, "byte {at}");
        }
        changed[at] ^= 0x24;
    }
}
