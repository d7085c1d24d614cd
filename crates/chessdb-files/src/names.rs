//! File names: which files belong together, and to which format.
//!
//! This module does not access the disk. The same rules group bytes in memory, members of an
//! archive and files of a folder.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use chessdb_core::Format;
use chessdb_core::files::Role;
use chessdb_core::sorting::{sort_by, sort_by_key};
use chessdb_formats::{FORMATS, by_extension, by_id, main_suffix, target_of_suffix};

use crate::error::Problem;
use crate::packed::Method;
use crate::paths::{self, comparable, lowercase, same_name, split};

/// Files that belong together, as found by [`group`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Group {
    /// The id of the format that their names indicate.
    pub format: &'static str,
    /// The role of each file with its index in the list of names.
    pub files: Vec<(Role, usize)>,
}

/// Groups files into databases by their names alone, in the order of the names.
///
/// Files in different folders belong to different databases. If there is no complete database, sets
/// without the file that names them are returned too; opening one reports the missing file. A
/// packed file counts if its name without `.gz`, `.zst`, `.bz2` or `.xz` indicates a format.
///
/// ```
/// let groups = chessdb::formats::group(&["readme.txt", "BASE.SG4", "base.si4", "tal.pgn"]);
/// assert_eq!((groups[0].format, groups[1].format), ("si4", "pgn"));
/// let files: Vec<(&str, usize)> = groups[0].files.iter().map(|&(role, n)| (role.0, n)).collect();
/// assert_eq!(files, [("si4", 2), ("sg4", 1)]);
/// ```
pub fn group<N: AsRef<Path>>(names: &[N]) -> Vec<Group> {
    let mut folders: HashMap<&Path, Vec<PathBuf>> = HashMap::new();
    let mut places: HashMap<&Path, usize> = HashMap::new();
    for (n, name) in names.iter().enumerate() {
        let name = name.as_ref();
        if paths::is_system_file(name) {
            continue;
        }
        let folder = name.parent().unwrap_or(Path::new(""));
        folders.entry(folder).or_default().push(name.to_owned());
        places.entry(name).or_insert(n);
    }
    let mut groups = Vec::new();
    for files in folders.values_mut() {
        sort_by(files, Ord::cmp);
        let mut bases = naming_files(files, None);
        // A stray part next to a complete database is not a database of its own.
        if bases.is_empty() {
            bases = incomplete_sets(files, None);
        }
        // A packed file has a suffix that names no format.
        bases.extend(files.iter().filter(|path| is_packed_file(path)).cloned());
        let files_by_stem = FilesByStem::new(files);
        for base in bases {
            let Some(candidate) = likeliest(&base, &files_by_stem.files_of_set(&base)) else {
                continue;
            };
            let place =
                |(role, path): &(Role, PathBuf)| Some((*role, *places.get(path.as_path())?));
            let files: Vec<_> = candidate.files.iter().filter_map(place).collect();
            let format = candidate.format.id;
            groups.push(Group { format, files });
        }
    }
    sort_by_key(&mut groups, |group| {
        group.files.iter().map(|(_, n)| *n).min()
    });
    groups
}

/// Files by folder and stem, ignoring case. The files of a set are found in one step, regardless of
/// the number of other files.
#[derive(Default, Debug)]
pub(crate) struct FilesByStem {
    by_stem: HashMap<(PathBuf, Vec<u8>), Vec<PathBuf>>,
    /// Files that belong to a format by their whole name, with any stem.
    whole: HashMap<PathBuf, Vec<PathBuf>>,
}

impl FilesByStem {
    /// Indexes these files, which keep their order.
    pub(crate) fn new(files: &[PathBuf]) -> FilesByStem {
        let roles = FORMATS.iter().flat_map(|format| format.roles);
        let whole: Vec<Role> = roles.copied().filter(|role| role.is_whole_name()).collect();
        let mut files_by_stem = FilesByStem::default();
        for file in files {
            let name = file.file_name().unwrap_or_default();
            let folder = file.parent().unwrap_or(Path::new("")).to_owned();
            if whole.iter().any(|role| same_name(name, OsStr::new(role.0))) {
                let whole = files_by_stem.whole.entry(folder.clone()).or_default();
                whole.push(file.clone());
            }
            let key = (folder, set_key(split(name).0));
            files_by_stem
                .by_stem
                .entry(key)
                .or_default()
                .push(file.clone());
        }
        files_by_stem
    }

