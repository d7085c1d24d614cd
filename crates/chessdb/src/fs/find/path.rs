//! From a path to a base: find its files, judge their content.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use chessdb_core::{Format, Role};

use super::bases::bases_in;
use super::found::{Found, Origin};
use crate::error::{Error, Problem};
use crate::formats::{FORMATS, likeliest};
use crate::fs::commit::{PendingCommit, settle, settle_links};
use crate::fs::folder;
use crate::names::{self, Candidate};
use crate::packed::{self, Packing, fill};

/// Finds the base that a path stands for: any of its files, their stem, or a folder or zip archive
/// that holds one base.
pub fn find(path: impl AsRef<Path>) -> Result<Found, Error> {
    find_as(path, None)
}

/// The same, but only as this format if one is given; then the content is not judged.
pub fn find_as(path: impl AsRef<Path>, forced: Option<&'static Format>) -> Result<Found, Error> {
    let path = path.as_ref();
    if path.is_dir() {
        let bases = bases_in(path, forced, false)?;
        let one = only(path, bases)?;
        return find_as(one, forced);
    }
    let mut pending = settle(path)?;
    let mut found = find_past_pending(path, forced, &pending)?;
    let mut files = found.files.iter().map(|(_, file)| file.as_path());
    let behind_links = match found.origin {
        Origin::Plain => settle_links(&mut files)?,
        _ => Vec::new(),
    };
    if !behind_links.is_empty() {
        pending.recoveries.extend(behind_links);
        found = find_past_pending(path, forced, &pending)?;
    }
    Ok(found)
}

fn find_past_pending(
    path: &Path,
    forced: Option<&'static Format>,
    pending: &PendingCommit,
) -> Result<Found, Error> {
    if pending.is_gone(path) {
        return Err(Error::new(path, Problem::NotFound));
    }
    match fs::metadata(pending.actual(path)) {
        Ok(data) if data.is_file() => find_file(path, forced, pending),
        Ok(_) => piped(path.to_owned(), Origin::Pipe, forced),
        Err(error) if error.kind() == io::ErrorKind::NotFound => find_stem(path, forced, pending),
        Err(error) => Err(Error::new(path, error)),
    }
}

/// The files of the folder that a path lies in.
fn beside(path: &Path, pending: &PendingCommit) -> Result<Vec<PathBuf>, Error> {
    let mut all = folder::files_of(folder::folder_of(path))?;
    pending.correct(&mut all);
    Ok(all)
}

/// Games from standard input, in this format or the first that can be read as a stream.
pub fn stdin(forced: Option<&'static Format>) -> Result<Found, Error> {
    piped(PathBuf::from("standard input"), Origin::Stdin, forced)
}

fn only(path: &Path, mut bases: Vec<PathBuf>) -> Result<PathBuf, Error> {
    match (bases.pop(), bases.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(last), false) => {
            bases.push(last);
            Err(Error::new(path, Problem::Several(bases)))
        }
        (None, _) => Err(Error::new(path, Problem::NoBase)),
    }
}

fn piped(path: PathBuf, origin: Origin, forced: Option<&'static Format>) -> Result<Found, Error> {
    let mut streaming = FORMATS
        .iter()
        .copied()
        .filter(|format| format.stream.is_some());
    let format = match forced {
        Some(format) if format.stream.is_none() => None,
        Some(format) => Some(format),
        None => streaming.next(),
    };
    let Some(format) = format else {
        return Err(Error::new(path, Problem::NotStreamed));
    };
    let files = format
        .required
        .iter()
        .map(|role| (*role, path.clone()))
        .collect();
    Ok(Found {
        path,
        format,
        files,
        origin,
        content: None,
        pending: PendingCommit::default(),
        judge: forced.is_none(),
        read_before: AtomicBool::new(false),
    })
}

