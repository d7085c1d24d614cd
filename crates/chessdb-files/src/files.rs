//! The files of one database in memory, with their recognised format.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use chessdb_core::files::{Role, Transaction};
use chessdb_core::format::Score;
use chessdb_core::report::Finding;
use chessdb_core::{FileSet, Format, GameStore, MemorySet, ReadOptions};
use chessdb_formats::{foreign_sqlite, likeliest, probe};

use crate::error::{Error, Problem, Result};
use crate::format_hint::FormatHint;
use crate::names::{self, Candidate};
use crate::packed::{self, Container, Key, Packing, Stream, UNPACKED};
use crate::paths::{is_system_file, split};

/// The number of bytes that is enough to recognise a format that can be read as a stream.
pub(crate) const PROBED: usize = 64 << 10;

/// The files of a database, read into memory, and their format.
///
/// `Database::from_files` opens them. Files that cannot be opened can still be inspected.
#[derive(Debug)]
pub struct Files {
    pub(crate) path: Option<PathBuf>,
    pub(crate) format: &'static Format,
    pub(crate) names: Vec<(Role, PathBuf)>,
    pub(crate) content: MemorySet,
    pub(crate) recoveries: Vec<crate::recovery::Recovery>,
    /// The files on disk before they were read; empty for files given as bytes.
    pub(crate) snapshot: crate::snapshot::Snapshot,
    pub(crate) is_read_only: bool,
}

impl Files {
    /// Returns the files on disk before they were read; it is empty for files given as bytes.
    pub fn snapshot(&self) -> &crate::snapshot::Snapshot {
        &self.snapshot
    }

    /// Recognises the single database among these named files. Packed files are unpacked. If a
    /// format is given, only that one is considered.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no databases or several, or if packed files are damaged or
    /// unpack to more than 1 GiB.
    pub fn new<N: AsRef<Path>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (N, B)>,
        hint: impl Into<FormatHint>,
    ) -> Result<Files> {
        let FormatHint {
            format: forced,
            key,
            is_read_only,
        } = hint.into();
        let named = |(name, bytes): (N, B)| (name.as_ref().to_owned(), bytes.into());
        let files = unpacked(files.into_iter().map(named).collect(), key)?;
        let mut content = Content::new();
        // Unlike `collect`, `extend` does not contain sorting code (`chessdb_core::sorting`).
        content.extend(files);
        let mut files = content;
        let all: Vec<PathBuf> = files.keys().cloned().collect();
        let mut bases = names::naming_files(&all, forced);
        if !bases.iter().all(|base| names::has_shared_suffix(base)) {
            bases.retain(|base| !names::has_shared_suffix(base));
        }
        if bases.is_empty() {
            bases = names::incomplete_sets(&all, forced);
        }
        if let (true, [only]) = (bases.is_empty(), all.as_slice()) {
            bases = vec![only.clone()];
        }
        let base = match bases.as_slice() {
            [base] => base.clone(),
            [] => return Err(Problem::NoDatabase.into()),
            _ => return Err(Problem::SeveralDatabases(bases).into()),
        };
        let beside = |name: &&PathBuf| name.parent() == base.parent();
        let all: Vec<PathBuf> = all.iter().filter(beside).cloned().collect();
        let candidates = names::for_file(&base, &all, forced);
        let by_suffix = |candidate: Candidate| {
            let by_suffix = candidate.by_suffix;
            (candidate, by_suffix)
        };
        let mut candidates = candidates.into_iter().map(by_suffix);
        let chosen = match forced {
            Some(_) => candidates.next().map(|(candidate, _)| candidate),
            None => likeliest(candidates, |candidate| {
                let content = take_files(candidate, &mut files);
                let score = (candidate.format.probe)(&content);
                give_back(content, candidate, &mut files);
                Ok::<_, Error>(score)
            })?,
        };
        let chosen = chosen.ok_or_else(|| {
            let foreign = files.get(&base).and_then(|bytes| foreign_sqlite(bytes));
            let problem = foreign.map_or(Problem::Unrecognised, Problem::ForeignSqlite);
            Error::new(&base, problem)
        })?;
        Ok(Files {
            path: Some(base),
            format: chosen.format,
            content: take_files(&chosen, &mut files),
            names: chosen.files,
            recoveries: Vec::new(),
            snapshot: crate::snapshot::Snapshot::default(),
            is_read_only,
        })
    }

    /// Combines files with known roles, in the given format or the one that their content matches.
    ///
    /// # Errors
    ///
    /// Returns an error if no format matches.
    pub fn of_roles(content: MemorySet, forced: Option<&'static Format>) -> Result<Files> {
        let format = forced.or_else(|| probe(&content));
        let format = format.ok_or(Problem::Unrecognised)?;
        let name = |(role, _): (Role, &[u8])| (role, PathBuf::from(role.pattern()));
        Ok(Files {
            path: None,
            format,
            names: content.iter().map(name).collect(),
            content,
            recoveries: Vec::new(),
            snapshot: crate::snapshot::Snapshot::default(),
            is_read_only: false,
        })
    }

    /// Returns whether this program will not change or replace the files while they are in use
    /// ([`FormatHint::is_read_only`]).
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns the given path, or the file that it led to; `None` for files without names.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Returns what was done about earlier runs that were interrupted while they wrote this
    /// database.
    pub fn recoveries(&self) -> &[crate::recovery::Recovery] {
        &self.recoveries
    }

    /// Iterates over the files of the database, with their lengths in bytes.
    pub fn iter(&self) -> impl Iterator<Item = (Role, &Path, u64)> {
        let length = |role: Role| self.content.get(role).map_or(0, |bytes| bytes.len() as u64);
        self.names
            .iter()
            .map(move |(role, path)| (*role, path.as_path(), length(*role)))
    }

    /// Opens the database as a store of its format that borrows these files.
    ///
    /// # Errors
    ///
    /// Returns the errors of the format.
    pub fn store(&self, options: ReadOptions) -> Result<Box<dyn GameStore + '_>> {
        (self.format.open)(self, options).map_err(|error| Error::from(error).with_path(self.path()))
    }

    /// Looks for contradictions within and between the files, and reads every game.
    pub fn check(&self, options: &ReadOptions, report: &mut dyn FnMut(Finding)) {
        chessdb_core::format::check(self.format, self, options, report);
    }

    /// Looks for contradictions outside the games.
    ///
    /// The rest of [`Files::check`] is found by opening the database with
    /// `OpenOptions::checking` and reading its games, which uses all available threads.
    pub fn check_around_games(&self, options: &ReadOptions, report: &mut dyn FnMut(Finding)) {
        (self.format.check)(self, options, report);
    }
}