    /// Returns the files that may belong to the same set as `path`, a file of the set or its stem.
    /// Files of the current folder are listed without `./`; they get it if `path` has it.
    pub(crate) fn files_of_set(&self, path: &Path) -> Vec<PathBuf> {
        let name = path.file_name().unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new(""));
        let dot = Path::new(".");
        let mut files = self.files_in(folder, name);
        if files.is_empty() && folder == dot {
            files = self.files_in(Path::new(""), name);
            files.iter_mut().for_each(|file| *file = dot.join(&*file));
        }
        sort_by(&mut files, Ord::cmp);
        files.dedup();
        files
    }

    fn files_in(&self, folder: &Path, name: &OsStr) -> Vec<PathBuf> {
        // The path may be a file of the set, or the stem alone, which may contain a dot.
        let stems = [set_key(split(name).0), set_key(name)];
        let mut files: Vec<PathBuf> = Vec::new();
        for stem in stems {
            let key = (folder.to_owned(), stem);
            files.extend(self.by_stem.get(&key).into_iter().flatten().cloned());
        }
        files.extend(self.whole.get(folder).into_iter().flatten().cloned());
        files
    }
}

/// Returns the key of the set that files with this stem belong to. Files that an unfinished
/// compaction has not renamed yet belong to it.
fn set_key(stem: &OsStr) -> Vec<u8> {
    match stem.to_str().map(comparable) {
        Some(stem) => {
            let end = lowercase(COMPACTING);
            stem.strip_suffix(&end).unwrap_or(&stem).as_bytes().to_vec()
        }
        None => stem.as_encoded_bytes().to_ascii_lowercase(),
    }
}

/// Returns the candidate that the suffix of `base` indicates, ignoring the suffix of a compression.
fn likeliest(base: &Path, all: &[PathBuf]) -> Option<Candidate> {
    if !is_packed_file(base) {
        let candidates = for_file(base, all, None);
        return candidates.into_iter().find(|candidate| candidate.by_suffix);
    }
    let (inner, _) = split(base.file_name()?);
    let candidates = for_file(&base.with_file_name(inner), &[], None);
    // The files inside a packed file are known only after unpacking it.
    let mut candidate = candidates.into_iter().find(|one| one.by_suffix)?;
    for (_, path) in &mut candidate.files {
        base.clone_into(path);
    }
    Some(candidate)
}

/// Returns whether it is one packed file of a format that needs no other file.
fn is_packed_file(path: &Path) -> bool {
    let (inner, packing) = split(path.file_name().unwrap_or_default());
    let single = || by_extension(split(inner).1).is_some_and(|format| format.required.len() == 1);
    is_packing(packing) && !is_archive(path) && single()
}

/// Files that may be a database of a format; their content decides.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) format: &'static Format,
    /// The files in the order of the format's roles.
    pub(crate) files: Vec<(Role, PathBuf)>,
    /// Whether the suffix indicates the format.
    pub(crate) by_suffix: bool,
}

/// Returns the format that the suffix or the whole name of this path indicates.
pub fn suffix_format(path: &Path) -> Option<&'static Format> {
    let name = path.file_name()?;
    let by_name = |format: &&&Format| {
        let mut roles = format.roles.iter();
        roles.any(|role| role.is_whole_name() && same_name(name, OsStr::new(role.0)))
    };
    let whole = FORMATS.iter().find(by_name).copied();
    whole.or_else(|| by_extension(path.extension()?.to_str()?))
}

/// Returns whether files with this name, packed or not, often have other content than games
/// ([`Format::shares_suffix`]).
pub(crate) fn has_shared_suffix(path: &Path) -> bool {
    let (inner, extension) = split(path.file_name().unwrap_or_default());
    let path = if is_packing(extension) { Path::new(inner) } else { path };
    suffix_format(path).is_some_and(|format| format.shares_suffix)
}

/// Returns the role of a file, judged by its name.
fn role_of(format: &Format, file: &OsStr) -> Option<Role> {
    let extension = main_suffix(split(file).1);
    format.roles.iter().copied().find(|role| {
        if role.is_whole_name() {
            same_name(file, OsStr::new(role.0))
        } else {
            role.0.eq_ignore_ascii_case(extension)
        }
    })
}

/// Collects the files among `all` with the stem `stem`, by role. If several differ in case only,
/// the one with the spelling of `stem` wins, then the first.
pub(crate) fn collect(
    format: &'static Format,
    stem: &OsStr,
    all: &[PathBuf],
    named: Option<&Path>,
) -> Candidate {
    let mut files = files_with_stem(format, stem, all, named);
    if files.len() < format.roles.len() && is_compacted_by_scid(format) {
        let mut leftover = stem.to_owned();
        leftover.push(COMPACTING);
        let mut others = files_with_stem(format, &leftover, all, None);
        if others.len() < format.roles.len() {
            // Some files have their final names already; the remaining ones belong to these.
            others.retain(|(role, _)| files.iter().all(|(other, _)| other != role));
            files.append(&mut others);
            sort_by_key(&mut files, |(role, _)| {
                format.roles.iter().position(|other| other == role)
            });
        } else {
            // No file has its final name yet, and some of the old ones are missing.
            files = others;
        }
    }
    Candidate {
        format,
        files,
        by_suffix: true,
    }
}

