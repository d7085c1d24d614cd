//! Which files belong together.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::formats::main_suffix;
use crate::fs::names::{same_name, split};
use crate::fs::recover::awaited_in;
use crate::fs::{PathError, Problem};
use crate::{FORMATS, Format, Role, format_by_extension};

/// Files that may be a base of a format; their content decides.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) format: &'static Format,
    /// In the order of the format's roles.
    pub(crate) files: Vec<(Role, PathBuf)>,
    /// Whether the suffix speaks for the format.
    pub(crate) by_suffix: bool,
}

impl Candidate {
    /// The file that names the base: the first of the roles that is there.
    pub(crate) fn path(&self) -> &Path {
        self.files.first().map_or(Path::new(""), |(_, path)| path)
    }
}

/// The format that the suffix of this path names, or all of its name.
pub fn suffix_format(path: &Path) -> Option<&'static Format> {
    let name = path.file_name()?;
    let by_name = |format: &&&Format| {
        let mut roles = format.roles.iter();
        roles.any(|role| role.is_whole_name() && same_name(name, OsStr::new(role.0)))
    };
    let whole = FORMATS.iter().find(by_name).copied();
    whole.or_else(|| format_by_extension(path.extension()?.to_str()?))
}

/// The role of a file, by its name.
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

/// The plain files of a folder, sorted by name.
pub(crate) fn files_of(folder: &Path) -> Result<Vec<PathBuf>, PathError> {
    let error = |error| PathError::new(folder, Problem::from(error));
    let bare = folder == Path::new(".");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        // Follows links, so that a linked base is found; a dangling link is no file.
        if fs::metadata(entry.path()).is_ok_and(|data| data.is_file()) {
            files.push(if bare {
                entry.file_name().into()
            } else {
                entry.path()
            });
        }
    }
    files.sort();
    Ok(files)
}

/// The files among `all` whose stem is `stem`, by role. Of several that differ in capitals the one
/// spelled exactly like `stem` is taken, then the first.
fn collect(
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
            // Some have their final name already: what is left belongs to those.
            others.retain(|(role, _)| files.iter().all(|(known, _)| known != role));
            files.append(&mut others);
            files.sort_by_key(|(role, _)| format.roles.iter().position(|known| known == role));
        } else {
            // None has, and of the old ones some are gone.
            files = others;
        }
    }
    Candidate {
        format,
        files,
        by_suffix: true,
    }
}

/// What Scid puts behind a base's name while it compacts it. The new files are written under this
/// name; then the old ones are removed, then the new ones renamed.
const COMPACTING: &str = "__COMPACT__";

fn is_leftover(path: &Path) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str);
    stem.is_some_and(|stem| stem.ends_with(COMPACTING))
}

fn is_compacted_by_scid(format: &Format) -> bool {
    matches!(format.id, "si4" | "si5")
}

/// The files among `all` whose stem is `stem`, by role.
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
        let exact = |path: &&PathBuf| {
            named.is_some_and(|named| named == path.as_path()) || path.file_stem() == Some(stem)
        };
        let mut choice = all.iter().filter(fits);
        let best = choice.clone().find(exact).or_else(|| choice.next());
        files.extend(best.map(|path| (role, path.clone())));
    }
    files
}

/// The bases that `named`, a file that exists, may belong to; the likeliest first.
pub(crate) fn for_file(
    named: &Path,
    all: &[PathBuf],
    forced: Option<&'static Format>,
) -> Vec<Candidate> {
    let name = named.file_name().unwrap_or_default();
    let (stem, _) = split(name);
    let wanted = |format: &&'static Format| forced.is_none_or(|forced| forced.id == format.id);
    let mut candidates = Vec::new();
    for &format in FORMATS.iter().filter(|format| wanted(format)) {
        let Some(role) = role_of(format, name) else {
            continue;
        };
        let mut candidate = collect(format, stem, all, Some(named));
        // The file named is itself meant, whatever lies beside it.
        match candidate.files.iter_mut().find(|(known, _)| *known == role) {
            // Unless Scid has written the whole set anew already.
            Some((_, path)) if is_leftover(path) => {}
            Some((_, path)) => named.clone_into(path),
            None => candidate.files.push((role, named.to_owned())),
        }
        candidates.push(candidate);
    }
    // A format of one file may have any suffix.
    for &format in FORMATS.iter().filter(|format| wanted(format)) {
        let [role] = format.required else { continue };
        if role_of(format, name).is_none() {
            let files = vec![(*role, named.to_owned())];
            candidates.push(Candidate {
                format,
                files,
                by_suffix: false,
            });
        }
    }
    candidates
}

