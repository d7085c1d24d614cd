//! Databases used by several tests.
#![allow(unreachable_pub, dead_code, reason = "each test uses some of it")]

pub mod unusual;

use std::path::Path;

use chessdb_cbf::CBF;
use chessdb_core::MemorySet;
use chessdb_testkit::fixtures;
use hex_literal::hex;

/// The databases of an independent encoder, in the folder of external test data.
pub const MADE: &str = "fixtures-made/cbf";

/// A database and its name.
pub struct Base {
    pub name: String,
    pub files: MemorySet,
}

/// Returns the made databases, if the external test data are available.
pub fn made() -> Vec<Base> {
    let Some(folder) = fixtures::testdata(MADE) else {
        return Vec::new();
    };
    bases(&folder)
}

/// Returns all databases of a folder.
pub fn bases(folder: &Path) -> Vec<Base> {
    let stems = fixtures::bases(folder, CBF.roles[0]);
    let named = |stem: &std::path::PathBuf| Base {
        name: stem.file_name().unwrap().to_str().unwrap().to_owned(),
        files: fixtures::load_set(stem, CBF.roles),
    };
    let bases: Vec<_> = stems.iter().map(named).collect();
    assert!(!bases.is_empty(), "{}", folder.display());
    bases
}

/// The four records of docs/formats/cbf.md, section 13.
pub const EXAMPLES: [&[u8]; 4] = [
    &hex!(
        "6A 17 07 A7 9C CB D7 8C 03 15 89 E2 2C 2F"
        "A8 C0 F8 A9 92 23 74 7F 2F 46 86 72 72 C3 4B 06 55 4D 8A D4 5C 62 30 BF 22 E1 9C 94 73 59 4A 1F 4A"
        "0B C1 13 AF 55 80 5B E6 E0"
        "FF 01 FF 00 04 00 00 52 6F 73 73 6F 6C 69 6D 6F FF"
    ),
    &hex!(
        "40 06 07 AB 89 81 D7 9D DF F5 AE 91 2C 3A C9 AA 3F 0A 03 53 6F 76 7A 2C 0C EB 42 03 2E"
        "00 00 10 05 00 00 00 06 00 00 00 00 00 00 00 00 00 0E 60 00 00 00 00 00 60 00 00 0E 00 00 90 00 27"
    ),
    &hex!("65 14 07 AB 8C 81 D7 9D DF F5 A7 D8 2C 79 9A C2 E7 72 C5 1F 26 01 FE 45 1B 34"),
    &hex!(
        "65 14 07 A3 8C 81 D7 9D DF F5 A7 D8 28 89 9A C2 E7 72 C5 1F 21 0B A4 DE 49 2A FA 92 95 FF 3C 45 D7 B1"
    ),
];

/// The index of the examples.
pub const EXAMPLES_INDEX: [u8; 24] = hex!("00000005 00000002 0000004C 0000008B 000000A6 000000C9");

/// Returns the database of the examples.
pub fn examples() -> MemorySet {
    let mut files = MemorySet::new();
    files.insert(chessdb_cbf::CBF_FILE, EXAMPLES.concat());
    files.insert(chessdb_cbf::CBI_FILE, EXAMPLES_INDEX);
    files
}