/// The suffix that Scid appends to the name of a database while it compacts it. It writes the new
/// files under this name, then removes the old ones, then renames the new ones.
const COMPACTING: &str = "__COMPACT__";

fn is_leftover(path: &Path) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str);
    stem.is_some_and(|stem| stem.ends_with(COMPACTING))
}

fn is_compacted_by_scid(format: &Format) -> bool {
    matches!(format.id, "si4" | "si5")
}

/// Returns the files among `all` with the stem `stem`, by role.
fn files_with_stem(
    format: &'static Format,
    stem: &OsStr,
    all: &[PathBuf],
    named: Option<&Path>,
) -> Vec<(Role, PathBuf)> {
    let mut files: Vec<(Role, PathBuf)> = Vec::new();
    for &role in format.roles {
        let fits = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default();
            let (other, extension) = split(name);
            if role.is_whole_name() {
                return same_name(name, OsStr::new(role.0));
            }
            main_suffix(extension).eq_ignore_ascii_case(role.0) && same_name(stem, other)
        };
        // On file systems that distinguish case several files may fit.
        let exact = |path: &&PathBuf| {
            named.is_some_and(|named| named == path.as_path()) || path.file_stem() == Some(stem)
        };
        let mut choice = all.iter().filter(fits);
        let best = choice.clone().find(exact).or_else(|| choice.next());
        files.extend(best.map(|path| (role, path.clone())));
    }
    files
}

/// Returns the databases that `named`, an existing file, may belong to; the likeliest first.
pub(crate) fn for_file(
    named: &Path,
    all: &[PathBuf],
    forced: Option<&'static Format>,
) -> Vec<Candidate> {
    let name = named.file_name().unwrap_or_default();
    let (stem, _) = split(name);
    let is_allowed = |format: &&'static Format| forced.is_none_or(|forced| forced.id == format.id);
    let mut candidates = Vec::new();
    for &format in FORMATS.iter().filter(|format| is_allowed(format)) {
        let Some(role) = role_of(format, name) else {
            continue;
        };
        let mut candidate = collect(format, stem, all, Some(named));
        // The given file itself takes its role, regardless of other files next to it.
        match candidate.files.iter_mut().find(|(other, _)| *other == role) {
            // The exception: Scid has already rewritten the whole set.
            Some((_, path)) if is_leftover(path) => {}
            Some((_, path)) => named.clone_into(path),
            None => candidate.files.push((role, named.to_owned())),
        }
        candidates.push(candidate);
    }
    // The file of a single-file format may have any suffix.
    for &format in FORMATS.iter().filter(|format| is_allowed(format)) {
        let [role] = format.required else { continue };
        if role_of(format, name).is_none() {
            let mut files = vec![(*role, named.to_owned())];
            files.extend(companions(format, *role, named, all));
            candidates.push(Candidate {
                format,
                files,
                by_suffix: false,
            });
        }
    }
    candidates
}

/// Returns the files of a format that are named after its main file with any suffix: for a
/// write-ahead log of SQLite, `games.db-wal` belongs to `games.db`.
fn companions(
    format: &Format,
    main: Role,
    named: &Path,
    all: &[PathBuf],
) -> impl Iterator<Item = (Role, PathBuf)> {
    format.roles.iter().filter_map(move |role| {
        let end = role.0.strip_prefix(main.0).filter(|end| !end.is_empty())?;
        let mut name = named.file_name()?.to_owned();
        name.push(end);
        let mut beside = all.iter();
        let other = beside.find(|path| path.file_name().is_some_and(|n| same_name(n, &name)))?;
        Some((*role, other.clone()))
    })
}

/// Returns the databases among these files, sorted by name, each as the file that names it.
pub(crate) fn naming_files(files: &[PathBuf], forced: Option<&'static Format>) -> Vec<PathBuf> {
    let names_base = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default();
        suffix_format(path).is_some_and(|format| {
            let first = format.required.first().copied();
            first.is_some()
                && role_of(format, name) == first
                && forced.is_none_or(|forced| forced.id == format.id)
        })
    };
    let all: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    // Leftovers of an unfinished compaction are not a separate database next to the original.
    let leftover = |path: &PathBuf| {
        let (stem, extension) = split(path.file_name().unwrap_or_default());
        let of = stem.to_str().and_then(|stem| stem.strip_suffix(COMPACTING));
        of.is_some_and(|of| {
            let base = path.with_file_name(format!("{of}.{extension}"));
            by_extension(extension).is_some_and(is_compacted_by_scid)
                && all.contains(base.as_path())
        })
    };
    let bases = files.iter().filter(names_base);
    bases.filter(|path| !leftover(path)).cloned().collect()
}

