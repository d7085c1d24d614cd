//! The databases of the repository, made by our own writer (`made` among the tests of the facade).

use std::{env, fs};

use chessdb_cbh::CBH;
use chessdb_cbh::archive::{Key, Packing, lock, pack};
use chessdb_testkit::{fixtures, golden};

/// Compares the readable dumps, tests byte identity, and expects no diagnostics.
#[test]
fn own_fixtures_look_as_their_golden_files_say() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    assert_eq!(golden::check_bases(&CBH, "cbh", golden), 6);
}

/// The archives equal the output of our packer for the database with all kinds of content.
#[test]
fn own_archives_hold_a_base() {
    let files: Vec<(String, Vec<u8>)> = CBH
        .roles
        .iter()
        .map(|role| format!("chessbase.{}", role.0))
        .filter_map(|name| {
            let content = fs::read(fixtures::root().join("cbh").join(&name)).ok()?;
            Some((name, content))
        })
        .collect();
    assert_eq!(files.len(), 12);
    let named = files.iter();
    let named = named.map(|(name, content)| (name.as_bytes(), content.as_slice()));
    let archive = pack(named, Packing::Smallest).unwrap();
    let locked = lock(archive.clone(), Key::new(b"open sesame"));
    for (name, bytes) in [("packed.cbv", archive), ("locked.cbz", locked)] {
        let path = fixtures::root().join("cbh").join(name);
        if env::var(golden::BLESS).is_ok_and(|value| value == "1") {
            fs::write(&path, &bytes).unwrap();
        }
        assert!(fixtures::read(&path) == bytes, "{name}");
    }
}
