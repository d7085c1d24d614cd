//! Lookup of a database by path: finding its files and judging their content.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb_core::Format;
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_formats::{
    FORMATS, foreign_sqlite, likeliest, missing_feature, opening_book, target_of_suffix,
};

use super::finder::{ArchiveContents, Finder};
use super::found_database::{DatabaseOrigin, FoundDatabase};
use super::load::UnpackedFiles;
use super::survey::bases_of;
use crate::error::{Error, Problem};
use crate::filesystem::commit::PendingCommit;
use crate::filesystem::need_files;
use crate::format_hint::FormatHint;
use crate::names::{self, Candidate};
use crate::packed::{Container, Key, Packing};
use crate::paths::{folder_of, same_name, split};
use crate::snapshot::Snapshot;

/// Finds the database at a path.
///
/// The path may be any file of the database, the stem of its files, or a folder or archive that
/// contains one database. `archive.zip:base.si4` names one of several databases in an archive.
pub fn find(path: impl AsRef<Path>) -> Result<FoundDatabase, Error> {
    find_as(path, FormatHint::default())
}

/// Finds the database at a path like [`find`], in the given format and with the given password.
///
/// With a format the content is not judged. An encrypted archive needs its password. [`Finder`]
/// finds many databases of one folder or archive.
pub fn find_as(
    path: impl AsRef<Path>,
    hint: impl Into<FormatHint>,
) -> Result<FoundDatabase, Error> {
    Finder::new().find(path, hint)
}

pub(super) fn find_with(
    finder: &Finder,
    path: &Path,
    hint: FormatHint,
) -> Result<FoundDatabase, Error> {
    need_files(path)?;
    if path.is_dir() {
        let bases = bases_of(finder, path, hint)?;
        let one = only(path, bases)?;
        return find_with(finder, &one, hint);
    }
    let mut pending = finder.finish_pending(path)?;
    let mut database = find_past_pending(finder, path, hint, &pending)?;
    let mut files = database.files.iter().map(|(_, file)| file.as_path());
    // The journal of a commit is next to the file that a link leads to.
    let behind_links = match database.origin {
        DatabaseOrigin::Plain => finder.finish_links(&mut files)?,
        _ => Vec::new(),
    };
    if !behind_links.is_empty() {
        pending.recoveries.extend(behind_links);
        // The finished commit has replaced the files.
        database = find_past_pending(finder, path, hint, &pending)?;
    }
    Ok(database)
}

fn find_past_pending(
    finder: &Finder,
    path: &Path,
    hint: FormatHint,
    pending: &PendingCommit,
) -> Result<FoundDatabase, Error> {
    if pending.is_gone(path) {
        return Err(Error::new(path, Problem::NotFound));
    }
    match fs::metadata(pending.actual(path)) {
        Ok(data) if data.is_file() => find_file(finder, path, hint, pending),
        // A pipe or a device, which can be read once and in order only.
        Ok(_) => piped(path.to_owned(), DatabaseOrigin::Pipe, hint.format),
        Err(error) if is_no_file(&error) => match in_archive(path) {
            Some((archive, inner)) => find_inner(finder, &archive, &inner, path, hint),
            None => find_stem(finder, path, hint, pending),
        },
        Err(error) => Err(Error::new(path, error)),
    }
}

/// Returns the files of the folder that may belong to the same set as a path.
fn siblings(finder: &Finder, path: &Path, pending: &PendingCommit) -> Result<Vec<PathBuf>, Error> {
    let folder = finder.folder(folder_of(path))?;
    let mut siblings = folder.by_stem.files_of_set(path);
    pending.correct(&mut siblings);
    Ok(siblings)
}

/// Returns the games from standard input, in the given format or else the first that can be read as
/// a stream.
pub fn stdin(forced: Option<&'static Format>) -> Result<FoundDatabase, Error> {
    piped(
        PathBuf::from("standard input"),
        DatabaseOrigin::Stdin,
        forced,
    )
}

fn only(path: &Path, mut bases: Vec<PathBuf>) -> Result<PathBuf, Error> {
    match (bases.pop(), bases.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(last), false) => {
            bases.push(last);
            Err(Error::new(path, Problem::SeveralDatabases(bases)))
        }
        (None, _) => Err(Error::new(path, Problem::NoDatabase)),
    }
}

fn piped(
    path: PathBuf,
    origin: DatabaseOrigin,
    forced: Option<&'static Format>,
) -> Result<FoundDatabase, Error> {
    let mut streaming = FORMATS
        .iter()
        .copied()
        .filter(|format| format.stream.is_some());
    let format = match forced {
        Some(format) if format.stream.is_none() => None,
        Some(format) => Some(format),
        // PGN is the last one. The others must be named.
        None => streaming.next_back(),
    };
    let Some(format) = format else {
        return Err(Error::new(path, Problem::NotStreamable));
    };
    let files = format
        .required
        .iter()
        .map(|role| (*role, path.clone()))
        .collect();
    Ok(FoundDatabase {
        judge: forced.is_none(),
        ..FoundDatabase::new(path, format, files, origin)
    })
}