/// The bases with this stem: one candidate per format whose naming file is there; if there is none,
/// per format of which any file is.
pub(crate) fn for_stem(
    stem: &OsStr,
    all: &[PathBuf],
    forced: Option<&'static Format>,
) -> Vec<Candidate> {
    let wanted = FORMATS
        .iter()
        .copied()
        .filter(|format| forced.is_none_or(|forced| forced.id == format.id));
    let candidates = wanted
        .filter(|format| !format.roles.iter().copied().any(Role::is_whole_name))
        .map(|format| collect(format, stem, all, None));
    let (bases, parts): (Vec<_>, Vec<_>) = candidates.partition(is_base);
    if !bases.is_empty() {
        return bases;
    }
    // Opening what is left of a base says what is missing.
    let left = parts.into_iter().filter(|part| !part.files.is_empty());
    left.collect()
}

/// Whether the file that names the base is there; the others may be missing, which opening says.
fn is_base(candidate: &Candidate) -> bool {
    let first = candidate.format.required.first();
    candidate.files.iter().any(|(role, _)| Some(role) == first)
}

/// The bases among these files, sorted by name; each is given by the file that names it.
pub(crate) fn group(files: &[PathBuf], forced: Option<&'static Format>) -> Vec<PathBuf> {
    let naming = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default();
        suffix_format(path).is_some_and(|format| {
            let first = format.required.first().copied();
            first.is_some()
                && role_of(format, name) == first
                && forced.is_none_or(|forced| forced.id == format.id)
        })
    };
    // What an unfinished compaction left behind is no base of its own beside the base.
    let leftover = |path: &PathBuf| {
        let (stem, extension) = split(path.file_name().unwrap_or_default());
        let of = stem.to_str().and_then(|stem| stem.strip_suffix(COMPACTING));
        of.is_some_and(|of| {
            let base = path.with_file_name(format!("{of}.{extension}"));
            format_by_extension(extension).is_some_and(is_compacted_by_scid)
                && files.contains(&base)
        })
    };
    let bases = files.iter().filter(naming);
    bases.filter(|path| !leftover(path)).cloned().collect()
}

/// Of sets without the file that names them, which hold games all the same, one file each.
fn orphans(files: &[PathBuf], forced: Option<&'static Format>) -> Vec<PathBuf> {
    // Of which set a file is; what an unfinished compaction has not renamed yet belongs to it.
    let set = |path: &Path| {
        let stem = path.file_stem().unwrap_or_default();
        match stem.to_str().map(str::to_lowercase) {
            Some(stem) => {
                let end = COMPACTING.to_lowercase();
                stem.strip_suffix(&end).unwrap_or(&stem).as_bytes().to_vec()
            }
            None => stem.as_encoded_bytes().to_ascii_lowercase(),
        }
    };
    let mut orphans: Vec<PathBuf> = Vec::new();
    for &format in FORMATS {
        let Some((first, others)) = format.required.split_first() else {
            continue;
        };
        if first.is_whole_name() || forced.is_some_and(|forced| forced.id != format.id) {
            continue;
        }
        let roles = |path: &Path| role_of(format, path.file_name().unwrap_or_default());
        let naming = files.iter().filter(|path| roles(path) == Some(*first));
        let mut known: HashSet<Vec<u8>> = naming.map(|path| set(path)).collect();
        let part = |path: &&PathBuf| roles(path).is_some_and(|role| others.contains(&role));
        orphans.extend(
            files
                .iter()
                .filter(part)
                .filter(|path| known.insert(set(path)))
                .cloned(),
        );
    }
    orphans
}

/// The bases in a folder, sorted by path, with those in folders below it if `deep`. Of a set without
/// the file that names it another is given if all bases are wanted, or there is no other: opening it
/// says what is missing. Packed files count if what they are called without `.gz`, `.zst` or `.zip` names a format.
pub fn bases_in(
    folder: &Path,
    forced: Option<&'static Format>,
    deep: bool,
) -> Result<Vec<PathBuf>, PathError> {
    let mut bases = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut files = files_of(&folder)?;
        // Files that have not their names yet: opening the base will see to it.
        for awaited in awaited_in(&folder) {
            if !files.contains(&awaited) {
                files.push(awaited);
            }
        }
        bases.extend(group(&files, forced));
        if deep || bases.is_empty() {
            bases.extend(orphans(&files, forced));
        }
        bases.extend(
            files
                .into_iter()
                .filter(|path| is_packed_base(path, forced)),
        );
        if deep {
            let error = |error| PathError::new(&folder, Problem::Io(error));
            for entry in fs::read_dir(&folder).map_err(error)? {
                let entry = entry.map_err(error)?;
                // Links to folders are not followed: they may lead in a circle.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                }
            }
        }
    }
    bases.sort();
    Ok(bases)
}

fn is_packed_base(path: &Path, forced: Option<&'static Format>) -> bool {
    let (inner, packing) = split(path.file_name().unwrap_or_default());
    if !cfg!(feature = "archives") || !is_packing(packing) {
        return false;
    }
    match format_by_extension(split(inner).1) {
        Some(format) => forced.is_none_or(|forced| forced.id == format.id),
        None => packing.eq_ignore_ascii_case("zip"),
    }
}

/// Whether this suffix means that a file is packed.
pub(crate) fn is_packing(extension: &str) -> bool {
    ["gz", "zst", "zip"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(extension))
}
