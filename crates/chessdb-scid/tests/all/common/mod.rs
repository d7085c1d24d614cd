//! What the tests share: which bases there are.

use std::path::Path;

use chessdb_core::{FileSet, Format, MemorySet, ReadOptions};
use chessdb_scid::{Generation, SI3, SI4, SI5};
use chessdb_testkit::fixtures;

/// A base and where it comes from.
pub(crate) struct Base {
    /// Folder and stem, such as `oracle-made/example`.
    pub(crate) name: String,
    pub(crate) generation: Generation,
    pub(crate) format: &'static Format,
    /// Its files.
    pub(crate) files: MemorySet,
}

impl Base {
    /// Folder, stem and format, such as `oracle-made/example.si5`.
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

/// The bases of one folder of the outside data, of all generations; none without
/// `CHESSDB_TESTDATA`.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) fn bases(folder: &str) -> Vec<Base> {
    fixtures::testdata(folder).map_or(Vec::new(), |path| bases_in(&path))
}

/// The bases of the repository: si4 by Scid 4.7.4 from our own texts, the others by us from those.
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

/// The other base of a pair: the same name in another generation and perhaps another folder.
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

/// Whatever can be parsed at all comes back byte for byte, damaged or not. False if not even the
/// beginning can be parsed.
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

/// What `check` says, in words.
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

/// Bases that Scid wrote, of whatever version.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) const GENUINE: [&str; 5] = [
    "fixtures-real/scid/benini-scid",
    "fixtures-real/scid/oracle-made",
    "fixtures-real/scid/scidvspc-five",
    "fixtures-real/scid/scidvspc-si3",
    "fixtures-real/scid/scidvspc-si4",
];
/// Bases that were made for tests, with games that say what must come out.
#[allow(dead_code, reason = "each test file is compiled with its own copy")]
pub(crate) const MADE: [&str; 2] = ["fixtures-made/scid4", "fixtures-made/scid5"];