fn find_stem(
    path: &Path,
    forced: Option<&'static Format>,
    pending: &PendingCommit,
) -> Result<Found, Error> {
    let missing = || Error::new(path, Problem::NotFound);
    let name = path.file_name().ok_or_else(missing)?;
    let all = beside(path, pending).map_err(|_| missing())?;
    // The name itself in other capitals, with its suffix.
    let same = |file: &&PathBuf| names::same_name(file.file_name().unwrap_or_default(), name);
    if let Some(file) = all.iter().find(same) {
        return find_file(file, forced, pending);
    }
    let candidates = for_stem(name, &all, forced);
    let named: Vec<PathBuf> = candidates
        .iter()
        .filter_map(|found| Some(found.files.first()?.1.clone()))
        .collect();
    if named.is_empty() {
        return Err(missing());
    }
    let one = only(path, named)?;
    choose(one, Origin::Plain, candidates, forced, pending)
}

/// The bases with this stem: one candidate per format whose naming file is there; if there is none,
/// per format of which any file is.
fn for_stem(stem: &OsStr, all: &[PathBuf], forced: Option<&'static Format>) -> Vec<Candidate> {
    let wanted = FORMATS
        .iter()
        .copied()
        .filter(|format| forced.is_none_or(|forced| forced.id == format.id));
    let candidates = wanted
        .filter(|format| !format.roles.iter().copied().any(Role::is_whole_name))
        .map(|format| names::collect(format, stem, all, None));
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

fn find_file(
    path: &Path,
    forced: Option<&'static Format>,
    pending: &PendingCommit,
) -> Result<Found, Error> {
    let mut start = [0; 4];
    let mut file = File::open(pending.actual(path)).map_err(|error| Error::new(path, error))?;
    let length = fill(&mut file, &mut start).map_err(|error| Error::new(path, error))?;
    drop(file);
    match Packing::of(start.get(..length).unwrap_or_default()) {
        Packing::None => {
            // A folder that cannot be listed still has this file.
            let all = beside(path, pending).unwrap_or_default();
            choose(
                path.to_owned(),
                Origin::Plain,
                names::for_file(path, &all, forced),
                forced,
                pending,
            )
        }
        Packing::Zip => find_in_zip(path, forced),
        packing => {
            let (inner, extension) = names::split(path.file_name().unwrap_or_default());
            let inner = if names::is_packing(extension) {
                path.with_file_name(inner)
            } else {
                path.into()
            };
            let mut candidates = names::for_file(&inner, &[], forced);
            // One packed file cannot be a set of several.
            candidates.retain(|candidate| candidate.format.required.len() == 1);
            for (_, file) in candidates
                .iter_mut()
                .flat_map(|candidate| &mut candidate.files)
            {
                path.clone_into(file);
            }
            let origin = Origin::Packed(packing);
            choose(path.to_owned(), origin, candidates, forced, pending)
        }
    }
}

fn find_in_zip(path: &Path, forced: Option<&'static Format>) -> Result<Found, Error> {
    let failed = |problem: Problem| Error::new(path, problem);
    let members = packed::members(|| File::open(path)).map_err(failed)?;
    let mut bases = names::naming(&members, forced);
    if bases.is_empty() && members.len() == 1 {
        bases.clone_from(&members);
    }
    let one = only(path, bases)?;
    let beside = |member: &&PathBuf| member.parent() == one.parent();
    let all: Vec<PathBuf> = members.iter().filter(beside).cloned().collect();
    let candidates = names::for_file(&one, &all, forced);
    let origin = Origin::Zip(path.to_owned());
    choose(
        path.to_owned(),
        origin,
        candidates,
        forced,
        &PendingCommit::default(),
    )
}

/// Takes the candidate that fits best.
fn choose(
    path: PathBuf,
    origin: Origin,
    candidates: Vec<Candidate>,
    forced: Option<&'static Format>,
    pending: &PendingCommit,
) -> Result<Found, Error> {
    let mut founds = candidates.into_iter().map(|candidate| {
        let Candidate {
            format,
            files,
            by_suffix,
        } = candidate;
        let (path, origin) = (path.clone(), origin.clone());
        (
            Found {
                path,
                format,
                files,
                origin,
                content: None,
                pending: pending.clone(),
                judge: false,
                read_before: AtomicBool::new(false),
            },
            by_suffix,
        )
    });
    if forced.is_some() {
        let first = founds.next().map(|(found, _)| found);
        return first.ok_or_else(|| Error::new(path, Problem::Unrecognised));
    }
    likeliest(founds, Found::probe)?.ok_or_else(|| Error::new(path, Problem::Unrecognised))
}