fn find_stem(
    finder: &Finder,
    path: &Path,
    hint: FormatHint,
    pending: &PendingCommit,
) -> Result<FoundDatabase, Error> {
    let missing = || Error::new(path, Problem::NotFound);
    let name = path.file_name().ok_or_else(missing)?;
    let all = siblings(finder, path, pending).map_err(|_| missing())?;
    // The name with its suffix, but in different case.
    let same = |file: &&PathBuf| same_name(file.file_name().unwrap_or_default(), name);
    if let Some(file) = all.iter().find(same) {
        return find_file(finder, file, hint, pending);
    }
    let (one, candidates) = only_stem(path, name, &all, hint.format)?;
    choose(one, DatabaseOrigin::Plain, candidates, hint, pending)
}

/// Returns the first file of the only database with this stem, and the candidates for its format.
fn only_stem(
    path: &Path,
    stem: &OsStr,
    all: &[PathBuf],
    forced: Option<&'static Format>,
) -> Result<(PathBuf, Vec<Candidate>), Error> {
    let candidates = for_stem(stem, all, forced);
    let named = candidates
        .iter()
        .filter_map(|candidate| candidate.files.first());
    let named: Vec<PathBuf> = named.map(|(_, file)| file.clone()).collect();
    if named.is_empty() {
        return Err(Error::new(path, Problem::NotFound));
    }
    only(path, named).map(|one| (one, candidates))
}

/// Returns the databases with this stem: one candidate for each format with an existing naming file,
/// or, if there is none, for each format that has any file.
fn for_stem(stem: &OsStr, all: &[PathBuf], forced: Option<&'static Format>) -> Vec<Candidate> {
    let formats = FORMATS.iter().copied().filter(|format| match forced {
        Some(forced) => forced.id == format.id,
        // Such files are often lists made of the database.
        None => !format.shares_suffix,
    });
    let candidates = formats
        .filter(|format| !format.roles.iter().copied().any(Role::is_whole_name))
        .map(|format| names::collect(format, stem, all, None));
    let (bases, parts): (Vec<_>, Vec<_>) = candidates.partition(is_base);
    if !bases.is_empty() {
        return bases;
    }
    // Opening an incomplete set reports the missing files.
    parts
        .into_iter()
        .filter(|part| !part.files.is_empty())
        .collect()
}

/// Returns whether the file that names the database exists. Others may be missing; opening reports
/// them.
fn is_base(candidate: &Candidate) -> bool {
    let first = candidate.format.required.first();
    candidate.files.iter().any(|(role, _)| Some(role) == first)
}

fn find_file(
    finder: &Finder,
    path: &Path,
    hint: FormatHint,
    pending: &PendingCommit,
) -> Result<FoundDatabase, Error> {
    let forced = hint.format;
    match container(path, pending, hint.key)? {
        Container::File(Packing::None) => {
            if let Some(problem) = names::locked(path, hint.key.is_some()) {
                return Err(Error::new(path, problem));
            }
            // If the folder cannot be listed, the file itself can still be opened.
            let all = siblings(finder, path, pending).unwrap_or_default();
            choose(
                path.to_owned(),
                DatabaseOrigin::Plain,
                names::for_file(path, &all, forced),
                hint,
                pending,
            )
        }
        Container::Archive(archive) => {
            // A database that is a single file may itself be an archive, as with jose.
            let mut own = names::for_file(path, &[], forced);
            own.retain(|candidate| candidate.by_suffix || forced.is_some());
            if !own.is_empty() {
                let mut database =
                    choose(path.to_owned(), DatabaseOrigin::Plain, own, hint, pending)?;
                if database.probe(true, &mut UnpackedFiles::new())? == Score::Certain {
                    return Ok(database);
                }
            }
            let contents = finder.archive(path, archive)?;
            let one = only(path, contents.bases(forced))?;
            choose_member(path.to_owned(), path, &contents, &one, hint)
        }
        Container::File(packing) => {
            let (inner, extension) = split(path.file_name().unwrap_or_default());
            let inner = if names::is_packing(extension) {
                path.with_file_name(inner)
            } else {
                path.into()
            };
            let mut candidates = names::for_file(&inner, &[], forced);
            // One packed file cannot be a set of several files.
            candidates.retain(|candidate| candidate.format.required.len() == 1);
            for (_, file) in candidates
                .iter_mut()
                .flat_map(|candidate| &mut candidate.files)
            {
                path.clone_into(file);
            }
            let origin = DatabaseOrigin::Packed(packing);
            let database = choose(path.to_owned(), origin, candidates, hint, pending)?;
            // The suffix of a packed file is weak evidence of its content.
            if forced.is_none() && database.is_something_else()? {
                return Err(unrecognised(path.to_owned()));
            }
            Ok(database)
        }
    }
}

fn container(path: &Path, pending: &PendingCommit, key: Option<Key>) -> Result<Container, Error> {
    let file = File::open(pending.actual(path)).map_err(|error| Error::new(path, error))?;
    Container::detect(file, key).map_err(|error| Error::new(path, error))
}