/// Returns one file for each set that lacks the file that names it. Such sets still contain games.
pub(crate) fn incomplete_sets(files: &[PathBuf], forced: Option<&'static Format>) -> Vec<PathBuf> {
    let set = |path: &Path| set_key(path.file_stem().unwrap_or_default());
    let mut incomplete_sets: Vec<PathBuf> = Vec::new();
    for &format in FORMATS {
        let Some((first, others)) = format.required.split_first() else {
            continue;
        };
        if first.is_whole_name() || forced.is_some_and(|forced| forced.id != format.id) {
            continue;
        }
        let roles = |path: &Path| role_of(format, path.file_name().unwrap_or_default());
        let naming_files = files.iter().filter(|path| roles(path) == Some(*first));
        let mut sets: HashSet<Vec<u8>> = naming_files.map(|path| set(path)).collect();
        let part = |path: &&PathBuf| roles(path).is_some_and(|role| others.contains(&role));
        incomplete_sets.extend(
            files
                .iter()
                .filter(part)
                .filter(|path| sets.insert(set(path)))
                .cloned(),
        );
    }
    incomplete_sets
}

/// Returns whether the name identifies the file: as part of a format, as packed, or as a hidden
/// file of a writer.
pub(crate) fn is_known(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let (inner, extension) = split(name);
    let is_ours = name
        .as_encoded_bytes()
        .windows(9)
        .any(|part| part == b".chessdb-");
    let is_packed = is_packing(extension) && suffix_format(Path::new(inner)).is_some();
    let is_of_format = (suffix_format(path).is_some() || is_packed) && !has_shared_suffix(path);
    is_of_format || is_archive(path) || is_ours
}

/// Returns whether archives have such names.
pub(crate) fn is_archive(path: &Path) -> bool {
    let (inner, extension) = split(path.file_name().unwrap_or_default());
    let is = |extension: &str, suffixes: &[&str]| {
        suffixes
            .iter()
            .any(|suffix| suffix.eq_ignore_ascii_case(extension))
    };
    is(extension, ARCHIVES) || is_packing(extension) && is(split(inner).1, &["tar"])
}

const ARCHIVES: &[&str] = &[
    "zip", "7z", "tar", "tgz", "tbz", "tbz2", "txz", "tzst", "cbv", "cbz",
];

/// Returns the problem of a file that has the name of an encrypted archive but was not recognised
/// as one.
pub(crate) fn locked(path: &Path, has_password: bool) -> Option<Problem> {
    let (_, extension) = split(path.file_name().unwrap_or_default());
    let is_read = cfg!(feature = "zip");
    let is_locked = is_read && extension.eq_ignore_ascii_case("cbz");
    is_locked.then_some(if has_password {
        Problem::WrongPassword
    } else {
        Problem::PasswordRequired
    })
}

/// Returns whether this suffix means that a file is packed.
pub(crate) fn is_packing(extension: &str) -> bool {
    ["gz", "zst", "bz2", "xz"]
        .iter()
        .chain(ARCHIVES)
        .any(|suffix| suffix.eq_ignore_ascii_case(extension))
}

/// Returns a path without the suffixes of compressions and archives: `a.pgn` for `a.pgn.gz`, `b`
/// for `b.tar.xz`.
pub fn unpacked_name(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    while path
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(is_packing)
    {
        path.set_extension("");
    }
    path
}

/// Suffixes of two words, whose last word belongs to another format, with the ids of their formats.
const LONG_SUFFIXES: &[(&str, &str)] = &[(".ocgdb.db3", "ocgdb")];

/// Returns the format that the suffix of a new file indicates, ignoring the suffix of a supported
/// compression.
pub fn target_format(path: &Path) -> Option<&'static Format> {
    let name = lowercase(&path.file_name()?.to_string_lossy());
    let mut long = LONG_SUFFIXES.iter();
    if let Some(format) = long.find_map(|(suffix, id)| by_id(id).filter(|_| name.ends_with(suffix)))
    {
        return Some(format);
    }
    match Method::by_suffix(path) {
        None => {
            let target = || target_of_suffix(path.extension()?.to_str()?);
            return suffix_format(path).or_else(target);
        }
        #[cfg(feature = "zip")]
        Some(Method::Archive { .. }) => return Some(&chessdb_cbh::CBH),
        Some(_) => {}
    }
    let inner = Path::new(path.file_stem()?);
    let target = || target_of_suffix(inner.extension()?.to_str()?);
    let format = suffix_format(inner).or_else(target);
    format.filter(|format| format.roles.len() == 1)
}