impl FileSet for Files {
    fn get(&self, role: Role) -> Option<&[u8]> {
        self.content.get(role)
    }

    fn transaction(&self) -> Option<&dyn Transaction> {
        self.content.transaction()
    }
}

/// Files by name. Their bytes are moved, never copied, because they may be large.
type Content = BTreeMap<PathBuf, Vec<u8>>;

fn take_files(candidate: &Candidate, files: &mut Content) -> MemorySet {
    let content = |(role, name): &(Role, PathBuf)| Some((*role, files.remove(name)?));
    candidate.files.iter().filter_map(content).collect()
}

fn give_back(mut content: MemorySet, candidate: &Candidate, files: &mut Content) {
    for (role, name) in &candidate.files {
        if let Some(bytes) = content.remove(*role) {
            files.insert(name.clone(), bytes);
        }
    }
}

/// Unpacks files: a packed file becomes one with its name without the suffix, an archive becomes
/// all of its members. [`crate::names::group`] finds the databases among the results.
///
/// ```
/// use chessdb::formats::{FormatHint, unpack};
///
/// let files = unpack([("a.pgn", &b"1. e4 *"[..])], FormatHint::default())?;
/// assert_eq!(files[0].1, b"1. e4 *");
/// # Ok::<(), chessdb::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if packed files are damaged or unpack to more than 1 GiB.
pub fn unpack<N: AsRef<Path>, B: Into<Vec<u8>>>(
    files: impl IntoIterator<Item = (N, B)>,
    hint: impl Into<FormatHint>,
) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let named = |(name, bytes): (N, B)| (name.as_ref().to_owned(), bytes.into());
    unpacked(files.into_iter().map(named).collect(), hint.into().key)
}