/// Returns whether a path leads to nothing. That includes paths that continue after a file name, and
/// names that Windows refuses: it knows no colon and no line break, which members of archives may have.
fn is_no_file(error: &io::Error) -> bool {
    use io::ErrorKind as E;
    let kind = error.kind();
    matches!(kind, E::NotFound | E::NotADirectory)
        || cfg!(windows) && matches!(kind, E::InvalidFilename | E::InvalidInput)
}

/// Splits a path of the form `archive:member`, with which [`survey`](crate::filesystem::survey) names one
/// of several databases, into archive and member.
pub fn in_archive(path: &Path) -> Option<(PathBuf, PathBuf)> {
    if path.exists() {
        return None;
    }
    let text = path.to_str()?;
    let colons = text.match_indices(':').map(|(colon, _)| colon);
    let mut cuts = colons.filter_map(|colon| Some((text.get(..colon)?, text.get(colon + 1..)?)));
    let (archive, inner) = cuts.find(|(archive, _)| Path::new(archive).is_file())?;
    Some((archive.into(), inner.into()))
}

/// Finds a database in an archive. `inner` is a file of the database or the stem of its files;
/// `path` is the name of the archive and `inner` together.
fn find_inner(
    finder: &Finder,
    file: &Path,
    inner: &Path,
    path: &Path,
    hint: FormatHint,
) -> Result<FoundDatabase, Error> {
    let missing = || Error::new(path, Problem::NotFound);
    let contents = finder.contents(file, hint.key)?.ok_or_else(missing)?;
    let forced = hint.format;
    let mut one = contents.member_called(inner).unwrap_or(inner.to_owned());
    if !contents.directory.contains(&one) {
        let stem = inner.file_name().unwrap_or_default();
        (one, _) = only_stem(path, stem, &contents.by_stem.files_of_set(inner), forced)?;
    }
    choose_member(path.to_owned(), file, &contents, &one, hint)
}

fn choose_member(
    path: PathBuf,
    file: &Path,
    contents: &ArchiveContents,
    one: &Path,
    hint: FormatHint,
) -> Result<FoundDatabase, Error> {
    let candidates = names::for_file(one, &contents.by_stem.files_of_set(one), hint.format);
    let origin = DatabaseOrigin::Archive(file.to_owned(), Arc::clone(&contents.directory));
    choose(path, origin, candidates, hint, &PendingCommit::default())
}

/// Chooses the candidate that fits best.
fn choose(
    path: PathBuf,
    origin: DatabaseOrigin,
    candidates: Vec<Candidate>,
    hint: FormatHint,
    pending: &PendingCommit,
) -> Result<FoundDatabase, Error> {
    let mut founds = candidates.into_iter().map(|candidate| {
        let Candidate {
            format,
            files,
            by_suffix,
        } = candidate;
        let (path, origin) = (path.clone(), origin.clone());
        // The snapshot must be taken before the content is judged.
        let snapshot = match &origin {
            DatabaseOrigin::Plain => {
                Snapshot::of(files.iter().map(|(_, file)| pending.actual(file)))
            }
            DatabaseOrigin::Packed(_) => Snapshot::of([&path]),
            DatabaseOrigin::Archive(archive, _) => Snapshot::of([archive]),
            DatabaseOrigin::Stdin | DatabaseOrigin::Pipe => Snapshot::default(),
        };
        let database = FoundDatabase {
            pending: pending.clone(),
            snapshot,
            is_read_only: hint.is_read_only,
            ..FoundDatabase::new(path, format, files, origin)
        };
        (database, by_suffix)
    });
    if hint.format.is_some() {
        let first = founds.next().map(|(database, _)| database);
        return first.ok_or_else(|| unrecognised(path));
    }
    let mut unpacked = UnpackedFiles::new();
    let founds = founds.map(|(database, by_suffix)| ((database, by_suffix), by_suffix));
    let mut transactions = 0;
    let chosen = likeliest(founds, |(database, by_suffix)| {
        let score = database.probe(*by_suffix, &mut unpacked);
        transactions += u32::from(database.is_in_transaction());
        score
    })?;
    let (mut database, _) = chosen.ok_or_else(|| unrecognised(path))?;
    // The system ended the locks when the file was closed for another candidate.
    if transactions > 1 {
        database.content = None;
    }
    Ok(database)
}

/// Returns the error for a file that no format recognises. It names the feature that this build
/// would need, or the format if it can only be written.
fn unrecognised(path: PathBuf) -> Error {
    /// The definitions of a SQLite database are rarely behind this many bytes.
    const READ: u64 = 1 << 20;
    let mut start = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(READ).read_to_end(&mut start));
    if read.is_err() {
        start.clear();
    }
    let (_, extension) = split(path.file_name().unwrap_or_default());
    let problem = match missing_feature(extension, &start) {
        Some(feature) => Problem::MissingFeature(feature),
        None => match target_of_suffix(extension) {
            Some(format) => Problem::WriteOnly(format.name),
            None => match opening_book(&start) {
                Some(format) => Problem::OpeningBook(format),
                None => {
                    foreign_sqlite(&start).map_or(Problem::Unrecognised, Problem::ForeignSqlite)
                }
            },
        },
    };
    Error::new(path, problem)
}
