//! What the tests share: which bases there are.

use std::path::Path;

use chessdb_core::MemorySet;
use chessdb_scid::SI4;
use chessdb_testkit::fixtures;

/// A base and where it comes from.
pub(crate) struct Base {
    /// Folder and stem, such as `oracle-made/example`.
    pub(crate) name: String,
    /// Its files.
    pub(crate) files: MemorySet,
}

/// The si4 bases of one folder of the outside data; none without `CHESSDB_TESTDATA`.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn bases(folder: &str) -> Vec<Base> {
    fixtures::testdata(folder).map_or(Vec::new(), |path| bases_in(&path))
}

/// The bases that Scid 4.7.4 wrote from our own texts.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn own_bases() -> Vec<Base> {
    bases_in(&fixtures::path("scid"))
}

fn bases_in(folder: &Path) -> Vec<Base> {
    let stems = fixtures::bases(folder, SI4.roles[0]);
    assert!(!stems.is_empty(), "no base in {}", folder.display());
    stems.into_iter().map(|stem| base(folder, &stem)).collect()
}

fn base(folder: &Path, stem: &Path) -> Base {
    let short = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    Base {
        name: format!("{}/{}", short(folder), short(stem)),
        files: fixtures::load_set(stem, SI4.roles),
    }
}

/// Bases that Scid wrote, of whatever version.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) const GENUINE: [&str; 4] = [
    "fixtures-real/scid/benini-scid",
    "fixtures-real/scid/oracle-made",
    "fixtures-real/scid/scidvspc-five",
    "fixtures-real/scid/scidvspc-si4",
];
/// A base that was made for tests, with games that say what must come out.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) const MADE: &str = "fixtures-made/scid4";
