//! Lists of the test databases and helpers for them.

use std::path::Path;

use chessdb_core::{FileSet, Format, MemorySet, ReadOptions};
use chessdb_scid::{Generation, SI3, SI4, SI5};
use chessdb_testkit::fixtures;

/// A database and its origin.
pub(crate) struct Base {
    /// The folder and stem, such as `oracle-made/example`.
    pub(crate) name: String,
    pub(crate) generation: Generation,
    pub(crate) format: &'static Format,
    /// The files.
    pub(crate) files: MemorySet,
}

impl Base {
    /// Returns folder, stem and format, such as `oracle-made/example.si5`.
    #[allow(dead_code, reason = "each test file is compiled with its own copy")]
    pub(crate) fn path(&self) -> String {
        format!("{}.{}", self.name, self.format.id)
    }
}

pub(crate) fn format(generation: Generation) -> &'static Format {
    match generation {
        Generation::Si3 => &SI3,
        Generation::Si4 => &SI4,
        Generation::Si5 => &SI5,
    }
}

/// Returns the databases of one folder of the external data, of all generations. Empty without
/// `CHESSDB_TESTDATA`.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn bases(folder: &str) -> Vec<Base> {
    fixtures::testdata(folder).map_or(Vec::new(), |path| bases_in(&path))
}

/// Returns the databases of the repository: si4 written by Scid 4.7.4 from PGN of this project, and
/// the others written by this project from those.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn own_bases() -> Vec<Base> {
    let folders = ["scid", "scid3", "scid5"].into_iter();
    folders
        .flat_map(|folder| bases_in(&fixtures::path(folder)))
        .collect()
}

fn bases_in(folder: &Path) -> Vec<Base> {
    let mut bases = Vec::new();
    for generation in Generation::ALL {
        let format = format(generation);
        for stem in fixtures::bases(folder, format.roles[0]) {
            bases.push(base(folder, &stem, generation, format));
        }
    }
    assert!(!bases.is_empty(), "no base in {}", folder.display());
    bases
}

fn base(folder: &Path, stem: &Path, generation: Generation, format: &'static Format) -> Base {
    let short = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    Base {
        name: format!("{}/{}", short(folder), short(stem)),
        generation,
        format,
        files: fixtures::load_set(stem, format.roles),
    }
}

/// Returns the counterpart of a database: the same name in another generation and possibly another
/// folder.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn twin(name: &str, bases: &[Base], generation: Generation) -> MemorySet {
    let stem = name.split('/').nth(1).unwrap();
    let ends = |base: &&Base| base.name.split('/').nth(1) == Some(stem);
    let mut fitting = bases.iter().filter(|base| base.generation == generation);
    let found = fitting.find(ends);
    found
        .unwrap_or_else(|| panic!("no twin of {name}"))
        .files
        .clone()
}

/// Checks that everything that can be parsed is written back byte for byte, damaged or not. Returns
/// false if not even the header can be parsed.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn raw_identity(generation: Generation, set: &dyn FileSet, what: &str) -> bool {
    let format = format(generation);
    let Ok(again) = format.raw.unwrap()(set) else {
        return false;
    };
    for &role in format.roles {
        assert!(set.get(role) == again.get(role), "{what}: {role} differs");
    }
    true
}

/// Returns the findings of `check` as text.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn complaints(generation: Generation, files: &dyn FileSet) -> Vec<String> {
    let mut found = Vec::new();
    let check = format(generation).check;
    check(files, &ReadOptions::default(), &mut |finding| {
        found.push(format!(
            "{}: {}: {}",
            finding.severity, finding.at, finding.kind
        ));
    });
    found
}

/// Folders of databases written by any version of Scid.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) const GENUINE: [&str; 5] = [
    "fixtures-real/scid/benini-scid",
    "fixtures-real/scid/oracle-made",
    "fixtures-real/scid/scidvspc-five",
    "fixtures-real/scid/scidvspc-si3",
    "fixtures-real/scid/scidvspc-si4",
];
/// Folders of databases made for tests, with the expected games.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) const MADE: [&str; 2] = ["fixtures-made/scid4", "fixtures-made/scid5"];