/// Unpacks files like [`unpack`]. A file that cannot be unpacked is left out; the others are
/// unpacked nevertheless. Returns the unpacked files, and an error for each file left out.
pub fn unpack_each(
    files: Vec<(PathBuf, Vec<u8>)>,
    hint: impl Into<FormatHint>,
) -> (Vec<(PathBuf, Vec<u8>)>, Vec<Error>) {
    let key = hint.into().key;
    let (mut plain, mut errors) = (Vec::new(), Vec::new());
    let mut remaining = UNPACKED;
    let files = files.into_iter();
    for (name, bytes) in files.filter(|(name, _)| !is_system_file(name)) {
        let before = plain.len();
        let unpacked = unpack_file(&name, bytes, key, &mut remaining, &mut plain);
        if let Err(error) = unpacked {
            // An archive may have failed after its first members.
            plain.truncate(before);
            errors.push(error.with_path(Some(&name)));
        }
    }
    (plain, errors)
}

fn unpacked(files: Vec<(PathBuf, Vec<u8>)>, key: Option<Key>) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut plain = Vec::new();
    let mut remaining = UNPACKED;
    let is_alone = files.len() == 1;
    for (name, bytes) in files {
        // A caller that passes one file means it, whatever its name is.
        if is_alone || !is_system_file(&name) {
            unpack_file(&name, bytes, key, &mut remaining, &mut plain)?;
        }
    }
    Ok(plain)
}

/// Unpacks a file and appends the result to `plain`. `remaining` is the number of bytes that may
/// still be unpacked.
fn unpack_file(
    name: &Path,
    bytes: Vec<u8>,
    key: Option<Key>,
    remaining: &mut u64,
    plain: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<()> {
    let container = Container::detect(bytes.as_slice(), key)?;
    if container == Container::File(Packing::None) {
        if let Some(problem) = names::locked(name, key.is_some()) {
            return Err(Error::new(name, problem));
        }
        plain.push((name.to_owned(), bytes));
        return Ok(());
    }
    let failed = |problem: Problem| Error::new(name, problem);
    let bytes: std::sync::Arc<[u8]> = bytes.into();
    let open = || io::Cursor::new(std::sync::Arc::clone(&bytes));
    let packing = match container {
        Container::File(packing) => packing,
        Container::Archive(archive) => {
            let directory = archive.directory(|| Ok(open())).map_err(failed)?;
            for inner in directory.names() {
                let member = directory.member(|| Ok(open()), &inner).map_err(failed)?;
                let content = read_all(member, remaining).map_err(failed)?;
                plain.push((inner, content));
            }
            return Ok(());
        }
    };
    let content = packing.undo(Box::new(open())).map_err(failed)?;
    let content = read_all(content, remaining).map_err(failed)?;
    let (stem, extension) = split(name.file_name().unwrap_or_default());
    let inner = if names::is_packing(extension) {
        name.with_file_name(stem)
    } else {
        name.to_owned()
    };
    plain.push((inner, content));
    Ok(())
}

fn read_all(input: Stream<'_>, remaining: &mut u64) -> Result<Vec<u8>, Problem> {
    let mut content = Vec::new();
    // One byte more than allowed shows that the content is too large.
    packed::read_whole(input, remaining.saturating_add(1), &mut content)?;
    let length = content.len() as u64;
    *remaining = remaining
        .checked_sub(length)
        .ok_or(Problem::TooLarge(UNPACKED))?;
    Ok(content)
}

/// Returns the complete input, unless its beginning has another format. Reads no more than is
/// needed to decide, because a pipe may be slow.
pub fn judged(
    mut input: Stream<'static>,
    format: &Format,
    role: Role,
) -> Result<Stream<'static>, Problem> {
    let mut content = MemorySet::new();
    let mut start = Vec::new();
    loop {
        let mut block = [0; 4 << 10];
        let length = match input.read(&mut block) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Problem::Io(error)),
        };
        start.extend_from_slice(block.get(..length).unwrap_or_default());
        content.insert(role, start.clone());
        if (format.probe)(&content) > Score::No {
            return Ok(Box::new(io::Cursor::new(start).chain(input)));
        }
        if length == 0 || start.len() >= PROBED {
            return Err(Problem::NotStreamable);
        }
    }
}
